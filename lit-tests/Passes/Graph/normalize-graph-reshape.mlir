// Reshapes whose extents aren't known to fit are checked by the program.
// RUN: carousel-opt %s --carousel-normalize-graph | FileCheck %s
// RUN: carousel-opt %s --carousel-normalize-graph --remarks-filter=carousel-normalize-graph -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// CHECK-LABEL: func.func @unknown
// CHECK: %[[EQUAL:.*]] = arith.cmpi eq
// CHECK: cf.assert %[[EQUAL]], "expected the result of a reshape to have as many elements as its operand"
// CHECK: linalg.generic
// CHECK: tensor.extract
func.func @unknown(%x: tensor<?x?xf32>, %n: index) -> tensor<?x?xf32> {
  %c4 = arith.constant 4 : index
  %shape = tensor.from_elements %c4, %n : tensor<2xindex>
  %y = tensor.reshape %x(%shape) : (tensor<?x?xf32>, tensor<2xindex>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// CHECK-LABEL: func.func @known
// CHECK-NOT: cf.assert
// CHECK: tensor.collapse_shape
func.func @known(%x: tensor<?x4x8xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %m = tensor.dim %x, %c0 : tensor<?x4x8xf32>
  %rows = arith.muli %m, %c4 : index
  %shape = tensor.from_elements %rows, %c8 : tensor<2xindex>
  %y = tensor.reshape %x(%shape) : (tensor<?x4x8xf32>, tensor<2xindex>) -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// CHECK-LABEL: func.func @scalar
// CHECK-NOT: cf.assert
// CHECK-NOT: tensor.reshape
// CHECK: return
func.func @scalar(%x: tensor<1x1xf32>) -> tensor<f32> {
  %shape = tensor.from_elements : tensor<0xi64>
  %y = tensor.reshape %x(%shape) : (tensor<1x1xf32>, tensor<0xi64>) -> tensor<f32>
  return %y : tensor<f32>
}

// PyTorch computes the extent that is -1 from all others: what they have in common cancels. The broadcast along the
// tensor's own extents is none.
// CHECK-LABEL: func.func @inferred
// CHECK-NOT: linalg.generic
// CHECK-NOT: tensor.reshape
// CHECK: %[[Y:.*]] = tensor.collapse_shape %arg0 {{\[\[}}0, 1], [2], [3]] : tensor<?x4x?x16xf32> into tensor<?x?x16xf32>
// CHECK-NEXT: return %[[Y]]
func.func @inferred(%x: tensor<?x4x?x16xf32>) -> tensor<?x?x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %four = arith.constant 4 : i64
  %sixteen = arith.constant 16 : i64
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %b = tensor.dim %x, %c0 : tensor<?x4x?x16xf32>
  %s = tensor.dim %x, %c2 : tensor<?x4x?x16xf32>
  %e = tensor.empty(%b, %s) : tensor<?x4x?x16xf32>
  %wide = linalg.generic {indexing_maps = [affine_map<(i, j, k, l) -> (i, j, k, l)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%e : tensor<?x4x?x16xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = linalg.index 2 : index
    %l = linalg.index 3 : index
    %one_b = arith.cmpi eq, %b, %c1 : index
    %row = arith.select %one_b, %c0, %i : index
    %one_s = arith.cmpi eq, %s, %c1 : index
    %place = arith.select %one_s, %c0, %k : index
    %element = tensor.extract %x[%row, %j, %place, %l] : tensor<?x4x?x16xf32>
    linalg.yield %element : f32
  } -> tensor<?x4x?x16xf32>
  %batch = arith.index_cast %b : index to i64
  %length = arith.index_cast %s : index to i64
  %rows = arith.muli %batch, %four : i64
  %negative = arith.cmpi slt, %length, %zero : i64
  %known = arith.muli %length, %sixteen : i64
  %others = arith.select %negative, %one, %known : i64
  %some = arith.muli %rows, %length : i64
  %all = arith.muli %some, %sixteen : i64
  %inferred = arith.divsi %all, %others : i64
  %shape = tensor.from_elements %inferred, %length, %sixteen : tensor<3xi64>
  %y = tensor.reshape %wide(%shape) : (tensor<?x4x?x16xf32>, tensor<3xi64>) -> tensor<?x?x16xf32>
  return %y : tensor<?x?x16xf32>
}

// PyTorch broadcasts an operand along another one's extent, which the graph says is the same. Without that, the operand may
// have one row.
// REMARK-NOT: Function=asserted
// REMARK: Broadcast {{.*}}Function=broadcast {{.*}}elements are read one by one, since dimension 0 of arg1 may be 1
// CHECK-LABEL: func.func @asserted
// CHECK-NOT: tensor.extract
// CHECK: math.exp
// CHECK-LABEL: func.func @broadcast
// CHECK: tensor.extract
func.func @asserted(%x: tensor<?x16xf32>, %y: tensor<?x16xf32>) -> tensor<?x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x16xf32>
  %own = tensor.dim %y, %c0 : tensor<?x16xf32>
  %a = arith.index_cast %n : index to i64
  %b = arith.index_cast %own : index to i64
  %same = arith.cmpi eq, %a, %b : i64
  cf.assert %same, "expected equal extents"
  %e = tensor.empty(%n) : tensor<?x16xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<?x16xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %one = arith.cmpi eq, %own, %c1 : index
    %row = arith.select %one, %c0, %i : index
    %element = tensor.extract %y[%row, %j] : tensor<?x16xf32>
    %s = math.exp %element : f32
    linalg.yield %s : f32
  } -> tensor<?x16xf32>
  return %r : tensor<?x16xf32>
}
func.func @broadcast(%x: tensor<?x16xf32>, %y: tensor<?x16xf32>) -> tensor<?x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x16xf32>
  %own = tensor.dim %y, %c0 : tensor<?x16xf32>
  %e = tensor.empty(%n) : tensor<?x16xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<?x16xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %one = arith.cmpi eq, %own, %c1 : index
    %row = arith.select %one, %c0, %i : index
    %element = tensor.extract %y[%row, %j] : tensor<?x16xf32>
    %s = math.exp %element : f32
    linalg.yield %s : f32
  } -> tensor<?x16xf32>
  return %r : tensor<?x16xf32>
}

