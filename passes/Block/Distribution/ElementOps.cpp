//===- ElementOps.cpp - what computes elements of vectors -----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ElementOps.h.
//
//===----------------------------------------------------------------------===//

#include "ElementOps.h"

#include "carousel/Analysis/Layouts/ElementMaps.h"
#include "carousel/Dialect/IR/CarouselOps.h"

using namespace mlir;
using namespace carousel;

/// After an error, the program goes on with zeros.
static SmallVector<Value> callInterface(ThreadProgram &program,
                                        DistributionOpInterface op,
                                        ArrayRef<Value> sources,
                                        int64_t count) {
  SmallVector<Value> own;
  for (Value source : sources)
    own.push_back(isa<VectorType>(source.getType())
                      ? source
                      : vector::BroadcastOp::create(
                            program.builder, program.loc,
                            VectorType::get({count}, source.getType()), source)
                            .getResult());
  FailureOr<SmallVector<Value>> elements =
      createElements(op, program.builder, own, count);
  if (succeeded(elements))
    return *elements;
  program.hasErrors = true;
  return llvm::map_to_vector(op->getResultTypes(), [&](Type type) -> Value {
    auto own = VectorType::get({count}, getElementTypeOrSelf(type));
    return arith::ConstantOp::create(program.builder, program.loc, own,
                                     program.builder.getZeroAttr(own));
  });
}

SmallVector<Value> carousel::computeElements(ThreadProgram &program,
                                             Operation *op, ValueRange operands,
                                             int64_t count) {
  if (auto own = dyn_cast<DistributionOpInterface>(op))
    return callInterface(program, own, SmallVector<Value>(operands), count);
  SmallVector<Type> types;
  for (Type type : op->getResultTypes())
    types.push_back(VectorType::get({count}, getElementTypeOrSelf(type)));
  OperationState state(op->getLoc(), op->getName(), operands, types);
  for (NamedAttribute attr : op->getAttrs())
    if (attr.getName() != CarouselDialect::kLayout)
      state.addAttribute(attr.getName(), attr.getValue());
  return SmallVector<Value>(program.builder.create(state)->getResults());
}

SmallVector<Value>
carousel::computeFromSources(ThreadProgram &program, DistributionOpInterface op,
                             ArrayRef<DistributedVector> operands,
                             const LinearLayout &layout) {
  int64_t count = countRegisters(layout);
  SmallVector<Value> sources;
  for (const ElementSource &source : op.getElementSources()) {
    const DistributedVector &operand = operands[source.operand];
    if (!operand.layout) {
      sources.push_back(operand.registers);
      continue;
    }
    ElementMap map = *findElementMap(op, source);
    SmallVector<int64_t> numbers;
    for (uint32_t number = 0; number < count; ++number) {
      std::optional<uint32_t> at = operand.layout->findRegister(
          map.apply(getRegisterCoordinates(layout, number)));
      assert(at && "expected the element in a register of the same thread");
      numbers.push_back(*at);
    }
    sources.push_back(program.select(operand.registers, numbers));
  }
  return callInterface(program, op, sources, count);
}
