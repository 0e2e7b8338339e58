package dev.rlm.journal;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.testkit.Events;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A journal that was written when its format was at version 1, byte for byte, is read as it was meant, for ever. */
class StoredJournalTest {
    private static final String STORED = "events-version-1.jsonl";

    @TempDir
    Path directory;

    @BeforeEach
    void store() throws IOException {
        Path writer = Files.createDirectory(directory.resolve("20260102T030405Z-00000000"));
        try (var stored = Objects.requireNonNull(getClass().getResourceAsStream(STORED))) {
            Files.copy(stored, writer.resolve("events-1.jsonl"));
        }
    }

    @Test
    void runs_areReadWhole() {
        Journal journal = Journal.open(directory);
        assertThat(journal.damagedLines()).isZero();
        assertThat(journal.events("minimal-run")).isEqualTo(ofRun(Events.minimal("minimal-run")));
        List<RunEvent> full = journal.events("full-run");
        assertThat(full)
                .extracting(RunEvent::type)
                .contains(ofRun(Events.full("full-run")).stream()
                        .map(RunEvent::type)
                        .toArray(dev.rlm.sinks.event.EventType[]::new));
    }

    /** Later versions may add fields; none of those that were stored may change. */
    @Test
    void lines_areWrittenAgain_withEachFieldThatTheyHad() throws IOException {
        Map<String, JsonObject> stored = new HashMap<>();
        for (String line : Files.readAllLines(directory.resolve("20260102T030405Z-00000000/events-1.jsonl"))) {
            JsonObject fields = JsonParser.parseString(line).getAsJsonObject();
            if (fields.has("seq")) {
                stored.put(fields.get("run_id").getAsString() + fields.get("seq"), fields);
            }
        }
        for (String run : List.of("full-run", "minimal-run")) {
            for (RunEvent event : Journal.open(directory).events(run)) {
                JsonObject written =
                        JsonParser.parseString(JournalJson.event(event)).getAsJsonObject();
                assertThat(written.asMap())
                        .containsAllEntriesOf(Objects.requireNonNull(stored.remove(run + event.seq()))
                                .asMap());
            }
        }
        assertThat(stored).isEmpty();
    }

    private static List<RunEvent> ofRun(List<Event> events) {
        return events.stream()
                .filter(RunEvent.class::isInstance)
                .map(RunEvent.class::cast)
                .toList();
    }
}
