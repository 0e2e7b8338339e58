"""OpenAI's client, whose calls are recorded where a run is current: as they come, with tool calls, tokens and errors."""

from __future__ import annotations

import inspect
import urllib.parse
from typing import Any, AsyncIterator, Iterator, TypeVar, cast

from ._runs import Run, Step, current, guarded, text

C = TypeVar("C")

_ABSENT = ("NoneType", "NotGiven", "Omit")


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
    if hasattr(create, "rlm_record"):
        return
    address = str(getattr(getattr(resource, "_client", None), "base_url", ""))

    def call(activity: Run | Step, kwargs: dict[str, Any]) -> _Call:
        return kind(activity, {name: value for name, value in kwargs.items() if type(value).__name__ not in _ABSENT}, address)

    async def later(activity: Run | Step, args: Any, kwargs: dict[str, Any]) -> Any:
        asked = call(activity, kwargs)  # now that it is awaited, by whom it is
        try:
            return asked.answered(await create(*args, **kwargs))
        except BaseException as error:
            asked.failed(error)
            raise

    def traced(*args: Any, **kwargs: Any) -> Any:
        activity = current()
        if activity is None:
            return create(*args, **kwargs)
        for name in ("messages", "input"):
            if not isinstance(kwargs.get(name, ""), str):
                kwargs[name] = list(kwargs[name])  # which may be there to be read once
        if inspect.iscoroutinefunction(inspect.unwrap(create)):
            return later(activity, args, kwargs)
        asked = call(activity, kwargs)
        try:
            return asked.answered(create(*args, **kwargs))
        except BaseException as error:
            asked.failed(error)
            raise

    traced.rlm_record = True  # type: ignore[attr-defined]
    resource.create = traced


class _Call:
    """A call that is under way."""

    def __init__(self, activity: Run | Step, request: dict[str, Any], address: str) -> None:
        self._activity, self._request = activity, request
        self._asked = activity.model_asked(guarded(self.shown) or [])  # as it is now
        self._first: int | None = None
        host = urllib.parse.urlsplit(address)
        self._server: dict[str, Any] = {"provider": "openai", "server_address": host.hostname,
                        "server_port": host.port or (443 if host.scheme == "https" else 80)}
        self._over = False

    # ---- what the kinds of calls differ in

    parameters: tuple[str, ...]

    def shown(self) -> list[dict[str, Any]]:
        """The messages that the model is shown."""
        raise NotImplementedError

    def joined(self, chunks: list[dict[str, Any]]) -> dict[str, Any]:
        """The answer that a stream has told in pieces."""
        raise NotImplementedError

    def told(self, answer: dict[str, Any]) -> dict[str, Any]:
        """What the answer says, as fields of ``model_called``."""
        raise NotImplementedError

    # ---- its course

    def answered(self, answer: Any) -> Any:
        """Records the answer, or what becomes of a stream; returns what the caller gets."""
        if hasattr(answer, "__aiter__"):
            return _AsyncStream(self, answer)
        if hasattr(answer, "__next__"):
            return _Stream(self, answer)
        self.completed(guarded(lambda: _plain(answer)) or {})
        return answer

    def chunk(self) -> None:
        self._first = self._first or self._activity.run.nanos()

    def failed(self, error: BaseException | str, chunks: list[dict[str, Any]] | None = None) -> None:
        self.completed(guarded(lambda: self.joined(chunks or [])) or {}, error)

    def completed(self, answer: dict[str, Any], error: BaseException | str | None = None) -> None:
        if self._over:
            return
        self._over = True
        guarded(lambda: self._record(answer, error))

    def _record(self, answer: dict[str, Any], error: BaseException | str | None) -> None:
        request = self._request
        told = self.told(answer)
        failure = told.pop("error", None)
        self._asked.answered(
            str(request.get("model", "")), error=error or failure, first_token_nanos=self._first,
            response_id=answer.get("id"), response_model=answer.get("model"),
            parameters={name: _plain(request[name]) for name in self.parameters if name in request},
            tool_definitions=text([_plain(tool) for tool in request["tools"]]) if request.get("tools") else None, **told, **self._server)


