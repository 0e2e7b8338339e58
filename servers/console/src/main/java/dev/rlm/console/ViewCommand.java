package dev.rlm.console;

import dev.rlm.cli.Bounds;
import dev.rlm.cli.Interruption;
import dev.rlm.cli.OpenConsoles;
import dev.rlm.cli.RunFilter;
import dev.rlm.cli.Token;
import dev.rlm.cli.TokenFile;
import dev.rlm.cli.UsageException;
import dev.rlm.cli.Verb;
import dev.rlm.journal.Journal;
import dev.rlm.journal.format.segment.PrivateFiles;
import dev.rlm.json.Json;
import dev.rlm.server.http.RefusedException;
import dev.rlm.sinks.SinkProvider.Variable;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.reflect.Field;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The verb {@code view}: shows journals in a browser. */
@Command(
        name = "view",
        description = "Shows journals in a browser: serves their pages on 127.0.0.1, until it is stopped.",
        mixinStandardHelpOptions = true)
public final class ViewCommand extends Verb {
    private static final String TOKEN = "RLM_VIEW_TOKEN";
    private static final int PORT = 4712;
    private static final int PORTS = 20; // that are tried
    private static final int MOST_RUNS = 200; // of a file

    @Parameters(
            paramLabel = "JOURNAL",
            description = "Folders of journals, among which the page chooses; $RLM_JSONL_DIR, else .rlm, unless given.")
    private List<Path> journals = new ArrayList<>();

    @Option(
            names = "--port",
            paramLabel = "N",
            description = "Where to listen, at 127.0.0.1 alone (4712, or the next that is free); 0 for a free port.")
    private @Nullable Integer port;

    @Option(names = "--no-open", description = "Open no browser.")
    private boolean noOpen;

    @Mixin
    private final TokenFile tokenFile = new TokenFile();

    @Option(
            names = "--index",
            paramLabel = "DIR",
            description = "Where indexes of journals are kept ($RLM_JOURNAL_INDEX, else the user's cache folder); none"
                    + " keeps none.")
    private @Nullable String index;

    @Option(
            names = "--output",
            paramLabel = "FILE",
            description = "Write one HTML file, for this user alone, that shows the runs without a server, and serve"
                    + " nothing.")
    private @Nullable Path output;

    @Option(
            names = "--limit",
            paramLabel = "N",
            description = "With --output: the pages of the latest N of them (200).")
    private @Nullable Integer limit;

    @Mixin
    private final RunFilter filter = new RunFilter();

    @Option(
            names = "--json",
            description = "Print the link and the process id as one JSON object; with --output the file, its runs and"
                    + " bytes, and in how many places something was redacted or cut.")
    private boolean json;

    @Override
    public List<Variable> variables() {
        return List.of(new Variable(
                TOKEN,
                "made up",
                "what a browser must know to see the pages of rlm view; 16 to 512 visible ASCII characters"));
    }

    @Override
    protected int execute() throws InterruptedException {
        if (port != null) {
            Bounds.checkPort("--port", port);
        }
        List<Path> shown = journals.isEmpty() ? List.of(Journal.configured(config())) : List.copyOf(journals);
        for (Path journal : journals) {
            if (!Files.isDirectory(journal)) {
                throw new UsageException(journal + " is no journal: expected a folder");
            }
        }
        List<String> more = index == null ? List.of() : List.of("--index=" + index);
        Map<String, List<String>> filters = filters();
        if (output != null) {
            return write(output, new CommandRunner(config(), shown, more, () -> 0), shown, filters);
        }
        if (!filters.isEmpty() || limit != null) {
            throw new UsageException("--"
                    + (filters.isEmpty() ? "limit" : filters.keySet().iterator().next())
                    + " chooses the runs of a file: expected --output FILE beside it. Pages have filters of their own");
        }
        Token token = tokenFile.token(config(), TOKEN);
        CountDownLatch stop = new CountDownLatch(1);
        JournalWatcher watcher = new JournalWatcher(shown);
        CommandRunner commands = new CommandRunner(config(), shown, more, watcher::cursor);
        try (Interruption ignored = new Interruption(console(), stop::countDown);
                ConsoleServer server = listen(token, commands, watcher, about(shown, false));
                OpenConsoles.Told ignoredToo = OpenConsoles.of(config()).add(server.url(), shown)) {
            announce(server, token);
            await(stop);
            tokenFile
                    .delete(token)
                    .ifPresent(warning -> err().println("warning: " + warning)); // before the process may end
        }
        return Interruption.EXIT_CODE;
    }

