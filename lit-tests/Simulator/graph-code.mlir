// REQUIRES: nvrtc
// simulate-graph --code: the lowered program runs as PTX, and so does the program of the package.
// DEFINE: %{graph} = env CAROUSEL_BUILD_DIR=%binary_root CAROUSEL_CUDA_ROOT=%cuda_root %python %source_root/scripts/simulate-graph %s --chip sm_90a --kernels 2
// DEFINE: %{values} = --arg x=random:5x33 --arg result0=zeros:5 --rtol 1e-5
// RUN: %{graph} --code llvm,nvrtc -- %{values} | FileCheck %s
//      CHECK: graph-code.mlir, block phase: right
// CHECK-NEXT: graph-code.mlir, sm_90a: right
// CHECK-NEXT: graph-code.mlir, sm_90a as PTX by llvm: right
// CHECK-NEXT: graph-code.mlir, sm_90a as PTX by nvrtc: right
// CHECK-NEXT: graph-code.mlir, package for sm_90a: right

// It is PTX that runs: bank conflicts aren't counted there.
// RUN: not %{graph} --code llvm -- %{values} --bank-conflicts | FileCheck %s --check-prefix=BANKS
// BANKS: graph-code.mlir, sm_90a: right
// BANKS: graph-code.mlir, sm_90a as PTX by llvm: wrong
// BANKS-NEXT: expected --bank-conflicts and --bank-conflict-limit without PTX
func.func @main(%x: tensor<5x33xf32> {carousel.argument = #carousel.argument<"x", in>}) -> tensor<5xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<5x33xf32>
  %y = linalg.exp ins(%x : tensor<5x33xf32>) outs(%e : tensor<5x33xf32>) -> tensor<5x33xf32>
  %r = tensor.empty() : tensor<5xf32>
  %i = linalg.fill ins(%zero : f32) outs(%r : tensor<5xf32>) -> tensor<5xf32>
  %s = linalg.reduce ins(%y : tensor<5x33xf32>) outs(%i : tensor<5xf32>) dimensions = [1]
      (%a: f32, %b: f32) {
        %sum = arith.addf %a, %b : f32
        linalg.yield %sum : f32
      }
  return %s : tensor<5xf32>
}
