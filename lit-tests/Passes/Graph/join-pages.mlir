// Where products read pages by a table, pages and their rows become one dimension of all ops that have both, and kernels copy
// page by page.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(func.func(carousel-join-pages))' --remarks-filter=carousel-normalize-graph 2> %t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks
// RUN: carousel-opt %s --carousel-graph-to-block | FileCheck %s --check-prefix=KERNEL
// DEFINE: %{function} = attention
// DEFINE: %{kernels} = 1
// DEFINE: %{pool} = 9x16x4x64
// DEFINE: %{table} = iota:2x3:9
// DEFINE: %{lengths} = iota:2
// DEFINE: %{simulate} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-graph %s --as-written --function %{function} --chip sm_90a --kernels %{kernels} -- --arg arg0=random:2x4x8x64:1 --arg arg1=random:%{pool}:2 --arg arg2=random:%{pool}:3 --arg arg3=%{table} --arg arg4=%{lengths} --arg result0=zeros:2x4x8x64 --rtol 1e-2 --atol 1e-2 | FileCheck %s --check-prefix=SIMULATED
// RUN: %{simulate}
// REDEFINE: %{function} = heads_first
// REDEFINE: %{pool} = 9x4x16x64
// RUN: %{simulate}
// Two of the pages of the second sequence don't exist.
// REDEFINE: %{function} = missing
// REDEFINE: %{kernels} = 3
// REDEFINE: %{pool} = 4x16x4x64
// RUN: %{simulate}
// Tiles are parts of pages.
// REDEFINE: %{function} = large
// REDEFINE: %{kernels} = 1
// REDEFINE: %{pool} = 9x256x4x64
// RUN: %{simulate}
// SIMULATED: block phase: right
// SIMULATED: sm_90a: right

// DOC-EXAMPLE: --carousel-join-pages
// CHECK-LABEL: func.func @scores(
// CHECK-SAME: %[[Q:.*]]: tensor<2x4x8x64xbf16>, %[[POOL:.*]]: tensor<9x16x4x64xbf16>, %[[TABLE:.*]]: tensor<2x3xi32>)
// CHECK: %[[KEYS:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<2x48x4x64xbf16>)
// CHECK: %[[J:.*]] = linalg.index 1
// CHECK: %[[PLACE:.*]] = arith.divui %[[J]], %[[ROWS:.*]] : index
// CHECK: %[[NUMBER:.*]] = tensor.extract %[[TABLE]][%{{.*}}, %[[PLACE]]]
// CHECK: %[[PAGE:.*]] = arith.index_cast %[[NUMBER]]
// CHECK: %[[ROW:.*]] = arith.remui %[[J]], %[[ROWS]] : index
// CHECK: tensor.extract %[[POOL]][%[[PAGE]], %[[ROW]],
// CHECK: %[[S:.*]] = linalg.generic {{.*}} ins(%[[Q]], %[[KEYS]] : {{.*}} outs(%{{.*}} : tensor<2x4x8x48xf32>)
// CHECK: tensor.expand_shape %[[S]]
// REMARK-NOT: Function=scores
func.func @scores(%q: tensor<2x4x8x64xbf16>, %keys: tensor<9x16x4x64xbf16>, %table: tensor<2x3xi32>) -> tensor<2x4x8x3x16xf32> {
  %zero = arith.constant 0.0 : f32
  %ke = tensor.empty() : tensor<2x3x16x4x64xbf16>
  %k = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%table : tensor<2x3xi32>) outs(%ke : tensor<2x3x16x4x64xbf16>) {
  ^bb0(%i: i32, %o: bf16):
    %r = linalg.index 2 : index
    %h = linalg.index 3 : index
    %d = linalg.index 4 : index
    %p = arith.index_cast %i : i32 to index
    %x = tensor.extract %keys[%p, %r, %h, %d] : tensor<9x16x4x64xbf16>
    linalg.yield %x : bf16
  } -> tensor<2x3x16x4x64xbf16>
  %se = tensor.empty() : tensor<2x4x8x3x16xf32>
  %sf = linalg.fill ins(%zero : f32) outs(%se : tensor<2x4x8x3x16xf32>) -> tensor<2x4x8x3x16xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d3, d4, d1, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<2x4x8x64xbf16>, tensor<2x3x16x4x64xbf16>) outs(%sf : tensor<2x4x8x3x16xf32>) {
  ^bb0(%a: bf16, %b: bf16, %c: f32): %x = arith.extf %a : bf16 to f32 %z = arith.extf %b : bf16 to f32 %m = arith.mulf %x, %z : f32 %u = arith.addf %c, %m : f32 linalg.yield %u : f32
  } -> tensor<2x4x8x3x16xf32>
  return %s : tensor<2x4x8x3x16xf32>
}

