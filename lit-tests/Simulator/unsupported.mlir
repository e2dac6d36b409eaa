// What the machine doesn't have is an error at the first op that needs it, before anything runs.
// DEFINE: %{sim} = %python %S/../Tools/carousel-run/Inputs/status.py 2 carousel-sim %s

// RUN: %{sim} --kernel @interleave --arg x=zeros:1x1x4 2>&1 | FileCheck %s --check-prefix=INTERLEAVE
// INTERLEAVE: unsupported.mlir:[[#@LINE+16]]:5: error: the simulated machine doesn't have the interleave of this tensor map
// RUN: %{sim} --kernel @wide --arg x=zeros:1x1x64x64 2>&1 | FileCheck %s --check-prefix=WIDE
// WIDE: unsupported.mlir:[[#@LINE+21]]:5: error: the simulated machine doesn't have the wide im2col modes
// RUN: %{sim} --kernel @scalable 2>&1 | FileCheck %s --check-prefix=SCALABLE
// SCALABLE: unsupported.mlir:[[#@LINE+24]]:10: error: expected vectors of a fixed length, got 'vector<[4]xf32>'
// RUN: %{sim} --kernel @length 2>&1 | FileCheck %s --check-prefix=LENGTH
// LENGTH: unsupported.mlir:[[#@LINE+27]]:10: error: expected vectors of a fixed length, got the scale of others

#gl = #gpu.address_space<global>
!interleaved = !carousel.tensor_map<1x1x4xf32, interleave = b16>
!wide = !carousel.tensor_map<64x32xbf16, mode = im2col_w, rank = 4, swizzle = b64, lower = [0], upper = [0]>

gpu.module @m {
  gpu.func @interleave(%x: memref<1x1x4xf32, #gl> {carousel.argument = #carousel.argument<"x", in>},
                       %map: !interleaved {carousel.encode = #carousel.encode<argument = 0>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    carousel.tensor_map.prefetch %map : !interleaved
    gpu.return
  }

  gpu.func @wide(%x: memref<1x1x64x64xbf16, #gl> {carousel.argument = #carousel.argument<"x", in>},
                 %map: !wide {carousel.encode = #carousel.encode<argument = 0>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    carousel.tensor_map.prefetch %map : !wide
    gpu.return
  }

  gpu.func @scalable() kernel attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %v = arith.constant dense<1.0> : vector<[4]xf32>
    gpu.return
  }

  gpu.func @length() kernel attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %n = vector.vscale
    gpu.return
  }
}
