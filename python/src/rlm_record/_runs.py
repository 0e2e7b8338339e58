"""Runs, their steps, and what lies in them."""

from __future__ import annotations

import functools
import inspect
import json
import os
import sys
import threading
import time
from contextlib import contextmanager
from contextvars import ContextVar, Token
from datetime import datetime, timedelta, timezone
from types import TracebackType
from typing import Any, Callable, ContextManager, Iterator, TypeVar, cast

from ._recorder import LOG, Recorder, at_fork, default

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")

_current: ContextVar[Run | Step | None] = ContextVar("rlm_record_current", default=None)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=lambda: _current.set(None))  # what is current there is its parent's


def current() -> Run | Step | None:
    """The step or run that is recorded here and now: of this thread, or of this task of asyncio."""
    return _current.get()


def text(value: object) -> str:
    """A text as it is, all else as JSON where it can be, and by ``str`` where it cannot."""
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value, default=str, ensure_ascii=False)
    except (ValueError, TypeError, RecursionError):
        return str(value)


def guarded(work: Callable[[], T]) -> T | None:
    """Does what is for the record alone: what fails in it is told, and disturbs nobody."""
    try:
        return work()
    except Exception as error:
        LOG.warning("not recorded: %r", error)
        return None


class _Clock:
    """Times of a run: of this process's clock as it stood at the start, and going on evenly."""

    def __init__(self) -> None:
        self._start, self._zero = datetime.now(timezone.utc), time.monotonic_ns()

    def nanos(self) -> int:
        return time.monotonic_ns() - self._zero

    def time(self, nanos: int) -> str:
        return (self._start + timedelta(microseconds=nanos / 1000)).isoformat()


class _Activity:
    """What calls and rewards can lie in."""

    run: Run
    number: int
    _token: Token[Run | Step | None] | None = None

    def _enter(self) -> None:
        self._token = _current.set(cast("Run | Step", self))

    def _exit(self) -> None:
        if self._token is not None:
            try:
                _current.reset(self._token)
            except ValueError:  # it was entered in another task
                pass
            self._token = None

    def reward(self, value: float | None, source: str = "environment", **fields: Any) -> None:
        """Gives a reward; ``None`` is one that could not be computed. Fields: ``absence``, ``components``, ``label``, ``explanation``, …"""
        if value is None:
            fields.setdefault("absence", "it could not be computed")
        self.run._emit("reward_given", step=self.number, scope="step" if self.number else "run", value=value, source=source, **fields)

    def tool_called(self, tool: str, arguments: object, result: object = "", started: int | None = None,
                    error: BaseException | str | None = None, **fields: Any) -> None:
        """A call of a tool that was over by now. ``started`` is what ``run.nanos()`` said before."""
        self.run._emit("tool_called", step=self.run._place(self), tool=tool, arguments=text(arguments), result=text(result),
                       start_nanos=started, error=_said(error), **fields)

    def model_asked(self, messages: list[dict[str, Any]], started: int | None = None) -> Asked:
        """A model is asked, now or when ``run.nanos()`` said that; outside of a step a turn begins with it. What it returns takes the answer."""
        return Asked(self, messages, self.run.nanos() if started is None else started)

    def model_called(self, request_model: str, messages: list[dict[str, Any]], reply: dict[str, Any] | None = None,
                     started: int | None = None, error: BaseException | str | None = None, **fields: Any) -> None:
        """A call of a model that was over by now, as ``docs/record.md`` describes its parts. Outside of a step it begins a turn."""
        self.model_asked(messages, started).answered(request_model, reply, error, **fields)

    def artifact(self, name: str, content: bytes, media_type: str = "application/octet-stream") -> None:
        """Keeps a file."""
        from base64 import b64encode
        self.run._emit("artifact_saved", step=self.number, name=name, media_type=media_type, content=b64encode(content).decode())


