//===- Schedule.cpp - decisions that hardware is free to make -------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A policy is the random schedule with some decisions replaced. It doesn't have
// to ensure that every thread runs: the grid asks for Decision::Fair when there
// is no progress.
//
// A record is `carousel-schedule-2:<decisions>:<CRC-32 in hex>:<base64>`. Its
// bytes are LEB128 numbers: `pick << 4 | decision`, or `n << 4 | 15` for n more
// of the last one. Decisions with one choice are not recorded.
//
//===----------------------------------------------------------------------===//

#include "Schedule.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Base64.h"
#include "llvm/Support/CRC.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MathExtras.h"

using namespace carousel::sim;

Schedule::~Schedule() = default;

static constexpr llvm::StringRef kPolicyNames[] = {
    "random",       "late-landing", "early-landing", "eager-reuse",
    "starved-warp", "reverse-ctas", "one-cta"};
static_assert(std::size(kPolicyNames) == kNumPolicies);

llvm::ArrayRef<llvm::StringRef> carousel::sim::getPolicyNames() {
  return kPolicyNames;
}

llvm::StringRef carousel::sim::getName(Policy policy) {
  return kPolicyNames[unsigned(policy)];
}

std::optional<Policy> carousel::sim::parsePolicy(llvm::StringRef name) {
  const auto *it = llvm::find(kPolicyNames, name);
  if (it == std::end(kPolicyNames))
    return std::nullopt;
  return Policy(it - std::begin(kPolicyNames));
}

namespace {

/// SplitMix64: any seed is good, and similar seeds give different sequences.
class Generator {
public:
  explicit Generator(uint64_t seed) : state(seed) {}

  uint64_t next() {
    uint64_t value = state += 0x9e3779b97f4a7c15ull;
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9ull;
    value = (value ^ value >> 27) * 0x94d049bb133111ebull;
    return value ^ value >> 31;
  }
  /// 0 .. n-1; the bias of 2^-32 does not matter here.
  uint32_t below(uint32_t n) { return uint32_t((next() >> 32) * n >> 32); }
  /// 0 .. n-1, with equal probability for each power of two. A race may need
  /// one step or hundreds between two preemptions.
  uint32_t belowByScale(uint32_t n) {
    unsigned scale = below(llvm::Log2_32_Ceil(n) + 1);
    return below(std::min(n, uint32_t(1) << scale));
  }

private:
  uint64_t state;
};

class RandomSchedule : public Schedule {
public:
  explicit RandomSchedule(uint64_t seed)
      : random(seed), rare(seed + 0x5851f42d4c957f2dull) {}

  /// Policies with the same seed also differ in the rare decisions.
  void mix(Policy policy) {
    for (unsigned i = 0; i < unsigned(policy); ++i)
      rare.next();
  }

  uint32_t pick(Decision decision, uint32_t n,
                llvm::ArrayRef<Candidate>) override {
    switch (decision) {
    case Decision::Steps:
    case Decision::Turns:
    case Decision::Landings:
      return random.belowByScale(n);
    case Decision::Fair:
      return 0; // already fair
    case Decision::Residency:
      // Mostly as many as fit.
      return rare.below(4) == 0 ? rare.belowByScale(n) : n - 1;
    case Decision::Leader:
      // The usual choice, or any.
      return rare.below(2) == 0 ? 0 : rare.below(n);
    case Decision::Stop:
      return rare.below(n);
    case Decision::Expire:
      return 0; // mostly, signals come in time
    default:
      return random.below(n);
    }
  }

protected:
  Generator random;
  /// For decisions that few kernels have, so that others don't depend on them.
  Generator rare;
};

/// The shared parts of adversarial policies.
class AdversarialSchedule : public RandomSchedule {
public:
  using RandomSchedule::RandomSchedule;

  uint32_t pick(Decision decision, uint32_t n,
                llvm::ArrayRef<Candidate> candidates) override {
    if (decision == Decision::Fair)
      return n - 1;
    return RandomSchedule::pick(decision, n, candidates);
  }
};

class LateLanding : public AdversarialSchedule {
public:
  using AdversarialSchedule::AdversarialSchedule;

