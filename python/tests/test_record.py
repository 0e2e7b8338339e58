"""The package against the real recorder, as the journal tells it. ``RLM`` names the launcher."""

import asyncio, functools, gc, http.client, json, math, os, signal, socket, subprocess, sys, tempfile, textwrap, threading, time, unittest
from decimal import Decimal
from fractions import Fraction
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import rlm_record

RLM = os.environ.get("RLM", "rlm")
EXAMPLES = Path(os.environ.get("RLM_EXAMPLES", Path(__file__).resolve().parent.parent / "examples"))


def rlm(*arguments):
    done = subprocess.run([RLM, *arguments], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


class Recorded(unittest.TestCase):
    """Each test has a journal of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        before = dict(os.environ)
        self.addCleanup(lambda: (os.environ.clear(), os.environ.update(before)))
        os.environ["RLM_JSONL_DIR"] = str(self.folder / "journal")

    def runs(self):
        return rlm("list", "--json")

    def events(self, run, *types):
        return [event for event in rlm("show", "--json", run) if not types or event["type"] in types]

    def only(self):
        runs = self.runs()
        self.assertEqual(1, len(runs), runs)
        return runs[0]


class RunTest(Recorded):
    def test_run_that_ends_ends_its_open_steps_first(self):
        with rlm_record.Recorder() as recorder:
            with rlm_record.run("calc", recorder) as run:
                run.step("never left")
                with run.step("a calculator") as step:
                    step.action("3 * 4", "python")
                    run.end(final_answer="12")
            run.reward(1.0)
        self.assertEqual((0, None), (recorder.lost, recorder.first_error))
        self.assertEqual("completed", self.only()["state"])
        ends = self.events(run.id, "step_ended")
        self.assertEqual([(2, "aborted"), (1, "aborted")], [(end["step"], end["error_type"]) for end in ends])
        self.assertEqual(["step_ended", "step_ended", "run_ended", "reward_given"], [event["type"] for event in self.events(run.id)][-4:])

    def test_run_is_in_the_journal_with_all_that_it_told(self):
        with rlm_record.Recorder() as recorder:
            with rlm_record.run("calc", recorder, task="What is 3 * 4?", model="m", sample_id="s1", tags={"team": "red"}) as run:
                with run.step("a calculator") as step:
                    step.action("3 * 4", "python")
                    step.reward(0.5, components=[{"name": "format", "value": 0.5}])
                    step.done(output=12)
                run.artifact("a.txt", b"bytes", "text/plain")
                run.reward(None, "judge", absence="it timed out")
                run.reward(1.0, "exact")
                run.end(final_answer="12")
        self.assertEqual((0, None), (recorder.lost, recorder.first_error))
        told = self.only()
        self.assertEqual(("completed", 1.5, 1, "s1", "m"), tuple(told[name] for name in ("state", "total_reward", "steps", "sample_id", "model")))
        events = self.events(run.id)
        self.assertEqual(["run_started", "step_started", "reward_given", "step_ended", "artifact_saved", "reward_given", "reward_given", "run_ended"],
                         [event["type"] for event in events])
        self.assertEqual(("3 * 4", "python", "12", 0.5), tuple(events[3][name] for name in ("code", "action_type", "output", "reward")))
        self.assertEqual(len(events), recorder.acknowledged)

    def test_error_fails_the_run_and_an_interruption_aborts_it(self):
        with rlm_record.Recorder() as recorder:
            with self.assertRaises(ZeroDivisionError), rlm_record.run("a", recorder) as run, run.step():
                1 / 0
            with self.assertRaises(KeyboardInterrupt), rlm_record.run("b", recorder):
                raise KeyboardInterrupt
        failed, aborted = self.runs()
        self.assertEqual(("failed", "ZeroDivisionError", "aborted"), (failed["state"], failed["failure"], aborted["state"]))
        self.assertFalse(self.events(run.id, "step_ended")[0]["success"])

    def test_tools_lie_in_what_is_current_also_in_tasks(self):
        @rlm_record.tool
        def search(query, limit=3):
            return ["a", "b"][:limit]

        @rlm_record.tool(name="fetch")
        async def get(url):
            raise OSError("no route")

        async def episode(recorder, name):
            with rlm_record.run("web", recorder, run_id=name) as run:
                with run.step():
                    search("x", limit=1)
                    await asyncio.sleep(0.01)
                    with self.assertRaises(OSError):
                        await get(url="http://x")
                    rlm_record.reward(0.25)

        async def all_at_once(recorder):
            await asyncio.gather(*(episode(recorder, f"run-{i}") for i in range(5)))

        self.assertEqual(["a"], search("x", 1))  # where nothing is current
        with rlm_record.Recorder() as recorder:
            asyncio.run(all_at_once(recorder))
        for i in range(5):
            found, failed = self.events(f"run-{i}", "tool_called")
            self.assertEqual(("search", {"query": "x", "limit": 1}, '["a"]', 1), (found["tool"], json.loads(found["arguments"]), found["result"], found["step"]))
            self.assertEqual(("fetch", "no route"), (failed["tool"], failed["error"]))
        self.assertTrue(all(run["total_reward"] == 0.25 for run in self.runs()))

    def test_observed_function_is_a_run_and_within_one_a_span(self):
        recorder = rlm_record.Recorder()

        @rlm_record.observe
        def part(text):
            return text.upper()

        @rlm_record.observe(environment="agent", recorder=recorder, tags={"a": "b"})
        def agent(question, style="brief"):
            return part(question)

        self.assertEqual("WHY?", agent("why?"))
        self.assertTrue(recorder.close())
        events = self.events(self.only()["run_id"])
        self.assertEqual(["run_started", "span_recorded", "run_ended"], [event["type"] for event in events])
        self.assertEqual(("agent", "why?", "part", "WHY?"), (events[0]["environment"], events[0]["task"], events[1]["name"], events[2]["final_answer"]))

    def test_decorated_model_and_evaluation_are_recorded_where_they_are_called(self):
        @rlm_record.model(name="parrot", provider="local")
        def ask(prompt):
            return prompt.upper()

        @rlm_record.evaluation
        def exact(answer):
            return answer == "WHY?"

        @rlm_record.evaluation(source="judge")
        def broken(answer):
            raise ValueError("no opinion")

        @rlm_record.observe(environment="agent", recorder=(recorder := rlm_record.Recorder()))
        def agent(question):
            answer = ask(question)
            exact(answer)
            with self.assertRaises(ValueError):
                broken(answer)
            return answer

        self.assertEqual("WHY?", agent("why?"))
        self.assertTrue(recorder.close())
        events = self.events(self.only()["run_id"])
        call = next(event for event in events if event["type"] == "model_called")
        self.assertEqual(("parrot", "local", "why?", "WHY?"), (call["request_model"], call["provider"], call["messages"][0]["content"], call["reply"]["content"]))
        self.assertEqual([("exact", 1.0, None), ("judge", None, "no opinion")],
                         [(reward["source"], reward.get("value"), reward.get("absence")) for reward in events if reward["type"] == "reward_given"])

    def test_calls_of_models_outside_of_steps_make_turns(self):
        with rlm_record.Recorder() as recorder, rlm_record.run("calc", recorder, task="6 * 7?") as run:
            asked = [{"role": "user", "content": "6 * 7?"}]
            run.model_called("m", asked, {"tool_calls": [{"id": "c1", "tool": "calculate", "arguments": '{"e": "6*7"}'}]})
            run.tool_called("calculate", {"e": "6*7"}, "42", call_id="c1")
            run.model_called("m", [*asked, {"role": "assistant", "tool_calls": [{"id": "c1", "tool": "calculate"}]}, {"role": "tool", "tool_call_id": "c1", "content": "42"}],
                             {"content": "It is 42."})
            run.end(final_answer="42")
        one, other = self.events(run.id, "step_ended")
        self.assertEqual(("calculate", 'calculate({"e": "6*7"})', "42"), (one["action_type"], one["code"], one["output"]))
        self.assertEqual(("message", "It is 42."), (other["action_type"], other["code"]))
        self.assertEqual([1, 2], [call["step"] for call in self.events(run.id, "model_called")])
        self.assertEqual([1], [call["step"] for call in self.events(run.id, "tool_called")])

    def test_numbers_of_training_and_secrets(self):
        os.environ["MY_API_KEY"] = "sk-very-secret-0123456789"
        with rlm_record.Recorder() as recorder:
            rlm_record.metrics("trainer", recorder, global_step=7, loss=0.5)
            with rlm_record.run("a", recorder, task="use sk-very-secret-0123456789") as run:
                pass
        self.assertNotIn("very-secret", json.dumps(self.events(run.id)))
        lines = "".join(file.read_text() for file in self.folder.glob("journal/*/events-*.jsonl"))
        self.assertIn('"loss":0.5', lines)
        self.assertNotIn("very-secret", lines)


    def test_what_cannot_be_written_never_disturbs(self):
        class Mute:
            def fails(self, *_):
                raise RuntimeError("not said")
            __repr__ = __str__ = __len__ = __bool__ = __eq__ = __iter__ = fails

        class Odd(Exception):
            __str__ = __repr__ = __bool__ = Mute.fails

        class Unbound:
            __class__ = property(Mute.fails)
            __repr__ = Mute.fails

        @rlm_record.tool
        def given(value):
            return value

        @rlm_record.model
        def ask(prompt):
            return prompt

        @rlm_record.tool
        def broken():
            raise Odd()

        cycle = {"a": 1}
        cycle["others"] = [cycle, cycle]
        with rlm_record.Recorder() as recorder:
            with rlm_record.run("calc", recorder, run_id="odd", params={("a", "b"): 1}, tags={1: None, 2: "two"}, time="now") as run:
                for value in (Mute(), Odd(), Unbound(), cycle, {Unbound: 1}, None, "\ud800", 10 ** 5000):
                    with run.step(value) as step:
                        step.action(value, value)
                        self.assertIs(value, given(value))
                        step.done(output=value, step=value)
                ask([Unbound()])
                run.model_called("m", "hello", Mute(), error=Odd())
                run.artifact("a.txt", "text")
                run.artifact("b.txt", 5)
                with self.assertRaises(Odd):
                    broken()
                rlm_record.tool(functools.partial(max, 1))(2)
            with self.assertRaises(Odd), rlm_record.run("calc", recorder, run_id="failed"):
                raise Odd()
        self.assertEqual((1, "artifact_saved: a bytes-like object is required, not 'int'"), (recorder.lost, recorder.first_error))
        self.assertEqual(["completed", "failed"], [run["state"] for run in self.runs()])
        events = self.events("odd")
        self.assertEqual(({'["a", "b"]': 1}, {"2": "two"}), (events[0]["params"], events[0]["tags"]))
        calls = [event for event in events if event["type"] == "tool_called"]
        self.assertEqual(["<Mute>", "<Odd>", "<Unbound>", '{"a": 1, "others": ["…", "…"]}'], [call["result"] for call in calls[:4]])
        self.assertEqual([("broken", "<Odd>"), ("partial", None)], [(call["tool"], call.get("error")) for call in calls[8:]])
        self.assertEqual("Odd", self.events("failed", "run_ended")[0]["error_type"])

    def test_numbers_of_any_library_are_numbers(self):
        class Scalar:
            """As those of numpy and torch."""

            def __init__(self, value):
                self.value = value

            def item(self):
                return self.value

        with rlm_record.Recorder() as recorder:
            rlm_record.metrics("trainer", recorder, global_step=7, loss=Decimal("0.5"), share=Fraction(1, 4), gone=None)
            with rlm_record.run("a", recorder, tags={"none": None}) as run:
                for value in (Scalar(0.5), Decimal("0.5"), Fraction(1, 2), True, 10 ** 400, math.nan, None, "good"):
                    run.reward(value, components=[{"name": "scalar", "value": Decimal(2)}, {"name": "none", "value": None}])
                with run.step() as step:
                    step.done(reward=Decimal("0.25"))
                run.end(metrics={"half": Fraction(1, 2), "none": None})
        self.assertEqual(0, recorder.lost, recorder.first_error)
        rewards = self.events(run.id, "reward_given")
        self.assertEqual([0.5, 0.5, 0.5, 1.0, "Infinity", None, None, None, 0.25], [reward.get("value") for reward in rewards])
        self.assertEqual(["NaN", "it could not be computed", "no number: good"], [reward["absence"] for reward in rewards[5:8]])
        self.assertEqual([2.0, "NaN"], [component["value"] for component in rewards[0]["components"]])
        self.assertEqual({"half": 0.5}, self.events(run.id, "run_ended")[0]["metrics"])
        lines = "".join(file.read_text() for file in self.folder.glob("journal/*/events-*.jsonl"))
        self.assertIn('"loss":0.5', lines)
        self.assertIn('"share":0.25', lines)


class RecorderTest(Recorded):
    def test_recorder_that_cannot_be_reached_is_told(self):
        os.environ.update(RLM_RECORD_URL="http://127.0.0.1:9", RLM_RECORD_TOKEN_FILE="/no/such/token")
        with self.assertLogs("rlm_record", "WARNING") as told, rlm_record.Recorder() as recorder, rlm_record.run("a", recorder):
            pass
        self.assertRegex(told.output[0], "not recorded: 2 events: .*/no/such/token")

    def test_agent_that_is_killed_leaves_an_abandoned_run(self):
        program = """
            import rlm_record, os, signal
            run = rlm_record.run("a", run_id="killed")
            with run.step(): pass
            assert rlm_record.default().flush()
            os.kill(os.getpid(), signal.SIGKILL)
        """
        killed = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], timeout=120, capture_output=True)
        self.assertEqual(-signal.SIGKILL, killed.returncode, killed.stderr)
        self.wait_for(lambda: self.runs()[0]["state"] == "abandoned")
        self.assertEqual(1, self.only()["steps"])

    def wait_for(self, condition):
        end = time.monotonic() + 60
        while not condition():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.1)

    def test_recorder_that_is_killed_is_started_anew_and_what_is_lost_is_told(self):
        recorder = rlm_record.Recorder()
        run = rlm_record.run("a", recorder)
        self.assertTrue(recorder.flush())
        recorder._door._process.kill()
        recorder._door._process.wait()
        run.reward(1.0)
        with rlm_record.run("b", recorder):
            pass
        with self.assertLogs("rlm_record", "WARNING") as told:
            self.assertFalse(recorder.close())
        self.assertIn("not recorded: 1 events", told.output[0])
        self.assertEqual(["abandoned", "completed"], [each["state"] for each in self.runs()])

    def test_fork_has_a_recorder_of_its_own(self):
        program = """
            import os, rlm_record
            with rlm_record.run("parent"): pass
            child = os.fork()
            with rlm_record.run("child" if child == 0 else "parent again"): pass
            if child == 0:
                os._exit(0 if rlm_record.default().close() else 1)
            assert os.waitpid(child, 0)[1] == 0
        """
        done = subprocess.run([sys.executable, "-W", "ignore", "-c", textwrap.dedent(program)], timeout=120, capture_output=True, text=True)
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertEqual({"parent", "child", "parent again"}, {run["environment"] for run in self.runs()})

    WORKERS = """
        import concurrent.futures, multiprocessing, os, sys, threading
        import rlm_record

        def episode(name):
            with rlm_record.run("worker", run_id=name) as run:
                with run.step() as step:
                    step.reward(0.5)
            run.reward(0.5, "late")

        def ends_by_itself(name):
            episode(name)
            os._exit(0)

        def raises(name):
            with rlm_record.run("worker", run_id=name) as run:
                run.reward(1.0)
                with run.step():
                    raise SystemExit(0)

        def from_a_thread(name):
            thread = threading.Thread(target=episode, args=[name])
            thread.start()
            thread.join()

        if __name__ == "__main__":
            context = multiprocessing.get_context(sys.argv[1])
            with rlm_record.run("parent", run_id="parent") as run:
                for each in (ends_by_itself, raises, from_a_thread):
                    process = context.Process(target=each, args=[each.__name__])
                    process.start()
                    process.join()
                with context.Pool(2) as pool:  # which kills its processes when it is left
                    pool.map(episode, [f"pool {i}" for i in range(4)], chunksize=1)
                with concurrent.futures.ProcessPoolExecutor(2, context) as executor:
                    list(executor.map(episode, [f"executor {i}" for i in range(4)]))
                if sys.argv[1] == "fork":
                    child = os.fork()
                    if child == 0:
                        ends_by_itself("forked")
                    os.waitpid(child, 0)
                run.reward(1.0)
    """

    def assert_workers_are_whole(self, method, **variables):
        program = self.folder / "workers.py"
        program.write_text(textwrap.dedent(self.WORKERS))
        done = subprocess.run([sys.executable, "-W", "ignore", program, method], timeout=300, capture_output=True, text=True,
                              env={**os.environ, **variables})
        self.assertEqual((0, ""), (done.returncode, "".join(line for line in done.stderr.splitlines(True) if "not recorded" in line)), done.stderr)
        told = {run["run_id"]: (run["state"], run["total_reward"]) for run in self.runs()}
        expected = ["ends_by_itself", "from_a_thread", *(f"{each} {i}" for each in ("pool", "executor") for i in range(4))]
        if method == "fork":
            expected.append("forked")
        self.assertEqual({"parent": ("completed", 1.0), "raises": ("aborted", 1.0), **{each: ("completed", 1.0) for each in expected}}, told)

    def test_runs_of_workers_are_whole_whatever_ends_them(self):
        for method in ("fork", "spawn", "forkserver"):
            with self.subTest(method):
                os.environ["RLM_JSONL_DIR"] = str(self.folder / method)
                self.assert_workers_are_whole(method)

    def test_runs_of_workers_are_whole_by_a_recorder_that_listens(self):
        for method in ("fork", "spawn", "forkserver"):
            with self.subTest(method):
                os.environ["RLM_JSONL_DIR"] = str(self.folder / method)
                port = free_port()
                recorder = self.listen(port)
                wait_for_port(port)
                self.assert_workers_are_whole(method, RLM_RECORD_URL=f"http://127.0.0.1:{port}", RLM_RECORD_TOKEN="t" * 40)
                recorder.terminate()
                recorder.wait()

    def test_run_of_the_parent_is_its_own(self):
        program = """
            import os, sys, rlm_record
            with rlm_record.run("a", run_id="parent") as run:
                child = os.fork()
                if child == 0:
                    assert rlm_record.current() is None
                    run.reward(7.0)
                    sys.exit()
                os.waitpid(child, 0)
                run.reward(1.0)
        """
        done = subprocess.run([sys.executable, "-W", "ignore", "-c", textwrap.dedent(program)], timeout=120, capture_output=True, text=True)
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertEqual(("completed", 1.0), tuple(self.only()[name] for name in ("state", "total_reward")))
        self.assertRegex(done.stderr, "not recorded: 2 events: run parent began in process [0-9]+, which alone can go on with it")

    def test_worker_that_is_forked_amid_the_first_request_is_whole(self):
        program = """
            import os, sys, threading, time, rlm_record
            class Slow:  # what looks up hosts is loaded slowly, and the worker forked meanwhile
                begun = threading.Event()
                def find_spec(self, name, *_):
                    if name == "stringprep":
                        self.begun.set()
                        time.sleep(2)
            sys.meta_path.insert(0, Slow())
            with rlm_record.run("parent", run_id="parent"):
                assert Slow.begun.wait(60)
                child = os.fork()
                if child == 0:
                    with rlm_record.run("worker", run_id="worker"): pass
                    os._exit(0)
                os.waitpid(child, 0)
        """
        port = free_port()
        self.listen(port)
        wait_for_port(port)
        done = subprocess.run([sys.executable, "-W", "ignore", "-c", textwrap.dedent(program)], timeout=120, capture_output=True, text=True,
                              env={**os.environ, "RLM_RECORD_URL": f"http://127.0.0.1:{port}", "RLM_RECORD_TOKEN": "t" * 40})
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertEqual({"parent": "completed", "worker": "completed"}, {run["run_id"]: run["state"] for run in self.runs()})

    def test_worker_waits_for_a_recorder_that_takes_its_time_to_start(self):
        program = self.folder / "worker.py"
        program.write_text(textwrap.dedent("""
            import multiprocessing, os, rlm_record
            def episode():
                with rlm_record.run("a") as run: pass
                run.reward(1.0, "late")
                os._exit(0)
            process = multiprocessing.get_context("fork").Process(target=episode)
            process.start()
            process.join()
        """))
        slow = self.folder / "slow"
        slow.write_text('#!/bin/sh\nsleep 11\nexec "$RLM" record\n')
        slow.chmod(0o700)
        done = subprocess.run([sys.executable, program], timeout=120, capture_output=True, text=True,
                              env={**os.environ, "RLM": RLM, "RLM_RECORD_COMMAND": str(slow)})
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertEqual(("completed", 1.0), tuple(self.only()[name] for name in ("state", "total_reward")))

    def test_what_a_worker_cannot_hand_over_is_told(self):
        program = """
            import multiprocessing, rlm_record
            def episode():
                with rlm_record.run("a"): pass
            process = multiprocessing.get_context("fork").Process(target=episode)
            process.start()
            process.join()
        """
        done = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], timeout=120, capture_output=True, text=True,
                              env={**os.environ, "RLM_RECORD_COMMAND": "/no/such/recorder"})
        self.assertRegex(done.stderr, "not recorded: 2 events: .*/no/such/recorder")

    def test_what_cannot_be_recorded_never_disturbs(self):
        with self.assertLogs("rlm_record", "WARNING") as told, rlm_record.Recorder(command="/no/such/recorder", patience=0.1) as recorder:
            with rlm_record.run("a", recorder) as run:
                run.reward(1.0)
            endless = []
            endless.append(endless)
            recorder.emit({"type": "run_started", "environment": endless})
        self.assertEqual(4, recorder.lost)
        self.assertIn("not recorded: 4 events", told.output[0])

    def test_events_that_come_faster_than_they_are_taken_are_counted(self):
        with self.assertLogs("rlm_record", "WARNING"):
            recorder = rlm_record.Recorder(capacity=10)
            with rlm_record.run("a", recorder) as run:
                for _ in range(5_000):
                    run.reward(0.1)
            recorder.close()
        self.assertGreater(recorder.lost, 0)
        self.assertEqual(5_002, recorder.lost + recorder.acknowledged)
        self.assertIn("too many events wait", recorder.first_error)

    # ---- over HTTP

    def listen(self, port):
        process = subprocess.Popen([RLM, "record", "--port", str(port)], stderr=subprocess.DEVNULL, env={**os.environ, "RLM_RECORD_TOKEN": "t" * 40})
        self.addCleanup(lambda: (process.kill(), process.wait()))
        return process

    def test_recorder_that_comes_later_gets_all_once(self):
        port = free_port()
        recorder = rlm_record.Recorder(f"http://127.0.0.1:{port}", "t" * 40)
        with rlm_record.run("a", recorder) as run:
            for number in range(600):
                run.reward(1.0, source=f"s{number}")
        time.sleep(0.3)
        self.listen(port)
        self.assertTrue(recorder.close(), recorder.first_error)
        self.assertEqual(602, recorder.acknowledged)
        self.assertEqual([f"s{number}" for number in range(600)], [reward["source"] for reward in self.events(run.id, "reward_given")])

    def test_answers_that_break_off_make_no_event_come_twice(self):
        port, broken = free_port(), [True, False, True, True, False]
        self.listen(port)

        class Breaking(BaseHTTPRequestHandler):
            """Hands on, and sometimes closes before the answer."""

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                recorder = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
                recorder.request("POST", self.path, body, {"Authorization": self.headers["Authorization"], "Content-Type": self.headers["Content-Type"]})
                answer = recorder.getresponse()
                said = answer.read()
                if broken and broken.pop(0):
                    self.connection.shutdown(socket.SHUT_RDWR)
                    return
                self.send_response(answer.status)
                self.send_header("Content-Length", str(len(said)))
                self.end_headers()
                self.wfile.write(said)

            def log_message(self, *_):
                pass

        wait_for_port(port)
        with serving(Breaking) as url, rlm_record.Recorder(url, "t" * 40) as recorder:
            for number in range(3):
                with rlm_record.run("a", recorder, run_id=f"r{number}") as run:
                    run.reward(1.0)
                recorder.flush()
        self.assertEqual((0, 9), (recorder.lost, recorder.acknowledged), recorder.first_error)
        self.assertEqual([1.0] * 3, [run["total_reward"] for run in self.runs()])

    def test_wrong_token_is_told(self):
        port = free_port()
        self.listen(port)
        wait_for_port(port)
        with self.assertLogs("rlm_record", "WARNING") as told, rlm_record.Recorder(f"http://127.0.0.1:{port}", "wrong") as recorder:
            with rlm_record.run("a", recorder):
                pass
        self.assertIn("401", told.output[0])


class ModelServer(BaseHTTPRequestHandler):
    """Answers as OpenAI does: a tool call first, then a text; a question of `fail` with an error."""

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path.endswith("/responses"):
            self.respond(asked)
            return
        last = asked["messages"][-1]
        if last["content"] == "fail":
            self.answer(400, "application/json", json.dumps({"error": {"message": "no such model"}}))
            return
        message, reason = ({"role": "assistant", "content": f"It is {last['content']}."}, "stop") if last["role"] == "tool" else ({
            "role": "assistant", "content": None, "reasoning_content": "a product", "tool_calls": [{
                "id": "call_1", "type": "function", "function": {"name": "calculate", "arguments": '{"expression": "6 * 7"}'}}]}, "tool_calls")
        base = {"id": "chat-1", "object": "chat.completion", "created": 1, "model": asked["model"] + "-2026"}
        usage = {"prompt_tokens": 20, "completion_tokens": 8, "total_tokens": 28, "prompt_tokens_details": {"cached_tokens": 5}, "cost": 0.0125}
        if not asked.get("stream"):
            choice = {"index": 0, "message": message, "finish_reason": reason, "token_ids": [7, 8], "logprobs": {"content": [
                {"token": "a", "logprob": -0.5, "top_logprobs": []}, {"token": "b", "logprob": -0.25, "top_logprobs": []}]}}
            self.answer(200, "application/json", json.dumps({**base, "choices": [choice], "usage": usage, "prompt_token_ids": [1, 2, 3]}))
            return
        pieces = [{"role": "assistant"}]
        for call in message.get("tool_calls", []):
            pieces += [{"tool_calls": [{"index": 0, **call, "function": {"name": "calculate", "arguments": ""}}]},
                       *({"tool_calls": [{"index": 0, "function": {"arguments": letter}}]} for letter in call["function"]["arguments"])]
        pieces += [{"content": letter} for letter in message["content"] or ""]
        chunks = [{"choices": [{"index": 0, "delta": piece, "finish_reason": None}]} for piece in pieces]
        chunks += [{"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}, {"choices": [], "usage": usage}]
        self.answer(200, "text/event-stream", "".join(
            f"data: {json.dumps({**base, 'object': 'chat.completion.chunk', **chunk})}\n\n" for chunk in chunks) + "data: [DONE]\n\n")

    def respond(self, asked):
        """As the Responses API does."""
        last = {} if isinstance(asked["input"], str) else asked["input"][-1]
        message = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
                   "content": [{"type": "output_text", "text": f"It is {last.get('output')}.", "annotations": []}]}
        output = [message] if last.get("type") == "function_call_output" else [
            {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "a product"}]},
            {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "calculate", "arguments": '{"expression": "6 * 7"}', "status": "completed"}]
        response = {"id": "resp_1", "object": "response", "created_at": 1, "model": asked["model"] + "-2026", "status": "completed", "output": output,
                    "parallel_tool_calls": True, "tool_choice": "auto", "tools": [], "usage": {
                        "input_tokens": 20, "input_tokens_details": {"cached_tokens": 5}, "output_tokens": 8,
                        "output_tokens_details": {"reasoning_tokens": 3}, "total_tokens": 28, "cost": 0.0125}}
        if not asked.get("stream"):
            self.answer(200, "application/json", json.dumps(response))
            return
        events = [{"type": "response.created", "response": {**response, "status": "in_progress", "output": [], "usage": None}}]
        if output == [message]:
            events += [{"type": "response.output_text.delta", "item_id": "msg_1", "output_index": 0, "content_index": 0, "logprobs": [], "delta": letter}
                       for letter in message["content"][0]["text"]]
        events.append({"type": "response.completed", "response": response})
        self.answer(200, "text/event-stream", "".join(
            f"event: {event['type']}\ndata: {json.dumps({**event, 'sequence_number': number})}\n\n" for number, event in enumerate(events)))

    def answer(self, code, kind, text):
        self.send_response(code)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_):
        pass


class serving:
    def __init__(self, handler):
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), handler)

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{self.server.server_port}"

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


def free_port():
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return listening.getsockname()[1]


def wait_for_port(port):
    end = time.monotonic() + 60
    while time.monotonic() < end:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.1)
    raise AssertionError(f"nobody listens on {port}")


class OpenAiTest(Recorded):
    TOOLS = [{"type": "function", "function": {"name": "calculate", "parameters": {"type": "object"}}}]

    def setUp(self):
        super().setUp()
        try:
            import openai
        except ImportError:
            self.skipTest("there is no openai here")
        self.openai = openai

    def assert_recorded(self, streamed):
        run = self.only()
        one, other = self.events(run["run_id"], "model_called")
        self.assertEqual(("calculate", '{"expression": "6 * 7"}', "call_1"), tuple(one["reply"]["tool_calls"][0][name] for name in ("tool", "arguments", "id")))
        self.assertEqual(("m", "m-2026", "tool_calls", "openai", "127.0.0.1"),
                         tuple(one[name] for name in ("request_model", "response_model", "finish_reason", "provider", "server_address")))
        self.assertEqual({"input_tokens": 20, "output_tokens": 8, "cached_tokens": 5}, one["usage"])
        self.assertEqual((0.0125, "USD"), (one["cost_amount"], one["cost_currency"]))
        self.assertIn("calculate", one["tool_definitions"])
        self.assertEqual({"temperature": 0.5}, one["parameters"])
        self.assertEqual(("It is 42.", "stop"), (other["reply"]["content"], other["finish_reason"]))
        self.assertEqual(["user", "assistant", "tool"], [message["role"] for message in other["messages"]])
        self.assertEqual(streamed, "first_token_nanos" in one)
        if not streamed:
            self.assertEqual(([1, 2, 3], [7, 8], [-0.5, -0.25]), tuple(one["tokens"][name] for name in ("prompt_ids", "response_ids", "log_probabilities")))
            self.assertEqual("reasoning", one["reply"]["parts"][0]["type"])
        self.assertEqual([("calculate", 'calculate({"expression": "6 * 7"})', "42"), ("message", "It is 42.", "")],
                         [(step["action_type"], step["code"], step.get("output", "")) for step in self.events(run["run_id"], "step_ended")])
        self.assertEqual("It is 42.", self.events(run["run_id"], "run_ended")[0]["final_answer"])
        self.assert_turns_contain_their_calls(run["run_id"])

    def assert_turns_contain_their_calls(self, run):
        steps = {step["step"]: step for step in self.events(run, "step_ended")}
        for call in self.events(run, "model_called"):
            self.assertLessEqual(steps[call["step"]]["start_nanos"], call["start_nanos"])
            self.assertGreaterEqual(steps[call["step"]]["nanos"], call["nanos"])

    def agent(self, create, **more):
        """A loop over the model's replies, which ``create`` gives."""
        import rlm_record.openai
        messages = [{"role": "user", "content": "What is 6 * 7?"}]
        while True:
            reply = create(model="m", messages=messages, tools=self.TOOLS, temperature=0.5, top_p=self.openai.omit, **more)
            if not reply.tool_calls:
                return reply.content
            messages += [reply.model_dump(exclude_none=True), {"role": "tool", "tool_call_id": reply.tool_calls[0].id, "content": "42"}]

    def test_client(self):
        import rlm_record.openai
        with serving(ModelServer) as url, rlm_record.Recorder() as recorder:
            client = rlm_record.openai.wrap(self.openai.OpenAI(base_url=url, api_key="k", max_retries=0))
            observed = rlm_record.observe(environment="calc", recorder=recorder)(
                lambda question: self.agent(lambda **asked: client.chat.completions.create(**asked).choices[0].message))
            self.assertEqual("It is 42.", observed("What is 6 * 7?"))
        self.assertEqual(0, recorder.lost, recorder.first_error)
        self.assert_recorded(streamed=False)

    def test_stream(self):
        import rlm_record.openai
        with serving(ModelServer) as url, rlm_record.Recorder() as recorder:
            client = rlm_record.openai.wrap(self.openai.OpenAI(base_url=url, api_key="k", max_retries=0))

            def create(**asked):
                with client.chat.completions.create(**asked) as stream:
                    return self.joined(list(stream))

            with rlm_record.run("calc", recorder, task="What is 6 * 7?") as run:
                run.end(final_answer=self.agent(create, stream=True, stream_options={"include_usage": True}))
        self.assert_recorded(streamed=True)

    def test_asynchronous_client_and_stream(self):
        import rlm_record.openai

        async def ask(client, **asked):
            if not asked.get("stream"):
                return (await client.chat.completions.create(**asked)).choices[0].message
            return self.joined([chunk async for chunk in await client.chat.completions.create(**asked)])

        async def episode(url, recorder, **more):
            client = rlm_record.openai.wrap(self.openai.AsyncOpenAI(base_url=url, api_key="k", max_retries=0))
            with rlm_record.run("calc", recorder, task="What is 6 * 7?") as run:
                messages = [{"role": "user", "content": "What is 6 * 7?"}]
                asked = {"model": "m", "tools": self.TOOLS, "temperature": 0.5, **more}
                reply = await ask(client, messages=messages, **asked)
                messages += [reply.model_dump(exclude_none=True), {"role": "tool", "tool_call_id": "call_1", "content": "42"}]
                run.end(final_answer=(await ask(client, messages=messages, **asked)).content)

        for more in ({}, {"stream": True, "stream_options": {"include_usage": True}}):
            with self.subTest(**more), serving(ModelServer) as url:
                os.environ["RLM_JSONL_DIR"] = str(self.folder / f"journal-{len(more)}")
                with rlm_record.Recorder() as recorder:
                    asyncio.run(episode(url, recorder, **more))
                self.assert_recorded(streamed=bool(more))

    def joined(self, chunks):
        from openai.types.chat import ChatCompletionMessage
        from rlm_record.openai import _joined
        return ChatCompletionMessage.model_validate(_joined([chunk.model_dump(exclude_none=True) for chunk in chunks])["choices"][0]["message"])

    def test_calls_at_the_same_time_are_one_turn(self):
        import rlm_record.openai

        async def episode(url, recorder):
            client = rlm_record.openai.wrap(self.openai.AsyncOpenAI(base_url=url, api_key="k", max_retries=0)).chat.completions
            with rlm_record.run("calc", recorder) as run:
                asked = [client.create(model="m", messages=[{"role": "tool", "tool_call_id": "c", "content": str(number)}]) for number in range(3)]
                await asyncio.gather(*asked)
                await client.create(model="m", messages=[{"role": "tool", "tool_call_id": "c", "content": "4"}])
            return run

        with serving(ModelServer) as url, rlm_record.Recorder() as recorder:
            run = asyncio.run(episode(url, recorder))
        self.assertEqual([1, 1, 1, 2], [call["step"] for call in self.events(run.id, "model_called")])
        self.assert_turns_contain_their_calls(run.id)

    def test_completions_and_responses_are_wrapped_alone_and_once(self):
        import rlm_record.openai
        with serving(ModelServer) as url, rlm_record.Recorder() as recorder:
            client = self.openai.OpenAI(base_url=url, api_key="k", max_retries=0)
            self.assertIs(client.chat.completions, rlm_record.openai.wrap(client.chat.completions))
            with rlm_record.run("calc", recorder, task="What is 6 * 7?") as run:
                client.responses.create(model="m", input="6 * 7?")  # is not recorded
                rlm_record.openai.wrap(client)
                rlm_record.openai.wrap(client)
                run.end(final_answer=self.agent(lambda **asked: client.chat.completions.create(**asked).choices[0].message))
        self.assert_recorded(streamed=False)
        with self.assertRaisesRegex(TypeError, "expected a client of OpenAI, its chat.completions or its responses, was str"):
            rlm_record.openai.wrap("client")

    def test_responses(self):
        import rlm_record.openai

        async def waiting(client, **asked):
            answer = await client.responses.create(**asked)
            return [event async for event in answer][-1].response if asked.get("stream") else answer

        def respond(client, **asked):
            answer = client.responses.create(**asked)
            return list(answer)[-1].response if asked.get("stream") else answer

        def episode(ask, client, **more):
            shown = [{"role": "user", "content": "What is 6 * 7?"}]
            asked = {"model": "m", "instructions": "Be brief.", "tools": self.TOOLS, "temperature": 0.5, **more}
            shown += [item.model_dump(exclude_none=True) for item in ask(client, input=shown, **asked).output]
            shown.append({"type": "function_call_output", "call_id": "call_1", "output": "42"})
            return ask(client, input=shown, **asked).output_text

        forms = {"calls": (self.openai.OpenAI, respond, {}), "stream": (self.openai.OpenAI, respond, {"stream": True}),
                 "asynchronous stream": (self.openai.AsyncOpenAI, lambda client, **asked: asyncio.run(waiting(client, **asked)), {"stream": True})}
        for name, (client, ask, more) in forms.items():
            with self.subTest(name), serving(ModelServer) as url:
                os.environ["RLM_JSONL_DIR"] = str(self.folder / name)
                with rlm_record.Recorder() as recorder, rlm_record.run("calc", recorder) as run:
                    wrapped = rlm_record.openai.wrap(client(base_url=url, api_key="k", max_retries=0))
                    self.assertEqual("It is 42.", episode(ask, wrapped, **more))
                one, other = self.events(run.id, "model_called")
                self.assertEqual([("system", "Be brief."), ("user", "What is 6 * 7?")], [(each["role"], each["content"]) for each in one["messages"]])
                self.assertEqual(("calculate", "call_1"), tuple(one["reply"]["tool_calls"][0][part] for part in ("tool", "id")))
                self.assertEqual(("reasoning", "a product"), tuple(one["reply"]["parts"][0][part] for part in ("type", "content")))
                self.assertEqual({"input_tokens": 20, "output_tokens": 8, "cached_tokens": 5, "reasoning_tokens": 3}, one["usage"])
                self.assertEqual((0.0125, "USD"), (one["cost_amount"], one["cost_currency"]))
                self.assertEqual(["system", "user", "assistant", "tool"], [message["role"] for message in other["messages"]])
                self.assertEqual(("It is 42.", "stop", "m-2026"), (other["reply"]["content"], other["finish_reason"], other["response_model"]))
                self.assertEqual("stream" in name, "first_token_nanos" in other)
                self.assert_turns_contain_their_calls(run.id)

    def test_error_and_stream_that_is_left_are_recorded(self):
        import rlm_record.openai
        with serving(ModelServer) as url, rlm_record.Recorder() as recorder:
            client = rlm_record.openai.wrap(self.openai.OpenAI(base_url=url, api_key="k", max_retries=0))
            with rlm_record.run("calc", recorder) as run:
                with self.assertRaises(self.openai.BadRequestError):
                    client.chat.completions.create(model="m", messages=[{"role": "user", "content": "fail"}])
                with client.chat.completions.create(model="m", messages=[{"role": "tool", "tool_call_id": "c", "content": "42"}], stream=True) as stream:
                    next(stream), next(stream)
        failed, left = self.events(run.id, "model_called")
        self.assertIn("no such model", failed["error"])
        self.assertEqual(("I", "the stream was closed before its end"), (left["reply"]["content"], left["error"]))


class FakeClient:
    """Has the form of OpenAI's, and keeps what it was asked."""

    class Told(dict):
        def model_dump(self, **_):
            return dict(self)

    class Stream:
        def __init__(self, chunks):
            self.chunks, self.closed = iter(chunks), False

        def __iter__(self):
            return self

        def __next__(self):
            return FakeClient.Told(next(self.chunks))

        def __enter__(self):
            return self

        def __exit__(self, *_):
            self.close()

        def close(self):
            self.closed = True

    class AsyncStream(Stream):
        def __aiter__(self):
            return self

        async def __anext__(self):
            for chunk in self.chunks:
                return FakeClient.Told(chunk)
            raise StopAsyncIteration

        async def close(self):
            self.closed = True

    def __init__(self, answer=None, chunks=(), asynchronous=False):
        self.asked, self.chat = [], self
        self.completions = self

        def create(**asked):
            self.asked.append(asked)
            stream = FakeClient.AsyncStream if asynchronous else FakeClient.Stream
            return stream(chunks) if asked.get("stream") else FakeClient.Told(answer or {})

        async def later(**asked):
            return create(**asked)

        self.create = later if asynchronous else create


def piece(finish=None, index=0, **delta):
    return {"id": "c1", "model": "m", "choices": [{"index": index, "delta": delta, "finish_reason": finish}]}


class RepliesInPiecesTest(unittest.TestCase):
    """The cases that the Java tests of streamed replies have, of the APIs that the package knows."""

    CASES = Path(__file__).resolve().parents[2] / "core/json/src/test/resources/dev/rlm/json/chat/replies-in-pieces.json"

    @unittest.skipUnless(CASES.exists(), "the cases are not here: they are in the repository beside the package")
    def test_reply_is_put_together(self):
        from rlm_record import openai
        kinds = {"chat/completions": openai._Chat, "responses": openai._Responses}
        for case in json.loads(self.CASES.read_text(encoding="utf-8")):
            if case["api"] in kinds:
                with self.subTest(case["name"]):
                    chunks = case.get("chunks") or [{"choices": [{"index": 0, "delta": delta}]} for delta in case["deltas"]]
                    kind = kinds[case["api"]]
                    told = kind.told(None, kind.joined(None, chunks))
                    self.assertEqual(len(case["said"]), len(told))
                    self.assertEqual(case["said"], [self.said(choice, expected) for choice, expected in zip(told, case["said"])])

    def said(self, choice, expected):
        reply = choice["reply"]
        said = {"text": reply.get("content"), "thoughts": "\n".join(part["content"] for part in reply.get("parts", []) if part["type"] == "reasoning"),
                "calls": [f"{call.get('id') or ''}:{call['tool']}({call['arguments']})" for call in reply.get("tool_calls", [])],
                "end": choice["finish_reason"] if "end" in expected else None}
        return {name: value for name, value in said.items() if value}


class WrapTest(Recorded):
    ASKED = {"model": "m", "messages": [{"role": "user", "content": "q"}]}
    SAID = [piece(content="an "), piece(content="answer"), piece("stop")]

    def setUp(self):
        super().setUp()
        import rlm_record.openai
        self.wrap = rlm_record.openai.wrap

    def calls(self, run):
        return [((call.get("reply") or {}).get("content"), call.get("error")) for call in self.events(run.id, "model_called")]

    def test_stream_that_is_left_is_a_call_with_what_was_said(self):
        create = functools.partial(self.wrap(FakeClient(chunks=self.SAID)).create, stream=True, **self.ASKED)
        kept = []

        def broken():
            for _ in create():
                break

        def finished():
            for chunk in create():
                if chunk["choices"][0]["finish_reason"]:
                    break

        def closed():
            stream = create()
            next(stream)
            stream.close()
            stream.close()

        def managed():
            with create() as stream:
                next(stream)

        def read_on():
            for _ in (stream := create()):
                break
            list(stream)
            stream.close()

        def in_a_cycle():
            cycle = [create()]
            next(cycle[0])
            cycle.append(cycle)
            del cycle
            gc.collect()

        def kept_open():
            kept.append(create())
            next(kept[0])

        async def asynchronous():
            client = self.wrap(FakeClient(chunks=self.SAID, asynchronous=True))
            async for _ in await client.create(stream=True, **self.ASKED):
                break

        left = "the stream was closed before its end"
        with rlm_record.Recorder() as recorder:
            with rlm_record.run("calc", recorder) as run:
                for leave in (broken, finished, closed, managed, read_on, in_a_cycle, create, lambda: asyncio.run(asynchronous()), kept_open):
                    leave()
            list(kept[0])
        self.assertEqual(0, recorder.lost, recorder.first_error)
        self.assertEqual([("an ", left), ("an answer", None), ("an ", left), ("an ", left), ("an answer", None), ("an ", left), (None, left), ("an ", left), ("an ", left)],
                         self.calls(run))

    def test_stream_is_what_it_was(self):
        with rlm_record.Recorder() as recorder, rlm_record.run("calc", recorder):
            stream = self.wrap(FakeClient(chunks=self.SAID)).create(stream=True, **self.ASKED)
            self.assertIsInstance(stream, FakeClient.Stream)
            self.assertEqual(self.SAID, list(stream))

    def test_what_is_said_in_any_form_is_recorded(self):
        parts = [{"type": "thinking", "thinking": [{"type": "text", "text": "so"}]}, {"type": "text", "text": "yes"}]
        forms = [
            ([piece(content=parts[:1]), piece(content=parts[1:])], "yes", "so"),
            ({"content": parts}, "yes", "so"),
            ({"content": "yes", "reasoning": "so", "reasoning_content": "so"}, "yes", "so"),
            ({"content": None, "function_call": {"name": "read", "arguments": {"of": 1}}}, "", None)]
        with rlm_record.Recorder() as recorder, rlm_record.run("calc", recorder) as run:
            for said, _, _ in forms:
                streamed = isinstance(said, list)
                client = self.wrap(FakeClient(chunks=said) if streamed else FakeClient({"id": "", "choices": [{"message": said}]}))
                answer = client.create(stream=streamed, **self.ASKED)
                if streamed:
                    list(answer)
        self.assertEqual(0, recorder.lost, recorder.first_error)
        calls = self.events(run.id, "model_called")
        for (said, content, thought), call in zip(forms, calls):
            with self.subTest(said):
                thoughts = [part["content"] for part in call["reply"].get("parts", []) if part["type"] == "reasoning"]
                self.assertEqual((content, [thought] if thought else []), (call["reply"]["content"], thoughts))
        self.assertEqual(("read", '{"of":1}'), tuple(calls[-1]["reply"]["tool_calls"][0][name] for name in ("tool", "arguments")))

    def test_each_choice_is_a_call(self):
        chunks = [piece(content="4"), piece(index=1, content="5"), piece("stop"), piece("stop", 1), {"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 2}}]
        with rlm_record.Recorder() as recorder, rlm_record.run("calc", recorder) as run:
            list(self.wrap(FakeClient(chunks=chunks)).create(stream=True, n=2, **self.ASKED))
        other, first = self.events(run.id, "model_called")
        self.assertEqual(("5", {"choice": 1}, "4", {"n": 2}), (other["reply"]["content"], other["parameters"], first["reply"]["content"], first["parameters"]))
        self.assertEqual((None, 7), (other.get("usage"), first["usage"]["input_tokens"]))

    def test_client_gets_what_the_caller_gave(self):
        client = self.wrap(FakeClient({"choices": [{"message": {"content": "a"}}]}))
        given = [{}, {"messages": None}, {"messages": 5}, {"messages": tuple(self.ASKED["messages"])}]
        with rlm_record.Recorder() as recorder, rlm_record.run("calc", recorder) as run:
            for each in given:
                client.create(model="m", **each)
            client.create(model="m", messages=(each for each in self.ASKED["messages"]))
        for each, asked in zip(given, client.asked):
            self.assertEqual({"model": "m", **each}, asked)
            self.assertIs(each.get("messages"), asked.get("messages"))
        self.assertEqual(self.ASKED["messages"], list(client.asked[4]["messages"]))
        self.assertEqual([0, 0, 0, 1, 1], [len(call.get("messages", [])) for call in self.events(run.id, "model_called")])

    def test_client_that_is_wrapped_again_is_recorded_once(self):
        client = self.wrap(self.wrap(FakeClient({"choices": [{"message": {"content": "a"}}]})))
        create = client.create
        client.create = lambda **asked: create(**asked)  # as another library does
        self.wrap(client)
        with rlm_record.Recorder() as recorder, rlm_record.run("calc", recorder) as run:
            client.create(**self.ASKED)
        self.assertEqual([("a", None)], self.calls(run))

    def test_responses_that_are_left_have_what_was_said(self):
        class Responses(FakeClient):
            pass

        events = [{"type": "response.created", "response": {"id": "r1", "model": "m", "status": "in_progress", "output": []}},
                  {"type": "response.output_item.added", "output_index": 1, "item": {"type": "function_call", "call_id": "a", "name": "read", "arguments": ""}},
                  {"type": "response.output_text.delta", "output_index": 0, "delta": "yes"},
                  {"type": "response.function_call_arguments.delta", "output_index": 1, "delta": '{"of":1}'}, {"type": "response.completed", "response": {}}]
        with rlm_record.Recorder() as recorder, rlm_record.run("calc", recorder) as run:
            for event in self.wrap(Responses(chunks=events)).create(model="m", input="q", stream=True):
                if event["type"].endswith("arguments.delta"):
                    break
        call, = self.events(run.id, "model_called")
        self.assertEqual(("yes", "read", '{"of":1}', "the stream was closed before its end"),
                         (call["reply"]["content"], *(call["reply"]["tool_calls"][0][name] for name in ("tool", "arguments")), call["error"]))


class NotebookTest(Recorded):
    def setUp(self):
        super().setUp()
        try:
            import ipykernel, nbclient, nbformat
        except ImportError:
            self.skipTest("there is no ipykernel or nbclient here")
        self.execute = lambda *cells: nbclient.NotebookClient(
            nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(textwrap.dedent(cell)) for cell in cells]), kernel_name="python3").execute()

    def test_runs_of_a_notebook_are_whole(self):
        self.execute(
            """
            import asyncio, rlm_record
            run = rlm_record.run("notebook", run_id="cells")
            """, """
            with run.step() as step:
                step.reward(0.5)
            """, """
            async def episode(name):
                with rlm_record.run("notebook", run_id=name) as run, run.step() as step:
                    await asyncio.sleep(0)
                    step.reward(0.5)
            await asyncio.gather(episode("task 1"), episode("task 2"))
            """, """
            run.end()
            """)
        self.assertEqual([("cells", "completed", 0.5), ("task 1", "completed", 0.5), ("task 2", "completed", 0.5)],
                         sorted((run["run_id"], run["state"], run["total_reward"]) for run in self.runs()))


class LangChainTest(Recorded):
    def setUp(self):
        super().setUp()
        try:
            import langchain_core
        except ImportError:
            self.skipTest("there is no langchain_core here")

    def test_agent_of_a_model_and_a_tool_is_a_run(self):
        from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
        from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
        from langchain_core.runnables import RunnableLambda
        from langchain_core.tools import tool
        from rlm_record.langchain import RunRecorder

        @tool
        def calculate(expression: str) -> str:
            """computes"""
            return str(eval(expression))

        @tool
        def broken(expression: str) -> str:
            """never does"""
            raise ValueError("no such thing")

        model = GenericFakeChatModel(messages=iter([
            AIMessage("", tool_calls=[{"name": "calculate", "args": {"expression": "6*7"}, "id": "c1"}], usage_metadata={"input_tokens": 3, "output_tokens": 4, "total_tokens": 7}),
            AIMessage("It is 42.")]))

        def agent(inputs, config):
            messages = [HumanMessage(inputs["question"])]
            reply = model.invoke(messages, config)
            call = reply.tool_calls[0]
            messages += [reply, ToolMessage(calculate.invoke(call, config).content, tool_call_id=call["id"])]
            try:
                broken.invoke({"expression": "?"}, config)
            except ValueError:
                pass
            return {"messages": [*messages, model.invoke(messages, config)]}

        with rlm_record.Recorder() as recorder:
            handler = RunRecorder("calc", recorder, sample_id="s1")
            RunnableLambda(agent).invoke({"question": "What is 6 * 7?"}, config={"callbacks": [handler]})
            handler.last.reward(1.0)
            with self.assertRaises(ZeroDivisionError):
                RunnableLambda(lambda _: 1 / 0).invoke("x", config={"callbacks": [RunRecorder(recorder=recorder)]})
        self.assertEqual(0, recorder.lost, recorder.first_error)
        run, failed = self.runs()
        self.assertEqual(("calc", "completed", 2, 1.0, "s1"), tuple(run[name] for name in ("environment", "state", "steps", "total_reward", "sample_id")))
        self.assertEqual(("failed", "ZeroDivisionError"), (failed["state"], failed["failure"]))
        events = self.events(run["run_id"])
        self.assertEqual(("What is 6 * 7?", "It is 42."), (events[0]["task"], next(event for event in events if event["type"] == "run_ended")["final_answer"]))
        one, other = [event for event in events if event["type"] == "model_called"]
        self.assertEqual(("calculate", 3), (one["reply"]["tool_calls"][0]["tool"], one["usage"]["input_tokens"]))
        self.assertEqual(["user", "assistant", "tool"], [message["role"] for message in other["messages"]])
        self.assertEqual([("calculate", "42", None), ("broken", "", "no such thing")],
                         [(call["tool"], call.get("result", ""), call.get("error")) for call in events if call["type"] == "tool_called"])


    def test_chain_that_is_streamed_is_a_run_with_its_task_also_where_it_is_left(self):
        from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
        from langchain_core.messages import AIMessage
        from langchain_core.prompts import ChatPromptTemplate
        from rlm_record.langchain import RunRecorder

        def chain():
            return ChatPromptTemplate.from_messages([("user", "{question}")]) | GenericFakeChatModel(messages=iter([AIMessage("an answer")]))

        def left(recorder):
            for _ in chain().stream({"question": "Why?"}, config={"callbacks": [recorder]}):
                break
            gc.collect()

        async def left_later(recorder):
            stream = chain().astream({"question": "Why?"}, config={"callbacks": [recorder]})
            await stream.__anext__()
            await stream.aclose()

        cases = {"read": lambda recorder: list(chain().stream({"question": "Why?"}, config={"callbacks": [recorder]})),
                 "left": left, "left later": lambda recorder: asyncio.run(left_later(recorder))}
        with rlm_record.Recorder() as recorder:
            for name, stream in cases.items():
                stream(RunRecorder("chain", recorder, run_id=name))
        self.assertEqual(0, recorder.lost, recorder.first_error)
        for name in cases:
            with self.subTest(name):
                events = self.events(name)
                call, = [event for event in events if event["type"] == "model_called"]
                self.assertEqual(("Why?", "assistant"), (events[0]["task"], call["reply"]["role"]))
                self.assertEqual(("an answer", None) if name == "read" else ("an", "the stream was closed before its end"), (call["reply"]["content"].strip(), call.get("error")))
                self.assertEqual(("completed", "an answer" if name == "read" else None), tuple(events[-1].get(field) for field in ("outcome", "final_answer")))

    def test_task_and_answer_are_found_in_messages_of_any_form(self):
        from langchain_core.messages import AIMessage, ChatMessage, HumanMessage, HumanMessageChunk, ToolMessage
        from rlm_record.langchain import _answer, _message, _task
        asked = [HumanMessage("Why?"), AIMessage("Wait."), ToolMessage("42", tool_call_id="c")]
        for inputs in ({"messages": asked}, {"input": asked}, asked, {"question": "Why?"}, [("human", "Why?"), ("ai", "Wait.")], {"messages": [{"role": "user", "content": "Why?"}]},
                       HumanMessage([{"type": "text", "text": "Why?"}]), "Why?"):
            self.assertEqual("Why?", _task(inputs))
        for outputs in (AIMessage("So."), {"messages": [*asked, AIMessage("So.")]}, {"output": AIMessage([{"type": "text", "text": "So."}])}, [AIMessage("So.")], "So."):
            self.assertEqual("So.", _answer(outputs))
        self.assertIsNone(_answer(None))
        self.assertEqual(["user", "critic"], [_message(message)["role"] for message in (HumanMessageChunk("a"), ChatMessage("a", role="critic"))])


class ExamplesTest(Recorded):
    def run_example(self, name, **variables):
        done = subprocess.run([sys.executable, EXAMPLES / name], env={**os.environ, **variables}, capture_output=True, text=True, timeout=180)
        self.assertEqual((0, ""), (done.returncode, "".join(line for line in done.stderr.splitlines(True) if "not recorded" in line)), done.stderr)
        return done.stdout

    def test_agent(self):
        if not __import__("importlib.util").util.find_spec("openai"):
            self.skipTest("there is no openai here")
        with serving(ModelServer) as url:
            self.assertEqual("It is 42.\n", self.run_example("agent.py", OPENAI_BASE_URL=url))
        self.assertEqual(("agent", "completed", 2), tuple(self.only()[name] for name in ("environment", "state", "steps")))

    def test_trl_loop(self):
        self.assertIn("step 4: mean reward", self.run_example("trl_loop.py"))
        runs = self.runs()
        self.assertEqual((40, {0, 1, 2, 3, 4}, {"gsm-1", "gsm-2"}), (len(runs), {run["train_step"] for run in runs}, {run["sample_id"] for run in runs}))

    def test_verl_agent_loop(self):
        self.assertIn("8 rollouts", self.run_example("verl_agent_loop.py"))
        runs = self.runs()
        self.assertEqual([("completed", 3, 1.0)] * 8, [(run["state"], run["steps"], run["total_reward"]) for run in runs])


if __name__ == "__main__":
    unittest.main()
