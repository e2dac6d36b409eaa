// A ticket with acq_rel orders the memory of CTAs: the one that draws last adds what all of them wrote. Without acq_rel
// that is a race. After --carousel-distribute the same with barriers and fences of threads.
// DEFINE: %{run} = carousel-sim - --kernel @sum --arg x=iota:256 --arg parts=empty:4x64 --arg count=zeros:1 --arg y=empty:64
// RUN: cat %s | %{run} --reference @expected --policy all --schedules 4 --quiet
// RUN: sed 's/ acq_rel / /' %s | %{run} --policy all --schedules 4 --expect-finding data-race
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-distribute))' | %{run} --reference @expected --policy all --schedules 4 --quiet

#gl = #gpu.address_space<global>
!parts = memref<4x64xi32, #gl>

gpu.module @m {
  gpu.func @sum(%x: memref<256xi32, #gl> {carousel.argument = #carousel.argument<"x", in>},
                %parts: !parts {carousel.argument = #carousel.argument<"parts", inout>},
                %count: memref<1xi32, #gl> {carousel.argument = #carousel.argument<"count", inout>},
                %y: memref<64xi32, #gl> {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [4], block = [32]>} {
    %c0 = arith.constant 0 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0 : i32
    %block = gpu.block_id x
    %begin = arith.muli %block, %c64 : index
    %own = vector.transfer_read %x[%begin], %zero {in_bounds = [true]} : memref<256xi32, #gl>, vector<64xi32>
    vector.transfer_write %own, %parts[%block, %c0] {in_bounds = [true]} : vector<64xi32>, !parts
    %ticket = carousel.grid.ticket %count[%c0] of %c4 acq_rel : memref<1xi32, #gl>
    %is_last = arith.cmpi eq, %ticket, %c3 : index
    scf.if %is_last {
      %all = vector.transfer_read %parts[%c0, %c0], %zero {in_bounds = [true, true]} : !parts, vector<4x64xi32>
      %none = arith.constant dense<0> : vector<64xi32>
      %sum = vector.multi_reduction <add>, %all, %none [0] : vector<4x64xi32> to vector<64xi32>
      vector.transfer_write %sum, %y[%c0] {in_bounds = [true]} : vector<64xi32>, memref<64xi32, #gl>
    }
    gpu.return
  }
}

func.func @expected(%x: memref<256xi32>, %parts: memref<4x64xi32>, %count: memref<1xi32>, %y: memref<64xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0 : i32
  scf.for %i = %c0 to %c64 step %c1 {
    %sum = scf.for %block = %c0 to %c4 step %c1 iter_args(%before = %zero) -> (i32) {
      %begin = arith.muli %block, %c64 : index
      %at = arith.addi %begin, %i : index
      %v = memref.load %x[%at] : memref<256xi32>
      memref.store %v, %parts[%block, %i] : memref<4x64xi32>
      %after = arith.addi %before, %v : i32
      scf.yield %after : i32
    }
    memref.store %sum, %y[%i] : memref<64xi32>
  }
  return
}
