//===- FakeCublasLt.cpp - cuBLASLt on the host ----------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeCublasLt.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <mutex>
#include <string>

using namespace carousel::runtime::lt;

namespace carousel::runtime::lt {

struct OpaqueHandle {};
struct OpaqueMatmul {
  ComputeType compute;
  int32_t transposeA = kPlain, transposeB = kPlain;
  uint32_t epilogue = kNoEpilogue;
  const void *bias = nullptr;
  int32_t biasType = -1;
};
struct OpaqueLayout {
  DataType type;
  int64_t rows, columns, leading;
  int32_t batches = 1;
  int64_t batchStride = 0;
};
struct OpaquePreference {
  uint64_t scratchBytes = 0;
  uint32_t schemes = 7;
  /// The alignments of a, b, c and d.
  uint32_t alignments[4] = {256, 256, 256, 256};
};

} // namespace carousel::runtime::lt

namespace carousel::fake::cublaslt {
namespace {

using Lock = std::lock_guard<std::mutex>;

struct State {
  std::mutex mutex;
  std::map<std::string, Status, std::less<>> failures;
  bool refusesAll = false;
  std::vector<Call> calls;
  unsigned objects = 0;
  size_t version = 130000;

  static State &get() {
    static State *state = new State();
    return *state;
  }

  Status fail(const char *function) {
    Lock lock(mutex);
    auto found = failures.find(std::string_view(function));
    if (found == failures.end())
      return kSuccess;
    Status status = found->second;
    failures.erase(found);
    return status;
  }
  void count(int change) {
    Lock lock(mutex);
    objects += static_cast<unsigned>(change);
  }
};

constexpr Status kInvalidValue = 7;
constexpr size_t kWantedScratch = 4096;

} // namespace

void reset() {
  State &state = State::get();
  Lock lock(state.mutex);
  state.failures.clear();
  state.refusesAll = false;
  state.calls.clear();
  state.version = 130000;
}

void setVersion(size_t version) {
  State &state = State::get();
  Lock lock(state.mutex);
  state.version = version;
}

void failNext(std::string_view function, Status status) {
  State &state = State::get();
  Lock lock(state.mutex);
  state.failures[std::string(function)] = status;
}

void refuseAll() {
  State &state = State::get();
  Lock lock(state.mutex);
  state.refusesAll = true;
}

std::vector<Call> getCalls() {
  State &state = State::get();
  Lock lock(state.mutex);
  return state.calls;
}

unsigned countObjects() {
  State &state = State::get();
  Lock lock(state.mutex);
  return state.objects;
}

} // namespace carousel::fake::cublaslt

using namespace carousel::fake::cublaslt;

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

static size_t getBytes(DataType type) { return type == kF32 ? 4 : 2; }

static float load(DataType type, const void *from, int64_t number) {
  const char *at =
      static_cast<const char *>(from) + number * int64_t(getBytes(type));
  float value = 0;
  if (type == kF32) {
    std::memcpy(&value, at, sizeof(value));
  } else if (type == kF16) {
    _Float16 half;
    std::memcpy(&half, at, sizeof(half));
    value = static_cast<float>(half);
  } else {
    uint16_t bits;
    std::memcpy(&bits, at, sizeof(bits));
    uint32_t wide = uint32_t(bits) << 16;
    std::memcpy(&value, &wide, sizeof(value));
  }
  return value;
}

/// Rounds to the nearest even number.
static void store(DataType type, void *to, int64_t number, float value) {
  char *at = static_cast<char *>(to) + number * int64_t(getBytes(type));
  if (type == kF32) {
    std::memcpy(at, &value, sizeof(value));
  } else if (type == kF16) {
    auto half = static_cast<_Float16>(value);
    std::memcpy(at, &half, sizeof(half));
  } else {
    uint32_t wide;
    std::memcpy(&wide, &value, sizeof(wide));
    auto bits = static_cast<uint16_t>((wide + 0x7fff + (wide >> 16 & 1)) >> 16);
    std::memcpy(at, &bits, sizeof(bits));
  }
}