    private Map<String, Object> about(List<Path> shown, boolean offline) {
        Map<String, Object> about = new LinkedHashMap<>();
        about.put("journals", shown.stream().map(Path::toString).toList());
        about.put("program", console().program());
        about.put("offline", offline);
        return about;
    }

    /** Waits until it is told to end, by a signal or by who has opened it beside something else. */
    private static void await(CountDownLatch stop) {
        try {
            stop.await();
        } catch (InterruptedException e) {
            // which is such a word
        }
    }

    /** Returns the options given that choose runs, without dashes. */
    private Map<String, List<String>> filters() {
        Map<String, List<String>> filters = new LinkedHashMap<>();
        for (OptionSpec option : given().matchedOptions()) {
            if (option.userObject() instanceof Field field
                    && field.getDeclaringClass().isInstance(filter)) {
                filters.put(option.longestName().substring(2), option.originalStringValues());
            }
        }
        return filters;
    }

    private int write(Path file, CommandRunner commands, List<Path> shown, Map<String, List<String>> filters)
            throws InterruptedException {
        if (shown.size() > 1) {
            throw new UsageException(
                    "--output writes one journal: expected no more than one folder, not " + shown.size());
        } else if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            throw new UsageException("--output=" + file + " is there already: expected a new file");
        } else if (limit != null && limit < 1) {
            throw new UsageException("--limit must be at least 1, was " + limit);
        }
        try {
            SingleFileExport export = new SingleFileExport(commands, filters, limit == null ? MOST_RUNS : limit);
            byte[] html = export.html(about(shown, true)).getBytes(StandardCharsets.UTF_8);
            try (OutputStream out = Channels.newOutputStream(
                    PrivateFiles.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE))) {
                out.write(html);
            }
            if (json) {
                out().println(Json.text(Map.of(
                        "file",
                        file.toString(),
                        "runs",
                        export.size(),
                        "bytes",
                        html.length,
                        "altered",
                        export.altered())));
            } else {
                out().println(String.format(
                        Locale.ROOT,
                        "%s: %d runs, %,d bytes, for this user alone; redacted or cut in %d places",
                        file,
                        export.size(),
                        html.length,
                        export.altered()));
            }
            out().flush();
            return CommandLine.ExitCode.OK;
        } catch (RefusedException e) {
            throw new UsageException(String.valueOf(e.getMessage()), e);
        } catch (IOException e) {
            throw new UsageException("--output=" + file + " cannot be written: " + e, e);
        }
    }

    private ConsoleServer listen(
            Token token, CommandRunner commands, JournalWatcher watcher, Map<String, Object> about) {
        int first = port == null ? PORT : port;
        for (int tried = first; port == null && tried < first + PORTS; tried++) {
            try {
                return new ConsoleServer(tried, token, commands, watcher, about);
            } catch (UsageException e) {
                // the next may be free
            }
        }
        return new ConsoleServer(first, token, commands, watcher, about);
    }

    private void announce(ConsoleServer server, Token token) {
        String link = server.link();
        tokenFile.write(token);
        String shown = tokenFile.isGiven() ? link.replaceFirst("\\?.*", "") : link;
        if (json) {
            out().println(Json.text(
                    Map.of("url", shown, "pid", ProcessHandle.current().pid())));
        } else {
            out().println("look at " + shown + (tokenFile.isGiven() ? "?t= and the token in " + tokenFile : ""));
            out().println("Ctrl-C ends it");
        }
        out().flush();
        if (!noOpen && !json && console().terminal()) {
            open(server.linkForOnce());
        }
    }

    /** Opens a browser, where there is a program that does. */
    private static void open(String link) {
        boolean mac = System.getProperty("os.name", "").toLowerCase(Locale.ROOT).contains("mac");
        try {
            var unused = new ProcessBuilder(mac ? "open" : "xdg-open", link)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
        } catch (IOException e) {
            // the link is printed
        }
    }
}
