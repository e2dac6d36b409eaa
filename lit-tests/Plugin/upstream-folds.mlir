// Upstream's folds that change results, each alone in a stock mlir-opt: the checks pin what is wrong. One that fails says
// that upstream has mended the fold; docs/UpstreamFolds.md and the repair that it names can go then.
// RUN: split-file %s %t
// RUN: mlir-opt --load-dialect-plugin=%carousel_plugin --canonicalize %t/broadcast.mlir | FileCheck %t/broadcast.mlir
// RUN: mlir-opt --canonicalize %t/bounds.mlir | FileCheck %t/bounds.mlir
// RUN: not mlir-opt --linalg-fold-unit-extent-dims %t/windows.mlir 2>&1 | FileCheck %t/windows.mlir
// RUN: mlir-opt --canonicalize %t/masks.mlir | FileCheck %t/masks.mlir
// RUN: carousel-opt --carousel-canonicalize %t/masks.mlir | FileCheck %t/masks.mlir --check-prefix=KEPT
// RUN: carousel-opt --carousel-lower=chip=sm_90a %t/broadcast.mlir -o %t/lowered.mlir
// RUN: carousel-sim %t/broadcast.mlir --kernel @pairs --arg x=iota:8 --arg y=empty:8x16 --out y=%t/y.npy
// RUN: carousel-sim %t/lowered.mlir --kernel @pairs --arg x=iota:8 --arg y=empty:8x16 --expect y=%t/y.npy | FileCheck %s --check-prefix=SAME
// SAME: y: all 128 elements match

//--- broadcast.mlir
// Right is an element for each two columns. The row of 16 has one.
// CHECK-LABEL: func @pairs
// CHECK: vector.broadcast %{{.*}} : vector<8x1xf32> to vector<8x16xf32>
#global = #gpu.address_space<global>
gpu.module @folds {
  gpu.func @pairs(%x: memref<8xf32, #global> {carousel.argument = #carousel.argument<"x", in>},
                  %y: memref<8x16xf32, #global> {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %column = vector.transfer_read %x[%c0], %zero : memref<8xf32, #global>, vector<8xf32>
    %single = vector.shape_cast %column : vector<8xf32> to vector<8x1xf32>
    %all = vector.broadcast %single : vector<8x1xf32> to vector<8x8x2xf32>
    %joined = vector.shape_cast %all : vector<8x8x2xf32> to vector<8x16xf32>
    vector.transfer_write %joined, %y[%c0, %c0] : vector<8x16xf32>, memref<8x16xf32, #global>
    gpu.return
  }
}

//--- bounds.mlir
// CHECK-LABEL: func @before_begin
// CHECK: vector.transfer_read {{.*}} {in_bounds = [true]}
func.func @before_begin(%x: memref<8xf32>) -> vector<4xf32> {
  %before = arith.constant -2 : index
  %zero = arith.constant 0.0 : f32
  %v = vector.transfer_read %x[%before], %zero : memref<8xf32>, vector<4xf32>
  return %v : vector<4xf32>
}

//--- windows.mlir
// CHECK: inferred input/output operand #1 has shape's dimension #0 to be 3, but found 2
func.func @windows(%x: tensor<3xf32>, %w: tensor<2xf32>, %low: tensor<1xf32>) -> tensor<1xf32> {
  %y = linalg.generic {
      indexing_maps = [affine_map<(i, a) -> (i * 2 + a)>, affine_map<(i, a) -> (a)>, affine_map<(i, a) -> (i)>],
      iterator_types = ["parallel", "reduction"]} ins(%x, %w : tensor<3xf32>, tensor<2xf32>) outs(%low : tensor<1xf32>) {
  ^bb0(%element: f32, %weight: f32, %o: f32):
    %m = arith.maximumf %o, %element : f32
    linalg.yield %m : f32
  } -> tensor<1xf32>
  return %y : tensor<1xf32>
}

//--- masks.mlir
// Right is %low where the mask doesn't hold.
// CHECK-LABEL: func @masked(
// CHECK-SAME: %[[X:.*]]: vector<8x1xf32>, %[[LOW:.*]]: vector<8xf32>
// CHECK: %[[ROW:.*]] = vector.shape_cast %[[X]]
// CHECK: %[[SUM:.*]] = arith.addf %[[LOW]], %[[ROW]]
// CHECK: arith.select %{{.*}}, %[[SUM]], %[[ROW]]
// KEPT-LABEL: func @masked(
// KEPT: vector.mask {{.*}} vector.multi_reduction
// KEPT-LABEL: func @all(
// KEPT-NOT: multi_reduction
func.func @masked(%x: vector<8x1xf32>, %low: vector<8xf32>, %mask: vector<8x1xi1>) -> vector<8xf32> {
  %sum = vector.mask %mask { vector.multi_reduction <add>, %x, %low [1] : vector<8x1xf32> to vector<8xf32> } : vector<8x1xi1> -> vector<8xf32>
  return %sum : vector<8xf32>
}
func.func @all(%x: vector<8x1xf32>, %low: vector<8xf32>) -> vector<8xf32> {
  %sum = vector.multi_reduction <add>, %x, %low [1] : vector<8x1xf32> to vector<8xf32>
  return %sum : vector<8xf32>
}
