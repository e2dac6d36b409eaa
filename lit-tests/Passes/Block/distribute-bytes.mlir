// Integers of 8 bits become floats of 16 bits, two at a time: by a permutation of bytes and logical operations. All are exact.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-specialize-blocks,carousel-distribute))' | FileCheck %s
// DEFINE: %{lowered} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-lowered %s --chip sm_80,sm_90a --
// DEFINE: %{nibbles} = --kernel @nibbles --arg x=random:2048 --arg b=empty:4096 --arg h=empty:4096
// RUN: carousel-sim %s %{nibbles} --out b=%t.b4.npy --out h=%t.h4.npy
// RUN: %{lowered} %{nibbles} --expect b=%t.b4.npy --expect h=%t.h4.npy
// DEFINE: %{all} = --kernel @all --arg x=random:4096 --arg b=empty:4096 --arg h=empty:4096 --arg u=empty:4096
// RUN: carousel-sim %s %{all} --out b=%t.b.npy --out h=%t.h.npy --out u=%t.u.npy
// RUN: %{lowered} %{all} --expect b=%t.b.npy --expect h=%t.h.npy --expect u=%t.u.npy

#gl = #gpu.address_space<global>
#x = #carousel.argument<"x", in>
#b = #carousel.argument<"b", out>
#h = #carousel.argument<"h", out>
#u = #carousel.argument<"u", out>
!x = memref<?xi8, #gl>
!b = memref<?xbf16, #gl>
!h = memref<?xf16, #gl>

gpu.module @m {
  // CHECK-LABEL: gpu.func @all_aligned
  // CHECK: %[[BYTES:.*]] = vector.extract_strided_slice %{{.*}} {offsets = [0], sizes = [4], strides = [1]} : vector<64xi8>
  // CHECK: vector.shuffle %[[BYTES]], %[[POWERS:.*]] [0, 4, 1, 4] : vector<4xi8>
  // CHECK: vector.shuffle %[[BYTES]], %[[POWERS]] [2, 4, 3, 4] : vector<4xi8>
  // CHECK: %[[WORDS:.*]] = vector.from_elements %{{.*}} : vector<32xi32>
  // CHECK: arith.andi %[[WORDS]]
  // CHECK: arith.andi %[[WORDS]]
  // CHECK: arith.subf %{{.*}} : vector<64xbf16>
  // CHECK: arith.xori %{{.*}} : vector<32xi32>
  // CHECK: arith.subf %{{.*}} : vector<64xf16>
  // CHECK-NOT: arith.xori
  // CHECK: arith.subf %{{.*}} : vector<64xf16>
  // CHECK-NOT: arith.sitofp
  // CHECK-NOT: arith.uitofp
  // CHECK: gpu.return
  gpu.func @all(%x: !x {carousel.argument = #x}, %b: !b {carousel.argument = #b}, %h: !h {carousel.argument = #h},
      %u: !h {carousel.argument = #u}) kernel attributes {
      carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [ceildiv(extent(0, 0), 2048)], block = [32]>} {
    %c0 = arith.constant 0 : index
    %c2048 = arith.constant 2048 : index
    %zero = arith.constant 0 : i8
    %block = gpu.block_id x
    %i = arith.muli %block, %c2048 : index
    %v = vector.transfer_read %x[%i], %zero : !x, vector<2048xi8>
    %0 = arith.sitofp %v : vector<2048xi8> to vector<2048xbf16>
    %1 = arith.sitofp %v : vector<2048xi8> to vector<2048xf16>
    %2 = arith.uitofp %v : vector<2048xi8> to vector<2048xf16>
    vector.transfer_write %0, %b[%i] : vector<2048xbf16>, !b
    vector.transfer_write %1, %h[%i] : vector<2048xf16>, !h
    vector.transfer_write %2, %u[%i] : vector<2048xf16>, !h
    gpu.return
  }

  // Integers of 4 bits: a word for each pair of a byte, also without a sign to bf16.
  // CHECK-LABEL: gpu.func @nibbles_aligned
  // CHECK: %[[WIDE:.*]] = arith.extui %{{.*}} : vector<32xi8> to vector<32xi32>
  // CHECK: %[[COPIES:.*]] = arith.muli %[[WIDE]]
  // CHECK: %[[WORDS:.*]] = arith.andi %[[COPIES]]
  // CHECK: arith.ori %[[WORDS]]
  // CHECK: vector.bitcast %{{.*}} : vector<32xi32> to vector<64xbf16>
  // CHECK: arith.subf %{{.*}} : vector<64xbf16>
  // CHECK: arith.subf %{{.*}} : vector<64xf16>
  // CHECK-NOT: arith.sitofp
  // CHECK-NOT: arith.uitofp
  // CHECK: gpu.return
  gpu.func @nibbles(%x: !x {carousel.argument = #x}, %b: !b {carousel.argument = #b}, %h: !h {carousel.argument = #h})
      kernel attributes {carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [ceildiv(extent(0, 0), 1024)], block = [32]>} {
    %c1024 = arith.constant 1024 : index
    %c2048 = arith.constant 2048 : index
    %zero = arith.constant 0 : i8
    %mask = arith.constant dense<15> : vector<1024xi8>
    %four = arith.constant dense<4> : vector<1024xi8>
    %block = gpu.block_id x
    %i = arith.muli %block, %c1024 : index
    %j = arith.muli %block, %c2048 : index
    %v = vector.transfer_read %x[%i], %zero : !x, vector<1024xi8>
    %low = arith.andi %v, %mask : vector<1024xi8>
    %high = arith.shrui %v, %four : vector<1024xi8>
    %both = vector.interleave %low, %high : vector<1024xi8> -> vector<2048xi8>
    %0 = arith.uitofp %both : vector<2048xi8> to vector<2048xbf16>
    %1 = arith.sitofp %both : vector<2048xi8> to vector<2048xf16>
    vector.transfer_write %0, %b[%j] : vector<2048xbf16>, !b
    vector.transfer_write %1, %h[%j] : vector<2048xf16>, !h
    gpu.return
  }
}
