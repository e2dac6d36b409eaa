//===- PTXTranslation.cpp - PTX as code of one thread ---------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Translates the statements of a function: each label begins a block of the
// host's code, a guard is a branch around its instruction, and a call is one of
// a host function, which returns whether the thread has exited. Threads are
// fibres, so divergence needs no code. The entry takes the words of a launch,
// puts them into the kernel's parameters as docs/KernelABI.md says, and calls
// the kernel.
//
//===----------------------------------------------------------------------===//

#include "PTXTranslation.h"

#include "../Compile/Machine/MachineLowering.h"
#include "../Launch/LaunchArguments.h"
#include "ThreadCode.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace carousel::sim;
namespace ptx = carousel::ptx;
namespace sim = carousel::sim;

using ptx::Instruction;
using ptx::Opcode;
using ptx::Operand;

using Kind = ptx::Operand::Kind;

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

static bool isLike(ArrayRef<ptx::Variable> these,
                   ArrayRef<ptx::Variable> those) {
  return llvm::equal(these, those, [](const auto &a, const auto &b) {
    return a.getBytes() == b.getBytes();
  });
}

namespace {

class ControlFlow {
public:
  /// `hostFunctions` are those of the functions that a kernel may call, by
  /// symbol.
  ControlFlow(ThreadCode &code,
              const llvm::DenseMap<ptx::SymbolId, mlir::LLVM::LLVMFuncOp>
                  &hostFunctions)
      : code(code), b(code.b), hostFunctions(hostFunctions) {}

  mlir::LogicalResult translateBody() {
    collectLabels(*code.function.body);
    code.findUnwritten();
    if (failed(translate(*code.function.body)))
      return failure();
    LLVM::ReturnOp::create(b, code.loc, code.constant(1, 0));
    // MLIR orders the blocks from each one anew that nothing reaches.
    IRRewriter rewriter(b);
    (void)eraseUnreachableBlocks(rewriter, code.target->getRegions());
    return success();
  }

private:
  mlir::LogicalResult translate(const ptx::Block &block) {
    for (const ptx::Statement &statement : block.statements) {
      if (const auto *inner = std::get_if<ptx::Block>(&statement.value)) {
        if (failed(translate(*inner)))
          return failure();
      } else if (const auto *label =
                     std::get_if<ptx::Label>(&statement.value)) {
        Block *begin = getLabel(label->label);
        jump(begin);
        b.setInsertionPointToEnd(begin);
        placed.insert(label->label);
      } else if (const auto *variable =
                     std::get_if<ptx::Variable>(&statement.value)) {
        declareParameter(*variable);
      } else if (const auto *location =
                     std::get_if<ptx::SourceLocation>(&statement.value)) {
        origin = describe(*location);
      } else if (const auto *instruction =
                     std::get_if<Instruction>(&statement.value)) {
        code.setLocation(instruction->location, origin);
        if (failed(translate(*instruction)))
          return failure();
      }
    }
    return success();
  }

  mlir::LogicalResult translate(const ptx::Instruction &instruction) {
    if (instruction.opcode == Opcode::Bra)
      return translateBranch(instruction);
    if (!instruction.guard)
      return translateUnguarded(instruction);
    Value holds = readGuard(*instruction.guard);
    Block *then = addBlock(), *after = addBlock();
    if (instruction.guard->negated)
      jumpIf(holds, after, then);
    else
      jumpIf(holds, then, after);
    b.setInsertionPointToEnd(then);
    if (failed(translateUnguarded(instruction)))
      return failure();
    jump(after);
    b.setInsertionPointToEnd(after);
    return success();
  }

