//===- carousel-mutate.cpp - tests the tests of synchronisation -----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads a module at the machine phase and prints copies with one synchronising
// op dropped, changed or moved. If the simulated machine reports nothing for a
// mutant, the op is redundant or untested.
//
//===----------------------------------------------------------------------===//

#include "../support/MLIR/Diagnostics.h"
#include "../support/MLIR/FrontEndText.h"
#include "../support/MLIR/Register.h"
#include "../support/MLIR/SourceNesting.h"
#include "../support/Process/FileSizeLimit.h"

#include "carousel/Dialect/IR/CarouselSignalOps.h"
#include "carousel/Dialect/IR/CarouselWgmmaOps.h"
#include "carousel/Simulator/Simulator.h"
#include "carousel/Support/HardwareLimits.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/WithColor.h"

#include <functional>

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Mutants of synchronising ops
//
// Enumerates the mutants of a module at the machine phase: copies in which one
// synchronising op is dropped, changed or moved. scripts/mutation-score tests
// whether they are detected. In one walk, each op lists the kinds of mutants
// that it has. Mutants that don't verify are left out.
//===----------------------------------------------------------------------===//

namespace {

enum class MutantKind {
  Drop,       ///< without the op; a test or try of a wait returns true
  WithoutTx,  ///< an arrival that expects no bytes
  FlipParity, ///< a wait for the other parity
  MoreBytes,  ///< 16 transaction bytes more
  FewerBytes, ///< 16 transaction bytes fewer
  UntilRead,  ///< a bulk wait for reads instead of completion; the reverse only
              ///< waits longer
  MorePending, ///< a group wait that leaves one more group pending
  OtherThread, ///< a commit of bulk operations, or a wait for them, by a thread
               ///< that issued none
  MoreCount,   ///< one more arrival: expected at init, or made by an arrive
  FewerCount,  ///< one arrival fewer
  SwapNoinc,   ///< a cp.async arrival with noinc instead of without, or reverse
  Relax,       ///< an arrive or a wait without its memory order
  Early,       ///< an arrive before the preceding access
  Late,        ///< a wait after the access that follows it
};

inline constexpr unsigned kNumMutantKinds = unsigned(MutantKind::Late) + 1;

struct Mutant {
  MutantKind kind;
  Operation *op;
  /// "copy_1d/mbarrier.wait/2/flip-parity": the function, the op, how many of
  /// these stand before it in the function, the kind. It outlives edits
  /// elsewhere in the file.
  std::string name;
  /// Changes the module that `op` is in; only one mutant's may be called.
  std::function<void()> apply;
};

struct MutantFilter {
  std::string function;          ///< without sigil; empty: all of them
  std::vector<MutantKind> kinds; ///< empty: all of them
  bool includes(MutantKind kind) const;
};

} // namespace

static constexpr llvm::StringLiteral kKindNames[] = {
    "drop",       "without-tx",   "flip-parity",  "more-bytes", "fewer-bytes",
    "until-read", "more-pending", "other-thread", "more-count", "fewer-count",
    "swap-noinc", "relax",        "early",        "late"};

static_assert(std::size(kKindNames) == kNumMutantKinds);

/// "drop", "flip-parity", ...
static StringRef stringifyMutantKind(MutantKind kind) {
  return kKindNames[unsigned(kind)];
}

static std::optional<MutantKind> parseMutantKind(StringRef text) {
  const auto *found = llvm::find(kKindNames, text);
  if (found == std::end(kKindNames))
    return std::nullopt;
  return MutantKind(found - std::begin(kKindNames));
}

bool MutantFilter::includes(MutantKind kind) const {
  return kinds.empty() || llvm::is_contained(kinds, kind);
}

//===----------------------------------------------------------------------===//
// Counts and sizes
//===----------------------------------------------------------------------===//

namespace {

/// A count or size of an op: a value, a literal, or 1 where it has neither.
struct Amount {
  Operation *op;
  OpOperand *value; ///< or null
  StringRef literalName;

