package dev.rlm.sinks.mlflow;

import java.util.List;

/** Attempts at one sample by one policy. On the lane only. */
final class FigureGroup {
    private Size size = new Size(0, 0);

    /** One more attempt, or with -1 one less, in the sums that it is part of. */
    void count(int sign, boolean solved, List<FigureSums> sums) {
        Size before = size;
        size = new Size(before.attempts + sign, before.solved + (solved ? sign : 0));
        sums.forEach(each -> each.resized(before, size));
    }

    /** Numbers of all attempts and of the solved ones. */
    record Size(int attempts, int solved) {}
}
