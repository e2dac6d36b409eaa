// accumulate: the first turn's tile replaces what is in the box, later ones are combined with it, and the last one's
// tile becomes that, whichever the scheme; elements outside of the global memref are left alone, and zero in the tile. The
// same bits come of what it is lowered to, for each reduction: sums of 16 bits are rounded in each turn.
// RUN: carousel-sim %s --kernel @sums --reference @expected --arg s=zeros:3 --arg x=iota:4x8 --arg a=random:6 --arg b=random:6 --arg c=random:6 --arg z=empty:3x8 --expect s=zeros:3 --multiprocessors 1 --policy all --schedules 2
// RUN: env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-lowered --require-variants %s -- --kernel @sums --reference @expected --arg s=zeros:3 --arg x=iota:4x8 --arg a=random:6 --arg b=random:6 --arg c=random:6 --arg z=empty:3x8 --expect s=zeros:3 --multiprocessors 1 --policy all --schedules 2
// RUN: carousel-sim %s --kernel @add_bf16 --arg s=zeros:2 --arg x=random:4x200 --arg y=random:200:1 --arg z=random:200:2 --arg u=empty:256 --arg v=empty:256 --expect s=zeros:2 --out y=%t.add_bf16.y.npy --out u=%t.add_bf16.u.npy --quiet
// RUN: carousel-sim %s --kernel @add_bf16 --arg s=zeros:2 --arg x=random:4x200 --arg y=random:200:1 --arg z=random:200:2 --arg u=empty:256 --arg v=empty:256 --expect s=zeros:2 --expect u=%t.add_bf16.u.npy --expect v=%t.add_bf16.u.npy --policy all --schedules 2
// RUN: env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-lowered --require-variants %s -- --kernel @add_bf16 --arg s=zeros:2 --arg x=random:4x200 --arg y=random:200:1 --arg z=random:200:2 --arg u=empty:256 --arg v=empty:256 --expect s=zeros:2 --expect u=%t.add_bf16.u.npy --expect v=%t.add_bf16.u.npy --policy all --schedules 1
// RUN: carousel-sim %s --kernel @max_f16 --arg s=zeros:2 --arg x=random:4x200 --arg y=random:200:1 --arg z=random:200:2 --arg u=empty:256 --arg v=empty:256 --expect s=zeros:2 --out y=%t.max_f16.y.npy --out u=%t.max_f16.u.npy --quiet
// RUN: carousel-sim %s --kernel @max_f16 --arg s=zeros:2 --arg x=random:4x200 --arg y=random:200:1 --arg z=random:200:2 --arg u=empty:256 --arg v=empty:256 --expect s=zeros:2 --expect u=%t.max_f16.u.npy --expect v=%t.max_f16.u.npy --policy all --schedules 2
// RUN: env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-lowered --require-variants %s -- --kernel @max_f16 --arg s=zeros:2 --arg x=random:4x200 --arg y=random:200:1 --arg z=random:200:2 --arg u=empty:256 --arg v=empty:256 --expect s=zeros:2 --expect u=%t.max_f16.u.npy --expect v=%t.max_f16.u.npy --policy all --schedules 1
// RUN: carousel-sim %s --kernel @add_f32 --arg s=zeros:2 --arg x=random:4x200 --arg y=random:200:1 --arg z=random:200:2 --arg u=empty:256 --arg v=empty:256 --expect s=zeros:2 --out y=%t.add_f32.y.npy --out u=%t.add_f32.u.npy --quiet
// RUN: carousel-sim %s --kernel @add_f32 --arg s=zeros:2 --arg x=random:4x200 --arg y=random:200:1 --arg z=random:200:2 --arg u=empty:256 --arg v=empty:256 --expect s=zeros:2 --expect u=%t.add_f32.u.npy --expect v=%t.add_f32.u.npy --policy all --schedules 2
// RUN: env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-lowered --require-variants %s -- --kernel @add_f32 --arg s=zeros:2 --arg x=random:4x200 --arg y=random:200:1 --arg z=random:200:2 --arg u=empty:256 --arg v=empty:256 --expect s=zeros:2 --expect u=%t.add_f32.u.npy --expect v=%t.add_f32.u.npy --policy all --schedules 1
// RUN: carousel-sim %s --kernel @min_s32 --arg s=zeros:2 --arg x=random:4x200 --arg y=random:200:1 --arg z=random:200:2 --arg u=empty:256 --arg v=empty:256 --expect s=zeros:2 --out y=%t.min_s32.y.npy --out u=%t.min_s32.u.npy --quiet
// RUN: carousel-sim %s --kernel @min_s32 --arg s=zeros:2 --arg x=random:4x200 --arg y=random:200:1 --arg z=random:200:2 --arg u=empty:256 --arg v=empty:256 --expect s=zeros:2 --expect u=%t.min_s32.u.npy --expect v=%t.min_s32.u.npy --policy all --schedules 2
// RUN: env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-lowered --require-variants %s -- --kernel @min_s32 --arg s=zeros:2 --arg x=random:4x200 --arg y=random:200:1 --arg z=random:200:2 --arg u=empty:256 --arg v=empty:256 --expect s=zeros:2 --expect u=%t.min_s32.u.npy --expect v=%t.min_s32.u.npy --policy all --schedules 1
// RUN: carousel-sim %s --kernel @max_u32 --arg s=zeros:2 --arg x=random:4x200 --arg y=random:200:1 --arg z=random:200:2 --arg u=empty:256 --arg v=empty:256 --expect s=zeros:2 --out y=%t.max_u32.y.npy --out u=%t.max_u32.u.npy --quiet
// RUN: carousel-sim %s --kernel @max_u32 --arg s=zeros:2 --arg x=random:4x200 --arg y=random:200:1 --arg z=random:200:2 --arg u=empty:256 --arg v=empty:256 --expect s=zeros:2 --expect u=%t.max_u32.u.npy --expect v=%t.max_u32.u.npy --policy all --schedules 2
// RUN: env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-lowered --require-variants %s -- --kernel @max_u32 --arg s=zeros:2 --arg x=random:4x200 --arg y=random:200:1 --arg z=random:200:2 --arg u=empty:256 --arg v=empty:256 --expect s=zeros:2 --expect u=%t.max_u32.u.npy --expect v=%t.max_u32.u.npy --policy all --schedules 1
// RUN: carousel-sim %s --kernel @inc_u32 --arg s=zeros:2 --arg x=random:4x200 --arg y=random:200:1 --arg z=random:200:2 --arg u=empty:256 --arg v=empty:256 --expect s=zeros:2 --out y=%t.inc_u32.y.npy --out u=%t.inc_u32.u.npy --quiet
// RUN: carousel-sim %s --kernel @inc_u32 --arg s=zeros:2 --arg x=random:4x200 --arg y=random:200:1 --arg z=random:200:2 --arg u=empty:256 --arg v=empty:256 --expect s=zeros:2 --expect u=%t.inc_u32.u.npy --expect v=%t.inc_u32.u.npy --policy all --schedules 2
// RUN: env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-lowered --require-variants %s -- --kernel @inc_u32 --arg s=zeros:2 --arg x=random:4x200 --arg y=random:200:1 --arg z=random:200:2 --arg u=empty:256 --arg v=empty:256 --expect s=zeros:2 --expect u=%t.inc_u32.u.npy --expect v=%t.inc_u32.u.npy --policy all --schedules 1
// RUN: carousel-sim %s --kernel @dec_u32 --arg s=zeros:2 --arg x=random:4x200 --arg y=random:200:1 --arg z=random:200:2 --arg u=empty:256 --arg v=empty:256 --expect s=zeros:2 --out y=%t.dec_u32.y.npy --out u=%t.dec_u32.u.npy --quiet
// RUN: carousel-sim %s --kernel @dec_u32 --arg s=zeros:2 --arg x=random:4x200 --arg y=random:200:1 --arg z=random:200:2 --arg u=empty:256 --arg v=empty:256 --expect s=zeros:2 --expect u=%t.dec_u32.u.npy --expect v=%t.dec_u32.u.npy --policy all --schedules 2
// RUN: env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-lowered --require-variants %s -- --kernel @dec_u32 --arg s=zeros:2 --arg x=random:4x200 --arg y=random:200:1 --arg z=random:200:2 --arg u=empty:256 --arg v=empty:256 --expect s=zeros:2 --expect u=%t.dec_u32.u.npy --expect v=%t.dec_u32.u.npy --policy all --schedules 1
// RUN: carousel-sim %s --kernel @xor_b32 --arg s=zeros:2 --arg x=random:4x200 --arg y=random:200:1 --arg z=random:200:2 --arg u=empty:256 --arg v=empty:256 --expect s=zeros:2 --out y=%t.xor_b32.y.npy --out u=%t.xor_b32.u.npy --quiet
// RUN: carousel-sim %s --kernel @xor_b32 --arg s=zeros:2 --arg x=random:4x200 --arg y=random:200:1 --arg z=random:200:2 --arg u=empty:256 --arg v=empty:256 --expect s=zeros:2 --expect u=%t.xor_b32.u.npy --expect v=%t.xor_b32.u.npy --policy all --schedules 2
// RUN: env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-lowered --require-variants %s -- --kernel @xor_b32 --arg s=zeros:2 --arg x=random:4x200 --arg y=random:200:1 --arg z=random:200:2 --arg u=empty:256 --arg v=empty:256 --expect s=zeros:2 --expect u=%t.xor_b32.u.npy --expect v=%t.xor_b32.u.npy --policy all --schedules 1
// RUN: carousel-sim %s --kernel @and_b64 --arg s=zeros:2 --arg x=random:4x200 --arg y=random:200:1 --arg z=random:200:2 --arg u=empty:256 --arg v=empty:256 --expect s=zeros:2 --out y=%t.and_b64.y.npy --out u=%t.and_b64.u.npy --quiet
// RUN: carousel-sim %s --kernel @and_b64 --arg s=zeros:2 --arg x=random:4x200 --arg y=random:200:1 --arg z=random:200:2 --arg u=empty:256 --arg v=empty:256 --expect s=zeros:2 --expect u=%t.and_b64.u.npy --expect v=%t.and_b64.u.npy --policy all --schedules 2
// RUN: env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-lowered --require-variants %s -- --kernel @and_b64 --arg s=zeros:2 --arg x=random:4x200 --arg y=random:200:1 --arg z=random:200:2 --arg u=empty:256 --arg v=empty:256 --expect s=zeros:2 --expect u=%t.and_b64.u.npy --expect v=%t.and_b64.u.npy --policy all --schedules 1
// RUN: carousel-sim %s --kernel @add_f64 --arg s=zeros:2 --arg x=random:4x200 --arg y=random:200:1 --arg z=random:200:2 --arg u=empty:256 --arg v=empty:256 --expect s=zeros:2 --out y=%t.add_f64.y.npy --out u=%t.add_f64.u.npy --quiet
// RUN: carousel-sim %s --kernel @add_f64 --arg s=zeros:2 --arg x=random:4x200 --arg y=random:200:1 --arg z=random:200:2 --arg u=empty:256 --arg v=empty:256 --expect s=zeros:2 --expect u=%t.add_f64.u.npy --expect v=%t.add_f64.u.npy --policy all --schedules 2
// RUN: env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-lowered --require-variants %s -- --kernel @add_f64 --arg s=zeros:2 --arg x=random:4x200 --arg y=random:200:1 --arg z=random:200:2 --arg u=empty:256 --arg v=empty:256 --expect s=zeros:2 --expect u=%t.add_f64.u.npy --expect v=%t.add_f64.u.npy --policy all --schedules 1

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!s = memref<?xi32, #gl>

