//===- SelectEngine.cpp - select the engines of transfers -----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Applies the engine plan of each kernel: creates a function for each variant,
// adds tensor maps as arguments, sets the engine and the map of each transfer,
// and reports the reasons in remarks. Checks constraints C157, C158 and C190 of
// docs/Spec.md.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Engines/EnginePlan.h"
#include "carousel/Analysis/Engines/TransferBounds.h"
#include "carousel/Analysis/Values/IndexRanges.h"
#include "carousel/Analysis/Values/OperandWalk.h"
#include "carousel/Analysis/Values/Views.h"
#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Dialect/IR/KernelSignature.h"
#include "carousel/Passes/Passes.h"
#include "carousel/Support/HardwareLimits.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/DebugLog.h"
#include "llvm/Support/MathExtras.h"

#define DEBUG_TYPE "carousel-select-engine"

namespace carousel {
#define GEN_PASS_DEF_SELECTENGINE
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Clamp offsets to 32-bit coordinates
//
// The coordinates of a tensor copy have 32 bits; offsets in the tile phase have
// 64. The engine's guards limit extents to 31 bits. An offset far outside the
// memref could wrap to a coordinate inside it. Such offsets are clamped to
// values that have 32 bits and still lie outside. Bounds of an offset come from
// the loops around it, which end at extents, and from MLIR's integer range
// analysis.
//===----------------------------------------------------------------------===//

/// Coordinates from here on, up to twice this, are negative numbers of 32 bits:
/// outside.
constexpr int64_t kBehind = int64_t(1) << 31;

namespace {

/// Both ends included.
struct Interval {
  int64_t lo = std::numeric_limits<int64_t>::min();
  int64_t hi = std::numeric_limits<int64_t>::max();

  static Interval make(int64_t value) { return {value, value}; }
  Interval plus(const Interval &other) const {
    Interval sum;
    bool wraps = llvm::AddOverflow(lo, other.lo, sum.lo) |
                 llvm::AddOverflow(hi, other.hi, sum.hi);
    return wraps ? Interval() : sum;
  }
  Interval minus(const Interval &other) const {
    Interval difference;
    bool wraps = llvm::SubOverflow(lo, other.hi, difference.lo) |
                 llvm::SubOverflow(hi, other.lo, difference.hi);
    return wraps ? Interval() : difference;
  }
  /// The product with an interval that isn't negative; others have to be
  /// constants.
  Interval times(const Interval &other) const {
    if (lo < 0 && other.lo >= 0)
      return other.lo == other.hi ? timesConstant(other.lo) : Interval();
    Interval product;
    bool isUnknown = lo < 0 || other.lo < 0 ||
                     llvm::MulOverflow(lo, other.lo, product.lo) ||
                     llvm::MulOverflow(hi, other.hi, product.hi);
    return isUnknown ? Interval() : product;
  }
  Interval timesConstant(int64_t factor) const {
    Interval product;
    bool wraps = llvm::MulOverflow(lo, factor, product.lo) ||
                 llvm::MulOverflow(hi, factor, product.hi);
    return wraps ? Interval() : product;
  }
};

/// Dimensions that are one of a map's.
struct Group {
  int64_t first;
  int64_t inner = 1; ///< elements of all but the first
};

class OffsetClamp {
public:
  explicit OffsetClamp(gpu::GPUFuncOp kernel) : kernel(kernel) {}

  void run();

private:
  void addExtents(TransferOpInterface op);
  void clamp(TransferOpInterface op);
  Value createClamped(Value offset, Interval found, Interval limits);
  Value createBeforeEnd(Value offset, Value global, int64_t dim);
  Value getEnd(Value value);
  Value computeEnd(Value value);
  Interval get(Value value);
  Interval compute(Value value);
  Interval computeOp(Operation *op);
  int64_t getBefore(Value end) {
    int64_t hi = get(end).hi;
    return hi == std::numeric_limits<int64_t>::min() ? hi : hi - 1;
  }

