// Threads have four 16-byte accesses of one or two memrefs, and two of each of more.
// RUN: carousel-opt %s --carousel-specialize-blocks | FileCheck %s

!vec = memref<?xf32, #gpu.address_space<global>>
!mat = memref<?x?xf32, #gpu.address_space<global>>
gpu.module @reads {
  // CHECK-LABEL: gpu.func @two
  // CHECK-SAME: block = [128]
  gpu.func @two(%a: !vec {carousel.argument = #carousel.argument<"a", in>}, %b: !vec {carousel.argument = #carousel.argument<"b", in>},
                %y: !vec {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [ceildiv(extent(0, 0), 2048)]>} {
    %c2048 = arith.constant 2048 : index
    %zero = arith.constant 0.0 : f32
    %i = gpu.block_id x
    %begin = arith.muli %i, %c2048 : index
    %u = vector.transfer_read %a[%begin], %zero : !vec, vector<2048xf32>
    %v = vector.transfer_read %b[%begin], %zero : !vec, vector<2048xf32>
    %w = arith.addf %u, %v : vector<2048xf32>
    vector.transfer_write %w, %y[%begin] : vector<2048xf32>, !vec
    gpu.return
  }

  // CHECK-LABEL: gpu.func @three
  // CHECK-SAME: block = [256]
  gpu.func @three(%a: !vec {carousel.argument = #carousel.argument<"a", in>}, %b: !vec {carousel.argument = #carousel.argument<"b", in>},
                  %c: !vec {carousel.argument = #carousel.argument<"c", in>}, %y: !vec {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [ceildiv(extent(0, 0), 2048)]>} {
    %c2048 = arith.constant 2048 : index
    %zero = arith.constant 0.0 : f32
    %i = gpu.block_id x
    %begin = arith.muli %i, %c2048 : index
    %u = vector.transfer_read %a[%begin], %zero : !vec, vector<2048xf32>
    %v = vector.transfer_read %b[%begin], %zero : !vec, vector<2048xf32>
    %t = vector.transfer_read %c[%begin], %zero : !vec, vector<2048xf32>
    %w = arith.addf %u, %v : vector<2048xf32>
    %s = arith.addf %w, %t : vector<2048xf32>
    vector.transfer_write %s, %y[%begin] : vector<2048xf32>, !vec
    gpu.return
  }

  // One product whose factors need registers is enough for few sums of a thread, wherever it is.
  // CHECK-LABEL: gpu.func @products
  // CHECK-SAME: block = [256]
  gpu.func @products(%a: !mat {carousel.argument = #carousel.argument<"a", in>}, %b: !mat {carousel.argument = #carousel.argument<"b", in>},
                     %y: !mat {carousel.argument = #carousel.argument<"y", out>}, %n: index) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1]>} {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %zero = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : vector<64x64xf32>
    %ones = arith.constant dense<1.0> : vector<64x16xf32>
    %p = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
        affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} %ones, %ones, %zeros
        : vector<64x16xf32>, vector<64x16xf32> into vector<64x64xf32>
    %sums = scf.for %k = %c0 to %n step %c16 iter_args(%sum = %p) -> (vector<64x64xf32>) {
      %u = vector.transfer_read %a[%c0, %k], %zero : !mat, vector<64x16xf32>
      %v = vector.transfer_read %b[%c0, %k], %zero : !mat, vector<64x16xf32>
      %next = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
          affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} %u, %v, %sum
          : vector<64x16xf32>, vector<64x16xf32> into vector<64x64xf32>
      scf.yield %next : vector<64x64xf32>
    } {carousel.pipeline = #carousel.pipeline<stages = auto>}
    vector.transfer_write %sums, %y[%c0, %c0] : vector<64x64xf32>, !mat
    gpu.return
  }
}
