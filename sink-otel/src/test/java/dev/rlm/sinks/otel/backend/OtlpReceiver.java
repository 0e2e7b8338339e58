package dev.rlm.sinks.otel.backend;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import java.util.function.Predicate;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/**
 * A back end for all three signals over both protocols, on free loopback ports, that shows what it got. It accepts
 * until told otherwise.
 *
 * <p>{@link #requests()} has every export from its arrival, {@link #spans()} and the like only what was accepted, each
 * in the order in which it came. Thread-safe.
 */
public final class OtlpReceiver implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final Duration POLL = Duration.ofMillis(10);

    private final OtlpInbox inbox = new OtlpInbox();
    private final ExecutorService executor = Executors.newCachedThreadPool();
    private final OtlpGrpcServer grpc;
    private final OtlpHttpServer http;

    private final String scheme;

    private OtlpReceiver(@Nullable OtlpTls tls) throws IOException {
        scheme = tls == null ? "http" : "https";
        grpc = new OtlpGrpcServer(inbox, executor, tls);
        http = new OtlpHttpServer(inbox, executor, tls);
    }

    public static OtlpReceiver start() throws IOException {
        return new OtlpReceiver(null);
    }

    /** One that speaks TLS with the server's certificate, and with those clients alone that show the client's. */
    public static OtlpReceiver start(TlsFiles server, @Nullable TlsFiles client) throws IOException {
        return new OtlpReceiver(new OtlpTls(server, client));
    }

    /** The endpoint for {@code OTEL_EXPORTER_OTLP_PROTOCOL=grpc}. */
    public String grpcEndpoint() {
        return scheme + "://127.0.0.1:" + grpc.port();
    }

    /** The endpoint for {@code OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf}, without a signal's path. */
    public String httpEndpoint() {
        return scheme + "://127.0.0.1:" + http.port();
    }

    /** Chooses the answer to this signal's exports from now on, and to those that hang. */
    public void answer(OtlpSignal signal, OtlpAnswer answer) {
        answer(signal, any -> answer);
    }

    /** Chooses the answer to each of this signal's exports. */
    public void answer(OtlpSignal signal, Function<OtlpRequest, OtlpAnswer> answer) {
        inbox.answer(signal, answer);
    }

    public List<OtlpRequest> requests() {
        return inbox.arrived();
    }

    public List<OtlpRequest> requests(OtlpSignal signal) {
        return requests().stream().filter(each -> each.signal() == signal).toList();
    }

    public List<OtlpSpan> spans() {
        return accepted(OtlpRequest::spans);
    }

    public List<OtlpSpan> spans(String name) {
        return spans().stream().filter(each -> each.name().equals(name)).toList();
    }

    public List<OtlpNumber> numbers(String metric) {
        return points(OtlpNumber.class, metric);
    }

    public List<OtlpHistogram> histograms(String metric) {
        return points(OtlpHistogram.class, metric);
    }

    public List<OtlpPoint> points() {
        return accepted(OtlpRequest::points);
    }

    public List<OtlpLog> logs() {
        return accepted(OtlpRequest::logs);
    }

    public List<OtlpLog> logs(String eventName) {
        return logs().stream()
                .filter(each -> each.eventName().equals(eventName))
                .toList();
    }

    /** Waits until at least so many spans were accepted, and returns all there are. */
    public List<OtlpSpan> awaitSpans(int count) {
        await(receiver -> receiver.spans().size() >= count);
        return spans();
    }

    /** Waits until the condition holds; if it never does, the failure shows all that was accepted. */
    public void await(Predicate<OtlpReceiver> condition) {
        Awaitility.await()
                .atMost(PATIENCE)
                .pollInterval(POLL)
                .untilAsserted(() -> assertThat(this).matches(condition));
    }

    /** All that was accepted. */
    @Override
    public String toString() {
        return "requests " + requests().size() + ", spans " + spans() + ", points " + points() + ", logs " + logs();
    }

    /** Lets go of all who hang, and of both ports. */
    @Override
    public void close() {
        inbox.close();
        grpc.close();
        http.close();
        executor.shutdownNow();
    }

    private <T> List<T> accepted(Function<OtlpRequest, List<T>> content) {
        return inbox.accepted().stream()
                .flatMap(request -> content.apply(request).stream())
                .toList();
    }

    private <T extends OtlpPoint> List<T> points(Class<T> type, String metric) {
        return points().stream()
                .filter(each -> each.name().equals(metric))
                .filter(type::isInstance)
                .map(type::cast)
                .toList();
    }
}
