// Reads that a selection discards are under its condition, unless they are known to be inside of their tensors.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(func.func(carousel-normalize-graph))' | FileCheck %s

#v = affine_map<(d0) -> (d0)>

// CHECK-LABEL: func @unknown_extent
//  CHECK-SAME: %[[TABLE:.*]]: tensor<?xf32>, %[[REST:.*]]: tensor<20xf32>
//   CHECK-NOT: tensor.extract_slice
//       CHECK: linalg.generic {{.*}} ins(%[[REST]] :
//       CHECK:   %[[FIRST:.*]] = arith.cmpi ult
//       CHECK:   %[[READ:.*]] = scf.if %[[FIRST]]
//       CHECK:     tensor.extract %[[TABLE]]
//       CHECK:   arith.select %[[FIRST]], %[[READ]], %in
func.func @unknown_extent(%a: tensor<?xf32>, %b: tensor<20xf32>) -> tensor<20xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %a, %c0 : tensor<?xf32>
  %e = tensor.empty() : tensor<20xf32>
  %y = linalg.generic {indexing_maps = [#v], iterator_types = ["parallel"]} outs(%e : tensor<20xf32>) {
  ^bb0(%o: f32):
    %j = linalg.index 0 : index
    %first = arith.cmpi ult, %j, %n : index
    %p = tensor.extract %a[%j] : tensor<?xf32>
    %q = tensor.extract %b[%j] : tensor<20xf32>
    %v = arith.select %first, %p, %q : f32
    linalg.yield %v : f32
  } -> tensor<20xf32>
  return %y : tensor<20xf32>
}

