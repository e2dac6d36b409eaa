//===- ParameterBytes.cpp - sizes of kernel parameters --------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ParameterBytes.h.
//
//===----------------------------------------------------------------------===//

#include "ParameterBytes.h"

#include "carousel/Runtime/TensorMap.h"

namespace carousel::runtime {

size_t getParameterBytes(const KernelInfo &kernel, const VariantInfo &variant,
                         const Parameter &parameter) {
  size_t index = variant.indexBits / 8;
  switch (parameter.kind) {
  case Parameter::Kind::Pointer:
    return 8;
  case Parameter::Kind::Extent:
  case Parameter::Kind::Stride:
    return index;
  case Parameter::Kind::Scalar: {
    ElementType element = kernel.arguments[parameter.argument].element;
    return element == ElementType::Index ? index : getBytes(element);
  }
  case Parameter::Kind::TensorMap:
    return sizeof(TensorMap);
  }
  return 0;
}

} // namespace carousel::runtime