// The number of a key is computed of one index.
// CHECK-LABEL: func.func @attention(
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<2x4x8x48xbf16>)
// CHECK: %[[J:.*]] = linalg.index 3
// CHECK: arith.index_cast %[[J]] : index to i32
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<2x4x8x48xbf16>, tensor<2x48x4x64xbf16>)
// KERNEL-LABEL: gpu.func @attention_0(
// KERNEL: scf.for
// KERNEL: %[[ROWS:.*]] = carousel.rows %{{.*}}[%{{.*}}] : memref<9x16x4x64xbf16, {{.*}}>, memref<3xi32, strided<[1], offset: ?>, {{.*}}>
// KERNEL: %[[BOX:.*]] = vector.transfer_read %[[ROWS]][%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}], %{{.*}} {in_bounds = [false, true, true, true]} : {{.*}}, vector<4x16x1x64xbf16>
// KERNEL: %[[KEYS:.*]] = vector.shape_cast %[[BOX]] : vector<4x16x1x64xbf16> to vector<64x64xbf16>
// KERNEL-NOT: arith.select %{{.*}}, %[[KEYS]]
// KERNEL: vector.contract {{.*}} %{{.*}}, %[[KEYS]], %{{.*}} :
func.func @attention(%q: tensor<2x4x8x64xbf16>, %keys: tensor<9x16x4x64xbf16>, %values: tensor<9x16x4x64xbf16>, %table: tensor<2x3xi32>, %lengths: tensor<2xi32>) -> tensor<2x4x8x64xf32> {
  %zero = arith.constant 0.0 : f32
  %ke = tensor.empty() : tensor<2x3x16x4x64xbf16>
  %k = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%table : tensor<2x3xi32>) outs(%ke : tensor<2x3x16x4x64xbf16>) {
  ^bb0(%i: i32, %o: bf16):
    %r = linalg.index 2 : index
    %h = linalg.index 3 : index
    %d = linalg.index 4 : index
    %p = arith.index_cast %i : i32 to index
    %x = tensor.extract %keys[%p, %r, %h, %d] : tensor<9x16x4x64xbf16>
    linalg.yield %x : bf16
  } -> tensor<2x3x16x4x64xbf16>
  %ve = tensor.empty() : tensor<2x3x16x4x64xbf16>
  %v = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%table : tensor<2x3xi32>) outs(%ve : tensor<2x3x16x4x64xbf16>) {
  ^bb0(%i: i32, %o: bf16):
    %r = linalg.index 2 : index
    %h = linalg.index 3 : index
    %d = linalg.index 4 : index
    %p = arith.index_cast %i : i32 to index
    %x = tensor.extract %values[%p, %r, %h, %d] : tensor<9x16x4x64xbf16>
    linalg.yield %x : bf16
  } -> tensor<2x3x16x4x64xbf16>
  %se = tensor.empty() : tensor<2x4x8x3x16xf32>
  %sf = linalg.fill ins(%zero : f32) outs(%se : tensor<2x4x8x3x16xf32>) -> tensor<2x4x8x3x16xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d3, d4, d1, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<2x4x8x64xbf16>, tensor<2x3x16x4x64xbf16>) outs(%sf : tensor<2x4x8x3x16xf32>) {
  ^bb0(%a: bf16, %b: bf16, %c: f32): %x = arith.extf %a : bf16 to f32 %z = arith.extf %b : bf16 to f32 %m = arith.mulf %x, %z : f32 %u = arith.addf %c, %m : f32 linalg.yield %u : f32
  } -> tensor<2x4x8x3x16xf32>
  %we = tensor.empty() : tensor<2x4x8x3x16xbf16>
  %w = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%s, %lengths : tensor<2x4x8x3x16xf32>, tensor<2xi32>) outs(%we : tensor<2x4x8x3x16xbf16>) {
  ^bb0(%a: f32, %l: i32, %o: bf16):
    %n = linalg.index 3 : index
    %r = linalg.index 4 : index
    %j = affine.apply affine_map<(d0, d1) -> (d0 * 16 + d1)>(%n, %r)
    %step = arith.constant 32 : i32
    %least = arith.constant 10 : i32
    %more = arith.muli %l, %step : i32
    %end = arith.addi %more, %least : i32
    %j32 = arith.index_cast %j : index to i32
    %is = arith.cmpi slt, %j32, %end : i32
    %e = math.exp %a : f32
    %x = arith.select %is, %e, %zero : f32
    %t = arith.truncf %x : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<2x4x8x3x16xbf16>
  %ye = tensor.empty() : tensor<2x4x8x64xf32>
  %yf = linalg.fill ins(%zero : f32) outs(%ye : tensor<2x4x8x64xf32>) -> tensor<2x4x8x64xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d4, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d4, d5, d1, d3)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%w, %v : tensor<2x4x8x3x16xbf16>, tensor<2x3x16x4x64xbf16>) outs(%yf : tensor<2x4x8x64xf32>) {
  ^bb0(%a: bf16, %b: bf16, %c: f32): %x = arith.extf %a : bf16 to f32 %z = arith.extf %b : bf16 to f32 %m = arith.mulf %x, %z : f32 %u = arith.addf %c, %m : f32 linalg.yield %u : f32
  } -> tensor<2x4x8x64xf32>
  return %y : tensor<2x4x8x64xf32>
}

