package dev.rlm.cli.deploy;

import static java.util.stream.Collectors.toMap;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.event.ToolCalled;
import dev.rlm.sinks.otel.backend.PrometheusExemplar;
import dev.rlm.sinks.otel.backend.PrometheusSeries;
import dev.rlm.sinks.otel.backend.PrometheusServer;
import dev.rlm.sinks.otel.backend.TempoFound;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Every query of the dashboards, as it stands in their files, executed after a known load by the servers that
 * {@code deploy/grafana} starts, and held against the journal.
 */
@Tag("thorough")
@DisabledOnOs(OS.WINDOWS)
@ParameterizedClass
@EnumSource
class DashboardTest {
    private static final Duration INTERVAL = Duration.ofSeconds(15);
    private static final int MANY = 1_000;

    @TempDir
    private static Path folder;

    /** The long ones run while the others are looked at. */
    private static final Map<LoadKind, Load> LOADS = new EnumMap<>(LoadKind.class);

    @Parameter
    @SuppressWarnings("NullAway.Init")
    private LoadKind kind;

    @BeforeAll
    static void startLongOnes() throws IOException {
        for (LoadKind kind : LoadKind.values()) {
            if (kind.isLong()) {
                LOADS.put(kind, kind.start(folder));
            }
        }
    }

    @BeforeParameterizedClassInvocation
    static void start(LoadKind kind) throws IOException, InterruptedException {
        if (!kind.isLong()) {
            LOADS.put(kind, kind.start(folder));
        }
        Objects.requireNonNull(LOADS.get(kind)).awaitEnd();
    }

    @AfterParameterizedClassInvocation
    static void stop(LoadKind kind) {
        Objects.requireNonNull(LOADS.remove(kind)).close();
    }

    @AfterAll
    static void stopAll() {
        LOADS.values().forEach(Load::close);
    }

    @Test
    void metrics_areTheJournalsFigures() {
        ExpectedFigures expected = new ExpectedFigures(load().figures(), this::buckets);
        SoftAssertions softly = new SoftAssertions();
        for (DashboardQuery query : DashboardQuery.all("prometheus")) {
            Map<Map<String, String>, Bounds> figures = expected.of(query.name());
            List<PrometheusSeries> shown = shown(query);
            softly.assertThat(shown)
                    .as(query.name())
                    .extracting(PrometheusSeries::labels)
                    .containsExactlyInAnyOrderElementsOf(figures.keySet());
            for (PrometheusSeries series : shown) {
                Bounds bounds = figures.getOrDefault(series.labels(), Bounds.NOTHING);
                softly.assertThat(figures(query, series))
                        .as("%s %s: %s", query.name(), series.labels(), bounds)
                        .allMatch(bounds::contain);
            }
        }
        softly.assertAll();
    }

    private List<PrometheusSeries> shown(DashboardQuery query) {
        PrometheusServer prometheus = load().stack().prometheus();
        String text = query.text(load().range(), INTERVAL);
        return query.isRange()
                ? prometheus.range(
                        text, aligned(load().start()), aligned(load().end().plus(INTERVAL)), INTERVAL)
                : prometheus.query(text, load().end());
    }

    /** Grafana lets ranges begin and end at multiples of the interval. */
    private static Instant aligned(Instant time) {
        return Instant.ofEpochSecond(time.getEpochSecond() / INTERVAL.toSeconds() * INTERVAL.toSeconds());
    }

    private static List<Double> figures(DashboardQuery query, PrometheusSeries series) {
        List<Double> values =
                series.samples().stream().map(PrometheusSeries.Sample::value).toList();
        return query.isSum()
                ? List.of(values.stream().mapToDouble(Double::doubleValue).sum())
                : values;
    }

    private List<Double> buckets(String histogram) {
        String query = "count by (le) (last_over_time(" + histogram + "_bucket[1h]))";
        return load().stack().prometheus().query(query).stream()
                .map(series -> Objects.requireNonNull(series.labels().get("le")))
                .filter(bound -> !bound.equals("+Inf"))
                .map(Double::valueOf)
                .sorted()
                .toList();
    }

    @Test
    void everyRunsEnd_passesTheCollectorAsALogRecord() {
        assertThat(load().stack().logs())
                .extracting(log -> log.attributes().get("rlm.run_id"))
                .containsExactlyInAnyOrderElementsOf(load().figures()
                        .all(RunEnded.class)
                        .map(end -> (Object) end.run().runId())
                        .toList());
    }

