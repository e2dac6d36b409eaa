// Matrix instructions of a warp multiply on the simulated machine, at the tile phase and at the machine phase. A lane gets what
// another one asks for. Products are exact in f32, and added in the order of k, as here.
// DEFINE: %{lowered} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-lowered --require-variants %s --
// RUN: carousel-sim %s --kernel @product_bf16 --reference @product_bf16_reference --arg a=random:16x16 --arg b=random:16x8:1 --arg c=random:16x8:2 --policy all --schedules 2
// RUN: %{lowered} --kernel @product_bf16 --reference @product_bf16_reference --arg a=random:16x16 --arg b=random:16x8:1 --arg c=random:16x8:2 --policy all --schedules 2
// RUN: carousel-sim %s --kernel @product_f16 --reference @product_f16_reference --arg a=random:16x16 --arg b=random:16x8:1 --arg c=random:16x8:2 --policy all --schedules 2
// RUN: carousel-sim %s --kernel @product_bf16_k8 --reference @product_bf16_k8_reference --arg a=random:16x8 --arg b=random:8x8:1 --arg c=random:16x8:2 --policy all --schedules 2
// RUN: carousel-sim %s --kernel @product_f16_k8 --reference @product_f16_k8_reference --arg a=random:16x8 --arg b=random:8x8:1 --arg c=random:16x8:2 --policy all --schedules 2
// RUN: carousel-sim %s --kernel @sums_f16 --reference @sums_f16_reference --arg a=random:16x16 --arg b=random:16x8:1 --arg c=random:16x8:2 --policy all --schedules 2
// RUN: carousel-sim %s --kernel @sums_f16_k8 --reference @sums_f16_k8_reference --arg a=random:16x8 --arg b=random:8x8:1 --arg c=random:16x8:2 --policy all --schedules 2
// RUN: %{lowered} --kernel @sums_f16_k8 --reference @sums_f16_k8_reference --arg a=random:16x8 --arg b=random:8x8:1 --arg c=random:16x8:2 --policy all --schedules 2

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

