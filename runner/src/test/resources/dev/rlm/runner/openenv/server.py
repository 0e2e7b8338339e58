"""An environment behind OpenEnv's own server: multiplication by seeds. Arguments: port, sessions at a time, and `tools` for one with tools of names."""
import sys
from typing import Any
import uvicorn
from openenv.core.env_server import create_app
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, Observation, State


class Answer(Action):
    answer: str


class Question(Observation):
    question: str = ""
    text: str = ""


class Sums(Environment):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self):
        super().__init__()
        self._state, self._seed = State(episode_id="none", step_count=0), 0

    def reset(self, seed=None, episode_id=None, **kwargs: Any):
        self._seed, self._state = seed or 0, State(episode_id=episode_id or "ep", step_count=0)
        return Question(question=f"What is {self._seed} * 4?", done=False, reward=None)

    def step(self, action, timeout_s=None, **kwargs: Any):
        self._state.step_count += 1
        if action.answer == "crash":
            raise RuntimeError("the world ended")
        right = action.answer == str(self._seed * 4)
        return Question(text="right" if right else "try again", done=right, reward=right)

    @property
    def state(self):
        return self._state


def tools():
    from fastmcp import FastMCP
    from openenv.core.env_server.mcp_environment import MCPEnvironment
    from openenv.core.env_server.mcp_types import CallToolAction, CallToolObservation

    class Guessing(MCPEnvironment):
        SUPPORTS_CONCURRENT_SESSIONS = True

        def __init__(self):
            mcp, self._seed, self._state = FastMCP("guessing"), 0, State(episode_id="none", step_count=0)

            @mcp.tool
            def look() -> str:
                """tells the question"""
                return f"What is {self._seed} * 4?"

            @mcp.tool
            def guess(number: int) -> str:
                """answers it"""
                if number < 0:
                    raise ValueError("no number is that small")
                return "right" if number == self._seed * 4 else "try again"

            super().__init__(mcp)

        def reset(self, seed=None, episode_id=None, **kwargs: Any):
            self._seed = seed or 0
            return Observation(done=False, reward=None, metadata={})

        async def step_async(self, action, timeout_s=None, **kwargs: Any):
            seen = await super().step_async(action, timeout_s, **kwargs)
            seen.done = "right" in str(getattr(seen, "result", ""))
            seen.reward = 1.0 if seen.done else None
            return seen

        def _step_impl(self, action, timeout_s=None, **kwargs: Any):
            raise NotImplementedError

        @property
        def state(self):
            return self._state

    return create_app(Guessing, CallToolAction, CallToolObservation, env_name="guessing", max_concurrent_envs=int(sys.argv[2]))


if __name__ == "__main__":
    app = tools() if "tools" in sys.argv else create_app(Sums, Answer, Question, env_name="sums", max_concurrent_envs=int(sys.argv[2]))
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="warning")
