package dev.rlm.sinks.otel.export;

import dev.rlm.sinks.delivery.BatchLimits;
import dev.rlm.sinks.delivery.BatchSender;
import dev.rlm.sinks.delivery.Batcher;
import dev.rlm.sinks.delivery.DeliveryCounts;
import dev.rlm.sinks.delivery.DeliveryStatus;
import dev.rlm.sinks.delivery.Failure;
import dev.rlm.sinks.delivery.Failure.Remedy;
import dev.rlm.sinks.delivery.Permits;
import dev.rlm.sinks.delivery.RetryPolicy;
import dev.rlm.sinks.otel.otlp.OtlpConnection;
import dev.rlm.sinks.otel.settings.ScoreApi;
import dev.rlm.sinks.otel.spans.OwnSpan;
import dev.rlm.sinks.otel.spans.SpanScore;
import java.net.URI;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Sends rewards to a vendor's own interface, each once the span that carries it has arrived, since a vendor may know no other
 * spans. The event of a reward counts with this and not with a span.
 *
 * <p>{@link #give} is called on the lane; all else may be called on any thread.
 */
public final class RewardScores implements BatchSender<SpanScore> {
    private static final int ROOM = 50_000; // rewards that wait for their spans, or to be sent
    private static final int IN_FLIGHT = 4;
    private static final Duration MOMENT = Duration.ofSeconds(4); // that a server takes to find a span, when it is busy
    private static final Executor LATER =
            CompletableFuture.delayedExecutor(5, TimeUnit.SECONDS, Runnable::run); // no more than hands over
    private static final String NO_SPAN = "no_span";
    private static final Duration RESENDING_STALL = Duration.ofSeconds(50); // and less than the hub waits for a sink
    private static final RetryPolicy OUTAGE = RetryPolicy.upTo(Duration.ofMinutes(2));

    private final ScoreApi api;
    private final URI address;
    private final OtlpConnection connection;
    private final DeliveryCounts counts;
    private final DeliveryStatus status;
    private final Permits permits; // of all that wait
    private final Batcher<SpanScore> batcher;
    private final Set<SpanScore> missing = ConcurrentHashMap.newKeySet(); // whose span the vendor does not have yet
    private volatile boolean closing;

    /**
     * @param server the vendor's address
     * @param connection by which the spans are sent, whose headers and certificates hold here too
     * @param resending whether recorded runs are sent again, so that waiting for room holds up no live run
     */
    RewardScores(
            ScoreApi api,
            String server,
            OtlpConnection connection,
            DeliveryCounts counts,
            DeliveryStatus status,
            boolean resending) {
        this.api = api;
        this.address = URI.create(server + api.path());
        this.connection = connection;
        this.counts = counts;
        this.status = status;
        BatchLimits limits = BatchLimits.of(api.batch())
                .linger(Duration.ofMillis(200))
                .inFlight(IN_FLIGHT)
                .waiting(ROOM / api.batch())
                .stall(resending ? RESENDING_STALL : Duration.ZERO, false);
        permits = new Permits(limits);
        batcher = new Batcher<>(this, limits, OUTAGE);
    }

    DeliveryStatus status() {
        return status;
    }

    /** Has the span carry the reward, to be sent once the span has arrived; on a span that has not ended. */
    public void give(SpanScore score, OwnSpan carrier) {
        Failure refusal = permits.acquire(1);
        if (refusal == null) {
            carrier.carry(score);
        } else {
            count(List.of(score), refusal);
        }
    }

    /** Hears what came of spans: sends what they carry, or counts it as lost with them. */
    void settled(List<OwnSpan> spans, @Nullable Failure failure) {
        List<SpanScore> carried =
                spans.stream().flatMap(span -> span.carried().stream()).toList();
        if (failure == null || failure.isPartial()) { // of which it is not said which were rejected
            batcher.addBehind(carried);
        } else if (!carried.isEmpty()) {
            done(carried, failure);
        }
    }

    @Override
    public CompletionStage<Optional<Failure>> send(List<SpanScore> scores) {
        return connection
                .postJson(address, api.body(scores))
                .thenApply(failure -> failure.map(each -> meaning(each, scores)));
    }

    /**
     * A span that has arrived may take its server a moment to be found. Then the one that is missing is found by halves, so that
     * it holds up no other.
     */
    private static Failure meaning(Failure failure, List<SpanScore> scores) {
        if (!failure.reason().equals("export_http_404")) {
            return failure;
        }
        long now = System.nanoTime();
        boolean recent = scores.stream().allMatch(score -> score.missedFor(now) < MOMENT.toNanos());
        return Failure.of(NO_SPAN, "there is no such span, or no such interface", Remedy.NONE)
                .said(failure.said())
                .remedy(recent ? Remedy.RETRY : scores.size() > 1 ? Remedy.SPLIT : Remedy.NONE);
    }

    @Override
    public boolean done(List<SpanScore> scores, @Nullable Failure failure) {
        List<SpanScore> missed = failure == null || !failure.reason().equals(NO_SPAN) ? List.of() : missed(scores);
        if (failure != null && !missed.isEmpty()) {
            status.failing(failure);
            tryLater(missed);
        }
        List<SpanScore> over =
                scores.stream().filter(score -> !missed.contains(score)).toList();
        return over.isEmpty() || settle(over, failure);
    }

    /** Those whose span, which another process may have yet to send, is waited for; none at a close. */
    private List<SpanScore> missed(List<SpanScore> scores) {
        long now = System.nanoTime();
        return closing
                ? List.of()
                : scores.stream()
                        .filter(score ->
                                score.missedFor(now) < OUTAGE.giveUpAfter().toNanos())
                        .toList();
    }

    private void tryLater(List<SpanScore> scores) {
        missing.addAll(scores);
        LATER.execute(() -> batcher.addBehind(take(scores)));
    }

    /** Takes those scores that no other thread has taken. */
    private List<SpanScore> take(Collection<SpanScore> scores) {
        return List.copyOf(scores).stream().filter(missing::remove).toList();
    }

    private boolean settle(List<SpanScore> scores, @Nullable Failure failure) {
        permits.release(scores.size(), failure == null);
        return count(scores, failure);
    }

    private boolean count(List<SpanScore> scores, @Nullable Failure failure) {
        status.settled(scores.size(), failure);
        int events = scores.stream().mapToInt(SpanScore::events).sum();
        return counts.settled(events, failure == null ? events : 0, failure) && failure == null;
    }

    /** Sends all whose spans have arrived; whether the vendor has taken them before {@link System#nanoTime} is {@code by}. */
    public boolean flush(long by) {
        batcher.addBehind(take(missing));
        return batcher.flush(by) && missing.isEmpty();
    }

    /** Gives up what is left. */
    void close() {
        closing = true;
        batcher.close();
        List<SpanScore> left = take(missing);
        if (!left.isEmpty()) {
            settle(left, Failure.of(NO_SPAN, "there was no such span before the close", Remedy.NONE));
        }
    }

    /** That a span is not found at once is as usual, and nothing to speak of. */
    @Override
    public void retrying(Failure failure) {
        if (!failure.reason().equals(NO_SPAN)) {
            status.failing(failure);
        }
    }

    @Override
    public void pending() {
        status.failing(Failure.pending());
    }

    /** Sends nothing from {@code end} on, and waits for room no more. */
    void endBy(long end) {
        permits.beginClose();
        batcher.endBy(end);
    }
}
