//===- WgmmaForms.cpp - the instructions and descriptors of wgmma ---------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The PTX text of a product, which both ways to code emit, and the constant
// bits of a descriptor, which they and the simulated machine take from here.
// PTX ISA, Asynchronous warpgroup level matrix instructions.
//
//===----------------------------------------------------------------------===//

#include "carousel/Dialect/IR/CarouselWgmmaOps.h"

#include "carousel/Support/HardwareLimits.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

int64_t WgmmaForm::getDepth() const {
  return kWgmmaDepthBytes * 8 / a.getIntOrFloatBitWidth();
}

int64_t WgmmaForm::getSumRegisters() const {
  return kWgmmaRows * n / rules::kWarpgroupSize * sum.getIntOrFloatBitWidth() /
         32;
}

static StringRef spellFactor(Type type, bool isUnsigned) {
  if (type.isF16())
    return "f16";
  if (type.isBF16())
    return "bf16";
  if (type.isF32())
    return "tf32";
  if (isa<Float8E4M3FNType>(type))
    return "e4m3";
  if (isa<Float8E5M2Type>(type))
    return "e5m2";
  return isUnsigned ? "u8" : "s8";
}

std::string WgmmaForm::getName() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << 'm' << kWgmmaRows << 'n' << n << 'k' << getDepth()
     << (saturate ? ".satfinite" : "") << '.'
     << (sum.isF32()   ? "f32"
         : sum.isF16() ? "f16"
                       : "s32")
     << '.' << spellFactor(a, unsignedA) << '.' << spellFactor(b, unsignedB);
  return text;
}

std::string WgmmaForm::getText(StringRef operand) const {
  std::string text;
  llvm::raw_string_ostream os(text);
  int64_t next = 0;
  auto list = [&](int64_t count) {
    os << '{';
    for (int64_t i = 0; i < count; ++i)
      os << (i ? ", " : "") << operand << next++;
    os << '}';
  };
  int64_t sums = getSumRegisters();
  int64_t scale = sums + (aInRegisters ? 4 : 1) + 1;
  os << "{ .reg .pred p; setp.ne.b32 p, " << operand << scale
     << ", 0; wgmma.mma_async.sync.aligned." << getName() << ' ';
  list(sums);
  os << ", ";
  if (aInRegisters)
    list(4);
  else
    os << operand << next++;
  os << ", " << operand << next++ << ", p";
  // Integers have no other immediates. Only factors of 16 bits can be
  // transposed, and only in memory.
  if (!a.isInteger()) {
    os << ", " << (negateA ? -1 : 1) << ", " << (negateB ? -1 : 1);
    if (a.getIntOrFloatBitWidth() == 16) {
      if (!aInRegisters)
        os << ", " << (majorA == MatrixMajor::MN);
      os << ", " << (majorB == MatrixMajor::MN);
    }
  }
  os << "; }";
  return text;
}

WgmmaForm WgmmaMmaOp::getForm() {
  WgmmaForm form;
  VectorType sums = getSums().getType().getVector();
  form.n = sums.getDimSize(0) * kWgmmaColumnStep;
  form.sum = sums.getElementType();
  if (auto inMemory = dyn_cast<MatrixDescriptorType>(getA().getType())) {
    form.a = inMemory.getElement();
    form.majorA = inMemory.getMajor();
  } else {
    form.aInRegisters = true;
    form.a =
        cast<WgmmaRegistersType>(getA().getType()).getVector().getElementType();
    form.a = getAType().value_or(form.a);
  }
  form.b = getB().getType().getElement();
  form.majorB = getB().getType().getMajor();
  form.negateA = getNegateA();
  form.negateB = getNegateB();
  form.unsignedA = getUnsignedA();
  form.unsignedB = getUnsignedB();
  form.saturate = getSaturate();
  return form;
}

//===----------------------------------------------------------------------===//
// Descriptors
//===----------------------------------------------------------------------===//

