//===- ProgramFuzzer.cpp - damaged programs on the fake device ------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a manifest, which ProgramMutator.cpp damages by its structure. Gives it
// files with the right hashes, opens the package, and launches its programs
// with plausible arguments, twice at different addresses, and prepared. Each
// refusal must give its reason on one line. The driver must not have to refuse
// a copy or a fill, and nothing may change but arguments that can be written.
//
//===----------------------------------------------------------------------===//

#include "carousel/Runtime/Program.h"

#include "FakeDriver.h"
#include "Support/Hash.h"

#define JSON_NOEXCEPTION
#include <nlohmann/json.hpp>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

using namespace carousel;
using namespace carousel::runtime;
using JSON = nlohmann::json;

namespace {

[[noreturn]] void die(const char *what, const std::string &text) {
  fprintf(stderr, "%s: '%s'\n", what, text.c_str());
  abort();
}

void checkError(const Error &error) {
  if (error.message.empty())
    die("expected a reason, got none", "");
  for (unsigned char c : error.message)
    if (c < 0x20 || c == 0x7f)
      die("expected no control characters", error.message);
  // Names of the manifest are quoted.
  std::string own;
  bool isQuoted = false;
  for (char c : error.message)
    if (c == '\'')
      isQuoted = !isQuoted;
    else if (!isQuoted)
      own += c;
  for (const char *call : {"cuMemcpy", "cuMemset"})
    if (own.find(call) != std::string::npos)
      die("expected a step that the driver takes", error.message);
}

/// Small, so that products of all of it take no time either.
constexpr uint64_t kDeviceBytes = 1 << 20;
constexpr int64_t kArgumentBytes = 1 << 11;
constexpr size_t kMaxFiles = 8, kMaxPrograms = 4, kMaxArguments = 64;

/// A directory for one package after the other, and the device.
class Machine {
public:
  Machine() {
    std::string pattern = "/dev/shm";
    if (!std::filesystem::exists(pattern))
      pattern = std::filesystem::temp_directory_path();
    pattern += "/carousel-fuzz-XXXXXX";
    if (!mkdtemp(pattern.data()))
      die("mkdtemp", pattern);
    directory = pattern;
    fake::reset();
    fake::setRecording(false);
    fake::Device device;
    device.memory = kDeviceBytes;
    fake::setDevices({device});
    ContextOptions options;
    options.libraries.driver = CAROUSEL_FAKE_DRIVER;
    options.libraries.cublasLt = CAROUSEL_FAKE_CUBLASLT;
    options.libraries.nvrtc = options.libraries.nvJitLink = "/none.so";
    options.cacheBytes = 0;
    Result<Context> made = Context::create(options);
    if (!made)
      die("context", made.error().message);
    context.emplace(*made);
    for (std::optional<Buffer> &buffer : buffers)
      buffer.emplace(*Buffer::allocate(*context, 4 * kArgumentBytes));
  }
  ~Machine() {
    std::error_code ignored;
    std::filesystem::remove_all(directory, ignored);
  }

  std::string directory;
  std::optional<Context> context;
  std::array<std::optional<Buffer>, 2> buffers;
};

Machine &getMachine() {
  static Machine machine;
  return machine;
}

bool write(const std::string &name, const std::string &contents) {
  std::ofstream stream(getMachine().directory + "/" + name, std::ios::binary);
  stream << contents;
  return bool(stream);
}

/// Writes the file that an image or the constants name, and says so in it.
bool giveFile(JSON &info, const std::string &contents) {
  if (!info.is_object() || !info.contains("file") ||
      !info["file"].is_string() ||
      !write(info["file"].get<std::string>(), contents))
    return false;
  info["bytes"] = contents.size();
  info["hash"] = hashContents(contents);
  return true;
}

/// The package of a manifest that the reader took.
Result<Package> open(JSON &root) {
  std::error_code ignored;
  std::filesystem::remove_all(getMachine().directory, ignored);
  std::filesystem::create_directory(getMachine().directory, ignored);
  size_t files = 0;
  for (JSON &module : root["modules"])
    for (JSON &image : module["images"])
      if (++files <= kMaxFiles)
        giveFile(image,
                 image["kind"] == "cubin" ? "FAKECUBIN" : ".version 8.0\n");
  if (root.contains("constants")) {
    uint64_t bytes = root["constants"]["bytes"].get<uint64_t>();
    if (bytes <= kDeviceBytes)
      giveFile(root["constants"], std::string(bytes, '\3'));
  }
  write("manifest.json", root.dump());
  return Package::open(getMachine().directory);
}

/// Arguments of a program, of extents that a seed decides.
class ProgramArguments {
public:
  explicit ProgramArguments(const ProgramInfo &program, uint32_t seed)
      : random(seed) {
    size_t count = program.countPassed();
    shapes.resize(count);
    static constexpr int64_t kExtents[] = {4, 4, 4, 8, 2, 1, 0, 3, 16};
    int64_t dynamic = kExtents[draw(std::size(kExtents))];
    for (size_t i = 0; i < count; ++i) {
      const ArgumentInfo &info = program.arguments[i];
      if (info.kind == ArgumentInfo::Kind::Scalar) {
        list.push_back(Argument::scalar(info.element, draw(6)));
        continue;
      }
      Shape &shape = shapes[i];
      for (int64_t extent : info.extents)
        shape.extents.push_back(extent != ArgumentInfo::kDynamic ? extent
                                : draw(8) == 0 ? kExtents[draw(9)]
                                               : dynamic);
      int64_t stride = 1;
      shape.strides = info.strides;
      for (size_t dim = shape.strides.size(); dim-- > 0;) {
        if (shape.strides[dim] == ArgumentInfo::kDynamic)
          shape.strides[dim] = stride;
        stride = std::min(shape.strides[dim], kArgumentBytes) *
                 std::clamp<int64_t>(shape.extents[dim], 1, kArgumentBytes);
      }
      list.push_back(Argument::tensor(
          info.element, 0, uint32_t(shape.extents.size()), shape.extents.data(),
          info.contiguous ? nullptr : shape.strides.data()));
    }
  }

