//===- KernelRules.cpp - attributes compared with their kernels -----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See KernelRules.h.
//
//===----------------------------------------------------------------------===//

#include "KernelRules.h"

#include "carousel/Dialect/IR/ClusterKernels.h"
#include "carousel/Dialect/IR/GraphDecisions.h"
#include "carousel/Dialect/IR/KernelDecisions.h"
#include "carousel/Dialect/IR/KernelSignature.h"

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Memory of programs
//===----------------------------------------------------------------------===//

// C220
LogicalResult carousel::verifyMemory(Operation *op) {
  Type first;
  for (Type type : op->getOperandTypes()) {
    if (!isa<ShapedType>(type))
      continue;
    first = first ? first : type;
    if (isa<MemRefType>(type) != isa<MemRefType>(first))
      return op->emitOpError("expected tensors only or memrefs only, got ")
             << first << " and " << type;
    auto memref = dyn_cast<MemRefType>(type);
    if (memref && memref.getMemorySpace() && !isGlobalMemRef(memref))
      return op->emitOpError("expected memrefs in global memory, got ")
             << memref;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Places of attributes
//===----------------------------------------------------------------------===//

gpu::GPUFuncOp carousel::getKernel(Operation *op) {
  auto func = dyn_cast<gpu::GPUFuncOp>(op);
  return func && func.isKernel() ? func : nullptr;
}

bool carousel::hasSignature(gpu::GPUFuncOp kernel) {
  TypeAttr type = kernel.getFunctionTypeAttr();
  if (!type || !isa<FunctionType>(type.getValue()))
    return false;
  ArrayAttr attrs = kernel.getArgAttrsAttr();
  if (!attrs)
    return true;
  return attrs.size() == cast<FunctionType>(type.getValue()).getNumInputs() &&
         llvm::all_of(attrs, llvm::IsaPred<DictionaryAttr>);
}

LogicalResult carousel::refuseAttribute(Operation *op, NamedAttribute attr,
                                        StringRef place) {
  StringRef name = attr.getName();
  StringRef wanted;
  // C215
  if (name == "carousel.tf32")
    return op->emitError("expected factors that carousel.round_tf32 rounds, "
                         "got the attribute ")
           << name;
  if (name == CarouselDialect::kLaunch || name == CarouselDialect::kVariant ||
      name == CarouselDialect::kCoresident ||
      name == CarouselDialect::kStartsInOrder || name == kForProgramsAttr ||
      name == CarouselDialect::kBlockProgram || name == kPartsAttr)
    wanted = "a gpu.func that is a kernel";
  else if (name == kDecisionsAttr)
    wanted = "a gpu.func that is a kernel, a func.func or a module";
  else if (name == CarouselDialect::kLayout)
    wanted = "an op with one vector result";
  else if (name == CarouselDialect::kProgram)
    wanted = "a func.func";
  else if (name == kFamilyAttr)
    wanted = "a carousel.launch_kernel";
  else if (name == kUnreadTilesAttr || name == kRecomputedAttr)
    wanted = "a linalg.generic";
  else if (name == kAtLoadAttr)
    wanted = "a launch, a library's product, a fill or a copy";
  else if (name == kParameterAttr)
    wanted = "a tensor or memref argument of a func.func";
  else if (name == CarouselDialect::kWorkspace)
    wanted = "a memref argument of a kernel";
  else if (name == CarouselDialect::kBits)
    wanted = "a memref argument of a kernel, of i8";
  else if (name == CarouselDialect::kArgument)
    wanted = "an argument of a kernel that isn't a tensor map, or of a "
             "func.func";
  else if (name == CarouselDialect::kEncode)
    wanted = "a tensor map argument of a kernel";
  else
    return op->emitError("expected an attribute that the dialect has, got '")
           << name << "'";
  return op->emitError("expected ")
         << name << " on " << wanted << ", got it on " << place;
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

ExprVerifier::ExprVerifier(gpu::GPUFuncOp kernel, const Twine &where)
    : function(kernel), types(kernel.getFunctionType().getInputs()),
      where(where.str()), positions(getArgumentPositions(kernel)) {}

ExprVerifier::ExprVerifier(func::FuncOp program, unsigned numPassed,
                           const Twine &where)
    : function(program), types(program.getFunctionType().getInputs()),
      where(where.str()) {
  llvm::append_range(positions, llvm::seq(numPassed));
}

LogicalResult ExprVerifier::verify(ExprAttr expr) {
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
  if (expr.getKind() != ExprKind::Extent && expr.getKind() != ExprKind::Stride)
    return success();
  FailureOr<MemRefType> type = getMemRef(user, argument);
  if (failed(type))
    return failure();
  if (expr.getValue() < type->getRank())
    return success();
  return function->emitError("expected ")
         << user << " in " << where << " to name one of the " << type->getRank()
         << " dimensions of argument " << argument << ", got "
         << expr.getValue();
}

LogicalResult ExprVerifier::verify(GuardAttr guard) {
  if (guard.getKind() == GuardKind::Aligned)
    return getMemRef(stringifyGuardKind(guard.getKind()), guard.getArgument());
  for (ExprAttr expr : {guard.getValue(), guard.getOther()})
    if (expr && failed(verify(expr)))
      return failure();
  return success();
}

FailureOr<MemRefType> ExprVerifier::getMemRef(StringRef user,
                                              int64_t argument) {
  FailureOr<Type> type = getType(user, argument);
  if (failed(type))
    return failure();
  if (auto memref = dyn_cast<MemRefType>(*type))
    return memref;
  return emitWrongType(user, "a memref", argument, *type);
}

FailureOr<Type> ExprVerifier::getType(StringRef user, int64_t argument) {
  if (argument < static_cast<int64_t>(positions.size()))
    return types[positions[argument]];
  return function->emitError("expected ")
         << user << " in " << where << " to name one of the kernel's "
         << positions.size() << " arguments, got " << argument;
}

InFlightDiagnostic ExprVerifier::emitWrongType(StringRef user, StringRef what,
                                               int64_t argument, Type type) {
  return function->emitError("expected ")
         << user << " in " << where << " to name " << what
         << " argument, got argument " << argument << " of type " << type;
}
