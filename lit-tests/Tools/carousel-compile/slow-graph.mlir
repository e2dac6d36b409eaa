// A product of a factor that is computed in f32 and one that is widened from bf16 is exact, and without tensor cores: a
// warning that names the way out, whoever computes it. Factors that are both widened have tensor cores.
// RUN: carousel-compile %s -o %t --chip sm_90a --no-cubin --no-libraries 2>&1 | FileCheck %s --check-prefix=KERNEL
// RUN: not carousel-compile %s -o %t/none --chip sm_90a --no-cubin --no-libraries --quiet --werror=tensor-cores 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: carousel-compile %s -o %t --chip sm_90a --no-cubin 2>&1 | FileCheck %s --check-prefix=LIBRARY
// RUN: not carousel-compile %s -o %t/none --chip sm_90a --no-cubin --quiet --werror=tensor-cores 2>&1 | FileCheck %s --check-prefix=CALL
// RUN: carousel-compile %s -o %t --chip sm_90a --no-cubin --quiet --werror=pipeline,tensor-cores --products=tf32

// KERNEL: slow-graph.mlir:{{.*}}: warning: product: threads multiply and add: one factor is 'f32', and the other one is widened from 'bf16' [product:widened]
// KERNEL-NOT: warning
// ERROR: error: product: threads multiply and add: one factor is 'f32'
// LIBRARY: slow-graph.mlir:[[#@LINE+15]]:{{[0-9]+}}: warning: cuBLASLt computes matmul at slow-graph.mlir:{{[0-9]+}} without tensor cores: one factor is 'f32', and the other one is widened from 'bf16': {{.*}} [product:widened]
// CALL: error: cuBLASLt computes matmul at slow-graph.mlir:{{[0-9]+}} without tensor cores
#all = affine_map<(i, j) -> (i, j)>
func.func @main(%x: tensor<4096x4096xf32>, %w: tensor<4096x4096xbf16>, %v: tensor<4096x4096xbf16>) -> (tensor<4096x4096xf32>, tensor<4096x4096xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4096x4096xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %wide = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<4096x4096xbf16>) outs(%e : tensor<4096x4096xf32>) {
  ^bb0(%in: bf16, %o: f32):
    %r = arith.extf %in : bf16 to f32
    linalg.yield %r : f32
  } -> tensor<4096x4096xf32>
  %others = arith.extf %v : tensor<4096x4096xbf16> to tensor<4096x4096xf32>
  %z = linalg.matmul ins(%others, %wide : tensor<4096x4096xf32>, tensor<4096x4096xf32>) outs(%f : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %y = linalg.matmul ins(%x, %wide : tensor<4096x4096xf32>, tensor<4096x4096xf32>) outs(%f : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  return %y, %z : tensor<4096x4096xf32>, tensor<4096x4096xf32>
}

// Nobody asked for the pipeline of a loop that a graph becomes: threads that gather elements in it are no warning.
#i = affine_map<(i, j) -> (i)>
func.func @gathered(%x: tensor<4096xf32>, %ids: tensor<64x?xi32>) -> tensor<64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %y = linalg.generic {indexing_maps = [#all, #i], iterator_types = ["parallel", "reduction"]}
      ins(%ids : tensor<64x?xi32>) outs(%f : tensor<64xf32>) {
  ^bb0(%id: i32, %o: f32):
    %at = arith.index_cast %id : i32 to index
    %v = tensor.extract %x[%at] : tensor<4096xf32>
    %r = arith.addf %v, %o : f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  return %y : tensor<64xf32>
}
