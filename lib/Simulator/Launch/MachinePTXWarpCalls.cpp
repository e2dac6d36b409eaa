//===- MachinePTXWarpCalls.cpp - what lanes of PTX do together --*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The calls of MachinePTXCalls.cpp by which the lanes of a mask, the threads of
// a barrier or those of a warpgroup give each other values.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include "../PTX/Matrices/MmaForm.h"
#include "../PTX/Matrices/WmmaForm.h"

#include "llvm/ADT/bit.h"

#include <cstring>

using namespace carousel::sim;

static constexpr uint32_t kLanes = 32;

namespace {
/// What a lane gives to a product: the form, and its fragments.
struct ProductLane {
  llvm::ArrayRef<uint64_t> form;
  char *words;
};
struct Waiting : TracedCall {
  Waiting(Machine &machine, llvm::StringRef what)
      : TracedCall(machine, CallKind::Waits, what) {}
};
} // namespace

static Machine &enter(uint32_t site) {
  Machine &machine = Machine::current();
  machine.enter(site);
  return machine;
}

/// What the lanes of the mask give. An empty mask isn't one.
static std::array<uint64_t, kLanes> exchange(Machine &machine,
                                             llvm::StringRef kind,
                                             uint32_t mask, uint64_t value) {
  Waiting waiting(machine, kind);
  if (mask == 0) {
    machine.report(FindingKind::BarrierDivergence,
                   ("expected the mask of a '" + kind +
                    "' to have the lane itself, found an empty one")
                       .str());
    mask = 1u << machine.grid.current().lane();
  }
  return machine.grid.exchange(kind, mask, value);
}

/// The lanes of the mask that the warp has.
static uint32_t getLanes(Machine &machine, uint32_t mask) {
  const Thread &thread = machine.grid.current();
  uint64_t threads = machine.grid.getShape().block.count();
  uint64_t left = threads - thread.index / kLanes * kLanes;
  return left >= kLanes ? mask : mask & ((1u << left) - 1);
}

