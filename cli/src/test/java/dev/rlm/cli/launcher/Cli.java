package dev.rlm.cli.launcher;

import dev.rlm.cli.Console;
import dev.rlm.cli.program.Rlm;
import dev.rlm.sinks.SinkConfig;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Map;

/** What a command came to that was run in this process, by its arguments and variables. */
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
        KeptSinkProvider.clear();
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        Console console = new Console(new PrintWriter(out), new PrintWriter(err), false, "./rlm");
        int exitCode = Rlm.execute(console, SinkConfig.of(variables), arguments);
        return new Cli(exitCode, out.toString(), err.toString());
    }
}
