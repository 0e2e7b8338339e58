package dev.rlm.sinks.jsonl;

import java.time.DateTimeException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * What a line begins with: enough to know whether it is worth reading whole.
 *
 * @param runId empty where the line belongs to no run
 * @param seq the event's number in its run
 * @param time the event's, as it stands there
 * @param nanos from the run's start
 */
record LineHead(String type, String runId, long seq, String time, long nanos) {
    private static final byte[] BEGINNING = HeadScan.beginning("{\"type\":\"");
    private static final byte[] RUN_ID = HeadScan.beginning(",\"run_id\":\"");
    private static final byte[] SEQ = HeadScan.beginning(",\"seq\":");
    private static final byte[] TIME = HeadScan.beginning(",\"time\":\"");
    private static final byte[] NANOS = HeadScan.beginning(",\"nanos\":");

    /** The head of a line; {@code null} where the line is damaged, wherever in it that is. */
    static @Nullable LineHead of(byte[] bytes, int from, int length) {
        return length > 0 && wholeEnd(bytes, from, from + length) == from + length ? read(bytes, from, length) : null;
    }

    /** Where the whole line ends that begins there, as an index; negative where none does. */
    static int wholeEnd(byte[] bytes, int from, int to) {
        return wholeEnd(BEGINNING, bytes, from, to);
    }

    /** The same for lines that begin in another way. */
    static int wholeEnd(byte[] beginning, byte[] bytes, int from, int to) {
        return HeadScan.isAt(beginning, bytes, from, to) ? JsonSyntax.endOfObject(bytes, from, to) : -1;
    }

    /** When the run started, as this line tells it; the beginning of time where it does not. */
    Instant startedAt() {
        try {
            return Instant.parse(time).minusNanos(nanos);
        } catch (DateTimeException e) {
            return Instant.MIN;
        }
    }

    /** As the journal writes it; what is written in another way is left to a parser. */
    private static @Nullable LineHead read(byte[] bytes, int from, int length) {
        HeadScan scan = new HeadScan(bytes, from, from + length);
        String type = scan.text(BEGINNING);
        String runId = scan.text(RUN_ID);
        long seq = scan.number(SEQ);
        String time = scan.text(TIME);
        long nanos = scan.number(NANOS);
        return scan.isOver() ? parsed(bytes, from, length) : new LineHead(type, runId, seq, time, nanos);
    }

    private static @Nullable LineHead parsed(byte[] bytes, int from, int length) {
        try (JsonParser json = Json.parser(bytes, from, length)) {
            return read(json);
        } catch (JacksonException e) {
            return null;
        }
    }

    private static LineHead read(JsonParser json) {
        String type = "";
        String runId = "";
        long seq = 0;
        String time = "";
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
            } else if (name.equals("time")) {
                time = json.getString();
            } else {
                break; // the head is over, and what follows may be long
            }
        }
        return new LineHead(type, runId, seq, time, nanos);
    }
}
