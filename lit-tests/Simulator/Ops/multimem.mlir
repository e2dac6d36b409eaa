// Stores and reductions to multicast addresses: every GPU's part gets the value, this GPU's too. Whatever else accesses
// such an address is found, and so are multimem ops at other addresses.
// DEFINE: %{all} = --policy all --schedules 10
// RUN: carousel-sim %s --kernel @stores --gpus 3 --multicast all=inbox --arg x=iota:8 --arg inbox=empty:8 --arg rank={rank} --expect inbox=iota:8 %{all}
// RUN: carousel-sim %s --kernel @halves --gpus 2 --multicast all=inbox --arg x=iota:14 --arg inbox=empty:14 --arg rank={rank} --expect inbox=iota:14 %{all}
//
// Additions of two GPUs to one element don't race, with each other.
// RUN: carousel-sim %s --kernel @adds --gpus 2 --multicast all=sum --arg sum=zeros:4 --arg rank={rank} --expect sum=iota:4 %{all}
// RUN: carousel-sim %s --kernel @add_halves --gpus 2 --multicast all=sum --arg sum=zeros:8 --arg x=iota:8 --arg rank={rank} --expect sum=iota:8 %{all}
// RUN: carousel-sim %s --kernel @add_floats --gpus 2 --multicast all=sum --arg sum=zeros:4 --arg x=iota:4 --arg rank={rank} --expect sum=iota:4 %{all}
//
// Stores of two GPUs do, wherever that is.
// RUN: carousel-sim %s --kernel @stores --gpus 2 --multicast all=inbox --arg x=iota:8 --arg inbox=empty:8 --arg rank=0 --expect-finding data-race %{all}
//
// At the tile phase, of a box whose end is outside, and of a reduction.
// RUN: carousel-sim %s --kernel @tile --gpus 3 --multicast all=inbox --arg x=random:40:7 --arg inbox=empty:40 --arg rank={rank} --expect inbox=random:40:7 %{all}
// RUN: carousel-sim %s --kernel @tile --gpus 2 --multicast all=inbox --arg x=random:40:7 --arg inbox=empty:40 --arg rank=0 --expect-finding data-race %{all}
// RUN: carousel-sim %s --kernel @tile_adds --gpus 2 --multicast all=sum --arg x@0=random:40:7 --arg x@1=zeros:40 --arg sum=zeros:40 --expect sum=random:40:7 %{all}
//
// Only a signal and a wait order a store with a load of the CTA's own part, at the tile phase, too.
// RUN: carousel-sim %s --kernel @tile_back --gpus 2 --multicast all=inbox --arg x=random:64:7 --arg inbox=empty:64 --arg arrived=zeros:1 --arg y=empty:64 --arg rank={rank} --expect y@0=random:64:7 %{all}
// RUN: carousel-sim %s --kernel @tile_back_at_once --gpus 2 --multicast all=inbox --arg x=random:64:7 --arg inbox=empty:64 --arg arrived=zeros:1 --arg y=empty:64 --arg rank={rank} --expect-finding missing-proxy-fence %{all}
//
// RUN: not carousel-sim %s --kernel @plain --gpus 2 --multicast x=inbox --arg inbox=zeros:1 | FileCheck %s --check-prefix=PLAIN
// PLAIN: finding: [multicast-access] expected only multimem stores and reductions at a multicast address, found a read of 8 bytes
// PLAIN: buffer: inbox@*
// PLAIN: finding: [multicast-access] expected only multimem stores and reductions at a multicast address, found a write of 8 bytes
// RUN: carousel-sim %s --kernel @plain --gpus 2 --multicast x=inbox --arg inbox=zeros:1 --expect-finding multicast-access %{all}
// RUN: carousel-sim %s --kernel @counter --gpus 2 --multicast c=arrived --arg arrived=zeros:1 --expect-finding multicast-access %{all}
// RUN: carousel-sim %s --kernel @bulk --gpus 2 --multicast x=inbox --arg inbox=zeros:4 --expect-finding multicast-access %{all}
// RUN: not carousel-sim %s --kernel @other --gpus 2 --peer remote=inbox --arg inbox=zeros:1 | FileCheck %s --check-prefix=OTHER
// OTHER: finding: [multicast-access] expected a multicast address, found memory of one GPU
//
// One element past the end, and 8 bytes at a multiple of 4.
// RUN: not carousel-sim %s --kernel @past --gpus 2 --multicast all=sum --arg sum=zeros:3 | FileCheck %s --check-prefix=PAST
// PAST: finding: [out-of-bounds] expected an access inside one live buffer, found 4 bytes at offset 12 of sum@*, which has 12 bytes
// RUN: not carousel-sim %s --kernel @misaligned --gpus 2 --multicast all=inbox --arg inbox=zeros:3 | FileCheck %s --check-prefix=MISALIGNED
// MISALIGNED: finding: [invalid-operand] expected a destination aligned to 8 bytes, got an address 4 bytes past that
//
// RUN: not carousel-sim %s --kernel @past --gpus 2 --arg all=zeros:3 2>&1 | FileCheck %s --check-prefix=UNBOUND
// UNBOUND: error: @past: expected the parts of argument all, a multicast address, got none
// RUN: not carousel-sim %s --kernel @unshared --gpus 2 --multicast x=inbox --arg inbox=zeros:1 2>&1 | FileCheck %s --check-prefix=UNSHARED
// UNSHARED: error: @unshared: expected carousel.symmetric or carousel.peer on arguments that share memory, got
// RUN: not carousel-sim %s --kernel @past --multicast all=sum --arg sum=zeros:3 2>&1 | FileCheck %s --check-prefix=ONE
// ONE: error: expected --multicast with --gpus of 2 or more
// RUN: not carousel-sim %s --kernel @past --gpus 2 --multicast all --arg sum=zeros:3 2>&1 | FileCheck %s --check-prefix=FORM
// FORM: error: expected --multicast NAME=OTHER, got 'all'
// RUN: not carousel-sim %s --kernel @past --gpus 2 --multicast every=sum --arg all=zeros:3 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: error: expected --multicast with an argument of past, got every

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!floats = memref<?xf32, #gl>
!words = memref<?xi32, #gl>
!halves = memref<?xf16, #gl>
!longs = memref<1xi64, #gl>
!tile = memref<64xf32, #ws>

