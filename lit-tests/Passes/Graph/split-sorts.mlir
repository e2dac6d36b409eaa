// Sorts of what is read alone, of parts of long lines, and counts where no CTA sorts.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(func.func(carousel-split-sorts))' | FileCheck %s --check-prefix=SPLIT
// RUN: carousel-opt %s --pass-pipeline='builtin.module(func.func(carousel-split-sorts,carousel-expand-sorts))' -o /dev/null --remarks-filter=carousel-normalize-graph --remark-format=emitRemark --verify-diagnostics
// RUN: carousel-opt %s --pass-pipeline='builtin.module(func.func(carousel-expand-sorts))' 2>/dev/null | FileCheck %s --check-prefix=EXPAND

#read = affine_map<(i, p, j) -> (i, j)>
#sorted = affine_map<(i, p, j) -> (i, p)>

// SPLIT-LABEL: func.func @top(
// SPLIT: linalg.generic
// SPLIT-SAME: outs(%{{.*}} : tensor<4x6xi32>)
// SPLIT-NOT: extract_slice
// DOC-EXAMPLE: --carousel-split-sorts
func.func @top(%x: tensor<4x300xi32>) -> tensor<4x6xi32> {
  %e = tensor.empty() : tensor<4x300xi32>
  %r = linalg.generic {indexing_maps = [#read, #sorted], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<4x300xi32>) outs(%e : tensor<4x300xi32>) {
  ^bb0(%k: i32, %o: i32):
    %place = carousel.sorted %k : i32
    linalg.yield %place : i32
  } -> tensor<4x300xi32>
  %a = tensor.extract_slice %r[0, 0] [4, 6] [1, 1] : tensor<4x300xi32> to tensor<4x6xi32>
  return %a : tensor<4x6xi32>
}

// A prime number of elements, which padding follows: parts of 2003 elements, and their first ones.
// SPLIT-LABEL: func.func @long(
// SPLIT: tensor.pad
// SPLIT: tensor.expand_shape
// SPLIT: carousel.sorted
// SPLIT: tensor.collapse_shape
// SPLIT: carousel.sorted
// SPLIT-NOT: carousel.sorted
// SPLIT: return
func.func @long(%x: tensor<4x20011xi32>) -> tensor<4x6xi32> {
  %e = tensor.empty() : tensor<4x20011xi32>
  %r = linalg.generic {indexing_maps = [#read, #sorted], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<4x20011xi32>) outs(%e : tensor<4x20011xi32>) {
  ^bb0(%k: i32, %o: i32):
    %place = carousel.sorted %k : i32
    linalg.yield %place : i32
  } -> tensor<4x20011xi32>
  %a = tensor.extract_slice %r[0, 0] [4, 6] [1, 1] : tensor<4x20011xi32> to tensor<4x6xi32>
  return %a : tensor<4x6xi32>
}

// Any number of lines, of which slices leave some out.
// SPLIT-LABEL: func.func @lines(
// SPLIT: tensor.expand_shape
// SPLIT: carousel.sorted
// SPLIT: carousel.sorted
// SPLIT: tensor.extract_slice {{.*}}[%{{.*}}, 0] [%{{.*}}, 6] [1, 1] : tensor<?x6xi32>
func.func @lines(%x: tensor<?x20000xi32>, %e: tensor<?x20000xi32>, %first: index, %count: index) -> tensor<?x6xi32> {
  %r = linalg.generic {indexing_maps = [#read, #sorted], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<?x20000xi32>) outs(%e : tensor<?x20000xi32>) {
  ^bb0(%k: i32, %o: i32):
    %place = carousel.sorted %k : i32
    linalg.yield %place : i32
  } -> tensor<?x20000xi32>
  %a = tensor.extract_slice %r[%first, 0] [%count, 6] [1, 1] : tensor<?x20000xi32> to tensor<?x6xi32>
  return %a : tensor<?x6xi32>
}

// SPLIT-LABEL: func.func @unknown(
// SPLIT: carousel.sorted
// EXPAND-LABEL: func.func @unknown(
// EXPAND-NOT: carousel.sorted
// EXPAND: linalg.index
// EXPAND: arith.cmpi ult
// EXPAND: arith.cmpi sle
// EXPAND: arith.cmpi slt
// EXPAND: arith.cmpi eq
// EXPAND: tensor.extract
// DOC-EXAMPLE: --carousel-expand-sorts
func.func @unknown(%x: tensor<4x?xi32>, %e: tensor<4x?xi32>) -> tensor<4x?xi32> {
  // expected-remark @below {{each element is compared with all others: the threads of a CTA sort 2 to 8192 elements, got an unknown number}}
  %r = linalg.generic {indexing_maps = [#read, #sorted], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<4x?xi32>) outs(%e : tensor<4x?xi32>) {
  ^bb0(%k: i32, %o: i32):
    %place, %sorted = carousel.sorted %k, %k : i32, i32
    linalg.yield %sorted : i32
  } -> tensor<4x?xi32>
  return %r : tensor<4x?xi32>
}

// All of a long line.
func.func @whole(%x: tensor<4x8193xi32>, %e: tensor<4x8193xi32>) -> tensor<4x8193xi32> {
  // expected-remark @below {{got 8193}}
  %r = linalg.generic {indexing_maps = [#read, #sorted], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<4x8193xi32>) outs(%e : tensor<4x8193xi32>) {
  ^bb0(%k: i32, %o: i32):
    %place, %sorted = carousel.sorted %k, %k : i32, i32
    linalg.yield %sorted : i32
  } -> tensor<4x8193xi32>
  return %r : tensor<4x8193xi32>
}
