package dev.rlm.server.http;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/**
 * Body of a request, which is read as it comes and by no thread that waits for it: clients that send theirs byte by byte keep none from
 * others. Who asks for one that has not come whole is answered by {@link AwaitedException}, and asked again for the answer to the request once it has.
 */
final class ArrivingBody {
    private static final String ATTRIBUTE = ArrivingBody.class.getName();
    private static final long LEAST_RATE = 1 << 10; // in bytes a second
    private static final Duration GRACE = Duration.ofSeconds(10); // before the rate counts

    private final Request request;
    private final BodyStore store;
    private final Duration within;
    private final long start = System.nanoTime();
    private long length;
    private boolean whole;
    private @Nullable IOException failure;

    private ArrivingBody(Request request, BodyStore store, Duration within) {
        this.request = request;
        this.store = store;
        this.within = within;
    }

    /**
     * Returns the store that has the body of a request, which is made at the first call.
     *
     * @param within how long it may take to come
     * @throws AwaitedException if more of it is to come
     */
    static <S extends BodyStore> S of(Request request, Class<S> type, Supplier<S> made, Duration within)
            throws IOException {
        ArrivingBody body = request.getAttribute(ATTRIBUTE) instanceof ArrivingBody known
                ? known
                : begin(request, made.get(), within);
        if (!body.isOver()) {
            throw new AwaitedException(body);
        }
        if (body.failure != null) {
            throw body.failure;
        }
        return type.cast(body.store);
    }

    /** Begins one, whose store is given back with the request, however that ends. */
    private static ArrivingBody begin(Request request, BodyStore store, Duration within) {
        ArrivingBody body = new ArrivingBody(request, store, within);
        request.setAttribute(ATTRIBUTE, body);
        Request.addCompletionListener(request, failure -> {
            try {
                store.close();
            } catch (IOException e) {
                // a temporary file that goes with the process
            }
        });
        return body;
    }

    /** Reads what is there; whether there is nothing to wait for. */
    private boolean isOver() {
        while (!whole && failure == null) {
            Content.Chunk chunk = request.read();
            if (chunk == null) {
                failure = problem();
                return failure != null;
            } else if (Content.Chunk.isFailure(chunk)) {
                failure = chunk.getFailure() instanceof IOException known ? known : new IOException(chunk.getFailure());
            } else {
                whole = chunk.isLast();
                add(chunk);
            }
        }
        return true;
    }

    private void add(Content.Chunk chunk) {
        length += chunk.remaining();
        try {
            store.add(chunk.getByteBuffer());
        } catch (IOException e) {
            failure = e;
        } catch (RuntimeException | Error e) {
            failure = new IOException(e);
        } finally {
            chunk.release();
        }
    }

    /** Goes on with a request whose body was asked for. */
    private void await(Runnable next) {
        request.demand(() -> {
            if (isOver()) {
                next.run();
            } else {
                await(next);
            }
        });
    }

    /** Returns what is wrong with how it comes; {@code null} if nothing is. */
    private @Nullable RefusedException problem() {
        long nanos = System.nanoTime() - start;
        boolean slow = (nanos - GRACE.toNanos()) / TimeUnit.SECONDS.toNanos(1) * LEAST_RATE > length;
        return slow || nanos > within.toNanos() ? new RefusedException(408, "the body did not come in time") : null;
    }

    /** The body that is asked for has not come whole. No failure: the request is answered later. */
    static final class AwaitedException extends IOException {
        private static final long serialVersionUID = 1;

        private final transient ArrivingBody body;

        AwaitedException(ArrivingBody body) {
            super("the body is to come");
            this.body = body;
        }

        /**
         * Has the request answered once its body is there, or cannot be had.
         *
         * @param callback of the request, which hears of what is thrown
         */
        void thenRun(Runnable next, Callback callback) {
            body.await(() -> {
                try {
                    next.run();
                } catch (RuntimeException | Error failure) { // the server catches those of the first call only
                    callback.failed(failure);
                }
            });
        }

        @Override
        public synchronized Throwable fillInStackTrace() {
            return this;
        }
    }
}
