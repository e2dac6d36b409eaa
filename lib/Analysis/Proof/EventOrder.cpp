//===- EventOrder.cpp - what happens before what --------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See EventOrder.h.
//
//===----------------------------------------------------------------------===//

#include "EventOrder.h"

#include "llvm/ADT/STLExtras.h"

using namespace carousel::proof;

void Clock::join(const Clock &other) {
  if (epochs.size() < other.epochs.size())
    epochs.resize(other.epochs.size(), 0);
  for (auto [number, epoch] : llvm::enumerate(other.epochs))
    epochs[number] = std::max(epochs[number], epoch);
  done |= other.done;
}

static bool isOfWarp(const Access &access, int32_t thread) {
  if (thread < 0)
    return false;
  int32_t warp = thread / kWarpSize;
  return access.thread >= 0 ? access.thread / kWarpSize == warp
                            : access.thread == Access::kWarp - warp;
}

bool carousel::proof::isOrdered(const Access &earlier,
                                const Observer &observer) {
  const Clock &known = observer.knowledge.known;
  if (earlier.isAsync) {
    if (Clock::test(known.done, earlier.owner))
      return true;
    return llvm::any_of(observer.operations[earlier.owner].ends,
                        [&](const Operation::End &end) {
                          return end.members.test(earlier.thread) &&
                                 !(end.isOfRead && earlier.isWrite) &&
                                 (earlier.thread == observer.thread ||
                                  known.getEpoch(end.owner) >= end.epoch);
                        });
  }
  // An operation sees what threads have written behind a fence of its proxy.
  if (observer.isAsync && earlier.isWrite &&
      observer.knowledge.proxied.getEpoch(earlier.owner) < earlier.epoch)
    return false;
  if (known.getEpoch(earlier.owner) >= earlier.epoch ||
      (earlier.thread >= 0 && earlier.thread == observer.thread))
    return true;
  return isOfWarp(earlier, observer.thread) &&
         llvm::any_of(observer.warpEpochs, [&](auto own) {
           return own.first == earlier.owner && own.second >= earlier.epoch;
         });
}

/// Adds a read to those of a word; those of several threads become one.
static void addRead(llvm::SmallVectorImpl<Access> &reads,
                    const Access &access) {
  for (Access &own : reads)
    if (own.owner == access.owner && own.isAsync == access.isAsync &&
        own.line == access.line &&
        (!own.isAsync || own.thread == access.thread)) {
      bool isSame = own.thread == access.thread;
      if (!isSame && own.epoch == access.epoch) {
        int32_t warp = access.thread / kWarpSize;
        own.thread = isOfWarp(own, access.thread) ? Access::kWarp - warp
                                                  : Access::kSeveral;
      } else if (!isSame) {
        continue;
      }
      own.epoch = std::max(own.epoch, access.epoch);
      own.mask |= access.mask;
      own.isMaybe |= access.isMaybe;
      // An access behind these threads' last reads is behind earlier ones.
      Access now = own;
      if (now.thread < 0)
        llvm::erase_if(reads, [&](const Access &other) {
          return other.owner == now.owner && !other.isAsync &&
                 other.line == now.line && other.thread == now.thread &&
                 other.epoch < now.epoch && (other.mask & ~now.mask) == 0 &&
                 !now.isMaybe;
        });
      return;
    }
  reads.push_back(access);
}

const Access *SharedWords::access(uint64_t begin, uint64_t end, Access access,
                                  const Observer &observer) {
  for (uint64_t at = begin / 4; at * 4 < end; ++at) {
    Word &word = words[at];
    access.mask = 0xf;
    if (at * 4 < begin)
      access.mask &= 0xf << (begin % 4);
    if (at * 4 + 4 > end)
      access.mask &= 0xf >> (at * 4 + 4 - end);
    auto conflicts = [&](const Access &earlier) {
      if ((earlier.mask & access.mask) == 0 ||
          (earlier.isAtomic && access.isAtomic))
        return false;
      if (access.isOfOneInstruction(earlier))
        return access.isWrite && !access.isSame &&
               earlier.thread != access.thread;
      return !isOrdered(earlier, observer);
    };
    for (const Access &earlier : word.writes)
      if (conflicts(earlier)) {
        fault = earlier;
        faultAt = std::max(begin, at * 4);
        return &fault;
      }
    if (!access.isWrite) {
      addRead(word.reads, access);
      continue;
    }
    for (const Access &earlier : word.reads)
      if (conflicts(earlier)) {
        fault = earlier;
        faultAt = std::max(begin, at * 4);
        return &fault;
      }
    // Later accesses are ordered behind these if they are behind this write.
    auto isCovered = [&](const Access &earlier) {
      return (earlier.mask & ~access.mask) == 0 && !access.isAtomic &&
             !(access.isOfOneInstruction(earlier) &&
               earlier.thread != access.thread);
    };
    llvm::erase_if(word.writes, isCovered);
    llvm::erase_if(word.reads, isCovered);
    if (llvm::none_of(word.writes, [&](const Access &own) {
          return access.isOfOneInstruction(own) &&
                 own.thread == access.thread && own.mask == access.mask;
        }))
      word.writes.push_back(access);
  }
  return nullptr;
}

const Access *SharedWords::findWriter(uint64_t begin) const {
  const Word &word = words[begin / 4];
  if (begin % 4 != 0 || word.writes.size() != 1)
    return nullptr;
  const Access &own = word.writes.front();
  bool isWhole = own.mask == 0xf && !own.isAsync && !own.isAtomic &&
                 !own.isMaybe && own.thread >= 0;
  return isWhole ? &own : nullptr;
}
