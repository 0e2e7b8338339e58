"""Takes events from any thread, and hands them to ``rlm record`` until each is acknowledged."""

from __future__ import annotations

import atexit
import json
import logging
import os
import queue
import shlex
import shutil
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
import weakref
from typing import Any, Protocol

from ._values import line, said

LOG = logging.getLogger("rlm_record")

_BATCH = 256  # lines, whose answers fit into a pipe
_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 5.0  # seconds between two tries
_HAND_OVER = 10.0  # seconds for which the end of a worker's run waits at most
_START = 60.0  # the same while the recorder that it started has not answered yet
_TOLD_BEFORE = ("does not go on from", "has started already", "is in the journal already", "has ended")


class _Door(Protocol):
    """A way to a recorder. ``exchange`` returns an answer a line, or raises OSError where it cannot be known what became of them."""

    starting: bool  # whether it is a process that lives and has not answered yet

    def exchange(self, lines: list[bytes]) -> list[dict[str, Any]]: ...

    def close(self, timeout: float) -> None: ...

    def forked(self) -> None:
        """Lets go, in a process that was forked, of what belongs to its parent."""


class _Process:
    """A recorder of our own, at its standard input: where we die, it ends our runs as abandoned."""

    def __init__(self, command: list[str]) -> None:
        self._command = command
        self._process: subprocess.Popen[bytes] | None = None
        self.starting = False

    def exchange(self, lines: list[bytes]) -> list[dict[str, Any]]:
        if self._process is None or self._process.poll() is not None:
            self.close(0)
            # In a session of its own, so that Ctrl-C reaches the agent alone, which then ends its runs.
            self._process = subprocess.Popen(
                self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
            self.starting = True
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write(b"".join(lines))
        self._process.stdin.flush()
        answers = []
        for _ in lines:
            answer = self._process.stdout.readline()
            self.starting = False
            if not answer.endswith(b"\n"):
                self._process.kill()
                raise OSError(f"the recorder is gone, with exit code {self._process.wait()}")
            answers.append(json.loads(answer))
        return answers

    def close(self, timeout: float) -> None:
        if self._process is not None and self._process.stdin:
            try:
                self._process.stdin.close()  # its end is the recorder's
                self._process.wait(timeout)
            except (OSError, subprocess.TimeoutExpired):
                self._process.kill()
            if self._process.stdout:
                self._process.stdout.close()

    def forked(self) -> None:
        if self._process is not None and self._process.stdin and not self._process.stdin.closed:
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, self._process.stdin.fileno())  # which would keep the parent's recorder from its end, or be written to twice
            os.close(null)
            _OF_PARENTS.append(self._process)  # whose end would be looked for
            self._process = None
            self.starting = False


class _Http:
    """A recorder that listens, for several processes."""

    starting = False

    def __init__(self, url: str, token: str, timeout: float = 60) -> None:
        self._url, self._token, self._timeout = url.rstrip("/") + "/v1/events", token, timeout
        "".encode("idna")  # loads what names of hosts need: a process that is forked while a thread loads it can look up none
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # it is on this machine

    def exchange(self, lines: list[bytes]) -> list[dict[str, Any]]:
        request = urllib.request.Request(self._url, b"".join(lines), {
            "Authorization": "Bearer " + self._token, "Content-Type": "application/x-ndjson"})
        try:
            with self._opener.open(request, timeout=self._timeout) as response:
                answers = [json.loads(line) for line in response.read().splitlines()]
        except urllib.error.HTTPError as error:
            said = error.read().decode("utf-8", "replace")[:200]
            if error.code >= 500:
                raise OSError(f"{error.code}: {said}") from error
            return [{"ok": False, "error": f"{error.code}: {said}"}] * len(lines)
        if len(answers) < len(lines):
            raise OSError("not all lines were answered")
        return answers

    def close(self, timeout: float) -> None:
        pass

    def forked(self) -> None:
        pass


