package dev.rlm.sinks.jsonl.segment;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * By what a file that is open is known again under its name.
 *
 * @param key the file system's own; {@code null} where it has none
 */
record Fingerprint(Path file, @Nullable Object key) {
    static Fingerprint of(Path file) throws IOException {
        return new Fingerprint(file, attributes(file).fileKey());
    }

    /** Looks whether the same file is there, and exactly that long. */
    void check(long size) throws IOException {
        long now = current(size).size();
        if (now < size) {
            throw new TamperedException(file, "was cut from outside, from " + size + " to " + now + " bytes");
        } else if (now > size) {
            throw new TamperedException(file, "was appended to from outside, from " + size + " to " + now + " bytes");
        }
    }

    /** Looks whether the same file is there, whatever is in it. */
    void check() throws IOException {
        current(0);
    }

    private BasicFileAttributes current(long size) throws IOException {
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
}