  mlir::LogicalResult translateUnguarded(const Instruction &instruction) {
    switch (instruction.opcode) {
    case Opcode::BrxIdx:
      return translateTable(instruction);
    case Opcode::Call:
      return translateCall(instruction);
    case Opcode::Ret:
      leave(false);
      return success();
    case Opcode::Exit:
      leave(true);
      return success();
    case Opcode::Trap:
    case Opcode::Brkpt:
      code.call("carousel_sim_ptx_trap", {});
      return success();
    case Opcode::Pmevent:
      return success();
    default:
      break;
    }
    if (!code.hasUnwritten())
      return translateValue(code, instruction);
    if (!isComputation(instruction)) {
      code.checkOperands(instruction);
      return translateValue(code, instruction);
    }
    auto poison = code.propagate(instruction);
    if (failed(translateValue(code, instruction)))
      return failure();
    for (auto [id, bits] : poison)
      code.setPoison(id, bits);
    return success();
  }

  mlir::LogicalResult translateBranch(const Instruction &instruction) {
    ptx::LabelId label = instruction.operands[0].label;
    // A loop that doesn't call the machine would never let other threads run.
    if (placed.contains(label))
      code.call("carousel_sim_step", {});
    Block *to = getLabel(label), *after = addBlock();
    if (!instruction.guard) {
      jump(to);
    } else {
      Value holds = readGuard(*instruction.guard);
      if (instruction.guard->negated)
        jumpIf(holds, after, to);
      else
        jumpIf(holds, to, after);
    }
    b.setInsertionPointToEnd(after);
    return success();
  }

  mlir::LogicalResult translateTable(const Instruction &instruction) {
    const ptx::BranchTargets *targets =
        branchTargets.lookup(instruction.operands[1].label);
    if (!targets)
      return code.refuse(instruction);
    code.checkWritten(instruction.operands[0]);
    Value index = code.read(instruction, 0);
    if (!index)
      return failure();
    code.call("carousel_sim_ptx_check_index",
              {index, code.i32(targets->targets.size())});
    SmallVector<int32_t> cases;
    SmallVector<Block *> blocks;
    for (auto [number, label] : llvm::enumerate(targets->targets)) {
      cases.push_back(int32_t(number));
      blocks.push_back(getLabel(label));
    }
    SmallVector<ValueRange> none(blocks.size());
    LLVM::SwitchOp::create(b, code.loc, index, blocks.back(), ValueRange(),
                           cases, blocks, none);
    b.setInsertionPointToEnd(addBlock());
    return success();
  }

  mlir::LogicalResult translateCall(const Instruction &instruction) {
    const Operand &callee = instruction.operands[0].elements[1];
    if (callee.kind == Kind::Register)
      return callByAddress(instruction);
    const ptx::Function *function = code.layout.findFunction(callee.symbol);
    if (!function &&
        callSystem(instruction, code.source.module.symbols[callee.symbol].name))
      return success();
    if (!function)
      return code.error(instruction)
             << "expected a function that the text defines, got the "
                "declaration "
                "of '"
             << code.source.module.symbols[callee.symbol].name << "'";
    return callFunction(instruction, *function);
  }

  /// Functions that the system has for CUDA: a failed assertion is a finding
  /// that ends the run, and nothing is printed.
  bool callSystem(const Instruction &instruction, StringRef name) {
    if (name == "__assertfail") {
      const Operand &message = instruction.operands[0].elements[2].elements[0];
      auto place = code.parameters.find(message.symbol);
      if (message.kind != Kind::Symbol || place == code.parameters.end() ||
          place->second.bytes != 8)
        return false;
      code.call("carousel_sim_assert_fail",
                {LLVM::LoadOp::create(
                     b, code.loc, LLVM::LLVMPointerType::get(b.getContext()),
                     place->second.pointer)
                     .getResult()});
      return true;
    }
    if (name != "vprintf")
      return false;
    for (const Operand &result : instruction.operands[0].elements[0].elements)
      if (auto place = code.parameters.find(result.symbol);
          result.kind == Kind::Symbol && place != code.parameters.end() &&
          place->second.bytes == 4)
        LLVM::StoreOp::create(b, code.loc, code.i32(0), place->second.pointer);
    return true;
  }

