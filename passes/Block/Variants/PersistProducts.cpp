//===- PersistProducts.cpp - CTAs that go through tiles -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See PersistProducts.h.
//
//===----------------------------------------------------------------------===//

#include "PersistProducts.h"

#include "carousel/Analysis/Distribution/AccessAlignment.h"
#include "carousel/Analysis/Distribution/ContractionPlan.h"
#include "carousel/Dialect/IR/CarouselSignalOps.h"
#include "carousel/Dialect/Transforms/CoveredVectors.h"
#include "carousel/Support/HardwareLimits.h"
#include "carousel/Target/ChipModel.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

#include <cmath>
#include <optional>

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// The order of programs in a loop
//
// CTAs that go through the programs of a grid choose the order. Programs that
// run at the same time shall read the same, so that most comes from the L2:
//
// - Tiles of a product's result are numbered by groups of rows of tiles: in a
//   group, down each column and then to the next one. With as many rows as
//   columns, programs that run together read the least. Rows that a list in
//   memory gives may have no work, the last ones first: so a few of them, no
//   more than a group, go one after the other.
// - One dimension of the grid may select what programs' loops read, as keys and
//   values of a head, and the other one how much of it, as causal rows do. Such
//   programs are numbered by groups of heads: as many as the L2 has room for.
//   In a group, the first rows of all heads come first, and so on; in every
//   second group, the last rows do. A CTA takes every n-th program. So if the
//   author gives long programs first, CTAs that have long ones of one group
//   have short ones of the next.
//
// Other programs have the author's order.
//===----------------------------------------------------------------------===//

namespace {

class ProgramOrder {
public:
  /// Orders the programs of a kernel that compute the product, for a grid of so
  /// many dimensions. The kernel still has the numbers of its blocks.
  ProgramOrder(gpu::GPUFuncOp kernel, vector::ContractionOp product,
               unsigned dims, const ChipModel &chip);

  /// The dimension of the grid along which a cluster's CTAs may have
  /// neighbouring rows of tiles, or nullopt.
  std::optional<unsigned> getRows() const;

  /// Computes before the loop what numbers need, for a grid of these extents,
  /// of which one is divided among clusters of `ctas`.
  void prepare(ImplicitLocOpBuilder &b, ArrayRef<Value> extents, int64_t ctas);

  /// The numbers of a program's block. They have 32 bits, as those of blocks:
  /// no index that is computed from them is negative.
  SmallVector<Value> computeIds(ImplicitLocOpBuilder &b, Value number,
                                ArrayRef<Value> extents) const;

private:
  /// Groups are made along the first one. In a group, it changes first.
  struct Groups {
    unsigned along, across;
  };
  std::optional<Groups> findTiles();
  std::optional<Groups> findShared();
  Value createSizeOfTiles(ImplicitLocOpBuilder &b, ArrayRef<Value> extents,
                          int64_t ctas);
  Value createSizeOfShared(ImplicitLocOpBuilder &b, ArrayRef<Value> extents);

  Value turnInEverySecond(ImplicitLocOpBuilder &b, Value group, Value place,
                          Value extent) const;

  gpu::GPUFuncOp kernel;
  vector::ContractionOp product;
  const ChipModel &chip;
  std::optional<Groups> tiles, groups;
  /// Memory says where a row of tiles begins, as a list of groups' tiles does.
  bool haveListedRows = false;
  /// A read by programs of the same number along the groups, and the dimensions
  /// of its memory that this number selects.
  struct SharedRead {
    Value memory;
    SmallVector<unsigned> selected;
  };
  SmallVector<SharedRead> shared;
  Value size; ///< of a group
  Value last; ///< the last group's number, if every second one is turned
};

} // namespace

using DimSet = llvm::SmallDenseSet<unsigned>;

/// The part of the L2 for what programs share. The rest has what each one reads
/// and writes alone.
static constexpr double kShareOfL2 = 0.5;

//===----------------------------------------------------------------------===//
// Values that depend on the grid
//===----------------------------------------------------------------------===//

