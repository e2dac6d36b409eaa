// Errors of carousel-lower-rings.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_90a},carousel-lower-rings))' --split-input-file --verify-diagnostics

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!tile = memref<64xf32, #ws>
!ring = !carousel.ring<2 x !tile>

// C160: how many threads arrive?
gpu.module @kernels {
  // expected-error @below {{expected carousel.launch or known_block_size on a kernel with rings, got neither}}
  gpu.func @unknown_block() kernel {
    %ring = carousel.ring.create : !ring
    gpu.return
  }
}

// -----

// C160: roles for some of the block.
gpu.module @kernels {
  gpu.func @roles_of_other_block() kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    // expected-error @below {{'carousel.ring.roles' op expected roles of the block's 128 threads in all, got 96}}
    carousel.ring.roles producer threads(32) {
    } consumer threads(64) {
    }
    gpu.return
  }
}

// -----

// C160: a warpgroup and a half.
gpu.module @kernels {
  gpu.func @part_of_warpgroup() kernel attributes {known_block_size = array<i32: 192, 1, 1>} {
    // expected-error @below {{'carousel.ring.sync' op expected threads in multiples of 128 for scope warpgroup, got 192 from thread 0 on}}
    carousel.ring.sync scope(warpgroup)
    gpu.return
  }
}

// -----

// C162: a role of one warpgroup, one of seven, and all eight.
gpu.module @kernels {
  gpu.func @many_barriers() kernel attributes {known_block_size = array<i32: 1024, 1, 1>} {
    carousel.ring.roles producer threads(128) {
      carousel.ring.sync scope(warpgroup)
      carousel.ring.sync
    } consumer threads(896) {
      carousel.ring.sync scope(warpgroup)
      carousel.ring.sync
    }
    // expected-error @below {{'carousel.ring.sync' op expected at most 15 named barriers for roles and warpgroups, got 18}}
    carousel.ring.sync scope(warpgroup)
    gpu.return
  }
}

// -----

