package dev.rlm.sinks.jsonl;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.journal.Journal;
import dev.rlm.journal.format.segment.Segment;
import dev.rlm.journal.search.JournalSearch;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Message;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.ModelCalledBuilder;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunInfoBuilder;
import dev.rlm.sinks.event.RunStarted;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Calls that models are given whole conversations with, of which each message is written once. */
class WrittenConversationsTest {
    private static final RunInfo RUN = RunInfoBuilder.builder()
            .runId("run")
            .startedAt(Instant.parse("2026-03-01T00:00:00Z"))
            .environment("env")
            .model("m")
            .build();
    private static final int LENGTH = 2_000;

    @TempDir
    private Path directory;

    private final Random random = new Random(5);
    private final String system = text();
    private final String tools = text();
    private final List<RunEvent> given = new ArrayList<>(List.of(new RunStarted(RUN, 1)));

    private String text() {
        StringBuilder text = new StringBuilder();
        while (text.length() < LENGTH) {
            text.append(Integer.toString(random.nextInt(100_000), 36)).append(' ');
        }
        return text.toString();
    }

    private Message said(String role) {
        return new Message(role, Content.redacted(text()), List.of(), null);
    }

    /** As a caller does that keeps no objects: the message is another each time. */
    private static Message again(Message message) {
        return new Message(
                message.role(), Content.redacted(message.content().text()), message.toolCalls(), message.toolCallId());
    }

    private Message call(List<Message> shown) {
        Message reply = said(Message.ASSISTANT);
        given.add(ModelCalledBuilder.builder()
                .run(RUN)
                .seq(given.size() + 1)
                .nanos(given.size() + 1)
                .provider("openai")
                .model("m")
                .systemInstructions(Content.redacted(system))
                .toolDefinitions(Content.redacted(tools))
                .messages(shown.stream().map(WrittenConversationsTest::again).toList())
                .reply(reply)
                .build());
        return reply;
    }

    /** So many turns, of which each tells all that was said before. */
    private void converse(List<Message> all, int turns) {
        for (int i = 0; i < turns; i++) {
            all.add(call(all));
            all.add(said("user"));
        }
    }

