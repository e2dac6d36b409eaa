//===- ManifestDecisions.cpp - reads the record of decisions --------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Decisions.h. Members that are absent keep their defaults, and unknown
// ones are ignored, so that compilers may say more or less.
//
//===----------------------------------------------------------------------===//

#include "ManifestReader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace carousel::runtime {

namespace {

/// The reader, and the elements of all lists that it has read. A list of empty
/// objects would need far more memory than its text.
struct DecisionReader {
  FieldReader &reader;
  size_t &entries;
};

/// Reads the members of one object, each if it is there.
class OptionalMembers {
public:
  OptionalMembers(DecisionReader decisions, const Field &object)
      : decisions(decisions), reader(decisions.reader), object(object) {}

  void read(std::string_view name, std::string &text) {
    if (std::optional<Field> member = reader.find(object, name))
      text = reader.readString(*member);
  }
  void read(std::string_view name, bool &value) {
    if (std::optional<Field> member = reader.find(object, name))
      value = reader.readBool(*member);
  }
  void read(std::string_view name, int64_t &value) {
    if (std::optional<Field> member = reader.find(object, name))
      value = reader.readInteger(*member, 0, INT64_MAX);
  }
  void read(std::string_view name, std::optional<int64_t> &value) {
    std::optional<Field> member = reader.find(object, name);
    if (member && !member->value.isNull())
      value = reader.readInteger(*member, 0, INT64_MAX);
  }
  void read(std::string_view name, std::vector<std::string> &list) {
    forEach(name, [&](const Field &element) {
      list.emplace_back(reader.readString(element));
    });
  }
  void read(std::string_view name, DecisionNotes &notes) {
    forEach(name, [&](const Field &element) {
      OptionalMembers members(decisions, element);
      auto &[key, value] = notes.emplace_back();
      members.read("key", key);
      members.read("value", value);
    });
  }
  template <typename Read> void forEach(std::string_view name, Read each) {
    std::optional<Field> list = reader.find(object, name);
    if (!list)
      return;
    reader.forEach(*list, [&](const Field &element) {
      if (++decisions.entries > kMaxDecisionEntries)
        return reader.fail(element,
                           "expected at most {} entries in lists of "
                           "decisions, got more",
                           kMaxDecisionEntries);
      each(element);
    });
  }

private:
  DecisionReader decisions;
  FieldReader &reader;
  const Field &object;
};

} // namespace

static OccupancyInfo readOccupancy(DecisionReader decisions,
                                   const Field &field) {
  OccupancyInfo info;
  OptionalMembers members(decisions, field);
  members.read("chip", info.chip);
  members.read("ctas_per_sm", info.ctasPerSM);
  members.read("limit", info.limit);
  members.read("shared", info.shared);
  members.read("registers", info.registers);
  members.read("bytes_in_flight", info.bytesInFlight);
  return info;
}

static RingInfo readRing(DecisionReader decisions, const Field &field) {
  RingInfo info;
  OptionalMembers members(decisions, field);
  members.read("loop", info.loop);
  members.read("is_load", info.isLoad);
  members.read("memrefs", info.memrefs);
  members.read("engines", info.engines);
  members.read("stages", info.stages);
  members.read("slot_bytes", info.slotBytes);
  members.read("prefetch", info.prefetch);
  members.read("scope", info.scope);
  members.read("mode", info.mode);
  members.read("release", info.release);
  members.read("notes", info.notes);
  return info;
}

static TransferInfo readTransfer(DecisionReader decisions, const Field &field) {
  TransferInfo info;
  OptionalMembers members(decisions, field);
  members.read("location", info.location);
  members.read("is_load", info.isLoad);
  members.read("memref", info.memref);
  members.read("engine", info.engine);
  members.read("bytes", info.bytes);
  members.read("instructions", info.instructions);
  members.read("cost", info.cost);
  members.read("rejections", info.rejections);
  members.read("notes", info.notes);
  return info;
}

static MissInfo readMiss(DecisionReader decisions, const Field &field) {
  MissInfo info;
  OptionalMembers members(decisions, field);
  members.read("id", info.id);
  members.read("location", info.location);
  members.read("subject", info.subject);
  members.read("reason", info.reason);
  members.read("notes", info.notes);
  return info;
}

DecisionInfo ManifestReader::readDecisions(const Field &field) {
  DecisionInfo info;
  DecisionReader decisions{*this, decisionEntries};
  OptionalMembers members(decisions, field);
  members.forEach("occupancies", [&](const Field &element) {
    info.occupancies.push_back(readOccupancy(decisions, element));
  });
  members.forEach("rings", [&](const Field &element) {
    info.rings.push_back(readRing(decisions, element));
  });
  members.forEach("transfers", [&](const Field &element) {
    info.transfers.push_back(readTransfer(decisions, element));
  });
  members.forEach("misses", [&](const Field &element) {
    info.misses.push_back(readMiss(decisions, element));
  });
  members.read("notes", info.notes);
  return info;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

std::string toString(const RingInfo &ring) noexcept {
  std::string text = fmt::format(
      "{} {} at {}: {} stages of {} bytes by {}",
      ring.isLoad ? "load" : "store", fmt::join(ring.memrefs, ", "), ring.loop,
      ring.stages, ring.slotBytes, fmt::join(ring.engines, ", "));
  if (ring.isLoad && ring.mode == "specialized")
    text += ", filled by producers";
  else if (ring.isLoad)
    text += fmt::format(", {} ahead", ring.prefetch);
  return text;
}

std::string toString(const OccupancyInfo &occupancy) noexcept {
  return fmt::format("{} CTAs per SM by {}, {} bytes in flight per SM, {} ({})",
                     occupancy.ctasPerSM, occupancy.limit,
                     occupancy.bytesInFlight,
                     occupancy.registers ? fmt::format("{} registers a thread",
                                                       *occupancy.registers)
                                         : "registers unknown",
                     occupancy.chip);
}

std::string toString(const MissInfo &missed) noexcept {
  return fmt::format("{} at {}: {} [{}]", missed.subject, missed.location,
                     missed.reason, missed.id);
}

} // namespace carousel::runtime
