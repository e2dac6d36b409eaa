//===- ChipModel.cpp - the numbers by which planners decide ---------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table of models, and how IR names one of them.
//
//===----------------------------------------------------------------------===//

#include "carousel/Target/ChipModel.h"

#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"

#include <cmath>
#include <variant>

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

namespace {

/// A number with its source: _m is measured on the GPU, _c cited from the
/// vendor's documents, and _e estimated from those or from the H200's.
struct Cell {
  double value = 0;
  char source = 0;
};

constexpr Cell operator""_m(long double v) { return {double(v), 'm'}; }
constexpr Cell operator""_c(long double v) { return {double(v), 'c'}; }
constexpr Cell operator""_e(long double v) { return {double(v), 'e'}; }
constexpr Cell operator""_m(unsigned long long v) { return {double(v), 'm'}; }
constexpr Cell operator""_c(unsigned long long v) { return {double(v), 'c'}; }
constexpr Cell operator""_e(unsigned long long v) { return {double(v), 'e'}; }

struct GPU {
  StringLiteral name, product;
  unsigned sm;
};

/// The first GPU of a chip is its default.
constexpr GPU kGPUs[] = {{"a100", "A100 80GB SXM", 80},
                         {"a40", "A40", 86},
                         {"l40s", "L40S", 89},
                         {"h200", "H200 SXM", 90},
                         {"h100", "H100 SXM", 90},
                         {"b200", "B200", 100},
                         {"rtx_pro_6000", "RTX PRO 6000", 120}};
constexpr size_t kCount = std::size(kGPUs);
constexpr size_t kH200 = 3; // the one that was measured

struct Number {
  StringLiteral name;
  std::variant<int64_t ChipModel::*, double ChipModel::*> member;
  /// The cells of a row, by GPU. Limits of the chip have none, and are cited.
  std::array<Cell, kCount> cells = {};

