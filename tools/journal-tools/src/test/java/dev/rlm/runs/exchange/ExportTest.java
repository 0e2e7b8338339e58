package dev.rlm.runs.exchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import dev.rlm.cli.testkit.Cli;
import dev.rlm.cli.testkit.RunningCli;
import dev.rlm.sinks.Evaluation;
import dev.rlm.sinks.ModelCall;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Span;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.ToolCall;
import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.TokenTrace;
import dev.rlm.sinks.testkit.Events;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** What {@code rlm export} writes, and what it leaves alone. */
@Timeout(180)
class ExportTest {
    private static final String SECRET = "hunter2-secret";

    @TempDir
    private Path folder;

    private Exchange exchange;

    @BeforeEach
    void chooseJournal() {
        exchange = new Exchange(folder.resolve("journal"));
    }

    @Test
    void chat_ofRecordedConversation_isThatConversation_withTheToolsThatWereAskedFor() {
        exchange.record(sinks -> twoTurns(sinks, "talk", "no secret"));
        JsonNode line = exchange.exported("chat").get(0);
        assertThat(line.path("run_id").asString()).isEqualTo("talk");
        assertThat(line.path("sample_id").asString()).isEqualTo("s-1");
        assertThat(line.path("trial").asInt()).isEqualTo(2);
        assertThat(line.path("reward").asDouble()).isEqualTo(1.0);
        assertThat(line.path("solved").asBoolean()).isTrue();
        assertThat(line.path("outcome").asString()).isEqualTo("completed");
        assertThat(line.path("metadata").path("lr").asDouble()).isEqualTo(0.5);
        assertThat(line.path("messages").valueStream().map(Object::toString))
                .containsExactly(
                        "{\"role\":\"user\",\"content\":\"What is 3 + 4?\"}",
                        "{\"role\":\"assistant\",\"content\":\"I calculate\",\"tool_calls\":[{\"id\":\"c1\","
                                + "\"type\":\"function\",\"function\":{\"name\":\"calculator\","
                                + "\"arguments\":\"{\\\"e\\\":\\\"3+4\\\"}\"}}]}",
                        "{\"role\":\"tool\",\"content\":\"7\",\"tool_call_id\":\"c1\"}",
                        "{\"role\":\"assistant\",\"content\":\"It is 7, no secret\"}",
                        "{\"role\":\"user\",\"content\":\"right\"}");
        assertThat(line.path("timestamps").size()).isEqualTo(5);
    }

    @Test
    void chat_ofRunWithoutModelCalls_tellsItsActions() {
        exchange.record(sinks -> {
            try (Run run = sinks.startRun(
                    RunSpec.builder("calc").runId("acts").task("3 * 4?").build())) {
                try (Step step = run.startStep("3 * 4?")) {
                    step.action("calculator", "3 *");
                    try (ToolCall tool = step.startToolCall("calculator")) {
                        tool.arguments("{\"e\":\"3 *\"}").fail(3, "not an expression");
                    }
                    step.fail("not an expression");
                }
                try (Step step = run.startStep()) {
                    step.action("run_python", "print(3 * 4)");
                    step.complete("12");
                }
                run.complete("12 it is");
            }
        });
        assertThat(exchange.exported("chat")
                        .get(0)
                        .path("messages")
                        .valueStream()
                        .map(Object::toString))
                .containsExactly(
                        "{\"role\":\"user\",\"content\":\"3 * 4?\"}",
                        "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"call-3\","
                                + "\"type\":\"function\",\"function\":{\"name\":\"calculator\","
                                + "\"arguments\":\"{\\\"e\\\":\\\"3 *\\\"}\"}}]}",
                        "{\"role\":\"tool\",\"content\":\"not an expression\",\"tool_call_id\":\"call-3\",\"is_error\":true}",
                        "{\"role\":\"assistant\",\"content\":\"print(3 * 4)\"}",
                        "{\"role\":\"user\",\"content\":\"12\"}",
                        "{\"role\":\"assistant\",\"content\":\"12 it is\"}");
    }

