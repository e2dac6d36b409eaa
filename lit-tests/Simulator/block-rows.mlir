// Rows at the block phase, of all lengths up to the width: elements beyond the end are padding, and
// writes beyond are dropped. The sums have the order of the reference's.
// DEFINE: %{n} = 1
// DEFINE: %{softmax} = carousel-sim %s --kernel @softmax --arg x=random:5x%{n} --arg y=like:x --reference @softmax_reference
// DEFINE: %{rmsnorm} = carousel-sim %s --kernel @rmsnorm --arg x=random:5x%{n} --arg w=random:%{n}:1 --arg y=like:x --reference @rmsnorm_reference
// RUN: %{softmax}
// RUN: %{rmsnorm}
// REDEFINE: %{n} = 7
// RUN: %{softmax} --schedules 4
// RUN: %{rmsnorm} --schedules 4
// REDEFINE: %{n} = 4095
// RUN: %{softmax}
// RUN: %{rmsnorm}
// REDEFINE: %{n} = 4096
// RUN: %{softmax}
// RUN: %{rmsnorm}

// A launch's block and cluster are those of later phases. This phase has one thread in a CTA, so another block can't be asked for.
// RUN: carousel-sim %s --kernel @softmax --arg x=random:5x7 --arg y=like:x | FileCheck %s --check-prefix=THREADS
// THREADS: softmax: 5 threads
// RUN: not carousel-sim %s --kernel @softmax --block 32 --arg x=random:5x7 --arg y=like:x 2>&1 | FileCheck %s --check-prefix=BLOCK
// BLOCK: expected one thread in a CTA and one CTA in a cluster of a block program, got 32 and 1

