package dev.rlm.cli;

import dev.rlm.journal.format.segment.PrivateFiles;
import dev.rlm.journal.index.IndexCache;
import dev.rlm.sinks.SinkConfig;
import java.io.IOException;
import java.io.OutputStream;
import java.io.Reader;
import java.nio.channels.Channels;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Consoles ({@code rlm view}) of this user that are open, so that other commands can name their pages: a file each in the user's cache
 * folder, without the token. Those of processes that have died do not count.
 */
public final class OpenConsoles {
    private static final Logger LOG = LoggerFactory.getLogger(OpenConsoles.class);
    private static final Pattern URL = Pattern.compile("http://127\\.0\\.0\\.1:\\d{1,5}");

    private static final String NAME = ".properties"; // end of the names of files

    private final Path folder;

    private OpenConsoles(Path folder) {
        this.folder = folder;
    }

    /** Returns those of the user whose variables these are. */
    public static OpenConsoles of(SinkConfig config) {
        return new OpenConsoles(IndexCache.userFolder(config).resolve("view"));
    }

    /** A console that others are told of, until it is closed. */
    public interface Told extends AutoCloseable {
        @Override
        void close();
    }

    /**
     * Tells others of a console. Where the cache folder cannot be written they are not told.
     *
     * @param url its address without a path
     */
    public Told add(String url, List<Path> journals) {
        Properties told = new Properties();
        told.setProperty("url", url);
        told.setProperty("start", start(ProcessHandle.current()));
        for (Path journal : journals) {
            told.setProperty("journal." + told.size(), real(journal));
        }
        Path file = folder.resolve(ProcessHandle.current().pid() + url.replaceFirst(".*:", "-") + NAME);
        try {
            PrivateFiles.createFolder(folder);
            Path begun = file.resolveSibling(file.getFileName() + ".tmp"); // a name that no reader looks for
            Files.deleteIfExists(begun);
            try (OutputStream out = Channels.newOutputStream(
                    PrivateFiles.open(begun, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE))) {
                told.store(out, null);
            }
            Files.move(begun, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            LOG.debug("{} cannot be written", file, e);
        }
        return () -> delete(file);
    }

    private static void delete(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            LOG.debug("{} cannot be deleted", file, e); // a later look does
        }
    }

    /** Returns the address of a console that shows a journal. */
    public Optional<String> find(Path journal) {
        if (!Files.isDirectory(folder)) {
            return Optional.empty();
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.toString().endsWith(NAME))
                    .flatMap(file -> find(file, real(journal)).stream())
                    .findFirst();
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private static Optional<String> find(Path file, String journal) {
        Properties told = new Properties();
        try (Reader in = Files.newBufferedReader(file)) {
            told.load(in);
            long pid = Long.parseLong(String.valueOf(file.getFileName()).replaceFirst("\\D.*", ""));
            boolean lives = ProcessHandle.of(pid)
                    .filter(process -> start(process).equals(told.getProperty("start")))
                    .isPresent();
            if (!lives) {
                Files.delete(file);
                return Optional.empty();
            }
        } catch (IOException | IllegalArgumentException e) {
            return Optional.empty(); // it has just gone, or is none of ours
        }
        return Optional.ofNullable(told.getProperty("url"))
                .filter(url -> URL.matcher(url).matches() && told.containsValue(journal));
    }

    private static String start(ProcessHandle process) {
        return process.info().startInstant().map(Instant::toString).orElse("");
    }

    private static String real(Path journal) {
        try {
            return journal.toRealPath().toString();
        } catch (IOException e) {
            return journal.toAbsolutePath().normalize().toString(); // it is not there yet
        }
    }
}
