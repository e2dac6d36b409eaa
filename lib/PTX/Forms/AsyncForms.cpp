//===- AsyncForms.cpp - asynchronous copies, barriers, fences, votes ------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows of the table of instructions; FormRows.h has the notation. PTX ISA,
// Instruction Set: asynchronous copies, tensor maps, parallel synchronization
// and communication.
//
//===----------------------------------------------------------------------===//

#include "FormRows.h"

using namespace carousel;
using namespace carousel::ptx;

static constexpr llvm::StringLiteral kCopies = R"(
cp.async ca|cg S:shared|shared::cta global [L2::cache_hint] [@prefetch] ; [S], [global], #, u32?, {L2::cache_hint}b64
cp.async ca|cg S:shared|shared::cta global [L2::cache_hint] [@prefetch] ; [S], [global], #, pred, {L2::cache_hint}b64
cp.async.commit_group ;
cp.async.wait_group ; #
cp.async.wait_all ;
cp.async.mbarrier.arrive [noinc] [S:shared|shared::cta] b64 ; [S]
cp.async.bulk [weak] D:shared::cta|shared::cluster S:global mbarrier::complete_tx::bytes [multicast::cluster] [L2::cache_hint] ; [D], [S], u32, [shared], {multicast::cluster}u16, {L2::cache_hint}b64
cp.async.bulk [weak] D:shared::cta S:global mbarrier::complete_tx::bytes [L2::cache_hint] ignore_oob ; [D], [S], u32, u32, u32, [shared], {L2::cache_hint}b64
cp.async.bulk [weak] D:shared::cluster S:shared::cta mbarrier::complete_tx::bytes ; [D], [S], u32, [D]
cp.async.bulk [weak] D:global S:shared::cta bulk_group [L2::cache_hint] [cp_mask] ; [D], [S], u32, {L2::cache_hint}b64, {cp_mask}b16
cp.async.bulk relaxed [@scope] D:shared::cta|shared::cluster S:global mbarrier::complete_tx::bytes [multicast::cluster] [L2::cache_hint] b128 ; [D], [S], u32, [shared], {multicast::cluster}u16, {L2::cache_hint}b64
cp.async.bulk relaxed [@scope] D:shared::cluster S:shared::cta mbarrier::complete_tx::bytes b128 ; [D], [S], u32, [D]
cp.async.bulk relaxed [@scope] D:global S:shared::cta bulk_group [L2::cache_hint] [cp_mask] b128 ; [D], [S], u32, {L2::cache_hint}b64, {cp_mask}b16
cp.async.bulk.prefetch L2 S:global [L2::cache_hint] ; [S], u32, {L2::cache_hint}b64
cp.async.bulk.commit_group ;
cp.async.bulk.wait_group [read] ; #
cp.reduce.async.bulk D:shared::cluster S:shared::cta mbarrier::complete_tx::bytes @reduction T:b32|u32|s32|b64|u64 ; [D], [S], u32, [D]
cp.reduce.async.bulk D:global S:shared::cta bulk_group [L2::cache_hint] and|or|xor T:b32|b64 ; [D], [S], u32, {L2::cache_hint}b64
cp.reduce.async.bulk D:global S:shared::cta bulk_group [L2::cache_hint] add T:u32|s32|u64|s64|f32|f64 ; [D], [S], u32, {L2::cache_hint}b64
cp.reduce.async.bulk D:global S:shared::cta bulk_group [L2::cache_hint] inc|dec T:u32 ; [D], [S], u32, {L2::cache_hint}b64
cp.reduce.async.bulk D:global S:shared::cta bulk_group [L2::cache_hint] min|max T:u32|s32|u64|s64|f16|bf16 ; [D], [S], u32, {L2::cache_hint}b64
cp.reduce.async.bulk D:global S:shared::cta bulk_group [L2::cache_hint] add noftz T:f16|bf16 ; [D], [S], u32, {L2::cache_hint}b64
multimem.cp.async.bulk D:global S:shared::cta bulk_group [cp_mask] ; [D], [S], u32, {cp_mask}b16
multimem.cp.reduce.async.bulk D:global S:shared::cta bulk_group and|or|xor T:b32|b64 ; [D], [S], u32
multimem.cp.reduce.async.bulk D:global S:shared::cta bulk_group add T:u32|s32|u64|s64|f32|f64 ; [D], [S], u32
multimem.cp.reduce.async.bulk D:global S:shared::cta bulk_group inc|dec T:u32 ; [D], [S], u32
multimem.cp.reduce.async.bulk D:global S:shared::cta bulk_group min|max T:u32|s32|u64|s64|f16|bf16 ; [D], [S], u32
multimem.cp.reduce.async.bulk D:global S:shared::cta bulk_group add noftz T:f16|bf16 ; [D], [S], u32
cp.async.bulk.tensor @rank D:shared::cta|shared::cluster global [tile|tile::gather4] mbarrier::complete_tx::bytes [multicast::cluster] [@ctas] [L2::cache_hint] ; [D], [tensor], [shared], {multicast::cluster}u16, {L2::cache_hint}b64
cp.async.bulk.tensor @rank D:shared::cta|shared::cluster global im2col|im2col::w|im2col::w::128 mbarrier::complete_tx::bytes [multicast::cluster] [@ctas] [L2::cache_hint] ; [D], [tensor], [shared], u16*n, {multicast::cluster}u16, {L2::cache_hint}b64
cp.async.bulk.tensor @rank global S:shared::cta [tile|tile::scatter4|im2col_no_offs] bulk_group [L2::cache_hint] ; [tensor], [S], {L2::cache_hint}b64
cp.reduce.async.bulk.tensor @rank global S:shared::cta @reduction [tile|im2col_no_offs] bulk_group [L2::cache_hint] ; [tensor], [S], {L2::cache_hint}b64
cp.async.bulk.prefetch.tensor @rank L2 global [tile|tile::gather4] [L2::cache_hint] ; [tensor], {L2::cache_hint}b64
cp.async.bulk.prefetch.tensor @rank L2 global im2col|im2col::w|im2col::w::128 [L2::cache_hint] ; [tensor], u16*n, {L2::cache_hint}b64
tensormap.replace tile global_address [S:global|shared::cta] b1024 b64 ; [S], b64
tensormap.replace tile rank [S:global|shared::cta] b1024 b32 ; [S], b32
tensormap.replace tile box_dim|global_dim|element_stride [S:global|shared::cta] b1024 b32 ; [S], #, b32
tensormap.replace tile global_stride [S:global|shared::cta] b1024 b64 ; [S], #, b64
tensormap.replace tile elemtype|interleave_layout|swizzle_mode|swizzle_atomicity|fill_mode [S:global|shared::cta] b1024 b32 ; [S], #
tensormap.cp_fenceproxy D:global S:shared::cta tensormap::generic release @scope sync aligned ; [D], [S], #
clusterlaunchcontrol.try_cancel async [S:shared::cta] mbarrier::complete_tx::bytes [multicast::cluster::all] b128 ; [S], [S]
clusterlaunchcontrol.query_cancel is_canceled pred b128 ; =pred, b128
clusterlaunchcontrol.query_cancel get_first_ctaid v4 b32 b128 ; =b32*4, b128
clusterlaunchcontrol.query_cancel get_first_ctaid::x|get_first_ctaid::y|get_first_ctaid::z b32 b128 ; =b32, b128
)";

