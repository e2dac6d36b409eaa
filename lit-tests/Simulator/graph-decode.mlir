// Attention of one query, whose rows the normal form drops, is one kernel: ops from the one sum to the other get a dimension of
// one row, and so does a rounding after them. Where they are no stream, they stay sums, and a remark says why.
// RUN: carousel-opt %s --carousel-normalize-graph --carousel-split-online-reductions | FileCheck %s --check-prefix=ROW
// RUN: carousel-opt %s --carousel-normalize-graph --carousel-split-online-reductions --remarks-filter=carousel-split-online-reductions -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// DEFINE: %{args} =
// DEFINE: %{function} = row
// DEFINE: %{simulate} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-graph %s --function %{function} --chip sm_90a --kernels 1 -- %{args} | FileCheck %s
// REDEFINE: %{args} = --arg arg0=random:2x1x64:1 --arg arg1=random:2x1037x64:2 --arg arg2=random:2x1037x64:3 --arg result0=zeros:2x1x64 --rtol 1e-2 --atol 1e-2
// RUN: %{simulate}
// REDEFINE: %{args} = --arg arg0=random:2x1x64:1 --arg arg1=random:2x600x64:2 --arg arg2=random:2x600x64:3 --arg result0=zeros:2x1x64 --rtol 1e-5 --atol 1e-5
// REDEFINE: %{function} = exact
// RUN: %{simulate}
// CHECK: block phase: right
// CHECK: sm_90a: right

#qd = affine_map<(h, i, j, d) -> (h, i, d)>
#kd = affine_map<(h, i, j, d) -> (h, j, d)>
#sj = affine_map<(h, i, j, d) -> (h, i, j)>
#pj = affine_map<(h, i, d, j) -> (h, i, j)>
#vj = affine_map<(h, i, d, j) -> (h, j, d)>
#yd = affine_map<(h, i, d, j) -> (h, i, d)>
#all = affine_map<(h, i, j) -> (h, i, j)>
#row = affine_map<(h, i, j) -> (h, i)>

