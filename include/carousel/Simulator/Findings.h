//===- Findings.h - errors that an execution shows --------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The findings of the simulated machine: their stable identifiers
// (docs/Findings.md), their locations, and their text and JSON forms. Findings
// are data: no function here prints by itself.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_SIMULATOR_FINDINGS_H
#define CAROUSEL_SIMULATOR_FINDINGS_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace carousel::sim {

/// Each kind has an identifier (`data-race`) that never changes;
/// docs/Findings.md explains each.
enum class FindingKind : uint8_t {
  DataRace,          // data-race: two threads, no order between them
  EngineRace,        // engine-race: a thread and an engine, or two engines
  MissingProxyFence, // missing-proxy-fence
  UnwrittenRead,     // unwritten-read
  OutOfBounds,       // out-of-bounds
  Poison,            // poison: it reaches memory, a branch or an address
  ExcessBytes, // excess-bytes: more transaction bytes landed than were expected
  MissingBytes,   // missing-bytes: fewer
  MissedPhase,    // missed-phase: satisfied by another phase than the one meant
  UseBeforeInit,  // use-before-init
  UseAfterInval,  // use-after-inval
  InitNotVisible, // init-not-visible
  LiveInit,       // live-init: init of a barrier that lives
  ArrivalOverflow,  // arrival-overflow: more arrivals than the phase expects
  CountOutOfRange,  // count-out-of-range: an arrival or transaction count
  ForeignGroupWait, // foreign-group-wait: a thread waits, another one committed
  UncommittedTransfer, // uncommitted-transfer: issued into a group that is
                       // never committed
  DuplicateReduction,  // duplicate-reduction
  ReleaseInFlight,     // release-in-flight: grid semaphore released before bulk
                       // writes landed
  InFlight,            // in-flight: inval or exit with operations outstanding
  BarrierDivergence,   // barrier-divergence
  NonUniformTransfer,  // non-uniform-transfer: offsets differ within a tile
                       // transfer's scope
  InvalidOperand,      // invalid-operand: a size, address, coordinate or stride
                       // breaks a rule
  StaleTensorMap,      // stale-tensor-map: a descriptor used without its fence
  MulticastAccess,     // multicast-access: another access than multimem's to a
                       // multicast address, or multimem's to another address
  RegistersInFlight,   // registers-in-flight: a product may access them
  SharedMemoryLimit,   // shared-memory-limit
  Deadlock,            // deadlock
  StepLimit,           // step-limit
};
constexpr unsigned kNumFindingKinds = unsigned(FindingKind::StepLimit) + 1;

/// The identifier, such as "data-race". The inverse accepts any text.
llvm::StringRef getIdentifier(FindingKind kind);
std::optional<FindingKind> parseFindingKind(llvm::StringRef identifier);
/// One sentence for `--help` and docs.
llvm::StringRef getSummary(FindingKind kind);

/// Index into the table of source locations of the kernel; 0 is "unknown".
using Site = uint32_t;

/// The thread or operation that acted, and its location.
struct Actor {
  /// The number in its grid, set when the finding is reported.
  uint32_t cta = 0;
  /// The thread that acted, or that issued the operation.
  uint32_t thread = 0;
  /// The operation of an engine ("tensor.load"), or empty for the thread
  /// itself.
  std::string operation;
  Site site = 0;
  /// "kernel.mlir:12:5", set when the finding is reported.
  std::string location;
  /// "@k" if a run has several kernels, else empty. Set when the finding is
  /// reported.
  std::string kernel;
};

struct Finding {
  FindingKind kind;
  /// One line: lower case, no full stop; the rule, then what was found.
  std::string message;
  Actor actor;
  /// The other side of a race, the writer of stale bytes, and so on.
  std::optional<Actor> other;
  /// The buffer or barrier, such as "slots" or "full", or empty. Its slot
  /// (outermost index) if it has several, and the byte range within the buffer.
  std::string buffer;
  std::optional<uint64_t> slot;
  uint64_t beginByte = 0, endByte = 0;
  /// Further lines, such as the report of a deadlock, which says where each
  /// warp is.
  std::vector<std::string> notes;
  /// The number of times that it was found at these sites in this run.
  uint64_t count = 1;
};

/// "CTA 3, thread 32 (tensor.load)", "CTA 3 of @k, thread 32".
std::string describe(const Actor &actor);

/// Prints several lines: `kernel.mlir:12:5: finding: [engine-race] war: ...`,
/// then, indented, the actor, the other side, the buffer and the notes.
void printText(const Finding &finding, llvm::raw_ostream &os);
/// An object with the keys kind, message, actor, other, buffer, slot, begin,
/// end, notes and count. Absent values are null. An actor has cta, thread,
/// operation and location, and kernel if a run has several.
llvm::json::Value toJSON(const Finding &finding);

/// Collects the findings of one run. Findings of one kind at the same two sites
/// on the same buffer are counted as one. The log keeps at most `limit`
/// different findings.
class FindingLog {
public:
  explicit FindingLog(unsigned limit = 64) : limit(limit) {}

  /// Sets the function that resolves sites to locations ("kernel.mlir:12:5"),
  /// for actors that are reported without one.
  void setLocationResolver(std::function<std::string(Site)> resolver);
  /// Sets the function that adds an actor's kernel, and changes its CTA's
  /// number to the one in its grid.
  void setKernelResolver(std::function<void(Actor &)> resolver);

  /// As carousel::sim::describe, with the kernel of the actor.
  std::string describe(Actor actor) const;
  /// The location of a site, "kernel.mlir:12:5"; empty if unknown.
  std::string locate(Site site) const;

  void report(Finding finding);
  /// Whether `limit` different findings are logged, so that the run may end.
  bool isFull() const { return findings.size() >= limit; }
  bool empty() const { return findings.empty(); }
  std::vector<Finding> &getFindings() { return findings; }
  const std::vector<Finding> &getFindings() const { return findings; }

private:
  unsigned limit;
  std::vector<Finding> findings;
  std::function<std::string(Site)> resolveLocation;
  std::function<void(Actor &)> resolveKernel;
};

} // namespace carousel::sim

#endif // CAROUSEL_SIMULATOR_FINDINGS_H
