# ===- _interrupts.py - Ctrl-C and callbacks in calls of C ------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Ends long calls of C on Ctrl-C, and brings exceptions of callbacks back to the caller.

Python runs the handler of a signal when C calls back, and may do so before the callback's first statement. What the handler
raised there would be lost, since ctypes only prints it. So it is kept, ends the call, and is raised after it. Ctrl-C ends a
call even if its handler raises nothing."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType
from typing import Any, Callable, Optional


class CallGuard:
    """A context for one call of C. `is_cancelled` is what C asks now and then."""

    def __init__(self) -> None:
        self.failures: list[BaseException] = []
        self._interrupted = False
        self._handlers: dict[int, Callable[[int, Optional[FrameType]], Any]] = {}

    def protect(self, function: Callable[..., object]) -> Callable[..., int]:
        """The function for C. What it raises is kept, and it returns then, and after Ctrl-C, what stops the call."""

        def call(*arguments: Any) -> int:
            try:
                if not self.is_cancelled():
                    function(*arguments)
            except BaseException as error:  # it must not unwind through C
                self.failures.append(error)
            return self.is_cancelled()

        return call

    def is_cancelled(self, _: Any = None) -> int:
        return int(self._interrupted or bool(self.failures))

    def _handle(self, number: int, frame: Optional[FrameType]) -> None:
        handler = self._handlers[number]
        try:
            handler(number, frame)
        except BaseException as error:  # what ends the call
            self.failures.append(error)
        self._interrupted |= number == signal.SIGINT
        # A callback's own call ends, too.
        around = getattr(handler, "__self__", None)
        if isinstance(around, CallGuard):
            self.failures += around.failures[-1:]

    def __enter__(self) -> CallGuard:
        # Python runs handlers on its main thread only.
        if threading.current_thread() is threading.main_thread():
            for number in signal.valid_signals():
                handler = signal.getsignal(number)
                if callable(handler):
                    self._handlers[number] = handler
                    try:
                        signal.signal(number, self._handle)
                    except (ValueError, OSError):  # of an interpreter within another one, or none to catch
                        del self._handlers[number]
        return self

    def __exit__(self, kind: Optional[type[BaseException]], error: Optional[BaseException],
                 _: Optional[TracebackType]) -> None:
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        if error is not None:
            return
        if self.failures:
            raise self.failures[0]
