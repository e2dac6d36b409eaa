// Vectors read from memory and written to it, at the block phase. Without the attribute, the same
// kernels are of the tile phase, whose vectors LLVM holds: the results are equal.
// DEFINE: %{kernel} =
// DEFINE: %{args} =
// DEFINE: %{lanes} = carousel-sim %t.mlir --kernel %{kernel} %{args} --out y=%t.npy
// DEFINE: %{block} = carousel-sim %s --kernel %{kernel} %{args} --expect y=%t.npy
// RUN: sed 's/carousel.block_program = [^>]*>,//' %s > %t.mlir
// REDEFINE: %{args} = --arg x=random:5x6 --arg n=3 --arg y=zeros:9x8
// REDEFINE: %{kernel} = @transfers
// RUN: %{lanes}
// RUN: %{block}
// REDEFINE: %{kernel} = @masked
// RUN: %{lanes}
// RUN: %{block}
// REDEFINE: %{kernel} = @lanes
// RUN: %{lanes}
// RUN: %{block}
// REDEFINE: %{kernel} = @regions
// RUN: %{lanes}
// RUN: %{block}

// A matrix of any size, turned in squares: the last ones are ragged on both sides.
// RUN: carousel-sim %s --kernel @transpose --arg x=random:37x70 --arg y=empty:70x37 --reference @transpose_reference --schedules 4

// Elements before the begin are outside, too: they are padding, and aren't written.
// RUN: carousel-sim %s --kernel @before --arg x=iota:6 --arg y=zeros:6 --reference @before_reference

// What a mask doesn't select is that of the passthru, and what it selects beyond the edge is padding.
// RUN: carousel-sim %s --kernel @others --arg x=iota:6 --arg n=3 --arg y=empty:8 --reference @others_reference

// The machine's checks of memory see each element.
// RUN: carousel-sim %s --kernel @beyond --arg x=random:30 --arg y=zeros:64 --expect-finding out-of-bounds | FileCheck %s --check-prefix=BEYOND
// BEYOND: block-accesses.mlir:[[#@LINE+151]]:10: finding: [out-of-bounds]
// BEYOND-SAME: x
// RUN: carousel-sim %s --kernel @twice --grid 2 --arg y=zeros:64 --expect-finding data-race | FileCheck %s --check-prefix=RACE
// RACE: finding: [data-race]
// RUN: carousel-sim %s --kernel @unwritten --arg y=empty:64 --expect-finding unwritten-read | FileCheck %s --check-prefix=UNWRITTEN
// UNWRITTEN: finding: [unwritten-read]

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!x = memref<?x?xf32, #gl>
!v = memref<?xf32, #gl>

