// red_async: one value reduced into a peer's shared memory, by each kind; its bytes count as
// transactions of the peer's barrier.
// RUN: carousel-sim %s --kernel @k --arg y=empty:9 --arg z=empty:1 --reference @expected --schedules 8

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
#cluster = #nvvm.memory_space<shared_cluster>
!bar = memref<1x!carousel.mbarrier, #ws>
!peer_bar = memref<1x!carousel.mbarrier, #cluster>
!w = memref<9xi32, #ws>
!peer_w = memref<9xi32, #cluster>
!d = memref<1xi64, #ws>
!peer_d = memref<1xi64, #cluster>

gpu.module @m {
  // CTA 0 reduces 6, or -2, into CTA 1's words, which are 5, and adds 2^32 to its double word.
  gpu.func @k(%y: memref<9xi32, #gl> {carousel.argument = #carousel.argument<"y", out>},
              %z: memref<1xi64, #gl> {carousel.argument = #carousel.argument<"z", out>})
      workgroup(%bar: !bar, %w: !w, %d: !d) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [1], cluster = [2]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c5 = arith.constant 5 : index
    %c6 = arith.constant 6 : index
    %c7 = arith.constant 7 : index
    %c8 = arith.constant 8 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %six = arith.constant 6 : i32
    %minus = arith.constant -2 : i32
    %wide = arith.constant 4294967296 : i64
    %phase0 = arith.constant false
    %rank = carousel.cluster.rank
    %sends = arith.cmpi eq, %rank, %zero : i32
    carousel.mbarrier.init %bar[%c0], 1 : !bar
    carousel.fence.mbarrier_init
    %fives = arith.constant dense<5> : vector<9xi32>
    %seven = arith.constant 7 : i64
    vector.store %fives, %w[%c0] : !w, vector<9xi32>
    memref.store %seven, %d[%c0] : !d
    carousel.fence.proxy async_shared_cta
    carousel.cluster.arrive
    carousel.cluster.wait
    scf.if %sends {
      %p = carousel.cluster.map_shared %w, %one : !w to !peer_w
      %pd = carousel.cluster.map_shared %d, %one : !d to !peer_d
      %b = carousel.cluster.map_shared %bar, %one : !bar to !peer_bar
      carousel.red_async add u32 %six to %p[%c0] signals %b[%c0] : i32, !peer_w, !peer_bar
      carousel.red_async min u32 %minus to %p[%c1] signals %b[%c0] : i32, !peer_w, !peer_bar
      carousel.red_async min s32 %minus to %p[%c2] signals %b[%c0] : i32, !peer_w, !peer_bar
      carousel.red_async max u32 %six to %p[%c3] signals %b[%c0] : i32, !peer_w, !peer_bar
      carousel.red_async inc u32 %six to %p[%c4] signals %b[%c0] : i32, !peer_w, !peer_bar
      carousel.red_async dec u32 %one to %p[%c5] signals %b[%c0] : i32, !peer_w, !peer_bar
      carousel.red_async and b32 %six to %p[%c6] signals %b[%c0] : i32, !peer_w, !peer_bar
      carousel.red_async or b32 %six to %p[%c7] signals %b[%c0] : i32, !peer_w, !peer_bar
      carousel.red_async xor b32 %six to %p[%c8] signals %b[%c0] : i32, !peer_w, !peer_bar
      carousel.red_async add u64 %wide to %pd[%c0] signals %b[%c0] : i64, !peer_d, !peer_bar
    } else {
      carousel.mbarrier.arrive_expect_tx %bar[%c0], 44 : !bar
      carousel.mbarrier.wait %bar[%c0] parity %phase0 scope(cluster) : !bar
      %v = vector.load %w[%c0] : !w, vector<9xi32>
      vector.store %v, %y[%c0] : memref<9xi32, #gl>, vector<9xi32>
      %u = memref.load %d[%c0] : !d
      memref.store %u, %z[%c0] : memref<1xi64, #gl>
    }
    carousel.cluster.arrive
    carousel.cluster.wait
    gpu.return
  }
}

func.func @expected(%y: memref<9xi32>, %z: memref<1xi64>) {
  %c0 = arith.constant 0 : index
  // 5 + 6; the smaller as unsigned, as signed; the larger; 5 >= 6 ? 0 : 6; 5 > 1 ? 1 : 4; and, or, xor.
  %v = arith.constant dense<[11, 5, -2, 6, 6, 1, 4, 7, 3]> : vector<9xi32>
  %w = arith.constant 4294967303 : i64
  vector.store %v, %y[%c0] : memref<9xi32>, vector<9xi32>
  memref.store %w, %z[%c0] : memref<1xi64>
  return
}
