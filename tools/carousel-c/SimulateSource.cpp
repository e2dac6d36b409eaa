//===- SimulateSource.cpp - simulations of the C interface ----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the kernel, or after passes the first of its variants that takes the
// arguments, and runs one schedule after the other on the arrays.
//
//===----------------------------------------------------------------------===//

#include "Result.h"
#include "SourceModule.h"

#include "carousel/Dialect/IR/KernelSignature.h"
#include "carousel/PTX/Parser.h"
#include "carousel/Simulator/PTXDescription.h"
#include "carousel/Simulator/Simulator.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <unistd.h>

using namespace mlir;
using namespace carousel;
using namespace carousel::capi;

//===----------------------------------------------------------------------===//
// A caller's arrays as arguments
//
// Each run starts from the arrays' contents, so it gets a copy of them. Arrays
// that share memory share it in the copy, too. A copy keeps the distance of its
// arrays to an aligned address, since guards ask for it.
//===----------------------------------------------------------------------===//

namespace {

class HostArrays {
public:
  /// Checks names, kinds, elements and sizes against the kernel's arguments,
  /// of which `accesses` says what it does. The simulated machine checks the
  /// rest.
  carousel_compiler_status bind(ArrayRef<sim::ArgumentInfo> infos,
                                ArrayRef<ArgumentAccess> accesses,
                                StringRef kernel,
                                ArrayRef<carousel_host_argument> given);

  /// Allocates the workspaces, whose extents the kernel gives.
  carousel_compiler_status addWorkspaces(const sim::CompiledKernel &kernel,
                                         const sim::RunOptions &options);

  /// The arguments of a run, in memory with the arrays' contents.
  ArrayRef<sim::Argument> reset();
  /// The same without contents, to ask about guards.
  ArrayRef<sim::Argument> getArguments() const { return arguments; }
  /// Copies what the run left to the arrays.
  void writeBack();

private:
  /// Memory of zeros, whose start is as far from an aligned address as another
  /// one.
  class Memory {
  public:
    /// False if there is too little.
    bool allocate(uint64_t bytes, const char *like);
    char *getData() const { return data; }
    void clear();

  private:
    struct Free {
      void operator()(void *memory) const { std::free(memory); }
    };
    std::unique_ptr<void, Free> memory;
    char *data = nullptr;
    uint64_t bytes = 0;
  };
  /// Memory of the caller, and the copy of it.
  struct Region {
    char *data;
    uint64_t bytes;
    bool isWritten; ///< an argument in it isn't only read
    Memory copy;
  };
  carousel_compiler_status mergeRegions();
  /// An array of an argument, within a region.
  struct Array {
    size_t argument;
    char *data;
    uint64_t bytes;
    bool isWritten;
  };

  std::vector<Region> regions;
  std::vector<Array> arrays;
  std::vector<Memory> workspaces;
  bool isFirstRun = true; ///< workspaces are zeros
  std::vector<sim::Argument> arguments;
};

} // namespace

static carousel_compiler_status wrong(const Twine &message) {
  return fail(CAROUSEL_COMPILER_INVALID_ARGUMENT, message);
}

/// Copies start at multiples of this, as memory of a GPU does.
static constexpr uint64_t kAlignment = 1024;

