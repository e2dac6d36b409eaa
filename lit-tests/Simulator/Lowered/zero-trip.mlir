// What orders two accesses on one path may be a transfer in a loop or a branch, and on the path around it a barrier:
// kernels whose loops run zero times give what the tile phase gives. The loop over p makes the block take roles.
// DEFINE: %{lowered} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-lowered %s --chip sm_80,sm_90a --
// DEFINE: %{run} = --policy all --schedules 2 --arg x=random:128 --arg y=zeros:64 --arg z=zeros:64
// RUN: %{lowered} --kernel @stored_in_for %{run} --arg n=0 --arg p=2 --expect z=iota:64 --expect y=zeros:64
// RUN: %{lowered} --kernel @stored_in_while %{run} --arg n=0 --arg p=2 --expect z=iota:64
// RUN: %{lowered} --kernel @loaded_in_while %{run} --arg n=0 --arg p=2 --expect z=iota:64
// RUN: %{lowered} --kernel @stored_in_switch %{run} --arg n=0 --arg p=1 --expect z=iota:64
// RUN: %{lowered} --kernel @met_in_for %{run} --arg n=2 --arg p=1 --expect z=iota:64
// RUN: %{lowered} --kernel @drained_in_for --policy all --schedules 2 --arg n=2 --arg y=zeros:64 --arg z=zeros:64 --expect y=iota:64

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!v = memref<?xi32, #gl>
!y = memref<64xi32, #gl>
!t = memref<64xi32, #ws>