  uint32_t pick(Decision decision, uint32_t n,
                llvm::ArrayRef<Candidate> candidates) override {
    if (decision == Decision::Agent || decision == Decision::Landings)
      return 0;
    return AdversarialSchedule::pick(decision, n, candidates);
  }
};

class EarlyLanding : public AdversarialSchedule {
public:
  using AdversarialSchedule::AdversarialSchedule;

  uint32_t pick(Decision decision, uint32_t n,
                llvm::ArrayRef<Candidate> candidates) override {
    if (decision == Decision::Agent)
      return n - 1;
    if (decision == Decision::Landings)
      return n - 1;
    // The engines act between turns, so short turns keep them close.
    if (decision == Decision::Steps)
      return random.below(std::min(n, 4u));
    return AdversarialSchedule::pick(decision, n, candidates);
  }
};

class EagerReuse : public AdversarialSchedule {
public:
  using AdversarialSchedule::AdversarialSchedule;

  bool looksAt(Decision decision) const override {
    return decision == Decision::CTA || decision == Decision::Warp ||
           decision == Decision::Lane;
  }

  uint32_t pick(Decision decision, uint32_t n,
                llvm::ArrayRef<Candidate> candidates) override {
    switch (decision) {
    case Decision::CTA:
    case Decision::Warp:
    case Decision::Lane: {
      uint32_t woken = llvm::count_if(
          candidates, [](const Candidate &c) { return c.justWoken; });
      isLaneWoken = woken != 0;
      if (!woken)
        break;
      uint32_t skip = random.below(woken);
      for (auto [index, candidate] : llvm::enumerate(candidates))
        if (candidate.justWoken && skip-- == 0)
          return uint32_t(index);
      break;
    }
    case Decision::Steps:
      // Other threads stop soon, so that the threads that they wake run soon.
      // Woken threads run as far as they can.
      return isLaneWoken ? n - 1 : random.below(std::min(n, 4u));
    case Decision::Turns:
      return 0;
    default:
      break;
    }
    return AdversarialSchedule::pick(decision, n, candidates);
  }

private:
  bool isLaneWoken = false;
};

class StarvedWarp : public AdversarialSchedule {
public:
  using AdversarialSchedule::AdversarialSchedule;

  void begin(uint32_t ctas, uint32_t warpsPerCTA) override {
    if (warpsPerCTA > 1)
      warp = random.below(warpsPerCTA);
    else
      cta = random.below(ctas);
  }

  bool looksAt(Decision decision) const override {
    return decision == Decision::CTA || decision == Decision::Warp;
  }

  uint32_t pick(Decision decision, uint32_t n,
                llvm::ArrayRef<Candidate> candidates) override {
    if (decision == Decision::CTA || decision == Decision::Warp) {
      auto isStarved = [&](const Candidate &candidate) {
        if (!warp)
          return decision == Decision::CTA && candidate.id == cta;
        return decision == Decision::CTA
                   ? candidate.context == uint32_t(1) << *warp
                   : candidate.id == *warp;
      };
      uint32_t others = n - uint32_t(llvm::count_if(candidates, isStarved));
      uint32_t skip = others ? random.below(others) : 0;
      for (auto [index, candidate] : llvm::enumerate(candidates))
        if ((!others || !isStarved(candidate)) && skip-- == 0)
          return uint32_t(index);
    }
    // A peer may be as slow.
    if (decision == Decision::Expire) {
      if (!mayExpire)
        mayExpire = rare.below(2) == 1;
      return *mayExpire ? rare.below(n) : 0;
    }
    // Leaves a CTA at once when its other warps are blocked.
    if (decision == Decision::Turns)
      return 0;
    return AdversarialSchedule::pick(decision, n, candidates);
  }

private:
  std::optional<uint32_t> warp;
  uint32_t cta = 0;
  /// Whether waits of this run may expire. Drawn at the first of them.
  std::optional<bool> mayExpire;
};

/// Runs one CTA as long as possible, and then the next one by number.
class OrderedCTAs : public AdversarialSchedule {
public:
  OrderedCTAs(uint64_t seed, bool isReverse)
      : AdversarialSchedule(seed), isReverse(isReverse) {}

