// Synchronisation inserted across loops and branches.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-insert-async-sync))' | FileCheck %s
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-insert-async-sync))' -o %t.once
// RUN: carousel-opt %t.once --pass-pipeline='builtin.module(gpu.module(carousel-insert-async-sync))' -o %t.twice
// RUN: diff %t.once %t.twice

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>
!g = memref<?xf32, #gl>
!t = memref<1024xf32, #ws>
!slots = !carousel.ring<2 x memref<1024xf32, #ws>>
!loads = !carousel.ring<4 x memref<1024xf32, #ws>>

gpu.module @kernels {

// One buffer, stored in each iteration: two barriers.
// CHECK-LABEL: gpu.func @loop_store
// CHECK: scf.for
// CHECK-NEXT: carousel.ring.wait_stores read 0
// CHECK-NEXT: carousel.ring.sync
// CHECK-NEXT: memref.store
// CHECK-NEXT: carousel.fence.proxy async_shared_cta
// CHECK-NEXT: carousel.ring.sync
// CHECK-NEXT: carousel.ring.submit
// CHECK-NEXT: carousel.ring.store
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: carousel.ring.wait_stores read 0
// CHECK-NEXT: gpu.return
gpu.func @loop_store(%y: !g, %n: index, %v: f32) workgroup(%a: !t) kernel {
  %c0 = arith.constant 0 : index
  %c1024 = arith.constant 1024 : index
  %t = gpu.thread_id x
  scf.for %i = %c0 to %n step %c1024 {
    memref.store %v, %a[%t] : !t
    carousel.ring.submit {
      carousel.ring.store %a to %y[%i] engine<bulk> : !t, !g
    }
  }
  gpu.return
}

// Slots of a ring of stores: what is there is enough, and all of it is needed.
// CHECK-LABEL: gpu.func @loop_ringed_store
// CHECK: scf.for
// CHECK: carousel.ring.tile
// CHECK-NEXT: memref.store
// CHECK-NEXT: carousel.ring.wait_stores read 0
// CHECK-NEXT: carousel.fence.proxy async_shared_cta
// CHECK-NEXT: carousel.ring.sync
// CHECK-NEXT: carousel.ring.submit
// CHECK-NOT: carousel.ring.sync
// CHECK: carousel.ring.wait_stores read 0
// CHECK-NEXT: gpu.return
gpu.func @loop_ringed_store(%y: !g, %n: index, %v: f32) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1024 = arith.constant 1024 : index
  %t = gpu.thread_id x
  %r = carousel.ring.create : !slots
  %end = scf.for %i = %c0 to %n step %c1024 iter_args(%k = %c0) -> (index) {
    %a = carousel.ring.tile %r[%k], 0 : !slots -> !t
    memref.store %v, %a[%t] : !t
    carousel.ring.wait_stores read 0
    carousel.ring.sync
    carousel.ring.submit {
      carousel.ring.store %a to %y[%i] engine<bulk> : !t, !g
    }
    %next = arith.addi %k, %c1 : index
    scf.yield %next : index
  }
  gpu.return
}

// The same in a persistent loop, whose inner loops hand on the use.
// CHECK-LABEL: gpu.func @persistent_ringed_store
// CHECK: scf.for
// CHECK-NEXT: scf.for
// CHECK: memref.store
// CHECK-NEXT: carousel.ring.wait_stores read 1
// CHECK-NEXT: carousel.fence.proxy async_shared_cta
// CHECK-NEXT: carousel.ring.sync
// CHECK-NEXT: carousel.ring.submit
// CHECK-NOT: carousel.ring.sync
// CHECK: carousel.ring.wait_stores read 0
// CHECK-NEXT: gpu.return
gpu.func @persistent_ringed_store(%y: memref<?x?xf32, #gl>, %rows: index, %n: index, %v: f32) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1024 = arith.constant 1024 : index
  %t = gpu.thread_id x
  %first = gpu.block_id x
  %step = gpu.grid_dim x
  %r = carousel.ring.create : !carousel.ring<3 x !t>
  %end = scf.for %row = %first to %rows step %step iter_args(%o = %c0) -> (index) {
    %last = scf.for %i = %c0 to %n step %c1024 iter_args(%k = %o) -> (index) {
      %a = carousel.ring.tile %r[%k], 0 : !carousel.ring<3 x !t> -> !t
      memref.store %v, %a[%t] : !t
      carousel.ring.wait_stores read 1
      carousel.ring.sync
      carousel.ring.submit {
        carousel.ring.store %a to %y[%row, %i] engine<bulk> : !t, memref<?x?xf32, #gl>
      }
      %next = arith.addi %k, %c1 : index
      scf.yield %next : index
    }
    scf.yield %last : index
  }
  gpu.return
}

