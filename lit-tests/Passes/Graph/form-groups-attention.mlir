// Products and reductions along one dimension are one group if what they have so far can be corrected; a remark names the op
// that has no correction. Without streams, all scores are in memory.
// RUN: carousel-opt %s --carousel-form-groups | FileCheck %s
// RUN: carousel-opt %s --carousel-form-groups --remarks-filter=carousel-form-groups -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: carousel-opt %s --carousel-form-groups=streams=false | FileCheck %s --check-prefix=APART

#qd = affine_map<(h, i, j, d) -> (h, i, d)>
#kd = affine_map<(h, i, j, d) -> (h, j, d)>
#sj = affine_map<(h, i, j, d) -> (h, i, j)>
#pj = affine_map<(h, i, d, j) -> (h, i, j)>
#vj = affine_map<(h, i, d, j) -> (h, j, d)>
#yd = affine_map<(h, i, d, j) -> (h, i, d)>
#all = affine_map<(h, i, j) -> (h, i, j)>
#row = affine_map<(h, i, j) -> (h, i)>

// REMARK: Group {{.*}}Function=of_exponentials | {{.*}}Remark="stream of matmul at {{.*}}, maximum at {{.*}}, elementwise at {{.*}}, matmul at
// REMARK: Stream {{.*}}Function=of_exponentials | {{.*}}Remark="one pass takes {{[0-9.]+}} us with 32 programs, and several kernels {{[0-9.]+}} us"
// CHECK-LABEL: func.func @of_exponentials
// CHECK: carousel.group "of_exponentials_0"
// CHECK-COUNT-4: linalg.generic
// CHECK-NOT: carousel.group
// APART-LABEL: func.func @of_exponentials
// APART-COUNT-3: carousel.group
func.func @of_exponentials(%q: tensor<8x512x64xbf16>, %k: tensor<8x512x64xbf16>, %v: tensor<8x512x64xbf16>) -> tensor<8x512x64xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<8x512x512xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<8x512x512xf32>) -> tensor<8x512x512xf32>
  %s = linalg.generic {indexing_maps = [#qd, #kd, #sj], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<8x512x64xbf16>, tensor<8x512x64xbf16>) outs(%fs : tensor<8x512x512xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %x = arith.extf %a : bf16 to f32
    %y = arith.extf %b : bf16 to f32
    %p = arith.mulf %x, %y : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<8x512x512xf32>
  %er = tensor.empty() : tensor<8x512xf32>
  %fm = linalg.fill ins(%low : f32) outs(%er : tensor<8x512xf32>) -> tensor<8x512xf32>
  %max = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%s : tensor<8x512x512xf32>) outs(%fm : tensor<8x512xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.maximumf %a, %o : f32
    linalg.yield %r : f32
  } -> tensor<8x512xf32>
  %ew = tensor.empty() : tensor<8x512x512xbf16>
  %w = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s, %max : tensor<8x512x512xf32>, tensor<8x512xf32>) outs(%ew : tensor<8x512x512xbf16>) {
  ^bb0(%a: f32, %b: f32, %o: bf16):
    %x = arith.subf %a, %b : f32
    %y = math.exp %x : f32
    %r = arith.truncf %y : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<8x512x512xbf16>
  %ey = tensor.empty() : tensor<8x512x64xf32>
  %fy = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x512x64xf32>) -> tensor<8x512x64xf32>
  %y = linalg.generic {indexing_maps = [#pj, #vj, #yd], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%w, %v : tensor<8x512x512xbf16>, tensor<8x512x64xbf16>) outs(%fy : tensor<8x512x64xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %x = arith.extf %a : bf16 to f32
    %z = arith.extf %b : bf16 to f32
    %c = arith.mulf %x, %z : f32
    %r = arith.addf %o, %c : f32
    linalg.yield %r : f32
  } -> tensor<8x512x64xf32>
  return %y : tensor<8x512x64xf32>
}

// REMARK: Stream {{.*}}Function=of_tangents | {{.*}}Remark="matmul at {{.*}} and matmul at {{.*}} aren't one pass: 'math.tanh' in 'elementwise at {{.*}}' has no correction where a result of earlier tiles changes"
// CHECK-LABEL: func.func @of_tangents
// CHECK-COUNT-3: carousel.group
func.func @of_tangents(%q: tensor<8x512x64xbf16>, %k: tensor<8x512x64xbf16>, %v: tensor<8x512x64xbf16>) -> tensor<8x512x64xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<8x512x512xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<8x512x512xf32>) -> tensor<8x512x512xf32>
  %s = linalg.generic {indexing_maps = [#qd, #kd, #sj], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<8x512x64xbf16>, tensor<8x512x64xbf16>) outs(%fs : tensor<8x512x512xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %x = arith.extf %a : bf16 to f32
    %y = arith.extf %b : bf16 to f32
    %p = arith.mulf %x, %y : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<8x512x512xf32>
  %er = tensor.empty() : tensor<8x512xf32>
  %fm = linalg.fill ins(%low : f32) outs(%er : tensor<8x512xf32>) -> tensor<8x512xf32>
  %max = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%s : tensor<8x512x512xf32>) outs(%fm : tensor<8x512xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.maximumf %a, %o : f32
    linalg.yield %r : f32
  } -> tensor<8x512xf32>
  %ew = tensor.empty() : tensor<8x512x512xbf16>
  %w = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s, %max : tensor<8x512x512xf32>, tensor<8x512xf32>) outs(%ew : tensor<8x512x512xbf16>) {
  ^bb0(%a: f32, %b: f32, %o: bf16):
    %x = arith.subf %a, %b : f32
    %y = math.tanh %x : f32
    %r = arith.truncf %y : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<8x512x512xbf16>
  %ey = tensor.empty() : tensor<8x512x64xf32>
  %fy = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x512x64xf32>) -> tensor<8x512x64xf32>
  %y = linalg.generic {indexing_maps = [#pj, #vj, #yd], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%w, %v : tensor<8x512x512xbf16>, tensor<8x512x64xbf16>) outs(%fy : tensor<8x512x64xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %x = arith.extf %a : bf16 to f32
    %z = arith.extf %b : bf16 to f32
    %c = arith.mulf %x, %z : f32
    %r = arith.addf %o, %c : f32
    linalg.yield %r : f32
  } -> tensor<8x512x64xf32>
  return %y : tensor<8x512x64xf32>
}

