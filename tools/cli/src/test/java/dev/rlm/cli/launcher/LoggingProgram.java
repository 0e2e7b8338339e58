package dev.rlm.cli.launcher;

import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Scope;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Span;
import dev.rlm.sinks.Step;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A program that does several runs at a time and logs, in each line, for which of them: {@code at=run-1/2/think}. */
public final class LoggingProgram {
    static final int RUNS = 6;
    static final int STEPS = 3;

    private static final int RUNNERS = 3;
    private static final Logger LOG = LoggerFactory.getLogger(LoggingProgram.class);

    private final CyclicBarrier together = new CyclicBarrier(RUNNERS); // so that runs are at work at the same time
    private final ExecutorService shared = Scope.wrap(Executors.newFixedThreadPool(2));
    private final ExecutorService unwrapped = Executors.newSingleThreadExecutor();

    private LoggingProgram() {}

    public static void main(String[] arguments) throws Exception {
        LoggingProgram program = new LoggingProgram();
        ExecutorService runners = Executors.newFixedThreadPool(RUNNERS);
        try (Sinks sinks = Sinks.fromEnvironment()) {
            List<Future<?>> runs = new ArrayList<>();
            for (int i = 0; i < RUNS; i++) {
                String id = "run-" + i;
                runs.add(runners.submit(() -> program.run(sinks, id)));
            }
            for (Future<?> run : runs) {
                run.get();
            }
        } finally {
            runners.shutdown();
            program.shared.shutdown();
            program.unwrapped.shutdown();
        }
    }

    private Void run(Sinks sinks, String id) throws Exception {
        LOG.info("at=none");
        try (Run run = sinks.startRun(RunSpec.builder("logging").runId(id).build());
                Scope ofRun = run.makeCurrent()) {
            together.await();
            LOG.info("at={}", id);
            for (int number = 1; number <= STEPS; number++) {
                step(run, id + "/" + number);
            }
            LOG.info("at={}", id);
            run.complete("");
        }
        LOG.info("at=none");
        return null;
    }

    private void step(Run run, String at) throws Exception {
        try (Step step = run.startStep();
                Scope ofStep = step.makeCurrent()) {
            together.await();
            LOG.info("at={}", at);
            shared.submit(() -> LOG.info("at={}", at)).get();
            unwrapped.submit(() -> LOG.info("at=none")).get();
            try (Span think = step.span("think");
                    Scope ofSpan = think.makeCurrent()) {
                LOG.info("at={}/think", at);
                shared.submit(() -> LOG.info("at={}/think", at)).get();
            }
            LOG.info("at={}", at);
            step.complete("");
        }
    }
}
