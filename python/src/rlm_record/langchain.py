"""A callback handler of LangChain and LangGraph: ``chain.invoke(question, config={"callbacks": [RunRecorder("shop")]})``."""

from __future__ import annotations

import functools
import operator
from typing import Any
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import BaseMessage
from langchain_core.outputs import LLMResult

from ._chats import ident, spoken
from ._recorder import Recorder
from ._runs import Asked, Run, Step, current, guarded
from ._values import text

_ROLES = {"human": "user", "ai": "assistant", "chat": "user", "function": "tool"}
_LEFT = "the stream was closed before its end"


class RunRecorder(BaseCallbackHandler):
    """Records the outermost chain or agent as a run, unless one is current, and in it each call of a model, a tool and a retriever.

    :param environment: the run's; the name of the chain unless given
    :param fields: those of ``run_started``: ``sample_id``, ``tags``, …
    """

    run_inline = True  # in the order of the calls, and where the run is current

    def __init__(self, environment: str | None = None, recorder: Recorder | None = None, **fields: Any) -> None:
        self._environment, self._recorder, self._fields = environment, recorder, fields
        self._activities: dict[UUID, Run | Step] = {}  # by what LangChain calls a run: each of its calls
        self._asked: dict[UUID, tuple[Asked, dict[str, Any]]] = {}
        self._pieces: dict[UUID, list[Any]] = {}  # what a model has said so far
        self._open: dict[UUID, tuple[int, dict[str, Any]]] = {}
        self._own: dict[UUID, Run] = {}
        self._unstarted: dict[UUID, tuple[UUID, str]] = {}  # chains whose run begins once its task is known: the outermost, and its name
        self.last: Run | None = None  #: the run that began last: for a reward after its end

    # ---- the run

    def on_chain_start(self, serialized: dict[str, Any] | None, inputs: Any, *, run_id: UUID, parent_run_id: UUID | None = None, **more: Any) -> None:
        guarded(lambda: self._begin(run_id, parent_run_id, more.get("name") or (serialized or {}).get("name") or "chain", inputs))

    def on_chain_end(self, outputs: Any, *, run_id: UUID, **more: Any) -> None:
        guarded(lambda: self._end(run_id, outputs, None, more.get("inputs")))

    def on_chain_error(self, error: BaseException, *, run_id: UUID, **more: Any) -> None:
        guarded(lambda: self._end(run_id, None, error, more.get("inputs")))

    def _begin(self, run_id: UUID, parent: UUID | None, name: str, inputs: Any = "") -> Run | Step | None:
        """Finds where a call lies: in its parent, in what is current, or in a run that begins with it, or once the task is known."""
        activity = self._activities.get(parent) if parent else current()
        if activity is None:
            outermost = self._unstarted.get(parent, (run_id, name)) if parent else (run_id, name)
            if _is_untold(inputs):
                self._unstarted[run_id] = outermost
                return None
            activity = self._start(outermost, inputs)
        self._activities[run_id] = activity
        return activity

    def _start(self, outermost: tuple[UUID, str], inputs: Any) -> Run:
        run_id, name = outermost
        run = self._own[run_id] = self.last = Run(self._environment or name, self._recorder, **{"task": _task(inputs), **self._fields})
        for waiting in [each for each, of in self._unstarted.items() if of == outermost]:
            del self._unstarted[waiting]
            self._activities[waiting] = run
        return run

    def _end(self, run_id: UUID, outputs: Any, error: BaseException | None, inputs: Any = None) -> None:
        outermost = self._unstarted.get(run_id)
        if outermost and outermost[0] == run_id:
            self._start(outermost, "" if inputs is None else inputs)
        self._unstarted.pop(run_id, None)
        self._activities.pop(run_id, None)
        run = self._own.pop(run_id, None)
        if run and (error is None or isinstance(error, GeneratorExit)):  # which says that the rest of a stream was not wanted
            run.end(final_answer=guarded(lambda: _answer(outputs)))
        elif run and error is not None:
            run.fail(error)

    # ---- models

    def on_chat_model_start(self, serialized: dict[str, Any] | None, messages: list[list[BaseMessage]], *, run_id: UUID, parent_run_id: UUID | None = None, **more: Any) -> None:
        guarded(lambda: self._asks(run_id, parent_run_id, serialized, [_message(message) for message in (messages[0] if messages else [])], more))

    def on_llm_start(self, serialized: dict[str, Any] | None, prompts: list[str], *, run_id: UUID, parent_run_id: UUID | None = None, **more: Any) -> None:
        guarded(lambda: self._asks(run_id, parent_run_id, serialized, [{"role": "user", "content": prompt} for prompt in prompts[:1]], more))

    def _asks(self, run_id: UUID, parent: UUID | None, serialized: dict[str, Any] | None, messages: list[dict[str, Any]], more: dict[str, Any]) -> None:
        told, meta = more.get("invocation_params") or {}, more.get("metadata") or {}
        model = told.get("model") or told.get("model_name") or meta.get("ls_model_name") or (serialized or {}).get("name") or "unknown"
        activity = self._begin(run_id, parent, "model", messages[-1].get("content", "") if messages else "")
        if activity is None:
            return
        asked = activity.model_asked(messages)
        asked.leave = lambda: self._left(run_id)
        self._asked[run_id] = asked, {
            "request_model": str(model), "provider": str(meta.get("ls_provider") or "unknown"),
            "tool_definitions": text(told["tools"]) if told.get("tools") else None,
            "parameters": {name: told[name] for name in ("temperature", "top_p", "max_tokens", "stop", "seed") if told.get(name) is not None}}

    def on_llm_new_token(self, token: Any, *, run_id: UUID, chunk: Any = None, **more: Any) -> None:
        guarded(lambda: self._heard(run_id, token, chunk))

    def _heard(self, run_id: UUID, token: Any, chunk: Any) -> None:
        if run_id in self._asked:
            fields, run = self._asked[run_id][1], self._activities[run_id].run
            fields.setdefault("first_token_nanos", run.nanos())
            self._pieces.setdefault(run_id, []).append(getattr(chunk, "message", None) or token)

    def on_llm_end(self, response: LLMResult, *, run_id: UUID, **more: Any) -> None:
        guarded(lambda: self._answered(run_id, response, None))
        guarded(lambda: self._end(run_id, _said(response), None))

    def on_llm_error(self, error: BaseException, *, run_id: UUID, **more: Any) -> None:
        left = isinstance(error, GeneratorExit)
        guarded(lambda: self._answered(run_id, more.get("response"), _LEFT if left else error))
        guarded(lambda: self._end(run_id, _said(more.get("response")), error))

    def _left(self, run_id: UUID) -> None:
        """Records what a model has said whose stream nobody reads any more."""
        pieces = self._pieces.get(run_id) or []
        if pieces and all(isinstance(piece, BaseMessage) for piece in pieces):
            reply = _message(functools.reduce(operator.add, pieces))
        else:
            reply = {"content": "".join(spoken(getattr(piece, "content", piece))[0] for piece in pieces)}
        self._answered(run_id, None, _LEFT, reply=reply if pieces else None)

    def _answered(self, run_id: UUID, response: LLMResult | None, error: BaseException | str | None, **known: Any) -> None:
        self._pieces.pop(run_id, None)
        if run_id not in self._asked:
            return
        asked, fields = self._asked.pop(run_id)
        fields.update(known, **(guarded(lambda: _facts(response)) or {}))
        asked.answered(error=error, **fields)

    # ---- tools and retrievers

    def on_tool_start(self, serialized: dict[str, Any] | None, input_str: str, *, run_id: UUID, parent_run_id: UUID | None = None, **more: Any) -> None:
        guarded(lambda: self._calls(run_id, parent_run_id, {
            "tool": more.get("name") or (serialized or {}).get("name") or "tool", "arguments": more.get("inputs") or input_str,
            "call_id": ident(more.get("tool_call_id"))}))

    def on_retriever_start(self, serialized: dict[str, Any] | None, query: str, *, run_id: UUID, parent_run_id: UUID | None = None, **more: Any) -> None:
        guarded(lambda: self._calls(run_id, parent_run_id, {
            "tool": more.get("name") or (serialized or {}).get("name") or "retriever", "arguments": query, "provider": "retrieval"}))

    def _calls(self, run_id: UUID, parent: UUID | None, fields: dict[str, Any]) -> None:
        activity = self._begin(run_id, parent, str(fields["tool"]), fields["arguments"])
        if activity is not None:
            self._open[run_id] = activity.run.nanos(), fields

    def on_tool_end(self, output: Any, *, run_id: UUID, **more: Any) -> None:
        guarded(lambda: self._gave(run_id, getattr(output, "content", output), None))
        self.on_chain_end(output, run_id=run_id)

    def on_retriever_end(self, documents: Any, *, run_id: UUID, **more: Any) -> None:
        guarded(lambda: self._found(run_id, documents))
        self.on_chain_end(None, run_id=run_id)

    def _found(self, run_id: UUID, documents: Any) -> None:
        found = [{"id": str(document.id)} for document in documents if getattr(document, "id", None)]
        self._gave(run_id, [getattr(document, "page_content", document) for document in documents], None, documents=found or None)

    def on_tool_error(self, error: BaseException, *, run_id: UUID, **more: Any) -> None:
        guarded(lambda: self._gave(run_id, "", error))
        self.on_chain_error(error, run_id=run_id)

    on_retriever_error = on_tool_error

    def _gave(self, run_id: UUID, result: Any, error: BaseException | None, **more: Any) -> None:
        if run_id in self._open:
            started, fields = self._open.pop(run_id)
            self._activities[run_id].tool_called(result=result, started=started, error=error, **fields, **more)


