// Wide vectors of the block phase run in seconds, and steps are accesses: a loop over the elements of a
// value is bounded by itself.
// RUN: bash -c "ulimit -t 20; carousel-sim %s --kernel @wide --arg x=random:3x65536 --arg y=like:x --reference @wide_reference --quiet"
// RUN: carousel-sim %s --kernel @wide --arg x=random:3x65536 --arg y=like:x --step-limit 393300 --quiet
// RUN: not carousel-sim %s --kernel @wide --arg x=random:3x65536 --arg y=like:x --step-limit 393000 | FileCheck %s --check-prefix=STEPS
// STEPS: finding: [step-limit]

// The largest vectors; a few CTAs are resident at a time.
// RUN: bash -c "ulimit -v 4000000; carousel-sim %s --kernel @widest --arg y=empty:200 --expect y=zeros:200 --atol 0.5 --quiet"

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

  gpu.func @widest(%y: memref<?xf32, #gl> {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [extent(0, 0)]>} {
    %b = gpu.block_id x
    %zero = arith.constant 0.0 : f32
    %n = vector.step : vector<1048576xindex>
    %i = arith.index_cast %n : vector<1048576xindex> to vector<1048576xi64>
    %f = arith.sitofp %i : vector<1048576xi64> to vector<1048576xf32>
    %g = arith.negf %f : vector<1048576xf32>
    %h = arith.addf %f, %g : vector<1048576xf32>
    %sum = vector.multi_reduction <maxnumf>, %h, %zero [0] : vector<1048576xf32> to f32
    memref.store %sum, %y[%b] : memref<?xf32, #gl>
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
