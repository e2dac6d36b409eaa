//===- Distributor.cpp - loops and products of a thread -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Distributor.h.
//
//===----------------------------------------------------------------------===//

#include "Distributor.h"

#include "../Threads/ConvertLayouts.h"
#include "../Threads/ScanVectors.h"
#include "../Threads/SortVectors.h"

#include "carousel/Analysis/Decisions/Registers.h"
#include "carousel/Analysis/Distribution/AccessTransfers.h"
#include "carousel/Analysis/Distribution/ContractionPlan.h"
#include "carousel/Analysis/Layouts/LayoutRules.h"
#include "carousel/Analysis/Values/Views.h"
#include "carousel/Dialect/IR/CarouselOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Exchanges through one buffer
//===----------------------------------------------------------------------===//

// An exchange is safe from the one before through the same
// buffer if all threads have met in between. A second exchange in the same
// body, that is always executed, sees to that.

void ExchangeTurns::inLoop(Operation *loop, function_ref<void()> write) {
  auto outer = std::exchange(exchangesOfBody, countExchanges(loop));
  unsigned branches = std::exchange(depthOfBranches, 0);
  Operation *outerLoop = std::exchange(innermostLoop, loop);
  ++depthOfLoops;
  // The last exchange of an earlier execution of the loop.
  if (depthOfLoops > 1 && exchangesOfBody > 0)
    program.barrier();
  write();
  --depthOfLoops;
  innermostLoop = outerLoop;
  depthOfBranches = branches;
  exchangesOfBody = outer;
}

void ExchangeTurns::inBranch(function_ref<void()> write) {
  ++depthOfBranches;
  write();
  --depthOfBranches;
}

unsigned ExchangeTurns::countExchanges(Operation *loop) const {
  unsigned count = 0;
  for (Region &region : loop->getRegions())
    for (Operation &op : region.getOps()) {
      if (auto scan = dyn_cast<ScanOp>(op))
        count +=
            needsExchange(plan.getOperandLayout(scan.getSourcesMutable()[0]),
                          scan.getScannedDims());
      if (auto reduction = dyn_cast<vector::MultiDimReductionOp>(op)) {
        SmallVector<bool> dims;
        for (int64_t dim = 0; dim < reduction.getSourceVectorType().getRank();
             ++dim)
          dims.push_back(reduction.isReducedDim(dim));
        count += needsExchange(
            plan.getOperandLayout(reduction.getSourceMutable()), dims);
      }
    }
  return count;
}

/// A loop's only exchange takes turns with itself, by the iteration.
ExchangeTurn ExchangeTurns::take() {
  ExchangeTurn turn;
  if (depthOfLoops == 0 || (depthOfBranches == 0 && exchangesOfBody >= 2))
    return turn;
  if (depthOfBranches == 0 && exchangesOfBody == 1)
    turn.buffer = getParity();
  turn.needsBarrier = !turn.buffer;
  return turn;
}

/// Whether the iteration of the innermost loop is odd; null if the loop doesn't
/// count.
Value ExchangeTurns::getParity() {
  auto loop = dyn_cast<scf::ForOp>(innermostLoop);
  if (!loop || !getConstantIntValue(loop.getStep()))
    return nullptr;
  OpBuilder &builder = program.builder;
  Location loc = program.loc;
  Value number = arith::SubIOp::create(builder, loc,
                                       scalars.lookup(loop.getInductionVar()),
                                       scalars.lookup(loop.getLowerBound()));
  number = arith::DivUIOp::create(builder, loc, number,
                                  scalars.lookup(loop.getStep()));
  if (!number.getType().isIndex())
    number = arith::IndexCastUIOp::create(builder, loc, builder.getIndexType(),
                                          number);
  return arith::AndIOp::create(builder, loc, number, program.index(1));
}

//===----------------------------------------------------------------------===//
// Parts of vectors at any place
//===----------------------------------------------------------------------===//

// The buffer has the part's extents. Threads write the
// elements of the part that they have to it, and after a barrier each reads its
// own of the result.

using arith::CmpIPredicate;

