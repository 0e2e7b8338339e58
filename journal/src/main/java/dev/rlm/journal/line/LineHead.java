package dev.rlm.journal.line;

import dev.rlm.sinks.event.EventType;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * Beginning of a line: enough to know whether it is worth reading whole.
 *
 * @param runId empty where the line belongs to no run
 * @param seq the event's number in its run
 * @param nanos from the run's start
 */
public record LineHead(String type, String runId, long seq, long nanos) {
    private static final byte[] BEGINNING = HeadScan.beginning("{\"type\":\"");
    private static final byte[] RUN_ID = HeadScan.beginning(",\"run_id\":\"");
    private static final byte[] SEQ = HeadScan.beginning(",\"seq\":");
    private static final byte[] TIME = HeadScan.beginning(",\"time\":\"");
    private static final byte[] NANOS = HeadScan.beginning(",\"nanos\":");

    /** Returns whether the line holds an event of that type. */
    public boolean is(EventType event) {
        return type.equals(event.label());
    }

    /** Returns whether the line holds an event of a run, of a type that is known here. */
    public boolean isOfRun() {
        EventType event = EventType.of(type);
        return event != null && event.isOfRun();
    }

    /** The head of a line; {@code null} where the line is damaged, wherever in it that is. */
    public static @Nullable LineHead of(byte[] bytes, int from, int length) {
        return of(bytes, from, length, null);
    }

    /** The same, which marks the fields of the line on the way; what is marked of a damaged one means nothing. */
    public static @Nullable LineHead of(byte[] bytes, int from, int length, @Nullable FieldMarks marks) {
        int to = from + length;
        boolean whole =
                HeadScan.isAt(BEGINNING, bytes, from, to) && JsonSyntax.endOfObject(bytes, from, to, marks) == to;
        if (!whole) {
            return null;
        }
        LineHead head = unchecked(bytes, from, to);
        return head == null ? parsed(bytes, from, length) : head;
    }

    /** Returns the index behind the whole line that begins there, without its line feed; negative if there is none. */
    public static int wholeEnd(byte[] bytes, int from, int to) {
        return wholeEnd(BEGINNING, bytes, from, to);
    }

    /** The same for lines that begin in another way. */
    public static int wholeEnd(byte[] beginning, byte[] bytes, int from, int to) {
        return HeadScan.isAt(beginning, bytes, from, to) ? JsonSyntax.endOfObject(bytes, from, to) : -1;
    }

    /** The head of a line that may be damaged behind it; {@code null} where it does not stand there as the journal writes it. */
    public static @Nullable LineHead unchecked(byte[] bytes, int from, int to) {
        HeadScan scan = new HeadScan(bytes, from, to);
        String type = scan.text(BEGINNING);
        String runId = scan.text(RUN_ID);
        long seq = scan.number(SEQ);
        scan.passText(TIME);
        long nanos = scan.number(NANOS);
        return scan.isOver() ? null : new LineHead(type, runId, seq, nanos);
    }

    private static @Nullable LineHead parsed(byte[] bytes, int from, int length) {
        try (JsonParser json = LineParser.parser(bytes, from, length)) {
            return read(json);
        } catch (JacksonException e) {
            return null;
        }
    }

    private static LineHead read(JsonParser json) {
        String type = "";
        String runId = "";
        long seq = 0;
        long nanos = 0;
        json.nextToken();
        while (json.nextToken() == JsonToken.PROPERTY_NAME) {
            String name = json.currentName();
            JsonToken value = json.nextToken();
            if (name.equals("type")) {
                type = json.getString();
            } else if (name.equals("run_id")) {
                runId = json.getString();
            } else if (name.equals("nanos") && value == JsonToken.VALUE_NUMBER_INT) {
                nanos = json.getLongValue();
            } else if (name.equals("seq") && value == JsonToken.VALUE_NUMBER_INT) {
                seq = json.getLongValue();
            } else if (!name.equals("time")) {
                break; // the head is over, and what follows may be long
            }
        }
        return new LineHead(type, runId, seq, nanos);
    }
}
