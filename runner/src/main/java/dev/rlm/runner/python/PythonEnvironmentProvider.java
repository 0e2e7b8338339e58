package dev.rlm.runner.python;

import dev.rlm.episodes.Environment;
import dev.rlm.episodes.EnvironmentProvider;
import dev.rlm.episodes.Sample;
import dev.rlm.episodes.SampleRequest;
import dev.rlm.episodes.Samples;
import dev.rlm.episodes.SetupException;
import dev.rlm.runner.demo.Problem;
import dev.rlm.runner.sandbox.ExecutionOptions;
import dev.rlm.runner.sandbox.SandboxedPython;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Makes environments in which agents write Python. Looks once whether their sandbox works here. */
public final class PythonEnvironmentProvider implements EnvironmentProvider {
    /** Its environments' name. */
    public static final String NAME = PythonEnvironment.NAME;

    private final ExecutionOptions options;
    private final boolean shaping; // whether code that fails costs a tenth
    private @Nullable SandboxedPython python;

    public PythonEnvironmentProvider(ExecutionOptions options, boolean shaping) {
        this.options = options;
        this.shaping = shaping;
    }

    @Override
    public String name() {
        return PythonEnvironment.NAME;
    }

    @Override
    public void open(Map<String, String> settings) throws SetupException {
        EnvironmentProvider.super.open(settings);
        python = SandboxedPython.open(name(), options, options.sandbox());
    }

    @Override
    public Samples samples(SampleRequest request) {
        return Problem.samples(request);
    }

    @Override
    public Environment create(Sample sample) {
        return new PythonEnvironment((Problem) sample, shaping, Objects.requireNonNull(python, "not opened"));
    }

    @Override
    public Map<String, Object> params() {
        return Map.of("shaping", shaping, "sandbox", options.sandbox().label());
    }
}
