package dev.rlm.cli.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class VerbTest {
    @Test
    void verb_isFound_byItsLineInTheServices() {
        assertThat(Cli.with(Map.of("RLM_PROGRAM", "mine"), "greet", "--whom", "all"))
                .isEqualTo(new Cli(0, "greetings to all from mine" + System.lineSeparator(), ""));
        assertThat(Cli.with(Map.of(), "--help").out()).contains("run ", "list ", "record ", "greet ", "sinks ");
    }

    @Test
    void usage_isToldInOneLine() {
        assertThat(Cli.with(Map.of(), "greet", "--whom", " "))
                .isEqualTo(new Cli(2, "", "rlm: --whom is empty: expected a name" + System.lineSeparator()));
    }
}
