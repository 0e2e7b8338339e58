package dev.rlm.runs.exchange;

import dev.rlm.cli.Utf8Input;
import dev.rlm.runs.exchange.input.JsonElements;
import dev.rlm.runs.exchange.input.JsonNesting;
import dev.rlm.runs.exchange.input.JsonObject;
import dev.rlm.runs.exchange.input.RecordSize;
import dev.rlm.runs.exchange.input.Records;
import dev.rlm.runs.exchange.inspect.InspectArchive;
import dev.rlm.runs.exchange.inspect.ZipArchive;
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
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Source of records that are to be imported: lines, the elements of a list, whole documents or the entries of an archive.
 *
 * @param name what people know it by
 */
record LineSource(String name, Reading reading) {
    private static final int BUFFER = 1 << 16;
    private static final int MAX_DEPTH = 32; // of folders in each other
    private static final String COMPRESSED = "(\\.gz|\\.zst)?"; // behind the names of files in folders

    /**
     * Returns the sources that a name stands for: standard input where it is {@code -}, a file, or the files of a folder
     * that the format chooses, by name.
     *
     * @throws IOException if one of them cannot be read
     */
    static List<LineSource> of(String name, ImportFormat format, InputStream standardInput) throws IOException {
        if (name.equals("-")) {
            return List.of(new LineSource("standard input", text(() -> standardInput)));
        }
        List<LineSource> sources = new ArrayList<>();
        for (String file : Files.isDirectory(Path.of(name)) ? inFolder(Path.of(name), format) : List.of(name)) {
            Path path = Path.of(file);
            Opening in = () -> Files.newInputStream(path);
            boolean archive;
            try (InputStream opened = in.open()) {
                // what comes from a pipe would be lost
                archive = Files.isRegularFile(path) && ZipArchive.begins(opened.readNBytes(ZipArchive.BEGINNING));
            }
            if (archive && !format.endings().contains(ImportFormat.INSPECT_ARCHIVE)) {
                throw new IOException("a zip archive, which --format inspect alone reads");
            }
            Reading reading = archive ? records -> InspectArchive.read(path, records) : text(in);
            sources.add(new LineSource(file, reading));
        }
        return sources;
    }

    /** Tells why something cannot be read. */
    static String reason(Exception e) {
        if (e.getClass() == IOException.class && e.getMessage() != null) {
            return e.getMessage();
        }
        return e.getClass().getSimpleName().replaceAll("Exception$", "")
                + (e.getMessage() == null ? "" : ": " + e.getMessage());
    }

    private static List<String> inFolder(Path folder, ImportFormat format) throws IOException {
        TreeSet<String> files = new TreeSet<>();
        if (!format.anywhere().isEmpty()) {
            files.addAll(files(folder, MAX_DEPTH, format.anywhere()));
        }
        for (String ending : format.endings()) {
            if (files.isEmpty() || ending.equals(format.endings().get(0))) {
                files.addAll(files(folder, 1, ".*" + Pattern.quote(ending)));
            }
        }
        return List.copyOf(files);
    }

    private static List<String> files(Path folder, int depth, String name) throws IOException {
        try (Stream<Path> files = Files.walk(folder, depth)) {
            return files.filter(file -> String.valueOf(file.getFileName()).matches(name + COMPRESSED))
                    .filter(file -> !Files.isDirectory(file))
                    .map(Path::toString)
                    .toList();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    /**
     * Reads all records, one after the other.
     *
     * @throws java.util.zip.ZipException if it is an archive that is damaged
     */
    void read(Records records) throws IOException {
        reading.read(records);
    }

    /** The elements of a list, where the text begins with one; else lines, or documents. */
    private static Reading text(Opening in) {
        return records -> {
            // As Latin-1, which keeps every byte as it is
            try (InputStream opened = in.open();
                    RecordSize.Lines bytes = new RecordSize.Lines(Utf8Input.of(opened));
                    BufferedReader reader =
                            new BufferedReader(new InputStreamReader(bytes, StandardCharsets.ISO_8859_1), BUFFER)) {
                if (JsonElements.begin(reader)) {
                    JsonElements.read(reader, records);
                } else {
                    bytes.limit();
                    lines(reader, records);
                }
            }
        };
    }

    /**
     * Reads all lines that are not blank; the last one needs no line feed. Lines may be as long as memory allows. Where an object
     * begins on the first of them and does not end there, they are documents, each of which ends with a line; one that never
     * ends is lines again.
     */
    private static void lines(BufferedReader reader, Records records) throws IOException {
        int number = 1;
        int begin = 0; // of the document, or of the first
        boolean documents = false;
        StringBuilder document = new StringBuilder();
        JsonNesting nesting = new JsonNesting();
        for (String line = reader.readLine(); line != null; line = reader.readLine(), number++) {
            String text = line.stripTrailing();
            if (text.isEmpty() && document.isEmpty()) {
                continue;
            }
            if (begin == 0 || documents) {
                nesting.follow(text);
                documents |= begin == 0 && nesting.mayGoOn();
            }
            begin = document.isEmpty() ? number : begin;
            if (!documents) {
                give(text, number, records);
                continue;
            }
            document.append(text).append('\n');
            RecordSize.check(document.length());
            if (nesting.isOutside()) {
                give(document.toString(), begin, records);
                document.setLength(0);
                nesting = new JsonNesting();
            }
        }
        for (String text : document.toString().split("\n", -1)) {
            give(text, begin++, records);
        }
    }

    private static void give(String text, int number, Records records) {
        byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
        if (bytes.length > 0) {
            records.accept("line " + number, () -> JsonObject.parse(bytes));
        }
    }

    /** Way in which a source is read. */
    @FunctionalInterface
    interface Reading {
        void read(Records records) throws IOException;
    }

    @FunctionalInterface
    private interface Opening {
        InputStream open() throws IOException;
    }
}
