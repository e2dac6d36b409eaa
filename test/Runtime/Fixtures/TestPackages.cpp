//===- TestPackages.cpp - manifests and packages for tests ----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See TestPackages.h. A failure of the file system ends the program, because no
// test could continue.
//
//===----------------------------------------------------------------------===//

#include "TestPackages.h"

#include "Support/Hash.h"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace carousel::runtime::test {

namespace {
using JSON = nlohmann::json;

[[noreturn]] void die(const std::string &what) {
  fprintf(stderr, "test set-up failed: %s\n", what.c_str());
  abort();
}

JSON parse(std::string_view text) {
  JSON value = JSON::parse(text, nullptr, /*allow_exceptions=*/false);
  if (value.is_discarded())
    die("no JSON: " + std::string(text));
  return value;
}

const char *const kModules = R"([
  {"name": "copies", "images": [
    {"chip": "sm_90a", "kind": "cubin", "file": "copies.sm_90a.cubin",
     "bytes": 0, "hash": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
    {"chip": "sm_90a", "kind": "ptx", "file": "copies.sm_90a.ptx",
     "bytes": 0, "hash": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}]},
  {"name": "simple", "images": [
    {"chip": "sm_80", "kind": "ptx", "file": "simple.sm_80.ptx",
     "bytes": 0, "hash": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
    {"chip": "sm_80", "kind": "cuda", "file": "simple.sm_80.cu",
     "bytes": 0, "hash": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}]}])";

const char *const kCopy = R"({"name": "copy",
  "arguments": [
    {"name": "x", "kind": "tensor", "access": "in", "element": "f32",
     "extents": [null], "strides": "contiguous"},
    {"name": "y", "kind": "tensor", "access": "out", "element": "f32",
     "extents": [null], "strides": "contiguous"}],
  "variants": [
    {"function": "copy_bulk", "module": "copies", "chips": ["sm_90a"],
     "guards": [
       {"kind": "capability", "min": 90, "max": null},
       {"kind": "aligned", "argument": 0, "bytes": 16},
       {"kind": "aligned", "argument": 1, "bytes": 16},
       {"kind": "equal", "left": ["extent", 0, 0], "right": ["extent", 1, 0]},
       {"kind": "divisible", "value": ["extent", 0, 0], "by": 4},
       {"kind": "range", "value": ["extent", 0, 0], "min": 4,
        "max": 1099511627776}],
     "index_bits": 64,
     "parameters": [
       {"kind": "pointer", "argument": 0},
       {"kind": "extent", "argument": 0, "dim": 0},
       {"kind": "pointer", "argument": 1},
       {"kind": "extent", "argument": 1, "dim": 0}],
     "tensor_maps": [],
     "grid": [["min", ["ceildiv", ["extent", 0, 0], 4096], ["mul", "sms", 3]],
              1, 1],
     "block": [64, 1, 1], "cluster": [1, 1, 1], "dynamic_shared": 65536},
    {"function": "copy_simple", "module": "simple", "chips": ["sm_80"],
     "guards": [
       {"kind": "equal", "left": ["extent", 0, 0], "right": ["extent", 1, 0]}],
     "index_bits": 32,
     "parameters": [
       {"kind": "pointer", "argument": 0},
       {"kind": "extent", "argument": 0, "dim": 0},
       {"kind": "pointer", "argument": 1},
       {"kind": "extent", "argument": 1, "dim": 0}],
     "tensor_maps": [],
     "grid": [["ceildiv", ["extent", 0, 0], 256], 1, 1],
     "block": [256, 1, 1], "cluster": [1, 1, 1], "dynamic_shared": 0}]})";