  gpu::GPUFuncOp kernel;
  IndexRanges ranges;
  /// The most that dimensions of memrefs have.
  llvm::DenseMap<std::pair<Value, int64_t>, int64_t> extents;
  OperandFold<Interval> known;
  OperandFold<Value> ends;
  llvm::DenseMap<std::pair<Value, int64_t>, Value> clamped; // by `hi`
};

} // namespace

static bool isTensorCopy(TransferOpInterface op) {
  EngineAttr engine = op.getEngineAttr();
  return engine && engine.getKind() == EngineKind::Tensor;
}

static SmallVector<Group> getGroups(TransferOpInterface op) {
  MemRefType global = op.getGlobal().getType();
  SmallVector<int64_t> sizes(op.getEngineAttr().getCollapse());
  if (sizes.empty())
    sizes.assign(global.getRank(), 1);
  SmallVector<Group> groups;
  int64_t dim = 0;
  for (int64_t size : sizes) {
    Group group = {dim++};
    for (int64_t i = 1; i < size; ++i)
      group.inner *= global.getDimSize(dim++);
    groups.push_back(group);
  }
  return groups;
}

/// The engine's guards say so.
void OffsetClamp::addExtents(TransferOpInterface op) {
  for (const Group &group : getGroups(op))
    extents[{op.getGlobal(), group.first}] = (kBehind - 1) / group.inner;
}

//===----------------------------------------------------------------------===//
// Known bounds
//===----------------------------------------------------------------------===//

/// Finds the end that a value is below of, both without a sign: a loop's
/// variable of the loop's end, a remainder of its divisor, and a row's number
/// in a box of the number of rows. Or null. A product that loses bits is less
/// than the true one, so the row stays below.
Value OffsetClamp::getEnd(Value value) {
  auto isQuotient = [](Value inner) {
    return isa<arith::DivSIOp, arith::DivUIOp>(inner.getDefiningOp());
  };
  return ends.get(value, isQuotient,
                  [&](Value inner) { return computeEnd(inner); });
}

Value OffsetClamp::computeEnd(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    return loop && loop.getInductionVar() == value && !loop.getUnsignedCmp() &&
                   get(loop.getLowerBound()).lo >= 0
               ? loop.getUpperBound()
               : Value();
  }
  Operation *op = value.getDefiningOp();
  if (isa<arith::DivSIOp, arith::RemSIOp>(op) &&
      (get(op->getOperand(0)).lo < 0 || get(op->getOperand(1)).lo < 0))
    return {};
  if (isa<arith::RemSIOp, arith::RemUIOp>(op))
    return op->getOperand(1);
  if (!isa<arith::DivSIOp, arith::DivUIOp>(op))
    return {};
  Value end = getEnd(op->getOperand(0));
  auto product = end ? end.getDefiningOp<arith::MulIOp>() : arith::MulIOp();
  if (!product)
    return {};
  if (product.getRhs() == op->getOperand(1))
    return product.getLhs();
  return product.getLhs() == op->getOperand(1) ? product.getRhs() : Value();
}

Interval OffsetClamp::computeOp(Operation *op) {
  return llvm::TypeSwitch<Operation *, Interval>(op)
      .Case([&](arith::AddIOp sum) {
        return get(sum.getLhs()).plus(get(sum.getRhs()));
      })
      .Case([&](arith::SubIOp difference) {
        return get(difference.getLhs()).minus(get(difference.getRhs()));
      })
      .Case([&](arith::MulIOp product) {
        return get(product.getLhs()).times(get(product.getRhs()));
      })
      .Case<arith::DivSIOp, arith::DivUIOp, arith::CeilDivSIOp,
            arith::CeilDivUIOp>([&](auto quotient) {
        Interval lhs = get(quotient.getLhs());
        std::optional<int64_t> by = getConstantIntValue(quotient.getRhs());
        if (lhs.lo < 0 || get(quotient.getRhs()).lo < 0 || by == 0)
          return Interval();
        Interval result = {0, lhs.hi};
        if (by)
          result.hi = llvm::divideCeil(lhs.hi, *by);
        Value end = getEnd(quotient.getResult());
        if (end && get(end).lo >= 0)
          result.hi = std::min(result.hi, getBefore(end));
        return result;
      })
      .Case<arith::RemSIOp, arith::RemUIOp>([&](auto rest) {
        Interval rhs = get(rest.getRhs());
        if (get(rest.getLhs()).lo < 0 || rhs.lo < 0)
          return Interval();
        return Interval{0, getBefore(rest.getRhs())};
      })
      .Case([&](arith::MinSIOp least) {
        Interval lhs = get(least.getLhs()), rhs = get(least.getRhs());
        return Interval{std::min(lhs.lo, rhs.lo), std::min(lhs.hi, rhs.hi)};
      })
      .Case([&](arith::MaxSIOp most) {
        Interval lhs = get(most.getLhs()), rhs = get(most.getRhs());
        return Interval{std::max(lhs.lo, rhs.lo), std::max(lhs.hi, rhs.hi)};
      })
      .Case([&](memref::DimOp dim) {
        Interval extent = {0, std::numeric_limits<int64_t>::max()};
        if (std::optional<int64_t> index = dim.getConstantIndex())
          if (auto found = extents.find({dim.getSource(), *index});
              found != extents.end())
            extent.hi = found->second;
        return extent;
      })
      .Default([](Operation *) { return Interval(); });
}