  bool looksAt(Decision decision) const override {
    return decision == Decision::CTA;
  }

  uint32_t pick(Decision decision, uint32_t n,
                llvm::ArrayRef<Candidate> candidates) override {
    if (decision == Decision::LaunchOrder)
      return isReverse ? n - 1 : 0;
    if (decision == Decision::Residency && !isReverse)
      return 0;
    if (decision == Decision::Dependents)
      return isReverse ? 0 : n - 1;
    if (decision == Decision::Turns)
      return n - 1;
    if (decision == Decision::CTA && !candidates.empty()) {
      uint32_t best = 0;
      for (auto [index, candidate] : llvm::enumerate(candidates))
        if (isReverse ? candidate.id > candidates[best].id
                      : candidate.id < candidates[best].id)
          best = uint32_t(index);
      return best;
    }
    return AdversarialSchedule::pick(decision, n, candidates);
  }

private:
  bool isReverse;
};

} // namespace

static std::unique_ptr<RandomSchedule> create(Policy policy, uint64_t seed) {
  switch (policy) {
  case Policy::Random:
    return std::make_unique<RandomSchedule>(seed);
  case Policy::LateLanding:
    return std::make_unique<LateLanding>(seed);
  case Policy::EarlyLanding:
    return std::make_unique<EarlyLanding>(seed);
  case Policy::EagerReuse:
    return std::make_unique<EagerReuse>(seed);
  case Policy::StarvedWarp:
    return std::make_unique<StarvedWarp>(seed);
  case Policy::ReverseCTAs:
    return std::make_unique<OrderedCTAs>(seed, /*isReverse=*/true);
  case Policy::OneCTA:
    return std::make_unique<OrderedCTAs>(seed, /*isReverse=*/false);
  }
  llvm_unreachable("unknown policy");
}

std::unique_ptr<Schedule> carousel::sim::createSchedule(Policy policy,
                                                        uint64_t seed) {
  std::unique_ptr<RandomSchedule> schedule = create(policy, seed);
  schedule->mix(policy);
  return schedule;
}

static constexpr llvm::StringLiteral kPrefix = "carousel-schedule-2";
static constexpr unsigned kKindBits = 5;
static constexpr uint64_t kRepeat = (1 << kKindBits) - 1;
static_assert(kNumDecisions <= kRepeat);

static constexpr llvm::StringLiteral kDecisionNames[] = {
    "steps", "turns",        "landings",   "agent",        "fair",
    "CTA",   "warp",         "lane",       "engine event", "try_wait",
    "bytes", "launch order", "dependents", "residency",    "leader",
    "stop",  "expire"};
static_assert(std::size(kDecisionNames) == kNumDecisions);

static void append(std::string &bytes, uint64_t value) {
  for (; value >= 0x80; value >>= 7)
    bytes += char(value | 0x80);
  bytes += char(value);
}

/// Returns false at the end of the bytes, or for a number over 64 bits.
static bool extract(llvm::StringRef bytes, size_t &position, uint64_t &value) {
  value = 0;
  for (unsigned shift = 0; shift < 64 && position < bytes.size(); shift += 7) {
    uint8_t byte = bytes[position++];
    value |= uint64_t(byte & 0x7f) << shift;
    if (byte < 0x80)
      return true;
  }
  return false;
}

static uint32_t getChecksum(llvm::StringRef bytes) {
  return llvm::crc32(llvm::arrayRefFromStringRef(bytes));
}

void RecordingSchedule::begin(uint32_t ctas, uint32_t warpsPerCTA) {
  inner.begin(ctas, warpsPerCTA);
}

bool RecordingSchedule::looksAt(Decision decision) const {
  return inner.looksAt(decision);
}

uint32_t RecordingSchedule::pick(Decision decision, uint32_t n,
                                 llvm::ArrayRef<Candidate> candidates) {
  if (n <= 1)
    return 0;
  uint32_t result = inner.pick(decision, n, candidates);
  uint64_t value = uint64_t(result) << kKindBits | uint64_t(decision);
  if (numPicks++ && value == last) {
    ++repeats;
    return result;
  }
  if (repeats)
    append(bytes, repeats << kKindBits | kRepeat);
  repeats = 0;
  append(bytes, value);
  last = value;
  return result;
}

