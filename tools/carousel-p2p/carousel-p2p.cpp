//===- carousel-p2p.cpp - times copies between GPUs -----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints how long copies between the GPUs of this machine take by each
// transport, and writes the table by which the runtime chooses one.
//
//===----------------------------------------------------------------------===//

#include "../support/Process/CommandLineParts.h"
#include "../support/Process/FileSizeLimit.h"
#include "../support/Process/Messages.h"
#include "../support/Process/NewFile.h"
#include "../support/Process/OutOfMemory.h"
#include "Measure.h"
#include "P2POptions.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <set>
#include <variant>

using namespace carousel;
using namespace carousel::p2p;
using namespace carousel::tools;

//===----------------------------------------------------------------------===//
// Prints what was measured
//
// A table, JSON, or a plot. GB/s are 10^9 bytes a second; each byte counts
// once, those of both directions together.
//===----------------------------------------------------------------------===//

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

static std::string formatTable(const Report &report) {
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

static std::string formatJSON(const Report &report) {
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

/// Measures, prints and writes files.
static Exit run(const Options &options) {
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

//===----------------------------------------------------------------------===//
// Reads the command line of carousel-p2p
//
// CLI11 throws, so this file is built with exceptions; none leaves it.
//===----------------------------------------------------------------------===//

static constexpr const char *kExamples = R"(
Examples:
  carousel-p2p
      times copies between all pairs of GPUs, by each transport
  carousel-p2p --devices 0,1 --transport tma --ctas 8,16 --sizes 1048576
      times copies of 1 MiB from GPU 0 to GPU 1 by the TMA kernel
  carousel-p2p --measure transports.json --plot transports.svg
      writes the table by which programs choose (CAROUSEL_TRANSPORT_TABLE)

Exit status: 0 success; 2 the command line is invalid; 3 the driver, the device or
the file system failed.)";

/// "" where the text is a list of integers.
template <typename T>
static std::string readList(const std::string &text, T least, T most,
                            std::vector<T> &list) {
  list.clear();
  for (size_t at = 0; at <= text.size();) {
    size_t end = std::min(text.find(',', at), text.size());
    T value = 0;
    auto [stop, error] =
        std::from_chars(text.data() + at, text.data() + end, value);
    if (error != std::errc() || stop != text.data() + end || value < least ||
        value > most)
      return fmt::format("expected integers of {} to {}, separated by commas, "
                         "got '{}'",
                         least, most, text);
    if (std::find(list.begin(), list.end(), value) == list.end())
      list.push_back(value);
    at = end + 1;
  }
  return "";
}

/// "" where the text is a list of names of `known`, as `spell` gives them.
template <typename T, typename Known, typename Spell>
static std::string readNames(const std::string &text, const Known &known,
                             Spell spell, std::vector<T> &list) {
  list.clear();
  for (size_t at = 0; at <= text.size();) {
    size_t end = std::min(text.find(',', at), text.size());
    std::string name = text.substr(at, end - at);
    std::string expected;
    bool isFound = false;
    for (T value : known) {
      isFound |= name == spell(value);
      if (name == spell(value) &&
          std::find(list.begin(), list.end(), value) == list.end())
        list.push_back(value);
      expected += (expected.empty() ? "" : ", ") + std::string(spell(value));
    }
    if (!isFound)
      return fmt::format("expected some of {}, got '{}'", expected, name);
    at = end + 1;
  }
  return "";
}

/// The options, or how the program ends. Prints help and errors.
static std::variant<Options, Exit> parseCommandLine(int argc, char **argv) {
  CLI::App app("Times copies between the GPUs of this machine.");
  app.formatter(std::make_shared<HelpFormatter>());
  app.footer(kExamples);
  app.set_version_flag("--version", "carousel-p2p " CAROUSEL_VERSION);
  Options options;
  std::string devices, transports, operations, ctas, sizes, seconds;
  app.add_option("--devices", devices,
                 "GPUs; one copies to itself; all of them unless given")
      ->type_name("A,B...");
  app.add_option("--transport", transports,
                 "copy-engine, tma, nccl; all of them, where nccl has a GPU\n"
                 "for each rank")
      ->type_name("NAME,...");
  app.add_option("--operations", operations,
                 "put, get, both (puts in both directions at once), round\n"
                 "(put, signal and wait, half of there and back); all")
      ->type_name("NAME,...");
  app.add_option("--ctas", ctas, "thread blocks of tma; 4,8,16,32")
      ->type_name("N,...");
  app.add_option("--sizes", sizes, "bytes of a copy; 4 KiB to 1 GiB")
      ->type_name("N,...");
  app.add_option("--seconds", options.seconds,
                 "the time for each row; 0.1 unless given")
      ->type_name("S");
  app.add_option("--package", options.transportPackage,
                 "the package of the TMA kernels")
      ->type_name("DIR");
  app.add_option("--driver", options.driver, "the file of libcuda")
      ->type_name("FILE");
  app.add_option("--nccl", options.nccl, "the file of NCCL")->type_name("FILE");
  app.add_flag("--processes", options.processes,
               "a process for each GPU of a pair, not one for both")
      ->type_name("");
  app.add_option("--measure", options.measure,
                 "write the table of the fastest transports, as JSON")
      ->type_name("FILE");
  app.add_option("--plot", options.plot, "write a plot of the rates, as SVG")
      ->type_name("FILE");
  app.add_flag("--json", options.json, "print one JSON document");
  app.add_flag("--quiet", options.quiet, "show no progress");
  if (auto early = parseOptions(app, argc, argv, ""))
    return *early == EarlyExit::Shown      ? Exit::Success
           : *early == EarlyExit::NotShown ? Exit::Failure
                                           : Exit::Usage;
  std::string problem;
  auto read = [&](const char *name, const std::string &text, auto reader) {
    if (!problem.empty() || app.count(name) == 0)
      return;
    problem = reader(text);
    if (!problem.empty())
      problem = std::string(name) + ": " + problem;
  };
  read("--devices", devices, [&](const std::string &text) {
    return readList(text, 0, std::numeric_limits<int>::max(), options.devices);
  });
  read("--transport", transports, [&](const std::string &text) {
    return readNames(
        text, runtime::listTransports(),
        [](const runtime::TransportTraits &traits) { return traits.name; },
        options.transports);
  });
  read("--operations", operations, [&](const std::string &text) {
    return readNames(
        text, kOperations,
        [](Operation operation) { return p2p::toString(operation); },
        options.operations);
  });
  read("--ctas", ctas, [&](const std::string &text) {
    return readList(text, 1, 65535, options.ctas);
  });
  read("--sizes", sizes, [&](const std::string &text) {
    return readList<uint64_t>(text, 1, uint64_t(1) << 40, options.sizes);
  });
  if (problem.empty() && !(options.seconds > 0 && options.seconds <= 60))
    problem = fmt::format("--seconds: expected more than 0 and at most 60, got "
                          "{}",
                          options.seconds);
  if (!problem.empty()) {
    printError(problem);
    return Exit::Usage;
  }
  if (options.sizes.empty())
    for (uint64_t bytes = 4096; bytes <= uint64_t(1) << 30; bytes *= 4)
      options.sizes.push_back(bytes);
  return options;
}

//===----------------------------------------------------------------------===//
// Times copies between GPUs
//===----------------------------------------------------------------------===//

int main(int argc, char **argv) {
  blockFileSizeSignal();
  installOutOfMemoryHandler();
  auto parsed = parseCommandLine(argc, argv);
  if (auto *end = std::get_if<Exit>(&parsed))
    return static_cast<int>(*end);
  return static_cast<int>(run(std::get<Options>(parsed)));
}
