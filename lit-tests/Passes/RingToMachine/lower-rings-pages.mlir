// Pages that a table names: tensor copies take them one by one, each of a page's part of the tile, panel by panel. A page that the
// table doesn't have, or that doesn't exist, is outside in its dimension, and filled.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_90a},carousel-select-engine))' | FileCheck %s --check-prefix=ENGINE
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_90a},carousel-select-engine,carousel-circular-buffer,carousel-swizzle-tiles,carousel-insert-async-sync,carousel-verify-ring,carousel-lower-rings))' | FileCheck %s
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_90a},carousel-select-engine))' --remarks-filter=carousel-select-engine --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: %python -c "import struct, sys; n = [4, -1, 3, 0, 5, 4, 3, 1000, 65536]; open(sys.argv[1], 'wb').write(b'\x93NUMPY\x01\x00v\x00' + repr({'descr': '<i4', 'fortran_order': False, 'shape': (9,)}).ljust(117).encode() + b'\n' + struct.pack('<9i', *n))" %t.n.npy
// RUN: %python -c "import struct, sys; n = [4, -1, 3, 0, 5, 4, 3, 1000, 1 << 32]; open(sys.argv[1], 'wb').write(b'\x93NUMPY\x01\x00v\x00' + repr({'descr': '<i8', 'fortran_order': False, 'shape': (9,)}).ljust(117).encode() + b'\n' + struct.pack('<9q', *n))" %t.wide.npy
// DEFINE: %{lowered} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-lowered %s --chip sm_80,sm_90a --
// DEFINE: %{panels} = --kernel @panels --arg x=random:5x8x3x128 --arg n=%t.n.npy --arg y=zeros:160x128
// DEFINE: %{wide} = --kernel @wide --arg x=random:5x8x3x64 --arg n=%t.wide.npy --arg y=zeros:80x64
// DEFINE: %{one} = --kernel @one --arg x=random:5x8x64 --arg n=%t.n.npy --arg y=zeros:80x64
// RUN: carousel-sim %s %{panels} --out y=%t.npy
// RUN: %{lowered} %{panels} --expect y=%t.npy --policy all --schedules 3
// RUN: carousel-sim %s %{wide} --out y=%t.npy
// RUN: %{lowered} %{wide} --expect y=%t.npy --policy all --schedules 3
// RUN: carousel-sim %s %{one} --out y=%t.npy
// RUN: %{lowered} %{one} --expect y=%t.npy --policy all --schedules 3

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
#x = #carousel.argument<"x", in>
#n = #carousel.argument<"n", in>
#y = #carousel.argument<"y", out>
!pool = memref<?x8x?x128xbf16, #gl>
!narrow = memref<?x8x?x64xbf16, #gl>
!flat = memref<?x8x64xbf16, #gl>
!n = memref<?xi32, #gl>
!n64 = memref<?xi64, #gl>
!y = memref<?x128xbf16, #gl>
!z = memref<?x64xbf16, #gl>
!pages = memref<4x8x1x128xbf16, #ws>
!pair = memref<2x8x1x64xbf16, #ws>
!page = memref<8x64xbf16, #ws>

// REMARK: bulk not used for load: rows that a table names

// ENGINE-LABEL: gpu.func @panels_tma(
// ENGINE: carousel.load {{.*}}engine<tensor>
// ENGINE-LABEL: gpu.func @wide_tma(
// ENGINE: carousel.load {{.*}}engine<tensor>
// ENGINE-LABEL: gpu.func @one_tma(
// ENGINE: carousel.load {{.*}}engine<tensor>

