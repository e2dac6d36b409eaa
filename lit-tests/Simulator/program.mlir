// Programs of block-phase kernels: buffers between launches, slices, reshapes, fills and copies, with
// ragged extents.
// RUN: carousel-opt %s --carousel-lower-program -o %t.mlir
// DEFINE: %{m} = 1
// DEFINE: %{n} = 1
// DEFINE: %{k} = 2
// DEFINE: %{scaled} = carousel-sim %t.mlir --quiet --program @scaled_softmax --arg arg0=random:%{m}x%{n} --arg arg1=3 --arg result0=like:arg0 --reference @scaled_softmax_reference
// DEFINE: %{halves} = carousel-sim %t.mlir --quiet --program @halves --arg arg0=random:%{m}x%{k} --arg result0=empty:%{m}x%{n} --arg result1=like:arg0 --reference @halves_reference
// RUN: %{scaled}
// RUN: %{halves}
// REDEFINE: %{m} = 7
// REDEFINE: %{n} = 67
// REDEFINE: %{k} = 134
// RUN: %{scaled} --schedules 4
// RUN: %{halves} --schedules 4
// REDEFINE: %{m} = 67
// REDEFINE: %{n} = 7
// REDEFINE: %{k} = 14
// RUN: %{scaled} --policy all
// RUN: %{halves} --policy all
// With all buffers in one workspace.
// RUN: carousel-opt %s --carousel-lower-program --carousel-plan-workspace -o %t.mlir
// RUN: %{scaled}
// RUN: %{halves}
// With kernels at the machine phase, of whose variants each launch has one. Sums have another order.
// RUN: carousel-opt %s --carousel-lower-program --carousel-plan-workspace --carousel-lower=chip=sm_90a -o %t.lowered.mlir
// DEFINE: %{lowered} = carousel-sim %t.lowered.mlir --program @scaled_softmax --arg arg0=random:%{m}x%{n} --arg arg1=3 --arg result0=like:arg0 --reference @scaled_softmax_reference --rtol 1e-5
// RUN: %{lowered}
// REDEFINE: %{n} = 64
// RUN: %{lowered}
// REDEFINE: %{n} = 1
// RUN: %{lowered}
// DEFINE: %{reshaped} = carousel-sim %t.mlir --program @reshaped --arg x=random:%{k} --arg result0=like:x --arg result1=like:x --reference @reshaped_reference
// REDEFINE: %{k} = 21
// RUN: %{reshaped} | FileCheck %s --check-prefix=RESHAPED
// A CTA for each row, and one for the copy of x.
// RESHAPED: reshaped: 8 threads
// REDEFINE: %{k} = 0
// RUN: %{reshaped}

// Extents that the program computes aren't those that the caller passes.
// REDEFINE: %{k} = 22
// RUN: not %{reshaped} 2>&1 | FileCheck %s --check-prefix=EXTENT
// EXTENT: expected result0 to have the extent that the program computes in dimension 0

#gl = #gpu.address_space<global>
!rows = memref<?x?xf32, strided<[?, 1], offset: ?>, #gl>
!plain = memref<?x?xf32, #gl>

