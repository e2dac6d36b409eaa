// Ors of ands have the form of products, and aren't sums: of booleans, of integers bit by bit, and what upstream makes of a
// matmul of booleans.
// DEFINE: %{function} =
// DEFINE: %{simulate} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-graph %s --function %{function} --chip sm_90a
// REDEFINE: %{function} = any_of_both
// RUN: %{simulate} -- --arg arg0=random:33x70 --arg arg1=random:70x40 --arg result0=zeros:33x40 | FileCheck %s
// REDEFINE: %{function} = bitwise
// RUN: %{simulate} -- --arg arg0=random:17x65 --arg arg1=random:65x33 --arg result0=zeros:17x33 | FileCheck %s
// CHECK: block phase: right
// CHECK: sm_90a: right

func.func @any_of_both(%a: tensor<33x70xi1>, %b: tensor<70x40xi1>) -> tensor<33x40xi1> {
  %no = arith.constant false
  %e = tensor.empty() : tensor<33x40xi1>
  %f = linalg.fill ins(%no : i1) outs(%e : tensor<33x40xi1>) -> tensor<33x40xi1>
  %y = linalg.matmul ins(%a, %b : tensor<33x70xi1>, tensor<70x40xi1>) outs(%f : tensor<33x40xi1>) -> tensor<33x40xi1>
  return %y : tensor<33x40xi1>
}

func.func @bitwise(%a: tensor<17x65xi32>, %b: tensor<65x33xi32>) -> tensor<17x33xi32> {
  %no = arith.constant 0 : i32
  %e = tensor.empty() : tensor<17x33xi32>
  %f = linalg.fill ins(%no : i32) outs(%e : tensor<17x33xi32>) -> tensor<17x33xi32>
  %y = linalg.generic {
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<17x65xi32>, tensor<65x33xi32>) outs(%f : tensor<17x33xi32>) {
  ^bb0(%x: i32, %z: i32, %o: i32):
    %q = arith.andi %x, %z : i32
    %r = arith.ori %o, %q : i32
    linalg.yield %r : i32
  } -> tensor<17x33xi32>
  return %y : tensor<17x33xi32>
}
