//===- TranslateMatrices.cpp - products and their fragments ---------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fragments are passed to the machine in memory of the host's frame. The sums
// of a wgmma are in the thread's registers again after its call. That it is in
// flight until the wait for its group, the machine's clocks know for factors in
// memory, and a variable of the thread for sums in registers.
//
//===----------------------------------------------------------------------===//

#include "MmaForm.h"

#include "../ThreadCode.h"

#include "../../Async/Matrices/ProductForm.h"

#include "llvm/ADT/ScopeExit.h"

using namespace mlir;
using namespace carousel::sim;
namespace sim = carousel::sim;
namespace ptx = carousel::ptx;
using ptx::Instruction;
using ptx::Opcode;
using ptx::Operand;
using ptx::Word;
using Kind = ptx::Operand::Kind;

static constexpr uint64_t kWordBytes = 4;

static ArrayRef<Operand> getElements(const Operand &operand) {
  if (operand.kind == Kind::Vector)
    return operand.elements;
  return ArrayRef(operand);
}

/// Writes the operand's registers to memory; false after an error.
static bool storeWords(ThreadCode &code, const Instruction &instruction,
                       unsigned operand, Value to,
                       uint64_t bytes = kWordBytes) {
  for (auto [i, element] :
       llvm::enumerate(getElements(instruction.operands[operand]))) {
    Value value = code.read(instruction, element,
                            bytes == 8 ? ptx::Type::B64 : ptx::Type::B32);
    if (!value)
      return false;
    LLVM::StoreOp::create(code.b, code.loc, value, code.advance(to, i * bytes));
  }
  return true;
}

static void loadWords(ThreadCode &code, const Instruction &instruction,
                      unsigned operand, Value from,
                      uint64_t bytes = kWordBytes) {
  for (auto [i, element] :
       llvm::enumerate(getElements(instruction.operands[operand])))
    code.write(element, LLVM::LoadOp::create(code.b, code.loc,
                                             code.word(unsigned(bytes) * 8),
                                             code.advance(from, i * bytes)));
}

static uint64_t countWords(const Instruction &instruction, unsigned operand) {
  return getElements(instruction.operands[operand]).size();
}

//===----------------------------------------------------------------------===//
// A warp's matrices
//===----------------------------------------------------------------------===//

static LogicalResult translateLoadMatrix(ThreadCode &code,
                                         const Instruction &instruction) {
  if (!instruction.has(Word::M8n8))
    return code.refuse(instruction);
  Value address = code.getPointer(instruction, 1);
  if (!address)
    return failure();
  uint64_t matrices = countWords(instruction, 0);
  Value words = code.getScratch(0, matrices * kWordBytes);
  code.call("carousel_sim_ptx_ldmatrix",
            {address, code.i32(matrices),
             code.i32(instruction.has(Word::Trans)), words});
  loadWords(code, instruction, 0, words);
  return success();
}

static LogicalResult translateStoreMatrix(ThreadCode &code,
                                          const Instruction &instruction) {
  if (!instruction.has(Word::M8n8))
    return code.refuse(instruction);
  Value address = code.getPointer(instruction, 0);
  uint64_t matrices = countWords(instruction, 1);
  Value words = code.getScratch(0, matrices * kWordBytes);
  if (!address || !storeWords(code, instruction, 1, words))
    return failure();
  code.call("carousel_sim_ptx_stmatrix",
            {address, code.i32(matrices),
             code.i32(instruction.has(Word::Trans)), words});
  return success();
}

static LogicalResult translateMoveMatrix(ThreadCode &code,
                                         const Instruction &instruction) {
  Value word = code.read(instruction, 1);
  if (!word)
    return failure();
  code.write(instruction.operands[0],
             code.call("carousel_sim_ptx_movmatrix", {word}, code.word(32)));
  return success();
}

static LogicalResult translateMma(ThreadCode &code,
                                  const Instruction &instruction) {
  std::optional<MmaForm> form = getMmaForm(instruction);
  if (!form)
    return code.refuse(instruction);
  uint64_t bytes = form->getRegisterBytes(), at = 0;
  Value words = code.getScratch(0, form->getBytes());
  for (unsigned operand : {1, 2, 3}) {
    if (!storeWords(code, instruction, operand, code.advance(words, at), bytes))
      return failure();
    at += countWords(instruction, operand) * bytes;
  }
  if (at != form->getBytes())
    return code.refuse(instruction);
  code.call("carousel_sim_ptx_mma", {code.i64(form->encode()), words});
  loadWords(code, instruction, 0, code.advance(words, form->getFactorBytes()),
            bytes);
  return success();
}

//===----------------------------------------------------------------------===//
// wmma
//===----------------------------------------------------------------------===//

/// The distance of rows or columns in memory, in elements.
static Value getStride(ThreadCode &code, const Instruction &instruction,
                       const WmmaFragment &fragment) {
  if (code.hasOperand(instruction, 2))
    return code.read(instruction, 2);
  return code.i32(fragment.isRowMajor ? fragment.columns : fragment.rows);
}

static uint64_t getRegisterBytes(const WmmaFragment &fragment) {
  return fragment.elementBits == 64 ? 8 : kWordBytes;
}

static LogicalResult translateFragment(ThreadCode &code,
                                       const Instruction &instruction) {
  bool isStore = instruction.opcode == Opcode::WmmaStoreD;
  std::optional<WmmaFragment> fragment =
      getWmmaFragment(instruction, isStore ? 1 : 0);
  if (!fragment)
    return code.refuse(instruction);
  Value address = code.getPointer(instruction, isStore ? 0 : 1);
  Value words = code.getScratch(0, fragment->bytes);
  if (!address || (isStore && !storeWords(code, instruction, 1, words,
                                          getRegisterBytes(*fragment))))
    return failure();
  Value stride = getStride(code, instruction, *fragment);
  if (!stride)
    return failure();
  code.call(isStore ? "carousel_sim_ptx_wmma_store"
                    : "carousel_sim_ptx_wmma_load",
            {address, stride, code.i64(fragment->encode()), words});
  if (!isStore)
    loadWords(code, instruction, 0, words, getRegisterBytes(*fragment));
  return success();
}

