// The block and the cluster of a launch reach PTX; nothing else of it does, and nothing stops the pipeline.
// RUN: carousel-translate --mlir-to-ptx --chip=sm_90a %s | FileCheck %s
// RUN: carousel-opt --carousel-lower-to-nvvm=chip=sm_90a %s | FileCheck %s --check-prefix=NVVM --implicit-check-not=carousel

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!map = !carousel.tensor_map<64x64xf32>
!matrix = memref<?x?xf32, strided<[?, 1], offset: ?>, #gl>

// NVVM: gpu.module @launches
gpu.module @launches {
  // CHECK-LABEL: .entry copy_2d(
  // CHECK-NEXT: .param .u64 .ptr .global .align 1 copy_2d_param_0,
  // CHECK-NEXT: .param .u64 copy_2d_param_1,
  // CHECK-NEXT: .param .u64 copy_2d_param_2,
  // CHECK-NEXT: .param .u64 copy_2d_param_3,
  // CHECK-NEXT: .param .align 128 .b8 copy_2d_param_4[128]
  // CHECK: .maxntid 64, 2, 1
  // CHECK-NEXT: .explicitcluster
  // CHECK-NEXT: .reqnctapercluster 2, 1, 1
  gpu.func @copy_2d(%x: !matrix {carousel.argument = #carousel.argument<"x", in>},
                    %src: !map {carousel.encode = #carousel.encode<argument = 0>}) kernel
      attributes {
        carousel.variant = #carousel.variant<kernel = "copy", guards = [capability(90), aligned(0, 16)]>,
        carousel.launch = #carousel.launch<
          grid = [ceildiv(extent(0, 0), 64) * 2], block = [64, 2], cluster = [2], shared = 16384>} {
    %c0 = arith.constant 0 : index
    %bytes = gpu.dynamic_shared_memory : memref<?xi8, #ws>
    %tile = memref.view %bytes[%c0][] : memref<?xi8, #ws> to memref<64x64xf32, #ws>
    carousel.tensor_map.prefetch %src space(param) : !map
    gpu.return
  }

  // A cluster of one CTA is none.
  // CHECK-LABEL: .entry alone(
  // CHECK-NOT: cluster
  // CHECK: .maxntid 32, 1, 1
  // CHECK-NOT: cluster
  gpu.func @alone() kernel
      attributes {carousel.launch = #carousel.launch<grid = [sms], block = [32], cluster = [1]>} {
    gpu.return
  }
}