// REMARK: Row {{.*}}Function=row | Remark="one row is a matrix with which a stream is computed"
// ROW-LABEL: func.func @row
// ROW: linalg.generic {{.*}} ins(%{{.+}}, %{{.+}} : tensor<2x1x64xbf16>, tensor<2x1037x64xbf16>) outs(%{{.+}} : tensor<2x1x1037xf32>)
// ROW: linalg.index 2
// ROW: linalg.generic {{.*}} ins(%{{.+}} : tensor<2x1x1037xf32>) outs(%{{.+}} : tensor<2x1xf32>)
// ROW: linalg.generic {{.*}} ins(%{{.+}}, %{{.+}} : tensor<2x1x1037xbf16>, tensor<2x1037x64xbf16>) outs(%{{.+}} : tensor<2x1x64xf32>)
// ROW: linalg.generic {{.*}} outs(%{{.+}} : tensor<2x1x64xbf16>)
func.func @row(%q: tensor<2x1x64xbf16>, %k: tensor<2x1037x64xbf16>, %v: tensor<2x1037x64xbf16>) -> tensor<2x1x64xbf16> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<2x1x1037xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<2x1x1037xf32>) -> tensor<2x1x1037xf32>
  %s0 = linalg.generic {indexing_maps = [#qd, #kd, #sj], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<2x1x64xbf16>, tensor<2x1037x64xbf16>) outs(%fs : tensor<2x1x1037xf32>) {
  ^bb0(%a: bf16, %b2: bf16, %o: f32):
    %x = arith.extf %a : bf16 to f32
    %z = arith.extf %b2 : bf16 to f32
    %pp = arith.mulf %x, %z : f32
    %r = arith.addf %o, %pp : f32
    linalg.yield %r : f32
  } -> tensor<2x1x1037xf32>
  %scale = arith.constant 1.250000e-01 : f32
  %es1 = tensor.empty() : tensor<2x1x1037xf32>
  %s = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s0 : tensor<2x1x1037xf32>) outs(%es1 : tensor<2x1x1037xf32>) {
  ^bb0(%a: f32, %o: f32):
    %y9 = arith.mulf %a, %scale : f32
    %last = arith.constant 900 : index
    %j = linalg.index 2 : index
    %c = arith.cmpi sle, %j, %last : index
    %y2 = arith.select %c, %y9, %low : f32
    linalg.yield %y2 : f32
  } -> tensor<2x1x1037xf32>
  %er = tensor.empty() : tensor<2x1xf32>
  %fm = linalg.fill ins(%low : f32) outs(%er : tensor<2x1xf32>) -> tensor<2x1xf32>
  %max = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%s : tensor<2x1x1037xf32>) outs(%fm : tensor<2x1xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.maximumf %a, %o : f32
    linalg.yield %r : f32
  } -> tensor<2x1xf32>
  %w = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s, %max : tensor<2x1x1037xf32>, tensor<2x1xf32>) outs(%es1 : tensor<2x1x1037xf32>) {
  ^bb0(%a: f32, %b2: f32, %o: f32):
    %x = arith.subf %a, %b2 : f32
    %y = math.exp %x : f32
    linalg.yield %y : f32
  } -> tensor<2x1x1037xf32>
  %fl = linalg.fill ins(%zero : f32) outs(%er : tensor<2x1xf32>) -> tensor<2x1xf32>
  %l = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%w : tensor<2x1x1037xf32>) outs(%fl : tensor<2x1xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %a, %o : f32
    linalg.yield %r : f32
  } -> tensor<2x1xf32>
  %ew = tensor.empty() : tensor<2x1x1037xbf16>
  %p = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%w, %l : tensor<2x1x1037xf32>, tensor<2x1xf32>) outs(%ew : tensor<2x1x1037xbf16>) {
  ^bb0(%a: f32, %b2: f32, %o: bf16):
    %x = arith.divf %a, %b2 : f32
    %xt = arith.truncf %x : f32 to bf16
    linalg.yield %xt : bf16
  } -> tensor<2x1x1037xbf16>
  %ey = tensor.empty() : tensor<2x1x64xf32>
  %fy = linalg.fill ins(%zero : f32) outs(%ey : tensor<2x1x64xf32>) -> tensor<2x1x64xf32>
  %y = linalg.generic {indexing_maps = [#pj, #vj, #yd], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%p, %v : tensor<2x1x1037xbf16>, tensor<2x1037x64xbf16>) outs(%fy : tensor<2x1x64xf32>) {
  ^bb0(%a: bf16, %b2: bf16, %o: f32):
    %x = arith.extf %a : bf16 to f32
    %z = arith.extf %b2 : bf16 to f32
    %pp = arith.mulf %x, %z : f32
    %r = arith.addf %o, %pp : f32
    linalg.yield %r : f32
  } -> tensor<2x1x64xf32>
  %ez = tensor.empty() : tensor<2x1x64xbf16>
  %z = linalg.generic {indexing_maps = [affine_map<(h, i, d) -> (h, i, d)>, affine_map<(h, i, d) -> (h, i, d)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%y : tensor<2x1x64xf32>) outs(%ez : tensor<2x1x64xbf16>) {
  ^bb0(%a: f32, %o: bf16):
    %x = arith.truncf %a : f32 to bf16
    linalg.yield %x : bf16
  } -> tensor<2x1x64xbf16>
  return %z : tensor<2x1x64xbf16>
}

// REMARK: Row {{.*}}Function=exact | Remark="one row is a matrix with which a stream is computed"
func.func @exact(%q: tensor<2x1x64xf32>, %k: tensor<2x600x64xf32>, %v: tensor<2x600x64xf32>) -> tensor<2x1x64xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<2x1x600xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<2x1x600xf32>) -> tensor<2x1x600xf32>
  %s0 = linalg.generic {indexing_maps = [#qd, #kd, #sj], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<2x1x64xf32>, tensor<2x600x64xf32>) outs(%fs : tensor<2x1x600xf32>) {
  ^bb0(%a: f32, %b2: f32, %o: f32):
    %pp = arith.mulf %a, %b2 : f32
    %r = arith.addf %o, %pp : f32
    linalg.yield %r : f32
  } -> tensor<2x1x600xf32>
  %scale = arith.constant 1.250000e-01 : f32
  %es1 = tensor.empty() : tensor<2x1x600xf32>
  %s = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s0 : tensor<2x1x600xf32>) outs(%es1 : tensor<2x1x600xf32>) {
  ^bb0(%a: f32, %o: f32):
    %y9 = arith.mulf %a, %scale : f32
    linalg.yield %y9 : f32
  } -> tensor<2x1x600xf32>
  %er = tensor.empty() : tensor<2x1xf32>
  %fm = linalg.fill ins(%low : f32) outs(%er : tensor<2x1xf32>) -> tensor<2x1xf32>
  %max = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%s : tensor<2x1x600xf32>) outs(%fm : tensor<2x1xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.maximumf %a, %o : f32
    linalg.yield %r : f32
  } -> tensor<2x1xf32>
  %w = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s, %max : tensor<2x1x600xf32>, tensor<2x1xf32>) outs(%es1 : tensor<2x1x600xf32>) {
  ^bb0(%a: f32, %b2: f32, %o: f32):
    %x = arith.subf %a, %b2 : f32
    %y = math.exp %x : f32
    linalg.yield %y : f32
  } -> tensor<2x1x600xf32>
  %fl = linalg.fill ins(%zero : f32) outs(%er : tensor<2x1xf32>) -> tensor<2x1xf32>
  %l = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%w : tensor<2x1x600xf32>) outs(%fl : tensor<2x1xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %a, %o : f32
    linalg.yield %r : f32
  } -> tensor<2x1xf32>
  %ew = tensor.empty() : tensor<2x1x600xf32>
  %p = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%w, %l : tensor<2x1x600xf32>, tensor<2x1xf32>) outs(%ew : tensor<2x1x600xf32>) {
  ^bb0(%a: f32, %b2: f32, %o: f32):
    %x = arith.divf %a, %b2 : f32
    linalg.yield %x : f32
  } -> tensor<2x1x600xf32>
  %ey = tensor.empty() : tensor<2x1x64xf32>
  %fy = linalg.fill ins(%zero : f32) outs(%ey : tensor<2x1x64xf32>) -> tensor<2x1x64xf32>
  %y = linalg.generic {indexing_maps = [#pj, #vj, #yd], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%p, %v : tensor<2x1x600xf32>, tensor<2x600x64xf32>) outs(%fy : tensor<2x1x64xf32>) {
  ^bb0(%a: f32, %b2: f32, %o: f32):
    %pp = arith.mulf %a, %b2 : f32
    %r = arith.addf %o, %pp : f32
    linalg.yield %r : f32
  } -> tensor<2x1x64xf32>
  return %y : tensor<2x1x64xf32>
}

