import dev.rlm.sinks.Evaluation;
import dev.rlm.sinks.ModelCall;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Scope;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Span;
import java.util.Map;

/**
 * A training loop that tells where its time goes and how training goes on. Each iteration is a run, whose phases are
 * spans; its numbers are reported as they come.
 *
 * <pre>
 * ./rlm sinks                                              # builds rlm
 * java -cp 'tools/cli/target/rlm.jar:tools/cli/target/lib/*' examples/TrainingLoop.java
 * ./rlm report --phases
 * ./rlm report --metrics
 * </pre>
 */
public final class TrainingLoop {
    private static final int ITERATIONS = 5;

    public static void main(String[] arguments) {
        try (Sinks sinks = Sinks.fromEnvironment()) {
            for (int iteration = 0; iteration < ITERATIONS; iteration++) {
                double meanReward = iterate(sinks, iteration);
                sinks.metrics("trainer", Map.of("global_step", iteration, "loss", 1.0 / (1 + iteration)));
                sinks.metrics("evaluator", Map.of("global_step", iteration, "mean_return", meanReward, "episodes", 2));
            }
        }
    }

    private static double iterate(Sinks sinks, int iteration) {
        RunSpec spec = RunSpec.builder("training").model("policy-" + iteration).build();
        return sinks.call(spec, run -> {
            try (Span generate = run.span("generate")) {
                generate.attribute("episodes", 2);
                act(run);
                act(run);
            }
            double reward = iteration / (double) ITERATIONS;
            try (Span scoring = run.span("reward");
                    Evaluation judge = run.startEvaluation("judge")) {
                judge.reward(reward);
            }
            try (Span train = run.span("train");
                    Scope ofTrain = train.makeCurrent()) {
                // what is called here, and traced, lies in this span
            }
            run.complete("");
            return reward;
        });
    }

    private static void act(Run run) {
        run.step("what now?", step -> {
            try (Span think = step.span("think");
                    ModelCall call = think.startModelCall("example", "policy")) {
                call.message("user", "what now?").reply("north");
            }
            step.action("move", "north");
            step.complete("moved");
        });
    }
}
