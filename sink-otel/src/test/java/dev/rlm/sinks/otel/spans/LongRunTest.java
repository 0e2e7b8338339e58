package dev.rlm.sinks.otel.spans;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.event.StepStarted;
import dev.rlm.sinks.otel.Published;
import dev.rlm.sinks.otel.Rig;
import dev.rlm.sinks.otel.backend.OtlpSpan;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A run with more steps than the sink remembers: one that stays open, and many that end. */
@Timeout(60)
class LongRunTest {
    private static final int STEPS = 1_100;
    private static final long LAST = 2L * STEPS + 3;

    private final Published published = new Published("r");
    private final StepStarted open = published.step(2, 1);
    private final StepStarted forgotten = published.step(3, 2);
    private Rig rig;

    @BeforeEach
    void forgetASecondStep() throws IOException {
        rig = Rig.by(Rig.GRPC);
        rig.sinks().publish(published.started());
        rig.sinks().publish(open);
        for (int i = 0; i < STEPS; i++) {
            StepStarted step = published.step(3 + 2L * i, 2 + i);
            rig.sinks().publish(step);
            rig.sinks().publish(published.stepEnded(4 + 2L * i, step));
        }
    }

    @AfterEach
    void stop() {
        rig.close();
    }

    @Test
    void step_thatIsOpenAllTheTime_isNotTakenForAForgottenOne() {
        rig.sinks().publish(published.reward(LAST, 1, 0.5, LAST));
        rig.sinks().publish(published.stepEnded(LAST + 1, open));
        rig.sinks().publish(published.reward(LAST + 2, 0.25));
        rig.sinks().publish(published.ended(LAST + 3));

        assertThat(steps()).hasSize(STEPS + 1);
        assertThat(steps()) // in the order of their requests, of which several are under way
                .filteredOn(step -> Long.valueOf(1).equals(step.attributes().get("rlm.step")))
                .singleElement()
                .satisfies(step -> assertThat(step.events()).hasSize(1));
        assertThat(rig.span("rlm.run").events())
                .extracting(OtlpSpan.Event::name)
                .containsExactly("gen_ai.evaluation.result", "result");
        assertThat(rig.ledger().dropped()).isEmpty();
    }

    @Test
    void stepOfLongAgo_isNotOpenedAgain_andItsRewardIsInTheRun() {
        rig.sinks().publish(forgotten);
        rig.sinks().publish(published.stepEnded(4, forgotten));
        rig.sinks().publish(published.reward(LAST, 2, 0.5, LAST));
        rig.sinks().publish(published.stepEnded(LAST + 1, open));
        rig.sinks().publish(published.ended(LAST + 2));

        assertThat(steps()).hasSize(STEPS + 1);
        assertThat(rig.span("rlm.reward"))
                .returns(rig.span("rlm.run").spanId(), OtlpSpan::parentId)
                .satisfies(reward -> assertThat(reward.attributes()).containsEntry("rlm.step", 2L));
        assertThat(rig.ledger().dropped()).isEqualTo(Map.of("late", 2L));
    }

    private List<OtlpSpan> steps() {
        rig.flush();
        return rig.receiver().spans("rlm.step");
    }
}
