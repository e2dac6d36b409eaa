// What carousel-convert-gpu-to-nvvm takes for granted is an error where it doesn't hold: earlier passes lower the dialect's
// types and flatten signatures.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-convert-gpu-to-nvvm))' --split-input-file --verify-diagnostics

#ws = #gpu.address_space<workgroup>

// Barriers.
gpu.module @kernels {
  // expected-error @below {{expected elements that LLVM has where memory is declared, got 'memref<1x!carousel.mbarrier, #gpu.address_space<workgroup>>'}}
  gpu.func @barriers() workgroup(%bar: memref<1x!carousel.mbarrier, #ws>) kernel {
    gpu.return
  }
}

// -----

// Numbers of a type that LLVM lacks: attributions, stack, variables.
gpu.module @kernels {
  // expected-error @below {{expected elements that LLVM has where memory is declared, got 'memref<4xtf32>'}}
  gpu.func @rounded() private(%b: memref<4xtf32>) kernel {
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @stack() kernel {
    // expected-error @below {{expected elements that LLVM has where memory is declared, got 'memref<4xtf32>'}}
    %b = memref.alloca() : memref<4xtf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @below {{expected elements that LLVM has where memory is declared, got 'memref<4xtf32>'}}
  memref.global @variable : memref<4xtf32> = uninitialized
}

// -----

// A launch, which is none of an llvm.func.
gpu.module @kernels {
  // expected-error @below {{expected the flat signature of --carousel-expand-kernel-abi, got carousel.launch}}
  gpu.func @launched() kernel attributes {carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    gpu.return
  }
}

// -----

// What upstream's patterns would make invalid IR of, with the pass that comes before.
gpu.module @kernels {
  gpu.func @copied(%x: memref<?xf32, strided<[2]>>, %y: memref<?xf32>) kernel {
    // expected-error @below {{expected what --carousel-expand-memory makes of it, got 'memref.copy' of 'memref<?xf32, strided<[2]>>'}}
    memref.copy %x, %y : memref<?xf32, strided<[2]>> to memref<?xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @atomic(%x: memref<8xf32>, %i: index, %v: f32) kernel {
    // expected-error @below {{expected what --carousel-expand-memory makes of it, got 'memref.generic_atomic_rmw' of 'memref<8xf32>'}}
    %old = memref.generic_atomic_rmw %x[%i] : memref<8xf32> {
    ^bb0(%now: f32):
      %sum = arith.addf %now, %v : f32
      memref.atomic_yield %sum : f32
    }
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @shuffled(%a: bf16, %x: memref<bf16>, %lane: i32, %width: i32) kernel {
    // expected-error @below {{expected what --carousel-lower-gpu-ops makes of it, got 'gpu.shuffle' of 'bf16'}}
    %b, %valid = gpu.shuffle xor %a, %lane, %width : bf16
    memref.store %b, %x[] : memref<bf16>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  func.func @lanes(%v: vector<4xindex>) -> vector<2xindex> {
    // expected-error @below {{expected what --carousel-lower-vectors makes of it, got 'vector.deinterleave' of 'vector<4xindex>'}}
    %even, %odd = vector.deinterleave %v : vector<4xindex> -> vector<2xindex>
    return %odd : vector<2xindex>
  }
}

// -----

gpu.module @kernels {
  func.func @masked(%v: vector<4xindex>, %m: vector<4xi1>) -> index {
    // expected-error @below {{expected what --carousel-lower-vectors makes of it, got 'vector.mask' of 'vector<4xi1>'}}
    %r = vector.mask %m { vector.reduction <add>, %v : vector<4xindex> into index } : vector<4xi1> -> index
    return %r : index
  }
}

// -----

gpu.module @kernels {
  func.func @sum(%v: vector<4xindex>) -> vector<4xi1> {
    // expected-error @below {{expected what --carousel-expand-arith makes of it, got 'arith.addui_extended' of 'vector<4xindex>'}}
    %sum, %wraps = arith.addui_extended %v, %v : vector<4xindex>, vector<4xi1>
    return %wraps : vector<4xi1>
  }
}

// -----

gpu.module @kernels {
  func.func @rounded(%a: f64) -> f32 {
    // expected-error @below {{expected what --carousel-expand-arith makes of it, got 'arith.truncf' of 'f64'}}
    %b = arith.truncf %a downward : f64 to f32
    return %b : f32
  }
}

// -----

gpu.module @kernels {
  func.func @power(%a: f32, %n: i64) -> f32 {
    // expected-error @below {{expected what --carousel-expand-arith makes of it, got 'math.fpowi' of 'f32'}}
    %b = math.fpowi %a, %n : f32, i64
    return %b : f32
  }
}
