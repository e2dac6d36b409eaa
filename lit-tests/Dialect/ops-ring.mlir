// Every op of the ring phase, and engines, through the parser and the printer, twice.
// RUN: carousel-opt %s | carousel-opt | FileCheck %s

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>
!global = memref<?xf32, #gl>
!tile = memref<1024xf32, #ws>
!ring = !carousel.ring<4 x !tile, memref<8x16xbf16, #ws>>
!map = !carousel.tensor_map<256xf32>

// CHECK-LABEL: func @engines
func.func @engines(%x: !global, %tile: !tile, %i: index, %map: !map) {
  // CHECK: carousel.load {{.*}} engine<tensor> map %{{.*}} : {{.*}}, !carousel.tensor_map<256xf32>
  carousel.load %x[%i] to %tile engine<tensor> map %map : !global, !tile, !map
  // CHECK: carousel.load {{.*}} cache(evict_first) engine<bulk> :
  carousel.load %x[%i] to %tile cache(evict_first) engine<bulk> : !global, !tile
  // CHECK: carousel.load {{.*}} engine<cp_async, width = 16> :
  carousel.load %x[%i] to %tile engine<cp_async, width = 16> : !global, !tile
  // CHECK: carousel.store {{.*}} engine<vector, width = 4> :
  carousel.store %tile to %x[%i] engine<vector, width = 4> : !tile, !global
  return
}

// CHECK-LABEL: func @collapse
func.func @collapse(%x: memref<?x4x256xf32, #gl>, %tile: memref<4x256xf32, #ws>, %i: index,
                    %map: !carousel.tensor_map<1x256xf32>) {
  // CHECK: engine<tensor, collapse = [2, 1]> map
  carousel.load %x[%i, %i, %i] to %tile engine<tensor, collapse = [2, 1]> map %map
      : memref<?x4x256xf32, #gl>, memref<4x256xf32, #ws>, !carousel.tensor_map<1x256xf32>
  return
}

// CHECK-LABEL: func @ring
// DOC-EXAMPLE: carousel.ring.create, carousel.ring.load, carousel.ring.produce
// DOC-EXAMPLE: carousel.ring.release, carousel.ring.roles, carousel.ring.store
// DOC-EXAMPLE: carousel.ring.submit, carousel.ring.sync, carousel.ring.tile, carousel.ring.wait
// DOC-EXAMPLE: carousel.ring.wait_stores
func.func @ring(%x: !global, %y: !global, %k: index, %i: index, %more: i1) {
  // CHECK: %[[RING:.*]] = carousel.ring.create release(cta_barrier) : <4 x memref<1024xf32, {{.*}}>, memref<8x16xbf16, {{.*}}>>
  %ring = carousel.ring.create release(cta_barrier) : !ring
  // CHECK: carousel.ring.create multicast(8) : <1>
  %shared = carousel.ring.create multicast(8) : !carousel.ring<1>
  // CHECK: carousel.ring.create scope(warp) release(warp_barrier) : <1>
  %plain = carousel.ring.create scope(warp) release(warp_barrier) : !carousel.ring<1>
  // CHECK: carousel.ring.roles producer threads(128) registers(40) {
  carousel.ring.roles producer threads(128) registers(40) {
    // CHECK: carousel.ring.produce %[[RING]][%{{.*}}] :
    carousel.ring.produce %ring[%k] : !ring {
      // CHECK: carousel.ring.tile %[[RING]][%{{.*}}], 0 :
      %t = carousel.ring.tile %ring[%k], 0 : !ring -> !tile
      scf.if %more {
        // CHECK: carousel.ring.load independent %
        carousel.ring.load independent %x[%i] to %t fill(nan) engine<bulk> : !global, !tile
      }
    }
  // CHECK: } consumer threads(256) registers(232) {
  } consumer threads(256) registers(232) {
    // CHECK: carousel.ring.wait %[[RING]]
    carousel.ring.wait %ring[%k] : !ring
    %t = carousel.ring.tile %ring[%k], 0 : !ring -> !tile
    // CHECK: carousel.ring.sync
    carousel.ring.sync
    // CHECK: carousel.ring.sync scope(warpgroup)
    carousel.ring.sync scope(warpgroup)
    // CHECK: carousel.ring.submit {
    carousel.ring.submit {
      // CHECK: carousel.ring.store {{.*}} reduce<add f32> engine<bulk>
      carousel.ring.store %t to %y[%i] reduce<add f32> engine<bulk> : !tile, !global
    }
    // CHECK: carousel.ring.wait_stores read 1
    carousel.ring.wait_stores read 1
    // CHECK: carousel.ring.wait_stores complete 0 scope(warp)
    carousel.ring.wait_stores complete 0 scope(warp)
    // CHECK: carousel.ring.release %[[RING]]
    carousel.ring.release %ring[%k] : !ring
  }
  return
}
