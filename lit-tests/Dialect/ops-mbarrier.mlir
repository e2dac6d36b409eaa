// Round trip of every mbarrier op in every form, pretty and generic.
// RUN: carousel-opt %s | carousel-opt | FileCheck %s
// RUN: carousel-opt %s --mlir-print-op-generic | carousel-opt | FileCheck %s

#ws = #gpu.address_space<workgroup>
#cluster = #nvvm.memory_space<shared_cluster>

// CHECK-LABEL: func @init
// CHECK-SAME: (%[[FULL:.+]]: memref<4x!carousel.mbarrier, {{.+}}>, %[[ONE:.+]]: memref<!carousel.mbarrier, {{.+}}>, %[[SLOT:.+]]: index, %[[COUNT:.+]]: i32)
// DOC-EXAMPLE: carousel.mbarrier.init
func.func @init(%full: memref<4x!carousel.mbarrier, #ws>, %one: memref<!carousel.mbarrier, #ws>,
                %slot: index, %count: i32) {
  // CHECK: carousel.mbarrier.init %[[FULL]][%[[SLOT]]], 1 : memref<4x!carousel.mbarrier, #gpu.address_space<workgroup>>
  carousel.mbarrier.init %full[%slot], 1
      : memref<4x!carousel.mbarrier, #gpu.address_space<workgroup>>
  // CHECK: carousel.mbarrier.init %[[FULL]][%[[SLOT]]], %[[COUNT]] :
  carousel.mbarrier.init %full[%slot], %count : memref<4x!carousel.mbarrier, #ws>
  // CHECK: carousel.mbarrier.init %[[ONE]][], 1048575 : memref<!carousel.mbarrier,
  carousel.mbarrier.init %one[], 1048575 : memref<!carousel.mbarrier, #ws>
  return
}

// CHECK-LABEL: func @inval
// DOC-EXAMPLE: carousel.mbarrier.inval
func.func @inval(%full: memref<4x!carousel.mbarrier, #ws>, %slot: index) {
  // CHECK: carousel.mbarrier.inval %{{.+}}[%{{.+}}] : memref<4x!carousel.mbarrier, #gpu.address_space<workgroup>>
  carousel.mbarrier.inval %full[%slot]
      : memref<4x!carousel.mbarrier, #gpu.address_space<workgroup>>
  return
}

// CHECK-LABEL: func @transactions
// CHECK-SAME: (%[[FULL:.+]]: memref<4x{{[^:]+}}, %[[PEER:.+]]: memref<4x{{[^:]+}}, %[[SLOT:.+]]: index, %[[BYTES:.+]]: i32)
// DOC-EXAMPLE: carousel.mbarrier.complete_tx, carousel.mbarrier.expect_tx
func.func @transactions(%full: memref<4x!carousel.mbarrier, #ws>,
                        %peer_full: memref<4x!carousel.mbarrier, #cluster>, %slot: index,
                        %bytes: i32) {
  // CHECK: carousel.mbarrier.expect_tx %[[FULL]][%[[SLOT]]], 8192 : memref
  carousel.mbarrier.expect_tx %full[%slot], 8192
      : memref<4x!carousel.mbarrier, #gpu.address_space<workgroup>>
  // CHECK: carousel.mbarrier.expect_tx %[[PEER]][%[[SLOT]]], 0 scope(cluster) : memref<4x!carousel.mbarrier, #nvvm.memory_space<shared_cluster>>
  carousel.mbarrier.expect_tx %peer_full[%slot], 0 scope(cluster)
      : memref<4x!carousel.mbarrier, #cluster>
  // The default is not printed.
  // CHECK: carousel.mbarrier.expect_tx %[[FULL]][%[[SLOT]]], %[[BYTES]] : memref
  carousel.mbarrier.expect_tx %full[%slot], %bytes scope(cta) : memref<4x!carousel.mbarrier, #ws>
  // CHECK: carousel.mbarrier.complete_tx %[[FULL]][%[[SLOT]]], %[[BYTES]] scope(cluster) : memref
  carousel.mbarrier.complete_tx %full[%slot], %bytes scope(cluster)
      : memref<4x!carousel.mbarrier, #gpu.address_space<workgroup>>
  // CHECK: carousel.mbarrier.complete_tx %[[PEER]][%[[SLOT]]], 1048575 : memref
  carousel.mbarrier.complete_tx %peer_full[%slot], 1048575 : memref<4x!carousel.mbarrier, #cluster>
  return
}

