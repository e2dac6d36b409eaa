//===- GroupTimes.cpp - how long kernels of groups take -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See GroupTimes.h.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Graph/GroupTimes.h"

#include "carousel/Analysis/Graph/GroupShape.h"
#include "carousel/Analysis/Graph/LibraryProducts.h"
#include "llvm/ADT/STLExtras.h"

using namespace carousel;

static double countPrograms(const GroupShape &shape, const ScheduledDim &dim) {
  if (!dim.hasManyPrograms())
    return 1;
  double elements = 1;
  for (unsigned own : dim.dims)
    elements *= double(assumeExtent(shape.dims[own].extent));
  return std::ceil(elements / double(dim.tile));
}

//===----------------------------------------------------------------------===//
// Parts of sectors
//===----------------------------------------------------------------------===//

namespace {

class SectorCounter {
public:
  SectorCounter(const GraphProblem &problem, const OpGroup &group,
                const GroupShape &shape, const GroupSchedule &schedule)
      : problem(problem), group(group), shape(shape), schedule(schedule) {}

  /// The runs of elements that are shorter than a sector, of all programs.
  double run() const {
    double runs = 0;
    for (auto [at, number] : llvm::enumerate(group.ops)) {
      const GraphOp &op = problem.ops[number];
      for (const GraphAccess &read : op.reads)
        if (!group.findWriter(problem, read.tensor))
          runs += countRuns(at, read);
      for (const GraphAccess &write : op.writes)
        if (leavesGroup(problem, group, write.tensor))
          runs += countRuns(at, write);
    }
    return runs;
  }

private:
  static constexpr int64_t kSectorBytes = 32;

  double countRuns(size_t at, const GraphAccess &access) const {
    int64_t run = countRun(at, access);
    int64_t ofElement = problem.tensors[access.tensor].elementBytes;
    if (!access.isRegular() || run * ofElement >= kSectorBytes)
      return 0;
    double elements = 1;
    for (std::optional<unsigned> loop : access.loops)
      elements *=
          double(assumeExtent(problem.ops[group.ops[at]].loops[*loop].extent));
    return elements * countCopies(at, access) / double(run);
  }

  /// The elements that follow each other in memory of those that a program has.
  /// A loop of single ones finds the rest of a sector in the L1.
  int64_t countRun(size_t at, const GraphAccess &access) const {
    int64_t run = 1;
    for (std::optional<unsigned> loop : llvm::reverse(access.loops)) {
      if (!loop)
        break;
      unsigned own = shape.loops[at][*loop];
      int64_t extent = assumeExtent(shape.dims[own].extent);
      const ScheduledDim &dim = schedule.dims[schedule.find(own)];
      int64_t elements =
          dim.hasManyPrograms() ? std::min(dim.tile, extent) : extent;
      run *= elements;
      if (elements < extent)
        break;
    }
    return run;
  }

  /// The programs that access the same elements.
  double countCopies(size_t at, const GraphAccess &access) const {
    double copies = 1;
    for (const ScheduledDim &dim : schedule.dims)
      if (llvm::none_of(dim.dims, [&](unsigned own) {
            return shape.hasDim(at, access, own);
          }))
        copies *= countPrograms(shape, dim);
    return copies;
  }

  const GraphProblem &problem;
  const OpGroup &group;
  const GroupShape &shape;
  const GroupSchedule &schedule;
};

} // namespace

double carousel::estimateSplitSectors(const GraphProblem &problem,
                                      const OpGroup &group,
                                      const GroupShape &shape,
                                      const GroupSchedule &schedule) {
  const ChipModel &chip = problem.chip;
  return SectorCounter(problem, group, shape, schedule).run() /
         (chip.clockGHz * double(chip.sms)) / 1e3;
}

//===----------------------------------------------------------------------===//
// All limits
//===----------------------------------------------------------------------===//

namespace {

class TimeEstimator {
public:
  TimeEstimator(const GraphProblem &problem, const OpGroup &group,
                const GroupShape &shape, const GroupSchedule &schedule,
                double neededPart)
      : problem(problem), chip(problem.chip), group(group), shape(shape),
        schedule(schedule), neededPart(neededPart) {
    for (const ScheduledDim &dim : schedule.dims)
      programs *= countPrograms(shape, dim);
    undivided = programs;
    if (schedule.division)
      programs *= double(schedule.division->mostParts);
  }

