// The block phase means the whole of the covered extent, also where it is wider than the vectors, and none of the padding.
// All variants that a launch may take give the same: narrower vectors and chunks of rows.
// DEFINE: %{n} = 44
// DEFINE: %{lowered} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-lowered %s --chip sm_90a --
// DEFINE: %{sums} = --kernel @sums --arg x=random:5x%{n} --arg y=empty:5x%{n} --arg first=empty:5
// RUN: carousel-sim %s %{sums} --out y=%t.y.npy --out first=%t.first.npy --quiet --reference @sums_reference --rtol 1e-5
// RUN: %{lowered} %{sums} --expect y=%t.y.npy --expect first=%t.first.npy --rtol 1e-5 --quiet
// REDEFINE: %{n} = 300
// RUN: carousel-sim %s %{sums} --out y=%t.y.npy --out first=%t.first.npy --quiet --reference @sums_reference --rtol 1e-5
// RUN: %{lowered} %{sums} --expect y=%t.y.npy --expect first=%t.first.npy --rtol 1e-5 --quiet

// What takes parts of a row has one width.
// DEFINE: %{halves} = --kernel @halves --arg x=iota:5x%{n} --arg y=empty:5x%{n}
// REDEFINE: %{n} = 100
// RUN: carousel-sim %s %{halves} --out y=%t.y.npy --quiet
// RUN: %{lowered} %{halves} --expect y=%t.y.npy --quiet
// REDEFINE: %{n} = 129
// RUN: not carousel-sim %s %{halves} 2>&1 | FileCheck %s --check-prefix=HALVES
// HALVES: expected #carousel.expr<extent(0, 1)> of at most 128, the width of the vectors, got more: 'vector.extract_strided_slice' takes a part of a covered dimension
// RUN: not %{lowered} %{halves} | FileCheck %s --check-prefix=BOUND
// BOUND: not run: expected range(extent(0, 1), 0, 128), got 129

// Nothing is written beyond the extent: zeros stay. Lowered kernels are for memrefs that end there.
// DEFINE: %{wide} = --kernel @halves --arg x=iota:2x4 --arg y=zeros:2x6
// RUN: carousel-sim %s %{wide} --reference @less_reference --quiet
// RUN: not %{lowered} %{wide} | FileCheck %s --check-prefix=ENDS
// ENDS: not run: expected range(extent(0, 1) - extent(1, 1), 0, 9223372036854775807), got -2

// Divisions round down, as those of a launch do: nothing is written where the extent is negative.
// DEFINE: %{fewer} = --kernel @fewer --arg x=iota:2x%{n} --arg y=zeros:2x16
// REDEFINE: %{n} = 4
// RUN: carousel-sim %s %{fewer} --expect y=zeros:2x16 --quiet
// REDEFINE: %{n} = 44
// RUN: carousel-sim %s %{fewer} --reference @fewer_reference --quiet

!m = memref<?x?xf32, strided<[?, 1], offset: ?>, #gpu.address_space<global>>
!i = memref<?xi64, #gpu.address_space<global>>
!v = vector<128xf32>
#x = #carousel.argument<"x", in>
#y = #carousel.argument<"y", out>
#first = #carousel.argument<"first", out>
#program = #carousel.block_program<width = 128, covers = extent(0, 1)>
#rows = #carousel.launch<grid = [extent(0, 0)]>

