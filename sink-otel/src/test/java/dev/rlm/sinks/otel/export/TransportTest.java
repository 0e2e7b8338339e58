package dev.rlm.sinks.otel.export;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sink;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.otel.OtelSink;
import dev.rlm.sinks.otel.OtelSinkProvider;
import dev.rlm.sinks.otel.Rig;
import dev.rlm.sinks.otel.backend.HostileExchange;
import dev.rlm.sinks.otel.backend.HostileServer;
import dev.rlm.sinks.otel.backend.OtlpAnswer;
import dev.rlm.sinks.otel.backend.OtlpReceiver;
import dev.rlm.sinks.otel.backend.OtlpRequest;
import dev.rlm.sinks.otel.backend.OtlpSignal;
import dev.rlm.sinks.otel.backend.TlsFiles;
import dev.rlm.sinks.testkit.Waiting;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** How requests go over the wire, and what is made of each kind of answer. */
@ParameterizedClass
@ValueSource(strings = {Rig.GRPC, Rig.HTTP})
@Timeout(60)
class TransportTest {
    private static final int SPANS = 3; // of what record records, with the marker
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final Map<String, String> AGAIN = Map.of("OTEL_JAVA_EXPORTER_OTLP_RETRY_DISABLED", "false");

    static final HostileServer.Behaviour HOUR =
            HostileServer.Behaviour.status(503, "text/plain", "über an hour", Map.of("retry-after", "3600"));

    private final String protocol;

    @TempDir
    private Path folder;

    TransportTest(String protocol) {
        this.protocol = protocol;
    }

    // ---- TLS

    @Tag("thorough")
    @Test
    void tls_withACertificateThatIsTrusted_carriesEverything() throws IOException {
        TlsFiles files = TlsFiles.make(folder, "server");
        try (OtlpReceiver receiver = OtlpReceiver.start(files, null);
                Sinks sinks = secure(
                        receiver,
                        Map.of(
                                "OTEL_EXPORTER_OTLP_CERTIFICATE",
                                files.certificate().toString()))) {
            record(sinks);

            assertThat(sinks.flush(PATIENCE).isComplete()).isTrue();
            assertThat(receiver.spans()).hasSize(SPANS);
            assertThat(receiver.points()).isNotEmpty();
            assertThat(sinks.statuses().get(0).detail()).startsWith("https://127.0.0.1:");
        }
    }

    @Tag("thorough")
    @Test
    void tls_withAnUnknownCertificate_isRefusedHere() throws IOException {
        TlsFiles files = TlsFiles.make(folder, "server");
        try (OtlpReceiver receiver = OtlpReceiver.start(files, null);
                Sinks sinks = secure(receiver, Map.of())) {
            record(sinks);

            assertThat(sinks.flush(PATIENCE).isComplete()).isFalse();
            assertThat(receiver.requests()).isEmpty();
            assertThat(sinks.statuses().get(0).detail())
                    .contains("the server's certificate is not trusted (OTEL_EXPORTER_OTLP_CERTIFICATE)");
            assertThat(sinks.statuses().get(0).ledger().dropped()).containsOnlyKeys("export_tls");
        }
    }

    @Tag("thorough")
    @Test
    void tls_withAClientsCertificate_isTakenFromItAlone() throws IOException {
        TlsFiles server = TlsFiles.make(folder, "server");
        TlsFiles client = TlsFiles.make(folder, "client");
        try (OtlpReceiver receiver = OtlpReceiver.start(server, client)) {
            try (Sinks sinks = secure(
                    receiver,
                    Map.of(
                            "OTEL_EXPORTER_OTLP_CERTIFICATE",
                                    server.certificate().toString(),
                            "OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE",
                                    client.certificate().toString(),
                            "OTEL_EXPORTER_OTLP_CLIENT_KEY", client.key().toString()))) {
                record(sinks);
                assertThat(sinks.flush(PATIENCE).isComplete()).isTrue();
                assertThat(receiver.spans()).hasSize(SPANS);
            }
            try (Sinks sinks = secure(
                    receiver,
                    Map.of(
                            "OTEL_EXPORTER_OTLP_CERTIFICATE",
                            server.certificate().toString()))) {
                record(sinks);
                assertThat(sinks.flush(PATIENCE).isComplete()).isFalse();
                assertThat(sinks.statuses().get(0).available()).isFalse();
            }
        }
    }

