// Sums of rows and of columns in f32, of matrices of bf16 and f32, at the block phase.
//
// - @row_sum_16, @row_sum_32: a program has a row.
// - @column_sum_16, @column_sum_32: a program has 128 bytes of each row. It adds rows whose
//   numbers are equal modulo 128, in their order, and then these 128 sums.

#gl = #gpu.address_space<global>

!m16 = memref<?x?xbf16, strided<[?, 1], offset: ?>, #gl>
!m32 = memref<?x?xf32, strided<[?, 1], offset: ?>, #gl>
!sums = memref<?xf32, #gl>

gpu.module @sums {
  gpu.func @row_sum_16(
      %x: !m16 {carousel.argument = #carousel.argument<"x", in>},
      %y: !sums {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 262144, covers = extent(0, 1)>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)]>} {
    %c0 = arith.constant 0 : index
    %pad = arith.constant 0.0 : bf16
    %zero = arith.constant 0.0 : f32
    %row = gpu.block_id x
    %v = vector.transfer_read %x[%row, %c0], %pad : !m16, vector<262144xbf16>
    %e = arith.extf %v : vector<262144xbf16> to vector<262144xf32>
    %sum = vector.multi_reduction <add>, %e, %zero [0] : vector<262144xf32> to f32
    memref.store %sum, %y[%row] : !sums
    gpu.return
  }

  gpu.func @row_sum_32(
      %x: !m32 {carousel.argument = #carousel.argument<"x", in>},
      %y: !sums {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 262144, covers = extent(0, 1)>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)]>} {
    %c0 = arith.constant 0 : index
    %pad = arith.constant 0.0 : f32
    %row = gpu.block_id x
    %v = vector.transfer_read %x[%row, %c0], %pad : !m32, vector<262144xf32>
    %sum = vector.multi_reduction <add>, %v, %pad [0] : vector<262144xf32> to f32
    memref.store %sum, %y[%row] : !sums
    gpu.return
  }

  gpu.func @column_sum_16(
      %x: !m16 {carousel.argument = #carousel.argument<"x", in>},
      %y: !sums {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [ceildiv(extent(0, 1), 64)]>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %pad = arith.constant 0.0 : bf16
    %none = arith.constant dense<0.0> : vector<64xf32>
    %zeros = arith.constant dense<0.0> : vector<128x64xf32>
    %rows = memref.dim %x, %c0 : !m16
    %block = gpu.block_id x
    %j = arith.muli %block, %c64 : index
    %tiles = scf.for %i = %c0 to %rows step %c128 iter_args(%sum = %zeros) -> (vector<128x64xf32>) {
      %v = vector.transfer_read %x[%i, %j], %pad : !m16, vector<128x64xbf16>
      %e = arith.extf %v : vector<128x64xbf16> to vector<128x64xf32>
      %next = arith.addf %sum, %e : vector<128x64xf32>
      scf.yield %next : vector<128x64xf32>
    } {carousel.pipeline = #carousel.pipeline<stages = auto>}
    %sums = vector.multi_reduction <add>, %tiles, %none [0] : vector<128x64xf32> to vector<64xf32>
    vector.transfer_write %sums, %y[%j] : vector<64xf32>, !sums
    gpu.return
  }

  gpu.func @column_sum_32(
      %x: !m32 {carousel.argument = #carousel.argument<"x", in>},
      %y: !sums {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [ceildiv(extent(0, 1), 32)]>} {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %c128 = arith.constant 128 : index
    %pad = arith.constant 0.0 : f32
    %none = arith.constant dense<0.0> : vector<32xf32>
    %zeros = arith.constant dense<0.0> : vector<128x32xf32>
    %rows = memref.dim %x, %c0 : !m32
    %block = gpu.block_id x
    %j = arith.muli %block, %c32 : index
    %tiles = scf.for %i = %c0 to %rows step %c128 iter_args(%sum = %zeros) -> (vector<128x32xf32>) {
      %v = vector.transfer_read %x[%i, %j], %pad : !m32, vector<128x32xf32>
      %next = arith.addf %sum, %v : vector<128x32xf32>
      scf.yield %next : vector<128x32xf32>
    } {carousel.pipeline = #carousel.pipeline<stages = auto>}
    %sums = vector.multi_reduction <add>, %tiles, %none [0] : vector<128x32xf32> to vector<32xf32>
    vector.transfer_write %sums, %y[%j] : vector<32xf32>, !sums
    gpu.return
  }
}

// The same, an element at a time.
func.func @row_sum_16_reference(%x: memref<?x?xbf16, strided<[?, 1], offset: ?>>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %rows = memref.dim %x, %c0 : memref<?x?xbf16, strided<[?, 1], offset: ?>>
  %columns = memref.dim %x, %c1 : memref<?x?xbf16, strided<[?, 1], offset: ?>>
  scf.for %i = %c0 to %rows step %c1 {
    %sum = scf.for %j = %c0 to %columns step %c1 iter_args(%acc = %zero) -> (f32) {
      %v = memref.load %x[%i, %j] : memref<?x?xbf16, strided<[?, 1], offset: ?>>
      %e = arith.extf %v : bf16 to f32
      %next = arith.addf %acc, %e : f32
      scf.yield %next : f32
    }
    memref.store %sum, %y[%i] : memref<?xf32>
  }
  return
}

func.func @column_sum_16_reference(%x: memref<?x?xbf16, strided<[?, 1], offset: ?>>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %rows = memref.dim %x, %c0 : memref<?x?xbf16, strided<[?, 1], offset: ?>>
  %columns = memref.dim %x, %c1 : memref<?x?xbf16, strided<[?, 1], offset: ?>>
  scf.for %i = %c0 to %columns step %c1 {
    %sum = scf.for %j = %c0 to %rows step %c1 iter_args(%acc = %zero) -> (f32) {
      %v = memref.load %x[%j, %i] : memref<?x?xbf16, strided<[?, 1], offset: ?>>
      %e = arith.extf %v : bf16 to f32
      %next = arith.addf %acc, %e : f32
      scf.yield %next : f32
    }
    memref.store %sum, %y[%i] : memref<?xf32>
  }
  return
}

func.func @row_sum_32_reference(%x: memref<?x?xf32, strided<[?, 1], offset: ?>>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %rows = memref.dim %x, %c0 : memref<?x?xf32, strided<[?, 1], offset: ?>>
  %columns = memref.dim %x, %c1 : memref<?x?xf32, strided<[?, 1], offset: ?>>
  scf.for %i = %c0 to %rows step %c1 {
    %sum = scf.for %j = %c0 to %columns step %c1 iter_args(%acc = %zero) -> (f32) {
      %v = memref.load %x[%i, %j] : memref<?x?xf32, strided<[?, 1], offset: ?>>
      %next = arith.addf %acc, %v : f32
      scf.yield %next : f32
    }
    memref.store %sum, %y[%i] : memref<?xf32>
  }
  return
}

func.func @column_sum_32_reference(%x: memref<?x?xf32, strided<[?, 1], offset: ?>>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %rows = memref.dim %x, %c0 : memref<?x?xf32, strided<[?, 1], offset: ?>>
  %columns = memref.dim %x, %c1 : memref<?x?xf32, strided<[?, 1], offset: ?>>
  scf.for %i = %c0 to %columns step %c1 {
    %sum = scf.for %j = %c0 to %rows step %c1 iter_args(%acc = %zero) -> (f32) {
      %v = memref.load %x[%j, %i] : memref<?x?xf32, strided<[?, 1], offset: ?>>
      %next = arith.addf %acc, %v : f32
      scf.yield %next : f32
    }
    memref.store %sum, %y[%i] : memref<?xf32>
  }
  return
}
