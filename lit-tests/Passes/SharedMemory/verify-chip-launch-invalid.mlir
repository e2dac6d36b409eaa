// Errors of carousel-verify-chip about launches, and launches exactly at the limits.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-verify-chip))' --split-input-file --verify-diagnostics

// C93: a cluster, on a chip without.
gpu.module @kernels [#nvvm.target<chip = "sm_89", features = "+ptx88">] {
  // expected-error @below {{expected CTAs of a cluster of 1 to 1 in all on sm_89, got [2]}}
  gpu.func @cluster() kernel
      attributes {carousel.launch = #carousel.launch<grid = [4], block = [32], cluster = [2]>} {
    gpu.return
  }
  gpu.func @alone() kernel
      attributes {carousel.launch = #carousel.launch<grid = [4], block = [32], cluster = [1]>} {
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>

// C122: a view that ends behind what the launch gives, by one element.
gpu.module @kernels [#nvvm.target<chip = "sm_90a", features = "+ptx88">] {
  // expected-error @below {{expected at least 8256 bytes of dynamic shared memory in carousel.launch, got 8252}}
  gpu.func @short() kernel
      attributes {carousel.launch = #carousel.launch<grid = [4], block = [32], shared = 8252>} {
    %shift = arith.constant 64 : index
    %all = gpu.dynamic_shared_memory : memref<?xi8, #ws>
    %tile = memref.view %all[%shift][] : memref<?xi8, #ws> to memref<2048xf32, #ws>
    gpu.return
  }
  gpu.func @enough(%i: index) kernel
      attributes {carousel.launch = #carousel.launch<grid = [4], block = [32], shared = 8256>} {
    %shift = arith.constant 64 : index
    %all = gpu.dynamic_shared_memory : memref<?xi8, #ws>
    %tile = memref.view %all[%shift][] : memref<?xi8, #ws> to memref<2048xf32, #ws>
    %there = memref.view %all[%i][] : memref<?xi8, #ws> to memref<64xf32, #ws>
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>

// C122: the view of a function that the kernel calls.
gpu.module @kernels [#nvvm.target<chip = "sm_90a", features = "+ptx88">] {
  func.func @touch() {
    %c0 = arith.constant 0 : index
    %all = gpu.dynamic_shared_memory : memref<?xi8, #ws>
    %tile = memref.view %all[%c0][] : memref<?xi8, #ws> to memref<16xf32, #ws>
    return
  }
  // expected-error @below {{expected at least 64 bytes of dynamic shared memory in carousel.launch, got 0}}
  gpu.func @calls() kernel
      attributes {carousel.launch = #carousel.launch<grid = [4], block = [32]>} {
    func.call @touch() : () -> ()
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>

// C122: more than the chip has, since dynamic shared memory begins at a multiple of 1024 bytes.
gpu.module @kernels [#nvvm.target<chip = "sm_90a", features = "+ptx88">] {
  // expected-error @below {{expected static and dynamic shared memory of at most 232448 bytes on sm_90a in carousel.launch, got 232456}}
  gpu.func @padded() workgroup(%bars: memref<4xi64, #ws>) kernel
      attributes {carousel.launch = #carousel.launch<grid = [4], block = [32], shared = 231432>} {
    %all = gpu.dynamic_shared_memory : memref<?xi8, #ws>
    gpu.return
  }
  gpu.func @full() workgroup(%bars: memref<4xi64, #ws>) kernel
      attributes {carousel.launch = #carousel.launch<grid = [4], block = [32], shared = 231424>} {
    %all = gpu.dynamic_shared_memory : memref<?xi8, #ws>
    gpu.return
  }
}

// -----

// C122: more than the chip has, for nothing.
gpu.module @kernels [#nvvm.target<chip = "sm_120a", features = "+ptx88">] {
  // expected-error @below {{expected static and dynamic shared memory of at most 101376 bytes on sm_120a in carousel.launch, got 2147483647}}
  gpu.func @huge() kernel
      attributes {carousel.launch = #carousel.launch<grid = [4], block = [32], shared = 2147483647>} {
    gpu.return
  }
}