  mlir::LogicalResult callFunction(const Instruction &instruction,
                                   const ptx::Function &callee) {
    ArrayRef<Operand> parts = instruction.operands[0].elements;
    if (parts[0].elements.size() != callee.results.size() ||
        parts[2].elements.size() != callee.parameters.size())
      return code.error(instruction)
             << "expected " << callee.results.size() << " results and "
             << callee.parameters.size() << " arguments, as '" << callee.name
             << "' has, got " << parts[0].elements.size() << " and "
             << parts[2].elements.size();
    SmallVector<Value> operands;
    SmallVector<std::pair<const Operand *, Value>> copied;
    for (auto [value, result] : llvm::zip(parts[0].elements, callee.results)) {
      if (value.kind == Kind::Register) {
        Value copy = code.allocate(8);
        copied.push_back({&value, copy});
        operands.push_back(copy);
      } else if (Value place = passParameter(instruction, value, result)) {
        operands.push_back(place);
      } else {
        return failure();
      }
    }
    for (auto [value, parameter] :
         llvm::zip(parts[2].elements, callee.parameters)) {
      Value place = passParameter(instruction, value, parameter);
      if (!place)
        return failure();
      operands.push_back(place);
    }
    uint64_t bytes = code.layout.getFrameBytes(code.function);
    operands.push_back(LLVM::AddOp::create(b, code.loc, code.frame,
                                           code.i64(llvm::alignTo(bytes, 16))));
    // Calls of calls may have no end that a run reaches.
    code.call("carousel_sim_step", {});
    auto call = LLVM::CallOp::create(
        b, code.loc, hostFunctions.lookup(callee.symbol), operands);
    // An exit in the callee ends the thread.
    Block *exited = addBlock(), *after = addBlock();
    jumpIf(call.getResult(), exited, after);
    b.setInsertionPointToEnd(exited);
    LLVM::ReturnOp::create(b, code.loc, code.constant(1, 1));
    b.setInsertionPointToEnd(after);
    for (auto [operand, copy] : copied)
      code.write(*operand,
                 LLVM::LoadOp::create(
                     b, code.loc, code.word(code.getRegisterBits(operand->reg)),
                     copy));
    return success();
  }

  /// Tests the address against each function that it may be: those of the list
  /// of targets, or all whose address is taken and that have the prototype.
  mlir::LogicalResult callByAddress(const Instruction &instruction) {
    ArrayRef<Operand> parts = instruction.operands[0].elements;
    const ptx::CallPrototype *prototype = prototypes.lookup(parts[3].label);
    const ptx::CallTargets *targets = callTargets.lookup(parts[3].label);
    if (!prototype && !targets)
      return code.refuse(instruction);
    code.checkWritten(parts[1]);
    Value address = code.resize(code.readRegister(parts[1].reg), 64);
    Block *after = addBlock();
    ArrayRef<ptx::SymbolId> callable =
        targets ? ArrayRef(targets->targets) : code.layout.getCallable();
    for (ptx::SymbolId symbol : callable) {
      const ptx::Function *callee = code.layout.findFunction(symbol);
      if (!callee ||
          (prototype && !(isLike(prototype->results, callee->results) &&
                          isLike(prototype->parameters, callee->parameters))))
        continue;
      Value isIt =
          LLVM::ICmpOp::create(b, code.loc, LLVM::ICmpPredicate::eq, address,
                               code.i64(kFunctionAddress + symbol));
      Block *then = addBlock(), *next = addBlock();
      jumpIf(isIt, then, next);
      b.setInsertionPointToEnd(then);
      if (failed(callFunction(instruction, *callee)))
        return failure();
      jump(after);
      b.setInsertionPointToEnd(next);
    }
    code.call("carousel_sim_ptx_bad_callee", {address});
    jump(after);
    b.setInsertionPointToEnd(after);
    return success();
  }

