package dev.rlm.cli;

import dev.rlm.cli.terminal.Ink;
import dev.rlm.cli.terminal.Progress;
import dev.rlm.journal.JournalException;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkConfigException;
import dev.rlm.sinks.SinkProvider.Variable;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;

/**
 * Verb of the program {@code rlm}, such as {@code list}. It has picocli's {@link Command} with its name, a public constructor
 * without arguments and a line in {@code META-INF/services/dev.rlm.cli.Verb}; the program makes the one that is asked for.
 * Results go to {@link #out}, all else to {@link #err}. The exit code is 0 where all was done, 1 where it could not be, 2
 * where the user can put it right ({@link UsageException}) and {@link Interruption#EXIT_CODE} where it was told to end.
 */
public abstract class Verb implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // set before call()
    private CommandSpec spec;

    @Option(
            names = {"-q", "--quiet"},
            description = "Say results and errors alone: neither progress nor hints, nor warnings that nothing was lost"
                    + " by.")
    private boolean quiet;

    private @Nullable Console console;
    private @Nullable SinkConfig config;
    private @Nullable Journals journals;

    /** Gives it what it works with; the program does so before anything else. */
    public final void start(Console programs, SinkConfig variables, Journals opener) {
        console = programs;
        config = variables;
        journals = opener;
    }

    /**
     * Does what the verb is for. A {@link JournalException} or {@link SinkConfigException} that it throws counts as one of
     * usage.
     *
     * @return the exit code
     */
    protected abstract int execute() throws Exception;

    /** Returns whether it is to say no more than results and errors. */
    public final boolean isQuiet() {
        return quiet;
    }

    /** Returns the variables that it reads besides those of hubs and sinks; a name may end in {@code <NAME>}. */
    public List<Variable> variables() {
        return List.of();
    }

    /** Returns the variables that its options name, which are not misspelt whatever they are called. */
    public Set<String> namedVariables() {
        return Set.of();
    }

    @Override
    public final Integer call() throws Exception {
        try {
            return execute();
        } catch (JournalException | SinkConfigException e) {
            throw new UsageException(String.valueOf(e.getMessage()), e);
        }
    }

    /** Does the work; where the process is told to end, the thread is interrupted, and whatever came of it is no result. */
    protected final int interruptibly(Callable<Integer> work) throws Exception {
        try (Interruption ignored = new Interruption(console(), Thread.currentThread()::interrupt)) {
            int code = work.call();
            return Thread.interrupted() ? Interruption.EXIT_CODE : code;
        } catch (JournalException | SinkConfigException e) {
            if (Thread.interrupted()) {
                return Interruption.EXIT_CODE;
            }
            throw e;
        }
    }

    /** Returns the program's streams. */
    protected final Console console() {
        return started(console);
    }

    /** Returns the program's variables. */
    protected final SinkConfig config() {
        return started(config);
    }

    /** Returns what opens the journals that it reads. */
    protected final Journals journals() {
        return started(journals);
    }

    private static <T> T started(@Nullable T value) {
        if (value == null) {
            throw new IllegalStateException("the verb has not been started");
        }
        return value;
    }

    /** Returns what the command line gives. */
    protected final ParseResult given() {
        return spec.commandLine().getParseResult();
    }

    /** Returns the stream of results. */
    protected final PrintWriter out() {
        return console().out();
    }

    /** Returns the stream of everything else. */
    protected final PrintWriter err() {
        return console().err();
    }

    /** Returns the colours of {@link #out}. */
    protected final Ink ink() {
        return Ink.of(spec.commandLine());
    }

    /** Shows a person how far the work has come, until it is closed. */
    protected final Progress progress(Supplier<String> line) {
        return progress(line, Duration.ZERO);
    }

    /** Does the same, also where no person looks, for work that takes long. */
    protected final Progress loggedProgress(Supplier<String> line) {
        return progress(line, Progress.LOG_INTERVAL);
    }

    private Progress progress(Supplier<String> line, Duration otherwise) {
        return new Progress(err(), console().terminal() && !quiet, line, quiet ? Duration.ZERO : otherwise);
    }
}
