// Errors of carousel-expand-kernel-abi.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-expand-kernel-abi))' --split-input-file --verify-diagnostics

#gl = #gpu.address_space<global>
#halves = affine_map<(d0) -> (d0 floordiv 2)>

// C98: a layout without strides.
gpu.module @kernels {
  // expected-error @below {{expected a strided layout for kernel argument 1, got 'memref<8xf32, affine_map<(d0) -> (d0 floordiv 2)>, #gpu.address_space<global>>'}}
  gpu.func @layout(%n: i32, %x: memref<8xf32, #halves, #gl>) kernel {
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>

// C98: a pointer that isn't to the first element.
gpu.module @kernels {
  // expected-error @below {{expected no static offset for kernel argument 0, got 4 in 'memref<8xf32, strided<[1], offset: 4>, #gpu.address_space<global>>'}}
  gpu.func @offset(%x: memref<8xf32, strided<[1], offset: 4>, #gl>) kernel {
    gpu.return
  }
}

// -----

// C98: elements that LLVM doesn't know.
gpu.module @kernels {
  // expected-error @below {{expected a memref of LLVM types for kernel argument 0, got 'memref<8x!ptr.ptr<#ptr.generic_space>>'}}
  gpu.func @elements(%x: memref<8x!ptr.ptr<#ptr.generic_space>>) kernel {
    gpu.return
  }
}

// -----

// C98: an integer that has no register.
gpu.module @kernels {
  // expected-error @below {{expected a ranked memref, a tensor map, an index or a number for kernel argument 0, got 'i65'}}
  gpu.func @odd(%x: i65) kernel {
    gpu.return
  }
}

// -----

// C98: a memref of any rank.
gpu.module @kernels {
  // expected-error @below {{expected a ranked memref, a tensor map, an index or a number for kernel argument 0, got 'memref<*xf32>'}}
  gpu.func @unranked(%x: memref<*xf32>) kernel {
    gpu.return
  }
}

// -----

// C98: more than a launch can carry.
gpu.module @kernels {
  // expected-error @below {{expected at most 32764 bytes of kernel parameters, got 65536}}
  gpu.func @huge(%x: vector<16384xf32>) kernel {
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>

// C98: addresses are unsigned offsets from the first element.
gpu.module @kernels {
  // expected-error @below {{expected strides that are not negative for kernel argument 0, got -2 in 'memref<8xf32, strided<[-2]>, #gpu.address_space<global>>'}}
  gpu.func @backwards(%x: memref<8xf32, strided<[-2]>, #gl>) kernel {
    gpu.return
  }
}

// -----

// C141: the block phase is far from having addresses.
gpu.module @kernels {
  // expected-error @below {{expected kernels of the machine phase, got one of the block phase}}
  gpu.func @program(%x: memref<8xf32, #gpu.address_space<global>>) kernel attributes {
      carousel.block_program = #carousel.block_program<>} {
    gpu.return
  }
}
