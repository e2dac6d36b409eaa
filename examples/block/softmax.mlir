#gl = #gpu.address_space<global>
!matrix = memref<?x?xbf16, strided<[?, 1], offset: ?>, #gl>

gpu.module @rows {
  gpu.func @softmax(%x: !matrix {carousel.argument = #carousel.argument<"x", in>},
                    %y: !matrix {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.block_program = #carousel.block_program<width = 4096, covers = extent(0, 1)>,
                  carousel.launch = #carousel.launch<grid = [extent(0, 0)], block = [256]>} {
    %c0 = arith.constant 0 : index
    %lowest = arith.constant 0xFF80 : bf16
    %lowest32 = arith.constant 0xFF800000 : f32
    %zero = arith.constant 0.0 : f32
    %row = gpu.block_id x
    %v = vector.transfer_read %x[%row, %c0], %lowest : !matrix, vector<4096xbf16>
    %e = arith.extf %v : vector<4096xbf16> to vector<4096xf32>
    %max = vector.multi_reduction <maxnumf>, %e, %lowest32 [0] : vector<4096xf32> to f32
    %maxes = vector.broadcast %max : f32 to vector<4096xf32>
    %d = arith.subf %e, %maxes : vector<4096xf32>
    %p = math.exp %d : vector<4096xf32>
    %sum = vector.multi_reduction <add>, %p, %zero [0] : vector<4096xf32> to f32
    %sums = vector.broadcast %sum : f32 to vector<4096xf32>
    %q = arith.divf %p, %sums : vector<4096xf32>
    %o = arith.truncf %q : vector<4096xf32> to vector<4096xbf16>
    vector.transfer_write %o, %y[%row, %c0] : vector<4096xbf16>, !matrix
    gpu.return
  }
}