  /// The memory of an argument or a result: the variable that the text declares
  /// for it, or a copy of a register.
  mlir::Value passParameter(const Instruction &instruction,
                            const Operand &value,
                            const ptx::Variable &parameter) {
    uint64_t bytes = parameter.getBytes().value_or(0);
    if (value.kind == Kind::Symbol) {
      auto known = code.parameters.find(value.symbol);
      if (known != code.parameters.end() && known->second.bytes == bytes)
        return known->second.pointer;
      code.error(instruction)
          << "expected a parameter of " << bytes << " bytes for '"
          << parameter.name << "', as the callee has it, got "
          << (known == code.parameters.end() ? 0 : known->second.bytes);
      return {};
    }
    Value read = code.read(instruction, value, parameter.type);
    if (!read)
      return {};
    Value copy = code.allocate(std::max<uint64_t>(bytes, 8));
    LLVM::StoreOp::create(b, code.loc, code.resize(read, unsigned(bytes * 8)),
                          copy);
    return copy;
  }

  mlir::Value readGuard(const ptx::Guard &guard) {
    Operand predicate;
    predicate.kind = Kind::Register;
    predicate.reg = guard.predicate;
    code.checkWritten(predicate);
    return code.readRegister(guard.predicate);
  }

  void collectLabels(const ptx::Block &block) {
    for (const ptx::Statement &statement : block.statements) {
      if (const auto *inner = std::get_if<ptx::Block>(&statement.value))
        collectLabels(*inner);
      else if (const auto *label = std::get_if<ptx::Label>(&statement.value))
        labels[label->label] = addBlock();
      else if (const auto *targets =
                   std::get_if<ptx::BranchTargets>(&statement.value))
        branchTargets[targets->label] = targets;
      else if (const auto *callees =
                   std::get_if<ptx::CallTargets>(&statement.value))
        callTargets[callees->label] = callees;
      else if (const auto *prototype =
                   std::get_if<ptx::CallPrototype>(&statement.value))
        prototypes[prototype->label] = prototype;
      else if (const auto *instruction =
                   std::get_if<Instruction>(&statement.value)) {
        if (instruction->opcode == Opcode::WgmmaMmaAsync)
          code.addProduct(*instruction);
        if (instruction->opcode == Opcode::Atom &&
            instruction->has(ptx::Word::Cas))
          code.addExchange(*instruction);
      }
    }
  }

  void declareParameter(const ptx::Variable &variable) {
    if (variable.space != ptx::StateSpace::Param)
      return;
    uint64_t bytes = variable.getBytes().value_or(0);
    code.addPassed(variable, code.allocate(std::max<uint64_t>(bytes, 1)));
  }

  mlir::Block *addBlock() {
    Region &body = code.target.getBody();
    body.push_back(new Block());
    return &body.back();
  }

  void jump(Block *to) { LLVM::BrOp::create(b, code.loc, to); }

  void jumpIf(Value condition, Block *then, Block *otherwise) {
    LLVM::CondBrOp::create(b, code.loc, condition, then, otherwise);
  }

  /// Ends the block; what follows belongs to one that nothing reaches, unless a
  /// label begins there.
  void leave(bool hasExited) {
    LLVM::ReturnOp::create(b, code.loc, code.constant(1, hasExited));
    b.setInsertionPointToEnd(addBlock());
  }

  mlir::Block *getLabel(ptx::LabelId label) { return labels[label]; }

  /// "saxpy.mlir:14:3".
  std::string describe(const ptx::SourceLocation &location) const {
    for (const auto &item : code.source.module.items)
      if (const auto *file = std::get_if<ptx::File>(&item);
          file && file->index == location.file)
        return file->name + ":" + std::to_string(location.line) + ":" +
               std::to_string(location.column);
    return "";
  }

  ThreadCode &code;
  mlir::OpBuilder &b;
  const llvm::DenseMap<ptx::SymbolId, mlir::LLVM::LLVMFuncOp> &hostFunctions;
  llvm::DenseMap<ptx::LabelId, mlir::Block *> labels;
  llvm::DenseSet<ptx::LabelId> placed;
  llvm::DenseMap<ptx::LabelId, const ptx::BranchTargets *> branchTargets;
  llvm::DenseMap<ptx::LabelId, const ptx::CallTargets *> callTargets;
  llvm::DenseMap<ptx::LabelId, const ptx::CallPrototype *> prototypes;
  std::string origin;
};

} // namespace

