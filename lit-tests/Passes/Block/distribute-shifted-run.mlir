// Rows that begin at any element are accessed by granules, which give what the program means: at each distance from a multiple of
// 16 bytes, of rows shorter than a run, with ends in each lane, of vectors that end within a row, and several rows to a warp.
// RUN: sed 's/COLUMNS/509/' %s | carousel-opt --pass-pipeline='builtin.module(gpu.module(carousel-distribute))' | FileCheck %s
// DEFINE: %{lowered} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-lowered %t.mlir --chip sm_80,sm_90a --
// DEFINE: %{args} = --kernel @rows --arg x=random:9x509 --arg y=empty:9x509
// RUN: sed 's/COLUMNS/509/' %s > %t.mlir && carousel-sim %t.mlir %{args} --out y=%t.y.npy && %{lowered} %{args} --schedules 3 --expect y=%t.y.npy
// REDEFINE: %{args} = --kernel @rows --arg x=random:9x1@3x1 --arg y=empty:9x1@5x1
// RUN: sed 's/COLUMNS/1/' %s > %t.mlir && carousel-sim %t.mlir %{args} --out y=%t.y.npy && %{lowered} %{args} --schedules 3 --expect y=%t.y.npy
// REDEFINE: %{args} = --kernel @rows --arg x=random:9x7 --arg y=empty:9x7@15x1
// RUN: sed 's/COLUMNS/7/' %s > %t.mlir && carousel-sim %t.mlir %{args} --out y=%t.y.npy && %{lowered} %{args} --schedules 3 --expect y=%t.y.npy
// REDEFINE: %{args} = --kernel @rows --arg x=random:17x67@71x1 --arg y=empty:17x67
// RUN: sed 's/COLUMNS/67/' %s > %t.mlir && carousel-sim %t.mlir %{args} --out y=%t.y.npy && %{lowered} %{args} --schedules 3 --expect y=%t.y.npy
// REDEFINE: %{args} = --kernel @rows --arg x=random:9x511@513x1 --arg y=empty:9x511@512x1
// RUN: sed 's/COLUMNS/511/' %s > %t.mlir && carousel-sim %t.mlir %{args} --out y=%t.y.npy && %{lowered} %{args} --schedules 3 --expect y=%t.y.npy
// REDEFINE: %{args} = --kernel @rows --arg x=random:9x512@1023x1 --arg y=empty:9x512@515x1
// RUN: sed 's/COLUMNS/512/' %s > %t.mlir && carousel-sim %t.mlir %{args} --out y=%t.y.npy && %{lowered} %{args} --schedules 3 --expect y=%t.y.npy
// REDEFINE: %{args} = --kernel @rows --arg x=random:9x15 --arg y=empty:9x15
// RUN: sed 's/COLUMNS/15/' %s > %t.mlir && carousel-sim %t.mlir %{args} --out y=%t.y.npy && %{lowered} %{args} --schedules 3 --expect y=%t.y.npy
// REDEFINE: %{args} = --kernel @rows --arg x=random:3x259@259x1 --arg y=empty:3x259
// RUN: sed 's/COLUMNS/259/' %s > %t.mlir && carousel-sim %t.mlir %{args} --out y=%t.y.npy && %{lowered} %{args} --schedules 3 --expect y=%t.y.npy
// REDEFINE: %{args} = --kernel @chunks --arg x=random:5x515 --arg y=empty:5x515
// RUN: sed 's/COLUMNS/515/' %s > %t.mlir && carousel-sim %t.mlir %{args} --out y=%t.y.npy && %{lowered} %{args} --schedules 3 --expect y=%t.y.npy
// REDEFINE: %{args} = --kernel @chunks --arg x=random:9x1027@1031x1 --arg y=empty:9x1027@1029x1
// RUN: sed 's/COLUMNS/1027/' %s > %t.mlir && carousel-sim %t.mlir %{args} --out y=%t.y.npy && %{lowered} %{args} --schedules 3 --expect y=%t.y.npy
// REDEFINE: %{args} = --kernel @bytes --arg x=random:17x1001 --arg y=empty:17x1001@1003x1
// RUN: sed 's/COLUMNS/1001/' %s > %t.mlir && carousel-sim %t.mlir %{args} --out y=%t.y.npy && %{lowered} %{args} --schedules 3 --expect y=%t.y.npy
// REDEFINE: %{args} = --kernel @several --arg x=random:13x61 --arg y=empty:13x61
// RUN: sed 's/COLUMNS/61/' %s > %t.mlir && carousel-sim %t.mlir %{args} --out y=%t.y.npy && %{lowered} %{args} --schedules 3 --expect y=%t.y.npy
// REDEFINE: %{args} = --kernel @several --arg x=random:8x64@67x1 --arg y=empty:8x64@65x1
// RUN: sed 's/COLUMNS/64/' %s > %t.mlir && carousel-sim %t.mlir %{args} --out y=%t.y.npy && %{lowered} %{args} --schedules 3 --expect y=%t.y.npy
// REDEFINE: %{args} = --kernel @in_place --arg y=random:9x509
// RUN: sed 's/COLUMNS/509/' %s > %t.mlir && carousel-sim %t.mlir %{args} --out y=%t.y.npy && %{lowered} %{args} --schedules 3 --expect y=%t.y.npy
// REDEFINE: %{args} = --kernel @line --arg w=random:301 --arg y=empty:301
// RUN: sed 's/COLUMNS/301/' %s > %t.mlir && carousel-sim %t.mlir %{args} --out y=%t.y.npy && %{lowered} %{args} --schedules 3 --expect y=%t.y.npy
// REDEFINE: %{args} = --kernel @sums --arg x=random:9x509 --arg y=empty:9x509
// RUN: sed 's/COLUMNS/509/' %s > %t.mlir && carousel-sim %t.mlir %{args} --out y=%t.y.npy && %{lowered} %{args} --schedules 3 --expect y=%t.y.npy
// REDEFINE: %{args} = --kernel @sums --arg x=random:7x3@259x1 --arg y=empty:7x3
// RUN: sed 's/COLUMNS/3/' %s > %t.mlir && carousel-sim %t.mlir %{args} --out y=%t.y.npy && %{lowered} %{args} --schedules 3 --expect y=%t.y.npy
// REDEFINE: %{args} = --kernel @before --arg x=random:9x490 --arg y=empty:9x490
// RUN: sed 's/COLUMNS/490/' %s > %t.mlir && carousel-sim %t.mlir %{args} --out y=%t.y.npy && %{lowered} %{args} --schedules 3 --expect y=%t.y.npy
// REDEFINE: %{args} = --kernel @before --arg x=random:9x490@491x1 --arg y=empty:9x490@493x1
// RUN: sed 's/COLUMNS/490/' %s > %t.mlir && carousel-sim %t.mlir %{args} --out y=%t.y.npy && %{lowered} %{args} --schedules 3 --expect y=%t.y.npy
// Contiguous rows, whose granules have parts of others.
// REDEFINE: %{args} = --kernel @contiguous --arg x=random:9x509 --arg y=empty:9x509
// RUN: sed 's/COLUMNS/509/' %s > %t.mlir && carousel-sim %t.mlir %{args} --out y=%t.y.npy && %{lowered} %{args} --schedules 3 --expect y=%t.y.npy
// REDEFINE: %{args} = --kernel @contiguous --arg x=random:9x5 --arg y=empty:9x5
// RUN: sed 's/COLUMNS/5/' %s > %t.mlir && carousel-sim %t.mlir %{args} --out y=%t.y.npy && %{lowered} %{args} --schedules 3 --expect y=%t.y.npy

