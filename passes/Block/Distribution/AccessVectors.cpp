//===- AccessVectors.cpp - reads and writes by all threads ----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See AccessVectors.h. The plan's run divides the rows of the memref, so that a
// run is wholly inside or wholly outside, unless it is shifted (ShiftedRuns.h).
// A run that a mask divides is accessed by elements.
//
//===----------------------------------------------------------------------===//

#include "AccessVectors.h"

#include "../Rows/LoadOfRead.h"
#include "ShiftedRuns.h"

#include "carousel/Analysis/Distribution/AccessTransfers.h"
#include "carousel/Analysis/Layouts/FragmentLayouts.h"
#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Dialect/IR/CarouselViewOps.h"
#include "carousel/Support/HardwareLimits.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

#include <numeric>

using namespace mlir;
using namespace carousel;

/// The view of a box that has the vector's dimensions alone.
static Value viewAsVector(ThreadProgram &program,
                          VectorTransferOpInterface transfer, Value box) {
  int64_t rank = cast<MemRefType>(box.getType()).getRank();
  AffineMap map = transfer.getPermutationMap();
  if (rank == int64_t(map.getNumResults()))
    return box;
  SmallVector<ReassociationIndices> groups;
  for (int64_t dim = 0, own = 0; dim < rank; ++dim) {
    if (own < int64_t(map.getNumResults()) &&
        map.getDimPosition(own) == map.getDimPosition(0) + dim) {
      groups.emplace_back();
      ++own;
    }
    groups.back().push_back(dim);
  }
  return memref::CollapseShapeOp::create(program.builder, program.loc, box,
                                         groups);
}

static Value allocateBox(ThreadProgram &program, const ThreadAccess &access) {
  VectorTransferOpInterface transfer = access.transfer;
  VectorType type = transfer.getVectorType();
  return program.allocate(getBoxShape(transfer, type.getShape()),
                          type.getElementType());
}

class carousel::RunAccess {
public:
  RunAccess(ThreadProgram &program, const ThreadAccess &access)
      : program(program), builder(program.builder), access(access),
        transfer(access.transfer), memref(access.memref) {
    if (!access.plan.isTransfer) {
      findExtents();
      if (access.plan.isShifted)
        shifted.emplace(
            program, memref,
            VectorType::get({getRun()},
                            transfer.getVectorType().getElementType()),
            access.plan.isAligned);
      return;
    }
    box = access.box                 ? access.box
          : access.plan.byWarpgroups ? allocateForWarpgroups()
                                     : allocateBox(program, access);
    memref = viewAsVector(program, transfer, box);
  }

  Value getMemRef() const { return memref; }
  /// The tile of a transfer.
  Value getBox() const { return box; }

  /// Where the tile is in the box: at the warpgroup's first row, if it is the
  /// warpgroup's.
  SmallVector<Value> getTileIndices(int64_t part) {
    SmallVector<Value> indices(access.indices);
    if (access.plan.byWarpgroups) {
      Value &row = indices[transfer.getPermutationMap().getDimPosition(0)];
      row = arith::AddIOp::create(
          builder, program.loc, row,
          program.getCoordinate(ofWarpgroups(access.plan.layout), 0));
    }
    if (part != 0)
      indices.back() = program.add(indices.back(), part * countColumnsOfPart());
    return indices;
  }

  int64_t countRegistersOfPart() const {
    return countRegisters(access.plan.layout) / access.plan.parts;
  }

  int64_t getRun() const { return access.plan.run; }

