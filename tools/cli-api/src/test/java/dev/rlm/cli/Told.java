package dev.rlm.cli;

import dev.rlm.cli.program.Rlm;
import dev.rlm.sinks.SinkConfig;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Map;

/** What a command told that was executed in this process, and the exit code that it came to. */
public record Told(int exitCode, String out, String err) {
    /** Executes a command that sees no other variables than those given. */
    public static Told by(Map<String, String> variables, String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        Console console = new Console(new PrintWriter(out), new PrintWriter(err), false, "./rlm");
        int exitCode = Rlm.execute(console, SinkConfig.of(variables), arguments);
        return new Told(exitCode, out.toString(), err.toString());
    }
}
