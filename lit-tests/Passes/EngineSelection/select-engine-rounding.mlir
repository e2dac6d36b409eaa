// Loads that round to tf32: tensor maps of tf32 round, and so do threads. The engines that copy bytes don't.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-select-engine))' | FileCheck %s
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-select-engine))' --remarks-filter=carousel-select-engine --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

gpu.module @m [#nvvm.target<chip = "sm_90a", features = "+ptx88">] {
  // CHECK-LABEL: gpu.func @rounded_tma(
  // CHECK-SAME: %[[MAP:[a-z0-9]+]]: !carousel.tensor_map<16x32xtf32>
  // CHECK: carousel.load {{.*}} round_tf32 engine<tensor> map %[[MAP]]
  // CHECK-LABEL: gpu.func @rounded(
  // CHECK: carousel.load {{.*}} round_tf32 engine<vector, width = 4>
  // REMARK-DAG: Function=rounded | Remark="bulk not used for load: elements that are rounded to tf32"
  // REMARK-DAG: Function=rounded | Remark="cp_async not used for load: elements that are rounded to tf32"
  gpu.func @rounded(%x: memref<?x?xf32, #gl> {carousel.argument = #carousel.argument<"x", in>},
                    %y: memref<?xf32, #gl> {carousel.argument = #carousel.argument<"y", out>}, %i: index)
      kernel attributes {carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
    %c0 = arith.constant 0 : index
    %tile = memref.alloc() : memref<16x32xf32, #ws>
    carousel.load %x[%c0, %c0] to %tile round_tf32 : memref<?x?xf32, #gl>, memref<16x32xf32, #ws>
    %v = memref.load %tile[%c0, %c0] : memref<16x32xf32, #ws>
    memref.store %v, %y[%c0] : memref<?xf32, #gl>
    gpu.return
  }
}
