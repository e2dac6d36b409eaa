// A remark says why tiles of a stream that a mask excludes are computed.
// RUN: carousel-opt %s --carousel-form-groups --carousel-schedule-groups --carousel-lower-groups --remarks-filter="carousel-(schedule|lower)-groups" -o /dev/null 2>&1 | tee %t | FileCheck %s
// RUN: FileCheck %s --check-prefix=TIME --input-file=%t

#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// The mask keeps each row's diagonal element, so the loop skips the tiles past the diagonal: 528 of 1024 are 1.1 GFLOP.
// CHECK-NOT: Mask {{.*}}Function=causal
// TIME: Function=causal {{.*}}Gigaoperations=1.1,
func.func @causal(%q: tensor<4096x64xbf16>, %k: tensor<64x4096xbf16>) -> tensor<4096xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant -1.0e30 : f32
  %never = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<4096x4096xf32>
  %er = tensor.empty() : tensor<4096xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%es : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %s = linalg.matmul ins(%q, %k : tensor<4096x64xbf16>, tensor<64x4096xbf16>) outs(%zeros : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %t = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<4096x4096xf32>) outs(%es : tensor<4096x4096xf32>) {
  ^bb0(%a: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %same = arith.cmpi sge, %i, %j : index
    %r = arith.select %same, %a, %low : f32
    linalg.yield %r : f32
  } -> tensor<4096x4096xf32>
  %lows = linalg.fill ins(%never : f32) outs(%er : tensor<4096xf32>) -> tensor<4096xf32>
  %top = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%t : tensor<4096x4096xf32>) outs(%lows : tensor<4096xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.maximumf %o, %a : f32
    linalg.yield %r : f32
  } -> tensor<4096xf32>
  return %top : tensor<4096xf32>
}

// The last row has no element that counts: it is an average of all.
// CHECK: Mask {{.*}}Function=later_0 | {{.*}}Remark="tiles that a mask excludes are computed: 'elementwise at {{.*}}': a finite number excludes elements, and a row may have no other"
func.func @later(%q: tensor<4096x64xbf16>, %k: tensor<64x4096xbf16>) -> tensor<4096xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant -1.0e30 : f32
  %never = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<4096x4096xf32>
  %er = tensor.empty() : tensor<4096xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%es : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %s = linalg.matmul ins(%q, %k : tensor<4096x64xbf16>, tensor<64x4096xbf16>) outs(%zeros : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %t = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<4096x4096xf32>) outs(%es : tensor<4096x4096xf32>) {
  ^bb0(%a: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %same = arith.cmpi slt, %i, %j : index
    %r = arith.select %same, %a, %low : f32
    linalg.yield %r : f32
  } -> tensor<4096x4096xf32>
  %lows = linalg.fill ins(%never : f32) outs(%er : tensor<4096xf32>) -> tensor<4096xf32>
  %top = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%t : tensor<4096x4096xf32>) outs(%lows : tensor<4096xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.maximumf %o, %a : f32
    linalg.yield %r : f32
  } -> tensor<4096xf32>
  return %top : tensor<4096xf32>
}

// CHECK: Mask {{.*}}Function=pages_0 | {{.*}}Remark="tiles that a mask excludes are computed: 'elementwise at {{.*}}': its condition doesn't bound the tiles of rows"
func.func @pages(%q: tensor<4096x64xbf16>, %k: tensor<64x4096xbf16>) -> tensor<4096xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant -1.0e30 : f32
  %never = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<4096x4096xf32>
  %er = tensor.empty() : tensor<4096xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%es : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %s = linalg.matmul ins(%q, %k : tensor<4096x64xbf16>, tensor<64x4096xbf16>) outs(%zeros : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %t = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<4096x4096xf32>) outs(%es : tensor<4096x4096xf32>) {
  ^bb0(%a: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %size = arith.constant 16 : index
    %x = arith.divui %i, %size : index
    %y = arith.divui %j, %size : index
    %same = arith.cmpi eq, %x, %y : index
    %r = arith.select %same, %a, %low : f32
    linalg.yield %r : f32
  } -> tensor<4096x4096xf32>
  %lows = linalg.fill ins(%never : f32) outs(%er : tensor<4096xf32>) -> tensor<4096xf32>
  %top = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%t : tensor<4096x4096xf32>) outs(%lows : tensor<4096xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.maximumf %o, %a : f32
    linalg.yield %r : f32
  } -> tensor<4096xf32>
  return %top : tensor<4096xf32>
}

// PyTorch asks whether all elements of a row are minus infinity. Those that a finite number excludes aren't, and neither is the
// row's own.
// CHECK-NOT: Mask {{.*}}Function=none
// TIME: Function=none {{.*}}Gigaoperations=1.1,
func.func @none(%q: tensor<4096x64xbf16>, %k: tensor<64x4096xbf16>) -> (tensor<4096xf32>, tensor<4096xi1>) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant -1.0e30 : f32
  %never = arith.constant 0xFF800000 : f32
  %true = arith.constant true
  %es = tensor.empty() : tensor<4096x4096xf32>
  %er = tensor.empty() : tensor<4096xf32>
  %ei = tensor.empty() : tensor<4096xi1>
  %zeros = linalg.fill ins(%zero : f32) outs(%es : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %s = linalg.matmul ins(%q, %k : tensor<4096x64xbf16>, tensor<64x4096xbf16>) outs(%zeros : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %t = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<4096x4096xf32>) outs(%es : tensor<4096x4096xf32>) {
  ^bb0(%a: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %same = arith.cmpi sge, %i, %j : index
    %r = arith.select %same, %a, %low : f32
    linalg.yield %r : f32
  } -> tensor<4096x4096xf32>
  %lows = linalg.fill ins(%never : f32) outs(%er : tensor<4096xf32>) -> tensor<4096xf32>
  %top = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%t : tensor<4096x4096xf32>) outs(%lows : tensor<4096xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.maximumf %o, %a : f32
    linalg.yield %r : f32
  } -> tensor<4096xf32>
  %trues = linalg.fill ins(%true : i1) outs(%ei : tensor<4096xi1>) -> tensor<4096xi1>
  %none = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%t : tensor<4096x4096xf32>) outs(%trues : tensor<4096xi1>) {
  ^bb0(%a: f32, %o: i1):
    %c = arith.cmpf oeq, %a, %never : f32
    %r = arith.andi %c, %o : i1
    linalg.yield %r : i1
  } -> tensor<4096xi1>
  return %top, %none : tensor<4096xf32>, tensor<4096xi1>
}
