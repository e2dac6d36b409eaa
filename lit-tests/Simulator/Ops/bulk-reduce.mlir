// bulk.reduce: every kind on words, then each type that has other rules: signs, 64 bits, rounding to
// nearest even, subnormals.
// RUN: carousel-sim %s --kernel @words --arg y=empty:36 --reference @expected_words --schedules 8
// RUN: carousel-sim %s --kernel @wide --arg y=empty:10 --reference @expected_wide --schedules 8
// RUN: carousel-sim %s --kernel @floats --arg y=empty:6 --arg z=empty:2 --reference @expected_floats --schedules 8
// RUN: carousel-sim %s --kernel @halves --arg y=empty:16 --arg z=empty:16 --reference @expected_halves --schedules 8
// RUN: carousel-sim %s --kernel @atomic --arg y=zeros:4 --reference @expected_atomic --schedules 8

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!w = memref<4xi32, #ws>
!y = memref<36xi32, #gl>
!w64 = memref<2xi64, #ws>
!y64 = memref<10xi64, #gl>

gpu.module @m {
  // One after the other: inc is x >= s ? 0 : x + 1, dec is x == 0 or x > s ? s : x - 1. -1 is the
  // largest u32.
  gpu.func @words(%y: !y {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%w: !w {llvm.align = 16 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c12 = arith.constant 12 : index
    %c16 = arith.constant 16 : index
    %c20 = arith.constant 20 : index
    %c24 = arith.constant 24 : index
    %c28 = arith.constant 28 : index
    %c32 = arith.constant 32 : index
    %c36 = arith.constant 36 : index
    %before = arith.constant dense<[0, 5, 7, -1]> : vector<4xi32>
    scf.for %i = %c0 to %c36 step %c4 {
      vector.store %before, %y[%i] : !y, vector<4xi32>
    }
    %source = arith.constant dense<[3, 6, -2, 6]> : vector<4xi32>
    vector.store %source, %w[%c0] : !w, vector<4xi32>
    carousel.fence.proxy async
    %size = arith.constant 16 : i32
    %policy = carousel.cache_policy.fractional evict_first
    carousel.bulk.reduce add u32 %w[%c0] to %y[%c0], 16 : !w, !y
    carousel.bulk.reduce min u32 %w[%c0] to %y[%c4], %size : !w, !y
    carousel.bulk.reduce min s32 %w[%c0] to %y[%c8], 16 : !w, !y
    carousel.bulk.reduce max u32 %w[%c0] to %y[%c12], 16 cache %policy : !w, !y
    carousel.bulk.reduce inc u32 %w[%c0] to %y[%c16], 16 : !w, !y
    carousel.bulk.reduce dec u32 %w[%c0] to %y[%c20], 16 : !w, !y
    carousel.bulk.reduce and b32 %w[%c0] to %y[%c24], 16 : !w, !y
    carousel.bulk.reduce or b32 %w[%c0] to %y[%c28], 16 : !w, !y
    carousel.bulk.reduce xor b32 %w[%c0] to %y[%c32], 16 : !w, !y
    carousel.bulk.commit_group
    carousel.bulk.wait_group complete 0
    gpu.return
  }

  gpu.func @wide(%y: !y64 {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%w: !w64 {llvm.align = 16 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c6 = arith.constant 6 : index
    %c8 = arith.constant 8 : index
    %c10 = arith.constant 10 : index
    // 2^32 - 1 and -3.
    %before = arith.constant dense<[4294967295, -3]> : vector<2xi64>
    scf.for %i = %c0 to %c10 step %c2 {
      vector.store %before, %y[%i] : !y64, vector<2xi64>
    }
    %source = arith.constant dense<[1, 2]> : vector<2xi64>
    vector.store %source, %w[%c0] : !w64, vector<2xi64>
    carousel.fence.proxy async
    carousel.bulk.reduce add u64 %w[%c0] to %y[%c0], 16 : !w64, !y64
    carousel.bulk.reduce max s64 %w[%c0] to %y[%c2], 16 : !w64, !y64
    carousel.bulk.reduce max u64 %w[%c0] to %y[%c4], 16 : !w64, !y64
    carousel.bulk.reduce and b64 %w[%c0] to %y[%c6], 16 : !w64, !y64
    carousel.bulk.reduce xor b64 %w[%c0] to %y[%c8], 16 : !w64, !y64
    carousel.bulk.commit_group
    carousel.bulk.wait_group complete 0
    gpu.return
  }

  // 2^24 + 1 and 2^24 + 3 lie between two floats: to even. Not so between doubles. Subnormals stay.
  gpu.func @floats(%y: memref<6xf32, #gl> {carousel.argument = #carousel.argument<"y", out>},
                   %z: memref<2xf64, #gl> {carousel.argument = #carousel.argument<"z", out>})
      workgroup(%f: memref<4xf32, #ws> {llvm.align = 16 : i64},
                %d: memref<2xf64, #ws> {llvm.align = 16 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %before = arith.constant dense<[1.5, 16777216.0, 16777216.0, 0x00000001, 7.0, 8.0]> : vector<6xf32>
    vector.store %before, %y[%c0] : memref<6xf32, #gl>, vector<6xf32>
    %source = arith.constant dense<[0.25, 1.0, 3.0, 0x00000002]> : vector<4xf32>
    vector.store %source, %f[%c0] : memref<4xf32, #ws>, vector<4xf32>
    %before_f64 = arith.constant dense<[16777216.0, -1.0]> : vector<2xf64>
    vector.store %before_f64, %z[%c0] : memref<2xf64, #gl>, vector<2xf64>
    %source_f64 = arith.constant dense<[1.0, 0.5]> : vector<2xf64>
    vector.store %source_f64, %d[%c0] : memref<2xf64, #ws>, vector<2xf64>
    carousel.fence.proxy async
    carousel.bulk.reduce add f32 %f[%c0] to %y[%c0], 16 : memref<4xf32, #ws>, memref<6xf32, #gl>
    carousel.bulk.reduce add f64 %d[%c0] to %z[%c0], 16 : memref<2xf64, #ws>, memref<2xf64, #gl>
    carousel.bulk.commit_group
    carousel.bulk.wait_group complete 0
    gpu.return
  }

  // Ties go to even, subnormals are kept; y = f16 sums and maxima, z = bf16 sums and minima.
  gpu.func @halves(%y: memref<16xf16, #gl> {carousel.argument = #carousel.argument<"y", out>},
                   %z: memref<16xbf16, #gl> {carousel.argument = #carousel.argument<"z", out>})
      workgroup(%f: memref<8xf16, #ws> {llvm.align = 16 : i64},
                %b: memref<8xbf16, #ws> {llvm.align = 16 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %y0 = arith.constant dense<[2048.0, 2048.0, 5.9604644775390625e-08, 65504.0,
                                -1.0, 1.5, 0.0, 4.0]> : vector<8xf16>
    vector.store %y0, %y[%c0] : memref<16xf16, #gl>, vector<8xf16>
    vector.store %y0, %y[%c8] : memref<16xf16, #gl>, vector<8xf16>
    %fs = arith.constant dense<[1.0, 3.0, 5.9604644775390625e-08, 15.0,
                                -2.0, 0.25, -3.0, 5.0]> : vector<8xf16>
    vector.store %fs, %f[%c0] : memref<8xf16, #ws>, vector<8xf16>
    %z0 = arith.constant dense<[256.0, 256.0, 9.183549615799121e-41, 1.0e+30,
                                -1.0, 1.5, 0.0, 4.0]> : vector<8xbf16>
    vector.store %z0, %z[%c0] : memref<16xbf16, #gl>, vector<8xbf16>
    vector.store %z0, %z[%c8] : memref<16xbf16, #gl>, vector<8xbf16>
    %bs = arith.constant dense<[1.0, 3.0, 9.183549615799121e-41, 1.0,
                                -2.0, 0.25, -3.0, 5.0]> : vector<8xbf16>
    vector.store %bs, %b[%c0] : memref<8xbf16, #ws>, vector<8xbf16>
    carousel.fence.proxy async
    carousel.bulk.reduce add f16 %f[%c0] to %y[%c0], 16 : memref<8xf16, #ws>, memref<16xf16, #gl>
    carousel.bulk.reduce max f16 %f[%c0] to %y[%c8], 16 : memref<8xf16, #ws>, memref<16xf16, #gl>
    carousel.bulk.reduce add bf16 %b[%c0] to %z[%c0], 16
        : memref<8xbf16, #ws>, memref<16xbf16, #gl>
    carousel.bulk.reduce min bf16 %b[%c0] to %z[%c8], 16
        : memref<8xbf16, #ws>, memref<16xbf16, #gl>
    carousel.bulk.commit_group
    carousel.bulk.wait_group complete 0
    gpu.return
  }

  // Eight CTAs add to the same words: atomic per element, each counts once.
  gpu.func @atomic(%y: memref<4xi32, #gl> {carousel.argument = #carousel.argument<"y", inout>})
      workgroup(%w: !w {llvm.align = 16 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [8], block = [1]>} {
    %c0 = arith.constant 0 : index
    %source = arith.constant dense<[1, 2, 3, 4]> : vector<4xi32>
    vector.store %source, %w[%c0] : !w, vector<4xi32>
    carousel.fence.proxy async_shared_cta
    carousel.bulk.reduce add s32 %w[%c0] to %y[%c0], 16 : !w, memref<4xi32, #gl>
    carousel.bulk.commit_group
    carousel.bulk.wait_group complete 0
    gpu.return
  }
}

func.func @expected_words(%y: memref<36xi32>) {
  %c0 = arith.constant 0 : index
  %v = arith.constant dense<[3, 11, 5, 5,   0, 5, 7, 6,   0, 5, -2, -1,
                             3, 6, -2, -1,  1, 6, 8, 0,   3, 4, 6, 6,
                             0, 4, 6, 6,    3, 7, -1, -1, 3, 3, -7, -7]> : vector<36xi32>
  vector.store %v, %y[%c0] : memref<36xi32>, vector<36xi32>
  return
}

func.func @expected_wide(%y: memref<10xi64>) {
  %c0 = arith.constant 0 : index
  %v = arith.constant dense<[4294967296, -1, 4294967295, 2, 4294967295, -3,
                             1, 0, 4294967294, -1]> : vector<10xi64>
  vector.store %v, %y[%c0] : memref<10xi64>, vector<10xi64>
  return
}

func.func @expected_floats(%y: memref<6xf32>, %z: memref<2xf64>) {
  %c0 = arith.constant 0 : index
  %v = arith.constant dense<[1.75, 16777216.0, 16777220.0, 0x00000003, 7.0, 8.0]> : vector<6xf32>
  vector.store %v, %y[%c0] : memref<6xf32>, vector<6xf32>
  %w = arith.constant dense<[16777217.0, -0.5]> : vector<2xf64>
  vector.store %w, %z[%c0] : memref<2xf64>, vector<2xf64>
  return
}

func.func @expected_halves(%y: memref<16xf16>, %z: memref<16xbf16>) {
  %c0 = arith.constant 0 : index
  %v = arith.constant dense<[2048.0, 2052.0, 1.1920928955078125e-07, 65504.0,
                             -3.0, 1.75, -3.0, 9.0,
                             2048.0, 2048.0, 5.9604644775390625e-08, 65504.0,
                             -1.0, 1.5, 0.0, 5.0]> : vector<16xf16>
  vector.store %v, %y[%c0] : memref<16xf16>, vector<16xf16>
  %w = arith.constant dense<[256.0, 260.0, 1.8367099231598242e-40, 1.0e+30,
                             -3.0, 1.75, -3.0, 9.0,
                             1.0, 3.0, 9.183549615799121e-41, 1.0,
                             -2.0, 0.25, -3.0, 4.0]> : vector<16xbf16>
  vector.store %w, %z[%c0] : memref<16xbf16>, vector<16xbf16>
  return
}

func.func @expected_atomic(%y: memref<4xi32>) {
  %c0 = arith.constant 0 : index
  %v = arith.constant dense<[8, 16, 24, 32]> : vector<4xi32>
  vector.store %v, %y[%c0] : memref<4xi32>, vector<4xi32>
  return
}
