// A group becomes a kernel of the block phase.
// RUN: carousel-opt %s --carousel-schedule-groups --carousel-lower-groups | FileCheck %s
// RUN: carousel-opt %s --carousel-schedule-groups --carousel-lower-groups --remarks-filter="carousel-(schedule|lower)-groups" -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
#turned = affine_map<(i, j) -> (j, i)>
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
#bc = affine_map<(a, b, c) -> (a, b, c)>

// Elements behind the row's end count as -inf for the maximum, and must not count as differences.
// REMARK: Function=rows | Remark="row, ? by the grid, 768 at once in vectors of 1024"
// CHECK-LABEL: gpu.func @rows
// CHECK-SAME: %[[X:.*]]: memref<?x768xf32, #gpu.address_space<global>> {carousel.argument = #carousel.argument<"arg0", in>}
// CHECK-SAME: %[[Y:.*]]: memref<?xf32, #gpu.address_space<global>> {carousel.argument = #carousel.argument<"result0", out>}
// CHECK-SAME: grid = [extent(0, 0)]
// CHECK: %[[ROW:.*]] = gpu.block_id x
// CHECK: %[[LOWEST:.*]] = arith.constant 0xFF800000 : f32
// CHECK: %[[V:.*]] = vector.transfer_read %[[X]][%[[ROW]], %{{.*}}], %[[LOWEST]] : {{.*}}, vector<1024xf32>
// CHECK: %[[MAX:.*]] = vector.multi_reduction <maximumf>, %[[V]]
// CHECK: %[[MAXES:.*]] = vector.broadcast %[[MAX]]
// CHECK: %[[D:.*]] = arith.subf %[[V]], %[[MAXES]]
// CHECK: %[[MASK:.*]] = vector.create_mask %c768
// CHECK: %[[OWN:.*]] = arith.select %[[MASK]], %[[D]]
// CHECK: %[[SUM:.*]] = vector.multi_reduction <add>, %[[OWN]]
// CHECK: memref.store %[[SUM]], %[[Y]][%[[ROW]]]
func.func @rows(%p0: tensor<?x768xf32>, %p1: index) -> tensor<?xf32> {
  %group = carousel.group "rows"(%p0, %p1) attributes {shared_reads = [#carousel.shared_read<op = 0, read = 0, with = 1>]} {
  ^bb0(%x: tensor<?x768xf32>, %rows: index):
    %lowest = arith.constant 0xFF800000 : f32
    %zero = arith.constant 0.0 : f32
    %e1 = tensor.empty(%rows) : tensor<?xf32>
    %e2 = tensor.empty(%rows) : tensor<?x768xf32>
    %f1 = linalg.fill ins(%lowest : f32) outs(%e1 : tensor<?xf32>) -> tensor<?xf32>
    %f2 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<?xf32>) -> tensor<?xf32>
    %max = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x768xf32>) outs(%f1 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %r = arith.maximumf %out, %in : f32
      linalg.yield %r : f32
    } -> tensor<?xf32>
    %d = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %max : tensor<?x768xf32>, tensor<?xf32>) outs(%e2 : tensor<?x768xf32>) {
    ^bb0(%in: f32, %m: f32, %out: f32):
      %r = arith.subf %in, %m : f32
      linalg.yield %r : f32
    } -> tensor<?x768xf32>
    %sum = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%d : tensor<?x768xf32>) outs(%f2 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %r = arith.addf %out, %in : f32
      linalg.yield %r : f32
    } -> tensor<?xf32>
    carousel.yield %sum : tensor<?xf32>
  } : (tensor<?x768xf32>, index) -> tensor<?xf32>
  return %group : tensor<?xf32>
}