extern "C" {

static uint32_t carousel_sim_ptx_lane_mask(int32_t kind, uint32_t) {
  uint32_t own = 1u << Machine::current().grid.current().lane();
  uint32_t below = own - 1;
  switch (kind) {
  case 0:
    return own;
  case 1:
    return below;
  case 2:
    return below | own;
  case 3:
    return ~(below | own);
  default:
    return ~below;
  }
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// This follows the ISA's text of shfl.sync: `c` has the clamp and the mask of
/// segments.
static uint64_t carousel_sim_ptx_shuffle(uint32_t value, uint32_t b, uint32_t c,
                                         uint32_t mask, int32_t mode,
                                         uint32_t site) {
  Machine &machine = enter(site);
  auto values = exchange(machine, "shfl.sync", mask, value);
  auto lane = int32_t(machine.grid.current().lane());
  int32_t by = b & 31, clamp = c & 31, segments = c >> 8 & 31;
  int32_t highest = (lane & segments) | (clamp & ~segments);
  int32_t lowest = lane & segments;
  int32_t from = 0;
  bool isInRange = false;
  switch (mode) {
  case 0: // up
    from = lane - by;
    isInRange = from >= highest;
    break;
  case 1: // down
    from = lane + by;
    isInRange = from <= highest;
    break;
  case 2: // bfly
    from = lane ^ by;
    isInRange = from <= highest;
    break;
  default: // idx
    from = lowest | (by & ~segments);
    isInRange = from <= highest;
  }
  if (!isInRange)
    from = lane;
  if (!(getLanes(machine, mask) >> from & 1) && from != lane)
    machine.report(FindingKind::InvalidOperand,
                   "expected the source lane of a 'shfl.sync' to be one of its "
                   "mask, got lane " +
                       std::to_string(from));
  return uint64_t(isInRange) << 32 | uint32_t(values[from]);
}

static uint32_t carousel_sim_ptx_vote(int32_t holds, uint32_t mask,
                                      int32_t mode, uint32_t site) {
  Machine &machine = enter(site);
  auto values = exchange(machine, "vote.sync", mask, holds & 1);
  uint32_t lanes = getLanes(machine, mask), ballot = 0;
  for (uint32_t lane = 0; lane < kLanes; ++lane)
    ballot |= uint32_t(values[lane]) << lane;
  ballot &= lanes;
  switch (mode) {
  case 0:
    return ballot == lanes;
  case 1:
    return ballot != 0;
  case 2:
    return ballot == 0 || ballot == lanes;
  default:
    return ballot;
  }
}

static uint32_t carousel_sim_ptx_match(uint64_t value, uint32_t mask,
                                       int32_t isAny, uint32_t site) {
  Machine &machine = enter(site);
  auto values = exchange(machine, "match.sync", mask, value);
  uint32_t lanes = getLanes(machine, mask), equal = 0;
  for (uint32_t lane = 0; lane < kLanes; ++lane)
    equal |= uint32_t(values[lane] == value) << lane;
  equal &= lanes;
  return isAny || equal == lanes ? equal : 0;
}

static uint32_t carousel_sim_ptx_redux(uint32_t value, uint32_t mask,
                                       int32_t kind, int32_t isSigned,
                                       uint32_t site) {
  Machine &machine = enter(site);
  auto values = exchange(machine, "redux.sync", mask, value);
  uint32_t lanes = getLanes(machine, mask), result = value;
  auto isLess = [&](uint32_t a, uint32_t b) {
    return isSigned ? int32_t(a) < int32_t(b) : a < b;
  };
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    auto other = uint32_t(values[lane]);
    if (!(lanes >> lane & 1) || lane == machine.grid.current().lane())
      continue;
    switch (kind) {
    case 0:
      result += other;
      break;
    case 1:
      result = isLess(other, result) ? other : result;
      break;
    case 2:
      result = isLess(result, other) ? other : result;
      break;
    case 3:
      result &= other;
      break;
    case 4:
      result |= other;
      break;
    default:
      result ^= other;
    }
  }
  return result;
}

static uint64_t carousel_sim_ptx_elect(uint32_t mask, uint32_t site) {
  Machine &machine = enter(site);
  bool isLeader = false;
  {
    Waiting waiting(machine, "elect");
    isLeader = machine.grid.elect(mask);
  }
  auto values = exchange(machine, "elect", mask, isLeader);
  uint32_t leader = 0;
  for (uint32_t lane = 0; lane < kLanes; ++lane)
    if (values[lane])
      leader = lane;
  return uint64_t(isLeader) << 32 | leader;
}

/// A barrier whose threads also learn how many predicates held, or whether all
/// or any did.
static uint32_t carousel_sim_ptx_barrier_reduce(uint32_t name, uint32_t threads,
                                                int32_t holds, int32_t mode,
                                                uint32_t site) {
  Machine &machine = enter(site);
  Waiting waiting(machine, name == 0 ? "CTA barrier" : "named barrier");
  std::shared_ptr<BarrierVotes> &open = machine.getVotes(name);
  if (!open)
    open = std::make_shared<BarrierVotes>();
  std::shared_ptr<BarrierVotes> votes = open;
  votes->holds += holds & 1;
  ++votes->threads;
  machine.grid.barrierSync(name, threads);
  // All have voted; the first thread that goes on makes room for the next vote.
  std::shared_ptr<BarrierVotes> &now = machine.getVotes(name);
  if (now == votes)
    now.reset();
  switch (mode) {
  case 0:
    return votes->holds;
  case 1:
    return votes->holds == votes->threads;
  default:
    return votes->holds != 0;
  }
}

//===----------------------------------------------------------------------===//
// Matrices
//===----------------------------------------------------------------------===//

static constexpr uint32_t kRowBytes = 16, kMatrixRows = 8, kGroup = 4;

/// The addresses of the rows, by lane.
static std::array<uint64_t, kLanes> gatherRows(Machine &machine,
                                               llvm::StringRef kind, char *row,
                                               uint32_t matrices) {
  const Thread &thread = machine.grid.current();
  if (thread.lane() < matrices * kMatrixRows &&
      reinterpret_cast<uint64_t>(row) % kRowBytes != 0)
    machine.report(FindingKind::InvalidOperand,
                   ("expected rows of a '" + kind +
                    "' at multiples of 16 bytes, got one that isn't")
                       .str());
  return exchange(machine, kind, ~0u, reinterpret_cast<uint64_t>(row));
}

static char *getRow(const std::array<uint64_t, kLanes> &rows, uint32_t lane) {
  return reinterpret_cast<char *>(rows[lane]);
}

static void carousel_sim_ptx_ldmatrix(char *row, uint32_t matrices,
                                      int32_t isTransposed, uint32_t *words,
                                      uint32_t site) {
  Machine &machine = enter(site);
  auto rows = gatherRows(machine, "ldmatrix", row, matrices);
  uint32_t lane = machine.grid.current().lane();
  uint32_t group = lane / kGroup, member = lane % kGroup;
  auto read = [&](const char *from, uint64_t bytes, void *to) {
    std::memcpy(to,
                machine.accessAnywhere(const_cast<char *>(from), bytes,
                                       AccessKind::Read, site),
                bytes);
  };
  for (uint32_t matrix = 0; matrix < matrices; ++matrix) {
    uint32_t first = matrix * kMatrixRows;
    if (!isTransposed) {
      read(getRow(rows, first + group) + member * 4, 4, words + matrix);
      continue;
    }
    uint16_t halves[2];
    for (uint32_t i = 0; i < 2; ++i)
      read(getRow(rows, first + 2 * member + i) + group * 2, 2, &halves[i]);
    words[matrix] = uint32_t(halves[1]) << 16 | halves[0];
  }
}

static void carousel_sim_ptx_stmatrix(char *row, uint32_t matrices,
                                      int32_t isTransposed,
                                      const uint32_t *words, uint32_t site) {
  Machine &machine = enter(site);
  auto rows = gatherRows(machine, "stmatrix", row, matrices);
  uint32_t lane = machine.grid.current().lane();
  uint32_t group = lane / kGroup, member = lane % kGroup;
  auto write = [&](char *to, uint64_t bytes, const void *from) {
    std::memcpy(machine.accessAnywhere(to, bytes, AccessKind::Write, site),
                from, bytes);
  };
  for (uint32_t matrix = 0; matrix < matrices; ++matrix) {
    uint32_t first = matrix * kMatrixRows;
    if (!isTransposed) {
      write(getRow(rows, first + group) + member * 4, 4, words + matrix);
      continue;
    }
    for (uint32_t i = 0; i < 2; ++i) {
      auto half = uint16_t(words[matrix] >> (16 * i));
      write(getRow(rows, first + 2 * member + i) + group * 2, 2, &half);
    }
  }
}

static uint32_t carousel_sim_ptx_movmatrix(uint32_t word, uint32_t site) {
  Machine &machine = enter(site);
  auto words = exchange(machine, "movmatrix", ~0u, word);
  uint32_t lane = machine.grid.current().lane();
  uint32_t group = lane / kGroup, member = lane % kGroup, result = 0;
  // Element (row, column) is in the lane 4 * row + column / 2.
  for (uint32_t i = 0; i < 2; ++i) {
    uint32_t row = 2 * member + i, column = group;
    auto from = uint32_t(words[row * kGroup + column / 2]);
    result |= (from >> (column % 2 * 16) & 0xffff) << (16 * i);
  }
  return result;
}

} // extern "C"

