//===- MatmulStepTest.cpp - products by a library -------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Launch/LibrarySteps.h"

#include "FakeCublasLt.h"
#include "KernelTest.h"

#include <cmath>
#include <numeric>
#include <random>

using namespace carousel;
using namespace carousel::runtime;
using namespace carousel::runtime::test;

namespace {

using List = std::vector<int64_t>;

class MatmulStepTest : public KernelFixture {
protected:
  static constexpr int64_t kElements = 1 << 16;

  void SetUp() override {
    KernelFixture::SetUp();
    fake::cublaslt::reset();
    ContextOptions options;
    options.libraries.cublasLt = CAROUSEL_FAKE_CUBLASLT;
    context.emplace(open(options));
    for (std::optional<Buffer> &buffer : buffers) {
      buffer.emplace(*Buffer::allocate(*context, kElements * 4));
      auto *values = reinterpret_cast<float *>(buffer->getAddress());
      // Small integers, whose sums are exact in any order.
      for (int64_t i = 0; i < kElements; ++i)
        values[i] = static_cast<float>((i * 7 + i / 11) % 9 - 4);
    }
  }

  void TearDown() override {
    for (std::optional<Buffer> &buffer : buffers)
      buffer.reset();
    context.reset();
    EXPECT_EQ(fake::cublaslt::countObjects(), 0u);
    KernelFixture::TearDown();
  }

  float *get(size_t operand, int64_t shift = 0) {
    return reinterpret_cast<float *>(buffers[operand]->getAddress()) + shift;
  }

  MatmulProblem makeProblem(const MatrixView &lhs, const MatrixView &rhs,
                            const MatrixView &target, int64_t shift = 0) {
    MatmulProblem problem;
    problem.views = {lhs, rhs, target};
    for (size_t i = 0; i < 3; ++i)
      problem.addresses.matrices[i] = reinterpret_cast<uint64_t>(get(i, shift));
    return problem;
  }

  static float read(const float *from, const MatrixView &view, List index) {
    return from[std::inner_product(index.begin(), index.end(),
                                   view.strides.begin(), int64_t(0))];
  }

  /// Multiplies on the fake device and element by element; the calls that it
  /// took. Nothing else of the target's buffer changes.
  size_t check(const MatrixView &lhs, const MatrixView &rhs,
               const MatrixView &target, int64_t shift = 0) {
    CurrentContext current(context->getImpl());
    fake::cublaslt::reset();
    MatmulProblem problem = makeProblem(lhs, rhs, target, shift);
    for (int64_t i = 0; i < kElements; ++i)
      get(2)[i] = -99;
    std::vector<float> want(get(2), get(2) + kElements);
    List index(target.extents.size(), 0);
    bool isEmpty = std::count(target.extents.begin(), target.extents.end(), 0);
    while (!isEmpty) {
      float sum = 0;
      List left = index, right = index;
      for (int64_t k = 0; k < lhs.extents.back(); ++k) {
        left.back() = right.rbegin()[1] = k;
        sum += read(get(0, shift), lhs, left) * read(get(1, shift), rhs, right);
      }
      want[static_cast<size_t>(
          shift + std::inner_product(index.begin(), index.end(),
                                     target.strides.begin(), int64_t(0)))] =
          sum;
      size_t dim = index.size();
      while (dim > 0 && ++index[dim - 1] == target.extents[dim - 1])
        index[--dim] = 0;
      if (dim == 0)
        break;
    }
    Result<MatmulStep> step = MatmulStep::make(context->getImpl(), problem);
    EXPECT_TRUE(step) << step.error().message;
    EXPECT_EQ(step->isEmpty(), isEmpty);
    Status status = step->run(context->getImpl(), problem.addresses, nullptr);
    EXPECT_TRUE(status) << status.error().message;
    EXPECT_TRUE(std::equal(want.begin(), want.end(), get(2)));
    return fake::cublaslt::getCalls().size();
  }

