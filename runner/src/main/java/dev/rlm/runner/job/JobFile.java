package dev.rlm.runner.job;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static java.nio.file.StandardOpenOption.WRITE;

import dev.rlm.cli.UsageException;
import dev.rlm.cli.terminal.Spelling;
import dev.rlm.journal.format.segment.PrivateFiles;
import dev.rlm.sinks.TrustedFolders;
import java.io.IOException;
import java.io.Writer;
import java.net.URLEncoder;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Dump;
import org.snakeyaml.engine.v2.api.DumpSettings;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Parse;
import org.snakeyaml.engine.v2.common.FlowStyle;
import org.snakeyaml.engine.v2.constructor.ConstructYamlNull;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.Tag;
import org.snakeyaml.engine.v2.schema.FailsafeSchema;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/**
 * Options of {@code rlm run} as YAML: a line each, by its name without dashes, with a list or a map where it may be repeated.
 *
 * @param source where they stand, for messages
 * @param settings texts, lists of texts and maps of texts by the names of options
 */
public record JobFile(String source, Map<String, Object> settings) {
    private static final String COMMAND_LINE = "the command line";
    static final String FOLDER = "jobs"; // of the journal

    private static final String ENDING = ".yaml";
    private static final String MCP_ENV = "mcp-env";
    private static final int MAX_NAME = 200;
    private static final int MAX_DEPTH = 32;
    private static final JobFile NOTHING = new JobFile(COMMAND_LINE, Map.of());

    /** Options that say what to do with a job, and not what it is. */
    private static final Set<String> OF_THE_CALL = Set.of("resume", "print-job", "view", "json", "quiet");

    private static final Set<String> OF_THE_PROGRAM = Set.of("help", "version", "verbose");

    /** Options that say where keys and records go, and what runs with the user's rights. */
    private static final Set<String> OF_THE_USER = Set.of(
            "base-url",
            "api-key-env",
            "remote",
            "gateway",
            "mcp",
            "mcp-env",
            "python",
            "unsafe-exec",
            "master",
            "conf");

    /** Such settings of plug-ins. */
    private static final Pattern OF_THE_USER_TOO = Pattern.compile(
            "exec\\..*|.*[._-](command|url|uri|endpoint|headers|proxy|host|key|sandbox)(=.*)?", Pattern.DOTALL);

    private static final Pattern OF_THIS_MACHINE =
            Pattern.compile("https?://(localhost|127\\.0\\.0\\.1|\\[::1\\])(:\\d+)?(/.*)?");

    /**
     * Checks that a file from a folder that the user does not trust leaves to the user what is the user's: it may have come with the folder.
     *
     * @param given options, which count before those of the file
     */
    JobFile checkTrusted(Path file, JobFile given) {
        Path folder = Objects.requireNonNull(file.toAbsolutePath().getParent());
        List<String> problems = settings.entrySet().stream()
                .filter(setting -> !given.settings.containsKey(setting.getKey()))
                .filter(this::isOfTheUser)
                .map(Map.Entry::getKey)
                .toList();
        boolean kept = folder.endsWith(FOLDER) && isOwn(file);
        if (!problems.isEmpty() && !kept && !TrustedFolders.contains(folder)) {
            throw new UsageException(file + " says where keys go, or what runs (" + String.join(", ", problems)
                    + "): expected on the command line, or in a folder that you trust: rlm trust " + folder);
        }
        return this;
    }

    private boolean isOfTheUser(Map.Entry<String, Object> setting) {
        if (setting.getKey().equals("set")) {
            return (setting.getValue() instanceof Map<?, ?> map
                            ? map.keySet()
                            : setting.getValue() instanceof List<?> list ? list : List.of(setting.getValue()))
                    .stream().map(String::valueOf).anyMatch(OF_THE_USER_TOO.asMatchPredicate());
        }
        // a key that goes to a server of this machine may be any
        Object address = setting.getKey().equals("api-key-env") ? settings.get("base-url") : setting.getValue();
        return OF_THE_USER.contains(setting.getKey())
                && !OF_THIS_MACHINE.matcher(String.valueOf(address)).matches();
    }

