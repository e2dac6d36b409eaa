// What the most loaded thread does for a transfer, and the bound that it keeps or not.
// RUN: carousel-opt %s -o /dev/null --remark-format=emitRemark --remarks-filter=carousel-lower-rings --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_90a},carousel-lower-rings))' 2>&1 | FileCheck %s

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!matrix = memref<?x?xbf16, strided<[?, 1]>, #gl>
!none = !carousel.ring<1>

gpu.module @kernels {
  // A lane copies the end of its own rows.
  // CHECK-DAG: [Analysis] Work | {{.*}}Function=load | {{.*}}the most loaded thread: {{[0-9]+}} instructions and {{[0-3]}} waits for global memory, for 8192 bytes; the bound is {{[0-9]+}} and 3
  gpu.func @load(%x: !matrix, %a: memref<64x64xbf16, #ws>, %i: index, %j: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %zero = arith.maxsi %i, %c0 : index
    %left = arith.maxsi %j, %c0 : index
    %ring = carousel.ring.create : !none
    carousel.ring.produce %ring[%c0] : !none {
      carousel.ring.load %x[%zero, %left] to %a engine<bulk> : !matrix, memref<64x64xbf16, #ws>
    }
    gpu.return
  }

  // Rows of the tile that aren't whole granules are copied row by row: each row is a wait.
  // CHECK-DAG: [Missed] Work | {{.*}}Function=row_ends | {{.*}}and 32 waits for global memory, for 6400 bytes; the bound is {{[0-9]+}} and 2
  gpu.func @row_ends(%x: !matrix, %a: memref<32x100xbf16, strided<[104, 1]>, #ws>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %ring = carousel.ring.create : !none
    carousel.ring.produce %ring[%c0] : !none {
      carousel.ring.load %x[%c0, %c0] to %a in_bounds engine<bulk> : !matrix, memref<32x100xbf16, strided<[104, 1]>, #ws>
    }
    gpu.return
  }
}
