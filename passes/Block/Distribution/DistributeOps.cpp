//===- DistributeOps.cpp - the program of one thread ---------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Distributor.h.
//
//===----------------------------------------------------------------------===//

#include "../Kernels/NewBody.h"
#include "../Threads/ConvertLayouts.h"
#include "../Threads/ThreadProgram.h"
#include "Distributor.h"
#include "ElementOps.h"
#include "FreeVectors.h"

#include "carousel/Analysis/Layouts/LayoutRules.h"
#include "carousel/Analysis/Values/IndexRanges.h"
#include "carousel/Dialect/IR/CarouselOps.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// 8-bit integers to 16-bit floats
//
// A chip converts 16 integers to floats in the time of 64 logical operations.
// Integers of 8 bits become floats of 16 bits by the latter, two at a time. The
// bits of an integer become the low bits of a power of two's significand, so
// that the float is the power plus the integer. All results are exact:  - f16:
// 1024 + u - 1024, where u is the integer; 128 more if it has a sign; - bf16,
// which has 7 bits there: (128 + low 7 bits) - (128 or, with the sign's   bit,
// 256); - where all integers are below 128, as those of 4 bits are, for each
// pair of   them a word at once.
//===----------------------------------------------------------------------===//

namespace {

class ByteConversion {
public:
  ByteConversion(ThreadProgram &program, VectorType result, bool isSigned)
      : program(program), builder(program.builder), result(result),
        isSigned(isSigned) {}

  /// Bytes of which as many are neighbours in a register as were loaded
  /// together: pairs, or whole words.
  Value convert(Value bytes, bool inPairs) {
    bool isBF16 = result.getElementType().isBF16();
    Value words = insertPowers(bytes, inPairs, isBF16 ? 0x43 : 0x64);
    if (isBF16)
      return subtract(keep(words, 0xff7f), keep(words, 0xff80));
    if (isSigned)
      words = arith::XOrIOp::create(builder, program.loc, words,
                                    twice(words.getType(), 0x0080));
    Value base = program.constant(
        result, builder.getFloatAttr(result.getElementType(),
                                     isSigned ? 1152.0 : 1024.0));
    return subtract(toFloats(words), base);
  }

private:
  /// A word for each two bytes: they are the low bytes of its halves, and
  /// `power` is the high byte of both.
  Value insertPowers(Value bytes, bool inPairs, int64_t power) {
    Location loc = program.loc;
    auto four = VectorType::get(4, builder.getI8Type());
    Value powers =
        program.constant(four, builder.getI8IntegerAttr(int8_t(power)));
    int64_t count = result.getNumElements();
    SmallVector<Value> words;
    auto addWord = [&](Value source, int64_t first) {
      Value permuted = vector::ShuffleOp::create(
          builder, loc, source, powers,
          ArrayRef<int64_t>({first, 4, first + 1, 4}));
      Value word = vector::BitCastOp::create(
          builder, loc, VectorType::get(1, builder.getI32Type()), permuted);
      words.push_back(program.extract(word, 0));
    };
    for (int64_t first = 0; first < count; first += inPairs ? 2 : 4) {
      if (inPairs) {
        addWord(widenPair(bytes, first), 0);
        continue;
      }
      Value source = vector::ExtractStridedSliceOp::create(
          builder, loc, bytes, ArrayRef(first), ArrayRef<int64_t>(4),
          ArrayRef<int64_t>(1));
      addWord(source, 0);
      addWord(source, 2);
    }
    return vector::FromElementsOp::create(
        builder, loc, VectorType::get(count / 2, builder.getI32Type()), words);
  }

  /// Two bytes as the first ones of a word. They stay together: a back end that
  /// takes bytes apart needs an instruction for each.
  Value widenPair(Value bytes, int64_t first) {
    Location loc = program.loc;
    Value pair = vector::ExtractStridedSliceOp::create(
        builder, loc, bytes, ArrayRef(first), ArrayRef<int64_t>(2),
        ArrayRef<int64_t>(1));
    pair = vector::BitCastOp::create(
        builder, loc, VectorType::get(1, builder.getI16Type()), pair);
    Value word = arith::ExtUIOp::create(
        builder, loc, VectorType::get(1, builder.getI32Type()), pair);
    return vector::BitCastOp::create(
        builder, loc, VectorType::get(4, builder.getI8Type()), word);
  }

