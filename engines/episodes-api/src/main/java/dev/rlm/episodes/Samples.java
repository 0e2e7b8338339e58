package dev.rlm.episodes;

import java.util.List;

/**
 * The samples of a job.
 *
 * @param badLines what was wrong with each line of the data set that was passed over
 */
public record Samples(List<? extends Sample> samples, List<String> badLines) {
    public Samples {
        samples = List.copyOf(samples);
        badLines = List.copyOf(badLines);
    }
}
