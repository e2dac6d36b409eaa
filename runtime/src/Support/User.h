//===- User.h - whether the kernel tells this user from others --*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernel reports every user that a user namespace doesn't map as one user,
// the overflow user. Where the process itself is that user, the user of a
// socket's peer or of a file says nothing about who it is.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_SUPPORT_USER_H
#define CAROUSEL_RUNTIME_SRC_SUPPORT_USER_H

#include "carousel/Runtime/Error.h"

namespace carousel::runtime {

/// Whether the text of a uid_map maps all users, as that of the first namespace
/// does.
bool mapsAllUsers(std::string_view map);

/// An error where users that aren't this process's can look like it: "expected
/// a user that ...". Comes before a comparison of users.
Status checkOwnUser();

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_SRC_SUPPORT_USER_H