// Without the store wait, a slot is written while it is read.
// CHECK-LABEL: gpu.func @loop_ringed_store_lacks_store_wait
// CHECK: carousel.ring.tile
// CHECK-NEXT: memref.store
// CHECK-NEXT: carousel.ring.wait_stores read 0
// CHECK-NEXT: carousel.fence.proxy async_shared_cta
// CHECK-NEXT: carousel.ring.sync
// CHECK-NEXT: carousel.ring.submit
gpu.func @loop_ringed_store_lacks_store_wait(%y: !g, %n: index, %v: f32) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1024 = arith.constant 1024 : index
  %t = gpu.thread_id x
  %r = carousel.ring.create : !slots
  %end = scf.for %i = %c0 to %n step %c1024 iter_args(%k = %c0) -> (index) {
    %a = carousel.ring.tile %r[%k], 0 : !slots -> !t
    memref.store %v, %a[%t] : !t
    carousel.ring.sync
    carousel.ring.submit {
      carousel.ring.store %a to %y[%i] engine<bulk> : !t, !g
    }
    %next = arith.addi %k, %c1 : index
    scf.yield %next : index
  }
  gpu.return
}

// Loads through a ring: the protocol orders reads with the next load; where a consumer wrote, it fences
// before it hands the slot back.
// CHECK-LABEL: gpu.func @ringed_load
// CHECK: carousel.ring.wait
// CHECK-NEXT: carousel.ring.tile
// CHECK-NEXT: memref.load
// CHECK-NEXT: memref.store
// CHECK-NEXT: carousel.ring.release
// CHECK: carousel.ring.wait
// CHECK: memref.store
// CHECK-NEXT: carousel.fence.proxy async_shared_cta
// CHECK-NEXT: carousel.ring.release
gpu.func @ringed_load(%x: !g, %y: !g, %n: index) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c1024 = arith.constant 1024 : index
  %c3072 = arith.constant 3072 : index
  %t = gpu.thread_id x
  %r = carousel.ring.create : !loads
  %mid = scf.for %i = %c0 to %n step %c1024 iter_args(%k = %c0) -> (index) {
    %ahead = arith.addi %i, %c3072 : index
    %use = arith.addi %k, %c3 : index
    carousel.ring.produce %r[%use] : !loads {
      %to = carousel.ring.tile %r[%use], 0 : !loads -> !t
      carousel.ring.load %x[%ahead] to %to engine<bulk> : !g, !t
    }
    carousel.ring.wait %r[%k] : !loads
    %a = carousel.ring.tile %r[%k], 0 : !loads -> !t
    %v = memref.load %a[%t] : !t
    memref.store %v, %y[%t] : !g
    carousel.ring.release %r[%k] : !loads
    %next = arith.addi %k, %c1 : index
    scf.yield %next : index
  }
  %end = scf.for %i = %c0 to %n step %c1024 iter_args(%k = %mid) -> (index) {
    %use = arith.addi %k, %c3 : index
    carousel.ring.produce %r[%use] : !loads {
      %to = carousel.ring.tile %r[%use], 0 : !loads -> !t
      carousel.ring.load %x[%i] to %to engine<bulk> : !g, !t
    }
    carousel.ring.wait %r[%k] : !loads
    %a = carousel.ring.tile %r[%k], 0 : !loads -> !t
    %v = arith.constant 1.0 : f32
    memref.store %v, %a[%t] : !t
    carousel.ring.release %r[%k] : !loads
    %next = arith.addi %k, %c1 : index
    scf.yield %next : index
  }
  gpu.return
}

