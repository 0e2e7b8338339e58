package dev.rlm.sinks.otel.mapping;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.Evaluation;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.event.MetricsReported;
import dev.rlm.sinks.event.RewardComponent;
import dev.rlm.sinks.otel.FakeClock;
import dev.rlm.sinks.otel.Published;
import dev.rlm.sinks.otel.Rig;
import dev.rlm.sinks.otel.backend.OtlpHistogram;
import dev.rlm.sinks.otel.backend.OtlpNumber;
import dev.rlm.sinks.otel.backend.OtlpPoint;
import dev.rlm.sinks.otel.backend.OtlpReceiver;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One number that is not finite makes Jaeger's search and MLflow's page fail: none may leave, wherever it was given. */
@ParameterizedClass
@ValueSource(strings = {Rig.GRPC, Rig.HTTP})
class NonFiniteTest {
    private final String protocol;

    NonFiniteTest(String protocol) {
        this.protocol = protocol;
    }

    @ParameterizedTest
    @ValueSource(doubles = {Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY})
    void number_thatIsNotFinite_doesNotLeave(double number) throws IOException {
        try (Rig rig = Rig.by(protocol, Map.of("RLM_CAPTURE_CONTENT", "full"))) {
            record(rig, number);
            rig.flush();

            assertThat(rig.receiver().spans()).hasSizeGreaterThan(6);
            assertThat(numbers(rig.receiver()))
                    .isNotEmpty()
                    .allSatisfy(each -> assertThat(each).isFinite());
            assertThat(rig.ledger().queued()).isZero();
            assertThat(rig.ledger().droppedTotal()).isZero();
        }
    }

    private static void record(Rig rig, double number) {
        List<RewardComponent> components = List.of(new RewardComponent("part", number, number, null));
        try (Run run = rig.startRun("r");
                Step step = run.startStep()) {
            step.startModelCall("openai", "m").parameter("temperature", number).close();
            step.reward("judge", number, components);
            try (Evaluation evaluation = step.startEvaluation("judge")) {
                rig.clock().advanceMillis(1);
                evaluation.reward(number, components);
            }
            run.metric("loss", number);
            Published other = new Published("other");
            Map<String, Object> attributes = Map.of("a", number, "b", (float) number, "c", List.of(number));
            rig.sinks().publish(other.started());
            rig.sinks().publish(other.span(3, 2, "work", 0, attributes, null));
            rig.sinks().publish(other.ended(4));
            rig.sinks().publish(new MetricsReported(FakeClock.START, "misc", "n", Map.of("n", number)));
            step.complete("");
            run.reward(number);
            run.complete("");
        }
        rig.sinks().reward("r", "person", number, components);
    }

    /** All fractional numbers in all that arrived. */
    private static List<Double> numbers(OtlpReceiver receiver) {
        Stream<Object> spans = receiver.spans().stream()
                .flatMap(span -> Stream.concat(
                        span.attributes().values().stream(),
                        span.events().stream().flatMap(event -> event.attributes().values().stream())));
        Stream<Object> points = receiver.points().stream().flatMap(NonFiniteTest::numbers);
        return Stream.concat(spans, points)
                .flatMap(value -> value instanceof Collection<?> all ? all.stream() : Stream.of(value))
                .filter(Double.class::isInstance)
                .map(Double.class::cast)
                .toList();
    }

    private static Stream<Object> numbers(OtlpPoint point) {
        Stream<Object> exemplars = point.exemplars().stream().map(exemplar -> exemplar.value());
        return point instanceof OtlpHistogram histogram
                ? Stream.concat(exemplars, Stream.of(histogram.sum(), histogram.min(), histogram.max()))
                : Stream.concat(exemplars, Stream.of(((OtlpNumber) point).value()));
    }
}
