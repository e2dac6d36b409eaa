// Elements of a tensor.empty are some value, and not poison: what depends on them is computed and stored.
// RUN: rm -rf %t.pkg && carousel-compile %s -o %t.pkg --chip sm_90a --quiet && FileCheck %s < %t.pkg/kernels_sm_90a.sm_90a.ptx

#x = affine_map<(b, j, i) -> (b, j * 2 + i)>
#w = affine_map<(b, j, i) -> (i)>
#y = affine_map<(b, j, i) -> (b, j)>

// The best element begins as an empty one, as gradients of pooling have it.
// CHECK-LABEL: .entry first_0(
// CHECK: st.global
// CHECK: ret;
func.func @first(%x: tensor<4x32xf32>) -> tensor<4x16xi32> {
  %none = arith.constant -1 : i32
  %window = tensor.empty() : tensor<2xf32>
  %best = tensor.empty() : tensor<4x16xf32>
  %e = tensor.empty() : tensor<4x16xi32>
  %start = linalg.fill ins(%none : i32) outs(%e : tensor<4x16xi32>) -> tensor<4x16xi32>
  %r:2 = linalg.generic {indexing_maps = [#x, #w, #y, #y], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %window : tensor<4x32xf32>, tensor<2xf32>) outs(%best, %start : tensor<4x16xf32>, tensor<4x16xi32>) {
  ^bb0(%in: f32, %size: f32, %out: f32, %index: i32):
    %larger = arith.cmpf oge, %in, %out : f32
    %is_first = arith.cmpi eq, %index, %none : i32
    %takes = arith.ori %larger, %is_first : i1
    %i = linalg.index 2 : index
    %number = arith.index_cast %i : index to i32
    %new = arith.select %takes, %number, %index : i32
    %value = arith.select %takes, %in, %out : f32
    linalg.yield %value, %new : f32, i32
  } -> (tensor<4x16xf32>, tensor<4x16xi32>)
  return %r#1 : tensor<4x16xi32>
}

// Inputs, inits, factors and parts that are never written.
// CHECK-LABEL: .entry inputs_0(
// CHECK: st.global
// CHECK: ret;
func.func @inputs(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %s = linalg.add ins(%x, %e : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%s : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %d = arith.subf %in, %out : f32
    linalg.yield %d : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// CHECK-LABEL: .entry product_0(
// CHECK: st.global
// CHECK: ret;
func.func @product(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %w = tensor.empty() : tensor<64x64xf32>
  %e = tensor.empty() : tensor<64x64xf32>
  %r = linalg.matmul ins(%x, %w : tensor<64x64xf32>, tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}

// CHECK-LABEL: .entry parts_0(
// CHECK: st.global
// CHECK: ret;
func.func @parts(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<6xf32>, tensor<4xf32>) {
  %zero = arith.constant 0.0 : f32
  %e8 = tensor.empty() : tensor<8xf32>
  %e4 = tensor.empty() : tensor<4xf32>
  %part = tensor.extract_slice %e8[2] [4] [1] : tensor<8xf32> to tensor<4xf32>
  %s = linalg.add ins(%x, %part : tensor<4xf32>, tensor<4xf32>) outs(%e4 : tensor<4xf32>) -> tensor<4xf32>
  %wide = tensor.pad %e4 low[1] high[1] {
  ^bb0(%k: index):
    tensor.yield %zero : f32
  } : tensor<4xf32> to tensor<6xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%e4 : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %j = linalg.index 0 : index
    %v = tensor.extract %e8[%j] : tensor<8xf32>
    %d = arith.addf %in, %v : f32
    linalg.yield %d : f32
  } -> tensor<4xf32>
  return %s, %wide, %g : tensor<4xf32>, tensor<6xf32>, tensor<4xf32>
}

// Extents of 0 have nothing to compute, and no kernel.
// CHECK-NOT: .entry
func.func @no_rows(%a: tensor<0x1xf32>, %b: tensor<1x64xf32>) -> tensor<0x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<0x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<0x64xf32>) -> tensor<0x64xf32>
  %r = linalg.matmul ins(%a, %b : tensor<0x1xf32>, tensor<1x64xf32>) outs(%f : tensor<0x64xf32>) -> tensor<0x64xf32>
  return %r : tensor<0x64xf32>
}
