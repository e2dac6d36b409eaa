// Synchronisation inserted for turns with other work around them: earlier groups, later reads and
// releases, rings, roles, tickets and callees. Nothing else is inserted.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-insert-async-sync))' | FileCheck %s --implicit-check-not=carousel.ring.sync --implicit-check-not=carousel.ring.wait_stores --implicit-check-not=carousel.fence
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-insert-async-sync))' -o %t.once
// RUN: carousel-opt %t.once --pass-pipeline='builtin.module(gpu.module(carousel-insert-async-sync))' -o %t.twice
// RUN: diff %t.once %t.twice

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>
!g = memref<?xf32, #gl>
!t = memref<1024xf32, #ws>
!s = memref<?xi32, #gl>
!r = !carousel.ring<1>
!slots = !carousel.ring<2 x !t>

gpu.module @kernels {

// A group of before the turn isn't waited for at its end...
// CHECK-LABEL: gpu.func @older_group(
// CHECK: carousel.ring.submit
// CHECK-NEXT: carousel.ring.store
// CHECK-NEXT: }
// CHECK-NEXT: carousel.serialize
// CHECK-NEXT: carousel.ring.sync
// CHECK-NEXT: memref.load
// CHECK-NEXT: memref.store
// CHECK-NEXT: carousel.ring.sync
// CHECK-NEXT: }
// CHECK-NEXT: carousel.ring.wait_stores read 0
// CHECK-NEXT: gpu.return
gpu.func @older_group(%y: !g, %z: !g, %s: !s, %i: index, %turn: index, %n: index) workgroup(%a: !t, %b: !t) kernel {
  %t = gpu.thread_id x
  carousel.ring.submit {
    carousel.ring.store %b to %z[%i] in_bounds engine<bulk> : !t, !g
  }
  carousel.serialize %s[%i] turn %turn of %n (%first, %last) {
    %w = memref.load %y[%t] : !g
    memref.store %w, %y[%t] : !g
  } : !s
  gpu.return
}

// ... unless one of the turn is: groups are complete in their order.
// CHECK-LABEL: gpu.func @older_and_own(
// CHECK: carousel.ring.submit
// CHECK-NEXT: carousel.ring.store
// CHECK-NEXT: }
// CHECK-NEXT: carousel.serialize
// CHECK-NEXT: carousel.fence.proxy async_global
// CHECK-NEXT: carousel.ring.submit
// CHECK-NEXT: carousel.ring.store
// CHECK-NEXT: }
// CHECK-NEXT: carousel.ring.wait_stores complete 0
// CHECK-NEXT: }
// CHECK-NEXT: gpu.return
gpu.func @older_and_own(%y: !g, %z: !g, %s: !s, %i: index, %turn: index, %n: index) workgroup(%a: !t, %b: !t) kernel {
  carousel.ring.submit {
    carousel.ring.store %b to %z[%i] in_bounds engine<bulk> : !t, !g
  }
  carousel.serialize %s[%i] turn %turn of %n (%first, %last) {
    carousel.ring.submit {
      carousel.ring.store %a to %y[%i] in_bounds engine<bulk> : !t, !g
    }
  } : !s
  gpu.return
}

// raw: threads read behind the turn what was reduced in it and in those before.
// CHECK-LABEL: gpu.func @behind(
// CHECK: carousel.serialize
// CHECK-NEXT: carousel.fence.proxy async_global
// CHECK-NEXT: carousel.ring.submit
// CHECK-NEXT: carousel.ring.store
// CHECK-NEXT: }
// CHECK-NEXT: carousel.ring.wait_stores complete 0
// CHECK-NEXT: carousel.pass_turn
// CHECK-NEXT: }
// CHECK-NEXT: scf.if
// CHECK-NEXT: carousel.ring.sync
// CHECK-NEXT: memref.load
// CHECK-NEXT: memref.store
// CHECK-NEXT: }
// CHECK-NEXT: gpu.return
gpu.func @behind(%y: !g, %z: !g, %s: !s, %i: index, %turn: index, %n: index, %v: f32) workgroup(%a: !t) kernel {
  %t = gpu.thread_id x
  %l = carousel.serialize %s[%i] turn %turn of %n (%first, %last) {
    carousel.ring.submit {
      carousel.ring.store %a to %y[%i] in_bounds reduce<add f32> exclusive engine<bulk> : !t, !g
    }
    carousel.pass_turn %last : i1
  } : !s -> i1
  scf.if %l {
    %w = memref.load %y[%t] : !g
    memref.store %w, %z[%t] : !g
  }
  gpu.return
}

// raw: an engine does. The fence covers what these threads wrote and what others did.
// CHECK-LABEL: gpu.func @behind_by_engine(
// CHECK: carousel.serialize
// CHECK-NEXT: carousel.ring.sync
// CHECK-NEXT: memref.load
// CHECK-NEXT: arith.addf
// CHECK-NEXT: memref.store
// CHECK-NEXT: carousel.fence.proxy async_global
// CHECK-NEXT: carousel.ring.sync
// CHECK-NEXT: }
// CHECK-NEXT: carousel.ring.produce
// CHECK-NEXT: carousel.ring.load
// CHECK-NEXT: }
// CHECK-NEXT: carousel.ring.wait
// CHECK-NEXT: gpu.return
gpu.func @behind_by_engine(%y: !g, %z: !g, %s: !s, %i: index, %k: index, %turn: index, %n: index, %v: f32) workgroup(%a: !t, %b: !t) kernel {
  %r = carousel.ring.create : !r
  %t = gpu.thread_id x
  carousel.serialize %s[%i] turn %turn of %n (%first, %last) {
    %w = memref.load %y[%t] : !g
    %u = arith.addf %w, %v : f32
    memref.store %u, %y[%t] : !g
  } : !s
  carousel.ring.produce %r[%k] : !r {
    carousel.ring.load %y[%i] to %b engine<bulk> : !g, !t
  }
  carousel.ring.wait %r[%k] : !r
  gpu.return
}

// Any thread may release a semaphore of the kernel's own, so all have to know that the turn's writes are complete.
// CHECK-LABEL: gpu.func @release_behind(
// CHECK: carousel.serialize
// CHECK-NEXT: carousel.fence.proxy async_global
// CHECK-NEXT: carousel.ring.submit
// CHECK-NEXT: carousel.ring.store
// CHECK-NEXT: }
// CHECK-NEXT: carousel.ring.wait_stores complete 0
// CHECK-NEXT: }
// CHECK-NEXT: carousel.ring.sync
// CHECK-NEXT: scf.if
// CHECK-NEXT: carousel.grid.serial_release
// CHECK-NEXT: }
// CHECK-NEXT: gpu.return
gpu.func @release_behind(%y: !g, %s: !s, %q: !s, %i: index, %turn: index, %n: index, %one: i32) workgroup(%a: !t) kernel {
  %c0 = arith.constant 0 : index
  %t = gpu.thread_id x
  %leads = arith.cmpi eq, %t, %c0 : index
  carousel.serialize %s[%i] turn %turn of %n (%first, %last) {
    carousel.ring.submit {
      carousel.ring.store %a to %y[%i] in_bounds engine<bulk> : !t, !g
    }
  } : !s
  scf.if %leads {
    carousel.grid.serial_release %q[%i], %one : !s
  }
  gpu.return
}

// war: the tile of the turn before has been read when the turn ends, and the ticket tells all threads.
// CHECK-LABEL: gpu.func @persistent(
// CHECK: scf.for
// CHECK-NEXT: %{{.+}} = carousel.grid.ticket
// CHECK-NEXT: memref.store
// CHECK-NEXT: carousel.fence.proxy async_shared_cta
// CHECK-NEXT: carousel.ring.sync
// CHECK-NEXT: carousel.serialize
// CHECK-NEXT: carousel.fence.proxy async_global
// CHECK-NEXT: carousel.ring.submit
// CHECK-NEXT: carousel.ring.store
// CHECK-NEXT: }
// CHECK-NEXT: carousel.ring.wait_stores complete 0
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: gpu.return
gpu.func @persistent(%x: !g, %y: !g, %s: !s, %c: !s, %n: index, %v: f32) workgroup(%a: !t) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = gpu.thread_id x
  scf.for %w = %c0 to %n step %c1 {
    %ticket = carousel.grid.ticket %c[%c0] of %n : !s
    memref.store %v, %a[%t] : !t
    carousel.serialize %s[%c0] turn %ticket of %n (%first, %last) {
      carousel.ring.submit {
        carousel.ring.store %a to %y[%c0] in_bounds reduce<add f32> exclusive engine<bulk> : !t, !g
      }
    } : !s
  }
  gpu.return
}

