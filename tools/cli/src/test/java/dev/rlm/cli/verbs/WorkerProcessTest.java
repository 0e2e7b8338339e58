package dev.rlm.cli.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rlm.cli.launcher.RlmProcess;
import dev.rlm.cli.testkit.queue.TrainerQueue;
import dev.rlm.journal.Journal;
import dev.rlm.journal.RunState;
import dev.rlm.journal.RunSummary;
import dev.rlm.sinks.event.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code rlm worker} that is killed, and what the next one makes of the rollouts that it had claimed. */
@Tag("thorough")
class WorkerProcessTest {
    private static final int KILLS = Integer.getInteger("rlm.test.kills", 8);
    private static final long SEED = Long.getLong("rlm.test.seed", 34);
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private final List<RlmProcess> started = new ArrayList<>();

    @TempDir
    private Path folder;

    @SuppressWarnings("NullAway.Init") // set before each test
    private TrainerQueue queue;

    @BeforeEach
    void start() throws Exception {
        queue = TrainerQueue.start(folder);
    }

    @AfterEach
    void stop() throws Exception {
        started.forEach(RlmProcess::close);
        queue.close();
    }

    private RlmProcess claiming(String name, String... more) throws IOException {
        Path home = Files.createDirectories(folder.resolve(name));
        RlmProcess rlm = RlmProcess.start(home, TrainerQueue.VARIABLES, queue.worker(more));
        started.add(rlm);
        rlm.await(() -> rlm.err().contains("claiming rollouts"));
        return rlm;
    }

    private List<RunSummary> runs(String name) {
        return Journal.open(folder.resolve(name).resolve(".rlm")).runs();
    }

    @Test
    void killedWorker_leavesNothingRunning() throws Exception {
        RlmProcess worker = claiming("w");
        queue.enqueue("r-1", "{\"data_id\":2}");
        await().atMost(PATIENCE).ignoreExceptions().until(() -> runs("w").size() == 1);
        worker.process().destroyForcibly().waitFor();
        claiming("other");
        queue.enqueue("r-2", "{\"data_id\":2}");
        queue.awaitState("r-2", "running");

        RlmProcess next = claiming("w");
        assertThat(queue.state("r-1")).isEqualTo("failed");
        assertThat(queue.message("r-1")).isEqualTo("the worker's process died");
        assertThat(next.err()).contains("rollout r-1, which an earlier process had claimed: failed");
        assertThat(queue.state("r-2")).isEqualTo("running"); // by the other
        await().atMost(PATIENCE).until(() -> runs("w").get(0).end() != null);
        assertThat(Objects.requireNonNull(runs("w").get(0).end()).outcome()).isEqualTo(Outcome.ABANDONED);
    }

    @Test
    void endThatTheServerDidNotTake_isToldByTheNextWorker() throws Exception {
        queue.close();
        queue = TrainerQueue.startDouble(folder);
        queue.takesEnds(false);
        RlmProcess worker = claiming("w");
        queue.enqueue("r-1", "{\"data_id\":0}");
        await().atMost(PATIENCE).ignoreExceptions().until(() -> runs("w").get(0).end() != null);
        await().atMost(PATIENCE).until(() -> !queue.rewards("r-1").isEmpty());
        worker.process().destroyForcibly().waitFor();
        assertThat(queue.state("r-1")).isEqualTo("running");
        queue.takesEnds(true);
        claiming("w");
        assertThat(queue.state("r-1")).isEqualTo("succeeded");
        assertThat(queue.rewards("r-1")).containsExactly(1.0);
    }

    @Test
    void workersThatAreKilledAtAnyMoment_leaveNoRollout_andTellWhatTheJournalsHave() throws Exception {
        Random random = new Random(SEED);
        List<String> names = List.of("one", "two");
        Map<String, RlmProcess> workers = new HashMap<>();
        for (String name : names) {
            workers.put(name, claiming(name, "--concurrency", "4"));
        }
        List<String> all = new ArrayList<>();
        for (int kill = 0; kill < KILLS; kill++) {
            for (int i = 0; i < 20; i++) {
                all.add("r-" + all.size());
                queue.enqueue(all.get(all.size() - 1), "{\"data_id\":4}");
            }
            int lifetime = random.nextInt(1_500);
            String victim = names.get(random.nextInt(names.size()));
            Process process = Objects.requireNonNull(workers.get(victim)).process();
            assertThat(process.waitFor(lifetime, TimeUnit.MILLISECONDS))
                    .as("it dies by itself")
                    .isFalse();
            process.destroyForcibly().waitFor();
            workers.put(victim, claiming(victim, "--concurrency", "4"));
        }
        Map<String, Long> states = new TreeMap<>();
        for (String rollout : all) {
            await().atMost(PATIENCE).until(() -> queue.isOver(rollout));
            states.merge(queue.state(rollout), 1L, Long::sum);
        }
        for (RlmProcess worker : workers.values()) {
            worker.signal("TERM");
            assertThat(worker.process().waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .isTrue();
        }
        System.out.println("seed " + SEED + ", " + KILLS + " kills: " + states);

        Map<String, RunSummary> runs = new HashMap<>();
        for (String name : names) {
            runs(name)
                    .forEach(run -> assertThat(runs.put(
                                    Objects.requireNonNull(
                                            run.run().correlation().rollout()),
                                    run))
                            .as("%s", run)
                            .isNull());
        }
        for (String rollout : all) {
            RunSummary run = runs.get(rollout);
            boolean completed = run != null && run.state() == RunState.COMPLETED;
            assertThat(queue.state(rollout)).as(rollout).isEqualTo(completed ? "succeeded" : "failed");
            assertThat(queue.reward(rollout)).as(rollout).isEqualTo(completed ? 1.0 : null);
            if (!completed) {
                assertThat(queue.message(rollout)).isEqualTo("the worker's process died");
            }
        }
        assertThat(states).containsKey("succeeded");
    }
}