  /// 16 bits in both halves of words.
  Value twice(Type type, uint32_t bits) {
    return program.constant(
        type, builder.getI32IntegerAttr(int32_t(bits << 16 | bits)));
  }

  Value toFloats(Value words) {
    return vector::BitCastOp::create(builder, program.loc, result, words);
  }

  Value keep(Value words, uint32_t mask) {
    return toFloats(arith::AndIOp::create(builder, program.loc, words,
                                          twice(words.getType(), mask)));
  }

  Value subtract(Value lhs, Value rhs) {
    return arith::SubFOp::create(builder, program.loc, lhs, rhs);
  }

  ThreadProgram &program;
  OpBuilder &builder;
  VectorType result;
  bool isSigned;
};

} // namespace

/// Whether all elements are below 128.
static bool isSmall(Value vector, IndexRanges &ranges) {
  llvm::SetVector<Value> parts;
  parts.insert(vector);
  for (unsigned i = 0; i < parts.size(); ++i) {
    if (auto pairs = parts[i].getDefiningOp<vector::InterleaveOp>()) {
      parts.insert_range(pairs->getOperands());
      continue;
    }
    IntegerValueRange range = ranges.get(parts[i]);
    if (range.isUninitialized() || !range.getValue().umax().ult(128))
      return false;
  }
  return true;
}

/// The bytes of which the pairs are the low and the high four bits, or null.
static Value findHalves(ThreadProgram &program, Value pairs) {
  auto shuffle = pairs.getDefiningOp<vector::ShuffleOp>();
  if (!shuffle)
    return nullptr;
  auto low = shuffle.getV1().getDefiningOp<arith::AndIOp>();
  auto high = shuffle.getV2().getDefiningOp<arith::ShRUIOp>();
  auto isSplat = [](Value value, int64_t wanted) {
    APInt found;
    return matchPattern(value, m_ConstantInt(&found)) && found == wanted;
  };
  if (!low || !high || low.getLhs() != high.getLhs() ||
      !isSplat(low.getRhs(), 15) || !isSplat(high.getRhs(), 4))
    return nullptr;
  int64_t count = shuffle.getV1VectorType().getNumElements();
  SmallVector<int64_t> numbers;
  ArrayRef<int64_t> mask = shuffle.getMask();
  for (size_t i = 0; i < mask.size(); i += 2) {
    if (mask[i] < 0 || mask[i] >= count || mask[i + 1] != mask[i] + count)
      return nullptr;
    numbers.push_back(mask[i]);
  }
  return program.select(low.getLhs(), numbers);
}

/// Converts integers below 128.
static Value convertPairs(ThreadProgram &program, Value bytes, Type element) {
  OpBuilder &builder = program.builder;
  Location loc = program.loc;
  int64_t count = cast<VectorType>(bytes.getType()).getNumElements();
  auto words = VectorType::get(count / 2, builder.getI32Type());
  auto result = VectorType::get(count, element);
  auto constant = [&](int32_t bits) {
    return program.constant(words, builder.getI32IntegerAttr(bits));
  };
  auto widen = [&](Value part) -> Value {
    return arith::ExtUIOp::create(builder, loc, words, part);
  };
  auto get = [&](int64_t side) {
    SmallVector<int64_t> own;
    for (int64_t i = side; i < count; i += 2)
      own.push_back(i);
    return widen(vector::ShuffleOp::create(builder, loc, bytes, bytes, own));
  };
  Value both;
  if (Value halves = findHalves(program, bytes)) {
    // A product puts a second copy of the byte 12 bits higher.
    Value copies = arith::MulIOp::create(builder, loc, widen(halves),
                                         constant(1 << 12 | 1));
    both = arith::AndIOp::create(builder, loc, copies, constant(15 << 16 | 15));
  } else {
    Value high = arith::ShLIOp::create(builder, loc, get(1), constant(16));
    both = arith::OrIOp::create(builder, loc, get(0), high);
  }
  bool isF16 = element.isF16();
  Value all = arith::OrIOp::create(builder, loc, both,
                                   constant(isF16 ? 0x64006400 : 0x43004300));
  return arith::SubFOp::create(
      builder, loc, vector::BitCastOp::create(builder, loc, result, all),
      program.constant(result,
                       builder.getFloatAttr(element, isF16 ? 1024.0 : 128.0)));
}

