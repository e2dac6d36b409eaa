// A partitioned pipeline with roles by the parity of the thread: threads of even number load with
// cp.async, and threads of odd number compute. Roles needn't be whole warps, because mbarriers
// count arrivals, not threads. A slot's `full` is completed by the copies of the 32 producers, and
// its `empty` by the 32 consumers. Roles by warp are faster, since the two halves of a warp run one
// after the other. This pattern is for neighbouring threads that must share a role's work. It also
// shows that a role must not contain a barrier of a whole warp or CTA.
//
//   carousel-sim partitioned_by_parity.mlir --kernel @reverse --reference @reference \
//     --arg x=iota:9216 --arg y=like:x --multiprocessors 1 --schedules 4 --policy all
//
//   carousel-translate --mlir-to-ptx --chip=sm_80 partitioned_by_parity.mlir

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
          grid = [min(floordiv(extent(0, 0), 1024), sms * 2)], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %stages = arith.constant 3 : index
    %c128 = arith.constant 128 : index
    %c1020 = arith.constant 1020 : index
    %c1024 = arith.constant 1024 : index
    %true = arith.constant true
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %is_first = arith.cmpi eq, %thread, %c0 : index
    scf.if %is_first {
      scf.for %s = %c0 to %stages step %c1 {
        carousel.mbarrier.init %full[%s], 32 : !barriers
        carousel.mbarrier.init %empty[%s], 32 : !barriers
      }
    }
    gpu.barrier

    // The CTA takes tiles block, block + blocks, ...: `count` of them.
    %n = memref.dim %x, %c0 : !vector
    %tiles = arith.divui %n, %c1024 : index
    %rest = arith.subi %tiles, %block : index
    %count = arith.ceildivui %rest, %blocks : index

    // Threads 2 m and 2 m + 1 are number m of their roles.
    %number = arith.divui %thread, %c2 : index
    %odd = arith.remui %thread, %c2 : index
    %produces = arith.cmpi eq, %odd, %c0 : index
    %mine = arith.muli %number, %c4 : index
    scf.if %produces {
      scf.for %k = %c0 to %count step %c1 {
        %slot = arith.remui %k, %stages : index
        %round = arith.divui %k, %stages : index
        %round_i1 = arith.index_cast %round : index to i1
        %emptied = arith.xori %round_i1, %true : i1
        %k_blocks = arith.muli %k, %blocks : index
        %tile = arith.addi %block, %k_blocks : index
        %i = arith.muli %tile, %c1024 : index
        carousel.mbarrier.wait %empty[%slot] parity %emptied : !barriers
        scf.for %j = %mine to %c1024 step %c128 {
          %from = arith.addi %i, %j : index
          carousel.cp_async.copy cg %x[%from] to %slots[%slot, %j], 16 : !vector, !slots
        }
        carousel.cp_async.mbarrier_arrive %full[%slot] noinc : !barriers
      }
    } else {
      scf.for %k = %c0 to %count step %c1 {
        %slot = arith.remui %k, %stages : index
        %round = arith.divui %k, %stages : index
        %filled = arith.index_cast %round : index to i1
        %k_blocks = arith.muli %k, %blocks : index
        %tile = arith.addi %block, %k_blocks : index
        %i = arith.muli %tile, %c1024 : index
        carousel.mbarrier.wait %full[%slot] parity %filled : !barriers
        scf.for %j = %mine to %c1024 step %c128 {
          %mirror = arith.subi %c1020, %j : index
          %v = vector.load %slots[%slot, %mirror] {alignment = 16 : i64}
              : !slots, vector<4xf32>
          %r = vector.shuffle %v, %v [3, 2, 1, 0] : vector<4xf32>, vector<4xf32>
          %to = arith.addi %i, %j : index
          vector.store %r, %y[%to] {alignment = 16 : i64} : !vector, vector<4xf32>
        }
        carousel.mbarrier.arrive %empty[%slot] : !barriers
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
