package dev.rlm.runner.sandbox;

import dev.rlm.sinks.event.RunStatus;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Outcome of a piece of code.
 *
 * @param output what it printed, and its last expression's value
 * @param error the traceback, or, of a {@linkplain Kind#isLoss loss}, what it did that it was ended; {@code null} where it came to a
 *     good end
 * @param state a digest of the variables that it left; {@code null} where there is none
 */
public record SandboxReply(
        Kind kind,
        String output,
        @Nullable String error,
        @Nullable String state) {
    /** The {@link #state} of an interpreter without variables: the SHA-256 of nothing. */
    public static final String NO_VARIABLES = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    private static final Pattern DIGEST = Pattern.compile("[0-9a-f]{64}");
    private static final int RESOURCE_EXHAUSTED = 8; // gRPC's
    private static final int MAX_LENGTH = 1 << 28;

    /** End of the code, in the order of the harness's numbers. */
    public enum Kind {
        DONE(RunStatus.OK),
        RAISED(RunStatus.INVALID_ARGUMENT),
        LATE(RunStatus.DEADLINE_EXCEEDED),
        OVER_LIMIT(RESOURCE_EXHAUSTED),
        DIED(RunStatus.ABORTED);

        private final int status;

        Kind(int status) {
            this.status = status;
        }

        /** Returns the status of the tool's call, one of {@link RunStatus}'s or another of gRPC's. */
        public int status() {
            return status;
        }

        /** Returns whether the interpreter is gone, and its state with it. */
        public boolean isLoss() {
            return compareTo(RAISED) > 0;
        }
    }

    /** One by which the state is lost. */
    static SandboxReply lost(Kind kind, String output, String reason) {
        return new SandboxReply(kind, output, reason, NO_VARIABLES);
    }

    /** Reads what the harness answers. */
    static SandboxReply read(DataInputStream in) throws IOException {
        int number = in.readUnsignedByte();
        if (number >= Kind.values().length) {
            throw new IOException("the harness answered " + number);
        }
        Kind kind = Kind.values()[number];
        String output = text(in);
        String error = text(in);
        String state = text(in);
        return kind.isLoss()
                ? lost(kind, output, error)
                : new SandboxReply(
                        kind,
                        output,
                        kind == Kind.DONE ? null : error,
                        DIGEST.matcher(state).matches() ? state : null);
    }

    private static String text(DataInputStream in) throws IOException {
        int length = in.readInt();
        if (length < 0 || length > MAX_LENGTH) {
            throw new IOException("the harness announced " + length + " bytes");
        }
        return new String(in.readNBytes(length), StandardCharsets.UTF_8);
    }
}
