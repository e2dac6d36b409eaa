//===- KernelCode.h - a kernel's instructions in a row ----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The skeleton of a kernel: what synchronises or accesses shared memory, what
// these need, and the branches around them. docs/Proof.md, The skeleton.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_PROOF_KERNELCODE_H
#define CAROUSEL_ANALYSIS_PROOF_KERNELCODE_H

#include "carousel/PTX/PTXModule.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"

namespace carousel::proof {

/// The part that an instruction has in synchronisation.
enum class EventKind : uint8_t {
  None,
  /// Shared memory, by the threads themselves.
  Load,
  Store,
  Atomic,
  LoadMatrix,
  StoreMatrix,
  // Barriers in shared memory.
  Init,
  Invalidate,
  ExpectBytes,
  Arrive,
  Wait,
  // Barriers of the CTA and of warps.
  Barrier,
  WarpBarrier,
  Fence,      ///< of the asynchronous proxy
  BulkLoad,   ///< to shared memory, completes on a barrier
  BulkStore,  ///< from shared memory, of a bulk group
  CopyAsync,  ///< cp.async
  CopyArrive, ///< cp.async.mbarrier.arrive
  Product,    ///< wgmma
  Commit,
  WaitGroup,
  Exit,
  Outside ///< has effects that aren't modelled
};

/// The groups in which asynchronous operations are waited for.
enum class GroupKind : uint8_t { Bulk, Copy, Product };

struct CodeLine {
  const ptx::Instruction *instruction = nullptr;
  EventKind kind = EventKind::None;
  GroupKind group = GroupKind::Bulk;
  llvm::SmallVector<ptx::RegisterId, 4> reads, writes;
  /// Whether the skeleton has it.
  bool isNeeded = false;
  /// Where a branch goes, and where both ways meet (the number of lines if they
  /// don't).
  unsigned target = 0, join = 0;
  /// Whether both ways of a branch only access memory until they meet.
  bool onlyAccesses = false;

  bool isBranch() const { return instruction->opcode == ptx::Opcode::Bra; }
};

class KernelCode {
public:
  explicit KernelCode(const ptx::Function &kernel);

  std::vector<CodeLine> lines;
  /// Registers of the skeleton have a number, others ~0.
  std::vector<unsigned> slots;
  unsigned slotCount = 0;
  /// Why there is no skeleton, and the instruction.
  std::string refusal;
  ptx::Location refusalAt;

  /// Returns the live registers before a line, by their numbers.
  llvm::BitVector findLive(unsigned line) const;

private:
  struct Part {
    unsigned begin = 0, end = 0;
    llvm::SmallVector<unsigned, 4> next;
    llvm::BitVector live; ///< registers, at its begin
  };

  void flatten(const ptx::Block &block);
  void dropGenericAccesses();
  void findParts();
  bool mayEnd(unsigned part) const;
  void findJoins();
  void findNeeded();
  void findLiveRegisters();
  void readLine(const CodeLine &line, llvm::BitVector &live) const;
  /// Calls back for each line of a branch's ways until these meet, until one
  /// isn't fine. False then.
  bool walkWays(unsigned branch,
                llvm::function_ref<bool(const CodeLine &)> isFine) const;
  void findAccesses();
  /// Marks registers, and returns whether one is new.
  bool need(llvm::ArrayRef<ptx::RegisterId> registers);
  bool hasNeeded(unsigned branch) const;

  llvm::DenseMap<ptx::LabelId, unsigned> labels;
  std::vector<Part> parts;
  std::vector<unsigned> partOf; ///< by line
  llvm::BitVector needed;       ///< registers
};

/// Whether an event only accesses memory, so that more threads may execute it
/// than do.
bool isAccess(EventKind kind);

EventKind classify(const ptx::Instruction &instruction, GroupKind &group);

} // namespace carousel::proof

#endif // CAROUSEL_ANALYSIS_PROOF_KERNELCODE_H
