//===- Donations.cpp - results in the memory of arguments -----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Donations.h.
//
//===----------------------------------------------------------------------===//

#include "Donations.h"

#include "../Decisions/DecisionLog.h"
#include "../Reading/FusedOps.h"
#include "../Reading/RowUpdates.h"

#include "carousel/Analysis/Graph/GroupDivision.h"
#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Dialect/IR/KernelSignature.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/Bufferization/Transforms/BufferViewFlowAnalysis.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/CSE.h"

using namespace mlir;
using namespace carousel;

/// JAX's, on an argument: the number of the result.
static constexpr StringLiteral kAliasingOutput = "tf.aliasing_output";

//===----------------------------------------------------------------------===//
// On tensors
//===----------------------------------------------------------------------===//

std::optional<unsigned> carousel::findDonor(func::FuncOp program,
                                            unsigned result) {
  if (auto attr = program.getResultAttrOfType<ArgumentAttr>(
          result, CarouselDialect::kArgument);
      attr && attr.getMayAlias())
    return *attr.getMayAlias();
  for (unsigned i = 0; i < program.getNumArguments(); ++i)
    if (auto number = program.getArgAttrOfType<IntegerAttr>(i, kAliasingOutput);
        number && number.getValue() == result)
      return i;
  return std::nullopt;
}

LogicalResult carousel::verifyDonations(func::FuncOp program) {
  for (unsigned i = 0; i < program.getNumArguments(); ++i)
    if (auto number = program.getArgAttrOfType<IntegerAttr>(i, kAliasingOutput);
        number && number.getValue().uge(program.getNumResults()))
      return program.emitError("expected ")
             << kAliasingOutput << " below the number of results, "
             << program.getNumResults() << ", got "
             << number.getValue().getSExtValue();
  llvm::DenseMap<unsigned, unsigned> taken;
  for (unsigned result = 0; result < program.getNumResults(); ++result) {
    std::optional<unsigned> donor = findDonor(program, result);
    if (!donor)
      continue;
    if (*donor >= program.getNumArguments())
      return program.emitError("expected may_alias of result ")
             << result << " to name an argument below "
             << program.getNumArguments() << ", got " << *donor;
    Type given = program.getArgumentTypes()[*donor];
    Type wanted = program.getResultTypes()[result];
    if (given != wanted)
      return program.emitError("expected result ")
             << result << " to have the type of argument " << *donor
             << ", whose memory it may have, got " << wanted << " and "
             << given;
    auto [first, isNew] = taken.try_emplace(*donor, result);
    if (!isNew)
      return program.emitError("expected one result that may have the memory "
                               "of argument ")
             << *donor << ", got results " << first->second << " and "
             << result;
  }
  return success();
}

/// The argument of the program that a value is, but for reshapes.
static BlockArgument findArgument(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
      return {};
    value = op->getOperand(0);
  }
  return cast<BlockArgument>(value);
}

/// The result of the program that a value is, but for reshapes.
static std::optional<unsigned> findResult(Value value) {
  SmallVector<Value> views = {value};
  while (!views.empty())
    for (OpOperand &use : views.pop_back_val().getUses()) {
      if (isa<func::ReturnOp>(use.getOwner()))
        return use.getOperandNumber();
      if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(use.getOwner()))
        views.push_back(use.getOwner()->getResult(0));
    }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Updates
//===----------------------------------------------------------------------===//

/// The input that an op keeps but for some rows, if it is an argument whose
/// memory the op's only result may have.
static OpOperand *findUpdatedInput(func::FuncOp program, linalg::GenericOp op) {
  if (op.getNumResults() != 1 || op.getNumReductionLoops() != 0 ||
      readsInit(op, 0) ||
      !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity())
    return nullptr;
  std::optional<unsigned> result = findResult(op.getResult(0));
  std::optional<unsigned> donor =
      result ? findDonor(program, *result) : std::nullopt;
  for (OpOperand *input : op.getDpsInputOperands())
    if (BlockArgument argument = findArgument(input->get());
        argument && argument.getArgNumber() == donor &&
        input->get().getType() == op.getResult(0).getType() &&
        op.getMatchingIndexingMap(input).isIdentity() &&
        findRowUpdate(op, 0, op.getMatchingBlockArgument(input)))
      return input;
  return nullptr;
}

