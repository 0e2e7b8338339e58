package dev.rlm.cli.doors;

import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Message;
import dev.rlm.sinks.event.ModelCalledBuilder;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RewardComponent;
import dev.rlm.sinks.event.RewardGivenBuilder;
import dev.rlm.sinks.event.RunEndedBuilder;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunInfoBuilder;
import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.event.RunStatus;
import dev.rlm.sinks.event.SpanRecordedBuilder;
import dev.rlm.sinks.event.StepEndedBuilder;
import dev.rlm.sinks.event.StepStarted;
import dev.rlm.sinks.event.ToolCalled;
import dev.rlm.sinks.event.ToolCalledBuilder;
import dev.rlm.sinks.event.Usage;
import dev.rlm.sinks.testkit.Events;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;

/** A run that a seed describes, without what follows: its numbers, but those that others name, and its totals are of no account. */
final class GeneratedRun {
    private static final double[] REWARDS = {
        Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, 0, -0.0, 0.5, -0.25, 1, 0.1, 1e300
    };

    private final SplittableRandom random;
    private final RunInfo run;
    private final List<RunEvent> events = new ArrayList<>();
    private final Deque<StepStarted> open = new ArrayDeque<>();
    private long nanos;
    private int steps;

    private GeneratedRun(long seed) {
        random = new SplittableRandom(seed);
        run = RunInfoBuilder.builder()
                .runId("run-" + seed)
                .startedAt(Events.START)
                .environment("calc")
                .model("a-model")
                .passReward(0.5)
                .build();
    }

    static List<RunEvent> of(long seed) {
        GeneratedRun generated = new GeneratedRun(seed);
        generated.make();
        return generated.events;
    }

    private void make() {
        events.add(new RunStarted(run, seq()));
        for (int i = random.nextInt(14); i > 0; i--) {
            switch (random.nextInt(7)) {
                case 0, 1 -> startStep();
                case 2 -> endStep();
                case 3 -> call(0);
                case 4 -> span();
                default -> reward();
            }
        }
        end();
    }

    private long seq() {
        return events.size() + 1L;
    }

    private long later() {
        nanos += 1 + random.nextInt(1_000);
        return nanos;
    }

    private int place() {
        return open.isEmpty() || random.nextInt(4) == 0
                ? RunEvent.NO_STEP
                : open.getFirst().step();
    }

    private void startStep() {
        if (open.size() < 3) {
            int parent = place();
            StepStarted start = new StepStarted(run, seq(), later(), ++steps, parent, Content.redacted("seen"));
            open.push(start);
            events.add(start);
        }
    }

    private void endStep() {
        if (!open.isEmpty()) {
            boolean failed = random.nextBoolean();
            events.add(StepEndedBuilder.builder()
                    .started(open.pop())
                    .seq(seq())
                    .nanos(later())
                    .actionType("say")
                    .success(!failed)
                    .error(failed ? Content.redacted("no") : null)
                    .build());
        }
    }

    /** Adds a call of a model, and one of a tool that goes on beside it. */
    private void call(long parentSeq) {
        int step = parentSeq == 0 ? place() : events.get(events.size() - 1).step();
        long start = later();
        events.add(ModelCalledBuilder.builder()
                .run(run)
                .seq(seq())
                .startNanos(start)
                .nanos(start + 3)
                .step(step)
                .parentSeq(parentSeq)
                .provider("openai")
                .model("a-model")
                .reply(new Message(Message.ASSISTANT, Content.redacted("12"), List.of(), null))
                .usage(new Usage(random.nextLong(99), 1L, null, null))
                .build());
        boolean failed = random.nextBoolean();
        events.add(ToolCalledBuilder.builder()
                .run(run)
                .seq(seq())
                .startNanos(start + 1)
                .nanos(start + 2)
                .step(step)
                .parentSeq(parentSeq)
                .tool("search")
                .provider(ToolCalled.FUNCTION)
                .statusCode(failed ? RunStatus.UNAVAILABLE : RunStatus.OK)
                .error(failed ? Content.redacted("down") : null)
                .build());
        nanos = start + 4;
    }

    private void span() {
        long seq = seq();
        long start = later();
        SpanRecordedBuilder span = SpanRecordedBuilder.builder()
                .run(run)
                .seq(seq)
                .startNanos(start)
                .step(place())
                .name("plan");
        int at = events.size();
        events.add(span.build());
        call(seq);
        events.set(at, span.nanos(later()).build());
    }

    private void reward() {
        double value = REWARDS[random.nextInt(REWARDS.length)];
        long at = later();
        events.add(RewardGivenBuilder.builder()
                .run(run)
                .seq(seq())
                .startNanos(at)
                .nanos(at)
                .step(place())
                .source(random.nextBoolean() ? "judge" : "tests")
                .value(value)
                .absence(Double.isNaN(value) ? "did not run" : null)
                .components(List.of(new RewardComponent("time", random.nextDouble(), 1, null)))
                .build());
    }

    private void end() {
        Outcome outcome =
                List.of(Outcome.COMPLETED, Outcome.FAILED, Outcome.ABORTED).get(random.nextInt(3));
        boolean coded = random.nextBoolean();
        boolean truncated = outcome == Outcome.COMPLETED && random.nextBoolean();
        int code = coded ? RunStatus.UNAVAILABLE : RunStatus.INTERNAL;
        events.add(RunEndedBuilder.builder()
                .run(run)
                .seq(seq())
                .nanos(later())
                .outcome(outcome)
                .status(RunStatus.of(code, "no way on"))
                .truncated(truncated)
                .build());
    }
}