// A ring of stores beside turns of threads: its groups are no concern of the turns, and need no fence for their memory.
// CHECK-LABEL: gpu.func @store_ring(
// CHECK: scf.for
// CHECK-NEXT: carousel.ring.tile
// CHECK-NEXT: carousel.ring.wait_stores read 0
// CHECK-NEXT: carousel.ring.sync
// CHECK-NEXT: memref.store
// CHECK-NEXT: arith.muli
// CHECK-NEXT: carousel.fence.proxy async_shared_cta
// CHECK-NEXT: carousel.ring.sync
// CHECK-NEXT: carousel.ring.submit
// CHECK-NEXT: carousel.ring.store
// CHECK-NEXT: }
// CHECK-NEXT: carousel.serialize
// CHECK-NEXT: carousel.ring.sync
// CHECK-NEXT: memref.load
// CHECK-NEXT: arith.addf
// CHECK-NEXT: memref.store
// CHECK-NEXT: carousel.ring.sync
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: carousel.ring.wait_stores read 0
// CHECK-NEXT: gpu.return
gpu.func @store_ring(%x: !g, %y: !g, %z: !g, %s: !s, %turn: index, %n: index, %v: f32) workgroup(%a: !t) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1024 = arith.constant 1024 : index
  %t = gpu.thread_id x
  %r = carousel.ring.create : !slots
  scf.for %k = %c0 to %n step %c1 {
    %b = carousel.ring.tile %r[%k], 0 : !slots -> !t
    memref.store %v, %b[%t] : !t
    %o = arith.muli %k, %c1024 : index
    carousel.ring.submit {
      carousel.ring.store %b to %z[%o] in_bounds engine<bulk> : !t, !g
    }
    carousel.serialize %s[%k] turn %turn of %n (%first, %last) {
      %w = memref.load %y[%t] : !g
      %u = arith.addf %w, %v : f32
      memref.store %u, %y[%t] : !g
    } : !s
  }
  gpu.return
}

