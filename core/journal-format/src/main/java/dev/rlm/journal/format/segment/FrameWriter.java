package dev.rlm.journal.format.segment;

import io.airlift.compress.zstd.ZstdCompressor;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Text on its way into a file that is compressed with zstd, in frames that can each be read alone. The file is its maker's. */
final class FrameWriter {
    private final Disk.Output output;
    private final SeekTable table = new SeekTable();
    private final ZstdCompressor compressor = new ZstdCompressor();
    private final byte[] packed = new byte[compressor.maxCompressedLength(SeekTable.FRAME)];

    FrameWriter(Disk.Output output) {
        this.output = output;
    }

    /** Writes a frame, of at most {@link SeekTable#FRAME} bytes. */
    void write(byte[] text, int length) throws IOException {
        int inFile = compressor.compress(text, 0, length, packed, 0, packed.length);
        output.append(ByteBuffer.wrap(packed, 0, inFile));
        table.add(inFile, length);
    }

    /** Writes the table of the frames behind them, and returns it. */
    SeekTable finish() throws IOException {
        output.append(table.bytes());
        return table;
    }
}
