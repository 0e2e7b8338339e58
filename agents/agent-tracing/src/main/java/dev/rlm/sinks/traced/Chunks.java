package dev.rlm.sinks.traced;

import dev.rlm.sinks.Activity;
import dev.rlm.sinks.Scope;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The chunks of a streamed reply as they come, until it ends in whichever way comes first. Safe for use by several threads. */
final class Chunks<T> implements CallRecording<Object> {
    private final Activity in;
    private final ChatRecording<List<T>> recording;
    private final List<T> come = new ArrayList<>(); // guarded by this
    private boolean ended; // guarded by this

    Chunks(Activity in, ChatRecording<List<T>> recording) {
        this.in = in;
        this.recording = recording;
    }

    /** Makes current what the call lies in, for what the agent does with a chunk: the thread that brings it has nothing. */
    Scope within() {
        return TracedModel.within(in);
    }

    /** A consumer that is handed each chunk after it was noted here. */
    Consumer<T> before(Consumer<? super T> consumer) {
        return chunk -> {
            add(chunk);
            consumer.accept(chunk);
        };
    }

    void add(T chunk) {
        if (isFirst(chunk)) {
            recording.firstToken();
        }
    }

    private synchronized boolean isFirst(T chunk) {
        if (ended) {
            return false;
        }
        come.add(chunk);
        return come.size() == 1;
    }

    /** All has come that the agent wanted. */
    void end() {
        if (isFirstEnd()) {
            recording.returned(come);
        }
    }

    @Override
    public void returned(@Nullable Object any) {
        end();
    }

    @Override
    public void failed(Throwable error) {
        if (!isFirstEnd()) {
            return;
        }
        if (come.isEmpty()) {
            recording.failed(error);
        } else {
            recording.failed(come, error);
        }
    }

    /** After it nothing is added. */
    private synchronized boolean isFirstEnd() {
        boolean first = !ended;
        ended = true;
        return first;
    }
}
