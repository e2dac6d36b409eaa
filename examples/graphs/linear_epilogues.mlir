// Linear layers whose bias, residual and function cuBLASLt computes with the product: bf16 with gelu, f32 with relu. The
// bias of the second one begins in the middle of an argument, and isn't aligned.
//
//   carousel-compile linear_epilogues.mlir -o linear.pkg --chip sm_90a --explain

func.func @main(%x: tensor<?x?xbf16> {carousel.argument = #carousel.argument<"x", in>},
                %w: tensor<?x?xbf16> {carousel.argument = #carousel.argument<"w", in>},
                %b: tensor<?xbf16> {carousel.argument = #carousel.argument<"b", in>},
                %r: tensor<?x?xbf16> {carousel.argument = #carousel.argument<"r", in>},
                %u: tensor<?x?xf32> {carousel.argument = #carousel.argument<"u", in>},
                %v: tensor<?x?xf32> {carousel.argument = #carousel.argument<"v", in>},
                %c: tensor<?xf32> {carousel.argument = #carousel.argument<"c", in>})
    -> (tensor<?x?xbf16>, tensor<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %linear = arith.constant 0.797884583 : f32
  %cubic = arith.constant 4.471500e-02 : f32

  // gelu(x w + b + r)
  %m = tensor.dim %x, %c0 : tensor<?x?xbf16>
  %n = tensor.dim %w, %c1 : tensor<?x?xbf16>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %p = linalg.matmul ins(%x, %w : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%z : tensor<?x?xf32>) -> tensor<?x?xf32>
  %ey = tensor.empty(%m, %n) : tensor<?x?xbf16>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>,
      affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%p, %b, %r : tensor<?x?xf32>, tensor<?xbf16>, tensor<?x?xbf16>) outs(%ey : tensor<?x?xbf16>) {
  ^bb0(%sum: f32, %bias: bf16, %residual: bf16, %o: bf16):
    %wide = arith.extf %bias : bf16 to f32
    %biased = arith.addf %sum, %wide : f32
    %more = arith.extf %residual : bf16 to f32
    %t = arith.addf %biased, %more : f32
    %t2 = arith.mulf %t, %t : f32
    %t3 = arith.mulf %t2, %t : f32
    %t4 = arith.mulf %t3, %cubic : f32
    %t5 = arith.addf %t, %t4 : f32
    %t6 = arith.mulf %t5, %linear : f32
    %t7 = math.tanh %t6 : f32
    %t8 = arith.addf %t7, %one : f32
    %t9 = arith.mulf %t8, %half : f32
    %gelu = arith.mulf %t, %t9 : f32
    %rounded = arith.truncf %gelu : f32 to bf16
    linalg.yield %rounded : bf16
  } -> tensor<?x?xbf16>

  // relu(u v + c[1:])
  %fm = tensor.dim %u, %c0 : tensor<?x?xf32>
  %fn = tensor.dim %v, %c1 : tensor<?x?xf32>
  %tail = tensor.extract_slice %c[1] [%fn] [1] : tensor<?xf32> to tensor<?xf32>
  %fe = tensor.empty(%fm, %fn) : tensor<?x?xf32>
  %fz = linalg.fill ins(%zero : f32) outs(%fe : tensor<?x?xf32>) -> tensor<?x?xf32>
  %fp = linalg.matmul ins(%u, %v : tensor<?x?xf32>, tensor<?x?xf32>) outs(%fz : tensor<?x?xf32>) -> tensor<?x?xf32>
  %fy = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>,
      affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%fp, %tail : tensor<?x?xf32>, tensor<?xf32>) outs(%fe : tensor<?x?xf32>) {
  ^bb0(%sum: f32, %bias: f32, %o: f32):
    %biased = arith.addf %sum, %bias : f32
    %relu = arith.maximumf %biased, %zero : f32
    linalg.yield %relu : f32
  } -> tensor<?x?xf32>
  return %y, %fy : tensor<?x?xbf16>, tensor<?x?xf32>
}