// ONNX gathers extents from a tensor, and makes another one of them. What is returned of it is written by a kernel that
// takes the numbers.
// CHECK-LABEL: func.func @shape_tensors
// CHECK-SAME: %[[X:.*]]: tensor<?x?x64xf32>
// CHECK-NOT: tensor.reshape
// CHECK: %[[B:.*]] = tensor.dim %[[X]], %c0
// CHECK: linalg.generic {{.*}} outs({{.*}} : tensor<3xi64>)
// CHECK: linalg.index 0
// CHECK-COUNT-2: arith.select
// CHECK: tensor.expand_shape %[[X]] {{\[\[}}0], [1], [2, 3]] output_shape [%[[B]], %{{.*}}, 4, 16]
// CHECK-NOT: linalg
// CHECK: return
func.func @shape_tensors(%x: tensor<?x?x64xf32>) -> (tensor<?x?x4x16xf32>, tensor<3xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0 : i64
  %last = arith.constant 64 : i64
  %twos = arith.constant dense<2> : tensor<3xi64>
  %at = arith.constant dense<1> : tensor<1xi64>
  %heads = arith.constant dense<[4, 16]> : tensor<2xi64>
  %b = tensor.dim %x, %c0 : tensor<?x?x64xf32>
  %s = tensor.dim %x, %c1 : tensor<?x?x64xf32>
  %batch = arith.index_cast %b : index to i64
  %length = arith.index_cast %s : index to i64
  %extents = tensor.from_elements %batch, %length, %last : tensor<3xi64>
  %e = tensor.empty() : tensor<3xi64>
  %double = linalg.mul ins(%extents, %twos : tensor<3xi64>, tensor<3xi64>) outs(%e : tensor<3xi64>) -> tensor<3xi64>
  %single = linalg.div ins(%double, %twos : tensor<3xi64>, tensor<3xi64>) outs(%e : tensor<3xi64>) -> tensor<3xi64>
  %first = tensor.extract_slice %single[0] [1] [1] : tensor<3xi64> to tensor<1xi64>
  %f = tensor.empty() : tensor<1xi64>
  %second = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%at : tensor<1xi64>) outs(%f : tensor<1xi64>) {
  ^bb0(%n: i64, %out: i64):
    %i = arith.index_cast %n : i64 to index
    %element = tensor.extract %single[%i] : tensor<3xi64>
    linalg.yield %element : i64
  } -> tensor<1xi64>
  %shape = tensor.concat dim(0) %first, %second, %heads : (tensor<1xi64>, tensor<1xi64>, tensor<2xi64>) -> tensor<4xi64>
  // An extent of 0 stands for the operand's.
  %given = tensor.extract %shape[%c0] : tensor<4xi64>
  %isZero = arith.cmpi eq, %given, %zero : i64
  %scalar = tensor.empty() : tensor<i64>
  %filled = linalg.fill ins(%batch : i64) outs(%scalar : tensor<i64>) -> tensor<i64>
  %own = tensor.extract %filled[] : tensor<i64>
  %rows = arith.select %isZero, %own, %given : i64
  %i1 = tensor.extract %shape[%c1] : tensor<4xi64>
  %i2 = tensor.extract %shape[%c2] : tensor<4xi64>
  %c3 = arith.constant 3 : index
  %i3 = tensor.extract %shape[%c3] : tensor<4xi64>
  %to = tensor.from_elements %rows, %i1, %i2, %i3 : tensor<4xi64>
  %y = tensor.reshape %x(%to) : (tensor<?x?x64xf32>, tensor<4xi64>) -> tensor<?x?x4x16xf32>
  return %y, %extents : tensor<?x?x4x16xf32>, tensor<3xi64>
}

