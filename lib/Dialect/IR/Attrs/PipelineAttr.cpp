//===- PipelineAttr.cpp - how a loop is pipelined -------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parses, prints and verifies #carousel.pipeline, and checks its place. C129 to
// C132 of docs/Spec.md.
//
//===----------------------------------------------------------------------===//

#include "../Ops/OpRules.h"
#include "AttrFields.h"

#include "carousel/Dialect/IR/CarouselOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

static constexpr StringLiteral kAuto = "auto";

/// Parses `auto`, which is nullopt, or a keyword of `Value`.
template <typename Value>
static ParseResult parseOrAuto(AsmParser &parser, std::optional<Value> &field) {
  field = std::nullopt;
  if (succeeded(parser.parseOptionalKeyword(kAuto)))
    return success();
  FailureOr<Value> value = FieldParser<Value>::parse(parser);
  if (failed(value))
    return failure();
  field = *value;
  return success();
}

template <typename Value>
static ParseResult parseField(AsmParser &parser, Value &field) {
  FailureOr<Value> value = FieldParser<Value>::parse(parser);
  if (failed(value))
    return failure();
  field = *value;
  return success();
}

/// Parses an entry of a list of stages. 0 stands for auto.
static ParseResult parseCount(AsmParser &parser,
                              SmallVectorImpl<int64_t> &counts) {
  SMLoc where = parser.getCurrentLocation();
  std::optional<int64_t> count;
  if (parseOrAuto(parser, count))
    return failure();
  if (count && *count < 1)
    return parser.emitError(where, "expected 1 or more stages, got ") << *count;
  counts.push_back(count.value_or(0));
  return success();
}

Attribute PipelineAttr::parse(AsmParser &parser, Type) {
  SMLoc where = parser.getCurrentLocation();
  std::optional<int64_t> stages, prefetch;
  SmallVector<int64_t> stagesOfEach;
  std::optional<SlotRelease> release;
  std::optional<PipelineEpilogue> epilogue;
  std::optional<StorePath> stores;
  std::optional<int64_t> storeSlots;
  auto mode = PipelineMode::Unified;
  auto tiles = TileAssignment::Static;
  auto scope = TransferScope::CTA;
  int64_t producers = 1, producerRegisters = 0, consumerRegisters = 0,
          multicast = 1;
  bool hasProducerRegisters = false, hasConsumerRegisters = false;
  auto parseStages = [&]() -> ParseResult {
    if (failed(parser.parseOptionalLSquare()))
      return parseOrAuto(parser, stages);
    auto parseOne = [&] { return parseCount(parser, stagesOfEach); };
    return failure(parser.parseCommaSeparatedList(parseOne) ||
                   parser.parseRSquare());
  };
  auto parsePrefetch = [&] { return parseOrAuto(parser, prefetch); };
  auto parseMode = [&] { return parseField(parser, mode); };
  auto parseScope = [&] { return parseField(parser, scope); };
  auto parseRelease = [&] { return parseOrAuto(parser, release); };
  auto parseEpilogue = [&] { return parseOrAuto(parser, epilogue); };
  auto parseStores = [&] { return parseOrAuto(parser, stores); };
  auto parseStoreSlots = [&] { return parseOrAuto(parser, storeSlots); };
  auto parseTiles = [&] { return parseField(parser, tiles); };
  auto parseProducers = [&] { return parser.parseInteger(producers); };
  auto parseProducerRegisters = [&] {
    hasProducerRegisters = true;
    return parser.parseInteger(producerRegisters);
  };
  auto parseConsumerRegisters = [&] {
    hasConsumerRegisters = true;
    return parser.parseInteger(consumerRegisters);
  };
  auto parseMulticast = [&] { return parser.parseInteger(multicast); };
  if (parseFields(parser, "a pipeline",
                  {{"stages", false, parseStages},
                   {"prefetch", false, parsePrefetch},
                   {"mode", false, parseMode},
                   {"scope", false, parseScope},
                   {"release", false, parseRelease},
                   {"epilogue", false, parseEpilogue},
                   {"stores", false, parseStores},
                   {"store_slots", false, parseStoreSlots},
                   {"tiles", false, parseTiles},
                   {"producers", false, parseProducers},
                   {"producer_registers", false, parseProducerRegisters},
                   {"consumer_registers", false, parseConsumerRegisters},
                   {"multicast", false, parseMulticast}}))
    return {};
  auto given = [](bool has, int64_t value) {
    return has ? std::optional<int64_t>(value) : std::nullopt;
  };
  return parser.getChecked<PipelineAttr>(
      where, parser.getContext(), stages, ArrayRef(stagesOfEach), prefetch,
      mode, scope, release, epilogue, stores, storeSlots, tiles, producers,
      given(hasProducerRegisters, producerRegisters),
      given(hasConsumerRegisters, consumerRegisters), multicast);
}

