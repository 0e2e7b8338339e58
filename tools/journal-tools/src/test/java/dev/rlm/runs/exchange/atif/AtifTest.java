package dev.rlm.runs.exchange.atif;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.rlm.cli.testkit.Cli;
import dev.rlm.journal.Journal;
import dev.rlm.journal.RunSummary;
import dev.rlm.runs.exchange.Exchange;
import dev.rlm.sinks.ModelCall;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.ToolCall;
import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.event.Message;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEndedBuilder;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.TokenTrace;
import dev.rlm.sinks.event.ToolCalled;
import dev.rlm.sinks.testkit.Events;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Runs as trajectories of ATIF, and trajectories of ATIF as runs, by {@code rlm export} and {@code rlm import}. */
@Timeout(180)
class AtifTest {
    private static final JsonMapper JSON = new JsonMapper();
    private static final String SECRET = "hunter2-secret";

    private static final String POLICY = "Help customers with their orders, and only with these. ".repeat(3);

    /** Chats such as tau-bench's: a policy, a user, tools. */
    private static final String CHATS = """
            {"run_id": "tau-1", "sample_id": "s-1", "trial": 0, "model": "m", "reward": 1, "environment": "retail",
             "messages": [{"role": "system", "content": "%1$s"}, {"role": "user", "content": "Return 17, please."},
              {"role": "assistant", "content": null, "tool_calls": [{"id": "a", "type": "function",
                "function": {"name": "get_order", "arguments": "{\\"id\\":  17}"}}]},
              {"role": "tool", "tool_call_id": "a", "content": "Error: no order"},
              {"role": "assistant", "content": "There is none."}, {"role": "user", "content": "###STOP###"}],
             "timestamps": [1772359201, 1772359202, 1772359203.5, 1772359204, 1772359205, 1772359206],
             "metadata": {"lr": 0.5}, "seed": 7, "expected_answer": "none"}
            {"run_id": "tau-2", "sample_id": "s-1", "trial": 1, "model": "m", "reward": 0, "environment": "retail",
             "messages": [{"role": "system", "content": "%1$s"}, {"role": "user", "content": "hi"},
              {"role": "assistant", "content": "hello"}]}
            {"run_id": "tau-3", "outcome": "abandoned", "reward": null, "messages": []}
            """.replace("\n ", " ");

    /** A trajectory of another program, of an early version. */
    private static final String FOREIGN = """
            {
              "schema_version": "ATIF-v1.4", "session_id": "025B810F", "notes": "searched twice",
              "agent": {"name": "harbor-agent", "version": "1.0", "model_name": "gemini", "extra": {"x": 1},
                "tool_definitions": [{"type": "function", "function": {"name": "search"}}]},
              "steps": [
                {"step_id": 1, "timestamp": "2025-10-11T10:30:00Z", "source": "system", "message": "Be brief.",
                 "observation": {"results": [{"content": "a container started"}]}},
                {"step_id": 2, "timestamp": "2025-10-11T10:30:00.5+00:00", "source": "user",
                 "message": [{"type": "text", "text": "What does it cost?"},
                  {"type": "image", "source": {"media_type": "image/png", "path": "images/a.png"}}]},
                {"step_id": 3, "timestamp": "2025-10-11T10:30:02Z", "source": "agent", "message": "I search.",
                 "reasoning_content": "Two numbers.", "reasoning_effort": "medium", "model_name": "gemini-pro",
                 "tool_calls": [
                  {"tool_call_id": "c1", "function_name": "search", "arguments": {"metric": "price"}},
                  {"tool_call_id": "c2", "function_name": "search", "arguments": {}}],
                 "observation": {"results": [
                  {"source_call_id": "c1", "content": "185.35"}, {"source_call_id": "c2", "content": "Error: empty"}]},
                 "metrics": {"prompt_tokens": 520, "completion_tokens": 3, "cached_tokens": 200, "cost_usd": 0.25,
                  "prompt_token_ids": [1, 2], "completion_token_ids": [3, 4, 5], "logprobs": [-0.1, -0.5, 0.0],
                  "extra": {"reasoning_tokens": 2, "queue_ms": 7}},
                 "extra": {"foo": [1, 2]}},
                {"step_id": 4, "timestamp": "2025-10-11T10:30:05Z", "source": "agent", "message": "",
                 "tool_calls": [
                  {"tool_call_id": "c3", "function_name": "bash", "arguments": {"keys": "ls"}},
                  {"tool_call_id": "c4", "function_name": "bash", "arguments": {"keys": "pwd"}}],
                 "observation": {"results": [{"content": "one screen of both"}]}}
              ],
              "final_metrics": {"total_prompt_tokens": 520, "total_completion_tokens": 3, "total_cached_tokens": 200,
               "total_cost_usd": 0.75, "total_steps": 9, "extra": {"k": "v"}},
              "extra": {"trial": "t-1"}
            }
            """;

