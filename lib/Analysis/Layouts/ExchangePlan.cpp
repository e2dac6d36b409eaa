//===- ExchangePlan.cpp - vectors through shared memory -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ExchangePlan.h. The lowest bits of an address count the elements of an
// access, the next ones select the bank, and the rest the row of banks. Lanes
// conflict if they differ in the row only. So the bits of the row are such that
// no difference of two lanes, of those that write or those that read together,
// is made of them alone: bits that no lane has, and exclusive ors of one bit of
// the writing and one of the reading lanes.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Layouts/ExchangePlan.h"

#include "carousel/Analysis/Layouts/BankConflicts.h"
#include "carousel/Analysis/Layouts/LayoutRules.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <tuple>

using namespace carousel;

static constexpr int64_t kMostBytes = 16, kRowBytes = 128, kLaneBits = 5;

namespace {

/// Sets of coordinates' bits, closed under exclusive or.
class Span {
public:
  /// False if it has the vector already.
  bool add(uint32_t vector) {
    vector = reduce(vector);
    if (vector == 0)
      return false;
    reduced.push_back(vector);
    return true;
  }
  void addAll(llvm::ArrayRef<uint32_t> vectors) {
    for (uint32_t vector : vectors)
      add(vector);
  }
  bool contains(uint32_t vector) const { return reduce(vector) == 0; }

private:
  /// Each has a highest bit that later ones lack.
  uint32_t reduce(uint32_t vector) const {
    for (uint32_t other : reduced)
      vector = std::min(vector, vector ^ other);
    return vector;
  }

  llvm::SmallVector<uint32_t> reduced;
};

using Vectors = llvm::SmallVector<uint32_t>;

/// A layout of one dimension: coordinates as one number.
class Side {
public:
  Side(const LinearLayout &layout, int64_t elementBytes)
      : registers(getBases(layout, Place::Register)),
        lanes(getBases(layout, Place::Lane)), elementBytes(elementBytes) {}

  /// The vectors of the lanes that access banks together, with accesses of so
  /// many bits of elements.
  Vectors getLanesTogether(unsigned runBits) const {
    int64_t bytes = elementBytes << runBits;
    size_t bits = kLaneBits;
    for (; bytes > 4; bytes /= 2)
      --bits;
    return Vectors(llvm::ArrayRef<uint32_t>(lanes).take_front(
        std::min(bits, lanes.size())));
  }

  Vectors registers, lanes;

private:
  static Vectors getBases(const LinearLayout &layout, Place place) {
    Vectors bases;
    for (const auto &basis : layout.getBases(place))
      bases.push_back(basis[0]);
    return bases;
  }

  int64_t elementBytes;
};

/// Chooses the coordinates that the bits of an address select.
class AddressBits {
public:
  AddressBits(unsigned count, const Side &writer, const Side &reader,
              int64_t elementBytes)
      : count(count), writer(writer), reader(reader),
        elementBytes(elementBytes) {}

  /// `run`: the lowest bits; `writeRun` and `readRun` of them are bits of a
  /// thread's registers.
  Vectors choose(const Vectors &run, unsigned writeRun, unsigned readRun) {
    Vectors written = writer.getLanesTogether(writeRun);
    Vectors read = reader.getLanesTogether(readRun);
    Vectors rows = chooseRows(run, written, read);
    Span used;
    used.addAll(run);
    used.addAll(rows);
    // The rest selects the bank.
    Vectors bits = run;
    for (const Vectors &preferred : {written, read, allBits()})
      for (uint32_t vector : preferred)
        if (used.add(vector))
          bits.push_back(vector);
    bits.append(rows);
    return bits;
  }

private:
  Vectors allBits() const {
    Vectors bits;
    for (unsigned bit = 0; bit < count; ++bit)
      bits.push_back(1u << bit);
    return bits;
  }

  Vectors chooseRows(const Vectors &run, const Vectors &written,
                     const Vectors &read) {
    unsigned ofRow = 0;
    while (elementBytes << (ofRow + 1) <= kRowBytes)
      ++ofRow;
    size_t wanted = count > ofRow ? count - ofRow : 0;
    Vectors rows;
    Span all;
    all.addAll(run);
    Vectors ownWritten = getOwn(run, read, written);
    Vectors ownRead = getOwn(run, written, read);
    all.addAll(written);
    all.addAll(read);
    auto add = [&](uint32_t vector) {
      if (rows.size() < wanted)
        rows.push_back(vector);
    };
    for (uint32_t vector : allBits())
      if (all.add(vector))
        add(vector);
    size_t pairs = std::min(ownWritten.size(), ownRead.size());
    for (size_t pair = 0; pair < pairs; ++pair)
      add(ownWritten[pair] ^ ownRead[pair]);
    // The rest has conflicts.
    Span used;
    used.addAll(run);
    used.addAll(rows);
    for (uint32_t vector : allBits())
      if (rows.size() < wanted && used.add(vector))
        rows.push_back(vector);
    return rows;
  }

