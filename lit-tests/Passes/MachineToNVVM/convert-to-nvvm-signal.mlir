// The lowering of signals between GPUs: atomics of system scope, a wait that sleeps, and one with a timeout.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-convert-to-nvvm))' | FileCheck %s

#gl = #gpu.address_space<global>

gpu.module @sm_80 [#nvvm.target<chip = "sm_80", features = "+ptx88">] {
  // CHECK-LABEL: gpu.func @release
  // CHECK: llvm.store %{{.*}}, %{{.*}} atomic release {alignment = 8 : i64} : i64
  // CHECK: llvm.inline_asm has_side_effects {{.*}}"red.release.sys.global.add.u64 [$0], $1;"
  // CHECK: llvm.store %{{.*}}, %{{.*}} atomic monotonic {alignment = 4 : i64} : i32
  // CHECK: "red.relaxed.sys.global.add.u32 [$0], $1;"
  gpu.func @release(%c: memref<?xi64, #gl>, %d: memref<?xi32, #gl>, %i: index, %v: i64, %w: i32) {
    carousel.signal.release %c[%i] set %v : memref<?xi64, #gl>
    carousel.signal.release %c[%i] add %v : memref<?xi64, #gl>
    carousel.signal.release %d[%i] set %w semantics(relaxed) : memref<?xi32, #gl>
    carousel.signal.release %d[%i] add %w semantics(relaxed) : memref<?xi32, #gl>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @wait
  // CHECK: scf.while
  // CHECK: %[[NOW:.*]] = llvm.load %{{.*}} atomic acquire {alignment = 8 : i64} : !llvm.ptr<1> -> i64
  // CHECK: %[[AHEAD:.*]] = llvm.sub %[[NOW]], %{{.*}} : i64
  // CHECK: %[[REACHED:.*]] = llvm.icmp "sge" %[[AHEAD]], %{{.*}} : i64
  // CHECK: %[[WAITS:.*]] = llvm.xor %[[REACHED]], %{{.*}} : i1
  // CHECK: scf.if %[[WAITS]] {
  // CHECK: "nanosleep.u32 32;"
  // CHECK: }
  // CHECK: scf.condition(%[[WAITS]])
  gpu.func @wait(%c: memref<?xi64, #gl>, %i: index, %v: i64) {
    carousel.signal.wait %c[%i] at_least %v : memref<?xi64, #gl>
    gpu.return
  }

  // The clock is read after the first test that fails, and before each later test.
  // CHECK-LABEL: gpu.func @timeout
  // CHECK-SAME: i32, %[[NS:[a-z0-9]*]]: i64)
  // CHECK: llvm.load %{{.*}} atomic monotonic {alignment = 4 : i64} : !llvm.ptr<1> -> i32
  // CHECK: scf.if %{{.*}} -> (i1) {
  // CHECK: } else {
  // CHECK: %[[START:.*]] = nvvm.read.ptx.sreg.globaltimer : i64
  // CHECK: scf.while
  // CHECK: %[[TIME:.*]] = nvvm.read.ptx.sreg.globaltimer : i64
  // CHECK: %[[ELAPSED:.*]] = llvm.sub %[[TIME]], %[[START]] : i64
  // CHECK: llvm.icmp "ugt" %[[ELAPSED]], %[[NS]] : i64
  // CHECK: llvm.load %{{.*}} atomic monotonic
  // CHECK: "nanosleep.u32 32;"
  gpu.func @timeout(%c: memref<?xi32, #gl>, %i: index, %v: i32, %ns: i64) -> i1 {
    %reached = carousel.signal.wait %c[%i] at_least %v timeout %ns semantics(relaxed)
        : memref<?xi32, #gl> -> i1
    gpu.return %reached : i1
  }
}
