// What the simulated machine is timed on: every byte of a vector goes through a ring of shared memory
// that the TMA fills, is read by one of 256 threads, scaled and stored. `benchmarks/simulator/run`
// runs it on 64 MiB.
//
// 132 CTAs take every 132nd tile of 4096 elements. Slot k mod 4 holds the CTA's k-th tile; the parity
// of the phase of its barriers is (k / 4) mod 2. One thread of warp 0 fills the slots: four tiles
// ahead of time, and a slot again when all 256 threads have handed it back through `empty`.

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!vector = memref<?xf32, #gl>
!slots = memref<4x4096xf32, #ws>
!barriers = memref<4x!carousel.mbarrier, #ws>

gpu.module @stream {
  gpu.func @stream(
      %x: !vector {carousel.argument = #carousel.argument<"x", in>},
      %y: !vector {carousel.argument = #carousel.argument<"y", out>},
      %factor: f32 {carousel.argument = #carousel.argument<"factor", in>})
      workgroup(%full: !barriers, %empty: !barriers) kernel
      attributes {
        carousel.variant = #carousel.variant<kernel = "stream", guards = [
          capability(90), equal(extent(0, 0), extent(1, 0)),
          aligned(0, 16), aligned(1, 16), divisible(extent(0, 0), 4)]>,
        carousel.launch = #carousel.launch<
          grid = [min(ceildiv(extent(0, 0), 4096), sms)], block = [256], shared = 65536>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %stages = arith.constant 4 : index
    %warp_size = arith.constant 32 : index
    %element = arith.constant 4 : index
    %tile = arith.constant 4096 : index
    %threads = arith.constant 256 : index
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %n = memref.dim %x, %c0 : !vector
    %tiles = arith.ceildivui %n, %tile : index
    %bytes = gpu.dynamic_shared_memory : memref<?xi8, #ws>
    %slots = memref.view %bytes[%c0][] : memref<?xi8, #ws> to !slots
    %factors = vector.broadcast %factor : f32 to vector<4xf32>
    // This CTA's tiles: block, block + blocks...
    %after = arith.subi %tiles, %block : index
    %count = arith.ceildivui %after, %blocks : index

    // The barriers, by one thread; the fence shows them to the async proxy, the barrier to all.
    %is_first = arith.cmpi eq, %thread, %c0 : index
    scf.if %is_first {
      scf.for %s = %c0 to %stages step %c1 {
        carousel.mbarrier.init %full[%s], 1 : !barriers
        carousel.mbarrier.init %empty[%s], 256 : !barriers
      }
      carousel.fence.mbarrier_init
    }
    gpu.barrier

    %warp = arith.divui %thread, %warp_size : index
    %in_warp_0 = arith.cmpi eq, %warp, %c0 : index
    %elected = carousel.elect
    %produces = arith.andi %in_warp_0, %elected : i1

    scf.if %produces {
      %ahead = arith.minui %count, %stages : index
      scf.for %k = %c0 to %ahead step %c1 {
        %offset = arith.muli %k, %blocks : index
        %t = arith.addi %block, %offset : index
        %i = arith.muli %t, %tile : index
        %rest = arith.subi %n, %i : index
        %here = arith.minui %rest, %tile : index
        %size = arith.muli %here, %element : index
        %size_i32 = arith.index_cast %size : index to i32
        carousel.mbarrier.arrive_expect_tx %full[%k], %size_i32 : !barriers
        carousel.bulk.load %x[%i] to %slots[%k, %c0], %size_i32 signals %full[%k]
            : !vector, !slots, !barriers
      }
    }

    scf.for %k = %c0 to %count step %c1 {
      %slot = arith.remui %k, %stages : index
      %round = arith.divui %k, %stages : index
      %parity = arith.index_cast %round : index to i1
      %offset = arith.muli %k, %blocks : index
      %t = arith.addi %block, %offset : index
      %i = arith.muli %t, %tile : index
      %rest = arith.subi %n, %i : index
      %here = arith.minui %rest, %tile : index
      carousel.mbarrier.wait %full[%slot] parity %parity : !barriers
      %first = arith.muli %thread, %c4 : index
      %step = arith.muli %threads, %c4 : index
      scf.for %j = %first to %here step %step {
        %value = vector.load %slots[%slot, %j] {alignment = 16 : i64} : !slots, vector<4xf32>
        %scaled = arith.mulf %value, %factors : vector<4xf32>
        %at = arith.addi %i, %j : index
        vector.store %scaled, %y[%at] {alignment = 16 : i64} : !vector, vector<4xf32>
      }
      carousel.mbarrier.arrive %empty[%slot] : !barriers

      // The slot again, for the tile four further on, once all threads have read it.
      %k_next = arith.addi %k, %stages : index
      %some = arith.cmpi ult, %k_next, %count : index
      %refills = arith.andi %produces, %some : i1
      scf.if %refills {
        carousel.mbarrier.wait %empty[%slot] parity %parity : !barriers
        %offset_next = arith.muli %k_next, %blocks : index
        %t_next = arith.addi %block, %offset_next : index
        %i_next = arith.muli %t_next, %tile : index
        %rest_next = arith.subi %n, %i_next : index
        %here_next = arith.minui %rest_next, %tile : index
        %size = arith.muli %here_next, %element : index
        %size_i32 = arith.index_cast %size : index to i32
        carousel.mbarrier.arrive_expect_tx %full[%slot], %size_i32 : !barriers
        carousel.bulk.load %x[%i_next] to %slots[%slot, %c0], %size_i32 signals %full[%slot]
            : !vector, !slots, !barriers
      }
    }
    gpu.return
  }
}

// The same on the host.
func.func @reference(%x: memref<?xf32>, %y: memref<?xf32>, %factor: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %value = memref.load %x[%i] : memref<?xf32>
    %scaled = arith.mulf %value, %factor : f32
    memref.store %scaled, %y[%i] : memref<?xf32>
  }
  return
}
