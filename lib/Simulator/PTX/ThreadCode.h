//===- ThreadCode.h - the code of a function of PTX -------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions that a kernel may call, and the variables that they name with
// the place of each: an offset in the CTA's shared memory or in the thread's
// local memory, or the number of a global buffer. Then what the translations of
// instructions share: registers, operands, addresses, and calls of the machine.
// A register is a variable of the host function, as an integer of its bits; a
// predicate has one bit.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_PTX_THREADCODE_H
#define CAROUSEL_LIB_SIMULATOR_PTX_THREADCODE_H

#include "PTXTranslation.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
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

/// The addresses of functions begin here, where the host has no memory. The
/// number of the symbol follows.
inline constexpr uint64_t kFunctionAddress = uint64_t(1) << 62;

/// Where the .param window begins. 0 isn't the address of a parameter.
inline constexpr uint64_t kParameterAddress = 512;

/// Memory of a parameter: its address on the host, its bytes, and its address
/// as an offset in its space. That is the .param window for a kernel, and the
/// frame of local memory for a function. Others have no address.
struct ParameterPlace {
  mlir::Value pointer;
  uint64_t bytes = 0;
  std::optional<ptx::StateSpace> space;
  uint64_t offset = 0;
};

class ThreadCode {
public:
  ThreadCode(const PTXSource &source, const ModuleLayout &layout,
             SiteTable &sites, const ptx::Function &function,
             mlir::LLVM::LLVMFuncOp target);

  /// The place of what follows: an instruction, and the source location that
  /// the text gives.
  void setLocation(ptx::Location at, const std::string &origin);
  mlir::InFlightDiagnostic error(const ptx::Instruction &instruction);
  /// The error of an instruction or form that the machine doesn't have.
  mlir::LogicalResult refuse(const ptx::Instruction &instruction);

  // Constants and types.
  mlir::Type word(unsigned bits) { return b.getIntegerType(bits); }
  mlir::Type pointer() { return mlir::LLVM::LLVMPointerType::get(context); }
  mlir::Value constant(unsigned bits, uint64_t value);
  mlir::Value i32(uint64_t value) { return constant(32, value); }
  mlir::Value i64(uint64_t value) { return constant(64, value); }
  /// Truncates or zero-extends.
  mlir::Value resize(mlir::Value value, unsigned bits, bool isSigned = false);
  mlir::Value toPointer(mlir::Value address);
  mlir::Value toInteger(mlir::Value pointer);
  mlir::Value advance(mlir::Value pointer, uint64_t bytes);
  mlir::Value advance(mlir::Value pointer, mlir::Value bytes);
  /// Memory of the function's frame on the host: of its own, or for the time of
  /// one instruction, which may have several with different numbers.
  mlir::Value allocate(uint64_t bytes);
  mlir::Value getScratch(unsigned number, uint64_t bytes);

  /// A call of the machine at this place.
  mlir::Value call(llvm::StringRef name, mlir::ValueRange arguments,
                   mlir::Type result = {});

  // Registers and operands.

  /// The type of a value of the instruction.
  static ptx::Type getType(const ptx::Instruction &instruction,
                           unsigned operand);
  mlir::Value readRegister(ptx::RegisterId id);
  void writeRegister(ptx::RegisterId id, mlir::Value value,
                     bool isSigned = false);
  unsigned getRegisterBits(ptx::RegisterId id) const;
  /// A value as an integer of the type's bits; a predicate as one bit. Null,
  /// after an error, for an operand that has none.
  mlir::Value read(const ptx::Instruction &instruction,
                   const ptx::Operand &operand, ptx::Type type);
  mlir::Value read(const ptx::Instruction &instruction, unsigned operand) {
    return read(instruction, instruction.operands[operand],
                getType(instruction, operand));
  }
  /// Writes to a register; nothing to a sink.
  void write(const ptx::Operand &operand, mlir::Value value,
             bool isSigned = false);
  bool hasOperand(const ptx::Instruction &instruction, unsigned operand) const {
    return operand < instruction.operands.size() &&
           instruction.operands[operand].kind != ptx::Operand::Kind::Sink;
  }

  /// The address of a variable in its state space, or of a function.
  mlir::Value getSymbolAddress(const ptx::Instruction &instruction,
                               const ptx::Operand &operand);
  /// The value of the brackets: base and offset, in the address's own space.
  mlir::Value readAddress(const ptx::Instruction &instruction,
                          const ptx::Operand &operand, unsigned bits);
  /// The host's pointer for an address operand.
  mlir::Value getPointer(const ptx::Instruction &instruction, unsigned operand);
  mlir::Value getSharedPointer(mlir::Value address, bool isOfCluster);
  /// The host's pointer for an address of the .param window; null for one that
  /// no parameter has so many bytes at.
  mlir::Value getParameterPointer(mlir::Value address, uint64_t bytes);
  /// The address in the .param window for a generic one; 0, which no parameter
  /// has, for one elsewhere.
  mlir::Value getParameterOffset(mlir::Value address);
  /// A parameter that a caller gives.
  void addParameter(const ptx::Variable &variable, mlir::Value pointer);
  /// A result, or a parameter that the function declares for a call.
  void addPassed(const ptx::Variable &variable, mlir::Value pointer);
  mlir::Value getParameterAddress(const ptx::Instruction &instruction,
                                  const ptx::Operand &operand,
                                  const ParameterPlace &place);
  mlir::Value getSpecial(const ptx::Instruction &instruction,
                         const ptx::Operand &operand);

