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

namespace {

class TimeEstimator {
public:
  TimeEstimator(const GraphProblem &problem, const OpGroup &group,
                const GroupShape &shape, const GroupSchedule &schedule,
                double neededPart)
      : problem(problem), chip(problem.chip), group(group), shape(shape),
        schedule(schedule), neededPart(neededPart) {
    for (const ScheduledDim &dim : schedule.dims)
      programs *= countPrograms(dim);
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

  double countPrograms(const ScheduledDim &dim) const {
    if (!dim.hasManyPrograms())
      return 1;
    double elements = 1;
    for (unsigned own : dim.dims)
      elements *= double(assumeExtent(shape.dims[own].extent));
    return std::ceil(elements / double(dim.tile));
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
        copies *= countPrograms(dim);
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
