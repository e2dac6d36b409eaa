// grid.serial_wait, grid.serial_release: CTAs take turns, in an order that isn't theirs; what one did
// before its release, by all of its threads, the next one sees.
// RUN: carousel-sim %s --kernel @k --arg turn=zeros:1 --arg y=zeros:32 --reference @expected --schedules 8
// RUN: carousel-sim %s --kernel @k --arg turn=zeros:1 --arg y=zeros:32 --reference @expected --policy reverse-ctas
// RUN: carousel-sim %s --kernel @k --arg turn=zeros:1 --arg y=zeros:32 --reference @expected --policy one-cta

#gl = #gpu.address_space<global>
!turn = memref<1xi32, #gl>
!y = memref<32xi32, #gl>

gpu.module @m {
  // The last CTA first: y = y * 2 + block.
  gpu.func @k(%turns: !turn {carousel.argument = #carousel.argument<"turn", inout>},
              %y: !y {carousel.argument = #carousel.argument<"y", inout>}) kernel
      attributes {carousel.coresident, carousel.launch = #carousel.launch<grid = [6], block = [32]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %one = arith.constant 1 : i32
    %two = arith.constant 2 : i32
    %t = gpu.thread_id x
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %first = arith.cmpi eq, %t, %c0 : index
    %last = arith.subi %blocks, %c1 : index
    %position = arith.subi %last, %block : index
    %turn = arith.index_cast %position : index to i32
    scf.if %first {
      carousel.grid.serial_wait %turns[%c0], %turn : !turn
    }
    gpu.barrier
    %v = memref.load %y[%t] : !y
    %twice = arith.muli %v, %two : i32
    %b = arith.index_cast %block : index to i32
    %w = arith.addi %twice, %b : i32
    memref.store %w, %y[%t] : !y
    gpu.barrier
    scf.if %first {
      %next = arith.addi %turn, %one : i32
      carousel.grid.serial_release %turns[%c0], %next : !turn
    }
    gpu.return
  }
}

func.func @expected(%turns: memref<1xi32>, %y: memref<32xi32>) {
  %c0 = arith.constant 0 : index
  %six = arith.constant 6 : i32
  // 5 * 32 + 4 * 16 + 3 * 8 + 2 * 4 + 1 * 2
  %v = arith.constant dense<258> : vector<32xi32>
  memref.store %six, %turns[%c0] : memref<1xi32>
  vector.store %v, %y[%c0] : memref<32xi32>, vector<32xi32>
  return
}
