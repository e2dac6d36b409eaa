// A bounded wait in CUDA C++ has three more arguments: the bound, the number of the wait and the slot.
// RUN: carousel-translate --mlir-to-cuda --chip=sm_90a --cuda-locations=0 --debug-waits=2000 %s | FileCheck %s
// RUN: carousel-translate --mlir-to-cuda --chip=sm_90a --cuda-locations=0 %s -o %t.off
// RUN: FileCheck %s --check-prefix=OFF --input-file=%t.off
// RUN: sed 's/number = 8/number = 9/' %s > %t.mlir
// RUN: carousel-translate --mlir-to-cuda --chip=sm_90a --cuda-locations=0 %t.mlir | cmp %t.off -
// OFF-NOT: bound

// What the CUDA way refuses is what the other refuses.
// RUN: not carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-convert-to-emitc{debug-waits=3}))' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NUMBER
// NUMBER: expected a number in the label of a wait that is bounded, got none
// RUN: sed 's/@wait(/@carousel_wait_record(/' %s > %t.named.mlir
// RUN: not carousel-translate --mlir-to-cuda --chip=sm_90a --debug-waits=3 %t.named.mlir 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: expected no symbol 'carousel_wait_record' in a module whose waits are bounded, got one

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!barriers = memref<2x4x!carousel.mbarrier, #ws>

// CHECK: #include <carousel/device/bounded_wait.h>
gpu.module @waits {
  // CHECK-LABEL: void wait(uint64_t i, uint64_t j, bool parity)
  // CHECK: // waits for x full, as consumer
  // CHECK-NEXT: carousel::mbarrier_wait(&full[i * 4 + j], uint32_t(parity), carousel::wait_bound{2000000000, 9,
  // CHECK-NEXT: uint32_t(i * 4 + j)});
  // CHECK-NEXT: carousel::mbarrier_state state = carousel::mbarrier_arrive(one);
  // CHECK-NEXT: // waits for one
  // CHECK-NEXT: carousel::mbarrier_wait(one, state, carousel::wait_bound{2000000000, 10, 0});
  // CHECK-NEXT: // waits for full
  // CHECK-NEXT: carousel::mbarrier_wait<carousel::semantics::relaxed, carousel::scope::cluster>(&full[7], 1, 100,
  // CHECK-NEXT: carousel::wait_bound{2000000000, 11, 7});
  gpu.func @wait(%i: index, %j: index, %parity: i1)
      workgroup(%full: !barriers, %one: memref<!carousel.mbarrier, #ws>) kernel {
    carousel.mbarrier.wait %full[%i, %j] parity %parity label<barrier = "x full", role = consumer>
        : !barriers
    %state = carousel.mbarrier.arrive %one[] : memref<!carousel.mbarrier, #ws> -> !carousel.mbarrier_state
    carousel.mbarrier.wait %one[] state %state : memref<!carousel.mbarrier, #ws>
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %true = arith.constant true
    %ns = arith.constant 100 : i32
    carousel.mbarrier.wait %full[%c1, %c3] parity %true suspend %ns semantics(relaxed) scope(cluster)
        : !barriers
    gpu.return
  }
  // CHECK-LABEL: void turn(
  // CHECK: carousel::grid_serial_wait((int32_t *)&turns[i], turn_1, carousel::wait_bound{2000000000, 8,
  // CHECK-NEXT: uint32_t(i)});
  gpu.func @turn(%turns: memref<?xi32, #gl>, %i: index, %turn: i32) kernel {
    carousel.grid.serial_wait %turns[%i], %turn label<barrier = "turns", number = 8>
        : memref<?xi32, #gl>
    gpu.return
  }
}
