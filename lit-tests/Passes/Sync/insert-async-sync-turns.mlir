// Synchronisation inserted for a turn: before it, as much as possible; after its start, the acquisition
// of other CTAs' writes; before its end, the completion of its own. Nothing else is inserted.
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

gpu.module @kernels {

// raw: the engine gets the tile before the turn. In the turn the issuing thread waits for what it has issued,
// without a barrier.
// CHECK-LABEL: gpu.func @tile_of_threads(
// CHECK: memref.store
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
gpu.func @tile_of_threads(%y: !g, %s: !s, %i: index, %turn: index, %n: index, %v: f32) workgroup(%a: !t) kernel {
  %t = gpu.thread_id x
  memref.store %v, %a[%t] : !t
  carousel.serialize %s[%i] turn %turn of %n (%first, %last) {
    carousel.ring.submit {
      carousel.ring.store %a to %y[%i] in_bounds reduce<add f32> exclusive engine<bulk> : !t, !g
    }
  } : !s
  gpu.return
}

// Either branch has its fence; what one of them has issued is waited for behind both.
// CHECK-LABEL: gpu.func @first_and_later(
// CHECK: memref.store
// CHECK-NEXT: carousel.fence.proxy async_shared_cta
// CHECK-NEXT: carousel.ring.sync
// CHECK-NEXT: carousel.serialize
// CHECK-NEXT: scf.if
// CHECK-NEXT: carousel.fence.proxy async_global
// CHECK-NEXT: carousel.ring.submit
// CHECK-NEXT: carousel.ring.store
// CHECK-NEXT: }
// CHECK-NEXT: } else {
// CHECK-NEXT: carousel.fence.proxy async_global
// CHECK-NEXT: carousel.ring.submit
// CHECK-NEXT: carousel.ring.store
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: carousel.ring.wait_stores complete 0
// CHECK-NEXT: }
// CHECK-NEXT: gpu.return
gpu.func @first_and_later(%y: !g, %s: !s, %i: index, %turn: index, %n: index, %v: f32) workgroup(%a: !t) kernel {
  %t = gpu.thread_id x
  memref.store %v, %a[%t] : !t
  carousel.serialize %s[%i] turn %turn of %n (%first, %last) {
    scf.if %first {
      carousel.ring.submit {
        carousel.ring.store %a to %y[%i] engine<bulk> : !t, !g
      }
    } else {
      carousel.ring.submit {
        carousel.ring.store %a to %y[%i] reduce<add f32> exclusive engine<bulk> : !t, !g
      }
    }
  } : !s
  gpu.return
}

// raw: the last turn loads what has been reduced, by the thread that issued the reductions. Who writes the box behind the
// turn hears of that by a barrier.
// CHECK-LABEL: gpu.func @read_back(
// CHECK: memref.store
// CHECK-NEXT: carousel.fence.proxy async_shared_cta
// CHECK-NEXT: carousel.ring.sync
// CHECK-NEXT: carousel.serialize
// CHECK-NEXT: carousel.fence.proxy async_global
// CHECK-NEXT: carousel.ring.submit
// CHECK-NEXT: carousel.ring.store
// CHECK-NEXT: }
// CHECK-NEXT: scf.if
// CHECK-NEXT: carousel.ring.wait_stores complete 0
// CHECK-NEXT: carousel.ring.produce
// CHECK-NEXT: carousel.ring.load
// CHECK-NEXT: }
// CHECK-NEXT: carousel.ring.wait
// CHECK-NEXT: }
// CHECK-NEXT: carousel.ring.wait_stores complete 0
// CHECK-NEXT: }
// CHECK-NEXT: memref.load
// CHECK-NEXT: carousel.ring.sync
// CHECK-NEXT: memref.store
// CHECK-NEXT: gpu.return
gpu.func @read_back(%y: !g, %s: !s, %i: index, %k: index, %turn: index, %n: index, %v: f32) workgroup(%a: !t) kernel {
  %r = carousel.ring.create : !r
  %t = gpu.thread_id x
  memref.store %v, %a[%t] : !t
  carousel.serialize %s[%i] turn %turn of %n (%first, %last) {
    carousel.ring.submit {
      carousel.ring.store %a to %y[%i] in_bounds reduce<add f32> exclusive engine<bulk> : !t, !g
    }
    scf.if %last {
      carousel.ring.produce %r[%k] : !r {
        carousel.ring.load %y[%i] to %a engine<bulk> : !g, !t
      }
      carousel.ring.wait %r[%k] : !r
    }
  } : !s
  %w = memref.load %a[%t] : !t
  memref.store %w, %y[%t] : !g
  gpu.return
}

// Threads that reduce meet behind the begin and before the end. The first barrier does for the tile as well.
// CHECK-LABEL: gpu.func @threads(
// CHECK: memref.store
// CHECK-NEXT: carousel.serialize
// CHECK-NEXT: carousel.ring.sync
// CHECK-NEXT: carousel.ring.submit
// CHECK-NEXT: carousel.ring.store
// CHECK-NEXT: }
// CHECK-NEXT: carousel.ring.sync
// CHECK-NEXT: }
// CHECK-NEXT: gpu.return
gpu.func @threads(%y: !g, %s: !s, %i: index, %turn: index, %n: index, %v: f32) workgroup(%a: !t) kernel {
  %t = gpu.thread_id x
  memref.store %v, %a[%t] : !t
  carousel.serialize %s[%i] turn %turn of %n (%first, %last) {
    carousel.ring.submit {
      carousel.ring.store %a to %y[%i] by_threads reduce<add f32> exclusive engine<vector, width = 4> : !t, !g
    }
  } : !s
  gpu.return
}

// Accesses of the kernel's own.
// CHECK-LABEL: gpu.func @ordinary(
// CHECK: carousel.serialize
// CHECK-NEXT: carousel.ring.sync
// CHECK-NEXT: memref.load
// CHECK-NEXT: arith.addf
// CHECK-NEXT: memref.store
// CHECK-NEXT: carousel.ring.sync
// CHECK-NEXT: }
// CHECK-NEXT: gpu.return
gpu.func @ordinary(%y: !g, %s: !s, %i: index, %turn: index, %n: index, %v: f32) kernel {
  %t = gpu.thread_id x
  carousel.serialize %s[%i] turn %turn of %n (%first, %last) {
    %w = memref.load %y[%t] : !g
    %u = arith.addf %w, %v : f32
    memref.store %u, %y[%t] : !g
  } : !s
  gpu.return
}

// Nobody writes in turns what is read in this one: nothing is handed on.
// CHECK-LABEL: gpu.func @not_written(
// CHECK: carousel.serialize
// CHECK-NEXT: carousel.ring.produce
// CHECK-NEXT: carousel.ring.load
// CHECK-NEXT: }
// CHECK-NEXT: carousel.ring.wait
// CHECK-NEXT: memref.load
// CHECK-NEXT: memref.store
// CHECK-NEXT: }
// CHECK-NEXT: gpu.return
gpu.func @not_written(%x: !g, %z: !g, %s: !s, %i: index, %k: index, %turn: index, %n: index) workgroup(%a: !t) kernel {
  %r = carousel.ring.create : !r
  %t = gpu.thread_id x
  carousel.serialize %s[%i] turn %turn of %n (%first, %last) {
    carousel.ring.produce %r[%k] : !r {
      carousel.ring.load %x[%i] to %a engine<bulk> : !g, !t
    }
    carousel.ring.wait %r[%k] : !r
    %w = memref.load %x[%t] : !g
    memref.store %w, %a[%t] : !t
  } : !s
  gpu.return
}

// One fence and one wait for two groups.
// CHECK-LABEL: gpu.func @two_groups(
// CHECK: carousel.serialize
// CHECK-NEXT: carousel.fence.proxy async_global
// CHECK-NEXT: carousel.ring.submit
// CHECK-NEXT: carousel.ring.store
// CHECK-NEXT: }
// CHECK-NEXT: carousel.ring.submit
// CHECK-NEXT: carousel.ring.store
// CHECK-NEXT: }
// CHECK-NEXT: carousel.ring.wait_stores complete 0
// CHECK-NEXT: }
// CHECK-NEXT: gpu.return
gpu.func @two_groups(%y: !g, %z: !g, %s: !s, %i: index, %turn: index, %n: index) workgroup(%a: !t, %b: !t) kernel {
  carousel.serialize %s[%i] turn %turn of %n (%first, %last) {
    carousel.ring.submit {
      carousel.ring.store %a to %y[%i] in_bounds engine<bulk> : !t, !g
    }
    carousel.ring.submit {
      carousel.ring.store %b to %z[%i] in_bounds engine<bulk> : !t, !g
    }
  } : !s
  gpu.return
}

// Each turn begins anew.
// CHECK-LABEL: gpu.func @two_turns(
// CHECK: carousel.serialize
// CHECK-NEXT: carousel.fence.proxy async_global
// CHECK-NEXT: carousel.ring.submit
// CHECK-NEXT: carousel.ring.store
// CHECK-NEXT: }
// CHECK-NEXT: carousel.ring.wait_stores complete 0
// CHECK-NEXT: }
// CHECK-NEXT: carousel.serialize
// CHECK-NEXT: carousel.fence.proxy async_global
// CHECK-NEXT: carousel.ring.submit
// CHECK-NEXT: carousel.ring.store
// CHECK-NEXT: }
// CHECK-NEXT: carousel.ring.wait_stores complete 0
// CHECK-NEXT: }
// CHECK-NEXT: gpu.return
gpu.func @two_turns(%y: !g, %s: !s, %i: index, %j: index, %turn: index, %n: index) workgroup(%a: !t) kernel {
  carousel.serialize %s[%i] turn %turn of %n (%first, %last) {
    carousel.ring.submit {
      carousel.ring.store %a to %y[%i] in_bounds engine<bulk> : !t, !g
    }
  } : !s
  carousel.serialize %s[%j] turn %turn of %n (%first, %last) {
    carousel.ring.submit {
      carousel.ring.store %a to %y[%i] in_bounds engine<bulk> : !t, !g
    }
  } : !s
  gpu.return
}

// raw: what is written to the tile in the turn is handed to the engine there.
// CHECK-LABEL: gpu.func @tile_in_turn(
// CHECK: carousel.serialize
// CHECK-NEXT: carousel.ring.sync
// CHECK-NEXT: memref.load
// CHECK-NEXT: memref.store
// CHECK-NEXT: carousel.fence.proxy async_shared_cta
// CHECK-NEXT: carousel.fence.proxy async_global
// CHECK-NEXT: carousel.ring.sync
// CHECK-NEXT: carousel.ring.submit
// CHECK-NEXT: carousel.ring.store
// CHECK-NEXT: }
// CHECK-NEXT: carousel.ring.wait_stores complete 0
// CHECK-NEXT: }
// CHECK-NEXT: gpu.return
gpu.func @tile_in_turn(%y: !g, %s: !s, %i: index, %turn: index, %n: index, %v: f32) workgroup(%a: !t) kernel {
  %t = gpu.thread_id x
  carousel.serialize %s[%i] turn %turn of %n (%first, %last) {
    %w = memref.load %y[%t] : !g
    memref.store %w, %a[%t] : !t
    carousel.ring.submit {
      carousel.ring.store %a to %y[%i] in_bounds engine<bulk> : !t, !g
    }
  } : !s
  gpu.return
}

// A turn that only some CTAs take, and a loop in it whose boxes overlap: one fence, and each reduction behind the one before.
// CHECK-LABEL: gpu.func @one_way(
// CHECK: scf.if
// CHECK-NEXT: carousel.serialize
// CHECK-NEXT: carousel.fence.proxy async_global
// CHECK-NEXT: scf.for
// CHECK-NEXT: carousel.ring.wait_stores complete 0
// CHECK-NEXT: carousel.ring.submit
// CHECK-NEXT: carousel.ring.store
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: carousel.ring.wait_stores complete 0
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: gpu.return
gpu.func @one_way(%y: !g, %s: !s, %i: index, %turn: index, %n: index, %c: i1) workgroup(%a: !t) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.if %c {
    carousel.serialize %s[%i] turn %turn of %n (%first, %last) {
      scf.for %j = %c0 to %n step %c1 {
        carousel.ring.submit {
          carousel.ring.store %a to %y[%j] in_bounds reduce<add f32> exclusive engine<bulk> : !t, !g
        }
      }
    } : !s
  }
  gpu.return
}

// A barrier of the kernel's own in the turn does for the tile.
// CHECK-LABEL: gpu.func @barrier_in_turn(
// CHECK: memref.store
// CHECK-NEXT: carousel.serialize
// CHECK-NEXT: carousel.fence.proxy async_shared_cta
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: carousel.fence.proxy async_global
// CHECK-NEXT: carousel.ring.submit
// CHECK-NEXT: carousel.ring.store
// CHECK-NEXT: }
// CHECK-NEXT: carousel.ring.wait_stores complete 0
// CHECK-NEXT: }
// CHECK-NEXT: gpu.return
gpu.func @barrier_in_turn(%y: !g, %s: !s, %i: index, %turn: index, %n: index, %v: f32) workgroup(%a: !t) kernel {
  %t = gpu.thread_id x
  memref.store %v, %a[%t] : !t
  carousel.serialize %s[%i] turn %turn of %n (%first, %last) {
    gpu.barrier
    carousel.ring.submit {
      carousel.ring.store %a to %y[%i] in_bounds reduce<add f32> exclusive engine<bulk> : !t, !g
    }
  } : !s
  gpu.return
}

}