// Channels, rows and columns become groups of elements, and then channels again: both ways divide the channels, so that
// no reshape is between the two ops.
// CHECK-LABEL: func.func @regrouped
// CHECK: tensor.expand_shape %{{.*}} {{\[\[}}0], [1, 2], [3], [4]] output_shape [2, 4, 8, 3, 5] : tensor<2x32x3x5xf32> into tensor<2x4x8x3x5xf32>
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction", "reduction", "reduction"]
// CHECK-NOT: tensor.collapse_shape
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]
// CHECK: tensor.collapse_shape %{{.*}} {{\[\[}}0], [1, 2], [3], [4]]
// CHECK-NEXT: return
func.func @regrouped(%x: tensor<2x32x3x5xf32>, %scale: tensor<32xf32>) -> tensor<2x32x3x5xf32> {
  %zero = arith.constant 0.0 : f32
  %flat = tensor.collapse_shape %x [[0], [1, 2, 3]] : tensor<2x32x3x5xf32> into tensor<2x480xf32>
  %groups = tensor.expand_shape %flat [[0], [1, 2]] output_shape [2, 4, 120] : tensor<2x480xf32> into tensor<2x4x120xf32>
  %e = tensor.empty() : tensor<2x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x4xf32>) -> tensor<2x4xf32>
  %sums = linalg.generic {indexing_maps = [affine_map<(n, g, m) -> (n, g, m)>, affine_map<(n, g, m) -> (n, g)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%groups : tensor<2x4x120xf32>) outs(%f : tensor<2x4xf32>) {
  ^bb0(%v: f32, %a: f32):
    %s = arith.addf %a, %v : f32
    linalg.yield %s : f32
  } -> tensor<2x4xf32>
  %h = tensor.empty() : tensor<2x4x120xf32>
  %shifted = linalg.generic {indexing_maps = [affine_map<(n, g, m) -> (n, g, m)>, affine_map<(n, g, m) -> (n, g)>, affine_map<(n, g, m) -> (n, g, m)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%groups, %sums : tensor<2x4x120xf32>, tensor<2x4xf32>) outs(%h : tensor<2x4x120xf32>) {
  ^bb0(%v: f32, %m: f32, %o: f32):
    %d = arith.subf %v, %m : f32
    linalg.yield %d : f32
  } -> tensor<2x4x120xf32>
  %again = tensor.collapse_shape %shifted [[0], [1, 2]] : tensor<2x4x120xf32> into tensor<2x480xf32>
  %channels = tensor.expand_shape %again [[0], [1, 2, 3]] output_shape [2, 32, 3, 5] : tensor<2x480xf32> into tensor<2x32x3x5xf32>
  %k = tensor.empty() : tensor<2x32x3x5xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(n, c, h, w) -> (n, c, h, w)>, affine_map<(n, c, h, w) -> (c)>, affine_map<(n, c, h, w) -> (n, c, h, w)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%channels, %scale : tensor<2x32x3x5xf32>, tensor<32xf32>) outs(%k : tensor<2x32x3x5xf32>) {
  ^bb0(%v: f32, %s: f32, %o: f32):
    %r = arith.mulf %v, %s : f32
    linalg.yield %r : f32
  } -> tensor<2x32x3x5xf32>
  return %y : tensor<2x32x3x5xf32>
}