  bool isLimit() const { return cells.front().source == 0; }
  bool isInteger() const { return member.index() == 0; }
};

/// The H200's number for all: no other GPU was measured.
constexpr std::array<Cell, kCount> same(Cell cell) {
  std::array<Cell, kCount> cells = {};
  for (Cell &each : cells)
    each = {cell.value, 'e'};
  cells[kH200] = cell;
  return cells;
}

// Measured on an H200: bandwidth by the copy ring beside cudaMemcpyAsync, that
// of an SM by sums of 32 CTAs, the overhead by short kernels after a flush of
// L2. Latencies, barrier and slot are those with which the predictions meet a
// sweep of the examples best, and costs of engines are chosen such that the
// engine that was faster costs less. Data sheets give SMs, clocks, caches and
// bandwidths of the others, of which a copy reaches about 0.89 as on the H200,
// and an SM 2.2 times its share. Products reach the H200's share of the peak
// in data sheets, those by mma.sync on B200 the H200's rate of an SM. Rows that
// aren't multiples of 16 bytes were measured on an H100.
// clang-format off
const Number kNumbers[] = {
    {"max-shared-per-block",   &ChipModel::maxSharedPerBlock},
    {"shared-per-sm",          &ChipModel::sharedPerSM},
    {"shared-reserved-per-block", &ChipModel::sharedReservedPerBlock},
    {"registers-per-sm",       &ChipModel::registersPerSM},
    {"max-threads-per-sm",     &ChipModel::maxThreadsPerSM},
    {"max-blocks-per-sm",      &ChipModel::maxBlocksPerSM},
    {"max-cluster-size",       &ChipModel::maxClusterSize},
    //                                                     a100    a40     l40s    h200    h100    b200    rtx_pro_6000
    {"sms",                    &ChipModel::sms,            {108_c, 84_c,   142_c,  132_c,  132_c,  148_c,  188_c}},
    {"clock-ghz",              &ChipModel::clockGHz,       {1.41_c, 1.74_c, 2.52_c, 1.755_e, 1.755_e, 1.85_c, 2.3_c}},
    {"l2-bytes",               &ChipModel::l2Bytes,        {41943040_c, 6291456_c, 100663296_c, 52428800_c, 52428800_c, 132120576_c, 134217728_c}},
    {"bytes-per-ns",           &ChipModel::bytesPerNs,     {1815_e, 619_e, 769_e, 4214_m, 2983_e, 7100_e, 1595_e}},
    {"bytes-per-ns-of-sm",     &ChipModel::bytesPerNsOfSM, {37_e, 16_e, 12_e, 70_m, 50_e, 105_e, 19_e}},
    {"load-latency-ns",        &ChipModel::loadLatency,        same(500_e)},
    {"store-read-latency-ns",  &ChipModel::storeReadLatency,   same(500_e)},
    {"launch-ns",              &ChipModel::launchOverhead,     same(5300_m)},
    {"next-launch-ns",         &ChipModel::nextLaunch,         same(3000_e)},
    {"barrier-ns",             &ChipModel::barrier,            same(40_e)},
    {"slot-ns",                &ChipModel::slotOverhead,       same(120_e)},
    {"ticket-ns",              &ChipModel::ticket,             same(800_m)},
    {"ticket-gain",            &ChipModel::ticketGain,         same(1.05_m)},
    {"issue-per-cycle",        &ChipModel::issuePerCycle,      same(4_c)},
    {"special-per-cycle",      &ChipModel::specialPerCycle,    same(0.5_c)},
    {"shared-bytes-per-cycle", &ChipModel::sharedBytesPerCycle, same(128_c)},
    {"matrix-bits-per-cycle",  &ChipModel::matrixBitsPerCycle, same(5760_m)},
    {"warpgroup-bits-per-cycle", &ChipModel::warpgroupBitsPerCycle, same(32768_c)},
    {"product-step-ns",        &ChipModel::productStep,        same(40_e)},
    {"l2-bytes-per-ns-of-sm",  &ChipModel::l2BytesPerNsOfSM,   same(110_e)},
    {"split-sector-bytes-per-ns-of-sm", &ChipModel::splitSectorBytesPerNsOfSM, same(52_m)},
    {"cluster-ns",             &ChipModel::clusterOverhead,    same(1500_m)},
    {"arithmetic-cycles",      &ChipModel::arithmeticLatency,  same(4.5_e)},
    {"shared-cycles",          &ChipModel::sharedLatency,      same(24_e)},
    {"special-cycles",         &ChipModel::specialLatency,     same(20_e)},
    {"shuffle-cycles",         &ChipModel::shuffleLatency,     same(24_e)},
    {"matrix-cycles",          &ChipModel::matrixLatency,      same(33_e)},
    {"exchange-cycles",        &ChipModel::exchangeLatency,    same(1400_m)},
    {"kernel-f32",             &ChipModel::kernelF32,      {11_e, 21_e, 52_e, 38_m, 38_e, 45_e, 71_e}},
    {"kernel-transposed-f32",  &ChipModel::kernelTransposedF32, {1.7_e, 3.3_e, 8.2_e, 6_m, 6_e, 7.2_e, 11_e}},
    {"kernel-tf32",            &ChipModel::kernelTF32,     {27_e, 13_e, 31_e, 380_m, 380_e, 100_e, 43_e}},
    {"kernel-transposed-tf32", &ChipModel::kernelTransposedTF32, {27_e, 13_e, 31_e, 60_m, 60_e, 100_e, 43_e}},
    {"kernel-half",            &ChipModel::kernelHalf,     {136_e, 65_e, 157_e, 650_m, 650_e, 508_e, 219_e}},
    {"kernel-gate",            &ChipModel::kernelGate,     {121_e, 58_e, 140_e, 580_m, 580_e, 453_e, 196_e}},
    {"kernel-reduced",         &ChipModel::kernelReduced,  {136_e, 65_e, 157_e, 690_m, 690_e, 508_e, 219_e}},
    {"kernel-stream-f32",      &ChipModel::kernelStreamF32, {10_e, 19_e, 48_e, 35_m, 35_e, 41_e, 65_e}},
    {"library-f32",            &ChipModel::libraryF32,     {14.5_e, 28_e, 68_e, 50_m, 50_e, 60_e, 93_e}},
    {"library-tf32",           &ChipModel::libraryTF32,    {120_e, 57_e, 140_e, 380_m, 380_e, 864_e, 194_e}},
    {"library-half",           &ChipModel::libraryHalf,    {221_e, 106_e, 256_e, 700_m, 700_e, 1590_e, 357_e}},
    {"library-words-tf32",     &ChipModel::libraryWordsTF32, {60_e, 28_e, 70_e, 135_e, 135_m, 150_e, 97_e}},
    {"library-words-half",     &ChipModel::libraryWordsHalf, {165_e, 80_e, 190_e, 265_e, 265_m, 300_e, 260_e}},
    {"library-elements-half",  &ChipModel::libraryElementsHalf, {60_e, 28_e, 70_e, 100_e, 100_m, 115_e, 95_e}},
    {"kernel-elements-half",   &ChipModel::kernelElementsHalf, {50_e, 24_e, 60_e, 119_e, 119_m, 130_e, 80_e}},
    {"tensor-use",             &ChipModel::tensorUse,          same(8_e)},
    {"bulk-use",               &ChipModel::bulkUse,            same(13_e)},
    {"cp-async-use",           &ChipModel::cpAsyncUse,         same(8_e)},
    {"vector-load-use",        &ChipModel::vectorLoadUse,      same(64_e)},
    {"vector-store-use",       &ChipModel::vectorStoreUse,     same(4_e)},
    {"tensor-copy",            &ChipModel::tensorCopy,         same(4_e)},
    {"bulk-copy",              &ChipModel::bulkCopy,           same(4_e)},
    {"bulk-dimension",         &ChipModel::bulkDimension,      same(2_e)},
    {"bulk-fill-pieces",       &ChipModel::bulkFillPieces,     same(5_e)},
    {"bulk-fill-most",         &ChipModel::bulkFillMost,       same(160_e)},
    {"cp-async-pieces",        &ChipModel::cpAsyncPieces,      same(8_e)},
    {"vector-load-pieces",     &ChipModel::vectorLoadPieces,   same(12_e)},
    {"vector-store-pieces",    &ChipModel::vectorStorePieces,  same(10_e)},
    {"request-bytes",          &ChipModel::requestBytes,       same(128_e)},
    {"requests-per-slot",      &ChipModel::requestsPerSlot,    same(4_e)},
};
// clang-format on

} // namespace

