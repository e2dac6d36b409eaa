//===- grid_dependency.h - grids that depend on grids -----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programmatic dependent launches.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DEVICE_GRID_DEPENDENCY_H
#define CAROUSEL_DEVICE_GRID_DEPENDENCY_H

#include <carousel/device/types.h>

namespace carousel {

/// Lets the dependent grids start once every CTA has said so or ended; orders
/// no memory.
/// PTX: griddepcontrol.launch_dependents; sm_90
template <int SM = target::sm> CAROUSEL_DEVICE void grid_launch_dependents() {
  static_assert(target::on<SM>::has(90, 80), "griddepcontrol needs sm_90");
  asm volatile("griddepcontrol.launch_dependents;" : : : "memory");
}

/// Waits until the prerequisite grids have ended and their writes are visible.
/// PTX: griddepcontrol.wait; sm_90
template <int SM = target::sm> CAROUSEL_DEVICE void grid_dependency_wait() {
  static_assert(target::on<SM>::has(90, 80), "griddepcontrol needs sm_90");
  asm volatile("griddepcontrol.wait;" : : : "memory");
}

} // namespace carousel

#endif // CAROUSEL_DEVICE_GRID_DEPENDENCY_H
