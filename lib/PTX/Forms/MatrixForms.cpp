//===- MatrixForms.cpp - matrix and tensor-core instructions --------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows of the table of instructions; FormRows.h has the notation. PTX ISA,
// Instruction Set: warp-level, warpgroup-level and tcgen05 instructions.
//
//===----------------------------------------------------------------------===//

#include "FormRows.h"

using namespace carousel;
using namespace carousel::ptx;

static constexpr llvm::StringLiteral kFragments = R"(
ldmatrix sync aligned m8n8 x1 [trans] [S:shared|shared::cta] b16 ; =b32*1, [S]
ldmatrix sync aligned m8n8 x2 [trans] [S:shared|shared::cta] b16 ; =b32*2, [S]
ldmatrix sync aligned m8n8 x4 [trans] [S:shared|shared::cta] b16 ; =b32*4, [S]
ldmatrix sync aligned m8n16 x1|x2|x4 [S:shared|shared::cta] b8x16 b6x16_p32|b4x16_p64 ; =b32*n, [S]
ldmatrix sync aligned m16n16 x1|x2 trans [S:shared|shared::cta] b8 ; =b32*n, [S]
ldmatrix sync aligned m16n16 x1|x2 trans [S:shared|shared::cta] b8x16 b6x16_p32|b4x16_p64 ; =b32*n, [S]
stmatrix sync aligned m8n8 x1 [trans] [S:shared|shared::cta] b16 ; [S], b32*1
stmatrix sync aligned m8n8 x2 [trans] [S:shared|shared::cta] b16 ; [S], b32*2
stmatrix sync aligned m8n8 x4 [trans] [S:shared|shared::cta] b16 ; [S], b32*4
stmatrix sync aligned m16n8 x1 trans [S:shared|shared::cta] b8 ; [S], b32*1
stmatrix sync aligned m16n8 x2 trans [S:shared|shared::cta] b8 ; [S], b32*2
stmatrix sync aligned m16n8 x4 trans [S:shared|shared::cta] b8 ; [S], b32*4
movmatrix sync aligned m8n8 trans b16 ; =b32, b32
wmma.load.a sync aligned row|col m16n16k16|m8n32k16|m32n8k16|m16n16k8|m8n8k4|m8n8k32|m8n8k128 [S:global|shared|shared::cta] T:f16|bf16|tf32|f64|s8|u8|s4|u4|b1 ; =fragment*n, [S], u32?
wmma.load.b sync aligned row|col m16n16k16|m8n32k16|m32n8k16|m16n16k8|m8n8k4|m8n8k32|m8n8k128 [S:global|shared|shared::cta] T:f16|bf16|tf32|f64|s8|u8|s4|u4|b1 ; =fragment*n, [S], u32?
wmma.load.c sync aligned row|col m16n16k16|m8n32k16|m32n8k16|m16n16k8|m8n8k4|m8n8k32|m8n8k128 [S:global|shared|shared::cta] T:f16|f32|f64|s32 ; =fragment*n, [S], u32?
wmma.store.d sync aligned row|col m16n16k16|m8n32k16|m32n8k16|m16n16k8|m8n8k4|m8n8k32|m8n8k128 [S:global|shared|shared::cta] T:f16|f32|f64|s32 ; [S], fragment*n, u32?
wmma.mma sync aligned row|col row|col m16n16k16|m8n32k16|m32n8k16 D:f16|f32 C:f16|f32 ; =fragment*n, fragment*n, fragment*n, fragment*n
wmma.mma sync aligned row|col row|col m16n16k16|m8n32k16|m32n8k16 s32 A:s8|u8 B:s8|u8 s32 [satfinite] ; =fragment*n, fragment*n, fragment*n, fragment*n
wmma.mma sync aligned row|col row|col m16n16k16|m8n32k16|m32n8k16 f32 bf16 bf16 f32 ; =fragment*n, fragment*n, fragment*n, fragment*n
wmma.mma sync aligned row|col row|col m16n16k8 f32 tf32 tf32 f32 ; =fragment*n, fragment*n, fragment*n, fragment*n
wmma.mma sync aligned row|col row|col m8n8k4 [@rnd] f64 f64 f64 f64 ; =fragment*n, fragment*n, fragment*n, fragment*n
wmma.mma sync aligned row col m8n8k32 s32 A:s4|u4 B:s4|u4 s32 [satfinite] ; =fragment*n, fragment*n, fragment*n, fragment*n
wmma.mma xor|and popc sync aligned row col m8n8k128 s32 b1 b1 s32 ; =fragment*n, fragment*n, fragment*n, fragment*n
)";

