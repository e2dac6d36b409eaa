// Lanes that go to places of their own: expanding loads, compressing stores, and deinterleaving of elements that LLVM
// has no type for; reductions of a warp whose elements fill a shuffle, and of a CTA's floats of 8 bits.
// RUN: carousel-sim %s --kernel @packed --arg x=iota:8 --arg y=empty:2x4 --reference @expected_packed
// RUN: not carousel-sim %s --kernel @beyond --arg x=iota:3 --arg y=empty:4 2>&1 | FileCheck %s
// CHECK: finding: [out-of-bounds]
// RUN: carousel-sim %s --kernel @halves --arg y=empty:2x4 --reference @expected_halves
// RUN: carousel-sim %s --kernel @reduced --arg x=iota:64 --arg y=empty:32x2 --arg z=empty:32x2 --reference @expected_reduced
// RUN: carousel-sim %s --kernel @most --arg y=empty:64 --reference @expected_most

#gl = #gpu.address_space<global>
!y = memref<2x4xf32, #gl>
!n = memref<2x4xi32, #gl>

gpu.module @m {
  // Only as many elements as the mask has lanes are touched: the load ends where x does, and the store where y does.
  gpu.func @packed(%x: memref<8xf32, #gl> {carousel.argument = #carousel.argument<"x", in>},
                   %y: !y {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c6 = arith.constant 6 : index
    %mask = arith.constant dense<[true, false, false, true]> : vector<4xi1>
    %rest = arith.constant dense<-1.0> : vector<4xf32>
    %v = vector.expandload %x[%c6], %mask, %rest : memref<8xf32, #gl>, vector<4xi1>, vector<4xf32> into vector<4xf32>
    vector.store %v, %y[%c0, %c0] : !y, vector<4xf32>
    %zero = arith.constant dense<0.0> : vector<4xf32>
    vector.store %zero, %y[%c1, %c0] : !y, vector<4xf32>
    vector.compressstore %y[%c1, %c2], %mask, %v : !y, vector<4xi1>, vector<4xf32>
    gpu.return
  }

  gpu.func @beyond(%x: memref<3xf32, #gl> {carousel.argument = #carousel.argument<"x", in>},
                   %y: memref<4xf32, #gl> {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %mask = arith.constant dense<true> : vector<4xi1>
    %rest = arith.constant dense<-1.0> : vector<4xf32>
    %v = vector.expandload %x[%c0], %mask, %rest : memref<3xf32, #gl>, vector<4xi1>, vector<4xf32> into vector<4xf32>
    vector.store %v, %y[%c0] : memref<4xf32, #gl>, vector<4xf32>
    gpu.return
  }

  gpu.func @halves(%y: !n {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %v = arith.constant dense<[10, 11, 12, 13, 14, 15, 16, 17]> : vector<8xindex>
    %even, %odd = vector.deinterleave %v : vector<8xindex> -> vector<4xindex>
    %n = arith.index_cast %even : vector<4xindex> to vector<4xi32>
    vector.store %n, %y[%c0, %c0] : !n, vector<4xi32>
    %f = memref.alloca_scope -> (vector<8xf8E4M3FN>) {
      %own = memref.alloca() : memref<8xf8E4M3FN>
      %numbers = arith.constant dense<[0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0]> : vector<8xf8E4M3FN>
      vector.store %numbers, %own[%c0] : memref<8xf8E4M3FN>, vector<8xf8E4M3FN>
      %copy = vector.load %own[%c0] : memref<8xf8E4M3FN>, vector<8xf8E4M3FN>
      memref.alloca_scope.return %copy : vector<8xf8E4M3FN>
    }
    %low, %high = vector.deinterleave %f : vector<8xf8E4M3FN> -> vector<4xf8E4M3FN>
    %m = arith.fptosi %high : vector<4xf8E4M3FN> to vector<4xi32>
    vector.store %m, %y[%c1, %c0] : !n, vector<4xi32>
    gpu.return
  }

  // Of all lanes, and of clusters of 8 lanes.
  gpu.func @reduced(%x: memref<64xf64, #gl> {carousel.argument = #carousel.argument<"x", in>},
                    %y: memref<32x2xf64, #gl> {carousel.argument = #carousel.argument<"y", out>},
                    %z: memref<32x2xi64, #gl> {carousel.argument = #carousel.argument<"z", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %t = gpu.thread_id x
    %at = arith.muli %t, %c2 : index
    %v = vector.load %x[%at] : memref<64xf64, #gl>, vector<2xf64>
    %s = gpu.subgroup_reduce add %v : (vector<2xf64>) -> vector<2xf64>
    vector.store %s, %y[%t, %c0] : memref<32x2xf64, #gl>, vector<2xf64>
    %n = arith.fptosi %v : vector<2xf64> to vector<2xi64>
    %m = gpu.subgroup_reduce maxsi %n cluster(size = 8) : (vector<2xi64>) -> vector<2xi64>
    vector.store %m, %z[%t, %c0] : memref<32x2xi64, #gl>, vector<2xi64>
    gpu.return
  }

  // Threads have -t: the largest is 0, by its value and not by its bits.
  gpu.func @most(%y: memref<64xf32, #gl> {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %t = gpu.thread_id x
    %n = arith.index_cast %t : index to i32
    %w = arith.sitofp %n : i32 to f32
    %m = arith.negf %w : f32
    %v = arith.truncf %m : f32 to f8E5M2
    %r = gpu.all_reduce maximumf %v uniform {} : (f8E5M2) -> f8E5M2
    %one = arith.constant 1.0 : f8E5M2
    %s = arith.addf %r, %one : f8E5M2
    %e = arith.extf %s : f8E5M2 to f32
    memref.store %e, %y[%t] : memref<64xf32, #gl>
    gpu.return
  }
}

func.func @expected_packed(%x: memref<8xf32>, %y: memref<2x4xf32>) {
  %c0 = arith.constant 0 : index
  %flat = memref.collapse_shape %y [[0, 1]] : memref<2x4xf32> into memref<8xf32>
  %v = arith.constant dense<[6.0, -1.0, -1.0, 7.0, 0.0, 0.0, 6.0, 7.0]> : vector<8xf32>
  vector.store %v, %flat[%c0] : memref<8xf32>, vector<8xf32>
  return
}

func.func @expected_halves(%y: memref<2x4xi32>) {
  %c0 = arith.constant 0 : index
  %flat = memref.collapse_shape %y [[0, 1]] : memref<2x4xi32> into memref<8xi32>
  %v = arith.constant dense<[10, 12, 14, 16, 1, 2, 4, 8]> : vector<8xi32>
  vector.store %v, %flat[%c0] : memref<8xi32>, vector<8xi32>
  return
}

// The even numbers below 64 add up to 992, the odd ones to 1024.
func.func @expected_reduced(%x: memref<64xf64>, %y: memref<32x2xf64>, %z: memref<32x2xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c14 = arith.constant 14 : index
  %c32 = arith.constant 32 : index
  %even = arith.constant 992.0 : f64
  %odd = arith.constant 1024.0 : f64
  scf.for %t = %c0 to %c32 step %c1 {
    memref.store %even, %y[%t, %c0] : memref<32x2xf64>
    memref.store %odd, %y[%t, %c1] : memref<32x2xf64>
    %cluster = arith.divui %t, %c8 : index
    %first = arith.muli %cluster, %c16 : index
    %most = arith.addi %first, %c14 : index
    %next = arith.addi %most, %c1 : index
    %m0 = arith.index_cast %most : index to i64
    %m1 = arith.index_cast %next : index to i64
    memref.store %m0, %z[%t, %c0] : memref<32x2xi64>
    memref.store %m1, %z[%t, %c1] : memref<32x2xi64>
  }
  return
}

func.func @expected_most(%y: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %v = arith.constant dense<1.0> : vector<64xf32>
  vector.store %v, %y[%c0] : memref<64xf32>, vector<64xf32>
  return
}
