// Reductions of vectors: each element is added atomically, so that threads and CTAs add at once. An address between multiples of the
// vector's bytes, and one behind the end, are found, and so is a plain store beside them.
// DEFINE: %{all} = --policy all --schedules 2
// RUN: carousel-sim %s --kernel @adds --arg x=random:8 --arg z=zeros:8 --expect z=zeros:8 %{all}
// RUN: carousel-sim %s --kernel @beside --arg z=zeros:8 --expect-finding data-race %{all}
// RUN: not carousel-sim %s --kernel @misaligned --arg z=zeros:16 | FileCheck %s --check-prefix=MISALIGNED
// MISALIGNED: finding: [invalid-operand] expected a destination aligned to 16 bytes, got an address 2 bytes past that
// RUN: not carousel-sim %s --kernel @past --arg z=zeros:8 | FileCheck %s --check-prefix=PAST
// PAST: finding: [out-of-bounds]

#gl = #gpu.address_space<global>
!m = memref<?xbf16, #gl>

gpu.module @reductions {
  // One CTA adds x, and the other one -x.
  gpu.func @adds(%x: !m {carousel.argument = #carousel.argument<"x", in>}, %z: !m {carousel.argument = #carousel.argument<"z">}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [1]>} {
    %c0 = arith.constant 0 : index
    %block = gpu.block_id x
    %v = vector.load %x[%c0] : !m, vector<8xbf16>
    %n = arith.negf %v : vector<8xbf16>
    %is_first = arith.cmpi eq, %block, %c0 : index
    %own = arith.select %is_first, %v, %n : vector<8xbf16>
    carousel.vector.reduce add bf16 %own to %z[%c0] : vector<8xbf16>, !m
    gpu.return
  }

  gpu.func @beside(%z: !m {carousel.argument = #carousel.argument<"z">}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [1]>} {
    %c0 = arith.constant 0 : index
    %block = gpu.block_id x
    %v = arith.constant dense<1.0> : vector<8xbf16>
    %is_first = arith.cmpi eq, %block, %c0 : index
    scf.if %is_first {
      carousel.vector.reduce add bf16 %v to %z[%c0] : vector<8xbf16>, !m
    } else {
      vector.store %v, %z[%c0] : !m, vector<8xbf16>
    }
    gpu.return
  }

  gpu.func @misaligned(%z: !m {carousel.argument = #carousel.argument<"z">}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c1 = arith.constant 1 : index
    %v = arith.constant dense<1.0> : vector<8xbf16>
    carousel.vector.reduce add bf16 %v to %z[%c1] : vector<8xbf16>, !m
    gpu.return
  }

  gpu.func @past(%z: !m {carousel.argument = #carousel.argument<"z">}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c8 = arith.constant 8 : index
    %v = arith.constant dense<1.0> : vector<8xbf16>
    carousel.vector.reduce add bf16 %v to %z[%c8] : vector<8xbf16>, !m
    gpu.return
  }
}
