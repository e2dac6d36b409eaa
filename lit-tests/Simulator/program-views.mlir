// A program's views are those of memref: the reference has the same views, and LLVM runs it. The offset
// of memref.reinterpret_cast counts from the memref's pointer, which slices keep, so a view of a slice
// may have elements before it.
// RUN: rm -rf %t && split-file %s %t
// DEFINE: %{run} = carousel-sim %t/views.mlir --quiet --arg x=random:48 --arg y=empty:4x5
// RUN: %{run} --program @of_slice --reference @of_slice_reference
// RUN: %{run} --program @of_parts --reference @of_parts_reference
// RUN: %{run} --program @of_buffer --reference @of_buffer_reference

// It has all elements of the buffer, and no others.
// RUN: not %{run} --program @outside 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// OUTSIDE: views.mlir:[[#]]:[[#]]: expected a view inside of 48 elements, got 20 from 29 on

// The package has the same views, with offsets in bytes.
// RUN: carousel-compile %t/slices.mlir -o %t/slices.pkg --chip sm_90a --emit=ptx --quiet
// DEFINE: %{values} = --quiet --program @slices --arg x=random:48 --arg y=empty:4x5
// RUN: carousel-sim %t/slices.mlir %{values} --reference @slices_reference --out y=%t/y.npy
// RUN: carousel-sim %t/slices.pkg %{values} --expect y=%t/y.npy

//--- views.mlir
#gl = #gpu.address_space<global>
!line = memref<48xf32, #gl>
!out = memref<4x5xf32, #gl>
!rows = memref<4x5xf32, strided<[?, ?], offset: ?>, #gl>

