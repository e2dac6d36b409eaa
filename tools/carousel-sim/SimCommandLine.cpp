//===- SimCommandLine.cpp - reads the command line of carousel-sim --------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The options and the help text. CLI11 throws, so this file is built with
// exceptions; none leaves it.
//
//===----------------------------------------------------------------------===//

#include "SimCommandLine.h"

#include "../support/Process/CommandLineParts.h"
#include "../support/Process/Messages.h"

#include "carousel/Simulator/Simulator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>

using namespace carousel;
using namespace carousel::simtool;

static constexpr const char *kDescription =
    "Runs a kernel of an MLIR file on the simulated machine, without a GPU.\n"
    "The kernel is at the block, the tile or the machine phase; it runs under\n"
    "one schedule or many. Reports races, missing fences, deadlocks and other\n"
    "findings, and compares the outputs. A program runs several kernels.";

static constexpr const char *kExamples = R"(
Without --expect-finding, a run passes if all its findings are allowed and all
comparisons hold. docs/Findings.md explains each finding.

Examples:
  carousel-sim copy.mlir --list
      lists the kernels and their arguments
  carousel-sim copy.mlir --kernel @copy_1d --arg x=random:4096 --arg y=like:x \
      --arg tickets=zeros:2 --expect y=random:4096
      runs a copy and compares its output exactly
  carousel-sim copy.mlir ... --schedules 100 --policy all
      runs 100 seeds of each policy, on all cores, up to the first that fails
  carousel-sim copy.mlir ... --policy late-landing --seed 17
      runs the schedule that a failure named
  carousel-sim scale.mlir --arg x=random:999 --arg y=like:x --arg a=2.5 \
      --reference @scale_reference --rtol 1e-6
      compares with a func.func of the file, run on the same inputs
  carousel-sim scale.mlir --arg x=iota:9 ... --again --arg x=iota:1000 ...
      runs a kernel twice, and compiles it once
  carousel-sim graph.mlir --program @main --arg x=random:64x512 --arg y=like:x
      runs all launches of a program
  carousel-sim put.mlir --gpus 2 --peer remote=inbox --arg x=random:99:{rank} \
      --arg inbox=like:x --expect inbox=random:99:{rank-1}
      runs a kernel on two GPUs, each of which puts to the other one's inbox
  carousel-sim broken.mlir ... --schedules 100 --expect-finding engine-race
      passes if each of 100 schedules has that finding and no other
  carousel-sim broken.mlir ... --within 50 --expect-finding unwritten-read
      passes if one of 50 schedules has it

Exit status: 0 success; 1 findings, or an output differs from what is expected;
2 the command line, the module, or a value or file is invalid.)";

static constexpr uint64_t kMost32 = std::numeric_limits<uint32_t>::max();
static constexpr uint64_t kMost64 = std::numeric_limits<uint64_t>::max();

static CLI::Option *addInteger(CLI::App &app, const std::string &name,
                               const char *help, uint64_t least, uint64_t most,
                               std::function<void(uint64_t)> set,
                               const char *valueName = "N") {
  return app.add_option_function<uint64_t>(name, std::move(set), help)
      ->type_name(valueName)
      ->check([=](const std::string &text) {
        return tools::checkInteger(text, least, most);
      });
}

static std::optional<Dims> parseDims(std::string_view text) {
  Dims dims = {1, 1, 1};
  const char *at = text.data(), *last = at + text.size();
  for (size_t d = 0; d < dims.size(); ++d) {
    auto [end, error] = std::from_chars(at, last, dims[d]);
    if (error != std::errc() || dims[d] == 0)
      return std::nullopt;
    if (end == last)
      return dims;
    if (*end != ',')
      return std::nullopt;
    at = end + 1;
  }
  return std::nullopt;
}

static void addDims(CLI::App &app, const std::string &name, const char *help,
                    std::optional<Dims> &target) {
  app.add_option_function<std::string>(
         name, [&target](const std::string &text) { target = parseDims(text); },
         help)
      ->type_name("X[,Y[,Z]]")
      ->check([](const std::string &text) -> std::string {
        if (parseDims(text))
          return {};
        return "expected one to three integers from 1, as 4 or 4,2,1, got '" +
               text + "'";
      });
}

