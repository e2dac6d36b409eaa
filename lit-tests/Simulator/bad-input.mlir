// Bad input ends in one line and exit status 2: an op that the machine doesn't know, at its location;
// arguments, launches and references that don't fit. A runaway kernel ends with where its warps stand.
// DEFINE: %{sim} = %python %S/../Tools/carousel-run/Inputs/status.py 2 carousel-sim %s

// RUN: %{sim} --kernel @unknown --arg y=empty:4 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: bad-input.mlir:[[#@LINE+51]]:5: error: the simulated machine doesn't know this operation: 'nvvm.barrier0'
// RUN: %{sim} --kernel @none 2>&1 | FileCheck %s --check-prefix=KERNEL
// KERNEL: carousel-sim: error: expected --kernel with one of @m::@copy, {{.*}}, got 'none'

// RUN: %{sim} --kernel @copy --arg x=iota:4 --arg n=3 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: carousel-sim: error: expected a value for tensor<?xf32> y (out), got none; give --arg y=empty:SHAPE
// RUN: %{sim} --kernel @copy --arg x=iota:4 --arg n=3 --arg y=empty:4 --arg z=zeros:4 2>&1 | FileCheck %s --check-prefix=MORE
// MORE: carousel-sim: error: expected an argument of copy (x, n, y), got 'z'
// RUN: %{sim} --kernel @copy --arg x=iota:5 --arg n=3 --arg y=empty:4 2>&1 | FileCheck %s --check-prefix=EXTENT
// EXTENT: carousel-sim: error: x: expected the extent 4 in dimension 0, got 5
// RUN: %{sim} --kernel @copy --arg x=iota:2x2 --arg n=3 --arg y=empty:4 2>&1 | FileCheck %s --check-prefix=RANK
// RANK: carousel-sim: error: x: expected 1 dimension, got 2
// RUN: %{sim} --kernel @copy --arg x=iota:4 --arg n=3.5 --arg y=empty:4 2>&1 | FileCheck %s --check-prefix=NUMBER
// NUMBER: carousel-sim: error: n: expected an integer, got '3.5'
// RUN: %{sim} --kernel @maps --arg maps=zeros:2 2>&1 | FileCheck %s --check-prefix=MAPS
// MAPS: carousel-sim: error: argument maps of maps: expected a memref of numbers, a number or an index, got memref<2x!carousel.tensor_map<8x16xf32>

// RUN: %{sim} --kernel @spin --arg flag=zeros:1 2>&1 | FileCheck %s --check-prefix=LAUNCH
// LAUNCH: carousel-sim: error: expected a grid and a block for a kernel without carousel.launch
// RUN: %{sim} --kernel @spin --arg flag=zeros:1 --grid 1 --block 1025 2>&1 | FileCheck %s --check-prefix=BLOCK
// BLOCK: carousel-sim: error: expected extents of block and cluster of 1 to 1024, got 1025 x 1 x 1
// RUN: %{sim} --kernel @spin --arg flag=zeros:1 --grid 3 --block 32 --cluster 2 2>&1 | FileCheck %s --check-prefix=CLUSTER
// CLUSTER: carousel-sim: error: expected the grid to be a multiple of the cluster, got 3 and 2 in dimension 0
// RUN: %{sim} --kernel @spin --arg flag=zeros:1 --grid 1 --block 32 --policy slow 2>&1 | FileCheck %s --check-prefix=POLICY
// POLICY: carousel-sim: error: --policy: expected one of random, late-landing, {{.*}}, got 'slow'

// RUN: %{sim} --kernel @copy --arg x=iota:4 --arg n=3 --arg y=empty:4 --reference @few 2>&1 | FileCheck %s --check-prefix=FEW
// FEW: carousel-sim: error: expected --reference @few to take the 3 arguments of copy and to return nothing, got (memref<?xf32>) -> ()
// RUN: %{sim} --kernel @copy --arg x=iota:4 --arg n=3 --arg y=empty:4 --reference @ints 2>&1 | FileCheck %s --check-prefix=INTS
// INTS: carousel-sim: error: --reference @ints: expected an argument like tensor<4xf32> x (in), got memref<4xi32>
// RUN: %{sim} --kernel @copy --arg x=iota:4 --arg n=3 --arg y=empty:4 --expect y=iota:5 2>&1 | FileCheck %s --check-prefix=SHAPE
// SHAPE: carousel-sim: error: --expect y: expected the shape 4, got 5

// A runaway kernel: warp 0 waits for a flag that nothing sets, warp 1 for warp 0.
// RUN: not carousel-sim %s --kernel @spin --arg flag=zeros:1 --grid 1 --block 64 --step-limit 5000 2>&1 | FileCheck %s --check-prefix=LIMIT
// LIMIT: finding: [step-limit] expected the run to end within 5000 steps, found 64 threads of 1 CTA still there
// LIMIT: note: CTA 0, warp 0 (threads 0-31) runs at {{.*}}bad-input.mlir:[[#@LINE+34]]:14
// LIMIT: note: CTA 0, warp 1 (threads 32-63) waits at {{.*}}bad-input.mlir:[[#@LINE+40]]:5 on CTA barrier

#gl = #gpu.address_space<global>

gpu.module @m {
  gpu.func @copy(%x: memref<4xf32, #gl> {carousel.argument = #carousel.argument<"x", in>},
                 %n: i32 {carousel.argument = #carousel.argument<"n">},
                 %y: memref<?xf32, #gl> {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    gpu.return
  }

  gpu.func @unknown(%y: memref<4xf32, #gl> {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    nvvm.barrier0
    gpu.return
  }

  gpu.func @maps(%maps: memref<2x!carousel.tensor_map<8x16xf32>, #gl>
                     {carousel.argument = #carousel.argument<"maps", in>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    gpu.return
  }

  gpu.func @spin(%flag: memref<1xi32, #gl>
                     {carousel.argument = #carousel.argument<"flag", inout>}) kernel {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %zero = arith.constant 0 : i32
    %t = gpu.thread_id x
    %low = arith.cmpi ult, %t, %c32 : index
    scf.if %low {
      scf.while : () -> () {
        %v = memref.atomic_rmw addi %zero, %flag[%c0] : (i32, memref<1xi32, #gl>) -> i32
        %unset = arith.cmpi eq, %v, %zero : i32
        scf.condition(%unset)
      } do {
        scf.yield
      }
    }
    gpu.barrier
    gpu.return
  }
}

func.func @few(%y: memref<?xf32>) {
  return
}

func.func @ints(%x: memref<4xi32>, %n: i32, %y: memref<?xf32>) {
  return
}
