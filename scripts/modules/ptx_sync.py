# ===- ptx_sync.py - the asynchronous instructions of a PTX text ----------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""The sequences of asynchronous instructions that the paths through a kernel have, as an automaton.

Two compilers lay out blocks, rotate loops and copy code as they like. What doesn't depend on that is
the set of sequences that all paths of the control flow give. It is the language of an automaton whose
states are places in the text; two kernels synchronise the same way if the automata have the same one.

Compilers know that some paths are never taken, not all of them the same, and unroll loops of a known number of
turns: then there are fewer sequences. So one text is held between two others. It has no sequence that the one without
optimisation hasn't; and whatever the optimised one has directly one after the other, it has, too.
"""

import functools
import itertools
import re
from collections import Counter, deque

# What orders threads and memory, or moves data asynchronously.
SYNC = re.compile(
    r"mbarrier\.|wgmma\.|cp\.async|cp\.reduce|fence\b|membar|bar\.|barrier\.|elect\.|griddepcontrol|setmaxnreg|"
    r"st\.async|red\.async|st\.bulk|tensormap|prefetch|mapa|getctarank|createpolicy|ld\.acquire|st\.release|shfl|"
    r"atom\.|red\."
)
# An address is computed, not done; it may be computed more than once, or never.
PURE = re.compile(r"mapa|getctarank|createpolicy|fence\.proxy\.tensormap::generic\.none")


CALL = re.compile(r"(@!?%\w+\s+)?\bcall(?:\.uni)?\s+(?:\([^)]*\)\s*,\s*)?([\w$]+)\s*(?:,\s*\([^)]*\)\s*)?;")


BEGINNING = re.compile(r"[{;]")
BRACE = re.compile(r"[{}]")


def find_bodies(ptx, directive):
    """Name -> the text between its braces, of kernels (entry) or of device functions (func) that have one."""
    found = {}
    for match in re.finditer(rf"\.{directive}\s+(?:\([^)]*\)\s*)?([\w$]+)", ptx):
        start = BEGINNING.search(ptx, match.end())
        if start and start[0] == ";":
            continue  # a declaration
        depth = 1
        for brace in BRACE.finditer(ptx, start.end()):
            depth += 1 if brace[0] == "{" else -1
            if not depth:
                break
        found[match[1]] = ptx[start.end() : brace.start()]
    return found


def rename(body, suffix):
    """With registers and labels of its own, and with a branch to the label `$end` in place of each return."""
    labels = set(re.findall(r"([$\w]+):(?!:)", body))
    body = re.sub(r"%[a-zA-Z_]+\d\w*", lambda register: register[0] + suffix, body)
    body = re.sub(r"[$\w]+", lambda word: word[0] + suffix if word[0] in labels else word[0], body)
    return re.sub(r"\bret(\.uni)?\s*;", f"bra $end{suffix};", body) + f"\n$end{suffix}:\n"


class Inliner:
    """Puts functions' bodies in place of calls, as one compiler inlines what the other one calls. Calls of functions that
    the text only declares stay, and recursive ones."""

    MARK = "\0"  # for the suffix of a call's names, in a body that many calls have

    def __init__(self, functions):
        self.functions, self.bodies = functions, {}

    def inline(self, body, callers=frozenset()):
        numbers = itertools.count()

        def expand(call):
            name = call[2]
            if call[1] or name not in self.functions or name in callers:
                return call[0]
            return self.get_body(name, callers).replace(self.MARK, f"_of_call{next(numbers)}")
        return CALL.sub(expand, re.sub(r"//[^\n]*", "", body))

    def get_body(self, name, callers):
        key = name, callers
        if key not in self.bodies:
            self.bodies[key] = rename(self.inline(self.functions[name], callers | {name}), self.MARK)
        return self.bodies[key]


def entries(ptx):
    """Kernel -> the text between its braces, with the functions that it calls."""
    inliner = Inliner(find_bodies(ptx, "func"))
    return {name: inliner.inline(body) for name, body in find_bodies(ptx, "entry").items()}


LABEL = re.compile(r"([$\w]+):(?!:)\s*")
LINE = re.compile(r"^(\.loc|\.pragma|\.file)[^\n]*(\n\s*|$)")
DECLARATION = re.compile(r"\.(reg|shared|local|loc|pragma|param|align|extern)\b")


def statements(body):
    """Labels, as `name:`, and instructions, without declarations."""
    body = re.sub(r"//[^\n]*", "", body)
    body = re.sub(r"/\*.*?\*/", "", body, flags=re.S)
    for chunk in body.split(";"):
        chunk = chunk.strip()
        while chunk:
            label = LABEL.match(chunk)
            if label:
                yield label[1] + ":"
                chunk = chunk[label.end() :]
            elif chunk[0] in "{}":
                chunk = chunk[1:].lstrip()
            else:
                break
        chunk = LINE.sub("", chunk).strip()
        if chunk and not DECLARATION.match(chunk):
            yield " ".join(chunk.split())


def constants(body):
    """Register -> the number that is all that it ever holds."""
    values = {}
    for register, value in re.findall(r"\bmov\.\w+\s+(%\w+),\s*(-?\w+)\s*;", body):
        try:
            values.setdefault(register, set()).add(int(value, 0))
        except ValueError:
            values.setdefault(register, set()).add(None)
    reading = re.compile(r"bar|st\.|red\.|cp\.|bra\b|call|prefetch|setmaxnreg|fence|mbarrier\.(init|inval|expect|complete)")
    firsts = re.findall(r"^\s*(?:@!?%\w+\s+)?([\w.:]+)\s+(%\w+)", body, flags=re.M)
    written = [register for name, register in firsts if not reading.match(name)]
    writes = Counter(written)
    once = {register for register in values if writes[register] <= 1}
    known = {register: held.pop() for register, held in values.items() if register in once and len(held) == 1}
    copies = re.findall(r"\bmov\.\w+\s+(%\w+),\s*(%\w+)\s*;", body)
    for _ in copies:  # copies of copies
        found = {to: known[of] for to, of in copies if of in known and to not in known and writes[to] == 1}
        known.update(found)
        if not found:
            break
    return {register: value for register, value in known.items() if value is not None}


def letter(instruction, known):
    """The instruction with what doesn't depend on the compiler: its name, its qualifiers, its numbers."""
    name, _, operands = instruction.partition(" ")
    name = name.replace(".shared::cta", ".shared").replace("barrier.sync.aligned", "bar.sync")
    name = re.sub(r"\.(b|s|u)(32|64)$", r".b\2", name)  # a type without a sign
    if name.startswith("atom."):  # a space that compilers infer, and what it is without qualifiers
        name = name.replace(".global", "").replace(".relaxed.gpu", "")
    parts = []
    for operand in re.split(r",\s*(?![^\[{]*[\]}])", operands):
        operand = operand.strip()
        value = known.get(operand)
        if value is None and re.fullmatch(r"-?(0x[0-9a-fA-F]+|\d+)U?", operand):
            value = int(operand.rstrip("U"), 0)
        if value is not None:
            parts.append(str(value & 0xFFFFFFFF))
    if name.startswith(("mbarrier.try_wait", "mbarrier.test_wait", "shfl", "atom", "red.", "prefetch", "st.async")):
        parts = []  # parities and values are computed
    if name.startswith("mbarrier.arrive") and "expect_tx" not in name and parts[-1:] == ["1"]:
        parts.pop()  # what it is without a count
    return " ".join([name, *parts])