namespace {

/// An op, and its input that becomes its init.
struct Update {
  linalg::GenericOp op;
  OpOperand *updated;
};

} // namespace

/// Makes one op behind the last one that computes the results of all, in place.
static linalg::GenericOp unite(RewriterBase &rewriter,
                               ArrayRef<Update> updates) {
  SmallVector<Value> inputs, inits;
  SmallVector<AffineMap> maps, ofInits;
  SmallVector<Location> locs;
  llvm::DenseMap<OpOperand *, unsigned> places; // of the inputs
  for (const Update &update : updates) {
    linalg::GenericOp op = update.op;
    locs.push_back(op.getLoc());
    inits.push_back(update.updated->get());
    ofInits.push_back(op.getMatchingIndexingMap(update.updated));
    for (OpOperand *input : op.getDpsInputOperands()) {
      if (input == update.updated)
        continue;
      AffineMap map = op.getMatchingIndexingMap(input);
      unsigned place = 0;
      while (place != inputs.size() &&
             (inputs[place] != input->get() || maps[place] != map))
        ++place;
      places[input] = place;
      if (place != inputs.size())
        continue;
      inputs.push_back(input->get());
      maps.push_back(map);
    }
  }
  llvm::append_range(maps, ofInits);
  linalg::GenericOp last = updates.back().op;
  rewriter.setInsertionPointAfter(last);
  auto united = linalg::GenericOp::create(
      rewriter, rewriter.getFusedLoc(locs), TypeRange(ValueRange(inits)),
      inputs, inits, maps, last.getIteratorTypesArray(),
      [&](OpBuilder &builder, Location loc, ValueRange arguments) {
        SmallVector<Value> results;
        for (auto [number, update] : llvm::enumerate(updates)) {
          linalg::GenericOp op = update.op;
          IRMapping mapping;
          for (OpOperand *input : op.getDpsInputOperands())
            mapping.map(
                op.getMatchingBlockArgument(input),
                arguments[input == update.updated ? inputs.size() + number
                                                  : places.lookup(input)]);
          for (Operation &inner : op.getBody()->without_terminator())
            builder.clone(inner, mapping);
          results.push_back(mapping.lookupOrDefault(
              op.getBody()->getTerminator()->getOperand(0)));
        }
        linalg::YieldOp::create(builder, loc, results);
      });
  DominanceInfo dominance(united);
  eliminateCommonSubExpressions(rewriter, dominance, united);
  return united;
}

/// Whether an op is computed of the result of another one.
static bool dependsOn(linalg::GenericOp op, linalg::GenericOp other) {
  BackwardSliceOptions options;
  options.omitUsesFromAbove = false;
  SetVector<Operation *> sources;
  return failed(getBackwardSlice(op.getOperation(), &sources, options)) ||
         sources.contains(other);
}

/// Whether ops change the same rows, so that one op can have all.
static bool changeSame(RewriterBase &rewriter, ArrayRef<Update> updates) {
  linalg::GenericOp last = updates.back().op;
  SmallVector<int64_t> extents = last.getStaticLoopRanges();
  bool canUnite = llvm::all_of(updates.drop_back(), [&](const Update &update) {
    linalg::GenericOp op = update.op;
    return op.getStaticLoopRanges() == extents &&
           !ShapedType::isDynamicShape(extents) && !dependsOn(last, op);
  });
  if (!canUnite)
    return false;
  linalg::GenericOp united = unite(rewriter, updates);
  bool isUpdate = findRowUpdate(united).has_value();
  rewriter.eraseOp(united);
  return isUpdate;
}

/// Has an op compute the numbers that it reads, such as offsets, if that is
/// cheap: a kernel of their own would take longer.
static linalg::GenericOp computeNumbers(RewriterBase &rewriter,
                                        linalg::GenericOp op) {
  for (unsigned number = 0; number < op.getNumDpsInputs();) {
    OpOperand *input = op.getDpsInputOperand(number++);
    auto source = input->get().getDefiningOp<linalg::GenericOp>();
    if (!source || isa<FloatType>(getElementTypeOrSelf(input->get())) ||
        source.getNumResults() != 1 || !isPointwise(source) || !isCheap(source))
      continue;
    FailureOr<linalg::GenericOp> fused = fuseProducer(rewriter, op, *input);
    if (failed(fused))
      continue;
    rewriter.replaceOp(op, *fused);
    if (isOpTriviallyDead(source))
      rewriter.eraseOp(source);
    op = *fused;
    number = 0;
  }
  return op;
}

