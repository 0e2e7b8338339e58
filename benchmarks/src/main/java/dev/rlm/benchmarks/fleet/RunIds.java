package dev.rlm.benchmarks.fleet;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * Ids of a run's trace and spans, by the rule of the OpenTelemetry sink.
 *
 * @param hash what the ids of the spans are made of
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record RunIds(String runId, byte[] traceId, long hash) {
    /** Number of kinds of spans. */
    static final int KINDS = 6;

    private static final int STEP = 3;
    private static final int KIND_SHIFT = 56;
    private static final int TRACE_ID = 16; // bytes

    static RunIds of(String runId) {
        try {
            ByteBuffer digest = ByteBuffer.wrap(
                    MessageDigest.getInstance("SHA-256").digest(runId.getBytes(StandardCharsets.US_ASCII)));
            byte[] traceId = new byte[TRACE_ID];
            digest.get(traceId);
            return new RunIds(runId, traceId, digest.getLong());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns what a span's id is made of, beside the run's hash. */
    static long origin(int kind, long seq) {
        return ((long) kind << KIND_SHIFT) ^ seq;
    }

    static boolean isStep(long origin) {
        return origin >>> KIND_SHIFT == STEP;
    }

    long spanId(long origin) {
        return mix(hash ^ mix(origin));
    }

    /** The finalizer of SplitMix64 (Steele, Lea and Flood, 2014). */
    private static long mix(long value) {
        long z = value + 0x9E3779B97F4A7C15L;
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }
}
