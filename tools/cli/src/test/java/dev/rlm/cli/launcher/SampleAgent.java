package dev.rlm.cli.launcher;

import dev.rlm.sinks.ModelCall;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.ToolCall;
import dev.rlm.sinks.event.RewardComponent;
import dev.rlm.sinks.event.RunStatus;
import dev.rlm.sinks.event.Usage;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A program that records all that a dashboard can show: environments, models, calls that work and calls that fail,
 * rewards of all kinds, runs that end in every way. Its one argument is how many seconds it takes.
 */
public final class SampleAgent {
    private static final int RUNS = 24;
    private static final int STEPS = 3;
    private static final List<String> ENVIRONMENTS = List.of("maze", "shop");
    private static final List<String> MODELS = List.of("large", "medium", "small");
    private static final double[] REWARDS = {1, -0.05, 0, -1, 0.5, -0.25, Double.NaN, 2.5, Double.POSITIVE_INFINITY, 0.1
    };

    private final long pauseNanos;
    private int rewards;

    private SampleAgent(double seconds) {
        pauseNanos = (long) (seconds * TimeUnit.SECONDS.toNanos(1) / (RUNS * STEPS));
    }

    public static void main(String[] arguments) throws InterruptedException {
        try (Sinks sinks = Sinks.fromEnvironment()) {
            SampleAgent agent = new SampleAgent(Double.parseDouble(arguments[0]));
            for (int number = 0; number < RUNS; number++) {
                agent.run(sinks, number);
            }
            sinks.close(Duration.ofMinutes(2)); // a back end on a busy machine takes longer than the usual five seconds
        }
    }

    private void run(Sinks sinks, int number) throws InterruptedException {
        RunSpec spec = RunSpec.builder(ENVIRONMENTS.get(number % ENVIRONMENTS.size()))
                .model(MODELS.get(number % MODELS.size()))
                .task("task " + number)
                .build();
        try (Run run = sinks.startRun(spec)) {
            for (int step = 0; step < STEPS; step++) {
                step(run, spec.model(), number + step);
            }
            end(run, number);
        }
    }

    private static void end(Run run, int number) {
        switch (number % 6) {
            case 3 -> run.fail(new IllegalStateException("no way out"));
            case 4 -> run.abort("stopped");
            default -> {
                List<RewardComponent> parts = List.of(
                        new RewardComponent("accuracy", number % 3, 0.5, null),
                        new RewardComponent("length", -number, 0, "{token}"));
                run.reward(number % 2 == 0 ? "tests" : "judge", number % 6 == 1 ? 0.25 : 1, parts);
                run.metric("turns_used", number % 4);
                run.complete("answer " + number);
            }
        }
    }

    private void step(Run run, String model, int number) throws InterruptedException {
        try (Step step = run.startStep("what now?")) {
            TimeUnit.NANOSECONDS.sleep(pauseNanos);
            ask(step, model, number);
            use(step, number);
            step.reward(REWARDS[rewards++ % REWARDS.length]);
            step.action("move", "go(" + number + ")");
            if (number % 5 == 0) {
                step.fail("a wall");
            } else {
                step.complete("gone");
            }
        }
    }

    private static void ask(Step step, String model, int number) {
        try (ModelCall call = step.startModelCall("sample", model)) {
            call.message("user", "where to?");
            if (number % 7 == 0) {
                call.fail("overloaded");
            } else {
                call.reply("north").usage(new Usage(100L + number, 10L + number, null, null));
            }
        }
    }

    private static void use(Step step, int number) {
        try (ToolCall call = step.startToolCall(number % 2 == 0 ? "map" : "compass")) {
            call.arguments("{}");
            if (number % 4 == 0) {
                call.fail(RunStatus.INTERNAL, "torn");
            } else {
                call.result("north");
            }
        }
    }
}
