//===- KernelRun.h - one way through a kernel's skeleton --------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Executes the skeleton for all threads of a CTA, in classes of threads that
// go the same way. Conditions that depend on a launch are decided by a script,
// and extend it. docs/Proof.md, Ways.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_PROOF_KERNELRUN_H
#define CAROUSEL_ANALYSIS_PROOF_KERNELRUN_H

#include "EventOrder.h"
#include "KernelCode.h"
#include "Repetition.h"

#include "carousel/Analysis/Proof/CheckKernel.h"

#include <deque>
#include <set>

namespace carousel::proof {

/// Where shared variables lie, and how many bytes they have.
struct SharedLayout {
  llvm::ArrayRef<ptx::Symbol> symbols; ///< of the module
  llvm::DenseMap<ptx::SymbolId, uint64_t> offsets;
  uint64_t bytes = 0;
};

/// Facts about a launch's numbers before a way begins.
struct LaunchFacts {
  /// Bytes of tensor maps' boxes, by term.
  std::map<TermId, int64_t> boxes;
  /// Sums that aren't negative.
  std::vector<Linear> atLeastZero;
  /// Numbers of which terms are multiples.
  std::map<TermId, int64_t> divisors;
};

/// The terms of a tensor map's box, and of what is at an address.
std::string getBoxName(const std::string &map);
std::string getLoadName(const std::string &address);

/// How a way ended.
struct Ending {
  enum class Kind : uint8_t { Complete, Refuted, Unknown };
  Kind kind = Kind::Complete;
  std::string message;
  ptx::Location at, other; ///< the earlier access of a race
};

enum class RunMode : uint8_t {
  /// Notes the bytes of boxes that barriers wait for, and leaves out accesses
  /// of others.
  InferBoxes,
  /// Ends where a state comes again.
  Repeat,
  Bound,
};

class KernelRun {
public:
  KernelRun(const KernelCode &code, const SharedLayout &shared,
            const LaunchShape &launch, Terms &terms, LaunchFacts &facts,
            RunMode mode, std::vector<bool> script, uint64_t mostSteps);
  /// Goes on from where another run was, which has taken the first decisions of
  /// the script.
  KernelRun(const KernelRun &from, std::vector<bool> script,
            uint64_t mostSteps);

  Ending run();
  /// Where it was between steps that it has taken by decisions of its own: so
  /// another way needn't begin again.
  std::vector<std::shared_ptr<const KernelRun>> takePauses() {
    return std::move(pauses);
  }

  /// The decisions taken, of which those from `given` on are new.
  std::vector<bool> script;
  size_t given;
  /// Decisions that leave a loop, which have no alternative.
  std::set<size_t> bounded;
  /// Whether loops were left because they had gone on for long.
  bool isBounded = false;
  /// Whether states were compared.
  bool hasStates = false;
  /// The steps, with work that takes as long, and those of them that another
  /// run had taken.
  uint64_t getSteps() const;
  uint64_t getEarlierSteps() const { return earlierSteps; }
  const Assumptions &getAssumptions() const { return assumptions; }

private:
  /// Operations that are waited for together.
  using Group = llvm::SmallVector<unsigned, 4>;
  struct Groups {
    Group open;
    std::deque<Group> committed;
  };

  enum class State : uint8_t { Running, AtWait, AtBarrier, Exited };

  /// Threads that go the same way.
  struct Class {
    llvm::BitVector members;
    unsigned pc = 0, number = 0;
    std::vector<Value> registers;
    Knowledge knowledge;
    uint32_t epoch = 1;
    WarpEpochs warpEpochs;
    State state = State::Running;
    // It waits for a barrier in shared memory and a parity, or for named ones.
    uint64_t barrier = 0;
    bool parity = false;
    llvm::SmallVector<unsigned, 2> rendezvous;
    Groups groups[3];
    /// Branches of which both ways are executed, the outermost first.
    struct Maybe {
      unsigned join = 0;
      std::optional<unsigned> other; ///< the way that comes next
      std::vector<Value> before;     ///< registers
    };
    llvm::SmallVector<Maybe, 1> maybes;
    /// Waits that have passed, by barrier: the number of phases seen.
    std::map<uint64_t, uint64_t> seen;
  };

  /// An mbarrier.
  struct Barrier {
    uint64_t address = 0;
    int64_t count = 0, pending = 0;
    Linear bytes; ///< expected less arrived
    uint64_t phases = 0;
    Knowledge arrived, complete;
    struct Waited {
      unsigned owner;
      uint32_t epoch;
      unsigned line;
    };
    llvm::SmallVector<Waited, 4> waited; ///< for the last phase
    unsigned line = 0;
  };

  /// A barrier of the CTA or of a warp that threads are arriving at.
  struct Rendezvous {
    int64_t arrived = 0, wanted = 0; ///< threads; 0: all of the CTA
    Knowledge arrivedWith;
    llvm::SmallVector<unsigned, 4> classes; ///< that wait
  };

  // Decisions
  struct Choice {
    enum class Kind : uint8_t { All, None, Some, Undecidable };
    Kind kind = Kind::Undecidable;
    llvm::BitVector some;
  };
  std::optional<bool> evaluate(ConditionId id, unsigned thread) const;
  /// An atom of a condition that is the same for all threads, undecided.
  std::optional<ConditionId> findOpen(ConditionId id, unsigned thread) const;
  bool takeDecision(unsigned line);
  Choice decide(const Value &predicate, bool isNegated, const Class &own,
                unsigned line);

