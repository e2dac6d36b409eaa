// A load of a row that may end before its tile in each row of a matrix is a tensor copy, which fills for nothing, in every variant that
// has one. A store is clipped, and a vector ends once: they are bulk copies still.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-select-engine))' | FileCheck %s
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-select-engine))' --remarks-filter=carousel-select-engine --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!matrix = memref<?x?xbf16, strided<[?, 1]>, #gl>
!padded = memref<?x?xbf16, strided<[4096, 1]>, #gl>
!vector = memref<?xbf16, #gl>
!tile = memref<2048xbf16, #ws>
gpu.module @m [#nvvm.target<chip = "sm_90a">] {
  // CHECK-LABEL: gpu.func @rows_tma(
  // CHECK: carousel.load %{{.*}} engine<tensor> map %{{.*}} : {{.*}}, !carousel.tensor_map<1x256xu64>
  // CHECK: carousel.store %{{.*}} engine<bulk>
  // CHECK-LABEL: gpu.func @rows_tma_ragged(
  // CHECK: carousel.load %{{.*}} engine<tensor> map %{{.*}} : {{.*}}, !carousel.tensor_map<1x256xbf16>
  // CHECK: carousel.store %{{.*}} engine<bulk>
  gpu.func @rows(%x: !matrix, %y: !matrix, %i: index) kernel {
    %c0 = arith.constant 0 : index
    %t = memref.alloc() : !tile
    carousel.load %x[%i, %c0] to %t : !matrix, !tile
    carousel.store %t to %y[%i, %c0] : !tile, !matrix
    gpu.return
  }
  // A bulk copy's cost has what its fills cost: 13 + 2 + 4 and 8 * 5.
  // REMARK: Function=view_tma | Remark="load of 4096 bytes by #carousel.engine<bulk>: 1 instructions, cost 59"
  gpu.func @view(%x: !padded, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %t = memref.alloc() : !tile
    %part = memref.subview %x[0, 0] [%n, %n] [1, 1] : !padded to !padded
    carousel.load %part[%c0, %c0] to %t : !padded, !tile
    gpu.return
  }
  // CHECK-LABEL: gpu.func @vector_tma
  // CHECK: carousel.load %{{.*}} engine<bulk>
  gpu.func @vector(%x: !vector) kernel {
    %c0 = arith.constant 0 : index
    %t = memref.alloc() : !tile
    carousel.load %x[%c0] to %t : !vector, !tile
    gpu.return
  }
}
