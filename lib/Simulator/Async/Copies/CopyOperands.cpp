//===- CopyOperands.cpp - operands of copies at run time ------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Alignment, sizes, targets of a multicast, and reductions that several threads
// issue.
//
//===----------------------------------------------------------------------===//

#include "CopyOperands.h"

#include "carousel/Support/HardwareLimits.h"

#include "llvm/ADT/Hashing.h"

namespace carousel::sim {

using llvm::Twine;

void CopyOperands::checkBulk(llvm::StringRef name, const void *global,
                             int64_t size) {
  if (size <= 0 || size % rules::kBulkGranule != 0)
    context.invalid(
        name,
        "expected a size that is a positive multiple of 16 bytes, got " +
            Twine(size),
        global, 1);
  if (uint64_t past = reinterpret_cast<uint64_t>(global) % rules::kBulkGranule)
    context.invalid(
        name,
        "expected the global end of a bulk copy aligned to 16 bytes, got "
        "an address " +
            Twine(past) + " bytes past that",
        global, uint64_t(size));
}

uint64_t CopyOperands::checkShared(llvm::StringRef name, const void *shared,
                                   uint64_t alignment, const char *what,
                                   uint64_t size) {
  const RegionInfo *region = context.memory.find(shared);
  if (!region || region->space != Space::Shared)
    context.invalid(name,
                    Twine("expected ") + what +
                        " in shared memory, got another address",
                    shared, size);
  auto offset = uint64_t(static_cast<const char *>(shared) - region->base);
  if (offset % alignment != 0)
    context.invalid(name,
                    Twine("expected ") + what + " aligned to " +
                        Twine(alignment) + " bytes, got an offset of " +
                        Twine(offset) + " bytes",
                    shared, size);
  return offset;
}

void CopyOperands::signalAtDestination(AsyncOperation &operation,
                                       void *barrier) {
  uint32_t home = 0, signalled = 0;
  ctas.findShared(operation.destination, &home);
  ctas.findShared(barrier, &signalled);
  if (home != signalled)
    context.invalid(
        operation.name,
        "expected the barrier in the CTA of the destination, got CTAs " +
            Twine(signalled) + " and " + Twine(home),
        operation.destination, operation.bytes);
  arrivals.signal(operation, barrier);
}

void CopyOperands::noteReduction(AsyncOperation &operation,
                                 uint64_t destination) {
  Thread &thread = context.grid.current();
  auto key = uint64_t(llvm::hash_combine(thread.site, operation.source,
                                         destination)) >>
             1;
  ReductionIssue &last =
      ctas.at(thread.cta)
          .reductions.try_emplace(key, ReductionIssue{thread.index, Epoch()})
          .first->second;
  if (last.thread != thread.index && !thread.view.order.covers(last.issue))
    context.report(
        FindingKind::DuplicateReduction, operation.issuer.actor(operation.name),
        "expected one thread to issue a reduction, found threads " +
            Twine(last.thread) + " and " + Twine(thread.index) +
            " with the same source and destination",
        operation.source, operation.bytes,
        Actor{thread.cta, last.thread, operation.name.str(), thread.site, {}});
  last = {thread.index, thread.epoch()};
}

void CopyOperands::forEachTarget(
    llvm::StringRef name, void *shared, void *barrier,
    std::optional<uint16_t> multicast,
    llvm::function_ref<void(char *to, void *signal)> copy) {
  if (!multicast) {
    copy(static_cast<char *>(shared), barrier);
    return;
  }
  for (uint32_t rank = 0; rank < 16; ++rank) {
    if (!(*multicast >> rank & 1))
      continue;
    char *to = ctas.toRank(shared, rank), *signal = ctas.toRank(barrier, rank);
    if (!to || !signal)
      context.invalid(
          name,
          "expected a multicast to CTAs of the cluster that haven't "
          "exited, got rank " +
              Twine(rank),
          shared, 1);
    copy(to, signal);
  }
}

} // namespace carousel::sim
