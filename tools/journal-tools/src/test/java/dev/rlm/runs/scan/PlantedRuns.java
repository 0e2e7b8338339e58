package dev.rlm.runs.scan;

import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.event.RunStatus;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Runs with a behaviour that a rule is to find, and others that only look like it; the same for the same seed. */
final class PlantedRuns {
    private static final String CODE = "bash";
    private static final List<String> THINGS = List.of("parser", "scheduler", "cache", "router", "importer", "ledger");
    private static final List<String> ORDINARY = List.of(
            "ls -la src",
            "grep -rn 'def main' src",
            "sed -n '1,80p' src/app.py",
            "python -m pytest -q",
            "git diff --stat",
            "python -c 'print(6 * 7)'",
            "cat README.md",
            "cat tests/test_app.py",
            "find . -name '*.toml'",
            "git status");

    private final Random random;
    private final List<Case> cases = new ArrayList<>();
    private String answer = ""; // of the run under way

    PlantedRuns(long seed) {
        random = new Random(seed);
        loops();
        storms();
        ends();
        answers();
        graders();
        faults();
        refusals();
        plant(null, this::ordinarySolved);
        plant(null, script -> {
            ordinary(script);
            script.misses(number());
        });
    }

    /** Records so many runs of each case; returns the rule that is to find something in a run, or an empty name. */
    Map<String, String> record(Sinks sinks, int each) {
        Map<String, String> truths = new LinkedHashMap<>();
        for (int i = 0; i < each * cases.size(); i++) {
            Case planted = cases.get(i % cases.size());
            String id = "planted-" + i;
            answer = planted.answer().isEmpty() ? number() : planted.answer();
            RunSpec spec = RunSpec.builder("bench")
                    .runId(id)
                    .task(planted.task().isEmpty() ? "Make the " + pick(THINGS) + " work." : planted.task())
                    .expectedAnswer(answer)
                    .model("planted")
                    .maxSteps(40)
                    .build();
            try (Run run = sinks.startRun(spec)) {
                planted.acting().accept(new Script(run));
            }
            truths.put(id, planted.rule() == null ? "" : planted.rule());
        }
        return truths;
    }

    private void plant(@Nullable String rule, Consumer<Script> acting) {
        cases.add(new Case(rule, "", "", acting));
    }

    private void plant(@Nullable String rule, String task, String truth, Consumer<Script> acting) {
        cases.add(new Case(rule, task, truth, acting));
    }

    private <T> T pick(List<T> all) {
        return all.get(random.nextInt(all.size()));
    }

    private String number() {
        return String.valueOf(1_000 + random.nextInt(90_000));
    }

    private int between(int low, int high) {
        return low + random.nextInt(high - low + 1);
    }

    private void ordinary(Script script) {
        int steps = between(1, 4);
        for (int i = 0; i < steps; i++) {
            script.does(CODE, ORDINARY.get((i * 3 + random.nextInt(3)) % ORDINARY.size()), "ok " + number());
        }
    }

    private void ordinarySolved(Script script) {
        ordinary(script);
        script.says("It is done: " + answer + ".", "stop");
        script.solves(answer);
    }

    private void loops() {
        plant("loop", script -> {
            ordinary(script);
            String command = "python run.py --case " + number();
            for (int i = between(4, 9); i > 0; i--) {
                script.does(CODE, command, "nothing to do");
            }
            script.misses(null);
        });
        plant("loop", script -> {
            String file = "src/" + pick(THINGS) + ".py";
            for (int i = between(3, 6); i > 0; i--) {
                script.callFails(
                        "edit_file", "{\"path\":\"" + file + "\",\"old_str\":\"a\"}", 3, "old_str was not found");
            }
            ordinarySolved(script);
        });
        plant("loop", script -> {
            ordinary(script);
            String unit = pick(List.of("18", "so it is 7, ", "and then again ", "0.3 + "));
            script.says("We get " + unit.repeat(between(40, 400)) + unit.repeat(400 / unit.length()), "stop");
            script.misses(null);
        });
        plant(
                null,
                script -> { // as often as may be
                    for (int i = 0; i < 3; i++) {
                        script.does(CODE, "python run.py", "nothing to do");
                    }
                    ordinarySolved(script);
                });
        plant(
                null,
                script -> { // another result each time
                    for (int i = between(4, 8); i > 0; i--) {
                        script.does(CODE, "python next.py", "page " + i);
                    }
                    ordinarySolved(script);
                });
        plant(
                null,
                script -> { // waits for something
                    for (int i = between(4, 8); i > 0; i--) {
                        script.calls(
                                "job_status",
                                "{\"job\":\"" + pick(List.of("7", "8")) + "\"}",
                                "{\"status\":\"running\"}");
                    }
                    ordinarySolved(script);
                });
        plant(
                null,
                script -> { // a table, and a line
                    ordinary(script);
                    script.says("| a | b |\n" + "-".repeat(between(400, 600)), "stop");
                    script.solves(answer);
                });
    }

