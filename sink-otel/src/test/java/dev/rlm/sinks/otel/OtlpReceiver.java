package dev.rlm.sinks.otel;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import java.util.function.Predicate;
import org.awaitility.Awaitility;

/**
 * A back end for all three signals over both protocols, on free loopback ports, that shows what it got. It accepts
 * until told otherwise.
 *
 * <p>{@link #requests()} has every export from its arrival, {@link #spans()} and the like only what was accepted, each
 * in the order in which it came. Thread-safe.
 */
final class OtlpReceiver implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final Duration POLL = Duration.ofMillis(10);

    private final OtlpInbox inbox = new OtlpInbox();
    private final ExecutorService executor = Executors.newCachedThreadPool();
    private final OtlpGrpcDoor grpc;
    private final OtlpHttpDoor http;

    private OtlpReceiver() throws IOException {
        grpc = new OtlpGrpcDoor(inbox, executor);
        http = new OtlpHttpDoor(inbox, executor);
    }

    static OtlpReceiver start() throws IOException {
        return new OtlpReceiver();
    }

    /** The endpoint for {@code OTEL_EXPORTER_OTLP_PROTOCOL=grpc}. */
    String grpcEndpoint() {
        return "http://127.0.0.1:" + grpc.port();
    }

    /** The endpoint for {@code OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf}, without a signal's path. */
    String httpEndpoint() {
        return "http://127.0.0.1:" + http.port();
    }

    /** Chooses the answer to this signal's exports from now on, and to those that hang. */
    void answer(OtlpSignal signal, OtlpAnswer answer) {
        inbox.answer(signal, answer);
    }

    List<OtlpRequest> requests() {
        return inbox.arrived();
    }

    List<OtlpRequest> requests(OtlpSignal signal) {
        return requests().stream().filter(each -> each.signal() == signal).toList();
    }

    List<OtlpSpan> spans() {
        return accepted(OtlpRequest::spans);
    }

    List<OtlpSpan> spans(String name) {
        return spans().stream().filter(each -> each.name().equals(name)).toList();
    }

    List<OtlpNumber> numbers(String metric) {
        return points(OtlpNumber.class, metric);
    }

    List<OtlpHistogram> histograms(String metric) {
        return points(OtlpHistogram.class, metric);
    }

    List<OtlpPoint> points() {
        return accepted(OtlpRequest::points);
    }

    List<OtlpLog> logs() {
        return accepted(OtlpRequest::logs);
    }

    /** Waits until at least so many spans were accepted, and returns all there are. */
    List<OtlpSpan> awaitSpans(int count) {
        await(receiver -> receiver.spans().size() >= count);
        return spans();
    }

    /** Waits until the condition holds; if it never does, the failure shows all that was accepted. */
    void await(Predicate<OtlpReceiver> condition) {
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
