// Rows of a factor that don't begin at multiples of 16 bytes are in a slice of longer ones: the group that writes them
// writes there, and those of arguments, and of results of the program, are copied. Other factors stay as they are.
// RUN: carousel-opt %s --carousel-form-groups | FileCheck %s
// RUN: carousel-opt %s --carousel-form-groups --carousel-schedule-groups --carousel-lower-groups --carousel-lower-program | FileCheck %s --check-prefix=PROGRAM
// RUN: carousel-opt %s --carousel-form-groups --remarks-filter=carousel-form-groups --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
#e = affine_map<(m, n) -> (m, n)>

// CHECK-LABEL: func.func @arguments(
// CHECK-SAME: %[[X:.*]]: tensor<4096x4097xbf16>, %[[W:.*]]: tensor<4096x4097xbf16>)
// CHECK: %[[WS:.*]] = tensor.extract_slice %{{.*}}[0, 0] [4096, 4097] [1, 1] : tensor<4096x4112xbf16>
// CHECK: %[[XS:.*]] = tensor.extract_slice %{{.*}}[0, 0] [4096, 4097] [1, 1] : tensor<4096x4112xbf16>
// CHECK: %[[XC:.*]] = carousel.group "arguments_1"(%[[X]])
// CHECK: %[[WC:.*]] = carousel.group "arguments_2"(%[[W]])
// CHECK: %[[WP:.*]] = bufferization.materialize_in_destination %[[WC]] in %[[WS]]
// CHECK: %[[XP:.*]] = bufferization.materialize_in_destination %[[XC]] in %[[XS]]
// CHECK: carousel.group "arguments_0"(%[[XP]], %[[WP]])

// PROGRAM-LABEL: func.func @arguments(
// PROGRAM-NOT: memref.copy
// PROGRAM: carousel.launch_kernel @kernels::@arguments_1 ins(%arg0 : {{.*}}) outs(%[[XP:.*]] : memref<4096x4097xbf16, strided<[4112, 1]>,
// PROGRAM: carousel.launch_kernel @kernels::@arguments_1 ins(%arg1 : {{.*}}) outs(%[[WP:.*]] : memref<4096x4097xbf16, strided<[4112, 1]>,
// PROGRAM: carousel.launch_kernel @kernels::@arguments_0 ins(%[[XP]], %[[WP]] :

// REMARK: Function=arguments | Remark="the first factor of matmul at {{.*}} has rows of 8194 bytes: a kernel copies them with gaps to multiples of 32 bytes, for tensor copies: {{[0-9.]+}} us, and {{[0-9.]+}} us without
// REMARK: Function=arguments | Remark="the second factor of matmul at
func.func @arguments(%x: tensor<4096x4097xbf16>, %w: tensor<4096x4097xbf16>) -> tensor<4096x4096xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4096x4096xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %y = linalg.generic {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<4096x4097xbf16>, tensor<4096x4097xbf16>) outs(%z : tensor<4096x4096xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %c = arith.extf %a : bf16 to f32
    %d = arith.extf %b : bf16 to f32
    %p = arith.mulf %c, %d : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<4096x4096xf32>
  return %y : tensor<4096x4096xf32>
}

// The first product writes the rows that the second one reads. Its launch says how many there are.
// CHECK-LABEL: func.func @layers(
// CHECK: %[[ROWS:.*]] = tensor.empty(%{{.*}}) : tensor<?x1008xbf16>
// CHECK: %[[S:.*]] = tensor.extract_slice %[[ROWS]][0, 0] [%{{.*}}, 1001] [1, 1]
// CHECK: %[[H:.*]] = carousel.group "layers_0"(
// CHECK: %[[P:.*]] = bufferization.materialize_in_destination %[[H]] in %[[S]]
// CHECK: carousel.group "layers_1"(%{{.*}}, %[[P]],

// PROGRAM-LABEL: func.func @layers(
// PROGRAM-NOT: memref.copy
// PROGRAM: carousel.launch_kernel @kernels::@layers_0 {{.*}} outs(%[[P:.*]] : memref<?x1001xbf16, strided<[1008, 1]>,
// PROGRAM: carousel.launch_kernel @kernels::@layers_1 ins(%[[P]],
// PROGRAM: gpu.func @layers_0({{.*}} memref<?x1001xbf16, strided<[?, 1], offset: ?>

// REMARK: Function=layers | Remark="the first factor of matmul at {{.*}} has rows of 2002 bytes: their kernel writes them with gaps
func.func @layers(%x: tensor<?x512xbf16>, %w: tensor<1001x512xbf16>, %v: tensor<512x1008xbf16>) -> tensor<?x512xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x512xbf16>
  %e = tensor.empty(%m) : tensor<?x1001xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x1001xf32>) -> tensor<?x1001xf32>
  %u = linalg.generic {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<?x512xbf16>, tensor<1001x512xbf16>) outs(%z : tensor<?x1001xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %c = arith.extf %a : bf16 to f32
    %d = arith.extf %b : bf16 to f32
    %p = arith.mulf %c, %d : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<?x1001xf32>
  %he = tensor.empty(%m) : tensor<?x1001xbf16>
  %h = linalg.generic {indexing_maps = [#e, #e], iterator_types = ["parallel", "parallel"]}
      ins(%u : tensor<?x1001xf32>) outs(%he : tensor<?x1001xbf16>) {
  ^bb0(%a: f32, %o: bf16):
    %t = arith.truncf %a : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<?x1001xbf16>
  %ve = tensor.extract_slice %v[0, 0] [512, 1001] [1, 1] : tensor<512x1008xbf16> to tensor<512x1001xbf16>
  %ye = tensor.empty(%m) : tensor<?x512xf32>
  %yz = linalg.fill ins(%zero : f32) outs(%ye : tensor<?x512xf32>) -> tensor<?x512xf32>
  %y = linalg.generic {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%h, %ve : tensor<?x1001xbf16>, tensor<512x1001xbf16>) outs(%yz : tensor<?x512xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %c = arith.extf %a : bf16 to f32
    %d = arith.extf %b : bf16 to f32
    %p = arith.mulf %c, %d : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<?x512xf32>
  return %y : tensor<?x512xf32>
}

// Known extents of the last dimensions show how far apart matrices are.
// CHECK-LABEL: func.func @unknown(
// CHECK-NOT: materialize_in_destination
// CHECK: return
// REMARK: Function=unknown | Remark="the first factor of matmul at {{.*}} has rows of 8194 bytes: the launch says how far apart its matrices are
func.func @unknown(%x: tensor<2x?x4097xbf16>, %w: tensor<2x4097x4096xbf16>) -> tensor<2x?x4096xf32> {
  %zero = arith.constant 0.0 : f32
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c1 : tensor<2x?x4097xbf16>
  %e = tensor.empty(%m) : tensor<2x?x4096xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<2x?x4096xf32>) -> tensor<2x?x4096xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, k, n)>, affine_map<(b, m, n, k) -> (b, m, n)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<2x?x4097xbf16>, tensor<2x4097x4096xbf16>) outs(%z : tensor<2x?x4096xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %c = arith.extf %a : bf16 to f32
    %d = arith.extf %b : bf16 to f32
    %p = arith.mulf %c, %d : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<2x?x4096xf32>
  return %y : tensor<2x?x4096xf32>
}
