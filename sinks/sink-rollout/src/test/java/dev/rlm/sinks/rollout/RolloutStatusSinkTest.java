package dev.rlm.sinks.rollout;

import static dev.rlm.sinks.testkit.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rlm.sinks.Ledger;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkConfigException;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.event.Correlation;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a trainer's gateway gets, also where it is in trouble. */
@Timeout(60)
class RolloutStatusSinkTest {
    private static final Duration TIME = Duration.ofSeconds(20);
    private static final Pattern CODE = Pattern.compile("\"code\":(\\d+)");
    private static final String TOKEN = "t0ken-of-" + "the-gateway";

    @SuppressWarnings("NullAway.Init") // set before each test
    private LogServer gateway;

    @BeforeEach
    void start() throws IOException {
        gateway = new LogServer();
    }

    @AfterEach
    void stop() {
        gateway.close();
    }

    private Sinks hub(Duration giveUp) {
        RolloutGateway at = new RolloutGateway(gateway.url() + "/", TOKEN);
        return Sinks.builder()
                .add("x", new RolloutStatusSink(at, null, giveUp, true))
                .build();
    }

    private static RunSpec spec(String rollout) {
        return RunSpec.builder("env")
                .correlation(Correlation.builder().rollout(rollout).row("row-1").build())
                .build();
    }

    private static void run(Sinks sinks, String rollout) {
        try (Run run = sinks.startRun(spec(rollout))) {
            run.reward(0.5);
            run.complete("12");
        }
    }

    private List<Integer> codes() {
        return CODE.matcher(String.join("\n", gateway.taken()))
                .results()
                .map((MatchResult match) -> Integer.parseInt(match.group(1)))
                .toList();
    }

    private static Ledger ledger(Sinks sinks) {
        return sinks.statuses().get(0).ledger();
    }

    @Test
    void run_isToldAtItsStart_andAtItsEnd() {
        try (Sinks sinks = hub(TIME)) {
            run(sinks, "r-1");
            assertThat(sinks.flush(TIME).isComplete()).isTrue();
        }
        assertThat(codes()).endsWith(100);
        assertThat(gateway.taken().get(gateway.taken().size() - 1))
                .contains("\"program\":\"eval_protocol\"", "\"rollout_id:r-1\"", "\"row_id:row-1\"", "\"reward\":0.5")
                .contains("\"answer\":\"12\"", "\"termination_reason\":\"stop\"");
        assertThat(gateway.asked()).containsOnly("/logs");
        assertThat(gateway.keys()).containsOnly("Bearer " + TOKEN);
    }

    @Test
    void runThatTakesLong_isToldToLive_withoutAStatus() {
        RolloutGateway at = new RolloutGateway(gateway.url(), TOKEN);
        try (Sinks sinks = Sinks.builder()
                        .heartbeat(Duration.ofMillis(50))
                        .add("x", new RolloutStatusSink(at, null, TIME, true))
                        .build();
                Run run = sinks.startRun(spec("r-1"))) {
            run.startStep("").complete("");
            await().until(() -> gateway.taken().stream()
                    .anyMatch(log -> log.contains("\"steps\":1") && log.contains("\"status\":null")));
            run.complete("12");
            assertThat(sinks.flush(TIME).isComplete()).isTrue();
        }
        assertThat(codes()).containsExactly(101, 100);
        assertThat(gateway.taken())
                .filteredOn(log -> log.contains("\"status\":null"))
                .allSatisfy(log -> assertThat(log).contains("rollout_id:r-1", "\"steps\":", "rlm_run_id"));
    }

    @Test
    void runWithoutAReward_hasNoneInItsExtras() {
        try (Sinks sinks = hub(TIME);
                Run run = sinks.startRun(spec("r-1"))) {
            run.complete("12");
        }
        assertThat(gateway.taken()).last().asString().doesNotContain("\"reward\"");
    }

    @Test
    void runWithoutARollout_isNotTold() {
        try (Sinks sinks = hub(TIME);
                Run run = sinks.startRun(RunSpec.builder("env").build())) {
            run.complete("12");
        }
        assertThat(gateway.asked()).isEmpty();
    }

    @Tag("thorough")
    @ParameterizedTest
    @ValueSource(ints = {500, 502, 503, 408, LogServer.CUT})
    void trouble_thatPasses_losesNothing(int status) {
        AtomicInteger requests = new AtomicInteger();
        gateway.answers((path, body) -> requests.incrementAndGet() <= 3 ? status : 200);
        try (Sinks sinks = hub(TIME)) {
            run(sinks, "r-1");
            assertThat(sinks.flush(TIME).isComplete()).isTrue();
            assertThat(ledger(sinks).lost()).isZero();
        }
        assertThat(codes()).endsWith(100);
    }

    @ParameterizedTest
    @CsvSource({"400, export_http_400", "401, export_http_401"})
    void refusal_isCounted_andOthersAreTold(int status, String reason) {
        gateway.answers((path, body) -> body.contains("rollout_id:bad") ? status : 200);
        try (Sinks sinks = hub(TIME)) {
            run(sinks, "bad");
            run(sinks, "good");
            assertThat(sinks.flush(TIME).isComplete()).isFalse();
            assertThat(ledger(sinks).losses()).containsKey(reason);
        }
        assertThat(codes()).endsWith(100);
        assertThat(gateway.taken()).allMatch(log -> log.contains("rollout_id:good"));
    }