  const PTXSource &source;
  const ModuleLayout &layout;
  const ptx::Function &function;
  mlir::MLIRContext *context;
  mlir::OpBuilder b;
  mlir::Location loc;
  mlir::LLVM::LLVMFuncOp target;
  /// The parameters of the function, and those that it declares for calls.
  llvm::MapVector<ptx::SymbolId, ParameterPlace> parameters;
  /// The offset of the function's frame of local memory.
  mlir::Value frame;
  mlir::Value sharedBase, localBase;
  /// The carry flag, as a variable of one bit.
  mlir::Value carry;

  /// Makes variables for the registers that a wgmma adds to, and for those of
  /// its first factor: the group of the last one. Other instructions that use
  /// sums, or write factors, check it.
  void addProduct(const ptx::Instruction &product);
  /// After a wgmma.
  void setGroups(const ptx::Instruction &product, mlir::Value group);
  // Registers without a value (RegisterPoison.cpp).

  /// Before the first instruction: makes variables for registers that may be
  /// read before they are written.
  void findUnwritten();
  bool hasUnwritten() const { return !poisons.empty(); }
  /// The bits of a register without a value. Null: all have one.
  mlir::Value getPoison(const ptx::Operand &operand, unsigned bits);
  void setPoison(ptx::RegisterId id, mlir::Value poison);
  /// Propagates poison through a computation, for setPoison after it.
  llvm::SmallVector<std::pair<ptx::RegisterId, mlir::Value>>
  propagate(const ptx::Instruction &instruction);
  /// Reports a register without a value that is used for more than to compute:
  /// all of its bits, or so many of the lowest.
  void checkWritten(const ptx::Operand &operand,
                    std::optional<unsigned> used = std::nullopt);
  void checkOperands(const ptx::Instruction &instruction);

  /// Remembers a cas, so that isGuess knows the load of its first guess: a weak
  /// load of the same address into the register that the cas compares with.
  /// Compilers make loops of a load and a cas of atomics that the device
  /// hasn't.
  void addExchange(const ptx::Instruction &exchange);
  bool isGuess(const ptx::Instruction &load) const;

  /// Whether the registers are those that a wgmma adds to.
  bool areSums = false;

private:
  uint64_t parameterEnd = kParameterAddress;
  /// By register: the variable of its group.
  using Groups = llvm::DenseMap<ptx::RegisterId, mlir::Value>;
  void addGroup(llvm::ArrayRef<ptx::Operand> operands, Groups &to);
  void checkSums(ptx::RegisterId id);

  mlir::Value getVariable(ptx::RegisterId id);

  SiteTable &sites;
  /// By register, from its first use on.
  llvm::DenseMap<ptx::RegisterId, mlir::Value> registers;
  llvm::DenseMap<std::pair<unsigned, uint64_t>, mlir::Value> scratch;
  /// By register that may be unwritten: which bits have no value.
  llvm::DenseMap<ptx::RegisterId, mlir::Value> poisons;
  /// The registers of the address and of the guess, and the address's offset.
  llvm::DenseSet<std::tuple<ptx::RegisterId, ptx::RegisterId, int64_t>> guesses;
  Groups groupsOfSums, groupsOfFactors;
  ptx::Location at;
  std::string origin;
  Site site = 0;
};

/// Whether an instruction does nothing but compute registers from registers.
bool isComputation(const ptx::Instruction &instruction);
/// Whether an instruction stores registers without a value where only a read of
/// the bytes is a fault: shared memory, of which kernels fill whole tiles.
bool mayStorePoison(const ptx::Instruction &instruction);
/// The registers of an operand, those of its elements too.
void collectRegisters(const ptx::Operand &operand,
                      llvm::SmallVectorImpl<ptx::RegisterId> &to);
/// The registers that an instruction reads, or that it writes or updates. A
/// call writes the registers of its results.
llvm::SmallVector<ptx::RegisterId>
getRegisters(const ptx::Instruction &instruction, bool areWritten);
/// The registers that may be read before they are written, and those that are
/// computed from such.
llvm::DenseSet<ptx::RegisterId>
findUnwrittenRegisters(const ptx::Function &function);

// One file each. All return failure after an error.
mlir::LogicalResult translateValue(ThreadCode &code,
                                   const ptx::Instruction &instruction);
/// Where an instruction can be computed in the thread's own code: frequent
/// arithmetic. False where translateValue has to call a function.
bool translateInline(ThreadCode &code, const ptx::Instruction &instruction);
mlir::LogicalResult translateMemory(ThreadCode &code,
                                    const ptx::Instruction &instruction);
mlir::LogicalResult translateThreads(ThreadCode &code,
                                     const ptx::Instruction &instruction);
mlir::LogicalResult translateMbarriers(ThreadCode &code,
                                       const ptx::Instruction &instruction);
mlir::LogicalResult translateCopies(ThreadCode &code,
                                    const ptx::Instruction &instruction);
mlir::LogicalResult translateAsyncValues(ThreadCode &code,
                                         const ptx::Instruction &instruction);
mlir::LogicalResult translateMatrices(ThreadCode &code,
                                      const ptx::Instruction &instruction);

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_PTX_THREADCODE_H
