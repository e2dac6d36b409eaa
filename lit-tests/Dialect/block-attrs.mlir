// Attributes of block programs: every form, printed and parsed again.
// RUN: carousel-opt %s | FileCheck %s
// RUN: carousel-opt %s | carousel-opt | FileCheck %s
// RUN: carousel-opt %s --mlir-print-op-generic | carousel-opt | FileCheck %s

// CHECK-LABEL: func.func private @layouts
// CHECK-SAME: a_empty = #carousel.layout<>
// CHECK-SAME: b_all = #carousel.layout<register = {{\[\[}}0, 1], [0, 2]], lane = {{\[\[}}0, 4], [1, 0]], warp = {{\[\[}}0, 0]], cta = {{\[\[}}2, 0]]>
// CHECK-SAME: c_some = #carousel.layout<lane = {{\[\[}}1], [2]], cta = {{\[\[}}4]]>
func.func private @layouts() attributes {
  a_empty = #carousel.layout<>,
  b_all = #carousel.layout<cta = [[2, 0]], warp = [[0, 0]], lane = [[0, 4], [1, 0]], register = [[0, 1], [0, 2]]>,
  c_some = #carousel.layout<warp = [], lane = [[1], [2]], cta = [[4]]>}

// CHECK-LABEL: func.func private @programs
// CHECK-SAME: a_empty = #carousel.block_program<>
// CHECK-SAME: b_width = #carousel.block_program<width = 4096, covers = extent(0, 1)>
// CHECK-SAME: c_all = #carousel.block_program<width = 2, covers = extent(1, 0) * 2, programs = 1, keeps = 6>
// CHECK-SAME: d_programs = #carousel.block_program<programs = 1024>
// CHECK-SAME: e_keeps = #carousel.block_program<width = 64, covers = extent(0, 1), keeps = 64>
func.func private @programs() attributes {
  a_empty = #carousel.block_program<>,
  b_width = #carousel.block_program<covers = extent(0, 1), width = 4096>,
  c_all = #carousel.block_program<keeps = 6, programs = 1, width = 2, covers = extent(1, 0) * 2>,
  d_programs = #carousel.block_program<programs = 1024>,
  e_keeps = #carousel.block_program<width = 64, covers = extent(0, 1), keeps = 64>}

gpu.module @m {
  // A launch without a block, and an op's layout.
  // CHECK-LABEL: gpu.func @kernel
  // CHECK-SAME: carousel.launch = #carousel.launch<grid = [sms]>
  // CHECK: carousel.layout = #carousel.layout<register = {{\[\[}}1]], lane = {{\[\[}}2]]>
  gpu.func @kernel() kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [sms]>} {
    %v = arith.constant {carousel.layout = #carousel.layout<register = [[1]], lane = [[2]]>} dense<0.0> : vector<4xf32>
    gpu.return
  }
}
