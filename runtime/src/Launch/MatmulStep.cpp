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
// What lies in the scratch before the library's memory
//===----------------------------------------------------------------------===//

/// The alignments of what lies in the scratch and of a bias: the library adds
/// one that is less aligned by kernels that are five times as slow, if at all.
constexpr uint64_t kScratchAlignment = 256, kBiasAlignment = 16;

static uint64_t align(uint64_t bytes) {
  return (bytes + kScratchAlignment - 1) / kScratchAlignment *
         kScratchAlignment;
}

/// No sum has a term, but something is added to it: each has one, the product
/// of two zeros.
Status MatmulStep::replaceEmptySums(MatmulProblem &problem) {
  size_t rank = problem.views[0].extents.size();
  int64_t m = problem.views[2].extents[rank - 2];
  int64_t n = problem.views[2].extents[rank - 1];
  uint64_t bytes = getBytes(problem.factors);
  if (!zeros.set(bytes, {std::max(m, n)}, {1}, nullptr))
    return fail(ErrorCode::InvalidArgument,
                "expected offsets in bytes below 2^63, got more");
  uint64_t wanted = align(bytes * static_cast<uint64_t>(std::max(m, n)));
  if (wanted > problem.scratchBytes)
    return fail(ErrorCode::InvalidArgument,
                "expected {} bytes of scratch for empty sums, got {}", wanted,
                problem.scratchBytes);
  for (size_t i = 0; i < 2; ++i) {
    MatrixView &view = problem.views[i];
    view.strides.assign(rank, 0);
    view.extents[i == 0 ? rank - 1 : rank - 2] = 1;
    view.strides[rank - 2] = view.strides[rank - 1] = 1;
    problem.addresses.matrices[i] = problem.addresses.scratch;
  }
  hasZeroFactors = true;
  libraryOffset = wanted;
  return {};
}

/// Copies a bias that isn't aligned, if there is memory for it.
void MatmulStep::placeBias(MatmulProblem &problem) {
  int64_t n = problem.views[2].extents.back();
  uint64_t bytes = getBytes(problem.result);
  uint64_t wanted = align(static_cast<uint64_t>(n) * bytes);
  const std::vector<int64_t> stride = {1};
  if (!problem.added.hasBias || problem.addresses.bias % kBiasAlignment == 0 ||
      libraryOffset + wanted > problem.scratchBytes ||
      !biasCopy.set(bytes, {n}, stride, &stride))
    return;
  biasOffset = libraryOffset;
  problem.addresses.bias = problem.addresses.scratch + biasOffset;
  libraryOffset += wanted;
}

