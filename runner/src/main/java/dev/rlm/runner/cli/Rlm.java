package dev.rlm.runner.cli;

import dev.rlm.runner.exchange.ExportCommand;
import dev.rlm.runner.exchange.ImportCommand;
import dev.rlm.runner.journal.ListCommand;
import dev.rlm.runner.journal.RecoverCommand;
import dev.rlm.runner.journal.ResendCommand;
import dev.rlm.runner.journal.ShowCommand;
import dev.rlm.runner.record.RecordCommand;
import dev.rlm.runner.report.ReportCommand;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkConfigException;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
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

    /** The program, ready to be executed; every verb is registered here. */
    public static CommandLine commandLine(Console console, SinkConfig config) {
        Rlm rlm = new Rlm();
        CommandLine commandLine = new CommandLine(rlm)
                .addSubcommand(new RunCommand(console, config))
                .addSubcommand(new ListCommand(config))
                .addSubcommand(new ShowCommand(config))
                .addSubcommand(new ReportCommand(config, console.terminal(), console.program()))
                .addSubcommand(new ImportCommand(config, console.terminal()))
                .addSubcommand(new ExportCommand(config, console.terminal()))
                .addSubcommand(new RecordCommand(config, System.in))
                .addSubcommand(new ResendCommand(config, console.terminal()))
                .addSubcommand(new RecoverCommand(config, console.terminal()))
                .addSubcommand(new SinksCommand(console, config))
                .addSubcommand(new AutoComplete.GenerateCompletion());
        commandLine
                .getSubcommands()
                .values()
                .forEach(command -> command.getCommandSpec().versionProvider(new Version()));
        OneLineErrors errors = new OneLineErrors(console);
        return commandLine
                .setOut(console.out())
                .setErr(console.err())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setParameterExceptionHandler(errors)
                .setExecutionExceptionHandler(errors)
                .setExecutionStrategy(parsed -> {
                    errors.showStackTraces(rlm.verbose);
                    try {
                        Logging.start(config, rlm.verbose);
                    } catch (SinkConfigException e) {
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
