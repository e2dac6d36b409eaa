// Narrow floats: rounded to nearest even, subnormals kept, their bits, and back exactly; as elements
// of memory.
// RUN: carousel-sim %s --kernel @f16 --arg x=iota:2 --arg y=empty:8 --arg z=empty:8 --reference @expected_f16 --schedules 2
// RUN: carousel-sim %s --kernel @bf16 --arg x=iota:2 --arg y=empty:8 --arg z=empty:8 --reference @expected_bf16 --schedules 2
// RUN: carousel-sim %s --kernel @e4m3 --arg x=iota:2 --arg y=empty:8 --arg z=empty:8 --reference @expected_e4m3 --schedules 2
// RUN: carousel-sim %s --kernel @e5m2 --arg x=iota:2 --arg y=empty:8 --arg z=empty:8 --reference @expected_e5m2 --schedules 2
// RUN: carousel-sim %s --kernel @memory --arg h=iota:8 --arg b=iota:8 --arg e=iota:8 --arg f=iota:8 --arg y=empty:8 --reference @expected_memory --schedules 2

#gl = #gpu.address_space<global>
!x = memref<2xf32, #gl>
!y = memref<8xf32, #gl>
!z16 = memref<8xi16, #gl>
!z8 = memref<8xi8, #gl>