void PipelineAttr::print(AsmPrinter &printer) const {
  llvm::ListSeparator separator;
  auto print = [&](StringRef name, auto value) {
    printer << StringRef(separator) << name << " = " << value;
  };
  printer << '<';
  if (getStages())
    print("stages", *getStages());
  if (!getStagesOfEach().empty()) {
    printer << StringRef(separator) << "stages = [";
    llvm::interleaveComma(getStagesOfEach(), printer, [&](int64_t count) {
      count == 0 ? printer << kAuto : printer << count;
    });
    printer << ']';
  }
  if (getPrefetch())
    print("prefetch", *getPrefetch());
  if (getMode() != PipelineMode::Unified)
    print("mode", stringifyPipelineMode(getMode()));
  if (getScope() != TransferScope::CTA)
    print("scope", stringifyTransferScope(getScope()));
  if (getRelease())
    print("release", stringifySlotRelease(*getRelease()));
  if (getEpilogue())
    print("epilogue", stringifyPipelineEpilogue(*getEpilogue()));
  if (getStores())
    print("stores", stringifyStorePath(*getStores()));
  if (getStoreSlots())
    print("store_slots", *getStoreSlots());
  if (getTiles() != TileAssignment::Static)
    print("tiles", stringifyTileAssignment(getTiles()));
  if (getProducers() != 1)
    print("producers", getProducers());
  if (getProducerRegisters())
    print("producer_registers", *getProducerRegisters());
  if (getConsumerRegisters())
    print("consumer_registers", *getConsumerRegisters());
  if (getMulticast() != 1)
    print("multicast", getMulticast());
  printer << '>';
}

//===----------------------------------------------------------------------===//
// Other attributes
//===----------------------------------------------------------------------===//

PipelineAttr PipelineAttr::getAuto(MLIRContext *context) {
  return get(context, /*stages=*/std::nullopt, /*stagesOfEach=*/{},
             /*prefetch=*/std::nullopt, PipelineMode::Unified,
             TransferScope::CTA, /*release=*/std::nullopt,
             /*epilogue=*/std::nullopt, /*stores=*/std::nullopt,
             /*storeSlots=*/std::nullopt, TileAssignment::Static,
             /*producers=*/1, /*producerRegisters=*/std::nullopt,
             /*consumerRegisters=*/std::nullopt, /*multicast=*/1);
}

PipelineAttr PipelineAttr::withTiles(TileAssignment tiles) const {
  return get(getContext(), getStages(), getStagesOfEach(), getPrefetch(),
             getMode(), getScope(), getRelease(), getEpilogue(), getStores(),
             getStoreSlots(), tiles, getProducers(), getProducerRegisters(),
             getConsumerRegisters(), getMulticast());
}

PipelineAttr PipelineAttr::withMulticast(int64_t ctas) const {
  return get(getContext(), getStages(), getStagesOfEach(), getPrefetch(),
             getMode(), getScope(), getRelease(), getEpilogue(), getStores(),
             getStoreSlots(), getTiles(), getProducers(),
             getProducerRegisters(), getConsumerRegisters(), ctas);
}

