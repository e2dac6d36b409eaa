// Vectors that follow from coordinates and scalars, wanted along rows and along columns: threads compute them twice, and exchange
// nothing. What is read is exchanged.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_90a},carousel-distribute,canonicalize,cse))' | FileCheck %s

#gl = #gpu.address_space<global>
#x = #carousel.argument<"x", in>
#n = #carousel.argument<"n", in>
#y = #carousel.argument<"y", out>
#program = #carousel.block_program<>
#launch = #carousel.launch<grid = [1], block = [128]>
!matrix = memref<64x64xf32, #gl>
!row = memref<64xi32, #gl>

gpu.module @m {
  // CHECK-LABEL: gpu.func @positions
  // CHECK-NOT: gpu.barrier
  // CHECK-NOT: memref.alloc
  // CHECK: gpu.return
  gpu.func @positions(%x: !matrix {carousel.argument = #x}, %n: index {carousel.argument = #n}, %y: !matrix {carousel.argument = #y})
      kernel attributes {carousel.block_program = #program, carousel.launch = #launch} {
    %c0 = arith.constant 0 : index
    %pad = arith.constant 0.0 : f32
    %v = vector.transfer_read %x[%c0, %c0], %pad {in_bounds = [true, true]} : !matrix, vector<64x64xf32>
    %n32 = arith.index_cast %n : index to i32
    %indices = vector.step : vector<64xindex>
    %steps = arith.index_cast %indices : vector<64xindex> to vector<64xi32>
    %ns = vector.broadcast %n32 : i32 to vector<64xi32>
    %last = arith.addi %steps, %ns : vector<64xi32>
    %tall = vector.shape_cast %last : vector<64xi32> to vector<64x1xi32>
    %rows = vector.broadcast %tall : vector<64x1xi32> to vector<64x64xi32>
    %columns = vector.broadcast %steps : vector<64xi32> to vector<64x64xi32>
    %mask = arith.cmpi sle, %columns, %rows : vector<64x64xi32>
    %zeros = arith.constant dense<0.0> : vector<64x64xf32>
    %some = arith.select %mask, %v, %zeros : vector<64x64xi1>, vector<64x64xf32>
    vector.transfer_write %some, %y[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, !matrix
    gpu.return
  }

  // CHECK-LABEL: gpu.func @numbers
  // CHECK: memref.alloc
  // CHECK: gpu.barrier
  // CHECK: gpu.return
  gpu.func @numbers(%x: !matrix {carousel.argument = #x}, %n: !row {carousel.argument = #n}, %y: !matrix {carousel.argument = #y})
      kernel attributes {carousel.block_program = #program, carousel.launch = #launch} {
    %c0 = arith.constant 0 : index
    %pad = arith.constant 0.0 : f32
    %none = arith.constant 0 : i32
    %v = vector.transfer_read %x[%c0, %c0], %pad {in_bounds = [true, true]} : !matrix, vector<64x64xf32>
    %steps = vector.transfer_read %n[%c0], %none {in_bounds = [true]} : !row, vector<64xi32>
    %ones = arith.constant dense<1> : vector<64xi32>
    %last = arith.addi %steps, %ones : vector<64xi32>
    %tall = vector.shape_cast %last : vector<64xi32> to vector<64x1xi32>
    %rows = vector.broadcast %tall : vector<64x1xi32> to vector<64x64xi32>
    %columns = vector.broadcast %steps : vector<64xi32> to vector<64x64xi32>
    %mask = arith.cmpi sle, %columns, %rows : vector<64x64xi32>
    %zeros = arith.constant dense<0.0> : vector<64x64xf32>
    %some = arith.select %mask, %v, %zeros : vector<64x64xi1>, vector<64x64xf32>
    vector.transfer_write %some, %y[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, !matrix
    gpu.return
  }
}
