//===- WgmmaVerifiers.cpp - rules of a warpgroup's products ---------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constraints C29, C316 to C328, C330 and C332 of docs/Spec.md.
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

/// C323 to C325: there is an instruction for factors of `a` and `b`.
static LogicalResult verifyInstruction(Operation *op, Type a, Type b,
                                       VectorType sums) {
  // C324
  if (a != b && !(isFloat8(a) && isFloat8(b)))
    return op->emitOpError("expected factors of one element type, or both of "
                           "floats of 8 bits, got ")
           << a << " and " << b;
  // C325
  Type sum = sums.getElementType();
  bool isInteger = a.isInteger(), hasHalves = a.isF16() || isFloat8(a);
  if (isInteger ? !sum.isSignlessInteger(32)
                : !sum.isF32() && !(sum.isF16() && hasHalves))
    return op->emitOpError("expected sums of ")
           << (isInteger   ? "i32"
               : hasHalves ? "f32 or f16"
                           : "f32")
           << " for factors of " << a << ", got " << sum;
  // C323
  int64_t n = sums.getRank() == 3 ? sums.getDimSize(0) * kWgmmaColumnStep : 0;
  constexpr int64_t kWideStep = 16, kWide = 32;
  if (n == 0 || n > kMaxWgmmaColumns ||
      sums.getShape().drop_front() != ArrayRef<int64_t>({2, 2}))
    return op->emitOpError("expected sums of 1 to ")
           << kMaxWgmmaColumns / kWgmmaColumnStep
           << " times 2 x 2 elements, got " << sums;
  if (isInteger && n > kWide && n % kWideStep != 0)
    return op->emitOpError("expected columns in multiples of ")
           << kWideStep << " for factors of i8 from " << kWide << " on, got "
           << n;
  return success();
}

LogicalResult WgmmaMmaOp::verify() {
  VectorType sums = getSums().getType().getVector();
  auto inRegisters = dyn_cast<WgmmaRegistersType>(getA().getType());
  Type a = inRegisters
               ? inRegisters.getVector().getElementType()
               : cast<MatrixDescriptorType>(getA().getType()).getElement();
  Type b = getB().getType().getElement();
  // C326
  bool areWords = inRegisters && a.isSignlessInteger(32);
  if (inRegisters &&
      ((areWords ? !getAType() : !isFactor(a)) ||
       inRegisters.getVector() !=
           VectorType::get({4, 32 / a.getIntOrFloatBitWidth()}, a)))
    return emitOpError("expected four registers of elements that wgmma "
                       "multiplies as the first factor, got ")
           << inRegisters.getVector();
  if (std::optional<Type> given = getAType()) {
    if (!inRegisters)
      return emitOpError("expected a_type for a first factor in registers, got "
                         "one in memory");
    if (areWords ? !isFactor(*given)
                 : !a.isSignlessInteger(8) || !isFloat8(*given))
      return emitOpError("expected a_type of a float of 8 bits for bytes in "
                         "registers, or of a factor for words, got ")
             << *given << " for " << a;
    a = *given;
  }
  if (failed(verifyInstruction(*this, a, b, sums)))
    return failure();
  // C319
  if (failed(verifyBlocks(*this, getA(), kWgmmaRows)) ||
      failed(
          verifyBlocks(*this, getB(), sums.getDimSize(0) * kWgmmaColumnStep)))
    return failure();
  // C327
  if (a.isInteger() && (getNegateA() || getNegateB()))
    return emitOpError("expected factors of floats to negate, got ") << a;
  if (!a.isInteger() && (getUnsignedA() || getUnsignedB() || getSaturate()))
    return emitOpError("expected factors of i8 with unsigned or saturate, "
                       "got ")
           << a;
  return success();
}

