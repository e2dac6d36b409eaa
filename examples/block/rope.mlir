// Rotary embedding of up to 64 heads of 128 elements for each position, at the block phase: the two
// halves of a head are rotated by the position's angles.

#gl = #gpu.address_space<global>

!heads = memref<?x?x128xbf16, strided<[?, 128, 1], offset: ?>, #gl>
!table = memref<?x64xf32, #gl>
!half = vector<64x64xbf16>
!half32 = vector<64x64xf32>

gpu.module @attention {
  gpu.func @rope(
      %x: !heads {carousel.argument = #carousel.argument<"x", in>},
      %cos: !table {carousel.argument = #carousel.argument<"cos", in>},
      %sin: !table {carousel.argument = #carousel.argument<"sin", in>},
      %y: !heads {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)]>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0.0 : bf16
    %zero = arith.constant 0.0 : f32
    %s = gpu.block_id x
    %a16 = vector.transfer_read %x[%s, %c0, %c0], %pad : !heads, !half
    %b16 = vector.transfer_read %x[%s, %c0, %c64], %pad : !heads, !half
    %c = vector.transfer_read %cos[%s, %c0], %zero : !table, vector<64xf32>
    %d = vector.transfer_read %sin[%s, %c0], %zero : !table, vector<64xf32>
    %a = arith.extf %a16 : !half to !half32
    %b = arith.extf %b16 : !half to !half32
    %cs = vector.broadcast %c : vector<64xf32> to !half32
    %ds = vector.broadcast %d : vector<64xf32> to !half32
    %ac = arith.mulf %a, %cs : !half32
    %bd = arith.mulf %b, %ds : !half32
    %bc = arith.mulf %b, %cs : !half32
    %ad = arith.mulf %a, %ds : !half32
    %low = arith.subf %ac, %bd : !half32
    %high = arith.addf %bc, %ad : !half32
    %low16 = arith.truncf %low : !half32 to !half
    %high16 = arith.truncf %high : !half32 to !half
    vector.transfer_write %low16, %y[%s, %c0, %c0] : !half, !heads
    vector.transfer_write %high16, %y[%s, %c0, %c64] : !half, !heads
    gpu.return
  }
}