// Rows of a page aren't the index behind the page.
// CHECK-LABEL: func.func @heads_first(
// CHECK: tensor.extract %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}] : tensor<9x4x16x64xbf16>
// KERNEL-LABEL: gpu.func @heads_first_0(
// KERNEL: carousel.rows {{.*}} memref<9x4x16x64xbf16, {{.*}}>
// KERNEL: vector<4x1x16x64xbf16>
func.func @heads_first(%q: tensor<2x4x8x64xbf16>, %keys: tensor<9x4x16x64xbf16>, %values: tensor<9x4x16x64xbf16>, %table: tensor<2x3xi32>, %lengths: tensor<2xi32>) -> tensor<2x4x8x64xf32> {
  %zero = arith.constant 0.0 : f32
  %ke = tensor.empty() : tensor<2x3x4x16x64xbf16>
  %k = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%table : tensor<2x3xi32>) outs(%ke : tensor<2x3x4x16x64xbf16>) {
  ^bb0(%i: i32, %o: bf16):
    %h = linalg.index 2 : index
    %r = linalg.index 3 : index
    %d = linalg.index 4 : index
    %p = arith.index_cast %i : i32 to index
    %x = tensor.extract %keys[%p, %h, %r, %d] : tensor<9x4x16x64xbf16>
    linalg.yield %x : bf16
  } -> tensor<2x3x4x16x64xbf16>
  %ve = tensor.empty() : tensor<2x3x4x16x64xbf16>
  %v = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%table : tensor<2x3xi32>) outs(%ve : tensor<2x3x4x16x64xbf16>) {
  ^bb0(%i: i32, %o: bf16):
    %h = linalg.index 2 : index
    %r = linalg.index 3 : index
    %d = linalg.index 4 : index
    %p = arith.index_cast %i : i32 to index
    %x = tensor.extract %values[%p, %h, %r, %d] : tensor<9x4x16x64xbf16>
    linalg.yield %x : bf16
  } -> tensor<2x3x4x16x64xbf16>
  %se = tensor.empty() : tensor<2x4x8x3x16xf32>
  %sf = linalg.fill ins(%zero : f32) outs(%se : tensor<2x4x8x3x16xf32>) -> tensor<2x4x8x3x16xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d3, d1, d4, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<2x4x8x64xbf16>, tensor<2x3x4x16x64xbf16>) outs(%sf : tensor<2x4x8x3x16xf32>) {
  ^bb0(%a: bf16, %b: bf16, %c: f32): %x = arith.extf %a : bf16 to f32 %z = arith.extf %b : bf16 to f32 %m = arith.mulf %x, %z : f32 %u = arith.addf %c, %m : f32 linalg.yield %u : f32
  } -> tensor<2x4x8x3x16xf32>
  %we = tensor.empty() : tensor<2x4x8x3x16xbf16>
  %w = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%s, %lengths : tensor<2x4x8x3x16xf32>, tensor<2xi32>) outs(%we : tensor<2x4x8x3x16xbf16>) {
  ^bb0(%a: f32, %l: i32, %o: bf16):
    %n = linalg.index 3 : index
    %r = linalg.index 4 : index
    %j = affine.apply affine_map<(d0, d1) -> (d0 * 16 + d1)>(%n, %r)
    %step = arith.constant 32 : i32
    %least = arith.constant 10 : i32
    %more = arith.muli %l, %step : i32
    %end = arith.addi %more, %least : i32
    %j32 = arith.index_cast %j : index to i32
    %is = arith.cmpi slt, %j32, %end : i32
    %e = math.exp %a : f32
    %x = arith.select %is, %e, %zero : f32
    %t = arith.truncf %x : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<2x4x8x3x16xbf16>
  %ye = tensor.empty() : tensor<2x4x8x64xf32>
  %yf = linalg.fill ins(%zero : f32) outs(%ye : tensor<2x4x8x64xf32>) -> tensor<2x4x8x64xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d4, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d4, d1, d5, d3)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%w, %v : tensor<2x4x8x3x16xbf16>, tensor<2x3x4x16x64xbf16>) outs(%yf : tensor<2x4x8x64xf32>) {
  ^bb0(%a: bf16, %b: bf16, %c: f32): %x = arith.extf %a : bf16 to f32 %z = arith.extf %b : bf16 to f32 %m = arith.mulf %x, %z : f32 %u = arith.addf %c, %m : f32 linalg.yield %u : f32
  } -> tensor<2x4x8x64xf32>
  return %y : tensor<2x4x8x64xf32>
}

