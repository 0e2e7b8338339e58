package dev.rlm.runner.openai;

import dev.rlm.cli.Durations;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** The body of a reply, within the limits of its time and size: whole, or an event of a stream at a time. */
final class ReplyBody {
    private static final int MAX_BYTES = 1 << 26;
    private static final Duration DRAIN = Duration.ofMillis(200);

    private final BodyChunks chunks;
    private final Deadline deadline;
    private final Duration silence;
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();
    private final StringBuilder data = new StringBuilder();
    private final Queue<String> events = new ArrayDeque<>();
    private int size;
    private boolean ended;

    /**
     * A body.
     *
     * @param silence how long nothing may come once something has come
     */
    ReplyBody(BodyChunks chunks, Deadline deadline, Duration silence) {
        this.chunks = chunks;
        this.deadline = deadline;
        this.silence = silence;
    }

    /** Whether anything of it has come. */
    boolean hasBegun() {
        return size > 0;
    }

    /** All of it. */
    String whole() throws IOException, InterruptedException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] bytes = next(); bytes != null; bytes = next()) {
            all.writeBytes(bytes);
        }
        return all.toString(StandardCharsets.UTF_8);
    }

    /** The data of the next event; {@code null} at the end. */
    @Nullable
    String event() throws IOException, InterruptedException {
        while (events.isEmpty() && !ended) {
            byte[] bytes = next();
            if (bytes == null) {
                ended = true;
                endLine();
                endEvent();
            } else {
                read(bytes);
            }
        }
        return events.poll();
    }

    /** Waits a moment for the end, so that the connection can serve another call. */
    void drain() throws InterruptedException {
        try {
            while (!ended && chunks.next(DRAIN) != null) {
                // what comes after the last event says nothing
            }
        } catch (IOException | TimeoutException e) {
            // then it is closed
        }
    }

    private byte @Nullable [] next() throws IOException, InterruptedException {
        Duration left = deadline.left();
        boolean silently = hasBegun() && silence.compareTo(left) < 0;
        try {
            byte[] bytes = chunks.next(silently ? silence : left);
            size += bytes == null ? 0 : bytes.length;
            if (size > MAX_BYTES) {
                throw ChatException.lasting("the reply has more than " + MAX_BYTES + " bytes");
            }
            return bytes;
        } catch (TimeoutException e) {
            throw silently
                    ? new ChatException(
                            "nothing came for " + Durations.text(silence) + " (--model-silence)", true, null)
                    : ChatException.lasting("the reply has not ended in time (--model-timeout)");
        }
    }

    private void read(byte[] bytes) {
        for (byte b : bytes) {
            if (b == '\n') {
                endLine();
            } else {
                line.write(b);
            }
        }
    }

    private void endLine() {
        String text = line.toString(StandardCharsets.UTF_8).stripTrailing();
        line.reset();
        if (text.isEmpty()) {
            endEvent();
        } else if (text.startsWith("data:")) {
            data.append(data.length() == 0 ? "" : "\n")
                    .append(text.substring("data:".length()).strip());
        }
    }

    private void endEvent() {
        if (data.length() > 0) {
            events.add(data.toString());
            data.setLength(0);
        }
    }
}
