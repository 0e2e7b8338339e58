package dev.rlm.benchmarks.otlp;

/**
 * Counts the spans of an {@code ExportTraceServiceRequest} by walking along its fields, reading none of what is in a span:
 * a receiver is to cost as little as it can.
 */
final class SpanCount {
    /** The fields on the way to a span: {@code resource_spans}, {@code scope_spans}, {@code spans}. */
    private static final int[] WAY = {1, 2, 2};

    private static final int VARINT = 0;
    private static final int FIXED_64 = 1;
    private static final int LENGTH = 2;
    private static final int FIXED_32 = 5;

    private final byte[] bytes;
    private int at;

    private SpanCount(byte[] bytes) {
        this.bytes = bytes;
    }

    /**
     * Returns the number of spans in the first {@code length} bytes.
     *
     * @throws IllegalArgumentException if they are no such message
     */
    static int of(byte[] bytes, int length) {
        return new SpanCount(bytes).count(length, 0);
    }

    private int count(int end, int depth) {
        int spans = 0;
        while (at < end) {
            int tag = (int) varint();
            int type = tag & 7;
            if (type == LENGTH && tag >>> 3 == WAY[depth]) {
                int inner = Math.toIntExact(varint()) + at;
                spans += depth == WAY.length - 1 ? 1 : count(inner, depth + 1);
                at = inner;
            } else {
                skip(type);
            }
        }
        if (at != end) {
            throw new IllegalArgumentException("a field ends behind its message");
        }
        return spans;
    }

    private void skip(int type) {
        switch (type) {
            case VARINT -> varint();
            case FIXED_64 -> at += Long.BYTES;
            case LENGTH -> {
                int length = Math.toIntExact(varint());
                at += length;
            }
            case FIXED_32 -> at += Integer.BYTES;
            default -> throw new IllegalArgumentException("no such type of field: " + type);
        }
    }

    private long varint() {
        long value = 0;
        int shift = 0;
        byte next;
        do {
            next = bytes[at++];
            value |= (long) (next & 0x7f) << shift;
            shift += 7;
        } while (next < 0);
        return value;
    }
}
