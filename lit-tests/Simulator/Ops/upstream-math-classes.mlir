// Classes of floats and powers, by elements and by rows, against tables of known results; a narrow float is
// of the class that its own type has, not of that of a wider one.
// RUN: carousel-sim %s --kernel @f32_classes --arg y=empty:8 --reference @expected_f32
// RUN: carousel-sim %s --kernel @e5m2_classes --arg y=empty:8 --arg zero=0 --reference @expected_e5m2
// RUN: carousel-sim %s --kernel @e4m3_classes --arg y=empty:8 --reference @expected_e4m3
// RUN: carousel-sim %s --kernel @powers --arg y=empty:8 --arg z=empty:8 --arg zero=0 --reference @expected_powers
// RUN: carousel-sim %s --kernel @float_powers --arg y=empty:8 --arg z=empty:8 --arg zero=0 --reference @expected_float_powers
// RUN: carousel-sim %s --kernel @narrow --arg y=empty:4 --arg z=empty:2 --arg zero=0 --reference @expected_narrow
// RUN: carousel-sim %s --kernel @sums --arg y=empty:4 --arg zero=0 --reference @expected_sums
// RUN: not carousel-sim %s --kernel @no_inverse --arg y=empty:1 --arg b=0 2>&1 | FileCheck %s
// CHECK: upstream-math-classes.mlir:[[#@LINE+158]]:{{.*}} finding: [invalid-operand] expected a quotient that its type can hold

#gl = #gpu.address_space<global>
!y = memref<8xi32, #gl>

