// Stores and reductions to multicast addresses in CUDA C++: calls of carousel/device/multimem.h. texts-compile.test compiles them.
// RUN: carousel-translate --mlir-to-cuda --chip=sm_90a --cuda-locations=0 %s | FileCheck %s

#gl = #gpu.address_space<global>

// CHECK: #include <carousel/device/multimem.h>
gpu.module @multimem {
  // CHECK-LABEL: void forms(
  // CHECK: carousel::multimem_store(f, mf);
  // CHECK: carousel::multimem_store(l, mi64);
  // CHECK: carousel::multimem_store(v4, mf);
  // CHECK: carousel::multimem_store(h8, mh);
  // CHECK: carousel::multimem_reduce<carousel::reduce::add, carousel::reduce_type::u32>(i, mi32);
  // CHECK: carousel::multimem_reduce<carousel::reduce::add, carousel::reduce_type::s32>(i, mi32);
  // CHECK: carousel::multimem_reduce<carousel::reduce::add, carousel::reduce_type::u64>(l, mi64);
  // CHECK: carousel::multimem_reduce<carousel::reduce::add, carousel::reduce_type::f64>(d, md);
  // CHECK: carousel::multimem_reduce<carousel::reduce::add, carousel::reduce_type::f32>(f, mf);
  // CHECK: carousel::multimem_reduce<carousel::reduce::min, carousel::reduce_type::u32>(i, mi32);
  // CHECK: carousel::multimem_reduce<carousel::reduce::min, carousel::reduce_type::s32>(i, mi32);
  // CHECK: carousel::multimem_reduce<carousel::reduce::min, carousel::reduce_type::u64>(l, mi64);
  // CHECK: carousel::multimem_reduce<carousel::reduce::min, carousel::reduce_type::s64>(l, mi64);
  // CHECK: carousel::multimem_reduce<carousel::reduce::max, carousel::reduce_type::u32>(i, mi32);
  // CHECK: carousel::multimem_reduce<carousel::reduce::max, carousel::reduce_type::s32>(i, mi32);
  // CHECK: carousel::multimem_reduce<carousel::reduce::max, carousel::reduce_type::u64>(l, mi64);
  // CHECK: carousel::multimem_reduce<carousel::reduce::max, carousel::reduce_type::s64>(l, mi64);
  // CHECK: carousel::multimem_reduce<carousel::reduce::and_, carousel::reduce_type::b32>(i, mi32);
  // CHECK: carousel::multimem_reduce<carousel::reduce::and_, carousel::reduce_type::b64>(l, mi64);
  // CHECK: carousel::multimem_reduce<carousel::reduce::or_, carousel::reduce_type::b32>(i, mi32);
  // CHECK: carousel::multimem_reduce<carousel::reduce::or_, carousel::reduce_type::b64>(l, mi64);
  // CHECK: carousel::multimem_reduce<carousel::reduce::xor_, carousel::reduce_type::b32>(i, mi32);
  // CHECK: carousel::multimem_reduce<carousel::reduce::xor_, carousel::reduce_type::b64>(l, mi64);
  // CHECK: carousel::multimem_reduce<carousel::reduce::add, carousel::reduce_type::f32>(v2, mf);
  // CHECK: carousel::multimem_reduce<carousel::reduce::add, carousel::reduce_type::f32>(v4, mf);
  // CHECK: carousel::multimem_reduce<carousel::reduce::add, carousel::reduce_type::f16>(h2, mh);
  // CHECK: carousel::multimem_reduce<carousel::reduce::add, carousel::reduce_type::bf16>(b2, mb);
  // CHECK: carousel::multimem_reduce<carousel::reduce::add, carousel::reduce_type::f16>(h4, mh);
  // CHECK: carousel::multimem_reduce<carousel::reduce::add, carousel::reduce_type::bf16>(b4, mb);
  // CHECK: carousel::multimem_reduce<carousel::reduce::add, carousel::reduce_type::f16>(h8, mh);
  // CHECK: carousel::multimem_reduce<carousel::reduce::add, carousel::reduce_type::bf16>(b8, mb);
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
}
