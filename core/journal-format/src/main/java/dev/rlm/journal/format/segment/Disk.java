package dev.rlm.journal.format.segment;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Optional;

/**
 * File system of a writer. Only their owner may use the files and folders it makes, and no symbolic link is followed to
 * a file, nor to the folder that holds it.
 */
public interface Disk {
    /** This machine's. */
    Disk LOCAL = new LocalDisk();

    /** Makes a folder and those above it where they are not there yet; their names survive a loss of power. */
    void createFolder(Path folder) throws IOException;

    /** Takes the lock of a folder as its writer. */
    Lock lock(Path folder) throws IOException;

    /**
     * Takes the lock of a folder whose writer has ended well, as one that goes on there; empty where that cannot be.
     *
     * @param name of the one who takes it
     */
    Optional<Lock> takeOver(Path folder, String name) throws IOException;

    /** Makes a file that is not there yet. */
    Output create(Path file) throws IOException;

    /** Opens a file that is there, to write at its end. */
    Output reopen(Path file) throws IOException;

    /** Reads a file from its beginning. */
    InputStream read(Path file) throws IOException;

    /** Takes a file away, if it is there. */
    void delete(Path file) throws IOException;

    /** Makes the names in a folder survive a loss of power, as they are now. */
    void syncNames(Path folder) throws IOException;

    /** A file that is written at its end. */
    interface Output extends Closeable {
        /** Writes all of the bytes; where it throws, as many of them as {@link ByteBuffer#position} says. */
        void append(ByteBuffer bytes) throws IOException;

        /** Makes what was written survive a loss of power. Once it has thrown, another call would prove nothing. */
        void sync() throws IOException;

        /** Gives it another name, in place of the file that has it. */
        void rename(Path file) throws IOException;

        /**
         * Looks whether it still lies where it was made, with all that was written and nothing else.
         *
         * @throws TamperedException if not
         */
        void check() throws IOException;
    }

    /** The sign that a folder's writer lives. */
    interface Lock extends Closeable {
        /**
         * Looks whether others can still see it.
         *
         * @throws TamperedException if not
         */
        void check() throws IOException;

        /** Takes its file away while it is held, as the sign that its writer has ended well. */
        void remove() throws IOException;
    }
}
