package dev.rlm.runner.python;

import dev.rlm.episodes.Environment;
import dev.rlm.episodes.EnvironmentProvider;
import dev.rlm.episodes.Sample;
import dev.rlm.episodes.SampleRequest;
import dev.rlm.episodes.Samples;
import dev.rlm.episodes.SetupException;
import dev.rlm.runner.calc.Problem;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Makes environments in which agents write Python. Looks once whether their sandbox works here. */
public final class PythonEnvironmentProvider implements EnvironmentProvider {
    /** Its environments' name. */
    public static final String NAME = PythonEnvironment.NAME;

    private final ExecutionOptions options;
    private final boolean shaping;
    private @Nullable Interpreters interpreters;

    /**
     * A provider.
     *
     * @param shaping whether code that fails costs a tenth
     */
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
        Limits limits = options.limits();
        Interpreters found = new Interpreters(Python.find(options.python()), options.sandbox(), limits);
        found.check();
        interpreters = found;
    }

    @Override
    public Samples samples(SampleRequest request) {
        return Problem.samples(request);
    }

    @Override
    public Environment create(Sample sample) {
        return new PythonEnvironment((Problem) sample, shaping, Objects.requireNonNull(interpreters, "not opened"));
    }

    @Override
    public Map<String, Object> params() {
        return Map.of("shaping", shaping, "sandbox", options.sandbox().label());
    }
}
