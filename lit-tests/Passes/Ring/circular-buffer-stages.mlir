// A list of stages: each load has a ring of its own, waited for before its own first use. The epilogue is
// peeled on request.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-circular-buffer,canonicalize,cse))' | FileCheck %s

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!global = memref<?xf32, #gl>
!tile = memref<1024xf32, #ws>

gpu.module @rings [#nvvm.target<chip = "sm_90a", features = "+ptx88">] {
  // CHECK-LABEL: gpu.func @each
  // CHECK-SAME: %[[N:[^ ]*]]: index) kernel
  // CHECK-DAG: %[[A:.*]] = carousel.ring.create : <3 x memref<1024xf32, {{.*}}>>
  // CHECK-DAG: %[[B:.*]] = carousel.ring.create : <2 x memref<1024xf32, {{.*}}>>
  // The prologues, each as long as its ring allows.
  // CHECK: scf.for
  // CHECK: carousel.ring.produce %[[A]]
  // CHECK: scf.for
  // CHECK: carousel.ring.produce %[[B]]
  // The steady loop: the ring that runs ahead less still asks whether there is something left.
  // CHECK: %[[LEAST:.*]] = arith.maxsi %[[N]], %c-9223372036854773760
  // CHECK: %[[END:.*]] = arith.subi %[[LEAST]], %c2048
  // CHECK: %[[STEADY:.*]]:3 = scf.for %[[I:.*]] = %c0 to %[[END]] step %c1024
  // CHECK-NOT: scf.if
  // CHECK: carousel.ring.produce %[[A]]
  // CHECK: carousel.ring.produce %[[B]]
  // CHECK: carousel.ring.wait %[[A]]
  // CHECK-NEXT: memref.load
  // CHECK-NEXT: carousel.ring.release %[[A]]
  // CHECK: carousel.ring.wait %[[B]]
  // CHECK-NEXT: memref.load
  // CHECK-NEXT: carousel.ring.release %[[B]]
  // CHECK: scf.yield
  // The epilogue starts where the steady loop stopped.
  // CHECK: scf.for %{{.*}} = %[[STEADY]]#{{[0-9]}} to %[[N]] step %c1024
  // CHECK-NOT: carousel.ring.produce %[[A]]
  // CHECK: scf.if
  // CHECK: carousel.ring.produce %[[B]]
  // CHECK-NOT: carousel.ring.produce
  // CHECK: gpu.return
  gpu.func @each(%x: !global, %y: !global, %z: !global, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1024 = arith.constant 1024 : index
    %thread = gpu.thread_id x
    %a = memref.alloc() : !tile
    %b = memref.alloc() : !tile
    scf.for %i = %c0 to %n step %c1024 {
      carousel.load %x[%i] to %a engine<bulk> : !global, !tile
      %v = memref.load %a[%thread] : !tile
      carousel.load %y[%i] to %b engine<bulk> : !global, !tile
      %w = memref.load %b[%thread] : !tile
      %s = arith.addf %v, %w : f32
      memref.store %s, %z[%thread] : !global
    } {carousel.pipeline = #carousel.pipeline<stages = [3, 2], prefetch = 2, epilogue = peeled>}
    gpu.return
  }

  // Producers fill both.
  // CHECK-LABEL: gpu.func @specialized
  // CHECK-DAG: %[[A:.*]] = carousel.ring.create : <3 x
  // CHECK-DAG: %[[B:.*]] = carousel.ring.create : <2 x
  // CHECK: carousel.ring.roles producer
  // CHECK: scf.for
  // CHECK: carousel.ring.produce %[[A]]
  // CHECK: carousel.ring.produce %[[B]]
  // CHECK: consumer
  // CHECK: scf.for
  // CHECK: carousel.ring.wait %[[A]]
  // CHECK: carousel.ring.release %[[A]]
  // CHECK: carousel.ring.wait %[[B]]
  // CHECK: carousel.ring.release %[[B]]
  gpu.func @specialized(%x: !global, %y: !global, %z: !global, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1024 = arith.constant 1024 : index
    %thread = gpu.thread_id x
    %a = memref.alloc() : !tile
    %b = memref.alloc() : !tile
    scf.for %i = %c0 to %n step %c1024 {
      carousel.load %x[%i] to %a engine<bulk> : !global, !tile
      %v = memref.load %a[%thread] : !tile
      carousel.load %y[%i] to %b engine<bulk> : !global, !tile
      %w = memref.load %b[%thread] : !tile
      %s = arith.addf %v, %w : f32
      memref.store %s, %z[%thread] : !global
    } {carousel.pipeline = #carousel.pipeline<stages = [3, 2], mode = specialized>}
    gpu.return
  }

  // A tile that is loaded before the loop, too, has no ring: consumers load it in their loop, at an offset
  // that they compute there.
  // CHECK-LABEL: gpu.func @loaded_before
  // CHECK-DAG: %[[ONE:.*]] = carousel.ring.create {{.*}} : <1>
  // CHECK-DAG: %[[A:.*]] = carousel.ring.create : <2 x
  // CHECK: carousel.ring.roles producer
  // CHECK: scf.for
  // CHECK: carousel.ring.produce %[[A]]
  // CHECK-NOT: carousel.ring.produce
  // CHECK: consumer
  // CHECK: carousel.ring.produce %[[ONE]]
  // CHECK: carousel.ring.wait %[[ONE]]
  // CHECK: scf.for %[[I:[^ ]*]] =
  // CHECK: %[[AT:.*]] = arith.addi %[[I]], %[[I]]
  // CHECK-NEXT: carousel.ring.produce %[[ONE]]
  // CHECK-NEXT: carousel.ring.load %{{.*}}[%[[AT]]]
  // CHECK: carousel.ring.wait %[[ONE]]
  gpu.func @loaded_before(%x: !global, %y: !global, %z: !global, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1024 = arith.constant 1024 : index
    %thread = gpu.thread_id x
    %a = memref.alloc() : !tile
    %b = memref.alloc() : !tile
    carousel.load %y[%c0] to %b engine<bulk> : !global, !tile
    %first = memref.load %b[%thread] : !tile
    scf.for %i = %c0 to %n step %c1024 {
      carousel.load %x[%i] to %a engine<bulk> : !global, !tile
      %v = memref.load %a[%thread] : !tile
      %at = arith.addi %i, %i : index
      carousel.load %y[%at] to %b engine<bulk> : !global, !tile
      %w = memref.load %b[%thread] : !tile
      %s = arith.addf %v, %w : f32
      %t = arith.addf %s, %first : f32
      memref.store %t, %z[%thread] : !global
    } {carousel.pipeline = #carousel.pipeline<stages = 2, mode = specialized>}
    gpu.return
  }
}