// C163: the producers never come.
gpu.module @kernels {
  gpu.func @barrier_in_role() kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    carousel.ring.roles producer threads(32) {
    } consumer threads(32) {
      // expected-error @below {{'gpu.barrier' op expected no op in a role that all threads of the block must execute, got 'gpu.barrier'}}
      gpu.barrier
    }
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

// C164: pieces of two bytes of elements of four.
gpu.module @kernels {
  gpu.func @part_of_element(%x: memref<?xf32, #gl>, %tile: memref<64xf32, #ws>, %i: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    carousel.ring.submit {
      // expected-error @below {{expected pieces of whole elements, got 2 bytes of elements of 4}}
      carousel.ring.store %tile to %x[%i] engine<vector, width = 2> : memref<64xf32, #ws>, memref<?xf32, #gl>
    }
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

// C164: rows that end within a piece.
gpu.module @kernels {
  gpu.func @part_of_piece(%x: memref<?x?xf32, #gl>, %tile: memref<8x6xf32, #ws>, %i: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    carousel.ring.submit {
      // expected-error @below {{expected rows in multiples of the 16 bytes of a piece, got 24}}
      carousel.ring.store %tile to %x[%i, %i] engine<vector, width = 16> : memref<8x6xf32, #ws>, memref<?x?xf32, #gl>
    }
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

// C164: pieces across strides.
gpu.module @kernels {
  gpu.func @strided_pieces(%x: memref<?xf32, strided<[2]>, #gl>, %tile: memref<64xf32, #ws>, %i: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    carousel.ring.submit {
      // expected-error @below {{expected rows that are contiguous in global memory and in the tile with pieces of several elements, got strides between elements}}
      carousel.ring.store %tile to %x[%i] engine<vector, width = 8> : memref<64xf32, #ws>, memref<?xf32, strided<[2]>, #gl>
    }
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

// C164: bulk copies across strides.
gpu.module @kernels {
  gpu.func @strided_bulk(%x: memref<?xf32, strided<[2]>, #gl>, %tile: memref<64xf32, #ws>, %i: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    carousel.ring.submit {
      // expected-error @below {{expected rows that are contiguous in global memory and in the tile with engine bulk, got strides between elements}}
      carousel.ring.store %tile to %x[%i] engine<bulk> : memref<64xf32, #ws>, memref<?xf32, strided<[2]>, #gl>
    }
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

// C164: rows that don't begin at a multiple of 16 bytes.
gpu.module @kernels {
  gpu.func @bulk_rows(%x: memref<?x?xf32, #gl>, %tile: memref<8x6xf32, #ws>, %i: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    carousel.ring.submit {
      // expected-error @below {{expected rows of the tile at multiples of 16 bytes with engine bulk, got every 24}}
      carousel.ring.store %tile to %x[%i, %i] engine<bulk> : memref<8x6xf32, #ws>, memref<?x?xf32, #gl>
    }
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!map = !carousel.tensor_map<4xf32>

// C164: boxes one behind the other, each of 16 bytes.
gpu.module @kernels {
  gpu.func @small_boxes(%x: memref<?xf32, #gl>, %tile: memref<8xf32, #ws>, %map: !map, %i: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    carousel.ring.submit {
      // expected-error @below {{expected boxes in multiples of 128 bytes, since they are adjacent, got 16}}
      carousel.ring.store %tile to %x[%i] engine<tensor> map %map : memref<8xf32, #ws>, memref<?xf32, #gl>, !map
    }
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!map = !carousel.tensor_map<4x4xf32>

// C164: rows with gaps.
gpu.module @kernels {
  gpu.func @padded_tile(%x: memref<?x?xf32, #gl>, %tile: memref<4x4xf32, strided<[8, 1]>, #ws>, %map: !map, %i: index)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    carousel.ring.submit {
      // expected-error @below {{expected a contiguous tile with engine tensor, got strides between its rows}}
      carousel.ring.store %tile to %x[%i, %i] engine<tensor> map %map
          : memref<4x4xf32, strided<[8, 1]>, #ws>, memref<?x?xf32, #gl>, !map
    }
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

// C164: words of a buffer of halves.
gpu.module @kernels {
  gpu.func @wide_elements(%x: memref<?xf16, #gl>, %tile: memref<64xf16, #ws>, %map: !carousel.tensor_map<32xu32>,
                          %i: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    carousel.ring.submit {
      // expected-error @below {{expected a ring's tile with map elements of 32 bits, wider than the tile's, got another buffer}}
      carousel.ring.store %tile to %x[%i] engine<tensor> map %map
          : memref<64xf16, #ws>, memref<?xf16, #gl>, !carousel.tensor_map<32xu32>
    }
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!map = !carousel.tensor_map<64xf32>
!ring = !carousel.ring<1>

// C164: the map fills with something else.
gpu.module @kernels {
  gpu.func @other_fill(%x: memref<?xf32, #gl>, %tile: memref<64xf32, #ws>, %map: !map, %i: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %ring = carousel.ring.create : !ring
    carousel.ring.produce %ring[%i] : !ring {
      // expected-error @below {{expected a map that fills with nan, got one with zero}}
      carousel.ring.load %x[%i] to %tile fill(nan) engine<tensor> map %map : memref<?xf32, #gl>, memref<64xf32, #ws>, !map
    }
    gpu.return
  }
}

// -----

!ring = !carousel.ring<1>

// C165: two kinds of producers.
gpu.module @kernels {
  gpu.func @two_roles_produce(%i: index) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %ring = carousel.ring.create : !ring
    // expected-note @below {{threads 0 to 63 here}}
    carousel.ring.produce %ring[%i] : !ring {
    }
    carousel.ring.roles producer threads(32) {
      // expected-error @below {{expected all producers of a ring to be of one role, got threads 32 to 63}}
      carousel.ring.produce %ring[%i] : !ring {
      }
    } consumer threads(32) {
    }
    gpu.return
  }
}

// -----

!ring = !carousel.ring<1>

// C165: nobody fills it.
gpu.module @kernels {
  gpu.func @never_filled(%i: index) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %ring = carousel.ring.create : !ring
    // expected-error @below {{'carousel.ring.wait' op expected a ring.produce for the ring waited on, got none}}
    carousel.ring.wait %ring[%i] : !ring
    gpu.return
  }
}

// -----

!ring = !carousel.ring<1>

// C165: a barrier of both roles.
gpu.module @kernels {
  gpu.func @barrier_of_roles(%i: index) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    // expected-error @below {{expected scope cta and release empty_barrier between two roles, got scope cta and release cta_barrier}}
    %ring = carousel.ring.create release(cta_barrier) : !ring
    carousel.ring.roles producer threads(32) {
      carousel.ring.produce %ring[%i] : !ring {
      }
    } consumer threads(32) {
      carousel.ring.wait %ring[%i] : !ring
      carousel.ring.release %ring[%i] : !ring
    }
    gpu.return
  }
}

// -----

!ring = !carousel.ring<1>

// C165: a new ring in each iteration.
gpu.module @kernels {
  gpu.func @ring_in_loop(%n: index) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    scf.for %i = %n to %n step %n {
      // expected-error @below {{expected a ring at the top of its kernel, got one under 'scf.for'}}
      %ring = carousel.ring.create : !ring
    }
    gpu.return
  }
}

// -----

!ring = !carousel.ring<1>

// C165: one of two rings.
gpu.module @kernels {
  gpu.func @selected_ring(%c: i1, %i: index) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %a = carousel.ring.create : !ring
    %b = carousel.ring.create : !ring
    %ring = arith.select %c, %a, %b : !ring
    // expected-error @below {{'carousel.ring.wait' op expected a ring that carousel.ring.create defines, got another value of type '!carousel.ring<1>'}}
    carousel.ring.wait %ring[%i] : !ring
    gpu.return
  }
}

// -----

!ring = !carousel.ring<1>

// C165: a ring that goes where nobody follows it.
gpu.module @kernels {
  gpu.func @unused_selection(%c: i1) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %a = carousel.ring.create : !ring
    // expected-error @below {{'arith.select' op expected ring ops to use a ring, got 'arith.select'}}
    %ring = arith.select %c, %a, %a : !ring
    gpu.return
  }
}

// -----

// C165: a function is called by threads that nobody counts.
gpu.module @kernels {
  gpu.func @helper() {
    // expected-error @below {{'carousel.ring.sync' op expected a kernel around ops of the ring phase, got a device function}}
    carousel.ring.sync
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

// C164: no engine stores to a multicast address.
gpu.module @kernels {
  gpu.func @multicast(%all: memref<?xf32, #gl> {carousel.multicast}, %i: index) workgroup(%tile: memref<64xf32, #ws>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    carousel.ring.submit {
      // expected-error @below {{expected engine vector with pieces of at least 4 bytes for a multicast address, got bulk of width 0}}
      carousel.ring.store %tile to %all[%i] engine<bulk> : memref<64xf32, #ws>, memref<?xf32, #gl>
    }
    gpu.return
  }
}

// -----

// C337: the cluster of the launch.
gpu.module @kernels {
  gpu.func @other_cluster() kernel attributes {carousel.launch = #carousel.launch<grid = [8], block = [64], cluster = [4]>} {
    // expected-error @below {{'carousel.ring.create' op expected multicast to the 4 CTAs of the launch's cluster, got 2}}
    %ring = carousel.ring.create multicast(2) : !carousel.ring<2 x memref<64xf32, #gpu.address_space<workgroup>>>
    gpu.return
  }
}

// -----

// C337: each warp arrives at all CTAs.
gpu.module @kernels {
  gpu.func @part_of_warp(%x: memref<?x?xf32, #gpu.address_space<global>>, %xs: !carousel.tensor_map<8x16xf32>) kernel
      attributes {carousel.launch = #carousel.launch<grid = [8], block = [48], cluster = [2]>} {
    %c0 = arith.constant 0 : index
    // expected-error @below {{'carousel.ring.create' op expected whole warps that release the slots of a ring with multicast, got 48 threads}}
    %ring = carousel.ring.create multicast(2) : !carousel.ring<2 x memref<8x16xf32, #gpu.address_space<workgroup>>>
    carousel.ring.produce %ring[%c0] : !carousel.ring<2 x memref<8x16xf32, #gpu.address_space<workgroup>>> {
      %a = carousel.ring.tile %ring[%c0], 0 : !carousel.ring<2 x memref<8x16xf32, #gpu.address_space<workgroup>>> -> memref<8x16xf32, #gpu.address_space<workgroup>>
      carousel.ring.load multicast %x[%c0, %c0] to %a engine<tensor> map %xs : memref<?x?xf32, #gpu.address_space<global>>, memref<8x16xf32, #gpu.address_space<workgroup>>, !carousel.tensor_map<8x16xf32>
    }
    carousel.ring.wait %ring[%c0] : !carousel.ring<2 x memref<8x16xf32, #gpu.address_space<workgroup>>>
    carousel.ring.release %ring[%c0] : !carousel.ring<2 x memref<8x16xf32, #gpu.address_space<workgroup>>>
    gpu.return
  }
}
