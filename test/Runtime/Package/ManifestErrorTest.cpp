//===- ManifestErrorTest.cpp - errors of the reader of manifests ----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each case is the valid manifest of TestPackages.h with one edit, and its
// message.
//
//===----------------------------------------------------------------------===//

#include "ManifestErrors.h"

using namespace carousel::runtime;
using namespace carousel::runtime::test;

namespace {

TEST(ManifestErrorTest, Modules) {
  expectErrors(
      "/modules/0/", "modules[0]",
      {{"name", "\"\"",
        ".name: expected a name of printable characters, got ''"},
       {"name", "\"a\\nb\"",
        ".name: expected a name of printable characters, got 'a\\x0ab'"},
       {"name", "7", ".name: expected a string, got 7"},
       {"images", "1", ".images: expected a list, got 1"},
       {"images/0/chip", "\"90\"",
        ".images[0].chip: expected a chip such as 'sm_90a', got '90'"},
       {"images/0/chip", "\"sm_9x0\"",
        ".images[0].chip: expected a chip such as 'sm_90a', got 'sm_9x0'"},
       {"images/0/chip", "\"sm_90aa\"",
        ".images[0].chip: expected a chip such as 'sm_90a', got 'sm_90aa'"},
       {"images/0/chip", "\"sm_00090\"",
        ".images[0].chip: expected a chip such as 'sm_90a', got 'sm_00090'"},
       {"images/0/kind", "\"fatbin\"",
        ".images[0].kind: expected 'cubin', 'ptx' or 'cuda', got 'fatbin'"},
       {"images/0/kind", "\"ptx\"",
        ".images[1]: expected one image of a kind for a chip, got a second PTX "
        "for sm_90a"},
       {"images/0/bytes", "-1",
        ".images[0].bytes: expected an integer from 0 to 1073741824, got -1"},
       {"images/0/bytes", "1e3",
        ".images[0].bytes: expected an integer from 0 to 1073741824, got "
        "1000.0"},
       {"images/0/bytes", "18446744073709551615",
        ".images[0].bytes: expected an integer from 0 to 1073741824, got "
        "18446744073709551615"},
       {"images/0/hash", "\"99AA06D3014798D86001C324468D497F\"",
        ".images[0].hash: expected 64 lower-case hexadecimal digits, got "
        "'99AA06D3014798D86001C324468D497F'; compile packages of before "
        "version 3 again"},
       {"images/0/hash", "\"99\"",
        ".images[0].hash: expected 64 lower-case hexadecimal digits, got "
        "'99'"},
       {"images/0", "[]", ".images[0]: expected an object, got a list of 0"}});
}

TEST(ManifestErrorTest, Waits) {
  auto read = [](const char *pointer, const char *value) {
    std::string manifest = setMember(makeCopyManifest(), "/modules/0/waits",
                                     R"([{"number": 0, "function": "copy_bulk",
                       "barrier": "x full", "role": "all",
                       "phase": "parity", "location": ""}])");
    EXPECT_TRUE(parseManifest(manifest));
    return value ? setMember(manifest, pointer, value)
                 : removeMember(manifest, pointer);
  };
  expectError(read("/modules/0/waits", "3"),
              "modules[0].waits: expected a list, got 3");
  const std::string wait = "modules[0].waits[0]";
  const Edit edits[] = {
      {"number", nullptr, ": expected a member 'number', got none"},
      {"number", "-1",
       ".number: expected an integer from 0 to 4294967295, got -1"},
      {"number", "4294967296",
       ".number: expected an integer from 0 to 4294967295, got 4294967296"},
      {"function", R"("")",
       ".function: expected a name of printable characters, got ''"},
      {"barrier", R"("x\nfull")",
       ".barrier: expected a name of printable characters, got 'x\\x0afull'"},
      {"role", R"("both")",
       ".role: expected 'all', 'producer' or 'consumer', got 'both'"},
      {"phase", "0", ".phase: expected 'parity', 'state' or 'turn', got 0"},
      {"location", R"("a\tb")",
       ".location: expected a name of printable characters, got 'a\\x09b'"},
      {"location", "null", ".location: expected a string, got null"}};
  for (const Edit &edit : edits) {
    std::string pointer = std::string("/modules/0/waits/0/") + edit.pointer;
    SCOPED_TRACE(pointer);
    expectError(read(pointer.c_str(), edit.value), wait + edit.message);
  }
}

