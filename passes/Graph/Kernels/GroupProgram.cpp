//===- GroupProgram.cpp - a group of ops with its schedule ----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See GroupProgram.h.
//
//===----------------------------------------------------------------------===//

#include "GroupProgram.h"

#include "../Reading/ReadScan.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/IR/OperationSupport.h"

#include <numeric>

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

Value carousel::findResultMemory(Value result) {
  if (!result.hasOneUse())
    return {};
  auto put = dyn_cast<bufferization::MaterializeInDestinationOp>(
      *result.getUsers().begin());
  if (!put ||
      !put.getDest().getDefiningOp()->isBeforeInBlock(result.getDefiningOp()))
    return {};
  return put.getDest();
}

/// Notes what lies between rows of the tensors that the group is passed, and of
/// the memory that its results have.
static void noteGaps(GroupProgram &program) {
  auto note = [&](Value own, Value passed) {
    std::optional<unsigned> number = program.graph.findTensor(own);
    if (!number)
      return;
    GraphTensor &tensor = program.graph.problem.tensors[*number];
    SmallVector<bool> gaps = findGaps(passed);
    tensor.gaps.resize(std::max(tensor.gaps.size(), gaps.size()));
    for (auto [dim, isGap] : llvm::enumerate(gaps))
      tensor.gaps[dim] = tensor.gaps[dim] || isGap;
    tensor.rowAlignment =
        std::gcd(tensor.rowAlignment, findRowAlignment(passed));
  };
  for (auto [own, passed] : llvm::zip_equal(program.getBlock().getArguments(),
                                            program.op.getInputs()))
    note(own, passed);
  for (auto [own, result] :
       llvm::zip_equal(program.getBlock().getTerminator()->getOperands(),
                       program.op.getResults()))
    if (Value memory = findResultMemory(result))
      note(own, memory);
}

/// C361
static LogicalResult readSharedReads(GroupProgram &program) {
  ArrayRef<GraphOp> ops = program.graph.problem.ops;
  for (auto read :
       program.op.getSharedReadsAttr().getAsRange<SharedReadAttr>()) {
    auto isOp = [&](int64_t number) {
      return number >= 0 && size_t(number) < ops.size();
    };
    if (!isOp(read.getOp()) || !isOp(read.getWith()) || read.getRead() < 0 ||
        size_t(read.getRead()) >= ops[read.getOp()].reads.size())
      return program.op.emitOpError("expected shared reads of its ")
             << ops.size() << " structured ops, got " << read;
    program.group.sharedReads.push_back(
        {ops[read.getOp()].reads[read.getRead()].tensor, unsigned(read.getOp()),
         unsigned(read.getWith())});
  }
  return success();
}

