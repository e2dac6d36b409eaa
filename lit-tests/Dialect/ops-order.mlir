// Round trip of turns, accumulations and tickets in every form, pretty and generic, and of the options of
// transfers that accumulations become.
// RUN: carousel-opt %s | carousel-opt | FileCheck %s
// RUN: carousel-opt %s --mlir-print-op-generic | carousel-opt | FileCheck %s

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

!counters = memref<?xi32, #gl>
!grid = memref<4x?xi32, strided<[?, ?], offset: ?>, #gl>
!tile = memref<1024xf32, #ws>
!box = memref<?xf32, #gl>

// CHECK-LABEL: func @turns
// DOC-EXAMPLE: carousel.pass_turn, carousel.serialize
func.func @turns(%s: !counters, %one: memref<i32, #gl>, %grid: !grid, %i: index, %turn: index,
                 %count: index, %v: f32) -> (f32, i1) {
  // CHECK: carousel.serialize %[[S:.+]][%[[I:.+]]] turn %[[TURN:.+]] of %[[COUNT:[^ ]+]] (%{{.+}}, %{{.+}}) {
  // CHECK-NEXT: } : memref<?xi32, #gpu.address_space<global>>
  carousel.serialize %s[%i] turn %turn of %count (%first, %last) {
  } : !counters
  // The terminator is printed where it passes something on.
  // CHECK: %[[RESULTS:.+]]:2 = carousel.serialize %{{.+}}[] turn %[[TURN]] of %[[COUNT]] (%[[FIRST:.+]], %[[LAST:.+]]) {
  // CHECK-NEXT: %[[IS_ONLY:.+]] = arith.andi %[[FIRST]], %[[LAST]] : i1
  // CHECK-NEXT: carousel.pass_turn %[[V:.+]], %[[IS_ONLY]] : f32, i1
  // CHECK-NEXT: } : memref<i32, #gpu.address_space<global>> -> f32, i1
  %r:2 = carousel.serialize %one[] turn %turn of %count (%first, %last) {
    %is_only = arith.andi %first, %last : i1
    carousel.pass_turn %v, %is_only : f32, i1
  } : memref<i32, #gl> -> f32, i1
  // CHECK: carousel.serialize %{{.+}}[%[[I]], %[[I]]] turn %[[TURN]] of %[[COUNT]] order(unordered) (%{{.+}}, %{{.+}}) {
  // CHECK-NEXT: } {tag} : memref<4x?xi32, strided<[?, ?], offset: ?>, #gpu.address_space<global>>
  carousel.serialize %grid[%i, %i] turn %turn of %count order(unordered) (%first, %last) {
    carousel.pass_turn
  } {tag} : !grid
  // What is as unless given isn't printed.
  // CHECK: turn %[[TURN]] of %[[COUNT]] (%{{.+}}, %{{.+}}) {
  carousel.serialize %s[%i] turn %turn of %count order(ordered) (%first, %last) {
  } : !counters
  // CHECK: return %[[RESULTS]]#0, %[[RESULTS]]#1
  return %r#0, %r#1 : f32, i1
}

// CHECK-LABEL: func @accumulate
// DOC-EXAMPLE: carousel.accumulate
func.func @accumulate(%tile: !tile, %y: !box, %i: index, %first: i1, %last: i1) {
  // CHECK: carousel.accumulate %[[TILE:.+]] into %[[Y:.+]][%[[I:.+]]] reduce<add f32> first(%[[FIRST:.+]]) : memref<1024xf32, #gpu.address_space<workgroup>>, memref<?xf32, #gpu.address_space<global>>
  carousel.accumulate %tile into %y[%i] reduce<add f32> first(%first) : !tile, !box
  // CHECK: carousel.accumulate %[[TILE]] into %[[Y]][%[[I]]] reduce<add f32> first(%[[FIRST]]) last(%[[LAST:.+]]) : memref
  carousel.accumulate %tile into %y[%i] reduce<add f32> first(%first) last(%last) : !tile, !box
  // CHECK: carousel.accumulate %[[TILE]] into %[[Y]][%[[I]]] in_bounds reduce<add f32> first(%[[FIRST]]) last(%[[LAST]]) scheme(registers) swizzle(b32) cache(evict_last) {tag} : memref
  carousel.accumulate %tile into %y[%i] in_bounds reduce<add f32> first(%first) last(%last)
      scheme(registers) swizzle(b32) cache(evict_last) {tag} : !tile, !box
  // CHECK: carousel.accumulate %[[TILE]] into %[[Y]][%[[I]]] reduce<add f32> first(%[[FIRST]]) last(%[[LAST]]) read_back(threads) : memref
  carousel.accumulate %tile into %y[%i] reduce<add f32> first(%first) last(%last)
      read_back(threads) : !tile, !box
  // CHECK: carousel.accumulate %[[TILE]] into %[[Y]][%[[I]]] reduce<add f32> first(%[[FIRST]]) last(%[[LAST]]) : memref
  carousel.accumulate %tile into %y[%i] reduce<add f32> first(%first) last(%last)
      scheme(transfers) read_back(transfer) swizzle(none) cache(evict_normal) : !tile, !box
  return
}