// A ticket is a barrier.
// CHECK-LABEL: gpu.func @ticket_meets(
// CHECK: memref.store
// CHECK-NEXT: carousel.fence.proxy async_shared_cta
// CHECK-NEXT: %{{.+}} = carousel.grid.ticket
// CHECK-NEXT: carousel.ring.submit
// CHECK-NEXT: carousel.ring.store
// CHECK-NEXT: }
// CHECK-NEXT: carousel.ring.wait_stores read 0
// CHECK-NEXT: gpu.return
gpu.func @ticket_meets(%y: !g, %c: !s, %i: index, %n: index, %v: f32) workgroup(%a: !t) kernel {
  %t = gpu.thread_id x
  memref.store %v, %a[%t] : !t
  %ticket = carousel.grid.ticket %c[%i] of %n : !s
  carousel.ring.submit {
    carousel.ring.store %a to %y[%ticket] in_bounds engine<bulk> : !t, !g
  }
  gpu.return
}

// In a role its own threads meet, and its own issuing thread takes the turn.
// CHECK-LABEL: gpu.func @roles(
// CHECK: consumer threads(256)
// CHECK: carousel.ring.release
// CHECK-NEXT: }
// CHECK-NEXT: carousel.fence.proxy async_shared_cta
// CHECK-NEXT: carousel.ring.sync
// CHECK-NEXT: carousel.serialize
// CHECK-NEXT: carousel.fence.proxy async_global
// CHECK-NEXT: carousel.ring.submit
// CHECK-NEXT: carousel.ring.store
// CHECK-NEXT: }
// CHECK-NEXT: carousel.ring.wait_stores complete 0
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: gpu.return
gpu.func @roles(%x: !g, %y: !g, %s: !s, %turn: index, %n: index) workgroup(%b: !t) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = carousel.ring.create : !slots
  %t = gpu.thread_id x
  carousel.ring.roles producer threads(32) {
    scf.for %k = %c0 to %n step %c1 {
      carousel.ring.produce %r[%k] : !slots {
        %a = carousel.ring.tile %r[%k], 0 : !slots -> !t
        carousel.ring.load %x[%k] to %a engine<bulk> : !g, !t
      }
    }
  } consumer threads(256) {
    scf.for %k = %c0 to %n step %c1 {
      carousel.ring.wait %r[%k] : !slots
      %a = carousel.ring.tile %r[%k], 0 : !slots -> !t
      %v = memref.load %a[%t] : !t
      memref.store %v, %b[%t] : !t
      carousel.ring.release %r[%k] : !slots
    }
    carousel.serialize %s[%c0] turn %turn of %n (%first, %last) {
      carousel.ring.submit {
        carousel.ring.store %b to %y[%c0] in_bounds reduce<add f32> exclusive engine<bulk> : !t, !g
      }
    } : !s
  }
  gpu.return
}

