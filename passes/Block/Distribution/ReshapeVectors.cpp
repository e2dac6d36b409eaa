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
  Reshaper(ArrayRef<const LinearLayout *> operands, const LinearLayout &layout)
      : operands(operands), layout(layout) {}

  /// Each element of the result is the first operand's at other coordinates.
  RegisterSources pick(function_ref<Coordinates(ArrayRef<uint32_t>)> map) {
    RegisterSources sources;
    for (uint32_t number = 0; number < countRegisters(layout); ++number) {
      std::optional<uint32_t> at = operands[0]->findRegister(
          map(getRegisterCoordinates(layout, number)));
      assert(at && "expected the element in a register of the same thread");
      sources.push_back({0, *at});
    }
    return sources;
  }

  RegisterSources broadcast(vector::BroadcastOp op) {
    auto from = cast<VectorType>(op.getSourceType());
    return pick([&](ArrayRef<uint32_t> at) {
      Coordinates own(at.take_back(from.getRank()));
      for (auto [number, extent] : llvm::zip_equal(own, from.getShape()))
        if (extent == 1)
          number = 0;
      return own;
    });
  }

  RegisterSources transpose(vector::TransposeOp op) {
    return pick([&](ArrayRef<uint32_t> at) {
      Coordinates own(at.size());
      for (auto [dim, source] : llvm::enumerate(op.getPermutation()))
        own[source] = at[dim];
      return own;
    });
  }

  RegisterSources castShape(vector::ShapeCastOp op) {
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

  RegisterSources extractPart(ArrayRef<int64_t> offsets) {
    size_t dropped =
        operands[0]->getExtentBits().size() - layout.getExtentBits().size();
    return pick([&](ArrayRef<uint32_t> at) {
      Coordinates own(offsets.begin(), offsets.end());
      own.resize(dropped + at.size(), 0);
      for (auto [dim, number] : llvm::enumerate(at))
        own[dropped + dim] += number;
      return own;
    });
  }

  /// The first operand becomes a part of the second one.
  RegisterSources insertPart(ArrayRef<int64_t> offsets,
                             ArrayRef<int64_t> sizes) {
    const LinearLayout &ofPart = *operands[0];
    size_t dropped = offsets.size() - ofPart.getExtentBits().size();
    RegisterSources sources;
    for (uint32_t number = 0; number < countRegisters(layout); ++number) {
      Coordinates at = getRegisterCoordinates(layout, number);
      bool isInside = true;
      for (auto [own, offset, size] : llvm::zip_equal(at, offsets, sizes)) {
        isInside &= own >= offset && own < offset + llvm::PowerOf2Ceil(size);
        own -= offset;
      }
      std::optional<uint32_t> source;
      if (isInside)
        source = ofPart.findRegister(ArrayRef(at).drop_front(dropped));
      sources.push_back(source ? RegisterSource{0, *source}
                               : RegisterSource{1, number});
    }
    return sources;
  }

  RegisterSources interleave() {
    RegisterSources sources;
    for (uint32_t number = 0; number < countRegisters(layout); ++number) {
      Coordinates at = getRegisterCoordinates(layout, number);
      unsigned side = at.back() & 1;
      at.back() >>= 1;
      std::optional<uint32_t> source = operands[0]->findRegister(at);
      assert(source && "expected pairs in registers");
      sources.push_back({side, *source});
    }
    return sources;
  }

  RegisterSources deinterleave(unsigned side) {
    return pick([&](ArrayRef<uint32_t> at) {
      Coordinates own(at);
      own.back() = 2 * own.back() + side;
      return own;
    });
  }

private:
  ArrayRef<const LinearLayout *> operands;
  const LinearLayout &layout;
};

} // namespace

/// Parts that stay in their threads have constant offsets.
static SmallVector<int64_t> getOffsets(const VectorPart &part) {
  return llvm::map_to_vector(part.offsets, [](OpFoldResult offset) {
    return *getConstantIntValue(offset);
  });
}

RegisterSources carousel::findSources(OpResult result,
                                      ArrayRef<const LinearLayout *> operands,
                                      const LinearLayout &layout) {
  Reshaper reshaper(operands, layout);
  if (std::optional<VectorPart> part = VectorPart::of(result.getOwner()))
    return isa<vector::ExtractOp, vector::ExtractStridedSliceOp>(
               result.getOwner())
               ? reshaper.extractPart(getOffsets(*part))
               : reshaper.insertPart(getOffsets(*part), part->sizes);
  return llvm::TypeSwitch<Operation *, RegisterSources>(result.getOwner())
      .Case([&](vector::BroadcastOp op) { return reshaper.broadcast(op); })
      .Case([&](vector::TransposeOp op) { return reshaper.transpose(op); })
      .Case([&](vector::ShapeCastOp op) { return reshaper.castShape(op); })
      .Case([&](vector::InterleaveOp) { return reshaper.interleave(); })
      .Case([&](vector::DeinterleaveOp) {
        return reshaper.deinterleave(result.getResultNumber());
      })
      .Default([](Operation *) -> RegisterSources {
        llvm_unreachable("an op that the plan refuses");
      });
}

Value carousel::takeRegisters(ThreadProgram &program, ValueRange operands,
                              ArrayRef<RegisterSource> sources) {
  SmallVector<int64_t> numbers;
  bool isOfSecond = llvm::all_of(sources, [](const RegisterSource &source) {
    return source.operand == 1;
  });
  if (operands.size() == 1 || isOfSecond ||
      llvm::all_of(sources, [](const RegisterSource &source) {
        return source.operand == 0;
      })) {
    for (const RegisterSource &source : sources)
      numbers.push_back(source.number);
    return program.select(operands[isOfSecond], numbers);
  }
  int64_t ofFirst = cast<VectorType>(operands[0].getType()).getNumElements();
  for (const RegisterSource &source : sources)
    numbers.push_back(source.number + (source.operand == 1 ? ofFirst : 0));
  return vector::ShuffleOp::create(program.builder, program.loc, operands[0],
                                   operands[1], numbers);
}
