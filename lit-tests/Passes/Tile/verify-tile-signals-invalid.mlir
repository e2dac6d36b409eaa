// Errors of carousel-verify-tile for signals between GPUs.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-verify-tile))' --split-input-file --verify-diagnostics

#gl = #gpu.address_space<global>

// C233: counters that no peer sees.
gpu.module @kernels {
  gpu.func @own_counters(%c: memref<?xi64, #gl>, %i: index, %v: i64) kernel {
    // expected-error @below {{expected counters in an argument with carousel.symmetric or carousel.peer, got argument 0}}
    carousel.signal %c[%i] set %v : memref<?xi64, #gl>
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>

// C233: a view of such counters.
gpu.module @kernels {
  gpu.func @view_of_counters(%x: memref<?xf32, #gl> {carousel.symmetric}, %c: memref<8xi64, #gl>, %i: index, %v: i64) kernel {
    %part = memref.subview %c[%i] [2] [1] : memref<8xi64, #gl> to memref<2xi64, strided<[1], offset: ?>, #gl>
    // expected-error @below {{expected counters in an argument with carousel.symmetric or carousel.peer, got argument 1}}
    carousel.wait_signal %part[%i] at_least %v : memref<2xi64, strided<[1], offset: ?>, #gl>
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>

// C129: some threads only.
gpu.module @kernels {
  gpu.func @some_threads(%c: memref<?xi64, #gl> {carousel.peer}, %i: index, %v: i64) kernel {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    // expected-note @below {{the threads part here}}
    scf.if %first {
      // expected-error @below {{expected all threads of the cta at a signal, got one under 'scf.if' that depends on 'gpu.thread_id'}}
      carousel.signal %c[%i] set %v : memref<?xi64, #gl>
    }
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>

// C130: values that differ between threads.
gpu.module @kernels {
  gpu.func @other_values(%c: memref<?xi64, #gl> {carousel.symmetric}, %i: index) kernel {
    // expected-note @below {{the threads differ here}}
    %t = gpu.thread_id x
    %v = arith.index_cast %t : index to i64
    // expected-error @below {{expected operands that are the same in all threads of the cta, got operand 2 that depends on 'gpu.thread_id'}}
    carousel.wait_signal %c[%i] at_least %v : memref<?xi64, #gl>
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>

// C134: a device function.
gpu.module @kernels {
  gpu.func @device(%c: memref<?xi64, #gl>, %i: index, %v: i64) {
    // expected-error @below {{expected a kernel around a signal, got a device function}}
    carousel.signal %c[%i] set %v : memref<?xi64, #gl>
    gpu.return
  }
}