TEST(ManifestErrorTest, ImagesTooLargeTogether) {
  std::string manifest =
      setMember(makeCopyManifest(), "/modules/0/images/0/bytes", "1073741824");
  EXPECT_TRUE(parseManifest(manifest));
  expectError(setMember(manifest, "/modules/1/images/0/bytes", "1"),
              "modules[1].images[0].bytes: expected images of at most "
              "1073741824 bytes together, got 1073741825");
}

TEST(ManifestErrorTest, FileNames) {
  for (std::string name : {"/etc/passwd", "../x", "a/b", "..", ".", "a\\\\b"})
    expectError(setMember(makeCopyManifest(), "/modules/0/images/1/file",
                          "\"" + name + "\""),
                "modules[0].images[1].file: expected the name of a file in the "
                "package, got '" +
                    (name == "a\\\\b" ? "a\\b" : name) + "'");
  expectErrors(
      "/modules/0/images/1/file", "modules[0].images[1].file",
      {{"", "\"\"", ": expected a name of printable characters, got ''"},
       {"", "\"a\\u0000b\"",
        ": expected a name of printable characters, got 'a\\x00b'"}});
  std::string name(256, 'a');
  expectError(setMember(makeCopyManifest(), "/modules/0/images/1/file",
                        "\"" + name + "\""),
              "modules[0].images[1].file: expected the name of a file in the "
              "package, got '" +
                  name.substr(0, 100) + "...'");
}

TEST(ManifestErrorTest, Arguments) {
  expectErrors(
      "/kernels/0/arguments/0/", "kernels[0].arguments[0]",
      {{"name", "\"0x\"", ".name: expected an identifier, got '0x'"},
       {"name", "\"\"", ".name: expected an identifier, got ''"},
       {"name", "\"x y\"", ".name: expected an identifier, got 'x y'"},
       {"name", "null", ".name: expected a string, got null"},
       {"kind", "\"memref\"",
        ".kind: expected 'tensor', 'scalar' or 'workspace', got 'memref'"},
       {"access", "\"rw\"",
        ".access: expected 'in', 'out' or 'inout', got 'rw'"},
       {"element", "\"f33\"",
        ".element: expected an element type of a tensor, got 'f33'"},
       {"element", "\"index\"",
        ".element: expected an element type of a tensor, got 'index'"},
       {"element", nullptr, ": expected a member 'element', got none"},
       {"extents", "[1, 1, 1, 1, 1, 1, 1, 1, 1]",
        ".extents: expected at most 8 dimensions, got 9"},
       {"extents", "[-1]",
        ".extents[0]: expected an integer of at least 0, got -1"},
       {"extents", "4", ".extents: expected a list, got 4"},
       {"strides", "\"dense\"",
        ".strides: expected 'contiguous' or a list, got 'dense'"},
       {"strides", "[1, 1]", ".strides: expected a list of 1, got 2"},
       {"strides", "[\"x\"]",
        ".strides[0]: expected an integer of at least 0, "
        "got 'x'"},
       {"strides", "[-1]",
        ".strides[0]: expected an integer of at least 0, "
        "got -1"}});
  expectErrors(
      "/kernels/0/arguments/", "kernels[0].arguments",
      {{"0/may_alias", "0",
        "[0].may_alias: expected an argument's number below 0, got 0"},
       {"1/may_alias", "\"x\"",
        "[1].may_alias: expected an argument's number below 1, got 'x'"},
       {"1/sharing", "\"none\"",
        "[1].sharing: expected 'symmetric', 'peer' or 'multicast', "
        "got 'none'"}});
  expectErrors(
      "/kernels/2/arguments/", "kernels[2].arguments",
      {{"1/access", "\"inout\"", "[1].access: expected 'in', got 'inout'"},
       {"1/element", "\"f9\"",
        "[1].element: expected an element type of a scalar, got 'f9'"},
       {"1/name", "\"x\"",
        "[1]: expected a name that no other argument has, got 'x'"},
       {"1", "\"n\"", "[1]: expected an object, got 'n'"}});
}

