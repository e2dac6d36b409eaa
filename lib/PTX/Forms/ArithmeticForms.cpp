//===- ArithmeticForms.cpp - arithmetic instructions ----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows of the table of instructions; FormRows.h has the notation. PTX ISA,
// Instruction Set: integer arithmetic to data conversion, scalar and SIMD video
// instructions.
//
//===----------------------------------------------------------------------===//

#include "FormRows.h"

using namespace carousel;
using namespace carousel::ptx;

static constexpr llvm::StringLiteral kInteger = R"(
add T:u16|u32|u64|s16|s64|u16x2|s16x2|u8x4|s8x4 ; =T, T, T
add [sat] T:s32 ; =T, T, T
add sat T:u32|u16x2|s16x2 ; =T, T, T
sub T:u16|u32|u64|s16|s64|u16x2|s16x2|u8x4|s8x4 ; =T, T, T
sub [sat] T:s32 ; =T, T, T
add cc T:u32|s32|u64|s64 ; =T, T, T
addc [cc] T:u32|s32|u64|s64 ; =T, T, T
sub cc T:u32|s32|u64|s64 ; =T, T, T
subc [cc] T:u32|s32|u64|s64 ; =T, T, T
mul hi|lo T:@int ; =T, T, T
mul wide T:u16|u32|s16|s32 ; =2T, T, T
mad hi|lo T:@int ; =T, T, T, T
mad hi sat T:s32 ; =T, T, T, T
mad wide T:u16|u32|s16|s32 ; =2T, T, T, 2T
mad hi|lo cc T:u32|s32|u64|s64 ; =T, T, T, T
madc hi|lo [cc] T:u32|s32|u64|s64 ; =T, T, T, T
mul24 hi|lo T:u32|s32 ; =T, T, T
mad24 hi|lo T:u32|s32 ; =T, T, T, T
mad24 hi sat T:s32 ; =T, T, T, T
sad T:@int ; =T, T, T, T
div T:@int ; =T, T, T
rem T:@int ; =T, T, T
abs T:s16|s32|s64 ; =T, T
neg T:s16|s32|s64|s8x4 ; =T, T
min T:u16|u32|u64|u16x2|s16|s64|u8x4|s8x4 ; =T, T, T
min [relu] T:s16x2|s32 ; =T, T, T
max T:u16|u32|u64|u16x2|s16|s64|u8x4|s8x4 ; =T, T, T
max [relu] T:s16x2|s32 ; =T, T, T
popc T:b32|b64 ; =u32, T
clz T:b32|b64 ; =u32, T
bfind [shiftamt] T:u32|u64|s32|s64 ; =u32, T
fns b32 ; =b32, b32, b32, s32
brev T:b32|b64 ; =T, T
bfe T:u32|u64|s32|s64 ; =T, T, u32, u32
bfi T:b32|b64 ; =T, T, T, u32, u32
szext clamp|wrap T:u32|s32 ; =T, T, u32
bmsk clamp|wrap b32 ; =b32, u32, u32
dp4a A:u32|s32 B:u32|s32 ; =b32, b32, b32, b32
dp2a lo|hi A:u32|s32 B:u32|s32 ; =b32, b32, b32, b32
clmad hi|lo T:u64 ; =T, T, T, T
)";

