// Loops and branches that carry vectors, at the block phase. Without the attribute, the same kernels
// are of the tile phase, whose vectors LLVM holds: the results are equal.
// DEFINE: %{kernel} =
// DEFINE: %{args} =
// DEFINE: %{lanes} = carousel-sim %t.mlir --kernel %{kernel} %{args} --out y=%t.npy
// DEFINE: %{block} = carousel-sim %s --kernel %{kernel} %{args} --expect y=%t.npy
// RUN: sed 's/carousel.block_program = [^>]*>,//' %s > %t.mlir
// REDEFINE: %{args} = --arg x=random:3x8 --arg n=5 --arg y=empty:3x8
// REDEFINE: %{kernel} = @turns
// RUN: %{lanes}
// RUN: %{block}
// REDEFINE: %{kernel} = @nested
// RUN: %{lanes}
// RUN: %{block}
// REDEFINE: %{kernel} = @kept
// RUN: %{lanes}
// RUN: %{block}
// REDEFINE: %{kernel} = @branches
// RUN: %{lanes}
// RUN: %{block}
// REDEFINE: %{kernel} = @until
// RUN: %{lanes}
// RUN: %{block}
// REDEFINE: %{args} = --arg x=random:3x8 --arg n=0 --arg y=empty:3x8
// REDEFINE: %{kernel} = @turns
// RUN: %{lanes}
// RUN: %{block}
// REDEFINE: %{kernel} = @nested
// RUN: %{lanes}
// RUN: %{block}
// REDEFINE: %{kernel} = @branches
// RUN: %{lanes}
// RUN: %{block}
// REDEFINE: %{kernel} = @until
// RUN: %{lanes}
// RUN: %{block}

#gl = #gpu.address_space<global>
!x = memref<3x8xf32, #gl>

