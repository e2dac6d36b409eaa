// Keys that are computed of few elements, as normalized ones, are computed for each tile by all programs of other rows. An online
// reduction does so if that takes no longer than another kernel and memory: with few rows, as in decoding. Queries are computed once
// in each program.
// RUN: carousel-opt %s --carousel-form-groups | FileCheck %s
// RUN: carousel-opt %s --carousel-form-groups --remarks-filter=carousel-form-groups -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: carousel-opt %s --carousel-form-groups --remarks-filter=carousel-form-groups -o /dev/null 2>&1 | FileCheck %s --check-prefix=NO-REMARK
// NO-REMARK-NOT: Boundary {{.*}}Function={{decode|queries}}
// REMARK: Boundary {{.*}}Function=keys | {{.*}}pass through memory: 16 programs would each compute 'elementwise at {{.*}}' again: {{[0-9.]+}} us, and {{[0-9.]+}} us through memory

// CHECK-LABEL: func.func @keys
// CHECK: carousel.group "keys_0"
// CHECK: carousel.group "keys_1"
// CHECK-NOT: carousel.group
func.func @keys(%q: tensor<32x2048x64xbf16>, %k: tensor<32x2048x64xbf16>, %v: tensor<32x2048x64xbf16>, %rows: tensor<32x2048xf32>, %gain: tensor<64xf32>) -> tensor<32x2048x64xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %en = tensor.empty() : tensor<32x2048x64xbf16>
  %n = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i)>, affine_map<(h, i, j) -> (j)>, affine_map<(h, i, j) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%k, %rows, %gain : tensor<32x2048x64xbf16>, tensor<32x2048xf32>, tensor<64xf32>) outs(%en : tensor<32x2048x64xbf16>) {
  ^bb0(%a: bf16, %b: f32, %c: f32, %o: bf16):
    %x = arith.extf %a : bf16 to f32
    %y = arith.mulf %x, %b : f32
    %z = arith.mulf %y, %c : f32
    %r = arith.truncf %z : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<32x2048x64xbf16>
  %es = tensor.empty() : tensor<32x2048x2048xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<32x2048x2048xf32>) -> tensor<32x2048x2048xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(h, i, j, d) -> (h, i, d)>, affine_map<(h, i, j, d) -> (h, j, d)>, affine_map<(h, i, j, d) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%q, %n : tensor<32x2048x64xbf16>, tensor<32x2048x64xbf16>) outs(%fs : tensor<32x2048x2048xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %x = arith.extf %a : bf16 to f32
    %y = arith.extf %b : bf16 to f32
    %m = arith.mulf %x, %y : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<32x2048x2048xf32>
  %er = tensor.empty() : tensor<32x2048xf32>
  %fm = linalg.fill ins(%low : f32) outs(%er : tensor<32x2048xf32>) -> tensor<32x2048xf32>
  %fl = linalg.fill ins(%zero : f32) outs(%er : tensor<32x2048xf32>) -> tensor<32x2048xf32>
  %top = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%s : tensor<32x2048x2048xf32>) outs(%fm : tensor<32x2048xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.maximumf %a, %o : f32
    linalg.yield %r : f32
  } -> tensor<32x2048xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i)>, affine_map<(h, i, j) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s, %top : tensor<32x2048x2048xf32>, tensor<32x2048xf32>) outs(%es : tensor<32x2048x2048xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %x = arith.subf %a, %b : f32
    %r = math.exp %x : f32
    linalg.yield %r : f32
  } -> tensor<32x2048x2048xf32>
  %l = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%p : tensor<32x2048x2048xf32>) outs(%fl : tensor<32x2048xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %a, %o : f32
    linalg.yield %r : f32
  } -> tensor<32x2048xf32>
  %ew = tensor.empty() : tensor<32x2048x2048xbf16>
  %w = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i)>, affine_map<(h, i, j) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%p, %l : tensor<32x2048x2048xf32>, tensor<32x2048xf32>) outs(%ew : tensor<32x2048x2048xbf16>) {
  ^bb0(%a: f32, %b: f32, %o: bf16):
    %x = arith.divf %a, %b : f32
    %r = arith.truncf %x : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<32x2048x2048xbf16>
  %ey = tensor.empty() : tensor<32x2048x64xf32>
  %fy = linalg.fill ins(%zero : f32) outs(%ey : tensor<32x2048x64xf32>) -> tensor<32x2048x64xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(h, i, j, d) -> (h, i, j)>, affine_map<(h, i, j, d) -> (h, j, d)>, affine_map<(h, i, j, d) -> (h, i, d)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]} ins(%w, %v : tensor<32x2048x2048xbf16>, tensor<32x2048x64xbf16>) outs(%fy : tensor<32x2048x64xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %x = arith.extf %a : bf16 to f32
    %y = arith.extf %b : bf16 to f32
    %m = arith.mulf %x, %y : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<32x2048x64xf32>
  return %y : tensor<32x2048x64xf32>
}