gpu.module @products {
  // A by four matrices, B by two, transposed.
  gpu.func @product_bf16(%a: memref<16x16xbf16, #gl> {carousel.argument = #carousel.argument<"a", in>},
      %b: memref<16x8xbf16, #gl> {carousel.argument = #carousel.argument<"b", in>},
      %c: memref<16x8xf32, #gl> {carousel.argument = #carousel.argument<"c", inout>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %lane = gpu.thread_id x
    %as = memref.alloc() {alignment = 128 : i64} : memref<16x16xbf16, #ws>
    %bs = memref.alloc() {alignment = 128 : i64} : memref<16x8xbf16, #ws>
    carousel.load %a[%c0, %c0] to %as : memref<16x16xbf16, #gl>, memref<16x16xbf16, #ws>
    carousel.load %b[%c0, %c0] to %bs : memref<16x8xbf16, #gl>, memref<16x8xbf16, #ws>
    %row = arith.remui %lane, %c16 : index
    %half = arith.divui %lane, %c16 : index
    %column = arith.muli %half, %c8 : index
    %av = nvgpu.ldmatrix %as[%row, %column] {numTiles = 4 : i32, transpose = false} : memref<16x16xbf16, #ws> -> vector<4x2xbf16>
    %bv = nvgpu.ldmatrix %bs[%row, %c0] {numTiles = 2 : i32, transpose = true} : memref<16x8xbf16, #ws> -> vector<2x2xbf16>
    %group = arith.divui %lane, %c4 : index
    %below = arith.addi %group, %c8 : index
    %in_group = arith.remui %lane, %c4 : index
    %pair = arith.muli %in_group, %c2 : index
    %c_rows = vector.load %c[%group, %pair] : memref<16x8xf32, #gl>, vector<2xf32>
    %c_more = vector.load %c[%below, %pair] : memref<16x8xf32, #gl>, vector<2xf32>
    %none = arith.constant dense<0.0> : vector<2x2xf32>
    %c_first = vector.insert %c_rows, %none [0] : vector<2xf32> into vector<2x2xf32>
    %cv = vector.insert %c_more, %c_first [1] : vector<2xf32> into vector<2x2xf32>
    %d = nvgpu.mma.sync (%av, %bv, %cv) {mmaShape = [16, 8, 16]}
        : (vector<4x2xbf16>, vector<2x2xbf16>, vector<2x2xf32>) -> vector<2x2xf32>
    %d0 = vector.extract %d[0] : vector<2xf32> from vector<2x2xf32>
    %d1 = vector.extract %d[1] : vector<2xf32> from vector<2x2xf32>
    vector.store %d0, %c[%group, %pair] : memref<16x8xf32, #gl>, vector<2xf32>
    vector.store %d1, %c[%below, %pair] : memref<16x8xf32, #gl>, vector<2xf32>
    gpu.return
  }

  // The same for f16.
  gpu.func @product_f16(%a: memref<16x16xf16, #gl> {carousel.argument = #carousel.argument<"a", in>},
      %b: memref<16x8xf16, #gl> {carousel.argument = #carousel.argument<"b", in>},
      %c: memref<16x8xf32, #gl> {carousel.argument = #carousel.argument<"c", inout>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %lane = gpu.thread_id x
    %as = memref.alloc() {alignment = 128 : i64} : memref<16x16xf16, #ws>
    %bs = memref.alloc() {alignment = 128 : i64} : memref<16x8xf16, #ws>
    carousel.load %a[%c0, %c0] to %as : memref<16x16xf16, #gl>, memref<16x16xf16, #ws>
    carousel.load %b[%c0, %c0] to %bs : memref<16x8xf16, #gl>, memref<16x8xf16, #ws>
    %row = arith.remui %lane, %c16 : index
    %half = arith.divui %lane, %c16 : index
    %column = arith.muli %half, %c8 : index
    %av = nvgpu.ldmatrix %as[%row, %column] {numTiles = 4 : i32, transpose = false} : memref<16x16xf16, #ws> -> vector<4x2xf16>
    %bv = nvgpu.ldmatrix %bs[%row, %c0] {numTiles = 2 : i32, transpose = true} : memref<16x8xf16, #ws> -> vector<2x2xf16>
    %group = arith.divui %lane, %c4 : index
    %below = arith.addi %group, %c8 : index
    %in_group = arith.remui %lane, %c4 : index
    %pair = arith.muli %in_group, %c2 : index
    %c_rows = vector.load %c[%group, %pair] : memref<16x8xf32, #gl>, vector<2xf32>
    %c_more = vector.load %c[%below, %pair] : memref<16x8xf32, #gl>, vector<2xf32>
    %none = arith.constant dense<0.0> : vector<2x2xf32>
    %c_first = vector.insert %c_rows, %none [0] : vector<2xf32> into vector<2x2xf32>
    %cv = vector.insert %c_more, %c_first [1] : vector<2xf32> into vector<2x2xf32>
    %d = nvgpu.mma.sync (%av, %bv, %cv) {mmaShape = [16, 8, 16]}
        : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
    %d0 = vector.extract %d[0] : vector<2xf32> from vector<2x2xf32>
    %d1 = vector.extract %d[1] : vector<2xf32> from vector<2x2xf32>
    vector.store %d0, %c[%group, %pair] : memref<16x8xf32, #gl>, vector<2xf32>
    vector.store %d1, %c[%below, %pair] : memref<16x8xf32, #gl>, vector<2xf32>
    gpu.return
  }

  // A by two matrices, B by one.
  gpu.func @product_bf16_k8(%a: memref<16x8xbf16, #gl> {carousel.argument = #carousel.argument<"a", in>},
      %b: memref<8x8xbf16, #gl> {carousel.argument = #carousel.argument<"b", in>},
      %c: memref<16x8xf32, #gl> {carousel.argument = #carousel.argument<"c", inout>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %lane = gpu.thread_id x
    %as = memref.alloc() {alignment = 128 : i64} : memref<16x8xbf16, #ws>
    %bs = memref.alloc() {alignment = 128 : i64} : memref<8x8xbf16, #ws>
    carousel.load %a[%c0, %c0] to %as : memref<16x8xbf16, #gl>, memref<16x8xbf16, #ws>
    carousel.load %b[%c0, %c0] to %bs : memref<8x8xbf16, #gl>, memref<8x8xbf16, #ws>
    %row = arith.remui %lane, %c16 : index
    %half = arith.divui %lane, %c16 : index
    %column = arith.muli %half, %c8 : index
    %brow = arith.remui %lane, %c8 : index
    %av = nvgpu.ldmatrix %as[%row, %c0] {numTiles = 2 : i32, transpose = false} : memref<16x8xbf16, #ws> -> vector<2x2xbf16>
    %bv = nvgpu.ldmatrix %bs[%brow, %c0] {numTiles = 1 : i32, transpose = true} : memref<8x8xbf16, #ws> -> vector<1x2xbf16>
    %group = arith.divui %lane, %c4 : index
    %below = arith.addi %group, %c8 : index
    %in_group = arith.remui %lane, %c4 : index
    %pair = arith.muli %in_group, %c2 : index
    %c_rows = vector.load %c[%group, %pair] : memref<16x8xf32, #gl>, vector<2xf32>
    %c_more = vector.load %c[%below, %pair] : memref<16x8xf32, #gl>, vector<2xf32>
    %none = arith.constant dense<0.0> : vector<2x2xf32>
    %c_first = vector.insert %c_rows, %none [0] : vector<2xf32> into vector<2x2xf32>
    %cv = vector.insert %c_more, %c_first [1] : vector<2xf32> into vector<2x2xf32>
    %d = nvgpu.mma.sync (%av, %bv, %cv) {mmaShape = [16, 8, 8]}
        : (vector<2x2xbf16>, vector<1x2xbf16>, vector<2x2xf32>) -> vector<2x2xf32>
    %d0 = vector.extract %d[0] : vector<2xf32> from vector<2x2xf32>
    %d1 = vector.extract %d[1] : vector<2xf32> from vector<2x2xf32>
    vector.store %d0, %c[%group, %pair] : memref<16x8xf32, #gl>, vector<2xf32>
    vector.store %d1, %c[%below, %pair] : memref<16x8xf32, #gl>, vector<2xf32>
    gpu.return
  }

  // The same for f16.
  gpu.func @product_f16_k8(%a: memref<16x8xf16, #gl> {carousel.argument = #carousel.argument<"a", in>},
      %b: memref<8x8xf16, #gl> {carousel.argument = #carousel.argument<"b", in>},
      %c: memref<16x8xf32, #gl> {carousel.argument = #carousel.argument<"c", inout>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %lane = gpu.thread_id x
    %as = memref.alloc() {alignment = 128 : i64} : memref<16x8xf16, #ws>
    %bs = memref.alloc() {alignment = 128 : i64} : memref<8x8xf16, #ws>
    carousel.load %a[%c0, %c0] to %as : memref<16x8xf16, #gl>, memref<16x8xf16, #ws>
    carousel.load %b[%c0, %c0] to %bs : memref<8x8xf16, #gl>, memref<8x8xf16, #ws>
    %row = arith.remui %lane, %c16 : index
    %half = arith.divui %lane, %c16 : index
    %column = arith.muli %half, %c8 : index
    %brow = arith.remui %lane, %c8 : index
    %av = nvgpu.ldmatrix %as[%row, %c0] {numTiles = 2 : i32, transpose = false} : memref<16x8xf16, #ws> -> vector<2x2xf16>
    %bv = nvgpu.ldmatrix %bs[%brow, %c0] {numTiles = 1 : i32, transpose = true} : memref<8x8xf16, #ws> -> vector<1x2xf16>
    %group = arith.divui %lane, %c4 : index
    %below = arith.addi %group, %c8 : index
    %in_group = arith.remui %lane, %c4 : index
    %pair = arith.muli %in_group, %c2 : index
    %c_rows = vector.load %c[%group, %pair] : memref<16x8xf32, #gl>, vector<2xf32>
    %c_more = vector.load %c[%below, %pair] : memref<16x8xf32, #gl>, vector<2xf32>
    %none = arith.constant dense<0.0> : vector<2x2xf32>
    %c_first = vector.insert %c_rows, %none [0] : vector<2xf32> into vector<2x2xf32>
    %cv = vector.insert %c_more, %c_first [1] : vector<2xf32> into vector<2x2xf32>
    %d = nvgpu.mma.sync (%av, %bv, %cv) {mmaShape = [16, 8, 8]}
        : (vector<2x2xf16>, vector<1x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
    %d0 = vector.extract %d[0] : vector<2xf32> from vector<2x2xf32>
    %d1 = vector.extract %d[1] : vector<2xf32> from vector<2x2xf32>
    vector.store %d0, %c[%group, %pair] : memref<16x8xf32, #gl>, vector<2xf32>
    vector.store %d1, %c[%below, %pair] : memref<16x8xf32, #gl>, vector<2xf32>
    gpu.return
  }

  // Sums of f16.
  gpu.func @sums_f16(%a: memref<16x16xf16, #gl> {carousel.argument = #carousel.argument<"a", in>},
      %b: memref<16x8xf16, #gl> {carousel.argument = #carousel.argument<"b", in>},
      %c: memref<16x8xf16, #gl> {carousel.argument = #carousel.argument<"c", inout>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %lane = gpu.thread_id x
    %as = memref.alloc() {alignment = 128 : i64} : memref<16x16xf16, #ws>
    %bs = memref.alloc() {alignment = 128 : i64} : memref<16x8xf16, #ws>
    carousel.load %a[%c0, %c0] to %as : memref<16x16xf16, #gl>, memref<16x16xf16, #ws>
    carousel.load %b[%c0, %c0] to %bs : memref<16x8xf16, #gl>, memref<16x8xf16, #ws>
    %row = arith.remui %lane, %c16 : index
    %half = arith.divui %lane, %c16 : index
    %column = arith.muli %half, %c8 : index
    %av = nvgpu.ldmatrix %as[%row, %column] {numTiles = 4 : i32, transpose = false} : memref<16x16xf16, #ws> -> vector<4x2xf16>
    %bv = nvgpu.ldmatrix %bs[%row, %c0] {numTiles = 2 : i32, transpose = true} : memref<16x8xf16, #ws> -> vector<2x2xf16>
    %group = arith.divui %lane, %c4 : index
    %below = arith.addi %group, %c8 : index
    %in_group = arith.remui %lane, %c4 : index
    %pair = arith.muli %in_group, %c2 : index
    %c_rows = vector.load %c[%group, %pair] : memref<16x8xf16, #gl>, vector<2xf16>
    %c_more = vector.load %c[%below, %pair] : memref<16x8xf16, #gl>, vector<2xf16>
    %none = arith.constant dense<0.0> : vector<2x2xf16>
    %c_first = vector.insert %c_rows, %none [0] : vector<2xf16> into vector<2x2xf16>
    %cv = vector.insert %c_more, %c_first [1] : vector<2xf16> into vector<2x2xf16>
    %d = nvgpu.mma.sync (%av, %bv, %cv) {mmaShape = [16, 8, 16]}
        : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf16>) -> vector<2x2xf16>
    %d0 = vector.extract %d[0] : vector<2xf16> from vector<2x2xf16>
    %d1 = vector.extract %d[1] : vector<2xf16> from vector<2x2xf16>
    vector.store %d0, %c[%group, %pair] : memref<16x8xf16, #gl>, vector<2xf16>
    vector.store %d1, %c[%below, %pair] : memref<16x8xf16, #gl>, vector<2xf16>
    gpu.return
  }

  // The same for eight k.
  gpu.func @sums_f16_k8(%a: memref<16x8xf16, #gl> {carousel.argument = #carousel.argument<"a", in>},
      %b: memref<8x8xf16, #gl> {carousel.argument = #carousel.argument<"b", in>},
      %c: memref<16x8xf16, #gl> {carousel.argument = #carousel.argument<"c", inout>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %lane = gpu.thread_id x
    %as = memref.alloc() {alignment = 128 : i64} : memref<16x8xf16, #ws>
    %bs = memref.alloc() {alignment = 128 : i64} : memref<8x8xf16, #ws>
    carousel.load %a[%c0, %c0] to %as : memref<16x8xf16, #gl>, memref<16x8xf16, #ws>
    carousel.load %b[%c0, %c0] to %bs : memref<8x8xf16, #gl>, memref<8x8xf16, #ws>
    %row = arith.remui %lane, %c16 : index
    %half = arith.divui %lane, %c16 : index
    %column = arith.muli %half, %c8 : index
    %brow = arith.remui %lane, %c8 : index
    %av = nvgpu.ldmatrix %as[%row, %c0] {numTiles = 2 : i32, transpose = false} : memref<16x8xf16, #ws> -> vector<2x2xf16>
    %bv = nvgpu.ldmatrix %bs[%brow, %c0] {numTiles = 1 : i32, transpose = true} : memref<8x8xf16, #ws> -> vector<1x2xf16>
    %group = arith.divui %lane, %c4 : index
    %below = arith.addi %group, %c8 : index
    %in_group = arith.remui %lane, %c4 : index
    %pair = arith.muli %in_group, %c2 : index
    %c_rows = vector.load %c[%group, %pair] : memref<16x8xf16, #gl>, vector<2xf16>
    %c_more = vector.load %c[%below, %pair] : memref<16x8xf16, #gl>, vector<2xf16>
    %none = arith.constant dense<0.0> : vector<2x2xf16>
    %c_first = vector.insert %c_rows, %none [0] : vector<2xf16> into vector<2x2xf16>
    %cv = vector.insert %c_more, %c_first [1] : vector<2xf16> into vector<2x2xf16>
    %d = nvgpu.mma.sync (%av, %bv, %cv) {mmaShape = [16, 8, 8]}
        : (vector<2x2xf16>, vector<1x2xf16>, vector<2x2xf16>) -> vector<2x2xf16>
    %d0 = vector.extract %d[0] : vector<2xf16> from vector<2x2xf16>
    %d1 = vector.extract %d[1] : vector<2xf16> from vector<2x2xf16>
    vector.store %d0, %c[%group, %pair] : memref<16x8xf16, #gl>, vector<2xf16>
    vector.store %d1, %c[%below, %pair] : memref<16x8xf16, #gl>, vector<2xf16>
    gpu.return
  }
}