static constexpr llvm::StringLiteral kFloat = R"(
testp finite|infinite|number|notanumber|normal|subnormal T:f32|f64 ; =pred, T
copysign T:f32|f64 ; =T, T, T
add [@rnd] [ftz] [sat] T:f32 ; =T, T, T
add [@rnd] [ftz] T:f32x2 ; =T, T, T
add [@rnd] T:f64 ; =T, T, T
add [rn] [ftz] [sat] T:f16|f16x2 ; =T, T, T
add [rn] T:bf16|bf16x2 ; =T, T, T
add [@rnd] [sat] T:f32 A:f16|bf16 ; =T, A, T
sub [@rnd] [ftz] [sat] T:f32 ; =T, T, T
sub [@rnd] [ftz] T:f32x2 ; =T, T, T
sub [@rnd] T:f64 ; =T, T, T
sub [rn] [ftz] [sat] T:f16|f16x2 ; =T, T, T
sub [rn] T:bf16|bf16x2 ; =T, T, T
sub [@rnd] [sat] T:f32 A:f16|bf16 ; =T, A, T
mul [@rnd] [ftz] [sat] T:f32 ; =T, T, T
mul [@rnd] [ftz] T:f32x2 ; =T, T, T
mul [@rnd] T:f64 ; =T, T, T
mul [rn] [ftz] [sat] T:f16|f16x2 ; =T, T, T
mul [rn] T:bf16|bf16x2 ; =T, T, T
fma @rnd [ftz] [sat] T:f32 ; =T, T, T, T
fma @rnd [ftz] T:f32x2 ; =T, T, T, T
fma @rnd T:f64 ; =T, T, T, T
fma rn [ftz] [sat] T:f16|f16x2 ; =T, T, T, T
fma rn [ftz] relu T:f16|f16x2 ; =T, T, T, T
fma rn [relu] T:bf16|bf16x2 ; =T, T, T, T
fma rn oob [relu] T:f16|f16x2|bf16|bf16x2 ; =T, T, T, T
fma @rnd [sat] T:f32 A:f16|bf16 ; =T, A, A, T
mad @rnd [ftz] [sat] T:f32 ; =T, T, T, T
mad @rnd T:f64 ; =T, T, T, T
div approx|full|@rnd [ftz] T:f32 ; =T, T, T
div @rnd T:f64 ; =T, T, T
abs [ftz] T:f32|f16|f16x2 ; =T, T
abs T:f64|bf16|bf16x2 ; =T, T
neg [ftz] T:f32|f16|f16x2 ; =T, T
neg T:f64|bf16|bf16x2 ; =T, T
min [ftz] [NaN] [xorsign] [abs] T:f32|f16|f16x2 ; =T, T, T
min [ftz] [NaN] [abs] T:f32 ; =T, T, T, T
min T:f64 ; =T, T, T
min [NaN] [xorsign] [abs] T:bf16|bf16x2 ; =T, T, T
max [ftz] [NaN] [xorsign] [abs] T:f32|f16|f16x2 ; =T, T, T
max [ftz] [NaN] [abs] T:f32 ; =T, T, T, T
max T:f64 ; =T, T, T
max [NaN] [xorsign] [abs] T:bf16|bf16x2 ; =T, T, T
rcp approx|@rnd [ftz] T:f32 ; =T, T
rcp @rnd T:f64 ; =T, T
rcp approx ftz T:f64 ; =T, T
sqrt approx|@rnd [ftz] T:f32 ; =T, T
sqrt @rnd T:f64 ; =T, T
rsqrt approx [ftz] T:f32|f64 ; =T, T
sin approx [ftz] T:f32 ; =T, T
cos approx [ftz] T:f32 ; =T, T
lg2 approx [ftz] T:f32 ; =T, T
ex2 approx [ftz] T:f32 ; =T, T
ex2 approx T:f16|f16x2 ; =T, T
ex2 approx ftz T:bf16|bf16x2 ; =T, T
tanh approx T:f32|f16|f16x2|bf16|bf16x2 ; =T, T
)";

static constexpr llvm::StringLiteral kComparison = R"(
setp @cmp [ftz] T:@bits|@int|f32|f64|f16|f16x2|bf16|bf16x2 ; =pred|pred?, T, T
setp @cmp @bool [ftz] T:@bits|@int|f32|f64|f16|f16x2|bf16|bf16x2 ; =pred|pred?, T, T, pred
set @cmp [ftz] D:u32|s32|f32|f16|bf16 T:@bits|@int|f32|f64|f16 ; =D, T, T
set @cmp @bool [ftz] D:u32|s32|f32|f16|bf16 T:@bits|@int|f32|f64|f16 ; =D, T, T, pred
set @cmp [ftz] D:u16|s16|u32|s32 T:f16|bf16 ; =D, T, T
set @cmp @bool [ftz] D:u16|s16|u32|s32 T:f16|bf16 ; =D, T, T, pred
set @cmp [ftz] D:f16x2|u32|s32 T:f16x2 ; =D, T, T
set @cmp @bool [ftz] D:f16x2|u32|s32 T:f16x2 ; =D, T, T, pred
set @cmp D:bf16x2|u32|s32 T:bf16x2 ; =D, T, T
set @cmp @bool D:bf16x2|u32|s32 T:bf16x2 ; =D, T, T, pred
selp T:@bits|@int|f32|f64|f16|f16x2 ; =T, T, T, pred
slct T:@bits|@int|f32|f64 s32 ; =T, T, T, s32
slct [ftz] T:@bits|@int|f32|f64 f32 ; =T, T, T, f32
)";

static constexpr llvm::StringLiteral kLogic = R"(
and T:pred|b16|b32|b64 ; =T, T, T
or T:pred|b16|b32|b64 ; =T, T, T
xor T:pred|b16|b32|b64 ; =T, T, T
not T:pred|b16|b32|b64 ; =T, T
cnot T:b16|b32|b64 ; =T, T
lop3 b32 ; =b32, b32, b32, b32, #
lop3 or|and b32 ; =b32|pred, b32, b32, b32, #, pred
shf l|r clamp|wrap b32 ; =b32, b32, b32, u32
shl T:b16|b32|b64 ; =T, T, u32
shr T:@bits|@int ; =T, T, u32
)";

