package dev.rlm.runs.report;

import dev.rlm.cli.RunFilter;
import dev.rlm.cli.UsageException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The other side of a comparison.
 *
 * @param journal another journal; {@code null} for the same one
 * @param filter what chooses its runs otherwise than those of this side
 */
record OtherSide(@Nullable Path journal, RunFilter filter) {
    /**
     * Returns all that was said of it, taken together; {@code null} where nothing was.
     *
     * @param parts folders, and options that choose runs; a folder that is called like one is given as {@code ./model=m}
     */
    static @Nullable OtherSide of(List<String> parts) {
        Path journal = null;
        List<String> options = new ArrayList<>();
        for (String part : parts) {
            Path folder = folder(part);
            if (folder == null) {
                options.add(part);
            } else if (journal != null) {
                throw new UsageException("--against takes one folder: " + part + " is a second");
            } else {
                journal = folder;
            }
        }
        return parts.isEmpty()
                ? null
                : new OtherSide(journal, RunFilter.of(options, "--against (a journal's folder, or filters)"));
    }

    private static @Nullable Path folder(String part) {
        if (part.isBlank() || (part.contains("=") && RunFilter.knows(part))) {
            return null;
        }
        try {
            Path folder = Path.of(part);
            return Files.isDirectory(folder) ? folder : null;
        } catch (InvalidPathException e) {
            return null;
        }
    }
}