// A callee that orders threads may write anything, but what is handed on is written in turns.
// CHECK-LABEL: gpu.func @callee(
// CHECK: call @unknown
// CHECK-NEXT: carousel.serialize
// CHECK-NEXT: memref.load
// CHECK-NEXT: memref.store
// CHECK-NEXT: }
// CHECK-NEXT: gpu.return
// CHECK-LABEL: gpu.func @callee_in_turn(
// CHECK: carousel.serialize
// CHECK-NEXT: carousel.ring.sync
// CHECK-NEXT: func.call @unknown
// CHECK-NEXT: memref.load
// CHECK-NEXT: memref.store
// CHECK-NEXT: carousel.ring.sync
// CHECK-NEXT: }
// CHECK-NEXT: gpu.return
func.func private @unknown() {
  gpu.barrier
  return
}
gpu.func @callee(%y: !g, %s: !s, %i: index, %turn: index, %n: index) workgroup(%a: !t) kernel {
  %t = gpu.thread_id x
  func.call @unknown() : () -> ()
  carousel.serialize %s[%i] turn %turn of %n (%first, %last) {
    %w = memref.load %y[%t] : !g
    memref.store %w, %a[%t] : !t
  } : !s
  gpu.return
}

gpu.func @callee_in_turn(%y: !g, %s: !s, %i: index, %turn: index, %n: index) workgroup(%a: !t) kernel {
  %t = gpu.thread_id x
  carousel.serialize %s[%i] turn %turn of %n (%first, %last) {
    func.call @unknown() : () -> ()
    %w = memref.load %y[%t] : !g
    memref.store %w, %a[%t] : !t
  } : !s
  gpu.return
}

// A callee that only computes is no access, so nothing is fenced for it, and the loop around it needs nothing.
// CHECK-LABEL: gpu.func @callee_of_values(
// CHECK: scf.for
// CHECK-NEXT: func.call @value
// CHECK-NEXT: memref.store
// CHECK-NEXT: }
// CHECK-NEXT: carousel.fence.proxy async_shared_cta
// CHECK-NEXT: carousel.ring.sync
// CHECK-NEXT: carousel.serialize
// CHECK-NEXT: carousel.fence.proxy async_global
// CHECK-NEXT: carousel.ring.submit
// CHECK-NEXT: carousel.ring.store
// CHECK-NEXT: }
// CHECK-NEXT: carousel.ring.wait_stores complete 0
// CHECK-NEXT: }
// CHECK-NEXT: gpu.return
func.func private @value(%i: index) -> f32 {
  %c2 = arith.constant 2 : index
  %is_small = arith.cmpi ult, %i, %c2 : index
  %v = scf.if %is_small -> f32 {
    %one = arith.constant 1.0 : f32
    scf.yield %one : f32
  } else {
    %two = arith.constant 2.0 : f32
    scf.yield %two : f32
  }
  return %v : f32
}

gpu.func @callee_of_values(%y: !g, %s: !s, %i: index, %turn: index, %n: index) workgroup(%a: !t) kernel {
  %c32 = arith.constant 32 : index
  %t = gpu.thread_id x
  scf.for %j = %t to %n step %c32 {
    %v = func.call @value(%j) : (index) -> f32
    memref.store %v, %a[%j] : !t
  }
  carousel.serialize %s[%i] turn %turn of %n (%first, %last) {
    carousel.ring.submit {
      carousel.ring.store %a to %y[%i] in_bounds reduce<add f32> exclusive engine<bulk> : !t, !g
    }
  } : !s
  gpu.return
}

}