// CHECK-LABEL: func @arrive
// CHECK-SAME: (%[[FULL:.+]]: memref<4x{{[^:]+}}, %[[PEER:.+]]: memref<4x{{[^:]+}}, %[[SLOT:.+]]: index, %[[COUNT:.+]]: i32)
// DOC-EXAMPLE: carousel.mbarrier.arrive
func.func @arrive(%full: memref<4x!carousel.mbarrier, #ws>,
                  %peer_full: memref<4x!carousel.mbarrier, #cluster>, %slot: index, %count: i32) {
  // CHECK: %{{.+}} = carousel.mbarrier.arrive %[[FULL]][%[[SLOT]]] : memref<4x!carousel.mbarrier, #gpu.address_space<workgroup>> -> !carousel.mbarrier_state
  %state = carousel.mbarrier.arrive %full[%slot]
      : memref<4x!carousel.mbarrier, #gpu.address_space<workgroup>> -> !carousel.mbarrier_state
  // CHECK: carousel.mbarrier.arrive %[[FULL]][%[[SLOT]]], 2 : memref
  carousel.mbarrier.arrive %full[%slot], 2 : memref<4x!carousel.mbarrier, #ws>
  // CHECK: carousel.mbarrier.arrive %[[PEER]][%[[SLOT]]], %[[COUNT]] scope(cluster) : memref
  carousel.mbarrier.arrive %peer_full[%slot], %count scope(cluster)
      : memref<4x!carousel.mbarrier, #cluster>
  // CHECK: carousel.mbarrier.arrive %[[FULL]][%[[SLOT]]] semantics(relaxed) : memref
  carousel.mbarrier.arrive %full[%slot] semantics(relaxed) : memref<4x!carousel.mbarrier, #ws>
  // CHECK: carousel.mbarrier.arrive %[[FULL]][%[[SLOT]]] semantics(relaxed) scope(cluster) : memref
  carousel.mbarrier.arrive %full[%slot] semantics(relaxed) scope(cluster)
      : memref<4x!carousel.mbarrier, #ws>
  // CHECK: carousel.mbarrier.arrive %[[FULL]][%[[SLOT]]] : memref
  carousel.mbarrier.arrive %full[%slot] semantics(release) scope(cta)
      : memref<4x!carousel.mbarrier, #ws>
  // CHECK: %{{.+}} = carousel.mbarrier.arrive %[[FULL]][%[[SLOT]]], 1 no_complete : memref
  %early = carousel.mbarrier.arrive %full[%slot], 1 no_complete
      : memref<4x!carousel.mbarrier, #ws> -> !carousel.mbarrier_state
  return
}

// CHECK-LABEL: func @arrive_drop
// CHECK-SAME: (%[[EMPTY:.+]]: memref<4x{{[^:]+}}, %[[PEER:.+]]: memref<4x{{[^:]+}}, %[[SLOT:.+]]: index, %[[COUNT:.+]]: i32)
// DOC-EXAMPLE: carousel.mbarrier.arrive_drop
func.func @arrive_drop(%empty: memref<4x!carousel.mbarrier, #ws>,
                       %peer_empty: memref<4x!carousel.mbarrier, #cluster>, %slot: index,
                       %count: i32) {
  // CHECK: carousel.mbarrier.arrive_drop %[[EMPTY]][%[[SLOT]]], 2 : memref
  carousel.mbarrier.arrive_drop %empty[%slot], 2
      : memref<4x!carousel.mbarrier, #gpu.address_space<workgroup>>
  // CHECK: %{{.+}} = carousel.mbarrier.arrive_drop %[[EMPTY]][%[[SLOT]]] semantics(relaxed) scope(cluster) : {{.+}} -> !carousel.mbarrier_state
  %state = carousel.mbarrier.arrive_drop %empty[%slot] semantics(relaxed) scope(cluster)
      : memref<4x!carousel.mbarrier, #ws> -> !carousel.mbarrier_state
  // CHECK: carousel.mbarrier.arrive_drop %[[PEER]][%[[SLOT]]], %[[COUNT]] scope(cluster) : memref
  carousel.mbarrier.arrive_drop %peer_empty[%slot], %count scope(cluster)
      : memref<4x!carousel.mbarrier, #cluster>
  // CHECK: carousel.mbarrier.arrive_drop %[[EMPTY]][%[[SLOT]]], %[[COUNT]] no_complete : memref
  carousel.mbarrier.arrive_drop %empty[%slot], %count no_complete
      : memref<4x!carousel.mbarrier, #ws>
  return
}

