package dev.rlm.recorder;

import dev.rlm.server.http.BodyStore;
import dev.rlm.server.http.JsonServer;
import dev.rlm.server.http.MemoryBudget;
import dev.rlm.server.http.RefusedException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * Body of a request that has come whole: a short one in memory, a longer one in a temporary file, which only this user can
 * read and which has no name any more. So a client that reads its answers late, or not at all, holds no memory, and nothing
 * of a request that breaks off is recorded.
 */
final class BodySpool implements BodyStore {
    static final int MAX_LENGTH = 64 << 20;

    private static final int IN_MEMORY = 1 << 17;
    private static final int COPIES = 3; // of what is held in memory, while it grows
    private static final int MAX_FILES = 256;
    private static final MemoryBudget MEMORY =
            new MemoryBudget(Runtime.getRuntime().maxMemory() / 8);
    private static final Semaphore FILES = new Semaphore(MAX_FILES);

    private final MemoryBudget.Share share = MEMORY.share();
    private ByteArrayOutputStream head = new ByteArrayOutputStream();
    private @Nullable FileChannel file;
    private long length;

    @Override
    public void add(ByteBuffer more) throws IOException {
        length += more.remaining();
        if (length > MAX_LENGTH) {
            throw JsonServer.tooLong(MAX_LENGTH);
        } else if (length <= IN_MEMORY) {
            if (!share.take((long) COPIES * more.remaining())) {
                throw JsonServer.busy();
            }
            byte[] bytes = new byte[more.remaining()];
            more.get(bytes);
            head.write(bytes);
            return;
        }
        FileChannel written = file;
        if (written == null) {
            if (!FILES.tryAcquire()) {
                throw JsonServer.busy();
            }
            try {
                written = create();
                file = written;
            } finally {
                if (file == null) {
                    FILES.release();
                }
            }
            write(written, ByteBuffer.wrap(head.toByteArray()));
            head = new ByteArrayOutputStream();
            share.close();
        }
        write(written, more);
    }

    /** Returns what it has, to be read once. */
    InputStream stream() throws IOException {
        return file == null ? new ByteArrayInputStream(head.toByteArray()) : Channels.newInputStream(file.position(0));
    }

    @Override
    public void close() throws IOException {
        share.close();
        FileChannel written = file;
        if (written != null) {
            file = null;
            FILES.release();
            written.close();
        }
    }

    private static FileChannel create() throws IOException {
        try {
            return FileChannel.open(
                    Files.createTempFile("rlm-record-", ".body"),
                    StandardOpenOption.READ,
                    StandardOpenOption.WRITE,
                    StandardOpenOption.DELETE_ON_CLOSE);
        } catch (IOException e) {
            throw noRoom(e);
        }
    }

    private static void write(FileChannel file, ByteBuffer bytes) throws IOException {
        try {
            while (bytes.hasRemaining()) {
                file.write(bytes);
            }
        } catch (IOException e) {
            throw noRoom(e);
        }
    }

    private static RefusedException noRoom(IOException cause) {
        return new RefusedException(507, "no temporary file can take the body, nothing was recorded: " + cause);
    }
}
