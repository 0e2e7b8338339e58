package dev.rlm.cli.launcher;

import dev.rlm.cli.UsageException;
import dev.rlm.cli.Verb;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** A verb that another module might bring. */
@Command(name = "greet", description = "Greets.", mixinStandardHelpOptions = true)
public final class GreetVerb extends Verb {
    @Option(names = "--whom")
    private String whom = "you";

    @Override
    protected int execute() {
        if (whom.isBlank()) {
            throw new UsageException("--whom is empty: expected a name");
        }
        out().println("greetings to " + whom + " from " + config().shared().string("RLM_PROGRAM", "rlm"));
        return 0;
    }
}
