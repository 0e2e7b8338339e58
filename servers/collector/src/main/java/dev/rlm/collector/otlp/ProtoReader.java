package dev.rlm.collector.otlp;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Reader of the fields of one protobuf message, a part of the bytes of a request. Of one thread. */
final class ProtoReader {
    private static final int VARINT = 0;
    private static final int FIXED64 = 1;
    private static final int BYTES = 2;
    private static final int FIXED32 = 5;
    private static final int MAX_VARINT = 70; // bits that its groups of seven have

    private final ByteBuffer in;
    private int type;

    ProtoReader(ByteBuffer message) {
        in = message.slice().order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Goes to the next field, and returns its number; 0 at the end. */
    int next() throws MalformedException {
        if (!in.hasRemaining()) {
            return 0;
        }
        long tag = readVarint();
        type = (int) (tag & 7);
        if (tag >>> 3 == 0 || tag >>> 3 >= 1 << 29) {
            throw new MalformedException("a field has no valid number");
        }
        return (int) (tag >>> 3);
    }

    long varint() throws MalformedException {
        expect(VARINT);
        return readVarint();
    }

    long fixed64() throws MalformedException {
        expect(FIXED64);
        need(Long.BYTES);
        return in.getLong();
    }

    ByteBuffer bytes() throws MalformedException {
        expect(BYTES);
        long length = readVarint();
        need(length);
        ByteBuffer part = in.slice(in.position(), (int) length);
        in.position(in.position() + (int) length);
        return part;
    }

    void skip() throws MalformedException {
        switch (type) {
            case VARINT -> readVarint();
            case FIXED64 -> fixed64();
            case BYTES -> bytes();
            case FIXED32 -> {
                need(Integer.BYTES);
                in.getInt();
            }
            default -> throw new MalformedException("a field has no valid type");
        }
    }

    private long readVarint() throws MalformedException {
        long value = 0;
        for (int shift = 0; shift < MAX_VARINT; shift += 7) {
            need(1);
            byte next = in.get();
            value |= (long) (next & 0x7f) << shift;
            if (next >= 0) {
                return value;
            }
        }
        throw new MalformedException("a number is too long");
    }

    private void expect(int expected) throws MalformedException {
        if (type != expected) {
            throw new MalformedException("a field has another type than OTLP's");
        }
    }

    private void need(long bytes) throws MalformedException {
        if (bytes < 0 || bytes > in.remaining()) {
            throw new MalformedException("the bytes end within a field");
        }
    }
}