gpu.module @kernels {
  // Thread t gives z[t] what another one wrote: the barrier orders that where the loop has no iteration.
  gpu.func @stored_in_for(
      %x: !v {carousel.argument = #carousel.argument<"x", in>},
      %n: index {carousel.argument = #carousel.argument<"n", in>},
      %p: index {carousel.argument = #carousel.argument<"p", in>},
      %y: !y {carousel.argument = #carousel.argument<"y", inout>},
      %z: !y {carousel.argument = #carousel.argument<"z", inout>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c63 = arith.constant 63 : index
    %c64 = arith.constant 64 : index
    %t = gpu.thread_id x
    %r = arith.subi %c63, %t : index
    %a = memref.alloc() : !t
    %b = memref.alloc() : !t
    scf.for %i = %c0 to %p step %c1 {
      %o = arith.muli %i, %c64 : index
      carousel.load %x[%o] to %b : !v, !t
    } {carousel.pipeline = #carousel.pipeline<stages = 2, mode = specialized>}
    %value = arith.index_cast %r : index to i32
    memref.store %value, %a[%t] : !t
    scf.for %i = %c0 to %n step %c1 {
      carousel.store %a to %y[%c0] : !t, !y
    }
    gpu.barrier
    %v = memref.load %a[%r] : !t
    memref.store %v, %z[%t] : !y
    gpu.return
  }

  // The same with a loop whose condition is computed.
  gpu.func @stored_in_while(
      %x: !v {carousel.argument = #carousel.argument<"x", in>},
      %n: index {carousel.argument = #carousel.argument<"n", in>},
      %p: index {carousel.argument = #carousel.argument<"p", in>},
      %y: !y {carousel.argument = #carousel.argument<"y", inout>},
      %z: !y {carousel.argument = #carousel.argument<"z", inout>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c63 = arith.constant 63 : index
    %c64 = arith.constant 64 : index
    %t = gpu.thread_id x
    %r = arith.subi %c63, %t : index
    %a = memref.alloc() : !t
    %b = memref.alloc() : !t
    scf.for %i = %c0 to %p step %c1 {
      %o = arith.muli %i, %c64 : index
      carousel.load %x[%o] to %b : !v, !t
    } {carousel.pipeline = #carousel.pipeline<stages = 2, mode = specialized>}
    %value = arith.index_cast %r : index to i32
    memref.store %value, %a[%t] : !t
    scf.while (%w = %c0) : (index) -> index {
      %more = arith.cmpi ult, %w, %n : index
      scf.condition(%more) %w : index
    } do {
    ^bb0(%w: index):
      carousel.store %a to %y[%c0] : !t, !y
      %next = arith.addi %w, %c1 : index
      scf.yield %next : index
    }
    gpu.barrier
    %v = memref.load %a[%r] : !t
    memref.store %v, %z[%t] : !y
    gpu.return
  }

  // A load fills the buffer where the loop runs.
  gpu.func @loaded_in_while(
      %x: !v {carousel.argument = #carousel.argument<"x", in>},
      %n: index {carousel.argument = #carousel.argument<"n", in>},
      %p: index {carousel.argument = #carousel.argument<"p", in>},
      %y: !y {carousel.argument = #carousel.argument<"y", inout>},
      %z: !y {carousel.argument = #carousel.argument<"z", inout>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c63 = arith.constant 63 : index
    %c64 = arith.constant 64 : index
    %t = gpu.thread_id x
    %r = arith.subi %c63, %t : index
    %a = memref.alloc() : !t
    %b = memref.alloc() : !t
    scf.for %i = %c0 to %p step %c1 {
      %o = arith.muli %i, %c64 : index
      carousel.load %x[%o] to %b : !v, !t
    } {carousel.pipeline = #carousel.pipeline<stages = 2, mode = specialized>}
    %value = arith.index_cast %r : index to i32
    memref.store %value, %a[%t] : !t
    scf.while (%w = %c0) : (index) -> index {
      %more = arith.cmpi ult, %w, %n : index
      scf.condition(%more) %w : index
    } do {
    ^bb0(%w: index):
      carousel.load %x[%c0] to %a : !v, !t
      %next = arith.addi %w, %c1 : index
      scf.yield %next : index
    }
    gpu.barrier
    %v = memref.load %a[%r] : !t
    memref.store %v, %z[%t] : !y
    gpu.return
  }

  // Two ways of three have a transfer.
  gpu.func @stored_in_switch(
      %x: !v {carousel.argument = #carousel.argument<"x", in>},
      %n: index {carousel.argument = #carousel.argument<"n", in>},
      %p: index {carousel.argument = #carousel.argument<"p", in>},
      %y: !y {carousel.argument = #carousel.argument<"y", inout>},
      %z: !y {carousel.argument = #carousel.argument<"z", inout>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c63 = arith.constant 63 : index
    %c64 = arith.constant 64 : index
    %t = gpu.thread_id x
    %r = arith.subi %c63, %t : index
    %a = memref.alloc() : !t
    %b = memref.alloc() : !t
    scf.for %i = %c0 to %p step %c1 {
      %o = arith.muli %i, %c64 : index
      carousel.load %x[%o] to %b : !v, !t
    } {carousel.pipeline = #carousel.pipeline<stages = 2, mode = specialized>}
    %value = arith.index_cast %r : index to i32
    memref.store %value, %a[%t] : !t
    scf.index_switch %n
    case 1 {
      carousel.store %a to %y[%c0] : !t, !y
      scf.yield
    }
    case 2 {
      carousel.load %x[%c0] to %b : !v, !t
      scf.yield
    }
    default {
    }
    gpu.barrier
    %v = memref.load %a[%r] : !t
    memref.store %v, %z[%t] : !y
    gpu.return
  }

  // The barrier itself stands in the loop, which this run enters.
  gpu.func @met_in_for(
      %x: !v {carousel.argument = #carousel.argument<"x", in>},
      %n: index {carousel.argument = #carousel.argument<"n", in>},
      %p: index {carousel.argument = #carousel.argument<"p", in>},
      %y: !y {carousel.argument = #carousel.argument<"y", inout>},
      %z: !y {carousel.argument = #carousel.argument<"z", inout>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c63 = arith.constant 63 : index
    %c64 = arith.constant 64 : index
    %t = gpu.thread_id x
    %r = arith.subi %c63, %t : index
    %a = memref.alloc() : !t
    %b = memref.alloc() : !t
    scf.for %i = %c0 to %p step %c1 {
      %o = arith.muli %i, %c64 : index
      carousel.load %x[%o] to %b : !v, !t
    } {carousel.pipeline = #carousel.pipeline<stages = 2, mode = specialized>}
    %value = arith.index_cast %r : index to i32
    memref.store %value, %a[%t] : !t
    scf.for %i = %c0 to %n step %c1 {
      gpu.barrier
    }
    %v = memref.load %a[%r] : !t
    memref.store %v, %z[%t] : !y
    gpu.return
  }

  // The second loop waits for the first one's store before each of its own, and its threads write what that has stored.
  gpu.func @drained_in_for(
      %n: index {carousel.argument = #carousel.argument<"n", in>},
      %y: !y {carousel.argument = #carousel.argument<"y", inout>},
      %z: !y {carousel.argument = #carousel.argument<"z", inout>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %value = arith.index_cast %t : index to i32
    %zero = arith.constant 0 : i32
    %a = memref.alloc() : !t
    memref.store %zero, %a[%t] : !t
    scf.for %i = %c0 to %n step %c1 {
      carousel.store %a to %y[%c0] : !t, !y
    }
    scf.for %i = %c0 to %n step %c1 {
      carousel.store %a to %z[%c0] : !t, !y
      memref.store %value, %y[%t] : !y
    }
    gpu.return
  }
}