static LogicalResult translateWmma(ThreadCode &code,
                                   const Instruction &instruction) {
  std::optional<WmmaForm> form = getWmmaForm(instruction);
  if (!form)
    return code.refuse(instruction);
  Value words = code.getScratch(0, form->getBytes());
  uint64_t at = 0;
  for (auto [operand, fragment] :
       {std::pair(1u, &form->left), std::pair(2u, &form->right),
        std::pair(3u, &form->sums)}) {
    if (!storeWords(code, instruction, operand, code.advance(words, at),
                    getRegisterBytes(*fragment)))
      return failure();
    at += fragment->bytes;
  }
  code.call("carousel_sim_ptx_wmma",
            {code.i64(form->encodeTypes()), code.i64(form->left.encode()),
             code.i64(form->right.encode()), code.i64(form->sums.encode()),
             code.i64(form->result.encode()), words});
  loadWords(code, instruction, 0, code.advance(words, at),
            getRegisterBytes(form->result));
  return success();
}

//===----------------------------------------------------------------------===//
// A warpgroup's products
//===----------------------------------------------------------------------===//

static std::optional<FactorType> getFactorType(ptx::Type type) {
  switch (type) {
  case ptx::Type::F16:
    return FactorType::F16;
  case ptx::Type::BF16:
    return FactorType::BF16;
  case ptx::Type::TF32:
    return FactorType::TF32;
  case ptx::Type::E4M3:
    return FactorType::E4M3;
  case ptx::Type::E5M2:
    return FactorType::E5M2;
  case ptx::Type::S8:
    return FactorType::S8;
  case ptx::Type::U8:
    return FactorType::U8;
  default:
    return std::nullopt;
  }
}

/// The sum's type comes first; integers have no scales, and only factors of 16
/// bits in shared memory may be transposed.
static std::optional<ProductForm>
getProductForm(const Instruction &instruction) {
  auto types = instruction.getTypes();
  if (types.size() != 3)
    return std::nullopt;
  std::optional<FactorType> a = getFactorType(types[1]),
                            b = getFactorType(types[2]);
  if (!a || !b)
    return std::nullopt;
  ProductForm form;
  form.n = instruction.shape.n;
  form.a = *a;
  form.b = *b;
  form.sum = types[0] == ptx::Type::F32   ? SumType::F32
             : types[0] == ptx::Type::F16 ? SumType::F16
                                          : SumType::S32;
  form.aInRegisters = instruction.operands[1].kind == Kind::Vector;
  form.saturate = instruction.has(Word::Satfinite);
  auto getNumber = [&](unsigned operand) -> int64_t {
    return operand < instruction.operands.size()
               ? int64_t(instruction.operands[operand].value.bits)
               : 0;
  };
  form.negateA = getNumber(4) == -1;
  form.negateB = getNumber(5) == -1;
  form.isTransposedA = !form.aInRegisters && getNumber(6) != 0;
  form.isTransposedB = getNumber(form.aInRegisters ? 6 : 7) != 0;
  return form;
}

static LogicalResult translateProduct(ThreadCode &code,
                                      const Instruction &instruction) {
  std::optional<ProductForm> form = getProductForm(instruction);
  if (!form)
    return code.refuse(instruction);
  Value a = code.i64(0), factors = code.getScratch(0, 16),
        sums = code.getScratch(1, form->getSumCount() * form->getSumBytes());
  if (form->aInRegisters) {
    if (!storeWords(code, instruction, 1, factors))
      return failure();
  } else {
    a = code.read(instruction, 1);
  }
  Value b = code.read(instruction, 2), scale = code.read(instruction, 3);
  if (!a || !b || !scale)
    return failure();
  code.areSums = true;
  llvm::scope_exit end([&] { code.areSums = false; });
  if (!storeWords(code, instruction, 0, sums))
    return failure();
  Value group = code.call(
      "carousel_sim_ptx_wgmma",
      {code.i64(form->encode()), a, b, factors, sums, scale}, code.word(32));
  loadWords(code, instruction, 0, sums);
  code.setGroups(instruction, group);
  return success();
}

LogicalResult sim::translateMatrices(ThreadCode &code,
                                     const Instruction &instruction) {
  switch (instruction.opcode) {
  case Opcode::Ldmatrix:
    return translateLoadMatrix(code, instruction);
  case Opcode::Stmatrix:
    return translateStoreMatrix(code, instruction);
  case Opcode::Movmatrix:
    return translateMoveMatrix(code, instruction);
  case Opcode::Mma:
    return translateMma(code, instruction);
  case Opcode::WmmaLoadA:
  case Opcode::WmmaLoadB:
  case Opcode::WmmaLoadC:
  case Opcode::WmmaStoreD:
    return translateFragment(code, instruction);
  case Opcode::WmmaMma:
    return translateWmma(code, instruction);
  case Opcode::WgmmaFence:
    code.call("carousel_sim_wgmma_fence", {});
    return success();
  case Opcode::WgmmaCommitGroup:
    code.call("carousel_sim_wgmma_commit", {});
    return success();
  case Opcode::WgmmaWaitGroup:
    code.call("carousel_sim_wgmma_wait",
              {code.i32(instruction.operands[0].value.bits)});
    return success();
  case Opcode::WgmmaMmaAsync:
    return translateProduct(code, instruction);
  default:
    return code.refuse(instruction);
  }
}
