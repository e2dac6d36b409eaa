//===- ReadRows.cpp - reads the table of instructions ---------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes forms of the rows, once for a process. FormRows.h has the notation.
//
//===----------------------------------------------------------------------===//

#include "FormRows.h"

#include "carousel/PTX/InstructionForms.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"

using namespace carousel;
using namespace carousel::ptx;
using llvm::SmallVector;
using llvm::StringRef;
using llvm::Twine;

static constexpr StringRef kOpcodes[] = {
#define CAROUSEL_PTX_OPCODE(name, text) text,
#include "carousel/PTX/Opcodes.def"
};
static constexpr StringRef kWords[] = {
#define CAROUSEL_PTX_WORD(name, text) text,
#include "carousel/PTX/Words.def"
};

namespace {

/// Names of sets of words.
constexpr std::pair<StringRef, StringRef> kSets[] = {
    {"int", "u16|u32|u64|s16|s32|s64"},
    {"int8", "u8|u16|u32|u64|s8|s16|s32|s64"},
    {"bits", "b16|b32|b64"},
    {"data", "b8|b16|b32|b64|b128|@int8|f32|f64"},
    {"num", "@int8|f16|bf16|f32|f64"},
    {"multimem", "f16|f16x2|bf16|bf16x2|f32|f64|e5m2|e5m2x2|e5m2x4|e4m3|"
                 "e4m3x2|e4m3x4"},
    {"f8f6f4", "e4m3|e5m2|e3m2|e2m3|e2m1"},
    {"rnd", "rn|rz|rm|rp"},
    {"frnd", "rn|rz|rm|rp"},
    {"irnd", "rni|rzi|rmi|rpi"},
    {"cmp", "eq|ne|lt|le|gt|ge|lo|ls|hi|hs|equ|neu|ltu|leu|gtu|geu|num|nan"},
    {"bool", "and|or|xor"},
    {"vec", "v2|v4|v8"},
    {"readable", "const|global|local|param|param::entry|param::func|@shared"},
    {"writable", "global|local|param|param::func|@shared"},
    {"window", "const|global|local|@shared|param|param::entry"},
    {"shared", "shared|shared::cta|shared::cluster"},
    {"atomic", "global|@shared"},
    {"evict1", "L1::evict_normal|L1::evict_unchanged|L1::evict_first|"
               "L1::evict_last|L1::no_allocate"},
    {"evict2", "L2::evict_normal|L2::evict_first|L2::evict_last"},
    {"primary", "L2::evict_last|L2::evict_normal|L2::evict_first|"
                "L2::evict_unchanged"},
    {"prefetch", "L2::64B|L2::128B|L2::256B"},
    {"scope", "cta|cluster|gpu|sys"},
    {"sem", "relaxed|acquire|release|acq_rel"},
    {"reduction", "and|or|xor|add|inc|dec|min|max"},
    {"rank", "1d|2d|3d|4d|5d"},
    {"ctas", "cta_group::1|cta_group::2"},
    {"geometry", "1d|2d|3d|a1d|a2d|cube|acube|2dms|a2dms"},
    {"query", "width|height|depth|channel_data_type|channel_order|"
              "normalized_coords|array_size|num_mipmap_levels|num_samples|"
              "memory_layout|force_unnormalized_coords|filter_mode|"
              "addr_mode_0|addr_mode_1|addr_mode_2"},
    {"registers", "x1|x2|x4|x8|x16|x32|x64|x128"},
    {"kind", "kind::f16|kind::tf32|kind::f8f6f4|kind::i8"},
    {"mxkind", "kind::mxf8f6f4|kind::mxf4|kind::mxf4nvf4"},
    {"scales", "scale_vec::1X|scale_vec::2X|scale_vec::4X|block16|block32"},
    {"collector", "collector::a::fill|collector::a::use|"
                  "collector::a::lastuse|collector::a::discard"},
    {"collectors", "collector::b0::fill|collector::b0::use|"
                   "collector::b0::lastuse|collector::b0::discard|"
                   "collector::b1::fill|collector::b1::use|"
                   "collector::b1::lastuse|collector::b1::discard|"
                   "collector::b2::fill|collector::b2::use|"
                   "collector::b2::lastuse|collector::b2::discard|"
                   "collector::b3::fill|collector::b3::use|"
                   "collector::b3::lastuse|collector::b3::discard"},
};

struct Table {
  Table();

