package dev.rlm.cli.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Hostile clients over real sockets, which any HTTP server of this product has to survive: the others are answered meanwhile and
 * afterwards. A server's test extends it and starts the server in its own process.
 */
public abstract class HostileClientContract extends HostileClients {
    private static final int SLOW_CLIENTS = 20;
    private static final int MORE_THAN_THREADS = 800;

    /** Starts the server with its journal in {@link #folder}. */
    protected abstract Server start() throws Exception;

    /** Returns the status that tells a client that its body came too slowly. */
    protected int tooSlow() {
        return 408;
    }

    @Tag("thorough")
    @Test
    protected void connectionWithoutRequest_isClosed() throws Exception {
        Server server = start();
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
        Socket socket = connect(start());
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
        Server server = start();
        Socket socket = connect(server);
        send(socket, "POST / HTTP/1.1\r\n" + "X-A: aaaaaaaa\r\n".repeat(50_000));

        assertThat(response(socket)).startsWith("HTTP/1.1 431 ");
        assertAnswers(server);
    }

    @Test
    protected void requestThatIsNone_isRefused() throws Exception {
        Server server = start();
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
        Server server = start();
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
        Server server = start();
        Socket socket = connect(server);
        String length = "Content-Length: " + server.body().length();
        String kept = head(server, length) + server.body();
        send(socket, kept.repeat(SLOW_CLIENTS) + head(server, length, "Connection: close") + server.body());

        assertThat(response(socket).split("HTTP/1.1 200 ", -1)).hasSize(SLOW_CLIENTS + 2);
    }

    @Tag("thorough")
    @Test
    protected void bodiesByteByByte_keepNobodyOut_andAreCutOff() throws Exception {
        Server server = start();
        List<Socket> slow = new ArrayList<>();
        for (int i = 0; i < MORE_THAN_THREADS; i++) {
            slow.add(connect(server));
            send(slow.get(i), head(server, "Content-Length: 1000") + " ");
        }
        assertAnswers(server);
        for (int seconds = 0; seconds < 13; seconds++) {
            for (Socket socket : slow) {
                try {
                    send(socket, " ");
                } catch (IOException e) {
                    // it is cut off
                }
            }
            TimeUnit.SECONDS.sleep(1);
        }
        for (Socket socket : slow) {
            assertThat(response(socket))
                    .startsWith("HTTP/1.1 " + tooSlow() + " ")
                    .contains("\"error\"");
        }
        assertAnswers(server);
    }

    @Tag("thorough")
    @Test
    protected void bodiesThatStop_areCutOff_andOthersAreAnswered() throws Exception {
        Server server = start();
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
}
