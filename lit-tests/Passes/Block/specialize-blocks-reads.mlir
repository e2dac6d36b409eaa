// Threads have four 16-byte accesses of one or two memrefs, and two of each of more.
// RUN: carousel-opt %s --carousel-specialize-blocks | FileCheck %s

!vec = memref<?xf32, #gpu.address_space<global>>
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
}
