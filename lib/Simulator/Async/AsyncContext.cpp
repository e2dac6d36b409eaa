//===- AsyncContext.cpp - what the asynchronous units share ---------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Accesses and findings of the running thread, and names for reports.
//
//===----------------------------------------------------------------------===//

#include "AsyncContext.h"

#include "carousel/Support/HardwareLimits.h"

#include "llvm/ADT/StringExtras.h"

namespace carousel::sim {

using llvm::Twine;

Access AsyncContext::makeAccess(AccessKind kind) const {
  const Thread &thread = grid.current();
  Access access;
  access.kind = kind;
  access.epoch = thread.epoch();
  access.view = &thread.view;
  access.thread = thread.index;
  access.site = thread.site;
  return access;
}

bool AsyncContext::accessWord(const char *what, const void *address,
                              uint64_t bytes, AtomicForm form, bool isSystem) {
  if (reinterpret_cast<uint64_t>(address) % bytes != 0)
    invalid(what,
            Twine("expected a ") + what + " aligned to " + Twine(bytes) +
                " bytes",
            address, bytes);
  Access access = makeAccess(AccessKind::Atomic);
  access.form = form;
  access.elementBytes = uint8_t(bytes);
  access.isSystem = isSystem;
  access.mayBeUnwritten = form == AtomicForm::Store;
  return memory.access(address, bytes, access).inBounds;
}

void AsyncContext::report(FindingKind kind, Actor actor, const Twine &message,
                          const void *address, uint64_t size,
                          std::optional<Actor> other) {
  Finding finding;
  finding.kind = kind;
  finding.message = message.str();
  finding.actor = std::move(actor);
  finding.other = std::move(other);
  if (address)
    memory.describe(address, size, finding);
  log.report(std::move(finding));
}

void AsyncContext::invalid(llvm::StringRef name, const Twine &message,
                           const void *address, uint64_t size) {
  report(FindingKind::InvalidOperand, here().actor(name), message, address,
         size);
  trap();
}

std::string AsyncContext::describeSite(const Who &who) const {
  std::string text =
      grid.describeCTA(who.cta) + " thread " + llvm::utostr(who.thread);
  if (siteNames)
    if (std::string site = siteNames(who.site); !site.empty())
      text += " at " + site;
  return text;
}

std::string AsyncContext::describeName(const void *address) const {
  Finding finding;
  memory.describe(address, rules::kMbarrierBytes, finding);
  std::string name = finding.buffer.empty() ? "barrier" : finding.buffer;
  if (finding.slot)
    name += "[" + llvm::utostr(*finding.slot) + "]";
  return name;
}

} // namespace carousel::sim
