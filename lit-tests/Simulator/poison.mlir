// Poison that reaches memory, a branch, an address or another thread is a finding, which names the op that makes it. What
// depends on poison, and isn't taken by the run, is none.
// DEFINE: %{kernel} =
// DEFINE: %{wrong} = carousel-sim %s --kernel %{kernel} --arg x=iota:64 --arg n=5 --arg y=empty:64 --expect-finding poison --policy random
// DEFINE: %{right} = carousel-sim %s --kernel %{kernel} --arg x=iota:64 --arg n=5 --arg y=empty:64 --quiet
//
// REDEFINE: %{kernel} = stored
// RUN: %{wrong} | FileCheck %s --check-prefix=STORED
// STORED: poison.mlir:[[#]]:[[#]]: finding: [poison] expected a stored value that isn't poison, got the poison of 'ub.poison' at {{.*}}poison.mlir:[[#]]:[[#]]
// STORED-NEXT: by: CTA 0, thread
// STORED-NEXT: found: 59 times
// REDEFINE: %{kernel} = branch
// RUN: %{wrong} | FileCheck %s --check-prefix=BRANCH
// BRANCH: expected a condition that isn't poison, got the poison of 'ub.poison'
// REDEFINE: %{kernel} = address
// RUN: %{wrong} | FileCheck %s --check-prefix=ADDRESS
// ADDRESS: expected an address that isn't poison, got the poison of 'ub.poison'
// REDEFINE: %{kernel} = shuffled
// RUN: %{wrong} | FileCheck %s --check-prefix=SHUFFLED
// SHUFFLED: expected an operand that isn't poison, got the poison of 'ub.poison'
// REDEFINE: %{kernel} = lanes
// RUN: %{wrong} | FileCheck %s --check-prefix=LANES
// LANES: expected a stored value that isn't poison, got the poison of 'vector.shuffle' at {{.*}} or of 'vector.extract' at
// REDEFINE: %{kernel} = loop
// RUN: %{wrong} | FileCheck %s --check-prefix=LOOP
// LOOP: expected a stored value that isn't poison
// REDEFINE: %{kernel} = block_wrong
// RUN: %{wrong} | FileCheck %s --check-prefix=BLOCK
// BLOCK: expected a stored value that isn't poison, got the poison of 'ub.poison'
// BLOCK: found: 59 times
//
// REDEFINE: %{kernel} = untaken
// RUN: %{right}
// REDEFINE: %{kernel} = overwritten
// RUN: %{right}
// REDEFINE: %{kernel} = block_right
// RUN: %{right}

#gl = #gpu.address_space<global>
!v = memref<?xf32, #gl>
!x = memref<?xf32, #gl>

