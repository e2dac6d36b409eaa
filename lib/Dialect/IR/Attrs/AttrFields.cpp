//===- AttrFields.cpp - attributes made of named fields -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See AttrFields.h.
//
//===----------------------------------------------------------------------===//

#include "AttrFields.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace carousel;

ParseResult carousel::parseFields(AsmParser &parser, StringRef what,
                                  ArrayRef<Field> fields) {
  llvm::SmallSet<StringRef, 4> seen;
  auto parseField = [&]() -> ParseResult {
    SMLoc where = parser.getCurrentLocation();
    StringRef name;
    if (parser.parseKeyword(&name) || parser.parseEqual())
      return failure();
    const Field *field = llvm::find_if(
        fields, [&](const Field &field) { return field.name == name; });
    if (field == fields.end()) {
      auto error = parser.emitError(where) << "expected one of ";
      llvm::interleaveComma(fields, error,
                            [&](const Field &field) { error << field.name; });
      return error << " in " << what << ", got '" << name << "'";
    }
    if (!seen.insert(field->name).second)
      return parser.emitError(where) << "expected each field of " << what
                                     << " once, got '" << name << "' again";
    return field->parse();
  };
  SMLoc where = parser.getCurrentLocation();
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     parseField))
    return failure();
  for (const Field &field : fields)
    if (field.required && !seen.contains(field.name))
      return parser.emitError(where)
             << "expected " << field.name << " in " << what << ", got none";
  return success();
}
