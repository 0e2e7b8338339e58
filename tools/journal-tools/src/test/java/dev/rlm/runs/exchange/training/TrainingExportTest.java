package dev.rlm.runs.exchange.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.rlm.cli.testkit.Cli;
import dev.rlm.runs.exchange.Exchange;
import dev.rlm.sinks.Evaluation;
import dev.rlm.sinks.ModelCall;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.ToolCall;
import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.event.TokenTrace;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Samples and conversations to train on, as {@code rlm export} writes them. */
@Timeout(180)
class TrainingExportTest {
    private static final String SECRET = "hunter2-secret";
    private static final String PYTHON = "RLM_DATASETS_PYTHON";
    private static final int LACKING = 42; // exit code of a script

    @TempDir
    private Path folder;

    private Exchange exchange;

    @BeforeEach
    void chooseJournal() {
        exchange = new Exchange(folder.resolve("journal"));
    }

    /** A rewarded run. */
    private void run(String id, Consumer<Run> turns) {
        exchange.record(sinks -> {
            RunSpec spec = RunSpec.builder("calc")
                    .runId(id)
                    .model("m")
                    .correlation(Correlation.builder()
                            .sample("s-1")
                            .rollout("r-1")
                            .attempt(2)
                            .build())
                    .build();
            try (Run run = sinks.startRun(spec)) {
                turns.accept(run);
                run.reward(1);
                run.complete("");
            }
        });
    }

    private static void call(Run run, List<Integer> prompt, List<Integer> response, List<Double> logs) {
        call(
                run,
                call -> call.message("user", "hi")
                        .reply("ho")
                        .finishReason("stop")
                        .tokens(new TokenTrace(prompt, response, logs, "w7")));
    }

    private static void call(Run run, Consumer<ModelCall> saying) {
        try (Step step = run.startStep();
                ModelCall call = step.startModelCall("p", "m")) {
            saying.accept(call);
        }
    }

    @Test
    void turns_thatContinueEachOther_areOneSample_inWhichToolsAreNotTrainedOn() {
        run("one", run -> {
            call(run, List.of(1, 2), List.of(3, 4), List.of(-0.5, -0.25));
            call(run, List.of(1, 2, 3, 4, 50, 51), List.of(6), List.of(-1.0));
        });

        JsonNode sample = exchange.exported("tokens").get(0);
        assertThat(sample.path("prompt_token_ids").toString()).isEqualTo("[1,2]");
        assertThat(sample.path("response_token_ids").toString()).isEqualTo("[3,4,50,51,6]");
        assertThat(sample.path("loss_mask").toString()).isEqualTo("[1,1,0,0,1]");
        assertThat(sample.path("response_logprobs").toString()).isEqualTo("[-0.5,-0.25,0.0,0.0,-1.0]");
        assertThat(sample.path("reward").asDouble()).isEqualTo(1);
        assertThat(sample.path("run_id").asString()).isEqualTo("one");
        assertThat(sample.path("group").asString()).isEqualTo("s-1");
        assertThat(sample.path("rollout_id").asString()).isEqualTo("r-1");
        assertThat(sample.path("attempt").asInt()).isEqualTo(2);
        assertThat(sample.path("weights_versions").toString()).isEqualTo("[\"w7\"]");
        assertThat(sample.path("finish_reason").asString()).isEqualTo("stop");
        assertThat(sample.path("calls").size()).isEqualTo(2);
        assertThat(sample.path("branch").asInt()).isZero();
        assertThat(sample.path("branch_reason").isNull()).isTrue();
    }

    @Test
    void turn_thatDoesNotContinue_isABranch_withTheReason() {
        run("branches", run -> {
            call(run, List.of(1, 2), List.of(3, 4), List.of(-0.5, -0.25));
            call(run, List.of(1, 2, 3, 9), List.of(6), List.of(-1.0));
            call(run, List.of(1, 7), List.of(8), List.of(-1.0));
            call(run, List.of(1, 2), List.of(5), List.of(-1.0));
            call(run, List.of(1, 2, 3, 4, 5), List.of(6), List.of());
            call(run, List.of(1, 2, 3, 4, 5), List.of(7), List.of(-2.0)); // continues the first
        });

        List<JsonNode> samples = exchange.exported("tokens");
        assertThat(samples).extracting(sample -> sample.path("branch").asInt()).containsExactly(0, 1, 2, 3, 4);
        assertThat(samples)
                .extracting(sample -> sample.path("branch_reason").asString(null) + " "
                        + sample.path("branch_at").asString(null))
                .containsExactly(
                        "null null",
                        "response_changed 3",
                        "prompt_changed 1",
                        "prompt_shorter 2",
                        "logprobs_changed 4");
        assertThat(samples.get(0).path("loss_mask").toString()).isEqualTo("[1,1,0,1]");
        assertThat(samples.get(4).path("response_logprobs").isNull()).isTrue();
    }

