// The lowering of stores and reductions to multicast addresses: inline PTX with a memory clobber. multimem.st has no
// vectors of bits, and halves go in pairs.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-convert-to-nvvm))' | FileCheck %s

#gl = #gpu.address_space<global>

gpu.module @sm_90 [#nvvm.target<chip = "sm_90", features = "+ptx81">] {
  // CHECK-LABEL: gpu.func @store
  // CHECK: llvm.bitcast %{{.*}} : f32 to i32
  // CHECK: llvm.inline_asm has_side_effects {{.*}}"multimem.st.weak.global.b32 [$0], $1;", "l,r,~{memory}"
  // CHECK: llvm.bitcast %{{.*}} : vector<8xi8> to i64
  // CHECK: llvm.inline_asm has_side_effects {{.*}}"multimem.st.weak.global.b64 [$0], $1;", "l,l,~{memory}"
  // CHECK: llvm.bitcast %{{.*}} : vector<8xf16> to vector<4xf32>
  // CHECK-COUNT-4: llvm.extractelement
  // CHECK: llvm.inline_asm has_side_effects {{.*}}"multimem.st.weak.global.v4.f32 [$0], {$1, $2, $3, $4};", "l,f,f,f,f,~{memory}"
  gpu.func @store(%all: memref<?xf32, #gl>, %bytes: memref<?xi8, #gl>, %halves: memref<?xf16, #gl>, %i: index, %f: f32,
                  %b: vector<8xi8>, %h: vector<8xf16>) {
    carousel.multimem.store %f to %all[%i] : f32, memref<?xf32, #gl>
    carousel.multimem.store %b to %bytes[%i] : vector<8xi8>, memref<?xi8, #gl>
    carousel.multimem.store %h to %halves[%i] : vector<8xf16>, memref<?xf16, #gl>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @reduce
  // CHECK: "multimem.red.relaxed.sys.global.add.f32 [$0], $1;", "l,f,~{memory}"
  // CHECK: "multimem.red.relaxed.sys.global.add.v4.f32 [$0], {$1, $2, $3, $4};", "l,f,f,f,f,~{memory}"
  // CHECK: "multimem.red.relaxed.sys.global.add.v2.f16x2 [$0], {$1, $2};", "l,r,r,~{memory}"
  // CHECK: "multimem.red.relaxed.sys.global.add.bf16x2 [$0], $1;", "l,r,~{memory}"
  // CHECK: "multimem.red.relaxed.sys.global.min.s64 [$0], $1;", "l,l,~{memory}"
  gpu.func @reduce(%x: memref<?xf32, #gl>, %y: memref<?xf16, #gl>, %z: memref<?xbf16, #gl>, %w: memref<?xi64, #gl>,
                   %i: index, %f: f32, %v: vector<4xf32>, %h: vector<4xf16>, %b: vector<2xbf16>, %n: i64) {
    carousel.multimem.reduce add f32 %f to %x[%i] : f32, memref<?xf32, #gl>
    carousel.multimem.reduce add f32 %v to %x[%i] : vector<4xf32>, memref<?xf32, #gl>
    carousel.multimem.reduce add f16 %h to %y[%i] : vector<4xf16>, memref<?xf16, #gl>
    carousel.multimem.reduce add bf16 %b to %z[%i] : vector<2xbf16>, memref<?xbf16, #gl>
    carousel.multimem.reduce min s64 %n to %w[%i] : i64, memref<?xi64, #gl>
    gpu.return
  }
}
