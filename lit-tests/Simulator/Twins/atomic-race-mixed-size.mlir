// Scopes, atomics and fences; waw: atomics that overlap in part need an order.
// Wrong: there is no barrier between them.
// RUN: carousel-sim %s --kernel @right --arg y=zeros:1 --expect y=zeros:1 --schedules 200 --shared 16
// RUN: carousel-sim %s --kernel @right --arg y=zeros:1 --expect y=zeros:1 --policy all --schedules 5 --shared 16
// RUN: carousel-sim %s --kernel @wrong --arg y=zeros:1 --expect-finding data-race --schedules 50 --shared 16

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!vector = memref<1xi32, #gl>
!bytes = memref<?xi8, #ws>
!word = memref<1xi32, #ws>
!pair = memref<1xi64, #ws>

gpu.module @twins {
  gpu.func @right(%y: !vector {carousel.argument = #carousel.argument<"y">}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %one = arith.constant 1 : i32
    %zero = arith.constant 0 : i64
    %both = arith.constant 0x100000001 : i64
    %thread = gpu.thread_id x
    %is_first = arith.cmpi eq, %thread, %c0 : index
    %is_other = arith.cmpi eq, %thread, %c32 : index
    %bytes = gpu.dynamic_shared_memory : !bytes
    %word = memref.view %bytes[%c0][] : !bytes to !word
    %pair = memref.view %bytes[%c0][] : !bytes to !pair
    scf.if %is_first {
      memref.store %zero, %pair[%c0] : !pair
    }
    gpu.barrier
    scf.if %is_first {
      %old = memref.atomic_rmw addi %one, %word[%c0] : (i32, !word) -> i32
    }
    gpu.barrier
    scf.if %is_other {
      %old = memref.atomic_rmw addi %both, %pair[%c0] : (i64, !pair) -> i64
    }
    gpu.return
  }

  gpu.func @wrong(%y: !vector {carousel.argument = #carousel.argument<"y">}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %one = arith.constant 1 : i32
    %zero = arith.constant 0 : i64
    %both = arith.constant 0x100000001 : i64
    %thread = gpu.thread_id x
    %is_first = arith.cmpi eq, %thread, %c0 : index
    %is_other = arith.cmpi eq, %thread, %c32 : index
    %bytes = gpu.dynamic_shared_memory : !bytes
    %word = memref.view %bytes[%c0][] : !bytes to !word
    %pair = memref.view %bytes[%c0][] : !bytes to !pair
    scf.if %is_first {
      memref.store %zero, %pair[%c0] : !pair
    }
    gpu.barrier
    scf.if %is_first {
      %old = memref.atomic_rmw addi %one, %word[%c0] : (i32, !word) -> i32
    }
    scf.if %is_other {
      %old = memref.atomic_rmw addi %both, %pair[%c0] : (i64, !pair) -> i64
    }
    gpu.return
  }
}
