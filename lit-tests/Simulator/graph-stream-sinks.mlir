// Attention with a sink, whose logit a softmax takes as one column more: the maximum and the sum begin with it after the last
// tile, and all is one kernel.
// RUN: env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-graph %s --chip sm_90a --kernels 1 -- --arg arg0=random:2x256x64:1 --arg arg1=random:2x256x64:2 --arg arg2=random:2x256x64:3 --arg arg3=random:2:4 --arg result0=zeros:2x256x64 --rtol 2e-2 --atol 2e-2 | FileCheck %s
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
#head = affine_map<(h, i, j) -> (h)>
#r = affine_map<(h, i) -> (h, i)>
#rh = affine_map<(h, i) -> (h)>
func.func @main(%q: tensor<2x256x64xbf16>, %k: tensor<2x256x64xbf16>, %v: tensor<2x256x64xbf16>, %sink: tensor<2xf32>) -> tensor<2x256x64xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.125 : f32
  %es = tensor.empty() : tensor<2x256x256xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<2x256x256xf32>) -> tensor<2x256x256xf32>
  %s0 = linalg.generic {indexing_maps = [#qd, #kd, #sj], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<2x256x64xbf16>, tensor<2x256x64xbf16>) outs(%fs : tensor<2x256x256xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %x = arith.extf %a : bf16 to f32
    %y = arith.extf %b : bf16 to f32
    %p = arith.mulf %x, %y : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x256x256xf32>
  %s = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s0 : tensor<2x256x256xf32>) outs(%es : tensor<2x256x256xf32>) {
  ^bb0(%a: f32, %o: f32):
    %x = arith.mulf %a, %scale : f32
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %c = arith.cmpi sge, %i, %j : index
    %r = arith.select %c, %x, %low : f32
    linalg.yield %r : f32
  } -> tensor<2x256x256xf32>
  %er = tensor.empty() : tensor<2x256xf32>
  %fm = linalg.fill ins(%low : f32) outs(%er : tensor<2x256xf32>) -> tensor<2x256xf32>
  %fz = linalg.fill ins(%zero : f32) outs(%er : tensor<2x256xf32>) -> tensor<2x256xf32>
  %ec = tensor.empty() : tensor<2x256x1xf32>
  %col = linalg.generic {indexing_maps = [#head, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%sink : tensor<2xf32>) outs(%ec : tensor<2x256x1xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<2x256x1xf32>
  %cat = tensor.concat dim(2) %s, %col : (tensor<2x256x256xf32>, tensor<2x256x1xf32>) -> tensor<2x256x257xf32>
  %m = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%cat : tensor<2x256x257xf32>) outs(%fm : tensor<2x256xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.maximumf %a, %o : f32
    linalg.yield %r : f32
  } -> tensor<2x256xf32>
  %ep = tensor.empty() : tensor<2x256x257xf32>
  %p = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cat, %m : tensor<2x256x257xf32>, tensor<2x256xf32>) outs(%ep : tensor<2x256x257xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %d = arith.subf %a0, %a1 : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<2x256x257xf32>
  %l = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%p : tensor<2x256x257xf32>) outs(%fz : tensor<2x256xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %a, %o : f32
    linalg.yield %r : f32
  } -> tensor<2x256xf32>
  %ew = tensor.empty() : tensor<2x256x257xf32>
  %w = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%p, %l : tensor<2x256x257xf32>, tensor<2x256xf32>) outs(%ew : tensor<2x256x257xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %r = arith.divf %a0, %a1 : f32
    linalg.yield %r : f32
  } -> tensor<2x256x257xf32>
  %ws = tensor.extract_slice %w[0, 0, 0] [2, 256, 256] [1, 1, 1] : tensor<2x256x257xf32> to tensor<2x256x256xf32>
  %ewb = tensor.empty() : tensor<2x256x256xbf16>
  %wb = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%ws : tensor<2x256x256xf32>) outs(%ewb : tensor<2x256x256xbf16>) {
  ^bb0(%a0: f32, %o: bf16):
    %r = arith.truncf %a0 : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<2x256x256xbf16>
  %eyy = tensor.empty() : tensor<2x256x64xf32>
  %fyy = linalg.fill ins(%zero : f32) outs(%eyy : tensor<2x256x64xf32>) -> tensor<2x256x64xf32>
  %y = linalg.generic {indexing_maps = [#pj, #vj, #yd], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%wb, %v : tensor<2x256x256xbf16>, tensor<2x256x64xbf16>) outs(%fyy : tensor<2x256x64xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %x = arith.extf %a : bf16 to f32
    %z = arith.extf %b : bf16 to f32
    %c = arith.mulf %x, %z : f32
    %r = arith.addf %o, %c : f32
    linalg.yield %r : f32
  } -> tensor<2x256x64xf32>
  return %y : tensor<2x256x64xf32>
}
