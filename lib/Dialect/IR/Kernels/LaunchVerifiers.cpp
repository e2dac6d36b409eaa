//===- LaunchVerifiers.cpp - launches compared with their kernels ---------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks the places of the dialect's attributes, and that they match the
// signature of the kernel: C116 to C120, C186 and C187 of docs/Spec.md. The
// hooks run before the kernel's own verifier, so they make no assumptions about
// its attributes.
//
//===----------------------------------------------------------------------===//

#include "../Ops/OpRules.h"

#include "carousel/Dialect/IR/KernelDecisions.h"
#include "carousel/Dialect/IR/KernelSignature.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Places of attributes
//===----------------------------------------------------------------------===//

/// The op as a kernel, or null.
static gpu::GPUFuncOp getKernel(Operation *op) {
  auto func = dyn_cast<gpu::GPUFuncOp>(op);
  return func && func.isKernel() ? func : nullptr;
}

/// False if the kernel's own verifier will report an error.
static bool hasSignature(gpu::GPUFuncOp kernel) {
  TypeAttr type = kernel.getFunctionTypeAttr();
  if (!type || !isa<FunctionType>(type.getValue()))
    return false;
  ArrayAttr attrs = kernel.getArgAttrsAttr();
  if (!attrs)
    return true;
  return attrs.size() == cast<FunctionType>(type.getValue()).getNumInputs() &&
         llvm::all_of(attrs, llvm::IsaPred<DictionaryAttr>);
}

/// C116
static LogicalResult refuse(Operation *op, NamedAttribute attr,
                            StringRef place) {
  StringRef name = attr.getName();
  StringRef wanted;
  if (name == CarouselDialect::kLaunch || name == CarouselDialect::kVariant ||
      name == CarouselDialect::kCoresident ||
      name == CarouselDialect::kStartsInOrder || name == kDecisionsAttr)
    wanted = "a gpu.func that is a kernel";
  else if (name == CarouselDialect::kWorkspace)
    wanted = "a memref argument of a kernel";
  else if (name == CarouselDialect::kArgument)
    wanted = "an argument of a kernel that isn't a tensor map";
  else if (name == CarouselDialect::kEncode)
    wanted = "a tensor map argument of a kernel";
  else
    return op->emitError("expected an attribute that the dialect has, got '")
           << name << "'";
  return op->emitError("expected ")
         << name << " on " << wanted << ", got it on " << place;
}