static constexpr llvm::StringLiteral kMbarriers = R"(
mbarrier.init [S:shared|shared::cta] b64 ; [S], u32
mbarrier.inval [S:shared|shared::cta] b64 ; [S]
mbarrier.expect_tx [relaxed] [cta|cluster] [S:@shared] b64 ; [S], u32
mbarrier.complete_tx [relaxed] [cta|cluster] [S:@shared] b64 ; [S], u32
mbarrier.arrive [release|relaxed] [cta|cluster] [S:@shared] b64 ; =b64, [S], u32?
mbarrier.arrive noComplete [release] [cta] [S:shared|shared::cta] b64 ; =b64, [S], u32
mbarrier.arrive expect_tx [release|relaxed] [cta|cluster] [S:@shared] b64 ; =b64, [S], u32
mbarrier.arrive_drop [release|relaxed] [cta|cluster] [S:@shared] b64 ; =b64, [S], u32?
mbarrier.arrive_drop noComplete [release] [cta] [S:shared|shared::cta] b64 ; =b64, [S], u32
mbarrier.arrive_drop expect_tx [release|relaxed] [cta|cluster] [S:@shared] b64 ; =b64, [S], u32
mbarrier.test_wait [acquire|relaxed] [cta|cluster] [S:shared|shared::cta] b64 ; =pred, [S], b64
mbarrier.test_wait parity [acquire|relaxed] [cta|cluster] [S:shared|shared::cta] b64 ; =pred, [S], u32
mbarrier.try_wait [acquire|relaxed] [cta|cluster] [S:shared|shared::cta] b64 ; =pred, [S], b64, u32?
mbarrier.try_wait parity [acquire|relaxed] [cta|cluster] [S:shared|shared::cta] b64 ; =pred, [S], u32, u32?
mbarrier.pending_count b64 ; =u32, b64
)";

