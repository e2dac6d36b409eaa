// loss = log(sum(exp(x - max))) - (x[label] - max) for each row of a matrix: the log-softmax at a
// label, at the block phase.

#gl = #gpu.address_space<global>

!matrix = memref<?x?xbf16, strided<[?, 1], offset: ?>, #gl>
!row = vector<262144xbf16>
!row32 = vector<262144xf32>

gpu.module @rows {
  gpu.func @cross_entropy(
      %x: !matrix {carousel.argument = #carousel.argument<"x", in>},
      %label: memref<?xi64, #gl> {carousel.argument = #carousel.argument<"label", in>},
      %loss: memref<?xf32, #gl> {carousel.argument = #carousel.argument<"loss", out>})
      kernel attributes {
      carousel.block_program = #carousel.block_program<width = 262144, covers = extent(0, 1)>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)]>} {
    %c0 = arith.constant 0 : index
    %lowest = arith.constant 0xFF80 : bf16
    %lowest32 = arith.constant 0xFF800000 : f32
    %zero = arith.constant 0.0 : f32
    %row = gpu.block_id x
    %x16 = vector.transfer_read %x[%row, %c0], %lowest : !matrix, !row
    %x32 = arith.extf %x16 : !row to !row32
    %max = vector.multi_reduction <maxnumf>, %x32, %lowest32 [0] : !row32 to f32
    %maxes = vector.broadcast %max : f32 to !row32
    %d = arith.subf %x32, %maxes : !row32
    %p = math.exp %d fastmath<afn> : !row32
    %sum = vector.multi_reduction <add>, %p, %zero [0] : !row32 to f32
    %label64 = memref.load %label[%row] : memref<?xi64, #gl>
    %index = arith.index_cast %label64 : i64 to index
    %own16 = memref.load %x[%row, %index] : !matrix
    %own = arith.extf %own16 : bf16 to f32
    %at_label = arith.subf %own, %max : f32
    %log = math.log %sum : f32
    %result = arith.subf %log, %at_label : f32
    memref.store %result, %loss[%row] : memref<?xf32, #gl>
    gpu.return
  }
}