/// Strides and addresses are in units of 16 bytes, in fields of 14 bits.
static constexpr int64_t kUnit = 16;
static constexpr int64_t kFieldLimit = kUnit << 14;
/// Rows in a group: a core matrix, or one repetition of a swizzle.
static constexpr int64_t kGroupRows = 8;

uint64_t MatrixLayout::getBits() const {
  constexpr unsigned kLeadingShift = 16, kStrideShift = 32, kModeShift = 62;
  return uint64_t(leadingOffset / kUnit) << kLeadingShift |
         uint64_t(strideOffset / kUnit) << kStrideShift |
         uint64_t(swizzleMode) << kModeShift;
}

std::optional<MatrixLayout> carousel::getMatrixLayout(MemRefType type,
                                                      Swizzle swizzle,
                                                      MatrixMajor major,
                                                      std::string &why) {
  auto explain = [&](const Twine &text) -> std::optional<MatrixLayout> {
    why = text.str();
    return std::nullopt;
  };
  auto print = [](Type value) {
    std::string text;
    llvm::raw_string_ostream(text) << '\'' << value << '\'';
    return text;
  };
  MatrixLayout layout;
  // C321
  switch (swizzle) {
  case Swizzle::None:
    layout.swizzleMode = 0;
    break;
  case Swizzle::B128:
    layout.swizzleMode = 1;
    break;
  case Swizzle::B64:
    layout.swizzleMode = 2;
    break;
  case Swizzle::B32:
    layout.swizzleMode = 3;
    break;
  default:
    return explain("expected swizzle none, b32, b64 or b128, got " +
                   stringifySwizzle(swizzle));
  }
  layout.span = getSwizzleSpan(swizzle).value_or(kUnit);

  // C319
  SmallVector<int64_t> strides;
  int64_t offset;
  if (type.getRank() < 2)
    return explain("expected a source of at least two dimensions, got " +
                   Twine(type.getRank()));
  if (failed(type.getStridesAndOffset(strides, offset)))
    return explain("expected a source with strides, got " + print(type));
  int64_t bytes = type.getElementTypeBitWidth() / 8;
  unsigned rank = type.getRank();
  auto spell = [](int64_t stride) {
    return ShapedType::isDynamic(stride)
               ? std::string("a dynamic stride")
               : "a stride of " + std::to_string(stride);
  };
  if (strides[rank - 1] != 1)
    return explain("expected a contiguous innermost dimension, got " +
                   spell(strides[rank - 1]));
  if (ShapedType::isDynamic(strides[rank - 2]) ||
      strides[rank - 2] * bytes != layout.span)
    return explain("expected rows of " + Twine(layout.span / bytes) +
                   " elements with swizzle " + stringifySwizzle(swizzle) +
                   ", got " + spell(strides[rank - 2]));
  // A depth is 32 bytes: two blocks without a swizzle. With one, the stride to
  // a next block isn't read where there is none (WgmmaMmaOp).
  if (rank == 2 && swizzle == Swizzle::None)
    return explain("expected a source of at least three dimensions without a "
                   "swizzle, got 2");
  layout.blockStride = kUnit;
  if (rank > 2) {
    int64_t stride = strides[rank - 3];
    bool isKnown = !ShapedType::isDynamic(stride);
    if (!isKnown || stride <= 0 || stride * bytes % kUnit != 0 ||
        stride * bytes >= kFieldLimit)
      return explain("expected blocks at multiples of 16 bytes below " +
                     Twine(kFieldLimit) + ", got " +
                     spell(isKnown ? stride * bytes : stride));
    layout.blockStride = stride * bytes;
  }
  // Without a swizzle, the two strides of an mn-major matrix change places.
  int64_t groupStride = kGroupRows * layout.span;
  bool areSwapped = swizzle == Swizzle::None && major == MatrixMajor::MN;
  layout.leadingOffset = areSwapped ? groupStride : layout.blockStride;
  layout.strideOffset = areSwapped ? layout.blockStride : groupStride;
  return layout;
}
