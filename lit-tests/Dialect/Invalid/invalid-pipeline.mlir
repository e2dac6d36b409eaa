// Messages of #carousel.pipeline: its parser, its verifier and its place.
// RUN: carousel-opt %s --split-input-file --verify-diagnostics

// C116: a field that a pipeline doesn't have.
func.func @pipeline_field(%n: index) {
  scf.for %i = %n to %n step %n {
  // expected-error @below {{expected one of stages, prefetch, mode, scope, release, epilogue, stores, store_slots, tiles, producers, producer_registers, consumer_registers, multicast in a pipeline, got 'depth'}}
  } {carousel.pipeline = #carousel.pipeline<depth = 4>}
  return
}

// -----

// C116: a field twice.
func.func @pipeline_twice(%n: index) {
  scf.for %i = %n to %n step %n {
  // expected-error @below {{expected each field of a pipeline once, got 'stages' again}}
  } {carousel.pipeline = #carousel.pipeline<stages = 4, stages = 3>}
  return
}

// -----

// C116: a mode that isn't there.
func.func @pipeline_mode(%n: index) {
  scf.for %i = %n to %n step %n {
  // expected-error @below {{expected one of [unified, specialized] for pipeline mode, got: fast}}
  } {carousel.pipeline = #carousel.pipeline<mode = fast>}
  return
}

// -----

// C129: no stage.
func.func @pipeline_stages(%n: index) {
  scf.for %i = %n to %n step %n {
  // expected-error @below {{expected 1 or more stages, got 0}}
  } {carousel.pipeline = #carousel.pipeline<stages = 0>}
  return
}

// -----

// C129: no slot for stores.
func.func @pipeline_store_slots(%n: index) {
  scf.for %i = %n to %n step %n {
  // expected-error @below {{expected 1 or more store slots, got 0}}
  } {carousel.pipeline = #carousel.pipeline<store_slots = 0>}
  return
}

// -----

// C129: loads that run behind.
func.func @pipeline_prefetch(%n: index) {
  scf.for %i = %n to %n step %n {
  // expected-error @below {{expected a prefetch distance of 0 or more, got -1}}
  } {carousel.pipeline = #carousel.pipeline<prefetch = -1>}
  return
}

// -----

// C129: loads that run into what is being read.
func.func @pipeline_distance(%n: index) {
  scf.for %i = %n to %n step %n {
  // expected-error @below {{expected a prefetch distance below the 4 stages, got 4}}
  } {carousel.pipeline = #carousel.pipeline<stages = 4, prefetch = 4>}
  return
}

// -----

// C130: producers among equals.
func.func @pipeline_producers(%n: index) {
  scf.for %i = %n to %n step %n {
  // expected-error @below {{expected producers with mode specialized only, got 2}}
  } {carousel.pipeline = #carousel.pipeline<producers = 2>}
  return
}

// -----

// C130: registers of roles that aren't there.
func.func @pipeline_registers(%n: index) {
  scf.for %i = %n to %n step %n {
  // expected-error @below {{expected register counts with mode specialized only}}
  } {carousel.pipeline = #carousel.pipeline<consumer_registers = 240>}
  return
}

// -----

// C130: roles within a warp.
func.func @pipeline_scope(%n: index) {
  scf.for %i = %n to %n step %n {
  // expected-error @below {{expected scope cta with mode specialized, got warp}}
  } {carousel.pipeline = #carousel.pipeline<mode = specialized, scope = warp>}
  return
}

// -----

// C130: no producer.
func.func @pipeline_no_producer(%n: index) {
  scf.for %i = %n to %n step %n {
  // expected-error @below {{expected 1 to 31 producer warps, got 0}}
  } {carousel.pipeline = #carousel.pipeline<mode = specialized, producers = 0>}
  return
}

// -----

// C130: no consumer.
func.func @pipeline_no_consumer(%n: index) {
  scf.for %i = %n to %n step %n {
  // expected-error @below {{expected 1 to 31 producer warps, got 32}}
  } {carousel.pipeline = #carousel.pipeline<mode = specialized, producers = 32>}
  return
}

// -----

// C130: registers of one role.
func.func @pipeline_one_role(%n: index) {
  scf.for %i = %n to %n step %n {
  // expected-error @below {{expected register counts of both producers and consumers, got one}}
  } {carousel.pipeline = #carousel.pipeline<mode = specialized, producer_registers = 24>}
  return
}

// -----

// C130: registers out of range.
func.func @pipeline_few_registers(%n: index) {
  scf.for %i = %n to %n step %n {
  // expected-error @below {{expected 24 to 256 registers in steps of 8, got 16}}
  } {carousel.pipeline = #carousel.pipeline<mode = specialized, producer_registers = 16, consumer_registers = 240>}
  return
}

// -----

// C130: registers out of step.
func.func @pipeline_odd_registers(%n: index) {
  scf.for %i = %n to %n step %n {
  // expected-error @below {{expected 24 to 256 registers in steps of 8, got 250}}
  } {carousel.pipeline = #carousel.pipeline<mode = specialized, producer_registers = 24, consumer_registers = 250>}
  return
}

// -----

// C131: a barrier of the CTA for a ring of a warp.
func.func @pipeline_cta_barrier(%n: index) {
  scf.for %i = %n to %n step %n {
  // expected-error @below {{expected scope cta and mode unified with release cta_barrier, got scope warp and mode unified}}
  } {carousel.pipeline = #carousel.pipeline<scope = warp, release = cta_barrier>}
  return
}

// -----

// C131: a barrier of all with roles.
func.func @pipeline_roles_barrier(%n: index) {
  scf.for %i = %n to %n step %n {
  // expected-error @below {{expected scope cta and mode unified with release cta_barrier, got scope cta and mode specialized}}
  } {carousel.pipeline = #carousel.pipeline<mode = specialized, release = cta_barrier>}
  return
}

// -----

// C131: a barrier of a warp for the CTA's ring.
func.func @pipeline_warp_barrier(%n: index) {
  scf.for %i = %n to %n step %n {
  // expected-error @below {{expected scope warp and mode unified with release warp_barrier, got scope cta and mode unified}}
  } {carousel.pipeline = #carousel.pipeline<release = warp_barrier>}
  return
}

// -----

// C132: a pipeline of something that isn't an scf.for.
// expected-error @below {{expected carousel.pipeline on an scf.for or scf.while, got it on func.func}}
func.func private @pipeline_place() attributes {carousel.pipeline = #carousel.pipeline<>}

// -----

// C132: something that isn't a pipeline.
func.func @pipeline_value(%n: index) {
  // expected-error @below {{expected #carousel.pipeline<...> as carousel.pipeline, got 4}}
  scf.for %i = %n to %n step %n {
  } {carousel.pipeline = 4 : i64}
  return
}

// -----

// C129: no stage in a list.
// expected-error @below {{expected 1 or more stages, got 0}}
func.func private @pipeline_list_empty_ring() attributes {a = #carousel.pipeline<stages = [2, 0]>}

// -----

// C129: nothing is deep enough for the prefetch distance.
// expected-error @below {{expected a prefetch distance below the 3 stages, got 3}}
func.func private @pipeline_list_prefetch() attributes {a = #carousel.pipeline<stages = [2, 3], prefetch = 3>}

// -----

// C336: a cluster has 8 CTAs at most.
func.func @pipeline_multicast(%n: index) {
  scf.for %i = %n to %n step %n {
  // expected-error @below {{expected multicast to 1 to 8 CTAs, got 16}}
  } {carousel.pipeline = #carousel.pipeline<multicast = 16>}
  return
}

// -----

// C336: warps of several CTAs.
func.func @pipeline_multicast_scope(%n: index) {
  scf.for %i = %n to %n step %n {
  // expected-error @below {{expected scope cta with multicast, got warp}}
  } {carousel.pipeline = #carousel.pipeline<scope = warp, multicast = 2>}
  return
}

// -----

// C336: a barrier of threads doesn't release slots of other CTAs.
func.func @pipeline_multicast_release(%n: index) {
  scf.for %i = %n to %n step %n {
  // expected-error @below {{expected release empty_barrier with multicast, got cta_barrier}}
  } {carousel.pipeline = #carousel.pipeline<release = cta_barrier, multicast = 2>}
  return
}
