//===- LayoutPlanner.h - computes a LayoutPlan ------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Vectors that ops compute element by element form classes, each with one
// layout. Users' requests and products choose the layouts of their classes
// first, then the largest accesses of global memory. From these follow others,
// through changes of shape and reductions.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_ANALYSIS_DISTRIBUTION_LAYOUTPLANNER_H
#define CAROUSEL_LIB_ANALYSIS_DISTRIBUTION_LAYOUTPLANNER_H

#include "VectorAccesses.h"

#include "carousel/Analysis/Distribution/AccessAlignment.h"
#include "carousel/Analysis/Distribution/LayoutPlan.h"
#include "carousel/Dialect/IR/CarouselReduceOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace carousel {

/// Whether elements would go to another CTA of the cluster.
bool leavesCTA(const LinearLayout &from, const LinearLayout &to);

class LayoutPlanner {
public:
  LayoutPlanner(mlir::gpu::GPUFuncOp kernel, LayoutPlan &plan);
  void run();

private:
  void readThreads();
  void refuse(mlir::Operation *op, const llvm::Twine &message);

  // Classes
  mlir::Value find(mlir::Value value);
  void unite(llvm::ArrayRef<mlir::Value> values);
  const LinearLayout *lookUp(mlir::Value vector);
  /// Whether the vector's class has no layout yet.
  bool assign(mlir::Value vector, const LinearLayout &layout);
  void collect();
  void noteVector(mlir::Value value);
  void collect(mlir::Operation *op);
  static std::string explainElements(mlir::Operation *op);
  /// The largest first, then in program order.
  void addAccess(const VectorAccess &access);

  // Seeds
  /// Whether a reduction of such vectors goes along a dimension.
  bool isReducedAlong(mlir::VectorType type, int64_t dim);
  LinearLayout makePreferred(mlir::VectorType type, int64_t dim, int64_t run,
                             bool inWarps = false);
  LinearLayout makeOrdered(mlir::VectorType type, int64_t dim, int64_t run,
                           bool inRows, bool inWarps = false);
  LinearLayout makeDefault(mlir::VectorType type);
  LinearLayout makePreferred(const VectorAccess &access);
  bool hasTransposes();
  /// The layout for an access that serves all accesses best whose layouts
  /// follow from it. Those that begin at odd places want shorter runs.
  LinearLayout makeShared(const VectorAccess &access);
  /// The price of all accesses whose vectors have a layout if this one's has
  /// `layout`.
  int64_t getPrice(const VectorAccess &access, const LinearLayout &layout);
  /// The price of shuffles, and of an exchange between warps, in sectors.
  static int64_t getReductionPrice(mlir::vector::MultiDimReductionOp op,
                                   const LinearLayout &source);
  /// The price of a warp's accesses, in sectors. An instruction costs as much
  /// as four.
  static int64_t getPrice(const AccessPlan &access);
  /// The price of an access, with what a conversion of its vector costs.
  int64_t getPrice(const VectorAccess &access);
  static int64_t countRegisters(const LinearLayout &layout);
  int64_t getMostRun(const VectorAccess &access);
  /// The elements that are known to be aligned.
  int64_t getAlignedRun(const VectorAccess &access);
  /// The elements of a granule, if threads can access the granules of runs that
  /// begin anywhere; 0 if not.
  int64_t getShiftedRun(const VectorAccess &access);
  int64_t findShiftedRun(const VectorAccess &access);
  bool computesFunctions();
  bool isShifted(const VectorAccess &access, int64_t run) {
    return run != 1 && getShiftedRun(access) == run;
  }
  /// Adds the requests of users.
  void seedRequests();
  std::string explainThreads(const LinearLayout &layout) const;
  /// Each thread gets the values of all CTAs.
  void seedGathers();
  void seedContractions();
  /// Whether a factor of multiply-adds, which threads need in `layout`, goes
  /// through shared memory: it would take too many registers, few of which are
  /// for what a loop has from outside of it, or other threads compute its
  /// elements, as they do where that is slow.
  bool isKept(mlir::OpOperand &factor, const ContractionPlan &contraction,
              const LinearLayout &layout);
  /// Returns the facts known around a product as its layouts are chosen.
  ContractionContext getContext(mlir::vector::ContractionOp op);
  /// Short lines that are scanned are in the registers of one thread.
  void seedScans();
  void seedAccesses();
  void seedRest();

