// RUN: carousel-opt %s --carousel-allocate-shared --split-input-file --verify-diagnostics

#ws = #gpu.address_space<workgroup>

// C146: more than the chip has for a block, with what takes it.
gpu.module @kernels [#nvvm.target<chip = "sm_86">] {
  // expected-error @below {{expected static and dynamic shared memory of at most 101376 bytes on sm_86, got 103424}}
  // expected-note @below {{1024 bytes are declared, with padding, and 0 of dynamic shared memory in use before}}
  gpu.func @too_much(%i: index) workgroup(%static: memref<4xf32, #ws>) kernel {
    %zero = arith.constant 0.0 : f32
    // expected-note @below {{36864 bytes at 65536, aligned to 16, for}}
    %a = memref.alloc() : memref<9216xf32, #ws>
    // expected-note @below {{65536 bytes at 0, aligned to 16, for 'memref<16384xf32, #gpu.address_space<workgroup>>'}}
    %b = memref.alloc() : memref<16384xf32, #ws>
    %v = memref.load %b[%i] : memref<16384xf32, #ws>
    memref.store %v, %a[%i] : memref<9216xf32, #ws>
    memref.store %v, %b[%i] : memref<16384xf32, #ws>
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>

// C146: what the launch has in use already counts.
gpu.module @kernels [#nvvm.target<chip = "sm_86">] {
  // expected-error @below {{expected static and dynamic shared memory of at most 101376 bytes on sm_86, got 101392}}
  // expected-note @below {{0 bytes are declared, with padding, and 101376 of dynamic shared memory in use before}}
  gpu.func @in_use() kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [32], shared = 101376>} {
    // expected-note @below {{16 bytes at 101376, aligned to 16, for}}
    %a = memref.alloc() : memref<4xf32, #ws>
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>

// C147
gpu.module @kernels [#nvvm.target<chip = "sm_90a">] {
  gpu.func @dynamic_extents(%n: index) kernel {
    // expected-error @below {{expected static extents in shared memory, got 'memref<?xf32, #gpu.address_space<workgroup>>'}}
    %a = memref.alloc(%n) : memref<?xf32, #ws>
    gpu.return
  }
  gpu.func @layout() kernel {
    // expected-error @below {{expected a static layout without negative strides, and elements of known size, in shared memory, got 'memref<4x4xf32, affine_map<(d0, d1) -> (d0 floordiv 2, d1)>, #gpu.address_space<workgroup>>'}}
    %a = memref.alloc() : memref<4x4xf32, affine_map<(d0, d1) -> (d0 floordiv 2, d1)>, #ws>
    gpu.return
  }
  gpu.func @elements() kernel {
    // expected-error @below {{expected a static layout without negative strides, and elements of known size, in shared memory, got 'memref<4xmemref<4xf32>, #gpu.address_space<workgroup>>'}}
    %a = memref.alloc() : memref<4xmemref<4xf32>, #ws>
    gpu.return
  }
  gpu.func @huge() kernel {
    // expected-error @below {{expected at most 2147483647 bytes of shared memory, got 'memref<65536x65536xf32, #gpu.address_space<workgroup>>'}}
    %a = memref.alloc() : memref<65536x65536xf32, #ws>
    gpu.return
  }
  gpu.func @nested(%flag: i1) kernel {
    scf.if %flag {
      // expected-error @below {{expected shared memory to be allocated in the kernel's first block, got an allocation under 'scf.if'}}
      %a = memref.alloc() : memref<4xf32, #ws>
    }
    gpu.return
  }
  gpu.func @alignment() kernel {
    // expected-error @below {{expected an alignment of dynamic shared memory that is a power of two up to 1024, got 2048}}
    %a = memref.alloc() {alignment = 2048} : memref<4xf32, #ws>
    gpu.return
  }
  gpu.func @use_after_dealloc(%i: index) kernel {
    // expected-note @below {{allocated here}}
    %a = memref.alloc() : memref<4xf32, #ws>
    memref.dealloc %a : memref<4xf32, #ws>
    // expected-error @below {{expected no use of shared memory after its memref.dealloc}}
    %v = memref.load %a[%i] : memref<4xf32, #ws>
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>

// C148: how much of dynamic shared memory is in use?
gpu.module @kernels [#nvvm.target<chip = "sm_90a">] {
  // expected-error @below {{expected carousel.launch to say how much dynamic shared memory is in use, or views of static shape at constant places only, got neither}}
  gpu.func @unknown_end(%i: index) kernel {
    %bytes = gpu.dynamic_shared_memory : memref<?xi8, #ws>
    %old = memref.view %bytes[%i][] : memref<?xi8, #ws> to memref<32xf32, #ws>
    %a = memref.alloc() : memref<4xf32, #ws>
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>

// expected-error @below {{expected one #nvvm.target on the gpu.module, got 0}}
gpu.module @no_target {
  gpu.func @k() kernel {
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>

// C146: rings, of which the locations tell, and how to take less.
gpu.module @kernels [#nvvm.target<chip = "sm_86">] {
  // expected-error @below {{expected static and dynamic shared memory of at most 101376 bytes on sm_86, got 131072}}
  // expected-note @below {{take smaller tiles, or fewer stages in carousel.pipeline: one stage less of each ring takes 32768 bytes less}}
  gpu.func @rings(%i: index) kernel {
    // expected-note @unknown {{98304 bytes at 0, aligned to 1024, for 3 slots of 32768 bytes of 'a, b'}}
    %a = memref.alloc() {alignment = 1024 : i64} : memref<98304xi8, #ws> loc(fused<["a, b", 3]>[unknown])
    // expected-note @unknown {{32768 bytes at 98304, aligned to 1024, for 1 slot of 32768 bytes of 'y'}}
    %y = memref.alloc() {alignment = 1024 : i64} : memref<32768xi8, #ws> loc(fused<["y", 1]>[unknown])
    %v = memref.load %y[%i] : memref<32768xi8, #ws>
    memref.store %v, %a[%i] : memref<98304xi8, #ws>
    memref.store %v, %y[%i] : memref<32768xi8, #ws>
    gpu.return
  }
}
