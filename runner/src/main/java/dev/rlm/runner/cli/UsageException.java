package dev.rlm.runner.cli;

import dev.rlm.episodes.SetupException;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** The command cannot be carried out as it was given. The message is one line: what was wrong and what is allowed. */
final class UsageException extends SetupException {
    private static final long serialVersionUID = 1;
    private static final int SHOWN = 10;

    UsageException(String message) {
        super(message);
    }

    /** Checks that a name is one of those known; of many, the message shows the first ones. */
    static void checkKnown(String kind, String name, Collection<String> known) {
        if (!known.contains(name)) {
            throw unknown(kind, name, known, null);
        }
    }

    /**
     * A name is none of those known.
     *
     * @param broken why there may be too few; {@code null} where that is not so
     */
    static UsageException unknown(String kind, String name, Collection<String> known, @Nullable String broken) {
        String some = String.join(", ", known.stream().limit(SHOWN).toList());
        String more = known.size() > SHOWN ? " and " + (known.size() - SHOWN) + " more" : "";
        return new UsageException("unknown " + kind + " '" + name + "': known are " + some + more
                + (broken == null ? "" : "; a plug-in cannot be loaded: " + broken));
    }
}
