// Products and sums at the block phase: contractions with maps of all kinds, in f32, f16, bf16 and
// integers; outer products; fma; reductions of one row. Without the attribute, the same kernels are of
// the tile phase, whose vectors LLVM holds. There the order of additions is another one.
// DEFINE: %{kernel} =
// DEFINE: %{args} =
// DEFINE: %{lanes} = carousel-sim %t.mlir --kernel %{kernel} %{args} --out y=%t.npy
// DEFINE: %{block} = carousel-sim %s --kernel %{kernel} %{args} --expect y=%t.npy --rtol 1e-5 --atol 1e-6
// RUN: sed 's/carousel.block_program = [^>]*>,//' %s > %t.mlir
// REDEFINE: %{args} = --arg a=random:3x5 --arg b=random:5x4 --arg y=zeros:12x12
// REDEFINE: %{kernel} = @contractions
// RUN: %{lanes}
// RUN: %{block}
// REDEFINE: %{args} = --arg a=random:3x5 --arg b=random:4x5 --arg y=zeros:2x12
// REDEFINE: %{kernel} = @integers
// RUN: %{lanes}
// RUN: %{block}
// REDEFINE: %{args} = --arg a=random:3x5 --arg b=random:5x4 --arg y=zeros:12x12
// REDEFINE: %{kernel} = @others
// RUN: %{lanes}
// RUN: %{block}

// Of three factors of 8 bits, none of the products fits 8 bits.
// RUN: carousel-sim %s --kernel @bytes --arg y=empty:2 --reference @bytes_reference

#gl = #gpu.address_space<global>
!a = memref<3x5xf32, #gl>
!b = memref<5x4xf32, #gl>
!y = memref<12x12xf32, #gl>
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
#nm = affine_map<(m, n, k) -> (n, m)>
#i = affine_map<(i, k) -> (i)>
#ik = affine_map<(i, k) -> (i, k)>
#k = affine_map<(i, k) -> (k)>
#all = affine_map<(k) -> (k)>
#none = affine_map<(k) -> ()>

