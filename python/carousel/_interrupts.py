# ===- _interrupts.py - Ctrl-C and callbacks in calls of C ------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Ends long calls of C on Ctrl-C, and brings exceptions of callbacks back to the caller.

Python runs the handler of a signal when C calls back, and may do so before the callback's first statement. What the handler
raised there would be lost, since ctypes only prints it. So another handler takes a note, and the right one runs after the
call."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType
from typing import Any, Callable, Optional


class CallGuard:
    """A context for one call of C. `is_cancelled` is what C asks now and then."""

    def __init__(self) -> None:
        self.failures: list[BaseException] = []
        self._caught: Optional[tuple[int, Optional[FrameType]]] = None
        self._handler: Any = None

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
        return int(self._caught is not None or bool(self.failures))

    def _note(self, number: int, frame: Optional[FrameType]) -> None:
        self._caught = number, frame

    def __enter__(self) -> CallGuard:
        # Python runs handlers on its main thread only.
        if threading.current_thread() is threading.main_thread():
            handler = signal.getsignal(signal.SIGINT)
            if callable(handler):
                try:
                    signal.signal(signal.SIGINT, self._note)
                    self._handler = handler
                except ValueError:  # of an interpreter within another one
                    pass
        return self

    def __exit__(self, kind: Optional[type[BaseException]], error: Optional[BaseException],
                 _: Optional[TracebackType]) -> None:
        if self._handler is not None:
            signal.signal(signal.SIGINT, self._handler)
        if error is not None:
            return
        if self._caught is not None:
            self._handler(*self._caught)
        if self.failures:
            raise self.failures[0]
