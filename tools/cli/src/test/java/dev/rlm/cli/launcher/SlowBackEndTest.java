package dev.rlm.cli.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.rlm.cli.testkit.Cli;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** A job that is over before a back end has taken what came of it: that takes a sixth of a second for 16 spans. */
@Tag("thorough")
@DisabledOnOs(OS.WINDOWS)
class SlowBackEndTest {
    @TempDir
    private Path folder;

    private volatile Duration answerTime = Duration.ofMillis(160);
    private final AtomicInteger answered = new AtomicInteger();
    private HttpServer backEnd;

    @BeforeEach
    void listen() throws IOException {
        backEnd = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        backEnd.createContext("/", this::answer);
        backEnd.start();
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            exchange.getRequestBody().transferTo(OutputStream.nullOutputStream());
            LockSupport.parkNanos(answerTime.toNanos());
            exchange.getResponseHeaders().set("Content-Type", "application/x-protobuf");
            exchange.sendResponseHeaders(200, -1);
            answered.incrementAndGet();
        }
    }

    @AfterEach
    void stop() {
        backEnd.stop(0);
    }

    @Test
    void job_waitsForWhatStillArrives() throws Exception {
        try (RlmProcess process = RlmProcess.start(folder, variables(), "run", "--samples", "15")) {
            process.awaitSuccess();

            assertThat(answered).hasValueGreaterThan(31); // which take longer than a close
            assertThat(process.err()).isEmpty();
            assertThat(process.out()).containsPattern("otel +(\\d+) of \\1 events delivered");
        }
    }

    @Test
    void job_waitsForABackEndThatTakesSecondsForEachAnswer() {
        answerTime = Duration.ofSeconds(2);
        Cli job = run("--samples", "2", "--rollouts", "2");

        assertThat(answered).hasValueGreaterThan(2); // which take longer than a dead one is waited for
        assertThat(job.err()).isEmpty();
        assertThat(job.out()).containsPattern("otel +(\\d+) of \\1 events delivered");
    }

    @Test
    void wait_endsWithItsTime() {
        Cli job = run("--samples", "60", "--drain-timeout", "100ms");

        assertThat(job.err()).contains("to send them again: ");
    }

    @Test
    void wait_endsByASignal() throws Exception {
        try (RlmProcess process =
                RlmProcess.start(folder, variables(), "run", "--samples", "60", "--drain-timeout", "1h")) {
            process.await(() -> answered.get() > 10);

            process.signal("INT");

            assertThat(process.process().waitFor(1, TimeUnit.MINUTES)).isTrue();
            assertThat(process.process().exitValue()).isEqualTo(130);
            assertThat(process.err()).contains("to send them again: ");
        }
    }

    /** Runs a job that comes to a good end. */
    private Cli run(String... options) {
        Map<String, String> variables = new HashMap<>(variables());
        variables.put("RLM_JSONL_DIR", folder.resolve(".rlm").toString());
        Cli job = Cli.with(
                variables, Stream.concat(Stream.of("run"), Stream.of(options)).toArray(String[]::new));
        assertThat(job.exitCode()).as(job.err()).isZero();
        return job;
    }

    private Map<String, String> variables() {
        return Map.of(
                "RLM_OTEL_ENABLED", "true",
                "RLM_OTEL_METRICS_ENABLED", "false",
                "RLM_OTEL_LOGS_ENABLED", "false",
                "OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "16",
                "OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf",
                "OTEL_EXPORTER_OTLP_ENDPOINT",
                        "http://127.0.0.1:" + backEnd.getAddress().getPort());
    }
}