  /// Whether they lie in the buffers; those of inputs in the first one. Marks
  /// what may change.
  bool place(const ProgramInfo &program, uint64_t shift) {
    uint64_t next[2] = {shift, shift};
    for (std::vector<bool> &bytes : mayChange)
      bytes.assign(4 * kArgumentBytes, false);
    for (size_t i = 0; i < list.size(); ++i) {
      const ArgumentInfo &info = program.arguments[i];
      if (info.kind == ArgumentInfo::Kind::Scalar)
        continue;
      int64_t last = 0, stride = 1;
      for (size_t dim = info.extents.size(); dim-- > 0;) {
        int64_t extent = std::max<int64_t>(shapes[i].extents[dim], 1), length;
        int64_t step = info.contiguous ? stride : shapes[i].strides[dim];
        if (__builtin_mul_overflow(extent - 1, step, &length) ||
            __builtin_add_overflow(last, length, &last) ||
            __builtin_mul_overflow(stride, extent, &stride))
          return false;
      }
      int64_t bytes = int64_t(getBytes(info.element));
      if (last < 0 || last >= kArgumentBytes / bytes)
        return false;
      size_t buffer = info.access == ArgumentInfo::Access::In ? 0 : 1;
      uint64_t size = uint64_t((last + 1) * bytes);
      // Some lie where the one before does.
      if (draw(8) != 0)
        next[buffer] = (next[buffer] + 255) / 256 * 256 + shift % 256;
      if (next[buffer] + size > uint64_t(4 * kArgumentBytes))
        return false;
      list[i].data = getMachine().buffers[buffer]->getAddress() + next[buffer];
      if (buffer == 1)
        std::fill_n(mayChange[1].begin() + std::ptrdiff_t(next[1]), size, true);
      next[buffer] += draw(16) == 0 ? 0 : size;
    }
    return true;
  }

  /// Gives all bytes a value, and compares those that should still have it.
  static void fill() {
    for (auto &buffer : getMachine().buffers)
      std::fill_n(reinterpret_cast<char *>(buffer->getAddress()),
                  4 * kArgumentBytes, kByte);
  }
  void check(const std::string &name) const {
    for (size_t i = 0; i < 2; ++i) {
      auto *bytes =
          reinterpret_cast<char *>(getMachine().buffers[i]->getAddress());
      for (size_t byte = 0; byte < mayChange[i].size(); ++byte)
        if (bytes[byte] != kByte && !mayChange[i][byte])
          die("expected a program that writes its results only", name);
    }
  }

  std::vector<Argument> list;

private:
  static constexpr char kByte = 0x3c;
  struct Shape {
    std::vector<int64_t> extents, strides;
  };
  uint32_t draw(uint32_t count) { return uint32_t(random() % count); }

  std::minstd_rand random;
  std::vector<Shape> shapes;
  std::array<std::vector<bool>, 2> mayChange; ///< bytes of each buffer
};

void run(const Package &package, const ProgramInfo &info, uint32_t seed) {
  Machine &machine = getMachine();
  Result<Program> program = Program::get(*machine.context, package, info.name);
  if (!program)
    return checkError(program.error());
  for (uint32_t round = 0; round < 3; ++round) {
    ProgramArguments arguments(info, seed + round / 2);
    const auto &list = arguments.list;
    for (uint64_t shift : {0, 512, 8}) {
      if (!arguments.place(info, shift))
        break;
      ProgramArguments::fill();
      if (Status status = program->launch(list.data(), list.size()); !status)
        checkError(status.error());
      Result<PreparedProgram> prepared =
          program->prepare(list.data(), list.size());
      Status status = prepared ? prepared->run() : Status();
      if (!prepared)
        checkError(prepared.error());
      else if (!status)
        checkError(status.error());
      arguments.check(info.name);
    }
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view text(reinterpret_cast<const char *>(data), size);
  Result<Manifest> manifest = parseManifest(text);
  if (!manifest) {
    checkError(manifest.error());
    return 0;
  }
  JSON root = JSON::parse(text, nullptr, /*allow_exceptions=*/false);
  if (root.is_discarded() || manifest->programs.empty())
    return 0;
  Result<Package> package = open(root);
  if (!package) {
    checkError(package.error());
    return 0;
  }
  const auto &programs = package->getManifest().programs;
  for (size_t i = 0; i < std::min(programs.size(), kMaxPrograms); ++i)
    if (programs[i].arguments.size() <= kMaxArguments)
      run(*package, programs[i], uint32_t(size + i));
  return 0;
}
