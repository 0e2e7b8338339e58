package dev.rlm.sinks.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.rlm.sinks.Evaluation;
import dev.rlm.sinks.Ledger;
import dev.rlm.sinks.ModelCall;
import dev.rlm.sinks.Reward;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.ToolCall;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Message;
import dev.rlm.sinks.event.MessagePart;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RetrievedDocument;
import dev.rlm.sinks.event.RewardComponent;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.event.RunStatus;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.StepStarted;
import dev.rlm.sinks.event.ToolCalled;
import dev.rlm.sinks.event.Usage;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class RunTest {
    private static final Instant NOON = Instant.parse("2026-01-01T12:00:00.000000007Z");
    private static final String SECRET = "a-secret-value";

    private final AtomicLong nanos = new AtomicLong(5_000_000_000L);
    private final Recorder sink = new Recorder();
    private final Sinks sinks = Sinks.builder()
            .add("recorder", sink)
            .secret(SECRET)
            .clocks(() -> NOON, nanos::get)
            .build();

    @AfterEach
    void close() {
        sinks.close();
    }

    @Test
    void times_haveInThemWhatTheStartItselfTook() {
        Object slow = new Object() {
            @Override
            public String toString() {
                nanos.set(5_000_000_000L + 62);
                return "slow";
            }
        };
        try (Run run = sinks.startRun(RunSpec.builder("env").param("slow", slow).build())) {
            run.startStep().complete("");
        }

        sinks.close();
        assertThat(sink.only(StepStarted.class).nanos()).isEqualTo(62);
    }

    @Test
    void names_thatAreSecrets_areRedacted() {
        try (Run run = sinks.startRun(RunSpec.builder(SECRET).model(SECRET).build());
                Step step = run.startStep();
                ModelCall call = step.startModelCall("p", SECRET)) {
            call.reply("").toolRequest("1", SECRET, "{}");
            step.startToolCall(SECRET).close();
            step.action(SECRET, "");
        }

        sinks.close();
        assertThat(sink.only(RunStarted.class).run().environment()).startsWith("[REDACTED:");
        assertThat(sink.only(RunStarted.class).run().model()).startsWith("[REDACTED:");
        assertThat(sink.only(ModelCalled.class).model()).startsWith("[REDACTED:");
        assertThat(String.valueOf(sink.only(ModelCalled.class).reply())).contains("tool=[REDACTED:");
        assertThat(sink.only(ToolCalled.class).tool()).startsWith("[REDACTED:");
        assertThat(sink.only(StepEnded.class).actionType()).startsWith("[REDACTED:");
    }

    @Test
    void reward_hasWhatItsSourceSays_withoutSecrets() {
        Reward said = Reward.of(1.5)
                .label(SECRET)
                .explanation("as " + SECRET + " says")
                .kind(RewardGiven.Kind.PERSON)
                .min(0.0)
                .max(1.0)
                .build();
        RunSpec spec = RunSpec.builder("env").build();
        try (Run run = sinks.startRun(spec);
                Step step = run.startStep()) {
            run.reward("judge", said);
            step.reward("judge", said);
            run.startEvaluation("judge").reward(said);
            assertThat(sinks.reward(spec.runId(), "judge", said)).isTrue();
            step.complete("");
            run.complete(null);
        }

        sinks.close();
        assertThat(sink.events(RewardGiven.class)).hasSize(4).allSatisfy(reward -> {
            assertThat(reward.value()).isEqualTo(1.5);
            assertThat(reward.label()).startsWith("[REDACTED:");
            assertThat(String.valueOf(reward.explanation()))
                    .startsWith("as [REDACTED:")
                    .doesNotContain(SECRET);
            assertThat(reward.kind()).isEqualTo(RewardGiven.Kind.PERSON);
            assertThat(reward.isOutOfRange()).isTrue();
        });
        assertThat(sink.only(RunEnded.class).totalReward()).isEqualTo(6);
    }

    @Test
    void evaluation_isTimedFromItsStart_andItsCallsReferToIt() {
        try (Run run = sinks.startRun(RunSpec.builder("env").build());
                Step step = run.startStep()) {
            try (Evaluation evaluation = step.startEvaluation("judge")) {
                nanos.addAndGet(10);
                evaluation.startModelCall("openai", "judge-model").close();
                evaluation.startToolCall("grep").close();
                nanos.addAndGet(10);
                evaluation.reward(-0.5, List.of(new RewardComponent("style", -1, 0.5, null)));
            }
            step.complete("");
            run.complete(null);
        }

        sinks.close();
        RewardGiven reward = sink.only(RewardGiven.class);
        assertThat(reward.seq()).isEqualTo(3);
        assertThat(reward.step()).isEqualTo(1);
        assertThat(reward.source()).isEqualTo("judge");
        assertThat(reward.startNanos()).isZero();
        assertThat(reward.nanos()).isEqualTo(20);
        assertThat(reward.components()).hasSize(1);
        assertThat(sink.only(ModelCalled.class).parentSeq()).isEqualTo(3);
        assertThat(sink.only(ToolCalled.class).parentSeq()).isEqualTo(3);
        assertThat(sink.only(StepEnded.class).reward()).isEqualTo(-0.5);
        assertThat(sink.only(RunEnded.class).totalReward()).isEqualTo(-0.5);
        assertThat(sink.only(RunEnded.class).seq()).isEqualTo(sink.events().size());
    }

    @Test
    void evaluation_thatIsLeft_makesTheRewardAbsent() {
        try (Run run = sinks.startRun(RunSpec.builder("env").build())) {
            try (Evaluation left = run.startEvaluation("left")) {
                left.startToolCall("t").close();
            }
            Evaluation open = run.startEvaluation("open");
            run.complete(null);
            open.reward(1);
        }

        sinks.close();
        assertThat(sink.events(RewardGiven.class))
                .extracting(RewardGiven::source)
                .containsExactly("left", "open");
        assertThat(sink.events(RewardGiven.class)).allMatch(RewardGiven::isAbsent);
        assertThat(sink.only(RunEnded.class).status().code()).isEqualTo(RunStatus.SCORE_INVALID);
        assertThat(sinks.statuses().get(0).ledger().dropped()).isEqualTo(Map.of("after_end", 1L));
    }

    @Test
    void reward_afterTheEndsOfRunsWithVeryLongTasks_findsTheLastOnes() {
        String book = "x".repeat(1 << 20);
        for (int i = 1; i <= 17; i++) {
            sinks.startRun(RunSpec.builder("calc").runId("r" + i).task(book).build())
                    .complete("");
        }

        assertThat(sinks.reward("r1", "person", 1, List.of())).isFalse();
        assertThat(sinks.reward("r2", "person", 1, List.of())).isTrue();
        assertThat(sinks.reward("r17", "person", 1, List.of())).isTrue();
    }

    @Test
    void reward_afterTheEnd_isNumberedAfterIt() {
        Run run = sinks.startRun(RunSpec.builder("env").runId("r").build());
        assertThat(sinks.reward("r", "early", 0.25, List.of())).isTrue();
        run.complete(null);
        nanos.addAndGet(1_000);
        assertThat(sinks.reward("r", "person", -1, List.of())).isTrue();
        assertThat(sinks.rewardAbsent("r", "judge", "it knows " + SECRET)).isTrue();
        assertThat(sinks.reward("unheard-of", "person", 1, List.of())).isFalse();

        sinks.close();
        RunEnded end = sink.only(RunEnded.class);
        assertThat(end.totalReward()).isEqualTo(0.25);
        List<RewardGiven> rewards = sink.events(RewardGiven.class);
        assertThat(rewards).extracting(RewardGiven::seq).containsExactly(2L, end.seq() + 1, end.seq() + 2);
        assertThat(rewards.get(1).nanos()).isEqualTo(1_000);
        assertThat(rewards.get(2).absence()).doesNotContain(SECRET);
        assertThat(sinks.statuses().get(0).ledger().dropped()).isEqualTo(Map.of("unknown_run", 1L));
    }

    @Test
    void reward_afterTheEnd_thatIsToldAgain_countsOnce() {
        RunSpec spec = RunSpec.builder("env").runId("r").passReward(0.5).build();
        sinks.startRun(spec).complete(null);
        for (int again = 0; again < 2; again++) {
            assertThat(sinks.reward("r", "person", 0.5, List.of())).isTrue();
            assertThat(sinks.rewardAbsent("r", "judge", "down")).isTrue();
        }
        assertThat(sinks.reward("r", "person", 1, List.of())).isTrue();

        sinks.close();
        assertThat(sink.events(RewardGiven.class))
                .extracting(RewardGiven::value)
                .containsExactly(0.5, Double.NaN, 1.0);
        assertThat(sink.only(RunEnded.class)).satisfies(end -> {
            assertThat(end.rewards()).isZero();
            assertThat(end.hasUsableReward()).isFalse();
            assertThat(end.isSolved(null)).isNull();
            assertThat(end.isSolved(0.5)).isTrue(); // by the pass reward that the run was started with
        });
    }

    @Test
    void step_thatIsOpenWhenItsRunEnds_isAborted() {
        Run run = sinks.startRun(RunSpec.builder("env").build());
        run.startStep().abort("stopped by its loop");
        run.startStep();
        run.abort("stopped");

        sinks.close();
        assertThat(sink.events(StepEnded.class))
                .extracting(StepEnded::errorType)
                .containsExactly(StepEnded.ABORTED, StepEnded.ABORTED);
    }

    @Test
    void lifecycle_isNumberedAndTimed() {
        try (Run run = sinks.startRun(RunSpec.builder("env")
                .runId("r1")
                .task("do it")
                .model("m")
                .maxSteps(3)
                .seed(9)
                .build())) {
            nanos.addAndGet(10);
            try (Step step = run.startStep("sees")) {
                nanos.addAndGet(20);
                step.action("type", "code");
                step.state("before", "after");
                step.reward(0.5);
                step.complete("output");
            }
            nanos.addAndGet(30);
            run.initialState("first");
            run.metric("turns", 2);
            run.complete("answer", "stop");
        }
        sinks.close();

        assertThat(sink.of("r1")).extracting(RunEvent::seq).containsExactly(1L, 2L, 3L, 4L, 5L);
        assertThat(sink.of("r1")).extracting(RunEvent::nanos).containsExactly(0L, 10L, 30L, 30L, 60L);
        assertThat(sink.only(RunStarted.class).run().startedAt()).isEqualTo(NOON);
        StepStarted started = sink.only(StepStarted.class);
        assertThat(started.step()).isEqualTo(1);
        assertThat(started.observation().text()).isEqualTo("sees");
        StepEnded ended = sink.only(StepEnded.class);
        assertThat(ended.started()).isSameAs(started);
        assertThat(ended.time()).isEqualTo(NOON.plusNanos(30));
        assertThat(ended.duration()).isEqualTo(Duration.ofNanos(20));
        assertThat(ended.actionType()).isEqualTo("type");
        assertThat(ended.code().text()).isEqualTo("code");
        assertThat(ended.output().text()).isEqualTo("output");
        assertThat(ended.stateBefore()).isEqualTo("before");
        assertThat(ended.stateAfter()).isEqualTo("after");
        assertThat(ended.success()).isTrue();
        assertThat(ended.error()).isNull();
        RunEnded end = sink.only(RunEnded.class);
        assertThat(end.outcome()).isEqualTo(Outcome.COMPLETED);
        assertThat(end.status().code()).isEqualTo(RunStatus.FINISHED);
        assertThat(end.terminationReason()).isEqualTo("stop");
        assertThat(end.truncated()).isFalse();
        assertThat(end.steps()).isEqualTo(1);
        assertThat(end.initialState()).isEqualTo("first");
        assertThat(end.metrics()).containsExactly(Map.entry("turns", 2.0));
        assertThat(end.duration()).isEqualTo(Duration.ofNanos(60));
        assertThat(String.valueOf(end.finalAnswer())).isEqualTo("answer");
    }

    @Test
    @SuppressWarnings("NullAway") // what callers without a null checker do
    void end_alwaysHasAReason() {
        start().complete("");
        start().complete("", "solved early");
        start().truncate(null, null);
        start().fail(new IllegalStateException());
        start().abort("enough");
        start().close();

        sinks.close();
        assertThat(sink.events(RunEnded.class))
                .extracting(RunEnded::terminationReason)
                .containsExactly("stop", "solved early", "limit", "non_skippable_error", "user_stop", "left");
    }

    @Test
    void rewards_addUpOverStepsAndRun() {
        try (Run run = start()) {
            try (Step step = run.startStep()) {
                step.reward(0.5);
                step.reward("judge", -0.75, List.of(new RewardComponent("style", -0.75, 1, null)));
                step.complete("");
            }
            try (Step step = run.startStep()) {
                step.complete("");
            }
            run.reward(1.0);
            run.complete("");
        }
        sinks.close();

        assertThat(sink.events(StepEnded.class)).extracting(StepEnded::reward).containsExactly(-0.25, 0.0);
        assertThat(sink.events(StepEnded.class))
                .extracting(StepEnded::cumulativeReward)
                .containsExactly(-0.25, -0.25);
        assertThat(sink.events(RewardGiven.class)).extracting(RewardGiven::step).containsExactly(1, 1, 0);
        assertThat(sink.only(RunEnded.class).totalReward()).isEqualTo(0.75);
        assertThat(sink.only(RunEnded.class).solved()).isTrue();
    }

    @Test
    void solved_goesByLastOrTotal() {
        assertThat(solved(RunSpec.PassOn.LAST, 1.0, 0.0)).isFalse();
        assertThat(solved(RunSpec.PassOn.LAST, -5.0, 1.0)).isTrue();
        assertThat(solved(RunSpec.PassOn.TOTAL, 0.5, 0.5)).isTrue();
        assertThat(solved(RunSpec.PassOn.TOTAL, -5.0, 1.0)).isFalse();
        assertThat(solved(RunSpec.PassOn.LAST)).isFalse();
        assertThat(solved(RunSpec.PassOn.LAST, 1.0, Double.NaN)).isFalse();
        assertThat(solved(RunSpec.PassOn.TOTAL, 2.0, Double.NaN)).isFalse();
    }

    private boolean solved(RunSpec.PassOn passOn, double... rewards) {
        RunSpec spec = RunSpec.builder("env").passOn(passOn).build();
        try (Run run = sinks.startRun(spec)) {
            for (double reward : rewards) {
                run.reward(reward);
            }
            run.complete("");
        }
        sinks.flush(Duration.ofSeconds(30));
        List<RunEvent> events = sink.of(spec.runId());
        return ((RunEnded) events.get(events.size() - 1)).solved();
    }

    @Test
    void absentReward_makesTheScoreInvalid() {
        try (Run run = start()) {
            try (Step step = run.startStep()) {
                step.rewardAbsent("judge", "timed out with " + SECRET);
                step.complete("");
            }
            run.reward(2.0);
            run.complete("");
        }
        sinks.close();

        RewardGiven absent = sink.events(RewardGiven.class).get(0);
        assertThat(absent.isAbsent()).isTrue();
        assertThat(absent.value()).isNaN();
        assertThat(absent.absence()).startsWith("timed out").doesNotContain(SECRET);
        assertThat(sink.only(StepEnded.class).reward()).isNaN();
        RunEnded end = sink.only(RunEnded.class);
        assertThat(end.status().code()).isEqualTo(RunStatus.SCORE_INVALID);
        assertThat(end.absentRewards()).isEqualTo(1);
        assertThat(end.totalReward()).isEqualTo(2.0);
        assertThat(end.hasUsableReward()).isFalse();
    }

    @Test
    void infiniteReward_isTold_andLeftOutOfTotals() {
        try (Run run = start()) {
            run.reward(Double.NEGATIVE_INFINITY);
            run.reward(0.25);
            run.complete("");
        }
        sinks.close();

        assertThat(sink.events(RewardGiven.class))
                .extracting(RewardGiven::value)
                .containsExactly(Double.NEGATIVE_INFINITY, 0.25);
        assertThat(sink.only(RunEnded.class).totalReward()).isEqualTo(0.25);
        assertThat(sink.only(RunEnded.class).status().code()).isEqualTo(RunStatus.FINISHED);
    }

    @Test
    void invalidReward_isCountedAndAddsNothing() {
        try (Run run = start()) {
            try (Step step = run.startStep()) {
                step.reward(" ", 5, List.of());
                step.complete("");
            }
            run.complete("");
        }
        sinks.close();

        assertThat(ledger().dropped()).containsExactly(Map.entry("invalid", 1L));
        assertThat(sink.only(StepEnded.class).reward()).isZero();
        assertThat(sink.only(RunEnded.class).totalReward()).isZero();
    }

    @Test
    void close_withoutEnd_aborts() {
        try (Run run = start()) {
            run.reward(1.0);
        }
        sinks.close();

        RunEnded end = sink.only(RunEnded.class);
        assertThat(end.outcome()).isEqualTo(Outcome.ABORTED);
        assertThat(end.status().code()).isEqualTo(RunStatus.CANCELLED);
        assertThat(end.hasUsableReward()).isFalse();
    }

    @Test
    void truncate_countsAsCompleted() {
        try (Run run = start()) {
            run.truncate("max_steps", null);
        }
        sinks.close();

        RunEnded end = sink.only(RunEnded.class);
        assertThat(end.outcome()).isEqualTo(Outcome.COMPLETED);
        assertThat(end.truncated()).isTrue();
        assertThat(end.finalAnswer()).isNull();
    }

    @Test
    void fail_tellsTheErrorWithoutSecrets() {
        try (Run run = start()) {
            run.fail(RunStatus.DEADLINE_EXCEEDED, new IllegalStateException("no answer from " + SECRET));
        }
        sinks.close();

        RunEnded end = sink.only(RunEnded.class);
        assertThat(end.outcome()).isEqualTo(Outcome.FAILED);
        assertThat(end.status().code()).isEqualTo(RunStatus.DEADLINE_EXCEEDED);
        assertThat(end.errorType()).isEqualTo("java.lang.IllegalStateException");
        assertThat(String.valueOf(end.error())).contains("no answer from", "fail_tellsTheErrorWithoutSecrets");
        assertThat(end.toString()).doesNotContain(SECRET);
    }

    @Test
    void stepsLeftOpen_endBeforeTheRun_childrenFirst() {
        try (Run run = start()) {
            Step outer = run.startStep();
            Step inner = outer.startStep("inside");
            inner.startStep("deeper inside");
            run.startStep();
            run.complete("");
        }
        sinks.close();

        assertThat(sink.events(StepStarted.class))
                .extracting(StepStarted::parentStep)
                .containsExactly(0, 1, 2, 0);
        assertThat(sink.events(StepEnded.class)).extracting(StepEnded::step).containsExactly(4, 3, 2, 1);
        assertThat(sink.events(StepEnded.class)).noneMatch(StepEnded::success);
        List<RunEvent> all = sink.events(RunEvent.class);
        assertThat(all.get(all.size() - 1)).isInstanceOf(RunEnded.class);
        assertThat(sink.only(RunEnded.class).steps()).isEqualTo(4);
    }

    @Test
    void recording_afterTheEnd_isCounted() {
        Run run = start();
        Step step = run.startStep();
        ToolCall tool = step.startToolCall("t");
        run.complete("");
        run.reward(1);
        run.startStep();
        run.fail(new IllegalStateException());
        step.complete("");
        step.reward(1);
        tool.close();
        run.close();
        step.close();
        sinks.close();

        assertThat(sink.events()).hasSize(5);
        assertThat(ledger().dropped()).containsExactly(Map.entry("after_end", 5L));
        assertThat(ledger().offered()).isEqualTo(10);
        assertThat(sink.only(RunEnded.class).totalReward()).isZero();
    }

    @Test
    void messagesOfParts_areTheirPartsInOrder() {
        try (Run run = start()) {
            try (ModelCall call = run.startModelCall("openai", "m")) {
                call.messageParts(
                                "user",
                                parts -> parts.text("See")
                                        .image("file:///1.png", "image/png", "0a")
                                        .audio("file:///1.wav", null, null)
                                        .file("file:///1.pdf", null, null)
                                        .text("and hear."))
                        .messageParts("assistant", parts -> parts.text("Plain."))
                        .shownToolRequest("c0", "look", "{}")
                        .messageParts("tool", parts -> parts.toolResult("c0", "seen"))
                        .reply("forgotten")
                        .replyParts(parts -> parts.reasoning("Hm.").text("So.").toolCall("c1", "search", "{}"))
                        .toolRequest("c2", "search", "[]");
            }
            run.complete("");
        }
        sinks.close();

        ModelCalled call = sink.only(ModelCalled.class);
        Message shown = call.messages().get(0);
        assertThat(shown.content()).hasToString("See\nand hear.");
        assertThat(shown.parts())
                .extracting(MessagePart::type)
                .containsExactly(
                        MessagePart.Type.TEXT,
                        MessagePart.Type.IMAGE,
                        MessagePart.Type.AUDIO,
                        MessagePart.Type.FILE,
                        MessagePart.Type.TEXT);
        assertThat(shown.parts().get(1))
                .isEqualTo(
                        new MessagePart(MessagePart.Type.IMAGE, null, null, null, "file:///1.png", "image/png", "0a"));
        assertThat(call.messages().get(1).parts()).isEmpty();
        assertThat(call.messages().get(1).toolCalls()).hasSize(1);
        assertThat(call.messages().get(2).parts()).isEmpty();
        assertThat(call.messages().get(2).toolCallId()).isEqualTo("c0");
        Message reply = Objects.requireNonNull(call.reply());
        assertThat(reply.content()).hasToString("So.");
        assertThat(reply.toolCalls()).extracting(Message.ToolRequest::id).containsExactly("c1", "c2");
        assertThat(reply.parts())
                .extracting(MessagePart::type)
                .containsExactly(
                        MessagePart.Type.REASONING,
                        MessagePart.Type.TEXT,
                        MessagePart.Type.TOOL_CALL,
                        MessagePart.Type.TOOL_CALL);
    }

    @Test
    void calls_haveTheirTimes() {
        try (Run run = start();
                Step step = run.startStep()) {
            ModelCall model = step.startModelCall("openai", "m")
                    .server("localhost", 8000)
                    .parameter("temperature", 0.5)
                    .message("user", "hello")
                    .toolMessage("c0", "earlier result");
            nanos.addAndGet(5);
            model.firstToken();
            nanos.addAndGet(6);
            model.reply("hi").toolRequest("c1", "search", "{}").usage(new Usage(1L, 2L, null, null));
            model.systemInstructions("Be brief.").toolDefinitions("[]").cost(0.5, "USD");
            model.response("r1", " ").finishReason("stop").retries(1).close();
            try (ToolCall tool = step.startToolCall("search")) {
                nanos.addAndGet(7);
                tool.provider(ToolCalled.MCP)
                        .callId("c1")
                        .arguments("{}")
                        .retries(2)
                        .attribute("server.port", 80)
                        .document("d1", 0.5, "00ff")
                        .document("d2", null, null);
                tool.fail(RunStatus.INTERNAL, "broken");
            }
            step.complete("");
            run.complete("");
        }
        sinks.close();

        ModelCalled model = sink.only(ModelCalled.class);
        assertThat(model.startNanos()).isZero();
        assertThat(model.firstTokenNanos()).isEqualTo(5);
        assertThat(model.duration()).isEqualTo(Duration.ofNanos(11));
        assertThat(model.messages()).extracting(Message::role).containsExactly("user", "tool");
        assertThat(String.valueOf(model.reply())).contains("hi", "search");
        assertThat(model.parameters()).containsEntry("temperature", 0.5);
        assertThat(model.serverAddress()).isEqualTo("localhost");
        assertThat(model.serverPort()).isEqualTo(8000);
        assertThat(model.responseId()).isEqualTo("r1");
        assertThat(model.responseModel()).isNull();
        assertThat(model.systemInstructions()).isEqualTo(Content.redacted("Be brief."));
        assertThat(model.toolDefinitions()).isEqualTo(Content.redacted("[]"));
        assertThat(model.costAmount()).isEqualTo(0.5);
        assertThat(model.costCurrency()).isEqualTo("USD");
        ToolCalled tool = sink.only(ToolCalled.class);
        assertThat(tool.startNanos()).isEqualTo(11);
        assertThat(tool.duration()).isEqualTo(Duration.ofNanos(7));
        assertThat(tool.failed()).isTrue();
        assertThat(tool.callId()).isEqualTo("c1");
        assertThat(tool.provider()).isEqualTo(ToolCalled.MCP);
        assertThat(tool.attributes()).isEqualTo(Map.of("server.port", 80));
        assertThat(tool.documents())
                .containsExactly(new RetrievedDocument("d1", 0.5, "00ff"), new RetrievedDocument("d2", null, null));
    }

    @Test
    void tagsAndParams_areRedacted() {
        RunSpec spec = RunSpec.builder("env")
                .param("list", List.of(Map.of("inner", "x " + SECRET), 1, true))
                .tag("tag", SECRET)
                .build();
        try (Run run = sinks.startRun(spec);
                Step step = run.startStep()) {
            step.tag("tag", SECRET);
            step.startModelCall("p", "m").parameter("stop", SECRET).close();
            step.startToolCall("t").attribute("mcp.session.id", SECRET).close();
            step.complete("");
            run.complete("");
        }
        sinks.close();

        assertThat(sink.events().toString()).doesNotContain(SECRET).contains("[REDACTED:registered:");
        assertThat(sink.only(RunStarted.class).run().params()).containsKey("list");
    }

    @Test
    @SuppressWarnings("NullAway") // what callers without a null checker do
    void nonsense_neverThrows() {
        Object unprintable = new Object() {
            @Override
            public String toString() {
                throw new IllegalStateException("unprintable");
            }
        };
        RunSpec spec = RunSpec.builder("env").param("bad", unprintable).build();
        assertThatCode(() -> {
                    Run run = sinks.startRun(spec);
                    Step step = run.startStep(null);
                    step.action(null, null);
                    step.tag("t", null);
                    ModelCall model = step.startModelCall(null, null);
                    model.message(" ", "x")
                            .message(null, null)
                            .parameter("p", unprintable)
                            .toolRequest("", "", null);
                    model.close();
                    try (ToolCall tool = step.startToolCall(null)) {
                        tool.arguments(null).result(null);
                    }
                    step.reward(null, 1, null);
                    step.reward("judge", null);
                    step.complete(null);
                    run.rewardAbsent("judge", null);
                    run.fail(null);
                    start().abort(null);
                })
                .doesNotThrowAnyException();
        sinks.close();

        assertThat(sink.of(spec.runId())).last().isInstanceOf(RunEnded.class);
        assertThat(sink.events(RunEnded.class)).hasSize(2);
    }

    @Test
    void error_thatCannotBePrinted_stillEndsTheRun() {
        Throwable unprintable = new RuntimeException() {
            @Override
            public String getMessage() {
                throw new IllegalStateException("unprintable");
            }
        };
        Run run = start();
        assertThatCode(() -> run.fail(unprintable)).doesNotThrowAnyException();
        sinks.close();

        assertThat(sink.only(RunEnded.class).outcome()).isEqualTo(Outcome.FAILED);
    }

    @Test
    void manyThreads_inOneRun_leaveNoGapAndNothingAfterTheEnd() {
        for (int i = 0; i < 300; i++) {
            Run run = start();
            Threads.Task steps = () -> {
                for (int n = 0; n < 20; n++) {
                    Step step = run.startStep();
                    step.tag("n", "1");
                    step.reward(1);
                    step.complete("");
                }
            };
            Threads.together(steps, steps, () -> run.complete(""));
        }
        sinks.close();

        for (RunEnded end : sink.events(RunEnded.class)) {
            List<RunEvent> events = sink.of(end.run().runId());
            assertThat(events).last().isSameAs(end);
            for (int i = 0; i < events.size(); i++) {
                assertThat(events.get(i).seq()).isEqualTo(i + 1);
            }
            assertThat(events.stream().filter(StepStarted.class::isInstance)).hasSize(end.steps());
            assertThat(events.stream().filter(StepEnded.class::isInstance)).hasSize(end.steps());
            assertThat(events.stream().filter(RewardGiven.class::isInstance)).hasSize((int) end.totalReward());
        }
    }

    @Test
    void withoutSinks_handlesAreShared() {
        try (Sinks none = Sinks.builder().build()) {
            Run run = none.startRun(RunSpec.builder("env").build());
            assertThat(run).isSameAs(none.startRun(RunSpec.builder("env").build()));
            assertThat(run.startStep()).isSameAs(run.startStep());
        }
    }

    private Run start() {
        return sinks.startRun(RunSpec.builder("env").build());
    }

    private Ledger ledger() {
        return sinks.statuses().get(0).ledger();
    }
}
