package dev.rlm.engine.spark;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.rlm.journal.Journal;
import dev.rlm.sinks.event.EventType;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.otel.backend.JaegerServer;
import dev.rlm.sinks.otel.backend.JaegerSpan;
import dev.rlm.sinks.otel.backend.JaegerTrace;
import dev.rlm.sinks.testkit.FreePort;
import dev.rlm.sinks.testkit.Waiting;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Jobs on real clusters, whose processes die: each episode is accepted once, and comes to what it comes to in one process. */
@Tag("thorough")
class EngineTest {
    private static final int KILLS = Integer.getInteger("rlm.spark.kills", 4); // of each kind
    private static final int MOST = 4; // of a job: an episode that is lost three times is given up, whoever is at fault
    private static final long SEED = Long.getLong("rlm.spark.seed", 35);
    private static final List<String> JOB = List.of("--samples", "10", "--rollouts", "4", "--latency", "50ms");

    @TempDir
    private static Path shared;

    @TempDir
    private Path folder;

    private Path journal = Path.of(""); // of the job

    @BeforeEach
    void chooseJournal() {
        journal = folder.resolve("journal");
    }

    private static @Nullable StandaloneCluster cluster;

    @BeforeAll
    static void startCluster() throws Exception {
        SparkFolders.assumeBuilt();
        cluster = new StandaloneCluster(shared, 2, 8);
    }

    @AfterAll
    static void stopCluster() {
        if (cluster != null) {
            cluster.close();
        }
    }

    private static StandaloneCluster cluster() {
        return Objects.requireNonNull(cluster);
    }

    private Started run(Map<String, String> variables, List<String> options, String... more) throws Exception {
        List<String> command = new ArrayList<>(SparkFolders.program());
        command.add("run");
        command.addAll(options);
        command.addAll(List.of(more));
        Map<String, String> all = new HashMap<>(variables);
        all.putIfAbsent("RLM_JSONL_DIR", journal.toString());
        return Started.start(folder, all, command);
    }

    private Started submit(List<String> options, String... more) throws Exception {
        return run(Map.of(), onCluster(options), more);
    }

    private static List<String> onCluster(List<String> options) {
        return Stream.concat(
                        options.stream(),
                        Stream.of(
                                "--engine",
                                "spark",
                                "--master",
                                cluster().url(),
                                "--conf",
                                "spark.executor.memory=512m",
                                "--conf",
                                "spark.executor.extraJavaOptions=" + String.join(" ", SparkFolders.SHORT),
                                "--conf",
                                "spark.executor.heartbeatInterval=1s",
                                "--conf",
                                "spark.network.timeout=8s"))
                .toList();
    }

    private int runs() {
        return Journal.isAt(journal) ? Journal.open(journal).runs().size() : 0;
    }

    /** Waits until runs have begun. */
    private void awaitRuns(Started job) throws Exception {
        awaitRuns(job, 1);
        assertThat(job.isAlive()).as(job.err()).isTrue();
    }

    /** Waits until so many more runs have begun, or the job has ended. */
    private void awaitRuns(Started job, int more) {
        int before = runs();
        Waiting.await()
                .atMost(Started.LONGEST)
                .alias(more + " more runs than " + before)
                .pollInterval(Duration.ofMillis(100))
                .until(this::runs, now -> now >= before + more || !job.isAlive());
    }

    private JobRecord record() {
        return JobRecord.of(journal);
    }

    private JobRecord embedded(List<String> options) throws Exception {
        Path here = folder.resolve("embedded");
        try (Started job = run(Map.of("RLM_JSONL_DIR", here.toString()), options)) {
            assertThat(job.awaitEnd()).as(job.err()).isZero();
        }
        return JobRecord.of(here);
    }

    @ParameterizedTest
    @ValueSource(strings = {"local-cluster[2,4,640]", "standalone"})
    void job_comesToWhatItComesToInOneProcess(String master) throws Exception {
        List<String> options = master.equals("standalone")
                ? onCluster(JOB)
                : Stream.concat(
                                JOB.stream(),
                                Stream.of(
                                        "--engine",
                                        "spark",
                                        "--master",
                                        master,
                                        "--conf",
                                        "spark.executor.memory=512m"))
                        .toList();
        try (Started spark = run(Map.of(), options)) {
            assertThat(spark.awaitEnd()).as(spark.err()).isZero();
            assertThat(spark.out()).contains("completed").contains("pass@1");
        }
        record().hasResultsOf(embedded(JOB));
        assertThat(record().ended(Outcome.ABANDONED)).isZero();
    }

