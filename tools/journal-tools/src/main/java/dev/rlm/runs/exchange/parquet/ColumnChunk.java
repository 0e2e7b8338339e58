package dev.rlm.runs.exchange.parquet;

import dev.rlm.sinks.event.Content;
import io.airlift.compress.zstd.ZstdCompressor;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The values of a column in a group of rows: pages that are compressed, and one that is being filled. */
final class ColumnChunk {
    private static final int PAGE = 1 << 20; // bytes before compression
    private static final int PLAIN = 0;
    private static final int RUNS = 3; // run lengths, for which of the values are there
    private static final int ZSTD = 6;

    private final String name;
    private final ParquetType type;
    private final ZstdCompressor compressor = new ZstdCompressor();
    private final GrowingBytes values = new GrowingBytes();
    private final GrowingBytes presence = new GrowingBytes();
    private final List<byte[]> pages = new ArrayList<>(); // a header and what it tells of, by turns
    private boolean present; // whether the values of the present run are there
    private int run; // its length
    private int rowsOfPage;
    private int bits; // of flags that fill no byte yet
    private int flags;
    private long rows;
    private long packed;
    private long unpacked;

    ColumnChunk(String name, ParquetType type) {
        this.name = name;
        this.type = type;
    }

    void add(@Nullable Object value) {
        if (run > 0 && present != (value != null)) {
            endRun();
        }
        present = value != null;
        run++;
        rowsOfPage++;
        if (value != null) {
            append(value);
        }
        if (values.size() + presence.size() >= PAGE) {
            endPage();
        }
    }

    private void append(Object value) {
        switch (type) {
            case BOOLEAN -> appendBit((boolean) value);
            case INT64, TIMESTAMP -> values.number((long) value, Long.BYTES);
            case DOUBLE -> values.number(Double.doubleToLongBits((double) value), Double.BYTES);
            case STRING, JSON -> {
                byte[] text = Content.wellFormed((String) value).getBytes(StandardCharsets.UTF_8);
                values.number(text.length, Integer.BYTES);
                values.writeBytes(text);
            }
        }
    }

    private void appendBit(boolean value) {
        bits |= value ? 1 << flags : 0;
        flags++;
        if (flags == Byte.SIZE) {
            endByte();
        }
    }

    private void endByte() {
        values.write(bits);
        bits = 0;
        flags = 0;
    }

    private void endRun() {
        presence.varint((long) run << 1);
        presence.write(present ? 1 : 0);
        run = 0;
    }

    private void endPage() {
        endRun();
        if (flags > 0) {
            endByte();
        }
        GrowingBytes page = new GrowingBytes();
        page.number(presence.size(), Integer.BYTES);
        page.writeBytes(presence.toByteArray());
        page.writeBytes(values.toByteArray());
        addPage(page.toByteArray());
        rows += rowsOfPage;
        rowsOfPage = 0;
        presence.reset();
        values.reset();
    }

    private void addPage(byte[] page) {
        byte[] room = new byte[compressor.maxCompressedLength(page.length)];
        int length = compressor.compress(page, 0, page.length, room, 0, room.length);
        CompactThrift header = new CompactThrift();
        header.begin().i32(1, 0).i32(2, page.length).i32(3, length);
        header.begin(5).i32(1, rowsOfPage).i32(2, PLAIN).i32(3, RUNS).i32(4, RUNS);
        header.end().end();
        byte[] head = header.bytes();
        pages.add(head);
        pages.add(Arrays.copyOf(room, length));
        unpacked += head.length + page.length;
        packed += head.length + length;
    }

    /** Returns how many bytes it keeps in memory. */
    long size() {
        return packed + values.size() + presence.size();
    }

    /** Returns how many bytes its pages have uncompressed; complete after {@link #write}. */
    long unpacked() {
        return unpacked;
    }

    /** Writes the pages, describes where they are, and returns how many bytes they take. */
    long write(OutputStream out, long offset, CompactThrift footer) throws IOException {
        if (rowsOfPage > 0) {
            endPage();
        }
        for (byte[] part : pages) {
            out.write(part);
        }
        footer.begin().i64(2, offset).begin(3).i32(1, type.physical());
        footer.list(2, CompactThrift.I32, 2).whole(PLAIN).whole(RUNS);
        footer.list(3, CompactThrift.TEXT, 1).element(name).i32(4, ZSTD);
        footer.i64(5, rows).i64(6, unpacked).i64(7, packed).i64(9, offset);
        footer.end().end();
        return packed;
    }
}
