package dev.rlm.cli.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
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
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Hostile clients over real sockets, which any HTTP server of this product has to survive in a small heap: the others are
 * answered meanwhile and afterwards. A server's test extends it and starts the server.
 */
public abstract class HostileClientContract {
    /** Java's options of the server. */
    protected static final List<String> SMALL_HEAP = List.of("-Xmx96m");

    private static final int STRANGERS = 1_500;
    private static final List<String> BEGINNINGS = List.of("", "POST /", "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A: ");
    private static final int SLOW_CLIENTS = 20;
    private static final int PATIENCE_MILLIS = 100_000;
    private static final Duration PATIENCE = Duration.ofSeconds(40); // less than a thread is held by a client in vain

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
    public record Server(RlmProcess process, URI url, Map<String, String> headers, String body) {}

    /** Starts the server in {@link #folder}, with these options of Java's. */
    protected abstract Server start(List<String> options) throws Exception;

    /** Returns a legal body of about that size which costs as much memory as one can. */
    protected abstract byte[] costlyBody(int size);

    @AfterEach
    void closeSockets() throws IOException {
        for (Socket socket : sockets) {
            socket.close();
        }
    }

    @Test
    protected void halfOpenConnections_takeNoPlaceFromOthers() throws Exception {
        Server server = start(SMALL_HEAP);
        for (int i = 0; i < STRANGERS; i++) {
            String beginning = BEGINNINGS.get(i % BEGINNINGS.size());
            send(connect(server), beginning);
            if (i % 50 == 0) {
                assertAnswers(server);
            }
        }
        assertAnswers(server);
    }

    @Tag("thorough")
    @Test
    protected void connectionWithoutRequest_isClosed() throws Exception {
        Server server = start(SMALL_HEAP);
        List<Socket> silent = new ArrayList<>();
        for (String beginning : List.of("", "POST /", "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\n")) {
            Socket socket = connect(server);
            send(socket, beginning);
            socket.setSoTimeout(30_000);
            silent.add(socket);
        }
        for (Socket socket : silent) {
            assertThat(socket.getInputStream().read()).isEqualTo(-1);
        }
    }

    @Tag("thorough")
    @Test
    protected void headByteByByte_isCutOff() throws Exception {
        Socket socket = connect(start(SMALL_HEAP));
        send(socket, "POST / HTTP/1.1\r\nX-A: ");
        socket.setSoTimeout(200);
        int sent = 0;
        while (sent < 200 && !isClosedAfter(socket, "a")) {
            sent++;
        }
        assertThat(sent).isLessThan(200);
    }

    private static boolean isClosedAfter(Socket socket, String text) {
        try {
            send(socket, text);
            return socket.getInputStream().read() < 0;
        } catch (SocketTimeoutException e) {
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    @Test
    protected void headWithoutEnd_isRefused() throws Exception {
        Server server = start(SMALL_HEAP);
        Socket socket = connect(server);
        send(socket, "POST / HTTP/1.1\r\n" + "X-A: aaaaaaaa\r\n".repeat(50_000));

        assertThat(response(socket)).startsWith("HTTP/1.1 431 ");
        assertAnswers(server);
    }

    @Test
    protected void requestThatIsNone_isRefused() throws Exception {
        Server server = start(SMALL_HEAP);
        List<String> statusesAndHeads = List.of(
                "413 Content-Length: 99999999999",
                "400 Content-Length: 5,Content-Length: 6",
                "400 Content-Length: -1",
                "400 Content-Length: 5,Transfer-Encoding: chunked",
                "501 Transfer-Encoding: gzip",
                "400 Transfer-Encoding: chunked",
                "400 X A: 1");
        for (String each : statusesAndHeads) {
            String[] statusAndHead = each.split(" ", 2);
            Socket socket = connect(server);
            send(socket, head(server, statusAndHead[1].split(",")) + "no chunk\r\n\r\n");

            assertThat(response(socket))
                    .as(each)
                    .startsWith("HTTP/1.1 " + statusAndHead[0] + " ")
                    .contains("\"error\"");
            assertAnswers(server);
        }
    }

    @Test
    protected void bodyThatIsTooLong_isRefused_alsoToAClientThatReadsNothingBeforeAllIsSent() throws Exception {
        Server server = start(SMALL_HEAP);
        Socket socket = connect(server);
        int pieces = 100;
        byte[] piece = new byte[1 << 20];
        send(socket, head(server, "Content-Length: " + (long) pieces * piece.length));
        await().until(() -> socket.getInputStream().available() > 0); // and yet it sends on
        for (int i = 0; i < pieces; i++) {
            socket.getOutputStream().write(piece);
        }

        assertThat(response(socket)).startsWith("HTTP/1.1 413 ").contains("\"error\"");
        assertAnswers(server);
    }

    @Test
    protected void requestsInOneGo_areAnsweredInTurn() throws Exception {
        Server server = start(SMALL_HEAP);
        Socket socket = connect(server);
        String length = "Content-Length: " + server.body().length();
        String kept = head(server, length) + server.body();
        send(socket, kept.repeat(SLOW_CLIENTS) + head(server, length, "Connection: close") + server.body());

        assertThat(response(socket).split("HTTP/1.1 200 ", -1)).hasSize(SLOW_CLIENTS + 2);
    }

    @Tag("thorough")
    @Test
    protected void bodiesThatStop_areCutOff_andOthersAreAnswered() throws Exception {
        Server server = start(SMALL_HEAP);
        List<Socket> slow = new ArrayList<>();
        for (int i = 0; i < SLOW_CLIENTS; i++) {
            slow.add(connect(server));
            send(slow.get(i), head(server, "Content-Length: 1000") + " ");
        }
        assertAnswers(server);
        for (Socket socket : slow) {
            assertThat(response(socket)).isEmpty();
        }
        assertAnswers(server);
    }

    @Tag("thorough")
    @Test
    protected void costlyBodiesAtOnce_areAnswered_alsoWhereOneReadsNoAnswer() throws Exception {
        Server server = start(SMALL_HEAP);
        byte[] body = costlyBody(3 << 20);
        List<Socket> clients = List.of(connect(server), connect(server), connect(server));
        List<CompletableFuture<Void>> sent = clients.stream()
                .map(client -> CompletableFuture.runAsync(() -> sendWhole(client, server, body)))
                .toList();
        sent.forEach(CompletableFuture::join); // none reads before all has been sent: no server may wait for that
        assertAnswers(server);

        assertThat(response(clients.get(0))).startsWith("HTTP/1.1 200 ");
        assertThat(response(clients.get(1))).startsWith("HTTP/1.1 200 ");
        assertAnswers(server);
        assertThat(server.process().process().isAlive()).isTrue();
    }

    private static void sendWhole(Socket socket, Server server, byte[] body) {
        try {
            send(socket, head(server, "Content-Length: " + body.length, "Connection: close"));
            socket.getOutputStream().write(body);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
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
