// A kernel of the tile phase needn't have a transfer: one that only allocates shared memory is compiled as those that
// do, by each way. It may order threads and CTAs by the ops that both phases have.
// RUN: carousel-translate %s --mlir-to-ptx | FileCheck %s --check-prefix=PTX
// RUN: carousel-translate %s --mlir-to-cuda | FileCheck %s --check-prefix=CUDA
// RUN: rm -rf %t && carousel-compile %s -o %t --chip sm_80,sm_90a --no-cubin --quiet
// RUN: FileCheck %s --check-prefix=PACKAGE --input-file=%t/manifest.json

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

// PTX: .entry reverse
// PTX: ld.shared
// CUDA: __global__ {{.*}}reverse
// PACKAGE: "function": "reverse
gpu.module @reversing {
  gpu.func @reverse(%x: memref<?xf32, #gl>) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %tile = memref.alloc() : memref<32xf32, #ws>
    %thread = gpu.thread_id x
    %last = arith.constant 31 : index
    %mirrored = arith.subi %last, %thread : index
    %value = memref.load %x[%thread] : memref<?xf32, #gl>
    memref.store %value, %tile[%thread] : memref<32xf32, #ws>
    gpu.barrier
    %other = memref.load %tile[%mirrored] : memref<32xf32, #ws>
    memref.store %other, %x[%thread] : memref<?xf32, #gl>
    carousel.barrier.warp
    carousel.fence.thread release gpu
    gpu.return
  }
}