TEST(ManifestErrorTest, TooManyArguments) {
  std::string arguments = "[0";
  for (size_t i = 0; i < kMaxParameterBytes; ++i)
    arguments += ",0";
  expectError(
      setMember(makeCopyManifest(), "/kernels/0/arguments", arguments + "]"),
      "kernels[0].arguments: expected at most 32764 arguments, got 32765");
}

TEST(ManifestErrorTest, Variants) {
  expectErrors(
      "/kernels/0/", "kernels[0].variants",
      {{"variants", "[]", ": expected at least one variant, got none"},
       {"variants", "null", ": expected a list, got null"},
       {"variants/0/function", "null",
        "[0].function: expected a string, got null"},
       {"variants/0/module", "\"other\"",
        "[0].module: expected the name of a module, got 'other'"},
       {"variants/0/module", "0", "[0].module: expected a string, got 0"},
       {"variants/0/chips", "[\"sm_90\", \"sm_90a\", \"sm_90\"]",
        "[0].chips[2]: expected a name that no other chip has, got 'sm_90'"},
       {"variants/0/chips", "[]",
        "[0].chips: expected at least one chip, got none"},
       {"variants/0/chips", "[\"hopper\"]",
        "[0].chips[0]: expected a chip such as 'sm_90a', got 'hopper'"},
       {"variants/0/index_bits", "16",
        "[0].index_bits: expected 32 or 64, got 16"},
       {"variants/0/index_bits", "\"64\"",
        "[0].index_bits: expected 32 or 64, got '64'"},
       {"variants/0/block", "[64, 1]",
        "[0].block: expected a list of 3, got 2"},
       {"variants/0/block/0", "0",
        "[0].block[0]: expected an integer from 1 to 1024, got 0"},
       {"variants/0/block/2", "65",
        "[0].block[2]: expected an integer from 1 to 64, got 65"},
       {"variants/0/block", "[64, 32, 1]",
        "[0].block: expected at most 1024 threads, got 2048"},
       {"variants/0/cluster", "[8, 4, 1]",
        "[0].cluster: expected at most 16 blocks, got 32"},
       {"variants/0/cluster/1", "1.5",
        "[0].cluster[1]: expected an integer from 1 to 16, got 1.5"},
       {"variants/0/dynamic_shared", "2147483648",
        "[0].dynamic_shared: expected an integer from 0 to 2147483647, got "
        "2147483648"},
       {"variants/0/grid", "[1, 1]", "[0].grid: expected a list of 3, got 2"},
       {"variants/0/grid", "null", "[0].grid: expected a list, got null"},
       {"variants/0/guards", nullptr,
        "[0]: expected a member 'guards', got none"}});
}

TEST(ManifestErrorTest, FunctionsUniqueInModule) {
  std::string manifest = makeCopyManifest();
  std::string second = "/kernels/0/variants/1/function";
  // The same name in another module is another function.
  manifest = setMember(manifest, second, "\"copy_bulk\"");
  EXPECT_TRUE(parseManifest(manifest));
  expectError(
      setMember(manifest, "/kernels/0/variants/1/module", "\"copies\""),
      "kernels[0].variants[1].function: expected a function that no other "
      "variant in 'copies' is, got 'copy_bulk'");
  expectError(setMember(makeCopyManifest(), "/kernels/3/variants/0/function",
                        "\"copy_bulk\""),
              "kernels[3].variants[0].function: expected a function that no "
              "other variant in 'copies' is, got 'copy_bulk'");
}

