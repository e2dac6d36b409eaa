// Accesses to rows of a table, where threads make them: they become gathers and scatters.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-expand-rows))' | FileCheck %s
// Of nine rows there are five numbers of none: two of them -1, and one is 9.
// RUN: %python -c "import struct, sys; n = [4, -1, 8, 0, 9, 4, 3, -1, 100, 1, -5]; open(sys.argv[1], 'wb').write(b'\x93NUMPY\x01\x00v\x00' + repr({'descr': '<i8', 'fortran_order': False, 'shape': (11,)}).ljust(117).encode() + b'\n' + struct.pack('<11q', *n))" %t.n.npy
// DEFINE: %{lowered} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-lowered %s --chip sm_80,sm_90a --
// DEFINE: %{rows} = --kernel @rows --arg x=random:9x64 --arg n=%t.n.npy --arg y=zeros:11x64
// DEFINE: %{odd} = --kernel @rows --arg x=random:9x61@67x1 --arg n=%t.n.npy --arg y=zeros:11x61
// DEFINE: %{pages} = --kernel @pages --arg x=random:9x3x20 --arg n=%t.n.npy --arg y=zeros:11x3x20
// DEFINE: %{elements} = --kernel @elements --arg x=random:9@2 --arg n=%t.n.npy --arg y=zeros:11
// DEFINE: %{scattered} = --kernel @scattered --arg x=random:20x64 --arg n=iota:14 --arg y=zeros:12x64
// RUN: carousel-sim %s %{rows} --reference @rows_reference --out y=%t.npy
// RUN: %{lowered} %{rows} --expect y=%t.npy
// RUN: carousel-sim %s %{odd} --reference @rows_reference --out y=%t.npy
// RUN: %{lowered} %{odd} --expect y=%t.npy
// RUN: carousel-sim %s %{pages} --out y=%t.npy
// RUN: %{lowered} %{pages} --expect y=%t.npy
// RUN: carousel-sim %s %{elements} --out y=%t.npy
// RUN: %{lowered} %{elements} --expect y=%t.npy
// RUN: carousel-sim %s %{scattered} --out y=%t.npy
// RUN: %{lowered} %{scattered} --expect y=%t.npy

#gl = #gpu.address_space<global>
#x = #carousel.argument<"x", in>
#n = #carousel.argument<"n", in>
#y = #carousel.argument<"y", out>
!m = memref<?x?xf32, strided<[?, 1]>, #gl>
!host = memref<?x?xf32, strided<[?, 1]>>
!n = memref<?xi64, #gl>