  /// The place of the run that begins at a register. `offset`, unless it is
  /// null, is added in a dimension of the tile.
  SmallVector<Value> getPlace(uint32_t number, Value offset, unsigned dim) {
    SmallVector<Value> place = getPlace(number);
    if (offset)
      place[dim] =
          arith::AddIOp::create(builder, program.loc, place[dim], offset);
    return place;
  }
  SmallVector<Value> getPlace(uint32_t number) {
    if (access.plan.isTransfer) {
      LinearLayout layout = access.plan.byWarpgroups
                                ? inWarpgroup(access.plan.layout)
                                : access.plan.layout;
      SmallVector<Value> place;
      for (unsigned dim = 0; dim < layout.getExtentBits().size(); ++dim)
        place.push_back(program.getCoordinate(layout, dim,
                                              number % countRegistersOfPart()));
      return place;
    }
    const LinearLayout &layout = access.plan.layout;
    SmallVector<Value> place(access.indices);
    for (auto [dim, expr] :
         llvm::enumerate(transfer.getPermutationMap().getResults())) {
      auto along = dyn_cast<AffineDimExpr>(expr);
      if (!along)
        continue;
      Value &index = place[along.getPosition()];
      // The thread's part is the same for all registers.
      uint32_t own = getRegisterCoordinates(layout, number)[dim];
      Value ofThread = program.getCoordinate(layout, dim);
      Value coordinate = program.getCoordinate(layout, dim, number);
      if (coordinate != ofThread && isSum(coordinate, ofThread))
        index = program.add(
            arith::AddIOp::create(builder, program.loc, index, ofThread), own);
      else
        index = arith::AddIOp::create(builder, program.loc, index, coordinate);
    }
    return place;
  }

  /// Whether the run exists, or the row of a shifted one; null if it always
  /// does.
  Value exists(uint32_t number, ValueRange place) {
    Value all;
    auto require = [&](Value condition) {
      all = program.bothHold(all, condition);
    };
    auto checked = ArrayRef(extents).drop_back(access.plan.isShifted);
    for (auto [dim, extent] : llvm::enumerate(checked))
      if (extent && !isAlwaysBelow(number, dim, extent))
        require(arith::CmpIOp::create(builder, program.loc,
                                      arith::CmpIPredicate::ult, place[dim],
                                      extent));
    // Elements that only fill the vector's extent up to a power of two.
    const LinearLayout &layout = access.plan.layout;
    for (auto [dim, extent] :
         llvm::enumerate(transfer.getVectorType().getShape()))
      if (extent < int64_t(1) << layout.getExtentBits()[dim] &&
          !compareRegister(layout, dim, number, arith::CmpIPredicate::ult,
                           extent)
               .value_or(false))
        require(arith::CmpIOp::create(
            builder, program.loc, arith::CmpIPredicate::ult,
            program.getCoordinate(layout, dim, number), program.index(extent)));
    return all;
  }

  /// Whether all elements of the vector exist, for a thread that has many runs
  /// whose conditions differ; null otherwise. Behind a condition for each
  /// store, ptxas computes what it stores there, too, one after the other.
  Value isWhole() {
    constexpr int64_t kFewRuns = 8;
    const LinearLayout &layout = access.plan.layout;
    if (access.plan.isTransfer || access.plan.isShifted ||
        countRegisters(layout) / getRun() <= kFewRuns)
      return {};
    VectorType type = transfer.getVectorType();
    Value all;
    for (auto [dim, expr] :
         llvm::enumerate(transfer.getPermutationMap().getResults())) {
      int64_t size = type.getDimSize(dim);
      if (access.mask || size < int64_t(1) << layout.getExtentBits()[dim])
        return {};
      auto along = dyn_cast<AffineDimExpr>(expr);
      Value extent = along ? extents[along.getPosition()] : Value();
      if (!extent)
        continue;
      Value index = access.indices[along.getPosition()];
      // The first element, which may be before the memref, and the last one.
      Value isFirst = arith::CmpIOp::create(
          builder, program.loc, arith::CmpIPredicate::ult, index, extent);
      Value behind = arith::SubIOp::create(builder, program.loc, extent, index);
      Value isLast =
          arith::CmpIOp::create(builder, program.loc, arith::CmpIPredicate::uge,
                                behind, program.index(size));
      all = program.bothHold(program.bothHold(all, isFirst), isLast);
    }
    return all;
  }

