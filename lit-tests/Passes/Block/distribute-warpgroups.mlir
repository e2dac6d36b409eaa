// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_90a},carousel-specialize-blocks,carousel-distribute))' | FileCheck %s
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_90a},carousel-specialize-blocks,carousel-distribute))' --remarks-filter=carousel-distribute --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Products of tiles by warpgroups. CTAs go through programs in a loop, in groups of rows of tiles, and
// each warpgroup stores its own rows.

#gl = #gpu.address_space<global>
#maps = {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
    affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
#second_transposed = {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
    affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
!matrix = memref<?x?xbf16, strided<[?, 1], offset: ?>, #gl>
!floats = memref<?x?xf32, strided<[?, 1], offset: ?>, #gl>

gpu.module @m {
  // CHECK-LABEL: gpu.func @product(
  // CHECK-SAME: grid = [min(ceildiv(extent(2, 1), 128) * ceildiv(extent(2, 0), 256), resident)], block = [256]
  // CHECK: %[[FIRST:.*]] = gpu.block_id x
  // CHECK: %[[STEP:.*]] = gpu.grid_dim x
  // CHECK: scf.for %{{.*}} = %[[FIRST]] to %{{.*}} step %[[STEP]]
  // CHECK: scf.for
  // CHECK: carousel.load %{{.*}} to %[[A:.*]] swizzle(b128)
  // CHECK: carousel.load %{{.*}} to %[[B:.*]] swizzle(b128)
  // CHECK: %[[SUMS:.*]] = vector.shape_cast %{{.*}} : vector<128xf32> to vector<2x16x2x2xf32>
  // CHECK: %[[NEXT:.*]] = carousel.multiply %[[A]][%{{.*}}], %[[B]][%{{.*}}], %[[SUMS]] : memref<256x64xbf16,
  // CHECK: vector.shape_cast %[[NEXT]] : vector<2x16x2x2xf32> to vector<128xf32>
  // CHECK: memref.view %{{.*}} : memref<65536xi8, #gpu.address_space<workgroup>> to memref<128x128xbf16,
  // CHECK: carousel.store {{.*}} scope(warpgroup)
  // REMARK: remark: [Passed] Product | {{.*}} | Function=product | Remark="a product by wgmma m64n128k16 of bf16, 2 for a warpgroup"
  gpu.func @product(
      %x: !matrix {carousel.argument = #carousel.argument<"x", in>},
      %w: !matrix {carousel.argument = #carousel.argument<"w", in>},
      %y: !matrix {carousel.argument = #carousel.argument<"y", out>})
      kernel attributes {carousel.block_program = #carousel.block_program<>, carousel.launch =
        #carousel.launch<grid = [ceildiv(extent(2, 1), 128), ceildiv(extent(2, 0), 256)]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : vector<256x128xf32>
    %across = gpu.block_id x
    %down = gpu.block_id y
    %i = affine.apply affine_map<(d) -> (d * 256)>(%down)
    %j = affine.apply affine_map<(d) -> (d * 128)>(%across)
    %depth = memref.dim %x, %c1 : !matrix
    %sum = scf.for %k = %c0 to %depth step %c64 iter_args(%acc = %zeros) -> (vector<256x128xf32>) {
      %xt = vector.transfer_read %x[%i, %k], %pad : !matrix, vector<256x64xbf16>
      %wt = vector.transfer_read %w[%k, %j], %pad : !matrix, vector<64x128xbf16>
      %next = vector.contract #maps %xt, %wt, %acc
          : vector<256x64xbf16>, vector<64x128xbf16> into vector<256x128xf32>
      scf.yield %next : vector<256x128xf32>
    } {carousel.pipeline = #carousel.pipeline<>}
    %v = arith.truncf %sum : vector<256x128xf32> to vector<256x128xbf16>
    vector.transfer_write %v, %y[%i, %j] : vector<256x128xbf16>, !matrix
    gpu.return
  }

  // Threads compute a factor, which is the first one of instructions.
  // CHECK-LABEL: gpu.func @scaled(
  // CHECK-SAME: grid = [min(ceildiv(extent(2, 1), 128), resident)]
  // CHECK: arith.addf
  // CHECK: carousel.multiply %{{.*}}, %{{.*}}[%{{.*}}], %{{.*}} : vector<1x4x4x2xbf16>, memref<64x128xbf16, #gpu.address_space<workgroup>>, vector<1x16x2x2xf32>
  // REMARK: remark: [Passed] Product | {{.*}} | Function=scaled | Remark="a product by wgmma m64n128k16 of bf16, 1 for a warpgroup, with the first factor in registers"
  gpu.func @scaled(
      %x: !matrix {carousel.argument = #carousel.argument<"x", in>},
      %w: !matrix {carousel.argument = #carousel.argument<"w", in>},
      %y: !matrix {carousel.argument = #carousel.argument<"y", out>})
      kernel attributes {carousel.block_program = #carousel.block_program<>, carousel.launch =
        #carousel.launch<grid = [ceildiv(extent(2, 1), 128)]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : vector<64x128xf32>
    %across = gpu.block_id x
    %j = affine.apply affine_map<(d) -> (d * 128)>(%across)
    %depth = memref.dim %x, %c1 : !matrix
    %sum = scf.for %k = %c0 to %depth step %c64 iter_args(%acc = %zeros) -> (vector<64x128xf32>) {
      %xt = vector.transfer_read %x[%c0, %k], %pad : !matrix, vector<64x64xbf16>
      %wt = vector.transfer_read %w[%k, %j], %pad : !matrix, vector<64x128xbf16>
      %xs = arith.addf %xt, %xt : vector<64x64xbf16>
      %next = vector.contract #maps %xs, %wt, %acc
          : vector<64x64xbf16>, vector<64x128xbf16> into vector<64x128xf32>
      scf.yield %next : vector<64x128xf32>
    } {carousel.pipeline = #carousel.pipeline<>}
    %v = arith.truncf %sum : vector<64x128xf32> to vector<64x128xbf16>
    vector.transfer_write %v, %y[%c0, %j] : vector<64x128xbf16>, !matrix
    gpu.return
  }

  // Threads compute both.
  // CHECK-LABEL: gpu.func @both_scaled(
  // CHECK-NOT: carousel.multiply
  // CHECK: nvgpu.mma.sync
  // REMARK: remark: [Passed] Product | {{.*}} | Function=both_scaled | Remark="a product by mma.sync m16n8k16 of bf16, and not by wgmma: the second factor isn't a tile that a pipelined loop reads for products alone"
  gpu.func @both_scaled(
      %x: !matrix {carousel.argument = #carousel.argument<"x", in>},
      %w: !matrix {carousel.argument = #carousel.argument<"w", in>},
      %y: !matrix {carousel.argument = #carousel.argument<"y", out>})
      kernel attributes {carousel.block_program = #carousel.block_program<>, carousel.launch =
        #carousel.launch<grid = [ceildiv(extent(2, 1), 128)]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : vector<64x128xf32>
    %across = gpu.block_id x
    %j = affine.apply affine_map<(d) -> (d * 128)>(%across)
    %depth = memref.dim %x, %c1 : !matrix
    %sum = scf.for %k = %c0 to %depth step %c64 iter_args(%acc = %zeros) -> (vector<64x128xf32>) {
      %xt = vector.transfer_read %x[%c0, %k], %pad : !matrix, vector<64x64xbf16>
      %wt = vector.transfer_read %w[%k, %j], %pad : !matrix, vector<64x128xbf16>
      %xs = arith.addf %xt, %xt : vector<64x64xbf16>
      %ws = arith.addf %wt, %wt : vector<64x128xbf16>
      %next = vector.contract #maps %xs, %ws, %acc
          : vector<64x64xbf16>, vector<64x128xbf16> into vector<64x128xf32>
      scf.yield %next : vector<64x128xf32>
    } {carousel.pipeline = #carousel.pipeline<>}
    %v = arith.truncf %sum : vector<64x128xf32> to vector<64x128xbf16>
    vector.transfer_write %v, %y[%c0, %j] : vector<64x128xbf16>, !matrix
    gpu.return
  }

  // Two products of one factor, of which an instruction for warps computes one: both read one tile.
  // CHECK-LABEL: gpu.func @two_products(
  // CHECK: carousel.load %arg0[%{{.*}} to %[[X:.*]] swizzle(b128)
  // CHECK-NOT: carousel.load %arg0
  // CHECK: carousel.multiply %[[X]][
  // CHECK: nvgpu.ldmatrix %[[X]][
  // CHECK: nvgpu.mma.sync
  gpu.func @two_products(
      %x: !matrix {carousel.argument = #carousel.argument<"x", in>},
      %w: !matrix {carousel.argument = #carousel.argument<"w", in>},
      %y: !floats {carousel.argument = #carousel.argument<"y", out>})
      kernel attributes {carousel.block_program = #carousel.block_program<>, carousel.launch =
        #carousel.launch<grid = [ceildiv(extent(2, 0), 64)]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0.0 : bf16
    %wide = arith.constant dense<0.0> : vector<64x16xf32>
    %narrow = arith.constant dense<0.0> : vector<64x8xf32>
    %down = gpu.block_id x
    %i = affine.apply affine_map<(d) -> (d * 64)>(%down)
    %depth = memref.dim %x, %c1 : !matrix
    %sums:2 = scf.for %k = %c0 to %depth step %c64 iter_args(%left = %wide, %right = %narrow)
        -> (vector<64x16xf32>, vector<64x8xf32>) {
      %xt = vector.transfer_read %x[%i, %k], %pad : !matrix, vector<64x64xbf16>
      %wt = vector.transfer_read %w[%k, %c0], %pad : !matrix, vector<64x16xbf16>
      %wu = vector.transfer_read %w[%k, %c16], %pad : !matrix, vector<64x8xbf16>
      %a = vector.contract #maps %xt, %wt, %left
          : vector<64x64xbf16>, vector<64x16xbf16> into vector<64x16xf32>
      %b = vector.contract #maps %xt, %wu, %right
          : vector<64x64xbf16>, vector<64x8xbf16> into vector<64x8xf32>
      scf.yield %a, %b : vector<64x16xf32>, vector<64x8xf32>
    } {carousel.pipeline = #carousel.pipeline<>}
    vector.transfer_write %sums#0, %y[%i, %c0] : vector<64x16xf32>, !floats
    vector.transfer_write %sums#1, %y[%i, %c16] : vector<64x8xf32>, !floats
    gpu.return
  }

  // Loads round to tf32. Rows of w don't lie along k: it is in registers, and its columns are the
  // instruction's rows. Threads write results of 32 bits.
  // CHECK-LABEL: gpu.func @rounded(
  // CHECK: carousel.load %{{.*}} to %[[X:.*]] round_tf32 swizzle(b128)
  // CHECK: carousel.load %{{.*}} round_tf32 swizzle(b128)
  // CHECK-NOT: carousel.round_tf32
  // CHECK: carousel.multiply %{{.*}}, %[[X]][%{{.*}}], %{{.*}} transpose_b : vector<1x4x4x1xf32>, memref<64x32xf32, #gpu.address_space<workgroup>>, vector<1x8x2x2xf32>
  // CHECK-NOT: carousel.store
  // CHECK: gpu.return
  // REMARK: remark: [Passed] Product | {{.*}} | Function=rounded | Remark="a product by wgmma m64n64k8 of tf32, 1 for a warpgroup, with the second factor in registers"
  gpu.func @rounded(
      %x: !floats {carousel.argument = #carousel.argument<"x", in>},
      %w: !floats {carousel.argument = #carousel.argument<"w", in>},
      %y: !floats {carousel.argument = #carousel.argument<"y", out>})
      kernel attributes {carousel.block_program = #carousel.block_program<>, carousel.launch =
        #carousel.launch<grid = [ceildiv(extent(2, 1), 64)]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %pad = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : vector<64x64xf32>
    %across = gpu.block_id x
    %j = affine.apply affine_map<(d) -> (d * 64)>(%across)
    %depth = memref.dim %x, %c1 : !floats
    %sum = scf.for %k = %c0 to %depth step %c32 iter_args(%acc = %zeros) -> (vector<64x64xf32>) {
      %xt = vector.transfer_read %x[%c0, %k], %pad : !floats, vector<64x32xf32>
      %wt = vector.transfer_read %w[%k, %j], %pad : !floats, vector<32x64xf32>
      %xr = carousel.round_tf32 %xt : vector<64x32xf32>
      %wr = carousel.round_tf32 %wt : vector<32x64xf32>
      %next = vector.contract #maps %xr, %wr, %acc
          : vector<64x32xf32>, vector<32x64xf32> into vector<64x64xf32>
      scf.yield %next : vector<64x64xf32>
    } {carousel.pipeline = #carousel.pipeline<>}
    vector.transfer_write %sum, %y[%c0, %j] : vector<64x64xf32>, !floats
    gpu.return
  }

  // A factor of all iterations stays in the tile that the loop around them reads.
  // CHECK-LABEL: gpu.func @outer(
  // CHECK: carousel.load %{{.*}} to %[[X:.*]] swizzle(b128)
  // CHECK: scf.for
  // CHECK: carousel.load %{{.*}} to %[[W:.*]] swizzle(b128)
  // CHECK: carousel.multiply %[[X]][%{{.*}}], %[[W]][%{{.*}}]
  // REMARK: remark: [Passed] Product | {{.*}} | Function=outer | Remark="a product by wgmma m64n64k16 of bf16, 1 for a warpgroup"
  gpu.func @outer(
      %x: !matrix {carousel.argument = #carousel.argument<"x", in>},
      %w: !matrix {carousel.argument = #carousel.argument<"w", in>},
      %y: !matrix {carousel.argument = #carousel.argument<"y", out>})
      kernel attributes {carousel.block_program = #carousel.block_program<>, carousel.launch =
        #carousel.launch<grid = [resident], block = [128]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : vector<64x64xf32>
    %rows = memref.dim %x, %c0 : !matrix
    %columns = memref.dim %w, %c1 : !matrix
    scf.for %i = %c0 to %rows step %c64 {
      %xt = vector.transfer_read %x[%i, %c0], %pad : !matrix, vector<64x64xbf16>
      %sum = scf.for %j = %c0 to %columns step %c64 iter_args(%acc = %zeros) -> (vector<64x64xf32>) {
        %wt = vector.transfer_read %w[%c0, %j], %pad : !matrix, vector<64x64xbf16>
        %next = vector.contract #maps %xt, %wt, %acc
            : vector<64x64xbf16>, vector<64x64xbf16> into vector<64x64xf32>
        scf.yield %next : vector<64x64xf32>
      } {carousel.pipeline = #carousel.pipeline<>}
      %v = arith.truncf %sum : vector<64x64xf32> to vector<64x64xbf16>
      vector.transfer_write %v, %y[%i, %c0] : vector<64x64xbf16>, !matrix
    } {carousel.pipeline = #carousel.pipeline<>}
    gpu.return
  }

  // So it does where the loop over programs is made. The numbers of a row are written by threads, which needn't meet.
  // CHECK-LABEL: gpu.func @made(
  // CHECK-SAME: grid = [min(ceildiv(extent(0, 0), 64), resident)]
  // CHECK: scf.for
  // CHECK: carousel.load %{{.*}} to %[[X:.*]] swizzle(b128)
  // CHECK: scf.for
  // CHECK: carousel.load %{{.*}} to %[[W:.*]] swizzle(b128)
  // CHECK: carousel.multiply %[[X]][%{{.*}}], %[[W]][%{{.*}}]
  // CHECK: } {carousel.pipeline = #carousel.pipeline<>}
  // CHECK: carousel.store %{{.*}} swizzle(b128)
  // CHECK-NOT: carousel.store
  // CHECK-NOT: gpu.barrier
  // CHECK: } {carousel.pipeline = #carousel.pipeline<stages = 2>}
  // REMARK: remark: [Passed] Product | {{.*}} | Function=made | Remark="a product by wgmma m64n64k16 of bf16, 1 for a warpgroup"
  gpu.func @made(
      %x: !matrix {carousel.argument = #carousel.argument<"x", in>},
      %w: !matrix {carousel.argument = #carousel.argument<"w", in>},
      %y: !matrix {carousel.argument = #carousel.argument<"y", out>},
      %most: memref<?xf32, #gl> {carousel.argument = #carousel.argument<"most", out>})
      kernel attributes {carousel.block_program = #carousel.block_program<>, carousel.launch =
        #carousel.launch<grid = [ceildiv(extent(0, 0), 64)], block = [128]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : vector<64x64xf32>
    %low = arith.constant dense<0xFF800000> : vector<64xf32>
    %block = gpu.block_id x
    %i = arith.muli %block, %c64 : index
    %columns = memref.dim %w, %c1 : !matrix
    %xt = vector.transfer_read %x[%i, %c0], %pad : !matrix, vector<64x64xbf16>
    %sum = scf.for %j = %c0 to %columns step %c64 iter_args(%acc = %zeros) -> (vector<64x64xf32>) {
      %wt = vector.transfer_read %w[%c0, %j], %pad : !matrix, vector<64x64xbf16>
      %next = vector.contract #maps %xt, %wt, %acc
          : vector<64x64xbf16>, vector<64x64xbf16> into vector<64x64xf32>
      scf.yield %next : vector<64x64xf32>
    } {carousel.pipeline = #carousel.pipeline<>}
    %v = arith.truncf %sum : vector<64x64xf32> to vector<64x64xbf16>
    vector.transfer_write %v, %y[%i, %c0] : vector<64x64xbf16>, !matrix
    %largest = vector.multi_reduction <maxnumf>, %sum, %low [1] : vector<64x64xf32> to vector<64xf32>
    vector.transfer_write %largest, %most[%i] : vector<64xf32>, memref<?xf32, #gl>
    gpu.return
  }

  // Threads read what else programs have there, as a residual: its tiles would take more slots than they are worth.
  // CHECK-LABEL: gpu.func @made_with_others(
  // CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^%]*}}, %[[W:[a-z0-9]+]]: {{[^%]*}}, %[[R:[a-z0-9]+]]:
  // CHECK: carousel.load %[[X]]
  // CHECK: carousel.load %[[W]]
  // CHECK: carousel.multiply %{{.*}}[%{{.*}}], %{{.*}}[%{{.*}}], %{{.*}} : memref<64x64xbf16
  // CHECK-NOT: carousel.load
  // CHECK: memref.load %[[R]]
  // CHECK: stages = 2
  // CHECK: gpu.return
  // REMARK: remark: [Passed] Product | {{.*}} | Function=made_with_others | Remark="a product by wgmma m64n64k16 of bf16, 1 for a warpgroup"
  gpu.func @made_with_others(
      %x: !matrix {carousel.argument = #carousel.argument<"x", in>},
      %w: !matrix {carousel.argument = #carousel.argument<"w", in>},
      %r: !matrix {carousel.argument = #carousel.argument<"r", in>},
      %y: !matrix {carousel.argument = #carousel.argument<"y", out>})
      kernel attributes {carousel.block_program = #carousel.block_program<>, carousel.launch =
        #carousel.launch<grid = [ceildiv(extent(0, 0), 64)], block = [128]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : vector<64x64xf32>
    %block = gpu.block_id x
    %i = arith.muli %block, %c64 : index
    %columns = memref.dim %w, %c1 : !matrix
    %xt = vector.transfer_read %x[%i, %c0], %pad : !matrix, vector<64x64xbf16>
    %sum = scf.for %j = %c0 to %columns step %c64 iter_args(%acc = %zeros) -> (vector<64x64xf32>) {
      %wt = vector.transfer_read %w[%c0, %j], %pad : !matrix, vector<64x64xbf16>
      %next = vector.contract #maps %xt, %wt, %acc
          : vector<64x64xbf16>, vector<64x64xbf16> into vector<64x64xf32>
      scf.yield %next : vector<64x64xf32>
    } {carousel.pipeline = #carousel.pipeline<>}
    %rt = vector.transfer_read %r[%i, %c0], %pad : !matrix, vector<64x64xbf16>
    %wide = arith.extf %rt : vector<64x64xbf16> to vector<64x64xf32>
    %all = arith.addf %sum, %wide : vector<64x64xf32>
    %v = arith.truncf %all : vector<64x64xf32> to vector<64x64xbf16>
    vector.transfer_write %v, %y[%i, %c0] : vector<64x64xbf16>, !matrix
    gpu.return
  }

  // Two warpgroups share the columns of the results, and each computes all 64 x 64 sums, of which it needs whole rows as a factor.
  // CHECK-LABEL: gpu.func @factors_of_sums(
  // CHECK-SAME: block = [256]
  // CHECK: carousel.multiply {{.*}}, vector<1x8x2x2xf32>
  // CHECK-NOT: gpu.barrier
  // CHECK: carousel.multiply {{.*}} : vector<1x4x4x2xbf16>, {{.*}}, vector<1x16x2x2xf32>
  // CHECK: gpu.return
  // REMARK: remark: [Passed] Product | {{.*}} | Function=factors_of_sums | Remark="a product by wgmma m64n64k16 of bf16, 1 for a warpgroup"
  // REMARK: remark: [Passed] Product | {{.*}} | Function=factors_of_sums | Remark="a product by wgmma m64n128k16 of bf16, 1 for a warpgroup, with the first factor in registers"
  gpu.func @factors_of_sums(
      %x: !matrix {carousel.argument = #carousel.argument<"x", in>},
      %w: !matrix {carousel.argument = #carousel.argument<"w", in>},
      %y: !matrix {carousel.argument = #carousel.argument<"y", out>})
      kernel attributes {carousel.block_program = #carousel.block_program<>, carousel.launch =
        #carousel.launch<grid = [ceildiv(extent(0, 0), 64)], block = [256]>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0.0 : bf16
    %none = arith.constant dense<0.0> : vector<64x64xf32>
    %zeros = arith.constant dense<0.0> : vector<64x256xf32>
    %block = gpu.block_id x
    %i = arith.muli %block, %c64 : index
    %rows = memref.dim %w, %c0 : !matrix
    %xt = vector.transfer_read %x[%i, %c0], %pad : !matrix, vector<64x256xbf16>
    %sum = scf.for %j = %c0 to %rows step %c64 iter_args(%acc = %zeros) -> (vector<64x256xf32>) {
      %wt = vector.transfer_read %w[%j, %c0], %pad : !matrix, vector<64x256xbf16>
      %s = vector.contract #second_transposed %xt, %wt, %none
          : vector<64x256xbf16>, vector<64x256xbf16> into vector<64x64xf32>
      %p = arith.truncf %s : vector<64x64xf32> to vector<64x64xbf16>
      %next = vector.contract #maps %p, %wt, %acc
          : vector<64x64xbf16>, vector<64x256xbf16> into vector<64x256xf32>
      scf.yield %next : vector<64x256xf32>
    } {carousel.pipeline = #carousel.pipeline<>}
    %v = arith.truncf %sum : vector<64x256xf32> to vector<64x256xbf16>
    vector.transfer_write %v, %y[%i, %c0] : vector<64x256xbf16>, !matrix
    gpu.return
  }

  // Where the tile of a result doesn't fit beside the slots, warpgroups store their rows in two parts of the columns.
  // CHECK-LABEL: gpu.func @in_parts(
  // CHECK: %[[ALL:.*]] = memref.alloc() {{.*}} : memref<32768xi8
  // CHECK: %[[OWN:.*]] = memref.view %[[ALL]]{{.*}} to memref<64x128xbf16
  // CHECK: carousel.store %[[OWN]] to %{{.*}}[%{{.*}}, %[[FIRST:.*]]] scope(warpgroup)
  // CHECK: vector.store %{{.*}}, %[[OWN]]
  // CHECK: %[[SECOND:.*]] = arith.addi %[[FIRST]], %c128{{.*}} : index
  // CHECK: carousel.store %[[OWN]] to %{{.*}}[%{{.*}}, %[[SECOND]]] scope(warpgroup)
  // CHECK-NOT: carousel.store
  // CHECK: gpu.return
  gpu.func @in_parts(
      %x: !matrix {carousel.argument = #carousel.argument<"x", in>},
      %w: !matrix {carousel.argument = #carousel.argument<"w", in>},
      %y: !matrix {carousel.argument = #carousel.argument<"y", out>})
      kernel attributes {carousel.block_program = #carousel.block_program<>, carousel.launch =
        #carousel.launch<grid = [ceildiv(extent(0, 0), 128)], block = [256]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : vector<128x256xf32>
    %block = gpu.block_id x
    %i = arith.muli %block, %c128 : index
    %columns = memref.dim %x, %c1 : !matrix
    %sum = scf.for %j = %c0 to %columns step %c64 iter_args(%acc = %zeros) -> (vector<128x256xf32>) {
      %xt = vector.transfer_read %x[%i, %j], %pad : !matrix, vector<128x64xbf16>
      %wt = vector.transfer_read %w[%j, %c0], %pad : !matrix, vector<64x256xbf16>
      %next = vector.contract #maps %xt, %wt, %acc
          : vector<128x64xbf16>, vector<64x256xbf16> into vector<128x256xf32>
      scf.yield %next : vector<128x256xf32>
    } {carousel.pipeline = #carousel.pipeline<stages = 4>}
    %v = arith.truncf %sum : vector<128x256xf32> to vector<128x256xbf16>
    vector.transfer_write %v, %y[%i, %c0] : vector<128x256xbf16>, !matrix
    gpu.return
  }

  // A tile is the second factor of two products, by rows of n and by rows of k. The result's tile is worth more than a second slot of
  // the factors that all iterations have.
  // CHECK-LABEL: gpu.func @two_roles(
  // CHECK: carousel.load %{{.*}} to %[[K:.*]] swizzle(b128) {{.*}} memref<64x128xbf16,
  // CHECK: carousel.multiply %{{.*}}, %[[K]][%{{.*}}], %{{.*}} transpose_b : memref<128x128xbf16,
  // CHECK: carousel.multiply %{{.*}}, %[[K]][%{{.*}}], %{{.*}} : vector<1x4x4x2xbf16>, memref<64x128xbf16, #gpu.address_space<workgroup>>, vector<1x16x2x2xf32>
  // CHECK: #carousel.pipeline<stages = 3>
  // CHECK: carousel.store {{.*}} scope(warpgroup)
  // CHECK: #carousel.pipeline<stages = 1>
  // REMARK-COUNT-2: Function=two_roles | Remark="a product by wgmma m64n64k16 of bf16, 1 for a warpgroup"
  // REMARK: Function=two_roles | Remark="a product by wgmma m64n128k16 of bf16, 1 for a warpgroup, with the first factor in registers"
  gpu.func @two_roles(
      %q: memref<?x128xbf16, #gl> {carousel.argument = #carousel.argument<"q", in>},
      %d: memref<?x128xbf16, #gl> {carousel.argument = #carousel.argument<"d", in>},
      %k: memref<?x128xbf16, #gl> {carousel.argument = #carousel.argument<"k", in>},
      %v: memref<?x128xbf16, #gl> {carousel.argument = #carousel.argument<"v", in>},
      %y: memref<?x128xbf16, #gl> {carousel.argument = #carousel.argument<"y", out>})
      kernel attributes {carousel.block_program = #carousel.block_program<>, carousel.launch =
        #carousel.launch<grid = [ceildiv(extent(0, 0), 128)], block = [256]>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %pad = arith.constant 0.0 : bf16
    %none = arith.constant dense<0.0> : vector<128x64xf32>
    %zeros = arith.constant dense<0.0> : vector<128x128xf32>
    %block = gpu.block_id x
    %i = arith.muli %block, %c128 : index
    %n = memref.dim %k, %c0 : memref<?x128xbf16, #gl>
    %qt = vector.transfer_read %q[%i, %c0], %pad : memref<?x128xbf16, #gl>, vector<128x128xbf16>
    %dt = vector.transfer_read %d[%i, %c0], %pad : memref<?x128xbf16, #gl>, vector<128x128xbf16>
    %sum = scf.for %j = %c0 to %n step %c64 iter_args(%acc = %zeros) -> (vector<128x128xf32>) {
      %kt = vector.transfer_read %k[%j, %c0], %pad : memref<?x128xbf16, #gl>, vector<64x128xbf16>
      %vt = vector.transfer_read %v[%j, %c0], %pad : memref<?x128xbf16, #gl>, vector<64x128xbf16>
      %s = vector.contract #second_transposed %qt, %kt, %none
          : vector<128x128xbf16>, vector<64x128xbf16> into vector<128x64xf32>
      %p = vector.contract #second_transposed %dt, %vt, %none
          : vector<128x128xbf16>, vector<64x128xbf16> into vector<128x64xf32>
      %both = arith.mulf %s, %p : vector<128x64xf32>
      %narrow = arith.truncf %both : vector<128x64xf32> to vector<128x64xbf16>
      %next = vector.contract #maps %narrow, %kt, %acc
          : vector<128x64xbf16>, vector<64x128xbf16> into vector<128x128xf32>
      scf.yield %next : vector<128x128xf32>
    } {carousel.pipeline = #carousel.pipeline<stages = 3>}
    %result = arith.truncf %sum : vector<128x128xf32> to vector<128x128xbf16>
    vector.transfer_write %result, %y[%i, %c0] : vector<128x128xbf16>, memref<?x128xbf16, #gl>
    gpu.return
  }
}
