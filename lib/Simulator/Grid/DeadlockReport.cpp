//===- DeadlockReport.cpp - the report of a deadlock ----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The notes of deadlock and step-limit findings: the threads that wait, their
// sites and what they wait for, and the threads that could end the wait.
// Threads in the same state share a line, and so do CTAs.
//
//===----------------------------------------------------------------------===//

#include "GridState.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <map>

using namespace carousel::sim;

static constexpr size_t kMaxLines = 48, kMaxProviders = 6;

/// "0-31, 40", for ascending numbers.
static std::string formatRanges(llvm::ArrayRef<uint32_t> numbers) {
  std::string text;
  for (size_t i = 0, j; i < numbers.size(); i = j) {
    for (j = i + 1; j < numbers.size() && numbers[j] == numbers[j - 1] + 1;)
      ++j;
    text += (i ? ", " : "") + std::to_string(numbers[i]);
    if (j - i > 1)
      text += (j - i > 2 ? "-" : ", ") + std::to_string(numbers[j - 1]);
  }
  return text;
}

/// "thread 3", "threads 0-31".
static std::string formatNumbers(llvm::StringRef noun,
                                 llvm::ArrayRef<uint32_t> numbers) {
  return (noun + (numbers.size() > 1 ? "s " : " ")).str() +
         formatRanges(numbers);
}

namespace {

/// Texts with their threads. Equal texts are merged.
template <typename Members> class Groups {
public:
  Members &operator[](const std::string &text) {
    auto [it, isNew] = numbers.try_emplace(text, groups.size());
    if (isNew)
      groups.push_back({text, {}});
    return groups[it->second].second;
  }
  auto begin() const { return groups.begin(); }
  auto end() const { return groups.end(); }
  size_t size() const { return groups.size(); }

private:
  std::map<std::string, size_t> numbers;
  std::vector<std::pair<std::string, Members>> groups; // in order of insertion
};

class DeadlockReport {
public:
  DeadlockReport(const std::function<std::string(Site)> &describeSite,
                 llvm::ArrayRef<CTAState *> residents,
                 llvm::ArrayRef<LaunchState> launches,
                 llvm::ArrayRef<GPUState> gpus)
      : describeSite(describeSite), residents(residents), launches(launches),
        gpus(gpus) {}

  std::vector<std::string> draw();

private:
  std::string describePlace(Site site) const;
  std::string describeWait(const SimThread &thread);
  WaitDescription describeBarrier(const SimThread &thread) const;
  WaitDescription describeLanes(const SimThread &thread) const;
  WaitDescription describeCluster(const SimThread &thread) const;
  WaitDescription describeGather(const CTAState &cta,
                                 const Gathering &gathering) const;
  WaitDescription describeLaunch(const LaunchState &launch) const;
  std::string describeNotStarted(const LaunchState &launch) const;
  const LaunchState &launchOf(const CTAState &cta) const {
    return launches[cta.threads[0].launch];
  }
  /// " of @k" if there are several launches.
  std::string nameLaunch(const LaunchState &launch) const {
    return launches.size() > 1 ? " of " + launch.name : "";
  }
  /// "threads 32-63 (wait at k.mlir:3:4)": the sites of missing threads.
  template <typename IsMissing>
  std::vector<std::string>
  describeMissing(llvm::ArrayRef<const CTAState *> ctas,
                  IsMissing isMissing) const;

  const std::function<std::string(Site)> &describeSite;
  llvm::ArrayRef<CTAState *> residents;
  llvm::ArrayRef<LaunchState> launches;
  llvm::ArrayRef<GPUState> gpus;
  /// Descriptions of objects that many threads wait on.
  std::map<const void *, std::string> known;
};

} // namespace

std::string DeadlockReport::describePlace(Site site) const {
  std::string place = describeSite ? describeSite(site) : std::string();
  if (!place.empty())
    return place;
  return site ? "site " + std::to_string(site) : "an unknown place";
}