#gl = #gpu.address_space<global>
!rows = memref<?xCOLUMNSxbf16, strided<[?, 1]>, #gl>
!shorts = memref<?xCOLUMNSxi16, strided<[?, 1]>, #gl>
!shorts_in_line = memref<?xCOLUMNSxi16, #gl>
!bytes = memref<?xCOLUMNSxi8, strided<[?, 1]>, #gl>
gpu.module @m {
  // CHECK-LABEL: gpu.func @rows
  // CHECK: memref.extract_aligned_pointer_as_index
  // CHECK: vector.load {{.*}}alignment = 16{{.*}}vector<8xbf16>
  // CHECK: vector.load {{.*}}alignment = 16{{.*}}vector<8xbf16>
  // The next lane's run, and the first lane's next one.
  // CHECK-COUNT-4: gpu.shuffle idx
  // CHECK: vector.store {{.*}}alignment = 16{{.*}}vector<8xbf16>
  // CHECK-COUNT-4: gpu.shuffle idx
  // CHECK: vector.store {{.*}}alignment = 16{{.*}}vector<8xbf16>
  // CHECK: memref.store {{.*}}bf16
  // CHECK: vector.store {{.*}}alignment = 4{{.*}}vector<2xbf16>
  // CHECK: vector.store {{.*}}alignment = 8{{.*}}vector<4xbf16>
  gpu.func @rows(%x: !rows {carousel.argument = #carousel.argument<"x", in>},
                 %y: !rows {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)], block = [32]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : bf16
    %row = gpu.block_id x
    %v = vector.transfer_read %x[%row, %c0], %zero : !rows, vector<512xbf16>
    %n = arith.negf %v : vector<512xbf16>
    vector.transfer_write %n, %y[%row, %c0] : vector<512xbf16>, !rows
    gpu.return
  }

  // CHECK-LABEL: gpu.func @chunks
  // CHECK: scf.for
  // CHECK: gpu.shuffle idx
  gpu.func @chunks(%x: !rows {carousel.argument = #carousel.argument<"x", in>},
                   %y: !rows {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)], block = [32]>} {
    %c1 = arith.constant 1 : index
    %c0 = arith.constant 0 : index
    %c256 = arith.constant 256 : index
    %zero = arith.constant 0.0 : bf16
    %row = gpu.block_id x
    %columns = memref.dim %x, %c1 : !rows
    scf.for %j = %c0 to %columns step %c256 {
      %v = vector.transfer_read %x[%row, %j], %zero : !rows, vector<256xbf16>
      vector.transfer_write %v, %y[%row, %j] : vector<256xbf16>, !rows
    }
    gpu.return
  }

  // CHECK-LABEL: gpu.func @bytes
  // CHECK: vector.load {{.*}}alignment = 16{{.*}}vector<16xi8>
  // CHECK: vector.store {{.*}}alignment = 8{{.*}}vector<8xi8>
  gpu.func @bytes(%x: !bytes {carousel.argument = #carousel.argument<"x", in>},
                  %y: !bytes {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)], block = [32]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i8
    %row = gpu.block_id x
    %v = vector.transfer_read %x[%row, %c0], %zero : !bytes, vector<1024xi8>
    vector.transfer_write %v, %y[%row, %c0] : vector<1024xi8>, !bytes
    gpu.return
  }

  // Eight lanes have a row.
  // CHECK-LABEL: gpu.func @several
  // CHECK: gpu.shuffle idx
  gpu.func @several(%x: !rows {carousel.argument = #carousel.argument<"x", in>},
                    %y: !rows {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [ceildiv(extent(0, 0), 8)], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %zero = arith.constant 0.0 : bf16
    %program = gpu.block_id x
    %row = arith.muli %program, %c8 : index
    %v = vector.transfer_read %x[%row, %c0], %zero : !rows, vector<8x64xbf16>
    vector.transfer_write %v, %y[%row, %c0] : vector<8x64xbf16>, !rows
    gpu.return
  }

  // Granules have other threads' elements, which these write.
  // CHECK-LABEL: gpu.func @in_place
  // CHECK-NOT: gpu.shuffle
  // CHECK: gpu.return
  gpu.func @in_place(%y: !rows {carousel.argument = #carousel.argument<"y", inout>}) kernel attributes {
      carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)], block = [64]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : bf16
    %row = gpu.block_id x
    %v = vector.transfer_read %y[%row, %c0], %zero : !rows, vector<512xbf16>
    %n = arith.negf %v : vector<512xbf16>
    vector.transfer_write %n, %y[%row, %c0] : vector<512xbf16>, !rows
    gpu.return
  }

  // An aligned row, whose end alone is anywhere: nothing is shifted.
  // CHECK-LABEL: gpu.func @line
  // CHECK: vector.load {{.*}}alignment = 16{{.*}}vector<8xbf16>
  // CHECK-NOT: vector.load
  // CHECK-NOT: gpu.shuffle
  // CHECK: vector.store {{.*}}alignment = 16{{.*}}vector<8xbf16>
  // CHECK: gpu.return
  gpu.func @line(%w: memref<301xbf16, #gl> {carousel.argument = #carousel.argument<"w", in>, llvm.align = 16},
                 %y: memref<301xbf16, #gl> {carousel.argument = #carousel.argument<"y", out>, llvm.align = 16}) kernel attributes {
      carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : bf16
    %v = vector.transfer_read %w[%c0], %zero : memref<301xbf16, #gl>, vector<512xbf16>
    vector.transfer_write %v, %y[%c0] : vector<512xbf16>, memref<301xbf16, #gl>
    gpu.return
  }

  // What is behind a row isn't part of its sum, whether or not memory has it.
  // CHECK-LABEL: gpu.func @sums
  // CHECK: gpu.shuffle idx
  gpu.func @sums(%x: !shorts {carousel.argument = #carousel.argument<"x", in>},
                 %y: !shorts {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)], block = [64]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i16
    %row = gpu.block_id x
    %v = vector.transfer_read %x[%row, %c0], %zero : !shorts, vector<512xi16>
    %s = vector.multi_reduction <add>, %v, %zero [0] : vector<512xi16> to i16
    %all = vector.broadcast %s : i16 to vector<512xi16>
    %sums = arith.addi %v, %all : vector<512xi16>
    vector.transfer_write %sums, %y[%row, %c0] : vector<512xi16>, !shorts
    gpu.return
  }

  // Vectors that begin before their rows.
  // CHECK-LABEL: gpu.func @before
  // CHECK: gpu.shuffle idx
  gpu.func @before(%x: !rows {carousel.argument = #carousel.argument<"x", in>},
                   %y: !rows {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)], block = [32]>} {
    %before = arith.constant -5 : index
    %zero = arith.constant 0.0 : bf16
    %row = gpu.block_id x
    %v = vector.transfer_read %x[%row, %before], %zero : !rows, vector<512xbf16>
    vector.transfer_write %v, %y[%row, %before] : vector<512xbf16>, !rows
    gpu.return
  }

  // CHECK-LABEL: gpu.func @contiguous
  // CHECK: gpu.shuffle idx
  gpu.func @contiguous(%x: !shorts_in_line {carousel.argument = #carousel.argument<"x", in>},
                       %y: !shorts_in_line {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)], block = [32]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i16
    %row = gpu.block_id x
    %v = vector.transfer_read %x[%row, %c0], %zero : !shorts_in_line, vector<512xi16>
    %s = vector.multi_reduction <add>, %v, %zero [0] : vector<512xi16> to i16
    %all = vector.broadcast %s : i16 to vector<512xi16>
    %sums = arith.addi %v, %all : vector<512xi16>
    vector.transfer_write %sums, %y[%row, %c0] : vector<512xi16>, !shorts_in_line
    gpu.return
  }
}