  GroupTime run() {
    time.bytes = countGatheredTraffic(problem, group);
    double bytes = double(time.bytes);
    double most = programs * chip.bytesPerNsOfSM;
    limitBy(bytes / std::min(chip.bytesPerNs, most) / 1e3,
            most < chip.bytesPerNs ? describeFew() : "memory");
    limitBy(estimateSplitSectors(problem, group, shape, schedule),
            "parts of sectors");
    double products = 0, least = 0;
    bool areByThreads = false;
    for (auto [at, number] : llvm::enumerate(group.ops)) {
      const GraphOp &op = problem.ops[number];
      if (!op.isProduct())
        continue;
      double operations = 2.0 * countIterations(at);
      time.operations += operations;
      areByThreads |= problem.isByThreads(op);
      products += operations / getRate(op) * 1e-6;
      least += operations / getPeak(op) * 1e-6;
    }
    limitBy(products / getUsedPart(), areByThreads ? "multiply-adds of threads"
                                      : getUsedPart() < 1 ? describeFew()
                                                          : "tensor cores");
    limitByInstructions();
    limitByPrograms();
    time.bound = std::max(bytes / chip.bytesPerNs / 1e3, least);
    double launch = double(chip.nextLaunch) / 1e3;
    time.bound += launch;
    time.predicted += launch;
    return std::move(time);
  }

private:
  void limitBy(double own, const llvm::Twine &limit) {
    if (own <= time.predicted)
      return;
    time.predicted = own;
    time.limit = limit.str();
  }

  /// The part of the device that has programs.
  double getUsedPart() const {
    return std::min(programs / double(chip.sms), 1.0);
  }
  std::string describeFew() const {
    return std::to_string(int64_t(programs)) + " programs for " +
           std::to_string(chip.sms) + " multiprocessors";
  }

  /// Those of the op at `at`, of tiles that masks leave.
  double countIterations(size_t at) const {
    double all = double(problem.ops[group.ops[at]].getIterations());
    bool isAlong =
        shape.stream && llvm::is_contained(shape.loops[at], shape.stream->dim);
    return isAlong ? all * neededPart : all;
  }

  double getRate(const GraphOp &op) const {
    return getKernelRate(problem, getFactorKind(problem, op), op);
  }
  double getPeak(const GraphOp &op) const {
    return getLibraryRate(chip, getFactorKind(problem, op));
  }

  /// How many programs compute the same elements of the op at `at`: those along
  /// dimensions that it lacks.
  double countCopies(size_t at) const {
    double copies = 1;
    for (const ScheduledDim &dim : schedule.dims)
      if (llvm::none_of(dim.dims, [&](unsigned own) {
            return llvm::is_contained(shape.loops[at], own);
          }))
        copies *= countPrograms(shape, dim);
    return copies;
  }

  /// Counts the instructions of all ops but products, which have limits of
  /// their own. An access counts as one.
  void limitByInstructions() {
    constexpr double kLanes = 32;
    double all = 0, most = 0, copiesOfMost = 1;
    const GraphOp *longest = nullptr;
    for (auto [at, number] : llvm::enumerate(group.ops)) {
      const GraphOp &op = problem.ops[number];
      if (op.isProduct())
        continue;
      double copies = countCopies(at);
      double own = countIterations(at) * copies *
                   double(op.work + int64_t(op.reads.size()));
      all += own;
      if (own <= most)
        continue;
      most = own;
      copiesOfMost = copies;
      longest = &op;
    }
    if (!longest)
      return;
    double perNs = double(chip.sms) * getUsedPart() *
                   double(chip.issuePerCycle) * kLanes * chip.clockGHz;
    std::string limit = "instructions, most of '" + longest->name + "'";
    if (copiesOfMost > 1)
      limit += ", which " + std::to_string(int64_t(copiesOfMost)) +
               " programs compute again";
    limitBy(all / perNs / 1e3, limit);
  }

  /// A device starts about one CTA a cycle. Measured on an H200: 524288 CTAs of
  /// which each adds 64 numbers take 331 us. Few programs are divided, and CTAs
  /// of rows whose length a launch knows execute several.
  void limitByPrograms() {
    if (schedule.covered &&
        schedule.dims[*schedule.covered].extent == kUnknownExtent)
      return;
    limitBy(undivided / chip.clockGHz / 1e3,
            std::to_string(int64_t(undivided)) + " programs of few elements");
  }

  const GraphProblem &problem;
  const ChipModel &chip;
  const OpGroup &group;
  const GroupShape &shape;
  const GroupSchedule &schedule;
  double neededPart;
  double programs = 1, undivided = 1;
  GroupTime time;
};

} // namespace

GroupTime carousel::estimateGroupTime(const GraphProblem &problem,
                                      const OpGroup &group,
                                      const GroupShape &shape,
                                      const GroupSchedule &schedule,
                                      double neededPart) {
  return TimeEstimator(problem, group, shape, schedule, neededPart).run();
}
