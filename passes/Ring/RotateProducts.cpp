//===- RotateProducts.cpp - products of two iterations at once ------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --carousel-rotate-products. Analysis/Rings/ProductRotation.h plans which op
// belongs to which stage. The first stage of the first iteration comes before
// the loop, and the second one of the last iteration behind it.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Decisions/Registers.h"
#include "carousel/Analysis/Rings/ProductRotation.h"
#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Passes/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Remarks.h"

namespace carousel {
#define GEN_PASS_DEF_ROTATEPRODUCTS
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

namespace {

/// Writes the rotated loop, and replaces the loop by it.
class LoopRotation {
public:
  LoopRotation(scf::ForOp loop, const ProductRotation &plan)
      : loop(loop), plan(plan), b(loop.getLoc(), loop) {
    for (unsigned number = 0; number < loop.getNumRegionIterArgs(); ++number)
      if (!llvm::is_contained(plan.sums, number))
        (llvm::is_contained(plan.late, number) ? late : early)
            .push_back(number);
  }

  void write();

private:
  /// Collects the loop's values: early ones of the next iteration, late ones of
  /// this one, those handed over to the next one, and the sums.
  SmallVector<Value> collect(const IRMapping &next, ArrayRef<Value> ofLate,
                             ArrayRef<Value> ofSums);
  SmallVector<Value> writeIterations();
  scf::ForOp createLoop(ArrayRef<Value> inits);
  void writeBody(scf::ForOp rotated);
  void clone(ArrayRef<Operation *> ops, IRMapping &mapping) {
    for (Operation *op : ops)
      b.clone(*op, mapping);
  }
  /// For the second stage, from what the rotated loop carries.
  IRMapping mapSecond(ValueRange carried);
  void cloneSecond(IRMapping &mapping) {
    clone(plan.scale, mapping);
    clone(plan.second, mapping);
  }
  Value getYielded(unsigned number) { return loop.getYieldedValues()[number]; }
  SmallVector<Value> getYielded(const IRMapping &mapping,
                                ArrayRef<unsigned> numbers) {
    return llvm::map_to_vector(numbers, [&](unsigned number) {
      return mapping.lookupOrDefault(getYielded(number));
    });
  }

  scf::ForOp loop;
  const ProductRotation &plan;
  ImplicitLocOpBuilder b;
  SmallVector<unsigned> early, late;
};

} // namespace

SmallVector<Value> LoopRotation::collect(const IRMapping &next,
                                         ArrayRef<Value> ofLate,
                                         ArrayRef<Value> ofSums) {
  SmallVector<Value> values = getYielded(next, early);
  llvm::append_range(values, ofLate);
  for (Value value : plan.handed)
    values.push_back(next.lookupOrDefault(value));
  llvm::append_range(values, ofSums);
  return values;
}

IRMapping LoopRotation::mapSecond(ValueRange carried) {
  IRMapping mapping;
  carried = carried.drop_front(early.size());
  for (unsigned number : late) {
    mapping.map(loop.getRegionIterArg(number), carried.front());
    carried = carried.drop_front();
  }
  for (Value value : plan.handed) {
    mapping.map(value, carried.front());
    carried = carried.drop_front();
  }
  for (unsigned number : plan.sums) {
    mapping.map(loop.getRegionIterArg(number), carried.front());
    carried = carried.drop_front();
  }
  return mapping;
}

/// Creates the loop, from the second iteration on. No number exceeds the upper
/// bound.
scf::ForOp LoopRotation::createLoop(ArrayRef<Value> inits) {
  Value lower = loop.getLowerBound(), upper = loop.getUpperBound();
  Value rest = arith::SubIOp::create(b, upper, lower);
  Value hasSecond =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ult, loop.getStep(), rest);
  Value second = arith::AddIOp::create(b, lower, loop.getStep());
  Value begin = arith::SelectOp::create(b, hasSecond, second, upper);
  auto rotated =
      scf::ForOp::create(b, begin, upper, loop.getStep(), inits,
                         /*bodyBuilder=*/nullptr, loop.getUnsignedCmp());
  rotated->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  return rotated;
}

