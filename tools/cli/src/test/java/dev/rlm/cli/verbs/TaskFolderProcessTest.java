package dev.rlm.cli.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rlm.cli.launcher.RlmProcess;
import dev.rlm.cli.testkit.Cli;
import dev.rlm.cli.testkit.KeptSinkProvider;
import dev.rlm.cli.testkit.Programs;
import dev.rlm.json.Json;
import dev.rlm.sinks.event.ToolCalled;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs of {@code --env task-folder} as processes: their variables, the programs on their path, and how they end. */
@Timeout(180)
@Tag("thorough")
class TaskFolderProcessTest {
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

    /** Returns variables of a program whose temporary files are in a folder of this test. */
    private Map<String, String> tmp() throws IOException {
        return Map.of("JAVA_TOOL_OPTIONS", "-Djava.io.tmpdir=" + Files.createDirectory(folder.resolve("tmp")));
    }

    @Test
    void homeAndVariables_areNotSeen() throws Exception {
        Path home = Path.of(System.getProperty("user.home"));
        task("spy", "! env | grep -i planted && ! grep -i planted seen && [ -s seen ]");
        String spy = "env > seen; cat /proc/*/environ >> seen 2>/dev/null; ls -A /home " + home
                + "/.m2 2>/dev/null; cat /etc/passwd";
        try (RlmProcess rlm = RlmProcess.start(
                folder,
                Map.of("OPENAI_API_KEY", "planted-key", "PLANTED", "1"),
                arguments(agent(spy), "--json").toArray(String[]::new))) {
            rlm.awaitSuccess();
            assertThat(rlm.out()).contains("\"solved\":1");
        }
        Cli.run(arguments(agent(spy)).toArray(String[]::new));
        assertThat(KeptSinkProvider.events(ToolCalled.class).stream()
                        .map(call -> call.result().text()))
                .containsExactly("cat: /etc/passwd: No such file or directory\n");
    }

    @Test
    void killedJob_isGoneOnWith() throws Exception {
        task("a", ALWAYS);
        task("b", ALWAYS);
        Path go = folder.resolve("go");
        Path blocked = folder.resolve("blocked");
        Path script = Files.writeString(
                folder.resolve("slow.sh"),
                "read -r seen\nif [ \"$RLM_SAMPLE_ID\" = b ] && [ ! -e '" + go + "' ]; then touch '" + blocked
                        + "'; sleep 600; fi\necho '{\"type\":\"bash\",\"code\":\"echo worked\"}'\nread -r seen\necho '{\"text\":\"done\"}'\nread -r seen\n");
        Path journal = folder.resolve("journal");
        List<String> arguments =
                arguments("exec.command=sh '" + script + "'", "--concurrency", "1", "--journal", journal.toString());
        try (RlmProcess rlm = RlmProcess.start(folder, tmp(), arguments.toArray(String[]::new))) {
            rlm.await(() -> Files.exists(blocked));
            rlm.process().destroyForcibly();
            assertThat(rlm.process().waitFor(30, TimeUnit.SECONDS)).isTrue();
        }
        Files.createFile(go);
        arguments.add("--resume");
        arguments.add("--json");
        try (RlmProcess rlm = RlmProcess.start(folder, Map.of(), arguments.toArray(String[]::new))) {
            rlm.awaitSuccess();
            assertThat(rlm.out()).contains("\"size\":2,\"resumed\":1", "\"solved\":2");
        }
        Cli listed = Cli.with(Map.of(), "list", "--journal", journal.toString(), "--json");
        assertThat(listed.out()).contains("\"task\":\"Do a.\"", "\"task\":\"Do b.\"", "\"total_reward\":1.0");
        Cli shown = Cli.with(Map.of(), "show", "last", "--journal", journal.toString(), "--json");
        assertThat(shown.out()).contains("\"tool\":\"bash\"", "worked", "\"action_type\":\"submit\"");
    }

    @Test
    void machineWithoutBubblewrap_isRefused() throws Exception {
        Files.createSymbolicLink(Files.createDirectory(folder.resolve("bin")).resolve("python3"), Programs.python());
        task("any", ALWAYS);
        try (RlmProcess rlm = RlmProcess.start(
                folder, Map.of("PATH", folder + "/bin"), arguments(agent()).toArray(String[]::new))) {
            assertThat(rlm.process().waitFor()).isEqualTo(2);
            assertThat(rlm.err())
                    .startsWith("rlm: --env task-folder needs a sandbox, and bubblewrap does not work here (")
                    .contains("apt-get install bubblewrap", "--unsafe-exec");
        }
    }

