// A group that is written by hand, with its schedule.
// RUN: carousel-opt %s --carousel-lower-groups | FileCheck %s

#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// DOC-EXAMPLE: --carousel-lower-groups
// CHECK-LABEL: gpu.func @known(
// CHECK: vector.transfer_read {{.*}} vector<2048xf32>
// CHECK: vector.multi_reduction <add>
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
