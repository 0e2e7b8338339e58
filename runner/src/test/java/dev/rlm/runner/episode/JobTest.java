package dev.rlm.runner.episode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.rlm.engine.EpisodeResult;
import dev.rlm.engine.JobLimits;
import dev.rlm.episodes.Action;
import dev.rlm.episodes.Answer;
import dev.rlm.episodes.Environment;
import dev.rlm.episodes.Observation;
import dev.rlm.episodes.Policy;
import dev.rlm.episodes.Turn;
import dev.rlm.sinks.Ledger;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sink;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunStatus;
import dev.rlm.sinks.event.SpanRecorded;
import dev.rlm.sinks.event.StandaloneSpanRecorded;
import dev.rlm.sinks.event.StepEnded;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.MDC;

class JobTest {
    private static final Duration LASTING = Duration.ofMillis(150); // longer than what is told at the least
    private static final Policy SUBMITS = (observation, step) -> Turn.of("submit", observation.text());

    @Test
    void reward_thatCouldNotBeComputed_isNeverCounted() {
        EpisodeResult result = run(episode(answering(Double.NaN), SUBMITS));

        assertThat(result.outcome()).isEqualTo(Outcome.COMPLETED);
        assertThat(result.totalReward()).isZero();
        assertThat(result.counted().usableReward()).isNull();
        assertThat(result.solved()).isFalse();
    }

    @Test
    void metrics_ofPolicyAndEnvironment_areInTheEnd_alsoOfARunThatFails() {
        Map<String, Double> ofPolicy = Map.of("guesses", 3.0, "points", 1.0);
        Map<String, Double> ofEnvironment = Map.of("points", 2.0);
        List<Episode> episodes = List.of(
                episode(new Counting(ofEnvironment, false), new Guessing(ofPolicy)),
                episode(new Counting(ofEnvironment, true), new Guessing(ofPolicy)),
                episode(new Counting(null, false), new Guessing(ofPolicy)));

        EndedSink ended = new EndedSink();
        try (Sinks sinks = Sinks.builder().add("ends", ended).build()) {
            new Job(episodes, sinks, 1, null, null).run();
        }

        assertThat(ended.ends)
                .extracting(RunEnded::outcome)
                .containsExactly(Outcome.COMPLETED, Outcome.FAILED, Outcome.COMPLETED);
        assertThat(ended.ends)
                .extracting(RunEnded::metrics)
                .containsExactly(
                        Map.of("guesses", 3.0, "points", 2.0), Map.of("guesses", 3.0, "points", 2.0), ofPolicy);
    }

    private record Guessing(Map<String, Double> metrics) implements Policy {
        @Override
        public Turn act(Observation seen, Step step) {
            return Turn.of("submit", "");
        }
    }

    /** An environment that counts; {@code null} for one that cannot. */
    private record Counting(@Nullable Map<String, Double> counted, boolean fails) implements Environment {
        @Override
        public String start() {
            return "";
        }

        @Override
        public Answer step(Action action, Step step) {
            if (fails) {
                throw new IllegalStateException("broken");
            }
            return new Answer("", null, 1.0, 0, true);
        }

        @Override
        public Map<String, Double> metrics() {
            if (counted == null) {
                throw new IllegalStateException("lost count");
            }
            return counted;
        }
    }

    @Test
    void states_ofTheEnvironment_areInTheRecord_asLongAsItTellsThem() {
        EndedSink ended = new EndedSink();
        Policy policy = (observation, step) -> Turn.of("stay", "");
        try (Sinks sinks = Sinks.builder().add("ends", ended).build()) {
            RunSpec spec = RunSpec.builder("door").maxSteps(5).build();
            new Job(List.of(new Episode(spec, Door::new, () -> policy)), sinks, 1, null, null).run();
        }

        assertThat(ended.ends).extracting(RunEnded::initialState).containsExactly("closed");
        assertThat(ended.steps)
                .extracting(StepEnded::stateBefore)
                .containsExactly("closed", "open", "open", null, null);
        assertThat(ended.steps).extracting(StepEnded::stateAfter).containsExactly("open", "open", null, null, null);
    }

    /** An environment that tells its state until it cannot, and ends after five steps. */
    private static final class Door implements Environment {
        private int steps;

        @Override
        public String start() {
            return "";
        }