// CHECK-LABEL: func @arrive_expect_tx
// CHECK-SAME: (%[[FULL:.+]]: memref<4x{{[^:]+}}, %[[PEER:.+]]: memref<4x{{[^:]+}}, %[[SLOT:.+]]: index, %[[BYTES:.+]]: i32)
// DOC-EXAMPLE: carousel.mbarrier.arrive_drop_expect_tx, carousel.mbarrier.arrive_expect_tx
func.func @arrive_expect_tx(%full: memref<4x!carousel.mbarrier, #ws>,
                            %peer_full: memref<4x!carousel.mbarrier, #cluster>, %slot: index,
                            %bytes: i32) {
  // CHECK: carousel.mbarrier.arrive_expect_tx %[[FULL]][%[[SLOT]]], 8192 : memref
  carousel.mbarrier.arrive_expect_tx %full[%slot], 8192
      : memref<4x!carousel.mbarrier, #gpu.address_space<workgroup>>
  // CHECK: %{{.+}} = carousel.mbarrier.arrive_expect_tx %[[FULL]][%[[SLOT]]], %[[BYTES]] semantics(relaxed) scope(cluster) : {{.+}} -> !carousel.mbarrier_state
  %state = carousel.mbarrier.arrive_expect_tx %full[%slot], %bytes semantics(relaxed) scope(cluster)
      : memref<4x!carousel.mbarrier, #ws> -> !carousel.mbarrier_state
  // CHECK: carousel.mbarrier.arrive_expect_tx %[[PEER]][%[[SLOT]]], 0 scope(cluster) : memref
  carousel.mbarrier.arrive_expect_tx %peer_full[%slot], 0 scope(cluster)
      : memref<4x!carousel.mbarrier, #cluster>
  // CHECK: carousel.mbarrier.arrive_drop_expect_tx %[[FULL]][%[[SLOT]]], 8192 : memref
  carousel.mbarrier.arrive_drop_expect_tx %full[%slot], 8192
      : memref<4x!carousel.mbarrier, #gpu.address_space<workgroup>>
  // CHECK: %{{.+}} = carousel.mbarrier.arrive_drop_expect_tx %[[FULL]][%[[SLOT]]], %[[BYTES]] semantics(relaxed) : {{.+}} -> !carousel.mbarrier_state
  %last = carousel.mbarrier.arrive_drop_expect_tx %full[%slot], %bytes semantics(relaxed)
      : memref<4x!carousel.mbarrier, #ws> -> !carousel.mbarrier_state
  // CHECK: carousel.mbarrier.arrive_drop_expect_tx %[[PEER]][%[[SLOT]]], 16 scope(cluster) : memref
  carousel.mbarrier.arrive_drop_expect_tx %peer_full[%slot], 16 scope(cluster)
      : memref<4x!carousel.mbarrier, #cluster>
  return
}

// CHECK-LABEL: func @pending_count
// CHECK-SAME: (%[[STATE:.+]]: !carousel.mbarrier_state)
// DOC-EXAMPLE: carousel.mbarrier.pending_count
func.func @pending_count(%state: !carousel.mbarrier_state) -> i32 {
  // CHECK: %[[COUNT:.+]] = carousel.mbarrier.pending_count %[[STATE]]
  %count = carousel.mbarrier.pending_count %state
  // CHECK: return %[[COUNT]] : i32
  return %count : i32
}

// CHECK-LABEL: func @test_wait
// CHECK-SAME: (%[[FULL:.+]]: memref<4x{{[^:]+}}, %[[SLOT:.+]]: index, %[[PARITY:.+]]: i1, %[[STATE:.+]]: !carousel.mbarrier_state)
// DOC-EXAMPLE: carousel.mbarrier.test_wait
func.func @test_wait(%full: memref<4x!carousel.mbarrier, #ws>, %slot: index, %parity: i1,
                     %state: !carousel.mbarrier_state) {
  // CHECK: %{{.+}} = carousel.mbarrier.test_wait %[[FULL]][%[[SLOT]]] parity %[[PARITY]] : memref
  %done = carousel.mbarrier.test_wait %full[%slot] parity %parity
      : memref<4x!carousel.mbarrier, #gpu.address_space<workgroup>>
  // CHECK: carousel.mbarrier.test_wait %[[FULL]][%[[SLOT]]] state %[[STATE]] semantics(relaxed) scope(cluster) : memref
  %0 = carousel.mbarrier.test_wait %full[%slot] state %state semantics(relaxed) scope(cluster)
      : memref<4x!carousel.mbarrier, #ws>
  // CHECK: carousel.mbarrier.test_wait %[[FULL]][%[[SLOT]]] state %[[STATE]] : memref
  %1 = carousel.mbarrier.test_wait %full[%slot] state %state semantics(acquire) scope(cta)
      : memref<4x!carousel.mbarrier, #ws>
  return
}

