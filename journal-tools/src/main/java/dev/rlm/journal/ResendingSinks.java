package dev.rlm.journal;

import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkStatus;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.jsonl.JournalException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import picocli.CommandLine.Option;

/** The options that say where a journal is sent to. */
final class ResendingSinks {
    @Option(
            names = "--sink",
            paramLabel = "NAME",
            description = "Send to exactly the sinks named, whatever the variables say. May be repeated.")
    private List<String> names = new ArrayList<>();

    /**
     * The hub that sends the journal in that folder.
     *
     * @param purpose has the hub's builder make one for resending or recovering
     * @throws JournalException if one of its sinks would write into that very journal
     */
    Sinks open(SinkConfig config, UnaryOperator<Sinks.Builder> purpose, Path journal) {
        Sinks.Builder builder = purpose.apply(Sinks.builder().config(config));
        Sinks sinks = (names.isEmpty() ? builder : builder.only(names)).build();
        try {
            checkNotInto(journal, sinks.recordPaths());
            return sinks;
        } catch (RuntimeException e) {
            sinks.close();
            throw e;
        }
    }

    private static void checkNotInto(Path journal, Map<String, Path> records) {
        Path source = real(journal);
        records.forEach((name, record) -> {
            Path target = real(record);
            Path folder = target.getParent();
            if (target.startsWith(source) || (folder != null && source.startsWith(folder))) {
                throw new JournalException("sink '" + name + "' would write into the journal that is read, at "
                        + journal + ": a copy needs another folder");
            }
        });
    }

    /** The path without links, as far as there is something at it. */
    private static Path real(Path path) {
        Path parent = path.toAbsolutePath().normalize().getParent();
        try {
            return path.toRealPath();
        } catch (IOException e) {
            return parent == null ? path : real(parent).resolve(path.getFileName());
        }
    }

    /** Whether there is a sink to send to; one that was chosen and cannot be made counts. */
    static boolean areChosen(Sinks sinks) {
        return sinks.statuses().stream().anyMatch(SinkStatus::enabled);
    }

    /** How each sink could be chosen. */
    static String hint(Sinks sinks) {
        return sinks.statuses().stream()
                .map(status -> status.name() + ": " + status.detail())
                .collect(Collectors.joining("; "));
    }
}
