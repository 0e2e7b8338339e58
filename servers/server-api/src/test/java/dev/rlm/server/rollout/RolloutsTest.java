package dev.rlm.server.rollout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rlm.journal.Journal;
import dev.rlm.journal.RunSummary;
import dev.rlm.journal.maintenance.RunDeletion;
import dev.rlm.json.Json;
import dev.rlm.server.http.Access;
import dev.rlm.server.http.RefusedException;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.event.RunStatus;
import dev.rlm.sinks.event.SpanRecorded;
import dev.rlm.sinks.jsonl.JsonlSink;
import dev.rlm.sinks.testkit.InMemorySink;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.eclipse.jetty.http.HttpFields;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Rollouts from their first call to their end, in one process and the next, and the ids by which they are called. */
@Timeout(60)
class RolloutsTest {
    private static final RolloutIds IDS = RolloutIds.of(Map.of("rollout_id", "r-1", "row_id", "7"));
    private static final Duration IDLE = Duration.ofHours(1);

    @TempDir
    private Path folder;

    private InMemorySink events;
    private Sinks sinks;
    private Rollouts rollouts;

    @BeforeEach
    void start() {
        events = new InMemorySink();
        Path journal = folder.resolve("journal");
        sinks = Sinks.builder()
                .add("jsonl", JsonlSink.builder().directory(journal).build())
                .add("events", events)
                .build();
        Map<String, String> variables = Map.of("RLM_JSONL_DIR", journal.toString(), "RLM_JOURNAL_INDEX", "none");
        rollouts = new Rollouts(sinks, SinkConfig.of(variables), List.of(), IDLE);
    }

    @AfterEach
    void stop() {
        rollouts.close();
        sinks.close();
    }

    private void restart() {
        stop();
        start();
    }

    private LiveRollout open(RolloutIds ids) {
        return rollouts.open(ids, "m", "count", Map.of());
    }

    private void call(LiveRollout rollout, boolean answered, String text) {
        assertThat(rollout.callStarted()).isTrue();
        rollout.run().startModelCall("openai", "m").reply(text).close();
        rollout.callEnded(answered, text);
    }

    private @Nullable Integer code(String job, String id) throws InterruptedException {
        sinks.flush(Duration.ofSeconds(20));
        RolloutState state = rollouts.states().get(job, id);
        return state == null ? null : state.code(Instant.now(), IDLE);
    }

    private static LogEntry line(String json) throws RefusedException {
        return LogEntry.of(Json.REPLY.object(json), Instant.now());
    }

    @Test
    void rollout_runsFromItsFirstCall_andEndsOnce() throws Exception {
        LiveRollout rollout = open(IDS);
        assertThat(code(Access.ALL, "r-1")).isNull();
        call(rollout, false, "");
        assertThat(code(Access.ALL, "r-1")).isEqualTo(RunStatus.RUNNING);
        assertThat(open(IDS)).isSameAs(rollout);

        assertThat(rollouts.end(IDS, new LiveRollout.Ending(RunStatus.FINISHED, "", 0.5, "stop")))
                .isTrue();
        assertThat(code(Access.ALL, "r-1")).isEqualTo(RunStatus.FINISHED);
        assertThat(rollouts.end(IDS, new LiveRollout.Ending(RunStatus.INTERNAL, "", null, null)))
                .isFalse();
        assertThat(rollout.callStarted()).isFalse();
        assertThat(events.only(RunEnded.class).outcome()).isEqualTo(Outcome.COMPLETED);
        assertThat(events.only(RunEnded.class).totalReward()).isEqualTo(0.5);
    }

    @Test
    void runOfARollout_endsAfterItsLastCall_thoughItsStateDoesSoAtOnce() throws Exception {
        LiveRollout rollout = open(IDS);
        assertThat(rollout.callStarted()).isTrue();
        rollouts.end(IDS, new LiveRollout.Ending(RunStatus.CANCELLED, "enough", null, null));
        assertThat(code(Access.ALL, "r-1")).isEqualTo(RunStatus.CANCELLED);
        assertThat(events.events(RunEnded.class)).isEmpty();

        rollout.callEnded(true, "late");
        sinks.flush(Duration.ofSeconds(20));
        assertThat(events.only(RunEnded.class).outcome()).isEqualTo(Outcome.ABORTED);
    }

