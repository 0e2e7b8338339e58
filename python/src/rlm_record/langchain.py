"""A callback handler of LangChain and LangGraph: ``chain.invoke(question, config={"callbacks": [RunRecorder("shop")]})``."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import BaseMessage
from langchain_core.outputs import LLMResult

from ._recorder import Recorder
from ._runs import Asked, Run, Step, current, guarded, text

_ROLES = {"human": "user", "ai": "assistant", "chat": "user", "function": "tool"}


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
        self._open: dict[UUID, tuple[int, dict[str, Any]]] = {}
        self._own: dict[UUID, Run] = {}
        self.last: Run | None = None  #: the run that began last: for a reward after its end

    # ---- the run

    def on_chain_start(self, serialized: dict[str, Any] | None, inputs: Any, *, run_id: UUID, parent_run_id: UUID | None = None, **more: Any) -> None:
        guarded(lambda: self._begin(run_id, parent_run_id, more.get("name") or (serialized or {}).get("name") or "chain", inputs))

    def on_chain_end(self, outputs: Any, *, run_id: UUID, **more: Any) -> None:
        self._activities.pop(run_id, None)
        run = self._own.pop(run_id, None)
        if run:
            guarded(lambda: run.end(final_answer=_answer(outputs)))

    def on_chain_error(self, error: BaseException, *, run_id: UUID, **more: Any) -> None:
        self._activities.pop(run_id, None)
        run = self._own.pop(run_id, None)
        if run:
            guarded(lambda: run.fail(error))

    def _begin(self, run_id: UUID, parent: UUID | None, name: str, inputs: Any = "") -> Run | Step:
        """Finds where a call lies: in its parent, in what is current, or in a run that begins with it."""
        activity = self._activities.get(parent) if parent else current()
        if activity is None:
            activity = self._own[run_id] = self.last = Run(self._environment or name, self._recorder, **{"task": _task(inputs), **self._fields})
        self._activities[run_id] = activity
        return activity

    # ---- models

    def on_chat_model_start(self, serialized: dict[str, Any] | None, messages: list[list[BaseMessage]], *, run_id: UUID, parent_run_id: UUID | None = None, **more: Any) -> None:
        shown = messages[0] if messages else []
        guarded(lambda: self._asks(run_id, parent_run_id, serialized, [_message(message) for message in shown], more))

    def on_llm_start(self, serialized: dict[str, Any] | None, prompts: list[str], *, run_id: UUID, parent_run_id: UUID | None = None, **more: Any) -> None:
        guarded(lambda: self._asks(run_id, parent_run_id, serialized, [{"role": "user", "content": prompt} for prompt in prompts[:1]], more))

    def _asks(self, run_id: UUID, parent: UUID | None, serialized: dict[str, Any] | None, messages: list[dict[str, Any]], more: dict[str, Any]) -> None:
        told, meta = more.get("invocation_params") or {}, more.get("metadata") or {}
        model = told.get("model") or told.get("model_name") or meta.get("ls_model_name") or (serialized or {}).get("name") or "unknown"
        activity = self._begin(run_id, parent, "model", messages[-1].get("content", "") if messages else "")
        self._asked[run_id] = activity.model_asked(messages), {
            "request_model": str(model), "provider": str(meta.get("ls_provider") or "unknown"),
            "tool_definitions": text(told["tools"]) if told.get("tools") else None,
            "parameters": {name: told[name] for name in ("temperature", "top_p", "max_tokens", "stop", "seed") if told.get(name) is not None}}

    def on_llm_new_token(self, token: Any, *, run_id: UUID, **more: Any) -> None:
        if run_id in self._asked:
            self._asked[run_id][1].setdefault("first_token_nanos", self._activities[run_id].run.nanos())

    def on_llm_end(self, response: LLMResult, *, run_id: UUID, **more: Any) -> None:
        guarded(lambda: self._answered(run_id, response, None))
        self.on_chain_end("", run_id=run_id)

    def on_llm_error(self, error: BaseException, *, run_id: UUID, **more: Any) -> None:
        guarded(lambda: self._answered(run_id, None, error))
        self.on_chain_error(error, run_id=run_id)

    def _answered(self, run_id: UUID, response: LLMResult | None, error: BaseException | None) -> None:
        if run_id not in self._asked:
            return
        asked, fields = self._asked.pop(run_id)
        if response is not None and response.generations and response.generations[0]:
            generation = response.generations[0][0]
            said = getattr(generation, "message", None)
            meta = {**(generation.generation_info or {}), **(getattr(said, "response_metadata", None) or {})}
            used = getattr(said, "usage_metadata", None) or {}
            fields.update(
                reply=_message(said) if said is not None else {"content": generation.text},
                response_id=meta.get("id") or getattr(said, "id", None), response_model=meta.get("model_name"), finish_reason=meta.get("finish_reason"),
                usage={"input_tokens": used.get("input_tokens"), "output_tokens": used.get("output_tokens"),
                       "cached_tokens": (used.get("input_token_details") or {}).get("cache_read"),
                       "reasoning_tokens": (used.get("output_token_details") or {}).get("reasoning")})
        asked.answered(error=error, **fields)

    # ---- tools and retrievers

    def on_tool_start(self, serialized: dict[str, Any] | None, input_str: str, *, run_id: UUID, parent_run_id: UUID | None = None, **more: Any) -> None:
        name = more.get("name") or (serialized or {}).get("name") or "tool"
        arguments = more.get("inputs") or input_str
        guarded(lambda: self._calls(run_id, parent_run_id, {"tool": name, "arguments": arguments, "call_id": more.get("tool_call_id")}))

    def on_retriever_start(self, serialized: dict[str, Any] | None, query: str, *, run_id: UUID, parent_run_id: UUID | None = None, **more: Any) -> None:
        name = more.get("name") or (serialized or {}).get("name") or "retriever"
        guarded(lambda: self._calls(run_id, parent_run_id, {"tool": name, "arguments": query, "provider": "retrieval"}))

    def _calls(self, run_id: UUID, parent: UUID | None, fields: dict[str, Any]) -> None:
        activity = self._begin(run_id, parent, str(fields["tool"]), fields["arguments"])
        self._open[run_id] = activity.run.nanos(), fields

    def on_tool_end(self, output: Any, *, run_id: UUID, **more: Any) -> None:
        guarded(lambda: self._gave(run_id, getattr(output, "content", output), None))
        self.on_chain_end(output, run_id=run_id)

    def on_retriever_end(self, documents: Any, *, run_id: UUID, **more: Any) -> None:
        found = [{"id": str(document.id)} for document in documents if getattr(document, "id", None)]
        guarded(lambda: self._gave(run_id, [getattr(document, "page_content", document) for document in documents], None, documents=found or None))
        self.on_chain_end("", run_id=run_id)

    def on_tool_error(self, error: BaseException, *, run_id: UUID, **more: Any) -> None:
        guarded(lambda: self._gave(run_id, "", error))
        self.on_chain_error(error, run_id=run_id)

    on_retriever_error = on_tool_error

    def _gave(self, run_id: UUID, result: Any, error: BaseException | None, **more: Any) -> None:
        if run_id in self._open:
            started, fields = self._open.pop(run_id)
            self._activities[run_id].tool_called(result=result, started=started, error=error, **fields, **more)


def _message(message: BaseMessage) -> dict[str, Any]:
    content = message.content if isinstance(message.content, str) else "\n".join(
        part if isinstance(part, str) else part.get("text") or f"[{part.get('type')}]" for part in message.content)
    calls = [{"id": call.get("id") or "", "tool": call["name"], "arguments": call["args"]} for call in getattr(message, "tool_calls", None) or []]
    told = {"role": _ROLES.get(message.type, message.type), "content": content, "tool_calls": calls, "tool_call_id": getattr(message, "tool_call_id", None)}
    return {name: value for name, value in told.items() if value}


def _task(inputs: Any) -> str:
    """The last that a person said, where the input holds messages; the only value of an input; all else as it is."""
    messages = inputs.get("messages") if isinstance(inputs, dict) else inputs
    if isinstance(messages, (list, tuple)) and messages:
        last = messages[-1]
        return text(getattr(last, "content", None) or (last[-1] if isinstance(last, (list, tuple)) else last.get("content") if isinstance(last, dict) else last))
    if isinstance(inputs, dict) and len(inputs) == 1:
        return text(next(iter(inputs.values())))
    return text(getattr(inputs, "content", inputs))


def _answer(outputs: Any) -> str | None:
    if isinstance(outputs, dict) and isinstance(outputs.get("messages"), list) and outputs["messages"]:
        outputs = outputs["messages"][-1]
    elif isinstance(outputs, dict) and "output" in outputs:
        outputs = outputs["output"]
    return text(getattr(outputs, "content", outputs)) or None