/// C116: the attribute's value, or null after an error.
template <typename Attr>
static Attr getValue(Operation *op, NamedAttribute attr) {
  auto value = dyn_cast<Attr>(attr.getValue());
  if (!value)
    op->emitError("expected #carousel.")
        << Attr::getMnemonic() << "<...> as " << attr.getName().strref()
        << ", got " << attr.getValue();
  return value;
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

namespace {

/// C117: the arguments and dimensions in expressions and guards exist in the
/// kernel, and have the right type. `where` names the attribute.
class ExprVerifier {
public:
  ExprVerifier(gpu::GPUFuncOp kernel, const Twine &where)
      : kernel(kernel), where(where.str()),
        positions(getArgumentPositions(kernel)) {}

  LogicalResult verify(ExprAttr expr) {
    if (expr.getLhs())
      return success(succeeded(verify(expr.getLhs())) &&
                     succeeded(verify(expr.getRhs())));
    StringRef user = stringifyExprKind(expr.getKind());
    int64_t argument = expr.getArgument();
    if (expr.getKind() == ExprKind::Scalar) {
      FailureOr<Type> type = getType(user, argument);
      if (failed(type))
        return failure();
      if (type->isIndex() || isa<IntegerType>(*type))
        return success();
      return emitWrongType(user, "an index or integer", argument, *type);
    }
    if (expr.getKind() != ExprKind::Extent &&
        expr.getKind() != ExprKind::Stride)
      return success();
    FailureOr<MemRefType> type = getMemRef(user, argument);
    if (failed(type))
      return failure();
    if (expr.getValue() < type->getRank())
      return success();
    return kernel.emitError("expected ")
           << user << " in " << where << " to name one of the "
           << type->getRank() << " dimensions of argument " << argument
           << ", got " << expr.getValue();
  }

  LogicalResult verify(GuardAttr guard) {
    if (guard.getKind() == GuardKind::Aligned)
      return getMemRef(stringifyGuardKind(guard.getKind()),
                       guard.getArgument());
    for (ExprAttr expr : {guard.getValue(), guard.getOther()})
      if (expr && failed(verify(expr)))
        return failure();
    return success();
  }

  FailureOr<MemRefType> getMemRef(StringRef user, int64_t argument) {
    FailureOr<Type> type = getType(user, argument);
    if (failed(type))
      return failure();
    if (auto memref = dyn_cast<MemRefType>(*type))
      return memref;
    return emitWrongType(user, "a memref", argument, *type);
  }

private:
  FailureOr<Type> getType(StringRef user, int64_t argument) {
    if (argument < static_cast<int64_t>(positions.size()))
      return kernel.getFunctionType().getInput(positions[argument]);
    return kernel.emitError("expected ")
           << user << " in " << where << " to name one of the kernel's "
           << positions.size() << " arguments, got " << argument;
  }

  InFlightDiagnostic emitWrongType(StringRef user, StringRef what,
                                   int64_t argument, Type type) {
    return kernel.emitError("expected ")
           << user << " in " << where << " to name " << what
           << " argument, got argument " << argument << " of type " << type;
  }

  gpu::GPUFuncOp kernel;
  std::string where;
  SmallVector<unsigned> positions;
};

} // namespace

//===----------------------------------------------------------------------===//
// Attributes of kernels
//===----------------------------------------------------------------------===//

/// The extent of a dimension; 1 if it is absent.
template <typename Integer>
static int64_t getExtent(ArrayRef<Integer> extents, size_t dim) {
  return dim < extents.size() ? extents[dim] : 1;
}

/// C118: a launch doesn't contradict the sizes for which the kernel is
/// compiled.
static LogicalResult verifyKnownSizes(gpu::GPUFuncOp kernel,
                                      LaunchAttr launch) {
  auto verify = [&](ArrayRef<int64_t> extents, DenseI32ArrayAttr known,
                    StringRef what) -> LogicalResult {
    for (size_t dim = 0; known && dim < 3; ++dim)
      if (getExtent(extents, dim) != getExtent(known.asArrayRef(), dim))
        return kernel.emitError("expected ")
               << what << " dimension " << dim << " of carousel.launch to be "
               << getExtent(known.asArrayRef(), dim) << " as in known_" << what
               << "_size, got " << getExtent(extents, dim);
    return success();
  };
  // A grid that isn't constant can't contradict.
  SmallVector<int64_t> grid;
  DenseI32ArrayAttr knownGrid = kernel.getKnownGridSizeAttr();
  for (auto [dim, expr] : llvm::enumerate(launch.getGrid()))
    grid.push_back(expr.getKind() == ExprKind::Constant || !knownGrid
                       ? expr.getValue()
                       : getExtent(knownGrid.asArrayRef(), dim));
  if (failed(
          verify(launch.getBlock(), kernel.getKnownBlockSizeAttr(), "block")) ||
      failed(verify(launch.getCluster(), kernel.getKnownClusterSizeAttr(),
                    "cluster")))
    return failure();
  return verify(grid, knownGrid, "grid");
}

static LogicalResult verifyLaunch(gpu::GPUFuncOp kernel, LaunchAttr launch) {
  ExprVerifier verifier(kernel, CarouselDialect::kLaunch);
  for (ExprAttr extent : launch.getGrid())
    if (failed(verifier.verify(extent)))
      return failure();
  return verifyKnownSizes(kernel, launch);
}

static LogicalResult verifyVariant(gpu::GPUFuncOp kernel, VariantAttr variant) {
  ExprVerifier verifier(kernel, CarouselDialect::kVariant);
  for (GuardAttr guard : variant.getGuards())
    if (failed(verifier.verify(guard)))
      return failure();
  return success();
}

/// C116: the attribute that --carousel-expand-kernel-abi leaves for later
/// passes.
static LogicalResult verifyTensorMapParameters(Operation *op,
                                               NamedAttribute attr) {
  SmallVector<Type> inputs;
  if (auto type = op->getAttrOfType<TypeAttr>("function_type")) {
    if (auto function = dyn_cast<FunctionType>(type.getValue()))
      llvm::append_range(inputs, function.getInputs());
    else if (auto function = dyn_cast<LLVM::LLVMFunctionType>(type.getValue()))
      llvm::append_range(inputs, function.getParams());
  }
  auto positions = dyn_cast<DenseI32ArrayAttr>(attr.getValue());
  auto isPointer = [&](int32_t position) {
    return position >= 0 && static_cast<size_t>(position) < inputs.size() &&
           isa<LLVM::LLVMPointerType>(inputs[position]);
  };
  if (positions && llvm::all_of(positions.asArrayRef(), isPointer))
    return success();
  return op->emitError("expected ")
         << attr.getName().strref()
         << " to give positions of a function's pointers, got "
         << attr.getValue();
}

/// C116
static LogicalResult verifyDecisions(gpu::GPUFuncOp kernel,
                                     NamedAttribute attr) {
  std::string error;
  if (succeeded(parseDecisions(attr.getValue(), error)))
    return success();
  return kernel.emitError("expected ") << kDecisionsAttr << " with " << error;
}

LogicalResult CarouselDialect::verifyOperationAttribute(Operation *op,
                                                        NamedAttribute attr) {
  if (attr.getName() == kTensorMapParameters)
    return verifyTensorMapParameters(op, attr);
  if (attr.getName() == kPipeline)
    return verifyPipeline(op, attr);
  gpu::GPUFuncOp kernel = getKernel(op);
  if (kernel && attr.getName() == kDecisionsAttr)
    return verifyDecisions(kernel, attr);
  bool isLaunch = attr.getName() == kLaunch;
  bool isUnit =
      attr.getName() == kCoresident || attr.getName() == kStartsInOrder;
  if (!kernel || (!isLaunch && !isUnit && attr.getName() != kVariant)) {
    bool isFunction = isa<gpu::GPUFuncOp>(op) && !kernel;
    return refuse(op, attr,
                  isFunction ? StringRef("a device function")
                             : op->getName().getStringRef());
  }
  if (isUnit) {
    if (isa<UnitAttr>(attr.getValue()))
      return success();
    return op->emitError("expected ")
           << attr.getName().strref() << " without a value, got "
           << attr.getValue();
  }
  if (isLaunch) {
    auto launch = getValue<LaunchAttr>(op, attr);
    return success(launch && (!hasSignature(kernel) ||
                              succeeded(verifyLaunch(kernel, launch))));
  }
  auto variant = getValue<VariantAttr>(op, attr);
  return success(variant && (!hasSignature(kernel) ||
                             succeeded(verifyVariant(kernel, variant))));
}

//===----------------------------------------------------------------------===//
// Attributes of arguments
//===----------------------------------------------------------------------===//

/// C119: argument names are unique. Checked for all arguments, at the first one
/// with an explicit name.
static LogicalResult verifyNames(gpu::GPUFuncOp kernel, unsigned position) {
  for (unsigned i = 0; i < position; ++i)
    if (kernel.getArgAttr(i, CarouselDialect::kArgument))
      return success();
  llvm::StringSet<> names;
  for (const KernelArgument &argument : getKernelArguments(kernel))
    if (!names.insert(argument.name).second)
      return kernel.emitError("expected the kernel's arguments to have "
                              "different names, got '")
             << argument.name << "' twice";
  return success();
}

/// C204
static LogicalResult verifyAlias(gpu::GPUFuncOp kernel, unsigned position,
                                 int64_t number) {
  SmallVector<unsigned> positions = getArgumentPositions(kernel);
  int64_t own = llvm::find(positions, position) - positions.begin();
  if (number < 0 || number >= own)
    return kernel.emitError("expected may_alias of kernel argument ")
           << position << " to name an earlier argument, got " << number
           << " for argument " << own;
  unsigned other = positions[number];
  ArrayRef<Type> types = kernel.getFunctionType().getInputs();
  if (!isa<MemRefType>(types[position]) || types[position] != types[other])
    return kernel.emitError("expected arguments that may alias to be memrefs "
                            "of one type, got ")
           << types[other] << " and " << types[position];
  for (unsigned passed : {other, position})
    if (kernel.getArgAttr(passed, CarouselDialect::kWorkspace))
      return kernel.emitError("expected arguments that may alias to be passed "
                              "by callers, got kernel argument ")
             << passed << ", a workspace";
  auto named =
      kernel.getArgAttrOfType<ArgumentAttr>(other, CarouselDialect::kArgument);
  if (named && named.getMayAlias())
    return kernel.emitError("expected may_alias of kernel argument ")
           << position << " to name an argument without may_alias, got "
           << number << ", which may alias " << *named.getMayAlias();
  return success();
}

/// C119
static LogicalResult verifyArgument(gpu::GPUFuncOp kernel, unsigned position,
                                    ArgumentAttr argument) {
  Type type = kernel.getFunctionType().getInput(position);
  if (!isa<BaseMemRefType>(type) && argument.getAccess() == ArgumentAccess::Out)
    return kernel.emitError("expected a memref for an argument that is "
                            "written, got out for kernel argument ")
           << position << " of type " << type;
  if (argument.getMayAlias() &&
      failed(verifyAlias(kernel, position, *argument.getMayAlias())))
    return failure();
  return verifyNames(kernel, position);
}

/// C120: the map can have the memref's own extents and strides.
static LogicalResult verifyOwnLayout(gpu::GPUFuncOp kernel, StringRef where,
                                     TensorMapType map, EncodeAttr encode,
                                     MemRefType memref) {
  if (memref.getRank() != map.getRank())
    return kernel.emitError("expected ")
           << where << " to give extents and strides, or a memref of rank "
           << map.getRank() << ", got " << memref;
  // No memref has packed elements.
  unsigned bits = getElementBits(memref.getElementType());
  bool packed = map.getElement() == TensorElement::B4x16 ||
                map.getElement() == TensorElement::B4x16P64 ||
                map.getElement() == TensorElement::B6x16P32;
  if (encode.getExtents().empty() && (packed || bits != map.getElementBits()))
    return kernel.emitError("expected ")
           << where << " to give extents, or a memref with elements of "
           << stringifyTensorElement(map.getElement()) << "'s width, got "
           << memref;
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(memref.getStridesAndOffset(strides, offset)) ||
      strides.back() != 1)
    return kernel.emitError("expected ")
           << where
           << " to give extents and strides, or a memref with a contiguous "
              "innermost dimension, got "
           << memref;
  return success();
}

