// A tensor copy fills with zero; readers of the tile select another fill. Threads that copy write it.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-fill-in-readers))' | FileCheck %s
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-fill-in-readers,carousel-fill-in-readers))' | FileCheck %s
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-fill-in-readers))' \
// RUN:   --remarks-filter=carousel-fill-in-readers --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK: fill of -inf by 1 readers of the tile
// REMARK: fill of 1.5 by 1 readers of the tile

// What carries the loads out, and why.
// RUN: carousel-opt %S/Inputs/fills.mlir --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_90a},carousel-select-engine))' \
// RUN:   --remarks-filter=carousel-select-engine --remark-format=emitRemark -o - 2>%t.remarks | FileCheck %s --check-prefix=ENGINE
// RUN: FileCheck %s --check-prefix=WHY < %t.remarks
// ENGINE: gpu.func @elements
// ENGINE: carousel.load {{.*}} fill(-inf) engine<tensor> map
// ENGINE: gpu.func @through
// ENGINE: carousel.load {{.*}} fill(7) engine<cp_async, width = 16>
// WHY: tensor not used for load: a fill of 7, which no map has, and a use of the tile by carousel.store, which can't fill
// RUN: carousel-opt %S/Inputs/fills.mlir --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_80},carousel-select-engine))' \
// RUN:   | FileCheck %s --check-prefix=SM80
// SM80: gpu.func @elements
// SM80: carousel.load {{.*}} fill(-inf) engine<cp_async, width = 16>

// The same results as at the tile phase, with y larger than x: extents 0, 1, prime, and next to a tile.
// DEFINE: %{tile} = carousel-sim %S/Inputs/fills.mlir
// DEFINE: %{lowered} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-lowered %S/Inputs/fills.mlir
// DEFINE: %{run} = --policy all --schedules 1
// RUN: %{tile} --kernel @elements --arg x=random:37x67@68x1 --arg y=empty:48x80 --out y=%t.elements.npy
// RUN: %{lowered} --require-variants -- --kernel @elements --arg x=random:37x67@68x1 --arg y=empty:48x80 --expect y=%t.elements.npy %{run}
// RUN: %{tile} --kernel @elements --arg x=random:31x63 --arg y=empty:48x80 --out y=%t.odd.npy
// RUN: %{lowered} -- --kernel @elements --arg x=random:31x63 --arg y=empty:48x80 --expect y=%t.odd.npy %{run}
// RUN: %{tile} --kernel @elements --arg x=random:1x1 --arg y=empty:20x40 --out y=%t.one.npy
// RUN: %{lowered} -- --kernel @elements --arg x=random:1x1 --arg y=empty:20x40 --expect y=%t.one.npy %{run}
// RUN: %{tile} --kernel @elements --arg x=random:0x4 --arg y=empty:20x40 --out y=%t.none.npy
// RUN: %{lowered} -- --kernel @elements --arg x=random:0x4 --arg y=empty:20x40 --expect y=%t.none.npy %{run}
// RUN: %{tile} --kernel @vectors --arg x=random:17x131@136x1 --arg y=empty:24x200 --out y=%t.vectors.npy
// RUN: %{lowered} --require-variants -- --kernel @vectors --arg x=random:17x131@136x1 --arg y=empty:24x200 --expect y=%t.vectors.npy %{run}
// RUN: %{tile} --kernel @through --arg x=random:17x65@68x1 --arg y=empty:32x96 --out y=%t.through.npy
// RUN: %{lowered} --require-variants -- --kernel @through --arg x=random:17x65@68x1 --arg y=empty:32x96 --expect y=%t.through.npy %{run}
// RUN: %{tile} --kernel @integers --arg x=random:17x33@48x1 --arg y=empty:32x64 --out y=%t.integers.npy
// RUN: %{lowered} --require-variants -- --kernel @integers --arg x=random:17x33@48x1 --arg y=empty:32x64 --expect y=%t.integers.npy %{run}

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!matrix = memref<?x?xf32, #gl>
!tile = memref<16x32xf32, #ws>
!map = !carousel.tensor_map<16x32xf32>

