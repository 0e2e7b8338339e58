package dev.rlm.benchmarks.figure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** That it holds contenders against each other: real processes that print what they are told to have measured. */
class FiguresCommandTest {
    private static final Figure RATIO = new Figure(
            1,
            "a thing",
            List.of(told("fast", "ns=2;bytes=0"), told("slow", "ns=8;bytes=40")),
            List.of(
                    Goal.ratio("ns", "fast", "slow").atMost(0.5),
                    Goal.ratio("ns", "slow", "fast").atLeast(8),
                    Goal.of("bytes", "slow")));
    private static final Figure FAILING =
            new Figure(2, "a thing that fails", List.of(told("broken", "no")), List.of(Goal.of("ns", "broken")));

    private final StringWriter out = new StringWriter();
    private final StringWriter progress = new StringWriter();

    @TempDir
    Path folder;

    @Test
    void ratios_areOfTheSameRound_andMeetTheirGoalOrNot() throws IOException {
        assertThat(run("--figure", "1", "--rounds", "2", "--out", folder.toString()))
                .isZero();

        assertThat(out.toString())
                .contains("| 1 | a thing | ns, fast ÷ slow | 0.25 (0.25 … 0.25) | ≤ 0.5 | yes |")
                .contains("| 1 | a thing | ns, slow ÷ fast | 4 (4 … 4) | ≥ 8 | **no** |")
                .contains("| 1 | a thing | bytes, slow | 40 (40 … 40) |  |  |")
                .contains("a peer 1.2");
        assertThat(progress.toString()).contains("1, a thing: round 2 of 2");
        assertThat(Files.readString(folder.resolve("RESULTS.md"))).isEqualTo(out.toString());
        assertThat(Files.readString(folder.resolve("results.json")))
                .contains("\"contender\":\"fast\",\"against\":\"slow\",\"bound\":\"≤ 0.5\",\"median\":0.25");
    }

    @Test
    void programThatFails_isTold_andNothingIsClaimed() {
        assertThat(run("--rounds", "1")).isEqualTo(1);

        assertThat(out.toString())
                .contains("| 2 | a thing that fails | ns, broken |  |  |  |")
                .contains("| 2 | a thing that fails | **not measured to its end** | broken: told to fail |")
                .contains("| 1 | a thing | ns, fast ÷ slow | 0.25 |");
    }

    @Test
    void unknownFigure_isRefused() {
        assertThat(run("--figure", "3")).isEqualTo(2);

        assertThat(progress.toString()).contains("--figure: there is no 3, but [1, 2]");
    }

    private static Contender told(String name, String values) {
        return Fork.of(name, "16m", Told.class, values);
    }

    private int run(String... arguments) {
        return new CommandLine(new FiguresCommand(() -> List.of(RATIO, FAILING), () -> Map.of("a peer", "1.2")))
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(progress, true))
                .execute(arguments);
    }

    /** A program that has measured what it is told. */
    static final class Told {
        private Told() {}

        public static void main(String[] values) {
            if (values[0].equals("no")) {
                System.err.println("told to fail");
                System.exit(1);
            }
            System.out.println("what else a program prints");
            Sample.read("sample:" + values[0]).print();
        }
    }
}
