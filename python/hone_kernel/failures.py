"""Describes failures of a kernel or a reference on one line, with their position."""

import os
import re
import traceback


class WorkerError(Exception):
    """A reply with `ok` false: its kind, a one-line message, and details for the log."""

    def __init__(self, kind, error, detail=""):
        super().__init__(error)
        self.kind = kind
        self.error = error
        self.detail = detail


def _one_line(error):
    """Returns the most useful line: the last one of TVM's long messages, otherwise the first."""
    text = error.msg if isinstance(error, SyntaxError) else str(error)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines:
        return type(error).__name__
    stack = any("Traceback (most recent call last)" in line for line in lines)
    line = re.sub(r"\s+", " ", lines[-1] if stack else lines[0])
    return line if line.startswith(type(error).__name__) else f"{type(error).__name__}: {line}"


def _line_in(error, path):
    """Returns the line of the innermost frame in the file; None if there is none."""
    found = None
    real = os.path.realpath(path)
    if isinstance(error, SyntaxError) and error.filename:
        return error.lineno if os.path.realpath(error.filename) == real else None
    for frame in traceback.extract_tb(error.__traceback__):
        if os.path.realpath(frame.filename) == real:
            found = frame.lineno
    return found


def _while_building(error):
    """Returns true if the error occurred while TileLang parsed a program."""
    return any(
        os.sep + os.path.join("tilelang", "language") + os.sep in frame.filename
        for frame in traceback.extract_tb(error.__traceback__)
    )


def failure_of(error, path, kind):
    """Converts an exception raised by the file at `path` to a WorkerError."""
    if isinstance(error, WorkerError):
        return error
    detail = "".join(traceback.format_exception(error))[-20000:]
    if isinstance(error, PermissionError):
        kind = "refused"
    elif _while_building(error):
        kind = "build"
    text = _one_line(error)
    if isinstance(error, MemoryError) or "can't allocate memory" in text:
        text = "out of memory: exceeds its memory limit"
    if isinstance(error, SystemExit):
        text = f"called exit ({error.code})"
    line = _line_in(error, path)
    place = os.path.basename(path) + (f" line {line}" if line else "")
    return WorkerError(kind, f"{place}: {text}", detail)
