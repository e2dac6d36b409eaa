//===- IncludesTest.cpp - files that a text may include -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests the directives that are refused in every spelling, those that are
// accepted, and the files that a compilation reads from directories.
//
//===----------------------------------------------------------------------===//

#include "Compile/Includes/Includes.h"
#include "TestPackages.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include <sys/stat.h>

using namespace carousel::runtime;
using namespace carousel::runtime::test;
namespace fs = std::filesystem;

namespace {

Result<CompilerInput> gather(const std::string &text,
                             const std::vector<CUDASource> &headers = {},
                             const std::vector<std::string> &options = {},
                             const std::string &toolkit = {}) {
  return gatherInput({"k.cu", text}, headers, options, toolkit, nullptr);
}

//===----------------------------------------------------------------------===//
// Refused
//===----------------------------------------------------------------------===//

class Refused : public testing::TestWithParam<const char *> {};

/// In the source, and in a header that nobody includes.
TEST_P(Refused, WithTheLine) {
  std::string text = GetParam();
  for (bool isHeader : {false, true}) {
    Result<CompilerInput> input =
        isHeader ? gather("", {{"k.cu", text}}) : gather(text);
    ASSERT_FALSE(input) << text;
    EXPECT_EQ(input.error().code, ErrorCode::CompileError);
    EXPECT_EQ(input.error().message.substr(0, 5), "k.cu:");
    EXPECT_NE(input.error().message.find(": expected a "), std::string::npos)
        << input.error().message;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Paths, Refused,
    testing::Values("#include \"/etc/passwd\"", "#include </etc/passwd>",
                    "#include \"//etc/passwd\"", "#include \"../a.h\"",
                    "#include <a/../../b.h>", "#include \"a/..\"",
                    "#include_next \"/etc/passwd\"", "#import \"/etc/passwd\"",
                    "char c[] = {\n#embed </etc/passwd>\n"
                    "};",
                    "#if 0\n#include \"/a\"\n#endif"));

INSTANTIATE_TEST_SUITE_P(
    Spellings, Refused,
    testing::Values(
        "  #\t include \"/a\"", "\v#\finclude\v\"/a\"", "%:include \"/a\"",
        "?\?=include \"/a\"", "#inc\\\nlude \"/a\"", "#inc\\\r\nlude \"/a\"",
        "#inc\\ \nlude \"/a\"", "#inc?\?/\nlude \"/a\"", "#\\\ninclude \"/a\"",
        "#include \"\\\n/a\"", "/* \n */ # /* x \n */ include /* */ \"/a\"",
        "int x; // c\r\n#include \"/a\"\r\n", "\xef\xbb\xbf#include \"/a\"",
        "#define G(x) x\nG(\n#include \"/a\"\n)",
        "#define include define\n#include \"/a\""));

INSTANTIATE_TEST_SUITE_P(Macros, Refused,
                         testing::Values("#define F \"/a\"\n#include F",
                                         "#define F \"a.h\"\n#include F",
                                         "#include __FILE__",
                                         "#define L <\n#include L /a>",
                                         "#include L\"/a\"",
                                         "#include R\"(/a)\"", "#include",
                                         "#include \"a", "#include <a\n>"));

/// Where compilers differ in what is a comment or a literal.
INSTANTIATE_TEST_SUITE_P(
    Hidden, Refused,
    testing::Values(
        "#if 0\nisn't /* \n#endif\n#include \"/a\"\n// */",
        "int x; /*\n*/ #include \"/a\"", "#define A /*\n*/ #include \"/a\"",
        "const char *s = R\"(\\\n)\";\n#include \"/a\"\n//)\"",
        "auto s = R\"x(\n#include \"/a\"\n)x\";", "// \\ \n#include \"/a\"",
        "// ?\?/\n#include \"/a\"", "int x = 1'0; /* '\n#include \"/a\"\n// */",
        "#error don't /*\n#include \"/a\"\n// */",
        "auto s = \"/*\";\n#include \"/a\"\nauto t = \"*/\";",
        "int x; // c\r#include \"/a\"\r",
        "#include <it's/*>\n#include \"/a\"\n//*/",
        "\\\"/*\"\n#include \"/a\"\n//*/",
        "#if __has_include(<a/*b>)\n#endif\n#include \"/a\"\n//*/",
        "#if __has_include(<a//b>) || __has_include(\"/a\")\n#endif",
        "#if __has_include(<it's>)\n#endif\n'/*'\n"
        "#include \"/a\"\n//*/",
        "#if 0\n$R\"(\"; /* )\"\n#endif\n#include \"/a\"\n//*/",
        "#define A \xc3\xa9R\"(\"; /* )\"\n#include \"/a\"\n//*/"));

INSTANTIATE_TEST_SUITE_P(
    HasInclude, Refused,
    testing::Values(
        "#if __has_include(\"/a\")\n#endif", "#if __has_include(</a>)\n#endif",
        "#if __has_include(\"../a\")\n#endif",
        "#if __has_include_next(\"/a\")\n#endif",
        "#if __has_inc\\\nlude(\"/a\")\n#endif",
        "#define H __has_include\n#if H(\"/a\")\n#endif",
        "#define H(x) __has_include(x)\n#if H(\"/a\")\n#endif",
        "#define F \"/a\"\n#if __has_include(F)\n#endif",
        "#define F __has_include(\"/a\")\n#if F\n#endif",
        "#define C(a,b) a##b\n#if C(__has_,include)(\"/a\")\n#endif",
        "#define C(a,b) a%:%:b\n#if C(__has_,include)(\"/a\")\n#endif",
        "#define C(a,b) a?\?=?\?=b\n#if C(__has_,include)(\"/a\")\n#endif",
        "#define D(a,b) a##b\n#define C(a,b) D(a,b)\n#define E C\n#if 0\n"
        "#elif E(__has_,include)(\"/a\")\n#endif",
        "#define C(a,b) a /* \n */ ## b\n#if C(__has_,include)(\"/a\")\n"
        "#endif"));

INSTANTIATE_TEST_SUITE_P(
    Imports, Refused,
    testing::Values("import \"/a\";", " import/**/</a>;", "import <a/../b>;",
                    "export import \"/a\";", "int x; /*\n*/ import \"/a\";",
                    "#define M \"/a\"\nimport M;", "imp\\\nort \"/a\";",
                    "import <a/*b>;\n#include \"/a\"\n//*/",
                    "auto s = R\"(\\\n)\";\nimport \"/a\";\n//)\""));

/// NVRTC answers __has_include wherever it stands.
INSTANTIATE_TEST_SUITE_P(
    OutsideOfConditions, Refused,
    testing::Values("int x = __has_include(\"/a\");",
                    "#define S(x) #x\n#define T(x) S(x)\n"
                    "char c[] = T($__has_include(\"/a\"));",
                    "#define S(x) #x\n#define T(x) S(x)\n"
                    "char c[] = T(\xc3\xa9__has_include(\"/a\"));",
                    "#define C(a,b) a##b\nint x = C(__has_,include)(\"/a\");",
                    "#define C(a,b) a##b\nint x = C(C(_,_has),_include_next)"
                    "(\"/a\");",
                    "int x = ITS_OWN(__has_, inc\\\nlude)(\"/a\");",
                    "int x = ITS_OWN(__has_, inc\\ \nlude)(\"/a\");"));

/// A macro of one text in the condition of another.
TEST(Includes, PastingAcrossTexts) {
  CUDASource paste = {"paste.h", "#define C(a, b) a##b\n"};
  EXPECT_FALSE(gather("#include \"paste.h\"\n#if C(__has_,include)(\"/a\")\n"
                      "#endif\n",
                      {paste}));
  EXPECT_TRUE(gather("#include \"paste.h\"\nint C(a, b);\n#if X\n#endif\n"
                     "#if defined(C)\n#endif\n#if defined C && Y\n#endif\n",
                     {paste}));
}

/// Macros that headers know are no help for a text in memory.
TEST(Includes, MacrosOfHeaders) {
  TempDirectory directory;
  std::vector<std::string> options = {"-I" + directory.getPath()};
  writeFile(directory / "ask.h", "#define ASK(x) __has_include(x)\n"
                                 "#define ALSO(x) ASK(x)\n"
                                 "#define BETWEEN(x) __##x##_include\n"
                                 "#define PLAIN(x) x\n"
                                 "#define GLOBAL BETWEEN(y)\n");
  auto accepts = [&](const char *text) {
    return gather(std::string("#include \"ask.h\"\n") + text, {}, options)
        .has_value();
  };
  EXPECT_FALSE(accepts("int x = ASK(\"/a\");"));
  EXPECT_FALSE(accepts("int x = ALSO(\"/a\");"));
  EXPECT_FALSE(accepts("int x = BETWEEN(has)(\"/a\");"));
  EXPECT_TRUE(accepts("int x = PLAIN(1), has_not, a, include;"));
  EXPECT_TRUE(accepts("GLOBAL int _, h, a, s, i, n, c, l, u, d, e;"));
  EXPECT_FALSE(accepts("#define P(a, b) a##b\nint _, h, a, s, P(i, n), c, l, "
                       "u, d, e;"));
  EXPECT_TRUE(accepts("int import;\nvoid f() {\nimport = 1 + import;\n}\n"
                      "// import a\n"));
  EXPECT_TRUE(accepts("// ASK, has _include\nconst char *a = \"has\";"));

  // A header's #include could expand to this.
  writeFile(directory / "hook.h", "#ifndef HOOK\n#define HOOK \"ask.h\"\n"
                                  "#endif\n#include HOOK\n");
  writeFile(directory / "outer.h", "#include \"hook.h\"\n");
  for (const char *name : {"hook.h", "outer.h"}) {
    auto include = [&](const std::string &text) {
      return gather(fmt::format("{}#include \"{}\"\n", text, name), {},
                    options);
    };
    Result<CompilerInput> input = include("#define N 1 / 2\n");
    ASSERT_TRUE(input);
    EXPECT_FALSE(input->isCacheable);
    input = include("#define HOOK \"/a\"\n");
    ASSERT_FALSE(input);
    EXPECT_EQ(input.error().message,
              fmt::format("k.cu:1: expected a macro that names no file where "
                          "'{}' includes what a macro names, got 'HOOK'",
                          directory / "hook.h"));
    for (const char *text :
         {"#define HOOK\n", "#define ANY <  /a>\n", "#define ANY a/../b\n",
          "#define ANY /a\n", "#define ANY \"/a\"\n"})
      EXPECT_FALSE(include(text)) << text;
  }
}

TEST(Includes, Messages) {
  CompileMessages messages;
  Result<CompilerInput> input = gatherInput(
      {"k.cu", "__global__ void k() {\n#include \"/etc/passwd\"\n}\n"}, {}, {},
      {}, &messages);
  ASSERT_FALSE(input);
  EXPECT_EQ(input.error().message,
            "k.cu:2: expected a header that was given, or a path below a "
            "directory of headers after #include, got '/etc/passwd' (in 'k')");
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_EQ(messages[0].file, "k.cu");
  EXPECT_EQ(messages[0].line, 2u);
  EXPECT_EQ(gather("#include X\n").error().message,
            "k.cu:1: expected a header's name in quotes or angle brackets "
            "after #include, got 'X'");
  EXPECT_EQ(gather("#if __has_include(X)\n").error().message,
            "k.cu:1: expected a header's name in quotes or angle brackets "
            "after __has_include, got '(X)'");
  EXPECT_LE(
      gather("#include " + std::string(100000, 'x')).error().message.size(),
      4096u);
}

/// Texts that make other readers slow.
TEST(Includes, TakesLinearTime) {
  auto repeat = [](const char *text) {
    std::string all = "R\"(";
    while (all.size() < 400000)
      all += text;
    return all;
  };
  auto start = std::chrono::steady_clock::now();
  for (const char *text :
       {"#define a/*\n", "#if ", "#include ", "# ", "#define a ", "/*", "\"",
        "'", "__has_include", "__has_include(", "#if a(\n", "\\\n", "?\?/\n",
        "R\"(", "#define a a b c\n#if a\n"})
    (void)gather(repeat(text));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

//===----------------------------------------------------------------------===//
// Taken
//===----------------------------------------------------------------------===//

class Taken : public testing::TestWithParam<const char *> {};

TEST_P(Taken, AsItIs) {
  Result<CompilerInput> input = gather(GetParam(), {{"../given.h", ""}});
  ASSERT_TRUE(input) << input.error().message;
  EXPECT_EQ(input->source.text, GetParam());
  EXPECT_TRUE(input->isCacheable);
}

INSTANTIATE_TEST_SUITE_P(
    Texts, Taken,
    testing::Values(
        "#include <carousel/device/mbarrier.h>\n", "#include \"a.h\"\n",
        "#include \"../given.h\"\n", "// #include \"/usr/include/x.h\"\n",
        "/* don't\n#include \"../x.h\"\n#include X\n*/\n",
        "// isn't # include files\n", "#define S(include) #include\n",
        "const char *s = \"#include \\\"/a\\\"\";\n",
        "#if __CUDA_ARCH__ >= 900 && defined(__has_include)\n#endif\n",
        "#ifdef __has_include\n#endif\n#ifndef __has_include\n#endif\n",
        "#if __has_include(<a.h>) /* if */ || __has_include(\"b.h\")\n#endif\n",
        "#define CAT(a, b) a##b\nint CAT(x, y);\n#if X > 1 // CAT\n#endif\n",
        "#define A \\\n  1\n#if A\n#endif\n", "#pragma unroll 4\n",
        "asm(\"mov.u32 %0, 1; // c\\n\" : \"=r\"(x));\n",
        "int x = 1'000; auto s = R\"(\n)\"; // #includes \"/a\"\n"));

//===----------------------------------------------------------------------===//
// Directories
//===----------------------------------------------------------------------===//

class IncludeDirectories : public testing::Test {
protected:
  void write(const std::string &name, const std::string &text) {
    fs::path path = directory / name;
    fs::create_directories(path.parent_path());
    writeFile(path, text);
  }
  std::string path(const std::string &name) { return directory / name; }
  /// The texts beside the source, by their names below the directory.
  static std::vector<std::string> getNames(const CompilerInput &input) {
    std::vector<std::string> names;
    for (const CUDASource &header : input.headers)
      names.push_back(header.name);
    return names;
  }
  using List = std::vector<std::string>;
  TempDirectory directory;
};

TEST_F(IncludeDirectories, AreRead) {
  write("one/a.h", "#include \"sub/b.h\"\n#include <sub/c.h>\n");
  write("one/sub/b.h", "#include \"c.h\"\n");
  write("one/sub/c.h", "int c;\n");
  write("two/sub/c.h", "int wrong;\n");
  write("toolkit/cuda_fp16.h", "int half;\n");
  Result<CompilerInput> input = gather(
      "#include <a.h>\n#include <none.h>\n  # include /* */ <cuda_fp16.h> //\n",
      {}, {"-DX", "-I" + path("one"), "--include-path=" + path("two")},
      path("toolkit"));
  ASSERT_TRUE(input) << input.error().message;
  EXPECT_TRUE(input->isCacheable);
  EXPECT_EQ(input->source.text,
            fmt::format("#include \"{}\"\n#include <none.h>\n  # include /* */ "
                        "\"{}\" //\n",
                        path("one/a.h"), path("toolkit/cuda_fp16.h")));
  EXPECT_EQ(getNames(*input),
            (List{path("one/a.h"), path("toolkit/cuda_fp16.h"),
                  path("one/sub/b.h"), path("one/sub/c.h")}));
  EXPECT_EQ(input->headers[2].text,
            fmt::format("#include \"{}\"\n", path("one/sub/c.h")));
  EXPECT_EQ(input->options, (List{"-DX", "--no-source-include"}));
}

/// The order is NVRTC's.
TEST_F(IncludeDirectories, GivenTextsComeFirst) {
  write("one/a.h", "#include \"b.h\"\n#include <carousel/device/bulk.h>\n");
  write("one/b.h", "int wrong;\n");
  write("one/carousel/device/bulk.h", "int wrong;\n");
  Result<CompilerInput> input =
      gather("#include <a.h>\n#include \"b.h\"\n", {{"b.h", "int right;\n"}},
             {"-I", path("one")});
  ASSERT_TRUE(input) << input.error().message;
  EXPECT_EQ(getNames(*input), (List{"b.h", path("one/a.h")}));
  EXPECT_EQ(input->headers[1].text,
            "#include \"b.h\"\n#include <carousel/device/bulk.h>\n");
}

TEST_F(IncludeDirectories, SpellingsOfOneFile) {
  write("one/a.h", "#pragma once\n");
  fs::create_symlink("a.h", path("one/b.h"));
  Result<CompilerInput> input =
      gather("#include <a.h>\n#include <./a.h>\n#include <b.h>\n"
             "#include <one//a.h>\n",
             {}, {"-I" + path("one"), "-I" + path("")});
  ASSERT_TRUE(input) << input.error().message;
  EXPECT_EQ(getNames(*input), List{path("one/a.h")});
}

TEST_F(IncludeDirectories, Conditions) {
  write("one/a.h",
        "#define HAS(x) __has_include(x)\n#if HAS(<b.h>) && HAS(\"none.h\")\n"
        "#elif __has_include(<c.h>)\n#endif\n");
  write("one/b.h", "");
  write("one/c.h", "");
  Result<CompilerInput> input =
      gather("#include <a.h>\n#if __has_include(<b.h>)\n#endif\n", {},
             {"-I" + path("one")});
  ASSERT_TRUE(input) << input.error().message;
  EXPECT_TRUE(input->isCacheable);
  EXPECT_EQ(input->source.text,
            fmt::format("#include \"{}\"\n#if __has_include(\"{}\")\n#endif\n",
                        path("one/a.h"), path("one/b.h")));
  EXPECT_EQ(input->headers[0].text,
            fmt::format("#define HAS(x) __has_include(x)\n#if HAS(\"{}\") && "
                        "HAS(\"none.h\")\n#elif __has_include(\"{}\")\n"
                        "#endif\n",
                        path("one/b.h"), path("one/c.h")));
}

/// Directives that can't be followed leave the directories to NVRTC, and the
/// cache keeps nothing.
TEST_F(IncludeDirectories, Incomplete) {
  std::string odd = path("one/odd.h");
  auto expectIncomplete = [&](const std::string &what) {
    Result<CompilerInput> input =
        gather("#include <odd.h>\n", {}, {"-I" + path("one")}, path("two"));
    ASSERT_TRUE(input) << input.error().message;
    EXPECT_FALSE(input->isCacheable) << what;
    EXPECT_EQ(input->source.text, "#include <odd.h>\n");
    EXPECT_EQ(input->options,
              (List{"--no-source-include", "--include-path=" + path("one"),
                    "--include-path=" + path("two")}));
  };
  write("one/odd.h", "#define X \"y.h\"\n#include X\n");
  expectIncomplete("a macro");
  write("one/odd.h", "#include_next <odd.h>\n");
  expectIncomplete("#include_next");
  write("one/odd.h", std::string("a\0b", 3));
  expectIncomplete("a null");
  fs::remove(odd);
  ASSERT_EQ(::mkfifo(odd.c_str(), 0600), 0);
  expectIncomplete("a pipe");
  // Texts in memory stay checked.
  EXPECT_FALSE(
      gather("#include <odd.h>\n#include X\n", {}, {"-I" + path("one")}));
}

TEST_F(IncludeDirectories, Lines) {
  write("one/a.h", "");
  Result<CompilerInput> input = gather(
      "#include \"a\\\n.\\\nh\" // here\nint x;\n", {}, {"-I" + path("one")});
  ASSERT_TRUE(input) << input.error().message;
  EXPECT_EQ(input->source.text,
            fmt::format("#include \"{}\"\\\n\\\n // here\nint x;\n",
                        path("one/a.h")));
}

TEST_F(IncludeDirectories, PreIncludes) {
  write("one/a.h", "int a;\n");
  write("b.h", "int b;\n");
  Result<CompilerInput> input =
      gather("", {{"given.h", ""}},
             {"--pre-include=given.h", "-include=a.h", "-include", path("b.h"),
              "-I" + path("one")});
  ASSERT_TRUE(input) << input.error().message;
  EXPECT_TRUE(input->isCacheable);
  EXPECT_EQ(input->options,
            (List{"--no-source-include", "--pre-include=given.h",
                  "--pre-include=" + path("one/a.h"),
                  "--pre-include=" + path("b.h")}));
}

TEST(IncludeOptions, Spellings) {
  using List = std::vector<std::string>;
  IncludeOptions read = readIncludeOptions(
      {"-I/a", "-I /b", "-I=/c", " -I/d", "-I", "/e", "--include-path=/f",
       "--include-path", "/g", "-DX=-I/x", "-D", "Y", "--maxrregcount=32",
       "-lineinfo", "--ptxas-options=-v", "-Xptxas", "-O1"});
  EXPECT_EQ(read.directories, (List{"/a", "/b", "/c", "/d", "/e", "/f", "/g"}));
  EXPECT_EQ(read.rest,
            (List{"-DX=-I/x", "-D", "Y", "--maxrregcount=32", "-lineinfo",
                  "--ptxas-options=-v", "-Xptxas", "-O1"}));
  EXPECT_TRUE(read.areKnown);
  EXPECT_TRUE(read.hasPaths);
  for (const char *unknown :
       {"--pch", "--use-pch=/a", "--create-pch=/a", "--pch-dir=/a", "@/a",
        "--time=/a", "--device-time-trace=/a", "--new", "x.cu",
        "--ptxas-options=--options-file=/a", "-std", "--no-cache=/a"})
    EXPECT_FALSE(readIncludeOptions({unknown}).areKnown) << unknown;
}

/// The user of NVRTC may name directories there, too.
TEST(IncludeOptions, Environment) {
  ::setenv("NVRTC_APPEND_FLAGS", "-I/a", 1);
  EXPECT_FALSE(gather("")->isCacheable);
  ::setenv("NVRTC_APPEND_FLAGS", "", 1);
  EXPECT_TRUE(gather("")->isCacheable);
  ::unsetenv("NVRTC_APPEND_FLAGS");
}

TEST(IncludeOptions, TheWorkingDirectoryIsInLineInformation) {
  EXPECT_EQ(gather("")->directory, "");
  EXPECT_EQ(gather("", {}, {"--generate-line-info"})->directory,
            fs::current_path().string());
}

} // namespace
