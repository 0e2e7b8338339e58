"""Agents on OpenAI's client, whose spans OpenTelemetry's SDK sends to OTEL_EXPORTER_OTLP_ENDPOINT.

The first argument is the instrumentation. Without a second each agent says its name and its trace's id in a line; with one,
this is a process that works for another.
"""

import os
import subprocess
import sys

import openai
from opentelemetry import propagate, trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

if os.environ["OTEL_EXPORTER_OTLP_PROTOCOL"] == "grpc":
    from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
else:
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

provider = TracerProvider()
provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
trace.set_tracer_provider(provider)

if sys.argv[1] == "openinference":
    from openinference.instrumentation.openai import OpenAIInstrumentor
else:
    from opentelemetry.instrumentation.openai_v2 import OpenAIInstrumentor
OpenAIInstrumentor().instrument()

tracer = trace.get_tracer("senders")
client = openai.OpenAI(api_key="none", max_retries=0)
QUESTION = [{"role": "system", "content": "You count."}, {"role": "user", "content": "1 + 2, 3 + 4?"}]
SCHEMA = {"type": "object", "properties": {}}
TOOLS = [{"type": "function", "function": {"name": "add", "parameters": SCHEMA}}]
SUMS = ["3", "7"]


def ask(messages, model="sums", stream=False):
    more = {"stream": True, "stream_options": {"include_usage": True}} if stream else {}
    reply = client.chat.completions.create(model=model, messages=messages, tools=TOOLS, temperature=0.5, **more)
    return list(reply) if stream else reply.choices[0].message


def tool(call, result):
    with tracer.start_as_current_span("execute_tool add", attributes={
            "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "add", "gen_ai.tool.call.id": call.id,
            "gen_ai.tool.call.arguments": call.function.arguments}) as span:
        span.set_attribute("gen_ai.tool.call.result", result)
        return {"role": "tool", "tool_call_id": call.id, "content": result}


def tools():
    """Asks, gives the results of two tools, and is answered piece by piece."""
    said = ask(QUESTION)
    asked = {"role": "assistant", "content": said.content, "tool_calls": [
        {"id": call.id, "type": "function",
         "function": {"name": call.function.name, "arguments": call.function.arguments}} for call in said.tool_calls]}
    ask(QUESTION + [asked] + [tool(*each) for each in zip(said.tool_calls, SUMS)], stream=True)


def broken():
    ask(QUESTION, model="broken")


def busy():
    """Is refused, and asks again."""
    try:
        ask(QUESTION, model="busy")
    except openai.RateLimitError:
        ask(QUESTION, model="busy")


def responses():
    client.responses.create(model="sums", instructions="You count.", input="1 + 2, 3 + 4?")


def processes():
    """Leaves the work to two other processes of the same trace."""
    carrier = {}
    propagate.inject(carrier)
    workers = [subprocess.Popen([sys.executable, __file__, sys.argv[1], carrier["traceparent"]]) for _ in range(2)]
    if any([worker.wait() for worker in workers]):
        raise RuntimeError("a worker failed")


def work(traceparent):
    with tracer.start_as_current_span("worker", context=propagate.extract({"traceparent": traceparent})):
        tools()


def agents():
    for agent in (tools, broken, busy, responses, processes):
        try:
            with tracer.start_as_current_span(agent.__name__) as root:
                print(agent.__name__, format(root.get_span_context().trace_id, "032x"), flush=True)
                agent()
        except openai.BadRequestError:
            pass


try:
    work(sys.argv[2]) if len(sys.argv) > 2 else agents()
finally:
    provider.shutdown()
