// The lowering of reductions of vectors: inline PTX with a memory clobber. Halves go in pairs.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-convert-to-nvvm))' | FileCheck %s

#gl = #gpu.address_space<global>

gpu.module @sm_90 [#nvvm.target<chip = "sm_90", features = "+ptx81">] {
  // CHECK-LABEL: gpu.func @reduce
  // CHECK: "red.relaxed.gpu.global.add.v4.f32 [$0], {$1, $2, $3, $4};", "l,f,f,f,f,~{memory}"
  // CHECK: "red.relaxed.gpu.global.add.v2.f32 [$0], {$1, $2};", "l,f,f,~{memory}"
  // CHECK: "red.relaxed.gpu.global.add.noftz.v2.f16x2 [$0], {$1, $2};", "l,r,r,~{memory}"
  // CHECK: "red.relaxed.gpu.global.add.noftz.v4.bf16x2 [$0], {$1, $2, $3, $4};", "l,r,r,r,r,~{memory}"
  gpu.func @reduce(%x: memref<?xf32, #gl>, %y: memref<?xf16, #gl>, %z: memref<?xbf16, #gl>, %i: index, %v: vector<4xf32>,
                   %w: vector<2xf32>, %h: vector<4xf16>, %c: vector<8xbf16>) {
    carousel.vector.reduce add f32 %v to %x[%i] : vector<4xf32>, memref<?xf32, #gl>
    carousel.vector.reduce add f32 %w to %x[%i] : vector<2xf32>, memref<?xf32, #gl>
    carousel.vector.reduce add f16 %h to %y[%i] : vector<4xf16>, memref<?xf16, #gl>
    carousel.vector.reduce add bf16 %c to %z[%i] : vector<8xbf16>, memref<?xbf16, #gl>
    gpu.return
  }
}
