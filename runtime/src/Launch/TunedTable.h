//===- TunedTable.h - finds measured times ----------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The entries of a kernel for one device, sorted, so that a launch finds its
// own without memory and without looking at most of them.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_LAUNCH_TUNEDTABLE_H
#define CAROUSEL_RUNTIME_SRC_LAUNCH_TUNEDTABLE_H

#include "Bind/Evaluate.h"

namespace carousel::runtime {

class TunedTable {
public:
  /// The entries for devices of this name. `kernel` outlives the table.
  TunedTable(const KernelInfo &kernel, std::string_view device);

  /// The entry for the values of these arguments, or null.
  const TunedInfo *find(const BoundArgument *bound) const {
    return entries.empty() ? nullptr : search(bound);
  }

private:
  const TunedInfo *search(const BoundArgument *bound) const;

  std::vector<TunedValue> values;
  std::vector<const TunedInfo *> entries; ///< by ascending values
};

/// The number that a tuned value is in these arguments.
inline int64_t getValue(const TunedValue &value, const BoundArgument *bound) {
  const BoundArgument &argument = bound[value.argument];
  return value.dim ? argument.extents[*value.dim] : argument.scalar;
}

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_SRC_LAUNCH_TUNEDTABLE_H
