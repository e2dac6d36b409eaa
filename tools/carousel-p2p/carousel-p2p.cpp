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
#include "../support/Process/OutOfMemory.h"
#include "P2POptions.h"
#include "P2PReport.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <limits>
#include <variant>

using namespace carousel;
using namespace carousel::p2p;
using namespace carousel::tools;

//===----------------------------------------------------------------------===//
// Reads the command line of carousel-p2p
//
// CLI11 throws, so this file is built with exceptions; none leaves it.
//===----------------------------------------------------------------------===//

using runtime::TransportKind;

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
        text, std::vector<TransportKind>(Options().transports),
        [](TransportKind kind) { return runtime::toString(kind); },
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
