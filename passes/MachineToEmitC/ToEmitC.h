//===- ToEmitC.h - shared by the conversions to EmitC -----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Type conversion to C++, a builder of EmitC ops for one source op, and
// patterns that are functions. docs/CUDA.md lists the conversions.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_MACHINETOEMITC_TOEMITC_H
#define CAROUSEL_PASSES_MACHINETOEMITC_TOEMITC_H

#include "carousel/Target/EmitCUDA.h"
#include "mlir/Dialect/EmitC/IR/EmitC.h"
#include "mlir/Transforms/DialectConversion.h"

namespace carousel {

/// Converts types. A memref becomes several values: a pointer to the element at
/// the dynamic part of its offset, its dynamic extents and its dynamic strides.
/// Any other type becomes one value.
class CTypes : public mlir::TypeConverter {
public:
  CTypes(mlir::MLIRContext *context, unsigned indexBits);

  mlir::Type getIndexType() const { return indexType; }
  /// The spelling of a converted type; empty if there is none.
  std::string spell(mlir::Type type) const;
  /// The converted element type of a memref, or null.
  mlir::Type getElementType(mlir::Type type) const;
  /// The array type that declares a memref; null if the memref has a layout or
  /// dynamic extents.
  mlir::emitc::ArrayType getArray(mlir::MemRefType type) const;

private:
  mlir::Type indexType;
};

/// The signed, or unsigned, integer type of the same width.
mlir::Type getSigned(mlir::Type type);
mlir::Type getUnsigned(mlir::Type type);

/// Whether a type is i1 or a vector of it.
bool isBool(mlir::Type type);
/// The spelling in C++ of the element type of a source type.
std::string spellElement(const CTypes &types, mlir::Type type, bool isSigned);

/// Whether values are 8-bit floats or vectors of them. They are bytes in C++,
/// which has no arithmetic on them.
bool isMovedOnly(mlir::Type type);

/// Builds the EmitC ops for one source op.
class CBuilder {
public:
  CBuilder(mlir::ConversionPatternRewriter &rewriter, mlir::Location loc,
           const CTypes &types)
      : rewriter(rewriter), loc(loc), types(types) {}

  template <typename OpTy>
  mlir::Value binary(mlir::Value lhs, mlir::Value rhs) {
    return OpTy::create(rewriter, loc, lhs.getType(), lhs, rhs);
  }
  mlir::Value compare(mlir::emitc::CmpPredicate predicate, mlir::Value lhs,
                      mlir::Value rhs);
  mlir::Value cast(mlir::Value value, mlir::Type type);
  /// `!value`, also of a vector of bools.
  mlir::Value negate(mlir::Value value);
  mlir::Value constant(mlir::Type type, int64_t value);
  mlir::Value index(int64_t value) {
    return constant(types.getIndexType(), value);
  }
  /// An expression without operands and effects.
  mlir::Value literal(llvm::StringRef text, mlir::Type type);
  mlir::Value select(mlir::Value condition, mlir::Value yes, mlir::Value no);

  /// A call of a pure function; `call` is for all other functions.
  mlir::Value pure(mlir::Type result, llvm::StringRef callee,
                   mlir::ValueRange operands,
                   llvm::ArrayRef<std::string> templateArguments = {});
  /// A list of elements in braces, with the type's name before it if the type
  /// is a vector.
  mlir::Value list(mlir::Type type, mlir::ValueRange elements);
  mlir::emitc::CallOpaqueOp call(mlir::Type result, llvm::StringRef callee,
                                 mlir::ValueRange operands,
                                 llvm::ArrayRef<std::string> arguments = {});

  mlir::Value variable(mlir::Type type);
  /// Declares a memref's array, in shared memory or as a local variable, and
  /// returns the pointer that the memref becomes; null if it has no array type.
  mlir::Value array(mlir::MemRefType type, mlir::Attribute alignment,
                    bool isShared);
  mlir::Value load(mlir::Value lvalue);
  void assign(mlir::Value variable, mlir::Value value);
  mlir::Value subscript(mlir::Value pointer, mlir::Value index);

  /// Sums and products of indices; they fold 0 and 1.
  mlir::Value addIndex(mlir::Value lhs, mlir::Value rhs);
  mlir::Value mulIndex(mlir::Value lhs, mlir::Value rhs);

