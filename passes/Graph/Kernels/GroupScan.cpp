//===- GroupScan.cpp - the scans of a group's kernel ----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See GroupScan.h.
//
//===----------------------------------------------------------------------===//

#include "GroupScan.h"

#include "../Reading/ReadScan.h"

#include "carousel/Dialect/IR/CarouselReduceOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace carousel;

namespace {

class ScanWriter {
public:
  ScanWriter(const GroupProgram &program, unsigned op, GroupVectors &vectors,
             GroupMemory &memory)
      : op(op), structured(cast<linalg::LinalgOp>(program.graph.ops[op])),
        scan(*findScan(structured)), vectors(vectors), memory(memory) {
    SmallVector<unsigned> positions = getPositions(program, op);
    dims = vectors.findVectorDims(positions);
    const unsigned *along = llvm::find(dims, positions[scan.loop]);
    dim = along - dims.begin();
    kept = dims;
    kept.erase(kept.begin() + dim);
  }

  SmallVector<Value> start();
  LogicalResult write(OpWriter &writer, MutableArrayRef<Value> carried);

private:
  /// The scan and the total of a chunk.
  std::pair<Value, Value> scanChunk(const CarriedValue &carried,
                                    const BodyValues &values, Value before,
                                    bool isExclusive);
  void writeBody(ScanOp chunk, const CarriedValue &carried);
  /// Whether results are computed of a value of the body.
  bool isUsed(Value value, const CarriedValue &carried);

  unsigned op;
  linalg::LinalgOp structured;
  Scan scan;
  GroupVectors &vectors;
  GroupMemory &memory;
  SmallVector<unsigned> dims, kept; ///< of vectors; without the scanned one
  unsigned dim = 0;                 ///< of vectors: the scanned one
};

} // namespace

SmallVector<Value> ScanWriter::start() {
  return llvm::map_to_vector(scan.carried, [&](const CarriedValue &carried) {
    return vectors.expand(memory.readInit(op, carried.init), kept);
  });
}

/// Whether nothing but the value up to an element is computed of one of the
/// values that it is made of.
static bool isStepAlone(Operation *user, const CarriedValue &carried) {
  Operation *last = carried.upTo.getDefiningOp();
  while (user != last && user->hasOneUse())
    user = *user->user_begin();
  return user == last;
}

bool ScanWriter::isUsed(Value value, const CarriedValue &carried) {
  return llvm::any_of(value.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (user == structured.getBlock()->getTerminator())
      return use.getOperandNumber() != carried.init;
    return value != carried.before || !isStepAlone(user, carried);
  });
}

/// Combines the earlier range's values, the first arguments, with the later
/// one's: whether a segment begins there, the factor, and the value.
void ScanWriter::writeBody(ScanOp chunk, const CarriedValue &carried) {
  OpBuilder &builder = vectors.builder;
  Location loc = vectors.loc;
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Type> types =
      llvm::map_to_vector(chunk.getSources(), [](Value source) {
        return getElementTypeOrSelf(source);
      });
  SmallVector<Type> arguments(types);
  llvm::append_range(arguments, types);
  Block *body =
      builder.createBlock(&chunk.getBody(), {}, arguments,
                          SmallVector<Location>(arguments.size(), loc));
  auto getLast = [&](unsigned fromEnd) {
    return std::pair<Value, Value>(
        body->getArgument(types.size() - fromEnd),
        body->getArgument(2 * types.size() - fromEnd));
  };
  bool isFloat = isa<FloatType>(types.back());
  auto multiply = [&](Value lhs, Value rhs) -> Value {
    return isFloat ? arith::MulFOp::create(builder, loc, lhs, rhs).getResult()
                   : arith::MulIOp::create(builder, loc, lhs, rhs);
  };
  auto [value0, value1] = getLast(1);
  SmallVector<Value> results;
  Value value;
  if (carried.combiner) {
    IRMapping mapping;
    mapping.map(carried.before, value0);
    mapping.map(carried.element, value1);
    value = builder.clone(*carried.combiner, mapping)->getResult(0);
  } else {
    auto [factor0, factor1] = getLast(2);
    results.push_back(multiply(factor0, factor1));
    if (isFloat)
      value = math::FmaOp::create(builder, loc, factor1, value0, value1);
    else
      value = arith::AddIOp::create(builder, loc, multiply(factor1, value0),
                                    value1);
  }
  if (carried.begins) {
    Value begins0 = body->getArgument(0),
          begins1 = body->getArgument(types.size());
    results.insert(results.begin(),
                   arith::OrIOp::create(builder, loc, begins0, begins1));
    value = arith::SelectOp::create(builder, loc, begins1, value1, value);
  }
  results.push_back(value);
  gpu::YieldOp::create(builder, loc, results);
}

