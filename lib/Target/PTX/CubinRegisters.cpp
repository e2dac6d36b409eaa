//===- CubinRegisters.cpp - registers of a cubin's kernels ----------------===//
//===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A cubin is an ELF file. Its section .nv.info lists attributes: a format, a
// number, a size and a value. EIATTR_REGCOUNT names a symbol and its registers
// (CUDA Binary Utilities, cuobjdump -elf).
//
//===----------------------------------------------------------------------===//

#include "carousel/Target/CubinRegisters.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/BinaryFormat/ELF.h"

#include <cstring>
#include <optional>

using namespace llvm;

static constexpr uint8_t kFormatWithSize = 0x04;
static constexpr uint8_t kRegisterCount = 0x2f;

namespace {

/// Reads within the bounds of a file.
class ELFReader {
public:
  explicit ELFReader(StringRef file) : file(file) {}

  /// Whether the header and all section headers can be read.
  bool open() {
    if (!file.starts_with(StringRef(ELF::ElfMagic, 4)) || !read(0, header) ||
        header.e_ident[ELF::EI_CLASS] != ELF::ELFCLASS64 ||
        header.e_ident[ELF::EI_DATA] != ELF::ELFDATA2LSB ||
        header.e_shentsize != sizeof(ELF::Elf64_Shdr))
      return false;
    for (unsigned i = 0; i < header.e_shnum; ++i) {
      ELF::Elf64_Shdr section;
      if (header.e_shoff > file.size() ||
          !read(header.e_shoff + i * sizeof(section), section))
        return false;
      sections.push_back(section);
    }
    return header.e_shstrndx < sections.size();
  }

  std::optional<unsigned> findSection(StringRef name) const {
    for (unsigned i = 0; i < sections.size(); ++i)
      if (getString(header.e_shstrndx, sections[i].sh_name) == name)
        return i;
    return std::nullopt;
  }

  StringRef getContents(unsigned index) const {
    if (index >= sections.size() || sections[index].sh_type == ELF::SHT_NOBITS)
      return {};
    return file.substr(sections[index].sh_offset, sections[index].sh_size);
  }

  StringRef getSymbol(unsigned table, uint64_t number) const {
    ELF::Elf64_Sym symbol;
    StringRef contents = getContents(table);
    if (number >= contents.size() / sizeof(symbol))
      return {};
    std::memcpy(&symbol, contents.data() + number * sizeof(symbol),
                sizeof(symbol));
    return getString(sections[table].sh_link, symbol.st_name);
  }

private:
  template <typename T> bool read(uint64_t offset, T &value) const {
    if (offset > file.size() || file.size() - offset < sizeof(T))
      return false;
    std::memcpy(&value, file.data() + offset, sizeof(T));
    return true;
  }
  StringRef getString(unsigned table, uint64_t offset) const {
    return getContents(table).substr(offset).take_until(
        [](char c) { return c == '\0'; });
  }

  StringRef file;
  ELF::Elf64_Ehdr header;
  SmallVector<ELF::Elf64_Shdr> sections;
};

} // namespace

StringMap<int64_t> carousel::readRegisters(StringRef cubin) {
  StringMap<int64_t> registers;
  ELFReader reader(cubin);
  if (!reader.open())
    return registers;
  std::optional<unsigned> info = reader.findSection(".nv.info"),
                          symbols = reader.findSection(".symtab");
  if (!info || !symbols)
    return registers;
  StringRef rest = reader.getContents(*info);
  struct Attribute {
    uint8_t format, number;
    uint16_t size; ///< or a value
  } attribute;
  while (rest.size() >= sizeof(attribute)) {
    std::memcpy(&attribute, rest.data(), sizeof(attribute));
    rest = rest.drop_front(sizeof(attribute));
    if (attribute.format != kFormatWithSize)
      continue;
    StringRef value = rest.take_front(attribute.size);
    rest = rest.drop_front(value.size());
    uint32_t fields[2];
    if (attribute.number != kRegisterCount || value.size() != sizeof(fields))
      continue;
    std::memcpy(fields, value.data(), sizeof(fields));
    if (StringRef name = reader.getSymbol(*symbols, fields[0]); !name.empty())
      registers[name] = fields[1];
  }
  return registers;
}
