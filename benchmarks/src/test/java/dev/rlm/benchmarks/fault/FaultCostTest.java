package dev.rlm.benchmarks.fault;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import picocli.CommandLine;

/** That it measures: what it measures is for people to judge. */
@Tag("thorough")
class FaultCostTest {
    private final StringWriter out = new StringWriter();

    @ParameterizedTest
    @EnumSource(
            value = Misbehaviour.class,
            names = {"NONE", "THROWS", "OUT_OF_MEMORY", "HANGS", "MLFLOW", "MLFLOW_DOWN"})
    void everyFault_isMeasured(Misbehaviour fault) {
        assertThat(run("--workload", "bare", "--fault", fault.label())).isZero();

        assertThat(out.toString()).contains("pairs").containsPattern("(?m)^" + fault.label() + " +4 ");
    }

    @ParameterizedTest
    @EnumSource(Workload.class)
    void everyWorkload_isMeasured(Workload workload) {
        assertThat(run("--workload", workload.label(), "--fault", "healthy", "--json"))
                .isZero();

        assertThat(out.toString())
                .contains("\"workload\":\"" + workload.label() + "\",\"fault\":\"healthy\"")
                .contains("\"wall_ratio\":{\"pairs\":4,");
    }

    @Test
    void unknownFault_isRefused() {
        assertThat(run("--fault", "gremlins")).isEqualTo(2);
    }

    private int run(String... arguments) {
        CommandLine command = new CommandLine(FaultCost.class)
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(new StringWriter(), true));
        return command.execute(
                Stream.concat(Stream.of("--pairs", "4"), Stream.of(arguments)).toArray(String[]::new));
    }
}
