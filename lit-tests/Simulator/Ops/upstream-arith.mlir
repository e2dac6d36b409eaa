// arith on integers and floats: y[i, t] = the i-th op of t.
// RUN: carousel-sim %s --kernel @ints --arg x=iota:8 --arg y=empty:15x8 --reference @expected_ints --schedules 2
// RUN: carousel-sim %s --kernel @floats --arg x=iota:8 --arg y=empty:10x8 --reference @expected_floats --schedules 2

#gl = #gpu.address_space<global>
!yi = memref<15x8xi32, #gl>
!yf = memref<10x8xf32, #gl>

gpu.module @m {
  // Of -4 .. 3 with 3.
  gpu.func @ints(%x: memref<8xi32, #gl> {carousel.argument = #carousel.argument<"x", in>},
                 %y: !yi {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [8]>} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %b = arith.constant 3 : i32
    %four = arith.constant 4 : i32
    %t = gpu.thread_id x
    %xt = memref.load %x[%t] : memref<8xi32, #gl>
    %a = arith.subi %xt, %four : i32
    %v0 = arith.addi %a, %b : i32
    %r0 = arith.constant 0 : index
    memref.store %v0, %y[%r0, %t] : !yi
    %v1 = arith.muli %a, %b : i32
    %r1 = arith.constant 1 : index
    memref.store %v1, %y[%r1, %t] : !yi
    %v2 = arith.divsi %a, %b : i32
    %r2 = arith.constant 2 : index
    memref.store %v2, %y[%r2, %t] : !yi
    %v3 = arith.remsi %a, %b : i32
    %r3 = arith.constant 3 : index
    memref.store %v3, %y[%r3, %t] : !yi
    %v4 = arith.divui %a, %b : i32
    %r4 = arith.constant 4 : index
    memref.store %v4, %y[%r4, %t] : !yi
    %v5 = arith.floordivsi %a, %b : i32
    %r5 = arith.constant 5 : index
    memref.store %v5, %y[%r5, %t] : !yi
    %v6 = arith.ceildivsi %a, %b : i32
    %r6 = arith.constant 6 : index
    memref.store %v6, %y[%r6, %t] : !yi
    %v7 = arith.shli %a, %b : i32
    %r7 = arith.constant 7 : index
    memref.store %v7, %y[%r7, %t] : !yi
    %v8 = arith.shrsi %a, %one : i32
    %r8 = arith.constant 8 : index
    memref.store %v8, %y[%r8, %t] : !yi
    %v9 = arith.shrui %a, %one : i32
    %r9 = arith.constant 9 : index
    memref.store %v9, %y[%r9, %t] : !yi
    %v10 = arith.xori %a, %b : i32
    %r10 = arith.constant 10 : index
    memref.store %v10, %y[%r10, %t] : !yi
    %v11 = arith.maxsi %a, %zero : i32
    %r11 = arith.constant 11 : index
    memref.store %v11, %y[%r11, %t] : !yi
    %v12 = arith.minui %a, %b : i32
    %r12 = arith.constant 12 : index
    memref.store %v12, %y[%r12, %t] : !yi
    // By way of 8 bits, and by a comparison.
    %hundred = arith.constant 100 : i32
    %wide = arith.muli %a, %hundred : i32
    %byte = arith.trunci %wide : i32 to i8
    %v13 = arith.extsi %byte : i8 to i32
    %r13 = arith.constant 13 : index
    memref.store %v13, %y[%r13, %t] : !yi
    %negative = arith.cmpi slt, %a, %zero : i32
    %v14 = arith.select %negative, %hundred, %a : i32
    %r14 = arith.constant 14 : index
    memref.store %v14, %y[%r14, %t] : !yi
    gpu.return
  }

  // Of -2.5 .. 4.5 with 2.
  gpu.func @floats(%x: memref<8xf32, #gl> {carousel.argument = #carousel.argument<"x", in>},
                   %y: !yf {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [8]>} {
    %b = arith.constant 2.0 : f32
    %half = arith.constant 2.5 : f32
    %nan = arith.constant 0x7FC00000 : f32
    %t = gpu.thread_id x
    %xt = memref.load %x[%t] : memref<8xf32, #gl>
    %a = arith.subf %xt, %half : f32
    %v0 = arith.addf %a, %b : f32
    %r0 = arith.constant 0 : index
    memref.store %v0, %y[%r0, %t] : !yf
    %v1 = arith.mulf %a, %b : f32
    %r1 = arith.constant 1 : index
    memref.store %v1, %y[%r1, %t] : !yf
    %v2 = arith.divf %a, %b : f32
    %r2 = arith.constant 2 : index
    memref.store %v2, %y[%r2, %t] : !yf
    %v3 = arith.remf %a, %b : f32
    %r3 = arith.constant 3 : index
    memref.store %v3, %y[%r3, %t] : !yf
    %v4 = arith.negf %a : f32
    %r4 = arith.constant 4 : index
    memref.store %v4, %y[%r4, %t] : !yf
    %v5 = arith.maximumf %a, %b : f32
    %r5 = arith.constant 5 : index
    memref.store %v5, %y[%r5, %t] : !yf
    %v6 = arith.minnumf %a, %nan : f32
    %r6 = arith.constant 6 : index
    memref.store %v6, %y[%r6, %t] : !yf
    // By way of integers, and by a comparison.
    %int = arith.fptosi %a : f32 to i32
    %v7 = arith.sitofp %int : i32 to f32
    %r7 = arith.constant 7 : index
    memref.store %v7, %y[%r7, %t] : !yf
    %square = arith.mulf %a, %a : f32
    %uint = arith.fptoui %square : f32 to i32
    %v8 = arith.uitofp %uint : i32 to f32
    %r8 = arith.constant 8 : index
    memref.store %v8, %y[%r8, %t] : !yf
    %less = arith.cmpf olt, %a, %b : f32
    %v9 = arith.select %less, %b, %a : f32
    %r9 = arith.constant 9 : index
    memref.store %v9, %y[%r9, %t] : !yf
    gpu.return
  }
}

func.func @expected_ints(%x: memref<8xi32>, %y: memref<15x8xi32>) {
  %c0 = arith.constant 0 : index
  %flat = memref.collapse_shape %y [[0, 1]] : memref<15x8xi32> into memref<120xi32>
  %v = arith.constant dense<[-1, 0, 1, 2, 3, 4, 5, 6,
                             -12, -9, -6, -3, 0, 3, 6, 9,
                             -1, -1, 0, 0, 0, 0, 0, 1,
                             -1, 0, -2, -1, 0, 1, 2, 0,
                             1431655764, 1431655764, 1431655764, 1431655765, 0, 0, 0, 1,
                             -2, -1, -1, -1, 0, 0, 0, 1,
                             -1, -1, 0, 0, 0, 1, 1, 1,
                             -32, -24, -16, -8, 0, 8, 16, 24,
                             -2, -2, -1, -1, 0, 0, 1, 1,
                             2147483646, 2147483646, 2147483647, 2147483647, 0, 0, 1, 1,
                             -1, -2, -3, -4, 3, 2, 1, 0,
                             0, 0, 0, 0, 0, 1, 2, 3,
                             3, 3, 3, 3, 0, 1, 2, 3,
                             112, -44, 56, -100, 0, 100, -56, 44,
                             100, 100, 100, 100, 0, 1, 2, 3]> : vector<120xi32>
  vector.store %v, %flat[%c0] : memref<120xi32>, vector<120xi32>
  return
}

func.func @expected_floats(%x: memref<8xf32>, %y: memref<10x8xf32>) {
  %c0 = arith.constant 0 : index
  %flat = memref.collapse_shape %y [[0, 1]] : memref<10x8xf32> into memref<80xf32>
  %v = arith.constant dense<[-0.5, 0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5,
                             -5.0, -3.0, -1.0, 1.0, 3.0, 5.0, 7.0, 9.0,
                             -1.25, -0.75, -0.25, 0.25, 0.75, 1.25, 1.75, 2.25,
                             -0.5, -1.5, -0.5, 0.5, 1.5, 0.5, 1.5, 0.5,
                             2.5, 1.5, 0.5, -0.5, -1.5, -2.5, -3.5, -4.5,
                             2.0, 2.0, 2.0, 2.0, 2.0, 2.5, 3.5, 4.5,
                             -2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 3.5, 4.5,
                             -2.0, -1.0, 0.0, 0.0, 1.0, 2.0, 3.0, 4.0,
                             6.0, 2.0, 0.0, 0.0, 2.0, 6.0, 12.0, 20.0,
                             2.0, 2.0, 2.0, 2.0, 2.0, 2.5, 3.5, 4.5]> : vector<80xf32>
  vector.store %v, %flat[%c0] : memref<80xf32>, vector<80xf32>
  return
}
