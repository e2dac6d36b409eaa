// Products get variants with other tiles, each with the predicted time of a launch; the reasons why others get none.
// RUN: carousel-opt %s --split-input-file --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_90a},carousel-inline-functions,carousel-vary-tiles))' --remarks-filter=carousel-vary-tiles -o %t.once 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s --input-file=%t.once
// A second run changes nothing.
// RUN: carousel-opt %t.once --split-input-file --pass-pipeline='builtin.module(gpu.module(carousel-vary-tiles))' | diff %t.once -
// Products by mma.sync are left alone, and so are kernels for no chip.
// RUN: carousel-opt %s --split-input-file --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_90},carousel-inline-functions,carousel-vary-tiles))' | FileCheck %s --check-prefix=PLAIN
// RUN: carousel-opt %s --split-input-file --pass-pipeline='builtin.module(gpu.module(carousel-inline-functions,carousel-vary-tiles))' | FileCheck %s --check-prefix=PLAIN
// PLAIN-NOT: cost

#gl = #gpu.address_space<global>
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#product = {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
#program = #carousel.block_program<>
!matrix = memref<?x?xbf16, strided<[?, 1], offset: ?>, #gl>

// CHECK-DAG: #[[BY_128:.+]] = affine_map<(d0) -> (d0 * 128)>
// CHECK-DAG: #[[BY_64:.+]] = affine_map<(d0) -> (d0 * 64)>

// The sums of 64 x 128 leave registers for threads that copy, so that this tile comes first. Vectors of rows and of
// columns, the splat, the offsets and the grid follow the tile, and nothing else does: the bias of a row is broadcast along
// the columns, and the depth of 64 isn't a tile's extent.
// CHECK-LABEL: gpu.func @matmul_64x128(
// CHECK-SAME: grid = [ceildiv(extent(3, 1), 128), ceildiv(extent(3, 0), 64)], block = [128]>
// CHECK-SAME: #carousel.variant<kernel = "matmul", cost = floordiv(max(ceildiv(ceildiv(extent(3, 0), 64) * ceildiv(extent(3, 1), 128), sms)
// CHECK-DAG: %[[DOWN:.+]] = gpu.block_id y
// CHECK-DAG: %[[ACROSS:.+]] = gpu.block_id x
// CHECK-DAG: %[[ROW:.+]] = affine.apply #[[BY_64]](%[[DOWN]])
// CHECK-DAG: %[[COLUMN:.+]] = affine.apply #[[BY_128]](%[[ACROSS]])
// CHECK-DAG: arith.constant dense<0.000000e+00> : vector<64x128xf32>
// CHECK: vector.transfer_read %{{.+}}[%[[ROW]], %[[K:[a-z0-9]+]]], {{.+}}, vector<64x64xbf16>
// CHECK: vector.transfer_read %{{.+}}[%[[K]], %[[COLUMN]]], {{.+}}, vector<64x128xbf16>
// CHECK: vector<64x64xbf16>, vector<64x128xbf16> into vector<64x128xf32>
// CHECK: vector.transfer_read %{{.+}}[%[[ROW]]], {{.+}}, vector<64xf32>
// CHECK: vector.shape_cast {{.+}} vector<64xf32> to vector<64x1xf32>
// CHECK: vector.broadcast {{.+}} vector<64x1xf32> to vector<64x128xf32>
// CHECK: arith.truncf {{.+}} vector<64x128xf32> to vector<64x128xbf16>
// CHECK: vector.transfer_write {{.+}}[%[[ROW]], %[[COLUMN]]] : vector<64x128xbf16>