// What the selection takes is computed of what is read; another selection discards it, too. Its condition comes later.
// CHECK-LABEL: func @several_conditions
//  CHECK-SAME: %[[TABLE:.*]]: tensor<?xf32>
//   CHECK-DAG: %[[FIRST:.*]] = arith.cmpi ult
//   CHECK-DAG: %[[ODD:.*]] = arith.cmpi eq
//       CHECK: %[[BOTH:.*]] = arith.andi %[[ODD]], %[[FIRST]]
//       CHECK: scf.if %[[BOTH]]
//  CHECK-NEXT:   tensor.extract %[[TABLE]]
func.func @several_conditions(%a: tensor<?xf32>, %x: tensor<20xf32>, %n: index) -> tensor<20xf32> {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<20xf32>
  %y = linalg.generic {indexing_maps = [#v, #v], iterator_types = ["parallel"]} ins(%x : tensor<20xf32>) outs(%e : tensor<20xf32>) {
  ^bb0(%b: f32, %o: f32):
    %j = linalg.index 0 : index
    %first = arith.cmpi ult, %j, %n : index
    %p = tensor.extract %a[%j] : tensor<?xf32>
    %more = arith.addf %p, %b : f32
    %u = arith.select %first, %more, %zero : f32
    %bit = arith.andi %j, %c1 : index
    %odd = arith.cmpi eq, %bit, %c1 : index
    %v = arith.select %odd, %u, %b : f32
    linalg.yield %v : f32
  } -> tensor<20xf32>
  return %y : tensor<20xf32>
}

// The sum reads the element without a condition: the loop needs the whole table, and a launch compares the extents.
// CHECK-LABEL: func @always_read
//       CHECK: tensor.extract_slice
//   CHECK-NOT: scf.if
//       CHECK: return
func.func @always_read(%a: tensor<?xf32>, %x: tensor<20xf32>) -> tensor<20xf32> {
  %c8 = arith.constant 8 : index
  %e = tensor.empty() : tensor<20xf32>
  %y = linalg.generic {indexing_maps = [#v, #v], iterator_types = ["parallel"]} ins(%x : tensor<20xf32>) outs(%e : tensor<20xf32>) {
  ^bb0(%b: f32, %o: f32):
    %j = linalg.index 0 : index
    %first = arith.cmpi ult, %j, %c8 : index
    %p = tensor.extract %a[%j] : tensor<?xf32>
    %u = arith.select %first, %p, %b : f32
    %v = arith.addf %u, %p : f32
    linalg.yield %v : f32
  } -> tensor<20xf32>
  return %y : tensor<20xf32>
}

// The condition is computed of what is read, which therefore has no condition.
// CHECK-LABEL: func @own_condition
//   CHECK-NOT: scf.if
//       CHECK: return
func.func @own_condition(%a: tensor<20xf32>, %x: tensor<20xindex>) -> tensor<20xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<20xf32>
  %y = linalg.generic {indexing_maps = [#v, #v], iterator_types = ["parallel"]} ins(%x : tensor<20xindex>) outs(%e : tensor<20xf32>) {
  ^bb0(%at: index, %o: f32):
    %p = tensor.extract %a[%at] : tensor<20xf32>
    %positive = arith.cmpf ogt, %p, %zero : f32
    %v = arith.select %positive, %p, %zero : f32
    linalg.yield %v : f32
  } -> tensor<20xf32>
  return %y : tensor<20xf32>
}

// Of equal extents, both elements are operands; an index that is limited needs no condition.
// CHECK-LABEL: func @inside
//   CHECK-NOT: scf.if
//       CHECK: return
func.func @inside(%a: tensor<?xf32>, %b: tensor<?xf32>, %t: tensor<8xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : index
  %n = tensor.dim %a, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %y = linalg.generic {indexing_maps = [#v, #v], iterator_types = ["parallel"]} ins(%b : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%d: f32, %o: f32):
    %j = linalg.index 0 : index
    %k = arith.minui %j, %c7 : index
    %first = arith.cmpi ult, %j, %c7 : index
    %p = tensor.extract %a[%j] : tensor<?xf32>
    %q = tensor.extract %t[%k] : tensor<8xf32>
    %v = arith.select %first, %p, %q : f32
    %w = arith.addf %v, %d : f32
    linalg.yield %w : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// A read in an scf.if may have a condition more.
// CHECK-LABEL: func @in_branch
//       CHECK: scf.if
//       CHECK:   scf.if
//  CHECK-NEXT:     tensor.extract
func.func @in_branch(%a: tensor<?xf32>, %x: tensor<20xf32>, %n: index) -> tensor<20xf32> {
  %c4 = arith.constant 4 : index
  %e = tensor.empty() : tensor<20xf32>
  %y = linalg.generic {indexing_maps = [#v, #v], iterator_types = ["parallel"]} ins(%x : tensor<20xf32>) outs(%e : tensor<20xf32>) {
  ^bb0(%b: f32, %o: f32):
    %j = linalg.index 0 : index
    %late = arith.cmpi ugt, %j, %c4 : index
    %v = scf.if %late -> (f32) {
      %k = arith.subi %j, %c4 : index
      %first = arith.cmpi ult, %k, %n : index
      %p = tensor.extract %a[%k] : tensor<?xf32>
      %u = arith.select %first, %p, %b : f32
      scf.yield %u : f32
    } else {
      scf.yield %b : f32
    }
    linalg.yield %v : f32
  } -> tensor<20xf32>
  return %y : tensor<20xf32>
}

// A branch that reads has the condition under which its result is used.
// CHECK-LABEL: func @selected_branch
//       CHECK: scf.if
//       CHECK:   scf.if
//       CHECK:     tensor.extract
//       CHECK: arith.select
func.func @selected_branch(%a: tensor<?xf32>, %x: tensor<20xf32>) -> tensor<20xf32> {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %e = tensor.empty() : tensor<20xf32>
  %y = linalg.generic {indexing_maps = [#v, #v], iterator_types = ["parallel"]} ins(%x : tensor<20xf32>) outs(%e : tensor<20xf32>) {
  ^bb0(%b: f32, %o: f32):
    %j = linalg.index 0 : index
    %above = arith.subi %j, %c1 : index
    %isFirst = arith.cmpi ult, %above, %c1 : index
    %p = scf.if %isFirst -> (f32) {
      scf.yield %b : f32
    } else {
      %k = arith.subi %j, %c2 : index
      %q = tensor.extract %a[%k] : tensor<?xf32>
      scf.yield %q : f32
    }
    %isThere = arith.cmpi uge, %j, %c1 : index
    %n = arith.negf %p : f32
    %v = arith.select %isThere, %n, %b : f32
    linalg.yield %v : f32
  } -> tensor<20xf32>
  return %y : tensor<20xf32>
}
