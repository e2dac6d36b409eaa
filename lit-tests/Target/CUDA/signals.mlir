// Signals between GPUs in CUDA C++: calls of carousel/device/signal.h.
// RUN: carousel-translate --mlir-to-cuda --chip=sm_90a --cuda-locations=0 %s | FileCheck %s
// RUN: carousel-translate --mlir-to-cuda --chip=sm_90a --cuda-locations=0 --debug-waits=2000 %s | FileCheck %s --check-prefix=BOUND

#gl = #gpu.address_space<global>

// CHECK: #include <carousel/device/signal.h>
// BOUND: #include <carousel/device/bounded_wait.h>
gpu.module @signals {
  // CHECK-LABEL: void signals(
  // CHECK: carousel::signal_release_set(&c[i], v);
  // CHECK-NEXT: carousel::signal_release_add(&c[i], v);
  // CHECK-NEXT: carousel::signal_release_set<carousel::semantics::relaxed>(&d[i], w);
  // CHECK-NEXT: // waits for c signal
  // CHECK-NEXT: carousel::signal_wait(&c[i], v);
  // CHECK-NEXT: bool reached = carousel::signal_wait<carousel::semantics::relaxed>(&d[i], w,
  // CHECK-NEXT: carousel::signal_timeout{ns});
  // BOUND: carousel::signal_wait(&c[i], v, carousel::wait_bound{2000000000, 0, uint32_t(i)});
  // BOUND: carousel::signal_timeout{ns});
  gpu.func @signals(%c: memref<?xi64, #gl> loc("c"), %d: memref<?xi32, #gl> loc("d"), %i: index loc("i"),
                    %v: i64 loc("v"), %w: i32 loc("w"), %ns: i64 loc("ns"), %y: memref<?xi1, #gl> loc("y")) kernel {
    carousel.signal.release %c[%i] set %v : memref<?xi64, #gl>
    carousel.signal.release %c[%i] add %v : memref<?xi64, #gl>
    carousel.signal.release %d[%i] set %w semantics(relaxed) : memref<?xi32, #gl>
    carousel.signal.wait %c[%i] at_least %v label<barrier = "c signal"> : memref<?xi64, #gl>
    %reached = carousel.signal.wait %d[%i] at_least %w timeout %ns semantics(relaxed)
        : memref<?xi32, #gl> -> i1
    memref.store %reached, %y[%i] : memref<?xi1, #gl>
    gpu.return
  }
}
