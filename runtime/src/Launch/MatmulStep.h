//===- MatmulStep.h - products by cuBLASLt ----------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Multiplies matrices by as few calls of cuBLASLt as their strides allow. The
// library chooses an algorithm when the step is made, among those that give the
// same bits each time.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_LAUNCH_MATMULSTEP_H
#define CAROUSEL_RUNTIME_SRC_LAUNCH_MATMULSTEP_H

#include "Context/ContextImpl.h"
#include "MatrixLayouts.h"
#include "MemoryStep.h"

#include "carousel/Runtime/Manifest.h"

#include <mutex>

namespace carousel::runtime {

/// What an operand of a product is for.
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
  /// What an empty sum is: the target, or one product of zeros that lie at the
  /// begin of the scratch.
  MemoryStep zeros;
  bool hasZeroFactors = false;
  /// A bias that is aligned for the library, in the scratch.
  MemoryStep biasCopy;
  uint64_t biasOffset = 0, libraryOffset = 0;
};

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_SRC_LAUNCH_MATMULSTEP_H
