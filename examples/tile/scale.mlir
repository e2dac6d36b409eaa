// y = a * x for vectors of any length, at the tile phase: each tile is loaded, changed in place and
// stored, and the loop asks for a ring of four stages. README.md opens with this kernel.
//
//   carousel-sim scale.mlir --kernel @scale --reference @scale_reference --arg a=2.5 \
//     --arg x=random:9999 --arg y=like:x --schedules 4 --policy all

!vector = memref<?xf32, #gpu.address_space<global>>
!tile = memref<4096xf32, #gpu.address_space<workgroup>>

gpu.module @kernels {
  gpu.func @scale(%a: f32 {carousel.argument = #carousel.argument<"a", in>},
                  %x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<
        grid = [min(ceildiv(extent(1, 0), 4096), resident)], block = [256]>} {
    %c0 = arith.constant 0 : index
    %c256 = arith.constant 256 : index
    %c4096 = arith.constant 4096 : index
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %first = arith.muli %block, %c4096 : index
    %step = arith.muli %blocks, %c4096 : index
    %n = memref.dim %x, %c0 : !vector
    %tile = memref.alloc() : !tile
    scf.for %i = %first to %n step %step {
      carousel.load %x[%i] to %tile : !vector, !tile
      scf.for %j = %thread to %c4096 step %c256 {
        %v = memref.load %tile[%j] : !tile
        %w = arith.mulf %a, %v : f32
        memref.store %w, %tile[%j] : !tile
      }
      carousel.store %tile to %y[%i] : !tile, !vector
    } {carousel.pipeline = #carousel.pipeline<stages = 4>}
    gpu.return
  }
}

func.func @scale_reference(%a: f32, %x: memref<?xf32>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%i] : memref<?xf32>
    %w = arith.mulf %a, %v : f32
    memref.store %w, %y[%i] : memref<?xf32>
  }
  return
}