  std::optional<int64_t> getConstant() const {
    APInt constant;
    if (value)
      return matchPattern(value->get(), m_ConstantInt(&constant))
                 ? std::optional(constant.getSExtValue())
                 : std::nullopt;
    auto literal = op->getAttrOfType<IntegerAttr>(literalName);
    return literal ? literal.getInt() : 1;
  }

  void add(int64_t summand) const {
    OpBuilder builder(op);
    if (!value) {
      op->setAttr(literalName,
                  builder.getI32IntegerAttr(*getConstant() + summand));
      return;
    }
    Value step =
        arith::ConstantIntOp::create(builder, op->getLoc(), summand, 32);
    value->set(
        arith::AddIOp::create(builder, op->getLoc(), value->get(), step));
  }
};

} // namespace

template <typename Op> static Amount getCount(Op op) {
  MutableOperandRange range = op.getCountMutable();
  return {op, range.empty() ? nullptr : &range[0], "static_count"};
}

template <typename Op> static Amount getBytes(Op op) {
  MutableOperandRange range = op.getBytesMutable();
  return {op, range.empty() ? nullptr : &range[0], "static_bytes"};
}

//===----------------------------------------------------------------------===//
// Moves
//===----------------------------------------------------------------------===//

template <typename... Ops> static bool isOneOf(Operation *op) {
  return isa<Ops...>(op);
}

/// Orders threads, CTAs, grids or proxies and does nothing else.
static bool isSynchronisation(Operation *op) {
  return isOneOf<
      gpu::BarrierOp, FenceThreadOp, FenceProxyOp, FenceMbarrierInitOp,
      FenceSyncRestrictOp, FenceProxySyncRestrictOp, FenceTensorMapReleaseOp,
      FenceTensorMapAcquireOp, MbarrierInitOp, MbarrierInvalOp,
      MbarrierExpectTxOp, MbarrierCompleteTxOp, MbarrierArriveOp,
      MbarrierArriveDropOp, MbarrierArriveExpectTxOp,
      MbarrierArriveDropExpectTxOp, MbarrierTestWaitOp, MbarrierTryWaitOp,
      MbarrierWaitOp, CpAsyncCommitGroupOp, CpAsyncWaitGroupOp,
      CpAsyncWaitAllOp, CpAsyncMbarrierArriveOp, BulkCommitGroupOp,
      BulkWaitGroupOp, BarrierSyncOp, BarrierArriveOp, BarrierWarpOp,
      ClusterArriveOp, ClusterWaitOp, GridLaunchDependentsOp,
      GridDependencyWaitOp, GridSerialWaitOp, GridSerialReleaseOp,
      SignalReleaseOp, SignalWaitOp, WgmmaFenceOp, WgmmaCommitOp, WgmmaWaitOp>(
      op);
}

