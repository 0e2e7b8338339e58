package dev.rlm.runs.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.testkit.Cli;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Statements of {@code rlm check} about journals, held against what was done to them. */
class CheckCommandTest {
    private static final int JOURNALS = Integer.getInteger("rlm.test.journals", 60);

    @TempDir
    Path folder;

    private static Cli check(Path journal, String... options) {
        return Cli.with(
                Map.of(),
                Stream.concat(
                                Stream.of("check", "--index", "none", "--journal", journal.toString()),
                                Stream.of(options))
                        .toArray(String[]::new));
    }

    private static JsonNode json(Cli check) {
        return new JsonMapper().readTree(check.out());
    }

    @Tag("thorough")
    @Test
    void journals_areToldAsTheyWereDamaged() throws Exception {
        List<String> records = new ArrayList<>();
        for (int seed = 0; seed < JOURNALS; seed++) {
            Path journal = folder.resolve("journal-" + seed);
            DamagedJournal damaged = new DamagedJournal(journal, seed);
            Cli check = check(journal, "--json");
            JsonNode told = json(check);

            String which = "seed " + seed + ": " + check.out();
            assertThat(told.path("record").asString()).as(which).isEqualTo(damaged.record());
            assertThat(check.exitCode()).as(which).isEqualTo(damaged.record().equals("complete") ? 0 : 1);
            assertThat(missing(told)).as(which).isEqualTo(damaged.missing);
            assertThat(withoutEnd(told)).as(which).isEqualTo(damaged.withoutEnd);
            assertThat(told.path("damaged_lines").asLong()).as(which).isEqualTo(damaged.damagedLines);
            assertThat(lost(told)).as(which).isEqualTo(damaged.lost);
            assertThat(states(told)).as(which).isEqualTo(damaged.states);
            records.add(damaged.record());
        }
        assertThat(records).contains("complete", "incomplete", "unknown");
    }

    private static Map<String, Set<Long>> missing(JsonNode told) {
        Map<String, Set<Long>> missing = new TreeMap<>();
        for (JsonNode run : told.path("incomplete")) {
            Set<Long> numbers = new TreeSet<>();
            for (JsonNode gap : run.path("missing")) {
                LongStream.rangeClosed(gap.path("from").asLong(), gap.path("to").asLong())
                        .forEach(numbers::add);
            }
            if (!numbers.isEmpty()) {
                missing.put(run.path("run_id").asString(), numbers);
            }
        }
        return missing;
    }

    private static Set<String> withoutEnd(JsonNode told) {
        Set<String> runs = new TreeSet<>();
        told.path("incomplete")
                .valueStream()
                .filter(run -> run.path("without_end").asBoolean())
                .forEach(run -> runs.add(run.path("run_id").asString()));
        return runs;
    }

    private static Map<String, Long> lost(JsonNode told) {
        Map<String, Long> lost = new TreeMap<>();
        told.path("lost")
                .properties()
                .forEach(reason -> lost.put(reason.getKey(), reason.getValue().asLong()));
        return lost;
    }

    private static Map<String, String> states(JsonNode told) {
        Map<String, String> states = new TreeMap<>();
        told.path("writers")
                .forEach(writer -> states.put(
                        writer.path("writer").asString(), writer.path("state").asString()));
        return states;
    }

    @Test
    void importedRuns_areComplete() {
        Path recorded = folder.resolve("recorded");
        new Recorded(recorded).completed("large", "s1", 1, 0);
        String chats = folder.resolve("chats.jsonl").toString();
        String imported = folder.resolve("imported").toString();
        assertThat(Cli.with(Map.of(), "export", "--format", "chat", "--output", chats, "--journal", recorded.toString())
                        .exitCode())
                .isZero();
        assertThat(Cli.with(Map.of(), "import", chats, "--journal", imported).exitCode())
                .isZero();

        Cli check = check(Path.of(imported));
        assertThat(check.out()).startsWith("complete: ");
        assertThat(check.exitCode()).isZero();
    }

    @Test
    void statement_isForPeopleToo_withTheWritersAndTheRunsThatLackEvents() throws Exception {
        new Recorded(folder.resolve("whole")).completed("large", "s1", 1, 0);
        Cli whole = check(folder.resolve("whole"));
        assertThat(whole.exitCode()).isZero();
        assertThat(whole.out()).startsWith("complete: 6 of 6 events of runs\n").contains("closed");

        int seed = 0;
        Path journal = folder.resolve("0");
        DamagedJournal damaged = new DamagedJournal(journal, seed);
        while (damaged.missing.size() < 2) {
            journal = folder.resolve(String.valueOf(++seed));
            damaged = new DamagedJournal(journal, seed);
        }
        Cli some = check(journal);
        assertThat(some.exitCode()).isEqualTo(1);
        assertThat(some.out()).contains("missing in " + damaged.missing.size() + " runs");
        assertThat(some.out()).contains(damaged.missing.keySet());
        assertThat(check(journal, "--limit", "1").out()).contains("1 of ").contains("--limit N shows more");
    }

    @Test
    void eventsThatShareANumber_areToldWhereTheyDiffer() throws Exception {
        new Recorded(folder).completed("large", "s1", 1, 0);
        Path events;
        try (Stream<Path> files = Files.walk(folder)) {
            events = files.filter(file -> file.getFileName().toString().startsWith("events-"))
                    .findFirst()
                    .orElseThrow();
        }
        String line = Files.readAllLines(events).stream()
                .filter(each -> each.contains("\"seq\":2,"))
                .findFirst()
                .orElseThrow();
        Files.writeString(events, line + "\n", StandardOpenOption.APPEND);
        assertThat(check(folder).out()).startsWith("complete: ");

        Files.writeString(events, line.replaceFirst("\"nanos\":\\d+", "\"nanos\":7") + "\n", StandardOpenOption.APPEND);
        Cli check = check(folder);
        assertThat(check.out()).startsWith("1 event that no reader shows: another has the same number\n");
        assertThat(check.exitCode()).isEqualTo(1);
        assertThat(json(check(folder, "--json")).path("hidden_events").asLong()).isEqualTo(1);
    }

    @Test
    void processesThatShareAFolder_areToldEach() throws IOException {
        Path journal = folder.resolve("many");
        for (int writer = 0; writer < 6; writer += 2) {
            Recorded recorded = new Recorded(journal);
            recorded.completed("large", "s" + writer, 1);
            recorded.completed("large", "s" + writer, 0);
        }

        assertThat(json(check(journal, "--json")).path("writers")).hasSize(6);
        try (Stream<Path> folders = Files.list(journal)) {
            assertThat(folders).hasSize(1);
        }
    }

    @Test
    void badInput_isRefused() throws Exception {
        Cli none = check(folder.resolve("none"));
        assertThat(none.exitCode()).isEqualTo(2);
        assertThat(none.err()).contains("there is no journal at ");
        Files.createDirectories(folder.resolve("empty"));
        assertThat(check(folder.resolve("empty")).err()).contains("no run was recorded there");
        assertThat(check(folder, "--limit", "-1").exitCode()).isEqualTo(2);
    }
}
