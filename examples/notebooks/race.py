# %% [markdown]
# # A race, found and mended
#
# A sum of all elements, by many programs. The simulated machine runs them in many orders, and says which two accesses aren't
# ordered. No GPU is needed.

# %%
import array

import carousel


@carousel.kernel(grid="ceildiv(n, 1024)")
def sum_all(x: "f32[n]", total: "inout f32[1]"):
    i = carousel.program_id() * 1024
    total[0] = total[0] + x[i:i + 1024].sum()


x = array.array("f", [1] * 10000)
total = array.array("f", [0])
simulation = carousel.simulate(sum_all, {"x": x, "total": total}, lower=True, schedules=20)
simulation

# %% [markdown]
# The programs read and write `total` without an order, so that sums get lost: a data race. `findings` are objects.

# %%
finding = simulation.findings[0]
print(finding.kind, finding.buffer, finding.actor.location.rpartition("/")[2])
assert finding.kind == "data-race" and finding.buffer == "total"


# %% [markdown]
# Each program can leave its part in a workspace, and the one that draws the last ticket can add them:

# %%
def make_kernel(is_ordered):
    @carousel.kernel(grid="ceildiv(n, 1024)")
    def sum_parts(x: "f32[n]", total: "out f32[1]", parts: "workspace f32[ceildiv(n, 1024)]", tickets: "workspace i32[1]"):
        p, programs = carousel.program_id(), carousel.num_programs()
        i = p * 1024
        parts[p] = x[i:i + 1024].sum()
        ticket = carousel.draw_ticket(tickets, programs, is_ordered=is_ordered)

        def finish():
            total[0] = parts[0:1024].sum()

        carousel.cond(ticket + 1 == programs, finish, lambda: None)

    return sum_parts


simulation = carousel.simulate(make_kernel(is_ordered=False), {"x": x, "total": total}, lower=True, schedules=20)
print([finding.kind for finding in simulation.findings])
assert not simulation.is_clean

# %% [markdown]
# Still wrong, and harder to see: a ticket alone orders nothing, so that the last program may read parts that it doesn't see
# yet. A ticket that is ordered does, and 200 schedules find nothing:

# %%
mended = make_kernel(is_ordered=True)
simulation = carousel.simulate(mended, {"x": x, "total": total}, lower=True, schedules=200).check()
simulation

# %%
assert total[0] == 10000
total[0]
