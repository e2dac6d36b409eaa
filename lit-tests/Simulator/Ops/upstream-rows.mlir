// Rows of vectors at positions known at run time; values wider than 64 bits that lanes exchange; powers with integer
// exponents, and clamping.
// RUN: carousel-sim %s --kernel @rows --arg x=iota:8 --arg y=empty:4x8 --reference @expected_rows
// RUN: carousel-sim %s --kernel @wide --arg y=empty:32x4 --reference @expected_wide
// RUN: carousel-sim %s --kernel @powers --arg x=iota:4 --arg y=empty:3x4 --reference @expected_powers

#gl = #gpu.address_space<global>
!x = memref<8xf32, #gl>
!y = memref<4x8xf32, #gl>
!w = memref<32x4xi32, #gl>
!p = memref<3x4xf32, #gl>

gpu.module @m {
  // Row t % 2 of x comes after itself.
  gpu.func @rows(%x: !x {carousel.argument = #carousel.argument<"x", in>},
                 %y: !y {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [4]>} {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %t = gpu.thread_id x
    %row = arith.remui %t, %c2 : index
    %flat = vector.load %x[%c0] : !x, vector<8xf32>
    %v = vector.shape_cast %flat : vector<8xf32> to vector<2x4xf32>
    %r = vector.extract %v[%row] : vector<4xf32> from vector<2x4xf32>
    %one = arith.constant 1 : index
    %other = arith.subi %one, %row : index
    %w = vector.insert %r, %v[%other] : vector<4xf32> into vector<2x4xf32>
    %z = vector.shape_cast %w : vector<2x4xf32> to vector<8xf32>
    vector.store %z, %y[%t, %c0] : !y, vector<8xf32>
    gpu.return
  }

  gpu.func @wide(%y: !w {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : i32
    %c32 = arith.constant 32 : i32
    %t = gpu.thread_id x
    %n = arith.index_cast %t : index to i32
    %s = vector.broadcast %n : i32 to vector<4xi32>
    %k = arith.constant dense<[0, 100, 200, 300]> : vector<4xi32>
    %v = arith.addi %s, %k : vector<4xi32>
    %r, %valid = gpu.shuffle xor %v, %c1, %c32 : vector<4xi32>
    vector.store %r, %y[%t, %c0] : !w, vector<4xi32>
    gpu.return
  }

  gpu.func @powers(%x: memref<4xf32, #gl> {carousel.argument = #carousel.argument<"x", in>},
                   %y: !p {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %v = vector.load %x[%c0] : memref<4xf32, #gl>, vector<4xf32>
    %three = arith.constant dense<3> : vector<4xi32>
    %cubes = math.fpowi %v, %three : vector<4xf32>, vector<4xi32>
    vector.store %cubes, %y[%c0, %c0] : !p, vector<4xf32>
    %negative = arith.negf %v : vector<4xf32>
    %own = arith.fptosi %v : vector<4xf32> to vector<4xi32>
    %own_powers = math.fpowi %negative, %own : vector<4xf32>, vector<4xi32>
    vector.store %own_powers, %y[%c1, %c0] : !p, vector<4xf32>
    %low = arith.constant dense<1.0> : vector<4xf32>
    %high = arith.constant dense<2.0> : vector<4xf32>
    %clamped = math.clampf %v to [%low, %high] : vector<4xf32>
    vector.store %clamped, %y[%c2, %c0] : !p, vector<4xf32>
    gpu.return
  }
}

func.func @expected_rows(%x: memref<8xf32>, %y: memref<4x8xf32>) {
  %c0 = arith.constant 0 : index
  %flat = memref.collapse_shape %y [[0, 1]] : memref<4x8xf32> into memref<32xf32>
  %v = arith.constant dense<[0.0, 1.0, 2.0, 3.0, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 4.0, 5.0, 6.0, 7.0,
                             0.0, 1.0, 2.0, 3.0, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 4.0, 5.0, 6.0, 7.0]> : vector<32xf32>
  vector.store %v, %flat[%c0] : memref<32xf32>, vector<32xf32>
  return
}

func.func @expected_wide(%y: memref<32x4xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %c100 = arith.constant 100 : index
  scf.for %i = %c0 to %c32 step %c1 {
    %other = arith.xori %i, %c1 : index
    scf.for %j = %c0 to %c4 step %c1 {
      %part = arith.muli %j, %c100 : index
      %sum = arith.addi %other, %part : index
      %n = arith.index_cast %sum : index to i32
      memref.store %n, %y[%i, %j] : memref<32x4xi32>
    }
  }
  return
}

func.func @expected_powers(%x: memref<4xf32>, %y: memref<3x4xf32>) {
  %c0 = arith.constant 0 : index
  %flat = memref.collapse_shape %y [[0, 1]] : memref<3x4xf32> into memref<12xf32>
  %v = arith.constant dense<[0.0, 1.0, 8.0, 27.0, 1.0, -1.0, 4.0, -27.0, 1.0, 1.0, 2.0, 2.0]> : vector<12xf32>
  vector.store %v, %flat[%c0] : memref<12xf32>, vector<12xf32>
  return
}