namespace {

/// Where elements of the whole vector are in the part.
class PartPlaces {
public:
  PartPlaces(ThreadProgram &program, const PlacedPart &placed,
             const LinearLayout &layout)
      : program(program), builder(program.builder), part(placed.part),
        offsets(placed.offsets), layout(layout) {}

  /// Whether a register's element is in the part, for the dimensions of which
  /// the part has one element (`ofOne`) or for the others.
  Value isInside(uint32_t number, bool ofOne) {
    Value all;
    for (unsigned dim = 0; dim < part.sizes.size(); ++dim)
      if ((part.sizes[dim] == 1) == ofOne)
        all = program.bothHold(all, isInsideAlong(dim, number));
    return all;
  }

  /// The coordinates in the part of an element that is in it. Where the part
  /// has one coordinate, the register's number may be that of another one, of
  /// which it takes the place.
  SmallVector<Value> getPlace(uint32_t number) {
    SmallVector<Value> place;
    for (unsigned dim = part.numDropped; dim < part.sizes.size(); ++dim)
      place.push_back(part.sizes[dim] == 1 ? program.index(0)
                                           : getDistance(dim, number));
    return place;
  }

  /// Whether a bit of the register's number tells apart only elements of which
  /// at most one is in the part.
  bool isOfOne(unsigned bit) const {
    return llvm::all_of(
        llvm::zip_equal(layout.getBases(Place::Register)[bit], part.sizes),
        [](auto dim) {
          return std::get<0>(dim) == 0 || std::get<1>(dim) == 1;
        });
  }

private:
  Value compare(CmpIPredicate predicate, Value lhs, Value rhs) {
    return arith::CmpIOp::create(builder, program.loc, predicate, lhs, rhs);
  }

  Value getDistance(unsigned dim, uint32_t number) {
    Value at = program.getCoordinate(layout, dim, number);
    if (isConstantIntValue(part.offsets[dim], 0))
      return at;
    return arith::SubIOp::create(builder, program.loc, at, offsets[dim]);
  }

  /// Compared as unsigned, elements before the part are outside, too. Elements
  /// that only fill the vector's extent up to a power of two are in no part.
  Value isInsideAlong(unsigned dim, uint32_t number) {
    int64_t extent = part.whole.getDimSize(dim), size = part.sizes[dim];
    if (size == extent && llvm::isPowerOf2_64(extent))
      return nullptr;
    if (size == 1)
      return compare(CmpIPredicate::eq,
                     program.getCoordinate(layout, dim, number), offsets[dim]);
    return compare(CmpIPredicate::ult, getDistance(dim, number),
                   program.index(size));
  }

  ThreadProgram &program;
  OpBuilder &builder;
  const VectorPart &part;
  ArrayRef<Value> offsets;
  const LinearLayout &layout;
};

/// Shared memory for the elements of a part. Bits are stored as bytes.
class PartBuffer {
public:
  PartBuffer(ThreadProgram &program, ArrayRef<int64_t> shape, Type element)
      : program(program), builder(program.builder), shape(shape),
        element(element) {
    Type stored = element.isInteger(1) ? builder.getI8Type() : element;
    buffer =
        program.allocate(shape.empty() ? ArrayRef<int64_t>(1) : shape, stored);
    // An earlier exchange through this buffer may not have been read yet.
    if (builder.getInsertionBlock() != program.getEntry())
      program.barrier();
  }

  void write(Value value, Value condition, SmallVector<Value> place) {
    program.runIf(condition, [&] {
      if (element.isInteger(1))
        value = arith::ExtUIOp::create(builder, program.loc,
                                       builder.getI8Type(), value);
      memref::StoreOp::create(builder, program.loc, value, buffer,
                              complete(place));
    });
  }

  /// Reads some element of the part, if the coordinates are beyond it.
  Value read(SmallVector<Value> place) {
    for (auto [index, extent] : llvm::zip_equal(place, shape))
      index = arith::MinUIOp::create(builder, program.loc, index,
                                     program.index(extent - 1));
    Value value =
        memref::LoadOp::create(builder, program.loc, buffer, complete(place));
    if (element.isInteger(1))
      value = arith::TruncIOp::create(builder, program.loc, element, value);
    return value;
  }

private:
  SmallVector<Value> complete(SmallVector<Value> place) {
    if (place.empty())
      place.push_back(program.index(0));
    return place;
  }

