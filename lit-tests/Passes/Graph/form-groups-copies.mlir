// An op that was copied for two users is one op again in their group, unless the users go along it in different orders.
// RUN: carousel-opt %s --carousel-form-groups | FileCheck %s --check-prefix=GROUPS
// RUN: carousel-opt %s --carousel-form-groups --carousel-schedule-groups --carousel-lower-groups -o /dev/null

#e = affine_map<(i, j) -> (i, j)>
#t = affine_map<(i, j) -> (j, i)>
#a = affine_map<(i, j, k) -> (i, k)>
#b = affine_map<(i, j, k) -> (k, j)>
#c = affine_map<(i, j, k) -> (i, j)>

// GROUPS-LABEL: func.func @turned()
// GROUPS-COUNT-4: linalg.index
// GROUPS: return
func.func @turned() -> tensor<9x9xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<9x9xi32>
  %f = tensor.empty() : tensor<9x9xf32>
  %rows = linalg.generic {indexing_maps = [#e], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<9x9xi32>) {
  ^bb0(%o: i32):
    %i = linalg.index 0 : index
    %r = arith.index_cast %i : index to i32
    linalg.yield %r : i32
  } -> tensor<9x9xi32>
  %columns = linalg.generic {indexing_maps = [#e], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<9x9xi32>) {
  ^bb0(%o: i32):
    %j = linalg.index 1 : index
    %r = arith.index_cast %j : index to i32
    linalg.yield %r : i32
  } -> tensor<9x9xi32>
  %start = linalg.fill ins(%zero : f32) outs(%f : tensor<9x9xf32>) -> tensor<9x9xf32>
  %sum = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%rows, %columns : tensor<9x9xi32>, tensor<9x9xi32>) outs(%start : tensor<9x9xf32>) {
  ^bb0(%p: i32, %q: i32, %o: f32):
    %same = arith.cmpi eq, %p, %q : i32
    %one = arith.uitofp %same : i1 to f32
    %r = arith.addf %o, %one : f32
    linalg.yield %r : f32
  } -> tensor<9x9xf32>
  %y = linalg.generic {indexing_maps = [#e, #e, #e, #e], iterator_types = ["parallel", "parallel"]} ins(%rows, %columns, %sum : tensor<9x9xi32>, tensor<9x9xi32>, tensor<9x9xf32>) outs(%f : tensor<9x9xf32>) {
  ^bb0(%p: i32, %q: i32, %s: f32, %o: f32):
    %d = arith.subi %p, %q : i32
    %n = arith.sitofp %d : i32 to f32
    %r = arith.mulf %s, %n : f32
    linalg.yield %r : f32
  } -> tensor<9x9xf32>
  return %y : tensor<9x9xf32>
}

// With the copies that it reads, the logarithm would be too much for each of two sums that are apart: it is computed once.
// GROUPS-LABEL: func.func @chain(
// GROUPS: math.log
// GROUPS-NOT: math.log
// GROUPS: return
func.func @chain(%x: tensor<64x64xf32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
  %zero = arith.constant 0.0 : f32
  %f = tensor.empty() : tensor<64x64xf32>
  %v = tensor.empty() : tensor<64xf32>
  %start = linalg.fill ins(%zero : f32) outs(%v : tensor<64xf32>) -> tensor<64xf32>
  %double = linalg.generic {indexing_maps = [#e, #e], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<64x64xf32>) outs(%f : tensor<64x64xf32>) {
  ^bb0(%p: f32, %o: f32):
    %r = arith.addf %p, %p : f32
    linalg.yield %r : f32
  } -> tensor<64x64xf32>
  %exp = linalg.generic {indexing_maps = [#e, #e], iterator_types = ["parallel", "parallel"]} ins(%double : tensor<64x64xf32>) outs(%f : tensor<64x64xf32>) {
  ^bb0(%p: f32, %o: f32):
    %r = math.exp %p : f32
    linalg.yield %r : f32
  } -> tensor<64x64xf32>
  %log = linalg.generic {indexing_maps = [#e, #e], iterator_types = ["parallel", "parallel"]} ins(%exp : tensor<64x64xf32>) outs(%f : tensor<64x64xf32>) {
  ^bb0(%p: f32, %o: f32):
    %r = math.log %p : f32
    linalg.yield %r : f32
  } -> tensor<64x64xf32>
  %a = linalg.generic {indexing_maps = [#t, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%double : tensor<64x64xf32>) outs(%start : tensor<64xf32>) {
  ^bb0(%p: f32, %o: f32):
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  %b = linalg.generic {indexing_maps = [#e, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%log : tensor<64x64xf32>) outs(%start : tensor<64xf32>) {
  ^bb0(%p: f32, %o: f32):
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  %c = linalg.generic {indexing_maps = [#t, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%log : tensor<64x64xf32>) outs(%start : tensor<64xf32>) {
  ^bb0(%p: f32, %o: f32):
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  return %a, %b, %c : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
}
