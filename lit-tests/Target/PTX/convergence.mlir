// LLVM duplicates neither a barrier nor an election into divergent branches, in a function or out of one.
// RUN: carousel-translate --mlir-to-ptx --chip=sm_90a %s | FileCheck %s

#gl = #gpu.address_space<global>

gpu.module @convergence {
  func.func private @synchronise() {
    carousel.barrier.sync 0
    return
  }

  // One barrier between the two conditional stores, which jump threading would like to join.
  // CHECK-LABEL: .entry function(
  // CHECK: bar{{(rier)?}}.sync
  // CHECK-NOT: bar{{(rier)?}}.sync
  // CHECK: ret
  gpu.func @function(%x: memref<?xf32, #gl>, %v: f32) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    scf.if %first {
      memref.store %v, %x[%c0] : memref<?xf32, #gl>
    }
    func.call @synchronise() : () -> ()
    scf.if %first {
      memref.store %v, %x[%c1] : memref<?xf32, #gl>
    }
    gpu.return
  }

  // CHECK-LABEL: .entry election(
  // CHECK: elect.sync
  // CHECK-NOT: elect.sync
  // CHECK: ret
  gpu.func @election(%x: memref<?xf32, #gl>, %v: f32) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    scf.if %first {
      memref.store %v, %x[%c0] : memref<?xf32, #gl>
    }
    %elected = carousel.elect
    %both = arith.andi %first, %elected : i1
    scf.if %both {
      memref.store %v, %x[%c1] : memref<?xf32, #gl>
    }
    gpu.return
  }

  // Relaxed polls are not merged.
  // CHECK-LABEL: .entry polls(
  // CHECK: mbarrier.test_wait.parity.relaxed
  // CHECK: mbarrier.test_wait.parity.relaxed
  // CHECK: ret
  gpu.func @polls(%x: memref<?xi1, #gl>, %parity: i1)
      workgroup(%bar: memref<!carousel.mbarrier, #gpu.address_space<workgroup>>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %a = carousel.mbarrier.test_wait %bar[] parity %parity semantics(relaxed)
        : memref<!carousel.mbarrier, #gpu.address_space<workgroup>>
    %b = carousel.mbarrier.test_wait %bar[] parity %parity semantics(relaxed)
        : memref<!carousel.mbarrier, #gpu.address_space<workgroup>>
    memref.store %a, %x[%c0] : memref<?xi1, #gl>
    memref.store %b, %x[%c1] : memref<?xi1, #gl>
    gpu.return
  }
}
