// math: y[i, t] = the i-th function of t, to single precision, or the bits of t + 4.
// RUN: carousel-sim %s --kernel @floats --arg x=iota:4 --arg y=empty:20x4 --reference @expected --rtol 1e-6 --atol 1e-7 --schedules 2
// RUN: carousel-sim %s --kernel @bits --arg x=iota:4 --arg y=empty:3x4 --reference @expected_bits --schedules 2

#gl = #gpu.address_space<global>
!y = memref<20x4xf32, #gl>
!yb = memref<3x4xi32, #gl>

gpu.module @m {
  gpu.func @floats(%x: memref<4xf32, #gl> {carousel.argument = #carousel.argument<"x", in>},
                   %y: !y {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [4]>} {
    %one = arith.constant 1.0 : f32
    %two = arith.constant 2.0 : f32
    %p = arith.constant 2.5 : f32
    %t = gpu.thread_id x
    %a = memref.load %x[%t] : memref<4xf32, #gl>
    %b = arith.addf %a, %one : f32
    %h = arith.divf %a, %two : f32
    %m = arith.negf %a : f32
    %v0 = math.sqrt %a : f32
    %r0 = arith.constant 0 : index
    memref.store %v0, %y[%r0, %t] : !y
    %v1 = math.rsqrt %b : f32
    %r1 = arith.constant 1 : index
    memref.store %v1, %y[%r1, %t] : !y
    %v2 = math.exp %a : f32
    %r2 = arith.constant 2 : index
    memref.store %v2, %y[%r2, %t] : !y
    %v3 = math.exp2 %a : f32
    %r3 = arith.constant 3 : index
    memref.store %v3, %y[%r3, %t] : !y
    %v4 = math.expm1 %a : f32
    %r4 = arith.constant 4 : index
    memref.store %v4, %y[%r4, %t] : !y
    %v5 = math.log %b : f32
    %r5 = arith.constant 5 : index
    memref.store %v5, %y[%r5, %t] : !y
    %v6 = math.log2 %b : f32
    %r6 = arith.constant 6 : index
    memref.store %v6, %y[%r6, %t] : !y
    %v7 = math.log1p %a : f32
    %r7 = arith.constant 7 : index
    memref.store %v7, %y[%r7, %t] : !y
    %v8 = math.sin %a : f32
    %r8 = arith.constant 8 : index
    memref.store %v8, %y[%r8, %t] : !y
    %v9 = math.cos %a : f32
    %r9 = arith.constant 9 : index
    memref.store %v9, %y[%r9, %t] : !y
    %v10 = math.tanh %a : f32
    %r10 = arith.constant 10 : index
    memref.store %v10, %y[%r10, %t] : !y
    %v11 = math.erf %a : f32
    %r11 = arith.constant 11 : index
    memref.store %v11, %y[%r11, %t] : !y
    %v12 = math.atan %a : f32
    %r12 = arith.constant 12 : index
    memref.store %v12, %y[%r12, %t] : !y
    %v13 = math.powf %a, %p : f32
    %r13 = arith.constant 13 : index
    memref.store %v13, %y[%r13, %t] : !y
    %v14 = math.fma %a, %a, %b : f32
    %r14 = arith.constant 14 : index
    memref.store %v14, %y[%r14, %t] : !y
    %v15 = math.absf %m : f32
    %r15 = arith.constant 15 : index
    memref.store %v15, %y[%r15, %t] : !y
    %v16 = math.copysign %b, %m : f32
    %r16 = arith.constant 16 : index
    memref.store %v16, %y[%r16, %t] : !y
    %v17 = math.floor %h : f32
    %r17 = arith.constant 17 : index
    memref.store %v17, %y[%r17, %t] : !y
    %v18 = math.ceil %h : f32
    %r18 = arith.constant 18 : index
    memref.store %v18, %y[%r18, %t] : !y
    %v19 = math.roundeven %h : f32
    %r19 = arith.constant 19 : index
    memref.store %v19, %y[%r19, %t] : !y
    gpu.return
  }

  // Of 4 .. 7.
  gpu.func @bits(%x: memref<4xi32, #gl> {carousel.argument = #carousel.argument<"x", in>},
                 %y: !yb {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [4]>} {
    %four = arith.constant 4 : i32
    %r0 = arith.constant 0 : index
    %r1 = arith.constant 1 : index
    %r2 = arith.constant 2 : index
    %t = gpu.thread_id x
    %xt = memref.load %x[%t] : memref<4xi32, #gl>
    %a = arith.addi %xt, %four : i32
    %ones = math.ctpop %a : i32
    %leading = math.ctlz %a : i32
    %trailing = math.cttz %a : i32
    memref.store %ones, %y[%r0, %t] : !yb
    memref.store %leading, %y[%r1, %t] : !yb
    memref.store %trailing, %y[%r2, %t] : !yb
    gpu.return
  }
}

func.func @expected(%x: memref<4xf32>, %y: memref<20x4xf32>) {
  %c0 = arith.constant 0 : index
  %flat = memref.collapse_shape %y [[0, 1]] : memref<20x4xf32> into memref<80xf32>
  %v = arith.constant dense<[0.0, 1.0, 1.41421356, 1.73205081,
                             1.0, 0.707106781, 0.577350269, 0.5,
                             1.0, 2.71828183, 7.3890561, 20.0855369,
                             1.0, 2.0, 4.0, 8.0,
                             0.0, 1.71828183, 6.3890561, 19.0855369,
                             0.0, 0.693147181, 1.09861229, 1.38629436,
                             0.0, 1.0, 1.5849625, 2.0,
                             0.0, 0.693147181, 1.09861229, 1.38629436,
                             0.0, 0.841470985, 0.909297427, 0.141120008,
                             1.0, 0.540302306, -0.416146837, -0.989992497,
                             0.0, 0.761594156, 0.96402758, 0.995054754,
                             0.0, 0.842700793, 0.995322265, 0.99997791,
                             0.0, 0.785398163, 1.10714872, 1.24904577,
                             0.0, 1.0, 5.65685425, 15.5884573,
                             1.0, 3.0, 7.0, 13.0,
                             0.0, 1.0, 2.0, 3.0,
                             -1.0, -2.0, -3.0, -4.0,
                             0.0, 0.0, 1.0, 1.0,
                             0.0, 1.0, 1.0, 2.0,
                             0.0, 0.0, 1.0, 2.0]> : vector<80xf32>
  vector.store %v, %flat[%c0] : memref<80xf32>, vector<80xf32>
  return
}

func.func @expected_bits(%x: memref<4xi32>, %y: memref<3x4xi32>) {
  %c0 = arith.constant 0 : index
  %flat = memref.collapse_shape %y [[0, 1]] : memref<3x4xi32> into memref<12xi32>
  %v = arith.constant dense<[1, 2, 2, 3, 29, 29, 29, 29, 2, 0, 1, 0]> : vector<12xi32>
  vector.store %v, %flat[%c0] : memref<12xi32>, vector<12xi32>
  return
}
