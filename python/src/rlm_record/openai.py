"""OpenAI's client, whose calls are recorded where a run is current: as they come, with tool calls, tokens and errors."""

from __future__ import annotations

import functools
import inspect
import re
import urllib.parse
from contextvars import ContextVar
from typing import Any, AsyncIterator, Awaitable, Callable, Iterator, TypeVar

from ._chats import each, fields, ident, message, parts, plain, spoken, tool_call, words
from ._chats import joined as _joined
from ._runs import Run, Step, current, guarded
from ._values import compact, text

C = TypeVar("C")

_ABSENT = ("NoneType", "NotGiven", "Omit")
_LEFT = "the stream was closed before its end"

_recorded: ContextVar[bool] = ContextVar("rlm_record_openai", default=False)  # whether the call is, by a wrapper around


def wrap(client: C) -> C:
    """Makes the calls of ``create`` be recorded, of an ``OpenAI`` or an ``AsyncOpenAI``, of its ``chat.completions`` or its ``responses``; returns the
    same.

    What the caller sees is what it saw before. Raw responses and copies by ``with_options`` are not recorded.
    """
    wrapped: Any = client
    if hasattr(wrapped, "create"):
        _trace(_Responses if "Responses" in type(wrapped).__name__ else _Chat, wrapped)
    elif hasattr(wrapped, "chat"):
        _trace(_Chat, wrapped.chat.completions)
        if hasattr(wrapped, "responses"):
            _trace(_Responses, wrapped.responses)
    else:
        raise TypeError(f"expected a client of OpenAI, its chat.completions or its responses, was {type(client).__name__}")
    return client


def _trace(kind: type[_Call], resource: Any) -> None:
    create = resource.create
    if getattr(create, "rlm_record", None) is True:
        return
    asynchronous = guarded(lambda: inspect.iscoroutinefunction(inspect.unwrap(create)))

    def begin(activity: Run | Step, request: dict[str, Any]) -> _Call | None:
        return guarded(lambda: kind(activity, request, resource))

    async def later(asked: Callable[[], _Call | None], answer: Callable[[], Awaitable[Any]]) -> Any:
        call = asked()  # now that it is awaited, by whom it is
        token = _recorded.set(True)
        try:
            told = await answer()
        except BaseException as error:
            if call:
                call.failed(error)
            raise
        finally:
            _recorded.reset(token)
        return call.answered(told) if call else told

    def traced(*args: Any, **kwargs: Any) -> Any:
        activity = None if _recorded.get() else current()
        if activity is None:
            return create(*args, **kwargs)
        request = {**kwargs}
        for name in ("messages", "input", "tools"):
            if guarded(lambda: isinstance(kwargs.get(name), Iterator)):  # which can be read once
                request[name] = list(kwargs[name])
                kwargs[name] = iter(request[name])
        asked = functools.partial(begin, activity, request)
        if asynchronous:
            return later(asked, lambda: create(*args, **kwargs))
        call, token = asked(), _recorded.set(True)
        try:
            answer = create(*args, **kwargs)
        except BaseException as error:
            if call:
                call.failed(error)
            raise
        finally:
            _recorded.reset(token)
        if guarded(lambda: inspect.iscoroutine(answer)):
            return later(lambda: call, lambda: answer)
        return call.answered(answer) if call else answer

    traced.rlm_record = True  # type: ignore[attr-defined]
    resource.create = traced


def _server(resource: Any) -> dict[str, Any]:
    host = urllib.parse.urlsplit(str(getattr(getattr(resource, "_client", None), "base_url", "")))
    return {"server_address": host.hostname, "server_port": host.port or (443 if host.scheme == "https" else 80)}


