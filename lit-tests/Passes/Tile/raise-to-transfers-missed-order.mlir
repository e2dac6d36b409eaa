// Copies that carousel-raise-to-transfers leaves as they are, and the remark that says why: control flow, or
// something between the parts of the copy.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-raise-to-transfers))' --remarks-filter-missed=carousel-raise-to-transfers --verify-diagnostics --split-input-file | FileCheck %s --implicit-check-not=carousel.load --implicit-check-not=carousel.store

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!x1 = memref<?xf32, #gl>
!t1 = memref<128xf32, #ws>

// One warp copies, as far as a run-time value says.
// CHECK-LABEL: gpu.func @branch
gpu.module @kernels {
  gpu.func @branch(%x: !x1, %n: index) workgroup(%tile: !t1) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %thread = gpu.thread_id x
    %some = arith.cmpi ult, %thread, %n : index
    scf.if %some {
      %v = memref.load %x[%thread] : !x1
      // expected-remark @below {{not raised: 'arith.cmpi' of %arg1 is known at run time only}}
      memref.store %v, %tile[%thread] : !t1
    }
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!x1 = memref<?xf32, #gl>
!t1 = memref<128xf32, #ws>

// What one thread copies and uses by itself.
// CHECK-LABEL: gpu.func @elected
gpu.module @kernels {
  gpu.func @elected(%x: !x1, %y: !x1) workgroup(%tile: !t1) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %thread = gpu.thread_id x
    %is_first = arith.cmpi eq, %thread, %c0 : index
    scf.if %is_first {
      %in = memref.subview %x[0] [128] [1] : !x1 to memref<128xf32, strided<[1]>, #gl>
      // expected-remark @below {{not raised: 'memref.load' stands between the parts of the copy}}
      memref.copy %in, %tile : memref<128xf32, strided<[1]>, #gl> to !t1
      %v = memref.load %tile[%c1] : !t1
      %w = arith.addf %v, %v : f32
      memref.store %w, %y[%c0] : !x1
    }
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!x1 = memref<?xf32, #gl>
!t1 = memref<128xf32, #ws>

// A loop that threads leave on their own.
// CHECK-LABEL: gpu.func @divergent_loop
gpu.module @kernels {
  gpu.func @divergent_loop(%x: !x1, %counts: memref<?xindex, #gl>) workgroup(%tile: !t1) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %thread = gpu.thread_id x
    %count = memref.load %counts[%thread] : memref<?xindex, #gl>
    %end = scf.while (%i = %c0) : (index) -> index {
      %v = memref.load %x[%thread] : !x1
      // expected-remark @below {{not raised: not all threads visibly come to it together under 'scf.while'}}
      memref.store %v, %tile[%thread] : !t1
      %more = arith.cmpi ult, %i, %count : index
      scf.condition(%more) %i : index
    } do {
  ^bb0(%i: index):
      %next = arith.addi %i, %c1 : index
      scf.yield %next : index
    }
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!x1 = memref<?xf32, #gl>
!t1 = memref<128xf32, #ws>

// Branches of the cf dialect.
// CHECK-LABEL: gpu.func @blocks
gpu.module @kernels {
  gpu.func @blocks(%x: !x1, %c: i1) workgroup(%tile: !t1) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %thread = gpu.thread_id x
    cf.cond_br %c, ^then, ^end
  ^then:
    %v = memref.load %x[%thread] : !x1
    // expected-remark @below {{not raised: the copy doesn't stand in structured control flow}}
    memref.store %v, %tile[%thread] : !t1
    cf.br ^end
  ^end:
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!x1 = memref<?xf32, #gl>

// A barrier publishes one half before the other is copied.
// CHECK-LABEL: gpu.func @barrier
gpu.module @kernels {
  gpu.func @barrier(%x: !x1) workgroup(%tile: memref<256xf32, #ws>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c128 = arith.constant 128 : index
    %c256 = arith.constant 256 : index
    %thread = gpu.thread_id x
    scf.for %j = %thread to %c256 step %c128 {
      %v = memref.load %x[%j] : !x1
      // expected-remark @below {{not raised: 'gpu.barrier' stands between the parts of the copy}}
      memref.store %v, %tile[%j] : memref<256xf32, #ws>
      gpu.barrier
    }
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!x1 = memref<?xf32, #gl>

// The tile is read between the parts.
// CHECK-LABEL: gpu.func @tile_read
gpu.module @kernels {
  gpu.func @tile_read(%x: !x1, %y: !x1) workgroup(%tile: memref<256xf32, #ws>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c128 = arith.constant 128 : index
    %c256 = arith.constant 256 : index
    %thread = gpu.thread_id x
    scf.for %j = %thread to %c256 step %c128 {
      %v = memref.load %x[%j] : !x1
      // expected-remark @below {{not raised: 'memref.load' stands between the parts of the copy}}
      memref.store %v, %tile[%j] : memref<256xf32, #ws>
      %w = memref.load %tile[%thread] : memref<256xf32, #ws>
      %d = arith.addf %w, %w : f32
      memref.store %d, %y[%j] : !x1
    }
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!x1 = memref<?xf32, #gl>
!t1 = memref<128xf32, #ws>

// Global memory that may be the source is written between read and write.
// CHECK-LABEL: gpu.func @source_written
gpu.module @kernels {
  gpu.func @source_written(%x: !x1, %y: !x1, %f: f32) workgroup(%tile: !t1) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %thread = gpu.thread_id x
    %v = memref.load %x[%thread] : !x1
    memref.store %f, %y[%thread] : !x1
    // expected-remark @below {{not raised: 'memref.store' stands between the parts of the copy}}
    memref.store %v, %tile[%thread] : !t1
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!x1 = memref<?xf32, #gl>
!t1 = memref<128xf32, #ws>

// A call may do anything.
// CHECK-LABEL: gpu.func @call
gpu.module @kernels {
  func.func private @anything()
  gpu.func @call(%x: !x1) workgroup(%tile: !t1) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %thread = gpu.thread_id x
    %v = memref.load %x[%thread] : !x1
    func.call @anything() : () -> ()
    // expected-remark @below {{not raised: 'func.call' stands between the parts of the copy}}
    memref.store %v, %tile[%thread] : !t1
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!x1 = memref<?xf32, #gl>
!t1 = memref<128xf32, #ws>

// The value is needed in registers, too.
// CHECK-LABEL: gpu.func @used_twice
gpu.module @kernels {
  gpu.func @used_twice(%x: !x1, %y: !x1) workgroup(%tile: !t1) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %thread = gpu.thread_id x
    %v = memref.load %x[%thread] : !x1
    // expected-remark @below {{not raised: the value that is read is used elsewhere, too}}
    memref.store %v, %tile[%thread] : !t1
    memref.store %v, %y[%thread] : !x1
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!x1 = memref<?xf32, #gl>
!t1 = memref<128xf32, #ws>

// Asynchronous copies of one group stay together.
// CHECK-LABEL: gpu.func @split_group
gpu.module @kernels {
  gpu.func @split_group(%x: !x1, %n: index) workgroup(%a: !t1, %b: !t1) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %thread = gpu.thread_id x
    // expected-remark @below {{not raised: another copy of its group isn't raised}}
    %0 = nvgpu.device_async_copy %x[%thread], %a[%thread], 1 : !x1 to !t1
    // expected-remark @below {{not raised: the copy may read less than it writes}}
    %1 = nvgpu.device_async_copy %x[%thread], %b[%thread], 1, %n : !x1 to !t1
    %group = nvgpu.device_async_create_group %0, %1
    nvgpu.device_async_wait %group
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!x1 = memref<?xf32, #gl>
!t1 = memref<128xf32, #ws>

// A token that a loop carries.
// CHECK-LABEL: gpu.func @carried_token
gpu.module @kernels {
  gpu.func @carried_token(%x: !x1, %n: index) workgroup(%a: !t1) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %thread = gpu.thread_id x
    // expected-remark @below {{not raised: the token of the copy's group doesn't go straight to a wait}}
    %0 = nvgpu.device_async_copy %x[%thread], %a[%thread], 1 : !x1 to !t1
    %first = nvgpu.device_async_create_group %0
    %last = scf.for %i = %c0 to %n step %c1 iter_args(%token = %first) -> !nvgpu.device.async.token {
      nvgpu.device_async_wait %token
      %none = nvgpu.device_async_create_group
      scf.yield %none : !nvgpu.device.async.token
    }
    gpu.return
  }
}
