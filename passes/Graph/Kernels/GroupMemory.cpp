//===- GroupMemory.cpp - tensors of a group as memory and vectors ---------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See GroupMemory.h.
//
//===----------------------------------------------------------------------===//

#include "GroupMemory.h"

#include "../Bodies/WideFloats.h"
#include "../Tables/TableOps.h"
#include "GroupLoops.h"
#include "ImplicitGEMM.h"

#include "../../Block/Kernels/NeutralElement.h"

#include "carousel/Analysis/Decisions/Registers.h"
#include "carousel/Analysis/Distribution/AccessAlignment.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace carousel;

SmallVector<unsigned> carousel::getPositions(const GroupProgram &program,
                                             unsigned op) {
  return llvm::map_to_vector(program.shape.loops[op], [&](unsigned dim) {
    return program.schedule.find(dim);
  });
}

SmallVector<unsigned> carousel::getPositions(const GroupProgram &program,
                                             unsigned op,
                                             const GraphAccess &access) {
  SmallVector<unsigned> loops = getPositions(program, op), positions;
  for (auto [dim, along] : llvm::enumerate(access.loops)) {
    const GraphWindow *window = access.findWindow(dim);
    std::optional<unsigned> loop = window ? window->along : along;
    if (loop && (positions.empty() || positions.back() != loops[*loop]))
      positions.push_back(loops[*loop]);
  }
  return positions;
}

/// The position of each dimension of a memref, of those of a tensor.
SmallVector<unsigned> GroupMemory::getMemRefPositions(unsigned op,
                                                      AffineMap map) const {
  GraphAccess access;
  for (AffineExpr expr : map.getResults())
    access.loops.push_back(cast<AffineDimExpr>(expr).getPosition());
  return getPositions(program, op, access);
}

/// The element that doesn't change the reduction that reads the tensor first.
TypedAttr GroupMemory::choosePadding(Value tensor) {
  using vector::CombiningKind;
  Type element = getElementTypeOrSelf(tensor);
  for (Operation *op : program.graph.ops) {
    auto structured = cast<linalg::LinalgOp>(op);
    if (structured.getNumReductionLoops() == 0 ||
        !llvm::is_contained(op->getOperands(), tensor))
      continue;
    std::optional<Combination> combination = findCombination(structured);
    if (!combination || combination->kind == CombiningKind::ADD ||
        combination->kind == CombiningKind::MAXNUMF ||
        combination->kind == CombiningKind::MINNUMF)
      break;
    return getNeutralElement(vectors.builder, combination->kind, element);
  }
  return cast<TypedAttr>(vectors.builder.getZeroAttr(element));
}

//===----------------------------------------------------------------------===//
// Reads
//===----------------------------------------------------------------------===//

GroupValue GroupMemory::read(unsigned op, Value tensor, AffineMap map) {
  if (auto found = known.find(tensor); found != known.end())
    return found->second;
  if (GroupValue constant = readConstant(tensor); constant.value)
    return constant;
  Value memref = parameters.lookup(tensor);
  if (!isa<MemRefType>(memref.getType()))
    return GroupValue{memref, {}, {}};
  if (!map.isProjectedPermutation())
    return readWindow(op, memref, map);
  SmallVector<unsigned> positions = getMemRefPositions(op, map);
  Block *here = vectors.builder.getInsertionBlock();
  for (KnownRead &before : reads)
    if (before.memref == memref && before.positions == positions &&
        before.value.value.getParentRegion()->isAncestor(here->getParent()))
      return before.value;
  OpBuilder::InsertionGuard guard(vectors.builder);
  if (canReadAhead(memref, positions))
    vectors.builder.setInsertionPoint(firstWrite);
  else if (Operation *loop = findLoopWithout(positions))
    vectors.builder.setInsertionPoint(loop);
  GroupValue value = vectors.read(memref, positions, choosePadding(tensor));
  reads.push_back({memref, positions, value});
  return value;
}

/// The outermost loop around what is written, if a number is the same in all of
/// its iterations: it may say where tiles are that producers load. So is what
/// an online reduction has for each row, of which a thread has a few.
Operation *GroupMemory::findLoopWithout(ArrayRef<unsigned> positions) const {
  bool hasRows = vectors.schedule.family == ScheduleFamily::Stream &&
                 vectors.findVectorDims(positions).size() == 1;
  auto varies = [&](unsigned position) {
    return (vectors.isVector(position) && !hasRows) ||
           vectors.schedule.dims[position].walk != DimWalk::Grid;
  };
  if (llvm::any_of(positions, varies))
    return nullptr;
  Operation *found = nullptr;
  for (Operation *op = vectors.builder.getInsertionBlock()->getParentOp();
       isa_and_present<scf::ForOp>(op); op = op->getParentOp())
    found = op;
  return found;
}

