//===- Repetition.cpp - states of a way that come again -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Epochs and operations are numbered by their order, as only that is compared.
// Registers that no line reads any more are left out.
//
//===----------------------------------------------------------------------===//

#include "Repetition.h"

#include "KernelRun.h"

#include "llvm/ADT/Twine.h"

#include <functional>

using namespace carousel;
using namespace carousel::proof;
using llvm::BitVector;

std::optional<std::vector<Linear>>
LoopState::findGrowth(const LoopState &earlier) const {
  if (exact != earlier.exact || numbers.size() != earlier.numbers.size())
    return std::nullopt;
  std::vector<Linear> growth(numbers);
  for (auto [own, before] : llvm::zip(growth, earlier.numbers))
    own = own.plus(before, -1);
  // Steps of launches are few: sums that differ otherwise don't grow.
  constexpr size_t kMostTerms = 2;
  std::set<TermId> terms;
  for (const Linear &own : growth)
    for (auto [term, factor] : own.terms)
      terms.insert(term);
  if (terms.size() > kMostTerms)
    return std::nullopt;
  return growth;
}

bool LoopHead::isRepeatedBy(const LoopState &state) const {
  return state.findGrowth(*repeated) == growth &&
         state.assumptions.imply(repeated->assumptions, *repetition);
}

//===----------------------------------------------------------------------===//
// Description of a state
//===----------------------------------------------------------------------===//

class KernelRun::StateWriter {
public:
  explicit StateWriter(KernelRun &run)
      : run(run), state{{}, {}, run.assumptions}, epochs(run.classes.size()) {
    run.words.forEachAccess([&](uint64_t, const Access &access) {
      if (access.isAsync)
        live.push_back(access.owner);
    });
    for (const Class &own : run.classes)
      for (const Groups &groups : own.groups) {
        llvm::append_range(live, groups.open);
        for (const Group &group : groups.committed)
          llvm::append_range(live, group);
      }
    llvm::sort(live);
    live.erase(std::unique(live.begin(), live.end()), live.end());
  }