class _Call:
    """A call that is under way."""

    def __init__(self, activity: Run | Step, request: dict[str, Any], resource: Any) -> None:
        self._request = {name: value for name, value in request.items() if type(value).__name__ not in _ABSENT}
        self._run, self._chunks = activity.run, list[dict[str, Any]]()
        self._first: int | None = None
        self._asked = activity.model_asked(guarded(self.shown) or [])  # as it is now
        self._asked.leave = self.left
        tools = guarded(lambda: each(self._request.get("tools")))
        self._facts = {"provider": "openai", **(guarded(lambda: _server(resource)) or {}), "tool_definitions": text(tools) if tools else None}
        self._over = False

    # ---- what the kinds of calls differ in

    parameters: tuple[str, ...]

    def shown(self) -> list[dict[str, Any]]:
        """The messages that the model is shown."""
        raise NotImplementedError

    def joined(self, chunks: list[dict[str, Any]]) -> dict[str, Any]:
        """The answer that a stream has told in pieces."""
        raise NotImplementedError

    def told(self, answer: dict[str, Any]) -> list[dict[str, Any]]:
        """What the answer says, as fields of ``model_called`` for each reply in it."""
        raise NotImplementedError

    def is_whole(self, answer: dict[str, Any]) -> bool:
        """Whether an answer that came in pieces tells how it ended."""
        raise NotImplementedError

    # ---- its course

    def answered(self, answer: Any) -> Any:
        """Records the answer, or what becomes of a stream; returns what the caller gets."""
        stream = guarded(lambda: self._stream(answer))
        if stream is None:
            self._completed(lambda: fields(answer))
        return answer if stream is None else stream

    def _stream(self, answer: Any) -> Any:
        if not self._request.get("stream") or hasattr(answer, "model_dump"):
            return None
        return _AsyncStream(self, answer) if hasattr(answer, "__aiter__") else _Stream(self, answer) if hasattr(answer, "__iter__") else None

    def chunk(self, chunk: Any) -> None:
        self._first = self._first or self._run.nanos()
        self._chunks.append(guarded(lambda: fields(chunk)) or {})

    def failed(self, error: BaseException) -> None:
        self._completed(lambda: self.joined(self._chunks), error)

    def ended(self) -> None:
        """Its stream has been read to the end."""
        self._completed(lambda: self.joined(self._chunks))

    def left(self) -> None:
        """Nobody reads its stream any more."""
        if not self._over:
            answer = guarded(lambda: self.joined(self._chunks)) or {}
            self._completed(lambda: answer, None if guarded(lambda: self.is_whole(answer)) else _LEFT if self._request.get("stream") else "the run ended before the reply")

    def dropped(self) -> None:
        """Nobody has its stream any more."""
        if not self._over:
            self._run.unless_busy(self.left)

    def _completed(self, answer: Callable[[], dict[str, Any]], error: BaseException | str | None = None) -> None:
        if self._over:
            return
        self._over = True
        whole = guarded(answer) or {}
        told = guarded(lambda: self.told(whole)) or [{}]
        failure = told[0].pop("error", None)
        first = {"first_token_nanos": self._first, "parameters": guarded(self._parameters), **told[0]}
        guarded(lambda: self._asked.all_answered(
            text(self._request.get("model", "")), [{**self._facts, **choice} for choice in (first, *told[1:])], failure if error is None else error))

    def _parameters(self) -> dict[str, Any]:
        return {name: plain(self._request[name]) for name in self.parameters if name in self._request}


def _failure(answer: dict[str, Any]) -> str | None:
    error = answer.get("error")
    return text(fields(error).get("message") or error) if error else None


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and value >= 0 else None


class _Chat(_Call):
    """A call of chat completions."""

    parameters = ("temperature", "top_p", "max_tokens", "max_completion_tokens", "stop", "seed", "n", "frequency_penalty",
                  "presence_penalty", "reasoning_effort", "response_format", "tool_choice", "logprobs")

    def shown(self) -> list[dict[str, Any]]:
        return [message(shown, "user") for shown in self._request.get("messages") or []]

    def joined(self, chunks: list[dict[str, Any]]) -> dict[str, Any]:
        return _joined(chunks)

    def is_whole(self, answer: dict[str, Any]) -> bool:
        choices = each(answer.get("choices"))
        return bool(choices) and all(choice.get("finish_reason") for choice in choices)

    def told(self, answer: dict[str, Any]) -> list[dict[str, Any]]:
        usage = fields(answer.get("usage"))
        asked, gave = fields(usage.get("prompt_tokens_details")), fields(usage.get("completion_tokens_details"))
        first, *others = [{
            "reply": message(choice["message"], "assistant") if fields(choice.get("message")) else None,
            "finish_reason": words(choice.get("finish_reason")) or None, "response_id": ident(answer.get("id")),
            "response_model": words(answer.get("model")) or None, "tokens": _tokens(answer, choice)} for choice in each(answer.get("choices")) or [{}]]
        return [{**first, **_cost(usage), "error": _failure(answer), "usage": {
            "input_tokens": _count(usage.get("prompt_tokens")), "output_tokens": _count(usage.get("completion_tokens")),
            "cached_tokens": _count(asked.get("cached_tokens")), "reasoning_tokens": _count(gave.get("reasoning_tokens"))}}, *others]