class Run(_Activity):
    """One run. As a context manager it is the current one, and cannot be left without an end.

    Fields are those of ``run_started`` in ``docs/record.md``: ``task``, ``model``, ``sample_id``, ``tags``, …
    """

    number = 0

    def __init__(self, environment: str, recorder: Recorder | None = None, **fields: Any) -> None:
        self.run = self
        self.id: str = fields.pop("run_id", None) or os.urandom(8).hex()
        self.ended = False
        self._recorder = recorder or default()
        self._clock = _Clock()
        self._lock = threading.RLock()  # events are numbered in the order in which they are emitted
        self._seq = self._steps = 0
        self._open_turn: _Turn | None = None
        self._pid = os.getpid()
        at_fork(self)
        self._emit("run_started", environment=environment, time=self._clock.time(0), **fields)

    def forked(self) -> None:
        self._lock = threading.RLock()

    def nanos(self) -> int:
        """Nanoseconds since the run's start."""
        return self._clock.nanos()

    def _emit(self, type: str, **fields: Any) -> None:
        if os.getpid() != self._pid:
            self._recorder.lose(f"run {self.id} began in process {self._pid}, which alone can go on with it")
            return
        with self._lock:
            self._seq += 1
            if type != "run_started":
                at = fields.pop("nanos", None)
                fields["time"] = self._clock.time(self._clock.nanos() if at is None else at)
                start = fields.pop("start_nanos", None)
                if start is not None:
                    fields["start_time"] = self._clock.time(start)
            self._recorder.emit({"type": type, "run_id": self.id, "seq": self._seq,
                                 **{name: value for name, value in fields.items() if value is not None}})
        if self.ended and type != "run_ended":  # as a reward that comes late
            self._recorder.hand_over()

    def step(self, observation: object = "") -> Step:
        """Begins a step, with what the agent sees."""
        with self._lock:
            self._end_turn()
            return Step(self, observation)

    def _place(self, activity: _Activity) -> int:
        return activity.number or (self._open_turn.number if self._open_turn else 0)

    def _turn(self, asked: Asked) -> _Turn:
        """A model that is asked outside of a step begins a turn, which the next one ends; calls at the same time are one turn's."""
        with self._lock:
            turn = self._open_turn
            if turn is None or not turn.under_way or asked.flow in turn.under_way:
                seen = "\n".join(_news(asked.messages))
                self._end_turn(seen, asked.started)
                turn = self._open_turn = _Turn(self, seen, nanos=asked.started)
            turn.under_way.append(asked.flow)
            return turn

    def _end_turn(self, output: str = "", nanos: int | None = None) -> None:
        if self._open_turn is not None:
            self._open_turn.done(output=output, nanos=nanos)
            self._open_turn = None

    def end(self, **fields: Any) -> None:
        """Ends it; once. Fields are those of ``run_ended``: ``final_answer``, ``outcome``, ``truncated``, …"""
        with self._lock:
            if not self.ended:
                self._end_turn()
                self.ended = True
                self._emit("run_ended", **fields)
        self._recorder.hand_over()

    def fail(self, error: BaseException) -> None:
        """Ends it as failed, or as aborted where that is no error but an interruption."""
        self.end(**({"error": _said(error), "error_type": type(error).__name__} if isinstance(error, Exception) else {"outcome": "aborted"}))

    def __enter__(self) -> Run:
        self._enter()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self._exit()
        if error is not None:
            self.fail(error)
        else:
            self.end()


class Step(_Activity):
    """One step. As a context manager it is the current one, and cannot be left without an end."""

    def __init__(self, run: Run, observation: object = "", nanos: int | None = None) -> None:
        self.run = run
        self.ended = False
        run._steps += 1
        self.number = run._steps
        self._did: dict[str, Any] = {}
        run._emit("step_started", step=self.number, observation=text(observation), nanos=nanos)

    def action(self, code: object, action_type: str = "") -> None:
        """What the agent does."""
        self._did.update(code=text(code), action_type=action_type)

    def done(self, output: object = "", **fields: Any) -> None:
        """Ends it, with what came of the action; once. Fields are those of ``step_ended``: ``success``, ``error``, ``tags``, …"""
        if not self.ended:
            self.ended = True
            self.run._emit("step_ended", step=self.number, output=text(output), **{**self._did, **fields})

    def __enter__(self) -> Step:
        self._enter()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self._exit()
        if error is not None:
            self.done(error=_said(error), error_type=type(error).__name__)
        else:
            self.done()