static void set(ChipModel &model, const Number &number, double value) {
  std::visit(
      [&](auto member) {
        model.*member =
            static_cast<std::decay_t<decltype(model.*member)>>(value);
      },
      number.member);
}

static ChipModel makeModel(const TargetInfo &limits, size_t gpu) {
  ChipModel model{limits};
  model.gpu = kGPUs[gpu].name;
  for (const Number &number : kNumbers)
    if (!number.isLimit())
      set(model, number, number.cells[gpu].value);
  return model;
}

/// The number of the first GPU with this property.
static std::optional<size_t> findGPU(llvm::function_ref<bool(const GPU &)> is) {
  const GPU *found = llvm::find_if(kGPUs, is);
  return found == std::end(kGPUs) ? std::nullopt
                                  : std::optional<size_t>(found - kGPUs);
}

static std::optional<size_t> findGPU(StringRef name) {
  return findGPU([&](const GPU &gpu) { return gpu.name == name; });
}

/// The newest features of the GPU's chip.
static const TargetInfo &getLimits(unsigned sm) {
  auto rows = llvm::reverse(TargetInfo::all());
  return *llvm::find_if(rows, [&](const TargetInfo &t) { return t.sm == sm; });
}

ChipModel ChipModel::of(const TargetInfo &info) {
  return makeModel(info,
                   *findGPU([&](const GPU &gpu) { return gpu.sm == info.sm; }));
}