class _Responses(_Call):
    """A call of the Responses API."""

    parameters = ("temperature", "top_p", "max_output_tokens", "reasoning", "text", "tool_choice", "previous_response_id")

    def shown(self) -> list[dict[str, Any]]:
        asked = self._request.get("input", "")
        items = [{"role": "user", "content": asked}] if isinstance(asked, str) else [plain(item) for item in asked]
        said = self._request.get("instructions")
        return _items([{"role": "system", "content": said}, *items] if said else items, "user")

    def joined(self, chunks: list[dict[str, Any]]) -> dict[str, Any]:
        """The last event has it whole; where it does not come, its items and texts are what there is."""
        answer: dict[str, Any] = {}
        items: dict[int, dict[str, Any]] = {}
        texts: dict[int, str] = {}
        for chunk in chunks:
            kind, item = chunk.get("type"), fields(chunk.get("item"))
            at = _count(chunk.get("output_index")) or 0
            piece = _ARGUMENTS.match(words(kind))
            if kind in ("response.output_text.delta", "response.refusal.delta"):
                texts[at] = texts.get(at, "") + words(chunk.get("delta"))
            elif kind == "response.output_item.added" and item.get("call_id"):  # some tell the rest in pieces alone
                items.setdefault(at, dict(item))
            elif kind == "response.output_item.done":
                items[at] = dict(item)
            elif piece and at in items:
                name, state = piece.groups()
                items[at][name] = words(items[at].get(name)) + words(chunk.get("delta")) if state == "delta" else chunk.get(name)
            elif kind == "error":
                answer = {**answer, "error": chunk}
            answer = fields(chunk.get("response")) or answer
        if not answer.get("output"):
            for at, said in texts.items():
                items.setdefault(at, {"type": "message", "content": said})
            answer = {**answer, "output": [items[at] for at in sorted(items)]}
        return answer if any(chunk.get("type") in _ENDS for chunk in chunks) else {**answer, "status": ""}

    def is_whole(self, answer: dict[str, Any]) -> bool:
        return bool(answer.get("status"))

    def told(self, answer: dict[str, Any]) -> list[dict[str, Any]]:
        usage = fields(answer.get("usage"))
        asked, gave = fields(usage.get("input_tokens_details")), fields(usage.get("output_tokens_details"))
        status = fields(answer.get("incomplete_details")).get("reason") or answer.get("status")
        said = _items(each(answer.get("output")), "assistant")
        return [{
            "reply": said[0] if said else None, "finish_reason": "stop" if status == "completed" else words(status) or None,
            "response_id": ident(answer.get("id")), "response_model": words(answer.get("model")) or None,
            "error": _failure(answer) or ("the stream ended before the response" if status == "" else None),
            "usage": {
                "input_tokens": _count(usage.get("input_tokens")), "output_tokens": _count(usage.get("output_tokens")),
                "cached_tokens": _count(asked.get("cached_tokens")), "reasoning_tokens": _count(gave.get("reasoning_tokens"))},
            **_cost(usage)}]


_ARGUMENTS = re.compile(r"response\.(?:function|custom_tool)_call_(arguments|input)\.(delta|done)")
_ENDS = ("response.completed", "response.incomplete", "response.failed")


def _cost(usage: dict[str, Any]) -> dict[str, Any]:
    """What the call cost in US dollars, where the server says so."""
    return {} if usage.get("cost") is None else {"cost_amount": usage["cost"], "cost_currency": "USD"}


