// Round trip of signals between GPUs in every form, pretty and generic.
// RUN: carousel-opt %s | carousel-opt | FileCheck %s
// RUN: carousel-opt %s --mlir-print-op-generic | carousel-opt | FileCheck %s

#gl = #gpu.address_space<global>

// CHECK-LABEL: func @signal
// DOC-EXAMPLE: carousel.signal
func.func @signal(%arrived: memref<?xi64, #gl>, %free: memref<4x?xi32, #gl>, %one: memref<i64, #gl>,
                  %block: index, %round: i64, %n: i32) {
  // CHECK: carousel.signal %{{.*}}[%{{.*}}] set %{{.*}} : memref<?xi64, #gpu.address_space<global>>
  carousel.signal %arrived[%block] set %round : memref<?xi64, #gl>
  // CHECK: carousel.signal %{{.*}}[%{{.*}}, %{{.*}}] add %{{.*}} : memref<4x?xi32, #gpu.address_space<global>>
  carousel.signal %free[%block, %block] add %n : memref<4x?xi32, #gl>
  // CHECK: carousel.signal %{{.*}}[] set
  carousel.signal %one[] set %round : memref<i64, #gl>
  return
}

// CHECK-LABEL: func @wait_signal
// DOC-EXAMPLE: carousel.wait_signal
func.func @wait_signal(%arrived: memref<?xi64, #gl>, %free: memref<?xi32, #gl>, %i: index, %round: i64,
                       %n: i32, %ns: i64) -> i1 {
  // CHECK: carousel.wait_signal %{{.*}}[%{{.*}}] at_least %{{.*}} : memref<?xi64, #gpu.address_space<global>>{{$}}
  carousel.wait_signal %arrived[%i] at_least %round : memref<?xi64, #gl>
  // CHECK: %[[REACHED:.*]] = carousel.wait_signal %{{.*}}[%{{.*}}] at_least %{{.*}} timeout %{{.*}} : memref<?xi32, #gpu.address_space<global>> -> i1
  %reached = carousel.wait_signal %free[%i] at_least %n timeout %ns : memref<?xi32, #gl> -> i1
  // CHECK: return %[[REACHED]]
  return %reached : i1
}

// CHECK-LABEL: func @signal_release
// DOC-EXAMPLE: carousel.signal.release
func.func @signal_release(%arrived: memref<?xi64, #gl>, %i: index, %round: i64) {
  // CHECK: carousel.signal.release %{{.*}}[%{{.*}}] set %{{.*}} : memref<?xi64, #gpu.address_space<global>>
  carousel.signal.release %arrived[%i] set %round : memref<?xi64, #gl>
  // CHECK: carousel.signal.release %{{.*}}[%{{.*}}] add %{{.*}} semantics(relaxed) :
  carousel.signal.release %arrived[%i] add %round semantics(relaxed) : memref<?xi64, #gl>
  return
}

// CHECK-LABEL: func @signal_wait
// DOC-EXAMPLE: carousel.signal.wait
func.func @signal_wait(%arrived: memref<?xi64, #gl>, %i: index, %round: i64, %ns: i64) -> i1 {
  // CHECK: carousel.signal.wait %{{.*}}[%{{.*}}] at_least %{{.*}} label<barrier = "arrived signal", number = 3> :
  carousel.signal.wait %arrived[%i] at_least %round label<barrier = "arrived signal", number = 3>
      : memref<?xi64, #gl>
  // CHECK: carousel.signal.wait %{{.*}}[%{{.*}}] at_least %{{.*}} timeout %{{.*}} semantics(relaxed) : memref<?xi64, #gpu.address_space<global>> -> i1
  %reached = carousel.signal.wait %arrived[%i] at_least %round timeout %ns semantics(relaxed)
      : memref<?xi64, #gl> -> i1
  return %reached : i1
}

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @peers(
  // CHECK-SAME: {carousel.symmetric}
  // CHECK-SAME: {carousel.peer}
  gpu.func @peers(%own: memref<?xf32, #gl> {carousel.symmetric},
                  %remote: memref<?xf32, #gl> {carousel.peer}) kernel {
    gpu.return
  }
}
