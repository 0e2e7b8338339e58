"""Records the runs of agents with ``rlm record``.

    import rlm_record

    @rlm_record.tool
    def search(query: str) -> str: ...

    with rlm_record.run("shop", task="buy milk") as run:
        with run.step() as step:
            step.done(output=search("milk"))
        run.reward(1.0)
        run.end(final_answer="bought")

What fails in recording is never raised in the agent: it is counted, and told when the recorder is closed.
"""

from ._recorder import Recorder, default
from ._runs import Asked, Run, Step, current, evaluation, metrics, model, observe, reward, run, tool

__all__ = ["Asked", "Recorder", "Run", "Step", "current", "default", "evaluation", "metrics", "model", "observe", "reward", "run", "tool"]
