"""Computes figures of a journal from its lines, with nothing of rlm: prints one JSON object."""

import glob
import json
import math
import sys

import numpy as np
import pandas as pd
from scipy import stats

ends, starts, rewards = [], {}, []
for path in glob.glob(sys.argv[1] + "/*/events*.jsonl"):
    for line in open(path, encoding="utf-8"):
        event = json.loads(line)
        if event["type"] == "run_started":
            starts[event["run_id"]] = event
        elif event["type"] == "run_ended":
            ends.append(event)
        elif event["type"] == "reward_given":
            rewards.append(event)

runs = pd.DataFrame(
    {
        "run_id": end["run_id"],
        "model": end["model"],
        "sample": starts[end["run_id"]]["sample_id"],
        "step": starts[end["run_id"]]["train_step"],
        "solved": float(end["solved"]),
        "seconds": end["nanos"] / 1e9,
        "turns_used": end["metrics"]["turns_used"],
    }
    for end in ends
).set_index("run_id")
given = pd.DataFrame({"run_id": reward["run_id"], "source": reward["source"], "value": reward["value"]} for reward in rewards)
runs["reward"] = given.groupby("run_id")["value"].sum()
figures = {}


def clustered(values, clusters):
    """Mean and standard error of correlated values: the residuals are summed up within clusters."""
    residuals = (values - values.mean()).groupby(clusters).sum()
    n = len(residuals)
    return values.mean(), math.sqrt((residuals**2).sum() * n / (n - 1)) / len(values)


for prefix, rows in [("", runs)] + [(model + " ", rows) for model, rows in runs.groupby("model")]:
    for name, column in [("solved_rate", "solved"), ("mean_reward", "reward")]:
        figures[prefix + name], figures[prefix + name + "_se"] = clustered(rows[column], rows["sample"])

for k in (1, 2, 4):
    groups = runs[runs["model"] == "a"].groupby("sample")["solved"]
    n, c = groups.count(), groups.sum()
    figures[f"pass_at_{k}"] = 1 - np.mean([stats.hypergeom(a, s, k).pmf(0) for a, s in zip(n, c)])
    figures[f"pass_hat_{k}"] = np.mean([stats.hypergeom(a, s, k).pmf(k) for a, s in zip(n, c)])

figures["p50"] = np.percentile(runs["seconds"], 50, method="inverted_cdf")
figures["p95"] = np.percentile(runs["seconds"], 95, method="inverted_cdf")


def curve(name, values, steps):
    frame = pd.DataFrame({"value": values, "step": steps})
    by = frame.groupby("step")["value"]
    line = stats.linregress(by.mean().index, by.mean())
    figures[name + " trend"] = line.slope
    figures[name + " trend_se"] = line.stderr
    figures[name + " spread"] = math.sqrt((by.var() * (by.count() - 1)).sum() / (by.count() - 1).sum())
    figures[name + " first mean"] = by.mean().iloc[0]
    figures[name + " first sum"] = by.sum().iloc[0]
    figures[name + " first standard_deviation"] = by.std().iloc[0]


curve("run  reward", runs["reward"], runs["step"])
curve("run  solved", runs["solved"], runs["step"])
curve("run_metric  turns_used", runs["turns_used"], runs["step"])
for source, rows in given.groupby("source"):
    curve(f"reward {source} reward", rows["value"].values, runs.loc[rows["run_id"], "step"].values)
    of_run = rows.set_index("run_id")["value"].reindex(runs.index)
    name = f"given {source} reward"
    figures[name + " given"] = len(rows)
    figures[name + " mean"] = rows["value"].mean()
    figures[name + " standard_deviation"] = rows["value"].std()
    figures[name + " correlation"] = stats.pearsonr(of_run, runs["reward"]).statistic
    figures[name + " variance_share"] = np.cov(of_run, runs["reward"])[0, 1] / runs["reward"].var()

print(json.dumps({name: float(value) for name, value in figures.items()}))
