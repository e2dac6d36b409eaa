// Rows that a table names: threads look them up, once for a loop that copies the same rows, and cp.async or vectors copy them.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_80},carousel-select-engine{variants=false},carousel-circular-buffer,carousel-insert-async-sync,carousel-verify-ring,carousel-lower-rings))' | FileCheck %s
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_90a},carousel-select-engine))' --remarks-filter=carousel-select-engine --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: %python -c "import struct, sys; n = [4, -1, 8, 0, 9, 4, 3, -1, 100, 1, -5]; open(sys.argv[1], 'wb').write(b'\x93NUMPY\x01\x00v\x00' + repr({'descr': '<i4', 'fortran_order': False, 'shape': (11,)}).ljust(117).encode() + b'\n' + struct.pack('<11i', *n))" %t.n.npy
// DEFINE: %{lowered} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-lowered %s --chip sm_80,sm_90a --
// DEFINE: %{even} = --kernel @gather --arg x=random:9x160 --arg n=%t.n.npy --arg y=zeros:11x160
// DEFINE: %{odd} = --kernel @gather --arg x=random:9x67@69x1 --arg n=%t.n.npy --arg y=zeros:11x67
// DEFINE: %{none} = --kernel @gather --arg x=random:9x64 --arg n=iota:0 --arg y=zeros:0x64
// DEFINE: %{scattered} = --kernel @scatter --arg x=random:16x64 --arg n=iota:14 --arg y=zeros:12x64 --policy all --schedules 2
// RUN: carousel-sim %s %{even} --out y=%t.npy
// RUN: %{lowered} %{even} --expect y=%t.npy --policy all --schedules 2
// RUN: carousel-sim %s %{odd} --out y=%t.npy
// RUN: %{lowered} %{odd} --expect y=%t.npy --policy all --schedules 1
// RUN: %{lowered} %{none}
// RUN: carousel-sim %s %{scattered} --expect y=random:12x64
// RUN: %{lowered} %{scattered} --expect y=random:12x64
// RUN: carousel-sim %s --kernel @gather_padded --arg x=random:9x70@72x1 --arg n=%t.n.npy --arg y=empty:11x96 --out y=%t.npy
// RUN: %{lowered} --kernel @gather_padded --arg x=random:9x70@72x1 --arg n=%t.n.npy --arg y=empty:11x96 --expect y=%t.npy --policy all --schedules 2
// Rows that several CTAs add to, by 16 bytes where the chip and the launch have them.
// DEFINE: %{sums} = --kernel @reduce --arg n=%t.n.npy --arg z=zeros:9x72 --policy all --schedules 2
// RUN: carousel-sim %s --kernel @reduce --arg n=%t.n.npy --arg z=zeros:9x72 --out z=%t.npy
// RUN: %{lowered} %{sums} --expect z=%t.npy
// RUN: carousel-sim %s --kernel @reduce --arg n=%t.n.npy --arg z=zeros:9x61@67x1 --out z=%t.npy
// RUN: %{lowered} --kernel @reduce --arg n=%t.n.npy --arg z=zeros:9x61@67x1 --expect z=%t.npy
// Elements that a table names, one by one: neighbours in the tile have no common access.
// RUN: carousel-sim %s --kernel @elements --arg x=random:9 --arg n=%t.n.npy --arg y=random:9 --out y=%t.npy
// RUN: %{lowered} --kernel @elements --arg x=random:9 --arg n=%t.n.npy --arg y=random:9 --expect y=%t.npy --policy all --schedules 2
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_90a},carousel-select-engine,carousel-circular-buffer,carousel-insert-async-sync,carousel-verify-ring,carousel-lower-rings))' | FileCheck %s --check-prefix=VECTORS
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_80},carousel-select-engine,carousel-circular-buffer,carousel-insert-async-sync,carousel-verify-ring,carousel-lower-rings))' | FileCheck %s --check-prefix=WIDE
// VECTORS-LABEL: gpu.func @reduce_wide
// VECTORS: carousel.vector.reduce add f32 %{{.*}} : vector<4xf32>
// VECTORS-LABEL: gpu.func @reduce(
// VECTORS-NOT: carousel.vector.reduce
// VECTORS: memref.atomic_rmw addf

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
#x = #carousel.argument<"x", in>
#n = #carousel.argument<"n", in>
#y = #carousel.argument<"y", out>
!m = memref<?x?xf32, strided<[?, 1]>, #gl>
!n = memref<?xi32, #gl>
!tile = memref<4x32xf32, #ws>
!wide = memref<?x70xf32, strided<[72, 1]>, #gl>
!wide_out = memref<?x96xf32, #gl>