TEST(ManifestErrorTest, Parameters) {
  expectErrors(
      "/kernels/2/variants/0/parameters/", "kernels[2].variants[0].parameters",
      {{"0/kind", "\"value\"",
        "[0].kind: expected 'pointer', 'extent', 'stride', 'scalar' or "
        "'tensor_map', got 'value'"},
       {"0/argument", "4",
        "[0].argument: expected an argument's number below 4, got 4"},
       {"0/argument", "-1",
        "[0].argument: expected an argument's number below 4, got -1"},
       {"0/argument", "1",
        "[0].argument: expected a tensor, got n, which is a scalar"},
       {"1/dim", "1", "[1].dim: expected a dimension of x below 1, got 1"},
       {"2/argument", "0",
        "[2].argument: expected a scalar, got x, which is a tensor"},
       {"2", R"({"kind": "tensor_map", "map": 0})",
        "[2].map: expected a tensor map's number below 0, got 0"},
       {"2", R"({"kind": "pointer"})",
        "[2]: expected a member 'argument', got none"}});
}

TEST(ManifestErrorTest, ParametersTooLarge) {
  // 255 maps fill 32640 bytes, 15 pointers 120; what is left fits an i32.
  std::string parameters = "[";
  for (int i = 0; i < 255; ++i)
    parameters += R"({"kind": "tensor_map", "map": 0},)";
  for (int i = 0; i < 15; ++i)
    parameters += R"({"kind": "pointer", "argument": 0},)";
  std::string at = "/kernels/1/variants/0/";
  std::string manifest = setMember(makeCopyManifest(), at + "index_bits", "32");
  std::string extent = R"({"kind": "extent", "argument": 0, "dim": 0})";
  EXPECT_TRUE(parseManifest(
      setMember(manifest, at + "parameters", parameters + extent + "]")));
  expectError(setMember(manifest, at + "parameters",
                        parameters + extent + "," + extent + "]"),
              "kernels[1].variants[0].parameters: expected parameters of at "
              "most 32764 bytes, got 32768");
}

TEST(ManifestErrorTest, Guards) {
  expectErrors(
      "/kernels/0/variants/0/guards/", "kernels[0].variants[0].guards",
      {{"0/kind", "\"cuda\"",
        "[0].kind: expected 'capability', 'aligned', 'divisible', 'range' or "
        "'equal', got 'cuda'"},
       {"0/min", "9.0",
        "[0].min: expected an integer from 0 to 2147483647, got 9.0"},
       {"0/max", "\"none\"",
        "[0].max: expected an integer from 0 to 2147483647, got 'none'"},
       {"0/max", nullptr, "[0]: expected a member 'max', got none"},
       {"1/argument", "2",
        "[1].argument: expected an argument's number below 2, got 2"},
       {"1/bytes", "0", "[1].bytes: expected an integer of at least 1, got 0"},
       {"3/left", "[]",
        "[3].left: expected an integer, 'sms', 'resident' or a list of an "
        "operator and its operands, got a list of 0"},
       {"4/by", "0", "[4].by: expected an integer of at least 1, got 0"},
       {"5/max", "9223372036854775808",
        "[5].max: expected an integer of 64 bits, got 9223372036854775808"}});
}

