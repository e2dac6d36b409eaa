//===- Peers.cpp - the other ranks and their messages ---------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Peers.h.
//
//===----------------------------------------------------------------------===//

#include "Peers.h"

#include "carousel/Runtime/Fail.h"

#include <algorithm>
#include <ctime>

namespace carousel::runtime {

std::string formatTime(Clock::time_point time) {
  auto since = time.time_since_epoch();
  auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(since);
  std::time_t seconds = ms.count() / 1000;
  std::tm parts = {};
  ::gmtime_r(&seconds, &parts);
  char text[32] = "";
  std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &parts);
  return fmt::format("{}.{:03}Z", text, ms.count() % 1000);
}

const char *describe(MessageKind kind) {
  switch (kind) {
  case MessageKind::Hello:
    return "a connection";
  case MessageKind::Allocate:
    return "an allocation of a symmetric buffer";
  case MessageKind::Signals:
    return "the signals of an allocation";
  case MessageKind::Mapped:
    return "the end of an allocation";
  case MessageKind::Barrier:
    return "a barrier";
  case MessageKind::Multicast:
    return "the opening of multicast";
  case MessageKind::Bye:
    return "its end";
  }
  return "an unknown call";
}

Peers::Peers(int rank, int size)
    : rank(rank), size(size), entries(static_cast<size_t>(size)) {}

Peer Peers::get(int peer) const {
  std::lock_guard<std::mutex> lock(mutex);
  return entries[peer].peer;
}

void Peers::set(int peer, pid_t process, const DeviceUUID &device) {
  std::lock_guard<std::mutex> lock(mutex);
  entries[peer].peer.process = process;
  entries[peer].peer.device = device;
}

PeerState Peers::getState(int peer) const {
  std::lock_guard<std::mutex> lock(mutex);
  return entries[peer].peer.state;
}

void Peers::setGone(int peer, PeerState state) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    Peer &entry = entries[peer].peer;
    if (entry.state != PeerState::Alive)
      return;
    entry.state = state;
    entry.end = Clock::now();
  }
  changed.notify_all();
}

/// "rank 1 (process 4711) died at 2026-11-24T07:00:41.123Z".
std::string Peers::describeLocked(int peer) const {
  const Peer &entry = entries[peer].peer;
  std::string text = fmt::format("rank {} (process {})", peer, entry.process);
  if (entry.state == PeerState::Alive)
    return text;
  if (!entry.fault.empty())
    return fmt::format("{} was cut off at {}: {}", text, formatTime(entry.end),
                       entry.fault);
  return fmt::format("{} {} at {}", text,
                     entry.state == PeerState::Left ? "left" : "died",
                     formatTime(entry.end));
}

std::string Peers::describe(int peer) const {
  std::lock_guard<std::mutex> lock(mutex);
  return describeLocked(peer);
}

Status Peers::requireAlive(int peer, const char *argument) const {
  std::lock_guard<std::mutex> lock(mutex);
  if (entries[peer].peer.state == PeerState::Alive)
    return {};
  return fail(ErrorCode::PeerLost, "{}: expected a rank that is there, but {}",
              argument, describeLocked(peer));
}

static size_t countFiles(const std::deque<Message> &messages) {
  return static_cast<size_t>(
      std::count_if(messages.begin(), messages.end(),
                    [](const Message &one) { return one.file != nullptr; }));
}

void Peers::deliver(int from, Message message) {
  if (message.kind == MessageKind::Bye) {
    setGone(from, PeerState::Left);
    return;
  }
  bool isFull = false;
  {
    std::lock_guard<std::mutex> lock(mutex);
    Entry &entry = entries[from];
    if (entry.peer.state != PeerState::Alive)
      return;
    isFull = entry.messages.size() >= kMaxMessages ||
             (message.file && countFiles(entry.messages) >= kMaxFiles);
    if (!isFull)
      entry.messages.push_back(std::move(message));
  }
  if (isFull)
    return cutOff(from,
                  fmt::format("it sent more than {} messages, or {} with a "
                              "file, of calls that rank {} didn't make",
                              kMaxMessages, kMaxFiles, rank));
  changed.notify_all();
}

void Peers::cutOff(int peer, std::string fault) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    Entry &entry = entries[peer];
    if (entry.peer.state != PeerState::Alive)
      return;
    entry.peer.state = PeerState::Died;
    entry.peer.end = Clock::now();
    entry.peer.fault = std::move(fault);
    entry.messages.clear();
  }
  changed.notify_all();
}

Result<Message> Peers::receive(int from, MessageKind kind, uint64_t sequence,
                               std::chrono::milliseconds timeout) {
  Clock::time_point start = Clock::now();
  auto deadline = std::chrono::steady_clock::now() + timeout;
  std::unique_lock<std::mutex> lock(mutex);
  Entry &entry = entries[from];
  bool isThere = changed.wait_until(lock, deadline, [&] {
    // These are messages of a call that failed here without waiting for all.
    while (!entry.messages.empty() &&
           entry.messages.front().sequence < sequence)
      entry.messages.pop_front();
    return !entry.messages.empty() || entry.peer.state != PeerState::Alive;
  });
  if (!isThere)
    return fail(ErrorCode::Timeout,
                "rank {} waited for {} of {} since {}, longer than {} ms", rank,
                runtime::describe(kind), describeLocked(from),
                formatTime(start), timeout.count());
  if (entry.messages.empty())
    return fail(ErrorCode::PeerLost,
                "rank {} waited for {} of rank {} since {}, but {}", rank,
                runtime::describe(kind), from, formatTime(start),
                describeLocked(from));
  Message message = std::move(entry.messages.front());
  entry.messages.pop_front();
  if (message.kind == kind && message.sequence == sequence)
    return message;
  return fail(ErrorCode::InvalidArgument,
              "expected all ranks to make the same collective calls in the "
              "same order, got {} (call {}) on rank {} and {} (call {}) on "
              "rank {}",
              runtime::describe(kind), sequence, rank,
              runtime::describe(message.kind), message.sequence, from);
}

} // namespace carousel::runtime
