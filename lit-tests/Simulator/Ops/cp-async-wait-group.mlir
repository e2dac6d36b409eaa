// cp_async.wait_group: all but the newest `pending` groups of this thread have landed, the oldest
// first.
// RUN: carousel-sim %s --kernel @k --arg x=iota:64 --arg y=empty:64 --expect y=iota:64 --schedules 8

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!x = memref<64xf32, #gl>
!slots = memref<3x4xf32, #ws>

gpu.module @m {
  // A ring of three slots, with two copies under way while the oldest is used: y = x.
  gpu.func @k(%x: !x {carousel.argument = #carousel.argument<"x", in>},
              %y: !x {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%slots: !slots {llvm.align = 16 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c16 = arith.constant 16 : index
    scf.for %k = %c0 to %c2 step %c1 {
      %i = arith.muli %k, %c4 : index
      carousel.cp_async.copy cg %x[%i] to %slots[%k, %c0], 16 : !x, !slots
      carousel.cp_async.commit_group
    }
    scf.for %k = %c0 to %c16 step %c1 {
      %ahead = arith.addi %k, %c2 : index
      %more = arith.cmpi ult, %ahead, %c16 : index
      scf.if %more {
        %i = arith.muli %ahead, %c4 : index
        %slot = arith.remui %ahead, %c3 : index
        carousel.cp_async.copy cg %x[%i] to %slots[%slot, %c0], 16 : !x, !slots
      }
      carousel.cp_async.commit_group
      carousel.cp_async.wait_group 2
      %slot = arith.remui %k, %c3 : index
      %i = arith.muli %k, %c4 : index
      %v = vector.load %slots[%slot, %c0] : !slots, vector<4xf32>
      vector.store %v, %y[%i] : !x, vector<4xf32>
    }
    gpu.return
  }
}