static bool containsSynchronisation(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        return isSynchronisation(inner) ? WalkResult::interrupt()
                                        : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Reads or writes memory: not what only changes threads, groups or caches.
static bool accessesMemory(Operation *op) {
  std::optional<SmallVector<MemoryEffects::EffectInstance>> effects =
      getEffectsRecursively(op);
  return !effects ||
         llvm::any_of(*effects, [](const MemoryEffects::EffectInstance &e) {
           return isa<MemoryEffects::Read, MemoryEffects::Write>(
                      e.getEffect()) &&
                  (isa<GlobalMemoryResource, SharedMemoryResource>(
                       e.getResource()) ||
                   e.getResource() == SideEffects::DefaultResource::get());
         });
}

/// The access next to `op` in its block, with nothing that synchronises
/// between; null where there is none. An access may be a whole loop.
static Operation *findAccess(Operation *op, bool before) {
  auto next = [before](Operation *at) {
    return before ? at->getPrevNode() : at->getNextNode();
  };
  for (Operation *at = next(op); at; at = next(at)) {
    if (containsSynchronisation(at) || at->hasTrait<OpTrait::IsTerminator>())
      return nullptr;
    if (accessesMemory(at))
      return at;
  }
  return nullptr;
}

/// The last op of the kind before `op` in its block, or the first one after it;
/// null where there is none.
template <typename Op> static Operation *findNext(Operation *op, bool before) {
  Operation *at = op;
  do
    at = before ? at->getPrevNode() : at->getNextNode();
  while (at && !isa<Op>(at));
  return at;
}

static Operation *findEarlierPlace(Operation *op) {
  Operation *access = findAccess(op, /*before=*/true);
  if (!access)
    return nullptr;
  bool isReady = llvm::all_of(op->getOperands(), [access](Value operand) {
    Operation *source = operand.getDefiningOp();
    return !source || source->getBlock() != access->getBlock() ||
           source->isBeforeInBlock(access);
  });
  return isReady ? access : nullptr;
}

/// Whether a value is computed from what differs between the threads of a CTA.
static bool isOfThread(Value value) {
  Operation *source = value.getDefiningOp();
  return source &&
         (isa<gpu::ThreadIdOp, gpu::LaneIdOp, gpu::SubgroupIdOp, ElectOp>(
              source) ||
          llvm::any_of(source->getOperands(), isOfThread));
}

/// Groups belong to threads, and threads that elect one issue by the first lane
/// of a warp. The second lane does it instead, beside the branch that parts
/// them.
static void moveToOtherThread(Operation *op) {
  Operation *branch = op;
  for (Operation *outer = op->getParentOp(); outer;
       outer = outer->getParentOp()) {
    auto conditional = dyn_cast<scf::IfOp>(outer);
    if (conditional && isOfThread(conditional.getCondition())) {
      branch = outer;
      break;
    }
  }
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(branch);
  Location loc = op->getLoc();
  Value lane = gpu::LaneIdOp::create(builder, loc, /*upper_bound=*/nullptr);
  Value second = arith::ConstantIndexOp::create(builder, loc, 1);
  Value isOther = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        lane, second);
  auto alone = scf::IfOp::create(builder, loc, isOther);
  op->moveBefore(alone.thenBlock()->getTerminator());
}

//===----------------------------------------------------------------------===//
// Enumeration
//===----------------------------------------------------------------------===//

namespace {

/// Collects the mutants of one op.
struct OpMutants {
  Operation *op;
  std::string prefix;
  const MutantFilter &filter;
  std::vector<Mutant> &mutants;

  void add(MutantKind kind, std::function<void()> apply) {
    if (filter.includes(kind))
      mutants.push_back({kind, op,
                         prefix + "/" + stringifyMutantKind(kind).str(),
                         std::move(apply)});
  }

  void addDrop() {
    if (op->use_empty())
      return add(MutantKind::Drop, [op = op] { op->erase(); });
    // Whether a phase has completed, or a counter has reached a value: it
    // always has.
    if (!isa<MbarrierTestWaitOp, MbarrierTryWaitOp, SignalWaitOp>(op))
      return;
    add(MutantKind::Drop, [op = op] {
      OpBuilder builder(op);
      Value yes =
          arith::ConstantIntOp::create(builder, op->getLoc(), 1, /*width=*/1);
      op->getResult(0).replaceAllUsesWith(yes);
      op->erase();
    });
  }

  void addAmount(MutantKind more, MutantKind fewer, Amount amount, int64_t step,
                 int64_t least, int64_t most) {
    std::optional<int64_t> constant = amount.getConstant();
    if (!constant || *constant + step <= most)
      add(more, [=] { amount.add(step); });
    if (!constant || *constant - step >= least)
      add(fewer, [=] { amount.add(-step); });
  }

  /// An arrival that raises the expected bytes first.
  template <typename Plain, typename Op> void addWithoutTx(Op arrive) {
    add(MutantKind::WithoutTx, [arrive]() mutable {
      OpBuilder builder(arrive);
      auto plain = Plain::create(
          builder, arrive.getLoc(), arrive->getResultTypes(),
          arrive.getBarriers(), arrive.getIndices(), /*count=*/Value(),
          /*static_count=*/IntegerAttr(), arrive.getSemantics(),
          arrive.getScope(), /*no_complete=*/false);
      arrive->replaceAllUsesWith(plain);
      arrive->erase();
    });
  }

