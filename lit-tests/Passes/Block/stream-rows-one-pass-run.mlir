// Two levels of reductions in one loop over chunks of 64 elements give what vectors of 1024 elements give, in two passes: of
// variances about means far from zero, covariances, and sums of exponentials, also of rows whose first chunks are infinite.
// DEFINE: %{function} =
// DEFINE: %{args} =
// DEFINE: %{outs} =
// DEFINE: %{expect} =
// DEFINE: %{whole} = carousel-sim %s --kernel @%{function} %{args} %{outs}
// DEFINE: %{chunks} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-lowered %t.mlir --chip sm_80 -- --kernel @%{function} %{args} %{expect} --rtol 2e-5
// RUN: sed s/1024/64/g %s > %t.mlir
// RUN: carousel-opt %t.mlir --pass-pipeline='builtin.module(gpu.module(carousel-stream-rows))' --remarks-filter=carousel-stream-rows 2>&1 | FileCheck %s
// CHECK-COUNT-9: levels of reductions that share the loop of the level before: 1

// REDEFINE: %{function} = moments
// REDEFINE: %{outs} = --out s=%t.s.npy --out v=%t.v.npy --out c=%t.c.npy
// REDEFINE: %{expect} = --expect s=%t.s.npy --expect v=%t.v.npy --expect c=%t.c.npy
// REDEFINE: %{args} = --arg x=random:5x1000:1 --arg y=random:5x1000:2 --arg s=empty:5 --arg v=empty:5 --arg c=empty:5
// RUN: %{whole}
// RUN: %{chunks}
// REDEFINE: %{args} = --arg x=random:3x65:1 --arg y=random:3x65:2 --arg s=empty:3 --arg v=empty:3 --arg c=empty:3
// RUN: %{whole}
// RUN: %{chunks}
// REDEFINE: %{args} = --arg x=random:3x1:1 --arg y=random:3x1:2 --arg s=empty:3 --arg v=empty:3 --arg c=empty:3
// RUN: %{whole}
// RUN: %{chunks}

// REDEFINE: %{function} = exponentials
// REDEFINE: %{outs} = --out m=%t.m.npy --out l=%t.l.npy
// REDEFINE: %{expect} = --expect m=%t.m.npy --expect l=%t.l.npy
// REDEFINE: %{args} = --arg x=random:5x1000:1 --arg m=empty:5 --arg l=empty:5
// RUN: %{whole}
// RUN: %{chunks}
// REDEFINE: %{args} = --arg x=random:5x64:1 --arg m=empty:5 --arg l=empty:5
// RUN: %{whole}
// RUN: %{chunks}
// REDEFINE: %{args} = --arg x=random:5x0:1 --arg m=empty:5 --arg l=empty:5
// RUN: %{whole}
// RUN: %{chunks}

// Elements of 16 bits, whose extremum has 16 bits or 32.
// REDEFINE: %{function} = halves
// REDEFINE: %{outs} = --out l=%t.l.npy
// REDEFINE: %{expect} = --expect l=%t.l.npy
// REDEFINE: %{args} = --arg x=random:5x1000:1 --arg l=empty:5
// RUN: %{whole}
// RUN: %{chunks}

// REDEFINE: %{function} = extended
// REDEFINE: %{outs} = --out l=%t.l.npy
// REDEFINE: %{expect} = --expect l=%t.l.npy
// REDEFINE: %{args} = --arg x=random:5x1000:1 --arg l=empty:5
// RUN: %{whole}
// RUN: %{chunks}

// REDEFINE: %{function} = normalize
// REDEFINE: %{outs} = --out y=%t.y.npy
// REDEFINE: %{expect} = --expect y=%t.y.npy --atol 2e-5
// REDEFINE: %{args} = --arg x=random:5x1000:1 --arg y=empty:5x1000
// RUN: %{whole}
// RUN: %{chunks}

// REDEFINE: %{function} = third
// REDEFINE: %{outs} = --out m=%t.m.npy --out l=%t.l.npy
// REDEFINE: %{expect} = --expect m=%t.m.npy --expect l=%t.l.npy
// REDEFINE: %{args} = --arg x=random:3x1000:1 --arg m=empty:3 --arg l=empty:3
// RUN: %{whole}
// RUN: %{chunks}

// REDEFINE: %{function} = chosen
// REDEFINE: %{outs} = --out l=%t.l.npy --out m=%t.m.npy --out y=%t.y.npy
// REDEFINE: %{expect} = --expect l=%t.l.npy --expect m=%t.m.npy --expect y=%t.y.npy
// REDEFINE: %{args} = --arg x=random:3x300:1 --arg l=empty:3 --arg m=empty:3 --arg y=empty:3
// RUN: %{whole}
// RUN: %{chunks}

