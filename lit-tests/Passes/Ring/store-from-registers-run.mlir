// Vectors that the end of a row cuts, stored from registers and by threads: every number of elements that is left of one. Each
// takes one store for each power of two, and writes nothing behind the row.
// RUN: carousel-opt %s -o %t.mlir --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_80},carousel-store-from-registers,carousel-circular-buffer,carousel-insert-async-sync,carousel-verify-ring,carousel-lower-rings,carousel-allocate-shared,carousel-verify-machine,canonicalize,cse))'
// RUN: FileCheck %s < %t.mlir
// RUN: carousel-sim %t.mlir --kernel @copy --arg x=iota:6x0@24x1 --arg y=zeros:6x0@24x1 --expect y=iota:6x0@24x1 --policy all --schedules 1
// RUN: carousel-sim %t.mlir --kernel @copy --arg x=iota:6x1@24x1 --arg y=zeros:6x1@24x1 --expect y=iota:6x1@24x1 --policy all --schedules 1
// RUN: carousel-sim %t.mlir --kernel @copy --arg x=iota:6x2@24x1 --arg y=zeros:6x2@24x1 --expect y=iota:6x2@24x1 --policy all --schedules 1
// RUN: carousel-sim %t.mlir --kernel @copy --arg x=iota:6x3@24x1 --arg y=zeros:6x3@24x1 --expect y=iota:6x3@24x1 --policy all --schedules 1
// RUN: carousel-sim %t.mlir --kernel @copy --arg x=iota:6x4@24x1 --arg y=zeros:6x4@24x1 --expect y=iota:6x4@24x1 --policy all --schedules 1
// RUN: carousel-sim %t.mlir --kernel @copy --arg x=iota:6x5@24x1 --arg y=zeros:6x5@24x1 --expect y=iota:6x5@24x1 --policy all --schedules 1
// RUN: carousel-sim %t.mlir --kernel @copy --arg x=iota:6x6@24x1 --arg y=zeros:6x6@24x1 --expect y=iota:6x6@24x1 --policy all --schedules 1
// RUN: carousel-sim %t.mlir --kernel @copy --arg x=iota:6x7@24x1 --arg y=zeros:6x7@24x1 --expect y=iota:6x7@24x1 --policy all --schedules 1
// RUN: carousel-sim %t.mlir --kernel @copy --arg x=iota:6x8@24x1 --arg y=zeros:6x8@24x1 --expect y=iota:6x8@24x1 --policy all --schedules 1
// RUN: carousel-sim %t.mlir --kernel @copy --arg x=iota:6x9@24x1 --arg y=zeros:6x9@24x1 --expect y=iota:6x9@24x1 --policy all --schedules 1
// RUN: carousel-sim %t.mlir --kernel @copy --arg x=iota:6x15@24x1 --arg y=zeros:6x15@24x1 --expect y=iota:6x15@24x1 --policy all --schedules 1
// RUN: carousel-sim %t.mlir --kernel @copy --arg x=iota:6x16@24x1 --arg y=zeros:6x16@24x1 --expect y=iota:6x16@24x1 --policy all --schedules 1
// RUN: carousel-sim %t.mlir --kernel @copy --arg x=iota:6x17@24x1 --arg y=zeros:6x17@24x1 --expect y=iota:6x17@24x1 --policy all --schedules 1
// RUN: carousel-sim %t.mlir --kernel @tile --arg x=iota:6x1@24x1 --arg y=zeros:6x1@24x1 --expect y=iota:6x1@24x1 --policy all --schedules 1
// RUN: carousel-sim %t.mlir --kernel @tile --arg x=iota:6x4@24x1 --arg y=zeros:6x4@24x1 --expect y=iota:6x4@24x1 --policy all --schedules 1
// RUN: carousel-sim %t.mlir --kernel @tile --arg x=iota:6x7@24x1 --arg y=zeros:6x7@24x1 --expect y=iota:6x7@24x1 --policy all --schedules 1
// RUN: carousel-sim %t.mlir --kernel @tile --arg x=iota:6x15@24x1 --arg y=zeros:6x15@24x1 --expect y=iota:6x15@24x1 --policy all --schedules 1
// RUN: carousel-sim %t.mlir --kernel @while --arg x=iota:6x15@24x1 --arg y=zeros:6x15@24x1 --expect y=iota:6x15@24x1 --policy all --schedules 2
// RUN: carousel-sim %t.mlir --kernel @while --arg x=iota:9x16@24x1 --arg y=zeros:9x16@24x1 --expect y=iota:9x16@24x1 --policy all --schedules 2

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!matrix = memref<?x?xbf16, strided<[?, 1]>, #gl>
!tile = memref<4x16xbf16, #ws>

