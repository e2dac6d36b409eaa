//===- PartsLowering.h - ops whose parts are arguments ----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Most ops of the machine phase become a call of the function of their name,
// with some of their parts as arguments. A list of these parts is the lowering.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_COMPILE_MACHINE_PARTSLOWERING_H
#define CAROUSEL_LIB_SIMULATOR_COMPILE_MACHINE_PARTSLOWERING_H

#include "MachineLowering.h"

namespace carousel::sim {

enum class Part {
  // Addresses.
  Source,
  Destination,
  Signalled, ///< the barrier of a copy
  Barrier,
  Semaphore,
  // Operands, or the literals that stand for them.
  Size,
  Count,
  Bytes,
  Map,
  Coordinates, ///< their number, and five of them
  Offsets,     ///< their number, and three of them
  Turn,
  Value,      ///< its address
  ValueBytes, ///< how many it has
  // Masks, or all ones without any.
  MulticastMask,
  ByteMask,
  Mask,
  // Attributes.
  Kind,
  Type,
  Mode,
  Semantics,
  Scope,
  Proxy,
  Pending,
  Noinc,
};

/// `carousel_sim_bulk_load` for `carousel.bulk.load`.
template <typename Op> std::string getFunctionName() {
  llvm::StringRef name = Op::getOperationName();
  name.consume_front("carousel.");
  std::string function = ("carousel_sim_" + name).str();
  std::replace(function.begin(), function.end(), '.', '_');
  return function;
}

template <typename Op, Part... parts>
class PartsLowering : public MachineLowering<Op> {
public:
  using typename MachineLowering<Op>::Adaptor;
  using MachineLowering<Op>::MachineLowering;

  mlir::LogicalResult
  matchAndRewrite(Op op, Adaptor adaptor,
                  mlir::ConversionPatternRewriter &rewriter) const override {
    MachineCall call = this->getCall(rewriter, op);
    llvm::SmallVector<mlir::Value> arguments;
    (add<parts>(op, adaptor, rewriter, call, arguments), ...);
    call.emit(getFunctionName<Op>(), arguments);
    rewriter.eraseOp(op);
    return mlir::success();
  }

private:
  using Arguments = llvm::SmallVectorImpl<mlir::Value>;

  template <Part part>
  void add(Op op, Adaptor adaptor, mlir::ConversionPatternRewriter &rewriter,
           MachineCall &call, Arguments &to) const {
    if constexpr (part == Part::Coordinates)
      addList(call, adaptor.getCoordinates(), 5, to);
    else if constexpr (part == Part::Offsets)
      addList(call, adaptor.getOffsets(), 3, to);
    else
      to.push_back(get<part>(op, adaptor, rewriter, call));
  }

  static void addList(MachineCall &call, mlir::ValueRange values, unsigned room,
                      Arguments &to) {
    to.push_back(call.i32(values.size()));
    for (unsigned i = 0; i < room; ++i)
      to.push_back(i < values.size() ? values[i] : call.i32(0));
  }

  static mlir::Value orOnes(MachineCall &call, mlir::Value mask) {
    return mask ? mask : call.i32(-1);
  }

  template <Part part>
  mlir::Value get(Op op, Adaptor adaptor,
                  mlir::ConversionPatternRewriter &rewriter,
                  MachineCall &call) const {
    if constexpr (part == Part::Source)
      return this->getSource(rewriter, op, adaptor);
    else if constexpr (part == Part::Destination)
      return this->getDestination(rewriter, op, adaptor);
    else if constexpr (part == Part::Signalled)
      return this->getSignalled(rewriter, op, adaptor);
    else if constexpr (part == Part::Barrier)
      return this->getBarrier(rewriter, op, adaptor);
    else if constexpr (part == Part::Semaphore)
      return this->getPointer(rewriter, op.getLoc(), op.getSemaphores(),
                              adaptor.getSemaphores(), adaptor.getIndices());
    else if constexpr (part == Part::Size)
      return call.i32(adaptor.getSize(), op.getStaticSize());
    else if constexpr (part == Part::Count)
      return call.i32(adaptor.getCount(), op.getStaticCount());
    else if constexpr (part == Part::Bytes)
      return call.i32(adaptor.getBytes(), op.getStaticBytes());
    else if constexpr (part == Part::Map)
      return adaptor.getMap();
    else if constexpr (part == Part::Turn)
      return adaptor.getTurn();
    else if constexpr (part == Part::Value)
      return storeSpilled(rewriter, op, adaptor.getValue());
    else if constexpr (part == Part::ValueBytes)
      return call.i32(getBytes(op.getValue().getType()));
    else if constexpr (part == Part::MulticastMask)
      return orOnes(call, adaptor.getMulticastMask());
    else if constexpr (part == Part::ByteMask)
      return orOnes(call, adaptor.getByteMask());
    else if constexpr (part == Part::Mask)
      return orOnes(call, adaptor.getMask());
    else if constexpr (part == Part::Kind)
      return call.i32(op.getKind());
    else if constexpr (part == Part::Type)
      return call.i32(op.getType());
    else if constexpr (part == Part::Mode)
      return call.i32(op.getMode());
    else if constexpr (part == Part::Semantics)
      return call.i32(op.getSemantics());
    else if constexpr (part == Part::Scope)
      return call.i32(op.getScope());
    else if constexpr (part == Part::Proxy)
      return call.i32(op.getProxy());
    else if constexpr (part == Part::Pending)
      return call.i32(op.getPending());
    else
      return call.i32(op.getNoinc());
  }

  static int64_t getBytes(mlir::Type type) {
    if (auto vector = mlir::dyn_cast<mlir::VectorType>(type))
      return vector.getNumElements() * getBytes(vector.getElementType());
    return type.getIntOrFloatBitWidth() / 8;
  }
};

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_COMPILE_MACHINE_PARTSLOWERING_H