// REDEFINE: %{function} = least
// REDEFINE: %{outs} = --out l=%t.l.npy
// REDEFINE: %{expect} = --expect l=%t.l.npy
// REDEFINE: %{args} = --arg x=random:3x300:1 --arg l=empty:3
// RUN: %{whole}
// RUN: %{chunks}

// REDEFINE: %{function} = large
// REDEFINE: %{outs} = --out c=%t.c.npy
// REDEFINE: %{expect} = --expect c=%t.c.npy
// REDEFINE: %{args} = --arg x=random:3x1000:1 --arg c=empty:3
// RUN: %{whole}
// RUN: %{chunks}

#gl = #gpu.address_space<global>
!m = memref<?x?xf32, #gl>
!v = memref<?xf32, #gl>
!row = vector<1024xf32>

gpu.module @m {
  // A variance, whose elements lie between 1000 and 1001, and a covariance.
  gpu.func @moments(%x: !m {carousel.argument = #carousel.argument<"x", in>}, %y: !m {carousel.argument = #carousel.argument<"y", in>},
      %s: !v {carousel.argument = #carousel.argument<"s", out>}, %v: !v {carousel.argument = #carousel.argument<"v", out>},
      %c: !v {carousel.argument = #carousel.argument<"c", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 1024, covers = extent(0, 1)>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : !row
    %far = arith.constant dense<1.0e+3> : !row
    %i = gpu.block_id x
    %n = memref.dim %x, %c1 : !m
    %ni = arith.index_cast %n : index to i64
    %nf = arith.sitofp %ni : i64 to f32
    %mask = vector.create_mask %n : vector<1024xi1>
    %x0 = vector.transfer_read %x[%i, %c0], %zero : !m, !row
    %xf = arith.addf %x0, %far : !row
    %xm = arith.select %mask, %xf, %zeros : vector<1024xi1>, !row
    %y0 = vector.transfer_read %y[%i, %c0], %zero : !m, !row
    %sx = vector.multi_reduction <add>, %xm, %zero [0] : !row to f32
    %sy = vector.multi_reduction <add>, %y0, %zero [0] : !row to f32
    %mx = arith.divf %sx, %nf : f32
    %my = arith.divf %sy, %nf : f32
    memref.store %mx, %s[%i] : !v
    %mxs = vector.broadcast %mx : f32 to !row
    %mys = vector.broadcast %my : f32 to !row
    %dx = arith.subf %xf, %mxs : !row
    %dy = arith.subf %y0, %mys : !row
    %q = arith.mulf %dx, %dx : !row
    %p = arith.mulf %dx, %dy : !row
    %qm = arith.select %mask, %q, %zeros : vector<1024xi1>, !row
    %pm = arith.select %mask, %p, %zeros : vector<1024xi1>, !row
    %sq = vector.multi_reduction <add>, %qm, %zero [0] : !row to f32
    %sp = vector.multi_reduction <add>, %pm, %zero [0] : !row to f32
    memref.store %sq, %v[%i] : !v
    // Of both signs, so that a relative error has no bound.
    %one = arith.constant 30.0 : f32
    %spo = arith.addf %sp, %one : f32
    memref.store %spo, %c[%i] : !v
    gpu.return
  }

  // Row 1 has infinite elements before its 100th, row 2 no others, and row 3 is far below zero.
  gpu.func @exponentials(%x: !m {carousel.argument = #carousel.argument<"x", in>}, %top: !v {carousel.argument = #carousel.argument<"m", out>},
      %l: !v {carousel.argument = #carousel.argument<"l", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 1024, covers = extent(0, 1)>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %hundred = arith.constant dense<100> : vector<1024xindex>
    %zero = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : !row
    %low = arith.constant 0xFF800000 : f32
    %lows = arith.constant dense<0xFF800000> : !row
    %deep = arith.constant -300.0 : f32
    %i = gpu.block_id x
    %n = memref.dim %x, %c1 : !m
    %mask = vector.create_mask %n : vector<1024xi1>
    %x0 = vector.transfer_read %x[%i, %c0], %zero : !m, !row
    %steps = vector.step : vector<1024xindex>
    %early = arith.cmpi ult, %steps, %hundred : vector<1024xindex>
    %isFirst = arith.cmpi eq, %i, %c1 : index
    %isSecond = arith.cmpi eq, %i, %c2 : index
    %isThird = arith.cmpi eq, %i, %c3 : index
    %first = vector.broadcast %isFirst : i1 to vector<1024xi1>
    %second = vector.broadcast %isSecond : i1 to vector<1024xi1>
    %some = arith.andi %early, %first : vector<1024xi1>
    %out = arith.ori %some, %second : vector<1024xi1>
    %add = arith.select %isThird, %deep, %zero : f32
    %adds = vector.broadcast %add : f32 to !row
    %x1 = arith.addf %x0, %adds : !row
    %x2 = arith.select %out, %lows, %x1 : vector<1024xi1>, !row
    %xm = arith.select %mask, %x2, %lows : vector<1024xi1>, !row
    %max = vector.multi_reduction <maximumf>, %xm, %low [0] : !row to f32
    memref.store %max, %top[%i] : !v
    %ms = vector.broadcast %max : f32 to !row
    %d = arith.subf %x2, %ms : !row
    %e = math.exp %d : !row
    %em = arith.select %mask, %e, %zeros : vector<1024xi1>, !row
    %sum = vector.multi_reduction <add>, %em, %zero [0] : !row to f32
    memref.store %sum, %l[%i] : !v
    gpu.return
  }

  gpu.func @halves(%x: memref<?x?xbf16, #gl> {carousel.argument = #carousel.argument<"x", in>}, %l: !v {carousel.argument = #carousel.argument<"l", out>}) kernel
      attributes {carousel.block_program = #carousel.block_program<width = 1024, covers = extent(0, 1)>, carousel.launch = #carousel.launch<grid = [extent(0, 0)]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %low = arith.constant 0xFF80 : bf16
    %i = gpu.block_id x
    %v = vector.transfer_read %x[%i, %c0], %low : memref<?x?xbf16, #gl>, vector<1024xbf16>
    %most = vector.multi_reduction <maxnumf>, %v, %low [0] : vector<1024xbf16> to bf16
    %max = arith.extf %most : bf16 to f32
    %wide = arith.extf %v : vector<1024xbf16> to !row
    %ms = vector.broadcast %max : f32 to !row
    %d = arith.subf %wide, %ms : !row
    %e = math.exp %d : !row
    %sum = vector.multi_reduction <add>, %e, %zero [0] : !row to f32
    memref.store %sum, %l[%i] : !v
    gpu.return
  }

  gpu.func @extended(%x: memref<?x?xbf16, #gl> {carousel.argument = #carousel.argument<"x", in>}, %l: !v {carousel.argument = #carousel.argument<"l", out>}) kernel
      attributes {carousel.block_program = #carousel.block_program<width = 1024, covers = extent(0, 1)>, carousel.launch = #carousel.launch<grid = [extent(0, 0)]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %low = arith.constant 0xFF80 : bf16
    %low32 = arith.constant 0xFF800000 : f32
    %i = gpu.block_id x
    %v = vector.transfer_read %x[%i, %c0], %low : memref<?x?xbf16, #gl>, vector<1024xbf16>
    %wide = arith.extf %v : vector<1024xbf16> to !row
    %max = vector.multi_reduction <maxnumf>, %wide, %low32 [0] : !row to f32
    %ms = vector.broadcast %max : f32 to !row
    %d = arith.subf %wide, %ms : !row
    %e = math.exp %d : !row
    %sum = vector.multi_reduction <add>, %e, %zero [0] : !row to f32
    memref.store %sum, %l[%i] : !v
    gpu.return
  }

  // The result needs whole rows: two loops instead of three.
  gpu.func @normalize(%x: !m {carousel.argument = #carousel.argument<"x", in>}, %y: !m {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 1024, covers = extent(0, 1)>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    %eps = arith.constant 1.0e-5 : f32
    %zeros = arith.constant dense<0.0> : !row
    %i = gpu.block_id x
    %n = memref.dim %x, %c1 : !m
    %ni = arith.index_cast %n : index to i64
    %nf = arith.sitofp %ni : i64 to f32
    %mask = vector.create_mask %n : vector<1024xi1>
    %x0 = vector.transfer_read %x[%i, %c0], %zero : !m, !row
    %s = vector.multi_reduction <add>, %x0, %zero [0] : !row to f32
    %mean = arith.divf %s, %nf : f32
    %means = vector.broadcast %mean : f32 to !row
    %d = arith.subf %x0, %means : !row
    %q = arith.mulf %d, %d : !row
    %qm = arith.select %mask, %q, %zeros : vector<1024xi1>, !row
    %sq = vector.multi_reduction <add>, %qm, %zero [0] : !row to f32
    %var = arith.divf %sq, %nf : f32
    %v = arith.addf %var, %eps : f32
    %r = math.rsqrt %v : f32
    %rs = vector.broadcast %r : f32 to !row
    %z = arith.mulf %d, %rs : !row
    vector.transfer_write %z, %y[%i, %c0] : !row, !m
    gpu.return
  }
  // The last two of three levels share a loop, which reads what the first one has.
  gpu.func @third(%x: !m {carousel.argument = #carousel.argument<"x", in>}, %top: !v {carousel.argument = #carousel.argument<"m", out>},
      %l: !v {carousel.argument = #carousel.argument<"l", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 1024, covers = extent(0, 1)>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : !row
    %low = arith.constant 0xFF800000 : f32
    %lows = arith.constant dense<0xFF800000> : !row
    %i = gpu.block_id x
    %n = memref.dim %x, %c1 : !m
    %mask = vector.create_mask %n : vector<1024xi1>
    %x0 = vector.transfer_read %x[%i, %c0], %zero : !m, !row
    %s = vector.multi_reduction <add>, %x0, %zero [0] : !row to f32
    %ts = vector.broadcast %s : f32 to !row
    %z = arith.mulf %x0, %ts : !row
    %zm = arith.select %mask, %z, %lows : vector<1024xi1>, !row
    %max = vector.multi_reduction <maximumf>, %zm, %low [0] : !row to f32
    memref.store %max, %top[%i] : !v
    %ms = vector.broadcast %max : f32 to !row
    %d = arith.subf %z, %ms : !row
    %e = math.exp %d : !row
    %em = arith.select %mask, %e, %zeros : vector<1024xi1>, !row
    %sum = vector.multi_reduction <add>, %em, %zero [0] : !row to f32
    memref.store %sum, %l[%i] : !v
    gpu.return
  }

  // Elements count from the 128th on. Before these, the largest so far grows by more than exponentials have room for, and in row
  // 1, an infinite one doesn't count.
  gpu.func @chosen(%x: !m {carousel.argument = #carousel.argument<"x", in>}, %l: !v {carousel.argument = #carousel.argument<"l", out>},
      %least: !v {carousel.argument = #carousel.argument<"m", out>}, %y: !v {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 1024, covers = extent(0, 1)>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %last = arith.constant dense<127> : vector<1024xindex>
    %first = arith.constant dense<64> : vector<1024xindex>
    %zero = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : !row
    %deep = arith.constant dense<-200.0> : !row
    %low = arith.constant 0xFF800000 : f32
    %lows = arith.constant dense<0xFF800000> : !row
    %high = arith.constant 0x7F800000 : f32
    %highs = arith.constant dense<0x7F800000> : !row
    %i = gpu.block_id x
    %n = memref.dim %x, %c1 : !m
    %mask = vector.create_mask %n : vector<1024xi1>
    %x0 = vector.transfer_read %x[%i, %c0], %zero : !m, !row
    %steps = vector.step : vector<1024xindex>
    %keep = arith.cmpi ugt, %steps, %last : vector<1024xindex>
    %early = arith.cmpi ult, %steps, %first : vector<1024xindex>
    %isFirst = arith.cmpi eq, %i, %c1 : index
    %ofFirst = vector.broadcast %isFirst : i1 to vector<1024xi1>
    %is127 = arith.cmpi eq, %steps, %last : vector<1024xindex>
    %isHigh = arith.andi %is127, %ofFirst : vector<1024xi1>
    %adds = arith.select %early, %deep, %zeros : vector<1024xi1>, !row
    %x1 = arith.addf %x0, %adds : !row
    %x2 = arith.select %isHigh, %highs, %x1 : vector<1024xi1>, !row
    %xm = arith.select %mask, %x2, %lows : vector<1024xi1>, !row
    %max = vector.multi_reduction <maximumf>, %xm, %low [0] : !row to f32
    %ms = vector.broadcast %max : f32 to !row
    %d = arith.subf %x2, %ms : !row
    %dn = arith.negf %d : !row
    // Of row 1, infinite.
    %e = math.exp %dn : !row
    %ek = arith.select %mask, %e, %zeros : vector<1024xi1>, !row
    %em = arith.select %keep, %ek, %zeros : vector<1024xi1>, !row
    %sum = vector.multi_reduction <add>, %em, %zero [0] : !row to f32
    memref.store %sum, %l[%i] : !v
    %dk = arith.select %mask, %d, %highs : vector<1024xi1>, !row
    %dm = arith.select %keep, %dk, %highs : vector<1024xi1>, !row
    %min = vector.multi_reduction <minimumf>, %dm, %high [0] : !row to f32
    memref.store %min, %least[%i] : !v
    // Of row 1, zero.
    %f = math.exp %d : !row
    %fk = arith.select %mask, %f, %zeros : vector<1024xi1>, !row
    %fm = arith.select %keep, %fk, %zeros : vector<1024xi1>, !row
    %other = vector.multi_reduction <add>, %fm, %zero [0] : !row to f32
    memref.store %other, %y[%i] : !v
    gpu.return
  }

  // The same of a minimum.
  gpu.func @least(%x: !m {carousel.argument = #carousel.argument<"x", in>}, %l: !v {carousel.argument = #carousel.argument<"l", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 1024, covers = extent(0, 1)>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %last = arith.constant dense<127> : vector<1024xindex>
    %first = arith.constant dense<64> : vector<1024xindex>
    %zero = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : !row
    %far = arith.constant dense<200.0> : !row
    %high = arith.constant 0x7F800000 : f32
    %highs = arith.constant dense<0x7F800000> : !row
    %i = gpu.block_id x
    %n = memref.dim %x, %c1 : !m
    %mask = vector.create_mask %n : vector<1024xi1>
    %x0 = vector.transfer_read %x[%i, %c0], %zero : !m, !row
    %steps = vector.step : vector<1024xindex>
    %keep = arith.cmpi ugt, %steps, %last : vector<1024xindex>
    %early = arith.cmpi ult, %steps, %first : vector<1024xindex>
    %adds = arith.select %early, %far, %zeros : vector<1024xi1>, !row
    %x1 = arith.addf %x0, %adds : !row
    %xm = arith.select %mask, %x1, %highs : vector<1024xi1>, !row
    %min = vector.multi_reduction <minimumf>, %xm, %high [0] : !row to f32
    %ms = vector.broadcast %min : f32 to !row
    %d = arith.subf %x1, %ms : !row
    %e = math.exp %d : !row
    %ek = arith.select %mask, %e, %zeros : vector<1024xi1>, !row
    %em = arith.select %keep, %ek, %zeros : vector<1024xi1>, !row
    %sum = vector.multi_reduction <add>, %em, %zero [0] : !row to f32
    memref.store %sum, %l[%i] : !v
    gpu.return
  }

  // A covariance: the first chunk's mean, times the length of the row, is infinite.
  gpu.func @large(%x: !m {carousel.argument = #carousel.argument<"x", in>}, %c: !v {carousel.argument = #carousel.argument<"c", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 1024, covers = extent(0, 1)>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %first = arith.constant dense<64> : vector<1024xindex>
    %zero = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : !row
    %ones = arith.constant dense<1.0> : !row
    %huge = arith.constant dense<3.0e+36> : !row
    %i = gpu.block_id x
    %n = memref.dim %x, %c1 : !m
    %ni = arith.index_cast %n : index to i64
    %nf = arith.sitofp %ni : i64 to f32
    %mask = vector.create_mask %n : vector<1024xi1>
    %x0 = vector.transfer_read %x[%i, %c0], %zero : !m, !row
    %steps = vector.step : vector<1024xindex>
    %early = arith.cmpi ult, %steps, %first : vector<1024xindex>
    %a = arith.select %early, %huge, %x0 : vector<1024xi1>, !row
    %b0 = arith.addf %x0, %ones : !row
    %b = arith.select %early, %b0, %x0 : vector<1024xi1>, !row
    %am = arith.select %mask, %a, %zeros : vector<1024xi1>, !row
    %bm = arith.select %mask, %b, %zeros : vector<1024xi1>, !row
    %sa = vector.multi_reduction <add>, %am, %zero [0] : !row to f32
    %sb = vector.multi_reduction <add>, %bm, %zero [0] : !row to f32
    %ma = arith.divf %sa, %nf : f32
    %mb = arith.divf %sb, %nf : f32
    %mas = vector.broadcast %ma : f32 to !row
    %mbs = vector.broadcast %mb : f32 to !row
    %da = arith.subf %a, %mas : !row
    %db = arith.subf %b, %mbs : !row
    %p = arith.mulf %da, %db : !row
    %pm = arith.select %mask, %p, %zeros : vector<1024xi1>, !row
    %s = vector.multi_reduction <add>, %pm, %zero [0] : !row to f32
    memref.store %s, %c[%i] : !v
    gpu.return
  }
}
