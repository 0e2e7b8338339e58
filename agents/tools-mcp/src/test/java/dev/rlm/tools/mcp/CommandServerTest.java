package dev.rlm.tools.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.rlm.episodes.SetupException;
import dev.rlm.episodes.ToolAddress;
import dev.rlm.sinks.event.RunStatus;
import dev.rlm.sinks.event.ToolCalled;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Servers that are programs: real processes, by the official SDK and by hand, and all that can go wrong with them. */
@DisabledOnOs(OS.WINDOWS) // needs sh
class CommandServerTest {
    @Test
    void toolsOfTheSdksServer_areCalled_andTheCallsTellTheProtocol() throws Exception {
        try (Rig rig = Rig.of(SdkServer.class)) {
            assertThat(rig.names()).containsExactlyInAnyOrder("echo", "meta", "fail", "mixed", "structured");
            assertThat(rig.tool("echo").spec().description()).isEqualTo("The tool echo");
            assertThat(rig.tool("echo").spec().inputSchema())
                    .contains("\"properties\":{\"text\":{\"type\":\"string\"}}");
            assertThat(rig.call("echo", "{\"text\":\"ä\"}")).isEqualTo("{text=ä}");

            ToolCalled call = rig.recorded().get(0);
            assertThat(call.provider()).isEqualTo(ToolCalled.MCP);
            assertThat(call.attributes())
                    .containsOnlyKeys("network.transport", "jsonrpc.request.id", "mcp.protocol.version")
                    .containsEntry("network.transport", "pipe")
                    .containsEntry("mcp.protocol.version", "2025-11-25");
        }
    }

    @Test
    void results_areOneText_andWhatIsNoTextIsToldOf() throws Exception {
        try (Rig rig = Rig.of(SdkServer.class)) {
            assertThat(rig.call("mixed", "")).isEqualTo("""
                            first
                            [image, image/png, 3 bytes]
                            [audio, audio/wav, 2 bytes]
                            inside
                            [resource file:///b, unknown type, 1 bytes]
                            [resource file:///c]
                            last""");
            assertThat(rig.call("structured", "{}")).isEqualTo("{\"answer\":42}");
        }
    }

    @Test
    void server_isToldTheTrace() throws Exception {
        try (Rig rig = Rig.of(SdkServer.class)) {
            assertThat(rig.call("meta", "{}")).contains("\"baggage\":\"" + rig.traceParent());
        }
    }

    @Test
    void toolThatSaysItFailed_isTheAgentsToSee() {
        try (Rig rig = Rig.of(SdkServer.class)) {
            assertThat(rig.failure("fail", "{}"))
                    .hasMessage("no such file")
                    .extracting("code")
                    .isEqualTo(RunStatus.UNKNOWN);
            assertThat(rig.recorded().get(0).attributes()).containsEntry("error.type", "tool_error");
        }
    }

    @Test
    void callThatTheServerRefuses_tellsItsCode() {
        try (Rig rig = Rig.of(RawServer.class)) {
            assertThat(rig.failure("refuse", "{}"))
                    .hasMessage("what is that?")
                    .extracting("code")
                    .isEqualTo(RunStatus.INVALID_ARGUMENT);
            assertThat(rig.failure("echo", "{\"text\":")).hasMessage("the arguments are no JSON object");
            assertThat(rig.recorded().get(0).attributes())
                    .containsEntry("error.type", "-32602")
                    .containsEntry("rpc.response.status_code", "-32602");
        }
    }

    @Test
    void allPages_areRead_andWhatIsNoMessageIsPassedOver() throws Exception {
        try (Rig rig = Rig.of(RawServer.class, "greet")) {
            assertThat(rig.names()).hasSize(11).contains("echo", "refuse");
            assertThat(rig.call("echo", "{\"text\":\"€ \\n\"}")).isEqualTo("€ \n");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "die, it has ended with exit code 3; it said: no such database",
        "none, it offers no tools",
    })
    void serverThatIsNone_isAnErrorOfOneLine(String fault, String message) {
        assertThat(error(Rig.command(RawServer.class, fault), Rig.PATIENCE)).isEqualTo(message);
        assertThat(ProcessHandle.current().descendants().filter(ProcessHandle::isAlive))
                .isEmpty();
    }