  std::vector<InstructionForm> forms;
  std::vector<SmallVector<const InstructionForm *, 4>> byOpcode;
  std::vector<std::string> faults;

private:
  void readRow(StringRef row);
  void readWords(StringRef alternatives, ModifierSlot &slot, StringRef row);
  void readOperand(StringRef text, InstructionForm &form);
  void fail(StringRef row, const Twine &what) {
    faults.push_back((row + ": " + what).str());
  }
};

} // namespace

Table::Table() {
  for (llvm::ArrayRef<llvm::StringLiteral> texts :
       {getArithmeticRows(), getMemoryRows(), getAsyncRows(), getMatrixRows(),
        getVideoRows()})
    for (StringRef text : texts) {
      SmallVector<StringRef> rows;
      text.split(rows, '\n', -1, false);
      for (StringRef row : rows)
        readRow(row);
    }
  byOpcode.resize(std::size(kOpcodes));
  for (const InstructionForm &form : forms)
    byOpcode[unsigned(form.opcode)].push_back(&form);
}

void Table::readWords(StringRef alternatives, ModifierSlot &slot,
                      StringRef row) {
  SmallVector<StringRef> words;
  alternatives.split(words, '|');
  for (StringRef word : words) {
    if (word.consume_front("@")) {
      auto *set = llvm::find_if(
          kSets, [&](const auto &entry) { return entry.first == word; });
      if (set == std::end(kSets))
        fail(row, "no set @" + word);
      else
        readWords(set->second, slot, row);
      continue;
    }
    if (word.contains("n*k")) {
      auto [m, k] = word.split("n*k");
      slot.words.push_back(Word::Shape);
      if (!m.consume_front("m") || m.getAsInteger(10, slot.shape.m) ||
          k.getAsInteger(10, slot.shape.k))
        fail(row, "no shape " + word);
      continue;
    }
    if (std::optional<Word> known = parseWord(word))
      slot.words.push_back(*known);
    else
      fail(row, "no word " + word);
  }
}

void Table::readRow(StringRef row) {
  auto [head, tail] = row.split(';');
  SmallVector<StringRef> words, operands, opcodes;
  head.split(words, ' ', -1, false);
  tail.split(operands, ',', -1, false);
  words.front().split(opcodes, '|');
  InstructionForm form;
  form.text = row.str();
  for (StringRef word : llvm::drop_begin(words)) {
    ModifierSlot &slot = form.slots.emplace_back();
    if (word.consume_front("[")) {
      slot.optional = true;
      word.consume_back("]");
    }
    if (word.size() > 2 && word[1] == ':' && word[2] != ':') {
      slot.name = word[0];
      word = word.drop_front(2);
    }
    readWords(word, slot, row);
  }
  for (StringRef operand : operands)
    if (!operand.trim().empty())
      readOperand(operand.trim(), form);
  for (StringRef name : opcodes) {
    std::optional<Opcode> opcode = parseOpcode(name);
    if (!opcode) {
      fail(row, "no opcode " + name);
      continue;
    }
    form.opcode = *opcode;
    forms.push_back(form);
  }
}

