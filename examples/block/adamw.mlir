// A step of AdamW in place, at the block phase. scale1 and scale2 are 1 / (1 - beta^step).

#gl = #gpu.address_space<global>
#p = #carousel.argument<"p", inout>
#g = #carousel.argument<"g", in>
#m = #carousel.argument<"m", inout>
#v = #carousel.argument<"v", inout>
#lr = #carousel.argument<"lr", in>
#beta1 = #carousel.argument<"beta1", in>
#beta2 = #carousel.argument<"beta2", in>
#eps = #carousel.argument<"eps", in>
#decay = #carousel.argument<"decay", in>
#scale1 = #carousel.argument<"scale1", in>
#scale2 = #carousel.argument<"scale2", in>

!vector = memref<?xf32, #gl>
!part = vector<4096xf32>

gpu.module @optimizer {
  func.func private @scale(%values: !part, %factor: f32) -> !part {
    %factors = vector.broadcast %factor : f32 to !part
    %r = arith.mulf %values, %factors : !part
    return %r : !part
  }

  // beta * average + (1 - beta) * next
  func.func private @blend(%average: !part, %next: !part, %beta: f32) -> !part {
    %one = arith.constant 1.0 : f32
    %rest = arith.subf %one, %beta : f32
    %kept = func.call @scale(%average, %beta) : (!part, f32) -> !part
    %added = func.call @scale(%next, %rest) : (!part, f32) -> !part
    %r = arith.addf %kept, %added : !part
    return %r : !part
  }

  // v / (sqrt(w) + epsilon)
  func.func private @over_root(%v: !part, %w: !part, %epsilon: f32) -> !part {
    %root = math.sqrt %w : !part
    %epsilons = vector.broadcast %epsilon : f32 to !part
    %sum = arith.addf %root, %epsilons : !part
    %r = arith.divf %v, %sum : !part
    return %r : !part
  }

  gpu.func @adamw(
      %p: !vector {carousel.argument = #p}, %g: !vector {carousel.argument = #g},
      %m: !vector {carousel.argument = #m}, %v: !vector {carousel.argument = #v},
      %lr: f32 {carousel.argument = #lr}, %beta1: f32 {carousel.argument = #beta1},
      %beta2: f32 {carousel.argument = #beta2}, %eps: f32 {carousel.argument = #eps},
      %decay: f32 {carousel.argument = #decay}, %scale1: f32 {carousel.argument = #scale1},
      %scale2: f32 {carousel.argument = #scale2}) kernel attributes {
      carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [ceildiv(extent(0, 0), 4096)]>} {
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %size = arith.constant 4096 : index
    %block = gpu.block_id x
    %i = arith.muli %block, %size : index
    %ps = vector.transfer_read %p[%i], %zero : !vector, !part
    %gs = vector.transfer_read %g[%i], %zero : !vector, !part
    %ms = vector.transfer_read %m[%i], %zero : !vector, !part
    %vs = vector.transfer_read %v[%i], %zero : !vector, !part
    %m1 = func.call @blend(%ms, %gs, %beta1) : (!part, !part, f32) -> !part
    %squares = arith.mulf %gs, %gs : !part
    %v1 = func.call @blend(%vs, %squares, %beta2) : (!part, !part, f32) -> !part
    %mh = func.call @scale(%m1, %scale1) : (!part, f32) -> !part
    %vh = func.call @scale(%v1, %scale2) : (!part, f32) -> !part
    %ratio = func.call @over_root(%mh, %vh, %eps) : (!part, !part, f32) -> !part
    %step = func.call @scale(%ratio, %lr) : (!part, f32) -> !part
    %shrink = arith.mulf %lr, %decay : f32
    %keep = arith.subf %one, %shrink : f32
    %kept = func.call @scale(%ps, %keep) : (!part, f32) -> !part
    %p1 = arith.subf %kept, %step : !part
    vector.transfer_write %p1, %p[%i] : !part, !vector
    vector.transfer_write %m1, %m[%i] : !part, !vector
    vector.transfer_write %v1, %v[%i] : !part, !vector
    gpu.return
  }
}
