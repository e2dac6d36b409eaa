// Bounded waits in PTX: tests in a loop, with a read of the clock after the first one, and one function
// that fills the record. Without the option there is no trace of them, whatever the labels are.
// RUN: carousel-translate --mlir-to-ptx --chip=sm_90a --debug-waits=2000 %s | FileCheck %s --check-prefixes=CHECK,TRY
// RUN: carousel-translate --mlir-to-ptx --chip=sm_100a --debug-waits=2000 %s | FileCheck %s --check-prefixes=CHECK,TRY
// RUN: carousel-translate --mlir-to-ptx --chip=sm_80 --debug-waits=2000 %s | FileCheck %s --check-prefixes=CHECK,TEST
// RUN: carousel-translate --mlir-to-ptx --chip=sm_90a %s -o %t.off
// RUN: FileCheck %s --check-prefix=OFF --input-file=%t.off
// RUN: sed 's/label<[^>]*>//' %s > %t.mlir
// RUN: not grep -q 'labe[l]<' %t.mlir
// RUN: carousel-translate --mlir-to-ptx --chip=sm_90a %t.mlir -o %t.unlabelled
// RUN: cmp %t.off %t.unlabelled

// OFF-NOT: globaltimer
// OFF-NOT: carousel_wait_record
// OFF-NOT: trap

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!barriers = memref<4x!carousel.mbarrier, #ws>

gpu.module @waits {
  // CHECK: .visible .global .align 8 .b8 carousel_wait_record[16]

  // CHECK-LABEL: .entry wait(
  // TRY: mbarrier.try_wait.parity
  // TEST: mbarrier.test_wait.parity
  // CHECK-NOT: globaltimer
  // CHECK: bra
  // CHECK: globaltimer
  // TRY: mbarrier.try_wait.parity
  // TEST: mbarrier.test_wait.parity
  // CHECK-DAG: globaltimer
  // CHECK-DAG: setp.lt.u64 {{.*}}, 2000000001;
  // CHECK: carousel_report_expired_wait
  gpu.func @wait(%x: memref<?xf32, #gl>) workgroup(%full: !barriers) kernel {
    %c2 = arith.constant 2 : index
    %true = arith.constant true
    carousel.mbarrier.wait %full[%c2] parity %true label<barrier = "x full", role = consumer>
        : !barriers
    gpu.return
  }

  // CHECK: .func carousel_report_expired_wait(
  // CHECK: atom.relaxed.gpu.global.cas.b32
  // CHECK: st.volatile.global
  // CHECK: fence.sc.sys
  // CHECK: fence.sc.sys
  // CHECK: trap
}
