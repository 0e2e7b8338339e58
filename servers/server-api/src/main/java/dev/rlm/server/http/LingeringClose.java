package dev.rlm.server.http;

import java.time.Duration;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/**
 * Close of a connection whose request was refused before its body had come whole. The rest of the body is read for a while: a client
 * that is still sending when the connection closes is reset, and may never see the answer. Holds no thread.
 */
public final class LingeringClose implements Runnable {
    private static final int MAX_READS = 16; // at a time
    private static final Duration TIME = Duration.ofSeconds(30); // while some of the body comes
    private static final Duration IDLE_TIME = Duration.ofSeconds(5);

    private final Request request;
    private final Callback callback;
    private final long by = System.nanoTime() + TIME.toNanos();

    private LingeringClose(Request request, Callback callback) {
        this.request = request;
        this.callback = callback;
        request.getConnectionMetaData().getConnection().getEndPoint().setIdleTimeout(IDLE_TIME.toMillis());
    }

    /**
     * Says in a refusal that the connection closes, where a body has not come whole: a client may send on it again.
     *
     * @return the callback of the refusal
     */
    public static Callback whereUnread(Response response, Callback callback) {
        Request request = response.getRequest();
        boolean http1 =
                request.getConnectionMetaData().getHttpVersion().getVersion() <= HttpVersion.HTTP_1_1.getVersion();
        Content.Chunk last = lastChunk(request);
        if (!http1 || (last != null && !Content.Chunk.isFailure(last))) {
            return callback;
        }
        response.getHeaders().put(HttpHeader.CONNECTION, "close");
        boolean isWaiting = request.getHeaders().contains(HttpHeader.EXPECT); // to be told to send
        return isWaiting
                ? callback
                : Callback.from(() -> new LingeringClose(request, callback).run(), callback::failed);
    }

    /** Reads what is there of a body. Returns its end or failure, or null where more may come. */
    private static Content.@Nullable Chunk lastChunk(Request request) {
        for (int read = 0; read < MAX_READS; read++) {
            Content.Chunk chunk = request.read();
            if (chunk == null) {
                return null;
            }
            chunk.release();
            if (chunk.isLast() || Content.Chunk.isFailure(chunk)) {
                return chunk;
            }
        }
        return null;
    }

    @Override
    public void run() {
        if (lastChunk(request) != null || System.nanoTime() - by > 0) {
            callback.succeeded();
        } else {
            request.demand(this);
        }
    }
}
