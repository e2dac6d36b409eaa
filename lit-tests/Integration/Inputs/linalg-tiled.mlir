// Linalg on memrefs, with a schedule of upstream's: tiles become grids, and their bodies vectors. See
// upstream-vectorization.test.

#id = affine_map<(i, j) -> (i, j)>
#across = affine_map<(i, j) -> (j)>
#down = affine_map<(i, j) -> (i)>
!m = memref<?x?xf32, strided<[?, 1], offset: ?>, #gpu.address_space<global>>
!v = memref<?xf32, #gpu.address_space<global>>
!rows = memref<12x256xf32, #gpu.address_space<global>>
!sums = memref<12xf32, #gpu.address_space<global>>
!a = memref<64x32xbf16, #gpu.address_space<global>>
!b = memref<32x64xbf16, #gpu.address_space<global>>
!c = memref<64x64xf32, #gpu.address_space<global>>
!some = memref<?x?xbf16, #gpu.address_space<global>>
!result = memref<?x?xf32, #gpu.address_space<global>>

// Dynamic extents: masks.
func.func @bias_relu(%x: !m, %b: !v, %y: !m) {
  %zero = arith.constant 0.0 : f32
  linalg.generic {indexing_maps = [#id, #across, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %b : !m, !v) outs(%y : !m) attrs = {masked} {
    ^bb0(%a: f32, %c: f32, %o: f32):
      %s = arith.addf %a, %c : f32
      %r = arith.maximumf %s, %zero : f32
      linalg.yield %r : f32
  }
  return
}

func.func @row_sum(%x: !rows, %y: !sums) {
  linalg.generic {indexing_maps = [#id, #down], iterator_types = ["parallel", "reduction"]}
      ins(%x : !rows) outs(%y : !sums) attrs = {reduced} {
    ^bb0(%a: f32, %s: f32):
      %t = arith.addf %a, %s : f32
      linalg.yield %t : f32
  }
  return
}

func.func @product(%a: !a, %b: !b, %c: !c) {
  linalg.matmul {multiplied} ins(%a, %b : !a, !b) outs(%c : !c)
  return
}

// Dynamic extents of reductions: masks of ops.
func.func @row_max(%x: !m, %y: !v) {
  linalg.generic {indexing_maps = [#id, #down], iterator_types = ["parallel", "reduction"]}
      ins(%x : !m) outs(%y : !v) attrs = {masked_rows} {
    ^bb0(%a: f32, %s: f32):
      %t = arith.maximumf %s, %a : f32
      linalg.yield %t : f32
  }
  return
}

func.func @any_product(%a: !some, %b: !some, %c: !result) {
  linalg.matmul {masked_product} ins(%a, %b : !some, !some) outs(%c : !result)
  return
}

// What they compute.
func.func @bias_relu_reference(%x: memref<?x?xf32, strided<[?, 1], offset: ?>>, %b: memref<?xf32>,
                               %y: memref<?x?xf32, strided<[?, 1], offset: ?>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %rows = memref.dim %x, %c0 : memref<?x?xf32, strided<[?, 1], offset: ?>>
  %columns = memref.dim %x, %c1 : memref<?x?xf32, strided<[?, 1], offset: ?>>
  scf.for %i = %c0 to %rows step %c1 {
    scf.for %j = %c0 to %columns step %c1 {
      %a = memref.load %x[%i, %j] : memref<?x?xf32, strided<[?, 1], offset: ?>>
      %c = memref.load %b[%j] : memref<?xf32>
      %s = arith.addf %a, %c : f32
      %r = arith.maximumf %s, %zero : f32
      memref.store %r, %y[%i, %j] : memref<?x?xf32, strided<[?, 1], offset: ?>>
    }
  }
  return
}

func.func @row_sum_reference(%x: memref<12x256xf32>, %y: memref<12xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c12 = arith.constant 12 : index
  %c256 = arith.constant 256 : index
  scf.for %i = %c0 to %c12 step %c1 {
    %first = memref.load %y[%i] : memref<12xf32>
    %sum = scf.for %j = %c0 to %c256 step %c1 iter_args(%s = %first) -> (f32) {
      %a = memref.load %x[%i, %j] : memref<12x256xf32>
      %next = arith.addf %s, %a : f32
      scf.yield %next : f32
    }
    memref.store %sum, %y[%i] : memref<12xf32>
  }
  return
}

func.func @product_reference(%a: memref<64x32xbf16>, %b: memref<32x64xbf16>, %c: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %c64 step %c1 {
    scf.for %j = %c0 to %c64 step %c1 {
      %first = memref.load %c[%i, %j] : memref<64x64xf32>
      %sum = scf.for %k = %c0 to %c32 step %c1 iter_args(%s = %first) -> (f32) {
        %l16 = memref.load %a[%i, %k] : memref<64x32xbf16>
        %r16 = memref.load %b[%k, %j] : memref<32x64xbf16>
        %l = arith.extf %l16 : bf16 to f32
        %r = arith.extf %r16 : bf16 to f32
        %next = math.fma %l, %r, %s : f32
        scf.yield %next : f32
      }
      memref.store %sum, %c[%i, %j] : memref<64x64xf32>
    }
  }
  return
}

func.func @row_max_reference(%x: memref<?x?xf32, strided<[?, 1], offset: ?>>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = memref.dim %x, %c0 : memref<?x?xf32, strided<[?, 1], offset: ?>>
  %columns = memref.dim %x, %c1 : memref<?x?xf32, strided<[?, 1], offset: ?>>
  scf.for %i = %c0 to %rows step %c1 {
    %first = memref.load %y[%i] : memref<?xf32>
    %max = scf.for %j = %c0 to %columns step %c1 iter_args(%s = %first) -> (f32) {
      %a = memref.load %x[%i, %j] : memref<?x?xf32, strided<[?, 1], offset: ?>>
      %next = arith.maximumf %s, %a : f32
      scf.yield %next : f32
    }
    memref.store %max, %y[%i] : memref<?xf32>
  }
  return
}

func.func @any_product_reference(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = memref.dim %c, %c0 : memref<?x?xf32>
  %columns = memref.dim %c, %c1 : memref<?x?xf32>
  %depth = memref.dim %a, %c1 : memref<?x?xbf16>
  scf.for %i = %c0 to %rows step %c1 {
    scf.for %j = %c0 to %columns step %c1 {
      %first = memref.load %c[%i, %j] : memref<?x?xf32>
      %sum = scf.for %k = %c0 to %depth step %c1 iter_args(%s = %first) -> (f32) {
        %l16 = memref.load %a[%i, %k] : memref<?x?xbf16>
        %r16 = memref.load %b[%k, %j] : memref<?x?xbf16>
        %l = arith.extf %l16 : bf16 to f32
        %r = arith.extf %r16 : bf16 to f32
        %next = math.fma %l, %r, %s : f32
        scf.yield %next : f32
      }
      memref.store %sum, %c[%i, %j] : memref<?x?xf32>
    }
  }
  return
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %funcs = transform.structured.match ops{["func.func"]} in %root : (!transform.any_op) -> !transform.any_op

    %pointwise = transform.structured.match attributes{masked} in %root : (!transform.any_op) -> !transform.any_op
    %tile, %grid = transform.structured.tile_using_forall %pointwise tile_sizes [4, 256]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.structured.vectorize %tile vector_sizes [4, 256] : !transform.any_op

    %sum = transform.structured.match attributes{reduced} in %root : (!transform.any_op) -> !transform.any_op
    %rows, %grid_of_rows = transform.structured.tile_using_forall %sum tile_sizes [4, 0]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.structured.vectorize %rows : !transform.any_op

    %product = transform.structured.match attributes{multiplied} in %root : (!transform.any_op) -> !transform.any_op
    %part, %grid_of_parts = transform.structured.tile_using_forall %product tile_sizes [32, 32, 0]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %step, %loop = transform.structured.tile_using_for %part tile_sizes [0, 0, 16]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.structured.vectorize %step : !transform.any_op

    %max = transform.structured.match attributes{masked_rows} in %root : (!transform.any_op) -> !transform.any_op
    %some, %grid_of_some = transform.structured.tile_using_forall %max tile_sizes [4, 0]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %chunk, %chunks = transform.structured.tile_using_for %some tile_sizes [0, 256]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.structured.vectorize %chunk vector_sizes [4, 256] : !transform.any_op

    %any = transform.structured.match attributes{masked_product} in %root : (!transform.any_op) -> !transform.any_op
    %block, %grid_of_blocks = transform.structured.tile_using_forall %any tile_sizes [32, 32, 0]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %slice, %slices = transform.structured.tile_using_for %block tile_sizes [0, 0, 16]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.structured.vectorize %slice vector_sizes [32, 32, 16] : !transform.any_op

    transform.apply_patterns to %funcs {
      transform.apply_patterns.vector.lower_masked_transfers
      transform.apply_patterns.vector.transfer_permutation_patterns
      transform.apply_patterns.vector.reduction_to_contract
      transform.apply_patterns.vector.sink_ops
      transform.apply_patterns.canonicalization
    } : !transform.any_op
    transform.yield
  }
}