Interval OffsetClamp::compute(Value value) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return Interval::make(*constant);
  if (!value.getType().isIndex())
    return {};
  if (Operation *op = value.getDefiningOp())
    return computeOp(op);
  auto loop = dyn_cast<scf::ForOp>(value.getParentBlock()->getParentOp());
  if (!loop || loop.getInductionVar() != value || loop.getUnsignedCmp())
    return {};
  // In an iteration the variable is before the end.
  return {get(loop.getLowerBound()).lo, getBefore(loop.getUpperBound())};
}

Interval OffsetClamp::get(Value value) {
  auto isNumber = [](Value inner) {
    return inner.getType().isIndex() &&
           isa<arith::ArithDialect>(inner.getDefiningOp()->getDialect());
  };
  return known.get(value, isNumber, [&](Value inner) {
    Interval interval = compute(inner);
    IntegerValueRange inferred = ranges.get(inner);
    if (inferred.isUninitialized())
      return interval;
    const ConstantIntRanges &range = inferred.getValue();
    unsigned bits = range.smin().getBitWidth();
    if (bits != 0 && bits <= 64) {
      interval.lo = std::max(interval.lo, range.smin().getSExtValue());
      interval.hi = std::min(interval.hi, range.smax().getSExtValue());
    }
    return interval;
  });
}

//===----------------------------------------------------------------------===//
// Clamping
//===----------------------------------------------------------------------===//

/// Clamps the offset at its definition: once, if that is before a loop.
Value OffsetClamp::createClamped(Value offset, Interval found,
                                 Interval limits) {
  Value &result = clamped[{offset, limits.hi}];
  if (result)
    return result;
  OpBuilder b(kernel.getContext());
  b.setInsertionPointAfterValue(offset);
  Location loc = offset.getLoc();
  auto createIndex = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  result = offset;
  if (found.lo < limits.lo)
    result = arith::MaxSIOp::create(b, loc, result, createIndex(limits.lo));
  if (found.hi > limits.hi)
    result = arith::MinSIOp::create(b, loc, result, createIndex(limits.hi));
  return result;
}

/// Stores' offsets are not negative, and neither may their coordinates be: the
/// end is far enough, and a multiple where one is asked for.
Value OffsetClamp::createBeforeEnd(Value offset, Value global, int64_t dim) {
  // Both come before the store, so one of them comes before the other.
  Operation *made = global.getDefiningOp();
  Operation *from = offset.getDefiningOp();
  if (!from)
    from = &cast<BlockArgument>(offset).getOwner()->front();
  bool isLater = made && !DominanceInfo(kernel).properlyDominates(made, from);
  OpBuilder b(kernel.getContext());
  b.setInsertionPointAfterValue(isLater ? global : offset);
  Location loc = offset.getLoc();
  return arith::MinSIOp::create(b, loc, offset,
                                memref::DimOp::create(b, loc, global, dim));
}

void OffsetClamp::clamp(TransferOpInterface op) {
  int64_t tile = op.getTile().getType().getNumElements();
  for (const Group &group : getGroups(op)) {
    Value offset = op.getOffsets()[group.first];
    Interval found = get(offset);
    // Beyond its extent a coordinate may become negative, but must not reach 0.
    if ((!op.isLoad() || found.lo >= -(kBehind / group.inner)) &&
        found.hi < (2 * kBehind - tile) / group.inner - 1)
      continue;
    if (auto store = dyn_cast<StoreOp>(op.getOperation())) {
      store.getOffsetsMutable()[group.first].set(
          createBeforeEnd(offset, op.getGlobal(), group.first));
      continue;
    }
    // Clamp to beyond all extents, and to a box before the first element.
    // Multiples, as innermost coordinates must be, stay multiples.
    int64_t most = kBehind / group.inner;
    constexpr int64_t granule = 256;
    if (most >= granule * tile)
      most = llvm::alignDown(most, granule);
    Interval limits = {-most, most};
    if (most < (kBehind - 1) / group.inner)
      limits.hi += granule;
    cast<LoadOp>(op.getOperation())
        .getOffsetsMutable()[group.first]
        .set(createClamped(offset, found, limits));
  }
}