    @Test
    void rangeCutInTwo_addsUp() {
        Duration range = load().range();
        Duration later = Duration.ofSeconds(range.toSeconds() / 3);
        for (DashboardQuery query : DashboardQuery.all("prometheus")) {
            if (!query.isRange() && query.isTotal()) {
                Map<Map<String, String>, Double> parts = new HashMap<>(at(query, load().end(), later));
                at(query, load().end().minus(later), range.minus(later))
                        .forEach((labels, value) -> parts.merge(labels, value, Double::sum));
                at(query, load().end(), range)
                        .forEach((labels, value) -> assertThat(parts.getOrDefault(labels, 0.0))
                                .as("%s %s", query.name(), labels)
                                .matches(Bounds.exactly(value)::contain));
            }
        }
    }

    private Map<Map<String, String>, Double> at(DashboardQuery query, Instant end, Duration range) {
        return load().stack().prometheus().query(query.text(range, INTERVAL), end).stream()
                .collect(toMap(PrometheusSeries::labels, PrometheusSeries::value));
    }

    @Test
    void activeRuns_areThoseThatHadStartedAndNotEnded() {
        if (!kind.isAlone()) {
            return; // each process counts its own
        }
        Duration lag = Duration.ofMillis(500);
        String query = "rlm_runs_active[" + load().range().toSeconds() + "s]";
        for (PrometheusSeries series : load().stack().prometheus().query(query, load().end())) {
            String environment = Objects.requireNonNull(series.labels().get("environment"));
            for (PrometheusSeries.Sample sample : series.samples()) {
                Instant time = Instant.ofEpochMilli(Math.round(1_000 * sample.seconds()));
                assertThat((long) sample.value())
                        .isBetween(
                                count(RunStarted.class, environment, time.minus(lag))
                                        - count(RunEnded.class, environment, time),
                                count(RunStarted.class, environment, time)
                                        - count(RunEnded.class, environment, time.minus(lag)));
            }
        }
    }

    private <E extends RunEvent> long count(Class<E> type, String environment, Instant by) {
        return load().figures()
                .all(type)
                .filter(event -> event.run().environment().equals(environment))
                .filter(event -> !event.run().at(event.nanos()).isAfter(by))
                .count();
    }

    @Test
    void searches_findTheJournalsRuns() {
        ExpectedTraces expected = new ExpectedTraces(load().figures());
        SoftAssertions softly = new SoftAssertions();
        for (DashboardQuery query : DashboardQuery.all("tempo")) {
            Set<String> traces = expected.of(query.name());
            String text = query.text(load().range(), INTERVAL);
            softly.assertThat(found(text, MANY)).as(query.name()).isEqualTo(traces);
            softly.assertThat(found(text, query.limit()))
                    .as(query.name())
                    .isSubsetOf(traces)
                    .hasSize(Math.min(query.limit(), traces.size()));
        }
        softly.assertAll();
    }

    @Test
    void failedToolCalls_tellTheirArgumentsAndErrors() {
        DashboardQuery query = DashboardQuery.all("tempo").stream()
                .filter(each -> each.name().equals("runs: Failed tool calls, latest"))
                .findFirst()
                .orElseThrow();
        Set<String> errors = load().figures()
                .all(ToolCalled.class)
                .filter(ToolCalled::failed)
                .map(call -> Objects.requireNonNull(call.error()).text())
                .collect(toSet());
        assertThat(errors).isNotEmpty();
        assertThat(load().search(query.text(load().range(), INTERVAL), query.limit()))
                .flatExtracting(TempoFound::spans)
                .isNotEmpty()
                .allSatisfy(span -> {
                    assertThat(span.attributes()).containsKeys("gen_ai.tool.name", "gen_ai.tool.call.arguments");
                    assertThat(span.attributes().get("statusMessage")).isIn(errors);
                });
    }

    private Set<String> found(String traceQl, int limit) {
        return load().search(traceQl, limit).stream().map(TempoFound::traceId).collect(toSet());
    }

    @Test
    void examples_leadToTheRunsThatGotTheReward() {
        for (DashboardQuery query : DashboardQuery.all("prometheus")) {
            if (query.hasExemplars()) {
                String text = query.text(load().range(), INTERVAL);
                List<PrometheusExemplar> examples =
                        load().stack().prometheus().exemplars(text, load().start(), load().end());
                assertThat(examples).as(query.name()).anyMatch(example -> example.value() < 0);
                examples.forEach(this::leadsToItsRun);
            }
        }
    }

    private void leadsToItsRun(PrometheusExemplar example) {
        assertThat(load().stack().tempo().trace(example.traceId())).isNotEmpty();
        assertThat(load().figures().traces(RewardGiven.class, reward -> reward.value() == example.value()))
                .contains(example.traceId());
    }

    private Load load() {
        return Objects.requireNonNull(LOADS.get(kind));
    }
}
