#!/usr/bin/env python3
"""Records the runs of an agent with `rlm record`: one file, no dependencies. Copy Recorder and Run into your program."""

import json, os, queue, shlex, subprocess, sys, threading, time
from datetime import datetime, timezone
from pathlib import Path

RLM = f"{shlex.quote(str(Path(__file__).resolve().parent.parent / 'rlm'))} record"


def now():
    return datetime.now(timezone.utc).isoformat()


class Recorder:
    """Feeds a recorder of its own. Never raises and never blocks the agent: what cannot be recorded is counted as lost."""

    def __init__(self, command=os.environ.get("RLM_RECORD_COMMAND", RLM)):
        self.sent = self.recorded = 0
        self.first_error = None
        self.lines = queue.Queue(maxsize=10_000)
        try:  # in a session of its own, so that Ctrl-C reaches the agent alone, which then ends its runs
            self.process = subprocess.Popen(
                shlex.split(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
        except OSError as error:
            self.process, self.first_error = None, str(error)
            return
        self.threads = [threading.Thread(target=work, daemon=True) for work in (self._write, self._read)]
        for thread in self.threads:
            thread.start()

    def emit(self, type, **fields):
        self.sent += 1
        try:
            self.lines.put_nowait(json.dumps({"type": type, "time": now(), **fields}, default=str))
        except (queue.Full, ValueError) as error:
            self.first_error = self.first_error or repr(error)

    def _write(self):
        try:
            with self.process.stdin as pipe:  # its end is the recorder's
                while (line := self.lines.get()) is not None:
                    pipe.write(line.encode("utf-8", "replace") + b"\n")
                    if self.lines.empty():
                        pipe.flush()
        except OSError as error:
            self.first_error = self.first_error or f"the recorder is gone: {error}"

    def _read(self):
        for answer in map(json.loads, self.process.stdout):
            self.recorded += answer["ok"]
            self.first_error = self.first_error or answer.get("error")

    def run(self, environment, **fields):
        return Run(self, environment, fields)

    def close(self, timeout=60):  # on a busy machine the recorder of a short agent has hardly started
        if self.process:
            try:
                self.lines.put(None, timeout=timeout)
            except queue.Full:
                self.process.kill()
            for thread in self.threads:
                thread.join(timeout)
                if thread.is_alive():
                    self.first_error = self.first_error or f"no answer of the recorder within {timeout} s"
        if self.recorded < self.sent:
            print(f"not recorded: {self.sent - self.recorded} of {self.sent} events: {self.first_error}", file=sys.stderr)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Run:
    """One run. As a context manager it cannot be left without an end."""

    def __init__(self, recorder, environment, fields):
        self.emit, self.id, self.ended = recorder.emit, os.urandom(8).hex(), False
        self._emit("run_started", environment=environment, **fields)

    def _emit(self, type, **fields):
        self.emit(type, run_id=self.id, **fields)

    def step(self, code, output, **fields):
        """A step that began when the one before it ended. Fields: reward, error, action_type, success, tags ..."""
        self._emit("step_ended", code=code, output=output, **fields)

    def tool(self, tool, arguments, call):
        """Calls a tool, records the call with its real duration, and hands on what comes of it."""
        start, fields = now(), {}
        try:
            fields["result"] = call(arguments)
            return fields["result"]
        except Exception as error:
            fields["error"] = repr(error)
            raise
        finally:
            self._emit("tool_called", tool=tool, arguments=arguments, start_time=start, **fields)

    def reward(self, value, **fields):
        self._emit("reward_given", value=value, **fields)

    def end(self, **fields):
        if not self.ended:
            self.ended = True
            self._emit("run_ended", **fields)

    def __enter__(self):
        return self

    def __exit__(self, kind, error, _):
        if kind and issubclass(kind, Exception):
            self.end(error=str(error), error_type=kind.__name__)
        else:  # left without an answer, or by Ctrl-C
            self.end(outcome="aborted")


def calculate(expression):
    time.sleep(0.02)
    return str(eval(expression, {"__builtins__": {}}))  # of the expressions below only


def agent(recorder, task, plan, answer):
    """Your agent. This one follows a plan, and goes on where the calculator fails."""
    with recorder.run("calculator", task=task, model="planner-1", tags={"example": "record.py"}) as run:
        result = None
        for expression in plan:
            try:
                result = run.tool("calculator", expression, calculate)
                run.step(expression, result, action_type="calculator", reward=0.0)
            except ArithmeticError as error:
                run.step(expression, "", action_type="calculator", error=str(error), reward=-0.1)
        run.reward(1.0 if result == answer else 0.0, source="answer check")
        run.end(final_answer=result)


if __name__ == "__main__":
    with Recorder() as recorder:
        agent(recorder, "What is 3 * 4 + 5?", ["3 * 4", "12 + 5"], "17")
        agent(recorder, "What is 8 / 2 - 1?", ["8 / 0", "8 / 2", "4.0 - 1"], "3.0")
        agent(recorder, "What is 2 ** 10?", ["2 * 10"], "1024")
        print(f"ran 3 runs, sent {recorder.sent} events; ./rlm list shows the runs")
