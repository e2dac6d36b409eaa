//===- ManifestTextTest.cpp - errors of the text of manifests -------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// JSON, its limits, versions and members at the root.
//
//===----------------------------------------------------------------------===//

#include "ManifestErrors.h"

using namespace carousel::runtime;
using namespace carousel::runtime::test;

namespace {

TEST(ManifestTextTest, Text) {
  expectError("", "expected JSON, got an early end at line 1, column 0");
  expectError("{\n\"a\": [",
              "expected JSON, got an early end at line 2, column 6");
  expectError("{\n\"a\"; 1}", "expected JSON, got a syntax error at line 2, "
                              "column 4");
  expectError("{} {}", "expected JSON, got a syntax error at line 1, column 4");
  expectError("[1e999]", "expected JSON, got a number out of range at line 1, "
                         "column 6");
  expectError("[\"\xc3(\"]",
              "expected JSON, got ill-formed UTF-8 at line 1, column 4");
  expectError("[\"\\ud800\"]",
              "expected JSON, got a syntax error at line 1, column 9");
  expectError(std::string("{}\0{", 4),
              "expected JSON, got a null character at line 1, column 3");
  expectError("[]", "expected an object, got a list of 0");
  expectError("3", "expected an object, got 3");
}

TEST(ManifestTextTest, Limits) {
  std::string manifest = makeCopyManifest();
  manifest.append(kMaxManifestBytes - manifest.size(), ' ');
  EXPECT_TRUE(parseManifest(manifest));
  expectError(manifest + " ",
              "expected a manifest of at most 16777216 bytes, got 16777217");
  // Deep enough to overflow the stack of a reader that recurses.
  expectError(std::string(1 << 20, '['),
              "expected JSON with at most 256 levels, got more");
  std::string objects;
  for (int i = 0; i < 1 << 18; ++i)
    objects += "{\"a\":";
  expectError(objects, "expected JSON with at most 256 levels, got more");
}

TEST(ManifestTextTest, DuplicateMembers) {
  expectError(
      R"({"a": 1, "b": {"x": 1}, "a": 2})",
      "expected members of different names in an object, got 'a' twice");
  expectError(
      R"({"m": [{"b": {"x": 1, "y": [{"x": 3}], "x": 1}}]})",
      "expected members of different names in an object, got 'x' twice");
  // Equal only once unescaped.
  expectError(
      R"({"a": 1, "\u0061": 2})",
      "expected members of different names in an object, got 'a' twice");
}

TEST(ManifestTextTest, Version) {
  std::string manifest = makeCopyManifest();
  expectError(
      setMember(manifest, "/version", "4"),
      "version: expected a package of version 3 or older, got 4; update "
      "the runtime",
      ErrorCode::UnsupportedVersion);
  // The reader looks at nothing else of a newer package.
  expectError(
      R"({"format": "carousel-package", "version": 7, "kernels": 1})",
      "version: expected a package of version 3 or older, got 7; update "
      "the runtime",
      ErrorCode::UnsupportedVersion);
  expectErrors(
      "/", "",
      {{"version", "0", "version: expected an integer of at least 1, got 0"},
       {"version", "1.0",
        "version: expected an integer of at least 1, got 1.0"},
       {"version", "\"1\"",
        "version: expected an integer of at least 1, got '1'"},
       {"version", nullptr, "expected a member 'version', got none"},
       {"format", "\"zip\"", "format: expected 'carousel-package', got 'zip'"},
       {"format", "true", "format: expected a string, got true"},
       {"format", nullptr, "expected a member 'format', got none"}});
}

TEST(ManifestTextTest, Root) {
  expectErrors(
      "/", "",
      {{"producer", "null", "producer: expected a string, got null"},
       {"producer", nullptr, "expected a member 'producer', got none"},
       {"modules", "{}", "modules: expected a list, got an object"},
       {"modules/1/name", "\"copies\"",
        "modules[1]: expected a name that no other module has, got 'copies'"},
       {"kernels", "\"all\"", "kernels: expected a list, got 'all'"},
       {"kernels/1/name", "\"copy\"",
        "kernels[1]: expected a name that no other kernel has, got 'copy'"}});
}

TEST(ManifestTextTest, MessagesAreOneLineAndShort) {
  std::string name = "a\\n" + std::string(98, 'b') + "\u00e9\u00e9";
  Result<Manifest> result = parseManifest(setMember(
      makeCopyManifest(), "/kernels/0/arguments/0/kind", "\"" + name + "\""));
  ASSERT_FALSE(result);
  // Cut before the character that begins at the last byte shown.
  EXPECT_EQ(result.error().message,
            "kernels[0].arguments[0].kind: expected 'tensor', 'scalar' or "
            "'workspace', got 'a\\x0a" +
                std::string(98, 'b') + "...'");
}

} // namespace
