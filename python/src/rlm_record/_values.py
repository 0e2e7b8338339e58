"""Values of any kind as JSON, texts and numbers: nothing that is given raises here."""

from __future__ import annotations

import json
from collections.abc import Mapping
from numbers import Number
from typing import Any, Callable, cast

_DEEPEST, _MOST = 40, 100_000  # levels, and containers in all, that are shown


def shown(value: object) -> str:
    """What ``str`` says; the class where it fails."""
    try:
        return str.__str__(str(value))
    except Exception:
        return f"<{type(value).__name__}>"


def text(value: object) -> str:
    """A text as it is, all else as JSON where it can be, and by ``str`` where it cannot."""
    return value if type(value) is str else _text(value)


def compact(value: object) -> str:
    """The same without spaces between what JSON consists of, as models write it; nothing for ``None``."""
    return "" if value is None else _text(value, separators=(",", ":"))


def _text(value: object, **form: Any) -> str:
    try:
        if not isinstance(value, str):
            return json.dumps(value, ensure_ascii=False, **form)
    except Exception:
        pass
    told = plain(value, shown)
    return told if isinstance(told, str) else json.dumps(told, ensure_ascii=False, **form)


def line(value: object) -> bytes:
    """A line of JSON, in which numbers and arrays of other libraries are numbers and lists."""
    try:
        told = json.dumps(value)
    except Exception:
        told = json.dumps(plain(value, _of_library))
    return told.encode() + b"\n"


def _of_library(value: Any) -> Any:
    for name in ("tolist", "item"):
        if hasattr(type(value), name):
            return getattr(value, name)()
    return float(cast(Any, value)) if isinstance(value, Number) else shown(value)


def plain(value: object, other: Callable[[Any], Any]) -> Any:
    """The same of what JSON has alone: keys are texts, what holds itself is cut off, and ``other`` makes something of all else."""
    path: set[int] = set()
    left = _MOST

    def within(value: Any) -> Any:
        nonlocal left
        left -= 1
        if id(value) in path or len(path) == _DEEPEST or left < 0:
            return "…"
        path.add(id(value))
        try:
            if isinstance(value, Mapping):
                return {text(key): of(each) for key, each in value.items()}
            return [of(each) for each in value]
        finally:
            path.remove(id(value))

    def of(value: Any) -> Any:
        try:
            if value is None or isinstance(value, (bool, float)):
                return value
            if isinstance(value, int):
                return value if int.bit_length(value) < 1024 else hex(value)
            if isinstance(value, str):
                return str.__str__(value)
            if isinstance(value, (Mapping, list, tuple)):
                return within(value)
            made = other(value)
            return made if type(made) is str else of(made)
        except Exception:
            return shown(value)

    return of(value)


def number(value: Any) -> float | None:
    """The number that a value is, of whichever library; ``None`` where it is none."""
    try:
        told = value.item() if hasattr(type(value), "item") else value
        try:
            return float(told)
        except OverflowError:
            return float("inf") if told > 0 else float("-inf")
    except Exception:
        return None


def numbers(values: Any) -> dict[str, float]:
    """The numbers by their names; what is none is left out."""
    try:
        told = {text(name): number(value) for name, value in values.items()}
    except Exception:
        return {}
    return {name: value for name, value in told.items() if value is not None}


def texts(values: Any) -> dict[str, str]:
    """The texts by their names; ``None`` is left out."""
    try:
        return {text(name): text(value) for name, value in values.items() if value is not None}
    except Exception:
        return {}


def said(error: object) -> str | None:
    """The message of an error; its class where it has none."""
    return None if error is None else shown(error) or type(error).__name__