    @Test
    void triplets_areTheModelsTurns_withTheirTokens() {
        exchange.record(sinks -> twoTurns(sinks, "talk", "no secret"));
        List<JsonNode> turns = exchange.exported("triplets");
        assertThat(turns).hasSize(2);
        assertThat(turns.get(0).path("turn").asInt()).isZero();
        assertThat(turns.get(0).path("group").asString()).isEqualTo("s-1");
        assertThat(turns.get(0).path("reward").asDouble()).isEqualTo(1.0);
        assertThat(turns.get(0).path("step_reward").asDouble()).isEqualTo(-0.5);
        assertThat(turns.get(0).path("prompt_token_ids").isNull()).isTrue();
        assertThat(turns.get(1).path("step_reward").asDouble()).isEqualTo(1.5);
        assertThat(turns.get(1).path("prompt_token_ids").toString()).isEqualTo("[1,2]");
        assertThat(turns.get(1).path("response_token_ids").toString()).isEqualTo("[3]");
        assertThat(turns.get(1).path("response_logprobs").toString()).isEqualTo("[-0.25]");
        assertThat(turns.get(1).path("response_token_texts").toString()).isEqualTo("[\"It is 7\"]");
        assertThat(turns.get(1).path("weights_version").asString()).isEqualTo("w7");
        assertThat(turns.get(1).path("prompt").get(1).path("tool_calls").size()).isEqualTo(1);
        assertThat(turns.get(1).path("response").path("content").asString()).isEqualTo("It is 7, no secret");
    }

    @Test
    void triplet_saysNullOfWhatWasNotRecorded_orDoesNotFit() {
        exchange.record(sinks -> {
            try (Run run = sinks.startRun(RunSpec.builder("calc").build())) {
                try (Step step = run.startStep()) {
                    try (ModelCall call = step.startModelCall("p", "m")) {
                        call.reply("ho");
                        call.tokens(new TokenTrace(List.of(), List.of(3, 4), List.of(-0.25), null));
                    }
                    step.reward(1);
                }
                run.complete("ho");
            }
        });
        JsonNode turn = exchange.exported("triplets").get(0);
        assertThat(turn.path("prompt").isNull()).isTrue();
        assertThat(turn.path("response_token_ids").toString()).isEqualTo("[3,4]");
        assertThat(turn.path("response_logprobs").isNull()).isTrue();
        assertThat(turn.path("response_token_texts").isNull()).isTrue();
    }

    @Test
    void triplet_ofRedactedText_isLeftOut_andLosesThatTextsTokens() {
        exchange.record(sinks -> twoTurns(sinks, "talk", SECRET));
        Cli without = exchange.export("triplets", folder.resolve("some.jsonl"));
        assertThat(without.out()).contains("1 run, 1 record, ").contains("left out 1: records redacted or cut");

        JsonNode second = exchange.exported("triplets", "--include-redacted").get(1);
        assertThat(second.toString()).doesNotContain(SECRET);
        assertThat(second.path("redacted").asBoolean()).isTrue();
        assertThat(second.path("prompt_token_ids").toString()).isEqualTo("[1,2]");
        assertThat(second.path("response_token_ids").isNull()).isTrue();
        assertThat(second.path("response_logprobs").isNull()).isTrue();
    }

    @Test
    void triplets_ofRunWithoutUsableReward_areLeftOut_unlessAskedFor() {
        exchange.record(sinks -> {
            twoTurns(sinks, "talk", "no secret");
            try (Run run =
                    sinks.startRun(RunSpec.builder("calc").runId("unrewarded").build())) {
                try (Step step = run.startStep();
                        ModelCall call = step.startModelCall("p", "m")) {
                    call.message("user", "hi").reply("ho");
                }
                run.rewardAbsent("judge", "it was down");
                run.complete("ho");
            }
            try (Run run =
                    sinks.startRun(RunSpec.builder("calc").runId("silent").build())) {
                run.complete("");
            }
        });
        Cli some = exchange.export("triplets", folder.resolve("some.jsonl"), "--json");
        assertThat(some.out())
                .contains("\"runs\":1,\"records\":2")
                .contains("\"left_out\":{\"no usable reward\":1,\"no model calls\":1}");
        List<JsonNode> all = exchange.exported("triplets", "--include-unrewarded");
        assertThat(all).hasSize(3);
        assertThat(all.get(2).path("reward").isNull()).isTrue();
    }