// Rows of a page that doesn't exist are NaN, and so are sums of products with them.
// CHECK-LABEL: func.func @missing(
// CHECK: %[[ANY:.*]] = linalg.generic {{.*}}["parallel", "reduction"]} {{.*}} outs(%{{.*}} : tensor<2xi32>)
// CHECK: %[[Y:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<2x4x8x64xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[Y]], %[[ANY]] : tensor<2x4x8x64xf32>, tensor<2xi32>)
// CHECK: arith.select %{{.*}}, %[[NAN:.*]], %{{.*}} : f32
func.func @missing(%q: tensor<2x4x8x64xbf16>, %keys: tensor<4x16x4x64xbf16>, %values: tensor<4x16x4x64xbf16>, %table: tensor<2x3xi32>, %lengths: tensor<2xi32>) -> tensor<2x4x8x64xf32> {
  %zero = arith.constant 0.0 : f32
  %nan = arith.constant 0x7FC0 : bf16
  %four = arith.constant 4 : i32
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %ke = tensor.empty() : tensor<2x3x16x4x64xbf16>
  %k = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%table : tensor<2x3xi32>) outs(%ke : tensor<2x3x16x4x64xbf16>) {
  ^bb0(%i: i32, %o: bf16):
    %r = linalg.index 2 : index
    %h = linalg.index 3 : index
    %d = linalg.index 4 : index
    %p = arith.index_cast %i : i32 to index
    %lo = arith.maxsi %p, %c0 : index
    %in = arith.minsi %lo, %c3 : index
    %x = tensor.extract %keys[%in, %r, %h, %d] : tensor<4x16x4x64xbf16>
    %is = arith.cmpi ult, %i, %four : i32
    %z = arith.select %is, %x, %nan : bf16
    linalg.yield %z : bf16
  } -> tensor<2x3x16x4x64xbf16>
  %ve = tensor.empty() : tensor<2x3x16x4x64xbf16>
  %v = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%table : tensor<2x3xi32>) outs(%ve : tensor<2x3x16x4x64xbf16>) {
  ^bb0(%i: i32, %o: bf16):
    %r = linalg.index 2 : index
    %h = linalg.index 3 : index
    %d = linalg.index 4 : index
    %p = arith.index_cast %i : i32 to index
    %lo = arith.maxsi %p, %c0 : index
    %in = arith.minsi %lo, %c3 : index
    %x = tensor.extract %values[%in, %r, %h, %d] : tensor<4x16x4x64xbf16>
    %is = arith.cmpi ult, %i, %four : i32
    %z = arith.select %is, %x, %nan : bf16
    linalg.yield %z : bf16
  } -> tensor<2x3x16x4x64xbf16>
  %se = tensor.empty() : tensor<2x4x8x3x16xf32>
  %sf = linalg.fill ins(%zero : f32) outs(%se : tensor<2x4x8x3x16xf32>) -> tensor<2x4x8x3x16xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d3, d4, d1, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<2x4x8x64xbf16>, tensor<2x3x16x4x64xbf16>) outs(%sf : tensor<2x4x8x3x16xf32>) {
  ^bb0(%a: bf16, %b: bf16, %c: f32): %x = arith.extf %a : bf16 to f32 %z = arith.extf %b : bf16 to f32 %m = arith.mulf %x, %z : f32 %u = arith.addf %c, %m : f32 linalg.yield %u : f32
  } -> tensor<2x4x8x3x16xf32>
  %we = tensor.empty() : tensor<2x4x8x3x16xbf16>
  %w = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%s, %lengths : tensor<2x4x8x3x16xf32>, tensor<2xi32>) outs(%we : tensor<2x4x8x3x16xbf16>) {
  ^bb0(%a: f32, %l: i32, %o: bf16):
    %n = linalg.index 3 : index
    %r = linalg.index 4 : index
    %j = affine.apply affine_map<(d0, d1) -> (d0 * 16 + d1)>(%n, %r)
    %step = arith.constant 32 : i32
    %least = arith.constant 10 : i32
    %more = arith.muli %l, %step : i32
    %end = arith.addi %more, %least : i32
    %j32 = arith.index_cast %j : index to i32
    %is = arith.cmpi slt, %j32, %end : i32
    %e = math.exp %a : f32
    %x = arith.select %is, %e, %zero : f32
    %t = arith.truncf %x : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<2x4x8x3x16xbf16>
  %ye = tensor.empty() : tensor<2x4x8x64xf32>
  %yf = linalg.fill ins(%zero : f32) outs(%ye : tensor<2x4x8x64xf32>) -> tensor<2x4x8x64xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d4, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d4, d5, d1, d3)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%w, %v : tensor<2x4x8x3x16xbf16>, tensor<2x3x16x4x64xbf16>) outs(%yf : tensor<2x4x8x64xf32>) {
  ^bb0(%a: bf16, %b: bf16, %c: f32): %x = arith.extf %a : bf16 to f32 %z = arith.extf %b : bf16 to f32 %m = arith.mulf %x, %z : f32 %u = arith.addf %c, %m : f32 linalg.yield %u : f32
  } -> tensor<2x4x8x64xf32>
  return %y : tensor<2x4x8x64xf32>
}

