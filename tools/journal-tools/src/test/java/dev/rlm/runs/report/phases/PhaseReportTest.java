package dev.rlm.runs.report.phases;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.rlm.cli.testkit.Cli;
import dev.rlm.runs.report.Recorded;
import dev.rlm.sinks.Evaluation;
import dev.rlm.sinks.ModelCall;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Span;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.ToolCall;
import dev.rlm.sinks.jsonl.JsonlSink;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Where time goes, as {@code rlm report --phases} tells it. The clock goes on only where the test lets it. */
class PhaseReportTest {
    @TempDir
    Path directory;

    private final AtomicLong nanos = new AtomicLong();

    private void run(String model, Consumer<Run> running) {
        try (Sinks sinks = Sinks.builder()
                        .add("jsonl", JsonlSink.builder().directory(directory).build())
                        .clocks(() -> Instant.parse("2026-03-01T10:20:30Z"), nanos::get)
                        .build();
                Run run = sinks.startRun(Recorded.spec(model, "sample").build())) {
            running.accept(run);
            run.complete("");
        }
    }

    private void pass(long seconds) {
        nanos.addAndGet(Duration.ofSeconds(seconds).toNanos());
    }

    private JsonNode all() {
        return new Recorded(directory).json("--phases").get("all");
    }

    private static JsonNode row(JsonNode all, String kind, String name) {
        return StreamSupport.stream(all.get("phases").spliterator(), false)
                .filter(row -> row.get("kind").asString().equals(kind)
                        && row.get("name").asString("").equals(name))
                .findFirst()
                .orElseThrow(() -> new AssertionError(all.toString()));
    }

    private static void assertOwnSharesAddUp(JsonNode all) {
        double sum = StreamSupport.stream(all.get("phases").spliterator(), false)
                .mapToDouble(row -> row.get("own_share").asDouble())
                .sum();
        assertThat(sum).isCloseTo(1, within(1e-9));
    }

    private static void assertSeconds(JsonNode row, double total, double share, double own) {
        assertThat(row.get("total").asDouble()).as("total").isCloseTo(total, within(1e-9));
        assertThat(row.get("share").asDouble()).as("share").isCloseTo(share, within(1e-9));
        assertThat(row.get("own").asDouble()).as("own").isCloseTo(own, within(1e-9));
    }

    /** Ten seconds: generate 6 (a step of 5, in which a tool 1 and thinking 3, of which a model 2), reward 3, other 1. */
    private void pipeline(Run run) {
        try (Span generate = run.span("generate")) {
            pass(1);
            try (Step step = run.startStep()) {
                try (ToolCall tool = step.startToolCall("search")) {
                    pass(1);
                    tool.fail(13, "down");
                }
                try (Span think = step.span("think")) {
                    pass(1);
                    try (ModelCall call = think.startModelCall("openai", "m")) {
                        pass(2);
                        call.reply("go");
                    }
                }
                pass(1);
                step.complete("");
            }
        }
        try (Span reward = run.span("reward");
                Evaluation judge = run.startEvaluation("judge")) {
            pass(3);
            judge.reward(1);
            reward.fail("unsure");
        }
        pass(1);
    }

    @Test
    void time_isCountedOnce_andPhasesApartFromSpansInSteps() {
        run("m", this::pipeline);
        run("m", this::pipeline);

        JsonNode all = all();

        assertThat(all.get("runs").asInt()).isEqualTo(2);
        assertThat(all.get("seconds").asDouble()).isEqualTo(20);
        assertSeconds(row(all, "phase", "generate"), 12, 0.6, 2);
        assertSeconds(row(all, "span_in_step", "think"), 6, 0.3, 2);
        assertSeconds(row(all, "steps", ""), 10, 0.5, 2);
        assertSeconds(row(all, "model_calls", ""), 4, 0.2, 4);
        assertSeconds(row(all, "tool_calls", ""), 2, 0.1, 2);
        assertSeconds(row(all, "rewards", ""), 6, 0.3, 6);
        assertSeconds(row(all, "phase", "reward"), 6, 0.3, 0);
        assertThat(row(all, "other", "").get("own").asDouble()).isEqualTo(2);
        assertOwnSharesAddUp(all);
        assertThat(row(all, "phase", "reward").get("failed").asInt()).isEqualTo(2);
        assertThat(row(all, "tool_calls", "").get("failed").asInt()).isEqualTo(2);
        assertThat(row(all, "phase", "generate").get("failed").asInt()).isZero();
    }

    @Test
    void parallelWork_sharesTheTime() {
        run("m", run -> {
            Step step = run.startStep();
            ToolCall one = step.startToolCall("a");
            pass(2);
            ToolCall other = step.startToolCall("b");
            pass(2);
            one.result("");
            one.close();
            pass(4);
            other.result("");
            other.close();
            pass(2);
            step.complete("");
        });

        JsonNode all = all();

        assertSeconds(row(all, "tool_calls", ""), 10, 0.8, 8);
        assertSeconds(row(all, "steps", ""), 10, 1, 2);
        assertOwnSharesAddUp(all);
    }