static constexpr llvm::StringLiteral kSync = R"(
bar [cta] sync ; u32, u32?
bar [cta] arrive ; u32, u32
bar [cta] red popc u32 ; =u32, u32, pred
bar [cta] red popc u32 ; =u32, u32, u32, pred
bar [cta] red and|or pred ; =pred, u32, pred
bar [cta] red and|or pred ; =pred, u32, u32, pred
barrier [cta] sync [aligned] ; u32, u32?
barrier [cta] arrive [aligned] ; u32, u32
barrier [cta] red popc [aligned] u32 ; =u32, u32, pred
barrier [cta] red popc [aligned] u32 ; =u32, u32, u32, pred
barrier [cta] red and|or [aligned] pred ; =pred, u32, pred
barrier [cta] red and|or [aligned] pred ; =pred, u32, u32, pred
bar.warp.sync ; u32
barrier.cluster arrive [release|relaxed] [aligned] ;
barrier.cluster wait [acquire] [aligned] ;
membar cta|gl|sys ;
fence [sc|acq_rel|acquire|release] @scope ;
fence acquire sync_restrict::shared::cluster cluster ;
fence release sync_restrict::shared::cta cluster ;
fence mbarrier_init release cluster ;
fence.proxy alias|async ;
fence.proxy async global|shared::cta|shared::cluster ;
fence.proxy tensormap::generic release @scope ;
fence.proxy tensormap::generic acquire @scope ; [], #
fence.proxy async::generic acquire sync_restrict::shared::cluster cluster ;
fence.proxy async::generic release sync_restrict::shared::cta cluster ;
membar.proxy alias|async ;
vote all|any|uni pred ; =pred, pred
vote ballot b32 ; =b32, pred
vote.sync all|any|uni pred ; =pred, pred, u32
vote.sync ballot b32 ; =b32, pred, u32
match.any.sync T:b32|b64 ; =u32, T, u32
match.all.sync T:b32|b64 ; =u32|pred?, T, u32
activemask b32 ; =b32
redux.sync add|min|max T:u32|s32 ; =T, T, u32
redux.sync and|or|xor T:b32 ; =T, T, u32
redux.sync min|max [abs] [NaN] T:f32 ; =T, T, u32
elect.sync ; =b32|pred, u32
griddepcontrol launch_dependents|wait ;
setmaxnreg inc|dec sync aligned u32 ; #
nanosleep u32 ; u32
)";

static constexpr llvm::StringLiteral kControl = R"(
bra [uni] ; label
brx.idx [uni] ; u32, labels
call [uni] ; call
ret [uni] ;
exit ;
trap ;
brkpt ;
pmevent ; #
pmevent mask ; #
)";

llvm::ArrayRef<llvm::StringLiteral> ptx::getAsyncRows() {
  static constexpr llvm::StringLiteral kRows[] = {kCopies, kMbarriers, kSync,
                                                  kControl};
  return kRows;
}