    @Test
    void call_whoseTokensDoNotFit_isLeftOut_andCounted() {
        run("flaws", run -> {
            call(run, List.of(1), List.of(2, 3), List.of(-0.5));
            call(run, List.of(), List.of(2), List.of(-0.5));
            call(run, List.of(1), List.of(2), List.of(Double.NEGATIVE_INFINITY));
            call(run, List.of(1), List.of(2), List.of(-0.5));
        });
        run("mute", run -> {});

        Cli exported = exchange.export("tokens", folder.resolve("tokens.jsonl"), "--json");
        assertThat(exported.out())
                .contains("\"runs\":1,\"records\":1,")
                .contains("\"model calls: ids and log probabilities of different lengths\":1")
                .contains("\"model calls: token ids missing\":1")
                .contains("\"model calls: log probabilities not finite, or above 0\":1")
                .contains("\"no model calls\":1");
    }

    @Test
    void tokens_ofRedactedText_areWrittenNowhere_notEvenWhereALaterPromptBeginsWithThem() throws IOException {
        run("secret", run -> {
            call(
                    run,
                    call -> call.message("user", "hi")
                            .reply(SECRET)
                            .tokens(new TokenTrace(List.of(1), List.of(777), List.of(-0.5), null)));
            call(
                    run,
                    call -> call.message("user", "it was short") // not what the ids say
                            .reply("ho")
                            .tokens(new TokenTrace(List.of(1, 777, 2), List.of(3), List.of(-0.5), null)));
            call(
                    run,
                    call -> call.reply("ho") // without messages
                            .tokens(new TokenTrace(List.of(5, 777), List.of(3), List.of(-0.5), null)));
            call(
                    run,
                    call -> call.message("user", "hi")
                            .systemInstructions("say " + SECRET)
                            .reply("ho")
                            .tokens(new TokenTrace(List.of(777), List.of(3), List.of(-0.5), null)));
            call(
                    run,
                    call -> call.message("user", "hi")
                            .reply("ho")
                            .tokens(new TokenTrace(List.of(1), List.of(4), List.of(-0.5), null)));
        });

        Path file = folder.resolve("tokens.jsonl");
        assertThat(exchange.export("tokens", file).out()).contains("left out 4: model calls: texts redacted or cut");
        assertThat(Exchange.lines(file))
                .singleElement()
                .satisfies(sample -> assertThat(sample.toString()).doesNotContain("777"));
    }

    @Test
    void run_withoutUsableReward_isLeftOut_unlessAskedFor() {
        exchange.record(sinks -> {
            try (Run run = sinks.startRun(RunSpec.builder("calc").runId("none").build())) {
                call(run, List.of(1), List.of(2), List.of(-0.5));
                run.rewardAbsent("judge", "down");
                run.complete("");
            }
        });

        assertThat(exchange.exported("tokens")).isEmpty();
        assertThat(exchange.exported("tokens", "--include-unrewarded"))
                .singleElement()
                .satisfies(sample -> assertThat(sample.path("reward").isNull()).isTrue());
        assertThat(exchange.export("chat", folder.resolve("x"), "--include-unrewarded")
                        .err())
                .contains("--include-unrewarded is of --format messages, triplets, tokens, not of chat");
    }

    @ParameterizedTest
    @ValueSource(strings = {"messages", "triplets", "tokens"})
    void run_withoutAnyReward_isLeftOutAndCounted_unlessAskedFor(String format) {
        unrewarded();

        assertThat(exchange.exported(format)).isEmpty();
        assertThat(exchange.export(format, folder.resolve("x"), "--json").out())
                .contains(format.equals("messages") ? "\"no reward\":1" : "\"no usable reward\":1");
        assertThat(exchange.exported(format, "--include-unrewarded"))
                .singleElement()
                .satisfies(line -> assertThat(List.of("reward", "solved"))
                        .allSatisfy(
                                field -> assertThat(line.path(field).isNull()).isTrue()));
    }