// REMARK: Function=missing_keys {{.*}} that don't exist are NaN where no sum over them is
// CHECK-LABEL: func.func @missing_keys(
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<2x3x16x4x64xbf16>)
func.func @missing_keys(%q: tensor<2x4x8x64xbf16>, %keys: tensor<4x16x4x64xbf16>, %values: tensor<4x16x4x64xbf16>, %table: tensor<2x3xi32>, %lengths: tensor<2xi32>) -> tensor<2x4x8x64xf32> {
  %zero = arith.constant 0.0 : f32
  %nan = arith.constant 0x7FC0 : bf16
  %four = arith.constant 4 : i32
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %ke = tensor.empty() : tensor<2x3x16x4x64xbf16>
  %k = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%table : tensor<2x3xi32>) outs(%ke : tensor<2x3x16x4x64xbf16>) {
  ^bb0(%i: i32, %o: bf16):
    %r = linalg.index 2 : index
    %h = linalg.index 3 : index
    %d = linalg.index 4 : index
    %p = arith.index_cast %i : i32 to index
    %lo = arith.maxsi %p, %c0 : index
    %in = arith.minsi %lo, %c3 : index
    %x = tensor.extract %keys[%in, %r, %h, %d] : tensor<4x16x4x64xbf16>
    %is = arith.cmpi ult, %i, %four : i32
    %z = arith.select %is, %x, %nan : bf16
    linalg.yield %z : bf16
  } -> tensor<2x3x16x4x64xbf16>
  %ve = tensor.empty() : tensor<2x3x16x4x64xbf16>
  %v = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%table : tensor<2x3xi32>) outs(%ve : tensor<2x3x16x4x64xbf16>) {
  ^bb0(%i: i32, %o: bf16):
    %r = linalg.index 2 : index
    %h = linalg.index 3 : index
    %d = linalg.index 4 : index
    %p = arith.index_cast %i : i32 to index
    %x = tensor.extract %values[%p, %r, %h, %d] : tensor<4x16x4x64xbf16>
    linalg.yield %x : bf16
  } -> tensor<2x3x16x4x64xbf16>
  %se = tensor.empty() : tensor<2x4x8x3x16xf32>
  %sf = linalg.fill ins(%zero : f32) outs(%se : tensor<2x4x8x3x16xf32>) -> tensor<2x4x8x3x16xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d3, d4, d1, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<2x4x8x64xbf16>, tensor<2x3x16x4x64xbf16>) outs(%sf : tensor<2x4x8x3x16xf32>) {
  ^bb0(%a: bf16, %b: bf16, %c: f32): %x = arith.extf %a : bf16 to f32 %z = arith.extf %b : bf16 to f32 %m = arith.mulf %x, %z : f32 %u = arith.addf %c, %m : f32 linalg.yield %u : f32
  } -> tensor<2x4x8x3x16xf32>
  %we = tensor.empty() : tensor<2x4x8x3x16xbf16>
  %w = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%s, %lengths : tensor<2x4x8x3x16xf32>, tensor<2xi32>) outs(%we : tensor<2x4x8x3x16xbf16>) {
  ^bb0(%a: f32, %l: i32, %o: bf16):
    %n = linalg.index 3 : index
    %r = linalg.index 4 : index
    %j = affine.apply affine_map<(d0, d1) -> (d0 * 16 + d1)>(%n, %r)
    %step = arith.constant 32 : i32
    %least = arith.constant 10 : i32
    %more = arith.muli %l, %step : i32
    %end = arith.addi %more, %least : i32
    %j32 = arith.index_cast %j : index to i32
    %is = arith.cmpi slt, %j32, %end : i32
    %e = math.exp %a : f32
    %x = arith.select %is, %e, %zero : f32
    %t = arith.truncf %x : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<2x4x8x3x16xbf16>
  %ye = tensor.empty() : tensor<2x4x8x64xf32>
  %yf = linalg.fill ins(%zero : f32) outs(%ye : tensor<2x4x8x64xf32>) -> tensor<2x4x8x64xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d4, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d4, d5, d1, d3)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%w, %v : tensor<2x4x8x3x16xbf16>, tensor<2x3x16x4x64xbf16>) outs(%yf : tensor<2x4x8x64xf32>) {
  ^bb0(%a: bf16, %b: bf16, %c: f32): %x = arith.extf %a : bf16 to f32 %z = arith.extf %b : bf16 to f32 %m = arith.mulf %x, %z : f32 %u = arith.addf %c, %m : f32 linalg.yield %u : f32
  } -> tensor<2x4x8x64xf32>
  return %y : tensor<2x4x8x64xf32>
}

