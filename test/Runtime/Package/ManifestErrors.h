//===- ManifestErrors.h - errors of the reader of manifests -----*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Edits of the valid manifest of TestPackages.h, and their messages.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TEST_RUNTIME_PACKAGE_MANIFESTERRORS_H
#define CAROUSEL_TEST_RUNTIME_PACKAGE_MANIFESTERRORS_H

#include "carousel/Runtime/Manifest.h"

#include "TestPackages.h"

#include <gtest/gtest.h>

namespace carousel::runtime::test {

inline void expectError(const std::string &text, const std::string &message,
                        ErrorCode code = ErrorCode::InvalidPackage) {
  Result<Manifest> result = parseManifest(text);
  ASSERT_FALSE(result) << "accepted; expected: " << message;
  EXPECT_EQ(result.error().message, message);
  EXPECT_EQ(result.error().code, code);
}

struct Edit {
  const char *pointer;
  const char *value; ///< null: removed
  const char *message;
};

/// Every edit of members below `prefix`, with messages of paths below `path`.
inline void expectErrors(const std::string &prefix, const std::string &path,
                         std::initializer_list<Edit> edits) {
  std::string manifest = makeCopyManifest();
  ASSERT_TRUE(parseManifest(manifest));
  for (const Edit &edit : edits) {
    std::string pointer = prefix + edit.pointer;
    SCOPED_TRACE(
        pointer + " = " +
        std::string(edit.value ? edit.value : "removed").substr(0, 80));
    expectError(edit.value ? setMember(manifest, pointer, edit.value)
                           : removeMember(manifest, pointer),
                path + edit.message);
  }
}

} // namespace carousel::runtime::test

#endif // CAROUSEL_TEST_RUNTIME_PACKAGE_MANIFESTERRORS_H
