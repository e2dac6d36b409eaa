// What ldmatrix reads is read by the lanes that get it: a warp that another one's rows come from without a barrier is a race.
// DEFINE: %{status} = %python %S/../Tools/carousel-run/Inputs/status.py
// RUN: %{status} 1 carousel-sim %s --kernel @no_barrier --arg y=empty:64x2 --policy all --schedules 4 2>&1 | FileCheck %s --check-prefix=RACE
// RACE: matrix-faults.mlir:[[#@LINE+19]]:10: finding: [data-race] raw: expected the write by CTA 0
// RUN: carousel-sim %s --kernel @barrier --arg y=empty:64x2 --policy all --schedules 4
// RUN: %{status} 2 carousel-sim %s --kernel @halves --arg y=empty:64x2 2>&1 | FileCheck %s --check-prefix=HALVES
// HALVES: matrix-faults.mlir:[[#@LINE+42]]:10: error: expected a product of f16, bf16, f32 or i8, got 'i4'

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>
!t = memref<64x8xf16, #ws>
!y = memref<64x2xf16, #gl>

gpu.module @faults {
  gpu.func @no_barrier(%y: !y {carousel.argument = #carousel.argument<"y", out>}) workgroup(%tile: !t) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c63 = arith.constant 63 : index
    %thread = gpu.thread_id x
    %one = arith.constant dense<1.0> : vector<8xf16>
    vector.store %one, %tile[%thread, %c0] {alignment = 16 : i64} : !t, vector<8xf16>
    %other = arith.subi %c63, %thread : index
    %a = nvgpu.ldmatrix %tile[%other, %c0] {numTiles = 4 : i32, transpose = false} : !t -> vector<4x2xf16>
    %row = vector.extract %a[0] : vector<2xf16> from vector<4x2xf16>
    vector.store %row, %y[%thread, %c0] : !y, vector<2xf16>
    gpu.return
  }

  gpu.func @barrier(%y: !y {carousel.argument = #carousel.argument<"y", out>}) workgroup(%tile: !t) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c63 = arith.constant 63 : index
    %thread = gpu.thread_id x
    %one = arith.constant dense<1.0> : vector<8xf16>
    vector.store %one, %tile[%thread, %c0] {alignment = 16 : i64} : !t, vector<8xf16>
    gpu.barrier
    %other = arith.subi %c63, %thread : index
    %a = nvgpu.ldmatrix %tile[%other, %c0] {numTiles = 4 : i32, transpose = false} : !t -> vector<4x2xf16>
    %row = vector.extract %a[0] : vector<2xf16> from vector<4x2xf16>
    vector.store %row, %y[%thread, %c0] : !y, vector<2xf16>
    gpu.return
  }

  gpu.func @halves(%y: !y {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %a = arith.constant dense<1> : vector<2x8xi4>
    %b = arith.constant dense<1> : vector<1x8xi4>
    %c = arith.constant dense<0> : vector<2x2xi32>
    %d = nvgpu.mma.sync (%a, %b, %c) {mmaShape = [16, 8, 32]} : (vector<2x8xi4>, vector<1x8xi4>, vector<2x2xi32>) -> vector<2x2xi32>
    gpu.return
  }
}
