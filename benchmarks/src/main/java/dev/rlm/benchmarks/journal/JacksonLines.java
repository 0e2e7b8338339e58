package dev.rlm.benchmarks.journal;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.MinimalPrettyPrinter;
import dev.rlm.sinks.event.StepEnded;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;

/** Writes a step's end as the journal does, with one generator of Jackson 2 for all lines. */
final class JacksonLines {
    private static final DateTimeFormatter SECONDS =
            new DateTimeFormatterBuilder().appendInstant(0).toFormatter();
    private static final int BILLION = 1_000_000_000;

    private final JsonGenerator json;
    private long lastSecond = Long.MIN_VALUE;
    private String second = "";

    JacksonLines(OutputStream lines) {
        try {
            json = new JsonFactory().createGenerator(lines).setPrettyPrinter(new MinimalPrettyPrinter(""));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void append(StepEnded event) throws IOException {
        json.writeStartObject();
        json.writeStringField("type", "step_ended");
        json.writeStringField("run_id", event.run().runId());
        json.writeNumberField("seq", event.seq());
        json.writeStringField("time", time(event.time()));
        json.writeNumberField("nanos", event.nanos());
        json.writeStringField("environment", event.run().environment());
        json.writeStringField("model", event.run().model());
        json.writeNumberField("step", event.step());
        json.writeNumberField("start_seq", event.started().seq());
        json.writeNumberField("start_nanos", event.started().nanos());
        json.writeStringField("action_type", event.actionType());
        json.writeStringField("code", event.code().text());
        json.writeStringField("output", event.output().text());
        json.writeBooleanField("success", event.success());
        json.writeNumberField("reward", event.reward());
        json.writeNumberField("cumulative_reward", event.cumulativeReward());
        json.writeEndObject();
        json.writeRaw('\n');
        json.flush();
    }

    /** Formats a time anew only where the second is another, as the journal does. */
    private String time(Instant time) {
        if (time.getEpochSecond() != lastSecond) {
            lastSecond = time.getEpochSecond();
            String text = SECONDS.format(Instant.ofEpochSecond(lastSecond));
            second = text.substring(0, text.length() - 1);
        }
        return second + '.' + Integer.toString(BILLION + time.getNano()).substring(1) + 'Z';
    }
}
