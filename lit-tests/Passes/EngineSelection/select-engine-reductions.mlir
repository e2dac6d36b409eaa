// Reductions into one memref are all by engines or all by threads, since PTX promises atomicity within one proxy only.
// RUN: carousel-opt %s --split-input-file --pass-pipeline='builtin.module(gpu.module(carousel-select-engine))' | FileCheck %s
// RUN: carousel-opt %s --split-input-file --pass-pipeline='builtin.module(gpu.module(carousel-select-engine))' --remarks-filter=carousel-select-engine --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: carousel-opt %s --split-input-file --pass-pipeline='builtin.module(gpu.module(carousel-select-engine{prefer-engine=vector}))' | FileCheck %s --check-prefix=VECTOR

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!v = memref<?xi32, #gl>
!tile = memref<1024xi32, #ws>
!small = memref<4xi32, #ws>
gpu.module @m [#nvvm.target<chip = "sm_90a">] {
  // No engine can make the second one, in any variant; y isn't concerned.
  // CHECK-LABEL: gpu.func @unaligned_tma
  // CHECK: carousel.store %{{.*}} to %[[X:[a-z0-9]+]][%c0] in_bounds reduce<add u32> engine<vector, width = 4>
  // CHECK: carousel.store %{{.*}} to %[[X]][%{{.*}}] in_bounds reduce<add u32> engine<vector, width = 4>
  // CHECK: carousel.store %{{.*}} reduce<add u32> engine<bulk>
  // CHECK-LABEL: gpu.func @unaligned(
  // CHECK-COUNT-3: reduce<add u32> engine<vector, width = 4>
  // REMARK: [Missed] Engine | Category:carousel-select-engine | Function=unaligned_tma | Remark="tensor not used for store: reductions into arg0 all by threads, beside a transfer that no engine can carry out (offset 0 known to be a multiple of 4 bytes only, not of 16)"
  // REMARK: [Analysis] Engine | Category:carousel-select-engine | Function=unaligned_tma | Remark="store by threads, as all reductions into its memref, beside a transfer that no engine can carry out
  gpu.func @unaligned(%x: !v, %y: !v) kernel {
    %c0 = arith.constant 0 : index
    %b = gpu.block_id x
    %t = memref.alloc() : !tile
    carousel.store %t to %x[%c0] in_bounds reduce<add u32> : !tile, !v
    carousel.store %t to %x[%b] in_bounds reduce<add u32> : !tile, !v
    carousel.store %t to %y[%c0] in_bounds reduce<add u32> : !tile, !v
    gpu.return
  }

  // By itself each would have another one; together engines are cheaper.
  // CHECK-LABEL: gpu.func @by_cost_tma
  // CHECK-COUNT-2: reduce<add u32> engine<{{bulk|tensor}}>
  // REMARK: Function=by_cost_tma | Remark="store by an engine, as all reductions into its memref, for a cost of {{.*}} by engines against {{.*}} by threads"
  // VECTOR-LABEL: gpu.func @by_cost
  // VECTOR-COUNT-2: reduce<add u32> engine<vector, width = 4>
  // VECTOR-NOT: reduce<add u32> engine<{{bulk|tensor}}>
  // VECTOR: gpu.return
  gpu.func @by_cost(%x: !v) kernel {
    %c0 = arith.constant 0 : index
    %c1024 = arith.constant 1024 : index
    %t = memref.alloc() : !tile
    %s = memref.alloc() : !small
    carousel.store %t to %x[%c0] in_bounds reduce<add u32> : !tile, !v
    carousel.store %s to %x[%c1024] in_bounds reduce<add u32> : !small, !v
    gpu.return
  }

  // An atomic of the kernel's own on another view of the memref.
  // CHECK-LABEL: gpu.func @atomic
  // CHECK-NOT: engine<{{bulk|tensor}}>
  // CHECK: gpu.return
  // REMARK: Function=atomic{{.*}} | Remark="store by threads, as all reductions into its memref, beside 'memref.atomic_rmw'"
  gpu.func @atomic(%x: !v, %i: i32) kernel {
    %c0 = arith.constant 0 : index
    %c4096 = arith.constant 4096 : index
    %t = memref.alloc() : !tile
    %part = memref.subview %x[%c4096] [128] [1] : !v to memref<128xi32, strided<[1], offset: ?>, #gl>
    carousel.store %t to %x[%c0] in_bounds reduce<add u32> : !tile, !v
    %old = memref.atomic_rmw addi %i, %part[%c0] : (i32, memref<128xi32, strided<[1], offset: ?>, #gl>) -> i32
    gpu.return
  }

  // One in shared memory, or on another argument, isn't on the same memory.
  // CHECK-LABEL: gpu.func @atomic_elsewhere_tma
  // CHECK: reduce<add u32> engine<bulk>
  gpu.func @atomic_elsewhere(%x: !v, %y: !v, %i: i32) kernel {
    %c0 = arith.constant 0 : index
    %t = memref.alloc() : !tile
    carousel.store %t to %x[%c0] in_bounds reduce<add u32> : !tile, !v
    %old = memref.atomic_rmw addi %i, %y[%c0] : (i32, !v) -> i32
    %other = memref.atomic_rmw addi %i, %t[%c0] : (i32, !tile) -> i32
    gpu.return
  }

  func.func private @count(%x: !v, %i: i32) {
    %c0 = arith.constant 0 : index
    %old = memref.atomic_rmw addi %i, %x[%c0] : (i32, !v) -> i32
    return
  }
  // CHECK-LABEL: gpu.func @atomic_in_function
  // CHECK-NOT: engine<{{bulk|tensor}}>
  // CHECK: gpu.return
  gpu.func @atomic_in_function(%x: !v, %i: i32) kernel {
    %c0 = arith.constant 0 : index
    %t = memref.alloc() : !tile
    carousel.store %t to %x[%c0] in_bounds reduce<add u32> : !tile, !v
    func.call @count(%x, %i) : (!v, i32) -> ()
    gpu.return
  }

  // The given engine asks for an aligned address, whatever the variant; so does the other one.
  // CHECK-LABEL: gpu.func @beside_given(
  // CHECK-SAME: guards = [capability(90), aligned(0, 16), divisible(scalar(1), 4)]
  // CHECK-COUNT-2: engine<bulk>
  gpu.func @beside_given(%x: !v, %b: index) kernel {
    %c0 = arith.constant 0 : index
    %t = memref.alloc() : !tile
    carousel.store %t to %x[%c0] in_bounds reduce<add u32> engine<bulk> : !tile, !v
    carousel.store %t to %x[%b] in_bounds reduce<add u32> : !tile, !v
    gpu.return
  }

  // What can't be followed may be x; an exclusive reduction has the box for itself.
  // CHECK-LABEL: gpu.func @unknown
  // CHECK-NOT: reduce<add u32> engine<{{bulk|tensor}}>
  // CHECK: gpu.return
  // CHECK-LABEL: gpu.func @exclusive_tma
  // CHECK: engine<bulk>
  gpu.func @unknown(%x: !v, %y: !v, %c: i1, %i: i32) kernel {
    %c0 = arith.constant 0 : index
    %t = memref.alloc() : !tile
    %z = arith.select %c, %x, %y : !v
    carousel.store %t to %x[%c0] in_bounds reduce<add u32> : !tile, !v
    %old = memref.atomic_rmw addi %i, %z[%c0] : (i32, !v) -> i32
    gpu.return
  }
  gpu.func @exclusive(%x: !v, %b: index) kernel {
    %c0 = arith.constant 0 : index
    %t = memref.alloc() : !tile
    carousel.store %t to %x[%c0] in_bounds reduce<add u32> : !tile, !v
    carousel.store %t to %x[%b] in_bounds reduce<add u32> exclusive : !tile, !v
    gpu.return
  }
}