static constexpr llvm::StringLiteral kWarp = R"(
mma sync aligned m8n8k4 row|col row|col f16 f16 f16 f16 ; =f16x2*4, f16x2*2, f16x2*2, f16x2*4
mma sync aligned m8n8k4 row|col row|col f32 f16 f16 f16 ; =f32*8, f16x2*2, f16x2*2, f16x2*4
mma sync aligned m8n8k4 row|col row|col f32 f16 f16 f32 ; =f32*8, f16x2*2, f16x2*2, f32*8
mma sync aligned m16n8k8 row col f16 f16 f16 f16 ; =f16x2*2, f16x2*2, f16x2*1, f16x2*2
mma sync aligned m16n8k8 row col f32 f16 f16 f32 ; =f32*4, f16x2*2, f16x2*1, f32*4
mma sync aligned m16n8k16 row col f16 f16 f16 f16 ; =f16x2*2, f16x2*4, f16x2*2, f16x2*2
mma sync aligned m16n8k16 row col f32 f16 f16 f32 ; =f32*4, f16x2*4, f16x2*2, f32*4
mma sync aligned m16n8k8 row col f32 bf16 bf16 f32 ; =f32*4, b32*2, b32*1, f32*4
mma sync aligned m16n8k16 row col f32 bf16 bf16 f32 ; =f32*4, b32*4, b32*2, f32*4
mma sync aligned m16n8k4 row col f32 tf32 tf32 f32 ; =f32*4, b32*2, b32*1, f32*4
mma sync aligned m16n8k8 row col f32 tf32 tf32 f32 ; =f32*4, b32*4, b32*2, f32*4
mma sync aligned m16n8k16 row col f32 A:e4m3|e5m2 B:e4m3|e5m2 f32 ; =f32*4, b32*2, b32*1, f32*4
mma sync aligned m16n8k32 row col f32 A:e4m3|e5m2 B:e4m3|e5m2 f32 ; =f32*4, b32*4, b32*2, f32*4
mma sync aligned m16n8k16 row col f16 A:e4m3|e5m2 B:e4m3|e5m2 f16 ; =f16x2*2, b32*2, b32*1, f16x2*2
mma sync aligned m16n8k32 row col f16 A:e4m3|e5m2 B:e4m3|e5m2 f16 ; =f16x2*2, b32*4, b32*2, f16x2*2
mma sync aligned m16n8k32 row col kind::f8f6f4 f32 A:@f8f6f4 B:@f8f6f4 f32 ; =f32*4, b32*4, b32*2, f32*4
mma sync aligned m16n8k32 row col kind::f8f6f4 f16 A:@f8f6f4 B:@f8f6f4 f16 ; =f16x2*2, b32*4, b32*2, f16x2*2
mma sync aligned m16n8k64 row col kind::mxf4 block_scale [scale_vec::2X] f32 e2m1 e2m1 f32 ue8m0 ; =f32*4, b32*4, b32*2, f32*4, b32, u16*2, b32, u16*2
mma sync aligned m16n8k64 row col kind::mxf4nvf4 block_scale scale_vec::2X|scale_vec::4X f32 e2m1 e2m1 f32 ue8m0|ue4m3 ; =f32*4, b32*4, b32*2, f32*4, b32, u16*2, b32, u16*2
mma sync aligned m16n8k32 row col kind::mxf8f6f4 block_scale [scale_vec::1X] f32 A:@f8f6f4 B:@f8f6f4 f32 ue8m0 ; =f32*4, b32*4, b32*2, f32*4, b32, u16*2, b32, u16*2
mma sync aligned m8n8k4 row col [@rnd] f64 f64 f64 f64 ; =f64*2, f64*1, f64*1, f64*2
mma sync aligned m16n8k4 row col [@rnd] f64 f64 f64 f64 ; =f64*4, f64*2, f64*1, f64*4
mma sync aligned m16n8k8 row col [@rnd] f64 f64 f64 f64 ; =f64*4, f64*4, f64*2, f64*4
mma sync aligned m16n8k16 row col [@rnd] f64 f64 f64 f64 ; =f64*4, f64*8, f64*4, f64*4
mma sync aligned m8n8k16 row col [satfinite] s32 A:u8|s8 B:u8|s8 s32 ; =s32*2, b32*1, b32*1, s32*2
mma sync aligned m16n8k16 row col [satfinite] s32 A:u8|s8 B:u8|s8 s32 ; =s32*4, b32*2, b32*1, s32*4
mma sync aligned m16n8k32 row col [satfinite] s32 A:u8|s8 B:u8|s8 s32 ; =s32*4, b32*4, b32*2, s32*4
mma sync aligned m8n8k32 row col [satfinite] s32 A:u4|s4 B:u4|s4 s32 ; =s32*2, b32*1, b32*1, s32*2
mma sync aligned m16n8k32 row col [satfinite] s32 A:u4|s4 B:u4|s4 s32 ; =s32*4, b32*2, b32*1, s32*4
mma sync aligned m16n8k64 row col [satfinite] s32 A:u4|s4 B:u4|s4 s32 ; =s32*4, b32*4, b32*2, s32*4
mma sync aligned m8n8k128 row col s32 b1 b1 s32 xor|and popc ; =s32*2, b32*1, b32*1, s32*2
mma sync aligned m16n8k128 row col s32 b1 b1 s32 xor|and popc ; =s32*4, b32*2, b32*1, s32*4
mma sync aligned m16n8k256 row col s32 b1 b1 s32 xor|and popc ; =s32*4, b32*4, b32*2, s32*4
mma sp|sp::ordered_metadata sync aligned m16n8k16 row col f16 f16 f16 f16 ; =f16x2*2, f16x2*2, f16x2*2, f16x2*2, b32, #
mma sp|sp::ordered_metadata sync aligned m16n8k16 row col f32 f16 f16 f32 ; =f32*4, f16x2*2, f16x2*2, f32*4, b32, #
mma sp|sp::ordered_metadata sync aligned m16n8k32 row col f16 f16 f16 f16 ; =f16x2*2, f16x2*4, f16x2*4, f16x2*2, b32, #
mma sp|sp::ordered_metadata sync aligned m16n8k32 row col f32 f16 f16 f32 ; =f32*4, f16x2*4, f16x2*4, f32*4, b32, #
mma sp|sp::ordered_metadata sync aligned m16n8k16 row col f32 bf16 bf16 f32 ; =f32*4, b32*2, b32*2, f32*4, b32, #
mma sp|sp::ordered_metadata sync aligned m16n8k32 row col f32 bf16 bf16 f32 ; =f32*4, b32*4, b32*4, f32*4, b32, #
mma sp|sp::ordered_metadata sync aligned m16n8k8 row col f32 tf32 tf32 f32 ; =f32*4, b32*2, b32*2, f32*4, b32, #
mma sp|sp::ordered_metadata sync aligned m16n8k16 row col f32 tf32 tf32 f32 ; =f32*4, b32*4, b32*4, f32*4, b32, #
mma sp|sp::ordered_metadata sync aligned m16n8k64 row col f32 A:e4m3|e5m2 B:e4m3|e5m2 f32 ; =f32*4, b32*4, b32*4, f32*4, b32, #
mma sp::ordered_metadata sync aligned m16n8k64 row col kind::f8f6f4 f32 A:@f8f6f4 B:@f8f6f4 f32 ; =f32*4, b32*4, b32*4, f32*4, b32, #
mma sp::ordered_metadata sync aligned m16n8k64 row col kind::f8f6f4 f16 A:@f8f6f4 B:@f8f6f4 f16 ; =f16x2*2, b32*4, b32*4, f16x2*2, b32, #
mma sp::ordered_metadata sync aligned m16n8k128 row col kind::mxf4 block_scale [scale_vec::2X] f32 e2m1 e2m1 f32 ue8m0 ; =f32*4, b32*4, b32*4, f32*4, b32, #, b32, u16*2, b32, u16*2
mma sp::ordered_metadata sync aligned m16n8k128 row col kind::mxf4nvf4 block_scale scale_vec::2X|scale_vec::4X f32 e2m1 e2m1 f32 ue8m0|ue4m3 ; =f32*4, b32*4, b32*4, f32*4, b32, #, b32, u16*2, b32, u16*2
mma sp::ordered_metadata sync aligned m16n8k64 row col kind::mxf8f6f4 block_scale [scale_vec::1X] f32 A:@f8f6f4 B:@f8f6f4 f32 ue8m0 ; =f32*4, b32*4, b32*4, f32*4, b32, #, b32, u16*2, b32, u16*2
mma sp|sp::ordered_metadata sync aligned m16n8k32 row col [satfinite] s32 A:u8|s8 B:u8|s8 s32 ; =s32*4, b32*2, b32*2, s32*4, b32, #
mma sp|sp::ordered_metadata sync aligned m16n8k64 row col [satfinite] s32 A:u8|s8 B:u8|s8 s32 ; =s32*4, b32*4, b32*4, s32*4, b32, #
mma sp|sp::ordered_metadata sync aligned m16n8k64 row col [satfinite] s32 A:u4|s4 B:u4|s4 s32 ; =s32*4, b32*2, b32*2, s32*4, b32, #
mma sp|sp::ordered_metadata sync aligned m16n8k128 row col [satfinite] s32 A:u4|s4 B:u4|s4 s32 ; =s32*4, b32*4, b32*4, s32*4, b32, #
)";