  template <typename Op> void addArrive(Op arrive) {
    if (arrive.getSemantics() != MemSemantics::Relaxed && !isNoComplete(arrive))
      add(MutantKind::Relax,
          [arrive]() mutable { arrive.setSemantics(MemSemantics::Relaxed); });
    if (Operation *place = findEarlierPlace(arrive))
      add(MutantKind::Early,
          [arrive, place]() mutable { arrive->moveBefore(place); });
  }

  template <typename Op> void addWait(Op wait) {
    if (wait.getParity())
      add(MutantKind::FlipParity, [wait]() mutable {
        OpBuilder builder(wait);
        Value yes = arith::ConstantIntOp::create(builder, wait.getLoc(), 1, 1);
        Value other = arith::XOrIOp::create(builder, wait.getLoc(),
                                            wait.getParity(), yes);
        wait.getParityMutable().assign(other);
      });
    if (wait.getSemantics() != MemSemantics::Relaxed)
      add(MutantKind::Relax,
          [wait]() mutable { wait.setSemantics(MemSemantics::Relaxed); });
    if (!wait->use_empty())
      return;
    if (Operation *place = findAccess(wait, /*before=*/false))
      add(MutantKind::Late,
          [wait, place]() mutable { wait->moveAfter(place); });
  }

  void addSignal(SignalReleaseOp signal) {
    if (signal.getSemantics() != MemSemantics::Relaxed)
      add(MutantKind::Relax,
          [signal]() mutable { signal.setSemantics(MemSemantics::Relaxed); });
    // Before an access, or the wait for stores.
    Operation *place = findEarlierPlace(signal);
    if (!place)
      place = findNext<BulkWaitGroupOp>(signal, /*before=*/true);
    if (place)
      add(MutantKind::Early,
          [signal, place]() mutable { signal->moveBefore(place); });
  }

  void addSignalWait(SignalWaitOp wait) {
    if (wait.getSemantics() != MemSemantics::Relaxed)
      add(MutantKind::Relax,
          [wait]() mutable { wait.setSemantics(MemSemantics::Relaxed); });
    // After an access, or the fence before those of engines.
    Operation *place = findAccess(wait, /*before=*/false);
    if (!place)
      place = findNext<FenceProxyOp>(wait, /*before=*/false);
    if (place && wait->use_empty())
      add(MutantKind::Late,
          [wait, place]() mutable { wait->moveAfter(place); });
  }

  template <typename Op> void addPending(Op wait) {
    add(MutantKind::MorePending,
        [wait]() mutable { wait.setPending(wait.getPending() + 1); });
  }

  void addOtherThread() {
    add(MutantKind::OtherThread, [op = op] { moveToOtherThread(op); });
  }

  void addOthers();

private:
  /// `no_complete` needs release semantics (C35).
  template <typename Op> static bool isNoComplete(Op arrive) {
    if constexpr (llvm::is_one_of<Op, MbarrierArriveOp,
                                  MbarrierArriveDropOp>::value)
      return arrive.getNoComplete();
    return false;
  }
};

} // namespace