/// A thread waits for what it reads before it writes what depends on it. So
/// what the block reads later is read before its first write, too, as long as
/// the vectors fit the registers of some threads. Results have no memory in
/// common with what is read later (Donations.cpp).
bool GroupMemory::canReadAhead(Value memref, ArrayRef<unsigned> positions) {
  Block *here = vectors.builder.getInsertionBlock();
  if (blockOfReads != here) {
    blockOfReads = here;
    registersRead = 0;
  }
  int64_t elements = 1;
  for (unsigned position : vectors.findVectorDims(positions))
    elements *= vectors.schedule.dims[position].tile;
  // A register has one element of less than 32 bits, once it is extended.
  registersRead += countRegisters(
      elements, std::max<int64_t>(
                    getElementBits(cast<ShapedType>(memref.getType())), 32));
  return firstWrite && firstWrite->getBlock() == here &&
         registersRead <= kReadAheadRegisters * kReadAheadThreads;
}

/// Whether an index grows by 1 with a loop.
static bool hasUnitStep(AffineExpr expr, unsigned loop, unsigned loops) {
  AffineExpr dim = getAffineDimExpr(loop, expr.getContext());
  AffineExpr step =
      simplifyAffineExpr(expr.replace(dim, dim + 1) - expr, loops, 0);
  auto constant = dyn_cast<AffineConstantExpr>(step);
  return constant && constant.getValue() == 1;
}

/// Elements at sums of loops: along a vector where at most one dimension of the
/// tensor goes along it by steps of 1, and gathered otherwise.
GroupValue GroupMemory::readWindow(unsigned op, Value memref, AffineMap map) {
  OpBuilder &builder = vectors.builder;
  SmallVector<unsigned> loops = getPositions(program, op);
  std::optional<unsigned> along, position;
  bool isGather = false;
  for (auto [dim, expr] : llvm::enumerate(map.getResults()))
    for (auto [loop, at] : llvm::enumerate(loops)) {
      if (!vectors.isVector(at) || !expr.isFunctionOfDim(loop))
        continue;
      isGather |= position || !hasUnitStep(expr, loop, loops.size());
      along = dim;
      position = at;
    }
  if (isGather) {
    SmallVector<GroupValue> indices =
        llvm::map_to_vector(map.getResults(), [&](AffineExpr expr) {
          return computeIndex(expr, loops);
        });
    return gather(memref, indices, vectors.findVectorDims(loops),
                  /*condition=*/{});
  }
  SmallVector<Value> begins, indices;
  for (unsigned at : loops)
    begins.push_back(vectors.getBegin(at));
  for (AffineExpr expr : map.getResults())
    indices.push_back(affine::expandAffineExpr(builder, vectors.loc, expr,
                                               begins, /*symbolValues=*/{}));
  if (!position)
    return {
        memref::LoadOp::create(builder, vectors.loc, memref, indices), {}, {}};
  auto type = cast<MemRefType>(memref.getType());
  AffineMap vectorMap = AffineMap::get(
      type.getRank(), 0, getAffineDimExpr(*along, builder.getContext()));
  Value padding = arith::ConstantOp::create(
      builder, vectors.loc,
      cast<TypedAttr>(builder.getZeroAttr(type.getElementType())));
  GroupValue result;
  result.dims = {*position};
  result.value = vector::TransferReadOp::create(
      builder, vectors.loc,
      cast<VectorType>(vectors.getType(type.getElementType(), result.dims)),
      memref, indices, padding, vectorMap, ArrayRef<bool>(false));
  return result;
}