gpu.module @kernels {
  gpu.func @twice(%x: !rows {carousel.argument = #carousel.argument<"x", in>},
                  %y: !out {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.launch = #carousel.launch<grid = [4], block = [5]>} {
    %i = gpu.block_id x
    %j = gpu.thread_id x
    %value = memref.load %x[%i, %j] : !rows
    %sum = arith.addf %value, %value : f32
    memref.store %sum, %y[%i, %j] : !out
    gpu.return
  }
}
func.func private @twice_of(%x: !rows, %y: !out) {
  linalg.add ins(%x, %x : !rows, !rows) outs(%y : !out)
  return
}

func.func @of_slice(%x: !line {carousel.argument = #carousel.argument<"x", in>},
    %y: !out {carousel.argument = #carousel.argument<"y", out>}) attributes {carousel.program} {
  %first = arith.constant 7 : index
  %slice = memref.subview %x[%first] [4] [2] : !line to memref<4xf32, strided<[2], offset: ?>, #gl>
  %view = memref.reinterpret_cast %slice to offset: [1], sizes: [4, 5], strides: [5, 2]
      : memref<4xf32, strided<[2], offset: ?>, #gl> to memref<4x5xf32, strided<[5, 2], offset: 1>, #gl>
  %rows = memref.cast %view : memref<4x5xf32, strided<[5, 2], offset: 1>, #gl> to !rows
  carousel.launch_kernel @kernels::@twice ins(%rows : !rows) outs(%y : !out)
  return
}
func.func @of_slice_reference(%x: !line, %y: !out) {
  %first = arith.constant 7 : index
  %slice = memref.subview %x[%first] [4] [2] : !line to memref<4xf32, strided<[2], offset: ?>, #gl>
  %view = memref.reinterpret_cast %slice to offset: [1], sizes: [4, 5], strides: [5, 2]
      : memref<4xf32, strided<[2], offset: ?>, #gl> to memref<4x5xf32, strided<[5, 2], offset: 1>, #gl>
  %rows = memref.cast %view : memref<4x5xf32, strided<[5, 2], offset: 1>, #gl> to !rows
  func.call @twice_of(%rows, %y) : (!rows, !out) -> ()
  return
}

func.func @of_parts(%x: !line {carousel.argument = #carousel.argument<"x", in>},
    %y: !out {carousel.argument = #carousel.argument<"y", out>}) attributes {carousel.program} {
  %first = arith.constant 7 : index
  %slice = memref.subview %x[%first] [4] [2] : !line to memref<4xf32, strided<[2], offset: ?>, #gl>
  %base, %offset, %size, %stride = memref.extract_strided_metadata %slice
      : memref<4xf32, strided<[2], offset: ?>, #gl> -> memref<f32, #gl>, index, index, index
  %rows = memref.reinterpret_cast %base to offset: [%offset], sizes: [4, 5], strides: [%size, %stride] : memref<f32, #gl> to !rows
  carousel.launch_kernel @kernels::@twice ins(%rows : !rows) outs(%y : !out)
  return
}
func.func @of_parts_reference(%x: !line, %y: !out) {
  %first = arith.constant 7 : index
  %slice = memref.subview %x[%first] [4] [2] : !line to memref<4xf32, strided<[2], offset: ?>, #gl>
  %base, %offset, %size, %stride = memref.extract_strided_metadata %slice
      : memref<4xf32, strided<[2], offset: ?>, #gl> -> memref<f32, #gl>, index, index, index
  %rows = memref.reinterpret_cast %base to offset: [%offset], sizes: [4, 5], strides: [%size, %stride] : memref<f32, #gl> to !rows
  func.call @twice_of(%rows, %y) : (!rows, !out) -> ()
  return
}

func.func @of_buffer(%x: !line {carousel.argument = #carousel.argument<"x", in>},
    %y: !out {carousel.argument = #carousel.argument<"y", out>}) attributes {carousel.program} {
  %first = arith.constant 7 : index
  %bytes = memref.alloc() : memref<256xi8, #gl>
  %shift = arith.constant 64 : index
  %buffer = memref.view %bytes[%shift][] : memref<256xi8, #gl> to !line
  memref.copy %x, %buffer : !line to !line
  %slice = memref.subview %buffer[%first] [20] [1] : !line to memref<20xf32, strided<[1], offset: ?>, #gl>
  %view = memref.reinterpret_cast %slice to offset: [%first], sizes: [4, 5], strides: [5, 1]
      : memref<20xf32, strided<[1], offset: ?>, #gl> to memref<4x5xf32, strided<[5, 1], offset: ?>, #gl>
  %rows = memref.cast %view : memref<4x5xf32, strided<[5, 1], offset: ?>, #gl> to !rows
  carousel.launch_kernel @kernels::@twice ins(%rows : !rows) outs(%y : !out)
  return
}
func.func @of_buffer_reference(%x: !line, %y: !out) {
  %first = arith.constant 7 : index
  %bytes = memref.alloc() : memref<256xi8, #gl>
  %shift = arith.constant 64 : index
  %buffer = memref.view %bytes[%shift][] : memref<256xi8, #gl> to !line
  memref.copy %x, %buffer : !line to !line
  %slice = memref.subview %buffer[%first] [20] [1] : !line to memref<20xf32, strided<[1], offset: ?>, #gl>
  %view = memref.reinterpret_cast %slice to offset: [%first], sizes: [4, 5], strides: [5, 1]
      : memref<20xf32, strided<[1], offset: ?>, #gl> to memref<4x5xf32, strided<[5, 1], offset: ?>, #gl>
  %rows = memref.cast %view : memref<4x5xf32, strided<[5, 1], offset: ?>, #gl> to !rows
  func.call @twice_of(%rows, %y) : (!rows, !out) -> ()
  return
}

func.func @outside(%x: !line {carousel.argument = #carousel.argument<"x", in>},
    %y: !out {carousel.argument = #carousel.argument<"y", out>}) attributes {carousel.program} {
  %first = arith.constant 7 : index
  %slice = memref.subview %x[%first] [4] [2] : !line to memref<4xf32, strided<[2], offset: ?>, #gl>
  %rows = memref.reinterpret_cast %slice to offset: [29], sizes: [4, 5], strides: [5, 1]
      : memref<4xf32, strided<[2], offset: ?>, #gl> to memref<4x5xf32, strided<[5, 1], offset: 29>, #gl>
  return
}

//--- slices.mlir
#gl = #gpu.address_space<global>
!line = memref<48xf32, #gl>
!out = memref<4x5xf32, #gl>
!rows = memref<4x5xf32, strided<[?, ?], offset: ?>, #gl>

gpu.module @kernels {
  gpu.func @twice(%x: !rows {carousel.argument = #carousel.argument<"x", in>},
                  %y: !out {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.launch = #carousel.launch<grid = [4], block = [5]>} {
    %i = gpu.block_id x
    %j = gpu.thread_id x
    %value = memref.load %x[%i, %j] : !rows
    %sum = arith.addf %value, %value : f32
    memref.store %sum, %y[%i, %j] : !out
    gpu.return
  }
}
func.func private @twice_of(%x: !rows, %y: !out) {
  linalg.add ins(%x, %x : !rows, !rows) outs(%y : !out)
  return
}

func.func @slices(%x: !line {carousel.argument = #carousel.argument<"x", in>},
    %y: !out {carousel.argument = #carousel.argument<"y", out>}) attributes {carousel.program} {
  %first = arith.constant 7 : index
  %buffer = memref.alloc() : !line
  memref.copy %x, %buffer : !line to !line
  %slice = memref.subview %buffer[%first] [40] [1] : !line to memref<40xf32, strided<[1], offset: ?>, #gl>
  %all = memref.expand_shape %slice [[0, 1]] output_shape [4, 10] : memref<40xf32, strided<[1], offset: ?>, #gl> into memref<4x10xf32, strided<[10, 1], offset: ?>, #gl>
  %some = memref.subview %all[0, 1] [4, 5] [1, 2] : memref<4x10xf32, strided<[10, 1], offset: ?>, #gl> to memref<4x5xf32, strided<[10, 2], offset: ?>, #gl>
  %rows = memref.cast %some : memref<4x5xf32, strided<[10, 2], offset: ?>, #gl> to !rows
  carousel.launch_kernel @kernels::@twice ins(%rows : !rows) outs(%y : !out)
  return
}
func.func @slices_reference(%x: !line, %y: !out) {
  %first = arith.constant 7 : index
  %buffer = memref.alloc() : !line
  memref.copy %x, %buffer : !line to !line
  %slice = memref.subview %buffer[%first] [40] [1] : !line to memref<40xf32, strided<[1], offset: ?>, #gl>
  %all = memref.expand_shape %slice [[0, 1]] output_shape [4, 10] : memref<40xf32, strided<[1], offset: ?>, #gl> into memref<4x10xf32, strided<[10, 1], offset: ?>, #gl>
  %some = memref.subview %all[0, 1] [4, 5] [1, 2] : memref<4x10xf32, strided<[10, 1], offset: ?>, #gl> to memref<4x5xf32, strided<[10, 2], offset: ?>, #gl>
  %rows = memref.cast %some : memref<4x5xf32, strided<[10, 2], offset: ?>, #gl> to !rows
  func.call @twice_of(%rows, %y) : (!rows, !out) -> ()
  return
}
