package dev.rlm.sinks.jsonl;

import java.nio.file.Path;
import java.util.List;

/** Finds the run that a person means. */
final class RunIds {
    private static final String LAST = "last";
    private static final int CANDIDATES = 5;

    private RunIds() {}

    /**
     * Returns the id, or of {@code last} the latest one, or the only one that begins like that.
     *
     * @param ids those of a journal, in the order of the runs' starts
     * @throws JournalException if there is none, or more than one; the message names candidates
     */
    static String resolve(String idOrPrefix, List<String> ids, Path directory) {
        if (ids.contains(idOrPrefix)) {
            return idOrPrefix;
        }
        if (idOrPrefix.equals(LAST) && !ids.isEmpty()) {
            return ids.get(ids.size() - 1);
        }
        List<String> found =
                ids.stream().filter(id -> id.startsWith(idOrPrefix)).toList();
        if (found.size() == 1) {
            return found.get(0);
        }
        throw notOne(idOrPrefix, found, ids, directory);
    }

    private static JournalException notOne(String prefix, List<String> found, List<String> all, Path directory) {
        if (found.isEmpty()) {
            String latest = String.join(", ", all.subList(Math.max(0, all.size() - CANDIDATES), all.size()));
            return new JournalException("no run '" + prefix + "' in " + directory
                    + (all.isEmpty() ? ", which has no runs" : "; its latest are " + latest));
        }
        String first = String.join(", ", found.subList(0, Math.min(CANDIDATES, found.size())));
        String more = found.size() > CANDIDATES ? ", …" : "";
        return new JournalException("'" + prefix + "' fits " + found.size() + " runs: " + first + more);
    }
}
