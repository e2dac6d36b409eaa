// Exponentials in one pass are of differences from the largest or least of their elements so far: of others, they may be infinite, or
// zero with an infinite factor to come.
// RUN: carousel-opt %s --carousel-normalize-graph --carousel-form-groups --remarks-filter=carousel-form-groups -o /dev/null 2>&1 | FileCheck %s

#all = affine_map<(h, i, j) -> (h, i, j)>
#row = affine_map<(h, i, j) -> (h, i)>

// A larger maximum has a factor that may be infinite.
// CHECK: Stream {{.*}}Function=of_sums | {{.*}}aren't one pass: exponentials in 'elementwise at {{.*}}' may be too large before the largest or least that they are computed with is known
func.func @of_sums(%q: tensor<8x512x64xbf16>, %k: tensor<8x64x512xbf16>, %v: tensor<8x512x64xbf16>, %b: tensor<8x512x512xf32>) -> tensor<8x512x64xf32> {
  %zero = arith.constant 0.0 : f32
  %start = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<8x512x512xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<8x512x512xf32>) -> tensor<8x512x512xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<8x512x64xbf16>, tensor<8x64x512xbf16>) outs(%fs : tensor<8x512x512xf32>) -> tensor<8x512x512xf32>
  %er = tensor.empty() : tensor<8x512xf32>
  %fm = linalg.fill ins(%start : f32) outs(%er : tensor<8x512xf32>) -> tensor<8x512xf32>
  %top = linalg.reduce { arith.maximumf } ins(%s : tensor<8x512x512xf32>) outs(%fm : tensor<8x512xf32>) dimensions = [2]
  %ew = tensor.empty() : tensor<8x512x512xbf16>
  %w = linalg.generic {indexing_maps = [#all, #row, #all, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s, %top, %b : tensor<8x512x512xf32>, tensor<8x512xf32>, tensor<8x512x512xf32>) outs(%ew : tensor<8x512x512xbf16>) {
  ^bb0(%a: f32, %m: f32, %c: f32, %o: bf16):
    %t = arith.addf %a, %m : f32
    %e = math.exp %t : f32
    %r = arith.truncf %e : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<8x512x512xbf16>
  %ey = tensor.empty() : tensor<8x512x64xf32>
  %fy = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x512x64xf32>) -> tensor<8x512x64xf32>
  %y = linalg.batch_matmul ins(%w, %v : tensor<8x512x512xbf16>, tensor<8x512x64xbf16>) outs(%fy : tensor<8x512x64xf32>) -> tensor<8x512x64xf32>
  return %y : tensor<8x512x64xf32>
}

// Above half of a maximum, exponentials may be infinite, and then have a factor of zero.
// CHECK: Stream {{.*}}Function=of_parts | {{.*}}aren't one pass: exponentials in 'elementwise at {{.*}}' may be too large before the largest or least that they are computed with is known
func.func @of_parts(%q: tensor<8x512x64xbf16>, %k: tensor<8x64x512xbf16>, %v: tensor<8x512x64xbf16>, %b: tensor<8x512x512xf32>) -> tensor<8x512x64xf32> {
  %zero = arith.constant 0.0 : f32
  %start = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<8x512x512xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<8x512x512xf32>) -> tensor<8x512x512xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<8x512x64xbf16>, tensor<8x64x512xbf16>) outs(%fs : tensor<8x512x512xf32>) -> tensor<8x512x512xf32>
  %er = tensor.empty() : tensor<8x512xf32>
  %fm = linalg.fill ins(%start : f32) outs(%er : tensor<8x512xf32>) -> tensor<8x512xf32>
  %top = linalg.reduce { arith.maximumf } ins(%s : tensor<8x512x512xf32>) outs(%fm : tensor<8x512xf32>) dimensions = [2]
  %ew = tensor.empty() : tensor<8x512x512xbf16>
  %w = linalg.generic {indexing_maps = [#all, #row, #all, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s, %top, %b : tensor<8x512x512xf32>, tensor<8x512xf32>, tensor<8x512x512xf32>) outs(%ew : tensor<8x512x512xbf16>) {
  ^bb0(%a: f32, %m: f32, %c: f32, %o: bf16):
    %half = arith.constant 0.5 : f32
    %n = arith.mulf %m, %half : f32
    %t = arith.subf %a, %n : f32
    %e = math.exp %t : f32
    %r = arith.truncf %e : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<8x512x512xbf16>
  %ey = tensor.empty() : tensor<8x512x64xf32>
  %fy = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x512x64xf32>) -> tensor<8x512x64xf32>
  %y = linalg.batch_matmul ins(%w, %v : tensor<8x512x512xbf16>, tensor<8x512x64xbf16>) outs(%fy : tensor<8x512x64xf32>) -> tensor<8x512x64xf32>
  return %y : tensor<8x512x64xf32>
}