    @TempDir
    private Path folder;

    private Exchange exchange;
    private Exchange other;

    @BeforeEach
    void chooseJournals() {
        exchange = new Exchange(folder.resolve("journal"));
        other = new Exchange(folder.resolve("other"));
    }

    @Test
    void runs_areTheSame_behindExportAndImport() throws IOException {
        succeed(exchange.run("import", write("chats.jsonl", CHATS.formatted(POLICY))));
        exportFrom(exchange);

        assertThat(succeed(other.run("import", "--format", "atif", out().toString()))
                        .out())
                .startsWith("imported 3 runs\n");

        assertThat(report(other)).isEqualTo(report(exchange));
        assertThat(events(other)).isEqualTo(events(exchange)).hasSize(3);
        JsonNode first = trajectory("tau-1");
        assertThat(first.path("schema_version").asString()).isEqualTo("ATIF-v1.7");
        assertThat(first.path("steps")
                        .valueStream()
                        .map(step -> step.path("source").asString()))
                .containsExactly("system", "user", "agent", "agent", "user");
        assertThat(first.at("/steps/2/tool_calls/0").toString())
                .isEqualTo("{\"tool_call_id\":\"a\",\"function_name\":\"get_order\",\"arguments\":{\"id\":17}}");
        assertThat(first.at("/steps/2/observation/results").toString())
                .isEqualTo("[{\"source_call_id\":\"a\",\"content\":\"Error: no order\"}]");
        JsonNode own = first.at("/extra/rlm");
        assertThat(own.path("reward").asDouble()).isEqualTo(1);
        assertThat(own.path("solved").asBoolean()).isTrue();
        assertThat(own.path("expected_answer").asString()).isEqualTo("none");
        assertThat(own.path("metadata").toString()).isEqualTo("{\"lr\":0.5}");
        assertThat(first.toString().split(POLICY.strip(), -1))
                .as("the policy, once")
                .hasSize(2);
        assertThat(trajectory("tau-2").path("steps").findValues("timestamp"))
                .as("times that nobody told")
                .isEmpty();
    }

    @Test
    void longConversation_isAFileInProportion_andComesBack() throws IOException {
        StringBuilder messages = new StringBuilder("{\"role\":\"system\",\"content\":\"" + POLICY + "\"}");
        for (int i = 0; i < 60; i++) {
            messages.append(",{\"role\":\"user\",\"content\":\"question %d %s\"}".formatted(i, "x ".repeat(200)));
            messages.append(",{\"role\":\"assistant\",\"content\":\"answer %d\"}".formatted(i));
        }
        String chat = "{\"run_id\":\"long\",\"messages\":[" + messages + "]}";
        succeed(exchange.run("import", write("long.jsonl", chat)));
        exportFrom(exchange);
        assertThat(out().resolve("long/trajectory.json").toFile().length()).isLessThan(4L * chat.length());
        succeed(other.run("import", "--format", "atif", out().toString()));
        assertThat(events(other)).isEqualTo(events(exchange)).hasSize(1);
    }

