package dev.rlm.cli.launcher;

import dev.rlm.cli.Console;
import dev.rlm.cli.UsageException;
import dev.rlm.sinks.SinkConfigException;
import java.util.List;
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

    OneLineErrors(Console console) {
        this.console = console;
    }

    void showStackTraces(boolean value) {
        stackTraces = value;
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
        boolean usage = error instanceof UsageException || error instanceof SinkConfigException;
        if (stackTraces) {
            error.printStackTrace(console.err());
        }
        return usage
                ? say(error.getMessage(), ExitCode.USAGE)
                : say("failed: " + error + " (--verbose shows where)", ExitCode.SOFTWARE);
    }

    /** What no verb can go on from: it ran out of memory, or a part of the program is missing. */
    int broken(Error error) {
        if (stackTraces) {
            error.printStackTrace(console.err());
        }
        boolean memory = error instanceof OutOfMemoryError;
        return say(
                "failed: " + error
                        + (memory ? " (JAVA_TOOL_OPTIONS=-Xmx4g gives it more)" : " (--verbose shows where)"),
                ExitCode.SOFTWARE);
    }

    /** The result could not be written to where it was to go. */
    int unwritten() {
        return say("the result could not be written", ExitCode.SOFTWARE);
    }

    private int say(@Nullable String message, int code) {
        console.error(String.valueOf(message).lines().findFirst().orElse(""));
        return code;
    }

    private static String unmatched(UnmatchedArgumentException error) {
        CommandLine command = error.getCommandLine();
        String argument = error.getUnmatched().get(0);
        boolean option = argument.startsWith("-");
        if (!option && command.getParent() == null) {
            return "unknown command '" + argument + "': known are "
                    + String.join(", ", command.getSubcommands().keySet());
        }
        String name = command.getCommandSpec().qualifiedName();
        List<String> similar = option ? error.getSuggestions() : List.of();
        return (option ? "unknown option '" : "unexpected argument '") + argument + "': "
                + (similar.isEmpty()
                        ? name + " --help tells what is allowed"
                        : "did you mean " + String.join(" or ", similar) + "?");
    }
}