/// The values from which a loop or a branch takes a result or a value that it
/// carries.
static void followControl(Value value, llvm::SetVector<Value> &values) {
  auto argument = dyn_cast<BlockArgument>(value);
  Operation *op =
      argument ? argument.getOwner()->getParentOp() : value.getDefiningOp();
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    OpOperand *init = argument ? loop.getTiedLoopInit(argument)
                               : loop.getTiedLoopInit(cast<OpResult>(value));
    if (!init)
      return;
    BlockArgument carried = loop.getTiedLoopRegionIterArg(init);
    values.insert(init->get());
    values.insert(loop.getTiedLoopYieldedValue(carried)->get());
  } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
    unsigned number = cast<OpResult>(value).getResultNumber();
    values.insert(branch.getCondition());
    values.insert(branch.thenYield().getOperand(number));
    values.insert(branch.elseYield().getOperand(number));
  }
}

/// The dimensions of the grid on which a value depends, apart from the number
/// of a loop's iteration. `readsMemory` is set if numbers in memory go into it.
static DimSet findGridDims(Value value, bool *readsMemory = nullptr) {
  DimSet dims;
  llvm::SetVector<Value> values;
  values.insert(value);
  for (unsigned i = 0; i < values.size(); ++i) {
    Operation *op = values[i].getDefiningOp();
    if (!op || op->getNumRegions() != 0) {
      followControl(values[i], values);
      continue;
    }
    if (auto id = dyn_cast<gpu::BlockIdOp>(op))
      dims.insert(unsigned(id.getDimension()));
    else if (readsMemory && !isMemoryEffectFree(op))
      *readsMemory = true;
    values.insert(op->operand_begin(), op->operand_end());
  }
  return dims;
}

