// A product whose factor has rows that a table names reads them through a view, as a tile of its loop.
// RUN: carousel-opt %s --carousel-schedule-groups --carousel-lower-groups --mlir-print-local-scope | FileCheck %s

// CHECK-LABEL: gpu.func @rows
// CHECK-SAME: (%[[X:.+]]: memref<1000x512xbf16, #gpu.address_space<global>> {{{.+}}}, %[[I:.+]]: memref<256xi32, #gpu.address_space<global>> {{{.+}}}, %{{.+}}: memref<512x384xbf16
// CHECK: scf.for
// CHECK: %[[ROWS:.+]] = carousel.rows %[[X]][%[[I]]]
// CHECK: vector.transfer_read %[[ROWS]]{{.*}} {in_bounds = [false, true]} : memref<256x512xbf16, #gpu.address_space<global>>, vector<128x64xbf16>
// CHECK-NOT: vector.gather
// CHECK: vector.contract

// Numbers that the kernel computes are in no table: their elements are gathered.
// CHECK-LABEL: gpu.func @next_rows
// CHECK-NOT: carousel.rows
// CHECK: vector.gather

// A table of rows for each tile, and a matrix that the tile's number chooses: both are tiles of the loop, without a transposition.
// CHECK-LABEL: gpu.func @chosen
// CHECK-SAME: (%[[X:.+]]: memref<300x128xbf16, #gpu.address_space<global>> {{{.+}}}, %[[W:.+]]: memref<8x128x256xbf16, #gpu.address_space<global>> {{{.+}}}, %[[I:.+]]: memref<6x128xi32, #gpu.address_space<global>> {{{.+}}}, %[[G:.+]]: memref<6xi32
// CHECK: %[[NUMBER:.+]] = memref.load %[[G]][%[[TILE:.+]]]
// CHECK: scf.for %[[K:[a-z0-9_]+]] =
// CHECK: %[[TABLE:.+]] = memref.subview %[[I]][%[[TILE]], 0] [1, 128] [1, 1]
// CHECK: %[[ROWS:.+]] = carousel.rows %[[X]][%[[TABLE]]]
// CHECK: %[[A:.+]] = vector.transfer_read %[[ROWS]]{{.*}} vector<128x64xbf16>
// CHECK: %[[AT:.+]] = arith.index_cast %[[NUMBER]]
// CHECK: %[[B:.+]] = vector.transfer_read %[[W]][%[[AT]], %[[K]], %{{.+}}]{{.*}} vector<64x128xbf16>
// CHECK: vector.contract {{.*}} %[[A]], %[[B]]
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#product = {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]}

func.func @rows(%p0: tensor<1000x512xbf16>, %p1: tensor<256xi32>, %p2: tensor<512x384xbf16>) -> tensor<256x384xf32> {
  %group = carousel.group "rows"(%p0, %p1, %p2) {
  ^bb0(%x: tensor<1000x512xbf16>, %i: tensor<256xi32>, %w: tensor<512x384xbf16>):
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<256x512xbf16>
    %g = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]} ins(%i : tensor<256xi32>) outs(%e : tensor<256x512xbf16>) {
    ^bb0(%a: i32, %o: bf16):
      %0 = arith.index_cast %a : i32 to index
      %1 = linalg.index 1 : index
      %2 = tensor.extract %x[%0, %1] : tensor<1000x512xbf16>
      linalg.yield %2 : bf16
    } -> tensor<256x512xbf16>
    %r = tensor.empty() : tensor<256x384xf32>
    %f = linalg.fill ins(%zero : f32) outs(%r : tensor<256x384xf32>) -> tensor<256x384xf32>
    %y = linalg.generic #product ins(%g, %w : tensor<256x512xbf16>, tensor<512x384xbf16>) outs(%f : tensor<256x384xf32>) {
    ^bb0(%a: bf16, %b: bf16, %o: f32):
      %0 = arith.extf %a : bf16 to f32
      %1 = arith.extf %b : bf16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %o, %2 : f32
      linalg.yield %3 : f32
    } -> tensor<256x384xf32>
    carousel.yield %y : tensor<256x384xf32>
  } : (tensor<1000x512xbf16>, tensor<256xi32>, tensor<512x384xbf16>) -> tensor<256x384xf32>
  return %group : tensor<256x384xf32>
}