    @Test
    void eventsOfAllKinds_withAllFields_areTheSame_behindExportAndImport() throws IOException {
        exchange.record(sinks -> Events.full("full").forEach(sinks::publish));
        exportFrom(exchange);
        succeed(other.run("import", "--format", "atif", out().toString()));
        assertThat(events(other)).isEqualTo(events(exchange)).hasSize(1);
    }

    @Test
    void trajectoryOfAnotherProgram_isARun_andIsTheSame_behindImportAndExport() throws IOException {
        succeed(exchange.run("import", "--format", "atif", write("foreign.json", FOREIGN)));

        RunSummary run = journal(exchange).runs().get(0);
        assertThat(run.run().agent()).isEqualTo("harbor-agent");
        assertThat(run.run().task().text()).isEqualTo("What does it cost?");
        assertThat(run.steps()).isEqualTo(2);
        assertThat(run.duration()).isEqualTo(Duration.ofSeconds(5));
        ModelCalled call = events(exchange, ModelCalled.class).get(0);
        assertThat(call.model()).isEqualTo("gemini-pro");
        assertThat(call.usage().cachedTokens()).isEqualTo(200);
        assertThat(call.usage().reasoningTokens()).isEqualTo(2);
        assertThat(call.costAmount()).isEqualTo(0.25);
        assertThat(Objects.requireNonNull(call.tokens()).responseIds()).containsExactly(3, 4, 5);
        assertThat(events(exchange, ToolCalled.class))
                .extracting(ToolCalled::failed)
                .containsExactly(false, true);

        exportFrom(exchange);
        ObjectNode wanted = (ObjectNode) JSON.readTree(FOREIGN);
        wanted.put("schema_version", "ATIF-v1.7");
        ObjectNode exported = (ObjectNode) trajectory(run.runId());
        assertThat(exported.remove("trajectory_id").asString()).isEqualTo(run.runId());
        withoutOwn(exported);
        assertThat(exported).isEqualTo(wanted);

        succeed(other.run("import", "--format", "atif", out().toString()));
        assertThat(report(other)).isEqualTo(report(exchange));
        Path again = folder.resolve("again");
        succeed(other.export("atif", again));
        assertThat(Files.readString(again.resolve(run.runId()).resolve("trajectory.json")))
                .isEqualTo(Files.readString(out().resolve(run.runId()).resolve("trajectory.json")));
    }

    /** Takes out what an export adds to a trajectory that lacks it. */
    private static void withoutOwn(ObjectNode tree) {
        for (JsonNode each :
                Stream.concat(Stream.of(tree), tree.path("steps").valueStream()).toList()) {
            ObjectNode object = (ObjectNode) each;
            object.remove("llm_call_count");
            if (object.path("extra") instanceof ObjectNode extra) {
                extra.remove("rlm");
                if (extra.isEmpty()) {
                    object.remove("extra");
                }
            }
        }
    }

    @Test
    void linesOfSeveralVersions_areRuns_withoutTimesThatNobodyTold() throws IOException {
        List<String> lines = new ArrayList<>();
        for (int version = 4; version <= 8; version++) {
            lines.add("{\"schema_version\":\"ATIF-v1." + version + "\",\"session_id\":null,\"agent\":{\"name\":\"a\","
                    + "\"version\":\"1\"},\"steps\":[{\"step_id\":1,\"source\":\"user\",\"message\":\"v" + version
                    + "\"},{\"step_id\":2,\"source\":\"agent\",\"message\":\"ok\",\"llm_call_count\":0}]}");
        }
        String file = write("lines.jsonl", String.join("\n", lines));

        assertThat(succeed(exchange.run("import", "--format", "atif", file)).out())
                .startsWith("imported 5 runs\n");

        assertThat(journal(exchange).runs())
                .allSatisfy(run -> assertThat(run.run().tags()).containsEntry("import.times", "made_up"))
                .allSatisfy(run -> assertThat(run.duration()).isNull());
        assertThat(events(exchange, ModelCalled.class)).as("by no model").isEmpty();
        assertThat(succeed(exchange.run("import", "--format", "atif", folder.toString()))
                        .out())
                .contains("left out 5 runs known already");
    }

