package dev.rlm.journal.exchange;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ObjIntConsumer;
import java.util.stream.Stream;

/**
 * Source of lines that are to be imported.
 *
 * @param name what people know it by
 */
record LineSource(String name, Opening in) {
    private static final int BUFFER = 1 << 16;
    private static final String BYTE_ORDER_MARK = "\u00EF\u00BB\u00BF"; // its bytes in UTF-8

    /**
     * Returns the sources that a name stands for: standard input where it is {@code -}, a file, or the files of a folder that end in
     * {@code .jsonl}, by name.
     *
     * @throws IOException if one of them cannot be read
     */
    static List<LineSource> of(String name, InputStream standardInput) throws IOException {
        if (name.equals("-")) {
            return List.of(new LineSource("standard input", () -> standardInput));
        }
        List<String> files = Files.isDirectory(Path.of(name)) ? jsonl(Path.of(name)) : List.of(name);
        List<LineSource> sources = new ArrayList<>();
        for (String file : files) {
            LineSource source = new LineSource(file, () -> Files.newInputStream(Path.of(file)));
            source.in().open().close();
            sources.add(source);
        }
        return sources;
    }

    /** Tells why something cannot be read. */
    static String reason(Exception e) {
        return e.getClass().getSimpleName().replaceAll("Exception$", "")
                + (e.getMessage() == null ? "" : ": " + e.getMessage());
    }

    private static List<String> jsonl(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(Path::toString)
                    .filter(file -> file.endsWith(".jsonl"))
                    .sorted()
                    .toList();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    /**
     * Reads all lines that are not blank; the last one needs no line feed. Lines may be as long as memory allows.
     *
     * @param lines takes each with its number, from 1
     */
    void read(ObjIntConsumer<byte[]> lines) throws IOException {
        // As Latin-1, which keeps every byte as it is
        try (BufferedReader reader =
                new BufferedReader(new InputStreamReader(in.open(), StandardCharsets.ISO_8859_1), BUFFER)) {
            int number = 1;
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                boolean marked = number == 1 && line.startsWith(BYTE_ORDER_MARK);
                String text = (marked ? line.substring(BYTE_ORDER_MARK.length()) : line).stripTrailing();
                if (!text.isEmpty()) {
                    lines.accept(text.getBytes(StandardCharsets.ISO_8859_1), number);
                }
                number++;
            }
        }
    }

    @FunctionalInterface
    interface Opening {
        InputStream open() throws IOException;
    }
}
