// Remarks give the reason for a transfer's engine, and the reason against each more capable one.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-select-engine))' --remarks-filter=carousel-select-engine --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!matrix = memref<?x?xbf16, strided<[?, 1]>, #gl>
!tile = memref<4x128xbf16, #ws>

// In the order of preference: all of the variant with guards, then the other.
// CHECK: Category:carousel-select-engine | Function=rows_tma | Remark="load of 1024 bytes by #carousel.engine<tensor> through !carousel.tensor_map<4x128xbf16>: 1 instructions, cost 14"
// CHECK: Function=rows_tma | Remark="swizzle b128 not used for load: boxes of 512 bytes, not a multiple of 1024"
// CHECK: Function=rows_tma | Remark="load of 256 bytes by #carousel.engine<tensor> through !carousel.tensor_map<128xbf16>: 1 instructions, cost 13"
// CHECK: Function=rows | Remark="load of 1024 bytes by #carousel.engine<vector, width = 2>: 512 pieces, cost 256"
// CHECK: Function=rows | Remark="tensor not used for load: an address of x that isn't known to be a multiple of 16"
// CHECK: Function=rows | Remark="bulk not used for load: rows that dimension 1 of x may cut off"
// CHECK: Function=rows | Remark="cp_async not used for load: stride 0 of x not known to be a multiple of 4 bytes"
gpu.module @remarks [#nvvm.target<chip = "sm_90a">] {
  gpu.func @rows(%x: !matrix {carousel.argument = #carousel.argument<"x", in>},
                 %y: memref<?xbf16, #gl>) kernel {
    %c64 = arith.constant 64 : index
    %t = memref.alloc() : !tile
    %u = memref.alloc() : memref<128xbf16, #ws>
    carousel.load %x[%c64, %c64] to %t swizzle(b128) : !matrix, !tile
    carousel.load %y[%c64] to %u : memref<?xbf16, #gl>, memref<128xbf16, #ws>
    gpu.return
  }
}