func.func @product_bf16_reference(%a: memref<16x16xbf16>, %b: memref<16x8xbf16>, %c: memref<16x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = arith.constant 16 : index
  %n = arith.constant 8 : index
  %k = arith.constant 16 : index
  scf.for %i = %c0 to %m step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      %old = memref.load %c[%i, %j] : memref<16x8xf32>
      %sum = scf.for %p = %c0 to %k step %c1 iter_args(%s = %old) -> (f32) {
        %x = memref.load %a[%i, %p] : memref<16x16xbf16>
        %y = memref.load %b[%p, %j] : memref<16x8xbf16>
        %xw = arith.extf %x : bf16 to f32
        %yw = arith.extf %y : bf16 to f32
        %next = math.fma %xw, %yw, %s : f32
        scf.yield %next : f32
      }
      memref.store %sum, %c[%i, %j] : memref<16x8xf32>
    }
  }
  return
}

func.func @product_f16_reference(%a: memref<16x16xf16>, %b: memref<16x8xf16>, %c: memref<16x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = arith.constant 16 : index
  %n = arith.constant 8 : index
  %k = arith.constant 16 : index
  scf.for %i = %c0 to %m step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      %old = memref.load %c[%i, %j] : memref<16x8xf32>
      %sum = scf.for %p = %c0 to %k step %c1 iter_args(%s = %old) -> (f32) {
        %x = memref.load %a[%i, %p] : memref<16x16xf16>
        %y = memref.load %b[%p, %j] : memref<16x8xf16>
        %xw = arith.extf %x : f16 to f32
        %yw = arith.extf %y : f16 to f32
        %next = math.fma %xw, %yw, %s : f32
        scf.yield %next : f32
      }
      memref.store %sum, %c[%i, %j] : memref<16x8xf32>
    }
  }
  return
}