static std::string toText(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// Bytes of an element; an i1 has one.
static uint64_t getElementBytes(Type type) {
  if (isa<IndexType>(type))
    return 8;
  return type.isIntOrFloat()
             ? std::max<uint64_t>(type.getIntOrFloatBitWidth() / 8, 1)
             : 0;
}

/// Bytes from the first to the last element, or nothing where the sizes are
/// wrong.
static std::optional<uint64_t> findSpan(const carousel_host_argument &array,
                                        uint64_t elementBytes,
                                        ArrayRef<int64_t> strides) {
  // Addresses have 47 bits.
  constexpr int64_t kMost = int64_t(1) << 47;
  int64_t last = 0;
  for (uint32_t dim = 0; dim < array.rank; ++dim) {
    int64_t extent = array.extents[dim], distance;
    if (extent < 0 || strides[dim] < 0)
      return std::nullopt;
    if (extent == 0)
      return 0;
    if (llvm::MulOverflow(extent - 1, strides[dim], distance) ||
        llvm::AddOverflow(last, distance, last) || last > kMost)
      return std::nullopt;
  }
  return (uint64_t(last) + 1) * elementBytes;
}

static SmallVector<int64_t> getStrides(const carousel_host_argument &array) {
  SmallVector<int64_t> strides(array.rank, 1);
  if (array.strides)
    llvm::copy(ArrayRef(array.strides, array.rank), strides.begin());
  else
    for (uint32_t dim = array.rank; dim-- > 1;)
      if (llvm::MulOverflow(strides[dim], array.extents[dim], strides[dim - 1]))
        strides[dim - 1] = -1; // findSpan refuses it
  return strides;
}

static std::string listNames(ArrayRef<sim::ArgumentInfo> infos) {
  std::string list;
  for (const sim::ArgumentInfo &info : infos)
    if (!info.isWorkspace)
      list += (list.empty() ? "" : ", ") + info.name;
  return list.empty() ? "none" : list;
}

/// The bits of a number in the argument's type.
static carousel_compiler_status
convertNumber(const carousel_host_argument &given, Type type, StringRef name,
              uint64_t &bits) {
  bool isDouble = given.kind == CAROUSEL_HOST_DOUBLE ||
                  given.kind == CAROUSEL_HOST_EXACT_DOUBLE;
  bool isSigned = given.kind != CAROUSEL_HOST_UNSIGNED &&
                  given.kind != CAROUSEL_HOST_EXACT_UNSIGNED;
  bool isExact = given.kind == CAROUSEL_HOST_EXACT_INTEGER ||
                 given.kind == CAROUSEL_HOST_EXACT_DOUBLE ||
                 given.kind == CAROUSEL_HOST_EXACT_UNSIGNED;
  llvm::APSInt integer(llvm::APInt(64, given.value), !isSigned);
  if (auto floating = dyn_cast<FloatType>(type)) {
    const llvm::fltSemantics &semantics = floating.getFloatSemantics();
    llvm::APFloat value(llvm::bit_cast<double>(given.value));
    llvm::APFloat::opStatus status = llvm::APFloat::opOK;
    bool loses = false;
    if (isDouble) {
      status =
          value.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &loses);
    } else {
      value = llvm::APFloat(semantics);
      status = value.convertFromAPInt(integer, isSigned,
                                      llvm::APFloat::rmNearestTiesToEven);
      loses = status != llvm::APFloat::opOK;
    }
    auto refuse = [&](StringRef rule) {
      std::string found;
      llvm::raw_string_ostream out(found);
      if (isDouble)
        out << llvm::format("%.9g", llvm::bit_cast<double>(given.value));
      else
        out << integer;
      return wrong(name + ": expected a number that " + toText(type) + rule +
                   ", got " + found);
    };
    if (status & llvm::APFloat::opOverflow)
      return refuse(" can hold");
    if (isExact && loses && !value.isNaN())
      return refuse(" holds exactly");
    bits = value.bitcastToAPInt().getZExtValue();
    return CAROUSEL_COMPILER_OK;
  }
  if (isDouble)
    return wrong(name + ": expected an integer for " + toText(type) +
                 ", got a double");
  unsigned width = isa<IndexType>(type) ? 64 : type.getIntOrFloatBitWidth();
  if (integer.isNegative() ? !llvm::isIntN(width, integer.getSExtValue())
                           : !llvm::isUIntN(width, given.value))
    return wrong(name + ": expected a number that " + toText(type) +
                 " can hold, got " + llvm::toString(integer, 10));
  bits = given.value;
  return CAROUSEL_COMPILER_OK;
}

/// Checks what the kernel says about the argument.
static carousel_compiler_status checkKind(const carousel_host_argument &given,
                                          const sim::ArgumentInfo &info,
                                          bool isWritten) {
  auto memref = dyn_cast<MemRefType>(info.type);
  StringRef name = info.name;
  if (info.isMulticast)
    return wrong(name + ": expected an argument in the memory of one GPU, got "
                        "a multicast address");
  if (given.kind < CAROUSEL_HOST_ARRAY ||
      given.kind > CAROUSEL_HOST_EXACT_UNSIGNED)
    return wrong(name + ": kind: expected 0 to 7, got " + Twine(given.kind));
  if (given.contents < CAROUSEL_HOST_WRITTEN ||
      given.contents > CAROUSEL_HOST_AS_DECLARED)
    return wrong(name + ": contents: expected 0 to 2, got " +
                 Twine(given.contents));
  bool isArray = given.kind == CAROUSEL_HOST_ARRAY;
  if (isArray != bool(memref))
    return wrong(name + ": expected " + (memref ? "an array" : "a number") +
                 " for " + toText(info.type) + ", got " +
                 (memref ? "a number" : "an array"));
  Type element = memref ? memref.getElementType() : info.type;
  if (given.kind <= CAROUSEL_HOST_BITS &&
      (!given.element || toText(element) != given.element))
    return wrong(name + ": expected elements of " + toText(element) + ", got " +
                 (given.element ? given.element : "null"));
  if (memref && memref.getRank() != given.rank)
    return wrong(name + ": expected rank " + Twine(memref.getRank()) +
                 ", got " + Twine(given.rank));
  if (given.rank != 0 && !given.extents)
    return wrong(name + ": extents: expected a pointer, got null");
  if (isArray && given.is_read_only && isWritten)
    return wrong(name + ": expected memory that can be written, got read-only "
                        "memory");
  return CAROUSEL_COMPILER_OK;
}

