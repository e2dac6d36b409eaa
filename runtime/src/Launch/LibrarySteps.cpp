//===- LibrarySteps.cpp - steps without kernels of our own ----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The layouts of matrices, then steps that fill and copy, then products.
//
//===----------------------------------------------------------------------===//

#include "LibrarySteps.h"

#include "carousel/Runtime/Fail.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace carousel::runtime {

namespace {

/// The last two dimensions of a view.
struct Matrix {
  explicit Matrix(const MatrixView &view)
      : rows(view.extents.rbegin()[1]), columns(view.extents.back()),
        rowStride(view.strides.rbegin()[1]), columnStride(view.strides.back()) {
  }

  Matrix transpose() const {
    Matrix result = *this;
    std::swap(result.rows, result.columns);
    std::swap(result.rowStride, result.columnStride);
    return result;
  }

  /// The layout with neighbours in a column; nothing if they aren't neighbours.
  std::optional<MatrixLayout> getColumns() const {
    // A dimension of one element has any stride.
    if (rows != 1 && rowStride != 1)
      return std::nullopt;
    MatrixLayout layout;
    layout.rows = rows;
    layout.columns = columns;
    layout.leading = columns == 1 ? rows : columnStride;
    if (layout.leading < rows)
      return std::nullopt;
    return layout;
  }

  /// The layout of a factor.
  std::optional<MatrixLayout> getLayout() const {
    std::optional<MatrixLayout> plain = getColumns();
    std::optional<MatrixLayout> transposed = transpose().getColumns();
    // Elements of a row are neighbours if they can be.
    if (transposed && (!plain || rows == 1)) {
      transposed->isTransposed = true;
      return transposed;
    }
    return plain;
  }

  int64_t rows, columns, rowStride, columnStride;
};

} // namespace

/// The longest batch is the library's, and others are loops.
void ProductLayout::setBatches(const std::array<const MatrixView *, 4> &views) {
  size_t count = views[2]->extents.size() - 2;
  for (size_t dim = 0; dim < count; ++dim)
    if (int64_t extent = views[2]->extents[dim]; extent != 1)
      loops.push_back(
          {extent,
           {views[0]->strides[dim], views[1]->strides[dim],
            views[2]->strides[dim], views[3] ? views[3]->strides[dim] : 0}});
  if (loops.empty())
    return;
  auto longest = std::max_element(
      loops.begin(), loops.end(),
      [](const Loop &x, const Loop &y) { return x.extent < y.extent; });
  batches = longest->extent;
  a.batchStride = longest->strides[isSwapped ? 1 : 0];
  b.batchStride = longest->strides[isSwapped ? 0 : 1];
  d.batchStride = longest->strides[2];
  c.batchStride = longest->strides[3];
  loops.erase(longest);
}

bool ProductLayout::set(const MatrixView &lhs, const MatrixView &rhs,
                        const MatrixView &target, std::string &reason,
                        const AddedViews &added) {
  const MatrixView *residual = added.residual ? &*added.residual : nullptr;
  size_t rank = target.extents.size();
  auto agree = [&](const MatrixView &factor) {
    return factor.extents.size() == rank &&
           std::equal(target.extents.begin(), target.extents.end() - 2,
                      factor.extents.begin());
  };
  Matrix first(lhs), second(rhs), result(target);
  if (!agree(lhs) || !agree(rhs) || first.rows != result.rows ||
      second.columns != result.columns || first.columns != second.rows) {
    reason =
        fmt::format("expected factors and a product of (batches, m, k), "
                    "(batches, k, n) and (batches, m, n), got {}, {} "
                    "and {}",
                    fmt::join(lhs.extents, "x"), fmt::join(rhs.extents, "x"),
                    fmt::join(target.extents, "x"));
    return false;
  }
  // Elements of a column are neighbours, too, in the transpose's rows.
  std::optional<MatrixLayout> plain = result.getColumns();
  std::optional<MatrixLayout> transposed = result.transpose().getColumns();
  bool isAlongRows = added.hasBias || residual;
  isSwapped = transposed && (!plain || result.rows == 1 || isAlongRows);
  std::optional<MatrixLayout> rows = transposed;
  if (residual && residual->extents != target.extents) {
    reason = fmt::format("expected a residual of {}, got {}",
                         fmt::join(target.extents, "x"),
                         fmt::join(residual->extents, "x"));
    return false;
  }
  if (residual)
    rows = Matrix(*residual).transpose().getColumns();
  if (isAlongRows && (!isSwapped || !rows)) {
    reason = fmt::format(
        "expected a target and a residual with the stride 1 along n and one "
        "along m that isn't less than n, got the strides {}{}{}",
        fmt::join(target.strides, ","), residual ? " and " : "",
        fmt::join(residual ? residual->strides : std::vector<int64_t>(), ","));
    return false;
  }
  Matrix left = isSwapped ? second.transpose() : first;
  Matrix right = isSwapped ? first.transpose() : second;
  std::optional<MatrixLayout> factors[] = {left.getLayout(), right.getLayout()};
  if ((!plain && !transposed) || !factors[0] || !factors[1]) {
    reason = fmt::format(
        "expected matrices with a dimension of stride 1, whose other stride "
        "isn't less than their extent, got the strides {}, {} and {}",
        fmt::join(lhs.strides, ","), fmt::join(rhs.strides, ","),
        fmt::join(target.strides, ","));
    return false;
  }
  d = isSwapped ? *transposed : *plain;
  a = *factors[0];
  b = *factors[1];
  if (isAlongRows)
    c = *rows;
  setBatches({&lhs, &rhs, &target, residual});
  return true;
}

