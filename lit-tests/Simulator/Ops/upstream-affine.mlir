// affine: loops, conditions, maps, accesses.
// RUN: carousel-sim %s --kernel @k --arg x=iota:8x8 --arg y=empty:8 --reference @expected --schedules 4

#gl = #gpu.address_space<global>
#even = affine_set<(d0) : (d0 mod 2 == 0)>
!x = memref<8x8xf32, #gl>
!y = memref<8xf32, #gl>

gpu.module @m {
  // y = the sum of row t's first t + 1 elements for even t, of its elements 0, 3 and 6 for odd t; plus
  // min(t, 5) * 100.
  gpu.func @k(%x: !x {carousel.argument = #carousel.argument<"x", in>},
              %y: !y {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [8]>} {
    %zero = arith.constant 0.0 : f32
    %t = gpu.thread_id x
    %sum = affine.if #even(%t) -> f32 {
      %s = affine.for %j = 0 to affine_map<(d0) -> (d0 + 1)>(%t) iter_args(%acc = %zero) -> (f32) {
        %v = affine.load %x[symbol(%t), %j] : !x
        %next = arith.addf %acc, %v : f32
        affine.yield %next : f32
      }
      affine.yield %s : f32
    } else {
      %s = affine.for %j = 0 to 8 step 3 iter_args(%acc = %zero) -> (f32) {
        %v = affine.load %x[symbol(%t), %j] : !x
        %next = arith.addf %acc, %v : f32
        affine.yield %next : f32
      }
      affine.yield %s : f32
    }
    %bounded = affine.min affine_map<(d0) -> (d0 * 100, 500)>(%t)
    %more_i32 = arith.index_cast %bounded : index to i32
    %more = arith.sitofp %more_i32 : i32 to f32
    %w = arith.addf %sum, %more : f32
    memref.store %w, %y[%t] : !y
    gpu.return
  }
}

func.func @expected(%x: memref<8x8xf32>, %y: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  // 0; 8+11+14; 16+17+18; 24+27+30; 32+..+36; 40+43+46; 48+..+54; 56+59+62
  %v = arith.constant dense<[0.0, 133.0, 251.0, 381.0, 570.0, 629.0, 857.0, 677.0]> : vector<8xf32>
  vector.store %v, %y[%c0] : memref<8xf32>, vector<8xf32>
  return
}
