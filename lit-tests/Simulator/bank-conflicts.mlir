// carousel-sim counts the wavefronts of a warp's accesses to shared memory, and how many of them bank conflicts cost. The
// counts don't depend on the schedule.
// DEFINE: %{sim} = carousel-sim %s --bank-conflicts --policy random --kernel
// RUN: %{sim} @words | FileCheck %s --check-prefix=WORDS
// RUN: %{sim} @bytes | FileCheck %s --check-prefix=BYTES
// RUN: %{sim} @broadcast --arg y=empty:64 | FileCheck %s --check-prefix=BROADCAST
// RUN: %{sim} @wide | FileCheck %s --check-prefix=WIDE
// RUN: %{sim} @loop | FileCheck %s --check-prefix=LOOP
// RUN: %{sim} @loop --seed 3 | FileCheck %s --check-prefix=LOOP
// RUN: %{sim} @turns | FileCheck %s --check-prefix=TURNS
// RUN: %{sim} @branches | FileCheck %s --check-prefix=BRANCHES
// RUN: %{sim} @halves | FileCheck %s --check-prefix=HALVES
// RUN: %{sim} @function | FileCheck %s --check-prefix=FUNCTION
// RUN: %{sim} @few | FileCheck %s --check-prefix=FEW
// RUN: %{sim} @uncounted --arg y=zeros:64 | FileCheck %s --check-prefix=UNCOUNTED
// RUN: %{sim} @few --then @few | FileCheck %s --check-prefix=TWICE

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