class _Nowhere:
    """No way at all, and why."""

    starting = False

    def __init__(self, why: str) -> None:
        self._why = why

    def exchange(self, lines: list[bytes]) -> list[dict[str, Any]]:
        return [{"ok": False, "error": self._why}] * len(lines)

    def close(self, timeout: float) -> None:
        pass

    def forked(self) -> None:
        pass


class Recorder:
    """A way to ``rlm record``. Safe for use by several threads; never raises, and never blocks the agent but in ``flush`` and ``close``.

    A process that was forked goes on with it, for runs of its own. It closes itself when the process ends.

    :param url: of a recorder that listens (``rlm record --port``); ``RLM_RECORD_URL`` unless given. Without one a recorder of its own is started.
    :param token: of that recorder; what is in the file ``RLM_RECORD_TOKEN_FILE``, or ``RLM_RECORD_TOKEN``, unless given
    :param command: that starts one; ``RLM_RECORD_COMMAND``, or the launcher that ``RLM`` names, or ``rlm``, with ``record``
    :param capacity: how many events may wait; what comes then is lost, and told
    :param patience: seconds for which a recorder that does not answer is tried again, before what waits is lost
    """

    def __init__(self, url: str | None = None, token: str | None = None, command: str | None = None,
                 capacity: int = 100_000, patience: float = 300) -> None:
        url = url or os.environ.get("RLM_RECORD_URL")
        try:
            self._door: _Door = _Http(url, token or _token()) if url else _Process(_command(command))
        except (OSError, ValueError) as error:  # of a token file that cannot be read, or a command that is none
            self._door = _Nowhere(str(error))
        self._patience, self._capacity = patience, capacity
        self._begin()
        at_fork(self)

    def _begin(self) -> None:
        # Both can be entered anew by a garbage collection amid them, which tells of a stream that was left.
        self._lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._lock = threading.RLock()  # guards all below
        self._closed = False
        self._end = float("inf")  # when nothing is tried again
        self._thread: threading.Thread | None = None
        self._waiting = 0
        self._closes_at_exit = self._told = False
        self._hands_over = True  # whether the end of a worker's run waits
        self.acknowledged = 0  #: events that the recorder has, and a durable sink where there is one
        self.lost = 0  #: events that are not recorded
        self.first_error: str | None = None  #: why the first of them is not

    def forked(self) -> None:
        """Begins anew in a process that was forked: what waits is its parent's."""
        closed = self._closed
        self._begin()
        self._closed = closed
        self._door.forked()

    def emit(self, event: dict[str, Any]) -> None:
        """Records an event, as ``docs/record.md`` describes them."""
        try:
            told = line(event)
        except Exception as error:
            self.lose(f"what cannot be written: {said(error)}")
            return
        with self._lock:
            why = "the recorder is closed" if self._closed else "too many events wait" if self._waiting >= self._capacity else self._start()
            if not why:
                self._lines.put(told)
                self._waiting += 1
        if why:
            self.lose(why)

    def _start(self) -> str:
        """Starts what sends, unless it has started; says why it cannot."""
        if self._thread is None:
            thread = threading.Thread(target=self._send_all, name="rlm-record", daemon=True)
            if self._thread is None:
                self._thread = thread
                try:
                    thread.start()
                except RuntimeError as error:  # the interpreter ends
                    self._thread = None
                    return str(error)
                self._close_at_exit()
        return ""

    def _close_at_exit(self) -> None:
        if not self._closes_at_exit:
            self._closes_at_exit = True
            atexit.register(self.close)
            if _is_child():  # of multiprocessing, whose end is not the interpreter's
                from multiprocessing.util import Finalize
                Finalize(None, self.close, exitpriority=0)

    def hand_over(self) -> None:
        """Waits for a while until all is acknowledged where the process may end without a word, as workers do and the kernels of notebooks."""
        if self._hands_over and (_forked or _is_child() or "ipykernel" in sys.modules):
            if not self.flush(_HAND_OVER) and self._door.starting:  # on a machine that is busy
                self.flush(_START - _HAND_OVER)
            self._hands_over = not self._waiting  # a recorder that is not there is not waited for again

    def flush(self, timeout: float = 60) -> bool:
        """Waits until each event is acknowledged or lost. Returns whether none was ever lost, and none waits."""
        end = time.monotonic() + timeout
        while self._waiting and time.monotonic() < end:
            time.sleep(0.005)
        return not self._waiting and not self.lost

    def close(self, timeout: float = 60) -> bool:
        """Hands over what waits, ends a recorder of our own, and tells of what was lost. Returns whether nothing was."""
        with self._lock:
            first, self._closed = not self._closed, True
            self._end = min(self._end, time.monotonic() + timeout)
        atexit.unregister(self.close)
        if first and self._thread is not None:
            self.flush(timeout)
            if self._waiting:
                self.lose(f"no answer within {timeout} s", self._waiting)
            else:
                self._lines.put(None)
            self._door.close(timeout)
        if first and self.lost:
            LOG.warning("not recorded: %d events: %s", self.lost, self.first_error)
        self._told = self._told or first
        return not self.lost

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def lose(self, why: str, count: int = 1) -> None:
        """Counts events that are not recorded."""
        with self._lock:
            self.lost += count
            self.first_error = self.first_error or why
            late, self._told = self._told, False
            self._close_at_exit()
        if late:
            LOG.warning("not recorded, since it came after the end: %s", why)

    def _send_all(self) -> None:
        told = self._lines.get()
        while told is not None:
            batch = []
            while told is not None:
                batch.append(told)
                told = self._lines.get_nowait() if len(batch) < _BATCH and not self._lines.empty() else None
            self._send(batch)
            told = self._lines.get()

    def _send(self, batch: list[bytes]) -> None:
        pause, end, again = _FIRST_PAUSE, time.monotonic() + self._patience, False
        while True:
            try:
                answers = self._door.exchange(batch)
                break
            except Exception as error:  # whatever it is: who else would send what comes then?
                missing = isinstance(error, FileNotFoundError)  # which no patience mends
                if missing or time.monotonic() + pause > min(end, self._end):
                    answers = [{"ok": False, "error": str(error)}] * len(batch)
                    break
                again = True  # what has arrived is not known
                time.sleep(pause)
                pause = min(2 * pause, _LONGEST_PAUSE)
        for answer in answers:
            refusal = "" if answer.get("ok") else str(answer.get("error"))
            if refusal and not (again and any(told in refusal for told in _TOLD_BEFORE)):
                self.lose(refusal)
            else:
                self.acknowledged += 1
        with self._lock:
            self._waiting -= len(batch)