gpu.module @m {
  // Two panels, each of a part of four pages, from a place before the table's begin on; rows before the pages.
  // CHECK-LABEL: gpu.func @panels_tma(
  // CHECK: %[[NUMBER:.*]] = scf.if %{{.*}} -> (i32) {
  // CHECK:   memref.load %arg1
  // CHECK-NOT: arith.select
  // CHECK: carousel.tensor.load %{{.*}}[%[[NUMBER]], %{{.*}}, %{{.*}}, %c0_i32
  gpu.func @panels(%x: !pool {carousel.argument = #x}, %n: !n {carousel.argument = #n}, %y: !y {carousel.argument = #y}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c5 = arith.constant 5 : index
    %c4 = arith.constant 4 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c8 = arith.constant 8 : index
    %c128 = arith.constant 128 : index
    %all = arith.constant 4096 : index
    %first = arith.constant -3 : index
    %t = gpu.thread_id x
    %rows = carousel.rows %x[%n] : !pool, !n
    %tile = memref.alloc() : !pages
    scf.for %j = %c0 to %c5 step %c1 {
      %place = arith.muli %j, %c4 : index
      %at = arith.addi %place, %first : index
      %s = arith.subi %c0, %j : index
      carousel.load %rows[%at, %s, %c1, %c0] to %tile swizzle(b128) : !pool, !pages
      scf.for %e = %t to %all step %c64 {
        %line = arith.divui %e, %c128 : index
        %c = arith.remui %e, %c128 : index
        %p = arith.divui %line, %c8 : index
        %r = arith.remui %line, %c8 : index
        %v = memref.load %tile[%p, %r, %c0, %c] : !pages
        %before = arith.muli %j, %c32 : index
        %row = arith.addi %before, %line : index
        memref.store %v, %y[%row, %c] : !y
      }
    } {carousel.pipeline = #carousel.pipeline<stages = 2>}
    gpu.return
  }

  // Numbers of 64 bits that don't fit into a coordinate.
  // CHECK-LABEL: gpu.func @wide_tma(
  // CHECK: memref.load %arg1
  // CHECK: arith.select
  // CHECK: carousel.tensor.load
  gpu.func @wide(%x: !narrow {carousel.argument = #x}, %n: !n64 {carousel.argument = #n}, %y: !z {carousel.argument = #y}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c5 = arith.constant 5 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %t = gpu.thread_id x
    %rows = carousel.rows %x[%n] : !narrow, !n64
    %tile = memref.alloc() : !pair
    scf.for %j = %c0 to %c5 step %c1 {
      %place = arith.muli %j, %c2 : index
      carousel.load %rows[%place, %c0, %c2, %c0] to %tile : !narrow, !pair
      scf.for %line = %c0 to %c16 step %c1 {
        %p = arith.divui %line, %c8 : index
        %r = arith.remui %line, %c8 : index
        %v = memref.load %tile[%p, %r, %c0, %t] : !pair
        %before = arith.muli %j, %c16 : index
        %row = arith.addi %before, %line : index
        memref.store %v, %y[%row, %t] : !z
      }
    } {carousel.pipeline = #carousel.pipeline<stages = 2>}
    gpu.return
  }

  // A tile of one page, without a dimension for it.
  // CHECK-LABEL: gpu.func @one_tma(
  // CHECK: memref.load %arg1
  // CHECK: carousel.tensor.load
  gpu.func @one(%x: !flat {carousel.argument = #x}, %n: !n {carousel.argument = #n}, %y: !z {carousel.argument = #y}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c10 = arith.constant 10 : index
    %t = gpu.thread_id x
    %rows = carousel.rows %x[%n] : !flat, !n
    %tile = memref.alloc() : !page
    scf.for %j = %c0 to %c10 step %c1 {
      carousel.load %rows[%j, %c0, %c0] to %tile : !flat, !page
      scf.for %r = %c0 to %c8 step %c1 {
        %v = memref.load %tile[%r, %t] : !page
        %before = arith.muli %j, %c8 : index
        %row = arith.addi %before, %r : index
        memref.store %v, %y[%row, %t] : !z
      }
    } {carousel.pipeline = #carousel.pipeline<stages = 2>}
    gpu.return
  }
}
