package dev.rlm.cli.program;

import dev.rlm.cli.Console;
import dev.rlm.cli.Journals;
import dev.rlm.cli.Registry;
import dev.rlm.cli.UsageException;
import dev.rlm.cli.Verb;
import dev.rlm.cli.terminal.Ink;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkConfigException;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.UnmatchedArgumentException;

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

    /** Sets up the log of the process, once the command line has been read and before the verb is executed. */
    @FunctionalInterface
    public interface Log {
        /** Leaves the log as it is: the process that executes the verb has set it up. */
        Log AS_IT_IS = (config, verbose, quiet) -> {};

        /**
         * Sets it up.
         *
         * @param quiet whether errors alone are logged, unless more is asked for
         * @throws SinkConfigException if a variable is not valid
         */
        void start(SinkConfig config, boolean verbose, boolean quiet);
    }

    /** Executes what the arguments say, in a process whose log is set up; returns the exit code. May be called by several threads. */
    public static int execute(Console console, SinkConfig config, String... arguments) {
        return execute(console, config, Journals.FILES, Log.AS_IT_IS, arguments);
    }

    /**
     * Executes what the arguments say, as a process of its own would. May be called by several threads.
     *
     * @param journals opens the journals that verbs read
     * @return the exit code
     */
    public static int execute(Console console, SinkConfig config, Journals journals, Log log, String... arguments) {
        OneLineErrors errors = new OneLineErrors(console);
        String[] words = withHelp(arguments);
        try {
            return commandLine(console, config, journals, log, errors, words).execute(words);
        } catch (UsageException e) {
            return errors.usage(e);
        } catch (ServiceConfigurationError e) {
            return errors.broken(e);
        }
    }

    /** Takes {@code help run} for {@code run --help}. */
    private static String[] withHelp(String... arguments) {
        return arguments.length == 0 || !arguments[0].equals("help")
                ? arguments
                : Stream.concat(Stream.of(arguments).skip(1), Stream.of("--help"))
                        .toArray(String[]::new);
    }

    private static CommandLine commandLine(
            Console console, SinkConfig config, Journals journals, Log log, OneLineErrors errors, String... arguments) {
        Rlm rlm = new Rlm();
        CommandLine commandLine = new CommandLine(rlm);
        addVerbs(commandLine, verb -> verb.start(console, config, journals), errors, arguments);
        commandLine
                .getSubcommands()
                .values()
                .forEach(command -> command.getCommandSpec().versionProvider(new Version()));
        return commandLine
                .setColorScheme(CommandLine.Help.defaultColorScheme(Ink.allowed()))
                .setOut(console.out())
                .setErr(console.err())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setParameterExceptionHandler(errors)
                .setExecutionExceptionHandler(errors)
                .setExecutionStrategy(parsed -> {
                    if (!parsed.unmatched().isEmpty()) { // which picocli does not mind where help is asked for
                        throw new UnmatchedArgumentException(commandLine, parsed.unmatched());
                    }
                    errors.showStackTraces(rlm.verbose);
                    Verb verb = verb(parsed);
                    boolean quiet = verb != null && verb.isQuiet();
                    try {
                        log.start(config, rlm.verbose, quiet);
                        if (!quiet) {
                            Set<String> named = verb == null ? Set.of() : verb.namedVariables();
                            new UnknownVariables(config).told(named).forEach(console::warn);
                        }
                    } catch (SinkConfigException | UsageException e) {
                        throw new ParameterException(commandLine, e.getMessage(), e);
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

    private static @Nullable Verb verb(ParseResult parsed) {
        return parsed.hasSubcommand() && parsed.subcommand().commandSpec().userObject() instanceof Verb verb
                ? verb
                : null;
    }

    /** Adds all verbs; or the one alone that is asked for, since the making of all takes as long as a short one takes. */
    private static void addVerbs(CommandLine program, Consumer<Verb> start, OneLineErrors errors, String... arguments) {
        String wanted = arguments.length == 0 ? "" : arguments[0];
        Registry<Supplier<? extends Verb>> all = find();
        boolean known = all.contains(wanted);
        for (Verb verb : known ? List.of(all.get(wanted).get()) : make(all)) {
            start.accept(verb);
            program.addSubcommand(name(verb.getClass()), verb);
        }
        if (!known) {
            program.addSubcommand("generate-completion", new AutoComplete.GenerateCompletion()); // of all the others
        }
        errors.mayLackVerbs(all.broken());
    }

    private static Registry<Supplier<? extends Verb>> find() {
        Registry<Supplier<? extends Verb>> verbs = new Registry<>("command");
        verbs.forEach(
                ServiceLoader.load(Verb.class).stream().iterator(),
                verb -> verbs.add(name(verb.type()), verb.type(), verb));
        return verbs;
    }

    private static List<Verb> make(Registry<Supplier<? extends Verb>> all) {
        List<Verb> made = new ArrayList<>();
        all.forEach(all.all().iterator(), verb -> made.add(verb.get()));
        return made;
    }

    /** Makes all verbs that can be made. */
    public static List<Verb> verbs() {
        return make(find());
    }

    private static String name(Class<? extends Verb> verb) {
        return verb.getAnnotation(Command.class).name();
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
