package dev.rlm.runner.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.runner.episode.JobCounts;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class ThroughputTest {
    private final AtomicLong now = new AtomicLong(5);

    private void pass(int seconds) {
        now.addAndGet(Duration.ofSeconds(seconds).toNanos());
    }

    @Test
    void pace_isThatOfTheLastMinute() {
        Throughput throughput = new Throughput(0, now::get);
        pass(100);
        assertThat(throughput.perSecond(100)).isEqualTo(1);
        for (int second = 1; second <= 60; second++) {
            pass(1);
            throughput.perSecond(100 + 10 * second);
        }
        assertThat(throughput.perSecond(700)).isEqualTo(10);
    }

    @Test
    void pace_whereNothingHasEndedLately_isThatSinceTheStart() {
        Throughput throughput = new Throughput(0, now::get);
        pass(50);
        throughput.perSecond(100);
        pass(150);
        assertThat(throughput.perSecond(100)).isEqualTo(0.5);
        assertThat(Throughput.left(10, 0.5)).contains(Duration.ofSeconds(20));
    }

    @Test
    void whatWasDoneBefore_makesNoPace() {
        Throughput throughput = new Throughput(1_000, now::get);
        assertThat(throughput.perSecond(1_000)).isZero();
        assertThat(Throughput.left(10, 0)).isEmpty();
        pass(10);
        assertThat(throughput.perSecond(1_020)).isEqualTo(2);
    }

    @Test
    void line_tellsHowFarTheJobIsAndWhatItCameTo() {
        AtomicReference<JobCounts> counts = new AtomicReference<>(new JobCounts(1_319, 412, 0, 0, 412, 300, 0.75));
        JobProgress line = new JobProgress(counts::get, now::get);
        pass(10);
        counts.set(new JobCounts(1_319, 512, 8, 3, 512, 384, 0.8125));

        assertThat(line.get())
                .isEqualTo("512 of 1319 runs, 8 running, 3 failed, 75% solved, reward 0.813, 10.0/s, 1m20s left");
    }
}