unsigned carousel::updateInPlace(func::FuncOp program) {
  IRRewriter rewriter(program.getContext());
  std::vector<SmallVector<Update>> kernels;
  for (auto op :
       llvm::to_vector(program.getBody().front().getOps<linalg::GenericOp>())) {
    if (!findUpdatedInput(program, op))
      continue;
    op = computeNumbers(rewriter, op);
    OpOperand *updated = findUpdatedInput(program, op);
    if (!updated)
      continue;
    SmallVector<Update> together;
    if (!kernels.empty())
      together = kernels.back();
    together.push_back({op, updated});
    if (kernels.empty() || !changeSame(rewriter, together))
      kernels.push_back({together.back()});
    else
      kernels.back() = std::move(together);
  }
  unsigned results = 0;
  for (ArrayRef<Update> updates : kernels) {
    linalg::GenericOp united = unite(rewriter, updates);
    for (auto [update, result] : llvm::zip_equal(updates, united.getResults()))
      rewriter.replaceOp(update.op, result);
    results += updates.size();
  }
  if (results != 0)
    sortTopologically(&program.getBody().front());
  return results;
}

/// The dimensions of the group along which an access goes; empty if it isn't
/// along one for each of the tensor's.
static SmallVector<unsigned> getDims(const GroupProgram &program, unsigned at,
                                     const GraphAccess &access) {
  SmallVector<unsigned> dims;
  for (std::optional<unsigned> loop : access.loops) {
    if (!loop)
      return {};
    dims.push_back(program.shape.loops[at][*loop]);
  }
  return dims;
}

namespace {

/// The order in which a group's kernel reads and writes (GroupKernel.cpp).
class AccessOrder {
public:
  explicit AccessOrder(const GroupProgram &program);

  /// Whether the kernel needs nothing of what `reader` reads once `writer` has
  /// written its result.
  bool isBefore(unsigned reader, unsigned writer) const;
  /// Whether each element of the op's result is written by one program, once.
  bool isWrittenOnce(unsigned writer, ArrayRef<unsigned> dims) const;

private:
  struct Step {
    OpPlace place = OpPlace::BeforeLoops;
    /// The reductions that it waits for, one after the other. Rows that go
    /// through the kernel in chunks are read again after each.
    unsigned pass = 0, lastPass = 0;
    /// A reduction of the loops needs it.
    bool isSummed = false;
  };

  const GraphProblem &getProblem() const { return program.graph.problem; }

  const GroupProgram &program;
  std::vector<Step> steps;
  bool hasLoops = false;
};

} // namespace

AccessOrder::AccessOrder(const GroupProgram &program)
    : program(program), steps(program.graph.problem.ops.size()) {
  ArrayRef<GraphOp> ops = getProblem().ops;
  std::vector<OpPlace> places = findOpPlaces(getProblem(), program.group,
                                             program.shape, program.schedule);
  for (auto [at, op] : llvm::enumerate(ops)) {
    Step &step = steps[at];
    step.place = places[at];
    for (const GraphAccess &access : op.reads) {
      std::optional<unsigned> source = getProblem().findWriter(access.tensor);
      if (!source)
        continue;
      step.pass =
          std::max(step.pass, steps[*source].pass + ops[*source].reduces());
    }
    hasLoops |= step.place == OpPlace::Loops;
    step.lastPass = step.pass;
    step.isSummed = step.place == OpPlace::Loops && op.reduces();
  }
  // Elements that aren't reduced are computed again where they are needed.
  for (unsigned at = ops.size(); at-- > 0;)
    for (const GraphAccess &access : ops[at].reads) {
      std::optional<unsigned> source = getProblem().findWriter(access.tensor);
      if (!source || ops[*source].reduces())
        continue;
      Step &step = steps[*source];
      step.lastPass = std::max(step.lastPass, steps[at].lastPass);
      step.isSummed |= steps[at].isSummed;
    }
}

bool AccessOrder::isBefore(unsigned reader, unsigned writer) const {
  const Step &read = steps[reader], &write = steps[writer];
  if (read.place != write.place ? read.place > write.place : reader > writer)
    return false;
  if (read.lastPass > write.pass)
    return false;
  if (!hasLoops || !program.schedule.covered)
    return true;
  // Where rows have chunks, the sums of a loop are a loop of their own.
  return read.place == write.place && !read.isSummed &&
         !(write.place == OpPlace::Loops && getProblem().ops[writer].reduces());
}