/// Extends 8-bit floats that were loaded as pairs, each pair on its own: a
/// chip converts two at once, and they stay where they are.
static Value extendPairs(ThreadProgram &program, Value floats, Type element) {
  OpBuilder &builder = program.builder;
  Location loc = program.loc;
  auto type = cast<VectorType>(floats.getType());
  auto result = type.clone(element);
  Value all = program.constant(result, builder.getFloatAttr(element, 0.0));
  for (int64_t first = 0; first < type.getNumElements(); first += 2) {
    Value pair = vector::ExtractStridedSliceOp::create(
        builder, loc, floats, ArrayRef(first), ArrayRef<int64_t>(2),
        ArrayRef<int64_t>(1));
    pair =
        arith::ExtFOp::create(builder, loc, VectorType::get(2, element), pair);
    all = vector::InsertStridedSliceOp::create(
        builder, loc, pair, all, ArrayRef(first), ArrayRef<int64_t>(1));
  }
  return all;
}

/// The result of a conversion of a thread's elements; null for ops that aren't
/// such a conversion of a multiple of four elements. `access` elements were
/// loaded together.
static Value convertBytes(ThreadProgram &program, Operation *op,
                          Value registers, int64_t access) {
  auto bytes = dyn_cast<VectorType>(registers.getType());
  bool isSigned = isa<arith::SIToFPOp>(op);
  if (bytes && isa<arith::ExtFOp>(op) && access == 2 &&
      bytes.getElementTypeBitWidth() == 8 && bytes.getNumElements() % 2 == 0)
    return extendPairs(program, registers,
                       getElementTypeOrSelf(op->getResult(0).getType()));
  if (!bytes || !bytes.getElementType().isInteger(8) ||
      bytes.getNumElements() % 4 != 0 ||
      (!isSigned && !isa<arith::UIToFPOp>(op)))
    return nullptr;
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  IndexRanges ranges;
  if ((element.isF16() || element.isBF16()) &&
      isSmall(op->getOperand(0), ranges))
    return convertPairs(program, registers, element);
  if (!element.isF16() && !(element.isBF16() && isSigned))
    return nullptr;
  return ByteConversion(program, bytes.clone(element), isSigned)
      .convert(registers, /*inPairs=*/access == 2);
}

//===----------------------------------------------------------------------===//
// Elements by their indices
//
// Gathers and scatters, as --carousel-distribute writes them: each thread
// accesses its own elements. A run that a mask divides, or that begins at
// another place, is accessed by elements.
//===----------------------------------------------------------------------===//

namespace {

struct IndexedAccess {
  VectorType type; ///< of the CTA's vector
  const LinearLayout &layout;
  /// Consecutive registers whose elements follow each other in memory. One
  /// access has them if its index is a multiple of their number.
  int64_t run;
  Value memref;
  SmallVector<Value> offsets;
  /// The indices and the mask of a thread, as are the elements.
  Value indices, mask;
};

} // namespace

namespace {

class IndexedElements {
public:
  IndexedElements(ThreadProgram &program, const IndexedAccess &access)
      : program(program), builder(program.builder), loc(program.loc),
        access(access) {}

  /// The index of a register's element in the last dimension.
  Value getIndex(int64_t number) {
    Value index = program.extract(access.indices, number);
    if (!index.getType().isIndex())
      index = arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                         index);
    return arith::AddIOp::create(builder, loc, access.offsets.back(), index);
  }

