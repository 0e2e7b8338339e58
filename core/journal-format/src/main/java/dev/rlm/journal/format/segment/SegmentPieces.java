package dev.rlm.journal.format.segment;

import io.airlift.compress.zstd.ZstdDecompressor;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Text of a segment as long as it is when it is opened, in pieces. Each can be read alone, in any order and on any thread. */
public final class SegmentPieces implements Closeable {
    private final FileChannel file;
    private final @Nullable SeekTable table; // null for a plain file
    private final long size;

    private SegmentPieces(FileChannel file, @Nullable SeekTable table) throws IOException {
        this.file = file;
        this.table = table;
        this.size = file.size();
    }

    /** Opens a segment; empty where it can be read from its beginning alone, or is gone. */
    public static Optional<SegmentPieces> of(Segment segment) throws IOException {
        try {
            return Optional.of(new SegmentPieces(PrivateFiles.open(segment.plain(), StandardOpenOption.READ), null));
        } catch (NoSuchFileException | NotRegularFileException e) {
            return compressed(segment);
        }
    }

    private static Optional<SegmentPieces> compressed(Segment segment) throws IOException {
        if (!PrivateFiles.isFile(segment.compressed())) {
            return Optional.empty();
        }
        FileChannel file = PrivateFiles.open(segment.compressed(), StandardOpenOption.READ);
        SeekTable table = null;
        try {
            table = SeekTable.read(file);
            return table == null ? Optional.empty() : Optional.of(new SegmentPieces(file, table));
        } finally {
            if (table == null) {
                file.close();
            }
        }
    }

    /** Returns how many there are; an empty one where there is no text. */
    public int count() {
        long count = table == null ? (size + SeekTable.FRAME - 1) / SeekTable.FRAME : table.frames();
        return (int) Math.max(1, count);
    }

    /**
     * Reads a piece.
     *
     * @throws DamagedFileException if it is damaged; others may be whole nevertheless
     */
    public byte[] read(int piece) throws IOException {
        if (table == null) {
            long from = (long) piece * SeekTable.FRAME;
            return PrivateFiles.read(file, from, (int) Math.min(SeekTable.FRAME, size - from));
        }
        try {
            return table.frames() == 0 ? new byte[0] : table.text(file, piece, new ZstdDecompressor());
        } catch (RuntimeException e) { // as the codec tells of damage
            throw new DamagedFileException(e);
        }
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