  ThreadProgram &program;
  OpBuilder &builder;
  ArrayRef<int64_t> shape;
  Type element;
  Value buffer;
};

} // namespace

/// Keeps the register that is in the part, where at most one of several is.
/// `numbers` are those of the registers that are left; `inside` says which are
/// in the part, as far as dimensions of one element say it.
static void chooseRegisters(ThreadProgram &program, PartPlaces &places,
                            const LinearLayout &layout, Value &registers,
                            Value &inside, SmallVector<uint32_t> &numbers) {
  OpBuilder &builder = program.builder;
  for (unsigned bit = layout.getNumBits(Place::Register); bit-- > 0;) {
    if (!places.isOfOne(bit))
      continue;
    std::array<SmallVector<int64_t>, 2> halves;
    SmallVector<uint32_t> left;
    for (auto [at, number] : llvm::enumerate(numbers)) {
      halves[number >> bit & 1].push_back(at);
      if ((number >> bit & 1) == 0)
        left.push_back(number);
    }
    Value isHigh = program.select(inside, halves[1]);
    registers = arith::SelectOp::create(builder, program.loc, isHigh,
                                        program.select(registers, halves[1]),
                                        program.select(registers, halves[0]));
    inside = arith::OrIOp::create(builder, program.loc, isHigh,
                                  program.select(inside, halves[0]));
    numbers = std::move(left);
  }
}

/// Compares which registers' elements have the part's coordinates in the
/// dimensions of one element; null if the part has none.
static Value compareOnes(ThreadProgram &program, const PlacedPart &placed,
                         const LinearLayout &layout) {
  Value all;
  for (unsigned dim = 0; dim < placed.part.sizes.size(); ++dim)
    if (placed.part.sizes[dim] == 1 && placed.part.whole.getDimSize(dim) != 1)
      all = program.bothHold(
          all, program.compareCoordinatesWith(layout, dim, CmpIPredicate::eq,
                                              placed.offsets[dim]));
  return all;
}

Value carousel::extractPart(ThreadProgram &program, const PlacedPart &placed,
                            const DistributedVector &whole,
                            const LinearLayout *to) {
  const LinearLayout &from = *whole.layout;
  if (!to && placed.part.isAligned()) {
    SmallVector<uint32_t> at =
        llvm::map_to_vector(placed.part.offsets, [](OpFoldResult offset) {
          return uint32_t(*getConstantIntValue(offset));
        });
    return broadcastElement(program, whole.registers, from, at);
  }
  ArrayRef<int64_t> shape = placed.part.getShape();
  Type element = cast<VectorType>(whole.registers.getType()).getElementType();
  PartPlaces places(program, placed, from);
  Value registers = whole.registers;
  Value inside = compareOnes(program, placed, from);
  SmallVector<uint32_t> numbers(countRegisters(from));
  std::iota(numbers.begin(), numbers.end(), 0);
  if (inside)
    chooseRegisters(program, places, from, registers, inside, numbers);

  PartBuffer buffer(program, shape, element);
  program.runIf(program.isFirstCopy(from), [&] {
    for (auto [at, number] : llvm::enumerate(numbers)) {
      Value isHere = inside ? program.extract(inside, at) : Value();
      isHere =
          program.bothHold(isHere, places.isInside(number, /*ofOne=*/false));
      buffer.write(program.extract(registers, at), isHere,
                   places.getPlace(number));
    }
  });
  program.barrier();
  if (!to)
    return buffer.read({});
  SmallVector<Value> elements;
  for (uint32_t number = 0; number < countRegisters(*to); ++number) {
    SmallVector<Value> place;
    for (unsigned dim = 0; dim < shape.size(); ++dim)
      place.push_back(program.getCoordinate(*to, dim, number));
    elements.push_back(buffer.read(place));
  }
  return vector::FromElementsOp::create(
      program.builder, program.loc,
      VectorType::get({countRegisters(*to)}, element), elements);
}

