package dev.rlm.cli;

import dev.rlm.cli.terminal.Printable;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** A command cannot be carried out as it was given. The message is one line: what was wrong and what is allowed. */
public final class UsageException extends RuntimeException {
    private static final long serialVersionUID = 1;
    private static final int SHOWN = 10;

    public UsageException(String message) {
        super(Printable.line(message));
    }

    public UsageException(String message, Throwable cause) {
        super(Printable.line(message), cause);
    }

    /** Checks that a name is one of those known; of many, the message shows the first ones. */
    public static void checkKnown(String kind, String name, Collection<String> known) {
        if (!known.contains(name)) {
            throw unknown(kind, name, known, null);
        }
    }

    /**
     * Returns the exception of a name that is none of those known.
     *
     * @param broken why there may be too few; {@code null} where that is not so
     */
    public static UsageException unknown(String kind, String name, Collection<String> known, @Nullable String broken) {
        String some = String.join(", ", known.stream().limit(SHOWN).toList());
        String more = known.size() > SHOWN ? " and " + (known.size() - SHOWN) + " more" : "";
        return new UsageException("unknown " + kind + " '" + name + "': known are " + some + more
                + (broken == null ? "" : "; a plug-in cannot be loaded: " + broken));
    }
}
