package dev.rlm.cli.launcher;

import dev.rlm.cli.Verb;
import dev.rlm.cli.program.Rlm;
import dev.rlm.sinks.SinkProvider.Variable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.AutoComplete.GenerateCompletion;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The page {@code docs/cli.md}: the commands, as their classes declare them. */
final class CommandReference {
    /** The command of the module engine-spark, which is not on this class path. */
    static final String ON_SPARK = "spark-report";

    private static final String INTRODUCTION = """
            # Commands
            `ReferenceTest` makes this page of what the commands declare, and compares both in each build; `-Drlm.docs.update=true` writes it.

            Results go to stdout, progress and messages to stderr. All commands take `--help` (`-h`), `--verbose` (`-v`), which logs more than
            warnings, with stack traces, and `--quiet` (`-q`), which leaves out progress, hints and warnings that nothing was lost by; `rlm --version` tells the
            version, `rlm help run` is `rlm run --help`. Times are `250ms`, `1.5s`, `30m`, `12h`, `7d`. An option counts before
            [variables](configuration.md). [Names of runs and output](runs.md#names-of-runs-and-output) are the same for all commands. `…` marks what may be repeated.

            | exit code | meaning |
            | --- | --- |
            | 0 | done, whatever the runs came to |
            | 1 | could not finish; every run failed; a replay differs; or a check that was asked for found something: `check`, `sinks --check`, `scan --fail-on`, `report --fail-on`, `label --min-kappa` |
            | 2 | the command, a setting or the model's server is wrong, and nothing was started; or `report --fail-on` cannot tell, because there was nothing to compare, or to look at |
            | 130, 143 | interrupted by Ctrl-C, by SIGTERM |

            `wrap` and `collect` with a command end with its exit code. Closing the output early, as in `rlm list \\| head`, is not an error. `rlm spark-report`, of
            the module `engine-spark`, is in [scale.md](scale.md#reports-on-spark).

            | command | does |
            | --- | --- |
            """;

    /** Commands by their purposes, each with the page that tells more. */
    private static final String PLACES = """
            **Run episodes**
            run run.md
            serve trainers.md
            worker agent-lightning.md
            jobs jobs.md#jobs-of-a-journal
            **Record what others run**
            record record.md
            gateway gateway.md
            wrap wrap.md
            collect collect.md
            **Look at runs**
            list runs.md#rlm-list
            show runs.md#rlm-show
            view console.md
            diff runs.md#rlm-diff
            search runs.md#rlm-search
            **Judge runs**
            report report.md
            scan scan.md
            rescore rewards.md#scores-of-recorded-runs
            label rewards.md#labels-of-persons
            **Exchange runs**
            export exchange.md
            import exchange.md#import
            **Keep the journal**
            check journal.md#completeness
            recover journal.md#recovery
            resend journal.md#sending-again
            delete journal.md#deletion
            **Set up**
            sinks telemetry.md#what-arrived
            trust security.md#settings-that-came-with-a-folder
            generate-completion runs.md#names-of-runs-and-output
            """;

    /** Commands to which others refer that share many of their options. */
    private static final List<String> HOMES = List.of("run", "list", "gateway");

    private static final int MANY = 6;
    private static final Pattern CODE = Pattern.compile("(?<![\\w/`.$-])(--[a-z][a-z-]*(?:=[\\w.-]+)?"
            + "|[A-Z][A-Z0-9]*_[A-Z0-9_<>]*[A-Z0-9>]|\\$[A-Z]\\w*(?:/[\\w/.-]+\\w)?|https?://\\S*[\\w*])");

    /** The default, in the last parentheses of a description that end a sentence or a part of one. */
    private static final Pattern DEFAULT = Pattern.compile(" \\(([^()]+)\\)(?=[.,;:])(?!.* \\([^()]+\\)[.,;:])");

    private static final String AGAIN = "(?:[.;,] )?\\b[Mm]ay be (?:repeated|given again)\\b\\.?";

    private final CommandSpec program = CommandSpec.create().name("rlm");

