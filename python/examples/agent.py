#!/usr/bin/env python3
"""An agent with a tool and a model. Three lines record it: they end in `# recorded`."""

import json, os, sys
from openai import OpenAI
import rlm_record, rlm_record.openai  # recorded

client = rlm_record.openai.wrap(OpenAI(base_url=os.environ.get("OPENAI_BASE_URL"), api_key=os.environ.get("OPENAI_API_KEY", "none")))  # recorded
MODEL = os.environ.get("MODEL", "qwen3")
TOOLS = [{"type": "function", "function": {"name": "calculate", "description": "computes a sum, a product …", "parameters": {
    "type": "object", "properties": {"expression": {"type": "string"}}, "required": ["expression"]}}}]


def calculate(expression):
    if not set(expression) <= set("0123456789+-*/(). "):
        raise ValueError(f"not an expression: {expression}")
    return str(eval(expression))


@rlm_record.observe  # recorded
def agent(question):
    messages = [{"role": "user", "content": question}]
    while True:
        reply = client.chat.completions.create(model=MODEL, messages=messages, tools=TOOLS).choices[0].message
        if not reply.tool_calls:
            return reply.content
        messages.append(reply.model_dump(exclude_none=True))
        for call in reply.tool_calls:
            try:
                result = calculate(**json.loads(call.function.arguments))
            except Exception as error:
                result = f"error: {error}"
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result})


if __name__ == "__main__":
    print(agent(" ".join(sys.argv[1:]) or "What is 48 / 2 + 24?"))
