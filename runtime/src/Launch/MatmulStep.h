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

namespace carousel::runtime {

struct MatmulProblem {
  ElementType factors = ElementType::F32, result = ElementType::F32;
  bool tf32 = false;
  /// lhs, rhs and target.
  std::array<MatrixView, 3> views;
  /// Of their first elements. Later ones are as well aligned.
  std::array<uint64_t, 3> addresses = {};
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
  /// Of the driver or the library.
  uint64_t countCalls() const {
    return zeros.isEmpty() ? static_cast<uint64_t>(calls)
                           : zeros.countFillCalls(0);
  }
  /// Starts the product of what lies at these addresses. The context must be
  /// current.
  Status run(Context::Impl &context, const std::array<uint64_t, 3> &addresses,
             uint64_t scratch, Stream stream) const;

private:
  Status describe(const CublasLt &library, const MatmulProblem &problem);
  Status choose(const CublasLt &library, const MatmulProblem &problem);
  Status call(Context::Impl &context, const std::array<uint64_t, 3> &addresses,
              uint64_t scratch, Stream stream) const;

  ProductLayout layout;
  std::array<int64_t, 3> elementBytes = {};
  OwnedDescriptor<lt::Matmul> matmul;
  std::array<OwnedDescriptor<lt::Layout>, 3> layouts; ///< a, b and d
  lt::Algorithm algorithm = {};
  uint64_t scratchBytes = 0; ///< that the algorithm needs
  int64_t calls = 0;         ///< INT64_MAX: or more
  /// An empty sum.
  MemoryStep zeros;
};

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_SRC_LAUNCH_MATMULSTEP_H