// What was written to a slot in front of the ring's loop, nobody hands back.
// CHECK-LABEL: gpu.func @slot_before
// CHECK: memref.store
// CHECK-NEXT: carousel.fence.proxy async_shared_cta
// CHECK-NEXT: carousel.ring.sync
// CHECK-NEXT: scf.for
// CHECK-NOT: carousel.ring.sync
gpu.func @slot_before(%x: !g, %n: index, %v: f32) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c1024 = arith.constant 1024 : index
  %t = gpu.thread_id x
  %r = carousel.ring.create : !loads
  %last = carousel.ring.tile %r[%c3], 0 : !loads -> !t
  memref.store %v, %last[%t] : !t
  %end = scf.for %i = %c0 to %n step %c1024 iter_args(%k = %c0) -> (index) {
    %use = arith.addi %k, %c3 : index
    carousel.ring.produce %r[%use] : !loads {
      %to = carousel.ring.tile %r[%use], 0 : !loads -> !t
      carousel.ring.load %x[%i] to %to engine<bulk> : !g, !t
    }
    carousel.ring.wait %r[%k] : !loads
    carousel.ring.release %r[%k] : !loads
    %next = arith.addi %k, %c1 : index
    scf.yield %next : index
  }
  gpu.return
}

// In place: before a slot is filled, its store must have read it, one use of the ring later. The store wait is
// where the next load starts.
// CHECK-LABEL: gpu.func @in_place
// CHECK: scf.for
// CHECK: carousel.ring.wait_stores read 1
// CHECK-NEXT: carousel.ring.produce
// CHECK: carousel.ring.wait
// CHECK: memref.store
// CHECK-NEXT: carousel.fence.proxy async_shared_cta
// CHECK-NEXT: carousel.ring.sync
// CHECK-NEXT: carousel.ring.submit
// CHECK-NOT: carousel.ring.sync
// CHECK: carousel.ring.release
// CHECK: carousel.ring.wait_stores read 0
// CHECK-NEXT: gpu.return
gpu.func @in_place(%x: !g, %n: index, %v: f32) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c1024 = arith.constant 1024 : index
  %c2048 = arith.constant 2048 : index
  %t = gpu.thread_id x
  %r = carousel.ring.create : !loads
  %end = scf.for %i = %c0 to %n step %c1024 iter_args(%k = %c0) -> (index) {
    %ahead = arith.addi %i, %c2048 : index
    %use = arith.addi %k, %c2 : index
    carousel.ring.produce %r[%use] : !loads {
      %to = carousel.ring.tile %r[%use], 0 : !loads -> !t
      carousel.ring.load %x[%ahead] to %to engine<bulk> : !g, !t
    }
    carousel.ring.wait %r[%k] : !loads
    %a = carousel.ring.tile %r[%k], 0 : !loads -> !t
    memref.store %v, %a[%t] : !t
    carousel.ring.submit {
      carousel.ring.store %a to %x[%i] engine<bulk> : !t, !g
    }
    %before = arith.subi %k, %c1 : index
    carousel.ring.release %r[%before] : !loads
    %next = arith.addi %k, %c1 : index
    scf.yield %next : index
  }
  gpu.return
}

// Threads part at the branch: they meet in front of it. In the other branch they don't part.
// CHECK-LABEL: gpu.func @divergent_branch
// CHECK: carousel.ring.submit
// CHECK: carousel.ring.wait_stores read 0
// CHECK-NEXT: carousel.ring.sync
// CHECK-NEXT: scf.if
// CHECK-NEXT: memref.store
// CHECK: carousel.ring.submit
// CHECK: scf.if
// CHECK-NEXT: carousel.ring.wait_stores read 0
// CHECK-NEXT: carousel.ring.sync
// CHECK-NEXT: memref.store
gpu.func @divergent_branch(%y: !g, %i: index, %v: f32, %c: i1) workgroup(%a: !t) kernel {
  %c32 = arith.constant 32 : index
  %t = gpu.thread_id x
  %first = arith.cmpi ult, %t, %c32 : index
  carousel.ring.submit {
    carousel.ring.store %a to %y[%i] engine<bulk> : !t, !g
  }
  scf.if %first {
    memref.store %v, %a[%t] : !t
  }
  carousel.ring.submit {
    carousel.ring.store %a to %y[%i] engine<bulk> : !t, !g
  }
  scf.if %c {
    memref.store %v, %a[%t] : !t
  }
  gpu.return
}

