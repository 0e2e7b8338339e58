"""Runs, their steps, and what lies in them."""

from __future__ import annotations

import functools
import inspect
import os
import sys
import threading
import time
from contextlib import contextmanager
from contextvars import ContextVar, Token
from datetime import datetime, timedelta, timezone
from types import MappingProxyType, TracebackType
from typing import Any, Callable, ContextManager, Iterator, Mapping, TypeVar, cast

from ._recorder import LOG, Recorder, at_fork, default
from ._values import number, numbers, said, text, texts

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")

_current: ContextVar[Run | Step | None] = ContextVar("rlm_record_current", default=None)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=lambda: _current.set(None))  # what is current there is its parent's


def current() -> Run | Step | None:
    """The step or run that is recorded here and now: of this thread, or of this task of asyncio."""
    return _current.get()


def guarded(work: Callable[[], T]) -> T | None:
    """Does what is for the record alone: what fails in it is told, and disturbs nobody."""
    try:
        return work()
    except Exception as error:
        LOG.warning("not recorded: %s: %s", type(error).__name__, said(error))
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
    _rewarded = False

    def _enter(self) -> None:
        self._token = _current.set(cast("Run | Step", self))

    def _exit(self) -> None:
        if self._token is not None:
            try:
                _current.reset(self._token)
            except (ValueError, RuntimeError):  # it was entered in another task
                pass
            self._token = None

    def reward(self, value: float | None, source: str = "environment", **fields: Any) -> None:
        """Gives a reward: a number, of any library; ``None`` is one that could not be computed. Fields: ``absence``, ``components``, ``label``,
        ``explanation``, …"""
        given, self._rewarded = number(value), True
        if given is None and fields.get("absence") is None:
            fields["absence"] = "it could not be computed" if value is None else f"no number: {text(value)}"
        self.run._emit("reward_given", fields, step=self.number, scope="step" if self.number else "run", value=given, source=text(source))

    def tool_called(self, tool: str, arguments: object, result: object = "", started: int | None = None,
                    error: BaseException | str | None = None, **fields: Any) -> None:
        """A call of a tool that was over by now. ``started`` is what ``run.nanos()`` said before."""
        self.run._emit("tool_called", fields, step=self.run._place(self), tool=text(tool), arguments=text(arguments), result=text(result),
                       start_nanos=started, error=said(error))

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
        try:
            kept = b64encode(content.encode() if isinstance(content, str) else content).decode()
        except Exception as error:
            self.run._recorder.lose(f"artifact_saved: {said(error)}")
            return
        self.run._emit("artifact_saved", step=self.number, name=text(name), media_type=text(media_type), content=kept)


