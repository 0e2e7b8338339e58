package dev.rlm.sinks.otel.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.rlm.sinks.SinkConfigException;
import dev.rlm.sinks.event.MetricsReported;
import dev.rlm.sinks.otel.FakeClock;
import dev.rlm.sinks.otel.Rig;
import dev.rlm.sinks.otel.backend.OtlpAnswer;
import dev.rlm.sinks.otel.backend.OtlpMetric.Kind;
import dev.rlm.sinks.otel.backend.OtlpNumber;
import dev.rlm.sinks.otel.backend.OtlpPoint;
import dev.rlm.sinks.otel.backend.OtlpSignal;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The numbers that describe training. */
@ParameterizedClass
@ValueSource(strings = {Rig.GRPC, Rig.HTTP})
class TrainingGaugesTest {
    private final String protocol;

    TrainingGaugesTest(String protocol) {
        this.protocol = protocol;
    }

    private static MetricsReported reported(String category, Map<String, Double> values) {
        Map<String, Double> all = new HashMap<>(values);
        all.put("global_step", 7.0);
        return new MetricsReported(FakeClock.START, category, "global_step", all);
    }

    @Test
    void numbers_areGaugesOfTheirLastValues() throws IOException {
        try (Rig rig = Rig.by(protocol)) {
            rig.sinks().publish(reported("trainer", Map.of("loss", 0.5)));
            rig.sinks().publish(reported("trainer", Map.of("loss", -0.25, "kl/mean €", 2.0)));
            rig.flush();

            assertThat(rig.receiver().numbers("rlm.trainer.loss"))
                    .singleElement()
                    .returns(-0.25, OtlpNumber::value)
                    .returns(Map.of(), OtlpPoint::attributes)
                    .returns(Kind.GAUGE, point -> point.metric().kind())
                    .returns("", point -> point.metric().unit());
            assertThat(rig.receiver().numbers("rlm.trainer.kl/mean__")).hasSize(1);
            assertThat(rig.receiver().numbers("rlm.trainer.global_step")).hasSize(1);
            assertThat(rig.ledger().delivered()).isEqualTo(2);
        }
    }

    @Test
    void label_describesItsGauge_andTheNameStays() throws IOException {
        try (Rig rig = Rig.by(protocol, Map.of("RLM_METRIC_LABELS", "global_grad_norm=Grad Norm, sps=SPS"))) {
            rig.sinks().publish(reported("trainer", Map.of("global_grad_norm", 0.5, "kl", 1.0, "mine", 2.0)));
            rig.flush();

            assertThat(rig.receiver().numbers("rlm.trainer.global_grad_norm"))
                    .singleElement()
                    .returns("Grad Norm", point -> point.metric().description());
            assertThat(rig.receiver().numbers("rlm.trainer.kl"))
                    .singleElement()
                    .returns("KL divergence", point -> point.metric().description());
            assertThat(rig.receiver().numbers("rlm.trainer.mine"))
                    .singleElement()
                    .returns("", point -> point.metric().description());
        }
    }

    @Test
    void labels_thatAreWrong_failTheStart() {
        assertThatThrownBy(() -> Rig.by(protocol, Map.of("RLM_METRIC_LABELS", "sps")))
                .isInstanceOf(SinkConfigException.class)
                .hasMessage("RLM_METRIC_LABELS is not valid at 'sps': expected name=label, separated by commas, such as"
                        + " global_grad_norm=Grad Norm");
    }

    @Test
    void numbers_thatAreNotFinite_areCountedInstead() throws IOException {
        try (Rig rig = Rig.by(protocol)) {
            rig.sinks().publish(reported("actor", Map.of("loss", 0.5)));
            rig.sinks().publish(reported("actor", Map.of("loss", Double.NaN)));
            rig.sinks().publish(reported("actor", Map.of("grad", Double.NEGATIVE_INFINITY)));
            rig.flush();

            assertThat(rig.receiver().numbers("rlm.actor.loss")).singleElement().returns(0.5, OtlpNumber::value);
            assertThat(rig.receiver().numbers("rlm.actor.grad")).isEmpty();
            assertThat(rig.receiver().numbers("rlm.metrics.excluded"))
                    .extracting(OtlpPoint::attributes, OtlpNumber::value)
                    .containsExactlyInAnyOrder(
                            tuple(Map.of("metric", "rlm.actor.loss", "reason", "nan"), 1L),
                            tuple(Map.of("metric", "rlm.actor.grad", "reason", "infinite"), 1L));
        }
    }

    @Test
    void names_beyondTheLimit_areDroppedAndSaidSo() throws IOException {
        try (Rig rig = Rig.by(protocol)) {
            Map<String, Double> many = new HashMap<>();
            for (int i = 0; i < 1_000; i++) {
                many.put("m" + i, 1.0);
            }
            rig.sinks().publish(reported("misc", many));
            rig.flush();

            assertThat(rig.receiver().points())
                    .extracting(OtlpPoint::name)
                    .filteredOn(name -> name.startsWith("rlm.misc."))
                    .hasSize(1_000);
            assertThat(rig.ledger().dropped()).isEqualTo(Map.of("too_many_metrics", 1L));
        }
    }

    @ParameterizedTest
    @CsvSource({"RLM_OTEL_METRICS_ENABLED, false", "OTEL_METRICS_EXPORTER, none", "OTEL_SDK_DISABLED, true"})
    void numbers_whereMetricsAreOff_areDropped(String variable, String value) throws IOException {
        try (Rig rig = Rig.by(protocol, Map.of(variable, value))) {
            rig.sinks().publish(reported("misc", Map.of()));
            rig.flush();

            assertThat(rig.ledger().dropped()).isEqualTo(Map.of("metrics_off", 1L));
        }
    }

    @Test
    void numbers_afterTheBackEndHasRefusedMetrics_areDropped() throws IOException {
        try (Rig rig = Rig.by(protocol)) {
            rig.receiver().answer(OtlpSignal.METRICS, OtlpAnswer.REFUSE);
            rig.startRun("r").complete("");
            rig.flush();
            rig.sinks().publish(reported("misc", Map.of()));
            rig.flush();

            assertThat(rig.ledger().dropped()).isEqualTo(Map.of("metrics_refused", 1L));
        }
    }
}