gpu.module @m {
  // z[i] is the last turn's tile of way i.
  gpu.func @sums(%s: !s {carousel.argument = #carousel.argument<"s", inout>},
                 %x: memref<4x8xf32, #gl> {carousel.argument = #carousel.argument<"x", in>},
                 %a: memref<6xf32, #gl> {carousel.argument = #carousel.argument<"a", inout>},
                 %b: memref<6xf32, #gl> {carousel.argument = #carousel.argument<"b", inout>},
                 %c: memref<6xf32, #gl> {carousel.argument = #carousel.argument<"c", inout>},
                 %z: memref<3x8xf32, #gl> {carousel.argument = #carousel.argument<"z", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [4], block = [32]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %turn = carousel.grid.ticket %s[%c2] of %c4 : !s
    %t0 = memref.alloc() {alignment = 128 : i64} : memref<8xf32, #ws>
    %t1 = memref.alloc() {alignment = 128 : i64} : memref<8xf32, #ws>
    %t2 = memref.alloc() {alignment = 128 : i64} : memref<8xf32, #ws>
    carousel.load %x[%turn, %c0] to %t0 : memref<4x8xf32, #gl>, memref<8xf32, #ws>
    carousel.load %x[%turn, %c0] to %t1 : memref<4x8xf32, #gl>, memref<8xf32, #ws>
    carousel.load %x[%turn, %c0] to %t2 : memref<4x8xf32, #gl>, memref<8xf32, #ws>
    %r = carousel.serialize %s[%c1] turn %turn of %c4 (%first, %last) {
      carousel.accumulate %t0 into %a[%c0] reduce<add f32> first(%first) last(%last)
          : memref<8xf32, #ws>, memref<6xf32, #gl>
      carousel.accumulate %t1 into %b[%c0] reduce<add f32> first(%first) last(%last) read_back(threads)
          : memref<8xf32, #ws>, memref<6xf32, #gl>
      carousel.accumulate %t2 into %c[%c0] reduce<add f32> first(%first) last(%last) scheme(registers)
          : memref<8xf32, #ws>, memref<6xf32, #gl>
      carousel.pass_turn %last : i1
    } : !s -> i1
    scf.if %r {
      // What is left in the boxes isn't said.
      carousel.store %t0 to %a[%c0] : memref<8xf32, #ws>, memref<6xf32, #gl>
      carousel.store %t1 to %b[%c0] : memref<8xf32, #ws>, memref<6xf32, #gl>
      carousel.store %t2 to %c[%c0] : memref<8xf32, #ws>, memref<6xf32, #gl>
      carousel.store %t0 to %z[%c0, %c0] : memref<8xf32, #ws>, memref<3x8xf32, #gl>
      carousel.store %t1 to %z[%c1, %c0] : memref<8xf32, #ws>, memref<3x8xf32, #gl>
      carousel.store %t2 to %z[%c2, %c0] : memref<8xf32, #ws>, memref<3x8xf32, #gl>
    }
    gpu.return
  }

  gpu.func @add_bf16(%s: !s {carousel.argument = #carousel.argument<"s", inout>},
                 %x: memref<4x?xbf16, #gl> {carousel.argument = #carousel.argument<"x", in>},
                 %y: memref<?xbf16, #gl> {carousel.argument = #carousel.argument<"y", inout>},
                 %z: memref<?xbf16, #gl> {carousel.argument = #carousel.argument<"z", inout>},
                 %u: memref<?xbf16, #gl> {carousel.argument = #carousel.argument<"u", out>},
                 %v: memref<?xbf16, #gl> {carousel.argument = #carousel.argument<"v", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [4], block = [32]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %turn = carousel.grid.ticket %s[%c1] of %c4 : !s
    %t0 = memref.alloc() {alignment = 128 : i64} : memref<256xbf16, #ws>
    %t1 = memref.alloc() {alignment = 128 : i64} : memref<256xbf16, #ws>
    carousel.load %x[%turn, %c0] to %t0 : memref<4x?xbf16, #gl>, memref<256xbf16, #ws>
    carousel.load %x[%turn, %c0] to %t1 : memref<4x?xbf16, #gl>, memref<256xbf16, #ws>
    %r = carousel.serialize %s[%c0] turn %turn of %c4 (%first, %last) {
      carousel.accumulate %t0 into %y[%c0] reduce<add bf16> first(%first) last(%last) : memref<256xbf16, #ws>, memref<?xbf16, #gl>
      carousel.accumulate %t1 into %z[%c0] reduce<add bf16> first(%first) last(%last) scheme(registers) : memref<256xbf16, #ws>, memref<?xbf16, #gl>
      carousel.pass_turn %last : i1
    } : !s -> i1
    scf.if %r {
      carousel.store %t0 to %u[%c0] : memref<256xbf16, #ws>, memref<?xbf16, #gl>
      carousel.store %t1 to %v[%c0] : memref<256xbf16, #ws>, memref<?xbf16, #gl>
    }
    gpu.return
  }

  gpu.func @max_f16(%s: !s {carousel.argument = #carousel.argument<"s", inout>},
                 %x: memref<4x?xf16, #gl> {carousel.argument = #carousel.argument<"x", in>},
                 %y: memref<?xf16, #gl> {carousel.argument = #carousel.argument<"y", inout>},
                 %z: memref<?xf16, #gl> {carousel.argument = #carousel.argument<"z", inout>},
                 %u: memref<?xf16, #gl> {carousel.argument = #carousel.argument<"u", out>},
                 %v: memref<?xf16, #gl> {carousel.argument = #carousel.argument<"v", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [4], block = [32]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %turn = carousel.grid.ticket %s[%c1] of %c4 : !s
    %t0 = memref.alloc() {alignment = 128 : i64} : memref<256xf16, #ws>
    %t1 = memref.alloc() {alignment = 128 : i64} : memref<256xf16, #ws>
    carousel.load %x[%turn, %c0] to %t0 : memref<4x?xf16, #gl>, memref<256xf16, #ws>
    carousel.load %x[%turn, %c0] to %t1 : memref<4x?xf16, #gl>, memref<256xf16, #ws>
    %r = carousel.serialize %s[%c0] turn %turn of %c4 (%first, %last) {
      carousel.accumulate %t0 into %y[%c0] reduce<max f16> first(%first) last(%last) : memref<256xf16, #ws>, memref<?xf16, #gl>
      carousel.accumulate %t1 into %z[%c0] reduce<max f16> first(%first) last(%last) scheme(registers) : memref<256xf16, #ws>, memref<?xf16, #gl>
      carousel.pass_turn %last : i1
    } : !s -> i1
    scf.if %r {
      carousel.store %t0 to %u[%c0] : memref<256xf16, #ws>, memref<?xf16, #gl>
      carousel.store %t1 to %v[%c0] : memref<256xf16, #ws>, memref<?xf16, #gl>
    }
    gpu.return
  }

  gpu.func @add_f32(%s: !s {carousel.argument = #carousel.argument<"s", inout>},
                 %x: memref<4x?xf32, #gl> {carousel.argument = #carousel.argument<"x", in>},
                 %y: memref<?xf32, #gl> {carousel.argument = #carousel.argument<"y", inout>},
                 %z: memref<?xf32, #gl> {carousel.argument = #carousel.argument<"z", inout>},
                 %u: memref<?xf32, #gl> {carousel.argument = #carousel.argument<"u", out>},
                 %v: memref<?xf32, #gl> {carousel.argument = #carousel.argument<"v", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [4], block = [32]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %turn = carousel.grid.ticket %s[%c1] of %c4 : !s
    %t0 = memref.alloc() {alignment = 128 : i64} : memref<256xf32, #ws>
    %t1 = memref.alloc() {alignment = 128 : i64} : memref<256xf32, #ws>
    carousel.load %x[%turn, %c0] to %t0 : memref<4x?xf32, #gl>, memref<256xf32, #ws>
    carousel.load %x[%turn, %c0] to %t1 : memref<4x?xf32, #gl>, memref<256xf32, #ws>
    %r = carousel.serialize %s[%c0] turn %turn of %c4 (%first, %last) {
      carousel.accumulate %t0 into %y[%c0] reduce<add f32> first(%first) last(%last) : memref<256xf32, #ws>, memref<?xf32, #gl>
      carousel.accumulate %t1 into %z[%c0] reduce<add f32> first(%first) last(%last) scheme(registers) : memref<256xf32, #ws>, memref<?xf32, #gl>
      carousel.pass_turn %last : i1
    } : !s -> i1
    scf.if %r {
      carousel.store %t0 to %u[%c0] : memref<256xf32, #ws>, memref<?xf32, #gl>
      carousel.store %t1 to %v[%c0] : memref<256xf32, #ws>, memref<?xf32, #gl>
    }
    gpu.return
  }

  gpu.func @min_s32(%s: !s {carousel.argument = #carousel.argument<"s", inout>},
                 %x: memref<4x?xi32, #gl> {carousel.argument = #carousel.argument<"x", in>},
                 %y: memref<?xi32, #gl> {carousel.argument = #carousel.argument<"y", inout>},
                 %z: memref<?xi32, #gl> {carousel.argument = #carousel.argument<"z", inout>},
                 %u: memref<?xi32, #gl> {carousel.argument = #carousel.argument<"u", out>},
                 %v: memref<?xi32, #gl> {carousel.argument = #carousel.argument<"v", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [4], block = [32]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %turn = carousel.grid.ticket %s[%c1] of %c4 : !s
    %t0 = memref.alloc() {alignment = 128 : i64} : memref<256xi32, #ws>
    %t1 = memref.alloc() {alignment = 128 : i64} : memref<256xi32, #ws>
    carousel.load %x[%turn, %c0] to %t0 : memref<4x?xi32, #gl>, memref<256xi32, #ws>
    carousel.load %x[%turn, %c0] to %t1 : memref<4x?xi32, #gl>, memref<256xi32, #ws>
    %r = carousel.serialize %s[%c0] turn %turn of %c4 (%first, %last) {
      carousel.accumulate %t0 into %y[%c0] reduce<min s32> first(%first) last(%last) : memref<256xi32, #ws>, memref<?xi32, #gl>
      carousel.accumulate %t1 into %z[%c0] reduce<min s32> first(%first) last(%last) scheme(registers) : memref<256xi32, #ws>, memref<?xi32, #gl>
      carousel.pass_turn %last : i1
    } : !s -> i1
    scf.if %r {
      carousel.store %t0 to %u[%c0] : memref<256xi32, #ws>, memref<?xi32, #gl>
      carousel.store %t1 to %v[%c0] : memref<256xi32, #ws>, memref<?xi32, #gl>
    }
    gpu.return
  }

  gpu.func @max_u32(%s: !s {carousel.argument = #carousel.argument<"s", inout>},
                 %x: memref<4x?xi32, #gl> {carousel.argument = #carousel.argument<"x", in>},
                 %y: memref<?xi32, #gl> {carousel.argument = #carousel.argument<"y", inout>},
                 %z: memref<?xi32, #gl> {carousel.argument = #carousel.argument<"z", inout>},
                 %u: memref<?xi32, #gl> {carousel.argument = #carousel.argument<"u", out>},
                 %v: memref<?xi32, #gl> {carousel.argument = #carousel.argument<"v", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [4], block = [32]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %turn = carousel.grid.ticket %s[%c1] of %c4 : !s
    %t0 = memref.alloc() {alignment = 128 : i64} : memref<256xi32, #ws>
    %t1 = memref.alloc() {alignment = 128 : i64} : memref<256xi32, #ws>
    carousel.load %x[%turn, %c0] to %t0 : memref<4x?xi32, #gl>, memref<256xi32, #ws>
    carousel.load %x[%turn, %c0] to %t1 : memref<4x?xi32, #gl>, memref<256xi32, #ws>
    %r = carousel.serialize %s[%c0] turn %turn of %c4 (%first, %last) {
      carousel.accumulate %t0 into %y[%c0] reduce<max u32> first(%first) last(%last) : memref<256xi32, #ws>, memref<?xi32, #gl>
      carousel.accumulate %t1 into %z[%c0] reduce<max u32> first(%first) last(%last) scheme(registers) : memref<256xi32, #ws>, memref<?xi32, #gl>
      carousel.pass_turn %last : i1
    } : !s -> i1
    scf.if %r {
      carousel.store %t0 to %u[%c0] : memref<256xi32, #ws>, memref<?xi32, #gl>
      carousel.store %t1 to %v[%c0] : memref<256xi32, #ws>, memref<?xi32, #gl>
    }
    gpu.return
  }

  gpu.func @inc_u32(%s: !s {carousel.argument = #carousel.argument<"s", inout>},
                 %x: memref<4x?xi32, #gl> {carousel.argument = #carousel.argument<"x", in>},
                 %y: memref<?xi32, #gl> {carousel.argument = #carousel.argument<"y", inout>},
                 %z: memref<?xi32, #gl> {carousel.argument = #carousel.argument<"z", inout>},
                 %u: memref<?xi32, #gl> {carousel.argument = #carousel.argument<"u", out>},
                 %v: memref<?xi32, #gl> {carousel.argument = #carousel.argument<"v", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [4], block = [32]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %turn = carousel.grid.ticket %s[%c1] of %c4 : !s
    %t0 = memref.alloc() {alignment = 128 : i64} : memref<256xi32, #ws>
    %t1 = memref.alloc() {alignment = 128 : i64} : memref<256xi32, #ws>
    carousel.load %x[%turn, %c0] to %t0 : memref<4x?xi32, #gl>, memref<256xi32, #ws>
    carousel.load %x[%turn, %c0] to %t1 : memref<4x?xi32, #gl>, memref<256xi32, #ws>
    %r = carousel.serialize %s[%c0] turn %turn of %c4 (%first, %last) {
      carousel.accumulate %t0 into %y[%c0] reduce<inc u32> first(%first) last(%last) : memref<256xi32, #ws>, memref<?xi32, #gl>
      carousel.accumulate %t1 into %z[%c0] reduce<inc u32> first(%first) last(%last) scheme(registers) : memref<256xi32, #ws>, memref<?xi32, #gl>
      carousel.pass_turn %last : i1
    } : !s -> i1
    scf.if %r {
      carousel.store %t0 to %u[%c0] : memref<256xi32, #ws>, memref<?xi32, #gl>
      carousel.store %t1 to %v[%c0] : memref<256xi32, #ws>, memref<?xi32, #gl>
    }
    gpu.return
  }

  gpu.func @dec_u32(%s: !s {carousel.argument = #carousel.argument<"s", inout>},
                 %x: memref<4x?xi32, #gl> {carousel.argument = #carousel.argument<"x", in>},
                 %y: memref<?xi32, #gl> {carousel.argument = #carousel.argument<"y", inout>},
                 %z: memref<?xi32, #gl> {carousel.argument = #carousel.argument<"z", inout>},
                 %u: memref<?xi32, #gl> {carousel.argument = #carousel.argument<"u", out>},
                 %v: memref<?xi32, #gl> {carousel.argument = #carousel.argument<"v", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [4], block = [32]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %turn = carousel.grid.ticket %s[%c1] of %c4 : !s
    %t0 = memref.alloc() {alignment = 128 : i64} : memref<256xi32, #ws>
    %t1 = memref.alloc() {alignment = 128 : i64} : memref<256xi32, #ws>
    carousel.load %x[%turn, %c0] to %t0 : memref<4x?xi32, #gl>, memref<256xi32, #ws>
    carousel.load %x[%turn, %c0] to %t1 : memref<4x?xi32, #gl>, memref<256xi32, #ws>
    %r = carousel.serialize %s[%c0] turn %turn of %c4 (%first, %last) {
      carousel.accumulate %t0 into %y[%c0] reduce<dec u32> first(%first) last(%last) : memref<256xi32, #ws>, memref<?xi32, #gl>
      carousel.accumulate %t1 into %z[%c0] reduce<dec u32> first(%first) last(%last) scheme(registers) : memref<256xi32, #ws>, memref<?xi32, #gl>
      carousel.pass_turn %last : i1
    } : !s -> i1
    scf.if %r {
      carousel.store %t0 to %u[%c0] : memref<256xi32, #ws>, memref<?xi32, #gl>
      carousel.store %t1 to %v[%c0] : memref<256xi32, #ws>, memref<?xi32, #gl>
    }
    gpu.return
  }

  gpu.func @xor_b32(%s: !s {carousel.argument = #carousel.argument<"s", inout>},
                 %x: memref<4x?xi32, #gl> {carousel.argument = #carousel.argument<"x", in>},
                 %y: memref<?xi32, #gl> {carousel.argument = #carousel.argument<"y", inout>},
                 %z: memref<?xi32, #gl> {carousel.argument = #carousel.argument<"z", inout>},
                 %u: memref<?xi32, #gl> {carousel.argument = #carousel.argument<"u", out>},
                 %v: memref<?xi32, #gl> {carousel.argument = #carousel.argument<"v", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [4], block = [32]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %turn = carousel.grid.ticket %s[%c1] of %c4 : !s
    %t0 = memref.alloc() {alignment = 128 : i64} : memref<256xi32, #ws>
    %t1 = memref.alloc() {alignment = 128 : i64} : memref<256xi32, #ws>
    carousel.load %x[%turn, %c0] to %t0 : memref<4x?xi32, #gl>, memref<256xi32, #ws>
    carousel.load %x[%turn, %c0] to %t1 : memref<4x?xi32, #gl>, memref<256xi32, #ws>
    %r = carousel.serialize %s[%c0] turn %turn of %c4 (%first, %last) {
      carousel.accumulate %t0 into %y[%c0] reduce<xor b32> first(%first) last(%last) : memref<256xi32, #ws>, memref<?xi32, #gl>
      carousel.accumulate %t1 into %z[%c0] reduce<xor b32> first(%first) last(%last) scheme(registers) : memref<256xi32, #ws>, memref<?xi32, #gl>
      carousel.pass_turn %last : i1
    } : !s -> i1
    scf.if %r {
      carousel.store %t0 to %u[%c0] : memref<256xi32, #ws>, memref<?xi32, #gl>
      carousel.store %t1 to %v[%c0] : memref<256xi32, #ws>, memref<?xi32, #gl>
    }
    gpu.return
  }

  gpu.func @and_b64(%s: !s {carousel.argument = #carousel.argument<"s", inout>},
                 %x: memref<4x?xi64, #gl> {carousel.argument = #carousel.argument<"x", in>},
                 %y: memref<?xi64, #gl> {carousel.argument = #carousel.argument<"y", inout>},
                 %z: memref<?xi64, #gl> {carousel.argument = #carousel.argument<"z", inout>},
                 %u: memref<?xi64, #gl> {carousel.argument = #carousel.argument<"u", out>},
                 %v: memref<?xi64, #gl> {carousel.argument = #carousel.argument<"v", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [4], block = [32]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %turn = carousel.grid.ticket %s[%c1] of %c4 : !s
    %t0 = memref.alloc() {alignment = 128 : i64} : memref<256xi64, #ws>
    %t1 = memref.alloc() {alignment = 128 : i64} : memref<256xi64, #ws>
    carousel.load %x[%turn, %c0] to %t0 : memref<4x?xi64, #gl>, memref<256xi64, #ws>
    carousel.load %x[%turn, %c0] to %t1 : memref<4x?xi64, #gl>, memref<256xi64, #ws>
    %r = carousel.serialize %s[%c0] turn %turn of %c4 (%first, %last) {
      carousel.accumulate %t0 into %y[%c0] reduce<and b64> first(%first) last(%last) : memref<256xi64, #ws>, memref<?xi64, #gl>
      carousel.accumulate %t1 into %z[%c0] reduce<and b64> first(%first) last(%last) scheme(registers) : memref<256xi64, #ws>, memref<?xi64, #gl>
      carousel.pass_turn %last : i1
    } : !s -> i1
    scf.if %r {
      carousel.store %t0 to %u[%c0] : memref<256xi64, #ws>, memref<?xi64, #gl>
      carousel.store %t1 to %v[%c0] : memref<256xi64, #ws>, memref<?xi64, #gl>
    }
    gpu.return
  }

  gpu.func @add_f64(%s: !s {carousel.argument = #carousel.argument<"s", inout>},
                 %x: memref<4x?xf64, #gl> {carousel.argument = #carousel.argument<"x", in>},
                 %y: memref<?xf64, #gl> {carousel.argument = #carousel.argument<"y", inout>},
                 %z: memref<?xf64, #gl> {carousel.argument = #carousel.argument<"z", inout>},
                 %u: memref<?xf64, #gl> {carousel.argument = #carousel.argument<"u", out>},
                 %v: memref<?xf64, #gl> {carousel.argument = #carousel.argument<"v", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [4], block = [32]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %turn = carousel.grid.ticket %s[%c1] of %c4 : !s
    %t0 = memref.alloc() {alignment = 128 : i64} : memref<256xf64, #ws>
    %t1 = memref.alloc() {alignment = 128 : i64} : memref<256xf64, #ws>
    carousel.load %x[%turn, %c0] to %t0 : memref<4x?xf64, #gl>, memref<256xf64, #ws>
    carousel.load %x[%turn, %c0] to %t1 : memref<4x?xf64, #gl>, memref<256xf64, #ws>
    %r = carousel.serialize %s[%c0] turn %turn of %c4 (%first, %last) {
      carousel.accumulate %t0 into %y[%c0] reduce<add f64> first(%first) last(%last) : memref<256xf64, #ws>, memref<?xf64, #gl>
      carousel.accumulate %t1 into %z[%c0] reduce<add f64> first(%first) last(%last) scheme(registers) : memref<256xf64, #ws>, memref<?xf64, #gl>
      carousel.pass_turn %last : i1
    } : !s -> i1
    scf.if %r {
      carousel.store %t0 to %u[%c0] : memref<256xf64, #ws>, memref<?xf64, #gl>
      carousel.store %t1 to %v[%c0] : memref<256xf64, #ws>, memref<?xf64, #gl>
    }
    gpu.return
  }
}

func.func @expected(%s: memref<?xi32>, %x: memref<4x8xf32>, %a: memref<6xf32>, %b: memref<6xf32>, %c: memref<6xf32>, %z: memref<3x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c6 = arith.constant 6 : index
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%z : memref<3x8xf32>)
  scf.for %j = %c0 to %c6 step %c1 {
    %all = scf.for %i = %c0 to %c4 step %c1 iter_args(%sum = %zero) -> (f32) {
      %v = memref.load %x[%i, %j] : memref<4x8xf32>
      %next = arith.addf %sum, %v : f32
      scf.yield %next : f32
    }
    memref.store %all, %a[%j] : memref<6xf32>
    memref.store %all, %b[%j] : memref<6xf32>
    memref.store %all, %c[%j] : memref<6xf32>
    scf.for %i = %c0 to %c3 step %c1 {
      memref.store %all, %z[%i, %j] : memref<3x8xf32>
    }
  }
  return
}