class Run(_Activity):
    """One run. As a context manager it is the current one, and cannot be left without an end.

    Fields are those of ``run_started`` in ``docs/record.md``: ``task``, ``model``, ``sample_id``, ``tags``, …
    """

    number = 0

    def __init__(self, environment: str, recorder: Recorder | None = None, **fields: Any) -> None:
        self.run = self
        given = fields.pop("run_id", None)
        self.id: str = ("" if given is None else text(given)) or os.urandom(8).hex()
        self.ended = False
        self._recorder = recorder or default()
        self._clock = _Clock()
        self._lock = threading.RLock()  # events are numbered in the order in which they are emitted
        self._seq = self._steps = 0
        self._open_turn: _Turn | None = None
        self._open_steps: dict[int, Step] = {}
        self._asked: dict[int, Asked] = {}  # those that are under way
        self._emits = False
        self._pid = os.getpid()
        at_fork(self)
        self._emit("run_started", fields, environment=text(environment), time=self._clock.time(0))

    def forked(self) -> None:
        self._lock = threading.RLock()

    def nanos(self) -> int:
        """Nanoseconds since the run's start."""
        return self._clock.nanos()

    def _emit(self, kind: str, fields: Mapping[str, Any] = MappingProxyType({}), **own: Any) -> None:
        if os.getpid() != self._pid:
            self._recorder.lose(f"run {self.id} began in process {self._pid}, which alone can go on with it")
            return
        with self._lock:
            self._emits = True
            try:
                event = _typed({**fields, **own})
                if kind != "run_started":
                    at, start = event.pop("nanos", None), event.pop("start_nanos", None)
                    event["time"] = self._clock.time(self._clock.nanos() if at is None else at)
                    if start is not None:
                        event["start_time"] = self._clock.time(start)
                self._seq += 1
                self._recorder.emit({**event, "type": kind, "run_id": self.id, "seq": self._seq})
            except Exception as error:
                self._recorder.lose(f"{kind}: {said(error)}")
            finally:
                self._emits = False
        if self.ended and kind != "run_ended":  # as a reward that comes late
            self._recorder.hand_over()

    def unless_busy(self, work: Callable[[], object]) -> None:
        """Does what a garbage collection brings up, which may come at any place: not in a fork, nor where it would wait, or lie in the midst of an event."""
        if os.getpid() == self._pid and self._lock.acquire(blocking=False):
            try:
                if not self._emits:
                    work()
            finally:
                self._lock.release()

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
                for asked in list(self._asked.values()):
                    asked.leave()
                self._end_turn()
                for step in list(self._open_steps.values())[::-1]:
                    step.done(success=False, error="the run ended before the step", error_type="aborted")
                self.ended = True
                self._emit("run_ended", fields)
        self._recorder.hand_over()

    def fail(self, error: BaseException) -> None:
        """Ends it as failed, or as aborted where that is no error but an interruption."""
        kind = type(error)
        interrupted = issubclass(kind, BaseException) and not issubclass(kind, Exception)
        self.end(**({"outcome": "aborted"} if interrupted else {"error": said(error), "error_type": kind.__name__}))

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
        run._open_steps[self.number] = self
        run._emit("step_started", step=self.number, observation=text(observation), nanos=nanos)

    def action(self, code: object, action_type: str = "") -> None:
        """What the agent does."""
        self._did.update(code=text(code), action_type=text(action_type))

    def done(self, output: object = "", **fields: Any) -> None:
        """Ends it, with what came of the action; once. Fields are those of ``step_ended``: ``success``, ``error``, ``tags``, …"""
        if not self.ended:
            if fields.get("reward") is not None and not self._rewarded:
                self.reward(fields.pop("reward"))
            self.ended = True
            self.run._open_steps.pop(self.number, None)
            self.run._emit("step_ended", {**self._did, **fields}, step=self.number, output=text(output))

    def __enter__(self) -> Step:
        self._enter()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self._exit()
        if error is not None:
            self.done(error=said(error), error_type=type(error).__name__)
        else:
            self.done()


class _Turn(Step):
    """A step that a call of a model makes: its action is the reply, its output what the model is shown next."""

    def __init__(self, run: Run, observation: str, nanos: int) -> None:
        super().__init__(run, observation, nanos)
        self.under_way: list[object] = []  # the flows whose calls are

    def said(self, flow: object, reply: dict[str, Any] | None) -> None:
        self.under_way.remove(flow)
        told = reply or {}
        calls = told.get("tool_calls") or []
        parts = [self._did.get("code", ""), text(told.get("content") or ""), *(f"{call['tool']}({text(call.get('arguments', ''))})" for call in calls)]
        if not self.ended:
            self.action("\n".join(part for part in parts if part), calls[0]["tool"] if calls else self._did.get("action_type") or "message")


class Asked:
    """A call of a model that is under way."""

    def __init__(self, activity: _Activity, messages: list[dict[str, Any]], started: int) -> None:
        self.started, self.flow = started, _flow()
        self.messages = guarded(lambda: [_object(message, "user") for message in ([messages] if isinstance(messages, str) else messages)]) or []
        self.leave: Callable[[], object] = lambda: None  #: what the run's end does with it where no answer has come
        self._run = activity.run
        with self._run._lock:
            self._turn = None if activity.number else self._run._turn(self)
            self._step = self._turn.number if self._turn else activity.number
            self._run._asked[id(self)] = self

    def answered(self, request_model: str, reply: dict[str, Any] | None = None, error: BaseException | str | None = None, **fields: Any) -> None:
        """Says, once, what came of it: fields are those of ``model_called``."""
        self.all_answered(request_model, [{**fields, "reply": reply}], error)

    def all_answered(self, request_model: str, choices: list[dict[str, Any]], error: BaseException | str | None = None) -> None:
        """The same of several replies that were asked for, of which the first counts; each other is a call that begins as the first does."""
        first, *others = [{**choice, "reply": None if choice.get("reply") is None else _object(choice["reply"], "assistant")} for choice in choices]
        with self._run._lock:
            if self._run._asked.pop(id(self), None) is None:
                return
            for place in range(len(others), 0, -1):
                self._emit(request_model, others[place - 1], error, parameters={"choice": place})
            self._emit(request_model, first, error, messages=self.messages)
            turn = self._turn
            if turn:
                guarded(lambda: turn.said(self.flow, first["reply"]))

    def _emit(self, request_model: str, told: dict[str, Any], error: BaseException | str | None, **more: Any) -> None:
        self._run._emit("model_called", {**more, **told}, step=self._step, request_model=text(request_model), start_nanos=self.started, error=said(error))


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