// KERNEL-LABEL: gpu.func @large_0(
// KERNEL: %[[POOL:.*]] = carousel.rows
// KERNEL: %[[PAGE:.*]] = arith.divui %[[J:.*]], %[[ROWS:.*]] : index
// KERNEL: %[[ROW:.*]] = arith.remui %[[J]], %[[ROWS]] : index
// KERNEL: vector.transfer_read %[[POOL]][%[[PAGE]], %[[ROW]], %{{.*}}, %{{.*}}], {{.*}} vector<1x{{(64|128)}}x1x64xbf16>
func.func @large(%q: tensor<2x4x8x64xbf16>, %keys: tensor<9x256x4x64xbf16>, %values: tensor<9x256x4x64xbf16>, %table: tensor<2x3xi32>, %lengths: tensor<2xi32>) -> tensor<2x4x8x64xf32> {
  %zero = arith.constant 0.0 : f32
  %ke = tensor.empty() : tensor<2x3x256x4x64xbf16>
  %k = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%table : tensor<2x3xi32>) outs(%ke : tensor<2x3x256x4x64xbf16>) {
  ^bb0(%i: i32, %o: bf16):
    %r = linalg.index 2 : index
    %h = linalg.index 3 : index
    %d = linalg.index 4 : index
    %p = arith.index_cast %i : i32 to index
    %x = tensor.extract %keys[%p, %r, %h, %d] : tensor<9x256x4x64xbf16>
    linalg.yield %x : bf16
  } -> tensor<2x3x256x4x64xbf16>
  %ve = tensor.empty() : tensor<2x3x256x4x64xbf16>
  %v = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%table : tensor<2x3xi32>) outs(%ve : tensor<2x3x256x4x64xbf16>) {
  ^bb0(%i: i32, %o: bf16):
    %r = linalg.index 2 : index
    %h = linalg.index 3 : index
    %d = linalg.index 4 : index
    %p = arith.index_cast %i : i32 to index
    %x = tensor.extract %values[%p, %r, %h, %d] : tensor<9x256x4x64xbf16>
    linalg.yield %x : bf16
  } -> tensor<2x3x256x4x64xbf16>
  %se = tensor.empty() : tensor<2x4x8x3x256xf32>
  %sf = linalg.fill ins(%zero : f32) outs(%se : tensor<2x4x8x3x256xf32>) -> tensor<2x4x8x3x256xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d3, d4, d1, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<2x4x8x64xbf16>, tensor<2x3x256x4x64xbf16>) outs(%sf : tensor<2x4x8x3x256xf32>) {
  ^bb0(%a: bf16, %b: bf16, %c: f32): %x = arith.extf %a : bf16 to f32 %z = arith.extf %b : bf16 to f32 %m = arith.mulf %x, %z : f32 %u = arith.addf %c, %m : f32 linalg.yield %u : f32
  } -> tensor<2x4x8x3x256xf32>
  %we = tensor.empty() : tensor<2x4x8x3x256xbf16>
  %w = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%s, %lengths : tensor<2x4x8x3x256xf32>, tensor<2xi32>) outs(%we : tensor<2x4x8x3x256xbf16>) {
  ^bb0(%a: f32, %l: i32, %o: bf16):
    %n = linalg.index 3 : index
    %r = linalg.index 4 : index
    %j = affine.apply affine_map<(d0, d1) -> (d0 * 256 + d1)>(%n, %r)
    %step = arith.constant 512 : i32
    %least = arith.constant 130 : i32
    %more = arith.muli %l, %step : i32
    %end = arith.addi %more, %least : i32
    %j32 = arith.index_cast %j : index to i32
    %is = arith.cmpi slt, %j32, %end : i32
    %e = math.exp %a : f32
    %x = arith.select %is, %e, %zero : f32
    %t = arith.truncf %x : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<2x4x8x3x256xbf16>
  %ye = tensor.empty() : tensor<2x4x8x64xf32>
  %yf = linalg.fill ins(%zero : f32) outs(%ye : tensor<2x4x8x64xf32>) -> tensor<2x4x8x64xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d4, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d4, d5, d1, d3)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%w, %v : tensor<2x4x8x3x256xbf16>, tensor<2x3x256x4x64xbf16>) outs(%yf : tensor<2x4x8x64xf32>) {
  ^bb0(%a: bf16, %b: bf16, %c: f32): %x = arith.extf %a : bf16 to f32 %z = arith.extf %b : bf16 to f32 %m = arith.mulf %x, %z : f32 %u = arith.addf %c, %m : f32 linalg.yield %u : f32
  } -> tensor<2x4x8x64xf32>
  return %y : tensor<2x4x8x64xf32>
}

