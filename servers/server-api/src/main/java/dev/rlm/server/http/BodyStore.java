package dev.rlm.server.http;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Place to which the body of a request goes as it comes. Used by one thread at a time. */
public interface BodyStore extends Closeable {
    /**
     * Takes what has come next, all of it.
     *
     * @throws RefusedException to answer with its status and message: nothing more is read then
     */
    void add(ByteBuffer more) throws IOException;

    /** Gives back what it has taken. Called once, when the request has ended, however it ended. */
    @Override
    void close() throws IOException;
}
