// Mutants of signals between GPUs: moved before what is waited for, or an access, and after the fence that follows a wait.
// RUN: carousel-mutate %s --list | FileCheck %s --check-prefix=LIST
// DEFINE: %{mutant} = carousel-mutate %s --mutant

#gl = #gpu.address_space<global>

gpu.module @m {
  // LIST: put/bulk.wait_group/0/drop
  // LIST: put/signal.release/0/drop
  // LIST-NEXT: put/signal.release/0/relax
  // LIST-NEXT: put/signal.release/0/early
  // LIST-NEXT: put/signal.release/1/drop
  // LIST-NEXT: put/signal.release/1/relax
  // LIST-NEXT: put/signal.release/1/early
  // LIST-NEXT: take/signal.wait/0/drop
  // LIST-NEXT: take/signal.wait/0/relax
  // LIST-NEXT: take/signal.wait/0/late
  // LIST-NEXT: take/fence.proxy/0/drop
  // LIST-NEXT: take/signal.wait/1/drop
  // LIST-NEXT: take/signal.wait/1/relax
  // LIST-NEXT: take/signal.wait/1/late
  // LIST-NEXT: take/signal.wait/2/drop
  // LIST-NEXT: take/signal.wait/2/relax
  // LIST-NOT: /
  gpu.func @put(%there: memref<2xi64, #gl> {carousel.peer}, %y: memref<2xf32, #gl>, %round: i64, %v: f32) kernel {
    %c0 = arith.constant 0 : index
    carousel.bulk.commit_group
    // RUN: %{mutant} put/signal.release/0/early | FileCheck %s --check-prefix=STORES
    // STORES: carousel.bulk.commit_group
    // STORES-NEXT: carousel.signal.release
    // STORES-NEXT: carousel.bulk.wait_group complete 0
    carousel.bulk.wait_group complete 0
    carousel.signal.release %there[%c0] set %round : memref<2xi64, #gl>
    // RUN: %{mutant} put/signal.release/1/early | FileCheck %s --check-prefix=STORE
    // STORE: carousel.signal.release
    // STORE-NEXT: carousel.signal.release
    // STORE-NEXT: memref.store
    memref.store %v, %y[%c0] : memref<2xf32, #gl>
    carousel.signal.release %there[%c0] set %round : memref<2xi64, #gl>
    gpu.return
  }

  gpu.func @take(%here: memref<2xi64, #gl> {carousel.symmetric}, %x: memref<2xf32, #gl>, %round: i64, %v: f32) kernel {
    %c0 = arith.constant 0 : index
    // RUN: %{mutant} take/signal.wait/0/late | FileCheck %s --check-prefix=FENCE
    // FENCE: carousel.fence.proxy async_global
    // FENCE-NEXT: carousel.signal.wait
    carousel.signal.wait %here[%c0] at_least %round : memref<2xi64, #gl>
    carousel.fence.proxy async_global
    // RUN: %{mutant} take/signal.wait/1/late | FileCheck %s --check-prefix=ACCESS
    // ACCESS: carousel.fence.proxy
    // ACCESS-NEXT: memref.store
    // ACCESS-NEXT: carousel.signal.wait
    carousel.signal.wait %here[%c0] at_least %round : memref<2xi64, #gl>
    memref.store %v, %x[%c0] : memref<2xf32, #gl>
    carousel.signal.wait %here[%c0] at_least %round : memref<2xi64, #gl>
    gpu.return
  }
}
