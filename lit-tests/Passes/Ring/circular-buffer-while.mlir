// While loops: the states of later iterations, tickets that are drawn ahead, and each reason against it.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-circular-buffer,canonicalize,cse))' \
// RUN:     --remarks-filter-passed=carousel-circular-buffer --remarks-filter-missed=carousel-circular-buffer --remark-format=emitRemark --verify-diagnostics | FileCheck %s

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!global = memref<?xf32, #gl>
!counter = memref<1xi32, #gl>
!tile = memref<1024xf32, #ws>

gpu.module @while [#nvvm.target<chip = "sm_90a", features = "+ptx88">] {
  // CHECK-LABEL: gpu.func @tickets
  // CHECK-SAME: (%{{.*}}, %{{.*}}, %[[COUNTER:.*]]: memref<1xi32{{.*}}, %[[N:.*]]: index)
  // CHECK: %[[RING:.*]] = carousel.ring.create : <3 x
  // CHECK: %[[FIRST:.*]] = carousel.grid.ticket %[[COUNTER]]
  // CHECK: %[[LIVE:.*]] = arith.cmpi ult, %[[FIRST]], %[[N]]
  // The prologue shifts the states of the first iterations into place. Nothing is drawn after the end.
  // CHECK: scf.for %{{.*}} = %c0 to %c2 step %c1 iter_args(%[[USE:[^ ]*]] = %c0, {{.*}}, %[[LAST_LIVE:[^ ]*]] = %[[LIVE]], %[[LAST:[^ ]*]] = %[[FIRST]])
  // CHECK: %[[NEW:.*]]:2 = scf.if %[[LAST_LIVE]]
  // CHECK: carousel.ring.produce %[[RING]][%[[USE]]] :
  // CHECK: carousel.ring.load %{{.*}}[%[[LAST]]]
  // CHECK: %[[TICKET:.*]] = carousel.grid.ticket %[[COUNTER]]
  // CHECK: %[[IS_LIVE:.*]] = arith.cmpi ult, %[[TICKET]], %[[N]]
  // CHECK: scf.yield %[[IS_LIVE]], %[[TICKET]]
  // CHECK: scf.yield %{{.*}}, %[[LAST_LIVE]], %[[LAST]], %[[NEW]]#0, %[[NEW]]#1 :
  // CHECK: scf.while
  // CHECK: ^bb0(%[[NOW:[^ ]*]]: index, %{{[^ ]*}}: i1, %{{[^ ]*}}: index, %[[AHEAD_LIVE:[^ ]*]]: i1, %[[AHEAD:[^ ]*]]: index, %[[K:[^ ]*]]: index):
  // CHECK: scf.if %[[AHEAD_LIVE]] {
  // CHECK: %[[LATER:.*]] = arith.addi %[[K]], %c2
  // CHECK: carousel.ring.produce %[[RING]][%[[LATER]]] :
  // CHECK: carousel.ring.load %{{.*}}[%[[AHEAD]]]
  // CHECK: scf.if %[[AHEAD_LIVE]] ->
  // CHECK: carousel.grid.ticket %[[COUNTER]]
  // CHECK: carousel.ring.wait %[[RING]][%[[K]]]
  // CHECK: carousel.ring.release %[[RING]][%[[K]]]
  // CHECK: memref.store %{{.*}}, %{{.*}}[%[[NOW]]]
  // CHECK-NOT: carousel.grid.ticket
  // CHECK: gpu.return
  gpu.func @tickets(%x: !global, %y: !global, %counter: !counter, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %thread = gpu.thread_id x
    %t = memref.alloc() : !tile
    %first = carousel.grid.ticket %counter[%c0] of %n : !counter
    // expected-remark @below {{loads ringed: 1, stages 3, prefetch 2}}
    scf.while (%i = %first) : (index) -> index {
      %exists = arith.cmpi ult, %i, %n : index
      scf.condition(%exists) %i : index
    } do {
    ^bb0(%i: index):
      carousel.load %x[%i] to %t engine<bulk> : !global, !tile
      %v = memref.load %t[%thread] : !tile
      memref.store %v, %y[%i] : !global
      %next = carousel.grid.ticket %counter[%c0] of %n : !counter
      scf.yield %next : index
    } attributes {carousel.pipeline = #carousel.pipeline<stages = 3, prefetch = 2>}
    gpu.return
  }

  // The sum isn't part of the state. The loop's results are those of the last iteration.
  // CHECK-LABEL: gpu.func @results
  // CHECK: %[[END:.*]]:{{[0-9]*}} = scf.while
  // CHECK: arith.index_cast %[[END]]#
  gpu.func @results(%x: !global, %y: !global, %n: index, %m: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %thread = gpu.thread_id x
    %t = memref.alloc() : !tile
    // expected-remark @below {{loads ringed: 1, stages 4, prefetch 2}}
    %end:2 = scf.while (%sum = %zero, %i = %c0) : (f32, index) -> (f32, index) {
      %exists = arith.cmpi ult, %i, %n : index
      scf.condition(%exists) %sum, %i : f32, index
    } do {
    ^bb0(%sum: f32, %i: index):
      carousel.load %x[%i] to %t engine<bulk> : !global, !tile
      %v = memref.load %t[%thread] : !tile
      %added = arith.addf %sum, %v : f32
      %next = arith.addi %i, %m : index
      scf.yield %added, %next : f32, index
    } attributes {carousel.pipeline = #carousel.pipeline<stages = 4>}
    %last = arith.index_cast %end#1 : index to i64
    %last_f32 = arith.sitofp %last : i64 to f32
    %r = arith.addf %end#0, %last_f32 : f32
    memref.store %r, %y[%thread] : !global
    gpu.return
  }

  // One slot: the loads stay in their iteration, and the loop carries no states.
  // CHECK-LABEL: gpu.func @one_stage
  // CHECK: scf.while (%{{.*}}, %{{[^ ]*}} = %{{[^ ]*}}, %{{[^ ]*}} = %{{[^ ]*}}) :
  // CHECK: carousel.ring.produce
  // CHECK: carousel.ring.wait
  // CHECK: carousel.grid.ticket
  gpu.func @one_stage(%x: !global, %y: !global, %counter: !counter, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %thread = gpu.thread_id x
    %t = memref.alloc() : !tile
    // expected-remark @below {{loads ringed: 1, stages 1, prefetch 0}}
    %end = scf.while : () -> index {
      %i = carousel.grid.ticket %counter[%c0] of %n : !counter
      %exists = arith.cmpi ult, %i, %n : index
      scf.condition(%exists) %i : index
    } do {
    ^bb0(%i: index):
      carousel.load %x[%i] to %t engine<bulk> : !global, !tile
      %v = memref.load %t[%thread] : !tile
      memref.store %v, %y[%i] : !global
      scf.yield
    } attributes {carousel.pipeline = #carousel.pipeline<stages = 1>}
    gpu.return
  }

  // One thread draws by an atomic, and the others get the number through shared memory.
  // CHECK-LABEL: gpu.func @drawn_by_hand
  gpu.func @drawn_by_hand(%x: !global, %y: !global, %counter: !counter, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : i32
    %thread = gpu.thread_id x
    %leads = arith.cmpi eq, %thread, %c0 : index
    %t = memref.alloc() : !tile
    %number = memref.alloc() : memref<1xi32, #ws>
    // expected-remark @below {{loads ringed: 1, stages 4, prefetch 0}}
    // expected-remark @below {{prefetch 0 instead of 2: the next iteration depends on 'memref.load', which can't be executed ahead}}
    %end = scf.while (%i = %c0) : (index) -> index {
      %exists = arith.cmpi ult, %i, %n : index
      scf.condition(%exists) %i : index
    } do {
    ^bb0(%i: index):
      carousel.load %x[%i] to %t engine<bulk> : !global, !tile
      %v = memref.load %t[%thread] : !tile
      memref.store %v, %y[%i] : !global
      scf.if %leads {
        %drawn = memref.atomic_rmw addi %one, %counter[%c0] : (i32, !counter) -> i32
        memref.store %drawn, %number[%c0] : memref<1xi32, #ws>
      }
      gpu.barrier
      %drawn = memref.load %number[%c0] : memref<1xi32, #ws>
      gpu.barrier
      %next = arith.index_cast %drawn : i32 to index
      scf.yield %next : index
    } attributes {carousel.pipeline = #carousel.pipeline<stages = 4>}
    gpu.return
  }

  // The next iteration's ticket is stored in this iteration.
  // CHECK-LABEL: gpu.func @ticket_used
  gpu.func @ticket_used(%x: !global, %y: !global, %counter: !counter, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %thread = gpu.thread_id x
    %t = memref.alloc() : !tile
    // expected-remark @below {{loads ringed: 1, stages 4, prefetch 0}}
    // expected-remark @below {{the ticket of the next iteration is used by 'memref.store' in the iteration that draws it}}
    %end = scf.while (%i = %c0) : (index) -> index {
      %exists = arith.cmpi ult, %i, %n : index
      scf.condition(%exists) %i : index
    } do {
    ^bb0(%i: index):
      carousel.load %x[%i] to %t engine<bulk> : !global, !tile
      %v = memref.load %t[%thread] : !tile
      %next = carousel.grid.ticket %counter[%c0] of %n : !counter
      memref.store %v, %y[%next] : !global
      scf.yield %next : index
    } attributes {carousel.pipeline = #carousel.pipeline<stages = 4>}
    gpu.return
  }

  // A release fence publishes what the iteration has stored, with the ticket.
  // CHECK-LABEL: gpu.func @fenced
  gpu.func @fenced(%x: !global, %y: !global, %counter: !counter, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %thread = gpu.thread_id x
    %t = memref.alloc() : !tile
    // expected-remark @below {{loads ringed: 1, stages 4, prefetch 0}}
    // expected-remark @below {{the loop has 'carousel.fence.thread', which may order the ticket with other accesses}}
    %end = scf.while (%i = %c0) : (index) -> index {
      %exists = arith.cmpi ult, %i, %n : index
      scf.condition(%exists) %i : index
    } do {
    ^bb0(%i: index):
      carousel.load %x[%i] to %t engine<bulk> : !global, !tile
      %v = memref.load %t[%thread] : !tile
      memref.store %v, %y[%i] : !global
      gpu.barrier
      carousel.fence.thread release gpu
      %next = carousel.grid.ticket %counter[%c0] of %n : !counter
      scf.yield %next : index
    } attributes {carousel.pipeline = #carousel.pipeline<stages = 4>}
    gpu.return
  }

  // CHECK-LABEL: gpu.func @counter_read
  gpu.func @counter_read(%x: !global, %y: !global, %counter: !counter, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %thread = gpu.thread_id x
    %t = memref.alloc() : !tile
    // expected-remark @below {{loads ringed: 1, stages 4, prefetch 0}}
    // expected-remark @below {{the loop accesses the ticket's counter by 'memref.load'}}
    %end = scf.while (%i = %c0) : (index) -> index {
      %exists = arith.cmpi ult, %i, %n : index
      scf.condition(%exists) %i : index
    } do {
    ^bb0(%i: index):
      carousel.load %x[%i] to %t engine<bulk> : !global, !tile
      %v = memref.load %t[%thread] : !tile
      %drawn = memref.load %counter[%c0] : !counter
      %w = arith.sitofp %drawn : i32 to f32
      %r = arith.addf %v, %w : f32
      memref.store %r, %y[%i] : !global
      %next = carousel.grid.ticket %counter[%c0] of %n : !counter
      scf.yield %next : index
    } attributes {carousel.pipeline = #carousel.pipeline<stages = 4>}
    gpu.return
  }

  // Roles, and a peeled epilogue.
  // CHECK-LABEL: gpu.func @requests
  // CHECK-NOT: carousel.ring.roles
  // CHECK-NOT: scf.while
  // CHECK: scf.while
  // CHECK-NOT: scf.while
  // CHECK: gpu.return
  gpu.func @requests(%x: !global, %y: !global, %counter: !counter, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %thread = gpu.thread_id x
    %t = memref.alloc() : !tile
    // expected-remark @below {{loads ringed: 1, stages 4, prefetch 2}}
    // expected-remark @below {{unified instead of specialized: the kernel has a pipelined 'scf.while'}}
    // expected-remark @below {{no peeled epilogue: the loop is an scf.while}}
    %end = scf.while (%i = %c0) : (index) -> index {
      %exists = arith.cmpi ult, %i, %n : index
      scf.condition(%exists) %i : index
    } do {
    ^bb0(%i: index):
      carousel.load %x[%i] to %t engine<bulk> : !global, !tile
      %v = memref.load %t[%thread] : !tile
      memref.store %v, %y[%i] : !global
      %next = carousel.grid.ticket %counter[%c0] of %n : !counter
      scf.yield %next : index
    } attributes {carousel.pipeline = #carousel.pipeline<stages = 4, mode = specialized, epilogue = peeled>}
    gpu.return
  }

  // The condition can't be copied.
  // CHECK-LABEL: gpu.func @condition
  // CHECK-NOT: carousel.pipeline
  // CHECK: scf.while
  // CHECK: memref.store
  // CHECK: scf.condition
  // CHECK: carousel.ring.produce
  // CHECK-NEXT: carousel.ring.load
  gpu.func @condition(%x: !global, %y: !global, %counter: !counter, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    %thread = gpu.thread_id x
    %t = memref.alloc() : !tile
    // expected-remark @below {{no rings: the loop's condition has 'memref.store', which isn't a computation, a read or a ticket}}
    %end = scf.while (%i = %c0) : (index) -> index {
      %exists = arith.cmpi ult, %i, %n : index
      memref.store %zero, %y[%i] : !global
      scf.condition(%exists) %i : index
    } do {
    ^bb0(%i: index):
      carousel.load %x[%i] to %t engine<bulk> : !global, !tile
      %v = memref.load %t[%thread] : !tile
      memref.store %v, %y[%i] : !global
      %next = arith.addi %i, %c1 : index
      scf.yield %next : index
    } attributes {carousel.pipeline = #carousel.pipeline<stages = 4>}
    gpu.return
  }
}
