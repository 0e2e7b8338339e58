package dev.rlm.runner.sandbox;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Folder in which code keeps its files.
 *
 * @param own a temporary folder of this machine's; {@code null} where the sandbox has its own
 */
public record WorkFolder(@Nullable Path own) implements AutoCloseable {
    /** Returns that of an interpreter. */
    static WorkFolder of(Sandbox sandbox) throws IOException {
        return sandbox == Sandbox.NONE ? create("rlm-python-") : new WorkFolder(null);
    }

    /** Creates a temporary folder, which is deleted when this is closed. */
    public static WorkFolder create(String prefix) throws IOException {
        return new WorkFolder(Files.createTempDirectory(prefix));
    }

    /** Returns the folder; that in which the interpreter's process is started, where the sandbox has its own. */
    public Path path() {
        return own == null ? Path.of("/") : own;
    }

    /** Returns its name to the code. */
    String nameInside() {
        return own == null ? "/tmp" : own.toString();
    }

    /** Deletes it, as far as that can be done: what the code has made so that it cannot be deleted stays. */
    @Override
    public void close() {
        if (own != null) {
            delete(own.toFile());
        }
    }

    private static void delete(File place) {
        File[] inside = Files.isSymbolicLink(place.toPath()) ? null : place.listFiles();
        if (inside != null) {
            for (File each : inside) {
                delete(each);
            }
        }
        var unused = place.delete();
    }
}