    @Test
    void copiedContext_isShownToTheModel_andNotToldAgain() throws IOException {
        String continued = """
                {"schema_version": "ATIF-v1.7", "session_id": "s-cont-1", "trajectory_id": "t-2",
                 "agent": {"name": "a", "version": "1", "model_name": "m"},
                 "steps": [
                  {"step_id": 1, "source": "user", "message": "Make a file", "is_copied_context": true},
                  {"step_id": 2, "source": "agent", "message": "first", "is_copied_context": true,
                   "tool_calls": [{"tool_call_id": "c1", "function_name": "bash", "arguments": {"keys": "ls"}}],
                   "observation": {"results": [{"source_call_id": "c1", "content": "empty"}]},
                   "metrics": {"prompt_tokens": 500, "completion_tokens": 50, "cost_usd": 0.5}},
                  {"step_id": 3, "source": "agent", "message": "done",
                   "metrics": {"prompt_tokens": 100, "completion_tokens": 10}}],
                 "final_metrics": {"total_prompt_tokens": 100, "total_completion_tokens": 10, "total_steps": 3}}
                """;
        succeed(exchange.run("import", "--format", "atif", write("cont.json", continued)));

        Journal journal = Journal.open(exchange.journal());
        RunSummary run = journal.runs().get(0);
        assertThat(run.row().end()).isNotNull().returns(1, RunEnded::steps);
        List<RunEvent> recorded = journal.events("t-2");
        assertThat(recorded).noneMatch(ToolCalled.class::isInstance);
        assertThat(recorded.stream().filter(ModelCalled.class::isInstance).map(ModelCalled.class::cast))
                .singleElement()
                .satisfies(call -> {
                    assertThat(call.usage().inputTokens()).isEqualTo(100);
                    assertThat(call.messages()).extracting(Message::role).containsExactly("user", "assistant", "tool");
                });
        exportFrom(exchange);
        ObjectNode exported = (ObjectNode) trajectory("t-2");
        assertThat(exported.path("steps")
                        .valueStream()
                        .map(step -> step.path("is_copied_context").asBoolean(false)))
                .containsExactly(true, true, false);
        assertThat(exported.at("/steps/1/metrics/prompt_tokens").asInt()).isEqualTo(500);
        assertThat(exported.at("/final_metrics/total_prompt_tokens").asInt()).isEqualTo(100);
    }

    @Test
    void childRun_isASubagent_whereItWasStarted_andComesBack() throws IOException {
        exchange.record(sinks -> {
            try (Run run = sinks.startRun(
                    RunSpec.builder("calc").runId("parent/1").task("go").build())) {
                try (Step step = run.startStep()) {
                    try (ModelCall call = step.startModelCall("p", "m")) {
                        call.message("user", "go").reply("I delegate").toolRequest("c1", "delegate", "{}");
                    }
                    try (ToolCall tool = step.startToolCall("delegate")) {
                        tool.callId("c1").arguments("{}");
                        Correlation parent = Correlation.NONE.withParentRun("parent/1");
                        try (Run child = sinks.startRun(RunSpec.builder("calc")
                                .runId("child")
                                .correlation(parent)
                                .build())) {
                            child.complete("42");
                        }
                        tool.result("42");
                    }
                    step.action("delegate", "");
                    step.complete("42");
                }
                run.complete("42");
            }
        });

        exportFrom(exchange);

        JsonNode parent = trajectories().get(0);
        assertThat(trajectories()).hasSize(1);
        assertThat(parent.at("/subagent_trajectories/0/trajectory_id").asString())
                .isEqualTo("child");
        assertThat(parent.at("/steps/1/observation/results/0").toString())
                .isEqualTo("{\"source_call_id\":\"c1\",\"content\":\"42\",\"subagent_trajectory_ref\":"
                        + "[{\"trajectory_id\":\"child\",\"session_id\":\"parent/1\"}]}");
        succeed(other.run("import", "--format", "atif", out().toString()));
        assertThat(events(other)).isEqualTo(events(exchange));
        Path child = folder.resolve("child");
        succeed(exchange.export("atif", child, "--run", "child"));
        assertThat(child.resolve("child/trajectory.json")).as("by itself").exists();
    }

