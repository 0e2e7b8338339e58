package dev.rlm.benchmarks.caller;

import dev.rlm.benchmarks.AllSinks;
import dev.rlm.benchmarks.redaction.VariedTexts;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Scope;
import dev.rlm.sinks.Step;
import java.io.IOException;
import java.io.UncheckedIOException;

/** The hub with all sinks. */
final class Rlm implements Recorder {
    private final boolean current;
    private final AllSinks sinks = new AllSinks();

    /** One whose steps are current while they last, or are not. */
    Rlm(boolean current) throws IOException {
        this.current = current;
    }

    @Override
    public Track track() {
        Run run =
                sinks.hub().startRun(RunSpec.builder("benchmark").task("a task").build());
        return current ? number -> currentStep(run, number) : number -> step(run, number);
    }

    private static void step(Run run, int number) {
        try (Step step = run.startStep()) {
            record(step, number);
        }
    }

    private static void currentStep(Run run, int number) {
        try (Step step = run.startStep();
                Scope ignored = step.makeCurrent()) {
            record(step, number);
        }
    }

    private static void record(Step step, int number) {
        step.action("run_python", VariedTexts.code(number));
        step.reward(0.5);
        step.complete(VariedTexts.output(number));
    }

    @Override
    public void settle() {
        sinks.settle();
    }

    @Override
    public void close() {
        try {
            sinks.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
