package dev.rlm.benchmarks.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rlm.benchmarks.figure.FigureException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CommandsTest {
    @TempDir
    Path folder;

    @Test
    void emptyProgram_isTimed() {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();

        assertThat(commands(List.of(java, "-cp", System.getProperty("java.class.path"), EmptyProgram.class.getName()))
                        .measure()
                        .values())
                .containsOnlyKeys(Commands.MILLIS, Commands.CPU)
                .allSatisfy((name, value) -> assertThat(value).isPositive());
    }

    @Test
    void commandThatFails_isNoMeasurement() {
        assertThatThrownBy(() -> commands(List.of("false")).measure())
                .isInstanceOf(FigureException.class)
                .hasMessage("a command: it exited with 1");
    }

    private Commands commands(List<String> command) {
        return new Commands("a command", folder, Map.of(), 1, command);
    }
}