/// The last lane that arrives computes the results of all. `form` is that of
/// the lane; all lanes of a warp must have the same.
static void
multiplyTogether(Machine &machine, const char *what,
                 llvm::ArrayRef<uint64_t> form, char *words,
                 llvm::function_ref<void(llvm::ArrayRef<char *>)> multiply) {
  Waiting waiting(machine, what);
  uint32_t first = machine.grid.current().index / kLanes * kLanes;
  ProductLane own = {form, words};
  machine.grid.gather(
      what, first, kLanes, reinterpret_cast<uint64_t>(&own),
      [&](llvm::ArrayRef<uint64_t> values) {
        std::array<char *, kLanes> lanes;
        for (uint32_t lane = 0; lane < kLanes; ++lane) {
          const auto &other =
              *reinterpret_cast<const ProductLane *>(values[lane]);
          lanes[lane] = other.words;
          if (other.form == form)
            continue;
          machine.report(FindingKind::BarrierDivergence,
                         "expected the lanes of a warp to execute the same '" +
                             std::string(what) +
                             "', found another form in lane " +
                             std::to_string(lane));
          machine.grid.abort();
        }
        multiply(lanes);
      });
}

/// Each element of a lane's fragment is an access of its own.
static void moveFragment(char *base, uint32_t stride, uint64_t bits,
                         char *words, bool isStore, uint32_t site) {
  Machine &machine = enter(site);
  WmmaFragment fragment = WmmaFragment::decode(bits);
  exchange(machine, "wmma", ~0u, 0);
  uint32_t lane = machine.grid.current().lane();
  uint64_t bytes = fragment.elementBits / 8;
  for (unsigned i = 0; i < fragment.getElements(); ++i) {
    char *at =
        base +
        fragment.getDistance(fragment.getNumber(lane, i), stride) * bytes;
    void *usable = machine.accessAnywhere(
        at, bytes, isStore ? AccessKind::Write : AccessKind::Read, site);
    if (isStore)
      std::memcpy(usable, words + i * bytes, bytes);
    else
      std::memcpy(words + i * bytes, usable, bytes);
  }
}

