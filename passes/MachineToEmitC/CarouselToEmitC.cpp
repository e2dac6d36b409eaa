//===- CarouselToEmitC.cpp - calls to the device headers ------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See CarouselToEmitC.h.
//
//===----------------------------------------------------------------------===//

#include "CarouselToEmitC.h"

using namespace mlir;
using namespace carousel;

std::string carousel::spellCase(StringRef enumeration, StringRef name) {
  bool isKeyword = name == "and" || name == "or" || name == "xor";
  return ("carousel::" + enumeration + "::" + name + (isKeyword ? "_" : ""))
      .str();
}

DeviceCall &DeviceCall::address(Value memref, ValueRange converted,
                                ArrayRef<ValueRange> indices) {
  operands.push_back(builder.element(cast<MemRefType>(memref.getType()),
                                     converted, flatten(indices)));
  return *this;
}

DeviceCall &DeviceCall::semaphore(Value memref, ValueRange converted,
                                  ArrayRef<ValueRange> indices) {
  Type number = IntegerType::get(op->getContext(), 32, IntegerType::Signed);
  Value address = builder.element(cast<MemRefType>(memref.getType()), converted,
                                  flatten(indices));
  operands.push_back(builder.cast(address, emitc::PointerType::get(number)));
  return *this;
}

DeviceCall &DeviceCall::value(ValueRange optional) {
  llvm::append_range(operands, optional);
  return *this;
}

DeviceCall &DeviceCall::word(ValueRange optional,
                             std::optional<uint32_t> literal) {
  if (!optional.empty())
    return value(optional);
  if (literal)
    operands.push_back(builder.constant(
        IntegerType::get(op->getContext(), 32, IntegerType::Unsigned),
        *literal));
  return *this;
}

DeviceCall &DeviceCall::phase(ValueRange state, ValueRange parity) {
  value(state);
  if (parity.empty())
    return *this;
  Type word = IntegerType::get(op->getContext(), 32, IntegerType::Unsigned);
  if (std::optional<int64_t> constant = getConstant(one(parity)))
    operands.push_back(builder.constant(word, *constant & 1));
  else
    operands.push_back(builder.cast(one(parity), word));
  return *this;
}

DeviceCall &DeviceCall::tagged(StringRef tag, ValueRange optional) {
  if (optional.empty())
    return *this;
  operands.push_back(builder.list(
      emitc::OpaqueType::get(op->getContext(), ("carousel::" + tag).str()),
      optional));
  return *this;
}

DeviceCall &DeviceCall::list(ArrayRef<ValueRange> values) {
  if (values.empty())
    return *this;
  SmallVector<Value> numbers;
  for (Value value : flatten(values))
    numbers.push_back(builder.cast(value, getSigned(value.getType())));
  // The list has no type of its own: it is an array that the function takes.
  operands.push_back(
      builder.list(emitc::OpaqueType::get(op->getContext(), "auto"), numbers));
  return *this;
}

DeviceCall &DeviceCall::argument(const Twine &text, bool isDefault) {
  arguments.push_back(text.str());
  if (!isDefault)
    needed = arguments.size();
  return *this;
}

DeviceCall &DeviceCall::scope(MemScope scope, bool isDefault) {
  return argument(spellCase("scope", stringifyMemScope(scope)), isDefault);
}

DeviceCall &DeviceCall::semantics(MemSemantics semantics, bool isDefault) {
  return argument(spellCase("semantics", stringifyMemSemantics(semantics)),
                  isDefault);
}

DeviceCall &DeviceCall::window(Value memref) {
  bool isCluster = isClusterMemRef(memref.getType());
  return argument(isCluster ? "carousel::space::cluster"
                            : "carousel::space::shared",
                  /*isDefault=*/!isCluster);
}

LogicalResult DeviceCall::finish(StringRef suffix) {
  std::string name = "carousel::";
  for (char c : op->getName().stripDialect())
    name += c == '.' ? '_' : c;
  Type result;
  // An unused state isn't kept.
  if (op->getNumResults() == 1) {
    result = builder.types.convertType(op->getResult(0).getType());
    if (!result)
      return failure();
  }
  auto call = builder.call(result, name + suffix.str(), operands,
                           ArrayRef(arguments).take_front(needed));
  if (isMemoryEffectFree(op))
    call->setDiscardableAttr(TextAttrs::kPure, builder.rewriter.getUnitAttr());
  if (auto wait = dyn_cast<LabelledWaitOpInterface>(op))
    if (WaitLabelAttr label = wait.getLabelAttr()) {
      std::string text = "waits for " + label.getBarrier().str();
      if (label.getRole() != WaitRole::All)
        text += ", as " + stringifyWaitRole(label.getRole()).str();
      call->setDiscardableAttr(TextAttrs::kComment,
                               builder.rewriter.getStringAttr(text));
    }
  builder.rewriter.replaceOp(op, call.getResults());
  return success();
}
