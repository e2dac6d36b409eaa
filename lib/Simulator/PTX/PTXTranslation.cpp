//===- PTXTranslation.cpp - from PTX to host code -------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See PTXTranslation.h. The entry takes the words of a launch, puts them into
// the kernel's parameters as docs/KernelABI.md says, and calls the kernel.
//
//===----------------------------------------------------------------------===//

#include "PTXTranslation.h"

#include "../Compile/Machine/MachineLowering.h"
#include "../Launch/LaunchArguments.h"
#include "ControlFlow.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace carousel::sim;
namespace sim = carousel::sim;
namespace ptx = carousel::ptx;

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

/// What a parameter takes: one word, or the members of a struct in order.
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
