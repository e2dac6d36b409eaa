// Integers that follow from the numbers of loops are these: front ends' causal masks become one comparison where they are read,
// whatever positions and documents these are made of.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(func.func(carousel-normalize-graph))' --mlir-print-local-scope | FileCheck %s
// RUN: carousel-opt %s --pass-pipeline='builtin.module(func.func(carousel-fuse-graph))' | FileCheck %s --check-prefix=WIDE

#v = affine_map<(d0) -> (d0)>
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>

// Positions are compared with those before them, which say where documents begin; a running sum numbers these; a row sees what
// its own document has, and what isn't after it. There is one document, and two readers.
// CHECK-LABEL: func @positions
//   CHECK-NOT: tensor.concat
//   CHECK-NOT: tensor<40xi64>
//       CHECK: linalg.generic
//   CHECK-DAG: %[[ROW:.*]] = linalg.index 0
//   CHECK-DAG: %[[COLUMN:.*]] = linalg.index 1
//   CHECK-DAG: %[[I:.*]] = arith.index_cast %[[ROW]] : index to i64
//   CHECK-DAG: %[[J:.*]] = arith.index_cast %[[COLUMN]] : index to i64
//       CHECK: %[[LATER:.*]] = arith.cmpi sgt, %[[J]], %[[I]] : i64
//  CHECK-NEXT: %[[KEPT:.*]] = arith.select %[[LATER]], %{{.*}}, %{{.*}} : f32
//  CHECK-NEXT: linalg.yield %[[KEPT]]
//       CHECK: linalg.generic
//       CHECK: arith.cmpi sgt
//   CHECK-NOT: tensor<40x40xi1>
//       CHECK: return
func.func @positions(%x: tensor<40x40xf32>, %z: tensor<40x40xf32>) -> (tensor<40x40xf32>, tensor<40x40xf32>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c40 = arith.constant 40 : i64
  %false = arith.constant false
  %never = arith.constant 0xFF800000 : f32
  %ev = tensor.empty() : tensor<40xi64>
  %at = linalg.generic {indexing_maps = [#v], iterator_types = ["parallel"]} outs(%ev : tensor<40xi64>) {
  ^bb0(%o: i64):
    %i = linalg.index 0 : index
    %r = arith.index_cast %i : index to i64
    linalg.yield %r : i64
  } -> tensor<40xi64>
  %first = tensor.extract_slice %at[0] [1] [1] : tensor<40xi64> to tensor<1xi64>
  %e1 = tensor.empty() : tensor<1xi64>
  %before = linalg.generic {indexing_maps = [#v, #v], iterator_types = ["parallel"]} ins(%first : tensor<1xi64>) outs(%e1 : tensor<1xi64>) {
  ^bb0(%a: i64, %o: i64):
    %r = arith.subi %a, %c1 : i64
    linalg.yield %r : i64
  } -> tensor<1xi64>
  %joined = tensor.concat dim(0) %before, %at : (tensor<1xi64>, tensor<40xi64>) -> tensor<41xi64>
  %last = tensor.extract_slice %joined[0] [40] [1] : tensor<41xi64> to tensor<40xi64>
  %own = tensor.extract_slice %joined[1] [40] [1] : tensor<41xi64> to tensor<40xi64>
  %begins = linalg.generic {indexing_maps = [#v, #v, #v], iterator_types = ["parallel"]} ins(%own, %last : tensor<40xi64>, tensor<40xi64>) outs(%ev : tensor<40xi64>) {
  ^bb0(%a: i64, %b: i64, %o: i64):
    %d = arith.subi %a, %b : i64
    %n = arith.cmpi ne, %d, %c1 : i64
    %r = arith.extui %n : i1 to i64
    linalg.yield %r : i64
  } -> tensor<40xi64>
  %zeros = linalg.fill ins(%c0 : i64) outs(%ev : tensor<40xi64>) -> tensor<40xi64>
  %documents = linalg.generic {indexing_maps = [#column, #row], iterator_types = ["parallel", "reduction"]} ins(%begins : tensor<40xi64>) outs(%zeros : tensor<40xi64>) {
  ^bb0(%a: i64, %o: i64):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c = arith.cmpi ule, %j, %i : index
    %n = arith.select %c, %a, %c0 : i64
    %r = arith.addi %o, %n : i64
    linalg.yield %r : i64
  } -> tensor<40xi64>
  %em = tensor.empty() : tensor<40x40xi1>
  %mask = linalg.generic {indexing_maps = [#row, #column, #all], iterator_types = ["parallel", "parallel"]} ins(%at, %at : tensor<40xi64>, tensor<40xi64>) outs(%em : tensor<40x40xi1>) {
  ^bb0(%a: i64, %b: i64, %o: i1):
    %an = arith.cmpi slt, %a, %c0 : i64
    %aw = arith.addi %a, %c40 : i64
    %as = arith.select %an, %aw, %a : i64
    %ai = arith.index_cast %as : i64 to index
    %bi = arith.index_cast %b : i64 to index
    %d = tensor.extract %documents[%ai] : tensor<40xi64>
    %e = tensor.extract %documents[%bi] : tensor<40xi64>
    %same = arith.cmpi eq, %d, %e : i64
    %seen = arith.cmpi sle, %b, %a : i64
    %r = arith.andi %seen, %same : i1
    linalg.yield %r : i1
  } -> tensor<40x40xi1>
  %not = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%mask : tensor<40x40xi1>) outs(%em : tensor<40x40xi1>) {
  ^bb0(%a: i1, %o: i1):
    %r = arith.cmpi eq, %a, %false : i1
    linalg.yield %r : i1
  } -> tensor<40x40xi1>
  %ex = tensor.empty() : tensor<40x40xf32>
  %y = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]} ins(%not, %x : tensor<40x40xi1>, tensor<40x40xf32>) outs(%ex : tensor<40x40xf32>) {
  ^bb0(%c: i1, %a: f32, %o: f32):
    %r = arith.select %c, %never, %a : f32
    linalg.yield %r : f32
  } -> tensor<40x40xf32>
  %w = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]} ins(%not, %z : tensor<40x40xi1>, tensor<40x40xf32>) outs(%ex : tensor<40x40xf32>) {
  ^bb0(%c: i1, %a: f32, %o: f32):
    %r = arith.select %c, %never, %a : f32
    linalg.yield %r : f32
  } -> tensor<40x40xf32>
  return %y, %w : tensor<40x40xf32>, tensor<40x40xf32>
}

