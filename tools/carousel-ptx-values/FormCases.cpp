//===- FormCases.cpp - instructions of pure forms -------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See FormCases.h.
//
//===----------------------------------------------------------------------===//

#include "FormCases.h"

#include "carousel/PTX/Parser.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace carousel;
using namespace carousel::ptx;

namespace {

/// Builds the text of one combination and variant.
class CaseBuilder {
public:
  CaseBuilder(const InstructionForm &form,
              llvm::ArrayRef<std::optional<Word>> modifiers, unsigned variant)
      : form(form), modifiers(modifiers), variant(variant) {
    made.form = &form;
    made.modifiers.assign(modifiers.begin(), modifiers.end());
  }

  /// nullopt where the form has fewer variants.
  std::optional<FormCase> build();

private:
  bool has(Word word) const {
    return llvm::is_contained(modifiers, std::optional<Word>(word));
  }
  Type typeOfSpec(const OperandSpec &spec) const;
  std::string addRegister(Type type, bool isWritten);
  std::string addOperand(const OperandSpec &spec);
  template <typename T> T choose(llvm::ArrayRef<T> choices);
  std::string addPart(const OperandSpec &spec);
  void addCarry();

  const InstructionForm &form;
  llvm::ArrayRef<std::optional<Word>> modifiers;
  unsigned variant, variants = 1, sources = 0, next = 0;
  FormCase made;
};

} // namespace

Type CaseBuilder::typeOfSpec(const OperandSpec &spec) const {
  Type type = spec.type.value_or(Type::B32);
  for (auto [slot, word] : llvm::zip(form.slots, modifiers))
    if (spec.slot != 0 && slot.name == spec.slot && word)
      type = *typeOf(*word);
  if (!spec.doubled)
    return type;
  switch (type) {
  case Type::U16:
    return Type::U32;
  case Type::S16:
    return Type::S32;
  case Type::U32:
    return Type::U64;
  default:
    return Type::S64;
  }
}

/// Registers of 8 bits take part in few instructions; a wider one is allowed
/// where their values are of 8 bits.
std::string CaseBuilder::addRegister(Type type, bool isWritten) {
  unsigned bits = getBits(type);
  bool isNarrow = bits == 8 && isInteger(type);
  std::string reg = (bits == 1    ? "%p"
                     : isNarrow   ? isWritten ? "%r" : "%h"
                     : bits == 8  ? "%b"
                     : bits == 16 ? "%h"
                     : bits == 32 ? "%r"
                     : bits == 64 ? "%d"
                                  : "%q") +
                    std::to_string(next++);
  std::vector<CaseWord> &words = isWritten ? made.results : made.operands;
  for (unsigned part = 0; part < (bits == 128 ? 2u : 1u); ++part)
    words.push_back({type, reg, std::nullopt, part});
  return reg;
}

/// The variant's choice; there are as many variants as choices.
template <typename T> T CaseBuilder::choose(llvm::ArrayRef<T> choices) {
  variants = unsigned(choices.size());
  return choices[variant < variants ? variant : 0];
}

/// A part of an operand of a video instruction.
std::string CaseBuilder::addPart(const OperandSpec &spec) {
  using Part = llvm::StringLiteral;
  bool isResult = spec.use == OperandUse::Written;
  unsigned index = isResult ? 0 : 1 + sources++;
  char last = stringify(form.opcode).back();
  static constexpr Part halves[][4] = {{"", ".h0", ".h1", ".h10"},
                                       {"", ".h01", ".h23", ".h31"},
                                       {"", ".h32", ".h00", ".h12"}};
  static constexpr Part bytes[][4] = {{"", ".b0", ".b31", ".b210"},
                                      {"", ".b0123", ".b7766", ".b2460"},
                                      {"", ".b3210", ".b5014", ".b7531"}};
  static constexpr Part scalars[][6] = {
      {".b0", ".h1", ".b3", ".h0", ".b1", ".b2"},
      {"", ".b1", ".h0", ".b3", ".b2", ".h1"},
      {"", ".h1", ".b2", ".b0", ".b3", ".h0"}};
  return (last == '2'   ? choose<Part>(halves[index])
          : last == '4' ? choose<Part>(bytes[index])
                        : choose<Part>(scalars[index]))
      .str();
}