gpu.module @multimem {
  // GPU 0 stores by one, two and four elements at a time.
  gpu.func @stores(%x: !floats {carousel.argument = #carousel.argument<"x", in>},
      %all: !floats {carousel.argument = #carousel.argument<"all", out>, carousel.multicast},
      %rank: index {carousel.argument = #carousel.argument<"rank", in>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %a = memref.load %x[%c0] : !floats
    %b = memref.load %x[%c1] : !floats
    %v2 = vector.load %x[%c2] : !floats, vector<2xf32>
    %v4 = vector.load %x[%c4] : !floats, vector<4xf32>
    %is_first = arith.cmpi eq, %rank, %c0 : index
    scf.if %is_first {
      carousel.multimem.store %a to %all[%c0] : f32, !floats
      carousel.multimem.store %b to %all[%c1] : f32, !floats
      carousel.multimem.store %v2 to %all[%c2] : vector<2xf32>, !floats
      carousel.multimem.store %v4 to %all[%c4] : vector<4xf32>, !floats
    }
    gpu.return
  }

  gpu.func @halves(%x: !halves {carousel.argument = #carousel.argument<"x", in>},
      %all: !halves {carousel.argument = #carousel.argument<"all", out>, carousel.multicast},
      %rank: index {carousel.argument = #carousel.argument<"rank", in>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c12 = arith.constant 12 : index
    %v8 = vector.load %x[%c0] : !halves, vector<8xf16>
    %v4 = vector.load %x[%c8] : !halves, vector<4xf16>
    %v2 = vector.load %x[%c12] : !halves, vector<2xf16>
    %is_first = arith.cmpi eq, %rank, %c0 : index
    scf.if %is_first {
      carousel.multimem.store %v8 to %all[%c0] : vector<8xf16>, !halves
      carousel.multimem.store %v4 to %all[%c8] : vector<4xf16>, !halves
      carousel.multimem.store %v2 to %all[%c12] : vector<2xf16>, !halves
    }
    gpu.return
  }

  // Thread i of GPU 0 adds 2 i, and that of GPU 1 -i.
  gpu.func @adds(%all: !words {carousel.argument = #carousel.argument<"all">, carousel.multicast},
      %rank: i32 {carousel.argument = #carousel.argument<"rank", in>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [4]>} {
    %two = arith.constant 2 : i32
    %three = arith.constant 3 : i32
    %thread = gpu.thread_id x
    %i = arith.index_cast %thread : index to i32
    %less = arith.muli %three, %rank : i32
    %factor = arith.subi %two, %less : i32
    %value = arith.muli %i, %factor : i32
    carousel.multimem.reduce add s32 %value to %all[%thread] : i32, !words
    gpu.return
  }

  gpu.func @add_halves(%x: !halves {carousel.argument = #carousel.argument<"x", in>},
      %all: !halves {carousel.argument = #carousel.argument<"all">, carousel.multicast},
      %rank: i32 {carousel.argument = #carousel.argument<"rank", in>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %two = arith.constant 2 : i32
    %three = arith.constant 3 : i32
    %less = arith.muli %three, %rank : i32
    %number = arith.subi %two, %less : i32
    %factor = arith.sitofp %number : i32 to f16
    %factors = vector.broadcast %factor : f16 to vector<8xf16>
    %v = vector.load %x[%c0] : !halves, vector<8xf16>
    %value = arith.mulf %v, %factors : vector<8xf16>
    carousel.multimem.reduce add f16 %value to %all[%c0] : vector<8xf16>, !halves
    gpu.return
  }

  gpu.func @add_floats(%x: !floats {carousel.argument = #carousel.argument<"x", in>},
      %all: !floats {carousel.argument = #carousel.argument<"all">, carousel.multicast},
      %rank: i32 {carousel.argument = #carousel.argument<"rank", in>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %two = arith.constant 2 : i32
    %three = arith.constant 3 : i32
    %less = arith.muli %three, %rank : i32
    %number = arith.subi %two, %less : i32
    %factor = arith.sitofp %number : i32 to f32
    %factors = vector.broadcast %factor : f32 to vector<4xf32>
    %v = vector.load %x[%c0] : !floats, vector<4xf32>
    %value = arith.mulf %v, %factors : vector<4xf32>
    carousel.multimem.reduce add f32 %value to %all[%c0] : vector<4xf32>, !floats
    gpu.return
  }

  gpu.func @tile(%x: !floats {carousel.argument = #carousel.argument<"x", in>},
      %all: !floats {carousel.argument = #carousel.argument<"all", out>, carousel.multicast},
      %rank: index {carousel.argument = #carousel.argument<"rank", in>}) workgroup(%tile: !tile) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %c0 = arith.constant 0 : index
    %is_first = arith.cmpi eq, %rank, %c0 : index
    scf.if %is_first {
      carousel.load %x[%c0] to %tile : !floats, !tile
      carousel.store %tile to %all[%c0] : !tile, !floats
    }
    gpu.return
  }

  gpu.func @tile_adds(%x: !floats {carousel.argument = #carousel.argument<"x", in>},
      %all: !floats {carousel.argument = #carousel.argument<"all">, carousel.multicast}) workgroup(%tile: !tile) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %c0 = arith.constant 0 : index
    carousel.load %x[%c0] to %tile : !floats, !tile
    carousel.store %tile to %all[%c0] reduce<add f32> : !tile, !floats
    gpu.return
  }

  gpu.func @tile_back(%x: !floats {carousel.argument = #carousel.argument<"x", in>},
      %all: !floats {carousel.argument = #carousel.argument<"all", out>, carousel.multicast},
      %inbox: !floats {carousel.argument = #carousel.argument<"inbox", in>, carousel.symmetric},
      %arrived: !longs {carousel.argument = #carousel.argument<"arrived">, carousel.symmetric},
      %y: !floats {carousel.argument = #carousel.argument<"y", inout>},
      %rank: index {carousel.argument = #carousel.argument<"rank", in>}) workgroup(%tile: !tile) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : i64
    %is_first = arith.cmpi eq, %rank, %c0 : index
    scf.if %is_first {
      carousel.load %x[%c0] to %tile : !floats, !tile
      carousel.store %tile to %all[%c0] : !tile, !floats
      carousel.signal %arrived[%c0] set %one : !longs
      carousel.wait_signal %arrived[%c0] at_least %one : !longs
      carousel.load %inbox[%c0] to %tile : !floats, !tile
      carousel.store %tile to %y[%c0] : !tile, !floats
    }
    gpu.return
  }

  gpu.func @tile_back_at_once(%x: !floats {carousel.argument = #carousel.argument<"x", in>},
      %all: !floats {carousel.argument = #carousel.argument<"all", out>, carousel.multicast},
      %inbox: !floats {carousel.argument = #carousel.argument<"inbox", in>, carousel.symmetric},
      %arrived: !longs {carousel.argument = #carousel.argument<"arrived">, carousel.symmetric},
      %y: !floats {carousel.argument = #carousel.argument<"y", inout>},
      %rank: index {carousel.argument = #carousel.argument<"rank", in>}) workgroup(%tile: !tile) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : i64
    %is_first = arith.cmpi eq, %rank, %c0 : index
    scf.if %is_first {
      carousel.load %x[%c0] to %tile : !floats, !tile
      carousel.store %tile to %all[%c0] : !tile, !floats
      carousel.load %inbox[%c0] to %tile : !floats, !tile
      carousel.store %tile to %y[%c0] : !tile, !floats
    }
    gpu.return
  }

  // These are bound to a multicast address, of which the kernels don't know.
  gpu.func @plain(%x: !longs {carousel.argument = #carousel.argument<"x">, carousel.symmetric}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %v = memref.load %x[%c0] : !longs
    memref.store %v, %x[%c0] : !longs
    gpu.return
  }

  gpu.func @counter(%c: !longs {carousel.argument = #carousel.argument<"c">, carousel.symmetric}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : i64
    carousel.signal.release %c[%c0] set %one : !longs
    gpu.return
  }

  gpu.func @bulk(%x: !floats {carousel.argument = #carousel.argument<"x">, carousel.symmetric})
      workgroup(%tile: !tile {llvm.align = 128 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant dense<0.0> : vector<4xf32>
    vector.store %zero, %tile[%c0] : !tile, vector<4xf32>
    carousel.fence.proxy async_shared_cta
    carousel.bulk.store %tile[%c0] to %x[%c0], 16 : !tile, !floats
    carousel.bulk.commit_group
    carousel.bulk.wait_group complete 0
    gpu.return
  }

  gpu.func @unshared(%x: !longs {carousel.argument = #carousel.argument<"x">}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    gpu.return
  }

  gpu.func @other(%remote: !longs {carousel.argument = #carousel.argument<"remote">, carousel.peer}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : i64
    carousel.multimem.store %one to %remote[%c0] : i64, !longs
    gpu.return
  }

  gpu.func @past(%all: !words {carousel.argument = #carousel.argument<"all">, carousel.multicast}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c3 = arith.constant 3 : index
    %one = arith.constant 1 : i32
    carousel.multimem.reduce add u32 %one to %all[%c3] : i32, !words
    gpu.return
  }

  gpu.func @misaligned(%all: !words {carousel.argument = #carousel.argument<"all">, carousel.multicast}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c1 = arith.constant 1 : index
    %v = arith.constant dense<1> : vector<2xi32>
    carousel.multimem.store %v to %all[%c1] : vector<2xi32>, !words
    gpu.return
  }
}
