// A kernel is written of a group with schedules.
// RUN: carousel-opt %s --carousel-lower-groups --verify-diagnostics

#id = affine_map<(i) -> (i)>
func.func @unscheduled(%p: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{expected a group with schedules (--carousel-schedule-groups makes them), got none}}
  %y = carousel.group "k"(%p) {
  ^bb0(%x: tensor<8xf32>):
    %e = tensor.empty() : tensor<8xf32>
    %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8xf32>
    carousel.yield %r : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}