  SmallVector<Value> getPlace(Value index) const {
    SmallVector<Value> place(access.offsets);
    place.back() = index;
    return place;
  }

  /// Whether the element exists and isn't masked. Some only fill the vector's
  /// extent up to a power of two.
  Value isOpen(int64_t number) {
    Value open = program.extract(access.mask, number);
    for (auto [dim, extent] : llvm::enumerate(access.type.getShape()))
      if (extent < int64_t(1) << access.layout.getExtentBits()[dim])
        open = arith::AndIOp::create(
            builder, loc, open,
            arith::CmpIOp::create(
                builder, loc, arith::CmpIPredicate::ult,
                program.getCoordinate(access.layout, dim, number),
                program.index(extent)));
    return open;
  }

  /// Whether a run begins where it can be accessed at once, and whether the
  /// mask opens all of it.
  Value isWhole(int64_t number, Value index) {
    Value rest = arith::AndIOp::create(builder, loc, index,
                                       program.index(access.run - 1));
    Value whole = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        rest, program.index(0));
    for (int64_t i = 0; i < access.run; ++i)
      whole = arith::AndIOp::create(builder, loc, whole, isOpen(number + i));
    return whole;
  }

  /// Whether the mask opens an element of a run.
  Value isOpenInPart(int64_t number) {
    Value open = isOpen(number);
    for (int64_t i = 1; i < access.run; ++i)
      open = arith::OrIOp::create(builder, loc, open, isOpen(number + i));
    return open;
  }

  VectorType getRunType() const {
    return VectorType::get(access.run, access.type.getElementType());
  }

  Value getRun(Value registers, int64_t number) {
    SmallVector<int64_t> own(access.run);
    std::iota(own.begin(), own.end(), number);
    return program.select(registers, own);
  }

  /// An element, or another one under a condition that doesn't hold.
  Value readElement(Value condition, Value index, Value other) {
    return choose(
        condition, other.getType(),
        [&] {
          return memref::LoadOp::create(builder, loc, access.memref,
                                        getPlace(index));
        },
        [&] { return other; });
  }

  Value choose(Value condition, Type type, function_ref<Value()> get,
               function_ref<Value()> getOther) {
    auto branch = scf::IfOp::create(builder, loc, type, condition,
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(builder, loc, get());
    builder.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(builder, loc, getOther());
    return branch.getResult(0);
  }

  /// Each register on its own.
  Value readElements(Value others) {
    Value result = others;
    for (int64_t i = 0; i < countRegisters(access.layout); ++i)
      result = program.replace(result, readElements(i, others), i);
    return result;
  }

  /// Those of the run that begins at a register, one by one.
  Value readElements(int64_t number, Value others) {
    Value index = getIndex(number);
    SmallVector<Value> elements;
    for (int64_t i = number; i < number + access.run; ++i)
      elements.push_back(readElement(isOpen(i), program.add(index, i - number),
                                     program.extract(others, i)));
    return vector::FromElementsOp::create(builder, loc, getRunType(), elements);
  }

  /// All runs that can be accessed at once, so that the thread waits once. One
  /// that isn't aligned, or that the mask opens in part, is rare: a single
  /// branch is for all of them.
  Value readRuns(Value others) {
    int64_t count = countRegisters(access.layout);
    Value result = others;
    Value isRare =
        program.constant(builder.getI1Type(), builder.getBoolAttr(false));
    SmallVector<Value> wholes;
    for (int64_t number = 0; number < count; number += access.run) {
      Value index = getIndex(number), whole = isWhole(number, index);
      Value run = choose(
          whole, getRunType(),
          [&] {
            return program.load(getRunType(), access.memref, getPlace(index));
          },
          [&] { return getRun(others, number); });
      result = program.replace(result, run, number);
      Value cut = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ugt,
                                        isOpenInPart(number), whole);
      isRare = arith::OrIOp::create(builder, loc, isRare, cut);
      wholes.push_back(whole);
    }
    return choose(
        isRare, result.getType(),
        [&] { return readRest(result, others, wholes); },
        [&] { return result; });
  }

