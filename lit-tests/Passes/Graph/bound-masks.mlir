// Where a mask compares a row's number with an element's, ops before it find the tiles of 128 elements that 128 rows may need, and
// runs of tiles that need no comparison.
// RUN: carousel-opt %s --carousel-bound-masks | FileCheck %s
// RUN: carousel-opt %s --carousel-bound-masks --remarks-filter=carousel-bound-masks -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: not carousel-opt %s --carousel-bound-masks=products=f16 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: for the --products option: Cannot find option named 'f16'!
// RUN: carousel-opt %s --carousel-bound-masks --carousel-form-groups --carousel-schedule-groups --carousel-lower-groups | FileCheck %s --check-prefix=KERNEL

#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>

// A kernel's loop begins and ends where numbers in memory say, and tiles of a run have no comparison.
// DOC-EXAMPLE: --carousel-bound-masks
// REMARK: Function=documents | Remark="numbers that have to be equal bound the tiles of rows"
// CHECK-LABEL: func.func @documents(
// CHECK-SAME: %[[IDS:arg2]]: tensor<4096xi32>
// CHECK: %[[ROWS:.*]] = linalg.generic
// CHECK: tensor.extract %[[IDS]]
// CHECK: arith.minsi
// CHECK: -> tensor<2x32xi32>
// CHECK: %[[BOUNDS:.*]] = linalg.generic {{.*}} outs(%{{[0-9]+}} : tensor<3x32xi32>)
// CHECK: -> tensor<3x32xi32>
// CHECK: %[[RUNS:.*]] = linalg.generic {{.*}} outs(%{{[0-9]+}} : tensor<1x32xi32>)
// CHECK: -> tensor<1x32xi32>
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]}
// CHECK: %[[SAME:.*]] = arith.cmpi eq
// CHECK-DAG: tensor.extract %[[BOUNDS]]
// CHECK-DAG: tensor.extract %[[RUNS]]
// CHECK: %[[EITHER:.*]] = arith.ori %{{.*}}, %[[SAME]]
// CHECK: %[[ALL:.*]] = arith.andi %{{.*}}, %[[EITHER]]
// CHECK: arith.select %[[ALL]]
// KERNEL-LABEL: gpu.func @documents_3(
// KERNEL: %[[FROM:.*]] = memref.load
// KERNEL: scf.for
// KERNEL: vector.contract
// KERNEL: scf.if
// KERNEL: } else {
// KERNEL: arith.cmpi eq
func.func @documents(%q: tensor<4096x64xbf16>, %k: tensor<64x4096xbf16>, %ids: tensor<4096xi32>) -> tensor<4096xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<4096x4096xf32>
  %er = tensor.empty() : tensor<4096xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%es : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %s = linalg.matmul ins(%q, %k : tensor<4096x64xbf16>, tensor<64x4096xbf16>) outs(%zeros : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %t = linalg.generic {indexing_maps = [#all, #row, #column, #all], iterator_types = ["parallel", "parallel"]} ins(%s, %ids, %ids : tensor<4096x4096xf32>, tensor<4096xi32>, tensor<4096xi32>) outs(%es : tensor<4096x4096xf32>) {
  ^bb0(%a: f32, %b: i32, %c: i32, %o: f32):
    %same = arith.cmpi eq, %b, %c : i32
    %r = arith.select %same, %a, %low : f32
    linalg.yield %r : f32
  } -> tensor<4096x4096xf32>
  %lows = linalg.fill ins(%low : f32) outs(%er : tensor<4096xf32>) -> tensor<4096xf32>
  %top = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%t : tensor<4096x4096xf32>) outs(%lows : tensor<4096xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.maximumf %o, %a : f32
    linalg.yield %r : f32
  } -> tensor<4096xf32>
  return %top : tensor<4096xf32>
}

// Each row has its own element, so that a finite number excludes the others exactly.
// REMARK: Function=finite | Remark="numbers that have to be equal bound the tiles of rows"
// CHECK-LABEL: func.func @finite(
// CHECK: tensor.extract
// CHECK: %[[NEVER:.*]] = arith.constant 0xFF800000 : f32
// CHECK: arith.select %{{.*}}, %{{.*}}, %[[NEVER]] : f32
func.func @finite(%q: tensor<4096x64xbf16>, %k: tensor<64x4096xbf16>, %ids: tensor<4096xi32>) -> tensor<4096xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant -1.0e30 : f32
  %never = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<4096x4096xf32>
  %er = tensor.empty() : tensor<4096xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%es : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %s = linalg.matmul ins(%q, %k : tensor<4096x64xbf16>, tensor<64x4096xbf16>) outs(%zeros : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %t = linalg.generic {indexing_maps = [#all, #row, #column, #all], iterator_types = ["parallel", "parallel"]} ins(%s, %ids, %ids : tensor<4096x4096xf32>, tensor<4096xi32>, tensor<4096xi32>) outs(%es : tensor<4096x4096xf32>) {
  ^bb0(%a: f32, %b: i32, %c: i32, %o: f32):
    %same = arith.cmpi eq, %b, %c : i32
    %r = arith.select %same, %a, %low : f32
    linalg.yield %r : f32
  } -> tensor<4096x4096xf32>
  %lows = linalg.fill ins(%never : f32) outs(%er : tensor<4096xf32>) -> tensor<4096xf32>
  %top = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%t : tensor<4096x4096xf32>) outs(%lows : tensor<4096xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.maximumf %o, %a : f32
    linalg.yield %r : f32
  } -> tensor<4096xf32>
  return %top : tensor<4096xf32>
}


