// cache_policy.*: each form makes a policy that changes nothing of what a copy does.
// RUN: carousel-sim %s --kernel @k --arg property=0x1000000000000000 --arg x=iota:16 --arg y=empty:16 --expect y=iota:16 --schedules 8

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!x = memref<16xf32, #gl>
!tile = memref<16xf32, #ws>

gpu.module @m {
  gpu.func @k(%property: i64 {carousel.argument = #carousel.argument<"property">},
              %x: !x {carousel.argument = #carousel.argument<"x", in>},
              %y: !x {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: !tile {llvm.align = 16 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c12 = arith.constant 12 : index
    %primary = arith.constant 32 : i32
    %total = arith.constant 64 : i32
    %p0 = carousel.cache_policy.fractional evict_normal
    %p1 = carousel.cache_policy.fractional evict_last otherwise evict_unchanged fraction(0.25)
    %p2 = carousel.cache_policy.range evict_last otherwise evict_first %x[%c0], %primary, %total
        : !x
    %p3 = carousel.cache_policy.convert %property
    carousel.cp_async.copy cg %x[%c0] to %tile[%c0], 16 cache %p0 : !x, !tile
    carousel.cp_async.copy cg %x[%c4] to %tile[%c4], 16 cache %p1 : !x, !tile
    carousel.cp_async.copy cg %x[%c8] to %tile[%c8], 16 cache %p2 : !x, !tile
    carousel.cp_async.copy cg %x[%c12] to %tile[%c12], 16 cache %p3 : !x, !tile
    carousel.cp_async.wait_all
    %v = vector.load %tile[%c0] : !tile, vector<16xf32>
    vector.store %v, %y[%c0] : !x, vector<16xf32>
    gpu.return
  }
}