const char *const kCopy2D = R"({"name": "copy_2d",
  "arguments": [
    {"name": "x", "kind": "tensor", "access": "in", "element": "bf16",
     "extents": [null, null], "strides": [null, 1]},
    {"name": "y", "kind": "tensor", "access": "out", "element": "bf16",
     "extents": [null, null], "strides": [null, 1]}],
  "variants": [
    {"function": "copy_ring_2d", "module": "copies", "chips": ["sm_90a"],
     "guards": [
       {"kind": "capability", "min": 90, "max": 100},
       {"kind": "equal", "left": ["extent", 0, 0], "right": ["extent", 1, 0]},
       {"kind": "equal", "left": ["extent", 0, 1], "right": ["extent", 1, 1]}],
     "index_bits": 64,
     "parameters": [
       {"kind": "pointer", "argument": 0},
       {"kind": "extent", "argument": 0, "dim": 0},
       {"kind": "extent", "argument": 0, "dim": 1},
       {"kind": "stride", "argument": 0, "dim": 0},
       {"kind": "pointer", "argument": 1},
       {"kind": "extent", "argument": 1, "dim": 0},
       {"kind": "extent", "argument": 1, "dim": 1},
       {"kind": "stride", "argument": 1, "dim": 0},
       {"kind": "tensor_map", "map": 0},
       {"kind": "tensor_map", "map": 1}],
     "tensor_maps": [
       {"argument": 0, "element": "bf16", "mode": "tile", "box": [64, 64],
        "element_strides": [1, 1], "lower": [], "upper": [],
        "swizzle": "b128", "interleave": "none", "promotion": "b256",
        "fill": "zero", "extents": [["extent", 0, 0], ["extent", 0, 1]],
        "strides": [["mul", ["stride", 0, 0], 2]], "offset": 0},
       {"argument": 1, "element": "bf16", "mode": "tile", "box": [64, 64],
        "element_strides": [1, 1], "lower": [], "upper": [],
        "swizzle": "b128", "interleave": "none", "promotion": "none",
        "fill": "zero", "extents": [["extent", 1, 0], ["extent", 1, 1]],
        "strides": [["mul", ["stride", 1, 0], 2]], "offset": 0}],
     "grid": [["ceildiv", ["extent", 0, 1], 64],
              ["ceildiv", ["extent", 0, 0], 64], 1],
     "block": [128, 1, 1], "cluster": [2, 1, 1], "dynamic_shared": 32768}]})";

const char *const kScale = R"({"name": "scale",
  "arguments": [
    {"name": "x", "kind": "tensor", "access": "inout", "element": "f32",
     "extents": [null], "strides": "contiguous"},
    {"name": "n", "kind": "scalar", "access": "in", "element": "index"},
    {"name": "factor", "kind": "scalar", "access": "in", "element": "f32"},
    {"name": "bias", "kind": "scalar", "access": "in", "element": "i32"}],
  "variants": [
    {"function": "scale", "module": "simple", "chips": ["sm_80"],
     "guards": [
       {"kind": "range", "value": ["sub", ["extent", 0, 0], ["scalar", 1]],
        "min": 0, "max": 9223372036854775807}],
     "index_bits": 32,
     "parameters": [
       {"kind": "pointer", "argument": 0},
       {"kind": "extent", "argument": 0, "dim": 0},
       {"kind": "scalar", "argument": 1},
       {"kind": "scalar", "argument": 2},
       {"kind": "scalar", "argument": 3}],
     "tensor_maps": [],
     "grid": [["ceildiv", ["scalar", 1], 256], 1, 1],
     "block": [256, 1, 1], "cluster": [1, 1, 1], "dynamic_shared": 0}]})";

const char *const kGather = R"({"name": "gather",
  "arguments": [
    {"name": "x", "kind": "tensor", "access": "in", "element": "f16",
     "extents": [8, null, 64, null], "strides": "contiguous"}],
  "variants": [
    {"function": "gather", "module": "copies", "chips": ["sm_90a"],
     "guards": [{"kind": "capability", "min": 90, "max": null}],
     "index_bits": 64,
     "parameters": [{"kind": "tensor_map", "map": 0}],
     "tensor_maps": [
       {"argument": 0, "element": "f16", "mode": "im2col", "box": [32, 64],
        "element_strides": [1, 1, 1, 1], "lower": [-1, -1], "upper": [1, 1],
        "swizzle": "none", "interleave": "none", "promotion": "none",
        "fill": "nan",
        "extents": [8, ["extent", 0, 1], 64, ["extent", 0, 3]],
        "strides": [["mul", ["stride", 0, 0], 2], ["mul", ["stride", 0, 1], 2],
                    ["mul", ["stride", 0, 2], 2]],
        "offset": ["max", 0, ["mod", ["sub", 0, 16], 16]]}],
     "grid": [["add", ["floordiv", ["extent", 0, 3], 64], 1], 8, "sms"],
     "block": [32, 2, 2], "cluster": [1, 1, 1], "dynamic_shared": 4096}]})";
} // namespace