class _Chat(_Call):
    """A call of chat completions."""

    parameters = ("temperature", "top_p", "max_tokens", "max_completion_tokens", "stop", "seed", "n", "frequency_penalty",
                  "presence_penalty", "reasoning_effort", "response_format", "tool_choice", "logprobs")

    def shown(self) -> list[dict[str, Any]]:
        return [_message(_plain(message)) for message in self._request["messages"]]

    def joined(self, chunks: list[dict[str, Any]]) -> dict[str, Any]:
        return _joined(chunks)

    def told(self, answer: dict[str, Any]) -> dict[str, Any]:
        choice, usage = (answer.get("choices") or [{}])[0], answer.get("usage") or {}
        return {
            "reply": _message(choice["message"]) if choice.get("message") else None, "finish_reason": choice.get("finish_reason"),
            "usage": {
                "input_tokens": usage.get("prompt_tokens"), "output_tokens": usage.get("completion_tokens"),
                "cached_tokens": (usage.get("prompt_tokens_details") or {}).get("cached_tokens"),
                "reasoning_tokens": (usage.get("completion_tokens_details") or {}).get("reasoning_tokens")},
            **_cost(usage), "tokens": _tokens(answer, choice)}


class _Responses(_Call):
    """A call of the Responses API."""

    parameters = ("temperature", "top_p", "max_output_tokens", "reasoning", "text", "tool_choice", "previous_response_id")

    def shown(self) -> list[dict[str, Any]]:
        asked = self._request.get("input", "")
        items = [{"role": "user", "content": asked}] if isinstance(asked, str) else [_plain(item) for item in asked]
        said = self._request.get("instructions")
        return _items([{"role": "system", "content": said}, *items] if said else items)

    def joined(self, chunks: list[dict[str, Any]]) -> dict[str, Any]:
        whole = next((chunk["response"] for chunk in reversed(chunks) if chunk.get("type") in _ENDS), None)
        if whole:
            return cast("dict[str, Any]", whole)
        began: dict[str, Any] = next((chunk["response"] for chunk in chunks if chunk.get("response")), {})
        items = [chunk["item"] for chunk in chunks if chunk.get("type") == "response.output_item.done"]
        piece = "".join(chunk.get("delta", "") for chunk in chunks if chunk.get("type") == "response.output_text.delta")
        spoken = any(item.get("type") == "message" for item in items)
        return {**began, "status": "", "output": [*items, *([{"role": "assistant", "content": piece}] if piece and not spoken else [])]}

    def told(self, answer: dict[str, Any]) -> dict[str, Any]:
        usage, failure = answer.get("usage") or {}, answer.get("error") or {}
        status = (answer.get("incomplete_details") or {}).get("reason") or answer.get("status")
        said = _items(answer.get("output") or [])
        return {
            "reply": said[0] if said else None, "finish_reason": "stop" if status == "completed" else status or None,
            "error": failure.get("message") or ("the stream ended before the response" if status == "" else None),
            "usage": {
                "input_tokens": usage.get("input_tokens"), "output_tokens": usage.get("output_tokens"),
                "cached_tokens": (usage.get("input_tokens_details") or {}).get("cached_tokens"),
                "reasoning_tokens": (usage.get("output_tokens_details") or {}).get("reasoning_tokens")},
            **_cost(usage)}


_ENDS = ("response.completed", "response.incomplete", "response.failed")


def _cost(usage: dict[str, Any]) -> dict[str, Any]:
    """What the call cost in US dollars, where the server says so."""
    return {} if usage.get("cost") is None else {"cost_amount": usage["cost"], "cost_currency": "USD"}


