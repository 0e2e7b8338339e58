package dev.rlm.journal.index;

import dev.rlm.sinks.event.LedgerReported;
import dev.rlm.sinks.event.MetricsReported;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunInfo;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Lines as an index keeps them. */
final class IndexedLines {
    private static final IndexedLine START = new IndexedLine(0, 0, "", "", 0, 0, null, null);
    private static final int NONE = 0;
    private static final int RUN_ENDED = 1;
    private static final int REWARD = 2;
    private static final int METRICS = 3;
    private static final int LEDGER = 4;
    private static final int WRITER = 5;
    private static final int DECISION = 6;
    private static final int WITH_RUN = 8;

    private IndexedLines() {}

    /** Numbers are kept as differences to those of the line before. */
    static void write(List<IndexedLine> lines, PackedRecords to) {
        to.number(lines.size());
        IndexedLine last = START;
        for (IndexedLine line : lines) {
            to.number(line.number() - last.number());
            to.number(line.offset() - last.offset());
            to.text(line.type());
            to.number(line.seq() - last.seq());
            to.number(line.nanos() - last.nanos());
            writeFacts(line, to);
            last = line;
        }
    }

    private static void writeFacts(IndexedLine line, PackedRecords to) {
        Object fact = line.fact();
        int kind = fact instanceof RunEnded
                ? RUN_ENDED
                : fact instanceof Double
                        ? REWARD
                        : fact instanceof MetricsReported
                                ? METRICS
                                : fact instanceof LedgerReported
                                        ? LEDGER
                                        : fact instanceof String
                                                ? WRITER
                                                : fact instanceof IndexedLine.Decision ? DECISION : NONE;
        to.number(line.run() == null ? kind : kind | WITH_RUN);
        if (line.run() != null) {
            to.record(line.run());
        }
        if (fact instanceof Double reward) {
            to.decimal(reward);
        } else if (fact instanceof String writer) {
            to.text(writer);
        } else if (fact instanceof Record record) {
            to.record(record);
        }
    }

    static List<IndexedLine> read(String runId, PackedRecords from) {
        long count = from.nextNumber();
        List<IndexedLine> lines = new ArrayList<>();
        IndexedLine last = START;
        for (long i = 0; i < count; i++) {
            last = new IndexedLine(
                    last.number() + from.nextNumber(),
                    last.offset() + from.nextNumber(),
                    from.nextText(),
                    runId,
                    last.seq() + from.nextNumber(),
                    last.nanos() + from.nextNumber(),
                    null,
                    null);
            lines.add(withFacts(last, (int) from.nextNumber(), from));
        }
        return lines;
    }

    private static IndexedLine withFacts(IndexedLine line, int told, PackedRecords from) {
        if (told == NONE) {
            return line;
        }
        RunInfo run = (told & WITH_RUN) == 0 ? null : from.nextRecord(RunInfo.class);
        Object fact = fact(told & ~WITH_RUN, from);
        return new IndexedLine(
                line.number(), line.offset(), line.type(), line.runId(), line.seq(), line.nanos(), run, fact);
    }

    private static @Nullable Object fact(int kind, PackedRecords from) {
        return switch (kind) {
            case NONE -> null;
            case RUN_ENDED -> from.nextRecord(RunEnded.class);
            case REWARD -> from.nextDecimal();
            case METRICS -> from.nextRecord(MetricsReported.class);
            case LEDGER -> from.nextRecord(LedgerReported.class);
            case WRITER -> from.nextText();
            case DECISION -> from.nextRecord(IndexedLine.Decision.class);
            default -> throw new IllegalArgumentException("no such fact: " + kind);
        };
    }
}