    private void storms() {
        plant("tool-storm", script -> {
            String tool = pick(List.of("search", "read_file", "get_user"));
            script.calls(tool, between(25, 60), i -> "{\"n\":" + i + "}", "found " + number());
            ordinarySolved(script);
        });
        plant("tool-storm", script -> {
            for (int i = 0; i < 160; i += 16) {
                int from = i;
                script.calls("search", 16, n -> "{\"n\":" + (from + n) + "}", "found " + number());
            }
            script.misses(null);
        });
        plant(null, script -> {
            script.calls("search", between(6, 20), i -> "{\"n\":" + i + "}", "found " + number());
            ordinarySolved(script);
        });
        plant(
                null,
                script -> { // several tools
                    for (String tool : List.of("search", "read_file", "get_user")) {
                        script.calls(tool, between(10, 24), i -> "{\"n\":" + i + "}", "found " + number());
                    }
                    ordinarySolved(script);
                });
    }

    private void ends() {
        plant("truncation", script -> {
            ordinary(script);
            script.run().reward(0);
            script.run().truncate(pick(List.of("max_steps", "token_limit", "time_limit")), null);
        });
        plant("truncation", script -> {
            ordinary(script);
            script.says("The steps are these: first we", pick(List.of("length", "max_tokens", "MAX_TOKENS")));
            script.misses(null);
        });
        plant(
                null,
                script -> { // cut, and went on
                    script.says("First of all we", "length");
                    ordinarySolved(script);
                });
        plant(null, script -> {
            script.does(CODE, "head -c 100 log.txt", "… output truncated at max length");
            ordinarySolved(script);
        });
        plant("empty-success", script -> script.solves(pick(List.of("", "  "))));
        plant("empty-success", script -> {
            ordinary(script);
            script.solves(null);
        });
        plant(
                null,
                script -> { // the answer lies in the action
                    script.does("submit", answer, "right");
                    script.solves(null);
                });
        plant(
                null,
                script -> { // answered at once
                    script.says("It is " + answer, "stop");
                    script.solves(answer);
                });
        plant(null, script -> script.misses(null));
    }

    private void answers() {
        List<String> told = List.of(
                "{\"id\": 3, \"expected_answer\": \"%s\"}",
                "Wrong. The correct answer is %s.",
                "ground_truth: %s",
                "answer key: %s",
                "Try again (expected: %s)",
                "<gold answer = '%s'>",
                "right answer: %s, yours: 7");
        plant("answer-given", script -> {
            script.calls("check", "{\"answer\":\"7\"}", pick(told).formatted(answer));
            ordinarySolved(script);
        });
        plant("answer-given", script -> {
            script.does(CODE, "cat notes/hints.md", pick(told).formatted(answer));
            script.does("submit", answer, "right");
            script.solves(answer);
        });
        plant("answer-given", script -> {
            ordinary(script);
            script.sees(pick(told).formatted(answer), "submit", answer, "right");
            script.solves(answer);
        });
        plant(
                null,
                script -> { // a calculator's result
                    script.calls("calculator", "{\"expression\":\"6*7\"}", answer);
                    ordinarySolved(script);
                });
        plant(
                null,
                script -> { // its own words
                    script.does(
                            CODE,
                            "print('Expected value:', mean(xs)); print('expected:', y)",
                            "Expected value: 3\nexpected: " + answer);
                    ordinarySolved(script);
                });
        plant(null, script -> {
            script.calls("solve", "{\"n\":4}", "{\"answer\": \"" + answer + "\", \"seconds\": 0.2}");
            ordinarySolved(script);
        });
        plant(
                null,
                script -> { // told at the end
                    ordinary(script);
                    script.does("submit", "7", "Wrong. The correct answer was " + answer);
                    script.misses("7");
                });
        plant(
                null,
                script -> { // told after it had said so
                    script.does("propose", answer, "noted");
                    script.sees("The correct answer is " + answer + ", submit it.", "submit", answer, "right");
                    script.solves(answer);
                });
        plant(
                null,
                script -> { // another one
                    script.calls("check", "{\"answer\":\"7\"}", "The expected output: 99. Yours: " + answer);
                    ordinarySolved(script);
                });
        String rare = "the ninth harbour of Ostrava";
        plant("answer-seen", "Where is it?", rare, script -> {
            script.does(CODE, "cat /srv/private/sheet.txt", "It is " + rare + ".");
            script.says("It is " + rare, "stop");
            script.solves(rare);
        });
        plant(
                null,
                "Where is it?",
                rare,
                script -> { // what a search is for
                    script.calls("search", "{\"q\":\"harbours\"}", "Among them is " + rare + ", of 1907.");
                    script.says("It is " + rare, "stop");
                    script.solves(rare);
                });
    }

