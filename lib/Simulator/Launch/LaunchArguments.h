//===- LaunchArguments.h - arguments of a call ------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks arguments against a signature, and packs them as compiled code expects
// them: a memref as the fields of its descriptor, a tensor map as a pointer to
// the map that carousel.encode describes. Errors are one line.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_LAUNCH_LAUNCHARGUMENTS_H
#define CAROUSEL_LIB_SIMULATOR_LAUNCH_LAUNCHARGUMENTS_H

#include "../Async/Tensors/SimTensorMap.h"

#include "carousel/Dialect/IR/CarouselDialect.h"
#include "carousel/Simulator/Simulator.h"

#include <deque>

namespace carousel::sim {

/// One parameter of a function, in order.
struct Parameter {
  mlir::Type type;
  /// The caller's argument. For a tensor map, the argument that it is encoded
  /// from.
  unsigned argument = 0;
  /// Only a tensor map has one.
  EncodeAttr encode;
};

struct Signature {
  std::vector<Parameter> parameters;
  std::vector<ArgumentInfo> arguments;
  /// The width of an index in the parameters of PTX.
  unsigned indexBits = 64;
};

/// The memory of a memref argument.
struct ArgumentMemory {
  char *begin;
  uint64_t size;
  unsigned argument;
};

/// Poisons all elements of a memref, but not the gaps between them.
void poisonElements(const Argument &argument, uint64_t elementBytes);

/// The bytes of all memrefs that the launch gets, without workspaces.
uint64_t countOperandBytes(const Launch &launch);

class LaunchArguments {
public:
  LaunchArguments(const Signature &signature,
                  llvm::ArrayRef<Argument> arguments, int64_t multiprocessors)
      : signature(signature), arguments(arguments),
        multiprocessors(multiprocessors) {}

  /// Returns an empty string, or an error.
  std::string bind();

  void **getPacked() { return packed.data(); }
  /// The tensor maps among the parameters.
  std::vector<const void *> getMaps() const;
  llvm::ArrayRef<ArgumentMemory> getMemory() const { return memory; }
  llvm::ArrayRef<Argument> getArguments() const { return arguments; }

  /// Sets the CTAs that the device holds at once, before a grid is evaluated.
  void setResident(int64_t ctas) { resident = ctas; }

  /// Evaluates an expression of the launch. Returns false if it has no value.
  bool evaluate(ExprAttr expr, int64_t &value) const;
  /// The value of an expression without operands.
  int64_t getTerm(ExprAttr term) const;
  /// Whether a guard holds, for a device of the compute capability (as 10 *
  /// major + minor).
  bool holds(GuardAttr guard, int64_t capability) const;

private:
  std::string checkMemRef(unsigned index, mlir::MemRefType type);
  std::string checkParts(unsigned index);
  std::string checkAlias(unsigned index);
  std::string addTensorMap(unsigned position, const Parameter &parameter);
  void addMemRef(const Argument &argument);
  void addWord(uint64_t word) {
    words.push_back(word);
    packed.push_back(&words.back());
  }

  const Signature &signature;
  llvm::ArrayRef<Argument> arguments;
  int64_t multiprocessors, resident = 0;
  llvm::SmallVector<void *> packed;
  // A deque, because the elements must not move.
  std::deque<uint64_t> words;
  std::deque<TensorMap> maps;
  llvm::SmallVector<ArgumentMemory> memory;
};

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_LAUNCH_LAUNCHARGUMENTS_H
