// Wide vectors of the block phase run in seconds, and steps are accesses: a loop over the elements of a
// value is bounded by itself.
// RUN: bash -c "ulimit -t 20; carousel-sim %s --kernel @wide --arg x=random:3x65536 --arg y=like:x --reference @wide_reference --quiet"
// RUN: carousel-sim %s --kernel @wide --arg x=random:3x65536 --arg y=like:x --step-limit 393300 --quiet
// RUN: not carousel-sim %s --kernel @wide --arg x=random:3x65536 --arg y=like:x --step-limit 393000 | FileCheck %s --check-prefix=STEPS
// STEPS: finding: [step-limit]

// The largest vectors: only as many CTAs are resident at a time as have room for theirs, and all others without a limit.
// DEFINE: %{widest} = carousel-sim %s --kernel @widest --arg y=zeros:1 --arg turns=zeros:1 --reference @widest_reference --quiet
// RUN: bash -c "ulimit -v 1100000; %{widest}"
// RUN: not bash -c "ulimit -v 1100000; %{widest} --resident 32" 2>&1 | FileCheck %s --check-prefix=MEMORY
// MEMORY: expected memory for this input, got less

// An extent for which the number of elements is 2^64.
// RUN: not carousel-sim %s --kernel @rows --arg x=zeros:0x1152921504606846976 --arg y=like:x 2>&1 | FileCheck %s --check-prefix=MOST
// MOST: error: expected #carousel.expr<extent(0, 1)> for which vectors have at most 1048576 elements, got more than 1048576

#gl = #gpu.address_space<global>
!matrix = memref<?x?xf32, #gl>

gpu.module @m {
  gpu.func @wide(%x: !matrix {carousel.argument = #carousel.argument<"x", in>},
                 %y: !matrix {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 65536, covers = extent(0, 1)>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %row = gpu.block_id x
    %v = vector.transfer_read %x[%row, %c0], %zero : !matrix, vector<65536xf32>
    %e = math.exp %v : vector<65536xf32>
    %s = arith.mulf %v, %e : vector<65536xf32>
    %t = arith.addf %s, %v : vector<65536xf32>
    %sum = vector.multi_reduction <add>, %v, %zero [0] : vector<65536xf32> to f32
    %sums = vector.broadcast %sum : f32 to vector<65536xf32>
    %o = arith.subf %t, %sums : vector<65536xf32>
    vector.transfer_write %o, %y[%row, %c0] : vector<65536xf32>, !matrix
    gpu.return
  }

  gpu.func @rows(%x: !matrix {carousel.argument = #carousel.argument<"x", in>},
                 %y: !matrix {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 64, covers = extent(0, 1)>,
      carousel.launch = #carousel.launch<grid = [1]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %v = vector.transfer_read %x[%c0, %c0], %zero : !matrix, vector<16x64xf32>
    vector.transfer_write %v, %y[%c0, %c0] : vector<16x64xf32>, !matrix
    gpu.return
  }

  // Each CTA waits for the one before it, so all that are resident have memory for their vectors.
  gpu.func @widest(%y: memref<?xf32, #gl> {carousel.argument = #carousel.argument<"y", inout>},
                   %turns: memref<1xi32, #gl> {carousel.argument = #carousel.argument<"turns", inout>}) kernel attributes {
      carousel.starts_in_order,
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [100]>} {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : i32
    %zero = arith.constant 0.0 : f32
    %b = gpu.block_id x
    %turn = arith.index_cast %b : index to i32
    %next = arith.addi %turn, %one : i32
    %n = vector.step : vector<1048576xindex>
    %i = arith.index_cast %n : vector<1048576xindex> to vector<1048576xi64>
    %f = arith.sitofp %i : vector<1048576xi64> to vector<1048576xf32>
    carousel.grid.serial_wait %turns[%c0], %turn : memref<1xi32, #gl>
    %most = vector.multi_reduction <maxnumf>, %f, %zero [0] : vector<1048576xf32> to f32
    %old = memref.load %y[%c0] : memref<?xf32, #gl>
    %sum = arith.addf %old, %most : f32
    memref.store %sum, %y[%c0] : memref<?xf32, #gl>
    carousel.grid.serial_release %turns[%c0], %next : memref<1xi32, #gl>
    gpu.return
  }
}

func.func @wide_reference(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %rows = memref.dim %x, %c0 : memref<?x?xf32>
  %n = memref.dim %x, %c1 : memref<?x?xf32>
  scf.for %row = %c0 to %rows step %c1 {
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> f32 {
      %v = memref.load %x[%row, %i] : memref<?x?xf32>
      %next = arith.addf %s, %v : f32
      scf.yield %next : f32
    }
    scf.for %i = %c0 to %n step %c1 {
      %v = memref.load %x[%row, %i] : memref<?x?xf32>
      %e = math.exp %v : f32
      %s = arith.mulf %v, %e : f32
      %t = arith.addf %s, %v : f32
      %o = arith.subf %t, %sum : f32
      memref.store %o, %y[%row, %i] : memref<?x?xf32>
    }
  }
  return
}

// 100 times the largest element.
func.func @widest_reference(%y: memref<?xf32>, %turns: memref<1xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c100 = arith.constant 100 : index
  %zero = arith.constant 0.0 : f32
  %most = arith.constant 1048575.0 : f32
  %count = arith.constant 100 : i32
  %sum = scf.for %i = %c0 to %c100 step %c1 iter_args(%s = %zero) -> f32 {
    %next = arith.addf %s, %most : f32
    scf.yield %next : f32
  }
  memref.store %sum, %y[%c0] : memref<?xf32>
  memref.store %count, %turns[%c0] : memref<1xi32>
  return
}
