//===- PairTimer.h - times copies between two ranks -------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two ranks, and the memory that they copy: both of this process, or one of
// this process and one of a *partner*, which makes the same calls. A sample
// times several operations between two events, so that the events' own time
// doesn't count; a row is the median of its samples. Where both ranks act, each
// has a thread and a stream, a *lane*, and the slowest lane counts.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TOOLS_P2P_PAIRTIMER_H
#define CAROUSEL_TOOLS_P2P_PAIRTIMER_H

#include "P2POptions.h"

#include "carousel/Runtime/Event.h"

#include <array>
#include <functional>
#include <optional>

namespace carousel::p2p {

/// The process of the other rank, at the other end of a socket.
class Partner {
public:
  explicit Partner(int socket) : socket(socket) {}
  /// Gives a struct of plain data, and waits for that of the partner.
  template <typename T> runtime::Result<T> swap(const T &own) {
    T other;
    CAROUSEL_TRY(swap(&own, &other, sizeof(T)));
    return other;
  }

private:
  runtime::Status swap(const void *own, void *other, size_t bytes);
  int socket;
};

class PairTimer {
public:
  /// Both ranks of this process.
  runtime::Status open(const Options &options,
                       const std::vector<runtime::Context> &contexts);
  /// One rank. The partner opens the other one, with the same session.
  runtime::Status open(const Options &options, const runtime::Context &context,
                       int rank, const std::string &session, Partner *other);
  /// Why NCCL isn't timed; empty if it is.
  const std::string &getNCCLNote() const { return ncclNote; }

  /// Whether there is such a row.
  bool has(Operation operation, const Way &way, uint64_t bytes) const;
  /// Checks the bytes of one operation first.
  runtime::Result<Row> time(Operation operation, const Way &way, uint64_t bytes,
                            double seconds);
  /// Half of a round of two signals, the mean of many.
  runtime::Result<double> timeSignals();

private:
  /// The work that one thread enqueues again and again.
  struct Lane {
    int rank;
    std::function<runtime::Status(runtime::Stream)> step;
  };
  std::vector<Lane> makeLanes(Operation operation, const Way &way,
                              uint64_t bytes);
  std::vector<Lane> makeNCCLLanes(Operation operation, uint64_t bytes);

  bool isHere(int rank) const { return comms[rank].has_value(); }
  runtime::Status allocate(const Options &options);
  /// Shares the first rank's id, by which NCCL connects a group.
  runtime::Result<std::string> shareNCCLId();
  runtime::Status connectNCCL(size_t group);
  /// Connects two groups, one for each direction: in one of them a send and a
  /// recv of a rank would take turns.
  runtime::Status openNCCL();
  /// The larger one of this process and the partner's.
  runtime::Result<double> getLargest(double own);

  /// Microseconds of one step.
  runtime::Result<double> sample(const std::vector<Lane> &lanes,
                                 unsigned count);
  /// Runs a lane in this thread; the time of all its steps.
  runtime::Result<double> run(const Lane &lane, unsigned count,
                              runtime::Stream stream);
  runtime::Status check(Operation operation, const Way &way, uint64_t bytes);
  /// Sets the memory that a rank copies from, which is `mine` or, for a get,
  /// its part of the buffer.
  runtime::Status fill(int rank, bool isPart, uint8_t value, uint64_t bytes);
  /// Whether the first bytes of a rank's memory and the last ones are `value`.
  runtime::Result<bool> holds(int rank, bool isPart, uint8_t value,
                              uint64_t bytes);

  template <typename T> using OfRanks = std::array<std::optional<T>, 2>;
  Partner *partner = nullptr; ///< null: both ranks are here
  OfRanks<runtime::Comm> comms;
  OfRanks<runtime::SymmetricBuffer> buffers;
  OfRanks<runtime::Buffer> mine; ///< memory of each rank alone
  std::array<uint64_t, 2> rounds = {};
  uint8_t pattern = 1;
  std::array<OfRanks<runtime::Comm>, 2> nccl; ///< by direction
  std::string ncclNote;
};

} // namespace carousel::p2p

#endif // CAROUSEL_TOOLS_P2P_PAIRTIMER_H
