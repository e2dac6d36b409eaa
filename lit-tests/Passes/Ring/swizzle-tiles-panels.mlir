// Swizzled tiles whose rows are several spans lie in memory as panels. Threads that copy a tile swizzle it, too.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-swizzle-tiles,canonicalize))' | FileCheck %s

// The same results before and after, by tensor copies and by threads.
// DEFINE: %{tile} = carousel-sim %S/Inputs/panels.mlir
// DEFINE: %{lowered} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-lowered %S/Inputs/panels.mlir
// DEFINE: %{run} = --policy all --schedules 1
// RUN: %{tile} --kernel @negate --arg x=random:100x300@304x1 --arg y=empty:100x300 --out y=%t.negate.npy
// RUN: %{lowered} --require-variants -- --kernel @negate --arg x=random:100x300@304x1 --arg y=empty:100x300@304x1 --expect y=%t.negate.npy %{run}
// RUN: %{lowered} -- --kernel @negate --arg x=random:100x300@304x1 --arg y=empty:100x300 --expect y=%t.negate.npy %{run}
// RUN: %{tile} --kernel @negate --arg x=random:37x131 --arg y=empty:37x131 --out y=%t.odd.npy
// RUN: %{lowered} -- --kernel @negate --arg x=random:37x131 --arg y=empty:37x131 --expect y=%t.odd.npy %{run}
// RUN: %{tile} --kernel @transpose --arg x=random:64x132 --arg y=empty:132x64 --out y=%t.transpose.npy
// RUN: %{lowered} --require-variants -- --kernel @transpose --arg x=random:64x132 --arg y=empty:132x64 --expect y=%t.transpose.npy %{run}
// RUN: %{tile} --kernel @twice --arg x=random:3x10x96 --arg y=empty:3x10x96 --out y=%t.twice.npy
// RUN: %{lowered} --require-variants -- --kernel @twice --arg x=random:3x10x96 --arg y=empty:3x10x96 --expect y=%t.twice.npy %{run}
// RUN: %{tile} --kernel @product --arg a=random:16x88 --arg b=random:88x200:1 --arg c=empty:16x200 --out c=%t.product.npy
// RUN: %{lowered} --require-variants -- --kernel @product --arg a=random:16x88 --arg b=random:88x200:1 --arg c=empty:16x200 --expect c=%t.product.npy %{run}

// What carries the tiles out.
// RUN: carousel-opt %S/Inputs/panels.mlir --pass-pipeline='builtin.module(carousel-lower{chip=sm_90a})' | FileCheck %s --check-prefix=TENSOR
// TENSOR-DAG: !carousel.tensor_map<64x64xbf16, swizzle = b128
// TENSOR-DAG: !carousel.tensor_map<32x32xf32, swizzle = b128
// TENSOR-DAG: !carousel.tensor_map<2x4x32xf32, swizzle = b128
// RUN: carousel-opt %S/Inputs/panels.mlir --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_80},carousel-select-engine))' | FileCheck %s --check-prefix=THREADS
// THREADS: carousel.load {{.*}} swizzle(b128) engine<cp_async, width = 16>
// THREADS: carousel.store {{.*}} swizzle(b128) engine<vector, width = 16>

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>
!matrix = memref<?x?xf32, #gl>
!two = memref<16x64xf32, #ws>
!ring = !carousel.ring<2 x !two>
!narrow = memref<8x32xf32, #ws>
!narrow_ring = !carousel.ring<2 x !narrow>

gpu.module @kernels {
  // 16 rows of two panels of 32 columns: line 16 * (column / 32) + row, two lines to a row of the tile.
  // CHECK-LABEL: gpu.func @two_panels
  // CHECK-SAME: %[[R:[a-z0-9]+]]: index, %[[C:[a-z0-9]+]]: index)
  gpu.func @two_panels(%x: !matrix, %map: !carousel.tensor_map<16x32xf32, swizzle = b128>, %k: index, %r: index, %c: index) kernel {
    %ring = carousel.ring.create : !ring
    carousel.ring.produce %ring[%k] : !ring {
      %slot = carousel.ring.tile %ring[%k], 0 : !ring -> !two
      carousel.ring.load %x[%r, %c] to %slot engine<tensor> map %map
          : !matrix, !two, !carousel.tensor_map<16x32xf32, swizzle = b128>
    }
    // CHECK-DAG: %[[PANEL:.*]] = arith.divui %[[C]], %c32
    // CHECK-DAG: %[[COLUMN:.*]] = arith.remui %[[C]], %c32
    // CHECK-DAG: %[[FIRST:.*]] = arith.muli %[[PANEL]], %c16
    // CHECK: %[[LINE:.*]] = arith.addi %[[FIRST]], %[[R]]
    // CHECK-DAG: %[[HALF:.*]] = arith.remui %[[LINE]], %c2
    // CHECK-DAG: %[[BEGIN:.*]] = arith.muli %[[HALF]], %c32
    // CHECK-DAG: %[[KEY:.*]] = arith.remui %[[R]], %c8
    // CHECK-DAG: %[[SHIFT:.*]] = arith.muli %[[KEY]], %c4
    // CHECK-DAG: %[[PIECE:.*]] = arith.xori %[[COLUMN]], %[[SHIFT]]
    // CHECK-DAG: %[[AT:.*]] = arith.addi %[[BEGIN]], %[[PIECE]]
    // CHECK-DAG: %[[ROW:.*]] = arith.divui %[[LINE]], %c2
    // CHECK: memref.load %{{.*}}[%[[ROW]], %[[AT]]]
    %tile = carousel.ring.tile %ring[%k], 0 : !ring -> !two
    %v = memref.load %tile[%r, %c] : !two
    memref.store %v, %tile[%r, %c] : !two
    gpu.return
  }

  // By cp.async, as its op says; a copy without a swizzle leaves accesses alone.
  // CHECK-LABEL: gpu.func @by_threads
  gpu.func @by_threads(%x: !matrix, %k: index, %r: index, %c: index) kernel {
    %swizzled = carousel.ring.create : !narrow_ring
    %plain = carousel.ring.create : !narrow_ring
    carousel.ring.produce %swizzled[%k] : !narrow_ring {
      %slot = carousel.ring.tile %swizzled[%k], 0 : !narrow_ring -> !narrow
      carousel.ring.load %x[%r, %c] to %slot swizzle(b128) engine<cp_async, width = 16> : !matrix, !narrow
    }
    carousel.ring.produce %plain[%k] : !narrow_ring {
      %slot = carousel.ring.tile %plain[%k], 0 : !narrow_ring -> !narrow
      carousel.ring.load %x[%r, %c] to %slot engine<cp_async, width = 16> : !matrix, !narrow
    }
    // CHECK: %[[AT:.*]] = arith.xori
    // CHECK: memref.load %{{.*}}[%{{.*}}, %[[AT]]]
    %tile = carousel.ring.tile %swizzled[%k], 0 : !narrow_ring -> !narrow
    %v = memref.load %tile[%r, %c] : !narrow
    // CHECK-NOT: arith.xori
    // CHECK: memref.store
    %other = carousel.ring.tile %plain[%k], 0 : !narrow_ring -> !narrow
    memref.store %v, %other[%r, %c] : !narrow
    gpu.return
  }
}
