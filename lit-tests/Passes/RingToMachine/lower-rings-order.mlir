// The issuing thread takes turns and tickets. Exclusive reductions by threads load, combine and
// store, in vectors.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_90a},carousel-lower-rings),canonicalize,cse)' | FileCheck %s --implicit-check-not=carousel.serialize --implicit-check-not=carousel.grid.ticket

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>
!g = memref<?xf32, #gl>
!t = memref<1024xf32, #ws>
!s = memref<?xi32, #gl>

gpu.module @kernels {
  // The first thread waits, issues, and passes the turn on: the last one leaves 0.
  // CHECK-LABEL: gpu.func @turn(
  // CHECK-SAME: %[[S:[^ ]+]]: memref<?xi32, {{[^%]+}}, %[[I:[^:]+]]: index, %[[TURN:[^:]+]]: index, %[[N:[^:]+]]: index)
  // CHECK: %[[LEADS:.+]] = arith.cmpi eq, %{{.+}}, %c0_i32
  // CHECK: %[[NEXT:.+]] = arith.addi %[[TURN]], %c1
  // CHECK: %[[FIRST:.+]] = arith.cmpi eq, %[[TURN]], %c0
  // CHECK: %[[LAST:.+]] = arith.cmpi eq, %[[NEXT]], %[[N]]
  // CHECK-NEXT: scf.if %[[LEADS]] {
  // CHECK-NEXT: %[[AWAITED:.+]] = arith.index_cast %[[TURN]] : index to i32
  // CHECK-NEXT: carousel.grid.serial_wait %[[S]][%[[I]]], %[[AWAITED]] label<barrier = "s turn"> :
  // CHECK-NEXT: }
  // CHECK-NEXT: %[[STORES:.+]] = arith.andi %[[FIRST]], %[[LEADS]] : i1
  // CHECK-NEXT: scf.if %[[STORES]] {
  // CHECK-NEXT: carousel.bulk.store
  // CHECK-NEXT: carousel.bulk.commit_group
  // CHECK-NEXT: }
  // CHECK-NEXT: scf.if %[[LEADS]] {
  // CHECK-NEXT: carousel.bulk.wait_group complete 0
  // CHECK-NEXT: %[[PASSED:.+]] = arith.select %[[LAST]], %c0, %[[NEXT]] : index
  // CHECK-NEXT: %[[RELEASED:.+]] = arith.index_cast %[[PASSED]] : index to i32
  // CHECK-NEXT: carousel.grid.serial_release %[[S]][%[[I]]], %[[RELEASED]] :
  // CHECK-NEXT: }
  // CHECK-NEXT: scf.if %[[LAST]] {
  // CHECK-NEXT: gpu.printf
  gpu.func @turn(%y: !g {carousel.argument = #carousel.argument<"y", inout>},
                 %s: !s {carousel.argument = #carousel.argument<"s", inout>}, %i: index, %turn: index, %n: index)
      workgroup(%a: !t) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %r = carousel.serialize %s[%i] turn %turn of %n (%first, %last) {
      scf.if %first {
        carousel.ring.submit {
          carousel.ring.store %a to %y[%i] in_bounds engine<bulk> : !t, !g
        }
      }
      carousel.ring.wait_stores complete 0
      carousel.pass_turn %last : i1
    } : !s -> i1
    scf.if %r {
      gpu.printf "last"
    }
    gpu.return
  }

  // Who is alone is the first and the last one.
  // CHECK-LABEL: gpu.func @only_turn(
  // CHECK: scf.if %{{.+}} {
  // CHECK-NEXT: carousel.grid.serial_wait %{{.+}}[%{{.+}}], %c0_i32 label
  // CHECK-NEXT: carousel.grid.serial_release %{{.+}}[%{{.+}}], %c0_i32 :
  gpu.func @only_turn(%s: !s, %i: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    carousel.serialize %s[%i] turn %c0 of %c1 (%first, %last) {
    } : !s
    gpu.return
  }

  // The role's first thread, and a barrier of the role.
  // CHECK-LABEL: gpu.func @roles(
  // CHECK: %[[LEADS:.+]] = arith.cmpi eq, %{{.+}}, %c0_i32
  // CHECK: } else {
  // CHECK: scf.if %[[LEADS]] {
  // CHECK: carousel.grid.serial_wait
  // CHECK: carousel.barrier.sync 1 threads(96)
  // CHECK-NEXT: scf.if %[[LEADS]] {
  // CHECK: carousel.grid.serial_release
  gpu.func @roles(%s: !s, %i: index, %turn: index, %n: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %ring = carousel.ring.create : !carousel.ring<1>
    carousel.ring.roles producer threads(32) {
    } consumer threads(96) {
      carousel.serialize %s[%i] turn %turn of %n (%first, %last) {
        carousel.ring.sync
      } : !s
    }
    gpu.return
  }

  // One thread draws; the others read what it has drawn, behind a barrier. The last ticket sets the counter to 0.
  // CHECK-LABEL: gpu.func @ticket(
  // CHECK-SAME: %[[C:.+]]: memref<?xi32, {{.+}}>, %{{.+}}: memref<1024xi32, {{.+}}>, %[[N:[^:]+]]: index, %[[I:[^:]+]]: index)
  // CHECK: %[[DRAWN:.+]] = memref.alloc() : memref<1xi32, #gpu.address_space<workgroup>>
  // CHECK-NEXT: scf.if %{{.+}} {
  // CHECK-NEXT: %[[NUMBER:.+]] = memref.atomic_rmw addi %c1_i32, %[[C]][%[[I]]]
  // CHECK-NEXT: %[[ALL:.+]] = arith.index_cast %[[N]]
  // CHECK-NEXT: %[[LAST:.+]] = arith.subi %[[ALL]], %c1_i32
  // CHECK-NEXT: %[[IS_LAST:.+]] = arith.cmpi eq, %[[NUMBER]], %[[LAST]]
  // CHECK-NEXT: scf.if %[[IS_LAST]] {
  // CHECK-NEXT: memref.atomic_rmw assign %c0_i32, %[[C]][%[[I]]]
  // CHECK-NEXT: }
  // CHECK-NEXT: memref.store %[[NUMBER]], %[[DRAWN]][%c0]
  // CHECK-NEXT: }
  // CHECK-NEXT: gpu.barrier
  // CHECK-NEXT: %[[LOADED:.+]] = memref.load %[[DRAWN]][%c0]
  // CHECK-NEXT: %[[TICKET:.+]] = arith.andi %[[LOADED]], %c2147483647_i32
  // CHECK-NEXT: memref.store %[[TICKET]]
  // CHECK-NEXT: gpu.return
  gpu.func @ticket(%c: !s, %d: memref<1024xi32, #gl>, %n: index, %i: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %ticket = carousel.grid.ticket %c[%i] of %n : !s
    %t = gpu.thread_id x
    %v = arith.index_cast %ticket : index to i32
    memref.store %v, %d[%t] : memref<1024xi32, #gl>
    gpu.return
  }

  // In a loop the next ticket is drawn when all have read this one. One outside has a place of its own.
  // CHECK-LABEL: gpu.func @tickets_in_loop(
  // CHECK-COUNT-2: memref.alloc() : memref<1xi32, #gpu.address_space<workgroup>>
  // CHECK: memref.atomic_rmw addi
  // CHECK: gpu.barrier
  // CHECK-NEXT: memref.load
  // CHECK-NOT: gpu.barrier
  // CHECK: scf.while
  // CHECK: memref.atomic_rmw addi
  // CHECK: gpu.barrier
  // CHECK-NEXT: memref.load
  // CHECK-NEXT: gpu.barrier
  // CHECK: gpu.return
  gpu.func @tickets_in_loop(%c: !s, %d: memref<1024xi32, #gl>, %n: index, %i: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %first = carousel.grid.ticket %c[%i] of %n : !s
    %end = scf.while (%at = %first) : (index) -> index {
      %goes_on = arith.cmpi ult, %at, %i : index
      scf.condition(%goes_on) %at : index
    } do {
    ^bb0(%at: index):
      %v = arith.index_cast %at : index to i32
      memref.store %v, %d[%t] : memref<1024xi32, #gl>
      %ticket = carousel.grid.ticket %c[%i] of %n : !s
      scf.yield %ticket : index
    }
    gpu.return
  }

  // Vectors of 16 bytes: what is in global memory stands on the left. What has 16 bits is added in 32, and rounded.
  // CHECK-LABEL: gpu.func @add_f32(
  // CHECK-SAME: %[[Y:.+]]: memref<?xf32, {{.+}}>, %{{.+}}: index) workgroup(%[[A:[^ ]+]] :
  // CHECK: %[[OWN:.+]] = vector.load %[[A]][{{.+}}] {alignment = 16 : i64} : {{.+}}, vector<4xf32>
  // CHECK-NEXT: %[[SUM:.+]] = vector.load %[[Y]][{{.+}}] {alignment = 16 : i64} : {{.+}}, vector<4xf32>
  // CHECK-NEXT: %[[NEW:.+]] = arith.addf %[[SUM]], %[[OWN]] : vector<4xf32>
  // CHECK-NEXT: vector.store %[[NEW]], %[[Y]][{{.+}}] {alignment = 16 : i64}
  gpu.func @add_f32(%y: memref<?xf32, #gl>, %i: index) workgroup(%a: memref<1024xf32, #ws>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    carousel.ring.submit {
      carousel.ring.store %a to %y[%i] in_bounds by_threads reduce<add f32> exclusive engine<vector, width = 16> : memref<1024xf32, #ws>, memref<?xf32, #gl>
    }
    gpu.return
  }

  // CHECK-LABEL: gpu.func @add_f16(
  // CHECK-SAME: %[[Y:.+]]: memref<?xf16, {{.+}}>, %{{.+}}: index) workgroup(%[[A:[^ ]+]] :
  // CHECK: %[[OWN:.+]] = vector.load %[[A]][{{.+}}] {alignment = 16 : i64} : {{.+}}, vector<8xf16>
  // CHECK-NEXT: %[[SUM:.+]] = vector.load %[[Y]][{{.+}}] {alignment = 16 : i64} : {{.+}}, vector<8xf16>
  // CHECK-NEXT: %[[LEFT:.+]] = arith.extf %[[SUM]] : vector<8xf16> to vector<8xf32>
  // CHECK-NEXT: %[[RIGHT:.+]] = arith.extf %[[OWN]] : vector<8xf16> to vector<8xf32>
  // CHECK-NEXT: %[[WIDE:.+]] = arith.addf %[[LEFT]], %[[RIGHT]] : vector<8xf32>
  // CHECK-NEXT: %[[NEW:.+]] = arith.truncf %[[WIDE]] : vector<8xf32> to vector<8xf16>
  // CHECK-NEXT: vector.store %[[NEW]], %[[Y]][{{.+}}] {alignment = 16 : i64}
  gpu.func @add_f16(%y: memref<?xf16, #gl>, %i: index) workgroup(%a: memref<1024xf16, #ws>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    carousel.ring.submit {
      carousel.ring.store %a to %y[%i] in_bounds by_threads reduce<add f16> exclusive engine<vector, width = 16> : memref<1024xf16, #ws>, memref<?xf16, #gl>
    }
    gpu.return
  }

  // CHECK-LABEL: gpu.func @add_bf16(
  // CHECK-SAME: %[[Y:.+]]: memref<?xbf16, {{.+}}>, %{{.+}}: index) workgroup(%[[A:[^ ]+]] :
  // CHECK: %[[OWN:.+]] = vector.load %[[A]][{{.+}}] {alignment = 16 : i64} : {{.+}}, vector<8xbf16>
  // CHECK-NEXT: %[[SUM:.+]] = vector.load %[[Y]][{{.+}}] {alignment = 16 : i64} : {{.+}}, vector<8xbf16>
  // CHECK-NEXT: %[[LEFT:.+]] = arith.extf %[[SUM]] : vector<8xbf16> to vector<8xf32>
  // CHECK-NEXT: %[[RIGHT:.+]] = arith.extf %[[OWN]] : vector<8xbf16> to vector<8xf32>
  // CHECK-NEXT: %[[WIDE:.+]] = arith.addf %[[LEFT]], %[[RIGHT]] : vector<8xf32>
  // CHECK-NEXT: %[[NEW:.+]] = arith.truncf %[[WIDE]] : vector<8xf32> to vector<8xbf16>
  // CHECK-NEXT: vector.store %[[NEW]], %[[Y]][{{.+}}] {alignment = 16 : i64}
  gpu.func @add_bf16(%y: memref<?xbf16, #gl>, %i: index) workgroup(%a: memref<1024xbf16, #ws>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    carousel.ring.submit {
      carousel.ring.store %a to %y[%i] in_bounds by_threads reduce<add bf16> exclusive engine<vector, width = 16> : memref<1024xbf16, #ws>, memref<?xbf16, #gl>
    }
    gpu.return
  }

  // CHECK-LABEL: gpu.func @min_bf16(
  // CHECK-SAME: %[[Y:.+]]: memref<?xbf16, {{.+}}>, %{{.+}}: index) workgroup(%[[A:[^ ]+]] :
  // CHECK: %[[OWN:.+]] = vector.load %[[A]][{{.+}}] {alignment = 16 : i64} : {{.+}}, vector<8xbf16>
  // CHECK-NEXT: %[[SUM:.+]] = vector.load %[[Y]][{{.+}}] {alignment = 16 : i64} : {{.+}}, vector<8xbf16>
  // CHECK-NEXT: %[[LEFT:.+]] = arith.extf %[[SUM]] : vector<8xbf16> to vector<8xf32>
  // CHECK-NEXT: %[[RIGHT:.+]] = arith.extf %[[OWN]] : vector<8xbf16> to vector<8xf32>
  // CHECK-NEXT: %[[WIDE:.+]] = arith.minnumf %[[LEFT]], %[[RIGHT]] : vector<8xf32>
  // CHECK-NEXT: %[[NEW:.+]] = arith.truncf %[[WIDE]] : vector<8xf32> to vector<8xbf16>
  // CHECK-NEXT: vector.store %[[NEW]], %[[Y]][{{.+}}] {alignment = 16 : i64}
  gpu.func @min_bf16(%y: memref<?xbf16, #gl>, %i: index) workgroup(%a: memref<1024xbf16, #ws>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    carousel.ring.submit {
      carousel.ring.store %a to %y[%i] in_bounds by_threads reduce<min bf16> exclusive engine<vector, width = 16> : memref<1024xbf16, #ws>, memref<?xbf16, #gl>
    }
    gpu.return
  }

  // CHECK-LABEL: gpu.func @max_f16(
  // CHECK-SAME: %[[Y:.+]]: memref<?xf16, {{.+}}>, %{{.+}}: index) workgroup(%[[A:[^ ]+]] :
  // CHECK: %[[OWN:.+]] = vector.load %[[A]][{{.+}}] {alignment = 16 : i64} : {{.+}}, vector<8xf16>
  // CHECK-NEXT: %[[SUM:.+]] = vector.load %[[Y]][{{.+}}] {alignment = 16 : i64} : {{.+}}, vector<8xf16>
  // CHECK-NEXT: %[[LEFT:.+]] = arith.extf %[[SUM]] : vector<8xf16> to vector<8xf32>
  // CHECK-NEXT: %[[RIGHT:.+]] = arith.extf %[[OWN]] : vector<8xf16> to vector<8xf32>
  // CHECK-NEXT: %[[WIDE:.+]] = arith.maxnumf %[[LEFT]], %[[RIGHT]] : vector<8xf32>
  // CHECK-NEXT: %[[NEW:.+]] = arith.truncf %[[WIDE]] : vector<8xf32> to vector<8xf16>
  // CHECK-NEXT: vector.store %[[NEW]], %[[Y]][{{.+}}] {alignment = 16 : i64}
  gpu.func @max_f16(%y: memref<?xf16, #gl>, %i: index) workgroup(%a: memref<1024xf16, #ws>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    carousel.ring.submit {
      carousel.ring.store %a to %y[%i] in_bounds by_threads reduce<max f16> exclusive engine<vector, width = 16> : memref<1024xf16, #ws>, memref<?xf16, #gl>
    }
    gpu.return
  }

  // CHECK-LABEL: gpu.func @add_f64(
  // CHECK-SAME: %[[Y:.+]]: memref<?xf64, {{.+}}>, %{{.+}}: index) workgroup(%[[A:[^ ]+]] :
  // CHECK: %[[OWN:.+]] = vector.load %[[A]][{{.+}}] {alignment = 16 : i64} : {{.+}}, vector<2xf64>
  // CHECK-NEXT: %[[SUM:.+]] = vector.load %[[Y]][{{.+}}] {alignment = 16 : i64} : {{.+}}, vector<2xf64>
  // CHECK-NEXT: %[[NEW:.+]] = arith.addf %[[SUM]], %[[OWN]] : vector<2xf64>
  // CHECK-NEXT: vector.store %[[NEW]], %[[Y]][{{.+}}] {alignment = 16 : i64}
  gpu.func @add_f64(%y: memref<?xf64, #gl>, %i: index) workgroup(%a: memref<1024xf64, #ws>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    carousel.ring.submit {
      carousel.ring.store %a to %y[%i] in_bounds by_threads reduce<add f64> exclusive engine<vector, width = 16> : memref<1024xf64, #ws>, memref<?xf64, #gl>
    }
    gpu.return
  }

  // CHECK-LABEL: gpu.func @add_s32(
  // CHECK-SAME: %[[Y:.+]]: memref<?xi32, {{.+}}>, %{{.+}}: index) workgroup(%[[A:[^ ]+]] :
  // CHECK: %[[OWN:.+]] = vector.load %[[A]][{{.+}}] {alignment = 16 : i64} : {{.+}}, vector<4xi32>
  // CHECK-NEXT: %[[SUM:.+]] = vector.load %[[Y]][{{.+}}] {alignment = 16 : i64} : {{.+}}, vector<4xi32>
  // CHECK-NEXT: %[[NEW:.+]] = arith.addi %[[SUM]], %[[OWN]] : vector<4xi32>
  // CHECK-NEXT: vector.store %[[NEW]], %[[Y]][{{.+}}] {alignment = 16 : i64}
  gpu.func @add_s32(%y: memref<?xi32, #gl>, %i: index) workgroup(%a: memref<1024xi32, #ws>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    carousel.ring.submit {
      carousel.ring.store %a to %y[%i] in_bounds by_threads reduce<add s32> exclusive engine<vector, width = 16> : memref<1024xi32, #ws>, memref<?xi32, #gl>
    }
    gpu.return
  }

  // CHECK-LABEL: gpu.func @min_s32(
  // CHECK-SAME: %[[Y:.+]]: memref<?xi32, {{.+}}>, %{{.+}}: index) workgroup(%[[A:[^ ]+]] :
  // CHECK: %[[OWN:.+]] = vector.load %[[A]][{{.+}}] {alignment = 16 : i64} : {{.+}}, vector<4xi32>
  // CHECK-NEXT: %[[SUM:.+]] = vector.load %[[Y]][{{.+}}] {alignment = 16 : i64} : {{.+}}, vector<4xi32>
  // CHECK-NEXT: %[[NEW:.+]] = arith.minsi %[[SUM]], %[[OWN]] : vector<4xi32>
  // CHECK-NEXT: vector.store %[[NEW]], %[[Y]][{{.+}}] {alignment = 16 : i64}
  gpu.func @min_s32(%y: memref<?xi32, #gl>, %i: index) workgroup(%a: memref<1024xi32, #ws>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    carousel.ring.submit {
      carousel.ring.store %a to %y[%i] in_bounds by_threads reduce<min s32> exclusive engine<vector, width = 16> : memref<1024xi32, #ws>, memref<?xi32, #gl>
    }
    gpu.return
  }

  // CHECK-LABEL: gpu.func @min_u32(
  // CHECK-SAME: %[[Y:.+]]: memref<?xi32, {{.+}}>, %{{.+}}: index) workgroup(%[[A:[^ ]+]] :
  // CHECK: %[[OWN:.+]] = vector.load %[[A]][{{.+}}] {alignment = 16 : i64} : {{.+}}, vector<4xi32>
  // CHECK-NEXT: %[[SUM:.+]] = vector.load %[[Y]][{{.+}}] {alignment = 16 : i64} : {{.+}}, vector<4xi32>
  // CHECK-NEXT: %[[NEW:.+]] = arith.minui %[[SUM]], %[[OWN]] : vector<4xi32>
  // CHECK-NEXT: vector.store %[[NEW]], %[[Y]][{{.+}}] {alignment = 16 : i64}
  gpu.func @min_u32(%y: memref<?xi32, #gl>, %i: index) workgroup(%a: memref<1024xi32, #ws>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    carousel.ring.submit {
      carousel.ring.store %a to %y[%i] in_bounds by_threads reduce<min u32> exclusive engine<vector, width = 16> : memref<1024xi32, #ws>, memref<?xi32, #gl>
    }
    gpu.return
  }

  // CHECK-LABEL: gpu.func @max_s64(
  // CHECK-SAME: %[[Y:.+]]: memref<?xi64, {{.+}}>, %{{.+}}: index) workgroup(%[[A:[^ ]+]] :
  // CHECK: %[[OWN:.+]] = vector.load %[[A]][{{.+}}] {alignment = 16 : i64} : {{.+}}, vector<2xi64>
  // CHECK-NEXT: %[[SUM:.+]] = vector.load %[[Y]][{{.+}}] {alignment = 16 : i64} : {{.+}}, vector<2xi64>
  // CHECK-NEXT: %[[NEW:.+]] = arith.maxsi %[[SUM]], %[[OWN]] : vector<2xi64>
  // CHECK-NEXT: vector.store %[[NEW]], %[[Y]][{{.+}}] {alignment = 16 : i64}
  gpu.func @max_s64(%y: memref<?xi64, #gl>, %i: index) workgroup(%a: memref<1024xi64, #ws>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    carousel.ring.submit {
      carousel.ring.store %a to %y[%i] in_bounds by_threads reduce<max s64> exclusive engine<vector, width = 16> : memref<1024xi64, #ws>, memref<?xi64, #gl>
    }
    gpu.return
  }

  // CHECK-LABEL: gpu.func @max_u64(
  // CHECK-SAME: %[[Y:.+]]: memref<?xi64, {{.+}}>, %{{.+}}: index) workgroup(%[[A:[^ ]+]] :
  // CHECK: %[[OWN:.+]] = vector.load %[[A]][{{.+}}] {alignment = 16 : i64} : {{.+}}, vector<2xi64>
  // CHECK-NEXT: %[[SUM:.+]] = vector.load %[[Y]][{{.+}}] {alignment = 16 : i64} : {{.+}}, vector<2xi64>
  // CHECK-NEXT: %[[NEW:.+]] = arith.maxui %[[SUM]], %[[OWN]] : vector<2xi64>
  // CHECK-NEXT: vector.store %[[NEW]], %[[Y]][{{.+}}] {alignment = 16 : i64}
  gpu.func @max_u64(%y: memref<?xi64, #gl>, %i: index) workgroup(%a: memref<1024xi64, #ws>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    carousel.ring.submit {
      carousel.ring.store %a to %y[%i] in_bounds by_threads reduce<max u64> exclusive engine<vector, width = 16> : memref<1024xi64, #ws>, memref<?xi64, #gl>
    }
    gpu.return
  }

  // CHECK-LABEL: gpu.func @and_b32(
  // CHECK-SAME: %[[Y:.+]]: memref<?xi32, {{.+}}>, %{{.+}}: index) workgroup(%[[A:[^ ]+]] :
  // CHECK: %[[OWN:.+]] = vector.load %[[A]][{{.+}}] {alignment = 16 : i64} : {{.+}}, vector<4xi32>
  // CHECK-NEXT: %[[SUM:.+]] = vector.load %[[Y]][{{.+}}] {alignment = 16 : i64} : {{.+}}, vector<4xi32>
  // CHECK-NEXT: %[[NEW:.+]] = arith.andi %[[SUM]], %[[OWN]] : vector<4xi32>
  // CHECK-NEXT: vector.store %[[NEW]], %[[Y]][{{.+}}] {alignment = 16 : i64}
  gpu.func @and_b32(%y: memref<?xi32, #gl>, %i: index) workgroup(%a: memref<1024xi32, #ws>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    carousel.ring.submit {
      carousel.ring.store %a to %y[%i] in_bounds by_threads reduce<and b32> exclusive engine<vector, width = 16> : memref<1024xi32, #ws>, memref<?xi32, #gl>
    }
    gpu.return
  }

  // CHECK-LABEL: gpu.func @or_b64(
  // CHECK-SAME: %[[Y:.+]]: memref<?xi64, {{.+}}>, %{{.+}}: index) workgroup(%[[A:[^ ]+]] :
  // CHECK: %[[OWN:.+]] = vector.load %[[A]][{{.+}}] {alignment = 16 : i64} : {{.+}}, vector<2xi64>
  // CHECK-NEXT: %[[SUM:.+]] = vector.load %[[Y]][{{.+}}] {alignment = 16 : i64} : {{.+}}, vector<2xi64>
  // CHECK-NEXT: %[[NEW:.+]] = arith.ori %[[SUM]], %[[OWN]] : vector<2xi64>
  // CHECK-NEXT: vector.store %[[NEW]], %[[Y]][{{.+}}] {alignment = 16 : i64}
  gpu.func @or_b64(%y: memref<?xi64, #gl>, %i: index) workgroup(%a: memref<1024xi64, #ws>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    carousel.ring.submit {
      carousel.ring.store %a to %y[%i] in_bounds by_threads reduce<or b64> exclusive engine<vector, width = 16> : memref<1024xi64, #ws>, memref<?xi64, #gl>
    }
    gpu.return
  }

  // CHECK-LABEL: gpu.func @xor_b32(
  // CHECK-SAME: %[[Y:.+]]: memref<?xi32, {{.+}}>, %{{.+}}: index) workgroup(%[[A:[^ ]+]] :
  // CHECK: %[[OWN:.+]] = vector.load %[[A]][{{.+}}] {alignment = 16 : i64} : {{.+}}, vector<4xi32>
  // CHECK-NEXT: %[[SUM:.+]] = vector.load %[[Y]][{{.+}}] {alignment = 16 : i64} : {{.+}}, vector<4xi32>
  // CHECK-NEXT: %[[NEW:.+]] = arith.xori %[[SUM]], %[[OWN]] : vector<4xi32>
  // CHECK-NEXT: vector.store %[[NEW]], %[[Y]][{{.+}}] {alignment = 16 : i64}
  gpu.func @xor_b32(%y: memref<?xi32, #gl>, %i: index) workgroup(%a: memref<1024xi32, #ws>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    carousel.ring.submit {
      carousel.ring.store %a to %y[%i] in_bounds by_threads reduce<xor b32> exclusive engine<vector, width = 16> : memref<1024xi32, #ws>, memref<?xi32, #gl>
    }
    gpu.return
  }

  // What wraps compares with the bound, which the tile has.
  // CHECK-LABEL: gpu.func @inc_u32(
  // CHECK-DAG: %[[ZERO:.+]] = arith.constant dense<0> : vector<4xi32>
  // CHECK-DAG: %[[ONE:.+]] = arith.constant dense<1> : vector<4xi32>
  // CHECK: %[[BOUND:.+]] = vector.load %arg2
  // CHECK-NEXT: %[[OLD:.+]] = vector.load %arg0
  // CHECK-NEXT: %[[NEXT:.+]] = arith.addi %[[OLD]], %[[ONE]]
  // CHECK-NEXT: %[[WRAPS:.+]] = arith.cmpi uge, %[[OLD]], %[[BOUND]]
  // CHECK-NEXT: %[[NEW:.+]] = arith.select %[[WRAPS]], %[[ZERO]], %[[NEXT]]
  // CHECK-NEXT: vector.store %[[NEW]], %arg0
  gpu.func @inc_u32(%y: memref<?xi32, #gl>, %i: index) workgroup(%a: memref<1024xi32, #ws>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    carousel.ring.submit {
      carousel.ring.store %a to %y[%i] in_bounds by_threads reduce<inc u32> exclusive engine<vector, width = 16> : memref<1024xi32, #ws>, memref<?xi32, #gl>
    }
    gpu.return
  }

  // CHECK-LABEL: gpu.func @dec_u32(
  // CHECK-DAG: %[[ZERO:.+]] = arith.constant dense<0> : vector<4xi32>
  // CHECK: %[[BOUND:.+]] = vector.load %arg2
  // CHECK-NEXT: %[[OLD:.+]] = vector.load %arg0
  // CHECK-NEXT: %[[NEXT:.+]] = arith.{{(subi|addi)}} %[[OLD]], %{{.+}}
  // CHECK-NEXT: %[[IS_ZERO:.+]] = arith.cmpi eq, %[[OLD]], %[[ZERO]]
  // CHECK-NEXT: %[[IS_ABOVE:.+]] = arith.cmpi ugt, %[[OLD]], %[[BOUND]]
  // CHECK-NEXT: %[[WRAPS:.+]] = arith.ori %[[IS_ZERO]], %[[IS_ABOVE]]
  // CHECK-NEXT: %[[NEW:.+]] = arith.select %[[WRAPS]], %[[BOUND]], %[[NEXT]]
  // CHECK-NEXT: vector.store %[[NEW]], %arg0
  gpu.func @dec_u32(%y: memref<?xi32, #gl>, %i: index) workgroup(%a: memref<1024xi32, #ws>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    carousel.ring.submit {
      carousel.ring.store %a to %y[%i] in_bounds by_threads reduce<dec u32> exclusive engine<vector, width = 16> : memref<1024xi32, #ws>, memref<?xi32, #gl>
    }
    gpu.return
  }

  // At a ragged end, element by element: elements outside are left alone.
  // CHECK-LABEL: gpu.func @ragged(
  // CHECK: %[[IS_INSIDE:.+]] = arith.cmpi sle
  // CHECK: scf.if %[[IS_INSIDE]] {
  // CHECK-NEXT: %[[OWN:.+]] = memref.load %arg2
  // CHECK-NEXT: %[[SUM:.+]] = memref.load %arg0
  // CHECK-NEXT: %[[LEFT:.+]] = arith.extf %[[SUM]] : f16 to f32
  // CHECK-NEXT: %[[RIGHT:.+]] = arith.extf %[[OWN]] : f16 to f32
  // CHECK-NEXT: %[[WIDE:.+]] = arith.addf %[[LEFT]], %[[RIGHT]] : f32
  // CHECK-NEXT: %[[NEW:.+]] = arith.truncf %[[WIDE]] : f32 to f16
  // CHECK-NEXT: memref.store %[[NEW]], %arg0
  gpu.func @ragged(%y: memref<?xf16, #gl>, %i: index) workgroup(%a: memref<1024xf16, #ws>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    carousel.ring.submit {
      carousel.ring.store %a to %y[%i] by_threads reduce<add f16> exclusive engine<vector, width = 2> : memref<1024xf16, #ws>, memref<?xf16, #gl>
    }
    gpu.return
  }

  // Nothing is promised: atomics.
  // CHECK-LABEL: gpu.func @shared_box(
  // CHECK: memref.atomic_rmw addf
  gpu.func @shared_box(%y: !g, %i: index) workgroup(%a: !t) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    carousel.ring.submit {
      carousel.ring.store %a to %y[%i] in_bounds by_threads reduce<add f32> engine<vector, width = 4> : !t, !g
    }
    gpu.return
  }

  // An engine reduces what it can; at the end of the row its warp does, alone with the box.
  // CHECK-LABEL: gpu.func @exclusive_engine(
  // CHECK: carousel.bulk.reduce add f32
  // CHECK: carousel.bulk.reduce add f32
  // CHECK: carousel.bulk.commit_group
  // CHECK: scf.for
  // CHECK-NOT: atomic
  // CHECK: arith.addf
  // CHECK-NEXT: memref.store %{{.+}}, %arg0
  // CHECK: carousel.barrier.warp
  gpu.func @exclusive_engine(%y: !g {carousel.argument = #carousel.argument<"y", inout>}, %i: index) workgroup(%a: !t) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    carousel.ring.submit {
      carousel.ring.store %a to %y[%i] reduce<add f32> exclusive engine<bulk> : !t, !g
    }
    gpu.return
  }

  // Loads that reduce store to the tile.
  // CHECK-LABEL: gpu.func @load(
  // CHECK: %[[SUM:.+]] = vector.load %arg0[{{.+}}] {alignment = 16 : i64} : {{.+}}, vector<4xf32>
  // CHECK-NEXT: %[[OWN:.+]] = vector.load %arg3[{{.+}}] {alignment = 16 : i64} : {{.+}}, vector<4xf32>
  // CHECK-NEXT: %[[NEW:.+]] = arith.addf %[[SUM]], %[[OWN]] : vector<4xf32>
  // CHECK-NEXT: vector.store %[[NEW]], %arg3[{{.+}}] {alignment = 16 : i64}
  gpu.func @load(%y: !g, %i: index, %k: index) workgroup(%a: !t) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %r = carousel.ring.create : !carousel.ring<1>
    carousel.ring.produce %r[%k] : !carousel.ring<1> {
      carousel.ring.load %y[%i] to %a in_bounds by_threads reduce<add f32> engine<vector, width = 16> : !g, !t
    }
    carousel.ring.wait %r[%k] : !carousel.ring<1>
    gpu.return
  }

  // What is outside becomes zero, whatever the tile had.
  // CHECK-LABEL: gpu.func @ragged_load(
  // CHECK: %[[NEW:.+]] = scf.if %{{.+}} -> (bf16) {
  // CHECK-NEXT: %[[SUM:.+]] = memref.load %arg0
  // CHECK-NEXT: %[[OWN:.+]] = memref.load %arg3
  // CHECK-NEXT: %[[LEFT:.+]] = arith.extf %[[SUM]] : bf16 to f32
  // CHECK-NEXT: %[[RIGHT:.+]] = arith.extf %[[OWN]] : bf16 to f32
  // CHECK-NEXT: %[[WIDE:.+]] = arith.addf %[[LEFT]], %[[RIGHT]] : f32
  // CHECK-NEXT: %[[ROUNDED:.+]] = arith.truncf %[[WIDE]] : f32 to bf16
  // CHECK-NEXT: scf.yield %[[ROUNDED]]
  // CHECK-NEXT: } else {
  // CHECK-NEXT: scf.yield %cst
  // CHECK-NEXT: }
  // CHECK-NEXT: memref.store %[[NEW]], %arg3
  gpu.func @ragged_load(%y: memref<?xbf16, #gl>, %i: index, %k: index) workgroup(%a: memref<1024xbf16, #ws>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %r = carousel.ring.create : !carousel.ring<1>
    carousel.ring.produce %r[%k] : !carousel.ring<1> {
      carousel.ring.load %y[%i] to %a by_threads reduce<add bf16> engine<vector, width = 2> : memref<?xbf16, #gl>, memref<1024xbf16, #ws>
    }
    carousel.ring.wait %r[%k] : !carousel.ring<1>
    gpu.return
  }
}
