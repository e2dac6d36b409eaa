// What a thread computes of many registers on their way to memory goes piece by piece, 16 registers each: read, computed and
// written. Whether all of the vector exists is one condition, under which no access has one of its own.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-distribute,canonicalize,cse))' | FileCheck %s

#gl = #gpu.address_space<global>
!m = memref<?x?xf32, strided<[?, 1], offset: ?>, #gl>
!tile = vector<64x128xf32>

gpu.module @m {
  // 64 registers are four pieces.
  // CHECK-LABEL: gpu.func @sum
  // CHECK-SAME: (%[[X:[a-z0-9]+]]: memref<{{[^%]*}}, %[[Y:[a-z0-9]+]]: memref<{{[^%]*}}, %[[Z:[a-z0-9]+]]: memref<
  // CHECK: %[[ROWS:.*]] = memref.dim %[[X]], %c0
  // CHECK: %[[COLUMNS:.*]] = memref.dim %[[X]], %c1
  // CHECK: %[[ALL_ROWS:.*]] = arith.cmpi uge, %[[ROWS]], %c64
  // CHECK: %[[ALL_COLUMNS:.*]] = arith.cmpi uge, %[[COLUMNS]], %c128
  // CHECK: %[[WHOLE:.*]] = arith.andi %{{.*}}, %[[ALL_COLUMNS]]
  // CHECK-NEXT: %[[PIECE:.*]] = scf.if %[[WHOLE]] -> (vector<16xf32>) {
  // CHECK-COUNT-16: {{memref.load %arg0|scf.if}}
  // CHECK-NOT: {{memref.load|scf.if}}
  // CHECK: } else {
  // CHECK: scf.if
  // CHECK: memref.load %[[X]]
  // CHECK: %[[OTHER:.*]] = scf.if %{{.*}} -> (vector<16xf32>) {
  // CHECK-COUNT-16: memref.load %[[Y]]
  // CHECK: arith.addf %[[PIECE]], %[[OTHER]] : vector<16xf32>
  // CHECK: scf.if
  // CHECK-NOT: scf.if
  // CHECK-COUNT-16: memref.store %{{.*}}, %[[Z]]
  // CHECK: } else {
  // CHECK: scf.if
  // CHECK: memref.store %{{.*}}, %[[Z]]
  // CHECK: scf.if %{{.*}} -> (vector<16xf32>) {
  // CHECK-COUNT-16: memref.load %[[X]]
  gpu.func @sum(%x: !m {carousel.argument = #carousel.argument<"x", in>}, %y: !m {carousel.argument = #carousel.argument<"y", in>},
                %z: !m {carousel.argument = #carousel.argument<"z", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
    %c0 = arith.constant 0 : index
    %pad = arith.constant 0.0 : f32
    %a = vector.transfer_read %x[%c0, %c0], %pad : !m, !tile
    %b = vector.transfer_read %y[%c0, %c0], %pad : !m, !tile
    %s = arith.addf %a, %b : !tile
    vector.transfer_write %s, %z[%c0, %c0] : !tile, !m
    gpu.return
  }

  // In place, and at the same place, too: threads read what they write. The other read has to come before the write.
  // CHECK-LABEL: gpu.func @in_place
  // CHECK-SAME: (%[[X:[a-z0-9]+]]: memref<
  // CHECK-COUNT-64: memref.load %[[X]]
  // CHECK: gpu.barrier
  // CHECK-COUNT-16: memref.load %[[X]]
  // CHECK: arith.addf %{{.*}} : vector<16xf32>
  // CHECK: memref.store %{{.*}}, %[[X]]
  gpu.func @in_place(%x: !m {carousel.argument = #carousel.argument<"x", inout>}) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %pad = arith.constant 0.0 : f32
    %a = vector.transfer_read %x[%c0, %c0], %pad : !m, !tile
    %b = vector.transfer_read %x[%c1, %c0], %pad : !m, !tile
    %s = arith.addf %a, %b : !tile
    vector.transfer_write %s, %x[%c0, %c0] : !tile, !m
    gpu.return
  }

  // A value that is used again, and few registers, are computed as a whole.
  // CHECK-LABEL: gpu.func @twice
  // CHECK: arith.mulf %{{.*}} : vector<64xf32>
  // CHECK-LABEL: gpu.func @few
  // CHECK: arith.mulf %{{.*}} : vector<32xf32>
  gpu.func @twice(%x: !m {carousel.argument = #carousel.argument<"x", in>}, %y: !m {carousel.argument = #carousel.argument<"y", out>},
                  %z: !m {carousel.argument = #carousel.argument<"z", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
    %c0 = arith.constant 0 : index
    %pad = arith.constant 0.0 : f32
    %a = vector.transfer_read %x[%c0, %c0], %pad : !m, !tile
    %s = arith.mulf %a, %a : !tile
    vector.transfer_write %s, %y[%c0, %c0] : !tile, !m
    vector.transfer_write %s, %z[%c0, %c0] : !tile, !m
    gpu.return
  }
  gpu.func @few(%x: !m {carousel.argument = #carousel.argument<"x", in>}, %y: !m {carousel.argument = #carousel.argument<"y", out>})
      kernel attributes {carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [1], block = [256]>} {
    %c0 = arith.constant 0 : index
    %pad = arith.constant 0.0 : f32
    %a = vector.transfer_read %x[%c0, %c0], %pad : !m, !tile
    %s = arith.mulf %a, %a : !tile
    vector.transfer_write %s, %y[%c0, %c0] : !tile, !m
    gpu.return
  }

  // The read of x comes after the barrier that the write of z needs; so the write of x needs another one.
  // CHECK-LABEL: gpu.func @behind_a_barrier
  // CHECK: gpu.barrier
  // CHECK-COUNT-16: memref.load %arg0
  // CHECK: gpu.barrier
  // CHECK: memref.store %{{.*}}, %arg0
  gpu.func @behind_a_barrier(%x: !m {carousel.argument = #carousel.argument<"x", inout>}, %z: !m {carousel.argument = #carousel.argument<"z", inout>})
      kernel attributes {carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %pad = arith.constant 0.0 : f32
    %a = vector.transfer_read %x[%c0, %c0], %pad : !m, !tile
    %c = vector.transfer_read %z[%c0, %c1], %pad : !m, !tile
    %s = arith.addf %a, %c : !tile
    vector.transfer_write %s, %z[%c0, %c0] : !tile, !m
    vector.transfer_write %c, %x[%c0, %c1] : !tile, !m
    gpu.return
  }

  // What is computed of coordinates in other numbers of registers comes piece by piece, too: for 16
  // registers of pairs, 8 of each side.
  // CHECK-LABEL: gpu.func @pairs
  // CHECK-NOT: arith.muli {{.*}} : vector<{{16|32|64}}xi32>
  // CHECK-COUNT-4: arith.muli %{{.*}}, %{{.*}} : vector<8xi32>
  // CHECK-NOT: arith.muli {{.*}} : vector<
  // CHECK: gpu.return
  gpu.func @pairs(%x: memref<64x128xf32, #gl>, %y: memref<64x128xf32, #gl>) kernel attributes {
      carousel.block_program = #carousel.block_program<>,
      carousel.variant = #carousel.variant<kernel = "pairs", guards = [aligned(0, 16), aligned(1, 16)]>,
      carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
    %c0 = arith.constant 0 : index
    %pad = arith.constant 0.0 : f32
    %factor = arith.constant dense<3> : vector<64xi32>
    %a = vector.transfer_read %x[%c0, %c0], %pad {in_bounds = [true, true]} : memref<64x128xf32, #gl>, !tile
    %steps = vector.step : vector<64xindex>
    %numbers = arith.index_cast %steps : vector<64xindex> to vector<64xi32>
    %tall = vector.shape_cast %numbers : vector<64xi32> to vector<64x1xi32>
    %rows = vector.broadcast %tall : vector<64x1xi32> to vector<64x64xi32>
    %factors = vector.broadcast %factor : vector<64xi32> to vector<64x64xi32>
    %even = arith.muli %rows, %factors : vector<64x64xi32>
    %odd = arith.addi %even, %factors : vector<64x64xi32>
    %pairs = vector.interleave %even, %odd : vector<64x64xi32> -> vector<64x128xi32>
    %floats = arith.sitofp %pairs : vector<64x128xi32> to !tile
    %sum = arith.addf %a, %floats : !tile
    vector.transfer_write %sum, %y[%c0, %c0] {in_bounds = [true, true]} : !tile, memref<64x128xf32, #gl>
    gpu.return
  }
}