extern "C" {

static void carousel_sim_ptx_mma(uint64_t form, char *words, uint32_t site) {
  multiplyTogether(enter(site), "mma", form, words,
                   [&](llvm::ArrayRef<char *> lanes) {
                     multiplyWarp(MmaForm::decode(form), lanes);
                   });
}

static void carousel_sim_ptx_wmma_load(char *base, uint32_t stride,
                                       uint64_t fragment, char *words,
                                       uint32_t site) {
  moveFragment(base, stride, fragment, words, /*isStore=*/false, site);
}

static void carousel_sim_ptx_wmma_store(char *base, uint32_t stride,
                                        uint64_t fragment, char *words,
                                        uint32_t site) {
  moveFragment(base, stride, fragment, words, /*isStore=*/true, site);
}

static void carousel_sim_ptx_wmma(uint64_t types, uint64_t left, uint64_t right,
                                  uint64_t sums, uint64_t result, char *words,
                                  uint32_t site) {
  WmmaForm form;
  form.decodeTypes(types);
  form.left = WmmaFragment::decode(left);
  form.right = WmmaFragment::decode(right);
  form.sums = WmmaFragment::decode(sums);
  form.result = WmmaFragment::decode(result);
  multiplyTogether(
      enter(site), "wmma", {types, left, right, sums, result}, words,
      [&](llvm::ArrayRef<char *> lanes) { multiplyWarp(form, lanes); });
}

static uint32_t carousel_sim_ptx_wgmma(uint64_t form, uint64_t a, uint64_t b,
                                       const char *factors, char *sums,
                                       int32_t accumulates, uint32_t site) {
  Machine &machine = enter(site);
  Waiting waiting(machine, "wgmma");
  return machine.async.products.multiplyInPlace(ProductForm::decode(form), a, b,
                                                factors, sums, accumulates & 1);
}

static void carousel_sim_ptx_check_sums(uint32_t group, uint32_t site) {
  if (group != 0)
    enter(site).async.products.checkSums(group);
}
static void carousel_sim_ptx_check_factors(uint32_t group, uint32_t site) {
  if (group != 0)
    enter(site).async.products.checkFactors(group);
}

} // extern "C"

llvm::ArrayRef<HostSymbol> carousel::sim::getMachinePTXWarpSymbols() {
#define CAROUSEL_SYMBOL(Name)                                                  \
  {                                                                            \
    #Name, (void *)&Name                                                       \
  }
  static const HostSymbol kSymbols[] = {
      CAROUSEL_SYMBOL(carousel_sim_ptx_lane_mask),
      CAROUSEL_SYMBOL(carousel_sim_ptx_shuffle),
      CAROUSEL_SYMBOL(carousel_sim_ptx_vote),
      CAROUSEL_SYMBOL(carousel_sim_ptx_match),
      CAROUSEL_SYMBOL(carousel_sim_ptx_redux),
      CAROUSEL_SYMBOL(carousel_sim_ptx_elect),
      CAROUSEL_SYMBOL(carousel_sim_ptx_barrier_reduce),
      CAROUSEL_SYMBOL(carousel_sim_ptx_ldmatrix),
      CAROUSEL_SYMBOL(carousel_sim_ptx_stmatrix),
      CAROUSEL_SYMBOL(carousel_sim_ptx_movmatrix),
      CAROUSEL_SYMBOL(carousel_sim_ptx_mma),
      CAROUSEL_SYMBOL(carousel_sim_ptx_wmma_load),
      CAROUSEL_SYMBOL(carousel_sim_ptx_wmma_store),
      CAROUSEL_SYMBOL(carousel_sim_ptx_wmma),
      CAROUSEL_SYMBOL(carousel_sim_ptx_wgmma),
      CAROUSEL_SYMBOL(carousel_sim_ptx_check_sums),
      CAROUSEL_SYMBOL(carousel_sim_ptx_check_factors)};
#undef CAROUSEL_SYMBOL
  return kSymbols;
}
