// Assertions of block programs are in a package if it is asked for them, with those of indices from memory, and not otherwise.
// Other kernels keep theirs.
// RUN: rm -rf %t.on %t.off
// RUN: carousel-compile %s -o %t.off --chip sm_90a --emit=ptx,cuda --no-cubin --quiet
// RUN: not grep assertfail %t.off/rows_sm_90a.gather.sm_90a.cu %t.off/rows_sm_90a.sm_90a.ptx
// RUN: FileCheck %s --input-file=%t.off/machine.store.sm_90a.cu --check-prefix=MACHINE
// RUN: carousel-compile %s -o %t.on --chip sm_90a --emit=ptx,cuda --no-cubin --quiet --debug-assertions
// RUN: FileCheck %s --input-file=%t.on/rows_sm_90a.gather.sm_90a.cu
// RUN: FileCheck %s --input-file=%t.on/machine.store.sm_90a.cu --check-prefix=MACHINE
// RUN: grep -c __assertfail %t.on/rows_sm_90a.sm_90a.ptx %t.on/machine.sm_90a.ptx
// CHECK: printf("{{.*}}debug-assertions.mlir:[[#@LINE+20]]: kernel 'gather': expected an index inside of dimension 0 of 'x', got %lld < %lld\012"
// CHECK: printf("{{.*}}: kernel 'gather': expected an index inside of dimension 0 of 'x', got %lld >= %lld\012"
// CHECK: __assertfail("kernel 'gather': expected an index inside of dimension 0 of 'x'",
// MACHINE: __assertfail("kernel 'store': expected few threads",

#gl = #gpu.address_space<global>
!m = memref<?x?xf32, #gl>
!n = memref<?xi32, #gl>

gpu.module @rows {
  gpu.func @gather(%x: !m {carousel.argument = #carousel.argument<"x", in>},
                   %table: !n {carousel.argument = #carousel.argument<"table", in>},
                   %y: !m {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.block_program = #carousel.block_program<>,
                  carousel.launch = #carousel.launch<grid = [extent(1, 0)], block = [64]>} {
    %c0 = arith.constant 0 : index
    %pad = arith.constant 0.0 : f32
    %i = gpu.block_id x
    %n = memref.load %table[%i] : !n
    %row = arith.index_cast %n : i32 to index
    %v = vector.transfer_read %x[%row, %c0], %pad : !m, vector<256xf32>
    vector.transfer_write %v, %y[%i, %c0] : vector<256xf32>, !m
    gpu.return
  }
}

gpu.module @machine {
  gpu.func @store(%y: !n) kernel attributes {carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %most = arith.constant 64 : index
    %one = arith.constant 1 : i32
    %thread = gpu.thread_id x
    %few = arith.cmpi slt, %thread, %most : index
    cf.assert %few, "expected few threads"
    memref.store %one, %y[%thread] : !n
    gpu.return
  }
}
