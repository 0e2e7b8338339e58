package dev.rlm.cli.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/** Clients of an HTTP server over real sockets, which end with the test. */
public abstract class HostileClients {
    private static final int PATIENCE_MILLIS = 100_000;
    private static final Duration PATIENCE = Duration.ofSeconds(40); // less than a thread is held by a client in vain

    /** Place of the server's journal. */
    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    protected Path folder;

    private final List<Socket> sockets = new ArrayList<>();

    /**
     * A server that has been started.
     *
     * @param url where its requests go
     * @param headers of a request that it accepts
     * @param body of such a request, also when it comes often
     */
    public record Server(URI url, Map<String, String> headers, String body) {}

    @AfterEach
    void closeSockets() throws IOException {
        for (Socket socket : sockets) {
            socket.close();
        }
    }

    /** Sends a request that is as it should be, and expects its answer. */
    protected static void assertAnswers(Server server) throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(server.url()).timeout(PATIENCE);
        server.headers().forEach(request::header);
        HttpResponse<String> response = HttpClient.newHttpClient()
                .send(
                        request.POST(HttpRequest.BodyPublishers.ofString(server.body()))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    }

    /** Opens a connection, which ends with the test. */
    protected final Socket connect(Server server) throws IOException {
        Socket socket = new Socket(server.url().getHost(), server.url().getPort());
        socket.setSoTimeout(PATIENCE_MILLIS);
        sockets.add(socket);
        return socket;
    }

    /** Returns the head of a request that is accepted but for what is added. */
    protected static String head(Server server, String... more) {
        StringBuilder head = new StringBuilder("POST " + server.url().getPath() + " HTTP/1.1\r\nHost: 127.0.0.1\r\n");
        server.headers().forEach((name, value) -> head.append(name + ": " + value + "\r\n"));
        for (String each : more) {
            head.append(each).append("\r\n");
        }
        return head.append("\r\n").toString();
    }

    protected static void send(Socket socket, String text) throws IOException {
        OutputStream out = socket.getOutputStream();
        out.write(text.getBytes(StandardCharsets.ISO_8859_1));
        out.flush();
    }

    /** Reads to the end of the connection; the beginning of what came, which may be much. */
    protected static String response(Socket socket) throws IOException {
        InputStream in = socket.getInputStream();
        String beginning = new String(in.readNBytes(1 << 16), StandardCharsets.UTF_8);
        in.transferTo(OutputStream.nullOutputStream());
        return beginning;
    }
}
