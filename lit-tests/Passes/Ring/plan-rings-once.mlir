// Rings are planned once for both passes, and again for a kernel that the first one rewrites.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-store-from-registers,carousel-circular-buffer))' --mlir-timing -o /dev/null 2>&1 | FileCheck %s --check-prefix=ONCE
// RUN: sed 's/stores = shared/stores = registers/' %s | carousel-opt --pass-pipeline='builtin.module(gpu.module(carousel-store-from-registers,carousel-circular-buffer))' --mlir-timing -o /dev/null 2>&1 | FileCheck %s --check-prefix=AGAIN
// ONCE: StoreFromRegisters
// ONCE-NEXT: (A) carousel::RingPlanning
// ONCE-NEXT: CircularBuffer
// ONCE-NOT: RingPlanning
// AGAIN: StoreFromRegisters
// AGAIN-NEXT: (A) carousel::RingPlanning
// AGAIN-NEXT: CircularBuffer
// AGAIN-NEXT: (A) carousel::RingPlanning

#ws = #gpu.address_space<workgroup>
!global = memref<?xf32, #gpu.address_space<global>>
!tile = memref<512xf32, #ws>

gpu.module @m [#nvvm.target<chip = "sm_90a">] {
  gpu.func @ones(%y: !global, %n: index) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c512 = arith.constant 512 : index
    %ones = arith.constant dense<1.0> : vector<4xf32>
    %thread = gpu.thread_id x
    %j = arith.muli %thread, %c4 : index
    %tile = memref.alloc() : !tile
    scf.for %i = %c0 to %n step %c512 {
      vector.store %ones, %tile[%j] {alignment = 16 : i64} : !tile, vector<4xf32>
      carousel.store %tile to %y[%i] engine<bulk> : !tile, !global
    } {carousel.pipeline = #carousel.pipeline<stages = 2, stores = shared>}
    gpu.return
  }
}
