// out = activation(a * x + y) for vectors of any length, at the tile phase. The file only declares
// the activation. A user supplies it as CUDA C++ when the kernel is loaded, and needs no MLIR
// compiler for it. activation.cu is an example.
//
//   carousel-compile activation.mlir -o activation.pkg --chip sm_90a
//   carousel-run activation.pkg --link activation.cu --arg a=2 --arg x=random:9999 \
//     --arg y=random:9999:1 --arg out=like:x --out out=out.npy
//
// The product and the sum are rounded on their own, so that a reference gets the same bits whichever
// way the kernel is compiled.

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!vector = memref<?xf32, #gl>
!tile = memref<2048xf32, #ws>

gpu.module @activation {
  func.func private @activation(%x: f32) -> f32
  gpu.func @saxpy_activation(
      %a: f32 {carousel.argument = #carousel.argument<"a", in>},
      %x: !vector {carousel.argument = #carousel.argument<"x", in>},
      %y: !vector {carousel.argument = #carousel.argument<"y", in>},
      %out: !vector {carousel.argument = #carousel.argument<"out", out>}) kernel
      attributes {carousel.launch = #carousel.launch<
        grid = [min(ceildiv(extent(1, 0), 2048), resident)], block = [256]>} {
    %c0 = arith.constant 0 : index
    %c256 = arith.constant 256 : index
    %c2048 = arith.constant 2048 : index
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %first = arith.muli %block, %c2048 : index
    %step = arith.muli %blocks, %c2048 : index
    %n = memref.dim %x, %c0 : !vector
    %xs = memref.alloc() {alignment = 128 : i64} : !tile
    %ys = memref.alloc() {alignment = 128 : i64} : !tile
    %outs = memref.alloc() {alignment = 128 : i64} : !tile
    scf.for %i = %first to %n step %step {
      carousel.load %x[%i] to %xs : !vector, !tile
      carousel.load %y[%i] to %ys : !vector, !tile
      scf.for %j = %thread to %c2048 step %c256 {
        %xv = memref.load %xs[%j] : !tile
        %yv = memref.load %ys[%j] : !tile
        %p = arith.mulf %a, %xv : f32
        %s = arith.addf %p, %yv : f32
        %v = func.call @activation(%s) : (f32) -> f32
        memref.store %v, %outs[%j] : !tile
      }
      carousel.store %outs to %out[%i] : !tile, !vector
    } {carousel.pipeline = #carousel.pipeline<stages = auto>}
    gpu.return
  }
}

// What activation.cu computes, for carousel-sim and for the reference.
func.func private @leaky(%x: f32) -> f32 {
  %zero = arith.constant 0.0 : f32
  %slope = arith.constant 0.0625 : f32
  %negative = arith.cmpf olt, %x, %zero : f32
  %scaled = arith.mulf %x, %slope : f32
  %result = arith.select %negative, %scaled, %x : f32
  return %result : f32
}
func.func @saxpy_activation_reference(%a: f32, %x: memref<?xf32>, %y: memref<?xf32>,
                                      %out: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %xv = memref.load %x[%i] : memref<?xf32>
    %yv = memref.load %y[%i] : memref<?xf32>
    %p = arith.mulf %a, %xv : f32
    %s = arith.addf %p, %yv : f32
    %v = func.call @leaky(%s) : (f32) -> f32
    memref.store %v, %out[%i] : memref<?xf32>
  }
  return
}
