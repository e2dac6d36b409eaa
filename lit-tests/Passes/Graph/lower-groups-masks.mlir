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

// Exponentials less rows in memory, as gradients have: an excluded one is zero, and a factor of the sum.
// CHECK-NOT: Mask {{.*}}Function=known_rows
// TIME: Function=known_rows {{.*}}Gigaoperations=2.2,
func.func @known_rows(%q: tensor<4096x64xbf16>, %k: tensor<64x4096xbf16>, %v: tensor<4096x64xbf16>, %row: tensor<4096xf32>) -> tensor<4096x64xf32> {
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %never = arith.constant -1.0e30 : f32
  %es = tensor.empty() : tensor<4096x4096xf32>
  %ep = tensor.empty() : tensor<4096x4096xbf16>
  %ey = tensor.empty() : tensor<4096x64xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%es : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %start = linalg.fill ins(%zero : f32) outs(%ey : tensor<4096x64xf32>) -> tensor<4096x64xf32>
  %s = linalg.matmul ins(%q, %k : tensor<4096x64xbf16>, tensor<64x4096xbf16>) outs(%zeros : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %t = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<4096x4096xf32>) outs(%es : tensor<4096x4096xf32>) {
  ^bb0(%a: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %keeps = arith.cmpi sge, %i, %j : index
    %x = arith.select %keeps, %a, %never : f32
    linalg.yield %x : f32
  } -> tensor<4096x4096xf32>
  %p = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%t, %row : tensor<4096x4096xf32>, tensor<4096xf32>) outs(%ep : tensor<4096x4096xbf16>) {
  ^bb0(%a: f32, %b: f32, %o: bf16):
    %x = arith.subf %a, %b : f32
    %w = math.exp %x : f32
    %z = arith.mulf %w, %half : f32
    %n = arith.truncf %z : f32 to bf16
    linalg.yield %n : bf16
  } -> tensor<4096x4096xbf16>
  %y = linalg.generic {indexing_maps = [affine_map<(i, e, j) -> (i, j)>, affine_map<(i, e, j) -> (j, e)>, affine_map<(i, e, j) -> (i, e)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%p, %v : tensor<4096x4096xbf16>, tensor<4096x64xbf16>) outs(%start : tensor<4096x64xf32>) {
  ^bb0(%a: bf16, %b: bf16, %c: f32):
    %x = arith.extf %a : bf16 to f32
    %z = arith.extf %b : bf16 to f32
    %m = arith.mulf %x, %z : f32
    %u = arith.addf %c, %m : f32
    linalg.yield %u : f32
  } -> tensor<4096x64xf32>
  return %y : tensor<4096x64xf32>
}

// In gradients of keys, the mask's rows go along the sum.
// CHECK-NOT: Mask {{.*}}Function=rows_along
// TIME: Function=rows_along {{.*}}Gigaoperations=2.2,
func.func @rows_along(%q: tensor<4096x64xbf16>, %k: tensor<64x4096xbf16>, %v: tensor<4096x64xbf16>, %row: tensor<4096xf32>) -> tensor<4096x64xf32> {
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %never = arith.constant -1.0e30 : f32
  %es = tensor.empty() : tensor<4096x4096xf32>
  %ep = tensor.empty() : tensor<4096x4096xbf16>
  %ey = tensor.empty() : tensor<4096x64xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%es : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %start = linalg.fill ins(%zero : f32) outs(%ey : tensor<4096x64xf32>) -> tensor<4096x64xf32>
  %s = linalg.matmul ins(%q, %k : tensor<4096x64xbf16>, tensor<64x4096xbf16>) outs(%zeros : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %t = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<4096x4096xf32>) outs(%es : tensor<4096x4096xf32>) {
  ^bb0(%a: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %keeps = arith.cmpi sge, %i, %j : index
    %x = arith.select %keeps, %a, %never : f32
    linalg.yield %x : f32
  } -> tensor<4096x4096xf32>
  %p = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%t, %row : tensor<4096x4096xf32>, tensor<4096xf32>) outs(%ep : tensor<4096x4096xbf16>) {
  ^bb0(%a: f32, %b: f32, %o: bf16):
    %x = arith.subf %a, %b : f32
    %w = math.exp %x : f32
    %z = arith.mulf %w, %half : f32
    %n = arith.truncf %z : f32 to bf16
    linalg.yield %n : bf16
  } -> tensor<4096x4096xbf16>
  %y = linalg.generic {indexing_maps = [affine_map<(i, e, j) -> (j, i)>, affine_map<(i, e, j) -> (j, e)>, affine_map<(i, e, j) -> (i, e)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%p, %v : tensor<4096x4096xbf16>, tensor<4096x64xbf16>) outs(%start : tensor<4096x64xf32>) {
  ^bb0(%a: bf16, %b: bf16, %c: f32):
    %x = arith.extf %a : bf16 to f32
    %z = arith.extf %b : bf16 to f32
    %m = arith.mulf %x, %z : f32
    %u = arith.addf %c, %m : f32
    linalg.yield %u : f32
  } -> tensor<4096x64xf32>
  return %y : tensor<4096x64xf32>
}

// What is added to an excluded exponential counts.
// CHECK: Mask {{.*}}Function=added_0 {{.*}} a sum needs elements that it excludes
// TIME: Function=added {{.*}}Gigaoperations=4.3,
func.func @added(%q: tensor<4096x64xbf16>, %k: tensor<64x4096xbf16>, %v: tensor<4096x64xbf16>, %row: tensor<4096xf32>) -> tensor<4096x64xf32> {
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %never = arith.constant -1.0e30 : f32
  %es = tensor.empty() : tensor<4096x4096xf32>
  %ep = tensor.empty() : tensor<4096x4096xbf16>
  %ey = tensor.empty() : tensor<4096x64xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%es : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %start = linalg.fill ins(%zero : f32) outs(%ey : tensor<4096x64xf32>) -> tensor<4096x64xf32>
  %s = linalg.matmul ins(%q, %k : tensor<4096x64xbf16>, tensor<64x4096xbf16>) outs(%zeros : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %t = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<4096x4096xf32>) outs(%es : tensor<4096x4096xf32>) {
  ^bb0(%a: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %keeps = arith.cmpi sge, %i, %j : index
    %x = arith.select %keeps, %a, %never : f32
    linalg.yield %x : f32
  } -> tensor<4096x4096xf32>
  %p = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%t, %row : tensor<4096x4096xf32>, tensor<4096xf32>) outs(%ep : tensor<4096x4096xbf16>) {
  ^bb0(%a: f32, %b: f32, %o: bf16):
    %x = arith.subf %a, %b : f32
    %w = math.exp %x : f32
    %z = arith.addf %w, %half : f32
    %n = arith.truncf %z : f32 to bf16
    linalg.yield %n : bf16
  } -> tensor<4096x4096xbf16>
  %y = linalg.generic {indexing_maps = [affine_map<(i, e, j) -> (i, j)>, affine_map<(i, e, j) -> (j, e)>, affine_map<(i, e, j) -> (i, e)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%p, %v : tensor<4096x4096xbf16>, tensor<4096x64xbf16>) outs(%start : tensor<4096x64xf32>) {
  ^bb0(%a: bf16, %b: bf16, %c: f32):
    %x = arith.extf %a : bf16 to f32
    %z = arith.extf %b : bf16 to f32
    %m = arith.mulf %x, %z : f32
    %u = arith.addf %c, %m : f32
    linalg.yield %u : f32
  } -> tensor<4096x64xf32>
  return %y : tensor<4096x64xf32>
}
