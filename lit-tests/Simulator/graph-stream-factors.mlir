// Attention of exact f32 whose keys or values are computed, or have 16 bits, compiles to several kernels that are right:
// threads that multiply factors have no registers for those that they compute or extend.
// DEFINE: %{function} =
// DEFINE: %{chips} = sm_80,sm_90a
// DEFINE: %{args} = --arg q=random:1x70x128:1 --arg k=random:1x70x128:2 --arg v=random:1x70x128:3 --arg result0=zeros:1x70x128
// DEFINE: %{within} = --rtol 1e-4 --atol 1e-5
// DEFINE: %{graph} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-graph %s --chip %{chips} --function %{function} -- %{args} %{within}
// REDEFINE: %{function} = computed
// RUN: %{graph} | FileCheck %s
// REDEFINE: %{function} = narrow
// RUN: %{graph} | FileCheck %s
// REDEFINE: %{function} = rotated
// The stream rounds the queries' sum once less.
// REDEFINE: %{within} = --rtol 2e-2 --atol 2e-2
// RUN: %{graph} | FileCheck %s --check-prefix=ROTATED
// ROTATED: {{[1-9]}} kernel
// ROTATED: block phase: right
// ROTATED: sm_80: right
// ROTATED: sm_90a: right
// CHECK: {{[2-9]}} kernels
// CHECK: block phase: right
// CHECK: sm_80: right
// CHECK: sm_90a: right

#sd = affine_map<(h, i, j, d) -> (h, i, d)>
#kd = affine_map<(h, i, j, d) -> (h, j, d)>
#sj = affine_map<(h, i, j, d) -> (h, i, j)>
#pj = affine_map<(h, i, d, j) -> (h, i, j)>
#vj = affine_map<(h, i, d, j) -> (h, j, d)>
#yd = affine_map<(h, i, d, j) -> (h, i, d)>
#all = affine_map<(h, i, j) -> (h, i, j)>
#row = affine_map<(h, i, j) -> (h, i)>
#product = ["parallel", "parallel", "parallel", "reduction"]
#elements = ["parallel", "parallel", "parallel"]
#sums = ["parallel", "parallel", "reduction"]
#q = #carousel.argument<"q", in>
#k = #carousel.argument<"k", in>
#v = #carousel.argument<"v", in>
!q = tensor<1x70x128xf32>
!h = tensor<1x70x128xbf16>
!s = tensor<1x70x70xf32>
!r = tensor<1x70xf32>

