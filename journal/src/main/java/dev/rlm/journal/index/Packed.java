package dev.rlm.journal.index;

import io.airlift.compress.lz4.Lz4Compressor;
import io.airlift.compress.lz4.Lz4Decompressor;
import java.lang.ref.SoftReference;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** Records that are compressed, with a checksum, and unpacked when they are asked for. Safe for use by several threads. */
final class Packed {
    private static final int HEADER = 3 * Integer.BYTES;
    private static final int MAX_LENGTH = 1 << 28;

    private final int length; // unpacked
    private final ByteBuffer bytes;
    private @Nullable SoftReference<PackedRecords>
            records; // there may be very many, and to unpack them again takes little time

    private Packed(int length, ByteBuffer bytes) {
        this.length = length;
        this.bytes = bytes;
    }

    /** Stands for records that were let go. */
    static final Packed GONE = new Packed(0, ByteBuffer.allocate(0));

    /** Returns records that are read each time, and so take less time as they are. */
    static Packed plain(PackedRecords records) {
        byte[] plain = records.column().bytes();
        return new Packed(plain.length, ByteBuffer.wrap(plain));
    }

    static Packed of(PackedRecords records) {
        byte[] plain = records.column().bytes();
        Lz4Compressor compressor = new Lz4Compressor();
        byte[] packed = new byte[compressor.maxCompressedLength(plain.length)];
        int size = compressor.compress(plain, 0, plain.length, packed, 0, packed.length);
        if (size >= plain.length) {
            return new Packed(plain.length, ByteBuffer.wrap(plain));
        }
        return new Packed(plain.length, ByteBuffer.wrap(Arrays.copyOf(packed, size))); // it is kept for long
    }

    /**
     * Reads and checks the next ones of a file.
     *
     * @throws RuntimeException if they are damaged
     */
    static Packed next(ByteBuffer file) {
        int length = file.getInt();
        int size = file.getInt();
        int checksum = file.getInt();
        ByteBuffer bytes = file.slice(file.position(), size);
        file.position(file.position() + size);
        if (length < 0 || length > MAX_LENGTH || checksum(length, bytes) != checksum) {
            throw new IllegalArgumentException("damaged");
        }
        return new Packed(length, bytes);
    }

    boolean isTooLarge() {
        return length > MAX_LENGTH;
    }

    /** Returns how many bytes {@link #putTo} takes. */
    int size() {
        return HEADER + bytes.remaining();
    }

    void putTo(ByteBuffer file) {
        file.putInt(length)
                .putInt(bytes.remaining())
                .putInt(checksum(length, bytes))
                .put(bytes.duplicate());
    }

    private static int checksum(int unpacked, ByteBuffer bytes) {
        CRC32C checksum = new CRC32C();
        checksum.update(ByteBuffer.allocate(Integer.BYTES).putInt(unpacked).flip());
        checksum.update(bytes.duplicate());
        return (int) checksum.getValue();
    }

    synchronized PackedRecords get() {
        PackedRecords known = records == null ? null : records.get();
        if (known == null) {
            known = unpacked();
            records = new SoftReference<>(known);
        }
        return known;
    }

    /** Unpacks them for somebody who reads them once. */
    PackedRecords unpacked() {
        byte[] unpacked = new byte[length];
        ByteBuffer to = ByteBuffer.wrap(unpacked);
        if (bytes.remaining() == length) {
            to.put(bytes.duplicate());
        } else {
            new Lz4Decompressor().decompress(bytes.duplicate(), to);
        }
        if (to.hasRemaining()) {
            throw new IllegalArgumentException(to.remaining() + " bytes too few");
        }
        return PackedRecords.of(NumberColumn.of(unpacked));
    }
}