/// The thread that has the element replaces it.
static Value insertScalar(ThreadProgram &program, const PlacedPart &placed,
                          Value scalar, const DistributedVector &dest) {
  OpBuilder &builder = program.builder;
  Value isHere = compareOnes(program, placed, *dest.layout);
  Value copies = vector::BroadcastOp::create(builder, program.loc,
                                             dest.registers.getType(), scalar);
  if (!isHere)
    return copies;
  return arith::SelectOp::create(builder, program.loc, isHere, copies,
                                 dest.registers);
}

Value carousel::insertPart(ThreadProgram &program, const PlacedPart &placed,
                           const DistributedVector &value,
                           const DistributedVector &dest) {
  if (!value.layout)
    return insertScalar(program, placed, value.registers, dest);
  OpBuilder &builder = program.builder;
  ArrayRef<int64_t> shape = placed.part.getShape();
  auto type = cast<VectorType>(dest.registers.getType());
  PartBuffer buffer(program, shape, type.getElementType());
  program.runIf(program.isFirstCopy(*value.layout), [&] {
    for (uint32_t number = 0; number < countRegisters(*value.layout);
         ++number) {
      SmallVector<Value> place;
      Value exists;
      for (auto [dim, extent] : llvm::enumerate(shape)) {
        place.push_back(program.getCoordinate(*value.layout, dim, number));
        if (!llvm::isPowerOf2_64(extent))
          exists = program.bothHold(
              exists,
              arith::CmpIOp::create(builder, program.loc, CmpIPredicate::ult,
                                    place.back(), program.index(extent)));
      }
      buffer.write(program.extract(value.registers, number), exists, place);
    }
  });
  program.barrier();
  PartPlaces places(program, placed, *dest.layout);
  SmallVector<Value> elements;
  for (uint32_t number = 0; number < countRegisters(*dest.layout); ++number) {
    Value own = program.extract(dest.registers, number);
    Value other = buffer.read(places.getPlace(number));
    Value isInside = program.bothHold(places.isInside(number, /*ofOne=*/true),
                                      places.isInside(number, /*ofOne=*/false));
    elements.push_back(isInside ? arith::SelectOp::create(builder, program.loc,
                                                          isInside, other, own)
                                      .getResult()
                                : other);
  }
  return vector::FromElementsOp::create(builder, program.loc, type, elements);
}

//===----------------------------------------------------------------------===//
// Loops and branches of a thread
//===----------------------------------------------------------------------===//

Type Distributor::getThreadType(Value value) {
  if (!isa<VectorType>(value.getType()))
    return value.getType();
  return carousel::getThreadType(value.getType(), *plan.getLayout(value));
}

VectorType Distributor::getThreadType(Type type, const LinearLayout &layout) {
  return carousel::getThreadType(type, layout);
}

SmallVector<Value> Distributor::getAll(MutableArrayRef<OpOperand> operands) {
  SmallVector<Value> values;
  for (OpOperand &operand : operands)
    values.push_back(get(operand));
  return values;
}

void Distributor::distributeBody(Block &from, Block *to) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(to);
  distribute(from);
  Operation *end = from.getTerminator();
  program.startOp(end);
  Operation *loop = from.getParentOp();
  if (isa<LoopLikeOpInterface>(loop) &&
      from.getParent() == &loop->getRegions().back() && order.leaveLoop(loop))
    program.barrier();
  SmallVector<Value> operands = getAll(end->getOpOperands());
  OperationState state(end->getLoc(), end->getName(), operands, TypeRange(),
                       end->getAttrs());
  builder.create(state);
}

Block *Distributor::addBlock(Region &region, ValueRange arguments) {
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Type> types;
  SmallVector<Location> locations;
  for (Value argument : arguments) {
    types.push_back(getThreadType(argument));
    locations.push_back(argument.getLoc());
  }
  Block *block = builder.createBlock(&region, region.end(), types, locations);
  mapping.map(arguments, block->getArguments());
  return block;
}

SmallVector<Type> Distributor::getResultTypes(Operation *op) {
  SmallVector<Type> types;
  for (Value result : op->getResults())
    types.push_back(getThreadType(result));
  return types;
}

