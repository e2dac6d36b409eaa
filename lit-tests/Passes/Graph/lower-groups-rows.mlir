// A product whose factor has rows that a table names reads them through a view, as a tile of its loop.
// RUN: carousel-opt %s --carousel-lower-groups --mlir-print-local-scope | FileCheck %s

// CHECK-LABEL: gpu.func @rows
// CHECK-SAME: (%[[X:.+]]: memref<1000x512xbf16, #gpu.address_space<global>> {{{.+}}}, %[[I:.+]]: memref<256xi32, #gpu.address_space<global>> {{{.+}}}, %{{.+}}: memref<512x384xbf16
// CHECK: scf.for
// CHECK: %[[ROWS:.+]] = carousel.rows %[[X]][%[[I]]]
// CHECK: vector.transfer_read %[[ROWS]]{{.*}} {in_bounds = [false, true]} : memref<256x512xbf16, #gpu.address_space<global>>, vector<128x64xbf16>
// CHECK-NOT: vector.gather
// CHECK: vector.contract

// Numbers that the kernel computes are in no table: their elements are gathered.
// CHECK-LABEL: gpu.func @next_rows
// CHECK-NOT: carousel.rows
// CHECK: vector.gather
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#product = {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]}

func.func private @rows(%x: tensor<1000x512xbf16>, %i: tensor<256xi32>, %w: tensor<512x384xbf16>) -> tensor<256x384xf32> attributes {carousel.group} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<256x512xbf16>
  %g = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]} ins(%i : tensor<256xi32>) outs(%e : tensor<256x512xbf16>) {
  ^bb0(%a: i32, %o: bf16):
    %0 = arith.index_cast %a : i32 to index
    %1 = linalg.index 1 : index
    %2 = tensor.extract %x[%0, %1] : tensor<1000x512xbf16>
    linalg.yield %2 : bf16
  } -> tensor<256x512xbf16>
  %r = tensor.empty() : tensor<256x384xf32>
  %f = linalg.fill ins(%zero : f32) outs(%r : tensor<256x384xf32>) -> tensor<256x384xf32>
  %y = linalg.generic #product ins(%g, %w : tensor<256x512xbf16>, tensor<512x384xbf16>) outs(%f : tensor<256x384xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.extf %b : bf16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %o, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<256x384xf32>
  return %y : tensor<256x384xf32>
}

func.func private @next_rows(%x: tensor<1000x512xbf16>, %i: tensor<256xi32>, %w: tensor<512x384xbf16>) -> tensor<256x384xf32> attributes {carousel.group} {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1 : i32
  %e = tensor.empty() : tensor<256x512xbf16>
  %g = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]} ins(%i : tensor<256xi32>) outs(%e : tensor<256x512xbf16>) {
  ^bb0(%a: i32, %o: bf16):
    %next = arith.addi %a, %one : i32
    %0 = arith.index_cast %next : i32 to index
    %1 = linalg.index 1 : index
    %2 = tensor.extract %x[%0, %1] : tensor<1000x512xbf16>
    linalg.yield %2 : bf16
  } -> tensor<256x512xbf16>
  %r = tensor.empty() : tensor<256x384xf32>
  %f = linalg.fill ins(%zero : f32) outs(%r : tensor<256x384xf32>) -> tensor<256x384xf32>
  %y = linalg.generic #product ins(%g, %w : tensor<256x512xbf16>, tensor<512x384xbf16>) outs(%f : tensor<256x384xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.extf %b : bf16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %o, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<256x384xf32>
  return %y : tensor<256x384xf32>
}

func.func @main(%x: tensor<1000x512xbf16>, %i: tensor<256xi32>, %w: tensor<512x384xbf16>) -> (tensor<256x384xf32>, tensor<256x384xf32>) {
  %y = func.call @rows(%x, %i, %w) : (tensor<1000x512xbf16>, tensor<256xi32>, tensor<512x384xbf16>) -> tensor<256x384xf32>
  %z = func.call @next_rows(%x, %i, %w) : (tensor<1000x512xbf16>, tensor<256xi32>, tensor<512x384xbf16>) -> tensor<256x384xf32>
  return %y, %z : tensor<256x384xf32>, tensor<256x384xf32>
}
