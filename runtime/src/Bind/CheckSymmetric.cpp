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

static Status checkArgument(const ArgumentInfo &info,
                            const BoundArgument &bound,
                            const Context::Impl &context) {
  TensorMemory memory = {bound.data, bound.extents, bound.strides,
                         info.extents.size(),
                         static_cast<int64_t>(getBytes(info.element))};
  if (memory.isEmpty())
    return {};
  bool wantsPeer = info.sharing == ArgumentInfo::Sharing::Peer;
  FoundRanges found =
      findSymmetricRanges(context.context, &context, memory.address);
  const SymmetricRange &best = wantsPeer ? found.peer : found.own;
  const SymmetricRange &other = wantsPeer ? found.own : found.peer;
  const char *wanted = wantsPeer ? "a peer's part of a symmetric buffer"
                                 : "this rank's part of a symmetric buffer";
  if (best.end == 0 && other.end != 0)
    return fail(ErrorCode::InvalidArgument,
                "{}: expected {}, got 0x{:x} in the part of {} {}", info.name,
                wanted, memory.address,
                wantsPeer ? "this rank," : "its peer, rank", other.rank);
  if (best.end == 0)
    return fail(ErrorCode::InvalidArgument,
                "{}: expected {}, got 0x{:x} in none; SymmetricBuffer::adopt "
                "takes memory that something else shares",
                info.name, wanted, memory.address);
  uint64_t room = best.end - memory.address;
  if (memory.getBytes() <= room)
    return {};
  return fail(ErrorCode::InvalidArgument,
              "{}: expected at most {} bytes at 0x{:x}, which is {} bytes into "
              "the part of rank {}, got {}",
              info.name, room, memory.address, memory.address - best.begin,
              best.rank, memory.getBytes());
}

Status checkSymmetric(const SignatureInfo &signature,
                      const BoundArgument *bound,
                      const Context::Impl &context) {
  for (size_t i = 0; i < signature.countPassed(); ++i) {
    const ArgumentInfo &info = signature.arguments[i];
    if (info.sharing == ArgumentInfo::Sharing::None)
      continue;
    if (Status status = checkArgument(info, bound[i], context); !status)
      return status;
  }
  return {};
}

} // namespace carousel::runtime
