// How streams are divided among programs and tiles: 64 elements where tiles are computed with numbers of rows and elements in
// memory, which have slots beside the factors. Under a causal mask, rows are a dimension of the grid of their own, if a launch
// takes as many.
// RUN: carousel-opt %s --carousel-normalize-graph --carousel-form-groups --carousel-schedule-groups --carousel-lower-groups | FileCheck %s

#all = affine_map<(h, i, j) -> (h, i, j)>
#row = affine_map<(h, i, j) -> (h, i)>
#ofrow = affine_map<(h, i, j) -> (i)>
#ofelement = affine_map<(h, i, j) -> (j)>

// A bias of f32.
// CHECK-LABEL: gpu.func @bias_0
// CHECK: vector.transfer_read {{.*}} vector<128x64xbf16>
// CHECK: scf.for
// CHECK: vector.transfer_read {{.*}} vector<128x64xf32>
// CHECK: vector.contract {{.*}} vector<128x64xbf16>, vector<64x64xbf16> into vector<128x64xf32>
func.func @bias(%q: tensor<2x1024x64xbf16>, %k: tensor<2x64x1024xbf16>, %v: tensor<2x1024x64xbf16>, %b: tensor<2x1024x1024xf32>) -> tensor<2x1024x64xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<2x1024x1024xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<2x1024x1024xf32>) -> tensor<2x1024x1024xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<2x1024x64xbf16>, tensor<2x64x1024xbf16>) outs(%fs : tensor<2x1024x1024xf32>) -> tensor<2x1024x1024xf32>
  %z = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s, %b : tensor<2x1024x1024xf32>, tensor<2x1024x1024xf32>) outs(%es : tensor<2x1024x1024xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %r = arith.addf %a, %c : f32
    linalg.yield %r : f32
  } -> tensor<2x1024x1024xf32>
  %er = tensor.empty() : tensor<2x1024xf32>
  %fm = linalg.fill ins(%low : f32) outs(%er : tensor<2x1024xf32>) -> tensor<2x1024xf32>
  %top = linalg.reduce { arith.maximumf } ins(%z : tensor<2x1024x1024xf32>) outs(%fm : tensor<2x1024xf32>) dimensions = [2]
  %ew = tensor.empty() : tensor<2x1024x1024xbf16>
  %w = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%z, %top : tensor<2x1024x1024xf32>, tensor<2x1024xf32>) outs(%ew : tensor<2x1024x1024xbf16>) {
  ^bb0(%a: f32, %m: f32, %o: bf16):
    %d = arith.subf %a, %m : f32
    %e = math.exp %d : f32
    %r = arith.truncf %e : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<2x1024x1024xbf16>
  %ey = tensor.empty() : tensor<2x1024x64xf32>
  %fy = linalg.fill ins(%zero : f32) outs(%ey : tensor<2x1024x64xf32>) -> tensor<2x1024x64xf32>
  %y = linalg.batch_matmul ins(%w, %v : tensor<2x1024x1024xbf16>, tensor<2x1024x64xbf16>) outs(%fy : tensor<2x1024x64xf32>) -> tensor<2x1024x64xf32>
  return %y : tensor<2x1024x64xf32>
}

// Bytes are few.
// CHECK-LABEL: gpu.func @mask_0
// CHECK: scf.for
// CHECK: vector.transfer_read {{.*}} vector<128x128xi8>
func.func @mask(%q: tensor<2x1024x64xbf16>, %k: tensor<2x64x1024xbf16>, %v: tensor<2x1024x64xbf16>, %b: tensor<2x1024x1024xi8>) -> tensor<2x1024x64xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<2x1024x1024xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<2x1024x1024xf32>) -> tensor<2x1024x1024xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<2x1024x64xbf16>, tensor<2x64x1024xbf16>) outs(%fs : tensor<2x1024x1024xf32>) -> tensor<2x1024x1024xf32>
  %z = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s, %b : tensor<2x1024x1024xf32>, tensor<2x1024x1024xi8>) outs(%es : tensor<2x1024x1024xf32>) {
  ^bb0(%a: f32, %c: i8, %o: f32):
    %none = arith.constant 0 : i8
    %is = arith.cmpi ne, %c, %none : i8
    %r = arith.select %is, %a, %low : f32
    linalg.yield %r : f32
  } -> tensor<2x1024x1024xf32>
  %er = tensor.empty() : tensor<2x1024xf32>
  %fm = linalg.fill ins(%low : f32) outs(%er : tensor<2x1024xf32>) -> tensor<2x1024xf32>
  %top = linalg.reduce { arith.maximumf } ins(%z : tensor<2x1024x1024xf32>) outs(%fm : tensor<2x1024xf32>) dimensions = [2]
  %ew = tensor.empty() : tensor<2x1024x1024xbf16>
  %w = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%z, %top : tensor<2x1024x1024xf32>, tensor<2x1024xf32>) outs(%ew : tensor<2x1024x1024xbf16>) {
  ^bb0(%a: f32, %m: f32, %o: bf16):
    %d = arith.subf %a, %m : f32
    %e = math.exp %d : f32
    %r = arith.truncf %e : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<2x1024x1024xbf16>
  %ey = tensor.empty() : tensor<2x1024x64xf32>
  %fy = linalg.fill ins(%zero : f32) outs(%ey : tensor<2x1024x64xf32>) -> tensor<2x1024x64xf32>
  %y = linalg.batch_matmul ins(%w, %v : tensor<2x1024x1024xbf16>, tensor<2x1024x64xbf16>) outs(%fy : tensor<2x1024x64xf32>) -> tensor<2x1024x64xf32>
  return %y : tensor<2x1024x64xf32>
}

