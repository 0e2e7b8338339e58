package dev.rlm.runner.python;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;

/**
 * Where an interpreter's code keeps its files.
 *
 * @param own a temporary folder of this machine's; {@code null} where the sandbox has its own
 */
record WorkFolder(@Nullable Path own) implements AutoCloseable {
    static WorkFolder of(Sandbox sandbox) throws IOException {
        return new WorkFolder(sandbox == Sandbox.NONE ? Files.createTempDirectory("rlm-python-") : null);
    }

    /** Where the interpreter's process is started. */
    Path path() {
        return own == null ? Path.of("/") : own;
    }

    /** What it is to the code. */
    String nameInside() {
        return own == null ? "/tmp" : own.toString();
    }

    /** Deletes it, as far as that can be done. */
    @Override
    public void close() {
        if (own == null || !Files.exists(own)) {
            return;
        }
        try {
            Files.walkFileTree(own, new Deletion());
        } catch (IOException e) {
            // The code has made something that cannot be deleted. It lies in the folder of temporary files.
        }
    }

    private static final class Deletion extends SimpleFileVisitor<Path> {
        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
            Files.delete(file);
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult postVisitDirectory(Path folder, @Nullable IOException failure) throws IOException {
            Files.delete(folder);
            return FileVisitResult.CONTINUE;
        }
    }
}