// Neither do they meet in a loop again and again for what came before it.
// CHECK-LABEL: gpu.func @loop_of_writes
// CHECK: carousel.ring.wait_stores read 0
// CHECK-NEXT: carousel.ring.sync
// CHECK-NEXT: scf.for
// CHECK-NEXT: memref.store
gpu.func @loop_of_writes(%y: !g, %i: index, %v: f32) workgroup(%a: !t) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  carousel.ring.submit {
    carousel.ring.store %a to %y[%i] engine<bulk> : !t, !g
  }
  scf.for %j = %c0 to %c4 step %c1 {
    memref.store %v, %a[%j] : !t
  }
  gpu.return
}

// A load in a loop waits for the reads of the iteration before.
// CHECK-LABEL: gpu.func @loop_load
// CHECK: scf.for
// CHECK-NEXT: carousel.ring.sync
// CHECK-NEXT: carousel.ring.produce
// CHECK: memref.load
gpu.func @loop_load(%x: !g, %y: !g, %n: index) workgroup(%a: !t) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1024 = arith.constant 1024 : index
  %t = gpu.thread_id x
  %r = carousel.ring.create : !carousel.ring<1>
  %end = scf.for %i = %c0 to %n step %c1024 iter_args(%k = %c0) -> (index) {
    carousel.ring.produce %r[%k] : !carousel.ring<1> {
      carousel.ring.load %x[%i] to %a engine<bulk> : !g, !t
    }
    carousel.ring.wait %r[%k] : !carousel.ring<1>
    %v = memref.load %a[%t] : !t
    memref.store %v, %y[%t] : !g
    %next = arith.addi %k, %c1 : index
    scf.yield %next : index
  }
  gpu.return
}

// A copy: no thread touches the tile, yet all have to have seen that one load has landed before the next one
// does. A ring that hands slots back has that from its releases.
// CHECK-LABEL: gpu.func @loop_copy
// CHECK: scf.for
// CHECK-NEXT: carousel.ring.wait_stores read 0
// CHECK-NEXT: carousel.ring.sync
// CHECK-NEXT: carousel.ring.produce
// CHECK: carousel.ring.wait
// CHECK-NEXT: carousel.ring.submit
// CHECK: scf.for
// CHECK-NOT: carousel.ring.sync
// CHECK: carousel.ring.wait_stores read 0
// CHECK-NEXT: carousel.ring.produce
// CHECK-NOT: carousel.ring.sync
// CHECK: carousel.ring.release
gpu.func @loop_copy(%x: !g, %y: !g, %n: index) workgroup(%a: !t) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1024 = arith.constant 1024 : index
  %r = carousel.ring.create : !carousel.ring<1>
  %s = carousel.ring.create : !carousel.ring<1 x !t>
  %mid = scf.for %i = %c0 to %n step %c1024 iter_args(%k = %c0) -> (index) {
    carousel.ring.produce %r[%k] : !carousel.ring<1> {
      carousel.ring.load %x[%i] to %a engine<bulk> : !g, !t
    }
    carousel.ring.wait %r[%k] : !carousel.ring<1>
    carousel.ring.submit {
      carousel.ring.store %a to %y[%i] engine<bulk> : !t, !g
    }
    %next = arith.addi %k, %c1 : index
    scf.yield %next : index
  }
  %end = scf.for %i = %c0 to %n step %c1024 iter_args(%k = %c0) -> (index) {
    %b = carousel.ring.tile %s[%k], 0 : !carousel.ring<1 x !t> -> !t
    carousel.ring.produce %s[%k] : !carousel.ring<1 x !t> {
      carousel.ring.load %x[%i] to %b engine<bulk> : !g, !t
    }
    carousel.ring.wait %s[%k] : !carousel.ring<1 x !t>
    carousel.ring.submit {
      carousel.ring.store %b to %y[%i] engine<bulk> : !t, !g
    }
    carousel.ring.release %s[%k] : !carousel.ring<1 x !t>
    %next = arith.addi %k, %c1 : index
    scf.yield %next : index
  }
  gpu.return
}

