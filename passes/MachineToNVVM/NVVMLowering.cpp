//===- NVVMLowering.cpp - shared by the conversions to NVVM ---------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See NVVMLowering.h.
//
//===----------------------------------------------------------------------===//

#include "NVVMLowering.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace carousel;

static LLVM::InlineAsmOp createAsm(OpBuilder &builder, Location loc,
                                   TypeRange results, ValueRange operands,
                                   StringRef text, StringRef constraints,
                                   bool sideEffects) {
  return LLVM::InlineAsmOp::create(
      builder, loc, results, operands, text, constraints, sideEffects,
      /*is_align_stack=*/false, LLVM::tailcallkind::TailCallKind::None,
      LLVM::AsmDialectAttr::get(builder.getContext(), LLVM::AsmDialect::AD_ATT),
      /*operand_attrs=*/ArrayAttr());
}

void carousel::createCompilerFence(OpBuilder &builder, Location loc) {
  createAsm(builder, loc, TypeRange(), ValueRange(), "", "~{memory}",
            /*sideEffects=*/true);
}

/// The register class of NVPTX inline assembly that holds a type.
static StringRef getConstraint(Type type) {
  if (isa<LLVM::LLVMPointerType>(type) || type.isInteger(64))
    return "l";
  if (type.isInteger(1))
    return "b";
  if (type.isInteger(8) || type.isInteger(16))
    return "h";
  if (type.isInteger(32))
    return "r";
  if (type.isF32())
    return "f";
  if (type.isF64())
    return "d";
  llvm_unreachable("no register class for this type");
}

Value carousel::createPTX(OpBuilder &builder, Location loc, Type result,
                          ValueRange operands, const Twine &text,
                          bool touchesMemory) {
  SmallVector<std::string> constraints;
  if (result)
    constraints.push_back("=" + getConstraint(result).str());
  for (Value operand : operands)
    constraints.push_back(getConstraint(operand.getType()).str());
  if (touchesMemory)
    constraints.push_back("~{memory}");
  auto op = createAsm(builder, loc, result ? TypeRange(result) : TypeRange(),
                      operands, text.str(), llvm::join(constraints, ","),
                      touchesMemory);
  return result ? op->getResult(0) : Value();
}

SmallVector<Value> carousel::createPTXInPlace(OpBuilder &builder, Location loc,
                                              ValueRange registers,
                                              ValueRange operands,
                                              const Twine &text) {
  // Operands that begin as an output are the last ones, so that the others have
  // the numbers after the outputs.
  SmallVector<std::string> constraints;
  SmallVector<Value> inputs(operands);
  for (Value value : registers)
    constraints.push_back("=" + getConstraint(value.getType()).str());
  for (Value value : operands)
    constraints.push_back(getConstraint(value.getType()).str());
  for (auto [number, value] : llvm::enumerate(registers)) {
    constraints.push_back(std::to_string(number));
    inputs.push_back(value);
  }
  constraints.push_back("~{memory}");
  SmallVector<Type> types(registers.getTypes());
  Type result;
  if (types.size() == 1)
    result = types.front();
  else if (!types.empty())
    result = LLVM::LLVMStructType::getLiteral(builder.getContext(), types);
  auto op = createAsm(builder, loc, result ? TypeRange(result) : TypeRange(),
                      inputs, text.str(), llvm::join(constraints, ","),
                      /*sideEffects=*/true);
  if (types.size() == 1)
    return {op->getResult(0)};
  SmallVector<Value> results;
  for (int64_t i = 0, e = types.size(); i < e; ++i)
    results.push_back(
        LLVM::ExtractValueOp::create(builder, loc, op->getResult(0), i));
  return results;
}

Value carousel::createIntrinsic(OpBuilder &builder, Location loc, Type result,
                                StringRef name, ValueRange operands) {
  auto attr = builder.getStringAttr(name);
  if (result)
    return LLVM::CallIntrinsicOp::create(builder, loc, result, attr, operands)
        ->getResult(0);
  LLVM::CallIntrinsicOp::create(builder, loc, attr, operands);
  return Value();
}

Value carousel::materializeI32(OpBuilder &builder, Location loc, Value value,
                               std::optional<uint32_t> literal) {
  if (value)
    return value;
  return LLVM::ConstantOp::create(
      builder, loc, builder.getI32IntegerAttr(static_cast<int32_t>(*literal)));
}

Value carousel::castPointer(OpBuilder &builder, Location loc, Value pointer,
                            NVVM::NVVMMemorySpace space) {
  auto type = LLVM::LLVMPointerType::get(builder.getContext(),
                                         static_cast<unsigned>(space));
  if (pointer.getType() == type)
    return pointer;
  return LLVM::AddrSpaceCastOp::create(builder, loc, type, pointer);
}

LogicalResult carousel::verifyIndexBitwidth(Operation *op, unsigned bits) {
  if (bits == 32 || bits == 64)
    return success();
  return emitError(op->getLoc())
         << "expected an index of 32 or 64 bits, got " << bits;
}

NVVM::MemScopeKind carousel::getNVVMScope(MemScope scope) {
  switch (scope) {
  case MemScope::CTA:
    return NVVM::MemScopeKind::CTA;
  case MemScope::Cluster:
    return NVVM::MemScopeKind::CLUSTER;
  case MemScope::GPU:
    return NVVM::MemScopeKind::GPU;
  case MemScope::System:
    return NVVM::MemScopeKind::SYS;
  }
  llvm_unreachable("covered switch");
}
