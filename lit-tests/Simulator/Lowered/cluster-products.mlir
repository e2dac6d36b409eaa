// A product whose sums two CTAs of a cluster share: threads multiply, and store what they have.
// RUN: carousel-opt %s --carousel-lower=chip=sm_90a -o %t.mlir
// RUN: carousel-sim %s --kernel @shared --arg x=random:70x72 --arg w=random:40x72:1 --arg y=empty:70x40 --out y=%t.npy --quiet
// RUN: carousel-sim %t.mlir --kernel @shared_tma --policy all --arg x=random:70x72 --arg w=random:40x72:1 --arg y=empty:70x40 --expect y=%t.npy --rtol 1e-5 --atol 1e-5 --quiet
// RUN: FileCheck %s --input-file %t.mlir
// RUN: carousel-opt %s --carousel-lower=chip=sm_90a --remarks-filter=carousel-distribute --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// CHECK-LABEL: gpu.func @shared_tma
// CHECK-NOT: mma
// REMARK-DAG: a product by multiply-adds of threads: CTAs of a cluster share the sums
// REMARK-DAG: threads write it, since each CTA of the cluster has only a part of the tile

#gl = #gpu.address_space<global>
#product = {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
    affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
!matrix = memref<?x?xbf16, strided<[?, 1], offset: ?>, #gl>
!floats = memref<?x?xf32, strided<[?, 1], offset: ?>, #gl>

gpu.module @m {
  gpu.func @shared(
      %x: !matrix {carousel.argument = #carousel.argument<"x", in>},
      %w: !matrix {carousel.argument = #carousel.argument<"w", in>},
      %y: !floats {carousel.argument = #carousel.argument<"y", out>})
      kernel attributes {carousel.block_program = #carousel.block_program<>,
        carousel.launch = #carousel.launch<grid = [ceildiv(extent(2, 1), 16),
          ceildiv(extent(2, 0), 64)], block = [256], cluster = [2]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : vector<64x16xf32>
    %across = gpu.block_id x
    %down = gpu.block_id y
    %i = affine.apply affine_map<(d) -> (d * 64)>(%down)
    %j = affine.apply affine_map<(d) -> (d * 16)>(%across)
    %depth = memref.dim %x, %c1 : !matrix
    %sum = scf.for %k = %c0 to %depth step %c16 iter_args(%s = %zeros) -> (vector<64x16xf32>) {
      %xt = vector.transfer_read %x[%i, %k], %pad : !matrix, vector<64x16xbf16>
      %wt = vector.transfer_read %w[%j, %k], %pad : !matrix, vector<16x16xbf16>
      %next = vector.contract #product %xt, %wt, %s
          : vector<64x16xbf16>, vector<16x16xbf16> into vector<64x16xf32>
      scf.yield %next : vector<64x16xf32>
    } {carousel.pipeline = #carousel.pipeline<>}
    vector.transfer_write %sum, %y[%i, %j] : vector<64x16xf32>, !floats
    gpu.return
  }
}