private:
  /// `result` with the elements of the runs that aren't whole.
  Value readRest(Value result, Value others, ArrayRef<Value> wholes) {
    Value complete = result;
    for (auto [i, whole] : llvm::enumerate(wholes)) {
      int64_t number = i * access.run;
      Value run = choose(
          whole, getRunType(), [&] { return getRun(result, number); },
          [&] { return readElements(number, others); });
      complete = program.replace(complete, run, number);
    }
    return complete;
  }

  ThreadProgram &program;
  OpBuilder &builder;
  Location loc;
  const IndexedAccess &access;
};

} // namespace

/// Elements that are masked are those of `others`.
static Value gatherVector(ThreadProgram &program, const IndexedAccess &access,
                          Value others) {
  IndexedElements elements(program, access);
  return access.run > 1 ? elements.readRuns(others)
                        : elements.readElements(others);
}

static void scatterVector(ThreadProgram &program, const IndexedAccess &access,
                          Value registers) {
  IndexedElements elements(program, access);
  program.runIf(program.isFirstCopy(access.layout), [&] {
    for (int64_t number = 0; number < countRegisters(access.layout); ++number)
      program.runIf(elements.isOpen(number), [&] {
        memref::StoreOp::create(
            program.builder, program.loc, program.extract(registers, number),
            access.memref, elements.getPlace(elements.getIndex(number)));
      });
  });
}

//===----------------------------------------------------------------------===//
// The program of one thread
//===----------------------------------------------------------------------===//

void Distributor::distribute(Block &block) {
  for (Operation &op : block.without_terminator())
    distribute(&op);
}

Value Distributor::get(OpOperand &operand) {
  if (!isa<VectorType>(operand.get().getType()))
    return mapping.lookup(operand.get());
  return get(operand.get(), plan.getOperandLayout(operand));
}

Value Distributor::get(Value vector, const LinearLayout &layout) {
  const LinearLayout *own = plan.getLayout(vector);
  if (!own)
    return makeFreeVector(program, vector, layout, mapping);
  counts.conversions += !isWithinThreads(*own, layout);
  return convertLayout(program, mapping.lookup(vector), *own, layout);
}

void Distributor::set(Value vector, Value registers,
                      const LinearLayout &layout) {
  ++counts.values;
  const LinearLayout &own = *plan.getLayout(vector);
  counts.conversions += !isWithinThreads(layout, own);
  mapping.map(vector, convertLayout(program, registers, layout, own));
}

void Distributor::set(OpResult result, Value registers) {
  set(result, registers, plan.getComputedLayout(result));
}

bool Distributor::hasVectors(Operation *op) {
  auto isVector = [](Type type) { return isa<VectorType>(type); };
  return llvm::any_of(op->getOperandTypes(), isVector) ||
         llvm::any_of(op->getResultTypes(), isVector);
}

void Distributor::distribute(Operation *op) {
  program.startOp(op);
  if (passesTile(op) &&
      (tiles.pass(op, isRoundedAtLoad(plan, op)) || passFactor(op)))
    return;
  if (delayed.contains(op))
    return;
  orderAccesses(op);
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](gpu::BlockIdOp id) {
        distributeProgramId(id, id.getDimension());
      })
      .Case([&](gpu::GridDimOp size) {
        distributeProgramId(size, size.getDimension());
      })
      .Case([&](scf::ForOp loop) { distributeLoop(loop); })
      .Case([&](scf::WhileOp loop) { distributeLoop(loop); })
      .Case([&](scf::IfOp branch) { distributeBranch(branch); })
      .Case([&](SerializeOp turn) { distributeTurn(turn); })
      .Case([&](vector::TransferReadOp read) { distributeRead(read); })
      .Case([&](vector::TransferWriteOp write) { distributeWrite(write); })
      .Case([&](vector::MultiDimReductionOp reduction) {
        distributeReduction(reduction);
      })
      .Case([&](ScanOp scan) { distributeScan(scan); })
      .Case([&](SortOp sort) { distributeSort(sort); })
      .Case([&](vector::ContractionOp contraction) {
        distributeContraction(contraction);
      })
      .Case([&](vector::GatherOp gather) { distributeGather(gather); })
      .Case([&](vector::ScatterOp scatter) { distributeScatter(scatter); })
      .Case([&](ClusterGatherOp gather) {
        Operation *own = builder.clone(*gather, mapping);
        set(gather->getResult(0), own->getResult(0));
      })
      .Default([&](Operation *other) {
        if (!hasVectors(other))
          distributeScalar(other);
        else if (isFreeVector(other))
          distributeFree(other);
        else if (isElementwise(other))
          distributeElementwise(other);
        else if (auto own = dyn_cast<DistributionOpInterface>(other))
          distributeSources(own);
        else
          distributeReshaping(other);
      });
  llvm::for_each(op->getResults(), [&](Value result) { keepFactors(result); });
}