static void addKinds(CLI::App &app, const std::string &name, const char *help,
                     KindSet &target) {
  app.add_option_function<std::vector<std::string>>(
         name,
         [&target](const std::vector<std::string> &names) {
           for (const std::string &text : names)
             target.set(unsigned(*sim::parseFindingKind(text)));
         },
         help)
      ->type_name("ID")
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->check([](const std::string &text) -> std::string {
        if (sim::parseFindingKind(text))
          return {};
        return "expected a finding that --findings lists, got '" + text + "'";
      });
}

static void addSchedule(CLI::App &app, Options &options) {
  app.option_defaults()->group("The schedule");
  static const llvm::ArrayRef<llvm::StringRef> policies = sim::getPolicyNames();
  app.add_option_function<std::string>(
         "--policy",
         [&](const std::string &name) {
           if (name == "all")
             options.policies.assign(policies.begin(), policies.end());
           else
             options.policies = {name};
         },
         "random, late-landing, early-landing, eager-reuse,\n"
         "starved-warp, reverse-ctas, one-cta or all (random)")
      ->type_name("NAME")
      ->check([](const std::string &text) -> std::string {
        if (text == "all" || llvm::is_contained(policies, text))
          return {};
        return "expected one of " + llvm::join(policies, ", ") +
               " or all, got '" + text + "'";
      });
  addInteger(
      app, "--seed", "the seed, or the first of several (0)", 0, kMost64,
      [&](uint64_t n) { options.seed = n; }, "S");
  addInteger(app, "--schedules", "run N seeds of each policy given (1)", 1,
             uint64_t(1) << 32, [&](uint64_t n) { options.schedules = n; });
  addInteger(app, "--within",
             "as --schedules, but stop at a schedule with all\nfindings of "
             "--expect-finding",
             1, uint64_t(1) << 32, [&](uint64_t n) {
               options.schedules = n;
               options.findings.searches = true;
             });
  addInteger(app, "--jobs", "run N schedules in parallel (the number of cores)",
             1, 1024, [&](uint64_t n) { options.jobs = unsigned(n); });
  app.add_option("--record", options.record,
                 "write the schedule's decisions to a file")
      ->type_name("FILE");
  app.add_option("--replay", options.replay, "replay the decisions of --record")
      ->type_name("FILE");
}

static void addMachine(CLI::App &app, Options &options) {
  app.option_defaults()->group("The machine");
  addDims(app, "--grid", "grid in CTAs, instead of carousel.launch's",
          options.grid);
  addDims(app, "--block", "block in threads, instead of carousel.launch's",
          options.block);
  addDims(app, "--cluster", "cluster in CTAs, instead of carousel.launch's",
          options.cluster);
  addInteger(app, "--shared",
             "bytes of shared memory, instead of carousel.launch's", 0, kMost32,
             [&](uint64_t n) { options.sharedBytes = n; });
  addInteger(app, "--multiprocessors", "number of multiprocessors (132)", 1,
             65536, [&](uint64_t n) { options.multiprocessors = uint32_t(n); });
  addInteger(app, "--resident",
             "CTAs resident on a multiprocessor at once (as\n"
             "many as threads and shared memory allow)",
             1, 65536, [&](uint64_t n) { options.resident = uint32_t(n); });
  app.add_option("--chip", options.chip, "chip whose limits apply (sm_90a)")
      ->type_name("CHIP");
  addInteger(app, "--gpus",
             "run the kernel on N GPUs at once (1). Arguments are\n"
             "then x@0, x@1...; x=VALUE is for all, and {rank},\n"
             "{rank+1} and {gpus} in a value are numbers",
             1, 64, [&](uint64_t n) { options.gpus = uint32_t(n); });
  app.add_option("--peer", options.peers,
                 "an argument that is OTHER of the next GPU, or of\n"
                 "another one, as in left=inbox-1; repeatable")
      ->type_name("NAME=OTHER")
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option("--multicast", options.multicasts,
                 "an argument that is the multicast address of OTHER\n"
                 "of all GPUs; repeatable")
      ->type_name("NAME=OTHER")
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  addInteger(
      app, "--stop-gpu", "stop a GPU in the middle of the run", 0, 63,
      [&](uint64_t n) { options.stopGPU = uint32_t(n); }, "GPU");
  addInteger(app, "--stop-within",
             "stop it at a step from 1 to N, by the seed (1000)", 1, kMost32,
             [&](uint64_t n) { options.stopWithin = uint32_t(n); });
  app.add_flag("--load-parameters", options.loadsParameters,
               "of a program: do once what follows from parameters and\n"
               "constants alone, and then launch twice without it");
  app.add_flag("--strict", options.strict,
               "take the stricter reading where the memory model\n"
               "leaves a choice");
  addInteger(app, "--step-limit", "end a run after N steps (2^32)", 1, kMost64,
             [&](uint64_t n) { options.stepLimit = n; });
  addInteger(app, "--finding-limit", "end a run after N findings (64)", 1,
             65536, [&](uint64_t n) { options.findingLimit = unsigned(n); });
}

