//===- OptionalOption.h - options that may be absent ------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Options of type std::optional<T> for tools, passes and pipelines: an option
// that the user doesn't give has no value, instead of a value that stands for
// none. MLIR prints such an option of a pass as `None`, and reads that back.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_OPTIONALOPTION_H
#define CAROUSEL_PASSES_OPTIONALOPTION_H

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>

namespace carousel {

/// How an option's value of type T is written. A specialization has
/// `std::optional<T> parse(llvm::StringRef)` and, for the message, `kExpected`.
template <typename T> struct OptionSyntax;

template <> struct OptionSyntax<unsigned> {
  static constexpr llvm::StringLiteral kExpected = "a non-negative integer";
  static std::optional<unsigned> parse(llvm::StringRef text) {
    unsigned value;
    if (text.getAsInteger(10, value))
      return std::nullopt;
    return value;
  }
};

} // namespace carousel

namespace llvm::cl {

template <typename T>
class parser<std::optional<T>> : public basic_parser<std::optional<T>> {
public:
  parser(Option &option) : basic_parser<std::optional<T>>(option) {}

  /// Returns true, after a message, if `text` is no value.
  bool parse(Option &option, StringRef name, StringRef text,
             std::optional<T> &value) {
    value = ::carousel::OptionSyntax<T>::parse(text);
    if (value || text == "None")
      return false;
    return option.error("expected " +
                            Twine(::carousel::OptionSyntax<T>::kExpected) +
                            ", got '" + text + "'",
                        name);
  }

  StringRef getValueName() const override { return "value"; }

  void printOptionDiff(const Option &option, const std::optional<T> &value,
                       const OptionValue<std::optional<T>> &,
                       size_t globalWidth) const {
    this->printOptionName(option, globalWidth);
    outs() << "= " << value << '\n';
  }
};

} // namespace llvm::cl

#endif // CAROUSEL_PASSES_OPTIONALOPTION_H
