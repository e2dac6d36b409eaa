// Errors of carousel-verify-chip: unknown targets; shared memory, clusters, blocks and names beyond a chip's limits.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-verify-chip))' --split-input-file --verify-diagnostics

#ws = #gpu.address_space<workgroup>

// C92: eight bytes too many.
gpu.module @kernels [#nvvm.target<chip = "sm_90a", features = "+ptx88">] {
  // DOC-EXAMPLE: --carousel-verify-chip
  // expected-error @below {{expected at most 49152 bytes of static shared memory, got 49160}}
  gpu.func @shared() workgroup(%full: memref<!carousel.mbarrier, #ws>,
                               %tile: memref<12288xf32, #ws>) kernel {
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>

// C92: alignment takes place too.
gpu.module @kernels [#nvvm.target<chip = "sm_90a", features = "+ptx88">] {
  // expected-error @below {{expected at most 49152 bytes of static shared memory, got 65540}}
  gpu.func @aligned() workgroup(%a: memref<1xf32, #ws> {llvm.align = 32768 : i64},
                                %b: memref<1xf32, #ws> {llvm.align = 32768 : i64},
                                %c: memref<1xf32, #ws> {llvm.align = 32768 : i64}) kernel {
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>

// C92: variables of the module count once for each kernel that uses them.
gpu.module @kernels [#nvvm.target<chip = "sm_90a", features = "+ptx88">] {
  memref.global "private" @tile : memref<12289xf32, #ws>
  // expected-error @below {{expected at most 49152 bytes of static shared memory, got 49156}}
  gpu.func @global() kernel {
    %0 = memref.get_global @tile : memref<12289xf32, #ws>
    %1 = memref.get_global @tile : memref<12289xf32, #ws>
    gpu.return
  }
}

// -----

// C93: a cluster that isn't portable.
gpu.module @kernels [#nvvm.target<chip = "sm_90a", features = "+ptx88">] {
  // expected-error @below {{expected CTAs of a cluster of 1 to 8 in all on sm_90a, got [4, 2, 2]}}
  gpu.func @cluster() kernel attributes {known_cluster_size = array<i32: 4, 2, 2>} {
    gpu.return
  }
}

// -----

// C93: a chip without clusters.
gpu.module @kernels [#nvvm.target<chip = "sm_80", features = "+ptx88">] {
  // expected-error @below {{expected CTAs of a cluster of 1 to 1 in all on sm_80, got [2, 1, 1]}}
  gpu.func @cluster() kernel attributes {known_cluster_size = array<i32: 2, 1, 1>} {
    gpu.return
  }
}

// -----

// A module without a target.
// expected-error @below {{expected one #nvvm.target on the gpu.module, got 0}}
gpu.module @kernels {}

// -----

// Two targets.
// expected-error @below {{expected one #nvvm.target on the gpu.module, got 2}}
gpu.module @kernels [#nvvm.target<chip = "sm_80">, #nvvm.target<chip = "sm_90a">] {}

// -----

// Another maker's target.
// expected-error @below {{expected an #nvvm.target on the gpu.module, got #rocdl.target}}
gpu.module @kernels [#rocdl.target] {}

// -----

// A feature that looks like a PTX version.
// expected-error @below {{expected a PTX version in the target's features, got '+ptx8x'}}
gpu.module @kernels [#nvvm.target<chip = "sm_90a", features = "+ptx8x">] {}

// -----

// A chip that isn't in the table.
// expected-error @below {{unknown chip 'sm_70', expected one of sm_80, sm_86, sm_89, sm_90, sm_90a, sm_100a, sm_120a}}
gpu.module @kernels [#nvvm.target<chip = "sm_70">] {}

// -----

// A PTX version that the chip hasn't.
// expected-error @below {{expected a PTX version of 8.0 to 9.0 for sm_90a, got 7.8}}
gpu.module @kernels [#nvvm.target<chip = "sm_90a", features = "+ptx78">] {}

// -----

#ws = #gpu.address_space<workgroup>

// C92: a dynamic extent.
gpu.module @kernels [#nvvm.target<chip = "sm_90a", features = "+ptx88">] {
  // expected-error @below {{expected static extents in shared memory that the kernel declares, got 'memref<?xf32, #gpu.address_space<workgroup>>'}}
  gpu.func @dynamic() workgroup(%tile: memref<?xf32, #ws>) kernel {
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>

// C92: more bytes than 64 bits count.
gpu.module @kernels [#nvvm.target<chip = "sm_90a", features = "+ptx88">] {
  // expected-error @below {{expected at most 49152 bytes of static shared memory, got 18446744073709551615}}
  gpu.func @huge() workgroup(%tile: memref<4611686018427387904x4xf32, #ws>) kernel {
    gpu.return
  }
}

// -----

// C93: no CTAs in one direction.
gpu.module @kernels [#nvvm.target<chip = "sm_90a", features = "+ptx88">] {
  // expected-error @below {{expected CTAs of a cluster of 1 to 8 in all on sm_90a, got [2, 0, 1]}}
  gpu.func @cluster() kernel attributes {known_cluster_size = array<i32: 2, 0, 1>} {
    gpu.return
  }
}

// -----

// C93: a product that 32 bits don't hold.
gpu.module @kernels [#nvvm.target<chip = "sm_90a", features = "+ptx88">] {
  // expected-error @below {{expected threads of a block of 1 to 1024 in all on sm_90a, got [65536, 65536, 1]}}
  gpu.func @block() kernel attributes {known_block_size = array<i32: 65536, 65536, 1>} {
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>

// C92: the variable of a function that the kernel calls.
gpu.module @kernels [#nvvm.target<chip = "sm_90a", features = "+ptx88">] {
  memref.global "private" @big : memref<80000xi8, #ws> = uninitialized
  func.func @touch(%i: index, %v: i8) {
    %big = memref.get_global @big : memref<80000xi8, #ws>
    memref.store %v, %big[%i] : memref<80000xi8, #ws>
    return
  }
  // expected-error @below {{expected at most 49152 bytes of static shared memory, got 80000}}
  gpu.func @calls(%i: index, %v: i8) kernel {
    func.call @touch(%i, %v) : (index, i8) -> ()
    gpu.return
  }
}

// -----

// C105: a name that PTX can't spell.
gpu.module @kernels [#nvvm.target<chip = "sm_90a", features = "+ptx88">] {
  // expected-error @below {{expected a name that PTX has (letters, digits, _ and $), got 'my.kernel-1'}}
  gpu.func @"my.kernel-1"() kernel {
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>

// C107: a view that ends behind the chip's shared memory.
gpu.module @kernels [#nvvm.target<chip = "sm_120a", features = "+ptx88">] {
  gpu.func @view() workgroup(%bars: memref<4xi64, #ws>) kernel {
    %shift = arith.constant 65536 : index
    %all = gpu.dynamic_shared_memory : memref<?xi8, #ws>
    // expected-error @below {{expected static and dynamic shared memory of at most 101376 bytes on sm_120a, got at least 132096}}
    %tile = memref.view %all[%shift][] : memref<?xi8, #ws> to memref<16384xf32, #ws>
    gpu.return
  }
}