static constexpr llvm::StringLiteral kMoves = R"(
mov T:pred|@bits|@int|f32|f64 ; =T, $T
mov T:b16|b32|b64|b128 ; =T{}, T
mov T:b16|b32|b64|b128 ; =T, T{}
mov b128 ; =b128, b128
prmt b32 [f4e|b4e|rc8|ecl|ecr|rc16] ; =b32, b32, b32, b32
shfl up|down|bfly|idx b32 ; =b32|pred?, b32, u32, u32
shfl.sync up|down|bfly|idx b32 ; =b32|pred?, b32, u32, u32, u32
cvt [@frnd|@irnd] [ftz] [sat] D:@num A:@num ; =~D, ~$A
cvt rn|rz [relu] [satfinite] D:f16|bf16 f32 ; =D, f32
cvt rn|rz [relu] [satfinite] D:f16x2|bf16x2 f32 ; =D, f32, f32
cvt rs [relu] [satfinite] D:f16x2|bf16x2 f32 ; =D, f32, f32, b32
cvt rna [satfinite] tf32 f32 ; =tf32, f32
cvt rn|rz [satfinite] [relu] tf32 f32 ; =tf32, f32
cvt rn satfinite [relu] D:e4m3x2|e5m2x2 f32 ; =D, f32, f32
cvt rn satfinite [relu] D:e4m3x2|e5m2x2 A:f16x2|bf16x2 ; =D, A
cvt rn [relu] D:f16x2|bf16x2 A:e4m3x2|e5m2x2 ; =D, A
cvt rs [relu] satfinite D:e4m3x4|e5m2x4|e2m3x4|e3m2x4 f32 ; =D, f32*4, b32
cvt rs [relu] satfinite D:e2m1x4 f32 ; =D, f32*4, b32
cvt rn satfinite [relu] D:e2m1x2|e2m3x2|e3m2x2 f32 ; =D, f32, f32
cvt rn satfinite [relu] D:e2m1x2|e2m3x2|e3m2x2 A:f16x2|bf16x2 ; =D, A
cvt rn [relu] D:f16x2|bf16x2 A:e2m1x2|e2m3x2|e3m2x2 ; =D, A
cvt rz|rp [satfinite] ue8m0x2 f32 ; =ue8m0x2, f32, f32
cvt rz|rp [satfinite] ue8m0x2 bf16x2 ; =ue8m0x2, bf16x2
cvt rn bf16x2 ue8m0x2 ; =bf16x2, ue8m0x2
cvt.pack sat D:u16|s16 s32 ; =b32, s32, s32
cvt.pack sat D:u2|s2|u4|s4|u8|s8 s32 b32 ; =b32, s32, s32, b32
cvta S:@window T:u32|u64 ; =T, $T
cvta to S:@window T:u32|u64 ; =T, T
isspacep S:@window ; =pred, addr
mapa [shared::cluster] T:u32|u64 ; =T, $T, u32
getctarank [shared::cluster] T:u32|u64 ; =u32, $T
)";

llvm::ArrayRef<llvm::StringLiteral> ptx::getArithmeticRows() {
  static constexpr llvm::StringLiteral kRows[] = {kInteger, kFloat, kComparison,
                                                  kLogic, kMoves};
  return kRows;
}

static constexpr llvm::StringLiteral kScalar = R"(
vadd|vsub|vabsdiff|vmin|vmax D:u32|s32 A:u32|s32 B:u32|s32 [sat] ; =D, A., B.
vadd|vsub|vabsdiff|vmin|vmax D:u32|s32 A:u32|s32 B:u32|s32 [sat] add|min|max ; =D, A., B., D
vadd|vsub|vabsdiff|vmin|vmax D:u32|s32 A:u32|s32 B:u32|s32 [sat] ; =D., A., B., D
vshl|vshr D:u32|s32 A:u32|s32 u32 [sat] clamp|wrap ; =D, A., u32.
vshl|vshr D:u32|s32 A:u32|s32 u32 [sat] clamp|wrap add|min|max ; =D, A., u32., D
vshl|vshr D:u32|s32 A:u32|s32 u32 [sat] clamp|wrap ; =D., A., u32., D
vmad D:u32|s32 A:u32|s32 B:u32|s32 [po] [sat] [shr7|shr15] ; =D, A., B., D
vset A:u32|s32 B:u32|s32 eq|ne|lt|le|gt|ge ; =u32, A., B.
vset A:u32|s32 B:u32|s32 eq|ne|lt|le|gt|ge add|min|max ; =u32, A., B., u32
vset A:u32|s32 B:u32|s32 eq|ne|lt|le|gt|ge ; =u32., A., B., u32
)";

static constexpr llvm::StringLiteral kPacked = R"(
vadd2|vsub2|vavrg2|vabsdiff2|vmin2|vmax2 D:u32|s32 A:u32|s32 B:u32|s32 [sat] ; =D., A., B., D
vadd2|vsub2|vavrg2|vabsdiff2|vmin2|vmax2 D:u32|s32 A:u32|s32 B:u32|s32 add ; =D., A., B., D
vset2 A:u32|s32 B:u32|s32 eq|ne|lt|le|gt|ge [add] ; =u32., A., B., u32
vadd4|vsub4|vavrg4|vabsdiff4|vmin4|vmax4 D:u32|s32 A:u32|s32 B:u32|s32 [sat] ; =D., A., B., D
vadd4|vsub4|vavrg4|vabsdiff4|vmin4|vmax4 D:u32|s32 A:u32|s32 B:u32|s32 add ; =D., A., B., D
vset4 A:u32|s32 B:u32|s32 eq|ne|lt|le|gt|ge [add] ; =u32., A., B., u32
)";

llvm::ArrayRef<llvm::StringLiteral> ptx::getVideoRows() {
  static constexpr llvm::StringLiteral kRows[] = {kScalar, kPacked};
  return kRows;
}