// The author's kernel keeps its name and its tile.
// CHECK-LABEL: gpu.func @matmul(
// CHECK-SAME: grid = [ceildiv(extent(3, 1), 256), ceildiv(extent(3, 0), 128)], block = [256]>
// CHECK-SAME: #carousel.variant<kernel = "matmul", cost = floordiv(max(ceildiv(ceildiv(extent(3, 0), 128) * ceildiv(extent(3, 1), 256), sms) * (ceildiv(extent(0, 1), 64) *
// CHECK-SAME: max([[STEP:[0-9]+]], min(mod(stride(0, 0) * 2, 32), 1) * [[X:[0-9]+]] + [[ALL_OF_X:[0-9]+]] + (min(mod(stride(1, 0) * 2, 32), 1) * [[W:[0-9]+]] + [[ALL_OF_W:[0-9]+]])) + [[ONCE:[0-9]+]]),
// CHECK-SAME: floordiv(((extent(3, 0) * 16 + extent(3, 1) * 16) * (ceildiv(extent(0, 1), 64) * 64) + extent(3, 0) * extent(3, 1) * 16) * 125, [[BANDWIDTH:[0-9]+]])), 1000) + [[START:[0-9]+]]>
// CHECK: vector<128x64xbf16>, vector<64x256xbf16> into vector<128x256xf32>

// CHECK-LABEL: gpu.func @matmul_128x128(
// CHECK-SAME: block = [256]

// CHECK-LABEL: gpu.func @matmul_64x64(

