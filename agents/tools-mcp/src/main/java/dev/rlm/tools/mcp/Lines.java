package dev.rlm.tools.mcp;

import java.io.IOException;
import java.io.Reader;
import org.jspecify.annotations.Nullable;

/** Lines of a text, none longer than can be held. */
final class Lines {
    private final Reader text;
    private final int limit;
    private final char[] buffer = new char[8_192];
    private int position;
    private int end;

    Lines(Reader text, int limit) {
        this.text = text;
        this.limit = limit;
    }

    /** The next one without its end; {@code null} where there is none. */
    @Nullable
    String next() throws IOException {
        StringBuilder line = new StringBuilder();
        while (fill()) {
            int start = position;
            while (position < end && buffer[position] != '\n') {
                position++;
            }
            line.append(buffer, start, position - start);
            if (line.length() > limit) {
                throw new IOException("it sent a message of more than " + (limit >> 20) + " MiB");
            }
            if (position < end) {
                position++;
                return line.toString();
            }
        }
        return line.isEmpty() ? null : line.toString();
    }

    private boolean fill() throws IOException {
        if (position == end) {
            end = Math.max(0, text.read(buffer));
            position = 0;
        }
        return end > 0;
    }
}
