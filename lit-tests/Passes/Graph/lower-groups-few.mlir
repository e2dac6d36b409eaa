// Products of few rows by weights of a byte: two CTAs of a cluster share the sums of 16 rows by 64 columns, through their
// shared memory. The first one computes what follows. Chips without clusters, which a module may be compiled for, have none.
// RUN: carousel-opt %s --carousel-schedule-groups --carousel-lower-groups --mlir-print-local-scope | FileCheck %s
// RUN: sed '/^module/s/"h200" = #/"a100" = #dlti.target_device_spec<"gpu" = "a100">, "h200" = #/' %s | carousel-opt --carousel-schedule-groups --carousel-lower-groups | FileCheck %s --check-prefix=OLD
// OLD-NOT: carousel.cluster
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"h200" = #dlti.target_device_spec<"gpu" = "h200">>} {

// A variant for up to 16 rows comes first, with the arguments of the others.
// CHECK-LABEL: gpu.func @rows_few
// CHECK-SAME: cluster = [2]
// CHECK-SAME: carousel.variant = #carousel.variant<kernel = "rows", guards = [range(extent(0, 0), 0, 16)]
// CHECK: scf.for {{.*}} -> (vector<16x64xf32>)
// CHECK: vector.transfer_read {{.*}}, vector<64x128xi8>
// CHECK: %[[TILE:.+]] = memref.alloc() {alignment = 128 : i64} : memref<16x68xf32, #gpu.address_space<workgroup>>
// CHECK: vector.transfer_write %{{.+}}, %[[TILE]]
// CHECK-NEXT: carousel.cluster.arrive
// CHECK-NEXT: carousel.cluster.wait
// CHECK: scf.if
// CHECK-COUNT-2: carousel.cluster.map_shared %[[TILE]]
// CHECK: }
// CHECK: carousel.cluster.arrive
// CHECK-NEXT: carousel.cluster.wait
// CHECK-NEXT: gpu.return
// CHECK: gpu.func @rows(
// CHECK-NOT: carousel.cluster
func.func @rows(%p0: tensor<?x1024xbf16>, %p1: tensor<512x1024xi8>) -> tensor<?x512xf32> {
  %group = carousel.group "rows"(%p0, %p1) {
  ^bb0(%x: tensor<?x1024xbf16>, %w: tensor<512x1024xi8>):
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<512x1024xbf16>
    %h = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%w : tensor<512x1024xi8>) outs(%e : tensor<512x1024xbf16>) {
    ^bb0(%a: i8, %o: bf16):
      %0 = arith.sitofp %a : i8 to bf16
      linalg.yield %0 : bf16
    } -> tensor<512x1024xbf16>
    %m = tensor.dim %x, %c0 : tensor<?x1024xbf16>
    %r = tensor.empty(%m) : tensor<?x512xf32>
    %f = linalg.fill ins(%zero : f32) outs(%r : tensor<?x512xf32>) -> tensor<?x512xf32>
    %y = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
        iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %h : tensor<?x1024xbf16>, tensor<512x1024xbf16>) outs(%f : tensor<?x512xf32>) {
    ^bb0(%a: bf16, %b: bf16, %o: f32):
      %0 = arith.extf %a : bf16 to f32
      %1 = arith.extf %b : bf16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %o, %2 : f32
      linalg.yield %3 : f32
    } -> tensor<?x512xf32>
    carousel.yield %y : tensor<?x512xf32>
  } : (tensor<?x1024xbf16>, tensor<512x1024xi8>) -> tensor<?x512xf32>
  return %group : tensor<?x512xf32>
}

func.func @main(%x: tensor<?x1024xbf16>, %w: tensor<512x1024xi8>) -> tensor<?x512xf32> {
  %y = func.call @rows(%x, %w) : (tensor<?x1024xbf16>, tensor<512x1024xi8>) -> tensor<?x512xf32>
  return %y : tensor<?x512xf32>
}
}