void OpMutants::addOthers() {
  auto addCount = [this](Amount amount) {
    addAmount(MutantKind::MoreCount, MutantKind::FewerCount, amount, 1, 1,
              rules::kMaxArrivals);
  };
  // The amount grows by the least that a bulk copy moves.
  auto addBytes = [this](Amount amount) {
    addAmount(MutantKind::MoreBytes, MutantKind::FewerBytes, amount,
              rules::kBulkGranule, 0, rules::kMaxTransactionBytes);
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](MbarrierInitOp init) { addCount(getCount(init)); })
      .Case<MbarrierExpectTxOp, MbarrierCompleteTxOp>(
          [&](auto expect) { addBytes(getBytes(expect)); })
      .Case<MbarrierArriveOp, MbarrierArriveDropOp>([&](auto arrive) {
        addCount(getCount(arrive));
        addArrive(arrive);
      })
      .Case([&](MbarrierArriveExpectTxOp arrive) {
        addWithoutTx<MbarrierArriveOp>(arrive);
        addBytes(getBytes(arrive));
        addArrive(arrive);
      })
      .Case([&](MbarrierArriveDropExpectTxOp arrive) {
        addWithoutTx<MbarrierArriveDropOp>(arrive);
        addBytes(getBytes(arrive));
        addArrive(arrive);
      })
      .Case<MbarrierTestWaitOp, MbarrierTryWaitOp, MbarrierWaitOp>(
          [&](auto wait) { addWait(wait); })
      .Case([&](BulkWaitGroupOp wait) {
        if (wait.getUntil() == GroupWait::Complete)
          add(MutantKind::UntilRead,
              [wait]() mutable { wait.setUntil(GroupWait::Read); });
        addPending(wait);
        addOtherThread();
      })
      .Case([&](SignalReleaseOp signal) { addSignal(signal); })
      .Case([&](SignalWaitOp wait) { addSignalWait(wait); })
      .Case([&](BulkCommitGroupOp) { addOtherThread(); })
      .Case([&](CpAsyncWaitGroupOp wait) { addPending(wait); })
      .Case([&](WgmmaWaitOp wait) {
        if (wait.getPending() < kMaxWgmmaPending)
          addPending(wait);
      })
      .Case([&](CpAsyncMbarrierArriveOp arrive) {
        add(MutantKind::SwapNoinc,
            [arrive]() mutable { arrive.setNoinc(!arrive.getNoinc()); });
      });
}

/// Fences between products of one shape are redundant: the types of their
/// registers keep other accesses away.
static bool hasOneShape(FunctionOpInterface function) {
  std::optional<std::pair<int64_t, int64_t>> known;
  return !function
              ->walk([&](WgmmaMmaOp product) {
                WgmmaForm form = product.getForm();
                std::pair<int64_t, int64_t> shape(form.n, form.getDepth());
                if (known && *known != shape)
                  return WalkResult::interrupt();
                known = shape;
                return WalkResult::advance();
              })
              .wasInterrupted();
}

/// All mutants, in program order: the same for each clone of a module.
static std::vector<Mutant> enumerateMutants(ModuleOp module,
                                            const MutantFilter &filter) {
  std::vector<Mutant> mutants;
  module.walk<WalkOrder::PreOrder>([&](FunctionOpInterface function) {
    if (!filter.function.empty() && function.getName() != filter.function)
      return;
    llvm::StringMap<unsigned> ordinals;
    bool isFenceRedundant = hasOneShape(function);
    function.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (!isSynchronisation(op) || (isFenceRedundant && isa<WgmmaFenceOp>(op)))
        return;
      StringRef name = op->getName().getStringRef();
      name.consume_front("carousel.");
      std::string prefix =
          (function.getName() + "/" + name + "/" + Twine(ordinals[name]++))
              .str();
      OpMutants own{op, std::move(prefix), filter, mutants};
      own.addDrop();
      own.addOthers();
    });
  });
  return mutants;
}

//===----------------------------------------------------------------------===//
// The command line of carousel-mutate
//
// Options are checked as far as possible without the module.
//===----------------------------------------------------------------------===//

namespace {

struct Options {
  std::string input;  ///< "-": stdin
  std::string mutant; ///< a number or a name; empty: none
  std::string all;    ///< a directory; empty: none
  std::string output;
  bool list = false;
  MutantFilter filter;
  /// The fault of the command line; else empty.
  std::string error;
};

} // namespace

namespace cl = llvm::cl;

static constexpr llvm::StringLiteral kOverview =
    R"(Lists or prints the mutants of a module at the machine phase. A mutant is a