gpu.module @kernels {
  // exp(x - max) / sum(exp(x)), and the number of elements below zero: padding of 0 isn't neutral for either.
  gpu.func @sums(%x: !m {carousel.argument = #x}, %y: !m {carousel.argument = #y}, %first: !i {carousel.argument = #first})
      kernel attributes {carousel.block_program = #program, carousel.launch = #rows} {
    %c0 = arith.constant 0 : index
    %none = arith.constant 0 : i64
    %ones = arith.constant dense<1> : vector<128xi64>
    %nones = arith.constant dense<0> : vector<128xi64>
    %zero = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : !v
    %lowest = arith.constant 0xFF800000 : f32
    %row = gpu.block_id x
    %v = vector.transfer_read %x[%row, %c0], %zero : !m, !v
    %e = math.exp %v : !v
    %s = vector.multi_reduction <add>, %e, %zero [0] : !v to f32
    %less = arith.cmpf ole, %v, %zeros : !v
    %counts = arith.select %less, %ones, %nones : vector<128xi1>, vector<128xi64>
    %n = vector.multi_reduction <add>, %counts, %none [0] : vector<128xi64> to i64
    memref.store %n, %first[%row] : !i
    %q = vector.transfer_read %x[%row, %c0], %lowest : !m, !v
    %max = vector.multi_reduction <maximumf>, %q, %lowest [0] : !v to f32
    %maxes = vector.broadcast %max : f32 to !v
    %d = arith.subf %q, %maxes : !v
    %p = math.exp %d : !v
    %ss = vector.broadcast %s : f32 to !v
    %r = arith.divf %p, %ss : !v
    vector.transfer_write %r, %y[%row, %c0] : !v, !m
    gpu.return
  }

  // Less than a quarter of a row.
  gpu.func @fewer(%x: !m {carousel.argument = #x}, %y: !m {carousel.argument = #carousel.argument<"y", inout>}) kernel
      attributes {carousel.block_program = #carousel.block_program<width = 128, covers = floordiv(extent(0, 1) - 8, 4)>,
        carousel.launch = #rows} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %ones = arith.constant dense<1.0> : !v
    %row = gpu.block_id x
    %v = vector.transfer_read %x[%row, %c0], %zero : !m, !v
    %w = arith.addf %v, %ones : !v
    vector.transfer_write %w, %y[%row, %c0] : !v, !m
    gpu.return
  }

  // The first half of the vector, negated, and the second one.
  gpu.func @halves(%x: !m {carousel.argument = #x}, %y: !m {carousel.argument = #y})
      kernel attributes {carousel.block_program = #program, carousel.launch = #rows} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %row = gpu.block_id x
    %v = vector.transfer_read %x[%row, %c0], %zero : !m, !v
    %low = vector.extract_strided_slice %v {offsets = [0], sizes = [64], strides = [1]} : !v to vector<64xf32>
    %less = arith.negf %low : vector<64xf32>
    %w = vector.insert_strided_slice %less, %v {offsets = [0], strides = [1]} : vector<64xf32> into !v
    vector.transfer_write %w, %y[%row, %c0] : !v, !m
    gpu.return
  }
}

func.func @less_reference(%x: memref<?x?xf32, strided<[?, 1], offset: ?>>, %y: memref<?x?xf32, strided<[?, 1], offset: ?>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = memref.dim %x, %c0 : memref<?x?xf32, strided<[?, 1], offset: ?>>
  %columns = memref.dim %x, %c1 : memref<?x?xf32, strided<[?, 1], offset: ?>>
  scf.for %i = %c0 to %rows step %c1 {
    scf.for %j = %c0 to %columns step %c1 {
      %v = memref.load %x[%i, %j] : memref<?x?xf32, strided<[?, 1], offset: ?>>
      %n = arith.negf %v : f32
      memref.store %n, %y[%i, %j] : memref<?x?xf32, strided<[?, 1], offset: ?>>
    }
  }
  return
}

func.func @fewer_reference(%x: memref<?x?xf32, strided<[?, 1], offset: ?>>, %y: memref<?x?xf32, strided<[?, 1], offset: ?>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %one = arith.constant 1.0 : f32
  %rows = memref.dim %x, %c0 : memref<?x?xf32, strided<[?, 1], offset: ?>>
  scf.for %i = %c0 to %rows step %c1 {
    scf.for %j = %c0 to %c9 step %c1 {
      %v = memref.load %x[%i, %j] : memref<?x?xf32, strided<[?, 1], offset: ?>>
      %n = arith.addf %v, %one : f32
      memref.store %n, %y[%i, %j] : memref<?x?xf32, strided<[?, 1], offset: ?>>
    }
  }
  return
}

func.func @sums_reference(%x: memref<?x?xf32, strided<[?, 1], offset: ?>>, %y: memref<?x?xf32, strided<[?, 1], offset: ?>>,
                          %first: memref<?xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i64
  %none = arith.constant 0 : i64
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %rows = memref.dim %x, %c0 : memref<?x?xf32, strided<[?, 1], offset: ?>>
  %columns = memref.dim %x, %c1 : memref<?x?xf32, strided<[?, 1], offset: ?>>
  scf.for %i = %c0 to %rows step %c1 {
    %sum, %n, %max = scf.for %j = %c0 to %columns step %c1
        iter_args(%s = %zero, %k = %none, %m = %lowest) -> (f32, i64, f32) {
      %v = memref.load %x[%i, %j] : memref<?x?xf32, strided<[?, 1], offset: ?>>
      %e = math.exp %v : f32
      %next = arith.addf %s, %e : f32
      %more = arith.addi %k, %one : i64
      %less = arith.cmpf ole, %v, %zero : f32
      %count = arith.select %less, %more, %k : i64
      %most = arith.maximumf %m, %v : f32
      scf.yield %next, %count, %most : f32, i64, f32
    }
    memref.store %n, %first[%i] : memref<?xi64>
    scf.for %j = %c0 to %columns step %c1 {
      %v = memref.load %x[%i, %j] : memref<?x?xf32, strided<[?, 1], offset: ?>>
      %d = arith.subf %v, %max : f32
      %p = math.exp %d : f32
      %r = arith.divf %p, %sum : f32
      memref.store %r, %y[%i, %j] : memref<?x?xf32, strided<[?, 1], offset: ?>>
    }
  }
  return
}
