package dev.rlm.recorder;

import dev.rlm.cli.http.JsonServer;
import dev.rlm.cli.http.RefusedException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;

/**
 * Body of a request that has come whole: a short one in memory, a longer one in a temporary file, which only this user can
 * read and which has no name any more. So a client that reads its answers late, or not at all, holds no memory, and nothing
 * of a request that breaks off is recorded.
 */
final class BodySpool {
    static final int MAX_LENGTH = 64 << 20;

    private static final int IN_MEMORY = 1 << 17;

    private BodySpool() {}

    /** Reads all of a body, to be read again once. */
    static InputStream read(InputStream body) throws IOException {
        byte[] head = body.readNBytes(IN_MEMORY);
        return head.length < IN_MEMORY ? new ByteArrayInputStream(head) : Channels.newInputStream(written(head, body));
    }

    private static FileChannel written(byte[] head, InputStream body) throws IOException {
        FileChannel file = create();
        try {
            long length = 0;
            byte[] chunk = head;
            for (int count = head.length; count >= 0; count = body.read(chunk)) {
                length += count;
                if (length > MAX_LENGTH) {
                    throw JsonServer.tooLong(MAX_LENGTH);
                }
                write(file, ByteBuffer.wrap(chunk, 0, count));
            }
            return file.position(0);
        } catch (IOException | RuntimeException | Error e) {
            file.close();
            throw e;
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