    @Test
    void lines_areKept_andAFinalStatusEnds_andAfterItANewAttemptBegins() throws Exception {
        rollouts.log(IDS, line("{\"message\":\"one\",\"status\":{\"code\":101}}"));
        assertThat(code(Access.ALL, "r-1")).isEqualTo(RunStatus.RUNNING);
        rollouts.log(IDS, line("{\"message\":\"two\",\"status\":{\"code\":13,\"message\":\"broken\"}}"));
        assertThat(code(Access.ALL, "r-1")).isEqualTo(RunStatus.INTERNAL);
        rollouts.log(IDS, line("{\"message\":\"late\"}"));
        sinks.flush(Duration.ofSeconds(20));
        RolloutState ended = Objects.requireNonNull(rollouts.states().get(Access.ALL, "r-1"));
        assertThat(ended.entries(Instant.now(), IDLE))
                .extracting(entry -> entry.get("message"))
                .containsExactly("late", "two", "one");
        assertThat(events.only(RunEnded.class).outcome()).isEqualTo(Outcome.FAILED);

        open(IDS);
        sinks.flush(Duration.ofSeconds(20));
        assertThat(events.events(RunStarted.class))
                .extracting(start -> start.run().correlation().attempt())
                .containsExactly(1, 2);
        assertThatThrownBy(() -> line("{\"status\":{\"code\":\"13\"}}")).isInstanceOf(RefusedException.class);
        assertThatThrownBy(() -> line("{\"extras\":[]}")).isInstanceOf(RefusedException.class);
    }

    @Test
    void lines_thatSeveralTellAfterTheEnd_areAllInTheJournal() throws Exception {
        call(open(IDS), true, "1");
        rollouts.end(IDS, new LiveRollout.Ending(RunStatus.FINISHED, "", 0.5, "stop"));
        sinks.flush(Duration.ofSeconds(20));
        List<Integer> lines = IntStream.range(0, 1_100).boxed().toList();
        List<Thread> tellers = IntStream.range(0, 2)
                .mapToObj(teller -> new Thread(() -> lines.forEach(number -> late(teller + "/" + number))))
                .toList();
        tellers.forEach(Thread::start);
        for (Thread teller : tellers) {
            teller.join();
        }
        sinks.flush(Duration.ofSeconds(20));

        List<RunEvent> recorded = new ArrayList<>();
        Journal journal = Journal.open(folder.resolve("journal"));
        journal.read(journal.runs(), (run, all) -> recorded.addAll(all));
        assertThat(recorded)
                .filteredOn(SpanRecorded.class::isInstance)
                .extracting(span -> ((SpanRecorded) span).attributes().get("message"))
                .hasSize(2 * lines.size())
                .doesNotHaveDuplicates();
        assertThat(journal.runs()).singleElement().returns(0L, RunSummary::hiddenEvents);
    }