gpu.module @conflicts {
  // Strides of 32 words, of 2 and of 33. Two warps.
  //      WORDS: shared memory {{ *}}op {{ *}}accesses  wavefronts   least  excess
  // WORDS-NEXT: bank-conflicts.mlir:[[@LINE+13]]:5 {{ *}}store, 4 bytes {{ *}}2 {{ *}}64 {{ *}}2 {{ *}}62{{$}}
  // WORDS-NEXT: bank-conflicts.mlir:[[@LINE+15]]:5 {{ *}}store, 4 bytes {{ *}}2 {{ *}}4 {{ *}}2 {{ *}}2{{$}}
  // WORDS-NEXT: bank-conflicts.mlir:[[@LINE+17]]:5 {{ *}}store, 4 bytes {{ *}}2 {{ *}}2 {{ *}}2 {{ *}}0{{$}}
  // WORDS-NEXT: total {{ *}}6 {{ *}}70 {{ *}}6 {{ *}}64{{$}}
  // WORDS-NEXT: words: 64 threads
  gpu.func @words() kernel attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c2 = arith.constant 2 : index
    %c32 = arith.constant 32 : index
    %c33 = arith.constant 33 : index
    %s = memref.alloc() {alignment = 128 : i64} : memref<2112xf32, #ws>
    %zero = arith.constant 0.0 : f32
    %t = gpu.thread_id x
    %column = arith.muli %t, %c32 : index
    memref.store %zero, %s[%column] : memref<2112xf32, #ws>
    gpu.barrier
    %even = arith.muli %t, %c2 : index
    memref.store %zero, %s[%even] : memref<2112xf32, #ws>
    gpu.barrier
    %padded = arith.muli %t, %c33 : index
    memref.store %zero, %s[%padded] : memref<2112xf32, #ws>
    gpu.return
  }

  // Elements of one byte: four lanes share a word, even if they write. 132 bytes apart: no conflict. 128 apart: all.
  //      BYTES: bank-conflicts.mlir:[[@LINE+10]]:5 {{ *}}store, 1 byte {{ *}}1 {{ *}}1 {{ *}}1 {{ *}}0{{$}}
  // BYTES-NEXT: bank-conflicts.mlir:[[@LINE+12]]:5 {{ *}}store, 1 byte {{ *}}1 {{ *}}1 {{ *}}1 {{ *}}0{{$}}
  // BYTES-NEXT: bank-conflicts.mlir:[[@LINE+14]]:5 {{ *}}store, 1 byte {{ *}}1 {{ *}}32 {{ *}}1 {{ *}}31{{$}}
  // BYTES-NEXT: total
  gpu.func @bytes() kernel attributes {carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %c128 = arith.constant 128 : index
    %c132 = arith.constant 132 : index
    %s = memref.alloc() {alignment = 128 : i64} : memref<4224xi8, #ws>
    %zero = arith.constant 0 : i8
    %t = gpu.thread_id x
    memref.store %zero, %s[%t] : memref<4224xi8, #ws>
    gpu.barrier
    %padded = arith.muli %t, %c132 : index
    memref.store %zero, %s[%padded] : memref<4224xi8, #ws>
    gpu.barrier
    %column = arith.muli %t, %c128 : index
    memref.store %zero, %s[%column] : memref<4224xi8, #ws>
    gpu.return
  }

  // All lanes of a warp load one word.
  //      BROADCAST: bank-conflicts.mlir:[[@LINE+9]]:5 {{ *}}store, 4 bytes {{ *}}2 {{ *}}2 {{ *}}2 {{ *}}0{{$}}
  // BROADCAST-NEXT: bank-conflicts.mlir:[[@LINE+11]]:10 {{ *}}load, 4 bytes {{ *}}2 {{ *}}2 {{ *}}2 {{ *}}0{{$}}
  // BROADCAST-NEXT: total {{ *}}4 {{ *}}4 {{ *}}4 {{ *}}0{{$}}
  gpu.func @broadcast(%y: memref<64xf32, #gl> {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c32 = arith.constant 32 : index
    %s = memref.alloc() : memref<64xf32, #ws>
    %zero = arith.constant 0.0 : f32
    %t = gpu.thread_id x
    memref.store %zero, %s[%t] : memref<64xf32, #ws>
    gpu.barrier
    %warp = arith.divui %t, %c32 : index
    %v = memref.load %s[%warp] : memref<64xf32, #ws>
    memref.store %v, %y[%t] : memref<64xf32, #gl>
    gpu.return
  }

  // 16 and 8 bytes beside each other take 4 and 2 wavefronts. 32 bytes apart, two lanes of each quarter meet in a bank.
  // 32 bytes are two accesses of 16, 32 bytes apart.
  //      WIDE: bank-conflicts.mlir:[[@LINE+15]]:5 {{ *}}store, 16 bytes {{ *}}1 {{ *}}4 {{ *}}4 {{ *}}0{{$}}
  // WIDE-NEXT: bank-conflicts.mlir:[[@LINE+17]]:5 {{ *}}store, 8 bytes {{ *}}1 {{ *}}2 {{ *}}2 {{ *}}0{{$}}
  // WIDE-NEXT: bank-conflicts.mlir:[[@LINE+19]]:5 {{ *}}store, 16 bytes {{ *}}1 {{ *}}8 {{ *}}4 {{ *}}4{{$}}
  // WIDE-NEXT: bank-conflicts.mlir:[[@LINE+20]]:5 {{ *}}store, 32 bytes {{ *}}1 {{ *}}16 {{ *}}8 {{ *}}8{{$}}
  // WIDE-NEXT: total {{ *}}4 {{ *}}30 {{ *}}18 {{ *}}12{{$}}
  gpu.func @wide() kernel attributes {carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %s = memref.alloc() {alignment = 128 : i64} : memref<256xf32, #ws>
    %two = arith.constant dense<0.0> : vector<2xf32>
    %four = arith.constant dense<0.0> : vector<4xf32>
    %eight = arith.constant dense<0.0> : vector<8xf32>
    %t = gpu.thread_id x
    %fours = arith.muli %t, %c4 : index
    vector.store %four, %s[%fours] : memref<256xf32, #ws>, vector<4xf32>
    gpu.barrier
    %twos = arith.muli %t, %c2 : index
    vector.store %two, %s[%twos] : memref<256xf32, #ws>, vector<2xf32>
    gpu.barrier
    %eights = arith.muli %t, %c8 : index
    vector.store %four, %s[%eights] : memref<256xf32, #ws>, vector<4xf32>
    gpu.barrier
    vector.store %eight, %s[%eights] : memref<256xf32, #ws>, vector<8xf32>
    gpu.return
  }

  // Lane t has t mod 4 iterations of three. Iterations without conflicts, although lanes are in different ones.
  //      LOOP: bank-conflicts.mlir:[[@LINE+14]]:9 {{ *}}store, 4 bytes {{ *}}6 {{ *}}6 {{ *}}6 {{ *}}0{{$}}
  // LOOP-NEXT: total {{ *}}6 {{ *}}6 {{ *}}6 {{ *}}0{{$}}
  gpu.func @loop() kernel attributes {carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c32 = arith.constant 32 : index
    %s = memref.alloc() {alignment = 128 : i64} : memref<3x2x32xf32, #ws>
    %zero = arith.constant 0.0 : f32
    %t = gpu.thread_id x
    %turns = arith.remui %t, %c4 : index
    scf.for %i = %c0 to %turns step %c1 {
      scf.for %j = %c0 to %c2 step %c1 {
        memref.store %zero, %s[%i, %j, %t] : memref<3x2x32xf32, #ws>
      }
    }
    gpu.return
  }

  // Even lanes store in even iterations, odd lanes in odd ones: to one bank, but never together.
  //      TURNS: bank-conflicts.mlir:[[@LINE+15]]:9 {{ *}}store, 4 bytes {{ *}}4 {{ *}}64 {{ *}}4 {{ *}}60{{$}}
  // TURNS-NEXT: total
  gpu.func @turns() kernel attributes {carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %s = memref.alloc() {alignment = 128 : i64} : memref<32x32xf32, #ws>
    %zero = arith.constant 0.0 : f32
    %t = gpu.thread_id x
    scf.for %i = %c0 to %c4 step %c1 {
      %sum = arith.addi %i, %t : index
      %odd = arith.remui %sum, %c2 : index
      %mine = arith.cmpi eq, %odd, %c0 : index
      scf.if %mine {
        memref.store %zero, %s[%t, %c0] : memref<32x32xf32, #ws>
      }
    }
    gpu.return
  }

  // Both branches store to one column, 16 lanes each.
  //      BRANCHES: bank-conflicts.mlir:[[@LINE+11]]:7 {{ *}}store, 4 bytes {{ *}}1 {{ *}}16 {{ *}}1 {{ *}}15{{$}}
  // BRANCHES-NEXT: bank-conflicts.mlir:[[@LINE+12]]:7 {{ *}}store, 4 bytes {{ *}}1 {{ *}}16 {{ *}}1 {{ *}}15{{$}}
  // BRANCHES-NEXT: total
  gpu.func @branches() kernel attributes {carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %s = memref.alloc() {alignment = 128 : i64} : memref<32x32xf32, #ws>
    %zero = arith.constant 0.0 : f32
    %t = gpu.thread_id x
    %low = arith.cmpi ult, %t, %c16 : index
    scf.if %low {
      memref.store %zero, %s[%t, %c0] : memref<32x32xf32, #ws>
    } else {
      memref.store %zero, %s[%t, %c0] : memref<32x32xf32, #ws>
    }
    gpu.return
  }

  // Eight lanes are a quarter of a warp, so that one wavefront is enough.
  //      HALVES: bank-conflicts.mlir:[[@LINE+11]]:7 {{ *}}store, 16 bytes {{ *}}1 {{ *}}1 {{ *}}1 {{ *}}0{{$}}
  // HALVES-NEXT: total
  gpu.func @halves() kernel attributes {carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %s = memref.alloc() {alignment = 128 : i64} : memref<128xf32, #ws>
    %four = arith.constant dense<0.0> : vector<4xf32>
    %t = gpu.thread_id x
    %low = arith.cmpi ult, %t, %c8 : index
    scf.if %low {
      %at = arith.muli %t, %c4 : index
      vector.store %four, %s[%at] : memref<128xf32, #ws>, vector<4xf32>
    }
    gpu.return
  }

  // A function that is called twice: its executions are in their order.
  //      FUNCTION: bank-conflicts.mlir:[[@LINE+4]]:5 {{ *}}store, 4 bytes {{ *}}2 {{ *}}33 {{ *}}2 {{ *}}31{{$}}
  // FUNCTION-NEXT: total
  func.func @put(%s: memref<1024xf32, #ws>, %at: index) {
    %zero = arith.constant 0.0 : f32
    memref.store %zero, %s[%at] : memref<1024xf32, #ws>
    return
  }
  gpu.func @function() kernel attributes {carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %c32 = arith.constant 32 : index
    %s = memref.alloc() {alignment = 128 : i64} : memref<1024xf32, #ws>
    %t = gpu.thread_id x
    func.call @put(%s, %t) : (memref<1024xf32, #ws>, index) -> ()
    gpu.barrier
    %column = arith.muli %t, %c32 : index
    func.call @put(%s, %column) : (memref<1024xf32, #ws>, index) -> ()
    gpu.return
  }

  // The second warp has 8 lanes. Two CTAs. Launched again, the counts are those of both launches.
  //      FEW: bank-conflicts.mlir:[[@LINE+9]]:5 {{ *}}store, 4 bytes {{ *}}4 {{ *}}80 {{ *}}4 {{ *}}76{{$}}
  // FEW-NEXT: total
  //      TWICE: bank-conflicts.mlir:[[@LINE+7]]:5 {{ *}}store, 4 bytes {{ *}}8 {{ *}}160 {{ *}}8 {{ *}}152{{$}}
  // TWICE-NEXT: total
  gpu.func @few() kernel attributes {carousel.launch = #carousel.launch<grid = [2], block = [40]>} {
    %c0 = arith.constant 0 : index
    %s = memref.alloc() {alignment = 128 : i64} : memref<40x32xf32, #ws>
    %zero = arith.constant 0.0 : f32
    %t = gpu.thread_id x
    memref.store %zero, %s[%t, %c0] : memref<40x32xf32, #ws>
    gpu.return
  }

  // Global memory has no banks. Atomics, memory of a thread's own and the engines' accesses aren't counted.
  //      UNCOUNTED: shared memory
  // UNCOUNTED-NEXT: total {{ *}}0 {{ *}}0 {{ *}}0 {{ *}}0{{$}}
  gpu.func @uncounted(%y: memref<64xi32, #gl> {carousel.argument = #carousel.argument<"y", inout>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %c0 = arith.constant 0 : index
    %s = memref.alloc() {alignment = 128 : i64} : memref<64xi32, #ws>
    %t = gpu.thread_id x
    %v = memref.load %y[%t] : memref<64xi32, #gl>
    %own = memref.alloca() : memref<8xi32>
    memref.store %v, %own[%c0] : memref<8xi32>
    carousel.load %y[%c0] to %s : memref<64xi32, #gl>, memref<64xi32, #ws>
    %old = memref.atomic_rmw addi %v, %s[%c0] : (i32, memref<64xi32, #ws>) -> i32
    %w = memref.load %own[%c0] : memref<8xi32>
    memref.store %w, %y[%t] : memref<64xi32, #gl>
    gpu.return
  }
}