// Unknown extents that are joined and divided again, as they were.
// CHECK-LABEL: func.func @again
// CHECK-SAME: (%[[X:.*]]: tensor<?x?x16xf32>)
// CHECK-NOT: tensor.expand_shape
// CHECK: linalg.generic {{.*}} ins(%[[X]] : tensor<?x?x16xf32>)
func.func @again(%x: tensor<?x?x16xf32>) -> tensor<?x?x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tensor.dim %x, %c0 : tensor<?x?x16xf32>
  %s = tensor.dim %x, %c1 : tensor<?x?x16xf32>
  %c = tensor.collapse_shape %x [[0, 1], [2]] : tensor<?x?x16xf32> into tensor<?x16xf32>
  %n = tensor.dim %c, %c0 : tensor<?x16xf32>
  %e = tensor.empty(%n) : tensor<?x16xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%c : tensor<?x16xf32>) outs(%e : tensor<?x16xf32>) {
  ^bb0(%a: f32, %o: f32):
    %y = arith.negf %a : f32
    linalg.yield %y : f32
  } -> tensor<?x16xf32>
  %z = tensor.expand_shape %r [[0, 1], [2]] output_shape [%b, %s, 16] : tensor<?x16xf32> into tensor<?x?x16xf32>
  return %z : tensor<?x?x16xf32>
}

// The same in another way, perhaps: the patterns end.
// CHECK-LABEL: func.func @perhaps
// CHECK: tensor.expand_shape
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<?x?x16xf32>)
func.func @perhaps(%x: tensor<?x?x16xf32>, %s: index, %b: index) -> tensor<?x?x16xf32> {
  %c0 = arith.constant 0 : index
  %c = tensor.collapse_shape %x [[0, 1], [2]] : tensor<?x?x16xf32> into tensor<?x16xf32>
  %n = tensor.dim %c, %c0 : tensor<?x16xf32>
  %e = tensor.empty(%n) : tensor<?x16xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%c : tensor<?x16xf32>) outs(%e : tensor<?x16xf32>) {
  ^bb0(%a: f32, %o: f32):
    %y = arith.negf %a : f32
    linalg.yield %y : f32
  } -> tensor<?x16xf32>
  %z = tensor.expand_shape %r [[0, 1], [2]] output_shape [%b, %s, 16] : tensor<?x16xf32> into tensor<?x?x16xf32>
  return %z : tensor<?x?x16xf32>
}
