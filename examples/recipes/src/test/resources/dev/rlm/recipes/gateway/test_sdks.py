"""The official Python clients of OpenAI and Anthropic, at the model RLM_MODEL_URL and through the gateway RLM_FORWARDED_URL.

Asks with a picture, gives the results of two tools, and is answered. What a client sees of the model, piece by piece where it is
streamed, is a line of JSON in RLM_SEEN.
"""

import json
import os

import anthropic
import openai
import pytest

SYSTEM = "You count."
QUESTION = "1 + 2, 3 + 4?"
PICTURE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
PICTURE_URL = "data:image/png;base64," + PICTURE
SCHEMA = {"type": "object", "properties": {}}
SUMS = ["3", "7"]


def plain(value):
    return value.model_dump(mode="json")


def chat(base, model, stream, seen):
    client = openai.OpenAI(base_url=base + "/v1", api_key="none")
    messages = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": [
        {"type": "text", "text": QUESTION}, {"type": "image_url", "image_url": {"url": PICTURE_URL}}]}]
    tools = [{"type": "function", "function": {"name": "add", "parameters": SCHEMA}}]

    def ask():
        if not stream:
            whole = client.chat.completions.create(model=model, messages=messages, tools=tools)
        else:
            with client.chat.completions.stream(
                    model=model, messages=messages, tools=tools, stream_options={"include_usage": True}) as events:
                seen.extend(plain(event) for event in events)
                whole = events.get_final_completion()
        seen.append(plain(whole))
        return whole.choices[0].message

    said = ask()
    messages.append({"role": "assistant", "content": said.content, "tool_calls": [
        {"id": c.id, "type": "function", "function": {"name": c.function.name, "arguments": c.function.arguments}}
        for c in said.tool_calls]})
    messages.extend({"role": "tool", "tool_call_id": call.id, "content": result}
                    for call, result in zip(said.tool_calls, SUMS))
    ask()


def responses(base, model, stream, seen):
    client = openai.OpenAI(base_url=base + "/v1", api_key="none")
    items = [{"role": "user", "content": [
        {"type": "input_text", "text": QUESTION}, {"type": "input_image", "image_url": PICTURE_URL, "detail": "auto"}]}]
    tools = [{"type": "function", "name": "add", "parameters": SCHEMA, "strict": False}]

    def ask():
        if not stream:
            whole = client.responses.create(model=model, instructions=SYSTEM, input=items, tools=tools)
        else:
            with client.responses.stream(model=model, instructions=SYSTEM, input=items, tools=tools) as events:
                seen.extend(plain(event) for event in events)
                whole = events.get_final_response()
        seen.append(plain(whole))
        return whole.output

    said = ask()
    items.extend(item.model_dump(exclude_none=True, exclude={"parsed_arguments"}) for item in said)
    items.extend({"type": "function_call_output", "call_id": call.call_id, "output": result}
                 for call, result in zip([item for item in said if item.type == "function_call"], SUMS))
    ask()


def messages(base, model, stream, seen):
    client = anthropic.Anthropic(base_url=base, api_key="none")
    history = [{"role": "user", "content": [
        {"type": "text", "text": QUESTION},
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PICTURE}}]}]
    more = {"model": model, "max_tokens": 64, "system": SYSTEM, "tools": [{"name": "add", "input_schema": SCHEMA}]}

    def ask():
        if not stream:
            whole = client.messages.create(messages=history, **more)
        else:
            with client.messages.stream(messages=history, **more) as events:
                seen.extend(plain(event) for event in events)
                whole = events.get_final_message()
        seen.append(plain(whole))
        return whole.content

    said = ask()
    history.append({"role": "assistant", "content": [block.model_dump(exclude_none=True) for block in said]})
    history.append({"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": use.id, "content": result}
        for use, result in zip([block for block in said if block.type == "tool_use"], SUMS)]})
    ask()


@pytest.mark.parametrize("model", ["sums", "broken", "busy"])
@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("api", [chat, responses, messages])
def test_sdks(api, stream, model):
    name = f"python-{api.__name__}-{'stream-' if stream else ''}{model}"
    for base in (os.environ["RLM_MODEL_URL"], f"{os.environ['RLM_FORWARDED_URL']}/rollout_id/{name}"):
        seen = []
        try:
            api(base, model, stream, seen)
        except (openai.BadRequestError, anthropic.BadRequestError) as refused:
            assert model == "broken"
            seen.append(str(refused))
        with open(os.environ["RLM_SEEN"], "a") as lines:
            lines.write(f"{name} {json.dumps(seen)}\n")
