package dev.rlm.runs.exchange.tables;

import static org.assertj.core.api.Assertions.assertThat;

import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.NamedCsvRecord;
import dev.rlm.cli.testkit.Cli;
import dev.rlm.journal.JournalJson;
import dev.rlm.runs.SmallHeap;
import dev.rlm.runs.exchange.Exchange;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.ToolCalled;
import dev.rlm.sinks.testkit.Events;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What DuckDB reads from the tables that {@code rlm export --format parquet} writes. */
@Timeout(300)
class ParquetExportTest {
    private static final JsonMapper JSON = new JsonMapper();
    private static final List<String> TABLES = List.of("runs", "steps", "rewards", "model_calls", "tool_calls");
    private static final String TEXT = "a \"b\",\r\n;=1+1 \ud83d\ude00 \u0000 \u00e9 \u4e2d";

    @TempDir
    private Path folder;

    private Exchange exchange;
    private Connection duckdb;

    @BeforeEach
    void chooseJournal() throws SQLException {
        exchange = new Exchange(folder.resolve("journal"));
        duckdb = DriverManager.getConnection("jdbc:duckdb:");
    }

    @AfterEach
    void closeDuckdb() throws SQLException {
        duckdb.close();
    }

    @Test
    void tables_areForTheirOwnerAlone_andStayUnlessForced() throws Exception {
        exchange.recordJob(5, 2);
        Cli told = export();
        assertThat(told.out()).startsWith("written  10 runs, ").contains(": " + folder.resolve("tables"));
        for (String table : TABLES) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file(table))))
                    .isEqualTo("rw-------");
        }
        assertThat(exchange.export("parquet", folder.resolve("tables")).err())
                .contains("runs.parquet is there already: --force replaces it");
        assertThat(exchange.export("parquet", folder.resolve("tables"), "--force", "--limit", "1")
                        .exitCode())
                .isZero();
        assertThat(rows("SELECT * FROM " + from("runs"))).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"runs", "steps"})
    void runsAndSteps_haveColumnsAndValues_asInCsv(String table) throws Exception {
        exchange.recordJob(20, 2);
        exchange.record(sinks -> {
            Events.full("full", TEXT).forEach(sinks::publish);
            Events.minimal("minimal").forEach(sinks::publish);
        });
        export();
        assertThat(exchange.export("csv", folder.resolve("csv")).exitCode()).isZero();
        List<Map<String, @Nullable Object>> rows = rows("SELECT * FROM " + from(table));
        try (CsvReader<NamedCsvRecord> csv =
                CsvReader.builder().ofNamedCsvRecord(folder.resolve("csv/" + table + ".csv"))) {
            List<NamedCsvRecord> expected = csv.stream().toList();
            assertThat(rows).hasSameSizeAs(expected).hasSizeGreaterThan(40);
            for (int i = 0; i < rows.size(); i++) {
                Map<String, @Nullable Object> row = rows.get(i);
                assertThat(row.keySet())
                        .containsExactlyElementsOf(
                                expected.get(i).getFields().isEmpty()
                                        ? List.of()
                                        : expected.get(i).getHeader());
                expected.get(i)
                        .getFieldsAsMap()
                        .forEach((name, cell) -> assertThat(asCell(row.get(name)))
                                .as(name)
                                .isEqualTo(
                                        cell.endsWith("Z")
                                                ? Instant.parse(cell)
                                                        .truncatedTo(ChronoUnit.MICROS)
                                                        .toString()
                                                : cell));
            }
        }
    }

    private static String asCell(@Nullable Object value) {
        if (value == null || value.equals(Double.NaN)) {
            return "";
        }
        return value instanceof OffsetDateTime time ? time.toInstant().toString() : value.toString();
    }

    @Test
    void eventsOfEachKind_haveAllThatTheirLinesHave() throws Exception {
        Map<String, Class<? extends Event>> kinds =
                Map.of("rewards", RewardGiven.class, "model_calls", ModelCalled.class, "tool_calls", ToolCalled.class);
        exchange.record(sinks -> {
            Events.full("full", TEXT).forEach(sinks::publish);
            Events.minimal("minimal").forEach(sinks::publish);
        });
        export();
        for (Map.Entry<String, Class<? extends Event>> kind : kinds.entrySet()) {
            List<Map<String, @Nullable Object>> rows =
                    rows("SELECT * FROM " + from(kind.getKey()) + " ORDER BY run_id");
            assertThat(rows).hasSize(2);
            assertRow(rows.get(0), Events.full("full", TEXT), kind.getValue());
            assertRow(rows.get(1), Events.minimal("minimal"), kind.getValue());
        }
    }

    private static void assertRow(Map<String, @Nullable Object> row, List<Event> events, Class<? extends Event> kind) {
        Event event = events.stream().filter(kind::isInstance).findFirst().orElseThrow();
        JsonNode line = JSON.readTree(JournalJson.event(event));
        Set<String> elsewhere =
                Set.of("type", "time", "nanos", "environment", "model", "start_nanos", "first_token_nanos", "usage");
        Map<String, JsonNode> fields = new LinkedHashMap<>();
        line.properties().forEach(field -> {
            if (!elsewhere.contains(field.getKey())) {
                fields.put(field.getKey(), field.getValue());
            }
        });
        line.path("usage").properties().forEach(field -> fields.put(field.getKey(), field.getValue()));
        fields.forEach((name, value) -> assertThat(json(row.get(name))).as(name).isEqualTo(value.toString()));

        Set<String> computed = Set.of(
                "sample_id", "started_at", "ended_at", "duration_s", "late", "reply_text", "time_to_first_token_s");
        row.forEach((name, value) -> {
            if (!fields.containsKey(name) && !computed.contains(name)) {
                assertThat(value).as(name).isNull();
            }
        });
        Instant ended = Instant.parse(line.path("time").asString());
        assertThat(((OffsetDateTime) Objects.requireNonNull(row.get("ended_at"))).toInstant())
                .isEqualTo(ended.truncatedTo(ChronoUnit.MICROS));
        assertThat(row.get("duration_s"))
                .isEqualTo(
                        (line.path("nanos").asLong() - line.path("start_nanos").asLong()) / 1e9);
    }

    /** A value as JSON has it. */
    private static String json(@Nullable Object value) {
        String text = String.valueOf(value);
        boolean isText = value instanceof String;
        return isText ? JSON.writeValueAsString(text) : text;
    }

    @Test
    void absentRewardsAreNull_lateOnesAreMarked_andInfinityStays() throws Exception {
        exchange.record(sinks -> {
            try (Run run = sinks.startRun(RunSpec.builder("calc").runId("r").build())) {
                try (Step step = run.startStep()) {
                    step.reward(Double.NEGATIVE_INFINITY);
                    step.complete("half a pair: \ud83d");
                }
                run.rewardAbsent("judge", "it was down");
                run.complete("");
            }
            sinks.reward("r", "person", 2, List.of());
        });
        export();
        assertThat(rows("SELECT source, value, absence, late, step, scope FROM " + from("rewards") + " ORDER BY seq"))
                .extracting(Object::toString)
                .containsExactly(
                        "{source=environment, value=-Infinity, absence=null, late=false, step=1, scope=step}",
                        "{source=judge, value=null, absence=it was down, late=false, step=null, scope=run}",
                        "{source=person, value=2.0, absence=null, late=true, step=null, scope=run}");
        assertThat(rows("SELECT output, isnan(reward) nan, tags FROM " + from("steps")))
                .extracting(Object::toString)
                .containsExactly("{output=half a pair: \ufffd, nan=true, tags=null}");
    }

    @Test
    void exportOfNoRuns_hasTables_withTheSameTypedColumns() throws Exception {
        exchange.record(sinks -> Events.full("full").forEach(sinks::publish));
        export();
        Map<String, Map<String, String>> full = types();
        Cli empty = exchange.export("parquet", folder.resolve("tables"), "--force", "--sample-id", "another");
        assertThat(empty.out()).startsWith("written  0 runs, 0 records, ");
        Map<String, Map<String, String>> none = types();
        assertThat(none).isEqualTo(full);
        for (String table : TABLES) {
            assertThat(rows("SELECT * FROM " + from(table))).isEmpty();
        }
        assertThat(none.get("runs"))
                .containsEntry("run_id", "VARCHAR")
                .containsEntry("steps", "BIGINT")
                .containsEntry("reward", "DOUBLE")
                .containsEntry("solved", "BOOLEAN")
                .containsEntry("started_at", "TIMESTAMP WITH TIME ZONE")
                .containsEntry("params", "JSON");
        assertThat(none.get("model_calls"))
                .containsEntry("input_tokens", "BIGINT")
                .containsEntry("messages", "JSON")
                .containsEntry("reply_text", "VARCHAR");
    }

    @Test
    void columnsAndQueries_areThoseOfTheDocs() throws Exception {
        exchange.record(sinks -> Events.full("full").forEach(sinks::publish));
        export();
        List<String> docs = Files.readAllLines(Path.of("../../docs/exchange.md"));
        types().forEach((table, types) -> assertThat(docs)
                .filteredOn(line -> line.startsWith("| `" + table + ".parquet` |"))
                .singleElement()
                .asString()
                .contains(String.join(
                        ", ",
                        types.keySet().stream().map(name -> "`" + name + "`").toList())));
        List<String> queries = docs.stream()
                .filter(line -> line.contains("duckdb -c \"SELECT"))
                .map(line -> line.substring(line.indexOf('"') + 1, line.lastIndexOf('"')))
                .toList();
        assertThat(queries).hasSize(4);
        for (String query : queries) {
            assertThat(rows(query.replace("'tables/", "'" + folder.resolve("tables") + "/")))
                    .as(query)
                    .hasSize(1);
        }
    }

    private Map<String, Map<String, String>> types() throws SQLException {
        Map<String, Map<String, String>> all = new LinkedHashMap<>();
        for (String table : TABLES) {
            Map<String, String> types = new LinkedHashMap<>();
            rows("DESCRIBE SELECT * FROM " + from(table))
                    .forEach(column -> types.put(
                            String.valueOf(column.get("column_name")), String.valueOf(column.get("column_type"))));
            all.put(table, types);
        }
        return all;
    }

    @Tag("thorough")
    @Test
    void largeJournal_isExported_inASmallHeap() throws Exception {
        Random random = new Random(7);
        int runs = 50;
        int steps = 20;
        exchange.record(sinks -> {
            for (int i = 0; i < runs; i++) {
                try (Run run =
                        sinks.startRun(RunSpec.builder("calc").runId("run-" + i).build())) {
                    for (int j = 0; j < steps; j++) {
                        try (Step step = run.startStep()) {
                            byte[] noise = new byte[50_000];
                            random.nextBytes(noise);
                            step.reward(1);
                            step.complete(HexFormat.of().formatHex(noise));
                        }
                    }
                    run.complete("");
                }
                assertThat(sinks.flush(Duration.ofSeconds(60)).isComplete()).isTrue();
            }
        });
        SmallHeap.run(
                folder,
                128,
                "export",
                "--format",
                "parquet",
                "--output",
                folder.resolve("tables").toString(),
                "--journal",
                exchange.journal().toString());
        assertThat(rows(
                        "SELECT count(*) n, sum(length(output)) length, count(DISTINCT output) texts, sum(reward) reward FROM "
                                + from("steps")))
                .extracting(Object::toString)
                .containsExactly("{n=1000, length=100000000, texts=1000, reward=1000.0}");
        assertThat(rows(
                        "SELECT count(DISTINCT row_group_id) n, max(total_compressed_size) largest FROM parquet_metadata('"
                                + file("steps") + "')"))
                .singleElement()
                .satisfies(groups -> {
                    assertThat((long) Objects.requireNonNull(groups.get("n"))).isBetween(4L, 12L);
                    assertThat((long) Objects.requireNonNull(groups.get("largest")))
                            .isLessThan(10 << 20);
                });
    }

    private Cli export() {
        Cli exported = exchange.export("parquet", folder.resolve("tables"));
        assertThat(exported.exitCode()).as(exported.err()).isZero();
        return exported;
    }

    private Path file(String table) {
        return folder.resolve("tables").resolve(table + ".parquet");
    }

    private String from(String table) {
        return "'" + file(table) + "'";
    }

    private List<Map<String, @Nullable Object>> rows(String query) throws SQLException {
        List<Map<String, @Nullable Object>> rows = new ArrayList<>();
        try (ResultSet result = duckdb.createStatement().executeQuery(query)) {
            while (result.next()) {
                Map<String, @Nullable Object> row = new LinkedHashMap<>();
                for (int i = 1; i <= result.getMetaData().getColumnCount(); i++) {
                    row.put(result.getMetaData().getColumnLabel(i), result.getObject(i));
                }
                rows.add(row);
            }
        }
        return rows;
    }
}