        @Override
        public Answer step(Action action, Step step) {
            steps++;
            return new Answer("", null, 1.0, 0, steps == 5);
        }

        @Override
        public String state() {
            if (steps == 3) {
                throw new StackOverflowError("lost");
            }
            return steps == 0 ? "closed" : "open";
        }
    }

    @Test
    void episode_withoutAReward_isNeitherSolvedNorUnsolved() {
        EpisodeResult result = run(episode(answering(null), SUBMITS));

        assertThat(result.totalReward()).isNull();
        assertThat(result.counted().usableReward()).isNull();
        assertThat(result.solved()).isNull();
    }

    @Test
    void whatIsLoggedInAnEpisode_tellsItsRunAndStep() {
        List<String> logged = new CopyOnWriteArrayList<>();
        Policy logging = (observation, step) -> {
            logged.add(MDC.get("run_id") + "/" + MDC.get("step"));
            return Turn.of("submit", "");
        };
        Episode episode = new Episode(
                RunSpec.builder("env").runId("logged").maxSteps(2).build(),
                () -> {
                    logged.add(MDC.get("run_id") + "/" + MDC.get("step"));
                    return answering(1.0);
                },
                () -> logging);

        try (Sinks sinks = Sinks.builder().add("ends", new EndedSink()).build()) {
            new Job(List.of(episode), sinks, 1, null, null).run();
        }

        assertThat(logged).containsExactly("logged/null", "logged/1");
        assertThat(MDC.get("run_id")).isNull();
    }

    @Test
    void duration_lastsUntilTheEnd_andNotUntilItIsRecorded() {
        long start = System.nanoTime();
        AtomicLong end = new AtomicLong();
        try (Sinks sinks = Sinks.builder().build()) {
            RunSpec spec = RunSpec.builder("test").build();
            Attempt attempt = new Attempt(sinks.startRun(spec), new EpisodeTotals(spec));
            attempt.end(Outcome.COMPLETED, null, run -> {
                end.set(System.nanoTime());
                while (System.nanoTime() - end.get() < 50_000_000) {
                    Thread.onSpinWait();
                }
            });

            assertThat(attempt.result().duration()).isLessThanOrEqualTo(Duration.ofNanos(end.get() - start));
        }
    }

    @Test
    void error_endsItsRunAndNotTheJob() {
        Policy broken = (observation, step) -> {
            throw new StackOverflowError();
        };

        List<EpisodeResult> results = job(List.of(episode(answering(1.0), broken), episode(answering(1.0), SUBMITS)), 1)
                .run();

        assertThat(results).extracting(EpisodeResult::outcome).containsExactly(Outcome.FAILED, Outcome.COMPLETED);
        assertThat(results).extracting(EpisodeResult::solved).containsExactly(null, true);
    }