    @Tag("smoke")
    @Test
    void failedEpisodes_areTriedAgainWhereTheyRun() throws Exception {
        List<String> job = List.of("--samples", "10", "--rollouts", "4", "--error-rate", "0.4", "--retries", "2");
        try (Started spark = submit(job)) {
            assertThat(spark.awaitEnd()).as(spark.err()).isZero();
        }
        assertThat(record().results()).isEqualTo(embedded(job).results());
        record().everyRunIsInTheTraceOfItsEpisode();
    }

    @Test
    void killedExecutors_loseNoEpisode() throws Exception {
        String said = survive(random -> cluster().killExecutor(random));
        assertThat(said).contains("is lost, and its episodes run again");
    }

    /** Asserts that jobs lose nothing while something is done to their cluster again and again. Returns what they said. */
    private String survive(Kill kill) throws Exception {
        List<String> options = List.of("--samples", "30", "--rollouts", "4", "--latency", "100ms");
        JobRecord expected = embedded(options);
        StringBuilder said = new StringBuilder();
        killJobs((random, allowed) -> {
            int kills = 0;
            try (Started spark = submit(options)) {
                awaitRuns(spark);
                while (kills < allowed && spark.isAlive()) {
                    awaitRuns(spark, 1 + random.nextInt(20));
                    kills += kill.did(random) ? 1 : 0;
                }
                assertThat(spark.awaitEnd()).as(spark.err()).isZero();
                said.append(spark.err());
            }
            record().hasResultsOf(expected);
            return kills;
        });
        return said.toString();
    }

    /** Runs jobs, each with a journal of its own, until as many kills are done as are asked for. */
    private void killJobs(KilledJob job) throws Exception {
        Random random = new Random(SEED);
        int kills = 0;
        for (int number = 1; kills < KILLS; number++) {
            journal = folder.resolve("journal-" + number);
            kills += job.run(random, Math.min(MOST, KILLS - kills));
        }
    }

    /** Job that survives kills. Returns how many there were. */
    @FunctionalInterface
    private interface KilledJob {
        int run(Random random, int allowed) throws Exception;
    }

    /** Kills something. Returns whether it was there. */
    @FunctionalInterface
    private interface Kill {
        boolean did(Random random) throws Exception;
    }

    /** The hub of an executor is the one that the job's variables make. */
    @Test
    void variablesOfHubs_reachExecutors() throws Exception {
        List<String> job = List.of("--samples", "2", "--rollouts", "1", "--latency", "900ms");
        try (Started spark = run(Map.of("RLM_HEARTBEAT", "1s"), onCluster(job))) {
            assertThat(spark.awaitEnd()).as(spark.err()).isZero();
        }
        Journal recorded = Journal.open(journal);
        assertThat(recorded.runs())
                .hasSize(2)
                .allSatisfy(run -> assertThat(recorded.events(run.runId()))
                        .anyMatch(event -> event.type() == EventType.HEARTBEAT));
    }

    @Test
    void keysOfModels_reachExecutors() throws Exception {
        List<String> keys = new CopyOnWriteArrayList<>(); // of calls, which executors make
        HttpServer model = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        model.createContext("/", exchange -> {
            if (exchange.getRequestURI().getPath().endsWith("/chat/completions")) {
                keys.add(exchange.getRequestHeaders().getFirst("Authorization"));
            }
            exchange.sendResponseHeaders(400, -1);
            exchange.close();
        });
        model.start();
        String url = "http://127.0.0.1:" + model.getAddress().getPort() + "/v1";
        List<String> job =
                List.of("--samples", "1", "--rollouts", "1", "--policy", "openai", "--model", "m", "--base-url", url);
        try (Started spark = run(Map.of("OPENAI_API_KEY", "key-of-the-test"), onCluster(job))) {
            spark.awaitEnd();
            assertThat(keys).as(spark.err()).isNotEmpty().allMatch("Bearer key-of-the-test"::equals);
        } finally {
            model.stop(0);
        }
    }

