package dev.rlm.sinks.core;

import dev.rlm.sinks.Span;
import dev.rlm.sinks.core.content.ErrorText;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Place;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.SpanRecordedBuilder;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A span of the user's that sinks hear of. */
final class LiveSpan extends LiveWork implements Span {
    private final Map<String, @Nullable Object> attributes = new LinkedHashMap<>();
    private @Nullable Content error;

    LiveSpan(RunRecorder run, LivePlace outer, Place.Work work) {
        super(run, outer, work);
    }

    /** Starts one there, if the run has not ended. */
    static Span start(RunRecorder run, LivePlace outer, @Nullable String name, Duration ago) {
        String clean = run.context().redact(name);
        String called = clean.isBlank() ? "span" : clean;
        Place.Work around = outer.place().work();
        LiveSpan span = run.startWork((seq, nanos) -> new LiveSpan(
                run,
                outer,
                new Place.Work(seq, Math.max(0, nanos - ago.toNanos()), Place.Work.Kind.SPAN, called, around)));
        return span == null ? Span.NOOP : span;
    }

    @Override
    public Span attribute(String name, Object value) {
        String called = run.context().redact(String.valueOf(name));
        Object clean = run.context().redact(String.valueOf(name), value);
        run.change(this, () -> attributes.put(called, clean));
        return this;
    }

    @Override
    public void fail(String message) {
        Content content = run.context().content(message);
        run.change(this, () -> error = content);
    }

    @Override
    public void fail(Throwable failure) {
        fail(ErrorText.of(failure));
    }

    @Override
    public void close() {
        if (run.isOpen(this)) {
            run.endWork(this, this::event);
        }
    }

    @Override
    void endWithRun() {
        if (error == null) {
            error = run.context().content("the run ended before it");
        }
        run.endWork(this, this::event);
    }

    private RunEvent event(long seq, long nanos) {
        return SpanRecordedBuilder.builder()
                .run(run.info())
                .seq(seq)
                .nanos(nanos)
                .step(stepNumber())
                .startNanos(work.startNanos())
                .name(work.name())
                .parentSeq(work.parentSeq())
                .attributes(attributes)
                .error(error)
                .build();
    }
}