func.func @product_bf16_k8_reference(%a: memref<16x8xbf16>, %b: memref<8x8xbf16>, %c: memref<16x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = arith.constant 16 : index
  %n = arith.constant 8 : index
  %k = arith.constant 8 : index
  scf.for %i = %c0 to %m step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      %old = memref.load %c[%i, %j] : memref<16x8xf32>
      %sum = scf.for %p = %c0 to %k step %c1 iter_args(%s = %old) -> (f32) {
        %x = memref.load %a[%i, %p] : memref<16x8xbf16>
        %y = memref.load %b[%p, %j] : memref<8x8xbf16>
        %xw = arith.extf %x : bf16 to f32
        %yw = arith.extf %y : bf16 to f32
        %next = math.fma %xw, %yw, %s : f32
        scf.yield %next : f32
      }
      memref.store %sum, %c[%i, %j] : memref<16x8xf32>
    }
  }
  return
}

func.func @product_f16_k8_reference(%a: memref<16x8xf16>, %b: memref<8x8xf16>, %c: memref<16x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = arith.constant 16 : index
  %n = arith.constant 8 : index
  %k = arith.constant 8 : index
  scf.for %i = %c0 to %m step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      %old = memref.load %c[%i, %j] : memref<16x8xf32>
      %sum = scf.for %p = %c0 to %k step %c1 iter_args(%s = %old) -> (f32) {
        %x = memref.load %a[%i, %p] : memref<16x8xf16>
        %y = memref.load %b[%p, %j] : memref<8x8xf16>
        %xw = arith.extf %x : f16 to f32
        %yw = arith.extf %y : f16 to f32
        %next = math.fma %xw, %yw, %s : f32
        scf.yield %next : f32
      }
      memref.store %sum, %c[%i, %j] : memref<16x8xf32>
    }
  }
  return
}