  // Propagation
  static llvm::SmallVector<bool>
  getReducedDims(mlir::vector::MultiDimReductionOp op);
  bool propagate(mlir::Operation *op);
  void propagate();

  // Results: LayoutPlan.cpp
  /// In sectors: what goes to shared memory and back, and a barrier.
  static int64_t getConversionPrice(const VectorAccess &access,
                                    const LinearLayout &layout);
  AccessPlan makeAccess(const VectorAccess &access, const LinearLayout &layout);
  bool storesByWarpgroups(const VectorAccess &access, const AccessPlan &made);
  void shareTile(const VectorAccess &access, AccessPlan &write);
  void chooseAccess(const VectorAccess &access);
  void chooseAccess(mlir::vector::GatherOp op);
  void setOperand(mlir::OpOperand &operand, const LinearLayout &layout);
  void setAllOperands(mlir::Operation *op, const LinearLayout &layout);
  void finish(mlir::Operation *op);
  /// A part that moves through shared memory: all vectors keep their layouts.
  void finishPart(mlir::Operation *op);
  void checkClusters();
  /// Notes vectors that each thread can compute from where it is, with few
  /// registers.
  void noteCoordinates(mlir::Operation *op);
  /// Notes the registers of a vector that `op` demands in a layout, and returns
  /// them.
  int64_t checkRegisters(mlir::Operation *op, mlir::Value vector,
                         const LinearLayout &layout);
  /// Once for each op that demands layouts of too many registers.
  void reportRegisters();
  void finishContraction(mlir::vector::ContractionOp op);
  void finishReduction(mlir::vector::MultiDimReductionOp op);
  void finishScan(ScanOp op);
  void finishSort(SortOp op);
  /// Bits of the first elements' coordinates.
  static unsigned getFirstBits(SortOp op);
  bool deriveOperands(mlir::Operation *op, const LinearLayout &result);
  /// Finishes in the result's layout if the operands have one for it. Otherwise
  /// a part moves, and what follows from an operand's layout, or from one that
  /// always works, is converted.
  void finishReshaping(mlir::Operation *op);
  void finishAccess(mlir::Operation *op, const LinearLayout &layout);
  void finishScatter(mlir::vector::ScatterOp op);
  void finishCarried(mlir::Operation *op);

  mlir::gpu::GPUFuncOp kernel;
  LayoutPlan &plan;
  AccessAlignment alignment;
  std::vector<mlir::Operation *> ops;
  std::vector<mlir::Value> vectors;
  llvm::SmallVector<VectorAccess, 8> accesses;
  std::vector<mlir::vector::MultiDimReductionOp> reductions;
  /// Dimensions that scans and sorts go along.
  std::vector<std::pair<mlir::VectorType, int64_t>> lines;
  std::vector<mlir::vector::ContractionOp> contractions;
  llvm::DenseMap<mlir::Value, mlir::Value> parents;
  llvm::DenseMap<mlir::Value, LinearLayout> classes;
  llvm::DenseMap<mlir::Operation *, int64_t> shiftedRuns;
  /// The op whose layouts are being chosen, and that of each class: others
  /// follow from its own.
  mlir::Operation *origin = nullptr;
  llvm::DenseMap<mlir::Value, mlir::Operation *> origins;
  llvm::DenseSet<mlir::Value> ofCoordinates;
  /// By the op that demands them: the vector that needs most registers, and how
  /// many.
  llvm::MapVector<mlir::Operation *, std::pair<mlir::Value, int64_t>> largest;
};

} // namespace carousel

#endif // CAROUSEL_LIB_ANALYSIS_DISTRIBUTION_LAYOUTPLANNER_H
