// An unregistered op goes through the passes, for a client to lower; on the way to PTX or CUDA C++ it is an error.
// RUN: carousel-opt %s --allow-unregistered-dialect --pass-pipeline='builtin.module(carousel-lower{chip=sm_90a})' | FileCheck %s
// RUN: not carousel-opt %s --allow-unregistered-dialect --carousel-to-ptx=chip=sm_90a -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=PTX
// RUN: not carousel-opt %s --allow-unregistered-dialect --carousel-to-emitc=chip=sm_90a -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=PTX

// CHECK: "other.op"
// PTX: error: {{.*}}other.op

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

gpu.module @kernels {
  gpu.func @copy(%x: memref<?xf32, #gl>, %y: memref<?xf32, #gl>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1024 = arith.constant 1024 : index
    %n = memref.dim %x, %c0 : memref<?xf32, #gl>
    %tile = memref.alloc() : memref<1024xf32, #ws>
    scf.for %i = %c0 to %n step %c1024 {
      carousel.load %x[%i] to %tile : memref<?xf32, #gl>, memref<1024xf32, #ws>
      "other.op"() : () -> ()
      carousel.store %tile to %y[%i] : memref<1024xf32, #ws>, memref<?xf32, #gl>
    } {carousel.pipeline = #carousel.pipeline<stages = 2>}
    gpu.return
  }
}
