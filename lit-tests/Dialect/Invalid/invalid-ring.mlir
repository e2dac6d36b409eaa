// Every message of the verifiers of rings, roles and engines.
// RUN: carousel-opt %s --split-input-file --verify-diagnostics

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C149: a width that cp.async lacks.
// expected-error @below {{expected a width of 4, 8 or 16 bytes, got 2}}
func.func private @width() attributes {test = #carousel.engine<cp_async, width = 2>}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C149: a width that is no power of two.
// expected-error @below {{expected a width that is a power of two up to 16 bytes, got 12}}
func.func private @width() attributes {test = #carousel.engine<vector, width = 12>}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C149: no dimension in a group.
// expected-error @below {{expected groups of 1 or more dimensions, got 0}}
func.func private @groups() attributes {test = #carousel.engine<tensor, collapse = [1, 0]>}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C150: the engine tensor without a map.
func.func @no_map(%x: memref<?xf32, #gl>, %tile: memref<64xf32, #ws>, %i: index) {
  // expected-error @below {{expected a map with engine tensor, got none}}
  carousel.load %x[%i] to %tile engine<tensor>
      : memref<?xf32, #gl>, memref<64xf32, #ws>
  return
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C150: a map for nobody.
func.func @map(%x: memref<?xf32, #gl>, %tile: memref<64xf32, #ws>, %i: index, %map: !carousel.tensor_map<64xf32>) {
  // expected-error @below {{expected a map with engine tensor only, got one}}
  carousel.load %x[%i] to %tile engine<bulk> map %map
      : memref<?xf32, #gl>, memref<64xf32, #ws>, !carousel.tensor_map<64xf32>
  return
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C150: a map of another rank.
func.func @rank(%x: memref<?x?xf32, #gl>, %tile: memref<8x64xf32, #ws>, %i: index, %map: !carousel.tensor_map<64xf32>) {
  // expected-error @below {{expected a tiled map of the global memref's 2 dimensions}}
  carousel.load %x[%i, %i] to %tile engine<tensor> map %map
      : memref<?x?xf32, #gl>, memref<8x64xf32, #ws>, !carousel.tensor_map<64xf32>
  return
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C150: elements that hold no whole ones of the tile.
func.func @bits(%x: memref<?xf32, #gl>, %tile: memref<64xf32, #ws>, %i: index, %map: !carousel.tensor_map<64xf16>) {
  // expected-error @below {{expected a map with elements of a multiple of the tile's 32 bits, got 16}}
  carousel.load %x[%i] to %tile engine<tensor> map %map
      : memref<?xf32, #gl>, memref<64xf32, #ws>, !carousel.tensor_map<64xf16>
  return
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C150: a box that does not divide the tile.
func.func @box(%x: memref<?xf32, #gl>, %tile: memref<96xf32, #ws>, %i: index, %map: !carousel.tensor_map<64xf32>) {
  // expected-error @below {{expected a box that divides the tile's extent 96 in dimension 0 of the map, got 64}}
  carousel.load %x[%i] to %tile engine<tensor> map %map
      : memref<?xf32, #gl>, memref<96xf32, #ws>, !carousel.tensor_map<64xf32>
  return
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C151: a ring without slots.
// expected-error @below {{expected 1 or more slots, got 0}}
func.func private @slots(!carousel.ring<0>)

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C151: a tile in global memory.
// expected-error @below {{expected contiguous tiles of static extents in shared memory, got 'memref<4xf32, 1>'}}
func.func private @tile(!carousel.ring<2 x memref<4xf32, 1>>)

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C152: a barrier of the CTA for a warp.
func.func @release() {
  // expected-error @below {{expected scope cta with release cta_barrier, got warp}}
  %r = carousel.ring.create scope(warp) release(cta_barrier) : !carousel.ring<2>
  return
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C153: a barrier where one thread may be.
func.func @section(%r: !carousel.ring<2>, %k: index) {
  // expected-error @below {{expected only carousel.ring.load, scf.if and ops that don't write memory, got gpu.barrier}}
  carousel.ring.produce %r[%k] : !carousel.ring<2> {
    // expected-note @below {{it stands here}}
    gpu.barrier
  }
  return
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>
!tile = memref<1024xf32, #ws>
!looped = !carousel.ring<2 x !tile>

// C153: nobody knows how many loads a loop starts. A loop that finds an operand starts none.
func.func @loads_in_loop(%r: !looped, %x: memref<?xf32, #gl>, %ends: memref<?xi32, #gl>, %k: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  carousel.ring.produce %r[%k] : !looped {
    %last = scf.for %i = %c0 to %n step %c1 iter_args(%end = %c0) -> (index) {
      %loaded = memref.load %ends[%i] : memref<?xi32, #gl>
      %next = arith.index_castui %loaded : i32 to index
      scf.yield %next : index
    }
    %t = carousel.ring.tile %r[%k], 0 : !looped -> !tile
    carousel.ring.load %x[%last] to %t engine<bulk> : memref<?xf32, #gl>, !tile
  }
  // expected-error @below {{expected only carousel.ring.load, scf.if and ops that don't write memory, got scf.for}}
  carousel.ring.produce %r[%k] : !looped {
    %t = carousel.ring.tile %r[%k], 0 : !looped -> !tile
    // expected-note @below {{it stands here}}
    scf.for %i = %c0 to %n step %c1 {
      carousel.ring.load %x[%i] to %t engine<bulk> : memref<?xf32, #gl>, !tile
    }
  }
  return
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>
!tile = memref<1024xf32, #ws>
!ring = !carousel.ring<2 x !tile>

// C154: a tile that is not there.
func.func @tile(%r: !ring, %k: index) {
  // expected-error @below {{expected one of the ring's 1 tiles, got number 1}}
  %t = carousel.ring.tile %r[%k], 1 : !ring -> !tile
  return
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>
!tile = memref<1024xf32, #ws>
!ring = !carousel.ring<2 x !tile>

// C154: a tile of another type.
func.func @tile(%r: !ring, %k: index) {
  // expected-error @below {{expected a tile of 'memref<1024xf32, #gpu.address_space<workgroup>>', got 'memref<512xf32, #gpu.address_space<workgroup>>'}}
  %t = carousel.ring.tile %r[%k], 0 : !ring -> memref<512xf32, #ws>
  return
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>
!tile = memref<1024xf32, #ws>
!ring = !carousel.ring<2 x !tile>

// C155: a load outside of a use.
func.func @load(%x: memref<?xf32, #gl>, %t: !tile, %i: index) {
  // expected-error @below {{expected to stand in a carousel.ring.produce, got 'func.func'}}
  carousel.ring.load %x[%i] to %t engine<bulk> : memref<?xf32, #gl>, !tile
  return
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>
!tile = memref<1024xf32, #ws>
!ring = !carousel.ring<2 x !tile>

// C155: a load without an engine.
func.func @load(%x: memref<?xf32, #gl>, %r: !ring, %t: !tile, %i: index) {
  carousel.ring.produce %r[%i] : !ring {
    // expected-error @below {{expected an engine, got none}}
    carousel.ring.load %x[%i] to %t : memref<?xf32, #gl>, !tile
  }
  return
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>
!tile = memref<1024xf32, #ws>
!ring = !carousel.ring<2 x !tile>

// C155: an engine that only loads.
func.func @store(%y: memref<?xf32, #gl>, %t: !tile, %i: index) {
  carousel.ring.submit {
    // expected-error @below {{expected an engine that stores, got cp_async}}
    carousel.ring.store %t to %y[%i] engine<cp_async, width = 4> : !tile, memref<?xf32, #gl>
  }
  return
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C156: half a warp.
func.func @roles() {
  // expected-error @below {{expected roles of whole warps, at most 1024 threads in all, got 16 and 128 threads}}
  carousel.ring.roles producer threads(16) {
  } consumer threads(128) {
  }
  return
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C156: registers of one role.
func.func @roles() {
  // expected-error @below {{expected register counts of both roles, got one}}
  carousel.ring.roles producer threads(128) registers(40) {
  } consumer threads(128) {
  }
  return
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C156: a count that setmaxnreg lacks.
func.func @roles() {
  // expected-error @below {{expected 24 to 256 registers in steps of 8, got 20}}
  carousel.ring.roles producer threads(128) registers(20) {
  } consumer threads(128) registers(232) {
  }
  return
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// C156: registers of a single warp.
func.func @roles() {
  // expected-error @below {{expected roles of whole warpgroups with register counts, got 32 and 128 threads}}
  carousel.ring.roles producer threads(32) registers(40) {
  } consumer threads(128) registers(232) {
  }
  return
}

// -----

// C336: a cluster has 8 CTAs at most.
func.func @create() {
  // expected-error @below {{'carousel.ring.create' op expected multicast to 1 to 8 CTAs, got 9}}
  %r = carousel.ring.create multicast(9) : !carousel.ring<2>
  return
}

// -----

// C336: a barrier of threads doesn't release slots of other CTAs.
func.func @create() {
  // expected-error @below {{'carousel.ring.create' op expected scope cta and release empty_barrier with multicast, got scope cta and release cta_barrier}}
  %r = carousel.ring.create release(cta_barrier) multicast(2) : !carousel.ring<2>
  return
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>
!tile = memref<1024xf32, #ws>
!ring = !carousel.ring<2 x !tile>

// C337: only tensor copies.
func.func @load(%x: memref<?xf32, #gl>, %i: index) {
  %r = carousel.ring.create multicast(2) : !ring
  carousel.ring.produce %r[%i] : !ring {
    %t = carousel.ring.tile %r[%i], 0 : !ring -> !tile
    // expected-error @below {{'carousel.ring.load' op expected engine tensor with multicast, got bulk}}
    carousel.ring.load multicast %x[%i] to %t engine<bulk> : memref<?xf32, #gl>, !tile
  }
  return
}

// -----

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>
!tile = memref<256xf32, #ws>
!ring = !carousel.ring<2 x !tile>

// C337: no CTA beside it.
func.func @load(%x: memref<?xf32, #gl>, %map: !carousel.tensor_map<256xf32>, %i: index) {
  %r = carousel.ring.create : !ring
  carousel.ring.produce %r[%i] : !ring {
    %t = carousel.ring.tile %r[%i], 0 : !ring -> !tile
    // expected-error @below {{'carousel.ring.load' op expected a ring of several CTAs with multicast, got one of 1 CTA}}
    carousel.ring.load multicast %x[%i] to %t engine<tensor> map %map : memref<?xf32, #gl>, !tile, !carousel.tensor_map<256xf32>
  }
  return
}
