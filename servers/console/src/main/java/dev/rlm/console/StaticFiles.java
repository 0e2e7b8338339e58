package dev.rlm.console;

import dev.rlm.server.http.RefusedException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;

/** Files of the pages, as they lie in this module: by a fixed table, so that no address leads anywhere else. */
final class StaticFiles {
    /** Beginnings of the paths of pages, which are all one file. */
    static final Set<String> PATHS = Set.of(
            "", "runs", "groups", "compare", "training", "rewards", "tools", "time", "findings", "record", "search");

    private static final String FOLDER = "static/";
    private static final Map<String, String> TYPES = Map.of(
            "html", "text/html; charset=utf-8",
            "js", "text/javascript; charset=utf-8",
            "css", "text/css; charset=utf-8",
            "svg", "image/svg+xml",
            "txt", "text/plain; charset=utf-8",
            "json", "application/json");

    private final Map<String, byte[]> files = new TreeMap<>();

    StaticFiles() {
        String names = new String(read("files.txt"), StandardCharsets.UTF_8);
        names.lines().forEach(name -> files.put(name, read(name)));
    }

    /** Returns the names of all of them. */
    Set<String> names() {
        return Collections.unmodifiableSet(files.keySet());
    }

    /** Returns the text of one of {@link #names}. */
    String text(String name) {
        return new String(Objects.requireNonNull(files.get(name), name), StandardCharsets.UTF_8);
    }

    /** Returns a file by its name. */
    byte[] file(String name) throws RefusedException {
        byte[] file = files.get(name);
        if (file == null) {
            throw new RefusedException(404, "there is nothing here");
        }
        return Arrays.copyOf(file, file.length);
    }

    /** Returns the type of a file. */
    static String type(String name) {
        return TYPES.getOrDefault(name.substring(name.lastIndexOf('.') + 1), "application/octet-stream");
    }

    private static byte[] read(String name) {
        try (InputStream in = StaticFiles.class.getResourceAsStream(FOLDER + name)) {
            if (in == null) {
                throw new IllegalStateException("the program lacks its file " + name);
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