class _Turn(Step):
    """A step that a call of a model makes: its action is the reply, its output what the model is shown next."""

    def __init__(self, run: Run, observation: str, nanos: int) -> None:
        super().__init__(run, observation, nanos)
        self.under_way: list[object] = []  # the flows whose calls are

    def said(self, flow: object, reply: dict[str, Any] | None) -> None:
        self.under_way.remove(flow)
        calls = (reply or {}).get("tool_calls") or []
        said = [self._did.get("code", ""), text((reply or {}).get("content") or ""), *(f"{call['tool']}({call.get('arguments', '')})" for call in calls)]
        if not self.ended:
            self.action("\n".join(part for part in said if part), calls[0]["tool"] if calls else self._did.get("action_type") or "message")


class Asked:
    """A call of a model that is under way."""

    def __init__(self, activity: _Activity, messages: list[dict[str, Any]], started: int) -> None:
        self.started, self.messages, self.flow = started, messages, _flow()
        self._run = activity.run
        self._turn = None if activity.number else activity.run._turn(self)
        self._step = self._turn.number if self._turn else activity.number

    def answered(self, request_model: str, reply: dict[str, Any] | None = None, error: BaseException | str | None = None, **fields: Any) -> None:
        """Says, once, what came of it: fields are those of ``model_called``."""
        with self._run._lock:
            self._run._emit("model_called", step=self._step, request_model=request_model, messages=self.messages, reply=reply,
                            start_nanos=self.started, error=_said(error), **fields)
            if self._turn:
                self._turn.said(self.flow, reply)


def _flow() -> object:
    """What one thing after the other is done by: the task of asyncio, or the thread."""
    asyncio = sys.modules.get("asyncio")
    try:
        return (asyncio and asyncio.current_task()) or threading.get_ident()
    except RuntimeError:  # no loop runs
        return threading.get_ident()


def _news(messages: list[dict[str, Any]]) -> list[str]:
    """What a model is shown that it has not said or been shown before it said something."""
    news: list[str] = []
    for message in reversed(messages):
        if message.get("role") == "assistant":
            break
        news.insert(0, text(message.get("content", "")))
    return news


def _said(error: BaseException | str | None) -> str | None:
    return error if error is None or isinstance(error, str) else str(error) or type(error).__name__


def run(environment: str, recorder: Recorder | None = None, **fields: Any) -> Run:
    """Begins a run; see :class:`Run`."""
    return Run(environment, recorder, **fields)


def metrics(category: str, recorder: Recorder | None = None, **values: float) -> None:
    """Reports numbers of training, which belong to no run; one of them says how far it is: ``global_step``, ``step``, …"""
    (recorder or default()).emit({"type": "metrics_reported", "category": category, "values": values})


def reward(value: float | None, source: str = "environment", **fields: Any) -> None:
    """Gives a reward to what is current; nothing where nothing is."""
    activity = current()
    if activity is not None:
        activity.reward(value, source, **fields)