PipelineAttr PipelineAttr::withStages(int64_t stages) const {
  return get(getContext(), stages, /*stagesOfEach=*/{}, getPrefetch(),
             getMode(), getScope(), getRelease(), getEpilogue(), getStores(),
             getStoreSlots(), getTiles(), getProducers(),
             getProducerRegisters(), getConsumerRegisters(), getMulticast());
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

using EmitError = function_ref<InFlightDiagnostic()>;

/// C129
static LogicalResult verifyDepth(EmitError emitError,
                                 std::optional<int64_t> stages,
                                 ArrayRef<int64_t> stagesOfEach,
                                 std::optional<int64_t> prefetch,
                                 std::optional<int64_t> storeSlots) {
  if (storeSlots && *storeSlots < 1)
    return emitError() << "expected 1 or more store slots, got " << *storeSlots;
  // Stages that are auto aren't known yet.
  if (!stagesOfEach.empty() && !llvm::is_contained(stagesOfEach, 0))
    stages = *llvm::max_element(stagesOfEach);
  if (stages && *stages < 1)
    return emitError() << "expected 1 or more stages, got " << *stages;
  if (prefetch && *prefetch < 0)
    return emitError() << "expected a prefetch distance of 0 or more, got "
                       << *prefetch;
  if (stages && prefetch && *prefetch >= *stages)
    return emitError() << "expected a prefetch distance below the " << *stages
                       << " stages, got " << *prefetch;
  return success();
}

/// C130
static LogicalResult verifyRoles(EmitError emitError, PipelineMode mode,
                                 TransferScope scope, int64_t producers,
                                 std::optional<int64_t> producerRegisters,
                                 std::optional<int64_t> consumerRegisters) {
  bool hasRegisters = producerRegisters || consumerRegisters;
  if (mode == PipelineMode::Unified) {
    if (producers != 1)
      return emitError() << "expected producers with mode specialized only, "
                            "got "
                         << producers;
    if (hasRegisters)
      return emitError() << "expected register counts with mode specialized "
                            "only";
    return success();
  }
  if (scope != TransferScope::CTA)
    return emitError() << "expected scope cta with mode specialized, got "
                       << stringifyTransferScope(scope);
  // At least one warp consumes.
  constexpr int64_t most = rules::kMaxThreadsPerBlock / rules::kWarpSize - 1;
  if (producers < 1 || producers > most)
    return emitError() << "expected 1 to " << most << " producer warps, got "
                       << producers;
  if (hasRegisters && !(producerRegisters && consumerRegisters))
    return emitError() << "expected register counts of both producers and "
                          "consumers, got one";
  for (std::optional<int64_t> count : {producerRegisters, consumerRegisters})
    if (count &&
        (*count < rules::kMinRegisters || *count > rules::kMaxRegisters ||
         *count % rules::kRegisterStep != 0))
      return emitError() << "expected " << rules::kMinRegisters << " to "
                         << rules::kMaxRegisters << " registers in steps of "
                         << rules::kRegisterStep << ", got " << *count;
  return success();
}

/// C131: a barrier of all threads of the scope requires that all threads
/// consume.
static LogicalResult verifyRelease(EmitError emitError, PipelineMode mode,
                                   TransferScope scope,
                                   std::optional<SlotRelease> release) {
  if (!release || *release == SlotRelease::EmptyBarrier)
    return success();
  TransferScope needed = *release == SlotRelease::CTABarrier
                             ? TransferScope::CTA
                             : TransferScope::Warp;
  if (mode == PipelineMode::Unified && scope == needed)
    return success();
  return emitError() << "expected scope " << stringifyTransferScope(needed)
                     << " and mode unified with release "
                     << stringifySlotRelease(*release) << ", got scope "
                     << stringifyTransferScope(scope) << " and mode "
                     << stringifyPipelineMode(mode);
}

/// C336: CTAs release slots to each other by mbarriers only.
static LogicalResult verifySharing(EmitError emitError, TransferScope scope,
                                   std::optional<SlotRelease> release,
                                   int64_t multicast) {
  if (multicast < 1 || multicast > rules::kMaxClusterSize)
    return emitError() << "expected multicast to 1 to "
                       << rules::kMaxClusterSize << " CTAs, got " << multicast;
  if (multicast == 1)
    return success();
  if (scope != TransferScope::CTA)
    return emitError() << "expected scope cta with multicast, got "
                       << stringifyTransferScope(scope);
  if (release && *release != SlotRelease::EmptyBarrier)
    return emitError() << "expected release empty_barrier with multicast, got "
                       << stringifySlotRelease(*release);
  return success();
}

LogicalResult PipelineAttr::verify(
    EmitError emitError, std::optional<int64_t> stages,
    ArrayRef<int64_t> stagesOfEach, std::optional<int64_t> prefetch,
    PipelineMode mode, TransferScope scope, std::optional<SlotRelease> release,
    std::optional<PipelineEpilogue> epilogue, std::optional<StorePath> stores,
    std::optional<int64_t> storeSlots, TileAssignment, int64_t producers,
    std::optional<int64_t> producerRegisters,
    std::optional<int64_t> consumerRegisters, int64_t multicast) {
  if (failed(
          verifyDepth(emitError, stages, stagesOfEach, prefetch, storeSlots)) ||
      failed(verifyRoles(emitError, mode, scope, producers, producerRegisters,
                         consumerRegisters)) ||
      failed(verifyRelease(emitError, mode, scope, release)))
    return failure();
  return verifySharing(emitError, scope, release, multicast);
}

Operation *carousel::getPipelinedLoop(Operation *transfer) {
  Operation *loop = transfer->getParentOp();
  while (loop && !loop->hasAttr(CarouselDialect::kPipeline))
    loop = loop->getParentOp();
  return loop;
}

LogicalResult carousel::verifyPipeline(Operation *op, NamedAttribute attr) {
  // C132
  if (!isa<scf::ForOp, scf::WhileOp>(op))
    return op->emitError("expected ")
           << attr.getName().strref()
           << " on an scf.for or scf.while, got it on " << op->getName();
  if (isa<PipelineAttr>(attr.getValue()))
    return success();
  return op->emitError("expected #carousel.pipeline<...> as ")
         << attr.getName().strref() << ", got " << attr.getValue();
}
