// Functions and modules that ask for a record get one, also without an engine for remarks. Others get none.
// RUN: carousel-opt %s --pass-pipeline="builtin.module(carousel-form-groups,carousel-schedule-groups,carousel-lower-groups,carousel-lower-program,func.func(carousel-plan-workspace))" | FileCheck %s

// What a group is stands at its graph, and the schedules of all groups stand at the module.
// CHECK: module attributes {carousel.decisions = [
// CHECK-SAME: {function = "graph_0", is_warning = false, location = {{[^,]*}}, name = "Schedule", pass = "carousel-schedule-groups", text = "row, {{[^"]*}}"}
// CHECK-SAME: {function = "graph_1", is_warning = false, location = {{[^,]*}}, name = "Schedule", pass = "carousel-schedule-groups", text = "column, {{[^"]*}}"}
// CHECK: func.func @graph(
// CHECK-SAME: carousel.decisions = [
// CHECK-SAME: {facts = [{key = "Kernel", value = "graph_0"}, {key = "Family", value = "row"}, {key = "Ops", value = "{{[^"]*}}"}], function = "graph", is_warning = false, location = {{[^,]*}}, name = "Group", pass = "carousel-form-groups", text = "row of {{[^"]*}}"}
// CHECK-SAME: name = "Boundary", pass = "carousel-form-groups"
// CHECK-SAME: name = "Workspace", pass = "carousel-plan-workspace"
// CHECK-SAME: carousel.program
// CHECK: func.func @unasked({{.*}}) attributes {carousel.program} {
#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
module attributes {carousel.decisions = []} {
  func.func @graph(%x: tensor<64x512xf32>, %z: tensor<64xf32>, %c: tensor<512xf32>) -> tensor<512xf32>
      attributes {carousel.decisions = []} {
    %e = tensor.empty() : tensor<64x512xf32>
    %s = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<64x512xf32>) outs(%z : tensor<64xf32>) {
    ^bb0(%a: f32, %b: f32):
      %0 = arith.addf %a, %b : f32
      linalg.yield %0 : f32
    } -> tensor<64xf32>
    %d = linalg.generic {indexing_maps = [#all, #row, #column], iterator_types = ["reduction", "parallel"]}
        ins(%x, %s : tensor<64x512xf32>, tensor<64xf32>) outs(%c : tensor<512xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %0 = arith.divf %a, %b : f32
      %1 = arith.addf %o, %0 : f32
      linalg.yield %1 : f32
    } -> tensor<512xf32>
    return %d : tensor<512xf32>
  }
  func.func @unasked(%x: tensor<64xf32>) -> tensor<64xf32> {
    %e = tensor.empty() : tensor<64xf32>
    %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
        iterator_types = ["parallel"]} ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) {
    ^bb0(%a: f32, %b: f32):
      %0 = arith.negf %a : f32
      linalg.yield %0 : f32
    } -> tensor<64xf32>
    return %y : tensor<64xf32>
  }
}