gpu.module @m {
  // Three carried vectors change places, and each is used after another one has its place. A scalar is carried between them.
  gpu.func @turns(%x: !x {carousel.argument = #carousel.argument<"x", in>},
                  %n: i32 {carousel.argument = #carousel.argument<"n", in>},
                  %y: !x {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %one = arith.constant 1.0 : f32
    %half = arith.constant 0.5 : f32
    %count = arith.index_cast %n : i32 to index
    %v0 = vector.load %x[%c0, %c0] : !x, vector<8xf32>
    %v1 = vector.load %x[%c1, %c0] : !x, vector<8xf32>
    %v2 = vector.load %x[%c2, %c0] : !x, vector<8xf32>
    %r:4 = scf.for %i = %c0 to %count step %c1 iter_args(%a = %v0, %s = %one, %b = %v1, %c = %v2)
        -> (vector<8xf32>, f32, vector<8xf32>, vector<8xf32>) {
      %t = arith.mulf %s, %half : f32
      %ts = vector.broadcast %t : f32 to vector<8xf32>
      %sum = arith.addf %a, %ts : vector<8xf32>
      scf.yield %b, %t, %c, %sum : vector<8xf32>, f32, vector<8xf32>, vector<8xf32>
    }
    // A pure swap, in which no new value appears.
    %q:2 = scf.for %i = %c0 to %count step %c1 iter_args(%a = %r#0, %b = %r#2) -> (vector<8xf32>, vector<8xf32>) {
      scf.yield %b, %a : vector<8xf32>, vector<8xf32>
    }
    %shift = vector.broadcast %r#1 : f32 to vector<8xf32>
    %last = arith.addf %r#3, %shift : vector<8xf32>
    // The loop's operands are as before.
    %check = arith.subf %last, %v0 : vector<8xf32>
    vector.store %q#0, %y[%c0, %c0] : !x, vector<8xf32>
    vector.store %q#1, %y[%c1, %c0] : !x, vector<8xf32>
    vector.store %check, %y[%c2, %c0] : !x, vector<8xf32>
    gpu.return
  }

  // An inner loop starts from the outer one's values, and yields them in another order.
  gpu.func @nested(%x: !x {carousel.argument = #carousel.argument<"x", in>},
                   %n: i32 {carousel.argument = #carousel.argument<"n", in>},
                   %y: !x {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %count = arith.index_cast %n : i32 to index
    %v0 = vector.load %x[%c0, %c0] : !x, vector<8xf32>
    %v1 = vector.load %x[%c1, %c0] : !x, vector<8xf32>
    %kept = vector.load %x[%c2, %c0] : !x, vector<8xf32>
    %halves = arith.constant dense<0.5> : vector<8xf32>
    %r:2 = scf.for %i = %c0 to %count step %c1 iter_args(%a = %v0, %b = %v1) -> (vector<8xf32>, vector<8xf32>) {
      %more = arith.addf %a, %kept : vector<8xf32>
      %q:2 = scf.for %j = %c0 to %i step %c1 iter_args(%d = %b, %e = %more) -> (vector<8xf32>, vector<8xf32>) {
        %f = arith.mulf %e, %halves : vector<8xf32>
        scf.yield %f, %d : vector<8xf32>, vector<8xf32>
      }
      %g = arith.subf %q#1, %a : vector<8xf32>
      scf.yield %q#0, %g : vector<8xf32>, vector<8xf32>
    }
    vector.store %r#0, %y[%c0, %c0] : !x, vector<8xf32>
    vector.store %r#1, %y[%c1, %c0] : !x, vector<8xf32>
    %minus = arith.negf %kept : vector<8xf32>
    vector.store %minus, %y[%c2, %c0] : !x, vector<8xf32>
    gpu.return
  }

  // A value from before the loop, last used at the start of its body, is there in the next iteration too.
  gpu.func @kept(%x: !x {carousel.argument = #carousel.argument<"x", in>},
                 %n: i32 {carousel.argument = #carousel.argument<"n", in>},
                 %y: !x {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %count = arith.index_cast %n : i32 to index
    %kept = vector.load %x[%c1, %c0] : !x, vector<8xf32>
    %v = vector.load %x[%c0, %c0] : !x, vector<8xf32>
    %r = scf.for %i = %c0 to %count step %c1 iter_args(%a = %v) -> vector<8xf32> {
      %b = arith.addf %a, %kept : vector<8xf32>
      %c = arith.mulf %b, %b : vector<8xf32>
      %d = arith.subf %c, %b : vector<8xf32>
      %e = arith.negf %d : vector<8xf32>
      scf.yield %e : vector<8xf32>
    }
    vector.store %r, %y[%c0, %c0] : !x, vector<8xf32>
    vector.store %r, %y[%c1, %c0] : !x, vector<8xf32>
    vector.store %r, %y[%c2, %c0] : !x, vector<8xf32>
    gpu.return
  }

  // A branch yields outer values in another order, and a constant; a switch and a region.
  gpu.func @branches(%x: !x {carousel.argument = #carousel.argument<"x", in>},
                     %n: i32 {carousel.argument = #carousel.argument<"n", in>},
                     %y: !x {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %count = arith.index_cast %n : i32 to index
    %v0 = vector.load %x[%c0, %c0] : !x, vector<8xf32>
    %v1 = vector.load %x[%c1, %c0] : !x, vector<8xf32>
    %isMore = arith.cmpi sgt, %count, %c2 : index
    %r:3 = scf.if %isMore -> (vector<8xf32>, index, vector<8xf32>) {
      scf.yield %v1, %c2, %v0 : vector<8xf32>, index, vector<8xf32>
    } else {
      %threes = arith.constant dense<3.0> : vector<8xf32>
      %sum = arith.addf %v0, %v1 : vector<8xf32>
      scf.yield %threes, %c1, %sum : vector<8xf32>, index, vector<8xf32>
    }
    vector.store %r#0, %y[%c0, %c0] : !x, vector<8xf32>
    vector.store %r#2, %y[%r#1, %c0] : !x, vector<8xf32>
    %other = arith.subi %c3, %r#1 : index
    %s = scf.index_switch %count -> vector<8xf32>
    case 0 {
      scf.yield %v1 : vector<8xf32>
    }
    default {
      %d = arith.subf %v0, %v1 : vector<8xf32>
      scf.yield %d : vector<8xf32>
    }
    %t = scf.execute_region -> vector<8xf32> {
      %square = arith.mulf %s, %s : vector<8xf32>
      scf.yield %square : vector<8xf32>
    }
    vector.store %t, %y[%other, %c0] : !x, vector<8xf32>
    gpu.return
  }

  // The loop's condition forwards values in another order, and its body turns them back.
  gpu.func @until(%x: !x {carousel.argument = #carousel.argument<"x", in>},
                  %n: i32 {carousel.argument = #carousel.argument<"n", in>},
                  %y: !x {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %count = arith.index_cast %n : i32 to index
    %v0 = vector.load %x[%c0, %c0] : !x, vector<8xf32>
    %v1 = vector.load %x[%c1, %c0] : !x, vector<8xf32>
    %r:3 = scf.while (%a = %v0, %i = %c0, %b = %v1) : (vector<8xf32>, index, vector<8xf32>) -> (vector<8xf32>, index, vector<8xf32>) {
      %isLess = arith.cmpi slt, %i, %count : index
      %d = arith.subf %a, %b : vector<8xf32>
      scf.condition(%isLess) %b, %i, %d : vector<8xf32>, index, vector<8xf32>
    } do {
    ^bb0(%p: vector<8xf32>, %i: index, %q: vector<8xf32>):
      %next = arith.addi %i, %c1 : index
      scf.yield %q, %next, %p : vector<8xf32>, index, vector<8xf32>
    }
    vector.store %r#0, %y[%c0, %c0] : !x, vector<8xf32>
    vector.store %r#2, %y[%c1, %c0] : !x, vector<8xf32>
    %both = arith.addf %v0, %r#2 : vector<8xf32>
    vector.store %both, %y[%c2, %c0] : !x, vector<8xf32>
    gpu.return
  }
}