    @Test
    void spanAroundACall_changesNothing_andJudgesStayOut() {
        exchange.record(sinks -> {
            try (Run run = sinks.startRun(RunSpec.builder("calc").runId("spans").build())) {
                try (Span generate = run.span("generate");
                        Step step = run.startStep();
                        Span think = step.span("think");
                        Span ask = think.span("ask")) {
                    try (ModelCall call = ask.startModelCall("p", "m")) {
                        call.message("user", "hi").reply("ho");
                    }
                    try (ToolCall tool = think.startToolCall("bell")) {
                        tool.result("rung");
                    }
                    generate.attribute("episodes", 1);
                }
                try (Evaluation judge = run.startEvaluation("judge");
                        ModelCall call = judge.startModelCall("p", "m")) {
                    call.message("user", "was it good?").reply("yes");
                    judge.reward(1);
                }
                run.complete("ho");
            }
        });

        assertThat(exchange.exported("triplets"))
                .singleElement()
                .satisfies(line ->
                        assertThat(line.at("/response/content").asString()).isEqualTo("ho"));
        assertThat(exchange.exported("chat").get(0).get("messages").toString())
                .contains("ho", "rung")
                .doesNotContain("was it good?");
    }

    @Test
    void thoughts_beforeAReply_areNoReasonToRepeatItAsTheUsers() {
        exchange.record(sinks -> {
            try (Run run = sinks.startRun(
                    RunSpec.builder("calc").runId("shown").task("hi").build())) {
                thoughtful(run, call -> call.message("user", "hi"), "ho");
                thoughtful(run, call -> call.message("user", "hi").message("assistant", "ho"), "hey");
                run.complete("hey");
            }
            try (Run run = sinks.startRun(
                    RunSpec.builder("calc").runId("unshown").task("hi").build())) {
                thoughtful(run, call -> {}, "ho");
                run.complete("ho");
            }
        });
        List<JsonNode> chats = exchange.exported("chat");
        assertThat(chats).hasSize(2);
        for (JsonNode chat : chats) {
            boolean shown = chat.path("run_id").asString().equals("shown");
            assertThat(chat.path("messages"))
                    .extracting(JsonNode::toString)
                    .containsExactly(
                            shown
                                    ? new String[] {
                                        said("user", "hi"),
                                        said("assistant", "ho"),
                                        said("assistant", "<think>\\nHm.\\n</think>\\n\\nhey")
                                    }
                                    : new String[] {
                                        said("user", "hi"), said("assistant", "<think>\\nHm.\\n</think>\\n\\nho")
                                    });
        }
    }

    private static String said(String role, String json) {
        return "{\"role\":\"" + role + "\",\"content\":\"" + json + "\"}";
    }

    /** A step that came to what the model said behind its thoughts. */
    private static void thoughtful(Run run, Consumer<ModelCall> prompt, String answer) {
        try (Step step = run.startStep()) {
            try (ModelCall call = step.startModelCall("p", "m")) {
                prompt.accept(call);
                call.reply("<think>\nHm.\n</think>\n\n" + answer);
            }
            step.complete(answer);
        }
    }

    @Test
    void csv_isTwoTables_thatKeepAnyText() throws IOException {
        exchange.record(
                sinks -> Events.full("full", "a \"b\",\r\n;=1+1 \ud83d\ude00").forEach(sinks::publish));
        assertThat(exchange.export("csv", folder.resolve("tables")).exitCode()).isZero();
        String runs = Files.readString(folder.resolve("tables/runs.csv"));
        String steps = Files.readString(folder.resolve("tables/steps.csv"));
        assertThat(runs).startsWith("run_id,outcome,solved,reward,").contains("\r\nfull,");
        assertThat(steps)
                .startsWith("run_id,sample_id,step,")
                .contains("\"a \"\"b\"\",\r\n;=1+1 \ud83d\ude00\"", ",-0.25,-0.25,");
    }