copy in which one synchronising op is dropped, changed or moved
(docs/Mutation.md).

  carousel-mutate ring.mlir --list
      prints number, name and location of each, one a line; a name is
      function/op/ordinal/kind
  carousel-mutate ring.mlir --mutant 7
      prints the mutated module; a name, such as ring/mbarrier.wait/0/drop,
      serves as well as a number
  carousel-mutate ring.mlir --function ring --all DIR
      writes DIR/1.mlir, DIR/2.mlir, ..., and prints the list
)";

static std::string listKinds() {
  std::string names;
  for (unsigned kind = 0; kind < kNumMutantKinds; ++kind)
    names += (kind ? ", " : "") + stringifyMutantKind(MutantKind(kind)).str();
  return names;
}

static Options parseOptions(int argc, char **argv) {
  cl::OptionCategory category("carousel-mutate options");
  cl::opt<std::string> input(cl::Positional, cl::cat(category),
                             cl::desc("FILE.mlir (-: stdin)"));
  cl::opt<bool> list("list", cl::cat(category), cl::desc("List the mutants"));
  cl::opt<std::string> mutant("mutant", cl::cat(category),
                              cl::value_desc("N|NAME"),
                              cl::desc("Print this mutant"));
  cl::opt<std::string> all("all", cl::cat(category), cl::value_desc("DIR"),
                           cl::desc("Write all mutants to DIR and list them"));
  cl::opt<std::string> output("o", cl::cat(category), cl::value_desc("FILE"),
                              cl::init("-"),
                              cl::desc("Output of --mutant (-: stdout)"));
  cl::opt<std::string> function("function", cl::cat(category),
                                cl::value_desc("NAME"),
                                cl::desc("Only mutants of this function"));
  std::string kindsHelp = "Only mutants of these kinds, among " + listKinds();
  cl::list<std::string> kinds("kinds", cl::cat(category), cl::CommaSeparated,
                              cl::value_desc("kind,..."), cl::desc(kindsHelp));
  cl::HideUnrelatedOptions(category);
  cl::SetVersionPrinter([](llvm::raw_ostream &os) {
    os << "carousel-mutate " CAROUSEL_VERSION "\n";
  });
  cl::ParseCommandLineOptions(argc, argv, kOverview);

  Options options;
  options.input = input;
  options.mutant = mutant;
  options.all = all;
  options.output = output;
  options.list = list;
  options.filter.function = llvm::StringRef(function).ltrim('@').str();
  for (const std::string &text : kinds) {
    if (std::optional<MutantKind> kind = parseMutantKind(text))
      options.filter.kinds.push_back(*kind);
    else
      options.error =
          "expected kinds of " + listKinds() + ", got '" + text + "'";
  }
  if (input.empty())
    options.error = "expected a file to mutate (see --help)";
  else if (list + !mutant.empty() + !all.empty() != 1)
    options.error = "expected one of --list, --mutant and --all";
  else if (output.getNumOccurrences() != 0 && mutant.empty())
    options.error = "expected -o beside --mutant, got it beside " +
                    std::string(list ? "--list" : "--all");
  return options;
}

//===----------------------------------------------------------------------===//
// Lists and prints mutants
//
// Each mutant is made from a clone of its own. The enumeration gives the same
// mutants for each clone.
//===----------------------------------------------------------------------===//

static int fail(const Twine &message) {
  llvm::WithColor::error(llvm::errs(), "carousel-mutate") << message << '\n';
  return 1;
}

static std::string describePlace(Operation *op) {
  if (auto loc = op->getLoc()->findInstanceOf<FileLineColLoc>())
    return llvm::formatv("{0}:{1}:{2}",
                         llvm::sys::path::filename(loc.getFilename()),
                         loc.getLine(), loc.getColumn());
  return "-";
}

static void printList(ArrayRef<Mutant> mutants) {
  size_t digits = std::to_string(mutants.size()).size(), width = 0;
  for (const Mutant &mutant : mutants)
    width = std::max(width, mutant.name.size());
  for (auto [index, mutant] : llvm::enumerate(mutants))
    llvm::outs() << llvm::right_justify(std::to_string(index + 1), digits)
                 << "  " << llvm::left_justify(mutant.name, width) << "  "
                 << describePlace(mutant.op) << '\n';
}