gpu.module @m {
  gpu.func @stored(%x: !v {carousel.argument = #carousel.argument<"x", in>}, %n: index {carousel.argument = #carousel.argument<"n", in>},
                   %y: !v {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %i = gpu.thread_id x
    %none = ub.poison : f32
    %below = arith.cmpi ult, %i, %n : index
    %a = memref.load %x[%i] : !v
    %s = arith.select %below, %a, %none : f32
    %t = arith.addf %s, %s : f32
    memref.store %t, %y[%i] : !v
    gpu.return
  }
  // The same selection, stored where it is known.
  gpu.func @untaken(%x: !v {carousel.argument = #carousel.argument<"x", in>}, %n: index {carousel.argument = #carousel.argument<"n", in>},
                    %y: !v {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %i = gpu.thread_id x
    %none = ub.poison : f32
    %below = arith.cmpi ult, %i, %n : index
    %s = scf.if %below -> f32 {
      %a = memref.load %x[%i] : !v
      scf.yield %a : f32
    } else {
      scf.yield %none : f32
    }
    %t = arith.addf %s, %s : f32
    scf.if %below {
      memref.store %t, %y[%i] : !v
    }
    gpu.return
  }
  gpu.func @branch(%x: !v {carousel.argument = #carousel.argument<"x", in>}, %n: index {carousel.argument = #carousel.argument<"n", in>},
                   %y: !v {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %none = ub.poison : f32
    %a = memref.load %x[%c0] : !v
    %larger = arith.cmpf oge, %a, %none : f32
    %is_first = arith.cmpi ne, %n, %c0 : index
    %takes = arith.ori %larger, %is_first : i1
    scf.if %takes {
      memref.store %a, %y[%c0] : !v
    }
    gpu.return
  }
  gpu.func @address(%x: !v {carousel.argument = #carousel.argument<"x", in>}, %n: index {carousel.argument = #carousel.argument<"n", in>},
                    %y: !v {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %none = ub.poison : index
    %i = arith.addi %none, %n : index
    %a = memref.load %x[%i] : !v
    memref.store %a, %y[%c0] : !v
    gpu.return
  }
  gpu.func @shuffled(%x: !v {carousel.argument = #carousel.argument<"x", in>}, %n: index {carousel.argument = #carousel.argument<"n", in>},
                     %y: !v {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %i = gpu.thread_id x
    %one = arith.constant 1 : i32
    %width = arith.constant 32 : i32
    %none = ub.poison : f32
    %r, %valid = gpu.shuffle xor %none, %one, %width : f32
    memref.store %r, %y[%i] : !v
    gpu.return
  }
  gpu.func @lanes(%x: !v {carousel.argument = #carousel.argument<"x", in>}, %n: index {carousel.argument = #carousel.argument<"n", in>},
                  %y: !v {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %a = vector.load %x[%c0] : !v, vector<4xf32>
    %b = vector.shuffle %a, %a [1, -1, 4, 0] : vector<4xf32>, vector<4xf32>
    %e = vector.extract %a[-1] : f32 from vector<4xf32>
    %c = vector.insert %e, %b [0] : f32 into vector<4xf32>
    vector.store %c, %y[%c0] : !v, vector<4xf32>
    gpu.return
  }
  // Each element of a vector that begins as poison is written before it is read, and only known lanes are shuffled.
  gpu.func @overwritten(%x: !v {carousel.argument = #carousel.argument<"x", in>}, %n: index {carousel.argument = #carousel.argument<"n", in>},
                        %y: !v {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %none = ub.poison : vector<4x2xf32>
    %all = scf.for %i = %c0 to %c4 step %c1 iter_args(%v = %none) -> vector<4x2xf32> {
      %a = vector.load %x[%i] : !v, vector<2xf32>
      %w = vector.insert %a, %v [%i] : vector<2xf32> into vector<4x2xf32>
      scf.yield %w : vector<4x2xf32>
    }
    %flat = vector.shape_cast %all : vector<4x2xf32> to vector<8xf32>
    %part = vector.shuffle %flat, %flat [1, -1, 7, 0] : vector<8xf32>, vector<8xf32>
    %known = vector.shuffle %part, %part [0, 2] : vector<4xf32>, vector<4xf32>
    vector.store %flat, %y[%c0] : !v, vector<8xf32>
    vector.store %known, %y[%c0] : !v, vector<2xf32>
    gpu.return
  }
  // The loop leaves out the last one.
  gpu.func @loop(%x: !v {carousel.argument = #carousel.argument<"x", in>}, %n: index {carousel.argument = #carousel.argument<"n", in>},
                 %y: !v {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %none = ub.poison : vector<4xf32>
    %all = scf.for %i = %c0 to %c3 step %c1 iter_args(%v = %none) -> vector<4xf32> {
      %a = memref.load %x[%i] : !v
      %w = vector.insert %a, %v [%i] : f32 into vector<4xf32>
      scf.yield %w : vector<4xf32>
    }
    vector.store %all, %y[%c0] : !v, vector<4xf32>
    gpu.return
  }

  // Block programs: elements beyond the edge, with a padding that is poison.
  gpu.func @block_wrong(%x: !x {carousel.argument = #carousel.argument<"x", in>}, %n: index {carousel.argument = #carousel.argument<"n", in>},
                        %y: !v {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1]>} {
    %c0 = arith.constant 0 : index
    %none = ub.poison : f32
    %mask = vector.create_mask %n : vector<64xi1>
    %a = vector.transfer_read %x[%c0], %none, %mask : !x, vector<64xf32>
    %t = arith.mulf %a, %a : vector<64xf32>
    vector.transfer_write %t, %y[%c0] : vector<64xf32>, !v
    gpu.return
  }
  gpu.func @block_right(%x: !x {carousel.argument = #carousel.argument<"x", in>}, %n: index {carousel.argument = #carousel.argument<"n", in>},
                        %y: !v {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %none = ub.poison : f32
    %nothing = ub.poison : vector<64xf32>
    %mask = vector.create_mask %n : vector<64xi1>
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %nothing) -> vector<64xf32> {
      %a = vector.transfer_read %x[%i], %none, %mask : !x, vector<64xf32>
      scf.yield %a : vector<64xf32>
    }
    vector.transfer_write %sum, %y[%c0], %mask : vector<64xf32>, !v
    gpu.return
  }
}
