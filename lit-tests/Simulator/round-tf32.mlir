// Numbers are rounded to tf32, to the nearest, ties to even, by the simulated machine's own definition and by
// the arithmetic that targets have: numbers that are known, and 65536 of all kinds.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(carousel-expand-arith)))' -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir
// RUN: carousel-sim %s --kernel @known --arg wrong=iota:16 --expect wrong=zeros:16
// RUN: carousel-sim %t.mlir --kernel @known --arg wrong=iota:16 --expect wrong=zeros:16
// RUN: carousel-sim %s --kernel @any --arg y=zeros:65536 --out y=%t.npy --quiet
// RUN: carousel-sim %t.mlir --kernel @any --arg y=zeros:65536 --expect y=%t.npy

#gl = #gpu.address_space<global>

gpu.module @m {
  // CHECK-LABEL: gpu.func @known
  // CHECK-NOT: carousel.round_tf32
  // CHECK: %[[NAN:.+]] = arith.cmpf uno, %[[NUMBERS:.+]], %[[NUMBERS]] : vector<4x4xf32>
  // CHECK: arith.select %[[NAN]], %[[NUMBERS]], %{{.+}} : vector<4x4xi1>, vector<4x4xf32>
  gpu.func @known(%wrong: memref<16xi32, #gl> {carousel.argument = #carousel.argument<"wrong", inout>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    // 1, less than half of the last place, half of it, of an odd number, of a negative even one, more than half
    // the largest number, infinities
    // NaNs
    // less than half of the least number, half of it, subnormal numbers, one that becomes normal
    %bits = arith.constant dense<[
        [0x3f800000, 0x3f800fff, 0x3f801000, 0x3f803000], [0xbf801000, 0x3f801001, 0x7f7fffff, 0x7f800000],
        [0xff800000, 0x7f800001, 0x7fc00fff, 0xffffffff], [0x00000fff, 0x00001000, 0x80001fff, 0x007ff000]]> : vector<4x4xi32>
    %rounded = arith.constant dense<[
        [0x3f800000, 0x3f800000, 0x3f800000, 0x3f804000], [0xbf800000, 0x3f802000, 0x7f800000, 0x7f800000],
        [0xff800000, 0x7f800001, 0x7fc00fff, 0xffffffff], [0x00000000, 0x00000000, 0x80002000, 0x00800000]]> : vector<4x4xi32>
    %numbers = arith.bitcast %bits : vector<4x4xi32> to vector<4x4xf32>
    %results = carousel.round_tf32 %numbers : vector<4x4xf32>
    %got = arith.bitcast %results : vector<4x4xf32> to vector<4x4xi32>
    %differ = arith.xori %got, %rounded : vector<4x4xi32>
    %row = vector.shape_cast %differ : vector<4x4xi32> to vector<16xi32>
    vector.store %row, %wrong[%c0] : memref<16xi32, #gl>, vector<16xi32>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @any
  // CHECK-NOT: carousel.round_tf32
  // CHECK: gpu.return
  gpu.func @any(%y: memref<65536xi32, #gl> {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [256], block = [256]>} {
    %block = gpu.block_id x
    %thread = gpu.thread_id x
    %c256 = arith.constant 256 : index
    %factor = arith.constant 0x9e3779b1 : i32
    %first = arith.muli %block, %c256 : index
    %i = arith.addi %first, %thread : index
    %number = arith.index_cast %i : index to i32
    %bits = arith.muli %number, %factor : i32
    %x = arith.bitcast %bits : i32 to f32
    %rounded = carousel.round_tf32 %x : f32
    %got = arith.bitcast %rounded : f32 to i32
    memref.store %got, %y[%i] : memref<65536xi32, #gl>
    gpu.return
  }
}