/// C120
static LogicalResult verifyEncode(gpu::GPUFuncOp kernel, unsigned position,
                                  EncodeAttr encode) {
  auto map = cast<TensorMapType>(kernel.getFunctionType().getInput(position));
  std::string where =
      "carousel.encode of kernel argument " + std::to_string(position);
  ExprVerifier verifier(kernel, where);
  FailureOr<MemRefType> memref =
      verifier.getMemRef("argument", encode.getArgument());
  if (failed(memref))
    return failure();
  for (ArrayRef<ExprAttr> list : {encode.getExtents(), encode.getStrides()})
    for (ExprAttr expr : list)
      if (failed(verifier.verify(expr)))
        return failure();
  if (encode.getOffset() && failed(verifier.verify(encode.getOffset())))
    return failure();

  int64_t rank = map.getRank();
  int64_t extents = encode.getExtents().size();
  int64_t strides = encode.getStrides().size();
  if (extents != 0 && extents != rank)
    return kernel.emitError("expected ")
           << rank << " extents in " << where << ", got " << extents;
  if (strides != 0 && strides != rank - 1)
    return kernel.emitError("expected ")
           << rank - 1 << " strides in " << where << ", got " << strides;
  if (extents == rank && strides == rank - 1)
    return success();
  return verifyOwnLayout(kernel, where, map, encode, *memref);
}