    @Test
    void subagentOfAnotherProgram_isAChildRun() throws IOException {
        ObjectNode parent = (ObjectNode) JSON.readTree(FOREIGN);
        ObjectNode child = parent.deepCopy().put("trajectory_id", "summary-1");
        parent.put("schema_version", "ATIF-v1.7").put("trajectory_id", "p-1");
        parent.withArrayProperty("subagent_trajectories").add(child);
        ((ObjectNode) parent.at("/steps/3/observation/results/0"))
                .putArray("subagent_trajectory_ref")
                .addObject()
                .put("trajectory_id", "summary-1");
        succeed(exchange.run("import", "--format", "atif", write("p.json", parent.toPrettyString())));
        assertThat(journal(exchange).runs())
                .extracting(
                        run -> run.runId() + " of " + run.run().correlation().parentRun())
                .containsExactlyInAnyOrder("p-1 of null", "p-1/summary-1 of p-1");

        exportFrom(exchange);
        ObjectNode exported = (ObjectNode) trajectory("p-1");
        withoutOwn(exported);
        withoutOwn((ObjectNode) exported.at("/subagent_trajectories/0"));
        child.put("schema_version", "ATIF-v1.7");
        assertThat(exported).isEqualTo(parent);
    }

    @Test
    void secret_isInNoFile_norAreTheTokensOfItsText() throws IOException {
        exchange.record(sinks -> {
            try (Run run = sinks.startRun(
                            RunSpec.builder("calc").runId("r").task("go").build());
                    Step step = run.startStep()) {
                try (ModelCall call = step.startModelCall("p", "m")) {
                    call.message("user", "go").reply("It is " + SECRET);
                    call.tokens(new TokenTrace(List.of(1, 2), List.of(1_987_654_321), List.of(-0.25), "w7"), List.of());
                }
            }
        });
        exportFrom(exchange);
        String text = trajectory("r").toString();
        assertThat(text).contains("[REDACTED:").contains("\"redacted\":true");
        assertThat(text).doesNotContain(SECRET).doesNotContain("1987654321");
    }

    @Test
    void secretInATrajectory_comesIntoNoJournal() throws IOException {
        String secrets = FOREIGN.replace("I search.", "I search " + SECRET)
                .replace("{\"metric\": \"price\"}", "{\"password\": \"" + SECRET + "\", \"metric\": \"price\"}")
                .replace("searched twice", "with " + SECRET)
                .replace("\"trial\": \"t-1\"", "\"" + SECRET + "\": \"" + SECRET + "\"")
                .replace("one screen of both", "both " + SECRET)
                .replace("images/a.png", "images/" + SECRET + ".png");
        succeed(Cli.with(
                Map.of("RLM_JSONL_DIR", exchange.journal().toString(), "SHOP_API_KEY", SECRET),
                "import",
                "--format",
                "atif",
                write("secrets.json", secrets)));
        assertThat(events(exchange).toString()).contains("[REDACTED:").doesNotContain(SECRET);
        exportFrom(exchange);
        assertThat(trajectories().get(0).toString())
                .contains("\"notes\":\"with [REDACTED:")
                .doesNotContain(SECRET);
    }

