package dev.rlm.benchmarks.journal;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.SerializableString;
import com.fasterxml.jackson.core.io.SerializedString;
import com.fasterxml.jackson.core.util.MinimalPrettyPrinter;
import dev.rlm.sinks.event.StepEnded;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;

/** Writes a step's end as the journal does, with one generator of Jackson 2 for all lines, and names encoded beforehand. */
final class JacksonLines {
    private static final DateTimeFormatter SECONDS =
            new DateTimeFormatterBuilder().appendInstant(0).toFormatter();
    private static final SerializableString TYPE = new SerializedString("type");
    private static final SerializableString RUN_ID = new SerializedString("run_id");
    private static final SerializableString SEQ = new SerializedString("seq");
    private static final SerializableString TIME = new SerializedString("time");
    private static final SerializableString NANOS = new SerializedString("nanos");
    private static final SerializableString ENVIRONMENT = new SerializedString("environment");
    private static final SerializableString MODEL = new SerializedString("model");
    private static final SerializableString STEP = new SerializedString("step");
    private static final SerializableString START_SEQ = new SerializedString("start_seq");
    private static final SerializableString START_NANOS = new SerializedString("start_nanos");
    private static final SerializableString ACTION_TYPE = new SerializedString("action_type");
    private static final SerializableString CODE = new SerializedString("code");
    private static final SerializableString OUTPUT = new SerializedString("output");
    private static final SerializableString SUCCESS = new SerializedString("success");
    private static final SerializableString REWARD = new SerializedString("reward");
    private static final SerializableString CUMULATIVE_REWARD = new SerializedString("cumulative_reward");
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
        json.writeFieldName(TYPE);
        json.writeString("step_ended");
        json.writeFieldName(RUN_ID);
        json.writeString(event.run().runId());
        json.writeFieldName(SEQ);
        json.writeNumber(event.seq());
        json.writeFieldName(TIME);
        json.writeString(time(event.time()));
        json.writeFieldName(NANOS);
        json.writeNumber(event.nanos());
        json.writeFieldName(ENVIRONMENT);
        json.writeString(event.run().environment());
        json.writeFieldName(MODEL);
        json.writeString(event.run().model());
        json.writeFieldName(STEP);
        json.writeNumber(event.step());
        json.writeFieldName(START_NANOS);
        json.writeNumber(event.started().nanos());
        json.writeFieldName(START_SEQ);
        json.writeNumber(event.started().seq());
        json.writeFieldName(ACTION_TYPE);
        json.writeString(event.actionType());
        json.writeFieldName(CODE);
        json.writeString(event.code().text());
        json.writeFieldName(OUTPUT);
        json.writeString(event.output().text());
        json.writeFieldName(SUCCESS);
        json.writeBoolean(event.success());
        json.writeFieldName(REWARD);
        json.writeNumber(event.reward());
        json.writeFieldName(CUMULATIVE_REWARD);
        json.writeNumber(event.cumulativeReward());
        json.writeEndObject();
        json.writeRaw('\n');
        json.flush();
    }

    /** Formats a time, and its second only if it is another than that of the time before, as the journal does. */
    private String time(Instant time) {
        if (time.getEpochSecond() != lastSecond) {
            lastSecond = time.getEpochSecond();
            String text = SECONDS.format(Instant.ofEpochSecond(lastSecond));
            second = text.substring(0, text.length() - 1);
        }
        return second + '.' + Integer.toString(BILLION + time.getNano()).substring(1) + 'Z';
    }
}
