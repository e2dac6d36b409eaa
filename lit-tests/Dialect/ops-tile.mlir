// Round trip of tile transfers and pipelines in every form, pretty and generic.
// RUN: carousel-opt %s | carousel-opt | FileCheck %s
// RUN: carousel-opt %s --mlir-print-op-generic | carousel-opt | FileCheck %s

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// CHECK-LABEL: func @load
// DOC-EXAMPLE: carousel.load
func.func @load(%x: memref<?x?xbf16, strided<[?, 1], offset: ?>, #gl>,
                %tile: memref<64x64xbf16, #ws>, %i: index, %j: index) {
  // CHECK: carousel.load %[[X:.+]][%[[I:.+]], %[[J:.+]]] to %[[TILE:.+]] : memref<?x?xbf16, strided<[?, 1], offset: ?>, #gpu.address_space<global>>, memref<64x64xbf16, #gpu.address_space<workgroup>>
  carousel.load %x[%i, %j] to %tile
      : memref<?x?xbf16, strided<[?, 1], offset: ?>, #gl>, memref<64x64xbf16, #ws>
  // CHECK: carousel.load %[[X]][%[[I]], %[[J]]] to %[[TILE]] scope(warpgroup) fill(nan) swizzle(b128) cache(evict_first) : memref
  carousel.load %x[%i, %j] to %tile scope(warpgroup) fill(nan) swizzle(b128) cache(evict_first)
      : memref<?x?xbf16, strided<[?, 1], offset: ?>, #gl>, memref<64x64xbf16, #ws>
  // CHECK: carousel.load %[[X]][%[[I]], %[[J]]] to %[[TILE]] scope(warp) in_bounds swizzle(b64) : memref
  carousel.load %x[%i, %j] to %tile scope(warp) in_bounds swizzle(b64)
      : memref<?x?xbf16, strided<[?, 1], offset: ?>, #gl>, memref<64x64xbf16, #ws>
  // CHECK: carousel.load {{.*}} fill(-inf) engine<bulk> : memref
  carousel.load %x[%i, %j] to %tile fill(-inf) engine<bulk>
      : memref<?x?xbf16, strided<[?, 1], offset: ?>, #gl>, memref<64x64xbf16, #ws>
  // CHECK: carousel.load {{.*}} fill(inf) : memref
  carousel.load %x[%i, %j] to %tile fill(inf)
      : memref<?x?xbf16, strided<[?, 1], offset: ?>, #gl>, memref<64x64xbf16, #ws>
  // CHECK: carousel.load {{.*}} fill(-1.5) : memref
  carousel.load %x[%i, %j] to %tile fill(-1.5)
      : memref<?x?xbf16, strided<[?, 1], offset: ?>, #gl>, memref<64x64xbf16, #ws>
  // CHECK: carousel.load {{.*}} fill(-7) : memref
  carousel.load %x[%i, %j] to %tile fill(-7)
      : memref<?x?xbf16, strided<[?, 1], offset: ?>, #gl>, memref<64x64xbf16, #ws>
  // What is as unless given isn't printed.
  // CHECK: carousel.load %[[X]][%[[I]], %[[J]]] to %[[TILE]] : memref
  carousel.load %x[%i, %j] to %tile scope(cta) fill(zero) swizzle(none) cache(evict_normal)
      : memref<?x?xbf16, strided<[?, 1], offset: ?>, #gl>, memref<64x64xbf16, #ws>
  return
}

// CHECK-LABEL: func @store
// DOC-EXAMPLE: carousel.store
func.func @store(%tile: memref<1024xf32, #ws>, %y: memref<?xf32, #gl>, %i: index) {
  // CHECK: carousel.store %[[TILE:.+]] to %[[Y:.+]][%[[I:.+]]] : memref<1024xf32, #gpu.address_space<workgroup>>, memref<?xf32, #gpu.address_space<global>>
  carousel.store %tile to %y[%i] : memref<1024xf32, #ws>, memref<?xf32, #gl>
  // CHECK: carousel.store %[[TILE]] to %[[Y]][%[[I]]] scope(warp) in_bounds swizzle(b32) cache(evict_last) : memref
  carousel.store %tile to %y[%i] scope(warp) in_bounds swizzle(b32) cache(evict_last)
      : memref<1024xf32, #ws>, memref<?xf32, #gl>
  // CHECK: carousel.store %[[TILE]] to %[[Y]][%[[I]]] reduce<add f32> : memref
  carousel.store %tile to %y[%i] reduce<add f32> : memref<1024xf32, #ws>, memref<?xf32, #gl>
  // CHECK: carousel.store %[[TILE]] to %[[Y]][%[[I]]] scope(warpgroup) in_bounds reduce<add f32> cache(evict_unchanged) {tag} : memref
  carousel.store %tile to %y[%i] scope(warpgroup) in_bounds reduce<add f32> cache(evict_unchanged)
      {tag} : memref<1024xf32, #ws>, memref<?xf32, #gl>
  return
}

