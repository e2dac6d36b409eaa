//===- Transports.cpp - what copies between GPUs --------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel has to earn what it takes: while it runs, its CTAs' multiprocessors
// compute nothing else. So its time counts by their share of the GPU more, and
// it is taken only where the sum is below the copy engine's time, whose
// transport is here, too.
//
//===----------------------------------------------------------------------===//

#include "Transport.h"

#include "Package/JSONReader.h"

#include "carousel/Runtime/Fail.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>

namespace carousel::runtime {

const std::vector<MeasuredCopy> &getMeasuredCopies(bool isGet) {
  // Two H100 80GB HBM3, 18 lanes of NVLink 4 (benchmarks/RESULTS.md).
  static const std::vector<MeasuredCopy> puts = {
      {4096, 2.04, 1.82, 1},     {16384, 2.27, 1.68, 1},
      {65536, 2.24, 1.73, 4},    {131072, 2.58, 1.88, 8},
      {262144, 2.73, 2.05, 16},  {524288, 3.49, 2.78, 16},
      {1048576, 4.90, 4.39, 16}, {2097152, 7.52, 7.53, 16},
  };
  static const std::vector<MeasuredCopy> gets = {
      {4096, 2.68, 2.22, 1},     {16384, 2.79, 2.39, 1},
      {65536, 2.85, 2.53, 4},    {131072, 3.32, 2.74, 8},
      {262144, 3.61, 3.13, 16},  {524288, 4.50, 3.87, 16},
      {1048576, 5.87, 5.32, 16}, {2097152, 8.88, 8.31, 16},
  };
  return isGet ? gets : puts;
}

/// The row of a copy: the first of at least its size; null beyond the last.
static const MeasuredCopy *findRow(const CopyFacts &facts) {
  for (const MeasuredCopy &row : getMeasuredCopies(facts.isGet))
    if (facts.bytes <= row.bytes)
      return &row;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// The kinds
//===----------------------------------------------------------------------===//

/// The kernel's time with the share of the GPU that it occupies.
static CopyCost predictTMA(const CopyFacts &facts) {
  const MeasuredCopy &row = *findRow(facts);
  double share =
      facts.multiprocessors > 0 ? double(row.ctas) / facts.multiprocessors : 1;
  return {row.tma * (1 + share), row.ctas};
}

static const char *refuseTMA(const CopyFacts &facts) {
  if (facts.topology == Topology::SameGPU)
    return "the copy stays on the GPU";
  if (!facts.hasNVLink)
    return "no NVLink connects the GPUs";
  if (!facts.hasKernels)
    return "no kernels of transports can be used";
  if (facts.isSignalled)
    return "a signal after a kernel takes longer than one after a copy";
  if (!facts.isAligned)
    return "source and target differ modulo 16 bytes, and a kernel that shifts "
           "takes as long";
  if (!findRow(facts))
    return "the copy engine makes larger copies faster than was measured of "
           "kernels";
  if (!facts.isCaptured)
    return "the stream isn't captured, and the host launches a copy faster "
           "than a kernel";
  return nullptr;
}

static CopyCost predictCopyEngine(const CopyFacts &facts) {
  const MeasuredCopy *row = findRow(facts);
  return {row ? row->copyEngine : 0, 0};
}

const std::vector<TransportInfo> &getTransports() {
  static const std::vector<TransportInfo> transports = {
      {{TransportKind::CopyEngine, "copy-engine", /*copies=*/true,
        /*adds=*/false, /*hasCTAs=*/false},
       [](const CopyFacts &) -> const char * { return nullptr; },
       predictCopyEngine,
       openCopyEngine},
      {{TransportKind::TMA, "tma", /*copies=*/true, /*adds=*/true,
        /*hasCTAs=*/true},
       refuseTMA,
       predictTMA,
       openTMA},
      {{TransportKind::NCCL, "nccl", /*copies=*/false, /*adds=*/false,
        /*hasCTAs=*/false},
       nullptr,
       nullptr,
       nullptr},
  };
  return transports;
}

std::vector<TransportTraits> listTransports() noexcept {
  const std::vector<TransportInfo> &all = getTransports();
  return {all.begin(), all.end()};
}

/// Null for `auto`, and for a number that is none of a kind.
static const TransportInfo *findTransport(TransportKind kind) {
  for (const TransportInfo &info : getTransports())
    if (info.kind == kind)
      return &info;
  return nullptr;
}

const char *toString(TransportKind kind) noexcept {
  if (kind == TransportKind::Auto)
    return "auto";
  const TransportInfo *info = findTransport(kind);
  return info ? info->name : "unknown";
}

/// The names of those that put and get: "copy-engine or tma".
static std::string listCopying() {
  std::vector<const char *> names;
  for (const TransportInfo &info : getTransports())
    if (info.copies)
      names.push_back(info.name);
  return fmt::format("{} or {}",
                     fmt::join(names.begin(), names.end() - 1, ", "),
                     names.back());
}

//===----------------------------------------------------------------------===//
// The choice
//===----------------------------------------------------------------------===//

/// Why the chosen one is taken: a rule against the others, or all costs.
static std::string explainChoice(const CopyFacts &facts) {
  std::vector<std::string> costs;
  const char *rule = nullptr;
  for (const TransportInfo &info : getTransports()) {
    if (!info.copies)
      continue;
    if (const char *refusal = info.refuse(facts)) {
      rule = rule ? rule : refusal;
      continue;
    }
    CopyCost cost = info.predict(facts);
    costs.push_back(fmt::format("{:.2f} us for {}", cost.time, info.name));
    if (cost.ctas != 0)
      costs.back() += fmt::format(" on {} of {} multiprocessors", cost.ctas,
                                  facts.multiprocessors);
  }
  if (costs.size() < 2 && rule)
    return rule;
  return fmt::format("in CUDA graphs, a {} of {} bytes counts as {}",
                     facts.isGet ? "get" : "put", facts.bytes,
                     fmt::join(costs, ", and as "));
}

TransportChoice chooseTransport(const CopyFacts &facts, bool isExplained) {
  TransportChoice choice;
  double least = std::numeric_limits<double>::infinity();
  for (const TransportInfo &info : getTransports()) {
    if (!info.copies || info.refuse(facts))
      continue;
    CopyCost cost = info.predict(facts);
    if (cost.time >= least)
      continue;
    least = cost.time;
    choice.transport = info.kind;
    choice.ctas = cost.ctas;
  }
  if (isExplained)
    choice.reason = explainChoice(facts);
  return choice;
}

bool dependsOnCapture(CopyFacts facts) {
  facts.isCaptured = true;
  TransportKind captured = chooseTransport(facts).transport;
  facts.isCaptured = false;
  return captured != chooseTransport(facts).transport;
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

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
    bool isKnown = false;
    for (const TransportInfo &info : getTransports())
      if (info.copies && transport == info.name) {
        entry.transport = info.kind;
        isKnown = true;
      }
    if (!isKnown)
      return fail(ErrorCode::InvalidArgument,
                  "{}: transport: expected {}, got {}", file, listCopying(),
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

//===----------------------------------------------------------------------===//
// Transports
//===----------------------------------------------------------------------===//

namespace {

class CopyEngine : public Transport {
public:
  explicit CopyEngine(std::shared_ptr<Context::Impl> context)
      : context(std::move(context)) {}

  /// The driver finds the devices by the addresses.
  Status copy(const Copy &copy, Stream stream) override {
    return context->check(context->driver->cuMemcpyDtoDAsync(
                              copy.target, copy.source, copy.bytes, stream),
                          "cuMemcpyDtoDAsync");
  }

private:
  std::shared_ptr<Context::Impl> context;
};

/// An option, or else a variable of the environment. Programs with the rights
/// of another user read no variables.
std::string getSetting(const std::string &option, const char *variable) {
  if (!option.empty())
    return option;
  const char *value = ::secure_getenv(variable);
  return value ? value : "";
}

} // namespace

Result<std::unique_ptr<Transport>> openCopyEngine(const Context &context,
                                                  const CommOptions &) {
  return std::make_unique<CopyEngine>(context.share());
}

std::string getTransportPackage(const CommOptions &options) {
  return getSetting(options.transportPackage, "CAROUSEL_TRANSPORT_PACKAGE");
}

Status Transport::add(const Copy &, ElementType, Stream) {
  return fail(ErrorCode::InvalidArgument,
              "transport: expected one that adds, got another one");
}

Transports::Transports(Context context, const CommOptions &options)
    : context(std::move(context)), options(options),
      slots(getTransports().size()) {}

Status Transports::open() {
  tableFile = getSetting(options.transportTable, "CAROUSEL_TRANSPORT_TABLE");
  if (tableFile.empty())
    return {};
  CAROUSEL_TRY_ASSIGN(table, TransportTable::read(tableFile));
  return {};
}

void Transports::prepare() {
  if (options.allowMulticast)
    if (Result<Transport *> put = getMulticastPut(); put)
      (void)(*put)->load(); // a put says why it can't
  isPrepared = true;
  for (const TransportInfo &info : getTransports())
    if (info.copies) {
      Result<Transport *> transport = get(info.kind);
      isPrepared &= transport && (*transport)->load();
    }
}

Result<TransportChoice> Transports::choose(const Copy &copy, const Route &route,
                                           const TransferOptions &options,
                                           Stream stream,
                                           bool isExplained) const {
  if (options.ctas < 0)
    return fail(ErrorCode::InvalidArgument, "ctas: expected at least 0, got {}",
                options.ctas);
  if (options.transport != TransportKind::Auto)
    return TransportChoice{options.transport, options.ctas,
                           isExplained ? "it is asked for" : ""};
  TransportChoice choice;
  if (table) {
    TransportEntry entry = table->choose(route.topology, copy.bytes);
    choice.transport = entry.transport;
    choice.ctas = entry.ctas;
    if (isExplained)
      choice.reason = fmt::format("by the table {}", tableFile);
  } else {
    CopyFacts facts;
    facts.bytes = copy.bytes;
    facts.topology = route.topology;
    facts.hasNVLink = route.hasNVLink;
    // A context that waits for each kernel would wait for peers, too.
    facts.hasKernels = isPrepared && !context.getImpl().options.blocking;
    facts.isGet = copy.isGet;
    facts.isSignalled = copy.isSignalled;
    facts.isAligned = (copy.source - copy.target) % 16 == 0;
    facts.multiprocessors = context.getDevice().multiprocessors;
    // A call of the driver, for the copies that it decides about.
    if (dependsOnCapture(facts)) {
      CAROUSEL_TRY_ASSIGN(facts.isCaptured,
                          context.getImpl().isCapturing(stream));
    }
    choice = chooseTransport(facts, isExplained);
  }
  if (options.ctas != 0)
    choice.ctas = options.ctas;
  return choice;
}

Result<Transport *> Transports::open(Slot &slot,
                                     decltype(TransportInfo::open) open) {
  if (Transport *opened = slot.opened.load(std::memory_order_acquire))
    return opened;
  std::lock_guard<std::mutex> lock(mutex);
  if (!slot.transport && !slot.error) {
    Result<std::unique_ptr<Transport>> opened = open(context, options);
    if (opened)
      slot.transport = std::move(*opened);
    else
      slot.error = std::move(opened.error());
  }
  if (slot.error)
    return tl::make_unexpected(*slot.error);
  slot.opened.store(slot.transport.get(), std::memory_order_release);
  return slot.transport.get();
}

Result<Transport *> Transports::get(TransportKind kind) {
  const TransportInfo *info = findTransport(kind);
  if (!info)
    return fail(ErrorCode::InvalidArgument,
                "transport: expected auto, {}, got {}", listCopying(),
                static_cast<int>(kind));
  if (!info->copies)
    return fail(ErrorCode::InvalidArgument,
                "transport: expected one that puts and gets, got {}, which "
                "sends and receives only",
                info->name);
  return open(slots[static_cast<size_t>(info - getTransports().data())],
              info->open);
}

Status Transports::check(const Copy &copy, const Route &route,
                         const TransferOptions &options, Stream stream) {
  CAROUSEL_TRY_ASSIGN(TransportChoice choice,
                      choose(copy, route, options, stream));
  CAROUSEL_TRY(get(choice.transport));
  return {};
}

Result<std::string> Transports::explain(const Copy &copy, const Route &route,
                                        const TransferOptions &options,
                                        Stream stream) {
  CAROUSEL_TRY(check(copy, route, options, stream));
  CAROUSEL_TRY_ASSIGN(
      TransportChoice choice,
      choose(copy, route, options, stream, /*isExplained=*/true));
  std::string ctas;
  if (findTransport(choice.transport)->hasCTAs && choice.ctas > 0)
    ctas = fmt::format(" with at most {} CTA{}", choice.ctas,
                       choice.ctas == 1 ? "" : "s");
  return fmt::format("{}{}: {}", runtime::toString(choice.transport), ctas,
                     choice.reason);
}

Status Transports::copy(Copy copy, const Route &route,
                        const TransferOptions &options, Stream stream) {
  CAROUSEL_TRY_ASSIGN(TransportChoice choice,
                      choose(copy, route, options, stream));
  CAROUSEL_TRY_ASSIGN(auto *transport, get(choice.transport));
  if (copy.bytes == 0)
    return {};
  copy.ctas = choice.ctas;
  return transport->copy(copy, stream);
}

Status Transports::add(const Copy &copy, ElementType element, Stream stream) {
  if (copy.ctas < 0)
    return fail(ErrorCode::InvalidArgument, "ctas: expected at least 0, got {}",
                copy.ctas);
  const std::vector<TransportInfo> &all = getTransports();
  auto adding = std::find_if(all.begin(), all.end(),
                             [](const auto &info) { return info.adds; });
  CAROUSEL_TRY_ASSIGN(auto *transport, get(adding->kind));
  return transport->add(copy, element, stream);
}

Status Transports::putMulticast(const Copy &copy, Stream stream) {
  if (copy.ctas < 0)
    return fail(ErrorCode::InvalidArgument, "ctas: expected at least 0, got {}",
                copy.ctas);
  CAROUSEL_TRY_ASSIGN(auto *transport, getMulticastPut());
  if (copy.bytes == 0)
    return {};
  return transport->copy(copy, stream);
}

} // namespace carousel::runtime
