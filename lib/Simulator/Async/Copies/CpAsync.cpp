//===- CpAsync.cpp - cp.async ---------------------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Issue of cp.async, its groups, and copies that nothing waits for.
//
//===----------------------------------------------------------------------===//

#include "CpAsync.h"

namespace carousel::sim {

using llvm::Twine;

GroupQueue &CpAsync::getQueue() {
  return issue.ctas.stateOf(issue.context.grid.current()).copies;
}

void CpAsync::copy(const void *global, void *shared, uint32_t size,
                   uint32_t valid) {
  constexpr llvm::StringLiteral kName = "cp_async.copy";
  AsyncContext &context = issue.context;
  if (size != 4 && size != 8 && size != 16)
    context.invalid(kName,
                    "expected a size of 4, 8 or 16 bytes, got " + Twine(size),
                    shared, size);
  if (valid > size)
    context.invalid(kName,
                    "expected at most the " + Twine(size) +
                        " bytes of the copy to be valid, got " + Twine(valid),
                    shared, size);
  issue.operands.checkShared(kName, shared, size, "the destination", size);
  if (uint64_t past = reinterpret_cast<uint64_t>(global) % size;
      valid != 0 && past != 0)
    context.invalid(kName,
                    "expected a source aligned to " + Twine(size) +
                        " bytes, got an address " + Twine(past) +
                        " bytes past that",
                    global, size);
  AsyncOperation &operation =
      issue.operations.create(OperationKind::GlobalToShared, kName);
  operation.proxy = Proxy::Generic;
  operation.source = static_cast<const char *>(global);
  operation.destination = static_cast<char *>(shared);
  operation.bytes = size;
  operation.validBytes = valid;
  issue.engine.issue(operation, &getQueue(), kGlobalLatency);
}

void CpAsync::commitGroup() { getQueue().commit(); }

void CpAsync::waitGroup(uint32_t pending) {
  waits.wait(getQueue(), /*read=*/false, pending, /*includesOpen=*/false);
}

void CpAsync::waitAll() {
  waits.wait(getQueue(), /*read=*/false, 0, /*includesOpen=*/true);
}

void CpAsync::threadExit(Thread &thread, ThreadState &state) {
  Actor actor = whoIs(thread).actor();
  GroupQueue &copies = state.copies;
  for (size_t i = 0; i < copies.groups.size(); ++i) {
    const Group &group = copies.groups[i];
    if (group.operations == 0 || group.lastIssue <= copies.coveredStamp)
      continue;
    bool isOpen = i + 1 == copies.groups.size();
    actor.site = group.site;
    issue.context.report(
        isOpen ? FindingKind::UncommittedTransfer : FindingKind::InFlight,
        actor,
        "expected a wait or an mbarrier arrive for all cp.async of a thread "
        "before it exits, "
        "found " +
            Twine(group.operations) + " copies without");
  }
}

} // namespace carousel::sim
