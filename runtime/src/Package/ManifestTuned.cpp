//===- ManifestTuned.cpp - reads measured times of manifests --------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ManifestReader.h. This file reads what carousel-tune has measured of a
// kernel's variants.
//
//===----------------------------------------------------------------------===//

#include "ManifestReader.h"

namespace carousel::runtime {

namespace {
class TunedReader {
public:
  TunedReader(FieldReader &reader, const KernelInfo &kernel)
      : reader(reader), wanted(kernel.getTunedValues()) {
    // If two have one name, the first one counts, as in prepareVariant().
    for (size_t i = 0; i < kernel.variants.size(); ++i)
      variants.emplace(kernel.variants[i].function, static_cast<uint32_t>(i));
  }

  TunedInfo read(const Field &field) {
    TunedInfo tuned;
    tuned.device = reader.readName(reader.get(field, "device"));
    reader.forEach(
        reader.get(field, "values"), wanted.size(), [&](const Field &element) {
          int64_t least = wanted[element.element].dim ? 0 : INT64_MIN;
          tuned.values.push_back(reader.readInteger(element, least, INT64_MAX));
        });
    Field times = reader.get(field, "times");
    std::set<uint32_t> seen;
    reader.forEach(times, [&](const Field &element) {
      TunedInfo::Time time = readTime(element);
      if (reader.hasFailed())
        return;
      if (!seen.insert(time.variant).second)
        reader.fail(element, "expected one time of a function, got a second");
      if (!tuned.times.empty() &&
          time.nanoseconds < tuned.times.back().nanoseconds)
        reader.fail(element, "expected ascending times, got {} after {}",
                    time.nanoseconds, tuned.times.back().nanoseconds);
      tuned.times.push_back(time);
    });
    if (tuned.times.empty())
      reader.fail(times, "expected at least one time, got none");
    return tuned;
  }

private:
  TunedInfo::Time readTime(const Field &field) {
    TunedInfo::Time time;
    Field function = reader.get(field, "function");
    if (auto found = variants.find(reader.readString(function));
        found != variants.end())
      time.variant = found->second;
    else
      reader.fail(function, "expected the function of a variant, got {}",
                  function.value.describe());
    time.nanoseconds =
        reader.readInteger(reader.get(field, "ns"), 0, INT64_MAX);
    return time;
  }

  FieldReader &reader;
  std::vector<TunedValue> wanted;
  std::map<std::string, uint32_t, std::less<>> variants;
};
} // namespace

void ManifestReader::readTunedList(const Field &field, KernelInfo &kernel) {
  checkCount(field, kMaxEntries, "tuned entries");
  if (hasFailed()) // variants may be missing
    return;
  TunedReader reader(*this, kernel);
  std::set<std::pair<std::string, std::vector<int64_t>>> seen;
  forEach(field, [&](const Field &element) {
    TunedInfo tuned = reader.read(element);
    if (!hasFailed() && !seen.emplace(tuned.device, tuned.values).second)
      fail(element,
           "expected one entry for a device and its values, got a second for "
           "{}",
           quote(tuned.device));
    kernel.tuned.push_back(std::move(tuned));
  });
}

} // namespace carousel::runtime
