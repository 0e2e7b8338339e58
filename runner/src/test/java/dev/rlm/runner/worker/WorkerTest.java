package dev.rlm.runner.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rlm.cli.testkit.RunningCli;
import dev.rlm.cli.testkit.queue.TrainerQueue;
import dev.rlm.journal.Journal;
import dev.rlm.journal.RunSummary;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * {@code rlm worker} at the queue of agentlightning's own server, in the Python that {@code RLM_NEIGHBOURS_PYTHON} names, or of a double of it
 * where there is none.
 */
class WorkerTest {
    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final Duration CALL = Duration.ofSeconds(2);

    private final List<AutoCloseable> opened = new ArrayList<>();

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
        queue.goOn();
        for (AutoCloseable each : opened) {
            each.close();
        }
        queue.close();
    }

    private RunningCli worker(String name, String... more) throws IOException {
        RunningCli worker = RunningCli.start(folder.resolve(name), TrainerQueue.VARIABLES, queue.worker(more));
        opened.add(worker);
        return worker;
    }

    private RunningCli claiming(String name, String... more) throws IOException {
        RunningCli worker = worker(name, more);
        worker.await(() -> worker.err().contains("claiming rollouts"));
        return worker;
    }

    private List<RunSummary> runs(String name) {
        return Journal.open(folder.resolve(name).resolve(".rlm")).runs();
    }

    // ---- rollouts

    @Test
    void rollouts_areClaimedAndRun_andTheirRewardsTold() throws Exception {
        RunningCli worker = claiming("w");
        queue.enqueue("r-1", "{\"data_id\":0}");
        queue.enqueue("r-2", "{\"question\":\"wrong: What is 5*6?\"}");
        queue.enqueue("r-3", "\"What is 2*9?\"");
        queue.enqueue("r-4", "{\"data_id\":\"none\"}");
        queue.awaitState("r-1", "succeeded");
        queue.awaitState("r-2", "succeeded");
        queue.awaitState("r-3", "succeeded");
        queue.awaitState("r-4", "failed");

        assertThat(queue.reward("r-1")).isEqualTo(1.0);
        assertThat(queue.reward("r-2")).isEqualTo(0.0);
        assertThat(queue.message("r-4")).startsWith("it cannot be run: --env calc has no sample 'none'");
        assertThat(worker.stop()).isEqualTo(130);
        assertThat(worker.err()).contains("rollouts: 3 completed, 0 failed, 0 aborted");

        RunSummary first = run("w", "r-1");
        assertThat(first.totalReward()).isEqualTo(1.0);
        assertThat(first.run().params())
                .containsEntry("agent_lightning", queue.url())
                .containsEntry("batch_idx", 7)
                .containsEntry("agent_lightning_attempt", queue.attempt("r-1"));
        assertThat(first.run().correlation().split()).isEqualTo("train");
        assertThat(first.run().correlation().row()).isEqualTo("0");
    }

    private RunSummary run(String name, String rollout) {
        return runs(name).stream()
                .filter(run -> rollout.equals(run.run().correlation().rollout()))
                .findFirst()
                .orElseThrow();
    }

    @Tag("thorough")
    @Test
    void workers_shareAQueue() throws Exception {
        for (String name : List.of("one", "two")) {
            claiming(name, "--concurrency", "2");
        }
        List<String> all = IntStream.range(0, 40).mapToObj(i -> "r-" + i).toList();
        for (String rollout : all) {
            queue.enqueue(rollout, "{\"data_id\":0}");
        }
        for (String rollout : all) {
            queue.awaitState(rollout, "succeeded");
        }
        Map<String, Integer> times = new HashMap<>();
        for (String name : List.of("one", "two")) {
            runs(name)
                    .forEach(run -> times.merge(
                            Objects.requireNonNull(run.run().correlation().rollout()), 1, Integer::sum));
        }
        assertThat(times)
                .containsOnlyKeys(all)
                .allSatisfy((rollout, count) -> assertThat(count).isEqualTo(1));
    }

    @Test
    void inputThatIsNone_failsItsRolloutAlone() throws Exception {
        claiming("w");
        queue.enqueue("r-1", "{\"messages\":[\"hi\"]}");
        queue.post(
                "/api/rollouts",
                "[{\"rollout_id\":\"r-2\",\"input\":{\"data_id\":0},\"config\":{\"timeout_seconds\":9223372036854775807}}]");
        queue.enqueue("r-3", "{\"data_id\":3}");
        queue.awaitState("r-1", "failed");
        assertThat(queue.message("r-1")).startsWith("it cannot be run: messages is not valid");
        queue.awaitState("r-2", "succeeded");
        queue.awaitState("r-3", "succeeded");
    }

    /** One or two dots lead elsewhere in an address, however they are written. */
    @Test
    void rolloutWhoseIdNoAddressCanHave_isLeftOut_andTheOthersGoOn() throws Exception {
        claiming("w");
        queue.enqueue("..", "{\"data_id\":0}");
        queue.enqueue(".", "{\"data_id\":0}");
        queue.enqueue("r-1", "{\"data_id\":0}");
        queue.awaitState("r-1", "succeeded");
        assertThat(runs("w")).hasSize(1);
    }

    @Test
    void workersOfOneJournal_leaveEachOtherAlone() throws Exception {
        String journal = folder.resolve("shared").toString();
        for (String rollout : List.of("r-1", "r-2")) {
            claiming(rollout, "--journal", journal, "--concurrency", "1");
            queue.enqueue(rollout, "{\"data_id\":2}");
            queue.awaitState(rollout, "running");
        }
        claiming("third", "--journal", journal, "--concurrency", "1");
        queue.enqueue("r-3", "{\"data_id\":0}");
        queue.awaitState("r-3", "succeeded");
        assertThat(List.of(queue.state("r-1"), queue.state("r-2"))).containsOnly("running");
        queue.goOn();
        for (String rollout : List.of("r-1", "r-2")) {
            queue.awaitState(rollout, "succeeded");
            assertThat(queue.reward(rollout)).isEqualTo(1.0);
        }
    }

    @Tag("thorough")
    @Test
    void pausedProxy_isAskedAgainUntilItGoesOn() throws Exception {
        claiming("w", "--model-retries", "0", "--model-timeout", CALL.toSeconds() + "s");
        queue.post("/proxy/pause", "{\"retry_after_seconds\":1}");
        queue.enqueue("r-1", "{\"data_id\":0}");
        queue.awaitState("r-1", "running");
        await("it runs longer than a call may take")
                .during(CALL.plusMillis(500))
                .atMost(PATIENCE)
                .until(() -> queue.state("r-1").equals("running"));
        assertThat(queue.calls()).isZero();
        queue.post("/proxy/resume", "{}");
        queue.awaitState("r-1", "succeeded");
        assertThat(queue.reward("r-1")).isEqualTo(1.0);
    }

    @Test
    void rolloutThatTakesTooLong_hasFailed() throws Exception {
        claiming("w");
        queue.enqueue("r-1", "{\"data_id\":2}", 1);
        queue.awaitState("r-1", "failed");
        assertThat(queue.message("r-1")).contains("took longer than 1.0 s");
        assertThat(queue.reward("r-1")).isNull();
    }

    // ---- its end

    @Test
    void stoppedWorker_failsWhatItHolds() throws Exception {
        RunningCli worker = claiming("w", "--drain-timeout", "500ms");
        queue.enqueue("r-1", "{\"data_id\":2}");
        queue.awaitState("r-1", "running");
        await("the model is asked").atMost(PATIENCE).until(() -> queue.calls() == 1);
        worker.tellToStop();
        worker.await(() -> worker.err().contains("waiting for 1 rollout to end"));
        queue.enqueue("r-2", "{\"data_id\":0}");
        assertThat(worker.awaitExit()).isEqualTo(130);
        assertThat(queue.state("r-1")).isEqualTo("failed");
        assertThat(queue.message("r-1")).isEqualTo("the job was stopped");
        assertThat(worker.err()).contains("0 completed, 0 failed, 1 aborted");
        assertThat(queue.state("r-2")).isEqualTo("queuing");
    }

    // ---- bad input

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "ftp://x | --agent-lightning is not valid",
                "http://user:secret@localhost | --agent-lightning is not valid",
                "http://127.0.0.1:1 | --agent-lightning http://127.0.0.1:1 cannot be used"
            })
    void wrongAddress_isToldAtOnce(String address, String said) throws Exception {
        Stream<String> all = Stream.of(queue.worker()).map(each -> each.equals(queue.url()) ? address : each);
        RunningCli worker = RunningCli.start(folder, TrainerQueue.VARIABLES, all.toArray(String[]::new));
        opened.add(worker);
        assertThat(worker.awaitExit()).isEqualTo(2);
        assertThat(worker.err()).contains(said).doesNotContain("secret@");
    }

    @Test
    void wrongKey_isToldAtOnce() throws Exception {
        RunningCli worker = RunningCli.start(
                folder, Map.of("AGL_KEY", "wrong-secret"), "worker", "--agent-lightning", queue.url(), "--env", "chat");
        opened.add(worker);
        assertThat(worker.awaitExit()).isEqualTo(2);
        assertThat(worker.err()).contains("it does not know the key of AGL_KEY").doesNotContain("wrong-secret");
    }
}
