// Errors of carousel-distribute: blocks, registers, and ops without a form for threads.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-distribute))' --split-input-file --verify-diagnostics

// C212: a launch without a block.
gpu.module @kernels {
  // expected-error @below {{expected a block in carousel.launch of a kernel to distribute, got none}}
  gpu.func @no_block(%x: memref<?xf32, #gpu.address_space<global>>) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1]>} {
    gpu.return
  }
}

// -----

// C212: a block that is no power of two.
gpu.module @kernels {
  // expected-error @below {{expected a block of a power of two threads, got 96}}
  gpu.func @odd_block(%x: memref<?xf32, #gpu.address_space<global>>) kernel attributes {
      carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [1], block = [96]>} {
    gpu.return
  }
}

// -----

// C212: more elements than registers.
gpu.module @kernels {
  gpu.func @large(%x: memref<?xf32, #gpu.address_space<global>>) kernel attributes {
      carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    // expected-error @below {{expected at most 224 registers of a thread for a vector, got 256 in a block of 32 threads}}
    %v = vector.transfer_read %x[%c0], %zero : memref<?xf32, #gpu.address_space<global>>, vector<8192xf32>
    vector.transfer_write %v, %x[%c0] : vector<8192xf32>, memref<?xf32, #gpu.address_space<global>>
    gpu.return
  }
}

// -----

// C212: threads have all of k of what a product by multiply-adds takes, if shared memory has
// no room for it. One error at the product, not one at each op that has the layout.
gpu.module @kernels [#nvvm.target<chip = "sm_90a">] {
  gpu.func @factors(%x: memref<128x1024xf32, #gpu.address_space<global>>) kernel attributes {
      carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : vector<128x128xf32>
    // expected-note @below {{the vector, 'vector<128x1024xf32>'}}
    %v = vector.transfer_read %x[%c0, %c0], %zero : memref<128x1024xf32, #gpu.address_space<global>>, vector<128x1024xf32>
    %w = arith.negf %v : vector<128x1024xf32>
    // expected-error @below {{expected at most 224 registers of a thread for a vector, got 8192 in a block of 128 threads}}
    // expected-note @below {{threads need all of k of the factors of their sums; read the factors in a pipelined loop, or let matrix instructions multiply them (no instruction combines 'f32' by add in 'f32' without carousel.round_tf32)}}
    %p = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
        affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} %w, %v, %zeros
        : vector<128x1024xf32>, vector<128x1024xf32> into vector<128x128xf32>
    vector.transfer_write %p, %x[%c0, %c0] : vector<128x128xf32>, memref<128x1024xf32, #gpu.address_space<global>>
    gpu.return
  }
}

// -----

// C257: a kernel that nothing could launch.
gpu.module @kernels {
  // expected-error @below {{expected carousel.launch with a grid on a block program, got none}}
  gpu.func @launch() kernel attributes {carousel.block_program = #carousel.block_program<>} {
    gpu.return
  }
}

// -----

// C212: a part whose elements leave their threads, in a cluster.
gpu.module @kernels {
  gpu.func @part(%x: memref<?xf32, #gpu.address_space<global>>) kernel attributes {
      carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)], block = [32], cluster = [2]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %v = vector.transfer_read %x[%c0], %zero : memref<?xf32, #gpu.address_space<global>>, vector<64xf32>
    // expected-error @below {{expected parts of vectors that a cluster shares to begin at constant multiples of their extents}}
    %p = vector.extract_strided_slice %v {offsets = [4], sizes = [8], strides = [1]} : vector<64xf32> to vector<8xf32>
    vector.transfer_write %p, %x[%c0] : vector<8xf32>, memref<?xf32, #gpu.address_space<global>>
    gpu.return
  }
}

// -----

// C212: a position that isn't one.
gpu.module @kernels {
  gpu.func @outside(%x: memref<?xf32, #gpu.address_space<global>>) kernel attributes {
      carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %v = vector.transfer_read %x[%c0], %zero : memref<?xf32, #gpu.address_space<global>>, vector<64xf32>
    // expected-error @below {{expected a position inside of the vector, got -1}}
    %e = vector.extract %v[-1] : f32 from vector<64xf32>
    memref.store %e, %x[%c0] : memref<?xf32, #gpu.address_space<global>>
    // expected-error @below {{expected dense elements in a constant}}
    %c = arith.constant dense_resource<elements> : vector<4xf32>
    vector.transfer_write %c, %x[%c0] : vector<4xf32>, memref<?xf32, #gpu.address_space<global>>
    gpu.return
  }
}

