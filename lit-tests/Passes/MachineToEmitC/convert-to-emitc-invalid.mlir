// C202: an op or type without a form in CUDA C++ is an error at the op.
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
    // expected-error @below {{expected types that CUDA C++ has, got 'i5' in 'arith.trunci'}}
    %n = arith.trunci %v : i32 to i5
    // expected-error @below {{expected types that CUDA C++ has, got 'i5' in 'arith.extui'}}
    %w = arith.extui %n : i5 to i32
    memref.store %w, %x[%c0] : memref<4xi32, 1>
    gpu.return
  }
}

// -----

gpu.module @m {
  // expected-error @below {{expected structured control flow in a function, got 3 blocks}}
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
  // expected-error @below {{expected an op that has a form in CUDA C++, got 'func.func'}}
  func.func private @outside(memref<4xf32>)
}

// -----

gpu.module @m {
  // expected-error @below {{expected at most one result of a function without a body, got 2}}
  // expected-error @below {{expected an op that has a form in CUDA C++, got 'func.func'}}
  func.func private @pair() -> (f32, f32)
}

// -----

// expected-error @below {{expected one gpu.module, got 0}}
module {
}