void Distributor::distributeProgramId(Operation *op, gpu::Dimension dim) {
  Operation *own = builder.clone(*op, mapping);
  unsigned ctas = plan.getThreads().ctas;
  if (ctas != 0 && dim == gpu::Dimension::x)
    mapping.map(op->getResult(0),
                arith::ShRUIOp::create(builder, program.loc, own->getResult(0),
                                       program.index(ctas))
                    .getResult());
}

void Distributor::distributeScalar(Operation *op) {
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  bool writes = isa<memref::StoreOp>(op) ||
                (effects && effects.hasEffect<MemoryEffects::Write>() &&
                 op->getNumResults() == 0 && !isa<TransferOpInterface>(op));
  // No thread goes on with what an assertion excludes.
  if (!writes || isa<cf::AssertOp>(op) ||
      isa<CarouselDialect>(*op->getDialect())) {
    cloneWithRegions(op);
    return;
  }
  Value isFirst =
      arith::CmpIOp::create(builder, program.loc, arith::CmpIPredicate::eq,
                            program.getThread(), program.index(0));
  program.runIf(isFirst, [&] { builder.clone(*op, mapping); });
}

void Distributor::cloneWithRegions(Operation *op) {
  Operation *clone = builder.cloneWithoutRegions(*op, mapping);
  for (auto [from, to] : llvm::zip(op->getRegions(), clone->getRegions())) {
    if (from.empty())
      continue;
    OpBuilder::InsertionGuard guard(builder);
    Block *body = builder.createBlock(
        &to, to.end(), from.getArgumentTypes(),
        SmallVector<Location>(from.getNumArguments(), program.loc));
    mapping.map(from.getArguments(), body->getArguments());
    distribute(from.front());
    if (from.front().mightHaveTerminator())
      finish(from.front().getTerminator());
  }
}

void Distributor::distributeFree(Operation *op) {
  OpResult result = op->getResult(0);
  if (const LinearLayout *layout = plan.getLayout(result))
    set(result, makeFreeVector(program, result, *layout, mapping));
}

void Distributor::distributeElementwise(Operation *op) {
  OpResult result = op->getResult(0);
  const LinearLayout &layout = plan.getComputedLayout(result);
  if (std::optional<unsigned> dim = findComparedSteps(op))
    return set(result, program.compareCoordinates(
                           layout, *dim, cast<arith::CmpIOp>(op).getPredicate(),
                           get(op->getOpOperand(1))));
  SmallVector<Value> operands;
  for (OpOperand &operand : op->getOpOperands())
    operands.push_back(get(operand));
  auto read = op->getOperand(0).getDefiningOp<vector::TransferReadOp>();
  if (Value floats = convertBytes(program, op, operands.front(),
                                  read ? plan.getAccess(read).run : 1))
    return set(result, floats);
  setAll(op, computeElements(program, op, operands, countRegisters(layout)));
}

