package dev.rlm.journal.format;

import dev.rlm.journal.format.segment.LineBuffer;

/** The line at the head of each file of events: what it is, and the version of its form. */
public final class JournalHeader {
    /** The type of such a line. */
    public static final String TYPE = "journal";

    /** The version of what is written. */
    public static final int VERSION = 2; // 1 had all messages in each call

    /** The field of one who had recorded elsewhere what follows. */
    public static final String WRITER = "writer";

    private static final String SCHEMA = "rlm.journal";

    private JournalHeader() {}

    /** The line at the head of a file of the folder's own writer. */
    public static void append(LineBuffer lines) {
        append(lines, "");
    }

    /**
     * The line before what a writer has recorded.
     *
     * @param writer its name in the folder of another; empty in its own
     */
    public static void append(LineBuffer lines, String writer) {
        JsonLine.append(
                lines,
                line -> line.put("type", TYPE)
                        .put("schema", SCHEMA)
                        .put("version", VERSION)
                        .put(WRITER, writer.isEmpty() ? null : writer));
    }
}
