// What may not run ahead, or not have slots of its own, gives what the tile phase gives under all policies, too.
// DEFINE: %{lowered} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-lowered --require-variants %s --chip sm_80,sm_90a --
// DEFINE: %{run} = --policy all --schedules 2
// RUN: %{lowered} --kernel @stored_before %{run} --arg x=iota:1000 --arg y=zeros:1000 --arg z=like:x --expect y=iota:1000 --expect z=iota:1000
// RUN: %{lowered} --kernel @published --policy all --arg x=zeros:1024 --arg f=zeros:4 --arg y=like:x --expect y=iota:1024
// RUN: %{lowered} --kernel @loaded_at_times %{run} --reference @loaded_at_times_reference --arg x=iota:1024 --arg turns=2 --arg y=zeros:256
// RUN: %{lowered} --kernel @loaded_at_times %{run} --reference @loaded_at_times_reference --arg x=iota:1024 --arg turns=0 --arg y=zeros:256
// RUN: %{lowered} --kernel @stored_at_times %{run} --reference @stored_at_times_reference --arg x=iota:1500 --arg y=zeros:1500 --arg z=like:x

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!v = memref<?xf32, #gl>
!flags = memref<?xi32, #gl>
!t = memref<256xf32, #ws>

gpu.module @kernels {
  // y = x, z = y: a box is loaded again behind the store.
  gpu.func @stored_before(
      %x: !v {carousel.argument = #carousel.argument<"x", in>},
      %y: !v {carousel.argument = #carousel.argument<"y", inout>},
      %z: !v {carousel.argument = #carousel.argument<"z", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c256 = arith.constant 256 : index
    %thread = gpu.thread_id x
    %n = memref.dim %x, %c0 : !v
    %in = memref.alloc() : !t
    %out = memref.alloc() : !t
    %again = memref.alloc() : !t
    scf.for %i = %c0 to %n step %c256 {
      carousel.load %x[%i] to %in : !v, !t
      scf.for %j = %thread to %c256 step %c64 {
        %v = memref.load %in[%j] : !t
        memref.store %v, %out[%j] : !t
      }
      carousel.store %out to %y[%i] : !t, !v
      carousel.load %y[%i] to %again : !v, !t
      carousel.store %again to %z[%i] : !t, !v
    } {carousel.pipeline = #carousel.pipeline<stages = 3>}
    gpu.return
  }

  // The first CTA writes x box by box and raises a flag behind each, the second waits for it.
  gpu.func @published(
      %x: !v {carousel.argument = #carousel.argument<"x", inout>},
      %f: !flags {carousel.argument = #carousel.argument<"f", inout>},
      %y: !v {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.coresident, carousel.launch = #carousel.launch<grid = [2], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c256 = arith.constant 256 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %n = memref.dim %x, %c0 : !v
    %in = memref.alloc() : !t
    %writes = arith.cmpi eq, %block, %c0 : index
    scf.if %writes {
      scf.for %i = %c0 to %n step %c256 {
        scf.for %j = %thread to %c256 step %c64 {
          %at = arith.addi %i, %j : index
          %int = arith.index_cast %at : index to i32
          %v = arith.sitofp %int : i32 to f32
          memref.store %v, %x[%at] : !v
        }
        gpu.barrier
        %first = arith.cmpi eq, %thread, %c0 : index
        scf.if %first {
          carousel.fence.thread release gpu
          %tile = arith.divui %i, %c256 : index
          %old = memref.atomic_rmw assign %one, %f[%tile] : (i32, !flags) -> i32
        }
      }
    } else {
      scf.for %i = %c0 to %n step %c256 {
        %tile = arith.divui %i, %c256 : index
        scf.while : () -> () {
          %flag = memref.atomic_rmw addi %zero, %f[%tile] : (i32, !flags) -> i32
          %down = arith.cmpi eq, %flag, %zero : i32
          scf.condition(%down)
        } do {
          scf.yield
        }
        carousel.fence.thread acquire gpu
        gpu.barrier
        carousel.load %x[%i] to %in : !v, !t
        carousel.store %in to %y[%i] : !t, !v
      } {carousel.pipeline = #carousel.pipeline<stages = 3>}
    }
    gpu.return
  }

  // y = the last box of x that was loaded, 1 without any: turns of 4 load.
  gpu.func @loaded_at_times(
      %x: !v {carousel.argument = #carousel.argument<"x", in>},
      %turns: index {carousel.argument = #carousel.argument<"turns">},
      %y: !v {carousel.argument = #carousel.argument<"y", inout>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c256 = arith.constant 256 : index
    %c1024 = arith.constant 1024 : index
    %one = arith.constant 1.0 : f32
    %thread = gpu.thread_id x
    %in = memref.alloc() : !t
    scf.for %j = %thread to %c256 step %c64 {
      memref.store %one, %in[%j] : !t
    }
    scf.for %i = %c0 to %c1024 step %c256 {
      %turn = arith.divui %i, %c256 : index
      %loads = arith.cmpi ult, %turn, %turns : index
      scf.if %loads {
        carousel.load %x[%i] to %in : !v, !t
      }
    } {carousel.pipeline = #carousel.pipeline<stages = 3>}
    carousel.store %in to %y[%c0] : !t, !v
    gpu.return
  }

  // Every third box goes to y, too; z = what the last one of these was, and 1.
  gpu.func @stored_at_times(
      %x: !v {carousel.argument = #carousel.argument<"x", in>},
      %y: !v {carousel.argument = #carousel.argument<"y", inout>},
      %z: !v {carousel.argument = #carousel.argument<"z", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c256 = arith.constant 256 : index
    %c768 = arith.constant 768 : index
    %one = arith.constant 1.0 : f32
    %thread = gpu.thread_id x
    %n = memref.dim %x, %c0 : !v
    %in = memref.alloc() : !t
    %some = memref.alloc() : !t
    %all = memref.alloc() : !t
    scf.for %i = %c0 to %n step %c256 {
      carousel.load %x[%i] to %in : !v, !t
      %rest = arith.remui %i, %c768 : index
      %third = arith.cmpi eq, %rest, %c0 : index
      scf.if %third {
        scf.for %j = %thread to %c256 step %c64 {
          %v = memref.load %in[%j] : !t
          memref.store %v, %some[%j] : !t
        }
        carousel.store %some to %y[%i] : !t, !v
      }
      scf.for %j = %thread to %c256 step %c64 {
        %v = memref.load %some[%j] : !t
        %w = arith.addf %v, %one : f32
        memref.store %w, %all[%j] : !t
      }
      carousel.store %all to %z[%i] : !t, !v
    } {carousel.pipeline = #carousel.pipeline<stages = 3>}
    gpu.return
  }
}

func.func @loaded_at_times_reference(%x: memref<?xf32>, %turns: index, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %one = arith.constant 1.0 : f32
  %none = arith.cmpi eq, %turns, %c0 : index
  %n = memref.dim %y, %c0 : memref<?xf32>
  %behind = arith.muli %turns, %c256 : index
  %first = arith.subi %behind, %c256 : index
  %at = arith.select %none, %c0, %first : index
  scf.for %j = %c0 to %n step %c1 {
    %k = arith.addi %at, %j : index
    %v = memref.load %x[%k] : memref<?xf32>
    %w = arith.select %none, %one, %v : f32
    memref.store %w, %y[%j] : memref<?xf32>
  }
  return
}

func.func @stored_at_times_reference(%x: memref<?xf32>, %y: memref<?xf32>, %z: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %c768 = arith.constant 768 : index
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %x, %c0 : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %in_three = arith.remui %i, %c768 : index
    %in_one = arith.remui %i, %c256 : index
    %before = arith.subi %i, %in_three : index
    %from = arith.addi %before, %in_one : index
    // Behind the end loads fill with zero.
    %inside = arith.cmpi slt, %from, %n : index
    %at = arith.select %inside, %from, %c0 : index
    %v = memref.load %x[%at] : memref<?xf32>
    %w = arith.select %inside, %v, %zero : f32
    %s = arith.addf %w, %one : f32
    memref.store %s, %z[%i] : memref<?xf32>
    %third = arith.cmpi ult, %in_three, %c256 : index
    scf.if %third {
      memref.store %v, %y[%i] : memref<?xf32>
    }
  }
  return
}
