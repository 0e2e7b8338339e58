"""Tells rlm_record the runs whose lines come on standard input."""

import json, sys

import rlm_record

OWN = {"type", "run_id", "time", "nanos", "start_nanos", "start_time", "step", "scope", "first_token_nanos"}


def rest(line, *names):
    return {name: value for name, value in line.items() if name not in OWN and name not in names and name not in ("environment", "model")}


with rlm_record.Recorder() as recorder:
    for text in sys.stdin:
        line = json.loads(text)
        kind = line["type"]
        if kind == "run_started":
            fields = {**rest(line), "model": line.get("model", "")}
            run, steps = rlm_record.run(line["environment"], recorder, run_id=line["run_id"], **fields), {}
            steps[0] = run
            continue
        activity = steps.get(line.get("step", 0), run)
        if kind == "step_started":
            steps[line["step"]] = run.step(line.get("observation", ""))
        elif kind == "model_called":
            activity.model_called(line["request_model"], line.get("messages", []), line.get("reply"), **rest(line, "request_model", "messages", "reply"))
        elif kind == "tool_called":
            activity.tool_called(line["tool"], line.get("arguments", ""), line.get("result", ""), **rest(line, "tool", "arguments", "result"))
        elif kind == "reward_given":
            activity.reward(line.get("value"), line["source"], **rest(line, "value", "source"))
        elif kind == "step_ended":
            activity.action(line.get("code", ""), line.get("action_type", ""))
            activity.done(line.get("output", ""), **rest(line, "code", "action_type", "output"))
        elif kind == "run_ended":
            run.end(**rest(line))
if recorder.lost:
    sys.exit(f"{recorder.lost} lost: {recorder.first_error}")
