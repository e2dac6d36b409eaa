// Rows of factors that don't begin at multiples of 16 bytes have gaps between them: kernels write them so, or copy them.
// What lies in the gaps is no element of a product: extents are 1, prime, one off a tile, and those of several tiles.
// A launch takes no time here, so that copies of few elements pay.
// DEFINE: %{function} =
// DEFINE: %{count} = 3
// DEFINE: %{graph} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-graph %s --chip sm_90a --kernels %{count} --function %{function} --
// REDEFINE: %{count} = 3
// REDEFINE: %{function} = rows
// RUN: %{graph} --arg x=random:1x65 --arg w=random:67x65 --arg result0=zeros:1x67 --rtol 2e-2 --atol 2e-2 | FileCheck %s
// RUN: %{graph} --arg x=random:129x65 --arg w=random:67x65 --arg result0=zeros:129x67 --rtol 2e-2 --atol 2e-2 | FileCheck %s
// REDEFINE: %{count} = 3
// REDEFINE: %{function} = columns
// RUN: %{graph} --arg x=random:131x33 --arg w=random:131x129 --arg result0=zeros:33x129 --rtol 2e-2 --atol 2e-2 | FileCheck %s
// REDEFINE: %{count} = 3
// REDEFINE: %{function} = batches
// RUN: %{graph} --arg x=random:2x3x17x97 --arg w=random:2x3x97x7 --arg result0=zeros:2x3x17x7 --rtol 2e-2 --atol 2e-2 | FileCheck %s
// REDEFINE: %{count} = 3
// REDEFINE: %{function} = single
// RUN: %{graph} --arg x=random:40x1 --arg w=random:72x1 --arg result0=zeros:40x72 --rtol 2e-2 --atol 2e-2 | FileCheck %s
// REDEFINE: %{count} = 2
// REDEFINE: %{function} = layers
// RUN: %{graph} --arg x=random:33x40 --arg w=random:127x40 --arg v=random:127x72 --arg result0=zeros:33x72 --rtol 2e-2 --atol 2e-2 | FileCheck %s
// REDEFINE: %{count} = 3
// REDEFINE: %{function} = joined
// RUN: %{graph} --arg x=random:2x9x40 --arg w=random:31x40 --arg v=random:31x24 --arg result0=zeros:2x9x24 --arg result1=zeros:2x9 --rtol 2e-2 --atol 2e-2 | FileCheck %s
// CHECK: block phase: right
// CHECK: sm_90a: right

#x = #carousel.argument<"x", in>
#w = #carousel.argument<"w", in>
#v = #carousel.argument<"v", in>