/// Finds the reads that a factor comes from, and is computed with.
static SmallVector<vector::TransferReadOp> findReads(Value factor) {
  SmallVector<vector::TransferReadOp> reads;
  llvm::SetVector<Value> values;
  values.insert(factor);
  for (unsigned i = 0; i < values.size(); ++i) {
    Operation *op = values[i].getDefiningOp();
    if (auto read = dyn_cast_or_null<vector::TransferReadOp>(op))
      reads.push_back(read);
    else if (op && op->getNumRegions() == 0)
      values.insert(op->operand_begin(), op->operand_end());
  }
  return reads;
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

ProgramOrder::ProgramOrder(gpu::GPUFuncOp kernel, vector::ContractionOp product,
                           unsigned dims, const ChipModel &chip)
    : kernel(kernel), product(product), chip(chip) {
  if (dims < 2)
    return;
  tiles = findTiles();
  groups = tiles ? tiles : findShared();
}

std::optional<unsigned> ProgramOrder::getRows() const {
  return tiles ? std::optional(tiles->along) : std::nullopt;
}

/// Rows of tiles along one dimension, and columns along the other one.
std::optional<ProgramOrder::Groups> ProgramOrder::findTiles() {
  std::optional<unsigned> dims[2];
  for (auto [i, factor] :
       {std::pair(0u, product.getLhs()), std::pair(1u, product.getRhs())}) {
    DimSet own;
    bool areInMemory = false;
    for (vector::TransferReadOp read : findReads(factor))
      for (AffineExpr expr : read.getPermutationMap().getResults()) {
        auto along = dyn_cast<AffineDimExpr>(expr);
        DimSet ofIndex =
            along ? findGridDims(read.getIndices()[along.getPosition()],
                                 &areInMemory)
                  : DimSet();
        if (ofIndex.size() == 1 && *ofIndex.begin() < 2)
          own.insert(*ofIndex.begin());
      }
    // Scales of the other factor's dimension may be multiplied to it.
    if (own.size() == 1)
      dims[i] = *own.begin();
    haveListedRows |= i == 0 && areInMemory;
  }
  if (!dims[0] || !dims[1] || dims[0] == dims[1])
    return std::nullopt;
  return Groups{*dims[0], *dims[1]};
}

/// Loops read what one of the dimensions selects, and nothing that the other
/// one alone selects. How much they read depends on the other one.
std::optional<ProgramOrder::Groups> ProgramOrder::findShared() {
  DimSet found, ofBounds;
  bool areInMemory = false;
  kernel.walk([&](vector::TransferReadOp read) {
    auto loop = read->getParentOfType<scf::ForOp>();
    if (!loop)
      return;
    DimSet all;
    SharedRead own{read.getBase(), {}};
    for (auto [position, index] : llvm::enumerate(read.getIndices())) {
      DimSet dims = findGridDims(index);
      if (dims.contains(0) || dims.contains(1))
        own.selected.push_back(unsigned(position));
      all.insert(dims.begin(), dims.end());
    }
    if (all.contains(0) == all.contains(1))
      return;
    found.insert(all.contains(1));
    for (Value bound : {loop.getLowerBound(), loop.getUpperBound()}) {
      DimSet dims = findGridDims(bound, &areInMemory);
      ofBounds.insert(dims.begin(), dims.end());
    }
    if (llvm::is_contained(kernel.getArguments(), own.memory))
      shared.push_back(own);
  });
  if (shared.empty() || found.size() != 1)
    return std::nullopt;
  unsigned along = *found.begin(), across = 1 - along;
  if (areInMemory || ofBounds.contains(along) || !ofBounds.contains(across))
    return std::nullopt;
  return Groups{along, across};
}

static Value divide(ImplicitLocOpBuilder &b, Value lhs, Value rhs) {
  return arith::DivUIOp::create(b, lhs, rhs);
}

/// Those that run together are a square. If memory says where rows of tiles
/// begin, the last ones may be empty: a grid has as many as there may be. Few
/// of them go one by one, so that programs without work come last.
Value ProgramOrder::createSizeOfTiles(ImplicitLocOpBuilder &b,
                                      ArrayRef<Value> extents, int64_t ctas) {
  auto sums = cast<VectorType>(product.getResultType());
  double squares = double(chip.sms) * sums.getDimSize(1) / sums.getDimSize(0);
  Value side = arith::ConstantIndexOp::create(
      b, std::max<int64_t>(std::lround(std::sqrt(squares) / ctas), 1));
  if (!haveListedRows)
    return side;
  Value areFew = arith::CmpIOp::create(b, arith::CmpIPredicate::ule,
                                       extents[tiles->along], side);
  Value one = arith::ConstantIndexOp::create(b, 1);
  return arith::SelectOp::create(b, areFew, one, side);
}

/// As many as have room in the L2, but half of all at most: then long programs
/// of one group go with short ones of the other. CTAs should have several
/// programs of a group.
Value ProgramOrder::createSizeOfShared(ImplicitLocOpBuilder &b,
                                       ArrayRef<Value> extents) {
  constexpr int64_t kProgramsOfGroup = 2; // of a CTA
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, value);
  };
  llvm::SetVector<Value> counted;
  Value bytes = number(1);
  for (const SharedRead &read : shared) {
    if (!counted.insert(read.memory))
      continue;
    auto type = cast<MemRefType>(read.memory.getType());
    Value own = number(llvm::divideCeil(type.getElementTypeBitWidth(), 8));
    for (unsigned dim = 0; dim < type.getRank(); ++dim)
      if (!llvm::is_contained(read.selected, dim))
        own = arith::MulIOp::create(
            b, own, memref::DimOp::create(b, read.memory, number(dim)));
    bytes = arith::AddIOp::create(b, bytes, own);
  }
  Value along = extents[groups->along], across = extents[groups->across];
  Value room = number(std::llround(kShareOfL2 * double(chip.l2Bytes)));
  Value half = arith::CeilDivUIOp::create(b, along, number(2));
  Value fitting = arith::MinUIOp::create(b, divide(b, room, bytes), half);
  Value ctas = gpu::GridDimOp::create(b, gpu::Dimension::x);
  Value few = arith::MulIOp::create(b, ctas, number(kProgramsOfGroup));
  Value least = arith::CeilDivUIOp::create(
      b, few, arith::MaxUIOp::create(b, across, number(1)));
  return arith::MinUIOp::create(b, arith::MaxUIOp::create(b, fitting, least),
                                along);
}