static constexpr StringLiteral kEntry = "carousel_sim_ptx_entry";

namespace {

class Translation {
public:
  Translation(const PTXSource &source, MLIRContext &context, SiteTable &sites)
      : source(source), context(context), sites(sites), layout(source, context),
        b(&context), loc(FileLineColLoc::get(&context, source.file, 1, 1)) {}

  FailureOr<KernelModule> run(StringRef name, const Signature &signature,
                              const std::optional<PTXParameters> &parameters);

private:
  const ptx::Function *findKernel(StringRef name);
  LogicalResult checkModule();
  LLVM::LLVMFuncOp declare(const ptx::Function &function, unsigned number);
  LogicalResult translate(const ptx::Function &function);
  LogicalResult makeEntry(const ptx::Function &kernel,
                          const Signature &signature,
                          const std::optional<PTXParameters> &parameters);

  const PTXSource &source;
  MLIRContext &context;
  SiteTable &sites;
  ModuleLayout layout;
  OpBuilder b;
  Location loc;
  OwningOpRef<ModuleOp> module;
  llvm::DenseMap<ptx::SymbolId, LLVM::LLVMFuncOp> hostFunctions;
};

/// A word of a launch that a parameter of the kernel takes.
struct Passed {
  unsigned word;
  uint64_t bytes;
  /// The word is the address of a tensor map.
  bool isMap = false;
};

/// The value of a parameter: one word, or the members of a struct in order.
struct Place {
  SmallVector<Passed, 1> members;
  SmallVector<uint64_t, 1> offsets;
  uint64_t bytes = 0, align = 1;

  void add(Passed member) {
    uint64_t offset = llvm::alignTo(bytes, member.bytes);
    align = std::max(align, member.bytes);
    offsets.push_back(offset);
    members.push_back(member);
    bytes = offset + member.bytes;
  }
  /// As C lays it out: nothing has a byte, and a struct fills its alignment.
  uint64_t getBytes() const {
    return members.empty() ? 1 : llvm::alignTo(bytes, align);
  }
};

} // namespace

const ptx::Function *Translation::findKernel(StringRef name) {
  std::string list;
  for (const ptx::Function *kernel : source.module.getKernels()) {
    if (kernel->name == name)
      return kernel;
    list += (list.empty() ? "'" : ", '") + kernel->name + "'";
  }
  emitError(loc) << "expected a kernel named '" << name << "', got "
                 << (list.empty() ? "none" : list);
  return nullptr;
}

LogicalResult Translation::checkModule() {
  if (source.module.addressSize.value_or(32) != 64)
    return emitError(loc) << "expected PTX with addresses of 64 bits, got "
                          << source.module.addressSize.value_or(32);
  return success();
}

/// Pointers to results and parameters, then the offset of the frame.
LLVM::LLVMFuncOp Translation::declare(const ptx::Function &function,
                                      unsigned number) {
  Type pointer = LLVM::LLVMPointerType::get(&context);
  SmallVector<Type> types(function.results.size() + function.parameters.size(),
                          pointer);
  types.push_back(b.getI64Type());
  OpBuilder atEnd = OpBuilder::atBlockEnd(module->getBody());
  auto made = LLVM::LLVMFuncOp::create(
      atEnd, loc, "ptx_function_" + std::to_string(number),
      LLVM::LLVMFunctionType::get(b.getI1Type(), types),
      LLVM::Linkage::Internal);
  made.addEntryBlock(atEnd);
  return made;
}