    @Test
    void trajectoryThatHoldsMoreThanAParameterMay_isARun_andTellsWhatIsNotKept() throws IOException {
        String large = FOREIGN.replace("\"trial\": \"t-1\"", "\"trial\": \"" + "x".repeat(300_000) + "\"");
        Cli imported = succeed(exchange.run("import", "--format", "atif", write("large.json", large)));
        assertThat(imported.err())
                .contains("warning: \"extra (in part)\" is not known and was not taken over, in 1 line");
        assertThat(journal(exchange).runs().get(0).steps()).isEqualTo(2);
    }

    @Test
    void trajectoryThatWasChangedAfterItsExport_isReadByItsSteps() throws IOException {
        succeed(exchange.run("import", write("chats.jsonl", CHATS.formatted(POLICY))));
        exportFrom(exchange);
        Path file = out().resolve("tau-1/trajectory.json");
        Files.writeString(file, Files.readString(file).replace("There is none.", "I found none."));

        Cli imported = succeed(other.run("import", "--format", "atif", file.toString()));

        assertThat(imported.err()).contains("warning: \"extra.rlm.events\" is not known and was not taken over");
        RunSummary run = journal(other).runs().get(0);
        assertThat(run.totalReward()).isEqualTo(1);
        assertThat(run.run().correlation().sample()).isEqualTo("s-1");
        assertThat(Objects.requireNonNull(
                                events(other, ModelCalled.class).get(1).reply())
                        .content()
                        .text())
                .isEqualTo("I found none.");
    }