module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "GPU" = #dlti.target_device_spec<"gpu" = "h200", "next-launch-ns" = 1 : i64, "kernel-elements-half" = 0.001 : f64>>} {
// Both factors are arguments. Of the first one the launch says how many rows it has.
func.func @rows(%x: tensor<?x65xbf16> {carousel.argument = #x}, %w: tensor<67x65xbf16> {carousel.argument = #w}) -> tensor<?x67xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x65xbf16>
  %y_e = tensor.empty(%m) : tensor<?x67xf32>
  %y_z = linalg.fill ins(%zero : f32) outs(%y_e : tensor<?x67xf32>) -> tensor<?x67xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<?x65xbf16>, tensor<67x65xbf16>) outs(%y_z : tensor<?x67xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %c = arith.extf %a : bf16 to f32
    %d = arith.extf %b : bf16 to f32
    %p = arith.mulf %c, %d : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<?x67xf32>
  return %y : tensor<?x67xf32>
}

// Rows of both factors go along those of the result.
func.func @columns(%x: tensor<131x33xbf16> {carousel.argument = #x}, %w: tensor<131x129xbf16> {carousel.argument = #w}) -> tensor<33x129xf32> {
  %zero = arith.constant 0.0 : f32
  %y_e = tensor.empty() : tensor<33x129xf32>
  %y_z = linalg.fill ins(%zero : f32) outs(%y_e : tensor<33x129xf32>) -> tensor<33x129xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<131x33xbf16>, tensor<131x129xbf16>) outs(%y_z : tensor<33x129xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %c = arith.extf %a : bf16 to f32
    %d = arith.extf %b : bf16 to f32
    %p = arith.mulf %c, %d : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<33x129xf32>
  return %y : tensor<33x129xf32>
}

// Batches of two dimensions.
func.func @batches(%x: tensor<2x3x17x97xbf16> {carousel.argument = #x}, %w: tensor<2x3x97x7xbf16> {carousel.argument = #w}) -> tensor<2x3x17x7xf32> {
  %zero = arith.constant 0.0 : f32
  %y_e = tensor.empty() : tensor<2x3x17x7xf32>
  %y_z = linalg.fill ins(%zero : f32) outs(%y_e : tensor<2x3x17x7xf32>) -> tensor<2x3x17x7xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(b, h, m, n, k) -> (b, h, m, k)>, affine_map<(b, h, m, n, k) -> (b, h, k, n)>, affine_map<(b, h, m, n, k) -> (b, h, m, n)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%x, %w : tensor<2x3x17x97xbf16>, tensor<2x3x97x7xbf16>) outs(%y_z : tensor<2x3x17x7xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %c = arith.extf %a : bf16 to f32
    %d = arith.extf %b : bf16 to f32
    %p = arith.mulf %c, %d : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<2x3x17x7xf32>
  return %y : tensor<2x3x17x7xf32>
}

// Rows of one element.
func.func @single(%x: tensor<40x1xbf16> {carousel.argument = #x}, %w: tensor<72x1xbf16> {carousel.argument = #w}) -> tensor<40x72xf32> {
  %zero = arith.constant 0.0 : f32
  %y_e = tensor.empty() : tensor<40x72xf32>
  %y_z = linalg.fill ins(%zero : f32) outs(%y_e : tensor<40x72xf32>) -> tensor<40x72xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<40x1xbf16>, tensor<72x1xbf16>) outs(%y_z : tensor<40x72xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %c = arith.extf %a : bf16 to f32
    %d = arith.extf %b : bf16 to f32
    %p = arith.mulf %c, %d : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<40x72xf32>
  return %y : tensor<40x72xf32>
}

// A kernel writes the rows that another one reads: there is no copy.
func.func @layers(%x: tensor<?x40xbf16> {carousel.argument = #x}, %w: tensor<127x40xbf16> {carousel.argument = #w}, %v: tensor<127x72xbf16> {carousel.argument = #v}) -> tensor<?x72xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x40xbf16>
  %u_e = tensor.empty(%m) : tensor<?x127xf32>
  %u_z = linalg.fill ins(%zero : f32) outs(%u_e : tensor<?x127xf32>) -> tensor<?x127xf32>
  %u = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<?x40xbf16>, tensor<127x40xbf16>) outs(%u_z : tensor<?x127xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %c = arith.extf %a : bf16 to f32
    %d = arith.extf %b : bf16 to f32
    %p = arith.mulf %c, %d : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<?x127xf32>
  %h_e = tensor.empty(%m) : tensor<?x127xbf16>
  %h = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%u : tensor<?x127xf32>) outs(%h_e : tensor<?x127xbf16>) {
  ^bb0(%a: f32, %o: bf16):
    %n = arith.maximumf %a, %zero : f32
    %t = arith.truncf %n : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<?x127xbf16>
  %y_e = tensor.empty(%m) : tensor<?x72xf32>
  %y_z = linalg.fill ins(%zero : f32) outs(%y_e : tensor<?x72xf32>) -> tensor<?x72xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]} ins(%h, %v : tensor<?x127xbf16>, tensor<127x72xbf16>) outs(%y_z : tensor<?x72xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %c = arith.extf %a : bf16 to f32
    %d = arith.extf %b : bf16 to f32
    %p = arith.mulf %c, %d : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<?x72xf32>
  return %y : tensor<?x72xf32>
}

// Kernels have two dimensions of the rows as one, and a sum reads them, too.
func.func @joined(%x: tensor<2x9x40xbf16> {carousel.argument = #x}, %w: tensor<31x40xbf16> {carousel.argument = #w}, %v: tensor<31x24xbf16> {carousel.argument = #v}) -> (tensor<2x9x24xf32>, tensor<2x9xf32>) {
  %zero = arith.constant 0.0 : f32
  %u_e = tensor.empty() : tensor<2x9x31xf32>
  %u_z = linalg.fill ins(%zero : f32) outs(%u_e : tensor<2x9x31xf32>) -> tensor<2x9x31xf32>
  %u = linalg.generic {indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (n, k)>, affine_map<(b, m, n, k) -> (b, m, n)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%x, %w : tensor<2x9x40xbf16>, tensor<31x40xbf16>) outs(%u_z : tensor<2x9x31xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %c = arith.extf %a : bf16 to f32
    %d = arith.extf %b : bf16 to f32
    %p = arith.mulf %c, %d : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<2x9x31xf32>
  %h_e = tensor.empty() : tensor<2x9x31xbf16>
  %h = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%u : tensor<2x9x31xf32>) outs(%h_e : tensor<2x9x31xbf16>) {
  ^bb0(%a: f32, %o: bf16):
    %n = arith.maximumf %a, %zero : f32
    %t = arith.truncf %n : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<2x9x31xbf16>
  %y_e = tensor.empty() : tensor<2x9x24xf32>
  %y_z = linalg.fill ins(%zero : f32) outs(%y_e : tensor<2x9x24xf32>) -> tensor<2x9x24xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (k, n)>, affine_map<(b, m, n, k) -> (b, m, n)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%h, %v : tensor<2x9x31xbf16>, tensor<31x24xbf16>) outs(%y_z : tensor<2x9x24xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %c = arith.extf %a : bf16 to f32
    %d = arith.extf %b : bf16 to f32
    %p = arith.mulf %c, %d : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<2x9x24xf32>
  %g_e = tensor.empty() : tensor<2x9xf32>
  %g_z = linalg.fill ins(%zero : f32) outs(%g_e : tensor<2x9xf32>) -> tensor<2x9xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m)>],
      iterator_types = ["parallel", "parallel", "reduction"]} ins(%h : tensor<2x9x31xbf16>) outs(%g_z : tensor<2x9xf32>) {
  ^bb0(%a: bf16, %o: f32):
    %c = arith.extf %a : bf16 to f32
    %s = arith.addf %o, %c : f32
    linalg.yield %s : f32
  } -> tensor<2x9xf32>
  return %y, %g : tensor<2x9x24xf32>, tensor<2x9xf32>
}
}
