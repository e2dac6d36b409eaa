// The record of decisions survives printing and parsing, with its places.
// RUN: carousel-opt %s | carousel-opt | FileCheck %s
//      CHECK: #[[LOC:.+]] = loc("k.mlir":4:5)
//      CHECK: carousel.decisions = {
// CHECK-SAME:   misses = [{id = "prefetch:loop-carried", location = #[[LOC]], reason = "r", subject = "loop"}]
// CHECK-SAME:   notes = [{key = "time", value = "3 us"}]
// CHECK-SAME:   rings = [{engines = ["bulk"], is_load = true, loop = #[[LOC]], memrefs = ["x"], mode = "unified", prefetch = 3 : i64, release = "cta_barrier", scope = "cta", slot_bytes = 512 : i64, stages = 4 : i64}]
gpu.module @m {
  gpu.func @k() kernel attributes {carousel.decisions = {
      rings = [{loop = loc("k.mlir":4:5), is_load = true, memrefs = ["x"], engines = ["bulk"], stages = 4,
                slot_bytes = 512, prefetch = 3, scope = "cta", mode = "unified", release = "cta_barrier"}],
      misses = [{id = "prefetch:loop-carried", location = loc("k.mlir":4:5), subject = "loop", reason = "r"}],
      notes = [{key = "time", value = "3 us"}]}} {
    gpu.return
  }
}

// Of a graph, on the function and on the module.
// CHECK: module @graphs attributes {carousel.decisions = []} {
// CHECK: func.func @f() attributes {carousel.decisions = [{facts = [{key = "Bytes", value = "64"}], function = "f", is_warning = false, location = #[[LOC]], name = "Boundary", pass = "p", text = "t"}]}
module @graphs attributes {carousel.decisions = []} {
  func.func @f() attributes {carousel.decisions = [{pass = "p", name = "Boundary", function = "f", text = "t",
      facts = [{key = "Bytes", value = "64"}], location = loc("k.mlir":4:5), is_warning = false}]} {
    return
  }
}
