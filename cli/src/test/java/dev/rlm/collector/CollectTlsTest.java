package dev.rlm.collector;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.launcher.Cli;
import dev.rlm.cli.launcher.RlmProcess;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.otel.backend.FreePort;
import dev.rlm.sinks.testkit.Events;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** TLS of the servers of verbs, by files in PEM. */
@Timeout(180)
@Tag("thorough")
class CollectTlsTest {
    private static final Pattern LISTENING = Pattern.compile("listening on (https://127\\.0\\.0\\.1:\\d+)");
    private static final char[] PASSWORD = "changeit".toCharArray();

    @TempDir
    private Path folder;

    @SuppressWarnings("NullAway.Init") // before each test
    private Path certificate;

    @SuppressWarnings("NullAway.Init")
    private Path key;

    @SuppressWarnings("NullAway.Init")
    private KeyStore trusted;

    @BeforeEach
    void makeCertificate() throws Exception {
        certificate = folder.resolve("cert.pem");
        key = folder.resolve("key.pem");
        trusted = write("RSA", certificate, key);
    }

    private KeyStore write(String algorithm, Path toCertificate, Path toKey) throws Exception {
        Path file = folder.resolve(algorithm + ".p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "a",
                        "-keyalg",
                        algorithm,
                        "-dname",
                        "CN=localhost",
                        "-ext",
                        "san=dns:localhost,ip:127.0.0.1",
                        "-keystore",
                        file.toString(),
                        "-storepass",
                        new String(PASSWORD))
                .inheritIO()
                .start();
        assertThat(keytool.waitFor()).isZero();
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(file)) {
            store.load(in, PASSWORD);
        }
        Files.writeString(
                toCertificate, pem("CERTIFICATE", store.getCertificate("a").getEncoded()));
        Files.writeString(toKey, pem("PRIVATE KEY", store.getKey("a", PASSWORD).getEncoded()));
        Certificate itself = store.getCertificate("a");
        KeyStore trust = KeyStore.getInstance("PKCS12");
        trust.load(null, null);
        trust.setCertificateEntry("a", itself);
        return trust;
    }

    private static String pem(String kind, byte[] bytes) {
        return "-----BEGIN " + kind + "-----\n" + Base64.getMimeEncoder().encodeToString(bytes) + "\n-----END " + kind
                + "-----\n";
    }

    private HttpResponse<String> get(String url) throws Exception {
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return HttpClient.newBuilder()
                .sslContext(context)
                .build()
                .send(HttpRequest.newBuilder(URI.create(url)).build(), HttpResponse.BodyHandlers.ofString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"http/protobuf", "grpc"})
    void spans_thatAreSentWithTls_areCollected(String protocol) throws Exception {
        Path original = folder.resolve("original");
        Map<String, String> journal = Map.of("RLM_JSONL_DIR", original.toString());
        try (Sinks sinks = Sinks.builder().config(SinkConfig.of(journal)).build()) {
            Events.minimal("secured").forEach(sinks::publish);
            assertThat(sinks.flush(Duration.ofSeconds(20)).isComplete()).isTrue();
        }
        try (CollectProcess collector = CollectProcess.start(
                folder,
                "--grpc-port",
                Integer.toString(FreePort.find()),
                "--tls-cert",
                certificate.toString(),
                "--tls-key",
                key.toString())) {
            String url = protocol.equals("grpc") ? collector.grpcUrl() : collector.url();
            assertThat(url).startsWith("https://127.0.0.1:");
            assertThat(get(collector.url() + "/v1/health").body()).isEqualTo("{\"ok\":true}");
            Cli sent = Cli.with(
                    Map.of(
                            "RLM_JSONL_DIR",
                            original.toString(),
                            "RLM_OTEL_ENABLED",
                            "true",
                            "OTEL_EXPORTER_OTLP_ENDPOINT",
                            url,
                            "OTEL_EXPORTER_OTLP_CERTIFICATE",
                            certificate.toString(),
                            "OTEL_EXPORTER_OTLP_PROTOCOL",
                            protocol),
                    "resend");
            assertThat(sent.exitCode()).as(sent.err()).isZero();
            assertThat(collector.events("secured")).isNotEmpty();
        }
    }

    @Test
    void record_andGateway_speakTls() throws Exception {
        Path ecCertificate = folder.resolve("ec.pem");
        Path ecKey = folder.resolve("ec-key.pem");
        trusted = write("EC", ecCertificate, ecKey);
        for (List<String> verb : List.of(
                List.of("record", "--port", "0"),
                List.of("gateway", "--port", "0", "--upstream", "http://127.0.0.1:1"))) {
            List<String> arguments = new ArrayList<>(verb);
            arguments.addAll(List.of("--tls-cert", ecCertificate.toString(), "--tls-key", ecKey.toString()));
            try (RlmProcess rlm = RlmProcess.start(folder, Map.of(), arguments.toArray(String[]::new))) {
                rlm.await(() -> rlm.err().contains("listening on https://127.0.0.1:"));
                Matcher said = LISTENING.matcher(rlm.err());
                assertThat(said.find()).as(rlm.err()).isTrue();
                assertThat(get(said.group(1) + "/v1/rollouts").statusCode()).isIn(200, 401);
            }
        }
    }

    @Test
    void files_thatAreNotValid_areNamed() throws Exception {
        Path other = folder.resolve("other.pem");
        write("EC", folder.resolve("ec.pem"), other);
        Path text = Files.writeString(folder.resolve("text"), "no PEM");
        assertThat(error("--tls-cert", certificate.toString())).contains("--tls-key is missing");
        assertThat(error("--tls-cert", text.toString(), "--tls-key", key.toString()))
                .contains("--tls-cert=" + text + " is not valid: expected certificates in PEM");
        assertThat(error("--tls-cert", certificate.toString(), "--tls-key", text.toString()))
                .contains("--tls-key=" + text + " is not valid: expected a private key in PEM, PKCS #8");
        assertThat(error("--tls-cert", certificate.toString(), "--tls-key", other.toString()))
                .contains("--tls-key=" + other + " is not valid: expected the key of the certificate");
        assertThat(error("--tls-cert", folder + "/none", "--tls-key", key.toString()))
                .contains("--tls-cert=" + folder + "/none cannot be read: ");
    }

    private static String error(String... options) {
        String[] all = new String[options.length + 3];
        System.arraycopy(new String[] {"collect", "--port", "0"}, 0, all, 0, 3);
        System.arraycopy(options, 0, all, 3, options.length);
        Cli cli = Cli.with(Map.of(), all);
        assertThat(cli.exitCode()).isEqualTo(2);
        return cli.err();
    }
}
