//===- P2POptions.h - what carousel-p2p measures ----------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TOOLS_P2P_P2POPTIONS_H
#define CAROUSEL_TOOLS_P2P_P2POPTIONS_H

#include "../support/Process/Progress.h"
#include "carousel/Runtime/TransportTable.h"

namespace carousel::p2p {

/// The exit status of the program.
enum class Exit : int { Success = 0, Usage = 2, Failure = 3 };

/// The operation that is timed.
enum class Operation {
  Put,  ///< from the first GPU to the second one; nccl: a send and its recv
  Get,  ///< the first GPU reads the second one's memory
  Both, ///< each puts to the other at once
  Round ///< each puts, signals, and waits for the other: half of a round
};
inline constexpr Operation kOperations[] = {Operation::Put, Operation::Get,
                                            Operation::Both, Operation::Round};
/// "put".
const char *toString(Operation operation);
/// Rounds are about latency: larger copies aren't timed in rounds.
inline constexpr uint64_t kMostOfRound = uint64_t(1) << 20;

struct Options {
  std::vector<int> devices; ///< empty: all; one: it copies to itself
  std::vector<runtime::TransportTraits> transports = runtime::listTransports();
  std::vector<Operation> operations{std::begin(kOperations),
                                    std::end(kOperations)};
  std::vector<int> ctas = {4, 8, 16, 32};
  std::vector<uint64_t> sizes;
  double seconds = 0.1; ///< for each row
  std::string transportPackage, driver, nccl;
  std::string measure, plot; ///< files to write
  bool json = false, quiet = false;
  bool processes = false; ///< each GPU of a pair has a process of its own
};

/// A transport and how it is used.
struct Way {
  runtime::TransportKind transport = runtime::TransportKind::CopyEngine;
  int ctas = 0;
};
/// "tma x16".
std::string describe(const Way &way);

struct Row {
  Operation operation = Operation::Put;
  Way way;
  uint64_t bytes = 0;      ///< of one copy
  double microseconds = 0; ///< the median

  /// How many copies were under way at once.
  unsigned countCopies() const { return operation == Operation::Both ? 2 : 1; }
};

/// Copies between two GPUs.
struct Pair {
  int source = 0, target = 0;
  runtime::Topology topology = runtime::Topology::Peer;
  std::vector<Row> rows; ///< by operation, then by way
  /// The time from a signal of one rank to the answer of the other, halved.
  double signalMicroseconds = 0;
  /// Why a transport has no rows.
  std::vector<std::string> notes;
};

struct Report {
  std::string device;
  std::vector<Pair> pairs;
};

} // namespace carousel::p2p

#endif // CAROUSEL_TOOLS_P2P_P2POPTIONS_H
