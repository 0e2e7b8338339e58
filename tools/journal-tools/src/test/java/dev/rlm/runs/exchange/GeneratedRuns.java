package dev.rlm.runs.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.Evaluation;
import dev.rlm.sinks.ModelCall;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Span;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.ToolCall;
import dev.rlm.sinks.event.CorrelationBuilder;
import dev.rlm.sinks.event.RewardComponent;
import dev.rlm.sinks.event.RunStatus;
import dev.rlm.sinks.event.TokenTrace;
import dev.rlm.sinks.event.Usage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/** Runs with all that a run can have, by a seed, recorded as programs do it. */
final class GeneratedRuns {
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final String TOOLS = """
            [{"type":"function","function":{"name":"look","parameters":{"type":"object"}}}]""";

    private final SplittableRandom random;
    private final List<Integer> tokens = new ArrayList<>(); // of the conversation so far

    GeneratedRuns(long seed) {
        random = new SplittableRandom(seed);
    }

    void record(Sinks sinks, int runs) {
        for (int i = 0; i < runs; i++) {
            tokens.clear();
            try (Run run = sinks.startRun(spec(i))) {
                run(run);
            }
            if (often(4)) {
                sinks.reward("run-" + i, "person", random.nextInt(5) / 4.0, List.of());
            }
            if (i % 50 == 49) {
                assertThat(sinks.flush(PATIENCE).isComplete()).isTrue(); // recorded faster than any disk writes
            }
        }
    }

    private RunSpec spec(int number) {
        return RunSpec.builder("env-" + random.nextInt(2))
                .runId("run-" + number)
                .model("model-" + random.nextInt(3))
                .task(text(40))
                .expectedAnswer(text(3))
                .maxSteps(random.nextInt(9))
                .seed(random.nextLong())
                .param("temperature", random.nextDouble())
                .param("stop", List.of("a", "b"))
                .tag("team", "team-" + random.nextInt(2))
                .correlation(CorrelationBuilder.builder()
                        .sample(often(8) ? null : "sample-" + random.nextInt(99))
                        .rollout(often(2) ? null : "rollout-" + number)
                        .attempt(often(2) ? null : 1)
                        .split(often(2) ? "train" : "test")
                        .trainStep(often(2) ? null : random.nextLong(9))
                        .policyVersion(often(2) ? null : "v" + random.nextInt(3))
                        .parentRun(number > 9 && often(9) ? "run-" + random.nextInt(number) : null)
                        .build())
                .build();
    }

    private void run(Run run) {
        for (int i = random.nextInt(4); i > 0; i--) {
            try (Step step = run.startStep(text(9))) {
                step(step);
            }
        }
        if (often(3)) {
            try (Evaluation judge = run.startEvaluation("judge")) {
                call(judge::startModelCall);
                judge.reward(random.nextDouble() - 0.5);
            }
        }
        if (often(9)) {
            run.rewardAbsent("judge", "no answer");
        } else if (often(2)) {
            run.reward("exact", 1, List.of(new RewardComponent("format", random.nextDouble(), 0.5, null)));
        }
        run.metric("turns", random.nextInt(9));
        switch (random.nextInt(8)) {
            case 0 -> run.fail(RunStatus.UNAVAILABLE, new IllegalStateException(text(9)));
            case 1 -> run.truncate("max_steps", null);
            case 2 -> run.abort("stopped");
            default -> run.complete(text(9), often(2) ? "stop" : null);
        }
    }

    private void step(Step step) {
        if (often(3)) {
            try (Span span = step.span("think")) {
                call(span::startModelCall);
            }
        }
        for (int i = random.nextInt(3); i > 0; i--) {
            call(step::startModelCall);
        }
        if (often(2)) {
            try (ToolCall tool = step.startToolCall("look")) {
                tool.callId("call-" + random.nextInt(9)).arguments("{\"at\":\"" + random.nextInt() + "\"}");
                if (often(3)) {
                    tool.fail(RunStatus.INTERNAL, text(5));
                } else {
                    tool.result(text(20));
                }
            }
        }
        step.action("code", text(20));
        if (often(3)) {
            step.reward(random.nextInt(3) / 2.0);
        }
        if (often(5)) {
            step.fail(text(5), text(5));
        } else {
            step.complete(text(20));
        }
    }

    private void call(Start start) {
        try (ModelCall call = start.call("p", "m")) {
            call.parameter("temperature", 0.5).toolDefinitions(TOOLS).systemInstructions(text(9));
            for (int i = random.nextInt(1, 4); i > 0; i--) {
                message(call);
            }
            if (often(9)) {
                call.fail(text(5));
                return;
            }
            if (often(3)) {
                call.replyParts(parts -> parts.reasoning(text(9)).text(text(9)));
            } else {
                call.reply(text(9));
            }
            if (often(3)) {
                call.toolRequest("call-" + random.nextInt(9), "look", "{}");
            }
            call.usage(new Usage(random.nextLong(99), often(2) ? null : 7L, null, 1L))
                    .cost(random.nextInt(9) / 8.0, "USD")
                    .finishReason(often(5) ? "length" : "stop");
            if (!often(6)) {
                call.tokens(tokens());
            }
        }
    }

    private void message(ModelCall call) {
        switch (random.nextInt(4)) {
            case 0 ->
                call.messageParts(
                        "user", parts -> parts.text(text(5)).image("https://example.org/a.png", "image/png", null));
            case 1 -> call.shownToolRequest("call-1", "look", "{}");
            case 2 -> call.toolMessage("call-1", text(9));
            default -> call.message("user", text(9));
        }
    }

    /** Those that continue the conversation, or do not, or are not whole. */
    private TokenTrace tokens() {
        if (often(4) && !tokens.isEmpty()) {
            tokens.subList(random.nextInt(tokens.size()), tokens.size()).clear();
        }
        tokens.addAll(ids(random.nextInt(1, 6)));
        List<Integer> prompt = List.copyOf(tokens);
        List<Integer> response = ids(random.nextInt(often(9) ? 1 : 2, 6) - 1);
        int logs = often(6) ? 0 : often(9) ? 1 : response.size();
        tokens.addAll(response);
        return new TokenTrace(
                prompt,
                response,
                IntStream.range(0, logs).mapToObj(i -> -random.nextDouble()).toList(),
                "w" + random.nextInt(2));
    }

    private List<Integer> ids(int count) {
        return random.ints(count, 1, 50_000).boxed().toList();
    }

    private String text(int words) {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(words + 1); i > 0; i--) {
            text.append(
                    switch (random.nextInt(9)) {
                        case 0 -> "\n";
                        case 1 -> "\"größe\\ ";
                        case 2 -> "\uD83D\uDE00 ";
                        case 3 -> "{\"a\":1} ";
                        default -> Integer.toString(random.nextInt(10_000), Character.MAX_RADIX) + " ";
                    });
        }
        return text.toString();
    }

    private boolean often(int oneIn) {
        return random.nextInt(oneIn) == 0;
    }

    private interface Start {
        ModelCall call(String provider, String model);
    }
}
