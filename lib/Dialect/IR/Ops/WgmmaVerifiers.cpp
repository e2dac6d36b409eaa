//===- WgmmaVerifiers.cpp - rules of a warpgroup's products ---------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constraints C29, C316 to C328 and C332 of docs/Spec.md.
//
//===----------------------------------------------------------------------===//

#include "OpRules.h"

#include "carousel/Dialect/IR/CarouselWgmmaOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

using namespace mlir;
using namespace carousel;

TargetRequirement carousel::getWgmmaRequirement() {
  return {90, 80, {"sm_90a"}};
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

static bool isFloat8(Type type) {
  return isa<Float8E4M3FNType, Float8E5M2Type>(type);
}

static bool isFactor(Type type) {
  return type.isF16() || type.isBF16() || type.isF32() || isFloat8(type) ||
         type.isSignlessInteger(8);
}

LogicalResult
MatrixDescriptorType::verify(function_ref<InFlightDiagnostic()> emitError,
                             Type element, MatrixMajor major) {
  // C316
  if (!isFactor(element))
    return emitError() << "expected elements of f16, bf16, f32, f8E4M3FN, "
                          "f8E5M2 or i8, got "
                       << element;
  // C317
  if (major == MatrixMajor::MN && element.getIntOrFloatBitWidth() != 16)
    return emitError() << "expected elements of 16 bits along mn, got "
                       << element;
  return success();
}

LogicalResult
WgmmaRegistersType::verify(function_ref<InFlightDiagnostic()> emitError,
                           VectorType vector) {
  // C318
  unsigned bits = getElementBits(vector.getElementType());
  bool isPlain = bits == 8 || bits == 16 || bits == 32;
  if (vector.isScalable() || vector.getRank() == 0 || !isPlain ||
      !llvm::isPowerOf2_64(vector.getShape().back()) ||
      vector.getShape().back() * bits % 32 != 0)
    return emitError() << "expected a vector whose rows are powers of two of "
                          "elements in whole registers of 32 bits, got "
                       << vector;
  return success();
}

//===----------------------------------------------------------------------===//
// Descriptors
//===----------------------------------------------------------------------===//

LogicalResult WgmmaDescriptorOp::verify() {
  MemRefType type = getSource().getType();
  if (failed(verifyIndices(*this, type, getIndices(), "source")))
    return failure();
  // C320
  Type element = getResult().getType().getElement();
  if (type.getElementType() != element &&
      !(isFloat8(element) && type.getElementType().isSignlessInteger(8)))
    return emitOpError("expected a source with elements of ")
           << element << ", got " << type;
  // C319, C321
  std::string why;
  std::optional<MatrixLayout> layout = getMatrixLayout(
      type, getSwizzle(), getResult().getType().getMajor(), why);
  if (!layout)
    return emitOpError(why);
  // C322
  constexpr int64_t kGroupRows = 8, kPiece = 16;
  unsigned rank = type.getRank();
  if (std::optional<int64_t> row = getConstantIntValue(getIndices()[rank - 2]);
      row && (*row < 0 || *row % kGroupRows != 0))
    return emitOpError("expected a row that is a multiple of ")
           << kGroupRows << " from 0 on, got " << *row;
  std::optional<int64_t> at = getConstantIntValue(getIndices()[rank - 1]);
  int64_t bytes = element.getIntOrFloatBitWidth() / 8;
  if (at && (*at < 0 || *at * bytes % kPiece != 0))
    return emitOpError("expected an innermost index at a multiple of ")
           << kPiece << " bytes from 0 on, got " << *at;
  return success();
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

TargetRequirement WgmmaMmaOp::getTargetRequirement() {
  TargetRequirement requirement = getWgmmaRequirement();
  // PTX ISA, wgmma.mma_async: bytes of which only one factor is signed.
  if (getUnsignedA() != getUnsignedB())
    requirement.ptx = 84;
  return requirement;
}

/// C319: a matrix that is wider along mn than a span goes on in other blocks,
/// where its descriptor's op can be seen.
static LogicalResult verifyBlocks(WgmmaMmaOp op, Value factor, int64_t extent) {
  auto descriptor = factor.getDefiningOp<WgmmaDescriptorOp>();
  if (!descriptor || descriptor.getSource().getType().getRank() != 2 ||
      descriptor.getResult().getType().getMajor() == MatrixMajor::K)
    return success();
  std::optional<int64_t> span = getSwizzleSpan(descriptor.getSwizzle());
  int64_t bytes =
      descriptor.getResult().getType().getElement().getIntOrFloatBitWidth() / 8;
  if (!span || extent * bytes <= *span)
    return success();
  InFlightDiagnostic error =
      op.emitOpError("expected a source of at least three dimensions for ")
      << extent << " elements along mn, got 2";
  error.attachNote(descriptor.getLoc()) << "the matrix is described here";
  return error;
}

LogicalResult WgmmaMmaOp::verify() {
  VectorType sums = getSums().getType().getVector();
  auto inRegisters = dyn_cast<WgmmaRegistersType>(getA().getType());
  Type a = inRegisters
               ? inRegisters.getVector().getElementType()
               : cast<MatrixDescriptorType>(getA().getType()).getElement();
  Type b = getB().getType().getElement();
  // C326
  if (inRegisters &&
      (!isFactor(a) ||
       inRegisters.getVector() !=
           VectorType::get({4, 32 / a.getIntOrFloatBitWidth()}, a)))
    return emitOpError("expected four registers of elements that wgmma "
                       "multiplies as the first factor, got ")
           << inRegisters.getVector();
  if (std::optional<Type> given = getAType()) {
    if (!inRegisters)
      return emitOpError("expected a_type for a first factor in registers, got "
                         "one in memory");
    if (!a.isSignlessInteger(8) || !isFloat8(*given))
      return emitOpError("expected a_type of a float of 8 bits for bytes in "
                         "registers, got ")
             << *given << " for " << a;
    a = *given;
  }
  // C324
  if (a != b && !(isFloat8(a) && isFloat8(b)))
    return emitOpError("expected factors of one element type, or both of "
                       "floats of 8 bits, got ")
           << a << " and " << b;
  // C325
  Type sum = sums.getElementType();
  bool isInteger = a.isInteger(), hasHalves = a.isF16() || isFloat8(a);
  if (isInteger ? !sum.isSignlessInteger(32)
                : !sum.isF32() && !(sum.isF16() && hasHalves))
    return emitOpError("expected sums of ")
           << (isInteger   ? "i32"
               : hasHalves ? "f32 or f16"
                           : "f32")
           << " for factors of " << a << ", got " << sum;
  // C323
  int64_t n = sums.getRank() == 3 ? sums.getDimSize(0) * kWgmmaColumnStep : 0;
  constexpr int64_t kWideStep = 16, kWide = 32;
  if (n == 0 || n > kMaxWgmmaColumns ||
      sums.getShape().drop_front() != ArrayRef<int64_t>({2, 2}))
    return emitOpError("expected sums of 1 to ")
           << kMaxWgmmaColumns / kWgmmaColumnStep
           << " times 2 x 2 elements, got " << sums;
  if (isInteger && n > kWide && n % kWideStep != 0)
    return emitOpError("expected columns in multiples of ")
           << kWideStep << " for factors of i8 from " << kWide << " on, got "
           << n;
  // C319
  if (failed(verifyBlocks(*this, getA(), kWgmmaRows)) ||
      failed(verifyBlocks(*this, getB(), n)))
    return failure();
  // C327
  if (isInteger && (getNegateA() || getNegateB()))
    return emitOpError("expected factors of floats to negate, got ") << a;
  if (!isInteger && (getUnsignedA() || getUnsignedB() || getSaturate()))
    return emitOpError("expected factors of i8 with unsigned or saturate, "
                       "got ")
           << a;
  return success();
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

std::string carousel::explainRegisterUse(Operation *op) {
  // C332
  if (llvm::none_of(op->getOperandTypes(), llvm::IsaPred<WgmmaRegistersType>) ||
      isa<WgmmaFenceOp, WgmmaMmaOp, WgmmaWaitOp, RegionBranchOpInterface,
          BranchOpInterface>(op) ||
      op->hasTrait<OpTrait::IsTerminator>())
    return {};
  return ("expected registers of products in wgmma ops, loops and branches, "
          "got them in '" +
          op->getName().getStringRef() + "'")
      .str();
}

LogicalResult WgmmaFenceOp::inferReturnTypes(MLIRContext *context,
                                             std::optional<Location> location,
                                             ValueRange operands,
                                             DictionaryAttr, OpaqueProperties,
                                             RegionRange,
                                             SmallVectorImpl<Type> &results) {
  for (Type type : operands.getTypes()) {
    auto vector = dyn_cast<VectorType>(type);
    auto registers = vector ? WgmmaRegistersType::getChecked(
                                  [&] {
                                    return mlir::emitError(location.value_or(
                                        UnknownLoc::get(context)));
                                  },
                                  context, vector)
                            : nullptr;
    if (!registers)
      return failure();
    results.push_back(registers);
  }
  return success();
}

LogicalResult WgmmaWaitOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location>,
                                            ValueRange operands, DictionaryAttr,
                                            OpaqueProperties, RegionRange,
                                            SmallVectorImpl<Type> &results) {
  for (Type type : operands.getTypes()) {
    auto registers = dyn_cast<WgmmaRegistersType>(type);
    if (!registers)
      return failure();
    results.push_back(registers.getVector());
  }
  return success();
}