    @Test
    void csv_forSpreadsheets_computesNothing() throws IOException {
        exchange.record(sinks -> Events.full("full", "=1+1").forEach(sinks::publish));
        exchange.export("csv", folder.resolve("plain"));
        exchange.export("csv", folder.resolve("safe"), "--spreadsheet");
        assertThat(Files.readString(folder.resolve("plain/steps.csv")))
                .contains(",=1+1,")
                .doesNotContain("'=");
        assertThat(Files.readString(folder.resolve("safe/steps.csv"))).contains(",'=1+1,", ",-0.25,-0.25,");
    }

    @Test
    void runs_areChosen_asListChoosesThem() {
        exchange.recordJob(5, 2);
        List<JsonNode> all = exchange.exported("chat");
        assertThat(all).hasSize(10);
        String sample = all.get(0).path("sample_id").asString();
        assertThat(exchange.exported("chat", "--sample-id", sample)).hasSize(2);
        assertThat(exchange.exported("chat", "--solved").stream()
                        .map(line -> line.path("solved").asBoolean()))
                .containsOnly(true);
        List<JsonNode> latest = exchange.exported("chat", "--limit", "3");
        assertThat(latest).hasSize(3);
        String id = latest.get(0).path("run_id").asString();
        assertThat(exchange.exported("chat", "--run", id.substring(0, 10))).hasSize(1);
        assertThat(exchange.export("chat", folder.resolve("x"), "--run", "nope").exitCode())
                .isEqualTo(2);
    }

