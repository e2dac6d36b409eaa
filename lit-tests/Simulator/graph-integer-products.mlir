// Products of integers whose conversions differ: factors of other signs, extended in two steps or beside a product that
// wraps first, sums that are truncated; and windows of such.
// DEFINE: %{function} =
// DEFINE: %{simulate} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-graph %s --as-written --function %{function} --chip sm_90a
// DEFINE: %{matrices} = %{simulate} -- --arg arg0=random:33x70 --arg arg1=random:70x40 --arg result0=zeros:33x40
// REDEFINE: %{function} = mixed
// RUN: %{matrices} | FileCheck %s
// REDEFINE: %{function} = steps
// RUN: %{matrices} | FileCheck %s
// REDEFINE: %{function} = wrapped
// RUN: %{matrices} | FileCheck %s
// REDEFINE: %{function} = truncated
// RUN: %{matrices} | FileCheck %s
// REDEFINE: %{function} = window
// RUN: %{simulate} -- --arg arg0=random:2x12x12x8 --arg arg1=random:3x3x8x16 --arg result0=zeros:2x10x10x16 | FileCheck %s
// CHECK: block phase: right
// CHECK: sm_90a: right

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#product = {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
func.func @mixed(%a: tensor<33x70xi8>, %b: tensor<70x40xi8>) -> tensor<33x40xi32> {
  %no = arith.constant 0 : i32
  %e = tensor.empty() : tensor<33x40xi32>
  %f = linalg.fill ins(%no : i32) outs(%e : tensor<33x40xi32>) -> tensor<33x40xi32>
  %y = linalg.generic #product ins(%a, %b : tensor<33x70xi8>, tensor<70x40xi8>) outs(%f : tensor<33x40xi32>) {
  ^bb0(%x: i8, %z: i8, %o: i32):
    %xe = arith.extui %x : i8 to i32
    %ze = arith.extsi %z : i8 to i32
    %q = arith.muli %xe, %ze : i32
    %r = arith.addi %o, %q : i32
    linalg.yield %r : i32
  } -> tensor<33x40xi32>
  return %y : tensor<33x40xi32>
}
func.func @steps(%a: tensor<33x70xi8>, %b: tensor<70x40xi8>) -> tensor<33x40xi32> {
  %no = arith.constant 0 : i32
  %e = tensor.empty() : tensor<33x40xi32>
  %f = linalg.fill ins(%no : i32) outs(%e : tensor<33x40xi32>) -> tensor<33x40xi32>
  %y = linalg.generic #product ins(%a, %b : tensor<33x70xi8>, tensor<70x40xi8>) outs(%f : tensor<33x40xi32>) {
  ^bb0(%x: i8, %z: i8, %o: i32):
    %xn = arith.extui %x : i8 to i16
    %xe = arith.extsi %xn : i16 to i32
    %ze = arith.extui %z : i8 to i32
    %q = arith.muli %xe, %ze : i32
    %r = arith.addi %o, %q : i32
    linalg.yield %r : i32
  } -> tensor<33x40xi32>
  return %y : tensor<33x40xi32>
}
func.func @wrapped(%a: tensor<33x70xi8>, %b: tensor<70x40xi8>) -> tensor<33x40xi32> {
  %no = arith.constant 0 : i32
  %e = tensor.empty() : tensor<33x40xi32>
  %f = linalg.fill ins(%no : i32) outs(%e : tensor<33x40xi32>) -> tensor<33x40xi32>
  %y = linalg.generic #product ins(%a, %b : tensor<33x70xi8>, tensor<70x40xi8>) outs(%f : tensor<33x40xi32>) {
  ^bb0(%x: i8, %z: i8, %o: i32):
    %q = arith.muli %x, %z : i8
    %w = arith.extsi %q : i8 to i32
    %r = arith.addi %o, %w : i32
    linalg.yield %r : i32
  } -> tensor<33x40xi32>
  return %y : tensor<33x40xi32>
}
func.func @truncated(%a: tensor<33x70xi16>, %b: tensor<70x40xi16>) -> tensor<33x40xi16> {
  %no = arith.constant 0 : i16
  %e = tensor.empty() : tensor<33x40xi16>
  %f = linalg.fill ins(%no : i16) outs(%e : tensor<33x40xi16>) -> tensor<33x40xi16>
  %y = linalg.generic #product ins(%a, %b : tensor<33x70xi16>, tensor<70x40xi16>) outs(%f : tensor<33x40xi16>) {
  ^bb0(%x: i16, %z: i16, %o: i16):
    %xe = arith.extui %x : i16 to i32
    %ze = arith.extui %z : i16 to i32
    %oe = arith.extui %o : i16 to i32
    %q = arith.muli %xe, %ze : i32
    %r = arith.addi %oe, %q : i32
    %t = arith.trunci %r : i32 to i16
    linalg.yield %t : i16
  } -> tensor<33x40xi16>
  return %y : tensor<33x40xi16>
}
func.func @window(%a: tensor<2x12x12x8xi8>, %w: tensor<3x3x8x16xi8>) -> tensor<2x10x10x16xi32> {
  %no = arith.constant 0 : i32
  %e = tensor.empty() : tensor<2x10x10x16xi32>
  %f = linalg.fill ins(%no : i32) outs(%e : tensor<2x10x10x16xi32>) -> tensor<2x10x10x16xi32>
  %y = linalg.generic {indexing_maps = [affine_map<(b, i, j, c, p, q, d) -> (b, i + p, j + q, d)>,
      affine_map<(b, i, j, c, p, q, d) -> (p, q, d, c)>, affine_map<(b, i, j, c, p, q, d) -> (b, i, j, c)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%a, %w : tensor<2x12x12x8xi8>, tensor<3x3x8x16xi8>) outs(%f : tensor<2x10x10x16xi32>) {
  ^bb0(%x: i8, %z: i8, %o: i32):
    %xe = arith.extui %x : i8 to i32
    %ze = arith.extsi %z : i8 to i32
    %q = arith.muli %xe, %ze : i32
    %r = arith.addi %o, %q : i32
    linalg.yield %r : i32
  } -> tensor<2x10x10x16xi32>
  return %y : tensor<2x10x10x16xi32>
}
