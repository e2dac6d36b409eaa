//===- FakeTensorMap.cpp - tensor maps of the fake driver -----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks the main rules with one error code for all, as the driver does. So a
// test can tell that the runtime found the error first.
//
//===----------------------------------------------------------------------===//

#include "FakeState.h"

#include <cstring>

using namespace carousel::fake;
using Lock = std::lock_guard<std::mutex>;

/// Bits of one element.
static unsigned getBits(CUtensorMapDataType type) {
  switch (type) {
  case CU_TENSOR_MAP_DATA_TYPE_UINT8:
    return 8;
  case CU_TENSOR_MAP_DATA_TYPE_UINT16:
  case CU_TENSOR_MAP_DATA_TYPE_FLOAT16:
  case CU_TENSOR_MAP_DATA_TYPE_BFLOAT16:
    return 16;
  case CU_TENSOR_MAP_DATA_TYPE_UINT64:
  case CU_TENSOR_MAP_DATA_TYPE_INT64:
  case CU_TENSOR_MAP_DATA_TYPE_FLOAT64:
    return 64;
  case CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B:
  case CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN16B:
    return 4;
  case CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B:
    return 6;
  default:
    return 32;
  }
}

static bool isPacked(CUtensorMapDataType type) {
  return type == CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN16B ||
         type == CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B;
}

static uint64_t getSwizzleSpan(CUtensorMapSwizzle swizzle) {
  switch (swizzle) {
  case CU_TENSOR_MAP_SWIZZLE_NONE:
    return UINT64_MAX;
  case CU_TENSOR_MAP_SWIZZLE_32B:
    return 32;
  case CU_TENSOR_MAP_SWIZZLE_64B:
    return 64;
  default:
    return 128;
  }
}

/// The rules that all kinds share, and the box of a tiled map.
static bool isValid(const Encode &encode) {
  size_t rank = encode.extents.size();
  bool tiled = encode.kind == Encode::Kind::Tiled;
  bool interleaved = encode.interleave != CU_TENSOR_MAP_INTERLEAVE_NONE;
  size_t least = tiled && !interleaved ? 1 : 3;
  if (rank < least || rank > 5)
    return false;
  uint64_t alignment =
      encode.interleave == CU_TENSOR_MAP_INTERLEAVE_32B || isPacked(encode.type)
          ? 32
          : 16;
  if (encode.address % alignment != 0)
    return false;
  for (uint64_t extent : encode.extents)
    if (extent == 0 || extent > uint64_t(1) << 32)
      return false;
  for (uint64_t stride : encode.strides)
    if (stride % alignment != 0 || stride >= uint64_t(1) << 40)
      return false;
  for (size_t i = 0; i < rank; ++i)
    if ((i > 0 || interleaved) &&
        (encode.elementStrides[i] < 1 || encode.elementStrides[i] > 8))
      return false;
  if (encode.interleave == CU_TENSOR_MAP_INTERLEAVE_32B &&
      encode.swizzle != CU_TENSOR_MAP_SWIZZLE_32B)
    return false;
  if (!tiled)
    return encode.channels >= 1 && encode.channels <= 256 &&
           encode.pixels <= 1024;
  for (uint32_t extent : encode.box)
    if (extent < 1 || extent > 256)
      return false;
  uint64_t inner = uint64_t(encode.box[0]) * getBits(encode.type) / 8;
  if (isPacked(encode.type))
    return encode.box[0] == 128;
  return interleaved ||
         (inner % 16 == 0 && inner <= getSwizzleSpan(encode.swizzle));
}

/// FNV-1a.
static void addHash(uint64_t &hash, uint64_t value) {
  for (int i = 0; i < 8; ++i)
    hash = (hash ^ (value >> (8 * i) & 255)) * 0x100000001b3;
}