  /// The distance of an element from the converted memref's pointer, in
  /// elements, with the static offset included.
  mlir::Value linearize(mlir::MemRefType type, mlir::ValueRange converted,
                        llvm::ArrayRef<mlir::Value> indices);
  /// The address of an element.
  mlir::Value element(mlir::MemRefType type, mlir::ValueRange converted,
                      llvm::ArrayRef<mlir::Value> indices);
  mlir::Value advance(mlir::Value pointer, mlir::Value elements);
  /// An extent or a stride, from the converted memref or from the type.
  mlir::Value extent(mlir::MemRefType type, mlir::ValueRange converted,
                     unsigned dim);
  mlir::Value stride(mlir::MemRefType type, mlir::ValueRange converted,
                     unsigned dim);

  mlir::ConversionPatternRewriter &rewriter;
  mlir::Location loc;
  const CTypes &types;
};

/// The value's constant, if it is one.
std::optional<int64_t> getConstant(mlir::Value value);

/// The values of operands that convert to one value each.
inline mlir::Value one(mlir::ValueRange range) { return range.front(); }
inline llvm::SmallVector<mlir::Value>
flatten(llvm::ArrayRef<mlir::ValueRange> ranges) {
  llvm::SmallVector<mlir::Value> values;
  for (mlir::ValueRange range : ranges)
    llvm::append_range(values, range);
  return values;
}

/// A pattern that is a function.
template <typename OpTy>
class FunctionPattern : public mlir::OpConversionPattern<OpTy> {
public:
  using Adaptor = typename mlir::OpConversionPattern<OpTy>::OneToNOpAdaptor;
  using Function = mlir::LogicalResult (*)(OpTy, Adaptor, CBuilder &);

  FunctionPattern(const CTypes &types, mlir::MLIRContext *context,
                  Function function)
      : mlir::OpConversionPattern<OpTy>(types, context), types(types),
        function(function) {}

  mlir::LogicalResult
  matchAndRewrite(OpTy op, Adaptor adaptor,
                  mlir::ConversionPatternRewriter &rewriter) const override {
    CBuilder builder(rewriter, op.getLoc(), types);
    return function(op, adaptor, builder);
  }

private:
  const CTypes &types;
  Function function;
};

template <typename OpTy>
using AdaptorOf = typename FunctionPattern<OpTy>::Adaptor;

template <typename OpTy>
void addPattern(mlir::RewritePatternSet &patterns, const CTypes &types,
                typename FunctionPattern<OpTy>::Function function) {
  patterns.add<FunctionPattern<OpTy>>(types, patterns.getContext(), function);
}

/// A pattern for the op of a given name. All operands and results convert to
/// one value each.
using NamedFunction = mlir::LogicalResult (*)(mlir::Operation *,
                                              llvm::ArrayRef<mlir::Value>,
                                              CBuilder &, llvm::StringRef);
void addNamedPattern(mlir::RewritePatternSet &patterns, const CTypes &types,
                     llvm::StringRef op, NamedFunction function,
                     llvm::StringRef text = {});

void populateArithToEmitC(mlir::RewritePatternSet &patterns,
                          const CTypes &types);
void populateCompareToEmitC(mlir::RewritePatternSet &patterns,
                            const CTypes &types);
void populateFloat8ToEmitC(mlir::RewritePatternSet &patterns,
                           const CTypes &types);
void populateMathToEmitC(mlir::RewritePatternSet &patterns,
                         const CTypes &types);
void populateMatricesToEmitC(mlir::RewritePatternSet &patterns,
                             const CTypes &types);
void populateVectorToEmitC(mlir::RewritePatternSet &patterns,
                           const CTypes &types);
void populateMemRefToEmitC(mlir::RewritePatternSet &patterns,
                           const CTypes &types);
void populateSCFToEmitC(mlir::RewritePatternSet &patterns, const CTypes &types);
void populateGPUToEmitC(mlir::RewritePatternSet &patterns, const CTypes &types);
void populateFunctionsToEmitC(mlir::RewritePatternSet &patterns,
                              const CTypes &types);
void populateMbarrierToEmitC(mlir::RewritePatternSet &patterns,
                             const CTypes &types);
void populateTransfersToEmitC(mlir::RewritePatternSet &patterns,
                              const CTypes &types);
void populateSyncToEmitC(mlir::RewritePatternSet &patterns,
                         const CTypes &types);
void populateWgmmaToEmitC(mlir::RewritePatternSet &patterns,
                          const CTypes &types);
/// Converts waits to loops, with a bound if there is one.
void populateWaitsToEmitC(mlir::RewritePatternSet &patterns,
                          const CTypes &types,
                          std::optional<uint64_t> nanoseconds);

} // namespace carousel

#endif // CAROUSEL_PASSES_MACHINETOEMITC_TOEMITC_H
