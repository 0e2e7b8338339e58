#!/usr/bin/env python3
"""An agent loop as verl runs it: asynchronous rollouts that the server's engine answers with tokens, tools in between.

With verl installed `CalculatorLoop.run` is the body of an `AgentLoopBase`; without it a server of this file answers.
"""

import asyncio, random

import rlm_record


class Engine:
    """Stands for verl's `server_manager.generate`: takes tokens, gives tokens with their log probabilities."""

    async def generate(self, request_id, prompt_ids, sampling_params):
        await asyncio.sleep(0.01)
        said = "calculate(48 / 2)" if len(prompt_ids) < 50 else "calculate(24 + 48)" if len(prompt_ids) < 80 else "72"
        return [ord(letter) for letter in said], [-0.1 * random.random() for _ in said]


@rlm_record.tool
async def calculate(expression):
    return str(eval(expression, {"__builtins__": {}}))  # of the expressions above only


class CalculatorLoop:
    def __init__(self, engine):
        self.engine = engine

    async def run(self, sampling_params, *, index, rollout, global_step, raw_prompt, answer):
        ids = [ord(letter) for letter in raw_prompt]
        with rlm_record.run("calculator", task=raw_prompt, expected_answer=answer, sample_id=f"gsm-{index}", trajectory_index=rollout,
                            train_step=global_step, split="train", policy_version=f"step-{global_step}") as run:
            for turn in range(4):
                with run.step(observation="".join(map(chr, ids[-60:]))) as step:
                    started = run.nanos()
                    response, logprobs = await self.engine.generate(run.id, ids, sampling_params)
                    said = "".join(map(chr, response))
                    step.model_called("policy", [{"role": "user", "content": raw_prompt}], {"content": said}, started, parameters=sampling_params,
                                      tokens={"prompt_ids": ids, "response_ids": response, "log_probabilities": logprobs})
                    ids = ids + response
                    if not said.startswith("calculate("):
                        step.action(said, "answer")
                        break
                    step.action(said, "calculate")
                    result = await calculate(said[len("calculate("):-1])
                    step.done(output=result)
                    ids = ids + [ord(letter) for letter in f" = {result} "]
            run.reward(1.0 if said == answer else 0.0, source="exact_match")
            run.end(final_answer=said)


async def main():
    loop = CalculatorLoop(Engine())
    await asyncio.gather(*(
        loop.run({"temperature": 1.0}, index=0, rollout=rollout, global_step=1, raw_prompt="48 clips, half of them, altogether?", answer="72")
        for rollout in range(8)))
    print("8 rollouts")


if __name__ == "__main__":
    asyncio.run(main())
