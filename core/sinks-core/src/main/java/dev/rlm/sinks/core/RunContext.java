package dev.rlm.sinks.core;

import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.core.content.ArtifactReader;
import dev.rlm.sinks.core.content.ModelPrices;
import dev.rlm.sinks.core.content.RecordRedactor;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.redaction.Redaction;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The services that a hub gives its runs: redaction, prices, clock and timer. Safe for use by several threads. */
final class RunContext {
    private final Redaction redaction;
    private final UnaryOperator<String> redactText; // one for all: each text would have 16 bytes of its own
    private final RecordRedactor records;
    private final ArtifactReader files;
    private final ModelPrices prices;
    private final LongSupplier nanoTime;
    private final ToldTexts.OfAll toldTexts = new ToldTexts.OfAll();
    private final @Nullable Ticker timer;
    private volatile boolean closed;

    /**
     * The services of a hub that is open.
     *
     * @param timer watches over the time that runs may take; {@code null} where recording may wait for ever, because the timer
     *     cannot take part then
     */
    RunContext(
            Redaction redaction,
            RecordRedactor records,
            ArtifactReader files,
            ModelPrices prices,
            LongSupplier nanoTime,
            @Nullable Ticker timer) {
        this.redaction = redaction;
        this.redactText = redaction::text;
        this.records = records;
        this.files = files;
        this.prices = prices;
        this.nanoTime = nanoTime;
        this.timer = timer;
    }

    Content content(@Nullable String text) {
        return Content.of(text == null ? "" : text, redactText);
    }

    /** Returns the value of an entry of that name, without secrets. */
    @Nullable
    Object redact(String name, @Nullable Object value) {
        return redaction.value(name, value);
    }

    String redact(@Nullable String text) {
        return text == null || text.isEmpty() ? "" : redaction.name(text);
    }

    @Nullable
    String redactOptional(@Nullable String text) {
        return text == null ? null : redact(text);
    }

    ToldTexts.OfAll toldTexts() {
        return toldTexts;
    }

    RecordRedactor records() {
        return records;
    }

    ArtifactReader files() {
        return files;
    }

    ModelPrices prices() {
        return prices;
    }

    long nanoTime() {
        return nanoTime.getAsLong();
    }

    /** Returns the time that a run and its steps may take; {@code null} where they may take any. */
    @Nullable
    RunDeadline deadline(RunSpec spec, RunDeadline.Limited run) {
        return timer == null ? null : RunDeadline.of(spec, run, timer);
    }

    boolean isClosed() {
        return closed;
    }

    /** Closes it; whether it was open until now. */
    synchronized boolean close() {
        boolean wasOpen = !closed;
        closed = true;
        return wasOpen;
    }
}
