//===- ReshapeVectors.cpp - changes of shape in registers -----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ReshapeVectors.h.
//
//===----------------------------------------------------------------------===//

#include "ReshapeVectors.h"

#include "carousel/Analysis/Distribution/VectorParts.h"
#include "carousel/Analysis/Layouts/LayoutRules.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace carousel;

using Coordinates = SmallVector<uint32_t>;

namespace {

class Reshaper {
public:
  Reshaper(ThreadProgram &program, ArrayRef<DistributedVector> operands,
           const LinearLayout &layout)
      : program(program), operands(operands), layout(layout) {}

  /// Each element of the result is the first operand's at other coordinates.
  Value pick(function_ref<Coordinates(ArrayRef<uint32_t>)> map) {
    SmallVector<int64_t> numbers;
    for (uint32_t number = 0; number < countRegisters(layout); ++number) {
      std::optional<uint32_t> at = operands[0].layout->findRegister(
          map(getRegisterCoordinates(layout, number)));
      assert(at && "expected the element in a register of the same thread");
      numbers.push_back(*at);
    }
    return program.select(operands[0].registers, numbers);
  }

  Value broadcast(vector::BroadcastOp op) {
    auto from = cast<VectorType>(op.getSourceType());
    return pick([&](ArrayRef<uint32_t> at) {
      Coordinates own(at.take_back(from.getRank()));
      for (auto [number, extent] : llvm::zip_equal(own, from.getShape()))
        if (extent == 1)
          number = 0;
      return own;
    });
  }

  Value transpose(vector::TransposeOp op) {
    return pick([&](ArrayRef<uint32_t> at) {
      Coordinates own(at.size());
      for (auto [dim, source] : llvm::enumerate(op.getPermutation()))
        own[source] = at[dim];
      return own;
    });
  }

  Value castShape(vector::ShapeCastOp op) {
    SmallVector<unsigned> to =
        getExtentBits(op.getSourceVectorType().getShape());
    return pick([&](ArrayRef<uint32_t> at) {
      uint32_t linear = 0;
      for (auto [number, bits] : llvm::zip_equal(at, layout.getExtentBits()))
        linear = linear << bits | number;
      Coordinates own;
      for (unsigned bits : llvm::reverse(to)) {
        own.push_back(linear & ((1u << bits) - 1));
        linear >>= bits;
      }
      std::reverse(own.begin(), own.end());
      return own;
    });
  }

  Value extractPart(ArrayRef<int64_t> offsets) {
    size_t dropped = operands[0].layout->getExtentBits().size() -
                     layout.getExtentBits().size();
    return pick([&](ArrayRef<uint32_t> at) {
      Coordinates own(offsets.begin(), offsets.end());
      own.resize(dropped + at.size(), 0);
      for (auto [dim, number] : llvm::enumerate(at))
        own[dropped + dim] += number;
      return own;
    });
  }

  /// The first operand becomes a part of the second one.
  Value insertPart(ArrayRef<int64_t> offsets, ArrayRef<int64_t> sizes) {
    const LinearLayout &ofPart = *operands[0].layout;
    size_t dropped = offsets.size() - ofPart.getExtentBits().size();
    int64_t count = countRegisters(layout);
    // The part's registers are numbered behind the vector's.
    SmallVector<int64_t> numbers;
    for (int64_t number = 0; number < count; ++number) {
      Coordinates at = getRegisterCoordinates(layout, number);
      bool isInside = true;
      for (auto [own, offset, size] : llvm::zip_equal(at, offsets, sizes)) {
        isInside &= own >= offset && own < offset + llvm::PowerOf2Ceil(size);
        own -= offset;
      }
      std::optional<uint32_t> source;
      if (isInside)
        source = ofPart.findRegister(ArrayRef(at).drop_front(dropped));
      numbers.push_back(source ? count + *source : number);
    }
    return vector::ShuffleOp::create(program.builder, program.loc,
                                     operands[1].registers,
                                     operands[0].registers, numbers);
  }

  Value interleave() {
    const LinearLayout &half = *operands[0].layout;
    SmallVector<int64_t> numbers;
    for (uint32_t number = 0; number < countRegisters(layout); ++number) {
      Coordinates at = getRegisterCoordinates(layout, number);
      uint32_t side = at.back() & 1;
      at.back() >>= 1;
      std::optional<uint32_t> source = half.findRegister(at);
      assert(source && "expected pairs in registers");
      numbers.push_back(*source + side * countRegisters(half));
    }
    return vector::ShuffleOp::create(program.builder, program.loc,
                                     operands[0].registers,
                                     operands[1].registers, numbers);
  }

  Value deinterleave(unsigned side) {
    return pick([&](ArrayRef<uint32_t> at) {
      Coordinates own(at);
      own.back() = 2 * own.back() + side;
      return own;
    });
  }

private:
  ThreadProgram &program;
  ArrayRef<DistributedVector> operands;
  const LinearLayout &layout;
};

} // namespace

/// Parts that stay in their threads have constant offsets.
static SmallVector<int64_t> getOffsets(const VectorPart &part) {
  return llvm::map_to_vector(part.offsets, [](OpFoldResult offset) {
    return *getConstantIntValue(offset);
  });
}

Value carousel::reshapeVector(ThreadProgram &program, OpResult result,
                              ArrayRef<DistributedVector> operands,
                              const LinearLayout &layout) {
  Reshaper reshaper(program, operands, layout);
  if (std::optional<VectorPart> part = VectorPart::of(result.getOwner()))
    return isa<vector::ExtractOp, vector::ExtractStridedSliceOp>(
               result.getOwner())
               ? reshaper.extractPart(getOffsets(*part))
               : reshaper.insertPart(getOffsets(*part), part->sizes);
  return llvm::TypeSwitch<Operation *, Value>(result.getOwner())
      .Case([&](vector::BroadcastOp op) { return reshaper.broadcast(op); })
      .Case([&](vector::TransposeOp op) { return reshaper.transpose(op); })
      .Case([&](vector::ShapeCastOp op) { return reshaper.castShape(op); })
      .Case([&](vector::InterleaveOp) { return reshaper.interleave(); })
      .Case([&](vector::DeinterleaveOp) {
        return reshaper.deinterleave(result.getResultNumber());
      })
      .Default([](Operation *) -> Value {
        llvm_unreachable("an op that the plan refuses");
      });
}