gpu.module @m {
  // 1: finite, 2: infinite, 4: not a number, 8: normal. 0, the least subnormal, the least normal, 1, the greatest, both
  // infinities, NaN.
  gpu.func @f32_classes(%y: !y {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [8]>} {
    %t = gpu.thread_id x
    %table = arith.constant dense<[0, 0x00000001, 0x00800000, 0x3f800000, 0x7f7fffff, 0x7f800000, 0xff800000, 0x7fc00000]>
      : vector<8xi32>
    %bits = vector.extract %table[%t] : i32 from vector<8xi32>
    %v = arith.bitcast %bits : i32 to f32
    %finite = math.isfinite %v : f32
    %inf = math.isinf %v : f32
    %nan = math.isnan %v : f32
    %normal = math.isnormal %v : f32
    %c2 = arith.constant 2 : i32
    %c4 = arith.constant 4 : i32
    %c8 = arith.constant 8 : i32
    %n1 = arith.extui %finite : i1 to i32
    %e2 = arith.extui %inf : i1 to i32
    %e4 = arith.extui %nan : i1 to i32
    %e8 = arith.extui %normal : i1 to i32
    %n2 = arith.muli %e2, %c2 : i32
    %n4 = arith.muli %e4, %c4 : i32
    %n8 = arith.muli %e8, %c8 : i32
    %s1 = arith.addi %n1, %n2 : i32
    %s2 = arith.addi %s1, %n4 : i32
    %s3 = arith.addi %s2, %n8 : i32
    memref.store %s3, %y[%t] : !y
    gpu.return
  }

  // 0, the least subnormal, the greatest one, the least normal, the greatest, both infinities, NaN; in two rows.
  gpu.func @e5m2_classes(%y: !y {carousel.argument = #carousel.argument<"y", out>},
                         %zero: i8 {carousel.argument = #carousel.argument<"zero">}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %zeros = vector.broadcast %zero : i8 to vector<2x4xi8>
    %table = arith.constant dense<[[0x00, 0x01, 0x03, 0x04], [0x7b, 0x7c, 0xfc, 0x7e]]> : vector<2x4xi8>
    %bits = arith.addi %table, %zeros : vector<2x4xi8>
    %v = arith.bitcast %bits : vector<2x4xi8> to vector<2x4xf8E5M2>
    %finite = math.isfinite %v : vector<2x4xf8E5M2>
    %inf = math.isinf %v : vector<2x4xf8E5M2>
    %nan = math.isnan %v : vector<2x4xf8E5M2>
    %normal = math.isnormal %v : vector<2x4xf8E5M2>
    %c2 = arith.constant dense<2> : vector<2x4xi32>
    %c4 = arith.constant dense<4> : vector<2x4xi32>
    %c8 = arith.constant dense<8> : vector<2x4xi32>
    %n1 = arith.extui %finite : vector<2x4xi1> to vector<2x4xi32>
    %e2 = arith.extui %inf : vector<2x4xi1> to vector<2x4xi32>
    %e4 = arith.extui %nan : vector<2x4xi1> to vector<2x4xi32>
    %e8 = arith.extui %normal : vector<2x4xi1> to vector<2x4xi32>
    %n2 = arith.muli %e2, %c2 : vector<2x4xi32>
    %n4 = arith.muli %e4, %c4 : vector<2x4xi32>
    %n8 = arith.muli %e8, %c8 : vector<2x4xi32>
    %s1 = arith.addi %n1, %n2 : vector<2x4xi32>
    %s2 = arith.addi %s1, %n4 : vector<2x4xi32>
    %s3 = arith.addi %s2, %n8 : vector<2x4xi32>
    %flat = vector.shape_cast %s3 : vector<2x4xi32> to vector<8xi32>
    vector.store %flat, %y[%c0] : !y, vector<8xi32>
    gpu.return
  }

  // A type without infinities: 0, -0, the least subnormal, the greatest one, the least normal, the greatest, both NaNs.
  gpu.func @e4m3_classes(%y: !y {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [8]>} {
    %t = gpu.thread_id x
    %table = arith.constant dense<[0x00, 0x80, 0x01, 0x07, 0x08, 0x7e, 0x7f, 0xff]> : vector<8xi8>
    %bits = vector.extract %table[%t] : i8 from vector<8xi8>
    %v = arith.bitcast %bits : i8 to f8E4M3FN
    %finite = math.isfinite %v : f8E4M3FN
    %inf = math.isinf %v : f8E4M3FN
    %nan = math.isnan %v : f8E4M3FN
    %normal = math.isnormal %v : f8E4M3FN
    %c2 = arith.constant 2 : i32
    %c4 = arith.constant 4 : i32
    %c8 = arith.constant 8 : i32
    %n1 = arith.extui %finite : i1 to i32
    %e2 = arith.extui %inf : i1 to i32
    %e4 = arith.extui %nan : i1 to i32
    %e8 = arith.extui %normal : i1 to i32
    %n2 = arith.muli %e2, %c2 : i32
    %n4 = arith.muli %e4, %c4 : i32
    %n8 = arith.muli %e8, %c8 : i32
    %s1 = arith.addi %n1, %n2 : i32
    %s2 = arith.addi %s1, %n4 : i32
    %s3 = arith.addi %s2, %n8 : i32
    memref.store %s3, %y[%t] : !y
    gpu.return
  }

  // Vectors of i32, and indices; products wrap, and the least exponent has a magnitude.
  gpu.func @powers(%y: !y {carousel.argument = #carousel.argument<"y", out>},
                   %z: !y {carousel.argument = #carousel.argument<"z", out>},
                   %zero: i32 {carousel.argument = #carousel.argument<"zero">}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %zeros = vector.broadcast %zero : i32 to vector<2x4xi32>
    %known = arith.constant dense<[[3, -2, 0, 5], [1, -1, -1, 7]]> : vector<2x4xi32>
    %b = arith.addi %known, %zeros : vector<2x4xi32>
    %e = arith.constant dense<[[4, 3, 0, 17], [-7, -3, 0x80000000, -1]]> : vector<2x4xi32>
    %p = math.ipowi %b, %e : vector<2x4xi32>
    %flat = vector.shape_cast %p : vector<2x4xi32> to vector<8xi32>
    vector.store %flat, %y[%c0] : !y, vector<8xi32>
    %i = arith.index_cast %zero : i32 to index
    %none = vector.broadcast %i : index to vector<8xindex>
    %own = arith.constant dense<[3, -2, 0, 5, 1, -1, -1, 7]> : vector<8xindex>
    %bi = arith.addi %own, %none : vector<8xindex>
    %ei = arith.constant dense<[4, 3, 0, 5, -7, -3, -4, -1]> : vector<8xindex>
    %pi = math.ipowi %bi, %ei : vector<8xindex>
    %words = arith.index_cast %pi : vector<8xindex> to vector<8xi32>
    vector.store %words, %z[%c0] : !y, vector<8xi32>
    gpu.return
  }

  // Exponents beyond 32 bits keep their parity; a power is a subnormal number where the inverse would be infinite. Exponents
  // of other widths, constant or not, and constants of powf give the same bits.
  gpu.func @float_powers(%y: memref<8xf32, #gl> {carousel.argument = #carousel.argument<"y", out>},
                         %z: !y {carousel.argument = #carousel.argument<"z", out>},
                         %zero: i64 {carousel.argument = #carousel.argument<"zero">}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %zeros = vector.broadcast %zero : i64 to vector<8xi64>
    %known = arith.constant dense<[0x10000000001, 0x10000000000, -130, 0x100000002, 0x100000002, -3, 0,
                                   0x8000000000000000]> : vector<8xi64>
    %e = arith.addi %known, %zeros : vector<8xi64>
    %b = arith.constant dense<[-1.0, -1.0, 2.0, -2.0, 0.5, -2.0, 0x7fc00000, 1.5]> : vector<8xf32>
    %p = math.fpowi %b, %e : vector<8xf32>, vector<8xi64>
    vector.store %p, %y[%c0] : memref<8xf32, #gl>, vector<8xf32>
    %bases = arith.constant dense<[1.1, -1.2, 3.3, 0.7, -0.2, 5.0, 1.0e-9, 1.0e9]> : vector<8xf32>
    %none = arith.sitofp %zeros : vector<8xi64> to vector<8xf32>
    %v = arith.addf %bases, %none : vector<8xf32>
    %minus = arith.constant dense<-2> : vector<8xi16>
    %some = arith.trunci %zeros : vector<8xi64> to vector<8xi16>
    %run = arith.addi %minus, %some : vector<8xi16>
    %minusf = arith.constant dense<-2.0> : vector<8xf32>
    %p0 = math.fpowi %v, %minus : vector<8xf32>, vector<8xi16>
    %p1 = math.fpowi %v, %run : vector<8xf32>, vector<8xi16>
    %p2 = math.powf %v, %minusf : vector<8xf32>
    %bits0 = arith.bitcast %p0 : vector<8xf32> to vector<8xi32>
    %bits1 = arith.bitcast %p1 : vector<8xf32> to vector<8xi32>
    %bits2 = arith.bitcast %p2 : vector<8xf32> to vector<8xi32>
    %other1 = arith.xori %bits0, %bits1 : vector<8xi32>
    %other2 = arith.xori %bits0, %bits2 : vector<8xi32>
    %other = arith.ori %other1, %other2 : vector<8xi32>
    vector.store %other, %z[%c0] : !y, vector<8xi32>
    gpu.return
  }

  gpu.func @no_inverse(%y: memref<1xi32, #gl> {carousel.argument = #carousel.argument<"y", out>},
                       %b: i32 {carousel.argument = #carousel.argument<"b">}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %e = arith.constant -1 : i32
    %p = math.ipowi %b, %e : i32
    memref.store %p, %y[%c0] : memref<1xi32, #gl>
    gpu.return
  }

  // Signs of bf16; a product of f16 that is rounded once, with its sum.
  gpu.func @narrow(%y: memref<4xbf16, #gl> {carousel.argument = #carousel.argument<"y", out>},
                   %z: memref<2xf16, #gl> {carousel.argument = #carousel.argument<"z", out>},
                   %zero: bf16 {carousel.argument = #carousel.argument<"zero">}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %zeros = vector.broadcast %zero : bf16 to vector<4xbf16>
    %known = arith.constant dense<[1.0, -2.0, 3.0, -4.0]> : vector<4xbf16>
    %signs = arith.constant dense<[-1.0, -1.0, 1.0, 1.0]> : vector<4xbf16>
    %a = arith.addf %known, %zeros : vector<4xbf16>
    %s = arith.subf %signs, %zeros : vector<4xbf16>
    %r = math.copysign %a, %s : vector<4xbf16>
    vector.store %r, %y[%c0] : memref<4xbf16, #gl>, vector<4xbf16>
    %wide = arith.extf %zero : bf16 to f32
    %half = arith.truncf %wide : f32 to f16
    %halves = vector.broadcast %half : f16 to vector<2xf16>
    %factor = arith.constant dense<[0x3c03, 1.5]> : vector<2xf16>
    %minus = arith.constant dense<-1.0> : vector<2xf16>
    %f = arith.addf %factor, %halves : vector<2xf16>
    %fused = vector.fma %f, %f, %minus : vector<2xf16>
    vector.store %fused, %z[%c0] : memref<2xf16, #gl>, vector<2xf16>
    gpu.return
  }

  // Computed in f32 and rounded to f8E5M2 once: 1.75 * 1.75 + 0.25 becomes 3.5. A rounded product, 3, would make it 3.
  gpu.func @sums(%y: memref<4xf32, #gl> {carousel.argument = #carousel.argument<"y", out>},
                 %zero: f32 {carousel.argument = #carousel.argument<"zero">}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %zeros = vector.broadcast %zero : f32 to vector<4xf32>
    %known = arith.constant dense<[1.75, 3.0, -2.0, 57344.0]> : vector<4xf32>
    %sum = arith.addf %known, %zeros : vector<4xf32>
    %a = arith.truncf %sum : vector<4xf32> to vector<4xf8E5M2>
    %c = arith.constant dense<[0.25, 0.25, 0.5, 57344.0]> : vector<4xf8E5M2>
    %r = math.fma %a, %a, %c : vector<4xf8E5M2>
    %w = arith.extf %r : vector<4xf8E5M2> to vector<4xf32>
    vector.store %w, %y[%c0] : memref<4xf32, #gl>, vector<4xf32>
    gpu.return
  }
}

func.func @expected_f32(%y: memref<8xi32>) {
  %c0 = arith.constant 0 : index
  %v = arith.constant dense<[1, 1, 9, 9, 9, 2, 2, 4]> : vector<8xi32>
  vector.store %v, %y[%c0] : memref<8xi32>, vector<8xi32>
  return
}

func.func @expected_e5m2(%y: memref<8xi32>, %zero: i8) {
  %c0 = arith.constant 0 : index
  %v = arith.constant dense<[1, 1, 1, 9, 9, 2, 2, 4]> : vector<8xi32>
  vector.store %v, %y[%c0] : memref<8xi32>, vector<8xi32>
  return
}

func.func @expected_e4m3(%y: memref<8xi32>) {
  %c0 = arith.constant 0 : index
  %v = arith.constant dense<[1, 1, 1, 1, 9, 9, 4, 4]> : vector<8xi32>
  vector.store %v, %y[%c0] : memref<8xi32>, vector<8xi32>
  return
}

// 5^17 is 762939453125, of which 32 bits are -1564725563.
func.func @expected_powers(%y: memref<8xi32>, %z: memref<8xi32>, %zero: i32) {
  %c0 = arith.constant 0 : index
  %v = arith.constant dense<[81, -8, 1, -1564725563, 1, -1, 1, 0]> : vector<8xi32>
  vector.store %v, %y[%c0] : memref<8xi32>, vector<8xi32>
  %w = arith.constant dense<[81, -8, 1, 3125, 1, -1, 1, 0]> : vector<8xi32>
  vector.store %w, %z[%c0] : memref<8xi32>, vector<8xi32>
  return
}

func.func @expected_float_powers(%y: memref<8xf32>, %z: memref<8xi32>, %zero: i64) {
  %c0 = arith.constant 0 : index
  %v = arith.constant dense<[-1.0, 1.0, 0x00080000, 0x7f800000, 0.0, -0.125, 1.0, 0.0]> : vector<8xf32>
  vector.store %v, %y[%c0] : memref<8xf32>, vector<8xf32>
  %same = arith.constant dense<0> : vector<8xi32>
  vector.store %same, %z[%c0] : memref<8xi32>, vector<8xi32>
  return
}

func.func @expected_narrow(%y: memref<4xbf16>, %z: memref<2xf16>, %zero: bf16) {
  %c0 = arith.constant 0 : index
  %r = arith.constant dense<[-1.0, -2.0, 3.0, 4.0]> : vector<4xbf16>
  vector.store %r, %y[%c0] : memref<4xbf16>, vector<4xbf16>
  %fused = arith.constant dense<[0.0058670044, 1.25]> : vector<2xf16>
  vector.store %fused, %z[%c0] : memref<2xf16>, vector<2xf16>
  return
}

func.func @expected_sums(%y: memref<4xf32>, %zero: f32) {
  %c0 = arith.constant 0 : index
  %v = arith.constant dense<[3.5, 10.0, 4.0, 0x7f800000]> : vector<4xf32>
  vector.store %v, %y[%c0] : memref<4xf32>, vector<4xf32>
  return
}