template <typename IsMissing>
std::vector<std::string>
DeadlockReport::describeMissing(llvm::ArrayRef<const CTAState *> ctas,
                                IsMissing isMissing) const {
  std::vector<std::string> result;
  for (const CTAState *cta : ctas) {
    Groups<std::vector<uint32_t>> groups;
    for (size_t warp = 0; warp < cta->warps.size(); ++warp)
      for (uint32_t left = cta->warps[warp].lanes; left; left &= left - 1) {
        const SimThread &thread =
            cta->threads[warp * kWarpSize + llvm::countr_zero(left)];
        if (!isMissing(thread))
          continue;
        bool isBlocked = thread.wait != SimThread::Wait::None;
        groups[thread.hasExited ? std::string("exited")
                                : (isBlocked ? "waiting at " : "running at ") +
                                      describePlace(thread.site)]
            .push_back(thread.index);
      }
    for (const auto &[status, threads] : groups) {
      if (result.size() == kMaxProviders) {
        result.push_back("others");
        return result;
      }
      const LaunchState &launch = launchOf(*cta);
      std::string owner =
          ctas.size() > 1
              ? "CTA " + std::to_string(cta->number - launch.firstCTA) +
                    nameLaunch(launch) + " "
              : "";
      result.push_back(owner + formatNumbers("thread", threads) + " (" +
                       status + ")");
    }
  }
  return result;
}

static std::string formatMissing(uint32_t missing, uint32_t expected) {
  return std::to_string(missing) + " of " + std::to_string(expected) +
         " arrivals";
}

WaitDescription DeadlockReport::describeBarrier(const SimThread &thread) const {
  const CTAState &cta = *thread.home;
  const CTABarrier &barrier = cta.barriers[thread.barrier];
  uint32_t numThreads = cta.live + cta.exited;
  bool isAll = barrier.expected == numThreads;
  WaitDescription description;
  description.what = (isAll ? "CTA barrier " : "named barrier ") +
                     std::to_string(thread.barrier);
  description.missing =
      formatMissing(barrier.expected - barrier.arrived, barrier.expected);
  description.providers = describeMissing({&cta}, [&](const SimThread &other) {
    return !contains(barrier.arrivers, other) && !other.hasExited;
  });
  return description;
}

WaitDescription DeadlockReport::describeLanes(const SimThread &thread) const {
  const CTAState &cta = *thread.home;
  const WarpState &warp = cta.warps[thread.warp()];
  auto collective =
      llvm::find_if(warp.collectives, [&](const LaneCollective &collective) {
        return collective.arrived >> thread.lane() & 1;
      });
  uint32_t missing = collective->mask & ~collective->arrived;
  WaitDescription description;
  description.what = collective->kind.str() + " of the lanes 0x" +
                     llvm::utohexstr(collective->mask, /*LowerCase=*/true);
  description.missing =
      formatMissing(uint32_t(llvm::popcount(missing)),
                    uint32_t(llvm::popcount(collective->mask)));
  description.providers = describeMissing({&cta}, [&](const SimThread &other) {
    return other.warp() == thread.warp() && missing >> other.lane() & 1;
  });
  return description;
}

WaitDescription DeadlockReport::describeCluster(const SimThread &thread) const {
  const ClusterState &cluster = *thread.home->cluster;
  WaitDescription description;
  description.what = "cluster barrier";
  description.missing = formatMissing(cluster.pending, cluster.live);
  llvm::SmallVector<const CTAState *, 16> ctas(cluster.ctas.begin(),
                                               cluster.ctas.end());
  description.providers = describeMissing(ctas, [&](const SimThread &other) {
    return !other.hasExited &&
           !(other.hasArrived && other.arrivedPhase == cluster.phase);
  });
  return description;
}

static const Gathering &findGathering(const SimThread &thread) {
  return **llvm::find_if(thread.home->gatherings, [&](const auto &gathering) {
    return gathering->arrived && contains(gathering->arrivers, thread);
  });
}

WaitDescription
DeadlockReport::describeGather(const CTAState &cta,
                               const Gathering &gathering) const {
  WaitDescription description;
  description.what = gathering.kind.str() + " of " +
                     formatNumbers("thread", {gathering.first});
  if (gathering.count > 1)
    description.what = gathering.kind.str() + " of threads " +
                       std::to_string(gathering.first) + "-" +
                       std::to_string(gathering.first + gathering.count - 1);
  if (gathering.arrived == gathering.count) {
    description.missing = "what one of them does for all";
    return description;
  }
  description.missing =
      formatMissing(gathering.count - gathering.arrived, gathering.count);
  description.providers = describeMissing({&cta}, [&](const SimThread &other) {
    return other.index >= gathering.first &&
           other.index - gathering.first < gathering.count &&
           !contains(gathering.arrivers, other);
  });
  return description;
}

