package dev.rlm.tools.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rlm.episodes.SetupException;
import org.junit.jupiter.api.Test;

class CommandLineTest {
    @Test
    void words_areSplitAsByAShell() {
        assertThat(CommandLine.split("  npx -y  'a b' c\"d e\"f \"\" g\\ h '\\' \"\\\"\\$\" $HOME *.txt\t;|"))
                .containsExactly("npx", "-y", "a b", "cd ef", "", "g h", "\\", "\"\\$", "$HOME", "*.txt", ";|");
    }

    @Test
    void commandThatIsNone_isRefused() {
        assertThatThrownBy(() -> CommandLine.split(" ")).isInstanceOf(SetupException.class);
        assertThatThrownBy(() -> CommandLine.split("a 'b"))
                .isInstanceOf(SetupException.class)
                .hasMessageContaining("not closed");
    }
}
