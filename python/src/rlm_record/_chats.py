"""Messages of chat completions, and replies of theirs that come in pieces. What is of another kind than it should be counts as not said."""

from __future__ import annotations

from typing import Any

from ._values import compact, text

THOUGHTS = ("reasoning_content", "reasoning", "thinking")  # some servers say it under several
_HEAD = ("id", "model", "usage", "error", "prompt_token_ids")
_LONGEST_ID = 1024


def plain(value: Any) -> Any:
    """What a client's object holds; all else as it is."""
    if isinstance(value, dict) or not hasattr(value, "model_dump"):
        return value
    return value.model_dump(mode="json", exclude_none=True)


def fields(value: Any) -> dict[str, Any]:
    told = plain(value)
    return (told if type(told) is dict else dict.copy(told)) if isinstance(told, dict) else {}


def each(value: Any) -> list[dict[str, Any]]:
    """The objects of a list."""
    return [told for one in value if (told := fields(one))] if isinstance(value, (list, tuple)) else []


def words(value: Any) -> str:
    return value if isinstance(value, str) else ""


def ident(value: Any) -> str | None:
    """An id as the recorder takes it."""
    told = "" if value is None else text(value)[:_LONGEST_ID]
    return told if told.strip() else None


def message(given: Any, role: str) -> dict[str, Any]:
    """A message as the recorder takes it, of the usual role where it names none."""
    told = plain(given)
    if not isinstance(told, dict):
        return {"role": role, "content": text(told)}
    named = words(told.get("role")) or role
    content, thoughts = spoken(told.get("content"))
    thoughts = list(dict.fromkeys([*filter(None, (words(told.get(name)) for name in THOUGHTS)), *thoughts]))
    calls = [tool_call(call) for call in each(told.get("tool_calls")) or each([told.get("function_call")])]
    made: dict[str, Any] = {"role": "tool" if named == "function" else named, "content": content or words(told.get("refusal")),
                            "tool_calls": calls, "tool_call_id": ident(told.get("tool_call_id"))}
    if thoughts:
        made["parts"] = [*({"type": "reasoning", "content": thought} for thought in thoughts), *parts(made)]
    return {name: value for name, value in made.items() if value}


def spoken(content: Any) -> tuple[str, list[str]]:
    """The text of a content, a line for each part, of which those that are no text are named; and the thoughts in it."""
    if not isinstance(content, (list, tuple)):
        return "" if content is None else text(content), []
    lines, thoughts = [], []
    for part in map(plain, content):
        thought = thinking(part)
        if thought:
            thoughts.append(thought)
        elif isinstance(part, dict):
            lines.append(text(part.get("text") or part.get("refusal") or f"[{part.get('type')}]"))
        else:
            lines.append(text(part))
    return "\n".join(lines), thoughts


def thinking(part: Any) -> str:
    """The thought that a part of a content is."""
    told = fields(part).get("thinking")
    return words(told) or "".join(words(piece.get("text")) for piece in each(told))


def tool_call(call: dict[str, Any]) -> dict[str, Any]:
    """A call of a tool, in any form: with a function, as a custom tool's, or with a name of its own."""
    function = fields(call.get("custom")) or fields(call.get("function")) or call
    told = {"id": ident(call.get("call_id") or call.get("id")), "tool": words(function.get("name")), "arguments": arguments(function)}
    return {name: value for name, value in told.items() if value is not None}


def arguments(function: dict[str, Any]) -> str:
    """What a tool is given: a text of JSON, or for some the JSON itself; of one that takes text that text."""
    return compact(function.get("input" if "input" in function else "arguments"))


def parts(said: dict[str, Any]) -> list[dict[str, Any]]:
    content = said.get("content")
    return [*([{"type": "text", "content": content}] if content else []), *(
        {"type": "tool_call", "id": call.get("id"), "tool": call["tool"], "content": call["arguments"]} for call in said.get("tool_calls") or [])]


