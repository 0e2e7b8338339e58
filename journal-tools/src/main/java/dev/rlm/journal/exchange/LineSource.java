package dev.rlm.journal.exchange;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** What is to be imported, line by line: a file, or standard input. */
final class LineSource {
    static final String STANDARD_INPUT = "-";

    private static final int BUFFER = 1 << 16;
    private static final int KEPT_BYTES = 1 << 20;
    private static final byte[] BYTE_ORDER_MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};

    private final String name;
    private final InputStream standardInput;
    private volatile long bytes;

    /** The file of that name, or this process's standard input where it is {@value #STANDARD_INPUT}. */
    LineSource(String name, InputStream standardInput) {
        this.name = name;
        this.standardInput = standardInput;
    }

    /** The files that a name stands for: those of a folder that end in {@code .jsonl}, by name. */
    static List<String> files(String name) throws IOException {
        if (name.equals(STANDARD_INPUT) || !Files.isDirectory(Path.of(name))) {
            return List.of(name);
        }
        try (Stream<Path> files = Files.list(Path.of(name))) {
            return files.filter(file -> file.toString().endsWith(".jsonl"))
                    .map(Path::toString)
                    .sorted()
                    .toList();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    /** Finds out whether it can be read. */
    void check() throws IOException {
        if (!name.equals(STANDARD_INPUT)) {
            Files.newInputStream(Path.of(name)).close();
        }
    }

    /** What people know it by. */
    String name() {
        return name.equals(STANDARD_INPUT) ? "standard input" : name;
    }

    /** How many bytes have been read so far. */
    long bytes() {
        return bytes;
    }

    /** Reads all lines; the last one needs no line feed. Lines may be as long as memory allows. */
    void read(Lines lines) throws IOException {
        boolean isFile = !name.equals(STANDARD_INPUT);
        InputStream in = isFile ? Files.newInputStream(Path.of(name)) : standardInput;
        try {
            read(new BufferedInputStream(in, BUFFER), lines);
        } finally {
            if (isFile) {
                in.close();
            }
        }
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // by one thread; another looks on
    private void read(InputStream in, Lines lines) throws IOException {
        byte[] buffer = new byte[BUFFER];
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        int number = 1;
        for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
            bytes += length;
            int start = 0;
            for (int i = 0; i < length; i++) {
                if (buffer[i] == '\n') {
                    line.write(buffer, start, i - start);
                    hand(number++, line, lines);
                    line = line.size() > KEPT_BYTES ? new ByteArrayOutputStream() : line;
                    line.reset();
                    start = i + 1;
                }
            }
            line.write(buffer, start, length - start);
        }
        hand(number, line, lines);
    }

    private static void hand(int number, ByteArrayOutputStream line, Lines lines) throws IOException {
        byte[] text = line.toByteArray();
        int from = number == 1 && startsWithMark(text) ? BYTE_ORDER_MARK.length : 0;
        int to = text.length;
        while (to > from && Character.isWhitespace(text[to - 1])) {
            to--;
        }
        if (to > from) {
            lines.line(number, text, from, to - from);
        }
    }

    private static boolean startsWithMark(byte[] text) {
        return text.length >= BYTE_ORDER_MARK.length
                && text[0] == BYTE_ORDER_MARK[0]
                && text[1] == BYTE_ORDER_MARK[1]
                && text[2] == BYTE_ORDER_MARK[2];
    }

    /** Takes lines that are not blank. */
    @FunctionalInterface
    interface Lines {
        /** A line by its number from 1. */
        void line(int number, byte[] bytes, int from, int length) throws IOException;
    }
}
