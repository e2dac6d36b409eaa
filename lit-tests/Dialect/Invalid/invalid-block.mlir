// Messages of the parsers and verifiers of the attributes of block programs.
// RUN: carousel-opt %s --split-input-file --verify-diagnostics

// C206: bases of different numbers of coordinates.
// expected-error @below {{expected bases of one number of coordinates, one or more, got 1}}
func.func private @f() attributes {a = #carousel.layout<register = [[0, 1]], lane = [[1]]>}

// -----

// C206: a basis without coordinates.
// expected-error @below {{expected bases of one number of coordinates, one or more, got 0}}
func.func private @f() attributes {a = #carousel.layout<register = [[]]>}

// -----

// C206: a negative coordinate.
// expected-error @below {{expected coordinates that are not negative, got -1}}
func.func private @f() attributes {a = #carousel.layout<warp = [[1, -1]]>}

// -----

// C206: too many bits.
// expected-error @below {{expected at most 15 bases of a register, got 16}}
func.func private @f() attributes {a = #carousel.layout<register = [[1], [2], [4], [8], [16], [32], [64], [128], [256], [512], [1024], [2048], [4096], [8192], [16384], [32768]]>}

// -----

// C206: a field that is there twice.
// expected-error @below {{expected each field of a layout once, got 'lane' again}}
func.func private @f() attributes {a = #carousel.layout<lane = [[1]], lane = [[2]]>}

// -----

// C208: a width without an extent.
// expected-error @below {{expected width and covers together, got width alone}}
func.func private @f() attributes {a = #carousel.block_program<width = 4096>}

// -----

// C208: an extent without a width.
// expected-error @below {{expected width and covers together, got covers alone}}
func.func private @f() attributes {a = #carousel.block_program<covers = extent(0, 1)>}

// -----

// C208: a width that isn't a power of two.
// expected-error @below {{expected a width that is a power of two above 1 and up to 2^30, got 4095}}
func.func private @f() attributes {a = #carousel.block_program<width = 4095, covers = extent(0, 1)>}

// -----

// C208: a negative width.
// expected-error @below {{expected a width that is a power of two above 1 and up to 2^30, got -4096}}
func.func private @f() attributes {a = #carousel.block_program<width = -4096, covers = extent(0, 1)>}

// -----

// expected-error @below {{expected a width that is a power of two above 1 and up to 2^30, got 4611686018427387904}}
func.func private @f() attributes {a = #carousel.block_program<width = 4611686018427387904, covers = extent(0, 1)>}

// -----

// C208: a width of one element.
// expected-error @below {{expected a width that is a power of two above 1 and up to 2^30, got 1}}
func.func private @f() attributes {a = #carousel.block_program<width = 1, covers = extent(0, 1)>}

// -----

// C208: a number of programs that isn't a power of two.
// expected-error @below {{expected a number of programs that is a power of two up to 1024, got 12}}
func.func private @f() attributes {a = #carousel.block_program<programs = 12>}

// -----

// C208: too many programs.
// expected-error @below {{expected a number of programs that is a power of two up to 1024, got 2048}}
func.func private @f() attributes {a = #carousel.block_program<programs = 2048>}

// -----

// C208: no programs.
// expected-error @below {{expected a number of programs that is a power of two up to 1024, got 0}}
func.func private @f() attributes {a = #carousel.block_program<programs = 0>}

// -----

// C208: no width to keep a multiple of.
// expected-error @below {{expected a width beside keeps, got none}}
func.func private @f() attributes {a = #carousel.block_program<keeps = 4096>}

// -----

// C208: not a multiple of the width.
// expected-error @below {{expected to keep a multiple of the width 64, got 96}}
func.func private @f() attributes {a = #carousel.block_program<width = 64, covers = extent(0, 1), keeps = 96>}

// -----

// C208: a negative number of elements.
// expected-error @below {{expected to keep a multiple of the width 64, got -64}}
func.func private @f() attributes {a = #carousel.block_program<width = 64, covers = extent(0, 1), keeps = -64>}

// -----

// C208: several programs that keep rows.
// expected-error @below {{expected one program of a CTA that keeps rows, got 2}}
func.func private @f() attributes {a = #carousel.block_program<width = 64, covers = extent(0, 1), programs = 2, keeps = 128>}

// -----

// C208: parts of rows that aren't chunks.
gpu.module @m {
  // expected-error @below {{expected to keep a multiple of the width 64 in each of 4 CTAs of a cluster, got 128 in all}}
  gpu.func @parts(%x: memref<?x?xf32, #gpu.address_space<global>>) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 64, covers = extent(0, 1), keeps = 128>,
      carousel.launch = #carousel.launch<grid = [4], block = [64], cluster = [4]>} {
    gpu.return
  }
}

// -----

// C208: a field that is there twice.
// expected-error @below {{expected each field of a block program once, got 'keeps' again}}
func.func private @f() attributes {a = #carousel.block_program<width = 64, covers = extent(0, 1), keeps = 128, keeps = 64>}

// -----

// C111: no block in the launch of a kernel that isn't a block program.
gpu.module @m {
  // expected-error @below {{expected a block in carousel.launch of a kernel that isn't at the block phase, got none}}
  gpu.func @k() kernel attributes {carousel.launch = #carousel.launch<grid = [1]>} {
    gpu.return
  }
}

// -----

// C117: an extent of an argument that the kernel lacks.
gpu.module @m {
  // expected-error @below {{expected extent in carousel.block_program to name one of the kernel's 1 arguments, got 3}}
  gpu.func @k(%x: memref<?x?xf32>) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 64, covers = extent(3, 1)>} {
    gpu.return
  }
}

// -----

// C116: a block program that isn't a kernel.
// expected-error @below {{expected carousel.block_program on a gpu.func that is a kernel, got it on func.func}}
func.func private @f() attributes {carousel.block_program = #carousel.block_program<>}

// -----

// C207: a layout of a scalar.
gpu.module @m {
  gpu.func @k() kernel attributes {carousel.block_program = #carousel.block_program<>} {
    %c0 = arith.constant 0 : index
    // expected-error @below {{expected carousel.layout on an op with one vector result, got 'arith.addi'}}
    %v = arith.addi %c0, %c0 {carousel.layout = #carousel.layout<register = [[1]]>} : index
    gpu.return
  }
}

// -----

// C207: a layout of another rank.
gpu.module @m {
  gpu.func @k() kernel attributes {carousel.block_program = #carousel.block_program<>} {
    %c0 = arith.constant 0 : index
    // expected-error @below {{expected bases of 2 coordinates for 'vector<4x4xf32>', got 1}}
    %v = arith.constant {carousel.layout = #carousel.layout<register = [[1]]>} dense<0.0> : vector<4x4xf32>
    gpu.return
  }
}

// -----

// C207: a layout in a kernel of another phase.
gpu.module @m {
  gpu.func @k() kernel {
    %c0 = arith.constant 0 : index
    // expected-error @below {{expected carousel.layout in a kernel with carousel.block_program, got it outside}}
    %v = arith.constant {carousel.layout = #carousel.layout<register = [[1]]>} dense<0.0> : vector<4xf32>
    gpu.return
  }
}

// -----

// C116: a layout of an argument.
// expected-error @below {{expected carousel.layout on an op with one vector result, got it on an argument of func.func}}
func.func private @f(%x: vector<4xf32> {carousel.layout = #carousel.layout<register = [[1], [2]]>})

// -----

// C215: meaning is in ops.
func.func @tf32_as_attribute(%a: vector<4xf32>, %c: f32) -> f32 {
  // expected-error @below {{expected factors that carousel.round_tf32 rounds, got the attribute carousel.tf32}}
  %b = vector.contract {carousel.tf32, indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> (k)>, affine_map<(k) -> ()>], iterator_types = ["reduction"]} %a, %a, %c : vector<4xf32>, vector<4xf32> into f32
  return %b : f32
}

// -----

// The type of carousel.round_tf32.
func.func @round_halves(%a: vector<4xf16>) -> vector<4xf16> {
  // expected-error @below {{operand #0 must be f32}}
  %b = carousel.round_tf32 %a : vector<4xf16>
  return %b : vector<4xf16>
}

// -----

// C208: parts of a number that isn't a power of two.
gpu.module @m {
  // expected-error @below {{expected carousel.parts to be a power of two up to 8 of i64, on a kernel at the block phase, got 3 : i64}}
  gpu.func @k() kernel attributes {carousel.block_program = #carousel.block_program<>, carousel.parts = 3 : i64,
      carousel.launch = #carousel.launch<grid = [1]>} {
    gpu.return
  }
}

// -----

// C208: more parts than a cluster has CTAs.
gpu.module @m {
  // expected-error @below {{expected carousel.parts to be a power of two up to 8 of i64, on a kernel at the block phase, got 16 : i64}}
  gpu.func @k() kernel attributes {carousel.block_program = #carousel.block_program<>, carousel.parts = 16 : i64,
      carousel.launch = #carousel.launch<grid = [1]>} {
    gpu.return
  }
}

// -----

// C208: parts of a kernel that is no block program.
gpu.module @m {
  // expected-error @below {{expected carousel.parts to be a power of two up to 8 of i64, on a kernel at the block phase, got 2 : i64}}
  gpu.func @k() kernel attributes {carousel.parts = 2 : i64} {
    gpu.return
  }
}

// -----

// C116: parts of a function.
// expected-error @below {{expected carousel.parts on a gpu.func that is a kernel, got it on func.func}}
func.func private @f() attributes {carousel.parts = 2 : i64}