Operation *Distributor::cloneShell(Operation *op) {
  SmallVector<Value> operands = getAll(op->getOpOperands());
  OperationState state(op->getLoc(), op->getName(), operands,
                       getResultTypes(op), op->getAttrs());
  for (unsigned i = 0; i < op->getNumRegions(); ++i)
    state.addRegion();
  Operation *shell = builder.create(state);
  mapping.map(op->getResults(), shell->getResults());
  return shell;
}

Operation *Distributor::distributeRegions(Operation *op) {
  Operation *shell = cloneShell(op);
  if (isa<LoopLikeOpInterface>(op))
    order.enterLoop();
  MemoryOrder::Branches branches(order);
  for (auto [from, to] : llvm::zip(op->getRegions(), shell->getRegions())) {
    if (from.empty())
      continue;
    branches.startRegion(/*followsRegion=*/isa<scf::WhileOp>(op));
    Block *body = addBlock(to, from.getArguments());
    distributeBody(from.front(), body);
  }
  return shell;
}

void Distributor::distributeLoopBody(Operation *loop) {
  Operation *shell = distributeRegions(loop);
  bool hasTransfers =
      shell->walk([](TransferOpInterface) { return WalkResult::interrupt(); })
          .wasInterrupted();
  if (!hasTransfers)
    shell->removeAttr(CarouselDialect::kPipeline);
}

/// Whether an op of the kernel may write what the read reads.
static bool isWritten(vector::TransferReadOp read) {
  auto mayOverlapRead = [&](Value operand) {
    return isa<MemRefType>(operand.getType()) &&
           mayOverlap(operand, read.getBase());
  };
  return read->getParentOfType<gpu::GPUFuncOp>()
      .walk([&](Operation *op) {
        return onlyReads(op) || llvm::none_of(op->getOperands(), mayOverlapRead)
                   ? WalkResult::advance()
                   : WalkResult::interrupt();
      })
      .wasInterrupted();
}

/// The registers that a loop leaves whose products warpgroups compute, of
/// factors in tiles; 0 for other loops.
static int64_t countFreeRegisters(Operation *loop, const LayoutPlan &plan) {
  bool isOfTiles = false;
  loop->walk([&](vector::ContractionOp op) {
    const ContractionPlan &product = plan.getContraction(op);
    isOfTiles = product.byWarpgroups && !product.form.hasRegisters &&
                !hasFloat8Factors(op);
    return isOfTiles ? WalkResult::advance() : WalkResult::interrupt();
  });
  if (!isOfTiles)
    return 0;
  ThreadBits threads = plan.getThreads();
  int64_t sums = 0;
  for (Value result : loop->getResults())
    if (auto vector = dyn_cast<VectorType>(result.getType()))
      sums += countRegisters(countRegisters(*plan.getLayout(result)),
                             getElementBits(vector));
  return getConsumerRegisters(int64_t(1) << (threads.lanes + threads.warps),
                              rules::kWarpgroupSize, kProducerRegisters) -
         kAddressRegisters - sums;
}

void Distributor::readAhead(Operation *loop) {
  int64_t registers = countFreeRegisters(loop, plan);
  if (registers <= 0 || loop->walk([](Operation *op) {
                              return onlyReads(op) ? WalkResult::advance()
                                                   : WalkResult::interrupt();
                            })
                            .wasInterrupted())
    return;
  constexpr int64_t kOfPlaces = 16; // where what is left is read
  SmallVector<vector::TransferReadOp> whole;
  for (Operation *next = loop->getNextNode(); next;
       next = next->getNextNode()) {
    auto write = dyn_cast<vector::TransferWriteOp>(next);
    if (!write && onlyReads(next) && next->getNumRegions() == 0) {
      if (auto read = dyn_cast<vector::TransferReadOp>(next);
          read && !delayed.contains(read) && mayReadAhead(read))
        whole.push_back(read);
      continue;
    }
    // Threads that have copies write in branches of their own.
    if (write && !delayed.getReads(write).empty() &&
        getFreeThreadBits(plan.getAccess(write).layout) == 0 &&
        llvm::all_of(delayed.getReads(write), [&](Operation *read) {
          return plan.getAccess(read).isTransfer || mayReadAhead(read);
        }))
      registers -= getPieces(write).readAhead(write, registers);
    return readWholeAhead(whole, registers - kOfPlaces);
  }
}

