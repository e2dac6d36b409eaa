// A product whose columns are reduced, and which sums over more than a stream has, is along tiles. What a tile has is corrected by
// the rows of all tiles. What elementwise ops pick of the product is a sum of its own.
// RUN: carousel-opt %s --carousel-split-online-reductions=tiled-elements=1 | FileCheck %s
// RUN: carousel-opt %s --carousel-split-online-reductions=tiled-elements=1 --remarks-filter=carousel-split-online-reductions -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: carousel-opt %s --carousel-split-online-reductions | FileCheck %s --check-prefix=SMALL
// On a GPU whose kernels are slower than a library, that computes deep products.
// RUN: sed 's/"gpu" = "h200"/"gpu" = "a100"/' %s > %t.mlir
// RUN: carousel-opt %t.mlir --carousel-split-online-reductions="tiled-elements=1 libraries=true" --remarks-filter=carousel-split-online-reductions -o /dev/null 2>&1 | FileCheck %s --check-prefix=LIBRARY
// RUN: carousel-opt %t.mlir --carousel-split-online-reductions=tiled-elements=1 --remarks-filter=carousel-split-online-reductions -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: not carousel-opt %s --carousel-split-online-reductions=products=f16 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: for the --products option: Cannot find option named 'f16'!

#x = affine_map<(i, j, k) -> (i, k)>
#w = affine_map<(i, j, k) -> (j, k)>
#z = affine_map<(i, j, k) -> (i, j)>
#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
#one = affine_map<(i) -> (i)>

