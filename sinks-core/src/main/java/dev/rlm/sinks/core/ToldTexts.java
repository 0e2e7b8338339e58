package dev.rlm.sinks.core;

import dev.rlm.sinks.event.Content;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Long texts that a run has told, as they were given: one that comes again, as a message does with each call of a model, is
 * held, redacted and measured once. Safe for use by several threads.
 */
final class ToldTexts {
    private static final int LEAST = 256; // characters; to look for shorter ones is not worth it
    private static final long MOST = 1 << 25; // characters of all; what comes then is not looked for

    private final RunContext run;
    private final Map<Key, Content> told = new HashMap<>();
    private long length;

    ToldTexts(RunContext run) {
        this.run = run;
    }

    Content content(@Nullable String text) {
        if (text == null || text.length() < LEAST) {
            return run.content(text);
        }
        Key key = new Key(text);
        synchronized (told) {
            Content known = told.get(key);
            if (known != null) {
                return known.again();
            }
            Content fresh = run.content(text);
            if (length + text.length() <= MOST) {
                length += text.length();
                told.put(key, fresh);
            }
            return fresh;
        }
    }

    /** Text whose hash is made of a few of its characters: to go through all with each call would cost more than all else. */
    private record Key(String text) {
        private static final int LOOKED_AT = 64;

        @Override
        public int hashCode() {
            int hash = text.length();
            for (int i = 1; i <= LOOKED_AT; i++) {
                hash = 31 * hash + text.charAt((int) ((long) i * text.length() / LOOKED_AT) - 1);
            }
            return hash;
        }
    }
}
