package dev.rlm.recorder;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.testkit.HostileClientContract;
import java.net.Socket;
import java.net.URI;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** {@code rlm record} with clients that send what they should not. */
class RecordHostileTest extends HostileClientContract {
    private static final String METRICS =
            "{\"type\":\"metrics_reported\",\"category\":\"misc\",\"values\":{\"step\":1}}\n";
    private static final String START = "{\"type\":\"run_started\",\"run_id\":\"r\",\"environment\":\"e\"}";

    @SuppressWarnings("NullAway.Init") // set by each test
    private RunningRecorder recorder;

    @AfterEach
    void stop() throws InterruptedException {
        recorder.close();
    }

    @Override
    protected Server start() throws Exception {
        recorder = RunningRecorder.start(folder, Map.of());
        Map<String, String> headers =
                Map.of("Authorization", "Bearer " + RunningRecorder.TOKEN, "Content-Type", "application/json");
        return new Server(URI.create(recorder.url() + "/v1/events"), headers, METRICS);
    }

    @Test
    void requestThatBreaksOff_isNotRecorded() throws Exception {
        Server server = start();
        try (Socket socket = connect(server)) {
            send(socket, head(server, "Content-Length: 9999") + START + "\n");
        }
        assertAnswers(server);
        assertThat(recorder.rlm().stop()).isEqualTo(130);
        assertThat(recorder.journal().runs()).isEmpty();
    }

    @Test
    void oldClient_isAnsweredWithoutChunks() throws Exception {
        Server server = start();
        Socket socket = connect(server);
        String body = METRICS.repeat(5_000);
        send(socket, head(server, "Content-Length: " + body.length()).replace("HTTP/1.1", "HTTP/1.0") + body);

        assertThat(response(socket))
                .startsWith("HTTP/1.1 200 ")
                .doesNotContain("chunked")
                .contains("\r\n\r\n{\"line\":1,\"ok\":true,\"synced\":true}\n{\"line\":2,");
    }

    @Test
    void clientThatIsToldToGoOn_isAnswered() throws Exception {
        Server server = start();
        Socket socket = connect(server);
        send(socket, head(server, "Content-Length: " + METRICS.length(), "Expect: 100-continue", "Connection: close"));
        String told = "HTTP/1.1 100 Continue\r\n\r\n";
        assertThat(socket.getInputStream().readNBytes(told.length())).asString().isEqualTo(told);
        send(socket, METRICS);
        assertThat(response(socket)).contains("{\"line\":1,\"ok\":true");
    }
}