// REMARK: Row {{.*}}Function=tangents | Remark="one row isn't computed in one pass: 'math.tanh' in 'elementwise at {{.+}}' has no correction where a result of earlier tiles changes"
// ROW-LABEL: func.func @tangents
// ROW-NOT: 2x1x1037
func.func @tangents(%q: tensor<2x1x64xbf16>, %k: tensor<2x1037x64xbf16>, %v: tensor<2x1037x64xbf16>) -> tensor<2x1x64xbf16> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<2x1x1037xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<2x1x1037xf32>) -> tensor<2x1x1037xf32>
  %s0 = linalg.generic {indexing_maps = [#qd, #kd, #sj], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<2x1x64xbf16>, tensor<2x1037x64xbf16>) outs(%fs : tensor<2x1x1037xf32>) {
  ^bb0(%a: bf16, %b2: bf16, %o: f32):
    %x = arith.extf %a : bf16 to f32
    %z = arith.extf %b2 : bf16 to f32
    %pp = arith.mulf %x, %z : f32
    %r = arith.addf %o, %pp : f32
    linalg.yield %r : f32
  } -> tensor<2x1x1037xf32>
  %scale = arith.constant 1.250000e-01 : f32
  %es1 = tensor.empty() : tensor<2x1x1037xf32>
  %s = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s0 : tensor<2x1x1037xf32>) outs(%es1 : tensor<2x1x1037xf32>) {
  ^bb0(%a: f32, %o: f32):
    %y9 = arith.mulf %a, %scale : f32
    linalg.yield %y9 : f32
  } -> tensor<2x1x1037xf32>
  %er = tensor.empty() : tensor<2x1xf32>
  %fm = linalg.fill ins(%low : f32) outs(%er : tensor<2x1xf32>) -> tensor<2x1xf32>
  %max = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%s : tensor<2x1x1037xf32>) outs(%fm : tensor<2x1xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.maximumf %a, %o : f32
    linalg.yield %r : f32
  } -> tensor<2x1xf32>
  %w = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s, %max : tensor<2x1x1037xf32>, tensor<2x1xf32>) outs(%es1 : tensor<2x1x1037xf32>) {
  ^bb0(%a: f32, %b2: f32, %o: f32):
    %x = arith.subf %a, %b2 : f32
    %e = math.exp %x : f32
    %y = math.tanh %e : f32
    linalg.yield %y : f32
  } -> tensor<2x1x1037xf32>
  %fl = linalg.fill ins(%zero : f32) outs(%er : tensor<2x1xf32>) -> tensor<2x1xf32>
  %l = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%w : tensor<2x1x1037xf32>) outs(%fl : tensor<2x1xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %a, %o : f32
    linalg.yield %r : f32
  } -> tensor<2x1xf32>
  %ew = tensor.empty() : tensor<2x1x1037xbf16>
  %p = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%w, %l : tensor<2x1x1037xf32>, tensor<2x1xf32>) outs(%ew : tensor<2x1x1037xbf16>) {
  ^bb0(%a: f32, %b2: f32, %o: bf16):
    %x = arith.divf %a, %b2 : f32
    %xt = arith.truncf %x : f32 to bf16
    linalg.yield %xt : bf16
  } -> tensor<2x1x1037xbf16>
  %ey = tensor.empty() : tensor<2x1x64xf32>
  %fy = linalg.fill ins(%zero : f32) outs(%ey : tensor<2x1x64xf32>) -> tensor<2x1x64xf32>
  %y = linalg.generic {indexing_maps = [#pj, #vj, #yd], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%p, %v : tensor<2x1x1037xbf16>, tensor<2x1037x64xbf16>) outs(%fy : tensor<2x1x64xf32>) {
  ^bb0(%a: bf16, %b2: bf16, %o: f32):
    %x = arith.extf %a : bf16 to f32
    %z = arith.extf %b2 : bf16 to f32
    %pp = arith.mulf %x, %z : f32
    %r = arith.addf %o, %pp : f32
    linalg.yield %r : f32
  } -> tensor<2x1x64xf32>
  %ez = tensor.empty() : tensor<2x1x64xbf16>
  %z = linalg.generic {indexing_maps = [affine_map<(h, i, d) -> (h, i, d)>, affine_map<(h, i, d) -> (h, i, d)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%y : tensor<2x1x64xf32>) outs(%ez : tensor<2x1x64xbf16>) {
  ^bb0(%a: f32, %o: bf16):
    %x = arith.truncf %a : f32 to bf16
    linalg.yield %x : bf16
  } -> tensor<2x1x64xbf16>
  return %z : tensor<2x1x64xbf16>
}
