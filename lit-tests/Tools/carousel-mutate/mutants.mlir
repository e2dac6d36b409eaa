// Each kind of mutant: the list, and what becomes of an op.
// RUN: carousel-mutate %s --list | FileCheck %s --check-prefix=LIST
// RUN: rm -rf %t && carousel-mutate %s --all %t | FileCheck %s --check-prefix=LIST
// RUN: carousel-mutate %s --function @arrives --kinds=drop,early --list | FileCheck %s --check-prefix=SOME
// DEFINE: %{mutant} = carousel-mutate %s --mutant

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

gpu.module @m {
  // LIST: 1 arrives/mbarrier.init/0/drop mutants.mlir:[[#@LINE+16]]:5
  // LIST-NEXT: 2 arrives/mbarrier.init/0/more-count
  // LIST-NEXT: 3 arrives/mbarrier.init/0/fewer-count
  // LIST-NEXT: arrives/mbarrier.init/1/drop
  // LIST-NEXT: arrives/mbarrier.init/1/more-count
  // LIST-NEXT: arrives/mbarrier.init/1/fewer-count
  // LIST-NEXT: arrives/mbarrier.init/2/drop
  // LIST-NEXT: arrives/mbarrier.init/2/more-count
  // LIST-NEXT: arrives/fence.mbarrier_init/0/drop

  // SOME: arrives/mbarrier.init/0/drop
  // SOME-NOT: more-count
  // SOME: arrives/mbarrier.arrive/1/early
  // SOME-NOT: early
  gpu.func @arrives(%bar: memref<3x!carousel.mbarrier, #ws>, %tile: memref<64xf32, #ws>, %i: index,
                    %n: i32, %v: f32) {
    carousel.mbarrier.init %bar[%i], 2 : memref<3x!carousel.mbarrier, #ws>
    carousel.mbarrier.init %bar[%i], %n : memref<3x!carousel.mbarrier, #ws>
    carousel.mbarrier.init %bar[%i], 1 : memref<3x!carousel.mbarrier, #ws>
    carousel.fence.mbarrier_init
    // RUN: %{mutant} arrives/mbarrier.init/0/drop | FileCheck %s --check-prefix=DROP
    // DROP-LABEL: @arrives
    // DROP-NOT: init {{.*}}, 2
    // DROP: carousel.mbarrier.init %{{.*}}, %{{.*}} :
    // RUN: %{mutant} 2 | FileCheck %s --check-prefix=MORE
    // MORE: carousel.mbarrier.init %{{.*}}, 3 :
    // RUN: %{mutant} arrives/mbarrier.init/0/fewer-count | FileCheck %s --check-prefix=FEWER
    // FEWER: carousel.mbarrier.init %{{.*}}, 1 :
    // RUN: %{mutant} arrives/mbarrier.init/1/fewer-count | FileCheck %s --check-prefix=VALUE
    // VALUE: %[[LESS:.*]] = arith.constant -1 : i32
    // VALUE: %[[COUNT:.*]] = arith.addi %{{.*}}, %[[LESS]] : i32
    // VALUE: carousel.mbarrier.init %{{.*}}, %[[COUNT]] :

    // LIST-NEXT: arrives/mbarrier.arrive/0/more-count
    // LIST-NEXT: arrives/mbarrier.arrive/0/relax
    // LIST-NEXT: arrives/mbarrier.arrive/1/drop
    // LIST-NEXT: arrives/mbarrier.arrive/1/more-count
    // LIST-NEXT: arrives/mbarrier.arrive/1/fewer-count
    // LIST-NEXT: arrives/mbarrier.arrive/1/relax
    // LIST-NEXT: arrives/mbarrier.arrive/1/early
    // RUN: %{mutant} arrives/mbarrier.arrive/0/more-count | FileCheck %s --check-prefix=TWO
    // TWO: %{{.*}} = carousel.mbarrier.arrive %{{.*}}, 2 :
    // RUN: %{mutant} arrives/mbarrier.arrive/0/relax | FileCheck %s --check-prefix=RELAX
    // RELAX: %{{.*}} = carousel.mbarrier.arrive %{{.*}} semantics(relaxed)
    // RUN: %{mutant} arrives/mbarrier.arrive/1/early | FileCheck %s --check-prefix=EARLY
    // EARLY: carousel.mbarrier.arrive %{{.*}}, 2
    // EARLY-NEXT: memref.store
    // EARLY-NEXT: arith.addi
    // EARLY-NEXT: carousel.mbarrier.wait
    %state = carousel.mbarrier.arrive %bar[%i] : memref<3x!carousel.mbarrier, #ws> -> !carousel.mbarrier_state
    memref.store %v, %tile[%i] : memref<64xf32, #ws>
    %j = arith.addi %i, %i : index
    carousel.mbarrier.arrive %bar[%i], 2 : memref<3x!carousel.mbarrier, #ws>
    // LIST-NEXT: arrives/mbarrier.wait/0/drop
    // LIST-NEXT: arrives/mbarrier.wait/0/relax
    // LIST-NEXT: arrives/mbarrier.wait/0/late
    carousel.mbarrier.wait %bar[%i] state %state : memref<3x!carousel.mbarrier, #ws>
    // LIST-NEXT: arrives/mbarrier.arrive/2/drop
    // LIST-NEXT: arrives/mbarrier.arrive/2/more-count
    // LIST-NEXT: waits
    %k = memref.load %tile[%j] : memref<64xf32, #ws>
    %c = arith.fptosi %k : f32 to i32
    %at = arith.index_cast %c : i32 to index
    // Its place is named by what it would have to go before, and it is relaxed already.
    carousel.mbarrier.arrive %bar[%at] semantics(relaxed) : memref<3x!carousel.mbarrier, #ws>
    gpu.return
  }

  // RUN: %{mutant} waits/mbarrier.try_wait/0/drop | FileCheck %s --check-prefix=TRY
  // TRY-LABEL: @waits
  // TRY: %[[YES:.*]] = arith.constant true
  // TRY-NOT: try_wait
  // TRY: scf.if %[[YES]]
  // RUN: %{mutant} waits/mbarrier.wait/0/flip-parity | FileCheck %s --check-prefix=FLIP
  // FLIP: %[[OTHER:.*]] = arith.xori %{{.*}}, %true
  // FLIP: carousel.mbarrier.wait %{{.*}} parity %[[OTHER]]
  // RUN: %{mutant} waits/mbarrier.wait/0/late | FileCheck %s --check-prefix=LATE
  // LATE-LABEL: @waits
  // LATE: memref.load %tile
  // LATE-NEXT: carousel.mbarrier.wait
  // LATE-NEXT: memref.store
  gpu.func @waits(%bar: memref<3x!carousel.mbarrier, #ws>, %tile: memref<64xf32, #ws>, %i: index,
                  %parity: i1) {
    // LIST-SAME: /mbarrier.try_wait/0/drop
    // LIST-NEXT: waits/mbarrier.try_wait/0/flip-parity
    // LIST-NEXT: waits/mbarrier.try_wait/0/relax
    %done = carousel.mbarrier.try_wait %bar[%i] parity %parity : memref<3x!carousel.mbarrier, #ws>
    scf.if %done {
      // LIST-NEXT: waits/barrier.warp/0/drop
      carousel.barrier.warp
    }
    // LIST-NEXT: waits/mbarrier.wait/0/drop
    // LIST-NEXT: waits/mbarrier.wait/0/flip-parity
    // LIST-NEXT: waits/mbarrier.wait/0/relax
    // LIST-NEXT: waits/mbarrier.wait/0/late
    carousel.mbarrier.wait %bar[%i] parity %parity : memref<3x!carousel.mbarrier, #ws>
    %v = memref.load %tile[%i] : memref<64xf32, #ws>
    memref.store %v, %tile[%i] : memref<64xf32, #ws>
    gpu.return
  }

  // RUN: %{mutant} copies/mbarrier.arrive_expect_tx/0/without-tx | FileCheck %s --check-prefix=WITHOUT
  // WITHOUT: carousel.mbarrier.arrive %bar[%{{.*}}] scope(cluster) :
  // RUN: %{mutant} copies/mbarrier.arrive_expect_tx/0/more-bytes | FileCheck %s --check-prefix=BYTES
  // BYTES: arrive_expect_tx %{{.*}}, 272
  // RUN: %{mutant} copies/bulk.wait_group/1/until-read | FileCheck %s --check-prefix=READ
  // READ: carousel.bulk.wait_group read 0
  // READ: carousel.bulk.wait_group read 0
  // RUN: %{mutant} copies/cp_async.wait_group/0/more-pending | FileCheck %s --check-prefix=PENDING
  // PENDING: carousel.cp_async.wait_group 3
  // RUN: %{mutant} copies/cp_async.mbarrier_arrive/0/swap-noinc | FileCheck %s --check-prefix=NOINC
  // NOINC: carousel.cp_async.mbarrier_arrive %{{.*}} noinc
  gpu.func @copies(%bar: memref<3x!carousel.mbarrier, #ws>, %i: index) {
    // LIST-NEXT: copies/mbarrier.arrive_expect_tx/0/drop
    // LIST-NEXT: copies/mbarrier.arrive_expect_tx/0/without-tx
    // LIST-NEXT: copies/mbarrier.arrive_expect_tx/0/more-bytes
    // LIST-NEXT: copies/mbarrier.arrive_expect_tx/0/fewer-bytes
    // LIST-NEXT: copies/mbarrier.arrive_expect_tx/0/relax
    carousel.mbarrier.arrive_expect_tx %bar[%i], 256 scope(cluster) : memref<3x!carousel.mbarrier, #ws>
    // LIST-NEXT: copies/mbarrier.expect_tx/0/drop
    // LIST-NEXT: copies/mbarrier.expect_tx/0/more-bytes
    // LIST-NEXT: copies/bulk.commit_group/0/drop
    // LIST-NEXT: copies/bulk.commit_group/0/other-thread
    // LIST-NEXT: copies/bulk.wait_group/0/drop
    // LIST-NEXT: copies/bulk.wait_group/0/more-pending
    // LIST-NEXT: copies/bulk.wait_group/0/other-thread
    // LIST-NEXT: copies/bulk.wait_group/1/drop
    // LIST-NEXT: copies/bulk.wait_group/1/until-read
    // LIST-NEXT: copies/bulk.wait_group/1/more-pending
    // LIST-NEXT: copies/bulk.wait_group/1/other-thread
    // LIST-NEXT: copies/cp_async.mbarrier_arrive/0/drop
    // LIST-NEXT: copies/cp_async.mbarrier_arrive/0/swap-noinc
    // LIST-NEXT: copies/cp_async.wait_group/0/drop
    // LIST-NEXT: copies/cp_async.wait_group/0/more-pending
    // LIST-NEXT: copies/fence.proxy/0/drop
    // LIST-NEXT: copies/gpu.barrier/0/drop
    // LIST-NEXT: copies/barrier.sync/0/drop
    // LIST-NEXT: groups
    carousel.mbarrier.expect_tx %bar[%i], 8 : memref<3x!carousel.mbarrier, #ws>
    carousel.bulk.commit_group
    carousel.bulk.wait_group read 0
    carousel.bulk.wait_group complete 0
    carousel.cp_async.mbarrier_arrive %bar[%i] : memref<3x!carousel.mbarrier, #ws>
    carousel.cp_async.wait_group 2
    carousel.fence.proxy async_shared_cta
    gpu.barrier
    carousel.barrier.sync 1
    gpu.return
  }

  // A group is committed and waited for beside the branch of the threads, however deep in it; where all threads
  // execute the op, in its place.
  // RUN: %{mutant} groups/bulk.commit_group/0/other-thread | FileCheck %s --check-prefix=COMMIT
  // COMMIT-LABEL: @groups
  // COMMIT: scf.if %{{.+}} {
  // COMMIT-NEXT: scf.for
  // COMMIT-NEXT: scf.if %{{.+}} {
  // COMMIT-NEXT: carousel.bulk.wait_group read 0
  // COMMIT-NEXT: }
  // COMMIT-NEXT: }
  // COMMIT-NEXT: }
  // COMMIT-NEXT: %[[LANE:.+]] = gpu.lane_id
  // COMMIT-NEXT: %[[SECOND:.+]] = arith.constant 1 : index
  // COMMIT-NEXT: %[[OTHER:.+]] = arith.cmpi eq, %[[LANE]], %[[SECOND]] : index
  // COMMIT-NEXT: scf.if %[[OTHER]] {
  // COMMIT-NEXT: carousel.bulk.commit_group
  // COMMIT-NEXT: }
  // COMMIT-NEXT: carousel.bulk.wait_group complete 0
  // RUN: %{mutant} groups/bulk.wait_group/1/other-thread | FileCheck %s --check-prefix=ALL
  // ALL-LABEL: @groups
  // ALL: carousel.bulk.commit_group
  // ALL: %[[LANE:.+]] = gpu.lane_id
  // ALL: %[[OTHER:.+]] = arith.cmpi eq, %[[LANE]], %{{.+}} : index
  // ALL-NEXT: scf.if %[[OTHER]] {
  // ALL-NEXT: carousel.bulk.wait_group complete 0
  // ALL-NEXT: }
  // ALL-NEXT: gpu.return
  gpu.func @groups(%wanted: i1, %n: index) {
    %c0 = arith.constant 0 : index
    %thread = gpu.thread_id x
    %row = arith.addi %thread, %n : index
    %issues = arith.cmpi eq, %row, %n : index
    // LIST-SAME: /bulk.commit_group/0/drop
    // LIST-NEXT: groups/bulk.commit_group/0/other-thread
    // LIST-NEXT: groups/bulk.wait_group/0/drop
    // LIST-NEXT: groups/bulk.wait_group/0/more-pending
    // LIST-NEXT: groups/bulk.wait_group/0/other-thread
    // LIST-NEXT: groups/bulk.wait_group/1/drop
    // LIST-NEXT: groups/bulk.wait_group/1/until-read
    // LIST-NEXT: groups/bulk.wait_group/1/more-pending
    // LIST-NEXT: groups/bulk.wait_group/1/other-thread
    // LIST-NOT: /
    scf.if %issues {
      scf.for %i = %c0 to %n step %n {
        scf.if %wanted {
          carousel.bulk.commit_group
          carousel.bulk.wait_group read 0
        }
      }
    }
    carousel.bulk.wait_group complete 0
    gpu.return
  }
}
