#!/usr/bin/env python3
"""A Model Context Protocol server in one file, without any package: a request and an answer a line, as JSON.

    ./rlm run --mcp 'python3 examples/mcp_server.py' ...
"""

import json
import sys

TOOLS = {
    "roman": (
        "Writes a whole number from 1 to 3999 in Roman numerals.",
        {"number": {"type": "integer"}},
        lambda number: roman(number),
    ),
    "count_letters": (
        "Counts how often a letter occurs in a text.",
        {"text": {"type": "string"}, "letter": {"type": "string"}},
        lambda text, letter: str(text.lower().count(letter.lower())),
    ),
}


def roman(number):
    if not 1 <= number <= 3999:
        raise ValueError("expected a number from 1 to 3999, found %s" % number)
    values = (1000, "M", 900, "CM", 500, "D", 400, "CD", 100, "C", 90, "XC")
    values += (50, "L", 40, "XL", 10, "X", 9, "IX", 5, "V", 4, "IV", 1, "I")
    text = ""
    for value, letters in zip(values[::2], values[1::2]):
        text += letters * (number // value)
        number %= value
    return text


def call(params):
    """What a tool gives, or why it failed: that is for the model, which may try again."""
    try:
        text = TOOLS[params["name"]][2](**params.get("arguments", {}))
        return {"content": [{"type": "text", "text": text}]}
    except Exception as error:
        return {"content": [{"type": "text", "text": str(error) or repr(error)}], "isError": True}


def answer(method, params):
    if method == "initialize":
        return {
            "protocolVersion": params["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "example", "version": "1"},
        }
    if method == "tools/list":
        return {
            "tools": [
                {
                    "name": name,
                    "description": description,
                    "inputSchema": {"type": "object", "properties": properties, "required": list(properties)},
                }
                for name, (description, properties, _) in TOOLS.items()
            ]
        }
    if method == "tools/call":
        return call(params)
    if method == "ping":
        return {}
    raise LookupError("no such method: " + method)


def main():
    for line in sys.stdin:
        request = json.loads(line)
        if "id" not in request or "method" not in request:
            continue  # a notification, or an answer to what was never asked
        reply = {"jsonrpc": "2.0", "id": request["id"]}
        try:
            reply["result"] = answer(request["method"], request.get("params") or {})
        except LookupError as error:
            reply["error"] = {"code": -32601, "message": str(error)}
        print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()
