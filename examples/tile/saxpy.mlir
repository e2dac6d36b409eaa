// out = a * x + y for vectors of any length, at the tile phase. Two inputs go through one ring, and
// the output goes through another. Each element is one fused multiply-add, so a reference computes
// the same bits. Each of 256 threads takes 4 elements at a time, twice for a tile of 2048.
//
//   carousel-sim saxpy.mlir --kernel @saxpy --reference @saxpy_reference --arg a=2.5 \
//     --arg x=random:9999 --arg y=random:9999:1 --arg out=like:x --schedules 4 --policy all

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!vector = memref<?xf32, #gl>
!tile = memref<2048xf32, #ws>

gpu.module @saxpy {
  gpu.func @saxpy(
      %a: f32 {carousel.argument = #carousel.argument<"a", in>},
      %x: !vector {carousel.argument = #carousel.argument<"x", in>},
      %y: !vector {carousel.argument = #carousel.argument<"y", in>},
      %out: !vector {carousel.argument = #carousel.argument<"out", out>}) kernel
      attributes {carousel.launch = #carousel.launch<
        grid = [min(ceildiv(extent(1, 0), 2048), resident)], block = [256]>} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c1024 = arith.constant 1024 : index
    %c2048 = arith.constant 2048 : index
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %first = arith.muli %block, %c2048 : index
    %step = arith.muli %blocks, %c2048 : index
    %n = memref.dim %x, %c0 : !vector
    %mine = arith.muli %thread, %c4 : index
    %as = vector.broadcast %a : f32 to vector<4xf32>

    %xs = memref.alloc() {alignment = 128 : i64} : !tile
    %ys = memref.alloc() {alignment = 128 : i64} : !tile
    %outs = memref.alloc() {alignment = 128 : i64} : !tile
    scf.for %i = %first to %n step %step {
      carousel.load %x[%i] to %xs : !vector, !tile
      carousel.load %y[%i] to %ys : !vector, !tile
      scf.for %j = %mine to %c2048 step %c1024 {
        %xv = vector.load %xs[%j] {alignment = 16 : i64} : !tile, vector<4xf32>
        %yv = vector.load %ys[%j] {alignment = 16 : i64} : !tile, vector<4xf32>
        %v = math.fma %as, %xv, %yv : vector<4xf32>
        vector.store %v, %outs[%j] {alignment = 16 : i64} : !tile, vector<4xf32>
      }
      carousel.store %outs to %out[%i] : !tile, !vector
    } {carousel.pipeline = #carousel.pipeline<stages = auto>}
    gpu.return
  }
}

func.func @saxpy_reference(%a: f32, %x: memref<?xf32>, %y: memref<?xf32>, %out: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %xv = memref.load %x[%i] : memref<?xf32>
    %yv = memref.load %y[%i] : memref<?xf32>
    %v = math.fma %a, %xv, %yv : f32
    memref.store %v, %out[%i] : memref<?xf32>
  }
  return
}
