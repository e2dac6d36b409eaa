// Offsets of tensor copies, whose coordinates have 32 bits: what may be farther away than that is brought nearer and
// stays outside. Offsets that loops keep inside of an extent are left alone.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_90a},carousel-select-engine))' | FileCheck %s
// RUN: carousel-opt %s -o %t.once --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_90a},carousel-select-engine))'
// RUN: carousel-opt %t.once --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_90a},carousel-select-engine))' -o %t.twice
// RUN: grep -c arith.m %t.once > %t.count
// RUN: grep -c arith.m %t.twice | diff %t.count -
// RUN: carousel-opt %s -o %t.lowered --pass-pipeline='builtin.module(carousel-lower{chip=sm_90a})'
// RUN: carousel-sim %t.lowered --kernel @far_tma --arg x=random:2048 --arg y=zeros:2048 --arg o=4294967296 --expect y=zeros:2048 --policy all --schedules 1
// RUN: carousel-sim %t.lowered --kernel @far_load_tma --arg x=random:2048 --arg y=iota:2048 --arg o=4294967296 --expect y=zeros:2048 --policy all --schedules 1
// RUN: carousel-sim %t.lowered --kernel @far_load_tma --arg x=random:2048 --arg y=iota:2048 --arg o=-4294967296 --expect y=zeros:2048 --policy all --schedules 1
// RUN: carousel-sim %t.lowered --kernel @negative_tma --arg x=random:64x16 --arg y=iota:16x16 --arg n=-1 --arg s=1073741824 --expect y=zeros:16x16 --policy all --schedules 1
// RUN: carousel-sim %t.lowered --kernel @far_tma --arg x=iota:2048 --arg y=zeros:2048 --arg o=0 --expect y=iota:2048 --policy all --schedules 1

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!v = memref<?xf32, #gl>
!t = memref<256xf32, #ws>

