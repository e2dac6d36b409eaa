// Products of f32 as they are, by multiply-adds, fit in the registers of threads: of the matrices of a graph, of the images
// of a convolution, and of one whose launch says how many images there are.
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
