//===- SendRecv.cpp - two-sided copies ------------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A message goes in parts through the two slots of a mailbox, which is memory
// of the receiver. Two counters of each slot take turns:
//
//   sender:   busy == 0, busy = 1, copy into the slot, full = bytes + 1
//   receiver: full == bytes + 1, full = 0, copy out of it, busy = 0
//
// `full` is at the receiver and has the bytes of the whole message; `busy` is
// at the sender. Each message leaves all counters 0, so that a graph can send
// again.
//
//===----------------------------------------------------------------------===//

#include "SymmetricImpl.h"

#include "carousel/Runtime/Fail.h"

#include <algorithm>

namespace carousel::runtime {

namespace {
enum : uint32_t { Full = 0, Busy = 2 }; ///< the counter of slot 0

/// What the two sides have in common.
struct Exchange {
  Comm::Impl &group;
  SymmetricBuffer::Impl &mailboxes;
  int peer;
  const char *argument;

  Status check(const char *name, uint64_t address, uint64_t bytes) const {
    if (Status status = group.checkRank(peer, argument); !status)
      return status;
    if (peer == group.getRank())
      return fail(ErrorCode::InvalidArgument,
                  "{}: expected another rank, got rank {} itself", argument,
                  peer);
    if (group.waits.isBroken(peer))
      return fail(ErrorCode::PeerLost,
                  "{}: expected mailboxes in order, but a send or recv with "
                  "rank {} ended by a fault; connect again",
                  argument, peer);
    return mailboxes.checkTransfer(peer, argument, 0, address, name,
                                   std::min<uint64_t>(bytes, 1));
  }

  Status wait(Wait::Kind kind, uint32_t signal, uint64_t value, uint64_t after,
              Stream stream) const {
    Wait wait;
    wait.kind = kind;
    wait.from = peer;
    wait.signal = signal;
    wait.address = mailboxes.getCounter(group.getRank(), peer, signal);
    wait.value = value;
    wait.isEqual = true;
    wait.after = after;
    wait.timeout = group.options.timeout;
    return group.enqueueWait(wait, stream);
  }

  /// A step after a wait failed: the counters are out of step then.
  Status note(Status status) const {
    if (!status)
      group.waits.setBroken(peer);
    return status;
  }

  /// Where rank `at` receives from rank `from`.
  uint64_t getSlot(int at, int from, uint32_t slot) const {
    return mailboxes.addresses[at] +
           (2 * uint64_t(from) + slot) * group.options.mailboxBytes;
  }

  /// Runs `part` for the parts of a message: its slot, offset and bytes.
  template <typename Part> Status forParts(uint64_t bytes, Part part) const {
    uint64_t most = group.options.mailboxBytes;
    uint32_t slot = 0;
    for (uint64_t at = 0; at < bytes; at += most, slot ^= 1)
      if (Status status = part(slot, at, std::min(most, bytes - at)); !status)
        return status;
    return {};
  }
};

} // namespace

Status Comm::send(int to, uint64_t source, uint64_t bytes, Stream stream,
                  const TransferOptions &options) const noexcept {
  CurrentContext current(impl->context.getImpl());
  if (!current.getStatus())
    return current.getStatus();
  if (options.transport == TransportKind::NCCL || !impl->link)
    return impl->runNCCL(
        to, "to", fmt::format("a send of {} bytes", bytes),
        [nccl = impl->nccl, to, source, bytes, stream] {
          return nccl->send(to, source, bytes, stream);
        },
        stream);
  if (!impl->mailboxes)
    return tl::make_unexpected(impl->mailboxes.error());
  Exchange exchange = {*impl, **impl->mailboxes, to, "to"};
  if (Status status = exchange.check("source", source, bytes); !status)
    return status;
  if (Status status = impl->peers->requireAlive(to, "to"); !status)
    return status;
  // Nothing is in the stream yet.
  if (Status status = impl->transports.check(options); !status)
    return status;
  std::lock_guard<std::mutex> lock(impl->sending);
  return exchange.forParts(
      bytes, [&](uint32_t slot, uint64_t at, uint64_t count) -> Status {
        if (Status status =
                exchange.wait(Wait::Kind::Send, Busy + slot, 0, 1, stream);
            !status)
          return status;
        Copy copy = {exchange.getSlot(to, getRank(), slot), source + at, count,
                     options.ctas};
        Status status =
            impl->transports.copy(copy, impl->getRoute(to), options, stream);
        if (status)
          status =
              exchange.mailboxes.setSignal(to, Full + slot, bytes + 1, stream);
        return exchange.note(std::move(status));
      });
}

Status Comm::recv(int from, uint64_t target, uint64_t bytes, Stream stream,
                  const TransferOptions &options) const noexcept {
  CurrentContext current(impl->context.getImpl());
  if (!current.getStatus())
    return current.getStatus();
  if (options.transport == TransportKind::NCCL || !impl->link)
    return impl->runNCCL(
        from, "from", fmt::format("a recv of {} bytes", bytes),
        [nccl = impl->nccl, from, target, bytes, stream] {
          return nccl->recv(from, target, bytes, stream);
        },
        stream);
  if (!impl->mailboxes)
    return tl::make_unexpected(impl->mailboxes.error());
  Exchange exchange = {*impl, **impl->mailboxes, from, "from"};
  if (Status status = exchange.check("target", target, bytes); !status)
    return status;
  // One that is gone may have sent before.
  std::lock_guard<std::mutex> lock(impl->receiving);
  TransferOptions local;
  local.transport = TransportKind::CopyEngine;
  return exchange.forParts(
      bytes, [&](uint32_t slot, uint64_t at, uint64_t count) -> Status {
        if (Status status = exchange.wait(Wait::Kind::Recv, Full + slot,
                                          bytes + 1, 0, stream);
            !status)
          return status;
        Copy copy = {target + at, exchange.getSlot(getRank(), from, slot),
                     count, 0};
        Status status = impl->transports.copy(copy, Route(), local, stream);
        if (status)
          status = exchange.mailboxes.setSignal(from, Busy + slot, 0, stream);
        return exchange.note(std::move(status));
      });
}

} // namespace carousel::runtime