/// The first stage of an iteration, and the second one of the iteration before,
/// which begins when the other products have begun: threads scale its sums
/// while those products are computed.
void LoopRotation::writeBody(scf::ForOp rotated) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(rotated.getBody());
  ValueRange carried = rotated.getRegionIterArgs();
  IRMapping next, own = mapSecond(carried);
  next.map(loop.getInductionVar(), rotated.getInductionVar());
  for (auto [position, number] : llvm::enumerate(early))
    next.map(loop.getRegionIterArg(number), carried[position]);
  ArrayRef<Operation *> first = plan.first;
  auto products = llvm::make_filter_range(first, llvm::IsaPred<MultiplyOp>);
  Operation *last = *std::prev(products.end());
  size_t begun = llvm::find(first, last) - first.begin() + 1;
  clone(first.take_front(begun), next);
  cloneSecond(own);
  clone(first.drop_front(begun), next);
  scf::YieldOp::create(
      b, collect(next, getYielded(own, late), getYielded(own, plan.sums)));
}

/// Writes the iterations, of which there is at least one. Returns the loop's
/// results.
SmallVector<Value> LoopRotation::writeIterations() {
  IRMapping mapping;
  mapping.map(loop.getInductionVar(), loop.getLowerBound());
  mapping.map(loop.getRegionIterArgs(), loop.getInitArgs());
  clone(plan.first, mapping);
  auto getInits = [&](ArrayRef<unsigned> numbers) {
    return llvm::map_to_vector(
        numbers, [&](unsigned number) { return loop.getInitArgs()[number]; });
  };
  scf::ForOp rotated =
      createLoop(collect(mapping, getInits(late), getInits(plan.sums)));
  writeBody(rotated);
  IRMapping last = mapSecond(rotated.getResults());
  cloneSecond(last);
  SmallVector<Value> results(loop.getNumResults());
  for (auto [position, number] : llvm::enumerate(early))
    results[number] = rotated.getResult(position);
  for (unsigned number : late)
    results[number] = last.lookupOrDefault(getYielded(number));
  for (unsigned number : plan.sums)
    results[number] = last.lookup(getYielded(number));
  return results;
}

void LoopRotation::write() {
  auto isLess = loop.getUnsignedCmp() ? arith::CmpIPredicate::ult
                                      : arith::CmpIPredicate::slt;
  Value hasAny = arith::CmpIOp::create(b, isLess, loop.getLowerBound(),
                                       loop.getUpperBound());
  auto branch = scf::IfOp::create(b, loop.getResultTypes(), hasAny,
                                  /*withElseRegion=*/true);
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(b, writeIterations());
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, loop.getInitArgs());
  loop.replaceAllUsesWith(branch.getResults());
  loop.erase();
}

/// The registers of a consumer.
static int64_t getRegisterLimit(scf::ForOp loop) {
  auto roles = loop->getParentOfType<RingRolesOp>();
  if (std::optional<uint32_t> registers = roles.getConsumerRegisters())
    return *registers;
  int64_t threads = roles.getProducerThreads() + roles.getConsumerThreads();
  int64_t each = llvm::alignDown(rules::kRegistersPerBlock / threads,
                                 rules::kRegisterStep);
  return std::min<int64_t>(each, rules::kMaxRegisters - 1);
}

static std::string explain(scf::ForOp loop, ProductRotation &plan) {
  if (std::string why = planRotation(loop, plan); !why.empty())
    return why;
  int64_t needed = plan.countRegisters() + kAddressRegisters;
  int64_t limit = getRegisterLimit(loop);
  if (needed > limit)
    return "it needs " + std::to_string(needed) +
           " registers of a thread, which has " + std::to_string(limit);
  return {};
}

namespace {

struct RotateProducts
    : public carousel::impl::RotateProductsBase<RotateProducts> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) {
      if (!findSecondProducts(loop).empty())
        loops.push_back(loop);
    });
    for (scf::ForOp loop : loops) {
      auto kernel = loop->getParentOfType<gpu::GPUFuncOp>();
      remark::RemarkOpts options =
          remark::RemarkOpts::name("ProductRotation")
              .category("carousel-rotate-products")
              .function(kernel ? kernel.getName() : StringRef());
      Location loc = loop.getLoc();
      ProductRotation plan;
      plan.products = findSecondProducts(loop);
      std::string reason = explain(loop, plan);
      if (!reason.empty()) {
        ++loopsLeft;
        remark::missed(loc, options) << remark::add(
            "products begin when those before them are over: {0}", reason);
        continue;
      }
      LoopRotation(loop, plan).write();
      ++loopsRotated;
      remark::passed(loc, options)
          << remark::add("{0}", "the first product of an iteration begins "
                                "before the last one of the iteration before");
    }
  }
};

} // namespace