def _said(response: LLMResult | None) -> Any:
    """What a model has said first."""
    generation = response.generations[0][0] if response and response.generations and response.generations[0] else None
    return getattr(generation, "message", None) or getattr(generation, "text", None)


def _facts(response: LLMResult | None) -> dict[str, Any]:
    """What is known of a reply, as fields of ``model_called``."""
    said = _said(response)
    if response is None or said is None:
        return {}
    meta = {**(response.generations[0][0].generation_info or {}), **(getattr(said, "response_metadata", None) or {})}
    used = getattr(said, "usage_metadata", None) or {}
    return {
        "reply": _message(said) if isinstance(said, BaseMessage) else {"content": said},
        "response_id": ident(meta.get("id") or getattr(said, "id", None)), "response_model": meta.get("model_name"), "finish_reason": meta.get("finish_reason"),
        "usage": {"input_tokens": used.get("input_tokens"), "output_tokens": used.get("output_tokens"),
                  "cached_tokens": (used.get("input_token_details") or {}).get("cache_read"),
                  "reasoning_tokens": (used.get("output_token_details") or {}).get("reasoning")}}


def _message(message: BaseMessage) -> dict[str, Any]:
    kind = message.type.replace("MessageChunk", "").lower()  # as pieces of messages name themselves
    calls = [{"id": ident(call.get("id")), "tool": call["name"], "arguments": call["args"]} for call in getattr(message, "tool_calls", None) or []]
    told = {"role": getattr(message, "role", None) or _ROLES.get(kind, kind), "content": spoken(message.content)[0], "tool_calls": calls,
            "tool_call_id": ident(getattr(message, "tool_call_id", None))}
    return {name: value for name, value in told.items() if value}