    /** A person sees in Jaeger what became of episodes whose first process died. */
    @Test
    void attemptsOfAnEpisode_areOneTrace() throws Exception {
        List<String> job = List.of("--samples", "10", "--rollouts", "2", "--latency", "200ms");
        try (JaegerServer jaeger = JaegerServer.start()) {
            Map<String, String> traced =
                    Map.of("RLM_OTEL_ENABLED", "true", "OTEL_EXPORTER_OTLP_ENDPOINT", jaeger.httpEndpoint());
            try (Started spark = run(traced, onCluster(job))) {
                awaitRuns(spark);
                assertThat(cluster().killExecutor(new Random(SEED))).isTrue();
                assertThat(spark.awaitEnd()).as(spark.err()).isZero();
            }
            List<JaegerTrace> traces = jaeger.awaitTraces("rlm", 21); // and that of the job
            List<JaegerTrace> episodes = traces.stream()
                    .filter(trace -> trace.spans("rlm.job").isEmpty())
                    .toList();
            assertThat(episodes).hasSize(20).allSatisfy(trace -> {
                JaegerSpan episode = trace.spans("rlm.episode").get(0);
                assertThat(trace.warnings()).isEmpty();
                assertThat(trace.spans("rlm.run"))
                        .hasSizeBetween(1, 1 + lost(episode)) // one may die before its start was told
                        .allMatch(run -> run.parentId().equals(episode.spanId()));
            });
            assertThat(episodes).anyMatch(trace -> trace.spans("rlm.run").size() == 2);
        }
    }

    private static int lost(JaegerSpan episode) {
        return ((Number) Objects.requireNonNull(episode.tags().get("rlm.episode.lost"))).intValue();
    }

    @Test
    void killedWorkers_loseNoEpisode() throws Exception {
        survive(random -> {
            cluster().replaceWorker(random);
            return true;
        });
    }

    @Test
    void killedDriver_isGoneOnWith_withoutWhatWasAccepted() throws Exception {
        List<String> options = List.of("--samples", "20", "--rollouts", "4", "--latency", "200ms");
        JobRecord expected = embedded(options);
        killJobs((random, allowed) -> {
            int kills = Math.min(2, allowed); // more would leave nothing to go on with
            for (int kill = 0; kill < kills; kill++) {
                try (Started spark = kill == 0 ? submit(options) : submit(options, "--resume")) {
                    awaitRuns(spark, 1 + random.nextInt(30)); // of 80
                    spark.signal("KILL");
                    spark.awaitEnd();
                }
            }
            try (Started last = submit(options, "--resume")) {
                assertThat(last.awaitEnd()).as(last.err()).isZero();
                assertThat(last.err()).contains("resumed: ");
            }
            assertThat(record().results()).isEqualTo(expected.results());
            return kills;
        });
    }

    /** Its episodes run elsewhere; what it says when it thaws changes nothing. */
    @Test
    void frozenExecutor_isReplaced_andItsLateResultsDoNotCount() throws Exception {
        List<String> job = List.of("--samples", "20", "--rollouts", "4", "--latency", "200ms");
        try (Started spark = submit(job)) {
            awaitRuns(spark);
            ProcessHandle frozen = cluster().executors().get(0);
            Started.signal(frozen, "STOP");
            try {
                spark.awaitText("is lost, and its episodes run again");
            } finally {
                Started.signal(frozen, "CONT");
            }
            assertThat(spark.awaitEnd()).as(spark.err()).isZero();
        }
        assertThat(record().results().keySet()).hasSize(80);
        assertThat(record().accepted()).hasSize(80);
        record().everyRunIsInTheTraceOfItsEpisode();
    }

