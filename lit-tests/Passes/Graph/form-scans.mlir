// A reduction over what is before or behind each element is a scan. What selects other elements, or depends on the result's, stays.
// RUN: carousel-opt %s --carousel-form-scans | FileCheck %s
// DEFINE: %{graph} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-graph %s --as-written --chip sm_90a
// RUN: %{graph} --function sums --kernels 1 -- --arg arg0=random:3x300 --arg result0=empty:3x300 --rtol 1e-4 --atol 1e-4
// RUN: %{graph} --function behind --kernels 2 -- --arg arg0=random:300x5 --arg result0=empty:300x5
// RUN: %{graph} --function rest --kernels 2 -- --arg arg0=random:2x300 --arg result0=empty:2x300
// RUN: %{graph} --function windows --kernels 1 -- --arg arg0=random:3x300 --arg result0=empty:3x300 --rtol 1e-4 --atol 1e-4
// RUN: %{graph} --function windowsBehind --kernels 2 -- --arg arg0=random:3x300 --arg result0=empty:3x300

#read = affine_map<(b, i, j) -> (b, j)>
#made = affine_map<(b, i, j) -> (b, i)>
#window = affine_map<(b, i, j) -> (b, i + j)>
#size = affine_map<(b, i, j) -> (j)>
#columns = affine_map<(i, j, k) -> (k, j)>
#ofColumns = affine_map<(i, j, k) -> (i, j)>

