// What a thread reads from a ring's tile for one side of a branch alone is read there.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_90a},carousel-distribute,canonicalize,cse))' | FileCheck %s

#gl = #gpu.address_space<global>
!f = memref<?xf32, #gl>
!i = memref<?xi32, #gl>

gpu.module @m {
  // CHECK-LABEL: gpu.func @masked
  // CHECK: carousel.load %{{.*}} to %[[VALUES:.*]] :
  // CHECK: load %[[VALUES]]
  // CHECK: carousel.load %{{.*}} to %[[NUMBERS:.*]] :
  // CHECK-NOT: load %[[NUMBERS]]
  // CHECK: scf.if
  // CHECK-NEXT: scf.yield
  // CHECK-NEXT: } else {
  // CHECK-NEXT: load %[[NUMBERS]]
  gpu.func @masked(%x: !f {carousel.argument = #carousel.argument<"x", in>}, %n: !i {carousel.argument = #carousel.argument<"n", in>}, %y: !f {carousel.argument = #carousel.argument<"y", out>}, %last: index) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %none = arith.constant 0 : i32
    %pad = arith.constant 0.0 : f32
    %zero = arith.constant dense<0.0> : vector<64xf32>
    %one = arith.constant dense<1> : vector<64xi32>
    %sum = scf.for %j = %c0 to %last step %c64 iter_args(%s = %zero) -> (vector<64xf32>) {
      %v = vector.transfer_read %x[%j], %pad : !f, vector<64xf32>
      %k = vector.transfer_read %n[%j], %none : !i, vector<64xi32>
      %whole = arith.cmpi eq, %j, %c0 : index
      %r = scf.if %whole -> (vector<64xf32>) {
        scf.yield %v : vector<64xf32>
      } else {
        %is = arith.cmpi eq, %k, %one : vector<64xi32>
        %some = arith.select %is, %v, %zero : vector<64xi1>, vector<64xf32>
        scf.yield %some : vector<64xf32>
      }
      %t = arith.addf %s, %r : vector<64xf32>
      scf.yield %t : vector<64xf32>
    } {carousel.pipeline = #carousel.pipeline<>}
    vector.transfer_write %sum, %y[%c0] : vector<64xf32>, !f
    gpu.return
  }

  // Both sides need it.
  // CHECK-LABEL: gpu.func @both
  // CHECK: carousel.load %{{.*}} to %[[NUMBERS:.*]] :
  // CHECK: load %[[NUMBERS]]
  // CHECK: scf.if
  // CHECK-NOT: load
  // CHECK: carousel.pipeline
  gpu.func @both(%n: !i {carousel.argument = #carousel.argument<"n", in>}, %y: !i {carousel.argument = #carousel.argument<"y", out>}, %last: index) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %none = arith.constant 0 : i32
    %zero = arith.constant dense<0> : vector<64xi32>
    %sum = scf.for %j = %c0 to %last step %c64 iter_args(%s = %zero) -> (vector<64xi32>) {
      %k = vector.transfer_read %n[%j], %none : !i, vector<64xi32>
      %whole = arith.cmpi eq, %j, %c0 : index
      %r = scf.if %whole -> (vector<64xi32>) {
        %t = arith.addi %s, %k : vector<64xi32>
        scf.yield %t : vector<64xi32>
      } else {
        %t = arith.subi %s, %k : vector<64xi32>
        scf.yield %t : vector<64xi32>
      }
      scf.yield %r : vector<64xi32>
    } {carousel.pipeline = #carousel.pipeline<>}
    vector.transfer_write %sum, %y[%c0] : vector<64xi32>, !i
    gpu.return
  }

  // One thread stores the sum, but all exchange their parts.
  // CHECK-LABEL: gpu.func @exchange
  // CHECK: scf.for
  // CHECK: carousel.load
  // CHECK-NOT: scf.if
  // CHECK-COUNT-5: gpu.shuffle
  // CHECK: scf.if
  // CHECK-NOT: gpu.shuffle
  // CHECK: gpu.return
  gpu.func @exchange(%x: !f {carousel.argument = #carousel.argument<"x", in>}, %y: !f {carousel.argument = #carousel.argument<"y", out>}, %last: index) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %pad = arith.constant 0.0 : f32
    scf.for %j = %c0 to %last step %c128 {
      %v = vector.transfer_read %x[%j], %pad : !f, vector<128xf32>
      %sum = vector.multi_reduction <add>, %v, %pad [0] : vector<128xf32> to f32
      memref.store %sum, %y[%j] : !f
    } {carousel.pipeline = #carousel.pipeline<>}
    gpu.return
  }
}