  ShiftedRuns &getShiftedRuns() { return *shifted; }
  void writeShifted(uint32_t number, Value registers) {
    const LinearLayout &layout = access.plan.layout;
    unsigned lanes = countLanesAlong(layout, getRun());
    bool follows = number != 0 && lanes == program.threads.lanes;
    if (follows) {
      SmallVector<uint32_t> before =
          getRegisterCoordinates(layout, number - getRun());
      before.back() += getRun() << lanes;
      follows = getRegisterCoordinates(layout, number) == before;
    }
    getShiftedRuns().write(registers, getShiftedRun(number), lanes, follows);
  }
  ShiftedRuns::Run getShiftedRun(uint32_t number, Value offset = nullptr,
                                 unsigned dim = 0) {
    SmallVector<Value> place = getPlace(number, offset, dim);
    Value rowExists = exists(number, place);
    return {std::move(place), rowExists};
  }

  /// Whether the run exists and isn't masked in any element.
  Value isOpen(uint32_t number, ValueRange place) {
    Value all = exists(number, place);
    if (access.mask)
      for (int64_t i = 0; i < getRun(); ++i)
        all = program.bothHold(all, program.extract(access.mask, number + i));
    return all;
  }

  /// The same of one element of a run that exists on a condition.
  Value isOpenElement(Value exists, int64_t number) {
    return program.bothHold(exists, program.extract(access.mask, number));
  }

  /// The place of an element of a run.
  SmallVector<Value> getElement(ValueRange place, int64_t number) {
    SmallVector<Value> element(place);
    element.back() = program.add(element.back(), number);
    return element;
  }

private:
  /// Whether the register's element is inside of the memref in all threads.
  bool isAlwaysBelow(uint32_t number, unsigned along, Value extent) {
    std::optional<int64_t> begin = getConstantIntValue(access.indices[along]),
                           end = getConstantIntValue(extent);
    if (auto dim = extent.getDefiningOp<memref::DimOp>();
        dim && !cast<MemRefType>(access.memref.getType()).isDynamicDim(along))
      end = cast<MemRefType>(access.memref.getType()).getDimSize(along);
    if (!begin || !end || *begin < 0)
      return false;
    for (auto [dim, expr] :
         llvm::enumerate(transfer.getPermutationMap().getResults()))
      if (expr.isFunctionOfDim(along))
        return compareRegister(access.plan.layout, dim, number,
                               arith::CmpIPredicate::slt, *end - *begin)
            .value_or(false);
    return false;
  }

  int64_t countColumnsOfPart() {
    return transfer.getVectorType().getShape().back() / access.plan.parts;
  }

  /// A tile of each warpgroup's rows, at a buffer's multiple of its size, so
  /// that it has the layout of a buffer of its own.
  Value allocateForWarpgroups() {
    VectorType type = transfer.getVectorType();
    int64_t groups = int64_t(1) << (program.threads.warps - kWarpBitsOfGroup);
    int64_t rows = type.getDimSize(0) / groups;
    int64_t columns = countColumnsOfPart();
    int64_t bytes = rows * columns * type.getElementTypeBitWidth() / 8;
    Value all = program.allocate(groups * bytes, builder.getI8Type());
    Value group =
        arith::DivUIOp::create(builder, program.loc, program.getThread(),
                               program.index(rules::kWarpgroupSize));
    auto own =
        MemRefType::get(getBoxShape(transfer, {rows, columns}),
                        type.getElementType(), MemRefLayoutAttrInterface(),
                        cast<MemRefType>(all.getType()).getMemorySpace());
    Value begin = arith::MulIOp::create(builder, program.loc, group,
                                        program.index(bytes));
    return memref::ViewOp::create(builder, program.loc, own, all, begin,
                                  /*sizes=*/ValueRange());
  }

  static bool isSum(Value value, Value term) {
    auto sum = value.getDefiningOp<arith::AddIOp>();
    return sum && sum.getLhs() == term;
  }

