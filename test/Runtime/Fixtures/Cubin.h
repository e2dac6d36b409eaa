//===- Cubin.h - reads cubins -----------------------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the toolkit's libraries, and reads cubins.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TEST_RUNTIME_FIXTURES_CUBIN_H
#define CAROUSEL_TEST_RUNTIME_FIXTURES_CUBIN_H

#include <elf.h>

#include <cstring>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace carousel::runtime::test {

/// A library beside the headers: in a toolkit, a Debian package, or a Python
/// package. Empty if there is none.
inline std::string findLibrary(const std::string &name) {
  for (const char *directory :
       {"lib64", "lib", "targets/x86_64-linux/lib", "lib/x86_64-linux-gnu"})
    for (const char *version : {".13", ".12"}) {
      std::filesystem::path path =
          std::filesystem::path(CAROUSEL_TEST_CUDA_ROOT) / directory /
          (name + version);
      if (std::filesystem::exists(path))
        return path.string();
    }
  return {};
}

/// Sections and symbols of a cubin, an ELF file of 64 bits.
class Cubin {
public:
  explicit Cubin(std::string_view bytes) : bytes(bytes) {
    auto header = read<Elf64_Ehdr>(0);
    auto names = read<Elf64_Shdr>(header.e_shoff +
                                  header.e_shstrndx * sizeof(Elf64_Shdr));
    for (unsigned i = 0; i < header.e_shnum; ++i) {
      auto section = read<Elf64_Shdr>(header.e_shoff + i * sizeof(Elf64_Shdr));
      sections[getString(names, section.sh_name)] = section;
    }
  }

  bool hasSection(const std::string &name) const {
    return sections.count(name) != 0;
  }

  /// Functions and variables that are in no section of it, but for those that
  /// the driver knows.
  std::vector<std::string> getUndefined() const {
    std::vector<std::string> undefined;
    Elf64_Shdr symbols = sections.at(".symtab"), names = sections.at(".strtab");
    for (uint64_t i = 1; i < symbols.sh_size / sizeof(Elf64_Sym); ++i) {
      auto symbol = read<Elf64_Sym>(symbols.sh_offset + i * sizeof(Elf64_Sym));
      std::string name = getString(names, symbol.st_name);
      if (symbol.st_shndx == SHN_UNDEF && name.rfind(".nv.", 0) != 0)
        undefined.push_back(name);
    }
    return undefined;
  }

  /// Those that have code, in the order of their names.
  std::vector<std::string> getFunctions() const {
    constexpr std::string_view kText = ".text.";
    std::vector<std::string> functions;
    for (const auto &section : sections)
      if (section.first.rfind(kText, 0) == 0)
        functions.push_back(section.first.substr(kText.size()));
    return functions;
  }

  /// How many of a kernel's instructions have this opcode: the low 9 bits of
  /// the 128 that one has since sm_70.
  unsigned countInstructions(const std::string &function,
                             unsigned opcode) const {
    Elf64_Shdr text = sections.at(".text." + function);
    unsigned count = 0;
    for (uint64_t i = 0; i < text.sh_size; i += 16)
      count += (read<uint64_t>(text.sh_offset + i) & 0x1ff) == opcode;
    return count;
  }
  static constexpr unsigned kFMUL = 0x20, kFFMA = 0x23;

private:
  template <typename T> T read(uint64_t offset) const {
    T value = {};
    if (offset <= bytes.size() && sizeof(T) <= bytes.size() - offset)
      std::memcpy(&value, bytes.data() + offset, sizeof(T));
    return value;
  }
  std::string getString(const Elf64_Shdr &table, uint64_t at) const {
    return bytes.data() + table.sh_offset + at;
  }

  std::string_view bytes;
  std::map<std::string, Elf64_Shdr> sections;
};

} // namespace carousel::runtime::test

#endif // CAROUSEL_TEST_RUNTIME_FIXTURES_CUBIN_H