  LoopState write() {
    // The epochs that there are, and then their order.
    writeAll();
    for (std::vector<uint32_t> &own : epochs) {
      llvm::sort(own);
      own.erase(std::unique(own.begin(), own.end()), own.end());
    }
    isOrdered = true;
    state.exact.clear();
    state.numbers.clear();
    writeAll();
    return std::move(state);
  }

private:
  void put(int64_t number) { state.exact.push_back(number); }
  template <typename List> void putAll(const List &list) {
    put(int64_t(list.size()));
    for (auto number : list)
      put(int64_t(number));
  }
  void put(const BitVector &bits) {
    put(int64_t(bits.count()));
    for (unsigned number : bits.set_bits())
      put(number);
  }
  void putEpoch(unsigned owner, uint32_t epoch) {
    if (!isOrdered)
      return epochs[owner].push_back(epoch);
    put(llvm::lower_bound(epochs[owner], epoch) - epochs[owner].begin());
  }
  void putOperation(unsigned operation) {
    put(llvm::lower_bound(live, operation) - live.begin());
  }
  void put(const Knowledge &knowledge) {
    for (const Clock *clock : {&knowledge.known, &knowledge.proxied}) {
      for (unsigned owner = 0; owner < epochs.size(); ++owner)
        putEpoch(owner, clock->getEpoch(owner));
      for (unsigned operation : live)
        put(Clock::test(clock->done, operation));
    }
  }
  void put(const Linear &number) {
    put(int64_t(number.terms.size()));
    for (auto [term, factor] : number.terms) {
      put(term);
      put(factor);
    }
  }
  void putNumber(const Linear &number, const Lanes &lanes,
                 const BitVector &members) {
    int64_t first = lanes ? (*lanes)[members.find_first()] : 0;
    state.numbers.push_back(number.plus({first, {}}));
    for (unsigned thread : members.set_bits())
      put(lanes ? (*lanes)[thread] - first : 0);
  }
  void put(ConditionId id, const BitVector &members) {
    const Condition &condition = run.terms.getCondition(id);
    put(int64_t(condition.kind));
    switch (condition.kind) {
    case Condition::Kind::AtLeastZero:
    case Condition::Kind::Zero:
      return putNumber(condition.number, condition.lanes, members);
    case Condition::Kind::Unknown:
      return;
    default:
      put(condition.lhs, members);
      put(condition.rhs, members);
    }
  }
  void put(const Class &own) {
    put(own.members);
    put(own.pc);
    put(int64_t(own.state));
    bool waits = own.state == State::AtWait;
    put(waits ? int64_t(own.barrier) : 0);
    put(waits && own.parity);
    putAll(own.rendezvous);
    put(own.knowledge);
    putEpoch(own.number, own.epoch);
    put(int64_t(own.warpEpochs.size()));
    for (auto [owner, epoch] : own.warpEpochs) {
      put(owner);
      putEpoch(owner, epoch);
    }
    for (const Groups &groups : own.groups) {
      put(int64_t(groups.committed.size()));
      auto putGroup = [&](const Group &group) {
        put(int64_t(group.size()));
        llvm::for_each(group, [&](unsigned own) { putOperation(own); });
      };
      putGroup(groups.open);
      llvm::for_each(groups.committed, putGroup);
    }
    put(int64_t(own.seen.size()));
    for (auto [address, phases] : own.seen) {
      auto barrier = run.barriers.find(address);
      put(int64_t(address));
      put(barrier == run.barriers.end()
              ? -1
              : int64_t(barrier->second.phases - phases));
    }
    for (unsigned slot : run.code.findLive(own.pc).set_bits()) {
      const Value &value = own.registers[slot];
      put(int64_t(value.kind));
      if (value.isNumber())
        putNumber(value.number, value.lanes, own.members);
      else if (value.kind == Value::Kind::Condition)
        put(value.condition, own.members);
    }
  }
  void put(const Barrier &barrier) {
    put(int64_t(barrier.address));
    put(barrier.count);
    put(barrier.pending);
    put(barrier.bytes);
    put(barrier.bytes.constant);
    put(int64_t(barrier.phases & 1));
    put(barrier.arrived);
    put(barrier.complete);
    put(int64_t(barrier.waited.size()));
    for (const Barrier::Waited &waited : barrier.waited) {
      put(waited.owner);
      putEpoch(waited.owner, waited.epoch);
    }
  }
  void put(const Operation &operation) {
    put(operation.line);
    put(int64_t(operation.ends.size()));
    for (const Operation::End &end : operation.ends) {
      put(end.owner);
      putEpoch(end.owner, end.epoch);
      put(end.members);
      put(end.isOfRead);
    }
  }
  void writeAll() {
    // Lists have their lengths, so that no two states are written alike.
    put(int64_t(run.classes.size()));
    put(int64_t(run.barriers.size()));
    put(int64_t(run.named.size()));
    put(int64_t(live.size()));
    llvm::for_each(run.classes, [&](const Class &own) { put(own); });
    for (const auto &[address, barrier] : run.barriers)
      put(barrier);
    for (const auto &[name, meeting] : run.named) {
      put(name);
      put(meeting.arrived);
      put(meeting.wanted);
      put(meeting.arrivedWith);
      putAll(meeting.classes);
    }
    for (unsigned operation : live)
      put(run.operations[operation]);
    putWords();
  }
  void put(const Access &access) {
    put(access.thread);
    if (access.isAsync) {
      putOperation(access.owner);
    } else {
      put(access.owner);
      putEpoch(access.owner, access.epoch);
    }
    put(access.line);
    put(access.mask | access.isAsync << 8 | access.isAtomic << 9 |
        access.isWrite << 10 | access.isMaybe << 11 | access.isSame << 12);
  }
  /// Words that follow each other and are alike are written once.
  void putWords() {
    std::vector<int64_t> &exact = state.exact, last;
    size_t begin = exact.size();
    uint64_t current = 0, runBegin = 0, runEnd = 0;
    auto endRun = [&] {
      if (runBegin == runEnd)
        return;
      put(int64_t(runBegin));
      put(int64_t(runEnd));
      putAll(last);
      begin = exact.size();
    };
    auto endWord = [&] {
      std::vector<int64_t> own(exact.begin() + begin, exact.end());
      exact.resize(begin);
      if (own.empty())
        return;
      if (current != runEnd || own != last) {
        endRun();
        runBegin = current;
        last = std::move(own);
      }
      runEnd = current + 1;
    };
    run.words.forEachAccess([&](uint64_t word, const Access &access) {
      if (word != current)
        endWord();
      current = word;
      put(access);
    });
    endWord();
    endRun();
  }

  KernelRun &run;
  LoopState state;
  std::vector<unsigned> live; ///< operations
  std::vector<std::vector<uint32_t>> epochs;
  bool isOrdered = false;
};