    @Test
    void tls_toAPortWithout_isSaidSo() throws IOException {
        try (OtlpReceiver receiver = OtlpReceiver.start()) {
            String plain = receiver.grpcEndpoint(); // the other port waits for more of what is no HTTP
            assertThat(check(protocol, plain.replace("http:", "https:")).detail())
                    .contains("the answer is no TLS: looks like a port without (http://)");
        }
    }

    private Sinks secure(OtlpReceiver receiver, Map<String, String> variables) {
        return Sinks.builder()
                .add("otel", new OtelSinkProvider().create(Rig.config(receiver, protocol, variables)))
                .build();
    }

    // ---- what is sent

    @Test
    void compression_isAsSaid() throws IOException {
        try (Rig rig = Rig.by(protocol, Map.of("OTEL_EXPORTER_OTLP_COMPRESSION", "gzip"))) {
            record(rig.sinks());
            assertThat(rig.spans()).hasSize(SPANS);

            String header = protocol.equals(Rig.GRPC) ? "grpc-encoding" : "content-encoding";
            assertThat(rig.receiver().requests())
                    .hasSize(3)
                    .allSatisfy(request -> assertThat(request.headers()).containsEntry(header, "gzip"));
        }
    }

    @Test
    void endpoints_bySignal_areEachUsed() throws IOException {
        try (OtlpReceiver metrics = OtlpReceiver.start();
                Rig rig = Rig.by(
                        protocol,
                        Map.of(
                                "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT",
                                protocol.equals(Rig.GRPC)
                                        ? metrics.grpcEndpoint()
                                        : metrics.httpEndpoint() + "/v1/metrics"))) {
            record(rig.sinks());
            rig.flush();

            assertThat(rig.receiver().requests())
                    .extracting(OtlpRequest::signal)
                    .containsOnly(OtlpSignal.TRACES, OtlpSignal.LOGS);
            assertThat(metrics.requests()).extracting(OtlpRequest::signal).containsOnly(OtlpSignal.METRICS);
            assertThat(rig.status().facts().get("metrics_target"))
                    .isNotEqualTo(rig.status().facts().get("target"));
        }
    }

