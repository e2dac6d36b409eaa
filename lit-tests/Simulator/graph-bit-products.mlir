// Ors of ands have the form of products, and aren't sums: of booleans, of integers bit by bit, and what upstream makes of a
// matmul of booleans. Instructions count the pairs of booleans, whose bytes are in rings; and those of computed ones, and
// of booleans by bytes. Parities are lowest bits.
// DEFINE: %{function} =
// DEFINE: %{simulate} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-graph %s --function %{function} --chip sm_90a
// REDEFINE: %{function} = any_of_both
// RUN: %{simulate} -- --arg arg0=random:33x70 --arg arg1=random:70x40 --arg result0=zeros:33x40 | FileCheck %s
// REDEFINE: %{function} = bitwise
// RUN: %{simulate} -- --arg arg0=random:17x65 --arg arg1=random:65x33 --arg result0=zeros:17x33 | FileCheck %s
// REDEFINE: %{function} = parity
// RUN: %{simulate} -- --arg arg0=random:64x160 --arg arg1=random:96x160 --arg result0=zeros:64x96 | FileCheck %s
// REDEFINE: %{function} = computed
// RUN: %{simulate} -- --arg arg0=random:33x70 --arg arg1=random:40x70 --arg result0=zeros:33x40 | FileCheck %s
// REDEFINE: %{function} = mixed
// RUN: %{simulate} -- --arg arg0=random:64x160 --arg arg1=random:160x96 --arg result0=zeros:64x96 | FileCheck %s
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

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#mnk = affine_map<(m, n, k) -> (m, n, k)>
#product = ["parallel", "parallel", "reduction"]

func.func @parity(%a: tensor<64x160xi1>, %b: tensor<96x160xi1>) -> tensor<64x96xi1> {
  %no = arith.constant false
  %e = tensor.empty() : tensor<64x96xi1>
  %f = linalg.fill ins(%no : i1) outs(%e : tensor<64x96xi1>) -> tensor<64x96xi1>
  %y = linalg.generic {indexing_maps = [#mk, #nk, #mn], iterator_types = #product}
      ins(%a, %b : tensor<64x160xi1>, tensor<96x160xi1>) outs(%f : tensor<64x96xi1>) {
  ^bb0(%x: i1, %z: i1, %o: i1):
    %q = arith.andi %x, %z : i1
    %r = arith.xori %o, %q : i1
    linalg.yield %r : i1
  } -> tensor<64x96xi1>
  return %y : tensor<64x96xi1>
}

// Whether any two are both large, as front ends write it.
func.func @computed(%a: tensor<33x70xf32>, %b: tensor<40x70xi1>) -> tensor<33x40xi1> {
  %no = arith.constant false
  %bound = arith.constant 0.9 : f32
  %el = tensor.empty() : tensor<33x70xi1>
  %large = linalg.generic {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m, k)>], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<33x70xf32>) outs(%el : tensor<33x70xi1>) {
  ^bb0(%x: f32, %o: i1):
    %r = arith.cmpf ogt, %x, %bound : f32
    linalg.yield %r : i1
  } -> tensor<33x70xi1>
  %ep = tensor.empty() : tensor<33x40x70xi1>
  %pairs = linalg.generic {indexing_maps = [#mk, #nk, #mnk], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%large, %b : tensor<33x70xi1>, tensor<40x70xi1>) outs(%ep : tensor<33x40x70xi1>) {
  ^bb0(%x: i1, %z: i1, %o: i1):
    %r = arith.andi %x, %z : i1
    linalg.yield %r : i1
  } -> tensor<33x40x70xi1>
  %e = tensor.empty() : tensor<33x40xi1>
  %f = linalg.fill ins(%no : i1) outs(%e : tensor<33x40xi1>) -> tensor<33x40xi1>
  %y = linalg.reduce ins(%pairs : tensor<33x40x70xi1>) outs(%f : tensor<33x40xi1>) dimensions = [2] (%x: i1, %o: i1) {
    %r = arith.ori %x, %o : i1
    linalg.yield %r : i1
  }
  return %y : tensor<33x40xi1>
}

func.func @mixed(%a: tensor<64x160xi1>, %b: tensor<160x96xi8>) -> tensor<64x96xi32> {
  %no = arith.constant 0 : i32
  %e = tensor.empty() : tensor<64x96xi32>
  %f = linalg.fill ins(%no : i32) outs(%e : tensor<64x96xi32>) -> tensor<64x96xi32>
  %y = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = #product}
      ins(%a, %b : tensor<64x160xi1>, tensor<160x96xi8>) outs(%f : tensor<64x96xi32>) {
  ^bb0(%x: i1, %z: i8, %o: i32):
    %xe = arith.extui %x : i1 to i32
    %ze = arith.extsi %z : i8 to i32
    %q = arith.muli %xe, %ze : i32
    %r = arith.addi %o, %q : i32
    linalg.yield %r : i32
  } -> tensor<64x96xi32>
  return %y : tensor<64x96xi32>
}
