package dev.rlm.journal.format.segment;

import io.airlift.compress.zstd.ZstdDecompressor;
import io.airlift.compress.zstd.ZstdInputStream;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * Text of a file that is compressed with zstd. Where the file has a {@link SeekTable}, one can skip to any place in it; others are
 * read from their beginnings. Damage shows as a {@link DamagedFileException}.
 */
final class DecompressedFile extends InputStream {
    private final FileChannel file;
    private final @Nullable SeekTable table;
    private final ZstdDecompressor decompressor = new ZstdDecompressor();
    private InputStream frame; // that is read now; the whole file where there is no table
    private int next; // frame
    private long position; // in the text

    DecompressedFile(Path path) throws IOException {
        file = PrivateFiles.open(path, StandardOpenOption.READ);
        try {
            table = SeekTable.read(file);
            frame = table == null ? new ZstdInputStream(Channels.newInputStream(file)) : InputStream.nullInputStream();
        } catch (IOException | RuntimeException e) {
            file.close();
            throw e;
        }
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] bytes, int from, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        try {
            int count = frame.read(bytes, from, length);
            while (count < 0 && table != null && next < table.frames()) {
                frame = new ByteArrayInputStream(table.text(file, next++, decompressor));
                count = frame.read(bytes, from, length);
            }
            position += Math.max(count, 0);
            return count;
        } catch (ClosedByInterruptException e) {
            throw e;
        } catch (IOException | RuntimeException e) { // the codec has no exception of its own for all kinds of damage
            throw new DamagedFileException(e);
        }
    }

    @Override
    public long skip(long count) throws IOException {
        long from = position;
        int target = table == null ? 0 : table.frameAt(position + count);
        if (table != null && target >= next) {
            frame = InputStream.nullInputStream();
            next = target;
            position = table.textOffset(target);
        }
        byte[] skipped = new byte[64 << 10];
        long end = from + count;
        int read = 0;
        while (position < end && read >= 0) {
            read = read(skipped, 0, (int) Math.min(end - position, skipped.length));
        }
        return position - from;
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
