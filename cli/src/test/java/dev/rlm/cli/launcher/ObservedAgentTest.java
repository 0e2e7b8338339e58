package dev.rlm.cli.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.testkit.Cli;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code examples/ObservedAgent.java}, run for real, as its record tells it. */
class ObservedAgentTest {
    private static final Path EXAMPLE =
            Path.of("..", "examples", "ObservedAgent.java").toAbsolutePath();

    @TempDir
    private Path folder;

    @Test
    void observedAgent_isSeenInItsRecord() throws Exception {
        try (RlmProcess agent = RlmProcess.start(folder, Map.of(), List.of(), EXAMPLE.toString())
                .awaitSuccess()) {
            assertThat(agent.err()).isEmpty();
            assertThat(agent.out()).isEqualToIgnoringNewLines("It has 7 letters.");
        }

        assertThat(rlm("show", run(), "--tools").replaceAll(" +", " "))
                .contains("1 length episode 7 ok")
                .contains("1 tool call, 0 failed");
        assertThat(rlm("show", run(), "--messages"))
                .containsSubsequence(
                        "How long is 'episode'?", "length(episode)", "tool length", "7", "It has 7 letters.");
    }

    private String run() {
        Matcher id = Pattern.compile("\"run_id\": ?\"([^\"]+)\"").matcher(rlm("list", "--json"));
        assertThat(id.find()).isTrue();
        return id.group(1);
    }

    private String rlm(String... arguments) {
        Cli rlm = Cli.with(Map.of("RLM_JSONL_DIR", "" + folder.resolve(".rlm")), arguments);
        assertThat(rlm.exitCode()).as(rlm.err()).isZero();
        return rlm.out();
    }
}