    @Test
    void run_withoutAnyReward_hasNoneInOtherFormats_andAsItIsImported() throws IOException {
        unrewarded();

        assertThat(exchange.export("chat", folder.resolve("chats.jsonl")).exitCode())
                .isZero();
        assertThat(Files.readString(folder.resolve("chats.jsonl"))).contains("\"reward\":null,\"solved\":null");
        assertThat(exchange.export("atif", folder.resolve("atif")).exitCode()).isZero();
        assertThat(Files.readString(folder.resolve("atif/none/trajectory.json")))
                .containsPattern("\"reward\": ?null,\\s*\"solved\": ?null");
        assertThat(exchange.export("csv", folder.resolve("tables")).exitCode()).isZero();
        assertThat(Files.readAllLines(folder.resolve("tables/runs.csv")))
                .anyMatch(line -> line.startsWith("none,completed,,,,0,1,"));
        assertThat(Files.readString(folder.resolve("tables/steps.csv"))).doesNotContain("0.0");
        Exchange other = new Exchange(folder.resolve("other"));
        assertThat(other.run("import", folder.resolve("chats.jsonl").toString()).exitCode())
                .isZero();
        assertThat(other.run("list", "--json").out()).doesNotContain("\"solved\"", "total_reward");
    }

    private void unrewarded() {
        exchange.record(sinks -> {
            try (Run run = sinks.startRun(RunSpec.builder("calc").runId("none").build())) {
                call(run, List.of(1), List.of(2), List.of(-0.5));
                run.complete("");
            }
        });
    }

    private void conversation(String id, String tools) {
        run(id, run -> {
            try (Step step = run.startStep()) {
                try (ModelCall call = step.startModelCall("p", "m")) {
                    call.systemInstructions("Be brief.").toolDefinitions(tools);
                    call.message("user", "3 + 4?").reply("").toolRequest("c1", "calculator", "{\"e\":\"3+4\"}");
                    call.tokens(new TokenTrace(List.of(1, 2), List.of(3), List.of(-0.5), "w7"));
                }
                try (ToolCall tool = step.startToolCall("calculator")) {
                    tool.callId("c1").arguments("{\"e\":\"3+4\"}").fail(3, "no battery");
                }
                step.complete("no battery");
            }
            try (Evaluation judge = run.startEvaluation("judge");
                    ModelCall call = judge.startModelCall("p", "m")) {
                call.toolDefinitions("[{\"name\":\"gavel\"}]")
                        .message("user", "good?")
                        .reply("no");
                judge.reward(0);
            }
        });
    }

    @Test
    void messages_haveTheSameFields_andTheToolsThatTheModelWasOffered() {
        conversation(
                "openai",
                "[{\"type\":\"function\",\"function\":{\"name\":\"calculator\",\"parameters\":{\"type\":\"object\"}}}]");
        conversation("anthropic", "[{\"name\":\"calculator\",\"input_schema\":{\"type\":\"object\"}}]");

        List<JsonNode> lines = exchange.exported("messages");
        assertThat(lines).hasSize(2).allSatisfy(line -> {
            assertThat(line.path("messages").valueStream().map(Object::toString))
                    .containsExactly(
                            "{\"role\":\"system\",\"content\":\"Be brief.\",\"tool_calls\":null,\"tool_call_id\":null}",
                            "{\"role\":\"user\",\"content\":\"3 + 4?\",\"tool_calls\":null,\"tool_call_id\":null}",
                            "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"c1\",\"type\":\"function\","
                                    + "\"function\":{\"name\":\"calculator\",\"arguments\":\"{\\\"e\\\":\\\"3+4\\\"}\"}}],"
                                    + "\"tool_call_id\":null}",
                            "{\"role\":\"tool\",\"content\":\"no battery\",\"tool_calls\":null,\"tool_call_id\":\"c1\"}");
            assertThat(line.path("tools").asString())
                    .isEqualTo("[{\"type\":\"function\",\"function\":{\"name\":\"calculator\",\"parameters\":"
                            + "{\"type\":\"object\"}}}]");
            assertThat(line.path("reward").asDouble()).isEqualTo(1);
            assertThat(line.path("redacted").asBoolean()).isFalse();
        });
    }

    @Test
    void messages_withImages_areLeftOut_andToolsThatAreNoArray() {
        run(
                "image",
                run -> call(
                        run,
                        call -> call.messageParts("user", parts -> parts.image("https://example.org/a.png", null, null))
                                .reply("a cat")));
        conversation("odd", "{}");

        Cli exported = exchange.export("messages", folder.resolve("messages.jsonl"), "--json");
        assertThat(exported.out())
                .contains("\"runs\":1,\"records\":1,")
                .contains("\"images, audio or files in messages\":1")
                .contains("\"tool definitions that are no JSON array\":1");
    }

