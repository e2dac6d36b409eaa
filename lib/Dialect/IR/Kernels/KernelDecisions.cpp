//===- KernelDecisions.cpp - the records of decisions ---------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mapFields lists the fields of each struct once; an encoder, a decoder and a
// JSON writer go through the lists. Lists that are empty are omitted. So it is
// for the decisions about graphs.
//
//===----------------------------------------------------------------------===//

#include "carousel/Dialect/IR/KernelDecisions.h"

#include "carousel/Dialect/IR/GraphDecisions.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <limits>

using namespace mlir;
using namespace carousel;
namespace json = llvm::json;

//===----------------------------------------------------------------------===//
// Fields
//===----------------------------------------------------------------------===//

template <typename IO> static void mapFields(IO &io, DecisionNote &note) {
  io.field("key", note.key);
  io.field("value", note.value);
}

template <typename IO> static void mapFields(IO &io, RingDecision &ring) {
  io.field("loop", ring.loop);
  io.field("is_load", ring.isLoad);
  io.field("memrefs", ring.memrefs);
  io.field("engines", ring.engines);
  io.field("stages", ring.stages);
  io.field("slot_bytes", ring.slotBytes);
  io.field("prefetch", ring.prefetch);
  io.field("scope", ring.scope);
  io.field("mode", ring.mode);
  io.field("release", ring.release);
  io.field("notes", ring.notes);
}

template <typename IO>
static void mapFields(IO &io, TransferDecision &transfer) {
  io.field("location", transfer.location);
  io.field("is_load", transfer.isLoad);
  io.field("memref", transfer.memref);
  io.field("bytes", transfer.bytes);
  io.field("engine", transfer.engine);
  io.field("instructions", transfer.instructions);
  io.field("cost", transfer.cost);
  io.field("rejections", transfer.rejections);
  io.field("notes", transfer.notes);
}

template <typename IO> static void mapFields(IO &io, MissedRequest &missed) {
  io.field("id", missed.miss);
  io.field("location", missed.location);
  io.field("subject", missed.subject);
  io.field("reason", missed.reason);
  io.field("notes", missed.notes);
}

template <typename IO> static void mapFields(IO &io, KernelDecisions &all) {
  io.field("rings", all.rings);
  io.field("transfers", all.transfers);
  io.field("misses", all.misses);
  io.field("notes", all.notes);
}

template <typename IO> static void mapFields(IO &io, GraphDecision &decision) {
  io.field("pass", decision.pass);
  io.field("name", decision.name);
  io.field("function", decision.function);
  io.field("text", decision.text);
  io.field("facts", decision.facts);
  io.field("location", decision.location);
  io.field("is_warning", decision.isWarning);
  io.field("misses", decision.misses);
}

//===----------------------------------------------------------------------===//
// Enumerations
//===----------------------------------------------------------------------===//

static StringRef toText(TransferScope value) {
  return stringifyTransferScope(value);
}
static StringRef toText(PipelineMode value) {
  return stringifyPipelineMode(value);
}
static StringRef toText(SlotRelease value) {
  return stringifySlotRelease(value);
}
static StringRef toText(Miss value) { return getId(value); }

