"""OpenAI's client, whose chat completions are recorded where a run is current: as they come, with tool calls, tokens and errors."""

from __future__ import annotations

import urllib.parse
from typing import Any, AsyncIterator, Iterator, TypeVar

from ._runs import Run, Step, current, guarded, text

C = TypeVar("C")

_PARAMETERS = ("temperature", "top_p", "max_tokens", "max_completion_tokens", "stop", "seed", "n", "frequency_penalty",
               "presence_penalty", "reasoning_effort", "response_format", "tool_choice", "logprobs")
_ABSENT = ("NoneType", "NotGiven", "Omit")


def wrap(client: C) -> C:
    """Makes the calls of ``client.chat.completions.create`` be recorded, of an ``OpenAI`` or an ``AsyncOpenAI``; returns the same client.

    What the caller sees is what it saw before. Raw responses and copies by ``with_options`` are not recorded.
    """
    completions: Any = client.chat.completions  # type: ignore[attr-defined]
    create, address = completions.create, str(getattr(client, "base_url", ""))

    def traced(*args: Any, **kwargs: Any) -> Any:
        activity = current()
        if activity is None:
            return create(*args, **kwargs)
        kwargs["messages"] = list(kwargs.get("messages", ()))  # which may be there to be read once
        call = _Call(activity, {name: value for name, value in kwargs.items() if type(value).__name__ not in _ABSENT}, address)
        try:
            answer = create(*args, **kwargs)
        except BaseException as error:
            call.failed(error)
            raise
        return call.answered(answer) if not hasattr(answer, "__await__") else _later(call, answer)

    completions.create = traced
    return client


async def _later(call: _Call, answer: Any) -> Any:
    try:
        return call.answered(await answer)
    except BaseException as error:
        call.failed(error)
        raise


class _Call:
    """A call that is under way."""

    def __init__(self, activity: Run | Step, request: dict[str, Any], address: str) -> None:
        self._activity, self._request = activity, request
        self._messages = guarded(lambda: [_message(_plain(message)) for message in request["messages"]]) or []  # as they are now
        self._started = activity.run.nanos()
        self._first: int | None = None
        host = urllib.parse.urlsplit(address)
        self._server = {"provider": "openai", "server_address": host.hostname,
                        "server_port": host.port or (443 if host.scheme == "https" else 80)}
        self._over = False

    def answered(self, answer: Any) -> Any:
        """Records the answer, or what becomes of a stream; returns what the caller gets."""
        if hasattr(answer, "choices"):
            self.completed(guarded(lambda: _plain(answer)) or {})
            return answer
        return _AsyncStream(self, answer) if hasattr(answer, "__aiter__") else _Stream(self, answer)

    def chunk(self) -> None:
        self._first = self._first or self._activity.run.nanos()

    def failed(self, error: BaseException | str, chunks: list[dict[str, Any]] | None = None) -> None:
        self.completed(guarded(lambda: _joined(chunks or [])) or {}, error)

    def completed(self, answer: dict[str, Any], error: BaseException | str | None = None) -> None:
        if self._over:
            return
        self._over = True
        guarded(lambda: self._record(answer, error))

    def _record(self, answer: dict[str, Any], error: BaseException | str | None) -> None:
        choice = (answer.get("choices") or [{}])[0]
        usage, request = answer.get("usage") or {}, self._request
        self._activity.model_called(
            str(request.get("model", "")), self._messages, _message(choice["message"]) if choice.get("message") else None, self._started, error,
            first_token_nanos=self._first, response_id=answer.get("id"), response_model=answer.get("model"),
            finish_reason=choice.get("finish_reason"),
            parameters={name: _plain(request[name]) for name in _PARAMETERS if name in request},
            tool_definitions=text([_plain(tool) for tool in request["tools"]]) if request.get("tools") else None,
            usage={
                "input_tokens": usage.get("prompt_tokens"), "output_tokens": usage.get("completion_tokens"),
                "cached_tokens": (usage.get("prompt_tokens_details") or {}).get("cached_tokens"),
                "reasoning_tokens": (usage.get("completion_tokens_details") or {}).get("reasoning_tokens")},
            tokens=_tokens(answer, choice), **self._server)


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
        told["parts"] = [{"type": "reasoning", "content": thought}, *([{"type": "text", "content": content}] if content else []), *(
            {"type": "tool_call", "id": call["id"], "tool": call["tool"], "content": call["arguments"]} for call in calls)]
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
            self._call.completed(guarded(lambda: _joined(self._chunks)) or {})
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