void OffsetClamp::run() {
  SmallVector<TransferOpInterface> copies;
  kernel.walk([&](TransferOpInterface op) {
    if (isa<LoadOp, StoreOp>(op.getOperation()) && isTensorCopy(op))
      copies.push_back(op);
  });
  if (copies.empty())
    return;
  for (TransferOpInterface op : copies)
    addExtents(op);
  for (TransferOpInterface op : copies)
    if (!op.getInBounds())
      clamp(op);
}

/// Clamps the offsets of tensor copies in a kernel whose engines are chosen.
static void clampOffsets(gpu::GPUFuncOp kernel) { OffsetClamp(kernel).run(); }

//===----------------------------------------------------------------------===//
// Tensor maps
//===----------------------------------------------------------------------===//

/// The kernel's argument with this map, which it gets if it hasn't.
static Value getMap(gpu::GPUFuncOp kernel, TensorMapType type,
                    EncodeAttr encode, bool &isNew) {
  isNew = false;
  unsigned count = kernel.getNumArguments();
  for (unsigned i = 0; i < count; ++i)
    if (kernel.getArgument(i).getType() == type &&
        kernel.getArgAttr(i, CarouselDialect::kEncode) == encode)
      return kernel.getArgument(i);
  isNew = true;
  NamedAttribute attr(
      StringAttr::get(kernel.getContext(), CarouselDialect::kEncode), encode);
  // Before the attributions, which are also arguments of the entry block.
  if (failed(kernel.insertArgument(
          count, type, DictionaryAttr::get(kernel.getContext(), {attr}),
          kernel.getLoc())))
    llvm_unreachable("a kernel takes arguments of any type");
  return kernel.getArgument(count);
}

static void setEngine(TransferOpInterface op, EngineAttr engine, Value map) {
  llvm::TypeSwitch<Operation *>(op.getOperation())
      .Case<LoadOp, StoreOp>([&](auto transfer) {
        transfer.setEngineAttr(engine);
        if (map)
          transfer.getMapMutable().assign(map);
      });
}

/// Copies by threads give the tile the swizzle that their op has.
static void setSwizzle(TransferOpInterface op, const EngineAssignment &plan) {
  EngineKind kind = plan.choice.engine.getKind();
  if (kind != EngineKind::CpAsync && kind != EngineKind::Vector)
    return;
  llvm::TypeSwitch<Operation *>(op.getOperation())
      .Case<LoadOp, StoreOp>(
          [&](auto transfer) { transfer.setSwizzle(plan.swizzle); });
}

//===----------------------------------------------------------------------===//
// Alignment
//===----------------------------------------------------------------------===//

/// Returns the alignment of the tile's address that the engine needs.
static int64_t getTileAlignment(const EngineChoice &choice) {
  switch (choice.engine.getKind()) {
  case EngineKind::Tensor:
    return choice.map ? choice.map.getSharedAlignment() : 1;
  case EngineKind::Bulk:
    return rules::kBulkGranule;
  case EngineKind::CpAsync:
  case EngineKind::Vector:
    return choice.engine.getWidth();
  }
  llvm_unreachable("an engine");
}

/// An attribution has the alignment that it says, unlike a memref.alloc, which
/// gets its place from all of its uses.
static void alignAttribution(gpu::GPUFuncOp kernel, TransferOpInterface op,
                             int64_t alignment) {
  Value buffer = getRootBuffer(op.getTile());
  ArrayRef<BlockArgument> attributions = kernel.getWorkgroupAttributions();
  const auto *found = llvm::find(attributions, buffer);
  if (found == attributions.end())
    return;
  unsigned index = found - attributions.begin();
  StringRef name = LLVM::LLVMDialect::getAlignAttrName();
  auto old = dyn_cast_or_null<IntegerAttr>(
      kernel.getWorkgroupAttributionAttr(index, name));
  int64_t natural = op.getTileBytes() / op.getTile().getType().getNumElements();
  if ((old ? old.getInt() : natural) >= alignment)
    return;
  kernel.setWorkgroupAttributionAttr(
      index, name, Builder(kernel.getContext()).getI64IntegerAttr(alignment));
}