bool AccessOrder::isWrittenOnce(unsigned writer,
                                ArrayRef<unsigned> dims) const {
  const GroupSchedule &schedule = program.schedule;
  // All programs that divide a loop among themselves execute what is before it.
  if (hasLoops && steps[writer].place == OpPlace::BeforeLoops)
    return false;
  // The result of a loop's reduction is written after the loop.
  bool isInLoops = steps[writer].place == OpPlace::Loops &&
                   !getProblem().ops[writer].reduces();
  SmallVector<unsigned> own = llvm::map_to_vector(
      dims, [&](unsigned dim) { return schedule.find(dim); });
  for (auto [position, dim] : llvm::enumerate(schedule.dims)) {
    // Tiles may be made smaller yet, so that a dimension has several programs.
    bool repeats =
        dim.walk == DimWalk::Grid || (dim.walk == DimWalk::Loop && isInLoops);
    if (repeats && !llvm::is_contained(own, position))
      return false;
  }
  return true;
}

/// Whether each program reads from the tensor `read` only the elements that it
/// writes in `written`, and before it writes them.
static bool keepsToOwnElements(const GroupProgram &program, Value read,
                               Value written) {
  const Graph &graph = program.graph;
  SmallVector<unsigned> own;
  unsigned writer = 0;
  for (auto [at, op] : llvm::enumerate(graph.problem.ops))
    for (const GraphAccess &write : op.writes)
      if (graph.tensors[write.tensor] == written) {
        own = getDims(program, at, write);
        writer = at;
      }
  if (own.empty() || program.schedule.family == ScheduleFamily::Loops)
    return false;
  AccessOrder order(program);
  if (!order.isWrittenOnce(writer, own))
    return false;
  for (auto [at, op] : llvm::enumerate(graph.problem.ops))
    for (const GraphAccess &access : op.reads)
      if (graph.tensors[access.tensor] == read &&
          (access.isGather || getDims(program, at, access) != own ||
           !order.isBefore(at, writer)))
        return false;
  return true;
}

void carousel::findDonations(const GroupProgram &program,
                             MutableArrayRef<KernelOperand> operands) {
  GroupOp group = program.op;
  auto caller = group->getParentOfType<func::FuncOp>();
  unsigned result = 0;
  for (KernelOperand &operand : operands) {
    if (!operand.isResult)
      continue;
    unsigned number = result++;
    for (auto [position, other] : llvm::enumerate(operands)) {
      auto argument = dyn_cast<BlockArgument>(other.value);
      if (other.isResult || !argument || other.isSlice ||
          other.value.getType() != operand.value.getType() ||
          other.dims != operand.dims)
        continue;
      std::optional<unsigned> ofCaller = findResult(group.getResult(number));
      BlockArgument passed =
          findArgument(group.getOperand(argument.getArgNumber()));
      bool isDonated = ofCaller && passed &&
                       findDonor(caller, *ofCaller) == passed.getArgNumber();
      if (isDonated && keepsToOwnElements(program, other.value, operand.value))
        operand.mayAlias = position;
    }
  }
}

//===----------------------------------------------------------------------===//
// On buffers
//===----------------------------------------------------------------------===//

/// Whether two values are the same view of two arguments.
static bool areSameViews(Value first, BlockArgument ofFirst, Value second,
                         BlockArgument ofSecond) {
  while (first != ofFirst && second != ofSecond) {
    Operation *one = first.getDefiningOp(), *other = second.getDefiningOp();
    if (!one || !other || one->getName() != other->getName() ||
        one->getAttrDictionary() != other->getAttrDictionary() ||
        first.getType() != second.getType() ||
        !llvm::equal(one->getOperands().drop_front(),
                     other->getOperands().drop_front()))
      return false;
    first = one->getOperand(0);
    second = other->getOperand(0);
  }
  return first == ofFirst && second == ofSecond;
}

namespace {

/// Compares the steps of a program with what a result may do to an argument.
class DonationCheck {
public:
  DonationCheck(func::FuncOp program, BlockArgument donor, BlockArgument result)
      : views(program), donor(donor), result(result),
        ofDonor(views.resolve(donor)), ofResult(views.resolve(result)) {}

