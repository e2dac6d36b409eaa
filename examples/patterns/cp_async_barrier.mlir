// cp.async that completes on mbarriers. After its copies of a tile, a thread issues an asynchronous
// arrive on the slot's `full` barrier, which happens once the copies have landed. A thread that
// waits for `full` sees the copies of all threads, so no groups and no barrier of the CTA are
// needed. This is the scheme of the TMA, for chips without one. With `noinc` the barrier's initial
// count includes these arrivals. A slot's `empty` barrier completes when all threads have read the
// slot; it is waited for before the slot is filled again. A wait for the parity before the first
// phase returns at once, so the first round finds every slot empty.
//
//   carousel-sim cp_async_barrier.mlir --kernel @reverse --reference @reference \
//     --arg x=iota:9216 --arg y=like:x --multiprocessors 1 --schedules 4 --policy all
//
//   carousel-translate --mlir-to-ptx --chip=sm_80 cp_async_barrier.mlir

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!vector = memref<?xf32, #gl>
!slots = memref<3x1024xf32, #ws>
!barriers = memref<3x!carousel.mbarrier, #ws>

gpu.module @patterns {
  gpu.func @reverse(
      %x: !vector {carousel.argument = #carousel.argument<"x", in>},
      %y: !vector {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%slots: !slots {llvm.align = 16 : i64},
                %full: !barriers, %empty: !barriers) kernel
      attributes {
        carousel.variant = #carousel.variant<kernel = "reverse", guards = [
          capability(80), equal(extent(0, 0), extent(1, 0)),
          divisible(extent(0, 0), 1024), aligned(0, 16), aligned(1, 16)]>,
        carousel.launch = #carousel.launch<
          grid = [min(floordiv(extent(0, 0), 1024), sms * 2)], block = [256]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %stages = arith.constant 3 : index
    %c1020 = arith.constant 1020 : index
    %c1024 = arith.constant 1024 : index
    %true = arith.constant true
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %j = arith.muli %thread, %c4 : index
    %mirror = arith.subi %c1020, %j : index
    %is_first = arith.cmpi eq, %thread, %c0 : index
    scf.if %is_first {
      scf.for %s = %c0 to %stages step %c1 {
        carousel.mbarrier.init %full[%s], 256 : !barriers
        carousel.mbarrier.init %empty[%s], 256 : !barriers
      }
    }
    gpu.barrier

    // The CTA takes tiles block, block + blocks, ...: `count` of them.
    %n = memref.dim %x, %c0 : !vector
    %tiles = arith.divui %n, %c1024 : index
    %rest = arith.subi %tiles, %block : index
    %count = arith.ceildivui %rest, %blocks : index

    // Turn k fetches tile k, where there is one, and computes on tile k - 2.
    %turns = arith.addi %count, %c2 : index
    scf.for %k = %c0 to %turns step %c1 {
      %fetches = arith.cmpi ult, %k, %count : index
      scf.if %fetches {
        %slot = arith.remui %k, %stages : index
        %round = arith.divui %k, %stages : index
        %odd = arith.index_cast %round : index to i1
        %emptied = arith.xori %odd, %true : i1
        carousel.mbarrier.wait %empty[%slot] parity %emptied : !barriers
        %k_blocks = arith.muli %k, %blocks : index
        %tile = arith.addi %block, %k_blocks : index
        %i = arith.muli %tile, %c1024 : index
        %from = arith.addi %i, %j : index
        carousel.cp_async.copy cg %x[%from] to %slots[%slot, %j], 16 : !vector, !slots
        carousel.cp_async.mbarrier_arrive %full[%slot] noinc : !barriers
      }
      %computes = arith.cmpi uge, %k, %c2 : index
      scf.if %computes {
        %behind = arith.subi %k, %c2 : index
        %slot = arith.remui %behind, %stages : index
        %round = arith.divui %behind, %stages : index
        %filled = arith.index_cast %round : index to i1
        carousel.mbarrier.wait %full[%slot] parity %filled : !barriers
        %v = vector.load %slots[%slot, %mirror] {alignment = 16 : i64} : !slots, vector<4xf32>
        carousel.mbarrier.arrive %empty[%slot] : !barriers
        %r = vector.shuffle %v, %v [3, 2, 1, 0] : vector<4xf32>, vector<4xf32>
        %k_blocks = arith.muli %behind, %blocks : index
        %tile = arith.addi %block, %k_blocks : index
        %i = arith.muli %tile, %c1024 : index
        %to = arith.addi %i, %j : index
        vector.store %r, %y[%to] {alignment = 16 : i64} : !vector, vector<4xf32>
      }
    }
    gpu.return
  }
}

func.func @reference(%x: memref<?xf32>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1023 = arith.constant 1023 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    // Within a tile of 1024, 1023 - j is j with all of its bits flipped.
    %j = arith.xori %i, %c1023 : index
    %v = memref.load %x[%j] : memref<?xf32>
    memref.store %v, %y[%i] : memref<?xf32>
  }
  return
}
