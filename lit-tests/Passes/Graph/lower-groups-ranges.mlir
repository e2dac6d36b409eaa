// A product whose factor is zero outside of a range of rows goes along these rows: in full tiles of both factors, and then in short
// ones that end with the range.
// RUN: carousel-opt %s --carousel-schedule-groups --carousel-lower-groups --mlir-print-local-scope | FileCheck %s

#bound = affine_map<(g, m, a) -> (g)>
#rows = affine_map<(g, m, a) -> (m, a)>
#all = affine_map<(g, m, a) -> (g, m, a)>
#x = affine_map<(g, a, b, m) -> (g, m, a)>
#y = affine_map<(g, a, b, m) -> (m, b)>
#z = affine_map<(g, a, b, m) -> (g, a, b)>

// CHECK-LABEL: gpu.func @weights
// CHECK-SAME: (%[[X:.+]]: memref<2048x256xbf16, #gpu.address_space<global>> {{{.+}}}, %[[BEGINS:.+]]: memref<8xi32, #gpu.address_space<global>> {{{.+}}}, %[[ENDS:.+]]: memref<8xi32, #gpu.address_space<global>> {{{.+}}}, %[[Y:.+]]: memref<2048x512xbf16
// CHECK-DAG: %[[FIRST:.+]] = memref.load %[[BEGINS]][%[[G:.+]]]
// CHECK-DAG: %[[LAST:.+]] = memref.load %[[ENDS]][%[[G]]]
// CHECK-DAG: %[[FROM:.+]] = arith.index_cast %[[FIRST]]
// CHECK-DAG: %[[TO:.+]] = arith.index_cast %[[LAST]]
// CHECK: %[[BEGIN:.+]] = arith.maxsi %[[FROM]], %{{c0.*}}
// CHECK: %[[INSIDE:.+]] = arith.minsi %[[TO]], %{{c2048.*}}
// CHECK: %[[END:.+]] = arith.maxsi %[[INSIDE]], %[[BEGIN]]
// CHECK: %[[REST:.+]] = arith.remui
// CHECK: %[[FULL:.+]] = arith.subi %[[END]], %[[REST]]
// CHECK: %[[SUM:.+]] = scf.for %[[M:[a-z0-9_]+]] = %[[BEGIN]] to %[[FULL]] step %{{c64.*}}
// CHECK: vector.transfer_read %[[X]][%[[M]], %{{.+}}], %{{.+}} {in_bounds = [true, true]} : {{.*}} vector<64x128xbf16>
// CHECK: vector.transfer_read %[[Y]][%[[M]], %{{.+}}], %{{.+}} {in_bounds = [true, true]} : {{.*}} vector<64x128xbf16>
// CHECK-NOT: arith.select
// CHECK: vector.contract
// CHECK: carousel.pipeline
// CHECK: %[[XS:.+]] = memref.subview %[[X]][0, 0] [%[[END]], 256] [1, 1]
// CHECK: %[[YS:.+]] = memref.subview %[[Y]][0, 0] [%[[END]], 512] [1, 1]
// CHECK: scf.for %[[N:[a-z0-9_]+]] = %[[FULL]] to %[[END]] step %{{c16.*}} iter_args(%{{.+}} = %[[SUM]])
// CHECK: vector.transfer_read %[[XS]][%[[N]], %{{.+}}], %{{.+}} {in_bounds = [false, true]} : {{.*}} vector<16x128xbf16>
// CHECK: vector.transfer_read %[[YS]][%[[N]], %{{.+}}], %{{.+}} {in_bounds = [false, true]} : {{.*}} vector<16x128xbf16>
// CHECK-NOT: arith.select
// CHECK: vector.contract
// CHECK: carousel.pipeline
func.func @weights(%p0: tensor<2048x256xbf16>, %p1: tensor<8xi32>, %p2: tensor<8xi32>, %p3: tensor<2048x512xbf16>) -> tensor<8x256x512xf32> {
  %group = carousel.group "weights"(%p0, %p1, %p2, %p3) {
  ^bb0(%x: tensor<2048x256xbf16>, %begin: tensor<8xi32>, %end: tensor<8xi32>, %y: tensor<2048x512xbf16>):
    %zero = arith.constant 0.0 : f32
    %zero16 = arith.constant 0.0 : bf16
    %ex = tensor.empty() : tensor<8x2048x256xbf16>
    %own = linalg.generic {indexing_maps = [#rows, #bound, #bound, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %begin, %end : tensor<2048x256xbf16>, tensor<8xi32>, tensor<8xi32>) outs(%ex : tensor<8x2048x256xbf16>) {
    ^bb0(%a: bf16, %f: i32, %l: i32, %o: bf16):
      %0 = linalg.index 1 : index
      %1 = arith.index_cast %f : i32 to index
      %2 = arith.index_cast %l : i32 to index
      %3 = arith.cmpi sge, %0, %1 : index
      %4 = arith.cmpi slt, %0, %2 : index
      %5 = arith.andi %3, %4 : i1
      %6 = arith.select %5, %a, %zero16 : bf16
      linalg.yield %6 : bf16
    } -> tensor<8x2048x256xbf16>
    %ez = tensor.empty() : tensor<8x256x512xf32>
    %fz = linalg.fill ins(%zero : f32) outs(%ez : tensor<8x256x512xf32>) -> tensor<8x256x512xf32>
    %z = linalg.generic {indexing_maps = [#x, #y, #z], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%own, %y : tensor<8x2048x256xbf16>, tensor<2048x512xbf16>) outs(%fz : tensor<8x256x512xf32>) {
    ^bb0(%a: bf16, %b: bf16, %o: f32):
      %0 = arith.extf %a : bf16 to f32
      %1 = arith.extf %b : bf16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %o, %2 : f32
      linalg.yield %3 : f32
    } -> tensor<8x256x512xf32>
    carousel.yield %z : tensor<8x256x512xf32>
  } : (tensor<2048x256xbf16>, tensor<8xi32>, tensor<8xi32>, tensor<2048x512xbf16>) -> tensor<8x256x512xf32>
  return %group : tensor<8x256x512xf32>
}

// A factor that is computed in its range is masked in all tiles.
// CHECK-LABEL: gpu.func @computed
// CHECK: scf.for %{{.+}} = %{{c0.*}} to %{{c2048.*}} step
// CHECK: arith.select
// CHECK: vector.contract
// CHECK-NOT: scf.for
func.func @computed(%p0: tensor<2048x256xbf16>, %p1: tensor<8xi32>, %p2: tensor<8xi32>, %p3: tensor<2048x512xbf16>) -> tensor<8x256x512xf32> {
  %group = carousel.group "computed"(%p0, %p1, %p2, %p3) {
  ^bb0(%x: tensor<2048x256xbf16>, %begin: tensor<8xi32>, %end: tensor<8xi32>, %y: tensor<2048x512xbf16>):
    %zero = arith.constant 0.0 : f32
    %zero16 = arith.constant 0.0 : bf16
    %ex = tensor.empty() : tensor<8x2048x256xbf16>
    %own = linalg.generic {indexing_maps = [#rows, #bound, #bound, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %begin, %end : tensor<2048x256xbf16>, tensor<8xi32>, tensor<8xi32>) outs(%ex : tensor<8x2048x256xbf16>) {
    ^bb0(%a: bf16, %f: i32, %l: i32, %o: bf16):
      %0 = linalg.index 1 : index
      %1 = arith.index_cast %f : i32 to index
      %2 = arith.index_cast %l : i32 to index
      %3 = arith.cmpi sge, %0, %1 : index
      %4 = arith.cmpi slt, %0, %2 : index
      %5 = arith.andi %3, %4 : i1
      %7 = arith.negf %a : bf16
      %6 = arith.select %5, %7, %zero16 : bf16
      linalg.yield %6 : bf16
    } -> tensor<8x2048x256xbf16>
    %ez = tensor.empty() : tensor<8x256x512xf32>
    %fz = linalg.fill ins(%zero : f32) outs(%ez : tensor<8x256x512xf32>) -> tensor<8x256x512xf32>
    %z = linalg.generic {indexing_maps = [#x, #y, #z], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%own, %y : tensor<8x2048x256xbf16>, tensor<2048x512xbf16>) outs(%fz : tensor<8x256x512xf32>) {
    ^bb0(%a: bf16, %b: bf16, %o: f32):
      %0 = arith.extf %a : bf16 to f32
      %1 = arith.extf %b : bf16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %o, %2 : f32
      linalg.yield %3 : f32
    } -> tensor<8x256x512xf32>
    carousel.yield %z : tensor<8x256x512xf32>
  } : (tensor<2048x256xbf16>, tensor<8xi32>, tensor<8xi32>, tensor<2048x512xbf16>) -> tensor<8x256x512xf32>
  return %group : tensor<8x256x512xf32>
}

// Rows that follow each other are a box, without a mask. Where the first one is behind all, and nothing reads the results, the loop
// has no iterations.
// CHECK-LABEL: gpu.func @following
// CHECK-SAME: (%[[X:.+]]: memref<2048x256xbf16, #gpu.address_space<global>> {{{.+}}}, %[[FIRSTS:.+]]: memref<23xi32, #gpu.address_space<global>> {{{.+}}}, %{{.+}}: memref<23x256x512xbf16
// CHECK: %[[FIRST:.+]] = memref.load %[[FIRSTS]][%{{.+}}]
// CHECK: %[[ROW:.+]] = arith.index_cast %[[FIRST]] : i32 to index
// CHECK: %[[EXISTS:.+]] = arith.cmpi slt, %[[ROW]], %{{c2048.*}} : index
// CHECK: %[[DEPTH:.+]] = arith.select %[[EXISTS]], %{{c256.*}}, %{{c0.*}} : index
// CHECK: scf.for %[[K:[a-z0-9_]+]] = %{{c0.*}} to %[[DEPTH]] step
// CHECK: vector.transfer_read %[[X]][%{{.+}}, %[[K]]], %{{.+}} : memref<2048x256xbf16, #gpu.address_space<global>>, vector<128x64xbf16>
// CHECK-NOT: arith.select
// CHECK: vector.contract
func.func @following(%p0: tensor<2048x256xbf16>, %p1: tensor<23xi32>, %p2: tensor<23x256x512xbf16>) -> tensor<23x128x512xf32> {
  %group = carousel.group "following"(%p0, %p1, %p2) {
  ^bb0(%x: tensor<2048x256xbf16>, %first: tensor<23xi32>, %w: tensor<23x256x512xbf16>):
    %zero = arith.constant 0.0 : f32
    %zero16 = arith.constant 0.0 : bf16
    %rows = arith.constant 2048 : index
    %ex = tensor.empty() : tensor<23x128x256xbf16>
    %own = linalg.generic {indexing_maps = [affine_map<(p, i, k) -> (p)>, affine_map<(p, i, k) -> (p, i, k)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%first : tensor<23xi32>) outs(%ex : tensor<23x128x256xbf16>) attrs = {carousel.unread_tiles} {
    ^bb0(%f: i32, %o: bf16):
      %0 = linalg.index 1 : index
      %1 = linalg.index 2 : index
      %2 = arith.index_cast %f : i32 to index
      %3 = arith.addi %2, %0 : index
      %4 = arith.cmpi ult, %3, %rows : index
      %5 = scf.if %4 -> (bf16) {
        %6 = tensor.extract %x[%3, %1] : tensor<2048x256xbf16>
        scf.yield %6 : bf16
      } else {
        scf.yield %zero16 : bf16
      }
      linalg.yield %5 : bf16
    } -> tensor<23x128x256xbf16>
    %ez = tensor.empty() : tensor<23x128x512xf32>
    %fz = linalg.fill ins(%zero : f32) outs(%ez : tensor<23x128x512xf32>) -> tensor<23x128x512xf32>
    %z = linalg.generic {indexing_maps = [affine_map<(p, i, n, k) -> (p, i, k)>, affine_map<(p, i, n, k) -> (p, k, n)>, affine_map<(p, i, n, k) -> (p, i, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%own, %w : tensor<23x128x256xbf16>, tensor<23x256x512xbf16>) outs(%fz : tensor<23x128x512xf32>) {
    ^bb0(%a: bf16, %b: bf16, %o: f32):
      %0 = arith.extf %a : bf16 to f32
      %1 = arith.extf %b : bf16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %o, %2 : f32
      linalg.yield %3 : f32
    } -> tensor<23x128x512xf32>
    carousel.yield %z : tensor<23x128x512xf32>
  } : (tensor<2048x256xbf16>, tensor<23xi32>, tensor<23x256x512xbf16>) -> tensor<23x128x512xf32>
  return %group : tensor<23x128x512xf32>
}

// A narrow type hasn't the number of rows: indices are compared.
// CHECK-LABEL: gpu.func @narrow
// CHECK: arith.index_cast %{{.+}} : i8 to index
// CHECK: arith.cmpi slt, %{{.+}}, %{{c2048.*}} : index
func.func @narrow(%p0: tensor<2048x256xbf16>, %p1: tensor<23xi8>, %p2: tensor<23x256x512xbf16>) -> tensor<23x128x512xf32> {
  %group = carousel.group "narrow"(%p0, %p1, %p2) {
  ^bb0(%x: tensor<2048x256xbf16>, %first: tensor<23xi8>, %w: tensor<23x256x512xbf16>):
    %zero = arith.constant 0.0 : f32
    %zero16 = arith.constant 0.0 : bf16
    %rows = arith.constant 2048 : index
    %ex = tensor.empty() : tensor<23x128x256xbf16>
    %own = linalg.generic {indexing_maps = [affine_map<(p, i, k) -> (p)>, affine_map<(p, i, k) -> (p, i, k)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%first : tensor<23xi8>) outs(%ex : tensor<23x128x256xbf16>) attrs = {carousel.unread_tiles} {
    ^bb0(%f: i8, %o: bf16):
      %0 = linalg.index 1 : index
      %1 = linalg.index 2 : index
      %2 = arith.index_cast %f : i8 to index
      %3 = arith.addi %2, %0 : index
      %4 = arith.cmpi ult, %3, %rows : index
      %5 = scf.if %4 -> (bf16) {
        %6 = tensor.extract %x[%3, %1] : tensor<2048x256xbf16>
        scf.yield %6 : bf16
      } else {
        scf.yield %zero16 : bf16
      }
      linalg.yield %5 : bf16
    } -> tensor<23x128x256xbf16>
    %ez = tensor.empty() : tensor<23x128x512xf32>
    %fz = linalg.fill ins(%zero : f32) outs(%ez : tensor<23x128x512xf32>) -> tensor<23x128x512xf32>
    %z = linalg.generic {indexing_maps = [affine_map<(p, i, n, k) -> (p, i, k)>, affine_map<(p, i, n, k) -> (p, k, n)>, affine_map<(p, i, n, k) -> (p, i, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%own, %w : tensor<23x128x256xbf16>, tensor<23x256x512xbf16>) outs(%fz : tensor<23x128x512xf32>) {
    ^bb0(%a: bf16, %b: bf16, %o: f32):
      %0 = arith.extf %a : bf16 to f32
      %1 = arith.extf %b : bf16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %o, %2 : f32
      linalg.yield %3 : f32
    } -> tensor<23x128x512xf32>
    carousel.yield %z : tensor<23x128x512xf32>
  } : (tensor<2048x256xbf16>, tensor<23xi8>, tensor<23x256x512xbf16>) -> tensor<23x128x512xf32>
  return %group : tensor<23x128x512xf32>
}

// Other graphs multiply the zeros, also by what isn't finite.
// CHECK-LABEL: gpu.func @kept
// CHECK: scf.for %{{.+}} = %{{c0.*}} to %{{c256.*}} step
// CHECK-NOT: arith.select
// CHECK: vector.contract
func.func @kept(%p0: tensor<2048x256xbf16>, %p1: tensor<23xi32>, %p2: tensor<23x256x512xbf16>) -> tensor<23x128x512xf32> {
  %group = carousel.group "kept"(%p0, %p1, %p2) {
  ^bb0(%x: tensor<2048x256xbf16>, %first: tensor<23xi32>, %w: tensor<23x256x512xbf16>):
    %zero = arith.constant 0.0 : f32
    %zero16 = arith.constant 0.0 : bf16
    %rows = arith.constant 2048 : index
    %ex = tensor.empty() : tensor<23x128x256xbf16>
    %own = linalg.generic {indexing_maps = [affine_map<(p, i, k) -> (p)>, affine_map<(p, i, k) -> (p, i, k)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%first : tensor<23xi32>) outs(%ex : tensor<23x128x256xbf16>) {
    ^bb0(%f: i32, %o: bf16):
      %0 = linalg.index 1 : index
      %1 = linalg.index 2 : index
      %2 = arith.index_cast %f : i32 to index
      %3 = arith.addi %2, %0 : index
      %4 = arith.cmpi ult, %3, %rows : index
      %5 = scf.if %4 -> (bf16) {
        %6 = tensor.extract %x[%3, %1] : tensor<2048x256xbf16>
        scf.yield %6 : bf16
      } else {
        scf.yield %zero16 : bf16
      }
      linalg.yield %5 : bf16
    } -> tensor<23x128x256xbf16>
    %ez = tensor.empty() : tensor<23x128x512xf32>
    %fz = linalg.fill ins(%zero : f32) outs(%ez : tensor<23x128x512xf32>) -> tensor<23x128x512xf32>
    %z = linalg.generic {indexing_maps = [affine_map<(p, i, n, k) -> (p, i, k)>, affine_map<(p, i, n, k) -> (p, k, n)>, affine_map<(p, i, n, k) -> (p, i, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%own, %w : tensor<23x128x256xbf16>, tensor<23x256x512xbf16>) outs(%fz : tensor<23x128x512xf32>) {
    ^bb0(%a: bf16, %b: bf16, %o: f32):
      %0 = arith.extf %a : bf16 to f32
      %1 = arith.extf %b : bf16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %o, %2 : f32
      linalg.yield %3 : f32
    } -> tensor<23x128x512xf32>
    carousel.yield %z : tensor<23x128x512xf32>
  } : (tensor<2048x256xbf16>, tensor<23xi32>, tensor<23x256x512xbf16>) -> tensor<23x128x512xf32>
  return %group : tensor<23x128x512xf32>
}
