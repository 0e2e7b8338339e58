package dev.rlm.sinks.mlflow.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.rlm.json.Json;
import dev.rlm.sinks.otel.backend.OtlpReceiver;
import dev.rlm.sinks.otel.backend.TlsFiles;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TrackingServerTest {
    private final List<String> asked = new CopyOnWriteArrayList<>();
    private HttpServer server;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            asked.add(exchange.getRequestURI() + " "
                    + exchange.getRequestHeaders().getFirst("Authorization") + " "
                    + new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private String authorization(
            String user, @Nullable String name, @Nullable String password, @Nullable String token) {
        URI uri =
                URI.create("http://" + user + "127.0.0.1:" + server.getAddress().getPort());
        MlflowResponse answer =
                new TrackingServer(new TrackingAccess(uri, name, password, token, null)).get("", Map.of());
        assertThat(answer.isTaken()).isTrue();
        return asked.get(asked.size() - 1).split(" ", 2)[1].strip();
    }

    private static String basic(String text) {
        return "Basic " + Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void userAndPassword_goBeforeThoseOfTheAddress_andTheseBeforeTheToken() {
        assertThat(authorization("u:p%40w@", "me", "pw", "tok")).isEqualTo(basic("me:pw"));
        assertThat(authorization("u:p%40w@", "me", null, "tok")).isEqualTo(basic("u:p@w"));
        assertThat(authorization("", null, "pw", "tok")).isEqualTo("Bearer tok");
        assertThat(authorization("", null, null, null)).isEqualTo("null");
    }

    @Test
    void path_isKept_andValuesAreEncoded() {
        URI uri = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/team/");
        TrackingServer tracking = new TrackingServer(TrackingAccess.open(uri));
        tracking.get("/api", Map.of("name", "a&b c"));
        tracking.post("/api", Map.of("x", Double.NaN, "text", "\ud800é", "list", List.of(1, 2.5, true)));
        assertThat(asked.get(0)).isEqualTo("/team/api?name=a%26b+c null ");
        assertThat(asked.get(1)).startsWith("/team/api null {");
        assertThat(Json.values(Json.REPLY.object(asked.get(1).split(" ", 3)[2])))
                .isEqualTo(Map.of("x", "NaN", "text", "\ufffdé", "list", List.of(1, 2.5, true)));
    }

    @Tag("thorough")
    @Test
    void certificates_areTrustedAsSaid(@TempDir Path folder) throws IOException, GeneralSecurityException {
        TlsFiles files = TlsFiles.make(folder, "elsewhere.example");
        try (OtlpReceiver receiver = OtlpReceiver.start(files, null)) {
            URI uri = URI.create(receiver.httpEndpoint());
            MlflowResponse strange = ask(uri, null);
            assertThat(strange.status()).isZero();
            assertThat(strange.failure())
                    .extracting(failure -> failure == null ? "" : failure.detail())
                    .asString()
                    .contains("MLFLOW_TRACKING_SERVER_CERT_PATH");
            assertThat(ask(uri, TrustedCertificates.trusting(files.certificate()))
                            .status())
                    .isPositive();
            assertThat(ask(uri, TrustedCertificates.trustingAll()).status()).isPositive();
        }
    }

    private static MlflowResponse ask(URI uri, @Nullable X509TrustManager tls) {
        return new TrackingServer(new TrackingAccess(uri, null, null, null, tls)).get("/none", Map.of());
    }
}
