// Describes the kernels of faults.cu that are launched after another one.
#gl = #gpu.address_space<global>
!tile = memref<128xf32, #gl>
gpu.module @faults {
  gpu.func @written(%x: !tile {carousel.argument = #carousel.argument<"x", in>},
                    %y: !tile {carousel.argument = #carousel.argument<"y", out>},
                    %wrong: i32 {carousel.argument = #carousel.argument<"wrong", in>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [128]>} { gpu.return }
  gpu.func @dependent_read(%y: !tile {carousel.argument = #carousel.argument<"y", in>},
                           %z: !tile {carousel.argument = #carousel.argument<"z", out>},
                           %wrong: i32 {carousel.argument = #carousel.argument<"wrong", in>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [128]>} { gpu.return }
  gpu.func @dependent_load(%y: !tile {carousel.argument = #carousel.argument<"y", in>},
                           %z: !tile {carousel.argument = #carousel.argument<"z", out>},
                           %wrong: i32 {carousel.argument = #carousel.argument<"wrong", in>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [128]>} { gpu.return }
}