    @Tag("thorough")
    @Test
    void serverThatDoesNotAnswer_isWaitedForSoLong_andWhatItSaidIsTold() {
        String babble = "sh -c 'echo Welcome!; echo Listening on port 3000 >&2; exec sleep 1000'";

        assertThat(error(babble, Duration.ofSeconds(2)))
                .startsWith("it did not answer in time; it said: ")
                .contains("Welcome!", "Listening on port 3000");
        assertThat(ProcessHandle.current().descendants().filter(ProcessHandle::isAlive))
                .isEmpty();
    }

    private static String error(String command, Duration time) {
        ToolAddress address = new ToolAddress("db", command, Map.of(), null, time, Rig.PATIENCE);
        SetupException error = catchThrowableOfType(SetupException.class, () -> Rig.of(address));
        assertThat(error).hasMessageStartingWith("the MCP server 'db' cannot be used: ");
        return String.valueOf(error.getMessage()).substring("the MCP server 'db' cannot be used: ".length());
    }

    @Test
    void commandThatIsNone_isToldWithoutItsArguments() {
        assertThatThrownBy(() -> Rig.of(Rig.address("/no/such-server --key s3cret")))
                .isInstanceOf(SetupException.class)
                .hasMessageContaining("'such-server'")
                .hasMessageContaining("No such file")
                .hasMessageNotContaining("s3cret");
    }

    @Test
    void environment_isWhatAnyProgramNeeds_andWhatWasGiven() throws Exception {
        Map<String, String> given = Map.of("DB_URL", "postgres://x");
        ToolAddress address =
                new ToolAddress("", Rig.command(RawServer.class), given, null, Rig.PATIENCE, Rig.PATIENCE);
        try (Rig rig = Rig.of(address)) {
            String seen = rig.call("env", "{}");

            assertThat(seen).contains("DB_URL=postgres://x", "PATH=");
            System.getenv().keySet().stream()
                    .filter(name -> name.matches("MAVEN_.*|.*(KEY|TOKEN|SECRET).*|JAVA_HOME|PWD"))
                    .forEach(name -> assertThat(seen).doesNotContain(name + "="));
        }
    }

    @Tag("thorough")
    @Test
    void callThatTakesTooLong_isCalledOff_andTheServerGoesOn() throws Exception {
        try (Rig rig = Rig.of(Rig.address(Rig.command(RawServer.class), Duration.ofSeconds(1)))) {
            assertThat(rig.failure("hang", "{}"))
                    .hasMessageContaining("did not answer in time")
                    .extracting("code")
                    .isEqualTo(RunStatus.DEADLINE_EXCEEDED);
            await().atMost(Rig.PATIENCE)
                    .untilAsserted(
                            () -> assertThat(rig.call("called_off", "{}")).contains("it took too long"));
        }
    }

    @Test
    void interrupt_endsTheWait_andCallsTheCallOff() throws Exception {
        try (Rig rig = Rig.of(RawServer.class)) {
            ExecutorService pool = Executors.newSingleThreadExecutor();
            Future<String> hanging = pool.submit(() -> rig.call("hang", "{}"));
            await().atMost(Rig.PATIENCE)
                    .untilAsserted(() -> assertThat(rig.call("waiting", "{}")).isEqualTo("1"));
            pool.shutdownNow();

            assertThatThrownBy(() -> hanging.get(60, TimeUnit.SECONDS)).hasCauseInstanceOf(InterruptedException.class);
            await().atMost(Rig.PATIENCE)
                    .untilAsserted(
                            () -> assertThat(rig.call("called_off", "{}")).contains("not wanted"));
        }
    }

