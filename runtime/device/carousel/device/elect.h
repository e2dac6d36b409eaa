//===- elect.h - elect.sync -------------------------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One thread of a warp.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DEVICE_ELECT_H
#define CAROUSEL_DEVICE_ELECT_H

#include <carousel/device/types.h>

namespace carousel {

/// True in one of the warp's threads in `mask`, which execute it together;
/// false in the others.
/// PTX: elect.sync lane|elected, mask; sm_90
template <int SM = target::sm>
CAROUSEL_DEVICE bool elect(uint32_t mask = 0xffffffff) {
  static_assert(target::on<SM>::has(90, 80), "elect.sync needs sm_90");
  uint32_t elected;
  asm volatile("{\n\t.reg .b32 lane;\n\t.reg .pred elected;\n\t"
               "elect.sync lane|elected, %1;\n\t"
               "selp.u32 %0, 1, 0, elected;\n\t}"
               : "=r"(elected)
               : "r"(mask)
               : "memory");
  return elected != 0;
}

} // namespace carousel

#endif // CAROUSEL_DEVICE_ELECT_H