std::pair<Value, Value> ScanWriter::scanChunk(const CarriedValue &carried,
                                              const BodyValues &values,
                                              Value before, bool isExclusive) {
  OpBuilder &builder = vectors.builder;
  Location loc = vectors.loc;
  auto expand = [&](Value value) {
    return vectors.expand(values.lookup(value), dims);
  };
  SmallVector<Value> sources, inits;
  Value element = expand(carried.element);
  if (carried.begins) {
    Value begins = expand(carried.begins), first = expand(carried.first);
    element =
        carried.beginsWhereTrue
            ? arith::SelectOp::create(builder, loc, begins, first, element)
            : arith::SelectOp::create(builder, loc, begins, element, first);
    if (!carried.beginsWhereTrue)
      begins = arith::XOrIOp::create(
          builder, loc, begins,
          vectors.createSplat(builder.getBoolAttr(true), dims));
    sources.push_back(begins);
    inits.push_back(vectors.createSplat(builder.getBoolAttr(false), kept));
  }
  if (carried.factor) {
    sources.push_back(expand(carried.factor));
    inits.push_back(vectors.createSplat(
        builder.getOneAttr(getElementTypeOrSelf(before)), kept));
  }
  sources.push_back(element);
  inits.push_back(before);
  auto chunk = ScanOp::create(builder, loc, sources, inits, int64_t(dim),
                              isExclusive, /*reverse=*/false);
  writeBody(chunk, carried);
  return {chunk.getScanned().back(), chunk.getTotals().back()};
}

LogicalResult ScanWriter::write(OpWriter &writer,
                                MutableArrayRef<Value> carried) {
  BodyValues values;
  SmallVector<Value> elements;
  for (const CarriedValue &value : scan.carried)
    for (Value part : value.getParts())
      elements.push_back(part);
  if (failed(writer.writeBody(op, elements, values)))
    return failure();
  for (auto [value, before] : llvm::zip_equal(scan.carried, carried)) {
    bool isBefore = isUsed(value.before, value);
    Value total;
    for (bool isExclusive : {true, false}) {
      if (isExclusive ? !isBefore : isBefore && !isUsed(value.upTo, value))
        continue;
      auto [scanned, last] = scanChunk(value, values, before, isExclusive);
      values[isExclusive ? value.before : value.upTo] = {scanned, dims, {}};
      total = last;
    }
    before = total;
  }
  SmallVector<Value> results;
  SmallVector<unsigned> numbers;
  Operation *end = structured.getBlock()->getTerminator();
  for (unsigned number = 0; number < end->getNumOperands(); ++number)
    if (llvm::none_of(scan.carried, [&](const CarriedValue &value) {
          return value.init == number;
        })) {
      results.push_back(end->getOperand(number));
      numbers.push_back(number);
    }
  if (failed(writer.writeBody(op, results, values)))
    return failure();
  for (auto [number, result] : llvm::zip_equal(numbers, results))
    memory.define(op, number, values[result]);
  return success();
}

SmallVector<Value> carousel::startScan(const GroupProgram &program, unsigned op,
                                       GroupVectors &vectors,
                                       GroupMemory &memory) {
  return ScanWriter(program, op, vectors, memory).start();
}

LogicalResult carousel::writeScan(const GroupProgram &program, unsigned op,
                                  GroupVectors &vectors, GroupMemory &memory,
                                  OpWriter &writer,
                                  MutableArrayRef<Value> carried) {
  return ScanWriter(program, op, vectors, memory).write(writer, carried);
}
