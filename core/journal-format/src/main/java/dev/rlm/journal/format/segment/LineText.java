package dev.rlm.journal.format.segment;

import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Lines of segments by their places in the text. It holds the text around the last one, which is that of a frame where the segment is compressed: who
 * asks in the order of the places has each frame decompressed once. Safe for use by several threads.
 */
public final class LineText {
    private static final int WINDOW = 1 << 20;
    private static final int PLAIN_WINDOW = 64 << 10;

    private @Nullable Segment segment;
    private long from;
    private byte[] text = {};
    private int length;

    /**
     * Returns the line that begins there, without its line feed.
     *
     * @throws IOException if it is not there any more, or cannot be read
     */
    public synchronized byte[] line(Segment asked, long offset) throws IOException {
        if (!asked.equals(segment) || offset < from || offset >= from + length || feed(offset) == length) {
            open(asked, offset);
        }
        int begin = (int) (offset - from);
        return Arrays.copyOfRange(text, begin, feed(offset));
    }

    private int feed(long offset) {
        return ByteScan.lineFeed(text, (int) (offset - from), length);
    }

    private void open(Segment asked, long offset) throws IOException {
        segment = null; // until it has been read
        from = offset;
        length = 0;
        try (FileChannel channel = PrivateFiles.open(asked.plain(), StandardOpenOption.READ)) {
            fill(Channels.newInputStream(channel.position(offset)), PLAIN_WINDOW);
        } catch (NoSuchFileException | NotRegularFileException e) {
            try (InputStream stream = new DecompressedFile(asked.compressed())) {
                stream.skipNBytes(offset);
                fill(stream, WINDOW);
            }
        }
        if (length == 0) {
            throw new NoSuchFileException(asked.toString(), null, "it ends before " + offset);
        }
        segment = asked;
    }

    /** Reads the line whole, and what is beside it in the window. */
    private void fill(InputStream stream, int window) throws IOException {
        boolean more = true;
        while (more) {
            if (text.length < length + window) {
                text = Arrays.copyOf(text, Math.max(length + window, 2 * length));
            }
            int before = length;
            int count = stream.readNBytes(text, length, window);
            length += count;
            more = count == window && ByteScan.lineFeed(text, before, length) == length;
        }
    }
}