carousel_compiler_status
HostArrays::bind(ArrayRef<sim::ArgumentInfo> infos,
                 ArrayRef<ArgumentAccess> accesses, StringRef kernel,
                 ArrayRef<carousel_host_argument> given) {
  arguments.resize(infos.size());
  std::vector<bool> found(infos.size());
  for (const carousel_host_argument &argument : given) {
    if (!argument.name)
      return wrong("arguments: expected a name, got null");
    auto info = llvm::find_if(infos, [&](const sim::ArgumentInfo &info) {
      return !info.isWorkspace && info.name == argument.name;
    });
    if (info == infos.end())
      return wrong("expected arguments of " + kernel + " (" + listNames(infos) +
                   "), got '" + argument.name + "'");
    size_t number = info - infos.begin();
    if (found[number])
      return wrong(Twine(argument.name) + ": expected it once, got it twice");
    found[number] = true;
    bool isWritten = accesses[number] != ArgumentAccess::In;
    if (carousel_compiler_status status = checkKind(argument, *info, isWritten))
      return status;
    sim::Argument &to = arguments[number];
    to.bits = argument.value;
    if (argument.kind > CAROUSEL_HOST_BITS)
      if (carousel_compiler_status status =
              convertNumber(argument, info->type, info->name, to.bits))
        return status;
    if (argument.kind != CAROUSEL_HOST_ARRAY)
      continue;
    to.strides = getStrides(argument);
    if (argument.rank != 0)
      to.extents.assign(argument.extents, argument.extents + argument.rank);
    to.isWritten = argument.contents == CAROUSEL_HOST_AS_DECLARED
                       ? accesses[number] != ArgumentAccess::Out
                       : argument.contents == CAROUSEL_HOST_WRITTEN;
    uint64_t elementBytes =
        getElementBytes(cast<MemRefType>(info->type).getElementType());
    std::optional<uint64_t> span = findSpan(argument, elementBytes, to.strides);
    if (!span)
      return wrong(info->name + ": expected extents and strides that aren't "
                                "negative and fit the address space");
    if (*span != 0 && !argument.data)
      return wrong(info->name + ": expected memory, got a null pointer");
    arrays.push_back(
        {number, static_cast<char *>(argument.data), *span, isWritten});
  }
  for (auto [info, isFound] : llvm::zip_equal(infos, found))
    if (!isFound && !info.isWorkspace)
      return wrong("expected a value of each argument of " + kernel + " (" +
                   listNames(infos) + "), got none of " + info.name);
  return mergeRegions();
}

bool HostArrays::Memory::allocate(uint64_t size, const char *like) {
  bytes = size;
  memory.reset(std::calloc(bytes + 2 * kAlignment, 1));
  if (!memory)
    return false;
  auto address = reinterpret_cast<uintptr_t>(memory.get());
  data =
      reinterpret_cast<char *>(llvm::alignTo(address, kAlignment) +
                               reinterpret_cast<uintptr_t>(like) % kAlignment);
  return true;
}

void HostArrays::Memory::clear() { std::memset(data, 0, bytes); }

static carousel_compiler_status reportNoMemory(uint64_t bytes) {
  return wrong("expected arrays that fit the host's memory, got no further " +
               Twine(bytes) + " bytes");
}

carousel_compiler_status HostArrays::mergeRegions() {
  std::vector<Array *> sorted;
  for (Array &array : arrays)
    sorted.push_back(&array);
  llvm::sort(sorted, [](const Array *left, const Array *right) {
    return std::less<>()(left->data, right->data);
  });
  // The regions that arrays belong to, and their memory once its size is known.
  std::vector<std::pair<Array *, size_t>> places;
  for (Array *array : sorted) {
    bool overlaps = !regions.empty() &&
                    array->data < regions.back().data + regions.back().bytes;
    if (!overlaps)
      regions.push_back({array->data, 0, false, {}});
    Region &region = regions.back();
    region.isWritten |= array->isWritten;
    region.bytes = std::max(region.bytes,
                            uint64_t(array->data - region.data) + array->bytes);
    places.emplace_back(array, regions.size() - 1);
  }
  for (Region &region : regions)
    if (!region.copy.allocate(region.bytes, region.data))
      return reportNoMemory(region.bytes);
  for (auto [array, number] : places) {
    Region &region = regions[number];
    arguments[array->argument].data =
        region.copy.getData() + (array->data - region.data);
  }
  return CAROUSEL_COMPILER_OK;
}

