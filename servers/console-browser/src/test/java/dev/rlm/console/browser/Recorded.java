package dev.rlm.console.browser;

import static dev.rlm.sinks.testkit.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.ModelCall;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.ToolCall;
import dev.rlm.sinks.jsonl.JsonlSink;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Base64;

/** A journal with two steps of a training, a validation, failures and rewards of two parts. */
final class Recorded {
    static final String AGENT = "agent-run";

    /** A red dot. */
    private static final byte[] PICTURE = Base64.getDecoder()
            .decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==");

    private Recorded() {}

    static void into(Path journal) {
        recordAgent(journal);
        long second = Instant.now().getEpochSecond();
        await().until(() -> Instant.now().getEpochSecond() > second); // writers of one second have no order
        for (int step = 1; step <= 3; step++) {
            assertThat(Site.rlm(
                            journal,
                            "run",
                            "--samples=6",
                            "--rollouts=3",
                            "--error-rate=0.2",
                            "--seed=" + step,
                            "--train-step=" + step,
                            "--policy-version=v" + step,
                            "--tag=side=" + (step == 1 ? "a" : "b"),
                            "--reward=exact=1.0,brevity=-0.1"))
                    .isZero();
        }
        assertThat(Site.rlm(
                        journal,
                        "run",
                        "--samples=4",
                        "--rollouts=2",
                        "--split=validation",
                        "--train-step=3",
                        "--policy-version=v3"))
                .isZero();
    }

    /** A run that repeats itself, speaks Markdown and keeps files. */
    private static void recordAgent(Path journal) {
        try (Sinks sinks = Sinks.builder()
                        .add("jsonl", JsonlSink.builder().directory(journal).build())
                        .build();
                Run run = sinks.startRun(RunSpec.builder("shop")
                        .runId(AGENT)
                        .task("# buy **milk**")
                        .build())) {
            for (int number = 1; number <= 8; number++) {
                try (Step step = run.startStep("shelf")) {
                    try (ModelCall call = step.startModelCall("ask", "large")) {
                        call.message("user", "where is it?")
                                .reply("- go to [the shelf](https://shop.example/)\n- take **one**");
                    }
                    try (ToolCall call = step.startToolCall("look")) {
                        call.arguments("{\"at\":\"shelf\"}");
                        call.result("nothing");
                    }
                    step.complete("nothing");
                }
            }
            run.artifact("shelf.png", "image/png", PICTURE);
            run.artifact("receipt <b>.txt", "text/plain", "paid".getBytes(StandardCharsets.UTF_8));
            run.complete("no milk");
        }
    }
}