func.func @sums_f16_reference(%a: memref<16x16xf16>, %b: memref<16x8xf16>, %c: memref<16x8xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = arith.constant 16 : index
  %n = arith.constant 8 : index
  %k = arith.constant 16 : index
  scf.for %i = %c0 to %m step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      %old = memref.load %c[%i, %j] : memref<16x8xf16>
      %start = arith.extf %old : f16 to f32
      %sum = scf.for %p = %c0 to %k step %c1 iter_args(%s = %start) -> (f32) {
        %x = memref.load %a[%i, %p] : memref<16x16xf16>
        %y = memref.load %b[%p, %j] : memref<16x8xf16>
        %xw = arith.extf %x : f16 to f32
        %yw = arith.extf %y : f16 to f32
        %next = math.fma %xw, %yw, %s : f32
        scf.yield %next : f32
      }
      %narrow = arith.truncf %sum : f32 to f16
      memref.store %narrow, %c[%i, %j] : memref<16x8xf16>
    }
  }
  return
}

func.func @sums_f16_k8_reference(%a: memref<16x8xf16>, %b: memref<8x8xf16>, %c: memref<16x8xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = arith.constant 16 : index
  %n = arith.constant 8 : index
  %k = arith.constant 8 : index
  scf.for %i = %c0 to %m step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      %old = memref.load %c[%i, %j] : memref<16x8xf16>
      %start = arith.extf %old : f16 to f32
      %sum = scf.for %p = %c0 to %k step %c1 iter_args(%s = %start) -> (f32) {
        %x = memref.load %a[%i, %p] : memref<16x8xf16>
        %y = memref.load %b[%p, %j] : memref<8x8xf16>
        %xw = arith.extf %x : f16 to f32
        %yw = arith.extf %y : f16 to f32
        %next = math.fma %xw, %yw, %s : f32
        scf.yield %next : f32
      }
      %narrow = arith.truncf %sum : f32 to f16
      memref.store %narrow, %c[%i, %j] : memref<16x8xf16>
    }
  }
  return
}