  std::optional<Context> context;
  /// The last ones are bias, residual and scratch.
  std::array<std::optional<Buffer>, 6> buffers;
};

TEST_F(MatmulStepTest, Matrices) {
  EXPECT_EQ(check({{5, 7}, {7, 1}}, {{7, 3}, {3, 1}}, {{5, 3}, {3, 1}}), 1u);
  EXPECT_EQ(check({{5, 7}, {1, 8}}, {{7, 3}, {1, 9}}, {{5, 3}, {1, 6}}, 3), 1u);
  EXPECT_EQ(check({{1, 1}, {1, 1}}, {{1, 1}, {1, 1}}, {{1, 1}, {1, 1}}), 1u);
}

TEST_F(MatmulStepTest, Batches) {
  EXPECT_EQ(check({{2, 4, 5, 7}, {140, 7, 28, 1}},
                  {{2, 4, 7, 3}, {0, 21, 3, 1}},
                  {{2, 4, 5, 3}, {60, 15, 3, 1}}),
            2u);
  // A call for each matrix of the shorter batches, at every alignment.
  EXPECT_EQ(check({{2, 3, 5, 3, 2}, {90, 30, 6, 2, 1}},
                  {{2, 3, 5, 2, 3}, {90, 30, 6, 3, 1}},
                  {{2, 3, 5, 3, 3}, {135, 45, 9, 3, 1}}, 1),
            6u);
}

/// Counted without overflow, so that a program with too many is refused.
TEST_F(MatmulStepTest, CountsCalls) {
  CurrentContext current(context->getImpl());
  auto count = [&](const List &batches) {
    MatrixView view = {batches, List(batches.size(), 0)};
    view.extents.insert(view.extents.end(), {4, 4});
    view.strides.insert(view.strides.end(), {4, 1});
    Result<MatmulStep> step =
        MatmulStep::make(context->getImpl(), makeProblem(view, view, view));
    EXPECT_TRUE(step) << step.error().message;
    EXPECT_FALSE(step->isEmpty());
    return step->countCalls();
  };
  EXPECT_EQ(count({}), 1u);
  EXPECT_EQ(count({7, 5, 3}), 15u);
  EXPECT_EQ(count({INT32_MAX, INT32_MAX}), uint64_t(INT32_MAX));
  // The product of the last three is a multiple of 2^64, or wraps to another.
  EXPECT_EQ(count({INT32_MAX - 1, 1 << 30, 1 << 30, 16}), uint64_t(INT64_MAX));
  EXPECT_EQ(count({INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX}),
            uint64_t(INT64_MAX));
}

TEST_F(MatmulStepTest, EmptySumsAreZero) {
  EXPECT_EQ(check({{5, 0}, {0, 1}}, {{0, 3}, {3, 1}}, {{5, 3}, {4, 1}}), 0u);
  EXPECT_EQ(check({{0, 7}, {7, 1}}, {{7, 3}, {3, 1}}, {{0, 3}, {3, 1}}), 0u);
  EXPECT_EQ(check({{0, 5, 7}, {35, 7, 1}}, {{0, 7, 3}, {21, 3, 1}},
                  {{0, 5, 3}, {15, 3, 1}}),
            0u);
}

TEST_F(MatmulStepTest, RandomViews) {
  std::mt19937 random(7);
  auto pick = [&](int64_t most) {
    return static_cast<int64_t>(random() % static_cast<unsigned>(most));
  };
  for (int round = 0; round < 200; ++round) {
    List batches;
    for (int64_t count = pick(3); count > 0; --count)
      batches.push_back(1 + pick(4));
    int64_t m = 1 + pick(6), n = 1 + pick(6), k = 1 + pick(6);
    auto makeView = [&](int64_t rows, int64_t columns, bool isShared) {
      MatrixView view;
      view.extents = batches;
      view.extents.insert(view.extents.end(), {rows, columns});
      view.strides.resize(view.extents.size());
      size_t last = view.extents.size() - 1;
      size_t inner = pick(2) ? last : last - 1, outer = 2 * last - 1 - inner;
      view.strides[inner] = 1;
      view.strides[outer] = view.extents[inner] + pick(3);
      int64_t size = view.strides[outer] * view.extents[outer];
      for (size_t dim = batches.size(); dim-- > 0;) {
        view.strides[dim] = isShared && pick(2) ? 0 : size + pick(3);
        size = std::max(size, view.strides[dim] * view.extents[dim]);
      }
      return view;
    };
    check(makeView(m, k, true), makeView(k, n, true), makeView(m, n, false),
          pick(4));
  }
}

TEST_F(MatmulStepTest, TypesScratchAndStreams) {
  CurrentContext current(context->getImpl());
  MatmulProblem problem =
      makeProblem({{2, 2}, {2, 1}}, {{2, 2}, {2, 1}}, {{2, 2}, {2, 1}});
  problem.factors = problem.result = ElementType::BF16;
  problem.scratchBytes = 1 << 20;
  auto *lhs = reinterpret_cast<uint16_t *>(get(0));
  auto *rhs = reinterpret_cast<uint16_t *>(get(1));
  for (int i = 0; i < 4; ++i)
    lhs[i] = rhs[i] = 0x3f80; // 1
  Result<MatmulStep> step = MatmulStep::make(context->getImpl(), problem);
  ASSERT_TRUE(step) << step.error().message;
  problem.addresses.scratch = problem.addresses.matrices[2] + 4096;
  ASSERT_TRUE(step->run(context->getImpl(), problem.addresses, nullptr));
  EXPECT_EQ(*reinterpret_cast<uint16_t *>(get(2)), 0x4000); // 2
  std::vector<fake::cublaslt::Call> calls = fake::cublaslt::getCalls();
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_EQ(calls[0].scratch, get(2, 1024));
  EXPECT_EQ(calls[0].scratchBytes, 4096u);
  EXPECT_FALSE(calls[0].tf32);
  problem.factors = problem.result = ElementType::F32;
  problem.tf32 = true;
  Result<MatmulStep> rounded = MatmulStep::make(context->getImpl(), problem);
  ASSERT_TRUE(rounded);
  ASSERT_TRUE(rounded->run(context->getImpl(), problem.addresses, nullptr));
  EXPECT_TRUE(fake::cublaslt::getCalls().back().tf32);
}

/// A product with a bias, a residual and a function, at alignments of the bias
/// that the library has and hasn't, with scratch and without, and of empty
/// sums.
TEST_F(MatmulStepTest, Epilogues) {
  using Function = StepInfo::Function;
  CurrentContext current(context->getImpl());
  const int64_t m = 5, n = 6;
  for (Function function : {Function::Identity, Function::Relu, Function::Gelu})
    for (int added = 0; added < 4; ++added)
      for (int64_t k : {7, 0})
        for (int64_t shift : {0, 1})
          for (uint64_t scratchBytes : {0, 8192}) {
            bool hasBias = added & 1, hasResidual = added & 2;
            if (k == 0 && scratchBytes == 0)
              continue;
            fake::cublaslt::reset();
            MatmulProblem problem = makeProblem(
                {{m, k}, {k, 1}}, {{k, n}, {n, 1}}, {{m, n}, {n, 1}});
            problem.function = function;
            problem.added.hasBias = hasBias;
            if (hasResidual)
              problem.added.residual = {{m, n}, {n + 2, 1}};
            problem.addresses.bias = reinterpret_cast<uint64_t>(get(3, shift));
            problem.addresses.matrices[3] =
                reinterpret_cast<uint64_t>(get(4, 3));
            problem.addresses.scratch = reinterpret_cast<uint64_t>(get(5));
            problem.scratchBytes = scratchBytes;
            Result<MatmulStep> step =
                MatmulStep::make(context->getImpl(), problem);
            ASSERT_TRUE(step) << step.error().message;
            Status status =
                step->run(context->getImpl(), problem.addresses, nullptr);
            ASSERT_TRUE(status) << status.error().message;
            for (int64_t row = 0; row < m; ++row)
              for (int64_t column = 0; column < n; ++column) {
                float sum = 0;
                for (int64_t at = 0; at < k; ++at)
                  sum += get(0)[row * k + at] * get(1)[at * n + column];
                sum += hasResidual ? get(4, 3)[row * (n + 2) + column] : 0;
                sum += hasBias ? get(3, shift)[column] : 0;
                if (function == Function::Relu)
                  sum = std::max(sum, 0.0f);
                if (function == Function::Gelu)
                  sum *= 0.5f *
                         (1 + std::tanh(0.79788456f *
                                        (sum + 0.044715f * sum * sum * sum)));
                EXPECT_NEAR(get(2)[row * n + column], sum, 1e-4);
              }
            bool isZero =
                k == 0 && function == Function::Identity && added == 0;
            std::vector<fake::cublaslt::Call> calls =
                fake::cublaslt::getCalls();
            ASSERT_EQ(calls.size(), isZero ? 0u : 1u);
            if (isZero)
              continue;
            EXPECT_EQ(calls[0].hasResidual, hasResidual);
            EXPECT_EQ(calls[0].k, std::max<int64_t>(k, 1));
            // A bias that isn't aligned is copied where there is memory.
            bool isCopied = hasBias && shift != 0 && scratchBytes != 0;
            if (hasBias && !isCopied) {
              EXPECT_EQ(calls[0].bias, get(3, shift));
            }
            EXPECT_EQ(step->countCalls(),
                      1u + (isCopied ? 1 : 0) + (k == 0 ? 1 : 0));
          }
}

TEST_F(MatmulStepTest, EpilogueErrors) {
  CurrentContext current(context->getImpl());
  MatmulProblem problem =
      makeProblem({{2, 2}, {2, 1}}, {{2, 2}, {2, 1}}, {{2, 2}, {2, 1}});
  auto expectError = [&](ErrorCode code, const std::string &message) {
    Result<MatmulStep> step = MatmulStep::make(context->getImpl(), problem);
    ASSERT_FALSE(step);
    EXPECT_EQ(step.error().code, code);
    EXPECT_EQ(step.error().message, message);
  };
  problem.function = StepInfo::Function::Relu;
  fake::cublaslt::setVersion(120900);
  expectError(ErrorCode::NoLibrary,
              "expected version 130000 or later of cuBLASLt for relu, got "
              "120900; compile with --no-libraries");
  fake::cublaslt::setVersion(130000);
  problem.added.residual = {{2, 1}, {1, 1}};
  expectError(ErrorCode::InvalidPackage, "expected a residual of 2x2, got 2x1");
  problem.added.residual.reset();
  problem.views[0] = {{2, 0}, {0, 1}};
  problem.views[1] = {{0, 2}, {2, 1}};
  problem.scratchBytes = 100;
  expectError(ErrorCode::InvalidArgument,
              "expected 256 bytes of scratch for empty sums, got 100");
}

TEST_F(MatmulStepTest, Errors) {
  CurrentContext current(context->getImpl());
  MatmulProblem problem =
      makeProblem({{2, 2}, {2, 1}}, {{2, 2}, {2, 1}}, {{2, 2}, {2, 1}});
  auto expectError = [&](ErrorCode code, const std::string &message) {
    Result<MatmulStep> step = MatmulStep::make(context->getImpl(), problem);
    ASSERT_FALSE(step);
    EXPECT_EQ(step.error().code, code);
    EXPECT_EQ(step.error().message, message);
  };
  for (const char *function :
       {"cublasLtCreate", "cublasLtMatmulDescCreate",
        "cublasLtMatmulDescSetAttribute", "cublasLtMatrixLayoutCreate",
        "cublasLtMatrixLayoutSetAttribute", "cublasLtMatmulPreferenceCreate",
        "cublasLtMatmulPreferenceSetAttribute",
        "cublasLtMatmulAlgoGetHeuristic"}) {
    fake::cublaslt::failNext(function, lt::kAllocFailed);
    expectError(ErrorCode::OutOfMemory,
                std::string(function) + " failed: CUBLAS_STATUS_ALLOC_FAILED");
  }
  Result<MatmulStep> step = MatmulStep::make(context->getImpl(), problem);
  ASSERT_TRUE(step);
  fake::cublaslt::failNext("cublasLtMatmul", lt::kNotSupported);
  Status status = step->run(context->getImpl(), problem.addresses, nullptr);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::DriverError);
  EXPECT_EQ(status.error().message,
            "cublasLtMatmul failed: CUBLAS_STATUS_NOT_SUPPORTED");
  fake::cublaslt::refuseAll();
  expectError(ErrorCode::DriverError, "cublasLtMatmulAlgoGetHeuristic failed: "
                                      "CUBLAS_STATUS_NOT_SUPPORTED");
}

} // namespace
