//===- ToolkitTest.h - the real NVRTC and nvJitLink ---*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fixture with the libraries of the toolkit that the headers come from and
// the fake driver, and a reader of cubins.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TEST_RUNTIME_TOOLKITTEST_H
#define CAROUSEL_TEST_RUNTIME_TOOLKITTEST_H

#include "CompileTest.h"

#include <elf.h>

#include <cstring>
#include <initializer_list>

namespace carousel::runtime::test {

/// A library beside the headers: in a toolkit, a Debian package, or a Python
/// package. Empty if there is none.
inline std::string findLibrary(const std::string &name) {
  for (const char *directory :
       {"lib64", "lib", "targets/x86_64-linux/lib", "lib/x86_64-linux-gnu"})
    for (const char *version : {".13", ".12"}) {
      std::filesystem::path path =
          std::filesystem::path(CAROUSEL_TEST_CUDA_ROOT) / directory / (name + version);
      if (std::filesystem::exists(path))
        return path.string();
    }
  return {};
}

class Toolkit : public CompileFixture {
protected:
  void SetUp() override {
    CompileFixture::SetUp();
    options.libraries.nvrtc = findLibrary("libnvrtc.so");
    options.libraries.nvJitLink = findLibrary("libnvJitLink.so");
  }
  /// The machine code of a kernel, as e_machine and e_flags of an ELF file say.
  static void expectCubin(const Result<std::string> &cubin, unsigned arch) {
    ASSERT_TRUE(cubin) << cubin.error().message;
    ASSERT_GT(cubin->size(), 64u);
    EXPECT_EQ(cubin->substr(0, 4), "\177ELF");
    EXPECT_EQ(static_cast<unsigned char>((*cubin)[18]), 190u) << "EM_CUDA";
    EXPECT_NE(cubin->find(".text.double_it"), std::string::npos);
    // The byte of the flags that holds the architecture differs by the
    // version of the format.
    unsigned low = static_cast<unsigned char>((*cubin)[48]);
    unsigned next = static_cast<unsigned char>((*cubin)[49]);
    EXPECT_TRUE(low == arch || next == arch) << low << ", " << next;
  }
};

/// Sections and symbols of a cubin, an ELF file of 64 bits.
class Cubin {
public:
  explicit Cubin(std::string_view bytes) : bytes(bytes) {
    auto header = read<Elf64_Ehdr>(0);
    auto names = read<Elf64_Shdr>(header.e_shoff +
                                  header.e_shstrndx * sizeof(Elf64_Shdr));
    for (unsigned i = 0; i < header.e_shnum; ++i) {
      auto section =
          read<Elf64_Shdr>(header.e_shoff + i * sizeof(Elf64_Shdr));
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
      auto symbol =
          read<Elf64_Sym>(symbols.sh_offset + i * sizeof(Elf64_Sym));
      std::string name = getString(names, symbol.st_name);
      if (symbol.st_shndx == SHN_UNDEF && name.rfind(".nv.", 0) != 0)
        undefined.push_back(name);
    }
    return undefined;
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

#endif // CAROUSEL_TEST_RUNTIME_TOOLKITTEST_H
