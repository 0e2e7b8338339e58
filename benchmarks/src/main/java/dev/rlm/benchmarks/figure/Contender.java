package dev.rlm.benchmarks.figure;

/** One way to do a thing. */
public interface Contender {
    /** Its name in tables. */
    String name();

    /**
     * Measures it once, in a JVM of its own.
     *
     * @throws FigureException if it could not be measured: then the figure is without a result, and says why
     */
    Sample measure();
}
