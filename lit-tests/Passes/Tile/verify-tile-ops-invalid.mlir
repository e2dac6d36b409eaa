// Ops that carousel-verify-tile refuses because no target supports them.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-verify-tile))' --split-input-file --verify-diagnostics

#gl = #gpu.address_space<global>

// C198: a collective of the CTA in a branch of some threads.
gpu.module @kernels {
  gpu.func @branch(%x: memref<?xf32, #gl>) kernel {
    %c4 = arith.constant 4 : index
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<?xf32, #gl>
    %few = arith.cmpi ult, %t, %c4 : index
    // expected-note @below {{the threads part here}}
    scf.if %few {
      // expected-error @below {{expected all threads of the cta at a gpu.all_reduce, got one under 'scf.if' that depends on 'gpu.thread_id'}}
      %s = gpu.all_reduce add %v {} : (f32) -> f32
      memref.store %s, %x[%t] : memref<?xf32, #gl>
    }
    gpu.return
  }
}

// -----

// C198
gpu.module @kernels {
  func.func @device(%v: f32) -> f32 {
    // expected-error @below {{expected a kernel around a gpu.all_reduce, got a device function}}
    %s = gpu.all_reduce add %v uniform {} : (f32) -> f32
    return %s : f32
  }
}

// -----

// C199: ops that nothing lowers.
gpu.module @kernels {
  gpu.func @foreign(%v: f32) kernel {
    // expected-error @below {{'memref.alloc' op expected an op that PTX or CUDA C++ can be made of}}
    %heap = memref.alloc() : memref<4xf32>
    %w = vector.broadcast %v : f32 to vector<4xf32>
    // expected-error @below {{'vector.print' op expected an op that PTX or CUDA C++ can be made of}}
    vector.print %w : vector<4xf32>
    %lane = gpu.lane_id
    // expected-error @below {{'gpu.warp_execute_on_lane_0' op expected an op that PTX or CUDA C++ can be made of}}
    %r = gpu.warp_execute_on_lane_0(%lane)[32] -> (f32) {
      gpu.yield %v : f32
    }
    gpu.return
  }
}

// -----

// C200
gpu.module @kernels {
  gpu.func @scalable(%v: f32) kernel {
    // expected-error @below {{'vector.broadcast' op expected vectors of a fixed length, got 'vector<[4]xf32>'}}
    %w = vector.broadcast %v : f32 to vector<[4]xf32>
    // expected-error @below {{'vector.vscale' op expected vectors of a fixed length, got the scale of others}}
    %n = vector.vscale
    gpu.return
  }
}

// -----

// C201: formats that are moved only, and some that aren't even that.
gpu.module @kernels {
  gpu.func @formats(%x: memref<?xf8E4M3FNUZ>, %i: index) kernel {
    %v = memref.load %x[%i] : memref<?xf8E4M3FNUZ>
    memref.store %v, %x[%i] : memref<?xf8E4M3FNUZ>
    %bits = arith.bitcast %v : f8E4M3FNUZ to i8
    // expected-error @below {{'arith.extf' op expected floats of f16, bf16, f32, f64, f8E4M3FN or f8E5M2, got 'f8E4M3FNUZ'}}
    %w = arith.extf %v : f8E4M3FNUZ to f32
    // expected-error @below {{'arith.truncf' op expected floats of f16, bf16, f32, f64, f8E4M3FN or f8E5M2, got 'tf32'}}
    %t = arith.truncf %w : f32 to tf32
    // expected-error @below {{'arith.mului_extended' op expected factors of a fixed width, got 'index'}}
    %low, %high = arith.mului_extended %i, %i : index
    gpu.return
  }
}
