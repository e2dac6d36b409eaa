// Weights of few bits are computed in the loop of their product: two in a byte are interleaved, groups of k are part of one
// loop, and what is read in the loop are boxes.
// RUN: carousel-opt %s --carousel-schedule-groups --carousel-lower-groups --mlir-print-local-scope | FileCheck %s

// The dimension of two is one with that of bytes in x.
// CHECK-LABEL: gpu.func @pairs
// CHECK-SAME: memref<256x4x128xbf16, #gpu.address_space<global>>
// CHECK-SAME: memref<256x4x64xi8, #gpu.address_space<global>>
// CHECK: scf.for
// CHECK-NOT: scf.for
// CHECK: %[[BOX:.+]] = vector.transfer_read %{{.+}} : memref<256x4x64xi8, #gpu.address_space<global>>, vector<128x1x32xi8>
// CHECK: %[[BYTES:.+]] = vector.shape_cast %[[BOX]] : vector<128x1x32xi8> to vector<128x32xi8>
// CHECK: vector.transfer_read %{{.+}} : memref<256x4xbf16, #gpu.address_space<global>>, vector<128xbf16>
// CHECK: %[[LOW:.+]] = arith.andi %[[BYTES]]
// CHECK: %[[HIGH:.+]] = arith.shrui %[[BYTES]]
// CHECK: vector.interleave %[[LOW]], %[[HIGH]] : vector<128x32xi8> -> vector<128x64xi8>
// CHECK-NOT: arith.select
// CHECK: vector.transfer_read %{{.+}} : memref<256x4x128xbf16, #gpu.address_space<global>>, vector<128x1x64xbf16>
// CHECK: vector.contract {{.*}} : vector<128x64xbf16>, vector<128x64xbf16> into vector<128x128xf32>
// CHECK: } {carousel.pipeline = #carousel.pipeline<>}
func.func @pairs(%p0: tensor<256x4x64x2xbf16>, %p1: tensor<256x4x64xi8>, %p2: tensor<256x4xbf16>) -> tensor<256x256xf32> {
  %group = carousel.group "pairs"(%p0, %p1, %p2) {
  ^bb0(%x: tensor<256x4x64x2xbf16>, %w: tensor<256x4x64xi8>, %s: tensor<256x4xbf16>):
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    %four = arith.constant 4 : i8
    %mask = arith.constant 15 : i8
    %e = tensor.empty() : tensor<256x4x64x2xbf16>
    %v = linalg.generic {indexing_maps = [affine_map<(n, g, b, t) -> (n, g, b)>, affine_map<(n, g, b, t) -> (n, g)>, affine_map<(n, g, b, t) -> (n, g, b, t)>],
        iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%w, %s : tensor<256x4x64xi8>, tensor<256x4xbf16>) outs(%e : tensor<256x4x64x2xbf16>) {
    ^bb0(%a: i8, %b: bf16, %o: bf16):
      %low = arith.andi %a, %mask : i8
      %high = arith.shrui %a, %four : i8
      %place = linalg.index 3 : index
      %second = arith.cmpi eq, %place, %c1 : index
      %q = arith.select %second, %high, %low : i8
      %0 = arith.uitofp %q : i8 to bf16
      %1 = arith.mulf %0, %b : bf16
      linalg.yield %1 : bf16
    } -> tensor<256x4x64x2xbf16>
    %r = tensor.empty() : tensor<256x256xf32>
    %f = linalg.fill ins(%zero : f32) outs(%r : tensor<256x256xf32>) -> tensor<256x256xf32>
    %y = linalg.generic {indexing_maps = [affine_map<(m, n, g, b, t) -> (m, g, b, t)>, affine_map<(m, n, g, b, t) -> (n, g, b, t)>, affine_map<(m, n, g, b, t) -> (m, n)>],
        iterator_types = ["parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%x, %v : tensor<256x4x64x2xbf16>, tensor<256x4x64x2xbf16>) outs(%f : tensor<256x256xf32>) {
    ^bb0(%a: bf16, %b: bf16, %o: f32):
      %0 = arith.extf %a : bf16 to f32
      %1 = arith.extf %b : bf16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %o, %2 : f32
      linalg.yield %3 : f32
    } -> tensor<256x256xf32>
    carousel.yield %y : tensor<256x256xf32>
  } : (tensor<256x4x64x2xbf16>, tensor<256x4x64xi8>, tensor<256x4xbf16>) -> tensor<256x256xf32>
  return %group : tensor<256x256xf32>
}

// Without a product, programs have whole rows of pairs.
// CHECK-LABEL: gpu.func @unpacked
// CHECK-SAME: memref<16384xi8, #gpu.address_space<global>>
// CHECK-SAME: memref<32768xi8, #gpu.address_space<global>>
// CHECK: vector.interleave {{.*}} : vector<2048xi8> -> vector<4096xi8>
// CHECK: vector.transfer_write %{{.+}} : vector<4096xi8>, memref<32768xi8, #gpu.address_space<global>>
func.func @unpacked(%p0: tensor<256x64xi8>) -> tensor<256x64x2xi8> {
  %group = carousel.group "unpacked"(%p0) {
  ^bb0(%w: tensor<256x64xi8>):
    %c1 = arith.constant 1 : index
    %four = arith.constant 4 : i8
    %mask = arith.constant 15 : i8
    %e = tensor.empty() : tensor<256x64x2xi8>
    %v = linalg.generic {indexing_maps = [affine_map<(n, b, t) -> (n, b)>, affine_map<(n, b, t) -> (n, b, t)>],
        iterator_types = ["parallel", "parallel", "parallel"]} ins(%w : tensor<256x64xi8>) outs(%e : tensor<256x64x2xi8>) {
    ^bb0(%a: i8, %o: i8):
      %low = arith.andi %a, %mask : i8
      %high = arith.shrui %a, %four : i8
      %place = linalg.index 2 : index
      %second = arith.cmpi eq, %place, %c1 : index
      %q = arith.select %second, %high, %low : i8
      linalg.yield %q : i8
    } -> tensor<256x64x2xi8>
    carousel.yield %v : tensor<256x64x2xi8>
  } : (tensor<256x64xi8>) -> tensor<256x64x2xi8>
  return %group : tensor<256x64x2xi8>
}

func.func @main(%x: tensor<256x4x64x2xbf16>, %w: tensor<256x4x64xi8>, %s: tensor<256x4xbf16>, %v: tensor<256x64xi8>) -> (tensor<256x256xf32>, tensor<256x64x2xi8>) {
  %y = func.call @pairs(%x, %w, %s) : (tensor<256x4x64x2xbf16>, tensor<256x4x64xi8>, tensor<256x4xbf16>) -> tensor<256x256xf32>
  %z = func.call @unpacked(%v) : (tensor<256x64xi8>) -> tensor<256x64x2xi8>
  return %y, %z : tensor<256x256xf32>, tensor<256x64x2xi8>
}
