//===- ProgramManifest.h - a manifest with a program ------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two kernels that the fake driver runs, a program "twice" of them, and a
// program "product" of a call of a library.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TEST_RUNTIME_FIXTURES_PROGRAMMANIFEST_H
#define CAROUSEL_TEST_RUNTIME_FIXTURES_PROGRAMMANIFEST_H

#include "TestPackages.h"

namespace carousel::runtime::test {

/// The kernels "copy" and "scale" of makeCopyManifest, and the program "twice":
/// tensor<?xf32> x (in), f32 factor (in), tensor<2x?xf32> y (out), and a
/// workspace of the bytes of x. y[0] = x * factor by a copy to the workspace, a
/// launch of "scale" on it and a launch of "copy" of it to y[0]; y[1] is filled
/// with 1.0, and its first two elements are those of a constant.
inline std::string makeProgramManifest() {
  constexpr const char *kPrograms = R"([
{"name": "twice",
 "arguments": [
   {"name": "x", "kind": "tensor", "access": "in", "element": "f32",
    "extents": [null], "strides": "contiguous"},
   {"name": "factor", "kind": "scalar", "access": "in", "element": "f32"},
   {"name": "y", "kind": "tensor", "access": "out", "element": "f32",
    "extents": [2, null], "strides": "contiguous"},
   {"name": "work", "kind": "workspace", "element": "i8",
    "extents": [["mul", ["extent", 0, 0], 4]]}],
 "constants": [{"element": "f32", "extents": [2], "offset": 256}],
 "checks": [
   {"guard": {"kind": "equal", "left": ["extent", 0, 0],
              "right": ["extent", 2, 1]},
    "message": "expected y to be as long as x"},
   {"guard": {"kind": "range", "value": ["extent", 0, 0], "min": 2,
              "max": 1000000}, "message": "expected a length of 2 or more"}],
 "steps": [
   {"kind": "copy",
    "source": {"kind": "tensor", "argument": 0, "element": "f32", "offset": 0,
               "extents": [["extent", 0, 0]], "strides": [1]},
    "target": {"kind": "tensor", "argument": 3, "element": "f32", "offset": 0,
               "extents": [["extent", 0, 0]], "strides": [1]}},
   {"kind": "launch", "kernel": "scale", "operands": [
     {"kind": "tensor", "argument": 3, "element": "f32", "offset": 0,
      "extents": [["extent", 0, 0]], "strides": [1]},
     {"kind": "number", "element": "index", "value": ["extent", 0, 0]},
     {"kind": "scalar", "argument": 1},
     {"kind": "bits", "element": "i32", "bits": -1}]},
   {"kind": "launch", "kernel": "copy", "family": "elementwise",
    "sources": ["twice.mlir:7"], "operands": [
     {"kind": "tensor", "argument": 3, "element": "f32", "offset": 0,
      "extents": [["extent", 0, 0]], "strides": [1]},
     {"kind": "tensor", "argument": 2, "element": "f32", "offset": 0,
      "extents": [["extent", 0, 0]], "strides": [1]}]},
   {"kind": "fill",
    "value": {"kind": "bits", "element": "f32", "bits": 1065353216},
    "target": {"kind": "tensor", "argument": 2, "element": "f32",
               "offset": ["mul", ["extent", 0, 0], 4],
               "extents": [["extent", 0, 0]], "strides": [1]}},
   {"kind": "copy",
    "source": {"kind": "constant", "constant": 0, "element": "f32",
               "offset": 0, "extents": [2], "strides": [1]},
    "target": {"kind": "tensor", "argument": 2, "element": "f32",
               "offset": ["mul", ["extent", 0, 0], 4],
               "extents": [2], "strides": [1]}}]}])";
  std::string manifest =
      setMember(makeCopyManifest(), "/constants",
                R"({"file": "constants.bin", "bytes": 264, "hash":
  "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"})");
  return setMember(manifest, "/programs", kPrograms);
}

/// The program "product": tensor<?x?xf32> x and w (in), tensor<?x?xf32> y
/// (out), and a workspace of 8192 bytes. y = x * transpose(w), by a library
/// that has the second half of the workspace.
inline std::string makeProductManifest() {
  constexpr const char *kPrograms = R"([
{"name": "product",
 "arguments": [
   {"name": "x", "kind": "tensor", "access": "in", "element": "f32",
    "extents": [null, null], "strides": "contiguous"},
   {"name": "w", "kind": "tensor", "access": "in", "element": "f32",
    "extents": [null, null], "strides": "contiguous"},
   {"name": "y", "kind": "tensor", "access": "out", "element": "f32",
    "extents": [null, null], "strides": "contiguous"},
   {"name": "work", "kind": "workspace", "element": "i8", "extents": [8192]}],
 "constants": [], "checks": [],
 "steps": [
   {"kind": "matmul", "tf32": false,
    "lhs": {"kind": "tensor", "argument": 0, "element": "f32", "offset": 0,
            "extents": [["extent", 0, 0], ["extent", 0, 1]],
            "strides": [["extent", 0, 1], 1]},
    "rhs": {"kind": "tensor", "argument": 1, "element": "f32", "offset": 0,
            "extents": [["extent", 1, 1], ["extent", 1, 0]],
            "strides": [1, ["extent", 1, 1]]},
    "target": {"kind": "tensor", "argument": 2, "element": "f32", "offset": 0,
               "extents": [["extent", 2, 0], ["extent", 2, 1]],
               "strides": [["extent", 2, 1], 1]},
    "scratch": {"kind": "tensor", "argument": 3, "element": "i8",
                "offset": 4096, "extents": [4096], "strides": [1]},
    "family": "library", "sources": ["product.mlir:3"]}]}])";
  return setMember(makeCopyManifest(), "/programs", kPrograms);
}

