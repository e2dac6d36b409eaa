// Constants of a row and of a column are one constant of an address, which is part of an instruction, where two
// memrefs are accessed at the same places, too.
// RUN: carousel-translate --mlir-to-ptx --chip=sm_90a %s | FileCheck %s

gpu.module @offsets {
  // CHECK-LABEL: .visible .entry rows
  // CHECK: ld.global.b16 %{{.*}}, [%[[READ:rd[0-9]+]]];
  // CHECK: ld.global.b16 %{{.*}}, [%[[READ]]+16];
  // CHECK: ld.global.b16 %{{.*}}, [%[[READ]]+12288];
  // CHECK: ld.global.b16 %{{.*}}, [%[[READ]]+12304];
  // CHECK: st.global.b32 [%[[FIRST:rd[0-9]+]]], %{{.*}};
  // CHECK: st.global.b32 [%[[FIRST]]+32], %{{.*}};
  // CHECK: st.global.b32 [%[[FIRST]]+24576], %{{.*}};
  // CHECK: st.global.b32 [%[[FIRST]]+24608], %{{.*}};
  gpu.func @rows(%x: memref<512x768xf32, 1>, %y: memref<512x768xbf16, 1>) kernel {
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c8 = arith.constant 8 : index
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %quad = arith.shrui %thread, %c2 : index
    %lane = arith.andi %thread, %c3 : index
    %column = arith.muli %lane, %c2 : index
    %first = arith.muli %block, %c8 : index
    %across = arith.muli %first, %c8 : index
    %i = arith.addi %quad, %first : index
    %j = arith.addi %across, %column : index
    %i8 = arith.addi %i, %c8 : index
    %j8 = arith.addi %j, %c8 : index
    %n0 = memref.load %y[%i, %j] : memref<512x768xbf16, 1>
    %w0 = arith.extf %n0 : bf16 to f32
    %n1 = memref.load %y[%i, %j8] : memref<512x768xbf16, 1>
    %w1 = arith.extf %n1 : bf16 to f32
    %n2 = memref.load %y[%i8, %j] : memref<512x768xbf16, 1>
    %w2 = arith.extf %n2 : bf16 to f32
    %n3 = memref.load %y[%i8, %j8] : memref<512x768xbf16, 1>
    %w3 = arith.extf %n3 : bf16 to f32
    memref.store %w0, %x[%i, %j] : memref<512x768xf32, 1>
    memref.store %w1, %x[%i, %j8] : memref<512x768xf32, 1>
    memref.store %w2, %x[%i8, %j] : memref<512x768xf32, 1>
    memref.store %w3, %x[%i8, %j8] : memref<512x768xf32, 1>
    gpu.return
  }
}