  /// Finds the extents of the dimensions that aren't in bounds. An index that
  /// no vector dimension runs along is in bounds, too.
  void findExtents() {
    extents.resize(access.indices.size());
    AffineMap map = transfer.getPermutationMap();
    for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
      auto along = dyn_cast<AffineDimExpr>(expr);
      if (!along || transfer.isDimInBounds(dim))
        continue;
      Value &extent = extents[along.getPosition()];
      extent = memref::DimOp::create(builder, program.loc, access.memref,
                                     int64_t(along.getPosition()));
    }
  }

  ThreadProgram &program;
  OpBuilder &builder;
  const ThreadAccess &access;
  VectorTransferOpInterface transfer; ///< its queries are not const
  Value memref, box;
  /// Null for dimensions that are in bounds.
  SmallVector<Value> extents;
  std::optional<ShiftedRuns> shifted;
};

//===----------------------------------------------------------------------===//
// Transfers
//===----------------------------------------------------------------------===//

/// Numbers of a table may be none of a row, wherever upstream folds that an
/// access is inside of the table.
static bool isInBounds(VectorTransferOpInterface transfer) {
  if (transfer.getBase().getDefiningOp<RowsOp>())
    return false;
  for (int64_t dim = 0; dim < transfer.getTransferRank(); ++dim)
    if (!transfer.isDimInBounds(dim))
      return false;
  return true;
}

static void loadBox(ThreadProgram &program, ThreadAccess &access,
                    Value padding) {
  if (access.box)
    return;
  access.box = allocateBox(program, access);
  createTileLoad(program.builder, program.loc,
                 {access.memref, access.indices, isInBounds(access.transfer),
                  access.plan.rounds},
                 access.box, padding, access.plan.swizzle);
}

Value carousel::loadTile(ThreadProgram &program, ThreadAccess &access,
                         Value padding) {
  loadBox(program, access, padding);
  return viewAsVector(program, access.transfer, access.box);
}

