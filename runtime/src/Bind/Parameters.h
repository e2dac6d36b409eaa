//===- Parameters.h - converts arguments to kernel parameters ---*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The offset and the value of each parameter of a variant (docs/KernelABI.md).
// The layout is computed once, when a kernel is looked up. Writing parameters
// allocates no memory.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_BIND_PARAMETERS_H
#define CAROUSEL_RUNTIME_SRC_BIND_PARAMETERS_H

#include "Evaluate.h"

#include "carousel/Runtime/TensorMap.h"

namespace carousel::runtime {

/// Places of the parameters that aren't tensor maps in one block of memory, 8
/// bytes each; tensor maps lie apart.
class ParameterLayout {
public:
  explicit ParameterLayout(const VariantInfo &variant);

  size_t getCount() const { return slots.size(); }

  /// Writes the parameters to `storage`, 8 bytes for each, and their addresses
  /// to `pointers`, which is what a launch takes.
  void write(const BoundArgument *bound, const TensorMap *maps,
             uint64_t *storage, void **pointers) const;

private:
  struct Slot {
    Parameter::Kind kind = Parameter::Kind::Pointer;
    uint8_t dim = 0;
    uint16_t argument = 0;
  };
  std::vector<Slot> slots;
};

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_SRC_BIND_PARAMETERS_H
