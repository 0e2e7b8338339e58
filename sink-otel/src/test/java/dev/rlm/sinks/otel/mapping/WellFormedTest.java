package dev.rlm.sinks.otel.mapping;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.otel.Rig;
import dev.rlm.sinks.otel.backend.OtlpSpan;
import dev.rlm.sinks.testkit.Events;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Text that has no form in UTF-8. */
class WellFormedTest {
    @ParameterizedTest
    @ValueSource(strings = {"preview", "full"})
    void halvesOfSurrogatePairs_areSentAsTheJournalKeepsThem(String capture) throws IOException {
        List<OtlpSpan> live = spans("\uD800 lone \uDC00", capture);

        assertThat(live).isNotEmpty().isEqualTo(spans("\uFFFD lone \uFFFD", capture));
    }

    private static List<OtlpSpan> spans(String text, String capture) throws IOException {
        try (Rig rig = Rig.by(Rig.GRPC, Map.of("RLM_CAPTURE_CONTENT", capture))) {
            Events.full("r", text).forEach(rig.sinks()::publish);
            return rig.spans();
        }
    }
}