func.func @next_rows(%p0: tensor<1000x512xbf16>, %p1: tensor<256xi32>, %p2: tensor<512x384xbf16>) -> tensor<256x384xf32> {
  %group = carousel.group "next_rows"(%p0, %p1, %p2) {
  ^bb0(%x: tensor<1000x512xbf16>, %i: tensor<256xi32>, %w: tensor<512x384xbf16>):
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1 : i32
    %e = tensor.empty() : tensor<256x512xbf16>
    %g = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]} ins(%i : tensor<256xi32>) outs(%e : tensor<256x512xbf16>) {
    ^bb0(%a: i32, %o: bf16):
      %next = arith.addi %a, %one : i32
      %0 = arith.index_cast %next : i32 to index
      %1 = linalg.index 1 : index
      %2 = tensor.extract %x[%0, %1] : tensor<1000x512xbf16>
      linalg.yield %2 : bf16
    } -> tensor<256x512xbf16>
    %r = tensor.empty() : tensor<256x384xf32>
    %f = linalg.fill ins(%zero : f32) outs(%r : tensor<256x384xf32>) -> tensor<256x384xf32>
    %y = linalg.generic #product ins(%g, %w : tensor<256x512xbf16>, tensor<512x384xbf16>) outs(%f : tensor<256x384xf32>) {
    ^bb0(%a: bf16, %b: bf16, %o: f32):
      %0 = arith.extf %a : bf16 to f32
      %1 = arith.extf %b : bf16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %o, %2 : f32
      linalg.yield %3 : f32
    } -> tensor<256x384xf32>
    carousel.yield %y : tensor<256x384xf32>
  } : (tensor<1000x512xbf16>, tensor<256xi32>, tensor<512x384xbf16>) -> tensor<256x384xf32>
  return %group : tensor<256x384xf32>
}

func.func @main(%x: tensor<1000x512xbf16>, %i: tensor<256xi32>, %w: tensor<512x384xbf16>) -> (tensor<256x384xf32>, tensor<256x384xf32>) {
  %y = func.call @rows(%x, %i, %w) : (tensor<1000x512xbf16>, tensor<256xi32>, tensor<512x384xbf16>) -> tensor<256x384xf32>
  %z = func.call @next_rows(%x, %i, %w) : (tensor<1000x512xbf16>, tensor<256xi32>, tensor<512x384xbf16>) -> tensor<256x384xf32>
  return %y, %z : tensor<256x384xf32>, tensor<256x384xf32>
}

#pik = affine_map<(p, i, k) -> (p, i, k)>
#pi = affine_map<(p, i, k) -> (p, i)>
#p0 = affine_map<(p, i, k) -> (p)>
func.func @chosen(%p0: tensor<300x128xbf16>, %p1: tensor<8x128x256xbf16>, %p2: tensor<6x128xi32>, %p3: tensor<6xi32>) -> tensor<6x128x256xf32> {
  %group = carousel.group "chosen"(%p0, %p1, %p2, %p3) {
  ^bb0(%x: tensor<300x128xbf16>, %w: tensor<8x128x256xbf16>, %row: tensor<6x128xi32>, %ex: tensor<6xi32>):
    %c300 = arith.constant 300 : index
    %none = arith.constant 0.0 : bf16
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<6x128x128xbf16>
    %xt = linalg.generic {indexing_maps = [#pi, #pik], iterator_types = ["parallel", "parallel", "parallel"]} ins(%row : tensor<6x128xi32>) outs(%e : tensor<6x128x128xbf16>) {
    ^bb0(%r: i32, %o: bf16):
      %k = linalg.index 2 : index
      %0 = arith.index_cast %r : i32 to index
      %1 = arith.cmpi ult, %0, %c300 : index
      %2 = scf.if %1 -> bf16 {
        %3 = tensor.extract %x[%0, %k] : tensor<300x128xbf16>
        scf.yield %3 : bf16
      } else {
        scf.yield %none : bf16
      }
      linalg.yield %2 : bf16
    } -> tensor<6x128x128xbf16>
    %ew = tensor.empty() : tensor<6x128x256xbf16>
    %wt = linalg.generic {indexing_maps = [#p0, #pik], iterator_types = ["parallel", "parallel", "parallel"]} ins(%ex : tensor<6xi32>) outs(%ew : tensor<6x128x256xbf16>) {
    ^bb0(%r: i32, %o: bf16):
      %k = linalg.index 1 : index
      %n = linalg.index 2 : index
      %0 = arith.index_cast %r : i32 to index
      %3 = tensor.extract %w[%0, %k, %n] : tensor<8x128x256xbf16>
      linalg.yield %3 : bf16
    } -> tensor<6x128x256xbf16>
    %ey = tensor.empty() : tensor<6x128x256xf32>
    %f = linalg.fill ins(%zero : f32) outs(%ey : tensor<6x128x256xf32>) -> tensor<6x128x256xf32>
    %y = linalg.generic {indexing_maps = [affine_map<(p, i, n, k) -> (p, i, k)>, affine_map<(p, i, n, k) -> (p, k, n)>, affine_map<(p, i, n, k) -> (p, i, n)>],
        iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%xt, %wt : tensor<6x128x128xbf16>, tensor<6x128x256xbf16>) outs(%f : tensor<6x128x256xf32>) {
    ^bb0(%a: bf16, %b: bf16, %o: f32):
      %0 = arith.extf %a : bf16 to f32
      %1 = arith.extf %b : bf16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %o, %2 : f32
      linalg.yield %3 : f32
    } -> tensor<6x128x256xf32>
    carousel.yield %y : tensor<6x128x256xf32>
  } : (tensor<300x128xbf16>, tensor<8x128x256xbf16>, tensor<6x128xi32>, tensor<6xi32>) -> tensor<6x128x256xf32>
  return %group : tensor<6x128x256xf32>
}
