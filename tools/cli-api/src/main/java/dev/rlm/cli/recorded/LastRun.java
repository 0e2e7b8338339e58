package dev.rlm.cli.recorded;

import java.util.Iterator;
import java.util.List;

/** The word that stands for the run that started last, where a run is asked for; for completion. */
public final class LastRun implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
        return List.of("last").iterator();
    }
}