  /// Lanes of one side that are neither in the run nor of the other side.
  static Vectors getOwn(const Vectors &run, const Vectors &other,
                        const Vectors &lanes) {
    Span span;
    span.addAll(run);
    span.addAll(other);
    Vectors own;
    for (uint32_t vector : lanes)
      if (span.add(vector))
        own.push_back(vector);
    return own;
  }

  unsigned count;
  const Side &writer, &reader;
  int64_t elementBytes;
};

} // namespace

/// The bits of registers in `first` that `second` has, too, in the order of
/// `first`; then further ones of `first`, up to `most`.
static Vectors chooseRun(const Vectors &first, const Vectors &second,
                         bool onlyCommon, unsigned most, unsigned &ofSecond) {
  Vectors run;
  Span ofOther, used;
  ofOther.addAll(second);
  for (uint32_t vector : first)
    if (run.size() < most && ofOther.contains(vector) && used.add(vector))
      run.push_back(vector);
  ofSecond = run.size();
  for (uint32_t vector : first)
    if (!onlyCommon && run.size() < most && used.add(vector))
      run.push_back(vector);
  return run;
}

/// The layout's places by address: the address bit of each basis.
static LinearLayout toAddresses(const LinearLayout &flat, const Vectors &bits) {
  LinearLayout memory(flat.getExtentBits());
  for (uint32_t vector : bits)
    memory.addBasis(Place::Register, {vector});
  return flat.mapBases(flat.getExtentBits(), [&](auto coordinates) {
    return llvm::SmallVector<uint32_t>{(*memory.find(coordinates))[0]};
  });
}

/// The register numbers in the order of their addresses, run by run.
static LinearLayout sortRegisters(const LinearLayout &addresses,
                                  llvm::SmallVector<int64_t> &registers) {
  LinearLayout sorted = withRunsFirst(addresses, 0);
  for (uint32_t number = 0; number < 1u << sorted.getNumBits(Place::Register);
       ++number)
    registers.push_back(
        *addresses.findRegister(sorted.apply({number, 0, 0, 0})));
  return sorted;
}

static int64_t countAccesses(const LinearLayout &layout, int64_t run) {
  return (int64_t(1) << layout.getNumBits(Place::Register)) / run;
}

ExchangePlan ExchangePlan::compute(const LinearLayout &from,
                                   const LinearLayout &to, int64_t elementBytes,
                                   uint32_t notInRuns) {
  unsigned count = 0;
  for (unsigned bits : from.getExtentBits())
    count += bits;
  LinearLayout flatFrom = getReshaped(from, {count});
  LinearLayout flatTo = getReshaped(to, {count});
  Side writer(flatFrom, elementBytes), reader(flatTo, elementBytes);
  unsigned most = 0;
  while (elementBytes << (most + 1) <= kMostBytes)
    ++most;
  for (Side *side : {&writer, &reader})
    llvm::erase_if(side->registers,
                   [&](uint32_t vector) { return (vector & notInRuns) != 0; });

  std::optional<ExchangePlan> best;
  auto consider = [&](const Vectors &run, unsigned writeRun, unsigned readRun) {
    Vectors bits = AddressBits(count, writer, reader, elementBytes)
                       .choose(run, writeRun, readRun);
    ExchangePlan plan{toAddresses(flatFrom, bits),
                      toAddresses(flatTo, bits),
                      {},
                      {},
                      int64_t(1) << count,
                      int64_t(1) << writeRun,
                      int64_t(1) << readRun,
                      0};
    plan.writer = sortRegisters(plan.writer, plan.writerRegisters);
    plan.reader = sortRegisters(plan.reader, plan.readerRegisters);
    // Lanes whose elements have bits of the run would access it unaligned.
    plan.writeRun =
        std::min<int64_t>(plan.writeRun, plan.writer.getContiguous(0));
    plan.readRun =
        std::min<int64_t>(plan.readRun, plan.reader.getContiguous(0));
    auto countConflicts = [&](const LinearLayout &side, int64_t accessRun,
                              bool onlyFirstCopies) {
      return countAccesses(side, accessRun) *
             countBankConflicts(side, accessRun * elementBytes, onlyFirstCopies,
                                [&](llvm::ArrayRef<uint32_t> at) {
                                  return at[0] * elementBytes;
                                });
    };
    plan.conflicts = countConflicts(plan.writer, plan.writeRun, true) +
                     countConflicts(plan.reader, plan.readRun, false);
    auto rank = [](const ExchangePlan &plan) {
      return plan.conflicts + countAccesses(plan.writer, plan.writeRun) +
             countAccesses(plan.reader, plan.readRun);
    };
    if (!best || rank(plan) < rank(*best))
      best = plan;
  };
  for (bool onlyCommon : {true, false}) {
    unsigned common = 0;
    Vectors run =
        chooseRun(writer.registers, reader.registers, onlyCommon, most, common);
    consider(run, run.size(), common);
    run =
        chooseRun(reader.registers, writer.registers, onlyCommon, most, common);
    consider(run, common, run.size());
  }
  return *best;
}
