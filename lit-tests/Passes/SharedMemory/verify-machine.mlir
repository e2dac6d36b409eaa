// carousel-verify-machine accepts aligned memory and memory of unknown alignment, and changes nothing.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-verify-machine))' --verify-diagnostics | FileCheck %s

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

gpu.module @kernels {
  memref.global "private" @maps : memref<4x!carousel.tensor_map<4x4xf32>, #gl> {alignment = 128}

  // An array of barriers has their alignment without saying so.
  // CHECK-LABEL: gpu.func @barriers
  // CHECK: carousel.mbarrier.init
  gpu.func @barriers(%i: index) workgroup(%full: memref<4x!carousel.mbarrier, #ws>) kernel {
    carousel.mbarrier.init %full[%i], 1 : memref<4x!carousel.mbarrier, #ws>
    gpu.return
  }

  // An aligned tile, cut at a multiple of 16 bytes that is known, and at one that isn't.
  // CHECK-LABEL: gpu.func @bulk
  // CHECK-COUNT-2: carousel.bulk.store
  gpu.func @bulk(%y: memref<?xf32, #gl>, %i: index)
      workgroup(%tile: memref<64xf32, #ws> {llvm.align = 16 : i64}) kernel {
    %c4 = arith.constant 4 : index
    carousel.bulk.store %tile[%c4] to %y[%i], 16 : memref<64xf32, #ws>, memref<?xf32, #gl>
    carousel.bulk.store %tile[%i] to %y[%c4], 16 : memref<64xf32, #ws>, memref<?xf32, #gl>
    gpu.return
  }

  // Dynamic shared memory is aligned to 1024 bytes.
  // CHECK-LABEL: gpu.func @tensor
  // CHECK: carousel.tensor.load
  gpu.func @tensor(%map: !carousel.tensor_map<8x32xf32, swizzle = b128>,
                   %full: memref<!carousel.mbarrier, #ws>, %c: i32, %slot: index) kernel {
    %c0 = arith.constant 0 : index
    %c1024 = arith.constant 1024 : index
    %memory = gpu.dynamic_shared_memory : memref<?xi8, #ws>
    %tile = memref.view %memory[%c1024][] : memref<?xi8, #ws> to memref<4x8x32xf32, #ws>
    carousel.tensor.load %map[%c, %c] to %tile[%slot, %c0, %c0] signals %full[]
        : !carousel.tensor_map<8x32xf32, swizzle = b128>, memref<4x8x32xf32, #ws>,
          memref<!carousel.mbarrier, #ws>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @descriptors
  // CHECK: carousel.tensor_map.get
  gpu.func @descriptors(%i: index) kernel {
    %maps = memref.get_global @maps : memref<4x!carousel.tensor_map<4x4xf32>, #gl>
    %map = carousel.tensor_map.get %maps[%i]
        : memref<4x!carousel.tensor_map<4x4xf32>, #gl> -> !carousel.tensor_map<4x4xf32>
    gpu.return
  }

  // What a caller passes is unknown.
  // CHECK-LABEL: gpu.func @arguments
  // CHECK: carousel.bulk.store
  gpu.func @arguments(%tile: memref<64xf32, #ws>, %y: memref<?xf32, #gl>) {
    %c1 = arith.constant 1 : index
    carousel.bulk.store %tile[%c1] to %y[%c1], 16 : memref<64xf32, #ws>, memref<?xf32, #gl>
    gpu.return
  }
}