    CommandReference() {
        verbs().map(CommandLine::new).forEach(verb -> program.addSubcommand(verb.getCommandName(), verb));
        program.addSubcommand("generate-completion", new CommandLine(new GenerateCompletion()));
    }

    private static Stream<Verb> verbs() {
        return Rlm.verbs().stream().filter(verb -> isShipped(verb.getClass()));
    }

    /** Returns whether it is part of what users get, and not of tests. */
    static boolean isShipped(Class<?> type) {
        String location =
                type.getProtectionDomain().getCodeSource().getLocation().toString();
        return Stream.of("test-classes", "-tests.jar", "cli-testkit").noneMatch(location::contains);
    }

    static List<Variable> variables() {
        return verbs().flatMap(verb -> verb.variables().stream()).toList();
    }

    static List<String> placed() {
        return PLACES.lines()
                .filter(line -> !line.startsWith("*"))
                .map(line -> line.split(" ", -1)[0])
                .toList();
    }

    List<String> commands() {
        return List.copyOf(program.subcommands().keySet());
    }

    /** Returns the options whose description, which {@code --help} shows, does not tell the default that holds. */
    List<String> untoldDefaults() {
        List<String> untold = new ArrayList<>();
        commands()
                .forEach(command -> options(spec(command)).forEach(option -> {
                    Pattern told = Pattern.compile("(?<![\\w.])" + Pattern.quote(initial(option)) + "(?!\\w|\\.\\d)");
                    if (!initial(option).matches("0?")
                            && !told.matcher(described(option)).find()) {
                        untold.add(command + " " + option.longestName() + " " + initial(option));
                    }
                }));
        return untold;
    }

    String page() {
        StringBuilder page = new StringBuilder(INTRODUCTION);
        PLACES.lines().forEach(line -> page.append(line.startsWith("*") ? "| " + line + " | |\n" : entry(line)));
        PLACES.lines().filter(line -> !line.startsWith("*")).forEach(line -> {
            String[] place = line.split(" ", -1);
            section(page, spec(place[0]), " [More](" + place[1] + ").");
        });
        return page.toString();
    }

    private String entry(String line) {
        String command = line.split(" ", -1)[0];
        return "| [`rlm %1$s`](#rlm-%1$s) | %2$s |\n".formatted(command, does(spec(command)));
    }

    private CommandSpec spec(String command) {
        return Objects.requireNonNull(program.subcommands().get(command), command)
                .getCommandSpec();
    }

    private static String does(CommandSpec command) {
        return text(command.usageMessage().description()[0]);
    }

    private void section(StringBuilder page, CommandSpec command, String more) {
        page.append("\n## %s\n%s%s\n\n```\n%s\n```\n"
                .formatted(command.qualifiedName(), does(command), more, usage(command)));
        table(
                page,
                "argument | meaning",
                command.positionalParameters().stream()
                        .map(argument -> "`" + argument.paramLabel() + again(argument) + "` | " + meaning(argument)));
        List<OptionSpec> rest = new ArrayList<>(options(command));
        Map<String, String> elsewhere = new LinkedHashMap<>();
        for (String home : HOMES) {
            List<OptionSpec> shared =
                    rest.stream().filter(option -> isOf(home, option)).toList();
            if (!home.equals(command.name()) && shared.size() >= MANY) {
                rest.removeAll(shared);
                elsewhere.put(home, names(shared));
            }
        }
        table(page, "option | argument | default | meaning", rest.stream().map(CommandReference::row));
        elsewhere.forEach(
                (home, names) -> page.append("\nAs for [`rlm %1$s`](#rlm-%1$s): %2$s.\n".formatted(home, names)));
        command.argGroups().forEach(group -> page.append("\nOne at the most: " + names(group.options()) + ".\n"));
        table(
                page,
                "exit code | meaning",
                command.usageMessage().exitCodeList().entrySet().stream()
                        .map(code -> code.getKey() + " | " + text(code.getValue())));
        Arrays.stream(command.usageMessage().footer()).forEach(line -> page.append("\n" + text(line) + "\n"));
        command.subcommands().values().forEach(sub -> section(page, sub.getCommandSpec(), ""));
    }

