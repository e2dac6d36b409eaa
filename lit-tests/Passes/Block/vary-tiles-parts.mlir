// Variants in which the CTAs of a cluster divide the iterations of a product's loop, and the reasons why kernels have none.
// RUN: carousel-opt %s --split-input-file --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_90a},carousel-vary-tiles))' --remarks-filter=carousel-vary-tiles --mlir-print-local-scope 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks
// RUN: carousel-opt %s --split-input-file --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_80},carousel-vary-tiles))' --remarks-filter=carousel-vary-tiles 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: carousel-opt %s --split-input-file --carousel-lower=chip=sm_80 | FileCheck %s --check-prefix=LOWERED
// OTHER: [Missed] Parts {{.*}}Function=rows | Remark="k isn't divided: no warpgroups compute a product"
// OTHER-NOT: cluster =
// LOWERED-NOT: carousel.parts

#gl = #gpu.address_space<global>
#product = {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
    affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
!matrix = memref<?x?xbf16, strided<[?, 1], offset: ?>, #gl>

// Both dimensions of the grid are the same expression; the rows' one is divided. No other tile has more parts than 2 here.
// CHECK-LABEL: gpu.func @rows_64x64_parts2(
// CHECK-SAME: grid = [ceildiv(extent(0, 0), 64), ceildiv(extent(0, 0), 64) * 2], block = [128], cluster = [1, 2]>
// CHECK-SAME: guards = [range(ceildiv(extent(0, 0), 64) * 2, 0, 65535)]
// CHECK-SAME: cost = {{.*}}ceildiv(ceildiv(extent(0, 0), 64) * ceildiv(extent(0, 0), 64) * 2, sms) * (ceildiv(ceildiv(extent(0, 1), 64), 2)
// The CTA's program: a half of a tile. Its cluster's tile, and its part of k.
// CHECK-DAG: %[[DOWN:.+]] = gpu.block_id y
// CHECK-DAG: %[[RANK:.+]] = affine.apply affine_map<(d0) -> (d0 mod 2)>(%[[Y:.+]])
// CHECK-DAG: %[[TILE:.+]] = affine.apply affine_map<(d0) -> (d0 floordiv 2)>(%[[Y]])
// CHECK-DAG: %[[ROW:.+]] = affine.apply affine_map<(d0) -> (d0 * 64)>(%[[TILE]])
// CHECK-DAG: %[[FROM:.+]] = affine.apply affine_map<(d0)[s0, s1] -> (d0 * (((s1 - s0) ceildiv 128) * 64) + s0)>(%[[RANK]])[
// CHECK-DAG: %[[TO:.+]] = affine.min affine_map<(d0)[s0, s1] -> (s1, (d0 + 1) * (((s1 - s0) ceildiv 128) * 64) + s0)>(%[[RANK]])[
// CHECK: %[[SUM:.+]] = scf.for %[[K:.+]] = %[[FROM]] to %[[TO]]
// CHECK: vector.transfer_read %{{.+}}[%[[ROW]], %[[K]]], {{.*}}vector<64x64xbf16>
// CHECK: %[[OWN:.+]] = memref.alloc() {alignment = 128 : i64} : memref<64x72xf32, #gpu.address_space<workgroup>>
// CHECK: vector.transfer_write %[[SUM]], %[[OWN]]
// CHECK: carousel.cluster.arrive
// CHECK-NEXT: carousel.cluster.wait
// CHECK: %[[PLACE:.+]] = affine.apply affine_map<(d0) -> (d0 * 32)>(%[[RANK]])
// CHECK: %[[FIRST:.+]] = vector.transfer_read %{{.+}}[%[[PLACE]], %{{.+}}, vector<32x64xf32>
// CHECK: %[[SECOND:.+]] = vector.transfer_read %{{.+}}[%[[PLACE]], %{{.+}}, vector<32x64xf32>
// CHECK: %[[ALL:.+]] = arith.addf %[[FIRST]], %[[SECOND]] : vector<32x64xf32>
// CHECK: carousel.cluster.arrive
// CHECK-NEXT: carousel.cluster.wait
// CHECK: arith.truncf %[[ALL]]
// CHECK: vector.transfer_write {{.*}} : vector<32x64xbf16>
// REMARK: [Passed] Tile {{.*}}Function=rows_128x128_parts2 | Remark="tile of 128 x 128 in 2 warpgroups, k in 2 parts,
gpu.module @m {
  gpu.func @rows(%x: !matrix, %w: !matrix, %y: !matrix) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.parts = 2 : i64,
      carousel.launch = #carousel.launch<grid = [ceildiv(extent(0, 0), 128), ceildiv(extent(0, 0), 128)]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : vector<128x128xf32>
    %across = gpu.block_id x
    %down = gpu.block_id y
    %i = affine.apply affine_map<(d) -> (d * 128)>(%down)
    %j = affine.apply affine_map<(d) -> (d * 128)>(%across)
    %depth = memref.dim %x, %c1 : !matrix
    %sum = scf.for %k = %c0 to %depth step %c64 iter_args(%acc = %zeros) -> (vector<128x128xf32>) {
      %xt = vector.transfer_read %x[%i, %k], %pad : !matrix, vector<128x64xbf16>
      %wt = vector.transfer_read %w[%k, %j], %pad : !matrix, vector<64x128xbf16>
      %next = vector.contract #product %xt, %wt, %acc : vector<128x64xbf16>, vector<64x128xbf16> into vector<128x128xf32>
      scf.yield %next : vector<128x128xf32>
    } {carousel.pipeline = #carousel.pipeline<>}
    %y16 = arith.truncf %sum : vector<128x128xf32> to vector<128x128xbf16>
    vector.transfer_write %y16, %y[%i, %j] : vector<128x128xbf16>, !matrix
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
#product = {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
    affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
!matrix = memref<?x?xbf16, strided<[?, 1], offset: ?>, #gl>
!sums = vector<16x128xf32>

// Rows that aren't tiles of the grid: CTAs have parts of the columns.
// CHECK-LABEL: gpu.func @columns_16x128_parts8(
// CHECK-SAME: grid = [ceildiv(extent(2, 1), 128) * 8], {{.*}}cluster = [8]>
// CHECK: vector.transfer_write {{.*}} : vector<16x16xf32>
gpu.module @m {
  gpu.func @columns(%x: !matrix, %w: !matrix, %y: memref<16x?xf32, #gl>) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.parts = 8 : i64,
      carousel.launch = #carousel.launch<grid = [ceildiv(extent(2, 1), 128)]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : !sums
    %across = gpu.block_id x
    %j = affine.apply affine_map<(d) -> (d * 128)>(%across)
    %depth = memref.dim %x, %c1 : !matrix
    %sum = scf.for %k = %c0 to %depth step %c64 iter_args(%acc = %zeros) -> (!sums) {
      %xt = vector.transfer_read %x[%c0, %k], %pad : !matrix, vector<16x64xbf16>
      %wt = vector.transfer_read %w[%k, %j], %pad : !matrix, vector<64x128xbf16>
      %next = vector.contract #product %xt, %wt, %acc : vector<16x64xbf16>, vector<64x128xbf16> into !sums
      scf.yield %next : !sums
    } {carousel.pipeline = #carousel.pipeline<>}
    vector.transfer_write %sum, %y[%c0, %j] : !sums, memref<16x?xf32, #gl>
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
#product = {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
    affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
!matrix = memref<?x?xbf16, strided<[?, 1], offset: ?>, #gl>
!sums = vector<128x128xf32>
#tiles = #carousel.launch<grid = [ceildiv(extent(2, 1), 128), ceildiv(extent(2, 0), 128)]>
#program = #carousel.block_program<>

// REMARK: [Missed] Parts {{.*}}Function=scaled | Remark="k isn't divided: the loop of its products carries what isn't a sum of vectors"
// REMARK: [Missed] Parts {{.*}}Function=counted | Remark="k isn't divided: the loop of its products carries what isn't a sum of vectors"
// REMARK: [Missed] Parts {{.*}}Function=used | Remark="k isn't divided: the loop of its products carries what isn't a sum of vectors"
// REMARK: [Missed] Parts {{.*}}Function=branch | Remark="k isn't divided: the loop of its products is in another op, or has no indices"
// REMARK: [Missed] Parts {{.*}}Function=writes | Remark="k isn't divided: 'vector.transfer_write' writes before its products end"
// REMARK: [Missed] Parts {{.*}}Function=block | Remark="k isn't divided: its author gives a block"
// CHECK-LABEL: gpu.func @scaled(
// CHECK-NOT: cluster =
gpu.module @m {
  // The sum is scaled in each iteration.
  gpu.func @scaled(%x: !matrix, %w: !matrix, %y: memref<?x?xf32, #gl>) kernel attributes {
      carousel.block_program = #program, carousel.parts = 8 : i64, carousel.launch = #tiles} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : !sums
    %half = arith.constant dense<0.5> : !sums
    %across = gpu.block_id x
    %down = gpu.block_id y
    %i = affine.apply affine_map<(d) -> (d * 128)>(%down)
    %j = affine.apply affine_map<(d) -> (d * 128)>(%across)
    %depth = memref.dim %x, %c1 : !matrix
    %sum = scf.for %k = %c0 to %depth step %c64 iter_args(%acc = %zeros) -> (!sums) {
      %xt = vector.transfer_read %x[%i, %k], %pad : !matrix, vector<128x64xbf16>
      %wt = vector.transfer_read %w[%k, %j], %pad : !matrix, vector<64x128xbf16>
      %less = arith.mulf %acc, %half : !sums
      %next = vector.contract #product %xt, %wt, %less : vector<128x64xbf16>, vector<64x128xbf16> into !sums
      scf.yield %next : !sums
    } {carousel.pipeline = #carousel.pipeline<>}
    vector.transfer_write %sum, %y[%i, %j] : !sums, memref<?x?xf32, #gl>
    gpu.return
  }

  // A number is carried beside the sum.
  gpu.func @counted(%x: !matrix, %w: !matrix, %y: memref<?x?xf32, #gl>) kernel attributes {
      carousel.block_program = #program, carousel.parts = 8 : i64, carousel.launch = #tiles} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : !sums
    %none = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %across = gpu.block_id x
    %down = gpu.block_id y
    %i = affine.apply affine_map<(d) -> (d * 128)>(%down)
    %j = affine.apply affine_map<(d) -> (d * 128)>(%across)
    %depth = memref.dim %x, %c1 : !matrix
    %sum, %count = scf.for %k = %c0 to %depth step %c64 iter_args(%acc = %zeros, %n = %none) -> (!sums, f32) {
      %xt = vector.transfer_read %x[%i, %k], %pad : !matrix, vector<128x64xbf16>
      %wt = vector.transfer_read %w[%k, %j], %pad : !matrix, vector<64x128xbf16>
      %next = vector.contract #product %xt, %wt, %acc : vector<128x64xbf16>, vector<64x128xbf16> into !sums
      %more = arith.addf %n, %one : f32
      scf.yield %next, %more : !sums, f32
    } {carousel.pipeline = #carousel.pipeline<>}
    %all = vector.broadcast %count : f32 to !sums
    %v = arith.addf %sum, %all : !sums
    vector.transfer_write %v, %y[%i, %j] : !sums, memref<?x?xf32, #gl>
    gpu.return
  }

  // What an iteration adds depends on the sum so far.
  gpu.func @used(%x: !matrix, %w: !matrix, %y: memref<?x?xf32, #gl>) kernel attributes {
      carousel.block_program = #program, carousel.parts = 8 : i64, carousel.launch = #tiles} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : !sums
    %across = gpu.block_id x
    %down = gpu.block_id y
    %i = affine.apply affine_map<(d) -> (d * 128)>(%down)
    %j = affine.apply affine_map<(d) -> (d * 128)>(%across)
    %depth = memref.dim %x, %c1 : !matrix
    %sum = scf.for %k = %c0 to %depth step %c64 iter_args(%acc = %zeros) -> (!sums) {
      %xt = vector.transfer_read %x[%i, %k], %pad : !matrix, vector<128x64xbf16>
      %wt = vector.transfer_read %w[%k, %j], %pad : !matrix, vector<64x128xbf16>
      %next = vector.contract #product %xt, %wt, %acc : vector<128x64xbf16>, vector<64x128xbf16> into !sums
      %twice = arith.addf %next, %next : !sums
      scf.yield %twice : !sums
    } {carousel.pipeline = #carousel.pipeline<>}
    vector.transfer_write %sum, %y[%i, %j] : !sums, memref<?x?xf32, #gl>
    gpu.return
  }

  gpu.func @branch(%x: !matrix, %w: !matrix, %y: memref<?x?xf32, #gl>) kernel attributes {
      carousel.block_program = #program, carousel.parts = 8 : i64, carousel.launch = #tiles} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : !sums
    %across = gpu.block_id x
    %down = gpu.block_id y
    %i = affine.apply affine_map<(d) -> (d * 128)>(%down)
    %j = affine.apply affine_map<(d) -> (d * 128)>(%across)
    %depth = memref.dim %x, %c1 : !matrix
    %is_long = arith.cmpi sgt, %depth, %c64 : index
    %all = scf.if %is_long -> (!sums) {
      %sum = scf.for %k = %c0 to %depth step %c64 iter_args(%acc = %zeros) -> (!sums) {
        %xt = vector.transfer_read %x[%i, %k], %pad : !matrix, vector<128x64xbf16>
        %wt = vector.transfer_read %w[%k, %j], %pad : !matrix, vector<64x128xbf16>
        %next = vector.contract #product %xt, %wt, %acc : vector<128x64xbf16>, vector<64x128xbf16> into !sums
        scf.yield %next : !sums
      } {carousel.pipeline = #carousel.pipeline<>}
      scf.yield %sum : !sums
    } else {
      scf.yield %zeros : !sums
    }
    vector.transfer_write %all, %y[%i, %j] : !sums, memref<?x?xf32, #gl>
    gpu.return
  }

  // Parts would read what other CTAs have written, or not yet.
  gpu.func @writes(%x: !matrix, %w: !matrix, %y: memref<?x?xf32, #gl>) kernel attributes {
      carousel.block_program = #program, carousel.parts = 8 : i64, carousel.launch = #tiles} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : !sums
    %across = gpu.block_id x
    %down = gpu.block_id y
    %i = affine.apply affine_map<(d) -> (d * 128)>(%down)
    %j = affine.apply affine_map<(d) -> (d * 128)>(%across)
    %depth = memref.dim %x, %c1 : !matrix
    vector.transfer_write %zeros, %y[%i, %j] : !sums, memref<?x?xf32, #gl>
    %sum = scf.for %k = %c0 to %depth step %c64 iter_args(%acc = %zeros) -> (!sums) {
      %xt = vector.transfer_read %x[%i, %k], %pad : !matrix, vector<128x64xbf16>
      %wt = vector.transfer_read %w[%k, %j], %pad : !matrix, vector<64x128xbf16>
      %next = vector.contract #product %xt, %wt, %acc : vector<128x64xbf16>, vector<64x128xbf16> into !sums
      scf.yield %next : !sums
    } {carousel.pipeline = #carousel.pipeline<>}
    vector.transfer_write %sum, %y[%i, %j] : !sums, memref<?x?xf32, #gl>
    gpu.return
  }

  gpu.func @block(%x: !matrix, %w: !matrix, %y: memref<?x?xf32, #gl>) kernel attributes {
      carousel.block_program = #program, carousel.parts = 8 : i64,
      carousel.launch = #carousel.launch<grid = [ceildiv(extent(2, 1), 128), ceildiv(extent(2, 0), 128)], block = [256]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : !sums
    %across = gpu.block_id x
    %down = gpu.block_id y
    %i = affine.apply affine_map<(d) -> (d * 128)>(%down)
    %j = affine.apply affine_map<(d) -> (d * 128)>(%across)
    %depth = memref.dim %x, %c1 : !matrix
    %sum = scf.for %k = %c0 to %depth step %c64 iter_args(%acc = %zeros) -> (!sums) {
      %xt = vector.transfer_read %x[%i, %k], %pad : !matrix, vector<128x64xbf16>
      %wt = vector.transfer_read %w[%k, %j], %pad : !matrix, vector<64x128xbf16>
      %next = vector.contract #product %xt, %wt, %acc : vector<128x64xbf16>, vector<64x128xbf16> into !sums
      scf.yield %next : !sums
    } {carousel.pipeline = #carousel.pipeline<>}
    vector.transfer_write %sum, %y[%i, %j] : !sums, memref<?x?xf32, #gl>
    gpu.return
  }
}