WaitDescription
DeadlockReport::describeLaunch(const LaunchState &launch) const {
  WaitDescription description;
  description.what = "the end of " + launch.name;
  description.missing = std::to_string(launch.unended) + " of " +
                        std::to_string(launch.numCTAs) +
                        (launch.numCTAs == 1 ? " CTA" : " CTAs");
  llvm::SmallVector<const CTAState *> ctas;
  for (const CTAState *cta : residents.slice(launch.firstCTA, launch.numCTAs))
    if (cta)
      ctas.push_back(cta);
  description.providers = describeMissing(
      ctas, [](const SimThread &other) { return !other.hasExited; });
  return description;
}

/// " on <what>; missing: <...>; could come from: <...>".
std::string DeadlockReport::describeWait(const SimThread &thread) {
  auto format = [](const WaitDescription &description) {
    std::string text = " on " + description.what;
    if (!description.missing.empty())
      text += "; missing: " + description.missing;
    if (!description.providers.empty())
      text += "; could come from: " + llvm::join(description.providers, ", ");
    return text;
  };
  auto lookUp = [&](const void *key, auto describe) {
    std::string &text = known[key];
    if (text.empty())
      text = format(describe());
    return text;
  };
  CTAState &cta = *thread.home;
  switch (thread.wait) {
  case SimThread::Wait::None:
    return "";
  case SimThread::Wait::Object:
    return format(thread.object->describe(thread));
  case SimThread::Wait::Barrier:
    return lookUp(&cta.barriers[thread.barrier],
                  [&] { return describeBarrier(thread); });
  case SimThread::Wait::Lanes:
    return format(describeLanes(thread));
  case SimThread::Wait::Cluster:
    return lookUp(cta.cluster, [&] { return describeCluster(thread); });
  case SimThread::Wait::Gather:
    return lookUp(&findGathering(thread),
                  [&] { return describeGather(cta, findGathering(thread)); });
  case SimThread::Wait::Launch: {
    const LaunchState &before = launches[thread.launch - 1];
    return lookUp(&before, [&] { return describeLaunch(before); });
  }
  }
  llvm_unreachable("unknown wait");
}

std::string
DeadlockReport::describeNotStarted(const LaunchState &launch) const {
  const Dim3 &grid = launch.shape.grid, &cluster = launch.shape.cluster;
  Dim3 clusters{grid.x / cluster.x, grid.y / cluster.y, grid.z / cluster.z};
  std::vector<uint32_t> ctas;
  for (uint32_t i = launch.begin; i < launch.end; ++i) {
    uint32_t number = launch.toLaunch[i];
    uint32_t x = number % clusters.x, y = number / clusters.x % clusters.y,
             z = number / clusters.x / clusters.y;
    for (uint32_t rank = 0; rank < launch.clusterSize; ++rank) {
      uint32_t inX = rank % cluster.x, inY = rank / cluster.x % cluster.y,
               inZ = rank / cluster.x / cluster.y;
      ctas.push_back(
          x * cluster.x + inX +
          grid.x * (y * cluster.y + inY + grid.y * (z * cluster.z + inZ)));
    }
  }
  llvm::sort(ctas);
  bool isOne = ctas.size() == 1;
  return formatNumbers("CTA", ctas) + nameLaunch(launch) +
         (isOne ? " has not started: it has" : " have not started: they have") +
         " no room until another one ends";
}

