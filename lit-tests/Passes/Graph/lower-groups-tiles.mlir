// Products whose factors threads compute, and that no instruction multiplies, have shorter vectors, first along k, where a
// thread would need more registers for them than its block leaves it.
// RUN: carousel-opt %s --carousel-schedule-groups --carousel-lower-groups --remarks-filter="carousel-(schedule|lower)-groups" 2>&1 | FileCheck %s
// RUN: carousel-opt %s --carousel-schedule-groups --carousel-lower-groups | FileCheck %s --check-prefix=MASKS

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(i, j) -> (i, j)>
#product = {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}

// Weights of 8 bits: 128 of them are a row of a tile.
// CHECK: Tile {{.*}}Function=weights | Remark="shorter vectors: a thread would need 1024 registers for factors, and has 24 of them"
// CHECK: Schedule {{.*}}Function=weights | Remark="contraction, ? by the grid in vectors of 64, ? by the grid in vectors of 128, ? by a loop in vectors of 16"
// CHECK: Tile {{.*}}Function=once
// CHECK: Schedule {{.*}}Function=once {{.*}}32 by a loop in vectors of 16"
// CHECK-NOT: Tile {{.*}}Function=tiles
// CHECK: gpu.func @weights
// CHECK: vector.contract {{.*}} : vector<64x16xf32>, vector<16x128xf32> into vector<64x128xf32>
func.func @weights(%p0: tensor<?x?xf32>, %p1: tensor<?x?xi8>, %p2: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %group = carousel.group "weights"(%p0, %p1, %p2) {
  ^bb0(%a: tensor<?x?xf32>, %w: tensor<?x?xi8>, %y: tensor<?x?xf32>):
    %p = linalg.generic #product ins(%a, %w : tensor<?x?xf32>, tensor<?x?xi8>) outs(%y : tensor<?x?xf32>) {
    ^bb0(%x: f32, %i: i8, %o: f32):
      %f = arith.sitofp %i : i8 to f32
      %m = arith.mulf %x, %f : f32
      %s = arith.addf %o, %m : f32
      linalg.yield %s : f32
    } -> tensor<?x?xf32>
    carousel.yield %p : tensor<?x?xf32>
  } : (tensor<?x?xf32>, tensor<?x?xi8>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %group : tensor<?x?xf32>
}

// One iteration would be no loop, and so have no tiles. Two have some.
func.func @once(%p0: tensor<128x32xf32>, %p1: tensor<32x128xf32>, %p2: tensor<128x128xf32>) -> tensor<128x128xf32> {
  %group = carousel.group "once"(%p0, %p1, %p2) {
  ^bb0(%a: tensor<128x32xf32>, %b: tensor<32x128xf32>, %y: tensor<128x128xf32>):
    %e = tensor.empty() : tensor<128x32xf32>
    %n = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%a : tensor<128x32xf32>) outs(%e : tensor<128x32xf32>) {
    ^bb0(%i: f32, %o: f32):
      %r = arith.negf %i : f32
      linalg.yield %r : f32
    } -> tensor<128x32xf32>
    %p = linalg.generic #product ins(%n, %b : tensor<128x32xf32>, tensor<32x128xf32>) outs(%y : tensor<128x128xf32>) {
    ^bb0(%x: f32, %i: f32, %o: f32):
      %m = arith.mulf %x, %i : f32
      %s = arith.addf %o, %m : f32
      linalg.yield %s : f32
    } -> tensor<128x128xf32>
    carousel.yield %p : tensor<128x128xf32>
  } : (tensor<128x32xf32>, tensor<32x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
  return %group : tensor<128x128xf32>
}

// As tiles of a ring, factors need none.
func.func @tiles(%p0: tensor<?x?xf32>, %p1: tensor<?x?xf32>, %p2: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %group = carousel.group "tiles"(%p0, %p1, %p2) {
  ^bb0(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %y: tensor<?x?xf32>):
    %p = linalg.generic #product ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%y : tensor<?x?xf32>) {
    ^bb0(%x: f32, %i: f32, %o: f32):
      %m = arith.mulf %x, %i : f32
      %s = arith.addf %o, %m : f32
      linalg.yield %s : f32
    } -> tensor<?x?xf32>
    carousel.yield %p : tensor<?x?xf32>
  } : (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %group : tensor<?x?xf32>
}

// Only the factor that isn't zero behind the end needs a mask; the other one stays in its tile.
// MASKS-LABEL: gpu.func @one_mask
// MASKS: %[[B:.*]] = vector.transfer_read %arg1
// MASKS: %[[A:.*]] = arith.select {{.*}} : vector<64x16xi1>, vector<64x16xf32>
// MASKS-NOT: arith.select
// MASKS: vector.contract {{.*}} %[[A]], %[[B]],
// MASKS: carousel.pipeline
func.func @one_mask(%p0: tensor<?x?xf32>, %p1: tensor<?x?xf32>, %p2: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %group = carousel.group "one_mask"(%p0, %p1, %p2) {
  ^bb0(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %y: tensor<?x?xf32>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %one = arith.constant 1.0 : f32
    %m = tensor.dim %a, %c0 : tensor<?x?xf32>
    %k = tensor.dim %a, %c1 : tensor<?x?xf32>
    %e = tensor.empty(%m, %k) : tensor<?x?xf32>
    %n = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%a : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
    ^bb0(%i: f32, %o: f32):
      %r = arith.addf %i, %one : f32
      linalg.yield %r : f32
    } -> tensor<?x?xf32>
    %p = linalg.generic #product ins(%n, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%y : tensor<?x?xf32>) {
    ^bb0(%x: f32, %i: f32, %o: f32):
      %q = arith.mulf %x, %i : f32
      %s = arith.addf %o, %q : f32
      linalg.yield %s : f32
    } -> tensor<?x?xf32>
    carousel.yield %p : tensor<?x?xf32>
  } : (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %group : tensor<?x?xf32>
}