// A window of bits, chosen as numbers to add, is computed by both readers.
// CHECK-LABEL: func @bias
//   CHECK-NOT: outs(%{{.*}} : tensor<40x40xf32>) {{.*}} -> tensor<40x40xf32>
//       CHECK: ins(%{{.*}} : tensor<40x40xf32>) outs
//       CHECK: arith.andi
//       CHECK: arith.select
//       CHECK: arith.addf
//       CHECK: ins(%{{.*}} : tensor<40x40xf32>) outs
//       CHECK: arith.andi
//       CHECK: arith.select
//       CHECK: arith.addf
func.func @bias(%x: tensor<40x40xf32>, %z: tensor<40x40xf32>) -> (tensor<40x40xf32>, tensor<40x40xf32>) {
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %never = arith.constant 0xFF800000 : f32
  %ex = tensor.empty() : tensor<40x40xf32>
  %bias = linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel"]} outs(%ex : tensor<40x40xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %seen = arith.cmpi sle, %j, %i : index
    %d = arith.subi %i, %j : index
    %near = arith.cmpi slt, %d, %c8 : index
    %c = arith.andi %seen, %near : i1
    %r = arith.select %c, %zero, %never : f32
    linalg.yield %r : f32
  } -> tensor<40x40xf32>
  %y = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]} ins(%bias, %x : tensor<40x40xf32>, tensor<40x40xf32>) outs(%ex : tensor<40x40xf32>) {
  ^bb0(%b: f32, %a: f32, %o: f32):
    %r = arith.addf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<40x40xf32>
  %w = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]} ins(%bias, %z : tensor<40x40xf32>, tensor<40x40xf32>) outs(%ex : tensor<40x40xf32>) {
  ^bb0(%b: f32, %a: f32, %o: f32):
    %r = arith.addf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<40x40xf32>
  return %y, %w : tensor<40x40xf32>, tensor<40x40xf32>
}

