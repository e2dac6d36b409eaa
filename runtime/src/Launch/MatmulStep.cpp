//===- MatmulStep.cpp - products by cuBLASLt ------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See MatmulStep.h.
//
//===----------------------------------------------------------------------===//

#include "MatmulStep.h"

#include "carousel/Runtime/Fail.h"

#include <algorithm>

namespace carousel::runtime {

static lt::DataType getType(ElementType element) {
  switch (element) {
  case ElementType::F16:
    return lt::kF16;
  case ElementType::BF16:
    return lt::kBF16;
  default:
    return lt::kF32;
  }
}

/// The largest power of two, up to what allocations have, that divides both.
static uint32_t getAlignment(uint64_t address, uint64_t step) {
  constexpr uint64_t kMost = 256;
  uint64_t both = address | step | kMost;
  return static_cast<uint32_t>(both & -both);
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

Status MatmulStep::describe(const CublasLt &library,
                            const MatmulProblem &problem) {
  const CublasLtTable &table = *library.table;
  lt::Matmul made = nullptr;
  lt::ComputeType compute =
      problem.tf32 ? lt::kCompute32FFastTF32 : lt::kCompute32F;
  Status status =
      library.check(table.cublasLtMatmulDescCreate(&made, compute, lt::kF32),
                    "cublasLtMatmulDescCreate");
  if (!status)
    return status;
  matmul = OwnedDescriptor<lt::Matmul>(made, {table.cublasLtMatmulDescDestroy});
  for (auto [attribute, matrix] : {std::pair(lt::kTransposeA, &layout.a),
                                   std::pair(lt::kTransposeB, &layout.b)}) {
    int32_t operation = matrix->isTransposed ? lt::kTransposed : lt::kPlain;
    status = library.check(table.cublasLtMatmulDescSetAttribute(
                               made, attribute, &operation, sizeof(operation)),
                           "cublasLtMatmulDescSetAttribute");
    if (!status)
      return status;
  }
  const MatrixLayout *matrices[] = {&layout.a, &layout.b, &layout.d};
  for (size_t i = 0; i < 3; ++i) {
    const MatrixLayout &matrix = *matrices[i];
    lt::Layout described = nullptr;
    status = library.check(
        table.cublasLtMatrixLayoutCreate(
            &described, getType(i < 2 ? problem.factors : problem.result),
            static_cast<uint64_t>(matrix.rows),
            static_cast<uint64_t>(matrix.columns), matrix.leading),
        "cublasLtMatrixLayoutCreate");
    if (!status)
      return status;
    layouts[i] = OwnedDescriptor<lt::Layout>(
        described, {table.cublasLtMatrixLayoutDestroy});
    auto count = static_cast<int32_t>(layout.batches);
    auto set = [&](lt::LayoutAttribute attribute, const auto &value) {
      if (status)
        status = library.check(table.cublasLtMatrixLayoutSetAttribute(
                                   described, attribute, &value, sizeof(value)),
                               "cublasLtMatrixLayoutSetAttribute");
    };
    set(lt::kBatchCount, count);
    set(lt::kBatchStride, matrix.batchStride);
    if (!status)
      return status;
  }
  return {};
}

/// Asks for the algorithm.
Status MatmulStep::choose(const CublasLt &library,
                          const MatmulProblem &problem) {
  const CublasLtTable &table = *library.table;
  lt::Preference made = nullptr;
  Status status = library.check(table.cublasLtMatmulPreferenceCreate(&made),
                                "cublasLtMatmulPreferenceCreate");
  if (!status)
    return status;
  OwnedDescriptor<lt::Preference> preference(
      made, {table.cublasLtMatmulPreferenceDestroy});
  auto set = [&](lt::PreferenceAttribute attribute, const auto &value) {
    if (status)
      status = library.check(table.cublasLtMatmulPreferenceSetAttribute(
                                 made, attribute, &value, sizeof(value)),
                             "cublasLtMatmulPreferenceSetAttribute");
  };
  set(lt::kScratchBytes, problem.scratchBytes);
  set(lt::kReductionSchemes, uint32_t(lt::kUndivided | lt::kInComputeType));
  std::array<uint32_t, 3> alignments;
  for (size_t i = 0; i < 3; ++i) {
    uint64_t step = 0;
    for (const ProductLayout::Loop &loop : layout.loops)
      step |= static_cast<uint64_t>(loop.strides[i] * elementBytes[i]);
    alignments[i] = getAlignment(problem.addresses[i], step);
  }
  set(lt::kAlignmentA, alignments[layout.isSwapped ? 1 : 0]);
  set(lt::kAlignmentB, alignments[layout.isSwapped ? 0 : 1]);
  set(lt::kAlignmentC, alignments[2]);
  set(lt::kAlignmentD, alignments[2]);
  if (!status)
    return status;
  lt::Heuristic found = {};
  int count = 0;
  lt::Status result = table.cublasLtMatmulAlgoGetHeuristic(
      library.handle, matmul.get(), layouts[0].get(), layouts[1].get(),
      layouts[2].get(), layouts[2].get(), made, 1, &found, &count);
  if (result == lt::kSuccess && count > 0)
    result = found.state;
  else if (result == lt::kSuccess)
    result = lt::kNotSupported;
  algorithm = found.algorithm;
  scratchBytes = found.scratchBytes;
  return library.check(result, "cublasLtMatmulAlgoGetHeuristic");
}

Result<MatmulStep> MatmulStep::make(Context::Impl &context,
                                    const MatmulProblem &problem) {
  MatmulStep step;
  const MatrixView &target = problem.views[2];
  if (std::find(target.extents.begin(), target.extents.end(), 0) !=
      target.extents.end())
    return step;
  uint64_t resultBytes = getBytes(problem.result);
  if (problem.views[0].extents.back() == 0) {
    // Zero is zero bytes in all types.
    if (!step.zeros.set(resultBytes, target.extents, target.strides, nullptr))
      return fail(ErrorCode::InvalidArgument,
                  "expected offsets in bytes below 2^63, got more");
    return step;
  }
  std::string reason;
  if (!step.layout.set(problem.views[0], problem.views[1], target, reason))
    return fail(ErrorCode::InvalidPackage, "{}", reason);
  if (step.layout.batches > INT32_MAX)
    return fail(ErrorCode::InvalidArgument,
                "expected a batch of less than 2^31 matrices, got {}",
                step.layout.batches);
  auto factorBytes = static_cast<int64_t>(getBytes(problem.factors));
  step.elementBytes = {factorBytes, factorBytes,
                       static_cast<int64_t>(resultBytes)};
  step.calls = 1;
  for (const ProductLayout::Loop &loop : step.layout.loops)
    if (__builtin_mul_overflow(step.calls, loop.extent, &step.calls))
      step.calls = INT64_MAX;
  Result<const CublasLt *> library = context.getCublasLt();
  if (!library)
    return tl::make_unexpected(std::move(library.error()));
  Status status = step.describe(**library, problem);
  if (status)
    status = step.choose(**library, problem);
  if (!status)
    return tl::make_unexpected(std::move(status.error()));
  return step;
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

Status MatmulStep::call(Context::Impl &context,
                        const std::array<uint64_t, 3> &addresses,
                        uint64_t scratch, Stream stream) const {
  Result<const CublasLt *> library = context.getCublasLt();
  if (!library)
    return tl::make_unexpected(std::move(library.error()));
  auto at = [](uint64_t address) { return reinterpret_cast<void *>(address); };
  const float one = 1, zero = 0;
  return (*library)->check(
      (*library)->table->cublasLtMatmul(
          (*library)->handle, matmul.get(), &one,
          at(addresses[layout.isSwapped ? 1 : 0]), layouts[0].get(),
          at(addresses[layout.isSwapped ? 0 : 1]), layouts[1].get(), &zero,
          at(addresses[2]), layouts[2].get(), at(addresses[2]),
          layouts[2].get(), &algorithm, at(scratch), scratchBytes, stream),
      "cublasLtMatmul");
}

Status MatmulStep::run(Context::Impl &context,
                       const std::array<uint64_t, 3> &addresses,
                       uint64_t scratch, Stream stream) const {
  if (!zeros.isEmpty())
    return zeros.fill(context, addresses[2], 0, stream);
  for (int64_t number = 0; number < calls; ++number) {
    std::array<uint64_t, 3> moved = addresses;
    int64_t rest = number;
    for (auto loop = layout.loops.rbegin(); loop != layout.loops.rend();
         ++loop) {
      for (size_t i = 0; i < 3; ++i)
        moved[i] += static_cast<uint64_t>(rest % loop->extent *
                                          loop->strides[i] * elementBytes[i]);
      rest /= loop->extent;
    }
    if (Status status = call(context, moved, scratch, stream); !status)
      return status;
  }
  return {};
}

} // namespace carousel::runtime