// REMARK: Function=twelve {{.*}} a page has 12 rows, and boxes have a power of two from 8 to 256
// CHECK-LABEL: func.func @twelve(
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<2x3x12x4x64xbf16>)
func.func @twelve(%q: tensor<2x4x8x64xbf16>, %keys: tensor<9x12x4x64xbf16>, %values: tensor<9x12x4x64xbf16>, %table: tensor<2x3xi32>, %lengths: tensor<2xi32>) -> tensor<2x4x8x64xf32> {
  %zero = arith.constant 0.0 : f32
  %ke = tensor.empty() : tensor<2x3x12x4x64xbf16>
  %k = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%table : tensor<2x3xi32>) outs(%ke : tensor<2x3x12x4x64xbf16>) {
  ^bb0(%i: i32, %o: bf16):
    %r = linalg.index 2 : index
    %h = linalg.index 3 : index
    %d = linalg.index 4 : index
    %p = arith.index_cast %i : i32 to index
    %x = tensor.extract %keys[%p, %r, %h, %d] : tensor<9x12x4x64xbf16>
    linalg.yield %x : bf16
  } -> tensor<2x3x12x4x64xbf16>
  %ve = tensor.empty() : tensor<2x3x12x4x64xbf16>
  %v = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%table : tensor<2x3xi32>) outs(%ve : tensor<2x3x12x4x64xbf16>) {
  ^bb0(%i: i32, %o: bf16):
    %r = linalg.index 2 : index
    %h = linalg.index 3 : index
    %d = linalg.index 4 : index
    %p = arith.index_cast %i : i32 to index
    %x = tensor.extract %values[%p, %r, %h, %d] : tensor<9x12x4x64xbf16>
    linalg.yield %x : bf16
  } -> tensor<2x3x12x4x64xbf16>
  %se = tensor.empty() : tensor<2x4x8x3x12xf32>
  %sf = linalg.fill ins(%zero : f32) outs(%se : tensor<2x4x8x3x12xf32>) -> tensor<2x4x8x3x12xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d3, d4, d1, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<2x4x8x64xbf16>, tensor<2x3x12x4x64xbf16>) outs(%sf : tensor<2x4x8x3x12xf32>) {
  ^bb0(%a: bf16, %b: bf16, %c: f32): %x = arith.extf %a : bf16 to f32 %z = arith.extf %b : bf16 to f32 %m = arith.mulf %x, %z : f32 %u = arith.addf %c, %m : f32 linalg.yield %u : f32
  } -> tensor<2x4x8x3x12xf32>
  %we = tensor.empty() : tensor<2x4x8x3x12xbf16>
  %w = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%s, %lengths : tensor<2x4x8x3x12xf32>, tensor<2xi32>) outs(%we : tensor<2x4x8x3x12xbf16>) {
  ^bb0(%a: f32, %l: i32, %o: bf16):
    %n = linalg.index 3 : index
    %r = linalg.index 4 : index
    %j = affine.apply affine_map<(d0, d1) -> (d0 * 12 + d1)>(%n, %r)
    %step = arith.constant 24 : i32
    %least = arith.constant 8 : i32
    %more = arith.muli %l, %step : i32
    %end = arith.addi %more, %least : i32
    %j32 = arith.index_cast %j : index to i32
    %is = arith.cmpi slt, %j32, %end : i32
    %e = math.exp %a : f32
    %x = arith.select %is, %e, %zero : f32
    %t = arith.truncf %x : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<2x4x8x3x12xbf16>
  %ye = tensor.empty() : tensor<2x4x8x64xf32>
  %yf = linalg.fill ins(%zero : f32) outs(%ye : tensor<2x4x8x64xf32>) -> tensor<2x4x8x64xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d4, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d4, d5, d1, d3)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%w, %v : tensor<2x4x8x3x12xbf16>, tensor<2x3x12x4x64xbf16>) outs(%yf : tensor<2x4x8x64xf32>) {
  ^bb0(%a: bf16, %b: bf16, %c: f32): %x = arith.extf %a : bf16 to f32 %z = arith.extf %b : bf16 to f32 %m = arith.mulf %x, %z : f32 %u = arith.addf %c, %m : f32 linalg.yield %u : f32
  } -> tensor<2x4x8x64xf32>
  return %y : tensor<2x4x8x64xf32>
}