    @Test
    void runWhoseProcessDied_isAFile_thatTellsWhatIsMissing() throws IOException {
        try (Sinks sinks = Sinks.builder()
                .config(SinkConfig.of(Map.of("RLM_JSONL_DIR", exchange.journal().toString())))
                .build()) {
            Events.full("live").stream()
                    .filter(event -> !(event instanceof RunEnded))
                    .forEach(sinks::publish);
        }
        exportFrom(exchange);
        assertThat(trajectories()).singleElement().satisfies(died -> {
            assertThat(died.at("/extra/rlm/outcome").asString()).isEqualTo("abandoned");
            assertThat(died.at("/extra/rlm/missing/end").asBoolean()).isTrue();
        });
        succeed(other.run("import", "--format", "atif", out().toString()));
        assertThat(report(exchange)).contains("abandoned  no end was recorded     1");
        assertThat(report(other).toString().replaceAll("reason +runs|abandoned  process_died +1", ""))
                .as("but for the end, which an import tells")
                .isEqualTo(
                        report(exchange).toString().replaceAll("reason +runs|abandoned  no end was recorded +1", ""));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[1]|expected a JSON object",
                "{\n\"a\": 1,\n\"a\": 2}|Duplicate Object property \"a\" (line 3, column 4)",
                "{}|expected a \"schema_version\" such as ATIF-v1.4 to ATIF-v1.8",
                "{\"schema_version\":\"ATIF-v2.0\"}|ATIF-v1.8, found ATIF-v2.0",
                "{\"schema_version\":\"ATIF-v1.6\",\"steps\":[]}|expected an \"agent\" with a \"name\"",
                "{\"schema_version\":\"ATIF-v1.6\",\"agent\":{\"name\":\"a\"}}|expected \"steps\", a list",
                "{\"schema_version\":\"ATIF-v1.6\",\"agent\":{\"name\":\"a\"},\"steps\":[{\"source\":\"tool\"}]}"
                        + "|expected a \"source\" of system, user or agent in steps[0]",
                "{\"schema_version\":\"ATIF-v1.6\",\"agent\":{\"name\":\"a\"},\"steps\":[{\"source\":\"user\","
                        + "\"message\":\"x\"},{\"source\":\"agent\",\"message\":7}]}|a list of parts in steps[1]",
                "{\"schema_version\":\"ATIF-v1.6\",\"agent\":{\"name\":\"a\"},\"steps\":[{\"source\":\"agent\",\"message\":"
                        + "\"\",\"metrics\":{\"logprobs\":[\"x\"]}}]}|\"logprobs\" to be a list of numbers in steps[0]",
                "{\"schema_version\":\"ATIF-v1.7\",\"agent\":{\"name\":\"a\"},\"steps\":[],\"subagent_trajectories\":[{}]}"
                        + "|ATIF-v1.8 in subagent_trajectories[0]",
            })
    void badTrajectory_isToldWithItsPlace_andWhatWasExpected(String words) throws IOException {
        String[] parts = words.split("\\|", -1);
        Cli bad = exchange.run("import", "--format", "atif", write("bad.json", parts[0]));
        assertThat(bad.exitCode()).isEqualTo(1);
        assertThat(bad.err()).contains("rlm: " + folder.resolve("bad.json")).contains(parts[1]);
        assertThat(bad.out()).startsWith("imported 0 runs\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"rlm.ref\":\"/extra/rlm/events\"}",
                "{\"rlm.ref\":\"/nowhere\"}",
                "[{\"rlm.elements\":\"/extra/rlm/events\"}]",
                "7",
                "null",
                "{\"type\":\"run_started\"}",
                "{\"type\":[],\"run_id\":{},\"seq\":\"x\",\"time\":3}"
            })
    void eventsThatAreNone_areABadTrajectory(String event) throws IOException {
        exchange.record(sinks -> Events.minimal("minimal").forEach(sinks::publish));
        exportFrom(exchange);
        ObjectNode tree = (ObjectNode) trajectory("minimal");
        ((ObjectNode) tree.at("/extra/rlm")).putArray("events").add(JSON.readTree(event));
        Cli bad = other.run("import", "--format", "atif", write("bad.json", tree.toString()));
        assertThat(bad.exitCode()).isEqualTo(1);
        assertThat(bad.err()).contains("bad.json, line 1: expected ").contains("extra.rlm.events");
    }

    @Test
    void folderThatIsNotEmpty_staysAsItIs_unlessForced() throws IOException {
        exchange.record(sinks -> Events.minimal("minimal").forEach(sinks::publish));
        exportFrom(exchange);
        Cli again = exchange.export("atif", out());
        assertThat(again.exitCode()).isEqualTo(2);
        assertThat(again.err()).contains("is not empty: --force replaces the files of runs that are written");
        succeed(exchange.export("atif", out(), "--force"));
        assertThat(exchange.run("export", "--format", "atif", "--output", "-").err())
                .contains("atif makes several files, and needs a folder for them");
        try (Stream<Path> files = Files.walk(out())) {
            assertThat(files.filter(Files::isRegularFile)).hasSize(1);
        }
    }

    /** By the package atif. */
    @Test
    void trajectories_areValid_asAnIndependentReaderHasIt() throws Exception {
        succeed(exchange.run("import", write("chats.jsonl", CHATS.formatted(POLICY))));
        ObjectNode foreign = (ObjectNode) JSON.readTree(FOREIGN);
        foreign.putArray("subagent_trajectories").add(foreign.deepCopy().put("trajectory_id", "s"));
        succeed(exchange.run("import", "--format", "atif", write("foreign.json", foreign.toString())));
        exchange.record(sinks -> Events.full("full").forEach(sinks::publish));
        exportFrom(exchange);
        String printed = python("""
                import json, pathlib, sys
                from atif import Trajectory
                for path in sorted(pathlib.Path(sys.argv[1]).glob("*/trajectory.json")):
                    trajectory = Trajectory.model_validate(json.loads(path.read_text()))
                    path.write_text(json.dumps(trajectory.to_json_dict(), indent=2))
                    print(len(trajectory.steps))
                """);
        assertThat(printed.lines()).hasSize(5);

        Cli imported = succeed(other.run("import", "--format", "atif", out().toString()));
        assertThat(imported.err()).as("what it wrote again").isEmpty();
        assertThat(report(other)).isEqualTo(report(exchange));
    }

    /** By Inspect Scout, with the models of the package atif in place of harbor's own, which wants a newer Python. */
    @Test
    void conversations_areReadByInspectScout() throws Exception {
        succeed(exchange.run("import", write("chats.jsonl", CHATS.formatted(POLICY))));
        exportFrom(exchange);
        String printed = python("""
                import asyncio, atif, json, sys, types
                sys.modules["harbor"] = sys.modules["harbor.models"] = types.ModuleType("harbor")
                sys.modules["harbor.models.trajectories"] = atif
                from inspect_scout.sources import atif as transcripts
                async def main():
                    async for each in transcripts(sys.argv[1]):
                        said = [(m.role, m.text, [c.function for c in getattr(m, "tool_calls", None) or []]) for m in each.messages]
                        print(json.dumps([each.source_id, each.model, said]))
                asyncio.run(main())
                """);
        assertThat(printed.lines().map(JSON::readTree)).contains(JSON.readTree("""
                ["tau-1", "m", [["system", "%s", []], ["user", "Return 17, please.", []],
                  ["assistant", "", ["get_order"]], ["tool", "Error: no order", []],
                  ["assistant", "There is none.", []], ["user", "###STOP###", []]]]
                """.formatted(POLICY)));
    }

    /** Runs a script on what was exported, by a Python that RLM_ATIF_PYTHON names. */
    private String python(String script) throws IOException, InterruptedException {
        String python = System.getenv("RLM_ATIF_PYTHON");
        assumeTrue(python != null && !python.isBlank(), "RLM_ATIF_PYTHON names no python with atif and inspect_scout");
        Process process = new ProcessBuilder(python, write("script.py", script), out().toString())
                .redirectError(folder.resolve("python.err").toFile())
                .start();
        String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor())
                .as(printed + Files.readString(folder.resolve("python.err")))
                .isZero();
        return printed;
    }

    private static Cli succeed(Cli cli) {
        assertThat(cli.exitCode()).as(cli.err() + cli.out()).isZero();
        return cli;
    }

    private String write(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text).toString();
    }

    private Path out() {
        return folder.resolve("out");
    }

    private void exportFrom(Exchange journal) {
        succeed(journal.export("atif", out()));
    }

    private JsonNode trajectory(String runId) throws IOException {
        return JSON.readTree(Files.readString(out().resolve(runId).resolve("trajectory.json")));
    }

    private List<JsonNode> trajectories() throws IOException {
        try (Stream<Path> files = Files.walk(out())) {
            return files.filter(Files::isRegularFile).map(JSON::readTree).toList();
        }
    }

    private static Journal journal(Exchange exchange) {
        return Journal.open(exchange.journal());
    }

    /** The report, without the name of the journal. */
    private static List<String> report(Exchange exchange) {
        return succeed(exchange.run("report")).out().lines().skip(1).toList();
    }

    /** All events by run, without where their journal lies. */
    private static Map<String, List<RunEvent>> events(Exchange exchange) {
        Map<String, List<RunEvent>> events = new TreeMap<>();
        Journal journal = journal(exchange);
        journal.read(
                journal.runs(),
                (run, read) -> events.put(
                        run.runId(),
                        read.stream()
                                .map(event -> event instanceof RunEnded end
                                        ? RunEndedBuilder.builder(end)
                                                .runPath(null)
                                                .build()
                                        : event)
                                .toList()));
        return events;
    }

    private static <T extends RunEvent> List<T> events(Exchange exchange, Class<T> kind) {
        return events(exchange).values().stream()
                .flatMap(List::stream)
                .filter(kind::isInstance)
                .map(kind::cast)
                .toList();
    }
}
