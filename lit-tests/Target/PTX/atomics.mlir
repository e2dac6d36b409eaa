// Atomics of memref are relaxed at gpu scope in PTX, in loops of compare-and-swap too, and fences are on their sides.
// RUN: carousel-translate --mlir-to-ptx --chip=sm_90a %s | FileCheck %s
// RUN: carousel-translate --mlir-to-ptx --chip=sm_80 %s | FileCheck %s --check-prefixes=CHECK,SM80

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

gpu.module @atomics {
  // Without .sem and .scope an instruction is relaxed at gpu scope.
  // CHECK-LABEL: .entry integers(
  // CHECK-NOT: fence
  // CHECK-NOT: acq_rel
  // CHECK-DAG: atom.global.add.u32
  // CHECK-DAG: atom.global.max.s32
  // CHECK-DAG: atom.global.and.b32
  // CHECK-DAG: atom.global.exch.b32
  // CHECK-DAG: atom.global.add.u64
  // CHECK-DAG: atom.shared.add.u32
  // CHECK-DAG: atom.shared.min.s32
  // CHECK-NOT: fence
  // CHECK: ret;
  gpu.func @integers(%x: memref<8xi32, #gl>, %y: memref<8xi64, #gl>, %v: i32, %w: i64)
      workgroup(%s: memref<8xi32, #ws>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %0 = memref.atomic_rmw addi %v, %x[%c0] : (i32, memref<8xi32, #gl>) -> i32
    %1 = memref.atomic_rmw maxs %v, %x[%c1] : (i32, memref<8xi32, #gl>) -> i32
    %2 = memref.atomic_rmw andi %v, %x[%c0] : (i32, memref<8xi32, #gl>) -> i32
    %3 = memref.atomic_rmw assign %v, %x[%c1] : (i32, memref<8xi32, #gl>) -> i32
    %4 = memref.atomic_rmw addi %w, %y[%c0] : (i64, memref<8xi64, #gl>) -> i64
    %5 = memref.atomic_rmw addi %0, %s[%c0] : (i32, memref<8xi32, #ws>) -> i32
    %6 = memref.atomic_rmw mins %1, %s[%c1] : (i32, memref<8xi32, #ws>) -> i32
    %7 = arith.addi %2, %3 : i32
    %8 = arith.addi %5, %6 : i32
    %9 = arith.addi %7, %8 : i32
    %10 = arith.trunci %4 : i64 to i32
    %11 = arith.addi %9, %10 : i32
    memref.store %11, %x[%c0] : memref<8xi32, #gl>
    gpu.return
  }

  // CHECK-LABEL: .entry floats(
  // CHECK-NOT: fence
  // CHECK-NOT: acq_rel
  // CHECK-DAG: atom.global.add.f32
  // CHECK-DAG: atom.global.add.noftz.f16
  // SM80: atom.relaxed.gpu.global.cas.b32
  // CHECK: ret;
  gpu.func @floats(%x: memref<8xf32, #gl>, %h: memref<8xf16, #gl>, %b: memref<8xbf16, #gl>, %v: f32, %w: f16, %u: bf16)
      kernel {
    %c0 = arith.constant 0 : index
    %0 = memref.atomic_rmw addf %v, %x[%c0] : (f32, memref<8xf32, #gl>) -> f32
    %1 = memref.atomic_rmw addf %w, %h[%c0] : (f16, memref<8xf16, #gl>) -> f16
    %2 = memref.atomic_rmw addf %u, %b[%c0] : (bf16, memref<8xbf16, #gl>) -> bf16
    gpu.return
  }

  // The load of the first attempt is part of the atomic.
  // CHECK-LABEL: .entry loop(
  // CHECK-NOT: fence
  // CHECK: ld.relaxed.gpu.global.b32
  // CHECK: atom.relaxed.gpu.global.cas.b32
  // CHECK-NOT: fence
  // CHECK: ret;
  gpu.func @loop(%x: memref<8xi32, #gl>, %v: i32) kernel {
    %c0 = arith.constant 0 : index
    %0 = memref.generic_atomic_rmw %x[%c0] : memref<8xi32, #gl> {
    ^bb0(%old: i32):
      %1 = arith.muli %old, %v : i32
      memref.atomic_yield %1 : i32
    }
    gpu.return
  }

  // Floats and parts of a word, with any op in the region.
  // CHECK-LABEL: .entry narrow(
  // CHECK-NOT: fence
  // CHECK: ld.relaxed.gpu.global.b{{16|32}}
  // CHECK: atom.relaxed.gpu.global.cas.b{{16|32}}
  // CHECK: ld.relaxed.gpu.global.b64
  // CHECK: atom.relaxed.gpu.global.cas.b64
  // CHECK-NOT: fence
  // CHECK: ret;
  gpu.func @narrow(%x: memref<8xf16, #gl>, %y: memref<8xf64, #gl>, %v: f16, %w: f64, %p: i1) kernel {
    %c0 = arith.constant 0 : index
    %0 = memref.generic_atomic_rmw %x[%c0] : memref<8xf16, #gl> {
    ^bb0(%old: f16):
      %2 = arith.mulf %old, %v : f16
      memref.atomic_yield %2 : f16
    }
    %1 = memref.generic_atomic_rmw %y[%c0] : memref<8xf64, #gl> {
    ^bb0(%old: f64):
      %2 = scf.if %p -> (f64) {
        %3 = math.exp %old : f64
        scf.yield %3 : f64
      } else {
        scf.yield %w : f64
      }
      memref.atomic_yield %2 : f64
    }
    gpu.return
  }

  // What is published is on its side of the fence, and so is what is read.
  // CHECK-LABEL: .entry publish(
  // CHECK: st.global
  // CHECK: fence.{{(release|acq_rel)}}.gpu
  // CHECK: atom.global.add.u32
  // CHECK: fence.{{(acquire|acq_rel)}}.gpu
  // CHECK: ld.global
  // CHECK: ret;
  gpu.func @publish(%x: memref<8xi32, #gl>, %count: memref<1xi32, #gl>, %y: memref<8xi32, #gl>, %v: i32) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %one = arith.constant 1 : i32
    memref.store %v, %x[%c0] : memref<8xi32, #gl>
    carousel.fence.thread release gpu
    %old = memref.atomic_rmw addi %one, %count[%c0] : (i32, memref<1xi32, #gl>) -> i32
    carousel.fence.thread acquire gpu
    %w = memref.load %x[%c1] : memref<8xi32, #gl>
    memref.store %w, %y[%c0] : memref<8xi32, #gl>
    memref.store %old, %y[%c1] : memref<8xi32, #gl>
    gpu.return
  }
}