/// The program "product" with tensor<?xf32> b (in) and tensor<?x?xf32> r (in)
/// before its workspace: y = relu(x w^T + b + r).
inline std::string makeFusedProductManifest() {
  std::string manifest = makeProductManifest();
  auto set = [&](const char *place, const char *value) {
    manifest = setMember(manifest, std::string("/programs/0/") + place, value);
  };
  set("arguments/3", R"({"name": "b", "kind": "tensor", "access": "in",
      "element": "f32", "extents": [null], "strides": "contiguous"})");
  set("arguments/4", R"({"name": "r", "kind": "tensor", "access": "in",
      "element": "f32", "extents": [null, null], "strides": "contiguous"})");
  set("arguments/5", R"({"name": "work", "kind": "workspace", "element": "i8",
      "extents": [8192]})");
  set("steps/0/kind", "\"fused_matmul\"");
  set("steps/0/function", "\"relu\"");
  set("steps/0/scratch/argument", "5");
  set("steps/0/bias", R"({"kind": "tensor", "argument": 3, "element": "f32",
      "offset": 0, "extents": [["extent", 3, 0]], "strides": [1]})");
  set("steps/0/residual", R"({"kind": "tensor", "argument": 4,
      "element": "f32", "offset": 0,
      "extents": [["extent", 4, 0], ["extent", 4, 1]],
      "strides": [["extent", 4, 1], 1]})");
  return manifest;
}

/// The program "again": tensor<?x?xf32> x (in) and y (out), which may have the
/// memory of x. y = x.
inline std::string makeDonationManifest() {
  constexpr const char *kPrograms = R"([
{"name": "again",
 "arguments": [
   {"name": "x", "kind": "tensor", "access": "in", "element": "f32",
    "extents": [null, null], "strides": "contiguous"},
   {"name": "y", "kind": "tensor", "access": "out", "element": "f32",
    "extents": [null, null], "strides": "contiguous", "may_alias": 0}],
 "constants": [], "checks": [],
 "steps": [
   {"kind": "copy",
    "source": {"kind": "tensor", "argument": 0, "element": "f32", "offset": 0,
               "extents": [["extent", 0, 0], ["extent", 0, 1]],
               "strides": [["extent", 0, 1], 1]},
    "target": {"kind": "tensor", "argument": 1, "element": "f32", "offset": 0,
               "extents": [["extent", 1, 0], ["extent", 1, 1]],
               "strides": [["extent", 1, 1], 1]}}]}])";
  return setMember(makeCopyManifest(), "/programs", kPrograms);
}

/// The program "loads": the parameter tensor<8xf32> w, tensor<8xf32> x, and
/// tensor<16xf32> y (out): y = (2w, x). At load, 2w is written to a workspace
/// by a copy and a launch of "scale".
inline std::string makeLoadManifest() {
  constexpr const char *kPrograms = R"([
{"name": "loads",
 "arguments": [
   {"name": "w", "kind": "tensor", "access": "in", "element": "f32",
    "extents": [8], "strides": "contiguous", "parameter": true},
   {"name": "x", "kind": "tensor", "access": "in", "element": "f32",
    "extents": [8], "strides": "contiguous"},
   {"name": "y", "kind": "tensor", "access": "out", "element": "f32",
    "extents": [16], "strides": "contiguous"},
   {"name": "loaded", "kind": "workspace", "element": "i8", "extents": [32]}],
 "constants": [], "checks": [],
 "steps": [
   {"kind": "copy", "at_load": true,
    "source": {"kind": "tensor", "argument": 0, "element": "f32", "offset": 0,
               "extents": [8], "strides": [1]},
    "target": {"kind": "tensor", "argument": 3, "element": "f32", "offset": 0,
               "extents": [8], "strides": [1]}},
   {"kind": "copy",
    "source": {"kind": "tensor", "argument": 1, "element": "f32", "offset": 0,
               "extents": [8], "strides": [1]},
    "target": {"kind": "tensor", "argument": 2, "element": "f32", "offset": 32,
               "extents": [8], "strides": [1]}},
   {"kind": "launch", "kernel": "scale", "at_load": true, "operands": [
     {"kind": "tensor", "argument": 3, "element": "f32", "offset": 0,
      "extents": [8], "strides": [1]},
     {"kind": "number", "element": "index", "value": 8},
     {"kind": "bits", "element": "f32", "bits": 1073741824},
     {"kind": "bits", "element": "i32", "bits": -1}]},
   {"kind": "launch", "kernel": "copy", "operands": [
     {"kind": "tensor", "argument": 3, "element": "f32", "offset": 0,
      "extents": [8], "strides": [1]},
     {"kind": "tensor", "argument": 2, "element": "f32", "offset": 0,
      "extents": [8], "strides": [1]}]}]}])";
  return setMember(makeCopyManifest(), "/programs", kPrograms);
}

/// The constants.bin of "twice": 3.0 and -2.0 at byte 256.
inline std::string makeConstants() {
  std::string contents(256, '\0');
  for (float value : {3.0f, -2.0f})
    contents.append(reinterpret_cast<const char *>(&value), sizeof(value));
  return contents;
}

} // namespace carousel::runtime::test

#endif // CAROUSEL_TEST_RUNTIME_FIXTURES_PROGRAMMANIFEST_H