{-#
  dialect_resources: {
    builtin: {
      elements: "0x040000000000803F000000400000404000008040"
    }
  }
#-}

// -----

// C212: a cast of odd extents.
gpu.module @kernels {
  gpu.func @cast(%x: memref<?xf32, #gpu.address_space<global>>) kernel attributes {
      carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %v = vector.transfer_read %x[%c0], %zero : memref<?xf32, #gpu.address_space<global>>, vector<60xf32>
    // expected-error @below {{expected a shape_cast between extents that are powers of two, or of dimensions of one element, got vector<60xf32> to vector<6x10xf32>}}
    %p = vector.shape_cast %v : vector<60xf32> to vector<6x10xf32>
    %s = vector.multi_reduction <add>, %p, %zero [0, 1] : vector<6x10xf32> to f32
    memref.store %s, %x[%c0] : memref<?xf32, #gpu.address_space<global>>
    gpu.return
  }
}

// -----

// C212: two layouts of one class.
gpu.module @kernels {
  gpu.func @layouts(%x: memref<?xf32, #gpu.address_space<global>>) kernel attributes {
      carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %v = vector.transfer_read %x[%c0], %zero {carousel.layout = #carousel.layout<register = [[1]], lane = [[2], [4], [8], [16], [32]]>}
        : memref<?xf32, #gpu.address_space<global>>, vector<64xf32>
    // expected-error @below {{expected one layout for vectors that are computed from each other element by element, got another one before}}
    %w = arith.addf %v, %v {carousel.layout = #carousel.layout<register = [[32]], lane = [[1], [2], [4], [8], [16]]>} : vector<64xf32>
    vector.transfer_write %w, %x[%c0] : vector<64xf32>, memref<?xf32, #gpu.address_space<global>>
    gpu.return
  }
}

// -----

// C212: factors that are wider than the sum.
gpu.module @kernels {
  gpu.func @product(%x: memref<?xf64, #gpu.address_space<global>>) kernel attributes {
      carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f64
    %none = arith.constant 0.0 : f32
    %v = vector.transfer_read %x[%c0], %zero : memref<?xf64, #gpu.address_space<global>>, vector<64xf64>
    // expected-error @below {{expected factors that extend to the sum's type 'f32', got 'f64'}}
    %p = vector.contract {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> (k)>, affine_map<(k) -> ()>], iterator_types = ["reduction"]}
        %v, %v, %none : vector<64xf64>, vector<64xf64> into f32
    gpu.return
  }
}

// -----

// C212: elements that would leave their CTA.
gpu.module @kernels {
  gpu.func @apart(%x: memref<?xf32, #gpu.address_space<global>>) kernel attributes {
      carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)], block = [32], cluster = [2]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %v = vector.transfer_read %x[%c0], %zero : memref<?xf32, #gpu.address_space<global>>, vector<64xf32>
    // expected-error @below {{expected no single elements of vectors that a cluster shares}}
    %e = vector.extract %v[3] : f32 from vector<64xf32>
    memref.store %e, %x[%c0] : memref<?xf32, #gpu.address_space<global>>
    gpu.return
  }
}

// -----

// C212: a cluster that is no power of two.
gpu.module @kernels {
  // expected-error @below {{expected a cluster of a power of two CTAs, got 3}}
  gpu.func @three(%x: memref<?xf32, #gpu.address_space<global>>) kernel attributes {
      carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)], block = [32], cluster = [3]>} {
    gpu.return
  }
}

// -----

// C212: results of a cluster's reduction that differ between threads.
gpu.module @kernels {
  gpu.func @rows(%x: memref<?x?xf32, #gpu.address_space<global>>, %y: memref<?xf32, #gpu.address_space<global>>) kernel attributes {
      carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)], block = [32], cluster = [2]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : vector<32xf32>
    %v = vector.transfer_read %x[%c0, %c0], %zero : memref<?x?xf32, #gpu.address_space<global>>, vector<32x64xf32>
    // expected-error @below {{expected one result of a reduction over a cluster}}
    %s = vector.multi_reduction <add>, %v, %zeros [1] : vector<32x64xf32> to vector<32xf32>
    vector.transfer_write %s, %y[%c0] : vector<32xf32>, memref<?xf32, #gpu.address_space<global>>
    gpu.return
  }
}

// -----

// Vectors of ops that the phase lacks have no layout. The pass checks this also if --carousel-verify-block didn't run.
gpu.module @m {
  gpu.func @access(%x: memref<64xf32, #gpu.address_space<global>>) kernel attributes {carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %c0 = arith.constant 0 : index
    // expected-error @+1 {{expected ops of the block phase in a block program, got 'vector.load'; use vector.transfer_read, with a mask if there is one}}
    %v = vector.load %x[%c0] : memref<64xf32, #gpu.address_space<global>>, vector<64xf32>
    %w = arith.addf %v, %v : vector<64xf32>
    vector.transfer_write %w, %x[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32, #gpu.address_space<global>>
    gpu.return
  }
}
