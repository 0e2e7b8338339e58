package dev.rlm.episodes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Step;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What plug-ins get without a word of their own: settings that are refused, and the usual answers. */
class ProviderTest {
    private static final Sample SAMPLE = new Sample() {
        @Override
        public String id() {
            return "s-1";
        }

        @Override
        public int row() {
            return 1;
        }

        @Override
        public String task() {
            return "count";
        }
    };

    private static final PolicyProvider PROVIDER = new PolicyProvider() {
        @Override
        public String name() {
            return "mine";
        }

        @Override
        public Policy create(Role role, Briefing briefing) {
            return (seen, step) -> Turn.of(briefing.understand().apply(seen.text()));
        }
    };

    @Test
    void settings_areRefusedByAProviderThatHasNone() {
        assertThatCode(() -> PROVIDER.open(Map.of())).doesNotThrowAnyException();
        assertThatThrownBy(() -> PROVIDER.open(Map.of("size", "3")))
                .isInstanceOf(SetupException.class)
                .hasMessage("--set mine.size is unknown: 'mine' has no settings");
    }

    @Test
    void setting_thatIsUnknown_isToldWithThoseThatAreKnown() {
        assertThatCode(() -> PluginSettings.check("mine", Map.of("size", "3"), "size", "colour"))
                .doesNotThrowAnyException();
        assertThatThrownBy(() ->
                        PluginSettings.check("mine", Map.of("z", "1", "siez", "3", "size", "3"), "size", "colour"))
                .isInstanceOf(SetupException.class)
                .hasMessage("--set mine.siez is unknown: mine has size, colour");
    }

    @Test
    void policy_actsOnWhatItSees_andIsNamedAfterItsProvider() throws Exception {
        Briefing briefing =
                new Briefing(RunSpec.builder("e").build(), "", List.of(), words -> new Action("say", words));
        try (Policy policy = PROVIDER.create(new Role(SAMPLE, "mine", 0, 1), briefing)) {
            assertThat(policy.act(Observation.first("hello"), Step.NOOP)).isEqualTo(Turn.of("say", "hello"));
            assertThat(policy.metrics()).isEmpty();
        }
        assertThat(PROVIDER.models(SAMPLE)).containsExactly("mine");
        assertThat(PROVIDER.version()).isNull();
        assertThat(PROVIDER.params()).isEmpty();
        assertThat(PROVIDER.secrets()).isEmpty();
        PROVIDER.close();
    }

    @Test
    void environment_takesWordsForTheFinalAnswer_unlessItSaysOtherwise() throws Exception {
        Answer wrong = new Answer("no", null, null, 0, false);
        try (Environment environment = new Environment() {
            @Override
            public String start() {
                return "begin";
            }

            @Override
            public Answer step(Action action, Step step) {
                return wrong;
            }
        }) {
            assertThat(environment.understand("42")).isEqualTo(new Action("submit", "42"));
            assertThat(environment.cutOff(wrong, Step.NOOP)).isSameAs(wrong);
            assertThat(environment.instructions()).isEmpty();
            assertThat(environment.tools()).isEmpty();
            assertThat(environment.state()).isNull();
            assertThat(environment.metrics()).isEmpty();
        }
    }

    @Test
    void reward_isAScoreWithoutParts_ofTheAnswerAndTheSteps() throws Exception {
        RewardFunction steps = trajectory -> trajectory.steps().size();
        assertThat(steps.score(new Trajectory(SAMPLE, List.of(List.of()), 5, null)))
                .isEqualTo(Score.of(1));
        assertThat(steps.needs()).containsExactlyInAnyOrder(RewardNeed.ANSWER, RewardNeed.STEPS);
        assertThat(SAMPLE.truth()).isEmpty();
    }
}