/// Forgets operations whose bytes others have now. Bulk stores must have been
/// waited for.
void KernelRun::dropEnded() {
  std::set<unsigned> accessing;
  words.forEachAccess([&](uint64_t, const Access &access) {
    if (access.isAsync)
      accessing.insert(access.owner);
  });
  auto drop = [&](Group &group) {
    llvm::erase_if(group, [&](unsigned number) {
      const Operation &own = operations[number];
      return accessing.count(number) == 0 &&
             (!own.ends.empty() ||
              code.lines[own.line].kind != EventKind::BulkStore);
    });
  };
  for (Class &own : classes)
    for (Groups &groups : own.groups) {
      drop(groups.open);
      llvm::for_each(groups.committed, drop);
      // Waits end the first groups, whatever the number of these.
      while (!groups.committed.empty() && groups.committed.front().empty())
        groups.committed.pop_front();
    }
}

//===----------------------------------------------------------------------===//
// Repetition
//===----------------------------------------------------------------------===//

/// Adds `growth` of each number, in their order in a state, for each
/// repetition.
void KernelRun::grow(llvm::ArrayRef<Linear> growth,
                     const Repetition &repetition) {
  size_t next = 0;
  auto grown = [&](const Linear &number) {
    return repetition.grow(number, growth[next++]);
  };
  std::function<ConditionId(ConditionId)> growCondition =
      [&](ConditionId id) -> ConditionId {
    Condition condition = terms.getCondition(id);
    switch (condition.kind) {
    case Condition::Kind::AtLeastZero:
    case Condition::Kind::Zero:
      condition.number = grown(condition.number);
      break;
    case Condition::Kind::Unknown:
      return id;
    default:
      condition.lhs = growCondition(condition.lhs);
      condition.rhs = growCondition(condition.rhs);
    }
    return terms.add(condition);
  };
  for (Class &own : classes) {
    BitVector live = code.findLive(own.pc);
    for (unsigned slot = 0; slot < own.registers.size(); ++slot) {
      Value &value = own.registers[slot];
      if (!live.test(slot))
        value = Value();
      else if (value.isNumber())
        value.number = grown(value.number);
      else if (value.kind == Value::Kind::Condition)
        value.condition = growCondition(value.condition);
    }
  }
}

Repetition KernelRun::makeRepetition(llvm::ArrayRef<Linear> growth,
                                     unsigned at) {
  std::string name = ("repetitions at line " +
                      llvm::Twine(code.lines[at].instruction->location.line) +
                      ", of state " + llvm::Twine(next))
                         .str();
  Repetition repetition;
  repetition.count = terms.get(name, 0, std::numeric_limits<int32_t>::max());
  for (const Linear &own : growth)
    for (auto [term, factor] : own.terms) {
      bool isNatural = terms.getTerm(term).least >= 0;
      std::string product = name + " times " + terms.getTerm(term).name;
      repetition.products[term] = terms.get(
          product, isNatural ? 0 : std::numeric_limits<int64_t>::min(),
          std::numeric_limits<int64_t>::max());
    }
  return repetition;
}

bool KernelRun::repeats(unsigned line) const {
  return llvm::any_of(heads, [&](const auto &own) {
    return own.first.first == line && own.second.repetition &&
           own.second.states.size() < LoopHead::kMostStates;
  });
}

/// Whether the state at a branch is one that was there before, so that the way
/// needn't go on. The first time that it has come again but for what grew, it
/// becomes the state after any number of repetitions.
bool KernelRun::comesAgain(const Class &own, unsigned at) {
  constexpr unsigned kFirst = 2;
  if (mode != RunMode::Repeat || decisionsAt[at].first < kFirst)
    return false;
  LoopHead &head = heads[{at, own.number}];
  hasStates = true;
  bool isOpen = llvm::all_of(
      classes, [](const Class &other) { return other.maybes.empty(); });
  if (head.states.size() >= LoopHead::kMostStates || !isOpen)
    return false;
  dropEnded();
  LoopState state = StateWriter(*this).write();
  // The steps that take as long.
  constexpr size_t kNumbersOfStep = 64;
  steps += state.exact.size() / kNumbersOfStep;
  if (head.repetition) {
    head.states.push_back(std::move(state));
    return head.isRepeatedBy(head.states.back());
  }
  for (const LoopState &earlier : llvm::reverse(head.states)) {
    std::optional<std::vector<Linear>> growth = state.findGrowth(earlier);
    if (!growth)
      continue;
    head.repetition = makeRepetition(*growth, at);
    grow(*growth, *head.repetition);
    std::vector<Linear> growths = *growth;
    llvm::sort(growths);
    growths.erase(std::unique(growths.begin(), growths.end()), growths.end());
    assumptions.grow(earlier.assumptions, growths, *head.repetition);
    head.growth = std::move(*growth);
    head.repeated = StateWriter(*this).write();
    head.states.clear();
    return false;
  }
  head.states.push_back(std::move(state));
  return false;
}
