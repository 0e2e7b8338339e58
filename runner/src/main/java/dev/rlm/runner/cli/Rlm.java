package dev.rlm.runner.cli;

import dev.rlm.runner.exchange.ExportCommand;
import dev.rlm.runner.exchange.ImportCommand;
import dev.rlm.runner.journal.ListCommand;
import dev.rlm.runner.journal.RecoverCommand;
import dev.rlm.runner.journal.ResendCommand;
import dev.rlm.runner.journal.ShowCommand;
import dev.rlm.runner.record.RecordCommand;
import dev.rlm.runner.report.ReportCommand;
import dev.rlm.runner.terminal.Ink;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkConfigException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Help;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.ScopeType;

/** The program {@code rlm}: its verbs, and what holds for all of them. */
@Command(
        name = "rlm",
        mixinStandardHelpOptions = true,
        versionProvider = Rlm.Version.class,
        description = "Runs episodes of agents and records every one of them.",
        synopsisSubcommandLabel = "COMMAND")
public final class Rlm implements Runnable {
    @Option(
            names = {"-v", "--verbose"},
            scope = ScopeType.INHERIT,
            description = "Log more than warnings, with stack traces.")
    private boolean verbose;

    private Rlm() {}

    /** Executes what the arguments say; the exit code. */
    public static int execute(Console console, SinkConfig config, String... arguments) {
        return commandLine(console, config, arguments).execute(arguments);
    }

    private static CommandLine commandLine(Console console, SinkConfig config, String... arguments) {
        Rlm rlm = new Rlm();
        CommandLine commandLine = new CommandLine(rlm);
        verbs(console, config, arguments).forEach((name, verb) -> commandLine.addSubcommand(name, verb.get()));
        commandLine
                .getSubcommands()
                .values()
                .forEach(command -> command.getCommandSpec().versionProvider(new Version()));
        OneLineErrors errors = new OneLineErrors(console);
        return commandLine
                .setColorScheme(CommandLine.Help.defaultColorScheme(Ink.allowed()))
                .setOut(console.out())
                .setErr(console.err())
                .setColorScheme(Help.defaultColorScheme(colours()))
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setParameterExceptionHandler(errors)
                .setExecutionExceptionHandler(errors)
                .setExecutionStrategy(parsed -> {
                    errors.showStackTraces(rlm.verbose);
                    Asked asked = Asked.by(parsed);
                    try {
                        Logging.start(config, rlm.verbose, asked.quiet());
                    } catch (SinkConfigException e) {
                        throw new ParameterException(commandLine, e.getMessage(), e);
                    }
                    if (!asked.quiet()) {
                        new UnknownVariables(config).told(asked.variables()).forEach(console::warn);
                    }
                    int code;
                    try {
                        code = new CommandLine.RunLast().execute(parsed);
                    } catch (Error e) { // picocli handles exceptions alone
                        return errors.broken(e);
                    }
                    return code == ExitCode.OK && console.out().checkError() && !console.isReaderGone()
                            ? errors.unwritten()
                            : code;
                });
    }

    /** On a terminal that knows them, unless {@code NO_COLOR} is set. */
    private static Help.Ansi colours() {
        return "dumb".equals(System.getenv("TERM")) ? Help.Ansi.OFF : Help.Ansi.AUTO;
    }

    /**
     * Options of a verb that concern the whole program.
     *
     * @param quiet whether a job is to say no more than results and errors
     * @param variables those that options name
     */
    private record Asked(boolean quiet, Set<String> variables) {
        static Asked by(ParseResult parsed) {
            ParseResult verb = parsed.hasSubcommand() ? parsed.subcommand() : parsed;
            String key = verb.matchedOptionValue("--api-key-env", null);
            boolean job =
                    verb.commandSpec().userObject() instanceof RunCommand; // another verb's --quiet means its answers
            return new Asked(job && verb.hasMatchedOption("--quiet"), key == null ? Set.of() : Set.of(key));
        }
    }

    /** All verbs; or the one alone that is asked for, since the making of all takes as long as a short one takes. */
    private static Map<String, Supplier<Object>> verbs(Console console, SinkConfig config, String... arguments) {
        Map<String, Supplier<Object>> all = new LinkedHashMap<>();
        all.put("run", () -> new RunCommand(console, config));
        all.put("list", () -> new ListCommand(config));
        all.put("show", () -> new ShowCommand(config));
        all.put("report", () -> new ReportCommand(config, console.terminal(), console.program()));
        all.put("import", () -> new ImportCommand(config, console.terminal()));
        all.put("export", () -> new ExportCommand(config, console.terminal()));
        all.put("record", () -> new RecordCommand(config, System.in));
        all.put("resend", () -> new ResendCommand(config, console.terminal()));
        all.put("recover", () -> new RecoverCommand(config, console.terminal()));
        all.put("sinks", () -> new SinksCommand(console, config));
        Supplier<Object> wanted = arguments.length == 0 ? null : all.get(arguments[0]);
        if (wanted != null) {
            return Map.of(arguments[0], wanted);
        }
        all.put("generate-completion", AutoComplete.GenerateCompletion::new); // of all the others
        return all;
    }

    @Override
    public void run() {
        throw new UsageException("a command is needed: rlm --help lists them");
    }

    /** The version that stands in the program's archive. */
    static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() {
            String version = Rlm.class.getPackage().getImplementationVersion();
            return new String[] {"rlm " + (version == null ? "(built from source)" : version)};
        }
    }
}
