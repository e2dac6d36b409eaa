//===- LibraryEpilogues.cpp - what a library does with sums ---------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See LibraryEpilogues.h. The rules on types are cuBLASLt's: bias and residual
// have the elements of the result, and a bias goes along the dimension of the
// result in which elements are neighbours.
//
//===----------------------------------------------------------------------===//

#include "LibraryEpilogues.h"

#include "../Reading/ReadGraph.h"
#include "BodyFunctions.h"
#include "RoundingReaders.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace carousel;

std::string LibraryEpilogue::describe() const {
  SmallVector<StringRef> parts;
  if (bias)
    parts.push_back("bias");
  if (residual)
    parts.push_back("residual");
  if (function != LibraryFunction::Identity)
    parts.push_back(stringifyLibraryFunction(function));
  return parts.empty() ? "rounding" : llvm::join(parts, ", ");
}

static bool isElementwise(linalg::GenericOp op) {
  return op.getNumParallelLoops() == op.getNumLoops() &&
         op->getNumResults() == 1;
}

/// The chain of reshapes behind a product, and the only op that reads it.
static Operation *findReader(linalg::GenericOp product,
                             SmallVectorImpl<Operation *> &reshapes) {
  Value tensor = product.getResult(0);
  while (tensor.hasOneUse()) {
    Operation *user = *tensor.user_begin();
    if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(user))
      return user;
    reshapes.push_back(user);
    tensor = user->getResult(0);
  }
  return nullptr;
}

linalg::GenericOp carousel::findElementwiseReader(linalg::GenericOp product) {
  SmallVector<Operation *> reshapes;
  auto op = dyn_cast_or_null<linalg::GenericOp>(findReader(product, reshapes));
  return op && op.getNumParallelLoops() == op.getNumLoops() ? op : nullptr;
}

namespace {

/// Compares the reader of one product with what a call can compute.
class EpilogueFinder {
public:
  EpilogueFinder(linalg::GenericOp product, const LibraryProduct &loops,
                 std::string &refusal)
      : product(product), loops(loops), refusal(refusal) {}

  std::optional<LibraryEpilogue> find();

private:
  bool refuse(StringRef reason) {
    refusal = reason.str();
    return false;
  }
  bool hasUsualForm();
  bool addElement(Value element);
  void readSum();
  bool readFunction();
  bool readOperands();
  bool checkElements();
  void traceDims();
  bool goesAlongNeighbours(AffineMap map);

  linalg::GenericOp product;
  const LibraryProduct &loops;
  std::string &refusal;
  LibraryEpilogue found;
  OpOperand *read = nullptr; ///< of the op: the product
  /// In the op's body: what is added, and the sum.
  SmallVector<BlockArgument> added;
  Value sum;
  /// By dimension of the op: those of the product that it is made of.
  SmallVector<SmallVector<unsigned>> origins;
};

} // namespace

bool EpilogueFinder::hasUsualForm() {
  linalg::GenericOp op = found.op;
  if (!isElementwise(op))
    return refuse("it has several results");
  for (OpOperand *operand : op.getDpsInputOperands())
    if (operand->get() == (found.reshapes.empty()
                               ? product.getResult(0)
                               : found.reshapes.back()->getResult(0)))
      read = operand;
  if (!read || readsInit(op, 0))
    return refuse("it reads what its result has before");
  if (!op.getMatchingIndexingMap(read).isIdentity() ||
      !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity())
    return refuse("its result has its elements in another order");
  return true;
}

/// An operand, possibly extended, that isn't known yet.
bool EpilogueFinder::addElement(Value element) {
  if (auto extension = element.getDefiningOp<arith::ExtFOp>())
    element = extension.getIn();
  auto argument = dyn_cast<BlockArgument>(element);
  if (!argument || argument.getOwner() != found.op.getBlock() ||
      argument == found.op.getMatchingBlockArgument(read) ||
      llvm::is_contained(added, argument))
    return false;
  added.push_back(argument);
  return true;
}

/// Goes from the product over additions to the sum.
void EpilogueFinder::readSum() {
  sum = found.op.getMatchingBlockArgument(read);
  while (sum.hasOneUse()) {
    auto addition = dyn_cast<arith::AddFOp>(*sum.user_begin());
    if (!addition || !addition.getType().isF32() ||
        !addElement(addition.getLhs() == sum ? addition.getRhs()
                                             : addition.getLhs()))
      break;
    sum = addition.getResult();
  }
}

bool EpilogueFinder::readFunction() {
  Operation *yield = found.op.getBlock()->getTerminator();
  Value value = yield->getOperand(0);
  auto skipRounding = [](Value from) {
    auto rounding = from.getDefiningOp<arith::TruncFOp>();
    return rounding && !rounding.getRoundingmode() ? rounding.getIn() : from;
  };
  found.element = value.getType();
  Value exact = skipRounding(value);
  if (exact == sum)
    return true;
  // Relu of a number that is rounded is relu that is rounded.
  bool ignoresNaN = false;
  for (Value result : {exact, value}) {
    Operation *op = result.getDefiningOp();
    for (Value x : op ? op->getOperands() : ValueRange()) {
      if (skipRounding(x) == sum && isRelu(result, x, ignoresNaN)) {
        found.function = LibraryFunction::Relu;
        return true;
      }
      if (ignoresNaN)
        return refuse(
            "its relu makes a number of NaN, which the library keeps");
    }
  }
  if (isTanhGelu(exact, sum)) {
    found.function = LibraryFunction::Gelu;
    return true;
  }
  if (llvm::any_of(found.op.getBlock()->without_terminator(),
                   [](Operation &op) { return isa<math::ErfOp>(op); }))
    return refuse("it has erf, and the library's gelu is that of tanh");
  bool isRounded = llvm::any_of(sum.getUsers(), [](Operation *user) {
    return isa<arith::TruncFOp>(user);
  });
  return refuse(isRounded ? "it rounds the sums before it computes more"
                          : "it computes something else than a bias, a "
                            "residual, relu or gelu");
}

