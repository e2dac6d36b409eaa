// Gradients of values go along the rows of the softmax. A finite number excludes keys, and some rows have no others: they weigh all
// keys alike, so that no tile of them may be left out.
// RUN: env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-graph %s --as-written --chip sm_90a -- --arg arg0=random:6x197x24:1 --arg arg1=random:6x128x24:2 --arg arg2=random:6x197x24:3 --arg result0=zeros:6x128x24 --rtol 1e-3 --atol 1e-3 | FileCheck %s
// CHECK: block phase: right
// CHECK: sm_90a: right

#all = affine_map<(b, i, j) -> (b, i, j)>
#row = affine_map<(b, i, j) -> (b, i)>

func.func @main(%q: tensor<6x197x24xf32>, %k: tensor<6x128x24xf32>, %dy: tensor<6x197x24xf32>) -> tensor<6x128x24xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %never = arith.constant -1.0e30 : f32
  %c16 = arith.constant 16 : index
  %e = tensor.empty() : tensor<6x197x128xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<6x197x128xf32>) -> tensor<6x197x128xf32>
  %z = linalg.generic {indexing_maps = [affine_map<(b, i, j, d) -> (b, i, d)>, affine_map<(b, i, j, d) -> (b, j, d)>, affine_map<(b, i, j, d) -> (b, i, j)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<6x197x24xf32>, tensor<6x128x24xf32>) outs(%f : tensor<6x197x128xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<6x197x128xf32>
  %s = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%z : tensor<6x197x128xf32>) outs(%e : tensor<6x197x128xf32>) {
  ^bb0(%x: f32, %o: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %behind = arith.subi %i, %j : index
    %isNear = arith.cmpi slt, %behind, %c16 : index
    %isSeen = arith.cmpi sge, %i, %j : index
    %isKept = arith.andi %isSeen, %isNear : i1
    %0 = arith.select %isKept, %x, %never : f32
    linalg.yield %0 : f32
  } -> tensor<6x197x128xf32>
  %er = tensor.empty() : tensor<6x197xf32>
  %fm = linalg.fill ins(%low : f32) outs(%er : tensor<6x197xf32>) -> tensor<6x197xf32>
  %m = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%s : tensor<6x197x128xf32>) outs(%fm : tensor<6x197xf32>) {
  ^bb0(%x: f32, %o: f32):
    %0 = arith.maximumf %x, %o : f32
    linalg.yield %0 : f32
  } -> tensor<6x197xf32>
  %p = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s, %m : tensor<6x197x128xf32>, tensor<6x197xf32>) outs(%e : tensor<6x197x128xf32>) {
  ^bb0(%x: f32, %max: f32, %o: f32):
    %0 = arith.subf %x, %max : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  } -> tensor<6x197x128xf32>
  %fl = linalg.fill ins(%zero : f32) outs(%er : tensor<6x197xf32>) -> tensor<6x197xf32>
  %l = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%p : tensor<6x197x128xf32>) outs(%fl : tensor<6x197xf32>) {
  ^bb0(%x: f32, %o: f32):
    %0 = arith.addf %x, %o : f32
    linalg.yield %0 : f32
  } -> tensor<6x197xf32>
  %w = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%p, %l : tensor<6x197x128xf32>, tensor<6x197xf32>) outs(%e : tensor<6x197x128xf32>) {
  ^bb0(%x: f32, %sum: f32, %o: f32):
    %0 = arith.divf %x, %sum : f32
    linalg.yield %0 : f32
  } -> tensor<6x197x128xf32>
  %ev = tensor.empty() : tensor<6x128x24xf32>
  %fv = linalg.fill ins(%zero : f32) outs(%ev : tensor<6x128x24xf32>) -> tensor<6x128x24xf32>
  %dv = linalg.generic {indexing_maps = [affine_map<(b, j, d, i) -> (b, i, j)>, affine_map<(b, j, d, i) -> (b, i, d)>, affine_map<(b, j, d, i) -> (b, j, d)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%w, %dy : tensor<6x197x128xf32>, tensor<6x197x24xf32>) outs(%fv : tensor<6x128x24xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<6x128x24xf32>
  return %dv : tensor<6x128x24xf32>
}
