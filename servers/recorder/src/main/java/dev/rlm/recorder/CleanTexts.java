package dev.rlm.recorder;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * A redaction that knows the long texts again in which it has found no secret: a client that tells a conversation whole with each call of a
 * model sends them again and again. Safe for use by several threads.
 */
final class CleanTexts implements UnaryOperator<String> {
    private static final int LEAST = 512; // characters
    static final long MOST = Math.min(1 << 23, Runtime.getRuntime().maxMemory() / 32); // characters of all

    private final UnaryOperator<String> redaction;
    private final Map<String, String> clean = new LinkedHashMap<>(16, 0.75F, true);
    private long length;

    CleanTexts(UnaryOperator<String> redaction) {
        this.redaction = redaction;
    }

    @Override
    public String apply(String text) {
        if (text.length() < LEAST) {
            return redaction.apply(text);
        }
        synchronized (clean) {
            String known = clean.get(text);
            if (known != null) {
                return known;
            }
        }
        String redacted = redaction.apply(text);
        if (redacted.equals(text) && text.length() <= MOST) {
            remember(redacted);
        }
        return redacted;
    }

    private void remember(String text) {
        synchronized (clean) {
            length += clean.put(text, text) == null ? text.length() : 0;
            for (Iterator<String> eldest = clean.keySet().iterator(); length > MOST; eldest.remove()) {
                length -= eldest.next().length();
            }
        }
    }
}