/// The dimensions of the product that become those of the op.
void EpilogueFinder::traceDims() {
  unsigned rank =
      cast<RankedTensorType>(product.getResult(0).getType()).getRank();
  for (unsigned dim = 0; dim < rank; ++dim)
    origins.push_back({dim});
  for (Operation *reshape : found.reshapes) {
    SmallVector<SmallVector<unsigned>> next;
    if (auto expand = dyn_cast<tensor::ExpandShapeOp>(reshape)) {
      for (auto [dim, group] :
           llvm::enumerate(expand.getReassociationIndices()))
        next.append(group.size(), origins[dim]);
    } else {
      auto collapse = cast<tensor::CollapseShapeOp>(reshape);
      for (const ReassociationIndices &group :
           collapse.getReassociationIndices()) {
        next.emplace_back();
        for (int64_t dim : group)
          llvm::append_range(next.back(), origins[dim]);
      }
    }
    origins = std::move(next);
  }
}

/// Whether an operand has all dimensions of the loops, m or n, along which the
/// result's elements are neighbours, and no other.
bool EpilogueFinder::goesAlongNeighbours(AffineMap map) {
  AffineMap result = product.getIndexingMapsArray()[2];
  const LibraryProduct::Run &run = found.isSwapped ? loops.m : loops.n;
  auto isOfRun = [&](unsigned dim) {
    return llvm::is_contained(run, result.getDimPosition(dim));
  };
  SmallVector<unsigned> dims;
  for (unsigned dim = 0; dim < origins.size(); ++dim) {
    if (llvm::none_of(origins[dim], isOfRun))
      continue;
    if (!llvm::all_of(origins[dim], isOfRun))
      return false;
    dims.push_back(dim);
  }
  if (map.getNumResults() != dims.size() || dims.empty())
    return false;
  return llvm::all_of(llvm::seq<unsigned>(0, dims.size()), [&](unsigned at) {
    auto loop = dyn_cast<AffineDimExpr>(map.getResult(at));
    return loop && loop.getPosition() == dims[at];
  });
}

bool EpilogueFinder::readOperands() {
  traceDims();
  AffineMap result = product.getIndexingMapsArray()[2];
  found.isSwapped =
      !added.empty() &&
      llvm::is_contained(loops.m,
                         result.getDimPosition(result.getNumResults() - 1));
  for (BlockArgument argument : added) {
    OpOperand *operand = found.op.getMatchingOpOperand(argument);
    AffineMap map = found.op.getMatchingIndexingMap(operand);
    OpOperand **place = nullptr;
    if (map.isIdentity())
      place = &found.residual;
    else if (goesAlongNeighbours(map))
      place = &found.bias;
    else
      return refuse("it adds what goes neither along all dimensions nor along "
                    "those in which the result's elements are neighbours");
    if (*place)
      return refuse("it adds more than one bias and one residual");
    *place = operand;
  }
  return true;
}

bool EpilogueFinder::checkElements() {
  Type factor = getElementTypeOrSelf(product.getInputs()[0]);
  SmallVector<Type> types;
  for (OpOperand *operand : {found.bias, found.residual})
    if (operand)
      types.push_back(getElementTypeOrSelf(operand->get()));
  bool areRounded = !types.empty() && llvm::all_of(types, [&](Type type) {
    return type == factor;
  });
  if (found.element.isF32() && !factor.isF32() &&
      (areRounded || types.empty()) &&
      RoundingReaders(found.op->getResult(0), factor)) {
    found.isRoundedByReaders = true;
    found.element = factor;
  }
  // It would be a kernel for the product, and another one for the function.
  if (found.element.isF32() && found.function == LibraryFunction::Gelu)
    return refuse("the library applies gelu to f32 by a kernel, too");
  if (!found.element.isF32() && found.element != factor)
    return refuse("its result has neither f32 nor the factors' elements");
  for (Type type : types) {
    if (type == found.element)
      continue;
    llvm::raw_string_ostream(refusal)
        << "it adds elements of " << type << " to a result of " << found.element
        << ", and the library adds those of the result's type";
    return false;
  }
  return true;
}

std::optional<LibraryEpilogue> EpilogueFinder::find() {
  found.op =
      dyn_cast_or_null<linalg::GenericOp>(findReader(product, found.reshapes));
  if (!found.op || !hasUsualForm())
    return std::nullopt;
  readSum();
  if (!readFunction() || !readOperands() || !checkElements())
    return std::nullopt;
  return std::move(found);
}

std::optional<LibraryEpilogue>
carousel::findEpilogue(linalg::GenericOp product, const LibraryProduct &loops,
                       std::string &refusal) {
  return EpilogueFinder(product, loops, refusal).find();
}