std::string RecordingSchedule::getRecord() const {
  std::string all = bytes;
  if (repeats)
    append(all, repeats << kKindBits | kRepeat);
  return (kPrefix + ":" + llvm::Twine(numPicks) + ":" +
          llvm::utohexstr(getChecksum(all), /*LowerCase=*/true) + ":" +
          llvm::encodeBase64(all))
      .str();
}

std::unique_ptr<ReplaySchedule> ReplaySchedule::create(llvm::StringRef record,
                                                       std::string &error) {
  llvm::SmallVector<llvm::StringRef, 4> fields;
  record.trim().split(fields, ':');
  auto fail = [&](llvm::Twine text) {
    error = ("expected a recorded schedule, " + text).str();
    return nullptr;
  };
  if (fields[0] != kPrefix)
    return fail("found no '" + kPrefix + "' at its start");
  if (fields.size() != 4)
    return fail("found " + llvm::Twine(fields.size()) +
                " fields in place of 4");
  uint64_t numPicks;
  uint32_t checksum;
  if (fields[1].getAsInteger(10, numPicks))
    return fail("found the count '" + fields[1] + "'");
  if (fields[2].getAsInteger(16, checksum))
    return fail("found the checksum '" + fields[2] + "'");

  std::vector<char> decoded;
  if (llvm::Error failure = llvm::decodeBase64(fields[3], decoded)) {
    llvm::consumeError(std::move(failure));
    return fail("found text that is not base64");
  }
  auto schedule = std::make_unique<ReplaySchedule>();
  schedule->bytes.assign(decoded.begin(), decoded.end());
  if (getChecksum(schedule->bytes) != checksum)
    return fail("found one whose checksum differs: it was cut or changed");

  uint64_t total = 0, value;
  for (size_t position = 0; position < schedule->bytes.size();) {
    bool isFirst = position == 0;
    if (!extract(schedule->bytes, position, value))
      return fail("found a number that is cut");
    uint64_t kind = value & kRepeat, operand = value >> kKindBits;
    if (kind == kRepeat ? isFirst || operand == 0
                        : kind >= kNumDecisions || operand >> 32)
      return fail("found an unknown decision");
    if (kind == kRepeat && operand > numPicks - total)
      return fail("found more decisions than its count says");
    total += kind == kRepeat ? operand : 1;
    if (total > numPicks)
      return fail("found more decisions than its count says");
  }
  if (total != numPicks)
    return fail("found fewer decisions than its count says");
  schedule->numPicks = schedule->numLeft = numPicks;
  return schedule;
}

uint32_t ReplaySchedule::pick(Decision decision, uint32_t n,
                              llvm::ArrayRef<Candidate>) {
  if (n <= 1)
    return 0;
  // 1 lets engines and waiting threads act, whatever the kernel does.
  uint32_t fallback =
      decision == Decision::Fair || decision == Decision::Agent ? 1 : 0;
  if (!error.empty())
    return fallback;

  auto fail = [&](llvm::Twine text) {
    error = ("expected the run that the schedule was recorded from, found that "
             "decision " +
             llvm::Twine(numPicks - numLeft + 1) + " " + text)
                .str();
    return fallback;
  };
  if (numLeft == 0)
    return fail("is not in the record");
  if (repeats) {
    --repeats;
  } else {
    // `create` has parsed all of it.
    uint64_t value;
    extract(bytes, position, value);
    if ((value & kRepeat) == kRepeat)
      repeats = (value >> kKindBits) - 1;
    else
      last = value;
  }
  Decision recorded = Decision(last & kRepeat);
  uint32_t result = uint32_t(last >> kKindBits);
  if (recorded != decision)
    return fail("is of kind " + kDecisionNames[unsigned(decision)] +
                ", recorded was " + kDecisionNames[unsigned(recorded)]);
  if (result >= n)
    return fail("(" + kDecisionNames[unsigned(decision)] + ") is among " +
                llvm::Twine(n) + ", recorded was " + llvm::Twine(result));
  --numLeft;
  return result;
}
