package dev.rlm.sinks.otel.export;

import dev.rlm.sinks.delivery.BatchLimits;
import dev.rlm.sinks.delivery.BatchSender;
import dev.rlm.sinks.delivery.Batcher;
import dev.rlm.sinks.delivery.DeliveryCounts;
import dev.rlm.sinks.delivery.DeliveryStatus;
import dev.rlm.sinks.delivery.Failure;
import dev.rlm.sinks.delivery.RetryPolicy;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.otel.otlp.OtlpConnection;
import dev.rlm.sinks.otel.otlp.SpanEncoder;
import dev.rlm.sinks.otel.spans.OwnSpan;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Sends ended spans. Where there is no room for one the lane waits, so that the lane's queue is the only place where events can
 * be lost, and there they are counted. Spans of runs that may be left out are {@linkplain TailSamplingBuffer held} until the
 * run's end.
 */
public final class SpanExport implements BatchSender<OwnSpan> {
    private final SpanExporter exporter;
    private final @Nullable OtlpConnection connection;
    private final SpanEncoder encoder;
    private final @Nullable RewardScores scores;
    private final DeliveryCounts counts;
    private final DeliveryStatus status;
    private final Batcher<OwnSpan> batcher;
    private final @Nullable TailSamplingBuffer held;

    /**
     * @param connection the exporter's, where that is one of OTLP and none other gets spans; these then go past it
     * @param scores hears of spans that have arrived; {@code null} where rewards are on spans alone
     * @param policy decides which runs keep their spans
     */
    SpanExport(
            SpanExporter exporter,
            @Nullable OtlpConnection connection,
            SpanEncoder encoder,
            @Nullable RewardScores scores,
            DeliveryCounts counts,
            DeliveryStatus status,
            TailSamplingPolicy policy,
            BatchLimits limits,
            RetryPolicy retries) {
        this.exporter = exporter;
        this.connection = connection;
        this.encoder = encoder;
        this.scores = scores;
        this.counts = counts;
        this.status = status;
        this.batcher = new Batcher<>(this, limits, retries);
        this.held = policy.isPartial() ? new TailSamplingBuffer(policy, batcher, counts) : null;
    }

    public Batcher<OwnSpan> batcher() {
        return batcher;
    }

    DeliveryStatus status() {
        return status;
    }

    /** Returns the buffer of spans of runs that may be left out; {@code null} if no run may be. */
    public @Nullable TailSamplingBuffer held() {
        return held;
    }

    /**
     * Sends the span, which stands for so many events, or holds it while it is not known whether its run is kept ({@code
     * null}: it is sent in any case). On the lane only.
     */
    public void add(OwnSpan span, int events, @Nullable RunInfo run) {
        if (connection == null) {
            span.sized(events, encoder.size(span));
        } else {
            span.encoded(events, encoder.encode(span));
        }
        if (run == null || held == null || !held.hold(run, span)) {
            batcher.add(span);
        }
    }

    /** Returns the counts of spans, scores and held spans, for a status. */
    Map<String, Object> facts() {
        Map<String, Object> facts = status.facts("");
        if (scores != null) {
            facts.putAll(scores.status().facts("scores_"));
        }
        facts.putAll(held == null ? Map.of() : held.facts());
        return facts;
    }

    /** Returns the last failure of rewards that go beside the spans, as the end of a line; empty if there is none. */
    String trouble() {
        Failure failure = scores == null ? null : scores.status().failure();
        return failure == null ? "" : ", rewards: " + failure.text();
    }

    @Override
    public CompletionStage<Optional<Failure>> send(List<OwnSpan> spans) {
        if (connection == null) {
            return SignalExport.answer(exporter.export(List.copyOf(spans)));
        }
        Map<Resource, List<byte[]>> byResource = new LinkedHashMap<>(); // one, but for spans of other programs
        spans.forEach(span -> byResource
                .computeIfAbsent(span.getResource(), first -> new ArrayList<>())
                .add(span.encoded()));
        return connection.send(out -> {
            for (Map.Entry<Resource, List<byte[]>> each : byResource.entrySet()) {
                encoder.of(each.getKey()).write(each.getValue(), out);
            }
        });
    }

    /**
     * Counts rejected spans as those that stand for the most events, because the answer does not name them: so
     * delivered events are never overstated.
     */
    @Override
    public boolean done(List<OwnSpan> spans, @Nullable Failure failure) {
        long lost = spans.size() - status.settled(spans.size(), failure);
        long dropped = 0;
        if (failure != null) {
            dropped = spans.stream()
                    .map(OwnSpan::standsFor)
                    .sorted(Collections.reverseOrder())
                    .limit(lost)
                    .mapToLong(Integer::longValue)
                    .sum();
            counts.dropped(failure.reason(), dropped);
        }
        counts.delivered(events(spans) - dropped);
        if (scores != null) {
            scores.settled(spans, failure);
        }
        return lost == 0;
    }

    private static long events(List<OwnSpan> spans) {
        return spans.stream().mapToLong(OwnSpan::standsFor).sum();
    }

    @Override
    public void pending() {
        status.failing(Failure.pending());
    }

    @Override
    public void retrying(Failure failure) {
        status.failing(failure);
    }

    @Override
    public long size(OwnSpan span) {
        return span.bytes();
    }

    /** Sends all that is held, and ends threads. */
    public CompletableResultCode close() {
        if (held != null) {
            held.releaseAll();
        }
        batcher.close();
        if (scores != null) {
            scores.close();
        }
        return exporter.shutdown();
    }
}
