//===- TMATest.cpp - the transport of bulk copies -------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How the host divides a copy, with a package like that of runtime/transport
// and a host function for the kernel. lit-tests/Examples/transport.test has the
// kernel itself.
//
//===----------------------------------------------------------------------===//

#include "CommTest.h"
#include "TestPackages.h"

#include "carousel/Runtime/TransportTable.h"

#include <cstring>

using namespace carousel;
using namespace carousel::runtime;
using namespace carousel::runtime::test;

namespace {

/// The kernel of f32.
std::string makeAdd() {
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
std::string makeCopy(bool isShifted) {
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

std::string makeManifest() {
  return "{\"format\": \"carousel-package\", \"version\": 3, \"producer\": "
         "\"test\", \"modules\": [{\"name\": \"transport\", \"images\": "
         "[{\"chip\": \"sm_90a\", \"kind\": \"ptx\", \"file\": "
         "\"transport.sm_90a.ptx\", \"bytes\": 0, \"hash\": \"\"}]}], "
         "\"kernels\": [" +
         makeCopy(false) + ", " + makeCopy(true) + ", " + makeAdd() + "]}";
}

struct Parts {
  uint64_t body = 0, head = 0, tail = 0, target = 0;
  int64_t ctas = 0;
  std::string function;
};

class TMATest : public testing::Test {
protected:
  void SetUp() override {
    fake::reset();
    std::string manifest = makeManifest();
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

TEST_F(TMATest, HeadBodyAndTail) {
  TransferOptions options;
  options.transport = TransportKind::TMA;
  for (uint64_t bytes : {1, 15, 16, 17, 31, 33, 16384, 16385, 500000})
    for (uint64_t offset : {0, 1, 15, 16})
      for (uint64_t from : {0, 1, 15}) {
        ASSERT_EQ(
            getError(buffers[0].put(1, offset, source->getAddress() + from,
                                    bytes, nullptr, options)),
            "");
        EXPECT_EQ(
            std::memcmp(
                reinterpret_cast<void *>(buffers[0].getAddress(1) + offset),
                reinterpret_cast<void *>(source->getAddress() + from), bytes),
            0);
        EXPECT_EQ(parts.head + parts.body + parts.tail, bytes);
        EXPECT_LT(parts.head, 16u);
        EXPECT_LT(parts.tail, 16u);
        EXPECT_EQ(parts.body % 16, 0u);
        if (parts.body > 0)
          EXPECT_EQ(parts.target % 16, 0u);
        bool isAligned = offset % 16 == from % 16 || parts.body == 0;
        if (parts.body > 0)
          EXPECT_EQ(parts.function,
                    isAligned ? "copy_bytes_tma" : "copy_shifted_tma");
      }
}

/// A first load while a stream waits would wait for it, without a bound.
TEST_F(TMATest, ConnectLoadsTheKernels) {
  unsigned loaded = fake::countLoadedModules();
  EXPECT_GT(loaded, 0u);
  TransferOptions options;
  options.transport = TransportKind::TMA;
  for (uint64_t from : {0, 1})
    EXPECT_EQ(getError(buffers[0].put(1, 0, source->getAddress() + from, 99,
                                      nullptr, options)),
              "");
  EXPECT_EQ(getError(buffers[0].putAdd(1, 0, source->getAddress(), 4,
                                       ElementType::F32)),
            "");
  EXPECT_EQ(fake::countLoadedModules(), loaded);
}

TEST_F(TMATest, NumberOfCTAs) {
  TransferOptions options;
  options.transport = TransportKind::TMA;
  auto put = [&](uint64_t bytes) {
    EXPECT_TRUE(
        buffers[0].put(1, 0, source->getAddress(), bytes, nullptr, options));
    return parts.ctas;
  };
  EXPECT_EQ(put(1), 1);
  EXPECT_EQ(put(16384), 1);
  EXPECT_EQ(put(16400), 2);
  EXPECT_EQ(put(1 << 20), 16);
  options.ctas = 3;
  EXPECT_EQ(put(1 << 20), 3);
  options.ctas = -1;
  EXPECT_EQ(getError(buffers[0].put(1, 0, source->getAddress(), 16, nullptr,
                                    options)),
            "ctas: expected at least 0, got -1");
}

TEST_F(TMATest, AutoFollowsTheTable) {
  TransportTable table;
  table.entries = {{Topology::SameGPU, 4096, TransportKind::CopyEngine, 0},
                   {Topology::SameGPU, 65536, TransportKind::TMA, 5}};
  writeFile(directory / "table.json", table.toJSON());
  CommOptions options = makeOptions(0, 2, "");
  options.transportPackage = directory / "transport.pkg";
  options.transportTable = directory / "table.json";
  auto made = Comm::connectLocal({*context, *context}, options);
  ASSERT_TRUE(made) << made.error().message;
  auto all = SymmetricBuffer::allocateAll(*made, 1 << 20);
  ASSERT_TRUE(all) << all.error().message;
  uint64_t launches = fake::countLaunches();
  ASSERT_TRUE((*all)[0].put(1, 0, source->getAddress(), 4096));
  EXPECT_EQ(fake::countLaunches(), launches);
  ASSERT_TRUE((*all)[0].put(1, 0, source->getAddress(), 1 << 20));
  EXPECT_EQ(fake::countLaunches(), launches + 1);
  EXPECT_EQ(parts.ctas, 5);
  ASSERT_TRUE((*all)[0].put(1, 1, source->getAddress(), 65536));
  EXPECT_EQ(fake::countLaunches(), launches + 2);
  EXPECT_EQ(parts.function, "copy_shifted_tma");
}

/// Without a table: bulk copies over NVLink in graphs, if they are there and
/// can do it.
TEST_F(TMATest, AutoWithoutATable) {
  source.reset(), buffers.clear(), comms.clear(), context.reset();
  setDevices(2);
  std::vector<Context> contexts = {makeContext(0), makeContext(1)};
  CUstream plain = fake::makeStream(), stream = fake::makeStream();
  fake::setCapturing(stream, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  auto count = [&](const CommOptions &options, CUstream inStream,
                   uint64_t bytes, uint64_t offset, bool isGet) -> uint64_t {
    auto made = Comm::connectLocal(contexts, options);
    EXPECT_TRUE(made) << getError(made);
    auto all = SymmetricBuffer::allocateAll(*made, (uint64_t(1) << 20) + 64);
    EXPECT_TRUE(all) << getError(all);
    SymmetricBuffer &own = all->front();
    uint64_t before = fake::countLaunches(), local = own.getAddress(0);
    Status status = isGet ? own.get(1, offset, local, bytes, inStream)
                          : own.put(1, offset, local, bytes, inStream);
    EXPECT_EQ(getError(status), "");
    return fake::countLaunches() - before;
  };
  auto countCaptured = [&](const CommOptions &options, uint64_t bytes,
                           uint64_t offset = 0, bool isGet = false) {
    return count(options, stream, bytes, offset, isGet);
  };
  auto countLaunched = [&](const CommOptions &options, uint64_t bytes,
                           uint64_t offset = 0, bool isGet = false) {
    return count(options, plain, bytes, offset, isGet);
  };
  CommOptions options = makeOptions(0, 2, "");
  options.transportPackage = directory / "transport.pkg";
  EXPECT_EQ(countCaptured(options, 4096), 0u); // over PCIe
  EXPECT_EQ(fake::countLoadedModules(), 0u);
  fake::setNVLink(0, 1);
  EXPECT_EQ(countCaptured(options, 1), 1u);
  EXPECT_EQ(countCaptured(options, 131072), 1u);
  EXPECT_EQ(fake::getLaunches().back().grid[0], 8u);
  EXPECT_EQ(countCaptured(options, 1 << 20), 0u);
  EXPECT_EQ(countLaunched(options, 4096), 0u); // by the host
  EXPECT_EQ(countCaptured(options, 4096, 0, /*isGet=*/true), 1u);
  EXPECT_EQ(countCaptured(options, 4096, 4), 0u); // it would shift
  EXPECT_EQ(countCaptured(options, 4096, 16), 1u);
  TransportTable table;
  table.entries = {{Topology::Peer, 4096, TransportKind::CopyEngine, 0},
                   {Topology::Peer, 8192, TransportKind::TMA, 3}};
  writeFile(directory / "table.json", table.toJSON());
  CommOptions measured = options;
  measured.transportTable = directory / "table.json";
  EXPECT_EQ(countCaptured(measured, 4096), 0u);
  EXPECT_EQ(countLaunched(measured, 8192, 4, /*isGet=*/true), 1u);
  // No package, and one for other chips.
  options.transportPackage = directory / "absent";
  EXPECT_EQ(countCaptured(options, 4096), 0u);
  options.transportPackage = directory / "transport.pkg";
  fake::setMissingFunctions({"copy_bytes_tma"});
  EXPECT_EQ(countCaptured(options, 4096), 0u);
  fake::setCapturing(stream, CU_STREAM_CAPTURE_STATUS_NONE);
}

/// The same checks as of a copy, then its way and why.
TEST_F(TMATest, Explains) {
  auto explain = [&](uint64_t bytes, const TransferOptions &options = {}) {
    auto text = buffers[0].explainPut(1, 0, source->getAddress(), bytes,
                                      nullptr, options);
    return text ? *text : text.error().message;
  };
  uint64_t launches = fake::countLaunches();
  EXPECT_EQ(explain(64), "copy-engine: the copy stays on the GPU");
  TransferOptions options;
  options.transport = TransportKind::TMA;
  EXPECT_EQ(explain(64, options), "tma: it is asked for");
  options.ctas = 4;
  EXPECT_EQ(explain(64, options), "tma with at most 4 CTAs: it is asked for");
  options.ctas = -1;
  EXPECT_EQ(explain(64, options), "ctas: expected at least 0, got -1");
  options.transport = TransportKind::NCCL;
  options.ctas = 0;
  EXPECT_NE(explain(64, options).find("expected one that puts and gets"),
            std::string::npos);
  EXPECT_NE(explain((1 << 20) + 1).find("bytes: expected at most 1048576"),
            std::string::npos);
  auto get = buffers[0].explainGet(2, 0, source->getAddress(), 4);
  EXPECT_EQ(getError(get), "from: expected a rank of 0 to 1, got 2");
  EXPECT_EQ(fake::countLaunches(), launches);
}

/// A peer that only PCIe reaches, beside one that NVLink does.
TEST_F(TMATest, AutoKnowsEachPeer) {
  source.reset(), buffers.clear(), comms.clear(), context.reset();
  setDevices(3);
  fake::setNVLink(0, 2);
  CommOptions options = makeOptions(0, 3, "");
  options.transportPackage = directory / "transport.pkg";
  auto made = Comm::connectLocal(
      {makeContext(0), makeContext(1), makeContext(2)}, options);
  ASSERT_TRUE(made) << getError(made);
  auto all = SymmetricBuffer::allocateAll(*made, 4096);
  ASSERT_TRUE(all) << getError(all);
  CUstream stream = fake::makeStream();
  fake::setCapturing(stream, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  auto countLaunches = [&](int to) {
    uint64_t before = fake::countLaunches();
    EXPECT_EQ(
        getError((*all)[0].put(to, 0, (*all)[0].getAddress(0), 4096, stream)),
        "");
    return fake::countLaunches() - before;
  };
  EXPECT_EQ(countLaunches(0), 0u);
  EXPECT_EQ(countLaunches(1), 0u);
  EXPECT_EQ(countLaunches(2), 1u);
  fake::setCapturing(stream, CU_STREAM_CAPTURE_STATUS_NONE);
}

/// The kernels are loaded when ranks connect, so that a graph can record them.
TEST_F(TMATest, AutoCanBeCaptured) {
  source.reset(), buffers.clear(), comms.clear(), context.reset();
  setDevices(2);
  fake::setNVLink(0, 1);
  CommOptions options = makeOptions(0, 2, "");
  options.transportPackage = directory / "transport.pkg";
  auto made = Comm::connectLocal({makeContext(0), makeContext(1)}, options);
  ASSERT_TRUE(made) << getError(made);
  auto all = SymmetricBuffer::allocateAll(*made, 4096);
  ASSERT_TRUE(all) << getError(all);
  CUstream stream = fake::makeStream();
  fake::setCapturing(stream, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  EXPECT_EQ(
      getError((*all)[0].put(1, 0, (*all)[0].getAddress(0), 4096, stream)), "");
  EXPECT_TRUE(fake::getLaunches().back().captured);
  TransferOptions byKernel; // one that shifts
  byKernel.transport = TransportKind::TMA;
  EXPECT_EQ(getError((*all)[0].put(1, 1, (*all)[0].getAddress(0), 999, stream,
                                   byKernel)),
            "");
  EXPECT_TRUE(fake::getLaunches().back().captured);
  // A signal follows.
  uint64_t before = fake::countLaunches();
  EXPECT_EQ(getError((*all)[0].putSignal(1, 0, (*all)[0].getAddress(0), 4096, 0,
                                         1, stream)),
            "");
  EXPECT_EQ(getError((*made)[0].send(1, (*all)[0].getAddress(0), 4096, stream)),
            "");
  EXPECT_EQ(fake::countLaunches(), before);
  fake::setCapturing(stream, CU_STREAM_CAPTURE_STATUS_NONE);
}

/// What a put asks of the driver, which is most of what it costs the host.
TEST_F(TMATest, CallsOfTheDriver) {
  auto list = [&](TransportKind kind) {
    TransferOptions options;
    options.transport = kind;
    size_t before = fake::getCalls().size();
    EXPECT_EQ(getError(buffers[0].put(1, 0, source->getAddress(), 64, nullptr,
                                      options)),
              "");
    std::vector<std::string> names;
    std::vector<fake::Call> calls = fake::getCalls();
    for (size_t i = before; i < calls.size(); ++i)
      names.push_back(calls[i].function);
    return names;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(
      list(TransportKind::CopyEngine),
      (Names{"cuCtxGetCurrent", "cuCtxPushCurrent", "cuPointerGetAttribute",
             "cuMemcpyDtoDAsync", "cuCtxPopCurrent"}));
  EXPECT_EQ(list(TransportKind::Auto), list(TransportKind::CopyEngine));
  EXPECT_EQ(
      list(TransportKind::TMA),
      (Names{"cuCtxGetCurrent", "cuCtxPushCurrent", "cuPointerGetAttribute",
             "cuCtxGetCurrent", "cuLaunchKernelEx", "cuCtxPopCurrent"}));
}

TEST_F(TMATest, Adds) {
  auto *from = reinterpret_cast<float *>(source->getAddress());
  auto *to = reinterpret_cast<float *>(buffers[0].getAddress(1) + 4);
  for (int i = 0; i < 10000; ++i)
    from[i] = float(i), to[i] = 1;
  auto add = [&](int rank, uint64_t offset, uint64_t address, uint64_t count,
                 ElementType element) {
    return getError(buffers[0].putAdd(rank, offset, address, count, element));
  };
  ASSERT_EQ(add(1, 4, source->getAddress(), 10000, ElementType::F32), "");
  EXPECT_EQ(parts.ctas, 3);
  for (int i = 0; i < 10000; ++i)
    ASSERT_EQ(to[i], float(i + 1));
  EXPECT_EQ(add(1, 4, source->getAddress(), 0, ElementType::F32), "");
  EXPECT_EQ(add(1, 0, source->getAddress(), 4, ElementType::F64),
            "element: expected f32, f16, bf16 or i32, got f64");
  std::string error = add(1, 2, source->getAddress(), 4, ElementType::F32);
  EXPECT_EQ(error.find("offset: expected a target at a multiple of 4 bytes, "
                       "got 0x"),
            0u);
  error = add(1, 0, source->getAddress() + 1, 4, ElementType::F16);
  EXPECT_EQ(error.find("source: expected a multiple of 2 bytes, got 0x"), 0u);
  EXPECT_EQ(add(1, 1 << 20, source->getAddress(), 1, ElementType::F32),
            "bytes: expected at most 0 at offset 1048576 of a symmetric buffer "
            "of 1048576, got 4");
  EXPECT_EQ(add(1, 0, source->getAddress(), UINT64_MAX, ElementType::F32),
            "count: expected fewer than 2^62 elements, got "
            "18446744073709551615");
  EXPECT_NE(
      add(1, 0, source->getAddress(), 4, ElementType::BF16).find("add_bf16"),
      std::string::npos); // the package hasn't it
}

/// Launches don't check again what connect() has checked.
TEST_F(TMATest, OtherArguments) {
  auto getPutError = [&](const char *from, const char *to, uint64_t offset) {
    std::string manifest = makeManifest();
    size_t at = manifest.find(from);
    EXPECT_NE(at, std::string::npos);
    manifest.replace(at, std::string(from).size(), to);
    auto files = makeFiles(manifest);
    files["transport.sm_90a.ptx"] = ".version 8.6\n";
    writePackage(directory / "other.pkg", manifest, files);
    connect(directory / "other.pkg");
    TransferOptions options;
    options.transport = TransportKind::TMA;
    uint64_t before = fake::countLaunches();
    std::string error = getError(
        buffers[0].put(1, offset, source->getAddress(), 64, nullptr, options));
    EXPECT_EQ(fake::countLaunches(), before);
    return error;
  };
  const char *bytes = "copy_bytes: expected the arguments of a transport's "
                      "kernel, got others";
  EXPECT_EQ(getPutError("[null]", "[64]", 0), bytes);
  EXPECT_EQ(getPutError("\"element\": \"i8\"", "\"element\": \"i16\"", 0),
            bytes);
  EXPECT_EQ(getPutError("\"i32\"}, {\"name\": \"ctas\"",
                        "\"i64\"}, {\"name\": \"ctas\"", 1),
            "copy_shifted: expected the arguments of a transport's kernel, got "
            "others");
}

TEST_F(TMATest, NoPackage) {
  connect(directory / "absent");
  TransferOptions options;
  options.transport = TransportKind::TMA;
  std::string error = getError(
      buffers[0].put(1, 0, source->getAddress(), 16, nullptr, options));
  EXPECT_EQ(error.find("transport: expected the package of transport kernels "
                       "for tma, got none: "),
            0u)
      << error;
  EXPECT_EQ(getError(buffers[0].put(1, 0, source->getAddress(), 16)), "");
}

} // namespace
