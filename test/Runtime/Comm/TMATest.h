//===- TMATest.h - a package of bulk copies ---------------------*- C++ -*-===//
//-*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A package like that of runtime/transport, with host functions for the
// kernels, and two ranks that use it. The functions note what they are given.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TEST_RUNTIME_COMM_TMATEST_H
#define CAROUSEL_TEST_RUNTIME_COMM_TMATEST_H

#include "CommTest.h"
#include "TestPackages.h"

#include <cstring>

namespace carousel::runtime::test {

/// The kernel of f32.
inline std::string makeTransportAdd() {
  return R"({"name": "add_f32", "arguments": [
    {"name": "x", "kind": "tensor", "access": "in", "element": "f32",
     "extents": [null], "strides": "contiguous"},
    {"name": "y", "kind": "tensor", "access": "inout", "element": "f32",
     "extents": [null], "strides": "contiguous"},
    {"name": "ctas", "kind": "scalar", "access": "in", "element": "index"}],
   "variants": [{"function": "add_f32", "module": "transport",
     "chips": ["sm_90a"], "guards": [], "index_bits": 64, "parameters": [
       {"kind": "pointer", "argument": 0},
       {"kind": "extent", "argument": 0, "dim": 0},
       {"kind": "pointer", "argument": 1},
       {"kind": "extent", "argument": 1, "dim": 0},
       {"kind": "scalar", "argument": 2}],
     "tensor_maps": [], "grid": [["scalar", 2], 1, 1], "block": [32, 1, 1],
     "cluster": [1, 1, 1], "dynamic_shared": 0}]})";
}

/// The kernels that copy: of bytes, or of words that are shifted.
inline std::string makeTransportCopy(bool isShifted) {
  std::string arguments, parameters;
  const char *names[] = {"x", "y", "head_x", "head_y", "tail_x", "tail_y"};
  for (int i = 0; i < 6; ++i) {
    const char *element = isShifted && i < 2 ? "i32" : "i8";
    arguments += std::string("{\"name\": \"") + names[i] +
                 "\", \"kind\": \"tensor\", \"access\": \"" +
                 (i % 2 ? "out" : "in") + "\", \"element\": \"" + element +
                 "\", \"extents\": [null], \"strides\": \"contiguous\"}, ";
    std::string number = std::to_string(i);
    parameters += "{\"kind\": \"pointer\", \"argument\": " + number +
                  "}, {\"kind\": \"extent\", \"argument\": " + number +
                  ", \"dim\": 0}, ";
  }
  std::string ctas = "6", scalars = "{\"kind\": \"scalar\", \"argument\": 6}";
  if (isShifted) {
    arguments += "{\"name\": \"shift\", \"kind\": \"scalar\", \"access\": "
                 "\"in\", \"element\": \"i32\"}, ";
    ctas = "7", scalars += ", {\"kind\": \"scalar\", \"argument\": 7}";
  }
  std::string name = isShifted ? "copy_shifted" : "copy_bytes";
  auto variant = [&](const std::string &function, const char *guards) {
    return "{\"function\": \"" + function +
           "\", \"module\": \"transport\", \"chips\": [\"sm_90a\"], "
           "\"guards\": [" +
           guards + "], \"index_bits\": 64, \"parameters\": [" + parameters +
           scalars + "], \"tensor_maps\": [], \"grid\": [[\"scalar\", " + ctas +
           "], 1, 1], \"block\": [32, 1, 1], \"cluster\": [1, 1, 1], "
           "\"dynamic_shared\": 0}";
  };
  return "{\"name\": \"" + name + "\", \"arguments\": [" + arguments +
         "{\"name\": \"ctas\", \"kind\": \"scalar\", \"access\": \"in\", "
         "\"element\": \"index\"}], \"variants\": [" +
         variant(name + "_tma",
                 "{\"kind\": \"aligned\", \"argument\": 0, \"bytes\": 16}, "
                 "{\"kind\": \"aligned\", \"argument\": 1, \"bytes\": 16}") +
         ", " + variant(name, "") + "]}";
}

inline std::string makeTransportManifest() {
  return "{\"format\": \"carousel-package\", \"version\": 3, \"producer\": "
         "\"test\", \"modules\": [{\"name\": \"transport\", \"images\": "
         "[{\"chip\": \"sm_90a\", \"kind\": \"ptx\", \"file\": "
         "\"transport.sm_90a.ptx\", \"bytes\": 0, \"hash\": \"\"}]}], "
         "\"kernels\": [" +
         makeTransportCopy(false) + ", " + makeTransportCopy(true) + ", " +
         makeTransportAdd() + "]}";
}