// The maximum is of scores without the bias.
// CHECK: Stream {{.*}}Function=of_later_bias | {{.*}}aren't one pass: exponentials in 'elementwise at {{.*}}' may be too large before the largest or least that they are computed with is known
func.func @of_later_bias(%q: tensor<8x512x64xbf16>, %k: tensor<8x64x512xbf16>, %v: tensor<8x512x64xbf16>, %b: tensor<8x512x512xf32>) -> tensor<8x512x64xf32> {
  %zero = arith.constant 0.0 : f32
  %start = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<8x512x512xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<8x512x512xf32>) -> tensor<8x512x512xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<8x512x64xbf16>, tensor<8x64x512xbf16>) outs(%fs : tensor<8x512x512xf32>) -> tensor<8x512x512xf32>
  %er = tensor.empty() : tensor<8x512xf32>
  %fm = linalg.fill ins(%start : f32) outs(%er : tensor<8x512xf32>) -> tensor<8x512xf32>
  %top = linalg.reduce { arith.maximumf } ins(%s : tensor<8x512x512xf32>) outs(%fm : tensor<8x512xf32>) dimensions = [2]
  %ew = tensor.empty() : tensor<8x512x512xbf16>
  %w = linalg.generic {indexing_maps = [#all, #row, #all, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s, %top, %b : tensor<8x512x512xf32>, tensor<8x512xf32>, tensor<8x512x512xf32>) outs(%ew : tensor<8x512x512xbf16>) {
  ^bb0(%a: f32, %m: f32, %c: f32, %o: bf16):
    %d = arith.subf %a, %m : f32
    %t = arith.addf %d, %c : f32
    %e = math.exp %t : f32
    %r = arith.truncf %e : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<8x512x512xbf16>
  %ey = tensor.empty() : tensor<8x512x64xf32>
  %fy = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x512x64xf32>) -> tensor<8x512x64xf32>
  %y = linalg.batch_matmul ins(%w, %v : tensor<8x512x512xbf16>, tensor<8x512x64xbf16>) outs(%fy : tensor<8x512x64xf32>) -> tensor<8x512x64xf32>
  return %y : tensor<8x512x64xf32>
}

// A row that is replaced at first, and then is no more, changes by much.
// CHECK: Stream {{.*}}Function=of_guess | {{.*}}aren't one pass: exponentials in
func.func @of_guess(%q: tensor<8x512x64xbf16>, %k: tensor<8x64x512xbf16>, %v: tensor<8x512x64xbf16>, %b: tensor<8x512x512xf32>) -> tensor<8x512x64xf32> {
  %zero = arith.constant 0.0 : f32
  %start = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<8x512x512xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<8x512x512xf32>) -> tensor<8x512x512xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<8x512x64xbf16>, tensor<8x64x512xbf16>) outs(%fs : tensor<8x512x512xf32>) -> tensor<8x512x512xf32>
  %er = tensor.empty() : tensor<8x512xf32>
  %fm = linalg.fill ins(%start : f32) outs(%er : tensor<8x512xf32>) -> tensor<8x512xf32>
  %top = linalg.reduce { arith.maximumf } ins(%s : tensor<8x512x512xf32>) outs(%fm : tensor<8x512xf32>) dimensions = [2]
  %ew = tensor.empty() : tensor<8x512x512xbf16>
  %w = linalg.generic {indexing_maps = [#all, #row, #all, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s, %top, %b : tensor<8x512x512xf32>, tensor<8x512xf32>, tensor<8x512x512xf32>) outs(%ew : tensor<8x512x512xbf16>) {
  ^bb0(%a: f32, %m: f32, %c: f32, %o: bf16):
    %least = arith.constant -100.0 : f32
    %is = arith.cmpf ogt, %m, %least : f32
    %n = arith.select %is, %m, %zero : f32
    %t = arith.subf %a, %n : f32
    %e = math.exp %t : f32
    %r = arith.truncf %e : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<8x512x512xbf16>
  %ey = tensor.empty() : tensor<8x512x64xf32>
  %fy = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x512x64xf32>) -> tensor<8x512x64xf32>
  %y = linalg.batch_matmul ins(%w, %v : tensor<8x512x512xbf16>, tensor<8x512x64xbf16>) outs(%fy : tensor<8x512x64xf32>) -> tensor<8x512x64xf32>
  return %y : tensor<8x512x64xf32>
}

