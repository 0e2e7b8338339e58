package dev.rlm.cli.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rlm.cli.launcher.Main;
import dev.rlm.cli.launcher.RlmProcess;
import dev.rlm.cli.testkit.Cli;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** {@code rlm view} as a process, beside others that run, are killed and end. */
@Timeout(180)
class ViewProcessTest {
    private static final String TOKEN = "view-token-of-this-test-0123456789";
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final HttpClient client = HttpClient.newHttpClient();

    @TempDir
    private Path own;

    private RlmProcess view(Map<String, String> variables) throws IOException {
        Path folder = Files.createDirectory(own.resolve("view"));
        RlmProcess view = RlmProcess.start(folder, variables, Main.class, "view", "--no-open", "--port", "0");
        view.await(() -> view.out().contains("Ctrl-C ends it"));
        return view;
    }

    private Map<String, String> variables() {
        return Map.of(
                "RLM_JSONL_DIR", own.resolve("journal").toString(),
                "RLM_VIEW_TOKEN", TOKEN,
                "XDG_CACHE_HOME", own.resolve("cache").toString());
    }

    private static String url(RlmProcess view) throws IOException {
        return view.out().replaceFirst("(?s).*(http://[^/]+)/.*", "$1");
    }

    private <T> HttpResponse<T> get(RlmProcess view, String path, HttpResponse.BodyHandler<T> body) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(url(view) + path))
                .header("Authorization", "Bearer " + TOKEN)
                .build();
        return client.send(request, body);
    }

    private String list(RlmProcess view) throws Exception {
        return get(view, "/api/list", HttpResponse.BodyHandlers.ofString()).body();
    }

    private InputStream changes(RlmProcess view) throws Exception {
        HttpResponse<InputStream> stream = get(view, "/api/changes", HttpResponse.BodyHandlers.ofInputStream());
        assertThat(stream.headers().firstValue("content-type").orElseThrow()).startsWith("text/event-stream");
        return stream.body();
    }

    /** The next event that says something. */
    private static String event(InputStream stream) throws IOException {
        StringBuilder event = new StringBuilder();
        while (!event.toString().endsWith("\n\n") || !event.toString().contains("data:")) {
            event.append((char) stream.read());
        }
        return event.toString();
    }

    @Tag("thorough")
    @Test
    void runOfAnotherProcess_andItsDeath_areTold() throws Exception {
        Path recorded = Files.createDirectory(own.resolve("journal"));
        try (RlmProcess view = view(variables())) {
            try (InputStream changes = changes(view)) {
                assertThat(event(changes)).contains("\"cursor\":1}");
                assertThat(list(view)).contains("there is no journal at " + recorded);

                Path folder = Files.createDirectory(own.resolve("run"));
                try (RlmProcess run =
                        RlmProcess.start(folder, variables(), "run", "--samples", "1", "--latency", "1h")) {
                    await().atMost(PATIENCE).until(() -> list(view).contains("\"state\":\"running\""));
                    assertThat(event(changes)).contains("\"cursor\":");
                    run.process().destroyForcibly();
                    await().atMost(PATIENCE).until(() -> list(view).contains("\"state\":\"abandoned\""));
                }
            }
            view.signal("INT");
            assertThat(view.process().waitFor()).isEqualTo(130);
        }
    }

    /** A job names the page of its first run while a console is open on its journal, and opens one where it is asked to. */
    @Test
    void job_namesItsPage_andOpensAConsole() throws Exception {
        String[] job = {"run", "--samples", "1"};
        assertThat(Cli.with(variables(), job).out()).doesNotContain("view ");

        try (RlmProcess view = view(variables())) {
            assertThat(Cli.with(variables(), job).out()).containsPattern("view +" + url(view) + "/runs/\\w+\n");
            view.process().destroyForcibly().waitFor();
        }
        assertThat(Cli.with(variables(), job).out()).doesNotContain("view ");

        Cli beside = Cli.with(variables(), "run", "--samples", "1", "--view");
        assertThat(beside.exitCode()).as(beside.err()).isZero();
        assertThat(beside.err()).contains("look at http://127.0.0.1:");
        assertThat(beside.out()).containsPattern("view +http://127.0.0.1:\\d+/runs/\\w+\n");
        assertThat(own.resolve("cache/rlm/view")).isEmptyDirectory();
    }

    /** The arguments of a program can be read by everybody on the machine. */
    @DisabledOnOs(OS.WINDOWS)
    @Test
    void browser_isGivenALinkForOnce_andNotTheToken() throws Exception {
        Path bin = Files.createDirectory(own.resolve("bin"));
        Path given = own.resolve("given");
        Path browser = Files.writeString(
                bin.resolve("xdg-open"),
                "#!/bin/sh\nprintf %s \"$*\" > '" + given + ".new'\nmv '" + given + ".new' '" + given + "'\n");
        Files.setPosixFilePermissions(browser, PosixFilePermissions.fromString("rwx------"));
        Map<String, String> variables = new HashMap<>(variables());
        variables.put("PATH", bin + ":" + System.getenv("PATH"));
        Path folder = Files.createDirectory(own.resolve("terminal"));
        try (RlmProcess view = RlmProcess.start(
                folder, variables, List.of("-Drlm.terminal=true"), Main.class.getName(), "view", "--port", "0")) {
            await("the browser's link").atMost(PATIENCE).until(() -> Files.exists(given));
            String link = Files.readString(given);
            assertThat(link).startsWith("http://127.0.0.1:").doesNotContain(TOKEN);

            HttpRequest open = HttpRequest.newBuilder(URI.create(link)).build();
            HttpResponse<Void> first = client.send(open, HttpResponse.BodyHandlers.discarding());
            assertThat(first.statusCode()).isEqualTo(303);
            assertThat(first.headers().firstValue("set-cookie").orElse("")).contains(TOKEN);
            assertThat(client.send(open, HttpResponse.BodyHandlers.discarding()).statusCode())
                    .isEqualTo(401);
        }
    }

    /** On a terminal the console stays open behind a job, but not behind one that was refused. */
    @Test
    void jobThatIsRefused_isNotHeldUpByItsConsole() throws Exception {
        Map<String, String> variables = Map.of(
                "RLM_JSONL_DIR", own.resolve("journal").toString(),
                "XDG_CACHE_HOME", own.resolve("cache").toString(),
                "PATH", "/nonexistent"); // where there is no browser
        try (RlmProcess run = RlmProcess.start(
                own,
                variables,
                List.of("-Drlm.terminal=true"),
                Main.class.getName(),
                "run",
                "--view",
                "--policy",
                "nonsense")) {
            assertThat(run.process().waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(run.process().exitValue()).isEqualTo(2);
            assertThat(run.err()).contains("look at http://127.0.0.1:", "nonsense");
        }
    }
}
