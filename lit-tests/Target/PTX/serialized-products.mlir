// Products whose registers something else needs while they are in flight: ptxas would make each wait, and says why.
// REQUIRES: ptxas
// RUN: carousel-translate %s --mlir-to-cubin --chip=sm_90a --split-input-file --verify-diagnostics -o %t.cubin
// RUN: carousel-translate %s --mlir-to-cubin --chip=sm_90a --assembler=ptxas --cuda-root=%cuda_root --split-input-file --verify-diagnostics -o %t.cubin

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!tile = memref<64x64xbf16, #ws>
!matrix = !carousel.matrix_descriptor<bf16, k>
!sums = !carousel.wgmma_registers<vector<8x2x2xf32>>

// C329: the sums are also the other value that the loop carries, and so have to be copied in flight.
gpu.module @copied {
  gpu.func @copied(%steps: index, %out: memref<?xf32, #gl>) workgroup(%x: !tile {llvm.align = 1024 : i64}) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : vector<8x2x2xf32>
    %start = carousel.wgmma.fence(%zero) : vector<8x2x2xf32>
    %end:2 = scf.for %i = %c0 to %steps step %c1 iter_args(%s = %start, %q = %start) -> (!sums, !sums) {
      %a = carousel.wgmma.descriptor %x[%c0, %c0] swizzle(b128) : !tile to !matrix
      // expected-error @below {{expected asynchronous products in 'copied', got ones that ptxas serialises (C7514): non wgmma instructions reading accumulator registers of  a wgmma between start and end of the pipeline stage}}
      %n = carousel.wgmma.mma %a, %a, %s : !matrix, !matrix, !sums
      carousel.wgmma.commit
      carousel.wgmma.wait 1
      scf.yield %q, %n : !sums, !sums
    }
    %p:2 = carousel.wgmma.wait 0, %end#0, %end#1 : !sums, !sums
    %d = arith.addf %p#0, %p#1 : vector<8x2x2xf32>
    %flat = vector.shape_cast %d : vector<8x2x2xf32> to vector<32xf32>
    vector.store %flat, %out[%c0] : memref<?xf32, #gl>, vector<32xf32>
    gpu.return
  }
}
