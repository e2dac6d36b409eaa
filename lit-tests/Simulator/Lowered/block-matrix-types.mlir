// Products of 8-bit integers, of tf32 and of 8-bit floats compute the same at all phases: factors in tiles that ldmatrix reads,
// in tiles of which threads read elements, and in registers.
// DEFINE: %{kernel} =
// DEFINE: %{chips} = sm_90a
// DEFINE: %{args} =
// DEFINE: %{block} = carousel-sim %s --kernel %{kernel} %{args} --out y=%t.npy --quiet
// DEFINE: %{lowered} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-lowered %s --chip %{chips} -- --kernel %{kernel} %{args} --expect y=%t.npy --quiet
// REDEFINE: %{kernel} = @bytes
// REDEFINE: %{args} = --arg a=random:27x150 --arg b=random:27x150:1 --arg y=zeros:27x27
// RUN: %{block}
// RUN: %{lowered}
// REDEFINE: %{kernel} = @bytes
// REDEFINE: %{args} = --arg a=random:32x160 --arg b=random:32x160:1 --arg y=zeros:32x32
// RUN: %{block}
// RUN: %{lowered}
// REDEFINE: %{kernel} = @bytes_across
// REDEFINE: %{args} = --arg a=random:27x70 --arg b=random:70x27:1 --arg y=zeros:27x27
// RUN: %{block}
// RUN: %{lowered}
// REDEFINE: %{chips} = sm_80,sm_90a
// REDEFINE: %{kernel} = @words
// REDEFINE: %{args} = --arg a=random:27x70 --arg b=random:27x70:1 --arg y=zeros:27x27
// RUN: %{block}
// RUN: %{lowered}
// REDEFINE: %{chips} = sm_90a
// REDEFINE: %{kernel} = @words_across
// REDEFINE: %{args} = --arg a=random:27x36 --arg b=random:36x28:1 --arg y=zeros:27x28
// RUN: %{block}
// RUN: %{lowered}
// REDEFINE: %{kernel} = @words_by_threads
// REDEFINE: %{args} = --arg a=random:20x9 --arg b=random:9x12:1 --arg y=zeros:20x12
// RUN: %{block}
// RUN: %{lowered}
// REDEFINE: %{kernel} = @floats8
// REDEFINE: %{args} = --arg a=random:27x70 --arg b=random:27x70:1 --arg y=zeros:27x27
// RUN: %{block}
// RUN: %{lowered}
// REDEFINE: %{kernel} = @floats8_in_registers
// REDEFINE: %{args} = --arg a=random:32x16 --arg b=random:16x32:1 --arg y=zeros:32x32
// RUN: %{block}
// RUN: %{lowered}
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-distribute))' | FileCheck %s
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-distribute))' --remarks-filter=carousel-distribute --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

#gl = #gpu.address_space<global>
#across = {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
#along = {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
#launch = #carousel.launch<grid = [1], block = [64]>