std::string CaseBuilder::addOperand(const OperandSpec &spec) {
  bool isWritten = spec.use == OperandUse::Written;
  if (spec.kind == OperandKind::Immediate) {
    static constexpr uint64_t tables[] = {0x96, 0xe8, 0xca, 0x01, 0x80, 0x3c};
    uint64_t table = choose<uint64_t>(tables);
    made.operands.push_back({Type::B32, "", table, 0});
    return std::to_string(table);
  }
  Type type = typeOfSpec(spec);
  unsigned count = 1;
  if (spec.elements == ElementCount::Fixed)
    count = spec.count;
  if (spec.elements == ElementCount::Packed) {
    variants = 2;
    count = 2u << variant;
    std::optional<Type> element =
        parseType("b" + std::to_string(getBits(type) / count));
    type = element.value_or(Type::B1024);
  }
  if (count == 1) {
    std::string text = addRegister(type, isWritten);
    if (spec.predicateOptional)
      variants = 2;
    if (spec.hasPredicate && (variant == 0 || !spec.predicateOptional))
      text += "|" + addRegister(Type::Pred, true);
    return spec.selects ? text + addPart(spec) : text;
  }
  std::string text = "{";
  for (unsigned i = 0; i < count; ++i)
    text += (i == 0 ? "" : ", ") + addRegister(type, isWritten);
  return text + "}";
}

/// The carry flag is an operand and a result.
void CaseBuilder::addCarry() {
  if (form.opcode == Opcode::Addc || form.opcode == Opcode::Subc ||
      form.opcode == Opcode::Madc)
    made.operands.push_back({Type::Pred, "", std::nullopt, 0});
  if (has(Word::Cc))
    made.results.push_back({Type::Pred, "", std::nullopt, 0});
}

std::optional<FormCase> CaseBuilder::build() {
  made.name = stringify(form.opcode).str();
  for (std::optional<Word> word : modifiers)
    if (word)
      made.name += "." + stringify(*word).str();
  std::vector<std::string> texts;
  for (const OperandSpec &spec : form.operands)
    texts.push_back(addOperand(spec));
  made.text = made.name + " " + llvm::join(texts, ", ");
  addCarry();
  if (variant >= variants)
    return std::nullopt;
  if (form.operands.size() == 4 &&
      (form.opcode == Opcode::Min || form.opcode == Opcode::Max))
    made.name += "/3";
  if (variants > 1)
    made.name += "/" + std::to_string(variant);
  // Vectors have no elements of less than 8 bits and no more than 64.
  for (const std::vector<CaseWord> *words : {&made.operands, &made.results})
    for (const CaseWord &word : *words)
      if (word.type == Type::B1024)
        return std::nullopt;
  return std::move(made);
}

/// Reads the kernel, as the simulated machine does, and finds the function.
static void findFunction(FormCase &made) {
  std::string text = ".version 9.0\n.target sm_100a\n.address_size 64\n" +
                     makeKernel(made, "k");
  Diagnostic error;
  std::optional<Module> module = parse(text, error);
  if (!module)
    return;
  llvm::StringRef before = llvm::StringRef(text).split(made.text + ";").first;
  const Function &kernel = *module->getKernels().front();
  for (const Statement &statement : kernel.body->statements) {
    const auto *instruction = std::get_if<Instruction>(&statement.value);
    if (!instruction || instruction->location.line != before.count('\n') + 1)
      continue;
    made.evaluate = findValue(*instruction);
    for (uint64_t selector : getSelectors(*instruction))
      made.operands.push_back({Type::B32, "", selector, 0});
  }
}

void ptx::forEachCase(const InstructionForm &form,
                      llvm::function_ref<void(FormCase &&)> visit) {
  std::vector<std::optional<Word>> modifiers(form.slots.size());
  auto enumerate = [&](auto &self, size_t slot) -> void {
    if (slot < form.slots.size()) {
      if (form.slots[slot].optional) {
        modifiers[slot] = std::nullopt;
        self(self, slot + 1);
      }
      for (Word word : form.slots[slot].words) {
        modifiers[slot] = word;
        self(self, slot + 1);
      }
      return;
    }
    for (unsigned variant = 0; variant < 8; ++variant) {
      std::optional<FormCase> made =
          CaseBuilder(form, modifiers, variant).build();
      if (!made)
        continue;
      findFunction(*made);
      visit(std::move(*made));
    }
  };
  enumerate(enumerate, 0);
}
