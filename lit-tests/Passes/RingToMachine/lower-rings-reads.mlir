// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-lower-rings))' | FileCheck %s

// A slot that an engine fills is handed back when the numbers read of it are there. ldmatrix and loads complete later than
// an arrival that follows them, and an engine doesn't go through the threads' pipeline.

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!line = memref<256xf32, #ws>
!matrix = memref<16x16xf16, #ws>

gpu.module @m [#nvvm.target<chip = "sm_90a", features = "+ptx88">] {
  // CHECK-LABEL: gpu.func @by_engine
  // CHECK: carousel.mbarrier.wait
  // CHECK: memref.load
  // CHECK: %[[LAST:.*]] = memref.load %{{.*}} : memref<256xf32, #gpu.address_space<workgroup>>
  // CHECK-NOT: carousel.mbarrier.arrive %
  // CHECK: %[[BITS:.*]] = arith.bitcast %[[LAST]] : f32 to i32
  // CHECK: %[[UNLIKELY:.*]] = arith.cmpi eq, %[[BITS]]
  // CHECK: scf.if %[[UNLIKELY]] {
  // CHECK-NEXT: carousel.fence.thread
  // CHECK-NEXT: }
  // CHECK: carousel.mbarrier.arrive %
  gpu.func @by_engine(%x: memref<?xf32, #gl>, %out: memref<?xf32, #gl>, %n: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %c256 = arith.constant 256 : index
    %t = gpu.thread_id x
    %next = arith.addi %t, %c128 : index
    %ring = carousel.ring.create : !carousel.ring<2 x !line>
    carousel.ring.produce %ring[%c0] : !carousel.ring<2 x !line> {
      %tile = carousel.ring.tile %ring[%c0], 0 : !carousel.ring<2 x !line> -> !line
      carousel.ring.load %x[%c0] to %tile in_bounds engine<bulk> : memref<?xf32, #gl>, !line
    }
    carousel.ring.wait %ring[%c0] : !carousel.ring<2 x !line>
    %tile = carousel.ring.tile %ring[%c0], 0 : !carousel.ring<2 x !line> -> !line
    %a = memref.load %tile[%t] : !line
    %b = memref.load %tile[%next] : !line
    carousel.ring.release %ring[%c0] : !carousel.ring<2 x !line>
    %sum = arith.addf %a, %b : f32
    memref.store %sum, %out[%t] : memref<?xf32, #gl>
    gpu.return
  }

  // Threads that fill a slot themselves go through one pipeline.
  // CHECK-LABEL: gpu.func @by_threads
  // CHECK-NOT: carousel.fence.thread
  // CHECK: gpu.return
  gpu.func @by_threads(%x: memref<?xf32, #gl>, %out: memref<?xf32, #gl>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %ring = carousel.ring.create : !carousel.ring<2 x !line>
    carousel.ring.produce %ring[%c0] : !carousel.ring<2 x !line> {
      %tile = carousel.ring.tile %ring[%c0], 0 : !carousel.ring<2 x !line> -> !line
      carousel.ring.load %x[%c0] to %tile in_bounds engine<vector, width = 16> : memref<?xf32, #gl>, !line
    }
    carousel.ring.wait %ring[%c0] : !carousel.ring<2 x !line>
    %tile = carousel.ring.tile %ring[%c0], 0 : !carousel.ring<2 x !line> -> !line
    %a = memref.load %tile[%t] : !line
    carousel.ring.release %ring[%c0] : !carousel.ring<2 x !line>
    memref.store %a, %out[%t] : memref<?xf32, #gl>
    gpu.return
  }
}
