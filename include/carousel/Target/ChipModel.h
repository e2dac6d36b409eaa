//===- ChipModel.h - the numbers by which planners decide -------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One model of one GPU: the limits of its chip, its size, bandwidths,
// latencies, issue rates, and what engines cost. All planners take it, and no
// other file has numbers of a chip (scripts/checks/check-chip).
// docs/ChipModel.md.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TARGET_CHIPMODEL_H
#define CAROUSEL_TARGET_CHIPMODEL_H

#include "carousel/Target/TargetInfo.h"
#include "llvm/Support/raw_ostream.h"

namespace carousel {

/// Costs by which engines are compared (docs/Engines.md, Cost), in issue slots:
/// instructions of a warp.
struct EngineCosts {
  // The cost of a use beyond its copies: election, barrier, descriptor.
  int64_t tensorUse, bulkUse, cpAsyncUse;
  /// The cost of threads that stall until their loads have returned.
  int64_t vectorLoadUse;
  int64_t vectorStoreUse;
  // The cost of one copy instruction.
  int64_t tensorCopy, bulkCopy;
  /// Each dimension after the first takes a 64-bit product for the address.
  int64_t bulkDimension;
  /// For a tile that often exceeds the memref: the issuing warp fills 32
  /// granules of 16 bytes at a time. This costs more than a tensor copy, and
  /// less than copies by all threads.
  int64_t bulkFillPieces;
  /// The most that this costs: the warp fills wide tiles while their copies are
  /// on their way.
  int64_t bulkFillMost;
  // The cost of 32 pieces: addresses, bounds and the access, and for vectors
  // also the other access.
  int64_t cpAsyncPieces, vectorLoadPieces, vectorStorePieces;
  /// The tensor engine requests each row of a box from L2, with at most this
  /// number of bytes per request. The second number is the requests that cost
  /// one issue slot.
  int64_t requestBytes, requestsPerSlot;
};

/// A model has the limits of the chip; docs/ChipModel.md has a table of all
/// numbers. Times are in nanoseconds, latencies of instructions in cycles.
struct ChipModel : TargetInfo, EngineCosts {
  llvm::StringRef gpu; ///< e.g. h200
  int64_t sms;
  double clockGHz; ///< sustained
  int64_t l2Bytes;
  /// Global memory, reads and writes together, as a copy reaches it.
  double bytesPerNs;
  /// The bandwidth of one SM while others are idle.
  double bytesPerNsOfSM;
  /// The time from the issue of a load by an engine until waiting threads see
  /// its data.
  double loadLatency;
  /// The time from the issue of a store by an engine until its tile may be
  /// overwritten.
  double storeReadLatency;
  /// From the launch until the first instruction, and from the last one until
  /// the next launch starts.
  double launchOverhead;
  /// The cost of a launch or a library's call among others of a program.
  double nextLaunch;
  /// A barrier of the CTA, with the fence and the election around a store.
  double barrier;
  /// The cost of a slot in an iteration: the wait for it, and the next load's
  /// issue.
  double slotOverhead;
  /// From a draw of a tile until all threads of the CTA have its number, and
  /// how much more copies move then in the same time.
  double ticket, ticketGain;
  // Instructions of a warp in a cycle of an SM.
  double issuePerCycle;
  double specialPerCycle;     ///< of the unit for exp2, rsqrt, and so on
  double sharedBytesPerCycle; ///< of shared memory, of an SM
  /// Products of a scheduler's matrix unit, times the bits of an element.
  double matrixBitsPerCycle;
  /// Products of an SM by instructions of warpgroups, times the bits of an
  /// element.
  double warpgroupBitsPerCycle;
  /// The time of an iteration of such products beside them: the wait, the issue
  /// and the release of a slot.
  double productStep;
  /// The bandwidth of copies to one SM from the L2 while all others copy: of
  /// rows that begin at whole sectors of 32 bytes, and of others.
  double l2BytesPerNsOfSM, splitSectorBytesPerNsOfSM;
  /// The added time of a kernel whose CTAs form clusters: they meet at its
  /// start and its end.
  double clusterOverhead;
  // Cycles until a result can be used.
  double arithmeticLatency, sharedLatency, specialLatency, shuffleLatency,
      matrixLatency;
  /// The latency of an exchange between the CTAs of a cluster, in cycles.
  double exchangeLatency;
  // The rates of products of large matrices, in 10^12 operations per second: by
  // kernels of this project, and by cuBLASLt. Multiply-adds of threads are slow
  // where a factor is transposed, as banks of shared memory conflict, and
  // products of tf32 where no factor has neighbours along the sums: warpgroups
  // have no instruction for them.
  double kernelF32, kernelTransposedF32, kernelTF32, kernelTransposedTF32,
      kernelHalf;
  /// The rate of two products of one factor in 16 bits in a kernel.
  double kernelGate;
  /// The rate of products in 16 bits whose columns their kernel reduces.
  double kernelReduced;
  /// Two products of f32 by multiply-adds, and reductions between them.
  double kernelStreamF32;
  double libraryF32, libraryTF32, libraryHalf;
  // The same where rows of a matrix aren't multiples of 16 bytes, but of 4
  // bytes, or of an element of 16 bits. Kernels are that much slower for rows
  // of factors alone, and twice as fast for rows of two elements.
  double libraryWordsTF32, libraryWordsHalf, libraryElementsHalf,
      kernelElementsHalf;

  /// The registers that each thread may have if an SM holds so many of them.
  int64_t getRegistersPerThread(int64_t threads) const {
    return registersPerSM / threads;
  }

  /// The model of the GPU that a chip's programs most often run on, or of the
  /// assumed GPU.
  static ChipModel of(const TargetInfo &info);
  static ChipModel getDefault();
  /// The names of all GPUs that have a model.
  static llvm::SmallVector<llvm::StringRef> getGPUs();
  /// The `sm` of the GPU's chip; absent if no model has this name.
  static std::optional<unsigned> findSM(llvm::StringRef gpu);
  /// A table in Markdown: the numbers of all models, and where each is from.
  static void printTable(llvm::raw_ostream &os);
};

/// The model for an op: that of the nearest `dlti.target_system_spec` around it
/// with a GPU of the op's chip, with the spec's numbers in place of the GPU's
/// own. The chip is that of the gpu.module around the op; a graph has any.
/// Without such a spec the model is the default one. Emits an error if the
/// gpu.module has no target, or if the spec is wrong (C309, C310).
mlir::FailureOr<ChipModel> getChipModel(mlir::Operation *op);
/// As above, but nothing where that is an error.
std::optional<ChipModel> findChipModel(mlir::Operation *op);
/// The CTAs of a cluster that all chips have which a graph is planned for, at
/// most: the GPUs of that spec are those.
int64_t findClusterSizeOfAll(mlir::Operation *op);

/// Adds GPUs to the op's `dlti.target_system_spec`, in place of those that it
/// has. The first one is a graph's.
void attachGPUs(mlir::Operation *op, llvm::ArrayRef<llvm::StringRef> gpus);

/// C309: emits an error unless there is a model of the GPU, and its chip is
/// one of `sms`.
mlir::LogicalResult
verifyGPU(llvm::StringRef gpu, llvm::ArrayRef<unsigned> sms,
          llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

} // namespace carousel

#endif // CAROUSEL_TARGET_CHIPMODEL_H
