package dev.rlm.episodes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The values that episodes hand around: what an agent sees, what it does, and what is computed of it. */
class ValuesTest {
    private static Answer answer(String output, String... error) {
        return new Answer(output, error.length == 0 ? null : error[0], null, 0, false);
    }

    @Test
    void observation_showsOutputsAndErrorsInTheirOrder() {
        assertThat(answer("out").observation()).isEqualTo("out");
        assertThat(answer("out", "bad").observation()).isEqualTo("out\nbad");
        assertThat(answer("", "bad").observation()).isEqualTo("bad");
        Action look = new Action("look", "north");
        Observation seen = Observation.after(List.of(
                new Observation.Done(look, answer("a tree")), new Observation.Done(look, answer("", "too dark"))));
        assertThat(seen.text()).isEqualTo("a tree\ntoo dark");
        assertThat(seen.done()).hasSize(2);
        assertThat(Observation.first("begin").done()).isEmpty();
    }

    @Test
    void turn_hasAnAction_andKeepsItsOwnList() {
        assertThatThrownBy(() -> new Turn(List.of())).isInstanceOf(IllegalArgumentException.class);
        List<Action> actions = new ArrayList<>(List.of(new Action("look", "", "call_a")));
        Turn turn = new Turn(actions);
        actions.clear();
        assertThat(turn.actions()).containsExactly(new Action("look", "", "call_a", null));
    }

    @Test
    void toolOfOneText_hasTheSchemaOfAnObject() {
        ToolSpec spec = ToolSpec.ofText("say", "Says it.", "words");
        assertThat(spec.inputSchema())
                .isEqualTo(
                        "{\"type\":\"object\",\"properties\":{\"words\":{\"type\":\"string\"}},\"required\":[\"words\"]}");
        assertThat(spec.textParameter()).isEqualTo("words");
        assertThatThrownBy(() -> ToolSpec.ofText("say", "", "two words")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> ToolSpec.ofText(" ", "", "words")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new ToolSpec("say", "", " ", null)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void textOfAnAddress_namesNoSecret() {
        String secret = "made" + "-up-secret";
        ToolAddress address = new ToolAddress(
                "search", "run --key " + secret, Map.of("KEY", secret), secret, Duration.ZERO, Duration.ZERO);
        assertThat(address.toString()).contains("search").doesNotContain(secret);
    }

    @Test
    void score_keepsItsPartsInOrder_asTheyWere() {
        Map<String, Double> parts = new LinkedHashMap<>();
        parts.put("style", 0.5);
        parts.put("content", Double.NaN);
        Score score = new Score(0.75, parts);
        parts.clear();
        assertThat(score.parts().keySet()).containsExactly("style", "content");
        assertThatThrownBy(() -> score.parts().put("more", 1.0)).isInstanceOf(UnsupportedOperationException.class);
        assertThat(Score.of(1).parts()).isEmpty();
    }

    @Test
    void trajectory_tellsItsLastStep() {
        Sample sample = new Numbered();
        List<Observation.Done> step = List.of(new Observation.Done(new Action("submit", "3"), answer("yes")));
        assertThat(new Trajectory(sample, List.of(), 5, null).lastStep()).isEmpty();
        assertThat(new Trajectory(sample, List.of(List.of(), step), 5, "3").lastStep())
                .contains(step);
        assertThat(new Trajectory(sample, List.of(), 5, null).tokens()).isEmpty();
    }

    private record Numbered() implements Sample {
        @Override
        public String id() {
            return "1";
        }

        @Override
        public int row() {
            return 1;
        }

        @Override
        public String task() {
            return "";
        }
    }
}