// Each scheme takes each reduction, and a tile of a lower rank.
// CHECK-LABEL: func @reductions
func.func @reductions(%f: memref<8xbf16, #ws>, %i: memref<8xi32, #ws>, %l: memref<8xi64, #ws>,
                      %yf: memref<?x?xbf16, #gl>, %yi: memref<?xi32, #gl>, %yl: memref<?xi64, #gl>,
                      %at: index, %first: i1) {
  // CHECK: carousel.accumulate %{{.+}} into %{{.+}}[%{{.+}}, %{{.+}}] reduce<max bf16> first
  carousel.accumulate %f into %yf[%at, %at] reduce<max bf16> first(%first)
      : memref<8xbf16, #ws>, memref<?x?xbf16, #gl>
  // CHECK: reduce<inc u32>
  carousel.accumulate %i into %yi[%at] reduce<inc u32> first(%first) scheme(registers)
      : memref<8xi32, #ws>, memref<?xi32, #gl>
  // CHECK: reduce<min s64>
  carousel.accumulate %l into %yl[%at] reduce<min s64> first(%first)
      : memref<8xi64, #ws>, memref<?xi64, #gl>
  // CHECK: reduce<xor b64>
  carousel.accumulate %l into %yl[%at] reduce<xor b64> first(%first)
      : memref<8xi64, #ws>, memref<?xi64, #gl>
  return
}

// CHECK-LABEL: func @tickets
// DOC-EXAMPLE: carousel.grid.ticket
func.func @tickets(%c: !counters, %one: memref<i32, #gl>, %i: index, %n: index) -> (index, index) {
  // CHECK: %[[TICKET:.+]] = carousel.grid.ticket %[[C:.+]][%[[I:.+]]] of %[[N:.+]] : memref<?xi32, #gpu.address_space<global>>
  %ticket = carousel.grid.ticket %c[%i] of %n : !counters
  // CHECK: carousel.grid.ticket %[[C]][%[[I]]] of %[[N]] acq_rel : memref<?xi32, #gpu.address_space<global>>
  %last = carousel.grid.ticket %c[%i] of %n acq_rel : !counters
  // CHECK: %[[OTHER:.+]] = carousel.grid.ticket %{{.+}}[] of %[[N]] {tag} : memref<i32, #gpu.address_space<global>>
  %other = carousel.grid.ticket %one[] of %n {tag} : memref<i32, #gl>
  // CHECK: return %[[TICKET]], %[[OTHER]]
  return %ticket, %other : index, index
}

// CHECK-LABEL: func @by_threads
func.func @by_threads(%tile: !tile, %y: !box, %i: index) {
  // CHECK: carousel.load %[[Y:.+]][%[[I:.+]]] to %[[TILE:.+]] by_threads : memref
  carousel.load %y[%i] to %tile by_threads : !box, !tile
  // CHECK: carousel.load %[[Y]][%[[I]]] to %[[TILE]] scope(warp) in_bounds by_threads reduce<add f32> swizzle(b32) cache(evict_first) engine<vector, width = 16> : memref
  carousel.load %y[%i] to %tile scope(warp) in_bounds by_threads reduce<add f32> swizzle(b32)
      cache(evict_first) engine<vector, width = 16> : !box, !tile
  // CHECK: carousel.load %[[Y]][%[[I]]] to %[[TILE]] by_threads fill(nan) reduce<add f32> : memref
  carousel.load %y[%i] to %tile by_threads fill(nan) reduce<add f32> : !box, !tile
  // CHECK: carousel.store %[[TILE]] to %[[Y]][%[[I]]] by_threads : memref
  carousel.store %tile to %y[%i] by_threads : !tile, !box
  // CHECK: carousel.store %[[TILE]] to %[[Y]][%[[I]]] reduce<add f32> exclusive : memref
  carousel.store %tile to %y[%i] reduce<add f32> exclusive : !tile, !box
  // CHECK: carousel.store %[[TILE]] to %[[Y]][%[[I]]] in_bounds by_threads reduce<add f32> exclusive cache(evict_unchanged) engine<vector, width = 16> : memref
  carousel.store %tile to %y[%i] in_bounds by_threads reduce<add f32> exclusive cache(evict_unchanged)
      engine<vector, width = 16> : !tile, !box
  return
}

// CHECK-LABEL: func @ring_transfers
func.func @ring_transfers(%tile: !tile, %y: !box, %i: index, %k: index) {
  %r = carousel.ring.create : !carousel.ring<1>
  carousel.ring.produce %r[%k] : !carousel.ring<1> {
    // CHECK: carousel.ring.load %{{.+}}[%{{.+}}] to %{{.+}} by_threads reduce<add f32> engine<vector, width = 4> : memref
    carousel.ring.load %y[%i] to %tile by_threads reduce<add f32> engine<vector, width = 4> : !box, !tile
  }
  carousel.ring.submit {
    // CHECK: carousel.ring.store %{{.+}} to %{{.+}}[%{{.+}}] by_threads reduce<add f32> exclusive engine<vector, width = 4> : memref
    carousel.ring.store %tile to %y[%i] by_threads reduce<add f32> exclusive engine<vector, width = 4> : !tile, !box
  }
  return
}