void Distributor::distributeSources(DistributionOpInterface op) {
  SmallVector<DistributedVector> operands;
  for (OpOperand &operand : op->getOpOperands())
    operands.push_back(getDistributed(operand));
  setAll(op, computeFromSources(program, op, operands,
                                plan.getComputedLayout(op->getResult(0))));
}

void Distributor::setAll(Operation *op, ArrayRef<Value> registers) {
  for (auto [result, own] : llvm::zip_equal(op->getResults(), registers))
    set(result, own);
}

ThreadAccess Distributor::getAccess(VectorTransferOpInterface op, Value mask) {
  ThreadAccess access{op, plan.getAccess(op), mapping.lookup(op.getBase()),
                      lookUpAll(op.getIndices()), mask};
  Operation *partner = access.plan.partner;
  auto read = dyn_cast<vector::TransferReadOp>(op.getOperation());
  if (!partner)
    return access;
  Value &box = sharedBoxes[read ? read.getOperation() : partner];
  if (read && !box) {
    loadTile(program, access, mapping.lookup(read.getPadding()));
    box = access.box;
  }
  access.box = box;
  return access;
}

void Distributor::distributeRead(vector::TransferReadOp op) {
  if (auto ahead = wordsAhead.find(op); ahead != wordsAhead.end())
    return set(op->getResult(0),
               ahead->second.reader->getElements(ahead->second.words));
  const AccessPlan &access = plan.getAccess(op);
  ThreadAccess own =
      getAccess(op, op.getMask() ? get(op.getMaskMutable()[0]) : Value());
  Value padding = mapping.lookup(op.getPadding());
  if (isFactorOfWarpgroups(plan, op)) {
    tiles.keep(op->getResult(0), loadTile(program, own, padding));
    if (areMultipliedInTiles(op->getResult(0)))
      return;
  }
  if (access.byMatrices) {
    MatrixTile tile(program, loadTile(program, own, padding), access.layout);
    if (isFactorOnly(plan, op))
      tiles.add(op->getResult(0), tile);
    else
      set(op->getResult(0), tile.load());
    return;
  }
  if (access.isTransfer && !op.getMask() && isFactorOnly(plan, op))
    return tiles.add(
        op->getResult(0),
        ElementTile{std::make_shared<VectorReader>(program, own, padding),
                    access.layout});
  set(op->getResult(0), VectorReader(program, own, padding).readAll());
}

bool Distributor::passFactor(Operation *op) {
  bool isRounding = isa<RoundTF32Op>(op);
  if (!passesFactor(op) || (isRounding && !isRoundedAtLoad(plan, op)))
    return false;
  bool staysInTile = findReadOfFactor(op->getResult(0)) && !op->use_empty() &&
                     areMultipliedInTiles(op->getResult(0));
  if (!staysInTile && isRounding)
    set(op->getResult(0), get(op->getOpOperand(0)));
  return staysInTile || isRounding;
}

bool Distributor::areMultipliedInTiles(Value vector) {
  return llvm::all_of(vector.getUses(), [&](OpOperand &use) {
    auto product = dyn_cast<vector::ContractionOp>(use.getOwner());
    if (product)
      return plan.getContraction(product).isTileOfWarpgroups(
          use.getOperandNumber());
    return passesFactor(use.getOwner()) &&
           areMultipliedInTiles(use.getOwner()->getResult(0));
  });
}

void Distributor::orderAccesses(Operation *op) {
  ArrayRef<Operation *> reads = delayed.getReads(op);
  bool needsBarrier = false;
  for (Operation *read : reads)
    needsBarrier |= order.needsBarrier(read);
  needsBarrier |= order.needsBarrier(op);
  if (!needsBarrier)
    return;
  program.barrier();
  // They all come after the barrier.
  for (Operation *read : reads)
    order.addPending(read);
  order.addPending(op);
}

PiecesOfWrite &Distributor::getPieces(vector::TransferWriteOp op) {
  std::unique_ptr<PiecesOfWrite> &own = pieces[op];
  if (!own)
    own = std::make_unique<PiecesOfWrite>(
        program, plan, delayed,
        [&](OpOperand &operand) { return get(operand); },
        [&](vector::TransferReadOp read) {
          return std::make_unique<VectorReader>(
              program, getAccess(read, Value()),
              mapping.lookup(read.getPadding()));
        });
  return *own;
}