    private void late(String message) {
        try {
            rollouts.log(IDS, line("{\"message\":\"" + message + "\"}"));
        } catch (RefusedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void callsOfARunThatOthersRecord_areAPartOfIt_whereThatIsInTheJournal() throws Exception {
        Run run = sinks.startRun(
                RunSpec.builder("chat").runId("agent").rollout("r-1").build());
        String told = "{\"message\":\"on it\",\"status\":{\"code\":101},\"extras\":{\"rlm_run_id\":\"%s\"}}";
        rollouts.log(IDS, line(told.formatted("agent")));
        rollouts.log(RolloutIds.of(Map.of("rollout_id", "r-2")), line(told.formatted("elsewhere")));
        rollouts.log(RolloutIds.of(Map.of("rollout_id", "r-3")), line(told.formatted("agent")));
        call(open(IDS), true, "1");
        run.complete("1");
        sinks.flush(Duration.ofSeconds(20));

        Journal journal = Journal.open(folder.resolve("journal"));
        assertThat(journal.runs())
                .extracting(each -> each.row().run().correlation().rollout())
                .containsExactly("r-1", "r-2", "r-3");
        assertThat(journal.run("r-1").runId()).isEqualTo("agent");
        assertThat(journal.parts()).singleElement().satisfies(part -> {
            assertThat(part.steps()).isZero();
            assertThat(part.row().run().correlation().rollout()).isEqualTo("r-1");
            assertThat(journal.run(part.runId())).isSameAs(part);
            assertThat(journal.withParts(List.of(journal.run("r-1")))).hasSize(2);
            assertThat(RunDeletion.of(journal, List.of(journal.run("r-1"))).refused())
                    .hasSize(2);
        });
        assertThat(rollouts.end(IDS, new LiveRollout.Ending(RunStatus.FINISHED, "", 1.0, null)))
                .as("its end is for who records it")
                .isFalse();
    }

    @Test
    void jobs_haveRolloutsOfTheirOwn() throws Exception {
        RolloutIds one = new RolloutIds("one", IDS.values());
        RolloutIds two = new RolloutIds("two", IDS.values());
        call(open(one), true, "1");
        rollouts.end(one, new LiveRollout.Ending(RunStatus.FINISHED, "", null, null));
        call(open(two), true, "2");

        assertThat(code("one", "r-1")).isEqualTo(RunStatus.FINISHED);
        assertThat(code("two", "r-1")).isEqualTo(RunStatus.RUNNING);
        assertThat(code("three", "r-1")).isNull();
        assertThat(rollouts.states().recent("one")).hasSize(1);
        assertThat(rollouts.states().recent(Access.ALL)).hasSize(2);
    }

    @Test
    void nextProcess_knowsThem_andGoesOnWithThoseThatWereOpen() throws Exception {
        call(open(IDS), true, "3");
        RolloutIds other = RolloutIds.of(Map.of("rollout_id", "r-2"));
        call(open(other), true, "4");
        rollouts.end(other, new LiveRollout.Ending(RunStatus.FINISHED, "", null, null));
        restart();

        assertThat(code(Access.ALL, "r-2")).isEqualTo(RunStatus.FINISHED);
        assertThat(code(Access.ALL, "r-1")).isEqualTo(RunStatus.RUNNING);
        call(open(IDS), true, "5");
        sinks.flush(Duration.ofSeconds(20));
        RolloutState state = Objects.requireNonNull(rollouts.states().get(Access.ALL, "r-1"));
        assertThat(state.calls()).isEqualTo(2);
        assertThat(state.ids()).isEqualTo(IDS);
    }

    @Test
    void rolloutOfWhichNothingIsHeard_ends_asItsLastReplyTells() throws Exception {
        LiveRollout answered = open(IDS);
        call(answered, true, "3");
        LiveRollout asking = open(RolloutIds.of(Map.of("rollout_id", "r-2")));
        call(asking, false, "");
        assertThat(answered.endIfIdle(IDLE)).isFalse();
        assertThat(answered.callStarted()).isTrue();
        assertThat(answered.endIfIdle(Duration.ZERO)).isFalse();
        answered.callEnded(true, "3");

        assertThat(answered.endIfIdle(Duration.ZERO)).isTrue();
        assertThat(asking.endIfIdle(Duration.ZERO)).isTrue();
        assertThat(code(Access.ALL, "r-1")).isEqualTo(RunStatus.FINISHED);
        assertThat(code(Access.ALL, "r-2")).isEqualTo(RunStatus.CANCELLED);
    }

    @Test
    void path_tellsIds_theBaseOfTheModel_andWhatIsAskedFor() throws Exception {
        CallPath path =
                CallPath.of("/rollout_id/r%2F1//row_id/7/project_id/p/encoded_base_url/aHR0cA/v1/chat/completions/");
        assertThat(path.ids().values()).isEqualTo(Map.of("rollout_id", "r/1", "row_id", "7"));
        assertThat(path.baseUrl()).isEqualTo("aHR0cA");
        assertThat(path.rest()).isEqualTo("chat/completions/");
        assertThat(CallPath.of("/v1/models").rest()).isEqualTo("models");
        assertThat(CallPath.of("/rollout_id").rest()).isEqualTo("rollout_id");
        assertThatThrownBy(() -> CallPath.of("/row_id/%zz/x")).isInstanceOf(RefusedException.class);
    }

    @Test
    void headers_tellIds_whereThePathDoesNot() throws Exception {
        CallPath path = CallPath.of("/row_id/7/chat");
        HttpFields headers = HttpFields.build()
                .add("x-rlm-row-id", "8")
                .add("x-rlm-run-id", "t-1")
                .add("authorization", "Bearer rlm:rollout_id=r%201&run_id=t-2&other=x");
        CallPath all = path.with(headers, "job");
        assertThat(all.ids())
                .isEqualTo(new RolloutIds("job", Map.of("row_id", "7", "run_id", "t-1", "rollout_id", "r 1")));
        assertThat(CallPath.isName("bearer rlm:x")).isTrue();
        assertThat(List.of("rlm:x", "Bearer sk-rlm:", "Basic rlm:x")).noneMatch(CallPath::isName);
        for (String bad : List.of(" ", "x".repeat(1_025))) {
            assertThatThrownBy(() -> RolloutIds.of(Map.of("row_id", bad)).check())
                    .isInstanceOf(RefusedException.class);
        }
    }
}