TEST(ManifestErrorTest, TensorMaps) {
  expectErrors(
      "/kernels/3/variants/0/tensor_maps/0/",
      "kernels[3].variants[0].tensor_maps[0]",
      {{"argument", "1",
        ".argument: expected an argument's number below 1, got 1"},
       {"mode", "\"tiled\"",
        ".mode: expected 'tile', 'im2col', 'im2col_w' or 'im2col_w_128', got "
        "'tiled'"},
       {"element", "\"i8\"",
        ".element: expected 'u8', 'u16', 'u32', 's32', 'u64', 's64', 'f16', "
        "'f32', 'f64', 'bf16', 'f32_ftz', 'tf32', 'tf32_ftz', 'b4x16', "
        "'b4x16_p64' or 'b6x16_p32', got 'i8'"},
       {"swizzle", "\"b256\"",
        ".swizzle: expected 'none', 'b32', 'b64', 'b128', 'b128_atom_32b', "
        "'b128_atom_32b_flip_8b' or 'b128_atom_64b', got 'b256'"},
       {"interleave", "\"b64\"",
        ".interleave: expected 'none', 'b16' or 'b32', got 'b64'"},
       {"promotion", "null",
        ".promotion: expected 'none', 'b64', 'b128' or 'b256', got null"},
       {"fill", "\"one\"", ".fill: expected 'zero' or 'nan', got 'one'"},
       {"extents", "[1, 1]", ".extents: expected 3 to 5 dimensions, got 2"},
       {"extents", "[1, 1, 1, 1, 1, 1]",
        ".extents: expected 3 to 5 dimensions, got 6"},
       {"extents", "{}", ".extents: expected a list, got an object"},
       {"strides", "[1, 1]", ".strides: expected a list of 3, got 2"},
       {"box", "[8, 8, 8, 8]", ".box: expected a list of 2, got 4"},
       {"box/0", "0",
        ".box[0]: expected an integer from 1 to 2147483647, got 0"},
       {"element_strides", "[1]",
        ".element_strides: expected a list of 4, got 1"},
       {"lower", "[0]", ".lower: expected a list of 2, got 1"},
       {"upper/1", "2147483648",
        ".upper[1]: expected an integer from -2147483648 to 2147483647, got "
        "2147483648"},
       {"mode", "\"im2col_w\"", ".lower: expected a list of 1, got 2"},
       {"offset", nullptr, ": expected a member 'offset', got none"}});
  expectErrors(
      "/kernels/1/variants/0/tensor_maps/1/",
      "kernels[1].variants[0].tensor_maps[1]",
      {{"lower", "[0]", ".lower: expected a list of 0, got 1"},
       {"box", "[8]", ".box: expected a list of 2, got 1"},
       {"extents", "[]", ".extents: expected 1 to 5 dimensions, got 0"}});
}

TEST(ManifestErrorTest, Expressions) {
  std::string sum = "1";
  for (int i = 0; i < 64; ++i)
    sum = R"(["add", 1, )" + sum + "]";
  std::string twice = R"(["add", )" + sum + "," + sum + "]";
  expectErrors(
      "/kernels/2/variants/0/grid/1", "kernels[2].variants[0].grid[1]",
      {{"", "1.5",
        ": expected an integer, 'sms', 'resident' or a list of an operator "
        "and its operands, got 1.5"},
       {"", "\"SMs\"",
        ": expected an integer, 'sms', 'resident' or a list of an operator "
        "and its operands, got 'SMs'"},
       {"", "[\"pow\", 1, 2]",
        "[0]: expected 'extent', 'stride', 'scalar', 'add', 'sub', 'mul', "
        "'floordiv', 'ceildiv', 'mod', 'min' or 'max', got 'pow'"},
       {"", "[\"add\", 1]", ": expected a list of 3, got 2"},
       {"", "[\"add\", 1, 2, 3]", ": expected a list of 3, got 4"},
       {"", "[\"scalar\", 1, 0]", ": expected a list of 2, got 3"},
       {"", "[\"extent\", 1, 0]",
        "[1]: expected a tensor, got n, which is a scalar"},
       {"", "[\"stride\", 0, 1]",
        "[2]: expected a dimension of x below 1, got 1"},
       {"", "[\"scalar\", 0]",
        "[1]: expected a scalar, got x, which is a tensor"},
       {"", "[\"scalar\", 2]",
        "[1]: expected an integer or index argument, got factor, an f32"},
       {"", "[\"mul\", \"sms\", [\"extent\", 0, 256]]",
        "[2][2]: expected a dimension of x below 1, got 256"},
       {"", twice.c_str(),
        ": expected at most 256 operators and operands, got more"}});
}

} // namespace
