#gl = #gpu.address_space<global>
!matrix = memref<?x?xbf16, strided<[?, 1], offset: ?>, #gl>

gpu.module @rows {
  gpu.func @softmax(%x: !matrix {carousel.argument = #carousel.argument<"x", in>},
                    %y: !matrix {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {
      carousel.block_program = #carousel.block_program<width = 262144, covers = extent(0, 1)>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)]>} {
    %c0 = arith.constant 0 : index
    %lowest = arith.constant 0xFF80 : bf16
    %lowest32 = arith.constant 0xFF800000 : f32
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %row = gpu.block_id x
    %v = vector.transfer_read %x[%row, %c0], %lowest : !matrix, vector<262144xbf16>
    %e = arith.extf %v : vector<262144xbf16> to vector<262144xf32>
    %max = vector.multi_reduction <maxnumf>, %e, %lowest32 [0] : vector<262144xf32> to f32
    %maxes = vector.broadcast %max : f32 to vector<262144xf32>
    %d = arith.subf %e, %maxes : vector<262144xf32>
    %p = math.exp %d fastmath<afn> : vector<262144xf32>
    %sum = vector.multi_reduction <add>, %p, %zero [0] : vector<262144xf32> to f32
    %inverse = arith.divf %one, %sum : f32
    %inverses = vector.broadcast %inverse : f32 to vector<262144xf32>
    %q = arith.mulf %p, %inverses : vector<262144xf32>
    %o = arith.truncf %q : vector<262144xf32> to vector<262144xbf16>
    vector.transfer_write %o, %y[%row, %c0] : vector<262144xbf16>, !matrix
    gpu.return
  }

  gpu.func @log_softmax(%x: !matrix {carousel.argument = #carousel.argument<"x", in>},
                        %y: !matrix {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {
      carousel.block_program = #carousel.block_program<width = 262144, covers = extent(0, 1)>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)]>} {
    %c0 = arith.constant 0 : index
    %lowest = arith.constant 0xFF80 : bf16
    %lowest32 = arith.constant 0xFF800000 : f32
    %zero = arith.constant 0.0 : f32
    %row = gpu.block_id x
    %v = vector.transfer_read %x[%row, %c0], %lowest : !matrix, vector<262144xbf16>
    %e = arith.extf %v : vector<262144xbf16> to vector<262144xf32>
    %max = vector.multi_reduction <maxnumf>, %e, %lowest32 [0] : vector<262144xf32> to f32
    %maxes = vector.broadcast %max : f32 to vector<262144xf32>
    %d = arith.subf %e, %maxes : vector<262144xf32>
    %p = math.exp %d fastmath<afn> : vector<262144xf32>
    %sum = vector.multi_reduction <add>, %p, %zero [0] : vector<262144xf32> to f32
    %log = math.log %sum : f32
    %logs = vector.broadcast %log : f32 to vector<262144xf32>
    %q = arith.subf %d, %logs : vector<262144xf32>
    %o = arith.truncf %q : vector<262144xf32> to vector<262144xbf16>
    vector.transfer_write %o, %y[%row, %c0] : vector<262144xbf16>, !matrix
    gpu.return
  }
}

// The same operations, an element at a time, from left to right.
func.func @softmax_reference(%x: memref<?x?xbf16, strided<[?, 1], offset: ?>>,
                             %y: memref<?x?xbf16, strided<[?, 1], offset: ?>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %lowest = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %rows = memref.dim %x, %c0 : memref<?x?xbf16, strided<[?, 1], offset: ?>>
  %columns = memref.dim %x, %c1 : memref<?x?xbf16, strided<[?, 1], offset: ?>>
  scf.for %i = %c0 to %rows step %c1 {
    %max = scf.for %j = %c0 to %columns step %c1 iter_args(%m = %lowest) -> (f32) {
      %v = memref.load %x[%i, %j] : memref<?x?xbf16, strided<[?, 1], offset: ?>>
      %e = arith.extf %v : bf16 to f32
      %next = arith.maxnumf %m, %e : f32
      scf.yield %next : f32
    }
    %sum = scf.for %j = %c0 to %columns step %c1 iter_args(%s = %zero) -> (f32) {
      %v = memref.load %x[%i, %j] : memref<?x?xbf16, strided<[?, 1], offset: ?>>
      %e = arith.extf %v : bf16 to f32
      %d = arith.subf %e, %max : f32
      %p = math.exp %d : f32
      %next = arith.addf %s, %p : f32
      scf.yield %next : f32
    }
    scf.for %j = %c0 to %columns step %c1 {
      %v = memref.load %x[%i, %j] : memref<?x?xbf16, strided<[?, 1], offset: ?>>
      %e = arith.extf %v : bf16 to f32
      %d = arith.subf %e, %max : f32
      %p = math.exp %d : f32
      %q = arith.divf %p, %sum : f32
      %o = arith.truncf %q : f32 to bf16
      memref.store %o, %y[%i, %j] : memref<?x?xbf16, strided<[?, 1], offset: ?>>
    }
  }
  return
}

func.func @log_softmax_reference(%x: memref<?x?xbf16, strided<[?, 1], offset: ?>>,
                                 %y: memref<?x?xbf16, strided<[?, 1], offset: ?>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %lowest = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %rows = memref.dim %x, %c0 : memref<?x?xbf16, strided<[?, 1], offset: ?>>
  %columns = memref.dim %x, %c1 : memref<?x?xbf16, strided<[?, 1], offset: ?>>
  scf.for %i = %c0 to %rows step %c1 {
    %max = scf.for %j = %c0 to %columns step %c1 iter_args(%m = %lowest) -> (f32) {
      %v = memref.load %x[%i, %j] : memref<?x?xbf16, strided<[?, 1], offset: ?>>
      %e = arith.extf %v : bf16 to f32
      %next = arith.maxnumf %m, %e : f32
      scf.yield %next : f32
    }
    %sum = scf.for %j = %c0 to %columns step %c1 iter_args(%s = %zero) -> (f32) {
      %v = memref.load %x[%i, %j] : memref<?x?xbf16, strided<[?, 1], offset: ?>>
      %e = arith.extf %v : bf16 to f32
      %d = arith.subf %e, %max : f32
      %p = math.exp %d : f32
      %next = arith.addf %s, %p : f32
      scf.yield %next : f32
    }
    %log = math.log %sum : f32
    scf.for %j = %c0 to %columns step %c1 {
      %v = memref.load %x[%i, %j] : memref<?x?xbf16, strided<[?, 1], offset: ?>>
      %e = arith.extf %v : bf16 to f32
      %d = arith.subf %e, %max : f32
      %q = arith.subf %d, %log : f32
      %o = arith.truncf %q : f32 to bf16
      memref.store %o, %y[%i, %j] : memref<?x?xbf16, strided<[?, 1], offset: ?>>
    }
  }
  return
}