/// An index of each element of a vector.
GroupValue GroupMemory::computeIndex(AffineExpr expr,
                                     ArrayRef<unsigned> loops) {
  OpBuilder &builder = vectors.builder;
  Location loc = vectors.loc;
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return vectors.createIndices(loops[dim.getPosition()]);
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return {arith::ConstantIndexOp::create(builder, loc, constant.getValue()),
            {},
            {}};
  auto binary = cast<AffineBinaryOpExpr>(expr);
  GroupValue lhs = computeIndex(binary.getLHS(), loops);
  GroupValue rhs = computeIndex(binary.getRHS(), loops);
  GroupValue result;
  result.dims = lhs.dims;
  llvm::append_range(result.dims, rhs.dims);
  result.dims = vectors.findVectorDims(result.dims);
  Value a = vectors.expand(lhs, result.dims);
  Value b = vectors.expand(rhs, result.dims);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    result.value = arith::AddIOp::create(builder, loc, a, b);
    break;
  case AffineExprKind::Mul:
    result.value = arith::MulIOp::create(builder, loc, a, b);
    break;
  case AffineExprKind::Mod:
    result.value = arith::RemUIOp::create(builder, loc, a, b);
    break;
  case AffineExprKind::FloorDiv:
    result.value = arith::DivUIOp::create(builder, loc, a, b);
    break;
  default:
    result.value = arith::CeilDivUIOp::create(builder, loc, a, b);
    break;
  }
  return result;
}

/// The elements of a tensor.empty are some value, and never poison
/// (FuseGraph.cpp).
GroupValue GroupMemory::readConstant(Value tensor) {
  TypedAttr fill = findFill(tensor);
  if (tensor.getDefiningOp<tensor::EmptyOp>())
    fill = vectors.builder.getZeroAttr(getElementTypeOrSelf(tensor));
  if (!fill)
    return {};
  Value value = arith::ConstantOp::create(vectors.builder, vectors.loc, fill);
  return {value, {}, fill};
}

GroupValue GroupMemory::readInit(unsigned op, unsigned init) {
  auto structured = cast<linalg::LinalgOp>(program.graph.ops[op]);
  OpOperand &operand = structured.getDpsInitsMutable()[init];
  if (GroupValue constant = readConstant(operand.get()); constant.value)
    return constant;
  // A result has the loops of its op that are not reduced: never a window.
  return read(op, operand.get(), structured.getMatchingIndexingMap(&operand));
}

void GroupMemory::readOperands(
    unsigned op, BodyValues &values,
    llvm::function_ref<bool(BlockArgument)> isNeeded) {
  auto structured = cast<linalg::LinalgOp>(program.graph.ops[op]);
  Block *body = structured.getBlock();
  for (OpOperand *input : structured.getDpsInputOperands()) {
    BlockArgument argument = structured.getMatchingBlockArgument(input);
    if (argument.use_empty() || (isNeeded && !isNeeded(argument)))
      continue;
    bool isImage = input->getOperandNumber() == 0 &&
                   program.graph.problem.ops[op].kind == GraphOpKind::Stencil;
    values[argument] = isImage ? readImage(op)
                               : read(op, input->get(),
                                      structured.getMatchingIndexingMap(input));
  }
  for (unsigned init = 0, e = structured.getNumDpsInits(); init != e; ++init) {
    BlockArgument argument =
        body->getArgument(structured.getNumDpsInputs() + init);
    if (readsInit(structured, init) && structured.getNumReductionLoops() == 0 &&
        (!isNeeded || isNeeded(argument)))
      values[argument] = readInit(op, init);
  }
  body->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (Value parameter = parameters.lookup(operand);
          parameter && !isa<MemRefType>(parameter.getType()))
        values[operand] = {parameter, {}, {}};
  });
}

GroupValue GroupMemory::readImage(unsigned op) {
  const GraphAccess &image = program.graph.problem.ops[op].reads.front();
  Value tensor = program.graph.tensors[image.tensor];
  if (GroupValue constant = readConstant(tensor); constant.value)
    return constant;
  return ImageReader(program, op, vectors).read(parameters.lookup(tensor));
}