/// Refuses options that have no meaning in this combination.
static std::string findConflict(const CLI::App &app, const Options &options) {
  auto given = [&app](const char *name) { return app.count(name) > 0; };
  for (const char *name : {"--rtol", "--atol"})
    if (given(name) && !given("--expect") && !given("--reference"))
      return fmt::format("expected {} with --expect or --reference", name);
  for (const char *name : {"--starts-in-order", "--coresident"})
    if (given(name) && !given("--parameters"))
      return fmt::format("expected {} with --parameters", name);
  if (given("--dependent") && !given("--then"))
    return "expected --dependent with --then";
  for (const char *name :
       {"--kernel", "--then", "--grid", "--block", "--cluster", "--shared"})
    if (given(name) && given("--program"))
      return fmt::format("expected {} without --program", name);
  for (const char *name : {"--peer", "--multicast", "--stop-gpu"})
    if (given(name) && options.gpus == 1)
      return fmt::format("expected {} with --gpus of 2 or more", name);
  if (given("--gpus") && given("--program"))
    return "expected --gpus without --program";
  if (given("--stop-within") && !given("--stop-gpu"))
    return "expected --stop-within with --stop-gpu";
  if (options.stopGPU && *options.stopGPU >= options.gpus)
    return fmt::format("expected --stop-gpu below {}, the number of GPUs, got "
                       "{}",
                       options.gpus, *options.stopGPU);
  if (given("--within") && given("--schedules"))
    return "expected --within or --schedules, got both";
  if (given("--within") && !given("--expect-finding"))
    return "expected --within with --expect-finding";
  if (KindSet both = options.findings.expected & options.findings.allowed;
      both.any())
    return fmt::format("expected --expect-finding or --allow-finding for {}, "
                       "got both",
                       listKinds(both));
  for (const char *name : {"--policy", "--seed", "--schedules", "--within"})
    if (given(name) && given("--replay"))
      return fmt::format("expected {} without --replay", name);
  bool several = options.schedules > 1 || options.policies.size() > 1;
  for (const char *name : {"--out", "--record", "--trace"})
    if (given(name) && several)
      return fmt::format("expected {} with one schedule", name);
  return {};
}

static constexpr const char *kAgain = "--again";

