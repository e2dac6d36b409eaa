//===- ThreadOrder.cpp - what a thread gives to others and takes ----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Observations, from which findings explain what is missing.
//
//===----------------------------------------------------------------------===//

#include "ThreadOrder.h"

namespace carousel::sim {

void noteObservation(Thread &thread, const void *place,
                     PublicationRef publication,
                     std::optional<MemScope> acquired) {
  // Polls observe one publication repeatedly.
  Observations &observations = thread.view.observations;
  if (observations.endsWith(publication.get()) ||
      thread.view.order.covers(publication->writer))
    return;
  Observation observation;
  observation.place = place;
  observation.publication = std::move(publication);
  observation.reader = thread.epoch();
  observation.site = thread.site;
  observation.cluster = thread.cluster;
  observation.gpu = thread.gpu;
  observation.isRelaxed = !acquired;
  observation.acquired = acquired;
  observations.add(std::move(observation));
}

} // namespace carousel::sim