GUARDED = re.compile(r"@!?%?\w+\s+")
BRANCH = re.compile(r"bra\b")
TABLE = re.compile(r"brx\.idx")
LEAVING = re.compile(r"(ret|exit|trap)\b")
CALLED = re.compile(r"call(?:\.uni)?\s+(?:\([^)]*\),\s*)?([\w$]+)")


class Automaton:
    """Non-deterministic: state -> [(letter or None, next state)]; state 0 begins, `final` ends."""

    start = 0

    def __init__(self, body):
        self.text = text = list(statements(body))
        known = constants(body)
        labels = {item[:-1]: place for place, item in enumerate(text) if item.endswith(":")}
        tables = {label: re.findall(r"\$[\w$]+", targets)
                  for label, targets in re.findall(r"([$\w]+):\s*\.branchtargets([^;]*);", body)}
        self.final = len(text)
        self.skipped = {}
        self.edges = {place: [] for place in range(len(text) + 1)}
        for place, item in enumerate(text):
            out, after = self.edges[place], (None, place + 1)
            guard = GUARDED.match(item)
            instruction = item[guard.end() :] if guard else item
            if guard:
                out.append(after)
            if item.endswith(":") or item.startswith("."):
                out.append(after)
            elif BRANCH.match(instruction):
                out.append((None, labels[instruction.split()[-1]]))
            elif TABLE.match(instruction):
                out += [(None, labels[target]) for target in tables[instruction.split()[-1]]]
            elif LEAVING.match(instruction):
                out.append((None, self.final))
            elif SYNC.match(instruction) and not PURE.match(instruction):
                out.append((letter(instruction, known), place + 1))
            else:
                call = CALLED.match(instruction)
                out.append((f"call {call[1]}" if call else None, place + 1))

    def follow(self, state):
        return self.edges[state]

    def skip(self, state):
        """The first state from here with more than one way on, or with an instruction."""
        passed = []
        while state not in self.skipped:
            self.skipped[state] = state  # of a loop without an instruction, any state will do
            passed.append(state)
            edges = self.follow(state)
            if len(edges) != 1 or edges[0][0] is not None:
                break
            state = edges[0][1]
        for other in passed:
            self.skipped[other] = self.skipped[state]
        return self.skipped[state]

    def close(self, states):
        """All that is reached without an instruction, but for states with a single way on."""
        seen = set(map(self.skip, states))
        work = list(seen)
        while work:
            for symbol, target in self.follow(work.pop()):
                if symbol is None and (target := self.skip(target)) not in seen:
                    seen.add(target)
                    work.append(target)
        return frozenset(seen)

    def step(self, states):
        """Letter -> the states behind it."""
        targets = {}
        for state in states:
            for symbol, target in self.follow(state):
                if symbol is not None:
                    targets.setdefault(symbol, set()).add(target)
        return {symbol: self.close(places) for symbol, places in targets.items()}