// What rows have is read before the loop.
// CHECK-LABEL: gpu.func @ids_0
// CHECK: vector.transfer_read {{.*}} vector<128xi32>
// CHECK: scf.for
// CHECK-COUNT-1: vector.transfer_read {{.*}} vector<128xi32>
// CHECK-NOT: vector<128xi32>, #gpu
// CHECK: carousel.pipeline
func.func @ids(%q: tensor<2x1024x64xbf16>, %k: tensor<2x64x1024xbf16>, %v: tensor<2x1024x64xbf16>, %b: tensor<1024xi32>) -> tensor<2x1024x64xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<2x1024x1024xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<2x1024x1024xf32>) -> tensor<2x1024x1024xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<2x1024x64xbf16>, tensor<2x64x1024xbf16>) outs(%fs : tensor<2x1024x1024xf32>) -> tensor<2x1024x1024xf32>
  %z = linalg.generic {indexing_maps = [#all, #ofrow, #ofelement, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s, %b, %b : tensor<2x1024x1024xf32>, tensor<1024xi32>, tensor<1024xi32>) outs(%es : tensor<2x1024x1024xf32>) {
  ^bb0(%a: f32, %c: i32, %d: i32, %o: f32):
    %is = arith.cmpi ne, %c, %d : i32
    %r = arith.select %is, %a, %low : f32
    linalg.yield %r : f32
  } -> tensor<2x1024x1024xf32>
  %er = tensor.empty() : tensor<2x1024xf32>
  %fm = linalg.fill ins(%low : f32) outs(%er : tensor<2x1024xf32>) -> tensor<2x1024xf32>
  %top = linalg.reduce { arith.maximumf } ins(%z : tensor<2x1024x1024xf32>) outs(%fm : tensor<2x1024xf32>) dimensions = [2]
  %ew = tensor.empty() : tensor<2x1024x1024xbf16>
  %w = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%z, %top : tensor<2x1024x1024xf32>, tensor<2x1024xf32>) outs(%ew : tensor<2x1024x1024xbf16>) {
  ^bb0(%a: f32, %m: f32, %o: bf16):
    %d = arith.subf %a, %m : f32
    %e = math.exp %d : f32
    %r = arith.truncf %e : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<2x1024x1024xbf16>
  %ey = tensor.empty() : tensor<2x1024x64xf32>
  %fy = linalg.fill ins(%zero : f32) outs(%ey : tensor<2x1024x64xf32>) -> tensor<2x1024x64xf32>
  %y = linalg.batch_matmul ins(%w, %v : tensor<2x1024x1024xbf16>, tensor<2x1024x64xbf16>) outs(%fy : tensor<2x1024x64xf32>) -> tensor<2x1024x64xf32>
  return %y : tensor<2x1024x64xf32>
}

