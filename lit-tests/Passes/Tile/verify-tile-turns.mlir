// Which turns carousel-verify-tile lets pass: those that follow tickets, those of grids that are on the device at
// once, and those that nothing says anything of.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-verify-tile))' --verify-diagnostics

#gl = #gpu.address_space<global>
!counters = memref<?xi32, #gl>

gpu.module @kernels {
  gpu.func @tickets(%s: !counters, %c: !counters, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %blocks = gpu.grid_dim x
    %block = gpu.block_id x
    %total = arith.addi %blocks, %block : index
    %ticket = carousel.grid.ticket %c[%c0] of %total : !counters
    %turn = arith.remui %ticket, %n : index
    // The segment may depend on anything.
    carousel.serialize %s[%block] turn %turn of %n (%first, %last) {
    } : !counters
    gpu.return
  }

  gpu.func @coresident(%s: !counters, %n: index) kernel attributes {carousel.coresident} {
    %c0 = arith.constant 0 : index
    %block = gpu.block_id x
    carousel.serialize %s[%c0] turn %block of %n (%first, %last) {
    } : !counters
    gpu.return
  }

  gpu.func @in_order(%s: !counters, %n: index) kernel attributes {carousel.starts_in_order} {
    %c0 = arith.constant 0 : index
    %block = gpu.block_id x
    carousel.serialize %s[%c0] turn %block of %n (%first, %last) {
    } : !counters
    gpu.return
  }

  gpu.func @unordered(%s: !counters, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %block = gpu.block_id x
    carousel.serialize %s[%c0] turn %block of %n order(unordered) (%first, %last) {
    } : !counters
    gpu.return
  }

  gpu.func @from_memory(%s: !counters, %table: memref<?xindex, #gl>, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %block = gpu.block_id x
    %turn = memref.load %table[%block] : memref<?xindex, #gl>
    carousel.serialize %s[%c0] turn %turn of %n (%first, %last) {
    } : !counters
    gpu.return
  }
}
