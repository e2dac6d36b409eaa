// Padding that no rule makes neutral counts nowhere: what is infinite, NaN or a number of its own beyond the row only.
// DEFINE: %{lowered} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-lowered %s --chip sm_90a --
// DEFINE: %{rows} = --kernel @rows --arg x=iota:3x100 --arg a=iota:3x101 --arg t=iota:4x100 --arg s=-1 --arg y=empty:3x4
// RUN: carousel-sim %s %{rows} --out y=%t.npy --quiet
// RUN: %{lowered} %{rows} --expect y=%t.npy --rtol 1e-5 --quiet

// Parts with one coordinate of a dimension, of registers that hold several.
// DEFINE: %{parts} = --kernel @parts --arg x=iota:8x64 --arg y=empty:1x33 --arg z=empty:3x1
// RUN: carousel-sim %s %{parts} --out y=%t.y.npy --out z=%t.z.npy --quiet
// RUN: %{lowered} %{parts} --expect y=%t.y.npy --expect z=%t.z.npy --quiet

#gl = #gpu.address_space<global>
!m = memref<?x?xf32, #gl>
!v = vector<256xf32>
!rows = vector<4x256xf32>
!bytes = vector<256xi8>
#program = #carousel.block_program<width = 256, covers = extent(0, 1)>
#x = #carousel.argument<"x", in>
#y = #carousel.argument<"y", out>

gpu.module @kernels {
  gpu.func @rows(%x: !m {carousel.argument = #x}, %a: !m {carousel.argument = #carousel.argument<"a", in>},
                 %t: !m {carousel.argument = #carousel.argument<"t", in>},
                 %s: f32 {carousel.argument = #carousel.argument<"s", in>}, %y: !m {carousel.argument = #y})
      kernel attributes {carousel.block_program = #program, carousel.launch = #carousel.launch<grid = [extent(0, 0)]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %zero = arith.constant 0.0 : f32
    %less = arith.constant -1.0 : f32
    %lowest = arith.constant 0xFF800000 : f32
    %highest = arith.constant 0x7F800000 : f32
    %ones = arith.constant dense<1.0> : !v
    %lows = arith.constant dense<0xFF800000> : !v
    %row = gpu.block_id x
    %u = vector.transfer_read %x[%row, %c0], %zero : !m, !v
    %v = vector.transfer_read %x[%row, %c0], %less : !m, !v
    %w = arith.addf %v, %ones : !v

    // 1 / sqrt(0) is infinite, and NaN times 0.
    %e = math.rsqrt %w : !v
    %p = arith.mulf %e, %u : !v
    %sum = vector.multi_reduction <add>, %p, %zero [0] : !v to f32
    memref.store %sum, %y[%row, %c0] : !m

    // 0 times a number below zero is -0, and 1 / -0 is the least of all.
    %all = vector.broadcast %s : f32 to !v
    %z = arith.mulf %w, %all : !v
    %q = arith.divf %ones, %z : !v
    %least = vector.multi_reduction <minimumf>, %q, %highest [0] : !v to f32
    memref.store %least, %y[%row, %c1] : !m

    // The initial values are infinite beyond the row, which needs a guard for the table.
    %table = vector.transfer_read %t[%c0, %c0], %lowest : !m, !rows
    %acc = vector.transfer_read %a[%row, %c1], %highest : !m, !v
    %max = vector.multi_reduction <maxnumf>, %table, %acc [0] : !rows to !v
    %m = arith.mulf %max, %u : !v
    %sums = vector.multi_reduction <add>, %m, %zero [0] : !v to f32
    memref.store %sums, %y[%row, %c2] : !m

    // The first of equal elements, where columns beyond the row are counted from -128 on.
    %r = vector.transfer_read %x[%row, %c0], %lowest : !m, !v
    %none = arith.addf %r, %lows : !v
    %most = vector.multi_reduction <maximumf>, %none, %lowest [0] : !v to f32
    %mosts = vector.broadcast %most : f32 to !v
    %equal = arith.cmpf oeq, %none, %mosts : !v
    %steps = vector.step : vector<256xindex>
    %columns = arith.index_cast %steps : vector<256xindex> to !bytes
    %end = arith.constant 127 : i8
    %ends = arith.constant dense<127> : !bytes
    %own = arith.select %equal, %columns, %ends : vector<256xi1>, !bytes
    %first = vector.multi_reduction <minsi>, %own, %end [0] : !bytes to i8
    %number = arith.sitofp %first : i8 to f32
    memref.store %number, %y[%row, %c3] : !m
    gpu.return
  }

  gpu.func @parts(%x: memref<8x64xf32, #gl> {carousel.argument = #x}, %y: memref<1x33xf32, #gl> {carousel.argument = #y},
                  %z: memref<3x1xf32, #gl> {carousel.argument = #carousel.argument<"z", out>})
      kernel attributes {carousel.block_program = #carousel.block_program<>,
        carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %v = vector.transfer_read %x[%c0, %c0], %zero {in_bounds = [true, true]} : memref<8x64xf32, #gl>, vector<8x64xf32>
    %p = vector.extract_strided_slice %v {offsets = [5, 2], sizes = [1, 33], strides = [1, 1]} : vector<8x64xf32> to vector<1x33xf32>
    vector.transfer_write %p, %y[%c0, %c0] {in_bounds = [true, true]} : vector<1x33xf32>, memref<1x33xf32, #gl>
    %q = vector.extract_strided_slice %v {offsets = [2, 7], sizes = [3, 1], strides = [1, 1]} : vector<8x64xf32> to vector<3x1xf32>
    vector.transfer_write %q, %z[%c0, %c0] {in_bounds = [true, true]} : vector<3x1xf32>, memref<3x1xf32, #gl>
    gpu.return
  }
}
