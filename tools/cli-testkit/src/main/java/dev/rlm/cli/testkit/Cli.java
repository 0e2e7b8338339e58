package dev.rlm.cli.testkit;

import dev.rlm.cli.Console;
import dev.rlm.cli.StopSignal;
import dev.rlm.cli.program.Rlm;
import dev.rlm.sinks.SinkConfig;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;

/** Result of a command that was run in this process, by its arguments and variables. */
public record Cli(int exitCode, String out, String err) {
    /** Runs a command that records with {@link KeptSinkProvider} alone. */
    public static Cli run(String... arguments) {
        String[] all = new String[arguments.length + 2];
        System.arraycopy(arguments, 0, all, 0, arguments.length);
        all[arguments.length] = "--sink";
        all[arguments.length + 1] = KeptSinkProvider.NAME;
        return with(Map.of(), all);
    }

    /** Runs a command that sees no other variables than those given. */
    public static Cli with(Map<String, String> variables, String... arguments) {
        return with(variables, InputStream.nullInputStream(), arguments);
    }

    /** Runs a command that reads that as its standard input. */
    public static Cli with(Map<String, String> variables, InputStream in, String... arguments) {
        KeptSinkProvider.clear();
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        Console console =
                new Console(in, new PrintWriter(out), new PrintWriter(err), false, "./rlm", StopSignal.PROCESS);
        int exitCode = Rlm.execute(console, SinkConfig.of(variables), arguments);
        return new Cli(exitCode, out.toString(), err.toString());
    }

    /** Returns the lines of its results. */
    public List<String> lines() {
        return out.lines().toList();
    }
}
