"""Rollouts of a trainer's client, a few at a time, until the file RLM_STOP is there. Each row's end is a line of RLM_ROWS."""

import asyncio
import json
import os
from pathlib import Path

from eval_protocol.models import EvaluationRow, ExecutionMetadata, InputMetadata, Message
from eval_protocol.pytest.evaluation_test_utils import rollout_processor_with_retry
from eval_protocol.pytest.remote_rollout_processor import RemoteRolloutProcessor
from eval_protocol.pytest.types import RolloutProcessorConfig

AT_A_TIME = 8


class Silence:
    def log(self, _):
        pass


def row(rollout_id, a, b):
    return EvaluationRow(
        messages=[Message(role="user", content=f"What is {a}*{b}?")],
        input_metadata=InputMetadata(row_id=f"sum-{a}x{b}"),
        execution_metadata=ExecutionMetadata(
            invocation_id="invocation-1", experiment_id="experiment-1", rollout_id=rollout_id, run_id="run-1"))


async def roll_out(worker, lines):
    stop = Path(os.environ["RLM_STOP"])
    remote = RemoteRolloutProcessor(
        remote_base_url=os.environ["RLM_ROLLOUT_URL"], model_base_url=os.environ["RLM_GATEWAY_URL"],
        poll_interval=0.2, timeout_seconds=60)
    number = 0
    while not stop.exists():
        number += 1
        rollout_id = f"rollout-{worker}-{number}"
        params = {"model": "sums", "stream": number % 2 == 0}
        config = RolloutProcessorConfig(
            completion_params=params, mcp_config_path="", semaphore=asyncio.Semaphore(1), logger=Silence())
        rows = rollout_processor_with_retry(remote, [row(rollout_id, worker + 2, number)], config, disable_tqdm=True)
        async for made in rows:
            lines.write(json.dumps({
                "rollout": rollout_id, "code": int(made.rollout_status.code), "status": made.rollout_status.message,
                "messages": [f"{m.role}: {m.content}" for m in made.messages],
                "expected": f"assistant: #### {(worker + 2) * number}"}) + "\n")
            lines.flush()
    await remote.acleanup()


async def roll_out_all():
    with open(os.environ["RLM_ROWS"], "a") as lines:
        await asyncio.gather(*(roll_out(worker, lines) for worker in range(AT_A_TIME)))


def test_killed():
    asyncio.run(roll_out_all())
