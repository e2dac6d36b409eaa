// Signals between GPUs in PTX: every form is of system scope, and no ordinary access passes a signal or a wait.
// RUN: carousel-translate --mlir-to-ptx --chip=sm_80 %s | FileCheck %s
// RUN: carousel-translate --mlir-to-ptx --chip=sm_90a %s | FileCheck %s
// RUN: carousel-translate --mlir-to-ptx --chip=sm_90a --opt-level=1 %s | FileCheck %s
// RUN: carousel-translate --mlir-to-ptx --chip=sm_100a %s | FileCheck %s

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!global = memref<?xf32, #gl>
!tile = memref<64xf32, #ws>

gpu.module @signals {
  // CHECK-LABEL: .entry release(
  // CHECK: st.release.sys.global.b64
  // CHECK: red.release.sys.global.add.u64
  // CHECK: st.relaxed.sys.global.b32
  // CHECK: red.relaxed.sys.global.add.u32
  // CHECK: ret
  gpu.func @release(%c: memref<?xi64, #gl>, %d: memref<?xi32, #gl>, %v: i64, %w: i32) kernel {
    %c0 = arith.constant 0 : index
    carousel.signal.release %c[%c0] set %v : memref<?xi64, #gl>
    carousel.signal.release %c[%c0] add %v : memref<?xi64, #gl>
    carousel.signal.release %d[%c0] set %w semantics(relaxed) : memref<?xi32, #gl>
    carousel.signal.release %d[%c0] add %w semantics(relaxed) : memref<?xi32, #gl>
    gpu.return
  }

  // CHECK-LABEL: .entry timeout(
  // CHECK: ld.acquire.sys.global.b64
  // CHECK: mov.u64 {{.*}}, %globaltimer;
  // CHECK-DAG: ld.acquire.sys.global.b64
  // CHECK-DAG: nanosleep.u32
  // CHECK: ret
  gpu.func @timeout(%c: memref<?xi64, #gl>, %y: memref<?xi32, #gl>, %v: i64, %ns: i64) kernel {
    %c0 = arith.constant 0 : index
    %reached = carousel.signal.wait %c[%c0] at_least %v timeout %ns : memref<?xi64, #gl> -> i1
    %word = arith.extui %reached : i1 to i32
    memref.store %word, %y[%c0] : memref<?xi32, #gl>
    gpu.return
  }

  // CHECK-LABEL: .entry signal_wait(
  // CHECK-DAG: ld.global
  // CHECK-DAG: ld.shared
  // CHECK-DAG: st.shared
  // CHECK-DAG: st.global
  // CHECK: ld.acquire.sys.global.b32
  // CHECK: nanosleep.u32
  // CHECK-DAG: ld.global
  // CHECK-DAG: ld.shared
  // CHECK-DAG: st.shared
  // CHECK-DAG: st.global
  // CHECK: ret
  gpu.func @signal_wait(%x: !global, %y: !global, %c: memref<?xi32, #gl>, %v: i32)
      workgroup(%tile: !tile {llvm.align = 128 : i64}) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %one = arith.constant 1.0 : f32
    %a = memref.load %x[%c0] : !global
    %b = memref.load %tile[%c0] : !tile
    memref.store %one, %tile[%c1] : !tile
    memref.store %one, %y[%c1] : !global
    carousel.signal.wait %c[%c0] at_least %v : memref<?xi32, #gl>
    %g = memref.load %x[%c0] : !global
    %d = memref.load %tile[%c0] : !tile
    %e = arith.addf %a, %b : f32
    %f = arith.addf %g, %d : f32
    memref.store %e, %tile[%c1] : !tile
    memref.store %e, %y[%c1] : !global
    memref.store %f, %y[%c2] : !global
    gpu.return
  }

  // CHECK-LABEL: .entry signal_add(
  // CHECK-DAG: ld.global
  // CHECK-DAG: ld.shared
  // CHECK-DAG: st.shared
  // CHECK-DAG: st.global
  // CHECK: red.release.sys
  // CHECK-DAG: ld.global
  // CHECK-DAG: ld.shared
  // CHECK-DAG: st.shared
  // CHECK-DAG: st.global
  // CHECK: ret
  gpu.func @signal_add(%x: !global, %y: !global, %c: memref<?xi32, #gl>, %v: i32)
      workgroup(%tile: !tile {llvm.align = 128 : i64}) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %one = arith.constant 1.0 : f32
    %a = memref.load %x[%c0] : !global
    %b = memref.load %tile[%c0] : !tile
    memref.store %one, %tile[%c1] : !tile
    memref.store %one, %y[%c1] : !global
    carousel.signal.release %c[%c0] add %v : memref<?xi32, #gl>
    %g = memref.load %x[%c0] : !global
    %d = memref.load %tile[%c0] : !tile
    %e = arith.addf %a, %b : f32
    %f = arith.addf %g, %d : f32
    memref.store %e, %tile[%c1] : !tile
    memref.store %e, %y[%c1] : !global
    memref.store %f, %y[%c2] : !global
    gpu.return
  }
}
