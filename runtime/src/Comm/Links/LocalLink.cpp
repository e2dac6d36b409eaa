//===- LocalLink.cpp - messages within a process --------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A message goes into the other rank's mailbox at once, and objects go by
// pointer.
//
//===----------------------------------------------------------------------===//

#include "../Peers.h"

namespace carousel::runtime {

namespace {

class LocalLink : public Link {
public:
  LocalLink(int rank, std::vector<std::weak_ptr<Peers>> peers)
      : rank(rank), peers(std::move(peers)) {}

  Status send(int to, const Message &message, Deadline) override {
    // One that is destroyed has told so.
    if (std::shared_ptr<Peers> other = peers[to].lock())
      other->deliver(rank, message);
    return {};
  }

  void leave() override {
    for (size_t to = 0; to < peers.size(); ++to)
      if (std::shared_ptr<Peers> other = peers[to].lock();
          other && int(to) != rank)
        other->setGone(rank, PeerState::Left);
  }

private:
  int rank;
  std::vector<std::weak_ptr<Peers>> peers;
};

} // namespace

std::unique_ptr<Link>
connectLocalRank(int rank, std::vector<std::weak_ptr<Peers>> peers) {
  return std::make_unique<LocalLink>(rank, std::move(peers));
}

} // namespace carousel::runtime
