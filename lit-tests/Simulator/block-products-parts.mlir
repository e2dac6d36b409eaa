// A product of 24 columns goes in parts of 16 and 8, of which wgmma computes one and mma.sync the other: they read one tile of
// the factor that both multiply by, which a ring has once.
// DEFINE: %{args} = --kernel @product --arg a=random:70x80:1 --arg b=random:80x32:2 --arg y=zeros:70x32
// RUN: carousel-sim %s %{args} --out y=%t.npy --quiet
// RUN: env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-lowered %s --chip sm_90a -- %{args} --expect y=%t.npy --rtol 2e-3 --atol 2e-3 --policy all
// RUN: carousel-compile %s --chip sm_90a --emit ptx --explain -o %t.package | FileCheck %s
// CHECK: load a, b, b: 3 stages of 11264 bytes
// CHECK-NOT: load a, a

#gl = #gpu.address_space<global>
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#product = {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
!m = memref<?x?xf16, strided<[?, 1], offset: ?>, #gl>
gpu.module @m {
  gpu.func @product(%a: !m {carousel.argument = #carousel.argument<"a", in>},
      %b: !m {carousel.argument = #carousel.argument<"b", in>},
      %y: !m {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [ceildiv(extent(2, 1), 24), ceildiv(extent(2, 0), 64)]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %cm = arith.constant 64 : index
    %cn = arith.constant 24 : index
    %pad = arith.constant 0.0 : f16
    %zeros = arith.constant dense<0.0> : vector<64x24xf32>
    %k = memref.dim %a, %c1 : !m
    %bx = gpu.block_id x
    %by = gpu.block_id y
    %i = arith.muli %by, %cm : index
    %j = arith.muli %bx, %cn : index
    %sum = scf.for %p = %c0 to %k step %c64 iter_args(%acc = %zeros) -> (vector<64x24xf32>) {
      %ta = vector.transfer_read %a[%i, %p], %pad : !m, vector<64x64xf16>
      %tb = vector.transfer_read %b[%p, %j], %pad : !m, vector<64x24xf16>
      %next = vector.contract #product %ta, %tb, %acc : vector<64x64xf16>, vector<64x24xf16> into vector<64x24xf32>
      scf.yield %next : vector<64x24xf32>
    } {carousel.pipeline = #carousel.pipeline<stages = 3>}
    %r = arith.truncf %sum : vector<64x24xf32> to vector<64x24xf16>
    vector.transfer_write %r, %y[%i, %j] : vector<64x24xf16>, !m
    gpu.return
  }
}
