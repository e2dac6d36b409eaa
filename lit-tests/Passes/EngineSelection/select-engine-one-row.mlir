// In a dimension with one element, only coordinate 0 is inside, so a tensor map has no rule for its stride.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_90a},carousel-select-engine))' | FileCheck %s
// Rows of 520 bytes.
// RUN: carousel-opt %s -o %t.lowered --pass-pipeline='builtin.module(carousel-lower{chip=sm_90a})'
// RUN: carousel-sim %t.lowered --kernel @dynamic_tma --arg x=iota:1x130 --arg y=zeros:128 --arg i=0 --expect y=iota:128 --schedules 1 --policy all

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!tile = memref<1x128xf32, #ws>

gpu.module @rows {
  // CHECK-LABEL: gpu.func @dynamic_tma(
  // CHECK-SAME: guards = [capability(90), aligned(0, 16), divisible(scalar(2), 4), range(extent(0, 1), 1, 2147483647)]
  // CHECK: engine<tensor>
  gpu.func @dynamic(%x: memref<1x?xf32, strided<[?, 1]>, #gl> {carousel.argument = #carousel.argument<"x", in>},
                    %y: memref<?xf32, #gl> {carousel.argument = #carousel.argument<"y", inout>},
                    %i: index {carousel.argument = #carousel.argument<"i", in>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
    %c0 = arith.constant 0 : index
    %thread = gpu.thread_id x
    %tile = memref.alloc() : !tile
    carousel.load %x[%c0, %i] to %tile : memref<1x?xf32, strided<[?, 1]>, #gl>, !tile
    %value = memref.load %tile[%c0, %thread] : !tile
    memref.store %value, %y[%thread] : memref<?xf32, #gl>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @odd_tma(
  // CHECK-SAME: guards = [capability(90), aligned(0, 16), divisible(scalar(2), 4), range(extent(0, 1), 1, 2147483647)]
  // CHECK: engine<tensor>
  // DOC-EXAMPLE: --carousel-attach-target=chip=sm_90a --carousel-select-engine
  gpu.func @odd(%x: memref<1x?xf32, strided<[1001, 1]>, #gl>, %y: memref<?xf32, #gl>, %i: index) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
    %c0 = arith.constant 0 : index
    %thread = gpu.thread_id x
    %tile = memref.alloc() : !tile
    carousel.load %x[%c0, %i] to %tile : memref<1x?xf32, strided<[1001, 1]>, #gl>, !tile
    %value = memref.load %tile[%c0, %thread] : !tile
    memref.store %value, %y[%thread] : memref<?xf32, #gl>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @rows_tma(
  // CHECK-SAME: divisible(stride(0, 0), 4)
  gpu.func @rows(%x: memref<?x?xf32, strided<[?, 1]>, #gl>, %y: memref<?xf32, #gl>, %i: index) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
    %c0 = arith.constant 0 : index
    %thread = gpu.thread_id x
    %tile = memref.alloc() : !tile
    carousel.load %x[%c0, %i] to %tile : memref<?x?xf32, strided<[?, 1]>, #gl>, !tile
    %value = memref.load %tile[%c0, %thread] : !tile
    memref.store %value, %y[%thread] : memref<?xf32, #gl>
    gpu.return
  }
}
