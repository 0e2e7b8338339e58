package dev.rlm.benchmarks.soak;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class VerdictTest {
    private static final long MIB = 1 << 20;

    @Test
    void verdict_ofSamplesThatComeAndGo_isGood() {
        SoakVerdict verdict = judge(i -> new Sample(i, (20 + i % 2) * MIB, 20 + i % 3, 60 + i % 4, MIB));

        assertThat(verdict.complaints()).isEmpty();
    }

    @Test
    void verdict_ofOneSampleThatIsOff_isGood() {
        SoakVerdict verdict = judge(i -> new Sample(i, i == 19 ? 90 * MIB : 20 * MIB, i == 18 ? 99 : 20, 60, MIB));

        assertThat(verdict.complaints()).isEmpty();
    }

    @Test
    void verdict_ofGrowthInTheFirstHalfAlone_isGood() {
        SoakVerdict verdict = judge(i -> new Sample(i, Math.min(i, 10) * MIB, 20, 60, MIB));

        assertThat(verdict.complaints()).isEmpty();
    }

    @Test
    void verdict_ofWhatPilesUp_saysEachOfIt() {
        SoakVerdict verdict = judge(i -> new Sample(i, (20 + i) * MIB, 20 + i, 60 + i, 200L * MIB));

        assertThat(verdict.complaints())
                .containsExactly(
                        "the heap grew by 9.0 MiB over the second half",
                        "the threads became 9 more over the second half",
                        "the open files became 9 more over the second half",
                        "the journal took 200.0 MiB, more than 100.0 MiB");
    }

    private static SoakVerdict judge(IntFunction<Sample> sample) {
        List<Sample> samples = IntStream.range(0, 20).mapToObj(sample).toList();
        return SoakVerdict.of(samples, List.of(), 100L * MIB);
    }
}
