//===- Transports.cpp - the choice of a transport -------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Transport.h. Has the copy engine's transport, too.
//
//===----------------------------------------------------------------------===//

#include "Transport.h"

#include "carousel/Runtime/Fail.h"

#include <cstdlib>

namespace carousel::runtime {

namespace {

class CopyEngine : public Transport {
public:
  explicit CopyEngine(std::shared_ptr<Context::Impl> context)
      : context(std::move(context)) {}

  /// The driver finds the devices by the addresses.
  Status copy(const Copy &copy, Stream stream) override {
    return context->check(context->driver->cuMemcpyDtoDAsync(
                              copy.target, copy.source, copy.bytes, stream),
                          "cuMemcpyDtoDAsync");
  }

private:
  std::shared_ptr<Context::Impl> context;
};

/// An option, or else a variable of the environment. Programs with the rights
/// of another user read no variables.
std::string getSetting(const std::string &option, const char *variable) {
  if (!option.empty())
    return option;
  const char *value = ::secure_getenv(variable);
  return value ? value : "";
}

} // namespace

Status Transport::add(const Copy &, ElementType, Stream) {
  return fail(ErrorCode::InvalidArgument,
              "transport: expected tma, which adds, got another one");
}

Transports::Transports(Context context, const CommOptions &options)
    : context(std::move(context)), options(options),
      copyEngine(std::make_unique<CopyEngine>(this->context.share())) {}

Status Transports::open() {
  tableFile = getSetting(options.transportTable, "CAROUSEL_TRANSPORT_TABLE");
  if (tableFile.empty())
    return {};
  CAROUSEL_TRY_ASSIGN(table, TransportTable::read(tableFile));
  return {};
}

void Transports::prepare() {
  if (options.allowMulticast)
    if (Result<Transport *> put = getMulticastPut(); put)
      (void)(*put)->load(); // a put says why it can't
  Result<Transport *> transport = get(TransportKind::TMA);
  isPrepared = transport && (*transport)->load();
}

Result<TransportChoice> Transports::choose(const Copy &copy, const Route &route,
                                           const TransferOptions &options,
                                           Stream stream,
                                           bool isExplained) const {
  if (options.ctas < 0)
    return fail(ErrorCode::InvalidArgument, "ctas: expected at least 0, got {}",
                options.ctas);
  if (options.transport != TransportKind::Auto)
    return TransportChoice{options.transport, options.ctas,
                           isExplained ? "it is asked for" : ""};
  TransportChoice choice;
  if (table) {
    TransportEntry entry = table->choose(route.topology, copy.bytes);
    choice.transport = entry.transport;
    choice.ctas = entry.ctas;
    if (isExplained)
      choice.reason = fmt::format("by the table {}", tableFile);
  } else {
    CopyFacts facts;
    facts.bytes = copy.bytes;
    facts.topology = route.topology;
    facts.hasNVLink = route.hasNVLink;
    // A context that waits for each kernel would wait for peers, too.
    facts.hasKernels = isPrepared && !context.getImpl().options.blocking;
    facts.isGet = copy.isGet;
    facts.isSignalled = copy.isSignalled;
    facts.isAligned = (copy.source - copy.target) % 16 == 0;
    facts.multiprocessors = context.getDevice().multiprocessors;
    // A call of the driver, for the copies that it decides about.
    if (dependsOnCapture(facts)) {
      CAROUSEL_TRY_ASSIGN(facts.isCaptured,
                          context.getImpl().isCapturing(stream));
    }
    choice = chooseTransport(facts, isExplained);
  }
  if (options.ctas != 0)
    choice.ctas = options.ctas;
  return choice;
}

Result<Transport *> Transports::get(TransportKind kind) {
  switch (kind) {
  case TransportKind::CopyEngine:
    return copyEngine.get();
  case TransportKind::TMA: {
    if (Transport *opened = openedTMA.load(std::memory_order_acquire))
      return opened;
    std::lock_guard<std::mutex> lock(mutex);
    if (tma)
      return tma.get();
    if (!tmaError) {
      Result<std::unique_ptr<Transport>> opened =
          openTMA(context, getSetting(options.transportPackage,
                                      "CAROUSEL_TRANSPORT_PACKAGE"));
      if (opened) {
        tma = std::move(*opened);
        openedTMA.store(tma.get(), std::memory_order_release);
        return tma.get();
      }
      tmaError = std::move(opened.error());
    }
    return tl::make_unexpected(*tmaError);
  }
  case TransportKind::NCCL:
    return fail(ErrorCode::InvalidArgument,
                "transport: expected one that puts and gets, got nccl, which "
                "sends and receives only");
  case TransportKind::Auto:
    break;
  }
  return fail(ErrorCode::InvalidArgument,
              "transport: expected auto, copy-engine or tma, got {}",
              static_cast<int>(kind));
}

Status Transports::check(const Copy &copy, const Route &route,
                         const TransferOptions &options, Stream stream) {
  CAROUSEL_TRY_ASSIGN(TransportChoice choice,
                      choose(copy, route, options, stream));
  CAROUSEL_TRY(get(choice.transport));
  return {};
}

Result<std::string> Transports::explain(const Copy &copy, const Route &route,
                                        const TransferOptions &options,
                                        Stream stream) {
  CAROUSEL_TRY(check(copy, route, options, stream));
  CAROUSEL_TRY_ASSIGN(
      TransportChoice choice,
      choose(copy, route, options, stream, /*isExplained=*/true));
  std::string ctas;
  if (choice.transport == TransportKind::TMA && choice.ctas > 0)
    ctas = fmt::format(" with at most {} CTA{}", choice.ctas,
                       choice.ctas == 1 ? "" : "s");
  return fmt::format("{}{}: {}", runtime::toString(choice.transport), ctas,
                     choice.reason);
}

Status Transports::copy(Copy copy, const Route &route,
                        const TransferOptions &options, Stream stream) {
  CAROUSEL_TRY_ASSIGN(TransportChoice choice,
                      choose(copy, route, options, stream));
  CAROUSEL_TRY_ASSIGN(auto *transport, get(choice.transport));
  if (copy.bytes == 0)
    return {};
  copy.ctas = choice.ctas;
  return transport->copy(copy, stream);
}

Status Transports::add(const Copy &copy, ElementType element, Stream stream) {
  if (copy.ctas < 0)
    return fail(ErrorCode::InvalidArgument, "ctas: expected at least 0, got {}",
                copy.ctas);
  CAROUSEL_TRY_ASSIGN(auto *transport, get(TransportKind::TMA));
  return transport->add(copy, element, stream);
}

/// "multicast.pkg" beside the package of transport kernels.
static std::string getMulticastPackage(const std::string &given) {
  std::string directory = given.empty() ? findTransportPackage() : given;
  while (directory.size() > 1 && directory.back() == '/')
    directory.pop_back();
  size_t slash = directory.rfind('/');
  return (slash == std::string::npos ? "" : directory.substr(0, slash + 1)) +
         "multicast.pkg";
}

Result<Transport *> Transports::getMulticastPut() {
  std::lock_guard<std::mutex> lock(mutex);
  if (!multicastPut) {
    CAROUSEL_TRY_ASSIGN(
        multicastPut,
        openMulticastPut(context, getMulticastPackage(getSetting(
                                      options.transportPackage,
                                      "CAROUSEL_TRANSPORT_PACKAGE"))));
  }
  return multicastPut.get();
}

Status Transports::putMulticast(const Copy &copy, Stream stream) {
  if (copy.ctas < 0)
    return fail(ErrorCode::InvalidArgument, "ctas: expected at least 0, got {}",
                copy.ctas);
  CAROUSEL_TRY_ASSIGN(auto *transport, getMulticastPut());
  if (copy.bytes == 0)
    return {};
  return transport->copy(copy, stream);
}

} // namespace carousel::runtime
