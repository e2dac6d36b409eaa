// One plus the error function, expanded, within the bounds of docs/Accuracy.md for the polynomial: 2.5 * 2^-23, and
// 3 * 2^-12 of small results. The values that it's compared with are the host's erfc. Each number from -8 to 8, which is left out, in steps of 2^-12, infinities, NaN and zeros.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(carousel-expand-arith)))' -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir
// RUN: carousel-sim %t.mlir --kernel @near --arg wrong=iota:65536 --expect wrong=zeros:65536
// RUN: carousel-sim %t.mlir --kernel @special --arg wrong=iota:8 --expect wrong=zeros:8
// A coefficient that is off by a hundred thousandth of it is found.
// RUN: sed 's/-0.918270111/-0.91828/' %t.mlir > %t.wrong.mlir
// RUN: not carousel-sim %t.wrong.mlir --kernel @near --arg wrong=iota:65536 --expect wrong=zeros:65536 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: elements differ from zeros:65536

#gl = #gpu.address_space<global>

gpu.module @m {
  // CHECK-LABEL: gpu.func @near
  // CHECK-NOT: math.erf %
  // CHECK: math.exp2 %{{.+}} fastmath<afn> : vector<8xf32>
  // CHECK: gpu.return
  gpu.func @near(%wrong: memref<65536xi32, #gl> {carousel.argument = #carousel.argument<"wrong", inout>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [32], block = [256]>} {
    %step = arith.constant dense<2.44140625e-4> : vector<8xf32>
    %low = arith.constant dense<-8.0> : vector<8xf32>
    %one = arith.constant dense<1.0> : vector<8xf32>
    %absolute = arith.constant dense<2.98023224e-7> : vector<8xf32>
    %relative = arith.constant dense<7.32421875e-4> : vector<8xf32>
    %lanes = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7]> : vector<8xi32>
    %block = gpu.block_id x
    %thread = gpu.thread_id x
    %c8 = arith.constant 8 : index
    %c2048 = arith.constant 2048 : index
    %0 = arith.muli %block, %c2048 : index
    %1 = arith.muli %thread, %c8 : index
    %first = arith.addi %0, %1 : index
    %i32 = arith.index_cast %first : index to i32
    %firsts = vector.broadcast %i32 : i32 to vector<8xi32>
    %numbers = arith.addi %firsts, %lanes : vector<8xi32>
    %floats = arith.sitofp %numbers : vector<8xi32> to vector<8xf32>
    %x = math.fma %floats, %step, %low : vector<8xf32>
    %erf = math.erf %x : vector<8xf32>
    %got = arith.addf %one, %erf : vector<8xf32>
    %negative = arith.negf %x : vector<8xf32>
    %want = math.erfc %negative : vector<8xf32>
    %difference = arith.subf %got, %want : vector<8xf32>
    %error = math.absf %difference : vector<8xf32>
    // Below -4.2 the result is smaller than the absolute bound alone.
    %share = arith.mulf %want, %relative : vector<8xf32>
    %cut = arith.constant dense<-4.2> : vector<8xf32>
    %is_near = arith.cmpf oge, %x, %cut : vector<8xf32>
    %both = arith.minimumf %absolute, %share : vector<8xf32>
    %bound = arith.select %is_near, %both, %absolute : vector<8xi1>, vector<8xf32>
    %is_wrong = arith.cmpf ugt, %error, %bound : vector<8xf32>
    %words = arith.extui %is_wrong : vector<8xi1> to vector<8xi32>
    vector.store %words, %wrong[%first] : memref<65536xi32, #gl>, vector<8xi32>
    gpu.return
  }

  // Fused multiply-adds of a factor and the factor's product, too.
  // CHECK-LABEL: gpu.func @special
  // CHECK-NOT: math.erf %
  // CHECK: gpu.return
  gpu.func @special(%wrong: memref<8xi32, #gl> {carousel.argument = #carousel.argument<"wrong", inout>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    // NaN, infinities, zeros, large numbers, a subnormal number
    %x = arith.constant dense<[0x7fc00000, 0x7f800000, 0xff800000, 0.0, -0.0, 1.0e30, -1.0e30, 0x00000001]> : vector<8xf32>
    %factor = arith.constant dense<3.0> : vector<8xf32>
    %want = arith.constant dense<[0x7fc00000, 6.0, 0.0, 3.0, 3.0, 6.0, 0.0, 3.0]> : vector<8xf32>
    %erf = math.erf %x : vector<8xf32>
    %got = math.fma %erf, %factor, %factor : vector<8xf32>
    %differs = arith.cmpf une, %got, %want : vector<8xf32>
    %is_nan = arith.cmpf uno, %got, %got : vector<8xf32>
    %should = arith.cmpf uno, %want, %want : vector<8xf32>
    %both = arith.andi %is_nan, %should : vector<8xi1>
    %is_wrong = arith.cmpi ugt, %differs, %both : vector<8xi1>
    %words = arith.extui %is_wrong : vector<8xi1> to vector<8xi32>
    vector.store %words, %wrong[%c0] : memref<8xi32, #gl>, vector<8xi32>
    gpu.return
  }

  // Another reader, another number, another type: the function stays.
  // CHECK-LABEL: gpu.func @others
  // CHECK-COUNT-4: math.erf %
  // CHECK-NOT: math.exp2
  // CHECK: gpu.return
  gpu.func @others(%a: f32, %b: f64, %out: memref<4xf32, #gl>, %wide: memref<1xf64, #gl>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %one = arith.constant 1.0 : f32
    %two = arith.constant 2.0 : f32
    %wide_one = arith.constant 1.0 : f64
    %read_twice = math.erf %a : f32
    %0 = arith.addf %read_twice, %one : f32
    memref.store %0, %out[%c0] : memref<4xf32, #gl>
    memref.store %read_twice, %out[%c1] : memref<4xf32, #gl>
    %to_two = math.erf %0 : f32
    %1 = arith.addf %to_two, %two : f32
    memref.store %1, %out[%c2] : memref<4xf32, #gl>
    %doubled = math.erf %b : f64
    %2 = arith.addf %doubled, %wide_one : f64
    memref.store %2, %wide[%c0] : memref<1xf64, #gl>
    %of_another = math.erf %1 : f32
    %3 = math.fma %of_another, %two, %a : f32
    memref.store %3, %out[%c0] : memref<4xf32, #gl>
    gpu.return
  }
}