/// C316, C317, C330: a tile of a product, of which `needed` rows of m or n are
/// read.
static LogicalResult verifyTile(MultiplyOp op, MemRefType type, bool isAlongK,
                                int64_t needed, StringRef name) {
  if (type.getRank() < 2 || !type.hasStaticShape() ||
      !type.getLayout().isIdentity())
    return op.emitOpError("expected tiles of two or more static and contiguous "
                          "dimensions, got ")
           << type;
  if (!isFactor(type.getElementType()))
    return op.emitOpError("expected tiles of f16, bf16, f32, f8E4M3FN, f8E5M2 "
                          "or i8, got ")
           << type;
  if (!isAlongK && type.getElementTypeBitWidth() != 16)
    return op.emitOpError("expected elements of 16 bits in a tile that is "
                          "contiguous along m or n, got ")
           << type;
  int64_t extent = getMatrixExtents(type)[isAlongK ? 0 : 1];
  if (extent < needed)
    return op.emitOpError("expected at least ")
           << needed << ' ' << name << ", got " << extent;
  return success();
}

/// C334: the first factor of a product, in registers.
static LogicalResult verifyRegistersOfA(MultiplyOp op, VectorType a,
                                        VectorType sums) {
  if (op.getRow() || op.getTransposeA() || op.getSwizzleA() != Swizzle::None)
    return op.emitOpError("expected no row, transposition or swizzle of a in "
                          "registers, got ")
           << (op.getRow()          ? "a row"
               : op.getTransposeA() ? "transpose_a"
                                    : "swizzle_a");
  if (!isFactor(a.getElementType()))
    return op.emitOpError("expected registers of f16, bf16, f32, f8E4M3FN, "
                          "f8E5M2 or i8, got ")
           << a;
  int64_t bits = a.getElementTypeBitWidth();
  auto wanted =
      VectorType::get({sums.getDimSize(0),
                       op.getDepth() / op.getInstructionDepth(), 4, 32 / bits},
                      a.getElementType());
  if (a != wanted)
    return op.emitOpError("expected a of ") << wanted << ", got " << a;
  return success();
}

LogicalResult MultiplyOp::verify() {
  auto sums = cast<VectorType>(getSums().getType());
  // C330
  if (sums.getRank() != 4)
    return emitOpError("expected sums of m / 64 x n / 8 x 2 x 2 elements, got ")
           << sums;
  MemRefType b = getB().getType();
  if (failed(verifyTile(*this, b, getTransposeB(),
                        sums.getDimSize(1) * kWgmmaColumnStep, "columns of b")))
    return failure();
  int64_t depth = getDepth(), step = getInstructionDepth();
  if (depth % step != 0)
    return emitOpError("expected a k in multiples of ")
           << kWgmmaDepthBytes << " bytes, got " << depth << " of "
           << b.getElementType();
  if (auto vector = dyn_cast<VectorType>(getA().getType())) {
    if (failed(verifyRegistersOfA(*this, vector, sums)))
      return failure();
  } else {
    auto a = cast<MemRefType>(getA().getType());
    if (!getRow())
      return emitOpError("expected a row of a tile, got none");
    if (failed(verifyTile(*this, a, !getTransposeA(),
                          sums.getDimSize(0) * kWgmmaRows, "rows of a")))
      return failure();
    int64_t other = getMatrixExtents(a)[getTransposeA() ? 0 : 1];
    if (depth != other)
      return emitOpError("expected tiles of one k, got ")
             << other << " and " << depth;
  }
  if (failed(verifyInstruction(*this, getElementTypeOrSelf(getA().getType()),
                               b.getElementType(),
                               VectorType::get(sums.getShape().drop_front(),
                                               sums.getElementType()))))
    return failure();
  if (sums.getElementType().isF16())
    return emitOpError("expected sums of f32 or i32, got ") << sums;
  // C338
  if (std::optional<uint64_t> promote = getPromote()) {
    int64_t count = int64_t(*promote);
    if (count <= 0 || count % step != 0 || depth % count != 0)
      return emitOpError("expected promote to be a multiple of ")
             << step << " that divides a k of " << depth << ", got " << count;
    if (!sums.getElementType().isF32())
      return emitOpError("expected sums of f32 to promote, got ") << sums;
  }
  return success();
}

