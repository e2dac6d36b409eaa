//===- Names.cpp - valid names and texts for C++ --------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Names.h.
//
//===----------------------------------------------------------------------===//

#include "Names.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace carousel;

/// Keywords of C++ up to C++23, alternative tokens, and names that CUDA
/// compilers define without any header: variables, functions that need no
/// namespace, and macros.
static const StringSet<> &getReserved() {
  static const StringSet<> names = {
      // clang-format off
      "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break", "case",
      "catch", "char", "char8_t", "char16_t", "char32_t", "class", "compl", "concept", "const",
      "const_cast", "consteval", "constexpr", "constinit", "continue", "co_await", "co_return",
      "co_yield", "decltype", "default", "delete", "do", "double", "dynamic_cast", "else", "enum",
      "explicit", "export", "extern", "false", "float", "for", "friend", "goto", "if", "inline", "int",
      "long", "mutable", "namespace", "new", "noexcept", "not", "not_eq", "nullptr", "operator", "or",
      "or_eq", "private", "protected", "public", "register", "reinterpret_cast", "requires", "restrict",
      "return", "short", "signed", "sizeof", "static", "static_assert", "static_cast", "struct",
      "switch", "template", "this", "thread_local", "throw", "true", "try", "typedef", "typeid",
      "typename", "typeof", "union", "unsigned", "using", "virtual", "void", "volatile", "wchar_t",
      "while", "xor", "xor_eq", "import", "module", "final", "override",
      "carousel", "std", "cuda", "main", "threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize",
      "dim3", "uint3", "half", "size_t", "ptrdiff_t", "int8_t", "int16_t", "int32_t", "int64_t",
      "uint8_t", "uint16_t", "uint32_t", "uint64_t", "uint4", "uint2", "linux", "unix", "i386",
      "assert", "errno", "stdin", "stdout", "stderr", "offsetof", "signbit", "isnan", "isinf",
      "isfinite", "isnormal", "fpclassify", "min", "max", "abs", "printf", "malloc", "free", "memcpy",
      "memset", "clock", "clock64", "near", "far", "pascal", "cdecl", "interface", "small",
      // clang-format on
  };
  return names;
}

static bool isIdentifier(StringRef name) {
  return !name.empty() && !isDigit(name.front()) &&
         llvm::all_of(name, [](char c) { return isAlnum(c) || c == '_'; });
}

bool carousel::looksLikeMacro(StringRef name) {
  return name.size() > 1 &&
         llvm::none_of(name, [](char c) { return isAlpha(c) && isLower(c); });
}

bool carousel::isFreeIdentifier(StringRef name) {
  // Names that start with two underscores, or one and a capital, belong to the
  // compiler.
  bool isReserved = name.starts_with("__") ||
                    (name.size() > 1 && name[0] == '_' && isUpper(name[1]));
  return isIdentifier(name) && !isReserved && !getReserved().contains(name) &&
         !name.starts_with("CAROUSEL_");
}

void NameScope::reserve(StringRef text) {
  char before = ' ';
  while (!text.empty()) {
    StringRef word =
        text.take_while([](char c) { return isAlnum(c) || c == '_'; });
    // Members don't conflict with other names.
    if (!word.empty() && before != '.')
      taken.insert(word);
    before = text.front();
    text = text.drop_front(std::max<size_t>(word.size(), 1));
  }
}

std::string NameScope::unique(StringRef wanted) {
  std::string name;
  for (char c : wanted.take_front(64))
    name += isAlnum(c) && isASCII(c) ? c : '_';
  if (name.empty() || llvm::all_of(name, [](char c) { return c == '_'; }))
    name = "v";
  if (isDigit(name.front()))
    name = "v" + name;
  if (looksLikeMacro(name) || !isFreeIdentifier(name)) {
    // Changes capitals and keywords to names that no header defines.
    while (name.size() > 1 && name.front() == '_')
      name.erase(0, 1);
    if (isDigit(name.front()))
      name = "v" + name;
    name += "_v";
  }
  std::string candidate = name;
  for (unsigned i = 1; !taken.insert(candidate).second; ++i)
    candidate = name + "_" + std::to_string(i);
  return candidate;
}

std::string carousel::escapeComment(StringRef text) {
  std::string result;
  for (char c : text)
    // A backslash would continue the comment on the next line, and so would its
    // trigraph.
    result += !isPrint(c) || c == '\\' ? '.' : c;
  for (size_t at; (at = result.find("?\?/")) != std::string::npos;)
    result[at] = '.';
  return result;
}

std::string carousel::quote(StringRef text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\' || c == '?') {
      result += '\\';
      result += c;
    } else if (isPrint(c)) {
      result += c;
    } else {
      // Always three digits, so that a following digit isn't part of it.
      unsigned char byte = c;
      result += '\\';
      result += static_cast<char>('0' + byte / 64);
      result += static_cast<char>('0' + byte / 8 % 8);
      result += static_cast<char>('0' + byte % 8);
    }
  }
  return result + "\"";
}
