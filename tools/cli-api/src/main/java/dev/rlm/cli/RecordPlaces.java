package dev.rlm.cli;

import dev.rlm.sinks.Sinks;
import java.net.URI;
import java.nio.file.Path;
import java.util.Collection;
import java.util.stream.Stream;

/** Files and folders of this machine in which sinks keep the record of runs. */
public final class RecordPlaces {
    private RecordPlaces() {}

    /** The files and folders among the addresses that sinks have answered with. */
    public static Stream<Path> among(Collection<URI> locations) {
        return locations.stream()
                .filter(location -> "file".equals(location.getScheme()) && location.getAuthority() == null)
                .map(location -> Path.of(location));
    }

    /** Returns whether one of the sinks keeps its record in that journal. */
    public static boolean areIn(Path journal, Sinks sinks) {
        return sinks.recordPaths().values().stream().anyMatch(place -> place.startsWith(journal));
    }
}
