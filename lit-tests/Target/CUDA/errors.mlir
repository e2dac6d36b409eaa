// What has no text in CUDA C++ is an error where it stands.
// RUN: carousel-translate --mlir-to-cuda --chip=sm_90a --split-input-file --verify-diagnostics %s

gpu.module @m {
  // expected-error @below {{expected a function whose name CUDA C++ can have, got 'double'}}
  gpu.func @double() kernel {
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @odd(%x: memref<4xi32, 1>) kernel {
    %c0 = arith.constant 0 : index
    %v = memref.load %x[%c0] : memref<4xi32, 1>
    // expected-error @below {{failed to legalize operation 'arith.trunci'}}
    %n = arith.trunci %v : i32 to i5
    %w = arith.extui %n : i5 to i32
    memref.store %w, %x[%c0] : memref<4xi32, 1>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @printed(%x: bf16) kernel {
    // expected-error @below {{failed to legalize operation 'gpu.printf'}}
    gpu.printf "%f", %x : bf16
    gpu.return
  }
}

// -----

gpu.module @m {
  // expected-error @below {{failed to legalize operation 'memref.global'}}
  memref.global "private" @infinite : memref<1xf32, 1> = dense<0x7F800000>
}

// -----

gpu.module @m {
  // expected-error @below {{failed to legalize operation 'memref.global'}}
  memref.global "private" @narrow : memref<1xbf16, 1> = dense<1.0>
}

// -----

gpu.module @m {
  // expected-error @below {{failed to legalize operation 'gpu.func'}}
  gpu.func @branches(%p: i1) kernel {
    cf.cond_br %p, ^a, ^b
  ^a:
    gpu.barrier
    gpu.return
  ^b:
    gpu.return
  }
}

// -----

gpu.module @m {
  // expected-error @below {{expected no memref among the arguments of a function without a body, got '(memref<4xf32>) -> ()'}}
  // expected-error @below {{failed to legalize operation 'func.func'}}
  func.func private @outside(memref<4xf32>)
}

// -----

// expected-error @below {{expected one gpu.module, got 0}}
module {
}