gpu.module @m {
  // Over the edges, with transposed and broadcast dimensions, of fewer dimensions than memory, through shared memory.
  gpu.func @transfers(%x: !x {carousel.argument = #carousel.argument<"x", in>},
                      %n: i32 {carousel.argument = #carousel.argument<"n", in>},
                      %y: !x {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: memref<4x4xf32, #ws>) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c6 = arith.constant 6 : index
    %c8 = arith.constant 8 : index
    %pad = arith.constant -1.0 : f32
    %v = vector.transfer_read %x[%c2, %c4], %pad : !x, vector<4x4xf32>
    vector.transfer_write %v, %y[%c0, %c0] {in_bounds = [true, true]} : vector<4x4xf32>, !x
    %t = vector.transfer_read %x[%c2, %c4], %pad {permutation_map = affine_map<(d0, d1) -> (d1, d0)>} : !x, vector<4x4xf32>
    vector.transfer_write %t, %y[%c0, %c4] {in_bounds = [true, true]} : vector<4x4xf32>, !x
    %column = vector.transfer_read %x[%c1, %c2], %pad {permutation_map = affine_map<(d0, d1) -> (d0)>} : !x, vector<6xf32>
    vector.transfer_write %column, %y[%c4, %c1] : vector<6xf32>, !x
    %rows = vector.transfer_read %x[%c1, %c2], %pad {in_bounds = [true, false], permutation_map = affine_map<(d0, d1) -> (0, d1)>} : !x, vector<2x6xf32>
    vector.transfer_write %rows, %y[%c6, %c2] : vector<2x6xf32>, !x
    vector.transfer_write %v, %tile[%c0, %c0] {in_bounds = [true, true], permutation_map = affine_map<(d0, d1) -> (d1, d0)>} : vector<4x4xf32>, memref<4x4xf32, #ws>
    %w = vector.load %tile[%c2, %c0] : memref<4x4xf32, #ws>, vector<1x4xf32>
    vector.store %w, %y[%c8, %c0] : !x, vector<1x4xf32>
    gpu.return
  }

  // Masks of transfers, which have the memref's order of dimensions.
  gpu.func @masked(%x: !x {carousel.argument = #carousel.argument<"x", in>},
                   %n: i32 {carousel.argument = #carousel.argument<"n", in>},
                   %y: !x {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %pad = arith.constant -1.0 : f32
    %i = arith.index_cast %n : i32 to index
    %m = vector.create_mask %i, %c2 : vector<4x3xi1>
    %v = vector.transfer_read %x[%c1, %c4], %pad, %m : !x, vector<4x3xf32>
    vector.transfer_write %v, %y[%c0, %c0] : vector<4x3xf32>, !x
    %t = vector.transfer_read %x[%c1, %c0], %pad, %m {permutation_map = affine_map<(d0, d1) -> (d1, d0)>} : !x, vector<3x4xf32>
    vector.transfer_write %t, %y[%c4, %c0] : vector<3x4xf32>, !x
    vector.transfer_write %v, %y[%c0, %c4], %m : vector<4x3xf32>, !x
    gpu.return
  }

  // Gathers and scatters with masks, of rows and of a matrix; loads and stores of some lanes.
  gpu.func @lanes(%x: !x {carousel.argument = #carousel.argument<"x", in>},
                  %n: i32 {carousel.argument = #carousel.argument<"n", in>},
                  %y: !x {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c5 = arith.constant 5 : index
    %c6 = arith.constant 6 : index
    %c7 = arith.constant 7 : index
    %rest = arith.constant dense<7.0> : vector<6xf32>
    %m = arith.constant dense<[true, false, true, true, false, true]> : vector<6xi1>
    %at = arith.constant dense<[5, 99, 0, -1, 77, 3]> : vector<6xi32>
    %v = vector.gather %x[%c1, %c0] [%at], %m, %rest : !x, vector<6xi32>, vector<6xi1>, vector<6xf32> into vector<6xf32>
    vector.store %v, %y[%c0, %c0] : !x, vector<6xf32>
    %rest2 = arith.constant dense<8.0> : vector<2x3xf32>
    %m2 = vector.shape_cast %m : vector<6xi1> to vector<2x3xi1>
    %at2 = arith.constant dense<[[1, 99, 2], [2, 77, 0]]> : vector<2x3xindex>
    %w = vector.gather %x[%c2, %c1] [%at2], %m2, %rest2 : !x, vector<2x3xindex>, vector<2x3xi1>, vector<2x3xf32> into vector<2x3xf32>
    vector.transfer_write %w, %y[%c1, %c0] {in_bounds = [true, true]} : vector<2x3xf32>, !x
    // Two lanes have one place: the last one wins.
    %to = arith.constant dense<[2, 99, 4, 2, 77, 0]> : vector<6xi32>
    vector.scatter %y[%c3, %c0] [%to], %m, %v : !x, vector<6xi32>, vector<6xi1>, vector<6xf32>
    %l = vector.maskedload %x[%c4, %c0], %m, %rest : !x, vector<6xi1>, vector<6xf32> into vector<6xf32>
    vector.store %l, %y[%c4, %c0] : !x, vector<6xf32>
    vector.maskedstore %y[%c5, %c0], %m, %l : !x, vector<6xi1>, vector<6xf32>
    %e = vector.expandload %x[%c3, %c1], %m, %rest : !x, vector<6xi1>, vector<6xf32> into vector<6xf32>
    vector.store %e, %y[%c6, %c0] : !x, vector<6xf32>
    vector.compressstore %y[%c7, %c0], %m, %e : !x, vector<6xi1>, vector<6xf32>
    gpu.return
  }

  // The op in a region with a mask.
  gpu.func @regions(%x: !x {carousel.argument = #carousel.argument<"x", in>},
                    %n: i32 {carousel.argument = #carousel.argument<"n", in>},
                    %y: !x {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c7 = arith.constant 7 : index
    %pad = arith.constant 0.5 : f32
    %i = arith.index_cast %n : i32 to index
    %m = vector.create_mask %i : vector<8xi1>
    %m2 = vector.create_mask %i, %c4 : vector<4x6xi1>
    %v = vector.mask %m { vector.transfer_read %x[%c3, %c0], %pad : !x, vector<8xf32> } : vector<8xi1> -> vector<8xf32>
    vector.mask %m { vector.transfer_write %v, %y[%c0, %c3] : vector<8xf32>, !x } : vector<8xi1>
    %w = vector.transfer_read %x[%c0, %c0], %pad : !x, vector<4x6xf32>
    %zeros = arith.constant dense<0.0> : vector<6xf32>
    %s = vector.mask %m2 { vector.multi_reduction <add>, %w, %zeros [0] : vector<4x6xf32> to vector<6xf32> } : vector<4x6xi1> -> vector<6xf32>
    vector.store %s, %y[%c4, %c0] : !x, vector<6xf32>
    %r = vector.mask %m { vector.reduction <maximumf>, %v, %pad : vector<8xf32> into f32 } : vector<8xi1> -> f32
    memref.store %r, %y[%c7, %c0] : !x
    gpu.return
  }

  // Lanes 0 and 1 are read, lane 2 is beyond the edge, and the mask leaves the others as they are.
  gpu.func @others(%x: !v {carousel.argument = #carousel.argument<"x", in>},
                   %n: index {carousel.argument = #carousel.argument<"n", in>},
                   %y: !v {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %pad = arith.constant 0.5 : f32
    %m = vector.create_mask %n : vector<8xi1>
    %others = arith.constant dense<7.0> : vector<8xf32>
    %v = vector.mask %m, %others { vector.transfer_read %x[%c4], %pad : !v, vector<8xf32> } : vector<8xi1> -> vector<8xf32>
    vector.transfer_write %v, %y[%c0] : vector<8xf32>, !v
    gpu.return
  }

  gpu.func @before(%x: !v {carousel.argument = #carousel.argument<"x", in>},
                   %y: !v {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %first = arith.constant -2 : index
    %pad = arith.constant 9.0 : f32
    %v = vector.transfer_read %x[%first], %pad : !v, vector<5xf32>
    %r = arith.addf %v, %v : vector<5xf32>
    %least = arith.constant -1 : index
    vector.transfer_write %r, %y[%least] : vector<5xf32>, !v
    gpu.return
  }

  gpu.func @beyond(%x: memref<?xf32, #gl> {carousel.argument = #carousel.argument<"x", in>},
                   %y: !v {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %v = vector.transfer_read %x[%c0], %zero {in_bounds = [true]} : !v, vector<31xf32>
    vector.transfer_write %v, %y[%c0] : vector<31xf32>, !v
    gpu.return
  }

  gpu.func @twice(%y: !v {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c32 = arith.constant 32 : index
    %b = gpu.block_id x
    %c31 = arith.constant 31 : index
    %at = arith.muli %b, %c31 : index
    %v = arith.constant dense<1.0> : vector<32xf32>
    vector.transfer_write %v, %y[%at] : vector<32xf32>, !v
    gpu.return
  }

  gpu.func @unwritten(%y: !v {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %v = vector.load %y[%c0] : !v, vector<32xf32>
    %w = arith.addf %v, %v : vector<32xf32>
    vector.store %w, %y[%c0] : !v, vector<32xf32>
    gpu.return
  }

  gpu.func @transpose(%x: !x {carousel.argument = #carousel.argument<"x", in>},
                      %y: !x {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [ceildiv(extent(0, 1), 32), ceildiv(extent(0, 0), 32)], block = [32]>} {
    %c32 = arith.constant 32 : index
    %zero = arith.constant 0.0 : f32
    %bx = gpu.block_id x
    %by = gpu.block_id y
    %column = arith.muli %bx, %c32 : index
    %row = arith.muli %by, %c32 : index
    %v = vector.transfer_read %x[%row, %column], %zero {permutation_map = affine_map<(d0, d1) -> (d1, d0)>} : !x, vector<32x32xf32>
    vector.transfer_write %v, %y[%column, %row] : vector<32x32xf32>, !x
    gpu.return
  }
}

func.func @transpose_reference(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = memref.dim %x, %c0 : memref<?x?xf32>
  %columns = memref.dim %x, %c1 : memref<?x?xf32>
  scf.for %i = %c0 to %rows step %c1 {
    scf.for %j = %c0 to %columns step %c1 {
      %v = memref.load %x[%i, %j] : memref<?x?xf32>
      memref.store %v, %y[%j, %i] : memref<?x?xf32>
    }
  }
  return
}

// Of 9, 9, 0, 1 and 2, twice.
func.func @before_reference(%x: memref<?xf32>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %v = arith.constant dense<[18.0, 0.0, 2.0, 4.0]> : vector<4xf32>
  vector.store %v, %y[%c0] : memref<?xf32>, vector<4xf32>
  return
}

func.func @others_reference(%x: memref<?xf32>, %n: index, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %v = arith.constant dense<[4.0, 5.0, 0.5, 7.0, 7.0, 7.0, 7.0, 7.0]> : vector<8xf32>
  vector.store %v, %y[%c0] : memref<?xf32>, vector<8xf32>
  return
}
