//===- Findings.cpp - errors that an execution shows ----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table of finding kinds, their text and JSON forms, and the log, which
// keeps one of each. docs/Findings.md explains every identifier.
//
//===----------------------------------------------------------------------===//

#include "carousel/Simulator/Findings.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace carousel::sim;
using llvm::StringRef;

namespace {

struct KindInfo {
  FindingKind kind;
  const char *identifier, *summary;
};

constexpr KindInfo kKinds[] = {
    {FindingKind::DataRace, "data-race",
     "two threads access the same bytes, one of them writes, and nothing "
     "orders them"},
    {FindingKind::EngineRace, "engine-race",
     "an engine and a thread or another engine access the same bytes, one of "
     "them writes, and nothing orders them"},
    {FindingKind::MissingProxyFence, "missing-proxy-fence",
     "an engine's access is ordered after a generic access, but no proxy fence "
     "lies between them"},
    {FindingKind::UnwrittenRead, "unwritten-read",
     "bytes are read that were never written"},
    {FindingKind::OutOfBounds, "out-of-bounds",
     "an access does not lie within one live buffer"},
    {FindingKind::Poison, "poison",
     "a value that is poison is stored, decides a branch, or is an address"},
    {FindingKind::ExcessBytes, "excess-bytes",
     "more transaction bytes landed on an mbarrier than were expected"},
    {FindingKind::MissingBytes, "missing-bytes",
     "fewer transaction bytes were issued to an mbarrier than were expected"},
    {FindingKind::MissedPhase, "missed-phase",
     "a wait by parity can be satisfied by another phase than the one meant"},
    {FindingKind::UseBeforeInit, "use-before-init",
     "an mbarrier is used before it was initialised"},
    {FindingKind::UseAfterInval, "use-after-inval",
     "an mbarrier is used after it was invalidated"},
    {FindingKind::InitNotVisible, "init-not-visible",
     "an mbarrier is used before its initialisation was made visible to the "
     "user"},
    {FindingKind::LiveInit, "live-init",
     "an mbarrier is initialised while it is in use"},
    {FindingKind::ArrivalOverflow, "arrival-overflow",
     "more threads arrive in a phase of an mbarrier than it expects"},
    {FindingKind::CountOutOfRange, "count-out-of-range",
     "an arrival or transaction count is outside the range of an mbarrier"},
    {FindingKind::ForeignGroupWait, "foreign-group-wait",
     "a thread waits for asynchronous groups that another thread committed"},
    {FindingKind::UncommittedTransfer, "uncommitted-transfer",
     "a transfer was issued into a group that is never committed"},
    {FindingKind::DuplicateReduction, "duplicate-reduction",
     "several threads issue the same reduction"},
    {FindingKind::ReleaseInFlight, "release-in-flight",
     "a grid semaphore is released before the bulk writes it announces have "
     "landed"},
    {FindingKind::InFlight, "in-flight",
     "an mbarrier is invalidated, or a CTA exits, with operations outstanding"},
    {FindingKind::BarrierDivergence, "barrier-divergence",
     "the participants of a barrier or warp collective do not meet at it"},
    {FindingKind::NonUniformTransfer, "non-uniform-transfer",
     "the threads of a tile transfer's scope name different tiles"},
    {FindingKind::InvalidOperand, "invalid-operand",
     "a size, address, coordinate or stride breaks a rule of the operation"},
    {FindingKind::StaleTensorMap, "stale-tensor-map",
     "a descriptor that the device wrote is used without its fence"},
    {FindingKind::MulticastAccess, "multicast-access",
     "a multicast address is accessed by something else than multimem, or "
     "multimem accesses an address that isn't one"},
    {FindingKind::RegistersInFlight, "registers-in-flight",
     "registers are used while a product of the warpgroup may access them"},
    {FindingKind::SharedMemoryLimit, "shared-memory-limit",
     "a CTA uses more shared memory than the device has for it"},
    {FindingKind::Deadlock, "deadlock",
     "every thread that is left waits for something that cannot happen"},
    {FindingKind::StepLimit, "step-limit",
     "the run took more steps than it was given"},
};
static_assert(std::size(kKinds) == kNumFindingKinds, "one line per kind");

constexpr bool isInOrderOfEnum() {
  for (unsigned i = 0; i < kNumFindingKinds; ++i)
    if (unsigned(kKinds[i].kind) != i)
      return false;
  return true;
}
static_assert(isInOrderOfEnum(), "indexed by kind");

/// ", at kernel.mlir:12:5", or an empty string.
std::string describePlace(const Actor &actor) {
  return actor.location.empty() ? "" : ", at " + actor.location;
}

void printBuffer(const Finding &finding, llvm::raw_ostream &os) {
  os << "  buffer: " << finding.buffer;
  if (finding.slot)
    os << '[' << *finding.slot << ']';
  if (finding.endByte - finding.beginByte == 1)
    os << ", byte " << finding.beginByte;
  else if (finding.endByte > finding.beginByte)
    os << ", bytes " << finding.beginByte << " to " << finding.endByte - 1;
  os << '\n';
}

llvm::json::Value toJSON(const Actor &actor) {
  llvm::json::Object object{{"cta", actor.cta},
                            {"thread", actor.thread},
                            {"operation", llvm::json::fixUTF8(actor.operation)},
                            {"location", llvm::json::fixUTF8(actor.location)}};
  if (!actor.kernel.empty())
    object["kernel"] = llvm::json::fixUTF8(actor.kernel);
  return object;
}

bool areAlike(const Finding &a, const Finding &b) {
  return a.kind == b.kind && a.actor.site == b.actor.site &&
         a.other.has_value() == b.other.has_value() &&
         (!a.other || a.other->site == b.other->site) && a.buffer == b.buffer;
}

} // namespace

