package dev.rlm.collector.runs;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import org.jspecify.annotations.Nullable;

/**
 * Span ids of one run as this product's own sink makes them: a mix of the run id's hash with the span's kind and the number
 * of its event. The mix can be undone, so that a span tells both.
 */
final class OwnSpanIds {
    private static final long GAMMA =
            0x9E3779B97F4A7C15L; // of SplitMix64 (Steele, Lea and Flood, 2014), as the next two
    private static final long INVERSE_1 = inverse(0xBF58476D1CE4E5B9L);
    private static final long INVERSE_2 = inverse(0x94D049BB133111EBL);
    private static final int KIND_SHIFT = 56;
    private static final long MAX_SEQ = 1L << 50;

    private final long hash;

    OwnSpanIds(String runId) {
        ByteBuffer digest = ByteBuffer.wrap(sha256(runId));
        hash = digest.getLong(2 * Long.BYTES);
    }

    /** Returns what an id says; {@code null} where another program made it. */
    @Nullable
    SourceEvent origin(String id) {
        long mixed = unmix(unmix(Long.parseUnsignedLong(id, 16)) ^ hash);
        int kind = (int) (mixed >>> KIND_SHIFT);
        long seq = mixed & (1L << KIND_SHIFT) - 1;
        boolean known = kind >= 1 && kind <= Kind.values().length && seq >= 1 && seq <= MAX_SEQ;
        return known ? new SourceEvent(Kind.values()[kind - 1], seq) : null;
    }

    /** Returns the number that an id says; 0 where another program made it. */
    long seq(String id) {
        SourceEvent origin = origin(id);
        return origin == null ? 0 : origin.seq();
    }

    private static long unmix(long mixed) {
        long z = unshift(mixed, 31) * INVERSE_2;
        z = unshift(z, 27) * INVERSE_1;
        return unshift(z, 30) - GAMMA;
    }

    /** Undoes {@code x ^ (x >>> bits)}. */
    private static long unshift(long value, int bits) {
        long x = value;
        for (int known = bits; known < Long.SIZE; known += bits) {
            x = value ^ (x >>> bits);
        }
        return x;
    }

    /** Returns the inverse of an odd number modulo 2^64, by Newton's iteration. */
    private static long inverse(long odd) {
        long x = odd;
        for (int i = 0; i < 6; i++) {
            x *= 2 - odd * x;
        }
        return x;
    }

    private static byte[] sha256(String text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    /** Kinds of spans, in the order of the numbers that are in ids. */
    enum Kind {
        RUN,
        MARKER,
        STEP,
        MODEL_CALL,
        TOOL_CALL,
        WORK
    }

    /**
     * Event that a span stands for.
     *
     * @param seq its number; a step's is that of its start
     */
    record SourceEvent(Kind kind, long seq) {}
}