static bool fromText(StringRef text, TransferScope &value) {
  std::optional<TransferScope> found = symbolizeTransferScope(text);
  value = found.value_or(value);
  return found.has_value();
}
static bool fromText(StringRef text, PipelineMode &value) {
  std::optional<PipelineMode> found = symbolizePipelineMode(text);
  value = found.value_or(value);
  return found.has_value();
}
static bool fromText(StringRef text, SlotRelease &value) {
  std::optional<SlotRelease> found = symbolizeSlotRelease(text);
  value = found.value_or(value);
  return found.has_value();
}
static bool fromText(StringRef text, Miss &value) {
  std::optional<Miss> found = findMiss(text);
  value = found.value_or(value);
  return found.has_value();
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

namespace {

class Encoder {
public:
  explicit Encoder(MLIRContext *context) : builder(context) {}

  template <typename T> void field(StringRef name, T &value) {
    add(name, encode(value));
  }
  template <typename T> void field(StringRef name, std::vector<T> &list) {
    SmallVector<Attribute> elements;
    for (T &element : list)
      elements.push_back(encode(element));
    if (!elements.empty())
      add(name, builder.getArrayAttr(elements));
  }

  DictionaryAttr take() { return builder.getDictionaryAttr(fields); }

private:
  void add(StringRef name, Attribute value) {
    fields.push_back(builder.getNamedAttr(name, value));
  }
  Attribute encode(LocationAttr &location) { return location; }
  Attribute encode(bool &value) { return builder.getBoolAttr(value); }
  Attribute encode(int64_t &value) { return builder.getI64IntegerAttr(value); }
  Attribute encode(std::string &text) { return builder.getStringAttr(text); }
  template <typename T> Attribute encode(T &value) {
    if constexpr (std::is_enum_v<T>) {
      return builder.getStringAttr(toText(value));
    } else {
      Encoder inner(builder.getContext());
      mapFields(inner, value);
      return inner.take();
    }
  }

  Builder builder;
  SmallVector<NamedAttribute> fields;
};

class Decoder {
public:
  Decoder(DictionaryAttr dictionary, std::string &error)
      : dictionary(dictionary), error(error) {}

  template <typename T> void field(StringRef name, T &value) {
    seen.insert(name);
    Attribute attr = dictionary.get(name);
    if (!attr)
      fail("field '" + name + "', got none");
    else if (!decode(attr, value))
      fail("a valid '" + name + "', got ", attr);
  }
  template <typename T> void field(StringRef name, std::vector<T> &list) {
    seen.insert(name);
    Attribute attr = dictionary.get(name);
    if (!attr)
      return;
    auto elements = dyn_cast<ArrayAttr>(attr);
    if (!elements)
      return fail("a list '" + name + "', got ", attr);
    for (Attribute element : elements)
      if (!decode(element, list.emplace_back()))
        return fail("a valid '" + name + "', got ", element);
  }

  /// Whether all fields are valid, and there are no others.
  bool finish() {
    for (NamedAttribute attr : dictionary)
      if (!seen.contains(attr.getName()))
        fail("no field '" + attr.getName().strref() + "', got one");
    return error.empty();
  }

private:
  /// Keeps the first error.
  void fail(const Twine &expected, Attribute got = {}) {
    if (!error.empty())
      return;
    error = expected.str();
    if (got)
      llvm::raw_string_ostream(error) << got;
  }
  bool decode(Attribute attr, LocationAttr &location) {
    location = dyn_cast<LocationAttr>(attr);
    return location != nullptr;
  }
  bool decode(Attribute attr, bool &value) {
    auto flag = dyn_cast<BoolAttr>(attr);
    value = flag && flag.getValue();
    return flag != nullptr;
  }
  bool decode(Attribute attr, int64_t &value) {
    auto integer = dyn_cast<IntegerAttr>(attr);
    if (!integer || !integer.getType().isInteger(64) ||
        integer.getValue().isNegative())
      return false;
    value = integer.getInt();
    return true;
  }
  bool decode(Attribute attr, std::string &text) {
    auto string = dyn_cast<StringAttr>(attr);
    text = string ? string.str() : "";
    return string != nullptr;
  }
  template <typename T> bool decode(Attribute attr, T &value) {
    if constexpr (std::is_enum_v<T>) {
      auto string = dyn_cast<StringAttr>(attr);
      return string && fromText(string, value);
    } else {
      auto inner = dyn_cast<DictionaryAttr>(attr);
      if (!inner)
        return false;
      Decoder decoder(inner, error);
      mapFields(decoder, value);
      return decoder.finish();
    }
  }

  DictionaryAttr dictionary;
  std::string &error;
  llvm::StringSet<> seen;
};

} // namespace

DictionaryAttr carousel::toAttribute(const KernelDecisions &decisions,
                                     MLIRContext *context) {
  KernelDecisions copy = decisions;
  Encoder encoder(context);
  mapFields(encoder, copy);
  return encoder.take();
}

FailureOr<KernelDecisions> carousel::parseDecisions(Attribute attr,
                                                    std::string &error) {
  error.clear();
  auto dictionary = dyn_cast<DictionaryAttr>(attr);
  if (!dictionary) {
    llvm::raw_string_ostream(error) << "a dictionary, got " << attr;
    return failure();
  }
  KernelDecisions decisions;
  Decoder decoder(dictionary, error);
  mapFields(decoder, decisions);
  if (!decoder.finish())
    return failure();
  return decisions;
}

FailureOr<std::vector<GraphDecision>>
carousel::parseGraphDecisions(Attribute attr, std::string &error) {
  error.clear();
  // A list is a field of a dictionary.
  auto field = StringAttr::get(attr.getContext(), "decisions");
  auto dictionary =
      DictionaryAttr::get(attr.getContext(), NamedAttribute(field, attr));
  std::vector<GraphDecision> decisions;
  Decoder decoder(dictionary, error);
  decoder.field(field, decisions);
  if (!decoder.finish())
    return failure();
  return decisions;
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

StringRef GraphDecision::getFact(StringRef key) const {
  for (const DecisionNote &fact : facts)
    if (fact.key == key)
      return fact.value;
  return {};
}

void carousel::appendDecisions(Operation *holder,
                               ArrayRef<GraphDecision> decisions) {
  auto record = holder->getAttrOfType<ArrayAttr>(kDecisionsAttr);
  if (!record || decisions.empty())
    return;
  SmallVector<Attribute> all(record.getValue());
  for (GraphDecision decision : decisions) {
    Encoder encoder(holder->getContext());
    mapFields(encoder, decision);
    all.push_back(encoder.take());
  }
  holder->setAttr(kDecisionsAttr, ArrayAttr::get(holder->getContext(), all));
}

std::vector<GraphDecision> carousel::takeGraphDecisions(Operation *holder) {
  Attribute attr = holder->removeAttr(kDecisionsAttr);
  std::string error;
  if (!attr)
    return {};
  FailureOr<std::vector<GraphDecision>> decisions =
      parseGraphDecisions(attr, error);
  return succeeded(decisions) ? std::move(*decisions)
                              : std::vector<GraphDecision>();
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

bool carousel::recordsDecisions(gpu::GPUFuncOp kernel) {
  return kernel->hasAttr(kDecisionsAttr);
}

KernelDecisions carousel::getDecisions(gpu::GPUFuncOp kernel) {
  Attribute attr = kernel->getAttr(kDecisionsAttr);
  std::string error;
  if (!attr)
    return {};
  FailureOr<KernelDecisions> decisions = parseDecisions(attr, error);
  return succeeded(decisions) ? std::move(*decisions) : KernelDecisions();
}

void carousel::setDecisions(gpu::GPUFuncOp kernel,
                            const KernelDecisions &decisions) {
  kernel->setAttr(kDecisionsAttr, toAttribute(decisions, kernel.getContext()));
}

//===----------------------------------------------------------------------===//
// Queries
//===----------------------------------------------------------------------===//

int64_t RingDecision::getBytesInFlight() const {
  if (!isLoad)
    return 0;
  // Producers of a specialised loop fill all slots but the one that is read.
  int64_t ahead = mode == PipelineMode::Specialized
                      ? std::max<int64_t>(stages - 1, 1)
                      : prefetch;
  return ahead * slotBytes;
}

int64_t KernelDecisions::getBytesInFlight() const {
  int64_t most = 0, bytes = 0;
  LocationAttr loop;
  for (const RingDecision &ring : rings) {
    bytes = ring.loop == loop ? bytes : 0;
    loop = ring.loop;
    bytes += ring.getBytesInFlight();
    most = std::max(most, bytes);
  }
  return most;
}

/// Formats a place with the module of a model that a front end has written
/// beside it, as a string of a fused location.
static std::string formatPlace(Location location, bool hasColumn) {
  auto file = location->findInstanceOf<FileLineColLoc>();
  if (!file)
    return "";
  std::string text = (llvm::sys::path::filename(file.getFilename()) + ":" +
                      Twine(file.getLine()))
                         .str();
  if (hasColumn && file.getColumn() != 0)
    text += ":" + std::to_string(file.getColumn());
  location->walk([&](Location part) {
    auto fused = dyn_cast<FusedLoc>(part);
    auto module = fused ? dyn_cast_if_present<StringAttr>(fused.getMetadata())
                        : StringAttr();
    if (!module)
      return WalkResult::advance();
    text += " " + module.str();
    return WalkResult::interrupt();
  });
  return text;
}

std::string carousel::formatPlace(LocationAttr location) {
  std::string text = location ? ::formatPlace(location, true) : "";
  return text.empty() ? "?" : text;
}

std::string carousel::formatSourceLine(Location location) {
  return ::formatPlace(location, false);
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

namespace {

class JSONWriter {
public:
  template <typename T> void field(StringRef name, T &value) {
    object[name] = write(value);
  }
  template <typename T> void field(StringRef name, std::vector<T> &list) {
    json::Array array;
    for (T &element : list)
      array.push_back(write(element));
    if (!array.empty())
      object[name] = std::move(array);
  }

  json::Value take() { return std::move(object); }

private:
  static json::Value write(LocationAttr &location) {
    return formatPlace(location);
  }
  static json::Value write(bool &value) { return value; }
  static json::Value write(int64_t &value) { return value; }
  static json::Value write(std::string &text) { return json::fixUTF8(text); }
  template <typename T> static json::Value write(T &value) {
    if constexpr (std::is_enum_v<T>) {
      return toText(value);
    } else {
      JSONWriter inner;
      mapFields(inner, value);
      return inner.take();
    }
  }

  json::Object object;
};

} // namespace

json::Value carousel::toJSON(const KernelDecisions &decisions) {
  KernelDecisions copy = decisions;
  JSONWriter writer;
  mapFields(writer, copy);
  return writer.take();
}