carousel_compiler_status
HostArrays::addWorkspaces(const sim::CompiledKernel &kernel,
                          const sim::RunOptions &options) {
  workspaces.clear();
  for (auto [number, info] : llvm::enumerate(kernel.getArguments())) {
    if (!info.isWorkspace)
      continue;
    auto extents = kernel.getWorkspaceExtents(number, arguments, options);
    int64_t elements = 1;
    for (int64_t extent : extents.value_or(SmallVector<int64_t>{-1}))
      if (extent < 0 || llvm::MulOverflow(elements, extent, elements))
        return wrong("expected arguments for which the workspace " + info.name +
                     " of " + kernel.getName() + " has a size, got others");
    uint64_t bytes = llvm::SaturatingMultiply(
        uint64_t(elements),
        getElementBytes(cast<MemRefType>(info.type).getElementType()));
    if (bytes > uint64_t(1) << 40)
      return wrong("expected a workspace " + info.name +
                   " of at most 2^40 bytes, got more");
    sim::Argument &to = arguments[number];
    to.extents = *extents;
    to.strides.assign(extents->size(), 1);
    for (size_t dim = extents->size(); dim-- > 1;)
      to.strides[dim - 1] = to.strides[dim] * to.extents[dim];
    Memory &memory = workspaces.emplace_back();
    if (!memory.allocate(bytes, nullptr))
      return reportNoMemory(bytes);
    to.data = memory.getData();
  }
  return CAROUSEL_COMPILER_OK;
}

ArrayRef<sim::Argument> HostArrays::reset() {
  for (Region &region : regions)
    if (region.bytes != 0)
      std::memcpy(region.copy.getData(), region.data, region.bytes);
  if (!isFirstRun)
    for (Memory &workspace : workspaces)
      workspace.clear();
  isFirstRun = false;
  return arguments;
}

void HostArrays::writeBack() {
  for (Region &region : regions)
    if (region.isWritten && region.bytes != 0)
      std::memcpy(region.data, region.copy.getData(), region.bytes);
}

//===----------------------------------------------------------------------===//
// Options of a simulation
//===----------------------------------------------------------------------===//

namespace {

/// The schedules to run, and the options of all of them.
struct Schedules {
  sim::RunOptions run;
  std::vector<std::string> policies;
  uint64_t seed = 0, count = 1; ///< for each policy
  std::string kernel, program, pipeline;
  const carousel_compiler_source *ptx = nullptr; ///< beside the source
  std::optional<std::string> parameters;         ///< the source is PTX
  bool startsInOrder = false, isCoresident = false;
  carousel_schedule_progress progress = nullptr;
  void *progressData = nullptr;
  int process = ::getpid(); ///< that called

  uint64_t getTotal() const {
    return run.replay.empty() ? count * policies.size() : 1;
  }
  carousel_compiler_status checkCancelled() const {
    return run.isCancelled && run.isCancelled() ? failCancelled(process)
                                                : CAROUSEL_COMPILER_OK;
  }
};

} // namespace

/// Bytes of the struct in the first version of the header.
static constexpr size_t kSimulateOptionBytes = 184;

static_assert(kSimulateOptionBytes <= sizeof(carousel_simulate_source_options));

void carousel_simulate_source_options_init(
    carousel_simulate_source_options *options, size_t size) noexcept {
  if (!options || checkSize(size, kSimulateOptionBytes, "size"))
    return;
  sim::RunOptions defaults;
  carousel_simulate_source_options value = {};
  value.schedules = 1;
  value.multiprocessors = defaults.multiprocessors;
  value.resident = defaults.residentPerMultiprocessor;
  value.traced_ctas = defaults.tracedCTAs;
  value.chip = "sm_90a";
  value.step_limit = defaults.stepLimit;
  value.finding_limit = defaults.findingLimit;
  options->size = size;
  writeStruct(value, kSimulateOptionBytes, "options", options);
}

/// 0 everywhere: none is given.
static std::optional<std::array<uint32_t, 3>> readShape(const uint32_t *shape) {
  if (shape[0] == 0 && shape[1] == 0 && shape[2] == 0)
    return std::nullopt;
  return std::array<uint32_t, 3>{shape[0], shape[1], shape[2]};
}

