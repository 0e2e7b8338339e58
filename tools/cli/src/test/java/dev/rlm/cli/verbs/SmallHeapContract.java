package dev.rlm.cli.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.launcher.Main;
import dev.rlm.cli.launcher.RlmProcess;
import dev.rlm.cli.testkit.HostileClients;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Clients that cost memory, which any HTTP server of this product has to survive in a small heap: the others are answered meanwhile and
 * afterwards. A server's test extends it and starts the server as a process of its own.
 */
abstract class SmallHeapContract extends HostileClients {
    private static final List<String> SMALL_HEAP = List.of("-Xmx96m");
    private static final Pattern LISTENING = Pattern.compile("listening on (http://[^/,\\s]+)");
    private static final int STRANGERS = 1_500;
    private static final List<String> BEGINNINGS = List.of("", "POST /", "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A: ");

    /** The process that was started last. */
    @SuppressWarnings("NullAway.Init") // set by each test
    RlmProcess rlm;

    /** Starts the server with its journal in {@link #folder}. */
    abstract Server start() throws Exception;

    /** Returns a legal body of about that size which costs as much memory as one can. */
    abstract byte[] costlyBody(int size);

    @AfterEach
    void endProcess() {
        rlm.close();
    }

    /** Starts a verb in a small heap. */
    final void startVerb(Map<String, String> variables, String... arguments) throws IOException {
        rlm = RlmProcess.start(folder, variables, SMALL_HEAP, Main.class.getName(), arguments);
    }

    /** Starts a verb that is a server, in a small heap, and returns its address without a path. */
    final String startServer(Map<String, String> variables, String... arguments) throws IOException {
        startVerb(variables, arguments);
        rlm.await(() -> LISTENING.matcher(rlm.err()).find());
        Matcher said = LISTENING.matcher(rlm.err());
        assertThat(said.find()).isTrue();
        return said.group(1);
    }

    @Test
    void halfOpenConnections_takeNoPlaceFromOthers() throws Exception {
        Server server = start();
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
    void costlyBodiesAtOnce_areAnswered_alsoWhereOneReadsNoAnswer() throws Exception {
        Server server = start();
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
        assertThat(rlm.process().isAlive()).isTrue();
    }

    private static void sendWhole(Socket socket, Server server, byte[] body) {
        try {
            send(socket, head(server, "Content-Length: " + body.length, "Connection: close"));
            socket.getOutputStream().write(body);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
