// How groups become kernels: schedules that a group has are kept, and those of its kernel's variants stand in the order in
// which a launch tries them.
// RUN: carousel-opt %s --carousel-schedule-groups | FileCheck %s
// RUN: carousel-opt %s --carousel-schedule-groups | carousel-opt --carousel-schedule-groups | FileCheck %s
// RUN: carousel-opt %s --carousel-schedule-groups --carousel-lower-groups | FileCheck %s --check-prefix=LOWER

#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// DOC-EXAMPLE: --carousel-schedule-groups
// CHECK-LABEL: func.func @rows
// CHECK: carousel.group "rows"
// CHECK-SAME: schedules = [#carousel.group_schedule<row, [<[0], grid, 1>, <[1], none, 1024>] covered = 1>]
// LOWER: gpu.func @rows(
// LOWER: vector.transfer_read {{.*}} vector<1024xf32>
func.func @rows(%p: tensor<?x768xf32>, %q: tensor<?xf32>) -> tensor<?xf32> {
  %y = carousel.group "rows"(%p, %q) {
  ^bb0(%x: tensor<?x768xf32>, %start: tensor<?xf32>):
    %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x768xf32>) outs(%start : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %r = arith.addf %out, %in : f32
      linalg.yield %r : f32
    } -> tensor<?xf32>
    carousel.yield %sum : tensor<?xf32>
  } : (tensor<?x768xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// CHECK-LABEL: func.func @known
// CHECK: carousel.group "known"
// CHECK-SAME: schedules = [#carousel.group_schedule<row, [<[0], grid, 1>, <[1], none, 2048>] covered = 1>]
// LOWER: gpu.func @known(
// LOWER: vector.transfer_read {{.*}} vector<2048xf32>
func.func @known(%p: tensor<?x768xf32>, %q: tensor<?xf32>) -> tensor<?xf32> {
  %y = carousel.group "known"(%p, %q) attributes {schedules = [#carousel.group_schedule<row, [<[0], grid, 1>, <[1], none, 2048>] covered = 1>]} {
  ^bb0(%x: tensor<?x768xf32>, %start: tensor<?xf32>):
    %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x768xf32>) outs(%start : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %r = arith.addf %out, %in : f32
      linalg.yield %r : f32
    } -> tensor<?xf32>
    carousel.yield %sum : tensor<?xf32>
  } : (tensor<?x768xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// CHECK-LABEL: func.func @columns
// CHECK: carousel.group "columns"
// CHECK-SAME: schedules = [#carousel.group_schedule<column, [<[0], loop, 128>, <[1], grid, 32>] division = <position = 0, {{.*}}>>, #carousel.group_schedule<column, [<[0], loop, 128>, <[1], grid, 32>]>]
// LOWER: gpu.func @columns_parts(
// LOWER: gpu.func @columns(
func.func @columns(%p: tensor<?x?xf32>, %q: tensor<?xf32>) -> tensor<?xf32> {
  %y = carousel.group "columns"(%p, %q) {
  ^bb0(%x: tensor<?x?xf32>, %start: tensor<?xf32>):
    %sum = linalg.generic {indexing_maps = [#all, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]} ins(%x : tensor<?x?xf32>) outs(%start : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %r = arith.addf %out, %in : f32
      linalg.yield %r : f32
    } -> tensor<?xf32>
    carousel.yield %sum : tensor<?xf32>
  } : (tensor<?x?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}
