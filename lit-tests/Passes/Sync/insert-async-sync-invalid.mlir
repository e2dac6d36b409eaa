// Errors of carousel-insert-async-sync.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-insert-async-sync))' --split-input-file --verify-diagnostics

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>
!g = memref<?xf32, #gl>
!t = memref<1024xf32, #ws>

// C170: one warp lets other CTAs go on, and only it knows of its store.
gpu.module @kernels {
  gpu.func @release_under_branch(%y: !g, %i: index, %s: memref<1xi32, #gl>, %turn: i32)
      workgroup(%a: !t) kernel {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %t = gpu.thread_id x
    %first = arith.cmpi ult, %t, %c32 : index
    scf.if %first {
      // expected-note @below {{the other access}}
      carousel.ring.submit scope(warp) {
        carousel.ring.store %a to %y[%i] scope(warp) engine<bulk> : !t, !g
      }
      // expected-error-re @below {{expected all threads of the cta to pass after the other access to {{.+}}, got both under 'scf.if'}}
      carousel.grid.serial_release %s[%c0], %turn : memref<1xi32, #gl>
    }
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>
!g = memref<?xf32, #gl>
!t = memref<1024xf32, #ws>

// C171: producers load what consumers read, again and again, and nobody hands it back.
gpu.module @kernels {
  gpu.func @roles_without_protocol(%x: !g, %y: !g, %n: index) workgroup(%a: !t) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %r = carousel.ring.create : !carousel.ring<1>
    %t = gpu.thread_id x
    carousel.ring.roles producer threads(32) {
      scf.for %k = %c0 to %n step %c1 {
        // expected-note @below {{the other access}}
        carousel.ring.produce %r[%k] : !carousel.ring<1> {
          carousel.ring.load %x[%k] to %a engine<bulk> : !g, !t
        }
      }
    } consumer threads(256) {
      scf.for %k = %c0 to %n step %c1 {
        carousel.ring.wait %r[%k] : !carousel.ring<1>
        // expected-error @below {{expected a ring between the roles' accesses to}}
        %v = memref.load %a[%t] : !t
        memref.store %v, %y[%t] : !g
      }
    }
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>
!g = memref<?xf32, #gl>
!t = memref<1024xf32, #ws>

// C171: consumers write what producers read.
gpu.module @kernels {
  gpu.func @roles_by_hand(%y: !g, %n: index, %v: f32) workgroup(%a: !t) kernel {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    carousel.ring.roles producer threads(32) {
      // expected-note @below {{the other access}}
      %w = memref.load %a[%c0] : !t
      memref.store %w, %y[%c0] : !g
    } consumer threads(256) {
      // expected-error @below {{expected a ring between the roles' accesses to}}
      memref.store %v, %a[%t] : !t
    }
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>
!g = memref<?xf32, #gl>
!t = memref<1024xf32, #ws>

// C172: a store of the CTA in a group of a warp, and a load of a warp in a ring of the CTA.
gpu.module @kernels {
  gpu.func @store_scope(%y: !g, %i: index) workgroup(%a: !t) kernel {
    carousel.ring.submit scope(warp) {
      // expected-error @below {{expected scope warp as in what starts the transfer, got cta}}
      carousel.ring.store %a to %y[%i] engine<bulk> : !t, !g
    }
    gpu.return
  }
  gpu.func @load_scope(%x: !g, %i: index, %k: index) workgroup(%a: !t) kernel {
    %r = carousel.ring.create : !carousel.ring<1>
    carousel.ring.produce %r[%k] : !carousel.ring<1> {
      // expected-error @below {{expected scope cta as in what starts the transfer, got warp}}
      carousel.ring.load %x[%i] to %a scope(warp) engine<bulk> : !g, !t
    }
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>
!g = memref<?xf32, #gl>
!t = memref<1024xf32, #ws>

// C173: branches of the cf dialect.
gpu.module @kernels {
  gpu.func @blocks(%y: !g, %i: index, %c: i1) workgroup(%a: !t) kernel {
    cf.cond_br %c, ^then, ^end
  ^then:
    // expected-error @below {{expected structured control flow around ops of the ring phase, got a region of 3 blocks}}
    carousel.ring.submit {
      carousel.ring.store %a to %y[%i] engine<bulk> : !t, !g
    }
    cf.br ^end
  ^end:
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>
!g = memref<?xf32, #gl>
!t = memref<1024xf32, #ws>
!s = memref<?xi32, #gl>

// C184: each warp stores, and the CTA's first thread would pass the turn on.
gpu.module @kernels {
  gpu.func @warps_in_turn(%y: !g, %s: !s, %i: index, %turn: index, %n: index) workgroup(%a: !t) kernel {
    // expected-note @below {{the turn}}
    carousel.serialize %s[%i] turn %turn of %n (%first, %last) {
      scf.if %first {
        carousel.ring.submit scope(warp) {
          // expected-error @below {{expected scope cta in carousel.serialize, whose turn the CTA's issuing thread passes on, got warp}}
          carousel.ring.store %a to %y[%i] scope(warp) engine<bulk> : !t, !g
        }
      }
    } : !s
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>
!g = memref<?xf32, #gl>
!t = memref<1024xf32, #ws>
!s = memref<?xi32, #gl>

// C184: a load of a warpgroup.
gpu.module @kernels {
  gpu.func @warpgroup_in_turn(%x: !g, %s: !s, %i: index, %turn: index, %n: index) workgroup(%a: !t) kernel {
    %r = carousel.ring.create scope(warpgroup) : !carousel.ring<1>
    // expected-note @below {{the turn}}
    carousel.serialize %s[%i] turn %turn of %n (%first, %last) {
      carousel.ring.produce %r[%i] : !carousel.ring<1> {
        // expected-error @below {{expected scope cta in carousel.serialize, whose turn the CTA's issuing thread passes on, got warpgroup}}
        carousel.ring.load %x[%i] to %a scope(warpgroup) engine<bulk> : !g, !t
      }
    } : !s
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>
!g = memref<?xf32, #gl>
!t = memref<1024xf32, #ws>

// C170: a semaphore of the kernel's own in a loop that threads leave one after the other.
gpu.module @kernels {
  gpu.func @release_under_loop(%y: !g, %i: index, %s: memref<1xi32, #gl>, %turn: i32, %n: index)
      workgroup(%a: !t) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    scf.for %k = %t to %n step %c1 {
      // expected-note @below {{the other access}}
      carousel.ring.submit scope(warp) {
        carousel.ring.store %a to %y[%i] scope(warp) engine<bulk> : !t, !g
      }
      // expected-error-re @below {{expected all threads of the cta to pass after the other access to {{.+}}, got both under 'scf.for'}}
      carousel.grid.serial_release %s[%c0], %turn : memref<1xi32, #gl>
    }
    gpu.return
  }
}
