//===- ScheduleRecord.cpp - recorded schedules and their replay -----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A record is `carousel-schedule-2:<decisions>:<CRC-32 in hex>:<base64>`. Its
// bytes are LEB128 numbers: `pick << 4 | decision`, or `n << 4 | 15` for n more
// of the last one. Decisions with one choice are not recorded.
//
//===----------------------------------------------------------------------===//

#include "Schedule.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Base64.h"
#include "llvm/Support/CRC.h"
#include "llvm/Support/Error.h"

using namespace carousel::sim;

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