// Programs of neighbouring rows share the columns' factor.
// CHECK-LABEL: gpu.func @matmul_128x256_cluster2(
// CHECK-SAME: guards = [divisible(ceildiv(extent(3, 0), 128), 2)]
// CHECK: carousel.pipeline = #carousel.pipeline<{{.*}}multicast = 2>
// REMARK: [Passed]{{.*}}Function=matmul_64x128 | Remark="tile of 64 x 128 in 1 warpgroup,
// REMARK: [Passed]{{.*}}Function=matmul_128x256_cluster2 | Remark="tile of 128 x 256 in 2 warpgroups, clusters of 2,
// REMARK: [Passed]{{.*}}Function=matmul | Remark="tile of 128 x 256 in 2 warpgroups
gpu.module @m {
  gpu.func @matmul(%x: !matrix, %w: !matrix, %bias: memref<?xf32, #gl>, %y: !matrix) kernel attributes {
      carousel.block_program = #program,
      carousel.launch = #carousel.launch<grid = [ceildiv(extent(3, 1), 256), ceildiv(extent(3, 0), 128)]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c256 = arith.constant 256 : index
    %pad = arith.constant 0.0 : bf16
    %none = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : vector<128x256xf32>
    %across = gpu.block_id x
    %down = gpu.block_id y
    %i = affine.apply affine_map<(d) -> (d * 128)>(%down)
    %j = arith.muli %across, %c256 : index
    %depth = memref.dim %x, %c1 : !matrix
    %sum = scf.for %k = %c0 to %depth step %c64 iter_args(%acc = %zeros) -> (vector<128x256xf32>) {
      %xt = vector.transfer_read %x[%i, %k], %pad : !matrix, vector<128x64xbf16>
      %wt = vector.transfer_read %w[%k, %j], %pad : !matrix, vector<64x256xbf16>
      %next = vector.contract #product %xt, %wt, %acc : vector<128x64xbf16>, vector<64x256xbf16> into vector<128x256xf32>
      scf.yield %next : vector<128x256xf32>
    } {carousel.pipeline = #carousel.pipeline<>}
    %b = vector.transfer_read %bias[%i], %none : memref<?xf32, #gl>, vector<128xf32>
    %column = vector.shape_cast %b : vector<128xf32> to vector<128x1xf32>
    %all = vector.broadcast %column : vector<128x1xf32> to vector<128x256xf32>
    %v = arith.addf %sum, %all : vector<128x256xf32>
    %y16 = arith.truncf %v : vector<128x256xf32> to vector<128x256xbf16>
    vector.transfer_write %y16, %y[%i, %j] : vector<128x256xbf16>, !matrix
    gpu.return
  }
}

// -----

// Slots that the author asks for leave no room for larger tiles.
// CHECK-LABEL: gpu.func @small(
// CHECK-LABEL: gpu.func @small_64x64(
// CHECK-NOT: @small_
#gl = #gpu.address_space<global>
#product = {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
    affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
!x = memref<?x4096xf16, #gl>
!w = memref<4096x?xf16, strided<[?, 1], offset: ?>, #gl>
!y = memref<?x?xf32, strided<[?, 1], offset: ?>, #gl>
!sums = vector<64x128xf32>
gpu.module @m {
  // DOC-EXAMPLE: --carousel-attach-target=chip=sm_90a --carousel-vary-tiles
  gpu.func @small(%x: !x, %w: !w, %y: !y) kernel attributes {carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [ceildiv(extent(2, 1), 128), ceildiv(extent(2, 0), 64)]>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c4096 = arith.constant 4096 : index
    %pad = arith.constant 0.0 : f16
    %zeros = arith.constant dense<0.0> : !sums
    %across = gpu.block_id x
    %down = gpu.block_id y
    %i = affine.apply affine_map<(d) -> (d * 64)>(%down)
    %j = affine.apply affine_map<(d) -> (d * 128)>(%across)
    %sum = scf.for %k = %c0 to %c4096 step %c64 iter_args(%acc = %zeros) -> (!sums) {
      %xt = vector.transfer_read %x[%i, %k], %pad : !x, vector<64x64xf16>
      %wt = vector.transfer_read %w[%k, %j], %pad : !w, vector<64x128xf16>
      %next = vector.contract #product %xt, %wt, %acc : vector<64x64xf16>, vector<64x128xf16> into !sums
      scf.yield %next : !sums
    } {carousel.pipeline = #carousel.pipeline<stages = 8>}
    vector.transfer_write %sum, %y[%i, %j] : !sums, !y
    gpu.return
  }
}

// -----

// A reduction across the columns takes all of a tile's, so these stay as they are.
// CHECK-LABEL: gpu.func @reduced(
// CHECK-NOT: cost
// REMARK: [Missed]{{.*}}Function=reduced |{{.*}}no other tiles: its columns aren't tiled: an op takes all of a tile at once
#gl = #gpu.address_space<global>
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#product = {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
!matrix = memref<?x?xbf16, strided<[?, 1], offset: ?>, #gl>
gpu.module @m {
  gpu.func @reduced(%x: !matrix, %w: !matrix, %y: memref<?xf32, #gl>) kernel attributes {
      carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [ceildiv(extent(1, 1), 128), ceildiv(extent(2, 0), 128)]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : vector<128x128xf32>
    %low = arith.constant dense<0.0> : vector<128xf32>
    %across = gpu.block_id x
    %down = gpu.block_id y
    %i = affine.apply affine_map<(d) -> (d * 128)>(%down)
    %j = affine.apply affine_map<(d) -> (d * 128)>(%across)
    %depth = memref.dim %x, %c1 : !matrix
    %sum = scf.for %k = %c0 to %depth step %c64 iter_args(%acc = %zeros) -> (vector<128x128xf32>) {
      %xt = vector.transfer_read %x[%i, %k], %pad : !matrix, vector<128x64xbf16>
      %wt = vector.transfer_read %w[%k, %j], %pad : !matrix, vector<64x128xbf16>
      %next = vector.contract #product %xt, %wt, %acc
          : vector<128x64xbf16>, vector<64x128xbf16> into vector<128x128xf32>
      scf.yield %next : vector<128x128xf32>
    } {carousel.pipeline = #carousel.pipeline<>}
    %rows = vector.multi_reduction <add>, %sum, %low [1] : vector<128x128xf32> to vector<128xf32>
    vector.transfer_write %rows, %y[%i] : vector<128xf32>, memref<?xf32, #gl>
    gpu.return
  }
}

// -----

// The number of a program has another use, and an access has a part of a tile. An access that is said to be in bounds
// stays so with tiles that divide the author's.
// CHECK-LABEL: gpu.func @numbered(
// CHECK-NOT: @inside_128x256
// CHECK-LABEL: gpu.func @inside_64x128(
// CHECK: vector.transfer_write {{.*}} {in_bounds = [false, true]} : vector<64x128xf32>
// CHECK-LABEL: gpu.func @inside(
// CHECK-NOT: @inside_128x256
// REMARK: [Missed]{{.*}}Function=numbered |{{.*}}its rows aren't tiled: 'arith.index_cast' uses the number of the program
// REMARK: [Missed]{{.*}}Function=part |{{.*}}its columns aren't tiled: 'arith.addi' uses the offset of a tile
// REMARK: [Passed]{{.*}}Function=whole_128x256 |
// REMARK-NOT: Function=whole_64
// REMARK: [Missed]{{.*}}Function=blocks |{{.*}}no other tiles: its author gives a block
// REMARK: [Missed]{{.*}}Function=counted |{{.*}}its rows aren't tiled: 'gpu.grid_dim' depends on how many programs there are
// REMARK: [Passed]{{.*}}Function=grouped_128x256 |
// REMARK-NOT: Function=grouped_64
// REMARK: [Missed]{{.*}}Function=single |{{.*}}no other tiles: neither its rows nor its columns are tiled
#gl = #gpu.address_space<global>
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#product = {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
#program = #carousel.block_program<>
#tiles = #carousel.launch<grid = [ceildiv(extent(1, 1), 128), ceildiv(extent(0, 0), 128)]>
!matrix = memref<?x?xbf16, strided<[?, 1], offset: ?>, #gl>
!sums = vector<128x128xf32>
gpu.module @m {
  func.func private @multiply(%x: !matrix, %w: !matrix, %i: index, %j: index) -> !sums {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : !sums
    %depth = memref.dim %x, %c1 : !matrix
    %sum = scf.for %k = %c0 to %depth step %c64 iter_args(%acc = %zeros) -> (!sums) {
      %xt = vector.transfer_read %x[%i, %k], %pad : !matrix, vector<128x64xbf16>
      %wt = vector.transfer_read %w[%k, %j], %pad : !matrix, vector<64x128xbf16>
      %next = vector.contract #product %xt, %wt, %acc : vector<128x64xbf16>, vector<64x128xbf16> into !sums
      scf.yield %next : !sums
    } {carousel.pipeline = #carousel.pipeline<>}
    return %sum : !sums
  }
  gpu.func @numbered(%x: !matrix, %w: !matrix, %y: memref<?x?xf32, #gl>) kernel
      attributes {carousel.block_program = #program, carousel.launch = #tiles} {
    %across = gpu.block_id x
    %down = gpu.block_id y
    %i = affine.apply affine_map<(d) -> (d * 128)>(%down)
    %j = affine.apply affine_map<(d) -> (d * 128)>(%across)
    %sum = func.call @multiply(%x, %w, %i, %j) : (!matrix, !matrix, index, index) -> !sums
    %number = arith.index_cast %down : index to i32
    %value = arith.sitofp %number : i32 to f32
    %values = vector.broadcast %value : f32 to !sums
    %v = arith.addf %sum, %values : !sums
    vector.transfer_write %v, %y[%i, %j] : !sums, memref<?x?xf32, #gl>
    gpu.return
  }
  gpu.func @inside(%x: !matrix, %w: !matrix, %y: memref<?x?xf32, #gl>) kernel
      attributes {carousel.block_program = #program, carousel.launch = #tiles} {
    %across = gpu.block_id x
    %down = gpu.block_id y
    %i = affine.apply affine_map<(d) -> (d * 128)>(%down)
    %j = affine.apply affine_map<(d) -> (d * 128)>(%across)
    %sum = func.call @multiply(%x, %w, %i, %j) : (!matrix, !matrix, index, index) -> !sums
    vector.transfer_write %sum, %y[%i, %j] {in_bounds = [false, true]} : !sums, memref<?x?xf32, #gl>
    gpu.return
  }
  gpu.func @part(%x: !matrix, %w: !matrix, %y: memref<?x?xf32, #gl>) kernel
      attributes {carousel.block_program = #program, carousel.launch = #tiles} {
    %c64 = arith.constant 64 : index
    %across = gpu.block_id x
    %down = gpu.block_id y
    %i = affine.apply affine_map<(d) -> (d * 128)>(%down)
    %j = affine.apply affine_map<(d) -> (d * 128)>(%across)
    %sum = func.call @multiply(%x, %w, %i, %j) : (!matrix, !matrix, index, index) -> !sums
    %right = arith.addi %j, %c64 : index
    vector.transfer_write %sum, %y[%i, %right] : !sums, memref<?x?xf32, #gl>
    gpu.return
  }
  gpu.func @whole(%x: !matrix, %w: !matrix, %y: memref<?x?xf32, #gl>) kernel
      attributes {carousel.block_program = #program, carousel.launch = #carousel.launch<grid = [
        ceildiv(extent(1, 1), 128), floordiv(extent(0, 0), 128)]>} {
    %across = gpu.block_id x
    %down = gpu.block_id y
    %i = affine.apply affine_map<(d) -> (d * 128)>(%down)
    %j = affine.apply affine_map<(d) -> (d * 128)>(%across)
    %sum = func.call @multiply(%x, %w, %i, %j) : (!matrix, !matrix, index, index) -> !sums
    vector.transfer_write %sum, %y[%i, %j] : !sums, memref<?x?xf32, #gl>
    gpu.return
  }
  // Numbers of one dimension of the grid, as graphs have them: the columns' count changes with their tile.
  // CHECK-LABEL: gpu.func @flat_64x64(
  // CHECK-SAME: grid = [extent(3, 0) * ceildiv(extent(0, 0), 64) * ceildiv(extent(1, 1), 64)]
  // CHECK: %[[ID:.+]] = gpu.block_id x
  // CHECK: %[[COLUMNS:.+]] = memref.dim %{{.+}}, %{{.+}}
  // CHECK: %[[COUNT:.+]] = arith.ceildiv{{[us]}}i %[[COLUMNS]], %c64
  // CHECK: %[[DIVISOR:.+]] = arith.maxsi %[[COUNT]], %{{.+}}
  // CHECK: arith.remui %[[ID]], %[[DIVISOR]]
  gpu.func @flat(%x: !matrix, %w: !matrix, %y: memref<?x?x?xf32, #gl>, %b: memref<?xf32, #gl>) kernel
      attributes {carousel.block_program = #program, carousel.launch = #carousel.launch<grid = [
        extent(3, 0) * ceildiv(extent(0, 0), 128) * ceildiv(extent(1, 1), 128)]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %m = memref.dim %x, %c0 : !matrix
    %n = memref.dim %w, %c1 : !matrix
    %rows = arith.ceildivui %m, %c128 : index
    %columns = arith.ceildivui %n, %c128 : index
    %id = gpu.block_id x
    %across = arith.remui %id, %columns : index
    %rest = arith.divui %id, %columns : index
    %down = arith.remui %rest, %rows : index
    %batch = arith.divui %rest, %rows : index
    %i = arith.muli %down, %c128 : index
    %j = arith.muli %across, %c128 : index
    %sum = func.call @multiply(%x, %w, %i, %j) : (!matrix, !matrix, index, index) -> !sums
    vector.transfer_write %sum, %y[%batch, %i, %j] : !sums, memref<?x?x?xf32, #gl>
    gpu.return
  }
  gpu.func @blocks(%x: !matrix, %w: !matrix, %y: memref<?x?xf32, #gl>) kernel
      attributes {carousel.block_program = #program, carousel.launch = #carousel.launch<grid = [
        ceildiv(extent(1, 1), 128), ceildiv(extent(0, 0), 128)], block = [128]>} {
    %across = gpu.block_id x
    %down = gpu.block_id y
    %i = affine.apply affine_map<(d) -> (d * 128)>(%down)
    %j = affine.apply affine_map<(d) -> (d * 128)>(%across)
    %sum = func.call @multiply(%x, %w, %i, %j) : (!matrix, !matrix, index, index) -> !sums
    vector.transfer_write %sum, %y[%i, %j] : !sums, memref<?x?xf32, #gl>
    gpu.return
  }
  gpu.func @counted(%x: !matrix, %w: !matrix, %y: memref<?x?xf32, #gl>) kernel
      attributes {carousel.block_program = #program, carousel.launch = #tiles} {
    %across = gpu.block_id x
    %down = gpu.block_id y
    %count = gpu.grid_dim x
    %i = affine.apply affine_map<(d) -> (d * 128)>(%down)
    %j = affine.apply affine_map<(d) -> (d * 128)>(%across)
    %sum = func.call @multiply(%x, %w, %i, %j) : (!matrix, !matrix, index, index) -> !sums
    vector.transfer_write %sum, %y[%i, %j] : !sums, memref<?x?xf32, #gl>
    gpu.return
  }
  // All tiles have the whole extent of rows, and a matrix each, or no iterations: columns alone vary. Batches read at most all
  // matrices.
  // CHECK-LABEL: gpu.func @grouped_128x256(
  // CHECK-SAME: grid = [23, ceildiv(512, 256)]
  // CHECK-SAME: cost = {{.*}}min(512 * (16 * 64) * 23, 8 * 1024 * 512)
  // CHECK: vector.transfer_read {{.*}} vector<128x64xbf16>
  // CHECK: vector.transfer_read {{.*}} vector<64x256xbf16>
  gpu.func @grouped(%x: memref<23x128x1024xbf16, #gl>, %g: memref<23xi32, #gl>,
      %w: memref<8x1024x512xbf16, #gl>, %y: memref<23x128x512xf32, #gl>) kernel
      attributes {carousel.block_program = #program, carousel.launch = #carousel.launch<grid = [23, ceildiv(512, 128)]>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c1024 = arith.constant 1024 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : !sums
    %p = gpu.block_id x
    %across = gpu.block_id y
    %j = affine.apply affine_map<(d) -> (d * 128)>(%across)
    %number = memref.load %g[%p] : memref<23xi32, #gl>
    %matrix = arith.index_cast %number : i32 to index
    %none = arith.constant 8 : i32
    %exists = arith.cmpi slt, %number, %none : i32
    %depth = arith.select %exists, %c1024, %c0 : index
    %sum = scf.for %k = %c0 to %depth step %c64 iter_args(%acc = %zeros) -> (!sums) {
      %xt = vector.transfer_read %x[%p, %c0, %k], %pad {in_bounds = [true, true]}
          : memref<23x128x1024xbf16, #gl>, vector<128x64xbf16>
      %wt = vector.transfer_read %w[%matrix, %k, %j], %pad {in_bounds = [true, true]}
          : memref<8x1024x512xbf16, #gl>, vector<64x128xbf16>
      %next = vector.contract #product %xt, %wt, %acc : vector<128x64xbf16>, vector<64x128xbf16> into !sums
      scf.yield %next : !sums
    } {carousel.pipeline = #carousel.pipeline<>}
    vector.transfer_write %sum, %y[%p, %c0, %j] {in_bounds = [true, true]} : !sums, memref<23x128x512xf32, #gl>
    gpu.return
  }
  gpu.func @single(%x: !matrix, %w: !matrix, %y: memref<?x?xf32, #gl>) kernel
      attributes {carousel.block_program = #program, carousel.launch = #carousel.launch<grid = [1]>} {
    %c0 = arith.constant 0 : index
    %sum = func.call @multiply(%x, %w, %c0, %c0) : (!matrix, !matrix, index, index) -> !sums
    vector.transfer_write %sum, %y[%c0, %c0] : !sums, memref<?x?xf32, #gl>
    gpu.return
  }
}
