package dev.rlm.sinks.core.lane;

import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/** The flushes of a lane that somebody waits for. */
final class Flushes {
    private final Queue<Request> requests = new ConcurrentLinkedQueue<>();

    /** Asks for one that is over by that time. */
    CompletableFuture<Boolean> ask(long by) {
        Request request = new Request(by, new CompletableFuture<>());
        requests.add(request);
        return request.answer();
    }

    boolean isEmpty() {
        return requests.isEmpty();
    }

    @Nullable
    Request poll() {
        return requests.poll();
    }

    /** Nobody will flush any more. */
    void refuse() {
        for (Request request = requests.poll(); request != null; request = requests.poll()) {
            request.answer().complete(false);
        }
    }

    /**
     * A flush to be done.
     *
     * @param by until when, as {@link System#nanoTime} tells
     */
    record Request(long by, CompletableFuture<Boolean> answer) {}
}
