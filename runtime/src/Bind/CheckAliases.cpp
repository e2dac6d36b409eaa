//===- CheckAliases.cpp - compares arguments that may alias ---------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel that says which arguments may alias was compiled for two cases: they
// are the same tensor, or they share no element.
//
//===----------------------------------------------------------------------===//

#include "Bind.h"

#include "carousel/Runtime/Fail.h"
#include "carousel/Support/TensorOverlap.h"

namespace carousel::runtime {

static TensorMemory getMemory(const ArgumentInfo &info,
                              const BoundArgument &bound) {
  return {bound.data, bound.extents, bound.strides, info.extents.size(),
          static_cast<int64_t>(getBytes(info.element))};
}

Status checkAliases(const SignatureInfo &signature,
                    const BoundArgument *bound) {
  const size_t passed = signature.countPassed();
  for (size_t i = 0; i < passed; ++i) {
    const ArgumentInfo &info = signature.arguments[i];
    if (!info.mayAlias)
      continue;
    TensorMemory memory = getMemory(info, bound[i]);
    // Others that name the same one, and then that itself: at most kMaxAliases.
    uint16_t j = static_cast<uint16_t>(i);
    do {
      j = *signature.arguments[j].previousAlias;
      const ArgumentInfo &other = signature.arguments[j];
      TensorMemory known = getMemory(other, bound[j]);
      if (!isSameTensor(memory, known) && mayShareElements(memory, known))
        return fail(ErrorCode::InvalidArgument,
                    "{}: expected the same address, extents and strides as {}, "
                    "or no common element, got {} bytes at {:#x} and {} bytes "
                    "at {:#x}",
                    info.name, other.name, memory.getBytes(), memory.address,
                    known.getBytes(), known.address);
    } while (j != *info.mayAlias);
  }
  return {};
}

} // namespace carousel::runtime
