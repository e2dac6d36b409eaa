// carousel-expand-kernel-abi replaces each memref by a pointer, its dynamic extents and its dynamic strides, and rebuilds it.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-expand-kernel-abi))' | FileCheck %s
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-expand-kernel-abi{index-bitwidth=32}))' | FileCheck %s --check-prefix=NARROW
// Twice is as good as once.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-expand-kernel-abi,carousel-expand-kernel-abi))' | FileCheck %s

#gl = #gpu.address_space<global>

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @dynamic
  // CHECK-SAME: (%[[POINTER:.+]]: !llvm.ptr<1>, %[[EXTENT:.+]]: i64) kernel
  // CHECK-DAG: %[[ONE:.+]] = llvm.mlir.constant(1 : i64)
  // CHECK-DAG: %[[D0:.+]] = llvm.mlir.poison
  // CHECK: %[[D1:.+]] = llvm.insertvalue %[[POINTER]], %[[D0]][0]
  // CHECK: %[[D2:.+]] = llvm.insertvalue %[[POINTER]], %[[D1]][1]
  // CHECK: %[[ZERO:.+]] = llvm.mlir.constant(0 : i64)
  // CHECK: %[[D3:.+]] = llvm.insertvalue %[[ZERO]], %[[D2]][2]
  // CHECK: %[[D4:.+]] = llvm.insertvalue %[[EXTENT]], %[[D3]][3, 0]
  // CHECK: %[[D5:.+]] = llvm.insertvalue %[[ONE]], %[[D4]][4, 0]
  // CHECK: %[[X:.+]] = builtin.unrealized_conversion_cast %[[D5]] : {{.+}} to memref<?xf32, #gpu.address_space<global>>
  // CHECK: memref.load %[[X]]
  // NARROW-LABEL: gpu.func @dynamic
  // NARROW-SAME: (%{{.+}}: !llvm.ptr<1>, %{{.+}}: i32) kernel
  gpu.func @dynamic(%x: memref<?xf32, #gl>) kernel {
    %c0 = arith.constant 0 : index
    %value = memref.load %x[%c0] : memref<?xf32, #gl>
    memref.store %value, %x[%c0] : memref<?xf32, #gl>
    gpu.return
  }

  // Extents that are asked for are the parameters themselves; what is asked for by a number that isn't constant stays.
  // CHECK-LABEL: gpu.func @extents
  // CHECK-SAME: (%{{[^ ]+}}: !llvm.ptr<1>, %[[D0:[^ ]+]]: i64, %{{[^ ]+}}: index) kernel
  // CHECK-DAG: %[[EIGHT:.+]] = llvm.mlir.constant(8 : i64)
  // CHECK-DAG: %[[ROWS:.+]] = builtin.unrealized_conversion_cast %[[D0]] : i64 to index
  // CHECK-DAG: %[[COLUMNS:.+]] = builtin.unrealized_conversion_cast %[[EIGHT]] : i64 to index
  // CHECK: arith.addi %[[ROWS]], %[[COLUMNS]]
  // CHECK: memref.dim
  gpu.func @extents(%x: memref<?x8xindex, #gl>, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %rows = memref.dim %x, %c0 : memref<?x8xindex, #gl>
    %columns = memref.dim %x, %c1 : memref<?x8xindex, #gl>
    %both = arith.addi %rows, %columns : index
    memref.store %both, %x[%c0, %c0] : memref<?x8xindex, #gl>
    %some = memref.dim %x, %n : memref<?x8xindex, #gl>
    memref.store %some, %x[%c0, %c1] : memref<?x8xindex, #gl>
    gpu.return
  }

  // A workspace is a memref like others, and what is for the host goes.
  // CHECK-LABEL: gpu.func @workspace
  // CHECK-SAME: (%{{[^ ]+}}: !llvm.ptr<1>, %{{[^ ]+}}: i64) kernel attributes {known_block_size = array<i32: 32, 1, 1>}
  gpu.func @workspace(%w: memref<?xi32, #gl> {carousel.workspace = #carousel.workspace<[4]>}) kernel
      attributes {carousel.coresident, carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    gpu.return
  }

  // What the type says isn't passed.
  // CHECK-LABEL: gpu.func @static
  // CHECK-SAME: (%{{[^ ]+}}: !llvm.ptr<1>) kernel
  // CHECK-DAG: llvm.mlir.constant(4 : i64)
  // CHECK-DAG: llvm.mlir.constant(8 : i64)
  gpu.func @static(%x: memref<4x8xf32, #gl>) kernel {
    gpu.return
  }

  // Strides of a contiguous memref follow from its extents.
  // CHECK-LABEL: gpu.func @contiguous
  // CHECK-SAME: (%{{[^ ]+}}: !llvm.ptr<1>, %[[D0:[^ ]+]]: i64, %[[D1:[^ ]+]]: i64, %[[D2:[^ ]+]]: i64) kernel
  // CHECK: %[[ONE:.+]] = llvm.mlir.constant(1 : i64)
  // CHECK: %[[STRIDE1:.+]] = llvm.mul %[[ONE]], %[[D2]]
  // CHECK: %[[STRIDE0:.+]] = llvm.mul %[[STRIDE1]], %[[D1]]
  // CHECK: llvm.insertvalue %[[STRIDE0]], %{{.+}}[4, 0]
  // CHECK: llvm.insertvalue %[[STRIDE1]], %{{.+}}[4, 1]
  // CHECK: llvm.insertvalue %[[ONE]], %{{.+}}[4, 2]
  gpu.func @contiguous(%x: memref<?x?x?xf32, #gl>) kernel {
    gpu.return
  }

  // Dynamic strides are passed after the extents; a dynamic offset is zero.
  // CHECK-LABEL: gpu.func @strided
  // CHECK-SAME: (%{{[^ ]+}}: !llvm.ptr<1>, %[[ROWS:[^ ]+]]: i64, %[[PITCH:[^ ]+]]: i64) kernel
  // CHECK: %[[ZERO:.+]] = llvm.mlir.constant(0 : i64)
  // CHECK: llvm.insertvalue %[[ZERO]], %{{.+}}[2]
  // CHECK: llvm.insertvalue %[[ROWS]], %{{.+}}[3, 0]
  // CHECK: llvm.insertvalue %[[PITCH]], %{{.+}}[4, 0]
  // DOC-EXAMPLE: --carousel-expand-kernel-abi
  gpu.func @strided(%x: memref<?x8xf32, strided<[?, 1], offset: ?>, #gl>) kernel {
    gpu.return
  }

  // The order is that of the arguments; scalars stay.
  // CHECK-LABEL: gpu.func @order
  // CHECK-SAME: (%{{[^ ]+}}: i32, %{{[^ ]+}}: !llvm.ptr<1>, %{{[^ ]+}}: i64, %{{[^ ]+}}: f32, %{{[^ ]+}}: !llvm.ptr<1>, %{{[^ ]+}}: index) kernel
  gpu.func @order(%a: i32, %x: memref<?xf32, #gl>, %b: f32, %y: memref<f32, #gl>, %c: index) kernel {
    gpu.return
  }

  // A tensor map is a pointer to its bytes; which parameters are tensor maps is noted.
  // CHECK-LABEL: gpu.func @tensor_map
  // CHECK-SAME: (%{{[^ ]+}}: !llvm.ptr<1>, %{{[^ ]+}}: i64, %[[MAP:[^ ]+]]: !llvm.ptr) kernel
  // CHECK-SAME: carousel.tensor_map_parameters = array<i32: 2>
  // CHECK: %[[VALUE:.+]] = builtin.unrealized_conversion_cast %[[MAP]] : !llvm.ptr to !carousel.tensor_map<4x4xf32>
  // CHECK: carousel.tensor_map.prefetch %[[VALUE]]
  gpu.func @tensor_map(%x: memref<?xf32, #gl>, %map: !carousel.tensor_map<4x4xf32>) kernel {
    carousel.tensor_map.prefetch %map space(param) : !carousel.tensor_map<4x4xf32>
    gpu.return
  }

  // The launch's block and cluster are compiled for; the rest is the host's.
  // CHECK-LABEL: gpu.func @launch
  // CHECK-SAME: (%{{[^ ]+}}: !llvm.ptr<1> {llvm.noalias}, %{{[^ ]+}}: i64, %{{[^ ]+}}: !llvm.ptr, %{{[^ ]+}}: i32) kernel
  // CHECK-NOT: #carousel.
  // CHECK-SAME: attributes {carousel.tensor_map_parameters = array<i32: 2>, known_block_size = array<i32: 64, 2, 1>, known_cluster_size = array<i32: 2, 1, 1>}
  gpu.func @launch(%x: memref<?xf32, #gl> {carousel.argument = #carousel.argument<"x", in>, llvm.noalias},
                   %map: !carousel.tensor_map<64xf32> {carousel.encode = #carousel.encode<argument = 0>},
                   %n: i32 {carousel.argument = #carousel.argument<"n">}) kernel
      attributes {
        carousel.variant = #carousel.variant<kernel = "copy", guards = [aligned(0, 16)]>,
        carousel.launch = #carousel.launch<
          grid = [scalar(1) * 2], block = [64, 2], cluster = [2], shared = 1024>} {
    gpu.return
  }

  // A cluster of one CTA is none; what the kernel knows already stays.
  // CHECK-LABEL: gpu.func @known
  // CHECK-SAME: kernel attributes {known_block_size = array<i32: 64, 1, 1>, known_grid_size = array<i32: 4, 1, 1>} {
  gpu.func @known() kernel
      attributes {
        known_block_size = array<i32: 64, 1, 1>, known_grid_size = array<i32: 4, 1, 1>,
        carousel.launch = #carousel.launch<grid = [4], block = [64], cluster = [1, 1]>} {
    gpu.return
  }

  // Only kernels have an ABI.
  // CHECK-LABEL: gpu.func @callee
  // CHECK-SAME: (%{{.+}}: memref<?xf32, #gpu.address_space<global>>, %{{.+}}: !carousel.tensor_map<4x4xf32>)
  gpu.func @callee(%x: memref<?xf32, #gl>, %map: !carousel.tensor_map<4x4xf32>) {
    gpu.return
  }
}
