package dev.rlm.cli.launcher;

import dev.rlm.cli.Console;
import dev.rlm.cli.Journals;
import dev.rlm.cli.Program;
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
        return execute(console, config, Journals.FILES, arguments);
    }

    private static int execute(Console console, SinkConfig config, Journals journals, String... arguments) {
        OneLineErrors errors = new OneLineErrors(console);
        try {
            return commandLine(console, config, journals, errors, arguments).execute(arguments);
        } catch (UsageException e) {
            return errors.usage(e);
        } catch (ServiceConfigurationError e) {
            return errors.broken(e);
        }
    }

    private static CommandLine commandLine(
            Console console, SinkConfig config, Journals journals, OneLineErrors errors, String... arguments) {
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
                    errors.showStackTraces(rlm.verbose);
                    Verb verb = verb(parsed);
                    boolean quiet = verb != null && verb.isQuiet();
                    try {
                        Logging.start(config, rlm.verbose, quiet);
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
        verbs.add(name(SinksCommand.class), SinksCommand.class, SinksCommand::new);
        return verbs;
    }

    private static List<Verb> make(Registry<Supplier<? extends Verb>> all) {
        List<Verb> made = new ArrayList<>();
        all.forEach(all.all().iterator(), verb -> made.add(verb.get()));
        return made;
    }

    /** Makes all verbs that can be made. */
    static List<Verb> verbs() {
        return make(find());
    }

    private static String name(Class<? extends Verb> verb) {
        return verb.getAnnotation(Command.class).name();
    }

    @Override
    public void run() {
        throw new UsageException("a command is needed: rlm --help lists them");
    }

    /** The program, as verbs find it. */
    public static final class Itself implements Program {
        @Override
        public int execute(Console console, SinkConfig config, Journals journals, String... arguments) {
            return Rlm.execute(console, config, journals, arguments);
        }
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