    @Test
    void huggingFaceDatasets_readsBoth() throws IOException, InterruptedException {
        conversation("one", "[{\"name\":\"calculator\",\"input_schema\":{\"type\":\"object\"}}]");
        conversation("two", "[{\"name\":\"clock\"}]");
        assertThat(read("""
                print(json.dumps([m[0]["messages"][2]["tool_calls"][0]["function"]["name"], json.loads(m[1]["tools"]),
                    t[0]["response_token_ids"], t[0]["loss_mask"], t[0]["response_logprobs"], t[1]["reward"]]))
                """))
                .isEqualTo(
                        "[\"calculator\",[{\"type\":\"function\",\"function\":{\"name\":\"clock\"}}],[3],[1],[-0.5],1.0]");
    }

    /** As docs/training-data.md says, up to where its trainers want PyTorch. */
    @Test
    void trl_makesTextOfConversationsWithTheirTools_andPacksTokensAsTheyWereSampled()
            throws IOException, InterruptedException {
        conversation("one", "[{\"name\":\"calculator\",\"input_schema\":{\"type\":\"object\"}}]");
        run("two", run -> {
            call(run, List.of(1, 2), List.of(3, 4), List.of(-0.5, -0.25));
            call(run, List.of(1, 2, 3, 4, 50), List.of(6), List.of(-1.0));
        });
        assertThat(read("""
                import importlib.util
                if not importlib.util.find_spec("trl"):
                    sys.exit(42)
                from tokenizers import Tokenizer, models
                from transformers import PreTrainedTokenizerFast
                from trl.data_utils import apply_chat_template, is_conversational, pack_dataset
                tokenizer = PreTrainedTokenizerFast(tokenizer_object=Tokenizer(models.WordLevel({"?": 0}, "?")))
                tokenizer.chat_template = \"""{% for t in tools or [] %}[{{ t.function.name }}]{% endfor
                %}{% for m in messages %}<{{ m.role }}>{{ m.content or "" }}{% for c in m.tool_calls or []
                %}{{ c.function.name }}({{ c.function.arguments }}){% endfor %}{% endfor %}\"""
                def sequence(sample):
                    prompt, response = sample["prompt_token_ids"], sample["response_token_ids"]
                    masked = [token if mask else -100 for token, mask in zip(response, sample["loss_mask"])]
                    return {"input_ids": prompt + response, "labels": [-100] * len(prompt) + masked}
                chats = m.select_columns(["messages", "tools"])
                text = apply_chat_template({"messages": chats[0]["messages"]}, tokenizer,
                    tools=json.loads(chats[0]["tools"]))["text"]
                packed = pack_dataset(t.map(sequence, remove_columns=t.column_names), seq_length=9)
                print(json.dumps([is_conversational(chats[0]), text, packed[0]["input_ids"], packed[0]["labels"]]))
                """))
                .isEqualTo("[true,\"[calculator]<system>Be brief.<user>3 + 4?<assistant>"
                        + "calculator({\\\"e\\\":\\\"3+4\\\"})<tool>no battery\","
                        + "[1,2,3,4,50,6,1,2,3],[-100,-100,3,4,-100,6,-100,-100,3]]");
    }

    /**
     * Runs a script with the Python that {@value #PYTHON} names, in which {@code m} are the messages and {@code t} the tokens of all
     * runs; skipped without one, or where the script wants something that it has not.
     *
     * @return the JSON that it prints
     */
    private String read(String script) throws IOException, InterruptedException {
        String python = System.getenv(PYTHON);
        if (python == null) {
            System.err.println("Skipped: " + PYTHON + " names no Python that has datasets");
        }
        assumeTrue(python != null, "RLM_DATASETS_PYTHON names no python with datasets");
        Path messages = folder.resolve("messages.jsonl");
        Path tokens = folder.resolve("tokens.jsonl");
        exchange.export("messages", messages);
        exchange.export("tokens", tokens);
        String loading = """
                import json, sys
                from datasets import load_dataset
                m, t = (load_dataset("json", data_files=f, split="train", cache_dir=sys.argv[3]).sort("run_id")
                    for f in sys.argv[1:3])
                """;
        ProcessBuilder builder = new ProcessBuilder(
                python,
                "-c",
                loading + script,
                messages.toString(),
                tokens.toString(),
                folder.resolve("cache").toString());
        builder.environment().put("HF_HUB_OFFLINE", "1");
        builder.environment().put("HF_HOME", folder.resolve("hf").toString());
        Path errors = folder.resolve("err");
        Process process = builder.redirectError(errors.toFile()).start();
        String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
        if (process.exitValue() == LACKING) {
            System.err.println("Skipped: " + python + " has no trl");
        }
        assumeTrue(process.exitValue() != LACKING, "the Python of RLM_DATASETS_PYTHON lacks a package");
        assertThat(process.exitValue()).as(Files.readString(errors)).isZero();
        return new JsonMapper().readTree(printed).toString();
    }
}