    /** Reads a file. */
    static JobFile read(Path file) {
        String text;
        try {
            text = Files.readString(file);
        } catch (IOException e) {
            throw new UsageException(file + ": expected a file with a job that can be read (" + e + ")", e);
        }
        try {
            LoadSettings strings = LoadSettings.builder()
                    .setLabel(file.toString())
                    .setSchema(new FailsafeSchema())
                    .setTagConstructors(Map.of(Tag.NULL, new ConstructYamlNull()))
                    .build();
            checkDepth(file, strings, text);
            if (new Load(strings).loadFromString(text) instanceof Map<?, ?> map) {
                Map<String, Object> settings = new LinkedHashMap<>();
                map.forEach((name, value) -> settings.put(String.valueOf(name), value == null ? "" : value));
                return new JobFile(file.toString(), settings);
            }
        } catch (YamlEngineException e) {
            throw new UsageException(file + " is no YAML: " + e.getMessage(), e);
        }
        throw new UsageException(file + " is no job: expected lines such as samples: 20");
    }

    /** The tree is built by calls in each other, which a file must not make too many. */
    private static void checkDepth(Path file, LoadSettings settings, String text) {
        int depth = 0;
        for (Event event : new Parse(settings).parseString(text)) {
            switch (event.getEventId()) {
                case MappingStart, SequenceStart -> depth++;
                case MappingEnd, SequenceEnd -> depth--;
                default -> {}
            }
            if (depth > MAX_DEPTH) {
                throw new UsageException(
                        file + " is no job: its values lie more than " + MAX_DEPTH + " deep in each other");
            }
        }
    }

    /** Returns the options that a command line gives. */
    static JobFile of(ParseResult given) {
        Map<String, Object> settings = new LinkedHashMap<>();
        for (OptionSpec option : given.matchedOptionsSet()) {
            String name = name(option);
            if (!OF_THE_PROGRAM.contains(name)) {
                settings.put(name, value(option));
            }
        }
        return new JobFile(COMMAND_LINE, settings);
    }

    /** Returns whether no file says any of them. */
    boolean isOfCommandLine() {
        return source.equals(COMMAND_LINE);
    }

    private static String name(OptionSpec option) {
        return option.longestName().substring(2);
    }

    private static Object value(OptionSpec option) {
        if (isFlag(option)) {
            return String.valueOf(option.<Boolean>getValue());
        }
        List<String> values = option.originalStringValues();
        return option.isMultiValue() ? values : values.isEmpty() ? "" : values.get(values.size() - 1);
    }

    private static boolean isFlag(OptionSpec option) {
        return option.type() == boolean.class || option.type() == Boolean.class;
    }

    /** Returns these settings with those of the other, which count before these. */
    JobFile with(JobFile other) {
        Map<String, Object> all = new LinkedHashMap<>(settings);
        all.putAll(other.settings);
        return new JobFile(source, all);
    }

    /** Returns the settings that say what the job is, without values that belong to the environment. */
    JobFile toKeep() {
        Map<String, Object> kept = new LinkedHashMap<>(settings);
        kept.keySet().removeAll(OF_THE_CALL);
        kept.computeIfPresent(
                MCP_ENV,
                (name, values) -> values instanceof List<?> list
                        ? list.stream()
                                .map(value -> String.valueOf(value).replaceFirst("=.*", ""))
                                .toList()
                        : values);
        return new JobFile(source, kept);
    }

    /**
     * Checks what a file may say.
     *
     * @throws UsageException if it says something else
     */
    JobFile checked(CommandSpec run) {
        for (String name : settings.keySet()) {
            if (OF_THE_CALL.contains(name) || OF_THE_PROGRAM.contains(name)) {
                throw new UsageException(source + ": " + name + " is for the command line, not for a job");
            }
            option(run, name);
        }
        return this;
    }

    private OptionSpec option(CommandSpec run, String name) {
        OptionSpec option = run.findOption("--" + name);
        if (option == null) {
            Set<String> known =
                    run.options().stream().map(JobFile::name).collect(Collectors.toCollection(TreeSet::new));
            throw new UsageException(source + ": there is no option " + name
                    + Spelling.nearest(name, known)
                            .map(nearest -> "; did you mean " + nearest + "?")
                            .orElse(""));
        }
        return option;
    }