static std::variant<Options, Exit> parseRun(int argc, char **argv) {
  Options options;
  CLI::App app(kDescription, "carousel-sim");
  app.formatter(std::make_shared<tools::HelpFormatter>());
  app.get_help_ptr()->description("print this help");
  app.footer(std::string(tools::kTensorValuesHelp) +
             tools::kExpectedValuesHelp + kExamples);
  app.set_version_flag("--version", "carousel-sim " CAROUSEL_VERSION,
                       "print the version");
  CLI::Option *input =
      app.add_option("FILE", options.input,
                     "the MLIR file (-: stdin), a package, or a file of PTX\n"
                     "(.ptx)")
          ->type_name("");

  app.option_defaults()->group("Running a kernel");
  app.add_option("--kernel", options.kernel,
                 "the gpu.func, as @name or @module::@name; optional if\n"
                 "the file has one kernel only")
      ->type_name("@NAME");
  app.add_option("--then", options.then,
                 "a kernel to run next; repeatable. Kernels share\n"
                 "arguments of the same name")
      ->type_name("@NAME")
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option("--program", options.program,
                 "a func.func with carousel.program to run, instead of\n"
                 "a kernel; it launches kernels")
      ->type_name("@NAME");
  app.add_option("--ptx", options.code,
                 "PTX with the code of the kernels that FILE describes;\n"
                 "repeatable")
      ->type_name("FILE.ptx")
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option("--parameters", options.parameters,
                 "parameters of the kernel of a file of PTX, as\n"
                 "x: memref<99xf32>, n: i32; {x: memref<99xf32>, n: i32}\n"
                 "is a struct, and TYPE of x: TYPE a tensor map of x")
      ->type_name("NAME:TYPE,...");
  app.add_flag("--starts-in-order", options.startsInOrder,
               "CTAs of a kernel of --parameters start in the order of\n"
               "their ids, as carousel.starts_in_order says");
  app.add_flag("--coresident", options.isCoresident,
               "all CTAs of a kernel of --parameters are on the device\n"
               "at once, as carousel.coresident says");
  app.add_flag("--dependent", options.dependent,
               "launch the kernels of --then as programmatic\n"
               "dependent launches");
  tools::addTensorOptions(app, options.arguments, options.outputs,
                          options.expectations, options.tolerance);
  bool again = false; // the words after it are those of another run
  app.add_flag(kAgain, again,
               "run again, with the options that follow and none of\n"
               "those before; repeatable");
  app.add_option("--reference", options.reference,
                 "compare all outputs with those of this func.func")
      ->type_name("@NAME");
  addKinds(app, "--expect-finding", "a finding that must occur; repeatable",
           options.findings.expected);
  addKinds(app, "--allow-finding", "a finding that may occur; repeatable",
           options.findings.allowed);
  addSchedule(app, options);
  addMachine(app, options);

  app.option_defaults()->group("Other options");
  app.add_flag("--list", options.listKernels,
               "list the kernels and their arguments");
  app.add_flag("--findings", options.listFindings, "list all findings");
  app.add_option("--trace", options.trace,
                 "write a timeline for Perfetto or chrome://tracing")
      ->type_name("FILE");
  addInteger(app, "--trace-ctas", "CTAs of each launch in the timeline (8)", 1,
             kMost32, [&](uint64_t n) { options.tracedCTAs = n; });
  app.add_flag("--bank-conflicts", options.bankConflicts,
               "print how many wavefronts accesses of shared memory\n"
               "need, and how many of them bank conflicts cost");
  addInteger(app, "--bank-conflict-limit",
             "fail if bank conflicts cost more than N wavefronts", 0, kMost64,
             [&](uint64_t n) {
               options.bankConflicts = true;
               options.bankConflictLimit = n;
             });
  app.add_flag("--json", options.json, "print JSON");
  app.add_flag("--quiet", options.quiet, "print failures only, no progress");

  constexpr const char *kRequired =
      "expected an MLIR file, a package or PTX, or - for stdin; --help has "
      "examples";
  if (auto end = tools::parseOptions(app, argc, argv, kRequired))
    return *end == tools::EarlyExit::Shown ? Exit::Success : Exit::Usage;
  std::string error = findConflict(app, options);
  if (input->count() == 0 && !options.listFindings)
    error = kRequired;
  if (error.empty())
    return options;
  tools::printError(error);
  return Exit::Usage;
}

std::variant<std::vector<Options>, Exit>
simtool::parseCommandLine(int argc, char **argv) {
  std::vector<Options> runs;
  std::vector<char *> words;
  std::string input;
  for (int at = 0; at <= argc; ++at) {
    if (at < argc && std::string_view(argv[at]) != kAgain) {
      words.push_back(argv[at]);
      continue;
    }
    auto parsed = parseRun(static_cast<int>(words.size()), words.data());
    if (auto *end = std::get_if<Exit>(&parsed))
      return *end;
    runs.push_back(std::get<Options>(std::move(parsed)));
    input = runs.front().input;
    words = {argv[0], input.data()};
  }
  return runs;
}