static constexpr llvm::StringLiteral kWarpgroup = R"(
wgmma.fence sync aligned ;
wgmma.commit_group sync aligned ;
wgmma.wait_group sync aligned ; #
wgmma.mma_async sync aligned m64n*k16 f16 f16 f16 ; +b32*n/4, b64, b64, pred, #, #, #, #
wgmma.mma_async sync aligned m64n*k16 f32 f16 f16 ; +f32*n/2, b64, b64, pred, #, #, #, #
wgmma.mma_async sync aligned m64n*k16 f16 f16 f16 ; +b32*n/4, b32*4, b64, pred, #, #, #
wgmma.mma_async sync aligned m64n*k16 f32 f16 f16 ; +f32*n/2, b32*4, b64, pred, #, #, #
wgmma.mma_async sync aligned m64n*k16 f32 bf16 bf16 ; +f32*n/2, b64, b64, pred, #, #, #, #
wgmma.mma_async sync aligned m64n*k16 f32 bf16 bf16 ; +f32*n/2, b32*4, b64, pred, #, #, #
wgmma.mma_async sync aligned m64n*k8 f32 tf32 tf32 ; +f32*n/2, b64, b64, pred, #, #
wgmma.mma_async sync aligned m64n*k8 f32 tf32 tf32 ; +f32*n/2, b32*4, b64, pred, #, #
wgmma.mma_async sync aligned m64n*k32 f16 A:e4m3|e5m2 B:e4m3|e5m2 ; +b32*n/4, b64, b64, pred, #, #
wgmma.mma_async sync aligned m64n*k32 f16 A:e4m3|e5m2 B:e4m3|e5m2 ; +b32*n/4, b32*4, b64, pred, #, #
wgmma.mma_async sync aligned m64n*k32 f32 A:e4m3|e5m2 B:e4m3|e5m2 ; +f32*n/2, b64, b64, pred, #, #
wgmma.mma_async sync aligned m64n*k32 f32 A:e4m3|e5m2 B:e4m3|e5m2 ; +f32*n/2, b32*4, b64, pred, #, #
wgmma.mma_async sync aligned m64n*k32 [satfinite] s32 A:s8|u8 B:s8|u8 ; +s32*n/2, b64, b64, pred
wgmma.mma_async sync aligned m64n*k32 [satfinite] s32 A:s8|u8 B:s8|u8 ; +s32*n/2, b32*4, b64, pred
wgmma.mma_async sync aligned m64n*k256 s32 b1 b1 and popc ; +s32*n/2, b64, b64, pred
wgmma.mma_async sync aligned m64n*k256 s32 b1 b1 and popc ; +s32*n/2, b32*4, b64, pred
wgmma.mma_async.sp sync aligned m64n*k32 f16 f16 f16 ; +b32*n/4, b64, b64, b32, #, pred, #, #, #, #
wgmma.mma_async.sp sync aligned m64n*k32 f32 f16 f16 ; +f32*n/2, b64, b64, b32, #, pred, #, #, #, #
wgmma.mma_async.sp sync aligned m64n*k32 f16 f16 f16 ; +b32*n/4, b32*4, b64, b32, #, pred, #, #, #
wgmma.mma_async.sp sync aligned m64n*k32 f32 f16 f16 ; +f32*n/2, b32*4, b64, b32, #, pred, #, #, #
wgmma.mma_async.sp sync aligned m64n*k32 f32 bf16 bf16 ; +f32*n/2, b64, b64, b32, #, pred, #, #, #, #
wgmma.mma_async.sp sync aligned m64n*k32 f32 bf16 bf16 ; +f32*n/2, b32*4, b64, b32, #, pred, #, #, #
wgmma.mma_async.sp sync aligned m64n*k16 f32 tf32 tf32 ; +f32*n/2, b64, b64, b32, #, pred, #, #
wgmma.mma_async.sp sync aligned m64n*k16 f32 tf32 tf32 ; +f32*n/2, b32*4, b64, b32, #, pred, #, #
wgmma.mma_async.sp sync aligned m64n*k64 f16 A:e4m3|e5m2 B:e4m3|e5m2 ; +b32*n/4, b64, b64, b32, #, pred, #, #
wgmma.mma_async.sp sync aligned m64n*k64 f16 A:e4m3|e5m2 B:e4m3|e5m2 ; +b32*n/4, b32*4, b64, b32, #, pred, #, #
wgmma.mma_async.sp sync aligned m64n*k64 f32 A:e4m3|e5m2 B:e4m3|e5m2 ; +f32*n/2, b64, b64, b32, #, pred, #, #
wgmma.mma_async.sp sync aligned m64n*k64 f32 A:e4m3|e5m2 B:e4m3|e5m2 ; +f32*n/2, b32*4, b64, b32, #, pred, #, #
wgmma.mma_async.sp sync aligned m64n*k64 [satfinite] s32 A:s8|u8 B:s8|u8 ; +s32*n/2, b64, b64, b32, #, pred
wgmma.mma_async.sp sync aligned m64n*k64 [satfinite] s32 A:s8|u8 B:s8|u8 ; +s32*n/2, b32*4, b64, b32, #, pred
)";

