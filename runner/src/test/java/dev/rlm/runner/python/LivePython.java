package dev.rlm.runner.python;

import dev.rlm.episodes.Action;
import dev.rlm.episodes.Answer;
import dev.rlm.episodes.Environment;
import dev.rlm.episodes.SampleRequest;
import dev.rlm.runner.calc.CalcEnvironment;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;
import picocli.CommandLine;

/** The environment as a run uses it, with those options. */
final class LivePython implements AutoCloseable {
    private final PythonEnvironmentProvider provider;
    private final Environment environment;
    private final Sinks sinks = Sinks.builder().build();
    private final Run run = sinks.startRun(RunSpec.builder("python").build());
    private final Step step = run.startStep();

    private LivePython(PythonEnvironmentProvider provider, Environment environment) {
        this.provider = provider;
        this.environment = environment;
    }

    static LivePython with(String... options) throws Exception {
        PythonEnvironmentProvider provider =
                new PythonEnvironmentProvider(CommandLine.populateCommand(new ExecutionOptions(), options), false);
        provider.open(Map.of());
        return new LivePython(
                provider,
                provider.create(provider.samples(new SampleRequest(null, false, 1, 1))
                        .samples()
                        .get(0)));
    }

    /** Skips the test where its programs are missing, and says so; where all has to be there it fails. */
    static void require(String... programs) throws InterruptedException {
        for (String program : programs) {
            if (!isThere(program)) {
                String missing = "there is no " + program + " here";
                if (Boolean.parseBoolean(System.getenv("RLM_REQUIRE_BACKENDS"))) {
                    throw new AssertionError(missing);
                }
                System.err.println("Skipped: " + missing);
                Assumptions.abort(missing);
            }
        }
    }

    private static boolean isThere(String program) throws InterruptedException {
        try {
            return new ProcessBuilder(program, "--version")
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException e) {
            return false;
        }
    }

    Answer does(String code) throws Exception {
        return environment.step(new Action("python", code), step);
    }

    Answer submits(String answer) throws Exception {
        return environment.step(new Action(CalcEnvironment.SUBMIT, answer), step);
    }

    @Override
    public void close() {
        environment.close();
        provider.close();
        step.close();
        run.close();
        sinks.close();
    }
}
