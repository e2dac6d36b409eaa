// Errors of carousel-verify-tile about threads that differ: offsets and control flow of one thread or warp.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-verify-tile))' --split-input-file --verify-diagnostics

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C135: an offset that is the thread's.
gpu.module @kernels {
  // DOC-EXAMPLE: --carousel-verify-tile
  gpu.func @offset(%x: memref<?xf32, #gl>, %n: index) workgroup(%tile: memref<32xf32, #ws>) kernel {
    // expected-note @below {{the threads differ here}}
    %o = gpu.thread_id x
    // expected-error @below {{expected offsets that are the same in all threads of the cta, got offset 0 that depends on 'gpu.thread_id'}}
    carousel.load %x[%o] to %tile : memref<?xf32, #gl>, memref<32xf32, #ws>
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C135: a warp's offset, for the CTA.
gpu.module @kernels {
  gpu.func @warp_offset(%x: memref<?xf32, #gl>, %n: index) workgroup(%tile: memref<32xf32, #ws>) kernel {
    %c32 = arith.constant 32 : index
    // expected-note @below {{the threads differ here}}
    %thread = gpu.thread_id x
    %o = arith.divui %thread, %c32 : index
    // expected-error @below {{expected offsets that are the same in all threads of the cta, got offset 0 that depends on 'gpu.thread_id'}}
    carousel.load %x[%o] to %tile : memref<?xf32, #gl>, memref<32xf32, #ws>
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C135: an offset through affine arithmetic.
gpu.module @kernels {
  gpu.func @affine_offset(%x: memref<?xf32, #gl>, %n: index) workgroup(%tile: memref<32xf32, #ws>) kernel {
    // expected-note @below {{the threads differ here}}
    %thread = gpu.thread_id x
    %o = affine.apply affine_map<(d0)[s0] -> (d0 * 4 + s0)>(%thread)[%n]
    // expected-error @below {{expected offsets that are the same in all threads of the cta, got offset 0 that depends on 'gpu.thread_id'}}
    carousel.load %x[%o] to %tile : memref<?xf32, #gl>, memref<32xf32, #ws>
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C135: each lane's own offset, in a warp.
gpu.module @kernels {
  gpu.func @lane_offset(%x: memref<?xf32, #gl>, %n: index) workgroup(%tile: memref<32xf32, #ws>) kernel {
    %c4 = arith.constant 4 : index
    // expected-note @below {{the threads differ here}}
    %thread = gpu.thread_id x
    %t4 = arith.muli %thread, %c4 : index
    %o = arith.addi %t4, %n : index
    // expected-error @below {{expected offsets that are the same in all threads of the warp, got offset 0 that depends on 'gpu.thread_id'}}
    carousel.load %x[%o] to %tile scope(warp) : memref<?xf32, #gl>, memref<32xf32, #ws>
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C135: a warp's offset and a lane's.
gpu.module @kernels {
  gpu.func @warp_and_lane_offset(%x: memref<?xf32, #gl>, %n: index) workgroup(%tile: memref<32xf32, #ws>) kernel {
    %c32 = arith.constant 32 : index
    // expected-note @below {{the threads differ here}}
    %thread = gpu.thread_id x
    %warp = arith.divui %thread, %c32 : index
    %lane = arith.remui %thread, %c32 : index
    %o = arith.addi %lane, %warp : index
    // expected-error @below {{expected offsets that are the same in all threads of the warp, got offset 0 that depends on 'gpu.thread_id'}}
    carousel.load %x[%o] to %tile scope(warp) : memref<?xf32, #gl>, memref<32xf32, #ws>
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C135: four threads share an offset.
gpu.module @kernels {
  gpu.func @quad_offset(%x: memref<?xf32, #gl>, %n: index) workgroup(%tile: memref<32xf32, #ws>) kernel {
    %mask = arith.constant -4 : index
    // expected-note @below {{the threads differ here}}
    %thread = gpu.thread_id x
    %o = arith.andi %thread, %mask : index
    // expected-error @below {{expected offsets that are the same in all threads of the warp, got offset 0 that depends on 'gpu.thread_id'}}
    carousel.load %x[%o] to %tile scope(warp) : memref<?xf32, #gl>, memref<32xf32, #ws>
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C135: a warp's offset, for its warpgroup.
gpu.module @kernels {
  gpu.func @warpgroup_offset(%x: memref<?xf32, #gl>, %n: index) workgroup(%tile: memref<32xf32, #ws>) kernel {
    // expected-note @below {{the threads differ here}}
    %o = gpu.subgroup_id : index
    // expected-error @below {{expected offsets that are the same in all threads of the warpgroup, got offset 0 that depends on 'gpu.subgroup_id'}}
    carousel.load %x[%o] to %tile scope(warpgroup) : memref<?xf32, #gl>, memref<32xf32, #ws>
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C135: a row of a block of two dimensions.
gpu.module @kernels {
  gpu.func @row_offset(%x: memref<?xf32, #gl>, %n: index) workgroup(%tile: memref<32xf32, #ws>) kernel
      attributes {known_block_size = array<i32: 16, 16, 1>} {
    // expected-note @below {{the threads differ here}}
    %o = gpu.thread_id y
    // expected-error @below {{expected offsets that are the same in all threads of the warp, got offset 0 that depends on 'gpu.thread_id'}}
    carousel.load %x[%o] to %tile scope(warp) : memref<?xf32, #gl>, memref<32xf32, #ws>
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C135: an offset that a loop carries.
gpu.module @kernels {
  gpu.func @carried_offset(%x: memref<?xf32, #gl>, %n: index) workgroup(%tile: memref<32xf32, #ws>) kernel {
    // expected-note @below {{the threads differ here}}
    %thread = gpu.thread_id x
    %last = scf.for %i = %n to %n step %n iter_args(%o = %thread) -> index {
      // expected-error @below {{expected offsets that are the same in all threads of the cta, got offset 0 that depends on 'gpu.thread_id'}}
      carousel.load %x[%o] to %tile : memref<?xf32, #gl>, memref<32xf32, #ws>
      %next = arith.addi %o, %n : index
      scf.yield %next : index
    }
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C135: one thread's transfer, under a comparison.
gpu.module @kernels {
  gpu.func @elected(%x: memref<?xf32, #gl>, %n: index) workgroup(%tile: memref<32xf32, #ws>) kernel {
    %c0 = arith.constant 0 : index
    %thread = gpu.thread_id x
    %first = arith.cmpi eq, %thread, %c0 : index
    // expected-note @below {{the threads part here}}
    scf.if %first {
      // expected-error @below {{expected all threads of the cta at a transfer, got one under 'scf.if' that depends on 'gpu.thread_id'}}
      carousel.load %x[%n] to %tile : memref<?xf32, #gl>, memref<32xf32, #ws>
    }
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C135: some threads, an unknown number of them.
gpu.module @kernels {
  gpu.func @some(%x: memref<?xf32, #gl>, %n: index) workgroup(%tile: memref<32xf32, #ws>) kernel {
    %thread = gpu.thread_id x
    %some = arith.cmpi ult, %thread, %n : index
    // expected-note @below {{the threads part here}}
    scf.if %some {
      // expected-error @below {{expected all threads of the cta at a transfer, got one under 'scf.if' that depends on 'gpu.thread_id'}}
      carousel.load %x[%n] to %tile : memref<?xf32, #gl>, memref<32xf32, #ws>
    }
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C135: one lane of each warp.
gpu.module @kernels {
  gpu.func @first_lane(%x: memref<?xf32, #gl>, %n: index) workgroup(%tile: memref<32xf32, #ws>) kernel {
    %c0 = arith.constant 0 : index
    %lane = gpu.lane_id
    %first = arith.cmpi eq, %lane, %c0 : index
    // expected-note @below {{the threads part here}}
    scf.if %first {
      // expected-error @below {{expected all threads of the warp at a transfer, got one under 'scf.if' that depends on 'gpu.lane_id'}}
      carousel.load %x[%n] to %tile scope(warp) : memref<?xf32, #gl>, memref<32xf32, #ws>
    }
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C135: a bound that cuts a warp.
gpu.module @kernels {
  gpu.func @half_warp(%x: memref<?xf32, #gl>, %n: index) workgroup(%tile: memref<32xf32, #ws>) kernel {
    %c48 = arith.constant 48 : index
    %thread = gpu.thread_id x
    %some = arith.cmpi ult, %thread, %c48 : index
    // expected-note @below {{the threads part here}}
    scf.if %some {
      // expected-error @below {{expected all threads of the warp at a transfer, got one under 'scf.if' that depends on 'gpu.thread_id'}}
      carousel.load %x[%n] to %tile scope(warp) : memref<?xf32, #gl>, memref<32xf32, #ws>
    }
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C135: a loop over the threads' own elements.
gpu.module @kernels {
  gpu.func @loop(%x: memref<?xf32, #gl>, %n: index) workgroup(%tile: memref<32xf32, #ws>) kernel {
    %thread = gpu.thread_id x
    // expected-note @below {{the threads part here}}
    scf.for %i = %thread to %n step %n {
      // expected-error @below {{expected all threads of the cta at a transfer, got one under 'scf.for' that depends on 'gpu.thread_id'}}
      carousel.load %x[%i] to %tile : memref<?xf32, #gl>, memref<32xf32, #ws>
    }
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C135: a loop that ends at a thread's own time.
gpu.module @kernels {
  gpu.func @while(%x: memref<?xf32, #gl>, %n: index) workgroup(%tile: memref<32xf32, #ws>) kernel {
    %thread = gpu.thread_id x
    // expected-note @below {{the threads part here}}
    scf.while : () -> () {
      // expected-error @below {{expected all threads of the cta at a transfer, got one under 'scf.while' that depends on 'gpu.thread_id'}}
      carousel.load %x[%n] to %tile : memref<?xf32, #gl>, memref<32xf32, #ws>
      %more = arith.cmpi ult, %thread, %n : index
      scf.condition(%more)
    } do {
      scf.yield
    }
    gpu.return
  }
}
