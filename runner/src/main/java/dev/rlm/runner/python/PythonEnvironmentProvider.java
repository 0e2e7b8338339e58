package dev.rlm.runner.python;

import dev.rlm.episodes.Environment;
import dev.rlm.episodes.EnvironmentProvider;
import dev.rlm.episodes.Sample;
import dev.rlm.episodes.SampleRequest;
import dev.rlm.episodes.Samples;
import dev.rlm.episodes.SetupException;
import dev.rlm.runner.calc.Problem;
import java.io.IOException;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Makes environments in which agents write Python. Looks once whether their sandbox works here. */
public final class PythonEnvironmentProvider implements EnvironmentProvider {
    /** Its environments' name. */
    public static final String NAME = PythonEnvironment.NAME;

    private final ExecutionOptions options;
    private final boolean shaping; // whether code that fails costs a tenth
    private @Nullable Python python;

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
        options.check();
        Python found = Python.find(options.python());
        try (Interpreter trial = Interpreter.start(found, options)) {
            Reply reply = trial.run("6 * 7");
            if (!reply.output().equals("42\n")) {
                throw new IOException(reply.output() + reply.error());
            }
        } catch (IOException e) {
            throw new SetupException(
                    complaint(found, String.valueOf(e.getMessage()).replaceAll("\\s+", " ")));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SetupException("--env python: interrupted");
        }
        python = found;
    }

    private String complaint(Python found, String reason) {
        return options.sandbox() == Sandbox.NONE
                ? "--env python cannot start " + found.executable() + ": " + reason
                : "--env python needs a sandbox, and bubblewrap does not work here (" + reason + "): install bubblewrap"
                        + " 0.8 or newer (apt-get install bubblewrap) and allow user namespaces, or run the code without"
                        + " a sandbox by --unsafe-exec";
    }

    @Override
    public Samples samples(SampleRequest request) {
        return Problem.samples(request);
    }

    @Override
    public Environment create(Sample sample) {
        return new PythonEnvironment((Problem) sample, shaping, Objects.requireNonNull(python, "not opened"), options);
    }

    @Override
    public Map<String, Object> params() {
        return Map.of("shaping", shaping, "sandbox", options.sandbox().label());
    }
}