// CHECK-LABEL: func.func @sums
// CHECK: %[[START:.*]] = linalg.fill {{.*}} -> tensor<?xf32>
// CHECK: %[[SCAN:.*]]:2 = linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<?x300xf32>)
// CHECK-SAME: outs(%[[START]], %{{.*}} : tensor<?xf32>, tensor<?x300xf32>)
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %[[BEFORE:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[SQUARE:.*]] = arith.mulf %[[X]], %[[X]]
// CHECK-NEXT: %[[UPTO:.*]] = arith.addf %[[BEFORE]], %[[SQUARE]]
// CHECK-NEXT: linalg.yield %[[UPTO]], %[[UPTO]]
// CHECK: return %[[SCAN]]#1
// DOC-EXAMPLE: --carousel-form-scans
func.func @sums(%x: tensor<?x300xf32>) -> tensor<?x300xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x300xf32>
  %e = tensor.empty(%n) : tensor<?x300xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x300xf32>) -> tensor<?x300xf32>
  %r = linalg.generic {indexing_maps = [#read, #made], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<?x300xf32>) outs(%f : tensor<?x300xf32>) {
  ^bb0(%in: f32, %out: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %p = arith.cmpi ule, %j, %i : index
    %square = arith.mulf %in, %in : f32
    %v = arith.select %p, %square, %zero : f32
    %s = arith.addf %out, %v : f32
    linalg.yield %s : f32
  } -> tensor<?x300xf32>
  return %r : tensor<?x300xf32>
}

// The largest of what is behind: the scan begins with the last element, and what is before an element is its result.
// CHECK-LABEL: func.func @behind
// CHECK: %[[SCAN:.*]]:2 = linalg.generic {indexing_maps = [#[[BACK:.*]], #{{.*}}, #{{.*}}], iterator_types = ["reduction", "parallel"]} ins(%arg0
// CHECK: ^bb0(%[[X:.*]]: i32, %[[BEFORE:.*]]: i32, %{{.*}}: i32):
// CHECK: %[[OWN:.*]] = arith.addi %[[X]], %{{.*}} : i32
// CHECK: %[[MORE:.*]] = arith.maxsi %[[BEFORE]], %[[OWN]]
// CHECK: linalg.yield %[[MORE]], %[[BEFORE]]
// CHECK: linalg.generic {indexing_maps = [#[[BACK]], #{{.*}}], iterator_types = ["parallel", "parallel"]} ins(%[[SCAN]]#1
func.func @behind(%x: tensor<300x5xi32>) -> tensor<300x5xi32> {
  %least = arith.constant -2147483648 : i32
  %e = tensor.empty() : tensor<300x5xi32>
  %f = linalg.fill ins(%least : i32) outs(%e : tensor<300x5xi32>) -> tensor<300x5xi32>
  %r = linalg.generic {indexing_maps = [#columns, #ofColumns], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<300x5xi32>) outs(%f : tensor<300x5xi32>) {
  ^bb0(%in: i32, %out: i32):
    %i = linalg.index 0 : index
    %k = linalg.index 2 : index
    %ii = arith.index_cast %i : index to i32
    %kk = arith.index_cast %k : index to i32
    %p = arith.cmpi sgt, %kk, %ii : i32
    %own = arith.addi %in, %kk : i32
    %v = arith.select %p, %own, %least : i32
    %s = arith.maxsi %out, %v : i32
    linalg.yield %s : i32
  } -> tensor<300x5xi32>
  return %r : tensor<300x5xi32>
}

// Neighbours are extracted one by one.
// CHECK-LABEL: func.func @rest
// CHECK: %[[SCAN:.*]]:2 = linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]}
// CHECK: %[[X:.*]] = tensor.extract %arg0
// CHECK: %[[MORE:.*]] = arith.minsi %{{.*}}, %[[X]]
// CHECK: linalg.yield %[[MORE]], %[[MORE]]
// CHECK: tensor.extract %[[SCAN]]#1
func.func @rest(%x: tensor<2x300xi32>) -> tensor<2x300xi32> {
  %most = arith.constant 2147483647 : i32
  %e = tensor.empty() : tensor<2x300xi32>
  %f = linalg.fill ins(%most : i32) outs(%e : tensor<2x300xi32>) -> tensor<2x300xi32>
  %r = linalg.generic {indexing_maps = [#read, #made], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<2x300xi32>) outs(%f : tensor<2x300xi32>) {
  ^bb0(%in: i32, %out: i32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %p = arith.cmpi slt, %j, %i : index
    %v = arith.select %p, %most, %in : i32
    %s = arith.minsi %out, %v : i32
    linalg.yield %s : i32
  } -> tensor<2x300xi32>
  return %r : tensor<2x300xi32>
}

// Few elements.
// CHECK-LABEL: func.func @few
// CHECK: iterator_types = ["parallel", "parallel", "reduction"]
func.func @few(%x: tensor<3x100xf32>) -> tensor<3x100xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x100xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x100xf32>) -> tensor<3x100xf32>
  %r = linalg.generic {indexing_maps = [#read, #made], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<3x100xf32>) outs(%f : tensor<3x100xf32>) {
  ^bb0(%in: f32, %out: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %p = arith.cmpi ule, %j, %i : index
    %v = arith.select %p, %in, %zero : f32
    %s = arith.addf %out, %v : f32
    linalg.yield %s : f32
  } -> tensor<3x100xf32>
  return %r : tensor<3x100xf32>
}

// Each result adds other numbers.
// CHECK-LABEL: func.func @differences
// CHECK: iterator_types = ["parallel", "parallel", "reduction"]
func.func @differences(%x: tensor<3x300xf32>) -> tensor<3x300xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x300xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x300xf32>) -> tensor<3x300xf32>
  %r = linalg.generic {indexing_maps = [#read, #made, #made], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %x : tensor<3x300xf32>, tensor<3x300xf32>) outs(%f : tensor<3x300xf32>) {
  ^bb0(%in: f32, %own: f32, %out: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %p = arith.cmpi ule, %j, %i : index
    %d = arith.subf %in, %own : f32
    %v = arith.select %p, %d, %zero : f32
    %s = arith.addf %out, %v : f32
    linalg.yield %s : f32
  } -> tensor<3x300xf32>
  return %r : tensor<3x300xf32>
}

// The least number of i8 isn't that of i32.
// CHECK-LABEL: func.func @narrow
// CHECK: iterator_types = ["parallel", "parallel", "reduction"]
func.func @narrow(%x: tensor<3x300xi8>) -> tensor<3x300xi32> {
  %least = arith.constant -2147483648 : i32
  %l8 = arith.constant -128 : i8
  %e = tensor.empty() : tensor<3x300xi32>
  %f = linalg.fill ins(%least : i32) outs(%e : tensor<3x300xi32>) -> tensor<3x300xi32>
  %r = linalg.generic {indexing_maps = [#read, #made], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<3x300xi8>) outs(%f : tensor<3x300xi32>) {
  ^bb0(%in: i8, %out: i32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %p = arith.cmpi ult, %j, %i : index
    %v = arith.select %p, %in, %l8 : i8
    %w = arith.extsi %v : i8 to i32
    %s = arith.maxsi %out, %w : i32
    linalg.yield %s : i32
  } -> tensor<3x300xi32>
  return %r : tensor<3x300xi32>
}

// Indices in i8 begin again.
// CHECK-LABEL: func.func @wrap
// CHECK: iterator_types = ["parallel", "parallel", "reduction"]
func.func @wrap(%x: tensor<3x300xf32>) -> tensor<3x300xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x300xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x300xf32>) -> tensor<3x300xf32>
  %r = linalg.generic {indexing_maps = [#read, #made], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<3x300xf32>) outs(%f : tensor<3x300xf32>) {
  ^bb0(%in: f32, %out: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %ii = arith.index_cast %i : index to i8
    %jj = arith.index_cast %j : index to i8
    %p = arith.cmpi sge, %ii, %jj : i8
    %v = arith.select %p, %in, %zero : f32
    %s = arith.addf %out, %v : f32
    linalg.yield %s : f32
  } -> tensor<3x300xf32>
  return %r : tensor<3x300xf32>
}

// Reversed elements that aren't those of a loop.
// CHECK-LABEL: func.func @between
// CHECK: iterator_types = ["parallel", "parallel", "reduction"]
func.func @between(%x: tensor<3x300xf32>, %y: tensor<3x301xf32>) -> tensor<3x300xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x300xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x300xf32>) -> tensor<3x300xf32>
  %r = linalg.generic {indexing_maps = [#read, affine_map<(b, i, j) -> (b, j + 1)>, #made], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<3x300xf32>, tensor<3x301xf32>) outs(%f : tensor<3x300xf32>) {
  ^bb0(%in: f32, %in2: f32, %out: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %p = arith.cmpi sge, %j, %i : index
    %m = arith.mulf %in, %in2 : f32
    %v = arith.select %p, %m, %zero : f32
    %s = arith.addf %out, %v : f32
    linalg.yield %s : f32
  } -> tensor<3x300xf32>
  return %r : tensor<3x300xf32>
}

// Windows as long as a row, with a padding before or behind it, as reduce_window has them.
// CHECK-LABEL: func.func @windows
// CHECK: %[[SCAN:.*]]:2 = linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<3x300xf32>)
// CHECK: return %[[SCAN]]#1
func.func @windows(%x: tensor<3x300xf32>) -> tensor<3x300xf32> {
  %zero = arith.constant 0.0 : f32
  %ee = tensor.empty() : tensor<3x599xf32>
  %z = linalg.fill ins(%zero : f32) outs(%ee : tensor<3x599xf32>) -> tensor<3x599xf32>
  %padded = tensor.insert_slice %x into %z[0, 299] [3, 300] [1, 1] : tensor<3x300xf32> into tensor<3x599xf32>
  %size = tensor.empty() : tensor<300xf32>
  %e = tensor.empty() : tensor<3x300xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x300xf32>) -> tensor<3x300xf32>
  %r = linalg.generic {indexing_maps = [#window, #size, #made], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%padded, %size : tensor<3x599xf32>, tensor<300xf32>) outs(%f : tensor<3x300xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %v = arith.addf %out, %in : f32
    linalg.yield %v : f32
  } -> tensor<3x300xf32>
  return %r : tensor<3x300xf32>
}

// CHECK-LABEL: func.func @windowsBehind
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]}
func.func @windowsBehind(%x: tensor<3x300xi32>) -> tensor<3x300xi32> {
  %least = arith.constant -2147483648 : i32
  %ee = tensor.empty() : tensor<3x599xi32>
  %z = linalg.fill ins(%least : i32) outs(%ee : tensor<3x599xi32>) -> tensor<3x599xi32>
  %padded = tensor.insert_slice %x into %z[0, 0] [3, 300] [1, 1] : tensor<3x300xi32> into tensor<3x599xi32>
  %e = tensor.empty() : tensor<3x300xi32>
  %f = linalg.fill ins(%least : i32) outs(%e : tensor<3x300xi32>) -> tensor<3x300xi32>
  %size = tensor.empty() : tensor<300xi32>
  %r = linalg.generic {indexing_maps = [#window, #size, #made], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%padded, %size : tensor<3x599xi32>, tensor<300xi32>) outs(%f : tensor<3x300xi32>) {
  ^bb0(%in: i32, %s: i32, %out: i32):
    %v = arith.maxsi %out, %in : i32
    linalg.yield %v : i32
  } -> tensor<3x300xi32>
  return %r : tensor<3x300xi32>
}

// A padding that isn't neutral, and windows that are shorter, stay.
// CHECK-LABEL: func.func @otherWindows
// CHECK-COUNT-2: iterator_types = ["parallel", "parallel", "reduction"]
func.func @otherWindows(%x: tensor<3x300xf32>, %y: tensor<3x300xf32>) -> (tensor<3x300xf32>, tensor<3x300xf32>) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %ee = tensor.empty() : tensor<3x599xf32>
  %o = linalg.fill ins(%one : f32) outs(%ee : tensor<3x599xf32>) -> tensor<3x599xf32>
  %ones = tensor.insert_slice %x into %o[0, 299] [3, 300] [1, 1] : tensor<3x300xf32> into tensor<3x599xf32>
  %s = tensor.empty() : tensor<300xf32>
  %e = tensor.empty() : tensor<3x300xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x300xf32>) -> tensor<3x300xf32>
  %a = linalg.generic {indexing_maps = [#window, #size, #made], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%ones, %s : tensor<3x599xf32>, tensor<300xf32>) outs(%f : tensor<3x300xf32>) {
  ^bb0(%in: f32, %t: f32, %out: f32):
    %v = arith.addf %out, %in : f32
    linalg.yield %v : f32
  } -> tensor<3x300xf32>
  %eb = tensor.empty() : tensor<3x598xf32>
  %z = linalg.fill ins(%zero : f32) outs(%eb : tensor<3x598xf32>) -> tensor<3x598xf32>
  %zeros = tensor.insert_slice %y into %z[0, 298] [3, 300] [1, 1] : tensor<3x300xf32> into tensor<3x598xf32>
  %short = tensor.empty() : tensor<299xf32>
  %b = linalg.generic {indexing_maps = [#window, #size, #made], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%zeros, %short : tensor<3x598xf32>, tensor<299xf32>) outs(%f : tensor<3x300xf32>) {
  ^bb0(%in: f32, %t: f32, %out: f32):
    %v = arith.addf %out, %in : f32
    linalg.yield %v : f32
  } -> tensor<3x300xf32>
  return %a, %b : tensor<3x300xf32>, tensor<3x300xf32>
}

#hankel = affine_map<(a, b, r) -> (r, a + b)>
#skew = affine_map<(k, r) -> (r, k + r)>

// Sums whose windows aren't along the reduced loop, or that go along it in another dimension, too.
// CHECK-LABEL: func.func @hankel
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]} ins(%{{.*}} : tensor<7x599xf32>)
func.func @hankel(%x: tensor<7x300xf32>) -> tensor<300x300xf32> {
  %zero = arith.constant 0.0 : f32
  %ee = tensor.empty() : tensor<7x599xf32>
  %z = linalg.fill ins(%zero : f32) outs(%ee : tensor<7x599xf32>) -> tensor<7x599xf32>
  %padded = tensor.insert_slice %x into %z[0, 299] [7, 300] [1, 1] : tensor<7x300xf32> into tensor<7x599xf32>
  %e = tensor.empty() : tensor<300x300xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<300x300xf32>) -> tensor<300x300xf32>
  %r = linalg.generic {indexing_maps = [#hankel, affine_map<(a, b, r) -> (a, b)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%padded : tensor<7x599xf32>) outs(%f : tensor<300x300xf32>) {
  ^bb0(%in: f32, %out: f32):
    %v = arith.addf %out, %in : f32
    linalg.yield %v : f32
  } -> tensor<300x300xf32>
  return %r : tensor<300x300xf32>
}

// CHECK-LABEL: func.func @skew
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%{{.*}} : tensor<300x599xf32>)
func.func @skew(%x: tensor<300x300xf32>) -> tensor<300xf32> {
  %zero = arith.constant 0.0 : f32
  %ee = tensor.empty() : tensor<300x599xf32>
  %z = linalg.fill ins(%zero : f32) outs(%ee : tensor<300x599xf32>) -> tensor<300x599xf32>
  %padded = tensor.insert_slice %x into %z[0, 299] [300, 300] [1, 1] : tensor<300x300xf32> into tensor<300x599xf32>
  %e = tensor.empty() : tensor<300xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<300xf32>) -> tensor<300xf32>
  %r = linalg.generic {indexing_maps = [#skew, affine_map<(k, r) -> (k)>], iterator_types = ["parallel", "reduction"]}
      ins(%padded : tensor<300x599xf32>) outs(%f : tensor<300xf32>) {
  ^bb0(%in: f32, %out: f32):
    %v = arith.addf %out, %in : f32
    linalg.yield %v : f32
  } -> tensor<300xf32>
  return %r : tensor<300xf32>
}