// Rows are in y.
// CHECK-LABEL: gpu.func @causal_0
// CHECK-SAME: grid = [2, ceildiv(131072, 128)]
func.func @causal(%q: tensor<2x131072x64xbf16>, %k: tensor<2x64x256xbf16>, %v: tensor<2x256x64xbf16>, %b: tensor<2x131072x256xi8>) -> tensor<2x131072x64xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<2x131072x256xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<2x131072x256xf32>) -> tensor<2x131072x256xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<2x131072x64xbf16>, tensor<2x64x256xbf16>) outs(%fs : tensor<2x131072x256xf32>) -> tensor<2x131072x256xf32>
  %z = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s, %b : tensor<2x131072x256xf32>, tensor<2x131072x256xi8>) outs(%es : tensor<2x131072x256xf32>) {
  ^bb0(%a: f32, %c: i8, %o: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %is = arith.cmpi sge, %i, %j : index
    %r = arith.select %is, %a, %low : f32
    linalg.yield %r : f32
  } -> tensor<2x131072x256xf32>
  %er = tensor.empty() : tensor<2x131072xf32>
  %fm = linalg.fill ins(%low : f32) outs(%er : tensor<2x131072xf32>) -> tensor<2x131072xf32>
  %top = linalg.reduce { arith.maximumf } ins(%z : tensor<2x131072x256xf32>) outs(%fm : tensor<2x131072xf32>) dimensions = [2]
  %ew = tensor.empty() : tensor<2x131072x256xbf16>
  %w = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%z, %top : tensor<2x131072x256xf32>, tensor<2x131072xf32>) outs(%ew : tensor<2x131072x256xbf16>) {
  ^bb0(%a: f32, %m: f32, %o: bf16):
    %d = arith.subf %a, %m : f32
    %e = math.exp %d : f32
    %r = arith.truncf %e : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<2x131072x256xbf16>
  %ey = tensor.empty() : tensor<2x131072x64xf32>
  %fy = linalg.fill ins(%zero : f32) outs(%ey : tensor<2x131072x64xf32>) -> tensor<2x131072x64xf32>
  %y = linalg.batch_matmul ins(%w, %v : tensor<2x131072x256xbf16>, tensor<2x256x64xbf16>) outs(%fy : tensor<2x131072x64xf32>) -> tensor<2x131072x64xf32>
  return %y : tensor<2x131072x64xf32>
}

// There are 65537 tiles of rows.
// CHECK-LABEL: gpu.func @long_0
// CHECK-SAME: grid = [2 * ceildiv(8388736, 128)]
func.func @long(%q: tensor<2x8388736x64xbf16>, %k: tensor<2x64x256xbf16>, %v: tensor<2x256x64xbf16>, %b: tensor<2x8388736x256xi8>) -> tensor<2x8388736x64xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<2x8388736x256xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<2x8388736x256xf32>) -> tensor<2x8388736x256xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<2x8388736x64xbf16>, tensor<2x64x256xbf16>) outs(%fs : tensor<2x8388736x256xf32>) -> tensor<2x8388736x256xf32>
  %z = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s, %b : tensor<2x8388736x256xf32>, tensor<2x8388736x256xi8>) outs(%es : tensor<2x8388736x256xf32>) {
  ^bb0(%a: f32, %c: i8, %o: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %is = arith.cmpi sge, %i, %j : index
    %r = arith.select %is, %a, %low : f32
    linalg.yield %r : f32
  } -> tensor<2x8388736x256xf32>
  %er = tensor.empty() : tensor<2x8388736xf32>
  %fm = linalg.fill ins(%low : f32) outs(%er : tensor<2x8388736xf32>) -> tensor<2x8388736xf32>
  %top = linalg.reduce { arith.maximumf } ins(%z : tensor<2x8388736x256xf32>) outs(%fm : tensor<2x8388736xf32>) dimensions = [2]
  %ew = tensor.empty() : tensor<2x8388736x256xbf16>
  %w = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%z, %top : tensor<2x8388736x256xf32>, tensor<2x8388736xf32>) outs(%ew : tensor<2x8388736x256xbf16>) {
  ^bb0(%a: f32, %m: f32, %o: bf16):
    %d = arith.subf %a, %m : f32
    %e = math.exp %d : f32
    %r = arith.truncf %e : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<2x8388736x256xbf16>
  %ey = tensor.empty() : tensor<2x8388736x64xf32>
  %fy = linalg.fill ins(%zero : f32) outs(%ey : tensor<2x8388736x64xf32>) -> tensor<2x8388736x64xf32>
  %y = linalg.batch_matmul ins(%w, %v : tensor<2x8388736x256xbf16>, tensor<2x256x64xbf16>) outs(%fy : tensor<2x8388736x64xf32>) -> tensor<2x8388736x64xf32>
  return %y : tensor<2x8388736x64xf32>
}