std::array<int64_t, 2> carousel::getMatrixExtents(MemRefType tile) {
  ArrayRef<int64_t> shape = tile.getShape();
  return {ShapedType::getNumElements(shape.drop_back()), shape.back()};
}

int64_t MultiplyOp::getDepth() {
  return getMatrixExtents(getB().getType())[getTransposeB() ? 1 : 0];
}

int64_t MultiplyOp::getInstructionDepth() {
  return kWgmmaDepthBytes * 8 / getB().getType().getElementTypeBitWidth();
}

void MultiplyOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  for (OpOperand *tile : getConsumedTiles())
    effects.emplace_back(MemoryEffects::Read::get(), tile,
                         SharedMemoryResource::get());
}

SmallVector<OpOperand *> MultiplyOp::getConsumedTiles() {
  if (hasRegisters())
    return {&getBMutable()};
  return {&getAMutable(), &getBMutable()};
}

/// Returns the source of a thread's vector in another shape or order.
static Value skipRenumbering(Value vector) {
  while (Operation *op = vector.getDefiningOp()) {
    bool isSame =
        isa<vector::ShapeCastOp>(op) ||
        (isa<vector::ShuffleOp>(op) && op->getOperand(0) == op->getOperand(1));
    if (!isSame)
      break;
    vector = op->getOperand(0);
  }
  return vector;
}

int64_t MultiplyOp::countOwnRegisters() {
  int64_t registers = 0;
  int64_t sums = cast<VectorType>(getSums().getType()).getNumElements();
  // The sums of a part are added while the next part's are computed.
  if (std::optional<uint64_t> promote = getPromote())
    registers += std::min<int64_t>(getDepth() / int64_t(*promote), 2) * sums;
  // The values that a loop carries aren't the op's own.
  auto carried = dyn_cast<BlockArgument>(skipRenumbering(getSums()));
  if (!carried || carried.getOwner() != getOperation()->getBlock())
    registers += sums;
  // A factor of all iterations; those of one iteration come and go.
  if (hasRegisters()) {
    Value factor = skipRenumbering(getA());
    auto type = cast<VectorType>(factor.getType());
    if (factor.getParentBlock() != getOperation()->getBlock())
      registers += llvm::divideCeil(
          type.getNumElements() * type.getElementTypeBitWidth(), 32);
  }
  return registers;
}

void MultiplyOp::setTileSwizzle(OpOperand &tile, Swizzle swizzle) {
  if (&tile == &getAMutable())
    setSwizzleA(swizzle);
  else
    setSwizzleB(swizzle);
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

static bool hasWait(Value registers) {
  return llvm::any_of(registers.getUsers(), llvm::IsaPred<WgmmaWaitOp>);
}

/// Whether a wait behind the product takes its registers. If a loop carries
/// them, one wait does so in the next iteration, and one behind the loop.
static bool isWaitedFor(Value registers, WgmmaMmaOp product) {
  return llvm::any_of(registers.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (auto loop = dyn_cast<scf::ForOp>(user->getParentOp());
        loop && isa<scf::YieldOp>(user))
      return hasWait(loop.getRegionIterArg(use.getOperandNumber())) &&
             hasWait(loop.getResult(use.getOperandNumber()));
    return isa<WgmmaWaitOp>(user) && (user->getBlock() != product->getBlock() ||
                                      product->isBeforeInBlock(user));
  });
}

std::string carousel::explainRegisterUse(Operation *op) {
  // C335: a compiler would give a factor's registers, which nothing names
  // behind the product, to others while the product reads them.
  if (auto product = dyn_cast<WgmmaMmaOp>(op))
    if (isa<WgmmaRegistersType>(product.getA().getType()) &&
        !isWaitedFor(product.getA(), product))
      return "expected a wait that takes the registers of the first factor, "
             "got "
             "none";
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
