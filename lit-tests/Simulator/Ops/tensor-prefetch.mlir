// tensor.prefetch: a hint that changes nothing, in every mode, also beyond the tensor.
// RUN: carousel-sim %s --kernel @k --chip sm_100a --arg x=iota:16x8 --arg image=iota:1x4x4x4 --arg y=empty:16x8 --expect y=iota:16x8 --schedules 8

#gl = #gpu.address_space<global>
!x = memref<16x8xf32, #gl>
!map = !carousel.tensor_map<8x8xf32>
!rows = !carousel.tensor_map<1x8xf32>
!image = !carousel.tensor_map<8x4xf32, mode = im2col, rank = 4, lower = [0, 0], upper = [-2, -2]>

gpu.module @m {
  gpu.func @k(%x: !x {carousel.argument = #carousel.argument<"x", in>},
              %img: memref<1x4x4x4xf32, #gl> {carousel.argument = #carousel.argument<"image", in>},
              %y: !x {carousel.argument = #carousel.argument<"y", out>},
              %map: !map {carousel.encode = #carousel.encode<argument = 0>},
              %rows: !rows {carousel.encode = #carousel.encode<argument = 0>},
              %image: !image {carousel.encode = #carousel.encode<argument = 1>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [8, 16]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %three = arith.constant 3 : i32
    %twelve = arith.constant 12 : i32
    %one = arith.constant 1 : i16
    %tx = gpu.thread_id x
    %ty = gpu.thread_id y
    %both = arith.addi %tx, %ty : index
    %first = arith.cmpi eq, %both, %c0 : index
    scf.if %first {
      %policy = carousel.cache_policy.fractional evict_last
      carousel.tensor.prefetch %map[%twelve, %zero] : !map
      carousel.tensor.prefetch %rows[%three, %zero, %twelve, %three, %zero] mode(gather4)
          cache %policy : !rows
      carousel.tensor.prefetch %image[%zero, %zero, %zero, %zero] mode(im2col)
          offsets [%one, %one] : !image
    }
    %v = memref.load %x[%ty, %tx] : !x
    memref.store %v, %y[%ty, %tx] : !x
    gpu.return
  }
}
