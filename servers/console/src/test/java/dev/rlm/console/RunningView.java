package dev.rlm.console;

import dev.rlm.cli.testkit.RunningCli;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** {@code rlm view} in this process, and a client of it. */
final class RunningView implements AutoCloseable {
    static final String TOKEN = "view-token-of-this-test-0123456789";

    private static final Pattern LINK = Pattern.compile("http://127\\.0\\.0\\.1:(\\d+)/");

    private final HttpClient client = HttpClient.newHttpClient();
    private final RunningCli rlm;
    private final int port;

    private RunningView(RunningCli rlm) {
        this.rlm = rlm;
        rlm.await(() -> LINK.matcher(rlm.out()).find());
        Matcher link = LINK.matcher(rlm.out());
        this.port = link.find() ? Integer.parseInt(link.group(1)) : 0;
    }

    /**
     * Starts it at a free port.
     *
     * @param folder takes its cache
     */
    static RunningView start(Path folder, String... arguments) throws IOException {
        List<String> all = new ArrayList<>(List.of("view", "--no-open", "--port", "0"));
        all.addAll(List.of(arguments));
        return new RunningView(RunningCli.start(
                folder,
                Map.of(
                        "RLM_VIEW_TOKEN",
                        TOKEN,
                        "XDG_CACHE_HOME",
                        folder.resolve("cache").toString()),
                all.toArray(String[]::new)));
    }

    RunningCli rlm() {
        return rlm;
    }

    int port() {
        return port;
    }

    /** Asks with the token. */
    HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return client.send(request(path), HttpResponse.BodyHandlers.ofString());
    }

    HttpRequest request(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .header("Authorization", "Bearer " + TOKEN)
                .build();
    }

    /** Sends lines of a head as they are, and returns the whole answer. */
    String send(String... head) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout((int) Duration.ofSeconds(60).toMillis());
            String text = String.join("\r\n", head) + "\r\nConnection: close\r\n\r\n";
            socket.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Override
    public void close() throws InterruptedException {
        rlm.close();
    }
}
