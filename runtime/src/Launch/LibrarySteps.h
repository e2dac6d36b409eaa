//===- LibrarySteps.h - steps without kernels of our own --------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fills and copies elements with strides, and multiplies matrices, by as few
// calls of the driver and of cuBLASLt as their strides allow. The library
// chooses an algorithm when the step is made, among those that give the same
// bits each time. BLAS has matrices in which the elements of a column are
// neighbours, and can transpose factors. Any product of matrices with a
// dimension of stride 1 is one of those, or its transpose is.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_LAUNCH_LIBRARYSTEPS_H
#define CAROUSEL_RUNTIME_SRC_LAUNCH_LIBRARYSTEPS_H

#include "Context/ContextImpl.h"

#include "carousel/Runtime/Manifest.h"

#include <array>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace carousel::runtime {

/// (batches..., rows, columns), strides in elements.
struct MatrixView {
  std::vector<int64_t> extents, strides;
};

/// A matrix of BLAS: elements of a column are neighbours, and columns are
/// `leading` elements apart.
struct MatrixLayout {
  int64_t rows = 0, columns = 0, leading = 1;
  bool isTransposed = false;
  /// Elements from a batch's matrix to the next one's.
  int64_t batchStride = 0;

  bool operator==(const MatrixLayout &other) const {
    return rows == other.rows && columns == other.columns &&
           leading == other.leading && isTransposed == other.isTransposed &&
           batchStride == other.batchStride;
  }
};

/// The summands of sums.
struct AddedViews {
  bool hasBias = false; ///< along n
  std::optional<MatrixView> residual = {};
};

/// `target` = the sum of products of `lhs` and `rhs`, as calls of BLAS.
struct ProductLayout {
  /// Factors and result of a call, and what is added to it. If `isSwapped`, the
  /// call's first factor is the second one, and its result the transpose.
  MatrixLayout a, b, c, d;
  bool isSwapped = false;
  int64_t batches = 1;
  /// The loop of calls: the iterations, and how far lhs, rhs, target and
  /// residual move.
  struct Loop {
    int64_t extent;
    std::array<int64_t, 4> strides;
  };
  std::vector<Loop> loops;

  /// False, with the reason, for views that aren't a product's, or that have
  /// matrices without a dimension of stride 1. If something is added, that is
  /// the dimension n of target and residual. No extent is 0.
  bool set(const MatrixView &lhs, const MatrixView &rhs,
           const MatrixView &target, std::string &reason,
           const AddedViews &added = {});

private:
  void setBatches(const std::array<const MatrixView *, 4> &views);
};

/// Elements of a target, and for a copy those of a source in the same order.
/// Dimensions whose elements follow one another in both are one.
class MemoryStep {
public:
  /// `bytes`: of an element. Lists are outermost first, strides in elements. No
  /// source: a fill. False where a number doesn't fit 64 bits.
  bool set(uint64_t bytes, const std::vector<int64_t> &extents,
           const std::vector<int64_t> &target,
           const std::vector<int64_t> *source);

  bool isEmpty() const { return rowBytes == 0; }
  /// The most calls of the driver that a copy takes, or a fill with a value,
  /// or with any; UINT64_MAX: or more.
  uint64_t countCopyCalls() const;
  uint64_t countFillCalls(std::optional<uint64_t> value) const;
  /// Starts the copy of what lies at these addresses. The same elements in the
  /// same place need none.
  Status copy(Context::Impl &context, uint64_t target, uint64_t source,
              Stream stream) const;
  /// Sets each element to the low bytes of `value`.
  Status fill(Context::Impl &context, uint64_t target, uint64_t value,
              Stream stream) const;

private:
  struct Dim {
    int64_t extent, target, source; ///< strides in bytes
  };
  /// The dimensions that each call of a copy or a fill covers around its rows.
  size_t countCopied() const;
  size_t countFilled(bool isSplit) const;
  uint64_t countElements(size_t dims) const;
  Status copyBlock(Context::Impl &context, uint64_t target, uint64_t source,
                   size_t planes, Stream stream) const;
  Status fillRows(Context::Impl &context, uint64_t target, uint64_t pitch,
                  uint64_t height, uint64_t value, Stream stream) const;
  /// Calls `run` with the offsets of all elements of the first `count`
  /// dimensions.
  template <typename Run> Status forEach(size_t count, Run run) const;

  std::vector<Dim> dims;                   ///< around rows
  uint64_t elementBytes = 0, rowBytes = 0; ///< a row is contiguous
};

/// The role of an operand of a product.
enum class MatmulRole { Lhs, Rhs, Target, Bias, Residual, Scratch };

/// The addresses of the first elements.
struct MatmulAddresses {
  /// The addresses of lhs, rhs, target and residual.
  std::array<uint64_t, 4> matrices = {};
  uint64_t bias = 0, scratch = 0;
};

struct MatmulProblem {
  ElementType factors = ElementType::F32, result = ElementType::F32;
  bool tf32 = false;
  /// The function of each sum, after the bias and the residual are added.
  StepInfo::Function function = StepInfo::Function::Identity;
  /// lhs, rhs and target.
  std::array<MatrixView, 3> views;
  AddedViews added;
  /// Later ones are as well aligned.
  MatmulAddresses addresses;
  uint64_t scratchBytes = 0;
};

/// Frees a descriptor of the library.
template <typename T> struct DestroyDescriptor {
  lt::Status (*destroy)(T) = nullptr;
  void operator()(T descriptor) const { destroy(descriptor); }
};
template <typename T>
using OwnedDescriptor =
    std::unique_ptr<std::remove_pointer_t<T>, DestroyDescriptor<T>>;

class MatmulStep {
public:
  /// The context must be current.
  static Result<MatmulStep> make(Context::Impl &context,
                                 const MatmulProblem &problem);

  bool isEmpty() const { return calls == 0 && zeros.isEmpty(); }
  /// How often the step calls the driver or the library.
  uint64_t countCalls() const;
  /// Starts the product of what lies at these addresses. The context must be
  /// current.
  Status run(Context::Impl &context, const MatmulAddresses &addresses,
             Stream stream) const;

private:
  Status prepare(MatmulProblem &problem);
  Status replaceEmptySums(MatmulProblem &problem);
  void placeBias(MatmulProblem &problem);
  Status describe(const CublasLt &library, const MatmulProblem &problem);
  Status describeEpilogue(const CublasLt &library,
                          const MatmulProblem &problem);
  Status choose(const CublasLt &library, const MatmulProblem &problem);
  Status call(Context::Impl &context, const MatmulAddresses &addresses,
              Stream stream) const;
  lt::Layout getAdded() const { return layouts[hasResidual ? 3 : 2].get(); }

  ProductLayout layout;
  std::array<int64_t, 4> elementBytes = {};
  OwnedDescriptor<lt::Matmul> matmul;
  std::array<OwnedDescriptor<lt::Layout>, 4> layouts; ///< a, b, d and c
  bool hasResidual = false;
  /// The description has the bias's address, and launches may be concurrent.
  std::unique_ptr<std::mutex> biasMutex;
  lt::Algorithm algorithm = {};
  uint64_t scratchBytes = 0; ///< that the algorithm needs
  int64_t calls = 0;         ///< INT64_MAX: or more
  /// The result of an empty sum: the target, or one product of zeros that lie
  /// at the begin of the scratch.
  MemoryStep zeros;
  bool hasZeroFactors = false;
  /// A bias that is aligned for the library, in the scratch.
  MemoryStep biasCopy;
  uint64_t biasOffset = 0, libraryOffset = 0;
};

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_SRC_LAUNCH_LIBRARYSTEPS_H
