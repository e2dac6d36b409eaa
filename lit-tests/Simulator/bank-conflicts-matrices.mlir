// ldmatrix counts as the hardware reads: eight rows of 16 bytes for each matrix, in one wavefront if they are in distinct
// banks. The loads to which the simulated machine expands it don't count.
// DEFINE: %{sim} = carousel-sim %s --bank-conflicts --kernel
// RUN: %{sim} @plain --arg x=random:16x64 --arg y=empty:32x8 | FileCheck %s --check-prefix=PLAIN
// RUN: %{sim} @swizzled --arg x=random:16x64 --arg y=empty:32x8 | FileCheck %s --check-prefix=SWIZZLED
// RUN: %{sim} @transposed --arg x=random:16x64 --arg y=empty:32x8 | FileCheck %s --check-prefix=TRANSPOSED
// RUN: %{sim} @part --arg x=random:16x64 --arg y=empty:32x8 | FileCheck %s --check-prefix=PART

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

gpu.module @matrices {
  // Rows at a pitch of 128 bytes begin in one bank.
  //      PLAIN: bank-conflicts-matrices.mlir:[[@LINE+14]]:10 {{ *}}ldmatrix, 16 bytes {{ *}}1 {{ *}}32 {{ *}}4 {{ *}}28{{$}}
  // PLAIN-NEXT: total {{ *}}1 {{ *}}32 {{ *}}4 {{ *}}28{{$}}
  gpu.func @plain(%x: memref<16x64xbf16, #gl> {carousel.argument = #carousel.argument<"x", in>},
      %y: memref<32x8xbf16, #gl> {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %lane = gpu.thread_id x
    %s = memref.alloc() {alignment = 128 : i64} : memref<16x64xbf16, #ws>
    carousel.load %x[%c0, %c0] to %s : memref<16x64xbf16, #gl>, memref<16x64xbf16, #ws>
    %row = arith.remui %lane, %c16 : index
    %half = arith.divui %lane, %c16 : index
    %column = arith.muli %half, %c8 : index
    %v = nvgpu.ldmatrix %s[%row, %column] {numTiles = 4 : i32, transpose = false} : memref<16x64xbf16, #ws> -> vector<4x2xbf16>
    %flat = vector.shape_cast %v : vector<4x2xbf16> to vector<8xbf16>
    vector.store %flat, %y[%lane, %c0] : memref<32x8xbf16, #gl>, vector<8xbf16>
    gpu.return
  }

  // Column 8c of row r is at 8 * (c xor r).
  //      SWIZZLED: bank-conflicts-matrices.mlir:[[@LINE+16]]:10 {{ *}}ldmatrix, 16 bytes {{ *}}1 {{ *}}4 {{ *}}4 {{ *}}0{{$}}
  // SWIZZLED-NEXT: total {{ *}}1 {{ *}}4 {{ *}}4 {{ *}}0{{$}}
  gpu.func @swizzled(%x: memref<16x64xbf16, #gl> {carousel.argument = #carousel.argument<"x", in>},
      %y: memref<32x8xbf16, #gl> {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %lane = gpu.thread_id x
    %s = memref.alloc() {alignment = 128 : i64} : memref<16x64xbf16, #ws>
    carousel.load %x[%c0, %c0] to %s : memref<16x64xbf16, #gl>, memref<16x64xbf16, #ws>
    %row = arith.remui %lane, %c16 : index
    %half = arith.divui %lane, %c16 : index
    %in_group = arith.remui %row, %c8 : index
    %piece = arith.xori %half, %in_group : index
    %column = arith.muli %piece, %c8 : index
    %v = nvgpu.ldmatrix %s[%row, %column] {numTiles = 4 : i32, transpose = false} : memref<16x64xbf16, #ws> -> vector<4x2xbf16>
    %flat = vector.shape_cast %v : vector<4x2xbf16> to vector<8xbf16>
    vector.store %flat, %y[%lane, %c0] : memref<32x8xbf16, #gl>, vector<8xbf16>
    gpu.return
  }

  // Transposed, in a loop: one execution in each iteration. Two matrices of rows beside each other, and rows of one bank.
  //      TRANSPOSED: bank-conflicts-matrices.mlir:[[@LINE+18]]:12 {{ *}}ldmatrix, 16 bytes {{ *}}2 {{ *}}4 {{ *}}4 {{ *}}0{{$}}
  // TRANSPOSED-NEXT: bank-conflicts-matrices.mlir:[[@LINE+22]]:10 {{ *}}ldmatrix, 16 bytes {{ *}}1 {{ *}}16 {{ *}}2 {{ *}}14{{$}}
  // TRANSPOSED-NEXT: total {{ *}}3 {{ *}}20 {{ *}}6 {{ *}}14{{$}}
  gpu.func @transposed(%x: memref<16x64xbf16, #gl> {carousel.argument = #carousel.argument<"x", in>},
      %y: memref<32x8xbf16, #gl> {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %lane = gpu.thread_id x
    %s = memref.alloc() {alignment = 128 : i64} : memref<16x64xbf16, #ws>
    carousel.load %x[%c0, %c0] to %s : memref<16x64xbf16, #gl>, memref<16x64xbf16, #ws>
    %piece = arith.remui %lane, %c8 : index
    %column = arith.muli %piece, %c8 : index
    scf.for %i = %c0 to %c2 step %c1 {
      %v = nvgpu.ldmatrix %s[%i, %column] {numTiles = 2 : i32, transpose = true} : memref<16x64xbf16, #ws> -> vector<2x2xbf16>
      %flat = vector.shape_cast %v : vector<2x2xbf16> to vector<4xbf16>
      vector.store %flat, %y[%lane, %c0] : memref<32x8xbf16, #gl>, vector<4xbf16>
    }
    %row = arith.remui %lane, %c16 : index
    %w = nvgpu.ldmatrix %s[%row, %c0] {numTiles = 2 : i32, transpose = true} : memref<16x64xbf16, #ws> -> vector<2x2xbf16>
    %rest = vector.shape_cast %w : vector<2x2xbf16> to vector<4xbf16>
    vector.store %rest, %y[%lane, %c4] : memref<32x8xbf16, #gl>, vector<4xbf16>
    gpu.return
  }

  // The kernel uses one element of one matrix; the instruction reads two. Lanes from 16 on provide no rows.
  //      PART: bank-conflicts-matrices.mlir:[[@LINE+11]]:10 {{ *}}ldmatrix, 16 bytes {{ *}}1 {{ *}}16 {{ *}}2 {{ *}}14{{$}}
  // PART-NEXT: total {{ *}}1 {{ *}}16 {{ *}}2 {{ *}}14{{$}}
  gpu.func @part(%x: memref<16x64xbf16, #gl> {carousel.argument = #carousel.argument<"x", in>},
      %y: memref<32x8xbf16, #gl> {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %lane = gpu.thread_id x
    %s = memref.alloc() {alignment = 128 : i64} : memref<16x64xbf16, #ws>
    carousel.load %x[%c0, %c0] to %s : memref<16x64xbf16, #gl>, memref<16x64xbf16, #ws>
    %row = arith.remui %lane, %c16 : index
    %v = nvgpu.ldmatrix %s[%row, %c0] {numTiles = 2 : i32, transpose = true} : memref<16x64xbf16, #ws> -> vector<2x2xbf16>
    %one = vector.extract %v[1, 0] : bf16 from vector<2x2xbf16>
    memref.store %one, %y[%lane, %c0] : memref<32x8xbf16, #gl>
    gpu.return
  }
}