// Numbers that wrap, and parts that differ where they meet, stay.
// CHECK-LABEL: func @wraps
//       CHECK: arith.index_cast %{{.*}} : index to i8
//       CHECK: arith.cmpi slt, %{{.*}} : i8
func.func @wraps() -> tensor<300xi1> {
  %c0 = arith.constant 0 : i8
  %e = tensor.empty() : tensor<300xi1>
  %y = linalg.generic {indexing_maps = [#v], iterator_types = ["parallel"]} outs(%e : tensor<300xi1>) {
  ^bb0(%o: i1):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i8
    %r = arith.cmpi slt, %n, %c0 : i8
    linalg.yield %r : i1
  } -> tensor<300xi1>
  return %y : tensor<300xi1>
}

// CHECK-LABEL: func @parts
//       CHECK: %[[AT:.*]] = linalg.index 0
//       CHECK: arith.cmpi eq, %[[AT]]
//       CHECK: arith.select
func.func @parts() -> tensor<41xi64> {
  %c0 = arith.constant 0 : index
  %seven = arith.constant 7 : i64
  %e = tensor.empty() : tensor<41xi64>
  %y = linalg.generic {indexing_maps = [#v], iterator_types = ["parallel"]} outs(%e : tensor<41xi64>) {
  ^bb0(%o: i64):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i64
    %first = arith.cmpi eq, %i, %c0 : index
    %r = arith.select %first, %seven, %n : i64
    linalg.yield %r : i64
  } -> tensor<41xi64>
  return %y : tensor<41xi64>
}

// CHECK-LABEL: func @limits
//   CHECK-NOT: arith.maxsi
//   CHECK-NOT: arith.minsi
//   CHECK-NOT: arith.select
//       CHECK: %[[AT:.*]] = linalg.index 0
//       CHECK: %[[OWN:.*]] = arith.index_cast %[[AT]] : index to i64
//       CHECK: linalg.yield %[[OWN]]
func.func @limits(%n: index) -> tensor<?xi64> {
  %c0 = arith.constant 0 : i64
  %m1 = arith.constant -1 : i64
  %e = tensor.empty(%n) : tensor<?xi64>
  %y = linalg.generic {indexing_maps = [#v], iterator_types = ["parallel"]} outs(%e : tensor<?xi64>) {
  ^bb0(%o: i64):
    %i = linalg.index 0 : index
    %n0 = arith.index_cast %i : index to i64
    %n1 = arith.maxsi %n0, %c0 : i64
    %n2 = arith.addi %n1, %m1 : i64
    %n3 = arith.minsi %n2, %n1 : i64
    %n4 = arith.subi %n3, %m1 : i64
    %c = arith.cmpi slt, %n4, %c0 : i64
    %r = arith.select %c, %m1, %n4 : i64
    linalg.yield %r : i64
  } -> tensor<?xi64>
  return %y : tensor<?xi64>
}

// A triangle of ones that is compared with zero, and one of the least number that is rounded, choose by what they are made of.
// CHECK-LABEL: func @triangles
//  CHECK-SAME: %[[X:.*]]: tensor<40x40xf32>, %[[PAD:.*]]: tensor<40xi1>
//       CHECK: ^bb0(%[[A:.*]]: f32, %{{.*}}: f32):
//       CHECK: %[[SEEN:.*]] = arith.cmpi sge
//  CHECK-NEXT: arith.select %[[SEEN]], %[[A]], %{{.*}} : f32
//       CHECK: ins(%{{.*}}, %[[PAD]] : tensor<40x40xf32>, tensor<40xi1>)
//  CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[P:.*]]: i1, %{{.*}}: f32):
//  CHECK-NEXT: %[[B:.*]] = arith.select %[[P]], %{{.*}}, %{{.*}} : f32
//  CHECK-NEXT: %[[R:.*]] = arith.addf %[[A]], %[[B]]
//  CHECK-NEXT: linalg.yield %[[R]]
func.func @triangles(%x: tensor<40x40xf32>, %pad: tensor<40xi1>) -> (tensor<40x40xf32>, tensor<40x40xf32>) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %unit = arith.constant 1.0 : bf16
  %least = arith.constant 0xFF7F : bf16
  %never = arith.constant 0xFF800000 : f32
  %ex = tensor.empty() : tensor<40x40xf32>
  %ones = linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel"]} outs(%ex : tensor<40x40xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c = arith.cmpi sge, %i, %j : index
    %r = arith.select %c, %one, %zero : f32
    linalg.yield %r : f32
  } -> tensor<40x40xf32>
  %y = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]} ins(%ones, %x : tensor<40x40xf32>, tensor<40x40xf32>) outs(%ex : tensor<40x40xf32>) {
  ^bb0(%b: f32, %a: f32, %o: f32):
    %c = arith.cmpf oeq, %b, %zero : f32
    %r = arith.select %c, %never, %a : f32
    linalg.yield %r : f32
  } -> tensor<40x40xf32>
  %z = linalg.generic {indexing_maps = [#all, #column, #all], iterator_types = ["parallel", "parallel"]} ins(%x, %pad : tensor<40x40xf32>, tensor<40xi1>) outs(%ex : tensor<40x40xf32>) {
  ^bb0(%a: f32, %p: i1, %o: f32):
    %n = arith.uitofp %p : i1 to bf16
    %d = arith.subf %unit, %n : bf16
    %m = arith.mulf %d, %least : bf16
    %w = arith.extf %m : bf16 to f32
    %r = arith.addf %a, %w : f32
    linalg.yield %r : f32
  } -> tensor<40x40xf32>
  return %y, %z : tensor<40x40xf32>, tensor<40x40xf32>
}