// A row without an element of its number would be an average of all.
// REMARK: Function=others | Remark="tiles of other numbers are computed: a finite number excludes elements, and a row may have no other"
// CHECK-LABEL: func.func @others(
// CHECK-NOT: tensor.extract
// CHECK: return
func.func @others(%q: tensor<4096x64xbf16>, %k: tensor<64x4096xbf16>, %ids: tensor<4096xi32>, %keys: tensor<4096xi32>) -> tensor<4096xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant -1.0e30 : f32
  %never = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<4096x4096xf32>
  %er = tensor.empty() : tensor<4096xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%es : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %s = linalg.matmul ins(%q, %k : tensor<4096x64xbf16>, tensor<64x4096xbf16>) outs(%zeros : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %t = linalg.generic {indexing_maps = [#all, #row, #column, #all], iterator_types = ["parallel", "parallel"]} ins(%s, %ids, %keys : tensor<4096x4096xf32>, tensor<4096xi32>, tensor<4096xi32>) outs(%es : tensor<4096x4096xf32>) {
  ^bb0(%a: f32, %b: i32, %c: i32, %o: f32):
    %same = arith.cmpi eq, %b, %c : i32
    %r = arith.select %same, %a, %low : f32
    linalg.yield %r : f32
  } -> tensor<4096x4096xf32>
  %lows = linalg.fill ins(%never : f32) outs(%er : tensor<4096xf32>) -> tensor<4096xf32>
  %top = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%t : tensor<4096x4096xf32>) outs(%lows : tensor<4096xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.maximumf %o, %a : f32
    linalg.yield %r : f32
  } -> tensor<4096xf32>
  return %top : tensor<4096xf32>
}


// So it would be where a bias makes the row's own element infinite.
// REMARK: Function=biased | Remark="tiles of other numbers are computed: a finite number excludes elements, and a row may have no other"
// CHECK-LABEL: func.func @biased(
// CHECK-NOT: tensor.extract
// CHECK: return
func.func @biased(%q: tensor<4096x64xbf16>, %k: tensor<64x4096xbf16>, %ids: tensor<4096xi32>, %bias: tensor<4096x4096xf32>) -> tensor<4096xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant -1.0e30 : f32
  %never = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<4096x4096xf32>
  %er = tensor.empty() : tensor<4096xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%es : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %s = linalg.matmul ins(%q, %k : tensor<4096x64xbf16>, tensor<64x4096xbf16>) outs(%zeros : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %t = linalg.generic {indexing_maps = [#all, #all, #row, #column, #all], iterator_types = ["parallel", "parallel"]} ins(%s, %bias, %ids, %ids : tensor<4096x4096xf32>, tensor<4096x4096xf32>, tensor<4096xi32>, tensor<4096xi32>) outs(%es : tensor<4096x4096xf32>) {
  ^bb0(%a: f32, %d: f32, %b: i32, %c: i32, %o: f32):
    %x = arith.addf %a, %d : f32
    %same = arith.cmpi eq, %b, %c : i32
    %r = arith.select %same, %x, %low : f32
    linalg.yield %r : f32
  } -> tensor<4096x4096xf32>
  %lows = linalg.fill ins(%never : f32) outs(%er : tensor<4096xf32>) -> tensor<4096xf32>
  %top = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%t : tensor<4096x4096xf32>) outs(%lows : tensor<4096xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.maximumf %o, %a : f32
    linalg.yield %r : f32
  } -> tensor<4096xf32>
  return %top : tensor<4096xf32>
}


