package dev.rlm.sinks.otel.spans;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Span;
import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.event.TraceContext;
import dev.rlm.sinks.otel.Rig;
import dev.rlm.sinks.otel.backend.OtlpSpan;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Spans that lie in no run, and runs that name them. */
class StandaloneSpanTest {
    @ParameterizedTest
    @ValueSource(strings = {Rig.GRPC, Rig.HTTP})
    void spans_areATraceOfTheirOwnWithTheIdsThatWereKnownBefore(String protocol) throws IOException {
        try (Rig rig = Rig.by(protocol)) {
            String traceparent;
            try (Span job = rig.sinks().span("rlm.job")) {
                traceparent = String.valueOf(job.traceContext().orElseThrow().traceparent());
                job.attribute("size", 3).attribute("rate", 0.5).attribute("who", "me");
                rig.clock().advanceMillis(100);
                try (Span wait = job.span("wait")) {
                    rig.clock().advanceMillis(400);
                    wait.fail("no place");
                }
                rig.clock().advanceMillis(500);
            }
            rig.flush();

            OtlpSpan job = rig.span("rlm.job");
            OtlpSpan wait = rig.span("wait");
            assertThat(traceparent).isEqualTo("00-" + job.traceId() + "-" + job.spanId() + "-01");
            assertThat(job.parentId()).isEmpty();
            assertThat(job.kind()).isEqualTo(SpanKind.INTERNAL);
            assertThat(job.endNanos() - job.startNanos()).isEqualTo(1_000_000_000);
            assertThat(job.attributes()).isEqualTo(Map.of("size", 3L, "rate", 0.5, "who", "me"));
            assertThat(job.status()).isEqualTo(StatusCode.UNSET);
            assertThat(wait.traceId()).isEqualTo(job.traceId());
            assertThat(wait.parentId()).isEqualTo(job.spanId());
            assertThat(wait.startNanos() - job.startNanos()).isEqualTo(100_000_000);
            assertThat(wait.endNanos() - wait.startNanos()).isEqualTo(400_000_000);
            assertThat(wait.attributes()).isEqualTo(Map.of("error.type", "failed"));
            assertThat(wait.status()).isEqualTo(StatusCode.ERROR);
            assertThat(wait.statusMessage()).isEqualTo("no place");
            assertThat(rig.ledger().delivered()).isEqualTo(2);
        }
    }

    @Test
    void spanBelowWorkElsewhere_isUnderItsSpanWhereThatIsSampled() throws IOException {
        String remote = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-";
        try (Rig rig = Rig.by(Rig.GRPC)) {
            rig.sinks()
                    .span("sampled", new TraceContext(remote + "01", null, null))
                    .close();
            Span unsampled = rig.sinks().span("unsampled", new TraceContext(remote + "00", null, null));
            unsampled.span("within").close();
            unsampled.close();
            rig.flush();

            assertThat(rig.receiver().spans())
                    .singleElement()
                    .returns("sampled", OtlpSpan::name)
                    .returns("0af7651916cd43dd8448eb211c80319c", OtlpSpan::traceId)
                    .returns("b7ad6b7169203331", OtlpSpan::parentId);
            assertThat(rig.ledger().dropped()).isEqualTo(Map.of("not_sampled", 2L));
        }
    }

    @Test
    void run_linksToTheSpanOfItsJob() throws IOException {
        try (Rig rig = Rig.by(Rig.GRPC)) {
            try (Span job = rig.sinks().span("rlm.job")) {
                Correlation ids = Correlation.NONE
                        .withJobSpan(
                                String.valueOf(job.traceContext().orElseThrow().traceparent()))
                        .withParentRun("p");
                rig.sinks()
                        .startRun(RunSpec.builder("calc").correlation(ids).build())
                        .complete("");
            }
            rig.flush();

            OtlpSpan job = rig.span("rlm.job");
            OtlpSpan run = rig.span("rlm.run");
            assertThat(run.links()).extracting(OtlpSpan.Link::spanId).hasSize(2).contains(job.spanId());
            assertThat(run.links()).extracting(OtlpSpan.Link::traceId).contains(job.traceId());
            assertThat(run.attributes())
                    .containsEntry("rlm.job_span", "00-" + job.traceId() + "-" + job.spanId() + "-01");
        }
    }

    @Test
    void jobSpanThatIsNone_isNoLink() throws IOException {
        try (Rig rig = Rig.by(Rig.GRPC)) {
            rig.sinks()
                    .startRun(RunSpec.builder("calc")
                            .correlation(Correlation.NONE.withJobSpan("nonsense"))
                            .build())
                    .complete("");

            assertThat(rig.span("rlm.run").links()).isEmpty();
        }
    }

    @Test
    void unsampledSpans_areCountedAndNotSent() throws IOException {
        try (Rig rig = Rig.by(Rig.GRPC, Map.of("OTEL_TRACES_SAMPLER", "always_off"))) {
            rig.sinks().span("rlm.job").close();
            rig.flush();

            assertThat(rig.receiver().spans()).isEqualTo(List.of());
            assertThat(rig.ledger().dropped()).isEqualTo(Map.of("not_sampled", 1L));
        }
    }
}
