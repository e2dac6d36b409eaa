// Programs on buffers that go wrong: errors before the first step, and findings that name the launch.
// DEFINE: %{program} = main
// DEFINE: %{sim} = carousel-sim %s --program @%{program} --arg x=random:8x16 --arg n=3 --arg y=like:x

#gl = #gpu.address_space<global>
!matrix = memref<?x?xf32, #gl>
!rows = memref<?x?xf32, strided<[?, 1], offset: ?>, #gl>

gpu.module @kernels {
  gpu.func @copy(%x: !rows {carousel.argument = #carousel.argument<"x", in>},
                 %y: !rows {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %row = gpu.block_id x
    %v = vector.transfer_read %x[%row, %c0], %zero : !rows, vector<16xf32>
    vector.transfer_write %v, %y[%row, %c0] : vector<16xf32>, !rows
    gpu.return
  }
  gpu.func @past_the_end(%y: !rows {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %m = arith.constant 8 : index
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    memref.store %zero, %y[%m, %c0] : !rows
    gpu.return
  }
  gpu.func @fill_all(%y: !rows {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)]>} {
    %c0 = arith.constant 0 : index
    %v = arith.constant dense<1.0> : vector<16xf32>
    %row = gpu.block_id x
    vector.transfer_write %v, %y[%row, %c0] : vector<16xf32>, !rows
    gpu.return
  }
  // Variants for three rows, and for four to eight of multiples of 16.
  gpu.func @fill_3(%y: !rows {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.variant = #carousel.variant<kernel = "fill", guards = [capability(80), equal(extent(0, 0), 3)]>,
      carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %three = arith.constant 3.0 : f32
    memref.store %three, %y[%c0, %c0] : !rows
    gpu.return
  }
  gpu.func @fill_8(%y: !rows {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.variant = #carousel.variant<kernel = "fill", guards = [range(extent(0, 0), 4, 8), divisible(extent(0, 1), 16)]>,
      carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %eight = arith.constant 8.0 : f32
    memref.store %eight, %y[%c0, %c0] : !rows
    gpu.return
  }
  // The machine doesn't know its op, and compiles it for a launch alone.
  gpu.func @fill_9(%y: !rows {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.variant = #carousel.variant<kernel = "fill", guards = [equal(extent(0, 0), 9)]>,
      carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    nvvm.barrier0
    gpu.return
  }
  // Each launch writes how many launches came before.
  gpu.func @count(%y: memref<1xi32, #gl> {carousel.argument = #carousel.argument<"y", out>},
                  %counter: memref<?xi32, #gl> {
                    carousel.argument = #carousel.argument<"counter">,
                    carousel.workspace = #carousel.workspace<[extent(0, 0) + 2]>}) kernel attributes {
      carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : i32
    %v = memref.load %counter[%c0] : memref<?xi32, #gl>
    memref.store %v, %y[%c0] : memref<1xi32, #gl>
    %next = arith.addi %v, %c1 : i32
    memref.store %next, %counter[%c0] : memref<?xi32, #gl>
    gpu.return
  }
}

// RUN: not carousel-sim %s --program @nothing 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not carousel-sim %s --program @not_a_program 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: error: expected --program with a func.func of the file that has carousel.program and a body, got
func.func @not_a_program(%x: !matrix) {
  return
}
// RUN: not carousel-sim %s --program @slice --kernel @copy 2>&1 | FileCheck %s --check-prefix=BOTH
// BOTH: error: expected --kernel without --program
// RUN: not carousel-sim %s --program @slice --block 32 2>&1 | FileCheck %s --check-prefix=BLOCK
// BLOCK: error: expected --block without --program

// REDEFINE: %{program} = slice
// RUN: not %{sim} 2>&1 | FileCheck %s --check-prefix=SLICE
// SLICE: program-faults.mlir:[[@LINE+4]]:11: expected a slice inside of extent 8 in dimension 0, got 6 elements from 3 on in steps of 1
func.func @slice(%x: !matrix {carousel.argument = #carousel.argument<"x", in>}, %n: index {carousel.argument = #carousel.argument<"n">},
    %y: !matrix {carousel.argument = #carousel.argument<"y", out>}) attributes {carousel.program} {
  %c6 = arith.constant 6 : index
  %rows = memref.subview %x[%n, 0] [%c6, 16] [1, 1] : !matrix to memref<?x16xf32, strided<[?, 1], offset: ?>, #gl>
  carousel.launch_kernel @kernels::@copy ins(%rows : memref<?x16xf32, strided<[?, 1], offset: ?>, #gl>) outs(%y : !matrix)
  return
}

// REDEFINE: %{program} = reinterpreted
// RUN: not %{sim} 2>&1 | FileCheck %s --check-prefix=REINTERPRETED
// REINTERPRETED: program-faults.mlir:[[@LINE+4]]:11: expected a view inside of 128 elements, got 82 from 48 on
func.func @reinterpreted(%x: !matrix {carousel.argument = #carousel.argument<"x", in>}, %n: index {carousel.argument = #carousel.argument<"n">},
    %y: !matrix {carousel.argument = #carousel.argument<"y", out>}) attributes {carousel.program} {
  %base, %first, %sizes:2, %strides:2 = memref.extract_strided_metadata %x : !matrix -> memref<f32, #gl>, index, index, index, index, index
  %rows = memref.reinterpret_cast %x to offset: [48], sizes: [6, 2], strides: [%strides#0, 1] : !matrix to memref<6x2xf32, strided<[?, 1], offset: 48>, #gl>
  return
}

// REDEFINE: %{program} = negative_stride
// RUN: not %{sim} 2>&1 | FileCheck %s --check-prefix=NEGATIVE-STRIDE
// NEGATIVE-STRIDE: program-faults.mlir:[[@LINE+5]]:11: expected extents and strides from 0 on, got -1
func.func @negative_stride(%x: !matrix {carousel.argument = #carousel.argument<"x", in>}, %n: index {carousel.argument = #carousel.argument<"n">},
    %y: !matrix {carousel.argument = #carousel.argument<"y", out>}) attributes {carousel.program} {
  %c4 = arith.constant 4 : index
  %stride = arith.subi %n, %c4 : index
  %rows = memref.reinterpret_cast %x to offset: [8], sizes: [2], strides: [%stride] : !matrix to memref<2xf32, strided<[?], offset: 8>, #gl>
  return
}

// REDEFINE: %{program} = freed
// RUN: not %{sim} 2>&1 | FileCheck %s --check-prefix=FREED
// FREED: program-faults.mlir:[[@LINE+6]]:3: expected memory that is allocated, got buffer after its memref.dealloc
func.func @freed(%x: !matrix {carousel.argument = #carousel.argument<"x", in>}, %n: index {carousel.argument = #carousel.argument<"n">},
    %y: !matrix {carousel.argument = #carousel.argument<"y", out>}) attributes {carousel.program} {
  %buffer = memref.alloc(%n) : memref<?x16xf32, #gl>
  %view = memref.cast %buffer : memref<?x16xf32, #gl> to !matrix
  memref.dealloc %buffer : memref<?x16xf32, #gl>
  memref.copy %view, %y : !matrix to !matrix
  return
}

// REDEFINE: %{program} = copy_of_other_extents
// RUN: not %{sim} 2>&1 | FileCheck %s --check-prefix=EXTENTS
// EXTENTS: program-faults.mlir:[[@LINE+4]]:3: expected memrefs of equal extents in a copy, got 8x16 and 3x16
func.func @copy_of_other_extents(%x: !matrix {carousel.argument = #carousel.argument<"x", in>}, %n: index {carousel.argument = #carousel.argument<"n">},
    %y: !matrix {carousel.argument = #carousel.argument<"y", out>}) attributes {carousel.program} {
  %buffer = memref.alloc(%n) : memref<?x16xf32, #gl>
  memref.copy %x, %buffer : !matrix to memref<?x16xf32, #gl>
  return
}

// REDEFINE: %{program} = negative
// RUN: not %{sim} 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: program-faults.mlir:[[@LINE+5]]:13: expected a contiguous buffer with extents that memory can have, got -1x16
func.func @negative(%x: !matrix {carousel.argument = #carousel.argument<"x", in>}, %n: index {carousel.argument = #carousel.argument<"n">},
    %y: !matrix {carousel.argument = #carousel.argument<"y", out>}) attributes {carousel.program} {
  %c4 = arith.constant 4 : index
  %m = arith.subi %n, %c4 : index
  %buffer = memref.alloc(%m) : memref<?x16xf32, #gl>
  return
}

// REDEFINE: %{program} = division
// RUN: not %{sim} 2>&1 | FileCheck %s --check-prefix=DIVISION
// DIVISION: program-faults.mlir:[[@LINE+4]]:8: expected 'arith.divui' to have a value for its operands
func.func @division(%x: !matrix {carousel.argument = #carousel.argument<"x", in>}, %n: index {carousel.argument = #carousel.argument<"n">},
    %y: !matrix {carousel.argument = #carousel.argument<"y", out>}) attributes {carousel.program} {
  %c0 = arith.constant 0 : index
  %m = arith.divui %n, %c0 : index
  return
}

// REDEFINE: %{program} = expand
// RUN: not %{sim} 2>&1 | FileCheck %s --check-prefix=EXPAND
// EXPAND: program-faults.mlir:[[@LINE+3]]:11: expected extents whose product is 8 for dimension 0, got 9
func.func @expand(%x: !matrix {carousel.argument = #carousel.argument<"x", in>}, %n: index {carousel.argument = #carousel.argument<"n">},
    %y: !matrix {carousel.argument = #carousel.argument<"y", out>}) attributes {carousel.program} {
  %view = memref.expand_shape %x [[0, 1], [2]] output_shape [%n, 3, %n] : !matrix into memref<?x3x?xf32, #gl>
  return
}

// REDEFINE: %{program} = collapse
// RUN: not %{sim} 2>&1 | FileCheck %s --check-prefix=COLLAPSE
// COLLAPSE: program-faults.mlir:[[@LINE+4]]:11: expected stride 8 in dimension 0, so that it can be collapsed, got 16
func.func @collapse(%x: !matrix {carousel.argument = #carousel.argument<"x", in>}, %n: index {carousel.argument = #carousel.argument<"n">},
    %y: !matrix {carousel.argument = #carousel.argument<"y", out>}) attributes {carousel.program} {
  %left = memref.subview %x[0, 0] [8, 8] [1, 1] : !matrix to memref<8x8xf32, strided<[?, 1]>, #gl>
  %view = memref.collapse_shape %left [[0, 1]] : memref<8x8xf32, strided<[?, 1]>, #gl> into memref<64xf32, strided<[1]>, #gl>
  return
}

// REDEFINE: %{program} = cast
// RUN: not %{sim} 2>&1 | FileCheck %s --check-prefix=CAST
// CAST: program-faults.mlir:[[@LINE+3]]:11: expected extent 9 in dimension 0 of the memref that is cast, got 8
func.func @cast(%x: !matrix {carousel.argument = #carousel.argument<"x", in>}, %n: index {carousel.argument = #carousel.argument<"n">},
    %y: !matrix {carousel.argument = #carousel.argument<"y", out>}) attributes {carousel.program} {
  %view = memref.cast %x : !matrix to memref<9x?xf32, #gl>
  return
}

// REDEFINE: %{program} = bytes
// RUN: not %{sim} 2>&1 | FileCheck %s --check-prefix=BYTES
// BYTES: program-faults.mlir:[[@LINE+5]]:11: expected a view inside of 64 bytes, got 3x4 elements of 4 bytes from 32 on
func.func @bytes(%x: !matrix {carousel.argument = #carousel.argument<"x", in>}, %n: index {carousel.argument = #carousel.argument<"n">},
    %y: !matrix {carousel.argument = #carousel.argument<"y", out>}) attributes {carousel.program} {
  %c32 = arith.constant 32 : index
  %arena = memref.alloc() : memref<64xi8, #gl>
  %view = memref.view %arena[%c32][%n] : memref<64xi8, #gl> to memref<?x4xf32, #gl>
  return
}

// REDEFINE: %{program} = read
// RUN: not %{sim} 2>&1 | FileCheck %s --check-prefix=READ
// READ: program-faults.mlir:[[@LINE+4]]:8: expected an op that a program on buffers has, got 'memref.load'
func.func @read(%x: !matrix {carousel.argument = #carousel.argument<"x", in>}, %n: index {carousel.argument = #carousel.argument<"n">},
    %y: !matrix {carousel.argument = #carousel.argument<"y", out>}) attributes {carousel.program} {
  %c0 = arith.constant 0 : index
  %v = memref.load %x[%c0, %c0] : !matrix
  return
}

// REDEFINE: %{program} = unwritten
// RUN: not %{sim} 2>&1 | FileCheck %s --check-prefix=UNWRITTEN
// UNWRITTEN: [unwritten-read]
// UNWRITTEN: of @copy launched at {{.*}}program-faults.mlir:[[@LINE+6]]:3
// UNWRITTEN: buffer: buffer, bytes 0 to 3
func.func @unwritten(%x: !matrix {carousel.argument = #carousel.argument<"x", in>}, %n: index {carousel.argument = #carousel.argument<"n">},
    %y: !matrix {carousel.argument = #carousel.argument<"y", out>}) attributes {carousel.program} {
  %buffer = memref.alloc(%n) : memref<?x16xf32, #gl>
  carousel.launch_kernel @kernels::@copy ins(%x : !matrix) outs(%y : !matrix)
  carousel.launch_kernel @kernels::@copy ins(%buffer : memref<?x16xf32, #gl>) outs(%y : !matrix)
  return
}

// Buffers in a workspace begin unwritten, too. The machine allocates it.
// REDEFINE: %{program} = workspace
// RUN: not %{sim} 2>&1 | FileCheck %s --check-prefix=WORKSPACE
// WORKSPACE: [unwritten-read]
// WORKSPACE: buffer: view, bytes 128 to 131
func.func @workspace(%x: !matrix {carousel.argument = #carousel.argument<"x", in>}, %n: index {carousel.argument = #carousel.argument<"n">},
    %y: !matrix {carousel.argument = #carousel.argument<"y", out>},
    %w: memref<?xi8, #gl> {carousel.argument = #carousel.argument<"w">, carousel.workspace = #carousel.workspace<[scalar(1) * 64]>})
    attributes {carousel.program} {
  %c0 = arith.constant 0 : index
  %view = memref.view %w[%c0][%n] : memref<?xi8, #gl> to memref<?x16xf32, #gl>
  %written = memref.subview %view[0, 0] [2, 16] [1, 1] : memref<?x16xf32, #gl> to memref<2x16xf32, strided<[16, 1]>, #gl>
  carousel.launch_kernel @kernels::@fill_all outs(%written : memref<2x16xf32, strided<[16, 1]>, #gl>)
  carousel.launch_kernel @kernels::@copy ins(%view : memref<?x16xf32, #gl>) outs(%y : !matrix)
  return
}

// REDEFINE: %{program} = outside
// RUN: not %{sim} 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// OUTSIDE: [out-of-bounds]
// OUTSIDE: of @past_the_end launched at {{.*}}program-faults.mlir:[[@LINE+4]]:3
func.func @outside(%x: !matrix {carousel.argument = #carousel.argument<"x", in>}, %n: index {carousel.argument = #carousel.argument<"n">},
    %y: !matrix {carousel.argument = #carousel.argument<"y", out>}) attributes {carousel.program} {
  carousel.launch_kernel @kernels::@copy ins(%x : !matrix) outs(%y : !matrix)
  carousel.launch_kernel @kernels::@past_the_end outs(%y : !matrix)
  return
}

// No variant is for 8 rows of 15.
// REDEFINE: %{program} = no_variant
// RUN: not %{sim} 2>&1 | FileCheck %s --check-prefix=VARIANT
// VARIANT: program-faults.mlir:[[@LINE+4]]:3: expected a variant of @kernels::@fill whose guards hold, got @fill_3 without #carousel.guard<equal(extent(0, 0), 3)>, @fill_8 without #carousel.guard<divisible(extent(0, 1), 16)>, @fill_9
func.func @no_variant(%x: !matrix {carousel.argument = #carousel.argument<"x", in>}, %n: index {carousel.argument = #carousel.argument<"n">},
    %y: !matrix {carousel.argument = #carousel.argument<"y", out>}) attributes {carousel.program} {
  %left = memref.subview %y[0, 0] [8, 15] [1, 1] : !matrix to memref<8x15xf32, strided<[?, 1]>, #gl>
  carousel.launch_kernel @kernels::@fill outs(%left : memref<8x15xf32, strided<[?, 1]>, #gl>)
  return
}

// REDEFINE: %{program} = unknown_op
// RUN: not %{sim} 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: the simulated machine doesn't know this operation: 'nvvm.barrier0'
// UNKNOWN: program-faults.mlir:[[@LINE+4]]:3: expected a kernel that the simulated machine can compile, got @kernels::fill_9
func.func @unknown_op(%x: !matrix {carousel.argument = #carousel.argument<"x", in>}, %n: index {carousel.argument = #carousel.argument<"n">},
    %y: !matrix {carousel.argument = #carousel.argument<"y", out>}) attributes {carousel.program} {
  %nine = memref.alloc() : memref<9x16xf32, #gl>
  carousel.launch_kernel @kernels::@fill outs(%nine : memref<9x16xf32, #gl>)
  return
}

// Each launch has its own variant.
// RUN: carousel-sim %s --program @variants --arg y=empty:8x16 --reference @variants_reference
// RUN: not carousel-sim %s --chip sm_75 --program @variants --arg y=empty:8x16 2>&1 | FileCheck %s --check-prefix=CHIP
// CHIP: got @fill_3 without #carousel.guard<capability(80)>, @fill_8 without #carousel.guard<range(extent(0, 0), 4, 8)>
func.func @variants(%y: !matrix {carousel.argument = #carousel.argument<"y", out>}) attributes {carousel.program} {
  %rows = memref.subview %y[3, 0] [3, 16] [1, 1] : !matrix to memref<3x16xf32, strided<[?, 1], offset: ?>, #gl>
  carousel.launch_kernel @kernels::@fill outs(%y : !matrix)
  carousel.launch_kernel @kernels::@fill outs(%rows : memref<3x16xf32, strided<[?, 1], offset: ?>, #gl>)
  return
}

func.func @variants_reference(%y: !matrix) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %three = arith.constant 3.0 : f32
  %eight = arith.constant 8.0 : f32
  memref.store %eight, %y[%c0, %c0] : !matrix
  memref.store %three, %y[%c3, %c0] : !matrix
  return
}

// Launches of a kernel share its workspace, which is zero at first. Memory of a buffer is that of a view.
// RUN: carousel-sim %s --program @counted --arg y=empty:3 --expect y=iota:3
func.func @counted(%y: memref<3xi32, #gl> {carousel.argument = #carousel.argument<"y", out>}) attributes {carousel.program} {
  %c16 = arith.constant 16 : index
  %arena = memref.alloc() : memref<32xi8, #gl>
  %first = memref.view %arena[%c16][] : memref<32xi8, #gl> to memref<1xi32, #gl>
  %y0 = memref.subview %y[0] [1] [1] : memref<3xi32, #gl> to memref<1xi32, strided<[1]>, #gl>
  %y1 = memref.subview %y[1] [1] [1] : memref<3xi32, #gl> to memref<1xi32, strided<[1], offset: 1>, #gl>
  %y2 = memref.subview %y[2] [1] [1] : memref<3xi32, #gl> to memref<1xi32, strided<[1], offset: 2>, #gl>
  carousel.launch_kernel @kernels::@count outs(%first : memref<1xi32, #gl>)
  carousel.launch_kernel @kernels::@count outs(%y1 : memref<1xi32, strided<[1], offset: 1>, #gl>)
  carousel.launch_kernel @kernels::@count outs(%y2 : memref<1xi32, strided<[1], offset: 2>, #gl>)
  linalg.copy ins(%first : memref<1xi32, #gl>) outs(%y0 : memref<1xi32, strided<[1]>, #gl>)
  return
}