// CHECK-LABEL: func.func @decode
// CHECK: carousel.group "decode_0"
// CHECK-NOT: carousel.group
func.func @decode(%q: tensor<32x16x64xbf16>, %k: tensor<32x2048x64xbf16>, %v: tensor<32x2048x64xbf16>, %rows: tensor<32x2048xf32>, %gain: tensor<64xf32>) -> tensor<32x16x64xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %en = tensor.empty() : tensor<32x2048x64xbf16>
  %n = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i)>, affine_map<(h, i, j) -> (j)>, affine_map<(h, i, j) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%k, %rows, %gain : tensor<32x2048x64xbf16>, tensor<32x2048xf32>, tensor<64xf32>) outs(%en : tensor<32x2048x64xbf16>) {
  ^bb0(%a: bf16, %b: f32, %c: f32, %o: bf16):
    %x = arith.extf %a : bf16 to f32
    %y = arith.mulf %x, %b : f32
    %z = arith.mulf %y, %c : f32
    %r = arith.truncf %z : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<32x2048x64xbf16>
  %es = tensor.empty() : tensor<32x16x2048xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<32x16x2048xf32>) -> tensor<32x16x2048xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(h, i, j, d) -> (h, i, d)>, affine_map<(h, i, j, d) -> (h, j, d)>, affine_map<(h, i, j, d) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%q, %n : tensor<32x16x64xbf16>, tensor<32x2048x64xbf16>) outs(%fs : tensor<32x16x2048xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %x = arith.extf %a : bf16 to f32
    %y = arith.extf %b : bf16 to f32
    %m = arith.mulf %x, %y : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<32x16x2048xf32>
  %er = tensor.empty() : tensor<32x16xf32>
  %fm = linalg.fill ins(%low : f32) outs(%er : tensor<32x16xf32>) -> tensor<32x16xf32>
  %fl = linalg.fill ins(%zero : f32) outs(%er : tensor<32x16xf32>) -> tensor<32x16xf32>
  %top = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%s : tensor<32x16x2048xf32>) outs(%fm : tensor<32x16xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.maximumf %a, %o : f32
    linalg.yield %r : f32
  } -> tensor<32x16xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i)>, affine_map<(h, i, j) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s, %top : tensor<32x16x2048xf32>, tensor<32x16xf32>) outs(%es : tensor<32x16x2048xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %x = arith.subf %a, %b : f32
    %r = math.exp %x : f32
    linalg.yield %r : f32
  } -> tensor<32x16x2048xf32>
  %l = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%p : tensor<32x16x2048xf32>) outs(%fl : tensor<32x16xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %a, %o : f32
    linalg.yield %r : f32
  } -> tensor<32x16xf32>
  %ew = tensor.empty() : tensor<32x16x2048xbf16>
  %w = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i)>, affine_map<(h, i, j) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%p, %l : tensor<32x16x2048xf32>, tensor<32x16xf32>) outs(%ew : tensor<32x16x2048xbf16>) {
  ^bb0(%a: f32, %b: f32, %o: bf16):
    %x = arith.divf %a, %b : f32
    %r = arith.truncf %x : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<32x16x2048xbf16>
  %ey = tensor.empty() : tensor<32x16x64xf32>
  %fy = linalg.fill ins(%zero : f32) outs(%ey : tensor<32x16x64xf32>) -> tensor<32x16x64xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(h, i, j, d) -> (h, i, j)>, affine_map<(h, i, j, d) -> (h, j, d)>, affine_map<(h, i, j, d) -> (h, i, d)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]} ins(%w, %v : tensor<32x16x2048xbf16>, tensor<32x2048x64xbf16>) outs(%fy : tensor<32x16x64xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %x = arith.extf %a : bf16 to f32
    %y = arith.extf %b : bf16 to f32
    %m = arith.mulf %x, %y : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<32x16x64xf32>
  return %y : tensor<32x16x64xf32>
}