// CHECK-LABEL: func @try_wait
// CHECK-SAME: (%[[FULL:.+]]: memref<4x{{[^:]+}}, %[[SLOT:.+]]: index, %[[PARITY:.+]]: i1, %[[STATE:.+]]: !carousel.mbarrier_state, %[[NS:.+]]: i32)
// DOC-EXAMPLE: carousel.mbarrier.try_wait
func.func @try_wait(%full: memref<4x!carousel.mbarrier, #ws>, %slot: index, %parity: i1,
                    %state: !carousel.mbarrier_state, %ns: i32) {
  // CHECK: %{{.+}} = carousel.mbarrier.try_wait %[[FULL]][%[[SLOT]]] parity %[[PARITY]] suspend %[[NS]] : memref
  %done = carousel.mbarrier.try_wait %full[%slot] parity %parity suspend %ns
      : memref<4x!carousel.mbarrier, #gpu.address_space<workgroup>>
  // CHECK: carousel.mbarrier.try_wait %[[FULL]][%[[SLOT]]] state %[[STATE]] : memref
  %0 = carousel.mbarrier.try_wait %full[%slot] state %state : memref<4x!carousel.mbarrier, #ws>
  // CHECK: carousel.mbarrier.try_wait %[[FULL]][%[[SLOT]]] state %[[STATE]] suspend %[[NS]] semantics(relaxed) scope(cluster) : memref
  %1 = carousel.mbarrier.try_wait %full[%slot] state %state suspend %ns semantics(relaxed)
      scope(cluster) : memref<4x!carousel.mbarrier, #ws>
  return
}

// CHECK-LABEL: func @wait
// CHECK-SAME: (%[[FULL:.+]]: memref<4x{{[^:]+}}, %[[SLOT:.+]]: index, %[[PARITY:.+]]: i1, %[[STATE:.+]]: !carousel.mbarrier_state, %[[NS:.+]]: i32)
// DOC-EXAMPLE: carousel.mbarrier.wait
func.func @wait(%full: memref<4x!carousel.mbarrier, #ws>, %slot: index, %parity: i1,
                %state: !carousel.mbarrier_state, %ns: i32) {
  // CHECK: carousel.mbarrier.wait %[[FULL]][%[[SLOT]]] parity %[[PARITY]] : memref
  carousel.mbarrier.wait %full[%slot] parity %parity
      : memref<4x!carousel.mbarrier, #gpu.address_space<workgroup>>
  // CHECK: carousel.mbarrier.wait %[[FULL]][%[[SLOT]]] state %[[STATE]] suspend %[[NS]] : memref
  carousel.mbarrier.wait %full[%slot] state %state suspend %ns
      : memref<4x!carousel.mbarrier, #ws>
  // CHECK: carousel.mbarrier.wait %[[FULL]][%[[SLOT]]] parity %[[PARITY]] semantics(relaxed) scope(cluster) : memref
  carousel.mbarrier.wait %full[%slot] parity %parity semantics(relaxed) scope(cluster)
      : memref<4x!carousel.mbarrier, #ws>
  // CHECK: carousel.mbarrier.wait %[[FULL]][%[[SLOT]]] parity %[[PARITY]] label<barrier = "x full", role = consumer> : memref
  carousel.mbarrier.wait %full[%slot] parity %parity label<barrier = "x full", role = consumer>
      : memref<4x!carousel.mbarrier, #gpu.address_space<workgroup>>
  // CHECK: carousel.mbarrier.wait %[[FULL]][%[[SLOT]]] state %[[STATE]] suspend %[[NS]] scope(cluster) label<barrier = "full", number = 7> : memref
  carousel.mbarrier.wait %full[%slot] state %state suspend %ns scope(cluster)
      label<barrier = "full", role = all, number = 7> : memref<4x!carousel.mbarrier, #ws>
  return
}
