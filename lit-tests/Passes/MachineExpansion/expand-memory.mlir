// carousel-expand-memory: copies become loops over elements, and atomics with a region become loops around a compare-and-swap.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-expand-memory))' | FileCheck %s
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-expand-memory,carousel-expand-memory))' | FileCheck %s

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

gpu.module @kernels {
  // The extent that one of the two knows, else that of the source.
  // CHECK-LABEL: gpu.func @copies
  // CHECK-SAME: (%[[X:.+]]: memref<?x4x?xf32, strided<[?, ?, ?], offset: ?>, #gpu.address_space<global>>, %[[Y:.+]]: memref<8x4x?xf32
  // CHECK-DAG: %[[C0:.+]] = arith.constant 0 : index
  // CHECK-DAG: %[[C1:.+]] = arith.constant 1 : index
  // CHECK-DAG: %[[C2:.+]] = arith.constant 2 : index
  // CHECK-DAG: %[[C4:.+]] = arith.constant 4 : index
  // CHECK-DAG: %[[C8:.+]] = arith.constant 8 : index
  // CHECK-DAG: %[[N:.+]] = memref.dim %{{.+}}, %[[C2]]
  // CHECK: scf.for %[[I:.+]] = %[[C0]] to %[[C8]] step %[[C1]]
  // CHECK: scf.for %[[J:.+]] = %[[C0]] to %[[C4]] step %[[C1]]
  // CHECK: scf.for %[[K:.+]] = %[[C0]] to %[[N]] step %[[C1]]
  // CHECK: %[[V:.+]] = memref.load %[[X]][%[[I]], %[[J]], %[[K]]]
  // CHECK: memref.store %[[V]], %[[Y]][%[[I]], %[[J]], %[[K]]]
  // CHECK-NOT: memref.copy
  // CHECK: gpu.return
  // DOC-EXAMPLE: --carousel-expand-memory
  gpu.func @copies(%x: memref<?x4x?xf32, strided<[?, ?, ?], offset: ?>, #gl>, %y: memref<8x4x?xf32, #ws>) kernel {
    memref.copy %x, %y : memref<?x4x?xf32, strided<[?, ?, ?], offset: ?>, #gl> to memref<8x4x?xf32, #ws>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @element
  // CHECK-NOT: scf.for
  // CHECK: memref.load %{{.+}}[] : memref<bf16>
  // CHECK: memref.store
  gpu.func @element(%x: memref<bf16>, %y: memref<bf16>) kernel {
    memref.copy %x, %y : memref<bf16> to memref<bf16>
    gpu.return
  }

  // Bits are compared, and the region stands in the loop, whatever it holds.
  // CHECK-LABEL: gpu.func @atomic
  // CHECK-SAME: (%[[X:.+]]: memref<8xf32, #gpu.address_space<global>>, %[[I:.+]]: index, %[[V:.+]]: f32, %[[P:.+]]: i1)
  // CHECK: %[[FIRST:.+]] = memref.generic_atomic_rmw %[[X]][%[[I]]]
  // CHECK-NEXT: ^bb0(%[[NOW:.+]]: f32):
  // CHECK-NEXT: memref.atomic_yield %[[NOW]] : f32
  // CHECK: %[[OLD:.+]] = scf.while (%[[SEEN:.+]] = %[[FIRST]]) : (f32) -> f32 {
  // CHECK: %[[SUM:.+]] = arith.addf %[[SEEN]], %[[V]]
  // CHECK: %[[NEXT:.+]] = scf.if %[[P]]
  // CHECK: %[[BITS:.+]] = arith.bitcast %[[SEEN]] : f32 to i32
  // CHECK: %[[WAS:.+]] = memref.generic_atomic_rmw %[[X]][%[[I]]]
  // CHECK-NEXT: ^bb0(%[[THERE:.+]]: f32):
  // CHECK-NEXT: %[[THEREBITS:.+]] = arith.bitcast %[[THERE]] : f32 to i32
  // CHECK-NEXT: %[[ISSEEN:.+]] = arith.cmpi eq, %[[THEREBITS]], %[[BITS]] : i32
  // CHECK-NEXT: %[[LEFT:.+]] = arith.select %[[ISSEEN]], %[[NEXT]], %[[THERE]] : f32
  // CHECK-NEXT: memref.atomic_yield %[[LEFT]] : f32
  // CHECK: %[[WASBITS:.+]] = arith.bitcast %[[WAS]] : f32 to i32
  // CHECK: %[[AGAIN:.+]] = arith.cmpi ne, %[[WASBITS]], %[[BITS]] : i32
  // CHECK: scf.condition(%[[AGAIN]]) %[[WAS]] : f32
  // CHECK: memref.store %[[OLD]]
  gpu.func @atomic(%x: memref<8xf32, #gl>, %i: index, %v: f32, %p: i1) kernel {
    %old = memref.generic_atomic_rmw %x[%i] : memref<8xf32, #gl> {
    ^bb0(%now: f32):
      %sum = arith.addf %now, %v : f32
      %next = scf.if %p -> (f32) {
        scf.yield %sum : f32
      } else {
        scf.yield %now : f32
      }
      memref.atomic_yield %next : f32
    }
    memref.store %old, %x[%i] : memref<8xf32, #gl>
    gpu.return
  }

  // No hardware swaps elements of other widths.
  // CHECK-LABEL: gpu.func @odd
  // CHECK-NOT: scf.while
  // CHECK: gpu.return
  gpu.func @odd(%x: memref<8xi24, #gl>, %i: index, %v: i24) kernel {
    %old = memref.generic_atomic_rmw %x[%i] : memref<8xi24, #gl> {
    ^bb0(%now: i24):
      %sum = arith.addi %now, %v : i24
      memref.atomic_yield %sum : i24
    }
    gpu.return
  }

  // A transfer gets the mask around it, and a select the passthru.
  // CHECK-LABEL: gpu.func @masked
  // CHECK-SAME: (%[[X:.+]]: memref<?xf32, {{.*}}>, %[[M:.+]]: vector<4xi1>, %[[P:.+]]: vector<4xf32>)
  gpu.func @masked(%x: memref<?xf32, #gpu.address_space<global>>, %m: vector<4xi1>, %p: vector<4xf32>) kernel {
    %c0 = arith.constant 0 : index
    %f0 = arith.constant 0.0 : f32
    // CHECK: %[[V:.+]] = vector.transfer_read %[[X]]{{.*}}, %[[M]]
    // CHECK: %[[S:.+]] = arith.select %[[M]], %[[V]], %[[P]]
    %v = vector.mask %m, %p { vector.transfer_read %x[%c0], %f0 : memref<?xf32, #gpu.address_space<global>>, vector<4xf32> } : vector<4xi1> -> vector<4xf32>
    // CHECK: vector.transfer_write %[[S]], %[[X]]{{.*}}, %[[M]]
    vector.mask %m { vector.transfer_write %v, %x[%c0] : vector<4xf32>, memref<?xf32, #gpu.address_space<global>> } : vector<4xi1>
    gpu.return
  }
}
