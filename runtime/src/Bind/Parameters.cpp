//===- Parameters.cpp - converts arguments to kernel parameters -----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Parameters.h.
//
//===----------------------------------------------------------------------===//

#include "Parameters.h"

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "narrow parameters are the low bytes of a word, which come first"
#endif

namespace carousel::runtime {

ParameterLayout::ParameterLayout(const VariantInfo &variant) {
  slots.reserve(variant.parameters.size());
  for (const Parameter &parameter : variant.parameters)
    slots.push_back({parameter.kind, parameter.dim, parameter.argument});
}

void ParameterLayout::write(const BoundArgument *bound, const TensorMap *maps,
                            uint64_t *storage, void **pointers) const {
  for (const Slot &slot : slots) {
    *pointers = storage;
    switch (slot.kind) {
    case Parameter::Kind::Pointer:
      *storage = bound[slot.argument].data;
      break;
    case Parameter::Kind::Extent:
      *storage = uint64_t(bound[slot.argument].extents[slot.dim]);
      break;
    case Parameter::Kind::Stride:
      *storage = uint64_t(bound[slot.argument].strides[slot.dim]);
      break;
    case Parameter::Kind::Scalar:
      *storage = uint64_t(bound[slot.argument].scalar);
      break;
    case Parameter::Kind::TensorMap:
      *pointers = const_cast<TensorMap *>(maps + slot.argument);
      break;
    }
    ++pointers;
    ++storage;
  }
}

} // namespace carousel::runtime