//===----------------------------------------------------------------------===//
// Variants
//===----------------------------------------------------------------------===//

namespace {

struct SelectEngine : public carousel::impl::SelectEngineBase<SelectEngine> {
  using SelectEngineBase::SelectEngineBase;

  void runOnOperation() override {
    gpu::GPUModuleOp module = getOperation();
    FailureOr<TargetSpec> target = getTargetSpec(module);
    if (failed(target))
      return signalPassFailure();
    FailureOr<ChipModel> chip = getChipModel(module);
    if (failed(chip))
      return signalPassFailure();
    SmallVector<gpu::GPUFuncOp> kernels;
    for (auto func : module.getOps<gpu::GPUFuncOp>())
      if (func.isKernel())
        kernels.push_back(func);
    // Rare or slow launches need one tile: those without the best engines.
    SmallVector<bool> areServed = llvm::map_to_vector(kernels, isServedEarlier);
    SymbolTable symbols(module);
    bool refused = false;
    for (auto [kernel, isServed] : llvm::zip_equal(kernels, areServed))
      refused |=
          failed(selectEngines(kernel, *target, *chip, symbols, isServed));
    if (refused)
      signalPassFailure();
  }

  LogicalResult selectEngines(gpu::GPUFuncOp kernel, const TargetSpec &target,
                              const ChipModel &chip, SymbolTable &symbols,
                              bool isServed) {
    bool hasTransfers = kernel
                            .walk([](TransferOpInterface op) {
                              return isa<LoadOp, StoreOp>(*op)
                                         ? WalkResult::interrupt()
                                         : WalkResult::advance();
                            })
                            .wasInterrupted();
    if (!hasTransfers)
      return success();
    markInBounds(kernel);
    EnginePlan plan =
        planEngines(kernel, target, chip, {variants, preferEngine.getValue()});
    // C157
    for (const EngineFault &fault : plan.faults) {
      TransferOpInterface op = fault.op;
      InFlightDiagnostic error = op->emitOpError(fault.message);
      if (fault.other)
        error.attachNote(fault.other->getLoc())
            << (isa<TransferOpInterface>(fault.other) ? "the other transfer"
                                                      : "the atomic");
    }
    if (!plan.faults.empty())
      return failure();
    std::string name = getKernelName(kernel).str();
    std::string function = kernel.getName().str();
    bool hasOthers = plan.variants.size() > 1;
    isServed &= hasOthers;
    if (isServed)
      plan.variants.resize(1);
    functions += plan.variants.size();
    for (const EngineVariant &variant : plan.variants) {
      bool isLast = !isServed && &variant == &plan.variants.back();
      gpu::GPUFuncOp func = kernel;
      IRMapping mapping;
      if (!isLast) {
        func = cast<gpu::GPUFuncOp>(kernel->clone(mapping));
        func.setName(function + variant.suffix);
        symbols.insert(func, Block::iterator(kernel));
      }
      if (!variant.guards.empty() || hasOthers)
        addGuards(func, name, variant.guards);
      applyVariant(func, variant, mapping);
      record(func, variant);
    }
    if (isServed)
      symbols.erase(kernel);
    else if (hasOthers)
      makeLastResort(kernel);
    return success();
  }

  /// Costs are times by engines. What has none comes after all that have.
  void makeLastResort(gpu::GPUFuncOp kernel) {
    auto variant =
        kernel->getAttrOfType<VariantAttr>(CarouselDialect::kVariant);
    if (!variant.getCost())
      return;
    kernel->setAttr(CarouselDialect::kVariant,
                    VariantAttr::get(kernel.getContext(), variant.getKernel(),
                                     variant.getGuards()));
    kernel->moveBefore(getOperation().getBody(),
                       getOperation().getBody()->end());
  }

  /// Boxes that are known to be inside need no check when they are issued, and
  /// engines need less of the launch.
  void markInBounds(gpu::GPUFuncOp kernel) {
    SmallVector<TransferOpInterface> inside;
    {
      Divisibility facts;
      IndexRanges ranges;
      kernel.walk([&](TransferOpInterface op) {
        // C126
        auto load = dyn_cast<LoadOp>(op.getOperation());
        bool isPlain = load ? load.getFill() == OutOfBoundsFill::Zero
                            : isa<StoreOp>(op.getOperation());
        if (isPlain && !op.getInBounds() && isKnownInBounds(op, facts, ranges))
          inside.push_back(op);
      });
    }
    for (TransferOpInterface op : inside)
      llvm::TypeSwitch<Operation *>(op.getOperation())
          .Case([](LoadOp load) {
            // There is nothing to fill.
            load.setInBounds(true);
            load.removeFillValueAttr();
          })
          .Case([](StoreOp store) { store.setInBounds(true); });
  }

