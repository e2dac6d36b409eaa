// A step of AdamW in place, at the block phase. scale1 and scale2 are 1 / (1 - beta^step).

#gl = #gpu.address_space<global>

!vector = memref<?xf32, #gl>
!part = vector<4096xf32>

gpu.module @optimizer {
  gpu.func @adamw(
      %p: !vector {carousel.argument = #carousel.argument<"p", inout>},
      %g: !vector {carousel.argument = #carousel.argument<"g", in>},
      %m: !vector {carousel.argument = #carousel.argument<"m", inout>},
      %v: !vector {carousel.argument = #carousel.argument<"v", inout>},
      %lr: f32 {carousel.argument = #carousel.argument<"lr", in>},
      %beta1: f32 {carousel.argument = #carousel.argument<"beta1", in>},
      %beta2: f32 {carousel.argument = #carousel.argument<"beta2", in>},
      %eps: f32 {carousel.argument = #carousel.argument<"eps", in>},
      %decay: f32 {carousel.argument = #carousel.argument<"decay", in>},
      %scale1: f32 {carousel.argument = #carousel.argument<"scale1", in>},
      %scale2: f32 {carousel.argument = #carousel.argument<"scale2", in>}) kernel attributes {
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
    %rest1 = arith.subf %one, %beta1 : f32
    %rest2 = arith.subf %one, %beta2 : f32
    %shrink = arith.mulf %lr, %decay : f32
    %keep = arith.subf %one, %shrink : f32
    %b1 = vector.broadcast %beta1 : f32 to !part
    %b2 = vector.broadcast %beta2 : f32 to !part
    %r1 = vector.broadcast %rest1 : f32 to !part
    %r2 = vector.broadcast %rest2 : f32 to !part
    %s1 = vector.broadcast %scale1 : f32 to !part
    %s2 = vector.broadcast %scale2 : f32 to !part
    %es = vector.broadcast %eps : f32 to !part
    %lrs = vector.broadcast %lr : f32 to !part
    %keeps = vector.broadcast %keep : f32 to !part
    %m1 = arith.mulf %ms, %b1 : !part
    %m2 = arith.mulf %gs, %r1 : !part
    %m3 = arith.addf %m1, %m2 : !part
    %v1 = arith.mulf %vs, %b2 : !part
    %g2 = arith.mulf %gs, %gs : !part
    %v2 = arith.mulf %g2, %r2 : !part
    %v3 = arith.addf %v1, %v2 : !part
    %mh = arith.mulf %m3, %s1 : !part
    %vh = arith.mulf %v3, %s2 : !part
    %root = math.sqrt %vh : !part
    %den = arith.addf %root, %es : !part
    %ratio = arith.divf %mh, %den : !part
    %step = arith.mulf %ratio, %lrs : !part
    %kept = arith.mulf %ps, %keeps : !part
    %p3 = arith.subf %kept, %step : !part
    vector.transfer_write %p3, %p[%i] : !part, !vector
    vector.transfer_write %m3, %m[%i] : !part, !vector
    vector.transfer_write %v3, %v[%i] : !part, !vector
    gpu.return
  }
}
