// Messages of #carousel.encode: its parser, and the argument and the tensor map that it names.
// RUN: carousel-opt %s --split-input-file --verify-diagnostics

// C115: no argument.
// expected-error @below {{expected the number of an argument to encode, got -1}}
func.func private @f() attributes {a = #carousel.encode<argument = -1>}

// -----

// C115: an empty tensor.
// expected-error @below {{expected extents of 1 to 4294967296 of a tensor map, got 0}}
func.func private @f() attributes {a = #carousel.encode<argument = 0, extents = [0]>}

// -----

// C115: a stride that the hardware lacks.
// expected-error @below {{expected strides of a tensor map in multiples of 16 bytes up to 1099511627775, got 8}}
func.func private @f() attributes {a = #carousel.encode<argument = 0, strides = [8]>}

// -----

// C115: a byte before the argument.
// expected-error @below {{expected a tensor map's offset of 0 or more bytes, got -16}}
func.func private @f() attributes {a = #carousel.encode<argument = 0, offset = -16>}

// -----

// C116: an encoding of nothing.
// expected-error @below {{expected argument in an encoding, got none}}
func.func private @f() attributes {a = #carousel.encode<offset = 0>}

// -----

#gl = #gpu.address_space<global>

!map = !carousel.tensor_map<64x64xf32>
!matrix = memref<?x?xf32, strided<[?, 1], offset: ?>, #gl>

// C116: an encoding that is something else.
gpu.module @kernels {
  // expected-error @below {{expected #carousel.encode<...> as carousel.encode, got 0 : i64}}
  gpu.func @k(%x: !matrix, %map: !map {carousel.encode = 0}) kernel {
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>

!matrix = memref<?x?xf32, strided<[?, 1], offset: ?>, #gl>

// C116: the encoding of an argument.
gpu.module @kernels {
  // expected-error @below {{expected carousel.encode on a tensor map argument of a kernel, got it on an argument that isn't a tensor map}}
  gpu.func @k(%x: !matrix {carousel.encode = #carousel.encode<argument = 0>}) kernel {
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>

!map = !carousel.tensor_map<64x64xf32>
!matrix = memref<?x?xf32, strided<[?, 1], offset: ?>, #gl>

// C117: an encoding of an argument that the kernel has not.
gpu.module @kernels {
  // expected-error @below {{expected argument in carousel.encode of kernel argument 1 to name one of the kernel's 1 arguments, got 1}}
  gpu.func @k(%x: !matrix, %map: !map {carousel.encode = #carousel.encode<argument = 1>}) kernel {
    gpu.return
  }
}

// -----

!map = !carousel.tensor_map<64x64xf32>

// C117: an encoding of a scalar.
gpu.module @kernels {
  // expected-error @below {{expected argument in carousel.encode of kernel argument 1 to name a memref argument, got argument 0 of type 'index'}}
  gpu.func @k(%n: index, %map: !map {carousel.encode = #carousel.encode<argument = 0>}) kernel {
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>

!map = !carousel.tensor_map<64x64xf32>
!matrix = memref<?x?xf32, strided<[?, 1], offset: ?>, #gl>

// C117: an encoded extent that the kernel has not.
gpu.module @kernels {
  // expected-error @below {{expected scalar in carousel.encode of kernel argument 1 to name one of the kernel's 1 arguments, got 5}}
  gpu.func @k(%x: !matrix,
      %map: !map {carousel.encode = #carousel.encode<argument = 0, extents = [64, scalar(5)]>}) kernel {
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>

!map = !carousel.tensor_map<64x64xf32>
!matrix = memref<?x?xf32, strided<[?, 1], offset: ?>, #gl>

// C117: an offset that is no number.
gpu.module @kernels {
  // expected-error @below {{expected scalar in carousel.encode of kernel argument 1 to name an index or integer argument, got argument 0 of type}}
  gpu.func @k(%x: !matrix,
      %map: !map {carousel.encode = #carousel.encode<argument = 0, offset = scalar(0)>}) kernel {
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>

!map = !carousel.tensor_map<64x64xf32>
!matrix = memref<?x?xf32, strided<[?, 1], offset: ?>, #gl>

// C120: too few extents.
gpu.module @kernels {
  // expected-error @below {{expected 2 extents in carousel.encode of kernel argument 1, got 1}}
  gpu.func @k(%x: !matrix,
      %map: !map {carousel.encode = #carousel.encode<argument = 0, extents = [64]>}) kernel {
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>

!map = !carousel.tensor_map<64x64xf32>
!matrix = memref<?x?xf32, strided<[?, 1], offset: ?>, #gl>

// C120: a stride of the innermost dimension.
gpu.module @kernels {
  // expected-error @below {{expected 1 strides in carousel.encode of kernel argument 1, got 2}}
  gpu.func @k(%x: !matrix,
      %map: !map {carousel.encode = #carousel.encode<argument = 0, strides = [256, 16]>}) kernel {
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>

!matrix = memref<?x?xf32, strided<[?, 1], offset: ?>, #gl>

// C120: fewer extents than the rank of an im2col map.
gpu.module @kernels {
  // expected-error @below {{expected 4 extents in carousel.encode of kernel argument 1, got 2}}
  gpu.func @k(%x: !matrix,
      %map: !carousel.tensor_map<8x64xbf16, mode = im2col, rank = 4, lower = [0, 0], upper = [0, 0]> {carousel.encode = #carousel.encode<argument = 0, extents = [1, 1]>}) kernel {
    gpu.return
  }
}

// -----

!map = !carousel.tensor_map<64x64xf32>

// C120: a memref of another rank.
gpu.module @kernels {
  // expected-error @below {{expected carousel.encode of kernel argument 1 to give extents and strides, or a memref of rank 2, got 'memref<?xf32>'}}
  gpu.func @k(%x: memref<?xf32>,
      %map: !map {carousel.encode = #carousel.encode<argument = 0, extents = [64, 64]>}) kernel {
    gpu.return
  }
}

// -----

!map = !carousel.tensor_map<64x64xf32>

// C120: elements of another width.
gpu.module @kernels {
  // expected-error @below {{expected carousel.encode of kernel argument 1 to give extents, or a memref with elements of f32's width, got 'memref<?x?xf16>'}}
  gpu.func @k(%x: memref<?x?xf16>,
      %map: !map {carousel.encode = #carousel.encode<argument = 0>}) kernel {
    gpu.return
  }
}

// -----

// C120: packed elements, which memrefs have not.
gpu.module @kernels {
  // expected-error @below {{expected carousel.encode of kernel argument 1 to give extents, or a memref with elements of b4x16_p64's width, got 'memref<?xi8>'}}
  gpu.func @k(%x: memref<?xi8>,
      %map: !carousel.tensor_map<128xb4x16_p64> {carousel.encode = #carousel.encode<argument = 0>}) kernel {
    gpu.return
  }
}

// -----

!map = !carousel.tensor_map<64x64xf32>

// C120: columns that are not contiguous.
gpu.module @kernels {
  // expected-error @below {{expected carousel.encode of kernel argument 1 to give extents and strides, or a memref with a contiguous innermost dimension, got 'memref<?x?xf32, strided<[1, ?]>>'}}
  gpu.func @k(%x: memref<?x?xf32, strided<[1, ?]>>,
      %map: !map {carousel.encode = #carousel.encode<argument = 0>}) kernel {
    gpu.return
  }
}
