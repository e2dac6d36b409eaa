// The lowering of each mbarrier op, with the scoped instructions of sm_90 and the plain ones of sm_80.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-convert-to-nvvm))' | FileCheck %s

#ws = #gpu.address_space<workgroup>
#cluster = #nvvm.memory_space<shared_cluster>

// CHECK-LABEL: gpu.module @sm_90
gpu.module @sm_90 [#nvvm.target<chip = "sm_90a", features = "+ptx88">] {
  // An array of barriers is one of i64; its element is found as for any memref.
  // CHECK-LABEL: gpu.func @address
  // CHECK-SAME: (%[[FULL:.+]]: memref<2x4xi64, #gpu.address_space<workgroup>>, %[[I:.+]]: index, %[[J:.+]]: index)
  // CHECK-DAG: %[[DESCRIPTOR:.+]] = builtin.unrealized_conversion_cast %[[FULL]]
  // CHECK-DAG: %[[I64:.+]] = builtin.unrealized_conversion_cast %[[I]] : index to i64
  // CHECK-DAG: %[[J64:.+]] = builtin.unrealized_conversion_cast %[[J]] : index to i64
  // CHECK: %[[BASE:.+]] = llvm.extractvalue %[[DESCRIPTOR]][1]
  // CHECK: %[[ROW:.+]] = llvm.mul %[[I64]], %{{.+}}
  // CHECK: %[[OFFSET:.+]] = llvm.add %[[ROW]], %[[J64]]
  // CHECK: %[[BARRIER:.+]] = llvm.getelementptr{{.*}} %[[BASE]][%[[OFFSET]]] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i64
  // CHECK: nvvm.mbarrier.init %[[BARRIER]],
  gpu.func @address(%full: memref<2x4x!carousel.mbarrier, #ws>, %i: index, %j: index) {
    carousel.mbarrier.init %full[%i, %j], 1 : memref<2x4x!carousel.mbarrier, #ws>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @life
  // CHECK-SAME: %[[COUNT:[^:]+]]: i32
  // CHECK: %[[ONE:.+]] = llvm.mlir.constant(1 : i32)
  // CHECK: nvvm.mbarrier.init %{{.+}}, %[[ONE]] : !llvm.ptr<3>, i32
  // CHECK: nvvm.mbarrier.init %{{.+}}, %[[COUNT]] : !llvm.ptr<3>, i32
  // No ordinary access moves across the end of a barrier's life.
  // CHECK: llvm.inline_asm has_side_effects {{.*}}"", "~{memory}"
  // CHECK-NEXT: nvvm.mbarrier.inval %{{.+}} : !llvm.ptr<3>
  // CHECK-NEXT: llvm.inline_asm has_side_effects {{.*}}"", "~{memory}"
  gpu.func @life(%full: memref<!carousel.mbarrier, #ws>, %count: i32) {
    carousel.mbarrier.init %full[], 1 : memref<!carousel.mbarrier, #ws>
    carousel.mbarrier.init %full[], %count : memref<!carousel.mbarrier, #ws>
    carousel.mbarrier.inval %full[] : memref<!carousel.mbarrier, #ws>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @transactions
  // CHECK-SAME: %[[BYTES:[^:]+]]: i32
  // CHECK: %[[LITERAL:.+]] = llvm.mlir.constant(8192 : i32)
  // CHECK: nvvm.mbarrier.expect_tx %{{.+}}, %[[LITERAL]] : !llvm.ptr<3>, i32
  // CHECK: nvvm.mbarrier.expect_tx %{{.+}}, %[[BYTES]] {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<7>, i32
  // CHECK: nvvm.mbarrier.complete_tx %{{.+}}, %[[BYTES]] : !llvm.ptr<3>, i32
  gpu.func @transactions(%full: memref<!carousel.mbarrier, #ws>,
                         %peer_full: memref<!carousel.mbarrier, #cluster>, %bytes: i32) {
    carousel.mbarrier.expect_tx %full[], 8192 : memref<!carousel.mbarrier, #ws>
    carousel.mbarrier.expect_tx %peer_full[], %bytes scope(cluster)
        : memref<!carousel.mbarrier, #cluster>
    carousel.mbarrier.complete_tx %full[], %bytes : memref<!carousel.mbarrier, #ws>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @arrive
  // CHECK-SAME: %[[COUNT:[^:]+]]: i32
  // CHECK: %{{.+}} = nvvm.mbarrier.arrive %{{.+}} : !llvm.ptr<3> -> i64
  // CHECK: %[[LITERAL:.+]] = llvm.mlir.constant(2 : i32)
  // CHECK: nvvm.mbarrier.arrive %{{.+}}, %[[LITERAL]] : !llvm.ptr<3>
  // CHECK: nvvm.mbarrier.arrive %{{.+}}, %[[COUNT]] {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<7>
  // CHECK: nvvm.mbarrier.arrive %{{.+}} {relaxed = true} : !llvm.ptr<3>
  // CHECK: nvvm.mbarrier.arrive.nocomplete %{{.+}}, %[[COUNT]] : !llvm.ptr<3>, i32 -> i64
  gpu.func @arrive(%full: memref<!carousel.mbarrier, #ws>,
                   %peer_full: memref<!carousel.mbarrier, #cluster>, %count: i32) {
    %state = carousel.mbarrier.arrive %full[]
        : memref<!carousel.mbarrier, #ws> -> !carousel.mbarrier_state
    carousel.mbarrier.arrive %full[], 2 : memref<!carousel.mbarrier, #ws>
    carousel.mbarrier.arrive %peer_full[], %count scope(cluster)
        : memref<!carousel.mbarrier, #cluster>
    carousel.mbarrier.arrive %full[] semantics(relaxed) : memref<!carousel.mbarrier, #ws>
    carousel.mbarrier.arrive %full[], %count no_complete : memref<!carousel.mbarrier, #ws>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @arrive_drop
  // CHECK-SAME: %[[COUNT:[^:]+]]: i32
  // CHECK: %{{.+}} = nvvm.mbarrier.arrive_drop %{{.+}} : !llvm.ptr<3> -> i64
  // CHECK: nvvm.mbarrier.arrive_drop %{{.+}}, %[[COUNT]] {relaxed = true, scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<7>
  // CHECK: nvvm.mbarrier.arrive_drop.nocomplete %{{.+}}, %[[COUNT]] : !llvm.ptr<3>, i32 -> i64
  gpu.func @arrive_drop(%full: memref<!carousel.mbarrier, #ws>,
                        %peer_full: memref<!carousel.mbarrier, #cluster>, %count: i32) {
    %state = carousel.mbarrier.arrive_drop %full[]
        : memref<!carousel.mbarrier, #ws> -> !carousel.mbarrier_state
    carousel.mbarrier.arrive_drop %peer_full[], %count semantics(relaxed) scope(cluster)
        : memref<!carousel.mbarrier, #cluster>
    carousel.mbarrier.arrive_drop %full[], %count no_complete : memref<!carousel.mbarrier, #ws>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @arrive_expect_tx
  // CHECK-SAME: %[[BYTES:[^:]+]]: i32
  // CHECK: %[[LITERAL:.+]] = llvm.mlir.constant(8192 : i32)
  // CHECK: nvvm.mbarrier.arrive.expect_tx %{{.+}}, %[[LITERAL]] : !llvm.ptr<3>, i32
  // CHECK: %{{.+}} = nvvm.mbarrier.arrive.expect_tx %{{.+}}, %[[BYTES]] {relaxed = true, scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<3>, i32 -> i64
  // CHECK: nvvm.mbarrier.arrive.expect_tx %{{.+}}, %[[BYTES]] {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<7>, i32
  // CHECK: nvvm.mbarrier.arrive_drop.expect_tx %{{.+}}, %[[BYTES]] : !llvm.ptr<3>, i32
  // CHECK: %{{.+}} = nvvm.mbarrier.arrive_drop.expect_tx %{{.+}}, %[[BYTES]] {relaxed = true} : !llvm.ptr<3>, i32 -> i64
  gpu.func @arrive_expect_tx(%full: memref<!carousel.mbarrier, #ws>,
                             %peer_full: memref<!carousel.mbarrier, #cluster>, %bytes: i32) {
    carousel.mbarrier.arrive_expect_tx %full[], 8192 : memref<!carousel.mbarrier, #ws>
    %0 = carousel.mbarrier.arrive_expect_tx %full[], %bytes semantics(relaxed) scope(cluster)
        : memref<!carousel.mbarrier, #ws> -> !carousel.mbarrier_state
    carousel.mbarrier.arrive_expect_tx %peer_full[], %bytes scope(cluster)
        : memref<!carousel.mbarrier, #cluster>
    carousel.mbarrier.arrive_drop_expect_tx %full[], %bytes : memref<!carousel.mbarrier, #ws>
    %1 = carousel.mbarrier.arrive_drop_expect_tx %full[], %bytes semantics(relaxed)
        : memref<!carousel.mbarrier, #ws> -> !carousel.mbarrier_state
    gpu.return
  }

  // CHECK-LABEL: gpu.func @pending_count
  // CHECK: llvm.call_intrinsic "llvm.nvvm.mbarrier.pending.count"(%{{.+}}) : (i64) -> i32
  gpu.func @pending_count(%state: !carousel.mbarrier_state) {
    %count = carousel.mbarrier.pending_count %state
    gpu.return
  }

  // CHECK-LABEL: gpu.func @tests
  // CHECK-SAME: %[[PARITY:[^:]+]]: i1, %[[NS:[^:]+]]: i32
  // CHECK: %[[PHASE:.+]] = llvm.zext %[[PARITY]] : i1 to i32
  // CHECK: nvvm.mbarrier.test.wait %{{.+}}, %[[PHASE]] : !llvm.ptr<3>, i32 -> i1
  // CHECK: nvvm.mbarrier.test.wait %{{.+}}, %{{.+}} {relaxed = true, scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<3>, i64 -> i1
  // CHECK: %[[AGAIN:.+]] = llvm.zext %[[PARITY]] : i1 to i32
  // CHECK: nvvm.mbarrier.try_wait %{{.+}}, %[[AGAIN]], %[[NS]] : !llvm.ptr<3>, i32, i32 -> i1
  // CHECK: nvvm.mbarrier.try_wait %{{.+}}, %{{.+}} {relaxed = true, scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<3>, i64 -> i1
  gpu.func @tests(%full: memref<!carousel.mbarrier, #ws>, %parity: i1, %ns: i32,
                  %state: !carousel.mbarrier_state) {
    %0 = carousel.mbarrier.test_wait %full[] parity %parity : memref<!carousel.mbarrier, #ws>
    %1 = carousel.mbarrier.test_wait %full[] state %state semantics(relaxed) scope(cluster)
        : memref<!carousel.mbarrier, #ws>
    %2 = carousel.mbarrier.try_wait %full[] parity %parity suspend %ns
        : memref<!carousel.mbarrier, #ws>
    %3 = carousel.mbarrier.try_wait %full[] state %state semantics(relaxed) scope(cluster)
        : memref<!carousel.mbarrier, #ws>
    gpu.return
  }

  // The phase is computed once, the loop tests it until it has completed, and no ordinary access
  // that follows moves into or above the loop.
  // CHECK-LABEL: gpu.func @wait
  // CHECK-SAME: %[[PARITY:[^:]+]]: i1
  // CHECK: %[[PHASE:.+]] = llvm.zext %[[PARITY]] : i1 to i32
  // CHECK-NEXT: scf.while : () -> () {
  // CHECK-NEXT: %[[DONE:.+]] = nvvm.mbarrier.try_wait %{{.+}}, %[[PHASE]] : !llvm.ptr<3>, i32 -> i1
  // CHECK-NEXT: %[[TRUE:.+]] = llvm.mlir.constant(true)
  // CHECK-NEXT: %[[NOT:.+]] = llvm.xor %[[DONE]], %[[TRUE]]
  // CHECK-NEXT: scf.condition(%[[NOT]])
  // CHECK-NEXT: } do {
  // CHECK-NEXT: scf.yield
  // CHECK-NEXT: }
  // CHECK-NEXT: llvm.inline_asm has_side_effects {{.*}}"", "~{memory}"
  gpu.func @wait(%full: memref<!carousel.mbarrier, #ws>, %parity: i1) {
    carousel.mbarrier.wait %full[] parity %parity : memref<!carousel.mbarrier, #ws>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @wait_state
  // CHECK-SAME: %[[NS:[^:]+]]: i32
  // CHECK: nvvm.mbarrier.try_wait %{{.+}}, %{{.+}}, %[[NS]] {relaxed = true, scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<3>, i64, i32 -> i1
  gpu.func @wait_state(%full: memref<!carousel.mbarrier, #ws>, %ns: i32,
                       %state: !carousel.mbarrier_state) {
    carousel.mbarrier.wait %full[] state %state suspend %ns semantics(relaxed) scope(cluster)
        : memref<!carousel.mbarrier, #ws>
    gpu.return
  }
}

// CHECK-LABEL: gpu.module @sm_80
gpu.module @sm_80 [#nvvm.target<chip = "sm_80", features = "+ptx88">] {
  // CHECK-LABEL: gpu.func @life_80
  // CHECK: nvvm.mbarrier.init %{{.+}}, %{{.+}} : !llvm.ptr<3>, i32
  // CHECK: nvvm.mbarrier.inval %{{.+}} : !llvm.ptr<3>
  gpu.func @life_80(%full: memref<!carousel.mbarrier, #ws>) {
    carousel.mbarrier.init %full[], 1 : memref<!carousel.mbarrier, #ws>
    carousel.mbarrier.inval %full[] : memref<!carousel.mbarrier, #ws>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @arrive_80
  // CHECK: llvm.call_intrinsic "llvm.nvvm.mbarrier.arrive.shared"(%{{.+}}) : (!llvm.ptr<3>) -> i64
  // CHECK: nvvm.mbarrier.arrive.nocomplete %{{.+}}, %{{.+}} : !llvm.ptr<3>, i32 -> i64
  // CHECK: llvm.call_intrinsic "llvm.nvvm.mbarrier.arrive.drop.shared"(%{{.+}}) : (!llvm.ptr<3>) -> i64
  // CHECK: nvvm.mbarrier.arrive_drop.nocomplete %{{.+}}, %{{.+}} : !llvm.ptr<3>, i32 -> i64
  gpu.func @arrive_80(%full: memref<!carousel.mbarrier, #ws>, %count: i32) {
    %state = carousel.mbarrier.arrive %full[]
        : memref<!carousel.mbarrier, #ws> -> !carousel.mbarrier_state
    carousel.mbarrier.arrive %full[], %count no_complete : memref<!carousel.mbarrier, #ws>
    carousel.mbarrier.arrive_drop %full[] : memref<!carousel.mbarrier, #ws>
    carousel.mbarrier.arrive_drop %full[], %count no_complete : memref<!carousel.mbarrier, #ws>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @test_80
  // CHECK-SAME: %[[PARITY:[^:]+]]: i1
  // CHECK: llvm.call_intrinsic "llvm.nvvm.mbarrier.test.wait.shared"(%{{.+}}, %{{.+}}) : (!llvm.ptr<3>, i64) -> i1
  // CHECK: %[[PHASE:.+]] = llvm.zext %[[PARITY]] : i1 to i32
  // CHECK: llvm.inline_asm has_side_effects {{.*}}"mbarrier.test_wait.parity.shared.b64 $0, [$1], $2;", "=b,l,r,~{memory}" %{{.+}}, %[[PHASE]]
  gpu.func @test_80(%full: memref<!carousel.mbarrier, #ws>, %parity: i1,
                    %state: !carousel.mbarrier_state) {
    %0 = carousel.mbarrier.test_wait %full[] state %state : memref<!carousel.mbarrier, #ws>
    %1 = carousel.mbarrier.test_wait %full[] parity %parity : memref<!carousel.mbarrier, #ws>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @wait_80
  // CHECK: scf.while
  // CHECK-NEXT: %[[DONE:.+]] = llvm.inline_asm has_side_effects {{.*}}"mbarrier.test_wait.parity.shared.b64 $0, [$1], $2;"
  // CHECK: %[[NOT:.+]] = llvm.xor %[[DONE]], %{{.+}}
  // CHECK-NEXT: scf.condition(%[[NOT]])
  // CHECK: llvm.inline_asm has_side_effects {{.*}}"", "~{memory}"
  gpu.func @wait_80(%full: memref<!carousel.mbarrier, #ws>, %parity: i1) {
    carousel.mbarrier.wait %full[] parity %parity : memref<!carousel.mbarrier, #ws>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @wait_state_80
  // CHECK: scf.while
  // CHECK-NEXT: llvm.call_intrinsic "llvm.nvvm.mbarrier.test.wait.shared"
  gpu.func @wait_state_80(%full: memref<!carousel.mbarrier, #ws>, %state: !carousel.mbarrier_state) {
    carousel.mbarrier.wait %full[] state %state : memref<!carousel.mbarrier, #ws>
    gpu.return
  }
}