  /// The step that would read what has been written, or null.
  Operation *find() {
    bool isWritten = false;
    for (Operation &op : *donor.getOwner()) {
      bool isReader = has<MemoryEffects::Read>(op, ofDonor);
      bool isWriter = has<MemoryEffects::Write>(op, ofResult);
      if (isReader && (isWritten || (isWriter && !keepsToOwnElements(op))))
        return &op;
      isWritten |= isWriter;
    }
    return nullptr;
  }

private:
  template <typename Effect>
  static bool has(Operation &op, const SmallPtrSetImpl<Value> &of) {
    auto interface = dyn_cast<MemoryEffectOpInterface>(op);
    return interface && llvm::any_of(op.getOperands(), [&](Value operand) {
             return of.contains(operand) &&
                    interface.template getEffectOnValue<Effect>(operand);
           });
  }

  /// A copy of the whole, or a kernel that may write where it reads.
  bool keepsToOwnElements(Operation &op) {
    if (auto copy = dyn_cast<memref::CopyOp>(op))
      return areSameViews(copy.getSource(), donor, copy.getTarget(), result);
    if (auto copy = dyn_cast<linalg::CopyOp>(op))
      return areSameViews(copy.getInputs()[0], donor, copy.getOutputs()[0],
                          result);
    auto launch = dyn_cast<LaunchKernelOp>(op);
    if (!launch)
      return false;
    SymbolTableCollection symbols;
    SmallVector<gpu::GPUFuncOp> variants = launch.getVariants(symbols);
    if (variants.empty())
      return false;
    SmallVector<KernelArgument> arguments =
        getKernelArguments(variants.front());
    // The operand of each argument of the kernel.
    SmallVector<Value> operands;
    auto input = launch.getInputs().begin(),
         output = launch.getOutputs().begin();
    for (const KernelArgument &argument : arguments)
      operands.push_back(argument.workspace                      ? Value()
                         : argument.access == ArgumentAccess::In ? *input++
                                                                 : *output++);
    for (auto [number, operand] : llvm::enumerate(operands)) {
      if (!operand || !ofDonor.contains(operand))
        continue;
      for (auto [other, target] : llvm::enumerate(operands))
        if (target && ofResult.contains(target) &&
            (arguments[other].mayAlias != int64_t(number) ||
             !areSameViews(operand, donor, target, result)))
          return false;
    }
    return true;
  }

  BufferViewFlowAnalysis views;
  BlockArgument donor, result;
  SmallPtrSet<Value, 16> ofDonor, ofResult;
};

} // namespace

static void separate(func::FuncOp program, BlockArgument result) {
  OpBuilder builder = OpBuilder::atBlockBegin(&program.getBody().front());
  Location loc = program.getLoc();
  auto type = cast<MemRefType>(result.getType());
  SmallVector<Value> extents;
  llvm::SmallPtrSet<Operation *, 4> kept;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim)) {
      extents.push_back(memref::DimOp::create(builder, loc, result, dim));
      kept.insert(extents.back().getDefiningOp());
    }
  Value own = memref::AllocOp::create(builder, loc, type, extents);
  result.replaceAllUsesExcept(own, kept);
  builder.setInsertionPoint(program.getBody().front().getTerminator());
  memref::CopyOp::create(builder, loc, own, result);
}

unsigned carousel::separateDonations(func::FuncOp program) {
  unsigned separated = 0;
  DecisionLog log(program, "carousel-lower-program");
  for (BlockArgument result : program.getArguments()) {
    auto attr = program.getArgAttrOfType<ArgumentAttr>(
        result.getArgNumber(), CarouselDialect::kArgument);
    if (!attr || !attr.getMayAlias())
      continue;
    BlockArgument donor = program.getArgument(*attr.getMayAlias());
    Operation *reader = DonationCheck(program, donor, result).find();
    if (!reader)
      continue;
    auto given = program.getArgAttrOfType<ArgumentAttr>(
        donor.getArgNumber(), CarouselDialect::kArgument);
    log.warned(
        reader, "Donation",
        llvm::formatv("{0} is computed in memory of its own and copied, as a "
                      "step reads {1} when or after {0} is written",
                      attr.getName(), given ? given.getName() : "it"));
    separate(program, result);
    ++separated;
  }
  return separated;
}