// A choice of numbers within a branch: its loops are those of the op.
// CHECK-LABEL: func @branches
//       CHECK: linalg.generic
//   CHECK-DAG: linalg.index 0
//   CHECK-DAG: linalg.index 1
//       CHECK: scf.if
//   CHECK-NOT: linalg.index
//       CHECK: return
func.func @branches(%x: tensor<8x64xf32>, %z: tensor<8x64xf32>) -> tensor<8x128xf32> {
  %c64 = arith.constant 64 : index
  %c0 = arith.constant 0 : index
  %e = tensor.empty() : tensor<8x128xf32>
  %y = linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<8x128xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %first = arith.cmpi ult, %j, %c64 : index
    %v = scf.if %first -> f32 {
      %t = arith.maxsi %i, %c0 : index
      %a = tensor.extract %x[%t, %j] : tensor<8x64xf32>
      scf.yield %a : f32
    } else {
      %k = arith.subi %j, %c64 : index
      %a = tensor.extract %z[%i, %k] : tensor<8x64xf32>
      scf.yield %a : f32
    }
    linalg.yield %v : f32
  } -> tensor<8x128xf32>
  return %y : tensor<8x128xf32>
}

// The last bit of a number isn't the number: odd ones are told from even ones.
// CHECK-LABEL: func @bits
//       CHECK: arith.trunci
//       CHECK: arith.select
func.func @bits(%x: tensor<8xf32>) -> tensor<8xf32> {
  %c1 = arith.constant 1 : i64
  %c2 = arith.constant 2 : i64
  %e = tensor.empty() : tensor<8xf32>
  %y = linalg.generic {indexing_maps = [#v, #v], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %i = linalg.index 0 : index
    %k = arith.index_cast %i : index to i64
    %t = arith.trunci %k : i64 to i1
    %n = arith.select %t, %c1, %c2 : i64
    %f = arith.sitofp %n : i64 to f32
    %m = arith.mulf %f, %a : f32
    linalg.yield %m : f32
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// A constant of more bits than sums of loops' numbers have, which folding makes in a body, is no function of them.
// WIDE-LABEL: func @wide_constant
//       WIDE: arith.cmpi slt, %{{.*}}, %{{.*}} : i64
func.func @wide_constant(%x: tensor<8xi64>, %n: tensor<8xindex>) -> tensor<8xi1> {
  %table = arith.constant dense<4611686018427387904> : tensor<8xi64>
  %e = tensor.empty() : tensor<8xi1>
  %y = linalg.generic {indexing_maps = [#v, #v, #v], iterator_types = ["parallel"]}
      ins(%x, %n : tensor<8xi64>, tensor<8xindex>) outs(%e : tensor<8xi1>) {
  ^bb0(%a: i64, %at: index, %o: i1):
    %most = tensor.extract %table[%at] : tensor<8xi64>
    %r = arith.cmpi slt, %a, %most : i64
    linalg.yield %r : i1
  } -> tensor<8xi1>
  return %y : tensor<8xi1>
}

// In a branch, a loop has the numbers that its condition leaves: halves of rotated rows of 64, which a reshape has joined, have no
// quotients.
// CHECK-LABEL: func @halves_of_joined
//   CHECK-NOT: arith.divui
//   CHECK-NOT: arith.remui
//       CHECK: scf.if
//   CHECK-NOT: arith.divui
//   CHECK-NOT: arith.remui
//       CHECK: return
// Where the condition leaves more, they stay.
// CHECK-LABEL: func @parts_of_joined
//       CHECK: arith.remui
func.func @halves_of_joined(%x: tensor<2x64xf32>) -> tensor<2x64xf32> {
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %e = tensor.empty() : tensor<2x64xf32>
  %y = linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<2x64xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %start = arith.muli %i, %c64 : index
    %is_low = arith.cmpi ult, %j, %c32 : index
    %v = scf.if %is_low -> f32 {
      %high = arith.addi %j, %c32 : index
      %at = arith.addi %start, %high : index
      %row = arith.divui %at, %c64 : index
      %column = arith.remui %at, %c64 : index
      %element = tensor.extract %x[%row, %column] : tensor<2x64xf32>
      %n = arith.negf %element : f32
      scf.yield %n : f32
    } else {
      %low = arith.subi %j, %c32 : index
      %at = arith.addi %start, %low : index
      %row = arith.divui %at, %c64 : index
      %column = arith.remui %at, %c64 : index
      %element = tensor.extract %x[%row, %column] : tensor<2x64xf32>
      scf.yield %element : f32
    }
    linalg.yield %v : f32
  } -> tensor<2x64xf32>
  return %y : tensor<2x64xf32>
}

func.func @parts_of_joined(%x: tensor<3x64xf32>) -> tensor<2x64xf32> {
  %c32 = arith.constant 32 : index
  %c40 = arith.constant 40 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x64xf32>
  %y = linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<2x64xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %start = arith.muli %i, %c64 : index
    %is_low = arith.cmpi ult, %j, %c40 : index
    %v = scf.if %is_low -> f32 {
      %high = arith.addi %j, %c32 : index
      %at = arith.addi %start, %high : index
      %row = arith.divui %at, %c64 : index
      %column = arith.remui %at, %c64 : index
      %element = tensor.extract %x[%row, %column] : tensor<3x64xf32>
      scf.yield %element : f32
    } else {
      scf.yield %zero : f32
    }
    linalg.yield %v : f32
  } -> tensor<2x64xf32>
  return %y : tensor<2x64xf32>
}
