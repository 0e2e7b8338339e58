package dev.rlm.runner.episode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rlm.sinks.Ledger;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sink;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.Outcome;
import java.time.InstantSource;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class JobTest {
    private static final Policy SUBMITS = (observation, step) -> new Action("submit", observation);

    @Test
    void reward_thatCouldNotBeComputed_isNeverCounted() {
        EpisodeResult result = run(episode(answering(Double.NaN), SUBMITS));

        assertThat(result.outcome()).isEqualTo(Outcome.COMPLETED);
        assertThat(result.totalReward()).isZero();
        assertThat(result.hasUsableReward()).isFalse();
        assertThat(result.solved()).isFalse();
    }

    @Test
    void episode_withoutAReward_isNotSolved() {
        EpisodeResult result = run(episode(answering(null), SUBMITS));

        assertThat(result.hasUsableReward()).isTrue();
        assertThat(result.solved()).isFalse();
    }

    @Test
    void error_endsItsRunAndNotTheJob() {
        Policy broken = (observation, step) -> {
            throw new StackOverflowError();
        };

        List<EpisodeResult> results = job(List.of(episode(answering(1.0), broken), episode(answering(1.0), SUBMITS)), 1)
                .run();

        assertThat(results).extracting(EpisodeResult::outcome).containsExactly(Outcome.FAILED, Outcome.COMPLETED);
        assertThat(results).extracting(EpisodeResult::solved).containsExactly(false, true);
    }

    @Test
    void stop_abortsWhatRunsAndStartsNoMore() {
        CountDownLatch never = new CountDownLatch(1);
        CountDownLatch running = new CountDownLatch(2);
        Policy waiting = (observation, step) -> {
            running.countDown();
            never.await();
            return new Action("submit", "");
        };
        Job job = job(Collections.nCopies(10, episode(answering(1.0), waiting)), 2);
        Thread stopper = new Thread(() -> {
            awaitAll(running);
            job.stop();
        });
        stopper.start();

        List<EpisodeResult> results = job.run();

        assertThat(results).hasSize(2).extracting(EpisodeResult::outcome).containsOnly(Outcome.ABORTED);
        assertThat(job.wasStopped()).isTrue();
    }

    @Test
    @Timeout(60)
    void errorOutsideOfARun_endsTheJob() {
        InstantSource broken = () -> {
            throw new IllegalStateException("no time");
        };
        try (Sinks sinks = Sinks.builder()
                .add("any", new Sink() {})
                .clocks(broken, System::nanoTime)
                .build()) {
            Job job = new Job(List.of(episode(answering(1.0), SUBMITS)), sinks, 1, null, null);

            assertThatThrownBy(job::run).hasRootCauseMessage("no time");
        }
    }

    @Test
    void stop_beforeTheStart_startsNothing() {
        Job job = job(List.of(episode(answering(1.0), SUBMITS)), 1);
        job.stop();

        assertThat(job.run()).isEmpty();
    }

    @Test
    void durableSink_thatFallsBehind_isWaitedForBetweenRuns() {
        try (Sinks sinks = Sinks.builder().add("slow", new SlowDurableSink()).build()) {
            new Job(Collections.nCopies(30_000, episode(answering(1.0), SUBMITS)), sinks, 4, null, null).run();

            Ledger ledger = sinks.statuses().get(0).ledger();
            assertThat(ledger.offered()).isEqualTo(150_000);
            assertThat(ledger.dropped()).isEmpty();
        }
    }

    private static final class SlowDurableSink implements Sink {
        @Override
        public void onEvent(Event event) {
            long start = System.nanoTime();
            while (System.nanoTime() - start < 8_000) {
                Thread.onSpinWait();
            }
        }

        @Override
        public boolean isDurable() {
            return true;
        }
    }

    private static void awaitAll(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static EpisodeResult run(Episode episode) {
        return job(List.of(episode), 1).run().get(0);
    }

    private static Job job(List<Episode> episodes, int concurrency) {
        return new Job(episodes, Sinks.builder().build(), concurrency, null, null);
    }

    private static Episode episode(Environment environment, Policy policy) {
        RunSpec spec = RunSpec.builder("test").maxSteps(3).build();
        return new Episode(spec, () -> environment, () -> policy);
    }

    private static Environment answering(@Nullable Double reward) {
        return new Environment() {
            @Override
            public String start() {
                return "";
            }

            @Override
            public Answer step(Action action, Step step) {
                return new Answer("", null, reward, 0, true);
            }
        };
    }
}
