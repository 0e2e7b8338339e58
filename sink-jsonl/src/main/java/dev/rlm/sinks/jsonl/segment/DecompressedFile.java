package dev.rlm.sinks.jsonl.segment;

import io.airlift.compress.zstd.ZstdInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** The plain text of a file that is compressed with zstd. Damage shows as a {@link DamagedFileException}. */
final class DecompressedFile extends FilterInputStream {
    DecompressedFile(Path file) throws IOException {
        super(new ZstdInputStream(Channels.newInputStream(PrivateFiles.open(file, StandardOpenOption.READ))));
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] bytes, int from, int length) throws IOException {
        try {
            return super.read(bytes, from, length);
        } catch (ClosedByInterruptException e) {
            throw e;
        } catch (IOException | RuntimeException e) { // the codec has no exception of its own for all kinds of damage
            throw new DamagedFileException(e);
        }
    }

    @Override
    public long skip(long count) throws IOException {
        byte[] skipped = new byte[64 << 10];
        long left = count;
        int read = 0;
        while (left > 0 && read >= 0) {
            read = read(skipped, 0, (int) Math.min(left, skipped.length));
            left -= Math.max(read, 0);
        }
        return count - left;
    }
}
