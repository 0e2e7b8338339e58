package dev.rlm.runs.exchange.output;

import dev.rlm.journal.format.segment.PrivateFiles;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Destination of an export: a file, a folder with several of them, or standard output. */
public final class Destination implements Closeable {
    public static final String STANDARD_OUTPUT = "-";

    private final String name;
    private final String format;
    private final List<String> tables; // of a folder
    private final boolean folder;
    private final PrintWriter standardOutput;
    private final List<NewFile> files = new ArrayList<>();
    private final List<ExportStream> streams = new ArrayList<>();

    private @Nullable Path made; // a folder
    private long bytesInFiles; // of a folder whose names follow from the runs
    private boolean committed;

    /** A folder if the format needs one; else a file, or standard output if the name says so. */
    public Destination(String name, ExportFormat as, PrintWriter standardOutput) {
        this.name = name;
        this.format = as.name();
        this.tables = as.tables();
        this.folder = as.isFolder() || !tables.isEmpty();
        this.standardOutput = standardOutput;
    }

    String name() {
        return name;
    }

    public boolean isStandardOutput() {
        return name.equals(STANDARD_OUTPUT) && !folder;
    }

    /** Returns the reason why it cannot be written to; empty if it can. */
    public String refusal(boolean force) {
        if (isStandardOutput()) {
            return "";
        } else if (name.isBlank()) {
            return "it is empty: expected a path";
        }
        try {
            Path place = Path.of(name);
            return folder ? refusalOfFolder(place, force) : NewFile.refusal(place, force);
        } catch (InvalidPathException e) {
            return name + " is no path";
        }
    }

    private String refusalOfFolder(Path place, boolean force) {
        if (name.equals(STANDARD_OUTPUT)) {
            return format + " makes several " + files() + ", and needs a folder for them";
        } else if (!Files.exists(place, LinkOption.NOFOLLOW_LINKS)) {
            Path parent = place.toAbsolutePath().getParent();
            return parent == null || !Files.isDirectory(parent) ? "there is no folder " + parent : "";
        } else if (!Files.isDirectory(place)) {
            return place + " is no folder, which " + format + " needs for its " + files();
        } else if (tables.isEmpty() && !force && !isEmpty(place)) {
            return place + " is not empty: --force replaces the files of runs that are written";
        }
        return tables.stream()
                .map(table -> NewFile.refusal(place.resolve(table), force))
                .filter(refusal -> !refusal.isEmpty())
                .findFirst()
                .orElse("");
    }

    /** Begins to write; the name tells which file of a folder. */
    ExportStream open(String table) throws IOException {
        ExportStream stream = new ExportStream(isStandardOutput() ? new TerminalOutput(standardOutput) : file(table));
        streams.add(stream);
        return stream;
    }

    private OutputStream file(String table) throws IOException {
        Path place = Path.of(name);
        if (!tables.isEmpty() && !Files.isDirectory(place)) {
            made = place;
            PrivateFiles.createFolder(place);
        }
        NewFile file = NewFile.create(place.resolve(table));
        files.add(file);
        return file.out();
    }

    private String files() {
        return tables.isEmpty() ? "files" : "tables";
    }

    private static boolean isEmpty(Path folder) {
        try (Stream<Path> files = Files.list(folder)) {
            return files.findAny().isEmpty();
        } catch (IOException e) {
            return false;
        }
    }

    /** Writes a file of a folder, which stands there whole from now on. */
    void write(String file, byte[] content) throws IOException {
        Path place = Path.of(name).resolve(file);
        PrivateFiles.createFolder(Objects.requireNonNull(place.getParent()));
        try (NewFile written = NewFile.create(place)) {
            written.out().write(content);
            written.sync();
            written.commit();
        }
        bytesInFiles += content.length;
    }

    /** Returns how many bytes have been written so far. */
    long bytes() {
        return bytesInFiles + streams.stream().mapToLong(ExportStream::bytes).sum();
    }

    /** Syncs all that was written and moves it into its place. */
    public void commit() throws IOException {
        for (ExportStream stream : streams) {
            stream.check();
            stream.flush();
        }
        for (NewFile file : files) {
            file.sync();
        }
        for (NewFile file : files) {
            file.commit();
        }
        committed = true;
    }

    @Override
    public void close() throws IOException {
        for (NewFile file : files) {
            file.close();
        }
        if (made != null && !committed) {
            Files.deleteIfExists(made);
        }
    }
}