void Table::readOperand(StringRef text, InstructionForm &form) {
  StringRef row = form.text;
  OperandSpec &spec = form.operands.emplace_back();
  auto readSlot = [&](StringRef name) {
    spec.slot = name[0];
    if (llvm::none_of(form.slots, [&](const ModifierSlot &slot) {
          return slot.name == spec.slot;
        }))
      fail(row, "no modifier " + name);
  };
  if (text.consume_front("{")) {
    auto [word, rest] = text.split('}');
    text = rest;
    spec.condition = parseWord(word);
    if (!spec.condition)
      fail(row, "no word " + word);
  }
  if (text.consume_front("["))
    spec.kind = OperandKind::Address;
  if (text.consume_front("="))
    spec.use = OperandUse::Written;
  if (text.consume_front("+"))
    spec.use = OperandUse::Updated;
  spec.predicateOptional = text.ends_with("|pred?");
  if (text.consume_back("|pred?") || text.consume_back("|pred"))
    spec.hasPredicate = true;
  spec.optional = text.consume_back("?");
  spec.widens = text.consume_front("~");
  spec.symbols = text.consume_front("$");
  spec.selects = text.consume_back(".");
  if (spec.kind == OperandKind::Address) {
    text.consume_back("]");
    if (text == "tensor")
      spec.kind = OperandKind::Tensor;
    else if (text == "tex")
      spec.kind = OperandKind::Texture;
    else if (text == "tmem")
      spec.kind = OperandKind::TensorMemory;
    else if (text.size() == 1)
      readSlot(text);
    else if (std::optional<StateSpace> space = parseStateSpace(text))
      spec.space = *space;
    else if (!text.empty())
      fail(row, "no address [" + text + "]");
    return;
  }
  if (text == "#" || text == "label" || text == "labels" || text == "call") {
    spec.kind = llvm::StringSwitch<OperandKind>(text)
                    .Case("#", OperandKind::Immediate)
                    .Case("label", OperandKind::Label)
                    .Case("labels", OperandKind::Labels)
                    .Default(OperandKind::Call);
    return;
  }
  if (text.consume_back("{}"))
    spec.elements = ElementCount::Packed;
  auto [type, count] = text.split('*');
  if (count == "n") {
    spec.elements = ElementCount::Any;
  } else if (count.consume_front("n/")) {
    spec.elements = ElementCount::Shape;
    count.getAsInteger(10, spec.count);
  } else if (!count.empty() && !count.getAsInteger(10, spec.count)) {
    spec.elements = ElementCount::Fixed;
  } else if (!count.empty()) {
    spec.elements = ElementCount::Slot;
    if (count != "V" || llvm::none_of(form.slots, [](const ModifierSlot &slot) {
          return slot.name == 'V';
        }))
      fail(row, "no modifier " + count);
  }
  spec.doubled = type.consume_front("2");
  spec.isAddress = type == "addr";
  if (spec.isAddress || type == "fragment")
    return;
  if (type.size() == 1)
    return readSlot(type);
  spec.type = parseType(type);
  if (!spec.type)
    fail(row, "no type " + type);
}

static const Table &getTable() {
  static const Table table;
  return table;
}

template <typename T, size_t N>
static std::optional<T> find(const StringRef (&texts)[N], StringRef text) {
  static const llvm::StringMap<T> map = [&] {
    llvm::StringMap<T> result;
    for (unsigned i = 0; i < N; ++i)
      result[texts[i]] = T(i);
    return result;
  }();
  auto found = map.find(text);
  if (found == map.end())
    return std::nullopt;
  return found->second;
}

StringRef ptx::stringify(Opcode opcode) { return kOpcodes[unsigned(opcode)]; }
std::optional<Opcode> ptx::parseOpcode(StringRef text) {
  return find<Opcode>(kOpcodes, text);
}

StringRef ptx::stringify(Word word) {
  return word == Word::Shape ? StringRef() : kWords[unsigned(word)];
}
std::optional<Word> ptx::parseWord(StringRef text) {
  return find<Word>(kWords, text);
}

std::optional<Type> ptx::typeOf(Word word) {
  return parseType(stringify(word));
}
std::optional<StateSpace> ptx::stateSpaceOf(Word word) {
  return parseStateSpace(stringify(word));
}

std::optional<MatrixShape> ptx::parseShape(StringRef word) {
  MatrixShape shape;
  if (word.consume_front("m") && !word.consumeInteger(10, shape.m) &&
      word.consume_front("n") && !word.consumeInteger(10, shape.n) &&
      word.consume_front("k") && !word.getAsInteger(10, shape.k))
    return shape;
  return std::nullopt;
}
std::string ptx::stringify(MatrixShape shape) {
  return ("m" + Twine(shape.m) + "n" + Twine(shape.n) + "k" + Twine(shape.k))
      .str();
}

llvm::ArrayRef<const InstructionForm *> ptx::getForms(Opcode opcode) {
  return getTable().byOpcode[unsigned(opcode)];
}
llvm::ArrayRef<InstructionForm> ptx::getAllForms() { return getTable().forms; }
llvm::ArrayRef<std::string> ptx::getTableFaults() { return getTable().faults; }