static void storeTile(ThreadProgram &program, const ThreadAccess &access,
                      Value tile, ValueRange indices) {
  auto rows = access.memref.getDefiningOp<RowsOp>();
  ReductionAttr reduce = rows ? rows.getReduceAttr() : ReductionAttr();
  StoreOp::create(program.builder, program.loc, tile, access.memref, indices,
                  reduce, /*exclusive=*/false,
                  access.plan.byWarpgroups ? TransferScope::Warpgroup
                                           : TransferScope::CTA,
                  isInBounds(access.transfer),
                  /*by_threads=*/false, access.plan.swizzle,
                  EvictPriority::Normal, EngineAttr(), /*map=*/Value());
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

/// A value where the condition holds, and another one elsewhere. A condition of
/// null always holds.
static Value choose(ThreadProgram &program, Value condition, Type type,
                    function_ref<Value()> get, function_ref<Value()> getOther) {
  if (!condition)
    return get();
  OpBuilder &builder = program.builder;
  auto branch = scf::IfOp::create(builder, program.loc, type, condition,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(builder, program.loc, get());
  builder.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(builder, program.loc, getOther());
  return branch.getResult(0);
}

VectorReader::VectorReader(ThreadProgram &program, ThreadAccess ofThread,
                           Value padding)
    : program(program), access(std::move(ofThread)), padding(padding) {
  if (access.plan.isTransfer)
    loadBox(program, access, padding);
  runs = std::make_unique<RunAccess>(program, access);
}

VectorReader::~VectorReader() = default;

Value VectorReader::readRun(int64_t first, Value offset, unsigned dim) {
  OpBuilder &builder = program.builder;
  int64_t run = runs->getRun();
  Type element = padding.getType();
  auto runType = VectorType::get({run}, element);
  auto oneType = VectorType::get({1}, element);
  auto pad = [&](VectorType type) -> Value {
    return vector::BroadcastOp::create(builder, program.loc, type, padding);
  };
  auto read = [&](VectorType type, ValueRange at) {
    return program.load(type, runs->getMemRef(), at, access.plan.isReadOnce);
  };
  if (access.plan.isShifted)
    return runs->getShiftedRuns().read(runs->getShiftedRun(first, offset, dim),
                                       padding);
  SmallVector<Value> place = runs->getPlace(first, offset, dim);
  auto readElements = [&] {
    Value elements = pad(runType);
    Value exists = runs->exists(first, place);
    for (int64_t i = 0; i < run; ++i) {
      Value isOpen = runs->isOpenElement(exists, first + i);
      Value one = choose(
          program, isOpen, oneType,
          [&] { return read(oneType, runs->getElement(place, i)); },
          [&] { return pad(oneType); });
      elements = program.replace(elements, one, i);
    }
    return elements;
  };
  bool isDivisible = access.mask && run != 1;
  return choose(
      program, runs->isOpen(first, place), runType,
      [&] { return read(runType, place); },
      [&] { return isDivisible ? readElements() : pad(runType); });
}

Value VectorReader::join(int64_t first, int64_t count,
                         function_ref<Value(int64_t number)> readOne) {
  auto type = VectorType::get({count}, padding.getType());
  Value result =
      vector::BroadcastOp::create(program.builder, program.loc, type, padding);
  int64_t run = runs->getRun();
  for (int64_t number = 0; number < count; number += run)
    result = program.replace(result, readOne(first + number), number);
  return result;
}

Value VectorReader::readShifted(int64_t first, int64_t count) {
  SmallVector<ShiftedRuns::Run> shifted;
  for (int64_t number = 0; number < count; number += getRun())
    shifted.push_back(runs->getShiftedRun(first + number));
  return runs->getShiftedRuns().read(shifted, padding);
}

Value VectorReader::readAll() {
  if (access.plan.isShifted)
    return readShifted(0, countRegisters(access.plan.layout));
  return join(0, countRegisters(access.plan.layout),
              [&](int64_t number) { return readRun(number); });
}

static constexpr int64_t kWordBits = 32;

static int64_t countBits(Type element) {
  return element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
}

/// 1 where runs aren't whole words.
int64_t VectorReader::countElementsOfWord() const {
  int64_t bits = countBits(padding.getType());
  bool areWhole = kWordBits % bits == 0 && (getRun() * bits) % kWordBits == 0;
  return areWhole ? kWordBits / bits : 1;
}

int64_t VectorReader::countBitsAhead() const {
  return std::max(kWordBits / countElementsOfWord(),
                  countBits(padding.getType()));
}

Value VectorReader::readWords(int64_t first, int64_t count) {
  OpBuilder &builder = program.builder;
  int64_t run = getRun(), ofWord = countElementsOfWord();
  if (ofWord == 1)
    return join(first, count, [&](int64_t number) { return readRun(number); });
  auto ofRun = VectorType::get({run}, padding.getType());
  auto words = VectorType::get({run / ofWord}, builder.getI32Type());
  if (access.plan.isShifted)
    return vector::BitCastOp::create(
        builder, program.loc,
        VectorType::get({count / ofWord}, builder.getI32Type()),
        readShifted(first, count));
  Value result = program.constant(
      VectorType::get({count / ofWord}, words.getElementType()),
      builder.getI32IntegerAttr(0));
  for (int64_t number = 0; number < count; number += run) {
    SmallVector<Value> place = runs->getPlace(first + number);
    auto get = [&](Value elements) {
      return vector::BitCastOp::create(builder, program.loc, words, elements);
    };
    Value own = choose(
        program, runs->isOpen(first + number, place), words,
        [&] {
          return get(program.load(ofRun, runs->getMemRef(), place,
                                  access.plan.isReadOnce));
        },
        [&] {
          return get(vector::BroadcastOp::create(builder, program.loc, ofRun,
                                                 padding));
        });
    result = program.replace(result, own, number / ofWord);
  }
  return result;
}

Value VectorReader::getElements(Value words) {
  int64_t ofWord = countElementsOfWord();
  if (ofWord == 1)
    return words;
  auto type = VectorType::get(
      {cast<VectorType>(words.getType()).getNumElements() * ofWord},
      padding.getType());
  return vector::BitCastOp::create(program.builder, program.loc, type, words);
}

Value VectorReader::readRuns(ArrayRef<int64_t> firsts, Value offset,
                             unsigned dim) {
  return join(0, int64_t(firsts.size()) * getRun(), [&](int64_t number) {
    return readRun(firsts[number / getRun()], offset, dim);
  });
}

int64_t VectorReader::getRun() const { return runs->getRun(); }

Value VectorReader::readPiece(int64_t first, int64_t count) {
  if (access.plan.isShifted)
    return readShifted(first, count);
  if (!isWhole)
    isWhole = runs->isWhole();
  auto readWhole = [&] {
    auto type = VectorType::get({runs->getRun()}, padding.getType());
    return join(first, count, [&](int64_t number) {
      return program.load(type, runs->getMemRef(), runs->getPlace(number),
                          access.plan.isReadOnce);
    });
  };
  auto readWhatExists = [&] {
    return join(first, count, [&](int64_t number) { return readRun(number); });
  };
  if (!*isWhole)
    return readWhatExists();
  return choose(program, *isWhole, VectorType::get({count}, padding.getType()),
                readWhole, readWhatExists);
}

int64_t carousel::countRegistersOfPiece(const AccessPlan &write) {
  return std::min(countRegisters(write.layout) / write.parts,
                  std::max(write.run, kRegistersOfPiece));
}

void carousel::writeVector(ThreadProgram &program, const ThreadAccess &access,
                           RegisterGetter getRegisters) {
  RunAccess runs(program, access);
  int64_t run = runs.getRun();
  OpBuilder &builder = program.builder;
  auto select = [&](Value registers, int64_t first, int64_t count) {
    SmallVector<int64_t> own(count);
    std::iota(own.begin(), own.end(), first);
    return program.select(registers, own);
  };
  auto writeRun = [&](int64_t number, Value registers) {
    if (access.plan.isShifted)
      return runs.writeShifted(number, registers);
    SmallVector<Value> place = runs.getPlace(number);
    auto write = [&] { program.store(registers, runs.getMemRef(), place); };
    Value isOpen = runs.isOpen(number, place);
    if (!access.mask || run == 1)
      return program.runIf(isOpen, write);
    auto branch = scf::IfOp::create(builder, program.loc, isOpen,
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    write();
    builder.setInsertionPointToStart(branch.elseBlock());
    Value exists = runs.exists(number, place);
    for (int64_t i = 0; i < run; ++i)
      program.runIf(runs.isOpenElement(exists, number + i), [&] {
        program.store(select(registers, i, 1), runs.getMemRef(),
                      runs.getElement(place, i));
      });
  };
  auto writePiece = [&](int64_t first, Value registers, Value isWhole) {
    int64_t count = cast<VectorType>(registers.getType()).getNumElements();
    auto writeWhatExists = [&] {
      for (int64_t number = 0; number < count; number += run)
        writeRun(first + number, select(registers, number, run));
    };
    if (!isWhole)
      return writeWhatExists();
    auto branch = scf::IfOp::create(builder, program.loc, isWhole,
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    for (int64_t number = 0; number < count; number += run)
      program.store(select(registers, number, run), runs.getMemRef(),
                    runs.getPlace(first + number));
    builder.setInsertionPointToStart(branch.elseBlock());
    writeWhatExists();
  };
  int64_t count = runs.countRegistersOfPart();
  for (int64_t part = 0; part < access.plan.parts; ++part) {
    program.runIf(program.isFirstCopy(access.plan.layout), [&] {
      Value isWhole = runs.isWhole();
      int64_t piece = countRegistersOfPiece(access.plan);
      for (int64_t first = part * count; first < (part + 1) * count;
           first += piece)
        writePiece(first, getRegisters(first, piece), isWhole);
      if (access.plan.isShifted)
        runs.getShiftedRuns().finishWrites();
    });
    if (access.plan.isTransfer)
      storeTile(program, access, runs.getBox(), runs.getTileIndices(part));
  }
}
