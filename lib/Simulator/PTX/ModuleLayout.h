//===- ModuleLayout.h - where the variables of a module are -----*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the functions that a kernel may call and the variables that they name,
// and gives each variable a place: an offset in the CTA's shared memory or in
// the thread's local memory, or the number of a global buffer.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_PTX_MODULELAYOUT_H
#define CAROUSEL_LIB_SIMULATOR_PTX_MODULELAYOUT_H

#include "PTXTranslation.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace carousel::sim {

/// The place of a variable: by its state space an offset in shared memory, an
/// offset in the frame of its function's local memory (as for a function's
/// parameter whose address is taken), or the number of a global buffer.
struct VariablePlace {
  const ptx::Variable *variable = nullptr;
  uint64_t offset = 0;
  uint64_t bytes = 0;
};

class ModuleLayout {
public:
  ModuleLayout(const PTXSource &source, mlir::MLIRContext &context)
      : source(source), context(context) {}

  mlir::LogicalResult compute(const ptx::Function &kernel);

  /// Null for a symbol that isn't a variable of the module.
  const VariablePlace *find(ptx::SymbolId symbol) const {
    auto found = places.find(symbol);
    return found == places.end() ? nullptr : &found->second;
  }
  /// The definition of a function; null for a declaration.
  const ptx::Function *findFunction(ptx::SymbolId symbol) const {
    return functions.lookup(symbol);
  }
  /// The kernel first, then all that it may call.
  llvm::ArrayRef<const ptx::Function *> getReached() const {
    return reached.getArrayRef();
  }
  /// The bytes of local memory in a function's frame.
  uint64_t getFrameBytes(const ptx::Function &function) const {
    return frames.lookup(&function);
  }
  /// The functions whose address is taken.
  llvm::ArrayRef<ptx::SymbolId> getCallable() const {
    return callable.getArrayRef();
  }

  StaticMemory memory;

private:
  void collect(const ptx::Block &block, const ptx::Function &function);
  void collect(const ptx::Operand &operand, bool isCallee, bool takesAddress,
               const ptx::Function &function);
  mlir::LogicalResult place(const ptx::Variable &variable,
                            const ptx::Function *function);
  mlir::LogicalResult placeInBlock(const ptx::Block &block,
                                   const ptx::Function &function);
  mlir::LogicalResult checkParameters(llvm::ArrayRef<ptx::Variable> parameters,
                                      const ptx::Function &function);
  /// Parameters of functions whose address is taken.
  mlir::LogicalResult placeParameters(const ptx::Function &function);
  mlir::LogicalResult placeInFrame(const ptx::Variable &variable,
                                   const ptx::Function *function,
                                   uint64_t align);
  mlir::LogicalResult makeGlobal(const ptx::Variable &variable);
  mlir::LogicalResult fill(const ptx::Initializer &value,
                           const ptx::Variable &variable, GlobalBuffer &buffer,
                           uint64_t &at);
  mlir::LogicalResult fillAddress(const ptx::Initializer &value,
                                  const ptx::Variable &variable,
                                  GlobalBuffer &buffer, uint64_t at);
  mlir::LogicalResult linkGlobals();
  void collect(const ptx::Initializer &value);
  void collectInitialValues();
  mlir::FailureOr<uint64_t> sumFrames(const ptx::Function &kernel);
  mlir::InFlightDiagnostic error(ptx::Location at);

  const PTXSource &source;
  mlir::MLIRContext &context;
  llvm::DenseMap<ptx::SymbolId, VariablePlace> places;
  llvm::DenseMap<ptx::SymbolId, const ptx::Function *> functions;
  llvm::SetVector<const ptx::Function *> reached;
  llvm::SetVector<ptx::SymbolId> named, callable, addressed;
  llvm::DenseMap<const ptx::Function *, llvm::SetVector<const ptx::Function *>>
      calls;
  llvm::DenseMap<const ptx::Function *, uint64_t> frames;
  uint64_t globalBytes = 0;
  llvm::SetVector<const ptx::Function *> callByAddress;
  /// Addresses in global buffers, whose variables have no number yet.
  struct PendingAddress {
    unsigned buffer;
    uint64_t at;
    ptx::SymbolId symbol;
    uint64_t offset;
    ptx::Location location;
  };
  std::vector<PendingAddress> pending;
};

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_PTX_MODULELAYOUT_H