/// The code of a kernel in PTX, and what goes together with it.
static carousel_compiler_status
readPTX(const carousel_simulate_source_options &given, Schedules &to) {
  auto wrong = [](const Twine &message) {
    return fail(CAROUSEL_COMPILER_INVALID_ARGUMENT, "options: " + message);
  };
  for (auto [isGiven, name] :
       {std::pair(given.starts_in_order, "starts_in_order"),
        {given.coresident, "coresident"}})
    if (isGiven && !given.parameters)
      return wrong(Twine("expected ") + name + " with parameters");
  if (!given.ptx && !given.parameters)
    return CAROUSEL_COMPILER_OK;
  if (given.ptx && given.parameters)
    return wrong("expected ptx or parameters, got both");
  if (given.program || given.pipeline)
    return wrong("expected PTX without a program and without a pipeline");
  if (given.bank_conflicts != 0)
    return wrong("expected PTX without bank_conflicts, since its accesses "
                 "aren't counted");
  to.ptx = given.ptx;
  if (given.parameters)
    to.parameters = given.parameters;
  to.startsInOrder = given.starts_in_order != 0;
  to.isCoresident = given.coresident != 0;
  return given.ptx ? checkSource(given.ptx) : CAROUSEL_COMPILER_OK;
}

static carousel_compiler_status
readOptions(const carousel_simulate_source_options *options, Schedules &to) {
  carousel_simulate_source_options given;
  carousel_simulate_source_options_init(&given, sizeof(given));
  if (options)
    if (carousel_compiler_status status =
            readStruct(options, kSimulateOptionBytes, "options", given))
      return status;
  auto wrong = [](const Twine &message) {
    return fail(CAROUSEL_COMPILER_INVALID_ARGUMENT, "options: " + message);
  };
  if (given.reserved != 0)
    return wrong("expected 0 in the member 'reserved', got " +
                 Twine(given.reserved));
  if (carousel_compiler_status status = readPTX(given, to))
    return status;
  constexpr uint64_t kMost = uint64_t(1) << 32;
  if (given.schedules == 0 || given.schedules > kMost)
    return wrong("schedules: expected 1 to 2^32, got " +
                 Twine(given.schedules));
  if (!given.chip)
    return wrong("chip: expected a pointer, got null");
  if (given.policies && given.policy_count == 0)
    return wrong("policies: expected at least one, got none");
  if (!given.policies)
    to.policies = {to.run.policy};
  for (size_t i = 0; given.policies && i < given.policy_count; ++i) {
    StringRef policy = given.policies[i] ? given.policies[i] : "null";
    if (!llvm::is_contained(sim::getPolicyNames(), policy))
      return wrong("policies: expected " +
                   llvm::join(sim::getPolicyNames(), ", ") + ", got '" +
                   policy + "'");
    to.policies.push_back(policy.str());
  }
  if (given.replay)
    to.run.replay.assign(given.replay, given.replay_bytes);
  if (given.replay && to.run.replay.empty())
    return wrong("replay: expected the record of a run, got an empty one");
  to.kernel = given.kernel ? given.kernel : "";
  to.program = given.program ? given.program : "";
  if (!to.kernel.empty() && !to.program.empty())
    return wrong("expected a kernel or a program, got both");
  to.pipeline = given.pipeline ? given.pipeline : "";
  // A child that a callback forks must not go on after it.
  if (given.is_cancelled || given.progress)
    to.run.isCancelled = [given, process = to.process] {
      return (given.is_cancelled &&
              given.is_cancelled(given.cancel_data) != 0) ||
             process != ::getpid();
    };
  to.progress = given.progress;
  to.progressData = given.progress_data;
  to.seed = given.seed;
  to.count = given.schedules;
  to.run.grid = readShape(given.grid);
  to.run.block = readShape(given.block);
  to.run.cluster = readShape(given.cluster);
  to.run.multiprocessors = given.multiprocessors;
  to.run.residentPerMultiprocessor = given.resident;
  to.run.tracedCTAs = given.traced_ctas;
  to.run.chip = given.chip;
  to.run.stepLimit = given.step_limit;
  to.run.findingLimit = given.finding_limit;
  to.run.strict = given.strict != 0;
  to.run.trace = given.trace != 0;
  to.run.record = given.record != 0;
  to.run.bankConflicts = given.bank_conflicts != 0;
  return CAROUSEL_COMPILER_OK;
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

static std::string getQualifiedName(gpu::GPUFuncOp kernel) {
  auto parent = kernel->getParentOfType<gpu::GPUModuleOp>();
  return (parent.getName() + "::" + kernel.getName()).str();
}

/// The functions that serve the kernel: one, or after passes its variants.
static carousel_compiler_status
findKernels(ModuleOp module, std::string name, bool isLowered,
            SmallVectorImpl<gpu::GPUFuncOp> &found) {
  llvm::erase(name, '@');
  llvm::SetVector<StringRef> names;
  std::vector<std::string> all;
  module.walk([&](gpu::GPUFuncOp func) {
    if (!func.isKernel())
      return;
    StringRef served = isLowered ? getKernelName(func) : func.getName();
    std::string qualified = getQualifiedName(func);
    all.push_back(qualified);
    auto parent = func->getParentOfType<gpu::GPUModuleOp>();
    std::string outer = (parent.getName() + "::" + served).str();
    if (!name.empty() && name != served && name != func.getName() &&
        name != qualified && name != outer)
      return;
    // A function's own name is that of one variant.
    names.insert(name == func.getName() || name == qualified ? func.getName()
                                                             : served);
    found.push_back(func);
  });
  if (found.empty() && all.empty())
    return fail(CAROUSEL_COMPILER_NOT_FOUND,
                "expected a module with a kernel, got none");
  if (names.size() == 1 && (isLowered || found.size() == 1))
    return CAROUSEL_COMPILER_OK;
  return fail(CAROUSEL_COMPILER_NOT_FOUND,
              "kernel: expected one of " + llvm::join(all, ", ") + ", got " +
                  (name.empty() ? "none" : "'" + name + "'"));
}

namespace {

/// The code of a kernel that a module describes.
struct Code {
  std::string file;
  ptx::Module module;
  std::optional<sim::PTXParameters> parameters;
};

/// The work of one call on its module.
class Simulation {
public:
  /// `code` may be null: that of the module.
  Simulation(SourceModule &module, const Code *code, const Schedules &schedules,
             ArrayRef<carousel_host_argument> given,
             carousel_compiler_result &result)
      : module(module), code(code), schedules(schedules), given(given),
        result(result) {}

  /// `succeeded` is false after errors of the module.
  carousel_compiler_status run(bool &succeeded);

private:
  carousel_compiler_status chooseKernel(bool &succeeded);
  carousel_compiler_status bindProgram(bool &succeeded);
  sim::RunResult runOnce(const sim::RunOptions &options) {
    llvm::ArrayRef<sim::Argument> arguments = arrays.reset();
    return program ? program->run(arguments, options)
                   : kernel->run(arguments, options);
  }
  carousel_compiler_status runSchedules();
  void keep(sim::RunResult run, uint64_t index);

  SourceModule &module;
  const Code *code;
  const Schedules &schedules;
  ArrayRef<carousel_host_argument> given;
  carousel_compiler_result &result;
  std::unique_ptr<sim::CompiledKernel> kernel;
  std::unique_ptr<sim::CompiledProgram> program; ///< instead of the kernel
  std::string name;
  HostArrays arrays;
};

} // namespace

/// The first variant that takes the arguments.
carousel_compiler_status Simulation::chooseKernel(bool &succeeded) {
  SmallVector<gpu::GPUFuncOp> found;
  bool isLowered = !schedules.pipeline.empty();
  if (carousel_compiler_status status =
          findKernels(module.getModule(), schedules.kernel, isLowered, found))
    return status;
  std::string refusals;
  for (gpu::GPUFuncOp func : found) {
    name = getQualifiedName(func);
    auto compiled =
        code ? sim::CompiledKernel::compilePTX(module.getModule(), name,
                                               code->module, code->file,
                                               code->parameters)
             : sim::CompiledKernel::compile(module.getModule(), name);
    succeeded = mlir::succeeded(compiled);
    if (!succeeded)
      return CAROUSEL_COMPILER_OK;
    kernel = std::move(*compiled);
    arrays = HostArrays();
    std::vector<ArgumentAccess> accesses;
    for (const KernelArgument &argument : getKernelArguments(func))
      accesses.push_back(argument.access);
    if (carousel_compiler_status status =
            arrays.bind(kernel->getArguments(), accesses, name, given))
      return status;
    // Guards may ask for extents of workspaces, too.
    if (carousel_compiler_status status =
            arrays.addWorkspaces(*kernel, schedules.run))
      return status;
    std::string refusal =
        kernel->findRefusal(arrays.getArguments(), schedules.run);
    if (refusal.empty())
      return CAROUSEL_COMPILER_OK;
    refusals += (refusals.empty() ? "" : "; ") + name + ": " + refusal;
  }
  return fail(CAROUSEL_COMPILER_INVALID_ARGUMENT,
              "expected arguments that a variant takes: " + refusals);
}

carousel_compiler_status Simulation::bindProgram(bool &succeeded) {
  name = schedules.program;
  llvm::erase(name, '@');
  auto function = module.getModule().lookupSymbol<func::FuncOp>(name);
  if (!function || function.isExternal() ||
      !function->hasAttr(CarouselDialect::kProgram)) {
    std::vector<std::string> all;
    for (auto each : module.getModule().getOps<func::FuncOp>())
      if (each->hasAttr(CarouselDialect::kProgram))
        all.push_back(each.getName().str());
    return fail(CAROUSEL_COMPILER_NOT_FOUND,
                "program: expected one of " +
                    (all.empty() ? "none, as no passes have made a program"
                                 : llvm::join(all, ", ")) +
                    ", got '" + name + "'");
  }
  std::vector<sim::ArgumentInfo> infos;
  std::vector<ArgumentAccess> accesses;
  for (auto [position, type] : llvm::enumerate(function.getArgumentTypes())) {
    auto named = function.getArgAttrOfType<ArgumentAttr>(
        position, CarouselDialect::kArgument);
    if (function.getArgAttr(position, CarouselDialect::kWorkspace))
      return fail(CAROUSEL_COMPILER_INVALID_ARGUMENT,
                  "expected a program that allocates its buffers, as "
                  "carousel-graph-to-block leaves it, got a workspace");
    infos.push_back(
        {named ? named.getName().str() : "arg" + std::to_string(position),
         type});
    accesses.push_back(named ? named.getAccess() : ArgumentAccess::InOut);
  }
  if (carousel_compiler_status status =
          arrays.bind(infos, accesses, name, given))
    return status;
  auto compiled = sim::CompiledProgram::compile(module.getModule(), name);
  succeeded = mlir::succeeded(compiled);
  if (succeeded)
    program = std::move(*compiled);
  return CAROUSEL_COMPILER_OK;
}

void Simulation::keep(sim::RunResult run, uint64_t index) {
  RunRecord &record = result.run.emplace();
  record.status = run.status;
  record.kernel = name;
  record.schedulesRun = index + 1;
  record.figures = run.figures;
  record.expiredWaits = run.expiredWaits;
  if (schedules.run.replay.empty()) {
    record.policy = schedules.policies[index % schedules.policies.size()];
    record.seed = schedules.seed + index / schedules.policies.size();
  }
  std::string &findings = result.texts[CAROUSEL_COMPILER_FINDINGS];
  for (sim::Finding &finding : run.findings) {
    FindingRecord &to = result.findings.emplace_back();
    to.notes = llvm::join(finding.notes, "\n");
    llvm::raw_string_ostream stream(to.text);
    sim::printText(finding, stream);
    findings += to.text;
    to.finding = std::move(finding);
  }
  if (schedules.run.trace)
    result.texts[CAROUSEL_COMPILER_TRACE] = std::move(run.trace);
  if (schedules.run.record)
    result.texts[CAROUSEL_COMPILER_RECORD] = std::move(run.record);
  if (!schedules.run.bankConflicts)
    return;
  llvm::json::Array list;
  for (const sim::SharedAccesses &accesses : run.sharedAccesses)
    list.push_back(
        llvm::json::Object{{"location", llvm::json::fixUTF8(accesses.location)},
                           {"op", accesses.op},
                           {"bytes", accesses.bytes},
                           {"accesses", accesses.executions},
                           {"wavefronts", accesses.wavefronts},
                           {"least", accesses.least},
                           {"excess", accesses.getExcess()}});
  llvm::raw_string_ostream(result.texts[CAROUSEL_COMPILER_SHARED_ACCESSES])
      << llvm::json::Value(std::move(list));
}

carousel_compiler_status Simulation::runSchedules() {
  for (uint64_t index = 0;; ++index) {
    // The machine asks after some milliseconds, which a schedule may not take.
    if (carousel_compiler_status status = schedules.checkCancelled())
      return status;
    if (schedules.progress && schedules.progress(schedules.progressData, index,
                                                 schedules.getTotal()) != 0)
      return fail(CAROUSEL_COMPILER_STOPPED, "stopped before schedule " +
                                                 Twine(index) + " of " +
                                                 Twine(schedules.getTotal()));
    sim::RunOptions options = schedules.run;
    bool stopped = false;
    if (schedules.run.isCancelled)
      options.isCancelled = [&] {
        return stopped = stopped || schedules.run.isCancelled();
      };
    options.policy = schedules.policies[index % schedules.policies.size()];
    options.seed = schedules.seed + index / schedules.policies.size();
    sim::RunResult run = runOnce(options);
    if (stopped)
      return failCancelled(schedules.process);
    if (!run.error.empty())
      return fail(CAROUSEL_COMPILER_INVALID_ARGUMENT, run.error);
    bool ends = !run.findings.empty() ||
                run.status != sim::RunStatus::Finished ||
                index + 1 == schedules.getTotal();
    if (!ends)
      continue;
    arrays.writeBack();
    keep(std::move(run), index);
    return CAROUSEL_COMPILER_OK;
  }
}

carousel_compiler_status Simulation::run(bool &succeeded) {
  if (carousel_compiler_status status = schedules.program.empty()
                                            ? chooseKernel(succeeded)
                                            : bindProgram(succeeded))
    return status;
  return succeeded ? runSchedules() : CAROUSEL_COMPILER_OK;
}

/// Reads the PTX of a call, and describes its kernel by the parameters of the
/// options if the source doesn't. `isRead` is false after an error of the text.
static carousel_compiler_status
readCode(const carousel_compiler_source &source, Schedules &schedules,
         MLIRContext &context, carousel_compiler_result &result, Code &code,
         std::string &description, bool &isRead) {
  const carousel_compiler_source &text =
      schedules.parameters ? source : *schedules.ptx;
  code.file = text.name;
  ptx::Diagnostic wrong;
  std::optional<ptx::Module> parsed =
      ptx::parse(StringRef(text.data, text.bytes), wrong);
  isRead = parsed.has_value();
  if (!isRead) {
    SourceModule place(text, context, result);
    emitError(FileLineColLoc::get(&context, code.file, wrong.location.line,
                                  wrong.location.column))
        << wrong.message;
    place.finish(false);
    return CAROUSEL_COMPILER_OK;
  }
  code.module = std::move(*parsed);
  if (!schedules.parameters)
    return CAROUSEL_COMPILER_OK;
  std::string &kernel = schedules.kernel;
  llvm::erase(kernel, '@');
  auto kernels = code.module.getKernels();
  if (kernel.empty() && kernels.size() != 1)
    return fail(CAROUSEL_COMPILER_NOT_FOUND,
                "kernel: expected one of the PTX, which has " +
                    Twine(kernels.size()) + ", got none");
  if (kernel.empty())
    kernel = kernels.front()->name;
  std::string error;
  llvm::SmallVector<llvm::StringRef> attributes;
  if (schedules.startsInOrder)
    attributes.push_back(CarouselDialect::kStartsInOrder);
  if (schedules.isCoresident)
    attributes.push_back(CarouselDialect::kCoresident);
  auto described =
      sim::describePTX(kernel, *schedules.parameters, attributes, error);
  if (!described)
    return fail(CAROUSEL_COMPILER_INVALID_ARGUMENT, "parameters: " + error);
  description = std::move(described->text);
  code.parameters = std::move(described->members);
  return CAROUSEL_COMPILER_OK;
}

carousel_compiler_status
carousel_simulate_source(carousel_compiler *compiler,
                         const carousel_compiler_source *source,
                         const carousel_simulate_source_options *options,
                         const carousel_host_argument *arguments, size_t count,
                         carousel_compiler_result **result) noexcept {
  if (carousel_compiler_status status =
          require({{compiler, "compiler"}, {result, "result"}}))
    return status;
  if (carousel_compiler_status status = checkSource(source))
    return status;
  if (count != 0 && !arguments)
    return require({{arguments, "arguments"}});
  if (carousel_compiler_status status = compiler->checkProcess())
    return status;
  if (carousel_compiler_status status = compiler->checkCallback())
    return status;
  Schedules schedules;
  if (carousel_compiler_status status = readOptions(options, schedules))
    return status;
  Kept<carousel_compiler_result> made(*compiler);
  CompilerLock lock(*compiler);
  if (carousel_compiler_status status = compiler->checkLeft())
    return status;
  Code code;
  std::string description;
  bool hasCode = schedules.ptx || schedules.parameters, isRead = true;
  if (hasCode)
    if (carousel_compiler_status status =
            readCode(*source, schedules, compiler->context, *made, code,
                     description, isRead))
      return status;
  if (!isRead) {
    *result = made.release();
    return CAROUSEL_COMPILER_OK;
  }
  carousel_compiler_source described = *source;
  if (schedules.parameters)
    described = {"parameters", description.data(), description.size()};
  Kept<SourceModule> module(*compiler, described, compiler->context, *made);
  Kept<Watch> watch(*compiler, *compiler, schedules.run.isCancelled);
  bool succeeded = module->parse(SourceModule::Names::Memrefs) &&
                   module->runPasses(schedules.pipeline, *watch);
  if (watch->isStopped())
    return watch->fail();
  if (succeeded) {
    if (carousel_compiler_status status = schedules.checkCancelled())
      return status;
    Simulation simulation(*module, hasCode ? &code : nullptr, schedules,
                          ArrayRef(arguments, count), *made);
    if (carousel_compiler_status status = simulation.run(succeeded))
      return status;
  }
  module->finish(succeeded);
  *result = made.release();
  return CAROUSEL_COMPILER_OK;
}