def _recorded(function: F, recording: Callable[..., ContextManager[Callable[[Any], Any]]]) -> F:
    """The same function within what records it, which is given the arguments and told the result."""
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        raise TypeError(f"{function.__name__} is a generator, whose end may never come: record it with rlm_record.run")
    signature = inspect.signature(function)

    def arguments(args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        try:
            bound = signature.bind(*args, **kwargs).arguments
        except TypeError:  # which the call raises itself
            return {"args": args, **kwargs}
        return {name: value for name, value in bound.items() if name not in ("self", "cls")}

    if inspect.iscoroutinefunction(function):
        @functools.wraps(function)
        async def waiting(*args: Any, **kwargs: Any) -> Any:
            with recording(arguments(args, kwargs)) as result:
                return result(await function(*args, **kwargs))
        return cast(F, waiting)

    @functools.wraps(function)
    def calling(*args: Any, **kwargs: Any) -> Any:
        with recording(arguments(args, kwargs)) as result:
            return result(function(*args, **kwargs))
    return cast(F, calling)


class _Result:
    """What a call gives, or gave."""

    value: Any = None

    def __call__(self, value: Any) -> Any:
        self.value = value
        return value


def tool(function: F | None = None, *, name: str | None = None) -> Any:
    """Makes of a function a tool whose calls are recorded where something is current."""
    if function is None:
        return functools.partial(tool, name=name)
    called = name or function.__name__

    @contextmanager
    def recording(arguments: dict[str, Any]) -> Iterator[_Result]:
        activity, result = current(), _Result()
        started = activity.run.nanos() if activity else 0
        try:
            yield result
        except BaseException as error:
            if activity:
                activity.tool_called(called, arguments, "", started, error)
            raise
        if activity:
            activity.tool_called(called, arguments, result.value, started)

    return _recorded(function, recording)


def model(function: F | None = None, *, name: str | None = None, provider: str = "unknown") -> Any:
    """Makes of a function a model whose calls are recorded where something is current: its first argument is a prompt or a list of messages,
    what it returns the reply."""
    if function is None:
        return functools.partial(model, name=name, provider=provider)
    called = name or function.__name__

    @contextmanager
    def recording(arguments: dict[str, Any]) -> Iterator[_Result]:
        activity, result = current(), _Result()
        shown = next(iter(arguments.values()), "")
        asked = guarded(lambda: activity.model_asked(
            list(shown) if isinstance(shown, (list, tuple)) else [{"role": "user", "content": text(shown)}])) if activity else None
        try:
            yield result
        except BaseException as error:
            if asked:
                asked.answered(called, None, error, provider=provider)
            raise
        if asked:
            asked.answered(called, result.value if isinstance(result.value, dict) else {"content": text(result.value)}, provider=provider)

    return _recorded(function, recording)


def evaluation(function: F | None = None, *, source: str | None = None) -> Any:
    """Makes of a function what computes a reward of what is current: the number that it returns; ``None``, or what it raises, is one that could not
    be computed."""
    if function is None:
        return functools.partial(evaluation, source=source)
    called = source or function.__name__

    @contextmanager
    def recording(arguments: dict[str, Any]) -> Iterator[_Result]:
        activity, result = current(), _Result()
        started = activity.run.nanos() if activity else 0
        try:
            yield result
        except BaseException as error:
            if activity:
                activity.reward(None, called, absence=_said(error), start_nanos=started)
            raise
        if activity:
            guarded(lambda: activity.reward(None if result.value is None else float(result.value), called, start_nanos=started))

    return _recorded(function, recording)


def observe(function: F | None = None, *, environment: str | None = None, **fields: Any) -> Any:
    """Makes of an agent's function a run: its first argument is the task, what it returns the final answer, what it raises the error.

    Within another run it is a span of that one. Fields are those of ``run_started``.
    """
    if function is None:
        return functools.partial(observe, environment=environment, **fields)
    called = environment or function.__name__

    @contextmanager
    def span(activity: Run | Step) -> Iterator[_Result]:
        started, error = activity.run.nanos(), None
        try:
            yield _Result()
        except BaseException as raised:
            error = raised
            raise
        finally:
            activity.run._emit("span_recorded", step=activity.run._place(activity), name=called, start_nanos=started, error=_said(error))

    @contextmanager
    def recording(arguments: dict[str, Any]) -> Iterator[_Result]:
        activity, result = current(), _Result()
        if activity:
            with span(activity) as inner:
                yield inner
            return
        task = text(next(iter(arguments.values()), ""))
        with Run(called, **{"task": task, **fields}) as run:
            yield result
            run.end(final_answer=None if result.value is None else text(result.value))

    return _recorded(function, recording)
