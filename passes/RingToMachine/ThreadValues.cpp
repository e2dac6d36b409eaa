//===- ThreadValues.cpp - numbers, leaders and barriers of threads --------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arithmetic on the thread's ids, and the barrier op that each scope has.
//
//===----------------------------------------------------------------------===//

#include "ThreadValues.h"

#include "Transfers/LowerTransfers.h"

#include "carousel/Analysis/Values/UniformValues.h"
#include "carousel/Support/HardwareLimits.h"

using namespace mlir;
using namespace carousel;

template <typename Key>
static Value lookup(const std::vector<std::pair<Key, Value>> &values,
                    const Key &key) {
  auto it = llvm::find_if(
      values, [&](const auto &entry) { return entry.first == key; });
  return it == values.end() ? Value() : it->second;
}

Value ThreadValues::getBlockThread() {
  if (blockThread)
    return blockThread;
  std::array<int64_t, 3> block = *getKnownBlock(kernel.func);
  gpu::Dimension dims[] = {gpu::Dimension::x, gpu::Dimension::y,
                           gpu::Dimension::z};
  int64_t stride = 1;
  for (auto [extent, dim] : llvm::zip_equal(block, dims)) {
    if (extent == 1 && (stride > 1 || dim != gpu::Dimension::z))
      continue;
    Value id = createCast(kernel.top, gpu::ThreadIdOp::create(kernel.top, dim),
                          kernel.top.getI32Type());
    id = createFolded<arith::MulIOp>(kernel.top, id, stride);
    blockThread = blockThread
                      ? createFolded<arith::AddIOp>(kernel.top, blockThread, id)
                      : id;
    stride *= extent;
  }
  return blockThread;
}

Value ThreadValues::getThread(const ThreadRange &range, TransferScope scope) {
  ScopeKey key(range, scope);
  if (Value known = lookup(threads, key))
    return known;
  Value thread = getBlockThread();
  if (scope != TransferScope::CTA)
    thread = createFolded<arith::RemUIOp>(kernel.top, thread,
                                          getScopeThreads(range, scope));
  else
    thread = createFolded<arith::SubIOp>(kernel.top, thread, range.first);
  threads.emplace_back(key, thread);
  return thread;
}

Value ThreadValues::getInstance(const ThreadRange &range, TransferScope scope) {
  ScopeKey key(range, scope);
  if (Value known = lookup(instances, key))
    return known;
  Value thread =
      createFolded<arith::SubIOp>(kernel.top, getBlockThread(), range.first);
  Value instance =
      createCast(kernel.top,
                 createFolded<arith::DivUIOp>(kernel.top, thread,
                                              getScopeThreads(range, scope)),
                 kernel.top.getIndexType());
  instances.emplace_back(key, instance);
  return instance;
}

Value ThreadValues::getLeader(const ThreadRange &range, TransferScope scope) {
  ScopeKey key(range, scope);
  if (Value known = lookup(leaders, key))
    return known;
  Value thread = getThread(range, scope);
  Value leader =
      arith::CmpIOp::create(kernel.top, arith::CmpIPredicate::eq, thread,
                            createConstant(kernel.top, thread.getType(), 0));
  leaders.emplace_back(key, leader);
  return leader;
}

Value ThreadValues::getIssuingWarp(const ThreadRange &range,
                                   TransferScope scope) {
  if (getScopeThreads(range, scope) == rules::kWarpSize)
    return {};
  ScopeKey key(range, scope);
  for (const auto &[known, isFirst] : issuingWarps)
    if (known == key)
      return isFirst;
  Value thread = getThread(range, scope);
  Value isFirst = arith::CmpIOp::create(
      kernel.top, arith::CmpIPredicate::ult, thread,
      createConstant(kernel.top, thread.getType(), rules::kWarpSize));
  issuingWarps.emplace_back(key, isFirst);
  return isFirst;
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

void ThreadValues::createBarrier(ImplicitLocOpBuilder &b,
                                 const ThreadRange &range,
                                 TransferScope scope) {
  if (scope == TransferScope::Warp) {
    BarrierWarpOp::create(b, /*mask=*/Value());
    return;
  }
  const NamedBarriers *named = kernel.plan.getNamedBarriers(range, scope);
  if (!named) {
    gpu::BarrierOp::create(b);
    return;
  }
  IntegerAttr threads = b.getI32IntegerAttr(getScopeThreads(range, scope));
  if (named->count == 1) {
    BarrierSyncOp::create(b, /*id=*/Value(), b.getI32IntegerAttr(named->first),
                          threads);
    return;
  }
  Value id = createFolded<arith::AddIOp>(kernel.top,
                                         createCast(kernel.top,
                                                    getInstance(range, scope),
                                                    kernel.top.getI32Type()),
                                         named->first);
  BarrierSyncOp::create(b, id, /*static_id=*/IntegerAttr(), threads);
}