static CUresult finish(CUtensorMap *map, Encode encode) {
  if (!map || reinterpret_cast<uintptr_t>(map) % 64 != 0 || !isValid(encode))
    return CUDA_ERROR_INVALID_VALUE;
  EncodedMap result = {};
  result.magic = EncodedMap::kMagic;
  result.address = encode.address;
  result.kind = static_cast<uint32_t>(encode.kind);
  result.type = encode.type;
  result.rank = encode.extents.size();
  result.flags = encode.interleave | encode.swizzle << 8 |
                 encode.promotion << 16 | encode.fill << 24;
  uint64_t hash = 0xcbf29ce484222325;
  for (uint64_t value :
       {result.address, uint64_t(result.kind), uint64_t(result.type),
        uint64_t(result.rank), uint64_t(result.flags), uint64_t(encode.mode),
        uint64_t(encode.channels), uint64_t(encode.pixels)})
    addHash(hash, value);
  for (size_t i = 0; i < encode.extents.size(); ++i)
    addHash(hash, result.extents[i] = encode.extents[i]);
  for (size_t i = 0; i < encode.strides.size(); ++i)
    addHash(hash, result.strides[i] = encode.strides[i]);
  for (size_t i = 0; i < encode.box.size(); ++i)
    addHash(hash, result.box[i] = encode.box[i]);
  if (encode.kind != Encode::Kind::Tiled) {
    result.box[0] = encode.channels;
    result.box[1] = encode.pixels;
  }
  for (uint32_t stride : encode.elementStrides)
    addHash(hash, stride);
  for (int corner : encode.lower)
    addHash(hash, static_cast<uint32_t>(corner));
  for (int corner : encode.upper)
    addHash(hash, static_cast<uint32_t>(corner));
  result.hash = hash;
  std::memcpy(map, &result, sizeof(result));
  State &state = State::get();
  if (state.recording) {
    Lock lock(state.mutex);
    state.encodes.push_back(std::move(encode));
  }
  return CUDA_SUCCESS;
}

/// The arguments that all three functions take.
static Encode begin(Encode::Kind kind, CUtensorMapDataType type, uint32_t rank,
                    void *address, const cuuint64_t *extents,
                    const cuuint64_t *strides, const cuuint32_t *elementStrides,
                    CUtensorMapInterleave interleave,
                    CUtensorMapSwizzle swizzle,
                    CUtensorMapL2promotion promotion,
                    CUtensorMapFloatOOBfill fill) {
  Encode encode;
  encode.kind = kind;
  encode.type = type;
  encode.address = reinterpret_cast<uint64_t>(address);
  if (rank >= 1 && rank <= 5) {
    encode.extents.assign(extents, extents + rank);
    if (rank > 1)
      encode.strides.assign(strides, strides + rank - 1);
    encode.elementStrides.assign(elementStrides, elementStrides + rank);
  }
  encode.interleave = interleave;
  encode.swizzle = swizzle;
  encode.promotion = promotion;
  encode.fill = fill;
  return encode;
}

extern "C" {

CUresult CUDAAPI cuTensorMapEncodeTiled(
    CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address,
    const cuuint64_t *extents, const cuuint64_t *strides, const cuuint32_t *box,
    const cuuint32_t *elementStrides, CUtensorMapInterleave interleave,
    CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
    CUtensorMapFloatOOBfill fill) {
  FAKE_ENTER(cuTensorMapEncodeTiled, Needs::Context);
  Encode encode =
      begin(Encode::Kind::Tiled, type, rank, address, extents, strides,
            elementStrides, interleave, swizzle, promotion, fill);
  encode.box.assign(box, box + encode.extents.size());
  return finish(map, std::move(encode));
}

CUresult CUDAAPI cuTensorMapEncodeIm2col(
    CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address,
    const cuuint64_t *extents, const cuuint64_t *strides, const int *lower,
    const int *upper, cuuint32_t channels, cuuint32_t pixels,
    const cuuint32_t *elementStrides, CUtensorMapInterleave interleave,
    CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
    CUtensorMapFloatOOBfill fill) {
  FAKE_ENTER(cuTensorMapEncodeIm2col, Needs::Context);
  Encode encode =
      begin(Encode::Kind::Im2col, type, rank, address, extents, strides,
            elementStrides, interleave, swizzle, promotion, fill);
  size_t spatial = encode.extents.size() < 3 ? 0 : encode.extents.size() - 2;
  encode.lower.assign(lower, lower + spatial);
  encode.upper.assign(upper, upper + spatial);
  encode.channels = channels;
  encode.pixels = pixels;
  return finish(map, std::move(encode));
}

CUresult CUDAAPI cuTensorMapEncodeIm2colWide(
    CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address,
    const cuuint64_t *extents, const cuuint64_t *strides, int lower, int upper,
    cuuint32_t channels, cuuint32_t pixels, const cuuint32_t *elementStrides,
    CUtensorMapInterleave interleave, CUtensorMapIm2ColWideMode mode,
    CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
    CUtensorMapFloatOOBfill fill) {
  FAKE_ENTER(cuTensorMapEncodeIm2colWide, Needs::Context);
  Encode encode =
      begin(Encode::Kind::Im2colWide, type, rank, address, extents, strides,
            elementStrides, interleave, swizzle, promotion, fill);
  encode.lower = {lower};
  encode.upper = {upper};
  encode.channels = channels;
  encode.pixels = pixels;
  encode.mode = mode;
  return finish(map, std::move(encode));
}

} // extern "C"
