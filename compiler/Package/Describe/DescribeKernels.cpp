//===- DescribeKernels.cpp - descriptions of kernels in a manifest --------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the kernels of a module at the machine phase into the structs of a
// manifest, and groups them by the kernel that they serve. The dialect has
// verified the attributes; this file checks the additional rules of packages.
//
//===----------------------------------------------------------------------===//

#include "DescribeArguments.h"

#include "carousel/Analysis/SharedMemory/SharedMemoryUse.h"
#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Package/DescribePackage.h"
#include "carousel/Support/Printable.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"

#include <map>

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Descriptions of kernels in a manifest
//===----------------------------------------------------------------------===//

GuardAttr VariantDescription::findExcludingGuard(unsigned sm) const {
  for (GuardAttr guard : guards)
    if (guard.getKind() == GuardKind::Capability &&
        (sm < guard.getLeast() || sm > guard.getMost()))
      return guard;
  return {};
}

static ExprAttr makeExpr(MLIRContext *context, ExprKind kind, int64_t value,
                         int64_t argument = 0) {
  return ExprAttr::get(context, kind, value, argument, ExprAttr(), ExprAttr());
}

static FailureOr<std::vector<ArgumentDescription>>
describeArguments(gpu::GPUFuncOp func) {
  std::vector<ArgumentDescription> arguments;
  for (const KernelArgument &source : getKernelArguments(func)) {
    FailureOr<ArgumentDescription> argument = describeArgument(func, source);
    if (failed(argument))
      return failure();
    arguments.push_back(std::move(*argument));
  }
  return arguments;
}

//===----------------------------------------------------------------------===//
// Variants
//===----------------------------------------------------------------------===//

/// With all expressions: those that carousel.encode leaves out are those of the
/// argument itself, which the dialect has found fit (C120).
static FailureOr<TensorMapDescription> describeTensorMap(gpu::GPUFuncOp func,
                                                         unsigned position) {
  auto encode =
      func.getArgAttrOfType<EncodeAttr>(position, CarouselDialect::kEncode);
  if (!encode)
    return func.emitError("expected carousel.encode on kernel argument ")
           << position << ", a tensor map, to put the kernel into a package";
  MLIRContext *context = func.getContext();
  TensorMapDescription map;
  map.argument = encode.getArgument();
  map.type = cast<TensorMapType>(func.getFunctionType().getInput(position));
  map.extents = encode.getExtents().vec();
  map.strides = encode.getStrides().vec();
  map.offset = encode.getOffset();
  if (!map.offset)
    map.offset = makeExpr(context, ExprKind::Constant, 0);

  int64_t rank = map.type.getRank();
  for (int64_t dim = map.extents.size(); dim < rank; ++dim)
    map.extents.push_back(
        makeExpr(context, ExprKind::Extent, dim, map.argument));
  KernelArgument source = getKernelArguments(func)[map.argument];
  auto memref = cast<MemRefType>(source.type);
  // Others have no width.
  if (failed(verifyElement(func, source.name, memref)))
    return failure();
  for (int64_t dim = map.strides.size(); dim + 1 < rank; ++dim) {
    // An i1 takes a byte.
    int64_t bytes = llvm::divideCeil(memref.getElementTypeBitWidth(), 8);
    map.strides.push_back(
        ExprAttr::get(context, ExprKind::Mul, /*value=*/0, /*argument=*/0,
                      makeExpr(context, ExprKind::Stride, dim, map.argument),
                      makeExpr(context, ExprKind::Constant, bytes)));
  }
  return map;
}

/// The parameters of the ABI, and the tensor maps among them.
static LogicalResult describeParameters(gpu::GPUFuncOp func,
                                        VariantDescription &variant) {
  FailureOr<SmallVector<KernelParameter>> parameters =
      getKernelParameters(func);
  if (failed(parameters))
    return failure();
  llvm::DenseMap<unsigned, unsigned> numbers;
  for (auto [number, position] : llvm::enumerate(getArgumentPositions(func)))
    numbers[position] = number;
  for (const KernelParameter &parameter : *parameters) {
    ParameterDescription description = {
        parameter.kind, numbers.lookup(parameter.position), parameter.dim};
    if (parameter.kind == KernelParameter::Kind::TensorMap) {
      FailureOr<TensorMapDescription> map =
          describeTensorMap(func, parameter.position);
      if (failed(map))
        return failure();
      description.number = variant.tensorMaps.size();
      variant.tensorMaps.push_back(std::move(*map));
    }
    variant.parameters.push_back(description);
  }
  return success();
}

