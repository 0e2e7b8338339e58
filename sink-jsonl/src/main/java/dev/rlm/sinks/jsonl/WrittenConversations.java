package dev.rlm.sinks.jsonl;

import dev.rlm.journal.format.EventWriter;
import dev.rlm.journal.format.JsonLine;
import dev.rlm.journal.format.ToldMessages;
import dev.rlm.sinks.event.ModelCalled;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Conversations of the runs that a journal's sink records, each of whose messages is written once for each file: one that was deleted for its
 * age takes nothing with it that the next would need. Not thread-safe.
 */
final class WrittenConversations {
    private static final long MOST = Math.min(1 << 26, Runtime.getRuntime().maxMemory() / 16); // characters of all

    private final Map<String, ToldMessages> runs = new LinkedHashMap<>(16, 0.75F, true);
    private final JournalWriter writer;
    private final GroupCommit group;
    private int file;
    private long lost;
    private long weight;

    WrittenConversations(JournalWriter writer, GroupCommit group) {
        this.writer = writer;
        this.group = group;
    }

    /** Appends the line of a call. */
    void append(ModelCalled call) {
        if (file != writer.number() || lost != group.lost()) {
            file = writer.number();
            lost = group.lost();
            runs.clear();
            weight = 0;
        }
        String run = call.run().runId();
        ToldMessages told = runs.computeIfAbsent(run, id -> new ToldMessages());
        long before = told.weight();
        boolean appended = false;
        try {
            JsonLine.append(group.lines(), line -> EventWriter.write(call, told, line));
            appended = true;
        } finally {
            weight += told.weight() - before;
            if (!appended) {
                forget(run); // what has no line cannot be referred to
            }
        }
        while (weight > MOST) {
            forget(runs.keySet().iterator().next());
        }
    }

    void forget(String run) {
        ToldMessages told = runs.remove(run);
        weight -= told == null ? 0 : told.weight();
    }
}