/// C187: the runtime can allocate the memory: strides follow from the extents,
/// and callers' arguments keep their numbers.
static LogicalResult verifyWorkspaceMemory(gpu::GPUFuncOp kernel,
                                           unsigned position,
                                           MemRefType memref) {
  SmallVector<int64_t> strides;
  int64_t offset;
  bool follows = succeeded(memref.getStridesAndOffset(strides, offset)) &&
                 (offset == 0 || ShapedType::isDynamic(offset));
  int64_t run = 1; // dynamic after a dynamic extent
  for (int64_t dim = memref.getRank() - 1; follows && dim >= 0; --dim) {
    follows = ShapedType::isDynamic(strides[dim]) || strides[dim] == run;
    run = ShapedType::isDynamic(run) || memref.isDynamicDim(dim)
              ? ShapedType::kDynamic
              : run * memref.getDimSize(dim);
  }
  if (!follows || (memref.getMemorySpace() && !isGlobalMemRef(memref)))
    return kernel.emitError("expected a workspace in global memory whose "
                            "strides follow from its extents, got kernel "
                            "argument ")
           << position << " of type " << memref;
  FunctionType type = kernel.getFunctionType();
  for (unsigned i = position + 1; i < type.getNumInputs(); ++i)
    if (!isa<TensorMapType>(type.getInput(i)) &&
        !kernel.getArgAttr(i, CarouselDialect::kWorkspace))
      return kernel.emitError("expected workspaces after all arguments that "
                              "callers pass, got kernel argument ")
             << i << " after the workspace " << position;
  auto named = kernel.getArgAttrOfType<ArgumentAttr>(
      position, CarouselDialect::kArgument);
  if (named && named.getAccess() != ArgumentAccess::InOut)
    return kernel.emitError("expected a workspace that is read and written, "
                            "got ")
           << stringifyArgumentAccess(named.getAccess())
           << " for kernel argument " << position;
  return success();
}

