// A bounded wait: one test, then the clock, then tests until the time bound.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-convert-to-nvvm{debug-waits=3}))' | FileCheck %s
// A label by itself changes nothing, and a module without waits has no record.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-convert-to-nvvm))' | FileCheck %s --check-prefix=OFF
// OFF-NOT: globaltimer
// OFF-NOT: carousel_

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!barriers = memref<2x4x!carousel.mbarrier, #ws>

// CHECK-LABEL: gpu.module @sm_90
gpu.module @sm_90 [#nvvm.target<chip = "sm_90a", features = "+ptx88">] {
  // CHECK-LABEL: gpu.func @by_parity
  // CHECK-SAME: %[[I:[^:]+]]: index, %[[J:[^:]+]]: index, %[[PARITY:[^:]+]]: i1
  // CHECK-DAG: %[[ROW:.+]] = builtin.unrealized_conversion_cast %[[I]] : index to i64
  // CHECK-DAG: %[[COLUMN:.+]] = builtin.unrealized_conversion_cast %[[J]] : index to i64
  // CHECK: %[[PHASE:.+]] = llvm.zext %[[PARITY]] : i1 to i32
  // CHECK-NEXT: %[[FIRST:.+]] = nvvm.mbarrier.try_wait %{{.+}}, %[[PHASE]]
  // CHECK: %[[AGAIN:.+]] = llvm.xor %[[FIRST]]
  // CHECK-NEXT: scf.if %[[AGAIN]] {
  // CHECK-NEXT: %[[START:.+]] = nvvm.read.ptx.sreg.globaltimer
  // CHECK-NEXT: scf.while : () -> () {
  // CHECK-NEXT: nvvm.mbarrier.try_wait %{{.+}}, %[[PHASE]]
  // CHECK: scf.condition
  // CHECK-NEXT: } do {
  // CHECK-NEXT: %[[NOW:.+]] = nvvm.read.ptx.sreg.globaltimer
  // CHECK-NEXT: %[[ELAPSED:.+]] = llvm.sub %[[NOW]], %[[START]]
  // CHECK-NEXT: %[[BOUND:.+]] = llvm.mlir.constant(3000000 : i64)
  // CHECK-NEXT: %[[OVER:.+]] = llvm.icmp "ugt" %[[ELAPSED]], %[[BOUND]]
  // CHECK-NEXT: scf.if %[[OVER]] {
  // CHECK-DAG: %[[NUMBER:.+]] = llvm.mlir.constant(6 : i32)
  // CHECK-DAG: %[[I32:.+]] = llvm.trunc %[[ROW]]
  // CHECK-DAG: %[[J32:.+]] = llvm.trunc %[[COLUMN]]
  // CHECK-DAG: %[[WIDTH:.+]] = llvm.mlir.constant(4 : i32)
  // CHECK: %[[ROWS:.+]] = llvm.mul %[[I32]], %[[WIDTH]]
  // CHECK-NEXT: %[[SLOT:.+]] = llvm.add %[[ROWS]], %[[J32]]
  // CHECK-NEXT: llvm.call @carousel_report_expired_wait(%[[NUMBER]], %[[SLOT]], %[[PHASE]], %[[ELAPSED]])
  // CHECK: llvm.inline_asm has_side_effects {{.*}}"", "~{memory}"
  gpu.func @by_parity(%full: !barriers, %i: index, %j: index, %parity: i1) {
    carousel.mbarrier.wait %full[%i, %j] parity %parity label<barrier = "full", number = 6>
        : !barriers
    gpu.return
  }

  // A state doesn't tell its parity.
  // CHECK-LABEL: gpu.func @by_state
  // CHECK: scf.while
  // CHECK: %[[NUMBER:.+]] = llvm.mlir.constant(7 : i32)
  // CHECK-NEXT: %[[NONE:.+]] = llvm.mlir.constant(0 : i32)
  // CHECK-NEXT: %[[SLOT:.+]] = llvm.mlir.constant(0 : i32)
  // CHECK-NEXT: llvm.call @carousel_report_expired_wait(%[[NUMBER]], %[[SLOT]], %[[NONE]], %{{.+}})
  gpu.func @by_state(%full: memref<!carousel.mbarrier, #ws>, %state: !carousel.mbarrier_state) {
    carousel.mbarrier.wait %full[] state %state label<barrier = "full", number = 7>
        : memref<!carousel.mbarrier, #ws>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @turn
  // CHECK-SAME: %[[TURN:[^:]+]]: i32
  // CHECK: llvm.load %{{.+}} atomic syncscope("device") acquire
  // CHECK-NEXT: llvm.icmp "ne"
  // CHECK-NEXT: scf.if
  // CHECK: scf.while
  // CHECK: llvm.call @carousel_report_expired_wait(%{{.+}}, %{{.+}}, %[[TURN]], %{{.+}})
  gpu.func @turn(%turns: memref<?xi32, #gl>, %i: index, %turn: i32) {
    carousel.grid.serial_wait %turns[%i], %turn label<barrier = "turns", number = 8>
        : memref<?xi32, #gl>
    gpu.return
  }

  // The host's pointer, and the word by which threads agree on who writes.
  // CHECK: llvm.mlir.global external @carousel_wait_record() {addr_space = 1 : i32, alignment = 8 : i64} : !llvm.struct<(i64, i64)>
  // Twelve words, the first one last.
  // CHECK: llvm.func internal @carousel_report_expired_wait(%{{.*}}: i32, %{{.*}}: i32, %{{.*}}: i32, %{{.*}}: i64) attributes {no_inline}
  // CHECK: "atom.relaxed.gpu.global.cas.b32 $0, [$1], 0, $2;"
  // CHECK-COUNT-11: llvm.store volatile
  // CHECK: "fence.sc.sys;"
  // CHECK: llvm.store volatile
  // CHECK: "fence.sc.sys;"
  // CHECK: llvm.store volatile
  // CHECK: llvm.intr.trap
  // CHECK-NEXT: llvm.unreachable
}

// CHECK-LABEL: gpu.module @sm_80
gpu.module @sm_80 [#nvvm.target<chip = "sm_80", features = "+ptx88">] {
  // CHECK: mbarrier.test_wait.parity
  // CHECK: scf.if
  // CHECK: mbarrier.test_wait.parity
  gpu.func @wait_80(%full: memref<!carousel.mbarrier, #ws>, %parity: i1) {
    carousel.mbarrier.wait %full[] parity %parity label<barrier = "full", number = 0>
        : memref<!carousel.mbarrier, #ws>
    gpu.return
  }
  // CHECK: @carousel_wait_record
}

// CHECK-LABEL: gpu.module @no_waits
// CHECK-NOT: carousel_
gpu.module @no_waits [#nvvm.target<chip = "sm_90a", features = "+ptx88">] {
  gpu.func @test(%full: memref<!carousel.mbarrier, #ws>, %parity: i1) {
    %done = carousel.mbarrier.test_wait %full[] parity %parity : memref<!carousel.mbarrier, #ws>
    gpu.return
  }
}
