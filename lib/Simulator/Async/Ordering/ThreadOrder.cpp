//===- ThreadOrder.cpp - what a thread gives to others and takes ----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sightings, from which findings explain what is missing.
//
//===----------------------------------------------------------------------===//

#include "ThreadOrder.h"

namespace carousel::sim {

void noteSighting(Thread &thread, const void *place, PublicationRef publication,
                  std::optional<MemScope> acquired) {
  // Polls observe one publication repeatedly.
  Sightings &sightings = thread.view.sightings;
  if (sightings.endsWith(publication.get()) ||
      thread.view.order.covers(publication->writer))
    return;
  Sighting sighting;
  sighting.place = place;
  sighting.publication = std::move(publication);
  sighting.reader = thread.epoch();
  sighting.site = thread.site;
  sighting.cluster = thread.cluster;
  sighting.isRelaxed = !acquired;
  sighting.acquired = acquired;
  sightings.add(std::move(sighting));
}

} // namespace carousel::sim
