// carousel-expand-accumulate: the transfers of each scheme are those of the table in docs/Ordering.md.
// Unordered turns are removed. The result passes verify-tile. A second run changes nothing.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-verify-tile,carousel-expand-accumulate,carousel-verify-tile))' | FileCheck %s --implicit-check-not=carousel.accumulate --implicit-check-not=order(unordered)
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-expand-accumulate))' --remarks-filter=carousel-expand-accumulate --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK --implicit-check-not=Function=apart
// A second run finds nothing.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-expand-accumulate))' -o %t.once
// RUN: carousel-opt %t.once --pass-pipeline='builtin.module(gpu.module(carousel-expand-accumulate))' -o %t.twice
// RUN: diff %t.once %t.twice

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!box = memref<?xf32, #gl>
!counters = memref<?xi32, #gl>
!tile = memref<1024xf32, #ws>

gpu.module @kernels {
  // The first turn stores, later ones reduce; nobody reads the sum.
  // CHECK-LABEL: gpu.func @transfers(
  // CHECK-SAME: %[[Y:.+]]: memref<?xf32, {{.+}}>, %[[S:.+]]: memref<?xi32, {{.+}}>, %[[I:[^:]+]]: index, %[[TURN:[^:]+]]: index, %[[COUNT:[^:]+]]: index) workgroup(%[[TILE:[^ ]+]] :
  // CHECK-NEXT: carousel.serialize %[[S]][%[[I]]] turn %[[TURN]] of %[[COUNT]] (%[[FIRST:.+]], %{{.+}}) {
  // CHECK-NEXT: scf.if %[[FIRST]] {
  // CHECK-NEXT: carousel.store %[[TILE]] to %[[Y]][%[[I]]] :
  // CHECK-NEXT: } else {
  // CHECK-NEXT: carousel.store %[[TILE]] to %[[Y]][%[[I]]] reduce<add f32> exclusive :
  // CHECK-NEXT: }
  // CHECK-NEXT: } :
  // CHECK-NEXT: gpu.return
  // REMARK: remark: [Missed] Semaphores | Category:carousel-expand-accumulate | Function=transfers | Remark="semaphores are 4 bytes apart: CTAs that wait for one slow down those of its line, of 128 bytes"
  // REMARK: remark: [Passed] Accumulate | Category:carousel-expand-accumulate | Function=transfers | Remark="scheme transfers, not read back"
  gpu.func @transfers(%y: !box, %s: !counters, %i: index, %turn: index, %count: index)
      workgroup(%tile: !tile) kernel {
    carousel.serialize %s[%i] turn %turn of %count (%first, %last) {
      carousel.accumulate %tile into %y[%i] reduce<add f32> first(%first) : !tile, !box
    } : !counters
    gpu.return
  }

  // The last turn, as well if it is the first one, then loads what is in memory.
  // CHECK-LABEL: gpu.func @transfers_read_back(
  // CHECK-SAME: workgroup(%[[TILE:[^ ]+]] :
  // CHECK: (%[[FIRST:.+]], %[[LAST:.+]]) {
  // CHECK-NEXT: scf.if %[[FIRST]] {
  // CHECK-NEXT: carousel.store %[[TILE]] to %[[Y:.+]][%{{.+}}] :
  // CHECK-NEXT: } else {
  // CHECK-NEXT: carousel.store %[[TILE]] to %[[Y]][%{{.+}}] reduce<add f32> exclusive :
  // CHECK-NEXT: }
  // CHECK-NEXT: scf.if %[[LAST]] {
  // CHECK-NEXT: carousel.load %[[Y]][%{{.+}}] to %[[TILE]] :
  // CHECK-NEXT: }
  // CHECK-NEXT: } :
  // REMARK: Function=transfers_read_back | Remark="scheme transfers, read back by a transfer"
  // DOC-EXAMPLE: --carousel-expand-accumulate
  gpu.func @transfers_read_back(%y: !box, %s: !counters, %i: index, %turn: index, %count: index)
      workgroup(%tile: !tile) kernel {
    carousel.serialize %s[%i] turn %turn of %count (%first, %last) {
      carousel.accumulate %tile into %y[%i] reduce<add f32> first(%first) last(%last) : !tile, !box
    } : !counters
    gpu.return
  }

  // CHECK-LABEL: gpu.func @transfers_read_back_by_threads(
  // CHECK: carousel.store %{{.+}} to %{{.+}}[%{{.+}}] :
  // CHECK: carousel.store %{{.+}} to %{{.+}}[%{{.+}}] reduce<add f32> exclusive :
  // CHECK: carousel.load %{{.+}}[%{{.+}}] to %{{.+}} by_threads :
  // REMARK: Function=transfers_read_back_by_threads | Remark="scheme transfers, read back by threads"
  gpu.func @transfers_read_back_by_threads(%y: !box, %s: !counters, %i: index, %turn: index, %count: index)
      workgroup(%tile: !tile) kernel {
    carousel.serialize %s[%i] turn %turn of %count (%first, %last) {
      carousel.accumulate %tile into %y[%i] reduce<add f32> first(%first) last(%last) read_back(threads) : !tile, !box
    } : !counters
    gpu.return
  }

  // Without a last turn to speak of each but the first one adds in memory.
  // CHECK-LABEL: gpu.func @registers(
  // CHECK-SAME: workgroup(%[[TILE:[^ ]+]] :
  // CHECK: (%[[FIRST:.+]], %{{.+}}) {
  // CHECK-NEXT: scf.if %[[FIRST]] {
  // CHECK-NEXT: carousel.store %[[TILE]] to %[[Y:.+]][%{{.+}}] by_threads :
  // CHECK-NEXT: } else {
  // CHECK-NEXT: carousel.store %[[TILE]] to %[[Y]][%{{.+}}] by_threads reduce<add f32> exclusive :
  // CHECK-NEXT: }
  // CHECK-NEXT: } :
  // REMARK: Function=registers | Remark="scheme registers, not read back"
  gpu.func @registers(%y: !box, %s: !counters, %i: index, %turn: index, %count: index)
      workgroup(%tile: !tile) kernel {
    carousel.serialize %s[%i] turn %turn of %count (%first, %last) {
      carousel.accumulate %tile into %y[%i] reduce<add f32> first(%first) scheme(registers) : !tile, !box
    } : !counters
    gpu.return
  }

  // The last turn ends in the tile, and the only one of a segment as well: outside of the box it is zero. Who reads back isn't asked.
  // CHECK-LABEL: gpu.func @registers_to_tile(
  // CHECK-SAME: workgroup(%[[TILE:[^ ]+]] :
  // CHECK: (%[[FIRST:.+]], %[[LAST:.+]]) {
  // CHECK-NEXT: scf.if %[[LAST]] {
  // CHECK-NEXT: %[[TRUE:.+]] = arith.constant true
  // CHECK-NEXT: %[[IS_LATER:.+]] = arith.xori %[[FIRST]], %[[TRUE]] : i1
  // CHECK-NEXT: scf.if %[[IS_LATER]] {
  // CHECK-NEXT: carousel.load %[[Y:.+]][%{{.+}}] to %[[TILE]] by_threads reduce<add f32> :
  // CHECK-NEXT: } else {
  // CHECK-NEXT: carousel.store %[[TILE]] to %[[Y]][%{{.+}}] by_threads :
  // CHECK-NEXT: carousel.load %[[Y]][%{{.+}}] to %[[TILE]] by_threads :
  // CHECK-NEXT: }
  // CHECK-NEXT: } else {
  // CHECK-NEXT: scf.if %[[FIRST]] {
  // CHECK-NEXT: carousel.store %[[TILE]] to %[[Y]][%{{.+}}] by_threads :
  // CHECK-NEXT: } else {
  // CHECK-NEXT: carousel.store %[[TILE]] to %[[Y]][%{{.+}}] by_threads reduce<add f32> exclusive :
  // CHECK-NEXT: }
  // CHECK-NEXT: }
  // CHECK-NEXT: } :
  // REMARK: Function=registers_to_tile | Remark="scheme registers, the last turn in the tile"
  gpu.func @registers_to_tile(%y: !box, %s: !counters, %i: index, %turn: index, %count: index)
      workgroup(%tile: !tile) kernel {
    carousel.serialize %s[%i] turn %turn of %count (%first, %last) {
      carousel.accumulate %tile into %y[%i] reduce<add f32> first(%first) last(%last) scheme(registers) read_back(transfer) : !tile, !box
    } : !counters
    gpu.return
  }

  // What is said of the transfer is said of all that it becomes.
  // CHECK-LABEL: gpu.func @options(
  // CHECK: carousel.store {{.+}} in_bounds swizzle(b64) cache(evict_last) :
  // CHECK: carousel.store {{.+}} in_bounds reduce<max u32> exclusive swizzle(b64) cache(evict_last) :
  // CHECK: carousel.load {{.+}} in_bounds swizzle(b64) cache(evict_last) :
  // CHECK: carousel.load {{.+}} in_bounds by_threads reduce<max u32> swizzle(b64) cache(evict_last) :
  // CHECK: carousel.store {{.+}} in_bounds by_threads swizzle(b64) cache(evict_last) :
  // CHECK: carousel.store {{.+}} in_bounds by_threads reduce<max u32> exclusive swizzle(b64) cache(evict_last) :
  gpu.func @options(%y: memref<?x?xi32, #gl>, %s: !counters, %i: index, %turn: index, %count: index)
      workgroup(%tile: memref<8x32xi32, #ws>) kernel {
    carousel.serialize %s[%i] turn %turn of %count (%first, %last) {
      carousel.accumulate %tile into %y[%i, %i] in_bounds reduce<max u32> first(%first) last(%last) swizzle(b64)
          cache(evict_last) : memref<8x32xi32, #ws>, memref<?x?xi32, #gl>
      carousel.accumulate %tile into %y[%i, %turn] in_bounds reduce<max u32> first(%first) last(%last) scheme(registers)
          swizzle(b64) cache(evict_last) : memref<8x32xi32, #ws>, memref<?x?xi32, #gl>
    } : !counters
    gpu.return
  }

  // Nobody waits, and no turn is the first or the last one. Others reduce as well, so nothing is exclusive.
  // CHECK-LABEL: gpu.func @unordered(
  // CHECK-SAME: workgroup(%[[TILE:[^ ]+]] :
  // CHECK-NOT: carousel.serialize
  // CHECK: %[[NEVER:.+]] = arith.constant false
  // CHECK-NEXT: scf.if %[[NEVER]] {
  // CHECK-NEXT: carousel.store %[[TILE]] to %[[Y:.+]][%{{.+}}] :
  // CHECK-NEXT: } else {
  // CHECK-NEXT: carousel.store %[[TILE]] to %[[Y]][%{{.+}}] reduce<add f32> :
  // CHECK-NEXT: }
  // CHECK-NEXT: scf.if %[[NEVER]] {
  // CHECK-NEXT: carousel.load
  // CHECK-NEXT: }
  // What the region passes on is what its values are.
  // CHECK-NEXT: scf.if %[[NEVER]] {
  // CHECK-NEXT: memref.store %{{.+}}, %[[TILE]]
  // CHECK: gpu.return
  // REMARK: Function=unordered | Remark="scheme transfers, read back by a transfer"
  // REMARK: [Analysis] Unordered | Category:carousel-expand-accumulate | Function=unordered | Remark="no turns: sums that are rounded may differ from launch to launch"
  gpu.func @unordered(%y: !box, %s: !counters, %i: index, %turn: index, %count: index, %v: f32)
      workgroup(%tile: !tile) kernel {
    %r:2 = carousel.serialize %s[%i] turn %turn of %count order(unordered) (%first, %last) {
      carousel.accumulate %tile into %y[%i] reduce<add f32> first(%first) last(%last) : !tile, !box
      carousel.pass_turn %last, %v : i1, f32
    } : !counters -> i1, f32
    scf.if %r#0 {
      memref.store %r#1, %tile[%i] : !tile
    }
    gpu.return
  }

  // An accumulation outside of turns isn't alone with its box, either.
  // CHECK-LABEL: gpu.func @without_turns(
  // CHECK: scf.if %{{.+}} {
  // CHECK-NEXT: carousel.store %{{.+}} to %{{.+}}[%{{.+}}] by_threads :
  // CHECK-NEXT: } else {
  // CHECK-NEXT: carousel.store %{{.+}} to %{{.+}}[%{{.+}}] by_threads reduce<add f32> :
  // CHECK-NEXT: }
  // CHECK-NEXT: gpu.return
  gpu.func @without_turns(%y: !box, %i: index, %first: i1) workgroup(%tile: !tile) kernel {
    carousel.accumulate %tile into %y[%i] reduce<add f32> first(%first) scheme(registers) : !tile, !box
    gpu.return
  }

  // Under a condition in the region, and turns without an accumulation stay.
  // CHECK-LABEL: gpu.func @condition(
  // CHECK: carousel.serialize
  // CHECK-NEXT: scf.if %{{.+}} {
  // CHECK-NEXT: scf.if %{{.+}} {
  // CHECK-NEXT: carousel.store
  // CHECK: reduce<add f32> exclusive
  // CHECK: carousel.serialize
  // CHECK-NEXT: }
  // CHECK-NEXT: gpu.return
  gpu.func @condition(%y: !box, %s: !counters, %i: index, %turn: index, %count: index, %wanted: i1)
      workgroup(%tile: !tile) kernel {
    carousel.serialize %s[%i] turn %turn of %count (%first, %last) {
      scf.if %wanted {
        carousel.accumulate %tile into %y[%i] reduce<add f32> first(%first) : !tile, !box
      }
    } : !counters
    carousel.serialize %s[%i] turn %turn of %count (%first, %last) {
    } : !counters
    gpu.return
  }

  // Semaphores in lines of their own: there is nothing to say.
  gpu.func @apart(%s: memref<?x32xi32, #gl>, %i: index, %turn: index, %count: index) kernel {
    %c0 = arith.constant 0 : index
    carousel.serialize %s[%i, %c0] turn %turn of %count (%first, %last) {
    } : memref<?x32xi32, #gl>
    gpu.return
  }
}
