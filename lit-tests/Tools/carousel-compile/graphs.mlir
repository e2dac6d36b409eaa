// A graph becomes a package with a program: arguments, checks, and steps on views whose numbers are expressions.
// RUN: rm -rf %t && mkdir %t && carousel-compile %s -o %t/p --chip sm_80,sm_90a --no-cubin --quiet
// RUN: FileCheck %s --input-file %t/p/manifest.json
// RUN: carousel-run %t/p --explain --program softmax_product | FileCheck %s --check-prefix=STEPS
// RUN: carousel-run %t/p | FileCheck %s --check-prefix=LIST

// CHECK: "constants": {"file":"constants.bin","bytes":128,"hash":"{{[0-9a-f]+}}"},
// CHECK: "name": "softmax_product",
// CHECK-NEXT: "arguments": [
// CHECK-NEXT: {"name":"x","kind":"tensor","access":"in","element":"f32","extents":[null,8],"strides":"contiguous"},
// CHECK-NEXT: {"name":"scale","kind":"scalar","access":"in","element":"f32"},
// CHECK-NEXT: {"name":"result0","kind":"tensor","access":"out","element":"f32","extents":[null,4],"strides":"contiguous"},
// CHECK-NEXT: {"name":"workspace","kind":"workspace","element":"i8","extents":{{.*}}"extent",0,0]
// CHECK: "constants": [
// CHECK-NEXT: {"element":"f32","extents":[8,4],"offset":0}
// CHECK: "guard": {"kind":"equal","left":["extent",0,0],"right":["extent",2,0]},
// CHECK-NEXT: "message": "expected result0 to have the extent that the program computes in dimension 0"
// CHECK: "kind": "launch",
// CHECK-NEXT: "kernel": "softmax_product_0",
// CHECK: {"kind":"scalar","argument":1},
// CHECK-NEXT: {"kind":"tensor","argument":0,"element":"f32","offset":0,"extents":{{\[}}["extent",0,0],8],"strides":[8,1]},
// CHECK: "family": "row",
// CHECK-NEXT: "sources": ["graphs.mlir:
// CHECK: {"kind":"constant","constant":0,"element":"f32","offset":0,"extents":[8,4],"strides":[4,1]}
// CHECK: "family": "contraction",

// STEPS: softmax_product
// STEPS: checks      x is aligned to 16 bytes
// STEPS: {{^ +}}x.extent(0) and result0.extent(0) are equal
// STEPS: 1. launch softmax_product_0 (row)
// STEPS-NEXT: from      graphs.mlir:
// STEPS: operands  scale
// STEPS-NEXT:      x: x.extent(0) x 8 x f32
// STEPS: 2. launch softmax_product_1 (contraction)
// STEPS: constant 0: 8 x 4 x f32

// LIST: p: 4 kernels, 4 programs, written by carousel
// Private functions are gone once their callers have their bodies.
func.func private @negated(%x: tensor<?xf32>, %e: tensor<?xf32>) -> tensor<?xf32> {
  %0 = linalg.negf ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

func.func @softmax_product(%x: tensor<?x8xf32> {carousel.argument = #carousel.argument<"x", in>},
    %scale: f32 {carousel.argument = #carousel.argument<"scale", in>}) -> tensor<?x4xf32> {
  %w = arith.constant dense<[[-3.0, -2.0, -1.0, 0.0], [-1.0, 0.0, 1.0, 2.0], [1.0, 2.0, 3.0, -3.0], [3.0, -3.0, -2.0, -1.0], [-2.0, -1.0, 0.0, 1.0], [0.0, 1.0, 2.0, 3.0], [2.0, 3.0, -3.0, -2.0], [-3.0, -2.0, -1.0, 0.0]]> : tensor<8x4xf32>
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x8xf32>
  %e = tensor.empty(%m) : tensor<?x8xf32>
  %scaled = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>,
      affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %scale : tensor<?x8xf32>, f32) outs(%e : tensor<?x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<?x8xf32>
  %p = linalg.softmax dimension(1) ins(%scaled : tensor<?x8xf32>) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
  %r = tensor.empty(%m) : tensor<?x4xf32>
  %i = linalg.fill ins(%zero : f32) outs(%r : tensor<?x4xf32>) -> tensor<?x4xf32>
  %y = linalg.matmul ins(%p, %w : tensor<?x8xf32>, tensor<8x4xf32>) outs(%i : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// A second program, with nothing between its steps: no workspace, and no constants.
// CHECK: "name": "negate",
// CHECK: "name":"result0"
// CHECK-NOT: workspace
// CHECK: "constants": [],
func.func @negate(%x: tensor<7xf16>) -> tensor<7xf16> {
  %e = tensor.empty() : tensor<7xf16>
  %0 = linalg.negf ins(%x : tensor<7xf16>) outs(%e : tensor<7xf16>) -> tensor<7xf16>
  return %0 : tensor<7xf16>
}

// What front ends assert of extents is checked before the first step, also of integers that are extents. Those of 32
// and 64 bits are computed as indices, and always fit.
// CHECK: "name": "asserted",
// CHECK: "guard": {"kind":"range","value":["extent",0,0],"min":-32768,"max":32767},
// CHECK-NEXT: "message": "expected an extent that fits 16 bits"
// CHECK: "guard": {"kind":"range","value":["sub",["extent",0,0],4],"min":0,"max":9223372036854775807},
// CHECK-NEXT: "message": "too short"
func.func @asserted(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %four = arith.constant 4 : i16
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %i = arith.index_cast %n : index to i16
  %long = arith.cmpi sge, %i, %four : i16
  cf.assert %long, "too short"
  %e = tensor.empty(%n) : tensor<?xf32>
  %0 = linalg.negf ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// Extents aren't negative: comparisons without signs are those with signs.
// CHECK: "name": "unsigned",
// CHECK: "guard": {"kind":"equal","left":["max",["min",["extent",0,0],7],["extent",0,0]],"right":["extent",1,0]},
func.func @unsigned(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %few = arith.minui %n, %c7 : index
  %most = arith.maxui %few, %n : index
  %e = tensor.empty(%most) : tensor<?xf32>
  %0 = call @negated(%x, %e) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