// Threads multiply factors of f32 as they are. The remark has the times at both rates of multiply-adds.
// REMARK: Stream {{.*}}Function=of_f32 | {{.*}}Remark="one pass takes {{[0-9.]+}} us with 32 programs, of each of which 4 parts divide the stream, and several kernels {{[0-9.]+}} us"
// CHECK-LABEL: func.func @of_f32
// CHECK: carousel.group "of_f32_0"
// CHECK-COUNT-6: linalg.generic
// CHECK-NOT: carousel.group
// APART-LABEL: func.func @of_f32
// APART-COUNT-3: carousel.group
func.func @of_f32(%q: tensor<8x512x64xf32>, %k: tensor<8x512x64xf32>, %v: tensor<8x512x64xf32>) -> tensor<8x512x64xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<8x512x512xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<8x512x512xf32>) -> tensor<8x512x512xf32>
  %s0 = linalg.generic {indexing_maps = [#qd, #kd, #sj], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<8x512x64xf32>, tensor<8x512x64xf32>) outs(%fs : tensor<8x512x512xf32>) {
  ^bb0(%a: f32, %b2: f32, %o: f32):
    %pp = arith.mulf %a, %b2 : f32
    %r = arith.addf %o, %pp : f32
    linalg.yield %r : f32
  } -> tensor<8x512x512xf32>
  %scale = arith.constant 1.250000e-01 : f32
  %es1 = tensor.empty() : tensor<8x512x512xf32>
  %s = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s0 : tensor<8x512x512xf32>) outs(%es1 : tensor<8x512x512xf32>) {
  ^bb0(%a: f32, %o: f32):
    %y9 = arith.mulf %a, %scale : f32
    linalg.yield %y9 : f32
  } -> tensor<8x512x512xf32>
  %er = tensor.empty() : tensor<8x512xf32>
  %fm = linalg.fill ins(%low : f32) outs(%er : tensor<8x512xf32>) -> tensor<8x512xf32>
  %max = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%s : tensor<8x512x512xf32>) outs(%fm : tensor<8x512xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.maximumf %a, %o : f32
    linalg.yield %r : f32
  } -> tensor<8x512xf32>
  %w = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s, %max : tensor<8x512x512xf32>, tensor<8x512xf32>) outs(%es1 : tensor<8x512x512xf32>) {
  ^bb0(%a: f32, %b2: f32, %o: f32):
    %x = arith.subf %a, %b2 : f32
    %y = math.exp %x : f32
    linalg.yield %y : f32
  } -> tensor<8x512x512xf32>
  %fl = linalg.fill ins(%zero : f32) outs(%er : tensor<8x512xf32>) -> tensor<8x512xf32>
  %l = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%w : tensor<8x512x512xf32>) outs(%fl : tensor<8x512xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %a, %o : f32
    linalg.yield %r : f32
  } -> tensor<8x512xf32>
  %ew = tensor.empty() : tensor<8x512x512xf32>
  %p = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%w, %l : tensor<8x512x512xf32>, tensor<8x512xf32>) outs(%ew : tensor<8x512x512xf32>) {
  ^bb0(%a: f32, %b2: f32, %o: f32):
    %x = arith.divf %a, %b2 : f32
    linalg.yield %x : f32
  } -> tensor<8x512x512xf32>
  %ey = tensor.empty() : tensor<8x512x64xf32>
  %fy = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x512x64xf32>) -> tensor<8x512x64xf32>
  %y = linalg.generic {indexing_maps = [#pj, #vj, #yd], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%p, %v : tensor<8x512x512xf32>, tensor<8x512x64xf32>) outs(%fy : tensor<8x512x64xf32>) {
  ^bb0(%a: f32, %b2: f32, %o: f32):
    %pp = arith.mulf %a, %b2 : f32
    %r = arith.addf %o, %pp : f32
    linalg.yield %r : f32
  } -> tensor<8x512x64xf32>
  return %y : tensor<8x512x64xf32>
}