gpu.module @kernels {
  // DOC-EXAMPLE: --carousel-fill-in-readers
  // CHECK-LABEL: gpu.func @element
  gpu.func @element(%x: !matrix, %map: !map, %r: index, %c: index, %i: index, %j: index) -> f32 {
    %t = memref.alloc() : !tile
    // CHECK: carousel.load %[[X:.*]][%[[R:.*]], %[[C:.*]]] to %[[T:.*]] engine<tensor> map
    carousel.load %x[%r, %c] to %t fill(-inf) engine<tensor> map %map : !matrix, !tile, !map
    // CHECK: %[[V:.*]] = memref.load %[[T]][%[[I:.*]], %[[J:.*]]]
    // CHECK: %[[ROW:.*]] = arith.addi %[[R]], %[[I]]
    // CHECK: %[[ROWS:.*]] = memref.dim %[[X]], %c0
    // CHECK: %[[ROW_INSIDE:.*]] = arith.cmpi ult, %[[ROW]], %[[ROWS]]
    // CHECK: %[[COLUMN:.*]] = arith.addi %[[C]], %[[J]]
    // CHECK: %[[COLUMNS:.*]] = memref.dim %[[X]], %c1
    // CHECK: %[[COLUMN_INSIDE:.*]] = arith.cmpi ult, %[[COLUMN]], %[[COLUMNS]]
    // CHECK: %[[INSIDE:.*]] = arith.andi %[[ROW_INSIDE]], %[[COLUMN_INSIDE]]
    // CHECK: %[[FILL:.*]] = arith.constant 0xFF800000 : f32
    // CHECK: %[[CHOSEN:.*]] = arith.select %[[INSIDE]], %[[V]], %[[FILL]]
    // CHECK: gpu.return %[[CHOSEN]]
    %v = memref.load %t[%i, %j] : !tile
    gpu.return %v : f32
  }

  // A vector that is inside as a whole is read as it is. The row is known to be inside.
  // CHECK-LABEL: gpu.func @vector
  gpu.func @vector(%x: memref<16x?xf32, #gl>, %map: !map, %c: index, %i: index, %j: index) -> vector<4xf32> {
    %c0 = arith.constant 0 : index
    %t = memref.alloc() : !tile
    // CHECK-NOT: fill(
    carousel.load %x[%c0, %c] to %t fill(1.5) engine<tensor> map %map : memref<16x?xf32, #gl>, !tile, !map
    // CHECK: %[[V:.*]] = vector.load
    // CHECK-COUNT-2: arith.cmpi ult
    // CHECK: scf.if %{{.*}} -> (vector<4xf32>) {
    // CHECK-NEXT: scf.yield %[[V]]
    // CHECK: } else {
    // CHECK-COUNT-4: arith.select
    // CHECK: vector.from_elements
    %v = vector.load %t[%i, %j] : !tile, vector<4xf32>
    gpu.return %v : vector<4xf32>
  }

  // Zero is the engine's own, and other engines keep the fill.
  // CHECK-LABEL: gpu.func @others
  gpu.func @others(%x: !matrix, %map: !map, %r: index, %i: index) -> (f32, f32) {
    %t = memref.alloc() : !tile
    %u = memref.alloc() : !tile
    // CHECK: carousel.load {{.*}} engine<tensor>
    carousel.load %x[%r, %r] to %t fill(0) engine<tensor> map %map : !matrix, !tile, !map
    // CHECK: carousel.load {{.*}} fill(-inf) engine<vector, width = 4>
    carousel.load %x[%r, %r] to %u fill(-inf) engine<vector, width = 4> : !matrix, !tile
    // CHECK-NOT: arith.select
    %v = memref.load %t[%i, %i] : !tile
    %w = memref.load %u[%i, %i] : !tile
    gpu.return %v, %w : f32, f32
  }
}