bool MemoryStep::set(uint64_t bytes, const std::vector<int64_t> &extents,
                     const std::vector<int64_t> &target,
                     const std::vector<int64_t> *source) {
  auto width = static_cast<int64_t>(bytes);
  elementBytes = bytes;
  dims.clear();
  // Innermost first; a row's elements are the first dimension.
  std::vector<Dim> merged = {{1, width, width}};
  int64_t row = width;
  bool isEmpty = false;
  for (size_t i = extents.size(); i-- > 0;) {
    isEmpty |= extents[i] == 0;
    if (extents[i] == 1)
      continue;
    Dim dim = {extents[i], 0, 0};
    if (__builtin_mul_overflow(target[i], width, &dim.target) ||
        __builtin_mul_overflow(source ? (*source)[i] : target[i], width,
                               &dim.source))
      return false;
    Dim &inner = merged.back();
    int64_t targetEnd, sourceEnd;
    bool continues =
        !__builtin_mul_overflow(inner.extent, inner.target, &targetEnd) &&
        !__builtin_mul_overflow(inner.extent, inner.source, &sourceEnd) &&
        dim.target == targetEnd && dim.source == sourceEnd;
    if (!continues)
      merged.push_back(dim);
    else if (__builtin_mul_overflow(inner.extent, dim.extent, &inner.extent))
      return false;
  }
  if (__builtin_mul_overflow(merged.front().extent, width, &row))
    return false;
  rowBytes = isEmpty ? 0 : static_cast<uint64_t>(row);
  dims.assign(merged.rbegin(), merged.rend() - 1);
  return true;
}

template <typename Run>
Status MemoryStep::forEach(size_t count, Run run) const {
  std::vector<int64_t> index(count, 0);
  while (true) {
    int64_t target = 0, source = 0;
    for (size_t i = 0; i < count; ++i) {
      target += index[i] * dims[i].target;
      source += index[i] * dims[i].source;
    }
    CAROUSEL_TRY(run(target, source));
    size_t dim = count;
    while (dim > 0 && ++index[dim - 1] == dims[dim - 1].extent)
      index[--dim] = 0;
    if (dim == 0)
      return {};
  }
}

/// Counts the elements of the first `count` dimensions.
uint64_t MemoryStep::countElements(size_t count) const {
  uint64_t elements = isEmpty() ? 0 : 1;
  for (size_t i = 0; i < count; ++i)
    if (__builtin_mul_overflow(elements, static_cast<uint64_t>(dims[i].extent),
                               &elements))
      return UINT64_MAX;
  return elements;
}

size_t MemoryStep::countCopied() const {
  if (dims.empty() || isEmpty())
    return 0;
  // A pitch holds a row, and a plane whole rows.
  const Dim &rows = dims.back();
  auto row = static_cast<int64_t>(rowBytes);
  if (rows.source < row || rows.target < row)
    return 0;
  auto isPlane = [&](int64_t plane, int64_t pitch) {
    return plane % pitch == 0 && plane / pitch >= rows.extent;
  };
  if (dims.size() == 1)
    return 1;
  const Dim &planes = dims[dims.size() - 2];
  return isPlane(planes.source, rows.source) &&
                 isPlane(planes.target, rows.target)
             ? 2
             : 1;
}

size_t MemoryStep::countFilled(bool isSplit) const {
  return !isSplit && !dims.empty() &&
                 dims.back().target >= static_cast<int64_t>(rowBytes)
             ? 1
             : 0;
}

/// Whether a value of 8 bytes is two different words.
static bool hasTwoWords(uint64_t value) {
  return value >> 32 != (value & UINT32_MAX);
}

uint64_t MemoryStep::countCopyCalls() const {
  return countElements(dims.size() - countCopied());
}