// A loop over rows, and a sum of its rows behind it. What the result starts from is added.
// Where there are few columns, parts of the rows have kernels of their own; the launch knows.
// REMARK: Function=columns | Remark="column, ? by a loop in vectors of 128, divided into parts of 512 or more, ? by the grid in vectors of 32"
// REMARK: Function=columns | Remark="column, ? by a loop in vectors of 128, ? by the grid in vectors of 32"
// CHECK-LABEL: gpu.func @columns_parts(
// CHECK-SAME: %[[START:[^:]*]]: memref<?xf32, {{[^%]*}}"arg1"
// CHECK-SAME: %[[PARTIALS:[^:]*]]: memref<?x?x32xf32, {{[^%]*}}"partials0">, carousel.workspace
// CHECK-SAME: %[[COUNTERS:[^:]*]]: memref<?xi32, {{[^%]*}}"counters">, carousel.workspace
// CHECK-SAME: grid = [ceildiv(extent(0, 1), 32) * max(min(min(264, floordiv(264, max(ceildiv(extent(0, 1), 32), 1))), ceildiv(extent(0, 0), 512)), 1)]
// CHECK-SAME: kernel = "columns", guards = [range({{.*}}, 2, 9223372036854775807)]
// CHECK: %[[BLOCK:.*]] = gpu.block_id x
// CHECK: %[[PART:.*]] = arith.remui %[[BLOCK]], %[[PARTS:.*]] : index
// CHECK: %[[PROGRAM:.*]] = arith.divui %[[BLOCK]], %[[PARTS]] : index
// CHECK: %[[SUMS:.*]] = scf.for {{.*}} -> (vector<128x32xf32>)
// CHECK: %[[SUM:.*]] = vector.multi_reduction <add>, %[[SUMS]], %{{.*}} [0]
// CHECK: vector.transfer_write %[[SUM]], %[[PARTIALS]][%[[PROGRAM]], %[[PART]], %{{.*}}]
// CHECK: %[[TICKET:.*]] = carousel.grid.ticket %[[COUNTERS]][%[[PROGRAM]]] of %[[PARTS]] acq_rel
// CHECK: scf.if
// CHECK: scf.for {{.*}} to %[[PARTS]] {{.*}} -> (vector<256x32xf32>)
// CHECK: vector.transfer_read %[[PARTIALS]][%[[PROGRAM]], {{.*}} vector<256x32xf32>
// CHECK: %[[ALL:.*]] = vector.multi_reduction <add>, %{{.*}}, %{{.*}} [0] : vector<256x32xf32> to vector<32xf32>
// CHECK: vector.transfer_read %[[START]]
// CHECK: vector.transfer_write
// CHECK-LABEL: gpu.func @columns(
// CHECK-SAME: grid = [ceildiv(extent(0, 1), 32)]
// CHECK-SAME: carousel.variant = #carousel.variant<kernel = "columns">
// CHECK: %[[SUMS:.*]] = scf.for {{.*}} -> (vector<128x32xf32>)
// CHECK: vector.transfer_read {{.*}} vector<128x32xf32>
// CHECK: carousel.pipeline
// CHECK: %[[SUM:.*]] = vector.multi_reduction <add>, %[[SUMS]], %{{.*}} [0]
// CHECK: %[[START:.*]] = vector.transfer_read %{{.*}} vector<32xf32>
// CHECK: %[[ALL:.*]] = arith.addf %[[START]], %[[SUM]]
// CHECK: vector.transfer_write %[[ALL]]
func.func @columns(%p0: tensor<?x?xf32>, %p1: tensor<?xf32>) -> tensor<?xf32> {
  %group = carousel.group "columns"(%p0, %p1) {
  ^bb0(%x: tensor<?x?xf32>, %start: tensor<?xf32>):
    %sum = linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]} ins(%x : tensor<?x?xf32>) outs(%start : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %r = arith.addf %out, %in : f32
      linalg.yield %r : f32
    } -> tensor<?xf32>
    carousel.yield %sum : tensor<?xf32>
  } : (tensor<?x?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %group : tensor<?xf32>
}

