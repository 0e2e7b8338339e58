package dev.rlm.runner.replay;

/**
 * First difference between a run and its replay.
 *
 * @param recordedRun the run's id
 * @param run the replay's id
 * @param step in which they differ; the last one for what differs at the end
 * @param what differs, such as {@code output} or {@code reward}
 * @param recorded an excerpt of what the record has
 * @param now an excerpt of what the replay came to
 */
public record Divergence(String recordedRun, String run, int step, String what, String recorded, String now) {
    private static final int BEFORE = 30; // characters of what both have
    private static final int LENGTH = 120;

    /** Returns the excerpts of two texts that differ. */
    static Divergence of(String recordedRun, int step, String what, String recorded, String now) {
        int shorter = Math.min(recorded.length(), now.length());
        int same = 0;
        while (same < shorter && recorded.charAt(same) == now.charAt(same)) {
            same++;
        }
        int from = Math.max(0, same - BEFORE);
        return new Divergence(recordedRun, "", step, what, excerpt(recorded, from), excerpt(now, from));
    }

    private static String excerpt(String text, int from) {
        int end = Math.min(text.length(), from + LENGTH);
        return (from == 0 ? "" : "…") + text.substring(from, end) + (end < text.length() ? "…" : "");
    }

    /** Returns the same with the replay's id. */
    Divergence in(String replay) {
        return new Divergence(recordedRun, replay, step, what, recorded, now);
    }

    @Override
    public String toString() {
        return "run " + recordedRun + " step " + step + ": " + what + " was '" + recorded + "' and is '" + now
                + "' (run " + run + ")";
    }
}
