#!/usr/bin/env python3
"""A training loop as TRL's GRPO has it: prompts, several completions each, reward functions. The record has what the trainer throws away."""

import random

import rlm_record

GROUP = 4
PROBLEMS = [("gsm-1", "Natalia sold 48 clips in April and half as many in May. How many altogether?", "72"),
            ("gsm-2", "A robe takes 2 bolts of blue fibre and half that much white fibre. How many bolts?", "3")]


def generate(prompt, skill):
    """Your policy. This one knows the answer more often from step to step."""
    answer = dict((question, answer) for _, question, answer in PROBLEMS)[prompt]
    return f"<think>{prompt.split()[0]} …</think>\n{answer if random.random() < skill else '1152'}"


def correct(completion, answer):
    return 1.0 if completion.endswith("\n" + answer) else 0.0


def formatted(completion):
    return 0.1 if completion.startswith("<think>") else 0.0


def rollout(step, sample, index, prompt, answer, skill):
    with rlm_record.run("gsm8k", task=prompt, expected_answer=answer, model="policy", sample_id=sample, trajectory_index=index,
                        train_step=step, policy_version=f"step-{step}", split="train") as run:
        started = run.nanos()
        completion = generate(prompt, skill)
        run.model_called("policy", [{"role": "user", "content": prompt}], {"content": completion}, started)
        total = correct(completion, answer) + formatted(completion)
        run.reward(total, source="trainer", components=[{"name": "correct", "value": correct(completion, answer)},
                                                        {"name": "formatted", "value": formatted(completion)}])
        run.end(final_answer=completion.splitlines()[-1])
        return total


if __name__ == "__main__":
    random.seed(7)
    for step in range(5):
        rewards = [rollout(step, sample, index, prompt, answer, 0.3 + 0.15 * step)
                   for sample, prompt, answer in PROBLEMS for index in range(GROUP)]
        mean = sum(rewards) / len(rewards)
        rlm_record.metrics("trainer", global_step=step, reward=mean, loss=1 - mean)
        print(f"step {step}: mean reward {mean:.3f}")