gpu.module @cut {
  // CHECK-LABEL: gpu.func @copy
  // CHECK: vector.store {{.*}} {alignment = 16 : i64} : {{.*}}, vector<8xbf16>
  // CHECK: vector.store {{.*}} {alignment = 8 : i64} : {{.*}}, vector<4xbf16>
  // CHECK: vector.store {{.*}} {alignment = 4 : i64} : {{.*}}, vector<2xbf16>
  // CHECK: memref.store
  // CHECK-NOT: memref.store
  // CHECK: gpu.return
  gpu.func @copy(%x: !matrix {carousel.argument = #carousel.argument<"x", in>}, %y: !matrix {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [8]>} {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %m = memref.dim %x, %c0 : !matrix
    %c1 = arith.constant 1 : index
    %n = memref.dim %x, %c1 : !matrix
    %t = gpu.thread_id x
    %r = arith.divui %t, %c2 : index
    %q = arith.remui %t, %c2 : index
    %s = arith.muli %q, %c8 : index
    %a = memref.alloc() : !tile
    %o = memref.alloc() : !tile
    scf.for %i = %c0 to %m step %c4 {
      scf.for %j = %c0 to %n step %c16 {
        carousel.load %x[%i, %j] to %a engine<vector, width = 16> : !matrix, !tile
        %v = vector.load %a[%r, %s] {alignment = 16 : i64} : !tile, vector<8xbf16>
        vector.store %v, %o[%r, %s] {alignment = 16 : i64} : !tile, vector<8xbf16>
        carousel.store %o to %y[%i, %j] engine<vector, width = 16> : !tile, !matrix
      } {carousel.pipeline = #carousel.pipeline<stages = 2, stores = registers>}
    }
    gpu.return
  }

  // CHECK-LABEL: gpu.func @tile
  // CHECK: vector.store {{.*}}, %arg1{{.*}} {alignment = 8 : i64} : {{.*}}, vector<4xbf16>
  // CHECK: gpu.return
  gpu.func @tile(%x: !matrix {carousel.argument = #carousel.argument<"x", in>}, %y: !matrix {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c16 = arith.constant 16 : index
    %m = memref.dim %x, %c0 : !matrix
    %n = memref.dim %x, %c1 : !matrix
    %a = memref.alloc() : !tile
    scf.for %i = %c0 to %m step %c4 {
      scf.for %j = %c0 to %n step %c16 {
        carousel.load %x[%i, %j] to %a engine<vector, width = 16> : !matrix, !tile
        carousel.store %a to %y[%i, %j] engine<vector, width = 16> : !tile, !matrix
      } {carousel.pipeline = #carousel.pipeline<stages = 2>}
    }
    gpu.return
  }

  // A while loop, on request.
  // CHECK-LABEL: gpu.func @while
  // CHECK: scf.while
  // CHECK: vector.store {{.*}}, %arg1{{.*}} {alignment = 16 : i64} : {{.*}}, vector<8xbf16>
  // CHECK: gpu.return
  gpu.func @while(%x: !matrix {carousel.argument = #carousel.argument<"x", in>}, %y: !matrix {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [8]>} {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %m = memref.dim %x, %c0 : !matrix
    %t = gpu.thread_id x
    %r = arith.divui %t, %c2 : index
    %q = arith.remui %t, %c2 : index
    %s = arith.muli %q, %c8 : index
    %a = memref.alloc() : !tile
    %o = memref.alloc() : !tile
    %end = scf.while (%i = %c0) : (index) -> index {
      %more = arith.cmpi slt, %i, %m : index
      scf.condition(%more) %i : index
    } do {
    ^bb0(%i: index):
      carousel.load %x[%i, %c0] to %a engine<vector, width = 16> : !matrix, !tile
      %v = vector.load %a[%r, %s] {alignment = 16 : i64} : !tile, vector<8xbf16>
      vector.store %v, %o[%r, %s] {alignment = 16 : i64} : !tile, vector<8xbf16>
      carousel.store %o to %y[%i, %c0] engine<vector, width = 16> : !tile, !matrix
      %next = arith.addi %i, %c4 : index
      scf.yield %next : index
    } attributes {carousel.pipeline = #carousel.pipeline<stages = 2, stores = registers>}
    gpu.return
  }
}
