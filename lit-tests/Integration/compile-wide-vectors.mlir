// A thread has 256 elements of a factor, each of which it reads under a condition of its own: it takes seconds. With vectors that
// are shuffled as a whole, LLVM would take 45.
// RUN: bash -c "ulimit -t 15; carousel-compile %s -o %t --chip sm_120a --emit=ptx --quiet"
// RUN: FileCheck %s --input-file=%t/kernels_sm_120a.sm_120a.ptx
// CHECK: .entry bytes_by_halves
// CHECK: mma.sync
#gl = #gpu.address_space<global>
gpu.module @kernels {
  gpu.func @bytes_by_halves(%a: memref<?x?xi8, #gl> {carousel.argument = #carousel.argument<"a", in>},
      %b: memref<?x?xbf16, #gl> {carousel.argument = #carousel.argument<"b", in>},
      %y: memref<?x?xf32, #gl> {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [ceildiv(extent(2, 0), 128), ceildiv(extent(2, 1), 64)]>} {
    %c0 = arith.constant 0 : index
    %step = arith.constant 128 : index
    %pa = arith.constant 0 : i8
    %pb = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : vector<128x64xf32>
    %bx = gpu.block_id x
    %by = gpu.block_id y
    %i = affine.apply affine_map<(d) -> (d * 64)>(%by)
    %j = affine.apply affine_map<(d) -> (d * 128)>(%bx)
    %kd = arith.constant 1 : index
    %depth = memref.dim %a, %kd : memref<?x?xi8, #gl>
    %s0 = scf.for %k = %c0 to %depth step %step iter_args(%acc = %zeros) -> (vector<128x64xf32>) {
      %v1 = vector.transfer_read %a[%i, %k], %pa : memref<?x?xi8, #gl>, vector<64x128xi8>
      %v2 = vector.transfer_read %b[%k, %j], %pb : memref<?x?xbf16, #gl>, vector<128x128xbf16>
      %v3 = arith.sitofp %v1 : vector<64x128xi8> to vector<64x128xbf16>
      %v4 = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (n, m)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %v3, %v2, %acc : vector<64x128xbf16>, vector<128x128xbf16> into vector<128x64xf32>
      scf.yield %v4 : vector<128x64xf32>
    }
    vector.transfer_write %s0, %y[%j, %i] : vector<128x64xf32>, memref<?x?xf32, #gl>
    gpu.return
  }
}