/// Makes the problem one for the library.
Status MatmulStep::prepare(MatmulProblem &problem) {
  if (problem.views[0].extents.back() == 0)
    CAROUSEL_TRY(replaceEmptySums(problem));
  placeBias(problem);
  problem.addresses.scratch += libraryOffset;
  problem.scratchBytes -= libraryOffset;
  return {};
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

Status MatmulStep::describeEpilogue(const CublasLt &library,
                                    const MatmulProblem &problem) {
  using Function = StepInfo::Function;
  // Older versions were seen to make zeros of NaN.
  constexpr size_t kOldest = 130000;
  const CublasLtTable &table = *library.table;
  if (size_t version = table.cublasLtGetVersion();
      problem.function == Function::Relu && version < kOldest)
    return fail(ErrorCode::NoLibrary,
                "expected version {} or later of cuBLASLt for relu, got {}; "
                "compile with --no-libraries",
                kOldest, version);
  uint32_t epilogue = 0;
  if (problem.function == Function::Relu)
    epilogue = lt::kRelu;
  else if (problem.function == Function::Gelu)
    epilogue = lt::kGelu;
  if (problem.added.hasBias)
    epilogue |= lt::kBias;
  if (epilogue == 0)
    return {};
  auto set = [&](lt::MatmulAttribute attribute, const auto &value) {
    return library.check(table.cublasLtMatmulDescSetAttribute(
                             matmul.get(), attribute, &value, sizeof(value)),
                         "cublasLtMatmulDescSetAttribute");
  };
  CAROUSEL_TRY(set(lt::kEpilogue, epilogue));
  if (!problem.added.hasBias)
    return {};
  biasMutex = std::make_unique<std::mutex>();
  CAROUSEL_TRY(set(lt::kBiasPointer, problem.addresses.bias));
  return set(lt::kBiasType, static_cast<int32_t>(getType(problem.result)));
}

Status MatmulStep::describe(const CublasLt &library,
                            const MatmulProblem &problem) {
  const CublasLtTable &table = *library.table;
  lt::Matmul made = nullptr;
  lt::ComputeType compute =
      problem.tf32 ? lt::kCompute32FFastTF32 : lt::kCompute32F;
  CAROUSEL_TRY(
      library.check(table.cublasLtMatmulDescCreate(&made, compute, lt::kF32),
                    "cublasLtMatmulDescCreate"));
  matmul = OwnedDescriptor<lt::Matmul>(made, {table.cublasLtMatmulDescDestroy});
  for (auto [attribute, matrix] : {std::pair(lt::kTransposeA, &layout.a),
                                   std::pair(lt::kTransposeB, &layout.b)}) {
    int32_t operation = matrix->isTransposed ? lt::kTransposed : lt::kPlain;
    CAROUSEL_TRY(
        library.check(table.cublasLtMatmulDescSetAttribute(
                          made, attribute, &operation, sizeof(operation)),
                      "cublasLtMatmulDescSetAttribute"));
  }
  CAROUSEL_TRY(describeEpilogue(library, problem));
  const MatrixLayout *matrices[] = {&layout.a, &layout.b, &layout.d, &layout.c};
  for (size_t i = 0; i < (hasResidual ? 4 : 3); ++i) {
    const MatrixLayout &matrix = *matrices[i];
    lt::Layout described = nullptr;
    CAROUSEL_TRY(library.check(
        table.cublasLtMatrixLayoutCreate(
            &described, getType(i < 2 ? problem.factors : problem.result),
            static_cast<uint64_t>(matrix.rows),
            static_cast<uint64_t>(matrix.columns), matrix.leading),
        "cublasLtMatrixLayoutCreate"));
    layouts[i] = OwnedDescriptor<lt::Layout>(
        described, {table.cublasLtMatrixLayoutDestroy});
    auto count = static_cast<int32_t>(layout.batches);
    auto set = [&](lt::LayoutAttribute attribute, const auto &value) {
      return library.check(table.cublasLtMatrixLayoutSetAttribute(
                               described, attribute, &value, sizeof(value)),
                           "cublasLtMatrixLayoutSetAttribute");
    };
    CAROUSEL_TRY(set(lt::kBatchCount, count));
    CAROUSEL_TRY(set(lt::kBatchStride, matrix.batchStride));
  }
  return {};
}

/// Asks for the algorithm.
Status MatmulStep::choose(const CublasLt &library,
                          const MatmulProblem &problem) {
  const CublasLtTable &table = *library.table;
  lt::Preference made = nullptr;
  CAROUSEL_TRY(library.check(table.cublasLtMatmulPreferenceCreate(&made),
                             "cublasLtMatmulPreferenceCreate"));
  OwnedDescriptor<lt::Preference> preference(
      made, {table.cublasLtMatmulPreferenceDestroy});
  Status status;
  auto set = [&](lt::PreferenceAttribute attribute, const auto &value) {
    if (status)
      status = library.check(table.cublasLtMatmulPreferenceSetAttribute(
                                 made, attribute, &value, sizeof(value)),
                             "cublasLtMatmulPreferenceSetAttribute");
  };
  set(lt::kScratchBytes, problem.scratchBytes);
  set(lt::kReductionSchemes, uint32_t(lt::kUndivided | lt::kInComputeType));
  std::array<uint32_t, 4> alignments;
  for (size_t i = 0; i < alignments.size(); ++i) {
    uint64_t step = 0;
    for (const ProductLayout::Loop &loop : layout.loops)
      step |= static_cast<uint64_t>(loop.strides[i] * elementBytes[i]);
    alignments[i] = getAlignment(problem.addresses.matrices[i], step);
  }
  if (!hasResidual)
    alignments[3] = alignments[2];
  // No preference says how well the bias is aligned.
  if (problem.added.hasBias)
    alignments[2] =
        std::min(alignments[2], getAlignment(problem.addresses.bias, 0));
  set(lt::kAlignmentA, alignments[layout.isSwapped ? 1 : 0]);
  set(lt::kAlignmentB, alignments[layout.isSwapped ? 0 : 1]);
  set(lt::kAlignmentC, alignments[3]);
  set(lt::kAlignmentD, alignments[2]);
  CAROUSEL_TRY(std::move(status));
  lt::Heuristic found = {};
  int count = 0;
  lt::Status result = table.cublasLtMatmulAlgoGetHeuristic(
      library.handle, matmul.get(), layouts[0].get(), layouts[1].get(),
      getAdded(), layouts[2].get(), made, 1, &found, &count);
  if (result == lt::kSuccess && count > 0)
    result = found.state;
  else if (result == lt::kSuccess)
    result = lt::kNotSupported;
  algorithm = found.algorithm;
  scratchBytes = found.scratchBytes;
  return library.check(result, "cublasLtMatmulAlgoGetHeuristic");
}

Result<MatmulStep> MatmulStep::make(Context::Impl &context,
                                    const MatmulProblem &given) {
  MatmulStep step;
  MatmulProblem problem = given;
  const MatrixView &target = problem.views[2];
  if (std::find(target.extents.begin(), target.extents.end(), 0) !=
      target.extents.end())
    return step;
  uint64_t resultBytes = getBytes(problem.result);
  step.hasResidual = problem.added.residual.has_value();
  bool isZero = problem.function == StepInfo::Function::Identity &&
                !problem.added.hasBias && !step.hasResidual;
  if (isZero && problem.views[0].extents.back() == 0) {
    // Zero is zero bytes in all types.
    if (!step.zeros.set(resultBytes, target.extents, target.strides, nullptr))
      return fail(ErrorCode::InvalidArgument,
                  "expected offsets in bytes below 2^63, got more");
    return step;
  }
  CAROUSEL_TRY(step.prepare(problem));
  std::string reason;
  if (!step.layout.set(problem.views[0], problem.views[1], target, reason,
                       problem.added))
    return fail(ErrorCode::InvalidPackage, "{}", reason);
  if (step.layout.batches > INT32_MAX)
    return fail(ErrorCode::InvalidArgument,
                "expected a batch of less than 2^31 matrices, got {}",
                step.layout.batches);
  auto factorBytes = static_cast<int64_t>(getBytes(problem.factors));
  step.elementBytes = {factorBytes, factorBytes,
                       static_cast<int64_t>(resultBytes),
                       static_cast<int64_t>(resultBytes)};
  step.calls = 1;
  for (const ProductLayout::Loop &loop : step.layout.loops)
    if (__builtin_mul_overflow(step.calls, loop.extent, &step.calls))
      step.calls = INT64_MAX;
  CAROUSEL_TRY_ASSIGN(const auto *library, context.getCublasLt());
  CAROUSEL_TRY(step.describe(*library, problem));
  CAROUSEL_TRY(step.choose(*library, problem));
  return step;
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

uint64_t MatmulStep::countCalls() const {
  uint64_t others = (zeros.isEmpty() ? 0 : zeros.countFillCalls(0)) +
                    (biasCopy.isEmpty() ? 0 : biasCopy.countCopyCalls());
  return static_cast<uint64_t>(calls) + others;
}

Status MatmulStep::call(Context::Impl &context,
                        const MatmulAddresses &addresses, Stream stream) const {
  CAROUSEL_TRY_ASSIGN(const auto *library, context.getCublasLt());
  const CublasLtTable &table = *library->table;
  auto at = [&](size_t matrix) {
    return reinterpret_cast<void *>(addresses.matrices[matrix]);
  };
  std::unique_lock<std::mutex> lock;
  if (biasMutex) {
    lock = std::unique_lock(*biasMutex);
    CAROUSEL_TRY(library->check(table.cublasLtMatmulDescSetAttribute(
                                    matmul.get(), lt::kBiasPointer,
                                    &addresses.bias, sizeof(addresses.bias)),
                                "cublasLtMatmulDescSetAttribute"));
  }
  const float one = 1, beta = hasResidual ? 1 : 0;
  return library->check(
      table.cublasLtMatmul(
          library->handle, matmul.get(), &one, at(layout.isSwapped ? 1 : 0),
          layouts[0].get(), at(layout.isSwapped ? 0 : 1), layouts[1].get(),
          &beta, at(hasResidual ? 3 : 2), getAdded(), at(2), layouts[2].get(),
          &algorithm, reinterpret_cast<void *>(addresses.scratch), scratchBytes,
          stream),
      "cublasLtMatmul");
}

Status MatmulStep::run(Context::Impl &context, const MatmulAddresses &given,
                       Stream stream) const {
  MatmulAddresses addresses = given;
  if (!zeros.isEmpty()) {
    uint64_t target =
        hasZeroFactors ? addresses.scratch : addresses.matrices[2];
    Status status = zeros.fill(context, target, 0, stream);
    if (!status || !hasZeroFactors)
      return status;
    addresses.matrices[0] = addresses.matrices[1] = addresses.scratch;
  }
  if (!biasCopy.isEmpty()) {
    uint64_t place = addresses.scratch + biasOffset;
    CAROUSEL_TRY(biasCopy.copy(context, place, addresses.bias, stream));
    addresses.bias = place;
  }
  addresses.scratch += libraryOffset;
  for (int64_t number = 0; number < calls; ++number) {
    MatmulAddresses moved = addresses;
    int64_t rest = number;
    for (auto loop = layout.loops.rbegin(); loop != layout.loops.rend();
         ++loop) {
      for (size_t i = 0; i < moved.matrices.size(); ++i)
        moved.matrices[i] += static_cast<uint64_t>(
            rest % loop->extent * loop->strides[i] * elementBytes[i]);
      rest /= loop->extent;
    }
    CAROUSEL_TRY(call(context, moved, stream));
  }
  return {};
}

} // namespace carousel::runtime