    @Test
    void docker_isUsedForItsTasks() throws Exception {
        Path task = task(
                "image", "echo judged; [ -e kept ] && echo 0.5 > /logs/verifier/reward.txt; [ -e /tests/test.sh ]");
        Files.writeString(
                Files.createDirectory(task.resolve("environment")).resolve("Dockerfile"),
                "FROM scratch\nWORKDIR /app\n");
        task("plain", ALWAYS);
        Path docker = Files.createDirectory(folder.resolve("bin")).resolve("docker");
        Files.copy(Objects.requireNonNull(TaskFolderProcessTest.class.getResourceAsStream("docker")), docker);
        assertThat(docker.toFile().setExecutable(true)).isTrue();
        Map<String, String> variables = Map.of(
                "PATH",
                folder.resolve("bin") + ":" + System.getenv("PATH"),
                "STUB",
                folder.resolve("stub").toString());
        String[] arguments = arguments(
                        agent("touch kept; echo made; exit 3", "sleep 60"), "--exec-timeout", "1s", "--json")
                .toArray(String[]::new);
        try (RlmProcess rlm = RlmProcess.start(folder, variables, arguments)) {
            rlm.awaitSuccess();
            assertThat(rlm.out()).contains("\"runs\":2,\"completed\":2", "\"solved\":1", "\"total_reward\":1.5");
        }
        List<String> calls = Files.readAllLines(folder.resolve("stub/calls"));
        String name = calls.get(2).replaceFirst(".*--name (rlm-\\S+) .*", "$1");
        assertThat(calls)
                .containsExactly(
                        "version",
                        "build --quiet " + task.toRealPath().resolve("environment"),
                        "run --detach --name " + name
                                + " --network none --memory 1024m --pids-limit 64 --entrypoint sleep sha256:stub infinity",
                        "exec " + name + " timeout -s KILL 1 bash -c touch kept; echo made; exit 3",
                        "exec " + name + " timeout -s KILL 1 bash -c sleep 60",
                        "exec " + name + " sh -c rm -rf /tests /logs/verifier && mkdir -p /logs/verifier",
                        "cp " + task.toRealPath().resolve("tests") + " " + name + ":/tests",
                        "exec " + name + " timeout -s KILL 600 bash /tests/test.sh",
                        calls.get(8),
                        "rm --force --volumes " + name);
        assertThat(calls.get(8)).startsWith("cp " + name + ":/logs/verifier/. /");
    }

    @Test
    void docker_thatDoesNotAnswer_isRefusedOrDoneWithout() throws Exception {
        Path task = task("image", ALWAYS);
        Files.writeString(Files.createDirectory(task.resolve("environment")).resolve("Dockerfile"), "FROM scratch\n");
        Path docker = Files.createDirectory(folder.resolve("bin")).resolve("docker");
        Files.writeString(docker, "#!/bin/sh\nexit 1\n");
        assertThat(docker.toFile().setExecutable(true)).isTrue();
        Map<String, String> variables = Map.of("PATH", folder.resolve("bin") + ":" + System.getenv("PATH"));
        try (RlmProcess rlm = RlmProcess.start(
                folder,
                variables,
                arguments(agent(), "--set", "task-folder.sandbox=docker").toArray(String[]::new))) {
            assertThat(rlm.process().waitFor()).isEqualTo(2);
            assertThat(rlm.err()).startsWith("rlm: --set task-folder.sandbox=docker: no docker on the PATH answers");
        }
        try (RlmProcess rlm = RlmProcess.start(
                folder, variables, arguments(agent("ls"), "--json").toArray(String[]::new))) {
            rlm.awaitSuccess();
            assertThat(rlm.out()).contains("\"solved\":1");
            assertThat(rlm.err()).contains("1 of 1 tasks have a Dockerfile, and are run without Docker");
        }
    }

    @Test
    void interruptedJob_leavesNothing() throws Exception {
        task("long", ALWAYS);
        try (RlmProcess rlm =
                RlmProcess.start(folder, tmp(), arguments(agent("sleep 87654")).toArray(String[]::new))) {
            rlm.await(() -> rlm.process()
                    .descendants()
                    .anyMatch(each -> each.info().commandLine().orElse("").contains("87654")));
            rlm.signal("INT");
            assertThat(rlm.process().waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(rlm.process().exitValue()).isEqualTo(130);
        }
        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertThat(ProcessHandle.allProcesses())
                        .noneMatch(each -> each.info().commandLine().orElse("").contains("87654")));
        assertThat(folder.resolve("tmp")).isDirectoryNotContaining("glob:**rlm-*");
    }
}
