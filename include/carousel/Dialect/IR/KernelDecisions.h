//===- KernelDecisions.h - the record of a kernel's decisions ---*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The planners' decisions about a kernel: plain structs, which the attribute
// carousel.decisions carries from the passes that decide to the package. A
// kernel with the attribute, even an empty one, asks for the record: each pass
// that decides appends to it. docs/Package.md describes the fields.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DIALECT_IR_KERNELDECISIONS_H
#define CAROUSEL_DIALECT_IR_KERNELDECISIONS_H

#include "carousel/Dialect/IR/CarouselDialect.h"
#include "carousel/Support/Misses.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"
#include "llvm/Support/JSON.h"

#include <string>
#include <vector>

namespace mlir::gpu {
class GPUFuncOp;
} // namespace mlir::gpu

namespace carousel {

/// On a kernel, the record of decisions. --carousel-expand-kernel-abi removes
/// it.
inline constexpr llvm::StringLiteral kDecisionsAttr{"carousel.decisions"};

/// Something that a planner says in addition: "predicted time" and "41.3 us".
struct DecisionNote {
  std::string key;
  std::string value;
};
using DecisionNotes = std::vector<DecisionNote>;
/// The key of a ring's note that says what limits its loop: the table's column.
inline constexpr llvm::StringLiteral kLimitNote{"limit"};

/// The slots for some loads, or for a store, of a pipelined loop.
struct RingDecision {
  mlir::LocationAttr loop;
  bool isLoad = true;
  std::vector<std::string> memrefs; ///< the names of arguments
  std::vector<std::string> engines; ///< each once
  int64_t stages = 1;
  int64_t slotBytes = 0; ///< of all threads of the CTA
  int64_t prefetch = 0;  ///< iterations that loads run ahead
  TransferScope scope = TransferScope::CTA;
  PipelineMode mode = PipelineMode::Unified;
  SlotRelease release = SlotRelease::EmptyBarrier; ///< of loads
  DecisionNotes notes;

  /// The bytes that a CTA's loads have in flight while it computes.
  int64_t getBytesInFlight() const;
};

/// The engine of a transfer.
struct TransferDecision {
  mlir::LocationAttr location;
  bool isLoad = true;
  std::string memref;
  int64_t bytes = 0; ///< of the tile
  std::string engine;
  int64_t instructions = 0;
  int64_t cost = 0;         ///< in issue slots
  DecisionNotes rejections; ///< engines, and the reasons against them
  DecisionNotes notes;
};

/// A request that isn't honoured, or a limit to a free choice.
struct MissedRequest {
  Miss miss = {};
  mlir::LocationAttr location;
  std::string subject; ///< "load of x", "store to y", "loop"
  std::string reason;
  DecisionNotes notes;
};

struct KernelDecisions {
  std::vector<RingDecision> rings; ///< of a loop one after the other
  std::vector<TransferDecision> transfers;
  std::vector<MissedRequest> misses;
  DecisionNotes notes;

  /// The bytes that a CTA has in flight in the loop that has most.
  int64_t getBytesInFlight() const;
};

/// Whether the kernel asks for a record.
bool recordsDecisions(mlir::gpu::GPUFuncOp kernel);
/// The kernel's record; an empty one if there is none, or if it isn't valid.
KernelDecisions getDecisions(mlir::gpu::GPUFuncOp kernel);
void setDecisions(mlir::gpu::GPUFuncOp kernel,
                  const KernelDecisions &decisions);

/// The record as an attribute. `parseDecisions` reads it; on failure it
/// describes in `error` what was expected.
mlir::DictionaryAttr toAttribute(const KernelDecisions &decisions,
                                 mlir::MLIRContext *context);
mlir::FailureOr<KernelDecisions> parseDecisions(mlir::Attribute attr,
                                                std::string &error);

llvm::json::Value toJSON(const KernelDecisions &decisions);

/// "gelu.mlir:14:5", without folders; "?" if the place is unknown. Models of
/// Python have no columns, but a module: "block.py:31 layers.0.norm".
std::string formatPlace(mlir::LocationAttr location);
/// "gelu.mlir:14", or "block.py:31 layers.0.norm"; "" if it is unknown.
std::string formatSourceLine(mlir::Location location);

} // namespace carousel

#endif // CAROUSEL_DIALECT_IR_KERNELDECISIONS_H