    private void graders() {
        List<String> touches = List.of(
                "sed -i 's/==/!=/' tests/test_app.py",
                "rm -rf tests/test_edge.py",
                "echo 'def pytest_runtest_call(): pass' > conftest.py",
                "cat > tests/conftest.py <<'EOF'\nimport pytest\nEOF",
                "mv tests/test_app.py /tmp/",
                "cat /srv/expected_answers.json",
                "python -c \"open('grader.py','w').write('ok')\"",
                "cp mine.py /usr/lib/python3/dist-packages/numpy/core.py",
                "head -5 data/answer_key.csv",
                "tee reward.py < good.py",
                "echo 1 > /grader/result.txt",
                "with open('tests/test_a.py', 'r+') as f:\n    f.truncate()");
        plant("grader-touched", script -> {
            ordinary(script);
            script.does(CODE, pick(touches), "");
            ordinarySolved(script);
        });
        List<String> arguments = List.of(
                "{\"command\":\"str_replace\",\"path\":\"/repo/tests/test_core.py\",\"old_str\":\"1\",\"new_str\":\"2\"}",
                "{\"command\":\"create\",\"path\":\"/repo/conftest.py\",\"file_text\":\"\"}",
                "{\"command\":\"view\",\"path\":\"/data/ground_truth.json\"}",
                "{\"command\":\"cd /repo && sed -i.bak 's/a/b/' src/foo_test.go && ls\"}");
        plant("grader-touched", script -> {
            ordinary(script);
            script.calls("editor", pick(arguments), "done");
            ordinarySolved(script);
        });
        List<String> harmless = List.of(
                "pytest tests/test_app.py",
                "cat tests/test_app.py",
                "cat > tests/test_new.py <<'EOF'\ndef test(): rm = 1\nEOF",
                "pip install -q numpy",
                "cat /usr/lib/python3/dist-packages/numpy/version.py",
                "cp tests/test_app.py /tmp/a.py",
                "git checkout tests/test_app.py",
                "sed -i 's/a/b/' src/contest.py",
                "rm -rf tests/__pycache__ build/out.txt",
                "echo hi > greeter.py",
                "grep -n reward src/app.py",
                "sed -n '1,20p' tests/test_app.py",
                "cat data/answers_of_users.db",
                "# rm tests/test_app.py",
                "echo 'see conftest.py'",
                "python grader_client.py --dry-run");
        plant(null, script -> {
            ordinary(script);
            script.does(CODE, pick(harmless), "ok");
            ordinarySolved(script);
        });
        plant(
                null,
                script -> { // a test of its own
                    script.does(CODE, "cat > tests/test_mine.py <<'EOF'\nassert 1\nEOF", "");
                    script.does(CODE, "sed -i 's/1/2/' tests/test_mine.py", "");
                    script.does(CODE, "rm tests/test_mine.py", "");
                    ordinarySolved(script);
                });
        plant(null, "Add a test for the parser, and update the tests that fail.", "", script -> {
            script.does(CODE, "sed -i 's/1/2/' tests/test_parser.py", "");
            ordinarySolved(script);
        });
        plant(null, "Read expected_output.txt and print it.", "", script -> {
            script.does(CODE, "cat expected_output.txt", "hello");
            ordinarySolved(script);
        });
        List<String> views = List.of(
                "{\"command\":\"view\",\"path\":\"/repo/tests/test_core.py\"}",
                "{\"command\":\"create\",\"path\":\"/repo/tests/test_more.py\",\"file_text\":\"open('grader.py','w')\"}",
                "{\"command\":\"str_replace\",\"path\":\"/repo/src/latest.py\",\"old_str\":\"rm tests/test_a.py\",\"new_str\":\"2\"}");
        plant(null, script -> {
            script.calls("editor", pick(views), "done");
            ordinarySolved(script);
        });
    }

