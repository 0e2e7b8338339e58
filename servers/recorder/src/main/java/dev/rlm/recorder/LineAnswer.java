package dev.rlm.recorder;

import dev.rlm.json.Json;
import dev.rlm.sinks.event.Content;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Answer to a line.
 *
 * @param line its number, counted from 1
 * @param runId {@code null} where it is of no run, or names none and is refused
 * @param seq the number of its event; 0 where there is none
 * @param error why it was not recorded; {@code null} where it was
 * @param reason the kind of error; {@code null} where there is none
 */
record LineAnswer(
        long line,
        @Nullable String runId,
        long seq,
        @Nullable String error,
        LineRefusedException.@Nullable Reason reason) {
    /** Returns the answer to a line that was recorded. */
    static LineAnswer recorded(long line, @Nullable String runId, long seq) {
        return new LineAnswer(line, runId, seq, null, null);
    }

    /**
     * As a line of JSON, once it is known what became of its group.
     *
     * @param durable whether a sink keeps a durable record
     * @param unsynced why the group is not known to be in it; {@code null} where it is
     */
    String json(boolean durable, @Nullable String unsynced) {
        String problem = error == null ? unsynced : error;
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("line", line);
        answer.put("ok", problem == null);
        if (error == null) {
            answer.put("synced", durable && unsynced == null);
        }
        if (runId != null) {
            answer.put("run_id", Content.wellFormed(runId));
        }
        if (seq > 0) {
            answer.put("seq", seq);
        }
        if (problem != null) {
            answer.put("error", problem);
        }
        if (unsynced != null || reason == LineRefusedException.Reason.LATER) {
            answer.put("retry", true);
        } else if (reason == LineRefusedException.Reason.REPEATED) {
            answer.put("repeated", true);
        }
        return Json.text(answer) + "\n";
    }
}