gpu.module @kernels {
  gpu.func @softmax(%x: !rows {carousel.argument = #carousel.argument<"x", in>},
                    %y: !rows {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 128, covers = extent(0, 1)>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)]>} {
    %c0 = arith.constant 0 : index
    %lowest = arith.constant 0xFF800000 : f32
    %zero = arith.constant 0.0 : f32
    %row = gpu.block_id x
    %v = vector.transfer_read %x[%row, %c0], %lowest : !rows, vector<128xf32>
    %max = vector.multi_reduction <maxnumf>, %v, %lowest [0] : vector<128xf32> to f32
    %maxes = vector.broadcast %max : f32 to vector<128xf32>
    %d = arith.subf %v, %maxes : vector<128xf32>
    %p = math.exp %d : vector<128xf32>
    %sum = vector.multi_reduction <add>, %p, %zero [0] : vector<128xf32> to f32
    %sums = vector.broadcast %sum : f32 to vector<128xf32>
    %q = arith.divf %p, %sums : vector<128xf32>
    vector.transfer_write %q, %y[%row, %c0] : vector<128xf32>, !rows
    gpu.return
  }
  gpu.func @scale(%x: !plain {carousel.argument = #carousel.argument<"x", in>}, %a: f32,
                  %y: !plain {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %row = gpu.block_id x
    %v = vector.transfer_read %x[%row, %c0], %zero : !plain, vector<128xf32>
    %as = vector.broadcast %a : f32 to vector<128xf32>
    %s = arith.mulf %v, %as : vector<128xf32>
    vector.transfer_write %s, %y[%row, %c0] : vector<128xf32>, !plain
    gpu.return
  }
  gpu.func @add(%x: !rows {carousel.argument = #carousel.argument<"x", in>},
                %sum: !rows {carousel.argument = #carousel.argument<"sum", inout>}) kernel attributes {
      carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %row = gpu.block_id x
    %v = vector.transfer_read %x[%row, %c0], %zero : !rows, vector<128xf32>
    %w = vector.transfer_read %sum[%row, %c0], %zero : !rows, vector<128xf32>
    %s = arith.addf %v, %w : vector<128xf32>
    vector.transfer_write %s, %sum[%row, %c0] : vector<128xf32>, !rows
    gpu.return
  }
}

// scale(softmax(x), a), through a buffer.
func.func @scaled_softmax(%x: tensor<?x?xf32>, %a: f32) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %p = carousel.launch_kernel @kernels::@softmax ins(%x : tensor<?x?xf32>)
      outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %y = carousel.launch_kernel @kernels::@scale ins(%p, %a : tensor<?x?xf32>, f32)
      outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// x is [m, 2n]: the softmax of its left half, added to its right half, which starts from ones.
func.func @halves(%x: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %w = tensor.dim %x, %c1 : tensor<?x?xf32>
  %n = arith.divui %w, %c2 : index
  %left = tensor.extract_slice %x[0, 0] [%m, %n] [1, 1] : tensor<?x?xf32> to tensor<?x?xf32>
  %right = tensor.extract_slice %x[0, %n] [%m, %n] [1, 1] : tensor<?x?xf32> to tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %p = carousel.launch_kernel @kernels::@softmax ins(%left : tensor<?x?xf32>)
      outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %ones = linalg.fill ins(%one : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %s = carousel.launch_kernel @kernels::@add ins(%right : tensor<?x?xf32>)
      outs(%ones : tensor<?x?xf32>) -> tensor<?x?xf32>
  %t = carousel.launch_kernel @kernels::@add ins(%p : tensor<?x?xf32>)
      outs(%s : tensor<?x?xf32>) -> tensor<?x?xf32>
  // Both halves once more, side by side: the kernel needs them contiguous.
  %f = tensor.empty(%m, %w) : tensor<?x?xf32>
  %d = carousel.launch_kernel @kernels::@scale ins(%right, %two : tensor<?x?xf32>, f32)
      outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %f0 = tensor.insert_slice %t into %f[0, 0] [%m, %n] [1, 1] : tensor<?x?xf32> into tensor<?x?xf32>
  %f1 = tensor.insert_slice %d into %f0[0, %n] [%m, %n] [1, 1] : tensor<?x?xf32> into tensor<?x?xf32>
  return %t, %f1 : tensor<?x?xf32>, tensor<?x?xf32>
}

// x has rows of 3. It is a result itself, too.
func.func @reshaped(%x: tensor<?xf32> {carousel.argument = #carousel.argument<"x", in>}) -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %k = tensor.dim %x, %c0 : tensor<?xf32>
  %m = arith.divui %k, %c3 : index
  %rows = tensor.expand_shape %x [[0, 1]] output_shape [%m, 3] : tensor<?xf32> into tensor<?x3xf32>
  %e = tensor.empty(%m) : tensor<?x3xf32>
  %p = carousel.launch_kernel @kernels::@softmax ins(%rows : tensor<?x3xf32>)
      outs(%e : tensor<?x3xf32>) -> tensor<?x3xf32>
  %flat = tensor.collapse_shape %p [[0, 1]] : tensor<?x3xf32> into tensor<?xf32>
  return %flat, %x : tensor<?xf32>, tensor<?xf32>
}

!host = memref<?x?xf32, strided<[?, ?], offset: ?>, #gl>
func.func private @softmax_of(%x: !host, %y: !host) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %m = memref.dim %x, %c0 : !host
  %n = memref.dim %x, %c1 : !host
  scf.for %i = %c0 to %m step %c1 {
    %max = scf.for %j = %c0 to %n step %c1 iter_args(%most = %lowest) -> f32 {
      %v = memref.load %x[%i, %j] : !host
      %next = arith.maxnumf %most, %v : f32
      scf.yield %next : f32
    }
    %sum = scf.for %j = %c0 to %n step %c1 iter_args(%all = %zero) -> f32 {
      %v = memref.load %x[%i, %j] : !host
      %d = arith.subf %v, %max : f32
      %e = math.exp %d : f32
      memref.store %e, %y[%i, %j] : !host
      %next = arith.addf %all, %e : f32
      scf.yield %next : f32
    }
    scf.for %j = %c0 to %n step %c1 {
      %e = memref.load %y[%i, %j] : !host
      %q = arith.divf %e, %sum : f32
      memref.store %q, %y[%i, %j] : !host
    }
  }
  return
}

func.func @scaled_softmax_reference(%x: !plain, %a: f32, %y: !plain) {
  %from = memref.cast %x : !plain to !host
  %to = memref.cast %y : !plain to !host
  func.call @softmax_of(%from, %to) : (!host, !host) -> ()
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      outs(%y : !plain) {
  ^body(%v: f32):
    %s = arith.mulf %v, %a : f32
    linalg.yield %s : f32
  }
  return
}

func.func @halves_reference(%x: !plain, %t: !plain, %both: !plain) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  %m = memref.dim %t, %c0 : !plain
  %n = memref.dim %t, %c1 : !plain
  %left = memref.subview %x[0, 0] [%m, %n] [1, 1] : !plain to memref<?x?xf32, strided<[?, 1]>, #gl>
  %from = memref.cast %left : memref<?x?xf32, strided<[?, 1]>, #gl> to !host
  %to = memref.cast %t : !plain to !host
  func.call @softmax_of(%from, %to) : (!host, !host) -> ()
  scf.for %i = %c0 to %m step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      %k = arith.addi %j, %n : index
      %p = memref.load %t[%i, %j] : !plain
      %r = memref.load %x[%i, %k] : !plain
      %s = arith.addf %r, %one : f32
      %u = arith.addf %s, %p : f32
      memref.store %u, %t[%i, %j] : !plain
      memref.store %u, %both[%i, %j] : !plain
      %d = arith.mulf %r, %two : f32
      memref.store %d, %both[%i, %k] : !plain
    }
  }
  return
}

func.func @reshaped_reference(%x: memref<?xf32, #gl>, %y: memref<?xf32, #gl>, %again: memref<?xf32, #gl>) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %k = memref.dim %x, %c0 : memref<?xf32, #gl>
  %m = arith.divui %k, %c3 : index
  %from = memref.reinterpret_cast %x to offset: [%c0], sizes: [%m, 3], strides: [3, 1] : memref<?xf32, #gl> to memref<?x3xf32, strided<[3, 1], offset: ?>, #gl>
  %to = memref.reinterpret_cast %y to offset: [%c0], sizes: [%m, 3], strides: [3, 1] : memref<?xf32, #gl> to memref<?x3xf32, strided<[3, 1], offset: ?>, #gl>
  %rows = memref.cast %from : memref<?x3xf32, strided<[3, 1], offset: ?>, #gl> to !host
  %results = memref.cast %to : memref<?x3xf32, strided<[3, 1], offset: ?>, #gl> to !host
  func.call @softmax_of(%rows, %results) : (!host, !host) -> ()
  memref.copy %x, %again : memref<?xf32, #gl> to memref<?xf32, #gl>
  return
}
