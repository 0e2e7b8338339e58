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
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Source of records that are to be imported: lines, the elements of a list, a whole document or the entries of an archive.
 *
 * @param name what people know it by
 */
record LineSource(String name, Reading reading) {
    private static final int BUFFER = 1 << 16;
    private static final int MAX_DEPTH = 32; // of folders in each other
    private static final String BYTE_ORDER_MARK = "\u00EF\u00BB\u00BF"; // its bytes in UTF-8

    /**
     * Returns the sources that a name stands for: standard input where it is {@code -}, a file, or the files of a folder
     * that the format chooses, by name.
     *
     * @throws IOException if one of them cannot be read
     */
    static List<LineSource> of(String name, ImportFormat format, InputStream standardInput) throws IOException {
        if (name.equals("-")) {
            return List.of(new LineSource("standard input", text(() -> standardInput, format.isDocument())));
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
            Reading reading = archive ? records -> InspectArchive.read(path, records) : text(in, format.isDocument());
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
            return files.filter(file -> String.valueOf(file.getFileName()).matches(name))
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

    /** The elements of a list, where the text begins with one; else lines, or the one document that they are. */
    private static Reading text(Opening in, boolean document) {
        return records -> {
            // As Latin-1, which keeps every byte as it is
            RecordSize.Lines bytes = new RecordSize.Lines(in.open());
            try (BufferedReader reader =
                    new BufferedReader(new InputStreamReader(bytes, StandardCharsets.ISO_8859_1), BUFFER)) {
                if (JsonElements.begin(reader)) {
                    JsonElements.read(reader, records);
                } else {
                    bytes.limit();
                    lines(reader, document, records);
                }
            }
        };
    }

    /**
     * Reads all lines that are not blank; the last one needs no line feed. Lines may be as long as memory allows. Of a
     * source that may be a document they are one, unless the first of them is an object by itself.
     */
    private static void lines(BufferedReader reader, boolean isDocument, Records records) throws IOException {
        int number = 1;
        boolean begun = false;
        StringBuilder document = new StringBuilder();
        for (String line = reader.readLine(); line != null; line = reader.readLine()) {
            boolean marked = number == 1 && line.startsWith(BYTE_ORDER_MARK);
            String text = (marked ? line.substring(BYTE_ORDER_MARK.length()) : line).stripTrailing();
            byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
            if (!document.isEmpty() || (isDocument && !begun && !text.isEmpty() && !isObject(bytes))) {
                document.append(text).append('\n');
                RecordSize.check(document.length());
            } else if (!text.isEmpty()) {
                records.accept("line " + number, () -> JsonObject.parse(bytes));
            }
            begun |= !text.isEmpty();
            number++;
        }
        if (!document.isEmpty()) {
            byte[] bytes = document.toString().getBytes(StandardCharsets.ISO_8859_1);
            records.accept("", () -> JsonObject.parse(bytes));
        }
    }

    private static boolean isObject(byte[] line) {
        try {
            JsonObject.parse(line);
            return true;
        } catch (BadRecordException e) {
            return false;
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
