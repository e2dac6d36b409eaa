// Stores to multicast addresses go by threads, in the widest pieces that multimem has. Loads keep their engines.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-select-engine))' | FileCheck %s
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-select-engine))' --remarks-filter=carousel-select-engine --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!v = memref<?xf32, #gl>
!t = memref<1024xf32, #ws>
!l = memref<?xi64, #gl>
!lt = memref<128xi64, #ws>
!h = memref<?xf16, #gl>
!ht = memref<1024xf16, #ws>
!b = memref<4096xi8, #gl>
!bt = memref<256xi8, #ws>

gpu.module @m [#nvvm.target<chip = "sm_90a">] {
  // CHECK-LABEL: gpu.func @copy_tma(
  // CHECK: carousel.load %{{.*}} engine<bulk>
  // CHECK: carousel.store %{{.*}} engine<vector, width = 16>
  // CHECK-LABEL: gpu.func @copy(
  // CHECK: carousel.store %{{.*}} engine<vector, width = 4>
  // REMARK-DAG: Function=copy_tma | Remark="bulk not used for store: a multicast address, to which PTX ISA 9.0 has no bulk copies"
  // REMARK-DAG: Function=copy_tma | Remark="tensor not used for store: a multicast address, to which PTX ISA 9.0 has no bulk copies"
  gpu.func @copy(%x: !v, %all: !v {carousel.multicast}) kernel {
    %c0 = arith.constant 0 : index
    %t = memref.alloc() : !t
    carousel.load %x[%c0] to %t : !v, !t
    carousel.store %t to %all[%c0] : !t, !v
    gpu.return
  }

  // Four floats, eight halves and one integer are reduced at once.
  // CHECK-LABEL: gpu.func @reduce_wide(
  // CHECK: reduce<add f32> engine<vector, width = 16>
  // CHECK: reduce<add f16> engine<vector, width = 16>
  // CHECK: reduce<add u64> engine<vector, width = 8>
  // CHECK: reduce<max s64> exclusive engine<vector, width = 8>
  gpu.func @reduce(%x: !v {carousel.multicast}, %y: !h {carousel.multicast, llvm.align = 16 : i64},
                   %z: !l {carousel.multicast}, %w: !l {carousel.multicast}) kernel {
    %c0 = arith.constant 0 : index
    %t = memref.alloc() : !t
    %h = memref.alloc() : !ht
    %l = memref.alloc() : !lt
    carousel.store %t to %x[%c0] reduce<add f32> : !t, !v
    carousel.store %h to %y[%c0] in_bounds reduce<add f16> : !ht, !h
    carousel.store %l to %z[%c0] reduce<add u64> : !lt, !l
    carousel.store %l to %w[%c0] reduce<max s64> exclusive : !lt, !l
    gpu.return
  }

  // Bytes whose rows are known to be whole units.
  // CHECK-LABEL: gpu.func @bytes(
  // CHECK: engine<vector, width = 4>
  gpu.func @bytes(%all: !b {carousel.multicast, llvm.align = 4 : i64}, %i: index) kernel {
    %c4 = arith.constant 4 : index
    %at = arith.muli %i, %c4 : index
    %t = memref.alloc() : !bt
    carousel.store %t to %all[%at] : !bt, !b
    gpu.return
  }
}