// Each kind of reduction.
// CHECK-LABEL: func @reduce
func.func @reduce(%f: memref<8xf16, #ws>, %i: memref<8xi32, #ws>, %l: memref<8xi64, #ws>,
                  %yf: memref<?xf16, #gl>, %yi: memref<?xi32, #gl>, %yl: memref<?xi64, #gl>,
                  %at: index) {
  // CHECK: reduce<min f16>
  carousel.store %f to %yf[%at] reduce<min f16> : memref<8xf16, #ws>, memref<?xf16, #gl>
  // CHECK: reduce<max s64>
  carousel.store %l to %yl[%at] reduce<max s64> : memref<8xi64, #ws>, memref<?xi64, #gl>
  // CHECK: reduce<inc u32>
  carousel.store %i to %yi[%at] reduce<inc u32> : memref<8xi32, #ws>, memref<?xi32, #gl>
  // CHECK: reduce<dec u32>
  carousel.store %i to %yi[%at] reduce<dec u32> : memref<8xi32, #ws>, memref<?xi32, #gl>
  // CHECK: reduce<and b32>
  carousel.store %i to %yi[%at] reduce<and b32> : memref<8xi32, #ws>, memref<?xi32, #gl>
  // CHECK: reduce<or b64>
  carousel.store %l to %yl[%at] reduce<or b64> : memref<8xi64, #ws>, memref<?xi64, #gl>
  // CHECK: reduce<xor b32>
  carousel.store %i to %yi[%at] reduce<xor b32> : memref<8xi32, #ws>, memref<?xi32, #gl>
  return
}

// Tiles of a lower rank, with unit extents, with padded rows, at an offset; any strided layout.
// CHECK-LABEL: func @shapes
func.func @shapes(%x: memref<2x?x?x8xi8, strided<[?, ?, ?, ?], offset: ?>, #gl>,
                  %row: memref<8xi8, #ws>, %unit: memref<1x1x16x8xi8, #ws>,
                  %padded: memref<4x8xi8, strided<[24, 1], offset: ?>, #ws>,
                  %spread: memref<4x8xi8, strided<[1, 4]>, #ws>, %a: index) {
  // CHECK-COUNT-4: carousel.load
  carousel.load %x[%a, %a, %a, %a] to %row
      : memref<2x?x?x8xi8, strided<[?, ?, ?, ?], offset: ?>, #gl>, memref<8xi8, #ws>
  carousel.load %x[%a, %a, %a, %a] to %unit
      : memref<2x?x?x8xi8, strided<[?, ?, ?, ?], offset: ?>, #gl>, memref<1x1x16x8xi8, #ws>
  carousel.load %x[%a, %a, %a, %a] to %padded
      : memref<2x?x?x8xi8, strided<[?, ?, ?, ?], offset: ?>, #gl>,
        memref<4x8xi8, strided<[24, 1], offset: ?>, #ws>
  carousel.load %x[%a, %a, %a, %a] to %spread
      : memref<2x?x?x8xi8, strided<[?, ?, ?, ?], offset: ?>, #gl>,
        memref<4x8xi8, strided<[1, 4]>, #ws>
  return
}