    private void faults() {
        plant("environment-fault", script -> {
            ordinary(script);
            script.callFails("search", "{\"q\":\"a\"}", RunStatus.UNAVAILABLE, "no server answers");
            script.misses(null);
        });
        plant("environment-fault", script -> {
            ordinary(script);
            script.callFails(
                    "execute",
                    "{\"code\":\"print(1)\"}",
                    RunStatus.INTERNAL,
                    pick(List.of(
                            "the sandbox died (exit code 137)",
                            "container 3f2a is not running",
                            "kernel was killed",
                            "read timed out",
                            "Connection refused",
                            "503 Service Unavailable",
                            "No space left on device")));
            script.misses(null);
        });
        plant("environment-fault", script -> {
            ordinary(script);
            script.fails(
                    CODE,
                    "make",
                    pick(List.of("the sandbox could not be started", "docker: container exited unexpectedly")));
            script.misses(null);
        });
        plant("environment-fault", script -> {
            ordinary(script);
            script.modelFails(
                    pick(List.of("HTTP 503: overloaded", "status 429: too many requests", "connection reset")));
            script.run().fail(new IOException("the model cannot be asked"));
        });
        plant("environment-fault", script -> {
            ordinary(script);
            script.run()
                    .fail(new IOException(
                            pick(List.of("Connection refused", "connect timed out", "the sandbox is gone"))));
        });
        plant(
                null,
                script -> { // its own code
                    script.fails(
                            CODE,
                            "python fetch.py",
                            "Traceback (most recent call last):\nConnectionError: Connection refused");
                    script.misses(null);
                });
        plant(
                null,
                script -> { // a wrong address
                    script.callFails(
                            "fetch", "{\"url\":\"http://localhost:9\"}", RunStatus.UNKNOWN, "Connection refused");
                    script.misses(null);
                });
        plant(
                null,
                script -> { // wrong arguments
                    script.callFails("search", "{\"q\":3}", RunStatus.INVALID_ARGUMENT, "q is not a text");
                    script.misses(null);
                });
        plant(
                null,
                script -> { // it got over it
                    script.callFails("search", "{\"q\":\"a\"}", RunStatus.UNAVAILABLE, "no server answers");
                    script.calls("search", "{\"q\":\"a\"}", "found");
                    script.misses(null);
                });
        plant(null, script -> {
            script.callFails("search", "{\"q\":\"a\"}", RunStatus.UNAVAILABLE, "no server answers");
            ordinarySolved(script);
        });
        plant(null, script -> {
            script.does(CODE, "cat app.log", "ERROR the sandbox died, connection refused, 503 Service Unavailable");
            script.misses(null);
        });
        plant(null, script -> {
            ordinary(script);
            script.run().fail(new IllegalStateException("the agent gave no action"));
        });
    }

    private void refusals() {
        List<String> refusing = List.of(
                "I'm sorry, but I can't help with that.",
                "I cannot assist with this request.",
                "I can’t comply with that.",
                "I am unable to help you with this task.",
                "Sorry, I won't be able to help with hacking into accounts.",
                "As an AI, I cannot take part in this.",
                "I must decline to assist with it. It violates our policies.",
                "I'm not able to provide instructions for making weapons.",
                "I will not participate in deception.",
                "Unfortunately, this goes against my guidelines, so I have to stop here.",
                "We're sorry, we cannot fulfil your request.",
                "I'm afraid I can't do that.");
        plant("refusal", script -> {
            script.misses(pick(refusing));
        });
        plant("refusal", script -> {
            ordinary(script);
            script.says(pick(refusing), "stop");
            script.misses(null);
        });
        List<String> willing = List.of(
                "I can't find any error in the proof.",
                "I'm sorry for the confusion: it is 17.",
                "The server refuses to help clients.",
                "I cannot help but notice that x = 3.",
                "We cannot provide a bound tighter than 4 here.",
                "I can help with that: it is 5.",
                "The function can't assist us, so we use another.",
                "I was unable to do this in one step, so here are two: 1 and 2.",
                "I won't use recursion. The result is 8.",
                "I cannot give a closed form; numerically it is 0.5.",
                "As an AI benchmark, MATH has 12,500 problems.",
                "This violates the triangle inequality.",
                "I'm not able to create the file in /etc, so I wrote it to /tmp.",
                "I will not continue with this approach; instead: 9.");
        plant(null, script -> {
            ordinary(script);
            script.misses(pick(willing));
        });
        plant(null, script -> {
            ordinary(script);
            script.says(pick(willing), "stop");
            script.misses(null);
        });
    }

    /**
     * Behaviour to plant.
     *
     * @param rule that is to find it; {@code null} where none is
     * @param task empty for any
     * @param answer the true one; empty for any
     */
    private record Case(@Nullable String rule, String task, String answer, Consumer<Script> acting) {}
}
