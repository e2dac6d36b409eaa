// Turns that follow the ids of CTAs, in kernels that don't say that all CTAs are on the device at once; and turns and
// tickets that not all threads of a CTA take, or not the same.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-verify-tile))' --split-input-file --verify-diagnostics

#gl = #gpu.address_space<global>
!counters = memref<?xi32, #gl>

// C185: the id itself, by arithmetic.
gpu.module @kernels {
  gpu.func @block(%s: !counters, %n: index) kernel {
    %c0 = arith.constant 0 : index
    // expected-note @below {{CTAs start in any order}}
    %block = gpu.block_id x
    %segment = arith.divui %block, %n : index
    %turn = arith.remui %block, %n : index
    // expected-error @below {{expected turns that follow carousel.grid.ticket, or carousel.coresident or carousel.starts_in_order on the kernel, got a turn that depends on 'gpu.block_id'}}
    carousel.serialize %s[%segment] turn %turn of %n (%first, %last) {
    } : !counters
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
!counters = memref<?xi32, #gl>

// C185: a ticket and the id.
gpu.module @kernels {
  gpu.func @both(%s: !counters, %c: !counters, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %ticket = carousel.grid.ticket %c[%c0] of %n : !counters
    // expected-note @below {{CTAs start in any order}}
    %block = gpu.block_id y
    %turn = arith.addi %ticket, %block : index
    // expected-error @below {{got a turn that depends on 'gpu.block_id'}}
    carousel.serialize %s[%c0] turn %turn of %n (%first, %last) {
    } : !counters
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
!counters = memref<?xi32, #gl>

// C185: a CTA of a persistent grid, which takes each work of a stride.
gpu.module @kernels {
  gpu.func @persistent(%s: !counters, %n: index, %all: index) kernel {
    %c0 = arith.constant 0 : index
    // expected-note @below {{CTAs start in any order}}
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    scf.for %work = %block to %all step %blocks {
      %turn = arith.remui %work, %n : index
      // expected-error @below {{got a turn that depends on 'gpu.block_id'}}
      carousel.serialize %s[%c0] turn %turn of %n (%first, %last) {
      } : !counters
    }
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
!counters = memref<?xi32, #gl>

// C185: out of a branch, and from iteration to iteration.
gpu.module @kernels {
  gpu.func @carried(%s: !counters, %n: index, %swaps: i1) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %blocks = gpu.grid_dim x
    %turns = scf.for %i = %c0 to %n step %c1 iter_args(%turn = %c0) -> (index) {
      // expected-error @below {{got a turn that depends on 'gpu.cluster_id'}}
      carousel.serialize %s[%c0] turn %turn of %n (%first, %last) {
      } : !counters
      %next = scf.if %swaps -> (index) {
        // expected-note @below {{CTAs start in any order}}
        %cluster = gpu.cluster_id x
        scf.yield %cluster : index
      } else {
        scf.yield %c1 : index
      }
      scf.yield %next : index
    }
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
!counters = memref<?xi32, #gl>

// C135: a turn that one warp takes.
gpu.module @kernels {
  gpu.func @warp_takes_turn(%s: !counters, %turn: index, %n: index) kernel {
    %c32 = arith.constant 32 : index
    %thread = gpu.thread_id x
    %is_first = arith.cmpi ult, %thread, %c32 : index
    // expected-note @below {{the threads part here}}
    scf.if %is_first {
      // expected-error @below {{expected all threads of the cta at a turn, got one under 'scf.if' that depends on 'gpu.thread_id'}}
      carousel.serialize %s[%n] turn %turn of %n (%first, %last) {
      } : !counters
    }
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
!counters = memref<?xi32, #gl>

// C135: a semaphore for each warp.
gpu.module @kernels {
  gpu.func @semaphore_of_warp(%s: !counters, %turn: index, %n: index) kernel {
    %c32 = arith.constant 32 : index
    // expected-note @below {{the threads differ here}}
    %thread = gpu.thread_id x
    %warp = arith.divui %thread, %c32 : index
    // expected-error @below {{expected operands that are the same in all threads of the cta, got operand 1 that depends on 'gpu.thread_id'}}
    carousel.serialize %s[%warp] turn %turn of %n (%first, %last) {
    } : !counters
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
!counters = memref<?xi32, #gl>

// C135: a ticket for each thread, in a loop of its own.
gpu.module @kernels {
  gpu.func @ticket_of_thread(%c: !counters, %n: index) kernel {
    %c1 = arith.constant 1 : index
    %thread = gpu.thread_id x
    // expected-note @below {{the threads part here}}
    scf.for %i = %thread to %n step %c1 {
      // expected-error @below {{expected all threads of the cta at a ticket, got one under 'scf.for' that depends on 'gpu.thread_id'}}
      %ticket = carousel.grid.ticket %c[%n] of %n : !counters
    }
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!counters = memref<?xi32, #gl>

// C135: an accumulation at an offset by thread.
gpu.module @kernels {
  gpu.func @accumulate_by_thread(%y: memref<?xf32, #gl>, %s: !counters, %turn: index, %n: index)
      workgroup(%tile: memref<32xf32, #ws>) kernel {
    // expected-note @below {{the threads differ here}}
    %thread = gpu.thread_id x
    carousel.serialize %s[%n] turn %turn of %n (%first, %last) {
      // expected-error @below {{expected offsets that are the same in all threads of the cta, got offset 0 that depends on 'gpu.thread_id'}}
      carousel.accumulate %tile into %y[%thread] reduce<add f32> first(%first)
          : memref<32xf32, #ws>, memref<?xf32, #gl>
    } : !counters
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
!counters = memref<?xi32, #gl>

// C134: branches of the cf dialect.
gpu.module @kernels {
  gpu.func @blocks(%c: !counters, %n: index, %wanted: i1) kernel {
    cf.cond_br %wanted, ^then, ^end
  ^then:
    // expected-error @below {{expected structured control flow around a ticket, got a region of 3 blocks}}
    %ticket = carousel.grid.ticket %c[%n] of %n : !counters
    cf.br ^end
  ^end:
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
!counters = memref<?xi32, #gl>

// C185: work that a CTA takes by its id, again and again.
gpu.module @kernels {
  gpu.func @again(%s: !counters, %n: index) kernel {
    %c0 = arith.constant 0 : index
    // expected-note @below {{CTAs start in any order}}
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %last = scf.while (%a = %block) : (index) -> index {
      %exists = arith.cmpi ult, %a, %n : index
      scf.condition(%exists) %a : index
    } do {
    ^bb0(%turn: index):
      // expected-error @below {{got a turn that depends on 'gpu.block_id'}}
      carousel.serialize %s[%c0] turn %turn of %n (%first, %last_turn) {
      } : !counters
      %next = arith.addi %turn, %blocks : index
      scf.yield %next : index
    }
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!counters = memref<?xi32, #gl>

// C135: not all threads take the turn for the first one.
gpu.module @kernels {
  gpu.func @first_of_thread(%y: memref<?xf32, #gl>) kernel {
    %c0 = arith.constant 0 : index
    // expected-note @below {{the threads differ here}}
    %thread = gpu.thread_id x
    %is_first = arith.cmpi eq, %thread, %c0 : index
    %tile = memref.alloc() : memref<64xf32, #ws>
    // expected-error @below {{expected turns that are the same in all threads of the cta, got turn 0 that depends on 'gpu.thread_id'}}
    carousel.accumulate %tile into %y[%c0] reduce<add f32> first(%is_first)
        : memref<64xf32, #ws>, memref<?xf32, #gl>
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
!counters = memref<?xi32, #gl>

// C134
gpu.module @kernels {
  gpu.func @device(%s: !counters, %n: index) {
    %c0 = arith.constant 0 : index
    // expected-error @below {{expected a kernel around a ticket, got a device function}}
    %ticket = carousel.grid.ticket %s[%c0] of %n : !counters
    // expected-error @below {{expected a kernel around a turn, got a device function}}
    carousel.serialize %s[%c0] turn %ticket of %n (%first, %last) {
    } : !counters
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
!counters = memref<?xi32, #gl>

// C189: one more than a counter of 32 bits holds.
gpu.module @kernels {
  gpu.func @too_many(%c: !counters) kernel {
    %c0 = arith.constant 0 : index
    %total = arith.constant 2147483648 : index
    // expected-error @below {{expected 1 to 2^31 - 1 tickets, got 2147483648}}
    %ticket = carousel.grid.ticket %c[%c0] of %total : !counters
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
!counters = memref<?xi32, #gl>

// C189: nobody may take one.
gpu.module @kernels {
  gpu.func @none(%c: !counters) kernel {
    %c0 = arith.constant 0 : index
    %total = arith.constant 0 : index
    // expected-error @below {{expected 1 to 2^31 - 1 tickets, got 0}}
    %ticket = carousel.grid.ticket %c[%c0] of %total : !counters
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
!counters = memref<?xi32, #gl>

// C185: in functions that are called, one by the other, and by itself.
gpu.module @kernels {
  func.func private @own(%n: index) -> (index, index) {
    // expected-note @below {{CTAs start in any order}}
    %block = gpu.block_id x
    %turn = arith.remui %block, %n : index
    return %n, %turn : index, index
  }
  func.func private @through(%n: index) -> index {
    %a, %b = func.call @own(%n) : (index) -> (index, index)
    return %b : index
  }
  gpu.func @called(%s: !counters, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %turn = func.call @through(%n) : (index) -> index
    // expected-error @below {{expected turns that follow carousel.grid.ticket, or carousel.coresident or carousel.starts_in_order on the kernel, got a turn that depends on 'gpu.block_id'}}
    carousel.serialize %s[%c0] turn %turn of %n (%first, %last) {
    } : !counters
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
!counters = memref<?xi32, #gl>

// C185: as an argument of a function that hands it back. Other results and other arguments don't matter.
gpu.module @kernels {
  func.func private @swap(%a: index, %b: index) -> (index, index) {
    return %b, %a : index, index
  }
  gpu.func @argument(%s: !counters, %n: index) kernel {
    %c0 = arith.constant 0 : index
    // expected-note @below {{CTAs start in any order}}
    %block = gpu.block_id x
    %turn, %other = func.call @swap(%n, %block) : (index, index) -> (index, index)
    carousel.serialize %s[%c0] turn %other of %n (%first, %last) {
    } : !counters
    // expected-error @below {{got a turn that depends on 'gpu.block_id'}}
    carousel.serialize %s[%c0] turn %turn of %n (%first, %last) {
    } : !counters
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
!counters = memref<?xi32, #gl>

// C226
gpu.module @kernels {
  gpu.func @orders_memory(%c: !counters, %n: index) kernel {
    %c0 = arith.constant 0 : index
    // expected-error @below {{expected acq_rel at the block phase only; the tile phase has carousel.fence.thread}}
    %ticket = carousel.grid.ticket %c[%c0] of %n acq_rel : !counters
    gpu.return
  }
}