uint64_t MemoryStep::countFillCalls(std::optional<uint64_t> value) const {
  bool isSplit = elementBytes == 8 && (!value || hasTwoWords(*value));
  uint64_t calls = countElements(dims.size() - countFilled(isSplit));
  if (isSplit && __builtin_mul_overflow(calls, 2, &calls))
    return UINT64_MAX;
  return calls;
}

/// Rows, or planes of rows: the innermost `planes` + 1 dimensions around rows.
Status MemoryStep::copyBlock(Context::Impl &context, uint64_t target,
                             uint64_t source, size_t planes,
                             Stream stream) const {
  CUDA_MEMCPY3D copy = {};
  const Dim &rows = dims.back();
  copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = source;
  copy.dstDevice = target;
  copy.srcPitch = static_cast<size_t>(rows.source);
  copy.dstPitch = static_cast<size_t>(rows.target);
  copy.WidthInBytes = rowBytes;
  copy.Height = static_cast<size_t>(rows.extent);
  copy.Depth = 1;
  if (planes != 0) {
    const Dim &plane = dims[dims.size() - 2];
    copy.srcHeight = static_cast<size_t>(plane.source / rows.source);
    copy.dstHeight = static_cast<size_t>(plane.target / rows.target);
    copy.Depth = static_cast<size_t>(plane.extent);
  }
  return context.check(context.driver->cuMemcpy3DAsync(&copy, stream),
                       "cuMemcpy3DAsync");
}

Status MemoryStep::copy(Context::Impl &context, uint64_t target,
                        uint64_t source, Stream stream) const {
  bool isSame = target == source &&
                std::all_of(dims.begin(), dims.end(),
                            [](Dim dim) { return dim.target == dim.source; });
  if (isEmpty() || isSame)
    return {};
  if (dims.empty())
    return context.check(
        context.driver->cuMemcpyDtoDAsync(target, source, rowBytes, stream),
        "cuMemcpyDtoDAsync");
  size_t covered = countCopied();
  return forEach(dims.size() - covered, [&](int64_t to, int64_t from) {
    if (covered == 0)
      return context.check(context.driver->cuMemcpyDtoDAsync(
                               target + to, source + from, rowBytes, stream),
                           "cuMemcpyDtoDAsync");
    return copyBlock(context, target + to, source + from, covered - 1, stream);
  });
}

/// Fills `height` rows that begin `pitch` bytes apart.
Status MemoryStep::fillRows(Context::Impl &context, uint64_t target,
                            uint64_t pitch, uint64_t height, uint64_t value,
                            Stream stream) const {
  const DriverTable &driver = *context.driver;
  auto word = static_cast<uint32_t>(value);
  switch (elementBytes) {
  case 1:
    return context.check(driver.cuMemsetD2D8Async(target, pitch,
                                                  static_cast<uint8_t>(value),
                                                  rowBytes, height, stream),
                         "cuMemsetD2D8Async");
  case 2:
    return context.check(
        driver.cuMemsetD2D16Async(target, pitch, static_cast<uint16_t>(value),
                                  rowBytes / 2, height, stream),
        "cuMemsetD2D16Async");
  default:
    return context.check(driver.cuMemsetD2D32Async(
                             target, pitch, word, rowBytes / 4, height, stream),
                         "cuMemsetD2D32Async");
  }
}

Status MemoryStep::fill(Context::Impl &context, uint64_t target, uint64_t value,
                        Stream stream) const {
  if (isEmpty())
    return {};
  uint64_t high = value >> 32, low = value & UINT32_MAX;
  // Elements of 8 bytes, each of two words: columns of words.
  if (elementBytes == 8 && hasTwoWords(value))
    return forEach(dims.size(), [&](int64_t to, int64_t) -> Status {
      for (uint64_t word : {low, high}) {
        uint64_t at = target + static_cast<uint64_t>(to) + (word == high) * 4;
        CAROUSEL_TRY(context.check(
            context.driver->cuMemsetD2D32Async(
                at, 8, static_cast<uint32_t>(word), 1, rowBytes / 8, stream),
            "cuMemsetD2D32Async"));
      }
      return {};
    });
  bool hasPitch = countFilled(/*isSplit=*/false) == 1;
  uint64_t pitch =
      hasPitch ? static_cast<uint64_t>(dims.back().target) : rowBytes;
  uint64_t height = hasPitch ? static_cast<uint64_t>(dims.back().extent) : 1;
  return forEach(dims.size() - hasPitch, [&](int64_t to, int64_t) {
    return fillRows(context, target + static_cast<uint64_t>(to), pitch, height,
                    value, stream);
  });
}

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
// Scratch before the library's memory
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