gpu.module @m {
  // CHECK-LABEL: gpu.func @rows
  // CHECK-NOT: carousel.rows
  // CHECK: %[[NUMBERS:.*]] = vector.transfer_read %{{.*}}[%{{.*}}], %{{.*}} : memref<?xi64, {{.*}}>, vector<4xi64>
  // CHECK: %[[ROWS:.*]] = arith.index_cast %[[NUMBERS]]
  // CHECK: arith.cmpi ult
  // CHECK: %[[AT:.*]] = arith.addi %{{.*}}, %{{.*}} : vector<4x32xindex>
  // CHECK: vector.gather %{{.*}}[%{{.*}}, %{{.*}}] [%{{.*}}], %{{.*}}, %{{.*}} : memref<?x?xf32, strided<[?, 1]>
  gpu.func @rows(%x: !m {carousel.argument = #x}, %n: !n {carousel.argument = #n}, %y: !m {carousel.argument = #y})
      kernel attributes {carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [ceildiv(extent(2, 1), 32), ceildiv(extent(1, 0), 4)], block = [64]>} {
    %pad = arith.constant 7.0 : f32
    %across = gpu.block_id x
    %down = gpu.block_id y
    %i = affine.apply affine_map<(d) -> (d * 4)>(%down)
    %j = affine.apply affine_map<(d) -> (d * 32)>(%across)
    %own = carousel.rows %x[%n] : !m, !n
    %v = vector.transfer_read %own[%i, %j], %pad : !m, vector<4x32xf32>
    vector.transfer_write %v, %y[%i, %j] : vector<4x32xf32>, !m
    gpu.return
  }

  // One row of the table, and all of its columns.
  // CHECK-LABEL: gpu.func @pages
  // CHECK: scf.if
  // CHECK: memref.load %{{.*}} : memref<?xi64
  // CHECK: vector.gather
  gpu.func @pages(%x: memref<?x?x?xf32, #gl> {carousel.argument = #x}, %n: !n {carousel.argument = #n},
      %y: memref<?x?x?xf32, #gl> {carousel.argument = #y})
      kernel attributes {carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [extent(1, 0)], block = [32]>} {
    %c0 = arith.constant 0 : index
    %pad = arith.constant 0.0 : f32
    %i = gpu.block_id x
    %own = carousel.rows %x[%n] : memref<?x?x?xf32, #gl>, !n
    %v = vector.transfer_read %own[%i, %c0, %c0], %pad : memref<?x?x?xf32, #gl>, vector<4x32xf32>
    vector.transfer_write %v, %y[%i, %c0, %c0] : vector<4x32xf32>, memref<?x?x?xf32, #gl>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @elements
  // DOC-EXAMPLE: --carousel-expand-rows
  // CHECK: vector.gather {{.*}} vector<16xf32>
  gpu.func @elements(%x: memref<?xf32, strided<[?]>, #gl> {carousel.argument = #x}, %n: !n {carousel.argument = #n},
      %y: memref<?xf32, #gl> {carousel.argument = #y})
      kernel attributes {carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %c0 = arith.constant 0 : index
    %pad = arith.constant -1.0 : f32
    %own = carousel.rows %x[%n] : memref<?xf32, strided<[?]>, #gl>, !n
    %v = vector.transfer_read %own[%c0], %pad : memref<?xf32, strided<[?]>, #gl>, vector<16xf32>
    vector.transfer_write %v, %y[%c0] : vector<16xf32>, memref<?xf32, #gl>
    gpu.return
  }

  // Positions behind the table, and rows behind the result, aren't written.
  // CHECK-LABEL: gpu.func @scattered
  // CHECK: vector.scatter
  gpu.func @scattered(%x: !m {carousel.argument = #x}, %n: memref<?xi32, #gl> {carousel.argument = #n}, %y: !m {carousel.argument = #y})
      kernel attributes {carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [ceildiv(extent(0, 0), 4)], block = [64]>} {
    %c0 = arith.constant 0 : index
    %pad = arith.constant 0.0 : f32
    %down = gpu.block_id x
    %i = affine.apply affine_map<(d) -> (d * 4)>(%down)
    %own = carousel.rows %y[%n] : !m, memref<?xi32, #gl>
    %v = vector.transfer_read %x[%i, %c0], %pad : !m, vector<4x64xf32>
    vector.transfer_write %v, %own[%i, %c0] : vector<4x64xf32>, !m
    gpu.return
  }
}

func.func @rows_reference(%x: !host, %n: memref<?xi64>, %y: !host) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %pad = arith.constant 7.0 : f32
  %rows = memref.dim %x, %c0 : !host
  %columns = memref.dim %x, %c1 : !host
  %count = memref.dim %n, %c0 : memref<?xi64>
  scf.for %i = %c0 to %count step %c1 {
    %number = memref.load %n[%i] : memref<?xi64>
    %row = arith.index_cast %number : i64 to index
    %exists = arith.cmpi ult, %row, %rows : index
    scf.for %j = %c0 to %columns step %c1 {
      %v = scf.if %exists -> (f32) {
        %own = memref.load %x[%row, %j] : !host
        scf.yield %own : f32
      } else {
        scf.yield %pad : f32
      }
      memref.store %v, %y[%i, %j] : !host
    }
  }
  return
}
