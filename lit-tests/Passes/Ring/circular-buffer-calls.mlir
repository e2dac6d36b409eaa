// Calls, reductions and reports in a loop: loads run ahead unless a call may write what they load.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-circular-buffer,carousel-insert-async-sync,carousel-verify-ring))' \
// RUN:     --remarks-filter-passed=carousel-circular-buffer --remarks-filter-missed=carousel-circular-buffer --remark-format=emitRemark --verify-diagnostics | FileCheck %s

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!global = memref<?xf32, #gl>
!tile = memref<128xf32, #ws>

gpu.module @calls [#nvvm.target<chip = "sm_90a", features = "+ptx88">] {
  func.func private @twice(%v: f32) -> f32 {
    %r = arith.addf %v, %v : f32
    return %r : f32
  }
  // A stack slot, another lane's value, and a read of an argument.
  func.func private @scaled(%table: !global, %v: f32) -> f32 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : i32
    %c32 = arith.constant 32 : i32
    %local = memref.alloca() : memref<1xf32>
    memref.store %v, %local[%c0] : memref<1xf32>
    %a = memref.load %local[%c0] : memref<1xf32>
    %b, %valid = gpu.shuffle xor %a, %c1, %c32 : f32
    %s = memref.load %table[%c0] : !global
    %r = arith.mulf %b, %s : f32
    return %r : f32
  }
  func.func private @set(%to: !global, %v: f32) {
    %c0 = arith.constant 0 : index
    memref.store %v, %to[%c0] : !global
    return
  }
  func.func private @set_through(%from: !global, %to: !global, %v: f32) -> f32 {
    %r = func.call @scaled(%from, %v) : (!global, f32) -> f32
    func.call @set(%to, %r) : (!global, f32) -> ()
    return %r : f32
  }
  func.func private @meet(%v: f32) -> f32 {
    gpu.barrier
    return %v : f32
  }
  func.func private @forever(%v: f32) -> f32 {
    %r = func.call @forever(%v) : (f32) -> f32
    return %r : f32
  }
  func.func private @external(%v: f32) -> f32
  func.func private @external_log(%to: !global, %v: f32)
  func.func private @external_pure(%at: !global) -> f32 attributes {llvm.readnone}

  // The call's operands decide what it writes. No barrier is inserted for calls.
  // CHECK-LABEL: gpu.func @harmless
  // CHECK: scf.for {{.*}} {
  // CHECK: carousel.ring.produce %{{.*}} ahead(2)
  // CHECK: carousel.ring.wait
  // CHECK-NEXT: memref.load
  // CHECK-NEXT: carousel.ring.release
  // CHECK-NEXT: call @twice
  // CHECK-NOT: carousel.ring.sync
  // CHECK: gpu.return
  gpu.func @harmless(%x: !global, %y: !global, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %thread = gpu.thread_id x
    %t = memref.alloc() : !tile
    // expected-remark @below {{loads ringed: 1, stages 4, prefetch 2}}
    scf.for %i = %c0 to %n step %c128 {
      carousel.load %x[%i] to %t engine<bulk> : !global, !tile
      %v = memref.load %t[%thread] : !tile
      %a = func.call @twice(%v) : (f32) -> f32
      %b = func.call @set_through(%x, %y, %a) : (!global, !global, f32) -> f32
      %c = func.call @external(%b) : (f32) -> f32
      func.call @external_log(%y, %c) : (!global, f32) -> ()
      %d = func.call @external_pure(%x) : (!global) -> f32
      %ok = arith.cmpf ord, %c, %d : f32
      cf.assert %ok, "not a number"
      gpu.printf "%f\n", %c : f32
    } {carousel.pipeline = #carousel.pipeline<stages = 4>}
    gpu.return
  }

  gpu.func @reduced(%x: !global, %y: !global, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %thread = gpu.thread_id x
    %t = memref.alloc() : !tile
    // expected-remark @below {{loads ringed: 1, stages 4, prefetch 2}}
    scf.for %i = %c0 to %n step %c128 {
      carousel.load %x[%i] to %t engine<bulk> : !global, !tile
      %v = memref.load %t[%thread] : !tile
      %a = gpu.all_reduce add %v uniform {} : (f32) -> f32
      %b = gpu.all_reduce %a uniform {
      ^bb0(%l: f32, %r: f32):
        %m = arith.maximumf %l, %r : f32
        gpu.yield %m : f32
      } : (f32) -> f32
      memref.store %b, %y[%i] : !global
    } {carousel.pipeline = #carousel.pipeline<stages = 4>}
    gpu.return
  }

  gpu.func @written(%x: !global, %y: !global, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %thread = gpu.thread_id x
    %t = memref.alloc() : !tile
    scf.for %i = %c0 to %n step %c128 {
      // expected-remark @below {{not ringed: the loop writes the memref that is loaded from by 'func.call'}}
      carousel.load %x[%i] to %t engine<bulk> : !global, !tile
      %v = memref.load %t[%thread] : !tile
      %b = func.call @set_through(%y, %x, %v) : (!global, !global, f32) -> f32
    } {carousel.pipeline = #carousel.pipeline<stages = 4>}
    scf.for %i = %c0 to %n step %c128 {
      // expected-remark @below {{not ringed: the loop writes the memref that is loaded from by 'func.call'}}
      carousel.load %x[%i] to %t engine<bulk> : !global, !tile
      %v = memref.load %t[%thread] : !tile
      func.call @external_log(%x, %v) : (!global, f32) -> ()
    } {carousel.pipeline = #carousel.pipeline<stages = 4>}
    gpu.return
  }

  gpu.func @unknown(%x: !global, %y: !global, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %thread = gpu.thread_id x
    %t = memref.alloc() : !tile
    scf.for %i = %c0 to %n step %c128 {
      // expected-remark @below {{not ringed: the loop has 'func.call', which may write the memref that is loaded from}}
      carousel.load %x[%i] to %t engine<bulk> : !global, !tile
      %v = memref.load %t[%thread] : !tile
      %a = func.call @meet(%v) : (f32) -> f32
    } {carousel.pipeline = #carousel.pipeline<stages = 4>}
    scf.for %i = %c0 to %n step %c128 {
      // expected-remark @below {{not ringed: the loop has 'func.call', which may write the memref that is loaded from}}
      carousel.load %x[%i] to %t engine<bulk> : !global, !tile
      %v = memref.load %t[%thread] : !tile
      %a = func.call @forever(%v) : (f32) -> f32
    } {carousel.pipeline = #carousel.pipeline<stages = 4>}
    gpu.return
  }

  // Producers and consumers: a function without a body executes no barrier.
  gpu.func @specialized(%x: !global, %y: !global, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %thread = gpu.thread_id x
    %t = memref.alloc() : !tile
    // expected-remark @below {{loads ringed: 1, stages 4, by producers}}
    scf.for %i = %c0 to %n step %c128 {
      carousel.load %x[%i] to %t engine<bulk> : !global, !tile
      %v = memref.load %t[%thread] : !tile
      %c = func.call @external(%v) : (f32) -> f32
      memref.store %c, %y[%i] : !global
    } {carousel.pipeline = #carousel.pipeline<stages = 4, mode = specialized>}
    gpu.return
  }
}

// An integer may hold the address of the memref.
gpu.module @addresses [#nvvm.target<chip = "sm_90a", features = "+ptx88">] {
  func.func private @poke(%at: index)
  gpu.func @address(%x: !global, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %t = memref.alloc() : !tile
    %at = memref.extract_aligned_pointer_as_index %x : !global -> index
    scf.for %i = %c0 to %n step %c128 {
      // expected-remark @below {{not ringed: the loop has 'func.call', which may write the memref that is loaded from}}
      carousel.load %x[%i] to %t engine<bulk> : !global, !tile
      func.call @poke(%at) : (index) -> ()
    } {carousel.pipeline = #carousel.pipeline<stages = 4>}
    gpu.return
  }
}