    @Test
    void gatewayThatKnowsNoLogs_isAskedBelowV1() {
        gateway.answers((path, body) -> path.equals("/v1/logs") ? 200 : 404);
        try (Sinks sinks = hub(TIME)) {
            run(sinks, "r-1");
            assertThat(sinks.flush(TIME).isComplete()).isTrue();
        }
        assertThat(codes()).endsWith(100);
        assertThat(gateway.asked()).contains("/logs", "/v1/logs");
    }

    @Test
    void startThatIsLate_isLeftOut_forTheEndIsTheNews() {
        gateway.answers((path, body) -> body.contains("\"code\":101") ? 503 : 200);
        try (Sinks sinks = hub(TIME)) {
            try (Run run = sinks.startRun(spec("r-1"))) {
                await().until(() -> !gateway.asked().isEmpty());
                run.complete("12");
            }
            assertThat(sinks.flush(TIME).isComplete()).isTrue();
            assertThat(ledger(sinks).lost()).isZero();
        }
        assertThat(codes()).containsExactly(100);
    }

    @Test
    void silentGateway_holdsNobodyUp_andEveryEventHasItsFate() {
        gateway.answers((path, body) -> LogServer.SILENT);
        Sinks sinks = hub(TIME);
        for (int i = 0; i < 100; i++) {
            run(sinks, "r-" + i);
        }
        sinks.close(Duration.ofSeconds(1));
        Ledger ledger = ledger(sinks);
        assertThat(ledger.offered()).isEqualTo(ledger.delivered() + ledger.lost() + ledger.queued());
        assertThat(ledger.lost() + ledger.queued()).isGreaterThanOrEqualTo(184); // 200 statuses, 16 in flight
    }

    @Test
    void deadGateway_isGivenUp_whenTheTimeIsOver() {
        gateway.close();
        try (Sinks sinks = hub(Duration.ofMillis(300))) {
            run(sinks, "r-1");
            assertThat(sinks.flush(TIME).isComplete()).isFalse();
            assertThat(ledger(sinks).lost())
                    .as("the end; the start too, unless the end came first")
                    .isBetween(1L, 2L);
            assertThat(sinks.statuses().get(0).detail()).contains("127.0.0.1").doesNotContain(TOKEN);
        }
    }

    @Test
    void runThatIsSilenced_saysNothingMore_alsoWhereItsStatusWaits() {
        AtomicInteger told = new AtomicInteger();
        RolloutGateways silenced = (run, code) -> told.get() == 0 ? new RolloutGateway(gateway.url(), null) : null;
        gateway.answers((path, body) -> 503);
        try (Sinks sinks = Sinks.builder()
                .add("x", new RolloutStatusSink(silenced, TIME, true))
                .build()) {
            run(sinks, "r-1");
            await().until(() -> !gateway.asked().isEmpty());
            told.incrementAndGet();
            gateway.answers((path, body) -> 200);
            assertThat(sinks.flush(TIME).isComplete()).isTrue();
        }
        assertThat(gateway.taken()).isEmpty();
    }

    @Test
    void sink_isMadeOfVariables() {
        Map<String, String> variables = Map.of(
                "RLM_ROLLOUT_STATUS_ENABLED", "true",
                "FW_TRACING_GATEWAY_BASE_URL", gateway.url(),
                "RLM_ROLLOUT_STATUS_TOKEN", TOKEN,
                "EP_ROLLOUT_ID", "of-the-process",
                "RLM_JSONL_ENABLED", "false");
        try (Sinks sinks = Sinks.builder().config(SinkConfig.of(variables)).build();
                Run run = sinks.startRun(RunSpec.builder("env").build())) {
            run.complete("12");
        }
        assertThat(gateway.taken()).last().asString().contains("\"rollout_id:of-the-process\"", "\"code\":100");
        assertThat(gateway.keys()).containsOnly("Bearer " + TOKEN);
    }

    @Test
    void variables_thatAreMissingOrWrong_areNamed() {
        assertThatThrownBy(() -> create(Map.of()))
                .isInstanceOf(SinkConfigException.class)
                .hasMessageContaining("RLM_ROLLOUT_STATUS_URL is not set");
        assertThatThrownBy(() -> create(Map.of("RLM_ROLLOUT_STATUS_URL", "http://me:pass@localhost")))
                .hasMessageContaining("RLM_ROLLOUT_STATUS_TOKEN")
                .hasMessageNotContaining("pass@");
        assertThatThrownBy(() ->
                        create(Map.of("RLM_ROLLOUT_STATUS_URL", "http://localhost", "RLM_ROLLOUT_STATUS_GIVE_UP", "0")))
                .hasMessageContaining("RLM_ROLLOUT_STATUS_GIVE_UP");
    }

    private static void create(Map<String, String> variables) {
        new RolloutStatusSinkProvider().create(SinkConfig.of(variables).sink(RolloutStatusSink.NAME));
    }
}
