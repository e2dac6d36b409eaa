// A product of bf16 matrices by tensor cores whose tiles go to a peer, at the block phase. Each
// program computes a tile, stores it to the peer's memory and signals. So tiles travel while other
// programs compute. `there[down, across]` becomes `round` when the tile has arrived. @take_arrived
// is the peer's next kernel: it waits for each tile and adds it to what it has.
//
// @reduce_product adds them to a product of its own instead: of the rows of a product, each rank pushes
// those of the other, and reduces its own (a product and a reduce-scatter at once).
//
// @push_rows and @gather_product are an all-gather and a product that run at once, in two streams:
// each rank puts its rows to the others, and multiplies all rows, its own first.
//
// @product is the same product into local memory, for a copy afterwards: the way that
// @push_product is compared with.
//
//   carousel-sim products.mlir --kernel @push_product --then @take_arrived --gpus 2 \
//     --peer c=inbox --peer there=arrived --arg a=random:300x72:{rank} --arg b=random:72x136:9 \
//     --arg inbox=empty:300x136 --arg arrived=zeros:2x2 --arg round=1 --arg y=zeros:300x136 \
//     --reference @push_product_reference --rtol 0.008 --atol 0.0003
//   carousel-sim products.mlir --kernel @push_product --then @reduce_product --gpus 2 \
//     --peer c=inbox --peer there=arrived --arg a=random:300x72:{rank} --arg b=random:72x136:9 \
//     --arg inbox=empty:300x136 --arg arrived=zeros:2x2 --arg round=1 --arg y=empty:300x136 \
//     --reference @reduce_product_reference --rtol 0.008 --atol 0.04
//   carousel-sim products.mlir --kernel @push_rows --then @gather_product --gpus 2 \
//     --peer remote=gathered --peer there=arrived --arg gathered=random:2x300x72:{rank} \
//     --arg b=random:72x136:9 --arg arrived=zeros:2x2 --arg round=1 --arg rank={rank} \
//     --arg y=empty:2x300x136 --reference @gather_product_reference --rtol 0.008 --atol 0.0003

#gl = #gpu.address_space<global>
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#product = {indexing_maps = [#mk, #kn, #mn],
    iterator_types = ["parallel", "parallel", "reduction"]}

!matrix = memref<?x?xbf16, strided<[?, 1], offset: ?>, #gl>
!parts = memref<?x?x?xbf16, strided<[?, ?, 1], offset: ?>, #gl>
!counters = memref<?x?xi64, #gl>
!tile_a = vector<256x64xbf16>
!tile_b = vector<64x128xbf16>
!tile = vector<256x128xbf16>
!strip = vector<32x128xbf16>
!sums = vector<256x128xf32>
!host = memref<?x?xbf16, strided<[?, 1], offset: ?>>

#program = #carousel.block_program<>
#tiles = #carousel.launch<grid = [ceildiv(extent(2, 1), 128), ceildiv(extent(2, 0), 256)]>
#reduced_tiles = #carousel.launch<grid = [ceildiv(extent(5, 1), 128), ceildiv(extent(5, 0), 256)]>
#arrivals = #carousel.launch<grid = [ceildiv(extent(3, 1), 128), ceildiv(extent(3, 0), 256)]>
#row_tiles = #carousel.launch<grid = [ceildiv(extent(0, 1), 256)]>
#gathered_tiles = #carousel.launch<grid = [ceildiv(extent(3, 2), 128), extent(2, 0) * extent(2, 1)]>

