package dev.rlm.sinks.jsonl;

import java.nio.charset.StandardCharsets;
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
    private static final byte[] BEGINNING = "{\"type\":\"".getBytes(StandardCharsets.US_ASCII);

    /** The head of a line; {@code null} where it is damaged. */
    static @Nullable LineHead of(byte[] bytes, int from, int length) {
        if (!isWhole(bytes, from, length)) {
            return null;
        }
        try (JsonParser json = Json.parser(bytes, from, length)) {
            return read(json);
        } catch (JacksonException e) {
            return null;
        }
    }

    /** When the run started, as this line tells it; the beginning of time where it does not. */
    Instant startedAt() {
        try {
            return Instant.parse(time).minusNanos(nanos);
        } catch (DateTimeException e) {
            return Instant.MIN;
        }
    }

    private static boolean isWhole(byte[] bytes, int from, int length) {
        if (length <= BEGINNING.length || bytes[from + length - 1] != '}') {
            return false;
        }
        for (int i = 0; i < BEGINNING.length; i++) {
            if (bytes[from + i] != BEGINNING[i]) {
                return false;
            }
        }
        return true;
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