// Keys are scaled, and values are, and are bounded.
func.func @computed(%q: !q {carousel.argument = #q}, %k: !q {carousel.argument = #k}, %v: !q {carousel.argument = #v}) -> !q {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.7 : f32
  %eq = tensor.empty() : !q
  %es = tensor.empty() : !s
  %er = tensor.empty() : !r
  %ck = linalg.generic {indexing_maps = [#all, #all], iterator_types = #elements} ins(%k : !q) outs(%eq : !q) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.mulf %a, %scale : f32
    linalg.yield %r : f32
  } -> !q
  %cv = linalg.generic {indexing_maps = [#all, #all], iterator_types = #elements} ins(%v : !q) outs(%eq : !q) {
  ^bb0(%a: f32, %o: f32):
    %x = arith.mulf %a, %scale : f32
    %r = arith.maximumf %x, %zero : f32
    linalg.yield %r : f32
  } -> !q
  %fs = linalg.fill ins(%zero : f32) outs(%es : !s) -> !s
  %s = linalg.generic {indexing_maps = [#sd, #kd, #sj], iterator_types = #product} ins(%q, %ck : !q, !q) outs(%fs : !s) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> !s
  %fm = linalg.fill ins(%low : f32) outs(%er : !r) -> !r
  %max = linalg.generic {indexing_maps = [#all, #row], iterator_types = #sums} ins(%s : !s) outs(%fm : !r) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.maximumf %a, %o : f32
    linalg.yield %r : f32
  } -> !r
  %p = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = #elements} ins(%s, %max : !s, !r) outs(%es : !s) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %x = arith.subf %a, %b : f32
    %r = math.exp %x : f32
    linalg.yield %r : f32
  } -> !s
  %fl = linalg.fill ins(%zero : f32) outs(%er : !r) -> !r
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = #sums} ins(%p : !s) outs(%fl : !r) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %a, %o : f32
    linalg.yield %r : f32
  } -> !r
  %w = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = #elements} ins(%p, %sum : !s, !r) outs(%es : !s) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = arith.divf %a, %b : f32
    linalg.yield %r : f32
  } -> !s
  %fy = linalg.fill ins(%zero : f32) outs(%eq : !q) -> !q
  %y = linalg.generic {indexing_maps = [#pj, #vj, #yd], iterator_types = #product} ins(%w, %cv : !s, !q) outs(%fy : !q) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %c = arith.mulf %a, %b : f32
    %r = arith.addf %o, %c : f32
    linalg.yield %r : f32
  } -> !q
  return %y : !q
}

// Keys and values have 16 bits.
func.func @narrow(%q: !q {carousel.argument = #q}, %k: !h {carousel.argument = #k}, %v: !h {carousel.argument = #v}) -> !q {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %eq = tensor.empty() : !q
  %es = tensor.empty() : !s
  %er = tensor.empty() : !r
  %fs = linalg.fill ins(%zero : f32) outs(%es : !s) -> !s
  %s = linalg.generic {indexing_maps = [#sd, #kd, #sj], iterator_types = #product} ins(%q, %k : !q, !h) outs(%fs : !s) {
  ^bb0(%a: f32, %b: bf16, %o: f32):
    %x = arith.extf %b : bf16 to f32
    %p = arith.mulf %a, %x : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> !s
  %fm = linalg.fill ins(%low : f32) outs(%er : !r) -> !r
  %max = linalg.generic {indexing_maps = [#all, #row], iterator_types = #sums} ins(%s : !s) outs(%fm : !r) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.maximumf %a, %o : f32
    linalg.yield %r : f32
  } -> !r
  %p = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = #elements} ins(%s, %max : !s, !r) outs(%es : !s) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %x = arith.subf %a, %b : f32
    %r = math.exp %x : f32
    linalg.yield %r : f32
  } -> !s
  %fl = linalg.fill ins(%zero : f32) outs(%er : !r) -> !r
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = #sums} ins(%p : !s) outs(%fl : !r) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %a, %o : f32
    linalg.yield %r : f32
  } -> !r
  %w = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = #elements} ins(%p, %sum : !s, !r) outs(%es : !s) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = arith.divf %a, %b : f32
    linalg.yield %r : f32
  } -> !s
  %fy = linalg.fill ins(%zero : f32) outs(%eq : !q) -> !q
  %y = linalg.generic {indexing_maps = [#pj, #vj, #yd], iterator_types = #product} ins(%w, %v : !s, !h) outs(%fy : !q) {
  ^bb0(%a: f32, %b: bf16, %o: f32):
    %x = arith.extf %b : bf16 to f32
    %c = arith.mulf %a, %x : f32
    %r = arith.addf %o, %c : f32
    linalg.yield %r : f32
  } -> !q
  return %y : !q
}

// Queries of 16 bits are rotated by halves: one branch computes f32 in a stream, and the other one reads bf16.
func.func @rotated(%q: !h {carousel.argument = #q}, %k: !q {carousel.argument = #k}, %v: !q {carousel.argument = #v}) -> !q {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %c64 = arith.constant 64 : index
  %eh = tensor.empty() : !h
  %eq = tensor.empty() : !q
  %es = tensor.empty() : !s
  %er = tensor.empty() : !r
  %rq = linalg.generic {indexing_maps = [#all], iterator_types = #elements} outs(%eh : !h) {
  ^bb0(%o: bf16):
    %h = linalg.index 0 : index
    %i = linalg.index 1 : index
    %d = linalg.index 2 : index
    %first = arith.cmpi ult, %d, %c64 : index
    %r = scf.if %first -> (bf16) {
      %at = arith.addi %d, %c64 : index
      %x = tensor.extract %q[%h, %i, %at] : !h
      %n = arith.negf %x : bf16
      scf.yield %n : bf16
    } else {
      %at = arith.subi %d, %c64 : index
      %x = tensor.extract %q[%h, %i, %at] : !h
      scf.yield %x : bf16
    }
    linalg.yield %r : bf16
  } -> !h
  %sq = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = #elements} ins(%q, %rq : !h, !h) outs(%eh : !h) {
  ^bb0(%a: bf16, %b: bf16, %o: bf16):
    %r = arith.addf %a, %b : bf16
    linalg.yield %r : bf16
  } -> !h
  %cq = linalg.generic {indexing_maps = [#all, #all], iterator_types = #elements} ins(%sq : !h) outs(%eq : !q) {
  ^bb0(%a: bf16, %o: f32):
    %r = arith.extf %a : bf16 to f32
    linalg.yield %r : f32
  } -> !q
  %fs = linalg.fill ins(%zero : f32) outs(%es : !s) -> !s
  %s = linalg.generic {indexing_maps = [#sd, #kd, #sj], iterator_types = #product} ins(%cq, %k : !q, !q) outs(%fs : !s) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> !s
  %fm = linalg.fill ins(%low : f32) outs(%er : !r) -> !r
  %max = linalg.generic {indexing_maps = [#all, #row], iterator_types = #sums} ins(%s : !s) outs(%fm : !r) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.maximumf %a, %o : f32
    linalg.yield %r : f32
  } -> !r
  %p = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = #elements} ins(%s, %max : !s, !r) outs(%es : !s) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %x = arith.subf %a, %b : f32
    %r = math.exp %x : f32
    linalg.yield %r : f32
  } -> !s
  %fl = linalg.fill ins(%zero : f32) outs(%er : !r) -> !r
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = #sums} ins(%p : !s) outs(%fl : !r) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %a, %o : f32
    linalg.yield %r : f32
  } -> !r
  %w = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = #elements} ins(%p, %sum : !s, !r) outs(%es : !s) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = arith.divf %a, %b : f32
    linalg.yield %r : f32
  } -> !s
  %fy = linalg.fill ins(%zero : f32) outs(%eq : !q) -> !q
  %y = linalg.generic {indexing_maps = [#pj, #vj, #yd], iterator_types = #product} ins(%w, %v : !s, !q) outs(%fy : !q) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %c = arith.mulf %a, %b : f32
    %r = arith.addf %o, %c : f32
    linalg.yield %r : f32
  } -> !q
  return %y : !q
}
