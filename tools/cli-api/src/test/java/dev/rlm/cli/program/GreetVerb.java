package dev.rlm.cli.program;

import dev.rlm.cli.UsageException;
import dev.rlm.cli.Verb;
import dev.rlm.sinks.SinkProvider.Variable;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** A verb that another module might bring. */
@Command(name = "greet", description = "Greets.", mixinStandardHelpOptions = true)
public final class GreetVerb extends Verb {
    @Option(names = "--whom")
    private String whom = "you";

    @Option(names = "--key-env")
    private @Nullable String key;

    @Override
    protected int execute() throws IOException {
        if (whom.isBlank()) {
            throw new UsageException("--whom is empty: expected a name");
        } else if (whom.equals("nobody")) {
            throw new IOException("no one\u001b there");
        } else if (whom.equals("everybody")) {
            throw new OutOfMemoryError("too many");
        }
        out().println("greetings to " + whom + " from " + config().shared().string("RLM_PROGRAM", "rlm"));
        return 0;
    }

    @Override
    public List<Variable> variables() {
        return List.of(new Variable("RLM_GREET_TOKEN_<NAME>", "", "the token for the one of that name"));
    }

    @Override
    public Set<String> namedVariables() {
        return key == null ? Set.of() : Set.of(key);
    }
}