/// C186: an expression has no workspace in it.
static LogicalResult verifyPassed(gpu::GPUFuncOp kernel, StringRef where,
                                  ExprAttr expr) {
  if (expr.getLhs())
    return success(succeeded(verifyPassed(kernel, where, expr.getLhs())) &&
                   succeeded(verifyPassed(kernel, where, expr.getRhs())));
  if (expr.getKind() != ExprKind::Extent && expr.getKind() != ExprKind::Stride)
    return success();
  unsigned position = getArgumentPositions(kernel)[expr.getArgument()];
  if (!kernel.getArgAttr(position, CarouselDialect::kWorkspace))
    return success();
  return kernel.emitError("expected ")
         << where << " to name arguments that callers pass, got argument "
         << expr.getArgument() << ", a workspace";
}

/// C186
static LogicalResult verifyWorkspace(gpu::GPUFuncOp kernel, unsigned position,
                                     WorkspaceAttr workspace) {
  auto memref = cast<MemRefType>(kernel.getFunctionType().getInput(position));
  std::string where =
      "carousel.workspace of kernel argument " + std::to_string(position);
  if (workspace.getExtents().size() != memref.getNumDynamicDims())
    return kernel.emitError("expected ")
           << memref.getNumDynamicDims() << " extents in " << where
           << ", one for each dynamic one of " << memref << ", got "
           << workspace.getExtents().size();
  ExprVerifier verifier(kernel, where);
  for (ExprAttr extent : workspace.getExtents())
    if (failed(verifier.verify(extent)) ||
        failed(verifyPassed(kernel, where, extent)))
      return failure();
  return verifyWorkspaceMemory(kernel, position, memref);
}

LogicalResult CarouselDialect::verifyRegionArgAttribute(Operation *op,
                                                        unsigned regionIndex,
                                                        unsigned position,
                                                        NamedAttribute attr) {
  gpu::GPUFuncOp kernel = getKernel(op);
  if (!kernel) {
    StringRef function = isa<gpu::GPUFuncOp>(op)
                             ? StringRef("a device function")
                             : op->getName().getStringRef();
    return refuse(op, attr, ("an argument of " + function).str());
  }
  if (!hasSignature(kernel))
    return success();
  Type type = kernel.getFunctionType().getInput(position);
  bool isMap = isa<TensorMapType>(type);
  if (attr.getName() == kArgument && !isMap) {
    auto argument = getValue<ArgumentAttr>(op, attr);
    return success(argument &&
                   succeeded(verifyArgument(kernel, position, argument)));
  }
  if (attr.getName() == kEncode && isMap) {
    auto encode = getValue<EncodeAttr>(op, attr);
    return success(encode && succeeded(verifyEncode(kernel, position, encode)));
  }
  if (attr.getName() == kWorkspace && isa<MemRefType>(type)) {
    auto workspace = getValue<WorkspaceAttr>(op, attr);
    return success(workspace &&
                   succeeded(verifyWorkspace(kernel, position, workspace)));
  }
  if (attr.getName() == kWorkspace)
    return refuse(op, attr, "an argument that isn't a memref");
  return refuse(op, attr,
                isMap ? "a tensor map argument"
                      : "an argument that isn't a tensor map");
}

LogicalResult CarouselDialect::verifyRegionResultAttribute(
    Operation *op, unsigned regionIndex, unsigned position,
    NamedAttribute attr) {
  return refuse(op, attr, "a result");
}
