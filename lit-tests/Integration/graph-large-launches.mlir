// A causal stream of a graph has any number of rows: more than 65535 tiles of them are along x, where the grid has room. The
// host's check takes a variant. Here there are 65537 tiles of 128 rows.
// RUN: rm -rf %t && carousel-compile %s -o %t --chip sm_90 --no-cubin --no-libraries --quiet
// RUN: env LD_LIBRARY_PATH=%fake_driver_dir carousel-run %t --explain --kernel rows_0 --arg arg0=empty:1x8388609x16 --arg arg1=empty:1x1x16 --arg arg2=empty:1x1x16 --arg result0=empty:1x8388609x16 | FileCheck %s
// CHECK: chosen
// CHECK-NOT: expected a grid

#sd = affine_map<(h, i, j, d) -> (h, i, d)>
#kd = affine_map<(h, i, j, d) -> (h, j, d)>
#sj = affine_map<(h, i, j, d) -> (h, i, j)>
#pj = affine_map<(h, i, d, j) -> (h, i, j)>
#vj = affine_map<(h, i, d, j) -> (h, j, d)>
#yd = affine_map<(h, i, d, j) -> (h, i, d)>
#all = affine_map<(h, i, j) -> (h, i, j)>
#row = affine_map<(h, i, j) -> (h, i)>
!heads = tensor<?x?x16xbf16>
func.func @rows(%q: !heads, %k: !heads, %v: !heads) -> tensor<?x?x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %h = tensor.dim %q, %c0 : !heads
  %m = tensor.dim %q, %c1 : !heads
  %n = tensor.dim %k, %c1 : !heads
  %es = tensor.empty(%h, %m, %n) : tensor<?x?x?xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %s = linalg.generic {indexing_maps = [#sd, #kd, #sj], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : !heads, !heads) outs(%fs : tensor<?x?x?xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %x = arith.extf %a : bf16 to f32
    %y = arith.extf %b : bf16 to f32
    %p = arith.mulf %x, %y : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<?x?x?xf32>
  %t = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<?x?x?xf32>) outs(%es : tensor<?x?x?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %is = arith.cmpi sge, %i, %j : index
    %r = arith.select %is, %a, %low : f32
    linalg.yield %r : f32
  } -> tensor<?x?x?xf32>
  %er = tensor.empty(%h, %m) : tensor<?x?xf32>
  %fm = linalg.fill ins(%low : f32) outs(%er : tensor<?x?xf32>) -> tensor<?x?xf32>
  %max = linalg.reduce { arith.maximumf } ins(%t : tensor<?x?x?xf32>) outs(%fm : tensor<?x?xf32>) dimensions = [2]
  %ew = tensor.empty(%h, %m, %n) : tensor<?x?x?xbf16>
  %w = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%t, %max : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%ew : tensor<?x?x?xbf16>) {
  ^bb0(%a: f32, %b: f32, %o: bf16):
    %x = arith.subf %a, %b : f32
    %e = math.exp %x : f32
    %r = arith.truncf %e : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<?x?x?xbf16>
  %ey = tensor.empty(%h, %m) : tensor<?x?x16xf32>
  %fy = linalg.fill ins(%zero : f32) outs(%ey : tensor<?x?x16xf32>) -> tensor<?x?x16xf32>
  %y = linalg.generic {indexing_maps = [#pj, #vj, #yd], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%w, %v : tensor<?x?x?xbf16>, !heads) outs(%fy : tensor<?x?x16xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %x = arith.extf %a : bf16 to f32
    %t2 = arith.extf %b : bf16 to f32
    %p = arith.mulf %x, %t2 : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<?x?x16xf32>
  return %y : tensor<?x?x16xf32>
}