static std::array<int64_t, 3> padWithOne(ArrayRef<int64_t> sizes) {
  std::array<int64_t, 3> padded = {1, 1, 1};
  llvm::copy(sizes, padded.begin());
  return padded;
}

static FailureOr<VariantDescription> describeVariant(gpu::GPUFuncOp func,
                                                     unsigned indexBits) {
  auto launch = func->getAttrOfType<LaunchAttr>(CarouselDialect::kLaunch);
  if (!launch)
    return func.emitError("expected carousel.launch on a kernel to put it into "
                          "a package");
  VariantDescription variant;
  variant.function = func;
  variant.functionName = func.getName().str();
  variant.moduleName = func->getParentOfType<gpu::GPUModuleOp>().getName();
  if (auto attr = func->getAttrOfType<VariantAttr>(CarouselDialect::kVariant)) {
    variant.guards = attr.getGuards().vec();
    variant.cost = attr.getCost();
  }
  variant.indexBits = indexBits;
  if (failed(describeParameters(func, variant)))
    return failure();
  variant.grid.fill(makeExpr(func.getContext(), ExprKind::Constant, 1));
  llvm::copy(launch.getGrid(), variant.grid.begin());
  variant.block = padWithOne(launch.getBlock());
  variant.cluster = padWithOne(launch.getCluster());
  variant.dynamicShared = launch.getShared();
  variant.isCooperative = func->hasAttr(CarouselDialect::kCoresident);
  SymbolTableCollection tables;
  SharedMemoryUse use = computeSharedMemoryUse(func, tables);
  variant.staticShared =
      use.hasDynamic ? padStaticShared(use.staticBytes) : use.staticBytes;
  if (recordsDecisions(func))
    variant.decisions = getDecisions(func);
  return variant;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// Names of modules become names of files.
static LogicalResult verifyModuleName(gpu::GPUModuleOp module) {
  constexpr size_t kMaxLength = 200;
  auto isSafe = [](char c) {
    return llvm::isAlnum(c) || llvm::is_contained({'_', '-', '.', '$'}, c);
  };
  StringRef name = module.getName();
  if (!name.empty() && name.size() <= kMaxLength && name[0] != '.' &&
      name[0] != '-' && llvm::all_of(name, isSafe))
    return success();
  return emitError(module.getLoc())
         << "expected a gpu.module's name of at most " << kMaxLength
         << " letters, digits, _, $, - and . that begins with neither - nor ., "
            "to name files by it, got '"
         << name << "'";
}

static LogicalResult verifyNames(gpu::GPUFuncOp func) {
  return success(
      succeeded(verifyName(func, func.getName(), "a function's name")) &&
      succeeded(verifyName(func, getKernelName(func), "a kernel's name")));
}

/// The kernels of all gpu.modules, which stand at the top.
static FailureOr<SmallVector<gpu::GPUFuncOp>> findKernels(ModuleOp module) {
  SmallVector<gpu::GPUFuncOp> kernels;
  WalkResult result = module.walk([&](gpu::GPUModuleOp gpuModule) {
    // The lowering wouldn't reach it.
    if (gpuModule->getParentOp() != module) {
      emitError(gpuModule.getLoc())
          << "expected gpu.modules at the top of the module only";
      return WalkResult::interrupt();
    }
    size_t before = kernels.size();
    for (auto func : gpuModule.getOps<gpu::GPUFuncOp>()) {
      if (!func.isKernel())
        continue;
      if (failed(verifyNames(func)))
        return WalkResult::interrupt();
      kernels.push_back(func);
    }
    if (kernels.size() > before && failed(verifyModuleName(gpuModule)))
      return WalkResult::interrupt();
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  return kernels;
}

/// A function without carousel.variant must be the only one of its kernel, so
/// that equal names don't become variants by accident.
static LogicalResult verifyStandsAlone(gpu::GPUFuncOp first,
                                       gpu::GPUFuncOp second) {
  for (auto [func, other] :
       {std::pair(first, second), std::pair(second, first)}) {
    if (func->hasAttr(CarouselDialect::kVariant))
      continue;
    InFlightDiagnostic error = func.emitError("expected carousel.variant, "
                                              "since another function serves "
                                              "kernel '");
    error << getKernelName(func) << "' too";
    error.attachNote(other.getLoc()) << "the other function";
    return error;
  }
  return success();
}

/// A variant after one without guards is never chosen, unless both have costs.
static void warnIfShadowed(KernelDescription &kernel, gpu::GPUFuncOp func) {
  auto open = llvm::find_if(kernel.variants, [](const auto &variant) {
    return variant.guards.empty() && !variant.cost;
  });
  if (open == kernel.variants.end())
    return;
  InFlightDiagnostic warning = func.emitWarning("a variant of kernel '");
  warning << kernel.name << "' that is never chosen";
  warning.attachNote(open->function.getLoc())
      << "this one comes before it and has no guards";
}

FailureOr<std::vector<KernelDescription>>
carousel::describeKernels(ModuleOp module, unsigned indexBits) {
  if (indexBits != 32 && indexBits != 64)
    return emitError(module.getLoc())
           << "expected an index of 32 or 64 bits, got " << indexBits;
  FailureOr<SmallVector<gpu::GPUFuncOp>> funcs = findKernels(module);
  if (failed(funcs) || failed(verifyVariants(*funcs)))
    return failure();
  llvm::MapVector<StringRef, KernelDescription> kernels;
  for (gpu::GPUFuncOp func : *funcs) {
    FailureOr<VariantDescription> variant = describeVariant(func, indexBits);
    if (failed(variant))
      return failure();
    KernelDescription &kernel = kernels[getKernelName(func)];
    if (kernel.variants.empty()) {
      FailureOr<std::vector<ArgumentDescription>> arguments =
          describeArguments(func);
      if (failed(arguments))
        return failure();
      kernel.name = getKernelName(func).str();
      kernel.arguments = std::move(*arguments);
    } else if (failed(
                   verifyStandsAlone(kernel.variants.front().function, func))) {
      return failure();
    }
    warnIfShadowed(kernel, func);
    kernel.variants.push_back(std::move(*variant));
  }
  std::vector<KernelDescription> list;
  for (auto &entry : kernels)
    list.push_back(std::move(entry.second));
  return list;
}

//===----------------------------------------------------------------------===//
// Arguments in a manifest
//===----------------------------------------------------------------------===//

/// docs/Package.md, Element.
static bool isElement(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return integer.isSignless() &&
           llvm::is_contained({1u, 8u, 16u, 32u, 64u}, integer.getWidth());
  return isa<Float16Type, BFloat16Type, Float32Type, Float64Type,
             Float8E4M3FNType, Float8E5M2Type, Float8E8M0FNUType>(type);
}

static std::string toText(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

LogicalResult carousel::verifyElement(Operation *op, StringRef argument,
                                      MemRefType type) {
  if (isElement(type.getElementType()))
    return success();
  return op->emitError("expected elements of argument '")
         << argument << "' that a package can describe, got "
         << type.getElementType();
}

static LogicalResult describeTensor(Operation *op, MemRefType type,
                                    ArgumentDescription &argument) {
  if (type.getMemorySpace() && !isGlobalMemRef(type))
    return op->emitError("expected argument '")
           << argument.name << "' to be in global memory, got " << type;
  if (failed(verifyElement(op, argument.name, type)))
    return failure();
  if (type.getRank() > kMaxArgumentRank)
    return op->emitError("expected a rank of at most ")
           << kMaxArgumentRank << " of argument '" << argument.name << "', got "
           << type.getRank();
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return op->emitError("expected a strided layout of argument '")
           << argument.name << "', got " << type;
  argument.kind = ArgumentDescription::Kind::Tensor;
  argument.element = toText(type.getElementType());
  argument.extents = type.getShape().vec();
  if (!type.getLayout().isIdentity())
    argument.strides = std::vector<int64_t>(strides.begin(), strides.end());
  return success();
}

/// Its extents in full; its strides follow from them (C187).
static void describeWorkspace(WorkspaceAttr workspace, MemRefType type,
                              ArgumentDescription &argument) {
  argument.kind = ArgumentDescription::Kind::Workspace;
  argument.extents.clear();
  argument.strides.reset();
  ArrayRef<ExprAttr> given = workspace.getExtents();
  for (int64_t extent : type.getShape()) {
    if (!ShapedType::isDynamic(extent)) {
      argument.workspaceExtents.push_back(
          ExprAttr::get(type.getContext(), ExprKind::Constant, extent,
                        /*argument=*/0, ExprAttr(), ExprAttr()));
      continue;
    }
    argument.workspaceExtents.push_back(given.front());
    given = given.drop_front();
  }
}

FailureOr<ArgumentDescription>
carousel::describeArgument(Operation *op, const KernelArgument &source) {
  if (failed(verifyName(op, source.name, "an argument's name")))
    return failure();
  ArgumentDescription argument;
  argument.name = source.name;
  argument.access = source.access;
  argument.mayAlias = source.mayAlias;
  argument.sharing = source.sharing;
  if (auto memref = dyn_cast<MemRefType>(source.type)) {
    if (failed(describeTensor(op, memref, argument)))
      return failure();
    if (source.workspace)
      describeWorkspace(source.workspace, memref, argument);
    return argument;
  }
  if (!isa<IndexType>(source.type) && !isElement(source.type))
    return op->emitError("expected argument '")
           << argument.name
           << "' to be a memref, an index or a number that a package can "
              "describe, got "
           << source.type;
  argument.element = toText(source.type);
  return argument;
}

//===----------------------------------------------------------------------===//
// Undefined functions of a module
//
// The PTX gives the functions that are called and not defined; the IR gives
// their types. Functions of the CUDA driver, such as vprintf, have no func.func
// and count as defined.
//===----------------------------------------------------------------------===//

/// The names in declarations: ".extern .func  (.param .b32 result) name", and
/// the parameters on lines of their own.
static llvm::StringSet<> findDeclared(StringRef ptx) {
  llvm::StringSet<> names;
  while (!ptx.empty()) {
    auto [line, rest] = ptx.split('\n');
    ptx = rest;
    if (!line.consume_front(".extern .func"))
      continue;
    if (line.ltrim().starts_with("("))
      line = line.split(')').second;
    names.insert(line.split('(').first.trim());
  }
  return names;
}

static std::string getTypeName(Type type, unsigned indexBits) {
  if (type.isIndex())
    return "i" + std::to_string(indexBits);
  if (isa<LLVM::LLVMPointerType>(type))
    return "ptr";
  bool hasWord = type.isSignlessInteger(1) || type.isSignlessInteger(8) ||
                 type.isSignlessInteger(16) || type.isSignlessInteger(32) ||
                 type.isSignlessInteger(64) || type.isF16() || type.isBF16() ||
                 type.isF32() || type.isF64();
  if (!hasWord)
    return "other";
  std::string name;
  llvm::raw_string_ostream(name) << type;
  return name;
}

static bool isIdentifier(StringRef name) {
  auto isLetter = [](char c) { return llvm::isAlpha(c) || c == '_'; };
  return !name.empty() && isLetter(name.front()) &&
         llvm::all_of(name,
                      [&](char c) { return isLetter(c) || llvm::isDigit(c); });
}

FailureOr<std::vector<ExternDescription>>
carousel::describeExterns(gpu::GPUModuleOp module, StringRef ptx,
                          unsigned indexBits) {
  llvm::StringSet<> declared = findDeclared(ptx);
  std::vector<ExternDescription> externs;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!function.isExternal())
      continue;
    // PTX spells another name in its own way; it can't be found there.
    bool isUsed = !SymbolTable::symbolKnownUseEmpty(function, module);
    if (isUsed && !isIdentifier(function.getName()))
      return function.emitError("expected an identifier as the name of a "
                                "function without a body, got '")
             << function.getName() << "'";
    if (!declared.contains(function.getName()))
      continue;
    ExternDescription &description = externs.emplace_back();
    description.name = function.getName().str();
    FunctionType type = function.getFunctionType();
    if (type.getNumResults() == 1)
      description.result = getTypeName(type.getResult(0), indexBits);
    else if (type.getNumResults() > 1)
      description.result = "other";
    for (Type input : type.getInputs())
      description.parameters.push_back(getTypeName(input, indexBits));
  }
  return externs;
}

//===----------------------------------------------------------------------===//
// Occupancy of a variant
//
// The occupancy of a variant, and the JSON of the member "decisions".
//===----------------------------------------------------------------------===//

namespace json = llvm::json;

OccupancyDescription
carousel::describeOccupancy(const VariantDescription &variant,
                            const TargetInfo &chip,
                            std::optional<int64_t> registers) {
  OccupancyDescription description;
  description.chip = chip.chip.str();
  const auto &block = variant.block;
  int64_t threads = block[0] * block[1] * block[2];
  int64_t shared = variant.staticShared + variant.dynamicShared;
  description.threads = threads;
  description.sharedBytes = shared;
  description.registers = registers;
  // A CTA of one thread, one register and no shared memory is limited by
  // nothing but the number of blocks.
  OccupancyLimit limit;
  description.byShared = computeCTAsPerSM(chip, 1, 1, shared, limit);
  description.byThreads = computeCTAsPerSM(chip, threads, 1, 0, limit);
  if (registers)
    description.byRegisters =
        computeCTAsPerSM(chip, threads, *registers, 0, limit);
  description.ctasPerSM = computeCTAsPerSM(chip, threads, registers.value_or(1),
                                           shared, description.limit);
  int64_t bytes = variant.decisions ? variant.decisions->getBytesInFlight() : 0;
  description.bytesInFlight = description.ctasPerSM * bytes;
  return description;
}

static json::Value toJSON(std::optional<int64_t> number) {
  return number ? json::Value(*number) : json::Value(nullptr);
}

static json::Value toJSON(const OccupancyDescription &description) {
  return json::Object{{"chip", description.chip},
                      {"threads", description.threads},
                      {"shared", description.sharedBytes},
                      {"registers", toJSON(description.registers)},
                      {"ctas_per_sm", description.ctasPerSM},
                      {"limit", stringifyOccupancyLimit(description.limit)},
                      {"by_shared", description.byShared},
                      {"by_threads", description.byThreads},
                      {"by_registers", toJSON(description.byRegisters)},
                      {"bytes_in_flight", description.bytesInFlight}};
}

json::Value carousel::toJSON(const VariantDescription &variant) {
  json::Value record = toJSON(*variant.decisions);
  json::Array occupancies;
  for (const OccupancyDescription &occupancy : variant.occupancies)
    occupancies.push_back(::toJSON(occupancy));
  if (!occupancies.empty())
    (*record.getAsObject())["occupancies"] = std::move(occupancies);
  return record;
}

//===----------------------------------------------------------------------===//
// The waits of a module
//
// Describes the waits for the runtime's messages. A kernel whose wait exceeds
// its bound records only the number of the wait.
//===----------------------------------------------------------------------===//

std::vector<WaitDescription> carousel::describeWaits(gpu::GPUModuleOp module) {
  std::map<uint32_t, WaitDescription> waits;
  module.walk([&](LabelledWaitOpInterface wait) {
    WaitLabelAttr label = wait.getLabelAttr();
    if (!label || !label.getNumber())
      return;
    WaitDescription description;
    description.number = *label.getNumber();
    if (auto function = wait->getParentOfType<FunctionOpInterface>())
      description.function = function.getName().str();
    description.barrier = makeLine(label.getBarrier());
    description.role = label.getRole();
    description.phase = wait.getPhase();
    if (auto place = wait.getLoc()->findInstanceOf<FileLineColLoc>())
      description.location = formatLine(place);
    waits.emplace(description.number, std::move(description));
  });
  std::vector<WaitDescription> sorted;
  for (auto &[number, description] : waits)
    sorted.push_back(std::move(description));
  return sorted;
}

//===----------------------------------------------------------------------===//
// Names and lines in a manifest
//===----------------------------------------------------------------------===//

LogicalResult carousel::verifyName(Operation *op, StringRef name,
                                   StringRef what) {
  if (name.size() > kMaxNameBytes)
    return op->emitError("expected ") << what << " of at most " << kMaxNameBytes
                                      << " bytes, got " << name.size();
  if (name.empty() || !isPrintable(std::string_view(name)))
    return op->emitError("expected ")
           << what << " of printable characters in UTF-8, got '"
           << escapeControls(name) << "'";
  return success();
}

std::string carousel::makeLine(StringRef text) {
  return std::string(getStart(escapeControls(text), kMaxNameBytes));
}

std::string carousel::formatLine(FileLineColLoc place) {
  return makeLine((llvm::sys::path::filename(place.getFilename()) + ":" +
                   Twine(place.getLine()))
                      .str());
}