GUARD = re.compile(r"@(!?)(%\w+)\s+")
PREDICATE = re.compile(r"(setp|not|and|or|mov)\.(\w+)(?:\.\w+)?\s+(%\w+),\s*([^,]+)(?:,\s*([^,]+))?$")
REGISTER = re.compile(r"%\w+")
OPPOSITES = {"ne": "eq", "ge": "lt", "gt": "le", "hs": "lo", "hi": "ls"}
MOST_STATES = 100000  # of one kernel; without a bound, each condition could double them


class Predicates:
    """What the predicates of a text are: ("not", a), ("and", a, b), ("or", a, b), a comparison, or a register that is
    written more than once."""

    def __init__(self, text):
        self.written = [self.find_written(item) for item in text]
        counts = Counter(register for registers in self.written for register in registers)
        self.known = {}
        for item in text:  # a definition comes before its uses, but for registers that are written several times
            found = PREDICATE.match(item)
            if found and counts[found[3]] == 1:
                what = self.define(*found.groups(), counts)
                if what:
                    self.known[found[3]] = what

    @staticmethod
    def find_written(item):
        """Registers that a statement may write."""
        guard = GUARD.match(item)
        name, _, operands = (item[guard.end():] if guard else item).partition(" ")
        return set(REGISTER.findall(operands if name.startswith("call") else operands.split(",")[0]))

    def define(self, name, kind, _, first, second, counts):
        if name == "setp":
            operands = REGISTER.findall(f"{first} {second}")
            if any(counts[register] > 1 for register in operands):
                return None
            relation = OPPOSITES.get(kind, kind)
            comparison = ("compare", relation, first, second)
            return comparison if relation == kind else ("not", comparison)
        if kind != "pred" or name == "mov":
            return None
        return (name, *(self.read(register) for register in (first, second) if register))

    def read(self, register):
        return self.known.get(register, ("register", register))

    @staticmethod
    @functools.cache
    def registers(what):
        """That it depends on."""
        if what[0] in ("not", "and", "or"):
            return frozenset().union(*map(Predicates.registers, what[1:]))
        return frozenset(REGISTER.findall(" ".join(what[1:])))


def evaluate(what, facts):
    """True, False, or None where it isn't known."""
    if what in facts:
        return facts[what]
    if what[0] == "not":
        value = evaluate(what[1], facts)
        return None if value is None else not value
    if what[0] in ("and", "or"):
        decides, values = what[0] == "or", [evaluate(part, facts) for part in what[1:]]
        return decides if decides in values else None if None in values else not decides
    return None


def assume(what, value, facts):
    if what[0] == "not":
        assume(what[1], not value, facts)
    elif what[0] in ("and", "or") and value == (what[0] == "and"):
        for part in what[1:]:
            assume(part, value, facts)
    else:
        facts[what] = value


