//===- ArgumentVerifiers.cpp - attributes of kernels' arguments -----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names, aliases, tensor maps and workspaces: C116, C119, C120, C186, C187 and
// C204 of docs/Spec.md.
//
//===----------------------------------------------------------------------===//

#include "../Ops/OpRules.h"
#include "KernelRules.h"

#include "carousel/Dialect/IR/CarouselMultimemOps.h"
#include "carousel/Dialect/IR/CarouselSignalOps.h"
#include "carousel/Dialect/IR/GraphDecisions.h"
#include "carousel/Dialect/IR/KernelSignature.h"
#include "carousel/Support/PackageLimits.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace carousel;

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

/// C204, of a kernel or a program. `positions`: of what callers know.
static LogicalResult verifyAlias(FunctionOpInterface func, StringRef kind,
                                 ArrayRef<unsigned> positions,
                                 unsigned position, int64_t number) {
  int64_t own = llvm::find(positions, position) - positions.begin();
  if (number < 0 || number >= own)
    return func.emitError("expected may_alias of ")
           << kind << " argument " << position
           << " to name an earlier argument, got " << number << " for argument "
           << own;
  unsigned other = positions[number];
  ArrayRef<Type> types = func.getArgumentTypes();
  if (!isa<MemRefType>(types[position]) || types[position] != types[other])
    return func.emitError("expected arguments that may alias to be memrefs "
                          "of one type, got ")
           << types[other] << " and " << types[position];
  for (unsigned passed : {other, position})
    if (func.getArgAttr(passed, CarouselDialect::kWorkspace))
      return func.emitError("expected arguments that may alias to be passed "
                            "by callers, got ")
             << kind << " argument " << passed << ", a workspace";
  auto named =
      func.getArgAttrOfType<ArgumentAttr>(other, CarouselDialect::kArgument);
  if (named && named.getMayAlias())
    return func.emitError("expected may_alias of ")
           << kind << " argument " << position
           << " to name an argument without may_alias, got " << number
           << ", which may alias " << *named.getMayAlias();
  auto isOther = [&](unsigned earlier) {
    auto argument = func.getArgAttrOfType<ArgumentAttr>(
        earlier, CarouselDialect::kArgument);
    return argument && argument.getMayAlias() == number;
  };
  if (llvm::count_if(positions.take_front(own), isOther) ==
      static_cast<int64_t>(kMaxAliases))
    return func.emitError("expected at most ")
           << kMaxAliases << " arguments that may alias " << kind
           << " argument " << other << ", got more";
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
      failed(verifyAlias(kernel, "kernel", getArgumentPositions(kernel),
                         position, *argument.getMayAlias())))
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

/// C119, of a function on the host.
static LogicalResult verifyHostArgument(func::FuncOp func, unsigned position,
                                        ArgumentAttr argument) {
  constexpr StringRef kArgument = CarouselDialect::kArgument;
  Type type = func.getFunctionType().getInput(position);
  if (!isa<ShapedType>(type) && argument.getAccess() == ArgumentAccess::Out)
    return func.emitError("expected a memref or tensor for an argument that is "
                          "written, got out for argument ")
           << position << " of type " << type;
  if (argument.getMayAlias()) {
    if (!func->hasAttr(CarouselDialect::kProgram))
      return func.emitError("expected may_alias on an argument of a kernel or "
                            "program, or on a result of tensors, got it on "
                            "argument ")
             << position << " of a func.func";
    auto positions =
        llvm::to_vector(llvm::seq<unsigned>(0, func.getNumArguments()));
    if (failed(verifyAlias(func, "program", positions, position,
                           *argument.getMayAlias())))
      return failure();
  }
  for (unsigned other = 0; other < position; ++other) {
    auto named = func.getArgAttrOfType<ArgumentAttr>(other, kArgument);
    if (named && named.getName() == argument.getName())
      return func.emitError("expected the function's arguments to have "
                            "different names, got '")
             << argument.getName() << "' twice";
  }
  return success();
}

/// C119, of a result that becomes an argument.
static LogicalResult verifyHostResult(func::FuncOp func, unsigned position,
                                      ArgumentAttr argument) {
  constexpr StringRef kArgument = CarouselDialect::kArgument;
  Type type = func.getFunctionType().getResult(position);
  if (!isa<ShapedType>(type) || argument.getAccess() != ArgumentAccess::Out)
    return func.emitError(
               "expected out for a result that is a tensor or memref, got ")
           << argument << " on result " << position << " of type " << type;
  auto isTaken = [&](ArgumentAttr named) {
    return named && named.getName() == argument.getName();
  };
  bool isTwice = false;
  for (unsigned i = 0; i < func.getFunctionType().getNumInputs(); ++i)
    isTwice |= isTaken(func.getArgAttrOfType<ArgumentAttr>(i, kArgument));
  for (unsigned i = 0; i < position; ++i)
    isTwice |= isTaken(func.getResultAttrOfType<ArgumentAttr>(i, kArgument));
  if (isTwice)
    return func.emitError("expected the function's arguments to have "
                          "different names, got '")
           << argument.getName() << "' twice";
  return success();
}

