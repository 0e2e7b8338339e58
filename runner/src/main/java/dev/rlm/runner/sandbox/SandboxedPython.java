package dev.rlm.runner.sandbox;

import dev.rlm.episodes.SetupException;
import dev.rlm.sinks.Activity;
import dev.rlm.sinks.Span;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** A Python that has run code in its sandbox here. Safe for use by several threads. */
public final class SandboxedPython {
    /** Name of the span of the start of a sandbox, or of the environment that it is for. */
    public static final String START = "rlm.environment.start";

    final String environment;
    final Python python;
    private final ExecutionOptions options;
    private final Sandbox sandbox;

    private SandboxedPython(String environment, Python python, ExecutionOptions options, Sandbox sandbox) {
        this.environment = environment;
        this.python = python;
        this.options = options;
        this.sandbox = sandbox;
    }

    /**
     * Finds it, and tries it once.
     *
     * @param environment whose code it is to run, for messages
     * @throws SetupException if it does not work here
     */
    public static SandboxedPython open(String environment, ExecutionOptions options, Sandbox sandbox)
            throws SetupException {
        options.check();
        SandboxedPython found =
                new SandboxedPython(environment, Python.find(environment, options.python()), options, sandbox);
        try (Interpreter trial = found.start()) {
            SandboxReply reply = trial.run("6 * 7");
            if (!reply.output().equals("42\n")) {
                throw new IOException(reply.output() + reply.error());
            }
        } catch (IOException e) {
            throw new SetupException(
                    found.complaint(String.valueOf(e.getMessage()).replaceAll("\\s+", " ")));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SetupException("--env " + environment + ": interrupted");
        }
        return found;
    }

    private String complaint(String reason) {
        return sandbox == Sandbox.NONE
                ? "--env " + environment + " cannot start " + python.executable() + ": " + reason
                : "--env " + environment + " needs a sandbox, and bubblewrap does not work here (" + reason
                        + "): install bubblewrap 0.8 or newer (apt-get install bubblewrap) and allow user namespaces, or"
                        + " run the code without a sandbox by --unsafe-exec";
    }

    /** Returns its limits. */
    public ExecutionOptions options() {
        return options;
    }

    /** Returns what its code is run in. */
    public Sandbox sandbox() {
        return sandbox;
    }

    /** Starts an interpreter with the limits of the options. */
    public Interpreter start() throws IOException, InterruptedException {
        return start(options.timeout(), List.of());
    }

    /**
     * Starts an interpreter, in a span of what is current.
     *
     * @param timeout of each piece of code
     * @param mounts what it sees besides; without a sandbox it sees all
     * @throws IOException if it does not start; the message says what it said
     */
    public Interpreter start(Duration timeout, List<Mount> mounts) throws IOException, InterruptedException {
        try (Span span = Activity.current().span(START)) {
            try {
                return Interpreter.start(this, timeout, mounts);
            } catch (IOException | InterruptedException e) {
                span.fail(e);
                throw e;
            }
        }
    }
}
