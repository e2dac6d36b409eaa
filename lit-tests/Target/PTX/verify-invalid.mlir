// PTX that doesn't do what its kernel does, or that no GPU runs right.
// REQUIRES: libdevice
// RUN: carousel-translate --mlir-to-ptx --chip=sm_90a --cuda-root=%cuda_root --split-input-file --verify-diagnostics %s -o %t.ptx

#gl = #gpu.address_space<global>
gpu.module @kernels {
  // A shift by more than the width has no value, so LLVM removes the store.
  // C239
  // expected-error @below {{expected a store to global memory in the PTX of kernel 'removed', as the kernel has, got none}}
  // expected-note @below {{LLVM removed it, because what it writes, its address or a condition is undefined (poison); carousel-sim says where}}
  gpu.func @removed(%x: memref<?xi32, #gl>) kernel {
    %c0 = arith.constant 0 : index
    %c33 = arith.constant 33 : i32
    %v = memref.load %x[%c0] : memref<?xi32, #gl>
    %none = arith.shli %v, %c33 : i32
    memref.store %none, %x[%c0] : memref<?xi32, #gl>
    gpu.return
  }

  // A condition without a value, which LLVM takes for false.
  // C239
  // expected-error @below {{expected a store to global memory in the PTX of kernel 'condition', as the kernel has, got none}}
  // expected-note @below {{LLVM removed it}}
  gpu.func @condition(%x: memref<?xi32, #gl>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : i32
    %c33 = arith.constant 33 : i32
    %v = memref.load %x[%c0] : memref<?xi32, #gl>
    %none = arith.shli %v, %c33 : i32
    %c = arith.cmpi ne, %none, %c1 : i32
    scf.if %c {
      memref.store %c1, %x[%c0] : memref<?xi32, #gl>
    }
    gpu.return
  }
}

// -----

// Nobody misses a write that never happens, or one that changes nothing.
#gl = #gpu.address_space<global>
gpu.module @kernels {
  // C283
  // expected-warning @below {{expected a store to global memory in kernel 'never' that can happen and change memory, got none}}
  gpu.func @never(%x: memref<?xi32, #gl>, %n: i32) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %bit = arith.andi %n, %c1 : i32
    %c = arith.cmpi eq, %bit, %c2 : i32
    scf.if %c {
      memref.store %n, %x[%c0] : memref<?xi32, #gl>
    }
    gpu.return
  }

  // C283
  // expected-warning @below {{expected a store to global memory in kernel 'writes_back' that can happen and change memory, got none}}
  gpu.func @writes_back(%x: memref<?xi32, #gl>, %n: i32) kernel {
    %c0 = arith.constant 0 : index
    %v = memref.load %x[%c0] : memref<?xi32, #gl>
    %w = arith.xori %v, %n : i32
    %same = arith.xori %w, %n : i32
    memref.store %same, %x[%c0] : memref<?xi32, #gl>
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
// expected-error @below {{translation to PTX failed}}
gpu.module @kernels {
  func.func private @__nv_powif(f32, i64) -> f32
  // C240
  // expected-error @below {{expected a call of '__nv_powif' of its type, float (float, i32), got float (float, i64)}}
  gpu.func @power(%x: memref<?xf32, #gl>, %n: i64) kernel {
    %c0 = arith.constant 0 : index
    %v = memref.load %x[%c0] : memref<?xf32, #gl>
    %p = func.call @__nv_powif(%v, %n) : (f32, i64) -> f32
    memref.store %p, %x[%c0] : memref<?xf32, #gl>
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
gpu.module @kernels {
  // C241
  // expected-error @below {{expected functions that don't call themselves, got 'again', which does}}
  func.func @again(%n: i32, %x: memref<?xi32, #gl>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : i32
    memref.store %n, %x[%c0] : memref<?xi32, #gl>
    %more = arith.cmpi sgt, %n, %c1 : i32
    scf.if %more {
      %v = memref.load %x[%c0] : memref<?xi32, #gl>
      %rest = arith.divsi %v, %n : i32
      func.call @again(%rest, %x) : (i32, memref<?xi32, #gl>) -> ()
      memref.store %v, %x[%c0] : memref<?xi32, #gl>
    }
    return
  }
  gpu.func @recursive(%x: memref<?xi32, #gl>, %n: i32) kernel {
    func.call @again(%n, %x) : (i32, memref<?xi32, #gl>) -> ()
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
gpu.module @kernels {
  // Odd vectors are taken apart in memory.
  // C242
  // expected-warning @below {{expected no stack in the PTX of kernel 'nibbles', which asks for none, got 2 bytes}}
  gpu.func @nibbles(%x: memref<?xi8, #gl>) kernel {
    %c0 = arith.constant 0 : index
    %v = vector.load %x[%c0] : memref<?xi8, #gl>, vector<4xi8>
    %n = arith.trunci %v : vector<4xi8> to vector<4xi4>
    %a = math.absi %n : vector<4xi4>
    %w = arith.extui %a : vector<4xi4> to vector<4xi8>
    vector.store %w, %x[%c0] : memref<?xi8, #gl>, vector<4xi8>
    gpu.return
  }

  // This one asks for its stack.
  gpu.func @own(%x: memref<?xf32, #gl>, %i: index) kernel {
    %c0 = arith.constant 0 : index
    %v = vector.load %x[%c0] : memref<?xf32, #gl>, vector<4xf32>
    %w = arith.addf %v, %v : vector<4xf32>
    %e = vector.extract %w[%i] : f32 from vector<4xf32>
    memref.store %e, %x[%c0] : memref<?xf32, #gl>
    gpu.return
  }
}