// Roles: consumers have barriers of their own. Before the end they wait for their stores.
// CHECK-LABEL: gpu.func @roles
// CHECK: consumer
// CHECK: memref.store
// CHECK-NEXT: carousel.ring.wait_stores read 0
// CHECK-NEXT: carousel.fence.proxy async_shared_cta
// CHECK-NEXT: carousel.ring.sync
// CHECK-NEXT: carousel.ring.submit
// CHECK: carousel.ring.release
// CHECK: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: carousel.ring.wait_stores read 0
// CHECK-NEXT: }
// CHECK-NEXT: gpu.return
gpu.func @roles(%x: !g, %y: !g, %n: index, %v: f32) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1024 = arith.constant 1024 : index
  %t = gpu.thread_id x
  %r = carousel.ring.create : !loads
  %s = carousel.ring.create : !slots
  carousel.ring.roles producer threads(32) {
    %end = scf.for %i = %c0 to %n step %c1024 iter_args(%k = %c0) -> (index) {
      carousel.ring.produce %r[%k] : !loads {
        %to = carousel.ring.tile %r[%k], 0 : !loads -> !t
        carousel.ring.load %x[%i] to %to engine<bulk> : !g, !t
      }
      %next = arith.addi %k, %c1 : index
      scf.yield %next : index
    }
  } consumer threads(256) {
    %end = scf.for %i = %c0 to %n step %c1024 iter_args(%k = %c0) -> (index) {
      carousel.ring.wait %r[%k] : !loads
      %a = carousel.ring.tile %r[%k], 0 : !loads -> !t
      %b = carousel.ring.tile %s[%k], 0 : !slots -> !t
      %l = memref.load %a[%t] : !t
      memref.store %l, %b[%t] : !t
      carousel.ring.wait_stores read 0
      carousel.ring.sync
      carousel.ring.submit {
        carousel.ring.store %b to %y[%i] engine<bulk> : !t, !g
      }
      carousel.ring.release %r[%k] : !loads
      %next = arith.addi %k, %c1 : index
      scf.yield %next : index
    }
  }
  gpu.return
}

// In place, and filled by others: the slot is handed back when its store has read it. Of the two groups that are
// under way at that time the later one may go on.
// CHECK-LABEL: gpu.func @roles_in_place
// CHECK: consumer
// CHECK: carousel.ring.submit
// CHECK: arith.subi
// CHECK-NEXT: carousel.ring.wait_stores read 1
// CHECK-NEXT: carousel.ring.release
gpu.func @roles_in_place(%x: !g, %y: !g, %n: index) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1024 = arith.constant 1024 : index
  %r = carousel.ring.create : !loads
  carousel.ring.roles producer threads(32) {
    %end = scf.for %i = %c0 to %n step %c1024 iter_args(%k = %c0) -> (index) {
      carousel.ring.produce %r[%k] : !loads {
        %to = carousel.ring.tile %r[%k], 0 : !loads -> !t
        carousel.ring.load %x[%i] to %to engine<bulk> : !g, !t
      }
      %next = arith.addi %k, %c1 : index
      scf.yield %next : index
    }
  } consumer threads(256) {
    %end = scf.for %i = %c0 to %n step %c1024 iter_args(%k = %c0) -> (index) {
      carousel.ring.wait %r[%k] : !loads
      %a = carousel.ring.tile %r[%k], 0 : !loads -> !t
      carousel.ring.submit {
        carousel.ring.store %a to %y[%i] engine<bulk> : !t, !g
      }
      %before = arith.subi %k, %c1 : index
      carousel.ring.release %r[%before] : !loads
      %next = arith.addi %k, %c1 : index
      scf.yield %next : index
    }
  }
  gpu.return
}

// What all threads did before they took roles, they meet for before.
// CHECK-LABEL: gpu.func @before_roles
// CHECK: memref.store
// CHECK-NEXT: carousel.fence.proxy async_shared_cta
// CHECK-NEXT: carousel.ring.sync
// CHECK-NEXT: carousel.ring.roles
gpu.func @before_roles(%y: !g, %i: index, %v: f32) workgroup(%a: !t) kernel {
  %t = gpu.thread_id x
  memref.store %v, %a[%t] : !t
  carousel.ring.roles producer threads(32) {
  } consumer threads(256) {
    carousel.ring.submit {
      carousel.ring.store %a to %y[%i] engine<bulk> : !t, !g
    }
  }
  gpu.return
}

}
