//===- P2PReport.cpp - prints what was measured ---------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A table, JSON, or a plot. GB/s are 10^9 bytes a second; each byte counts
// once.
//
//===----------------------------------------------------------------------===//

#include "P2PReport.h"

#include "../support/Process/Messages.h"
#include "../support/Process/NewFile.h"
#include "Measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

using namespace carousel;
using namespace carousel::p2p;

static double getRate(const Row &row) {
  return row.microseconds > 0
             ? static_cast<double>(row.bytes) / row.microseconds / 1e3
             : 0;
}

/// "4 KiB", "1 GiB"; other numbers as they are.
static std::string formatBytes(uint64_t bytes) {
  constexpr const char *kUnits[] = {"GiB", "MiB", "KiB"};
  for (int i = 0; i < 3; ++i) {
    uint64_t unit = uint64_t(1) << (30 - 10 * i);
    if (bytes >= unit && bytes % unit == 0)
      return fmt::format("{} {}", bytes / unit, kUnits[i]);
  }
  return fmt::format("{}", bytes);
}

/// The rows of a pair by way, in their order.
static std::vector<std::vector<Row>> splitByWay(const Pair &pair) {
  std::vector<std::vector<Row>> lists;
  for (const Row &row : pair.rows) {
    bool isSame = !lists.empty() &&
                  describe(lists.back().front().way) == describe(row.way);
    if (!isSame)
      lists.emplace_back();
    lists.back().push_back(row);
  }
  return lists;
}

std::string p2p::formatTable(const Report &report) {
  std::string text = report.device + "\n";
  for (const Pair &pair : report.pairs) {
    text += fmt::format(
        "\nGPU {} to GPU {} ({}), signal {:.2f} us\n", pair.source, pair.target,
        runtime::toString(pair.topology), pair.signalMicroseconds);
    auto lists = splitByWay(pair);
    text += fmt::format("{:>10}", "bytes");
    for (const auto &list : lists)
      text += fmt::format("  {:>18}", describe(list.front().way));
    text += "\n";
    for (size_t i = 0; !lists.empty() && i < lists.front().size(); ++i) {
      text += fmt::format("{:>10}", formatBytes(lists.front()[i].bytes));
      for (const auto &list : lists)
        text += fmt::format("  {:8.2f} us {:5.0f} GB", list[i].microseconds,
                            getRate(list[i]));
      text += "\n";
    }
  }
  return text;
}

std::string p2p::formatJSON(const Report &report) {
  std::string name;
  for (char c : report.device)
    name +=
        c == '"' || c == '\\' || static_cast<unsigned char>(c) < 32 ? ' ' : c;
  std::string text = fmt::format("{{\"device\": \"{}\", \"pairs\": [", name);
  for (size_t i = 0; i < report.pairs.size(); ++i) {
    const Pair &pair = report.pairs[i];
    text +=
        fmt::format("{}{{\"source\": {}, \"target\": {}, \"topology\": "
                    "\"{}\", \"signal_us\": {:.3f}, \"rows\": [",
                    i ? ", " : "", pair.source, pair.target,
                    runtime::toString(pair.topology), pair.signalMicroseconds);
    for (size_t k = 0; k < pair.rows.size(); ++k) {
      const Row &row = pair.rows[k];
      text +=
          fmt::format("{}{{\"transport\": \"{}\", \"ctas\": {}, \"bytes\": "
                      "{}, \"median_us\": {:.3f}, \"gb_per_s\": {:.2f}}}",
                      k ? ", " : "", runtime::toString(row.way.transport),
                      row.way.ctas, row.bytes, row.microseconds, getRate(row));
    }
    text += "]}";
  }
  return text + "]}\n";
}

std::string p2p::formatSVG(const Report &report) {
  constexpr double kWidth = 640, kHeight = 360, kLeft = 60, kTop = 40,
                   kRight = 140, kBottom = 40;
  constexpr const char *kColours[] = {"#0072b2", "#d55e00", "#009e73",
                                      "#cc79a7", "#e69f00", "#56b4e9"};
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
      kWidth, kHeight * static_cast<double>(report.pairs.size()));
  for (size_t i = 0; i < report.pairs.size(); ++i) {
    const Pair &pair = report.pairs[i];
    double most = 1;
    std::set<uint64_t> sizes;
    for (const Row &row : pair.rows) {
      most = std::max(most, getRate(row));
      sizes.insert(row.bytes);
    }
    if (sizes.empty())
      continue;
    double first = std::log2(double(*sizes.begin()));
    double span = std::max(1.0, std::log2(double(*sizes.rbegin())) - first);
    double top = kTop + kHeight * static_cast<double>(i);
    double bottom = top + kHeight - kTop - kBottom;
    auto getX = [&](uint64_t bytes) {
      return kLeft + (std::log2(double(bytes)) - first) / span *
                         (kWidth - kLeft - kRight);
    };
    auto getY = [&](double rate) {
      return bottom - rate / most * (bottom - top);
    };
    text += fmt::format("<text x=\"{}\" y=\"{:.0f}\">GPU {} to GPU {} ({}), "
                        "GB/s</text>\n",
                        kLeft, top - 16, pair.source, pair.target,
                        runtime::toString(pair.topology));
    for (uint64_t bytes : sizes)
      text += fmt::format("<text x=\"{:.1f}\" y=\"{:.0f}\" font-size=\"9\" "
                          "text-anchor=\"middle\">{}</text>\n",
                          getX(bytes), bottom + 16, formatBytes(bytes));
    for (int tick = 0; tick <= 4; ++tick)
      text += fmt::format(
          "<line x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\" "
          "stroke=\"#ddd\"/><text x=\"{3}\" y=\"{2:.1f}\" "
          "text-anchor=\"end\">{4:.0f}</text>\n",
          kLeft, kWidth - kRight, getY(most * tick / 4), kLeft - 6,
          most * tick / 4);
    size_t number = 0;
    for (const auto &list : splitByWay(pair)) {
      const char *colour = kColours[number % std::size(kColours)];
      std::string points;
      for (const Row &row : list)
        points +=
            fmt::format("{:.1f},{:.1f} ", getX(row.bytes), getY(getRate(row)));
      text += fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" "
                          "stroke-width=\"2\"/><text x=\"{}\" y=\"{:.0f}\" "
                          "fill=\"{}\">{}</text>\n",
                          points, colour, kWidth - kRight + 10,
                          top + 16.0 * ++number, colour,
                          describe(list.front().way));
    }
  }
  return text + "</svg>\n";
}

/// Nothing where no file is named.
static runtime::Status writeFile(const std::string &path,
                                 const std::string &text) {
  if (path.empty())
    return {};
  tools::NewFile file(path);
  runtime::Status status = file.create();
  if (status)
    status = file.write(text.data(), text.size());
  return status ? file.finish() : status;
}

Exit p2p::run(const Options &options) {
  auto end = [](const std::string &message) {
    tools::printError(message);
    return Exit::Failure;
  };
  runtime::Result<Report> report = measure(options);
  if (!report)
    return end(report.error().message);
  if (runtime::Status status =
          writeFile(options.measure, makeTable(*report).toJSON());
      !status)
    return end(status.error().message);
  if (runtime::Status status = writeFile(options.plot, formatSVG(*report));
      !status)
    return end(status.error().message);
  bool isPrinted = tools::printResult(options.json ? formatJSON(*report)
                                                   : formatTable(*report));
  return isPrinted ? Exit::Success : Exit::Failure;
}