  void applyVariant(gpu::GPUFuncOp func, const EngineVariant &variant,
                    const IRMapping &mapping) {
    for (const EngineAssignment &plan : variant.transfers) {
      TransferOpInterface op = plan.op;
      if (Operation *clone = mapping.lookupOrNull(op.getOperation()))
        op = cast<TransferOpInterface>(clone);
      Value map;
      bool isNew = false;
      if (plan.choice.map) {
        map = getMap(func, plan.choice.map, plan.choice.encode, isNew);
        maps += isNew;
      }
      setEngine(op, plan.choice.engine, map);
      alignAttribution(func, op, getTileAlignment(plan.choice));
      count(plan);
      log(func, op, plan);
      emitRemarks(func, op, plan);
      setSwizzle(op, plan);
    }
    clampOffsets(func);
  }

  /// Records engines, if a record is asked for and has none yet.
  void record(gpu::GPUFuncOp func, const EngineVariant &variant) {
    if (!recordsDecisions(func))
      return;
    KernelDecisions decisions = getDecisions(func);
    if (!decisions.transfers.empty())
      return;
    describeEngines(variant, decisions);
    setDecisions(func, decisions);
  }

  void count(const EngineAssignment &plan) {
    switch (plan.choice.engine.getKind()) {
    case EngineKind::Tensor:
      ++tensorTransfers;
      break;
    case EngineKind::Bulk:
      ++bulkTransfers;
      break;
    case EngineKind::CpAsync:
      ++cpAsyncTransfers;
      break;
    case EngineKind::Vector:
      ++vectorTransfers;
      break;
    }
    missed += plan.rejections.size();
  }

  void log(gpu::GPUFuncOp func, TransferOpInterface op,
           const EngineAssignment &plan) {
    LDBG() << op->getLoc() << ": @" << func.getName() << ": " << op->getName()
           << " of " << op.getTileBytes() << " bytes by " << plan.choice.engine
           << ", cost " << plan.choice.cost;
    for (const EngineRejection &rejection : plan.rejections)
      LDBG() << op->getLoc() << ": not by "
             << stringifyEngineKind(rejection.kind) << ": " << rejection.reason;
  }

  void emitRemarks(gpu::GPUFuncOp func, TransferOpInterface op,
                   const EngineAssignment &plan) {
    // Their text is made in any case.
    if (!getContext().getRemarkEngine())
      return;
    remark::RemarkOpts options = remark::RemarkOpts::name("Engine")
                                     .category("carousel-select-engine")
                                     .function(func.getName());
    std::string engine;
    llvm::raw_string_ostream(engine) << plan.choice.engine;
    std::string map;
    if (plan.choice.map)
      llvm::raw_string_ostream(map) << " through " << plan.choice.map;
    StringRef what = op.isLoad() ? "load" : "store";
    remark::passed(op->getLoc(), options) << remark::add(
        "{0} of {1} bytes by {2}{3}: {4} {5}, cost {6}{7}", what,
        op.getTileBytes(), engine, map, plan.choice.instructions,
        plan.choice.engine.getWidth() ? "pieces" : "instructions",
        plan.choice.cost, plan.isGiven ? ", as given" : "");
    for (const EngineRejection &rejection : plan.rejections)
      remark::missed(op->getLoc(), options) << remark::add(
          "{0} not used for {1}: {2}", stringifyEngineKind(rejection.kind),
          what, rejection.reason);
    if (!plan.swizzleRejection.empty())
      remark::missed(op->getLoc(), options) << remark::add(
          "swizzle {0} not used for {1}: {2}",
          stringifySwizzle(op.getSwizzle()), what, plan.swizzleRejection.text);
    // PTX promises no atomicity between the two.
    if (!plan.agreement.empty())
      remark::analysis(op->getLoc(), options) << remark::add(
          "{0} by {1}, as all reductions into its memref, {2}", what,
          plan.choice.engine.getKind() == EngineKind::Vector ? "threads"
                                                             : "an engine",
          plan.agreement);
  }
};

} // namespace