// REMARK: tensor not used for load: rows that a table names, which only threads look up
// REMARK: bulk not used for load: rows that a table names, which only threads look up

gpu.module @m {
  // A row that the table doesn't have, or that doesn't exist, is -1.
  // CHECK-LABEL: gpu.func @gather
  // CHECK: %[[READ:.*]] = scf.if %{{.*}} -> (i32) {
  // CHECK:   memref.load %arg1
  // CHECK: } else {
  // CHECK: }
  // CHECK: %[[NUMBER:.*]] = arith.index_cast %[[READ]] : i32 to index
  // CHECK: %[[EXISTS:.*]] = arith.cmpi ult, %[[NUMBER]]
  // CHECK: arith.select %[[EXISTS]], %[[NUMBER]], %c-1
  // CHECK: memref.load %arg1
  // CHECK: scf.for
  // CHECK-NOT: memref.load %arg1
  // CHECK-COUNT-2: carousel.cp_async.copy
  // CHECK-COUNT-2: memref.load %arg1
  // CHECK: scf.for
  // CHECK-NOT: memref.load %arg1
  // CHECK: gpu.return
  gpu.func @gather(%x: !m {carousel.argument = #x}, %n: !n {carousel.argument = #n}, %y: !m {carousel.argument = #y}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [ceildiv(extent(1, 0), 4)], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %t = gpu.thread_id x
    %block = gpu.block_id x
    %i = arith.muli %block, %c4 : index
    %columns = memref.dim %x, %c1 : !m
    %count = memref.dim %n, %c0 : !n
    %rows = carousel.rows %x[%n] : !m, !n
    %tile = memref.alloc() : !tile
    scf.for %j = %c0 to %columns step %c32 {
      carousel.load %rows[%i, %j] to %tile fill(7.0) : !m, !tile
      scf.for %e = %t to %c128 step %c64 {
        %r = arith.divui %e, %c32 : index
        %c = arith.remui %e, %c32 : index
        %v = memref.load %tile[%r, %c] : !tile
        %row = arith.addi %i, %r : index
        %column = arith.addi %j, %c : index
        %in = arith.cmpi ult, %row, %count : index
        %inside = arith.cmpi ult, %column, %columns : index
        %both = arith.andi %in, %inside : i1
        scf.if %both {
          memref.store %v, %y[%row, %column] : !m
        }
      }
    } {carousel.pipeline = #carousel.pipeline<stages = 2>}
    gpu.return
  }

  // CHECK-LABEL: gpu.func @scatter
  // CHECK: memref.load %arg1
  // CHECK: gpu.return
  gpu.func @scatter(%x: !m {carousel.argument = #x}, %n: !n {carousel.argument = #n}, %y: !m {carousel.argument = #y}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [ceildiv(extent(0, 0), 4)], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c32 = arith.constant 32 : index
    %block = gpu.block_id x
    %i = arith.muli %block, %c4 : index
    %rows = carousel.rows %y[%n] : !m, !n
    %tile = memref.alloc() : !tile
    carousel.load %x[%i, %c0] to %tile : !m, !tile
    carousel.store %tile to %rows[%i, %c0] : !tile, !m
    carousel.load %x[%i, %c32] to %tile : !m, !tile
    carousel.store %tile to %rows[%i, %c32] : !tile, !m
    gpu.return
  }

  // Adds one to two boxes of the rows that a table names.
  // CHECK-LABEL: gpu.func @reduce
  // CHECK: memref.atomic_rmw addf
  gpu.func @reduce(%n: !n {carousel.argument = #n}, %z: !m {carousel.argument = #carousel.argument<"z">}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [ceildiv(extent(0, 0), 4)], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %one = arith.constant 1.0 : f32
    %t = gpu.thread_id x
    %block = gpu.block_id x
    %i = arith.muli %block, %c4 : index
    %rows = carousel.rows %z[%n] reduce<add f32> : !m, !n
    %tile = memref.alloc() : !tile
    scf.for %e = %t to %c128 step %c64 {
      %r = arith.divui %e, %c32 : index
      %c = arith.remui %e, %c32 : index
      memref.store %one, %tile[%r, %c] : !tile
    }
    carousel.store %tile to %rows[%i, %c0] reduce<add f32> : !tile, !m
    carousel.store %tile to %rows[%i, %c64] reduce<add f32> : !tile, !m
    gpu.return
  }

  // Rows that end in a piece of 16 bytes. A box that no row ends in needs no number of bytes: a piece is read, or is zero.
  // WIDE-LABEL: gpu.func @gather_padded_wide
  // WIDE: scf.for
  // WIDE: arith.cmpi sle, %{{.*}}, %c70{{.*}} : index
  // WIDE-NOT: arith.minsi
  // WIDE: carousel.cp_async.copy cg {{.*}}, 16 ignore
  // WIDE: } else {
  // WIDE: arith.minsi
  // WIDE: carousel.cp_async.copy cg {{.*}}, 16 valid
  // WIDE: gpu.return
  gpu.func @gather_padded(%x: !wide {carousel.argument = #x}, %n: !n {carousel.argument = #n}, %y: !wide_out {carousel.argument = #y}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [ceildiv(extent(1, 0), 4)], block = [32]>} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c32 = arith.constant 32 : index
    %c70 = arith.constant 70 : index
    %c128 = arith.constant 128 : index
    %t = gpu.thread_id x
    %block = gpu.block_id x
    %i = arith.muli %block, %c4 : index
    %count = memref.dim %n, %c0 : !n
    %rows = carousel.rows %x[%n] : !wide, !n
    %tile = memref.alloc() {alignment = 16 : i64} : !tile
    scf.for %j = %c0 to %c70 step %c32 {
      carousel.load %rows[%i, %j] to %tile : !wide, !tile
      scf.for %e = %t to %c128 step %c32 {
        %r = arith.divui %e, %c32 : index
        %c = arith.remui %e, %c32 : index
        %v = memref.load %tile[%r, %c] : !tile
        %row = arith.addi %i, %r : index
        %column = arith.addi %j, %c : index
        %in = arith.cmpi ult, %row, %count : index
        scf.if %in {
          memref.store %v, %y[%row, %column] : !wide_out
        }
      }
    } {carousel.pipeline = #carousel.pipeline<stages = 2>}
    gpu.return
  }

  // VECTORS-LABEL: gpu.func @elements(
  // VECTORS-COUNT-2: carousel.cp_async.copy {{.*}}, 4
  // VECTORS-NOT: cp_async.copy
  // VECTORS: %[[EXISTS:.*]] = arith.cmpi sge
  // VECTORS-NEXT: scf.if %[[EXISTS]]
  // VECTORS-NEXT: memref.load
  // VECTORS-NEXT: memref.atomic_rmw addf
  gpu.func @elements(%x: memref<?xf32, #gl> {carousel.argument = #x}, %n: !n {carousel.argument = #n},
                     %y: memref<?xf32, #gl> {carousel.argument = #carousel.argument<"y", inout>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [ceildiv(extent(1, 0), 8)], block = [4]>} {
    %c8 = arith.constant 8 : index
    %block = gpu.block_id x
    %i = arith.muli %block, %c8 : index
    %from = carousel.rows %x[%n] : memref<?xf32, #gl>, !n
    %to = carousel.rows %y[%n] reduce<add f32> : memref<?xf32, #gl>, !n
    %tile = memref.alloc() {alignment = 16 : i64} : memref<8xf32, #ws>
    carousel.load %from[%i] to %tile : memref<?xf32, #gl>, memref<8xf32, #ws>
    carousel.store %tile to %to[%i] reduce<add f32> : memref<8xf32, #ws>, memref<?xf32, #gl>
    gpu.return
  }
}
