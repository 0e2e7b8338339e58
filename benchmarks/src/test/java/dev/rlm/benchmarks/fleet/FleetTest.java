package dev.rlm.benchmarks.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** That everything acknowledged is found again: what it measures is for people to judge. */
class FleetTest {
    @Test
    @Tag("thorough")
    void fewRunners_loseNothing() {
        StringWriter said = new StringWriter();
        int code = new CommandLine(new Fleet())
                .setOut(new PrintWriter(said))
                .execute("--mode", "COLLECTOR", "--runners", "3", "--seconds", "3", "--rate", "40", "--share", "0");

        assertThat(code).as("%s", said).isZero();
        assertThat(said.toString()).contains("18 of 18 acknowledged runs").contains("behind the collector");
    }
}
