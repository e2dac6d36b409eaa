// carousel.launch_kernel, carousel.library_matmul and carousel.group: every form, printed and parsed again.
// RUN: carousel-opt %s | FileCheck %s
// RUN: carousel-opt %s | carousel-opt | FileCheck %s
// RUN: carousel-opt %s --mlir-print-op-generic | carousel-opt | FileCheck %s

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#gl = #gpu.address_space<global>
!rows = memref<?x?xf32, strided<[?, 1], offset: ?>, #gl>

gpu.module @kernels {
  gpu.func @scale(%x: !rows {carousel.argument = #carousel.argument<"x", in>}, %a: f32,
                  %y: !rows {carousel.argument = #carousel.argument<"y", out>}) kernel {
    gpu.return
  }
  // Written arguments come first, and one has no access, so that it is both read and written.
  gpu.func @mixed(%sum: memref<?xf32, #gl>,
                  %x: memref<64xf32, #gl> {carousel.argument = #carousel.argument<"x", in>},
                  %semaphores: memref<8xi32, #gl> {carousel.workspace = #carousel.workspace<[]>}) kernel {
    gpu.return
  }
  gpu.func @copy_aligned(%x: !rows {carousel.argument = #carousel.argument<"x", in>},
                         %y: !rows {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.variant = #carousel.variant<kernel = "copy", guards = [aligned(0, 16)]>} {
    gpu.return
  }
  gpu.func @fill(%y: !rows {carousel.argument = #carousel.argument<"y", out>}) kernel {
    gpu.return
  }
}

// CHECK-LABEL: func.func @tensors
// CHECK-NEXT: carousel.launch_kernel @kernels::@scale ins(%{{.*}}, %{{.*}} : tensor<?x64xf32>, f32) outs(%{{.*}} : tensor<?x64xf32>) -> tensor<?x64xf32>
// CHECK-NEXT: carousel.launch_kernel @kernels::@mixed ins(%{{.*}} : tensor<64xf32>) outs(%{{.*}} : tensor<9xf32>) -> tensor<9xf32>
// CHECK-NEXT: carousel.launch_kernel @kernels::@copy ins(%{{.*}} : tensor<?x64xf32>) outs(%{{.*}} : tensor<?x64xf32>) -> tensor<?x64xf32>
// CHECK-NEXT: carousel.launch_kernel @kernels::@fill outs(%{{.*}} : tensor<?x64xf32>) -> tensor<?x64xf32>
func.func @tensors(%x: tensor<?x64xf32>, %a: f32, %v: tensor<64xf32>, %s: tensor<9xf32>) -> tensor<?x64xf32> {
  %0 = carousel.launch_kernel @kernels::@scale ins(%x, %a : tensor<?x64xf32>, f32)
      outs(%x : tensor<?x64xf32>) -> tensor<?x64xf32>
  %1 = carousel.launch_kernel @kernels::@mixed ins(%v : tensor<64xf32>) outs(%s : tensor<9xf32>) -> tensor<9xf32>
  %2 = carousel.launch_kernel @kernels::@copy ins(%0 : tensor<?x64xf32>)
      outs(%0 : tensor<?x64xf32>) -> tensor<?x64xf32>
  %3 = carousel.launch_kernel @kernels::@fill outs(%x : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %2 : tensor<?x64xf32>
}

// DOC-EXAMPLE: carousel.launch_kernel
// CHECK-LABEL: func.func @buffers
// CHECK-SAME: attributes {carousel.program}
// CHECK-NEXT: carousel.launch_kernel @kernels::@copy ins(%{{.*}} : memref<?x64xf32, #gpu.address_space<global>>) outs(%{{.*}} : memref<?x64xf32, #gpu.address_space<global>>)
// CHECK-NEXT: return
func.func @buffers(%x: memref<?x64xf32, #gl> {carousel.argument = #carousel.argument<"x", in>},
                   %y: memref<?x64xf32, #gl> {carousel.argument = #carousel.argument<"y", out>})
    attributes {carousel.program} {
  carousel.launch_kernel @kernels::@copy ins(%x : memref<?x64xf32, #gl>) outs(%y : memref<?x64xf32, #gl>)
  return
}

// Kernels that are lowered have no arguments of the dialect, and binaries have none at all.
gpu.module @lowered {
  llvm.func @copy(%x: !llvm.ptr) attributes {gpu.kernel}
}

// CHECK-LABEL: func.func @after_lowering
// CHECK-NEXT: carousel.launch_kernel @lowered::@copy ins(%{{.*}} : memref<4xf32>)
func.func @after_lowering(%x: memref<4xf32>) {
  carousel.launch_kernel @lowered::@copy ins(%x : memref<4xf32>)
  return
}

// DOC-EXAMPLE: carousel.library_matmul
// CHECK-LABEL: func.func @products
// CHECK-NEXT: carousel.library_matmul ins(%{{.*}}, %{{.*}} : tensor<?x768xbf16>, tensor<768x3072xbf16>) outs(%{{.*}} : tensor<?x3072xbf16>) {indexing_maps = [#{{.*}}, #{{.*}}, #{{.*}}]} -> tensor<?x3072xbf16>
// CHECK-NEXT: carousel.library_matmul ins(%{{.*}}, %{{.*}} : memref<?x64xf32>, memref<?x64x8x16xf32>) outs(%{{.*}} : memref<8x?x?x16xf32>) scratch(%{{.*}} : memref<32xi8>) {indexing_maps = [#{{.*}}, #{{.*}}, #{{.*}}], tf32}
// CHECK-NEXT: carousel.library_matmul ins(%{{.*}}, %{{.*}} : tensor<?x768xbf16>, tensor<768x3072xbf16>) bias(%{{.*}} : tensor<3072xbf16>) residual(%{{.*}} : tensor<?x3072xbf16>) function(gelu) outs(%{{.*}} : tensor<?x3072xbf16>) {indexing_maps = [#{{.*}}, #{{.*}}, #{{.*}}]} -> tensor<?x3072xbf16>
// CHECK-NEXT: carousel.library_matmul ins(%{{.*}}, %{{.*}} : memref<?x64xf32>, memref<?x64x8x16xf32>) bias(%{{.*}} : memref<16xf32>) function(relu) outs(%{{.*}} : memref<8x?x?x16xf32>) scratch(%{{.*}} : memref<32xi8>) {indexing_maps
func.func @products(%x: tensor<?x768xbf16>, %w: tensor<768x3072xbf16>, %e: tensor<?x3072xbf16>,
                    %a: memref<?x64xf32>, %b: memref<?x64x8x16xf32>, %c: memref<8x?x?x16xf32>,
                    %s: memref<32xi8>, %v: tensor<3072xbf16>, %u: memref<16xf32>)
    -> (tensor<?x3072xbf16>, tensor<?x3072xbf16>) {
  %y = carousel.library_matmul ins(%x, %w : tensor<?x768xbf16>, tensor<768x3072xbf16>)
      outs(%e : tensor<?x3072xbf16>) {indexing_maps = [#mk, #kn, #mn]} -> tensor<?x3072xbf16>
  carousel.library_matmul ins(%a, %b : memref<?x64xf32>, memref<?x64x8x16xf32>)
      outs(%c : memref<8x?x?x16xf32>) scratch(%s : memref<32xi8>)
      {indexing_maps = [affine_map<(h, b, m, n, k) -> (m, k)>, affine_map<(h, b, m, n, k) -> (b, k, h, n)>,
                        affine_map<(h, b, m, n, k) -> (h, b, m, n)>], tf32}
  %z = carousel.library_matmul ins(%x, %w : tensor<?x768xbf16>, tensor<768x3072xbf16>)
      bias(%v : tensor<3072xbf16>) residual(%y : tensor<?x3072xbf16>) function(gelu)
      outs(%e : tensor<?x3072xbf16>) {indexing_maps = [#mk, #kn, #mn]} -> tensor<?x3072xbf16>
  carousel.library_matmul ins(%a, %b : memref<?x64xf32>, memref<?x64x8x16xf32>)
      bias(%u : memref<16xf32>) function(relu) outs(%c : memref<8x?x?x16xf32>) scratch(%s : memref<32xi8>)
      {indexing_maps = [affine_map<(h, b, m, n, k) -> (m, k)>, affine_map<(h, b, m, n, k) -> (b, k, h, n)>,
                        affine_map<(h, b, m, n, k) -> (h, b, m, n)>]}
  return %y, %z : tensor<?x3072xbf16>, tensor<?x3072xbf16>
}

// DOC-EXAMPLE: carousel.group
// DOC-EXAMPLE: carousel.yield
// CHECK-LABEL: func.func @groups
// CHECK: %{{.*}} = carousel.group "plain"(%{{.*}}) {
// CHECK-NEXT: ^bb0(%[[X:.*]]: tensor<4xf32>):
// CHECK-NEXT: carousel.yield %[[X]] : tensor<4xf32>
// CHECK-NEXT: } : (tensor<4xf32>) -> tensor<4xf32>
// CHECK: carousel.group "scheduled"(%{{.*}}, %{{.*}}) attributes {
// CHECK-SAME: schedules = [#carousel.group_schedule<contraction, [<[0, 1], grid, 128>, <[2], loop, 64>] few_rows = 0 division = <position = 1, step_elements = 2, step_iterations = 3, least_length = 512, most_parts = 8, wanted_programs = 132, cluster = true>>, #carousel.group_schedule<row, [<[0], none, 1>] one_loop = true covered = 0 few = 0>]
// CHECK-SAME: shared_reads = [#carousel.shared_read<op = 0, read = 1, with = 2>]
func.func @groups(%a: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %0 = carousel.group "plain"(%a) {
  ^bb0(%x: tensor<4xf32>):
    carousel.yield %x : tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  %1 = carousel.group "scheduled"(%0, %n) attributes {
      schedules = [#carousel.group_schedule<contraction, [<[0, 1], grid, 128>, <[2], loop, 64>] few_rows = 0 division = <position = 1, step_elements = 2, step_iterations = 3, least_length = 512, most_parts = 8, wanted_programs = 132, cluster = true>>,
                   #carousel.group_schedule<row, [<[0], none, 1>] one_loop = true covered = 0 few = 0>],
      shared_reads = [#carousel.shared_read<op = 0, read = 1, with = 2>]} {
  ^bb0(%x: tensor<4xf32>, %m: index):
    carousel.yield %x : tensor<4xf32>
  } : (tensor<4xf32>, index) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