    @Tag("thorough")
    @Test
    void serverThatDies_failsItsCalls_andIsStartedAgainSoOften() throws Exception {
        try (Rig rig = Rig.of(RawServer.class)) {
            for (int i = 0; i < 4; i++) {
                assertThat(rig.failure("die", "{}"))
                        .hasMessageContaining("it has ended with exit code 7")
                        .extracting("code")
                        .isEqualTo(RunStatus.UNAVAILABLE);
            }
            assertThat(rig.failure("echo", "{}"))
                    .hasMessageContaining("it has ended, and was started again 3 times in vain; it said:")
                    .hasMessageEndingWith("out of memory, say");
        }
    }

    @Tag("thorough")
    @Test
    void serverThatDied_isThereAgain_forAllRuns() throws Exception {
        try (Rig rig = Rig.of(RawServer.class)) {
            for (int i = 0; i < 5; i++) {
                rig.failure("die", "{}");
                assertThat(together(4, () -> rig.call("echo", "{\"text\":\"x\"}")))
                        .containsOnly("x");
            }
        }
    }

    @Test
    void manyCallsAtOnce_getTheirOwnAnswers() throws Exception {
        try (Rig rig = Rig.of(RawServer.class)) {
            List<Callable<String>> calls = IntStream.range(0, 200)
                    .<Callable<String>>mapToObj(i -> () -> rig.call("echo", "{\"text\":\"" + i + "\"}"))
                    .toList();

            assertThat(together(calls))
                    .containsExactlyElementsOf(
                            IntStream.range(0, 200).mapToObj(Integer::toString).toList());
        }
    }

    @Test
    void hugeResult_isWhole_andOneThatNobodyCanHoldIsAFault() throws Exception {
        try (Rig rig = Rig.of(RawServer.class)) {
            assertThat(rig.call("huge", "{\"size\":3000000}")).isEqualTo("€".repeat(3_000_000));
            assertThat(rig.failure("endless", "{}")).hasMessageContaining("it sent a message of more than 16 MiB");
            assertThat(rig.call("echo", "{\"text\":\"again\"}")).isEqualTo("again");
        }
    }

    @Tag("thorough")
    @Test
    void serverThatReadsNoMore_holdsNobody() {
        Rig rig = Rig.of(Rig.address(Rig.command(RawServer.class), Duration.ofSeconds(1)));
        try {
            String large = "{\"text\":\"" + "x".repeat(1 << 20) + "\"}";
            for (String call : List.of("deaf", "echo", "echo")) {
                assertThat(rig.failure(call, large)).extracting("code").isEqualTo(RunStatus.DEADLINE_EXCEEDED);
            }
        } finally {
            rig.close();
        }
        assertThat(ProcessHandle.current().descendants().filter(ProcessHandle::isAlive))
                .isEmpty();
    }

    @Tag("thorough")
    @Test
    void close_leavesNoProcess() throws Exception {
        List<ProcessHandle> children;
        try (Rig rig = Rig.of(RawServer.class)) {
            children = Stream.of(rig.call("children", "{}").split(" "))
                    .map(pid -> ProcessHandle.of(Long.parseLong(pid)).orElseThrow())
                    .toList();
            assertThat(children).hasSize(2).allMatch(ProcessHandle::isAlive);
        }
        await().atMost(Rig.PATIENCE).untilAsserted(() -> assertThat(children).noneMatch(ProcessHandle::isAlive));
        assertThat(ProcessHandle.current().descendants().filter(ProcessHandle::isAlive))
                .isEmpty();
    }

    private static List<String> together(int times, Callable<String> call) throws Exception {
        return together(IntStream.range(0, times).mapToObj(i -> call).toList());
    }

    private static List<String> together(List<Callable<String>> calls) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(16);
        try {
            List<String> answers = new ArrayList<>();
            for (Future<String> answer : pool.invokeAll(calls)) {
                answers.add(answer.get());
            }
            return answers;
        } finally {
            pool.shutdownNow();
        }
    }
}