static int writeMutant(ModuleOp module, const MutantFilter &filter,
                       size_t index, StringRef file) {
  OwningOpRef<ModuleOp> clone = module.clone();
  std::vector<Mutant> mutants = enumerateMutants(*clone, filter);
  mutants[index].apply();
  if (failed(verify(*clone)))
    return fail("expected mutant " + mutants[index].name + " to verify");
  std::error_code error;
  llvm::raw_fd_ostream os(file, error);
  if (!error) {
    // With the names of buffers, so that findings have them as well.
    clone->print(os, OpPrintingFlags().printNameLocAsPrefix());
    os << '\n';
    os.close();
    error = os.error();
    os.clear_error();
  }
  if (error)
    return fail(file + ": cannot write: " + error.message());
  return 0;
}

static int writeOne(ModuleOp module, ArrayRef<Mutant> mutants,
                    const Options &options) {
  size_t number = 0;
  if (StringRef(options.mutant).getAsInteger(10, number)) {
    const Mutant *found = llvm::find_if(mutants, [&](const Mutant &mutant) {
      return mutant.name == options.mutant;
    });
    if (found == mutants.end())
      return fail("expected the name of a mutant that --list shows, got '" +
                  options.mutant + "'");
    number = found - mutants.begin() + 1;
  }
  if (number < 1 || number > mutants.size())
    return fail("expected the number of a mutant, 1 to " +
                Twine(mutants.size()) + ", got " + Twine(number));
  return writeMutant(module, options.filter, number - 1, options.output);
}

static int writeAll(ModuleOp module, ArrayRef<Mutant> mutants,
                    const Options &options) {
  if (std::error_code error = llvm::sys::fs::create_directories(options.all))
    return fail(options.all + ": cannot create: " + error.message());
  for (size_t i = 0; i < mutants.size(); ++i) {
    std::string file = llvm::formatv("{0}/{1}.mlir", options.all, i + 1);
    if (int status = writeMutant(module, options.filter, i, file))
      return status;
  }
  printList(mutants);
  return 0;
}

static std::string listKinds(ArrayRef<MutantKind> kinds) {
  std::string names;
  for (MutantKind kind : kinds)
    names += (names.empty() ? "" : " or ") + stringifyMutantKind(kind).str();
  return names;
}

/// Does what the options say with a module that was parsed from a file. Returns
/// the exit status.
static int run(ModuleOp module, const Options &options) {
  std::vector<Mutant> mutants = enumerateMutants(module, options.filter);
  if (mutants.empty()) {
    std::string rule = "expected an op that synchronises";
    if (!options.filter.function.empty())
      rule += " in a function '" + options.filter.function + "'";
    if (!options.filter.kinds.empty())
      rule += " with a mutant of kind " + listKinds(options.filter.kinds);
    return fail(rule + ", got none");
  }
  if (!options.mutant.empty())
    return writeOne(module, mutants, options);
  if (!options.all.empty())
    return writeAll(module, mutants, options);
  printList(mutants);
  return 0;
}

int main(int argc, char **argv) {
  blockFileSizeSignal();
  llvm::InitLLVM init(argc, argv);
  Options options = parseOptions(argc, argv);
  if (!options.error.empty())
    return fail(options.error);
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> input =
      openInputFile(options.input, &error);
  if (!input)
    return fail(error);

  DialectRegistry registry;
  registerToolDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(input), llvm::SMLoc());
  if (!checkNesting(sources))
    return 1;
  ToolDiagnostics diagnostics(sources, &context);
  OwningOpRef<ModuleOp> module = sim::parseNamedModule(sources, &context);
  if (!module) {
    llvm::StringRef why =
        explainRefusal(sources.getMemoryBuffer(1)->getBuffer());
    return why.empty() ? 1 : fail(why.str());
  }
  return run(*module, options);
}