StoredVector GroupMemory::readFactor(unsigned op, OpOperand *factor) {
  auto structured = cast<linalg::LinalgOp>(program.graph.ops[op]);
  SmallVector<unsigned> positions =
      getMemRefPositions(op, structured.getMatchingIndexingMap(factor));
  if (auto kept = factors.find(factor); kept != factors.end())
    return kept->second;
  auto found = known.find(factor->get());
  GroupValue value =
      found != known.end() ? found->second : readConstant(factor->get());
  if (value.value) {
    value = convertFloat(vectors, value, getElementTypeOrSelf(factor->get()));
    // A number for all elements, or one for each row, may be a factor, too.
    SmallVector<unsigned> dims = vectors.findVectorDims(positions);
    // Products take dimensions in any order, as they are in memory.
    auto transpose = value.value.getDefiningOp<vector::TransposeOp>();
    if (!transpose || value.dims != dims)
      return {vectors.expand(value, dims), dims, value.padding};
    SmallVector<unsigned> stored(dims.size());
    for (auto [dim, from] : llvm::zip_equal(dims, transpose.getPermutation()))
      stored[from] = dim;
    return {transpose.getVector(), stored, value.padding};
  }
  StoredVector stored;
  stored.padding = cast<TypedAttr>(
      vectors.builder.getZeroAttr(getElementTypeOrSelf(factor->get())));
  stored.value = vectors.readBox(parameters.lookup(factor->get()), positions,
                                 stored.padding);
  for (unsigned position : positions)
    if (vectors.isVector(position))
      stored.dims.push_back(position);
  return stored;
}

/// Whether elements are neighbours in memory along each dimension of a vector,
/// as those of a slice are. If the condition differs between them, the first
/// one may not exist: it does at the loops' own numbers and at 0. Transfers may
/// begin where no row is.
static bool areNeighbours(ArrayRef<GroupValue> indices, ArrayRef<unsigned> dims,
                          const GroupValue &condition) {
  SmallVector<unsigned> found;
  for (const GroupValue &index : indices) {
    bool isLoop = index.first && index.value.getDefiningOp<vector::StepOp>();
    if (!condition.dims.empty() && !condition.isOfRow && !isLoop &&
        !(index.dims.empty() && matchPattern(index.value, m_Zero())))
      return false;
    if (index.dims.empty())
      continue;
    if (!index.first || llvm::is_contained(found, index.dims.front()))
      return false;
    found.push_back(index.dims.front());
  }
  return found.size() == dims.size();
}

GroupValue GroupMemory::extract(Value tensor, ArrayRef<GroupValue> indices,
                                const GroupValue &condition) {
  if (indices.empty())
    return read(0, tensor, AffineMap::get(vectors.builder.getContext()));
  if (GroupValue constant = readConstant(tensor); constant.value)
    return constant;
  Value memref = parameters.lookup(tensor);
  if ((!condition.value || condition.isOfRow) && isPipelined(program))
    if (std::optional<GroupValue> rows = vectors.readRows(memref, indices))
      return *rows;
  SmallVector<unsigned> dims(condition.dims);
  for (const GroupValue &index : indices)
    llvm::append_range(dims, index.dims);
  dims = vectors.findVectorDims(dims);
  if (!dims.empty())
    return areNeighbours(indices, dims, condition)
               ? readNeighbours(memref, indices, dims, condition)
               : gather(memref, indices, dims, condition);
  SmallVector<Value> scalars = llvm::map_to_vector(
      indices, [](const GroupValue &index) { return index.value; });
  return readUnder(
      condition, cast<MemRefType>(memref.getType()).getElementType(),
      [&](OpBuilder &builder) -> Value {
        return memref::LoadOp::create(builder, vectors.loc, memref, scalars);
      });
}

GroupValue GroupMemory::readPages(const PagedRows &pages,
                                  const BodyValues &values) {
  tensor::ExtractOp page = pages.page, element = pages.element;
  SmallVector<GroupValue> indices;
  for (auto [dim, index] :
       llvm::drop_begin(llvm::enumerate(element.getIndices())))
    indices.push_back(values.lookup(dim == pages.at ? pages.number : index));
  return vectors.readPages(
      parameters.lookup(element.getTensor()),
      parameters.lookup(page.getTensor()),
      llvm::map_to_vector(
          page.getIndices().drop_back(),
          [&](Value index) { return values.lookup(index).value; }),
      indices, pages.at - 1);
}

GroupValue GroupMemory::readUnder(const GroupValue &condition, Type type,
                                  llvm::function_ref<Value(OpBuilder &)> read) {
  Value value = condition.value ? createBranch(vectors.builder, vectors.loc,
                                               type, condition.value, read)
                                : read(vectors.builder);
  return {value, {}, {}};
}