// CHECK-LABEL: func.func @queries
// CHECK: carousel.group "queries_0"
// CHECK-NOT: carousel.group
func.func @queries(%q: tensor<32x2048x64xbf16>, %k: tensor<32x2048x64xbf16>, %v: tensor<32x2048x64xbf16>, %rows: tensor<32x2048xf32>, %gain: tensor<64xf32>) -> tensor<32x2048x64xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %en = tensor.empty() : tensor<32x2048x64xbf16>
  %n = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i)>, affine_map<(h, i, j) -> (j)>, affine_map<(h, i, j) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%q, %rows, %gain : tensor<32x2048x64xbf16>, tensor<32x2048xf32>, tensor<64xf32>) outs(%en : tensor<32x2048x64xbf16>) {
  ^bb0(%a: bf16, %b: f32, %c: f32, %o: bf16):
    %x = arith.extf %a : bf16 to f32
    %y = arith.mulf %x, %b : f32
    %z = arith.mulf %y, %c : f32
    %r = arith.truncf %z : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<32x2048x64xbf16>
  %es = tensor.empty() : tensor<32x2048x2048xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<32x2048x2048xf32>) -> tensor<32x2048x2048xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(h, i, j, d) -> (h, i, d)>, affine_map<(h, i, j, d) -> (h, j, d)>, affine_map<(h, i, j, d) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%n, %k : tensor<32x2048x64xbf16>, tensor<32x2048x64xbf16>) outs(%fs : tensor<32x2048x2048xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %x = arith.extf %a : bf16 to f32
    %y = arith.extf %b : bf16 to f32
    %m = arith.mulf %x, %y : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<32x2048x2048xf32>
  %er = tensor.empty() : tensor<32x2048xf32>
  %fm = linalg.fill ins(%low : f32) outs(%er : tensor<32x2048xf32>) -> tensor<32x2048xf32>
  %fl = linalg.fill ins(%zero : f32) outs(%er : tensor<32x2048xf32>) -> tensor<32x2048xf32>
  %top = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%s : tensor<32x2048x2048xf32>) outs(%fm : tensor<32x2048xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.maximumf %a, %o : f32
    linalg.yield %r : f32
  } -> tensor<32x2048xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i)>, affine_map<(h, i, j) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s, %top : tensor<32x2048x2048xf32>, tensor<32x2048xf32>) outs(%es : tensor<32x2048x2048xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %x = arith.subf %a, %b : f32
    %r = math.exp %x : f32
    linalg.yield %r : f32
  } -> tensor<32x2048x2048xf32>
  %l = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%p : tensor<32x2048x2048xf32>) outs(%fl : tensor<32x2048xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %a, %o : f32
    linalg.yield %r : f32
  } -> tensor<32x2048xf32>
  %ew = tensor.empty() : tensor<32x2048x2048xbf16>
  %w = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i)>, affine_map<(h, i, j) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%p, %l : tensor<32x2048x2048xf32>, tensor<32x2048xf32>) outs(%ew : tensor<32x2048x2048xbf16>) {
  ^bb0(%a: f32, %b: f32, %o: bf16):
    %x = arith.divf %a, %b : f32
    %r = arith.truncf %x : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<32x2048x2048xbf16>
  %ey = tensor.empty() : tensor<32x2048x64xf32>
  %fy = linalg.fill ins(%zero : f32) outs(%ey : tensor<32x2048x64xf32>) -> tensor<32x2048x64xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(h, i, j, d) -> (h, i, j)>, affine_map<(h, i, j, d) -> (h, j, d)>, affine_map<(h, i, j, d) -> (h, i, d)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]} ins(%w, %v : tensor<32x2048x2048xbf16>, tensor<32x2048x64xbf16>) outs(%fy : tensor<32x2048x64xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %x = arith.extf %a : bf16 to f32
    %y = arith.extf %b : bf16 to f32
    %m = arith.mulf %x, %y : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<32x2048x64xf32>
  return %y : tensor<32x2048x64xf32>
}