/// The function of an epilogue, in f32.
static float apply(uint32_t epilogue, float x) {
  if (epilogue & kRelu)
    return x < 0 ? 0 : x;
  if (epilogue & kGelu)
    return 0.5f * x *
           (1 + std::tanh(0.79788456f * (x + 0.044715f * x * x * x)));
  return x;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

#define FAKE_ENTER(function)                                                   \
  if (Status status = State::get().fail(#function); status != kSuccess)        \
  return status

template <typename T, typename... Values>
static Status create(T **made, Values... values) {
  *made = new T{values...};
  State::get().count(1);
  return kSuccess;
}

template <typename T> static Status destroy(T *object) {
  delete object;
  State::get().count(-1);
  return kSuccess;
}

template <typename T>
static Status read(T &member, const void *value, size_t bytes) {
  if (bytes != sizeof(T))
    return kInvalidValue;
  std::memcpy(&member, value, bytes);
  return kSuccess;
}

extern "C" {

size_t cublasLtGetVersion() {
  State &state = State::get();
  Lock lock(state.mutex);
  return state.version;
}

const char *cublasLtGetStatusName(Status status) {
  switch (status) {
  case kSuccess:
    return "CUBLAS_STATUS_SUCCESS";
  case kAllocFailed:
    return "CUBLAS_STATUS_ALLOC_FAILED";
  case kNotSupported:
    return "CUBLAS_STATUS_NOT_SUPPORTED";
  default:
    return "CUBLAS_STATUS_INVALID_VALUE";
  }
}

Status cublasLtCreate(Handle *handle) {
  FAKE_ENTER(cublasLtCreate);
  return create(handle);
}
Status cublasLtDestroy(Handle handle) { return destroy(handle); }

Status cublasLtMatmulDescCreate(Matmul *made, ComputeType compute,
                                DataType scale) {
  FAKE_ENTER(cublasLtMatmulDescCreate);
  return scale == kF32 ? create(made, compute) : kInvalidValue;
}
Status cublasLtMatmulDescDestroy(Matmul matmul) { return destroy(matmul); }
Status cublasLtMatmulDescSetAttribute(Matmul matmul, MatmulAttribute attribute,
                                      const void *value, size_t bytes) {
  FAKE_ENTER(cublasLtMatmulDescSetAttribute);
  switch (attribute) {
  case kTransposeA:
    return read(matmul->transposeA, value, bytes);
  case kTransposeB:
    return read(matmul->transposeB, value, bytes);
  case kEpilogue:
    return read(matmul->epilogue, value, bytes);
  case kBiasPointer:
    return read(matmul->bias, value, bytes);
  case kBiasType:
    return read(matmul->biasType, value, bytes);
  }
  return kInvalidValue;
}

Status cublasLtMatrixLayoutCreate(Layout *made, DataType type, uint64_t rows,
                                  uint64_t columns, int64_t leading) {
  FAKE_ENTER(cublasLtMatrixLayoutCreate);
  return create(made, type, static_cast<int64_t>(rows),
                static_cast<int64_t>(columns), leading);
}
Status cublasLtMatrixLayoutDestroy(Layout layout) { return destroy(layout); }
Status cublasLtMatrixLayoutSetAttribute(Layout layout,
                                        LayoutAttribute attribute,
                                        const void *value, size_t bytes) {
  FAKE_ENTER(cublasLtMatrixLayoutSetAttribute);
  return attribute == kBatchCount ? read(layout->batches, value, bytes)
                                  : read(layout->batchStride, value, bytes);
}

Status cublasLtMatmulPreferenceCreate(Preference *made) {
  FAKE_ENTER(cublasLtMatmulPreferenceCreate);
  return create(made);
}
Status cublasLtMatmulPreferenceDestroy(Preference preference) {
  return destroy(preference);
}
Status cublasLtMatmulPreferenceSetAttribute(Preference preference,
                                            PreferenceAttribute attribute,
                                            const void *value, size_t bytes) {
  FAKE_ENTER(cublasLtMatmulPreferenceSetAttribute);
  switch (attribute) {
  case kScratchBytes:
    return read(preference->scratchBytes, value, bytes);
  case kReductionSchemes:
    return read(preference->schemes, value, bytes);
  default:
    return read(preference->alignments[attribute - kAlignmentA], value, bytes);
  }
}

Status cublasLtMatmulAlgoGetHeuristic(Handle, Matmul matmul, Layout a, Layout b,
                                      Layout c, Layout d, Preference preference,
                                      int wanted, Heuristic *found,
                                      int *count) {
  FAKE_ENTER(cublasLtMatmulAlgoGetHeuristic);
  for (Layout layout : {a, b, c, d})
    if (layout->rows <= 0 || layout->columns <= 0 ||
        layout->leading < layout->rows || layout->batches != a->batches)
      return kInvalidValue;
  int64_t m = matmul->transposeA ? a->columns : a->rows;
  int64_t n = matmul->transposeB ? b->rows : b->columns;
  if (c->type != d->type || c->rows != m || c->columns != n)
    return kInvalidValue;
  if (matmul->epilogue & kBias &&
      (!matmul->bias || matmul->biasType != d->type))
    return kInvalidValue;
  if (d->rows != m || d->columns != n ||
      (matmul->transposeA ? a->rows : a->columns) !=
          (matmul->transposeB ? b->columns : b->rows))
    return kInvalidValue;
  *count = State::get().refusesAll || wanted < 1 ? 0 : 1;
  // Sums must have the same bits each time.
  if (preference->schemes & ~uint32_t(kInComputeType))
    return kInvalidValue;
  if (*count == 0)
    return kSuccess;
  *found = {};
  for (size_t i = 0; i < 4; ++i)
    found->algorithm.data[i] = preference->alignments[i];
  found->scratchBytes = std::min(preference->scratchBytes, kWantedScratch);
  return kSuccess;
}

Status cublasLtMatmul(Handle, Matmul matmul, const void *alpha, const void *a,
                      Layout layoutA, const void *b, Layout layoutB,
                      const void *beta, const void *c, Layout layoutC, void *d,
                      Layout layoutD, const Algorithm *algorithm, void *scratch,
                      size_t bytes, CUstream stream) {
  FAKE_ENTER(cublasLtMatmul);
  const void *addresses[] = {a, b, c, d};
  for (size_t i = 0; i < 4; ++i)
    if (reinterpret_cast<uintptr_t>(addresses[i]) % algorithm->data[i] != 0)
      return kInvalidValue;
  bool hasResidual = load(kF32, beta, 0) == 1;
  if (load(kF32, alpha, 0) != 1 ||
      (!hasResidual &&
       (load(kF32, beta, 0) != 0 || c != d || layoutC != layoutD)) ||
      (hasResidual && c == d) || (bytes && !scratch))
    return kInvalidValue;
  constexpr uint64_t kBiasAlignment = 16;
  if (matmul->epilogue & kBias &&
      reinterpret_cast<uintptr_t>(matmul->bias) %
              std::min(algorithm->data[3], kBiasAlignment) !=
          0)
    return kInvalidValue;
  Call call;
  call.epilogue = matmul->epilogue;
  call.bias = matmul->epilogue & kBias ? matmul->bias : nullptr;
  call.hasResidual = hasResidual;
  call.m = layoutD->rows;
  call.n = layoutD->columns;
  call.transposeA = matmul->transposeA == kTransposed;
  call.transposeB = matmul->transposeB == kTransposed;
  call.k = call.transposeA ? layoutA->rows : layoutA->columns;
  call.batches = layoutD->batches;
  call.tf32 = matmul->compute == kCompute32FFastTF32;
  call.scratch = scratch;
  call.scratchBytes = bytes;
  call.stream = stream;
  auto at = [](Layout layout, int64_t batch, int64_t row, int64_t column) {
    return batch * layout->batchStride + column * layout->leading + row;
  };
  for (int64_t batch = 0; batch < call.batches; ++batch)
    for (int64_t i = 0; i < call.m; ++i)
      for (int64_t j = 0; j < call.n; ++j) {
        float sum = 0;
        for (int64_t k = 0; k < call.k; ++k)
          sum += load(layoutA->type, a,
                      call.transposeA ? at(layoutA, batch, k, i)
                                      : at(layoutA, batch, i, k)) *
                 load(layoutB->type, b,
                      call.transposeB ? at(layoutB, batch, j, k)
                                      : at(layoutB, batch, k, j));
        if (hasResidual)
          sum += load(layoutC->type, c, at(layoutC, batch, i, j));
        if (call.bias)
          sum += load(layoutD->type, call.bias, i);
        store(layoutD->type, d, at(layoutD, batch, i, j),
              apply(matmul->epilogue, sum));
      }
  State &state = State::get();
  Lock lock(state.mutex);
  state.calls.push_back(call);
  return kSuccess;
}

} // extern "C"