  // Values
  Value read(const ptx::Instruction &instruction, const ptx::Operand &operand,
             const Class &own);
  Value readAddress(const ptx::Instruction &instruction,
                    const ptx::Operand &operand, const Class &own);
  Value readSpecial(const ptx::Operand &operand);
  /// Whether all threads of a class have the same elements of an operand.
  bool isUniform(const ptx::Instruction &instruction,
                 const ptx::Operand &operand, const Class &own);
  void write(Class &own, ptx::RegisterId id, Value value,
             const llvm::BitVector *some);
  void compute(Class &own, const CodeLine &line, const llvm::BitVector *some);
  bool computeConstants(Class &own, const CodeLine &line,
                        const llvm::BitVector *some);
  Value computeSymbols(const ptx::Instruction &instruction, const Class &own,
                       unsigned line);
  Value readSigned(const ptx::Instruction &instruction, unsigned operand,
                   const Class &own);
  /// An operand as a number of the instruction's type.
  Value readNumber(const ptx::Instruction &instruction, unsigned operand,
                   const Class &own, unsigned line);
  bool isAtLeastZero(const Value &number, const Class &own, unsigned line);
  Value compare(const ptx::Instruction &instruction, const Class &own,
                unsigned line);
  Value addCondition(Condition condition);
  Value test(Condition::Kind kind, const Value &number);
  Value combineConditions(Condition::Kind kind, const Value &lhs,
                          const Value &rhs);
  ConditionId getCondition(const Value &value);
  Value select(const Value &condition, const Value &lhs, const Value &rhs,
               const Class &own, unsigned line);

  Value getSharedNumber(const Value &address,
                        const ptx::Instruction &instruction);

  // Steps
  bool step(unsigned number);
  bool execute(unsigned number, const llvm::BitVector *some,
               bool isOfSome = false);
  unsigned split(unsigned number, const llvm::BitVector &some);
  /// The threads that have the first one's operands, of an event that all
  /// threads of a class execute with the same ones; nullopt if all have.
  std::optional<llvm::BitVector> findUnlike(const Class &own,
                                            const CodeLine &line);
  /// Makes a constant of a number that all threads have.
  void simplify(Value &value, const Class &own) const;
  /// Goes on at one way of a branch, or behind both, where it isn't known which
  /// threads take which.
  bool leaveMaybe(Class &own);
  bool enterMaybe(Class &own, const CodeLine &line, unsigned at);
  bool fail(const llvm::Twine &message, unsigned line,
            std::optional<unsigned> other = std::nullopt);
  bool giveUp(const llvm::Twine &message, unsigned line);

  // Repetition
  class StateWriter;
  void dropEnded();
  void grow(llvm::ArrayRef<Linear> growth, const Repetition &repetition);
  Repetition makeRepetition(llvm::ArrayRef<Linear> growth, unsigned at);
  bool comesAgain(const Class &own, unsigned at);
  /// Whether it is being shown that what a branch goes on with comes again.
  bool repeats(unsigned line) const;

  // Events
  /// Where a thread accesses bytes; nullopt if it fails or may not do so.
  std::optional<uint64_t> getPlace(const Value &address, unsigned thread,
                                   uint64_t bytes, unsigned line);
  bool accessShared(Class &own, unsigned line, const Value &address,
                    uint64_t bytes, bool isWrite, bool isAtomic,
                    const llvm::BitVector *some, bool isSame = false);
  bool accessAsync(Class &own, unsigned line, const Value &address,
                   uint64_t bytes, bool isWrite, unsigned operation,
                   const llvm::BitVector *some = nullptr);
  bool startProduct(Class &own, unsigned line);
  bool executeBarrierOp(Class &own, const CodeLine &line, unsigned at);
  bool wait(Class &own, const CodeLine &line, unsigned at);
  bool rendezvous(unsigned number, const CodeLine &line, unsigned at);
  bool finishRendezvous();
  bool copyBulk(Class &own, const CodeLine &line, unsigned at);
  bool executeGroup(Class &own, const CodeLine &line, unsigned at);
  std::optional<uint64_t> getBarrierAddress(Class &own, const CodeLine &line,
                                            unsigned operand, unsigned at);
  /// Null if it isn't initialised.
  Barrier *getBarrier(Class &own, const CodeLine &line, unsigned operand,
                      unsigned at);
  Knowledge release(Class &own);
  bool arrive(Barrier &barrier, const Knowledge &with, int64_t count,
              unsigned line);
  bool completePhase(Barrier &barrier, unsigned line);
  bool resume();
  /// Takes the bytes of tensors' boxes to be what barriers wait for.
  bool bindBoxes();
  unsigned getLiveThreads() const;
  Ending reportStuck();
  bool checkEnd();

  /// Whether accesses may not be executed by all threads of a class.
  bool isMaybe = false;

  void assumeBoxes();
  void pause();
  std::vector<std::shared_ptr<const KernelRun>> pauses;
  uint64_t nextPause = 0;
  unsigned current = 0; ///< the class that goes on

  uint64_t steps = 0, earlierSteps = 0;
  const KernelCode &code;
  const SharedLayout &shared;
  const LaunchShape &launch;
  Terms &terms;
  LaunchFacts &facts;
  RunMode mode;
  uint64_t mostSteps;
  Assumptions assumptions;
  SharedWords words;
  std::vector<Class> classes;
  std::map<uint64_t, Barrier> barriers;
  std::map<unsigned, Rendezvous> named;
  std::vector<Operation> operations;
  /// By the line of the branch and the class.
  std::map<std::pair<unsigned, unsigned>, LoopHead> heads;
  std::map<unsigned, std::pair<unsigned, bool>> decisionsAt; ///< by line
  size_t next = 0;                                           ///< of the script
  Lanes threadIds[3], laneIds, warpIds;
  Ending ending;
};

} // namespace carousel::proof

#endif // CAROUSEL_ANALYSIS_PROOF_KERNELRUN_H
