// GELU of a vector of any length, at the tile phase. Each CTA takes tiles of 4096 elements in turn.
// The transfers behave as if they were synchronous; the pipeline that the loop asks for overlaps
// them with the arithmetic. Only the transfers know where x and y end. Beyond the end, a load fills
// the tile with zeros, and a store writes nothing.
//
//   carousel-opt --pass-pipeline='builtin.module(gpu.module(carousel-verify-tile))' gelu.mlir
//   carousel-sim gelu.mlir --kernel @gelu --reference @gelu_reference --rtol 0.01 --atol 1e-6 \
//     --arg x=random:9999 --arg y=like:x --schedules 4 --policy all

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

gpu.module @gelu {
  gpu.func @gelu(
      %x: memref<?xbf16, #gl> {carousel.argument = #carousel.argument<"x", in>},
      %y: memref<?xbf16, #gl> {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<
        grid = [min(ceildiv(extent(0, 0), 4096), resident)], block = [256]>} {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c2048 = arith.constant 2048 : index
    %c4096 = arith.constant 4096 : index
    %half = arith.constant dense<0.5> : vector<8xf32>
    %one = arith.constant dense<1.0> : vector<8xf32>
    %rsqrt2 = arith.constant dense<0.707106769> : vector<8xf32>
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %first = arith.muli %block, %c4096 : index
    %step = arith.muli %blocks, %c4096 : index
    %n = memref.dim %x, %c0 : memref<?xbf16, #gl>
    %mine = arith.muli %thread, %c8 : index

    %in = memref.alloc() {alignment = 128 : i64} : memref<4096xbf16, #ws>
    %out = memref.alloc() {alignment = 128 : i64} : memref<4096xbf16, #ws>
    scf.for %i = %first to %n step %step {
      carousel.load %x[%i] to %in : memref<?xbf16, #gl>, memref<4096xbf16, #ws>
      // 256 threads of 8 elements, twice.
      scf.for %j = %mine to %c4096 step %c2048 {
        %b = vector.load %in[%j] {alignment = 16 : i64} : memref<4096xbf16, #ws>, vector<8xbf16>
        %v = arith.extf %b : vector<8xbf16> to vector<8xf32>
        %s = arith.mulf %v, %rsqrt2 : vector<8xf32>
        %e = math.erf %s : vector<8xf32>
        %p = arith.addf %e, %one : vector<8xf32>
        %h = arith.mulf %v, %half : vector<8xf32>
        %g = arith.mulf %h, %p : vector<8xf32>
        %r = arith.truncf %g : vector<8xf32> to vector<8xbf16>
        vector.store %r, %out[%j] {alignment = 16 : i64} : memref<4096xbf16, #ws>, vector<8xbf16>
      }
      carousel.store %out to %y[%i] : memref<4096xbf16, #ws>, memref<?xbf16, #gl>
    } {carousel.pipeline = #carousel.pipeline<stages = auto, mode = unified>}
    gpu.return
  }
}

// The same operations, an element at a time. Where the host and the kernel have another erf, they
// differ by one rounding to the 8 bits of bf16: a unit in the last place is 1/128 at most.
func.func @gelu_reference(%x: memref<?xbf16>, %y: memref<?xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %rsqrt2 = arith.constant 0.707106769 : f32
  %n = memref.dim %x, %c0 : memref<?xbf16>
  scf.for %i = %c0 to %n step %c1 {
    %b = memref.load %x[%i] : memref<?xbf16>
    %v = arith.extf %b : bf16 to f32
    %s = arith.mulf %v, %rsqrt2 : f32
    %e = math.erf %s : f32
    %p = arith.addf %e, %one : f32
    %h = arith.mulf %v, %half : f32
    %g = arith.mulf %h, %p : f32
    %r = arith.truncf %g : f32 to bf16
    memref.store %r, %y[%i] : memref<?xbf16>
  }
  return
}
