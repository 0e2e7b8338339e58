package dev.rlm.recorder;

import dev.rlm.sinks.event.Content;
import java.io.StringWriter;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/**
 * What became of a line.
 *
 * @param line its number, counted from 1
 * @param runId {@code null} where it is of no run, or names none and is refused
 * @param seq the number of its event; 0 where there is none
 * @param error why it was not recorded; {@code null} where it was
 */
record Answer(
        long line,
        @Nullable String runId,
        long seq,
        @Nullable String error) {
    private static final JsonFactory JSON = new JsonFactory();

    /** As a line of JSON, once it is known what became of its group. */
    String json(Commit commit) {
        String problem = error == null ? commit.problem() : error;
        StringWriter text = new StringWriter();
        try (JsonGenerator json = JSON.createGenerator(ObjectWriteContext.empty(), text)) {
            json.writeStartObject();
            json.writeNumberProperty("line", line);
            json.writeBooleanProperty("ok", problem == null);
            if (error == null) {
                json.writeBooleanProperty("synced", commit.synced());
            }
            if (runId != null) {
                json.writeStringProperty("run_id", Content.wellFormed(runId));
            }
            if (seq > 0) {
                json.writeNumberProperty("seq", seq);
            }
            if (problem != null) {
                json.writeStringProperty("error", problem);
            }
            json.writeEndObject();
        }
        return text.append('\n').toString();
    }
}