!matrix = memref<?x?xbf16, strided<[?, 1], offset: ?>, #gpu.address_space<global>>
gpu.module @m {
  gpu.func @softmax(%x: !matrix {carousel.argument = #carousel.argument<"x", in>},
                    %y: !matrix {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 4096, covers = extent(0, 1)>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)], block = [128]>} {
    %c0 = arith.constant 0 : index
    %lowest = arith.constant 0xFF80 : bf16
    %lowest32 = arith.constant 0xFF800000 : f32
    %zero = arith.constant 0.0 : f32
    %row = gpu.block_id x
    %v = vector.transfer_read %x[%row, %c0], %lowest : !matrix, vector<4096xbf16>
    %e = arith.extf %v : vector<4096xbf16> to vector<4096xf32>
    %max = vector.multi_reduction <maxnumf>, %e, %lowest32 [0] : vector<4096xf32> to f32
    %maxes = vector.broadcast %max : f32 to vector<4096xf32>
    %d = arith.subf %e, %maxes : vector<4096xf32>
    %p = math.exp %d : vector<4096xf32>
    %sum = vector.multi_reduction <add>, %p, %zero [0] : vector<4096xf32> to f32
    %sums = vector.broadcast %sum : f32 to vector<4096xf32>
    %q = arith.divf %p, %sums : vector<4096xf32>
    %o = arith.truncf %q : vector<4096xf32> to vector<4096xbf16>
    vector.transfer_write %o, %y[%row, %c0] : vector<4096xbf16>, !matrix
    gpu.return
  }

  // The grid states no block.
  gpu.func @rmsnorm(%x: !matrix {carousel.argument = #carousel.argument<"x", in>},
                    %w: memref<?xbf16, #gpu.address_space<global>> {carousel.argument = #carousel.argument<"w", in>},
                    %y: !matrix {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [min(extent(0, 0), resident)]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero16 = arith.constant 0.0 : bf16
    %zero = arith.constant 0.0 : f32
    %epsilon = arith.constant 1.0e-5 : f32
    %rows = memref.dim %x, %c0 : !matrix
    %n = memref.dim %x, %c1 : !matrix
    %n32 = arith.index_cast %n : index to i32
    %count = arith.sitofp %n32 : i32 to f32
    %first = gpu.block_id x
    %step = gpu.grid_dim x
    %ws = vector.transfer_read %w[%c0], %zero16 : memref<?xbf16, #gpu.address_space<global>>, vector<4096xbf16>
    %we = arith.extf %ws : vector<4096xbf16> to vector<4096xf32>
    scf.for %row = %first to %rows step %step {
      %v = vector.transfer_read %x[%row, %c0], %zero16 : !matrix, vector<1x4096xbf16>
      %flat = vector.shape_cast %v : vector<1x4096xbf16> to vector<4096xbf16>
      %e = arith.extf %flat : vector<4096xbf16> to vector<4096xf32>
      %squares = arith.mulf %e, %e : vector<4096xf32>
      %sum = vector.multi_reduction <add>, %squares, %zero [0] : vector<4096xf32> to f32
      %mean = arith.divf %sum, %count : f32
      %shifted = arith.addf %mean, %epsilon : f32
      %scale = math.rsqrt %shifted : f32
      %scales = vector.broadcast %scale : f32 to vector<4096xf32>
      %normed = arith.mulf %e, %scales : vector<4096xf32>
      %scaled = arith.mulf %normed, %we : vector<4096xf32>
      %o = arith.truncf %scaled : vector<4096xf32> to vector<4096xbf16>
      vector.transfer_write %o, %y[%row, %c0] : vector<4096xbf16>, !matrix
    }
    gpu.return
  }
}

func.func @softmax_reference(%x: memref<?x?xbf16>, %y: memref<?x?xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %rows = memref.dim %x, %c0 : memref<?x?xbf16>
  %n = memref.dim %x, %c1 : memref<?x?xbf16>
  scf.for %row = %c0 to %rows step %c1 {
    %max = scf.for %i = %c0 to %n step %c1 iter_args(%m = %lowest) -> f32 {
      %v = memref.load %x[%row, %i] : memref<?x?xbf16>
      %e = arith.extf %v : bf16 to f32
      %next = arith.maxnumf %m, %e : f32
      scf.yield %next : f32
    }
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> f32 {
      %v = memref.load %x[%row, %i] : memref<?x?xbf16>
      %e = arith.extf %v : bf16 to f32
      %d = arith.subf %e, %max : f32
      %p = math.exp %d : f32
      %next = arith.addf %s, %p : f32
      scf.yield %next : f32
    }
    scf.for %i = %c0 to %n step %c1 {
      %v = memref.load %x[%row, %i] : memref<?x?xbf16>
      %e = arith.extf %v : bf16 to f32
      %d = arith.subf %e, %max : f32
      %p = math.exp %d : f32
      %q = arith.divf %p, %sum : f32
      %o = arith.truncf %q : f32 to bf16
      memref.store %o, %y[%row, %i] : memref<?x?xbf16>
    }
  }
  return
}

func.func @rmsnorm_reference(%x: memref<?x?xbf16>, %w: memref<?xbf16>, %y: memref<?x?xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %epsilon = arith.constant 1.0e-5 : f32
  %rows = memref.dim %x, %c0 : memref<?x?xbf16>
  %n = memref.dim %x, %c1 : memref<?x?xbf16>
  %n32 = arith.index_cast %n : index to i32
  %count = arith.sitofp %n32 : i32 to f32
  scf.for %row = %c0 to %rows step %c1 {
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> f32 {
      %v = memref.load %x[%row, %i] : memref<?x?xbf16>
      %e = arith.extf %v : bf16 to f32
      %square = arith.mulf %e, %e : f32
      %next = arith.addf %s, %square : f32
      scf.yield %next : f32
    }
    %mean = arith.divf %sum, %count : f32
    %shifted = arith.addf %mean, %epsilon : f32
    %scale = math.rsqrt %shifted : f32
    scf.for %i = %c0 to %n step %c1 {
      %v = memref.load %x[%row, %i] : memref<?x?xbf16>
      %e = arith.extf %v : bf16 to f32
      %normed = arith.mulf %e, %scale : f32
      %wv = memref.load %w[%i] : memref<?xbf16>
      %we = arith.extf %wv : bf16 to f32
      %scaled = arith.mulf %normed, %we : f32
      %o = arith.truncf %scaled : f32 to bf16
      memref.store %o, %y[%row, %i] : memref<?x?xbf16>
    }
  }
  return
}
