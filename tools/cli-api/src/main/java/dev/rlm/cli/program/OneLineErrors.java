package dev.rlm.cli.program;

import dev.rlm.cli.Console;
import dev.rlm.cli.UsageException;
import dev.rlm.cli.terminal.Spelling;
import dev.rlm.sinks.SinkConfigException;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** Says in one line what went wrong: exit code 2 where the user can put it right, 1 where not. */
final class OneLineErrors implements IParameterExceptionHandler, IExecutionExceptionHandler {
    private static final String PREFIX = "Error: "; // some of picocli's messages have it, others do not

    private final Console console;
    private boolean stackTraces;
    private @Nullable String brokenVerb;

    OneLineErrors(Console console) {
        this.console = console;
    }

    void showStackTraces(boolean value) {
        stackTraces = value;
    }

    /** Keeps why a verb cannot be loaded, where that is so. */
    void mayLackVerbs(@Nullable String broken) {
        brokenVerb = broken;
    }

    @Override
    public int handleParseException(ParameterException error, String[] args) {
        String message = error instanceof UnmatchedArgumentException unmatched
                ? unmatched(unmatched)
                : String.valueOf(error.getMessage());
        return say(message.startsWith(PREFIX) ? message.substring(PREFIX.length()) : message, ExitCode.USAGE);
    }

    @Override
    public int handleExecutionException(Exception error, CommandLine command, ParseResult parsed) {
        return error instanceof UsageException || error instanceof SinkConfigException
                ? usage(error)
                : failed(error, " (--verbose shows where)");
    }

    /** Tells an error that the user can put right. */
    int usage(Exception error) {
        printStackTrace(error);
        return say(error.getMessage(), ExitCode.USAGE);
    }

    /** Tells an error that no verb can handle: memory ran out, or a part of the program is missing. Returns the exit code. */
    int broken(Error error) {
        return failed(
                error,
                error instanceof OutOfMemoryError
                        ? " (JAVA_TOOL_OPTIONS=-Xmx4g gives it more)"
                        : " (--verbose shows where)");
    }

    private int failed(Throwable error, String hint) {
        printStackTrace(error);
        boolean own = error.getClass().getName().startsWith("dev.rlm."); // a name that says nothing to users
        return say(
                "failed: " + (own && error.getMessage() != null ? error.getMessage() : error) + hint,
                ExitCode.SOFTWARE);
    }

    private void printStackTrace(Throwable error) {
        if (stackTraces) {
            error.printStackTrace(console.err());
        }
    }

    /** Tells that the result could not be written. Returns the exit code. */
    int unwritten() {
        return say("the result could not be written", ExitCode.SOFTWARE);
    }

    private int say(@Nullable String message, int code) {
        console.error(String.valueOf(message).lines().findFirst().orElse(""));
        return code;
    }

    private String unmatched(UnmatchedArgumentException error) {
        CommandLine command = error.getCommandLine();
        String argument = error.getUnmatched().get(0);
        boolean option = argument.startsWith("-");
        if (!option && command.getParent() == null) {
            Set<String> known = command.getSubcommands().keySet();
            return "unknown command '" + argument + "'" + Spelling.suggestion(argument, known) + ": known are "
                    + String.join(", ", known)
                    + (brokenVerb == null ? "" : "; a plug-in cannot be loaded: " + brokenVerb);
        }
        String name = command.getCommandSpec().qualifiedName();
        List<String> similar = option ? error.getSuggestions() : List.of();
        return (option ? "unknown option '" : "unexpected argument '") + argument + "': "
                + (similar.isEmpty()
                        ? name + " --help tells what is allowed"
                        : "did you mean " + String.join(" or ", similar) + "?");
    }
}