def _items(items: list[Any], role: str) -> list[dict[str, Any]]:
    """Messages of the items of the Responses API, of the usual role where they name none: what a model says and asks for in a row is one."""
    messages: list[dict[str, Any]] = []
    for item in items:
        kind = words(item.get("type")) or "message" if isinstance(item, dict) else "message"
        if kind.endswith("_call_output"):
            messages.append({"role": "tool", "tool_call_id": ident(item.get("call_id")), "content": spoken(item.get("output"))[0]})
            continue
        if kind == "message" and (not isinstance(item, dict) or (words(item.get("role")) or role) != "assistant"):
            messages.append(message(item, role))
            continue
        if not messages or messages[-1]["role"] != "assistant":
            messages.append({"role": "assistant"})
        said = messages[-1]
        if kind == "message":
            said["content"] = said.get("content", "") + spoken(item.get("content"))[0]
        elif kind == "reasoning":
            thought = "\n".join(words(part.get("text")) for part in each(item.get("summary")) or each(item.get("content")))
            if thought:
                said.setdefault("parts", []).append({"type": "reasoning", "content": thought})
        else:
            own = kind in ("function_call", "custom_tool_call")  # and else a tool of the provider, with its result
            said.setdefault("tool_calls", []).append(tool_call(item) if own else {"id": ident(item.get("id")), "tool": kind, "arguments": compact(item)})
    for said in messages:
        if "parts" in said:
            said["parts"] += parts(said)
    return messages


def _tokens(answer: dict[str, Any], choice: dict[str, Any]) -> dict[str, Any] | None:
    """The tokens themselves, where a server such as vLLM tells them (``return_token_ids``)."""
    ids = choice.get("token_ids")
    if not ids:
        return None
    told = each(fields(choice.get("logprobs")).get("content"))
    return {"prompt_ids": choice.get("prompt_token_ids") or answer.get("prompt_token_ids") or [], "response_ids": ids,
            "log_probabilities": [token.get("logprob") for token in told] if len(told) == len(ids) else []}


class _Proxy:
    """A stream that is recorded once it has ended, failed, been closed or been left."""

    def __init__(self, call: _Call, stream: Any) -> None:
        self._call, self._stream = call, stream

    __class__ = property(lambda self: type(self._stream))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def __del__(self) -> None:
        try:
            self._call.dropped()
        except Exception:  # as where the interpreter ends
            pass


class _Stream(_Proxy):
    def __init__(self, call: _Call, stream: Any) -> None:
        super().__init__(call, stream)
        self._chunks = stream if hasattr(stream, "__next__") else iter(stream)

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        try:
            chunk = next(self._chunks)
        except StopIteration:
            self._call.ended()
            raise
        except BaseException as error:
            self._call.failed(error)
            raise
        self._call.chunk(chunk)
        return chunk

    def __enter__(self) -> _Stream:
        self._stream.__enter__()
        return self

    def __exit__(self, *raised: Any) -> Any:
        self._call.left()
        return self._stream.__exit__(*raised)

    def close(self) -> Any:
        self._call.left()
        return self._stream.close()


class _AsyncStream(_Proxy):
    def __init__(self, call: _Call, stream: Any) -> None:
        super().__init__(call, stream)
        self._chunks = stream if hasattr(stream, "__anext__") else stream.__aiter__()

    def __aiter__(self) -> AsyncIterator[Any]:
        return self

    async def __anext__(self) -> Any:
        try:
            chunk = await self._chunks.__anext__()
        except StopAsyncIteration:
            self._call.ended()
            raise
        except BaseException as error:
            self._call.failed(error)
            raise
        self._call.chunk(chunk)
        return chunk

    async def __aenter__(self) -> _AsyncStream:
        await self._stream.__aenter__()
        return self

    async def __aexit__(self, *raised: Any) -> Any:
        self._call.left()
        return await self._stream.__aexit__(*raised)

    async def close(self) -> Any:
        self._call.left()
        return await self._stream.close()

    async def aclose(self) -> Any:
        self._call.left()
        return await self._stream.aclose()
