//===- TransportTable.h - which transport is fastest ------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table that `carousel-p2p --measure` writes as JSON, and by which
// TransportKind::Auto chooses. docs/Comm.md has the format.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_TRANSPORTTABLE_H
#define CAROUSEL_RUNTIME_TRANSPORTTABLE_H

#include "carousel/Runtime/Comm.h"

#include <string_view>

namespace carousel::runtime {

/// A kind of transport, and what it can do.
struct TransportTraits {
  TransportKind kind;
  const char *name;
  bool copies;  ///< puts and gets; others send and receive only
  bool adds;    ///< puts that add elements, too
  bool hasCTAs; ///< copies take multiprocessors, as many as are asked for

  bool operator==(const TransportTraits &other) const {
    return kind == other.kind;
  }
};
/// All kinds but Auto.
std::vector<TransportTraits> listTransports() noexcept;

/// Where the other rank's memory is.
enum class Topology : int32_t {
  SameGPU = 0, ///< two ranks share a GPU
  Peer = 1,    ///< another GPU that this one can reach
};
const char *toString(Topology topology) noexcept;

/// Up to `bytes`, this transport.
struct TransportEntry {
  Topology topology = Topology::Peer;
  uint64_t bytes = 0;
  TransportKind transport = TransportKind::CopyEngine;
  int ctas = 0; ///< TMA: CTAs; 0: the transport decides
};

/// Rows in the order of topology and bytes. Rows beyond the last size take the
/// last one of their topology.
struct TransportTable {
  std::string device; ///< the GPU's name where it was measured; informative
  std::vector<TransportEntry> entries;

  static Result<TransportTable> read(const std::string &file) noexcept;
  std::string toJSON() const;
  TransportEntry choose(Topology topology, uint64_t bytes) const noexcept;
};

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_TRANSPORTTABLE_H
