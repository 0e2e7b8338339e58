package dev.rlm.runner.taskfolder;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.rlm.cli.testkit.Cli;
import dev.rlm.cli.testkit.KeptSinkProvider;
import dev.rlm.cli.testkit.Programs;
import dev.rlm.json.Json;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.ToolCalled;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** Runs of {@code --env task-folder}, from the command line, in the real sandbox. */
@Timeout(180)
@Tag("thorough")
class TaskFolderTest {
    private static final String EXAMPLES = "../examples/tasks";
    private static final String ALWAYS = "exit 0";

    @TempDir
    private Path folder;

    private Path tasks = Path.of("");

    @BeforeEach
    void requirePrograms() throws IOException, InterruptedException {
        Programs.require("python3", "bwrap", "bash");
        tasks = Files.createDirectory(folder.resolve("tasks"));
    }

    /** Makes a task whose verifier is that script. */
    private Path task(String name, String verifier) throws IOException {
        Path task = tasks.resolve(name);
        Files.createDirectories(task.resolve("tests"));
        Files.writeString(task.resolve("instruction.md"), "Do " + name + ".\n");
        Files.writeString(task.resolve("tests/test.sh"), verifier + "\n");
        return task;
    }

    /** Returns the option of an agent that runs these commands, one after the other, and then submits. */
    private String agent(String... commands) throws IOException {
        String actions = Stream.concat(
                        Stream.of(commands).map(command -> Json.text(Map.of("type", "bash", "code", command))),
                        Stream.of("{\"text\":\"done\"}"))
                .collect(Collectors.joining("\n", "", "\n"));
        Path file = Files.writeString(folder.resolve("actions"), actions);
        Path script = Files.writeString(
                folder.resolve("agent.sh"),
                "while IFS= read -r action <&3; do read -r seen; printf '%s\\n' \"$action\"; done 3< '" + file
                        + "'; cat > '" + folder.resolve("rest") + "'\n");
        return "exec.command=sh '" + script + "'";
    }

    private List<String> arguments(String agent, String... more) {
        List<String> all = new ArrayList<>(List.of("run", "--env", "task-folder", "--policy", "exec", "--set", agent));
        if (!List.of(more).contains("--dataset")) {
            all.addAll(List.of("--dataset", tasks.toString()));
        }
        all.addAll(List.of(more));
        return all;
    }

    private Cli run(String agent, String... more) {
        return Cli.run(arguments(agent, more).toArray(String[]::new));
    }

    private static RewardGiven reward() {
        List<RewardGiven> rewards = KeptSinkProvider.events(RewardGiven.class);
        assertThat(rewards).hasSize(1);
        return rewards.get(0);
    }

    private static List<String> outputs() {
        return KeptSinkProvider.events(ToolCalled.class).stream()
                .map(call -> call.result().text())
                .toList();
    }

    @Test
    void examples_areSolvedByTheirSolutions() {
        Cli run = Cli.run("run", "--env", "task-folder", "--dataset", EXAMPLES, "--error-rate", "0", "--json");

        assertThat(run.err()).isEmpty();
        assertThat(run.out()).contains("\"runs\":2,\"completed\":2", "\"solved\":2");
        assertThat(KeptSinkProvider.events(RunStarted.class))
                .extracting(start -> start.run().correlation().sample())
                .containsExactlyInAnyOrder("fix-script", "sum-column");
        assertThat(KeptSinkProvider.events(RunEnded.class))
                .allSatisfy(end -> assertThat(end.run().params()).containsEntry("sandbox", "bubblewrap"));
        assertThat(KeptSinkProvider.events(ToolCalled.class)).hasSize(2).allSatisfy(call -> {
            assertThat(call.tool()).isEqualTo("bash");
            assertThat(call.arguments().text()).startsWith("{\"command\":\"#!/bin/bash");
            assertThat(call.statusCode()).isZero();
        });
        assertThat(KeptSinkProvider.events(StepEnded.class))
                .extracting(StepEnded::actionType)
                .containsExactlyInAnyOrder("bash", "submit", "bash", "submit");
    }

