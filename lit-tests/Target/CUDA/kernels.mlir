// Signatures, launch bounds, clusters, registers, tensor maps and shared memory.
// RUN: carousel-translate --mlir-to-cuda --chip=sm_90a --cuda-locations=0 %s | FileCheck %s

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!map = !carousel.tensor_map<64x64xbf16>

gpu.module @kernels {
  // CHECK-LABEL: extern "C" __device__ float outside(float arg0);
  func.func private @outside(f32) -> f32
  // CHECK-LABEL: static __device__ float inside(float a, float *m, uint64_t m_1) {
  // CHECK-NEXT:   float b = outside(a);
  // CHECK-NEXT:   return b;
  // CHECK-NEXT: }
  func.func private @inside(%a: f32, %m: memref<?xf32, #gl>) -> f32 {
    %b = func.call @outside(%a) : (f32) -> f32
    return %b : f32
  }

  // CHECK-LABEL: extern "C" __global__ void __launch_bounds__(128) __cluster_dims__(2, 1, 1) signature(float *x,
  // CHECK-NEXT:     uint64_t x_extent_0, float *y, uint64_t y_extent_0, uint64_t y_extent_1, uint64_t y_stride_0,
  // CHECK-NEXT:     const __grid_constant__ carousel::tensor_map map, uint64_t n, float scale, bool flag,
  // CHECK-NEXT:     carousel::f16 h, carousel::vec<float, 4> v) {
  // CHECK-NEXT:   __shared__ carousel::mbarrier bar[2];
  // CHECK-NEXT:   __shared__ alignas(128) carousel::bf16 tile[4096];
  // CHECK-NEXT:   carousel::tensor_load(&map, {0, 0}, tile, &bar[1]);
  // CHECK-NEXT: }
  gpu.func @signature(%x: memref<?x64xf32, #gl>, %y: memref<?x?xf32, strided<[?, 1], offset: ?>, #gl>,
                      %map: !map, %n: index, %scale: f32, %flag: i1, %h: f16, %v: vector<4xf32>)
      workgroup(%bar: memref<2x!carousel.mbarrier, #ws>,
                %tile: memref<64x64xbf16, #ws> {llvm.align = 128 : i64}) kernel
      attributes {known_block_size = array<i32: 64, 2, 1>, known_cluster_size = array<i32: 2, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c0_i32 = arith.constant 0 : i32
    carousel.tensor.load %map[%c0_i32, %c0_i32] to %tile[%c0, %c0] signals %bar[%c1]
        : !map, memref<64x64xbf16, #ws>, memref<2x!carousel.mbarrier, #ws>
    gpu.return
  }

  // CHECK-LABEL: extern "C" __global__ void __launch_bounds__(32) scratch(float x) {
  // CHECK-NEXT:   __shared__ float shared[8];
  // CHECK-NEXT:   alignas(16) float own[4];
  // CHECK-NEXT:   float other[2];
  // CHECK-NEXT:   own[3] = x;
  // CHECK-NEXT:   other[1] = x;
  // CHECK-NEXT:   shared[2] = x;
  gpu.func @scratch(%x: f32) workgroup(%shared: memref<8xf32, #ws>)
      private(%own: memref<4xf32, #gpu.address_space<private>> {llvm.align = 16 : i64},
              %other: memref<2xf32, #gpu.address_space<private>>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    memref.store %x, %own[%c3] : memref<4xf32, #gpu.address_space<private>>
    memref.store %x, %other[%c1] : memref<2xf32, #gpu.address_space<private>>
    memref.store %x, %shared[%c2] : memref<8xf32, #ws>
    gpu.return
  }

  // CHECK-LABEL: extern "C" __global__ void __maxnreg__(168) registers(float *x) {
  // CHECK-NEXT:   carousel::set_max_registers<carousel::register_change::dec, 40>();
  // CHECK-NEXT: }
  gpu.func @registers(%x: memref<4xf32, #gl>) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>, nvvm.maxnreg = 168 : i32} {
    carousel.set_max_registers dec 40
    gpu.return
  }

  // CHECK-LABEL: extern "C" __global__ void __launch_bounds__(32) said(float alpha, float *values,
  // CHECK-NEXT:     uint64_t values_extent_0) {
  // CHECK-NEXT:   extern __shared__ __align__(1024) uint8_t dynamic_shared_memory[];
  // CHECK-NEXT:   float *slots = (float *)&dynamic_shared_memory[1024];
  // CHECK-NEXT:   slots[0] = alpha;
  // CHECK-NEXT: }
  gpu.func @said(%a: f32 {carousel.argument = #carousel.argument<"alpha", in>},
                 %x: memref<?xf32, #gl> {carousel.argument = #carousel.argument<"values", inout>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [extent(1, 0)], block = [32], shared = 2048>} {
    %c0 = arith.constant 0 : index
    %c1024 = arith.constant 1024 : index
    %bytes = gpu.dynamic_shared_memory : memref<?xi8, #ws>
    %slots = memref.view %bytes[%c1024][] : memref<?xi8, #ws> to memref<256xf32, #ws>
    memref.store %a, %slots[%c0] : memref<256xf32, #ws>
    gpu.return
  }

  // CHECK-LABEL: extern "C" __global__ void calls(float *x, uint64_t x_extent_0) {
  // CHECK-NEXT:   float a = x[0];
  // CHECK-NEXT:   float b = inside(a, x, x_extent_0);
  // CHECK-NEXT:   x[0] = b;
  // CHECK-NEXT: }
  gpu.func @calls(%x: memref<?xf32, #gl>) kernel {
    %c0 = arith.constant 0 : index
    %a = memref.load %x[%c0] : memref<?xf32, #gl>
    %b = func.call @inside(%a, %x) : (f32, memref<?xf32, #gl>) -> f32
    memref.store %b, %x[%c0] : memref<?xf32, #gl>
    gpu.return
  }
}
