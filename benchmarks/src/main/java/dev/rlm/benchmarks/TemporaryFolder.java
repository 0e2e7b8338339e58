package dev.rlm.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A folder that goes, with all that is in it, when it is closed. */
public record TemporaryFolder(Path path) implements AutoCloseable {
    /** Makes a folder whose name begins with {@code rlm-} and that name. */
    public static TemporaryFolder create(String name) throws IOException {
        return new TemporaryFolder(Files.createTempDirectory("rlm-" + name + "-"));
    }

    /** Makes such a folder, which is closed when this process ends. */
    public static TemporaryFolder untilExit(String name) throws IOException {
        TemporaryFolder folder = create(name);
        Runtime.getRuntime().addShutdownHook(new Thread(folder::tryClose));
        return folder;
    }

    private void tryClose() {
        try {
            close();
        } catch (IOException e) {
            System.err.println("left behind: " + path);
        }
    }

    @Override
    public void close() throws IOException {
        List<Path> all;
        try (Stream<Path> walk = Files.walk(path)) {
            all = walk.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path file : all) {
            Files.deleteIfExists(file);
        }
    }
}
