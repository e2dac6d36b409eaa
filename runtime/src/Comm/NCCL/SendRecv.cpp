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

#include "../SymmetricImpl.h"

#include "carousel/Runtime/Fail.h"

#include <algorithm>

namespace carousel::runtime {

namespace {
enum : uint32_t { Full = 0, Busy = 2 }; ///< the counter of slot 0

/// One message, on one of its two sides.
struct Exchange {
  Comm::Impl &group;
  SymmetricBuffer::Impl &mailboxes;
  const Side &side;
  int peer;
  uint64_t address, bytes;
  const TransferOptions &options;
  Stream stream;

  Status check() const {
    CAROUSEL_TRY(group.checkRank(peer, side.rank));
    if (peer == group.getRank())
      return fail(ErrorCode::InvalidArgument,
                  "{}: expected another rank, got rank {} itself", side.rank,
                  peer);
    if (group.waits.isBroken(peer))
      return fail(ErrorCode::PeerLost,
                  "{}: expected mailboxes in order, but a send or recv with "
                  "rank {} ended by a fault; connect again",
                  side.rank, peer);
    CAROUSEL_TRY(mailboxes.checkTransfer(peer, side.rank, 0, address,
                                         side.memory,
                                         std::min<uint64_t>(bytes, 1)));
    if (!side.isOut) // one that is gone may have sent before
      return {};
    CAROUSEL_TRY(group.peers->requireAlive(peer, side.rank));
    // The call has put no work into the stream yet.
    Copy part = {getSlot(peer, group.getRank(), 0), address,
                 std::min(bytes, group.options.mailboxBytes), options.ctas};
    part.isSignalled = true;
    return group.transports.check(part, group.routes[peer], options, stream);
  }

  Status wait(uint32_t signal, uint64_t value, uint64_t after) const {
    Wait wait;
    wait.kind = side.isOut ? Wait::Kind::Send : Wait::Kind::Recv;
    wait.from = peer;
    wait.signal = signal;
    wait.address = mailboxes.getCounter(group.getRank(), peer, signal);
    wait.word = mailboxes.getWord(peer, signal);
    wait.value = value;
    wait.isEqual = true;
    wait.after = after;
    wait.timeout = group.options.timeout;
    return group.enqueueWait(wait, stream);
  }

  /// Where rank `at` receives from rank `from`.
  uint64_t getSlot(int at, int from, uint32_t slot) const {
    return mailboxes.addresses[at] +
           (2 * uint64_t(from) + slot) * group.options.mailboxBytes;
  }

  Status sendPart(uint32_t slot, uint64_t at, uint64_t count) const {
    Copy copy = {getSlot(peer, group.getRank(), slot), address + at, count,
                 options.ctas};
    copy.isSignalled = true;
    CAROUSEL_TRY(
        group.transports.copy(copy, group.routes[peer], options, stream));
    return mailboxes.setSignal(peer, Full + slot, bytes + 1, stream);
  }

  Status receivePart(uint32_t slot, uint64_t at, uint64_t count) const {
    TransferOptions local;
    local.transport = TransportKind::CopyEngine;
    Copy copy = {address + at, getSlot(group.getRank(), peer, slot), count, 0};
    CAROUSEL_TRY(group.transports.copy(copy, Route(), local, stream));
    return mailboxes.setSignal(peer, Busy + slot, 0, stream);
  }

  /// Puts the message into the stream, after the last one with the peer.
  Status runInOrder() const {
    CAROUSEL_TRY_ASSIGN(bool isCaptured,
                        group.context.getImpl().isCapturing(stream));
    if (isCaptured)
      return run();
    std::map<int, Event> &events = side.isOut ? group.sent : group.received;
    auto last = events.find(peer);
    if (last == events.end()) {
      CAROUSEL_TRY_ASSIGN(Event made, Event::create(group.context));
      last = events.emplace(peer, std::move(made)).first;
    } else if (Status status = last->second.wait(stream); !status) {
      return status;
    }
    Status status = run();
    Status recorded = last->second.record(stream);
    return status ? recorded : status;
  }

private:
  /// All parts of the message.
  Status run() const {
    uint64_t most = group.options.mailboxBytes;
    uint32_t slot = 0;
    for (uint64_t at = 0; at < bytes; at += most, slot ^= 1) {
      Status status = side.isOut ? wait(Busy + slot, 0, 1)
                                 : wait(Full + slot, bytes + 1, 0);
      if (!status) {
        if (at > 0) // the peer waits for this part
          group.waits.setBroken(peer);
        return status;
      }
      uint64_t count = std::min(most, bytes - at);
      status =
          side.isOut ? sendPart(slot, at, count) : receivePart(slot, at, count);
      if (status)
        continue;
      // A step after a wait failed: the counters are out of step.
      group.waits.setBroken(peer);
      return status;
    }
    return {};
  }
};

Status exchange(Comm::Impl &group, const Side &side, int peer, uint64_t address,
                uint64_t bytes, Stream stream, const TransferOptions &options) {
  CurrentContext current(group.context.getImpl());
  CAROUSEL_TRY(current.getStatus());
  if (options.transport == TransportKind::NCCL || !group.link)
    return group.runNCCL(
        peer, side.rank,
        fmt::format("a {} of {} bytes", side.isOut ? "send" : "recv", bytes),
        [nccl = group.nccl, isOut = side.isOut, peer, address, bytes, stream] {
          return isOut ? nccl->send(peer, address, bytes, stream)
                       : nccl->recv(peer, address, bytes, stream);
        },
        stream);
  CAROUSEL_TRY(group.mailboxes);
  Exchange message = {group, **group.mailboxes, side,  peer, address,
                      bytes, options,           stream};
  std::lock_guard<std::mutex> lock(side.isOut ? group.sending
                                              : group.receiving);
  CAROUSEL_TRY(message.check());
  return message.runInOrder();
}

} // namespace

Status Comm::send(int to, uint64_t source, uint64_t bytes, Stream stream,
                  const TransferOptions &options) const noexcept {
  return exchange(*impl, kOut, to, source, bytes, stream, options);
}

Status Comm::recv(int from, uint64_t target, uint64_t bytes, Stream stream,
                  const TransferOptions &options) const noexcept {
  return exchange(*impl, kIn, from, target, bytes, stream, options);
}

} // namespace carousel::runtime