    /** An episode that ends its process is given up after three attempts, and its neighbours are not. */
    @Test
    void poison_isLost_andItsNeighboursAreNot() throws Exception {
        String poison = "[ \"$RLM_SAMPLE_ID\" != calc-1-3 ] || { sleep 0.3; kill -9 $PPID; }; sleep 0.5; echo 42";
        List<String> job = List.of(
                "--samples",
                "24",
                "--rollouts",
                "1",
                "--policy",
                "exec",
                "--set",
                "exec.whole=true",
                "--set",
                "exec.command=" + poison);
        try (Started spark = submit(job)) {
            assertThat(spark.awaitEnd()).as(spark.err() + spark.out()).isZero();
            assertThat(spark.out()).contains("each of 3 attempts was lost with its process");
        }
        assertThat(record().results()).hasSize(24);
        assertThat(record().ended(Outcome.FAILED)).isEqualTo(1);
        assertThat(record().ended(Outcome.COMPLETED)).isEqualTo(23);
    }

    @Test
    void interruptedJob_abortsItsRuns_andIsGoneOnWith() throws Exception {
        List<String> job = List.of("--samples", "20", "--rollouts", "4", "--latency", "300ms");
        try (Started spark = submit(job)) {
            awaitRuns(spark, 8);
            spark.signal("INT");
            assertThat(spark.awaitEnd()).as(spark.err()).isEqualTo(130);
            assertThat(spark.err()).contains("to go on: ");
        }
        assertThat(record().runs())
                .allSatisfy(run -> assertThat(run.row().end()).isNotNull());
        assertThat(record().ended(Outcome.ABORTED)).isPositive();
        try (Started again = submit(job, "--resume")) {
            assertThat(again.awaitEnd()).as(again.err()).isZero();
        }
        assertThat(record().runs().stream().filter(run -> JobRecord.outcome(run) != Outcome.ABORTED))
                .hasSize(80);
    }

    /** Events wait at the executors until the collector is there again; a run that it could not see through runs once more. */
    @Test
    void killedCollector_losesNoEpisode() throws Exception {
        List<String> job = List.of("--samples", "20", "--rollouts", "4", "--latency", "150ms", "--sink", "record");
        JobRecord expected = embedded(job.subList(0, 6));
        int port = FreePort.find();
        Map<String, String> there =
                Map.of("RLM_RECORD_URL", "http://127.0.0.1:" + port, "RLM_RECORD_TOKEN", "a-token-of-the-test");
        killJobs((random, allowed) -> {
            int kills = 0;
            Started collector = collector(port);
            try (Started spark = run(there, onCluster(job))) {
                awaitRuns(spark);
                for (; kills < allowed && spark.isAlive(); kills++) {
                    awaitRuns(spark, 1 + random.nextInt(15));
                    collector.signal("KILL");
                    collector.awaitEnd();
                    collector = collector(port);
                }
                assertThat(spark.awaitEnd()).as(spark.err() + collector.err()).isZero();
            } finally {
                collector.signal("TERM");
                collector.awaitEnd();
                collector.close();
            }
            record().hasResultsOf(expected);
            return kills;
        });
    }

    private Started collector(int port) throws Exception {
        List<String> command = new ArrayList<>(SparkFolders.program());
        command.addAll(List.of("collect", "--port", "" + port, "--grpc-port", "0"));
        Started collector = Started.start(
                folder,
                Map.of("RLM_COLLECT_TOKEN", "a-token-of-the-test", "RLM_JSONL_DIR", journal.toString()),
                command);
        collector.awaitText("listening on");
        return collector;
    }

    @Test
    void dataSetThatExecutorsDoNotHave_isAnErrorThatTellsSo() throws Exception {
        Path problems = folder.resolve("problems.jsonl");
        Files.writeString(
                problems, "{\"question\": \"What is 1 + 1?\", \"answer\": \"1 + 1 = <<1+1=2>>2\\n#### 2\"}\n");
        List<String> job = List.of("--dataset", "problems.jsonl"); // whose place is another one where executors work
        try (Started spark = submit(job)) {
            assertThat(spark.awaitEnd()).isEqualTo(2);
            assertThat(spark.err()).contains("cannot run episodes").contains("problems.jsonl");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"http://host", "local-cluster", ""})
    void wrongMaster_isAnErrorThatTellsWhatIsAllowed(String master) throws Exception {
        try (Started spark = run(Map.of(), List.of("--engine", "spark", "--master", master))) {
            assertThat(spark.awaitEnd()).isEqualTo(2);
            assertThat(spark.err()).contains("expected spark://HOST:PORT");
        }
    }
}