gpu.module @transport {
  func.func private @multiply(%a: !matrix, %b: !matrix, %i: index, %j: index) -> !sums {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : !sums
    %depth = memref.dim %a, %c1 : !matrix
    %sum = scf.for %k = %c0 to %depth step %c64 iter_args(%acc = %zeros) -> (!sums) {
      %at = vector.transfer_read %a[%i, %k], %pad : !matrix, !tile_a
      %bt = vector.transfer_read %b[%k, %j], %pad : !matrix, !tile_b
      %next = vector.contract #product %at, %bt, %acc : !tile_a, !tile_b into !sums
      scf.yield %next : !sums
    } {carousel.pipeline = #carousel.pipeline<>}
    return %sum : !sums
  }

  gpu.func @push_product(
      %a: !matrix {carousel.argument = #carousel.argument<"a", in>},
      %b: !matrix {carousel.argument = #carousel.argument<"b", in>},
      %c: !matrix {carousel.argument = #carousel.argument<"c", out>, carousel.peer},
      %there: !counters {carousel.argument = #carousel.argument<"there", inout>, carousel.peer},
      %round: i64 {carousel.argument = #carousel.argument<"round", in>})
      kernel attributes {carousel.block_program = #program, carousel.launch = #tiles} {
    %across = gpu.block_id x
    %down = gpu.block_id y
    %i = affine.apply affine_map<(d) -> (d * 256)>(%down)
    %j = affine.apply affine_map<(d) -> (d * 128)>(%across)
    %sum = func.call @multiply(%a, %b, %i, %j) : (!matrix, !matrix, index, index) -> !sums
    %v = arith.truncf %sum : !sums to !tile
    vector.transfer_write %v, %c[%i, %j] : !tile, !matrix
    carousel.signal %there[%down, %across] set %round : !counters
    gpu.return
  }

  gpu.func @product(
      %a: !matrix {carousel.argument = #carousel.argument<"a", in>},
      %b: !matrix {carousel.argument = #carousel.argument<"b", in>},
      %c: !matrix {carousel.argument = #carousel.argument<"c", out>})
      kernel attributes {carousel.block_program = #program, carousel.launch = #tiles} {
    %across = gpu.block_id x
    %down = gpu.block_id y
    %i = affine.apply affine_map<(d) -> (d * 256)>(%down)
    %j = affine.apply affine_map<(d) -> (d * 128)>(%across)
    %sum = func.call @multiply(%a, %b, %i, %j) : (!matrix, !matrix, index, index) -> !sums
    %v = arith.truncf %sum : !sums to !tile
    vector.transfer_write %v, %c[%i, %j] : !tile, !matrix
    gpu.return
  }

  // y = a * b + inbox, where a peer pushes its share to `inbox` meanwhile: the sum of both ranks'
  // products for this rank's rows. A program waits for the peer's tile when it has computed its own.
  gpu.func @reduce_product(
      %a: !matrix {carousel.argument = #carousel.argument<"a", in>},
      %b: !matrix {carousel.argument = #carousel.argument<"b", in>},
      %inbox: !matrix {carousel.argument = #carousel.argument<"inbox", in>, carousel.symmetric},
      %arrived: !counters {carousel.argument = #carousel.argument<"arrived", inout>,
                           carousel.symmetric},
      %round: i64 {carousel.argument = #carousel.argument<"round", in>},
      %y: !matrix {carousel.argument = #carousel.argument<"y", out>})
      kernel attributes {carousel.block_program = #program, carousel.launch = #reduced_tiles} {
    %pad = arith.constant 0.0 : bf16
    %across = gpu.block_id x
    %down = gpu.block_id y
    %i = affine.apply affine_map<(d) -> (d * 256)>(%down)
    %j = affine.apply affine_map<(d) -> (d * 128)>(%across)
    %own = func.call @multiply(%a, %b, %i, %j) : (!matrix, !matrix, index, index) -> !sums
    carousel.wait_signal %arrived[%down, %across] at_least %round : !counters
    %part = vector.transfer_read %inbox[%i, %j], %pad : !matrix, !tile
    %wide = arith.extf %part : !tile to !sums
    %sum = arith.addf %own, %wide : !sums
    %v = arith.truncf %sum : !sums to !tile
    vector.transfer_write %v, %y[%i, %j] : !tile, !matrix
    gpu.return
  }

  // y = y + inbox, tile by tile as they arrive.
  gpu.func @take_arrived(
      %inbox: !matrix {carousel.argument = #carousel.argument<"inbox", in>, carousel.symmetric},
      %arrived: !counters {carousel.argument = #carousel.argument<"arrived", inout>,
                           carousel.symmetric},
      %round: i64 {carousel.argument = #carousel.argument<"round", in>},
      %y: !matrix {carousel.argument = #carousel.argument<"y", inout>})
      kernel attributes {carousel.block_program = #program, carousel.launch = #arrivals} {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %c256 = arith.constant 256 : index
    %pad = arith.constant 0.0 : bf16
    %across = gpu.block_id x
    %down = gpu.block_id y
    %i = affine.apply affine_map<(d) -> (d * 256)>(%down)
    %j = affine.apply affine_map<(d) -> (d * 128)>(%across)
    carousel.wait_signal %arrived[%down, %across] at_least %round : !counters
    scf.for %r = %c0 to %c256 step %c32 {
      %row = arith.addi %i, %r : index
      %v = vector.transfer_read %inbox[%row, %j], %pad : !matrix, !strip
      %w = vector.transfer_read %y[%row, %j], %pad : !matrix, !strip
      %sum = arith.addf %v, %w : !strip
      vector.transfer_write %sum, %y[%row, %j] : !strip, !matrix
    }
    gpu.return
  }

  // Puts this rank's rows of `gathered` to a peer's, 256 of them by each program. The first
  // dimension is the rank. `there[rank, tile]` becomes `round` when the tile has arrived.
  gpu.func @push_rows(
      %gathered: !parts {carousel.argument = #carousel.argument<"gathered", in>,
                         carousel.symmetric},
      %remote: !parts {carousel.argument = #carousel.argument<"remote", out>, carousel.peer},
      %there: !counters {carousel.argument = #carousel.argument<"there", inout>, carousel.peer},
      %round: i64 {carousel.argument = #carousel.argument<"round", in>},
      %rank: i64 {carousel.argument = #carousel.argument<"rank", in>})
      kernel attributes {carousel.block_program = #program, carousel.launch = #row_tiles} {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0.0 : bf16
    %own = arith.index_cast %rank : i64 to index
    %tile = gpu.block_id x
    %i = affine.apply affine_map<(d) -> (d * 256)>(%tile)
    %k = memref.dim %gathered, %c2 : !parts
    scf.for %j = %c0 to %k step %c64 {
      %v = vector.transfer_read %gathered[%own, %i, %j], %pad : !parts, !tile_a
      vector.transfer_write %v, %remote[%own, %i, %j] : !tile_a, !parts
    } {carousel.pipeline = #carousel.pipeline<>}
    carousel.signal %there[%own, %tile] set %round : !counters
    gpu.return
  }

  // y = gathered * b. The programs of this rank's rows come first: they wait for nothing, and the
  // rows of others arrive meanwhile.
  gpu.func @gather_product(
      %gathered: !parts {carousel.argument = #carousel.argument<"gathered", in>,
                         carousel.symmetric},
      %b: !matrix {carousel.argument = #carousel.argument<"b", in>},
      %arrived: !counters {carousel.argument = #carousel.argument<"arrived", inout>,
                           carousel.symmetric},
      %y: !parts {carousel.argument = #carousel.argument<"y", out>},
      %round: i64 {carousel.argument = #carousel.argument<"round", in>},
      %rank: i64 {carousel.argument = #carousel.argument<"rank", in>})
      kernel attributes {carousel.block_program = #program, carousel.launch = #gathered_tiles} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : !sums
    %own = arith.index_cast %rank : i64 to index
    %across = gpu.block_id x
    %down = gpu.block_id y
    %ranks = memref.dim %gathered, %c0 : !parts
    %tiles = memref.dim %arrived, %c1 : !counters
    %later = arith.divui %down, %tiles : index
    %tile = arith.remui %down, %tiles : index
    %turn = arith.addi %own, %later : index
    %of = arith.remui %turn, %ranks : index
    %i = affine.apply affine_map<(d) -> (d * 256)>(%tile)
    %j = affine.apply affine_map<(d) -> (d * 128)>(%across)
    %depth = memref.dim %gathered, %c2 : !parts
    %is_foreign = arith.cmpi ne, %of, %own : index
    scf.if %is_foreign {
      carousel.wait_signal %arrived[%of, %tile] at_least %round : !counters
    }
    %sum = scf.for %k = %c0 to %depth step %c64 iter_args(%acc = %zeros) -> (!sums) {
      %at = vector.transfer_read %gathered[%of, %i, %k], %pad : !parts, !tile_a
      %bt = vector.transfer_read %b[%k, %j], %pad : !matrix, !tile_b
      %next = vector.contract #product %at, %bt, %acc : !tile_a, !tile_b into !sums
      scf.yield %next : !sums
    } {carousel.pipeline = #carousel.pipeline<>}
    %v = arith.truncf %sum : !sums to !tile
    vector.transfer_write %v, %y[%of, %i, %j] : !tile, !parts
    gpu.return
  }
}

// c = a * b, in f32 and then in bf16.
func.func private @multiply_reference(%a: !host, %b: !host, %c: !host) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = memref.dim %c, %c0 : !host
  %n = memref.dim %c, %c1 : !host
  %k = memref.dim %a, %c1 : !host
  scf.for %i = %c0 to %m step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      %sum = scf.for %p = %c0 to %k step %c1 iter_args(%s = %zero) -> (f32) {
        %av = memref.load %a[%i, %p] : !host
        %bv = memref.load %b[%p, %j] : !host
        %ax = arith.extf %av : bf16 to f32
        %bx = arith.extf %bv : bf16 to f32
        %next = math.fma %ax, %bx, %s : f32
        scf.yield %next : f32
      }
      %narrow = arith.truncf %sum : f32 to bf16
      memref.store %narrow, %c[%i, %j] : !host
    }
  }
  return
}

func.func private @take_reference(%inbox: !host, %arrived: memref<?x?xi64>, %round: i64, %y: !host) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %y, %c0 : !host
  %n = memref.dim %y, %c1 : !host
  %down = memref.dim %arrived, %c0 : memref<?x?xi64>
  %across = memref.dim %arrived, %c1 : memref<?x?xi64>
  scf.for %i = %c0 to %m step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      %v = memref.load %inbox[%i, %j] : !host
      %w = memref.load %y[%i, %j] : !host
      %sum = arith.addf %v, %w : bf16
      memref.store %sum, %y[%i, %j] : !host
    }
  }
  scf.for %i = %c0 to %down step %c1 {
    scf.for %j = %c0 to %across step %c1 {
      memref.store %round, %arrived[%i, %j] : memref<?x?xi64>
    }
  }
  return
}

// Of two GPUs: each gets the product of the other one.
func.func @push_product_reference(
    %a: !host, %b: !host, %inbox1: !host, %arrived1: memref<?x?xi64>, %round: i64,
    %inbox: !host, %arrived: memref<?x?xi64>, %y: !host,
    %a1: !host, %b1: !host, %round1: i64, %y1: !host) {
  call @multiply_reference(%a, %b, %inbox1) : (!host, !host, !host) -> ()
  call @multiply_reference(%a1, %b1, %inbox) : (!host, !host, !host) -> ()
  call @take_reference(%inbox, %arrived, %round, %y)
      : (!host, memref<?x?xi64>, i64, !host) -> ()
  call @take_reference(%inbox1, %arrived1, %round1, %y1)
      : (!host, memref<?x?xi64>, i64, !host) -> ()
  return
}

// Each adds the other's product to its own.
func.func @reduce_product_reference(
    %a: !host, %b: !host, %inbox1: !host, %arrived1: memref<?x?xi64>, %round: i64,
    %inbox: !host, %arrived: memref<?x?xi64>, %y: !host,
    %a1: !host, %b1: !host, %round1: i64, %y1: !host) {
  call @multiply_reference(%a, %b, %y) : (!host, !host, !host) -> ()
  call @multiply_reference(%a1, %b1, %y1) : (!host, !host, !host) -> ()
  call @push_product_reference(%a, %b, %inbox1, %arrived1, %round, %inbox, %arrived, %y, %a1, %b1,
                               %round1, %y1)
      : (!host, !host, !host, memref<?x?xi64>, i64, !host, memref<?x?xi64>, !host, !host, !host,
         i64, !host) -> ()
  return
}

!host_parts = memref<?x?x?xbf16, strided<[?, ?, 1], offset: ?>>

func.func private @push_rows_reference(%from: !host_parts, %to: !host_parts,
                                       %there: memref<?x?xi64>, %round: i64, %rank: i64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %own = arith.index_cast %rank : i64 to index
  %m = memref.dim %from, %c1 : !host_parts
  %k = memref.dim %from, %c2 : !host_parts
  %tiles = memref.dim %there, %c1 : memref<?x?xi64>
  scf.for %i = %c0 to %m step %c1 {
    scf.for %j = %c0 to %k step %c1 {
      %v = memref.load %from[%own, %i, %j] : !host_parts
      memref.store %v, %to[%own, %i, %j] : !host_parts
    }
  }
  scf.for %i = %c0 to %tiles step %c1 {
    memref.store %round, %there[%own, %i] : memref<?x?xi64>
  }
  return
}

func.func private @multiply_parts(%a: !host_parts, %b: !host, %y: !host_parts) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %ranks = memref.dim %a, %c0 : !host_parts
  %m = memref.dim %a, %c1 : !host_parts
  %c2 = arith.constant 2 : index
  %k = memref.dim %a, %c2 : !host_parts
  %n = memref.dim %y, %c2 : !host_parts
  scf.for %of = %c0 to %ranks step %c1 {
    %part = memref.subview %a[%of, 0, 0] [1, %m, %k] [1, 1, 1]
        : !host_parts to memref<?x?xbf16, strided<[?, 1], offset: ?>>
    %to = memref.subview %y[%of, 0, 0] [1, %m, %n] [1, 1, 1]
        : !host_parts to memref<?x?xbf16, strided<[?, 1], offset: ?>>
    func.call @multiply_reference(%part, %b, %to) : (!host, !host, !host) -> ()
  }
  return
}

// Of two GPUs: each multiplies the rows of both.
func.func @gather_product_reference(
    %gathered: !host_parts, %gathered1: !host_parts, %arrived1: memref<?x?xi64>, %round: i64,
    %rank: i64, %b: !host, %arrived: memref<?x?xi64>, %y: !host_parts, %round1: i64, %rank1: i64,
    %b1: !host, %y1: !host_parts) {
  call @push_rows_reference(%gathered, %gathered1, %arrived1, %round, %rank)
      : (!host_parts, !host_parts, memref<?x?xi64>, i64, i64) -> ()
  call @push_rows_reference(%gathered1, %gathered, %arrived, %round1, %rank1)
      : (!host_parts, !host_parts, memref<?x?xi64>, i64, i64) -> ()
  call @multiply_parts(%gathered, %b, %y) : (!host_parts, !host, !host_parts) -> ()
  call @multiply_parts(%gathered1, %b1, %y1) : (!host_parts, !host, !host_parts) -> ()
  return
}