void Distributor::distributeWrite(vector::TransferWriteOp op) {
  PiecesOfWrite &own = getPieces(op);
  Value mask = op.getMask() ? get(op.getMaskMutable()[0]) : Value();
  own.prepare(op.getValueToStoreMutable());
  writeVector(program, getAccess(op, mask), [&](int64_t first, int64_t count) {
    return own.get(op.getValueToStoreMutable(), first, count);
  });
}

SmallVector<Value> Distributor::lookUpAll(ValueRange values) {
  return llvm::map_to_vector(
      values, [&](Value value) { return mapping.lookup(value); });
}

void Distributor::distributeReshaping(Operation *op) {
  if (plan.movesPart(op))
    return movePart(op, *VectorPart::of(op));
  SmallVector<Value, 2> operands;
  SmallVector<const LinearLayout *, 2> layouts;
  for (OpOperand &operand : op->getOpOperands()) {
    operands.push_back(get(operand));
    layouts.push_back(&plan.getOperandLayout(operand));
  }
  for (OpResult result : op->getResults())
    set(result, takeRegisters(program, operands,
                              findSources(result, layouts,
                                          plan.getComputedLayout(result))));
}

DistributedVector Distributor::getDistributed(OpOperand &operand) {
  bool isVector = isa<VectorType>(operand.get().getType());
  return {get(operand), isVector ? &plan.getOperandLayout(operand) : nullptr};
}

void Distributor::movePart(Operation *op, const VectorPart &part) {
  PlacedPart placed{part, {}};
  for (OpFoldResult offset : part.offsets)
    placed.offsets.push_back(isa<Value>(offset)
                                 ? mapping.lookup(cast<Value>(offset))
                                 : program.index(*getConstantIntValue(offset)));
  OpResult result = op->getResult(0);
  DistributedVector first = getDistributed(op->getOpOperand(0));
  if (isa<vector::InsertOp, vector::InsertStridedSliceOp>(op))
    set(result, insertPart(program, placed, first,
                           getDistributed(op->getOpOperand(1))));
  else if (part.isScalar())
    mapping.map(result, extractPart(program, placed, first, nullptr));
  else
    set(result,
        extractPart(program, placed, first, &plan.getComputedLayout(result)));
}

void Distributor::distributeGather(vector::GatherOp op) {
  const AccessPlan &access = plan.getAccess(op);
  IndexedAccess own{op.getVectorType(),
                    access.layout,
                    access.run,
                    mapping.lookup(op.getBase()),
                    lookUpAll(op.getOffsets()),
                    get(op.getIndicesMutable()),
                    get(op.getMaskMutable())};
  set(op->getResult(0),
      gatherVector(program, own, get(op.getPassThruMutable())));
}

void Distributor::distributeScatter(vector::ScatterOp op) {
  OpOperand &value = op.getValueToStoreMutable();
  IndexedAccess own{op.getVectorType(),
                    plan.getOperandLayout(value),
                    /*run=*/1,
                    mapping.lookup(op.getBase()),
                    lookUpAll(op.getOffsets()),
                    get(op.getIndicesMutable()),
                    get(op.getMaskMutable())};
  scatterVector(program, own, get(value));
}

FailureOr<DistributedCounts> carousel::distributeOps(gpu::GPUFuncOp kernel,
                                                     const LayoutPlan &plan) {
  Block &old = kernel.getBody().front();
  OpBuilder builder(kernel.getContext());
  Block *body = startNewBody(kernel, builder);
  Distributor distributor(kernel, plan, builder);
  distributor.mapping.map(old.getArguments(), body->getArguments());
  distributor.distribute(old);
  distributor.finish(old.getTerminator());
  old.erase();
  if (distributor.hasErrors())
    return failure();
  return distributor.counts;
}