class TakenPaths(Automaton):
    """Without paths that take a condition to be true at one branch, and false at a later one. A state is a place and
    what is known there of the conditions that later branches test."""

    start = (0, frozenset())

    def __init__(self, body):
        super().__init__(body)
        self.predicates = Predicates(self.text)
        self.moves = [re.match(r"mov\.pred\s+(%\w+),\s*(\S+)$", item) for item in self.text]
        followers = self.find_followers()
        self.tests = [GUARD.match(item) if followers[place] == place else None for place, item in enumerate(self.text)]
        self.find_later_registers()
        self.known = {}
        work = [self.start]
        while work and len(self.known) <= MOST_STATES:
            state = work.pop()
            if state not in self.known:
                self.known[state] = list(self.find_next(state))
                work += [target for _, target in self.known[state]]
        self.is_whole = not work
        if not self.is_whole:
            self.start = 0

    def follow(self, state):
        return self.known[state] if self.is_whole else self.edges[state]

    def find_followers(self):
        """Place -> the next place to which all paths lead without an instruction or a copy of a predicate: the place
        itself if it has one, or if paths part there. What is tested elsewhere makes no difference."""
        parts = {place for place in self.edges if place == self.final or self.moves[place]
                 or any(symbol is not None for symbol, _ in self.edges[place])}
        followers, changed = dict.fromkeys(self.edges), True
        while changed:
            changed = False
            for place in reversed(self.edges):
                found = {followers[target] for _, target in self.edges[place]} - {None}
                new = place if place in parts or len(found) > 1 else next(iter(found), None)
                if len(found) > 1:
                    parts.add(place)
                if new != followers[place]:
                    followers[place], changed = new, True
        return followers

    def find_later_registers(self):
        """Place -> the registers on which tests behind it depend, before they are written again."""
        read, self.later = [], [set() for _ in range(len(self.text) + 1)]
        for test, move in zip(self.tests, self.moves):
            names = [match[n] for match, n in ((test, 2), (move, 2)) if match and match[n][0] == "%"]
            read.append(set().union(*(self.predicates.registers(self.predicates.read(name)) for name in names)))
        changed = True
        while changed:
            changed = False
            for place in range(len(self.text) - 1, -1, -1):
                found = set().union(*(self.later[target] for _, target in self.edges[place]))
                found = (found - self.predicates.written[place]) | read[place]
                if found != self.later[place]:
                    self.later[place], changed = found, True

    def find_next(self, state):
        place, facts = state[0], dict(state[1])
        if place == self.final:
            return
        test, move = self.tests[place], self.moves[place]
        for number, (symbol, target) in enumerate(self.edges[place]):
            after = dict(facts)
            if test:
                executes = number > 0  # the first edge of what has a guard is past it
                condition, value = self.predicates.read(test[2]), executes != bool(test[1])
                if evaluate(condition, after) not in (None, value):
                    continue
                assume(condition, value, after)
            moved = None
            if move:
                moved = evaluate(self.predicates.read(move[2]), after) if move[2][0] == "%" else move[2] not in ("0", "false")
            if move and moved is not None:
                after[("register", move[1])] = moved
            written = self.predicates.written[place]
            kept = {what: value for what, value in after.items()
                    if (registers := self.predicates.registers(what)) <= self.later[target]
                    and (not registers & written or (moved is not None and what == ("register", move[1])))}
            yield symbol, (target, frozenset(kept.items()))


def find_excess(first, second):
    """The shortest sequence that `first` has and `second` hasn't: what leads to it, and the instruction; None if
    there is none. Both are made deterministic on the way."""
    start = (first.close({first.start}), second.close({second.start}))
    seen, work = {start}, deque([(start, ())])
    while work:
        (a, b), path = work.popleft()
        if first.final in a and second.final not in b:
            return path, "the end"
        left, right = first.step(a), second.step(b)
        for symbol, places in left.items():
            if symbol not in right:
                return path, symbol
            pair = (places, right[symbol])
            if pair not in seen:
                seen.add(pair)
                work.append((pair, (*path, symbol)))
    return None


def find_missing_pair(first, second):
    """Two instructions that `first` has one after the other on some path and `second` on none; None if there are
    none. The beginning counts as an instruction. The end doesn't: behind a branch, another one on the same condition
    has a way to the end that is never taken, and one compiler sees that where the other doesn't."""

    def pairs(automaton):
        found, seen, start = set(), set(), automaton.close({automaton.start})
        work = [("the beginning", start)]
        while work:
            before, places = work.pop()
            for symbol, after in automaton.step(places).items():
                found.add((before, symbol))
                if (symbol, after) not in seen:
                    seen.add((symbol, after))
                    work.append((symbol, after))
        return found

    return min(pairs(first) - pairs(second), default=None)