bool Distributor::mayReadAhead(Operation *op) {
  auto read = cast<vector::TransferReadOp>(op);
  const AccessPlan &access = plan.getAccess(read);
  auto isKnown = [&](Value operand) { return mapping.contains(operand); };
  return !read.getMask() && !access.isTransfer && !access.byMatrices &&
         llvm::all_of(read->getOperands(), isKnown) && !isWritten(read);
}

void Distributor::readWholeAhead(ArrayRef<vector::TransferReadOp> reads,
                                 int64_t most) {
  SmallVector<std::pair<vector::TransferReadOp, WordsAhead>> ahead;
  int64_t registers = 0;
  for (vector::TransferReadOp read : reads) {
    auto reader = std::make_unique<VectorReader>(
        program, getAccess(read, Value()), mapping.lookup(read.getPadding()));
    int64_t bits = reader->countBitsAhead();
    // Elements that don't fill words are from memory that no engine copies.
    if (bits != getElementBits(read.getVectorType()))
      return;
    // Threads compute with them in f32.
    registers += countRegisters(countRegisters(plan.getAccess(read).layout),
                                std::max<int64_t>(bits, 32));
    ahead.emplace_back(read, WordsAhead{std::move(reader), Value()});
  }
  // The write would wait for the ones that are left.
  if (registers > most)
    return;
  for (auto &[read, words] : ahead) {
    words.words =
        words.reader->readWords(0, countRegisters(plan.getAccess(read).layout));
    wordsAhead[read] = std::move(words);
  }
}

void Distributor::distributeLoop(Operation *loop) {
  readAhead(loop);
  turns.inLoop(loop, [&] { distributeLoopBody(loop); });
}

void Distributor::distributeBranch(scf::IfOp branch) {
  turns.inBranch([&] { distributeRegions(branch); });
}

void Distributor::distributeTurn(SerializeOp turn) {
  turns.inBranch([&] {
    Operation *shell = cloneShell(turn);
    Block *body = addBlock(shell->getRegion(0), turn.getBody().getArguments());
    distributeBody(turn.getBody().front(), body);
  });
}

//===----------------------------------------------------------------------===//
// Products and reductions by threads
//===----------------------------------------------------------------------===//

Factor Distributor::getFactor(OpOperand &operand,
                              const ContractionPlan &product) {
  if (MatrixTile *tile = tiles.find(operand.get()))
    return {Value(),
            tile,
            /*reader=*/nullptr,
            /*shared=*/nullptr,
            /*sources=*/{},
            tile->isRounded};
  if (const ElementTile *tile = tiles.findElements(operand.get())) {
    Factor factor;
    factor.reader = tile->reader.get();
    factor.sources =
        *findRegisters(tile->layout, plan.getOperandLayout(operand));
    factor.isMatrix =
        operand.get().getDefiningOp<vector::TransferReadOp>() != nullptr;
    return factor;
  }
  if (SharedVector *shared = tiles.findShared(operand)) {
    Factor factor;
    factor.shared = shared;
    factor.sources = SmallVector<int64_t>(shared->getSources());
    return factor;
  }
  auto rounding = operand.get().getDefiningOp<RoundTF32Op>();
  if (!rounding || !product.matrices || isRoundedAtLoad(plan, rounding))
    return {get(operand)};
  Factor factor = {get(rounding.getValue(), plan.getOperandLayout(operand))};
  factor.isRounded = true;
  return factor;
}

void Distributor::keepFactors(Value vector) {
  for (OpOperand &use : vector.getUses())
    if (plan.isKept(use)) {
      auto product = cast<vector::ContractionOp>(use.getOwner());
      std::optional<SharedVector::Loop> loop;
      if (std::optional<int64_t> step = findStep(product, plan))
        loop = {*findOperandDim(product, use.getOperandNumber(),
                                findProductDims(product)->k),
                *step};
      tiles.add(use, SharedVector(program, mapping.lookup(vector),
                                  *plan.getLayout(vector),
                                  plan.getOperandLayout(use), loop));
    }
}