LogicalResult Translation::translate(const ptx::Function &function) {
  LLVM::LLVMFuncOp target = hostFunctions.lookup(function.symbol);
  ThreadCode code(source, layout, sites, function, target);
  code.setLocation(function.location, "");
  code.frame = target.getArguments().back();
  code.sharedBase =
      code.call("carousel_sim_static_shared", {code.i64(0)}, code.pointer());
  code.localBase =
      layout.memory.localBytes == 0
          ? Value(LLVM::ZeroOp::create(code.b, loc, code.pointer()))
          : code.call("carousel_sim_ptx_local", {}, code.pointer());
  unsigned number = 0;
  for (const std::vector<ptx::Variable> *list :
       {&function.results, &function.parameters})
    for (const ptx::Variable &variable : *list) {
      if (variable.space == ptx::StateSpace::Reg)
        return emitError(loc)
               << "the simulated machine doesn't know parameters in registers, "
                  "got '"
               << variable.name << "' of '" << function.name << "'";
      Value pointer = target.getArgument(number++);
      if (list == &function.results)
        code.addPassed(variable, pointer);
      else
        code.addParameter(variable, pointer);
    }
  return ControlFlow(code, hostFunctions).translateBody();
}

/// The words of each argument, in order.
static SmallVector<SmallVector<Passed, 1>>
getPassed(const Signature &signature) {
  SmallVector<SmallVector<Passed, 1>> all;
  unsigned word = 0;
  for (const Parameter &parameter : signature.parameters) {
    SmallVector<Passed, 1> &passed = all.emplace_back();
    uint64_t indexBytes = signature.indexBits / 8;
    auto memref = dyn_cast<MemRefType>(parameter.type);
    if (!memref) {
      bool isMap = bool(parameter.encode);
      uint64_t bytes = isMap ? sizeof(TensorMap)
                       : parameter.type.isIndex()
                           ? indexBytes
                           : getElementBytes(parameter.type).value_or(8);
      passed.push_back({word++, bytes, isMap});
      continue;
    }
    passed.push_back({word + 1, 8});
    unsigned rank = memref.getRank();
    SmallVector<int64_t> strides;
    int64_t offset;
    bool isStrided = !memref.getLayout().isIdentity() &&
                     succeeded(memref.getStridesAndOffset(strides, offset));
    for (unsigned dim = 0; dim < rank; ++dim)
      if (memref.isDynamicDim(dim))
        passed.push_back({word + 3 + dim, indexBytes});
    for (unsigned dim = 0; isStrided && dim < rank; ++dim)
      if (ShapedType::isDynamic(strides[dim]))
        passed.push_back({word + 3 + rank + dim, indexBytes});
    word += 3 + 2 * rank;
  }
  return all;
}

/// Without `parameters`, each word is a parameter of its own.
static SmallVector<Place>
getPlaces(const Signature &signature,
          const std::optional<PTXParameters> &parameters) {
  auto passed = getPassed(signature);
  SmallVector<Place> places;
  if (!parameters) {
    for (const auto &words : passed)
      for (const Passed &word : words)
        places.emplace_back().add(word);
    return places;
  }
  for (const auto &members : *parameters) {
    Place &place = places.emplace_back();
    for (unsigned argument : members)
      for (const Passed &word : passed[argument])
        place.add(word);
  }
  return places;
}

static unsigned countWords(const Signature &signature) {
  unsigned words = 0;
  for (const Parameter &parameter : signature.parameters) {
    auto memref = dyn_cast<MemRefType>(parameter.type);
    words += memref ? 3 + 2 * memref.getRank() : 1;
  }
  return words;
}