module attributes {dlti.target_system_spec = #dlti.target_system_spec<"GPU" = #dlti.target_device_spec<"gpu" = "h200">>} {

// REMARK: matmul at {{.*}} and sum at {{.*}} are by tiles of 256 columns, and what tiles have is corrected and combined
// CHECK-LABEL: func.func @log_sum_exp(
// CHECK-SAME: %[[X:.*]]: tensor<?x512xbf16>, %[[W:.*]]: tensor<1024x512xbf16>
// CHECK: %[[TILES:.*]] = tensor.expand_shape %[[W]] {{\[}}[0, 1], [2]] output_shape [4, 256, 512]
// CHECK: %[[Z:.*]] = linalg.generic {{.*}} ins(%[[X]], %[[TILES]] : tensor<?x512xbf16>, tensor<4x256x512xbf16>)
// CHECK: -> tensor<?x4x256xf32>
// CHECK: %[[TOPS:.*]] = linalg.generic {{.*}} ins(%[[Z]] : tensor<?x4x256xf32>)
// CHECK: arith.maximumf
// CHECK: -> tensor<4x?xf32>
// CHECK: %[[GUARDED:.*]] = linalg.generic {{.*}} ins(%[[TOPS]] : tensor<4x?xf32>)
// CHECK: arith.cmpf oeq
// CHECK: %[[TOP:.*]] = linalg.generic {{.*}} ins(%[[TOPS]] : tensor<4x?xf32>)
// CHECK: arith.maximumf
// CHECK: -> tensor<?xf32>
// CHECK: %[[SUMS:.*]] = linalg.generic {{.*}} ins(%[[Z]], %[[GUARDED]] : tensor<?x4x256xf32>, tensor<4x?xf32>)
// CHECK: math.exp
// CHECK: -> tensor<4x?xf32>
// CHECK: linalg.generic {{.*}} ins(%[[SUMS]], %[[TOPS]], %[[TOP]] : tensor<4x?xf32>, tensor<4x?xf32>, tensor<?xf32>)
// CHECK: %[[CHANGE:.*]] = math.exp
// CHECK: arith.mulf %{{.*}}, %[[CHANGE]]
// CHECK: arith.addf
// CHECK: -> tensor<?xf32>
// SMALL-LABEL: func.func @log_sum_exp(
// SMALL-NOT: expand_shape
func.func @log_sum_exp(%x: tensor<?x512xbf16>, %w: tensor<1024x512xbf16>) -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %m = tensor.dim %x, %c0 : tensor<?x512xbf16>
  %ez = tensor.empty(%m) : tensor<?x1024xf32>
  %er = tensor.empty(%m) : tensor<?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%ez : tensor<?x1024xf32>) -> tensor<?x1024xf32>
  %z = linalg.generic {indexing_maps = [#x, #w, #z], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<?x512xbf16>, tensor<1024x512xbf16>) outs(%zeros : tensor<?x1024xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %a32 = arith.extf %a : bf16 to f32
    %b32 = arith.extf %b : bf16 to f32
    %p = arith.mulf %a32, %b32 : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<?x1024xf32>
  %lows = linalg.fill ins(%low : f32) outs(%er : tensor<?xf32>) -> tensor<?xf32>
  %top = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%z : tensor<?x1024xf32>) outs(%lows : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.maximumf %o, %a : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %nothing = linalg.fill ins(%zero : f32) outs(%er : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row, #row], iterator_types = ["parallel", "reduction"]} ins(%z, %top : tensor<?x1024xf32>, tensor<?xf32>) outs(%nothing : tensor<?xf32>) {
  ^bb0(%a: f32, %t: f32, %o: f32):
    %d = arith.subf %a, %t : f32
    %e = math.exp %d : f32
    %r = arith.addf %o, %e : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  return %top, %sum : tensor<?xf32>, tensor<?xf32>
}

// What is read at computed columns is a sum of products of rows. 576 columns are nine tiles of 64, and the
// bias has them, too.
// REMARK: Remark="sums the elements of a product that it reads"
// REMARK: are by tiles of 64 columns
// CHECK-LABEL: func.func @picked(
// CHECK-SAME: %[[X:.*]]: tensor<512x512xbf16>, %[[W:.*]]: tensor<576x512xbf16>, %[[B:.*]]: tensor<576xf32>, %[[T:.*]]: tensor<512xi32>
// CHECK-DAG: tensor.expand_shape %[[W]] {{\[}}[0, 1], [2]] output_shape [9, 64, 512]
// CHECK-DAG: tensor.expand_shape %[[B]] {{\[}}[0, 1]] output_shape [9, 64]
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]} ins(%[[T]], %[[X]] : tensor<512xi32>, tensor<512x512xbf16>)
// CHECK: arith.maxsi
// CHECK: %[[AT:.*]] = arith.minsi
// CHECK: %[[K:.*]] = linalg.index 1
// CHECK: tensor.extract %[[W]][%[[AT]], %[[K]]] : tensor<576x512xbf16>
// CHECK: arith.mulf
// CHECK-NEXT: arith.addf
// CHECK: -> tensor<512xf32>
func.func @picked(%x: tensor<512x512xbf16>, %w: tensor<576x512xbf16>, %b: tensor<576xf32>, %t: tensor<512xi32>) -> (tensor<512xf32>, tensor<512xf32>) {
  %zero = arith.constant 0.0 : f32
  %ez = tensor.empty() : tensor<512x576xf32>
  %er = tensor.empty() : tensor<512xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%ez : tensor<512x576xf32>) -> tensor<512x576xf32>
  %z = linalg.generic {indexing_maps = [#x, #w, #z], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<512x512xbf16>, tensor<576x512xbf16>) outs(%zeros : tensor<512x576xf32>) {
  ^bb0(%a: bf16, %c: bf16, %o: f32):
    %a32 = arith.extf %a : bf16 to f32
    %c32 = arith.extf %c : bf16 to f32
    %p = arith.mulf %a32, %c32 : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<512x576xf32>
  %nothing = linalg.fill ins(%zero : f32) outs(%er : tensor<512xf32>) -> tensor<512xf32>
  %sum = linalg.generic {indexing_maps = [#all, #column, #row], iterator_types = ["parallel", "reduction"]} ins(%z, %b : tensor<512x576xf32>, tensor<576xf32>) outs(%nothing : tensor<512xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %s = arith.addf %a, %c : f32
    %e = math.exp %s : f32
    %r = arith.addf %o, %e : f32
    linalg.yield %r : f32
  } -> tensor<512xf32>
  %own = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%t : tensor<512xi32>) outs(%er : tensor<512xf32>) {
  ^bb0(%label: i32, %o: f32):
    %i = linalg.index 0 : index
    %j = arith.index_cast %label : i32 to index
    %a = tensor.extract %z[%i, %j] : tensor<512x576xf32>
    %r = math.absf %a : f32
    linalg.yield %r : f32
  } -> tensor<512xf32>
  return %sum, %own : tensor<512xf32>, tensor<512xf32>
}

// Without a maximum, tiles need no correction.
// REMARK: are by tiles of 128 columns
// DOC-EXAMPLE: --carousel-split-online-reductions=tiled-elements=1
// CHECK-LABEL: func.func @sum(
// CHECK: tensor.expand_shape %{{.*}} {{\[}}[0, 1], [2]] output_shape [3, 128, 512]
// CHECK: %[[SUMS:.*]] = linalg.generic {{.*}} ins(%{{[0-9]+}} : tensor<512x3x128xf32>)
// CHECK: math.exp
// CHECK: -> tensor<3x512xf32>
// CHECK: linalg.generic {{.*}} ins(%[[SUMS]] : tensor<3x512xf32>)
func.func @sum(%x: tensor<512x512xbf16>, %w: tensor<384x512xbf16>) -> tensor<512xf32> {
  %zero = arith.constant 0.0 : f32
  %ez = tensor.empty() : tensor<512x384xf32>
  %er = tensor.empty() : tensor<512xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%ez : tensor<512x384xf32>) -> tensor<512x384xf32>
  %z = linalg.generic {indexing_maps = [#x, #w, #z], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<512x512xbf16>, tensor<384x512xbf16>) outs(%zeros : tensor<512x384xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %a32 = arith.extf %a : bf16 to f32
    %b32 = arith.extf %b : bf16 to f32
    %p = arith.mulf %a32, %b32 : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<512x384xf32>
  %nothing = linalg.fill ins(%zero : f32) outs(%er : tensor<512xf32>) -> tensor<512xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%z : tensor<512x384xf32>) outs(%nothing : tensor<512xf32>) {
  ^bb0(%a: f32, %o: f32):
    %e = math.exp %a : f32
    %r = arith.addf %o, %e : f32
    linalg.yield %r : f32
  } -> tensor<512xf32>
  return %sum : tensor<512xf32>
}

// The rest of the columns is written once more, as one tile of other length. Two results of each are one behind the other.
// REMARK: are by tiles of 256 columns and a rest of 241, and what tiles have is corrected and combined
// LIBRARY: matmul at {{.*}} and sum at {{.*}} aren't by tiles: a library that writes all elements takes {{.*}} us, and a kernel that reduces them {{.*}} us
// CHECK-LABEL: func.func @prime(
// CHECK-SAME: %[[X:.*]]: tensor<?x8192xbf16>, %[[W:.*]]: tensor<1009x8192xbf16>
// CHECK: %[[REST:.*]] = tensor.extract_slice %[[W]][768, 0] [241, 8192] [1, 1]
// CHECK: %[[WHOLE:.*]] = tensor.extract_slice %[[W]][0, 0] [768, 8192] [1, 1]
// CHECK: %[[TILES:.*]] = tensor.expand_shape %[[WHOLE]] {{.*}} into tensor<3x256x8192xbf16>
// CHECK: linalg.generic {{.*}} ins(%[[X]], %[[TILES]] : {{.*}}) outs({{.*}} : tensor<?x3x256xf32>)
// CHECK: %[[OFREST:.*]] = linalg.generic {{.*}} ins(%[[X]], %[[REST]] : {{.*}}) outs({{.*}} : tensor<?x241xf32>)
// CHECK: %[[SUMS:.*]] = linalg.generic {{.*}} outs({{.*}} : tensor<3x?xf32>)
// CHECK: %[[SUM:.*]] = linalg.generic {{.*}} ins(%[[OFREST]] : {{.*}}) outs({{.*}} : tensor<?xf32>)
// CHECK: %[[SOME:.*]] = tensor.insert_slice %[[SUMS]] into %{{.*}}[0, 0] [3, %{{.*}}] [1, 1] : tensor<3x?xf32> into tensor<4x?xf32>
// CHECK: %[[ALL:.*]] = tensor.insert_slice %[[SUM]] into %[[SOME]][3, 0] [1, %{{.*}}] [1, 1] : tensor<?xf32> into tensor<4x?xf32>
// CHECK: linalg.generic {{.*}} ins(%[[ALL]] : tensor<4x?xf32>)
func.func @prime(%x: tensor<?x8192xbf16>, %w: tensor<1009x8192xbf16>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x8192xbf16>
  %ez = tensor.empty(%m) : tensor<?x1009xf32>
  %er = tensor.empty(%m) : tensor<?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%ez : tensor<?x1009xf32>) -> tensor<?x1009xf32>
  %z = linalg.generic {indexing_maps = [#x, #w, #z], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<?x8192xbf16>, tensor<1009x8192xbf16>) outs(%zeros : tensor<?x1009xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %a32 = arith.extf %a : bf16 to f32
    %b32 = arith.extf %b : bf16 to f32
    %p = arith.mulf %a32, %b32 : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<?x1009xf32>
  %nothing = linalg.fill ins(%zero : f32) outs(%er : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%z : tensor<?x1009xf32>) outs(%nothing : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %e = math.exp %a : f32
    %r = arith.addf %o, %e : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  return %sum : tensor<?xf32>
}

// REMARK: aren't by tiles: the columns are of unknown extent
// CHECK-LABEL: func.func @unknown(
// CHECK-NOT: expand_shape
func.func @unknown(%x: tensor<?x8192xbf16>, %w: tensor<?x8192xbf16>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x8192xbf16>
  %n = tensor.dim %w, %c0 : tensor<?x8192xbf16>
  %ez = tensor.empty(%m, %n) : tensor<?x?xf32>
  %er = tensor.empty(%m) : tensor<?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%ez : tensor<?x?xf32>) -> tensor<?x?xf32>
  %z = linalg.generic {indexing_maps = [#x, #w, #z], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<?x8192xbf16>, tensor<?x8192xbf16>) outs(%zeros : tensor<?x?xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %a32 = arith.extf %a : bf16 to f32
    %b32 = arith.extf %b : bf16 to f32
    %p = arith.mulf %a32, %b32 : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %nothing = linalg.fill ins(%zero : f32) outs(%er : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%z : tensor<?x?xf32>) outs(%nothing : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %e = math.exp %a : f32
    %r = arith.addf %o, %e : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  return %sum : tensor<?xf32>
}

// Other ops need the elements, which are in memory then.
// CHECK-LABEL: func.func @elements(
// CHECK-NOT: expand_shape
func.func @elements(%x: tensor<512x512xbf16>, %w: tensor<1024x512xbf16>) -> (tensor<512x1024xf32>, tensor<512xf32>) {
  %zero = arith.constant 0.0 : f32
  %ez = tensor.empty() : tensor<512x1024xf32>
  %er = tensor.empty() : tensor<512xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%ez : tensor<512x1024xf32>) -> tensor<512x1024xf32>
  %z = linalg.generic {indexing_maps = [#x, #w, #z], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<512x512xbf16>, tensor<1024x512xbf16>) outs(%zeros : tensor<512x1024xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %a32 = arith.extf %a : bf16 to f32
    %b32 = arith.extf %b : bf16 to f32
    %p = arith.mulf %a32, %b32 : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<512x1024xf32>
  %nothing = linalg.fill ins(%zero : f32) outs(%er : tensor<512xf32>) -> tensor<512xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%z : tensor<512x1024xf32>) outs(%nothing : tensor<512xf32>) {
  ^bb0(%a: f32, %o: f32):
    %e = math.exp %a : f32
    %r = arith.addf %o, %e : f32
    linalg.yield %r : f32
  } -> tensor<512xf32>
  return %z, %sum : tensor<512x1024xf32>, tensor<512xf32>
}

}
