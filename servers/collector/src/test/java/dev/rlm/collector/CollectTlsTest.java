package dev.rlm.collector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rlm.cli.testkit.Cli;
import dev.rlm.cli.testkit.RunningCli;
import dev.rlm.sinks.testkit.FreePort;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** TLS of the servers of verbs, by files in PEM. */
@Timeout(180)
class CollectTlsTest {
    private static final char[] PASSWORD = "changeit".toCharArray();

    @TempDir
    private static Path certificates;

    @TempDir
    private Path folder;

    @BeforeAll
    static void makeCertificates() throws Exception {
        for (String algorithm : List.of("RSA", "EC")) {
            Path file = certificates.resolve(algorithm + ".p12");
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
                    .redirectErrorStream(true)
                    .redirectOutput(certificates.resolve("said").toFile())
                    .start();
            assertThat(keytool.waitFor())
                    .as(Files.readString(certificates.resolve("said")))
                    .isZero();
            KeyStore store = store(algorithm);
            Files.writeString(
                    certificate(algorithm),
                    pem("CERTIFICATE", store.getCertificate("a").getEncoded()));
            Files.writeString(
                    key(algorithm),
                    pem("PRIVATE KEY", store.getKey("a", PASSWORD).getEncoded()));
        }
    }

    private static KeyStore store(String algorithm) throws Exception {
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(certificates.resolve(algorithm + ".p12"))) {
            store.load(in, PASSWORD);
        }
        return store;
    }

    private static Path certificate(String algorithm) {
        return certificates.resolve(algorithm + "-cert.pem");
    }

    private static Path key(String algorithm) {
        return certificates.resolve(algorithm + "-key.pem");
    }

    private static String pem(String kind, byte[] bytes) {
        return "-----BEGIN " + kind + "-----\n" + Base64.getMimeEncoder().encodeToString(bytes) + "\n-----END " + kind
                + "-----\n";
    }

    private static HttpResponse<String> get(String url, String algorithm) throws Exception {
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("a", store(algorithm).getCertificate("a"));
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
    void telemetry_thatIsSentWithTls_isCollected(String protocol) throws Exception {
        try (RunningCollector collector = RunningCollector.start(
                folder,
                "--grpc-port",
                Integer.toString(FreePort.find()),
                "--tls-cert",
                certificate("RSA").toString(),
                "--tls-key",
                key("RSA").toString())) {
            String url = protocol.equals("grpc") ? collector.grpcUrl() : collector.url();
            assertThat(url).startsWith("https://127.0.0.1:");
            assertThat(get(collector.url() + "/v1/health", "RSA").body()).isEqualTo("{\"ok\":true}");
            collector.sendNumbers(Map.of(
                    "OTEL_EXPORTER_OTLP_ENDPOINT",
                    url,
                    "OTEL_EXPORTER_OTLP_CERTIFICATE",
                    certificate("RSA").toString(),
                    "OTEL_EXPORTER_OTLP_PROTOCOL",
                    protocol));
            await().atMost(RunningCollector.PATIENCE)
                    .until(() -> !collector.numbers().isEmpty());
        }
    }

    @Test
    void record_andGateway_speakTls() throws Exception {
        for (List<String> verb : List.of(
                List.of("record", "--port", "0"),
                List.of("gateway", "--port", "0", "--upstream", "http://127.0.0.1:1"))) {
            List<String> arguments = new ArrayList<>(verb);
            arguments.addAll(List.of(
                    "--tls-cert",
                    certificate("EC").toString(),
                    "--tls-key",
                    key("EC").toString()));
            try (RunningCli rlm = RunningCli.start(folder, Map.of(), arguments.toArray(String[]::new))) {
                String url = rlm.awaitUrl();
                assertThat(url).startsWith("https://127.0.0.1:");
                assertThat(get(url + "/v1/rollouts", "EC").statusCode()).isIn(200, 401);
            }
        }
    }

    @Test
    void files_thatAreNotValid_areNamed() throws Exception {
        String certificate = certificate("RSA").toString();
        String key = key("RSA").toString();
        Path other = key("EC");
        Path text = Files.writeString(folder.resolve("text"), "no PEM");
        assertThat(error("--tls-cert", certificate)).contains("--tls-key is missing");
        assertThat(error("--tls-cert", text.toString(), "--tls-key", key))
                .contains("--tls-cert=" + text + " is not valid: expected certificates in PEM");
        assertThat(error("--tls-cert", certificate, "--tls-key", text.toString()))
                .contains("--tls-key=" + text + " is not valid: expected a private key in PEM, PKCS #8");
        assertThat(error("--tls-cert", certificate, "--tls-key", other.toString()))
                .contains("--tls-key=" + other + " is not valid: expected the key of the certificate");
        assertThat(error("--tls-cert", folder + "/none", "--tls-key", key))
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