def _items(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Messages of the items of the Responses API: what a model says and asks for in a row is one."""
    messages: list[dict[str, Any]] = []
    for item in items:
        kind = item.get("type", "message")
        if kind.endswith("_call_output"):
            messages.append({"role": "tool", "tool_call_id": item.get("call_id"), "content": text(item.get("output", ""))})
            continue
        if kind == "message" and item.get("role") != "assistant":
            messages.append(_message(item))
            continue
        if not messages or messages[-1]["role"] != "assistant":
            messages.append({"role": "assistant"})
        said = messages[-1]
        if kind == "message":
            said["content"] = said.get("content", "") + _message(item).get("content", "")
        elif kind == "reasoning":
            thought = "\n".join(part.get("text", "") for part in [*(item.get("summary") or []), *(item.get("content") or [])])
            if thought:
                said.setdefault("parts", []).append({"type": "reasoning", "content": thought})
        else:
            call = {"id": item.get("call_id") or item.get("id") or "", "tool": item.get("name") or kind,
                    "arguments": item.get("arguments") or item.get("input") or ""}
            said.setdefault("tool_calls", []).append(call)
    for said in messages:
        if "parts" in said:
            said["parts"] += _parts(said)
    return messages


def _parts(said: dict[str, Any]) -> list[dict[str, Any]]:
    content = said.get("content")
    return [*([{"type": "text", "content": content}] if content else []), *(
        {"type": "tool_call", "id": call["id"], "tool": call["tool"], "content": call["arguments"]} for call in said.get("tool_calls") or [])]


def _plain(value: Any) -> Any:
    return value.model_dump(mode="json", exclude_none=True) if hasattr(value, "model_dump") else value


def _message(message: dict[str, Any]) -> dict[str, Any]:
    content = message.get("content") or message.get("refusal") or ""
    if not isinstance(content, str):  # several parts, of which those that are no text are named
        content = "\n".join(part.get("text") or f"[{part.get('type')}]" for part in map(_plain, content))
    thought = message.get("reasoning_content") or message.get("reasoning")
    calls = []
    for call in message.get("tool_calls") or []:
        asked = call.get(call.get("type", "function")) or {}
        calls.append({"id": call.get("id") or "", "tool": asked.get("name") or "", "arguments": asked.get("arguments", asked.get("input", ""))})
    told = {"role": message.get("role", "assistant"), "content": content, "tool_calls": calls, "tool_call_id": message.get("tool_call_id")}
    if thought:
        told["parts"] = [{"type": "reasoning", "content": thought}, *_parts(told)]
    return {name: value for name, value in told.items() if value}


def _tokens(answer: dict[str, Any], choice: dict[str, Any]) -> dict[str, Any] | None:
    """The tokens themselves, where a server such as vLLM tells them (``return_token_ids``)."""
    ids = choice.get("token_ids")
    if not ids:
        return None
    told = (choice.get("logprobs") or {}).get("content") or []
    return {"prompt_ids": answer.get("prompt_token_ids") or [], "response_ids": ids,
            "log_probabilities": [token["logprob"] for token in told] if len(told) == len(ids) else []}


def _joined(chunks: list[dict[str, Any]]) -> dict[str, Any]:
    """The answer that a stream has told in pieces."""
    answer: dict[str, Any] = {}
    message: dict[str, Any] = {"role": "assistant"}
    calls: dict[int, dict[str, Any]] = {}
    choice: dict[str, Any] = {}
    for chunk in chunks:
        answer.update({name: chunk[name] for name in ("id", "model", "usage") if chunk.get(name)})
        for piece in chunk.get("choices") or []:
            if piece.get("index"):
                continue  # the first alone is recorded
            choice["finish_reason"] = piece.get("finish_reason") or choice.get("finish_reason")
            delta = piece.get("delta") or {}
            for name in ("content", "refusal", "reasoning_content", "reasoning"):
                if delta.get(name):
                    message[name] = message.get(name, "") + delta[name]
            for tool in delta.get("tool_calls") or []:
                call = calls.setdefault(tool.get("index", 0), {"id": "", "type": "function", "function": {"name": "", "arguments": ""}})
                call["id"] = tool.get("id") or call["id"]
                for name in ("name", "arguments"):
                    call["function"][name] += (tool.get("function") or {}).get(name) or ""
    if calls:
        message["tool_calls"] = [calls[index] for index in sorted(calls)]
    if len(message) > 1:
        choice["message"] = message
    return {**answer, "choices": [choice]}


class _Proxy:
    """A stream that is recorded once it has ended, failed or been closed."""

    def __init__(self, call: _Call, stream: Any) -> None:
        self._call, self._stream, self._chunks = call, stream, list[Any]()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def _took(self, chunk: Any) -> Any:
        self._call.chunk()
        self._chunks.append(guarded(lambda: _plain(chunk)) or {})
        return chunk

    def _ended(self, error: BaseException | str | None = None) -> None:
        if error is None:
            self._call.completed(guarded(lambda: self._call.joined(self._chunks)) or {})
        else:
            self._call.failed(error, self._chunks)


class _Stream(_Proxy):
    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        try:
            return self._took(next(self._stream))
        except StopIteration:
            self._ended()
            raise
        except BaseException as error:
            self._ended(error)
            raise

    def __enter__(self) -> _Stream:
        self._stream.__enter__()
        return self

    def __exit__(self, *raised: Any) -> Any:
        self._ended("the stream was closed before its end")
        return self._stream.__exit__(*raised)

    def close(self) -> None:
        self._ended("the stream was closed before its end")
        self._stream.close()


class _AsyncStream(_Proxy):
    def __aiter__(self) -> AsyncIterator[Any]:
        return self

    async def __anext__(self) -> Any:
        try:
            return self._took(await self._stream.__anext__())
        except StopAsyncIteration:
            self._ended()
            raise
        except BaseException as error:
            self._ended(error)
            raise

    async def __aenter__(self) -> _AsyncStream:
        await self._stream.__aenter__()
        return self

    async def __aexit__(self, *raised: Any) -> Any:
        self._ended("the stream was closed before its end")
        return await self._stream.__aexit__(*raised)

    async def close(self) -> None:
        self._ended("the stream was closed before its end")
        await self._stream.close()
