// One kernel per family of ops, run on a GPU by families.cu, which compares what each writes with what
// the ops' descriptions promise: order of coordinates and offsets, operands of reductions, windows of a
// cluster, descriptors that the device changes, waits by state and by parity, order of CTAs.

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
#cluster = #nvvm.memory_space<shared_cluster>

!x = memref<?xf32, #gl>
!bar = memref<1x!carousel.mbarrier, #ws>
!peer_bar = memref<1x!carousel.mbarrier, #cluster>
!box = !carousel.tensor_map<2x4x8xf32>
!matrix = !carousel.tensor_map<8x16xf32>
!image = !carousel.tensor_map<16x8xf32, mode = im2col, rank = 4, lower = [0, 0], upper = [-2, -2]>

gpu.module @families {
  // y = the box of a tensor of rank 3 at [1, 2, 8]; 64 threads.
  gpu.func @tensor_order(%map: !box, %y: !x)
      workgroup(%bar: !bar, %tile: memref<2x4x8xf32, #ws> {llvm.align = 128 : i64}) kernel {
    %c0 = arith.constant 0 : index
    %false = arith.constant false
    %d = arith.constant 1 : i32
    %h = arith.constant 2 : i32
    %w = arith.constant 8 : i32
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    scf.if %first {
      carousel.mbarrier.init %bar[%c0], 1 : !bar
      carousel.fence.mbarrier_init
      carousel.mbarrier.arrive_expect_tx %bar[%c0], 256 : !bar
      carousel.tensor.load %map[%d, %h, %w] to %tile[%c0, %c0, %c0] signals %bar[%c0]
          : !box, memref<2x4x8xf32, #ws>, !bar
    }
    gpu.barrier
    carousel.mbarrier.wait %bar[%c0] parity %false : !bar
    %flat = memref.collapse_shape %tile [[0, 1, 2]] : memref<2x4x8xf32, #ws> into memref<64xf32, #ws>
    %v = memref.load %flat[%t] : memref<64xf32, #ws>
    memref.store %v, %y[%t] : !x
    gpu.return
  }

  // y = 16 pixels of 8 channels of an NHWC image, for the filter's position [1, 2]; 128 threads.
  gpu.func @im2col_order(%map: !image, %y: !x)
      workgroup(%bar: !bar, %tile: memref<16x8xf32, #ws> {llvm.align = 128 : i64}) kernel {
    %c0 = arith.constant 0 : index
    %false = arith.constant false
    %zero = arith.constant 0 : i32
    %n = arith.constant 1 : i32
    %dh = arith.constant 1 : i16
    %dw = arith.constant 2 : i16
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    scf.if %first {
      carousel.mbarrier.init %bar[%c0], 1 : !bar
      carousel.fence.mbarrier_init
      carousel.mbarrier.arrive_expect_tx %bar[%c0], 512 : !bar
      carousel.tensor.load %map[%n, %zero, %zero, %zero] mode(im2col) offsets [%dh, %dw]
          to %tile[%c0, %c0] signals %bar[%c0] : !image, memref<16x8xf32, #ws>, !bar
    }
    gpu.barrier
    carousel.mbarrier.wait %bar[%c0] parity %false : !bar
    %flat = memref.collapse_shape %tile [[0, 1]] : memref<16x8xf32, #ws> into memref<128xf32, #ws>
    %v = memref.load %flat[%t] : memref<128xf32, #ws>
    memref.store %v, %y[%t] : !x
    gpu.return
  }

  // y += x by a bulk reduction, z += x by a tensor reduction at [12, 24], m = max(m, x as integers);
  // 128 threads.
  gpu.func @reductions(%x: !x, %y: !x, %z: !matrix, %m: memref<?xi32, #gl>)
      workgroup(%tile: memref<8x16xf32, #ws> {llvm.align = 128 : i64},
                %ints: memref<128xi32, #ws> {llvm.align = 128 : i64}) kernel {
    %c0 = arith.constant 0 : index
    %row = arith.constant 12 : i32
    %column = arith.constant 24 : i32
    %t = gpu.thread_id x
    %flat = memref.collapse_shape %tile [[0, 1]] : memref<8x16xf32, #ws> into memref<128xf32, #ws>
    %v = memref.load %x[%t] : !x
    memref.store %v, %flat[%t] : memref<128xf32, #ws>
    %i = arith.fptosi %v : f32 to i32
    memref.store %i, %ints[%t] : memref<128xi32, #ws>
    carousel.fence.proxy async_shared_cta
    gpu.barrier
    %first = arith.cmpi eq, %t, %c0 : index
    scf.if %first {
      carousel.bulk.reduce add f32 %flat[%c0] to %y[%c0], 512 : memref<128xf32, #ws>, !x
      carousel.tensor.reduce add %tile[%c0, %c0] to %z[%row, %column] : memref<8x16xf32, #ws>, !matrix
      carousel.bulk.reduce max s32 %ints[%c0] to %m[%c0], 512 : memref<128xi32, #ws>, memref<?xi32, #gl>
      carousel.bulk.commit_group
      carousel.bulk.wait_group complete 0
    }
    gpu.return
  }

  // Two CTAs of a cluster exchange: y[rank] = what the other sent by st_async, by a bulk copy, and
  // added by red_async; the ranks as the hardware says them. 32 threads, clusters of 2.
  gpu.func @exchange(%y: !x, %ranks: memref<?xi32, #gl>)
      workgroup(%bar: !bar, %inbox: memref<4xf32, #ws> {llvm.align = 16 : i64},
                %bulk: memref<4xf32, #ws> {llvm.align = 16 : i64},
                %outbox: memref<4xf32, #ws> {llvm.align = 16 : i64},
                %count: memref<4xi32, #ws> {llvm.align = 16 : i64}) kernel
      attributes {known_cluster_size = array<i32: 2, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %one = arith.constant 1 : i32
    %seven = arith.constant 7 : i32
    %false = arith.constant false
    %rank = carousel.cluster.rank
    %other = arith.subi %one, %rank : i32
    %rank_f = arith.sitofp %rank : i32 to f32
    %ten = arith.constant 10.0 : f32
    %hundred = arith.constant 100.0 : f32
    %sent = arith.addf %rank_f, %ten : f32
    %bulk_sent = arith.addf %rank_f, %hundred : f32
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    scf.if %first {
      carousel.mbarrier.init %bar[%c0], 1 : !bar
      carousel.fence.mbarrier_init
      // 8 bytes of st_async, 16 of the bulk copy, 4 of red_async.
      carousel.mbarrier.arrive_expect_tx %bar[%c0], 28 : !bar
      memref.store %seven, %count[%c0] : memref<4xi32, #ws>
      scf.for %i = %c0 to %c4 step %c1 {
        memref.store %bulk_sent, %outbox[%i] : memref<4xf32, #ws>
      }
      carousel.fence.proxy async_shared_cta
    }
    carousel.cluster.arrive
    carousel.cluster.wait
    %peer_inbox = carousel.cluster.map_shared %inbox, %other : memref<4xf32, #ws> to memref<4xf32, #cluster>
    %peer_bulk = carousel.cluster.map_shared %bulk, %other : memref<4xf32, #ws> to memref<4xf32, #cluster>
    %peer_count = carousel.cluster.map_shared %count, %other : memref<4xi32, #ws> to memref<4xi32, #cluster>
    %peer_bar = carousel.cluster.map_shared %bar, %other : !bar to !peer_bar
    %peer_rank = carousel.cluster.rank_of %peer_inbox : memref<4xf32, #cluster>
    scf.if %first {
      %pair = vector.broadcast %sent : f32 to vector<2xf32>
      carousel.st_async %pair to %peer_inbox[%c2] signals %peer_bar[%c0]
          : vector<2xf32>, memref<4xf32, #cluster>, !peer_bar
      carousel.bulk.copy_cluster %outbox[%c0] to %peer_bulk[%c0], 16 signals %peer_bar[%c0]
          : memref<4xf32, #ws>, memref<4xf32, #cluster>, !peer_bar
      carousel.red_async add u32 %other to %peer_count[%c0] signals %peer_bar[%c0]
          : i32, memref<4xi32, #cluster>, !peer_bar
    }
    carousel.mbarrier.wait %bar[%c0] parity %false scope(cluster) : !bar
    %base32 = arith.muli %rank, %seven : i32
    %base = arith.index_cast %base32 : i32 to index
    scf.if %first {
      %c3 = arith.constant 3 : index
      %a = memref.load %inbox[%c2] : memref<4xf32, #ws>
      %b = memref.load %inbox[%c3] : memref<4xf32, #ws>
      %c = memref.load %bulk[%c3] : memref<4xf32, #ws>
      %n = memref.load %count[%c0] : memref<4xi32, #ws>
      %d = arith.sitofp %n : i32 to f32
      memref.store %a, %y[%base] : !x
      %i1 = arith.addi %base, %c1 : index
      memref.store %b, %y[%i1] : !x
      %i2 = arith.addi %base, %c2 : index
      memref.store %c, %y[%i2] : !x
      %i3 = arith.addi %base, %c3 : index
      memref.store %d, %y[%i3] : !x
      %r = arith.index_cast %rank : i32 to index
      memref.store %peer_rank, %ranks[%r] : memref<?xi32, #gl>
    }
    // Nobody leaves while the other may still write here.
    carousel.cluster.arrive
    carousel.cluster.wait
    gpu.return
  }

  // The first CTA of a cluster loads 64 floats for both; y[rank * 64 + i] = x[i]. 64 threads.
  gpu.func @multicast(%x: !x, %y: !x)
      workgroup(%bar: !bar, %tile: memref<64xf32, #ws> {llvm.align = 128 : i64}) kernel
      attributes {known_cluster_size = array<i32: 2, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0 : i32
    %both = arith.constant 3 : i16
    %false = arith.constant false
    %rank = carousel.cluster.rank
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    scf.if %first {
      carousel.mbarrier.init %bar[%c0], 1 : !bar
      carousel.fence.mbarrier_init
      carousel.mbarrier.arrive_expect_tx %bar[%c0], 256 : !bar
    }
    carousel.cluster.arrive
    carousel.cluster.wait
    %leads = arith.cmpi eq, %rank, %zero : i32
    %issues = arith.andi %first, %leads : i1
    scf.if %issues {
      %policy = carousel.cache_policy.fractional evict_first
      carousel.bulk.load %x[%c0] to %tile[%c0], 256 signals %bar[%c0] multicast %both cache %policy
          : !x, memref<64xf32, #ws>, !bar
    }
    carousel.mbarrier.wait %bar[%c0] parity %false : !bar
    %v = memref.load %tile[%t] : memref<64xf32, #ws>
    %r = arith.index_cast %rank : i32 to index
    %base = arith.muli %r, %c64 : index
    %i = arith.addi %base, %t : index
    memref.store %v, %y[%i] : !x
    carousel.cluster.arrive
    carousel.cluster.wait
    gpu.return
  }

  // cp.async of 16 bytes a thread, of which the last thread's 8 are valid, completing on a barrier that
  // counts each thread; y = x with zeros at the end. 16 threads.
  gpu.func @cp_async(%x: !x, %y: !x)
      workgroup(%bar: !bar, %tile: memref<64xf32, #ws> {llvm.align = 16 : i64}) kernel {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c15 = arith.constant 15 : index
    %eight = arith.constant 8 : i32
    %sixteen = arith.constant 16 : i32
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    scf.if %first {
      carousel.mbarrier.init %bar[%c0], 16 : !bar
    }
    gpu.barrier
    %i = arith.muli %t, %c4 : index
    %last = arith.cmpi eq, %t, %c15 : index
    %valid = arith.select %last, %eight, %sixteen : i32
    carousel.cp_async.copy cg %x[%i] to %tile[%i], 16 valid %valid l2_prefetch(128)
        : !x, memref<64xf32, #ws>
    carousel.cp_async.mbarrier_arrive %bar[%c0] noinc : !bar
    %false = arith.constant false
    carousel.mbarrier.wait %bar[%c0] parity %false : !bar
    // What the neighbour copied.
    %j = arith.xori %t, %c15 : index
    %k = arith.muli %j, %c4 : index
    %v = vector.load %tile[%k] : memref<64xf32, #ws>, vector<4xf32>
    vector.store %v, %y[%k] : !x, vector<4xf32>
    gpu.return
  }

  // A descriptor in global memory is fetched, its address replaced, written back and used: y = the
  // matrix at `other`, of which the descriptor knew nothing. 32 threads.
  gpu.func @replace(%maps: memref<2x!matrix, #gl>, %other: i64, %y: !x)
      workgroup(%bar: !bar, %local: memref<1x!matrix, #ws> {llvm.align = 128 : i64},
                %tile: memref<8x16xf32, #ws> {llvm.align = 128 : i64}) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c128 = arith.constant 128 : index
    %zero = arith.constant 0 : i32
    %false = arith.constant false
    %true = arith.constant true
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    scf.if %first {
      carousel.mbarrier.init %bar[%c0], 1 : !bar
      carousel.fence.mbarrier_init
      carousel.mbarrier.arrive_expect_tx %bar[%c0], 128 : !bar
      carousel.bulk.load %maps[%c0] to %local[%c0], 128 signals %bar[%c0]
          : memref<2x!matrix, #gl>, memref<1x!matrix, #ws>, !bar
    }
    gpu.barrier
    carousel.mbarrier.wait %bar[%c0] parity %false : !bar
    scf.if %first {
      carousel.tensor_map.replace global_address of %local[%c0] with %other : memref<1x!matrix, #ws>, i64
    }
    carousel.barrier.warp
    carousel.tensor_map.copy_fence %local[%c0] to %maps[%c1] scope(gpu)
        : memref<1x!matrix, #ws>, memref<2x!matrix, #gl>
    %map = carousel.tensor_map.get %maps[%c1] : memref<2x!matrix, #gl> -> !matrix
    carousel.fence.tensor_map_acquire %map gpu : !matrix
    scf.if %first {
      carousel.mbarrier.arrive_expect_tx %bar[%c0], 512 : !bar
      carousel.tensor.load %map[%zero, %zero] to %tile[%c0, %c0] signals %bar[%c0]
          : !matrix, memref<8x16xf32, #ws>, !bar
    }
    carousel.mbarrier.wait %bar[%c0] parity %true : !bar
    %flat = memref.collapse_shape %tile [[0, 1]] : memref<8x16xf32, #ws> into memref<128xf32, #ws>
    scf.for %i = %t to %c128 step %c32 {
      %v = memref.load %flat[%i] : memref<128xf32, #ws>
      memref.store %v, %y[%i] : !x
    }
    gpu.return
  }

  // CTAs take turns, the last first: y = (...((y * 2 + last) * 2 + ...) + 0). 1 thread.
  gpu.func @turns(%semaphore: memref<1xi32, #gl>, %y: !x) kernel attributes {carousel.coresident} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %two = arith.constant 2.0 : f32
    %one = arith.constant 1 : i32
    %grid = gpu.grid_dim x
    %block = gpu.block_id x
    %last = arith.subi %grid, %c1 : index
    %position = arith.subi %last, %block : index
    %turn = arith.index_cast %position : index to i32
    carousel.grid.serial_wait %semaphore[%c0], %turn : memref<1xi32, #gl>
    %v = memref.load %y[%c0] : !x
    %d = arith.mulf %v, %two : f32
    %b = arith.index_cast %block : index to i32
    %f = arith.sitofp %b : i32 to f32
    %s = arith.addf %d, %f : f32
    memref.store %s, %y[%c0] : !x
    %next = arith.addi %turn, %one : i32
    carousel.grid.serial_release %semaphore[%c0], %next : memref<1xi32, #gl>
    gpu.return
  }

  // A barrier of three arrivals by two warps, waited for by state; arrivals that drop out make the next
  // phase need one only. y[i] = x[i ^ 32] through shared memory, twice. 64 threads.
  gpu.func @states(%x: !x, %y: !x)
      workgroup(%bar: !bar, %tile: memref<64xf32, #ws>) kernel {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %true = arith.constant true
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    scf.if %first {
      carousel.mbarrier.init %bar[%c0], 96 : !bar
    }
    gpu.barrier
    %v = memref.load %x[%t] : !x
    memref.store %v, %tile[%t] : memref<64xf32, #ws>
    %low = arith.cmpi ult, %t, %c32 : index
    %state = scf.if %low -> (!carousel.mbarrier_state) {
      %s = carousel.mbarrier.arrive %bar[%c0], 2 : !bar -> !carousel.mbarrier_state
      scf.yield %s : !carousel.mbarrier_state
    } else {
      %s = carousel.mbarrier.arrive_drop %bar[%c0] : !bar -> !carousel.mbarrier_state
      scf.yield %s : !carousel.mbarrier_state
    }
    carousel.mbarrier.wait %bar[%c0] state %state : !bar
    %j = arith.xori %t, %c32 : index
    %w = memref.load %tile[%j] : memref<64xf32, #ws>
    gpu.barrier
    memref.store %w, %tile[%t] : memref<64xf32, #ws>
    // The upper warp has dropped out: 64 arrivals, two of each thread of the lower.
    scf.if %low {
      carousel.mbarrier.arrive %bar[%c0], 2 : !bar
    }
    gpu.barrier
    carousel.mbarrier.wait %bar[%c0] parity %true : !bar
    %u = memref.load %tile[%t] : memref<64xf32, #ws>
    memref.store %u, %y[%t] : !x
    gpu.return
  }
}