// An infinite exponential has no factor of zero.
// CHECK: Stream {{.*}}Function=of_high_choice | {{.*}}aren't one pass: exponentials in 'elementwise at {{.*}}' may be too large before the largest or least that they are computed with is known
func.func @of_high_choice(%q: tensor<8x512x64xbf16>, %k: tensor<8x64x512xbf16>, %v: tensor<8x512x64xbf16>, %b: tensor<8x512x512xf32>) -> tensor<8x512x64xf32> {
  %zero = arith.constant 0.0 : f32
  %start = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<8x512x512xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<8x512x512xf32>) -> tensor<8x512x512xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<8x512x64xbf16>, tensor<8x64x512xbf16>) outs(%fs : tensor<8x512x512xf32>) -> tensor<8x512x512xf32>
  %er = tensor.empty() : tensor<8x512xf32>
  %fm = linalg.fill ins(%start : f32) outs(%er : tensor<8x512xf32>) -> tensor<8x512xf32>
  %top = linalg.reduce { arith.maximumf } ins(%s : tensor<8x512x512xf32>) outs(%fm : tensor<8x512xf32>) dimensions = [2]
  %ew = tensor.empty() : tensor<8x512x512xbf16>
  %w = linalg.generic {indexing_maps = [#all, #row, #all, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s, %top, %b : tensor<8x512x512xf32>, tensor<8x512xf32>, tensor<8x512x512xf32>) outs(%ew : tensor<8x512x512xbf16>) {
  ^bb0(%a: f32, %m: f32, %c: f32, %o: bf16):
    %high = arith.constant 0x7F800000 : f32
    %d = arith.subf %a, %m : f32
    %is = arith.cmpf ogt, %c, %zero : f32
    %t = arith.select %is, %high, %d : f32
    %e = math.exp %t : f32
    %r = arith.truncf %e : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<8x512x512xbf16>
  %ey = tensor.empty() : tensor<8x512x64xf32>
  %fy = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x512x64xf32>) -> tensor<8x512x64xf32>
  %y = linalg.batch_matmul ins(%w, %v : tensor<8x512x512xbf16>, tensor<8x512x64xbf16>) outs(%fy : tensor<8x512x64xf32>) -> tensor<8x512x64xf32>
  return %y : tensor<8x512x64xf32>
}

