package dev.rlm.journal.index;

import dev.rlm.journal.format.segment.PrivateFiles;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicLong;

/** A file of an index that is written beside its place, a chunk at a time. For one thread. */
final class IndexWriter implements Closeable {
    private static final AtomicLong FILES = new AtomicLong();

    private final Path file;
    private final Path beside;
    private final FileChannel channel;

    /**
     * Begins to.
     *
     * @param header length in bytes of the header, which is written last
     */
    IndexWriter(Path file, int header) throws IOException {
        this.file = file;
        beside = file.resolveSibling(
                file.getFileName() + "." + ProcessHandle.current().pid() + "-" + FILES.incrementAndGet() + ".tmp");
        channel = PrivateFiles.open(
                beside, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING);
        channel.position(header);
    }

    void append(IndexChunk chunk) throws IOException {
        if (chunk.isTooLarge()) {
            throw new IOException("a chunk is too large");
        }
        write(chunk.bytes());
    }

    private void write(ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
    }

    /** Writes the header, and puts the file into its place. */
    void finish(ByteBuffer header) throws IOException {
        channel.position(0);
        write(header);
        channel.close();
        Files.move(beside, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    @Override
    public void close() throws IOException {
        channel.close();
        Files.deleteIfExists(beside);
    }
}
