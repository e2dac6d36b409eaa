//===- MemoryForms.cpp - loads, stores, atomics, caches, textures ---------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows of the table of instructions; FormRows.h has the notation. PTX ISA,
// Instruction Set: data movement, textures, surfaces, stack.
//
//===----------------------------------------------------------------------===//

#include "FormRows.h"

using namespace carousel;
using namespace carousel::ptx;

static constexpr llvm::StringLiteral kMemory = R"(
ld [weak] [S:@readable] [ca|cg|cs|lu|cv] [L2::cache_hint] [@prefetch] [V:@vec] T:@data ; =~T*V, [S], {L2::cache_hint}b64
ld [weak] [S:@readable] [@evict1] [@evict2] [L2::cache_hint] [@prefetch] [V:@vec] T:@data ; =~T*V, [S], {L2::cache_hint}b64
ld volatile [S:@readable] [@prefetch] [V:@vec] T:@data ; =~T*V, [S]
ld relaxed|acquire @scope [S:@readable] [@evict1] [@evict2] [L2::cache_hint] [@prefetch] [V:@vec] T:@data ; =~T*V, [S], {L2::cache_hint}b64
ld mmio relaxed sys [S:global] T:@data ; =~T, [S]
ld [weak] S:global [ca|cg|cs] nc [L2::cache_hint] [@prefetch] [V:@vec] T:@data ; =~T*V, [S], {L2::cache_hint}b64
ld [weak] S:global nc [@evict1] [@evict2] [L2::cache_hint] [@prefetch] [V:@vec] T:@data ; =~T*V, [S], {L2::cache_hint}b64
ldu [S:global] [V:v2|v4] T:@data ; =~T*V, [S]
st [weak] [S:@writable] [wb|cg|cs|wt] [L2::cache_hint] [V:@vec] T:@data ; [S], ~T*V, {L2::cache_hint}b64
st [weak] [S:@writable] [@evict1] [@evict2] [L2::cache_hint] [V:@vec] T:@data ; [S], ~T*V, {L2::cache_hint}b64
st volatile [S:@writable] [V:@vec] T:@data ; [S], ~T*V
st relaxed|release @scope [S:@writable] [@evict1] [@evict2] [L2::cache_hint] [V:@vec] T:@data ; [S], ~T*V, {L2::cache_hint}b64
st mmio relaxed sys [S:global] T:@data ; [S], ~T
st.async [weak] [cluster] [S:shared::cluster] mbarrier::complete_tx::bytes [V:v2|v4] T:b32|b64|b128|u32|u64|s32|s64|f32|f64 ; [S], T*V, [S]
st.async [mmio] release gpu|sys [S:global] T:b8|b16|b32|b64|@int8|f32|f64 ; [S], ~T
st.bulk [weak] [S:shared::cta] ; [S], addr, #
multimem.ld_reduce [weak] [S:global] and|or|xor T:b32|b64 ; =T, [S]
multimem.ld_reduce [weak] [S:global] min|max|add T:u32|u64|s32|s64 ; =T, [S]
multimem.ld_reduce relaxed|acquire @scope [S:global] and|or|xor T:b32|b64 ; =T, [S]
multimem.ld_reduce relaxed|acquire @scope [S:global] min|max|add T:u32|u64|s32|s64 ; =T, [S]
multimem.ld_reduce [weak] [S:global] min|max|add [acc::f32|acc::f16] [V:@vec] T:@multimem ; =T*V, [S]
multimem.ld_reduce relaxed|acquire @scope [S:global] min|max|add [acc::f32|acc::f16] [V:@vec] T:@multimem ; =T*V, [S]
multimem.st [weak] [S:global] [V:@vec] T:b32|b64|u32|u64|s32|s64|@multimem ; [S], T*V
multimem.st relaxed|release @scope [S:global] [V:@vec] T:b32|b64|u32|u64|s32|s64|@multimem ; [S], T*V
multimem.red [relaxed|release] [@scope] [S:global] and|or|xor T:b32|b64 ; [S], T
multimem.red [relaxed|release] [@scope] [S:global] min|max|add T:u32|u64|s32|s64 ; [S], T
multimem.red [relaxed|release] [@scope] [S:global] add [V:@vec] T:f16|f16x2|bf16|bf16x2|f32|f64 ; [S], T*V
prefetch [S:global|local] L1|L2 ; [S]
prefetch S:global L2::evict_last|L2::evict_normal ; [S]
prefetchu L1 ; []
prefetch [S:const|param] tensormap ; [S]
applypriority [S:global] L2::evict_normal ; [S], #
discard [S:global] L2 ; [S], #
createpolicy.range [S:global] @primary [L2::evict_first|L2::evict_unchanged] b64 ; =b64, [S], u32, u32
createpolicy.fractional @primary [L2::evict_first|L2::evict_unchanged] b64 ; =b64, f32?
createpolicy.cvt L2 b64 ; =b64, b64
alloca T:u32|u64 ; =T, T, #?
stacksave T:u32|u64 ; =T
stackrestore T:u32|u64 ; T
)";

