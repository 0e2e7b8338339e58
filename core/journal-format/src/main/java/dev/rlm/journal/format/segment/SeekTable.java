package dev.rlm.journal.format.segment;

import io.airlift.compress.zstd.ZstdDecompressor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Lengths of the frames of a compressed file, each of which can be read alone. It stands at the file's end in a frame that
 * readers of zstd pass over, as zstd's "seekable format" 0.1.0 says. For one thread.
 */
final class SeekTable {
    /** The most bytes of text in a frame that is written here; the compressor finds nothing that lies further back. */
    static final int FRAME = 1 << 20;

    private static final int MAX_FRAME = 64 << 20; // of others: larger ones are not read in one piece
    private static final int SKIPPABLE_FRAME = 0x184D2A5E;
    private static final int SEEKABLE = 0x8F92EAB1;
    private static final int HEADER = 2 * Integer.BYTES;
    private static final int FOOTER = 2 * Integer.BYTES + 1;
    private static final int ENTRY = 2 * Integer.BYTES;
    private static final int CHECKSUMS = 0x80; // flag: four bytes more an entry
    private static final int RESERVED = 0x7C;

    private long[] fileOffsets = new long[16]; // where each frame begins in the file, and where the last one ends
    private long[] textOffsets = new long[16]; // the same in the text
    private int frames;

    /** Notes the next frame's length in the file and in the text. */
    void add(int inFile, int inText) {
        if (frames + 2 > fileOffsets.length) {
            fileOffsets = Arrays.copyOf(fileOffsets, 2 * frames);
            textOffsets = Arrays.copyOf(textOffsets, 2 * frames);
        }
        fileOffsets[frames + 1] = fileOffsets[frames] + inFile;
        textOffsets[frames + 1] = textOffsets[frames] + inText;
        frames++;
    }

    int frames() {
        return frames;
    }

    /** Returns where the frame begins in the file; for the number of frames, where the last one ends. */
    long fileOffset(int frame) {
        return fileOffsets[frame];
    }

    /** Returns where the frame's text begins; for the number of frames, how long the text is. */
    long textOffset(int frame) {
        return textOffsets[frame];
    }

    /** Returns the frame in which the text has that offset; the number of frames for one behind its end. */
    int frameAt(long textOffset) {
        int found = Arrays.binarySearch(textOffsets, 0, frames + 1, textOffset);
        return found >= 0 ? found : Math.min(-found - 2, frames);
    }

    /**
     * Reads a frame's text whole, so that nothing is taken of one that its checksum does not fit.
     *
     * @throws RuntimeException if it is damaged
     */
    byte[] text(FileChannel file, int frame, ZstdDecompressor decompressor) throws IOException {
        byte[] packed = PrivateFiles.read(file, fileOffset(frame), (int) (fileOffset(frame + 1) - fileOffset(frame)));
        byte[] text = new byte[(int) (textOffset(frame + 1) - textOffset(frame))];
        int length = decompressor.decompress(packed, 0, packed.length, text, 0, text.length);
        return length == text.length ? text : Arrays.copyOf(text, length);
    }

    /** Returns the bytes that stand at the end of the file. */
    ByteBuffer bytes() {
        ByteBuffer bytes = ByteBuffer.allocate(HEADER + frames * ENTRY + FOOTER).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putInt(SKIPPABLE_FRAME).putInt(bytes.capacity() - HEADER);
        for (int frame = 0; frame < frames; frame++) {
            bytes.putInt((int) (fileOffsets[frame + 1] - fileOffsets[frame]));
            bytes.putInt((int) (textOffsets[frame + 1] - textOffsets[frame]));
        }
        return bytes.putInt(frames).put((byte) 0).putInt(SEEKABLE).flip();
    }

    /** Reads it from the end of a file; null where none stands there that tells of all that stands before it. */
    static @Nullable SeekTable read(FileChannel file) throws IOException {
        long size = file.size();
        if (size < HEADER + FOOTER) {
            return null;
        }
        ByteBuffer footer = readAt(file, size - FOOTER, FOOTER);
        int frames = footer.getInt();
        int flags = footer.get();
        int entry = (flags & CHECKSUMS) == 0 ? ENTRY : ENTRY + Integer.BYTES;
        long length = HEADER + (long) frames * entry + FOOTER;
        if (footer.getInt() != SEEKABLE
                || (flags & RESERVED) != 0
                || frames < 0
                || length > Math.min(size, MAX_FRAME)) {
            return null;
        }
        ByteBuffer bytes = readAt(file, size - length, (int) length);
        boolean framed = bytes.getInt() == SKIPPABLE_FRAME && bytes.getInt() == length - HEADER;
        SeekTable table = new SeekTable();
        for (int frame = 0; framed && frame < frames; frame++) {
            int at = HEADER + frame * entry;
            int inFile = bytes.getInt(at);
            int inText = bytes.getInt(at + Integer.BYTES);
            framed = inFile > 0 && inFile <= MAX_FRAME && inText >= 0 && inText <= MAX_FRAME;
            table.add(inFile, inText);
        }
        return framed && table.fileOffset(frames) == size - length ? table : null;
    }

    private static ByteBuffer readAt(FileChannel file, long offset, int length) throws IOException {
        return ByteBuffer.wrap(PrivateFiles.read(file, offset, length)).order(ByteOrder.LITTLE_ENDIAN);
    }
}