    @Test
    void examples_areNotSolvedByNothing() {
        Cli run = Cli.run("run", "--env", "task-folder", "--dataset", EXAMPLES, "--error-rate", "1", "--json");

        assertThat(run.out()).contains("\"runs\":2,\"completed\":2", "\"solved\":0");
        assertThat(KeptSinkProvider.events(RewardGiven.class))
                .extracting(RewardGiven::value)
                .containsExactlyInAnyOrder(0.0, 0.33);
        assertThat(KeptSinkProvider.events(RunEnded.class))
                .extracting(RunEnded::metrics)
                .anySatisfy(metrics ->
                        assertThat(metrics).containsEntry("verifier.plain", 1.0).containsEntry("verifier.upper", 0.0));
    }

    @Test
    void commands_areRunInTheWorkFolder_andTheirFilesStay() throws IOException {
        Path task = task("files", "[ \"$(cat kept)\" = 1 ] && [ \"$PWD\" = /app ] && cat sub/given");
        Files.createDirectories(task.resolve("environment/sub"));
        Files.writeString(task.resolve("environment/sub/given"), "given\n");
        Files.writeString(task.resolve("environment/docker-compose.yaml"), "services: {}\n");

        Cli run = run(
                agent("pwd; ls; x=1; echo $x > kept; echo bad >&2", "echo \"[$x]\"; cat kept; exit 7", "kill -9 $$"));

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(outputs()).containsExactly("/app\nsub\nbad\n", "[]\n1\n", "");
        List<StepEnded> steps = KeptSinkProvider.events(StepEnded.class);
        assertThat(steps).hasSize(4);
        assertThat(steps.get(0).success()).isTrue();
        assertThat(String.valueOf(steps.get(1).error())).isEqualTo("exit code 7");
        assertThat(String.valueOf(steps.get(2).error())).isEqualTo("killed by signal 9");
        assertThat(steps.get(3).output().text()).isEqualTo("given\n");
        assertThat(KeptSinkProvider.events(ToolCalled.class))
                .extracting(ToolCalled::statusCode)
                .containsExactly(0, 2, 2);
        assertThat(reward().value()).isEqualTo(1);
        assertThat(KeptSinkProvider.events(RunEnded.class))
                .extracting(end -> String.valueOf(end.finalAnswer()))
                .containsExactly("done");
        assertThat(task.resolve("environment/kept")).doesNotExist();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "exit 0 | 1",
                "exit 3 | 0",
                "echo 0.25 > /logs/verifier/reward.txt; exit 1 | 0.25",
                "echo -2 > /logs/verifier/reward.txt | -2",
                "echo '{\"score\": 0.5}' > /logs/verifier/reward.json | 0.5",
                "echo '{\"reward\": 0.75, \"time\": 3}' > /logs/verifier/reward.json; exit 1 | 0.75",
                "cd /logs/verifier; echo 0 > reward.txt; echo '{\"reward\": 1}' > reward.json | 0"
            })
    void reward_isTheVerifiers(String verifier, double reward) throws IOException {
        task("judged", verifier);

        Cli run = run(agent());

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(reward().value()).isEqualTo(reward);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "sleep 60 | the verifier ran longer than 1 s",
                "kill -9 -1 | the verifier ended its interpreter: killed by signal 9",
                "kill -9 $$ | the verifier was killed by signal 9",
                "no-such-program | the verifier could not start a program: exit code 127",
                "echo good > /logs/verifier/reward.txt | the verifier's reward.txt has no number",
                "echo nan > /logs/verifier/reward.txt | the verifier's reward.txt has no number",
                "echo NaN > /logs/verifier/reward.txt | the verifier's reward.txt says NaN",
                "echo '[1]' > /logs/verifier/reward.json | the verifier's reward.json is no object of numbers",
                "echo '{\"a\": \"x\"}' > /logs/verifier/reward.json | the verifier's reward.json is no object of numbers",
                "echo '{\"a\": 1, \"b\": 0}' > /logs/verifier/reward.json | the verifier's reward.json has no \"reward\", and 2 numbers",
                "ln -s /etc/hostname /logs/verifier/reward.txt | the verifier's reward.txt is no file, or a large one",
                "truncate -s 2M /logs/verifier/reward.txt | the verifier's reward.txt is no file, or a large one"
            })
    void reward_thatCannotBeTold_isAbsent(String verifier, String reason) throws IOException {
        Path task = task("judged", verifier);
        Files.writeString(task.resolve("task.toml"), "[verifier]\ntimeout_sec = 1.0\n[other]\nx = 1\n");

        Cli run = run(agent(), "--json");

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out()).contains("\"runs_without_usable_reward\":1");
        assertThat(reward().value()).isNaN();
        assertThat(String.valueOf(reward().absence())).contains(reason);
        assertThat(KeptSinkProvider.events(RunEnded.class)).noneMatch(RunEnded::solved);
    }

    @Test
    void absentReward_isAbsentInASum() throws IOException {
        task("judged", "kill -9 $$");

        run(agent(), "--reward", "environment=1.0");

        assertThat(String.valueOf(reward().absence())).contains("environment: the verifier was killed by signal 9");
    }

    @Test
    void tests_areNeitherSeenNorAlteredByTheAgent() throws IOException {
        Path task = task("secret", "touch /tests/x 2>/dev/null && exit 1; [ -e /tests/test.sh ] && [ ! -e /solution ]");
        Files.createDirectories(task.resolve("solution"));
        Files.writeString(task.resolve("solution/solve.sh"), "true\n");

        run(agent(
                "ls /tests /solution /logs",
                "ls " + task,
                "mkdir -p /logs/verifier && echo 5 > /logs/verifier/reward.txt",
                "mkdir /tests",
                "grep -r secret /app /tmp"));

        assertThat(KeptSinkProvider.events(ToolCalled.class)).hasSize(5).allMatch(ToolCalled::failed);
        assertThat(outputs().get(2)).contains("Read-only file system");
        assertThat(outputs().get(3)).contains("Read-only file system");
        assertThat(reward().value()).isEqualTo(1);
        assertThat(task.resolve("tests")).isDirectoryNotContaining("glob:**x");
    }

    @Test
    void network_cannotBeReached() throws IOException {
        task("net", ALWAYS);
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            run(agent("echo > /dev/tcp/127.0.0.1/" + server.getLocalPort(), "true"));
        }

        assertThat(outputs().get(0)).contains("Connection refused");
        assertThat(KeptSinkProvider.events(ToolCalled.class))
                .extracting(ToolCalled::failed)
                .containsExactly(true, false);
    }

    @Test
    void processes_areDeadAfterwards() throws IOException {
        task("background", "sleep 98765 & disown; exit 0");

        Cli run = run(agent(
                "(setsid sleep 98765 &) ; sleep 98765 & echo started", "cat /proc/[0-9]*/cmdline | tr '\\0' ' '"));

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(outputs().get(0)).isEqualTo("started\n");
        assertThat(outputs().get(1)).doesNotContain("98765");
        assertThat(reward().value()).isEqualTo(1);
        assertThat(ProcessHandle.allProcesses())
                .noneMatch(process -> process.info().commandLine().orElse("").contains("98765"));
    }

    @Test
    void commandThatTakesTooLong_isEnded_andFilesStay() throws IOException {
        task("slow", "[ -e kept ]");

        run(agent("touch kept; echo begun; sleep 60", "ls"), "--exec-timeout", "1s");

        List<ToolCalled> calls = KeptSinkProvider.events(ToolCalled.class);
        assertThat(calls).extracting(ToolCalled::statusCode).containsExactly(4, 0);
        assertThat(String.valueOf(calls.get(0).error()))
                .isEqualTo("The command ran longer than 1 s. Files in the work folder stay.");
        assertThat(outputs()).containsExactly("begun\n", "kept\n");
        assertThat(reward().value()).isEqualTo(1);
    }

    @Test
    void limits_areThoseOfTheOptions() throws IOException {
        task("limits", ALWAYS);

        run(
                agent(
                        "seq 100000; echo end",
                        "for i in $(seq 40); do sleep 20 & done; wait",
                        "head -c 100M /dev/zero > large",
                        "x=" + "y".repeat(200_000),
                        "echo fine"),
                "--max-output",
                "1000",
                "--exec-processes",
                "16");

        List<ToolCalled> calls = KeptSinkProvider.events(ToolCalled.class);
        assertThat(outputs().get(0))
                .hasSizeLessThan(1_100)
                .startsWith("1\n2\n")
                .contains("bytes left out")
                .endsWith("end\n");
        assertThat(calls.get(0).failed()).isFalse();
        // The kernel refuses where it counts them, which is not for root; else the harness does.
        assertThat(calls.get(1).error() + outputs().get(1)).containsAnyOf("started more than 16 processes", "fork");
        assertThat(String.valueOf(calls.get(2).error())).isIn("exit code 153", "killed by signal 25"); // SIGXFSZ
        assertThat(String.valueOf(calls.get(3).error())).contains("could not be started", "Argument list too long");
        assertThat(outputs().get(4)).isEqualTo("fine\n");
    }

    @Test
    void timeOfTheTask_endsTheEpisode_andItsStateIsJudged() throws IOException {
        Path task = task("timed", "[ -e kept ]");
        Files.writeString(task.resolve("task.toml"), "[agent]\ntimeout_sec = 1\n");

        run(agent("touch kept; sleep 1.2; echo slept", "rm kept"));

        assertThat(KeptSinkProvider.events(StepEnded.class))
                .singleElement()
                .satisfies(step -> assertThat(String.valueOf(step.error())).isEqualTo("the task's time is over"));
        assertThat(outputs()).containsExactly("slept\n");
        assertThat(reward().value()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"environment", "sum"})
    void stateAtTheStepLimit_isJudged(String rewards) throws IOException {
        task("cut", "[ -e kept ]; echo judged");
        List<String> more = new ArrayList<>(List.of("--max-steps", "2"));
        if (rewards.equals("sum")) {
            more.addAll(List.of("--reward", "environment=0.5"));
        }

        run(agent("true", "touch kept", "rm kept"), more.toArray(String[]::new));

        assertThat(reward().value()).isEqualTo(rewards.equals("sum") ? 0.5 : 1);
        RunEnded end = KeptSinkProvider.events(RunEnded.class).get(0);
        assertThat(end.finalAnswer()).isNull();
        assertThat(String.valueOf(end.terminationReason())).contains("max_steps");
        assertThat(KeptSinkProvider.events(StepEnded.class).get(1).output().text())
                .isEqualTo("judged\n");
    }

    @Test
    void words_areBlocksOfCommands_orTheEnd() throws IOException {
        task("words", "[ -e kept ]");
        Path script = Files.writeString(folder.resolve("talker.sh"), """
                read -r seen; printf '%s\\n' '{"text":"I make it:\\n```bash\\ntouch kept\\n```\\nSo."}'
                read -r seen; echo '{"text":"It is there."}'
                read -r seen
                """);

        run("exec.command=sh '" + script + "'");

        assertThat(KeptSinkProvider.events(StepEnded.class))
                .extracting(StepEnded::actionType)
                .containsExactly("bash", "submit");
        assertThat(reward().value()).isEqualTo(1);
    }

    @Test
    void workdir_isTheTasks() throws IOException {
        Path task = task("elsewhere", "[ \"$PWD\" = /srv/work ]");
        Files.writeString(task.resolve("task.toml"), "[environment]\nworkdir = \"/srv/work\"\n");

        run(agent("pwd"), "--dataset", task.toString());

        assertThat(outputs()).containsExactly("/srv/work\n");
        assertThat(reward().value()).isEqualTo(1);
    }

    @Test
    void tasks_areChosenByTheirIds_andBadOnesPassedOver() throws IOException {
        task("a", ALWAYS);
        task("b", ALWAYS);
        Files.createDirectories(tasks.resolve("c"));
        Files.createDirectories(tasks.resolve(".git"));

        assertThat(run(agent()).err()).contains("c has no instruction.md", "--skip-bad-lines");
        Cli run = run(agent(), "--skip-bad-lines", "--sample-id", "b");

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.err()).contains("passed over bad lines: 1");
        assertThat(KeptSinkProvider.events(RunStarted.class))
                .extracting(start -> start.run().correlation().sample()
                        + start.run().correlation().row())
                .containsExactly("b2");
    }

    @Test
    void sandbox_canBeLeftOut_whichIsSaid() throws Exception {
        task("bare", "[ -e kept ]");
        Logger log = (Logger) LoggerFactory.getLogger("dev.rlm.runner.taskfolder");
        ListAppender<ILoggingEvent> said = new ListAppender<>();
        said.start();
        log.addAppender(said);
        Cli left = run(
                agent("touch kept; pwd > '" + folder.resolve("where") + "'"),
                "--set",
                "task-folder.sandbox=none",
                "--json");
        assertThat(left.exitCode()).as(left.err()).isZero();
        assertThat(left.out()).contains("\"solved\":1");
        log.detachAppender(said);
        assertThat(said.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .asString()
                .contains("the agent's commands run without a sandbox, and may do all that you may");
        Path work = Path.of(Files.readString(folder.resolve("where")).strip());
        assertThat(work.toString()).contains("rlm-task-");
        assertThat(work).doesNotExist();
        assertThat(run(agent(), "--unsafe-exec").err())
                .contains("--unsafe-exec: the agent's code runs without a sandbox");

        task("bare", "echo 1 > /logs/verifier/reward.txt");
        assertThat(run(agent(), "--unsafe-exec").err()).contains("which only a sandbox has");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--dataset TASKS/none | TASKS/none is not there: --env task-folder wants a folder",
                "--dataset TASKS/file | TASKS/file is no folder",
                "--dataset TASKS/empty | TASKS/empty has no task in it: expected folders with instruction.md and tests/test.sh",
                "--dataset TASKS/untested | TASKS/untested has no tests/test.sh",
                "--dataset TASKS/toml | task.toml, line 2: no TOML: ",
                "--dataset TASKS/time | [agent] timeout_sec = -1 is not valid: expected a number of seconds above 0",
                "--dataset TASKS/word | [verifier] timeout_sec = soon is not valid: expected a number of seconds above 0",
                "--dataset TASKS/place | workdir = /usr/x is a place of the system's",
                "--dataset TASKS/path | workdir = x/../y is not valid: expected a path like /app",
                "--set task-folder.color=red | task-folder.color is unknown: task-folder has sandbox",
                "--set task-folder.sandbox=vm | expected one of auto, docker, bubblewrap, none",
                "--set task-folder.sandbox=bubblewrap --unsafe-exec | exclude each other",
                "--exec-memory 1 | --exec-memory=1 is not valid"
            })
    void inputThatIsWrong_isRefused(String options, String message) throws IOException {
        Files.createFile(tasks.resolve("file"));
        Files.createDirectory(tasks.resolve("empty"));
        Files.writeString(Files.createDirectory(tasks.resolve("untested")).resolve("instruction.md"), "x");
        Files.writeString(task("toml", ALWAYS).resolve("task.toml"), "[agent]\ntimeout_sec == 1\n");
        Files.writeString(task("time", ALWAYS).resolve("task.toml"), "[agent]\ntimeout_sec = -1\n");
        Files.writeString(task("word", ALWAYS).resolve("task.toml"), "[verifier]\ntimeout_sec = \"soon\"\n");
        Files.writeString(task("place", ALWAYS).resolve("task.toml"), "[environment]\nworkdir = \"/usr/x\"\n");
        Files.writeString(task("path", ALWAYS).resolve("task.toml"), "[environment]\nworkdir = \"x/../y\"\n");

        Cli run = run(agent(), options.replace("TASKS", tasks.toString()).split(" ", -1));

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).startsWith("rlm: ").contains(message.replace("TASKS", tasks.toString()));
    }

    @Test
    void dataset_isRequired_andASolutionForTheScript() throws IOException {
        assertThat(Cli.run("run", "--env", "task-folder").err()).contains("--env task-folder wants --dataset FOLDER");
        task("open", ALWAYS);
        assertThat(Cli.run("run", "--env", "task-folder", "--dataset", tasks.toString())
                        .err())
                .contains("knows no solution of", "expected solution/solve.sh");
    }
}
