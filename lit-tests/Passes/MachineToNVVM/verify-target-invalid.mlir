// An op that no conversion has lowered is an error at its location.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-verify-target))' \
// RUN:   --split-input-file --verify-diagnostics

// C102: an op of another dialect.
gpu.module @kernels {
  // DOC-EXAMPLE: --carousel-verify-target
  llvm.func @left(%x: i32) -> i32 {
    // expected-error @below {{expected an op that can be lowered to LLVM or NVVM, got 'math.ctpop'}}
    %y = math.ctpop %x : i32
    llvm.return %y : i32
  }
}

// -----

// C102: the op is to blame, not the cast beside it.
gpu.module @kernels {
  llvm.func @cast(%x: i64) {
    %i = builtin.unrealized_conversion_cast %x : i64 to index
    // expected-error @below {{expected an op that can be lowered to LLVM or NVVM, got 'gpu.printf'}}
    gpu.printf "%d", %i : index
    llvm.return
  }
}

// -----

// C102: a cast that nothing explains.
gpu.module @kernels {
  llvm.func @cast(%x: i64) -> i32 {
    // expected-error @below {{expected an op that can be lowered to LLVM or NVVM, got 'builtin.unrealized_conversion_cast'}}
    %i = builtin.unrealized_conversion_cast %x : i64 to i32
    llvm.return %i : i32
  }
}

// -----

// C102: functions that LLVM has a name for, and NVPTX no instruction.
gpu.module @kernels {
  llvm.func @functions(%x: f32, %d: f64, %i: i32) {
    // expected-error @below {{expected an op that can be lowered to LLVM or NVVM, got 'llvm.intr.exp'}}
    %0 = llvm.intr.exp(%x) : (f32) -> f32
    // expected-error @below {{expected an op that can be lowered to LLVM or NVVM, got 'llvm.intr.exp2'}}
    %1 = llvm.intr.exp2(%d) : (f64) -> f64
    // expected-error @below {{expected an op that can be lowered to LLVM or NVVM, got 'llvm.intr.sin'}}
    %2 = llvm.intr.sin(%x) : (f32) -> f32
    // expected-error @below {{expected an op that can be lowered to LLVM or NVVM, got 'llvm.intr.powi'}}
    %3 = llvm.intr.powi(%x, %i) : (f32, i32) -> f32
    // Instructions.
    %4 = llvm.intr.exp2(%x) : (f32) -> f32
    %5 = llvm.intr.cos(%x) {fastmathFlags = #llvm.fastmath<afn>} : (f32) -> f32
    llvm.return
  }
}

// -----

// C102: a rounding mode that NVPTX takes no notice of.
gpu.module @kernels {
  llvm.func @rounded(%x: f64) {
    // expected-error @below {{expected an op that can be lowered to LLVM or NVVM, got 'llvm.intr.experimental.constrained.fptrunc'}}
    %0 = llvm.intr.experimental.constrained.fptrunc %x downward ignore : f64 to f32
    %1 = llvm.intr.experimental.constrained.fptrunc %x tonearest ignore : f64 to f32
    llvm.return
  }
}

// -----

// C106: a type that NVPTX aborts on.
gpu.module @kernels {
  // expected-error @below {{expected a type that PTX has, got 'f80'}}
  llvm.func @wide(%x: f80) {
    llvm.return
  }
}

// -----

// C106: a vector of unknown length.
gpu.module @kernels {
  llvm.func @scalable(%x: !llvm.ptr) {
    // expected-error @below {{expected a type that PTX has, got 'vector<[4]xf32>'}}
    %v = llvm.load %x : !llvm.ptr -> vector<[4]xf32>
    llvm.return
  }
}

// -----

// C102: an op of LLVM that NVPTX doesn't have.
gpu.module @kernels {
  llvm.func @lanes() -> i64 {
    // expected-error @below {{expected an op that can be lowered to LLVM or NVVM, got 'llvm.intr.vscale'}}
    %n = "llvm.intr.vscale"() : () -> i64
    llvm.return %n : i64
  }
}