// Factors are multiplied as they are stored; the sums are f32.
// REMARK: Function=product | Remark="contraction, ? by the grid in vectors of 128, 96 by the grid in vectors of 128, 64 by a loop in vectors of 64"
// CHECK-LABEL: gpu.func @product
// CHECK: scf.for {{.*}} -> (vector<128x128xf32>)
// CHECK: %[[A:.*]] = vector.transfer_read %{{.*}} vector<128x64xbf16>
// CHECK: %[[B:.*]] = vector.transfer_read %{{.*}} vector<128x64xbf16>
// CHECK: vector.contract {{.*}} %[[A]], %[[B]], %{{.*}} : vector<128x64xbf16>, vector<128x64xbf16> into vector<128x128xf32>
// CHECK: math.tanh %{{.*}} : vector<128x128xf32>
func.func @product(%p0: tensor<?x64xbf16>, %p1: tensor<96x64xbf16>, %p2: index) -> tensor<?x96xf32> {
  %group = carousel.group "product"(%p0, %p1, %p2) {
  ^bb0(%a: tensor<?x64xbf16>, %b: tensor<96x64xbf16>, %rows: index):
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty(%rows) : tensor<?x96xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x96xf32>) -> tensor<?x96xf32>
    %c = linalg.generic {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<?x64xbf16>, tensor<96x64xbf16>) outs(%f : tensor<?x96xf32>) {
    ^bb0(%x: bf16, %y: bf16, %out: f32):
      %x32 = arith.extf %x : bf16 to f32
      %y32 = arith.extf %y : bf16 to f32
      %p = arith.mulf %x32, %y32 : f32
      %r = arith.addf %out, %p : f32
      linalg.yield %r : f32
    } -> tensor<?x96xf32>
    %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%c : tensor<?x96xf32>) outs(%e : tensor<?x96xf32>) {
    ^bb0(%x: f32, %out: f32):
      %r = math.tanh %x : f32
      linalg.yield %r : f32
    } -> tensor<?x96xf32>
    carousel.yield %t : tensor<?x96xf32>
  } : (tensor<?x64xbf16>, tensor<96x64xbf16>, index) -> tensor<?x96xf32>
  return %group : tensor<?x96xf32>
}

// Elements that are next to each other in all tensors are one dimension: a reshape of the operand.
// REMARK: Function=flat | Remark="elementwise, 1280 by the grid in vectors of 2048"
// CHECK-LABEL: gpu.func @flat
// CHECK-SAME: memref<1280xf32
// CHECK: vector.transfer_read {{.*}} vector<2048xf32>
func.func @flat(%p0: tensor<4x5x64xf32>) -> tensor<4x5x64xf32> {
  %group = carousel.group "flat"(%p0) {
  ^bb0(%x: tensor<4x5x64xf32>):
    %e = tensor.empty() : tensor<4x5x64xf32>
    %y = linalg.generic {indexing_maps = [#bc, #bc], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x : tensor<4x5x64xf32>) outs(%e : tensor<4x5x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %r = arith.negf %in : f32
      linalg.yield %r : f32
    } -> tensor<4x5x64xf32>
    carousel.yield %y : tensor<4x5x64xf32>
  } : (tensor<4x5x64xf32>) -> tensor<4x5x64xf32>
  return %group : tensor<4x5x64xf32>
}

// A transpose has blocks of both orders, and the number of an element is that of the program's block.
// REMARK: Function=transpose | Remark="elementwise, ? by the grid in vectors of 64, ? by the grid in vectors of 64"
// CHECK-LABEL: gpu.func @transpose
// CHECK: %[[V:.*]] = vector.transfer_read %{{.*}} vector<64x64xf32>
// CHECK: vector.transpose %[[V]], [1, 0]
// CHECK: %[[I:.*]] = vector.step : vector<64xindex>
// CHECK: arith.addi %[[I]], %{{.*}} : vector<64xindex>
func.func @transpose(%p0: tensor<?x?xf32>, %p1: index, %p2: index) -> tensor<?x?xf32> {
  %group = carousel.group "transpose"(%p0, %p1, %p2) {
  ^bb0(%x: tensor<?x?xf32>, %m: index, %n: index):
    %e = tensor.empty(%m, %n) : tensor<?x?xf32>
    %y = linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %i = linalg.index 0 : index
      %i32 = arith.index_cast %i : index to i32
      %f = arith.sitofp %i32 : i32 to f32
      %r = arith.addf %in, %f : f32
      linalg.yield %r : f32
    } -> tensor<?x?xf32>
    carousel.yield %y : tensor<?x?xf32>
  } : (tensor<?x?xf32>, index, index) -> tensor<?x?xf32>
  return %group : tensor<?x?xf32>
}

