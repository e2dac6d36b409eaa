// Calls of block programs are inlined: nested ones, several of one function, in loops, and without results.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-verify-block,carousel-inline-functions,carousel-verify-block))' | FileCheck %s
// RUN: carousel-opt %s --pass-pipeline='builtin.module(carousel-lower{chip=sm_90a})' | FileCheck %s --check-prefix=LOWERED
// The simulated machine runs them at the block phase.
// RUN: carousel-sim %s --kernel @kernel --arg x=random:700 --arg y=empty:700 --reference @kernel_reference

#gl = #gpu.address_space<global>
!values = memref<?xf32, #gl>
!part = vector<512xf32>

// LOWERED-NOT: func.func private @square
gpu.module @kernels {
  // Private functions that only block programs called are gone, others stay.
  // CHECK-NOT: @square
  // CHECK-NOT: @write
  func.func private @square(%v: !part) -> !part {
    %r = arith.mulf %v, %v : !part
    return %r : !part
  }
  func.func private @both(%v: !part, %w: !part) -> (!part, !part) {
    %r = func.call @square(%v) : (!part) -> !part
    %s = func.call @square(%w) : (!part) -> !part
    return %s, %r : !part, !part
  }
  func.func private @write(%v: !part, %y: !values, %i: index) {
    vector.transfer_write %v, %y[%i] : !part, !values
    return
  }
  // Nothing calls these two.
  // CHECK-NOT: @unused
  func.func private @unused(%v: !part) -> !part {
    %r = func.call @unused_too(%v) : (!part) -> !part
    return %r : !part
  }
  func.func private @unused_too(%v: !part) -> !part {
    return %v : !part
  }
  // CHECK: func.func @public
  func.func @public(%v: !part) -> !part {
    return %v : !part
  }
  // CHECK: func.func private @shared
  func.func private @shared(%v: f32) -> f32 {
    %r = arith.addf %v, %v : f32
    return %r : f32
  }

  // CHECK-LABEL: gpu.func @kernel
  // CHECK: %[[LOOP:.+]]:2 = scf.for {{.*}} iter_args(%[[A:.+]] = {{.+}}, %[[B:.+]] = {{.+}}) -> (vector<512xf32>, vector<512xf32>)
  // CHECK-NEXT: %[[AA:.+]] = arith.mulf %[[A]], %[[A]]
  // CHECK-NEXT: %[[BB:.+]] = arith.mulf %[[B]], %[[B]]
  // CHECK-NEXT: scf.yield %[[BB]], %[[AA]]
  // CHECK: %[[TWICE:.+]] = arith.addf %[[FACTOR:.+]], %[[FACTOR]] : f32
  // CHECK: vector.broadcast %[[TWICE]]
  // CHECK: %[[SUM:.+]] = arith.addf
  // CHECK-NEXT: vector.transfer_write %[[SUM]]
  // CHECK-NEXT: gpu.return
  gpu.func @kernel(
      %x: !values {carousel.argument = #carousel.argument<"x", in>},
      %y: !values {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [ceildiv(extent(0, 0), 512)]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %size = arith.constant 512 : index
    %zero = arith.constant 0.0 : f32
    %factor = arith.constant 0.25 : f32
    %halves = arith.constant dense<0.5> : !part
    %block = gpu.block_id x
    %i = arith.muli %block, %size : index
    %v = vector.transfer_read %x[%i], %zero : !values, !part
    %p, %q = scf.for %j = %c0 to %c3 step %c1 iter_args(%a = %v, %b = %halves) -> (!part, !part) {
      %n, %m = func.call @both(%a, %b) : (!part, !part) -> (!part, !part)
      scf.yield %n, %m : !part, !part
    }
    %twice = func.call @shared(%factor) : (f32) -> f32
    %factors = vector.broadcast %twice : f32 to !part
    %r = arith.mulf %p, %factors : !part
    %q1 = func.call @public(%q) : (!part) -> !part
    %sum = arith.addf %r, %q1 : !part
    func.call @write(%sum, %y, %i) : (!part, !values, index) -> ()
    gpu.return
  }

  // CHECK-LABEL: gpu.func @squares
  // CHECK: arith.mulf
  // DOC-EXAMPLE: --carousel-inline-functions
  gpu.func @squares(%y: !values) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %v = vector.transfer_read %y[%c0], %zero : !values, !part
    %r = func.call @square(%v) : (!part) -> !part
    vector.transfer_write %r, %y[%c0] : !part, !values
    gpu.return
  }

  // Other kernels keep their calls.
  // CHECK-LABEL: gpu.func @threads
  // CHECK: call @shared
  gpu.func @threads(%y: !values) kernel {
    %c0 = arith.constant 0 : index
    %v = memref.load %y[%c0] : !values
    %r = func.call @shared(%v) : (f32) -> f32
    memref.store %r, %y[%c0] : !values
    gpu.return
  }
}

func.func @kernel_reference(%x: memref<?xf32>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %half = arith.constant 0.5 : f32
  %n = memref.dim %x, %c0 : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%i] : memref<?xf32>
    %p, %q = scf.for %j = %c0 to %c3 step %c1 iter_args(%a = %v, %b = %half) -> (f32, f32) {
      %aa = arith.mulf %a, %a : f32
      %bb = arith.mulf %b, %b : f32
      scf.yield %bb, %aa : f32, f32
    }
    %r = arith.mulf %p, %half : f32
    %sum = arith.addf %r, %q : f32
    memref.store %sum, %y[%i] : memref<?xf32>
  }
  return
}