def _is_untold(inputs: Any) -> bool:
    """Whether a chain that is streamed has not read its input yet."""
    return isinstance(inputs, dict) and list(inputs) == ["input"] and isinstance(inputs["input"], str) and not inputs["input"]


def _task(inputs: Any) -> str:
    """The last that a person said, where the input holds messages; the only value of an input; all else as it is."""
    messages = inputs.get("messages") if isinstance(inputs, dict) else getattr(inputs, "messages", inputs)
    if isinstance(messages, (list, tuple)) and messages:
        told = [_of_list(message) for message in messages]
        return text(next((said for role, said in reversed(told) if role in ("human", "user")), told[-1][1]))
    if isinstance(inputs, dict) and len(inputs) == 1:
        only = next(iter(inputs.values()))
        return _task(only) if isinstance(only, list) and only and isinstance(only[-1], BaseMessage) else _words(only)
    return _words(inputs)


def _of_list(message: Any) -> tuple[Any, str]:
    """The role and the text of a message in any form that LangChain takes."""
    if isinstance(message, (list, tuple)) and message:
        return message[0], _words(message[-1])
    if isinstance(message, dict):
        return message.get("role") or message.get("type"), _words(message.get("content", message))
    return getattr(message, "type", None), _words(message)


def _words(value: Any) -> str:
    content = getattr(value, "content", value)
    return spoken(content)[0] if hasattr(value, "content") else text(content)


def _answer(outputs: Any) -> str | None:
    if isinstance(outputs, dict) and isinstance(outputs.get("messages"), list) and outputs["messages"]:
        outputs = outputs["messages"][-1]
    elif isinstance(outputs, dict) and "output" in outputs:
        outputs = outputs["output"]
    if isinstance(outputs, list) and outputs and isinstance(outputs[-1], BaseMessage):
        outputs = outputs[-1]
    return None if outputs is None else _words(outputs) or None
