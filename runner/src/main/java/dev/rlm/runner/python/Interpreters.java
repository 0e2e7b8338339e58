package dev.rlm.runner.python;

import dev.rlm.episodes.SetupException;
import java.io.IOException;

/** What a job's interpreters are started with. */
record Interpreters(Python python, Sandbox sandbox, Limits limits) {
    /** Starts one on the calling thread. */
    Interpreter start() throws IOException, InterruptedException {
        return Interpreter.start(python, sandbox, limits);
    }

    /**
     * Tries one.
     *
     * @throws SetupException if it does not work here
     */
    void check() {
        try (Interpreter trial = start()) {
            Reply reply = trial.run("6 * 7");
            if (!reply.output().equals("42\n")) {
                throw new IOException(reply.output() + reply.error());
            }
        } catch (IOException e) {
            throw new SetupException(complaint(String.valueOf(e.getMessage()).replaceAll("\\s+", " ")));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SetupException("--env python: interrupted");
        }
    }

    private String complaint(String reason) {
        return sandbox == Sandbox.NONE
                ? "--env python cannot start " + python.executable() + ": " + reason
                : "--env python needs a sandbox, and bubblewrap does not work here (" + reason + "): install bubblewrap"
                        + " 0.8 or newer (apt-get install bubblewrap) and allow user namespaces, or run the code without"
                        + " a sandbox by --unsafe-exec";
    }
}