// CHECK-LABEL: func @pipelines
func.func @pipelines(%n: index, %step: index) {
  // CHECK: {carousel.pipeline = #carousel.pipeline<>}
  scf.for %i = %n to %n step %step {
  } {carousel.pipeline = #carousel.pipeline<stages = auto, prefetch = auto, mode = unified, scope = cta, release = auto, producers = 1>}
  // CHECK: {carousel.pipeline = #carousel.pipeline<stages = 4, prefetch = 2>}
  scf.for %i = %n to %n step %step {
  } {carousel.pipeline = #carousel.pipeline<prefetch = 2, stages = 4>}
  // CHECK: {carousel.pipeline = #carousel.pipeline<stages = [4, auto, 2], prefetch = 1, epilogue = peeled, stores = registers, store_slots = 3>}
  scf.for %i = %n to %n step %step {
  } {carousel.pipeline = #carousel.pipeline<stages = [4, auto, 2], store_slots = 3, epilogue = peeled, prefetch = 1, stores = registers>}
  // CHECK: {carousel.pipeline = #carousel.pipeline<stages = [auto], epilogue = predicated>}
  scf.for %i = %n to %n step %step {
  } {carousel.pipeline = #carousel.pipeline<stages = [auto], epilogue = predicated>}
  // CHECK: {carousel.pipeline = #carousel.pipeline<mode = specialized, multicast = 4>}
  scf.for %i = %n to %n step %step {
  } {carousel.pipeline = #carousel.pipeline<multicast = 4, mode = specialized>}
  // CHECK: {carousel.pipeline = #carousel.pipeline<stages = 1, prefetch = 0, release = cta_barrier>}
  scf.for %i = %n to %n step %step {
  } {carousel.pipeline = #carousel.pipeline<stages = 1, prefetch = 0, release = cta_barrier>}
  // CHECK: {carousel.pipeline = #carousel.pipeline<prefetch = 3, scope = warp, release = warp_barrier>}
  scf.for %i = %n to %n step %step {
  } {carousel.pipeline = #carousel.pipeline<prefetch = 3, scope = warp, release = warp_barrier>}
  // CHECK: {carousel.pipeline = #carousel.pipeline<stages = 3, scope = warpgroup, release = empty_barrier>}
  scf.for %i = %n to %n step %step {
  } {carousel.pipeline = #carousel.pipeline<stages = 3, scope = warpgroup, release = empty_barrier>}
  // CHECK: {carousel.pipeline = #carousel.pipeline<stages = 4, mode = specialized, producers = 4, producer_registers = 24, consumer_registers = 240>}
  scf.for %i = %n to %n step %step {
  } {carousel.pipeline = #carousel.pipeline<stages = 4, mode = specialized, producers = 4, producer_registers = 24, consumer_registers = 240>}
  return
}

// CHECK-LABEL: func @round
// DOC-EXAMPLE: carousel.round_tf32
func.func @round(%a: vector<64x32xf32>, %b: f32) -> (vector<64x32xf32>, f32) {
  // CHECK: carousel.round_tf32 %{{.+}} : vector<64x32xf32>
  %lhs = carousel.round_tf32 %a : vector<64x32xf32>
  // CHECK: carousel.round_tf32 %{{.+}} : f32
  %number = carousel.round_tf32 %b : f32
  return %lhs, %number : vector<64x32xf32>, f32
}

// Numbers with many digits, and with large exponents.
// CHECK-LABEL: func @fills
func.func @fills(%x: memref<?x?xf32, #gl>, %tile: memref<8x32xf32, #ws>, %i: index, %j: index) {
  // CHECK: carousel.load {{.*}} fill(16777217.0) : memref
  carousel.load %x[%i, %j] to %tile fill(16777217.0)
      : memref<?x?xf32, #gl>, memref<8x32xf32, #ws>
  // CHECK: carousel.load {{.*}} fill(-1.0E+30) : memref
  carousel.load %x[%i, %j] to %tile fill(-1.0e30)
      : memref<?x?xf32, #gl>, memref<8x32xf32, #ws>
  // CHECK: carousel.load {{.*}} fill(0.33333333333333331) : memref
  carousel.load %x[%i, %j] to %tile fill(0.3333333333333333)
      : memref<?x?xf32, #gl>, memref<8x32xf32, #ws>
  // CHECK: carousel.load {{.*}} fill(-9223372036854775808) : memref
  carousel.load %x[%i, %j] to %tile fill(-9223372036854775808)
      : memref<?x?xf32, #gl>, memref<8x32xf32, #ws>
  return
}