GroupValue GroupMemory::readNeighbours(Value memref,
                                       ArrayRef<GroupValue> indices,
                                       ArrayRef<unsigned> dims,
                                       const GroupValue &condition) {
  Location loc = vectors.loc;
  SmallVector<unsigned> stored;
  SmallVector<AffineExpr> exprs;
  SmallVector<Value> begins;
  for (auto [dim, index] : llvm::enumerate(indices)) {
    begins.push_back(index.dims.empty() ? index.value : index.first);
    if (index.dims.empty())
      continue;
    stored.push_back(index.dims.front());
    exprs.push_back(getAffineDimExpr(dim, loc.getContext()));
  }
  auto type = cast<MemRefType>(memref.getType());
  Type element = type.getElementType();
  AffineMap map = AffineMap::get(type.getRank(), 0, exprs, loc.getContext());
  // Elements for which the condition doesn't hold may lie behind the end.
  SmallVector<bool> inBounds = condition.dims.empty()
                                   ? vectors.getInBounds(stored)
                                   : SmallVector<bool>(stored.size(), false);
  auto storedType = cast<VectorType>(vectors.getType(element, stored));
  auto readAll = [&](OpBuilder &builder) -> Value {
    Value padding = arith::ConstantOp::create(
        builder, loc, cast<TypedAttr>(builder.getZeroAttr(element)));
    return vector::TransferReadOp::create(builder, loc, storedType, memref,
                                          begins, padding, map, inBounds);
  };
  GroupValue result = readUnder(
      condition.dims.empty() ? condition : GroupValue(), storedType, readAll);
  SmallVector<int64_t> permutation;
  for (unsigned dim : dims)
    permutation.push_back(llvm::find(stored, dim) - stored.begin());
  if (!llvm::is_sorted(permutation))
    result.value = vector::TransposeOp::create(vectors.builder, loc,
                                               result.value, permutation);
  result.dims.assign(dims.begin(), dims.end());
  return result;
}

GroupValue GroupMemory::gather(Value memref, ArrayRef<GroupValue> indices,
                               ArrayRef<unsigned> dims,
                               const GroupValue &condition) {
  OpBuilder &builder = vectors.builder;
  Location loc = vectors.loc;
  auto type = cast<MemRefType>(memref.getType());
  // The numbers of elements, in the order of memory.
  Value numbers = vectors.expand(indices.front(), dims);
  for (unsigned dim = 1, rank = type.getRank(); dim != rank; ++dim) {
    Value extent = memref::DimOp::create(builder, loc, memref, dim);
    numbers = arith::MulIOp::create(builder, loc, numbers,
                                    vectors.expand({extent, {}, {}}, dims));
    numbers = arith::AddIOp::create(builder, loc, numbers,
                                    vectors.expand(indices[dim], dims));
  }
  if (type.getRank() > 1) {
    ReassociationIndices all =
        llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
    MemRefType collapsed =
        memref::CollapseShapeOp::computeCollapsedType(type, all);
    // Upstream's is static, which its verifier refuses, where 0 times an
    // unknown extent is 0.
    if (!type.hasStaticShape())
      collapsed =
          MemRefType::Builder(collapsed).setShape({ShapedType::kDynamic});
    memref =
        memref::CollapseShapeOp::create(builder, loc, collapsed, memref, all);
  }
  GroupValue result;
  result.dims.assign(dims.begin(), dims.end());
  auto resultType =
      cast<VectorType>(vectors.getType(type.getElementType(), dims));
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value none = vectors.createSplat(
      cast<TypedAttr>(builder.getZeroAttr(type.getElementType())), dims);
  Value mask = vectors.createMask(dims);
  if (condition.value)
    mask = arith::AndIOp::create(builder, loc, mask,
                                 vectors.expand(condition, dims));
  result.value = vector::GatherOp::create(builder, loc, resultType, memref,
                                          zero, numbers, mask, none);
  return result;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

void GroupMemory::define(unsigned op, unsigned number,
                         const GroupValue &value) {
  auto structured = cast<linalg::LinalgOp>(program.graph.ops[op]);
  OpOperand *init = structured.getDpsInitOperand(number);
  OpResult result = structured.getTiedOpResult(init);
  known[result] = value;
  Value memref = parameters.lookup(result);
  if (!memref)
    return;
  Operation *write = vectors.write(
      convertFloat(vectors, value, getElementTypeOrSelf(memref)), memref,
      getMemRefPositions(op, structured.getMatchingIndexingMap(init)));
  if (!firstWrite || firstWrite->getBlock() != write->getBlock())
    firstWrite = write;
}
