//===- TransportTable.cpp - which transport is fastest --------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See TransportTable.h.
//
//===----------------------------------------------------------------------===//

#include "carousel/Runtime/TransportTable.h"

#include "Package/JSONReader.h"

#include "carousel/Runtime/Fail.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

namespace carousel::runtime {

const char *toString(Topology topology) noexcept {
  return topology == Topology::SameGPU ? "same-gpu" : "peer";
}

TransportEntry TransportTable::choose(Topology topology,
                                      uint64_t bytes) const noexcept {
  TransportEntry found;
  found.topology = topology;
  for (const TransportEntry &entry : entries) {
    if (entry.topology != topology)
      continue;
    found = entry;
    if (bytes <= entry.bytes)
      break;
  }
  return found;
}

static std::string escape(const std::string &text) {
  std::string result;
  for (char c : text)
    if (c == '"' || c == '\\')
      result += {'\\', c};
    else
      result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  return result;
}

std::string TransportTable::toJSON() const {
  std::string text = fmt::format(
      "{{\"carousel_transport_table\": 1, \"device\": \"{}\", \"entries\": [",
      escape(device));
  for (size_t i = 0; i < entries.size(); ++i)
    text += fmt::format(
        "{}\n  {{\"topology\": \"{}\", \"bytes\": {}, \"transport\": \"{}\", "
        "\"ctas\": {}}}",
        i == 0 ? "" : ",", runtime::toString(entries[i].topology),
        entries[i].bytes, runtime::toString(entries[i].transport),
        entries[i].ctas);
  return text + "]}\n";
}

namespace {

/// Reads one table; messages name the member.
class Reader {
public:
  explicit Reader(const std::string &file) : file(file) {}

  Result<TransportTable> read(JSONValue root) {
    TransportTable table;
    std::optional<JSONObject> members = root.getObject();
    if (!members)
      return refuse("table", "an object", root);
    CAROUSEL_TRY_ASSIGN(
        int64_t version,
        readInteger(*members, "carousel_transport_table", INT64_MAX));
    if (version != 1)
      return fail(ErrorCode::UnsupportedVersion,
                  "{}: expected version 1 of a transport table, got {}", file,
                  version);
    table.device = getText(*members, "device");
    JSONValue list = members->find("entries").value_or(JSONValue());
    std::optional<JSONArray> entries = list.getArray();
    if (!entries)
      return refuse("entries", "a list", list);
    for (JSONValue value : *entries) {
      CAROUSEL_TRY_ASSIGN(TransportEntry entry, readEntry(value));
      if (!table.entries.empty()) {
        const TransportEntry &last = table.entries.back();
        if (last.topology > entry.topology ||
            (last.topology == entry.topology && last.bytes >= entry.bytes))
          return fail(ErrorCode::InvalidArgument,
                      "{}: entries: expected growing bytes for each topology, "
                      "got {} after {}",
                      file, entry.bytes, last.bytes);
      }
      table.entries.push_back(entry);
    }
    return table;
  }

private:
  tl::unexpected<Error> refuse(const char *member, const char *rule,
                               JSONValue value) const {
    return fail(ErrorCode::InvalidArgument, "{}: {}: expected {}, got {}", file,
                member, rule, value.describe());
  }

  Result<int64_t> readInteger(JSONObject object, const char *member,
                              int64_t most) const {
    JSONValue value = object.find(member).value_or(JSONValue());
    std::optional<int64_t> number = value.getInteger();
    if (!number || *number < 0 || *number > most)
      return refuse(member, fmt::format("an integer of 0 to {}", most).c_str(),
                    value);
    return *number;
  }

  /// Empty where there is none.
  static std::string_view getText(JSONObject object, const char *member) {
    JSONValue value = object.find(member).value_or(JSONValue());
    return value.getString().value_or("");
  }

  Result<TransportEntry> readEntry(JSONValue value) const {
    TransportEntry entry;
    std::optional<JSONObject> members = value.getObject();
    if (!members)
      return refuse("entries", "objects", value);
    std::string_view topology = getText(*members, "topology");
    std::string_view transport = getText(*members, "transport");
    if (topology == "same-gpu")
      entry.topology = Topology::SameGPU;
    else if (topology != "peer")
      return fail(ErrorCode::InvalidArgument,
                  "{}: topology: expected same-gpu or peer, got {}", file,
                  quote(topology));
    if (transport == "tma")
      entry.transport = TransportKind::TMA;
    else if (transport != "copy-engine")
      return fail(ErrorCode::InvalidArgument,
                  "{}: transport: expected copy-engine or tma, got {}", file,
                  quote(transport));
    CAROUSEL_TRY_ASSIGN(int64_t bytes,
                        readInteger(*members, "bytes", INT64_MAX));
    CAROUSEL_TRY_ASSIGN(int64_t ctas, readInteger(*members, "ctas", 65535));
    entry.bytes = static_cast<uint64_t>(bytes);
    entry.ctas = static_cast<int>(ctas);
    return entry;
  }

  const std::string &file;
};

} // namespace

Result<TransportTable> TransportTable::read(const std::string &file) noexcept {
  constexpr size_t kMaxBytes = 1 << 20;
  std::ifstream stream(file, std::ios::binary);
  std::string text(kMaxBytes + 1, '\0');
  if (stream)
    stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!stream && !stream.eof())
    return fail(ErrorCode::IOError, "can't read {}: {}", file,
                std::strerror(errno));
  text.resize(static_cast<size_t>(stream.gcount()));
  if (text.size() > kMaxBytes)
    return fail(ErrorCode::InvalidArgument,
                "{}: expected a transport table of at most {} bytes", file,
                kMaxBytes);
  Result<JSONDocument> document = JSONDocument::parse(text);
  if (!document)
    return fail(ErrorCode::InvalidArgument, "{}: {}", file,
                document.error().message);
  return Reader(file).read(document->getRoot());
}

} // namespace carousel::runtime
