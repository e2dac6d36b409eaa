// Stores and reductions to multicast addresses in PTX: every form. No ordinary access passes one.
// RUN: carousel-translate --mlir-to-ptx --chip=sm_90 %s | FileCheck %s
// RUN: carousel-translate --mlir-to-ptx --chip=sm_90a --opt-level=1 %s | FileCheck %s
// RUN: carousel-translate --mlir-to-ptx --chip=sm_100a %s | FileCheck %s
// RUN: carousel-translate --mlir-to-ptx --chip=sm_120a %s | FileCheck %s
// RUN: not carousel-translate --mlir-to-ptx --chip=sm_80 %s 2>&1 | FileCheck %s --check-prefix=OLD
// OLD: error: 'carousel.multimem.store' op needs sm_90 and PTX 8.1, the target is sm_80

#gl = #gpu.address_space<global>

gpu.module @multimem {
  // CHECK-LABEL: .entry forms(
  // CHECK: multimem.st.weak.global.b32
  // CHECK: multimem.st.weak.global.b64
  // CHECK: multimem.st.weak.global.v4.f32
  // CHECK: multimem.st.weak.global.v4.f32
  // CHECK: multimem.red.relaxed.sys.global.add.u32
  // CHECK: multimem.red.relaxed.sys.global.add.s32
  // CHECK: multimem.red.relaxed.sys.global.add.u64
  // CHECK: multimem.red.relaxed.sys.global.add.f64
  // CHECK: multimem.red.relaxed.sys.global.add.f32
  // CHECK: multimem.red.relaxed.sys.global.min.u32
  // CHECK: multimem.red.relaxed.sys.global.min.s32
  // CHECK: multimem.red.relaxed.sys.global.min.u64
  // CHECK: multimem.red.relaxed.sys.global.min.s64
  // CHECK: multimem.red.relaxed.sys.global.max.u32
  // CHECK: multimem.red.relaxed.sys.global.max.s32
  // CHECK: multimem.red.relaxed.sys.global.max.u64
  // CHECK: multimem.red.relaxed.sys.global.max.s64
  // CHECK: multimem.red.relaxed.sys.global.and.b32
  // CHECK: multimem.red.relaxed.sys.global.and.b64
  // CHECK: multimem.red.relaxed.sys.global.or.b32
  // CHECK: multimem.red.relaxed.sys.global.or.b64
  // CHECK: multimem.red.relaxed.sys.global.xor.b32
  // CHECK: multimem.red.relaxed.sys.global.xor.b64
  // CHECK: multimem.red.relaxed.sys.global.add.v2.f32
  // CHECK: multimem.red.relaxed.sys.global.add.v4.f32
  // CHECK: multimem.red.relaxed.sys.global.add.f16x2
  // CHECK: multimem.red.relaxed.sys.global.add.bf16x2
  // CHECK: multimem.red.relaxed.sys.global.add.v2.f16x2
  // CHECK: multimem.red.relaxed.sys.global.add.v2.bf16x2
  // CHECK: multimem.red.relaxed.sys.global.add.v4.f16x2
  // CHECK: multimem.red.relaxed.sys.global.add.v4.bf16x2
  // CHECK: ret
  gpu.func @forms(%mf: memref<?xf32, #gl> {carousel.multicast}, %md: memref<?xf64, #gl> {carousel.multicast},
      %mi32: memref<?xi32, #gl> {carousel.multicast}, %mi64: memref<?xi64, #gl> {carousel.multicast},
      %mh: memref<?xf16, #gl> {carousel.multicast}, %mb: memref<?xbf16, #gl> {carousel.multicast},
      %x: memref<?xf32, #gl>, %xh: memref<?xf16, #gl>, %xb: memref<?xbf16, #gl>, %f: f32, %d: f64, %i: i32, %l: i64) kernel {
    %c0 = arith.constant 0 : index
    %v2 = vector.load %x[%c0] : memref<?xf32, #gl>, vector<2xf32>
    %v4 = vector.load %x[%c0] : memref<?xf32, #gl>, vector<4xf32>
    %h2 = vector.load %xh[%c0] : memref<?xf16, #gl>, vector<2xf16>
    %h4 = vector.load %xh[%c0] : memref<?xf16, #gl>, vector<4xf16>
    %h8 = vector.load %xh[%c0] : memref<?xf16, #gl>, vector<8xf16>
    %b2 = vector.load %xb[%c0] : memref<?xbf16, #gl>, vector<2xbf16>
    %b4 = vector.load %xb[%c0] : memref<?xbf16, #gl>, vector<4xbf16>
    %b8 = vector.load %xb[%c0] : memref<?xbf16, #gl>, vector<8xbf16>
    carousel.multimem.store %f to %mf[%c0] : f32, memref<?xf32, #gl>
    carousel.multimem.store %l to %mi64[%c0] : i64, memref<?xi64, #gl>
    carousel.multimem.store %v4 to %mf[%c0] : vector<4xf32>, memref<?xf32, #gl>
    carousel.multimem.store %h8 to %mh[%c0] : vector<8xf16>, memref<?xf16, #gl>
    carousel.multimem.reduce add u32 %i to %mi32[%c0] : i32, memref<?xi32, #gl>
    carousel.multimem.reduce add s32 %i to %mi32[%c0] : i32, memref<?xi32, #gl>
    carousel.multimem.reduce add u64 %l to %mi64[%c0] : i64, memref<?xi64, #gl>
    carousel.multimem.reduce add f64 %d to %md[%c0] : f64, memref<?xf64, #gl>
    carousel.multimem.reduce add f32 %f to %mf[%c0] : f32, memref<?xf32, #gl>
    carousel.multimem.reduce min u32 %i to %mi32[%c0] : i32, memref<?xi32, #gl>
    carousel.multimem.reduce min s32 %i to %mi32[%c0] : i32, memref<?xi32, #gl>
    carousel.multimem.reduce min u64 %l to %mi64[%c0] : i64, memref<?xi64, #gl>
    carousel.multimem.reduce min s64 %l to %mi64[%c0] : i64, memref<?xi64, #gl>
    carousel.multimem.reduce max u32 %i to %mi32[%c0] : i32, memref<?xi32, #gl>
    carousel.multimem.reduce max s32 %i to %mi32[%c0] : i32, memref<?xi32, #gl>
    carousel.multimem.reduce max u64 %l to %mi64[%c0] : i64, memref<?xi64, #gl>
    carousel.multimem.reduce max s64 %l to %mi64[%c0] : i64, memref<?xi64, #gl>
    carousel.multimem.reduce and b32 %i to %mi32[%c0] : i32, memref<?xi32, #gl>
    carousel.multimem.reduce and b64 %l to %mi64[%c0] : i64, memref<?xi64, #gl>
    carousel.multimem.reduce or b32 %i to %mi32[%c0] : i32, memref<?xi32, #gl>
    carousel.multimem.reduce or b64 %l to %mi64[%c0] : i64, memref<?xi64, #gl>
    carousel.multimem.reduce xor b32 %i to %mi32[%c0] : i32, memref<?xi32, #gl>
    carousel.multimem.reduce xor b64 %l to %mi64[%c0] : i64, memref<?xi64, #gl>
    carousel.multimem.reduce add f32 %v2 to %mf[%c0] : vector<2xf32>, memref<?xf32, #gl>
    carousel.multimem.reduce add f32 %v4 to %mf[%c0] : vector<4xf32>, memref<?xf32, #gl>
    carousel.multimem.reduce add f16 %h2 to %mh[%c0] : vector<2xf16>, memref<?xf16, #gl>
    carousel.multimem.reduce add bf16 %b2 to %mb[%c0] : vector<2xbf16>, memref<?xbf16, #gl>
    carousel.multimem.reduce add f16 %h4 to %mh[%c0] : vector<4xf16>, memref<?xf16, #gl>
    carousel.multimem.reduce add bf16 %b4 to %mb[%c0] : vector<4xbf16>, memref<?xbf16, #gl>
    carousel.multimem.reduce add f16 %h8 to %mh[%c0] : vector<8xf16>, memref<?xf16, #gl>
    carousel.multimem.reduce add bf16 %b8 to %mb[%c0] : vector<8xbf16>, memref<?xbf16, #gl>
    gpu.return
  }

  // CHECK-LABEL: .entry order(
  // CHECK: st.global
  // CHECK: multimem.st.weak.global.b32
  // CHECK: ld.global
  // CHECK: multimem.red.relaxed.sys.global.add.f32
  // CHECK: st.global
  // CHECK: ret
  gpu.func @order(%all: memref<?xf32, #gl> {carousel.multicast}, %x: memref<?xf32, #gl>, %f: f32) kernel {
    %c0 = arith.constant 0 : index
    memref.store %f, %x[%c0] : memref<?xf32, #gl>
    carousel.multimem.store %f to %all[%c0] : f32, memref<?xf32, #gl>
    %g = memref.load %x[%c0] : memref<?xf32, #gl>
    carousel.multimem.reduce add f32 %f to %all[%c0] : f32, memref<?xf32, #gl>
    %h = arith.addf %g, %f : f32
    memref.store %h, %x[%c0] : memref<?xf32, #gl>
    gpu.return
  }
}