/// C274, for programs that run passes without that check.
static LogicalResult checkDivisors(GroupOp group) {
  WalkResult result = group.walk([](Operation *op) {
    SmallVector<AffineMap> maps;
    if (auto structured = dyn_cast<linalg::LinalgOp>(op))
      maps = structured.getIndexingMapsArray();
    else if (auto apply = dyn_cast<affine::AffineApplyOp>(op))
      maps.push_back(apply.getAffineMap());
    for (AffineMap map : maps)
      if (AffineExpr division = findBadDivision(map)) {
        std::string text;
        llvm::raw_string_ostream(text) << division;
        op->emitError("expected positive divisors in affine maps, got '")
            << text << "'";
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return success(!result.wasInterrupted());
}

FailureOr<GroupProgram> carousel::readGroup(GroupOp op, bool usesTF32) {
  if (failed(checkDivisors(op)))
    return failure();
  GroupProgram program;
  program.op = op;
  program.usesTF32 = usesTF32;
  program.graph = readGraph(op);
  GraphProblem &problem = program.graph.problem;
  problem.usesTF32 = usesTF32;
  noteGaps(program);
  for (auto [number, node] : llvm::enumerate(problem.ops)) {
    if (node.kind == GraphOpKind::Host)
      return program.graph.ops[number]->emitError(
                 "expected structured ops in a group, got '")
             << program.graph.ops[number]->getName() << "'";
    auto structured = cast<linalg::LinalgOp>(program.graph.ops[number]);
    if (node.kind != GraphOpKind::Scan && hasScannedResults(structured))
      return structured.emitOpError(
          "expected results without reduced loops, but for those of scans");
    program.group.ops.push_back(number);
  }
  if (op.getSharedReads() && failed(readSharedReads(program)))
    return failure();
  for (auto [number, result] :
       llvm::enumerate(program.getBlock().getTerminator()->getOperands()))
    if (!result.getDefiningOp<linalg::LinalgOp>())
      return op.emitOpError("expected results that structured ops compute, got "
                            "another value as result ")
             << number;
  GroupShapeResult result = computeGroupShape(problem, program.group);
  if (!result.shape)
    return op.emitError("expected ops that can be one kernel: ")
           << result.refusal;
  program.shape = std::move(*result.shape);
  return program;
}

bool carousel::areEqual(const GroupProgram &program,
                        const GroupProgram &other) {
  auto haveSameGaps = [](const GraphTensor &own, const GraphTensor &known) {
    return own.gaps == known.gaps;
  };
  GroupOp op = program.op, known = other.op;
  return op.getSharedReads() == known.getSharedReads() &&
         llvm::equal(op.getOperandTypes(), known.getOperandTypes()) &&
         llvm::equal(op.getResultTypes(), known.getResultTypes()) &&
         OperationEquivalence::isRegionEquivalentTo(
             &op.getBody(), &known.getBody(),
             OperationEquivalence::IgnoreLocations) &&
         llvm::equal(program.graph.problem.tensors, other.graph.problem.tensors,
                     haveSameGaps);
}

//===----------------------------------------------------------------------===//
// Schedules
//===----------------------------------------------------------------------===//

static GroupScheduleAttr getAttr(MLIRContext *context,
                                 const GroupSchedule &schedule) {
  SmallVector<ScheduledDimAttr> dims;
  for (const ScheduledDim &dim : schedule.dims)
    dims.push_back(ScheduledDimAttr::get(
        context, SmallVector<int64_t>(dim.dims.begin(), dim.dims.end()),
        dim.walk, dim.tile));
  DivisionAttr division;
  if (const auto &own = schedule.division)
    division = DivisionAttr::get(
        context, own->position, own->stepElements, own->stepIterations,
        own->leastLength, own->mostParts, own->wantedPrograms, own->isCluster);
  return GroupScheduleAttr::get(context, schedule.family, dims,
                                schedule.hasOneLoop, schedule.covered,
                                schedule.few, schedule.fewRows, division);
}

static GroupSchedule read(GroupScheduleAttr attr, const GroupShape &shape) {
  GroupSchedule schedule;
  schedule.family = attr.getFamily();
  for (ScheduledDimAttr own : attr.getDims()) {
    ScheduledDim &dim = schedule.dims.emplace_back();
    dim.extent = 1;
    dim.walk = own.getWalk();
    dim.tile = own.getTile();
    for (int64_t number : own.getDims()) {
      const GroupDim &known = shape.dims[number];
      dim.dims.push_back(number);
      dim.extent =
          known.extent == kUnknownExtent || dim.extent == kUnknownExtent
              ? kUnknownExtent
              : dim.extent * known.extent;
      // Vectors have all columns of a tile, and reduce them.
      bool isOfTile = shape.stream && shape.stream->hasOneTile &&
                      shape.stream->dim == number;
      dim.isReduced |= known.isReduced && !isOfTile;
    }
  }
  schedule.hasOneLoop = attr.getOneLoop();
  schedule.covered = attr.getCovered();
  schedule.few = attr.getFew();
  schedule.fewRows = attr.getFewRows();
  if (DivisionAttr own = attr.getDivision())
    schedule.division = {unsigned(own.getPosition()),
                         own.getStepElements(),
                         own.getStepIterations(),
                         own.getLeastLength(),
                         own.getMostParts(),
                         own.getWantedPrograms(),
                         own.getCluster()};
  return schedule;
}

FailureOr<std::vector<GroupSchedule>>
carousel::readSchedules(const GroupProgram &program) {
  GroupOp op = program.op;
  if (!op.getSchedules())
    return op.emitOpError("expected a group with schedules "
                          "(--carousel-schedule-groups makes them), got none");
  std::vector<GroupSchedule> schedules;
  for (auto attr : op.getSchedulesAttr().getAsRange<GroupScheduleAttr>()) {
    bool areKnown = true;
    size_t count = 0;
    for (ScheduledDimAttr dim : attr.getDims())
      for (int64_t number : dim.getDims()) {
        ++count;
        areKnown &= size_t(number) < program.shape.dims.size();
      }
    if (!areKnown || count != program.shape.dims.size() ||
        attr.getFamily() != program.shape.family)
      return op.emitOpError("expected a schedule of family ")
             << stringifyEnum(program.shape.family) << " for "
             << program.shape.dims.size() << " dimensions, got " << attr;
    schedules.push_back(read(attr, program.shape));
    std::string misfit = findMisfit(program.graph.problem, program.group,
                                    program.shape, schedules.back());
    if (!misfit.empty())
      return op.emitOpError("expected a schedule that fits the group: ")
             << misfit << ", in " << attr;
  }
  return schedules;
}

void carousel::setSchedules(GroupProgram &program,
                            ArrayRef<GroupSchedule> schedules) {
  MLIRContext *context = program.op.getContext();
  SmallVector<Attribute> attrs;
  for (const GroupSchedule &schedule : schedules)
    attrs.push_back(getAttr(context, schedule));
  program.op.setSchedulesAttr(ArrayAttr::get(context, attrs));
}
