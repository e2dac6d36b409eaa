// The largest element of each row of a matrix and its index, at the block phase: of equal elements
// the first one's. A NaN is the largest. Rows have less than 2^31 elements.

#gl = #gpu.address_space<global>

!matrix = memref<?x?xbf16, strided<[?, 1], offset: ?>, #gl>
!row = vector<262144xbf16>
!row32 = vector<262144xf32>
!numbers = vector<262144xi32>
!mask = vector<262144xi1>

gpu.module @rows {
  gpu.func @argmax(
      %x: !matrix {carousel.argument = #carousel.argument<"x", in>},
      %value: memref<?xbf16, #gl> {carousel.argument = #carousel.argument<"value", out>},
      %index: memref<?xi64, #gl> {carousel.argument = #carousel.argument<"index", out>})
      kernel attributes {
      carousel.block_program = #carousel.block_program<width = 262144, covers = extent(0, 1)>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)]>} {
    %c0 = arith.constant 0 : index
    %lowest = arith.constant 0xFF80 : bf16
    %lowest32 = arith.constant 0xFF800000 : f32
    %last = arith.constant 0x7FFFFFFF : i32
    %row = gpu.block_id x
    %v = vector.transfer_read %x[%row, %c0], %lowest : !matrix, !row
    %e = arith.extf %v : !row to !row32
    %max = vector.multi_reduction <maximumf>, %e, %lowest32 [0] : !row32 to f32
    %maxes = vector.broadcast %max : f32 to !row32
    %equal = arith.cmpf oeq, %e, %maxes : !row32
    %nan = arith.cmpf uno, %e, %e : !row32
    %found = arith.ori %equal, %nan : !mask
    %steps = vector.step : vector<262144xindex>
    %numbers = arith.index_cast %steps : vector<262144xindex> to !numbers
    %lasts = vector.broadcast %last : i32 to !numbers
    %own = arith.select %found, %numbers, %lasts : !mask, !numbers
    %first = vector.multi_reduction <minsi>, %own, %last [0] : !numbers to i32
    %first64 = arith.extsi %first : i32 to i64
    %max16 = arith.truncf %max : f32 to bf16
    memref.store %max16, %value[%row] : memref<?xbf16, #gl>
    memref.store %first64, %index[%row] : memref<?xi64, #gl>
    gpu.return
  }
}

// An element at a time, from left to right.
func.func @argmax_reference(%x: memref<?x?xbf16, strided<[?, 1], offset: ?>>, %value: memref<?xbf16>,
                            %index: memref<?xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = memref.dim %x, %c0 : memref<?x?xbf16, strided<[?, 1], offset: ?>>
  %columns = memref.dim %x, %c1 : memref<?x?xbf16, strided<[?, 1], offset: ?>>
  scf.for %i = %c0 to %rows step %c1 {
    %first = memref.load %x[%i, %c0] : memref<?x?xbf16, strided<[?, 1], offset: ?>>
    %max, %at = scf.for %j = %c1 to %columns step %c1 iter_args(%m = %first, %n = %c0) -> (bf16, index) {
      %v = memref.load %x[%i, %j] : memref<?x?xbf16, strided<[?, 1], offset: ?>>
      %greater = arith.cmpf ugt, %v, %m : bf16
      %number = arith.cmpf ord, %m, %m : bf16
      %takes = arith.andi %greater, %number : i1
      %larger = arith.select %takes, %v, %m : bf16
      %place = arith.select %takes, %j, %n : index
      scf.yield %larger, %place : bf16, index
    }
    %at64 = arith.index_cast %at : index to i64
    memref.store %max, %value[%i] : memref<?xbf16>
    memref.store %at64, %index[%i] : memref<?xi64>
  }
  return
}