// Two results that depend on each other: the body as it is, with the results so far.
// REMARK: Function=argmax | Remark="loops, ? by a loop, ? by the grid in vectors of 512"
// REMARK: Fallback {{.*}}Function=argmax | Remark="loops reduce element by element, which is slow: this is no product, and no reduction to one result"
// CHECK-LABEL: gpu.func @argmax
// CHECK: scf.for {{.*}} -> (vector<512xf32>, vector<512xi32>)
// CHECK: arith.cmpf ogt, %{{.*}} : vector<512xf32>
// CHECK: arith.select
func.func @argmax(%p0: tensor<?x?xf32>, %p1: index) -> (tensor<?xf32>, tensor<?xi32>) {
  %group:2 = carousel.group "argmax"(%p0, %p1) {
  ^bb0(%x: tensor<?x?xf32>, %columns: index):
    %lowest = arith.constant 0xFF800000 : f32
    %none = arith.constant -1 : i32
    %e1 = tensor.empty(%columns) : tensor<?xf32>
    %e2 = tensor.empty(%columns) : tensor<?xi32>
    %f1 = linalg.fill ins(%lowest : f32) outs(%e1 : tensor<?xf32>) -> tensor<?xf32>
    %f2 = linalg.fill ins(%none : i32) outs(%e2 : tensor<?xi32>) -> tensor<?xi32>
    %max:2 = linalg.generic {indexing_maps = [#id, #column, #column], iterator_types = ["reduction", "parallel"]} ins(%x : tensor<?x?xf32>) outs(%f1, %f2 : tensor<?xf32>, tensor<?xi32>) {
    ^bb0(%in: f32, %best: f32, %at: i32):
      %i = linalg.index 0 : index
      %i32 = arith.index_cast %i : index to i32
      %more = arith.cmpf ogt, %in, %best : f32
      %r = arith.select %more, %in, %best : f32
      %n = arith.select %more, %i32, %at : i32
      linalg.yield %r, %n : f32, i32
    } -> (tensor<?xf32>, tensor<?xi32>)
    carousel.yield %max#0, %max#1 : tensor<?xf32>, tensor<?xi32>
  } : (tensor<?x?xf32>, index) -> (tensor<?xf32>, tensor<?xi32>)
  return %group#0, %group#1 : tensor<?xf32>, tensor<?xi32>
}

// One row is a loop over its pieces for parts, and short if there is one part only.
// REMARK: Function=all | Remark="row, ? by a loop in vectors of 4096, divided into parts of 16384 or more"
// REMARK: Function=all | Remark="row, ? at once in vectors of 16384"
// CHECK-LABEL: gpu.func @all_parts(
// CHECK-SAME: grid = [1 * max(min(264, ceildiv(extent(0, 0), 16384)), 1)]
// CHECK: scf.for {{.*}} -> (vector<4096xf32>)
// CHECK: memref.store %{{.*}} : memref<?x?xf32
// CHECK: carousel.grid.ticket {{.*}} acq_rel
// CHECK: vector.transfer_read {{.*}} vector<512xf32>
// CHECK-LABEL: gpu.func @all(
// CHECK-SAME: grid = [1]
func.func @all(%p0: tensor<?xf32>) -> tensor<f32> {
  %group = carousel.group "all"(%p0) {
  ^bb0(%x: tensor<?xf32>):
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<f32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
    %sum = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]} ins(%x : tensor<?xf32>) outs(%f : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %r = arith.addf %out, %in : f32
      linalg.yield %r : f32
    } -> tensor<f32>
    carousel.yield %sum : tensor<f32>
  } : (tensor<?xf32>) -> tensor<f32>
  return %group : tensor<f32>
}
