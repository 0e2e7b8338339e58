package dev.rlm.journal.maintenance;

import dev.rlm.journal.format.JsonLine;
import dev.rlm.journal.format.segment.LineBuffer;
import dev.rlm.journal.line.HeadScan;
import dev.rlm.journal.line.LineHead;
import dev.rlm.journal.line.SummaryFile;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;

/**
 * Knows the lines of some runs, in whichever file of a writer. A damaged line is one of theirs as well if the id of one of them
 * stands anywhere in it. Counts those that are gone.
 */
final class RunLines {
    private static final byte[] RUN_ID = HeadScan.beginning("\"run_id\":");

    private final Set<String> ids;
    private final List<byte[]> inJson; // as they stand in lines, without quotation marks
    private final List<byte[]> fields;
    private long count;
    private long damaged;

    RunLines(Set<String> ids) {
        this.ids = Set.copyOf(ids);
        inJson = ids.stream().map(RunLines::inJson).toList();
        fields = inJson.stream().map(RunLines::field).toList();
    }

    private static byte[] inJson(String id) {
        LineBuffer buffer = new LineBuffer();
        JsonLine.append(buffer, line -> line.put("id", id));
        String object = buffer.toString(StandardCharsets.UTF_8);
        return object.substring("{\"id\":\"".length(), object.length() - "\"}\n".length())
                .getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] field(byte[] id) {
        LineBuffer field = new LineBuffer();
        field.writeBytes(RUN_ID);
        field.write('"');
        field.writeBytes(id);
        field.write('"');
        return field.toByteArray();
    }

    /** Tells whose a line is. */
    Kind kind(byte[] bytes, int from, int length) {
        int to = length > 0 && bytes[from + length - 1] == '\n' ? from + length - 1 : from + length;
        LineHead head = LineHead.of(bytes, from, to - from);
        if (head != null && !head.runId().isEmpty()) {
            return ids.contains(head.runId()) ? Kind.THEIRS : Kind.OTHER;
        } else if (head != null || SummaryFile.wholeEnd(bytes, from, to) == to) {
            return hasOneOf(fields, bytes, from, to) ? Kind.THEIRS : Kind.OTHER;
        } else if (hasOneOf(inJson, bytes, from, to)) {
            return Kind.THEIRS_DAMAGED;
        }
        return indexOf(RUN_ID, bytes, from, to) < 0 && isText(bytes, from, to) ? Kind.DOUBTFUL : Kind.OTHER;
    }

    /** Counts the lines of a file that are gone. */
    void gone(long lines, long ofThemDamaged) {
        count += lines;
        damaged += ofThemDamaged;
    }

    long count() {
        return count;
    }

    long damaged() {
        return damaged;
    }

    private static boolean hasOneOf(List<byte[]> parts, byte[] bytes, int from, int to) {
        return parts.stream().anyMatch(part -> indexOf(part, bytes, from, to) >= 0);
    }

    /** Returns the index at which that part first stands in the bytes; negative if it does not. */
    static int indexOf(byte[] part, byte[] bytes, int from, int to) {
        for (int at = from; at <= to - part.length; at++) {
            if (bytes[at] == part[0] && HeadScan.isAt(part, bytes, at, to)) {
                return at;
            }
        }
        return -1;
    }

    /** A crash leaves lines of nothing but NULs, too. */
    private static boolean isText(byte[] bytes, int from, int to) {
        for (int at = from; at < to; at++) {
            if (bytes[at] > ' ' || bytes[at] < 0) {
                return true;
            }
        }
        return false;
    }

    /** Owner of a line: one of the chosen runs, or another. */
    enum Kind {
        THEIRS,
        THEIRS_DAMAGED,
        /** Of another run, or of none. */
        OTHER,
        /** Damaged, so that its run cannot be determined. */
        DOUBTFUL;

        boolean isTheirs() {
            return this == THEIRS || this == THEIRS_DAMAGED;
        }
    }
}
