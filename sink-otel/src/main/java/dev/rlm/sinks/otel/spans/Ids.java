package dev.rlm.sinks.otel.spans;

import io.opentelemetry.api.trace.SpanId;
import io.opentelemetry.api.trace.TraceId;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * The ids of a run's trace and spans, which follow from the run id: any process can name them, before, during and after
 * the run, and sending a span again gives it the same.
 *
 * <p>The trace id is the first 16 bytes of the run id's SHA-256; a span id mixes the next 8 with the span's kind and the
 * number of its event.
 */
public record Ids(String traceId, long hash) {
    /** Kinds of spans. The numbers are part of the ids and never change. */
    public enum Kind {
        RUN(1),
        MARKER(2),
        STEP(3),
        MODEL_CALL(4),
        TOOL_CALL(5),
        /** The computation of a reward, or work that the user named: spans of other events may lie in it. */
        WORK(6);

        private final int number;

        Kind(int number) {
            this.number = number;
        }
    }

    public static Ids of(String runId) {
        ByteBuffer digest = ByteBuffer.wrap(sha256(runId));
        return new Ids(TraceId.fromLongs(digest.getLong(), digest.getLong()), digest.getLong());
    }

    /** The id of the span of that kind whose event has that number; a step's is that of its start. */
    public String spanId(Kind kind, long seq) {
        long id = mix(hash ^ mix(((long) kind.number << 56) ^ seq));
        return SpanId.fromLong(id == 0 ? 1 : id);
    }

    /** Spreads a change of any bit over all: the finalizer of SplitMix64 (Steele, Lea and Flood, 2014). */
    private static long mix(long value) {
        long z = value + 0x9E3779B97F4A7C15L;
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }

    private static byte[] sha256(String text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
