//===- OrderedManifest.h - a package with workspaces ------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernel "ordered": x, a row of semaphores, and a matrix of sums with a
// tensor map. Its first variant is cooperative.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TEST_RUNTIME_FIXTURES_ORDEREDMANIFEST_H
#define CAROUSEL_TEST_RUNTIME_FIXTURES_ORDEREDMANIFEST_H

#include "TestPackages.h"

namespace carousel::runtime::test {

inline std::string makeOrderedManifest() {
  constexpr const char *kKernels = R"([
{"name": "ordered",
 "arguments": [
   {"name": "x", "kind": "tensor", "access": "in", "element": "f32",
    "extents": [null], "strides": "contiguous"},
   {"name": "semaphores", "kind": "workspace", "element": "i32",
    "extents": [["ceildiv", ["extent", 0, 0], 128]]},
   {"name": "sums", "kind": "workspace", "element": "f32",
    "extents": [["extent", 0, 0], 64]}],
 "variants": [
   {"function": "ordered_tma", "module": "copies", "chips": ["sm_90a"],
    "guards": [{"kind": "aligned", "argument": 2, "bytes": 256}],
    "index_bits": 64,
    "parameters": [
      {"kind": "pointer", "argument": 0},
      {"kind": "extent", "argument": 0, "dim": 0},
      {"kind": "pointer", "argument": 1},
      {"kind": "extent", "argument": 1, "dim": 0},
      {"kind": "pointer", "argument": 2},
      {"kind": "extent", "argument": 2, "dim": 0},
      {"kind": "stride", "argument": 2, "dim": 0},
      {"kind": "tensor_map", "map": 0}],
    "tensor_maps": [
      {"argument": 2, "element": "f32", "mode": "tile", "box": [64, 32],
       "element_strides": [1, 1], "lower": [], "upper": [],
       "swizzle": "none", "interleave": "none", "promotion": "none",
       "fill": "zero", "extents": [["extent", 2, 0], ["extent", 2, 1]],
       "strides": [["mul", ["stride", 2, 0], 4]], "offset": 256}],
    "grid": [["extent", 1, 0], 1, 1], "block": [128, 1, 1],
    "cluster": [1, 1, 1], "dynamic_shared": 1024, "cooperative": true},
   {"function": "ordered_simple", "module": "simple", "chips": ["sm_80"],
    "guards": [], "index_bits": 64,
    "parameters": [{"kind": "pointer", "argument": 1}], "tensor_maps": [],
    "grid": [1, 1, 1], "block": [128, 1, 1], "cluster": [1, 1, 1],
    "dynamic_shared": 0}]}])";
  return setMember(setMember(makeCopyManifest(), "/version", "2"), "/kernels",
                   kKernels);
}

} // namespace carousel::runtime::test

#endif // CAROUSEL_TEST_RUNTIME_FIXTURES_ORDEREDMANIFEST_H
