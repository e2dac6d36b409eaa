//===- P2PReport.cpp - prints what was measured ---------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A table, JSON, or a plot. GB/s are 10^9 bytes a second; each byte counts
// once, those of both directions together.
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
  return row.microseconds > 0 ? static_cast<double>(row.bytes) *
                                    row.countCopies() / row.microseconds / 1e3
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

/// The rows of one operation of a pair by way, in their order.
static std::vector<std::vector<Row>> splitByWay(const Pair &pair,
                                                Operation operation) {
  std::vector<std::vector<Row>> lists;
  for (const Row &row : pair.rows) {
    if (row.operation != operation)
      continue;
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
    for (const std::string &note : pair.notes)
      text += note + "\n";
    for (Operation operation : kOperations) {
      auto lists = splitByWay(pair, operation);
      if (lists.empty())
        continue;
      text += fmt::format("{:>10}", p2p::toString(operation));
      for (const auto &list : lists)
        text += fmt::format("  {:>18}", describe(list.front().way));
      text += "\n";
      for (size_t i = 0; i < lists.front().size(); ++i) {
        text += fmt::format("{:>10}", formatBytes(lists.front()[i].bytes));
        for (const auto &list : lists)
          text += fmt::format("  {:8.2f} us {:5.0f} GB", list[i].microseconds,
                              getRate(list[i]));
        text += "\n";
      }
    }
  }
  return text;
}

/// Removes what JSON has to escape.
static std::string clean(const std::string &text) {
  std::string result;
  for (char c : text)
    result +=
        c == '"' || c == '\\' || static_cast<unsigned char>(c) < 32 ? ' ' : c;
  return result;
}

std::string p2p::formatJSON(const Report &report) {
  std::string text =
      fmt::format("{{\"device\": \"{}\", \"pairs\": [", clean(report.device));
  for (size_t i = 0; i < report.pairs.size(); ++i) {
    const Pair &pair = report.pairs[i];
    text +=
        fmt::format("{}{{\"source\": {}, \"target\": {}, \"topology\": "
                    "\"{}\", \"signal_us\": {:.3f}, \"rows\": [",
                    i ? ", " : "", pair.source, pair.target,
                    runtime::toString(pair.topology), pair.signalMicroseconds);
    for (size_t k = 0; k < pair.rows.size(); ++k) {
      const Row &row = pair.rows[k];
      text += fmt::format("{}{{\"operation\": \"{}\", \"transport\": \"{}\", "
                          "\"ctas\": {}, \"bytes\": {}, \"median_us\": {:.3f}, "
                          "\"gb_per_s\": {:.2f}}}",
                          k ? ", " : "", p2p::toString(row.operation),
                          runtime::toString(row.way.transport), row.way.ctas,
                          row.bytes, row.microseconds, getRate(row));
    }
    text += "], \"notes\": [";
    for (size_t k = 0; k < pair.notes.size(); ++k)
      text += fmt::format("{}\"{}\"", k ? ", " : "", clean(pair.notes[k]));
    text += "]}";
  }
  return text + "]}\n";
}

namespace {

/// One diagram: the rates of one operation of a pair.
class Panel {
public:
  static constexpr double kWidth = 640, kHeight = 360;

  Panel(const Pair &pair, Operation operation, double top)
      : pair(pair), operation(operation), lists(splitByWay(pair, operation)),
        top(top), bottom(top + kHeight - kTop - kBottom) {
    for (const auto &list : lists)
      for (const Row &row : list) {
        most = std::max(most, getRate(row));
        sizes.insert(row.bytes);
      }
  }
  bool isEmpty() const { return sizes.empty(); }

  std::string draw() const {
    std::string text = fmt::format(
        "<text x=\"{}\" y=\"{:.0f}\">GPU {} to GPU {} ({}), {}, GB/s</text>\n",
        kLeft, top - 16, pair.source, pair.target,
        runtime::toString(pair.topology), p2p::toString(operation));
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
    for (size_t i = 0; i < lists.size(); ++i)
      text += drawLine(lists[i], i);
    return text;
  }

  static constexpr double kLeft = 60, kTop = 40, kRight = 140, kBottom = 40;

private:
  std::string drawLine(const std::vector<Row> &list, size_t number) const {
    constexpr const char *kColours[] = {"#0072b2", "#d55e00", "#009e73",
                                        "#cc79a7", "#e69f00", "#56b4e9"};
    const char *colour = kColours[number % std::size(kColours)];
    std::string points;
    for (const Row &row : list)
      points +=
          fmt::format("{:.1f},{:.1f} ", getX(row.bytes), getY(getRate(row)));
    return fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" "
                       "stroke-width=\"2\"/><text x=\"{}\" y=\"{:.0f}\" "
                       "fill=\"{}\">{}</text>\n",
                       points, colour, kWidth - kRight + 10,
                       top + 16.0 * static_cast<double>(number + 1), colour,
                       describe(list.front().way));
  }
  double getX(uint64_t bytes) const {
    double first = std::log2(double(*sizes.begin()));
    double span = std::max(1.0, std::log2(double(*sizes.rbegin())) - first);
    return kLeft + (std::log2(double(bytes)) - first) / span *
                       (kWidth - kLeft - kRight);
  }
  double getY(double rate) const {
    return bottom - rate / most * (bottom - top);
  }

  const Pair &pair;
  Operation operation;
  std::vector<std::vector<Row>> lists; ///< by way
  std::set<uint64_t> sizes;
  double most = 1, top, bottom;
};

} // namespace
/// GB/s by bytes, a panel for each pair and operation; rounds have none.
static std::string formatSVG(const Report &report) {
  std::string panels;
  double height = 0;
  for (const Pair &pair : report.pairs)
    for (Operation operation : kOperations) {
      if (operation == Operation::Round) // it is about time
        continue;
      Panel panel(pair, operation, height + Panel::kTop);
      if (panel.isEmpty())
        continue;
      panels += panel.draw();
      height += Panel::kHeight;
    }
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" "
             "height=\"{}\" font-family=\"sans-serif\" font-size=\"12\">\n"
             "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
             Panel::kWidth, height) +
         panels + "</svg>\n";
}

Exit p2p::run(const Options &options) {
  runtime::Result<bool> isPrinted = [&]() -> runtime::Result<bool> {
    CAROUSEL_TRY_ASSIGN(Report report, measure(options));
    if (!options.measure.empty())
      CAROUSEL_TRY(
          tools::writeText(options.measure, makeTable(report).toJSON()));
    if (!options.plot.empty())
      CAROUSEL_TRY(tools::writeText(options.plot, formatSVG(report)));
    return tools::printResult(options.json ? formatJSON(report)
                                           : formatTable(report));
  }();
  if (!isPrinted)
    tools::printError(isPrinted.error().message);
  return isPrinted && *isPrinted ? Exit::Success : Exit::Failure;
}