// Elements and the maximum are scaled alike, and the maximum is bounded.
// CHECK: Stream {{.*}}Function=of_scaled | {{.*}}Remark="one pass takes
func.func @of_scaled(%q: tensor<8x512x64xbf16>, %k: tensor<8x64x512xbf16>, %v: tensor<8x512x64xbf16>, %b: tensor<8x512x512xf32>) -> tensor<8x512x64xf32> {
  %zero = arith.constant 0.0 : f32
  %start = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<8x512x512xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<8x512x512xf32>) -> tensor<8x512x512xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<8x512x64xbf16>, tensor<8x64x512xbf16>) outs(%fs : tensor<8x512x512xf32>) -> tensor<8x512x512xf32>
  %er = tensor.empty() : tensor<8x512xf32>
  %fm = linalg.fill ins(%start : f32) outs(%er : tensor<8x512xf32>) -> tensor<8x512xf32>
  %top = linalg.reduce { arith.maximumf } ins(%s : tensor<8x512x512xf32>) outs(%fm : tensor<8x512xf32>) dimensions = [2]
  %ew = tensor.empty() : tensor<8x512x512xbf16>
  %w = linalg.generic {indexing_maps = [#all, #row, #all, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s, %top, %b : tensor<8x512x512xf32>, tensor<8x512xf32>, tensor<8x512x512xf32>) outs(%ew : tensor<8x512x512xbf16>) {
  ^bb0(%a: f32, %m: f32, %c: f32, %o: bf16):
    %half = arith.constant 0.5 : f32
    %least = arith.constant -100.0 : f32
    %n = arith.maximumf %m, %least : f32
    %x = arith.mulf %a, %half : f32
    %z = arith.mulf %half, %n : f32
    %t = arith.subf %x, %z : f32
    %e = math.exp %t : f32
    %r = arith.truncf %e : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<8x512x512xbf16>
  %ey = tensor.empty() : tensor<8x512x64xf32>
  %fy = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x512x64xf32>) -> tensor<8x512x64xf32>
  %y = linalg.batch_matmul ins(%w, %v : tensor<8x512x512xbf16>, tensor<8x512x64xbf16>) outs(%fy : tensor<8x512x64xf32>) -> tensor<8x512x64xf32>
  return %y : tensor<8x512x64xf32>
}

// Above a minimum, exponentials only grow.
// CHECK: Stream {{.*}}Function=of_minima | {{.*}}Remark="one pass takes
func.func @of_minima(%q: tensor<8x512x64xbf16>, %k: tensor<8x64x512xbf16>, %v: tensor<8x512x64xbf16>, %b: tensor<8x512x512xf32>) -> tensor<8x512x64xf32> {
  %zero = arith.constant 0.0 : f32
  %start = arith.constant 0x7F800000 : f32
  %es = tensor.empty() : tensor<8x512x512xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<8x512x512xf32>) -> tensor<8x512x512xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<8x512x64xbf16>, tensor<8x64x512xbf16>) outs(%fs : tensor<8x512x512xf32>) -> tensor<8x512x512xf32>
  %er = tensor.empty() : tensor<8x512xf32>
  %fm = linalg.fill ins(%start : f32) outs(%er : tensor<8x512xf32>) -> tensor<8x512xf32>
  %top = linalg.reduce { arith.minimumf } ins(%s : tensor<8x512x512xf32>) outs(%fm : tensor<8x512xf32>) dimensions = [2]
  %ew = tensor.empty() : tensor<8x512x512xbf16>
  %w = linalg.generic {indexing_maps = [#all, #row, #all, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s, %top, %b : tensor<8x512x512xf32>, tensor<8x512xf32>, tensor<8x512x512xf32>) outs(%ew : tensor<8x512x512xbf16>) {
  ^bb0(%a: f32, %m: f32, %c: f32, %o: bf16):
    %high = arith.constant 0x7F800000 : f32
    %x = math.absf %m : f32
    %is = arith.cmpf oeq, %x, %high : f32
    %n = arith.select %is, %zero, %m : f32
    %t = arith.subf %n, %a : f32
    %e = math.exp %t : f32
    %r = arith.truncf %e : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<8x512x512xbf16>
  %ey = tensor.empty() : tensor<8x512x64xf32>
  %fy = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x512x64xf32>) -> tensor<8x512x64xf32>
  %y = linalg.batch_matmul ins(%w, %v : tensor<8x512x512xbf16>, tensor<8x512x64xbf16>) outs(%fy : tensor<8x512x64xf32>) -> tensor<8x512x64xf32>
  return %y : tensor<8x512x64xf32>
}