ChipModel ChipModel::getDefault() {
  return makeModel(getLimits(kGPUs[kH200].sm), kH200);
}

SmallVector<StringRef> ChipModel::getGPUs() {
  return llvm::map_to_vector(
      kGPUs, [](const GPU &gpu) -> StringRef { return gpu.name; });
}

std::optional<unsigned> ChipModel::findSM(StringRef gpu) {
  std::optional<size_t> found = findGPU(gpu);
  return found ? std::optional(kGPUs[*found].sm) : std::nullopt;
}

void ChipModel::printTable(llvm::raw_ostream &os) {
  os << "| number |";
  for (const GPU &gpu : kGPUs)
    os << ' ' << gpu.product << " (`" << gpu.name << "`) |";
  os << "\n|---|";
  for (size_t gpu = 0; gpu < kCount; ++gpu)
    os << "---|";
  os << '\n';
  for (const Number &number : kNumbers) {
    os << "| `" << number.name << "` |";
    for (auto [at, gpu] : llvm::enumerate(kGPUs)) {
      ChipModel model = makeModel(getLimits(gpu.sm), at);
      std::visit(
          [&](auto member) {
            os << ' ' << llvm::format("%.9g", double(model.*member));
          },
          number.member);
      os << ' ' << (number.isLimit() ? 'c' : number.cells[at].source) << " |";
    }
    os << '\n';
  }
}

//===----------------------------------------------------------------------===//
// In IR
//===----------------------------------------------------------------------===//

static constexpr llvm::StringLiteral kGPUKey = "gpu";

using EmitError = llvm::function_ref<InFlightDiagnostic()>;

/// The name of the GPU that a device is; empty for other devices.
static StringRef getGPU(DataLayoutEntryInterface device) {
  auto spec = dyn_cast<TargetDeviceSpecInterface>(device.getValue());
  if (!spec)
    return {};
  for (DataLayoutEntryInterface entry : spec.getEntries())
    if (auto key = dyn_cast<StringAttr>(entry.getKey()); key == kGPUKey)
      if (auto name = dyn_cast<StringAttr>(entry.getValue()))
        return name;
  return {};
}

static TargetSystemSpecInterface getSystem(Operation *op) {
  return op->getAttrOfType<TargetSystemSpecInterface>(
      DLTIDialect::kTargetSystemDescAttrName);
}

// C309
LogicalResult carousel::verifyGPU(StringRef gpu, ArrayRef<unsigned> sms,
                                  EmitError emitError) {
  std::optional<unsigned> sm = ChipModel::findSM(gpu);
  if (sm && llvm::is_contained(sms, *sm))
    return success();
  if (sm)
    return emitError() << "expected a GPU of the chips, got '" << gpu
                       << "', whose chip is sm_" << *sm;
  return emitError() << "expected a GPU among "
                     << llvm::join(ChipModel::getGPUs(), ", ") << ", got '"
                     << gpu << "'";
}

/// C310: a number of the table, above zero.
static LogicalResult readNumber(DataLayoutEntryInterface entry,
                                ChipModel &model, EmitError emitError) {
  auto key = dyn_cast<StringAttr>(entry.getKey());
  if (key == kGPUKey)
    return success();
  const Number *number = llvm::find_if(
      kNumbers, [&](const Number &each) { return key == each.name; });
  if (number == std::end(kNumbers))
    return emitError() << "expected numbers of a chip model, got " << key;
  double value = 0;
  if (auto integer = dyn_cast<IntegerAttr>(entry.getValue()))
    value = integer.getValue().roundToDouble();
  else if (auto real = dyn_cast<FloatAttr>(entry.getValue());
           real && !number->isInteger())
    value = real.getValueAsDouble();
  if (!(value > 0) || !std::isfinite(value))
    return emitError() << "expected "
                       << (number->isInteger() ? "an integer" : "a number")
                       << " above 0 for " << key << ", got "
                       << entry.getValue();
  set(model, *number, value);
  return success();
}