/// C359: no result has the memory of a parameter.
static LogicalResult verifyParameter(func::FuncOp func, unsigned position,
                                     NamedAttribute attr) {
  Type type = func.getFunctionType().getInput(position);
  if (!isa<UnitAttr>(attr.getValue()) || !isa<ShapedType>(type))
    return func.emitError("expected carousel.parameter without a value, on a "
                          "tensor or memref argument, got ")
           << attr.getValue() << " on argument " << position << " of type "
           << type;
  auto named =
      func.getArgAttrOfType<ArgumentAttr>(position, CarouselDialect::kArgument);
  bool isWritten = named && named.getAccess() != ArgumentAccess::In;
  auto isTaken = [&](ArgumentAttr other) {
    return other && other.getMayAlias() == position;
  };
  for (unsigned i = 0; i < func.getNumArguments(); ++i)
    isWritten |= isTaken(
        func.getArgAttrOfType<ArgumentAttr>(i, CarouselDialect::kArgument));
  for (unsigned i = 0; i < func.getNumResults(); ++i)
    isWritten |= isTaken(
        func.getResultAttrOfType<ArgumentAttr>(i, CarouselDialect::kArgument));
  if (!isWritten && !func.getArgAttr(position, "tf.aliasing_output"))
    return success();
  return func.emitError("expected a parameter that no launch writes, got "
                        "argument ")
         << position << ", whose memory a result may have";
}

/// C225: workspaces of a program, after all other arguments.
static LogicalResult verifyHostWorkspace(func::FuncOp program,
                                         unsigned position,
                                         WorkspaceAttr workspace) {
  auto memref =
      dyn_cast<MemRefType>(program.getFunctionType().getInput(position));
  auto isWorkspace = [&](unsigned argument) {
    return program.getArgAttr(argument, CarouselDialect::kWorkspace) != nullptr;
  };
  if (!program->hasAttr(CarouselDialect::kProgram) || !memref ||
      memref.getRank() != 1 || !memref.isDynamicDim(0) ||
      !memref.getLayout().isIdentity() ||
      !llvm::all_of(llvm::seq(position + 1, program.getNumArguments()),
                    isWorkspace) ||
      workspace.getExtents().size() != 1)
    return program.emitError("expected carousel.workspace on a program's last "
                             "arguments, each a memref<?xT>, and one extent, "
                             "got ")
           << workspace << " on argument " << position << " of type "
           << program.getFunctionType().getInput(position);
  unsigned passed =
      llvm::count_if(llvm::seq(position), std::not_fn(isWorkspace));
  return ExprVerifier(program, passed, CarouselDialect::kWorkspace)
      .verify(workspace.getExtents().front());
}

// C339
static LogicalResult verifyBits(gpu::GPUFuncOp kernel, unsigned position,
                                NamedAttribute attr) {
  auto memref =
      dyn_cast<MemRefType>(kernel.getFunctionType().getInput(position));
  if (isa<UnitAttr>(attr.getValue()) && memref &&
      memref.getElementType().isSignlessInteger(8))
    return success();
  return kernel.emitError("expected carousel.bits without a value, on a memref "
                          "argument of i8, got ")
         << attr.getValue() << " on kernel argument " << position << " of type "
         << kernel.getFunctionType().getInput(position);
}

LogicalResult CarouselDialect::verifyRegionArgAttribute(Operation *op,
                                                        unsigned regionIndex,
                                                        unsigned position,
                                                        NamedAttribute attr) {
  if (auto func = dyn_cast<func::FuncOp>(op);
      func && attr.getName() == kArgument) {
    auto argument = getAttributeValue<ArgumentAttr>(op, attr);
    return success(argument &&
                   succeeded(verifyHostArgument(func, position, argument)));
  }
  if (auto func = dyn_cast<func::FuncOp>(op);
      func && attr.getName() == kWorkspace) {
    auto workspace = getAttributeValue<WorkspaceAttr>(op, attr);
    return success(workspace &&
                   succeeded(verifyHostWorkspace(func, position, workspace)));
  }
  if (auto func = dyn_cast<func::FuncOp>(op);
      func && attr.getName() == kParameterAttr)
    return verifyParameter(func, position, attr);
  gpu::GPUFuncOp kernel = getKernel(op);
  if (!kernel) {
    StringRef function = isa<gpu::GPUFuncOp>(op)
                             ? StringRef("a device function")
                             : op->getName().getStringRef();
    return refuseAttribute(op, attr, ("an argument of " + function).str());
  }
  if (!hasSignature(kernel))
    return success();
  if (attr.getName() == kSymmetric || attr.getName() == kPeer ||
      attr.getName() == kMulticast)
    return verifyPeerMemory(kernel, position, attr);
  Type type = kernel.getFunctionType().getInput(position);
  bool isMap = isa<TensorMapType>(type);
  if (attr.getName() == kArgument && !isMap) {
    auto argument = getAttributeValue<ArgumentAttr>(op, attr);
    return success(argument &&
                   succeeded(verifyArgument(kernel, position, argument)));
  }
  if (attr.getName() == kEncode && isMap) {
    auto encode = getAttributeValue<EncodeAttr>(op, attr);
    return success(encode && succeeded(verifyEncode(kernel, position, encode)));
  }
  if (attr.getName() == kWorkspace && isa<MemRefType>(type)) {
    auto workspace = getAttributeValue<WorkspaceAttr>(op, attr);
    return success(workspace &&
                   succeeded(verifyWorkspace(kernel, position, workspace)));
  }
  if (attr.getName() == kWorkspace)
    return refuseAttribute(op, attr, "an argument that isn't a memref");
  if (attr.getName() == kBits)
    return verifyBits(kernel, position, attr);
  return refuseAttribute(op, attr,
                         isMap ? "a tensor map argument"
                               : "an argument that isn't a tensor map");
}

LogicalResult CarouselDialect::verifyRegionResultAttribute(
    Operation *op, unsigned regionIndex, unsigned position,
    NamedAttribute attr) {
  auto func = dyn_cast<func::FuncOp>(op);
  if (!func || attr.getName() != kArgument ||
      position >= func.getFunctionType().getNumResults())
    return refuseAttribute(op, attr, "a result");
  auto argument = getAttributeValue<ArgumentAttr>(op, attr);
  return success(argument &&
                 succeeded(verifyHostResult(func, position, argument)));
}
