// Gathers by rows: indices that count along the last dimension are accesses of 16 bytes where they begin at multiples.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-specialize-blocks,carousel-distribute))' --remarks-filter=carousel-distribute --remark-format=emitRemark -o %t.mlir 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s < %t.mlir
// DEFINE: %{lowered} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-lowered %s --chip sm_80,sm_90a --
// DEFINE: %{even} = --kernel @rows --arg x=random:9x64 --arg n=iota:24 --arg y=empty:24x64
// DEFINE: %{odd} = --kernel @rows --arg x=random:9x63 --arg n=iota:19 --arg y=empty:19x63
// DEFINE: %{part} = --kernel @part --arg x=random:9x56 --arg n=iota:20 --arg y=empty:20x50
// DEFINE: %{shifted} = --kernel @shifted --arg x=random:9x64 --arg n=iota:24 --arg y=empty:24x64
// RUN: carousel-sim %s %{even} --out y=%t.npy
// RUN: %{lowered} %{even} --expect y=%t.npy
// RUN: carousel-sim %s %{odd} --out y=%t.npy
// RUN: %{lowered} %{odd} --expect y=%t.npy
// RUN: carousel-sim %s %{part} --out y=%t.npy
// RUN: %{lowered} %{part} --expect y=%t.npy
// RUN: carousel-sim %s %{shifted} --out y=%t.npy
// RUN: %{lowered} %{shifted} --expect y=%t.npy
// DEFINE: %{parts} = --kernel @parts --arg x=random:5x28 --arg y=empty:5x3x32
// RUN: carousel-sim %s %{parts} --out y=%t.npy
// RUN: %{lowered} %{parts} --expect y=%t.npy

#gl = #gpu.address_space<global>
#x = #carousel.argument<"x", in>
#n = #carousel.argument<"n", in>
#y = #carousel.argument<"y", out>
!m = memref<?x?xf32, #gl>
!n = memref<?xi32, #gl>