std::vector<std::string> DeadlockReport::draw() {
  // Text -> threads of a CTA -> CTAs.
  Groups<Groups<std::vector<uint32_t>>> lines;
  size_t numLines = 0;
  for (const CTAState *cta : residents) {
    if (!cta)
      continue;
    Groups<std::vector<uint32_t>> groups;
    for (size_t warp = 0; warp < cta->warps.size(); ++warp)
      for (uint32_t left = cta->warps[warp].lanes; left; left &= left - 1) {
        const SimThread &thread =
            cta->threads[warp * kWarpSize + llvm::countr_zero(left)];
        if (!thread.hasExited)
          groups["at " + describePlace(thread.site) +
                 (isPolling(thread)
                      ? " on an atomic that finds the same value again and "
                        "again"
                      : describeWait(thread))]
              .push_back(thread.index);
      }
    for (const auto &[text, threads] : groups) {
      const SimThread &one = cta->threads[threads.front()];
      bool isBlocked = one.wait != SimThread::Wait::None || isPolling(one);
      llvm::SmallVector<uint32_t> warps;
      for (uint32_t thread : threads)
        if (warps.empty() || warps.back() != thread / kWarpSize)
          warps.push_back(thread / kWarpSize);
      std::string who = formatNumbers("warp", warps) + " (" +
                        formatNumbers("thread", threads) + ") " +
                        (isBlocked ? "wait" : "run") +
                        (warps.size() > 1 ? " " : "s ");
      const LaunchState &launch = launchOf(*cta);
      lines[text][nameLaunch(launch) + ", " + who].push_back(cta->number -
                                                             launch.firstCTA);
    }
  }
  std::vector<std::string> result;
  for (const auto &[text, whos] : lines)
    for (const auto &[who, ctas] : whos)
      if (++numLines <= kMaxLines)
        result.push_back(formatNumbers("CTA", ctas) + who + text);
  if (numLines > kMaxLines)
    result.push_back("and " + std::to_string(numLines - kMaxLines) +
                     " more groups of threads");
  for (const LaunchState &launch : launches)
    if (launch.isOpen && launch.begin < launch.end &&
        !gpus[launch.gpu].isStopped)
      result.push_back(describeNotStarted(launch));
  for (const LaunchState &launch : launches.drop_front())
    if (!launch.isOpen && !gpus[launch.gpu].isStopped)
      result.push_back(launch.name + " has not started: it waits for " +
                       (&launch - 1)->name);
  return result;
}

static std::string countThreads(llvm::ArrayRef<CTAState *> residents) {
  uint64_t threads = 0, ctas = 0;
  for (const CTAState *cta : residents)
    if (cta) {
      threads += cta->live;
      ++ctas;
    }
  return std::to_string(threads) + (threads == 1 ? " thread" : " threads") +
         " of " + std::to_string(ctas) + (ctas == 1 ? " CTA" : " CTAs");
}

static const SimThread &findFirst(llvm::ArrayRef<CTAState *> residents) {
  for (const CTAState *cta : residents)
    for (uint32_t index = 0; cta && index < cta->live + cta->exited; ++index)
      if (!cta->threads[index].hasExited)
        return cta->threads[index];
  llvm_unreachable("no thread is left");
}

void Grid::Impl::reportDeadlock() {
  Finding finding;
  finding.kind = FindingKind::Deadlock;
  finding.message = "expected a thread that can go on or a transfer in flight, "
                    "found that all of " +
                    countThreads(residents) + " wait";
  if (llvm::any_of(residents, [](const CTAState *cta) {
        return cta &&
               llvm::any_of(llvm::ArrayRef(cta->threads.get(), cta->numThreads),
                            isPolling);
      }))
    finding.message += ", or poll what nobody writes";
  finding.actor = actorOf(findFirst(residents));
  finding.notes =
      DeadlockReport(describeSite, residents, launches, gpus).draw();
  if (stop && gpus[stop->gpu].isStopped)
    finding.notes.push_back(describeStop());
  log.report(std::move(finding));
}

void Grid::Impl::reportNoRoom() {
  Finding finding;
  finding.kind = FindingKind::Deadlock;
  finding.message = "expected CTAs to wait for none that need not be resident, "
                    "found that all of " +
                    countThreads(residents) + " wait while others have no room";
  finding.actor = actorOf(findFirst(residents));
  finding.notes =
      DeadlockReport(describeSite, residents, launches, gpus).draw();
  finding.notes.push_back(
      "mend it with carousel.coresident on the kernel, with turns that follow "
      "carousel.grid.ticket, or with carousel.starts_in_order");
  log.report(std::move(finding));
}

void Grid::Impl::reportStepLimit() {
  Finding finding;
  finding.kind = FindingKind::StepLimit;
  finding.message = "expected the run to end within " +
                    std::to_string(stepLimit) + " steps, found " +
                    countThreads(residents) + " still there";
  finding.actor = actorOf(findFirst(residents));
  finding.notes =
      DeadlockReport(describeSite, residents, launches, gpus).draw();
  log.report(std::move(finding));
}
