// Products of f32 as they are, by multiply-adds, fit in the registers of threads: of the matrices of a graph, of the images
// of a convolution, and of one whose launch says how many images there are. So do factors of which a thread reads each
// element at an address of its own.
// REQUIRES: ptxas
// RUN: carousel-compile %s -o %t --chip sm_90a --no-libraries 2>&1 | FileCheck %s --implicit-check-not=spills
// RUN: carousel-compile %s -o %t --chip sm_80 --no-libraries 2>&1 | FileCheck %s --implicit-check-not=spills

// CHECK-DAG: product_0 {{.*}} load
// CHECK-DAG: convolution_0 {{.*}} load
// CHECK-DAG: images_0 {{.*}} load
func.func @product(%a: tensor<1024x1152xf32>, %b: tensor<1152x128xf32>) -> tensor<1024x128xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1024x128xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<1024x128xf32>) -> tensor<1024x128xf32>
  %sums = linalg.matmul ins(%a, %b : tensor<1024x1152xf32>, tensor<1152x128xf32>) outs(%zeros : tensor<1024x128xf32>) -> tensor<1024x128xf32>
  return %sums : tensor<1024x128xf32>
}

func.func @convolution(%image: tensor<8x58x58x64xf32>, %weights: tensor<3x3x64x128xf32>) -> tensor<8x56x56x128xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8x56x56x128xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x56x56x128xf32>) -> tensor<8x56x56x128xf32>
  %sums = linalg.conv_2d_nhwc_hwcf ins(%image, %weights : tensor<8x58x58x64xf32>, tensor<3x3x64x128xf32>) outs(%zeros : tensor<8x56x56x128xf32>) -> tensor<8x56x56x128xf32>
  return %sums : tensor<8x56x56x128xf32>
}

func.func @images(%image: tensor<?x30x30x64xf32>, %weights: tensor<3x3x64x128xf32>) -> tensor<?x28x28x128xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %image, %c0 : tensor<?x30x30x64xf32>
  %empty = tensor.empty(%n) : tensor<?x28x28x128xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x28x28x128xf32>) -> tensor<?x28x28x128xf32>
  %sums = linalg.conv_2d_nhwc_hwcf ins(%image, %weights : tensor<?x30x30x64xf32>, tensor<3x3x64x128xf32>) outs(%zeros : tensor<?x28x28x128xf32>) -> tensor<?x28x28x128xf32>
  return %sums : tensor<?x28x28x128xf32>
}

#gl = #gpu.address_space<global>
gpu.module @kernels {
  gpu.func @columns(
      %x0: memref<?x?xi8, #gl> {carousel.argument = #carousel.argument<"x0", in>},
      %n0: index {carousel.argument = #carousel.argument<"n0", in>},
      %x2: memref<?x?xi8, #gl> {carousel.argument = #carousel.argument<"x2", in>},
      %y3: memref<?x?x?xf32, #gl> {carousel.argument = #carousel.argument<"y3", out>},
      %y4: memref<?x?xf32, #gl> {carousel.argument = #carousel.argument<"y4", inout>}) kernel
      attributes {carousel.block_program = #carousel.block_program<>,
        carousel.launch = #carousel.launch<grid = [1]>} {
    %k0 = arith.constant 0 : i8
    %k1 = arith.constant dense<0.0> : vector<16x24xf32>
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %k4 = arith.constant dense<0> : vector<16x24xi32>
    %k5 = arith.constant dense<1> : vector<16x24xi32>
    %c1 = arith.constant 1 : index
    %program = gpu.block_id x
    %v1 = vector.transfer_read %x0[%c0, %n0], %k0 : memref<?x?xi8, #gl>, vector<128x16xi8>
    %v2 = arith.sitofp %v1 : vector<128x16xi8> to vector<128x16xf32>
    %v3 = vector.transfer_read %x2[%c0, %c0], %k0 : memref<?x?xi8, #gl>, vector<128x24xi8>
    %v4 = arith.sitofp %v3 : vector<128x24xi8> to vector<128x24xf32>
    %v5 = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %v2, %v4, %k1 : vector<128x16xf32>, vector<128x24xf32> into vector<16x24xf32>
    %v6 = arith.cmpi eq, %k4, %k5 : vector<16x24xi32>
    vector.transfer_write %v5, %y3[%program, %c0, %c8], %v6 : vector<16x24xf32>, memref<?x?x?xf32, #gl>
    vector.transfer_write %v5, %y4[%c0, %c0] : vector<16x24xf32>, memref<?x?xf32, #gl>
    gpu.return
  }

  // Four sums of a thread, and 128 of k: a step has a part of it.
  gpu.func @few_sums(%x: memref<?x?xi8, #gl> {carousel.argument = #carousel.argument<"x", in>},
                    %w: memref<?x?xi8, #gl> {carousel.argument = #carousel.argument<"w", in>},
                    %y: memref<?x?xf32, #gl> {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1]>} {
    %pad = arith.constant 0 : i8
    %zeros = arith.constant dense<0.0> : vector<16x24xf32>
    %c0 = arith.constant 0 : index
    %a = vector.transfer_read %x[%c0, %c0], %pad : memref<?x?xi8, #gl>, vector<128x16xi8>
    %af = arith.sitofp %a : vector<128x16xi8> to vector<128x16xf32>
    %b = vector.transfer_read %w[%c0, %c0], %pad : memref<?x?xi8, #gl>, vector<128x24xi8>
    %bf = arith.sitofp %b : vector<128x24xi8> to vector<128x24xf32>
    %sums = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                             iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
        %af, %bf, %zeros : vector<128x16xf32>, vector<128x24xf32> into vector<16x24xf32>
    vector.transfer_write %sums, %y[%c0, %c0] : vector<16x24xf32>, memref<?x?xf32, #gl>
    gpu.return
  }
}
