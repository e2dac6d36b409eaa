//===- KernelRules.h - attributes compared with their kernels ---*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules that verifiers of launches, variants and arguments share. The hooks
// run before the kernel's own verifier, so they make no assumptions about its
// attributes.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_DIALECT_IR_KERNELS_KERNELRULES_H
#define CAROUSEL_LIB_DIALECT_IR_KERNELS_KERNELRULES_H

#include "carousel/Dialect/IR/CarouselDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

#include <string>

namespace carousel {

/// The op as a kernel, or null.
mlir::gpu::GPUFuncOp getKernel(mlir::Operation *op);

/// False if the kernel's own verifier will report an error.
bool hasSignature(mlir::gpu::GPUFuncOp kernel);

/// C116: the error for an attribute at a place where it has no meaning.
mlir::LogicalResult refuseAttribute(mlir::Operation *op,
                                    mlir::NamedAttribute attr,
                                    llvm::StringRef place);

/// C116: the attribute's value, or null after an error.
template <typename Attr>
Attr getAttributeValue(mlir::Operation *op, mlir::NamedAttribute attr) {
  auto value = mlir::dyn_cast<Attr>(attr.getValue());
  if (!value)
    op->emitError("expected #carousel.")
        << Attr::getMnemonic() << "<...> as " << attr.getName().strref()
        << ", got " << attr.getValue();
  return value;
}

/// C220: a step of a program has tensors or memrefs, and these are in global
/// memory.
mlir::LogicalResult verifyMemory(mlir::Operation *op);

/// C230: other GPUs may access the argument's memory.
mlir::LogicalResult verifyPeerMemory(mlir::gpu::GPUFuncOp kernel,
                                     unsigned position,
                                     mlir::NamedAttribute attr);

/// C237: what a kernel does with an argument that is a multicast address.
mlir::LogicalResult verifyMulticastUses(mlir::gpu::GPUFuncOp kernel,
                                        unsigned position);

/// C117: the arguments and dimensions in expressions and guards exist in the
/// kernel, and have the right type. `where` names the attribute.
class ExprVerifier {
public:
  ExprVerifier(mlir::gpu::GPUFuncOp kernel, const llvm::Twine &where);
  /// Verifies expressions of a program whose first arguments callers pass.
  ExprVerifier(mlir::func::FuncOp program, unsigned numPassed,
               const llvm::Twine &where);

  mlir::LogicalResult verify(ExprAttr expr);
  mlir::LogicalResult verify(GuardAttr guard);
  mlir::FailureOr<mlir::MemRefType> getMemRef(llvm::StringRef user,
                                              int64_t argument);

private:
  mlir::FailureOr<mlir::Type> getType(llvm::StringRef user, int64_t argument);
  mlir::InFlightDiagnostic emitWrongType(llvm::StringRef user,
                                         llvm::StringRef what, int64_t argument,
                                         mlir::Type type);

  mlir::Operation *function;
  llvm::ArrayRef<mlir::Type> types; ///< of all arguments
  std::string where;
  llvm::SmallVector<unsigned> positions;
};

} // namespace carousel

#endif // CAROUSEL_LIB_DIALECT_IR_KERNELS_KERNELRULES_H