// Numbers that differ exclude an element, here or after it; they are compared in a wider type.
// REMARK: Function=differ | Remark="numbers that have to be equal bound the tiles of rows"
// CHECK-LABEL: func.func @differ(
// CHECK: tensor.extract
// CHECK: arith.cmpi eq, %{{.*}}, %{{.*}} : i64
// CHECK: arith.cmpi sle
func.func @differ(%q: tensor<4096x64xbf16>, %k: tensor<64x4096xbf16>, %ids: tensor<4096xi32>) -> tensor<4096xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<4096x4096xf32>
  %er = tensor.empty() : tensor<4096xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%es : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %s = linalg.matmul ins(%q, %k : tensor<4096x64xbf16>, tensor<64x4096xbf16>) outs(%zeros : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %t = linalg.generic {indexing_maps = [#all, #row, #column, #all], iterator_types = ["parallel", "parallel"]} ins(%s, %ids, %ids : tensor<4096x4096xf32>, tensor<4096xi32>, tensor<4096xi32>) outs(%es : tensor<4096x4096xf32>) {
  ^bb0(%a: f32, %b: i32, %c: i32, %o: f32):
    %b64 = arith.extsi %b : i32 to i64
    %c64 = arith.extsi %c : i32 to i64
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %other = arith.cmpi ne, %b64, %c64 : i64
    %later = arith.cmpi sgt, %j, %i : index
    %out = arith.ori %other, %later : i1
    %r = arith.select %out, %low, %a : f32
    linalg.yield %r : f32
  } -> tensor<4096x4096xf32>
  %lows = linalg.fill ins(%low : f32) outs(%er : tensor<4096xf32>) -> tensor<4096xf32>
  %top = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%t : tensor<4096x4096xf32>) outs(%lows : tensor<4096xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.maximumf %o, %a : f32
    linalg.yield %r : f32
  } -> tensor<4096xf32>
  return %top : tensor<4096xf32>
}


// REMARK: Function=computed | Remark="tiles of other numbers are computed: its numbers aren't those of one row and one element, each of a tensor"
// CHECK-LABEL: func.func @computed(
// CHECK-NOT: tensor.extract
// CHECK: return
func.func @computed(%q: tensor<4096x64xbf16>, %k: tensor<64x4096xbf16>, %ids: tensor<4096xi32>) -> tensor<4096xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<4096x4096xf32>
  %er = tensor.empty() : tensor<4096xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%es : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %s = linalg.matmul ins(%q, %k : tensor<4096x64xbf16>, tensor<64x4096xbf16>) outs(%zeros : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %t = linalg.generic {indexing_maps = [#all, #row, #column, #all], iterator_types = ["parallel", "parallel"]} ins(%s, %ids, %ids : tensor<4096x4096xf32>, tensor<4096xi32>, tensor<4096xi32>) outs(%es : tensor<4096x4096xf32>) {
  ^bb0(%a: f32, %b: i32, %c: i32, %o: f32):
    %one = arith.constant 1 : i32
    %next = arith.addi %b, %one : i32
    %same = arith.cmpi eq, %next, %c : i32
    %r = arith.select %same, %a, %low : f32
    linalg.yield %r : f32
  } -> tensor<4096x4096xf32>
  %lows = linalg.fill ins(%low : f32) outs(%er : tensor<4096xf32>) -> tensor<4096xf32>
  %top = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%t : tensor<4096x4096xf32>) outs(%lows : tensor<4096xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.maximumf %o, %a : f32
    linalg.yield %r : f32
  } -> tensor<4096xf32>
  return %top : tensor<4096xf32>
}

// REMARK: Function=least_of_f16 | Remark="tiles of other numbers are computed: the number of what they exclude may be a score, as it is more than -2^29"
// CHECK-LABEL: func.func @least_of_f16(
// CHECK-NOT: tensor.extract
// CHECK: return
func.func @least_of_f16(%q: tensor<4096x64xbf16>, %k: tensor<64x4096xbf16>, %ids: tensor<4096xi32>) -> tensor<4096xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %least = arith.constant -65504.0 : f32
  %es = tensor.empty() : tensor<4096x4096xf32>
  %er = tensor.empty() : tensor<4096xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%es : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %s = linalg.matmul ins(%q, %k : tensor<4096x64xbf16>, tensor<64x4096xbf16>) outs(%zeros : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %t = linalg.generic {indexing_maps = [#all, #row, #column, #all], iterator_types = ["parallel", "parallel"]} ins(%s, %ids, %ids : tensor<4096x4096xf32>, tensor<4096xi32>, tensor<4096xi32>) outs(%es : tensor<4096x4096xf32>) {
  ^bb0(%a: f32, %b: i32, %c: i32, %o: f32):
    %same = arith.cmpi eq, %b, %c : i32
    %r = arith.select %same, %a, %least : f32
    linalg.yield %r : f32
  } -> tensor<4096x4096xf32>
  %lows = linalg.fill ins(%low : f32) outs(%er : tensor<4096xf32>) -> tensor<4096xf32>
  %top = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%t : tensor<4096x4096xf32>) outs(%lows : tensor<4096xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.maximumf %o, %a : f32
    linalg.yield %r : f32
  } -> tensor<4096xf32>
  return %top : tensor<4096xf32>
}