    @Test
    void credential_thatAServerQuotes_isShownNowhere() throws IOException {
        Logger logger = (Logger) LoggerFactory.getLogger("dev.rlm");
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        logger.addAppender(log);
        try (HostileServer server = HostileServer.speaking(protocol)) {
            server.behave(HostileServer.Behaviour.status(401, "text/plain", "no key like k-123456 here", Map.of()));
            OtelSink sink = (OtelSink) sink(
                    protocol,
                    server.endpoint(),
                    Map.of("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20k-123456"));
            try (Sinks sinks = Sinks.builder().add("otel", sink).build()) {
                record(sinks);
                assertThat(sinks.flush(PATIENCE).isComplete()).isFalse();

                assertThat(sinks.statuses().get(0).toString())
                        .contains("401: credentials are missing or wrong", "no key like … here")
                        .doesNotContain("k-123456");
            }
        } finally {
            logger.detachAppender(log);
        }
        assertThat(log.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .anyMatch(line -> line.contains("spans cannot be sent to"))
                .noneMatch(line -> line.contains("k-123456") || line.contains("no key like"));
    }

    // ---- what is made of answers

    @Tag("thorough")
    @Test
    void request_thatFailsForAWhile_isMadeAgain() throws IOException {
        for (OtlpAnswer answer : new OtlpAnswer[] {OtlpAnswer.UNAVAILABLE, OtlpAnswer.OVERLOADED}) {
            try (Rig rig = Rig.by(protocol, AGAIN)) {
                rig.receiver().answer(OtlpSignal.TRACES, answer);
                rig.receiver().answer(OtlpSignal.METRICS, answer);
                record(rig.sinks());
                Waiting.await().until(() -> !rig.status().available());
                assertThat(rig.ledger().queued()).isEqualTo(4);

                rig.receiver().answer(OtlpSignal.TRACES, OtlpAnswer.ACCEPT);
                rig.receiver().answer(OtlpSignal.METRICS, OtlpAnswer.ACCEPT);
                rig.flush();
                assertThat(rig.status().available()).isTrue();
                assertThat(rig.ledger().delivered()).isEqualTo(4);
                assertThat(rig.ledger().dropped()).isEmpty();
                assertThat(rig.receiver().points()).isNotEmpty();
            }
        }
    }

    @Test
    void request_thatWillNeverDo_isMadeOnce() throws IOException {
        for (OtlpAnswer answer : new OtlpAnswer[] {OtlpAnswer.REJECT, OtlpAnswer.UNAUTHENTICATED}) {
            try (Rig rig = Rig.by(protocol, AGAIN)) {
                rig.receiver().answer(OtlpSignal.TRACES, answer);
                record(rig.sinks());
                assertThat(rig.tryToFlush()).isFalse();

                assertThat(rig.receiver().requests(OtlpSignal.TRACES)).hasSize(1);
                assertThat(rig.ledger().droppedTotal()).isEqualTo(4);
            }
        }
    }

    @Tag("thorough")
    @Test
    void server_thatAsksToBeLeftAlone_isLeftAlone() throws IOException {
        try (HostileServer server = HostileServer.speaking(protocol)) {
            server.behave(protocol.equals(Rig.GRPC) ? TransportTest::unavailableForAnHour : HOUR);
            Map<String, String> variables = Map.of(
                    "OTEL_BSP_EXPORT_TIMEOUT",
                    "1500",
                    "RLM_OTEL_METRICS_ENABLED",
                    "false",
                    "RLM_OTEL_LOGS_ENABLED",
                    "false");
            try (Sinks sinks = Sinks.builder()
                    .add("otel", sink(protocol, server.endpoint(), variables))
                    .build()) {
                record(sinks);
                assertThat(sinks.flush(PATIENCE).isComplete()).isFalse();

                assertThat(server.requests()).isEqualTo(1); // and not after 0.25 and 0.75 s again
                assertThat(sinks.statuses().get(0).detail()).contains("out of order or overloaded (“über an hour”)");
            }
        }
    }

    /** UNAVAILABLE with a google.rpc.RetryInfo. */
    static void unavailableForAnHour(HostileExchange exchange) throws IOException {
        byte[] delay = {0x0a, 0x03, 0x08, (byte) 0x90, 0x1c}; // a Duration of 3,600 s in a RetryInfo
        byte[] type = "type.googleapis.com/google.rpc.RetryInfo".getBytes(StandardCharsets.US_ASCII);
        byte[] any = message(1, type, message(2, delay));
        exchange.head(
                200,
                Map.of(
                        "content-type", "application/grpc",
                        "grpc-status", "14",
                        "grpc-message", "%C3%BCber an hour",
                        "grpc-status-details-bin", Base64.getEncoder().encodeToString(message(3, any))));
        exchange.end();
    }

    /** A protobuf message with a field of so few bytes that its length takes one, and more behind it. */
    private static byte[] message(int field, byte[] content, byte... more) {
        ByteArrayOutputStream message = new ByteArrayOutputStream();
        message.write(field << 3 | 2);
        message.write(content.length);
        message.writeBytes(content);
        message.writeBytes(more);
        return message.toByteArray();
    }

    @Test
    void request_thatIsTooLarge_isHalvedUntilItIsNot() throws IOException {
        try (Rig rig = Rig.by(protocol)) {
            rig.receiver().answer(OtlpSignal.TRACES, OtlpAnswer.SMALL_ONLY);
            try (Run run = rig.startRun("r")) {
                for (int i = 0; i < 20; i++) {
                    run.startStep().complete(i == 7 ? "x".repeat(1_500) : "y");
                }
                run.complete("");
            }
            assertThat(rig.tryToFlush()).isFalse();

            String reason = protocol.equals(Rig.GRPC) ? "export_grpc_resource_exhausted" : "export_http_413";
            assertThat(rig.receiver().spans()).hasSize(21); // the marker, 19 steps and the run
            assertThat(rig.ledger().dropped()).containsExactly(Map.entry(reason, 2L));
            assertThat(rig.ledger().delivered()).isEqualTo(40);
            assertThat(rig.status().facts())
                    .containsEntry("spans_exported", 21L)
                    .containsEntry("spans_failed." + reason, 1L);
        }
    }

    @Test
    void flush_whileMetricsAreOnTheirWay_waitsForThem() throws IOException {
        try (Rig rig = Rig.by(protocol, Map.of("OTEL_METRIC_EXPORT_INTERVAL", "50"))) {
            rig.receiver().answer(OtlpSignal.METRICS, OtlpAnswer.HANG);
            record(rig.sinks());
            rig.receiver().await(seen -> !seen.requests(OtlpSignal.METRICS).isEmpty());
            assertThat(rig.sinks().flush(Duration.ofMillis(100)).isComplete()).isFalse();

            rig.receiver().answer(OtlpSignal.METRICS, OtlpAnswer.ACCEPT);
            rig.flush();
            assertThat(rig.receiver().numbers("rlm.runs")).isNotEmpty();
        }
    }

    // ---- the wrong port, and the check

    @Test
    void port_ofTheOtherProtocol_isSaidSo() throws IOException {
        try (OtlpReceiver receiver = OtlpReceiver.start()) {
            String expected = protocol.equals(Rig.GRPC)
                    ? "a port for HTTP"
                    : "is it a port for gRPC (OTEL_EXPORTER_OTLP_PROTOCOL=grpc)?";
            String wrong = protocol.equals(Rig.GRPC) ? receiver.httpEndpoint() : receiver.grpcEndpoint();
            Sink.Health checked = check(protocol, wrong);
            assertThat(checked.available()).isFalse();
            assertThat(checked.detail()).contains(expected);
        }
    }

    @Test
    void host_thatIsNotKnown_isSaidSo() {
        assertThat(check(protocol, "http://no-such-host.invalid:4317").detail()).contains("the host is not known");
    }

    @Test
    void check_asksAndLeavesNothing() throws IOException {
        try (Rig rig = Rig.by(protocol)) {
            Sink.Health checked = rig.sink().check(PATIENCE);

            assertThat(checked.available()).isTrue();
            assertThat(checked.facts())
                    .containsEntry("check_spans", "taken")
                    .containsEntry("check_metrics", "taken")
                    .containsEntry("check_logs", "taken")
                    .containsEntry("spans_exported", 0L);
            assertThat(rig.receiver().requests()).hasSize(3);
            assertThat(rig.receiver().spans()).isEmpty();
            assertThat(rig.receiver().points()).isEmpty();
            assertThat(rig.receiver().logs()).isEmpty();

            rig.receiver().answer(OtlpSignal.METRICS, OtlpAnswer.REJECT);
            assertThat(rig.sink().check(PATIENCE).available()).isFalse();
            rig.receiver().answer(OtlpSignal.TRACES, OtlpAnswer.HANG);
            assertThat(rig.sink().check(Duration.ofMillis(200)).detail()).contains("spans: no answer in time");
        }
    }

    // ---- the end

    @Tag("thorough")
    @Test
    void threads_areGoneAfterTheClose() throws IOException {
        try (HostileServer server = HostileServer.speaking(protocol)) {
            server.behave(exchange -> exchange.stall());
            Sinks sinks = Sinks.builder()
                    .add("otel", sink(protocol, server.endpoint(), Map.of()))
                    .build();
            record(sinks);
            Waiting.await().until(() -> server.requests() > 0);
            sinks.close(Duration.ofMillis(500));

            Awaitility.await()
                    .atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(Thread.getAllStackTraces().keySet())
                            .extracting(Thread::getName)
                            .noneMatch(name -> name.startsWith("rlm-")));
        }
    }

    static Sink sink(String protocol, String endpoint, Map<String, String> more) {
        SinkConfig config = SinkConfig.of(more)
                .with("OTEL_EXPORTER_OTLP_PROTOCOL", protocol)
                .with("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint);
        return new OtelSinkProvider().create(config.sink("otel"));
    }

    private static Sink.Health check(String protocol, String endpoint) {
        try (Sink sink = sink(protocol, endpoint, Map.of())) {
            return sink.check(PATIENCE);
        }
    }

    private static void record(Sinks sinks) {
        try (Run run = sinks.startRun(RunSpec.builder("calc").build())) {
            run.startStep().complete("4");
            run.complete("4");
        }
    }
}