Value Distributor::getTile(Value factor) {
  vector::TransferReadOp read = findReadOfFactor(factor);
  return read ? tiles.getMemRef(read) : Value();
}

Value Distributor::getFactorOfWarpgroups(OpOperand &operand,
                                         const ContractionPlan &product) {
  if (product.isTileOfWarpgroups(operand.getOperandNumber()))
    return getTile(operand.get());
  Factor factor = getFactor(operand, product);
  Value registers = factor.tile ? factor.tile->load() : factor.registers;
  if (factor.isRounded)
    registers = RoundTF32Op::create(builder, program.loc, registers);
  return registers;
}

void Distributor::distributeContraction(vector::ContractionOp op) {
  const ContractionPlan &product = plan.getContraction(op);
  Value acc = get(op.getAccMutable());
  Value result =
      product.byWarpgroups
          ? multiplyTiles(program, op, product,
                          getFactorOfWarpgroups(op.getLhsMutable(), product),
                          getFactorOfWarpgroups(op.getRhsMutable(), product),
                          acc)
          : multiplyVectors(program, op, plan,
                            getFactor(op.getLhsMutable(), product),
                            getFactor(op.getRhsMutable(), product), acc);
  if (isa<VectorType>(op.getResultType()))
    set(op->getResult(0), result);
  else
    mapping.map(op.getResult(), result);
}

void Distributor::distributeReduction(vector::MultiDimReductionOp op) {
  VectorType type = op.getSourceVectorType();
  SmallVector<bool> dims(type.getRank());
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    dims[dim] = op.isReducedDim(dim);
  const LinearLayout &source = plan.getOperandLayout(op.getSourceMutable());
  bool exchanges = needsExchange(source, dims);
  counts.exchanges += exchanges;
  Value registers = reduceVector(
      program, get(op.getSourceMutable()), source, dims, type.getShape(),
      op.getKind(), getFastMath(op), exchanges ? turns.take() : ExchangeTurn());
  Value acc = get(op.getAccMutable());
  if (!isa<VectorType>(op.getType())) {
    Value scalar = program.extract(registers, 0);
    mapping.map(op.getResult(),
                vector::makeArithReduction(builder, program.loc, op.getKind(),
                                           scalar, acc, getFastMath(op)));
    return;
  }
  set(op->getResult(0),
      vector::makeArithReduction(builder, program.loc, op.getKind(), registers,
                                 acc, getFastMath(op)));
}

void Distributor::distributeScan(ScanOp op) {
  const LinearLayout &layout = plan.getOperandLayout(op.getSourcesMutable()[0]);
  bool exchanges = needsExchange(layout, op.getScannedDims());
  counts.exchanges += exchanges;
  SmallVector<Value> sources, inits;
  for (OpOperand &source : op.getSourcesMutable())
    sources.push_back(get(source));
  for (OpOperand &init : op.getInitsMutable())
    inits.push_back(get(init));
  ScannedRegisters results =
      scanVectors(program, op, layout, sources, inits,
                  exchanges ? turns.take() : ExchangeTurn());
  for (auto [result, registers] :
       llvm::zip_equal(op.getScanned(), results.scanned))
    set(result, registers);
  for (auto [result, registers] :
       llvm::zip_equal(op.getTotals(), results.totals))
    if (isa<VectorType>(result.getType()))
      set(result, registers);
    else
      mapping.map(result, registers);
}

void Distributor::distributeSort(SortOp op) {
  const LinearLayout &layout = plan.getOperandLayout(op.getKeyMutable());
  SmallVector<Value> values;
  for (OpOperand &value : op.getValuesMutable())
    values.push_back(get(value));
  for (auto [result, registers] : llvm::zip_equal(
           op->getResults(),
           sortVectors(program, op, layout, get(op.getKeyMutable()), values)))
    set(result, registers);
}

arith::FastMathFlagsAttr
Distributor::getFastMath(vector::MultiDimReductionOp op) {
  return op->getAttrOfType<arith::FastMathFlagsAttr>("fastmath");
}
