// Rows by their indices, at the block phase.
//
// - @gather_rows: y[i, :] = table[index[i], :].
// - @gather_pages: y[i, :] = pool[pages[i / page], i % page, :], where `page` is the extent of a
//   page.

#gl = #gpu.address_space<global>

!matrix = memref<?x?xbf16, strided<[?, 1], offset: ?>, #gl>
!pool = memref<?x?x?xbf16, strided<[?, ?, 1], offset: ?>, #gl>
!row = vector<262144xbf16>

gpu.module @gathers {
  gpu.func @gather_rows(
      %table: !matrix {carousel.argument = #carousel.argument<"table", in>},
      %index: memref<?xi64, #gl> {carousel.argument = #carousel.argument<"index", in>},
      %y: !matrix {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 262144, covers = extent(0, 1)>,
      carousel.launch = #carousel.launch<grid = [extent(1, 0)]>} {
    %c0 = arith.constant 0 : index
    %pad = arith.constant 0.0 : bf16
    %row = gpu.block_id x
    %i64 = memref.load %index[%row] : memref<?xi64, #gl>
    %i = arith.index_cast %i64 : i64 to index
    %v = vector.transfer_read %table[%i, %c0], %pad : !matrix, !row
    vector.transfer_write %v, %y[%row, %c0] : !row, !matrix
    gpu.return
  }

  gpu.func @gather_pages(
      %pool: !pool {carousel.argument = #carousel.argument<"pool", in>},
      %pages: memref<?xi64, #gl> {carousel.argument = #carousel.argument<"pages", in>},
      %y: !matrix {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 262144, covers = extent(0, 2)>,
      carousel.launch = #carousel.launch<grid = [extent(2, 0)]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %pad = arith.constant 0.0 : bf16
    %row = gpu.block_id x
    %page = memref.dim %pool, %c1 : !pool
    %number = arith.divui %row, %page : index
    %i = arith.remui %row, %page : index
    %own64 = memref.load %pages[%number] : memref<?xi64, #gl>
    %own = arith.index_cast %own64 : i64 to index
    %v = vector.transfer_read %pool[%own, %i, %c0], %pad : !pool, !row
    vector.transfer_write %v, %y[%row, %c0] : !row, !matrix
    gpu.return
  }
}

// An element at a time.
func.func @gather_rows_reference(%table: memref<?x?xbf16, strided<[?, 1], offset: ?>>, %index: memref<?xi64>,
                                 %y: memref<?x?xbf16, strided<[?, 1], offset: ?>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = memref.dim %y, %c0 : memref<?x?xbf16, strided<[?, 1], offset: ?>>
  %columns = memref.dim %y, %c1 : memref<?x?xbf16, strided<[?, 1], offset: ?>>
  scf.for %i = %c0 to %rows step %c1 {
    %own64 = memref.load %index[%i] : memref<?xi64>
    %own = arith.index_cast %own64 : i64 to index
    scf.for %j = %c0 to %columns step %c1 {
      %v = memref.load %table[%own, %j] : memref<?x?xbf16, strided<[?, 1], offset: ?>>
      memref.store %v, %y[%i, %j] : memref<?x?xbf16, strided<[?, 1], offset: ?>>
    }
  }
  return
}

func.func @gather_pages_reference(%pool: memref<?x?x?xbf16, strided<[?, ?, 1], offset: ?>>, %pages: memref<?xi64>,
                                  %y: memref<?x?xbf16, strided<[?, 1], offset: ?>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = memref.dim %y, %c0 : memref<?x?xbf16, strided<[?, 1], offset: ?>>
  %columns = memref.dim %y, %c1 : memref<?x?xbf16, strided<[?, 1], offset: ?>>
  %page = memref.dim %pool, %c1 : memref<?x?x?xbf16, strided<[?, ?, 1], offset: ?>>
  // Page by page, as the pages come.
  %number, %at = scf.for %i = %c0 to %rows step %c1 iter_args(%n = %c0, %r = %c0) -> (index, index) {
    %own64 = memref.load %pages[%n] : memref<?xi64>
    %own = arith.index_cast %own64 : i64 to index
    scf.for %j = %c0 to %columns step %c1 {
      %v = memref.load %pool[%own, %r, %j] : memref<?x?x?xbf16, strided<[?, ?, 1], offset: ?>>
      memref.store %v, %y[%i, %j] : memref<?x?xbf16, strided<[?, 1], offset: ?>>
    }
    %next = arith.addi %r, %c1 : index
    %full = arith.cmpi eq, %next, %page : index
    %next_number = arith.addi %n, %c1 : index
    %new_number = arith.select %full, %next_number, %n : index
    %new_row = arith.select %full, %c0, %next : index
    scf.yield %new_number, %new_row : index, index
  }
  return
}