static constexpr llvm::StringLiteral kTensorCore = R"(
tcgen05.alloc @ctas sync aligned [S:shared::cta] b32 ; [S], u32
tcgen05.dealloc @ctas sync aligned b32 ; u32, u32
tcgen05.relinquish_alloc_permit @ctas sync aligned ;
tcgen05.fence::before_thread_sync ;
tcgen05.fence::after_thread_sync ;
tcgen05.wait::ld sync aligned ;
tcgen05.wait::st sync aligned ;
tcgen05.ld sync aligned 16x64b|16x128b|16x256b|32x32b @registers [pack::16b] b32 ; =b32*n, [tmem]
tcgen05.ld sync aligned 16x32bx2 @registers [pack::16b] b32 ; =b32*n, [tmem], #
tcgen05.ld.red sync aligned 32x32b @registers min|max [abs] [NaN] f32 ; =f32*n, =f32, [tmem]
tcgen05.ld.red sync aligned 16x32bx2 @registers min|max [abs] [NaN] f32 ; =f32*n, =f32, [tmem], #
tcgen05.ld.red sync aligned 32x32b @registers min|max T:u32|s32 ; =T*n, =T, [tmem]
tcgen05.ld.red sync aligned 16x32bx2 @registers min|max T:u32|s32 ; =T*n, =T, [tmem], #
tcgen05.st sync aligned 16x64b|16x128b|16x256b|32x32b @registers [unpack::16b] b32 ; [tmem], b32*n
tcgen05.st sync aligned 16x32bx2 @registers [unpack::16b] b32 ; [tmem], #, b32*n
tcgen05.cp @ctas 128x256b|4x256b|128x128b|64x128b|32x128b [warpx2::02_13|warpx2::01_23|warpx4] ; [tmem], b64
tcgen05.cp @ctas 128x256b|4x256b|128x128b|64x128b|32x128b [warpx2::02_13|warpx2::01_23|warpx4] b8x16 b6x16_p32|b4x16_p64 ; [tmem], b64
tcgen05.shift @ctas down ; [tmem]
tcgen05.commit @ctas mbarrier::arrive::one [S:shared::cluster] [multicast::cluster] b64 ; [S], {multicast::cluster}u16
tcgen05.mma @ctas @kind [ashift] [@collector] ; [tmem], b64, b64, u32, pred, #?
tcgen05.mma @ctas @kind [ashift] [@collector] ; [tmem], [tmem], b64, u32, pred, #?
tcgen05.mma @ctas @kind [ashift] [@collector] ; [tmem], b64, b64, u32, b32*n, pred, #?
tcgen05.mma @ctas @kind [ashift] [@collector] ; [tmem], [tmem], b64, u32, b32*n, pred, #?
tcgen05.mma @ctas @mxkind block_scale [@scales] [@collector] ; [tmem], b64, b64, u32, [tmem], [tmem], pred
tcgen05.mma @ctas @mxkind block_scale [@scales] [@collector] ; [tmem], [tmem], b64, u32, [tmem], [tmem], pred
tcgen05.mma.sp @ctas @kind [ashift] [@collector] ; [tmem], b64, b64, [tmem], u32, pred, #?
tcgen05.mma.sp @ctas @kind [ashift] [@collector] ; [tmem], [tmem], b64, [tmem], u32, pred, #?
tcgen05.mma.sp @ctas @kind [ashift] [@collector] ; [tmem], b64, b64, [tmem], u32, b32*n, pred, #?
tcgen05.mma.sp @ctas @kind [ashift] [@collector] ; [tmem], [tmem], b64, [tmem], u32, b32*n, pred, #?
tcgen05.mma.sp @ctas @mxkind block_scale [@scales] [@collector] ; [tmem], b64, b64, [tmem], u32, [tmem], [tmem], pred
tcgen05.mma.sp @ctas @mxkind block_scale [@scales] [@collector] ; [tmem], [tmem], b64, [tmem], u32, [tmem], [tmem], pred
tcgen05.mma.ws cta_group::1 @kind [@collectors] ; [tmem], b64, b64, u32, pred, b64?
tcgen05.mma.ws cta_group::1 @kind [@collectors] ; [tmem], [tmem], b64, u32, pred, b64?
tcgen05.mma.ws.sp cta_group::1 @kind [@collectors] ; [tmem], b64, b64, [tmem], u32, pred, b64?
tcgen05.mma.ws.sp cta_group::1 @kind [@collectors] ; [tmem], [tmem], b64, [tmem], u32, pred, b64?
)";

llvm::ArrayRef<llvm::StringLiteral> ptx::getMatrixRows() {
  static constexpr llvm::StringLiteral kRows[] = {kFragments, kWarp, kWarpgroup,
                                                  kTensorCore};
  return kRows;
}
