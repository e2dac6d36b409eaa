// Loads that round to tf32 for others than products, and tiles that a product takes as its sums.
// DEFINE: %{kernel} =
// DEFINE: %{args} =
// DEFINE: %{same} = carousel-sim %s --kernel %{kernel} %{args} --out y=%t.npy --quiet && env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-lowered %s --chip sm_90a -- --kernel %{kernel} %{args} --expect y=%t.npy --quiet
// REDEFINE: %{kernel} = @copy
// REDEFINE: %{args} = --arg x=random:70x64 --arg y=empty:70x64
// RUN: %{same}
// REDEFINE: %{args} = --arg x=random:65x37 --arg y=empty:65x37
// RUN: %{same}
// REDEFINE: %{kernel} = @sums
// REDEFINE: %{args} = --arg a=random:192x64 --arg b=random:192x64:1 --arg c=random:192x64:2 --arg y=empty:192x64
// RUN: %{same}
// RUN: carousel-opt %s --carousel-lower=chip=sm_90a | FileCheck %s

// CHECK-LABEL: gpu.func @copy_tma
// CHECK-SAME: tensor_map<64x32xtf32
// CHECK-LABEL: gpu.func @sums_tma
// CHECK: carousel.wgmma.mma

#gl = #gpu.address_space<global>
#product = {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]}
#x = #carousel.argument<"x", in>
#y = #carousel.argument<"y", out>
!floats = memref<?x?xf32, strided<[?, 1], offset: ?>, #gl>
!halves = memref<?x?xbf16, strided<[?, 1], offset: ?>, #gl>

gpu.module @m {
  gpu.func @copy(%x: !floats {carousel.argument = #x}, %y: !floats {carousel.argument = #y})
      kernel attributes {carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<
        grid = [ceildiv(extent(1, 0), 64)], block = [128]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %pad = arith.constant 0.0 : f32
    %down = gpu.block_id x
    %i = affine.apply affine_map<(d) -> (d * 64)>(%down)
    %columns = memref.dim %x, %c1 : !floats
    scf.for %j = %c0 to %columns step %c32 {
      %tile = vector.transfer_read %x[%i, %j], %pad : !floats, vector<64x32xf32>
      %rounded = carousel.round_tf32 %tile : vector<64x32xf32>
      vector.transfer_write %rounded, %y[%i, %j] : vector<64x32xf32>, !floats
    } {carousel.pipeline = #carousel.pipeline<>}
    gpu.return
  }

  // Sums that are read as factors are.
  gpu.func @sums(%a: !halves {carousel.argument = #carousel.argument<"a", in>}, %b: !halves {carousel.argument = #carousel.argument<"b", in>},
      %c: !floats {carousel.argument = #carousel.argument<"c", in>}, %y: !floats {carousel.argument = #y})
      kernel attributes {carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<
        grid = [1], block = [128]>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0.0 : bf16
    %zero = arith.constant 0.0 : f32
    %rows = memref.dim %a, %c0 : !halves
    scf.for %i = %c0 to %rows step %c64 {
      %at = vector.transfer_read %a[%i, %c0], %pad : !halves, vector<64x64xbf16>
      %bt = vector.transfer_read %b[%i, %c0], %pad : !halves, vector<64x64xbf16>
      %ct = vector.transfer_read %c[%i, %c0], %zero : !floats, vector<64x64xf32>
      %sum = vector.contract #product %at, %bt, %ct : vector<64x64xbf16>, vector<64x64xbf16> into vector<64x64xf32>
      vector.transfer_write %sum, %y[%i, %c0] : vector<64x64xf32>, !floats
    } {carousel.pipeline = #carousel.pipeline<>}
    gpu.return
  }
}
