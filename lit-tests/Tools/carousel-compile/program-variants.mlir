// Of a program's kernel only what a launch may take is compiled: of five tiles the one that is
// predicted to be the fastest. Launches copy arguments at addresses off 16 bytes.
// RUN: carousel-compile %s --chip sm_90a --emit=ptx --no-libraries -o %t.pkg
// RUN: grep -ho 'entry [a-z0-9_]*' %t.pkg/*.ptx | sort | FileCheck %s

// CHECK-NOT: entry
// CHECK: entry main_0_128x256{{$}}
// CHECK-NEXT: entry main_1_128x256{{$}}
// CHECK-NOT: entry
#x = affine_map<(i, j) -> (i, j)>
func.func @main(%x: tensor<4096x1024xbf16>, %w: tensor<1024x1024xbf16>)
    -> tensor<4096x4096xbf16> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4096x1024xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4096x1024xf32>) -> tensor<4096x1024xf32>
  %p = linalg.matmul ins(%x, %w : tensor<4096x1024xbf16>, tensor<1024x1024xbf16>)
      outs(%f : tensor<4096x1024xf32>) -> tensor<4096x1024xf32>
  %b = tensor.empty() : tensor<4096x1024xbf16>
  %h = linalg.generic {indexing_maps = [#x, #x], iterator_types = ["parallel", "parallel"]}
      ins(%p : tensor<4096x1024xf32>) outs(%b : tensor<4096x1024xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %t = arith.truncf %in : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<4096x1024xbf16>
  %g = tensor.empty() : tensor<4096x4096xf32>
  %k = linalg.fill ins(%zero : f32) outs(%g : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %q = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (i, k)>,
                                      affine_map<(i, j, k) -> (j, k)>,
                                      affine_map<(i, j, k) -> (i, j)>]
      ins(%h, %h : tensor<4096x1024xbf16>, tensor<4096x1024xbf16>)
      outs(%k : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %c = tensor.empty() : tensor<4096x4096xbf16>
  %y = linalg.generic {indexing_maps = [#x, #x], iterator_types = ["parallel", "parallel"]}
      ins(%q : tensor<4096x4096xf32>) outs(%c : tensor<4096x4096xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %t = arith.truncf %in : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<4096x4096xbf16>
  return %y : tensor<4096x4096xbf16>
}