    private void record(long rotateSize) {
        try (JsonlSink sink = JsonlSink.builder()
                .directory(directory)
                .compress(false)
                .rotateSize(rotateSize)
                .build()) {
            for (RunEvent event : given) {
                sink.onEvent(event);
                sink.onBatchEnd();
            }
            assertThat(sink.flush(Duration.ofSeconds(30))).isTrue();
        }
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> writers = Files.list(directory)) {
            return Segment.of(writers.findFirst().orElseThrow()).stream()
                    .map(Segment::plain)
                    .toList();
        }
    }

    private static long occurrences(String text, List<Path> files) throws IOException {
        long count = 0;
        for (Path file : files) {
            count += Files.readString(file).split(Pattern.quote(text), -1).length - 1;
        }
        return count;
    }

    private List<RunEvent> read() {
        Journal journal = Journal.open(directory);
        assertThat(journal.damagedLines()).isZero();
        return journal.events("run");
    }

    @Test
    void eachMessage_isWrittenOnce_andReadWithEachCall() throws Exception {
        List<Message> all = new ArrayList<>(List.of(said("system"), said("user")));
        converse(all, 60);
        record(0);
        assertThat(read()).isEqualTo(given);
        for (Message message : all.subList(0, all.size() - 1)) { // the last one no call was shown
            assertThat(occurrences(message.content().text(), files())).isOne();
        }
        assertThat(occurrences(system, files())).isOne();
        assertThat(occurrences(tools, files())).isOne();
        assertThat(Files.size(files().get(0))).isLessThan(2L * LENGTH * all.size());
    }

    @Test
    void conversationsOfOneRun_eachGoOn() throws Exception {
        Message first = said("system");
        List<List<Message>> conversations = IntStream.range(0, 5)
                .mapToObj(i -> (List<Message>) new ArrayList<>(List.of(first, said("user"))))
                .toList();
        for (int i = 0; i < 40; i++) {
            converse(conversations.get(random.nextInt(5)), 1);
        }
        record(0);
        assertThat(read()).isEqualTo(given);
        assertThat(occurrences(first.content().text(), files())).isOne();
        assertThat(Files.size(files().get(0))).isLessThan(2L * LENGTH * (1 + 5 + 80));
    }

    @Test
    void messagesThatGo_comeBack_orAreSummedUp_costWhatIsNew() throws Exception {
        List<Message> all = new ArrayList<>(List.of(said("system"), said("user")));
        int fresh = 2;
        for (int i = 0; i < 100; i++) {
            converse(all, 1);
            fresh += 2;
            if (all.size() > 12) {
                int from = 1 + random.nextInt(6);
                switch (random.nextInt(4)) {
                    case 0 -> all.subList(from, from + 4).clear();
                    case 1 -> all.add(from, all.remove(from + 3));
                    case 2 -> all.add(all.get(from)); // said once more
                    default -> {
                        all.set(from, said("user"));
                        fresh++;
                    }
                }
            }
        }
        record(0);
        assertThat(read()).isEqualTo(given);
        assertThat(Files.size(files().get(0))).isLessThan(2L * LENGTH * fresh);
    }

    @Test
    void file_standsForItself_alsoWhereTheOneBeforeWasDeleted() throws Exception {
        converse(new ArrayList<>(List.of(said("system"), said("user"))), 30);
        record(20 * LENGTH);
        List<Path> files = files();
        assertThat(files).hasSizeGreaterThan(3);
        assertThat(read()).isEqualTo(given);
        Files.delete(files.get(0));
        Files.delete(files.get(1));
        List<RunEvent> left = read();
        assertThat(left).isNotEmpty().isEqualTo(given.subList(given.size() - left.size(), given.size()));
    }

    @Test
    void messagesThatAreThereNoMore_areSaidToBeMissing() throws Exception {
        converse(new ArrayList<>(List.of(said("user"))), 3);
        record(0);
        Path file = files().get(0);
        List<String> lines = new ArrayList<>(Files.readAllLines(file));
        lines.removeIf(line -> line.contains("\"seq\":2,"));
        Files.write(file, lines);
        ModelCalled call = (ModelCalled) read().get(1);
        assertThat(call.messages())
                .extracting(message -> message.content().text())
                .startsWith("[MISSING:2 of call 2]")
                .hasSize(2);
        assertThat(call.toolDefinitions()).hasToString("[MISSING:that of call 2]");
        assertThat(call.reply()).isEqualTo(((ModelCalled) given.get(2)).reply());
    }

    @Test
    void text_isFoundAtTheCallThatBroughtIt() throws Exception {
        List<Message> all = new ArrayList<>(List.of(said("user")));
        converse(all, 5);
        record(0);
        List<Long> found = new ArrayList<>();
        JournalSearch.run(directory, new Said(all.get(2).content().text()), found::add);
        assertThat(found).containsExactly(3L); // the second call
        found.clear();
        JournalSearch.run(directory, new Said("MISSING"), found::add);
        assertThat(found).isEmpty();
    }

    /** Numbers of events in which a model is shown a text. */
    private record Said(String text) implements JournalSearch.Finder<Long> {
        @Override
        public String literal() {
            return "";
        }

        @Override
        public boolean ignoresCase() {
            return false;
        }

        @Override
        public boolean wants(String runId) {
            return true;
        }

        @Override
        public @Nullable Long find(RunEvent event) {
            boolean shown = event instanceof ModelCalled call
                    && call.messages().stream()
                            .anyMatch(message -> message.content().text().contains(text));
            return shown ? event.seq() : null;
        }
    }

    @Test
    void textOfAnotherField_isNoReasonToLeaveOneOut() {
        ModelCalledBuilder call = ModelCalledBuilder.builder().run(RUN).model("m");
        given.add(call.seq(2)
                .systemInstructions(Content.redacted(system))
                .toolDefinitions(Content.redacted(tools))
                .build());
        given.add(call.seq(3)
                .systemInstructions(Content.redacted(tools))
                .toolDefinitions(Content.redacted(system))
                .build());
        given.add(call.seq(4).build());
        record(0);
        assertThat(read()).isEqualTo(given);
    }

    @Test
    void lateCall_standsForItself() throws Exception {
        List<Message> all = new ArrayList<>(List.of(said("user")));
        converse(all, 2);
        long end = given.size() + 1L;
        given.add(SampleEvents.end(RUN, end, Outcome.COMPLETED, 0, 0));
        converse(all, 2);
        record(0);
        assertThat(read()).isEqualTo(given);
        assertThat(occurrences(all.get(0).content().text(), files())).isEqualTo(3); // once until the end
    }
}