// REMARK: Function=apart {{.*}} an op needs pages and their rows apart
// CHECK-LABEL: func.func @apart(
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<2x3x16x4x64xbf16>)
func.func @apart(%q: tensor<2x4x8x64xbf16>, %keys: tensor<9x16x4x64xbf16>, %table: tensor<2x3xi32>) -> tensor<2x4x8x3xf32> {
  %zero = arith.constant 0.0 : f32
  %ke = tensor.empty() : tensor<2x3x16x4x64xbf16>
  %k = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%table : tensor<2x3xi32>) outs(%ke : tensor<2x3x16x4x64xbf16>) {
  ^bb0(%i: i32, %o: bf16):
    %r = linalg.index 2 : index
    %h = linalg.index 3 : index
    %d = linalg.index 4 : index
    %p = arith.index_cast %i : i32 to index
    %x = tensor.extract %keys[%p, %r, %h, %d] : tensor<9x16x4x64xbf16>
    linalg.yield %x : bf16
  } -> tensor<2x3x16x4x64xbf16>
  %se = tensor.empty() : tensor<2x4x8x3x16xf32>
  %sf = linalg.fill ins(%zero : f32) outs(%se : tensor<2x4x8x3x16xf32>) -> tensor<2x4x8x3x16xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d3, d4, d1, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<2x4x8x64xbf16>, tensor<2x3x16x4x64xbf16>) outs(%sf : tensor<2x4x8x3x16xf32>) {
  ^bb0(%a: bf16, %b: bf16, %c: f32): %x = arith.extf %a : bf16 to f32 %z = arith.extf %b : bf16 to f32 %m = arith.mulf %x, %z : f32 %u = arith.addf %c, %m : f32 linalg.yield %u : f32
  } -> tensor<2x4x8x3x16xf32>
  %me = tensor.empty() : tensor<2x4x8x3xf32>
  %mf = linalg.fill ins(%zero : f32) outs(%me : tensor<2x4x8x3xf32>) -> tensor<2x4x8x3xf32>
  %m = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%s : tensor<2x4x8x3x16xf32>) outs(%mf : tensor<2x4x8x3xf32>) {
  ^bb0(%a: f32, %c: f32): %x = arith.maximumf %c, %a : f32 linalg.yield %x : f32
  } -> tensor<2x4x8x3xf32>
  return %m : tensor<2x4x8x3xf32>
}

// A product of pages by pages has two pairs of dimensions, of which one is joined.
// REMARK: Function=both {{.*}} an op goes along other pages, too
// CHECK-LABEL: func.func @both(
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<2x4x48x3x16xf32>)
func.func @both(%keys: tensor<9x16x4x64xbf16>, %values: tensor<9x16x4x64xbf16>, %table: tensor<2x3xi32>) -> tensor<2x4x3x16x3x16xf32> {
  %zero = arith.constant 0.0 : f32
  %ke = tensor.empty() : tensor<2x3x16x4x64xbf16>
  %k = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%table : tensor<2x3xi32>) outs(%ke : tensor<2x3x16x4x64xbf16>) {
  ^bb0(%i: i32, %o: bf16):
    %r = linalg.index 2 : index
    %h = linalg.index 3 : index
    %d = linalg.index 4 : index
    %p = arith.index_cast %i : i32 to index
    %x = tensor.extract %keys[%p, %r, %h, %d] : tensor<9x16x4x64xbf16>
    linalg.yield %x : bf16
  } -> tensor<2x3x16x4x64xbf16>
  %ve = tensor.empty() : tensor<2x3x16x4x64xbf16>
  %v = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%table : tensor<2x3xi32>) outs(%ve : tensor<2x3x16x4x64xbf16>) {
  ^bb0(%i: i32, %o: bf16):
    %r = linalg.index 2 : index
    %h = linalg.index 3 : index
    %d = linalg.index 4 : index
    %p = arith.index_cast %i : i32 to index
    %x = tensor.extract %values[%p, %r, %h, %d] : tensor<9x16x4x64xbf16>
    linalg.yield %x : bf16
  } -> tensor<2x3x16x4x64xbf16>
  %se = tensor.empty() : tensor<2x4x3x16x3x16xf32>
  %sf = linalg.fill ins(%zero : f32) outs(%se : tensor<2x4x3x16x3x16xf32>) -> tensor<2x4x3x16x3x16xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d2, d3, d1, d6)>, affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d4, d5, d1, d6)>, affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3, d4, d5)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%k, %v : tensor<2x3x16x4x64xbf16>, tensor<2x3x16x4x64xbf16>) outs(%sf : tensor<2x4x3x16x3x16xf32>) {
  ^bb0(%a: bf16, %b: bf16, %c: f32): %x = arith.extf %a : bf16 to f32 %z = arith.extf %b : bf16 to f32 %m = arith.mulf %x, %z : f32 %u = arith.addf %c, %m : f32 linalg.yield %u : f32
  } -> tensor<2x4x3x16x3x16xf32>
  return %s : tensor<2x4x3x16x3x16xf32>
}
