// Visibility: global memory, across CTAs; in its turn a CTA's engine reduces into bytes that the previous CTA's engine has stored.
// Wrong: no fence between the wait for the turn and the reduction: the signal of the store is a generic access.
// RUN: carousel-sim %s --kernel @right --arg x=iota:16 --arg y=zeros:16 --arg turns=zeros:1 --reference @doubled --schedules 1000
// RUN: carousel-sim %s --kernel @right --arg x=iota:16 --arg y=zeros:16 --arg turns=zeros:1 --reference @doubled --policy all --schedules 10
// RUN: carousel-sim %s --kernel @wrong --arg x=iota:16 --arg y=zeros:16 --arg turns=zeros:1 --expect-finding missing-proxy-fence --schedules 100

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!vector = memref<16xi32, #gl>
!turns = memref<1xi32, #gl>
!row = vector<16xi32>
!tile = memref<16xi32, #ws>

gpu.module @twins {
  gpu.func @right(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", inout>},
                  %turns: !turns {carousel.argument = #carousel.argument<"turns", inout>})
      workgroup(%tile: !tile {llvm.align = 16 : i64}) kernel
      attributes {carousel.coresident, carousel.launch = #carousel.launch<grid = [2], block = [2]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %thread = gpu.thread_id x
    %issues = arith.cmpi eq, %thread, %c0 : index
    %is_other = arith.cmpi eq, %thread, %c1 : index
    %block = gpu.block_id x
    %is_first = arith.cmpi eq, %block, %c0 : index
    %is_last = arith.cmpi ne, %block, %c0 : index
    scf.if %issues {
      %v = vector.load %x[%c0] : !vector, !row
      vector.store %v, %tile[%c0] : !tile, !row
      carousel.fence.proxy async_shared_cta
    }
    scf.if %is_first {
      scf.if %issues {
        carousel.bulk.store %tile[%c0] to %y[%c0], 64 : !tile, !vector
        carousel.bulk.commit_group
        carousel.bulk.wait_group complete 0
        carousel.grid.serial_release %turns[%c0], %one : !turns
      }
    }
    scf.if %is_last {
      scf.if %issues {
        carousel.grid.serial_wait %turns[%c0], %one : !turns
        carousel.fence.proxy async_global
        carousel.bulk.reduce add s32 %tile[%c0] to %y[%c0], 64 : !tile, !vector
        carousel.bulk.commit_group
        carousel.bulk.wait_group complete 0
        carousel.grid.serial_release %turns[%c0], %zero : !turns
      }
    }
    gpu.return
  }

  gpu.func @wrong(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y", inout>},
                  %turns: !turns {carousel.argument = #carousel.argument<"turns", inout>})
      workgroup(%tile: !tile {llvm.align = 16 : i64}) kernel
      attributes {carousel.coresident, carousel.launch = #carousel.launch<grid = [2], block = [2]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %thread = gpu.thread_id x
    %issues = arith.cmpi eq, %thread, %c0 : index
    %is_other = arith.cmpi eq, %thread, %c1 : index
    %block = gpu.block_id x
    %is_first = arith.cmpi eq, %block, %c0 : index
    %is_last = arith.cmpi ne, %block, %c0 : index
    scf.if %issues {
      %v = vector.load %x[%c0] : !vector, !row
      vector.store %v, %tile[%c0] : !tile, !row
      carousel.fence.proxy async_shared_cta
    }
    scf.if %is_first {
      scf.if %issues {
        carousel.bulk.store %tile[%c0] to %y[%c0], 64 : !tile, !vector
        carousel.bulk.commit_group
        carousel.bulk.wait_group complete 0
        carousel.grid.serial_release %turns[%c0], %one : !turns
      }
    }
    scf.if %is_last {
      scf.if %issues {
        carousel.grid.serial_wait %turns[%c0], %one : !turns
        carousel.bulk.reduce add s32 %tile[%c0] to %y[%c0], 64 : !tile, !vector
        carousel.bulk.commit_group
        carousel.bulk.wait_group complete 0
        carousel.grid.serial_release %turns[%c0], %zero : !turns
      }
    }
    gpu.return
  }
}

func.func @doubled(%x: memref<16xi32>, %y: memref<16xi32>, %turns: memref<1xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  scf.for %i = %c0 to %c16 step %c1 {
    %v = memref.load %x[%i] : memref<16xi32>
    %w = arith.addi %v, %v : i32
    memref.store %w, %y[%i] : memref<16xi32>
  }
  return
}