void ProgramOrder::prepare(ImplicitLocOpBuilder &b, ArrayRef<Value> extents,
                           int64_t ctas) {
  if (tiles) {
    size = createSizeOfTiles(b, extents, ctas);
  } else if (groups) {
    size = createSizeOfShared(b, extents);
    Value one = arith::ConstantIndexOp::create(b, 1);
    Value end = arith::SubIOp::create(b, extents[groups->along], one);
    last = divide(b, end, size);
  }
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

static Value remainder(ImplicitLocOpBuilder &b, Value lhs, Value rhs) {
  return arith::RemUIOp::create(b, lhs, rhs);
}

static Value narrow(ImplicitLocOpBuilder &b, Value number) {
  Type i32 = b.getI32Type();
  return arith::IndexCastUIOp::create(
      b, b.getIndexType(), arith::IndexCastUIOp::create(b, i32, number));
}

/// The last group is in the author's order, the one before in the opposite one,
/// and so on.
Value ProgramOrder::turnInEverySecond(ImplicitLocOpBuilder &b, Value group,
                                      Value place, Value extent) const {
  Value one = arith::ConstantIndexOp::create(b, 1);
  Value difference = arith::XOrIOp::create(b, group, last);
  Value isSecond = arith::TruncIOp::create(
      b, b.getI1Type(),
      arith::IndexCastUIOp::create(b, b.getI32Type(), difference));
  Value turned =
      arith::SubIOp::create(b, arith::SubIOp::create(b, extent, one), place);
  return arith::SelectOp::create(b, isSecond, turned, place);
}

SmallVector<Value> ProgramOrder::computeIds(ImplicitLocOpBuilder &b,
                                            Value number,
                                            ArrayRef<Value> extents) const {
  if (extents.size() == 1)
    return {narrow(b, number)};
  if (extents.size() == 3) {
    Value layer = arith::MulIOp::create(b, extents[0], extents[1]);
    SmallVector<Value> ids =
        computeIds(b, remainder(b, number, layer), extents.drop_back());
    ids.push_back(narrow(b, divide(b, number, layer)));
    return ids;
  }
  if (!groups)
    return {narrow(b, remainder(b, number, extents[0])),
            narrow(b, divide(b, number, extents[0]))};
  Value along = extents[groups->along], across = extents[groups->across];
  Value programs = arith::MulIOp::create(b, across, size);
  Value group = divide(b, number, programs);
  Value first = arith::MulIOp::create(b, group, size);
  Value width =
      arith::MinUIOp::create(b, arith::SubIOp::create(b, along, first), size);
  Value inGroup = remainder(b, number, programs);
  SmallVector<Value> ids(2);
  ids[groups->along] =
      narrow(b, arith::AddIOp::create(b, first, remainder(b, inGroup, width)));
  Value place = divide(b, inGroup, width);
  if (last)
    place = turnInEverySecond(b, group, place, across);
  ids[groups->across] = narrow(b, place);
  return ids;
}

//===----------------------------------------------------------------------===//
// Signals one program later
//
// A signal waits until what its CTA has stored is complete, which takes a
// peer's memory microseconds. In a loop over programs, threads would wait
// before they compute the next program. So the signals at the end of a program
// come where the next one is about to write: its product is computed by then.
//
//   for %p { %v = product; write %v to %c[%p]; signal %there[%p] }
//
// becomes
//
//   %last = for %p iter_args(%before = none) {
//     %v = product
//     if %p isn't the first { signal %there[%before] }
//     write %v to %c[%p]
//     yield %p
//   }
//   if there was a program { signal %there[%last] }
//===----------------------------------------------------------------------===//

static bool mayWrite(Operation &op) {
  auto effects = getEffectsRecursively(&op);
  return !effects ||
         llvm::any_of(*effects,
                      [](const MemoryEffects::EffectInstance &effect) {
                        return isa<MemoryEffects::Write>(effect.getEffect());
                      });
}

/// Those behind all other writes of the body, in their order.
static SmallVector<SignalOp> findLastSignals(Block &body) {
  SmallVector<SignalOp> signals;
  for (Operation &op : llvm::reverse(body.without_terminator()))
    if (auto signal = dyn_cast<SignalOp>(op))
      signals.push_back(signal);
    else if (mayWrite(op))
      break;
  std::reverse(signals.begin(), signals.end());
  return signals;
}

/// Finds the operands that signals take from their iteration.
static SmallVector<Value> findOwnOperands(scf::ForOp loop,
                                          ArrayRef<SignalOp> signals) {
  llvm::SetVector<Value> own;
  for (SignalOp signal : signals)
    for (Value operand : signal->getOperands())
      if (!loop.isDefinedOutsideOfLoop(operand))
        own.insert(operand);
  return own.takeVector();
}

/// The signals of a program whose `own` values are `values`, under a condition.
static void signalIf(OpBuilder &b, Location loc, arith::CmpIPredicate predicate,
                     Value lhs, Value rhs, ArrayRef<SignalOp> signals,
                     ValueRange own, ValueRange values) {
  Value condition = arith::CmpIOp::create(b, loc, predicate, lhs, rhs);
  auto branch = scf::IfOp::create(b, loc, condition);
  OpBuilder inside = branch.getThenBodyBuilder();
  IRMapping mapping;
  mapping.map(own, values);
  for (SignalOp signal : signals)
    inside.clone(*signal, mapping);
}

/// Delays the signals of a loop over programs of a kernel that waits for no
/// signal. A wait might be for what a peer does once it has seen the delayed
/// one. Returns the loop that takes its place, or the loop.
static scf::ForOp delaySignals(scf::ForOp loop) {
  SmallVector<SignalOp> signals = findLastSignals(*loop.getBody());
  if (signals.empty())
    return loop;
  SmallVector<Value> own = findOwnOperands(loop, signals);
  IRRewriter rewriter(loop);
  Location loc = signals.front().getLoc();
  SmallVector<Value> none;
  for (Value value : own)
    none.push_back(arith::ConstantOp::create(
        rewriter, loc, rewriter.getZeroAttr(value.getType())));
  unsigned carried = loop.getInitArgs().size();
  auto yieldOwn = [&](OpBuilder &, Location, ArrayRef<BlockArgument>) {
    return own;
  };
  loop = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
      rewriter, none, /*replaceInitOperandUsesInLoop=*/false, yieldOwn));
  Block &body = *loop.getBody();
  auto firstWrite = llvm::find_if(body, mayWrite);
  rewriter.setInsertionPoint(&body, firstWrite);
  signalIf(rewriter, loc, arith::CmpIPredicate::ne, loop.getInductionVar(),
           loop.getLowerBound(), signals, own,
           SmallVector<Value>(loop.getRegionIterArgs().drop_front(carried)));
  rewriter.setInsertionPointAfter(loop);
  signalIf(rewriter, loc, arith::CmpIPredicate::ult, loop.getLowerBound(),
           loop.getUpperBound(), signals, own,
           loop.getResults().drop_front(carried));
  for (SignalOp signal : signals)
    signal.erase();
  return loop;
}

