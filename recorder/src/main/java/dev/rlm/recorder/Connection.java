package dev.rlm.recorder;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A client's connection: with the server's thread until the head of a request has come, then with a worker, and back. Each
 * time that it waits for the client it has a deadline, after which the server's thread closes it.
 */
final class Connection implements Closeable {
    static final int MAX_HEAD = 16 << 10;

    private static final Duration DRAIN_TIME = Duration.ofSeconds(2);
    private static final int FIRST_SIZE = 1 << 10;
    private static final String END_OF_HEAD = "\r\n\r\n";

    private final SocketChannel channel;
    private ByteBuffer in = ByteBuffer.allocate(FIRST_SIZE).flip(); // ready to be read from
    private volatile long deadline;
    private volatile boolean bounded;
    private boolean draining;

    Connection(SocketChannel channel) {
        this.channel = channel;
    }

    SocketChannel channel() {
        return channel;
    }

    // ---- time

    /** Gives the client so long, from now on. */
    void expectWithin(Duration time) {
        deadline = System.nanoTime() + time.toNanos();
        bounded = true;
    }

    /** Waits for the client no more. */
    void expectNothing() {
        bounded = false;
    }

    boolean isOverdue() {
        return bounded && System.nanoTime() - deadline > 0;
    }

    // ---- on the server's thread, without blocking

    /** Reads what there is; false at the end. */
    boolean fill() throws IOException {
        if (draining) {
            in.clear().flip();
        }
        return refill() >= 0;
    }

    /** Returns whether something of a request has come. */
    boolean hasBegun() {
        return in.hasRemaining();
    }

    /** Takes the head of the next request; {@code null} while it is not whole. */
    @Nullable
    RequestHead head() throws BadRequestException {
        String text = new String(in.array(), in.position(), in.remaining(), StandardCharsets.ISO_8859_1);
        int length = text.indexOf(END_OF_HEAD);
        if (length < 0 && in.remaining() >= MAX_HEAD) {
            throw new BadRequestException(431, "the request line and the headers are longer than 16 KiB");
        } else if (length < 0) {
            return null;
        }
        in.position(in.position() + length + END_OF_HEAD.length());
        return RequestHead.parse(text.substring(0, length));
    }

    /** Sends the last answer, and reads on a little: to close at once could take the answer away before it is read. */
    void finish(Response last) {
        draining = true;
        expectWithin(DRAIN_TIME);
        try {
            write(ByteBuffer.wrap(last.bytes()));
            channel.shutdownOutput();
        } catch (IOException e) {
            close(); // the client has gone
        }
    }

    boolean isDraining() {
        return draining;
    }

    // ---- on a worker, blocking

    /** Reads a byte. */
    int read() throws IOException {
        awaitBytes();
        return in.get() & 0xff;
    }

    /** Reads some bytes. */
    int read(byte[] into, int offset, int length) throws IOException {
        if (!in.hasRemaining() && length >= in.capacity()) {
            return checked(channel.read(ByteBuffer.wrap(into, offset, length)));
        }
        awaitBytes();
        int count = Math.min(length, in.remaining());
        in.get(into, offset, count);
        return count;
    }

    private void awaitBytes() throws IOException {
        if (!in.hasRemaining()) {
            var unused = checked(refill());
        }
    }

    private static int checked(int count) throws EOFException {
        if (count < 0) {
            throw new EOFException("the client left before the end of its request");
        }
        return count;
    }

    void write(ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            if (channel.write(bytes) == 0) {
                throw new IOException("the client does not take a short answer"); // not blocking: its buffer is full
            }
        }
    }

    private int refill() throws IOException {
        if (in.remaining() == in.capacity()) {
            in = ByteBuffer.allocate(Math.min(MAX_HEAD, in.capacity() * 2))
                    .put(in)
                    .flip();
        }
        in.compact();
        try {
            return channel.read(in);
        } finally {
            in.flip();
        }
    }

    boolean isOpen() {
        return channel.isOpen();
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            return; // it is of no use in any case
        }
    }
}
