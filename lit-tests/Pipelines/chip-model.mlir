// Planners follow the model of the chip that the module states. This GPU doesn't exist: it has half of an H200's SMs,
// and twice its bandwidth. So rings have fewer stages and more CTAs, a convolution has fewer and larger tiles, and a
// library's call is worth what passes through memory for it. H200: what they decide for the H200 as it is.
// DEFINE: %{graph} = builtin.module(func.func(carousel-normalize-graph,carousel-select-libraries),carousel-form-groups,carousel-schedule-groups)
// RUN: carousel-opt %s --pass-pipeline='%{graph}' --remarks-filter='carousel-(select-libraries|schedule-groups)' --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=GRAPH
// RUN: carousel-opt %s --pass-pipeline='builtin.module(carousel-lower)' --remarks-filter=carousel-circular-buffer --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=RING
// RUN: sed 's/"sms" = 66 : i64, "bytes-per-ns" = 8428.0 : f64/"sms" = 132 : i64/' %s > %t.mlir
// RUN: carousel-opt %t.mlir --pass-pipeline='%{graph}' --remarks-filter='carousel-(select-libraries|schedule-groups)' --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=H200-GRAPH
// RUN: carousel-opt %t.mlir --pass-pipeline='builtin.module(carousel-lower)' --remarks-filter=carousel-circular-buffer --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=H200-RING

// RING: stages 3, prefetch 2
// RING: predicted: 5 CTAs per SM {{.*}} limited by shared memory bandwidth
// H200-RING: stages 4, prefetch 3
// H200-RING: predicted: 4 CTAs per SM {{.*}} limited by memory bandwidth

// GRAPH: Function=product | Remark="cuBLASLt computes matmul
// GRAPH: Function=convolution_0 | Remark="contraction, 8 by the grid in vectors of 2, 14 by the grid in vectors of 2, 14 by the grid in vectors of 16,
// H200-GRAPH: Function=product | Remark="cuBLASLt doesn't compute matmul
// H200-GRAPH: Function=convolution_0 | Remark="contraction, 8 by the grid in vectors of 8, 14 by the grid in vectors of 2, 14 by the grid in vectors of 2,

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!v = memref<?xbf16, #gl>
!tile = memref<4096xbf16, #ws>

module attributes {dlti.target_system_spec = #dlti.target_system_spec<"GPU" = #dlti.target_device_spec<
    "gpu" = "h200", "sms" = 66 : i64, "bytes-per-ns" = 8428.0 : f64>>} {
  gpu.module @kernels {
    gpu.func @square(%x: !v {carousel.argument = #carousel.argument<"x", in>},
                     %y: !v {carousel.argument = #carousel.argument<"y", out>}) kernel
        attributes {carousel.launch = #carousel.launch<grid = [resident], block = [256]>} {
      %c0 = arith.constant 0 : index
      %c16 = arith.constant 16 : index
      %size = arith.constant 4096 : index
      %thread = gpu.thread_id x
      %block = gpu.block_id x
      %blocks = gpu.grid_dim x
      %first = arith.muli %block, %size : index
      %step = arith.muli %blocks, %size : index
      %own = arith.muli %thread, %c16 : index
      %n = memref.dim %x, %c0 : !v
      %in = memref.alloc() : !tile
      %out = memref.alloc() : !tile
      scf.for %i = %first to %n step %step {
        carousel.load %x[%i] to %in : !v, !tile
        %v = vector.load %in[%own] : !tile, vector<16xbf16>
        %s = arith.mulf %v, %v : vector<16xbf16>
        vector.store %s, %out[%own] : !tile, vector<16xbf16>
        carousel.store %out to %y[%i] : !tile, !v
      } {carousel.pipeline = #carousel.pipeline<stages = auto>}
      gpu.return
    }
  }

  func.func @product(%x: tensor<4096x160xf32>, %w: tensor<160x4096xf32>) -> tensor<4096x4096xf32> {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<4096x4096xf32>
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
    %y = linalg.matmul ins(%x, %w : tensor<4096x160xf32>, tensor<160x4096xf32>)
        outs(%z : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
    %r = math.exp %y : tensor<4096x4096xf32>
    return %r : tensor<4096x4096xf32>
  }

  func.func @convolution(%x: tensor<8x16x16x64xbf16>, %w: tensor<3x3x64x128xbf16>) -> tensor<8x14x14x128xf32> {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<8x14x14x128xf32>
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<8x14x14x128xf32>) -> tensor<8x14x14x128xf32>
    %y = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<8x16x16x64xbf16>, tensor<3x3x64x128xbf16>)
        outs(%z : tensor<8x14x14x128xf32>) -> tensor<8x14x14x128xf32>
    return %y : tensor<8x14x14x128xf32>
  }
}
