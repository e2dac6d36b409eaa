// A stream is one pipelined loop along tiles. It carries a maximum and a product, which is corrected where the maximum changes,
// unless nothing has been added to it. The exponential is one multiply-add and exp2.
// RUN: carousel-opt %s --carousel-form-groups --carousel-schedule-groups --carousel-lower-groups --mlir-print-local-scope | FileCheck %s

#qd = affine_map<(h, i, j, d) -> (h, i, d)>
#kd = affine_map<(h, i, j, d) -> (h, j, d)>
#sj = affine_map<(h, i, j, d) -> (h, i, j)>
#pj = affine_map<(h, i, d, j) -> (h, i, j)>
#vj = affine_map<(h, i, d, j) -> (h, j, d)>
#yd = affine_map<(h, i, d, j) -> (h, i, d)>
#all = affine_map<(h, i, j) -> (h, i, j)>
#row = affine_map<(h, i, j) -> (h, i)>

// CHECK-LABEL: gpu.func @attention_0
// CHECK: %[[Q:.+]] = vector.transfer_read %{{.+}} : memref<8x512x64xbf16, #gpu.address_space<global>>, vector<128x64xbf16>
// CHECK: scf.for %[[J:.+]] = %{{.+}} to %{{.+}} step %{{.+}} iter_args(%[[MAX:.+]] = %{{.+}}, %[[Y:.+]] = %{{.+}}) -> (vector<128xf32>, vector<128x64xf32>) {
// CHECK: %[[ISNEW:.+]] = arith.cmpf oeq, %[[MAX]]
// CHECK: %[[BEFORE:.+]] = arith.select %[[ISNEW]], %{{.+}}, %[[MAX]] : vector<128xi1>, vector<128xf32>
// CHECK: %[[K:.+]] = vector.transfer_read %{{.+}}[%{{.+}}, %[[J]], %{{.+}}]{{.*}} : memref<8x512x64xbf16, #gpu.address_space<global>>, vector<128x64xbf16>
// CHECK: %[[S:.+]] = vector.contract {{.*}} %[[Q]], %[[K]], %{{.+}} : vector<128x64xbf16>, vector<128x64xbf16> into vector<128x128xf32>
// CHECK: %[[MAX2:.+]] = vector.multi_reduction <maximumf>, %[[S]], %[[MAX]] [1] : vector<128x128xf32> to vector<128xf32>
// CHECK: %[[NOW:.+]] = arith.select %{{.+}}, %{{.+}}, %[[MAX2]]
// CHECK: %[[LESS:.+]] = arith.mulf %[[NOW]], %{{.+}} : vector<128xf32>
// CHECK: math.fma %[[S]], %{{.+}}, %{{.+}} : vector<128x128xf32>
// CHECK: %[[P:.+]] = math.exp2 %{{.+}} fastmath<afn> : vector<128x128xf32>
// CHECK: %[[DIFFERENCE:.+]] = arith.subf %[[NOW]], %[[BEFORE]] : vector<128xf32>
// CHECK: arith.select %[[ISNEW]], %{{.+}}, %[[DIFFERENCE]] : vector<128xi1>, vector<128xf32>
// CHECK: %[[CHANGE:.+]] = math.exp2 %{{.+}} fastmath<afn> : vector<128xf32>
// CHECK: %[[CHANGES:.+]] = vector.broadcast
// CHECK: %[[CORRECTED:.+]] = arith.mulf %[[Y]], %[[CHANGES]] : vector<128x64xf32>
// CHECK: %[[P16:.+]] = arith.truncf %[[P]] : vector<128x128xf32> to vector<128x128xbf16>
// CHECK: %[[V:.+]] = vector.transfer_read
// CHECK: %[[Y2:.+]] = vector.contract {{.*}} %[[P16]], %[[V]], %[[CORRECTED]]
// CHECK: scf.yield %[[MAX2]], %[[Y2]]
// CHECK: carousel.pipeline
func.func @attention(%q: tensor<8x512x64xbf16>, %k: tensor<8x512x64xbf16>, %v: tensor<8x512x64xbf16>) -> tensor<8x512x64xf32> {
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
