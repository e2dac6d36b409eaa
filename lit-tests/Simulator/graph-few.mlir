// Rows that are gathered and added by twos: vectors go along neighbouring results, although the only operand that is
// read in order, the weights, has the reduced dimension inside.
// RUN: rm -rf %t.pkg && carousel-compile %s -o %t.pkg --chip sm_90a --emit=ptx --explain | FileCheck %s
// RUN: env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-graph %s --chip sm_90a --function few --kernels 1 -- --arg arg0=random:20x2 --arg arg1=iota:20x2:7 --arg arg2=random:7x40:1 --arg result0=empty:20x40 --rtol 1e-5 --atol 1e-5 | FileCheck %s --check-prefix=SAME
// CHECK: schedule: column, {{.*}} 2 by a loop
// SAME: block phase: right
// SAME: sm_90a: right

#all = affine_map<(t, k, d) -> (t, k, d)>
#gates = affine_map<(t, k, d) -> (t, k)>
#sums = affine_map<(t, k, d) -> (t, d)>
func.func @few(%g: tensor<20x2xf32>, %i: tensor<20x2xi32>, %y: tensor<7x40xf32>) -> tensor<20x40xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<20x40xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<20x40xf32>) -> tensor<20x40xf32>
  %s = linalg.generic {indexing_maps = [#gates, #gates, #sums], iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%g, %i : tensor<20x2xf32>, tensor<20x2xi32>) outs(%f : tensor<20x40xf32>) {
  ^bb0(%a: f32, %n: i32, %o: f32):
    %d = linalg.index 2 : index
    %r = arith.index_cast %n : i32 to index
    %x = tensor.extract %y[%r, %d] : tensor<7x40xf32>
    %m = arith.mulf %a, %x : f32
    %b = arith.addf %m, %o : f32
    linalg.yield %b : f32
  } -> tensor<20x40xf32>
  return %s : tensor<20x40xf32>
}
