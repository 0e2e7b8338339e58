#!/usr/bin/env python3
"""An agent of your own that follows a plan and goes on where its tool fails: its runs, steps, tool calls and rewards, by hand."""

import time

import rlm_record


@rlm_record.tool(name="calculator")
def calculate(expression):
    time.sleep(0.02)
    return str(eval(expression, {"__builtins__": {}}))  # of the expressions below only


def agent(task, plan, answer):
    with rlm_record.run("calculator", task=task, model="planner-1", tags={"example": "calculator.py"}) as run:
        result = None
        for expression in plan:
            with run.step() as step:
                step.action(expression, "calculator")
                try:
                    result = calculate(expression)
                    step.reward(0.0)
                    step.done(output=result)
                except ArithmeticError as error:
                    step.reward(-0.1)
                    step.done(error=str(error))
        run.reward(1.0 if result == answer else 0.0, source="answer check")
        run.end(final_answer=result)


if __name__ == "__main__":
    agent("What is 3 * 4 + 5?", ["3 * 4", "12 + 5"], "17")
    agent("What is 8 / 2 - 1?", ["8 / 0", "8 / 2", "4.0 - 1"], "3.0")
    agent("What is 2 ** 10?", ["2 * 10"], "1024")
    rlm_record.default().close()
    print(f"ran 3 runs, {rlm_record.default().acknowledged} events acknowledged; rlm list shows the runs")
