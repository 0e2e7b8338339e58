package dev.rlm.console;

import dev.rlm.cli.Bounds;
import dev.rlm.cli.Interruption;
import dev.rlm.cli.Program;
import dev.rlm.cli.Token;
import dev.rlm.cli.UsageException;
import dev.rlm.cli.Verb;
import dev.rlm.json.Json;
import dev.rlm.sinks.SinkProvider.Variable;
import dev.rlm.sinks.jsonl.Journal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
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
    private static final int MAX_PORT = 65_535;

    @Parameters(paramLabel = "JOURNAL", description = "Folders of journals; $RLM_JSONL_DIR or .rlm unless given.")
    private List<Path> journals = new ArrayList<>();

    @Option(
            names = "--port",
            paramLabel = "N",
            description = "Where to listen; 0 for a free port (4712, or the next that is free).")
    private @Nullable Integer port;

    @Option(names = "--no-open", description = "Open no browser.")
    private boolean noOpen;

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description = "Keep the token there, for this user alone, and print a link without it.")
    private @Nullable Path tokenFile;

    @Option(names = "--index", paramLabel = "DIR", description = "Where indexes of journals are kept, or none.")
    private @Nullable String index;

    @Option(names = "--json", description = "Print the link and the process id as one JSON object.")
    private boolean json;

    @Override
    public List<Variable> variables() {
        return List.of(new Variable(TOKEN, "random", "what a browser must know to see the pages of view"));
    }

    @Override
    protected int execute() throws InterruptedException {
        if (port != null) {
            Bounds.checkRange("--port", port, 0, MAX_PORT);
        }
        List<Path> shown = journals.isEmpty() ? List.of(Journal.configured(config())) : List.copyOf(journals);
        for (Path journal : journals) {
            if (!Files.isDirectory(journal)) {
                throw new UsageException(journal + " is no journal: expected a folder");
            }
        }
        Program program = ServiceLoader.load(Program.class)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("the program cannot be found"));
        List<String> more = index == null ? List.of() : List.of("--index=" + index);
        Token token = Token.of(config(), TOKEN);
        CountDownLatch stop = new CountDownLatch(1);
        Changes changes = new Changes(shown);
        Commands commands = new Commands(program, config(), shown, more, changes::cursor);
        try (Interruption ignored = new Interruption(stop::countDown);
                ConsoleServer server = listen(token, commands, changes, about(shown))) {
            announce(server, token);
            stop.await();
        }
        deleteTokenFile(token);
        return Interruption.EXIT_CODE;
    }

    private Map<String, Object> about(List<Path> shown) {
        Map<String, Object> about = new LinkedHashMap<>();
        about.put("journals", shown.stream().map(Path::toString).toList());
        about.put("program", console().program());
        about.put("offline", false);
        return about;
    }

    private ConsoleServer listen(Token token, Commands commands, Changes changes, Map<String, Object> about) {
        int first = port == null ? PORT : port;
        for (int tried = first; port == null && tried < first + PORTS; tried++) {
            try {
                return new ConsoleServer(tried, token, commands, changes, about);
            } catch (UsageException e) {
                // the next may be free
            }
        }
        return new ConsoleServer(first, token, commands, changes, about);
    }

    private void announce(ConsoleServer server, Token token) {
        String link = server.link();
        if (tokenFile != null) {
            try {
                token.write(tokenFile);
            } catch (IOException | UnsupportedOperationException e) {
                throw new UsageException("--token-file=" + tokenFile + " cannot be written: " + e);
            }
        }
        String shown = tokenFile == null ? link : link.replaceFirst("\\?.*", "");
        if (json) {
            out().println(Json.text(
                    Map.of("url", shown, "pid", ProcessHandle.current().pid())));
        } else {
            out().println("look at " + shown + (tokenFile == null ? "" : "?t= and the token in " + tokenFile));
            out().println("Ctrl-C ends it");
        }
        out().flush();
        if (!noOpen && !json && console().terminal()) {
            open(link);
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

    private void deleteTokenFile(Token token) {
        if (tokenFile != null) {
            try {
                token.deleteFrom(tokenFile);
            } catch (IOException e) {
                err().println("warning: " + tokenFile + " cannot be deleted: " + e);
            }
        }
    }
}
