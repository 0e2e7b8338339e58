package dev.rlm.console;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/** One who listens to changes, by server-sent events. Who is slow is told of the last change alone. */
final class EventStream {
    private final Response response;
    private final Callback callback;
    private long wanted; // guarded by this, as all below
    private long told;
    private boolean writing;
    private boolean over;

    EventStream(Response response, Callback callback) {
        this.response = response;
        this.callback = callback;
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, "text/event-stream");
    }

    /** Tells of a change; where it was told before, that the server is there. */
    synchronized void tell(long cursor) {
        wanted = cursor;
        if (!writing && !over) {
            write();
        }
    }

    private void write() {
        writing = true;
        String event =
                wanted == told ? ": nothing new\n\n" : "id: " + wanted + "\ndata: {\"cursor\":" + wanted + "}\n\n";
        told = wanted;
        response.write(
                false,
                ByteBuffer.wrap(event.getBytes(StandardCharsets.UTF_8)),
                Callback.from(this::written, failure -> end()));
    }

    private synchronized void written() {
        writing = false;
        if (wanted != told && !over) {
            write();
        }
    }

    /** Returns whether it has ended, or its listener has gone. */
    synchronized boolean isOver() {
        return over;
    }

    /** Ends it. */
    synchronized void end() {
        if (!over) {
            over = true;
            callback.succeeded();
        }
    }
}