    @Test
    void stop_abortsWhatRunsAndStartsNoMore() {
        CountDownLatch never = new CountDownLatch(1);
        CountDownLatch running = new CountDownLatch(2);
        Policy waiting = (observation, step) -> {
            running.countDown();
            never.await();
            return Turn.of("submit", "");
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
    void run_thatHeedsNothing_failsOnTime_andTheOthersGoOn() throws Exception {
        CountDownLatch gate = new CountDownLatch(1);
        Policy deaf = (observation, step) -> {
            awaitUninterrupted(gate);
            step.startToolCall("late").close();
            return Turn.of("submit", "late");
        };
        EndedSink sink = new EndedSink();
        try (Sinks sinks = Sinks.builder().add("ends", sink).build()) {
            List<Episode> episodes = List.of(
                    episode(answering(1.0), deaf), episode(answering(1.0), SUBMITS), episode(answering(1.0), deaf));
            Job job = new Job(episodes, sinks, 1, Duration.ofMillis(50), null);

            List<EpisodeResult> results = job.run();

            assertThat(results)
                    .extracting(EpisodeResult::outcome)
                    .containsExactly(Outcome.FAILED, Outcome.COMPLETED, Outcome.FAILED);
            assertThat(results).extracting(EpisodeResult::steps).containsOnly(1);
            assertThat(job.ended()).isEqualTo(3);
            assertThat(job.leftBehind()).isEqualTo(2);
            gate.countDown();
            Awaitility.await().until(() -> job.leftBehind() == 0);
            sinks.flush(Duration.ofSeconds(60));
            assertThat(sinks.statuses().get(0).ledger().dropped()).isEmpty(); // their time was up
        }
        assertThat(sink.ends)
                .hasSize(3)
                .filteredOn(end -> end.outcome() == Outcome.FAILED)
                .hasSize(2)
                .allSatisfy(end -> {
                    assertThat(end.status().code()).isEqualTo(RunStatus.DEADLINE_EXCEEDED);
                    assertThat(end.status().message()).isEqualTo("the run took longer than 0.05 s");
                    assertThat(String.valueOf(end.error())).contains("awaitUninterrupted"); // where it hangs
                });
    }

    @Test
    @Timeout(60)
    void step_thatTakesTooLong_failsWithItsRun() {
        CountDownLatch never = new CountDownLatch(1);
        Policy slowAtLast = new Policy() {
            private int turn;

            @Override
            public Turn act(Observation seen, Step step) throws InterruptedException {
                if (++turn == 2) {
                    never.await();
                }
                return Turn.of("look", "");
            }
        };
        EndedSink sink = new EndedSink();
        try (Sinks sinks = Sinks.builder().add("ends", sink).build()) {
            List<EpisodeResult> results = new Job(
                            List.of(episode(answering(-0.5, false), slowAtLast)),
                            sinks,
                            1,
                            null,
                            Duration.ofMillis(300))
                    .run();

            assertThat(results).singleElement().satisfies(result -> {
                assertThat(result.outcome()).isEqualTo(Outcome.FAILED);
                assertThat(result.steps()).isEqualTo(2);
                assertThat(result.totalReward()).isEqualTo(-0.5);
            });
            sinks.close();
            assertThat(sinks.statuses().get(0).ledger().dropped()).isEmpty();
        }
        assertThat(sink.steps).extracting(StepEnded::errorType).containsExactly(null, StepEnded.DEADLINE_EXCEEDED);
        assertThat(sink.ends).singleElement().satisfies(end -> {
            assertThat(end.status().code()).isEqualTo(RunStatus.DEADLINE_EXCEEDED);
            assertThat(end.status().message()).isEqualTo("step 2 took longer than 0.3 s");
            assertThat(end.steps()).isEqualTo(2);
            assertThat(end.totalReward()).isEqualTo(-0.5);
        });
    }

    @Test
    @Timeout(60)
    void timeLimit_racingTheRunsOwnEnd_isToldAlike() {
        EndedSink sink = new EndedSink();
        List<EpisodeResult> results;
        try (Sinks sinks = Sinks.builder().add("ends", sink).build()) {
            Policy quick = (observation, step) -> {
                Thread.sleep(1);
                return Turn.of("submit", "");
            };
            results = new Job(
                            IntStream.range(0, 2_000)
                                    .mapToObj(i -> episode(answering(1.0), quick))
                                    .toList(),
                            sinks,
                            4,
                            Duration.ofMillis(2),
                            Duration.ofMillis(2))
                    .run();
            sinks.close();
            assertThat(sinks.statuses().get(0).ledger().dropped()).isEmpty();
        }

        Map<String, Outcome> told =
                results.stream().collect(Collectors.toMap(EpisodeResult::runId, EpisodeResult::outcome));
        Map<String, Outcome> recorded =
                sink.ends.stream().collect(Collectors.toMap(end -> end.run().runId(), RunEnded::outcome));
        assertThat(recorded).isEqualTo(told);
    }

    @Test
    @Timeout(60)
    void stop_ofARunThatDoesNotHeedIt_isRecordedWithItsReason() {
        CountDownLatch gate = new CountDownLatch(1);
        CountDownLatch running = new CountDownLatch(1);
        Policy deaf = (observation, step) -> {
            running.countDown();
            awaitUninterrupted(gate);
            return Turn.of("submit", "");
        };
        EndedSink sink = new EndedSink();
        try (Sinks sinks = Sinks.builder().add("ends", sink).build()) {
            Job job = new Job(List.of(episode(answering(1.0), deaf)), sinks, 1, null, null);
            new Thread(() -> {
                        awaitAll(running);
                        job.stop();
                    })
                    .start();

            assertThat(job.run()).extracting(EpisodeResult::outcome).containsExactly(Outcome.ABORTED);
            assertThat(job.leftBehind()).isEqualTo(1);
        } finally {
            gate.countDown();
        }
        assertThat(sink.ends)
                .singleElement()
                .satisfies(end -> assertThat(end.status().message()).isEqualTo("the job was stopped"));
    }

    private static void awaitUninterrupted(CountDownLatch latch) {
        boolean open = false;
        while (!open) {
            try {
                latch.await();
                open = true;
            } catch (InterruptedException e) {
                // heeds nothing
            }
        }
    }

    /** Of three runs the environment of one takes its time to be made and to start, that of another to fail. */
    @Test
    void environmentThatTakesItsTime_isASpanOfItsRun() {
        List<SpanRecorded> spans = new CopyOnWriteArrayList<>();
        List<StandaloneSpanRecorded> ofTheJob = new CopyOnWriteArrayList<>();
        Sink sink = new Sink() {
            @Override
            public void onSpanRecorded(SpanRecorded event) {
                spans.add(event);
            }

            @Override
            public void onStandaloneSpanRecorded(StandaloneSpanRecorded event) {
                ofTheJob.add(event);
            }
        };
        RunSpec slow = RunSpec.builder("test").maxSteps(3).build();
        RunSpec failing = RunSpec.builder("test").maxSteps(3).build();
        Environment slowToStart = new Environment() {
            @Override
            public String start() {
                last();
                return "what?";
            }

            @Override
            public Answer step(Action action, Step step) {
                return new Answer("", null, 1.0, 0, true);
            }
        };
        List<Rollout> rollouts = Stream.of(
                        new Episode(
                                slow,
                                () -> {
                                    last();
                                    return slowToStart;
                                },
                                () -> SUBMITS),
                        new Episode(
                                failing,
                                () -> {
                                    last();
                                    throw new IOException("no room");
                                },
                                () -> SUBMITS),
                        episode(answering(1.0), SUBMITS))
                .map(Rollout::of)
                .toList();
        try (Sinks sinks = Sinks.builder().add("spans", sink).build()) {
            JobLimits limits = new JobLimits(1, Duration.ofMinutes(1), null, 0, 3);
            JobSpan span = JobSpan.start(sinks, limits, 3, Map.of("rlm.invocation_id", "i"));
            Job job = new Job(RolloutSource.of(rollouts), sinks, span, limits);
            job.run();
            span.end(job.counts(), job.wasInterrupted(), job.wasStopped());
        }

        assertThat(spans)
                .allSatisfy(span -> assertThat(span.name()).isEqualTo("rlm.environment.start"))
                .allSatisfy(
                        span -> assertThat(span.nanos() - span.startNanos()).isGreaterThanOrEqualTo(LASTING.toNanos()))
                .extracting(span -> span.run().runId(), SpanRecorded::step, span -> String.valueOf(span.error()))
                .contains(tuple(slow.runId(), 0, "null"), tuple(failing.runId(), 0, "java.io.IOException: no room"));
        assertThat(spans)
                .filteredOn(span -> slow.runId().equals(span.run().runId()))
                .hasSize(2);
        assertThat(ofTheJob).extracting(StandaloneSpanRecorded::name).endsWith("rlm.job");
        assertThat(ofTheJob.get(ofTheJob.size() - 1).attributes())
                .containsEntry("rlm.job.max_failures", 3)
                .containsEntry("rlm.job.timeout", 60.0)
                .containsEntry("rlm.job.mean_reward", 1.0);
    }

    private static void last() {
        long until = System.nanoTime() + LASTING.toNanos();
        Awaitility.await().until(() -> System.nanoTime() > until);
    }

    /** Keeps how runs and steps end. */
    private static final class EndedSink implements Sink {
        private final List<RunEnded> ends = new CopyOnWriteArrayList<>();
        private final List<StepEnded> steps = new CopyOnWriteArrayList<>();

        @Override
        public void onRunEnded(RunEnded event) {
            ends.add(event);
        }

        @Override
        public void onStepEnded(StepEnded event) {
            steps.add(event);
        }
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

    @Tag("thorough")
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
        return answering(reward, true);
    }

    private static Environment answering(@Nullable Double reward, boolean done) {
        return new Environment() {
            @Override
            public String start() {
                return "";
            }

            @Override
            public Answer step(Action action, Step step) {
                return new Answer("", null, reward, 0, done);
            }
        };
    }
}
