// A condition of threads after a product: LLVM must not copy the wait for the product, which all threads of a warpgroup
// execute together, into both of its branches.
// RUN: rm -rf %t.pkg && carousel-compile %s -o %t.pkg --chip sm_90a --emit=ptx --quiet
// RUN: carousel-sim %t.pkg --kernel @k --chip sm_90a --arg a=random:1x16 --arg b=random:64x16 --arg res=random:1x64 --arg y=empty:1x64 | FileCheck %s
// CHECK: 1 schedule clean

#gl = #gpu.address_space<global>
gpu.module @kernels {
  gpu.func @k(%a: memref<1x16xf16, #gl> {carousel.argument = #carousel.argument<"a", in>},
      %b: memref<64x16xf16, #gl> {carousel.argument = #carousel.argument<"b", in>},
      %y: memref<1x64xf32, #gl> {carousel.argument = #carousel.argument<"y", out>},
      %res: memref<1x64xf32, #gl> {carousel.argument = #carousel.argument<"res", in>}) kernel attributes {carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [ceildiv(extent(2, 1), 64), ceildiv(extent(2, 0), 64)]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %step = arith.constant 16 : index
    %koff = arith.constant 0 : index
    %pa = arith.constant 0.0 : f16
    %pb = arith.constant 0.0 : f16
    %pc = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : vector<64x64xf32>
    %bx = gpu.block_id x
    %by = gpu.block_id y
    %i = affine.apply affine_map<(d) -> (d * 64)>(%by)
    %j = affine.apply affine_map<(d) -> (d * 64)>(%bx)
    %kd = arith.constant 1 : index
    %depth = memref.dim %a, %kd : memref<1x16xf16, #gl>

    %v0 = arith.constant dense<3.0> : vector<64x64xf32>
    %s1 = scf.for %k = %koff to %depth step %step iter_args(%acc = %v0) -> (vector<64x64xf32>) {
      %v2 = vector.transfer_read %a[%i, %k], %pa : memref<1x16xf16, #gl>, vector<64x16xf16>
      %v3 = vector.transfer_read %b[%j, %k], %pb : memref<64x16xf16, #gl>, vector<64x16xf16>
      %v4 = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %v2, %v3, %acc : vector<64x16xf16>, vector<64x16xf16> into vector<64x64xf32>
      scf.yield %v4 : vector<64x64xf32>
    } {carousel.pipeline = #carousel.pipeline<>}
    %v5 = vector.transfer_read %res[%i, %j], %pc : memref<1x64xf32, #gl>, vector<64x64xf32>
    %v6 = arith.addf %s1, %v5 : vector<64x64xf32>
    vector.transfer_write %v6, %y[%i, %j] : vector<64x64xf32>, memref<1x64xf32, #gl>
    gpu.return
  }
}
