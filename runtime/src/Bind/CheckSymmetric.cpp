//===- CheckSymmetric.cpp - checks memory that peers access ---------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An address of a peer's memory looks like any other, and an access beyond its
// mapping costs the process its context. So a launch compares these arguments
// with the parts of the symmetric buffers that its context maps.
//
//===----------------------------------------------------------------------===//

#include "Bind.h"
#include "Context/ContextImpl.h"
#include "Context/SymmetricRanges.h"

#include "carousel/Runtime/Fail.h"
#include "carousel/Support/TensorOverlap.h"

namespace carousel::runtime {

using Sharing = ArgumentInfo::Sharing;

static const SymmetricRange &select(const FoundRanges &found, Sharing sharing) {
  return sharing == Sharing::Peer        ? found.peer
         : sharing == Sharing::Multicast ? found.multicast
                                         : found.own;
}

/// "the part of its peer, rank 1".
static std::string describe(const FoundRanges &found) {
  if (found.own.end != 0)
    return fmt::format("the part of this rank, {}", found.own.rank);
  if (found.peer.end != 0)
    return fmt::format("the part of its peer, rank {}", found.peer.rank);
  if (found.multicast.end != 0)
    return "the multicast address of a buffer";
  return "none; SymmetricBuffer::adopt takes memory that something else shares";
}

static Status checkArgument(const ArgumentInfo &info,
                            const BoundArgument &bound,
                            const Context::Impl &context) {
  TensorMemory memory = {bound.data, bound.extents, bound.strides,
                         info.extents.size(),
                         static_cast<int64_t>(getBytes(info.element))};
  if (memory.isEmpty())
    return {};
  constexpr const char *kWanted[] = {
      "", "this rank's part of a symmetric buffer",
      "a peer's part of a symmetric buffer",
      "the multicast address of a symmetric buffer"};
  FoundRanges found =
      findSymmetricRanges(context.context, &context, memory.address);
  const SymmetricRange &best = select(found, info.sharing);
  if (best.end == 0)
    return fail(ErrorCode::InvalidArgument, "{}: expected {}, got 0x{:x} in {}",
                info.name, kWanted[static_cast<int>(info.sharing)],
                memory.address, describe(found));
  uint64_t room = best.end - memory.address;
  if (memory.getBytes() <= room)
    return {};
  return fail(ErrorCode::InvalidArgument,
              "{}: expected at most {} bytes at 0x{:x}, which is {} bytes into "
              "{}, got {}",
              info.name, room, memory.address, memory.address - best.begin,
              best.isMulticast ? "the multicast address of a buffer"
                               : fmt::format("the part of rank {}", best.rank),
              memory.getBytes());
}

Status checkSymmetric(const SignatureInfo &signature,
                      const BoundArgument *bound,
                      const Context::Impl &context) {
  const size_t passed = signature.countPassed();
  for (size_t i = 0; i < passed; ++i) {
    const ArgumentInfo &info = signature.arguments[i];
    if (info.sharing == Sharing::None)
      continue;
    CAROUSEL_TRY(checkArgument(info, bound[i], context));
  }
  return {};
}

} // namespace carousel::runtime
