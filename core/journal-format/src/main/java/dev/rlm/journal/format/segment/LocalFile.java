package dev.rlm.journal.format.segment;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A file of this machine that is open, and is known again under its name by the key that the file system gives it. */
final class LocalFile implements Disk.Output {
    private final FileChannel channel;
    private final @Nullable Object key; // null where the file system has none
    private Path file;
    private long size; // as far as it was found, and written here

    LocalFile(Path file, FileChannel channel) throws IOException {
        this.file = file;
        this.channel = channel;
        this.key = attributes(file).fileKey();
        this.size = channel.size();
    }

    @Override
    public void append(ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            size += channel.write(bytes);
        }
    }

    @Override
    public void sync() throws IOException {
        channel.force(false);
    }

    @Override
    public void rename(Path name) throws IOException {
        Files.move(file, name, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        file = name;
    }

    @Override
    public void check() throws IOException {
        long now = current().size();
        if (now < size) {
            throw new TamperedException(file, "was cut from outside, from " + size + " to " + now + " bytes");
        } else if (now > size) {
            throw new TamperedException(file, "was appended to from outside, from " + size + " to " + now + " bytes");
        }
    }

    /** Looks whether it still lies there, whatever is in it. */
    BasicFileAttributes current() throws IOException {
        BasicFileAttributes now;
        try {
            now = attributes(file);
        } catch (NoSuchFileException e) {
            throw new TamperedException(file, "was taken away from outside, with its " + size + " bytes");
        }
        if (!Objects.equals(now.fileKey(), key)) {
            throw new TamperedException(file, "was replaced from outside, with its " + size + " bytes");
        }
        return now;
    }

    private static BasicFileAttributes attributes(Path file) throws IOException {
        return Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