static constexpr llvm::StringLiteral kAtomics = R"(
atom [@sem] [@scope] [S:@atomic] and|or|xor [L2::cache_hint] T:b32|b64 ; =T, [S], T, {L2::cache_hint}b64
atom [@sem] [@scope] [S:@atomic] exch [L2::cache_hint] T:b32|b64|b128 ; =T, [S], T, {L2::cache_hint}b64
atom [@sem] [@scope] [S:@atomic] cas T:b16|b32|b64|b128 ; =T, [S], T, T
atom [@sem] [@scope] [S:@atomic] add [L2::cache_hint] T:u32|s32|u64|s64|f32|f64 ; =T, [S], T, {L2::cache_hint}b64
atom [@sem] [@scope] [S:@atomic] inc|dec [L2::cache_hint] T:u32 ; =T, [S], T, {L2::cache_hint}b64
atom [@sem] [@scope] [S:@atomic] min|max [L2::cache_hint] T:u32|s32|u64|s64 ; =T, [S], T, {L2::cache_hint}b64
atom [@sem] [@scope] [S:@atomic] add noftz [L2::cache_hint] T:f16|f16x2|bf16|bf16x2 ; =T, [S], T, {L2::cache_hint}b64
atom [@sem] [@scope] [S:global] add [L2::cache_hint] V:v2|v4 T:f32 ; =T*V, [S], T*V, {L2::cache_hint}b64
atom [@sem] [@scope] [S:global] add|min|max noftz [L2::cache_hint] V:v2|v4|v8 T:f16|bf16 ; =T*V, [S], T*V, {L2::cache_hint}b64
atom [@sem] [@scope] [S:global] add|min|max noftz [L2::cache_hint] V:v2|v4 T:f16x2|bf16x2 ; =T*V, [S], T*V, {L2::cache_hint}b64
red [relaxed|release] [@scope] [S:@atomic] and|or|xor [L2::cache_hint] T:b32|b64 ; [S], T, {L2::cache_hint}b64
red [relaxed|release] [@scope] [S:@atomic] add [L2::cache_hint] T:u32|s32|u64|s64|f32|f64 ; [S], T, {L2::cache_hint}b64
red [relaxed|release] [@scope] [S:@atomic] inc|dec [L2::cache_hint] T:u32 ; [S], T, {L2::cache_hint}b64
red [relaxed|release] [@scope] [S:@atomic] min|max [L2::cache_hint] T:u32|s32|u64|s64 ; [S], T, {L2::cache_hint}b64
red [relaxed|release] [@scope] [S:@atomic] add noftz [L2::cache_hint] T:f16|f16x2|bf16|bf16x2 ; [S], T, {L2::cache_hint}b64
red [relaxed|release] [@scope] [S:global] add [L2::cache_hint] V:v2|v4 T:f32 ; [S], T*V, {L2::cache_hint}b64
red [relaxed|release] [@scope] [S:global] add|min|max noftz [L2::cache_hint] V:v2|v4|v8 T:f16|bf16 ; [S], T*V, {L2::cache_hint}b64
red [relaxed|release] [@scope] [S:global] add|min|max noftz [L2::cache_hint] V:v2|v4 T:f16x2|bf16x2 ; [S], T*V, {L2::cache_hint}b64
red.async relaxed cluster [S:shared::cluster] mbarrier::complete_tx::bytes inc|dec T:u32 ; [S], T, [S]
red.async relaxed cluster [S:shared::cluster] mbarrier::complete_tx::bytes min|max T:u32|s32 ; [S], T, [S]
red.async relaxed cluster [S:shared::cluster] mbarrier::complete_tx::bytes and|or|xor T:b32 ; [S], T, [S]
red.async relaxed cluster [S:shared::cluster] mbarrier::complete_tx::bytes add T:u32|s32|u64 ; [S], T, [S]
red.async [mmio] release gpu|sys|cluster [S:global] add T:u32|s32|u64|s64 ; [S], T
)";

static constexpr llvm::StringLiteral kTextures = R"(
tex @geometry v4 D:u32|s32|f32|f16 C:s32|f32 ; =D*4|pred?, [tex], u32*n?, f32?
tex @geometry v2 f16x2 C:s32|f32 ; =f16x2*2|pred?, [tex], u32*n?, f32?
tex base @geometry v4 D:u32|s32|f32|f16 C:s32|f32 ; =D*4|pred?, [tex], u32*n?, f32?
tex level @geometry v4 D:u32|s32|f32|f16 C:s32|f32 ; =D*4|pred?, [tex], b32, u32*n?, f32?
tex grad @geometry v4 D:u32|s32|f32|f16 C:s32|f32 ; =D*4|pred?, [tex], f32*n, f32*n, u32*n?, f32?
tex base @geometry v2 f16x2 C:s32|f32 ; =f16x2*2|pred?, [tex], u32*n?, f32?
tex level @geometry v2 f16x2 C:s32|f32 ; =f16x2*2|pred?, [tex], b32, u32*n?, f32?
tex grad @geometry v2 f16x2 C:s32|f32 ; =f16x2*2|pred?, [tex], f32*n, f32*n, u32*n?, f32?
tld4 r|g|b|a 2d|a2d|cube|acube v4 D:u32|s32|f32 f32 ; =D*4|pred?, [tex], u32*n?, f32?
txq @query b32 ; =b32, []
txq level width|height|depth b32 ; =b32, [], b32
suld.b 1d|2d|3d|a1d|a2d [ca|cg|cs|cv] [V:v2|v4] T:b8|b16|b32|b64 trap|clamp|zero ; =~T*V, [tex]
sust.b 1d|2d|3d|a1d|a2d [wb|cg|cs|wt] [V:v2|v4] T:b8|b16|b32|b64 trap|clamp|zero ; [tex], ~T*V
sust.p 1d|2d|3d [V:v2|v4] b32 trap|clamp|zero ; [tex], b32*V
sured.b add|min|max|and|or 1d|2d|3d T:u32|u64|s32|b32|s64 trap|clamp|zero ; [tex], T
sured.p add|min|max|and|or 1d|2d|3d T:b32|b64 trap|clamp|zero ; [tex], T
suq @query b32 ; =b32, []
istypep texref|samplerref|surfref ; =pred, $u64
)";

llvm::ArrayRef<llvm::StringLiteral> ptx::getMemoryRows() {
  static constexpr llvm::StringLiteral kRows[] = {kMemory, kAtomics, kTextures};
  return kRows;
}