def joined(chunks: list[dict[str, Any]]) -> dict[str, Any]:
    """The answer that a stream has told in pieces."""
    answer: dict[str, Any] = {}
    choices: dict[int, _Choice] = {}
    for chunk in each(chunks):
        answer.update({name: chunk[name] for name in _HEAD if chunk.get(name)})
        for piece in each(chunk.get("choices")):
            index = piece.get("index")
            choices.setdefault(index if isinstance(index, int) else 0, _Choice()).add(piece)
    return {**answer, "choices": [choices[index].whole() for index in sorted(choices)]}


class _Choice:
    """A choice that comes in pieces: texts and arguments are joined, lists of tokens too, and of all else the last one counts."""

    def __init__(self) -> None:
        self._told: dict[str, Any] = {}
        self._texts: dict[str, str] = {}
        self._calls: list[_ToolCall] = []  # in the order in which they began
        self._by_index: dict[int, _ToolCall] = {}  # the last that began at each

    def add(self, piece: dict[str, Any]) -> None:
        self._told.update({name: piece[name] for name in ("finish_reason", "prompt_token_ids") if piece.get(name)})
        if isinstance(piece.get("token_ids"), list):
            self._told.setdefault("token_ids", []).extend(piece["token_ids"])
        for token in each(fields(piece.get("logprobs")).get("content")):
            self._told.setdefault("logprobs", {"content": []})["content"].append({"token": token.get("token"), "logprob": token.get("logprob")})
        delta = fields(piece.get("delta"))
        self._content(delta.get("content"))
        self._append("refusal", delta.get("refusal"))
        thought = next((name for name in THOUGHTS if words(delta.get(name))), THOUGHTS[0])
        self._append(thought, delta.get(thought))
        for call in each([delta.get("function_call")]):
            (self._by_index.get(0) or self._begin(0)).add("", call)
        for call in each(delta.get("tool_calls")):
            self._call(call)

    def _append(self, name: str, more: Any) -> None:
        if words(more):
            self._texts[name] = self._texts.get(name, "") + more

    def _content(self, content: Any) -> None:
        """A text, or parts, thoughts among them."""
        self._append("content", content)
        for part in content if isinstance(content, (list, tuple)) else []:
            told = fields(part)
            self._append("content", part if isinstance(part, str) else told.get("text"))
            self._append(THOUGHTS[0], thinking(part))
            if told and not {"text", "thinking"} & told.keys():  # such as a picture
                self._append("content", f"[{words(told.get('type')) or 'part'}]")

    def _call(self, piece: dict[str, Any]) -> None:
        """Adds a piece of a call. It goes on with the one of its index, or where it tells none with the last; but with a name it begins one where it
        has another id, or without an index stands behind arguments."""
        index, id = piece.get("index"), ident(piece.get("id")) or ""
        placed = isinstance(index, int)
        at: int = index if isinstance(index, int) else self._calls[-1].index if self._calls else 0
        function = fields(piece.get("custom")) or fields(piece.get("function"))
        call = self._by_index.get(at)
        if call is None or (words(function.get("name")) and call.is_followed_by(id, placed)):
            call = self._begin(at if placed else len(self._calls))
        call.add(id, function)

    def _begin(self, index: int) -> _ToolCall:
        begun = self._by_index[index] = _ToolCall(index)
        self._calls.append(begun)
        return begun

    def whole(self) -> dict[str, Any]:
        calls = [call.whole() for call in self._calls]
        said = {**self._texts, **({"tool_calls": calls} if calls else {})}
        return {**self._told, **({"message": {"role": "assistant", **said}} if said else {})}


class _ToolCall:
    def __init__(self, index: int) -> None:
        self.index = index
        self._id = self._name = self._arguments = ""

    def is_followed_by(self, id: str, placed: bool) -> bool:
        """Whether a name begins another call: some servers give another id with each piece, but no name."""
        return id != self._id if id and self._id else not placed and bool(self._arguments)

    def add(self, id: str, function: dict[str, Any]) -> None:
        """Adds a piece, which tells the name in pieces too, or each time."""
        self._id = self._id or id
        more = words(function.get("name"))
        self._name += "" if more == self._name else more
        self._arguments += arguments(function)

    def whole(self) -> dict[str, Any]:
        return {"id": self._id, "type": "function", "function": {"name": self._name, "arguments": self._arguments}}
