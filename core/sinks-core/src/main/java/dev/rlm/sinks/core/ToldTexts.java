package dev.rlm.sinks.core;

import dev.rlm.sinks.event.Content;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Long texts that a run has told, as they were given: one that comes again, as a message does with each call of a model, is
 * held, redacted and measured once. Safe for use by several threads.
 */
final class ToldTexts {
    private static final int LEAST = 256; // characters; to look for shorter ones is not worth it

    private final RunContext run;
    private final Map<Key, Content> told = new ConcurrentHashMap<>();

    ToldTexts(RunContext run) {
        this.run = run;
    }

    Content content(@Nullable String text) {
        if (text == null || text.length() < LEAST) {
            return run.content(text);
        }
        Key key = new Key(text);
        Content known = told.get(key);
        if (known != null) {
            return known.again();
        }
        Content fresh = run.content(text);
        told.put(key, fresh);
        run.toldTexts().add(this, text.length());
        return fresh;
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

    /** Those of all runs of a hub, of which the run that has told nothing new for longest is forgotten first. Safe for use by several threads. */
    static final class OfAll {
        private static final long MOST = Math.min(1 << 26, Runtime.getRuntime().maxMemory() / 16); // characters

        private final Map<ToldTexts, Long> lengths = new LinkedHashMap<>(16, 0.75F, true);
        private long length;

        private synchronized void add(ToldTexts run, long more) {
            lengths.merge(run, more, Long::sum);
            length += more;
            for (Iterator<Map.Entry<ToldTexts, Long>> eldest =
                            lengths.entrySet().iterator();
                    length > MOST;
                    eldest.remove()) {
                Map.Entry<ToldTexts, Long> gone = eldest.next();
                length -= gone.getValue();
                gone.getKey().told.clear();
            }
        }

        synchronized void forget(ToldTexts run) {
            Long gone = lengths.remove(run);
            length -= gone == null ? 0 : gone;
        }
    }
}