gpu.module @m {
  gpu.func @contractions(%a: !a {carousel.argument = #carousel.argument<"a", in>},
                         %b: !b {carousel.argument = #carousel.argument<"b", in>},
                         %y: !y {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c9 = arith.constant 9 : index
    %c11 = arith.constant 11 : index
    %half = arith.constant 0.5 : f32
    %va = vector.load %a[%c0, %c0] : !a, vector<3x5xf32>
    %vb = vector.load %b[%c0, %c0] : !b, vector<5x4xf32>
    %acc = vector.broadcast %half : f32 to vector<3x4xf32>
    %p = vector.contract {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
        %va, %vb, %acc : vector<3x5xf32>, vector<5x4xf32> into vector<3x4xf32>
    vector.store %p, %y[%c0, %c0] : !y, vector<3x4xf32>
    // Transposed factors and results.
    %bt = vector.transpose %vb, [1, 0] : vector<5x4xf32> to vector<4x5xf32>
    %acct = vector.transpose %p, [1, 0] : vector<3x4xf32> to vector<4x3xf32>
    %q = vector.contract {indexing_maps = [#mk, #nk, #nm], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
        %va, %bt, %acct : vector<3x5xf32>, vector<4x5xf32> into vector<4x3xf32>
    vector.store %q, %y[%c4, %c0] : !y, vector<4x3xf32>
    // Narrow factors, whose products are exact in f32.
    %ha = arith.truncf %va : vector<3x5xf32> to vector<3x5xf16>
    %hb = arith.truncf %vb : vector<5x4xf32> to vector<5x4xf16>
    %r = vector.contract {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
        %ha, %hb, %p : vector<3x5xf16>, vector<5x4xf16> into vector<3x4xf32>
    vector.store %r, %y[%c0, %c4] : !y, vector<3x4xf32>
    %wa = arith.truncf %va : vector<3x5xf32> to vector<3x5xbf16>
    %wb = arith.truncf %vb : vector<5x4xf32> to vector<5x4xbf16>
    %s = vector.contract {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
        %wa, %wb, %p : vector<3x5xbf16>, vector<5x4xbf16> into vector<3x4xf32>
    vector.store %s, %y[%c0, %c8] : !y, vector<3x4xf32>
    // A matrix and a vector, and two vectors; the largest product.
    %row = vector.extract %va[1] : vector<5xf32> from vector<3x5xf32>
    %zeros = arith.constant dense<-4.0> : vector<3xf32>
    %mv = vector.contract {indexing_maps = [#ik, #k, #i], iterator_types = ["parallel", "reduction"], kind = #vector.kind<add>}
        %va, %row, %zeros : vector<3x5xf32>, vector<5xf32> into vector<3xf32>
    vector.store %mv, %y[%c8, %c0] : !y, vector<3xf32>
    %most = vector.contract {indexing_maps = [#ik, #k, #i], iterator_types = ["parallel", "reduction"], kind = #vector.kind<maxnumf>}
        %va, %row, %zeros : vector<3x5xf32>, vector<5xf32> into vector<3xf32>
    vector.store %most, %y[%c9, %c0] : !y, vector<3xf32>
    %dot = vector.contract {indexing_maps = [#all, #all, #none], iterator_types = ["reduction"], kind = #vector.kind<add>}
        %row, %row, %half : vector<5xf32>, vector<5xf32> into f32
    memref.store %dot, %y[%c11, %c0] : !y
    gpu.return
  }

  gpu.func @integers(%a: memref<3x5xi32, #gl> {carousel.argument = #carousel.argument<"a", in>},
                     %b: memref<4x5xi32, #gl> {carousel.argument = #carousel.argument<"b", in>},
                     %y: memref<2x12xi32, #gl> {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %va = vector.load %a[%c0, %c0] : memref<3x5xi32, #gl>, vector<3x5xi32>
    %vb = vector.load %b[%c0, %c0] : memref<4x5xi32, #gl>, vector<4x5xi32>
    %acc = arith.constant dense<3> : vector<3x4xi32>
    %p = vector.contract {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
        %va, %vb, %acc : vector<3x5xi32>, vector<4x5xi32> into vector<3x4xi32>
    %pf = vector.shape_cast %p : vector<3x4xi32> to vector<12xi32>
    vector.store %pf, %y[%c0, %c0] : memref<2x12xi32, #gl>, vector<12xi32>
    %q = vector.contract {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<xor>}
        %va, %vb, %acc : vector<3x5xi32>, vector<4x5xi32> into vector<3x4xi32>
    %qf = vector.shape_cast %q : vector<3x4xi32> to vector<12xi32>
    vector.store %qf, %y[%c1, %c0] : memref<2x12xi32, #gl>, vector<12xi32>
    gpu.return
  }

  gpu.func @others(%a: !a {carousel.argument = #carousel.argument<"a", in>},
                   %b: !b {carousel.argument = #carousel.argument<"b", in>},
                   %y: !y {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c10 = arith.constant 10 : index
    %c11 = arith.constant 11 : index
    %half = arith.constant 0.5 : f32
    %va = vector.load %a[%c0, %c0] : !a, vector<3x5xf32>
    %row = vector.extract %va[2] : vector<5xf32> from vector<3x5xf32>
    %vb = vector.load %b[%c1, %c0] : !b, vector<1x4xf32>
    %short = vector.shape_cast %vb : vector<1x4xf32> to vector<4xf32>
    %acc = arith.constant dense<0.25> : vector<4x5xf32>
    %o = vector.outerproduct %short, %row, %acc {kind = #vector.kind<add>} : vector<4xf32>, vector<5xf32>
    vector.store %o, %y[%c0, %c0] : !y, vector<4x5xf32>
    %p = vector.outerproduct %short, %row : vector<4xf32>, vector<5xf32>
    vector.store %p, %y[%c4, %c0] : !y, vector<4x5xf32>
    %q = vector.outerproduct %row, %half, %row {kind = #vector.kind<minnumf>} : vector<5xf32>, f32
    vector.store %q, %y[%c8, %c0] : !y, vector<5xf32>
    %f = vector.fma %va, %va, %va : vector<3x5xf32>
    vector.store %f, %y[%c8, %c4] : !y, vector<3x5xf32>
    %sum = vector.reduction <add>, %row : vector<5xf32> into f32
    memref.store %sum, %y[%c11, %c0] : !y
    %sum2 = vector.reduction <mul>, %row, %sum : vector<5xf32> into f32
    memref.store %sum2, %y[%c11, %c1] : !y
    %least = vector.reduction <minimumf>, %row, %half : vector<5xf32> into f32
    memref.store %least, %y[%c11, %c10] : !y
    gpu.return
  }

  gpu.func @bytes(%y: memref<2xi32, #gl> {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %a = arith.constant dense<[100, -128, 127]> : vector<3xi8>
    %b = arith.constant dense<[100, -128, -127]> : vector<3xi8>
    %zero = arith.constant 5 : i32
    %p = vector.contract {indexing_maps = [#all, #all, #none], iterator_types = ["reduction"], kind = #vector.kind<add>}
        %a, %b, %zero : vector<3xi8>, vector<3xi8> into i32
    memref.store %p, %y[%c0] : memref<2xi32, #gl>
    %m = arith.constant dense<[true, true, false]> : vector<3xi1>
    %q = vector.mask %m { vector.contract {indexing_maps = [#all, #all, #none], iterator_types = ["reduction"], kind = #vector.kind<add>}
        %a, %b, %zero : vector<3xi8>, vector<3xi8> into i32 } : vector<3xi1> -> i32
    memref.store %q, %y[%c1] : memref<2xi32, #gl>
    gpu.return
  }
}

// 100 * 100 + 128 * 128 - 127 * 127 + 5, and the same without the last product.
func.func @bytes_reference(%y: memref<2xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %all = arith.constant 10260 : i32
  %some = arith.constant 26389 : i32
  memref.store %all, %y[%c0] : memref<2xi32>
  memref.store %some, %y[%c1] : memref<2xi32>
  return
}