StringRef carousel::sim::getIdentifier(FindingKind kind) {
  return kKinds[unsigned(kind)].identifier;
}

std::optional<FindingKind>
carousel::sim::parseFindingKind(StringRef identifier) {
  for (const KindInfo &info : kKinds)
    if (identifier == info.identifier)
      return info.kind;
  return std::nullopt;
}

StringRef carousel::sim::getSummary(FindingKind kind) {
  return kKinds[unsigned(kind)].summary;
}

std::string carousel::sim::describe(const Actor &actor) {
  std::string text = "CTA " + llvm::utostr(actor.cta);
  if (!actor.kernel.empty())
    text += " of " + actor.kernel;
  text += ", thread " + llvm::utostr(actor.thread);
  if (!actor.operation.empty())
    text += " (" + actor.operation + ")";
  return text;
}

void carousel::sim::printText(const Finding &finding, llvm::raw_ostream &os) {
  if (!finding.actor.location.empty())
    os << finding.actor.location << ": ";
  os << "finding: [" << getIdentifier(finding.kind) << "] " << finding.message
     << '\n';
  os << "  by: " << describe(finding.actor) << '\n';
  if (finding.other)
    os << "  other: " << describe(*finding.other)
       << describePlace(*finding.other) << '\n';
  if (!finding.buffer.empty())
    printBuffer(finding, os);
  if (finding.count > 1)
    os << "  found: " << finding.count << " times\n";
  for (const std::string &note : finding.notes)
    os << "  note: " << note << '\n';
}

llvm::json::Value carousel::sim::toJSON(const Finding &finding) {
  llvm::json::Array notes;
  for (const std::string &note : finding.notes)
    notes.push_back(llvm::json::fixUTF8(note));
  bool hasBytes = finding.endByte > finding.beginByte;
  llvm::json::Object object{{"kind", getIdentifier(finding.kind)},
                            {"message", llvm::json::fixUTF8(finding.message)},
                            {"actor", ::toJSON(finding.actor)},
                            {"other", nullptr},
                            {"buffer", nullptr},
                            {"slot", nullptr},
                            {"begin", nullptr},
                            {"end", nullptr},
                            {"notes", std::move(notes)},
                            {"count", finding.count}};
  if (finding.other)
    object["other"] = ::toJSON(*finding.other);
  if (!finding.buffer.empty())
    object["buffer"] = llvm::json::fixUTF8(finding.buffer);
  if (finding.slot)
    object["slot"] = *finding.slot;
  if (hasBytes) {
    object["begin"] = finding.beginByte;
    object["end"] = finding.endByte;
  }
  return object;
}

void FindingLog::setLocationResolver(
    std::function<std::string(Site)> resolver) {
  resolveLocation = std::move(resolver);
}

void FindingLog::setKernelResolver(std::function<void(Actor &)> resolver) {
  resolveKernel = std::move(resolver);
}

std::string FindingLog::describe(Actor actor) const {
  if (resolveKernel)
    resolveKernel(actor);
  return carousel::sim::describe(actor);
}

std::string FindingLog::locate(Site site) const {
  return site != 0 && resolveLocation ? resolveLocation(site) : "";
}

void FindingLog::report(Finding finding) {
  for (Finding &known : findings) {
    if (areAlike(known, finding)) {
      known.count += finding.count;
      return;
    }
  }
  if (isFull())
    return;
  auto locate = [&](Actor &actor) {
    if (actor.location.empty())
      actor.location = this->locate(actor.site);
    if (resolveKernel)
      resolveKernel(actor);
  };
  locate(finding.actor);
  if (finding.other)
    locate(*finding.other);
  findings.push_back(std::move(finding));
}