    @Test
    void parallelSpansAndSteps_shareTheTimeByKind() {
        run("m", run -> {
            Step step = run.startStep();
            Span a = step.span("a");
            Span b = step.span("b");
            pass(3);
            a.close();
            pass(1);
            b.close();
            step.complete("");
        });

        JsonNode all = all();

        assertSeconds(row(all, "span_in_step", "a"), 3, 0.75, 1.5);
        assertSeconds(row(all, "span_in_step", "b"), 4, 1, 2.5);
        assertOwnSharesAddUp(all);
    }

    @Test
    void spanThatOutlastsItsStep_andAStepWithoutAnEnd_loseNoTime() {
        run("m", run -> {
            Step step = run.startStep();
            Span late = step.span("late");
            pass(1);
            step.complete("");
            pass(2);
            late.close();
            run.startStep();
            pass(1);
        });

        JsonNode all = all();

        assertSeconds(row(all, "span_in_step", "late"), 3, 0.75, 3);
        assertSeconds(row(all, "steps", ""), 2, 0.5, 1);
        assertOwnSharesAddUp(all);
    }

    @Test
    void lengths_areByNearestRank() {
        for (int seconds = 1; seconds <= 20; seconds++) {
            int length = seconds;
            run("m", run -> {
                try (Span span = run.span("train")) {
                    pass(length);
                }
            });
        }
        JsonNode train = row(all(), "phase", "train");
        assertThat(train.get("count").asInt()).isEqualTo(20);
        assertThat(train.get("mean").asDouble()).isEqualTo(10.5);
        assertThat(train.get("p50").asDouble()).isEqualTo(10);
        assertThat(train.get("p95").asDouble()).isEqualTo(19);
        assertThat(train.get("max").asDouble()).isEqualTo(20);
    }

    @Test
    void table_saysWhatItsSharesMean() {
        run("m", this::pipeline);
        Cli report = new Recorded(directory).report("--phases");
        assertThat(report.exitCode()).isZero();
        assertThat(report.out())
                .startsWith("1 of 1 runs in " + directory)
                .contains("TIME", "the runs took 10.0s in all", "own shares add up to 100 %");
        assertThat(report.out().lines())
                .anyMatch(line ->
                        line.matches("phase +generate +1 +6.00s +60.0 % +1.00s +10.0 % +6.00s +6.00s +6.00s +6.00s +0"))
                .anyMatch(line -> line.matches("model calls +- +1 +2.00s +20.0 % +2.00s +20.0 % .*"))
                .anyMatch(line -> line.matches("other +- +- +- +- +1.00s +10.0 % +- +- +- +- +-"));
        assertThat(new Recorded(directory).report("--phases", "--markdown").out())
                .contains("### Time", "| phase | generate | 1 | 6.00s | 60.0 % |");
    }

    @Test
    void by_tellsRunsApart_andFiltersChooseThem() {
        run("large", run -> pass(1));
        run("small", this::pipeline);
        Recorded recorded = new Recorded(directory);
        assertThat(recorded.report("--phases", "--by", "model", "--csv").out().lines())
                .hasSize(10)
                .contains("model,kind,name,count,failed,total,share,own,own_share,mean,p50,p95,max")
                .contains("large,other,,0,0,0.0,0.0,1.0,1.0,,,,")
                .contains("small,phase,generate,1,0,6.0,0.6,1.0,0.1,6.0,6.0,6.0,6.0");
        assertThat(recorded.json("--phases", "--by", "model")
                        .at("/rows/1/model")
                        .asString())
                .isEqualTo("small");
        assertThat(recorded.json("--phases", "--model", "large")
                        .at("/all/seconds")
                        .asDouble())
                .isEqualTo(1);
    }

    @Test
    void journalWithoutSuchRuns_isSaidInOneLine() {
        run("m", run -> {});
        Recorded recorded = new Recorded(directory);
        assertThat(recorded.report("--phases", "--model", "none").out())
                .isEqualToIgnoringNewLines("0 of 1 runs in " + directory);
        assertThat(recorded.report("--phases").exitCode()).isZero(); // took no time at all
        assertThat(row(all(), "other", "").get("own_share").isNull()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"--against=model=a", "--k=2", "--worst=1", "--pass-reward=1"})
    void option_thatSaysNothingOfTime_isRefused(String option) {
        run("m", run -> {});
        Cli report = new Recorded(directory).report("--phases", option);
        assertThat(report.exitCode()).isEqualTo(2);
        assertThat(report.err())
                .isEqualToIgnoringNewLines("rlm: --phases does not take " + option.replaceFirst("=.*", ""));
    }

    @Test
    void otherSubjects_excludeEachOther() {
        run("m", run -> {});
        Recorded recorded = new Recorded(directory);
        assertThat(recorded.report("--phases", "--metrics").err()).contains("mutually exclusive");
        assertThat(recorded.report("--phases", "--by=tool").err()).contains("--phases does not take --by=tool");
    }
}