gpu.module @m {
  // 2049 and 2051 are ties, as is 2^-25; 1e-8 is nearer to zero than to the smallest subnormal.
  gpu.func @f16(%x: !x {carousel.argument = #carousel.argument<"x", in>},
            %y: !y {carousel.argument = #carousel.argument<"y", out>},
            %z: !z16 {carousel.argument = #carousel.argument<"z", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // 1.0, from memory so that nothing folds.
    %one = memref.load %x[%c1] : !x
    %ones = vector.broadcast %one : f32 to vector<8xf32>
    %c = arith.constant dense<[1.0, 2049.0, 2051.0, 65504.0,
                               1.0e-08, 5.9604644775390625e-08, 2.98023223876953125e-08, -3.5]> : vector<8xf32>
    %v = arith.mulf %c, %ones : vector<8xf32>
    %n = arith.truncf %v : vector<8xf32> to vector<8xf16>
    %bits = arith.bitcast %n : vector<8xf16> to vector<8xi16>
    %back = arith.extf %n : vector<8xf16> to vector<8xf32>
    vector.store %back, %y[%c0] : !y, vector<8xf32>
    vector.store %bits, %z[%c0] : !z16, vector<8xi16>
    gpu.return
  }

  // 257, 259, 1 + 2^-8 and 1 + 3 * 2^-8 are ties.
  gpu.func @bf16(%x: !x {carousel.argument = #carousel.argument<"x", in>},
            %y: !y {carousel.argument = #carousel.argument<"y", out>},
            %z: !z16 {carousel.argument = #carousel.argument<"z", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // 1.0, from memory so that nothing folds.
    %one = memref.load %x[%c1] : !x
    %ones = vector.broadcast %one : f32 to vector<8xf32>
    %c = arith.constant dense<[1.0, 257.0, 259.0, 1.00390625,
                               1.01171875, 0.1, 9.183549615799121e-41, -3.5]> : vector<8xf32>
    %v = arith.mulf %c, %ones : vector<8xf32>
    %n = arith.truncf %v : vector<8xf32> to vector<8xbf16>
    %bits = arith.bitcast %n : vector<8xbf16> to vector<8xi16>
    %back = arith.extf %n : vector<8xbf16> to vector<8xf32>
    vector.store %back, %y[%c0] : !y, vector<8xf32>
    vector.store %bits, %z[%c0] : !z16, vector<8xi16>
    gpu.return
  }

  // 1 + 1/16, 1 + 3/16, 17 and 19 are ties, as is 2^-10.
  gpu.func @e4m3(%x: !x {carousel.argument = #carousel.argument<"x", in>},
            %y: !y {carousel.argument = #carousel.argument<"y", out>},
            %z: !z8 {carousel.argument = #carousel.argument<"z", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // 1.0, from memory so that nothing folds.
    %one = memref.load %x[%c1] : !x
    %ones = vector.broadcast %one : f32 to vector<8xf32>
    %c = arith.constant dense<[1.0, 1.0625, 1.1875, 448.0,
                               17.0, 19.0, 0.001953125, 0.0009765625]> : vector<8xf32>
    %v = arith.mulf %c, %ones : vector<8xf32>
    %n = arith.truncf %v : vector<8xf32> to vector<8xf8E4M3FN>
    %bits = arith.bitcast %n : vector<8xf8E4M3FN> to vector<8xi8>
    %back = arith.extf %n : vector<8xf8E4M3FN> to vector<8xf32>
    vector.store %back, %y[%c0] : !y, vector<8xf32>
    vector.store %bits, %z[%c0] : !z8, vector<8xi8>
    gpu.return
  }

  // 1 + 1/8, 1 + 3/8, 9 and 11 are ties.
  gpu.func @e5m2(%x: !x {carousel.argument = #carousel.argument<"x", in>},
            %y: !y {carousel.argument = #carousel.argument<"y", out>},
            %z: !z8 {carousel.argument = #carousel.argument<"z", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // 1.0, from memory so that nothing folds.
    %one = memref.load %x[%c1] : !x
    %ones = vector.broadcast %one : f32 to vector<8xf32>
    %c = arith.constant dense<[1.0, 1.125, 1.375, 57344.0,
                               9.0, 11.0, 1.52587890625e-05, -3.0]> : vector<8xf32>
    %v = arith.mulf %c, %ones : vector<8xf32>
    %n = arith.truncf %v : vector<8xf32> to vector<8xf8E5M2>
    %bits = arith.bitcast %n : vector<8xf8E5M2> to vector<8xi8>
    %back = arith.extf %n : vector<8xf8E5M2> to vector<8xf32>
    vector.store %back, %y[%c0] : !y, vector<8xf32>
    vector.store %bits, %z[%c0] : !z8, vector<8xi8>
    gpu.return
  }

  // y = the sum of what four kinds of elements are, by thread.
  gpu.func @memory(%h: memref<8xf16, #gl> {carousel.argument = #carousel.argument<"h", in>},
                   %b: memref<8xbf16, #gl> {carousel.argument = #carousel.argument<"b", in>},
                   %e: memref<8xf8E4M3FN, #gl> {carousel.argument = #carousel.argument<"e", in>},
                   %f: memref<8xf8E5M2, #gl> {carousel.argument = #carousel.argument<"f", inout>},
                   %y: !y {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [8]>} {
    %t = gpu.thread_id x
    %h0 = memref.load %h[%t] : memref<8xf16, #gl>
    %b0 = memref.load %b[%t] : memref<8xbf16, #gl>
    %e0 = memref.load %e[%t] : memref<8xf8E4M3FN, #gl>
    %f0 = memref.load %f[%t] : memref<8xf8E5M2, #gl>
    %h1 = arith.extf %h0 : f16 to f32
    %b1 = arith.extf %b0 : bf16 to f32
    %e1 = arith.extf %e0 : f8E4M3FN to f32
    %f1 = arith.extf %f0 : f8E5M2 to f32
    %s0 = arith.addf %h1, %b1 : f32
    %s1 = arith.addf %e1, %f1 : f32
    %s = arith.addf %s0, %s1 : f32
    memref.store %s, %y[%t] : !y
    %n = arith.truncf %s0 : f32 to f8E5M2
    memref.store %n, %f[%t] : memref<8xf8E5M2, #gl>
    gpu.return
  }
}

func.func @expected_f16(%x: memref<2xf32>, %y: memref<8xf32>, %z: memref<8xi16>) {
  %c0 = arith.constant 0 : index
  %v = arith.constant dense<[1.0, 2048.0, 2052.0, 65504.0,
                             0.0, 5.9604644775390625e-08, 0.0, -3.5]> : vector<8xf32>
  %w = arith.constant dense<[15360, 26624, 26626, 31743, 0, 1, 0, -15616]> : vector<8xi16>
  vector.store %v, %y[%c0] : memref<8xf32>, vector<8xf32>
  vector.store %w, %z[%c0] : memref<8xi16>, vector<8xi16>
  return
}

func.func @expected_bf16(%x: memref<2xf32>, %y: memref<8xf32>, %z: memref<8xi16>) {
  %c0 = arith.constant 0 : index
  %v = arith.constant dense<[1.0, 256.0, 260.0, 1.0,
                             1.015625, 0.10009765625, 9.183549615799121e-41, -3.5]> : vector<8xf32>
  %w = arith.constant dense<[16256, 17280, 17282, 16256, 16258, 15821, 1, -16288]> : vector<8xi16>
  vector.store %v, %y[%c0] : memref<8xf32>, vector<8xf32>
  vector.store %w, %z[%c0] : memref<8xi16>, vector<8xi16>
  return
}

func.func @expected_e4m3(%x: memref<2xf32>, %y: memref<8xf32>, %z: memref<8xi8>) {
  %c0 = arith.constant 0 : index
  %v = arith.constant dense<[1.0, 1.0, 1.25, 448.0,
                             16.0, 20.0, 0.001953125, 0.0]> : vector<8xf32>
  %w = arith.constant dense<[56, 56, 58, 126, 88, 90, 1, 0]> : vector<8xi8>
  vector.store %v, %y[%c0] : memref<8xf32>, vector<8xf32>
  vector.store %w, %z[%c0] : memref<8xi8>, vector<8xi8>
  return
}

func.func @expected_e5m2(%x: memref<2xf32>, %y: memref<8xf32>, %z: memref<8xi8>) {
  %c0 = arith.constant 0 : index
  %v = arith.constant dense<[1.0, 1.0, 1.5, 57344.0,
                             8.0, 12.0, 1.52587890625e-05, -3.0]> : vector<8xf32>
  %w = arith.constant dense<[60, 60, 62, 123, 72, 74, 1, -62]> : vector<8xi8>
  vector.store %v, %y[%c0] : memref<8xf32>, vector<8xf32>
  vector.store %w, %z[%c0] : memref<8xi8>, vector<8xi8>
  return
}

// f becomes 2 * t.
func.func @expected_memory(%h: memref<8xf16>, %b: memref<8xbf16>, %e: memref<8xf8E4M3FN>,
                           %f: memref<8xf8E5M2>, %y: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %v = arith.constant dense<[0.0, 4.0, 8.0, 12.0, 16.0, 20.0, 24.0, 28.0]> : vector<8xf32>
  %w = arith.constant dense<[0.0, 2.0, 4.0, 6.0, 8.0, 10.0, 12.0, 14.0]> : vector<8xf8E5M2>
  vector.store %v, %y[%c0] : memref<8xf32>, vector<8xf32>
  vector.store %w, %f[%c0] : memref<8xf8E5M2>, vector<8xf8E5M2>
  return
}
