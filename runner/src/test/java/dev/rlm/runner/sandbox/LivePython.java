package dev.rlm.runner.sandbox;

import dev.rlm.cli.testkit.Programs;
import dev.rlm.episodes.Action;
import dev.rlm.episodes.Answer;
import dev.rlm.episodes.Environment;
import dev.rlm.episodes.SampleRequest;
import dev.rlm.episodes.Samples;
import dev.rlm.runner.demo.CalcEnvironment;
import dev.rlm.runner.python.PythonEnvironmentProvider;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;

/** The environment as a run uses it, with those options. */
public final class LivePython implements AutoCloseable {
    private static final String EXECUTABLE =
            Programs.python().toString(); // found once: what finds it may be a slow script

    private final PythonEnvironmentProvider provider;
    private final Environment environment;
    private final Sinks sinks = Sinks.builder().build();
    private final Run run = sinks.startRun(RunSpec.builder("python").build());
    private final Step step = run.startStep();

    private LivePython(PythonEnvironmentProvider provider, Environment environment) {
        this.provider = provider;
        this.environment = environment;
    }

    public static LivePython with(String... options) throws Exception {
        String[] all = Stream.concat(Stream.of("--python", EXECUTABLE), Arrays.stream(options))
                .toArray(String[]::new);
        PythonEnvironmentProvider provider =
                new PythonEnvironmentProvider(CommandLine.populateCommand(new ExecutionOptions(), all), false);
        provider.open(Map.of());
        Samples samples = provider.samples(new SampleRequest(null, false, 1, 1));
        return new LivePython(provider, provider.create(samples.samples().get(0)));
    }

    public Answer does(String code) throws Exception {
        return environment.step(new Action("python", code), step);
    }

    public Answer submits(String answer) throws Exception {
        return environment.step(new Action(CalcEnvironment.SUBMIT, answer), step);
    }

    public @Nullable String state() {
        return environment.state();
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
