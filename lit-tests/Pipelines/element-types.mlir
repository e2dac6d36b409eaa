// Buffers beside a ring, of elements of every kind: the passes from rings to shared memory count their bytes.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(carousel-lower{chip=sm_90a variants=false})' | FileCheck %s

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!v = memref<?xf32, #gl>
!t = memref<512xf32, #ws>

// CHECK-LABEL: gpu.module @elements
gpu.module @elements {
  // 2048 bytes of f32, 8 of an index, 64 of vectors, 32 of complex numbers, 4 of i7.
  // CHECK: gpu.func @k
  // CHECK-SAME: shared = 2180
  gpu.func @k(%x: !v {carousel.argument = #carousel.argument<"x", in>}, %y: !v {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [ceildiv(extent(0, 0), 512)], block = [128]>} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c512 = arith.constant 512 : index
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %i = arith.muli %block, %c512 : index
    %j = arith.muli %thread, %c4 : index
    %xs = memref.alloc() {alignment = 128 : i64} : !t
    carousel.load %x[%i] to %xs : !v, !t
    %leads = arith.cmpi eq, %thread, %c0 : index
    %number = memref.alloc() : memref<1xindex, #ws>
    %vectors = memref.alloc() : memref<4xvector<4xf32>, #ws>
    %complexes = memref.alloc() : memref<4xcomplex<f32>, #ws>
    %narrow = memref.alloc() : memref<4xi7, #ws>
    scf.if %leads {
      memref.store %i, %number[%c0] : memref<1xindex, #ws>
      %a = memref.load %vectors[%c0] : memref<4xvector<4xf32>, #ws>
      memref.store %a, %vectors[%c0] : memref<4xvector<4xf32>, #ws>
      %b = memref.load %complexes[%c0] : memref<4xcomplex<f32>, #ws>
      memref.store %b, %complexes[%c0] : memref<4xcomplex<f32>, #ws>
      %c = memref.load %narrow[%c0] : memref<4xi7, #ws>
      memref.store %c, %narrow[%c0] : memref<4xi7, #ws>
    }
    gpu.barrier
    %k = memref.load %number[%c0] : memref<1xindex, #ws>
    %k32 = arith.index_cast %k : index to i32
    %f = arith.sitofp %k32 : i32 to f32
    %r = vector.broadcast %f : f32 to vector<4xf32>
    vector.store %r, %xs[%j] {alignment = 16 : i64} : !t, vector<4xf32>
    carousel.store %xs to %y[%i] : !t, !v
    gpu.return
  }
}