def _object(message: Any, role: str) -> dict[str, Any]:
    """A message as it is; all else as the text of one."""
    try:
        if isinstance(message, Mapping):
            return dict(message)
    except Exception:
        pass
    return {"role": role, "content": text(message)}


def _typed(fields: dict[str, Any]) -> dict[str, Any]:
    """Fields of an event as the recorder takes them: numbers as such, whatever library they are of, and names of texts and numbers."""
    told = {name: value for name, value in fields.items() if value is not None}
    return {**told, **{name: guarded(functools.partial(made, told[name])) for name, made in _TYPES.items() if name in told}}


def _components(components: Any) -> Any:
    """Those of a reward; one that could not be computed is no number, and not zero."""
    return [{**each, "value": float("nan") if number(each.get("value")) is None else number(each["value"])} for each in components]


_NUMBERS = ("value", "reward", "pass_reward", "min", "max", "cost_amount")
_TYPES: dict[str, Callable[[Any], Any]] = {**dict.fromkeys(_NUMBERS, number), "metrics": numbers, "tags": texts, "components": _components}


def run(environment: str, recorder: Recorder | None = None, **fields: Any) -> Run:
    """Begins a run; see :class:`Run`."""
    return Run(environment, recorder, **fields)


def metrics(category: str, recorder: Recorder | None = None, **values: float) -> None:
    """Reports numbers of training, which belong to no run; one of them says how far it is: ``global_step``, ``step``, …"""
    (recorder or default()).emit({"type": "metrics_reported", "category": text(category), "values": numbers(values)})


def reward(value: float | None, source: str = "environment", **fields: Any) -> None:
    """Gives a reward to what is current; nothing where nothing is."""
    activity = current()
    if activity is not None:
        activity.reward(value, source, **fields)


def _recorded(function: F, recording: Callable[..., ContextManager[Callable[[Any], Any]]]) -> F:
    """The same function within what records it, which is given the arguments and told the result."""
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        raise TypeError(f"{_name(function)} is a generator, whose end may never come: record it with rlm_record.run")
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # as of some that are built in
        signature = inspect.signature(lambda *args, **kwargs: None)

    def arguments(args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        try:
            bound = signature.bind(*args, **kwargs).arguments
        except TypeError:  # which the call raises itself
            return {"args": args, **kwargs}
        return {name: value for name, value in bound.items() if name not in ("self", "cls")}

    if inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(getattr(function, "__call__", None)):
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


def _name(function: Any) -> str:
    return getattr(function, "__name__", None) or type(function).__name__


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
    called = _name(function) if name is None else text(name)

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
    called = _name(function) if name is None else text(name)

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
            asked.answered(called, result.value, provider=provider)

    return _recorded(function, recording)


def evaluation(function: F | None = None, *, source: str | None = None) -> Any:
    """Makes of a function what computes a reward of what is current: the number that it returns; ``None``, or what it raises, is one that could not
    be computed."""
    if function is None:
        return functools.partial(evaluation, source=source)
    called = _name(function) if source is None else text(source)

    @contextmanager
    def recording(arguments: dict[str, Any]) -> Iterator[_Result]:
        activity, result = current(), _Result()
        started = activity.run.nanos() if activity else 0
        try:
            yield result
        except BaseException as error:
            if activity:
                activity.reward(None, called, absence=said(error), start_nanos=started)
            raise
        if activity:
            activity.reward(result.value, called, start_nanos=started)

    return _recorded(function, recording)


def observe(function: F | None = None, *, environment: str | None = None, **fields: Any) -> Any:
    """Makes of an agent's function a run: its first argument is the task, what it returns the final answer, what it raises the error.

    Within another run it is a span of that one. Fields are those of ``run_started``.
    """
    if function is None:
        return functools.partial(observe, environment=environment, **fields)
    called = _name(function) if environment is None else text(environment)

    @contextmanager
    def span(activity: Run | Step) -> Iterator[_Result]:
        started, error = activity.run.nanos(), None
        try:
            yield _Result()
        except BaseException as raised:
            error = raised
            raise
        finally:
            activity.run._emit("span_recorded", step=activity.run._place(activity), name=called, start_nanos=started, error=said(error))

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