gpu.module @m {
  // Both factors have their bytes along k, and sums are of 32 bits.
  // CHECK-LABEL: gpu.func @bytes(
  // CHECK: nvgpu.ldmatrix {{.*}} {numTiles = 4 : i32, transpose = false} {{.*}} -> vector<4x4xi8>
  // CHECK: nvgpu.mma.sync{{.*}} {mmaShape = [16, 8, 32]} : (vector<4x4xi8>, vector<2x4xi8>, vector<2x2xi32>) -> vector<2x2xi32>
  // REMARK: a product by mma.sync m16n8k32 of i8
  gpu.func @bytes(%a: memref<?x?xi8, #gl> {carousel.argument = #carousel.argument<"a", in>},
      %b: memref<?x?xi8, #gl> {carousel.argument = #carousel.argument<"b", in>}, %y: memref<?x?xi32, #gl> {carousel.argument = #carousel.argument<"y", out>})
      kernel attributes {carousel.block_program = #carousel.block_program<>, carousel.launch = #launch} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ck = arith.constant 64 : index
    %pa = arith.constant 0 : i8
    %zeros = arith.constant dense<0> : vector<32x32xi32>
    %depth = memref.dim %a, %c1 : memref<?x?xi8, #gl>
    %sum = scf.for %k = %c0 to %depth step %ck iter_args(%acc = %zeros) -> (vector<32x32xi32>) {
      %at = vector.transfer_read %a[%c0, %k], %pa : memref<?x?xi8, #gl>, vector<32x64xi8>
      %bt = vector.transfer_read %b[%c0, %k], %pa : memref<?x?xi8, #gl>, vector<32x64xi8>
      %next = vector.contract #along %at, %bt, %acc : vector<32x64xi8>, vector<32x64xi8> into vector<32x32xi32>
      scf.yield %next : vector<32x32xi32>
    } {carousel.pipeline = #carousel.pipeline<stages = 2>}
    vector.transfer_write %sum, %y[%c0, %c0] : vector<32x32xi32>, memref<?x?xi32, #gl>
    gpu.return
  }

  // Bytes of a column are in several rows: threads read them one by one. The program extends them.
  // CHECK-LABEL: gpu.func @bytes_across(
  // CHECK: nvgpu.mma.sync{{.*}} {mmaShape = [16, 8, 32]}
  // REMARK: a product by mma.sync m16n8k32 of i8
  gpu.func @bytes_across(%a: memref<?x?xi8, #gl> {carousel.argument = #carousel.argument<"a", in>},
      %b: memref<?x?xi8, #gl> {carousel.argument = #carousel.argument<"b", in>}, %y: memref<?x?xi32, #gl> {carousel.argument = #carousel.argument<"y", out>})
      kernel attributes {carousel.block_program = #carousel.block_program<>, carousel.launch = #launch} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ck = arith.constant 32 : index
    %pa = arith.constant 0 : i8
    %zeros = arith.constant dense<0> : vector<32x32xi32>
    %depth = memref.dim %a, %c1 : memref<?x?xi8, #gl>
    %sum = scf.for %k = %c0 to %depth step %ck iter_args(%acc = %zeros) -> (vector<32x32xi32>) {
      %at = vector.transfer_read %a[%c0, %k], %pa : memref<?x?xi8, #gl>, vector<32x32xi8>
      %bt = vector.transfer_read %b[%k, %c0], %pa : memref<?x?xi8, #gl>, vector<32x32xi8>
      %aw = arith.extsi %at : vector<32x32xi8> to vector<32x32xi32>
      %bw = arith.extsi %bt : vector<32x32xi8> to vector<32x32xi32>
      %next = vector.contract #across %aw, %bw, %acc : vector<32x32xi32>, vector<32x32xi32> into vector<32x32xi32>
      scf.yield %next : vector<32x32xi32>
    } {carousel.pipeline = #carousel.pipeline<stages = 2>}
    vector.transfer_write %sum, %y[%c0, %c0] : vector<32x32xi32>, memref<?x?xi32, #gl>
    gpu.return
  }

  // Both factors in tiles, rounded where they are multiplied.
  // CHECK-LABEL: gpu.func @words(
  // CHECK: nvgpu.ldmatrix {{.*}} {numTiles = 4 : i32, transpose = false} {{.*}} -> vector<4x1xf32>
  // CHECK: carousel.round_tf32 {{.*}} : vector<4x1xf32>
  // CHECK: nvgpu.mma.sync{{.*}} {mmaShape = [16, 8, 8], tf32Enabled} : (vector<4x1xf32>, vector<2x1xf32>, vector<2x2xf32>) -> vector<2x2xf32>
  // REMARK: a product by mma.sync m16n8k8 of tf32
  gpu.func @words(%a: memref<?x?xf32, #gl> {carousel.argument = #carousel.argument<"a", in>},
      %b: memref<?x?xf32, #gl> {carousel.argument = #carousel.argument<"b", in>}, %y: memref<?x?xf32, #gl> {carousel.argument = #carousel.argument<"y", out>})
      kernel attributes {carousel.block_program = #carousel.block_program<>, carousel.launch = #launch} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ck = arith.constant 32 : index
    %pa = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : vector<32x32xf32>
    %depth = memref.dim %a, %c1 : memref<?x?xf32, #gl>
    %sum = scf.for %k = %c0 to %depth step %ck iter_args(%acc = %zeros) -> (vector<32x32xf32>) {
      %at = vector.transfer_read %a[%c0, %k], %pa : memref<?x?xf32, #gl>, vector<32x32xf32>
      %bt = vector.transfer_read %b[%c0, %k], %pa : memref<?x?xf32, #gl>, vector<32x32xf32>
      %ar = carousel.round_tf32 %at : vector<32x32xf32>
      %br = carousel.round_tf32 %bt : vector<32x32xf32>
      %next = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} %ar, %br, %acc : vector<32x32xf32>, vector<32x32xf32> into vector<32x32xf32>
      scf.yield %next : vector<32x32xf32>
    } {carousel.pipeline = #carousel.pipeline<stages = 2>}
    vector.transfer_write %sum, %y[%c0, %c0] : vector<32x32xf32>, memref<?x?xf32, #gl>
    gpu.return
  }

  // One factor is read by elements.
  // CHECK-LABEL: gpu.func @words_across(
  // CHECK: nvgpu.mma.sync{{.*}} {mmaShape = [16, 8, 8], tf32Enabled}
  // REMARK: a product by mma.sync m16n8k8 of tf32
  gpu.func @words_across(%a: memref<?x?xf32, #gl> {carousel.argument = #carousel.argument<"a", in>},
      %b: memref<?x?xf32, #gl> {carousel.argument = #carousel.argument<"b", in>}, %y: memref<?x?xf32, #gl> {carousel.argument = #carousel.argument<"y", out>})
      kernel attributes {carousel.block_program = #carousel.block_program<>, carousel.launch = #launch} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ck = arith.constant 16 : index
    %pa = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : vector<32x32xf32>
    %depth = memref.dim %a, %c1 : memref<?x?xf32, #gl>
    %sum = scf.for %k = %c0 to %depth step %ck iter_args(%acc = %zeros) -> (vector<32x32xf32>) {
      %at = vector.transfer_read %a[%c0, %k], %pa : memref<?x?xf32, #gl>, vector<32x16xf32>
      %bt = vector.transfer_read %b[%k, %c0], %pa : memref<?x?xf32, #gl>, vector<16x32xf32>
      %ar = carousel.round_tf32 %at : vector<32x16xf32>
      %br = carousel.round_tf32 %bt : vector<16x32xf32>
      %next = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} %ar, %br, %acc : vector<32x16xf32>, vector<16x32xf32> into vector<32x32xf32>
      scf.yield %next : vector<32x32xf32>
    } {carousel.pipeline = #carousel.pipeline<stages = 2>}
    vector.transfer_write %sum, %y[%c0, %c0] : vector<32x32xf32>, memref<?x?xf32, #gl>
    gpu.return
  }

  // Extents that instructions don't have: the factors are rounded all the same.
  // CHECK-LABEL: gpu.func @words_by_threads(
  // CHECK-NOT: nvgpu.mma.sync
  // CHECK: math.fma
  // REMARK: a product by multiply-adds of threads: an extent of 20 along m isn't a power of two from 16 on
  gpu.func @words_by_threads(%a: memref<?x?xf32, #gl> {carousel.argument = #carousel.argument<"a", in>},
      %b: memref<?x?xf32, #gl> {carousel.argument = #carousel.argument<"b", in>}, %y: memref<?x?xf32, #gl> {carousel.argument = #carousel.argument<"y", out>})
      kernel attributes {carousel.block_program = #carousel.block_program<>, carousel.launch = #launch} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ck = arith.constant 5 : index
    %pa = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : vector<20x12xf32>
    %depth = memref.dim %a, %c1 : memref<?x?xf32, #gl>
    %sum = scf.for %k = %c0 to %depth step %ck iter_args(%acc = %zeros) -> (vector<20x12xf32>) {
      %at = vector.transfer_read %a[%c0, %k], %pa : memref<?x?xf32, #gl>, vector<20x5xf32>
      %bt = vector.transfer_read %b[%k, %c0], %pa : memref<?x?xf32, #gl>, vector<5x12xf32>
      %ar = carousel.round_tf32 %at : vector<20x5xf32>
      %br = carousel.round_tf32 %bt : vector<5x12xf32>
      %next = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} %ar, %br, %acc : vector<20x5xf32>, vector<5x12xf32> into vector<20x12xf32>
      scf.yield %next : vector<20x12xf32>
    } {carousel.pipeline = #carousel.pipeline<stages = 2>}
    vector.transfer_write %sum, %y[%c0, %c0] : vector<20x12xf32>, memref<?x?xf32, #gl>
    gpu.return
  }

  // Factors of two kinds, as f16.
  // CHECK-LABEL: gpu.func @floats8(
  // CHECK: arith.extf {{.*}}xf8E4M3FN> to vector<{{.*}}xf16>
  // CHECK: arith.extf {{.*}}xf8E5M2> to vector<{{.*}}xf16>
  // CHECK: nvgpu.mma.sync{{.*}} {mmaShape = [16, 8, 16]} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
  // REMARK: a product by mma.sync m16n8k16 of f16
  gpu.func @floats8(%a: memref<?x?xf8E4M3FN, #gl> {carousel.argument = #carousel.argument<"a", in>},
      %b: memref<?x?xf8E5M2, #gl> {carousel.argument = #carousel.argument<"b", in>}, %y: memref<?x?xf32, #gl> {carousel.argument = #carousel.argument<"y", out>})
      kernel attributes {carousel.block_program = #carousel.block_program<>, carousel.launch = #launch} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ck = arith.constant 32 : index
    %pa = arith.constant 0.0 : f8E4M3FN
    %pb = arith.constant 0.0 : f8E5M2
    %zeros = arith.constant dense<0.0> : vector<32x32xf32>
    %depth = memref.dim %a, %c1 : memref<?x?xf8E4M3FN, #gl>
    %sum = scf.for %k = %c0 to %depth step %ck iter_args(%acc = %zeros) -> (vector<32x32xf32>) {
      %at = vector.transfer_read %a[%c0, %k], %pa : memref<?x?xf8E4M3FN, #gl>, vector<32x32xf8E4M3FN>
      %bt = vector.transfer_read %b[%c0, %k], %pb : memref<?x?xf8E5M2, #gl>, vector<32x32xf8E5M2>
      %aw = arith.extf %at : vector<32x32xf8E4M3FN> to vector<32x32xf32>
      %bw = arith.extf %bt : vector<32x32xf8E5M2> to vector<32x32xf32>
      %next = vector.contract #along %aw, %bw, %acc : vector<32x32xf32>, vector<32x32xf32> into vector<32x32xf32>
      scf.yield %next : vector<32x32xf32>
    } {carousel.pipeline = #carousel.pipeline<stages = 2>}
    vector.transfer_write %sum, %y[%c0, %c0] : vector<32x32xf32>, memref<?x?xf32, #gl>
    gpu.return
  }

  // Without a loop, and not extended by the program.
  // CHECK-LABEL: gpu.func @floats8_in_registers(
  // CHECK: nvgpu.mma.sync{{.*}} {mmaShape = [16, 8, 16]}
  gpu.func @floats8_in_registers(%a: memref<?x?xf8E5M2, #gl> {carousel.argument = #carousel.argument<"a", in>},
      %b: memref<?x?xf8E5M2, #gl> {carousel.argument = #carousel.argument<"b", in>}, %y: memref<?x?xf32, #gl> {carousel.argument = #carousel.argument<"y", out>})
      kernel attributes {carousel.block_program = #carousel.block_program<>, carousel.launch = #launch} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %pad = arith.constant 0.0 : f8E5M2
    %ones = arith.constant dense<1.0> : vector<32x32xf32>
    %at = vector.transfer_read %a[%c0, %c0], %pad : memref<?x?xf8E5M2, #gl>, vector<32x16xf8E5M2>
    %bt = vector.transfer_read %b[%c0, %c0], %pad : memref<?x?xf8E5M2, #gl>, vector<16x32xf8E5M2>
    %sum = vector.contract #across %at, %bt, %ones : vector<32x16xf8E5M2>, vector<16x32xf8E5M2> into vector<32x32xf32>
    vector.transfer_write %sum, %y[%c0, %c0] : vector<32x32xf32>, memref<?x?xf32, #gl>
    gpu.return
  }
}