/// The arguments of a launch of a kernel that copies.
struct Parts {
  uint64_t body = 0, head = 0, tail = 0, target = 0;
  int64_t ctas = 0;
  std::string function;
};

class TMATest : public testing::Test {
protected:
  void SetUp() override {
    fake::reset();
    std::string manifest = makeTransportManifest();
    auto files = makeFiles(manifest);
    files["transport.sm_90a.ptx"] = ".version 8.6\n";
    writePackage(directory / "transport.pkg", manifest, files);
    for (const char *name : {"copy_bytes", "copy_bytes_tma"}) {
      fake::setParameterSizes(name, std::vector<size_t>(13, 8));
      fake::setKernel(name, [this, name](const fake::Launch &launch, void **) {
        auto get = [&](size_t i) { return launch.get<uint64_t>(i); };
        for (size_t i = 0; i < 12; i += 4)
          if (get(i + 1))
            std::memcpy(reinterpret_cast<void *>(get(i + 2)),
                        reinterpret_cast<const void *>(get(i)), get(i + 1));
        parts = {get(1), get(5), get(9), get(2), launch.get<int64_t>(12), name};
      });
    }
    std::vector<size_t> sizes(14, 8);
    sizes[12] = 4;
    fake::setParameterSizes("copy_shifted_tma", sizes);
    fake::setKernel("copy_shifted_tma", [this](const fake::Launch &launch,
                                               void **) {
      auto get = [&](size_t i) { return launch.get<uint64_t>(i); };
      auto shift = launch.get<int32_t>(12);
      EXPECT_EQ(get(0) % 16, 0u);
      EXPECT_EQ(get(1) * 4, get(3) * 4 + 16);
      std::memcpy(reinterpret_cast<void *>(get(2)),
                  reinterpret_cast<const void *>(get(0) + shift), get(3) * 4);
      for (size_t i = 4; i < 12; i += 4)
        std::memcpy(reinterpret_cast<void *>(get(i + 2)),
                    reinterpret_cast<const void *>(get(i)), get(i + 1));
      parts = {
          get(3) * 4,        get(5), get(9), get(2), launch.get<int64_t>(13),
          "copy_shifted_tma"};
    });
    fake::setParameterSizes("add_f32", {8, 8, 8, 8, 8});
    fake::setKernel("add_f32", [this](const fake::Launch &launch, void **) {
      auto *x = reinterpret_cast<const float *>(launch.get<uint64_t>(0));
      auto *y = reinterpret_cast<float *>(launch.get<uint64_t>(2));
      for (uint64_t i = 0; i < launch.get<uint64_t>(1); ++i)
        y[i] += x[i];
      parts.ctas = launch.get<int64_t>(4);
    });
    context.emplace(makeContext());
    connect(directory / "transport.pkg");
  }

  void connect(const std::string &package) {
    CommOptions options = makeOptions(0, 2, "");
    options.transportPackage = package;
    buffers.clear();
    auto made = Comm::connectLocal({*context, *context}, options);
    ASSERT_TRUE(made) << made.error().message;
    comms = *made;
    auto all = SymmetricBuffer::allocateAll(comms, 1 << 20);
    ASSERT_TRUE(all) << all.error().message;
    buffers = std::move(*all);
    auto memory = Buffer::allocate(*context, 1 << 20);
    ASSERT_TRUE(memory);
    source.emplace(std::move(*memory));
    auto *bytes = reinterpret_cast<uint8_t *>(source->getAddress());
    for (size_t i = 0; i < 1 << 20; ++i)
      bytes[i] = static_cast<uint8_t>(i * 7 + i / 253);
  }
  void TearDown() override {
    source.reset();
    buffers.clear();
    comms.clear();
    context.reset();
    EXPECT_EQ(fake::countLoadedModules(), 0u);
  }

  TempDirectory directory;
  std::optional<Context> context;
  std::vector<Comm> comms;
  std::vector<SymmetricBuffer> buffers;
  std::optional<Buffer> source;
  Parts parts;
};

} // namespace carousel::runtime::test

#endif // CAROUSEL_TEST_RUNTIME_COMM_TMATEST_H