LogicalResult
Translation::makeEntry(const ptx::Function &kernel, const Signature &signature,
                       const std::optional<PTXParameters> &parameters) {
  SmallVector<Place> places = getPlaces(signature, parameters);
  auto at = FileLineColLoc::get(&context, source.file, kernel.location.line,
                                kernel.location.column);
  if (places.size() != kernel.parameters.size())
    return emitError(at) << "expected " << places.size() << " parameters of '"
                         << kernel.name << "' for its arguments, got "
                         << kernel.parameters.size();
  for (auto [place, parameter] : llvm::zip(places, kernel.parameters))
    if (parameter.getBytes() != place.getBytes())
      return emitError(at) << "expected " << place.getBytes()
                           << " bytes of parameter '" << parameter.name
                           << "', as its argument has, got "
                           << parameter.getBytes().value_or(0);
  Type word = b.getI64Type();
  OpBuilder body = OpBuilder::atBlockEnd(module->getBody());
  SmallVector<Type> types(countWords(signature), word);
  auto entry = LLVM::LLVMFuncOp::create(
      body, loc, kEntry,
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(&context), types));
  entry->setAttr("llvm.emit_c_interface", body.getUnitAttr());
  body.setInsertionPointToEnd(entry.addEntryBlock(body));
  Type pointer = LLVM::LLVMPointerType::get(&context);
  SmallVector<Value> operands;
  auto constant = [&](uint64_t value) {
    return LLVM::ConstantOp::create(body, loc,
                                    body.getI64IntegerAttr(int64_t(value)));
  };
  // A block of all parameters but maps. Padding holds zeros.
  constexpr uint64_t kAlign = 16, kWordBytes = sizeof(uint64_t);
  uint64_t words = 0;
  for (const Place &place : places)
    words += llvm::alignTo(place.getBytes(), kAlign) / kWordBytes;
  Value block =
      LLVM::AllocaOp::create(body, loc, pointer, word, constant(words), kAlign);
  auto getByte = [&](uint64_t offset) {
    return LLVM::GEPOp::create(body, loc, pointer, body.getI8Type(), block,
                               ArrayRef<LLVM::GEPArg>{int32_t(offset)});
  };
  Value zero = constant(0);
  uint64_t begin = 0;
  for (const Place &place : places) {
    if (place.members.size() == 1 && place.members.front().isMap) {
      operands.push_back(LLVM::IntToPtrOp::create(
          body, loc, pointer, entry.getArgument(place.members.front().word)));
      continue;
    }
    uint64_t end = begin + llvm::alignTo(place.getBytes(), kAlign);
    for (uint64_t at = begin; at < end; at += kWordBytes)
      LLVM::StoreOp::create(body, loc, zero, getByte(at));
    for (auto [member, offset] : llvm::zip(place.members, place.offsets)) {
      Value value = entry.getArgument(member.word);
      if (member.bytes < kWordBytes)
        value = LLVM::TruncOp::create(
            body, loc, body.getIntegerType(unsigned(member.bytes) * 8), value);
      LLVM::StoreOp::create(body, loc, value, getByte(begin + offset));
    }
    operands.push_back(getByte(begin));
    begin = end;
  }
  if (layout.memory.addressesParameters)
    MachineCall(body, loc, entry, /*site=*/0)
        .emit("carousel_sim_ptx_set_parameters", {block, constant(begin)});
  operands.push_back(constant(0));
  LLVM::CallOp::create(body, loc, hostFunctions.lookup(kernel.symbol),
                       operands);
  LLVM::ReturnOp::create(body, loc, ValueRange());
  return success();
}

FailureOr<KernelModule>
Translation::run(StringRef name, const Signature &signature,
                 const std::optional<PTXParameters> &parameters) {
  const ptx::Function *kernel = findKernel(name);
  if (!kernel || failed(checkModule()) || failed(layout.compute(*kernel)))
    return failure();
  module = ModuleOp::create(loc);
  b.setInsertionPointToEnd(module->getBody());
  for (auto [number, function] : llvm::enumerate(layout.getReached()))
    hostFunctions[function->symbol] = declare(*function, number);
  for (const ptx::Function *function : layout.getReached())
    if (failed(translate(*function)))
      return failure();
  if (failed(makeEntry(*kernel, signature, parameters)))
    return failure();
  KernelModule result;
  result.module = std::move(module);
  result.entry = kEntry.str();
  result.memory = std::move(layout.memory);
  return result;
}

FailureOr<KernelModule>
sim::translatePTX(const PTXSource &source, StringRef kernel,
                  const Signature &signature,
                  const std::optional<PTXParameters> &parameters,
                  MLIRContext &context, SiteTable &sites) {
  return Translation(source, context, sites).run(kernel, signature, parameters);
}