    @Test
    void target_thatIsThere_isReplacedOnlyByForce_andIsForItsOwnerAlone() throws IOException {
        exchange.recordJob(1, 4);
        Path target = Files.writeString(folder.resolve("out.jsonl"), "precious");
        Cli refused = exchange.export("chat", target);
        assertThat(refused.exitCode()).isEqualTo(2);
        assertThat(refused.err()).contains("out.jsonl is there already: --force replaces it");
        assertThat(target).hasContent("precious");
        assertThat(exchange.export("chat", target, "--force").exitCode()).isZero();
        assertThat(Exchange.lines(target)).hasSize(4);
        if (target.getFileSystem().supportedFileAttributeViews().contains("posix")) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(target)))
                    .isEqualTo("rw-------");
        }
        exchange.export("csv", folder.resolve("tables"));
        assertThat(exchange.export("csv", folder.resolve("tables")).err())
                .contains("runs.csv is there already: --force replaces it");
        assertThat(exchange.export("csv", folder.resolve("tables"), "--force").exitCode())
                .isZero();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "chat|nowhere/out|there is no folder ",
                "chat|.|but a folder",
                "chat||it is empty",
                "chat|link|is a link: name the file itself",
                "chat|/dev/null|is no file",
                "csv|-|csv makes several tables, and needs a folder for them",
                "csv|file|is no folder, which csv needs for its tables",
                "parquet|-|parquet makes several tables, and needs a folder for them",
                "parquet|file|is no folder, which parquet needs for its tables",
                "orc|out|--format=orc is not known: expected one of otlp, chat, messages, atif, triplets, tokens, csv, parquet",
            })
    void badTarget_isAUsageError_thatSaysWhatIsWrong(String words) throws IOException {
        exchange.recordJob(1, 4);
        Files.createSymbolicLink(folder.resolve("link"), folder.resolve("elsewhere"));
        Files.createFile(folder.resolve("file"));
        String[] parts = words.split("\\|", -1);
        boolean plain = parts[1].isEmpty() || parts[1].equals("-");
        String target = plain ? parts[1] : folder.resolve(parts[1]).toString();
        Cli refused = exchange.run("export", "--format", parts[0], "--output", target, "--force");
        assertThat(refused.exitCode()).isEqualTo(2);
        assertThat(refused.err().lines())
                .singleElement()
                .asString()
                .startsWith("rlm: ")
                .contains(parts[2]);
    }

    @Test
    void formats_areThoseOfTheHelpAndTheDocs() throws IOException {
        String docs = Files.readString(Path.of("../../docs/exchange.md"));
        String help = exchange.run("export", "--help").out().replaceAll("\\s+", " "); // wherever it is wrapped
        String known = exchange.export("nope", folder.resolve("x")).err().strip();
        for (String format :
                known.substring(known.indexOf("one of ") + "one of ".length()).split(", ", -1)) {
            assertThat(help).contains(format + " (");
            assertThat(docs).contains("\n## " + format + "\n").contains("rlm export --format " + format + " ");
        }

        String importHelp = exchange.run("import", "--help").out();
        String toImport = exchange.run("import", "--format", "nope", "x").err();
        assertThat(toImport)
                .contains(
                        "expected --format to be one of chat, rlm-code, atif, inspect, sharegpt, swe-agent, found nope");
        for (String format : List.of("chat", "rlm-code", "atif")) {
            assertThat(importHelp).contains(format + " (");
        }
    }

    @Test
    void options_ofAnotherForm_areRefused() {
        exchange.recordJob(1, 4);
        assertThat(exchange.export("chat", folder.resolve("x"), "--include-redacted")
                        .err())
                .contains("--include-redacted is of --format triplets, not of chat");
        assertThat(exchange.run("export", "--format", "chat", "--output", "-", "--json")
                        .exitCode())
                .isEqualTo(2);
    }

    @Test
    void otlp_isTheSameHoweverOften_andHoldsWhatIsAllowed() throws IOException {
        exchange.record(sinks -> twoTurns(sinks, "talk", "no secret"));
        exchange.recordJob(5, 4);
        Cli first = exchange.export("otlp", folder.resolve("one.jsonl"));
        assertThat(first.exitCode()).as(first.err()).isZero();
        assertThat(first.out()).startsWith("written  21 runs, ");
        exchange.export("otlp", folder.resolve("two.jsonl"));
        assertThat(folder.resolve("two.jsonl")).hasSameBinaryContentAs(folder.resolve("one.jsonl"));

        Map<String, String> nothing = Map.of(
                "RLM_JSONL_DIR", exchange.journal().toString(),
                "RLM_CAPTURE_CONTENT", "none",
                "OTEL_SERVICE_NAME", "mine",
                "OTEL_TRACES_SAMPLER", "always_off",
                "OTEL_SDK_DISABLED", "true",
                "OTEL_EXPORTER_OTLP_ENDPOINT", "no address");
        Cli silent = Cli.with(nothing, "export", "--format", "otlp", "--output", "-", "--run", "talk");
        assertThat(silent.out())
                .contains("rlm.step", "\"stringValue\":\"mine\"")
                .doesNotContain("3 + 4", "calculate");
    }

    @Test
    void runThatGoesOn_isLeftOut_andOneThatDied_isAbandoned() {
        try (Sinks sinks = Sinks.builder()
                .config(SinkConfig.of(Map.of("RLM_JSONL_DIR", exchange.journal().toString())))
                .build()) {
            Events.full("live").stream()
                    .filter(event -> !(event instanceof RunEnded))
                    .forEach(sinks::publish);
            Events.minimal("ended").forEach(sinks::publish);
            assertThat(sinks.flush(Duration.ofSeconds(20)).isComplete()).isTrue();
            for (String format : List.of("otlp", "chat", "csv", "parquet")) {
                Cli export = exchange.export(format, folder.resolve(format));
                assertThat(export.out())
                        .as(format + export.err())
                        .startsWith("written  1 run, ")
                        .contains("left out 1: running");
            }
        }
        assertThat(exchange.exported("chat"))
                .extracting(line -> line.path("outcome").asString())
                .hasSize(2)
                .contains("abandoned");
    }

    @Tag("thorough")
    @Test
    void interrupt_leavesWhatWasThere() throws Exception {
        exchange.recordJob(500, 20);
        Path target = Files.writeString(folder.resolve("out"), "precious");
        for (String format : List.of("otlp", "triplets", "chat")) {
            try (RunningCli export =
                    exchange.start("export", "--format", format, "--output", target.toString(), "--force")) {
                await("a file that is being written")
                        .atMost(Duration.ofSeconds(90))
                        .pollInterval(Duration.ofMillis(10))
                        .until(() -> !temporary().isEmpty() || !export.isAlive());
                assertThat(export.stop()).as(export.err()).isEqualTo(130);
                assertThat(export.err()).contains("interrupted: ");
                assertThat(temporary()).isEmpty();
                assertThat(target).hasContent("precious");
            }
        }
    }

    private List<Path> temporary() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.toString().endsWith(".tmp")).toList();
        }
    }

    @Test
    void lateRewards_countAsInTheReport() throws IOException {
        exchange.record(sinks -> {
            for (String run : List.of("absent-late", "first-late", "more-late")) {
                if (run.equals("first-late")) {
                    sinks.startRun(RunSpec.builder("calc").runId(run).build()).complete("7");
                } else {
                    twoTurns(sinks, run, "");
                }
                sinks.reward(run, "person", run.equals("absent-late") ? Double.NaN : 2, List.of());
            }
        });

        List<JsonNode> chats = exchange.exported("chat");
        assertThat(chats)
                .extracting(
                        chat -> chat.get("run_id").asString(),
                        chat -> chat.get("reward").toString(),
                        chat -> chat.get("solved").toString())
                .containsExactlyInAnyOrder(
                        tuple("absent-late", "null", "true"),
                        tuple("first-late", "2.0", "true"),
                        tuple("more-late", "3.0", "true"));
        assertThat(exchange.export("csv", folder.resolve("tables")).exitCode()).isZero();
        assertThat(Files.readAllLines(folder.resolve("tables/runs.csv")))
                .anyMatch(line -> line.startsWith("absent-late,completed,true,,1.0,1,2,"))
                .anyMatch(line -> line.startsWith("first-late,completed,true,2.0,2.0,0,0,"));
        assertThat(exchange.run("export", "--format", "triplets", "--output", "-")
                        .err())
                .contains("no usable reward");
    }

    private static void twoTurns(Sinks sinks, String runId, String lastWords) {
        RunSpec spec = RunSpec.builder("calc")
                .runId(runId)
                .task("What is 3 + 4?")
                .model("m")
                .param("lr", 0.5)
                .correlation(
                        Correlation.builder().sample("s-1").trajectoryIndex(2).build())
                .build();
        try (Run run = sinks.startRun(spec)) {
            try (Step step = run.startStep("What is 3 + 4?")) {
                try (ModelCall call = step.startModelCall("p", "m")) {
                    call.message("user", "What is 3 + 4?").reply("I calculate");
                    call.toolRequest("c1", "calculator", "{\"e\":\"3+4\"}");
                }
                step.action("calculator", "3+4");
                try (ToolCall tool = step.startToolCall("calculator")) {
                    tool.callId("c1").arguments("{\"e\":\"3+4\"}").result("7");
                }
                step.reward(-0.5);
                step.complete("7");
            }
            try (Step step = run.startStep()) {
                try (ModelCall call = step.startModelCall("p", "m")) {
                    call.message("user", "What is 3 + 4?").message("assistant", "I calculate");
                    call.toolMessage("c1", "7").reply("It is 7, " + lastWords);
                    call.tokens(new TokenTrace(List.of(1, 2), List.of(3), List.of(-0.25), "w7"), List.of("It is 7"));
                }
                step.action("submit", "7");
                step.reward(1.5);
                step.complete("right");
            }
            run.complete("7");
        }
    }
}