def _token() -> str:
    file = os.environ.get("RLM_RECORD_TOKEN_FILE")
    if file:
        with open(file, encoding="utf-8") as opened:
            return opened.read().strip()
    return os.environ.get("RLM_RECORD_TOKEN", "")


def _command(given: str | None) -> list[str]:
    command = given or os.environ.get("RLM_RECORD_COMMAND")
    if command:
        return shlex.split(command)
    return [os.environ.get("RLM") or shutil.which("rlm") or "rlm", "record"]


def _is_child() -> bool:
    """Whether multiprocessing started this process."""
    process = sys.modules.get("multiprocessing.process")
    return process is not None and process.parent_process() is not None


_forked = False  # whether this process was, after this module was imported
_known: weakref.WeakSet[Any] = weakref.WeakSet()
_OF_PARENTS: list[Any] = []


def at_fork(known: Any) -> None:
    """Lets ``known.forked()`` be called in each process that is forked: locks that other threads held then are not given back there."""
    _known.add(known)


def _after_fork() -> None:
    global _forked, _default_lock
    _forked, _default_lock = True, threading.Lock()
    for known in list(_known):
        known.forked()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


_default: Recorder | None = None
_default_lock = threading.Lock()


def default() -> Recorder:
    """The recorder of this process, made when it is first asked for and closed when the process ends."""
    global _default
    with _default_lock:
        if _default is None:
            _default = Recorder()
        return _default