//===----------------------------------------------------------------------===//
// CTAs that go through tiles
//===----------------------------------------------------------------------===//

static vector::ContractionOp findProduct(gpu::GPUFuncOp kernel,
                                         ThreadBits threads) {
  vector::ContractionOp found;
  kernel.walk([&](vector::ContractionOp op) {
    if (hasMatrixInstructions(op) && explainNoWarpgroups(op, threads).empty())
      found = op;
  });
  return found;
}

/// Why programs know that each has a CTA of its own, or an empty string.
static std::string explainPrograms(gpu::GPUFuncOp kernel, LaunchAttr launch) {
  auto program =
      kernel->getAttrOfType<BlockProgramAttr>(CarouselDialect::kBlockProgram);
  if (!launch.getCluster().empty())
    return "its author gives a cluster";
  // The order of the programs isn't that of the CTAs any more.
  if (kernel->hasAttr(CarouselDialect::kStartsInOrder) ||
      kernel->hasAttr(CarouselDialect::kCoresident))
    return "its author asks for the order or the presence of CTAs";
  if (program.getPrograms().value_or(1) != 1)
    return "a CTA executes several programs together";
  std::string reason;
  kernel.walk([&](Operation *op) {
    auto id = dyn_cast<gpu::BlockIdOp>(op);
    // A CTA that ends makes room for the kernel that others wait for.
    bool isOfGrid =
        isa<gpu::GridDimOp, GridTicketOp, SerializeOp, WaitSignalOp,
            TransferOpInterface, memref::AllocOp, gpu::ClusterIdOp>(op) ||
        (id && unsigned(id.getDimension()) >= launch.getGrid().size());
    if (isOfGrid)
      reason = ("it has '" + op->getName().getStringRef() + "'").str();
    return isOfGrid ? WalkResult::interrupt() : WalkResult::advance();
  });
  return reason;
}