// So far, the logarithm is zero.
// CHECK: Stream {{.*}}Function=of_logarithm | {{.*}}aren't one pass: exponentials in
func.func @of_logarithm(%q: tensor<8x512x64xbf16>, %k: tensor<8x64x512xbf16>, %v: tensor<8x512x64xbf16>, %b: tensor<8x512x512xf32>) -> tensor<8x512x64xf32> {
  %zero = arith.constant 0.0 : f32
  %start = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<8x512x512xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<8x512x512xf32>) -> tensor<8x512x512xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<8x512x64xbf16>, tensor<8x64x512xbf16>) outs(%fs : tensor<8x512x512xf32>) -> tensor<8x512x512xf32>
  %er = tensor.empty() : tensor<8x512xf32>
  %fm = linalg.fill ins(%start : f32) outs(%er : tensor<8x512xf32>) -> tensor<8x512xf32>
  %top = linalg.reduce { arith.maximumf } ins(%s : tensor<8x512x512xf32>) outs(%fm : tensor<8x512xf32>) dimensions = [2]
  %ew = tensor.empty() : tensor<8x512x512xbf16>
  %w = linalg.generic {indexing_maps = [#all, #row, #all, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s, %top, %b : tensor<8x512x512xf32>, tensor<8x512xf32>, tensor<8x512x512xf32>) outs(%ew : tensor<8x512x512xbf16>) {
  ^bb0(%a: f32, %m: f32, %c: f32, %o: bf16):
    %l = math.log %m : f32
    %t = arith.subf %a, %l : f32
    %e = math.exp %t : f32
    %r = arith.truncf %e : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<8x512x512xbf16>
  %ey = tensor.empty() : tensor<8x512x64xf32>
  %fy = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x512x64xf32>) -> tensor<8x512x64xf32>
  %y = linalg.batch_matmul ins(%w, %v : tensor<8x512x512xbf16>, tensor<8x512x64xbf16>) outs(%fy : tensor<8x512x64xf32>) -> tensor<8x512x64xf32>
  return %y : tensor<8x512x64xf32>
}

// Each element would have a correction of its own.
// CHECK: Stream {{.*}}Function=of_bias_factor | {{.*}}aren't one pass: a correction of 'elementwise at {{.*}}' would vary from element to element
func.func @of_bias_factor(%q: tensor<8x512x64xbf16>, %k: tensor<8x64x512xbf16>, %v: tensor<8x512x64xbf16>, %b: tensor<8x512x512xf32>) -> tensor<8x512x64xf32> {
  %zero = arith.constant 0.0 : f32
  %start = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<8x512x512xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<8x512x512xf32>) -> tensor<8x512x512xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<8x512x64xbf16>, tensor<8x64x512xbf16>) outs(%fs : tensor<8x512x512xf32>) -> tensor<8x512x512xf32>
  %er = tensor.empty() : tensor<8x512xf32>
  %fm = linalg.fill ins(%start : f32) outs(%er : tensor<8x512xf32>) -> tensor<8x512xf32>
  %top = linalg.reduce { arith.maximumf } ins(%s : tensor<8x512x512xf32>) outs(%fm : tensor<8x512xf32>) dimensions = [2]
  %ew = tensor.empty() : tensor<8x512x512xbf16>
  %w = linalg.generic {indexing_maps = [#all, #row, #all, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s, %top, %b : tensor<8x512x512xf32>, tensor<8x512xf32>, tensor<8x512x512xf32>) outs(%ew : tensor<8x512x512xbf16>) {
  ^bb0(%a: f32, %m: f32, %c: f32, %o: bf16):
    %d = arith.subf %a, %m : f32
    %t = arith.mulf %d, %c : f32
    %e = math.exp %t : f32
    %r = arith.truncf %e : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<8x512x512xbf16>
  %ey = tensor.empty() : tensor<8x512x64xf32>
  %fy = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x512x64xf32>) -> tensor<8x512x64xf32>
  %y = linalg.batch_matmul ins(%w, %v : tensor<8x512x512xbf16>, tensor<8x512x64xbf16>) outs(%fy : tensor<8x512x64xf32>) -> tensor<8x512x64xf32>
  return %y : tensor<8x512x64xf32>
}
