package dev.rlm.sinks.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.Activity;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Scope;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.ToolCall;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.StepEnded;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Many runs at once on every kind of thread: parallel and nested steps, steps that other threads end than began them, child
 * runs on other threads, threads that are interrupted. Also a program, for a Java that has virtual threads.
 */
final class ThreadStress {
    private static final Duration LONG = Duration.ofMinutes(2);
    private static final int RUNS = 500;
    private static final int STEPS = 10;
    private static final int TAGS = 4;
    private static final int EVENTS = 2 + STEPS * 4 + 4; // a run's, with its nested steps

    private ThreadStress() {}

    public static void main(String[] arguments) throws Exception {
        Object threads =
                Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        run((ExecutorService) threads);
        System.out.println("done");
    }

    /** Does it all on the given threads, and fails where a number is not as it must be. */
    static void run(ExecutorService threads) throws Exception {
        Recorder fast = new Recorder();
        Recorder slow = new Recorder() {
            @Override
            public void onEvent(Event event) {
                super.onEvent(event);
                for (int i = 0; i < 1_000; i++) {
                    Thread.onSpinWait();
                }
            }

            @Override
            public boolean isDurable() {
                return true;
            }
        };
        try (Sinks sinks = Sinks.builder()
                .add("fast", fast)
                .add("slow", slow)
                .heartbeat(Duration.ZERO)
                .build()) {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < RUNS; i++) {
                int number = i;
                all.add(threads.submit(() -> parent(sinks, threads, number)));
            }
            for (Future<?> one : all) {
                one.get();
            }
            sinks.close(LONG);
            long events = 2L * RUNS * EVENTS;
            assertThat(sinks.statuses())
                    .extracting(status -> status.ledger().delivered())
                    .containsExactly(events, events + 1); // the one that keeps the record is told the ledger too
            assertThat(sinks.statuses()).allMatch(status -> status.ledger().lost() == 0);
        }
        check(fast);
        check(slow);
    }

    private static Void parent(Sinks sinks, ExecutorService threads, int number) throws Exception {
        Run run =
                sinks.startRun(RunSpec.builder("env").runId("parent " + number).build());
        Future<Void> child = threads.submit(() -> {
            Thread.currentThread().interrupt(); // as by somebody who wants the work to end: what it records must arrive
            whole(
                    sinks.startRun(RunSpec.builder("env")
                            .runId("child " + number)
                            .parent(run)
                            .build()),
                    threads,
                    false);
            assertThat(Thread.interrupted()).isTrue();
            return null;
        });
        whole(run, threads, true);
        child.get();
        return null;
    }

    private static void whole(Run run, ExecutorService threads, boolean parallel) throws Exception {
        List<Future<?>> ends = new ArrayList<>();
        for (int i = 0; i < STEPS; i++) {
            Step step = run.startStep();
            if (parallel) {
                ends.add(threads.submit(() -> finish(step)));
            } else {
                finish(step);
            }
        }
        for (Future<?> end : ends) {
            end.get();
        }
        try (Step outer = run.startStep();
                Step inner = outer.startStep("")) {
            inner.complete("");
            outer.complete("");
        }
        run.complete("");
    }

    private static void finish(Step step) {
        try (Scope scope = step.makeCurrent();
                ToolCall call = Activity.current().startToolCall("tool")) {
            call.arguments("{}");
            call.result("{}");
        }
        for (int tag = 0; tag < TAGS; tag++) {
            step.tag("tag " + tag, "");
        }
        step.reward(0.5);
        step.complete("");
    }

    private static void check(Recorder sink) {
        Map<String, Long> last = new HashMap<>();
        for (RunEvent event : sink.events(RunEvent.class)) {
            Long before = last.put(event.run().runId(), event.seq());
            assertThat(event.seq()).isEqualTo(before == null ? 1 : before + 1);
        }
        assertThat(last).hasSize(2 * RUNS);
        assertThat(sink.events(StepEnded.class))
                .filteredOn(end -> !Double.isNaN(end.reward()) && end.reward() > 0)
                .hasSize(2 * RUNS * STEPS)
                .allMatch(end -> end.tags().size() == TAGS && end.success());
        assertThat(sink.events(RunEnded.class))
                .hasSize(2 * RUNS)
                .allMatch(end -> end.totalReward() == STEPS * 0.5 && end.steps() == STEPS + 2);
    }
}