    /** Returns the command line that says the same. */
    List<String> arguments(CommandSpec run) {
        List<String> arguments = new ArrayList<>();
        settings.forEach((name, value) -> {
            OptionSpec option = option(run, name);
            texts(name, value).forEach(text -> argument(option, name, text).ifPresent(arguments::add));
        });
        return arguments;
    }

    private Stream<String> texts(String name, Object value) {
        if (value instanceof Map<?, ?> map) {
            return map.entrySet().stream().map(entry -> entry.getKey() + "=" + text(name, entry.getValue()));
        }
        return value instanceof List<?> list
                ? list.stream().map(element -> text(name, element))
                : Stream.of(text(name, value));
    }

    private String text(String name, @Nullable Object value) {
        if (value == null || value instanceof String) {
            return value == null ? "" : (String) value;
        }
        throw new UsageException(source + ": " + name + " has a list or map in another");
    }

    private Optional<String> argument(OptionSpec option, String name, String text) {
        if (isFlag(option)) {
            if (!text.equals("true") && !text.equals("false")) {
                throw new UsageException(source + ": " + name + " is '" + text + "': expected true or false");
            }
            return text.equals("true")
                    ? Optional.of("--" + name)
                    : option.negatable() ? Optional.of("--no-" + name) : Optional.empty();
        }
        return Optional.of("--" + name + (text.isEmpty() && option.arity().min() == 0 ? "" : "=" + text));
    }

    /** Returns the file's text. */
    String text() {
        DumpSettings lines = DumpSettings.builder()
                .setDefaultFlowStyle(FlowStyle.BLOCK)
                .setSchema(new FailsafeSchema())
                .build();
        return new Dump(lines).dumpToString(settings);
    }

    // ---- in the journal

    /** Has the journal keep the job under its id, unless that is too long for the name of a file. */
    void keep(Path journal, String invocation, UnaryOperator<String> redaction) throws IOException {
        Optional<Path> place = place(journal, invocation, ENDING);
        if (place.isPresent()) {
            PrivateFiles.createFolder(journal.resolve(FOLDER));
            try (Writer file = Channels.newWriter(
                    PrivateFiles.open(place.get(), CREATE, WRITE, TRUNCATE_EXISTING), StandardCharsets.UTF_8)) {
                file.write(redaction.apply(text()));
            }
        }
    }

    /** Returns the file of such an ending that a journal has of a job; empty where its id is too long for one. */
    static Optional<Path> place(Path journal, String invocation, String ending) {
        String name = URLEncoder.encode(invocation, StandardCharsets.UTF_8);
        return name.length() <= MAX_NAME
                ? Optional.of(journal.resolve(FOLDER).resolve(name + ending))
                : Optional.empty();
    }

    /** Returns the job of that id as the journal keeps it; empty where it keeps none that can be read. */
    public static Optional<JobFile> kept(Path journal, String invocation) {
        try {
            return place(journal, invocation, ENDING).filter(Files::exists).map(JobFile::read);
        } catch (UsageException e) {
            return Optional.empty();
        }
    }

    /** Returns whether the file is for this user alone, as those are that this program keeps, and those of a clone are not. */
    private static boolean isOwn(Path file) {
        try {
            return Files.getPosixFilePermissions(file).equals(PosixFilePermissions.fromString("rw-------"));
        } catch (UnsupportedOperationException | IOException e) {
            return e instanceof UnsupportedOperationException; // this system has none
        }
    }

    /** Finds the latest job that the journal keeps whose id begins so. */
    static Optional<JobFile> latest(Path journal, String id) {
        String beginning = URLEncoder.encode(id, StandardCharsets.UTF_8);
        try (Stream<Path> files = Files.list(journal.resolve(FOLDER))) {
            return files.filter(file -> file.getFileName().toString().startsWith(beginning)
                            && file.toString().endsWith(ENDING))
                    .max(Comparator.comparingLong(file -> file.toFile().lastModified()))
                    .map(file -> read(file).checkTrusted(file, NOTHING));
        } catch (IOException e) {
            return Optional.empty(); // nothing was kept
        }
    }
}
