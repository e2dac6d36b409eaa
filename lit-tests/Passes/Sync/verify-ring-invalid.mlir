// Errors of carousel-verify-ring.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-verify-ring))' --split-input-file --verify-diagnostics

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C166: a transfer of the tile phase.
gpu.module @kernels {
  // DOC-EXAMPLE: --carousel-verify-ring
  gpu.func @transfer(%x: memref<?xf32, #gl>, %i: index) workgroup(%tile: memref<32xf32, #ws>) kernel {
    // expected-error @below {{expected ops of the ring phase, got a transfer of the tile phase}}
    carousel.load %x[%i] to %tile : memref<?xf32, #gl>, memref<32xf32, #ws>
    // expected-error @below {{expected ops of the ring phase, got a transfer of the tile phase}}
    carousel.store %tile to %x[%i] : memref<32xf32, #ws>, memref<?xf32, #gl>
    gpu.return
  }
}

// -----

// C166: a pipeline.
gpu.module @kernels {
  gpu.func @pipeline(%n: index) kernel {
    // expected-error @below {{expected no carousel.pipeline in the ring phase, got #carousel.pipeline<}}
    scf.for %i = %n to %n step %n {
    } {carousel.pipeline = #carousel.pipeline<>}
    gpu.return
  }
}

// -----

// C166: an op, and barriers, of the machine phase.
gpu.module @kernels {
  gpu.func @machine() kernel {
    // expected-error @below {{expected ops of the ring phase, got one of the machine phase}}
    carousel.bulk.commit_group
    // expected-error @below {{expected values of the ring phase, got 'memref<4x!carousel.mbarrier, #gpu.address_space<workgroup>>'}}
    %full = memref.alloc() : memref<4x!carousel.mbarrier, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

// C167: a ring in a device function.
gpu.module @kernels {
  func.func @device() {
    // expected-error @below {{expected a kernel around ops of the ring phase, got a device function}}
    %r = carousel.ring.create : !carousel.ring<2>
    return
  }
}

// -----

// C167: a ring in a loop.
gpu.module @kernels {
  gpu.func @ring_in_loop(%n: index) kernel {
    scf.for %i = %n to %n step %n {
      // expected-error @below {{expected a ring at the top of its kernel, got one under 'scf.for'}}
      %r = carousel.ring.create : !carousel.ring<2>
    }
    gpu.return
  }
}

// -----

// C167: branches of the cf dialect.
gpu.module @kernels {
  gpu.func @blocks(%c: i1) kernel {
    cf.cond_br %c, ^then, ^end
  ^then:
    // expected-error @below {{expected structured control flow around ops of the ring phase, got a region of 3 blocks}}
    carousel.ring.sync
    cf.br ^end
  ^end:
    gpu.return
  }
}

// -----

// C168: a barrier for which the producers would have to come.
gpu.module @kernels {
  gpu.func @barrier_in_role() kernel {
    // expected-note @below {{the threads take roles here}}
    carousel.ring.roles producer threads(32) {
    } consumer threads(128) {
      // expected-error @below {{expected carousel.ring.sync in a role, got a barrier of the CTA}}
      gpu.barrier
    }
    gpu.return
  }
}

// -----

// C169: producers that consume.
gpu.module @kernels {
  gpu.func @consuming_producers(%k: index) kernel {
    %r = carousel.ring.create : !carousel.ring<2>
    carousel.ring.roles producer threads(32) {
      carousel.ring.produce %r[%k] : !carousel.ring<2> {
      }
      // expected-error @below {{expected consumers to wait for and to release slots, got it in the producers' region}}
      carousel.ring.wait %r[%k] : !carousel.ring<2>
    } consumer threads(128) {
    }
    gpu.return
  }
}

// -----

// C169: consumers that produce what producers do.
gpu.module @kernels {
  gpu.func @two_producers(%k: index) kernel {
    %r = carousel.ring.create : !carousel.ring<2>
    carousel.ring.roles producer threads(32) {
      // expected-note @below {{the producers do it here}}
      carousel.ring.produce %r[%k] : !carousel.ring<2> {
      }
    } consumer threads(128) {
      // expected-error @below {{expected the producers alone to produce a ring, got it produced by others, too}}
      carousel.ring.produce %r[%k] : !carousel.ring<2> {
      }
      carousel.ring.wait %r[%k] : !carousel.ring<2>
    }
    gpu.return
  }
}

// -----

// C169: a wait for ever.
gpu.module @kernels {
  gpu.func @nobody_produces(%k: index) kernel {
    %r = carousel.ring.create : !carousel.ring<2>
    // expected-error @below {{expected a ring.produce for the ring waited on, got none}}
    carousel.ring.wait %r[%k] : !carousel.ring<2>
    gpu.return
  }
}

// -----

// C169: roles in roles.
gpu.module @kernels {
  gpu.func @nested_roles() kernel {
    carousel.ring.roles producer threads(32) {
    } consumer threads(128) {
      // expected-error @below {{expected threads without a role to take one, got roles in a role}}
      carousel.ring.roles producer threads(32) {
      } consumer threads(96) {
      }
    }
    gpu.return
  }
}

// -----

// C191: the slot of another use, for which nobody would wait.
#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!tile = memref<256xf32, #ws>
!ring = !carousel.ring<2 x memref<256xf32, #ws>>
gpu.module @kernels {
  gpu.func @other_use(%x: memref<?xf32, #gl>, %k: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %r = carousel.ring.create : !ring
    %next = arith.addi %k, %c1 : index
    carousel.ring.produce %r[%k] : !ring {
      // expected-note @below {{the tile}}
      %t = carousel.ring.tile %r[%next], 0 : !ring -> !tile
      // expected-error @below {{expected a tile of the use that is produced, got one of the use 1 after}}
      carousel.ring.load %x[%c0] to %t engine<bulk> : memref<?xf32, #gl>, !tile
    }
    gpu.return
  }
}

// -----

// C191: through a view; one round earlier would be the same slot.
#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!tile = memref<256xf32, #ws>
!ring = !carousel.ring<2 x memref<256xf32, #ws>>
gpu.module @kernels {
  gpu.func @other_use_of_view(%x: memref<?xf32, #gl>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %r = carousel.ring.create : !ring
    carousel.ring.produce %r[%c2] : !ring {
      %t = carousel.ring.tile %r[%c0], 0 : !ring -> !tile
      carousel.ring.load %x[%c0] to %t engine<bulk> : memref<?xf32, #gl>, !tile
      // expected-note @below {{the tile}}
      %u = carousel.ring.tile %r[%c1], 0 : !ring -> !tile
      %part = memref.subview %u[0] [128] [1] : !tile to memref<128xf32, strided<[1]>, #ws>
      // expected-error @below {{expected a tile of the use that is produced, got one of the use 1 before}}
      carousel.ring.load %x[%c0] to %part engine<bulk> : memref<?xf32, #gl>, memref<128xf32, strided<[1]>, #ws>
    }
    gpu.return
  }
}

// -----

// C192: slots are filled again before they have been read.
gpu.module @kernels {
  gpu.func @far_ahead(%k: index) kernel {
    %r = carousel.ring.create : !carousel.ring<2>
    // expected-error @below {{expected loads to be started fewer iterations ahead than the ring's 2 slots, got 2}}
    carousel.ring.produce %r[%k] ahead(2) : !carousel.ring<2> {
    }
    gpu.return
  }
}

// -----

// C192: a prologue that fills more than it says, and a loop that goes on elsewhere.
gpu.module @kernels {
  gpu.func @long_prologue(%n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %r = carousel.ring.create : !carousel.ring<4>
    scf.for %i = %c0 to %c3 step %c1 iter_args(%k = %c0) -> (index) {
      // expected-error @below {{expected a loop of at most 2 iterations around loads that are started 2 ahead, got 3}}
      carousel.ring.produce %r[%k] ahead(2) : !carousel.ring<4> {
      }
      %next = arith.addi %k, %c1 : index
      scf.yield %next : index
    }
    scf.for %i = %c0 to %n step %c1 iter_args(%k = %c0) -> (index) {
      %more = arith.cmpi slt, %i, %c3 : index
      %later = arith.addi %k, %c3 : index
      scf.if %more {
        // expected-error @below {{expected the use 2 after the loop's, got the one 3 after}}
        carousel.ring.produce %r[%later] ahead(2) : !carousel.ring<4> {
        }
      }
      %next = arith.addi %k, %c1 : index
      scf.yield %next : index
    }
    gpu.return
  }
}