gpu.module @offsets {
  // CHECK-LABEL: gpu.func @far_tma
  // CHECK: scf.for %[[I:[^ ]*]] = %c0 to %{{.*}} step
  // CHECK: carousel.load %{{.*}}[%[[I]]]
  // CHECK: %[[P:.*]] = arith.addi %[[I]], %{{.*}} : index
  // A store goes to the end at most.
  // CHECK: %[[N:.*]] = memref.dim %{{.*}}, %{{.*}}
  // CHECK: %[[NEAR:.*]] = arith.minsi %[[P]], %[[N]]
  // CHECK: carousel.store %{{.*}} to %{{.*}}[%[[NEAR]]]
  gpu.func @far(%x: !v {carousel.argument = #carousel.argument<"x", in>},
                %y: !v {carousel.argument = #carousel.argument<"y", inout>},
                %o: index {carousel.argument = #carousel.argument<"o", in>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c256 = arith.constant 256 : index
    %c4 = arith.constant 4 : index
    %n = memref.dim %x, %c0 : !v
    %t = memref.alloc() : !t
    %four = arith.divsi %o, %c4 : index
    %far = arith.muli %four, %c4 : index
    scf.for %i = %c0 to %n step %c256 {
      carousel.load %x[%i] to %t : !v, !t
      %p = arith.addi %i, %far : index
      carousel.store %t to %y[%p] : !t, !v
    } {carousel.pipeline = #carousel.pipeline<stages = 3>}
    gpu.return
  }

  // CHECK-LABEL: gpu.func @far_load_tma
  // CHECK: %[[P:.*]] = arith.addi %{{.*}}, %{{.*}} : index
  // CHECK: %[[ABOVE:.*]] = arith.maxsi %[[P]], %c-2147483648
  // CHECK: %[[NEAR:.*]] = arith.minsi %[[ABOVE]], %c2147483648
  // CHECK: carousel.load %{{.*}}[%[[NEAR]]]
  gpu.func @far_load(%x: !v {carousel.argument = #carousel.argument<"x", in>},
                     %y: !v {carousel.argument = #carousel.argument<"y", inout>},
                     %o: index {carousel.argument = #carousel.argument<"o", in>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c256 = arith.constant 256 : index
    %c4 = arith.constant 4 : index
    %n = memref.dim %x, %c0 : !v
    %t = memref.alloc() : !t
    %four = arith.divsi %o, %c4 : index
    %far = arith.muli %four, %c4 : index
    scf.for %i = %c0 to %n step %c256 {
      %p = arith.addi %i, %far : index
      carousel.load %x[%p] to %t : !v, !t
      carousel.store %t to %y[%i] : !t, !v
    } {carousel.pipeline = #carousel.pipeline<stages = 3>}
    gpu.return
  }

  // From the CTA's first row to the last one: the begin is never before 0, the end is an extent.
  // CHECK-LABEL: gpu.func @near_tma
  // CHECK-NOT: arith.maxsi
  // CHECK-NOT: arith.minsi
  // CHECK: gpu.return
  gpu.func @near(%x: !v {carousel.argument = #carousel.argument<"x", in>},
                 %y: !v {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [sms], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c256 = arith.constant 256 : index
    %cta = gpu.block_id x
    %ctas = gpu.grid_dim x
    %first = arith.muli %cta, %c256 : index
    %step = arith.muli %ctas, %c256 : index
    %n = memref.dim %y, %c0 : !v
    %t = memref.alloc() : !t
    scf.for %i = %first to %n step %step {
      carousel.load %x[%i] to %t : !v, !t
      carousel.store %t to %y[%i] : !t, !v
    } {carousel.pipeline = #carousel.pipeline<stages = 3>}
    gpu.return
  }

  // Boxes that are counted through: row and column are inside, rounded up.
  // CHECK-LABEL: gpu.func @counted_tma
  // CHECK-NOT: arith.maxsi
  // CHECK-NOT: arith.minsi
  // CHECK: gpu.return
  gpu.func @counted(%x: memref<?x?xf32, #gl> {carousel.argument = #carousel.argument<"x", in>},
                    %y: memref<?x?xf32, #gl> {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [sms], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %cta = gpu.block_id x
    %ctas = gpu.grid_dim x
    %n0 = memref.dim %x, %c0 : memref<?x?xf32, #gl>
    %n1 = memref.dim %x, %c1 : memref<?x?xf32, #gl>
    %rows = arith.ceildivui %n0, %c64 : index
    %columns = arith.ceildivui %n1, %c64 : index
    %boxes = arith.muli %rows, %columns : index
    %t = memref.alloc() : memref<64x64xf32, #ws>
    scf.for %i = %cta to %boxes step %ctas {
      %row = arith.divui %i, %columns : index
      %column = arith.remui %i, %columns : index
      %i0 = arith.muli %row, %c64 : index
      %i1 = arith.muli %column, %c64 : index
      carousel.load %x[%i0, %i1] to %t : memref<?x?xf32, #gl>, memref<64x64xf32, #ws>
      carousel.store %t to %y[%i0, %i1] : memref<64x64xf32, #ws>, memref<?x?xf32, #gl>
    } {carousel.pipeline = #carousel.pipeline<stages = 3>}
    gpu.return
  }

  // What doesn't change in a loop is looked at in front of it.
  // CHECK-LABEL: gpu.func @fixed_tma
  // CHECK: %[[NEAR:.*]] = arith.minsi
  // CHECK: scf.for
  // CHECK-NOT: arith.minsi
  // CHECK: carousel.load %{{.*}}[%[[NEAR]], %{{.*}}]
  gpu.func @fixed(%x: memref<?x?xf32, #gl> {carousel.argument = #carousel.argument<"x", in>},
                  %y: !v {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [4], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %thread = gpu.thread_id x
    %cta = gpu.block_id x
    %row = arith.muli %cta, %c64 : index
    %n = memref.dim %x, %c1 : memref<?x?xf32, #gl>
    %t = memref.alloc() : memref<64x64xf32, #ws>
    scf.for %i = %c0 to %n step %c64 {
      carousel.load %x[%row, %i] to %t : memref<?x?xf32, #gl>, memref<64x64xf32, #ws>
      %v = memref.load %t[%thread, %c0] : memref<64x64xf32, #ws>
      memref.store %v, %y[%thread] : !v
    } {carousel.pipeline = #carousel.pipeline<stages = 3>}
    gpu.return
  }

  // A memref that is made behind the offset: its extent is known from there on.
  // CHECK-LABEL: gpu.func @view_tma
  // CHECK: %[[VIEW:.*]] = memref.cast
  // CHECK: %[[END:.*]] = memref.dim %[[VIEW]]
  // CHECK: %[[NEAR:.*]] = arith.minsi %{{.*}}, %[[END]]
  // CHECK: carousel.store %{{.*}} to %[[VIEW]][%[[NEAR]], %{{.*}}]
  gpu.func @view(%y: memref<?x?xf32, #gl> {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [4], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %cta = gpu.block_id x
    %row = arith.muli %cta, %c64 : index
    %t = memref.alloc() : memref<64x64xf32, #ws>
    %view = memref.cast %y : memref<?x?xf32, #gl> to memref<?x128xf32, #gl>
    carousel.store %t to %view[%row, %c0] : memref<64x64xf32, #ws>, memref<?x128xf32, #gl>
    gpu.return
  }

  // A place among rows and columns, out of a number below their product: inside of both.
  // CHECK-LABEL: gpu.func @place_tma
  // CHECK-NOT: arith.maxsi
  // CHECK-NOT: arith.minsi
  // CHECK: gpu.return
  // What is only known not to be negative isn't brought up to the least.
  // CHECK-LABEL: gpu.func @above_tma
  // CHECK-NOT: arith.maxsi
  // CHECK: %[[NEAR:.*]] = arith.minsi %{{.*}}, %c2147483648 : index
  // CHECK: carousel.load %{{.*}}[%[[NEAR]], %{{.*}}]
  gpu.func @place(%x: memref<?x?xf32, strided<[?, 1]>, #gl>, %y: !v, %counters: memref<?xi32, #gl>) kernel
      attributes {carousel.launch = #carousel.launch<grid = [sms], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %ctas = gpu.grid_dim x
    %rows = memref.dim %x, %c0 : memref<?x?xf32, strided<[?, 1]>, #gl>
    %columns = memref.dim %x, %c1 : memref<?x?xf32, strided<[?, 1]>, #gl>
    %down = arith.ceildivui %rows, %c16 : index
    %across = arith.ceildivui %columns, %c16 : index
    %tiles = arith.muli %down, %across : index
    %ticket = carousel.grid.ticket %counters[%c0] of %ctas : memref<?xi32, #gl>
    %tile = arith.remui %ticket, %tiles : index
    %i = arith.divui %tile, %across : index
    %j = arith.remui %tile, %across : index
    %row = arith.muli %i, %c16 : index
    %column = arith.muli %j, %c16 : index
    %t = memref.alloc() {alignment = 128 : i64} : memref<16x16xf32, #ws>
    carousel.load %x[%row, %column] to %t : memref<?x?xf32, strided<[?, 1]>, #gl>, memref<16x16xf32, #ws>
    carousel.store %t to %x[%row, %column] : memref<16x16xf32, #ws>, memref<?x?xf32, strided<[?, 1]>, #gl>
    gpu.return
  }

  gpu.func @above(%x: memref<?x?xf32, strided<[?, 1]>, #gl>, %counters: memref<?xi32, #gl>) kernel
      attributes {carousel.launch = #carousel.launch<grid = [sms], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %ctas = gpu.grid_dim x
    %ticket = carousel.grid.ticket %counters[%c0] of %ctas : memref<?xi32, #gl>
    %row = arith.muli %ticket, %c64 : index
    %t = memref.alloc() {alignment = 128 : i64} : memref<16x16xf32, #ws>
    carousel.load %x[%row, %c0] to %t : memref<?x?xf32, strided<[?, 1]>, #gl>, memref<16x16xf32, #ws>
    carousel.store %t to %x[%c0, %c0] : memref<16x16xf32, #ws>, memref<?x?xf32, strided<[?, 1]>, #gl>
    gpu.return
  }

  // By a number of rows that may be negative, so that the product is a large number without a sign: no row is known to be below it.
  // CHECK-LABEL: gpu.func @negative_tma
  // CHECK: %[[NEAR:.*]] = arith.minsi %{{.*}}, %c2147483648 : index
  // CHECK: carousel.load %{{.*}}[%[[NEAR]], %{{.*}}]
  gpu.func @negative(%x: memref<?x?xf32, strided<[?, 1]>, #gl> {carousel.argument = #carousel.argument<"x", in>},
      %y: memref<?x?xf32, strided<[?, 1]>, #gl> {carousel.argument = #carousel.argument<"y", inout>},
      %n: index {carousel.argument = #carousel.argument<"n", in>}, %s: index {carousel.argument = #carousel.argument<"s", in>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c64 = arith.constant 64 : index
    %mask = arith.constant 68719476735 : index
    %columns = memref.dim %x, %c1 : memref<?x?xf32, strided<[?, 1]>, #gl>
    %down = arith.minsi %n, %c8 : index
    %tiles = arith.muli %down, %columns : index
    %number = arith.andi %s, %mask : index
    %tile = arith.remui %number, %tiles : index
    %i = arith.divui %tile, %columns : index
    %row = arith.muli %i, %c64 : index
    %t = memref.alloc() {alignment = 128 : i64} : memref<16x16xf32, #ws>
    carousel.load %x[%row, %c0] to %t : memref<?x?xf32, strided<[?, 1]>, #gl>, memref<16x16xf32, #ws>
    carousel.store %t to %y[%c0, %c0] : memref<16x16xf32, #ws>, memref<?x?xf32, strided<[?, 1]>, #gl>
    gpu.return
  }

  // A loop that begins before 0 has numbers that are large without a sign.
  // CHECK-LABEL: gpu.func @from_below_tma
  // CHECK: scf.for
  // CHECK: %[[NEAR:.*]] = arith.minsi %{{.*}}, %c2147483648 : index
  // CHECK: carousel.load %{{.*}}[%[[NEAR]], %{{.*}}]
  gpu.func @from_below(%x: memref<?x?xf32, strided<[?, 1]>, #gl>, %n: index) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %rows = memref.dim %x, %c0 : memref<?x?xf32, strided<[?, 1]>, #gl>
    %columns = memref.dim %x, %c1 : memref<?x?xf32, strided<[?, 1]>, #gl>
    %down = arith.ceildivui %rows, %c16 : index
    %across = arith.ceildivui %columns, %c16 : index
    %tiles = arith.muli %down, %across : index
    %parts = arith.muli %tiles, %c16 : index
    %t = memref.alloc() {alignment = 128 : i64} : memref<16x16xf32, #ws>
    scf.for %part = %n to %parts step %c1 {
      %tile = arith.divui %part, %c16 : index
      %i = arith.divui %tile, %across : index
      %row = arith.muli %i, %c16 : index
      carousel.load %x[%row, %c0] to %t : memref<?x?xf32, strided<[?, 1]>, #gl>, memref<16x16xf32, #ws>
      carousel.store %t to %x[%c0, %c0] : memref<16x16xf32, #ws>, memref<?x?xf32, strided<[?, 1]>, #gl>
    }
    gpu.return
  }

  // So has a remainder of what may be negative.
  // CHECK-LABEL: gpu.func @signed_tma
  // CHECK: %[[NEAR:.*]] = arith.minsi %{{.*}}, %c2147483648 : index
  // CHECK: carousel.load %{{.*}}[%[[NEAR]], %{{.*}}]
  gpu.func @signed(%x: memref<?x?xf32, strided<[?, 1]>, #gl>, %n: index) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %rows = memref.dim %x, %c0 : memref<?x?xf32, strided<[?, 1]>, #gl>
    %columns = memref.dim %x, %c1 : memref<?x?xf32, strided<[?, 1]>, #gl>
    %down = arith.ceildivui %rows, %c16 : index
    %across = arith.ceildivui %columns, %c16 : index
    %tiles = arith.muli %down, %across : index
    %parts = arith.muli %tiles, %c16 : index
    %part = arith.remsi %n, %parts : index
    %tile = arith.divui %part, %c16 : index
    %i = arith.divui %tile, %across : index
    %row = arith.muli %i, %c16 : index
    %t = memref.alloc() {alignment = 128 : i64} : memref<16x16xf32, #ws>
    carousel.load %x[%row, %c0] to %t : memref<?x?xf32, strided<[?, 1]>, #gl>, memref<16x16xf32, #ws>
    carousel.store %t to %x[%c0, %c0] : memref<16x16xf32, #ws>, memref<?x?xf32, strided<[?, 1]>, #gl>
    gpu.return
  }
}