/// Counts the bytes of tiles of results and of slots of the loops' tiles. A
/// loop has as many slots as asked for, or two.
static int64_t countBytesOfTiles(gpu::GPUFuncOp kernel) {
  constexpr int64_t kOfOthers = 1024;
  int64_t bytes = kOfOthers;
  kernel.walk([&](VectorTransferOpInterface op) {
    if (becomesTransfer(op))
      bytes += countSlotBytes(op);
  });
  return bytes;
}

/// Whether results go through their tile in parts.
static bool hasPartsOfTiles(gpu::GPUFuncOp kernel) {
  return kernel
      .walk([](VectorTransferOpInterface op) {
        return countTileParts(op) != 1 ? WalkResult::interrupt()
                                       : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Counts the results that go through tiles.
static int64_t countTilesOfResults(gpu::GPUFuncOp kernel) {
  int64_t tiles = 0;
  kernel.walk([&](vector::TransferWriteOp op) {
    tiles +=
        becomesTransfer(cast<VectorTransferOpInterface>(op.getOperation()));
  });
  return tiles;
}

/// Why tiles of results don't fit beside the slots, or an empty string.
/// Programs one by one may share their bytes.
static std::string explainResults(gpu::GPUFuncOp kernel,
                                  const ChipModel &chip) {
  int64_t bytes = countBytesOfTiles(kernel);
  if (bytes <= chip.maxSharedPerBlock)
    return {};
  return "results and slots need " + std::to_string(bytes) +
         " bytes of shared memory, of " +
         std::to_string(chip.maxSharedPerBlock);
}

//===----------------------------------------------------------------------===//
// Factors of all iterations
//===----------------------------------------------------------------------===//

/// Whether warpgroups multiply what the loop over programs reads, as it is, in
/// loops inside of it, and nothing else uses it.
static bool isFactorOfLoops(vector::TransferReadOp read, scf::ForOp programs,
                            ThreadBits threads) {
  auto isProduct = [&](Operation *user) {
    auto product = dyn_cast<vector::ContractionOp>(user);
    return product && product->getParentOp() != programs &&
           isPipelined(product->getParentOp()) &&
           hasMatrixInstructions(product) &&
           explainNoWarpgroups(product, threads).empty();
  };
  SmallVector<Operation *> open(read->getUsers());
  bool isFactor = !open.empty();
  while (isFactor && !open.empty()) {
    Operation *user = open.pop_back_val();
    if (isa<vector::ShapeCastOp>(user)) // the rows of a box
      llvm::append_range(open, user->getUsers());
    else
      isFactor = isProduct(user);
  }
  return isFactor;
}

/// Whether a product of a pipelined loop has a factor that is computed from
/// another product of it, as in attention.
static bool computesBetweenProducts(gpu::GPUFuncOp kernel) {
  return kernel
      .walk([](vector::ContractionOp product) {
        auto loop = dyn_cast<scf::ForOp>(product->getParentOp());
        if (!loop || !isPipelined(loop))
          return WalkResult::advance();
        BackwardSliceOptions inLoop;
        inLoop.inclusive = true;
        inLoop.omitUsesFromAbove = false;
        inLoop.filter = [&](Operation *op) {
          return loop->isProperAncestor(op);
        };
        llvm::SetVector<Operation *> sources;
        for (Value factor : {product.getLhs(), product.getRhs()})
          if (failed(getBackwardSlice(factor, &sources, inLoop)))
            return WalkResult::advance();
        return llvm::any_of(sources, llvm::IsaPred<vector::ContractionOp>)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Returns the shared memory that a CTA should have at most. Two of one
/// warpgroup share an SM if loops compute between products, and that leaves
/// each of them a slot for what programs read outside of the loops.
static int64_t chooseShare(gpu::GPUFuncOp kernel, ThreadBits threads,
                           const ChipModel &chip) {
  constexpr int64_t kCTAs = 2, kPadding = 1024;
  int64_t share =
      chip.sharedPerSM / kCTAs - chip.sharedReservedPerBlock - kPadding;
  bool isOneWarpgroup =
      int64_t(1) << (threads.lanes + threads.warps) == rules::kWarpgroupSize;
  return isOneWarpgroup && computesBetweenProducts(kernel) &&
                 countBytesOfTiles(kernel) <= share
             ? share
             : chip.maxSharedPerBlock;
}

static bool readsInPlace(scf::ForOp programs) {
  return llvm::any_of(programs.getOps<vector::TransferReadOp>(),
                      [](vector::TransferReadOp read) {
                        return isReadInPlace(
                            cast<VectorTransferOpInterface>(*read));
                      });
}

/// Makes transfers of what programs read outside of their loops. Producers load
/// factors: the next program's while the results of this one are written, and
/// products find them in their tile. Others that go into a result are loaded to
/// its tile, while the product is computed. Threads read the rest. Factors that
/// other products need would become loads, too; so the loop stays as it is if
/// it has such.
static void pipelinePrograms(scf::ForOp programs, ThreadBits threads,
                             const ChipModel &chip) {
  auto kernel = programs->getParentOfType<gpu::GPUFuncOp>();
  auto request = PipelineAttr::getAuto(programs.getContext());
  programs->setAttr(CarouselDialect::kPipeline, request);
  bool hasFactor = false, hasOther = false;
  programs.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op != programs && op->hasAttr(CarouselDialect::kPipeline))
      return WalkResult::skip();
    auto read = dyn_cast<vector::TransferReadOp>(op);
    if (!read || !becomesTransfer(read))
      return WalkResult::advance();
    bool isFactor = isFactorOfLoops(read, programs, threads);
    hasFactor |= isFactor;
    hasOther |= !isFactor;
    return WalkResult::advance();
  });
  programs->setAttr(CarouselDialect::kPipeline, request.withStages(1));
  int64_t share = chooseShare(kernel, threads, chip);
  int64_t tiles = countTilesOfResults(kernel);
  for (int64_t stages : {2, 1}) {
    programs->setAttr(CarouselDialect::kPipeline, request.withStages(stages));
    // A second slot isn't worth results in parts, or without a tile.
    bool keepsResults =
        !hasPartsOfTiles(kernel) && countTilesOfResults(kernel) == tiles;
    if ((hasFactor || readsInPlace(programs)) && !hasOther &&
        (stages == 1 || keepsResults) && countBytesOfTiles(kernel) <= share)
      return;
  }
  programs->removeAttr(CarouselDialect::kPipeline);
}

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

namespace {

class LoopOverTiles {
public:
  LoopOverTiles(gpu::GPUFuncOp kernel, LaunchAttr launch,
                vector::ContractionOp product, const ChipModel &chip)
      : kernel(kernel), launch(launch), product(product),
        order(kernel, product, unsigned(launch.getGrid().size()), chip),
        b(kernel.getLoc(), kernel.getContext()) {}

  /// Null if the kernel can't compute its grid.
  scf::ForOp write() {
    Block &body = kernel.getBody().front();
    SmallVector<Operation *> ops;
    for (Operation &op : body.without_terminator())
      ops.push_back(&op);
    SmallVector<gpu::BlockIdOp> old;
    kernel.walk([&](gpu::BlockIdOp id) { old.push_back(id); });
    b.setInsertionPoint(body.getTerminator());
    SmallVector<Value> extents;
    for (ExprAttr expr : launch.getGrid())
      if (Value extent = createExtent(b, b.getLoc(), kernel, expr))
        extents.push_back(extent);
    if (extents.size() != launch.getGrid().size())
      return {};
    ctas = countCTAsOfCluster();
    Value first = gpu::BlockIdOp::create(b, gpu::Dimension::x);
    Value step = gpu::GridDimOp::create(b, gpu::Dimension::x), rank;
    if (ctas != 1) {
      Value count = arith::ConstantIndexOp::create(b, ctas);
      rank = remainder(first, count);
      first = divide(first, count);
      step = divide(step, count);
      extents[*order.getRows()] = divide(extents[*order.getRows()], count);
    }
    order.prepare(b, extents, ctas);
    Value programs = extents.front();
    for (Value extent : ArrayRef(extents).drop_front())
      programs = arith::MulIOp::create(b, programs, extent);
    auto loop = scf::ForOp::create(b, first, programs, step);
    b.setInsertionPointToStart(loop.getBody());
    SmallVector<Value> ids =
        order.computeIds(b, loop.getInductionVar(), extents);
    if (ctas != 1) {
      Value &row = ids[*order.getRows()];
      row = arith::MulIOp::create(b, row,
                                  arith::ConstantIndexOp::create(b, ctas));
      row = arith::AddIOp::create(b, row, rank);
    }
    Operation *end = loop.getBody()->getTerminator();
    for (Operation *op : ops)
      if (auto constant = dyn_cast<arith::ConstantOp>(op))
        constant->moveBefore(extents.front().getDefiningOp());
      else
        op->moveBefore(end);
    for (gpu::BlockIdOp id : old) {
      id.replaceAllUsesWith(ids[unsigned(id.getDimension())]);
      id.erase();
    }
    shrinkGrid();
    return delaySignals(loop);
  }

private:
  /// The CTAs of a cluster have tiles of rows that follow each other, and share
  /// those of columns. A guard must say that no row is left over.
  int64_t countCTAsOfCluster() {
    auto request = product->getParentOp()->getAttrOfType<PipelineAttr>(
        CarouselDialect::kPipeline);
    auto variant =
        kernel->getAttrOfType<VariantAttr>(CarouselDialect::kVariant);
    std::optional<unsigned> rows = order.getRows();
    if (!rows || !request || !variant)
      return 1;
    auto isWhole = GuardAttr::get(kernel.getContext(), GuardKind::Divisible,
                                  /*argument=*/0, launch.getGrid()[*rows],
                                  ExprAttr(), request.getMulticast(),
                                  /*most=*/0);
    return llvm::is_contained(variant.getGuards(), isWhole)
               ? request.getMulticast()
               : 1;
  }

  Value divide(Value lhs, Value rhs) {
    return arith::DivUIOp::create(b, lhs, rhs);
  }
  Value remainder(Value lhs, Value rhs) {
    return arith::RemUIOp::create(b, lhs, rhs);
  }

  /// To what is resident, at most.
  void shrinkGrid() {
    MLIRContext *context = kernel.getContext();
    ArrayRef<ExprAttr> grid = launch.getGrid();
    auto combine = [&](ExprKind kind, ExprAttr lhs, ExprAttr rhs) {
      return ExprAttr::get(context, kind, 0, 0, lhs, rhs);
    };
    ExprAttr programs = grid.front();
    for (ExprAttr extent : grid.drop_front())
      programs = combine(ExprKind::Mul, programs, extent);
    auto resident = ExprAttr::get(context, ExprKind::Resident, 0, 0, {}, {});
    ExprAttr most = combine(ExprKind::Min, programs, resident);
    if (ctas != 1) {
      auto number = [&](int64_t value) {
        return ExprAttr::get(context, ExprKind::Constant, value, 0, {}, {});
      };
      most = combine(ExprKind::FloorDiv, most, number(ctas));
      most = combine(ExprKind::Mul, combine(ExprKind::Max, most, number(1)),
                     number(ctas));
    }
    kernel->setAttr(CarouselDialect::kLaunch,
                    LaunchAttr::get(context, most, launch.getBlock(),
                                    launch.getCluster(), launch.getShared()));
  }

  gpu::GPUFuncOp kernel;
  LaunchAttr launch;
  vector::ContractionOp product;
  ProgramOrder order;
  ImplicitLocOpBuilder b;
  int64_t ctas = 1; ///< of a cluster
};

} // namespace

bool carousel::persistProducts(gpu::GPUFuncOp kernel, ThreadBits threads,
                               const ChipModel &chip) {
  auto launch = kernel->getAttrOfType<LaunchAttr>(CarouselDialect::kLaunch);
  vector::ContractionOp product = findProduct(kernel, threads);
  if (!product)
    return false;
  std::string reason = explainPrograms(kernel, launch);
  if (reason.empty())
    reason = explainResults(kernel, chip);
  if (reason.empty())
    if (scf::ForOp loop =
            LoopOverTiles(kernel, launch, product, chip).write()) {
      pipelinePrograms(loop, threads, chip);
      return true;
    }
  if (reason.empty())
    reason = "the kernel can't compute its grid";
  remark::missed(product.getLoc(), remark::RemarkOpts::name("Programs")
                                       .category("carousel-specialize-blocks")
                                       .function(kernel.getName()))
      << remark::add("no loop over programs: {0}", reason);
  return false;
}
