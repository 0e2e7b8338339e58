package dev.rlm.console.browser;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.options.ColorScheme;
import dev.rlm.cli.Console;
import dev.rlm.cli.program.Rlm;
import dev.rlm.sinks.SinkConfig;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.awaitility.Awaitility;

/** {@code rlm view} of a journal, and a browser that looks at it. */
final class Site implements AutoCloseable {
    static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Pattern LINK = Pattern.compile("(http://127\\.0\\.0\\.1:\\d+)/\\?t=(\\S+)");

    private final Path journal;
    private final Thread server;
    private final String url;
    private final String token;
    private final Playwright playwright;
    private final Browser browser;
    private final List<String> problems = Collections.synchronizedList(new ArrayList<>());

    /** Starts both. */
    Site(Path journal) {
        this.journal = journal;
        StringWriter out = new StringWriter();
        this.server = new Thread(() -> rlm(out, "view", "--no-open", "--port", "0", journal.toString()), "view");
        server.start();
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> LINK.matcher(out.toString()).find());
        Matcher link = LINK.matcher(out.toString());
        boolean told = link.find();
        this.url = told ? link.group(1) : "";
        this.token = told ? link.group(2) : "";
        this.playwright = Playwright.create(
                new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
        this.browser = playwright
                .chromium()
                .launch(new BrowserType.LaunchOptions()
                        .setExecutablePath(Path.of("/usr/bin/chromium"))
                        .setArgs(List.of("--no-sandbox", "--disable-background-networking")));
    }

    /** Runs a command that records into this journal. */
    static int rlm(Path journal, String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of("--journal", journal.toString()));
        return rlm(new StringWriter(), all.toArray(String[]::new));
    }

    /** Returns what a command prints of this journal. */
    String printed(String... arguments) {
        StringWriter out = new StringWriter();
        List<String> all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of("--journal", journal.toString()));
        rlm(out, all.toArray(String[]::new));
        return out.toString();
    }

    /** Writes the journal's runs into one file, and returns what the command prints. */
    String write(Path file) {
        StringWriter out = new StringWriter();
        rlm(out, "view", "--output", file.toString(), journal.toString());
        return out.toString();
    }

    private static int rlm(StringWriter out, String... arguments) {
        Console console = new Console(new PrintWriter(out, true), new PrintWriter(new StringWriter()), false, "rlm");
        return Rlm.execute(console, SinkConfig.of(Map.of("RLM_JOURNAL_INDEX", "none")), arguments);
    }

    /** Opens a file in a window without a network. */
    Page openFile(Path file) {
        Page page = window(ColorScheme.LIGHT, 1400);
        page.context().setOffline(true);
        page.navigate(file.toUri().toString());
        return page;
    }

    /** Opens a window, at the first page. */
    Page open(ColorScheme colors, int width) {
        Page page = window(colors, width);
        page.navigate(url + "/?t=" + token);
        return page;
    }

    private Page window(ColorScheme colors, int width) {
        BrowserContext context = browser.newContext(
                new Browser.NewContextOptions().setViewportSize(width, 900).setColorScheme(colors));
        context.grantPermissions(List.of("clipboard-read", "clipboard-write"));
        context.addInitScript("window.hits = 0"); // which a text that is run counts up
        Page page = context.newPage();
        page.setDefaultTimeout((double) PATIENCE.toMillis());
        page.onConsoleMessage(message -> {
            if (message.type().equals("error") || message.type().equals("warning")) {
                problems.add(page.url() + ": " + message.text());
            }
        });
        page.onPageError(error -> problems.add(page.url() + ": " + error));
        page.onDialog(dialog -> {
            problems.add(page.url() + ": dialog " + dialog.message());
            dialog.dismiss();
        });
        page.onRequest(request -> {
            if (Stream.of(url + "/", "data:", "file:").noneMatch(request.url()::startsWith)) {
                problems.add(page.url() + ": asks " + request.url());
            }
        });
        return page;
    }

    Page open() {
        return open(ColorScheme.LIGHT, 1400);
    }

    /** Goes to a page, and waits until all that it asked for is there. */
    void go(Page page, String path) {
        page.navigate(url + path);
        settle(page);
    }

    /** Waits until all that the page asked for is there. */
    static void settle(Page page) {
        page.waitForFunction(
                "() => document.querySelector('main h1, main .empty, main .problem')"
                        + " && ![...document.querySelectorAll('[role=status]')].some(each => each.textContent.includes('reading'))");
    }

    /** Returns what went wrong since this was last asked: errors, requests elsewhere, dialogs. */
    List<String> problems() {
        List<String> told = List.copyOf(problems);
        problems.clear();
        return told;
    }

    @Override
    public void close() throws InterruptedException {
        browser.close();
        playwright.close();
        server.interrupt();
        server.join(PATIENCE.toMillis());
    }
}