gpu.module @m {
  // Eight rows by their indices; rows that don't exist are zeros.
  // REMARK-DAG: Gather | Category:carousel-distribute | Function=rows_aligned | Remark="accesses of 4 elements, where their indices are multiples of that"
  // REMARK-DAG: Gather | Category:carousel-distribute | Function=rows | Remark="accesses of single elements: no guard says that wider ones are aligned"
  // CHECK-LABEL: gpu.func @rows_aligned
  // CHECK-SAME: guards = [{{.*}}aligned(0, 16), divisible(extent(0, 1), 4)
  // CHECK: %[[REST:.*]] = arith.andi %{{.*}}, %{{.*}} : index
  // CHECK: %[[WHOLE:.*]] = arith.cmpi eq, %[[REST]]
  // CHECK: scf.if %{{.*}} -> (vector<4xf32>)
  // CHECK:   vector.load {{.*}} vector<4xf32>
  // CHECK: } else {
  // CHECK:   memref.load
  gpu.func @rows(%x: !m {carousel.argument = #x}, %n: !n {carousel.argument = #n}, %y: !m {carousel.argument = #y})
      kernel attributes {
      carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [ceildiv(extent(1, 0), 8)], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %zero = arith.constant 0.0 : f32
    %none = arith.constant -1 : i32
    %zeros = arith.constant dense<0.0> : vector<8x64xf32>
    %block = gpu.block_id x
    %row = arith.muli %block, %c8 : index
    %rows = memref.dim %x, %c0 : !m
    %columns = memref.dim %x, %c1 : !m
    %own = vector.transfer_read %n[%row], %none : !n, vector<8xi32>
    %index = arith.index_cast %own : vector<8xi32> to vector<8xindex>
    %strides = vector.broadcast %columns : index to vector<8xindex>
    %first = arith.muli %index, %strides : vector<8xindex>
    %column = vector.shape_cast %first : vector<8xindex> to vector<8x1xindex>
    %firsts = vector.broadcast %column : vector<8x1xindex> to vector<8x64xindex>
    %steps = vector.step : vector<64xindex>
    %counts = vector.broadcast %steps : vector<64xindex> to vector<8x64xindex>
    %places = arith.addi %firsts, %counts : vector<8x64xindex>
    %limits = vector.broadcast %rows : index to vector<8xindex>
    %exist = arith.cmpi ult, %index, %limits : vector<8xindex>
    %exist1 = vector.shape_cast %exist : vector<8xi1> to vector<8x1xi1>
    %existing = vector.broadcast %exist1 : vector<8x1xi1> to vector<8x64xi1>
    %ends = vector.broadcast %columns : index to vector<8x64xindex>
    %inside = arith.cmpi slt, %counts, %ends : vector<8x64xindex>
    %mask = arith.andi %existing, %inside : vector<8x64xi1>
    %v = vector.gather %x[%c0, %c0] [%places], %mask, %zeros
        : !m, vector<8x64xindex>, vector<8x64xi1>, vector<8x64xf32> into vector<8x64xf32>
    vector.transfer_write %v, %y[%row, %c0] : vector<8x64xf32>, !m
    gpu.return
  }

  // Without a mask, elements that only fill the extents up to powers of two aren't read.
  // REMARK-DAG: Function=part_aligned | Remark="accesses of 2 elements, where their indices are multiples of that"
  gpu.func @part(%x: !m {carousel.argument = #x}, %n: !n {carousel.argument = #n}, %y: !m {carousel.argument = #y})
      kernel attributes {
      carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [ceildiv(extent(1, 0), 5)], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c5 = arith.constant 5 : index
    %zero = arith.constant 0 : i32
    %eights = arith.constant dense<8> : vector<5xi32>
    %zeros = arith.constant dense<0.0> : vector<5x50xf32>
    %all = arith.constant dense<true> : vector<5x50xi1>
    %block = gpu.block_id x
    %row = arith.muli %block, %c5 : index
    %columns = memref.dim %x, %c1 : !m
    %own = vector.transfer_read %n[%row], %zero : !n, vector<5xi32>
    %near = arith.minsi %own, %eights : vector<5xi32>
    %index = arith.index_cast %near : vector<5xi32> to vector<5xindex>
    %strides = vector.broadcast %columns : index to vector<5xindex>
    %first = arith.muli %index, %strides : vector<5xindex>
    %column = vector.shape_cast %first : vector<5xindex> to vector<5x1xindex>
    %firsts = vector.broadcast %column : vector<5x1xindex> to vector<5x50xindex>
    %steps = vector.step : vector<50xindex>
    %counts = vector.broadcast %steps : vector<50xindex> to vector<5x50xindex>
    %places = arith.addi %firsts, %counts : vector<5x50xindex>
    %v = vector.gather %x[%c0, %c0] [%places], %all, %zeros
        : !m, vector<5x50xindex>, vector<5x50xi1>, vector<5x50xf32> into vector<5x50xf32>
    vector.transfer_write %v, %y[%row, %c0] : vector<5x50xf32>, !m
    gpu.return
  }

  // Rows begin at odd places: each thread finds that its run doesn't, and reads elements.
  gpu.func @shifted(%x: !m {carousel.argument = #x}, %n: !n {carousel.argument = #n}, %y: !m {carousel.argument = #y})
      kernel attributes {
      carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [ceildiv(extent(1, 0), 8)], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %zero = arith.constant 0 : i32
    %zeros = arith.constant dense<0.0> : vector<8x64xf32>
    %all = arith.constant dense<true> : vector<8x64xi1>
    %block = gpu.block_id x
    %row = arith.muli %block, %c8 : index
    %own = vector.transfer_read %n[%row], %zero : !n, vector<8xi32>
    %index = arith.index_cast %own : vector<8xi32> to vector<8xindex>
    %column = vector.shape_cast %index : vector<8xindex> to vector<8x1xindex>
    %firsts = vector.broadcast %column : vector<8x1xindex> to vector<8x64xindex>
    %steps = vector.step : vector<64xindex>
    %counts = vector.broadcast %steps : vector<64xindex> to vector<8x64xindex>
    %places = arith.addi %firsts, %counts : vector<8x64xindex>
    %v = vector.gather %x[%c0, %c0] [%places], %all, %zeros
        : !m, vector<8x64xindex>, vector<8x64xi1>, vector<8x64xf32> into vector<8x64xf32>
    vector.transfer_write %v, %y[%row, %c0] : vector<8x64xf32>, !m
    gpu.return
  }

  // A reshape begins where its memref does. Two rows of 28 follow each other; places that begin 2 behind a multiple have runs
  // of 2 elements, and those that begin 1 behind one have none.
  // REMARK-DAG: Function=parts_aligned | Remark="accesses of 4 elements, where their indices are multiples of that"
  // REMARK-DAG: Function=parts_aligned | Remark="accesses of 2 elements, where their indices are multiples of that"
  // REMARK-DAG: Function=parts_aligned | Remark="accesses of single elements: its indices begin beside multiples"
  gpu.func @parts(%x: memref<?x28xf32, #gl> {carousel.argument = #x}, %y: memref<?x3x32xf32, #gl> {carousel.argument = #y})
      kernel attributes {
      carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [extent(1, 0)], block = [32]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c28 = arith.constant 28 : index
    %zeros = arith.constant dense<0.0> : vector<32xf32>
    %ones = arith.constant dense<1> : vector<32xindex>
    %twos = arith.constant dense<2> : vector<32xindex>
    %limit = arith.constant dense<24> : vector<32xindex>
    %block = gpu.block_id x
    %first = arith.muli %block, %c28 : index
    %steps = vector.step : vector<32xindex>
    %firsts = vector.broadcast %first : index to vector<32xindex>
    %mask = arith.cmpi ult, %steps, %limit : vector<32xindex>
    %all = memref.collapse_shape %x [[0, 1]] : memref<?x28xf32, #gl> into memref<?xf32, #gl>
    %by4 = arith.addi %firsts, %steps : vector<32xindex>
    %a = vector.gather %all[%c0] [%by4], %mask, %zeros : memref<?xf32, #gl>, vector<32xindex>, vector<32xi1>, vector<32xf32> into vector<32xf32>
    vector.transfer_write %a, %y[%block, %c0, %c0] {in_bounds = [true]} : vector<32xf32>, memref<?x3x32xf32, #gl>
    %by2 = arith.addi %by4, %twos : vector<32xindex>
    %b = vector.gather %all[%c0] [%by2], %mask, %zeros : memref<?xf32, #gl>, vector<32xindex>, vector<32xi1>, vector<32xf32> into vector<32xf32>
    vector.transfer_write %b, %y[%block, %c1, %c0] {in_bounds = [true]} : vector<32xf32>, memref<?x3x32xf32, #gl>
    %by1 = arith.addi %by4, %ones : vector<32xindex>
    %c = vector.gather %all[%c0] [%by1], %mask, %zeros : memref<?xf32, #gl>, vector<32xindex>, vector<32xi1>, vector<32xf32> into vector<32xf32>
    vector.transfer_write %c, %y[%block, %c2, %c0] {in_bounds = [true]} : vector<32xf32>, memref<?x3x32xf32, #gl>
    gpu.return
  }

  // REMARK-DAG: Function=squares | Remark="accesses of single elements: its indices aren't known to count along the last dimension"
  gpu.func @squares(%x: memref<?xf32, #gl> {carousel.argument = #x}, %y: memref<?xf32, #gl> {carousel.argument = #y})
      kernel attributes {
      carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %c0 = arith.constant 0 : index
    %zeros = arith.constant dense<0.0> : vector<8xf32>
    %all = arith.constant dense<true> : vector<8xi1>
    %steps = vector.step : vector<8xindex>
    %places = arith.muli %steps, %steps : vector<8xindex>
    %v = vector.gather %x[%c0] [%places], %all, %zeros
        : memref<?xf32, #gl>, vector<8xindex>, vector<8xi1>, vector<8xf32> into vector<8xf32>
    vector.transfer_write %v, %y[%c0] : vector<8xf32>, memref<?xf32, #gl>
    gpu.return
  }
}
