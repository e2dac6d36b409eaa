//===- Findings.h - what an execution shows to be wrong ---------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The findings of the simulated machine: stable identifiers (docs/Findings.md),
// where they happened, and their text and JSON forms. Findings are data:
// nothing here prints by itself.
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
  SharedMemoryLimit,   // shared-memory-limit
  Deadlock,            // deadlock
  StepLimit,           // step-limit
};
constexpr unsigned kNumFindingKinds = unsigned(FindingKind::StepLimit) + 1;

/// "data-race". The inverse takes any text.
llvm::StringRef getIdentifier(FindingKind kind);
std::optional<FindingKind> parseFindingKind(llvm::StringRef identifier);
/// One sentence for `--help` and docs.
llvm::StringRef getSummary(FindingKind kind);

/// Index into the table of source locations of the kernel; 0 is "unknown".
using Site = uint32_t;

/// Who did it, and where.
struct Actor {
  /// In its grid, once reported.
  uint32_t cta = 0;
  /// The thread that acted, or that issued the operation.
  uint32_t thread = 0;
  /// An engine's operation ("tensor.load"), empty for the thread itself.
  std::string operation;
  Site site = 0;
  /// Filled when the finding is reported: "kernel.mlir:12:5".
  std::string location;
  /// Filled when the finding is reported: "@k" where a run has several kernels,
  /// else empty.
  std::string kernel;
};

struct Finding {
  FindingKind kind;
  /// One line: lower case, no full stop; the rule, then what was found.
  std::string message;
  Actor actor;
  /// The other side of a race, the writer of stale bytes...
  std::optional<Actor> other;
  /// The buffer or barrier, "slots", "full"; empty if none. With its slot
  /// (outermost index) when it has several, and the byte range within the
  /// buffer.
  std::string buffer;
  std::optional<uint64_t> slot;
  uint64_t beginByte = 0, endByte = 0;
  /// Further lines: the report of a deadlock: where each warp is.
  std::vector<std::string> notes;
  /// How often it was found at these sites in this run.
  uint64_t count = 1;
};

/// "CTA 3, thread 32 (tensor.load)", "CTA 3 of @k, thread 32".
std::string describe(const Actor &actor);

/// Several lines: `kernel.mlir:12:5: finding: [engine-race] war: ...`, then
/// indented who did it, the other side, the buffer and the notes.
void printText(const Finding &finding, llvm::raw_ostream &os);
/// An object with the keys kind, message, actor, other, buffer, slot, begin,
/// end, notes, count; what is absent is null. An actor has cta, thread,
/// operation, location, and kernel where a run has several.
llvm::json::Value toJSON(const Finding &finding);

/// Collects findings of one run. Findings of one kind at the same two sites on
/// the same buffer are one, counted; at most `limit` different ones are kept.
class FindingLog {
public:
  explicit FindingLog(unsigned limit = 64) : limit(limit) {}

  /// Names sites ("kernel.mlir:12:5") for actors that are reported without a
  /// location.
  void setLocationResolver(std::function<std::string(Site)> resolver);
  /// Names the kernel of an actor, and makes its CTA's number one of its grid.
  void setKernelResolver(std::function<void(Actor &)> resolver);

  /// As carousel::sim::describe, with the kernel of the actor.
  std::string describe(Actor actor) const;
  /// Where a site is, "kernel.mlir:12:5"; empty if that is unknown.
  std::string locate(Site site) const;

  void report(Finding finding);
  /// True once `limit` different ones were seen: the run may end.
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
