package dev.rlm.gateway;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import okhttp3.Call;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.BufferUtil;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls that wait for the upstream. One whose client has left is ended within a second, and the upstream is told.
 * Safe for use by several threads.
 */
final class CallsUnderWay implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(CallsUnderWay.class);
    private static final String LEFT = "the client left before the reply came";
    private static final String STOPPED = "the gateway was stopped before the end of the reply";
    private static final long LOOK_MILLIS = 500;
    private static final long STOP_MILLIS = 3_000;

    private final Set<UnderWay> calls = ConcurrentHashMap.newKeySet();
    private final ScheduledExecutorService watch = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "rlm-gateway-clients");
        thread.setDaemon(true);
        return thread;
    });

    CallsUnderWay() {
        var unused = watch.scheduleWithFixedDelay(
                () -> calls.forEach(UnderWay::look), LOOK_MILLIS, LOOK_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** Adds a call, until it is closed. */
    UnderWay begin(Call call, Request request) {
        UnderWay begun = new UnderWay(call, request.getConnectionMetaData().getConnection());
        calls.add(begun);
        return begun;
    }

    /** Ends all calls, so that what has come of each is recorded. */
    @Override
    public void close() throws InterruptedException {
        watch.shutdownNow();
        calls.forEach(each -> each.end(STOPPED));
        long by = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(STOP_MILLIS);
        while (!calls.isEmpty() && System.nanoTime() < by) {
            TimeUnit.MILLISECONDS.sleep(10);
        }
    }

    /** A call. */
    final class UnderWay implements AutoCloseable {
        private final Call call;
        private final Connection client;
        private boolean closed; // guarded by this: then the client's next request may come
        private volatile @Nullable String ended;

        private UnderWay(Call call, Connection client) {
            this.call = call;
            this.client = client;
        }

        /** Returns why it was ended here; {@code null} where it was not. */
        @Nullable
        String ended() {
            return ended;
        }

        private void end(String why) {
            ended = why;
            call.cancel();
        }

        /** Looks whether the client has left. What it sends meanwhile is its next request. */
        private synchronized void look() {
            if (closed || ended != null || !(client instanceof Connection.UpgradeTo next)) {
                return;
            }
            EndPoint endPoint = client.getEndPoint();
            ByteBuffer buffer = BufferUtil.allocate(1);
            try {
                int read = endPoint.fill(buffer);
                if (read > 0) {
                    next.onUpgradeTo(buffer);
                } else if (read < 0) {
                    end(LEFT);
                }
            } catch (IOException e) {
                end(LEFT);
            } catch (RuntimeException e) { // which would end the watch over all others
                LOG.debug("a client cannot be looked after: {}", e.toString());
            }
        }

        /** Ends the watch over it. */
        @Override
        public void close() {
            synchronized (this) {
                closed = true;
            }
            calls.remove(this);
        }
    }
}
