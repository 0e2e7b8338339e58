package dev.rlm.cli.launcher;

import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.jsonl.JsonlSink;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Program that a debugger watches while one step is completed and comes to the disk: between {@link #begin} and {@link #end}. */
final class OneStep {
    private static final int EARLIER_STEPS = 5;

    private OneStep() {}

    static void begin() {}

    static void end() {}

    public static void main(String[] args) throws InterruptedException {
        Sinks hub = Sinks.builder()
                .add("jsonl", JsonlSink.builder().directory(Path.of(args[0])).build())
                .build();
        Run run = hub.startRun(RunSpec.builder("task").build());
        for (int i = 0; i < EARLIER_STEPS; i++) {
            start(run).complete("output");
        }
        Step step = start(run);
        awaitDelivered(hub); // and no flush, which would have a ledger recorded
        begin();
        step.complete("output");
        Thread watcher =
                new Thread(() -> awaitDelivered(hub), "watcher"); // so that what it asks is not on the step's way
        watcher.start();
        watcher.join();
        end();
    }

    private static Step start(Run run) {
        Step step = run.startStep("observation");
        step.action("code", "print(1)");
        return step;
    }

    private static void awaitDelivered(Sinks hub) {
        while (hub.statuses().get(0).ledger().queued() > 0) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
        }
    }
}
