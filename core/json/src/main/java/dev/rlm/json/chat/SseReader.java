package dev.rlm.json.chat;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/** Splits a stream of server-sent events into the data of each, as its bytes come. Not for several threads. */
public final class SseReader {
    private static final String DATA = "data:";

    private final Consumer<String> events;
    private ByteArrayOutputStream line = new ByteArrayOutputStream();
    private StringBuilder data = new StringBuilder();
    private boolean afterReturn;
    private boolean begun;

    /** One that hands on the data of each event that is whole; of several lines of data all, a line each. */
    public SseReader(Consumer<String> events) {
        this.events = events;
    }

    /** Takes so many bytes of those, from that place on. */
    public void add(byte[] bytes, int from, int length) {
        for (int i = from; i < from + length; i++) {
            byte each = bytes[i];
            if (each == '\r' || (each == '\n' && !afterReturn)) {
                endLine();
            } else if (each != '\n') {
                line.write(each);
            }
            afterReturn = each == '\r';
        }
    }

    private void endLine() {
        String text = line.toString(StandardCharsets.UTF_8);
        line.reset();
        if (!begun && text.startsWith("\ufeff")) { // a byte order mark, which the standard passes over
            text = text.substring(1);
        }
        begun = true;
        if (text.startsWith(DATA)) {
            data.append(data.isEmpty() ? "" : "\n")
                    .append(text.substring(DATA.length()).strip());
        } else if (text.startsWith("{")) { // an error that a server tells in the place of a stream
            data.append(text);
        } else if (text.isEmpty()) {
            end();
        }
    }

    /** Returns how many bytes it holds of an event that is not whole. */
    public int pending() {
        return line.size() + data.length();
    }

    /** Forgets what it holds. */
    public void clear() {
        line = new ByteArrayOutputStream();
        data = new StringBuilder();
    }

    /** Hands on what is there: some servers leave out the last empty line. */
    public void end() {
        if (line.size() > 0) {
            endLine();
        }
        if (!data.isEmpty()) {
            String event = data.toString();
            data.setLength(0);
            events.accept(event);
        }
    }
}