    private static void table(StringBuilder page, String titles, Stream<String> rows) {
        String all = rows.map(row -> "| " + row + " |\n").collect(Collectors.joining());
        if (!all.isEmpty()) {
            page.append("\n| " + titles + " |\n|" + titles.replaceAll("[^|]+", " --- ") + "|\n");
            page.append(all.replace("|  ", "| "));
        }
    }

    private static String usage(CommandSpec command) {
        String[] own = command.usageMessage().customSynopsis();
        String required = options(command).stream()
                .filter(CommandReference::isRequired)
                .map(option -> " " + option.longestName() + " " + option.paramLabel())
                .collect(Collectors.joining());
        CommandLine.Help help = new CommandLine.Help(command, CommandLine.Help.defaultColorScheme(Ansi.OFF));
        return own.length > 0
                ? own[0]
                : help.abbreviatedSynopsis().strip().replace("[OPTIONS]", "[OPTIONS]" + required);
    }

    private static List<OptionSpec> options(CommandSpec command) {
        return command.options().stream()
                .filter(option -> !option.usageHelp() && !option.versionHelp() && !option.hidden())
                .filter(option -> !option.longestName().equals("--quiet"))
                .toList();
    }

    private boolean isOf(String home, OptionSpec option) {
        OptionSpec same = spec(home).findOption(option.longestName());
        return same != null && row(same).equals(row(option));
    }

    private static String row(OptionSpec option) {
        String names =
                Arrays.stream(option.names()).map(name -> named(option, name)).collect(Collectors.joining(", "));
        String label = option.arity().min() == 0 ? "[" + option.paramLabel() + "]" : option.paramLabel();
        String argument = option.arity().max() == 0 ? "" : "`" + label + again(option) + "`";
        Matcher said = DEFAULT.matcher(described(option));
        String initial = initial(option);
        String value = !initial.isEmpty() ? "`" + initial + "`" : said.find() ? text(said.group(1)) : "";
        return String.join(" | ", names, argument, isRequired(option) ? "required" : value, meaning(option));
    }

    private static String names(List<OptionSpec> options) {
        return options.stream().map(option -> named(option, option.names()[0])).collect(Collectors.joining(", "));
    }

    private static String named(OptionSpec option, String name) {
        return "`" + (option.negatable() ? name.replaceFirst("^--", "--[no-]") : name) + "`";
    }

    private static boolean isRequired(OptionSpec option) {
        return option.required() && option.group() == null;
    }

    private static String again(ArgSpec argument) {
        return (argument.splitRegex().isEmpty() ? "" : ",…") + (argument.isMultiValue() ? " …" : "");
    }

    private static String described(ArgSpec argument) {
        return String.join(" ", argument.description());
    }

    /** Returns what the description says, but for the default and that it may be repeated, which have places of their own. */
    private static String meaning(ArgSpec argument) {
        String initial = Pattern.quote(initial(argument));
        String told = " ?\\((?:[^()]*[ :;])?" + initial + "(?:[ :;,][^()]*)?\\)(?=[.,;:]|$)";
        String shown = described(argument).replaceFirst(AGAIN, "");
        if (argument.isOption()) {
            shown = shown.replaceFirst(initial(argument).isEmpty() ? DEFAULT.pattern() : told, "");
        }
        return text(shown.strip().replaceFirst("(?<![.…])$", "."));
    }

    /** Returns the value that holds where it is not given, as a user writes it; empty where that is nothing, or off. */
    private static String initial(ArgSpec argument) {
        Object value = argument.initialValue();
        if (value instanceof Duration time) {
            String minutes = time.toMillis() % 60_000 == 0 ? time.toMinutes() + "m" : time.toSeconds() + "s";
            return time.isZero() ? "0" : time.toDays() > 365 ? "" : minutes; // a year is for ever
        } else if (value instanceof Enum<?> choice) {
            return choice.toString().toLowerCase(Locale.ROOT);
        }
        return value instanceof Number || value instanceof String ? value.toString() : "";
    }

    /** Returns plain text in Markdown, with options, variables and addresses as code. */
    static String text(String plain) {
        return CODE.matcher(plain.replace("|", "\\|")).replaceAll("`$1`");
    }
}