TempDirectory::TempDirectory() {
  std::error_code error;
  std::filesystem::path parent = std::filesystem::temp_directory_path(error);
  if (error)
    die("no temporary directory");
  path = (parent / "carousel-test-XXXXXX").string();
  if (!mkdtemp(path.data()))
    die("mkdtemp " + path);
}

TempDirectory::~TempDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path, ignored);
}

std::string TempDirectory::operator/(std::string_view name) const {
  return path + "/" + std::string(name);
}

std::string makeCopyManifest() {
  JSON manifest = {{"format", "carousel-package"},
                   {"version", 1},
                   {"producer", "carousel test"},
                   {"modules", parse(kModules)},
                   {"kernels", JSON::array()}};
  for (const char *kernel : {kCopy, kCopy2D, kScale, kGather})
    manifest["kernels"].push_back(parse(kernel));
  return manifest.dump(1);
}

std::string setMember(std::string_view manifest, std::string_view pointer,
                      std::string_view value) {
  JSON root = parse(manifest);
  root[JSON::json_pointer(std::string(pointer))] = parse(value);
  return root.dump(1);
}

std::string removeMember(std::string_view manifest, std::string_view pointer) {
  JSON root = parse(manifest);
  JSON::json_pointer where{std::string(pointer)};
  if (!root.contains(where))
    die("no member " + std::string(pointer));
  JSON &parent = root[where.parent_pointer()];
  if (parent.is_object())
    parent.erase(where.back());
  else
    parent.erase(std::stoul(where.back()));
  return root.dump(1);
}

std::map<std::string, std::string> makeFiles(std::string_view manifest) {
  std::map<std::string, std::string> files;
  JSON root = parse(manifest);
  for (const JSON &module : root["modules"])
    for (const JSON &image : module["images"]) {
      std::string file = image["file"];
      files[file] = "contents of " + file;
    }
  return files;
}

std::string fillHashes(std::string_view manifest,
                       const std::map<std::string, std::string> &files) {
  JSON root = parse(manifest);
  for (JSON &module : root["modules"])
    for (JSON &image : module["images"]) {
      auto found = files.find(image["file"].get<std::string>());
      if (found == files.end())
        continue;
      image["bytes"] = found->second.size();
      image["hash"] = hashContents(found->second);
    }
  if (root.contains("constants"))
    if (auto found = files.find(root["constants"]["file"].get<std::string>());
        found != files.end()) {
      root["constants"]["bytes"] = found->second.size();
      root["constants"]["hash"] = hashContents(found->second);
    }
  return root.dump(1);
}

void writeFile(const std::string &path, std::string_view contents) {
  std::ofstream stream(path, std::ios::binary | std::ios::trunc);
  stream.write(contents.data(), static_cast<std::streamsize>(contents.size()));
  stream.close();
  if (!stream)
    die("writing " + path);
}

void writePackage(const std::string &directory, std::string_view manifest,
                  const std::map<std::string, std::string> &files) {
  std::error_code error;
  std::filesystem::create_directory(directory, error);
  if (error)
    die("making " + directory);
  for (const auto &[name, contents] : files)
    writeFile(directory + "/" + name, contents);
  writeFile(directory + "/manifest.json", fillHashes(manifest, files));
}

void writePackage(const std::string &directory, std::string_view manifest) {
  writePackage(directory, manifest, makeFiles(manifest));
}

} // namespace carousel::runtime::test
