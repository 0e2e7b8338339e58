package dev.rlm.sinks.jsonl;

import java.util.Map;
import java.util.TreeMap;

/** How long the file of ended runs was when each segment was closed, so that it can be shortened as they are deleted. */
final class ClosedSegments {
    private final TreeMap<Integer, Long> runsSizes = new TreeMap<>(); // counted from the beginning of all
    private long forgotten;

    /** A segment was closed. */
    void add(int number, long runsSize) {
        runsSizes.put(number, forgotten + runsSize);
    }

    /** How many bytes at the beginning of the file of ended runs belong to segments up to that number; once. */
    long forgottenRuns(int deletedUpTo) {
        Map.Entry<Integer, Long> last = runsSizes.floorEntry(deletedUpTo);
        if (last == null) {
            return 0;
        }
        long more = last.getValue() - forgotten;
        forgotten = last.getValue();
        runsSizes.headMap(deletedUpTo, true).clear();
        return more;
    }
}