/// \p limits: of the op's chip; null for any.
static FailureOr<ChipModel> readModel(Operation *op, const TargetInfo *limits,
                                      bool emitsErrors) {
  auto emitError = [&] {
    return emitsErrors ? op->emitError() : InFlightDiagnostic();
  };
  for (; op; op = op->getParentOp()) {
    TargetSystemSpecInterface system = getSystem(op);
    if (!system)
      continue;
    for (DataLayoutEntryInterface device : system.getEntries()) {
      StringRef name = getGPU(device);
      if (name.empty())
        continue;
      std::optional<size_t> gpu = findGPU(name);
      if (!gpu)
        return verifyGPU(name, {}, emitError);
      unsigned sm = kGPUs[*gpu].sm;
      if (limits && limits->sm != sm)
        continue;
      ChipModel model = makeModel(limits ? *limits : getLimits(sm), *gpu);
      for (DataLayoutEntryInterface entry :
           cast<TargetDeviceSpecInterface>(device.getValue()).getEntries())
        if (failed(readNumber(entry, model, emitError)))
          return failure();
      return model;
    }
  }
  return limits ? ChipModel::of(*limits) : ChipModel::getDefault();
}

static gpu::GPUModuleOp getModule(Operation *op) {
  auto module = dyn_cast<gpu::GPUModuleOp>(op);
  return module ? module : op->getParentOfType<gpu::GPUModuleOp>();
}

FailureOr<ChipModel> carousel::getChipModel(Operation *op) {
  const TargetInfo *limits = nullptr;
  if (gpu::GPUModuleOp module = getModule(op)) {
    FailureOr<TargetSpec> target = getTargetSpec(module);
    if (failed(target))
      return failure();
    limits = target->info;
  }
  return readModel(op, limits, /*emitsErrors=*/true);
}

std::optional<ChipModel> carousel::findChipModel(Operation *op) {
  const TargetInfo *limits = nullptr;
  if (gpu::GPUModuleOp module = getModule(op)) {
    ArrayAttr targets = module.getTargetsAttr();
    auto target = targets && targets.size() == 1
                      ? dyn_cast<NVVM::NVVMTargetAttr>(targets[0])
                      : NVVM::NVVMTargetAttr();
    limits = target ? TargetInfo::lookup(target.getChip()) : nullptr;
    if (!limits)
      return std::nullopt;
  }
  FailureOr<ChipModel> model = readModel(op, limits, /*emitsErrors=*/false);
  return succeeded(model) ? std::optional(*model) : std::nullopt;
}

int64_t carousel::findClusterSizeOfAll(Operation *op) {
  int64_t most = ChipModel::getDefault().maxClusterSize;
  for (; op; op = op->getParentOp())
    if (TargetSystemSpecInterface system = getSystem(op))
      for (DataLayoutEntryInterface device : system.getEntries())
        if (std::optional<size_t> gpu = findGPU(getGPU(device)))
          most = std::min(most, getLimits(kGPUs[*gpu].sm).maxClusterSize);
  return most;
}

void carousel::attachGPUs(Operation *op, ArrayRef<StringRef> gpus) {
  MLIRContext *context = op->getContext();
  context->getOrLoadDialect<DLTIDialect>();
  SmallVector<DataLayoutEntryInterface> devices;
  for (StringRef gpu : gpus)
    devices.push_back(DataLayoutEntryAttr::get(
        StringAttr::get(context, gpu),
        TargetDeviceSpecAttr::get(
            context, DataLayoutEntryInterface(DataLayoutEntryAttr::get(
                         StringAttr::get(context, kGPUKey),
                         StringAttr::get(context, gpu))))));
  if (TargetSystemSpecInterface system = getSystem(op))
    for (DataLayoutEntryInterface device : system.getEntries())
      if (getGPU(device).empty())
        devices.push_back(device);
  op->setAttr(DLTIDialect::kTargetSystemDescAttrName,
              TargetSystemSpecAttr::get(context, devices));
}
