package dev.rlm.journal.exchange;

import dev.rlm.sinks.jsonl.segment.PrivateFiles;
import java.io.Closeable;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Where an export goes: a file, a folder with two of them, or standard output. */
final class Destination implements Closeable {
    static final String STANDARD_OUTPUT = "-";

    private static final List<String> TABLES = List.of("runs.csv", "steps.csv");

    private final String name;
    private final boolean folder;
    private final @Nullable PrintWriter standardOutput;
    private final NewFiles files = new NewFiles();
    private final List<Watched> streams = new ArrayList<>();

    private @Nullable Path made; // a folder
    private boolean committed;

    private Destination(String name, boolean folder, @Nullable PrintWriter standardOutput) {
        this.name = name;
        this.folder = folder;
        this.standardOutput = standardOutput;
    }

    /** A file, or standard output where the name says so. */
    static Destination file(String name, PrintWriter standardOutput) {
        return new Destination(name, false, name.equals(STANDARD_OUTPUT) ? standardOutput : null);
    }

    /** A folder for tables; it is made where it is not there. */
    static Destination folder(String name) {
        return new Destination(name, true, null);
    }

    /** Why it cannot be written to; empty where it can. */
    String refusal(boolean force) {
        if (standardOutput != null) {
            return "";
        } else if (name.isBlank()) {
            return "it is empty: expected a path";
        }
        try {
            return folder ? refusalOfFolder(Path.of(name), force) : NewFiles.refusal(Path.of(name), force);
        } catch (InvalidPathException e) {
            return name + " is no path";
        }
    }

    private static String refusalOfFolder(Path place, boolean force) {
        if (place.toString().equals(STANDARD_OUTPUT)) {
            return "csv makes two tables, and needs a folder for them";
        } else if (!Files.exists(place, LinkOption.NOFOLLOW_LINKS)) {
            Path parent = place.toAbsolutePath().getParent();
            return parent == null || !Files.isDirectory(parent) ? "there is no folder " + parent : "";
        } else if (!Files.isDirectory(place)) {
            return place + " is no folder, which csv needs for its two tables";
        }
        return TABLES.stream()
                .map(table -> NewFiles.refusal(place.resolve(table), force))
                .filter(refusal -> !refusal.isEmpty())
                .findFirst()
                .orElse("");
    }

    /** Begins to write; the name tells which file of a folder. */
    Watched open(String table) throws IOException {
        PrintWriter terminal = standardOutput;
        if (terminal != null) {
            return watched(new Watched(new TerminalOutput(terminal)));
        }
        if (folder && !Files.isDirectory(Path.of(name))) {
            made = Path.of(name);
            PrivateFiles.createFolder(made);
        }
        Path place = folder ? Path.of(name, table) : Path.of(name);
        return watched(new Watched(files.create(place)));
    }

    private Watched watched(Watched stream) {
        streams.add(stream);
        return stream;
    }

    boolean isStandardOutput() {
        return standardOutput != null;
    }

    /** How many bytes have been written so far. */
    long bytes() {
        return streams.stream().mapToLong(Watched::bytes).sum();
    }

    /** Has all that was written stand where it is to stand. */
    void commit() throws IOException {
        for (Watched stream : streams) {
            stream.check();
            stream.flush();
        }
        files.commit();
        committed = true;
    }

    @Override
    public void close() throws IOException {
        files.close();
        if (made != null && !committed) {
            Files.deleteIfExists(made);
        }
    }
}
